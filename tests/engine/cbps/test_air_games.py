"""Air operations played at random: the options are exactly the legal orders, and no invariant breaks (4, 6, 17, 22)."""

from collections.abc import Iterator
from random import Random

import pytest

from engine.cbps.commands import (
    Cap,
    CbpsCommand,
    Deploy,
    Detach,
    Done,
    Escort,
    Fly,
    Hold,
    Land,
    Launch,
    LightUp,
    Lower,
    Operate,
    Place,
    Raise,
    Rejoin,
    Sail,
    Service,
    Station,
    Store,
    Tow,
)
from engine.cbps.frames import AirMovementFrame, OperationsFrame, SailFrame
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.kernel.dice import DerivedDice
from tests.sizes import sampled, sized

MISSIONS = tuple(f"{kind}-{number}" for kind in ("strike", "intercept") for number in range(1, 9))
ALL = {
    "deck-crashes": "on",
    "leeward-movement": "on",
    "night-operations": "on",
    "surface-combat": "on",
    "staff": "three",
}
OTHER_READINGS = {
    "deck-crashes": "on",
    "night-launch": "on",
    "cap-landing": "off",
    "strike-radius": "1",
    "lit-landing": "on",
    "landing-point": "before",
    "second-hex": "on",
}
_CHECKS: float = 0.1
"""Share of the questions at which every conceivable order is checked."""


def around(state: State, hexes: list[str]) -> list[str]:
    """Return the hexes near some hexes."""
    grid = state.game_data.map.grid
    return sorted({near for hex in hexes if hex for near in grid.within(hex, 2)})


def conceivable(state: State) -> Iterator[CbpsCommand]:
    """Yield every conceivable order at the innermost frame."""
    top, ships = state.frames[-1], state.ships
    carriers = [name for name in ships if state.game_data.us_ships[name].is_carrier]
    skies = around(state, [mission.hex for mission in state.missions.values()])
    if isinstance(top, OperationsFrame):
        for unit in state.units:
            yield from (kind(unit=unit) for kind in (Raise, Service, Store, Lower))
            yield from (
                kind(unit=unit, mission=name) for kind in (Launch, Cap) for name in MISSIONS
            )
            yield from (Land(unit=unit, carrier=name) for name in carriers)
        yield from (Operate(carrier=name) for name in carriers)
        yield from (LightUp(group=name) for name in state.groups)
    elif isinstance(top, SailFrame):
        seas = around(state, [group.hex for group in state.groups.values()])
        yield from (Sail(group=name, hex=hex) for name in (*state.groups, "tf58") for hex in seas)
        yield from (kind(group=name) for kind in (Detach, Rejoin) for name in state.groups)
        hurt = [name for name, ship in ships.items() if ship.hits]
        yield from (Escort(ship=name, cripple=other) for name in ships for other in hurt)
        yield from (Tow(ship=name, hex=hex) for name in hurt for hex in state.game_data.map.hexes)
        return
    else:
        yield from (kind(mission=name) for kind in (Hold, Deploy) for name in MISSIONS)
    yield from (Fly(mission=name, hex=hex) for name in state.missions for hex in skies)


def check(state: State, role: str, options: tuple[CbpsCommand, ...]) -> None:
    """Check that the options are exactly the legal orders."""
    frame = state.frames[-1]
    handler = CBPS.machine.handler(frame)
    legal = {one for one in conceivable(state) if handler.is_option(state, frame, role, one)}
    assert legal == set(options) - {Done()}


def play(scenario: str, chance: Random, options: dict[str, str], questions: int) -> State:
    """Play at random for the given number of questions, or to the end."""
    secret = chance.randbytes(32)
    state = CBPS.initial_state()
    for event in CBPS.open_game(CBPS.position(scenario, options), DerivedDice(secret, 0)):
        state = CBPS.evolve(state, event)
    for number in range(1, questions):
        asked = CBPS.active_roles(state)
        if not asked:
            break
        role = chance.choice(asked)
        decision = CBPS.decision(state, role)
        command = chance.choice(decision.options)
        if isinstance(command, Done):  # rarely, so that much happens in a segment
            command = chance.choice(decision.options)
        if isinstance(command, Place | Station):
            command = decision.default
        frame = state.frames[-1]
        is_ours = isinstance(frame, AirMovementFrame | OperationsFrame | SailFrame)
        if is_ours and chance.random() < _CHECKS:
            check(state, role, decision.options)
        ledger = CBPS.ledger(state, DerivedDice(secret, number))
        CBPS.resolve(ledger, role, command)
        state = ledger.state
        assert not list(CBPS.violations(state))
    return state


@pytest.mark.parametrize("seed", range(sized(2, 10, 50)))
@pytest.mark.parametrize("scenario", ["1", "3"])
def test_random_air_operations_in_the_lessons(scenario: str, seed: int) -> None:
    assert play(scenario, Random(seed), {}, 2000).outcome is not None


@pytest.mark.parametrize(
    "options",
    sampled(
        [pytest.param(ALL, id="advanced-rules"), pytest.param(OTHER_READINGS, id="other-readings")],
        1,
    ),
)
@pytest.mark.parametrize("seed", range(sized(1, 2, 20)))
def test_random_air_operations_in_the_full_battle(options: dict[str, str], seed: int) -> None:
    """A quick run plays the first turns of the battle, a longer one all of it."""
    play("8", Random(seed), options, sized(400, 2000, 5000))
