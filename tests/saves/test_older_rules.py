"""A record that older rules made is whole or false, and never false for its rules alone."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from engine import registry
from saves.logfile import write_log
from saves.records import Header, Record
from saves.verify import Verdict, verify_file
from tests.golden_games.corpus import unpacked
from tests.saves.play import linked

RECORD = Path(__file__).parent / "golden/eots-rules-1.xz"
"""A game of 1943 under rules 1, which rules 2 decide otherwise from this record on."""
DIFFERS = 8
Game = tuple[Header, Sequence[Record]]


@pytest.fixture(scope="module", name="older")
def read_older() -> Game:
    return unpacked(RECORD.read_bytes())


def verdict(path: Path, header: Header, records: Sequence[Record], jobs: int = 1) -> Verdict:
    write_log(path, header, records)
    return verify_file(path, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_whole_record_of_older_rules_is_named_as_older(
    older: Game, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saves.verify.LONG", 1)
    header, records = older
    found = verdict(tmp_path / "game.fplog", header, records, jobs)
    assert (found.status, found.exit_code) == ("older", 6)
    assert found.finding is not None
    assert found.finding.record == DIFFERS
    assert found.records == len(records)
    assert re.match("began under edition .*, rules 1; checked with", found.notes[0])


def test_the_same_record_under_todays_number_is_false(older: Game, tmp_path: Path) -> None:
    header, records = older
    game = registry.ruleset("eots")
    header = msgspec.structs.replace(
        header, edition=game.edition, rules_version=game.version, data_digest=game.data_digest
    )
    found = verdict(tmp_path / "game.fplog", header, linked(header, records))
    assert found.status == "false"
    assert found.finding is not None
    assert found.finding.record == DIFFERS


@pytest.mark.parametrize("at", [2, DIFFERS, 150])
def test_what_was_promised_must_hold_under_any_rules(older: Game, tmp_path: Path, at: int) -> None:
    header, records = older
    changed = list(records)
    entry = changed[at].events[0]
    assert entry.salt is not None
    entry = msgspec.structs.replace(entry, salt=bytes(len(entry.salt)))
    changed[at] = msgspec.structs.replace(changed[at], events=(entry, *changed[at].events[1:]))
    found = verdict(tmp_path / "game.fplog", header, linked(header, changed))
    assert (found.status, found.exit_code) == ("false", 1)
    assert found.finding is not None
    assert found.finding.record == at
