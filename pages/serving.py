"""The page of the stage `serving`."""

from ui import served, stage

stage.show("serving", served.show)
