"""How a worker and the command line end; the same numbers for both, and for Slurm."""

FINISHED, FAILED, BAD_INPUT = 0, 1, 2
STOPPED = 75  # with a checkpoint: the run can be resumed
LEFT = 130  # the command line only: left running by a second Ctrl-C, or interrupted before it began
