"""Accepts commands as signed messages from the seats, which the host orders and stores."""

import asyncio
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from engine.kernel.ids import Role
from netplay.fair.message_server import MessageServer, charge_refusal
from netplay.fair.resume_watch import ResumeWatch
from netplay.fair.waiting_texts import role_title, waiting_for_text
from netplay.feed.host_session import HostSession, Verdict, build_refusal
from netplay.feed.presence import PresenceTracker
from netplay.match_state.chat_and_offers import HOST
from netplay.match_state.match_recorder import MatchRecorder
from netplay.wire.messages import Accepted, PostPart, Submit, TranscriptUpdate
from netplay.wire.sanitising import sanitise
from play.offers import OfferKind
from saves.errors import BrokenChainError, FairPlayError, StorageError, UnreadableError
from saves.fair.due_messages import STOP_TOO_EARLY, awaited_roles, stop_objection
from saves.fair.messages import Consent, End, Offer, Request, SignedMessage, decode_message
from saves.fair.proofs import has_proofs, verify_ahead
from saves.fair.setup import fair_terms
from saves.fair.state import MessageRefusal, TranscriptPhase
from saves.records import Record
from saves.remarks import MAX_LENGTH

_SIGNATURE_NEEDED: Final = (
    "the seats of this match sign their commands, but your program sent one without a signature"
)
_NOT_DECIDED: Final = "the host's rules cannot resolve the command"
_OTHER_VERSION: Final = "the host must run the version of the program that the player used"
_MIN_SEED_WAIT_RUNNING: Final = 3_600
"""Minimum time in seconds for which a host runs before it closes a match without all card seeds.

A shorter ``seed_wait`` applies instead.
"""
OVERDUE_SECONDS: Final = 10.0
"""Time in seconds without a message after which the clocks of the seats that owe one run.

A slow machine or a short network failure costs its player no time.
"""
_NOT_A_RECORD: Final = "the host's rules cannot build a record from the seats' messages"


class SeatDecidedCommands:
    """Accepts the seats' messages in one match, and builds the match's records from them."""

    def __init__(
        self, recorder: MatchRecorder, message_server: MessageServer, presence: PresenceTracker
    ) -> None:
        """Continue from the state left behind by the previous host process.

        Args:
            recorder: The match's recorder.
            message_server: Receives the seats' posts.
            presence: Tracks which seats are connected.
        """
        self._recorder = recorder
        self._message_server = message_server
        self._match = message_server.match
        self._presence = presence
        self._resume_watch = ResumeWatch(message_server.texts, message_server.now)
        self._held: frozenset[Role] = frozenset()
        """The seats whose clocks are stopped, because seats of another side have not answered their resume requests."""
        self._reported_late: tuple[Role, ...] = ()
        self._reported_allowed_to_stop: tuple[Role, ...] = ()
        self._announces_offer_end = True
        """True if the host adds a chat line when the open offer is cancelled."""
        # After a restart, the file's modification time is the best evidence of when the match
        # ended.
        self._ended_at = self._match.stored_at if self._can_send_seeds else None
        self._seeds_possible_since = message_server.now()
        """Running time of the host when the seats could begin to send their card seeds."""
        # An offer stays open in the transcript until it is answered, so it must not expire here
        # either.
        recorder.chat_and_offers.offer_timeout_seconds = math.inf
        recorder.listeners.append(self._on_record)
        if self._is_command_pending:
            # A command may have been waiting for messages when the previous host process stopped.
            recorder.clocks.pause()
        self._announce_undecided()

    def _announce_undecided(self) -> None:
        """Announce once if the host deals but its rules cannot resolve the pending command."""
        problem, self._message_server.undecided = self._message_server.undecided, ""
        if problem:
            self._recorder.match_log.error(
                "command_unresolved", seq=self._match.seq + 1, error=problem
            )
            self._recorder.chat_and_offers.add_line(
                HOST, f"{_NOT_DECIDED} ({problem}); {_OTHER_VERSION}"
            )

    @property
    def _is_command_pending(self) -> bool:
        """Return whether a command is waiting for messages from the seats."""
        idle_phases = {
            TranscriptPhase.IDLE,
            TranscriptPhase.CONSENT,
            TranscriptPhase.ENDED,
            TranscriptPhase.CLOSED,
        }
        return self._match.fair_state.phase not in idle_phases

    # -- status

    @property
    def missing_roles(self) -> tuple[Role, ...]:
        """Return the seats whose messages a command is waiting for.

        Once the match is over, return the parties whose card seeds are missing. If some of them have not acknowledged
        the end of the match, return only those. If one of these seats is not allowed to sign yet, return the seats that
        owe it an answer.
        """
        match = self._match
        missing = self._message_server.pending.missing
        if match.awaits_seeds:
            missing = (
                tuple(
                    role
                    for role in self._message_server.texts.seats_without_ack()
                    if role in match.parties_without_seed
                )
                or match.parties_without_seed
            )
        return self._resume_watch.seats_to_wait_for(missing)

    @property
    def late_roles(self) -> tuple[Role, ...]:
        """Return the seats that have delayed the match for too long; empty if the disk has a problem."""
        if self._recorder.disk_state.trouble:
            return ()
        if self._match.awaits_seeds or self._message_server.pending.is_late:
            return self.missing_roles
        silent = self._resume_watch.silent_seats
        return self._resume_watch.seats_to_wait_for(
            role for role in awaited_roles(self._match.fair_state) if role in silent
        )

    @property
    def roles_allowed_to_stop(self) -> tuple[Role, ...]:
        """Return the seats that may stop the match, because messages have been overdue for so long.

        A side that delays the match alone may not stop it. Otherwise, a player with several roles could look at a
        throw, keep one role's reveal back, and stop the match with another role.
        """
        match = self._match
        limit = fair_terms(match.header).reply_limit
        if not limit or self._recorder.disk_state.trouble or match.terms.adjourned:
            return ()
        if self._message_server.pending.quiet_seconds <= limit:
            return ()
        state = match.fair_state
        delaying = set(self._resume_watch.seats_to_wait_for(awaited_roles(state)))
        return tuple(
            party.role
            for party in state.setup.parties
            if delaying.difference(match.transcript.side_roles(party.role))
            and not stop_objection(state, party.role)
        )

    @property
    def is_record_due(self) -> bool:
        """Return whether :meth:`store_complete` has work to do: data is unsaved, or the wait for card seeds is over."""
        is_due = self._match.is_complete and not self._message_server.has_failed
        return is_due or not self._message_server.pending.is_stored or self._is_seed_wait_over

    @property
    def _can_send_seeds(self) -> bool:
        """Return whether card seeds are missing and the record that ends the match has been stored."""
        return self._match.awaits_seeds and not self._match.is_complete

    def _start_seed_wait(self) -> None:
        self._ended_at = time.time()
        self._seeds_possible_since = self._message_server.now()

    @property
    def _is_seed_wait_over(self) -> bool:
        if not self._can_send_seeds or self._ended_at is None or self._recorder.disk_state.trouble:
            return False
        seed_wait = fair_terms(self._match.header).seed_wait
        # Seats can send their seeds only while the host is running. The system clock also counts
        # the time when it was off, and can jump.
        running_seconds = self._message_server.now() - self._seeds_possible_since
        is_long_enough = running_seconds > min(seed_wait, _MIN_SEED_WAIT_RUNNING)
        return is_long_enough and time.time() - self._ended_at > seed_wait

    def transcript(self, received_bytes: int, last_text: int) -> TranscriptUpdate:
        """Return the part of the transcript that a seat lacks, given the bytes and texts that it has received."""
        return self._message_server.transcript_update(received_bytes, last_text)

    def refresh(self) -> None:
        """Recheck the seats whose clocks must be stopped. Notify all connections if what they must know has changed."""
        if self._message_server.texts.publish_requests():
            self._recorder.change_signal.bump()
        self._resume_watch.update(self._presence.present_roles)
        # A side could otherwise stop the clock of one of its roles, if another one did not answer it.
        held = frozenset(
            role
            for role, silent in self._resume_watch.silent_seats.items()
            if set(silent).difference(self._match.transcript.side_roles(role))
        )
        if held != self._held:
            self._held = held
            self._recorder.clocks.hold(held)
            # While a clock is stopped, the match waits for different seats, which have the full time
            # to answer.
            self._message_server.pending.interrupt_quiet_time(is_interrupted=bool(held))
        self._run_overdue_clocks()
        status = self.late_roles, self.roles_allowed_to_stop
        if status != (self._reported_late, self._reported_allowed_to_stop):
            self._reported_late, self._reported_allowed_to_stop = status
            self._recorder.change_signal.bump()

    def _run_overdue_clocks(self) -> None:
        """Run the clocks of the seats whose messages a command has been waiting for too long.

        Otherwise, a modified program could hold back a reveal while its player thinks. A seat that may not sign yet,
        because seats of another side have not answered it, is not charged.
        """
        pending = self._message_server.pending
        # No clock runs during an adjournment.
        is_paused = bool(self._recorder.disk_state.trouble or self._match.terms.adjourned)
        is_overdue = pending.quiet_seconds > OVERDUE_SECONDS and pending.is_stored
        if self._is_command_pending and is_overdue and not is_paused:
            self._recorder.clocks.run_overdue(set(pending.missing) - self._held)
        else:
            self._recorder.clocks.run_overdue(())

    def on_disk_recovered(self) -> None:
        """Give all seats the full time to answer again, because the host could not store messages for a while."""
        self._message_server.pending.restart_quiet_time()
        self._run_overdue_clocks()
        if self._ended_at is not None:
            self._start_seed_wait()

    def waiting_text(self) -> str:
        """Return text that names the players for whom the match is waiting, or that describes a disk problem."""
        if self._recorder.disk_state.trouble:
            return self._recorder.disk_state.refusal
        return f"the game {waiting_for_text(self._match.ruleset, self._match.header, self.missing_roles)}"

    def blocking_code(self, role: Role) -> str:
        """Return the error code for requests made while a command is pending; empty if no command is pending."""
        del role
        if not self._is_command_pending:
            return ""
        return "unavailable" if self._message_server.pending.is_late else "stale"

    # -- messages from the seats

    async def submit(self, session: HostSession, role: Role, request: Submit) -> Verdict:
        """Refuse the command, because commands in this match must be signed messages."""
        return build_refusal(request.request_id, "unavailable", _SIGNATURE_NEEDED)

    async def post(self, session: HostSession, role: Role, part: PostPart) -> Verdict:
        """Process a seat's post. A repeated post changes nothing.

        Raises:
            ProtocolError: The message is not a valid post from this seat.
        """
        post = self._message_server.add_part(role, part)
        accepted = Accepted(request_id=part.request_id, seq=self._match.seq)
        if post is None:
            return accepted
        if self._message_server.texts.store(role, post):
            self.refresh()
            self._recorder.change_signal.bump()
        if has_proofs(self._match.header.match_id, post.messages):
            # Verifying a proof takes a tenth of a second, so it runs in a thread. The event loop
            # also serves other matches.
            await asyncio.to_thread(verify_ahead, self._match.fair_state, post.messages)
        refusal_to_report: MessageRefusal | None = None
        for signed in post.messages:
            await self._message_server.precheck(signed)
            refusal = self._add_message(session, role, signed, post.remark)
            refusal_to_report = refusal_to_report or refusal
            if refusal is None:
                continue
            charge_refusal(session.allowance, role, refusal)
            if refusal.is_dishonest or session.allowance.is_spent:
                refusal_to_report = refusal
                break  # Checking the remaining messages could take a long time.
        if post.messages:
            self._run_overdue_clocks()  # the clock of a seat stops as soon as its message arrives
            await self.store_complete()
        if not self._message_server.pending.is_stored:
            self._recorder.match_log.error("messages_save_failed", role=role, seq=self._match.seq)
            return build_refusal(part.request_id, "unavailable", self._recorder.disk_state.refusal)
        if refusal_to_report is not None:
            return self._refusal(role, part.request_id, refusal_to_report)
        return Accepted(request_id=part.request_id, seq=self._match.seq)

    def _add_message(
        self, session: HostSession, role: Role, signed: SignedMessage, remark: str
    ) -> MessageRefusal | None:
        """Add a message to the transcript, and update the clocks and the open offer. Return a refusal, or None."""
        refusal = self._stop_refusal(role, signed) or self._message_server.submit(signed)
        if refusal is not None:
            return refusal
        self._announce_undecided()
        match, recorder = self._match, self._recorder
        body = decode_message(match.header.match_id, signed.data).body
        match body:
            case Request():
                self._message_server.pending.remark = sanitise(remark, MAX_LENGTH)
                recorder.clocks.pause()
                self._cancel_offer("the game continued")
            case Offer():
                to_seq = match.transcript.records[body.record] if body.matter == "takeback" else 0
                other_parties = tuple(
                    party for party in match.fair_state.setup.parties if party.role != role
                )
                self._cancel_offer("another offer came first")
                # The host's line about the end of the offer counts as a chat line of the seat. The offer itself is
                # never refused for this reason, because the seat has used the slot of its next command.
                self._announces_offer_end = session.allowance.chat.take()
                recorder.chat_and_offers.open_offer(
                    role,
                    OfferKind(body.matter),
                    to_seq,
                    tuple(party.role for party in other_parties),
                )
            case Consent(agrees=True):
                if recorder.chat_and_offers.offer is not None:
                    recorder.chat_and_offers.add_consent(role)
            case Consent():
                self._cancel_offer(f"{role_title(match.ruleset, role)} does not agree")
            case _:
                pass
        return None

    def _cancel_offer(self, reason: str) -> None:
        """If an offer is open, cancel it. Tell all players why, unless its author has used up their chat lines."""
        if self._announces_offer_end:
            self._recorder.chat_and_offers.cancel_offer(reason)
        else:
            self._recorder.chat_and_offers.close_offer()

    def _stop_refusal(self, role: Role, signed: SignedMessage) -> MessageRefusal | None:
        """Return a refusal if the message tries to stop the match too early; otherwise None.

        The message does not prove dishonesty: the right to stop may have ended while it was on its way.
        """
        body = decode_message(self._match.header.match_id, signed.data).body
        if (
            not isinstance(body, End)
            or body.reason != "stopped"
            or role in self.roles_allowed_to_stop
        ):
            return None
        return MessageRefusal(role, STOP_TOO_EARLY, is_due_fault=True)

    def _refusal(self, role: Role, request_id: str, refusal: MessageRefusal) -> Verdict:
        """Return the response to a refused message."""
        if refusal.problem == STOP_TOO_EARLY:
            return build_refusal(request_id, "unavailable", refusal.problem)
        if refusal.is_due_fault:  # The message is a duplicate, or another message came first.
            return build_refusal(request_id, "stale", refusal.problem)
        self._recorder.match_log.error(
            "message_rejected", role=role, author=refusal.author, error=refusal.problem
        )
        return build_refusal(request_id, "illegal", f"message refused: {refusal.problem}")

    # -- records

    async def store_complete(self) -> None:
        """Store the accepted messages or, if they complete a record, that record.

        The next call retries failed writes.
        """
        match = self._match
        if self._is_seed_wait_over:
            match.close_transcript()
        if match.fair_state.has_ended and not match.is_complete:
            await self._store_messages()
        if match.fair_state.phase is TranscriptPhase.CLOSED or (
            match.fair_state.phase is TranscriptPhase.ENDED
            and not match.is_complete
            and not match.parties_without_seed
        ):
            await self._recorder.reveal()
            self._recorder.change_signal.bump()
        elif match.is_complete and not self._message_server.has_failed:
            await self._store_record()
        else:
            await self._store_messages()

    async def _store_messages(self) -> None:
        """Write the accepted messages to disk, then make them available to the seats."""
        pending, recorder = self._message_server.pending, self._recorder
        if pending.is_stored:
            return
        count, frame = pending.next_frame()
        try:
            await recorder.run_on_disk(pending.write, frame)
        except StorageError as error:
            recorder.match_log.error("messages_save_failed", seq=self._match.seq, error=str(error))
            return
        pending.publish(count)
        recorder.change_signal.bump()

    async def _store_record(self) -> None:
        recorder, match, pending = self._recorder, self._match, self._message_server.pending
        # The remark is read before it is cleared with the messages below. The clocks are read
        # before the write to disk, so that no player is charged for the write.
        remark, spent = pending.remark, recorder.clocks.unrecorded_time()
        try:
            record = await recorder.commit(match.draft_pending())
        except StorageError as error:
            recorder.match_log.error("record_save_failed", seq=match.seq + 1, error=str(error))
            return
        except (FairPlayError, BrokenChainError, UnreadableError) as error:
            recorder.match_log.error("record_failed", seq=match.seq + 1, error=str(error))
            recorder.chat_and_offers.add_line(HOST, f"{_NOT_A_RECORD}: {error}")
            self._message_server.has_failed = True
            return
        self._reset_pending()
        await self._on_record_stored(record, spent, remark)
        # The file is cleared only after the seats have been notified of the record.
        if not match.is_revealed:
            # Errors can be ignored, because the next start skips messages that are already in a record.
            with suppress(StorageError):
                await recorder.run_on_disk(pending.clear_file)

    async def _on_record_stored(
        self, record: Record, spent: Mapping[Role, int], remark: str
    ) -> None:
        """Update the log, clocks and offers for a new record, and notify the listeners."""
        recorder, match = self._recorder, self._match
        recorder.match_log.info(
            "record", kind=record.kind, role=record.role, seq=record.seq, events=len(record.events)
        )
        is_command = record.kind == "command"
        if not is_command:
            recorder.chat_and_offers.close_offer()
        if match.terms.ending is None:
            await recorder.record_time_spent(record.role, spent)
        if remark and is_command:
            await recorder.record_remark(record.role, remark)
        recorder.change_signal.bump()
        await recorder.on_record_added(record.role if is_command else None)

    def _reset_pending(self) -> None:
        self._message_server.pending.reset()
        self._message_server.has_failed = False
        self._reported_late = ()

    def _on_record(self) -> None:
        """Clear the pending messages after a loss on time, and delete their file once the secret is revealed.

        The seats learn of the end of the match from its record, so the wait for their card seeds begins here.
        """
        if self._ended_at is None and self._can_send_seeds:
            self._start_seed_wait()
        if not self._match.transcript.segment and not self._message_server.pending.is_empty:
            self._reset_pending()
            self._recorder.change_signal.bump()
        if self._match.is_revealed:
            self._message_server.pending.remove()

    def close(self, reason: str) -> None:
        """Close the file of pending messages. After a restart, the host continues from it."""
        self._message_server.pending.close()
