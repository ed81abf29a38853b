"""Terms in card data: space selectors, piece queries, conditions, amounts and triggers.

The classes match the card texts in the data file. ``terms.py`` evaluates the terms on a board.
"""

from typing import Literal, TypeAlias, TypeVar

import msgspec

from engine.qmg.ids import CardType, Force, Kind, Team
from engine.qmg.names import SpaceId

T = TypeVar("T", bound=str)

SpaceWord: TypeAlias = Literal["trigger.space", "step1.space"]


class Term(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of all terms."""


class OneKey(Term, frozen=True, kw_only=True):
    """A term with several possible keys. Exactly one of them is given."""

    def __post_init__(self) -> None:
        """Raise ValueError unless exactly one key is given."""
        if sum(value is not None for value in msgspec.structs.astuple(self)) != 1:
            raise ValueError("exactly one key must be given")


class Ref(Term, frozen=True, kw_only=True):
    """A reference to part of the event that triggered the card."""

    ref: Literal[
        "trigger.by", "trigger.target", "trigger.piece", "trigger.card", "trigger.acting_air"
    ]


Word: TypeAlias = Force | Literal["self", "each", "chosen"]
"""A force, the card's owner, or a value bound by an earlier step."""
Who: TypeAlias = Word | Ref
Owners: TypeAlias = Word | Team | tuple[Word, ...]


class Home(Term, frozen=True, kw_only=True):
    """The Home of the chosen country or of the event's target (5.4)."""

    home_of: Literal["chosen", "trigger.target"]


class Within(Term, frozen=True, kw_only=True):
    """Spaces within a distance of a space or Home (5.6)."""

    of: SpaceId | Home
    distance: int


class Region(OneKey, frozen=True, kw_only=True):
    """Spaces selected by their location or by the pieces in them (A.1.6)."""

    ref: SpaceWord | None = None
    adjacent: SpaceId | None = None
    adjacent_to_ref: SpaceWord | None = None
    in_or_adjacent: SpaceId | None = None
    in_or_adjacent_to_ref: SpaceWord | None = None
    in_or_adjacent_home_of: Literal["chosen", "trigger.target"] | None = None
    within: Within | None = None
    title_contains: str | None = None
    adjacent_to_pieces: "Query | None" = None
    with_piece: "Query | None" = None
    snapshot: str | None = None
    """Name of a snapshot: a query about the pieces on the board at the beginning of the turn."""

    def ring(self) -> tuple[str | Home, int, int]:
        """Return a centre, which is a space, reference or Home, and the minimum and maximum distance from it."""
        if self.within is not None:
            return self.within.of, 0, self.within.distance
        if self.in_or_adjacent_home_of is not None:
            return Home(home_of=self.in_or_adjacent_home_of), 0, 1
        if (neighbours_of := self.adjacent or self.adjacent_to_ref) is not None:
            return neighbours_of, 1, 1
        if (neighbours_of := self.in_or_adjacent or self.in_or_adjacent_to_ref) is not None:
            return neighbours_of, 0, 1
        assert self.ref is not None, self
        return self.ref, 0, 0


Selector: TypeAlias = Literal["any"] | tuple[SpaceId, ...] | Region


class Query(Term, frozen=True, kw_only=True):
    """A query for pieces on the board."""

    owners: Owners = msgspec.field(name="owner")
    pieces: tuple[Kind, ...] = msgspec.field(name="piece")
    spaces: Selector = "any"
    not_spaces: tuple[SpaceId, ...] = ()
    supplied: bool = False


class AtLeast(Term, frozen=True, kw_only=True):
    """The condition that at least a given number of pieces match a query."""

    n: int
    query: Query


class HasCard(Term, frozen=True, kw_only=True):
    """The condition that a country's zone contains a card of a given type."""

    who: Word
    zone: Literal["hand", "discard"]
    card_type: CardType


class Condition(OneKey, frozen=True, kw_only=True):
    """A condition on the current board."""

    exists: Query | None = None
    at_least: AtLeast | None = None
    denied: "Condition | None" = msgspec.field(name="not", default=None)
    all: "tuple[Condition, ...] | None" = None
    has_card: HasCard | None = None


class OfType(Term, frozen=True, kw_only=True):
    """A set of cards, given by their type."""

    card_type: CardType


class Formula(Term, frozen=True, kw_only=True):
    """A number that depends on the situation. Exactly one kind of formula is given."""

    per: Query | None = None
    each: int = 0
    """Amount for each piece in ``per``."""
    condition: Condition | None = msgspec.field(name="if", default=None)
    then: int = 0
    otherwise: int = msgspec.field(name="else", default=0)
    ref: str | None = None
    """Name under which an earlier step recorded the number."""
    discarded: OfType | None = None
    """If set, the number is how many cards of this type were discarded in this Discard step."""
    least: int = msgspec.field(name="min", default=0)
    most: int = msgspec.field(name="max", default=0)
    """If above 0, the country chooses any number up to this maximum."""

    def __post_init__(self) -> None:
        """Raise ValueError unless exactly one kind of formula is given."""
        kinds = (self.per, self.condition, self.ref, self.discarded, self.most or None)
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError("an amount must have exactly one kind")


Amount: TypeAlias = int | Formula


class Count(Term, frozen=True, kw_only=True):
    """How often a step may be carried out: up to ``most`` times.

    ``least`` only repeats the card's wording and has no effect (A.1.4).
    """

    least: int = msgspec.field(name="min")
    most: int = msgspec.field(name="max")


EXACTLY_ONE = Count(least=1, most=1)


class TriggerFilter(Term, frozen=True, kw_only=True):
    """Conditions for using a reaction (10.3, A.4). None and empty values impose no restriction."""

    event: Literal[
        "any_time",
        "any_time_own_turn",
        "turn_begin",
        "play_step_begin",
        "air_step_begin",
        "supply_step_begin",
        "victory_step_begin",
        "victory_step",
        "discard_step_begin",
        "discard_step",
        "draw_step_begin",
        "built",
        "recruited",
        "battle",
        "battled",
        "about_to_be_removed",
        "removed",
        "ew_played",
        "ew_targeted",
        "card_played",
        "status_use_declared",
        "bolster_use_declared",
        "status_used",
        "air_deployed_or_marshaled",
        "air_superiority_gained",
    ]
    recruits: bool = False
    """True if "just built" on the card may also mean recruited pieces (18.5)."""
    whose: Literal["self"] | None = None
    by: Owners = ()
    owner: Owners = ()
    piece: Kind | Literal["any"] | None = None
    spaces: Selector | None = None
    supplied: bool = False
    adjacent_to_piece: Query | None = None
    own_turn: bool = False
    space_kind: Literal["land", "sea"] | None = None
    last: bool = False
    tag: str | None = None
    country: Literal["self"] | None = None
    card_type: CardType | None = None
    not_card_type: tuple[CardType, ...] = ()
    step: Literal["play"] | None = None
    against: Force | None = None
    """Owner of the removed Air Force. The 12.8 cm Flakzwilling requires an Italian Air Force (18.23)."""


def as_tuple(words: T | tuple[T, ...]) -> tuple[T, ...]:
    """Return the words as a tuple. A single word becomes a tuple with one item."""
    return (words,) if isinstance(words, str) else words
