"""Formats the log as text, one line per sentence. Repeated lines are combined and counted."""

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec
from msgspec.structs import replace

from engine.registry import AnyRuleset
from saves.entries import remark_text
from saves.records import Record


class LogLine(msgspec.Struct, frozen=True):
    """One sentence of the log."""

    seq: int
    """Number of the record to which the sentence belongs."""
    text: str
    is_draft: bool = False


def format_remark(ruleset: AnyRuleset, record: Record) -> str:
    """Return a remark's text, preceded by the speaker. A narrator's remark has no speaker."""
    text = remark_text(record)
    speaker = ruleset.role_titles.get(record.role, record.role.title())
    return f"{speaker}: {text}" if speaker else text


def collapse_repeats(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """Yield the lines, with each run of equal lines merged into one, such as ``Japan draws 1 card. (3x)``.

    A merged line has the record number of the last line in its run.
    """
    for _, equal_lines in groupby(lines, key=lambda line: (line.text, line.is_draft)):
        run = list(equal_lines)
        last_line = run[-1]
        yield (
            last_line
            if len(run) == 1
            else replace(last_line, text=f"{last_line.text} ({len(run)}x)")
        )


def count_repeats(sentences: Iterable[str]) -> Iterator[str]:
    """Yield the sentences. Merge each run of equal sentences into one sentence with a count."""
    for text, equal_sentences in groupby(sentences):
        count = len(list(equal_sentences))
        yield text if count == 1 else f"{text} ({count}x)"
