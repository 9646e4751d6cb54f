"""The route as the picture of Home: big, with the next open station lit."""

from trainer.runs import runs_folder
from ui import journey, route, state


def show() -> None:
    """Draw the six stations."""
    found = journey.stations(runs_folder(), state.read().learner)
    route.show(found, journey.next_stage(found))
