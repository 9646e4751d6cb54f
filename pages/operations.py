"""The page of the stage `operations`."""

from ui import stage

stage.show("operations")
