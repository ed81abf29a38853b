"""A modified program changes any one thing in its proposals and completions (AT-8, AT-9, AT-21)."""

import pytest

from engine.kernel.cards import OPEN_PILE
from tests.netplay.fair.altered_proposals import (
    FACED_DEPOT,
    PILES,
    Attempts,
    depot_turns,
    faced_turns,
    try_all,
)
from tests.netplay.fair.attacker import World
from tests.sizes import sampled
from tests.toy_depot import DECK, DEPOT, DISCARD, HAND, LAID

pytestmark = pytest.mark.usefixtures("quick_proofs")

UNSEEN = {
    "proposal event from laid",
    "proposal event in place by blue",
    "proposal event of another kind",
    "proposal event of no card",
    "proposal event shown",
    "proposal event shown as a discard of blue",
    "proposal event shown in place by blue",
    "proposal event to deck",
    "proposal event to laid",
    "proposal event to open",
    "proposal event twice",
    "proposal status done",
    "proposal status stage",
    "proposal use die",
    "proposal use dropped",
    "proposal use event before",
    "proposal use larger",
    "proposal use next event",
    "proposal use smaller",
}
"""Changes that no copy can see if a face decides what follows. They are false results, which the card seed shows."""
OWN_CHOICES = {
    ("Bury", "proposal move other label"),
    ("Dig", "proposal move other label"),
    ("Scout", "proposal move other label"),
    ("Search", "proposal move other label"),
    ("Trade", "proposal move other label"),
}
"""Changes of unseen cards of the attacker's own deck, whose faces only the card seed shows."""
ON_BOTH = {
    "a box for N hidden entries must not have N bytes",
    "a label from discard is named before that pile has been mixed",
    "a label from hand is named before that pile has been mixed",
    "a move does not belong to an event of the proposal",
    "a randomly picked label of blue is not moved",
    *(f"blue has N labels but N cards in {pile}" for pile in PILES[:4]),
    "blue must complete its own events and no others",
    "no label can be picked from discard of blue now",
    "event N moves too many labels of blue",
    "event N must not move labels of blue",
    *(f"event N must not reorder {pile}" for pile in PILES[:4]),
    "the proposal is not the result of the command: its random results do not match",
}


@pytest.fixture(scope="module")
def faced() -> Attempts:
    world = World.opened(FACED_DEPOT, "two", attackers=1, seed=71)
    return try_all(world, faced_turns(world))


@pytest.fixture(scope="module")
def depot() -> Attempts:
    world = World.opened(DEPOT, "two", attackers=1, seed=71)
    return try_all(world, depot_turns(world))


@pytest.mark.full
def test_an_altered_proposal_that_copies_cannot_fully_resolve_is_refused(faced: Attempts) -> None:
    assert not faced.misjudged
    assert faced.accepted == {("Draw", change) for change in UNSEEN}
    assert set(faced.refused) == ON_BOTH | {
        "a card is requested although no copy can check the need for it",
        "a label from deck is named before that pile has been mixed",
        "a stage must name a pile",
        "a random result does not belong to an event of the proposal",
        "a random result has the wrong number",
        "blue has blue-N in discard, but the rules have it in hand",
        "blue has blue-N in hand, but the rules have it in discard",
        *(
            f"no label can be picked from {pile} of {role} now"
            for pile in PILES
            for role in ("blue", "red")
        ),
        *(f"{pile} of blue needs no stage" for pile in (DECK, HAND, LAID, OPEN_PILE)),
        "hand of red needs no stage",
        "event N adds or removes cards of red",
        "event N hides which cards of red it moves",
        "event N must be completed by no one",
        "event N picks cards of red from hand that it does not take",
        "event N must be completed by red",
        "event N must have a commitment if, and only if, it hides cards",
        "event N shows hidden information",
        "event N shows red-N of red twice",
        *(
            f"event N takes cards of red from {pile} without a random pick"
            for pile in (DECK, HAND, LAID)
        ),
        "label N is not in pile deck of blue",
        "label N is not in pile hand of blue",
        "only a stage may name a pile",
        "the proposal shows red-N before red has opened it",
        "the proposal is not the result of the command: event N differs",
        "the proposal is not the result of the command: the next status is done",
        "the proposal has random results, but the command did not ask for any",
    }


def test_an_altered_proposal_that_every_copy_can_resolve_is_refused(depot: Attempts) -> None:
    assert not depot.misjudged
    assert depot.accepted == OWN_CHOICES
    places = [(HAND, DISCARD), (OPEN_PILE, DISCARD)]
    places += [(pile, OPEN_PILE) for pile in (DECK, HAND, LAID)]
    assert set(depot.refused) == ON_BOTH | {
        *(f"blue has blue-N in {one}, but the rules have it in {other}" for one, other in places),
        "event N must not reorder open",
        *(f"label N is not in pile {pile} of blue" for pile in (DISCARD, HAND, LAID)),
        "the command asked for random results, but the proposal has none",
        *(
            f"the proposal is not the result of the command: the next status is {status}"
            for status in ("ask", "done", "stage")
        ),
        "the proposal has random results, but the command did not ask for any",
    }


@pytest.mark.parametrize("name", sampled(["depot", "faced"], 1))
def test_every_copy_blames_the_attacker_for_an_altered_proposal(
    request: pytest.FixtureRequest, name: str
) -> None:
    attempts: Attempts = request.getfixturevalue(name)
    for world, altered in attempts.refused.values():
        assert world.refused(altered).author == world.attacker
