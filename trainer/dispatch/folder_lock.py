"""Who owns a runs folder: a POSIX record lock, which no forked child inherits."""

import fcntl
import os
from pathlib import Path


class FolderLock:
    """Held until the process ends; the file is opened once, for closing it would unlock."""

    def __init__(self, place: Path) -> None:
        """Take the lock; raises BlockingIOError if another process holds it."""
        self._place = place
        self._file = place.open("w")
        fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    @property
    def is_held(self) -> bool:
        """Whether it is still the folder's lock: a folder may be removed and made anew."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._place.stat())
        except OSError:
            return False
