"""A participant that survives crashes and notices rollbacks and forks: it acts on what the host has signed, once.

It joins the participant, its journal on the disk, the resumption after a start, and evidence. The caller delivers
batches and texts of the other seats, and sends what the methods return. After :class:`SeatHaltedError` the caller shows
:attr:`JournaledParticipant.halted`, and saves :attr:`JournaledParticipant.accusations` if there are any. After the end
it runs :meth:`JournaledParticipant.audit`.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final, NoReturn

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.errors import SeatHaltedError, SeatResumingError, SlotUsedError
from netplay.fair.journal import SeatJournal
from netplay.fair.own_transcript import OwnTranscript, StoredTranscript
from netplay.fair.participant import Participant
from netplay.fair.private_file import IN_USE, Agreement, PrivateFile
from netplay.fair.resumption import EndAcknowledgements, Resumption
from netplay.fair.slots import RevealMark
from saves.errors import UnreadableError
from saves.fair.accusing import false_seeds, held, two_messages
from saves.fair.evidence import Case, Evidence, OrderClaim, RefusedMessage, TwoOrders
from saves.fair.fold import begin
from saves.fair.log import makes_record
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
from saves.fair.private import PrivateCards
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
from saves.fair.state import FairState, MatchSetup, Phase, Refusal
from saves.fair.verified import verify_signature_once
from saves.records import Record


class JournaledParticipant:
    """One seat of a fair match with its files."""

    def __init__(
        self,
        setup: MatchSetup,
        secrets: SeatSecrets,
        journal: SeatJournal,
        copy: StoredTranscript,
        header: bytes,
    ) -> None:
        """Fold the own copy of the match and the journal.

        Args:
            setup: The match; the private file holds the hash of its header.
            secrets: Those of the private file.
            journal: That of the seat.
            copy: The complete records that this seat has stored.
            header: The header as evidence files contain it.

        Raises:
            SeatHaltedError: Copy and journal contradict each other.
            StorageError: The disk refused.
        """
        self.role: Final = secrets.role
        self.journal: Final = journal
        self._setup = setup
        self._secrets = secrets
        self._copy = copy
        self._header = header
        self.participant: Final = Participant(begin(setup), secrets, journal)
        self._transcript = OwnTranscript(setup, journal, copy)
        self.halted = ""
        """Why the seat has stopped; empty while it runs."""
        self.accusations: tuple[Evidence, ...] = ()
        """Evidence against authors or the host, if that is why the seat has stopped."""
        self._questions: dict[Role, Resume] = {}
        """Questions of seats that had followed the transcript further than this one."""
        self._restore()
        self.resumption: Final = Resumption(setup, self.role, asks_all=not journal.is_complete)
        self.resumption.is_over = journal.is_new and journal.is_complete
        self.acks: Final = EndAcknowledgements(setup)

    # -- state

    @property
    def state(self) -> FairState:
        """Return the state after the last message."""
        return self.participant.state

    @property
    def cards(self) -> PrivateCards:
        """Return what this seat knows of its cards."""
        return self.participant.cards

    @property
    def evidence(self) -> Evidence | None:
        """Return the first accusation, None without one."""
        return self.accusations[0] if self.accusations else None

    # -- start

    def _restore(self) -> None:
        journal, base = self.journal, self.journal.base
        reveal, is_behind = RevealMark(), False
        for signed in self._copy.messages():
            message = decode_message(self._setup.match_id, signed.data)
            if message.author == self.role:
                is_behind |= self._lacks(message, signed.data)
                if isinstance(message.body, Reveal):
                    reveal = RevealMark.of(message.body.number, signed.data)
            self._fold(signed, "the copy of this match")
        stored = self.state.index
        self._check_base()
        if is_behind:
            journal.distrust()
        if stored < base.index:
            journal.forget_transcript(stored)
        elif is_behind or stored > base.index + len(journal.transcript):
            journal.restart(stored, self.state.head, reveal)
            journal.order = OrderSignature(stored, self._copy.order())
        else:
            for number, signed in enumerate(journal.transcript[stored - base.index :]):
                if number and makes_record(self.state):  # the copy lacks more than this record
                    journal.forget_transcript(self.state.index)
                    break
                self._fold(signed, "the journal of this seat")
            journal.compact(stored, self._transcript.head_at(stored))

    def _lacks(self, message: Message, data: bytes) -> bool:
        """Return whether the journal should contain an own message of the copy, and does not."""
        if message.anchor < self.journal.base.index:
            return False
        known = self.journal.signed_at(slot_of(message))
        if known is not None and known != data:
            self._halt(IN_USE)
        return known is None

    def _fold(self, signed: SignedMessage, source: str) -> None:
        refusal = self.participant.receive(signed)
        if refusal is not None:
            self._halt(f"{source} holds a message that is not valid: {refusal.problem}")
        self._note(signed)

    def _note(self, signed: SignedMessage) -> None:
        """Let the transcript and the own copy follow a message that was accepted."""
        self._transcript.add(self.state.head)
        self._copy.follow(signed, self.state)

    def _check_base(self) -> None:
        """Compare the transcript with the place where the journal begins, once it reaches it."""
        base = self.journal.base
        if (
            base.head
            and self.state.index >= base.index
            and self._transcript.head_at(base.index) != base.head
        ):
            self._halt("the journal of this seat belongs to another course of this match")

    # -- resuming

    def resume(self) -> Resume:
        """Return the question that goes to the host and all seats after each start."""
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

    def answer(self, question: Resume) -> Resumed | None:
        """Return the answer to the question of another seat, None when the question is not signed.

        Raises:
            SeatHaltedError: The host has shown that seat another transcript.
        """
        self._check_running()
        if not is_signed(self._setup, question):
            return None
        self._compare(question)
        if question.index > self.state.index:
            self._questions[Role(question.role)] = question
        index, head, nonce = self.state.index, self.state.head, question.nonce
        text = resumed_message(self._setup.match_id, self.role, nonce, index, head)
        return Resumed(
            role=self.role,
            index=index,
            head=head,
            signature=self._secrets.sign(text),
            nonce=nonce,
            order=self._transcript.order,
        )

    def connected(self, host: int, present: Collection[Role]) -> None:
        """Take note of the last index of the host and of the seats that are connected.

        Raises:
            StorageError: The disk refused.
        """
        self.resumption.connected(host, present)
        self._update()

    def take_resumed(self, answer: Resumed) -> str:
        """Accept the answer of another seat; returns why it is not one, empty if it is.

        Raises:
            SeatHaltedError: The host has shown that seat another transcript.
            StorageError: The disk refused.
        """
        self._check_running()
        problem = self.resumption.take(answer)
        if not problem:
            self._compare(answer)
            self._update()
        return problem

    def waits_for(self) -> tuple[Role, ...] | None:
        """Return the seats whose answers are missing, None when messages of the host are."""
        return () if self.resumption.is_over else self.resumption.waits_for(self.state.index)

    def _update(self) -> None:
        if self.state.index >= self.journal.base.index and self.resumption.update(self.state.index):
            self.journal.confirm()

    def _compare(self, text: Resume | Resumed) -> None:
        """Stop if the host has signed another transcript for that seat."""
        if text.index > self.state.index or text.head == self._transcript.head_at(text.index):
            return
        if not is_ordered(self._setup, text.index, text.head, text.order):
            return  # the seat alone says so
        theirs = OrderClaim(text.index, text.head, (), text.order)
        self._halt_for_fork(text.index, theirs)

    # -- receiving

    def deliver(self, batch: OrderedBatch) -> Refusal | None:
        """Follow messages that the host has put in order; returns why they are dropped, None when they are not.

        Raises:
            SeatHaltedError: A message is refused or the host has signed two transcripts; see :attr:`evidence`.
            StorageError: The disk refused.
        """
        self._check_running()
        heads = batch.hashes()
        if batch.last == BEFORE_FIRST or not is_ordered(
            self._setup, batch.last, heads[-1], batch.order
        ):
            return Refusal(HOST, "the host has not signed the order of these messages")
        index = self.state.index
        if batch.after > index:
            return Refusal(HOST, f"messages {index + 1} to {batch.after} are missing")
        known = range(batch.after, min(batch.last, index) + 1)
        fork = next(
            (at for at in known if heads[at - batch.after] != self._transcript.head_at(at)), None
        )
        if fork is not None:
            messages = tuple(signed.data for signed in batch.messages)
            theirs = OrderClaim(batch.after, batch.head, messages, batch.order)
            self._halt_for_fork(fork, theirs, batch.messages)
        fresh = batch.messages[index - batch.after :]
        if fresh:
            self._follow(fresh, batch)
        elif batch.last == index:
            self.journal.order = OrderSignature(batch.last, batch.order)
        return None

    def _follow(self, fresh: tuple[SignedMessage, ...], batch: OrderedBatch) -> None:
        before = self.journal.transcript
        adopted: list[bytes] = []
        for signed in fresh:
            own = self._own(signed)
            if own is not None and self._must_adopt(own, signed.data):
                adopted.append(signed.data)
            refusal = self.participant.receive(signed)
            if refusal is not None:
                self._refuse(refusal, before, fresh, batch)
            self._note(signed)
        self._check_base()
        if self.state.index > self.journal.base.index:
            kept = fresh[-(self.state.index - self.journal.base.index) :]
            self.journal.note(kept, OrderSignature(batch.last, batch.order), adopted)
        texts: list[Resume | Resumed] = [*self.resumption.answers, *self._questions.values()]
        for text in texts:
            self._compare(text)
        self._update()

    def _own(self, signed: SignedMessage) -> Message | None:
        """Return a message that was signed with the key of this seat."""
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
        """Return whether the journal lacks an own message that this seat has sent before a restart.

        An old one that the host puts in order once more is no work of another program: the fold refuses it.

        Raises:
            SeatHaltedError: Another program has sent it.
        """
        known = self.journal.signed_at(slot_of(message))
        if known == data or self.state.hash_at(message.anchor) != message.anchor_hash:
            return False
        is_late = self.resumption.is_over or known is not None
        if is_late or not self.participant.recomputes(message):
            self._halt(f"{IN_USE}: the host has a {message.kind} that this one has not sent")
        return message.anchor >= self.journal.base.index

    def _refuse(
        self,
        refusal: Refusal,
        before: tuple[SignedMessage, ...],
        fresh: tuple[SignedMessage, ...],
        batch: OrderedBatch,
    ) -> NoReturn:
        messages = (*self._transcript.prefix(before), *fresh)
        author = (not refusal.is_due_fault and refusal.author) or "the host"
        self._halt(
            f"a message of {author} was refused: {refusal.problem}",
            RefusedMessage(messages, batch.order, None),
            *two_messages(self._setup.match_id, (), messages),
        )

    def learn(self, record: Record) -> None:
        """Follow a complete record of a host that deals: after its messages, and after a start each stored one.

        Raises:
            BrokenChainError: It is not what its messages make, or keeps own cards from this seat.
        """
        self.participant.learn(record)

    def record_stored(self, index: int) -> None:
        """Take note that the own copy holds all messages up to the end of a complete record.

        After the last one the journal is retired: nothing is due from a seat any more.

        Raises:
            StorageError: The disk refused.
        """
        self.journal.compact(index, self._transcript.head_at(index))
        if self.state.phase is Phase.CLOSED and index == self.state.index:
            self.journal.retire()

    # -- sending

    def due_messages(self) -> tuple[SignedMessage, ...]:
        """Return what is due from this seat, and what the host has not indexed of the player's decisions.

        Raises:
            SeatHaltedError: The seat was about to contradict what it has signed.
            StorageError: The local disk refused; nothing may be sent.
        """
        self._check_running()
        if not self.resumption.is_over:
            return ()
        self.participant.may_open_seed |= self.journal.signed_at(self._seed_slot) is not None
        try:
            return (*self.participant.due_messages(), *self.participant.unanswered())
        except SlotUsedError as error:
            raise self._stopped(str(error)) from error

    def request(self, command: Command) -> SignedMessage:
        """Return the message that gives a command.

        Raises:
            IllegalCommandError: The rules refuse it.
            SlotUsedError: An earlier command waits for the host at this place.
            SeatResumingError: The other seats have not answered yet.
            StorageError: The local disk refused; nothing may be sent.
        """
        return self._running().request(command)

    def offer(self, offer: Offer) -> SignedMessage:
        """Return the message that makes an offer; raises as :meth:`request`."""
        return self._running().offer(offer)

    def consent(self, *, agrees: bool) -> SignedMessage:
        """Return the message that answers the open offer; raises as :meth:`request`."""
        return self._running().consent(agrees=agrees)

    def resign(self) -> SignedMessage:
        """Return the message that ends the match for this seat; raises as :meth:`request`.

        An end reveals nothing and takes no part in the order of commands, so it need not wait until silent seats
        have answered after a start.
        """
        return self._following().resign()

    def stop(self) -> SignedMessage:
        """Return the message that ends a match in which other seats do not answer; raises as :meth:`resign`."""
        return self._following().stop()

    def _following(self) -> Participant:
        """Return the participant once it has followed the transcript as far as the host has it.

        Raises:
            SeatResumingError: It has not. The journal raises it where the counter says that it is older.
        """
        self._check_running()
        if not self.resumption.is_over and not self.resumption.has_reached_host(self.state.index):
            raise SeatResumingError("the messages of the host have not all arrived yet")
        return self.participant

    def _running(self) -> Participant:
        self._check_running()
        if not self.resumption.is_over:
            raise SeatResumingError("the other players' programs have not answered yet")
        return self.participant

    # -- the end

    def ack(self) -> Ack | None:
        """Return the acknowledgement of the end, None before the end and while the seat resumes.

        Raises:
            StorageError: The disk refused.
        """
        is_ended = self.state.phase in {Phase.ENDED, Phase.CLOSED}
        if not is_ended or self.halted or not self.resumption.is_over:
            return None
        self.journal.sync()
        index = self.state.end_at
        head = self._transcript.head_at(index)
        text = ack_message(self._setup.match_id, self.role, index, head)
        ack = Ack(role=self.role, index=index, head=head, signature=self._secrets.sign(text))
        self.take_ack(ack)
        return ack

    def take_ack(self, ack: Ack) -> bool:
        """Accept an acknowledgement; returns False for one that its seat has not signed."""
        is_right = self.acks.take(ack)
        self.allow_seed(is_wait_over=False)
        return is_right

    def allow_seed(self, *, is_wait_over: bool) -> bool:
        """Allow the card seed to be opened if every party has acknowledged the end; returns whether it may be.

        Args:
            is_wait_over: Whether ``ack_wait`` of the header has passed since the end.
        """
        if self.state.phase in {Phase.ENDED, Phase.CLOSED}:
            index = self.state.end_at
            missing = self.acks.missing(index, self._transcript.head_at(index))
            self.participant.may_open_seed |= is_wait_over or not missing
        return self.participant.may_open_seed

    @property
    def _seed_slot(self) -> Slot:
        return Slot(self.state.end_at, Kind.SEED.value, "")

    def audit(self) -> Callable[[], tuple[Evidence, ...]]:
        """Return a check of the card seeds that are open so far, and of the secret of a host that deals (E5).

        The check reads nothing that changes, so the caller can run it in a thread. It takes as long as to verify the
        match, and returns evidence against the parties whose seed proves a fault, usually none.
        """
        messages = self._transcript.prefix(self.journal.transcript)
        roles = [role for role in self.state.seeds if role != self.role]
        setup, header = self._setup, self._header

        def checked() -> tuple[Evidence, ...]:
            return tuple(one.evidence for one in held(setup, header, false_seeds(messages, roles)))

        return checked

    # -- stopping

    def _check_running(self) -> None:
        if self.halted:
            raise SeatHaltedError(self.halted)

    def _stopped(self, reason: str, *cases: Case) -> SeatHaltedError:
        """Stop the seat, and keep evidence that holds when it is computed again and does not accuse this seat."""
        self.halted = reason
        found = held(self._setup, self._header, cases)
        self.accusations = tuple(one.evidence for one in found if one.verdict.author != self.role)
        return SeatHaltedError(reason)

    def _halt(self, reason: str, *cases: Case) -> NoReturn:
        raise self._stopped(reason, *cases)

    def _halt_for_fork(
        self, index: int, theirs: OrderClaim, messages: Sequence[SignedMessage] = ()
    ) -> NoReturn:
        """Stop because of two transcripts.

        Args:
            index: First message that differs, -1 for the header.
            theirs: What the host has signed besides the transcript of this seat.
            messages: The messages in it, as far as they are here: two seats may have signed for one slot.
        """
        reason = (
            f"the host has signed two transcripts that differ at message {index}"
            if index >= 0
            else "the host has signed another header than the one it has sent here"
        )
        known = self._transcript.prefix(self.journal.transcript) if messages else ()
        twice = two_messages(self._setup.match_id, known, messages)
        self._halt(reason, TwoOrders(self._transcript.claim(index), theirs), *twice)


def open_seat(
    private: PrivateFile,
    setup: MatchSetup,
    counters: Path,
    copy: StoredTranscript,
    header: bytes,
    agreement: Agreement | None = None,
) -> JournaledParticipant:
    """Return the participant of a seat whose header the caller has checked.

    Args:
        private: The private file of the seat, which has enrolled.
        setup: What the header fixes.
        counters: Folder of the counters of signed messages.
        copy: The complete records that this seat has stored.
        header: The header, as evidence files contain it.
        agreement: With which host the seat agrees if it has not agreed before; None if the host is unknown.

    Raises:
        SeatHaltedError: The seat has agreed to another header, or copy and journal contradict each other.
        SeatInUseError: Another program uses the seat.
        DataError: A file is damaged, or belongs to another seat.
        StorageError: The disk refused.
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
        if journal.is_new and private.header_hash:
            journal.distrust()
        private.agree(setup.header_hash, agreement)
        return JournaledParticipant(setup, private.secrets, journal, copy, header)
    except BaseException:
        journal.close()
        raise
