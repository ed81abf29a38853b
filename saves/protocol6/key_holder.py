"""A seat's program in the masked-card protocol: its responses to steps, and the cards that it can read.

The protocol hides hands from the host (``docs/fair-play.md``). Every seat masks each card with a key. A seat can read a
card once its own key is the only one left on it. A program's seed and the earlier steps determine its steps. Its only
free choice is the order in an arrangement.
"""

from collections.abc import Sequence

from engine.kernel.errors import HiddenError
from saves.protocol6.cardseed import CardSeed, key_commitment
from saves.protocol6.errors import BrokenDeckError
from saves.protocol6.group import Point, Scalar, inverse, product, times
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.slots import Owed, Shuffle, Slot
from saves.protocol6.steps import AnyStep, Arranged, KeysGiven, Masked, Mixed, ShuffleCalled


class KeyHolder:
    """One seat with its secrets, following a table's state."""

    def __init__(self, seed: CardSeed, table: MaskedDecks) -> None:
        """Follow a table with these secrets."""
        self._seed = seed
        self._table = table
        self._passes: dict[tuple[int, type[AnyStep]], AnyStep] = {}
        """This seat's passes in ongoing shuffles, by call and kind.

        Other steps may be taken before the passes are sent.
        """
        self._read_cards: dict[int, str] = {}
        """Faces by slot, cached because a slot's card never changes."""
        self.role = seed.role

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

    def make_step(self, owed: Owed) -> AnyStep:
        """Return the step that an honest program makes to fulfil an obligation."""
        if owed.kind is KeysGiven:
            slots = map(self._table.slots.__getitem__, owed.slots)
            return KeysGiven(keys=tuple(own_key(self._seed, slot) for slot in slots))
        shuffle = self._table.shuffles[owed.deck]
        pass_id = shuffle.call, owed.kind
        if pass_id not in self._passes:
            current_calls = {current.call for current in self._table.shuffles.values()}
            for old_pass in [
                old_pass for old_pass in self._passes if old_pass[0] not in current_calls
            ]:
                del self._passes[old_pass]
            is_first = owed.kind is Mixed
            self._passes[pass_id] = self._mix(shuffle) if is_first else self._mask(shuffle)
        return self._passes[pass_id]

    def card(self, number: int) -> str:
        """Return the face of the card in a slot.

        Raises:
            HiddenError: Other seats' keys still mask it.
            BrokenDeckError: The slot does not contain a card from the deck.
        """
        slot = self._table.slots[number]
        if slot.card or number in self._read_cards:
            return slot.card or self._read_cards[number]
        if slot.masked_by not in {(), (self.role,)}:
            raise HiddenError("this card is face down")
        card = self._table.face(slot.deck, times(inverse(self._combined_key(slot)), slot.point))
        if not card:
            raise BrokenDeckError(
                self._table.steps - 1, "there is a card that does not belong to the deck"
            )
        self._read_cards[number] = card
        return card

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
        order_of_places = tuple(order) or seed.order(table.steps, len(slots))
        assert sorted(order_of_places) == list(range(len(slots))), order_of_places
        keys = [seed.hand_key(table.steps, position) for position in range(len(slots))]
        points = []
        for key, place in zip(keys, order_of_places, strict=True):
            slot = table.slots[slots[place]]
            points.append(times(product(key, inverse(self._combined_key(slot))), slot.point))
        return Arranged(
            slots=tuple(slots),
            points=tuple(points),
            commitments=tuple(map(key_commitment, keys)),
        )

    def _mix(self, shuffle: Shuffle) -> Mixed:
        key = self._seed.deck_key(shuffle.call)
        order = self._seed.order(shuffle.call, len(shuffle.slots))
        if shuffle.mixed:
            masked = [times(key, point) for point in shuffle.points]
        else:
            masked = [self._remask(key, self._table.slots[number]) for number in shuffle.slots]
        return Mixed(deck=shuffle.deck, points=tuple(masked[place] for place in order))

    def _remask(self, key: Scalar, slot: Slot) -> Point:
        """Replace all keys that mask a slot's card with a single one."""
        if slot.commitments:
            key = product(key, inverse(self._combined_key(slot)))
        return times(key, slot.point)

    def _mask(self, shuffle: Shuffle) -> Masked:
        inverse_deck_key = inverse(self._seed.deck_key(shuffle.call))
        keys = [
            self._seed.card_key(shuffle.first + position) for position in range(len(shuffle.slots))
        ]
        return Masked(
            deck=shuffle.deck,
            points=tuple(
                times(product(key, inverse_deck_key), point)
                for key, point in zip(keys, shuffle.points, strict=True)
            ),
            commitments=tuple(map(key_commitment, keys)),
        )

    def _combined_key(self, slot: Slot) -> Scalar:
        """Return the product of all keys on a card. Every key except this seat's own must be public."""
        keys = dict(slot.keys)
        if self.role in slot.masked_by:
            keys[self.role] = own_key(self._seed, slot)
        assert keys.keys() == slot.commitments.keys(), "others have not taken their keys off"
        return product(*keys.values())


def own_key(seed: CardSeed, slot: Slot) -> Scalar:
    """Return the key with which a seat masked a slot's card.

    In the earliest fair matches, arrangement keys were derived from slots, as in shuffles.
    """
    if slot.arranged is not None:
        key = seed.hand_key(*slot.arranged)
        if key_commitment(key) == slot.commitments[seed.role]:
            return key
    return seed.card_key(slot.number)
