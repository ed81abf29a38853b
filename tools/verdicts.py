"""Formats verdicts on record files as text, JSON and JUnit XML."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import msgspec

from netplay.wire.sanitising import sanitise
from saves.headers import BLIND, FULL, SPECTATOR
from saves.verdicts import EXIT_CODES, Verdict
from saves.verify_requirements import NO_REQUIREMENTS, Requirements, is_success

_STATUS_WORDS: Final = {
    "ok": "ok",
    "unfinished": "SHORT",
    "incomplete": "GAPS",
    "awaited": "WAITS",
    "unproven": "OPEN",
    "older": "OLDER",
    "false": "FALSE",
    "unreadable": "BAD",
}
_CASES: Final = {
    "unfinished": "failure",
    "incomplete": "failure",
    "awaited": "skipped",
    "unproven": "failure",
    "older": "skipped",
    "false": "failure",
    "unreadable": "error",
}
_COUNTED: Final = {
    "unfinished": "unfinished",
    "incomplete": "incomplete",
    "older": "with older rules",
}
_EXTENTS: Final = {
    "proved": ", proved",
    "partly": ", partly proved",
    "not proved": ", not proved",
    "nothing": "",
}
_MAX_LINE_CELLS: Final = 400
_CHAIN_DIGITS: Final = 16


def exit_code(verdicts: Sequence[Verdict], demands: Requirements = NO_REQUIREMENTS) -> int:
    """Return the exit code for the worst verdict that does not pass; 0 if all verdicts pass."""
    order = list(EXIT_CODES)
    failed_statuses = [
        verdict.status for verdict in verdicts if not is_success(verdict.status, demands)
    ]
    return EXIT_CODES[max(failed_statuses, key=order.index)] if failed_statuses else 0


def as_text(verdict: Verdict, *, explained: bool = False) -> str:
    """Describe one file's verdict in terminal-safe lines.

    Args:
        verdict: The verdict.
        explained: True to add a summary of what the file proves.
    """
    lines = [
        f"{verdict.file}: {_finding_text(verdict)}",
        *(f"note: {note}" for note in verdict.notes),
    ]
    lines += [f"evidence: {note}; save it with --save-evidence FOLDER" for note in verdict.evidence]
    if explained:
        lines += _proof_lines(verdict)
    return f"{_STATUS_WORDS[verdict.status]:<5} " + "\n      ".join(
        sanitise(line, _MAX_LINE_CELLS) for line in lines
    )


def summary(verdicts: Sequence[Verdict]) -> str:
    """Return the last line of the report: the number of files per status."""
    counts = {word: sum(verdict.status == word for verdict in verdicts) for word in _STATUS_WORDS}
    noun = "file" if len(verdicts) == 1 else "files"
    older = "".join(
        f" {counts[status]} {words}," for status, words in _COUNTED.items() if counts[status]
    )
    seed_count = counts["awaited"] + counts["unproven"]
    older += f" {seed_count} with missing card seeds," if seed_count else ""
    return (
        f"{len(verdicts)} {noun}: {counts['ok']} ok,{older} {counts['false']} false,"
        f" {counts['unreadable']} unreadable"
    )


def as_json(verdicts: Sequence[Verdict], *, explained: bool = False) -> str:
    """Return all verdicts as one JSON document.

    Args:
        verdicts: The verdicts.
        explained: True to include a summary of what each file proves.
    """
    documents = [msgspec.to_builtins(verdict) for verdict in verdicts]
    if not explained:
        for document in documents:
            del document["proofs"]
    return json.dumps(documents, indent=2)


def _proof_lines(verdict: Verdict) -> Iterator[str]:
    """Yield one line per topic that states how much the file proves about it."""
    if verdict.status in {"false", "unreadable"}:
        count = verdict.records
        yield f"of the {count} records before that:" if count else "it proves nothing"
    for proof in verdict.proofs:
        extent = "" if proof.text.startswith(proof.extent) else _EXTENTS[proof.extent]
        yield f"{proof.topic}{extent}: {proof.text}"


def write_junit(verdicts: Sequence[Verdict], path: Path) -> None:
    """Write a JUnit XML report with one test case per file. Raises OSError if the report cannot be written."""
    suite = ET.Element(
        "testsuite",
        name="flagplot verify",
        tests=str(len(verdicts)),
        failures=_count(verdicts, "failure"),
        errors=_count(verdicts, "error"),
        skipped=_count(verdicts, "skipped"),
    )
    for verdict in verdicts:
        name = sanitise(verdict.file, _MAX_LINE_CELLS)
        case = ET.SubElement(suite, "testcase", classname=verdict.game or "unknown", name=name)
        properties = ET.SubElement(case, "properties")
        for property_name, value in _properties(verdict):
            ET.SubElement(properties, "property", name=property_name, value=value)
        if verdict.status != "ok":
            element_name = _CASES[verdict.status]
            ET.SubElement(
                case, element_name, message=sanitise(_finding_text(verdict), _MAX_LINE_CELLS)
            )
        if verdict.notes:
            ET.SubElement(case, "system-out").text = sanitise(
                "; ".join(verdict.notes), 4 * _MAX_LINE_CELLS
            )
    ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _properties(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each property known for a file."""
    yield "status", verdict.status
    if verdict.outcome is not None:
        yield "outcome", str(verdict.outcome)
    if verdict.unfinished is not None:
        yield "unfinished", "true" if verdict.unfinished else "false"
    yield "dropped_bytes", str(verdict.dropped_bytes)


def _count(verdicts: Sequence[Verdict], kind: str) -> str:
    return str(sum(_CASES.get(verdict.status) == kind for verdict in verdicts))


def _finding_text(verdict: Verdict) -> str:
    if verdict.status == "older":
        return f"intact, but made with different rules; the current rules give a different result at {verdict.finding}"
    if verdict.finding is not None:
        return str(verdict.finding)
    return (
        f"{verdict.game}, {_copy_description(verdict.audience)}, {verdict.records} records,"
        f" {verdict.commands} commands, chain {verdict.chain[:_CHAIN_DIGITS]}"
    )


def _copy_description(audience: str) -> str:
    names = {
        FULL: "full copy",
        BLIND: "host's copy, without hands",
        SPECTATOR: "spectator's copy",
    }
    return names.get(audience, f"copy of {audience}")
