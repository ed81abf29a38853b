"""The 170 strategy cards: values, uses and effect steps (1.25, 5.0)."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from engine.eots import deck_campaign, deck_offensive
from engine.eots.board import board
from engine.eots.counters import Counter, counters
from engine.eots.data.reading import content, require, require_known
from engine.eots.deck_steps import Intelligence, Logistic, ReactionClass, Step
from engine.eots.deck_terms import Condition, Filter, HqSelector, Window
from engine.eots.ids import ActivationNation, AreaId, CardId, HexId, HqKey, Side, UnitId
from engine.kernel.data_files import decode
from engine.kernel.hidden import Faces
from engine.kernel.ids import Rule
from engine.kernel.unions import leaf_types, union_of
from engine.kernel.vocabulary import ReferenceChecker, Vocabulary

__all__ = [
    "Card",
    "Condition",
    "Effect",
    "Filter",
    "Play",
    "Window",
    "card_ids",
    "cards",
    "event_rule",
    "read_cards",
    "selects_hq",
]

if TYPE_CHECKING:
    Effect = Step
else:
    Effect = union_of(
        leaf_types(Step, vars(deck_offensive), vars(deck_campaign))
    )  # the union type that msgspec decodes

FILE: Final = "cards.json"

CardType = Literal["military", "reaction", "resource", "political"]
PoliticalClass = Literal[
    "us_political_will",
    "us_isr",
    "jp_isr",
    "war_in_europe",
    "china",
    "india",
    "infrastructure",
    "special",
]
Icon = Literal[
    "surprise",
    "intercept",
    "ambush",
    "attack",
    "weather",
    "personage",
    "wie",
    "china",
    "india",
    "us_isr",
    "jp_isr",
    "us_political_will",
    "tojo",
]

_EVENT_RULES: Final = {
    "military": Rule("5.31"),
    "intelligence": Rule("5.32A"),
    "attack": Rule("5.32B"),
    "counter_offensive": Rule("5.32C"),
    "weather": Rule("5.32D"),
    "personage": Rule("5.32E"),
    "resource": Rule("5.33"),
    "political": Rule("5.34"),
}
_GROUPS: Final = {
    "us": ActivationNation.US,
    "commonwealth": ActivationNation.COMMONWEALTH,
    "joint": ActivationNation.JOINT,
}


class Play(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A card's permitted uses (5.0, 5.3)."""

    event_by: Literal["offensives_player", "reaction_player"]
    as_oc: bool | Literal["only_if_no_japanese_in_aleutians", "only_if_event_impossible"]
    discard: Literal["free", "never", "before_1944_only"]
    future_offensive: bool
    event_requires: tuple[Condition, ...]
    """Conditions for playing the event. All of them must be true."""
    event_mandatory_if: Condition | None


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One strategy card (1.25)."""

    id: CardId
    side: Side
    number: int
    title: str
    subtitle: str | None
    tag: str | None
    """The small text printed above the title."""
    type: CardType
    reaction_class: ReactionClass | None
    political_class: PoliticalClass | None
    icon: Icon | None
    """Printed symbol. No rule uses it."""
    ov: int
    """Operations value, 1 to 3."""
    oc_intel: int | None
    """Intelligence value when the card is used for operations, and for Special Reaction rolls (7.27)."""
    ec_intel: int | None
    """Intelligence value of the Offensive that the event starts; None if it starts no Offensive."""
    offensive: bool
    """True if the event starts an Offensive."""
    hq: tuple[HqSelector, ...] | None
    """Headquarters that may activate units; None if the card involves no headquarters."""
    logistic: Logistic | None
    intelligence: Intelligence | None
    """Intelligence condition that the card sets (7.26)."""
    intelligence_locked: bool
    draw: int
    remove_after_event: bool
    """True if the card leaves the game after use as an event (5.36)."""
    play: Play
    effects: tuple[Effect, ...]
    summary: str
    notes: str
    open_points: tuple[str, ...]
    printing_difference: str | None


class CardsFile(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of `cards.json` that the program uses."""

    cards: tuple[Card, ...]


def event_rule(card: Card) -> Rule:
    """Return the rule for a card's kind of event (5.31-5.34)."""
    return _EVENT_RULES[card.reaction_class or card.type]


def selects_hq(selector: HqSelector, hq: Counter) -> bool:
    """Return whether a card's HQ selector matches this headquarters (C1)."""
    if hq.hq is None:
        return False
    if selector == "any":
        return True
    group = _GROUPS.get(selector)
    return (
        HqSelector(hq.hq.command_key) == selector
        if group is None
        else hq.activation_nation is group
    )


def _selector_ids() -> set[str]:
    """Return all values that a headquarters selector may have."""
    keys = {counter.hq.command_key for counter in counters().values() if counter.hq is not None}
    return {"any", *_GROUPS, *keys}


def _check_card(card: Card, words: ReferenceChecker) -> None:
    """Check the id of a card and everything to which the card refers."""
    path = f"cards.{card.id}"
    letter = "J" if card.side is Side.JAPAN else "A"
    require(
        FILE,
        path,
        holds=card.id == f"{letter}-{card.number}",
        problem="the id does not match the side and number",
    )
    require(
        FILE,
        f"{path}.logistic",
        holds=card.logistic is None
        or (card.logistic.base is None) != (card.logistic.formula is None),
        problem="exactly one of base and formula is needed",
    )
    require_known(FILE, card, path, words)


def read_cards(text: bytes) -> Mapping[CardId, Card]:
    """Read the cards from a cards file, ordered J-1 onwards, then A-1 onwards, and check every reference.

    Raises:
        DataError: The file violates its schema, an id appears twice, or a card contains an unknown reference.
    """
    file = decode(FILE, text, CardsFile)
    order = sorted(file.cards, key=lambda card: (card.side is Side.ALLIED, card.number))
    cards_by_id: dict[CardId, Card] = {}
    for card in order:
        require(
            FILE,
            f"cards.{card.id}",
            holds=card.id not in cards_by_id,
            problem="the id appears twice",
        )
        cards_by_id[card.id] = card
    words = ReferenceChecker(
        {
            AreaId: Vocabulary("area", board().areas),
            HexId: Vocabulary("hex", board().hexes),
            UnitId: Vocabulary("unit", counters()),
            CardId: Vocabulary("card", cards_by_id),
            HqSelector: Vocabulary("headquarters", _selector_ids()),
            HqKey: Vocabulary("headquarters", _selector_ids()),
        }
    )
    for card in order:
        _check_card(card, words)
    return cards_by_id


@cache
def cards() -> Mapping[CardId, Card]:
    """Return all cards by id, ordered J-1 onwards, then A-1 onwards. They are built only once."""
    return Faces(read_cards(content(FILE)))


@cache
def card_ids(side: Side) -> tuple[CardId, ...]:
    """Return one side's cards in order of number (1.21)."""
    return tuple(card.id for card in cards().values() if card.side is side)
