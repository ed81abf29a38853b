"""Script words for Quartermaster General: set-up lines, and ``expect`` lines about pieces, supply, cards and points."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from engine.kernel.lexicon import Lexicon, normalise_word
from engine.kernel.numerals import whole_number
from engine.qmg.atlas import BIT, HOMES, INDEX, SPACE, STRAITS, mask
from engine.qmg.board_analysis import board_analysis, strait_holder
from engine.qmg.ch12_victory import space_points
from engine.qmg.deck import CARD
from engine.qmg.ids import CHINA, COUNTRIES, FORCE_INDEX, FORCES, FRANCE, GERMANY, KINDS, TEAMS
from engine.qmg.legal import is_protected
from engine.qmg.options import TOTAL_WAR
from engine.qmg.position import Pieces, Position, Zones
from engine.qmg.scripting_verbs import DECISION_RULES, EXAMPLES
from engine.qmg.state import State
from engine.scripts.words import COMMON_FORMS, ScriptWords, check_equal, unknown_form

FORMS: Final = (
    (
        "setup active COUNTRY",
        "Begins this country's turn. Without this line the game begins with set-up.",
    ),
    ("setup round NUMBER", "Sets the round."),
    ("setup vp TEAM NUMBER", "Sets the victory points of `axis` or `allies`."),
    ("setup homes", "Places the starting Armies of 3.1, and with Total War also those of 3.2."),
    (
        "setup piece FORCE KIND SPACE [SPACE ...]",
        "Places pieces of the kind `army`, `navy` or `air`.",
    ),
    ("setup no-piece FORCE KIND SPACE", "Removes a piece."),
    (
        "setup hand COUNTRY CARD [CARD ...]",
        "Adds cards to the hand, which is empty at first. `none` empties it.",
    ),
    (
        "setup deck-top COUNTRY CARD [CARD ...]",
        "Puts cards on top of the deck, in the order in which they will be drawn.",
    ),
    ("setup response COUNTRY CARD [CARD ...]", "Puts Responses face down on the table."),
    ("setup status COUNTRY CARD [CARD ...]", "Puts Statuses face up on the table."),
    (
        "setup discard COUNTRY CARD [CARD ...]",
        "Puts cards face up on the discard pile, with the last one on top.",
    ),
    (
        "setup discard-unseen COUNTRY CARD [CARD ...]",
        "Puts cards face down under the discard pile.",
    ),
    ("setup no-deck COUNTRY", "Moves the rest of the deck face down under the discard pile."),
    (
        "expect piece FORCE KIND SPACE [SPACE ...] / expect no piece FORCE KIND SPACE",
        "The pieces are there. With `no`, the piece is not there.",
    ),
    ("expect pieces FORCE KIND NUMBER", "This many of these pieces are on the board."),
    (
        "expect supplied FORCE KIND SPACE / expect no supplied FORCE KIND SPACE",
        "The piece is or is not in supply (6).",
    ),
    (
        "expect protected FORCE KIND SPACE / expect no protected FORCE KIND SPACE",
        "The piece is or is not protected from removal (10.5).",
    ),
    ("expect vp TEAM NUMBER", "The team has this many victory points."),
    (
        "expect points FORCE NUMBER",
        "The force would score this many VP for its supply spaces now (12.1).",
    ),
    (
        (
            "expect hand COUNTRY NUMBER / expect deck COUNTRY NUMBER / expect discards COUNTRY NUMBER / "
            "expect responses COUNTRY NUMBER / expect statuses COUNTRY NUMBER"
        ),
        (
            "This many cards are in the hand, deck or discard pile, or face down or face up on the table. A number"
            " with a sign is the change since the set-up, before any deal: `-2`, `+1`, or `+0` for none."
        ),
    ),
    (
        (
            "expect hand COUNTRY CARD [CARD ...] / expect deck COUNTRY CARD [CARD ...] / "
            "expect discard COUNTRY CARD [CARD ...] / expect response COUNTRY CARD [CARD ...] / "
            "expect status COUNTRY CARD [CARD ...]"
        ),
        "These cards are there, possibly with others.",
    ),
    (
        (
            "expect held CARD / expect in-deck CARD / expect discarded CARD / expect face-up CARD / "
            "expect laid CARD / expect on-table CARD / expect top CARD / expect next CARD"
        ),
        (
            "A copy of the card is in a hand, in the deck, in the discard pile, known to be in the discard pile, "
            "a Response on the table, a Status on the table, on top of the discard pile, or on top of the deck. "
            "You can negate each with `no`."
        ),
    ),
    ("expect strait STRAIT TEAM", "The strait is open to this team (5.3)."),
    (
        "expect adjacent SPACE SPACE TEAM / expect no adjacent SPACE SPACE TEAM",
        "The spaces are or are not adjacent for the team (5.1).",
    ),
    ("expect active COUNTRY", "It is this country's turn."),
    ("expect step STEP", "The step is `play`, `air`, `supply`, `victory`, `discard` or `draw`."),
    ("expect round NUMBER", "It is this round."),
)
"""Each form of a script line, with a short explanation."""


_LEXICON: Final = Lexicon(
    {
        "country": COUNTRIES,
        "force": FORCES,
        "team": TEAMS,
        "kind of piece": KINDS,
        "space": SPACE,
        "strait": tuple(strait.id for strait in STRAITS),
        "card": CARD,
    }
)


_country = partial(_LEXICON.find_one, "country")
_force = partial(_LEXICON.find_one, "force")
_team = partial(_LEXICON.find_one, "team")
_kind = partial(_LEXICON.find_one, "kind of piece")
_space = partial(_LEXICON.find_one, "space")


def _find_cards(words: Sequence[str]) -> tuple[str, ...]:
    """Return the card instances that the words name. A repeated name without a copy number means the next copy."""
    cards: list[str] = []
    for word in words if list(words) != ["none"] else ():
        copies = _LEXICON.find_copies("card", word)
        free_copies = [copy for copy in copies if copy not in cards]
        cards.append(free_copies[0] if free_copies else copies[0])
    return tuple(cards)


# -- setup


def _place_pieces(position: Position, force: str, kind: str, spaces: Sequence[str]) -> Position:
    """Put pieces on the board. Pieces that are already on the board stay."""
    old_pieces = position.pieces.get(force, Pieces())
    spaces_after: tuple[str, ...] = tuple(dict.fromkeys((*getattr(old_pieces, kind), *spaces)))
    new_pieces = replace(old_pieces, **{kind: spaces_after})
    return replace(position, pieces={**position.pieces, force: new_pieces})


def _remove_piece(position: Position, force: str, kind: str, space: str) -> Position:
    old_pieces = position.pieces.get(force, Pieces())
    remaining_spaces = tuple(
        other_space for other_space in getattr(old_pieces, kind) if other_space != space
    )
    return replace(
        position, pieces={**position.pieces, force: replace(old_pieces, **{kind: remaining_spaces})}
    )


def _move_cards(position: Position, country: str, cards: Sequence[str], zone: str) -> Position:
    """Move a country's cards from any zones to one zone."""
    zones = position.cards.get(country, Zones())
    for card in cards:
        if CARD[card].deck != country:
            raise ValueError(f"{card} belongs to the deck of {CARD[card].deck}")
        if not any(card in getattr(zones, name) for name in _ZONES):
            raise ValueError(f"{card} is not in this game")
        zones = replace(
            zones,
            **{
                name: tuple(other_card for other_card in getattr(zones, name) if other_card != card)
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


def apply_setup(position: Position, words: Sequence[str]) -> Position:
    """Apply a set-up line to a position.

    Raises:
        ValueError: The words cannot be interpreted.
    """
    match words:
        case ["active", country]:
            return replace(position, active=_country(country))
        case ["round", number]:
            return replace(position, round=_parse_whole(number))
        case ["vp", team, number]:
            return replace(position, vp={**position.vp, _team(team): _parse_whole(number)})
        case ["homes"]:
            minors = (FRANCE, CHINA) if position.scenario == TOTAL_WAR else ()
            for owner in (*COUNTRIES, *minors):
                position = _place_pieces(position, owner, "army", (HOMES[owner],))
            return position
        case ["piece", force, kind, *spaces] if spaces:
            return _place_pieces(
                position, _force(force), _kind(kind), [_space(name) for name in spaces]
            )
        case ["no-piece", force, kind, space]:
            return _remove_piece(position, _force(force), _kind(kind), _space(space))
        case ["no-deck", country]:
            zones = position.cards.get(_country(country), Zones())
            deck_cards = (*zones.deck, *zones.deck_top, *zones.deck_bottom)
            return _move_cards(position, _country(country), deck_cards, "discard_unseen")
        case ["hand", country, "none"]:
            zones = position.cards.get(_country(country), Zones())
            return _move_cards(position, _country(country), zones.hand, "deck")
        case [zone, country, *cards] if zone in _SETUP_ZONES and cards:
            found_cards = _find_cards(cards)
            return _move_cards(position, _country(country), found_cards, _SETUP_ZONES[zone])
        case _:
            raise unknown_form("setup", words, FORMS)


def _parse_whole(word: str) -> int:
    return whole_number(word)


# -- expectations


_PIECE_CHECKS: Final[Mapping[str, Callable[[State, str, str], int]]] = {
    "piece": lambda state, force, kind: state.board.spaces_with(force, kind),
    "supplied": lambda state, force, kind: board_analysis(state).supplied_pieces(force, kind),
    "protected": lambda state, force, kind: mask(
        space for space in SPACE if is_protected(state, force, kind, space)
    ),
}
"""The function for each kind of check. It returns the spaces where a force's pieces of one kind pass the check."""


def _cards_by_location(state: State, country: str) -> Mapping[str, tuple[str, ...]]:
    """Return a country's cards by location. Locations are named by the script's words."""
    cards = state.cards_of(country)
    return {
        "held": cards.hand,
        "in-deck": cards.undrawn_cards,
        "discarded": cards.discard,
        "face-up": cards.face_up,
        "laid": cards.responses,
        "on-table": state.statuses[FORCE_INDEX[country]],
        "top": tuple(card for card in cards.discard[-1:] if card in cards.face_up),
        "next": cards.deck_top[:1],
    }


_CARD_CHECKS: Final = tuple(_cards_by_location(State(), GERMANY))
_SETUP_CHECKS: Final = {
    "hand": "held",
    "response": "laid",
    "status": "on-table",
    "discard": "discarded",
    "deck": "in-deck",
}
"""The script's location word for each zone in a set-up line."""
_COUNTS: Final = {
    "hand": "held",
    "deck": "in-deck",
    "discards": "discarded",
    "responses": "laid",
    "statuses": "on-table",
}
"""The location word for each word that counts cards in an ``expect`` line."""


def _is_in_location(state: State, location: str, card: str) -> bool:
    """Return whether a card is in a location."""
    return card in _cards_by_location(state, CARD[card].deck)[location]


def _is_true(state: State, words: Sequence[str]) -> bool:
    match words:
        case [check, force, kind, space] if check in _PIECE_CHECKS:
            spaces = _PIECE_CHECKS[check](state, _force(force), _kind(kind))
            return bool(spaces & BIT[_space(space)])
        case [check, card] if check in _CARD_CHECKS:
            return any(
                _is_in_location(state, check, copy) for copy in _LEXICON.find_copies("card", card)
            )
        case ["adjacent", first_space, second, team]:
            adjacency = board_analysis(state).adjacent_spaces(_team(team))
            return bool(adjacency[INDEX[_space(first_space)]] & BIT[_space(second)])
        case _:
            raise unknown_form("expect", words, (*FORMS, *COMMON_FORMS))


def _check_zone(state: State, zone: str, country: str, cards: Sequence[str]) -> str:
    """Return an error message if any card is not in the given zone; otherwise return an empty string."""
    for card in _find_cards(cards):
        if CARD[card].deck != country:
            raise ValueError(f"{card} belongs to the deck of {CARD[card].deck}")
        if not _is_true(state, (_SETUP_CHECKS[zone], card.partition("#")[0])):
            return f"{card} is not there"
    return ""


def _false_statement_message(state: State, words: Sequence[str]) -> str:
    """Return the message for an expectation that is not met. For a card, list the location of each copy."""
    if words[0] not in _CARD_CHECKS:
        return "this is not the case"
    copies = _LEXICON.find_copies("card", words[1])
    locations_by_copy = {
        copy: [location for location in _CARD_CHECKS if _is_in_location(state, location, copy)]
        for copy in copies
    }
    placements = [
        f"{copy} is {' and '.join(location)}"
        for copy, location in locations_by_copy.items()
        if location
    ]
    return "; ".join(placements) or "it is not in the game, or in play"


def check_expectation(state: State, words: Sequence[str]) -> str:
    """Return the reason why an expectation is not met, or an empty string if it is.

    Raises:
        ValueError: The words cannot be interpreted.
    """
    match words:
        case ["no", negated, *other_words]:
            return (
                "this is the case"
                if _is_true(state, (normalise_word(negated), *other_words))
                else ""
            )
        case [negated, force, kind, _, _, *_] if negated in _PIECE_CHECKS:
            missing_items = [
                place for place in words[3:] if not _is_true(state, (negated, force, kind, place))
            ]
            return f"this is not the case in {', '.join(missing_items)}" if missing_items else ""
        case ["pieces", force, kind, number]:
            spaces_held = state.board.spaces_with(_force(force), _kind(kind))
            return check_equal(number, spaces_held.bit_count())
        case ["vp", team, number]:
            return check_equal(number, state.vp[TEAMS.index(_team(team))])
        case ["points", force, number]:
            return check_equal(number, space_points(board_analysis(state), _force(force)))
        case [zone, country, *cards] if zone in _SETUP_CHECKS and cards:
            return _check_zone(state, zone, _country(country), cards)
        case ["strait", name, team]:
            named = _LEXICON.find_one("strait", name)
            strait = next(candidate for candidate in STRAITS if candidate.id == named)
            return check_equal(_team(team), strait_holder(board_analysis(state), strait.land))
        case ["active", country]:
            return check_equal(_country(country), state.active)
        case ["step", step]:
            return check_equal(step, state.step)
        case ["round", number]:
            return check_equal(number, state.round)
        case _:
            return "" if _is_true(state, words) else _false_statement_message(state, words)


def count_cards(state: State, words: Sequence[str]) -> int | None:
    """Return the number of a country's cards in a location, or None if the words do not name a location."""
    match words:
        case [location, country] if location in _COUNTS:
            return len(_cards_by_location(state, _country(country))[_COUNTS[location]])
        case _:
            return None


QMG_WORDS: Final = ScriptWords[Position](
    lexicon=lambda: _LEXICON,
    setup=apply_setup,
    check=check_expectation,
    count=count_cards,
    forms=FORMS,
    examples=EXAMPLES,
    decision_rules=DECISION_RULES,
)
"""The set-up lines and ``expect`` lines for Quartermaster General."""
