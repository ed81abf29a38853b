"""The program of a seat in a match of protocol 7: what it receives, what it sends, and its files."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.errors import FoulPlayError, ProtocolError, SeatRefusedError
from netplay.fair.earlier import StoppedOpening, stopped_openings
from netplay.fair.errors import SeatHaltedError, SlotUsedError
from netplay.fair.journaled import JournaledParticipant, open_seat
from netplay.fair.pending_messages import batches_in
from netplay.fair.private_file import SUFFIX, Agreement, PrivateFile
from netplay.messages import CHUNK_BYTES, OpenOffer, Post, PostPart, SignedTexts, Transcript
from netplay.newid import new_id
from play.offers import Matter
from saves.copy import MatchReplica
from saves.decoding import canonical
from saves.fair.due import due
from saves.fair.evidence import Evidence
from saves.fair.evidence_file import save_evidence
from saves.fair.fold import next_hash
from saves.fair.log import TranscriptLog, restored
from saves.fair.messages import HOST, Offer, SignedMessage
from saves.fair.record_builder import seen_by
from saves.fair.setup import promise_of, setup_of, terms_of
from saves.fair.signed_texts import Ack, OrderedBatch, Resumed
from saves.fair.state import FairState, Phase
from saves.fair.terms import FairParty, Place
from saves.headers import Header, encode_header
from saves.records import MAX_RECORD_BYTES, Record

log = structlog.get_logger()

_MOST_BYTES: Final = 4 * MAX_RECORD_BYTES
"""Messages of one record, with their signatures, in the stream of a host."""


def counters_folder() -> Path:
    """Return where the counters of signed messages are: not beside the files that a backup brings back."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "flagplot" / "signed"


class CopyTranscript:
    """The messages in the records of a copy; a :class:`~netplay.fair.own_transcript.StoredTranscript`."""

    def __init__(self, copy: MatchReplica[Any], transcript: TranscriptLog) -> None:
        """Read the records of a copy.

        Args:
            copy: The copy of the seat.
            transcript: That of the copy; it follows what the seat folds.
        """
        self._copy = copy
        self._transcript = transcript

    def messages(self) -> Iterator[SignedMessage]:
        """Yield the messages from the first one on; the transcript settles each record that it reaches."""
        transcript = self._transcript
        setup, index, head = transcript.setup, -1, transcript.setup.header_hash
        for record in self._copy.records:
            if record.transcript is msgspec.UNSET:
                continue
            for signed in restored(setup, index, {index: head}, record):
                yield signed
                index += 1
                head = next_hash(head, index, signed.data)
            if transcript.segment and transcript.state.index == index:
                transcript.settle(record)

    def order(self) -> bytes:
        """Return the signature of the host over the order up to the last message, empty without messages."""
        for record in reversed(self._copy.records):
            if record.transcript is not msgspec.UNSET:
                return record.transcript.order
        return b""

    def follow(self, signed: SignedMessage, after: FairState) -> None:
        """Let the transcript of the copy follow a message that the seat has folded."""
        self._transcript.follow(signed, after)


class FairSeat:
    """One seat, between its files and the network."""

    def __init__(
        self, folder: Path, match_id: str, role: Role, place: Place, host: str = ""
    ) -> None:
        """Keep the files of the seat in a folder; nothing is read yet.

        Args:
            folder: Where the private file and the journal are.
            match_id: The match.
            role: The seat.
            place: Where the secrets are, as the header says it.
            host: Fingerprint of the authority of the host; empty looks for no earlier matches with it.
        """
        self._folder = folder
        self._match_id = match_id
        self._role = role
        self._place: Place = place
        self._host = host
        self.earlier: tuple[StoppedOpening, ...] = ()
        """Earlier matches with this host that stopped after the deal, as far as they were looked for."""
        self._private: PrivateFile | None = None
        self._participant: JournaledParticipant | None = None
        self._transcript: TranscriptLog | None = None
        self._stream = bytearray()
        self._read = 0
        self._total = 0
        self._seq = -1
        self._sent: set[bytes] = set()
        """Signed messages that this connection has sent."""
        self._answers: list[Resumed] = []
        self._ack: Ack | None = None
        self._asks = True
        self.heard = 0
        """Number of the last signed text on this connection."""

    # -- files

    @property
    def path(self) -> Path:
        """Return the private file."""
        return self._folder / f"{self._match_id}.{self._role}{SUFFIX}"

    def _opened(self) -> PrivateFile:
        if self._private is None:
            self._private = PrivateFile(self.path, self._match_id, self._role)
        return self._private

    def promise(self, *, deals: bool) -> FairParty:
        """Return what the seat promises in the header; the first call makes its master key.

        Args:
            deals: Whether the seats deal, so that it promises a card seed.

        Raises:
            FlagplotError: The private file is damaged, missing, in use, or the disk refused.
        """
        return promise_of(self._opened().enrol(), self._place, deals=deals)

    def check_enrolled(self) -> None:
        """Accept only a folder with the secrets of a seat that has enrolled.

        Raises:
            SeatRefusedError: They are not there.
        """
        if not self._opened().is_enrolled:
            raise SeatRefusedError(
                f"the private file of this seat is not here: {self.path}; bring it back to go on"
            )

    def lock(self) -> None:
        """Lock the private file, if the seat has one, before anything is sent.

        Raises:
            SeatInUseError: Another program has locked it.
            FlagplotError: It is damaged, or the disk refused.
        """
        if self.path.exists():
            self._opened()

    def look_for_earlier(self) -> None:
        """Look in the folder for earlier matches with this host that stopped after the deal, and log them."""
        if not self._host:
            return
        agreement = None if self._private is None else self._private.agreement
        until = None if agreement is None else agreement.time
        found = stopped_openings(self._folder, self._host, self._match_id, until)
        if found and found != self.earlier:
            matches = [one.match for one in found]
            log.warning(
                "earlier_openings_stopped", match=self._match_id, role=self._role, matches=matches
            )
        self.earlier = found

    def _agreement(self, header: Header) -> Agreement | None:
        if not self._host:
            return None
        return Agreement.of(self._host, time.time(), header.game, header.scenario)

    def open(self, copy: MatchReplica[Any]) -> None:
        """Take part in the match of a copy, whose header the seat has checked.

        Before the first command it looks for earlier matches with this host, also if it has looked before: another
        match may have stopped meanwhile.

        Raises:
            SeatRefusedError: The header does not contain the promise of this seat.
            FlagplotError: Copy and files contradict each other, or the disk refused.
        """
        transcript = copy.transcript
        assert transcript is not None, "the match has a transcript"
        if self._transcript is transcript:
            return
        self.check_enrolled()
        self._check_promise(copy.header)
        if self._participant is not None:
            self._participant.journal.close()
        if copy.seq <= 0:
            self.look_for_earlier()
        setup = setup_of(copy.ruleset, copy.header)
        self._transcript = transcript
        stored = CopyTranscript(copy, transcript)
        header = encode_header(copy.header)
        self._participant = seat = open_seat(
            self._opened(),
            setup,
            counters_folder(),
            stored,
            header,
            self._agreement(copy.header),
        )
        if not setup.deals:
            for seq in transcript.records:
                seat.learn(copy.records[seq])
        self.again()

    def _check_promise(self, header: Header) -> None:
        terms = terms_of(header)
        own = [one for one in terms.parties if one.role == self._role]
        if own != [self.promise(deals=terms.dealer_key is msgspec.UNSET)]:
            raise SeatRefusedError(
                "the header of the match does not contain what this seat promised"
            )

    def close(self) -> None:
        """Release the files."""
        if self._participant is not None:
            self._participant.journal.close()
        if self._private is not None:
            self._private.close()
        self._participant = self._private = None

    # -- receiving

    @property
    def participant(self) -> JournaledParticipant:
        """Return the participant; the match has a header."""
        assert self._participant is not None, "the seat takes part"
        return self._participant

    @property
    def is_open(self) -> bool:
        """Return whether the seat takes part."""
        return self._participant is not None

    def held(self, seq: int) -> int:
        """Return how many bytes of the messages of the next record are here.

        Args:
            seq: Number of the last record.
        """
        if seq != self._seq:
            self._seq = seq
            self._clear()
        return len(self._stream)

    @property
    def is_partial(self) -> bool:
        """Return whether more messages were announced than have arrived."""
        return len(self._stream) < self._total

    def _clear(self) -> None:
        self._stream.clear()
        self._read = self._total = 0

    def again(self) -> None:
        """Send and fetch everything once more that is due: on another connection, where messages may be lost."""
        self._clear()  # what arrived may be garbage of a host that is replaced by an honest one
        self._sent.clear()
        self._answers.clear()
        self._ack = None
        self._asks = True
        self.heard = 0

    def take(self, news: Transcript | None, seq: int, present: Iterable[str]) -> None:
        """Receive what is new in the transcript.

        Args:
            news: From the host.
            seq: Number of the last record that is here.
            present: Seats that are connected.

        Raises:
            ProtocolError: It makes no sense.
            FoulPlayError: The host has signed what no honest host signs.
            StorageError: The disk refused.
        """
        if news is None or self._participant is None:
            return
        self._guarded(lambda: self._take(news, seq, present))

    def _take(self, news: Transcript, seq: int, present: Iterable[str]) -> None:
        if news.texts is not None:
            self._take_texts(news.texts)
        part = news.part
        if part is not None and part.seq == seq + 1:
            held = self.held(seq)
            if part.offset != held:
                self._clear()
            is_too_long = part.offset + len(part.data) > part.total
            if part.offset != len(self._stream) or part.total > _MOST_BYTES or is_too_long:
                raise ProtocolError("the host sends a piece that was not asked for")
            self._stream += part.data
            self._total = part.total
            for batch, end in batches_in(self._stream, self._read):
                self._read = end
                self._deliver(batch)
            if not self.is_partial and self._read != len(self._stream):
                raise ProtocolError("the host sends a part of a batch")
        self.participant.connected(news.index, tuple(map(Role, present)))

    def _take_texts(self, texts: SignedTexts) -> None:
        seat = self.participant
        self.heard = texts.number
        for question in texts.resumes:
            if question.role != self._role:
                answer = seat.answer(question)
                if answer is not None:
                    self._answers.append(answer)
        for one in texts.resumed:
            if one.role != self._role:
                seat.take_resumed(one)
        for ack in texts.acks:
            seat.take_ack(ack)

    def _deliver(self, batch: OrderedBatch) -> None:
        refusal = self.participant.deliver(batch)
        if refusal is not None:
            raise ProtocolError(f"the host sends messages that do not follow: {refusal.problem}")

    def complete(self, record: Record) -> Record:
        """Return a record with what this seat alone knows of it, after its messages were followed.

        A host that deals has sent the seat all that it may know.

        Raises:
            FairPlayError: The record is not what its messages make.
            FoulPlayError: The host has signed what no honest host signs.
            BrokenChainError: A message is unreadable.
            StorageError: The disk refused.
        """
        transcript = self._transcript
        if record.transcript is msgspec.UNSET or transcript is None:
            return record
        messages, start = transcript.messages_of(record), transcript.segment_start
        before = transcript.hashes[start]
        batch = OrderedBatch(start, before, tuple(messages), record.transcript.order)
        self._guarded(lambda: self._deliver(batch))
        transcript.check(record)
        seat = self.participant
        if transcript.setup.deals:
            return seen_by(transcript, record, seat.cards)
        if not seat.cards.is_current:
            seat.learn(record)
        return record

    def audit(self) -> Callable[[], tuple[Evidence, ...]]:
        """Return a check of the opened secrets, which may run in a thread; it returns evidence, usually none."""
        return self.participant.audit()

    def stored(self) -> None:
        """Take note that the copy has all records up to here on the disk.

        Raises:
            StorageError: The disk refused.
        """
        transcript = self._transcript
        if transcript is not None and self._participant is not None and not transcript.segment:
            self.participant.record_stored(transcript.state.index)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do something, and save evidence if the seat stops.

        Raises:
            FoulPlayError: The seat has stopped.
        """
        try:
            work()
        except SeatHaltedError as error:
            raise FoulPlayError(self._reason(error)) from error

    def _reason(self, error: SeatHaltedError) -> str:
        found = () if self._participant is None else self._participant.accusations
        return f"{error}; {self.saved(found)}" if found else str(error)

    def saved(self, found: Sequence[Evidence]) -> str:
        """Save evidence beside the record; returns in words where it is."""
        stem = self._folder / f"{self._match_id}.{self._role}"
        try:
            paths = save_evidence(stem, found)
        except OSError as problem:
            log.exception("evidence_not_saved", path=str(stem), error=str(problem))
            return "the evidence could not be saved"
        return f"evidence saved: {', '.join(map(str, paths))}"

    # -- sending

    @property
    def is_pending(self) -> bool:
        """Return whether a record is pending, before which no command and no offer can be given."""
        transcript = self._transcript
        if transcript is None:
            return True
        state = transcript.state
        is_declined = state.phase is Phase.IDLE and state.completed is None
        return bool(transcript.segment) and state.phase is not Phase.CONSENT and not is_declined

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats whose messages the pending record waits for."""
        if self._transcript is None:
            return ()
        authors = (one.author for one in due(self._transcript.state) if one.author != HOST)
        return tuple(dict.fromkeys(authors))

    @property
    def open_offer(self) -> OpenOffer | None:
        """Return the offer that a consent of this seat would answer, as the transcript has it; None without one.

        What the host says of it besides may be another offer, to which the player would agree.
        """
        log = self._transcript
        if log is None or log.state.offer is None or log.state.phase is not Phase.CONSENT:
            return None
        state, offer = log.state, log.state.offer
        return OpenOffer(
            offer=state.offer_at,
            role=state.offer_by,
            matter=Matter(offer.matter),
            to_seq=log.records[offer.record] if offer.matter == "takeback" else 0,
            waiting_for=tuple(one.author for one in due(state)),
        )

    def request(self, command: Command) -> SignedMessage:
        """Return the message that gives a command.

        Raises:
            IllegalCommandError: The rules refuse it.
            SlotUsedError: A record is pending, or an earlier command waits for the host.
            FlagplotError: The seat cannot sign now, or the disk refused.
        """
        if self.is_pending:
            raise SlotUsedError("an earlier command of this match is pending")
        return self.participant.request(command)

    def offer(self, offer: Offer) -> SignedMessage:
        """Return the message that makes an offer."""
        return self.participant.offer(offer)

    def consent(self, *, agrees: bool) -> SignedMessage:
        """Return the message that answers the open offer."""
        return self.participant.consent(agrees=agrees)

    def resign(self) -> SignedMessage:
        """Return the message with which this seat ends the match."""
        return self.participant.resign()

    def stop(self) -> SignedMessage:
        """Return the message that ends a match in which other seats do not answer.

        Raises:
            MatchError: The match waits for this seat, for no seat, or has no limit.
        """
        return self.participant.stop()

    def due(self) -> Post | None:
        """Return what this seat has to send now, and has not sent on this connection; None for nothing.

        Raises:
            FoulPlayError: The seat has stopped.
            StorageError: The disk refused; nothing may be sent.
        """
        if self._participant is None or self.is_partial:
            return None
        made: list[Post] = []
        self._guarded(lambda: made.append(self._post()))
        post = made[0]
        return None if post == Post() else post

    def _post(self) -> Post:
        seat = self.participant
        resume = None
        if self._asks and not seat.resumption.is_over:
            resume, self._asks = seat.resume(), False
        answers, self._answers = tuple(self._answers), []
        ack = seat.ack() if self._ack is None else None
        self._ack = self._ack or ack
        fresh = [one for one in seat.due_messages() if one.data not in self._sent]
        self._sent.update(one.data for one in fresh)
        return Post(messages=tuple(fresh), resume=resume, resumed=answers, ack=ack)

    def allow_seed(self, *, is_wait_over: bool) -> None:
        """Allow the card seed to be opened once the time for acknowledgements is over."""
        if self._participant is not None:
            self._participant.allow_seed(is_wait_over=is_wait_over)


def parts_of(post: Post) -> Iterator[PostPart]:
    """Yield the messages of the network that carry a post."""
    data, name = canonical(post), new_id()
    for offset in range(0, len(data), CHUNK_BYTES):
        piece = data[offset : offset + CHUNK_BYTES]
        yield PostPart(request_id=name, offset=offset, total=len(data), data=piece)
