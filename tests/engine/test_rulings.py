"""The rulings of every game: described in words, accepted by their game, and included in the reference."""

import re
from pathlib import Path

import pytest

from engine.eots import rulings
from engine.eots.board import board
from engine.kernel.rulings import Ruling
from engine.registry import games, reference, ruleset

MOST_CELLS = 48
"""Maximum length of a text in a form row, in characters."""
ALL = [
    pytest.param(game, one, id=f"{one.rule}-{game}-{one.id}")
    for game in games()
    for one in ruleset(game).options()
]


@pytest.mark.parametrize("game", games())
def test_ruling_ids_are_unique(game: str) -> None:
    names = [one.id for one in ruleset(game).options()]
    assert names, f"declare at least one ruling in engine/{game}/rulings.py"
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("game", "one"), ALL)
def test_every_ruling_is_described_and_accepted(game: str, one: Ruling) -> None:
    assert one.question
    assert len(one.answers) > 1
    assert len(set(one.answers.values())) == len(one.answers)
    assert all(0 < len(words) <= MOST_CELLS for words in one.answers.values())
    for value in one.values:
        position = ruleset(game).position(ruleset(game).default_scenario(), {one.id: value})
        assert position.options[one.id] == value


@pytest.mark.parametrize(("game", "one"), ALL)
def test_the_reference_contains_the_rule_and_spec_of_a_ruling(game: str, one: Ruling) -> None:
    for number in (one.rule, *one.specs):
        assert reference(game).paragraph(number) is not None, number


def test_the_rules_index_lists_every_ruling_of_empire_of_the_sun() -> None:
    text = (Path(rulings.__file__).parent / "rules" / "eots-index.md").read_text("utf-8")
    section = text.split("## Switchable rulings")[1].split("\n## ")[0]
    in_rows = set(re.findall(r"^\| ([a-z0-9-]+) \|", section, re.MULTILINE)) - {"option"}
    below_the_table = set(re.findall(r"`([a-z-]+)`", section))
    assert in_rows.isdisjoint(below_the_table)
    assert in_rows | below_the_table == {one.id for one in rulings.RULINGS}


def test_map_lists_follow_the_rulings_that_the_map_names() -> None:
    named = {ruling for area in board().areas.values() for ruling in area.alternatives}
    every = {one.id: one.alternative for one in rulings.RULINGS}
    assert set(rulings.area_rulings(every)) == named
    assert rulings.area_rulings({}) == ()
    assert rulings.area_rulings({"biak": "not-new-guinea"}) == ("OPB-21",)
