"""The log as it is read: a line per sentence, equal ones in a row as one with their number."""

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec
from msgspec.structs import replace

from engine.registry import AnyRuleset
from saves.entries import remark_of
from saves.records import Record


class LogLine(msgspec.Struct, frozen=True):
    """One sentence of the log."""

    seq: int
    """Record it belongs to."""
    text: str
    is_draft: bool = False


def remark_words(ruleset: AnyRuleset, record: Record) -> str:
    """Return what a remark says, with who says it unless it is a narrator."""
    text = remark_of(record)
    speaker = ruleset.role_titles.get(record.role, record.role.title())
    return f"{speaker}: {text}" if speaker else text


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
