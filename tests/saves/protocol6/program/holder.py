"""The masked cards of a seat's program: what it owes, and which cards it can read and arrange."""

from collections.abc import Sequence

from saves.protocol6.cardseed import key_commitment
from saves.protocol6.errors import BrokenDeckError
from saves.protocol6.group import inverse, multiply, product
from saves.protocol6.key_holder import KeyHolder
from saves.protocol6.steps import AnyStep, Arranged, ShuffleCalled


class CardHolder(KeyHolder):
    """A seat with its secrets that also begins steps of its own."""

    def due_steps(self) -> list[AnyStep]:
        """Return the steps that this seat must make now, in order; empty if there are none.

        The caller must already have checked that the game's rules require the preceding calls.
        """
        return [self.make_step(owed) for owed in self._table.owed_steps() if owed.role == self.role]

    def with_first_pass(self, call: ShuffleCalled) -> list[AnyStep]:
        """Return the call that shuffles this seat's deck and, if no keys are owed first, the first pass."""
        slots = [self._table.slots[number] for number in call.slots]
        if any(set(slot.masked_by) - {self.role} for slot in slots):
            return [call]
        return [call, self._mix(self._table.shuffle_of(call.deck, call.slots))]

    def readable_cards(self, deck: str) -> dict[int, str]:
        """Return those of a deck's cards that this seat can read, by slot.

        Raises:
            BrokenDeckError: A slot does not contain a card from the deck, or a card appears twice.
        """
        cards: dict[int, str] = {}
        for number in self._table.live_slots(deck):
            slot = self._table.slots[number]
            if slot.card or slot.masked_by in {(), (self.role,)}:
                card = self.card(number)
                if card in cards.values():
                    raise BrokenDeckError(self._table.steps - 1, f"{card} is there twice")
                cards[number] = card
        return cards

    def arrange(self, slots: Sequence[int], order: Sequence[int] = ()) -> Arranged:
        """Build the step that moves cards into new slots. Only this seat must be able to read the cards.

        Args:
            slots: The current slots of the cards, which must all be from one deck.
            order: The old index for each new place. By default the order is random, so that others cannot tell when
                this seat drew which card.
        """
        table, seed = self._table, self._seed
        places = tuple(order) or seed.permutation(table.steps, len(slots))
        assert sorted(places) == list(range(len(slots))), places
        keys = [seed.hand_key(table.steps, at) for at in range(len(slots))]
        points = []
        for key, place in zip(keys, places, strict=True):
            slot = table.slots[slots[place]]
            points.append(multiply(product(key, inverse(self._combined_key(slot))), slot.point))
        return Arranged(
            slots=tuple(slots),
            points=tuple(points),
            commitments=tuple(map(key_commitment, keys)),
        )
