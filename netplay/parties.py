"""The private side of a seat in a match with joint chance: its seed, and for which throw it gave its last link away.

Both stand in a file of the player alone (``MATCH.SEAT.party``, mode 0600), and what is given away stands there before
it is sent. Whoever goes on with the seat needs the file: nobody else has its key and its links.
"""

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.errors import FoulPlayError, SeatRefusedError
from saves.errors import StorageError
from saves.fair.keys import PartyKeys, new_seed
from saves.fair.links import SEED_BYTES
from saves.fair.parties import Party, Throw
from saves.files import FILES, read_file, replace_file
from saves.records import HASH_BYTES, NOBODY, Header, Record, first_chain, throw_of

SUFFIX: Final = ".party"
_MOST_BYTES: Final = 16_384


class _Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file holds."""

    flagplot_party: Literal[1] = 1
    match: str
    role: str
    seed: Annotated[bytes, msgspec.Meta(min_length=SEED_BYTES, max_length=SEED_BYTES)]
    header: Annotated[bytes, msgspec.Meta(max_length=HASH_BYTES)] = b""
    """Chain value of the header to which this seat has agreed; empty before there was one."""
    throw: Throw | None = None
    """The last one for which a link was given away."""


class SeatParty:
    """The secrets of one seat in one match."""

    def __init__(self, path: Path | None, match: str, role: Role) -> None:
        """Read what is there.

        Args:
            path: The file; None keeps everything in memory.
            match: Id of the match.
            role: Whose it is.

        Raises:
            DataError: The file is damaged, or of another seat.
            StorageError: It cannot be read.
        """
        self._path = path
        self._match = match
        self._role = role
        self._kept = self._read()
        self._keys: PartyKeys | None = None

    def _read(self) -> _Kept | None:
        if self._path is None:
            return None
        try:
            kept = msgspec.json.decode(read_file(self._path, _MOST_BYTES), type=_Kept)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot read {self._path}: {reason}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DataError(str(self._path), "", "the keys of this seat are damaged") from error
        if (kept.match, kept.role) != (self._match, self._role):
            raise DataError(str(self._path), "", "these are the keys of another seat")
        return kept

    def _keep(self, kept: _Kept) -> None:
        """Write what the disk must have before anything is sent."""
        if self._path is not None:
            try:
                replace_file(FILES, self._path, msgspec.json.encode(kept))
            except OSError as error:
                reason = error.strerror or error
                raise StorageError(f"cannot keep {self._path}: {reason}") from error
        self._kept = kept

    @property
    def keys(self) -> PartyKeys:
        """Return the keys of this seat, made at the first call of all.

        Raises:
            StorageError: The disk refused.
        """
        if self._keys is None:
            kept = self._kept
            if kept is None:
                seed = new_seed()
                kept = _Kept(match=self._match, role=self._role, seed=seed)
                self._keep(kept)
            self._keys = PartyKeys(kept.seed)
        return self._keys

    @property
    def party(self) -> Party:
        """Return what this seat promises.

        Raises:
            StorageError: The disk refused.
        """
        return self.keys.party(self._match, self._role)

    def check_header(self, header: Header) -> None:
        """Accept a header of the match in which this seat has the keys that are here.

        Raises:
            FoulPlayError: It is another one than that to which this seat agreed.
            SeatRefusedError: The seat has other keys.
        """
        parties = header.parties
        if parties is msgspec.UNSET:
            if self._kept is not None:
                raise FoulPlayError("the host has taken joint chance out of this match")
            return
        ours = next((party for party in parties if party.role == self._role), None)
        if self._kept is None or ours != self.party:
            raise SeatRefusedError(_NO_KEYS if ours is not None else _NO_PARTY)
        if self._kept.header not in {b"", first_chain(header)}:
            raise FoulPlayError("the host has changed who takes part in this match")

    def agree(self, header: Header) -> None:
        """Agree to the header of a match that begins.

        Raises:
            FoulPlayError: It is another one than that to which this seat agreed.
            SeatRefusedError: The seat has other keys.
            StorageError: The disk refused.
        """
        self.check_header(header)
        kept, chain = self._kept, first_chain(header)
        assert kept is not None, "the header has the keys of this seat"
        if kept.header != chain:
            self._keep(msgspec.structs.replace(kept, header=chain))

    def promise(self, throw: Throw) -> bytes:
        """Return the link for a throw, and give none of its number away for any other.

        That the throw is the next one of this copy, its owner has checked.

        Raises:
            FoulPlayError: The host asked for this link before, for something else.
            StorageError: The disk refused.
        """
        kept = self._kept
        assert kept is not None, "the seat has enrolled"
        before = kept.throw
        is_again = (
            before is not None and min(throw.index - before.index, throw.seq - before.seq) <= 0
        )
        if is_again and before != throw:
            raise FoulPlayError(
                f"the host asked for a second throw of record {throw.seq}:"
                " this seat had opened its part of the chance for another one"
            )
        if before != throw:
            self._keep(msgspec.structs.replace(kept, throw=throw))
        return self.keys.link(throw.index)

    def check_record(self, record: Record, before: Record | None = None) -> None:
        """Accept a record that is the one for which this seat gave its link away, if it did so for this number.

        The match may have ended instead: an ending takes the place of the record, or the time that is up and then its
        ending. Nothing with chance can follow, so that the link is used for nothing else.

        Args:
            record: The next record.
            before: The one before it, if there is one.

        Raises:
            FoulPlayError: It is another one.
        """
        throw = None if self._kept is None else self._kept.throw
        if throw is None:
            return
        if record.seq == throw.seq:
            if record.links is msgspec.UNSET:
                is_fair = record.kind == "ending" or _is_time_up(record)
            else:
                is_fair = throw_of(record, throw.index) == throw
        elif before is not None and before.seq == throw.seq and _is_time_up(before):
            is_fair = record.kind == "ending"
        else:
            return
        if not is_fair:
            raise FoulPlayError(
                f"record {record.seq} is not the one for which this seat opened its part of the chance:"
                " the host has put another one in its place"
            )


def _is_time_up(record: Record) -> bool:
    """Return whether a record tells the time of nobody's command, as the one before an ending by time does."""
    return record.kind == "clock" and record.role == NOBODY


_NO_KEYS: Final = (
    "this seat was taken with keys that are not here: go on where it was taken first,"
    f" or bring its {SUFFIX} file from there"
)
_NO_PARTY: Final = "this seat has no part in the chance of this match"
