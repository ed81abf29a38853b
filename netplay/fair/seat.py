"""Runs a seat in a protocol 7 match, including the seat's files and its incoming and outgoing messages."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.journaled_participant import JournaledParticipant, open_seat
from netplay.fair.pending_messages import read_batches
from netplay.journal.errors import SeatHaltedError, SlotUsedError
from netplay.journal.private_file import SUFFIX, Agreement, PrivateFile
from netplay.journal.stopped_openings import StoppedOpening, find_stopped_openings
from netplay.wire.errors import FoulPlayError, ProtocolError, SeatRefusedError
from netplay.wire.messages import (
    CHUNK_BYTES,
    OpenOffer,
    Post,
    PostPart,
    SignedTexts,
    TranscriptUpdate,
)
from netplay.wire.request_ids import new_id
from play.offers import OfferKind
from saves.chain import public_header
from saves.codec import AnyGame
from saves.decoding import canonical
from saves.fair.due_messages import due_messages
from saves.fair.evidence import Evidence, evidence_header
from saves.fair.evidence_file import save_evidence
from saves.fair.fold import next_hash, transcript_start
from saves.fair.messages import HOST, Offer, SignedMessage, decode_message
from saves.fair.record_builder import complete_known_entries
from saves.fair.setup import fair_terms, make_commitments, match_setup, terms_hash
from saves.fair.signed_texts import Ack, OrderedBatch, Resume
from saves.fair.state import FairState, TranscriptPhase
from saves.fair.terms import FairParty, Place, TimeLimits
from saves.fair.transcript_log import TranscriptLog, restore_messages
from saves.headers import FORMAT_VERSION, Header, rules_differ, rules_words
from saves.match_replica import MatchReplica
from saves.records import MAX_RECORD_BYTES, Record

log = structlog.get_logger()

_MAX_BYTES: Final = 4 * MAX_RECORD_BYTES
"""Maximum length in bytes of the message stream for one record, including signatures."""


def counters_folder() -> Path:
    """Return the folder for the signed-message counters.

    It is separate, so that restoring the match files from a backup does not restore the counters.
    """
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "flagplot" / "signed"


class CopyTranscript:
    """Implements :class:`~netplay.journal.own_transcript.StoredTranscript` for the records in a copy."""

    def __init__(self, copy: MatchReplica[Any], transcript: TranscriptLog) -> None:
        """Create a view of the messages in a copy.

        Args:
            copy: The seat's copy.
            transcript: The copy's transcript, to which the messages that the seat folds are added.
        """
        self._copy = copy
        self._transcript = transcript

    def messages(self) -> Iterator[SignedMessage]:
        """Yield the messages in all records. Begin a new transcript segment after the last message of each record."""
        transcript = self._transcript
        setup, index, head = transcript.setup, -1, transcript.setup.header_hash
        for record in self._copy.records:
            if record.transcript is msgspec.UNSET:
                continue
            for signed in restore_messages(setup, index, {index: head}, record):
                yield signed
                index += 1
                head = next_hash(head, index, signed.data)
            if transcript.segment and transcript.state.index == index:
                transcript.begin_segment(record)

    def order(self) -> bytes:
        """Return the host's signature over the order of all messages; empty if there are no messages."""
        for record in reversed(self._copy.records):
            if record.transcript is not msgspec.UNSET:
                return record.transcript.order
        return b""

    def add_folded(self, signed: SignedMessage, after: FairState) -> None:
        """Add a message to the copy's transcript after the seat has folded it."""
        self._transcript.add_folded(signed, after)


class FairSeat:
    """Handles one seat's files, and the messages that the seat exchanges with the host."""

    def __init__(
        self, folder: Path, match_id: str, role: Role, place: Place, host: str = ""
    ) -> None:
        """Set the folder for the seat's files. Nothing is read yet.

        Args:
            folder: Folder for the private file and the journal.
            match_id: The match.
            role: The seat's role.
            place: Where the secrets are stored, according to the header.
            host: Fingerprint of the host's authority; empty to skip the search for earlier matches.
        """
        self._folder = folder
        self._match_id = match_id
        self._role = role
        self._place: Place = place
        self._host = host
        self.own_seats: tuple[FairSeat, ...] = (self,)
        """The seats of all roles that this program plays. The header must assign all of them to the same player, and
        must contain all of their commitments.
        """
        self.stopped_openings: tuple[StoppedOpening, ...] = ()
        """The result of the last search for earlier matches with this host that stopped after the deal."""
        self._private: PrivateFile | None = None
        self._participant: JournaledParticipant | None = None
        self._transcript: TranscriptLog | None = None
        self._stream = bytearray()
        self._read_bytes = 0
        self._total_bytes = 0
        self._seq = -1
        self._sent: set[tuple[bytes, bool]] = set()
        """Signed messages sent on this connection, each with True if it was due or False if it was sent early."""
        self._requests: list[Resume] = []
        """The other seats' resume requests that have not been answered yet."""
        self._ack: Ack | None = None
        self._must_resume = True
        self.last_text = 0
        """Number of the last signed text received on this connection."""

    # -- files

    @property
    def role(self) -> Role:
        """Return the seat's role."""
        return self._role

    @property
    def path(self) -> Path:
        """Return the private file's path."""
        return self._folder / f"{self._match_id}.{self._role}{SUFFIX}"

    def _open_private(self) -> PrivateFile:
        if self._private is None:
            self._private = PrivateFile(self.path, self._match_id, self._role)
        return self._private

    def commitments(self, header: Header, limits: TimeLimits, *, deals: bool) -> FairParty:
        """Return the seat's commitments for the header. The first call generates the seat's master key.

        Args:
            header: The match's header, with or without the seats' commitments.
            limits: The match's time limits.
            deals: True if the seats deal. Each seat then also commits to a card seed.

        Raises:
            SeatHaltedError: The seat has already made commitments under other terms.
            FlagplotError: The private file is damaged, missing or in use, or cannot be written.
        """
        secrets = self._open_private().enrol(terms_hash(header, limits, deals=deals))
        return make_commitments(secrets, self._place, deals=deals)

    def check_terms(self, header: Header, limits: TimeLimits, *, deals: bool) -> None:
        """If the seat has enrolled, check that the host still shows the terms under which it has.

        Args:
            header: The match's header, with or without the seats' commitments.
            limits: The match's time limits.
            deals: True if the seats deal.

        Raises:
            SeatHaltedError: The seat has enrolled under other terms.
            FlagplotError: The private file is damaged or in use, or cannot be written.
        """
        private = self._open_private()
        if private.is_enrolled:
            private.enrol(terms_hash(header, limits, deals=deals))

    def check_enrolled(self) -> None:
        """Check that the folder contains the secrets of an enrolled seat.

        Raises:
            SeatRefusedError: The secrets are missing.
        """
        if not self._open_private().is_enrolled:
            raise SeatRefusedError(
                f"this seat's private file is missing: {self.path}; restore it to continue"
            )

    def lock(self) -> None:
        """If the seat's private file exists, lock it before anything is sent.

        Raises:
            SeatInUseError: Another program has locked the file.
            FlagplotError: The file is damaged or cannot be read.
        """
        if self.path.exists():
            self._open_private()

    def find_stopped_openings(self) -> None:
        """Search the folder for earlier matches with this host that stopped after the deal, and log them."""
        if not self._host:
            return
        agreement = None if self._private is None else self._private.agreement
        latest_time = None if agreement is None else agreement.time
        openings = find_stopped_openings(self._folder, self._host, self._match_id, latest_time)
        if openings and openings != self.stopped_openings:
            match_ids = [opening.match for opening in openings]
            log.warning(
                "earlier_openings_stopped", match=self._match_id, role=self._role, matches=match_ids
            )
        self.stopped_openings = openings

    def _new_agreement(self, header: Header) -> Agreement | None:
        if not self._host:
            return None
        return Agreement.truncated(self._host, time.time(), header.game, header.scenario)

    def open(self, copy: MatchReplica[Any]) -> None:
        """Check the header of the seat's copy, and join the match.

        Before the first command, the search for stopped matches with the host is repeated, because another match may
        have stopped in the meantime.

        Raises:
            SeatRefusedError: The header is refused; see :meth:`check_header`.
            FlagplotError: The copy and the files contradict each other, or a file cannot be read or written.
        """
        transcript = copy.transcript
        assert transcript is not None, "the match must have a transcript"
        if self._transcript is transcript:
            return
        self.check_header(copy.ruleset, copy.header)
        if self._participant is not None:
            self._participant.journal.close()
        if copy.seq <= 0:
            self.find_stopped_openings()
        setup = match_setup(copy.ruleset, copy.header)
        stored = CopyTranscript(copy, transcript)
        header = evidence_header(copy.header)
        try:
            self._participant = seat = open_seat(
                self._open_private(),
                setup,
                counters_folder(),
                stored,
                header,
                self._new_agreement(copy.header),
            )
        except BaseException:
            # Some messages may have been folded already. A later attempt folds all of them again.
            copy.transcript = TranscriptLog(transcript.setup)
            raise
        if not setup.deals:
            for seq in transcript.records:
                seat.apply_record(copy.records[seq])
        # This is set last, so that the seat is opened again if a file could not be written.
        self._transcript = transcript
        self.restart_connection()

    def check_header(self, game: AnyGame, header: Header) -> None:
        """Check that the seat can play under a header.

        Raises:
            SeatRefusedError: The header does not contain this program's commitments, assigns its roles to several
                players, or describes a match of other rules.
            FlagplotError: The private file contradicts the header, or cannot be read or written.
        """
        self._check_commitments(header)
        # A seat that has agreed to a header continues under it, even with a newer program.
        if not self._open_private().header_hash:
            self._check_new_header(game, header)

    def _check_commitments(self, header: Header) -> None:
        self.check_enrolled()
        terms = fair_terms(header)
        own_parties = [party for party in terms.parties if party.role == self._role]
        # A host that could replace the commitments could sign and reveal in the seat's name.
        deals = terms.dealer_key is msgspec.UNSET
        if own_parties != [self.commitments(header, terms.limits, deals=deals)]:
            raise SeatRefusedError(
                f"the host's set-up of the match does not contain the commitments of {self._role}"
            )

    def _check_new_header(self, game: AnyGame, header: Header) -> None:
        if header.format != FORMAT_VERSION or rules_differ(game, header):
            raise SeatRefusedError(
                f"the host set up this match for format {header.format}, {rules_words(header)}, but this program has"
                f" format {FORMAT_VERSION}, {rules_words(game)}"
                f"{'' if game.data_digest == header.data_digest else ' and other game data'}"
            )
        listed_roles = sorted(seat.role for seat in header.seats)
        if listed_roles != sorted(party.role for party in fair_terms(header).parties):
            raise SeatRefusedError(
                "the host's set-up of the match does not list one player per role"
            )
        if len(self.own_seats) > 1:
            self._check_own_seats(header)

    def _check_own_seats(self, header: Header) -> None:
        """Check that all roles of this program can take part in one match under this header."""
        # Otherwise, verify would count one program as several, and report that dice cannot have been
        # chosen.
        own_roles = [seat.role for seat in self.own_seats]
        players = {seat.player for seat in header.seats if seat.role in own_roles}
        if len(players) > 1 or "" in players:
            roles = ", ".join(own_roles)
            raise SeatRefusedError(
                f"this program plays {roles}, but the host lists several players or none for them"
            )
        for seat in self.own_seats:
            seat.check_participation(header)

    def check_participation(self, header: Header) -> None:
        """Check that this seat takes part in a match that another seat of this program is about to agree to.

        Otherwise, a host could play this person's other roles there with keys of its own.

        Raises:
            SeatRefusedError: The header does not contain this seat's commitments, or the seat has agreed to another
                header.
            FlagplotError: The private file contradicts the header or is damaged.
        """
        if self._private is None:  # the file of a closed seat must not be locked again
            raise SeatRefusedError(f"this program has not enrolled {self._role}")
        self._check_commitments(header)
        if self._private.header_hash not in {b"", transcript_start(public_header(header))}:
            raise SeatRefusedError(f"{self._role} has agreed to a different match set-up")

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
        """Return the participant. The seat must have joined the match."""
        assert self._participant is not None, "the seat must have joined the match"
        return self._participant

    @property
    def is_open(self) -> bool:
        """Return whether the seat has joined the match."""
        return self._participant is not None

    def received_bytes(self, seq: int) -> int:
        """Return the number of bytes received from the message stream for the next record.

        Args:
            seq: Number of the last record.
        """
        if seq != self._seq:
            self._seq = seq
            self._clear_stream()
        return len(self._stream)

    @property
    def is_partial(self) -> bool:
        """Return whether some of the message bytes that the host has announced are still missing."""
        return len(self._stream) < self._total_bytes

    def _clear_stream(self) -> None:
        self._stream.clear()
        self._read_bytes = self._total_bytes = 0

    def restart_connection(self) -> None:
        """Prepare to resend and re-request everything that is due.

        Call this on a new connection, because messages may have been lost.
        """
        # The old stream may contain garbage from a dishonest host that has since been replaced.
        self._clear_stream()
        self._sent.clear()
        self._requests.clear()
        self._ack = None
        self._must_resume = True
        self.last_text = 0

    def receive(self, update: TranscriptUpdate | None, seq: int, present: Iterable[str]) -> None:
        """Process a new part of the transcript.

        Args:
            update: The new part from the host; None if there is none.
            seq: Number of the last record in the copy.
            present: The connected seats.

        Raises:
            ProtocolError: The data is malformed or out of order.
            FoulPlayError: The host has signed something that no honest host would sign.
            StorageError: The journal cannot be written.
        """
        if update is None or self._participant is None:
            return
        self._run_guarded(lambda: self._receive(update, seq, present))

    def _receive(self, update: TranscriptUpdate, seq: int, present: Iterable[str]) -> None:
        if update.texts is not None:
            self._receive_texts(update.texts)
        part = update.part
        if part is not None and part.seq == seq + 1:
            received_bytes = self.received_bytes(seq)
            # A restarted host may send a new stream from offset 0. Any other offset is refused
            # below.
            if part.offset != received_bytes:
                self._clear_stream()
            is_too_long = part.offset + len(part.data) > part.total
            if part.offset != len(self._stream) or part.total > _MAX_BYTES or is_too_long:
                raise ProtocolError("the host sent a chunk that was not requested")
            self._stream += part.data
            self._total_bytes = part.total
            for batch, end in read_batches(self._stream, self._read_bytes):
                self._read_bytes = end
                self._deliver(batch)
            if not self.is_partial and self._read_bytes != len(self._stream):
                raise ProtocolError("the host sent an incomplete batch")
        # Presence is updated after the messages, because the update checks whether any messages are
        # missing.
        self.participant.update_presence(update.index, tuple(map(Role, present)))

    def _receive_texts(self, texts: SignedTexts) -> None:
        seat = self.participant
        self.last_text = texts.number
        # A request is answered once the copy has all records, because until then the answer might
        # not count.
        self._requests += [request for request in texts.resumes if request.role != self._role]
        for answer in texts.resumed:
            if answer.role != self._role:
                seat.receive_answer(answer)
        for ack in texts.acks:
            seat.receive_ack(ack)

    def _deliver(self, batch: OrderedBatch) -> None:
        refusal = self.participant.deliver(batch)
        if refusal is not None:
            raise ProtocolError(f"the host sent messages out of order: {refusal.problem}")

    def complete_record(self, record: Record) -> Record:
        """Process a record's messages, and return the record with the hidden parts that this seat knows filled in.

        If the host deals, the host's record already contains everything that the seat may know.

        Raises:
            FairPlayError: The record does not match its messages.
            FoulPlayError: The host has signed something that no honest host would sign.
            BrokenChainError: A message cannot be decoded.
            StorageError: The journal cannot be written.
        """
        transcript = self._transcript
        if record.transcript is msgspec.UNSET or transcript is None:
            return record
        messages, start = transcript.restore_messages(record), transcript.segment_start
        before = transcript.hashes[start]
        batch = OrderedBatch(start, before, tuple(messages), record.transcript.order)
        # The participant folds the messages before the copy checks the record, because only the participant detects
        # forks.
        self._run_guarded(lambda: self._deliver(batch))
        transcript.check(record)
        seat = self.participant
        if transcript.setup.deals:
            return complete_known_entries(transcript, record, seat.cards)
        if not seat.cards.is_current:
            seat.apply_record(record)
        return record

    def audit(self) -> Callable[[], tuple[Evidence, ...]]:
        """Return a function that checks the revealed secrets and may run in a thread.

        The function returns any evidence that it finds. The result is usually empty.
        """
        return self.participant.audit()

    def on_records_stored(self) -> None:
        """Update the journal once all records in the copy are on disk.

        Raises:
            StorageError: The journal cannot be written.
        """
        transcript = self._transcript
        if transcript is not None and self._participant is not None and not transcript.segment:
            self.participant.record_stored(transcript.state.index)

    def _run_guarded(self, work: Callable[[], None]) -> None:
        """Call a function. If the seat stops as a result, save the evidence.

        Raises:
            FoulPlayError: The seat has stopped.
        """
        try:
            work()
        except SeatHaltedError as error:
            raise FoulPlayError(self._halt_reason(error)) from error

    def _halt_reason(self, error: SeatHaltedError) -> str:
        accusations = () if self._participant is None else self._participant.accusations
        return f"{error}; {self.save_evidence(accusations)}" if accusations else str(error)

    def save_evidence(self, accusations: Sequence[Evidence]) -> str:
        """Save evidence next to the record, and return a phrase that names the files."""
        stem = self._folder / f"{self._match_id}.{self._role}"
        try:
            paths = save_evidence(stem, accusations)
        except OSError as problem:
            log.exception("evidence_save_failed", path=str(stem), error=str(problem))
            return "the evidence could not be saved"
        return f"evidence saved: {', '.join(map(str, paths))}"

    # -- sending

    @property
    def is_pending(self) -> bool:
        """Return whether a record is pending. Until that record is complete, no command or offer can be made."""
        transcript = self._transcript
        if transcript is None:
            return True
        state = transcript.state
        # The messages of a declined offer stay in the segment, but they never become a record.
        is_declined = state.phase is TranscriptPhase.IDLE and state.completed is None
        is_waiting = state.phase is not TranscriptPhase.CONSENT and not is_declined
        # A dishonest host may send an offer that follows a record, but not the record itself. The
        # player would then decide without having seen the record.
        return bool(transcript.segment) and (is_waiting or transcript.is_past_record)

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats that must still send messages for the pending record."""
        if self._transcript is None:
            return ()
        authors = (
            message.author
            for message in due_messages(self._transcript.state)
            if message.author != HOST
        )
        return tuple(dict.fromkeys(authors))

    @property
    def open_offer(self) -> OpenOffer | None:
        """Return the open offer in the transcript that this seat can answer; None if there is none.

        An offer that follows a record cannot be answered before the record has arrived.

        The host also reports open offers separately, but a dishonest host could report a false offer.
        """
        log = self._transcript
        if log is None or log.state.offer is None or log.state.phase is not TranscriptPhase.CONSENT:
            return None
        if log.is_past_record:
            return None
        state, offer = log.state, log.state.offer
        return OpenOffer(
            offer=state.offer_at,
            role=state.offer_by,
            matter=OfferKind(offer.matter),
            to_seq=log.records[offer.record] if offer.matter == "takeback" else 0,
            waiting_for=tuple(message.author for message in due_messages(state)),
        )

    def sign_command(self, command: Command) -> tuple[SignedMessage, ...]:
        """Sign the messages for a command, in the order in which the host must index them.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            SlotUsedError: A record is pending, or the host has not processed an earlier command yet.
            FlagplotError: The seat cannot sign now, or the journal cannot be written.
        """
        self._check_not_pending()
        return self.participant.sign_command(command)

    def _check_not_pending(self) -> None:
        """Check that the copy shows the player the state in which a decision would be signed.

        Raises:
            SlotUsedError: A record is pending.
        """
        if self.is_pending:
            raise SlotUsedError("an earlier command of this match is pending")

    def sign_offer(self, offer: Offer) -> SignedMessage:
        """Sign this seat's offer. Raises the same errors as :meth:`sign_command`."""
        self._check_not_pending()
        return self.participant.sign_offer(offer)

    def sign_consent(self, *, agrees: bool) -> SignedMessage:
        """Sign this seat's answer to the open offer. Raises the same errors as :meth:`sign_command`."""
        self._check_not_pending()
        return self.participant.sign_consent(agrees=agrees)

    def sign_resignation(self) -> SignedMessage:
        """Sign this seat's resignation."""
        return self.participant.sign_resignation()

    def sign_stop(self, *, is_time_over: bool) -> SignedMessage:
        """Sign a message that ends the match because other seats do not respond.

        Args:
            is_time_over: True if the host reports that the others have exceeded the response time limit.

        Raises:
            MatchError: The match is not waiting for another seat, has no response time limit, or the others still have
                time.
        """
        return self.participant.sign_stop(is_time_over=is_time_over)

    def due_post(self) -> Post | None:
        """Return everything that this seat must still send on this connection; None if there is nothing.

        Raises:
            FoulPlayError: The seat has stopped.
            StorageError: The journal cannot be written. The caller must not send anything.
        """
        # Bytes that are still missing may change which messages are due.
        if self._participant is None or self.is_partial:
            return None
        posts: list[Post] = []
        self._run_guarded(lambda: posts.append(self._due_post()))
        post = posts[0]
        return None if post == Post() else post

    def _due_post(self) -> Post:
        seat = self.participant
        resume = None
        if self._must_resume and not seat.resumption.is_over:
            resume, self._must_resume = seat.resume_request(), False
        requests, self._requests = self._requests, []
        answers = tuple(filter(None, map(seat.answer_resume, requests)))
        ack = seat.sign_ack() if self._ack is None else None
        self._ack = self._ack or ack
        keys = {signed: (signed.data, self._is_due(signed)) for signed in seat.due_messages()}
        fresh = [signed for signed, key in keys.items() if key not in self._sent]
        self._sent.update(keys.values())
        return Post(messages=tuple(fresh), resume=resume, resumed=answers, ack=ack)

    def _is_due(self, signed: SignedMessage) -> bool:
        """Return whether the message's anchor is in the transcript. A message sent before that is sent again."""
        anchor = decode_message(self._match_id, signed.data).anchor
        return anchor <= self.participant.state.index

    def update_seed_permission(self, *, is_wait_over: bool) -> None:
        """Allow the card seed to be revealed if all acknowledgements have arrived or the wait for them is over."""
        if self._participant is not None:
            self._participant.update_seed_permission(is_wait_over=is_wait_over)


def split_post(post: Post) -> Iterator[PostPart]:
    """Split a post into parts for the network and yield them."""
    data, request_id = canonical(post), new_id()
    for offset in range(0, len(data), CHUNK_BYTES):
        piece = data[offset : offset + CHUNK_BYTES]
        yield PostPart(request_id=request_id, offset=offset, total=len(data), data=piece)


def single_part(*messages: SignedMessage, remark: str = "") -> PostPart:
    """Pack messages into a single part. If they do not all fit, pack only the first and leave the rest for later."""
    part, *more_parts = split_post(Post(messages=messages, remark=remark))
    if more_parts:
        (part,) = split_post(Post(messages=messages[:1], remark=remark))
    return part
