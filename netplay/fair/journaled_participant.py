"""Adds crash recovery, rollback detection and fork detection to a participant.

A :class:`JournaledParticipant` acts only on messages whose order the host has signed. It keeps a journal on disk,
resumes after a restart, and collects evidence of cheating. The caller delivers batches and the other seats' signed
texts, and sends the messages that the methods return. After :class:`SeatHaltedError`, the caller shows
:attr:`JournaledParticipant.halted` and saves any :attr:`JournaledParticipant.accusations`. Once the match is over, the
caller runs :meth:`JournaledParticipant.audit`.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final, NoReturn

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.participant import Participant
from netplay.journal.errors import SeatHaltedError, SeatResumingError, SlotUsedError
from netplay.journal.journal import SeatJournal
from netplay.journal.own_transcript import OwnTranscript, StoredTranscript
from netplay.journal.private_file import IN_USE, Agreement, PrivateFile
from netplay.journal.resumption import EndAcknowledgements, ResumptionTracker
from netplay.journal.slots import RevealMark
from saves.errors import UnreadableError
from saves.fair.accusations import (
    find_equivocations,
    unverified_seed_accusations,
    valid_accusations,
)
from saves.fair.evidence import Case, ConflictingOrders, Evidence, OrderClaim, RefusedMessage
from saves.fair.fold import initial_fair_state
from saves.fair.messages import (
    HOST,
    Kind,
    Message,
    Offer,
    Reveal,
    SignedMessage,
    Slot,
    decode_message,
    slot_of,
)
from saves.fair.private_cards import PrivateCards
from saves.fair.secrets import SeatSecrets
from saves.fair.signed_texts import (
    BEFORE_FIRST,
    Ack,
    OrderedBatch,
    OrderSignature,
    Resume,
    Resumed,
    ack_message,
    is_ordered,
    is_signed,
    resume_message,
    resumed_message,
)
from saves.fair.state import FairState, MatchSetup, MessageRefusal, TranscriptPhase
from saves.fair.transcript_log import completes_record
from saves.fair.verification_cache import verify_signature_once
from saves.records import Record


class JournaledParticipant:
    """One seat in a protocol 7 match, together with the seat's files."""

    def __init__(
        self,
        setup: MatchSetup,
        secrets: SeatSecrets,
        journal: SeatJournal,
        copy: StoredTranscript,
        header: bytes,
    ) -> None:
        """Restore the seat by folding the messages in its copy of the match and in its journal.

        Args:
            setup: The match's set-up. The private file must contain the hash of its header.
            secrets: The secrets from the private file.
            journal: The seat's journal.
            copy: The complete records that this seat has stored.
            header: The match's header from :func:`saves.fair.evidence.evidence_header`.

        Raises:
            SeatHaltedError: The copy and the journal contradict each other.
            StorageError: A file cannot be written.
        """
        self.role: Final = secrets.role
        self.journal: Final = journal
        self._setup = setup
        self._secrets = secrets
        self._copy = copy
        self._header = header
        self.participant: Final = Participant(initial_fair_state(setup), secrets, journal)
        self._transcript = OwnTranscript(setup, journal, copy)
        self.halted = ""
        """The reason why the seat has stopped; empty while it is running."""
        self.accusations: tuple[Evidence, ...] = ()
        """The accusations that made this seat stop, against other seats or the host; empty if there are none."""
        self._requests_ahead: dict[Role, Resume] = {}
        """Each seat's latest resume request that refers to a message this seat has not received yet."""
        self._restore()
        self.resumption: Final = ResumptionTracker(
            setup, self.role, must_ask_all=not journal.is_complete
        )
        # A seat that has never signed anything cannot sign a conflicting message, so it need not
        # ask the other seats.
        self.resumption.is_over = journal.is_new and journal.is_complete
        self.acks: Final = EndAcknowledgements(setup)

    # -- state

    @property
    def state(self) -> FairState:
        """Return the protocol state after the last message in the transcript."""
        return self.participant.state

    @property
    def cards(self) -> PrivateCards:
        """Return what this seat knows about its cards."""
        return self.participant.cards

    @property
    def evidence(self) -> Evidence | None:
        """Return the first accusation, or None if there is none."""
        return self.accusations[0] if self.accusations else None

    # -- start

    def _restore(self) -> None:
        journal, base = self.journal, self.journal.base
        reveal, is_behind = RevealMark(), False
        for signed in self._copy.messages():
            message = decode_message(self._setup.match_id, signed.data)
            if message.author == self.role:
                is_behind |= self._is_missing_in_journal(message, signed.data)
                if isinstance(message.body, Reveal):
                    reveal = RevealMark.from_message(message.body.number, signed.data)
            self._fold(signed, "the local copy of this match")
        stored_index = self.state.index
        self._check_base()
        if is_behind:
            # The journal is marked as incomplete before it is changed, so that it still counts as
            # incomplete after a crash.
            journal.mark_incomplete()
        if stored_index < base.index:
            # The copy is older than the journal. The host resends the records together with their messages.
            journal.forget_transcript(stored_index)
        elif is_behind or stored_index > base.index + len(journal.transcript):
            journal.restart(stored_index, self.state.head, reveal)
        else:
            for number, signed in enumerate(journal.transcript[stored_index - base.index :]):
                if number and completes_record(
                    self.state
                ):  # the copy lacks this record and at least one later record
                    journal.forget_transcript(self.state.index)
                    break
                self._fold(signed, "this seat's journal")
            journal.compact(stored_index, self._transcript.head_at(stored_index))
        if journal.order is None and self.state.index == stored_index:
            # A journal that was restarted from the copy does not contain this signature, which may
            # be needed to prove a fork.
            journal.order = OrderSignature(stored_index, self._copy.order())

    def _is_missing_in_journal(self, message: Message, data: bytes) -> bool:
        """Return whether one of the seat's own messages is missing from the journal."""
        # Messages before the base are no longer needed and were dropped.
        if message.anchor < self.journal.base.index:
            return False
        journaled = self.journal.signed_at(slot_of(message))
        if journaled is not None and journaled != data:
            self._halt(IN_USE)
        return journaled is None

    def _fold(self, signed: SignedMessage, source: str) -> None:
        refusal = self.participant.receive(signed)
        if refusal is not None:
            self._halt(f"{source} contains an invalid message: {refusal.problem}")
        self._add_to_transcript(signed)

    def _add_to_transcript(self, signed: SignedMessage) -> None:
        """Add a message that has just been folded to the transcript and to the seat's copy."""
        self._transcript.add(self.state.head)
        self._copy.add_folded(signed, self.state)

    def _check_base(self) -> None:
        """Once the transcript has reached the journal's start, check that the journal belongs to the transcript."""
        base = self.journal.base
        if (
            base.head
            and self.state.index >= base.index
            and self._transcript.head_at(base.index) != base.head
        ):
            self._halt("this seat's journal belongs to a different history of this match")

    # -- resuming

    def resume_request(self) -> Resume:
        """Return the resume request, which is sent to the host and to all other seats after every start."""
        index, head, nonce = self.state.index, self.state.head, self.resumption.nonce
        text = resume_message(self._setup.match_id, self.role, nonce, index, head)
        return Resume(
            role=self.role,
            index=index,
            head=head,
            signature=self._secrets.sign(text),
            nonce=nonce,
            order=self._transcript.order,
        )

    def answer_resume(self, request: Resume) -> Resumed | None:
        """Return the reply to another seat's resume request; None if the request's signature is not valid.

        Raises:
            SeatHaltedError: The host has shown that seat a different transcript.
        """
        self._check_running()
        if not is_signed(self._setup, request):
            return None
        self._check_fork(request)
        if request.index > self.state.index:
            # The request may prove a fork, so it is compared again once this seat has caught up.
            self._requests_ahead[Role(request.role)] = request
        index, head, nonce = self.state.index, self.state.head, request.nonce
        text = resumed_message(self._setup.match_id, self.role, nonce, index, head)
        return Resumed(
            role=self.role,
            index=index,
            head=head,
            signature=self._secrets.sign(text),
            nonce=nonce,
            order=self._transcript.order,
        )

    def update_presence(self, host: int, present: Collection[Role]) -> None:
        """Store the index of the host's last message, and which seats are connected.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.resumption.update_presence(host, present)
        self._update()

    def receive_answer(self, answer: Resumed) -> str:
        """Accept another seat's reply. Return why the reply is invalid, or an empty string if it is valid.

        Raises:
            SeatHaltedError: The host has shown that seat a different transcript.
            StorageError: The journal cannot be written.
        """
        self._check_running()
        problem = self.resumption.receive(answer)
        if not problem:
            self._check_fork(answer)
            self._update()
        return problem

    def missing_seats(self) -> tuple[Role, ...] | None:
        """Return the seats that have not replied yet; None if only messages from the host are missing."""
        return () if self.resumption.is_over else self.resumption.missing_seats(self.state.index)

    def _update(self) -> None:
        # A copy that has not reached the journal's start cannot show whether the journal is
        # complete.
        if self.state.index >= self.journal.base.index and self.resumption.update(self.state.index):
            self.journal.mark_complete()

    def _check_fork(self, text: Resume | Resumed) -> None:
        """Halt the seat if another seat's text proves that the host has signed a different transcript."""
        if text.index > self.state.index or text.head == self._transcript.head_at(text.index):
            return
        if not is_ordered(self._setup, text.index, text.head, text.order):
            return  # Without the host's signature for this transcript, the other text proves nothing.
        claim = OrderClaim(text.index, text.head, (), text.order)
        self._halt_for_fork(text.index, claim)

    # -- receiving

    def deliver(self, batch: OrderedBatch) -> MessageRefusal | None:
        """Process a batch of messages ordered by the host. Return a refusal if the batch is dropped, otherwise None.

        Raises:
            SeatHaltedError: A message is refused, or the host has signed two transcripts. See :attr:`evidence`.
            StorageError: The journal cannot be written.
        """
        self._check_running()
        # The seat acts only on messages whose order the host has signed. If the host shows this
        # seat a different history, the signatures prove it.
        heads = batch.hashes()
        if batch.last == BEFORE_FIRST or not is_ordered(
            self._setup, batch.last, heads[-1], batch.order
        ):
            return MessageRefusal(HOST, "the host has not signed the order of these messages")
        index = self.state.index
        if batch.after > index:
            return MessageRefusal(HOST, f"messages {index + 1} to {batch.after} are missing")
        known_positions = range(batch.after, min(batch.last, index) + 1)
        fork = next(
            (
                position
                for position in known_positions
                if heads[position - batch.after] != self._transcript.head_at(position)
            ),
            None,
        )
        if fork is not None:
            messages = tuple(signed.data for signed in batch.messages)
            claim = OrderClaim(batch.after, batch.head, messages, batch.order)
            self._halt_for_fork(fork, claim, batch.messages)
        fresh = batch.messages[index - batch.after :]
        if fresh:
            self._fold_batch(fresh, batch)
        elif batch.last == index:
            self.journal.order = OrderSignature(batch.last, batch.order)
        return None

    def _fold_batch(self, fresh: tuple[SignedMessage, ...], batch: OrderedBatch) -> None:
        known_messages = self.journal.transcript
        adopted: list[bytes] = []
        for signed in fresh:
            own = self._decode_own(signed)
            if own is not None and self._must_adopt(own, signed.data):
                adopted.append(signed.data)
            refusal = self.participant.receive(signed)
            if refusal is not None:
                self._halt_for_refusal(refusal, known_messages, fresh, batch)
            self._add_to_transcript(signed)
        self._check_base()
        order = OrderSignature(batch.last, batch.order)
        if self.state.index > self.journal.base.index:
            # If the copy was older than the journal, the first messages precede the journal's start.
            journaled = fresh[-(self.state.index - self.journal.base.index) :]
            self.journal.note(journaled, order, adopted)
        elif self.state.index == self.journal.base.index:
            # Other seats accept this seat's answers only with the host's signature. Before this
            # index, an answer would hide messages that the seat has already followed.
            self.journal.order = order
        # These messages are now known, so the other seats' texts about them can be checked for a
        # fork.
        texts: list[Resume | Resumed] = [*self.resumption.answers, *self._requests_ahead.values()]
        for text in texts:
            self._check_fork(text)
        self._update()

    def _decode_own(self, signed: SignedMessage) -> Message | None:
        """Decode a message if it was signed with this seat's key; otherwise return None."""
        try:
            message = decode_message(self._setup.match_id, signed.data)
        except UnreadableError:
            return None
        if message.author != self.role:
            return None
        key = self._secrets.verify_key
        is_own = verify_signature_once(key, signed.data, signed.signature)
        return message if is_own else None

    def _must_adopt(self, message: Message, data: bytes) -> bool:
        """Return whether to add this message, which the seat signed before a restart, to the journal.

        A message that the host indexes a second time is not added, because ``fold`` refuses it.

        Raises:
            SeatHaltedError: Another program has sent the message.
        """
        journaled = self.journal.signed_at(slot_of(message))
        if journaled == data or self.state.hash_at(message.anchor) != message.anchor_hash:
            return False
        # Once the resumption is over, the journal contains everything that this program has signed.
        is_late = self.resumption.is_over or journaled is not None
        if is_late or not self.participant.would_sign(message):
            self._halt(f"{IN_USE}: the host has a {message.kind} that this program did not send")
        return message.anchor >= self.journal.base.index

    def _halt_for_refusal(
        self,
        refusal: MessageRefusal,
        known_messages: tuple[SignedMessage, ...],
        fresh: tuple[SignedMessage, ...],
        batch: OrderedBatch,
    ) -> NoReturn:
        messages = (*self._transcript.all_messages(known_messages), *fresh)
        author = (not refusal.is_due_fault and refusal.author) or "the host"
        self._halt(
            f"a message of {author} was refused: {refusal.problem}",
            RefusedMessage(messages, batch.order, None),
            *find_equivocations(self._setup.match_id, (), messages),
        )

    def apply_record(self, record: Record) -> None:
        """Apply a complete record from a host that deals, after the record's messages.

        At the start, the caller applies every stored record.

        Raises:
            BrokenChainError: The record does not match its messages, or hides this seat's own cards.
        """
        self.participant.apply_record(record)

    def record_stored(self, index: int) -> None:
        """Update the journal once the seat's copy contains all messages up to the end of a complete record.

        After the last record, the journal is retired, because the seat has nothing more to send.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.journal.compact(index, self._transcript.head_at(index))
        if self.state.phase is TranscriptPhase.CLOSED and index == self.state.index:
            self.journal.retire()

    # -- sending

    def due_messages(self) -> tuple[SignedMessage, ...]:
        """Return the messages due from this seat and any decisions by the player that the host has not indexed yet.

        Raises:
            SeatHaltedError: The seat was about to contradict a message that it has already signed.
            StorageError: The journal cannot be written. The caller must not send anything.
        """
        self._check_running()
        if not self.resumption.is_over:
            return ()
        # Other seats may already know a seed that was signed before a restart, so it may be sent
        # again.
        self.participant.may_open_seed |= self.journal.signed_at(self._seed_slot) is not None
        try:
            return (*self.participant.due_messages(), *self.participant.unanswered_decisions())
        except SlotUsedError as error:
            raise self._stop(str(error)) from error

    def sign_command(self, command: Command) -> tuple[SignedMessage, ...]:
        """Sign the messages for a command. They must be sent in one batch.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            SlotUsedError: An earlier command at this point is still waiting for the host.
            SeatResumingError: The other seats have not replied yet.
            StorageError: The journal cannot be written. The caller must not send anything.
        """
        return self._active_participant().sign_command(command)

    def sign_offer(self, offer: Offer) -> SignedMessage:
        """Sign this seat's offer. Raises the same errors as :meth:`sign_command`."""
        return self._active_participant().sign_offer(offer)

    def sign_consent(self, *, agrees: bool) -> SignedMessage:
        """Sign this seat's answer to the open offer. Raises the same errors as :meth:`sign_command`."""
        return self._active_participant().sign_consent(agrees=agrees)

    def sign_resignation(self) -> SignedMessage:
        """Sign this seat's resignation. Raises the same errors as :meth:`sign_command`.

        A resignation reveals nothing and cannot conflict with a command. The seat therefore need not wait for the other
        seats' replies after a start.
        """
        return self._caught_up_participant().sign_resignation()

    def sign_stop(self, *, is_time_over: bool) -> SignedMessage:
        """Sign a message that ends the match because other seats do not respond.

        Raises the same errors as :meth:`sign_resignation` and :meth:`Participant.sign_stop`.
        """
        return self._caught_up_participant().sign_stop(is_time_over=is_time_over)

    def _caught_up_participant(self) -> Participant:
        """Return the participant if it has caught up with the host's transcript.

        Raises:
            SeatResumingError: The participant has not caught up. If the counter shows that the journal is too old, the
                journal itself raises the error.
        """
        self._check_running()
        if not self.resumption.is_over and not self.resumption.has_reached_host(self.state.index):
            raise SeatResumingError("some messages from the host have not arrived yet")
        return self.participant

    def _active_participant(self) -> Participant:
        self._check_running()
        if not self.resumption.is_over:
            raise SeatResumingError("the other players' programs have not replied yet")
        return self.participant

    # -- the end

    def sign_ack(self) -> Ack | None:
        """Sign and return the acknowledgement that the match is over.

        The result is None before the match has ended, while the seat is resuming, and after the seat has halted.

        Raises:
            StorageError: The journal cannot be written.
        """
        if not self.state.has_ended or self.halted or not self.resumption.is_over:
            return None
        # The acknowledgement covers the whole transcript, so all of it must be on disk first.
        self.journal.sync()
        index = self.state.end_at
        head = self._transcript.head_at(index)
        text = ack_message(self._setup.match_id, self.role, index, head)
        ack = Ack(role=self.role, index=index, head=head, signature=self._secrets.sign(text))
        self.receive_ack(ack)
        return ack

    def receive_ack(self, ack: Ack) -> bool:
        """Accept an acknowledgement. Return whether the seat named in the acknowledgement signed it."""
        is_signed = self.acks.receive(ack)
        self.update_seed_permission(is_wait_over=False)
        return is_signed

    def update_seed_permission(self, *, is_wait_over: bool) -> bool:
        """Allow the card seed to be revealed if every party has acknowledged that the match is over.

        Return whether the seed may be revealed.

        Args:
            is_wait_over: True if the header's ``ack_wait`` has passed since the match ended. Missing acknowledgements
                no longer matter after that.
        """
        if self.state.has_ended:
            index = self.state.end_at
            missing = self.acks.missing(index, self._transcript.head_at(index))
            self.participant.may_open_seed |= is_wait_over or not missing
        return self.participant.may_open_seed

    @property
    def _seed_slot(self) -> Slot:
        return Slot(self.state.end_at, Kind.SEED.value, "")

    def audit(self) -> Callable[[], tuple[Evidence, ...]]:
        """Return a function that checks the card seeds revealed so far or, if the host deals, the host's secret (E5).

        The function reads no mutable state, so the caller can run it in a thread. Calling it takes as long as verifying
        the match. The function returns evidence against every party whose seed proves a violation. The result is
        usually empty.
        """
        messages = self._transcript.all_messages(self.journal.transcript)
        roles = [role for role in self.state.seeds if role != self.role]
        setup, header = self._setup, self._header

        def check() -> tuple[Evidence, ...]:
            return tuple(
                accusation.evidence
                for accusation in valid_accusations(
                    setup, header, unverified_seed_accusations(messages, roles)
                )
            )

        return check

    # -- stopping

    def _check_running(self) -> None:
        if self.halted:
            raise SeatHaltedError(self.halted)

    def _stop(self, reason: str, *cases: Case) -> SeatHaltedError:
        """Stop the seat. Discard evidence that accuses this seat or that recomputation does not confirm."""
        self.halted = reason
        valid = valid_accusations(self._setup, self._header, cases)
        self.accusations = tuple(
            accusation.evidence for accusation in valid if accusation.verdict.author != self.role
        )
        return SeatHaltedError(reason)

    def _halt(self, reason: str, *cases: Case) -> NoReturn:
        raise self._stop(reason, *cases)

    def _halt_for_fork(
        self, index: int, claim: OrderClaim, messages: Sequence[SignedMessage] = ()
    ) -> NoReturn:
        """Stop because the host has signed two transcripts.

        Args:
            index: Index of the first message that differs; -1 for the header.
            claim: The conflicting message order that the host has signed.
            messages: The known messages in the conflicting order. They may show that a seat has signed two different
                messages for the same slot.
        """
        reason = (
            f"the host has signed two transcripts that differ at message {index}"
            if index >= 0
            else "the host has signed a different match set-up than the one it sent here"
        )
        known_messages = self._transcript.all_messages(self.journal.transcript) if messages else ()
        double_messages = find_equivocations(self._setup.match_id, known_messages, messages)
        self._halt(
            reason, ConflictingOrders(self._transcript.order_claim(index), claim), *double_messages
        )


def open_seat(
    private: PrivateFile,
    setup: MatchSetup,
    counters: Path,
    copy: StoredTranscript,
    header: bytes,
    agreement: Agreement | None = None,
) -> JournaledParticipant:
    """Open the participant for a seat whose header the caller has already checked.

    Args:
        private: The seat's private file. The seat must be enrolled.
        setup: The set-up defined by the header.
        counters: The folder for the signed-message counters.
        copy: The complete records that this seat has stored.
        header: The match's header from :func:`saves.fair.evidence.evidence_header`.
        agreement: The host and time to record with the seat's first agreement; None if the host is unknown.

    Raises:
        SeatHaltedError: The seat has agreed to another header, or the copy and the journal contradict each other.
        SeatInUseError: Another program is using the seat.
        DataError: A file is damaged or belongs to another seat.
        StorageError: A file cannot be read or written.
    """
    journal = SeatJournal(
        private.journal_path,
        counters,
        setup.match_id,
        private.role,
        private.secrets.sign,
        private.files,
    )
    try:
        # This seat has already agreed to a header, so it had a journal and a counter. Both have
        # been lost.
        if journal.is_new and private.header_hash:
            journal.mark_incomplete()
        private.agree(setup.header_hash, agreement)
        return JournaledParticipant(setup, private.secrets, journal, copy, header)
    except BaseException:
        journal.close()
        raise
