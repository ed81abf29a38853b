"""``expect`` lines in scripts: statements about a position that must be true."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.supply import burma_road, effective_efficiency, supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ch09_battle.participants import participants
from engine.eots.ch16_victory.score import score
from engine.eots.counters import counters
from engine.eots.frames import BattleFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.scripting_names import (
    find_card,
    find_hex,
    find_land,
    find_own_card,
    find_place,
    find_side,
    find_unit,
    is_side,
    lexicon,
    names_in,
    parse_number,
    parse_steps,
    spelling,
    track,
)
from engine.eots.state import ELIMINATED, REMOVED, State
from engine.kernel.lexicon import normalise_word
from engine.scripts.words import COMMON_FORMS, check_equal, unknown_form

FORMS: Final = (
    (
        "expect unit UNIT at PLACE [STEPS] / expect no unit UNIT at PLACE",
        (
            "The unit is or is not in this place. Places off the map are those of `setup unit`. A unit that never"
            " returns is `removed`, and `eliminated` matches it too."
        ),
    ),
    (
        "expect unit UNIT steps STEPS",
        "The unit has this strength: `full`, `reduced` or a number of steps.",
    ),
    (
        "expect on-map UNIT / expect no on-map UNIT",
        "The unit is or is not in a hex.",
    ),
    (
        "expect units PLACE [UNIT ...]",
        "Exactly these units of both sides are there. Write `none` for an empty place.",
    ),
    ("expect arrival UNIT TURN", "The unit is on the turn track for this turn."),
    ("expect control SIDE HEX [HEX ...]", "The side controls the hexes."),
    ("expect distance HEX HEX NUMBER", "The two hexes are this far apart."),
    ("expect track NAME VALUE", "The track or marker has this value, written as in `setup track`."),
    ("expect pool NAME NUMBER", "This many replacement steps are left in the segment."),
    ("expect turn NUMBER", "It is this game turn."),
    ("expect points NUMBER", "Japan would have this many victory points if the game ended now."),
    ("expect supplied UNIT / expect no supplied UNIT", "The unit or HQ is or is not in supply."),
    (
        "expect zoi SIDE HEX / expect no zoi SIDE HEX",
        "The hex is or is not in the side's un-neutralised ZOI.",
    ),
    (
        "expect in-zoi SIDE HEX / expect no in-zoi SIDE HEX",
        "The hex is or is not in the side's ZOI, neutralised or not.",
    ),
    (
        "expect eligible-port SIDE HEX / expect eligible-airfield SIDE HEX",
        "The hex is a supply-eligible port or airfield of the side. You can negate this with `no`.",
    ),
    (
        "expect efficiency HQ NUMBER [UNIT ...]",
        "The HQ has this rating when it activates these units.",
    ),
    ("expect burma-road STATUS", "The road is `open`, `closed-hump` or `closed-no-hump`."),
    (
        "expect hand SIDE NUMBER / expect hand SIDE CARD [CARD ...]",
        (
            "The side holds this many cards, or exactly these. A number with a sign is the change since the "
            "set-up, before any deal: `-2`, `+1`, or `+0` for none."
        ),
    ),
    (
        "expect pile SIDE PILE NUMBER",
        (
            "The pile `draw`, `discard` or `removed` contains this many cards, or with a sign this many more or fewer"
            " than at set-up."
        ),
    ),
    ("expect passes SIDE NUMBER", "The side has this many passes left."),
    (
        (
            "expect held CARD / expect discard CARD / expect removed CARD / expect undrawn CARD / "
            "expect future CARD"
        ),
        (
            "The card is in a hand, in the named pile, or is a future offensives card. You can negate each with "
            "`no`."
        ),
    ),
    (
        "expect played CARD / expect no played CARD",
        "The card has or has not been played as an event.",
    ),
    (
        "expect offensive SIDE / expect no offensive",
        "The side is conducting an offensive, or there is none.",
    ),
    (
        "expect activated UNIT / expect no activated UNIT",
        "The unit is or is not active. It may belong to either side.",
    ),
    (
        "expect condition CONDITION",
        "The intelligence condition is this one, or `none` without an offensive.",
    ),
    ("expect seen / expect no seen", "An offensive unit was or was not in enemy ZOI (-2, 7.25E)."),
    ("expect battle HEX / expect no battle HEX", "The hex is or is not a battle hex."),
    ("expect joined UNIT HEX / expect covers UNIT HEX", "The air unit or carrier has this task."),
    (
        "expect takes-part UNIT HEX / expect no takes-part UNIT HEX",
        "The unit is in the hex's battle, or would be if it began now (9.1).",
    ),
    (
        "expect surrendered NATION / expect no surrendered NATION",
        "The nation has or has not surrendered.",
    ),
)
"""Each form of an ``expect`` line, with a short explanation."""


def check_expectation(state: State, words: Sequence[str]) -> str:
    """Return the reason why an expectation is not met, or an empty string if it is met.

    Raises:
        ValueError: The words cannot be interpreted.
    """
    match words:
        case ["no", kind, *other_words]:
            return (
                "this is the case"
                if _is_statement_true(state, (normalise_word(kind), *other_words))
                else ""
            )
        case ["unit", _, "at", _, *_] | ["unit", _, "steps", _] | ["units", _, *_]:
            return _check_units(state, words)
        case ["arrival", unit, turn]:
            arrival = state.arrivals.get(find_unit(unit))
            return check_equal(turn, "not on the turn track" if arrival is None else arrival.turn)
        case ["control", hex_name, side] if not is_side(hex_name):
            return check_equal(find_side(side), _holder(state, hex_name))
        case ["control", side, _, *_]:
            holders = [f"{hex_id} is {_holder(state, hex_id)}" for hex_id in words[2:]]
            wrong_holders = [
                holder for holder in holders if not holder.endswith(f" {find_side(side)}")
            ]
            return ", ".join(wrong_holders)
        case ["distance", origin, target, number]:
            return check_equal(number, board().distance(find_hex(origin), find_hex(target)))
        case ["turn", number]:
            return check_equal(number, state.turn)
        case ["condition", expected_text]:
            condition = "none" if state.offensive is None else state.offensive.condition
            return check_equal(expected_text, condition)
        case ["burma-road", expected_text]:
            return check_equal(expected_text, burma_road(state))
        case _:
            return _check_numbers(state, words)


def _holder(state: State, name: str) -> Side:
    """Return a land hex's controller, or raise ValueError if the hex is off the scenario's sheet (17.10)."""
    land_name = find_land(name)
    if land_name not in state.control:
        raise ValueError(f"hex {name} is off the map of this scenario, so neither side controls it")
    return state.control[land_name]


def _check_numbers(state: State, words: Sequence[str]) -> str:
    match words:
        case ["track", name, _, *_]:
            actual_value = track(state.tracks, name)
            expected_text = " ".join(words[2:])
            plain_tests = (
                str(int(actual_value))
                if isinstance(actual_value, int) and not isinstance(actual_value, bool)
                else ""
            )
            is_so = normalise_word(expected_text) in {
                normalise_word(spelling(actual_value)),
                plain_tests,
            }
            if isinstance(actual_value, tuple):  # the order of list items does not matter
                is_so = sorted(map(normalise_word, expected_text.split())) == sorted(
                    map(normalise_word, spelling(actual_value).split())
                )
            return "" if is_so else f"it is {spelling(actual_value)}"
        case ["pool", name, number]:
            field = name.replace("-", "_")
            if field not in state.pools.__struct_fields__:
                raise ValueError(f"there is no pool '{name}'")
            return check_equal(number, getattr(state.pools, field))
        case ["points", number]:
            return check_equal(number, sum(line.points for line in score(state)))
        case ["hand", side, _, *_]:
            hand = state.decks[find_side(side)].hand
            wanted_cards = [find_own_card(find_side(side), card) for card in names_in(words[2:])]
            return (
                "" if sorted(wanted_cards) == sorted(hand) else f"it is {' '.join(hand) or 'none'}"
            )
        case ["passes", side, number]:
            return check_equal(number, state.decks[find_side(side)].passes)
        case ["efficiency", hq, number, *units]:
            hq_id = find_unit(hq)
            if not counters()[hq_id].is_hq:
                raise ValueError(f"{hq} is not an HQ")
            activated_units = tuple(map(find_unit, units))
            return check_equal(
                parse_number(number), effective_efficiency(state, hq_id, activated_units)
            )
        case _:
            return "" if _is_statement_true(state, words) else _actual_place(state, words)


def count_cards(state: State, words: Sequence[str]) -> int | None:
    """Return the number of cards in a side's hand or pile, or None if the words do not name a hand or pile."""
    match words:
        case ["hand", side]:
            return len(state.decks[find_side(side)].hand)
        case ["pile", side, "draw" | "discard" | "removed" as pile]:
            place = "undrawn" if pile == "draw" else pile
            return len(_cards_by_pile(state, find_side(side))[place])
        case _:
            return None


_PLACES: Final = ("held", "discard", "removed", "undrawn", "future")


def _actual_place(state: State, words: Sequence[str]) -> str:
    """Describe why a statement is false. For a card, the text includes the card's actual location."""
    if words[0] not in _PLACES:
        return "this is not the case"
    card = find_card(words[1])
    piles = [_cards_by_pile(state, side) for side in state.decks]
    places = [place for place in _PLACES if any(card in pile[place] for pile in piles)]
    return f"it is {places[0] if places else 'in play'}"


def _is_at(location: str, place: str) -> bool:
    """Return whether a unit is at a place. A permanently removed unit also counts as eliminated (11.1)."""
    return location == place or (location == REMOVED and place == ELIMINATED)


def _check_units(state: State, words: Sequence[str]) -> str:
    """Check units' places and steps."""
    match words:
        case ["unit", unit, "at", place, *steps]:
            unit_state = state.units[find_unit(unit)]
            expected_steps = parse_steps(find_unit(unit), steps) if steps else unit_state.steps
            problem = "" if _is_at(unit_state.at, find_place(place)) else f"it is {unit_state.at}"
            return problem or (
                "" if expected_steps == unit_state.steps else f"it has {unit_state.steps} steps"
            )
        case ["unit", unit, _, steps]:
            return check_equal(
                parse_steps(find_unit(unit), [steps]), state.units[find_unit(unit)].steps
            )
        case [_, place, *units]:
            at = find_place(place)
            units_there = sorted(
                unit for unit, unit_state in state.units.items() if unit_state.at == at
            )
            unit_ids = sorted(map(find_unit, names_in(units)))
            return "" if unit_ids == units_there else f"there are {' '.join(units_there) or 'none'}"
        case _:
            raise unknown_form("expect", words, FORMS)


def _is_statement_true(state: State, words: Sequence[str]) -> bool:
    """Return whether a statement that contains no number or list is true."""
    match words:
        case ["on-map", unit]:
            return state.units[find_unit(unit)].is_on_map
        case ["supplied", unit]:
            return _is_supplied(state, find_unit(unit))
        case ["zoi", side, hex_name]:
            return zoi(state).is_unneutralised(find_side(side), board().index[find_hex(hex_name)])
        case ["in-zoi", side, hex_name]:
            return zoi(state).covers(find_side(side), board().index[find_hex(hex_name)])
        case ["eligible-port", side, hex_name]:
            return supply(state).is_eligible_port(find_side(side), find_hex(hex_name))
        case ["eligible-airfield", side, hex_name]:
            return supply(state).is_eligible_airfield(find_side(side), find_hex(hex_name))
        case ["unit", unit, "at", place]:
            return _is_at(state.units[find_unit(unit)].at, find_place(place))
        case ["played", name]:
            return find_card(name) in state.events_played
        case ["surrendered", nation]:
            return lexicon().find_one("nation", nation) in state.tracks.surrendered
        case [place, name] if place in _PLACES:
            card = find_card(name)
            return any(card in _cards_by_pile(state, side)[place] for side in state.decks)
        case _:
            return _is_true_of_offensive(state, words)


def _is_true_of_offensive(state: State, words: Sequence[str]) -> bool:
    """Return whether a statement about the current offensive is true. If there is no offensive, it is false."""
    offensive = state.offensive
    match words:
        case ["offensive"]:
            return offensive is not None
        case ["offensive", side]:
            return offensive is not None and offensive.side is find_side(side)
        case ["activated", unit]:
            return offensive is not None and find_unit(unit) in (
                *offensive.activated,
                *offensive.reaction.activated,
            )
        case ["seen"]:
            return offensive is not None and offensive.touched_zoi
        case ["battle", hex_name]:
            return offensive is not None and find_hex(hex_name) in offensive.battles
        case ["joined", unit, hex_name]:
            return offensive is not None and offensive.joined.get(find_unit(unit)) == find_hex(
                hex_name
            )
        case ["takes-part", unit, hex_name]:
            return _is_taking_part(state, find_unit(unit), find_hex(hex_name))
        case ["covers", unit, hex_name]:
            return offensive is not None and offensive.covers.get(find_unit(unit)) == find_hex(
                hex_name
            )
        case _:
            raise unknown_form("expect", words, (*FORMS, *COMMON_FORMS))


def _is_taking_part(state: State, unit: UnitId, hex_id: HexId) -> bool:
    """Return whether a unit takes part in the battle at a hex, or would if the battle began now (9.1)."""
    for frame in state.frames:
        if isinstance(frame, BattleFrame) and frame.hex == hex_id and frame.participants:
            return unit in frame.participants
    return (
        state.offensive is not None
        and hex_id in state.offensive.battles
        and unit in participants(state, hex_id)
    )


def _is_supplied(state: State, unit: UnitId) -> bool:
    lines = supply(state)
    return lines.is_hq_supplied(unit) if counters()[unit].is_hq else lines.is_supplied(unit)


def _cards_by_pile(state: State, side: Side) -> Mapping[str, tuple[str | None, ...]]:
    """Return a side's cards at each location, keyed by the script word for the location."""
    deck = state.decks[side]
    return {
        "held": deck.hand,
        "discard": deck.discard,
        "removed": deck.removed,
        "undrawn": (*deck.draw, *state.beneath.get(side, ())),
        "future": (deck.future,),
    }
