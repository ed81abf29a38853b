"""Per-match state saved next to the record: unrecorded clock time, and the roles that have joined or been reminded.

It is stored in a small file (``MATCH.table``). Losing this file loses no game data. The time since the last record is
charged to no one, and a player may get one extra reminder.
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
    """The contents of the file."""

    table: Literal[1] = 1
    """Format version."""
    seq: int = -1
    """Number of the last record at the time of writing."""
    spent: dict[Role, Milliseconds] = {}
    """Time spent since that record but not yet recorded."""
    joined: Roles = ()
    """Roles that have connected at least once."""
    reminded: Roles = ()
    """Roles that have been reminded of their current turn."""


_DECODER: Final = msgspec.json.Decoder(MatchState)


class MatchStateFile:
    """Reads and writes one table's file."""

    def __init__(self, path: Path) -> None:
        """Use this file."""
        self._path = path
        self._last_state: MatchState | None = None
        """The contents last read or written."""
        self._is_write_rejected = False

    def read(self) -> MatchState:
        """Read the file. If it is missing or unreadable, return the defaults. An unreadable file is also logged."""
        try:
            self._last_state = _DECODER.decode(read_file(self._path, _MAX_BYTES))
        except FileNotFoundError:
            return MatchState()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("table_not_read", file=self._path.name, error=type(error).__name__)
            return MatchState()
        return self._last_state

    def write(self, state: MatchState) -> Trouble:
        """Write the file if its contents have changed.

        Return the disk problem if the write fails, logging it only once.
        """
        if state == self._last_state or (
            self._last_state is None and state == MatchState(seq=state.seq)
        ):
            return ""
        try:
            replace_file(FILES, self._path, msgspec.json.encode(state))
        except OSError as error:
            if not self._is_write_rejected:
                log.warning("table_not_written", file=self._path.name, error=type(error).__name__)
            self._is_write_rejected = True
            return disk_trouble(error)
        self._last_state = state
        self._is_write_rejected = False
        return ""
