"""The page of the stage `training`."""

from ui import stage

stage.show("training")
