"""A seat's steps for its own deck, which deal, mix and reveal cards and shuffle the deck when necessary.

The encrypted deck is kept equal to the draw pile of the rules. Before a card is dealt, the owner compares the two,
which it knows as sets, and shuffles if they differ: after discards, a search of the deck, or a takeback.
"""

from collections.abc import Sequence
from typing import Final

from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.protocol6.deck_protocol import DeckProtocol
from saves.protocol6.slots import Slot
from saves.protocol6.steps import STEP_DECODER, AnyStep, DrawCalled, OpenCalled, ShuffleCalled
from tests.saves.protocol6.program.deciding import CardsWantedError
from tests.saves.protocol6.program.holder import CardHolder

_NO_ORDER: Final = 2
"""Decks with fewer cards have no order that could be mixed."""


class OwnDeck:
    """The deck of one seat, from which its owner deals."""

    def __init__(self, game: AnyGame, dealt: DeckProtocol, holder: CardHolder, role: Role) -> None:
        """Initialise the deck.

        Args:
            game: The rules.
            dealt: All cards of the match.
            holder: The cards that the owner can read.
            role: The owner.
        """
        self._game = game
        self._dealt = dealt
        self._holder = holder
        self._role = role
        self._name = str(role)

    def drawn(self) -> list[str]:
        """Return the cards dealt from this deck since the last record, in order of dealing."""
        drawn: list[str] = []
        for signed in self._dealt.unsettled:
            step = STEP_DECODER.decode(signed.body)
            is_deal = isinstance(step, DrawCalled) and not step.for_shuffle
            if is_deal and signed.author == self._role:
                drawn += map(self._holder.card, step.slots)
        return drawn

    def deal(self, needed: CardsWantedError) -> AnyStep:
        """Return the next step towards dealing the next cards of a draw pile."""
        pile = needed.pile
        known = self._holder.readable_cards(self._name)
        table, order = self._dealt.table, self._dealt.order[self._name]
        unread = [number for number in table.live_slots(self._name) if number not in known]
        unseen = {*table.decks[self._name].cards}.difference(known.values())
        wanted = {*pile}
        if order and unseen == wanted:
            return DrawCalled(slots=order[: needed.count], reader=self._role)
        if unseen - wanted:
            return DrawCalled(slots=order, reader=self._role, for_shuffle=True)
        back = [number for number, card in known.items() if card in wanted]
        mixing = self._mixing(back)
        return mixing or ShuffleCalled(deck=self._name, slots=(*unread, *back))

    def _mixing(self, named: Sequence[int]) -> AnyStep | None:
        """Return the step that mixes the cards that only this seat can read, before one of them is named.

        None if it would change nothing. Mixing hides when a card that is shown or put back was drawn.
        """
        own = [
            number for number in self._dealt.table.live_slots(self._name) if self._is_own(number)
        ]
        if (
            len(own) < 2 or not {*named}.intersection(own) or self._dealt.mixed.issuperset(own)
        ):  # a single card has no order
            return None
        return self._holder.arrange(own)

    def _is_own(self, number: int) -> bool:
        slot: Slot = self._dealt.table.slots[number]
        return not slot.card and slot.masked_by == (self._role,)

    def opening(self, events: Sequence[Event]) -> AnyStep | None:
        """Return the next step that reveals own cards shown by these events; None if all are revealed."""
        shown = {card for event in events for card in self._game.revealed_cards(event)}
        cards = shown.intersection(self._dealt.table.decks[self._name].cards)
        known, order = self._holder.readable_cards(self._name), self._dealt.order[self._name]
        if order and cards.difference(known.values()):  # found in a search
            return DrawCalled(slots=order, reader=self._role, for_shuffle=True)
        slots = [number for number, card in known.items() if card in cards and self._is_own(number)]
        return (self._mixing(slots) or OpenCalled(slots=tuple(slots))) if slots else None

    def show(self, card: str) -> int | AnyStep:
        """Return the slot in which an own card is revealed, or the next step that reveals it."""
        known = self._holder.readable_cards(self._name)
        slot = next((number for number, each in known.items() if each == card), None)
        if slot is None:  # dealt without a pick, together with the rest of a pile
            return DrawCalled(
                slots=self._dealt.order[self._name], reader=self._role, for_shuffle=True
            )
        if not self._is_own(slot):
            return slot
        return self._mixing([slot]) or OpenCalled(slots=(slot,))
