"""``setup`` lines in scripts, which build a position by hand (2.0)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import CardPlayFrame, Frame, Phase, TurnFrame
from engine.eots.ids import AreaId, CardId, HexId, Side, UnitId
from engine.eots.position import Position, UnitSetup
from engine.eots.scripting_names import (
    area_hexes,
    find_card,
    find_land,
    find_own_card,
    find_place,
    find_side,
    find_unit,
    lexicon,
    names_in,
    parse_number,
    parse_steps,
    with_track,
)
from engine.eots.state import DELAY_BOX, ELIMINATED, EVENT, OFF_MAP, REMOVED, TURN_TRACK, Deck
from engine.scripts.words import unknown_form

FORMS: Final = (
    ("setup clear [SIDE]", "Removes all units (of a side) from the map and from the game."),
    (
        "setup clear-arrivals",
        "Removes all units on the turn track and in the delay box from the game.",
    ),
    (
        "setup unit UNIT PLACE [STEPS]",
        (
            "Places a unit in a hex, which its side then controls, or in `china-box`, `delay-box`, `eliminated`, "
            "`removed` or `event`. Steps are `full` (the default), `reduced` or a number."
        ),
    ),
    ("setup units PLACE UNIT [UNIT ...]", "Places several units at full strength in one place."),
    (
        "setup track-unit UNIT TURN [STEPS] [undelayable]",
        "Places a unit on the turn track. Write `undelayable` if no rule may delay it.",
    ),
    (
        "setup control SIDE HEX [HEX ...]",
        "Gives hexes to a side. Control at the start of the scenario does not change.",
    ),
    ("setup control SIDE area AREA", "Gives all land hexes of an area to a side."),
    (
        "setup control-at-turn-start SIDE HEX [HEX ...]",
        (
            "Sets who controlled these hexes at the start of the turn. All other hexes had the same controller as "
            "now."
        ),
    ),
    (
        "setup track NAME VALUE",
        (
            "Sets a track or marker by its name in the scenario format, with `-` for `_`. Write lists and pairs "
            "word by word, and `none` for nothing."
        ),
    ),
    ("setup pool NAME NUMBER", "Sets the replacement steps of the current segment."),
    (
        "setup hand SIDE CARD [CARD ...]",
        "Sets a hand, or an empty one with `none`. No deal follows.",
    ),
    (
        "setup pile SIDE PILE CARD [CARD ...]",
        "Moves cards to the pile `draw`, `discard` or `removed`, wherever they were.",
    ),
    (
        "setup draw-only SIDE CARD [CARD ...]",
        "Leaves only these cards in the draw pile and removes the rest from the game.",
    ),
    (
        "setup future SIDE CARD [TURN]",
        (
            "Sets a future offensives card, placed in the given turn or before the game. Write `none` for no "
            "card."
        ),
    ),
    ("setup passes SIDE NUMBER", "Sets the number of passes."),
    ("setup event-draws SIDE NUMBER", "Sets how many cards events have drawn in this phase."),
    ("setup played CARD [CARD ...]", "Marks cards as played events."),
    ("setup turn NUMBER", "Sets the game turn. Units that were due earlier leave the game."),
    ("setup last-turn NUMBER", "Sets the last turn."),
    ("setup play SIDE", "Starts in the Offensives Segment with this side to play."),
    ("setup phase PHASE", "Starts at the beginning of a segment, such as `replacement`."),
)
"""Each form of a ``setup`` line, with a short explanation."""
_PILES: Final = ("draw", "discard", "removed")
_ALWAYS_ALLIED: Final = AreaId("kunming-area")


def apply_setup(position: Position, words: Sequence[str]) -> Position:
    """Apply a set-up line to a position.

    Raises:
        ValueError: The words cannot be interpreted.
    """
    match words:
        case ["clear", *sides]:
            absent_sides = tuple(map(find_side, sides)) or tuple(Side)
            return _without_units(
                position,
                lambda row: counters()[row.unit].side in absent_sides and row.at not in OFF_MAP,
            )
        case ["clear-arrivals"]:
            return _without_units(position, lambda row: row.at in {TURN_TRACK, DELAY_BOX})
        case ["unit", unit, place, *steps]:
            return _place_unit(position, find_unit(unit), place, steps)
        case ["units", place, first_unit, *units]:
            for unit in (first_unit, *units):
                position = _place_unit(position, find_unit(unit), place, ())
            return position
        case ["track-unit", unit, turn, *other_words]:
            return _schedule_unit(position, find_unit(unit), parse_number(turn), other_words)
        case ["control", side, "area", area]:
            land = (hex_id for hex_id in area_hexes(area) if board().hexes[hex_id].is_land)
            return _with_control(position, find_side(side), land)
        case ["control", side, _, *_]:
            return _with_control(position, find_side(side), map(find_land, words[2:]))
        case ["control-at-turn-start", side, _, *_]:
            return _with_control_at_turn_start(
                position, find_side(side), tuple(map(find_land, words[2:]))
            )
        case ["track", name, *value]:
            return replace(position, tracks=with_track(position.tracks, name, value))
        case ["pool", name, number]:
            return _with_pool(position, name, parse_number(number))
        case ["played", _, *_]:
            cards_played = (*position.events_played, *map(find_card, words[1:]))
            return replace(position, events_played=tuple(dict.fromkeys(cards_played)))
        case _:
            return _apply_card_setup(position, words)


def _apply_card_setup(position: Position, words: Sequence[str]) -> Position:
    """Set hands, piles and passes."""
    match words:
        case ["hand", name, _, *_]:
            side = find_side(name)
            return _with_hand(position, side, _check_own_cards(side, words[2:]))
        case ["pile", name, pile, _, *_] if pile in _PILES:
            side = find_side(name)
            return _with_pile_cards(position, side, pile, _check_own_cards(side, words[3:]))
        case ["draw-only", name, _, *_]:
            side = find_side(name)
            return _with_draw_pile(position, side, _check_own_cards(side, words[2:]))
        case ["future", name, "none"]:
            return _with_future_card(position, find_side(name), None, 0)
        case ["future", name, card, *turn] if len(turn) <= 1:
            side = find_side(name)
            placed_turn = parse_number(turn[0]) if turn else 0
            return _with_future_card(position, side, find_own_card(side, card), placed_turn)
        case ["passes", name, number]:
            side = find_side(name)
            return _with_deck(
                position, side, replace(position.decks[side], passes=parse_number(number))
            )
        case ["event-draws", name, number]:
            side = find_side(name)
            deck = replace(position.decks[side], event_draws=parse_number(number))
            return _with_deck(position, side, deck)
        case _:
            return _apply_start_setup(position, words)


def _apply_start_setup(position: Position, words: Sequence[str]) -> Position:
    """Set the turn and the segment in which the script begins."""
    match words:
        case ["turn", number]:
            turn = parse_number(number)
            remaining_units = _without_units(
                position, lambda row: row.turn is not None and row.turn < turn
            )
            return replace(remaining_units, turn=turn)
        case ["last-turn", number]:
            return replace(position, last_turn=parse_number(number))
        case ["play", side]:
            frames: tuple[Frame, ...] = (
                TurnFrame(phase=Phase.OFFENSIVES, entered=True),
                CardPlayFrame(side=find_side(side)),
            )
            return replace(position, frames=frames)
        case ["phase", phase]:
            segment = Phase(lexicon().find_one("segment", phase))
            return replace(position, frames=(TurnFrame(phase=segment),))
        case _:
            raise unknown_form("setup", words, FORMS)


# units and control:


def _with_units(position: Position, changed_setups: Mapping[UnitId, UnitSetup]) -> Position:
    units = tuple(changed_setups.get(row.unit, row) for row in position.units)
    return replace(position, units=units)


def _without_units(position: Position, is_gone: Callable[[UnitSetup], bool]) -> Position:
    """Remove units from the game for good."""
    return _with_units(
        position,
        {
            row.unit: UnitSetup(unit=row.unit, at=REMOVED, steps=0)
            for row in position.units
            if is_gone(row)
        },
    )


def _place_unit(position: Position, unit: UnitId, place: str, steps: Sequence[str]) -> Position:
    """Put a unit in a place. If the place is a land hex, the unit's side gains control of the hex."""
    place = find_place(place)
    if place == TURN_TRACK:
        raise ValueError("write 'setup track-unit UNIT TURN'")
    if place in {ELIMINATED, REMOVED, EVENT}:
        return _with_units(position, {unit: UnitSetup(unit=unit, at=place, steps=0)})
    if place in board().hexes and not counters()[unit].is_naval:
        find_land(place)
    row = UnitSetup(unit=unit, at=place, steps=parse_steps(unit, steps))
    position = _with_units(position, {unit: row})
    if place in board().hexes and board().hexes[HexId(place)].is_land:
        return _with_control(position, counters()[unit].side, (HexId(place),))
    return position


def _schedule_unit(position: Position, unit: UnitId, turn: int, options: Sequence[str]) -> Position:
    words = [word for word in options if word != "undelayable"]
    row = UnitSetup(
        unit=unit,
        at=TURN_TRACK,
        steps=parse_steps(unit, words),
        turn=turn,
        delayable="undelayable" not in options,
    )
    return _with_units(position, {unit: row})


def _with_hexes_given(
    controlled: Iterable[HexId], side: Side, hexes: Iterable[HexId]
) -> tuple[HexId, ...]:
    """Return the hexes that Japan controls after a side has gained control of some hexes.

    Kunming always stays Allied (13.75).
    """
    hexes_given = set(hexes) - set(board().areas[_ALWAYS_ALLIED].hexes)
    return tuple(
        sorted(
            set(controlled) | hexes_given if side is Side.JAPAN else set(controlled) - hexes_given
        )
    )


def _with_control(position: Position, side: Side, hexes: Iterable[HexId]) -> Position:
    """Give hexes to a side. Control at the start of the scenario stays unchanged (OPS-6)."""
    japan_hexes, at_start = position.japan_controls, position.japan_controls_at_start
    return replace(
        position,
        japan_controls=_with_hexes_given(japan_hexes, side, hexes),
        japan_controls_at_start=japan_hexes if at_start is None else at_start,
    )


def _with_control_at_turn_start(
    position: Position, side: Side, hexes: tuple[HexId, ...]
) -> Position:
    hexes_before = position.japan_controls_at_turn_start
    japan_hexes = position.japan_controls if hexes_before is None else hexes_before
    return replace(
        position, japan_controls_at_turn_start=_with_hexes_given(japan_hexes, side, hexes)
    )


def _with_pool(position: Position, name: str, number: int) -> Position:
    field = name.replace("-", "_")
    if field not in position.pools.__struct_fields__:
        pool_names = ", ".join(
            pool_name.replace("_", "-") for pool_name in position.pools.__struct_fields__
        )
        raise ValueError(f"there is no pool '{name}'; known: {pool_names}")
    return replace(position, pools=msgspec.structs.replace(position.pools, **{field: number}))


# cards:


def _check_own_cards(side: Side, names: Sequence[str]) -> tuple[CardId, ...]:
    return tuple(find_own_card(side, name) for name in names_in(names))


def _with_deck(position: Position, side: Side, deck: Deck) -> Position:
    return replace(position, decks={**position.decks, side: deck})


def _deck_without(deck: Deck, names: Iterable[CardId]) -> Deck:
    """Return the deck after the named cards are removed from all its piles and from the future offensives slot."""
    excluded_names = frozenset(names)
    piles = {
        pile: tuple(card for card in getattr(deck, pile) if card not in excluded_names)
        for pile in ("hand", *_PILES)
    }
    return replace(deck, future=None if deck.future in excluded_names else deck.future, **piles)


def _sorted_by_id(names: Iterable[CardId]) -> tuple[CardId, ...]:
    # The pile must stay sorted, because its order determines the result of a random draw.
    return tuple(sorted(names, key=lambda card: cards()[card].number))


def _with_hand(position: Position, side: Side, names: tuple[CardId, ...]) -> Position:
    """Deal a hand. The previous hand returns to the draw pile."""
    deck = _deck_without(position.decks[side], names)
    return _with_deck(
        position, side, replace(deck, hand=names, draw=_sorted_by_id((*deck.draw, *deck.hand)))
    )


def _with_pile_cards(
    position: Position, side: Side, pile: str, names: tuple[CardId, ...]
) -> Position:
    deck = _deck_without(position.decks[side], names)
    cards_of = (*getattr(deck, pile), *names)
    return _with_deck(
        position,
        side,
        replace(deck, **{pile: _sorted_by_id(cards_of) if pile == "draw" else cards_of}),
    )


def _with_draw_pile(position: Position, side: Side, names: tuple[CardId, ...]) -> Position:
    deck = _deck_without(position.decks[side], names)
    return _with_deck(
        position,
        side,
        replace(deck, draw=_sorted_by_id(names), removed=(*deck.removed, *deck.draw)),
    )


def _with_future_card(position: Position, side: Side, name: CardId | None, turn: int) -> Position:
    """Set the future offensives card. The previous one returns to the draw pile."""
    deck = _deck_without(position.decks[side], () if name is None else (name,))
    returned_cards = () if deck.future is None else (deck.future,)
    changed = replace(
        deck,
        future=name,
        future_turn=turn,
        placed_turn=max(turn, deck.placed_turn),
        draw=_sorted_by_id((*deck.draw, *returned_cards)),
    )
    return _with_deck(position, side, changed)
