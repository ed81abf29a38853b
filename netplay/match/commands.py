"""Turns the seats' commands into records."""

from typing import Final, Protocol

import msgspec

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.feed.host_session import HostSession, Verdict, refuse
from netplay.match_state.match_recorder import MatchRecorder
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import Accepted, PostPart, Refused, Submit, Transcript
from netplay.wire.sanitising import clean
from saves.decoding import decode
from saves.errors import MatchError, StaleCommandError, StorageError, UnreadableError
from saves.records import Record
from saves.remarks import LIMIT

TOO_FAST: Final = "too-fast"
_REASONS: Final = 16


class Commands(Protocol):
    """Handles the seats' messages about commands.

    Only one command at a time can be waiting for the seats' messages, and no other command is accepted meanwhile.
    """

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats whose messages a command is waiting for; empty if no command is waiting."""

    @property
    def late(self) -> tuple[Role, ...]:
        """Return the seats that are holding up the match, once they have taken too long."""

    @property
    def may_stop(self) -> bool:
        """Return whether messages are so overdue that a seat may stop the match."""

    @property
    def owes_record(self) -> bool:
        """Return whether a command is complete but its record could not be written."""

    def blocked(self, role: Role) -> str:
        """Return the error code for requests made while a command is waiting; empty if no command is."""

    def waits(self) -> str:
        """Return a sentence naming the seats that a command is waiting for."""

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict:
        """Resolve a command and record it, or refuse it."""

    async def post(self, session: HostSession, role: Role, note: PostPart) -> Verdict:
        """Receive a signed post from a seat, in a match with a transcript.

        Raises:
            ProtocolError: The post does not come from the seat.
        """

    def transcript(self, held: int, heard: int) -> Transcript | None:
        """Return the transcript data that a seat does not have yet, or None if the match has no transcript.

        Args:
            held: Number of bytes of the next record's messages that the seat already has.
            heard: Number of the last signed text that the seat has received.
        """

    async def settle(self) -> None:
        """Store everything that is complete, including records whose write failed earlier."""

    def refresh(self) -> None:
        """Notify all peers when a seat begins to hold up the match."""

    def close(self, reason: str) -> None:
        """Close the files. The next host continues from the stored data."""


class JudgedCommands:
    """Lets the host resolve each command from the full state, with randomness from its own secret."""

    missing: tuple[Role, ...] = ()
    late: tuple[Role, ...] = ()
    may_stop = False
    owes_record = False

    def __init__(self, ledger: MatchRecorder) -> None:
        """Record commands with a match's recorder."""
        self._ledger = ledger
        self._decoder = msgspec.msgpack.Decoder(ledger.match.ruleset.command_type)

    def refresh(self) -> None:
        """Do nothing, since no command ever waits for a seat."""

    def waits(self) -> str:
        """Return an empty string, since no command ever waits for a seat."""
        return ""

    def blocked(self, role: Role) -> str:
        """Return an empty string, since no command ever waits for a seat."""
        del role
        return ""

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict:
        """Resolve a command and record it, or refuse it."""
        if not session.in_step:
            return refuse(
                ask.request_id,
                "unavailable",
                "your copy differs from the host's; wait until it has caught up",
            )
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
        """Record a command, preceded by its remark if it has one, and return the command's record."""
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
        """Refuse the post, since the host resolves the commands.

        Raises:
            ProtocolError: Always.
        """
        raise ProtocolError("the host resolves the commands of this match")

    def transcript(self, held: int, heard: int) -> Transcript | None:
        """Return None, since there is no transcript."""
        del held, heard
        return None  # explicit, because None is a meaningful value in this interface

    async def settle(self) -> None:
        """Do nothing, since each command is resolved at once."""

    def close(self, reason: str) -> None:
        """Do nothing, since there are no files."""


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
