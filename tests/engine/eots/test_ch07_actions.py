"""Card plays, steps of an offensive and commitments: the options are the commands that no rule refuses (4.22, 7.2)."""

import random

import pytest

from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.ch07_offensive.declaration import DeclarationHandler
from engine.eots.commands import Cover, EotsCommand, Join
from engine.eots.deck import cards
from engine.eots.flow import top_frame
from engine.eots.frames import CardPlayFrame, DeclarationFrame, OffensiveFrame
from engine.eots.handlers import MACHINE
from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.eots.state import State, current_offensive
from tests.engine.actions import check_actions
from tests.engine.eots.golden import GAMES, positions_in
from tests.sizes import sampled

QUESTIONS = 4
"""Number of declarations per game that are examined."""
STRANGERS = 30
"""Number of other commitments that are tried."""


@pytest.mark.parametrize("name", GAMES)
def test_7_24_7_26_offered_commitments_are_the_legal_ones(name: str) -> None:
    chance = random.Random(name)
    handler = DeclarationHandler()
    for state in positions_in(name, DeclarationFrame, QUESTIONS, chance):
        frame = top_frame(state)
        assert isinstance(frame, DeclarationFrame)
        side = frame.side
        offered = set(handler.options(state, frame, side))
        offensive = current_offensive(state)
        units = [*offensive.activated, *offensive.reaction.activated, *sorted(state.units)[:9]]
        hexes = [*board().index, *sorted(offensive.battles)]
        tried: list[EotsCommand] = sorted(offered, key=repr)[:STRANGERS]
        for _ in range(STRANGERS):
            unit, at = chance.choice(units), chance.choice(hexes)
            tried += [Join(unit=unit, at=at), Cover(unit=unit, at=at)]
        for order in tried:
            refused = list(handler.why_not(state, frame, side, order))
            assert handler.is_option(state, frame, side, order) is (order in offered), order
            assert (not refused) is (order in offered), (order, refused)


def strangers(state: State, role: Side, chance: random.Random) -> list[EotsCommand]:
    """Return orders for card plays and offensives that name cards of both sides, units and hexes."""
    names = chance.sample(sorted(cards()), 8)
    names += chance.sample(state.decks[role].hand, min(2, len(state.decks[role].hand)))
    units = chance.sample(sorted(state.units), 10)
    hqs = chance.sample([unit for unit in sorted(state.units) if "-hq-" in unit], 6)
    hexes = chance.sample(list(board().index), 4)
    of_a_card = (
        orders.OperationsOffensive,
        orders.PlayEvent,
        orders.ChinaOffensive,
        orders.EndRivalry,
        orders.PlaceFuture,
        orders.DiscardCard,
        orders.React,
    )
    some: list[EotsCommand] = [kind(card=name) for kind in of_a_card for name in names]
    some += [orders.WithdrawHq(card=name, hq=hq) for name in names[-3:] for hq in hqs]
    some += [orders.ReturnHq(card=names[-1], hq=hq, at=at) for hq in hqs for at in hexes]
    some += [orders.BuildRoute(card=names[-1], at=at) for at in hexes]
    some += [orders.SpecialReaction(at=at) for at in hexes]
    some += [orders.ChooseHq(hq=unit) for unit in (*hqs, *units[:2])]
    some += [orders.Activate(unit=unit) for unit in units]
    some += [orders.Ferry(unit=unit) for unit in units]
    return [*some, orders.Pass(), orders.Done(), orders.TakeBack(), orders.RollIntelligence()]


@pytest.mark.parametrize("name", sampled(GAMES, 2))
def test_4_22_7_2_card_and_step_options_are_the_legal_commands(name: str) -> None:
    chance = random.Random(name)
    for kind in (CardPlayFrame, OffensiveFrame):
        for state in positions_in(name, kind, QUESTIONS, chance):
            for role in EOTS.active_roles(state):
                handler = MACHINE.handler(top_frame(state))
                check_actions(handler, state, role, strangers(state, Side(role), chance))
