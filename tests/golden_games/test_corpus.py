"""Every game of the corpus verifies byte for byte, offers what it offered, shows what it showed (P1)."""

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from engine.registry import ruleset
from saves.logfile import write_log
from saves.verify import verify_file
from tests.golden_games.corpus import PINS, RECORDS, pin, pins, plans, read

pytestmark = pytest.mark.campaign("P1")

NAMES = sorted(pins())


def sampled(first: int) -> list[ParameterSet]:
    """Return all games; a quick run plays one of each scenario, played in different ways."""
    of: dict[str, list[str]] = {}
    for plan in plans():
        of.setdefault(f"{plan.game} {plan.scenario}", []).append(plan.name)
    quick = {names[number % len(names)] for number, names in enumerate(of.values(), first)}
    return [pytest.param(name, marks=[] if name in quick else pytest.mark.full) for name in NAMES]


def test_the_corpus_holds_every_game_that_is_planned() -> None:
    assert sorted(plan.name for plan in plans()) == NAMES, "play new ones with corpus.py NEW"
    assert sorted(path.stem for path in RECORDS.glob("*.xz")) == NAMES
    assert PINS.exists()


@pytest.mark.parametrize("name", sampled(3))
def test_games_of_the_corpus_verify_byte_for_byte(name: str, tmp_path: Path) -> None:
    header, records = read(name)
    path = tmp_path / f"{name}.fplog"
    write_log(path, header, records)
    verdict = verify_file(path)
    assert verdict.status == "ok", str(verdict.finding)
    pinned = pins()[name]
    assert (verdict.chain, verdict.commands) == (pinned.chain, pinned.commands)


@pytest.mark.parametrize("name", sampled(0))
def test_options_views_and_redacted_copies_stay_the_same(name: str) -> None:
    header, records = read(name)
    assert pin(ruleset(header.game), header, records) == pins()[name]
