"""Who owns a folder, of runs or of one run: a POSIX record lock, which no child inherits."""

import fcntl
import os
from pathlib import Path


class Lock:
    """Held until the process ends; the file is opened once, for closing it would unlock."""

    def __init__(self, place: Path) -> None:
        """Take the lock; raises BlockingIOError if another process holds it."""
        self._place = place
        self._file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    @property
    def is_held(self) -> bool:
        """Whether it is still the folder's lock: a folder may be removed and made anew."""
        try:
            return os.path.samestat(os.fstat(self._file), self._place.stat())
        except OSError:
            return False
