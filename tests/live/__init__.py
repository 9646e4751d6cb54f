"""Tests of the live curve: the tail behind it, the routes, and the chart in Chromium."""
