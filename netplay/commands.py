"""How the commands of seats become records at the host's table."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import msgspec

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.awaited import title_of, waits_for
from netplay.chance import HOLD_SECONDS, Chance, Toss
from netplay.cleaning import clean
from netplay.errors import ProtocolError, SeatRefusedError
from netplay.host_session import HostSession, Verdict, refuse
from netplay.ledger import Ledger
from netplay.messages import (
    PENDING,
    Accepted,
    Bye,
    Call,
    OpenLink,
    PostPart,
    Refused,
    Submit,
    Transcript,
)
from netplay.parley import HOST
from saves.decoding import decode
from saves.errors import (
    FairPlayError,
    LinksNeededError,
    MatchError,
    StaleCommandError,
    StorageError,
    UnreadableError,
)
from saves.protocol6.parties import Throw
from saves.records import Record
from saves.remarks import LIMIT

TOO_FAST: Final = "too-fast"
_REASONS: Final = 16
_OTHER_RULES: Final = (
    "the rules of this program refuse the command that waits for its chance; open the match with the version of the"
    " program under which it was given"
)
_ENDED: Final = "the match was ended while the command waited for its chance"


class Commands(Protocol):
    """Takes what seats send about commands.

    At most one command waits for what the seats must give; no other is taken then.
    """

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return whose part a command waits for; empty while none waits."""

    @property
    def late(self) -> tuple[Role, ...]:
        """Return who lets everybody wait, once that takes long."""

    @property
    def call(self) -> Call | None:
        """Return what every seat is asked for."""

    @property
    def owes_record(self) -> bool:
        """Return whether everything of a command is there, and the disk refused its record."""

    def blocked(self, role: Role, ask: object) -> str:
        """Return the code with which a request is refused as long as a command waits; empty where none does."""

    def waits(self) -> str:
        """Return in a sentence whose part a command waits for."""

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict | Toss:
        """Judge a command; where it needs what seats must give, it waits."""

    async def held(self, ask: Submit, toss: Toss) -> Verdict | Bye:
        """Wait until a command has its chance; its giver asks again when that takes long."""

    async def open(self, role: Role, note: OpenLink) -> None:
        """Take a seat's part of the chance that is called for; a repeat changes nothing.

        Raises:
            SeatRefusedError: It is not the one that was promised.
        """

    async def post(self, session: HostSession, role: Role, note: PostPart) -> Verdict:
        """Receive what the program of a seat sends in a match whose seats decide.

        Raises:
            ProtocolError: It is not a post of this seat.
            SeatRefusedError: The seat has sent too much that is refused.
        """

    def transcript(self, held: int, heard: int) -> Transcript | None:
        """Return what is new in the transcript for a seat that has so many bytes and texts; None without one."""

    async def settle(self) -> None:
        """Decide a command whose parts are all there; what the disk refuses is tried again."""

    def refresh(self) -> None:
        """Let everybody hear of it when somebody becomes late."""

    def close(self, reason: str) -> None:
        """Let nobody wait any more; the host that follows goes on with what is kept."""


class JudgedCommands:
    """The host judges each command by the full state.

    One that uses joint chance waits for the links of all parties.
    """

    def __init__(
        self, ledger: Ledger, path: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Go on with what waited at the host before this one.

        Args:
            ledger: The record of the match.
            path: The file of what waits.
            now: Seconds in which the host has run.

        Raises:
            StorageError: It cannot be read.
            DataError: It is damaged.
        """
        match = ledger.match
        self._ledger = ledger
        self._decoder = msgspec.msgpack.Decoder(match.ruleset.command_type)
        self.chance = Chance(match, path, now)
        self.owes_record = False
        self._late: tuple[Role, ...] = ()
        self._closing = ""
        ledger.listeners.append(self._look)
        if self.chance.toss is not None:
            ledger.clocks.pause()

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return whose links a command waits for."""
        return self.chance.missing

    @property
    def late(self) -> tuple[Role, ...]:
        """Return who lets everybody wait, once that takes long; nobody where the disk does."""
        return () if self._ledger.disk_state.trouble else self.chance.late

    @property
    def call(self) -> Call | None:
        """Return what every seat is asked for."""
        call = self.chance.call
        return None if call is None else Call(throw=call.throw, waiting_for=self.late)

    def refresh(self) -> None:
        """Let everybody hear of it when somebody becomes late."""
        if self.late != self._late:
            self._late = self.late
            self._ledger.bell.touch()

    def waits(self) -> str:
        """Return for whom the match waits, or that its disk refuses."""
        match, state = self._ledger.match, self._ledger.disk_state
        if state.trouble:
            return state.refusal
        return f"the game {waits_for(match.ruleset, match.header, self.missing)}"

    def blocked(self, role: Role, ask: object) -> str:
        """Return the code with which a request is refused as long as a command waits; empty for that command again."""
        toss = self.chance.toss
        if toss is None or (isinstance(ask, Submit) and toss.is_of(role, ask)):
            return ""
        return "unavailable" if toss.is_late else "stale"

    # -- judging

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict | Toss:
        """Judge a command; where it needs joint chance, it waits."""
        if self.chance.toss is not None:
            return self.chance.toss  # else it was refused
        if not session.in_step:
            return refuse(ask.request_id, "unavailable", "the views differ; catch up first")
        try:
            command: Command = decode(self._decoder, ask.command, len(ask.command))
            record = await self._judged(role, command, ask)
        except LinksNeededError as error:
            return await self.begin(ask, error.throw)
        except FairPlayError as error:
            return _refuse_illegal(session, ask, str(error))
        except StaleCommandError as error:
            return refuse(ask.request_id, "stale", str(error))
        except UnreadableError as error:
            return _refuse_illegal(session, ask, f"not a command of this game: {error}")
        except IllegalCommandError as error:
            return _refuse_illegal(session, ask, str(error), error)
        except MatchError as error:
            return refuse(ask.request_id, "unavailable", str(error))
        except StorageError as error:
            return self._refused_by_disk(role, ask, error)
        self._ledger.journal.info("command", role=role, seq=record.seq, events=len(record.events))
        await self._ledger.grown(role)
        return Accepted(request_id=ask.request_id, seq=record.seq)

    async def _judged(self, role: Role, command: Command, ask: Submit) -> Record:
        """Return the record of a command; a remark stands before it, after one that is signed for its own place."""
        ledger = self._ledger
        match = ledger.match
        draft = match.draft_command(role, command, ask.expected_seq, ask.signature)
        remark = clean(ask.remark, LIMIT)
        is_joint = match.pledges.is_joint
        if remark and not is_joint:
            said = await ledger.keep(match.draft_remark(remark, role))
            draft = match.draft_command(role, command, said.seq)
        spent = ledger.clocks.spent()
        record = await ledger.keep(draft)
        await ledger.charge(role, spent)
        if remark and is_joint:
            await ledger.remark(role, remark)
        return record

    def _refused_by_disk(self, role: Role, ask: Submit, error: StorageError) -> Refused:
        self._ledger.journal.error(
            "submit_failed", role=role, seq=self._ledger.match.seq, error=str(error)
        )
        return refuse(ask.request_id, "unavailable", self._ledger.disk_state.refusal)

    # -- chance of all parties

    async def begin(self, ask: Submit, throw: Throw) -> Toss | Refused:
        """Let every party open its link for a command that needs chance."""
        ledger = self._ledger
        try:
            kept = await ledger.on_disk(self.chance.keep, throw, ask)
        except StorageError as error:
            return self._refused_by_disk(throw.role, ask, error)
        toss = self.chance.begin(kept)
        ledger.clocks.pause()
        ledger.parley.deny("the game went on")
        ledger.bell.touch()
        return toss

    async def held(self, ask: Submit, toss: Toss) -> Verdict | Bye:
        """Wait until a command has its chance; its giver asks again when that takes long."""
        done, _ = await asyncio.wait([toss.done], timeout=HOLD_SECONDS)
        if not done:
            return refuse(ask.request_id, PENDING, self.waits())
        if toss.done.cancelled():
            return Bye(reason=self._closing, again=True)
        seq = toss.done.result()
        if seq is None:
            return refuse(ask.request_id, "unavailable", _ENDED)
        return Accepted(request_id=ask.request_id, seq=seq)

    async def open(self, role: Role, note: OpenLink) -> None:
        """Take a seat's part of the chance that is called for; a repeat changes nothing.

        Raises:
            SeatRefusedError: It is not the one that was promised.
        """
        ledger, toss = self._ledger, self.chance.toss
        if toss is None or toss.throw.index != note.index:
            return
        try:
            is_last = self.chance.take(role, note.link)
        except FairPlayError as error:
            ledger.journal.error("wrong_link", role=role, seq=toss.throw.seq)
            if role not in toss.accused:
                toss.accused.add(role)
                ledger.parley.say(HOST, f"{title_of(ledger.match.ruleset, role)}: {error}")
            raise SeatRefusedError(str(error), logged="a wrong part of the chance") from error
        if is_last:
            await self.settle()

    async def post(self, session: HostSession, role: Role, note: PostPart) -> Verdict:
        """Refuse: the host decides here.

        Raises:
            ProtocolError: Always.
        """
        raise ProtocolError("the host of this match decides its commands")

    def transcript(self, held: int, heard: int) -> Transcript | None:
        """Return None: the throw says everything about a command that waits."""
        return None

    async def settle(self) -> None:
        """Decide a command now that all its links are there; what the disk refuses is tried again."""
        ledger, toss = self._ledger, self.chance.toss
        if toss is None or self.chance.missing:
            return
        throw, links = toss.throw, self.chance.links
        role = throw.role
        command: Command = decode(self._decoder, toss.command, len(toss.command))
        spent = ledger.clocks.spent()
        try:
            record = await ledger.keep(
                ledger.match.draft_command(role, command, throw.seq - 1, toss.signature, links)
            )
        except StorageError as error:
            ledger.journal.error("toss_failed", role=role, seq=throw.seq, error=str(error))
            self.owes_record = True
            return
        except (IllegalCommandError, MatchError) as error:  # by other rules than it was given under
            ledger.journal.error("toss_refused", role=role, seq=throw.seq, error=str(error))
            ledger.parley.say(HOST, _OTHER_RULES)
            return
        self.owes_record = False
        ledger.journal.info("command", role=role, seq=record.seq, events=len(record.events))
        await ledger.charge(role, spent)
        remark = clean(toss.remark, LIMIT)
        if remark:
            await ledger.remark(role, remark)
        self._end(record.seq)
        await ledger.grown(role)

    def _end(self, seq: int | None) -> None:
        self.chance.end(seq)
        self._late = ()
        self._ledger.bell.touch()

    def _look(self) -> None:
        """Let go of a command whose place an ending has taken, and of the file of a match that is over."""
        match, toss = self._ledger.match, self.chance.toss
        if toss is not None and match.seq >= toss.throw.seq:
            self._ledger.journal.info("toss_dropped", role=toss.throw.role, seq=toss.throw.seq)
            self.owes_record = False
            self._end(None)
        if match.is_revealed:
            self.chance.forget()

    def close(self, reason: str) -> None:
        """Let nobody wait any more; the host that follows goes on with what is kept."""
        self._closing = reason
        self.chance.close()


def _refuse_illegal(
    session: HostSession,
    ask: Submit,
    text: str,
    error: IllegalCommandError | None = None,
) -> Refused:
    if not session.allowance.illegal.take():
        session.allowance.offend()
        return refuse(ask.request_id, TOO_FAST, "too many illegal commands")
    reasons = () if error is None else error.refusals[:_REASONS]
    return Refused(request_id=ask.request_id, code="illegal", text=text[:900], refusals=reasons)
