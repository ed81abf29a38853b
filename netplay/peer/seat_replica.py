"""Manages a seat's local copy of the match: its redacted record file, its state, and recovery after a desync."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.registry import AnyRuleset, AnyState
from netplay.fair.seat import FairSeat
from netplay.feed.divergence_report import LogEnd, write_report
from netplay.invites.identity import SPECTATOR
from netplay.match_state.full_record import FULL_SUFFIX, find_difference
from netplay.peer.known_host import KnownHost
from netplay.wire.errors import FoulPlayError, ProtocolError, SeatRefusedError
from netplay.wire.messages import CHUNK_BYTES, Desync, RecordChunk, Rules
from netplay.wire.sanitising import NAME_LIMIT, REASON_LIMIT, sanitise
from saves.chain import check_chain, first_chain
from saves.commitments import check_openings
from saves.errors import (
    CorruptLogError,
    FairPlayError,
    FalseRecordError,
    MatchError,
    OlderRulesError,
    StorageError,
)
from saves.fair.full_copy import full_copy
from saves.fair.messages import Reveal, decode_message
from saves.fair.record_verifier import missing_seeds
from saves.fair.safety_words import safety_words
from saves.fair.transcript_log import TranscriptLog, restore_messages
from saves.files import make_folder
from saves.follower import Follower
from saves.headers import Header, audience_role, decode_header
from saves.logfile import SUFFIX, LogWriter, log_bytes, salvage
from saves.records import MAX_RECORD_BYTES, Record, decode_record, encode_record
from saves.terms import Terms
from saves.verify import verify_content

REPORT_FOLDER: Final = "differs"
_TAIL_RECORDS: Final = 12
_MAX_MOVED_FILES: Final = 100
"""Maximum number of files that are moved aside for the same reason, so that a host cannot fill the disk."""
_NO_CHAIN: Final = bytes(32)


class SeatReplica:
    """A seat's local copy of a match. The copy is empty until the host has sent a header."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        folder: Path | None,
        match: str,
        role: Role | None,
        seat: FairSeat | None = None,
        known_host: KnownHost | None = None,
    ) -> None:
        """Open the copy. If there is a file from an earlier session, continue it.

        If there is no folder, the copy is kept only in memory. A damaged file is moved aside, and the records before
        the damage are kept. Nothing is lost, because the host still has all records.

        Args:
            ruleset: The game's rules.
            folder: The folder for the file; None to keep the copy only in memory.
            match: The match id.
            role: The copy's role; None for a spectator.
            seat: The seat that signs messages; None if no messages are signed.
            known_host: Stores the host that the copy comes from; None to store nothing.

        Raises:
            LogInUseError: Another program has the file open.
            StorageError: A read or write failed.
        """
        self.path = (folder or Path()) / f"{match}.{role or SPECTATOR}{SUFFIX}"
        """Path of the file; not used if the copy is kept only in memory."""
        self._is_on_disk = folder is not None
        self.moved_to: Path | None = None
        """Path to which a damaged file was moved; None if no file was moved."""
        self.ruleset = ruleset
        self._match = match
        self._role = role
        self._follower: Follower[Any] | None = None
        self._chunk_buffer = bytearray()
        self._seat = seat
        self._known_host = known_host
        self._digest: tuple[int, bytes] | None = None
        if folder is not None:
            make_folder(folder)
        if self._has_file():
            self._resume()

    def _has_file(self) -> bool:
        return self._is_on_disk and self.path.exists()

    def _resume(self) -> None:
        follower: Follower[Any] | None
        try:
            follower = Follower[Any].resume(self.path, self.ruleset)
        except (CorruptLogError, MatchError):
            follower = self._resume_intact_part()
        if follower is None:
            return
        header = follower.header
        if header.match_id != self._match or audience_role(header) != self._role:
            follower.close()
            self._move_aside("other")
            return
        self._follower = follower
        if follower.transcript is not None and self._seat is not None:
            try:
                self._seat.open(follower)
            except BaseException:
                self.close()
                raise

    def _resume_intact_part(self) -> Follower[Any] | None:
        """Move a damaged file aside, and continue with the records before the damage.

        Return None if no record can be used.

        Records received together are written in one operation. If the power fails during the write, any disk sector of
        these records may be missing, and the file looks damaged. The host still has all of these records.
        """
        damaged_path = self._move_aside("damaged")
        try:
            salvage(damaged_path, self.path)
            return Follower[Any].resume(self.path, self.ruleset)
        except (CorruptLogError, MatchError):
            self.path.unlink(missing_ok=True)
            return None

    def _move_aside(self, suffix: str) -> Path:
        """Rename the file without overwriting an earlier one, and return the new path.

        An earlier file may contain a history that proves a fault of the host.
        """
        name = f"{self.path.name}.{suffix}"
        names = (name, *(f"{name}.{number}" for number in range(2, _MAX_MOVED_FILES + 1)))
        targets = map(self.path.with_name, names)
        target = next((path for path in targets if not os.path.lexists(path)), None)
        if target is None:
            raise StorageError(f"too many files next to {self.path} are called {name}")
        try:
            self.path.replace(target)
        except OSError as error:
            raise StorageError(f"cannot rename {self.path}: {error.strerror or error}") from error
        self.moved_to = target
        return target

    # -- reading

    @property
    def header(self) -> Header | None:
        """Return the header, or None before the host has sent it."""
        return None if self._follower is None else self._follower.header

    @property
    def seq(self) -> int:
        """Return the number of the last record, or -1 if there is none."""
        return -1 if self._follower is None else self._follower.seq

    @property
    def chain(self) -> bytes:
        """Return the last record's chain value."""
        return _NO_CHAIN if self._follower is None else self._follower.chain

    @property
    def state(self) -> AnyState:
        """Return the game state, as far as this seat knows it."""
        return self.ruleset.initial_state() if self._follower is None else self._follower.state

    @property
    def terms(self) -> Terms | None:
        """Return the agreements in force, such as an adjournment; None before the host has sent the header."""
        return None if self._follower is None else self._follower.terms

    @property
    def outcome(self) -> Outcome | None:
        """Return the match's outcome, or None while the match continues."""
        return None if self._follower is None or self.seq < 0 else self._follower.outcome

    @property
    def asked(self) -> tuple[Role, ...]:
        """Return the roles that must decide now."""
        return () if self._follower is None or self.seq < 0 else self._follower.asked

    def state_at(self, seq: int) -> AnyState:
        """Return the state after a record, given its number."""
        return (
            self.ruleset.initial_state() if self._follower is None else self._follower.state_at(seq)
        )

    @property
    def has_transcript(self) -> bool:
        """Return whether the match has a transcript.

        If so, the seats sign messages and all contribute to the randomness.
        """
        return self._follower is not None and self._follower.transcript is not None

    @property
    def deals(self) -> bool:
        """Return whether the seats deal the cards."""
        return self.has_transcript and self.transcript.setup.deals

    @property
    def safety_words(self) -> str:
        """Return the safety words, which players compare by voice; empty if there is no transcript or no record yet."""
        if not self.has_transcript or self.seq < 0:
            return ""
        follower, setup = self.follower, self.transcript.setup
        messages = restore_messages(setup, -1, {-1: setup.header_hash}, follower.records[0])
        bodies = {
            message.author: message.body.value
            for message in (decode_message(setup.match_id, signed.data) for signed in messages)
            if isinstance(message.body, Reveal) and not message.body.number
        }
        reveals = [bodies[party.role] for party in setup.parties]
        return " ".join(safety_words(setup.header_hash, reveals))

    @property
    def transcript(self) -> TranscriptLog:
        """Return the transcript, which contains the messages that the records are built from.

        The match must have one.
        """
        assert self._follower is not None, "the header must be received first"
        assert self._follower.transcript is not None, "the match must have a transcript"
        return self._follower.transcript

    @property
    def message_index(self) -> int:
        """Return the index of the last message in the transcript; -1 in a match without a transcript."""
        return self.transcript.state.index if self.has_transcript else -1

    @property
    def has_ended(self) -> bool:
        """Return whether the match has ended according to the transcript.

        After that, the seat signs only messages that reveal secrets.
        """
        return self.has_transcript and self.transcript.state.has_ended

    @property
    def follower(self) -> Follower[Any]:
        """Return the follower, which applies the records. The header must already have been received."""
        assert self._follower is not None, "the header must be received first"
        return self._follower

    @property
    def is_revealed(self) -> bool:
        """Return whether the match's secret has been revealed. If so, no records can follow."""
        return self._follower is not None and self._follower.is_revealed

    @property
    def received_bytes(self) -> int:
        """Return how many bytes of the next record have been received in chunks."""
        return len(self._chunk_buffer)

    def record(self, seq: int) -> Record:
        """Return the record with this number."""
        assert self._follower is not None, "the header must be received first"
        return self._follower.records[seq]

    def digest(self) -> bytes | None:
        """Return the digest of this seat's current view, or None before the first record."""
        if self._follower is None or self.seq < 0:
            return None
        if self._digest is None or self._digest[0] != self.seq:
            self._digest = (self.seq, self._follower.own_view_digest())
        return self._digest[1]

    def tail(self) -> tuple[bytes, ...]:
        """Return the latest records as the host may see them, encoded, and as many as fit in one message."""
        frames: list[bytes] = []
        free_bytes = CHUNK_BYTES
        for seq in range(self.seq, max(-1, self.seq - _TAIL_RECORDS), -1):
            frame = encode_record(self.follower.record_for_host(seq))
            free_bytes -= len(frame)
            if free_bytes < 0:
                break
            frames.append(frame)
        return tuple(reversed(frames))

    def drop_old_results(self, max_kept: int) -> None:
        """Drop results cached for earlier states, keeping at most ``max_kept`` of each kind; 0 drops them all."""
        if self._follower is not None:
            self._follower.drop_old_results(max_kept)

    # -- adding records

    def adopt_header(self, data: bytes, host_rules: Rules) -> None:
        """Adopt the header that the host sent. The header must match any header received earlier.

        Args:
            data: The encoded header.
            host_rules: The host's rules. The match may have begun under older rules.

        Raises:
            SeatRefusedError: The header is for another match or seat, the host uses different rules, or the header
                differs from the earlier header.
            UnreadableError: The data is not a header.
            StorageError: A write failed.
        """
        header = decode_header(data)
        self.check_rules(header.game, host_rules)
        if header.match_id != self._match or audience_role(header) != self._role:
            raise SeatRefusedError("the host sent the set-up of a different match or seat")
        is_signed = header.fair is not msgspec.UNSET
        if self._seat is not None and not is_signed and self._seat.path.exists():
            raise SeatRefusedError(
                "this seat has enrolled to sign its commands, but the host sent a match without signatures"
            )
        if self._follower is None:
            # A refused header is not stored, because the next start would adopt it.
            if self._seat is not None and is_signed:
                self._seat.check_header(self.ruleset, header)
            self._create(header)
        elif first_chain(self._follower.header) != first_chain(header):
            raise SeatRefusedError("the host sent a different match set-up than before")
        self.remember_host()
        if self._seat is not None and self._follower is not None and self.has_transcript:
            self._seat.open(self._follower)

    def remember_host(self) -> None:
        """Store the host that the copy comes from. From then on, other hosts' invites to this seat are refused.

        Raises:
            StorageError: A read or write failed.
        """
        if self._known_host is not None:
            self._known_host.remember()

    def check_rules(self, game: str, host_rules: Rules) -> None:
        """Check that the host and this program use the same rules.

        Raises:
            SeatRefusedError: The rules differ.
        """
        rules = self.ruleset
        own_rules = Rules(
            edition=rules.edition, version=rules.version, data_digest=rules.data_digest
        )
        if host_rules != own_rules:
            raise SeatRefusedError(
                sanitise(
                    f"the host plays {sanitise(game, NAME_LIMIT)} with {host_rules}, but this program has {own_rules}",
                    REASON_LIMIT,
                )
            )

    def _create(self, header: Header) -> None:
        writer = LogWriter.create(self.path) if self._is_on_disk else None
        try:
            self._follower = Follower[Any].create(self.ruleset, header, writer)
        except BaseException:
            if writer is not None:
                writer.close()
            raise

    def receive(self, record: Record) -> bool:
        """Add the next record, and return True. Return False if the copy already contains it.

        Raises:
            BrokenChainError: The record does not continue this copy.
            FairPlayError: The record does not match the parties' commitments and signed messages.
            FoulPlayError: The host has already sent a different record.
            StorageError: The write failed.
        """
        follower = self._follower
        assert follower is not None, "the header must be received before any record"
        self._chunk_buffer.clear()
        if self.has_transcript and 0 <= record.seq <= follower.seq:
            if follower.records[record.seq].chain != record.chain:
                raise FoulPlayError(f"the host sent a different record {record.seq} than before")
            return False
        if self.has_transcript and self._seat is not None and record.seq == follower.seq + 1:
            if not self.deals:  # an invalid record is refused before the seat processes it
                check_chain(record, follower.seq + 1, follower.chain)
                check_openings(record)
            record = self._seat.complete_record(record)
        return follower.receive(record)

    def receive_all(self, records: Iterable[Record]) -> list[Record]:
        """Add the next records with a single disk sync, and return the new ones.

        Raises:
            BrokenChainError: A record does not continue this copy. The records before it are kept.
            StorageError: The write failed.
        """
        assert self._follower is not None, "the header must be received before any record"
        with self._follower.batch():
            added = [record for record in records if self.receive(record)]
        self._on_stored()
        return added

    def _on_stored(self) -> None:
        """Notify the seat that the records are on disk."""
        if self.has_transcript and self._seat is not None:
            self._seat.on_records_stored()

    def receive_part(self, part: RecordChunk) -> Record | None:
        """Add a chunk of the next record. Return the record if it is complete and new, otherwise None.

        Raises:
            ProtocolError: The chunk is not the next one.
            BrokenChainError: The record does not continue this copy.
            StorageError: The write failed.
        """
        is_next_chunk = part.seq == self.seq + 1 and part.offset == len(self._chunk_buffer)
        if not is_next_chunk or part.total > MAX_RECORD_BYTES or not part.data:
            self._chunk_buffer.clear()
            raise ProtocolError("the host sent a chunk that was not requested")
        self._chunk_buffer += part.data
        if len(self._chunk_buffer) < part.total:
            return None
        record = decode_record(bytes(self._chunk_buffer))
        is_new = self.receive(record)
        self._on_stored()
        return record if is_new else None

    # -- differences

    def save_report(self, difference: Desync) -> Path | None:
        """Save a report with the last records of both logs.

        Return the path, or None if the report could not be saved.
        """
        if self.header is None or not self._is_on_disk:
            return None
        try:
            return write_report(
                self.path.parent / REPORT_FOLDER,
                self.header,
                self._role,
                difference.seq,
                host=LogEnd(digest=difference.digest, records=difference.records),
                peer=LogEnd(digest=self.digest(), records=self.tail()),
            )
        except StorageError:
            return None

    def rewind(self, seq: int, chain: bytes) -> int:
        """Roll back to the last record on which the host and the peer agree, and return its number.

        The old file is moved aside. If the given record differs too, the copy restarts without records, and -1 is
        returned.

        Raises:
            StorageError: A write failed.
        """
        follower = self._follower
        assert follower is not None, "the header must be received first"
        records = list(follower.records[: seq + 1]) if seq <= follower.seq else []
        if not records or records[-1].chain != chain:
            records = []
        header = follower.header
        follower.close()
        self._chunk_buffer.clear()
        self._digest = None
        self._follower = None
        if self._has_file():
            self._move_aside("differs")
        self._create(header)
        self.receive_all(records)
        return self.seq

    # -- the full record

    @property
    def full_path(self) -> Path:
        """Return the path where the full record is saved once the game is over."""
        return self.path.with_name(self.path.name.removesuffix(SUFFIX) + FULL_SUFFIX)

    @property
    def needs_full_record(self) -> bool:
        """Return whether the game is over and its full record can still be obtained but has not been saved."""
        is_seat = self._role is not None
        is_needed = (
            is_seat and self._is_on_disk and self.is_revealed and not self.full_path.exists()
        )
        return is_needed and not self._is_missing_seeds

    @property
    def _is_missing_seeds(self) -> bool:
        """Return whether card seeds were missing when a match with a transcript was closed.

        If so, no full copy can be computed.
        """
        follower = self._follower
        assert follower is not None, "the match must have ended"
        return self.has_transcript and bool(missing_seeds(follower.header, follower.records))

    def compute_full_record(self) -> tuple[bytes, str]:
        """Compute the full copy of a match whose seats deal.

        Return the file content and an empty string. If the copy contradicts the card seeds, return empty content and a
        description of the contradiction.
        """
        follower = self._follower
        assert follower is not None, "the match must have ended"
        try:
            header, records = full_copy(self.ruleset, follower.header, follower.records)
        except (FairPlayError, FalseRecordError, OlderRulesError) as error:
            return b"", str(error)
        return log_bytes(header, records), ""

    def find_difference(self, data: bytes) -> str:
        """Return how the full record differs from the seat's own records, or an empty string if they agree."""
        follower = self._follower
        assert follower is not None, "the match must have ended"
        problem = find_difference(self.ruleset, data, follower.header, follower.records)
        is_complete = not self.has_transcript or self.transcript.setup.knows_position
        if problem or is_complete:
            return problem
        # This seat does not know the custom starting position, so the results can be checked only
        # with the full record.
        finding = verify_content(self.full_path, data, self.ruleset).finding
        return "" if finding is None else str(finding)

    def close(self) -> None:
        """Close the file."""
        if self._follower is not None:
            self._follower.close()
        if self._seat is not None:
            self._seat.close()
