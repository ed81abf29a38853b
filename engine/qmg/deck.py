"""All cards with their abilities, and which card may answer which event (9, A)."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.hidden import Faces
from engine.qmg.atlas import mask
from engine.qmg.data.reading import load
from engine.qmg.deck_steps import Compiler
from engine.qmg.deck_terms import Condition, Query, TriggerFilter, condition, listed, query, trigger
from engine.qmg.ids import COUNTRIES, STATUS


class Ability(msgspec.Struct, frozen=True, kw_only=True):
    """One ability of a card (A.1)."""

    card: str
    number: int
    kind: str
    """``on_play``, ``reaction``, ``play_alternative``, ``victory_bonus``, ``air_step`` or ``modifier``."""
    trigger: TriggerFilter | None = None
    condition: Condition | None = None
    cost: str = ""
    """Name of the list of costs, empty when there is none."""
    steps: str = ""
    once_per_turn: bool = False
    modifier: "Modifier | None" = None


class Modifier(msgspec.Struct, frozen=True, kw_only=True):
    """A rule change while a Status lies on the table (A.3)."""

    mod: str
    team: str = ""
    force: str = ""
    spaces: int = 0
    pairs_added: tuple[tuple[str, str], ...] = ()
    pairs_removed: tuple[tuple[str, str], ...] = ()
    query: Query | None = None
    condition: Condition | None = None
    forces: tuple[str, ...] = ()
    scores: bool = False
    during_turn_of: str = ""
    cards: int = 0
    zones: tuple[str, ...] = ()


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One card entry; ``count`` identical copies exist."""

    id: str
    no: str
    deck: str
    set: str
    """``base``, ``total-war`` or ``replacement``."""
    type: str
    name: str
    count: int
    tags: tuple[str, ...] = ()
    replaces: str | None = None
    effect: str
    """The effect in plain words."""
    abilities: tuple[Ability, ...]

    def on_play(self) -> Ability | None:
        """Return what happens when the card is played from hand."""
        return next((one for one in self.abilities if one.kind == "on_play"), None)


def _modifier(raw: dict[str, Any]) -> Modifier:
    return Modifier(
        mod=raw["mod"],
        team=raw.get("team", ""),
        force=raw.get("force", ""),
        spaces=mask(listed(raw["space"] if "space" in raw else raw.get("spaces"))),
        pairs_added=tuple((a, b) for a, b in raw.get("add", ())),
        pairs_removed=tuple((a, b) for a, b in raw.get("remove", ())),
        query=query(raw["query"]) if "query" in raw else None,
        condition=condition(raw.get("condition")),
        forces=listed(raw.get("forces")),
        scores=bool(raw.get("scores", False)),
        during_turn_of=raw.get("during_turn_of", ""),
        cards=raw.get("cards", 0),
        zones=listed(raw.get("zones")),
    )


def _ability(card: str, number: int, raw: dict[str, Any]) -> Ability:
    name = f"{card}:{number}"
    return Ability(
        card=card,
        number=number,
        kind=raw["kind"],
        trigger=trigger(raw["trigger"]) if "trigger" in raw else None,
        condition=condition(raw.get("condition")),
        cost=Compiler(f"{name}c").compile(raw.get("cost", ())),
        steps=Compiler(name).compile(raw.get("steps", ())),
        once_per_turn=bool(raw.get("once_per_turn", False)),
        modifier=_modifier(raw["modifier"]) if "modifier" in raw else None,
    )


def _card(raw: dict[str, Any]) -> Card:
    try:
        return Card(
            id=raw["id"],
            no=str(raw["no"]),
            deck=raw["deck"],
            set=raw["set"],
            type=raw["type"],
            name=raw["name"],
            count=raw["count"],
            tags=listed(raw.get("tags")),
            replaces=raw.get("replaces"),
            effect=raw["effect"],
            abilities=tuple(
                _ability(raw["id"], number, one) for number, one in enumerate(raw["abilities"])
            ),
        )
    except (KeyError, ValueError, TypeError) as cause:
        raise DataError("cards.json", str(raw.get("id")), f"{cause}") from cause


def _cards() -> Iterator[Card]:
    for raw in load("cards.json")["cards"]:
        yield _card(raw)


CARDS: Final[dict[str, Card]] = {card.id: card for card in _cards()}
POOLS: Final[dict[str, dict[str, int]]] = load("cards.json")["pieces"]
"""Pieces per force and kind (1)."""
CARD: Final = Faces(
    (f"{card.id}#{number}", card) for card in CARDS.values() for number in range(1, card.count + 1)
)
"""Every card in the box by its instance, such as ``de_build_army#3``."""
INSTANCES: Final[dict[str, tuple[str, ...]]] = {
    card.id: tuple(f"{card.id}#{number}" for number in range(1, card.count + 1))
    for card in CARDS.values()
}

REACTIONS: Final[dict[str, dict[str, tuple[Ability, ...]]]] = {country: {} for country in COUNTRIES}
"""Country and event: the abilities of its deck that answer the event."""
MODIFIERS: Final[dict[str, tuple[Modifier, ...]]] = {}
"""Card id: what it changes while it lies on the table."""
for _one in CARDS.values():
    for _each in _one.abilities:
        if _each.trigger is not None:
            _table = REACTIONS[_one.deck]
            _event = _each.trigger.event
            _table[_event] = (*_table.get(_event, ()), _each)
    if _one.type == STATUS:
        _changes = tuple(each.modifier for each in _one.abilities if each.modifier is not None)
        if _changes:
            MODIFIERS[_one.id] = _changes


def deck_list(country: str, *, total_war: bool) -> tuple[str, ...]:
    """Return the instances of a country's deck (3.1, 3.2).

    Args:
        country: One of the six.
        total_war: Whether the cards of the expansion are in, with its replacements.
    """
    replaced = {card.replaces for card in CARDS.values() if card.replaces} if total_war else set()
    return tuple(
        instance
        for card in CARDS.values()
        if card.deck == country and (total_war or card.set == "base") and card.id not in replaced
        for instance in INSTANCES[card.id]
    )
