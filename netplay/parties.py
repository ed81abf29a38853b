"""The private side of a seat in a match with joint chance: its seed, and for which throw it gave its last link away.

Both stand in a file of the player alone (``MATCH.SEAT.party``, mode 0600), and what is given away stands there before
it is sent. Whoever goes on with the seat needs the file: nobody else has its key and its links.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.errors import FoulPlayError, SeatRefusedError
from saves.chain import first_chain, throw_of
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file
from saves.headers import Header
from saves.protocol6.keys import PartyKeys, new_seed
from saves.protocol6.links import SEED_BYTES
from saves.protocol6.parties import Party, Throw
from saves.records import HASH_BYTES, NOBODY, Record

SUFFIX: Final = ".party"
_MOST_BYTES: Final = 1 << 20
_MOST_COMMANDS: Final = 32
"""Commands kept for one record: a program that was started again may have given another one before."""


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
    seq: int = -1
    """In a fair match: the record for which commands were given last ..."""
    commands: tuple[bytes, ...] = ()
    """... and all of these, of which the host has at most one."""
    step: int = -1
    """Number of the last step about cards that was said ..."""
    before: bytes = b""
    """... and the hash of all steps before it."""


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
        """Return what this seat promises where the host deals the cards.

        Raises:
            StorageError: The disk refused.
        """
        return self.promised()

    def promised(self, *, deals: bool = False) -> Party:
        """Return what this seat promises.

        Args:
            deals: Whether the seats deal the cards among themselves.

        Raises:
            StorageError: The disk refused.
        """
        return self.keys.party(self._match, self._role, deals=deals)

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
        if ours is None:
            raise SeatRefusedError(_NO_PARTY)
        if self._kept is None or ours != self.promised(deals=ours.cards is not msgspec.UNSET):
            raise SeatRefusedError(_NO_KEYS)
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

    # -- fair matches

    def give(self, seq: int, command: bytes) -> None:
        """Keep a command before anybody hears of it, because only its giver can decide it.

        Args:
            seq: Number that its record would have.
            command: The command in MessagePack.

        Raises:
            StorageError: The disk refused.
        """
        kept = self._kept
        assert kept is not None, "the seat has enrolled"
        known = kept.commands if kept.seq == seq else ()
        if command not in known:
            commands = (*known, command)[-_MOST_COMMANDS:]
            self._keep(msgspec.structs.replace(kept, seq=seq, commands=commands))

    def given(self, seq: int) -> tuple[bytes, ...]:
        """Return the commands that were given for a record."""
        kept = self._kept
        return kept.commands if kept is not None and kept.seq == seq else ()

    def say(self, step: int, before: bytes, at: Callable[[int], bytes | None]) -> None:
        """Keep that this seat says a step about cards, which it says after one history only.

        Args:
            step: Its number.
            before: Hash of all steps before it.
            at: Returns the hash of all steps before an earlier number.

        Raises:
            FoulPlayError: The host tells another history than the one after which this seat has spoken.
            StorageError: The disk refused.
        """
        kept = self._kept
        assert kept is not None, "the seat has enrolled"
        if step < kept.step or (kept.before and at(kept.step) != kept.before):
            raise FoulPlayError(
                f"the host tells step {kept.step} of the cards otherwise than before:"
                " this seat has answered it already"
            )
        if step > kept.step:
            self._keep(msgspec.structs.replace(kept, step=step, before=before))

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
