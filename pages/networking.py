"""The page of the stage `networking`."""

from ui import stage

stage.show("networking")
