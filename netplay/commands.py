"""How the commands of seats become records at the host's table."""

from typing import Final, Protocol

import msgspec

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.cleaning import clean
from netplay.errors import ProtocolError
from netplay.host_session import HostSession, Verdict, refuse
from netplay.ledger import Ledger
from netplay.messages import Accepted, PostPart, Refused, Submit, Transcript
from saves.decoding import decode
from saves.errors import (
    MatchError,
    StaleCommandError,
    StorageError,
    UnreadableError,
)
from saves.records import Record
from saves.remarks import LIMIT

TOO_FAST: Final = "too-fast"
_REASONS: Final = 16


class Commands(Protocol):
    """Receives what seats send about commands.

    At most one command waits for messages of the seats; no other is accepted meanwhile.
    """

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats whose messages a command waits for; empty if none waits."""

    @property
    def late(self) -> tuple[Role, ...]:
        """Return the seats that delay the match, once that takes long."""

    @property
    def may_stop(self) -> bool:
        """Return whether no message has arrived for so long that a seat may stop the match."""

    @property
    def owes_record(self) -> bool:
        """Return whether everything of a command is there, and the disk refused its record."""

    def blocked(self, role: Role) -> str:
        """Return the code with which a request is refused while a command waits; empty if none does."""

    def waits(self) -> str:
        """Return in a sentence which seats a command waits for."""

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict:
        """Decide a command."""

    async def post(self, session: HostSession, role: Role, note: PostPart) -> Verdict:
        """Receive what the program of a seat sends in a match with a transcript.

        Raises:
            ProtocolError: It is not a post of this seat.
        """

    def transcript(self, held: int, heard: int) -> Transcript | None:
        """Return what is new in the transcript for a seat that has so many bytes and texts; None without one."""

    async def settle(self) -> None:
        """Store what is complete; what the disk refuses is tried again."""

    def refresh(self) -> None:
        """Tell everyone when a seat begins to delay the match."""

    def close(self, reason: str) -> None:
        """Release the files; the next host continues with what is stored."""


class JudgedCommands:
    """The host decides each command on the full state, with the chance of its secret."""

    missing: tuple[Role, ...] = ()
    late: tuple[Role, ...] = ()
    may_stop = False
    owes_record = False

    def __init__(self, ledger: Ledger) -> None:
        """Begin with the record of a match."""
        self._ledger = ledger
        self._decoder = msgspec.msgpack.Decoder(ledger.match.ruleset.command_type)

    def refresh(self) -> None:
        """Do nothing: no command waits for a seat."""

    def waits(self) -> str:
        """Return an empty sentence: no command waits for a seat."""
        return ""

    def blocked(self, role: Role) -> str:
        """Return an empty code: no command waits for a seat."""
        del role
        return ""

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict:
        """Decide a command."""
        if not session.in_step:
            return refuse(ask.request_id, "unavailable", "the views differ; catch up first")
        try:
            command: Command = decode(self._decoder, ask.command, len(ask.command))
            record = await self._judged(role, command, ask)
        except StaleCommandError as error:
            return refuse(ask.request_id, "stale", str(error))
        except UnreadableError as error:
            return _refuse_illegal(session, ask, f"not a command of this game: {error}")
        except IllegalCommandError as error:
            return _refuse_illegal(session, ask, str(error), error)
        except MatchError as error:
            return refuse(ask.request_id, "unavailable", str(error))
        except StorageError as error:
            ledger = self._ledger
            ledger.journal.error("submit_failed", role=role, seq=ledger.match.seq, error=str(error))
            return refuse(ask.request_id, "unavailable", ledger.disk_state.refusal)
        self._ledger.journal.info("command", role=role, seq=record.seq, events=len(record.events))
        await self._ledger.grown(role)
        return Accepted(request_id=ask.request_id, seq=record.seq)

    async def _judged(self, role: Role, command: Command, ask: Submit) -> Record:
        """Return the record of a command, after a record of its remark."""
        ledger = self._ledger
        match = ledger.match
        draft = match.draft_command(role, command, ask.expected_seq)
        remark = clean(ask.remark, LIMIT)
        if remark:
            said = await ledger.keep(match.draft_remark(remark, role))
            draft = match.draft_command(role, command, said.seq)
        spent = ledger.clocks.spent()
        record = await ledger.keep(draft)
        await ledger.charge(role, spent)
        return record

    async def post(self, session: HostSession, role: Role, note: PostPart) -> Verdict:
        """Refuse: the host decides here.

        Raises:
            ProtocolError: Always.
        """
        raise ProtocolError("the host of this match decides its commands")

    def transcript(self, held: int, heard: int) -> Transcript | None:
        """Return None: there is no transcript."""
        del held, heard
        return None  # a value of the interface

    async def settle(self) -> None:
        """Do nothing: each command is decided at once."""

    def close(self, reason: str) -> None:
        """Do nothing: there are no files."""


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
