"""The cards of Empire of the Sun in ``docs/coverage.md``: uses, card by window, and the scripts that show them.

A script shows the event when it plays or reacts with the card. It shows a refusal when it refuses the event, holds
that the event is not an option, stands beside the main script of the card (``card-a-60-no-b29.script``) or is one of a
family in which events are without effect (``cards-china-no-effect.script``). It shows a reaction card declined when
the card is an option and is not played.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from engine.eots.deck import Card, Window, cards
from engine.eots.deck_offensive import Kamikaze, StepLoss

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = ROOT / "tests" / "scripts" / "eots"
_OPERATIONS: Final[Mapping[object, str]] = {
    True: "operations",
    "only_if_no_japanese_in_aleutians": "operations while no Japanese unit is in the Aleutians",
    "only_if_event_impossible": "operations while Tojo is in office",
}
_DISCARDS: Final = {"free": "discard", "before_1944_only": "discard before 1944"}
_PLAYED: Final = {
    "weather": "step 4",
    "intelligence": "step 7",
    "counter_offensive": "step 7",
    "personage": "steps 6, 7",
    "attack": "steps 6, 9",
}
"""When the Reaction player plays a card of a class; the steps of some cards differ."""
_WORDS: Final = {
    Window.ON_PLAY: "at play",
    Window.END_OF_OFFENSIVE: "conclusion",
    Window.OFFENSIVE: "whole offensive",
    Window.PERSISTENT: "rest of the game",
    Window.NEXT_TURN: "next turn",
    Window.WHEN_DISCARDED_OR_OC: "without event",
}


class CardRow(NamedTuple):
    """What is shown of one card; script names are empty when there is none."""

    card: Card
    effect: str
    refusal: str
    declined: str


def uses(card: Card) -> tuple[str, ...]:
    """Return the uses of a card besides its event (5.0, 5.37, 7.29)."""
    found = (
        _OPERATIONS.get(card.play.as_oc, ""),
        _DISCARDS.get(card.play.discard, ""),
        "future offensive" if card.play.future_offensive else "",
    )
    return tuple(use for use in found if use)


def played(card: Card) -> str:
    """Return when the event is played: as a play of its owner, or in a step of 7.2."""
    if card.reaction_class is None:
        return "own play"
    windows = {step.when for step in card.effects}
    if needs_battle(card):
        return "step 9"
    if Window.STEP12 in windows:
        return "steps 6, 12"
    return "step 4" if Window.STEP4 in windows else _PLAYED[card.reaction_class]


def needs_battle(card: Card) -> bool:
    """Return whether an attack card is played where there is a battle only: kamikazes and A-24 (C3.2)."""
    return any(isinstance(step, Kamikaze | StepLoss) for step in card.effects) and (
        card.reaction_class == "attack"
    )


def acts(card: Card) -> tuple[str, ...]:
    """Return the windows in which the effects of a card act, in the order of 4.1 of the cards."""
    found = {step.when for step in card.effects}
    return tuple(
        _WORDS.get(window, window.replace("step", "step ")) for window in Window if window in found
    )


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    """Return every script by name, with its text."""
    return tuple(
        (path.name, path.read_text(encoding="utf-8")) for path in sorted(SCRIPTS.glob("*.script"))
    )


def _first(pattern: str) -> str:
    return next((name for name, text in _texts() if re.search(pattern, text, re.MULTILINE)), "")


def _without_effect(card: Card, played: str) -> str:
    """Return a script beside the main one of the card, or one of a family whose events are without effect."""
    start = f"card-{card.id.lower()}-"
    return next(
        (
            name
            for name, text in _texts()
            if name.startswith(start)
            or (name.endswith("-no-effect.script") and re.search(played, text, re.MULTILINE))
        ),
        "",
    )


def _declined(card: Card) -> str:
    """Return a script in which a reaction card is an option and is not played."""
    option = re.compile(rf"^expect option (?:\w+: )?react {card.id}\b", re.MULTILINE)
    plays = re.compile(rf"^\w+: react {card.id}\b", re.MULTILINE)
    return next(
        (name for name, text in _texts() if option.search(text) and not plays.search(text)), ""
    )


def rows() -> Iterator[CardRow]:
    """Yield every card with its scripts, J-1 onwards, then A-1 onwards."""
    for card in cards().values():
        event = rf"(?:event|react) {card.id}\b"
        yield CardRow(
            card,
            _first(rf"^\w+: {event}"),
            _first(rf"^(?:refuse \w+:|expect no option(?: \w+:)?) {event}")
            or _without_effect(card, rf"^\w+: {event}"),
            "" if card.reaction_class is None else _declined(card),
        )


def _row(row: CardRow) -> str:
    card = row.card
    shown = (name and f"`{name}`" for name in (row.effect, row.refusal, row.declined))
    words = (card.id, card.title, card.type, ", ".join(uses(card)) or "event only", played(card))
    return f"| {' | '.join((*words, ', '.join(acts(card)), *(one or '-' for one in shown)))} |"


def section() -> tuple[str, ...]:
    """Return the lines of the document."""
    found = tuple(rows())
    reactions = [row for row in found if row.card.reaction_class is not None]
    return (
        "## Empire of the Sun, cards by window",
        "",
        f"{len(found)} cards; all of their events are carried out.",
        f"Scripts show the event of {sum(bool(row.effect) for row in found)} cards, a refusal or an event without",
        f"effect of {sum(bool(row.refusal) for row in found)}, and {sum(bool(row.declined) for row in reactions)}",
        f"of {len(reactions)} reaction cards declined. They lie in `tests/scripts/eots`.",
        "`tests/engine/eots/test_ch05_card_uses.py` holds the column of uses against the rules.",
        "",
        "| card | title | type | uses besides | played | acts in | shown | refused, no effect | declined |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *map(_row, found),
        "",
    )
