"""Positions of random games for tests, with every seat's copy, cached because many tests use the same ones."""

from functools import cache
from hashlib import blake2b
from typing import Any

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.engine.random_games import derived
from tests.sizes import sampled, sized

SCENARIOS = sampled([info.id for info in EOTS.scenarios()], 4)
"""The scenarios whose games are played. Playing them takes longer than most tests of their positions."""
MOST_COMMANDS = 900
"""Number of commands per game, which is enough to reach the second turn."""
POSITIONS = sized(6, 30, 120)
"""Number of positions in each game to examine closely."""


@cache
def game(scenario: str) -> tuple[tuple[State, dict[Role | None, State], Role], ...]:
    """Return positions spread over a random game, with every seat's copy and the roles asked."""
    secret = blake2b(f"battery {scenario}".encode(), digest_size=32).digest()
    player: Any = RandomPlayer(derived(scenario), list(Habit)[len(scenario) % 3])
    events = EOTS.open_game(EOTS.position(scenario, {}), DerivedDice(secret, 0))
    state, copies = (
        EOTS.initial_state(),
        dict.fromkeys((*EOTS.roles(EOTS.initial_state()), None), EOTS.initial_state()),
    )
    found = []
    for step in range(1, MOST_COMMANDS):
        state = EOTS.fold(state, events)
        for role in copies:
            hidden = tuple(EOTS.redact(event, role) for event in events)
            copies[role] = EOTS.fold(copies[role], hidden)
        asked = EOTS.active_roles(state)
        if not asked:
            break
        found.append((state, dict(copies), asked[0]))
        command = player.choose(None, EOTS.decision(state, asked[0]))
        events = EOTS.decide(state, asked[0], command, DerivedDice(secret, step))
    return tuple(found[:: max(len(found) // POSITIONS, 1)])
