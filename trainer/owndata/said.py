"""How a file is refused: one sentence, in which a stranger's words stand as code."""

from trainer.errors import BadSetting

_SHOWN = 40


class BadFile(BadSetting):
    """The file cannot be used; the sentence says what was found, where, and what to do."""

    def __init__(self, found: str) -> None:
        """Say after what was found that nothing was changed."""
        super().__init__(f"{found} Nothing was changed.")


def quoted(text: str) -> str:
    """Return the start of a stranger's text as code, for a sentence: nothing in it is Markdown."""
    plain = " ".join(text.replace("`", "'").split())
    return f"`{plain[:_SHOWN]}{'...' if len(plain) > _SHOWN else ''}`"
