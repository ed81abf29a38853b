"""The documented scenario file: the example loads, and the page quotes it correctly."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from engine.eots.frames import FrameBase
from engine.eots.position import Position
from engine.eots.position_checks import check_position, decode_position
from engine.eots.ruleset import EOTS
from engine.eots.state import Deck, Tracks
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Role

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "scenario-format.md").read_text(encoding="utf-8")
EXAMPLE = (DOCS / "examples" / "last-turn-of-1943.json").read_bytes()
EXCERPTS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


def is_part(part: object, whole: object) -> bool:
    """Return whether an excerpt agrees with the example. Objects may omit fields, and lists may omit entries."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return all(value in whole for value in part)
    return bool(part == whole)


def test_example_is_a_playable_position() -> None:
    position = decode_position(EXAMPLE, "last-turn-of-1943.json")
    check_position(position)
    state = EOTS.fold(EOTS.initial_state(), EOTS.open_game(position, ScriptedDice()))
    assert EOTS.active_roles(state) == (Role("allied"),)
    assert EOTS.decision(state, Role("allied")).rule == "4.22"
    assert EOTS.to_position(state) == position


@pytest.mark.parametrize("excerpt", EXCERPTS)
def test_quoted_excerpts_are_part_of_the_example(excerpt: str) -> None:
    assert is_part(json.loads(excerpt), json.loads(EXAMPLE))


@pytest.mark.parametrize("kind", [Position, Tracks, Deck])
def test_every_field_is_documented(kind: type[msgspec.Struct]) -> None:
    missing = [name for name in kind.__struct_fields__ if not re.search(f'[`"]{name}[`"]', PAGE)]
    assert missing == []


def test_example_round_trips() -> None:
    position = decode_position(EXAMPLE, "example")
    assert decode_position(msgspec.json.encode(position), "again") == position
    assert all(isinstance(frame, FrameBase) for frame in position.frames)
