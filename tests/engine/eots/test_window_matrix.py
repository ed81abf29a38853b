"""Every reaction card in every kind of question of whole games (5.32, 7.2, C3.2; test P10)."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from msgspec.structs import replace

from engine.eots.commands import Pass, React
from engine.eots.deck import Card, cards
from engine.eots.events.cards import CardPlayed
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import CardId, Side
from engine.eots.ruleset import EOTS
from engine.eots.scripting import EOTS_WORDS
from engine.eots.state import Reaction, State, current_offensive
from engine.kernel.dice import DerivedDice, DraftDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.scripts.runner import Runner
from engine.scripts.script import run_with
from tests.golden_games.corpus import positions, read
from tests.sizes import sampled, sized
from tools.dev.coverage_eots_cards import play_time_text

REACTIONS: Final = tuple(card for card in cards().values() if card.reaction_class is not None)
BESIDES: Final = {Side.ALLIED: CardId("A-31"), Side.JAPAN: CardId("J-23")}
"""A card that is not a reaction, so that the other one is not the last."""
CASES: Final = [
    pytest.param(card, id=f"5.32-{card.id}")
    for card in sampled(REACTIONS, 5, of="reaction cards of Empire of the Sun")
]
LATE: Final = "step 7, rolled"
AFTER_A_FAILED_ROLL: Final = frozenset({CardId("J-13")})
"""7.25C."""


GAMES: Final = (
    "eots-1942-greedy-first",
    "eots-campaign-1941-greedy-mixed",
    "eots-campaign-1941-busy-last",
    "eots-campaign-1941-greedy-first",
    "eots-campaign-1941-uniform-first",
    "eots-1943-greedy-first",
    "eots-1944-greedy-first",
)
"""Golden games that show nearly every kind of question, and a use of every card."""
ORDERS: Final = Path(__file__).parents[2] / "scripts" / "eots" / "rule-17-11-air-joins.script"
"""A script that leads to the reaction ordered by J-2, which no golden game shows (17.11)."""
PLAYED: Final = sized(1, len(GAMES), of="golden games whose questions are looked at")
QUESTIONS: Final = frozenset(
    (
        *("battle", "battles", "bombing", "card-play", "declaration", "disengagement"),
        *("emergency", "event", "exchange", "hits", "initiative", "kamikaze", "loss"),
        *("movement", "opening", "ordered-reaction", "reinforcement", "replacement"),
        *("retreat", "stack", "stacking", "swap-card", "take-card"),
        *("step 1", "step 4", "step 6", "step 7", LATE, "step 8", "step 9", "step 12"),
    )
)
"""All kinds of question except evacuation, which no golden game shows (13.63)."""


class Window(NamedTuple):
    """A position in which one side is asked."""

    kind: str
    side: Side
    state: State


def kind_of(state: State) -> str:
    """Return the kind of the open question."""
    frame = state.frames[-1]
    if not isinstance(frame, OffensiveFrame):
        return str(frame.__struct_config__.tag)
    return LATE if frame.step == 7 and current_offensive(state).rolled else f"step {frame.step}"


@cache
def windows() -> tuple[Window, ...]:
    """Return every question of the games, in order, and the one of the script."""
    games = (state for name in GAMES[:PLAYED] for _, state in positions(EOTS, read(name)[1]))
    return tuple(
        Window(kind_of(state), Side(asked[0]), state)
        for state in (*games, ordered_reaction())
        if (asked := EOTS.active_roles(state))
    )


def ordered_reaction() -> State:
    """Return the position of a script in which the Allies are asked first."""
    runner = Runner(EOTS, EOTS_WORDS, None)
    before, _, _ = ORDERS.read_text().partition("expect asked allied")
    run_with(runner, before, ORDERS.name)
    state: State = runner.state
    return state


@cache
def first_of_each() -> Mapping[tuple[str, Side], State]:
    """Return the first position for each kind of question and side."""
    found: dict[tuple[str, Side], State] = {}
    for window in windows():
        found.setdefault((window.kind, window.side), window.state)
    return found


def answered(card: Card) -> set[str]:
    """Return the windows in which the card table allows a card (C3.2)."""
    steps = {f"step {step}" for step in re.findall(r"\d+", play_time_text(card))}
    return steps | {LATE} if card.id in AFTER_A_FAILED_ROLL else steps


def held(state: State, card: Card, *, placed: bool = False) -> State:
    """Return the position with the card in its owner's hand, or placed this turn as future offensives card (7.29)."""
    hand = (BESIDES[card.side],) if placed else (card.id, BESIDES[card.side])
    deck = replace(
        state.decks[card.side],
        hand=hand,
        locked=(),
        future=card.id if placed else None,
        future_turn=state.turn if placed else 0,
    )
    return replace(state, decks={**state.decks, card.side: deck})


def fresh(state: State) -> State:
    """Return the position of an offensive as if no reaction card had been played yet."""
    offensive = current_offensive(state)
    reaction: Reaction = replace(offensive.reaction, events=(), counter_card=None)
    return replace(state, offensive=replace(offensive, reaction=reaction))


@cache
def uses() -> Mapping[tuple[CardId, str], State]:
    """Return for each card and each of its windows a position in which it may be played; some have none."""
    wanted = {(card.id, kind) for card in REACTIONS for kind in answered(card)}
    found: dict[tuple[CardId, str], State] = {}
    for kind, side, before in windows():
        missing = [
            card
            for card in REACTIONS
            if card.side is side and (card.id, kind) in wanted.difference(found)
        ]
        for card in missing:
            state = held(fresh(before), card)
            if React(card=card.id) in EOTS.decision(state, Role(side)).options:
                found[card.id, kind] = state
    return found


def rules_against(state: State, card: Card) -> list[str]:
    """Return the rules against playing a card now. The test fails if the card can be played."""
    use = React(card=card.id)
    with pytest.raises(IllegalCommandError) as refused:
        EOTS.decide(state, Role(card.side), use, DraftDice())
    assert all(refusal.text for refusal in refused.value.refusals)
    return [str(refusal.rule) for refusal in refused.value.refusals]


@pytest.mark.full
@pytest.mark.series("P10")
def test_p10_the_games_cover_every_kind_of_decision() -> None:
    assert {kind for kind, _ in first_of_each()} == QUESTIONS


@pytest.mark.series("P10")
@pytest.mark.parametrize("card", CASES)
def test_p10_a_card_is_refused_at_decisions_it_does_not_answer(card: Card) -> None:
    for (kind, side), state in first_of_each().items():
        if side is not card.side or kind not in answered(card):
            assert rules_against(held(state, card), card), (kind, side)


@pytest.mark.full
@pytest.mark.series("P10")
@pytest.mark.parametrize("card", CASES)
def test_p10_a_card_can_be_used_declined_or_barred_in_each_of_its_windows(card: Card) -> None:
    """A use takes the card from the hand, and a decline leaves it there; one placed this turn is barred (7.29B)."""
    dice = DerivedDice(b"matrix".ljust(32, b"."), 0)
    for kind in sorted(answered(card)):
        state = uses().get((card.id, kind))
        assert state is not None, f"no golden game has a use of {card.id} in {kind}"
        role = Role(card.side)
        events = EOTS.decide(state, role, React(card=card.id), dice)
        assert CardPlayed(side=card.side, card=card.id, use="reaction", future=False) in events
        assert card.id not in EOTS.fold(state, events).decks[card.side].hand
        declined = EOTS.decide(state, role, Pass(), dice)
        assert card.id in EOTS.fold(state, declined).decks[card.side].hand
        assert "7.29" in rules_against(held(state, card, placed=True), card)
