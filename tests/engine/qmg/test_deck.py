"""The card file decodes into its classes and contains nothing unknown (A)."""

import json
from importlib.resources import files

import msgspec
import pytest

from engine.qmg.deck import BOX, Box
from engine.qmg.names import name_problems

RAW = (files("engine.qmg.data") / "cards.json").read_text("utf-8")


def test_every_space_named_on_cards_is_on_the_map() -> None:
    assert list(name_problems(BOX)) == []


def test_an_unknown_space_is_reported() -> None:
    box = msgspec.json.decode(RAW.replace('"north_sea"', '"narnia"'), type=Box)
    assert any("no space 'narnia'" in problem for _, problem in name_problems(box))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        pytest.param('"op": "gain_vp"', '"op": "gain_points"', id="operation"),
        pytest.param('"from_piece": ', '"form_piece": ', id="key"),
        pytest.param('"piece": ["navy"]', '"piece": ["submarine"]', id="piece"),
        pytest.param('{"exists": ', '{"exists": null, "at_most": ', id="condition"),
        pytest.param('"event": "built"', '"event": "sold"', id="event"),
        pytest.param('{"in_or_adjacent": ', '{"adjacent": "italy", "in_or_adjacent": ', id="two"),
        pytest.param('"each": 1}', '"each": 1, "ref": "n"}', id="amount"),
    ],
)
def test_invalid_card_data_are_refused_with_their_path(good: str, bad: str) -> None:
    assert good in RAW
    with pytest.raises(msgspec.ValidationError, match=r"\$\.cards\[(\d+|\.\.\.)\]"):
        msgspec.json.decode(RAW.replace(good, bad, 1), type=Box)


def test_the_file_contains_no_other_fields() -> None:
    assert set(json.loads(RAW)) == set(Box.__struct_fields__)
