"""Where cards in cipher lie, what masks them, and what a seat owes."""

import msgspec

from engine.kernel.ids import Role
from saves.protocol6.group import Point, Scalar
from saves.protocol6.steps import KeysGiven, Masked, Mixed


class Deck(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one seat."""

    owner: Role
    cards: tuple[str, ...]
    """Every card that is ever in it, in a fixed order; copies of a card have names of their own."""


class Slot(msgspec.Struct, kw_only=True):
    """A place of one card."""

    number: int
    deck: str
    point: Point
    commitments: dict[Role, bytes]
    """To the keys that were laid on the card, by seat."""
    keys: dict[Role, Scalar]
    """Those that everybody knows by now."""
    card: str = ""
    """Its face, once everybody can know it."""
    arranged: tuple[int, int] | None = None
    """Where an arrangement laid the card: number of that step, and which of its cards, counted from 0."""

    @property
    def masked_by(self) -> tuple[Role, ...]:
        """Return the seats without whose keys the card cannot be read."""
        return tuple(role for role in self.commitments if role not in self.keys)


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat must do before anything else happens to cards."""

    role: Role
    kind: type[KeysGiven] | type[Mixed] | type[Masked]
    deck: str = ""
    """Which deck it must mix or mask."""
    slots: tuple[int, ...] = ()
    """For which slots it must give its keys."""


class Shuffle(msgspec.Struct, kw_only=True):
    """A shuffle under way."""

    call: int
    """Number of the step that called it, which names it."""
    first: int
    """Number of the first of the new slots, which follow one another."""
    deck: str
    slots: tuple[int, ...]
    order: tuple[Role, ...]
    """Who mixes first: the owner of the deck, who alone can take off the own keys; then the others."""
    points: tuple[Point, ...] = ()
    """As the last pass left them."""
    mixed: int = 0
    masked: int = 0
    commitments: dict[Role, tuple[bytes, ...]] = {}
