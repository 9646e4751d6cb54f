"""CSV files for tests: small real ones, and every way in which one can be bad."""

import io
import random

CUES = {
    "disk": "disk full volume storage write quota",
    "net": "packet loss link down switch port",
    "power": "battery ups voltage breaker tripped supply",
}
_COMMON = ["the", "of", "in", "at", "please", "check", "server", "customer", "again", "since"]


def text(rows: int = 240, seed: int = 3) -> bytes:
    """Texts of three causes, from thirty sites, over a year."""
    draw = random.Random(seed)
    lines = ["note,cause,site,opened,load"]
    for row in range(rows):
        cause = draw.choice(list(CUES))
        words = draw.sample(CUES[cause].split(), 2) + draw.choices(_COMMON, k=5)
        draw.shuffle(words)
        day = f"2024-{1 + row * 12 // rows:02d}-{1 + row % 28:02d}"
        load = draw.gauss(len(cause), 1.5)
        lines.append(f"{' '.join(words)},{cause},S{draw.randrange(30)},{day},{load:.2f}")
    return ("\n".join(lines) + "\n").encode()


def table(rows: int = 240, seed: int = 3) -> bytes:
    """Numbers and categories: what speaks for the cause is the load and, weakly, the vendor."""
    draw = random.Random(seed)
    lines = ["load,vendor,cause,site"]
    for _ in range(rows):
        cause = draw.choice(list(CUES))
        vendor = cause[0] if draw.random() < 0.6 else draw.choice("dnp")
        load = draw.gauss({"disk": 0, "net": 3, "power": 6}[cause], 1.5)
        lines.append(f"{load:.2f},{vendor},{cause},S{draw.randrange(30)}")
    return ("\n".join(lines) + "\n").encode()


class Endless(io.RawIOBase):
    """A file of ten million rows that exists only as far as it is read."""

    def __init__(self, row: bytes = b"a,b\n", rows: int = 10_000_000) -> None:
        self._row, self._end, self._at = row, rows * len(row), 0
        self.furthest = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        assert (offset, whence) == (0, 0)
        self._at = 0
        return 0

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        size = min(size, self._end - self._at)
        first = self._at % len(self._row)
        chunk = (self._row * (size // len(self._row) + 2))[first : first + size]
        self._at += size
        self.furthest = max(self.furthest, self._at)
        return chunk
