"""The page of the stage `data`."""

from ui import stage

stage.show("data")
