"""Implements a seat in the masked-card protocol: its responses to steps, and the cards that it can read.

The protocol hides hands from the host (``docs/fair-play.md``). Every seat masks each card with a key. A seat can read a
card once only its own key still masks that card. A program's seed and the earlier steps determine its next steps. The
program may choose only the order of the cards in an arrangement. This module builds the steps that other seats are
waiting for.
"""

from engine.kernel.errors import HiddenError
from saves.protocol6.cardseed import CardSeed, key_commitment
from saves.protocol6.errors import BrokenDeckError
from saves.protocol6.group import Point, Scalar, inverse, multiply, product
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.slots import Owed, Shuffle, Slot
from saves.protocol6.steps import AnyStep, KeysGiven, Masked, Mixed


class KeyHolder:
    """Holds one seat's card secrets, builds the steps due from the seat, and reads the cards that it may see."""

    def __init__(self, seed: CardSeed, table: MaskedDecks) -> None:
        """Create the holder for a table, with the secrets derived from the seat's card seed."""
        self._seed = seed
        self._table = table
        self._passes: dict[tuple[int, type[AnyStep]], AnyStep] = {}
        """This seat's passes in ongoing shuffles, by the shuffle's number and the kind of pass.

        A pass is cached, because the table may change between computing the pass and sending it.
        """
        self._read_cards: dict[int, str] = {}
        """Cards already read, by slot. They are cached because the card in a slot never changes."""
        self.role = seed.role

    def make_step(self, owed: Owed) -> AnyStep:
        """Build the step that is due from this seat."""
        if owed.kind is KeysGiven:
            slots = map(self._table.slots.__getitem__, owed.slots)
            return KeysGiven(keys=tuple(own_key(self._seed, slot) for slot in slots))
        shuffle = self._table.shuffles[owed.deck]
        pass_id = shuffle.call, owed.kind
        if pass_id not in self._passes:
            # Drop the passes of finished shuffles, so that the cache does not keep growing.
            active_calls = {current.call for current in self._table.shuffles.values()}
            for key in [key for key in self._passes if key[0] not in active_calls]:
                del self._passes[key]
            is_first = owed.kind is Mixed
            self._passes[pass_id] = self._mix(shuffle) if is_first else self._mask(shuffle)
        return self._passes[pass_id]

    def card(self, number: int) -> str:
        """Return the face of the card in a slot.

        Raises:
            HiddenError: Other seats' keys still mask the card.
            BrokenDeckError: The slot does not contain a card from the deck.
        """
        slot = self._table.slots[number]
        if slot.card or number in self._read_cards:
            return slot.card or self._read_cards[number]
        if slot.masked_by not in {(), (self.role,)}:
            raise HiddenError("this card is face down")
        card = self._table.face(slot.deck, multiply(inverse(self._combined_key(slot)), slot.point))
        if not card:
            raise BrokenDeckError(self._table.steps - 1, "a card does not belong to the deck")
        self._read_cards[number] = card
        return card

    def _mix(self, shuffle: Shuffle) -> Mixed:
        key = self._seed.deck_key(shuffle.call)
        permutation = self._seed.permutation(shuffle.call, len(shuffle.slots))
        if shuffle.mixed:
            masked = [multiply(key, point) for point in shuffle.points]
        else:
            masked = [self._remask(key, self._table.slots[number]) for number in shuffle.slots]
        return Mixed(deck=shuffle.deck, points=tuple(masked[place] for place in permutation))

    def _remask(self, key: Scalar, slot: Slot) -> Point:
        """Replace all keys that mask a slot's card with a single key."""
        if slot.commitments:
            # Combining the scalars first saves one point multiplication per card.
            key = product(key, inverse(self._combined_key(slot)))
        return multiply(key, slot.point)

    def _mask(self, shuffle: Shuffle) -> Masked:
        inverse_deck_key = inverse(self._seed.deck_key(shuffle.call))
        keys = [
            self._seed.card_key(shuffle.first + position) for position in range(len(shuffle.slots))
        ]
        return Masked(
            deck=shuffle.deck,
            points=tuple(
                multiply(product(key, inverse_deck_key), point)
                for key, point in zip(keys, shuffle.points, strict=True)
            ),
            commitments=tuple(map(key_commitment, keys)),
        )

    def _combined_key(self, slot: Slot) -> Scalar:
        """Return the product of all keys on a card. All keys except this seat's must be public."""
        keys = dict(slot.keys)
        if self.role in slot.masked_by:
            keys[self.role] = own_key(self._seed, slot)
        assert keys.keys() == slot.commitments.keys(), (
            "all other seats must have removed their keys"
        )
        return product(*keys.values())


def own_key(seed: CardSeed, slot: Slot) -> Scalar:
    """Return the key that a seat used to mask a slot's card.

    In the earliest fair matches, arrangement keys were derived from slots, as shuffle keys still are.
    """
    if slot.arranged is not None:
        key = seed.hand_key(*slot.arranged)
        if key_commitment(key) == slot.commitments[seed.role]:
            return key
    return seed.card_key(slot.number)
