"""The wording of card steps: every part that a player may have to choose says what it does (A.2)."""

import re

import pytest

from engine.qmg.cards.wording import describe_steps
from engine.qmg.deck_steps import STEP_LISTS, AnyOrder, ChooseEffect, inner_name

CHOICES = {
    name: tuple(inner_name(name, at, suffix) for suffix in step.inner())
    for name, steps in STEP_LISTS.items()
    for at, step in enumerate(steps)
    if isinstance(step, ChooseEffect | AnyOrder)
}


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_choices_of_a_card_have_different_texts(name: str) -> None:
    texts = [describe_steps(part) for part in CHOICES[name]]
    assert len(texts) > 1
    assert len(set(texts)) == len(texts)
    assert "Nothing" not in texts


def test_many_card_choices_are_found() -> None:
    assert len(CHOICES) > 20


@pytest.mark.parametrize("name", sorted(name for name, steps in STEP_LISTS.items() if steps))
def test_every_step_list_is_described_in_plain_english(name: str) -> None:
    text = describe_steps(name)
    assert text[0].isupper()
    assert "  " not in text
    assert not re.search(r"[_#<>{}]|\b(None|self|trigger|chosen\.|each\.)\b", text), text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("de_guns_and_butter:0.0-0", "Build an Army"),
        ("it_tw_operation_herkules:0.0-1", "Recruit a German Navy in Mediterranean Sea"),
        ("us_te_ledo_and_burma_roads:0.0-1", "Eliminate Axis Army in Szechuan or China"),
        ("uk_tw_free_forces_of_the_low_countries:0.0-1", "Battle Western Europe with France"),
        ("jp_indian_ocean_patrols:0", None),
        ("no such list", "Nothing"),
    ],
)
def test_step_descriptions_match_the_examples(name: str, text: str | None) -> None:
    assert describe_steps(name) == text or text is None
