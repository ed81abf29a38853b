"""Commands of a fair match at its host: givers decide, everybody deals, and the host keeps what comes of it."""

from typing import Any, Final, NoReturn

from engine.kernel.ids import Role
from netplay.awaited import title_of, waits_for
from netplay.chance import Toss
from netplay.cleaning import clean
from netplay.errors import ProtocolError, SeatRefusedError
from netplay.host_session import HostSession, Verdict, refuse
from netplay.ledger import Ledger
from netplay.messages import (
    Accepted,
    ActPart,
    Begin,
    Bye,
    Call,
    OpenLink,
    PendingPart,
    Submit,
    decode_deed,
)
from netplay.parley import HOST
from netplay.underway import Underway
from saves.blind import BlindMatch
from saves.errors import (
    BrokenChainError,
    FairPlayError,
    MatchError,
    StaleCommandError,
    StorageError,
    UnreadableError,
)
from saves.protocol6.pending import Acts
from saves.records import MAX_RECORD_BYTES
from saves.remarks import LIMIT

_DECIDED: Final = "who gives a command in this match decides it; this program does not"
_FALSE: Final = "what was dealt and decided does not make a record"


class Deeds:
    """Puts together what seats do, which may be longer than a message."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._parts: dict[Role, bytearray] = {}

    def whole(self, role: Role, note: ActPart) -> Begin | Acts | None:
        """Return what a seat does once its last piece is there.

        Raises:
            ProtocolError: It is too long, not the next piece, or nothing of the kind.
        """
        part = self._parts.setdefault(role, bytearray())
        if not note.offset:
            part.clear()
        if note.offset != len(part) or note.total > MAX_RECORD_BYTES:
            raise ProtocolError("a piece comes that does not follow")
        part += note.data
        if len(part) < note.total:
            return None
        del self._parts[role]
        return decode_deed(bytes(part))


class DealtCommands:
    """Takes what the seats of a fair match do about a command, one command after the other."""

    def __init__(self, ledger: Ledger, underway: Underway) -> None:
        """Go on with what was under way at the host before this one.

        Args:
            ledger: The record of the match.
            underway: The command under way.
        """
        self._ledger = ledger
        self._match: BlindMatch[Any] = underway.match
        self._underway = underway
        self._deeds = Deeds()
        self._late: tuple[Role, ...] = ()
        self._is_false = False
        """Whether what is under way can never become a record."""
        ledger.listeners.append(self._look)
        if underway.pending is not None:
            ledger.clocks.pause()

    # -- how it stands

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return whom a command waits for, or after the end the secrets."""
        match = self._match
        if match.outcome is not None and not match.is_revealed:
            return tuple(match.unopened)
        return self._underway.due

    @property
    def late(self) -> tuple[Role, ...]:
        """Return who lets everybody wait, once that takes long; nobody where the disk does."""
        if self._ledger.disk_state.trouble:
            return ()
        is_ended = self._match.outcome is not None
        return self.missing if is_ended or self._underway.is_late else ()

    @property
    def call(self) -> Call | None:
        """Return the chance that is called for."""
        call = self._underway.call
        if call is not None and self._ledger.disk_state.trouble:
            return Call(throw=call.throw)
        return call

    @property
    def owes_record(self) -> bool:
        """Return whether the disk refused what everybody has done."""
        is_due = self._match.is_complete and not self._is_false
        return is_due or not self._underway.is_kept

    def part(self, role: Role | None, held: int) -> PendingPart | None:
        """Return the next piece of what was said about the next record, None where nothing is new."""
        return self._underway.part(role, held)

    def refresh(self) -> None:
        """Let everybody hear of it when somebody becomes late."""
        if self.late != self._late:
            self._late = self.late
            self._ledger.bell.touch()

    def waits(self) -> str:
        """Return for whom the match waits, or that its disk refuses."""
        if self._ledger.disk_state.trouble:
            return self._ledger.disk_state.refusal
        return f"the game {waits_for(self._match.ruleset, self._match.header, self.missing)}"

    def blocked(self, role: Role, ask: object) -> str:
        """Return the code with which a request is refused as long as a command is under way; empty where none is."""
        if self._underway.pending is None:
            return ""
        return "unavailable" if self._underway.is_late else "stale"

    # -- requests

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict | Toss:
        """Refuse: the host decides nothing here."""
        return refuse(ask.request_id, "unavailable", _DECIDED)

    async def held(self, ask: Submit, toss: Toss) -> Verdict | Bye:
        """Refuse: the host decides nothing here."""
        return refuse(ask.request_id, "unavailable", _DECIDED)

    async def open(self, role: Role, note: OpenLink) -> None:
        """Take a seat's part of the chance that is called for; a repeat changes nothing.

        Raises:
            SeatRefusedError: It is not the one that was promised.
        """
        pending = self._underway.pending
        throw = None if pending is None else pending.throw
        if throw is None or throw.index != note.index:
            return
        try:
            is_last = self._underway.open(role, note.link)
        except FairPlayError as error:
            self._accuse(role, error)
        if is_last:
            await self.settle()

    async def act(self, session: HostSession, role: Role, note: ActPart) -> Verdict:
        """Take what a seat does; a repeat, or what comes too late, changes nothing.

        Raises:
            ProtocolError: It is nothing of the kind.
            SeatRefusedError: No honest program does it.
        """
        deed, ledger = self._deeds.whole(role, note), self._ledger
        is_done = Accepted(request_id=note.request_id, seq=self._match.seq)
        if isinstance(deed, Begin):
            problem = self._begin(session, role, note.request_id, deed)
            if problem is not None:
                return problem
        elif deed is not None:
            try:
                if not self._underway.take(role, deed.acts):
                    return is_done
            except FairPlayError as error:
                self._accuse(role, error)
        else:
            return is_done
        await self.settle()
        if self._underway.is_kept or self._is_false:
            return is_done
        ledger.journal.error("act_not_kept", role=role, seq=self._match.seq)
        return refuse(note.request_id, "unavailable", ledger.disk_state.refusal)

    def _begin(
        self, session: HostSession, role: Role, request_id: str, begin: Begin
    ) -> Verdict | None:
        """Begin a command; returns the refusal, or the answer to a repeat."""
        underway, pending, ledger = self._underway, self._underway.pending, self._ledger
        if pending is not None:
            given = pending.command
            if (
                pending.role == role
                and given is not None
                and given.commitment == begin.command.commitment
            ):
                return Accepted(request_id=request_id, seq=self._match.seq)
            return refuse(request_id, self.blocked(role, begin), self.waits())
        if not session.in_step:
            return refuse(request_id, "unavailable", "the views differ; catch up first")
        try:
            underway.begin(role, begin)
        except StaleCommandError as error:
            return refuse(request_id, "stale", str(error))
        except FairPlayError as error:
            return refuse(request_id, "illegal", str(error))
        except MatchError as error:
            return refuse(request_id, "unavailable", str(error))
        ledger.clocks.pause()
        ledger.parley.deny("the game went on")
        try:
            underway.take(role, begin.acts)
        except FairPlayError as error:
            self._accuse(role, error)
        return None

    def _accuse(self, role: Role, error: FairPlayError) -> NoReturn:
        """Tell everybody once that a seat did what no honest program does, and end its connection.

        Raises:
            SeatRefusedError: Always.
        """
        ledger, accused = self._ledger, self._underway.accused
        ledger.journal.error("foul_play", role=role, seq=self._match.seq, error=error.problem)
        if role not in accused:
            accused.add(role)
            ledger.parley.say(HOST, f"{title_of(self._match.ruleset, role)}: {error}")
        raise SeatRefusedError(str(error), logged="what no honest program does") from error

    # -- records

    async def settle(self) -> None:
        """Keep what was done, as a record where nothing is missing; what the disk refuses is tried again."""
        if self._is_false or self._underway.pending is None:
            return
        if self._match.is_complete:
            await self._record()
        elif not self._underway.is_kept:
            await self._keep()

    async def _keep(self) -> None:
        """Let the disk have what was said, and then everybody."""
        underway, ledger = self._underway, self._ledger
        count, data = underway.draft()
        try:
            await ledger.on_disk(underway.write, data)
        except StorageError as error:
            ledger.journal.error("pending_not_kept", seq=self._match.seq, error=str(error))
            return
        underway.kept(count)
        ledger.bell.touch()

    async def _record(self) -> None:
        ledger, match = self._ledger, self._match
        pending = self._underway.pending
        assert pending is not None, "it is complete"
        role, remark = pending.role, clean(self._underway.remark, LIMIT)
        spent = ledger.clocks.spent()
        try:
            record = await ledger.keep(match.draft_pending())
        except StorageError as error:
            ledger.journal.error("record_not_kept", role=role, seq=pending.seq, error=str(error))
            return
        except (FairPlayError, BrokenChainError, UnreadableError) as error:
            ledger.journal.error("record_false", role=role, seq=pending.seq, error=str(error))
            ledger.parley.say(HOST, f"{_FALSE}: {error}")
            self._is_false = True
            return
        self._end()
        ledger.journal.info("command", role=role, seq=record.seq, events=len(record.events))
        await ledger.charge(role, spent)
        if remark:
            await ledger.remark(role, remark)
        ledger.bell.touch()
        await ledger.grown(role)

    def _end(self) -> None:
        self._underway.end()
        self._is_false = False
        self._late = ()

    def _look(self) -> None:
        """Let go of a command whose place an ending has taken, and of the file of a match that is over."""
        match, pending = self._match, self._underway.pending
        is_replaced = pending is not None and match.seq >= pending.seq
        if is_replaced or match.terms.ending is not None:
            self._end()
            self._ledger.bell.touch()
        if match.is_revealed:
            self._underway.remove()

    # -- the end

    async def open_seed(self, role: Role, seed: bytes) -> None:
        """Take a seat's card seed after the end; with the last one the secret is shown.

        Raises:
            SeatRefusedError: It is not the one that was promised.
        """
        try:
            is_new = self._match.take_seed(role, seed)
        except FairPlayError as error:
            self._accuse(role, error)
        if is_new:
            await self._ledger.reveal()
            self._ledger.bell.touch()

    def close(self, reason: str) -> None:
        """Let go; the host that follows goes on with what is kept."""
