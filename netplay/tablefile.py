"""What a host knows of a table beside its record, kept over its restarts: time that runs, and who was there and called.

It stands in a small file beside the record (``MATCH.table``). Without it nothing of the game is lost: time since the
last record counts for nobody then, and a player may be called once more.
"""

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
import structlog

from engine.kernel.ids import Role
from saves.disk import Trouble, trouble_of
from saves.files import FILES, read_file, replace_file
from saves.statements import Milliseconds

log = structlog.get_logger()

SUFFIX: Final = ".table"
_MOST_BYTES: Final = 16_384

Roles = Annotated[tuple[Role, ...], msgspec.Meta(max_length=32)]


class Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is kept of a table."""

    table: Literal[1] = 1
    """Number of this format."""
    seq: int = -1
    """Last record when it was written."""
    spent: dict[Role, Milliseconds] = {}
    """Time after that record which no record has yet."""
    joined: Roles = ()
    """Roles that were here at least once."""
    reminded: Roles = ()
    """Roles that were called to the turn that they have now."""


_DECODER: Final = msgspec.json.Decoder(Kept)


class TableFile:
    """The file of one table."""

    def __init__(self, path: Path) -> None:
        """Read and write this file."""
        self._path = path
        self._last: Kept | None = None
        """What the disk has."""
        self._is_refused = False

    def read(self) -> Kept:
        """Return what is kept; a file that cannot be read is logged, and nothing is known."""
        try:
            self._last = _DECODER.decode(read_file(self._path, _MOST_BYTES))
        except FileNotFoundError:
            return Kept()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("table_not_read", file=self._path.name, error=type(error).__name__)
            return Kept()
        return self._last

    def write(self, kept: Kept) -> Trouble:
        """Keep what is new, and return what is wrong with a disk that refuses; that is logged once."""
        if kept == self._last or (self._last is None and kept == Kept(seq=kept.seq)):
            return ""
        try:
            replace_file(FILES, self._path, msgspec.json.encode(kept))
        except OSError as error:
            if not self._is_refused:
                log.warning("table_not_written", file=self._path.name, error=type(error).__name__)
            self._is_refused = True
            return trouble_of(error)
        self._last = kept
        self._is_refused = False
        return ""
