"""The next version is exported and crowned while requests come, and none of them is lost."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from trainer.models import TicketClassifier
from trainer.serve.made import Shelf
from trainer.serve.trial import Trial

SLICES = 16  # in which the change is watched
AFTER = 4  # of these, at the end, the new version answers


def swapping(
    shelf: Shelf, model: TicketClassifier, trial: Trial, left: int
) -> Iterator[str | None]:
    """Yield `left` times, and the words for a mark once the new version has answered.

    Exporting happens beside the load; a version that was crowned in an earlier life of the run is
    left as it is.
    """
    number, is_marked = shelf.next_number, left < SLICES
    with ThreadPoolExecutor(1) as pool:
        making: Future[None] | None = None
        if shelf.crowned != number:
            making = pool.submit(shelf.put, number, model)
        while left:
            if making and (making.done() or left <= AFTER):
                making.result()
                shelf.crown(number)
                making = None
            if left <= AFTER:
                trial.until_version(number)
            is_new = not is_marked and trial.has_version(number)
            is_marked = is_marked or is_new
            yield f"version {number} answers" if is_new else None
            left -= 1
