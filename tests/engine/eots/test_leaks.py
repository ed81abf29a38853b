"""Hidden information does not affect what a side sees (F6): a new deal of hidden cards gives the same bytes."""

from hashlib import blake2b
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ids import CardId, Side
from engine.eots.ruleset import EOTS
from engine.eots.state import Deck, State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.sizes import sized

SEEDS = range(sized(1, 10, 100, of="games of 1943 behind the rules"))
SAMPLES = sized(8, 20, of="positions of each of these games of 1943")
"""Number of positions per game; 200 in total at full size."""


def _dice(text: str) -> DerivedDice:
    return DerivedDice(blake2b(text.encode(), digest_size=32).digest(), 0)


def _positions(seed: int) -> list[State]:
    """Return positions of a random game, spread over its length."""
    secret = blake2b(f"leak {seed}".encode(), digest_size=32).digest()
    player: Any = RandomPlayer(_dice(f"player {seed}"), list(Habit)[seed % 3])
    state = EOTS.fold(
        EOTS.initial_state(), EOTS.open_game(EOTS.position("1943", {}), DerivedDice(secret, 0))
    )
    found = []
    step = 0
    while asked := EOTS.active_roles(state):
        found.append(state)
        role = asked[0]
        command = player.choose(EOTS.project(state, role), EOTS.decision(state, role))
        step += 1
        state = EOTS.fold(state, EOTS.decide(state, role, command, DerivedDice(secret, step)))
    return found[:: max(len(found) // SAMPLES, 1)][:SAMPLES]


def _dealt_anew(deck: Deck, dice: DerivedDice) -> Deck:
    """Return the deck with its unknown cards dealt again. Counts and open cards stay the same."""
    pool = [*deck.hand, *deck.draw]
    if deck.future is not None:
        pool.append(deck.future)
    mixed: list[CardId] = []
    while pool:
        mixed.append(pool.pop(dice.randbelow(len(pool))))
    hand = tuple(mixed[: len(deck.hand)])
    rest = mixed[len(deck.hand) :]
    future = rest.pop() if deck.future is not None else None
    locked = hand[: len(deck.locked)]
    return replace(deck, hand=hand, draw=tuple(rest), future=future, locked=locked)


def _seen(state: State, role: Role | None) -> bytes:
    """Return everything that a role is shown: its view, the roles asked, and its own question."""
    asked = EOTS.active_roles(state)
    own = EOTS.decision(state, role) if role is not None and role in asked else None
    return msgspec.msgpack.encode((EOTS.project(state, role), asked, own, EOTS.heading(state)))


@pytest.mark.series("F6")
@pytest.mark.parametrize("seed", SEEDS)
def test_hidden_cards_do_not_affect_what_is_shown(seed: int) -> None:
    dice = _dice(f"resample {seed}")
    for state in _positions(seed):
        for viewer in (*Side, None):
            decks = {
                side: deck if side is viewer else _dealt_anew(deck, dice)
                for side, deck in state.decks.items()
            }
            role = None if viewer is None else Role(viewer)
            assert _seen(replace(state, decks=decks), role) == _seen(state, role)


def test_the_check_detects_a_leak() -> None:
    state = _positions(0)[3]
    role = Role("allied")
    decks = {**state.decks, Side.ALLIED: _dealt_anew(state.decks[Side.ALLIED], _dice("other"))}
    assert _seen(replace(state, decks=decks), role) != _seen(state, role)
