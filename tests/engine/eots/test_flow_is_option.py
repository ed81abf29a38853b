"""Checking a command without listing the options gives the same answer as the list (4.0, 7.2)."""

import random
from collections import Counter

import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots import commands as orders
from engine.eots.flow import top_frame
from engine.eots.handlers import MACHINE
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from tests.sizes import sampled

STRANGERS: tuple[orders.EotsCommand, ...] = (
    orders.Pick(unit=UnitId("nobody")),
    orders.Enlist(unit=UnitId("nobody")),
    orders.Activate(unit=UnitId("nobody")),
    orders.ChooseHq(hq=UnitId("nobody")),
    orders.ChooseHq(hq=UnitId("us-cv-enterprise")),
    orders.Sail(to=HexId("9999")),
    orders.March(to=HexId("china-box")),
    orders.Fly(to=HexId("china-box")),
    orders.PlayEvent(card=CardId("A-999")),
    orders.Done(),
    orders.Drop(),
    orders.Halt(),
    orders.Pass(),
)
"""Orders that are rarely or never legal, some with names that occur in no data file."""
MOST_OLD = 4_000


def check(state: State, side: Side, old: list[orders.EotsCommand], chance: random.Random) -> str:
    """Return the frame after checking its options, other options of this game, and unrelated orders."""
    frame = top_frame(state)
    options = MACHINE.handler(frame).decision(state, frame, side).options
    is_empty = state.offensive is None or not state.offensive.activated
    assert options != (orders.Done(),) or is_empty, "a step without a choice closes by itself (7.2)"
    some = chance.sample(options, min(len(options), 25))
    others = chance.sample(old, min(len(old), 25))
    for command in [*some, *others, *STRANGERS]:
        wanted = command in options
        assert EOTS.is_option(state, Role(side), command) is wanted, (command, frame)
    old.extend(some)
    del old[:-MOST_OLD]
    return type(frame).__name__


@pytest.mark.parametrize(
    ("scenario", "seed"),
    [
        pytest.param(scenario, seed, id=f"4.0-{scenario}-{seed}")
        for seed, scenario in sampled(
            tuple(enumerate(("1943", "1943", "1943", "1942", "1944", "1942"))), 2
        )
    ],
)
def test_is_option_agrees_with_the_list_of_options(scenario: str, seed: int) -> None:
    rules: AnyRuleset = EOTS
    chance = random.Random(seed)
    player = RandomPlayer(DerivedDice(bytes([seed]) * 32, 0), list(Habit)[seed % 3])
    secret = bytes([seed]) * 32
    state: State = rules.fold(
        State(), rules.open_game(rules.position(scenario, {}), DerivedDice(secret, 0))
    )
    view, step, old = rules.project(state, None), 0, list[orders.EotsCommand]()
    frames: Counter[str] = Counter()
    while (asked := rules.active_roles(state)) and step < 260:
        for role in asked:
            frames[check(state, Side(role), old, chance)] += 1
        step += 1
        command = player.choose(view, rules.decision(state, asked[0]))
        events = rules.decide(state, asked[0], command, DerivedDice(secret, step))
        state = rules.fold(state, events)
    assert frames.total() >= 60
    assert {"CardPlayFrame", "OffensiveFrame"} <= set(frames)
