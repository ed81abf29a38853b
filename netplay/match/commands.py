"""Defines how commands become records, and implements this for a host that resolves the commands itself."""

from typing import Final, Protocol

import msgspec

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.feed.host_session import HostSession, Verdict, build_refusal
from netplay.match_state.match_recorder import MatchRecorder
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import Accepted, PostPart, Refused, Submit, TranscriptUpdate
from netplay.wire.sanitising import sanitise
from saves.decoding import decode
from saves.errors import MatchError, StaleCommandError, StorageError, UnreadableError
from saves.records import Record
from saves.remarks import MAX_LENGTH

TOO_FAST: Final = "too-fast"
_MAX_REASONS: Final = 16


class Commands(Protocol):
    """Handles the seats' messages about commands.

    Only one command at a time can wait for messages from the seats. No other command is accepted until it is complete.
    """

    @property
    def missing_roles(self) -> tuple[Role, ...]:
        """Return the seats that must still send messages for a command; empty if no command is waiting."""

    @property
    def late_roles(self) -> tuple[Role, ...]:
        """Return the seats that have delayed the match for too long."""

    @property
    def roles_allowed_to_stop(self) -> tuple[Role, ...]:
        """Return the seats that may stop the match, because messages have been overdue for so long."""

    @property
    def is_record_due(self) -> bool:
        """Return whether :meth:`store_complete` has work to do: data is unsaved, or the wait for card seeds is over."""

    def blocking_code(self, role: Role) -> str:
        """Return the error code for requests that a waiting command blocks; empty if no command is waiting."""

    def waiting_text(self) -> str:
        """Return text that says what a command is waiting for; empty if commands never wait in this match."""

    async def submit(self, session: HostSession, role: Role, request: Submit) -> Verdict:
        """Resolve and record a command, or refuse it."""

    async def post(self, session: HostSession, role: Role, part: PostPart) -> Verdict:
        """Receive a signed post from a seat, in a match with a transcript.

        Raises:
            ProtocolError: The post is not from the seat.
        """

    def transcript(self, received_bytes: int, last_text: int) -> TranscriptUpdate | None:
        """Return the transcript data that a seat does not have yet, or None if the match has no transcript.

        Args:
            received_bytes: Number of bytes that the seat already has from the message stream for the next record.
            last_text: Number of the last signed text that the seat has received.
        """

    async def store_complete(self) -> None:
        """Store complete records and accepted messages, including those whose write failed earlier."""

    def refresh(self) -> None:
        """Notify all peers if the overdue seats or the right to stop the match have changed."""

    def on_disk_recovered(self) -> None:
        """Give all seats the full time to answer again, because the host could not store messages for a while."""

    def close(self, reason: str) -> None:
        """Close the files. A restarted host continues from them."""


class HostDecidedCommands:
    """Resolves each command from the full state, with randomness from the host's secret."""

    missing_roles: tuple[Role, ...] = ()
    late_roles: tuple[Role, ...] = ()
    roles_allowed_to_stop: tuple[Role, ...] = ()
    is_record_due = False

    def __init__(self, recorder: MatchRecorder) -> None:
        """Create the handler for a match's recorder."""
        self._recorder = recorder
        self._decoder = msgspec.msgpack.Decoder(recorder.match.ruleset.command_type)

    def refresh(self) -> None:
        """Do nothing, because no command ever waits for a seat."""

    def on_disk_recovered(self) -> None:
        """Do nothing, because no command ever waits for a seat."""

    def waiting_text(self) -> str:
        """Return an empty string, because no command ever waits for a seat."""
        return ""

    def blocking_code(self, role: Role) -> str:
        """Return an empty string, because no command ever waits for a seat."""
        del role
        return ""

    async def submit(self, session: HostSession, role: Role, request: Submit) -> Verdict:
        """Resolve and record a command, or refuse it."""
        if not session.is_in_sync:
            return build_refusal(
                request.request_id,
                "unavailable",
                "your copy differs from the host's; wait until it has caught up",
            )
        try:
            command: Command = decode(self._decoder, request.command, len(request.command))
            record = await self._record_command(role, command, request)
        except StaleCommandError as error:
            return build_refusal(request.request_id, "stale", str(error))
        except UnreadableError as error:
            return _refuse_illegal(session, request, f"not a command of this game: {error}")
        except IllegalCommandError as error:
            return _refuse_illegal(session, request, str(error), error)
        except MatchError as error:
            return build_refusal(request.request_id, "unavailable", str(error))
        except StorageError as error:
            recorder = self._recorder
            recorder.match_log.error(
                "submit_failed", role=role, seq=recorder.match.seq, error=str(error)
            )
            return build_refusal(request.request_id, "unavailable", recorder.disk_state.refusal)
        self._recorder.match_log.info(
            "command", role=role, seq=record.seq, events=len(record.events)
        )
        await self._recorder.on_record_added(role)
        return Accepted(request_id=request.request_id, seq=record.seq)

    async def _record_command(self, role: Role, command: Command, request: Submit) -> Record:
        """Record a command, and return its record. If the command has a remark, record the remark first."""
        recorder = self._recorder
        match = recorder.match
        # The command is resolved before the remark is recorded, because an illegal command must
        # leave no remark. The remark takes the next record number, so the command is then resolved
        # again for the number after it.
        draft = match.draft_command(role, command, request.expected_seq)
        remark = sanitise(request.remark, MAX_LENGTH)
        if remark:
            statement = await recorder.commit(match.draft_remark(remark, role))
            draft = match.draft_command(role, command, statement.seq)
        # The clock is read before the write to disk, so that the player is not charged for the
        # write.
        spent = recorder.clocks.unrecorded_time()
        record = await recorder.commit(draft)
        await recorder.record_time_spent(role, spent)
        return record

    async def post(self, session: HostSession, role: Role, part: PostPart) -> Verdict:
        """Refuse the post, because the host resolves the commands.

        Raises:
            ProtocolError: Always.
        """
        raise ProtocolError("the host resolves the commands of this match")

    def transcript(self, received_bytes: int, last_text: int) -> TranscriptUpdate | None:
        """Return None, because there is no transcript."""
        del received_bytes, last_text
        return None  # explicit, because None means "no transcript"

    async def store_complete(self) -> None:
        """Do nothing, because each command is resolved at once."""

    def close(self, reason: str) -> None:
        """Do nothing, because there are no files."""


def _refuse_illegal(
    session: HostSession,
    request: Submit,
    text: str,
    error: IllegalCommandError | None = None,
) -> Refused:
    if not session.allowance.illegal.take():
        session.allowance.count_offence()
        return build_refusal(request.request_id, TOO_FAST, "too many illegal commands")
    reasons = () if error is None else error.refusals[:_MAX_REASONS]
    return Refused(request_id=request.request_id, code="illegal", text=text[:900], refusals=reasons)
