"""The page of the stage `software`."""

from ui import stage

stage.show("software")
