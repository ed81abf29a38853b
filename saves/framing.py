"""Encodes and decodes the ``.fplog`` byte format, and distinguishes a torn write from damage.

All numbers are big-endian. The header block consists of magic, prefix, header, padding and checksum. A frame consists
of prefix, sequence number, previous chain value, payload, padding and checksum. A prefix consists of the payload length
and its CRC-32, so the length can be trusted before the payload is read.
"""

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from saves.chain import first_chain, next_chain
from saves.decoding import DECODE_ERRORS, canonical, decode
from saves.errors import BrokenChainError, CorruptLogError, StorageError, UnreadableError
from saves.fair.segments import Segment
from saves.headers import FORMAT_VERSION, Header, decode_header, encode_header
from saves.protocol6.parties import Consent, Links, OpenedSeed, Sealed, SignedStep
from saves.records import HASH_BYTES, MAX_RECORD_BYTES, Entry, Kind, Record, Seq
from saves.timeline import check_shape

MAGIC: Final = b"\x8fFPLOG\r\n"
SECTOR: Final = 512
_PREFIX_STRUCT: Final = struct.Struct(">II")
_LEAD_STRUCT: Final = struct.Struct(f">IIQ{HASH_BYTES}s")
_MARGIN: Final = 8
_CHECKSUM_BYTES: Final = 16
_LEAD_BYTES: Final = _LEAD_STRUCT.size


class Payload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The record fields in a frame's payload.

    The record's number and previous chain value are stored outside the payload.
    """

    kind: Kind
    role: Role
    command: Entry | None
    events: tuple[Entry, ...]
    takeback_to: Seq | None
    secret: bytes | None
    links: Links | msgspec.UnsetType = msgspec.UNSET
    signature: Entry | msgspec.UnsetType = msgspec.UNSET
    consents: tuple[Consent, ...] | msgspec.UnsetType = msgspec.UNSET
    steps: tuple[SignedStep, ...] | msgspec.UnsetType = msgspec.UNSET
    sealed: tuple[Sealed, ...] | msgspec.UnsetType = msgspec.UNSET
    seeds: tuple[OpenedSeed, ...] | msgspec.UnsetType = msgspec.UNSET
    transcript: Segment | msgspec.UnsetType = msgspec.UNSET


class TornTail(msgspec.Struct, frozen=True):
    """The bytes that an interrupted, unacknowledged write left at the end of a file."""

    offset: int
    """Offset of the first of these bytes."""
    dropped_bytes: int
    """Number of these bytes, which are dropped."""

    @override
    def __str__(self) -> str:
        return f"the last write was interrupted; {self.dropped_bytes} bytes after byte {self.offset} are dropped"


class Scan(msgspec.Struct, frozen=True):
    """The readable contents of a file, and any damage."""

    header: Header
    records: Sequence[Record]
    record_offsets: Sequence[int]
    """Offset of each record's first byte."""
    intact_bytes: int
    """Offset where the last intact record ends."""
    torn: TornTail | None
    damage: CorruptLogError | None
    """The damage after the intact part; None if the file ends there or only a torn write follows."""


_PAYLOAD_DECODER: Final = msgspec.msgpack.Decoder(Payload)


def _checksum(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM_BYTES, person=b"flagplot-frame").digest()


def _prefix(length: int) -> bytes:
    return _PREFIX_STRUCT.pack(length, zlib.crc32(length.to_bytes(4, "big")))


def padding_bytes(end: int) -> int:
    """Return the number of zero bytes to add to a frame that would otherwise end at this offset.

    A frame's end is always at least 8 bytes away from a sector boundary. Even if the sector with a frame's end is lost,
    the frame's prefix is in an earlier sector. The length in the prefix shows whether the frame is the last one.
    """
    sector_offset = end % SECTOR
    if sector_offset < _MARGIN:
        return _MARGIN - sector_offset
    if sector_offset > SECTOR - _MARGIN:
        return SECTOR - sector_offset + _MARGIN
    return 0


def pack_head(header: Header) -> bytes:
    """Encode a file's header block.

    Raises:
        StorageError: The header is too long.
    """
    body = encode_header(header)
    if len(body) > MAX_RECORD_BYTES:
        raise StorageError(f"a header of {len(body)} bytes is too long for a record file")
    head = MAGIC + _prefix(len(body)) + body
    head += bytes(padding_bytes(len(head) + _CHECKSUM_BYTES))
    return head + _checksum(head)


def pack_frame(record: Record, offset: int) -> bytes:
    """Encode a record as a frame that begins at this offset.

    Raises:
        StorageError: The record is too long.
    """
    # The payload omits the record's number and chain value, because both follow from the frame's
    # position in the file.
    body = canonical(
        Payload(
            kind=record.kind,
            role=record.role,
            command=record.command,
            events=record.events,
            takeback_to=record.takeback_to,
            secret=record.secret,
            links=record.links,
            signature=record.signature,
            consents=record.consents,
            steps=record.steps,
            sealed=record.sealed,
            seeds=record.seeds,
            transcript=record.transcript,
        )
    )
    if len(body) > MAX_RECORD_BYTES:
        raise StorageError(f"record {record.seq} has {len(body)} bytes, which is too long")
    frame = _prefix(len(body)) + record.seq.to_bytes(8, "big") + record.prev + body
    frame += bytes(padding_bytes(offset + len(frame) + _CHECKSUM_BYTES))
    return frame + _checksum(frame)


def scan(file: str, data: bytes) -> Scan:
    """Read all intact records from a file's contents.

    Raises:
        CorruptLogError: The header block is damaged, so nothing can be read.
    """
    header, offset = read_head(file, data)
    records: list[Record] = []
    record_offsets: list[int] = []
    chain = first_chain(header)
    torn: TornTail | None = None
    damage: CorruptLogError | None = None
    view = memoryview(data)
    size = len(data)
    while offset < size:
        # Fast path: accept only frames that would pass every check below. If a frame is rejected,
        # the slower code below finds out why.
        intact_frame = _next_intact_frame(view, offset, len(records), chain)
        if intact_frame is not None:
            records.append(intact_frame[0])
            record_offsets.append(offset)
            chain, offset = intact_frame[0].chain, intact_frame[1]
            continue
        end = _frame_end(data, offset)
        # Each write is on disk before the next one begins, so only the end of the file can be torn.
        if (end is None or end >= size) and _is_torn(data, offset, end):
            torn = TornTail(offset, size - offset)
            break
        if end is None:
            damage = CorruptLogError(file, offset, len(records), "its length is wrong")
            break
        try:
            record = _read_frame(view, offset, end, len(records), chain)
        except (UnreadableError, BrokenChainError) as error:
            damage = CorruptLogError(file, offset, len(records), str(error))
            break
        records.append(record)
        chain = record.chain
        record_offsets.append(offset)
        offset = end
    return Scan(header, records, record_offsets, offset, torn, damage)


def leading_records(file: str, data: bytes) -> Iterator[Record]:
    """Yield the records at the beginning of a file. Each record is decoded only on request.

    Args:
        file: The file's name, for error messages.
        data: The beginning of the file. A truncated frame ends the iteration.

    Raises:
        CorruptLogError: The header block or the next record is damaged.
    """
    header, offset = read_head(file, data)
    chain, seq, view = first_chain(header), 0, memoryview(data)
    while offset + _PREFIX_STRUCT.size <= len(data):
        end = _frame_end(data, offset)
        if end is None:
            raise CorruptLogError(file, offset, seq, "its length is wrong")
        if end > len(data):
            return
        try:
            record = _read_frame(view, offset, end, seq, chain)
        except (UnreadableError, BrokenChainError) as error:
            raise CorruptLogError(file, offset, seq, str(error)) from error
        yield record
        chain, seq, offset = record.chain, seq + 1, end


def read_head(file: str, data: bytes) -> tuple[Header, int]:
    """Decode a file's header and return it with the offset of the first record. The rest of the file may be missing.

    Raises:
        CorruptLogError: The header block is damaged.
    """

    def header_error(problem: str) -> CorruptLogError:
        return CorruptLogError(file, 0, -1, problem)

    start = len(MAGIC) + _PREFIX_STRUCT.size
    if data[: len(MAGIC)] != MAGIC:
        raise header_error("this is not a flagplot record file" if data else "the file is empty")
    if len(data) < start:
        raise header_error("the file ends within its header")
    length, crc = _PREFIX_STRUCT.unpack_from(data, len(MAGIC))
    if crc != zlib.crc32(length.to_bytes(4, "big")) or length > MAX_RECORD_BYTES:
        raise header_error("the length of the header is wrong")
    end = start + length + _CHECKSUM_BYTES
    end += padding_bytes(end)
    if len(data) < end:
        raise header_error("the file ends within its header")
    if _checksum(data[: end - _CHECKSUM_BYTES]) != data[end - _CHECKSUM_BYTES : end]:
        raise header_error("the checksum of the header is wrong")
    try:
        header = decode_header(data[start : start + length])
    except UnreadableError as error:
        raise header_error(str(error)) from error
    # The version is compared after decoding, so a header with an unknown field has already been
    # rejected as unreadable.
    if header.format != FORMAT_VERSION:
        raise header_error(
            f"format {header.format} is unknown; this program reads format {FORMAT_VERSION}"
        )
    return header, end


def _frame_end(data: bytes, offset: int) -> int | None:
    """Return the offset where the frame ends, or None if the frame's prefix is truncated or wrong."""
    if len(data) - offset < _PREFIX_STRUCT.size:
        return None
    length, crc = _PREFIX_STRUCT.unpack_from(data, offset)
    if crc != zlib.crc32(length.to_bytes(4, "big")) or length > MAX_RECORD_BYTES:
        return None
    end: int = offset + _LEAD_BYTES + length + _CHECKSUM_BYTES
    return end + padding_bytes(end)


def _is_torn(data: bytes, offset: int, end: int | None) -> bool:
    """Return whether an interrupted write can explain the data at this offset.

    There are two cases. Either the frame extends past the end of the file, or the file's new length reached the disk
    but one sector did not. In the second case, all of the last frame's bytes in that sector are zero.
    """
    size = len(data)
    if size - offset < _PREFIX_STRUCT.size:
        return True
    if end is None:
        sector_end = min(size, (offset // SECTOR + 1) * SECTOR)
        # If a complete frame follows, this record may have been acknowledged, so the zeros count as damage.
        return not any(data[offset:sector_end]) and not _has_later_frame(data, sector_end)
    if end > size:
        return True
    if end < size or _has_valid_checksum(data, offset, end):
        return False
    edges = [offset, *range((offset // SECTOR + 1) * SECTOR, end, SECTOR), end]
    return any(not any(data[start:stop]) for start, stop in pairwise(edges))


def _has_valid_checksum(data: bytes | memoryview, offset: int, end: int) -> bool:
    data_end = end - _CHECKSUM_BYTES
    return _checksum(memoryview(data)[offset:data_end]) == data[data_end:end]


_FRAME_PATTERN: Final = re.compile(rb"(?s)\x00[\x00-\x40]..(?!\x00{4}).{4}\x00{4}.{4}")
"""Matches the first bytes of a plausible frame.

These are a plausible length, its checksum (never zero for a short length) and a record number below 2^32.
"""
_MAX_HASHED_BYTES: Final = 64 << 20
"""Maximum total length of the frames whose checksums are computed during a search for a later frame."""
_NOT_ZERO: Final = re.compile(rb"[^\x00]")


def _has_later_frame(data: bytes, start: int) -> bool:
    """Return whether a complete frame begins at or after this offset.

    Also return True for a file with so many beginnings of long frames that checking them all would take too long. No
    interrupted write leaves such a file.
    """
    offset, hashed_bytes = start, 0
    # Skipping zeros first keeps the search fast in files that end with many megabytes of zeros.
    while (nonzero := _NOT_ZERO.search(data, offset)) is not None:
        # The prefix of a frame is never all zeros, so a frame can begin only a few bytes before the
        # next non-zero byte.
        candidate = _FRAME_PATTERN.search(
            data, max(start, nonzero.start() - _PREFIX_STRUCT.size, offset)
        )
        if candidate is None:
            return False
        offset = candidate.start()
        end = _frame_end(data, offset)
        if end is not None and end <= len(data):
            hashed_bytes += end - offset
            if hashed_bytes > _MAX_HASHED_BYTES or _has_valid_checksum(data, offset, end):
                return True
        offset += 1
    return False


def _next_intact_frame(
    view: memoryview, offset: int, seq: int, chain: bytes
) -> tuple[Record, int] | None:
    """Decode the next record and return it with the offset where its frame ends. Return None if any check fails."""
    start = offset + _LEAD_BYTES
    if start > len(view):
        return None
    length, crc, number, prev = _LEAD_STRUCT.unpack_from(view, offset)
    end = start + length + _CHECKSUM_BYTES
    end += padding_bytes(end)
    data_end = end - _CHECKSUM_BYTES
    if (
        # The checksum is compared last, because computing it requires hashing the whole frame.
        number != seq
        or prev != chain
        or end > len(view)
        or length > MAX_RECORD_BYTES
        or crc != zlib.crc32(view[offset : offset + 4])
        or _checksum(view[offset:data_end]) != view[data_end:end]
    ):
        return None
    try:
        return _build_record(
            _PAYLOAD_DECODER.decode(view[start : start + length]), number, prev
        ), end
    except (*DECODE_ERRORS, BrokenChainError):
        return None


def _build_record(payload: Payload, seq: int, prev: bytes) -> Record:
    """Build a record from its payload, number and previous chain value.

    Raises:
        BrokenChainError: The fields do not fit the record's kind.
    """
    record = Record(
        seq=seq,
        kind=payload.kind,
        role=payload.role,
        command=payload.command,
        events=payload.events,
        takeback_to=payload.takeback_to,
        secret=payload.secret,
        prev=prev,
        chain=next_chain(prev, seq, payload),
        links=payload.links,
        signature=payload.signature,
        consents=payload.consents,
        steps=payload.steps,
        sealed=payload.sealed,
        seeds=payload.seeds,
        transcript=payload.transcript,
    )
    check_shape(record)
    return record


def _read_frame(view: memoryview, offset: int, end: int, seq: int, chain: bytes) -> Record:
    """Decode a frame's record.

    Raises:
        UnreadableError: The frame is damaged.
        BrokenChainError: The frame is intact, but the record is malformed.
    """
    if not _has_valid_checksum(view, offset, end):
        raise UnreadableError("its checksum is wrong")
    length, _, number, prev = _LEAD_STRUCT.unpack_from(view, offset)
    if number != seq:
        raise UnreadableError(f"it is numbered as record {number}")
    if prev != chain:
        raise UnreadableError("it does not follow the record before it")
    start = offset + _LEAD_BYTES
    payload = decode(_PAYLOAD_DECODER, view[start : start + length], MAX_RECORD_BYTES)
    return _build_record(payload, number, prev)
