"""Every card that answers events, in every kind of window (10.3, 10.4; test P10)."""

from typing import Final

import pytest
from msgspec.structs import replace

from engine.kernel.dice import DraftDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.qmg.ch03_setup import shuffled_decks
from engine.qmg.ch10_answers import response_abilities
from engine.qmg.commands import Use
from engine.qmg.deck import CARDS, REACTIONS, Card
from engine.qmg.frames import Trigger, TurnFrame, WindowFrame
from engine.qmg.ids import (
    BOLSTER,
    COUNTRIES,
    FORCE_INDEX,
    PLAYERS,
    RESPONSE,
    STATUS,
    TEAM_BY_FORCE,
    other_team,
)
from engine.qmg.position import Pieces, Position, state_from_position
from engine.qmg.ruleset import QMG
from engine.qmg.run import team_turn_order
from engine.qmg.state import State

WINDOWS: Final = (
    "turn_begin",
    "play_step_begin",
    "air_step_begin",
    "supply_step_begin",
    "victory_step_begin",
    "victory_step",
    "discard_step_begin",
    "discard_step",
    "draw_step_begin",
    "built",
    "recruited",
    "battled",
    "about_to_be_removed",
    "removed",
    "battle",
    "ew_played",
    "ew_targeted",
    "card_played",
    "status_use_declared",
    "bolster_use_declared",
    "status_used",
    "air_deployed_or_marshaled",
    "air_superiority_gained",
)
"""All events that open a window (10.3)."""

ANSWERING: Final = tuple(
    card
    for card in CARDS.values()
    if any(ability.trigger is not None for ability in card.abilities)
)


def answered(card: Card) -> set[str]:
    """Return the windows in which a card can be used."""
    return {
        window
        for window in WINDOWS
        for answer in response_abilities(window, is_total_war=card.set != "base")
        if answer.ability.card == card.id
    }


def state_with(card: Card, window: str) -> State:
    """Return a position with the card in its place and an open window of a kind in which its owner is polled."""
    owner = card.deck
    instance = f"{card.id}#1"
    scenario = "base" if card.set == "base" else "total-war"
    decks = shuffled_decks(is_total_war=scenario == "total-war")
    zones = decks[owner]
    rest = tuple(one for one in zones.deck if one != instance)
    zone = {STATUS: "statuses", RESPONSE: "responses", BOLSTER: "hand"}[card.type]
    decks[owner] = replace(zones, **{"deck": rest, zone: (instance,)})
    order = team_turn_order(PLAYERS[TEAM_BY_FORCE[owner]], owner)
    trigger = Trigger(
        kind=window,
        cause=other_team(TEAM_BY_FORCE[owner]),
        by=PLAYERS[other_team(TEAM_BY_FORCE[owner])][0],
        space="western_europe",
        piece="army",
        owner="germany",
        card="de_plunder#1",
        targets=("uk",),
    )
    position = Position(
        scenario=scenario,
        active=owner,
        pieces={"germany": Pieces(army=("germany", "western_europe"))},
        cards=decks,
        frames=(
            TurnFrame(country=owner, stage="play"),
            WindowFrame(trigger=trigger, polled=order.index(owner)),
        ),
    )
    return state_from_position(position)


@pytest.mark.series("P10")
@pytest.mark.parametrize("card", [pytest.param(card, id=card.id) for card in ANSWERING])
def test_p10_a_card_is_refused_in_every_window_that_it_does_not_answer(card: Card) -> None:
    role = Role(card.deck)
    use = Use(card=f"{card.id}#1")
    anywhere = any(
        ability.trigger is not None and ability.trigger.event.startswith("any_time")
        for ability in card.abilities
    )
    for window in WINDOWS:
        if window in answered(card):
            continue
        state = state_with(card, window)
        assert QMG.active_roles(state) == (role,)
        assert use not in QMG.decision(state, role).options, window
        if anywhere:  # 10.6: usable like a reaction in every window
            assert use in QMG.free_actions(state, role)
            continue
        with pytest.raises(IllegalCommandError) as refused:
            QMG.decide(state, role, use, DraftDice())
        assert {refusal.rule for refusal in refused.value.refusals} & {"10.4", "10.1", "9.2"}


@pytest.mark.series("P10")
def test_p10_every_card_with_a_trigger_answers_a_window_or_any_time() -> None:
    for card in ANSWERING:
        events = {one.trigger.event for one in card.abilities if one.trigger is not None}
        assert events <= {*WINDOWS, "any_time", "any_time_own_turn"}, card.id
        assert answered(card) or any(event.startswith("any_time") for event in events)


def test_the_reaction_table_contains_every_responding_card() -> None:
    found = {
        ability.card
        for country in COUNTRIES
        for abilities in REACTIONS[country].values()
        for ability in abilities
    }
    assert found == {card.id for card in ANSWERING}
    assert set(FORCE_INDEX) >= set(REACTIONS)
