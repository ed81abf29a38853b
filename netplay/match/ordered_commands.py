"""Accept commands as signed messages of the seats, which the host orders and stores."""

import asyncio
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from engine.kernel.ids import Role
from netplay.fair.message_server import TranscriptDesk, count_refusal
from netplay.fair.waiting_messages import title_of, waits_for
from netplay.feed.host_session import HostSession, Verdict, refuse
from netplay.match_state.chat_and_offers import HOST
from netplay.match_state.match_recorder import MatchRecorder
from netplay.wire.messages import Accepted, PostPart, Submit, Transcript
from netplay.wire.sanitising import clean
from play.offers import OfferKind
from saves.errors import BrokenChainError, FairPlayError, StorageError, UnreadableError
from saves.fair.due import awaited
from saves.fair.messages import Consent, End, Offer, Request, SignedMessage, decode_message
from saves.fair.proofs import check_ahead, has_proofs
from saves.fair.setup import terms_of
from saves.fair.state import MessageRefusal, Phase
from saves.records import Record
from saves.remarks import LIMIT

_MUST_SIGN: Final = (
    "the seats of this match sign their commands, but your program sent one without a signature"
)
_NOT_DECIDED: Final = "the rules in this program cannot resolve the command"
_OTHER_VERSION: Final = "open the match with the version of the program that sent it"
_TOO_EARLY: Final = MessageRefusal(HOST, "the others still have time to answer")
_NOT_A_RECORD: Final = "the host's rules cannot make a record from the messages of the seats"


class OrderedCommands:
    """Accepts the messages of the seats of one match and builds records from them."""

    def __init__(self, ledger: MatchRecorder, desk: TranscriptDesk) -> None:
        """Continue from the state that the host left.

        Args:
            ledger: Recorder of the match.
            desk: Receives the posts of the seats.
        """
        self._ledger = ledger
        self._desk = desk
        self._match = desk.match
        self._late: tuple[Role, ...] = ()
        self._could_stop = False
        self._ended_at = self._match.stored_at if self._match.awaits_seeds else None
        # An offer is part of the transcript until it is answered, so it must not expire.
        ledger.parley.patience = math.inf
        ledger.listeners.append(self._look)
        if self._is_running:
            ledger.clocks.pause()
        self._tell_undecided()

    def _tell_undecided(self) -> None:
        """Announce once that the rules of a dealing host cannot decide the pending command."""
        problem, self._desk.undecided = self._desk.undecided, ""
        if problem:
            self._ledger.journal.error("not_decided", seq=self._match.seq + 1, error=problem)
            self._ledger.parley.say(HOST, f"{_NOT_DECIDED} ({problem}); {_OTHER_VERSION}")

    @property
    def _is_running(self) -> bool:
        """Return whether a command is waiting for messages."""
        quiet = {Phase.IDLE, Phase.CONSENT, Phase.ENDED, Phase.CLOSED}
        return self._match.fair_state.phase not in quiet

    # -- status

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats whose messages a command is waiting for.

        After the end, return the parties whose card seeds are missing. If any of those have not acknowledged the end,
        return only them.
        """
        match = self._match
        if not match.awaits_seeds:
            return self._desk.pending.missing
        return (
            tuple(role for role in self._desk.texts.without_ack() if role in match.unopened)
            or match.unopened
        )

    @property
    def late(self) -> tuple[Role, ...]:
        """Return the seats that are delaying the match after a long wait; empty while the disk rejects writes."""
        if self._ledger.disk_state.trouble:
            return ()
        is_due = self._match.awaits_seeds or self._desk.pending.is_late
        return self.missing if is_due else ()

    @property
    def may_stop(self) -> bool:
        """Return whether no message has arrived for so long that a seat may stop the match."""
        match = self._match
        limit = terms_of(match.header).reply_limit
        if not limit or self._ledger.disk_state.trouble or match.terms.adjourned:
            return False
        return bool(awaited(match.fair_state)) and self._desk.pending.quiet_seconds > limit

    @property
    def owes_record(self) -> bool:
        """Return whether a record or messages still have to be stored, or the time for card seeds is over."""
        is_due = self._match.is_complete and not self._desk.has_failed
        return is_due or not self._desk.pending.is_stored or self._is_seed_wait_over

    @property
    def _is_seed_wait_over(self) -> bool:
        match = self._match
        if not match.awaits_seeds or self._ended_at is None:
            return False
        return time.time() - self._ended_at > terms_of(match.header).seed_wait

    def transcript(self, held: int, heard: int) -> Transcript:
        """Return the part of the transcript that is new for a seat that already has this many bytes and texts."""
        return self._desk.news(held, heard)

    def refresh(self) -> None:
        """Notify all connections when a seat begins to delay the match."""
        if (self.late, self.may_stop) != (self._late, self._could_stop):
            self._late, self._could_stop = self.late, self.may_stop
            self._ledger.bell.touch()

    def waits(self) -> str:
        """Return a sentence that names the players delaying the match or states that the disk rejects writes."""
        if self._ledger.disk_state.trouble:
            return self._ledger.disk_state.refusal
        return f"the game {waits_for(self._match.ruleset, self._match.header, self.missing)}"

    def blocked(self, role: Role) -> str:
        """Return the error code for requests made while a command is pending; empty if none is."""
        del role
        if not self._is_running:
            return ""
        return "unavailable" if self._desk.pending.is_late else "stale"

    # -- what seats send

    async def submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict:
        """Refuse the command, because commands of this match must be signed messages."""
        return refuse(ask.request_id, "unavailable", _MUST_SIGN)

    async def post(self, session: HostSession, role: Role, note: PostPart) -> Verdict:
        """Process a post from a seat. A repeated post changes nothing.

        Raises:
            ProtocolError: The message is not a valid post of this seat.
        """
        post = self._desk.whole(role, note)
        done = Accepted(request_id=note.request_id, seq=self._match.seq)
        if post is None:
            return done
        if self._desk.texts.take(role, post):
            self._ledger.bell.touch()
        if has_proofs(self._match.header.match_id, post.messages):
            await asyncio.to_thread(check_ahead, self._match.fair_state, post.messages)
        problem: MessageRefusal | None = None
        for signed in post.messages:
            await self._desk.look_ahead(signed)
            refusal = self._submit(role, signed, post.remark)
            problem = problem or refusal
            if refusal is None:
                continue
            count_refusal(session.allowance, role, refusal)
            if refusal.is_false or session.allowance.is_spent:
                problem = refusal
                break  # Checking the remaining messages could take a long time.
        if post.messages:
            await self.settle()
        if not self._desk.pending.is_stored:
            self._ledger.journal.error("messages_not_stored", role=role, seq=self._match.seq)
            return refuse(note.request_id, "unavailable", self._ledger.disk_state.refusal)
        if problem is not None:
            return self._refuse(role, note.request_id, problem)
        return Accepted(request_id=note.request_id, seq=self._match.seq)

    def _submit(self, role: Role, signed: SignedMessage, remark: str) -> MessageRefusal | None:
        """Add a message to the transcript, and update clocks and offers accordingly."""
        refusal = self._against_stopping(signed) or self._desk.submit(signed)
        if refusal is not None:
            return refusal
        self._tell_undecided()
        match, ledger = self._match, self._ledger
        body = decode_message(match.header.match_id, signed.data).body
        match body:
            case Request():
                self._desk.pending.remark = clean(remark, LIMIT)
                ledger.clocks.pause()
                ledger.parley.deny("the game continued")
            case Offer():
                to_seq = match.transcript.records[body.record] if body.matter == "takeback" else 0
                others = tuple(one for one in match.fair_state.setup.parties if one.role != role)
                ledger.parley.deny("another offer came first")
                ledger.parley.open(
                    role, OfferKind(body.matter), to_seq, tuple(one.role for one in others)
                )
            case Consent(agrees=True):
                if ledger.parley.offer is not None:
                    ledger.parley.agree(role)
            case Consent():
                ledger.parley.deny(f"{title_of(match.ruleset, role)} does not agree")
            case _:
                pass
        if match.fair_state.phase is Phase.ENDED and self._ended_at is None:
            self._ended_at = time.time()
        return None

    def _against_stopping(self, signed: SignedMessage) -> MessageRefusal | None:
        """Return a refusal if a seat may not stop the match now; None if it may, and for all other messages."""
        body = decode_message(self._match.header.match_id, signed.data).body
        if not isinstance(body, End) or body.reason != "stopped" or self.may_stop:
            return None
        return _TOO_EARLY

    def _refuse(self, role: Role, request_id: str, problem: MessageRefusal) -> Verdict:
        """Return the response to a message that was refused."""
        if problem is _TOO_EARLY:
            return refuse(request_id, "unavailable", problem.problem)
        if problem.is_due_fault:  # This is a repeat, or another message came first.
            return refuse(request_id, "stale", problem.problem)
        self._ledger.journal.error(
            "message_refused", role=role, author=problem.author, error=problem.problem
        )
        return refuse(request_id, "illegal", f"message refused: {problem.problem}")

    # -- records

    async def settle(self) -> None:
        """Store the accepted messages, as a record if they complete one. Failed writes are retried on the next call."""
        match = self._match
        if self._is_seed_wait_over:
            match.close_transcript()
        if match.fair_state.phase in {Phase.ENDED, Phase.CLOSED} and not match.is_complete:
            await self._store()
        if match.fair_state.phase is Phase.CLOSED or (
            match.fair_state.phase is Phase.ENDED and not match.is_complete and not match.unopened
        ):
            await self._ledger.reveal()
            self._ledger.bell.touch()
        elif match.is_complete and not self._desk.has_failed:
            await self._record()
        else:
            await self._store()

    async def _store(self) -> None:
        """Write messages to disk, then make them available to the seats."""
        pending, ledger = self._desk.pending, self._ledger
        if pending.is_stored:
            return
        count, frame = pending.draft()
        try:
            await ledger.on_disk(pending.write, frame)
        except StorageError as error:
            ledger.journal.error("messages_not_stored", seq=self._match.seq, error=str(error))
            return
        pending.written(count)
        ledger.bell.touch()

    async def _record(self) -> None:
        ledger, match, pending = self._ledger, self._match, self._desk.pending
        remark, spent = pending.remark, ledger.clocks.spent()
        try:
            record = await ledger.keep(match.draft_pending())
        except StorageError as error:
            ledger.journal.error("record_not_stored", seq=match.seq + 1, error=str(error))
            return
        except (FairPlayError, BrokenChainError, UnreadableError) as error:
            ledger.journal.error("record_failed", seq=match.seq + 1, error=str(error))
            ledger.parley.say(HOST, f"{_NOT_A_RECORD}: {error}")
            self._desk.has_failed = True
            return
        self._settled()
        await self._recorded(record, spent, remark)
        # Done only after the seats have been notified of the record.
        if pending.is_used and not match.is_revealed:
            # Safe to ignore: the next start skips messages that are already in a record.
            with suppress(StorageError):
                await ledger.on_disk(pending.clear_file)

    async def _recorded(self, record: Record, spent: Mapping[Role, int], remark: str) -> None:
        """Update the log, clocks and offers for a new record, and notify the listeners."""
        ledger, match = self._ledger, self._match
        ledger.journal.info(
            "record", kind=record.kind, role=record.role, seq=record.seq, events=len(record.events)
        )
        is_command = record.kind == "command"
        if not is_command:
            ledger.parley.close()
        if match.terms.ending is None:
            await ledger.charge(record.role, spent)
        if remark and is_command:
            await ledger.remark(record.role, remark)
        ledger.bell.touch()
        await ledger.grown(record.role if is_command else None)

    def _settled(self) -> None:
        self._desk.pending.settle()
        self._desk.has_failed = False
        self._late = ()

    def _look(self) -> None:
        """Reset after a record that ended the match on time, and remove the file of a match that is over."""
        if not self._match.transcript.segment and not self._desk.pending.is_empty:
            self._settled()
            self._ledger.bell.touch()
        if self._match.is_revealed:
            self._desk.pending.remove()

    def close(self, reason: str) -> None:
        """Release the file. The next host continues from the stored data."""
        self._desk.pending.close()
