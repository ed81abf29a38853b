"""One long record judged by several processes: fold to the cuts, judge what lies between them side by side."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final, TypeAlias

from engine import registry
from saves.errors import FalseRecordError
from saves.judging import CommandJudge, Judge
from saves.logfile import Log
from saves.protocol6.pledges import Pledges
from saves.records import Record
from saves.timeline import checked
from saves.workers import in_workers

LONG: Final = 300
"""Records from which on several processes are faster than one."""
SEGMENT: Final = 100
"""Commands that are judged in one piece."""

Run: TypeAlias = tuple[Any, list[Record]]
"""Commands in a row, with the state before the first of them."""
Fault: TypeAlias = tuple[type[FalseRecordError], int, str, int | None]
"""What is wrong with the first false record of a segment: the error with record, problem and event."""


def judge_in_segments(judge: Judge[Any], log: Log, jobs: int) -> Iterator[int]:
    """Take all records of a file and yield the number of the last right one each time it is known to have grown.

    The judge folds ahead of what is judged, so after an error its timeline holds more than is right.

    Raises:
        FalseRecordError: The first record that is false.
        WorkerDiedError: A worker process ended before its answer.
    """
    segments = _segments(judge, log.records)
    tasks = ((log.header.game, judge.secret, judge.pledges, runs) for runs in segments)
    with closing(in_workers(jobs, judge_segment, tasks)) as answers:
        for last, fault in answers:
            if fault is not None:
                error, seq, problem, event = fault
                raise error(seq, problem, event)
            yield last
    for record in log.records[judge.timeline.seq + 1 :]:
        judge.add(record)
    yield judge.timeline.seq


def _segments(judge: Judge[Any], records: Sequence[Record]) -> Iterator[list[Run]]:
    """Fold the records and yield the commands among them; ends before the first one that cannot be folded.

    That one is judged when all before it are known to be right: until then the state may make no sense.
    """
    runs: list[Run] = []
    count = 0
    follows = False
    for record in records:
        state = judge.timeline.state
        try:
            if record.kind == "command":
                judge.fold(record)
            else:
                judge.add(record)
        except Exception:  # noqa: BLE001 - it is judged again in its turn, and then raises as it would have here
            break
        if record.kind != "command":
            follows = follows and record.kind == "remark"
            continue
        if not runs or not follows:
            runs.append((state, []))
        follows = True
        runs[-1][1].append(record)
        count += 1
        if count == SEGMENT:
            yield runs
            runs, count = [], 0
    yield runs


def judge_segment(
    game: str, secret: bytes, pledges: Pledges, runs: list[Run]
) -> tuple[int, Fault | None]:
    """Return the number of the last record of a segment, and what is wrong with the first false one, if any is."""
    judge: CommandJudge[Any] = CommandJudge(registry.ruleset(game), secret, pledges)
    last = -1
    try:
        for before, records in runs:
            state = before
            for record, coming in zip(records, [*records[1:], None], strict=True):
                with checked(record.seq):
                    state = judge.after(state, record, coming)
                last = record.seq
    except FalseRecordError as error:
        return last, (type(error), error.record, error.problem, error.event)
    return last, None
