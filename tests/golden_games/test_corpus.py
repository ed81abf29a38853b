"""Every game of the corpus verifies byte for byte, and offers and shows the same as before (P1)."""

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from engine.registry import ruleset
from saves.logfile import write_log
from saves.verify import verify_file
from tests.golden_games.corpus import PINS, RECORDS, pin, pins, plans, read

pytestmark = pytest.mark.series("P1")

NAMES = sorted(pins())
LONG = {"eots-campaign-1941-greedy-first"}
"""Games whose options take too long for a quick run."""


def sampled(first: int, each: int, full: int = 1) -> list[ParameterSet]:
    """Return all games, marked so that not every size plays all of them.

    A quick run includes a game of one in `each` scenarios, played in different ways. A full run includes one in `full`
    games of every scenario, and a nightly run the rest.
    """
    of: dict[str, list[str]] = {}
    for plan in plans():
        of.setdefault(f"{plan.game} {plan.scenario}", []).append(plan.name)
    scenarios = list(of.values())
    quick = {names[number % len(names)] for number, names in enumerate(scenarios[::each], first)}
    of_full = {name for names in scenarios for name in names[::full]}
    if full > 1:
        quick, of_full = quick - LONG, of_full | LONG
    marks: dict[str, tuple[pytest.MarkDecorator, ...]] = {
        **dict.fromkeys(NAMES, (pytest.mark.nightly,)),
        **dict.fromkeys(of_full, (pytest.mark.full,)),
        **dict.fromkeys(quick, ()),
    }
    return [pytest.param(name, marks=marks[name]) for name in NAMES]


def test_corpus_contains_every_planned_game() -> None:
    assert sorted(plan.name for plan in plans()) == NAMES, "play new ones with corpus.py NEW"
    assert sorted(path.stem for path in RECORDS.glob("*.xz")) == NAMES
    assert PINS.exists()


@pytest.mark.parametrize("name", sampled(3, each=5))
def test_corpus_games_verify_byte_for_byte(name: str, tmp_path: Path) -> None:
    header, records = read(name)
    path = tmp_path / f"{name}.fplog"
    write_log(path, header, records)
    verdict = verify_file(path)
    assert verdict.status == "ok", str(verdict.finding)
    pinned = pins()[name]
    assert (verdict.chain, verdict.commands) == (pinned.chain, pinned.commands)


@pytest.mark.parametrize("name", sampled(0, each=10, full=4))
def test_options_views_and_redacted_copies_are_unchanged(name: str) -> None:
    header, records = read(name)
    assert pin(ruleset(header.game), header, records) == pins()[name]
