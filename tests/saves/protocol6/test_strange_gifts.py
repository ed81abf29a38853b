"""Arbitrary links, signatures, consents and commitments give a verdict or a sentence, but never a crash."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.errors import FlagplotError
from saves.errors import BrokenChainError, FairPlayError, MatchError, UnreadableError
from saves.follower import Follower
from saves.headers import Header
from saves.jsonlines import (
    ImportRefusedError,
    _parse_header,
    _parse_line,
    _parse_record,
    json_lines,
    read_json_lines,
)
from saves.logfile import log_bytes
from saves.records import Record, decode_record, encode_record
from saves.redaction import redact_header, redact_record
from saves.verify import verify_file
from tests.saves import second_reader
from tests.saves.play import linked
from tests.saves.protocol6.joint import Table
from tests.sizes import sized
from tests.toy_game import RED, TOY

NAMES = (
    "parties",
    "links",
    "signature",
    "consents",
    "role",
    "head",
    "verify_key",
    "proof",
    "salt",
    "v",
)
STRANGE: tuple[Any, ...] = (
    None,
    0,
    -1,
    "",
    "red",
    "AAAA",
    [],
    {},
    [[]],
    [""],
    [None],
    True,
    1 << 70,
)


@pytest.fixture(scope="module")
def table() -> Table:
    made = Table()
    made.play(7, 5)
    made.take_back(3, RED)
    return made.finish(6)


def places(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401 - plain data
    """Return the path to every value that a party gave."""
    if path and path[-1] == "fields":
        return []
    found = [path] if path and path[-1] in NAMES else []
    items = (
        plain.items()
        if isinstance(plain, dict)
        else enumerate(plain)
        if isinstance(plain, list)
        else ()
    )
    for key, value in items:
        found += places(value, (*path, key))
        if isinstance(key, int) and path and path[-1] in {"links", "parties", "consents"}:
            found.append((*path, key))
    return found


def changed(lines: list[str], rng: random.Random) -> list[str]:
    """Return the lines with one given value changed, dropped, duplicated or moved to another record."""
    plain = [json.loads(line) for line in lines]
    at = rng.randrange(len(plain))
    while not (ways := places(plain[at])):
        at = rng.randrange(len(plain))
    *way, last = rng.choice(ways)
    inner = plain[at]
    for key in way:
        inner = inner[key]
    match rng.randrange(4):
        case 0:
            inner[last] = rng.choice(STRANGE)
        case 1:
            del inner[last]
        case 2 if isinstance(inner, list):
            inner.append(inner[last])
        case _:
            other = rng.choice(plain[1:])
            other[str(last)] = inner[last]
    return [json.dumps(each) for each in plain]


@pytest.mark.full
def test_arbitrary_party_data_gets_a_verdict_without_a_crash(tmp_path: Path, table: Table) -> None:
    match, rng, read = table.match, random.Random(6), 0
    lines = list(json_lines(match.header, match.records))
    for _ in range(sized(150, 3_000)):
        # The chain is recomputed, so that the odd value gets past it.
        try:
            header, records = _read(changed(lines, rng))
        except FlagplotError:
            continue
        path = tmp_path / "strange.fplog"
        try:
            path.write_bytes(log_bytes(header, linked(header, records)))
        except OverflowError:  # no file can contain such a number
            continue
        read += 1
        assert verify_file(path, TOY).status in {"ok", "false", "unreadable"}
        _follow(header, linked(header, records), match.header)
    assert read > sized(5, 100)


def _read(lines: list[str]) -> tuple[Header, list[Record]]:
    """Return the records of the lines, ignoring their chain."""
    header = _parse_header(_parse_line(lines[0]))
    return header, [_parse_record(_parse_line(line)) for line in lines[1:]]


def _follow(header: Header, records: list[Record], honest: Header) -> None:
    """Apply the records as a copy does, until one is refused."""
    try:
        copy = Follower.create(TOY, redact_header(header, RED))
        for record in records:
            told = redact_record(TOY, decode_record(encode_record(record)), RED)
            copy.receive(told)
    except (FairPlayError, BrokenChainError, MatchError, UnreadableError):
        return
    assert header == honest


def test_oversized_number_is_refused_in_one_sentence(table: Table) -> None:
    lines = list(json_lines(table.match.header, table.match.records))
    plain = json.loads(lines[1])
    plain["events"][0]["v"] = 1 << 70
    with pytest.raises(ImportRefusedError, match="too large"):
        read_json_lines([lines[0], json.dumps(plain), *lines[2:]])


def test_second_reader_accepts_the_unchanged_record(table: Table) -> None:
    game = second_reader.read(log_bytes(table.match.header, table.match.records))
    assert second_reader.check_parties(game) > table.match.seq
