"""Verifies one long record file in several processes.

One process folds the file while the others verify its segments.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final, TypeAlias

from engine import registry
from saves.errors import FalseRecordError
from saves.logfile import Log
from saves.protocol6.party_commitments import PartyCommitments
from saves.record_verifier import CommandVerifier, RecordVerifier
from saves.records import Record
from saves.timeline import convert_errors
from saves.workers import map_in_workers

LONG_RECORDS: Final = 300
"""Minimum number of records for using several processes. With fewer records, one process is faster."""
SEGMENT_RECORDS: Final = 100
"""Number of commands in a segment. Each segment is verified by one worker."""

Run: TypeAlias = tuple[Any, list[Record]]
"""Records of consecutive commands, preceded by the state before the first of them."""
Fault: TypeAlias = tuple[type[FalseRecordError], int, str, int | None]
"""A segment's first false record: error type, record number, problem and event index."""


def verify_in_segments(verifier: RecordVerifier[Any], log: Log, jobs: int) -> Iterator[int]:
    """Verify all records in a file, yielding the number of the last verified record whenever it increases.

    Records are folded before they are verified. After an error, the verifier's timeline therefore includes unverified
    records.

    Raises:
        FalseRecordError: A record is false; the error names the first one.
        WorkerDiedError: A worker process exited before it returned a result.
    """
    segments = _segments(verifier, log.records)
    tasks = ((log.header.game, verifier.secret, verifier.commitments, runs) for runs in segments)
    with closing(map_in_workers(jobs, verify_segment, tasks)) as results:
        for last_verified, fault in results:
            if fault is not None:
                error, seq, problem, event = fault
                raise error(seq, problem, event)
            yield last_verified
    # Records remain only if one of them could not be folded. Adding that record now raises its
    # error. Any earlier fault has been raised above.
    for record in log.records[verifier.timeline.seq + 1 :]:
        verifier.add(record)
    yield verifier.timeline.seq


def _segments(verifier: RecordVerifier[Any], records: Sequence[Record]) -> Iterator[list[Run]]:
    """Fold the records and yield their commands in segments, up to the first record that cannot be folded.

    The caller verifies that record only after all earlier ones, because a false earlier record may be the real cause.
    """
    runs: list[Run] = []
    count = 0
    next_records = False
    for record in records:
        state = verifier.timeline.state
        try:
            if record.kind == "command":
                verifier.fold(record)
            else:
                verifier.add(record)
        except Exception:  # noqa: BLE001 - the record is verified later and then raises the same error
            break
        if record.kind != "command":
            # A remark does not change the state, so the segment can continue after it.
            next_records = next_records and record.kind == "remark"
            continue
        if not runs or not next_records:
            runs.append((state, []))
        next_records = True
        runs[-1][1].append(record)
        count += 1
        if count == SEGMENT_RECORDS:
            yield runs
            runs, count = [], 0
    yield runs


def verify_segment(
    game: str, secret: bytes, commitments: PartyCommitments, runs: list[Run]
) -> tuple[int, Fault | None]:
    """Verify one segment.

    Return the number of its last correct record, and its first fault or None.
    """
    verifier: CommandVerifier[Any] = CommandVerifier(registry.ruleset(game), secret, commitments)
    last_verified = -1
    try:
        for start_state, records in runs:
            state = start_state
            for record, next_record in zip(records, [*records[1:], None], strict=True):
                with convert_errors(record.seq):
                    state = verifier.verify(state, record, next_record)
                last_verified = record.seq
    except FalseRecordError as error:
        return last_verified, (type(error), error.record, error.problem, error.event)
    return last_verified, None
