"""A seat's program at a table of cards in cipher: what it answers, and what it can read.

Hands that the host cannot read (``docs/fair-play.md``): each card is masked by a key of every seat, and can be read by
the one whose key alone is left on it. Everything that a program says follows from its seed and from the steps before;
the one free choice is the order of an arrangement.
"""

from collections.abc import Sequence

from engine.kernel.errors import HiddenError
from saves.fair.cardseed import CardSeed, key_commitment
from saves.fair.faults import BrokenDeckError
from saves.fair.group import Point, Scalar, inverse, product, times
from saves.fair.slots import Owed, Shuffle, Slot
from saves.fair.steps import AnyStep, Arranged, KeysGiven, Masked, Mixed
from saves.fair.table import Table


class CardHolder:
    """One seat with its seed, looking at a table that its program follows."""

    def __init__(self, seed: CardSeed, table: Table) -> None:
        """Take a seat at a table."""
        self._seed = seed
        self._table = table
        self._read: dict[int, str] = {}
        """Faces by slot, once they were worked out; what lies in a slot never changes."""
        self.role = seed.role

    def answer(self) -> AnyStep | None:
        """Return what this seat must do now, None when the cards wait for others or for nobody.

        Whether the call before it is one that the rules of the game make, the caller has judged.
        """
        own = (owed for owed in self._table.owed() if owed.role == self.role)
        owed = next(own, None)
        return None if owed is None else self.answer_to(owed)

    def answer_to(self, owed: Owed) -> AnyStep:
        """Return what an honest program does about something that it owes."""
        if owed.kind is KeysGiven:
            return KeysGiven(keys=tuple(map(self._seed.card_key, owed.slots)))
        shuffle = self._table.shuffles[owed.deck]
        return self._mixed(shuffle) if owed.kind is Mixed else self._masked(shuffle)

    def card(self, number: int) -> str:
        """Return the face of the card in a slot.

        Raises:
            HiddenError: Others have not taken their keys off it.
            BrokenDeckError: What lies there is no card of the deck, or one that this seat knows to lie elsewhere.
        """
        slot = self._table.slots[number]
        if slot.card or number in self._read:
            return slot.card or self._read[number]
        if slot.masked_by not in {(), (self.role,)}:
            raise HiddenError("this card lies face down")
        card = self._table.face(slot.deck, times(inverse(self._laid(slot)), slot.point))
        if not card:
            raise BrokenDeckError(self._table.steps - 1, "there is a card that is none of the deck")
        self._read[number] = card
        return card

    def known(self, deck: str) -> dict[int, str]:
        """Return the cards of a deck that this seat can read, by slot.

        Raises:
            BrokenDeckError: One is no card of the deck, or there twice.
        """
        cards: dict[int, str] = {}
        for number in self._table.live(deck):
            slot = self._table.slots[number]
            if slot.card or slot.masked_by in {(), (self.role,)}:
                card = self.card(number)
                if card in cards.values():
                    raise BrokenDeckError(self._table.steps - 1, f"{card} is there twice")
                cards[number] = card
        return cards

    def arranged(self, slots: Sequence[int], order: Sequence[int] = ()) -> Arranged:
        """Return the step that lays cards anew which this seat alone can read.

        Args:
            slots: Where they lie; cards of one deck.
            order: At each new place the old one, counted from 0; without it an order by chance, which hides from the
                others which of its cards this seat drew when.
        """
        table, seed = self._table, self._seed
        places = tuple(order) or seed.order(table.steps, len(slots))
        assert sorted(places) == list(range(len(slots))), places
        keys = [seed.card_key(table.next_slot + at) for at in range(len(slots))]
        points = []
        for key, place in zip(keys, places, strict=True):
            slot = table.slots[slots[place]]
            points.append(times(product(key, inverse(self._laid(slot))), slot.point))
        return Arranged(
            slots=tuple(slots),
            points=tuple(points),
            commitments=tuple(map(key_commitment, keys)),
        )

    def _mixed(self, shuffle: Shuffle) -> Mixed:
        key = self._seed.deck_key(shuffle.call)
        order = self._seed.order(shuffle.call, len(shuffle.slots))
        if shuffle.mixed:
            masked = [times(key, point) for point in shuffle.points]
        else:
            masked = [self._remasked(key, self._table.slots[number]) for number in shuffle.slots]
        return Mixed(deck=shuffle.deck, points=tuple(masked[place] for place in order))

    def _remasked(self, key: Scalar, slot: Slot) -> Point:
        """Return the card of a slot with one key on it instead of all those that were laid on it."""
        if slot.commitments:
            key = product(key, inverse(self._laid(slot)))
        return times(key, slot.point)

    def _masked(self, shuffle: Shuffle) -> Masked:
        off = inverse(self._seed.deck_key(shuffle.call))
        keys = [self._seed.card_key(shuffle.first + at) for at in range(len(shuffle.slots))]
        return Masked(
            deck=shuffle.deck,
            points=tuple(
                times(product(key, off), point)
                for key, point in zip(keys, shuffle.points, strict=True)
            ),
            commitments=tuple(map(key_commitment, keys)),
        )

    def _laid(self, slot: Slot) -> Scalar:
        """Return the product of all keys on a card, of which the own one alone may be unknown to others."""
        keys = dict(slot.keys)
        if self.role in slot.masked_by:
            keys[self.role] = self._seed.card_key(slot.number)
        assert keys.keys() == slot.commitments.keys(), "others have not taken their keys off"
        return product(*keys.values())
