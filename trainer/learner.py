"""A learner's name: what keeps runs, places in line and models of several people apart.

It is no secret and no proof: there is no password, and whoever knows a name can use it.
"""

import re
import unicodedata

LEARNER = re.compile(r"[a-z0-9-]{1,40}")
LOCAL = "local"  # the learner of a machine that only one person uses
_LONGEST = 40


def clean(text: str) -> str:
    """Return the name that a text can be kept as; empty where no letter or digit is left.

    Accents fall away, capitals become small, and everything else becomes a hyphen: `Zoë K.` is
    kept as `zoe-k`.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST].strip("-")


def refusal(text: str) -> str:
    """Return one sentence that says why this is no name, and which name would do."""
    told = f"learner must be 1 to {_LONGEST} of the characters a to z, 0 to 9 and hyphen"
    return f"{told}; {name!r} would do." if (name := clean(text)) else f"{told}."
