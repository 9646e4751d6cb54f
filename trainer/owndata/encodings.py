"""In which encoding a file of text is written, by rule; and which files are no text at all."""

import codecs

WINDOWS = "cp1252"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_KINDS = {
    b"PK\x03\x04": "an Excel workbook or another packed file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "a compressed file",
    b"PAR1": "a Parquet file",
    b"SQLite format": "a database",
    b"\x7fELF": "a program",
}
_ALLOWED = frozenset(b"\t\n\r\f\x0b\x1b\x1a")
_WORDS = {WINDOWS: "Windows-1252", "utf-8-sig": "UTF-8", "utf-8": "UTF-8"}
_ZEROS = 0.4  # of every other byte: even then much of the text is plain letters
_SAVE = "Save the table as a CSV file in UTF-8."


def foreign(head: bytes) -> str:
    """Return a sentence if the first bytes are those of no text; empty for a text."""
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return f"The file is {kind}, whatever its name says. {_SAVE}"
    if guess(head).startswith("utf-16"):
        return ""
    odd = next((at for at, byte in enumerate(head) if byte < 32 and byte not in _ALLOWED), None)
    if odd is None:
        return ""
    line = head.count(b"\n", 0, odd) + 1
    return f"The file is no text: byte {odd + 1:,}, on line {line:,}, belongs to none. {_SAVE}"


def guess(head: bytes) -> str:
    """Return the encoding by the mark at the start, else by where zeros stand, else UTF-8."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    sample = head[:2000]
    first, second = (sample[at::2].count(0) / max(1, len(sample) // 2) for at in (0, 1))
    if max(first, second) < _ZEROS:
        return "utf-8"
    return "utf-16-be" if first > second else "utf-16-le"


class Broken(ValueError):  # noqa: N818 - reads better at a raise
    """Bytes that the encoding does not know, with the line before which they stand."""

    def __init__(self, encoding: str, line: int, byte: int) -> None:
        """Say which byte, and whereabouts: a decoder reads some lines ahead."""
        name = _WORDS.get(encoding, "UTF-16")
        said = "neither UTF-8 nor Windows-1252" if encoding == WINDOWS else f"not {name} throughout"
        super().__init__(
            f"The file is {said}: on line {line:,} or soon after it holds the byte {byte:#04x}, "
            f"which has no meaning there. {_SAVE}"
        )


def notes(encoding: str) -> list[str]:
    """Return what a learner should know about how the bytes became text."""
    if encoding == WINDOWS:
        return [
            "The file is not UTF-8, so it was read as Windows-1252. Look whether accents are right."
        ]
    if encoding == "utf-8-sig":
        return ["The byte order mark at the start was left out."]
    return ["The file was read as UTF-16."] if encoding.startswith("utf-16") else []
