"""The course as typed objects: read from `content/`, checked and judged. Knows no page."""
