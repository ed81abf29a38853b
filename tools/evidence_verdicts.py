"""Formats verdicts on evidence files as text and JSON."""

import json
from collections.abc import Sequence
from typing import Final

import msgspec

from netplay.wire.sanitising import sanitise
from saves.fair.evidence_file import EXIT_CODES, EvidenceVerdict

_MAX_LINE_CELLS: Final = 400
_HASH_DIGITS: Final = 16


def as_text(verdict: EvidenceVerdict) -> str:
    """Return a verdict as terminal-safe text. If the accusation holds, the text also identifies the match."""
    lines = [f"{verdict.file}: {verdict}"]
    if verdict.status == "holds":
        header = verdict.header[:_HASH_DIGITS]
        lines.append(f"{verdict.game}, match {verdict.match_id}, header {header}")
        if not verdict.is_of_match:
            lines.append("add --against COPY to check that this is your match")
    return "\n      ".join(sanitise(line, _MAX_LINE_CELLS) for line in lines)


def as_json(verdicts: Sequence[EvidenceVerdict]) -> str:
    """Return all verdicts as one JSON document."""
    plain = [
        {**msgspec.to_builtins(verdict), "text": sanitise(str(verdict), _MAX_LINE_CELLS)}
        for verdict in verdicts
    ]
    return json.dumps(plain, indent=2)


def exit_code(verdicts: Sequence[EvidenceVerdict]) -> int:
    """Return the exit code for the worst of these verdicts."""
    order = list(EXIT_CODES)
    return EXIT_CODES[max((verdict.status for verdict in verdicts), key=order.index)]
