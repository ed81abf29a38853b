"""The arena result file: a header line with the settings, then one line per finished game."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, Self, TypeVar

import msgspec

from engine.kernel.errors import DataError
from saves.decoding import decode
from saves.errors import UnreadableError
from saves.files import FILES, write_all
from saves.logfile import lock_path
from tools.arena import ArenaResult

T = TypeVar("T")

_MAX_BYTES: Final = 1 << 16
"""Maximum length of a line in bytes."""


class ArenaSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings shared by all games in a file."""

    flagplot: Literal["arena"] = "arena"
    game: str
    edition: str
    rules: int
    """Version of the rules."""
    data: str
    """Digest of the game data."""
    options: Mapping[str, str]
    bots: tuple[str, ...]
    scenarios: tuple[str, ...]
    seed: int
    """The first seed."""
    steps: int = 0
    """Search steps per answer for bots that look ahead; 0 for the bot's default."""


_SETTINGS: Final = msgspec.json.Decoder(ArenaSettings)
_RESULT: Final = msgspec.json.Decoder(ArenaResult)


class ArenaFile:
    """Writes a result file and keeps it locked.

    If the file exists, the games of the interrupted run are loaded first.
    """

    def __init__(self, path: Path, settings: ArenaSettings) -> None:
        """Open or create a result file. An incomplete last line is removed. Its game will be played again.

        Raises:
            LogInUseError: Another arena is writing to the file.
            StorageError: The file cannot be locked.
            DataError: The file has different settings or is not a result file.
            OSError: The file cannot be read or written.
        """
        self._path = path
        self._lock = lock_path(path)
        self.stored_results: tuple[ArenaResult, ...] = ()
        """Games that the file already contained when it was opened."""
        try:
            self._load_or_start(settings)
            self._file = path.open("ab", buffering=0)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file and release its lock."""
        self._file.close()
        self._lock.release()

    def add(self, played: ArenaResult) -> None:
        """Append a finished game and sync it to disk."""
        write_all(FILES, self._file.fileno(), _encode_line(played))
        FILES.sync_data(self._file.fileno())

    def _load_or_start(self, settings: ArenaSettings) -> None:
        """Load the complete lines and remove the rest. If there is no complete line, write the header."""
        settings_line = _encode_line(settings)
        content = self._path.read_bytes() if self._path.exists() else b""
        complete_bytes = content.rfind(b"\n") + 1
        if not complete_bytes:
            # an interrupted run may have written only part of the header
            if not settings_line.startswith(content):
                raise DataError(str(self._path), "line 1", "this is not an arena result file")
            self._path.write_bytes(settings_line)
            return
        first_line, *lines = content[:complete_bytes].splitlines()
        self._check(self._read(_SETTINGS, first_line, 1), settings)
        self.stored_results = tuple(
            self._read(_RESULT, line, number) for number, line in enumerate(lines, 2)
        )
        if complete_bytes < len(content):
            os.truncate(self._path, complete_bytes)

    def _read(self, decoder: "msgspec.json.Decoder[T]", line: bytes, number: int) -> T:
        try:
            return decode(decoder, line, _MAX_BYTES)
        except UnreadableError as error:
            description = (
                "not an arena result file" if number == 1 else f"not the result of a game: {error}"
            )
            raise DataError(str(self._path), f"line {number}", f"this is {description}") from error

    def _check(self, stored: ArenaSettings, requested: ArenaSettings) -> None:
        for name in ArenaSettings.__struct_fields__:
            stored_value, requested_value = getattr(stored, name), getattr(requested, name)
            if stored_value != requested_value:
                raise DataError(
                    str(self._path),
                    name,
                    f"the file has {_settings_text(stored_value)}, not {_settings_text(requested_value)}",
                )


def _settings_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _encode_line(value: msgspec.Struct) -> bytes:
    return msgspec.json.encode(value) + b"\n"
