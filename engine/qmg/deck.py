"""All cards with their abilities, and indexes of the abilities by the event that they respond to (9, A)."""

from collections.abc import Iterator
from functools import cache
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from engine.kernel.hidden import Faces
from engine.qmg.atlas import mask
from engine.qmg.data.reading import load
from engine.qmg.deck_steps import STEP_LISTS, Snapshot, Steps, named_lists
from engine.qmg.deck_terms import Condition, Query, TriggerFilter
from engine.qmg.ids import COUNTRIES, STATUS, CardType, Force, Kind, Team
from engine.qmg.names import SpaceId


class Modifier(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule change that applies while a Status is on the table (A.3)."""

    owner: str = ""
    """Country that owns the Status. Set when the data is loaded."""
    mod: Literal[
        "adjacency",
        "always_in_supply",
        "build_may_recruit",
        "home_space",
        "ignore_status",
        "not_supply_space",
        "reallocate_cost",
        "reallocate_source",
        "share_supply",
        "supply_space",
    ]
    team: Team | Literal["all"] | None = None
    force: Force | None = None
    space: SpaceId | None = None
    named: tuple[SpaceId, ...] = msgspec.field(name="spaces", default=())
    piece: Kind | None = None
    pairs_added: tuple[tuple[SpaceId, SpaceId], ...] = msgspec.field(name="add", default=())
    pairs_removed: tuple[tuple[SpaceId, SpaceId], ...] = msgspec.field(name="remove", default=())
    query: Query | None = None
    condition: Condition | None = None
    forces: tuple[Force, ...] = ()
    scores: bool = False
    during_turn_of: Force | None = None
    cards: int = 0
    zones: tuple[Literal["deck", "discard"], ...] = ()

    @property
    def spaces(self) -> int:
        """Return the set of spaces that the modifier affects."""
        return mask((self.space,) if self.space else self.named)


class Ability(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One ability of a card (A.1)."""

    card: str = ""
    """The card's id. This field and ``number``, the ability's index on the card, are set when the data is loaded."""
    number: int = 0
    kind: Literal[
        "on_play", "reaction", "play_alternative", "victory_bonus", "air_step", "modifier"
    ]
    trigger: TriggerFilter | None = None
    condition: Condition | None = None
    cost: Steps = ()
    steps: Steps = ()
    once_per_turn: bool = False
    modifier: Modifier | None = None

    @property
    def name(self) -> str:
        """Return the name under which the ability's steps are stored."""
        return f"{self.card}:{self.number}"

    @property
    def cost_list_name(self) -> str:
        """Return the name under which the steps of the ability's cost are stored."""
        return f"{self.name}c"


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One card entry. The box contains ``count`` identical copies of the card."""

    id: str
    no: int | str
    deck: Force
    force: Force
    set: Literal["base", "total-war", "replacement"]
    type: CardType
    name: str
    count: int
    tags: tuple[str, ...] = ()
    replaces: str | None = None
    effect: str
    """The card's text in plain language."""
    abilities: tuple[Ability, ...]

    def on_play(self) -> Ability | None:
        """Return the ability that is carried out when the card is played, or None."""
        return next((ability for ability in self.abilities if ability.kind == "on_play"), None)

    def with_ids(self) -> "Card":
        """Return a copy of the card. Each ability in it contains the card's id and the ability's index."""
        return replace(
            self,
            abilities=tuple(
                replace(ability, card=self.id, number=number)
                for number, ability in enumerate(self.abilities)
            ),
        )


class Box(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of the card file."""

    format: int
    pieces: dict[str, dict[str, int]]
    cards: tuple[Card, ...]


BOX: Final = load("cards.json", Box)
CARDS: Final[dict[str, Card]] = {card.id: card.with_ids() for card in BOX.cards}
REPLACED_CARDS: Final = frozenset(card.replaces for card in CARDS.values() if card.replaces)
"""Cards that are replaced in Total War (3.2)."""
POOLS: Final = BOX.pieces
"""Number of pieces in the game, by force and kind (1)."""
CARD: Final = Faces(
    (f"{card.id}#{number}", card) for card in CARDS.values() for number in range(1, card.count + 1)
)
"""Every card in the box, by instance, such as ``de_build_army#3``."""
INSTANCES: Final[dict[str, tuple[str, ...]]] = {
    card.id: tuple(f"{card.id}#{number}" for number in range(1, card.count + 1))
    for card in CARDS.values()
}

REACTIONS: Final[dict[str, dict[str, tuple[Ability, ...]]]] = {country: {} for country in COUNTRIES}
"""The abilities of each country's deck that respond to events, by country and kind of event."""
MODIFIERS: Final[dict[str, tuple[Modifier, ...]]] = {}
"""Rule changes that apply while a card is on the table, by card id."""
SNAPSHOTS: Final[dict[str, Query]] = {}
"""Named queries about the board at the beginning of the turn."""
for _one in CARDS.values():
    for _each in _one.abilities:
        STEP_LISTS.update(named_lists(_each.cost_list_name, _each.cost))
        STEP_LISTS.update(named_lists(_each.name, _each.steps))
        if _each.trigger is not None:
            _table = REACTIONS[_one.deck]
            _event = _each.trigger.event
            _table[_event] = (*_table.get(_event, ()), _each)
    if _one.type == STATUS:
        _changes = tuple(
            replace(each.modifier, owner=_one.deck)
            for each in _one.abilities
            if each.modifier is not None
        )
        if _changes:
            MODIFIERS[_one.id] = _changes
for _steps in STEP_LISTS.values():
    SNAPSHOTS.update({step.name: step.query for step in _steps if isinstance(step, Snapshot)})


def deck_cards(country: str, *, is_total_war: bool) -> Iterator[Card]:
    """Yield the card entries of a country's deck (3.1, 3.2).

    Args:
        country: One of the six countries.
        is_total_war: True to use the expansion's cards, including replacements.
    """
    for card in CARDS.values():
        is_in = card.id not in REPLACED_CARDS if is_total_war else card.set == "base"
        if card.deck == country and is_in:
            yield card


@cache
def deck_list(country: str, *, is_total_war: bool) -> tuple[str, ...]:
    """Return the instances of all cards that :func:`deck_cards` yields for a country."""
    deck = deck_cards(country, is_total_war=is_total_war)
    return tuple(instance for card in deck for instance in INSTANCES[card.id])
