"""The errors a caller may want to tell apart; each message is one sentence a learner can act on."""


class StagecoachError(Exception):
    """Base of every error that the engine raises on purpose."""


class BadSetting(StagecoachError, ValueError):  # noqa: N818 - reads better at a raise
    """A setting is unknown, of the wrong type or out of its bounds."""


class UnknownRun(StagecoachError, ValueError):  # noqa: N818
    """The name belongs to no run in the runs folder."""


class BadState(StagecoachError, ValueError):  # noqa: N818
    """The run is not in a state in which this can be done, for example resuming a finished run."""


class BadCheckpoint(StagecoachError):  # noqa: N818
    """A checkpoint cannot be read or does not fit the model."""


class ChildLost(StagecoachError):  # noqa: N818
    """A child run cannot go on, so that its parent has nothing to wait for."""


class RankLost(StagecoachError):  # noqa: N818
    """A rank died or failed, so that the work they shared cannot go on."""


class RankStuck(StagecoachError):  # noqa: N818
    """A rank waited too long for another."""


class RankGone(StagecoachError):  # noqa: N818
    """The rank at the other end of a line is no more."""

    def __init__(self, rank: int | None) -> None:
        """Keep which rank it was, None where that is not known."""
        super().__init__("Another rank is gone." if rank is None else f"Rank {rank} is gone.")
        self.rank = rank
