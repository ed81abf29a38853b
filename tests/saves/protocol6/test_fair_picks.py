"""Cards picked at random from another role's hand, and hands that were dealt without a pick."""

import pytest

from engine.eots.commands import PlayEvent
from engine.eots.ids import CardId, Side
from engine.eots.ruleset import EOTS
from engine.eots.scripting_setup import apply_setup
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.qmg.events import CardsMoved, DeckShuffled
from engine.qmg.ruleset import QMG
from saves.protocol6.steps import Arranged, DrawCalled
from saves.timeline import view_digest
from tests.saves.protocol6.fairtable import FairTable
from tests.saves.protocol6.program.holder import CardHolder
from tests.saves.protocol6.program.owndeck import OwnDeck
from tests.saves.protocol6.program.pending_command import Picked, Proposal, ProposedEvent
from tests.saves.protocol6.program.seat import _in_a_row, unfinished
from tests.sizes import sampled

ALLIED, JAPAN = Role(Side.ALLIED), Role(Side.JAPAN)
LINES = {
    "1944": (
        "unit us-b29-20bc china-box",
        "hand allied A-60 A-31",
        "hand japan J-9 J-11 J-12 J-13",
        "play allied",
    ),
    "1942-44": (
        "turn 9",
        "track political-will 5",
        "unit us-b29-20bc china-box",
        "hand allied A-60 A-31",
        "hand japan J-43",
        "play allied",
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled([*LINES], 1))
@pytest.mark.parametrize("forgetful", sampled([False, True], 1))
def test_12_33_card_picked_at_random_from_a_hand_is_revealed_by_its_owner(
    scenario: str, forgetful: bool
) -> None:
    """The hand comes from the position, so none of its cards was ever drawn from the encrypted deck."""
    position = EOTS.position(scenario, {})
    for line in LINES[scenario]:
        position = apply_setup(position, line.split())
    table = FairTable("eots", scenario, position=position)
    before = set(EOTS.hidden_pile(table.copies[JAPAN].state, JAPAN, "hand"))
    table.give(ALLIED, PlayEvent(card=CardId("A-60")), forgetful=forgetful)
    after = {*EOTS.hidden_pile(table.copies[JAPAN].state, JAPAN, "hand")}
    (lost,) = before - after
    deck = table.copies[None].state.decks[Side.JAPAN]
    assert lost in (*deck.discard, *deck.removed)
    seen = {view_digest(EOTS, copy.state, None) for copy in table.copies.values()}
    assert len(seen) == 1
    table.play(20, seed=3)


@pytest.mark.full
def test_unread_hand_card_is_read_before_it_is_revealed() -> None:
    """The rest of a pile goes to a hand unchanged. Its cards have not been read from the encrypted deck."""
    table = FairTable("eots", "1944")
    copy, seat = table.copies[JAPAN], table.seats[JAPAN]
    assert copy.deck_protocol is not None
    deck = OwnDeck(
        EOTS, copy.deck_protocol, CardHolder(seat.secret, copy.deck_protocol.table), JAPAN
    )
    unread = EOTS.hidden_pile(copy.state, JAPAN, "deck")[0]
    step = deck.show(unread)
    assert isinstance(step, DrawCalled)
    assert step.for_shuffle
    assert list(step.slots) == list(copy.deck_protocol.order[JAPAN])
    (card, *_) = EOTS.hidden_pile(copy.state, JAPAN, "hand")
    assert isinstance(deck.show(card), Arranged)


def test_draw_is_not_resolved_before_a_preceding_shuffle() -> None:
    """Cards drawn after a shuffle come from another pile."""
    uk = Role("uk")
    drawn = CardsMoved(country=uk, cards=(HIDDEN,), source="deck", to="hand")
    first, second = (unfinished(QMG, drawn, uk) for _ in range(2))
    entry = unfinished(QMG, DeckShuffled(country=uk), uk).entry
    told = (first, second, ProposedEvent(entry=entry), first)
    picks = tuple(Picked(uk, "deck", 0, before) for before in (0, 1, 3))
    proposal = Proposal(events=told, picks=picks)
    assert [_in_a_row(proposal, uk, at) for at in (0, 1, 3)] == [2, 1, 1]
