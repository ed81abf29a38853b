"""The log as it is read: equal sentences in a row are one line with their number."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec.structs import replace

from play.session import LogLine


def folded(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """Yield the lines; of equal ones in a row the last, such as ``Japan draws 1 card. (3x)``."""
    for _, equal in groupby(lines, key=lambda line: (line.text, line.is_draft)):
        run = list(equal)
        last = run[-1]
        yield last if len(run) == 1 else replace(last, text=f"{last.text} ({len(run)}x)")


def told_once(sentences: Iterable[str]) -> Iterator[str]:
    """Yield the sentences; equal ones in a row once with their number."""
    for text, equal in groupby(sentences):
        number = len(list(equal))
        yield text if number == 1 else f"{text} ({number}x)"
