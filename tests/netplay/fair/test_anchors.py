"""A message is valid in the state at its anchor, so evidence against an honest author never holds."""

from typing import Any

import pytest

from saves.fair.fold import fold, initial_fair_state
from saves.fair.messages import Kind, Offer, decode_message
from saves.fair.state import MessageRefusal
from tests.netplay.fair.match import FairMatch
from tests.sizes import sampled, sized

SCENARIOS = [
    pytest.param("eots", "south-pacific", id="eots-south-pacific"),
    pytest.param("eots", "1943", id="eots-1943"),
    pytest.param("qmg", "base", id="qmg", marks=pytest.mark.full),
    pytest.param("qmg", "total-war", id="qmg-total-war", marks=pytest.mark.full),
]


def take_back(match: FairMatch) -> None:
    role, *others = match.seats
    match.submit(match.seats[role].sign_offer(Offer("takeback", max(0, match.state.records - 4))))
    for other in others:
        match.submit(match.seats[other].sign_consent(agrees=True))
    match.settle()


@pytest.mark.usefixtures("quick_proofs")
@pytest.mark.parametrize(("game", "scenario"), sampled(SCENARIOS, 1))
def test_every_message_is_valid_at_its_anchor(game: str, scenario: str) -> None:
    match = FairMatch(game, scenario, seed=3)
    match.start()
    for number in range(sized(24, 300)):
        if not match.step():
            break
        if number % 9 == 8:
            take_back(match)
    state = initial_fair_state(match.setup)
    states: dict[int, Any] = {-1: state}
    for signed in match.host.messages:
        message = decode_message(match.match_id, signed.data)
        anchor = -1 if message.kind is Kind.SETUP else message.anchor
        there = fold(states[anchor], signed)
        assert not isinstance(there, MessageRefusal), (message.kind, there.problem)
        after = fold(state, signed)
        assert not isinstance(after, MessageRefusal)
        states[after.index] = state = after
    assert state.records > 20
