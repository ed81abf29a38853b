"""Sends, saves and checks the full record of a finished game.

The host sends the file to every seat. Each seat saves the file next to its own copy.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from engine.registry import AnyRuleset
from netplay.fair.ordered_match import OrderedMatch
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import CHUNK_BYTES, AskFull, FullPart
from saves.copy_verifier import CopyComparison
from saves.errors import CorruptLogError, FalseRecordError, StorageError
from saves.files import FILES, replace_file
from saves.framing import scan
from saves.headers import FULL, Header
from saves.logfile import MAX_LOG_BYTES, SUFFIX
from saves.match import Match
from saves.records import Record
from saves.timeline import convert_errors

FULL_SUFFIX: Final = f".full{SUFFIX}"
_ASK_SECONDS: Final = 8.0


def read_chunk(path: Path, offset: int) -> FullPart:
    """Return the chunk of a record file that starts at an offset.

    Raises:
        StorageError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            total = os.fstat(file.fileno()).st_size
            file.seek(min(offset, total))
            return FullPart(total=total, data=file.read(CHUNK_BYTES))
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error


async def chunk_for_seat(match: Match[Any], folder: Path, request: AskFull) -> FullPart:
    """Return a chunk of a match's full record for a seat.

    Raises:
        ProtocolError: The game is not over, or the seats deal the cards and can compute the full record themselves.
        StorageError: The record cannot be read.
    """
    if not match.is_revealed:
        raise ProtocolError("the full record is available only after the game")
    path = folder / f"{match.header.match_id}{SUFFIX}"
    if isinstance(match, OrderedMatch) and match.fair_state.setup.deals:
        raise ProtocolError("the seats already have every message; the host has nothing more")
    return await asyncio.to_thread(read_chunk, path, request.offset)


async def fetch_record(channel: RequestChannel) -> bytes:
    """Fetch the host's full record file.

    Raises:
        ConnectionLostError: The host does not respond.
        ProtocolError: The host's reply is invalid.
    """
    data = bytearray()
    while True:
        answer = await handshake.ask(channel, AskFull(offset=len(data)), _ASK_SECONDS)
        if not isinstance(answer, FullPart) or answer.total > MAX_LOG_BYTES:
            raise ProtocolError(handshake.UNEXPECTED_ANSWER)
        data += answer.data
        if len(data) >= answer.total:
            return bytes(data)
        # Empty chunks are refused, because a host could use them to keep this loop running forever.
        if not answer.data:
            raise ProtocolError("the host sent less of the record than it announced")


def save_record(path: Path, data: bytes) -> None:
    """Save the full record.

    Raises:
        StorageError: The write failed.
    """
    try:
        replace_file(FILES, path, data)
    except OSError as error:
        raise StorageError(f"cannot save {path}: {error.strerror or error}") from error


def find_difference(
    ruleset: AnyRuleset, data: bytes, header: Header, records: Sequence[Record]
) -> str:
    """Return how the full record differs from a seat's records, or an empty string if they agree.

    Unlike ``flagplot verify``, this function does not check the record against the rules.

    Args:
        ruleset: The game's rules.
        data: The content of the full record file.
        header: The seat's header.
        records: The records in the seat's copy.
    """
    try:
        scanned = scan("the whole record", data)
    except CorruptLogError as error:
        return str(error)
    if scanned.damage is not None:
        return str(scanned.damage)
    if scanned.header.audience != FULL or len(scanned.records) != len(records):
        return "it is not the full record of this game"
    try:
        comparison = CopyComparison[Any](ruleset, scanned.header, header)
        for full_record, seat_record in zip(scanned.records, records, strict=True):
            with convert_errors(full_record.seq):
                comparison.compare(full_record, seat_record)
    except FalseRecordError as error:
        return f"record {error.record}: {error.problem}" if error.record >= 0 else error.problem
    return ""
