"""Dice that derive every draw from the match secret, so that draws can be verified later.

Each draw is a keyed BLAKE2b hash over (record number, draw index, attempt), reduced by rejection sampling. Every face
is equally likely, and past draws reveal nothing about later ones.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Final, Protocol, Self

import msgspec

from engine.kernel.errors import FlagplotError, ScriptedDiceError
from engine.kernel.hidden import HIDDEN

SECRET_BYTES: Final = 32
"""Length of a match secret, in bytes."""
_HASH_RANGE: Final = 1 << 64
_DRAW_INDEX: Final = Struct(">QII")
"""Packs a record number, a draw index and an attempt into the bytes to be hashed."""


class Die(msgspec.Struct, frozen=True):
    """A kind of die, with all whole numbers from ``lowest`` to ``highest`` as its faces."""

    lowest: int
    highest: int

    @property
    def faces(self) -> range:
        """Return the faces in ascending order."""
        return range(self.lowest, self.highest + 1)


class CardPile(tuple[str, ...]):  # noqa: SLOT001  # CPython allows no non-empty __slots__ on a tuple
    """A pile from which one card is picked at random.

    Its attributes identify the pile to a dealer who cannot see the faces.
    """

    owner: str
    """The role that owns the cards."""
    place: str
    """Location of the cards, such as ``deck`` or ``hand``."""
    segment: str
    """Name of this pile in :meth:`~engine.kernel.ruleset.Ruleset.card_piles`."""
    is_shown: bool
    """True if everyone sees the picked card immediately, because the next steps depend on it."""

    def __new__(
        cls,
        cards: Iterable[str],
        owner: str,
        place: str,
        *,
        segment: str = "",
        is_shown: bool = False,
    ) -> Self:
        """Create a pile. Which card is picked depends on the order of the cards. ``segment`` defaults to ``place``."""
        pile = super().__new__(cls, cards)
        pile.owner, pile.place, pile.is_shown = owner, place, is_shown
        pile.segment = segment or place
        return pile

    def without(self, card: str) -> "CardPile":
        """Return the pile without one card.

        If that card is hidden, it could be any card in the pile, so all remaining cards become hidden.
        """
        if card == HIDDEN:
            cards: tuple[str, ...] = (HIDDEN,) * (len(self) - 1)
        else:
            index = self.index(card)
            cards = self[:index] + self[index + 1 :]
        return CardPile(cards, self.owner, self.place, segment=self.segment, is_shown=self.is_shown)


class Dice(Protocol):
    """The only source of randomness that rules may use."""

    def roll(self, die: Die) -> int:
        """Return a random face. All faces are equally likely."""
        ...

    def pick(self, items: Sequence[str]) -> str:
        """Return a random item. All items are equally likely. The result depends on their order."""
        ...


class EventCountingDice:
    """Base class for dice that need to know which event each roll or pick belongs to."""

    _events: Sequence[object] = ()

    def observe(self, events: Sequence[object]) -> None:
        """Use this list to count events. It grows while these dice are in use."""
        self._events = events

    @property
    def event_count(self) -> int:
        """Return the number of events that precede the current roll or pick."""
        return len(self._events)


class DerivedDice:
    """The dice for one record of a match."""

    def __init__(self, secret: bytes, record: int) -> None:
        """Create the dice for a record, starting at draw 0.

        Args:
            secret: The match secret, 32 bytes.
            record: Sequence number of the record being decided.
        """
        self._secret = secret
        self._record = record
        self._draw = 0

    @property
    def is_used(self) -> bool:
        """Return whether anything has been rolled or picked."""
        return self._draw > 0

    def randbelow(self, limit: int) -> int:
        """Return a uniformly random number from 0 to ``limit - 1``."""
        ceiling = _HASH_RANGE - _HASH_RANGE % limit
        attempt = 0
        while True:
            hasher = _keyed_hash(self._secret).copy()
            hasher.update(_DRAW_INDEX.pack(self._record, self._draw, attempt))
            value = int.from_bytes(hasher.digest(), "big")
            # Reject values above the last full multiple of the limit, because a plain modulo would
            # favour small numbers.
            if value < ceiling:
                self._draw += 1
                return value % limit
            attempt += 1

    def roll(self, die: Die) -> int:
        """Return a random face."""
        return die.lowest + self.randbelow(len(die.faces))

    def pick(self, items: Sequence[str]) -> str:
        """Return a random item. All items are equally likely."""
        return items[self.randbelow(len(items))]


@lru_cache(maxsize=1_024)
def _keyed_hash(secret: bytes) -> blake2b:
    """Return the initial hash state for all draws in a match. The result is cached, so the key is hashed only once."""
    # The personalisation makes these values differ from those of any other use of the same key.
    return blake2b(key=secret, digest_size=8, person=b"flagplot-dice")


class ScriptedDice:
    """Dice with predetermined results: faces for rolls, names for picks.

    A pick without a scripted name takes the first item, so a script needs to name only the picks that matter.
    """

    def __init__(self, *faces: int, picks: Sequence[str] = ()) -> None:
        """Queue the faces and the names, each in the order of use."""
        self._faces = list(faces)
        self._picks = list(picks)

    @property
    def faces_left(self) -> int:
        """Return how many scripted faces have not been rolled yet."""
        return len(self._faces)

    def extend(self, faces: Sequence[int], picks: Sequence[str] = ()) -> None:
        """Queue more faces and names."""
        self._faces.extend(faces)
        self._picks.extend(picks)

    def roll(self, die: Die) -> int:
        """Return the next scripted face.

        Raises:
            ScriptedDiceError: No face is left, or the die does not have the face.
        """
        if not self._faces:
            raise ScriptedDiceError(
                "the scripted dice are used up; add more faces, or 'any' where they do not matter"
            )
        face = self._faces.pop(0)
        if face not in die.faces:
            raise ScriptedDiceError(
                f"the scripted face {face} is not one of {die.lowest} to {die.highest}"
            )
        return face

    def pick(self, items: Sequence[str]) -> str:
        """Return the first scripted name that is among the items. If there is none, return the first item."""
        for name in self._picks:
            if name in items:
                self._picks.remove(name)
                return name
        return items[0]


class ChanceRevealedError(FlagplotError):
    """A draft has reached a die roll or card draw and must end before it."""


class DraftDice:
    """Dice for drafts, where a player privately tries out commands. Any roll or pick ends the draft."""

    def roll(self, die: Die) -> int:
        """Raise an error, because a draft must not reveal a roll."""
        del die
        raise ChanceRevealedError("a die would be rolled here")

    def pick(self, items: Sequence[str]) -> str:
        """Raise an error, because a draft must not reveal a random card."""
        raise ChanceRevealedError(f"one of {len(items)} items would be drawn here")


def draw(dice: Dice, items: Sequence[str], count: int) -> tuple[str, ...]:
    """Draw items without replacement, like chits from a cup. All remaining items are equally likely.

    If there are at most ``count`` items, return all of them in their original order.
    """
    # If all items are taken, no random draw is made. The copies in a match rely on this when they
    # complete a redacted deal.
    if count >= len(items):
        return tuple(items)
    remaining_items, drawn_items = items, []
    for _ in range(count):
        drawn_items.append(dice.pick(remaining_items))
        remaining_items = (
            remaining_items.without(drawn_items[-1])
            if isinstance(remaining_items, CardPile)
            else _items_without(remaining_items, drawn_items[-1])
        )
    return tuple(drawn_items)


def _items_without(items: Sequence[str], item: str) -> Sequence[str]:
    remaining_items = list(items)
    remaining_items.remove(item)
    return remaining_items
