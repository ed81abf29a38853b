"""A record made under older rules is complete or false, and never false just because of its rules."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from engine import registry
from saves.headers import Header
from saves.logfile import write_log
from saves.records import Record
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.golden_games.corpus import unpacked
from tests.saves.play import linked

pytestmark = pytest.mark.series("P8")

GOLDEN = Path(__file__).parent / "golden"
DIFFERS = {("eots", 1): 8, ("eots", 2): 38, ("eots", 3): 6, ("qmg", 2): 99, ("cbps", 1): 418}
"""First record that the current rules decide differently, for the game of each title and version."""


class Game(NamedTuple):
    """A game that was made under older rules."""

    header: Header
    records: Sequence[Record]

    @property
    def differs(self) -> int:
        return DIFFERS[self.header.game, self.header.rules_version]


@pytest.fixture(scope="module", name="older", params=DIFFERS, ids=lambda at: f"{at[0]}-{at[1]}")
def read_older(request: pytest.FixtureRequest) -> Game:
    title, version = request.param
    game = Game(*unpacked((GOLDEN / f"{title}-rules-{version}.xz").read_bytes()))
    assert (game.header.game, game.header.rules_version) == (title, version)
    return game


def verdict(path: Path, header: Header, records: Sequence[Record], jobs: int = 1) -> Verdict:
    write_log(path, header, records)
    return verify_file(path, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.full)])
def test_complete_record_under_older_rules_is_reported_as_older(
    older: Game, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saves.verify.LONG_RECORDS", 1)
    header, records = older
    found = verdict(tmp_path / "game.fplog", header, records, jobs)
    assert (found.status, found.exit_code) == ("older", 6)
    assert found.finding is not None
    assert found.finding.record == older.differs
    assert found.records == len(records)
    assert re.match(
        f"began under edition .*, rules {header.rules_version}; checked with", found.notes[0]
    )


def test_older_record_that_claims_current_rules_is_false(older: Game, tmp_path: Path) -> None:
    header, records = older
    game = registry.ruleset(header.game)
    header = msgspec.structs.replace(
        header, edition=game.edition, rules_version=game.version, data_digest=game.data_digest
    )
    found = verdict(tmp_path / "game.fplog", header, linked(header, records))
    assert found.status == "false"
    assert found.finding is not None
    assert found.finding.record == older.differs


@pytest.mark.parametrize("number", [2, 8, -1])
def test_broken_commitments_are_false_under_any_rules(
    older: Game, tmp_path: Path, number: int
) -> None:
    header, records = older
    changed = list(records)
    at = [record.seq for record in records if record.events][number]
    entry = changed[at].events[0]
    assert entry.salt is not None
    entry = msgspec.structs.replace(entry, salt=bytes(len(entry.salt)))
    changed[at] = msgspec.structs.replace(changed[at], events=(entry, *changed[at].events[1:]))
    found = verdict(tmp_path / "game.fplog", header, linked(header, changed))
    assert (found.status, found.exit_code) == ("false", 1)
    assert found.finding is not None
    assert found.finding.record == at
