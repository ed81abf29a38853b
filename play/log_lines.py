"""The log as text: one line per sentence, with repeated lines combined and counted."""

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
    """Number of the record that produced it."""
    text: str
    is_draft: bool = False


def format_remark(ruleset: AnyRuleset, record: Record) -> str:
    """Return the text of a remark, preceded by the speaker unless that is a narrator."""
    text = remark_text(record)
    speaker = ruleset.role_titles.get(record.role, record.role.title())
    return f"{speaker}: {text}" if speaker else text


def collapse_repeats(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """Yield the lines, merging each run of equal lines into its last one, such as ``Japan draws 1 card. (3x)``."""
    for _, equal_lines in groupby(lines, key=lambda line: (line.text, line.is_draft)):
        run = list(equal_lines)
        last_line = run[-1]
        yield (
            last_line
            if len(run) == 1
            else replace(last_line, text=f"{last_line.text} ({len(run)}x)")
        )


def count_repeats(sentences: Iterable[str]) -> Iterator[str]:
    """Yield the sentences, merging each run of equal ones into one with a count."""
    for text, equal_sentences in groupby(sentences):
        count = len(list(equal_sentences))
        yield text if count == 1 else f"{text} ({count}x)"
