"""What a load generator may be asked for: to this machine only, bounded in time and number."""

import ipaddress
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from trainer.errors import BadSetting
from trainer.serve.formula import poisson

LONGEST_S = 60.0
MOST_REQUESTS = 50_000
MOST_CALLERS = 256


@dataclass(frozen=True, kw_only=True)
class Order:
    """One load: open at `per_s` requests a second, or closed with so many `callers`.

    `requests` is a JSON file with a list of inference requests, sent in turn; `out` is where the
    answers go (the generator's owner says). With a lease the sending ends when nobody said `more`
    for so long.
    """

    url: str
    requests: str
    seconds: float
    per_s: float = 0.0
    callers: int = 0
    seed: int = 1337
    timeout_s: float = 10.0
    lease_s: float | None = None
    out: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def times(self) -> list[float]:
        """When each request leaves, in seconds; a function of rate, length and seed alone."""
        return poisson(self.per_s, self.seconds, self.seed)

    def check(self) -> None:
        """Refuse what could do harm.

        Raises:
            BadSetting: with one sentence.
        """
        where = urlsplit(self.url)
        if where.scheme != "http" or not _is_loopback(where.hostname) or not where.port:
            raise BadSetting("Load goes to this machine only: http://127.0.0.1:PORT/...")
        if not 0 < self.seconds <= LONGEST_S:
            raise BadSetting(f"A load lasts at most {LONGEST_S:.0f} s.")
        if bool(self.callers) == bool(self.per_s):
            raise BadSetting("A load has either a rate or callers.")
        if not 0 <= self.callers <= MOST_CALLERS:
            raise BadSetting(f"A closed loop has at most {MOST_CALLERS} callers.")
        if not 0 <= self.per_s * self.seconds <= MOST_REQUESTS:
            raise BadSetting(f"A load sends at most {MOST_REQUESTS:,} requests.")


def _is_loopback(host: str | None) -> bool:
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:  # a name might lead anywhere
        return False
