"""The script words of the game: positions by hand, expectations on pieces, supply, cards and points."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from engine.kernel.scripting import ScriptWords
from engine.qmg.atlas import BIT, HOMES, INDEX, SPACE, STRAITS
from engine.qmg.ch12_victory import space_points
from engine.qmg.deck import CARD
from engine.qmg.field import field, strait_holder
from engine.qmg.ids import (
    CHINA,
    COUNTRIES,
    FORCE_INDEX,
    FORCES,
    FRANCE,
    KINDS,
    TEAMS,
)
from engine.qmg.legal import is_protected
from engine.qmg.options import TOTAL_WAR
from engine.qmg.position import Pieces, Position, Zones
from engine.qmg.state import State

WORDS: Final = (
    ("setup active COUNTRY", "the country's turn begins; without it the game begins with set-up"),
    ("setup round NUMBER", "the round"),
    ("setup vp TEAM NUMBER", "victory points of axis or allies"),
    ("setup homes", "the first Armies of 3.1, with Total War those of 3.2, too"),
    ("setup piece FORCE KIND SPACE [SPACE ...]", "pieces: army, navy or air"),
    ("setup no-piece FORCE KIND SPACE", "takes a piece away"),
    ("setup hand COUNTRY CARD [CARD ...]", "cards of the deck go to the hand"),
    ("setup deck-top COUNTRY CARD [CARD ...]", "cards on top of the deck, first drawn first"),
    ("setup response COUNTRY CARD [CARD ...]", "face down on the table"),
    ("setup status COUNTRY CARD [CARD ...]", "face up on the table"),
    ("setup discard COUNTRY CARD [CARD ...]", "face up on the discard pile, the last on top"),
    ("setup discard-unseen COUNTRY CARD [CARD ...]", "face down under the discard pile"),
    ("setup no-deck COUNTRY", "the rest of the deck goes face down under the discard pile"),
    ("expect piece FORCE KIND SPACE / expect no piece ...", "the piece stands there or not"),
    ("expect supplied FORCE KIND SPACE / expect no supplied ...", "in supply or not (6)"),
    ("expect protected FORCE KIND SPACE / expect no protected ...", "cannot be removed (10.5)"),
    ("expect vp TEAM NUMBER", "victory points of the team"),
    (
        "expect points FORCE NUMBER",
        "VP that the force would score for its supply spaces now (12.1)",
    ),
    (
        "expect hand COUNTRY NUMBER",
        "cards in hand; also `deck`, `discards`, `responses`, `statuses`",
    ),
    (
        "expect held CARD / expect in-deck CARD / expect discarded CARD / expect face-up CARD",
        (
            "the card is in hand, in the deck, in the discard pile, known to be there; also `laid` for face-down "
            "Responses, `on-table` for Statuses, `top CARD` for the top of the discard pile, `next CARD` for the top "
            "of the deck; each also with `no`"
        ),
    ),
    ("expect strait STRAIT TEAM", "the team to which the strait is open (5.3)"),
    ("expect adjacent SPACE SPACE TEAM / expect no adjacent ...", "adjacent for the team (5.1)"),
    ("expect active COUNTRY", "whose turn it is"),
    ("expect step STEP", "play, air, supply, victory, discard or draw"),
    ("expect round NUMBER", "the round"),
)
"""Every form with a short explanation."""


def _one_of(word: str, known: Sequence[str] | Mapping[str, object], what: str) -> str:
    if word not in known:
        raise ValueError(f"there is no {what} '{word}'")
    return word


def _country(word: str) -> str:
    return _one_of(word, COUNTRIES, "country")


def _force(word: str) -> str:
    return _one_of(word, FORCES, "force")


def _kind(word: str) -> str:
    return _one_of(word, KINDS, "kind of piece")


def _space(word: str) -> str:
    return _one_of(word, SPACE, "space")


def card_named(word: str) -> str:
    """Return the instance that a word names; without a number the first copy."""
    return _one_of(word if "#" in word else f"{word}#1", CARD, "card")


# -- setup


def _pieces(position: Position, force: str, kind: str, spaces: Sequence[str]) -> Position:
    old = position.pieces.get(force, Pieces())
    now: tuple[str, ...] = (*getattr(old, kind), *spaces)
    changed = replace(old, **{kind: now})
    return replace(position, pieces={**position.pieces, force: changed})


def _no_piece(position: Position, force: str, kind: str, space: str) -> Position:
    old = position.pieces.get(force, Pieces())
    left = tuple(one for one in getattr(old, kind) if one != space)
    return replace(position, pieces={**position.pieces, force: replace(old, **{kind: left})})


def _moved(position: Position, country: str, cards: Sequence[str], zone: str) -> Position:
    """Move cards of a country out of wherever they are into a zone."""
    zones = position.cards.get(country, Zones())
    for card in cards:
        if CARD[card].deck != country:
            raise ValueError(f"{card} belongs to the deck of {CARD[card].deck}")
        if not any(card in getattr(zones, name) for name in _ZONES):
            raise ValueError(f"{card} is not in this game")
        zones = replace(
            zones,
            **{
                name: tuple(one for one in getattr(zones, name) if one != card)
                for name in (*_ZONES, "face_up")
            },
        )
        if zone == "discard_unseen":
            zones = replace(zones, discard=(card, *zones.discard))
            continue
        zones = replace(zones, **{zone: (*getattr(zones, zone), card)})
        if zone == "discard":
            zones = replace(zones, face_up=(*zones.face_up, card))
    return replace(position, cards={**position.cards, country: zones})


_ZONES: Final = ("hand", "deck", "deck_top", "deck_bottom", "discard", "responses", "statuses")
_SETUP_ZONES: Final = {
    "hand": "hand",
    "deck-top": "deck_top",
    "response": "responses",
    "status": "statuses",
    "discard": "discard",
    "discard-unseen": "discard_unseen",
}


def setup(position: Position, words: Sequence[str]) -> Position:
    """Return the position changed by a setup line.

    Raises:
        ValueError: The words make no sense.
    """
    match words:
        case ["active", country]:
            return replace(position, active=_country(country))
        case ["round", number]:
            return replace(position, round=int(number))
        case ["vp", team, number]:
            _one_of(team, TEAMS, "team")
            return replace(position, vp={**position.vp, team: int(number)})
        case ["homes"]:
            minors = (FRANCE, CHINA) if position.scenario == TOTAL_WAR else ()
            for force in (*COUNTRIES, *minors):
                position = _pieces(position, force, "army", (HOMES[force],))
            return position
        case ["piece", force, kind, *spaces] if spaces:
            return _pieces(position, _force(force), _kind(kind), [_space(one) for one in spaces])
        case ["no-piece", force, kind, space]:
            return _no_piece(position, _force(force), _kind(kind), _space(space))
        case ["no-deck", country]:
            zones = position.cards.get(_country(country), Zones())
            gone = (*zones.deck, *zones.deck_top, *zones.deck_bottom)
            return _moved(position, country, gone, "discard_unseen")
        case [zone, country, *cards] if zone in _SETUP_ZONES and cards:
            named = [card_named(card) for card in cards]
            return _moved(position, _country(country), named, _SETUP_ZONES[zone])
        case _:
            raise ValueError("this is no setup of this game")


# -- expectations


def _is_piece(state: State, force: str, kind: str, space: str) -> bool:
    return bool(state.board.of(_force(force), _kind(kind)) & BIT[_space(space)])


def _is_supplied(state: State, force: str, kind: str, space: str) -> bool:
    return bool(field(state).supplied_of(_force(force), _kind(kind)) & BIT[_space(space)])


def _is_protected(state: State, force: str, kind: str, space: str) -> bool:
    return is_protected(state, _force(force), _kind(kind), _space(space))


_PIECE_CHECKS: Final[Mapping[str, Callable[[State, str, str, str], bool]]] = {
    "piece": _is_piece,
    "supplied": _is_supplied,
    "protected": _is_protected,
}


def _is_placed(state: State, where: str, card: str) -> bool:
    """Return whether a card lies in a zone."""
    cards = state.cards_of(CARD[card].deck)
    match where:
        case "held":
            return card in cards.hand
        case "in-deck":
            return card in cards.top + cards.pool + cards.bottom
        case "discarded":
            return card in cards.discard
        case "face-up":
            return card in cards.open
        case "laid":
            return card in cards.responses
        case "on-table":
            return card in state.statuses[FORCE_INDEX[CARD[card].deck]]
        case "top":
            return cards.discard[-1:] == (card,) and card in cards.open
        case _:
            return cards.top[:1] == (card,)


_CARD_CHECKS: Final = (
    "held",
    "in-deck",
    "discarded",
    "face-up",
    "laid",
    "on-table",
    "top",
    "next",
)


def _is_true(state: State, words: Sequence[str]) -> bool:
    match words:
        case [what, force, kind, space] if what in _PIECE_CHECKS:
            return _PIECE_CHECKS[what](state, force, kind, space)
        case [what, card] if what in _CARD_CHECKS:
            return _is_placed(state, what, card_named(card))
        case ["adjacent", one, other, team]:
            near = field(state).adjacent(_one_of(team, TEAMS, "team"))
            return bool(near[INDEX[_space(one)]] & BIT[_space(other)])
        case _:
            raise ValueError("this is no expectation of this game")


def _number(state: State, what: str, country: str) -> int:
    cards = state.cards_of(_country(country))
    match what:
        case "hand":
            return len(cards.hand)
        case "deck":
            return cards.deck_size
        case "discards":
            return len(cards.discard)
        case "responses":
            return len(cards.responses)
        case _:
            return len(state.statuses[FORCE_INDEX[country]])


def _same(wanted: str, found: object) -> str:
    return "" if wanted == str(found) else f"it is {found}"


def check(state: State, words: Sequence[str]) -> str:
    """Return why an expectation does not hold, empty when it does.

    Raises:
        ValueError: The words make no sense.
    """
    match words:
        case ["no", *rest]:
            return "it is so" if _is_true(state, rest) else ""
        case ["vp", team, number]:
            return _same(number, state.vp[TEAMS.index(_one_of(team, TEAMS, "team"))])
        case ["points", force, number]:
            return _same(number, space_points(field(state), _force(force)))
        case ["hand" | "deck" | "discards" | "responses" | "statuses" as what, country, number]:
            return _same(number, _number(state, what, country))
        case ["strait", name, team]:
            strait = next((one for one in STRAITS if one.id == name), None)
            if strait is None:
                raise ValueError(f"there is no strait '{name}'")
            return _same(team, strait_holder(field(state), strait.land))
        case ["active", country]:
            return _same(country, state.active)
        case ["step", step]:
            return _same(step, state.step)
        case ["round", number]:
            return _same(number, state.round)
        case _:
            return "" if _is_true(state, words) else "it is not so"


class QmgWords(ScriptWords[Position]):
    """Setup and expectations of Quartermaster General."""

    def words(self) -> tuple[tuple[str, str], ...]:
        """Return the forms."""
        return WORDS

    def setup(self, position: Position, words: Sequence[str]) -> Position:
        """Return the position changed by a setup line."""
        return setup(position, words)

    def check(self, state: State, words: Sequence[str]) -> str:
        """Return why an expectation does not hold, empty when it does."""
        return check(state, words)


QMG_WORDS: Final = QmgWords()
"""The one instance."""
