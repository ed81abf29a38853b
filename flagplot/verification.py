"""Verifies record files."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from saves import verify as verifier
from saves.verdicts import Verdict
from saves.workers import available_cpu_count


def verify(path: str | PathLike[str], *, against: str | PathLike[str] | None = None) -> Verdict:
    """Verify a record file by replaying every command. This function never raises an error about the file's content.

    Args:
        path: A record file, full or redacted.
        against: Another copy of the same match: any copy in protocol 7, otherwise the full copy. None for no
            comparison.
    """
    return verifier.verify_file(Path(path), against=None if against is None else Path(against))


def verify_files(
    paths: Iterable[str | PathLike[str]],
    *,
    against: str | PathLike[str] | None = None,
    jobs: int = 0,
) -> Iterator[Verdict]:
    """Yield the verdicts on record files, in order.

    Args:
        paths: Record files.
        against: Another copy to compare each file with; see :func:`verify`.
        jobs: Number of processes; 0 for one per processor.

    Raises:
        ComparisonError: A file cannot be compared with the given copy.
        WorkerDiedError: A process exited before it returned a result.
    """
    files = tuple(map(Path, paths))
    other = None if against is None else Path(against)
    if other is not None:
        verifier.check_comparison(files, other)
    return verifier.verify_files(files, other, jobs or available_cpu_count())
