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
