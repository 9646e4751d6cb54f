"""The page of the stage `serving`."""

from ui import stage

stage.show("serving")
