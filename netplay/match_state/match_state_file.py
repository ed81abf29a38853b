"""Saves unrecorded clock time, and the roles that have joined or been reminded.

The state is stored in a small file next to the record (``MATCH.table``). If the file is lost, no game data is lost. In
that case, no player is charged for the time since the last record, and a player may receive one extra reminder.
"""

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
import structlog

from engine.kernel.ids import Role
from saves.disk_trouble import Trouble, disk_trouble
from saves.files import FILES, read_file, replace_file
from saves.statements import Milliseconds

log = structlog.get_logger()

SUFFIX: Final = ".table"
_MAX_BYTES: Final = 16_384

Roles = Annotated[tuple[Role, ...], msgspec.Meta(max_length=32)]


class MatchState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the file."""

    table: Literal[1] = 1
    """Version of the file format."""
    seq: int = -1
    """Number of the last record when the file was written."""
    spent: dict[Role, Milliseconds] = {}
    """Unrecorded time in milliseconds that each role has spent since the last record."""
    joined: Roles = ()
    """Roles that have connected at least once."""
    reminded: Roles = ()
    """Roles that have been reminded of their current turn."""


_DECODER: Final = msgspec.json.Decoder(MatchState)


class MatchStateFile:
    """Reads and writes the state file of one match."""

    def __init__(self, path: Path) -> None:
        """Set the path without reading the file."""
        self._path = path
        self._last_state: MatchState | None = None
        """The content that was last read or written."""
        self._is_write_rejected = False

    def read(self) -> MatchState:
        """Read the file. If it is missing or unreadable, return the defaults. An unreadable file is also logged."""
        try:
            self._last_state = _DECODER.decode(read_file(self._path, _MAX_BYTES))
        except FileNotFoundError:
            return MatchState()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("match_state_read_failed", file=self._path.name, error=type(error).__name__)
            return MatchState()
        return self._last_state

    def write(self, state: MatchState) -> Trouble:
        """Write the file if its content has changed.

        Return the disk problem if the write fails, otherwise an empty string. Repeated failures are logged only once.
        """
        # A match without clocks or reminders never needs a file.
        if state == self._last_state or (
            self._last_state is None and state == MatchState(seq=state.seq)
        ):
            return ""
        try:
            replace_file(FILES, self._path, msgspec.json.encode(state))
        except OSError as error:
            if not self._is_write_rejected:
                log.warning(
                    "match_state_save_failed", file=self._path.name, error=type(error).__name__
                )
            self._is_write_rejected = True
            return disk_trouble(error)
        self._last_state = state
        self._is_write_rejected = False
        return ""
