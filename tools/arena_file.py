"""The file of an arena: its terms in the first line, then a line per game that has ended."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, Self, TypeVar

import msgspec

from engine.kernel.errors import DataError
from saves.decoding import decode
from saves.errors import UnreadableError
from saves.files import FILES, write_all
from saves.logfile import locked
from tools.arena import Played

T = TypeVar("T")

_MOST_BYTES: Final = 1 << 16
"""A line never has more."""


class Terms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all games of a file have in common."""

    flagplot: Literal["arena"] = "arena"
    game: str
    edition: str
    rules: int
    """Version of the rules."""
    data: str
    """Digest of the data of the rules."""
    options: Mapping[str, str]
    bots: tuple[str, ...]
    scenarios: tuple[str, ...]
    seed: int
    """The first one."""
    steps: int = 0
    """How often bots that look ahead play on before they answer; 0 leaves it to them."""


_TERMS: Final = msgspec.json.Decoder(Terms)
_PLAYED: Final = msgspec.json.Decoder(Played)


class ArenaFile:
    """The one writer of a file of results; what an interrupted one left behind is read first."""

    def __init__(self, path: Path, terms: Terms) -> None:
        """Take a file, or begin it.

        A last line that is not whole is cut off: its game had not ended for anybody.

        Raises:
            LogInUseError: Another arena writes it.
            StorageError: It cannot be locked.
            DataError: It is of other terms, or no such file.
            OSError: It cannot be read or written.
        """
        self._path = path
        self._lock = locked(path)
        self.found: tuple[Played, ...] = ()
        """Games that it holds already."""
        try:
            self._begin(terms)
            self._file = path.open("ab", buffering=0)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the file and its lock."""
        self._file.close()
        self._lock.release()

    def add(self, played: Played) -> None:
        """Keep a game that has ended."""
        write_all(FILES, self._file.fileno(), _line(played))
        FILES.sync_data(self._file.fileno())

    def _begin(self, terms: Terms) -> None:
        """Read what is there and leave only whole lines."""
        head = _line(terms)
        content = self._path.read_bytes() if self._path.exists() else b""
        whole = content.rfind(b"\n") + 1
        if not whole:
            if not head.startswith(content):
                raise DataError(str(self._path), "line 1", "this is not a file of an arena")
            self._path.write_bytes(head)
            return
        first, *lines = content[:whole].splitlines()
        self._check(self._read(_TERMS, first, 1), terms)
        self.found = tuple(
            self._read(_PLAYED, line, number) for number, line in enumerate(lines, 2)
        )
        if whole < len(content):
            os.truncate(self._path, whole)

    def _read(self, decoder: "msgspec.json.Decoder[T]", line: bytes, number: int) -> T:
        try:
            return decode(decoder, line, _MOST_BYTES)
        except UnreadableError as error:
            what = "not a file of an arena" if number == 1 else f"not a game of an arena: {error}"
            raise DataError(str(self._path), f"line {number}", f"this is {what}") from error

    def _check(self, found: Terms, wanted: Terms) -> None:
        for name in Terms.__struct_fields__:
            there, here = getattr(found, name), getattr(wanted, name)
            if there != here:
                raise DataError(
                    str(self._path),
                    name,
                    f"its games are of {_words(there)}, not of {_words(here)}",
                )


def _words(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _line(value: msgspec.Struct) -> bytes:
    return msgspec.json.encode(value) + b"\n"
