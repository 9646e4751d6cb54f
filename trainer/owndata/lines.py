"""The lines of a stream as text, each read only when it is asked for, within limits."""

import io
from collections.abc import Iterator
from itertools import count
from typing import Any, BinaryIO

from trainer.owndata import encodings
from trainer.owndata.said import BadFile

MOST_BYTES = 20 << 20
CHUNK = 1 << 16
_MOST_CHARACTERS = 1_000_000  # no honest line is longer


class _Counted(io.RawIOBase):
    """The bytes of a stream, up to the most that are read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._count = stream, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._stream.read(len(buffer))
        self._count += len(chunk)
        if self._count > MOST_BYTES:
            raise BadFile(
                f"The file is larger than {MOST_BYTES >> 20} MB, and was not read to its end. Draw "
                f"some of its rows at random and take those."
            )
        buffer[: len(chunk)] = chunk
        return len(chunk)


def read(stream: BinaryIO, encoding: str) -> Iterator[str]:
    """Yield the lines with their ends.

    Raises:
        BadFile: a limit is passed, or the stream is no text.
        encodings.Broken: it is not in this encoding.
    """
    stream.seek(0)
    buffered = io.BufferedReader(_Counted(stream), CHUNK)
    text = io.TextIOWrapper(buffered, encoding=encoding, newline="")
    for number in count(1):
        try:
            line = text.readline(_MOST_CHARACTERS + 1)
        except UnicodeDecodeError as error:
            raise encodings.Broken(encoding, number, error.object[error.start]) from error
        if not line:
            return
        _check_line(line, number)
        yield line


def _check_line(text: str, line: int) -> None:
    if len(text) > _MOST_CHARACTERS:
        raise BadFile(
            f"Line {line:,} has more than {_MOST_CHARACTERS:,} characters, so this is no table of "
            f"rows. Save it as a CSV file with one row a line."
        )
    if "\0" in text:
        raise BadFile(
            f"Line {line:,} holds bytes that no text has. Save the table as a CSV file in UTF-8."
        )
