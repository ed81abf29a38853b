"""Rules about units, control, cards and markers that every position must satisfy (1.24, 5, 6.5, 10-16)."""

from collections import Counter as Multiset
from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine.eots.board import board, board_of
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.counters import Counter, counters
from engine.eots.deck import cards
from engine.eots.ids import CHINA_BOX, AreaId, CardId, HexId, NationId, ScenarioId, Side
from engine.eots.position import Position, UnitSetup, played_cards
from engine.eots.scenarios import scenario, scenario_deck
from engine.eots.state import (
    DELAY_BOX,
    ELIMINATED,
    OFF_MAP,
    TURN_TRACK,
    ChinaFront,
    IndiaStatus,
    Tracks,
)
from engine.kernel.numerals import is_count
from engine.kernel.vocabulary import Problem

MOST_BLOCKADE: Final = 2
LATEST_ARRIVAL: Final = 15
"""Latest possible arrival turn. In the last turn of the game, delayed units are scheduled for later turns."""
_MANCHUKUO: Final = AreaId("manchukuo")
_SOVIET: Final = AreaId("soviet-territory")
_KUNMING: Final = AreaId("kunming-area")
BOX_LIMIT: Final = 2


def unit_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with counters. Each one must appear once, in a suitable place and with valid steps (1.24, 13)."""
    seen_units = Multiset(setup.unit for setup in position.units)
    for index, setup in enumerate(position.units):
        path = f"units[{index}]"
        if seen_units[setup.unit] > 1:
            yield f"{path}.unit", f"{setup.unit} appears twice"
        yield from _step_problems(setup, path)
        yield from _arrival_problems(setup, path)
        yield from _place_problems(position, setup, path)
    missing_units = sorted(set(counters()) - set(seen_units))
    if missing_units:
        yield "units", f"{missing_units[0]} is missing; every counter must appear once"
    yield from _china_box_problems(position)


def ended_game_problems(position: Position) -> Iterator[Problem]:
    """Yield problems that are allowed once the game is over: past arrival turns and a completed blockade (13.93b)."""
    turn, blockade = position.turn, position.tracks.blockade_turns
    if blockade > MOST_BLOCKADE:
        yield "tracks.blockade_turns", f"{blockade} is outside 0 to {MOST_BLOCKADE}"
    for index, setup in enumerate(position.units):
        if setup.turn is not None and not turn <= setup.turn <= LATEST_ARRIVAL:
            yield (
                f"units[{index}].turn",
                f"{setup.unit} cannot arrive in turn {setup.turn} after turn {turn}",
            )


def _step_problems(setup: UnitSetup, path: str) -> Iterator[Problem]:
    counter = counters()[setup.unit]
    max_steps = 1 if counter.is_hq else counter.max_steps
    is_idle = setup.at in OFF_MAP and setup.at not in {TURN_TRACK, DELAY_BOX}
    low, high = (0, 0) if is_idle else (1, max_steps)
    if not low <= setup.steps <= high:
        expected_text = "0" if is_idle else f"1 to {max_steps}" if max_steps > 1 else "1"
        yield (
            f"{path}.steps",
            f"{setup.unit} in {setup.at} has {setup.steps} steps, not {expected_text}",
        )


def _arrival_problems(setup: UnitSetup, path: str) -> Iterator[Problem]:
    if setup.at != TURN_TRACK:
        if setup.turn is not None:
            yield (
                f"{path}.turn",
                f"{setup.unit} is not on the turn track and has no turn of arrival",
            )
    elif setup.turn is None:
        yield path, f"{setup.unit} on the turn track needs a turn of arrival"


def _place_problems(position: Position, setup: UnitSetup, path: str) -> Iterator[Problem]:
    counter = counters()[setup.unit]
    if setup.at == ELIMINATED and counter.prewar:
        yield (
            f"{path}.at",
            f"{setup.unit} is a pre-war unit and never returns; its place is 'removed' (11.1)",
        )
    if setup.at in OFF_MAP:
        return
    if setup.at == CHINA_BOX:
        if not counter.is_air or counter.side is not Side.ALLIED:
            yield (
                f"{path}.at",
                f"{setup.unit} is not an Allied air unit and not for the China box (13.74)",
            )
        return
    problem = _map_problem(counter, HexId(setup.at)) or _sheet_problem(position, HexId(setup.at))
    if problem:
        yield f"{path}.at", f"{setup.unit} cannot be in {setup.at}: {problem}"


def _sheet_problem(position: Position, hex_id: HexId) -> str:
    """Return a problem if a hex is not on the scenario's map, or an empty string if it is (17.10)."""
    if position.scenario != SOUTH_PACIFIC:
        return ""
    scenario_board = board_of(position.options)
    return (
        ""
        if scenario_board.is_in_play[scenario_board.index[hex_id]]
        else "it is not on the South Pacific map (17.10)"
    )


def _map_problem(counter: Counter, hex_id: HexId) -> str:
    """Return the reason why a unit can never be in a hex, or an empty string if it can be there."""
    row, areas = board().hexes[hex_id], board().areas
    if hex_id in areas[_MANCHUKUO].hexes:
        return "no unit may enter Manchukuo (13.91)"
    if hex_id in areas[_SOVIET].hexes and not counter.is_naval:
        return "no ground or air unit may enter Soviet territory (8.41C)"
    if counter.side is Side.JAPAN and hex_id in areas[_KUNMING].hexes:
        return "Japan may not enter the area of Kunming (13.75)"
    if counter.is_hq and not row.port:
        return "an HQ is always in a port (6.11)"
    if counter.is_naval and row.is_land and not row.naval_access:
        return "ships cannot enter it (8.2)"
    return ""


def _china_box_problems(position: Position) -> Iterator[Problem]:
    units_inside = [setup.unit for setup in position.units if setup.at == CHINA_BOX]
    if len(units_inside) > BOX_LIMIT:
        yield (
            "units",
            f"{len(units_inside)} air units are in the China box, at most {BOX_LIMIT} fit (13.74)",
        )
    if sum(counters()[unit].b29 for unit in units_inside) > 1:
        yield "units", "two B29s are in the China box (13.74)"


def control_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with the lists of Japanese-controlled hexes (6.5, 13.75)."""
    lists = (
        ("japan_controls", position.japan_controls),
        ("japan_controls_at_turn_start", position.japan_controls_at_turn_start or ()),
        ("japan_controls_at_start", position.japan_controls_at_start or ()),
    )
    map_hexes, kunming = board().hexes, board().areas[_KUNMING].hexes
    uses_whole_map = position.scenario != SOUTH_PACIFIC
    for name, hexes in lists:
        seen_hexes: set[HexId] = set()
        for index, hex_id in enumerate(hexes):
            # Nearly all hexes are without problems, so these need no path.
            is_new_land = (
                map_hexes[hex_id].is_land and hex_id not in kunming and hex_id not in seen_hexes
            )
            if is_new_land and uses_whole_map:
                seen_hexes.add(hex_id)
                continue
            path = f"{name}[{index}]"
            if not map_hexes[hex_id].is_land:
                yield path, f"{hex_id} is ocean and has no controller"
            if hex_id in kunming:
                yield path, f"{hex_id} is always Allied (13.75)"
            if problem := _sheet_problem(position, hex_id):
                yield path, f"{hex_id} has no controller: {problem}"
            if hex_id in seen_hexes:
                yield path, f"{hex_id} appears twice"
            seen_hexes.add(hex_id)


def card_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with the decks. Every card of a side must be in exactly one pile (1.25, 5)."""
    for side in Side:
        if side not in position.decks:
            yield "decks", f"the deck for side '{side}' is missing"
            return
    for side in Side:
        yield from _deck_problems(position, side)


def _deck_problems(position: Position, side: Side) -> Iterator[Problem]:
    deck, path = position.decks[side], f"decks.{side}"
    for name in ("future_turn", "placed_turn"):
        value = getattr(deck, name)
        if not 0 <= value <= position.turn:
            yield f"{path}.{name}", f"{value} is outside 0 to {position.turn}"
    cards_beneath = position.beneath.get(side, ())
    piles = (deck.hand, deck.draw, cards_beneath, deck.discard, deck.removed)
    all_cards: Multiset[CardId] = Multiset(chain.from_iterable(piles))
    if deck.future is not None:
        all_cards[deck.future] += 1
    all_cards.update(card for card in played_cards(position) if cards()[card].side is side)
    for card in sorted(all_cards):
        if cards()[card].side is not side:
            yield path, f"{card} is a card of the other side"
        if all_cards[card] > 1:
            yield path, f"{card} is in two places"
    cards_in_play = scenario_deck(scenario(ScenarioId(position.scenario)), side)
    missing_cards = sorted(card for card in cards_in_play if not all_cards[card])
    for card in sorted({*all_cards} - {*cards_in_play}):
        if cards()[card].side is side:
            yield path, f"{card} is not in the deck of this scenario (17.10)"
    if missing_cards:
        yield (
            path,
            f"{missing_cards[0]} is missing; every card is in the hand or in one of the piles",
        )
    for card in deck.locked:
        if card not in deck.hand:
            yield f"{path}.locked", f"{card} is not in the hand"


# -- markers and tracks

CHINA: Final = NationId("china")
INDIA: Final = NationId("india")
LAST_TURN: Final = 12
_ROUTES: Final = AreaId("no-transport-route")
_AREAS_BY_TRACK: Final = {
    "aleutians_held": (AreaId("aleutians"),),
    "hawaii_held": (AreaId("hawaii"), AreaId("midway")),
}
_TURNS: Final = ("china_offensive_turn", "casualties_turn", "us_force_lost_turn")
"""Fields that contain a past or current turn; 0 means never."""
_LENT: Final = 4
"""The most shipping points that cards can add in a turn (CP-21)."""


def track_problems(position: Position) -> Iterator[Problem]:
    """Yield contradictions between markers. Each field defines its own bounds."""
    tracks = position.tracks
    if tracks.escorts not in (0, 2, 4):
        yield "tracks.escorts", f"{tracks.escorts} is not 0, 2 or 4"
    if tracks.barges and tracks.pt_boats:
        yield "tracks.barges", "barges are no longer available once PT boats patrol (10.33)"
    if tracks.allied_asp_used > tracks.allied_asp + _LENT:
        yield "tracks.allied_asp_used", f"{tracks.allied_asp_used} points exceed those available"
    yield from _turn_problems(position)
    yield from _nation_problems(tracks)
    yield from _hex_list_problems(tracks)
    for index, unit in enumerate(tracks.bombed_this_turn):
        if not counters()[unit].b29:
            yield f"tracks.bombed_this_turn[{index}]", f"{unit} is not a B29 (12.31)"


def _turn_problems(position: Position) -> Iterator[Problem]:
    tracks = position.tracks
    for name in _TURNS:
        value = getattr(tracks, name)
        if not 0 <= value <= position.turn:
            yield f"tracks.{name}", f"turn {value} is outside 0 to {position.turn}"
    for index, turn in enumerate(tracks.bombing_turns):
        if not 1 <= turn <= position.turn:
            yield f"tracks.bombing_turns[{index}]", f"turn {turn} is outside 1 to {position.turn}"
    for key in tracks.replacement_loss:
        if not (is_count(key) and 1 <= int(key) <= LAST_TURN + 1):
            yield "tracks.replacement_loss", f"'{key}' is not a turn"


def _nation_problems(tracks: Tracks) -> Iterator[Problem]:
    for index, nation in enumerate(tracks.surrendered):
        if nation in tracks.surrendered[:index]:
            yield f"tracks.surrendered[{index}]", f"{nation} surrendered twice (13.1)"
    for index, nation in enumerate(tracks.recaptured):
        if nation not in tracks.surrendered:
            yield f"tracks.recaptured[{index}]", f"{nation} has not surrendered"
        elif nation in tracks.recaptured[:index]:
            yield f"tracks.recaptured[{index}]", f"{nation} was recaptured twice"
    has_collapsed = tracks.china_front is ChinaFront.GOVERNMENT_COLLAPSED
    if has_collapsed is not (CHINA in tracks.surrendered):
        yield (
            "tracks.china_front",
            "China must have surrendered if, and only if, its government has collapsed (13.73)",
        )
    if INDIA in tracks.surrendered and tracks.india is not IndiaStatus.REVOLTS:
        yield "tracks.india", "India has surrendered, so its marker must be in Revolts (13.62)"
    if tracks.all_surrendered_penalty and not set(PENALTIES) <= set(tracks.surrendered):
        yield "tracks.all_surrendered_penalty", "not every nation has surrendered (16.41)"


def _hex_list_problems(tracks: Tracks) -> Iterator[Problem]:
    for index, hex_id in enumerate(tracks.no_transport_route):
        if hex_id not in board().areas[_ROUTES].hexes:
            yield f"tracks.no_transport_route[{index}]", f"{hex_id} never has a marker (13.77)"
        elif hex_id in tracks.no_transport_route[:index]:
            yield f"tracks.no_transport_route[{index}]", f"{hex_id} appears twice"
    cities = board().areas[AreaId("japanese-islands")].cities
    for index, hex_id in enumerate(tracks.cities_taken):
        if hex_id not in cities:
            yield (
                f"tracks.cities_taken[{index}]",
                f"{hex_id} has no intrinsic unit of the home islands (13.94)",
            )
    if tracks.tokyo_express is not None and not board().hexes[tracks.tokyo_express].is_land:
        yield "tracks.tokyo_express", f"{tracks.tokyo_express} is ocean (6.23)"
    for name, areas in _AREAS_BY_TRACK.items():
        control_hexes = {at for area in areas for at in board().areas[area].hexes}
        for hex_id in getattr(tracks, name):
            if hex_id not in control_hexes:
                yield f"tracks.{name}.{hex_id}", f"{hex_id} is not a hex of 16.42"
