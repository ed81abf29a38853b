"""Finds the scripts that test each Empire of the Sun card, for ``docs/coverage.md``.

A script tests an event if it plays the card or reacts with it. It tests a refusal in any of four cases: it expects the
event to be refused, it expects the event not to be an option, it is another script for the same card
(``card-a-60-no-b29.script``), or it covers a family of events without effect (``cards-china-no-effect.script``).
It tests a declined reaction if the card is an option but is not played.
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
"""The steps in which the Reaction player plays each class of card. Some cards have steps of their own."""
_WORDS: Final = {
    Window.ON_PLAY: "at play",
    Window.END_OF_OFFENSIVE: "conclusion",
    Window.OFFENSIVE: "whole offensive",
    Window.PERSISTENT: "rest of the game",
    Window.NEXT_TURN: "next turn",
    Window.WHEN_DISCARDED_OR_OC: "without event",
}


class EotsCardRow(NamedTuple):
    """One card and the names of the scripts that test it. A name is empty if there is no such script."""

    card: Card
    effect: str
    refusal: str
    declined: str


def uses(card: Card) -> tuple[str, ...]:
    """Return the uses of a card other than its event (5.0, 5.37, 7.29)."""
    texts = (
        _OPERATIONS.get(card.play.as_oc, ""),
        _DISCARDS.get(card.play.discard, ""),
        "future offensive" if card.play.future_offensive else "",
    )
    return tuple(use for use in texts if use)


def play_time_text(card: Card) -> str:
    """Return when an event is played: as its owner's card play, or in a step of 7.2."""
    if card.reaction_class is None:
        return "own play"
    windows = {step.when for step in card.effects}
    if needs_battle(card):
        return "step 9"
    if Window.STEP12 in windows:
        return "steps 6, 12"
    return "step 4" if Window.STEP4 in windows else _PLAYED[card.reaction_class]


def needs_battle(card: Card) -> bool:
    """Return whether an attack card can be played only if there is a battle: kamikazes and A-24 (C3.2)."""
    return any(isinstance(step, Kamikaze | StepLoss) for step in card.effects) and (
        card.reaction_class == "attack"
    )


def active_windows(card: Card) -> tuple[str, ...]:
    """Return the windows in which a card's effects apply, in the order given in 4.1 of the card rules."""
    windows = {step.when for step in card.effects}
    return tuple(
        _WORDS.get(window, window.replace("step", "step "))
        for window in Window
        if window in windows
    )


@cache
def _script_texts() -> tuple[tuple[str, str], ...]:
    """Return the name and text of every script."""
    return tuple(
        (path.name, path.read_text(encoding="utf-8")) for path in sorted(SCRIPTS.glob("*.script"))
    )


def _first_script(pattern: str, word: str) -> str:
    """Return the first script with a pattern, all of whose matches contain a word."""
    regex = re.compile(pattern, re.MULTILINE)
    return next((name for name, text in _script_texts() if word in text and regex.search(text)), "")


def _no_effect_script(card: Card, play_time_text: str) -> str:
    """Return another script for the card, or the script for a family of events without effect."""
    name_prefix = f"card-{card.id.lower()}-"
    return next(
        (
            name
            for name, text in _script_texts()
            if name.startswith(name_prefix)
            or (
                name.endswith("-no-effect.script") and re.search(play_time_text, text, re.MULTILINE)
            )
        ),
        "",
    )


def _declined_script(card: Card) -> str:
    """Return a script in which a reaction card is an option but is not played."""
    option = re.compile(rf"^expect option (?:\w+: )?react {card.id}\b", re.MULTILINE)
    plays = re.compile(rf"^\w+: react {card.id}\b", re.MULTILINE)
    return next(
        (name for name, text in _script_texts() if option.search(text) and not plays.search(text)),
        "",
    )


def rows() -> Iterator[EotsCardRow]:
    """Yield every card with its scripts, J-1 onwards, then A-1 onwards."""
    for card in cards().values():
        event = rf"(?:event|react) {card.id}\b"
        yield EotsCardRow(
            card,
            _first_script(rf"^\w+: {event}", card.id),
            _first_script(rf"^(?:refuse \w+:|expect no option(?: \w+:)?) {event}", card.id)
            or _no_effect_script(card, rf"^\w+: {event}"),
            "" if card.reaction_class is None else _declined_script(card),
        )


def details(id: str) -> tuple[str, ...]:
    """Return a card's uses, when the card is played, and the scripts that test it; empty if the card is unknown."""
    row = next((row for row in rows() if row.card.id == id.upper()), None)
    if row is None:
        return ()
    card = row.card
    lines = (
        f"{card.id} {card.title} ({card.type})",
        f"Besides the event: {', '.join(uses(card)) or 'no other use'}",
        f"Played: {play_time_text(card)}",
        f"Acts in: {', '.join(active_windows(card))}",
        f"Script with the event: {row.effect or 'none'}",
        f"Script with a refusal or an event without effect: {row.refusal or 'none'}",
    )
    if card.reaction_class is None:
        return lines
    return (*lines, f"Script with the reaction declined: {row.declined or 'none'}")


def section() -> tuple[str, ...]:
    """Return the lines of the document."""
    all_rows = tuple(rows())
    reactions = [row for row in all_rows if row.card.reaction_class is not None]
    counts = (
        ("the event", [bool(row.effect) for row in all_rows]),
        ("a refusal or an event without effect", [bool(row.refusal) for row in all_rows]),
        ("a declined reaction", [bool(row.declined) for row in reactions]),
    )
    missing = [
        str(row.card.id)
        for row in all_rows
        if not (row.effect and row.refusal and (row.declined or row.card.reaction_class is None))
    ]
    return (
        f"The program carries out the events of all {len(all_rows)} cards.",
        "Only reaction cards can be declined.",
        "",
        "| tested by a script | cards | of |",
        "| --- | --- | --- |",
        *(f"| {title} | {sum(value)} | {len(value)} |" for title, value in counts),
        "",
        f"Cards without one of these scripts: {', '.join(missing) or 'none'}.",
        "`tests/engine/eots/test_ch05_card_uses.py` checks the uses of every card against the rules.",
        "",
    )
