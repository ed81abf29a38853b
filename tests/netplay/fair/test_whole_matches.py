"""Matches of protocol 7 played by random players, with every program in one process."""

import pytest

from saves.fair.state import TranscriptPhase
from tests.netplay.fair.match import FairMatch
from tests.sizes import sampled, sized

SCENARIOS = [
    pytest.param("eots", "1943", id="eots-1943"),
    pytest.param("eots", "south-pacific", id="eots-south-pacific"),
    pytest.param("eots", "campaign-1941", id="eots-campaign"),
    pytest.param("qmg", "base", id="qmg-six-seats"),
    pytest.param("qmg", "total-war", id="qmg-total-war"),
]


@pytest.mark.parametrize(("game", "scenario"), sampled(SCENARIOS, 1))
def test_every_copy_follows_a_match(game: str, scenario: str) -> None:
    match = FairMatch(game, scenario, seed=1)
    match.start()
    for _ in range(sized(25, 2_000)):
        if not match.step():
            break
    assert match.state.phase in {TranscriptPhase.IDLE, TranscriptPhase.ENDED}
    assert match.state.records > 20
    for role, seat in match.seats.items():
        assert seat.state.head == match.state.head
        seen = match.game.project(seat.cards.state, None)
        assert seen == match.game.project(match.state.state, None)
        own = match.game.card_piles(seat.cards.state, role)
        public = match.game.card_piles(match.state.state, role)
        assert {name: len(place.cards) for name, place in own.items()} == {
            name: len(place.cards) for name, place in public.items()
        }


@pytest.mark.full
def test_a_seat_can_read_only_its_own_hand() -> None:
    match = FairMatch("eots", "1943", seed=2)
    match.start()
    for role, seat in match.seats.items():
        for other in match.seats:
            hand = match.game.card_piles(seat.cards.state, other)["hand"].cards
            assert ("?" in hand) == (other != role)
