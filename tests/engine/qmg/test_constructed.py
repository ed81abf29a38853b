"""Constructed decks (13.9): chosen within limits, in secret, from all cards except the replaced ones."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import PositionError
from engine.kernel.ids import Role
from engine.qmg.deck import CARD, CARDS, deck_list
from engine.qmg.events import VpChanged
from engine.qmg.frames import ConstructionFrame
from engine.qmg.ids import COUNTRIES
from engine.qmg.position import Position
from engine.qmg.position_checks import check_position, decode_position
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine.qmg.random_games import AUDIENCES
from tests.engine.random_games import derived
from tests.sizes import sampled

LIMITS = {
    "build_army": 4,
    "build_navy": 2,
    "land_battle": 4,
    "sea_battle": 2,
    "event": 4,
    "economic_warfare": 2,
    "response": 3,
    "status": 3,
    "bolster": 3,
    "air_power": 2,
}
START = Position(scenario="total-war", limits=LIMITS)
SECRET = bytes(range(32))


def opened() -> State:
    check_position(START)
    return QMG.fold(QMG.initial_state(), QMG.open_game(START, DerivedDice(SECRET, 0)))


def test_13_9_all_countries_choose_simultaneously() -> None:
    state = opened()
    assert QMG.active_roles(state) == COUNTRIES
    frame = state.frames[-1]
    assert isinstance(frame, ConstructionFrame)
    for country, left in zip(COUNTRIES, frame.left, strict=True):
        available = Counter[str](CARD[card].type for card in deck_list(country, is_total_war=True))
        assert left == sum(min(number, available[kind]) for kind, number in LIMITS.items())
        assert QMG.free_actions(state, Role(country)) == ()
    replaced = {card.replaces for card in CARDS.values() if card.replaces}
    offered = {
        QMG.notation.line(option).split()[1].partition("#")[0]
        for country in COUNTRIES
        for option in QMG.decision(state, Role(country)).options
    }
    assert not offered & replaced
    assert "uk_te_free_france" in offered


def test_13_9_a_card_type_at_its_limit_is_refused() -> None:
    state = opened()
    for number in (1, 2):
        command = QMG.notation.parse(f"take jp_tw_air_power#{number}")
        events = QMG.decide(state, Role("japan"), command, derived("take"))
        assert "Air Power" not in "".join(QMG.log_sentence(QMG.redact(one, None)) for one in events)
        state = QMG.fold(state, events)
    refused = QMG.why_not(state, Role("japan"), QMG.notation.parse("take jp_tw_air_power#3"))
    assert [refusal.rule for refusal in refused] == ["13.9"]


@pytest.mark.parametrize("seed", sampled(range(3), 1))
def test_13_9_a_random_game_with_constructed_decks_finishes(seed: int) -> None:
    player: Any = RandomPlayer(derived(f"constructed {seed}"), Habit.BY_VERB)
    events = QMG.open_game(START, DerivedDice(SECRET, 0))
    state = QMG.initial_state()
    copies = dict.fromkeys(AUDIENCES, QMG.initial_state())
    decks: dict[str, Counter[str]] = {}
    number = 0
    while True:
        state = QMG.fold(state, events)
        assert not any(isinstance(one, VpChanged) and one.why == "discard-step" for one in events)
        assert next(QMG.violations(state), None) is None
        for role in AUDIENCES:
            facts = tuple(QMG.redact(event, role) for event in events)
            copies[role] = QMG.fold(copies[role], facts)
        if not QMG.active_roles(state):
            break
        if number % 20 == 0:
            for role, copy in copies.items():
                assert QMG.active_roles(copy) == QMG.active_roles(state)
                assert QMG.project(copy, role) == QMG.project(state, role)
            text = msgspec.json.encode(QMG.to_position(state))
            check_position(decode_position(text, "constructed.json"))
        role = QMG.active_roles(state)[0]
        if state.active and not decks:
            decks = {country: _types(state, country) for country in COUNTRIES}
        number += 1
        command = player.choose(None, QMG.decision(state, role))
        events = QMG.decide(state, role, command, DerivedDice(SECRET, number + 1000 * seed))
    for country in COUNTRIES:
        available = Counter[str](CARD[card].type for card in deck_list(country, is_total_war=True))
        assert decks[country] == Counter(
            {kind: min(most, available[kind]) for kind, most in LIMITS.items() if available[kind]}
        )
        assert _types(state, country) == decks[country]  # the rest is removed from the game
    assert QMG.outcome(state) is not None


def _types(state: State, country: str) -> Counter[str]:
    cards = state.cards_of(country)
    held = cards.hand + cards.undrawn_cards + cards.discard + cards.responses
    table = state.statuses[COUNTRIES.index(country)]
    return Counter(CARD[card].type for card in (*held, *table))


def test_13_9_reallocation_costs_four_cards() -> None:
    state = opened()
    player: Any = RandomPlayer(derived("four"))
    number = 0
    while True:
        role = QMG.active_roles(state)[0]
        question = QMG.decision(state, role)
        verbs = {QMG.notation.line(option) for option in question.options}
        number += 1
        if question.rule == "8.2" and "reallocate" in verbs and len(state.cards_of(role).hand) > 4:
            break
        command = player.choose(None, question)
        state = QMG.fold(state, QMG.decide(state, role, command, DerivedDice(SECRET, number)))
    before = len(state.cards_of(role).hand)
    command = QMG.notation.parse("reallocate")
    state = QMG.fold(state, QMG.decide(state, role, command, DerivedDice(SECRET, number)))
    asked = 0
    while QMG.decision(state, role).rule == "9.4":
        asked += 1
        default = QMG.decision(state, role).default
        state = QMG.fold(state, QMG.decide(state, role, default, DerivedDice(SECRET, number)))
    assert asked == 4
    assert len(state.cards_of(role).hand) == before - 4


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(Position(scenario="base", limits=LIMITS), id="base"),
        pytest.param(Position(scenario="total-war", limits={**LIMITS, "tank": 1}), id="type"),
        pytest.param(Position(scenario="total-war", limits={**LIMITS, "event": -1}), id="number"),
        pytest.param(Position(scenario="total-war", limits={"event": 3}), id="too-few"),
    ],
)
def test_13_9_limits_that_allow_no_valid_deck_are_refused(bad: Position) -> None:
    with pytest.raises(PositionError, match=r"13\.9"):
        check_position(bad)
