"""The statements in ``docs/scenario-format-qmg.md`` are correct."""

import re
from pathlib import Path

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from engine.qmg.position import Position, TurnMarks, Zones
from engine.qmg.position_checks import check_position, decode_position
from engine.qmg.ruleset import QMG

PAGE = (Path(__file__).parents[3] / "docs" / "scenario-format-qmg.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", [Position, Zones, TurnMarks])
def test_every_field_is_documented(kind: type[msgspec.Struct]) -> None:
    described = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert set(kind.__struct_fields__) <= described


def test_no_other_field_is_documented() -> None:
    described = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    known = {name for kind in (Position, Zones, TurnMarks) for name in kind.__struct_fields__}
    known.add("game")  # the tag, which distinguishes the files of the games
    assert described == known


def test_the_documented_example_can_be_started() -> None:
    example = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    position = decode_position(example[1].encode(), "example")
    check_position(position)
    state = QMG.fold(QMG.initial_state(), QMG.open_game(position, DerivedDice(bytes(32), 0)))
    assert QMG.active_roles(state) == ("uk",)
    assert state.round == 3
    assert list(QMG.violations(state)) == []


def test_cards_not_named_in_any_field_are_in_their_decks() -> None:
    text = b'{"game": "qmg", "scenario": "base", "active": "uk", "cards": {"uk": {"hand": ["uk_raf#1"]}}}'
    position = decode_position(text, "sparse")
    assert position.cards["uk"].hand == ("uk_raf#1",)
    assert len(position.cards["uk"].deck) == 39
    assert len(position.cards["germany"].deck) == 41
    before = b'{"game": "qmg", "scenario": "base"}'
    assert decode_position(before, "set-up").cards == {}
