"""Values Empire of the Sun positions by the victory conditions and the means to meet them (16, 17).

All values are integers on one scale, where a victory point is worth :data:`POINT_VALUE`.
"""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from engine.bots.greedy_eots_stakes import hex_values
from engine.bots.strong_eots_dangers import HEXES_PER_LOSS, Dangers
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch06_supply.control import controls
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch13_nations.penalties import RECOVERABLE
from engine.eots.ch13_nations.surrender import decisive_hexes
from engine.eots.ch16_victory.score import CHINA, is_port_control, levels, total_points
from engine.eots.ch16_victory.will import (
    ALASKA_SEGMENTS,
    is_held_by_japan,
    progress_hexes,
    progress_quota,
)
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.ids import CHINA_BOX, CardId, Side, UnitId
from engine.eots.state import Deck, State
from engine.kernel.ids import Role

WIN_VALUE: Final = 10_000
POINT_VALUE: Final = 60
"""Value of a victory point, or of a port in the South Pacific scenario."""
WINNING_SIDE_BONUS: Final = 150
"""Bonus for being on the winning side of the victory line in the last turn. It is smaller in earlier turns."""
PORT_LINE: Final = -4
"""Japan wins the South Pacific scenario with this score or more. The Allies need a margin of five (17.10.7)."""
WILL_VALUE: Final = 75
"""Value of one box of Political Will if the marker does not affect victory points."""
LOWEST_COSTLY_WILL: Final = 6
"""At this level of Political Will, losing a box both costs the Allies points and gives Japan points (17.38 H, I)."""
HEXES_BY_CARD: Final = 3
"""Expected gain from one Allied card, in quarters of a hex."""
CERTAIN_PERCENT: Final = 100
HQ_VALUE: Final = 90
LAST_HQ_VALUE: Final = 300
"""Additional value of having at least one HQ on the map.

Without an HQ, the South Pacific scenario is lost (17.10.7).
"""
GUARDED_HQ_VALUE: Final = 40
"""Value of ground units in an HQ's hex in the South Pacific scenario."""
UNSUPPLIED_DIVISOR: Final = 2
"""Divisor for the value of a unit that is out of supply."""
CARD_VALUE: Final = 14
CARD_OV_VALUE: Final = 6
"""Value of a card in hand: a fixed part, and a part for each point of its operations value."""
RIVALRY_COST: Final = 8
"""Cost of inter-service rivalry for each card still to be played."""
SHIPPING_VALUE: Final = 6
"""Value of a shipping point per remaining turn."""
EUROPE_VALUE: Final = 6
"""Value of a War in Europe box per remaining turn."""
INDIA_BOX_VALUE: Final = 5
"""Value of a box on the India track."""
CHINA_FRONT_VALUES: Final = (240, 120, 40, 15, 5, 0)
"""Value of the China front by box, starting with collapse. Each box brings China's surrender closer (13.73, 16.41)."""
UNGUARDED_DIVISOR: Final = 2
"""Having no friendly ground units in a hex costs the value of the hex, divided by this number."""


def position_value(state: State, side: Side) -> int:
    """Return the value of a full position to a side. The two sides' values add up to 0."""
    sign = 1 if side is Side.JAPAN else -1
    return sign * _japanese_value(state)


def expected_loss(state: State, side: Side, dangers: Dangers) -> int:
    """Return a side's expected loss from endangered hexes without ground units."""
    guarded_hexes = {
        piece.at
        for unit, piece in state.units.items()
        if piece.steps and piece.at in dangers and counters()[unit].is_ground
    }
    unguarded_losses = (
        loss
        for hex_id, loss in dangers.items()
        if hex_id not in guarded_hexes and controls(state, side, hex_id)
    )
    return sum(unguarded_losses) // HEXES_PER_LOSS


def _japanese_value(state: State) -> int:
    if state.outcome is not None:
        win_value = WIN_VALUE if state.outcome.winner == Role(Side.JAPAN) else -WIN_VALUE
        return win_value + POINT_VALUE * (state.outcome.score or 0)
    return sum(_value_parts(state))


def _value_parts(state: State) -> Iterator[int]:
    """Yield the separate amounts that make up the value, from Japan's point of view."""
    points_value = POINT_VALUE * total_points(state) + _expected_will_points(state)
    yield points_value + _winning_side_value(state, points_value)
    yield _will_value(state)
    guarded_hexes = {
        piece.at
        for unit, piece in state.units.items()
        if piece.steps and counters()[unit].is_ground
    }
    yield _hexes_value(state, guarded_hexes)
    yield from _unit_values(state)
    yield from _hq_values(state, guarded_hexes)
    for side, sign in ((Side.JAPAN, 1), (Side.ALLIED, -1)):
        deck = state.decks[side]
        plays = len(deck.hand)
        yield sign * sum(map(card_in_hand_value, _playable_cards(state, deck)))
        if state.tracks.has_rivalry(side):
            yield -sign * RIVALRY_COST * (plays + 2 * _turns_left(state))
    tracks, turns = state.tracks, _turns_left(state)
    yield SHIPPING_VALUE * (tracks.japan_asp - tracks.allied_asp) * turns
    yield -EUROPE_VALUE * tracks.war_in_europe * min(turns, 4)
    yield CHINA_FRONT_VALUES[tracks.china_front] + INDIA_BOX_VALUE * (4 - tracks.india)


def _turns_left(state: State) -> int:
    return state.last_turn - state.turn


def _winning_side_value(state: State, counted_value: int) -> int:
    """Return the bonus or penalty for Japan's position relative to the line between victory and defeat (16, 17)."""
    if is_port_control(state):
        line = PORT_LINE
    else:
        bounds = [
            level.minimum
            for level in levels(state.scenario)
            if level.result.startswith(Side.JAPAN) and level.minimum is not None
        ]
        if not bounds:
            return 0
        line = min(bounds)
    # The value changes sign halfway between the line and the next lower score.
    margin = 2 * (counted_value - POINT_VALUE * line) + POINT_VALUE
    return (
        WINNING_SIDE_BONUS
        * min(max(margin, -POINT_VALUE), POINT_VALUE)
        // (POINT_VALUE * (1 + 3 * _turns_left(state)))
    )


def _expected_will_points(state: State) -> int:
    """Return the points that Political Will is expected to add for Japan at the end of this turn (16.42, 16.47)."""
    if not _is_will_counted(state):
        return 0
    points, political_will = 0, state.tracks.political_will
    for chance in (_alaska_chance(state), _quota_chance(state)):
        step = 2 if political_will == LOWEST_COSTLY_WILL else 1
        points += POINT_VALUE * step * chance // CERTAIN_PERCENT
        # The second loss starts from the level that is likely after the first loss.
        political_will -= 2 * chance >= CERTAIN_PERCENT
    return points


def _is_will_counted(state: State) -> bool:
    """Return whether the Political Will marker counts as victory points (17.27, 17.38, 17.48)."""
    return bool(levels(state.scenario)) and state.scenario != SOUTH_PACIFIC


def _alaska_chance(state: State) -> int:
    """Return the chance, in percent, that Alaska costs the Allies Political Will this turn: 0 or 100 (16.42)."""
    tracks = state.tracks
    longest_hold = (
        held_turns
        for hex_id, held_turns in tracks.aleutians_held.items()
        if is_held_by_japan(state, hex_id)
    )
    is_due = max(longest_hold, default=0) + 1 >= ALASKA_SEGMENTS
    return CERTAIN_PERCENT * (is_due and not tracks.alaska_penalty_used)


def _quota_chance(state: State) -> int:
    """Return the chance, in percent, that the Allies miss this turn's progress quota (16.47).

    The estimate depends on the number of Allied cards left.
    """
    quota = progress_quota(state)
    if not quota:
        return 0
    cards_left = len(state.decks[Side.ALLIED].hand)
    margin = 4 * (len(progress_hexes(state)) - quota) + HEXES_BY_CARD * cards_left + 2
    chance = CERTAIN_PERCENT // 2 - CERTAIN_PERCENT * margin // (4 * (1 + cards_left))
    return min(max(chance, 0), CERTAIN_PERCENT)


def _will_value(state: State) -> int:
    """Return the value of Political Will to Japan, including expected changes (16.47).

    If Political Will counts as victory points, only the expected changes are included.
    """
    expected_change = -_recapture_value(state)
    if _is_will_counted(state):
        return expected_change
    quota = progress_quota(state)
    if quota:
        missing_count = max(quota - len(progress_hexes(state)), 0)
        expected_change += WILL_VALUE * missing_count // quota
    missing_will = max(4 - state.tracks.political_will, 0)
    return (
        expected_change // 2
        - WILL_VALUE * state.tracks.political_will // 2
        + WILL_VALUE * missing_will * missing_will // 4
    )


def _recapture_value(state: State) -> int:
    """Return the value of nations that the Allies have retaken fully or partly (13.1-5)."""
    value = 0
    for nation in state.tracks.surrendered:
        if nation in RECOVERABLE and nation not in state.tracks.recaptured and nation != CHINA:
            hexes = decisive_hexes(state, nation)
            held_count = sum(controls(state, Side.ALLIED, hex_id) for hex_id in hexes)
            value += (
                WILL_VALUE
                if held_count == len(hexes)
                else WILL_VALUE * held_count // (2 * len(hexes))
            )
    return value


def _playable_cards(state: State, deck: Deck) -> Iterator[CardId]:
    """Yield a side's cards that can still be played (7.29B).

    A future offensives card placed on the last turn cannot be played any more.
    """
    yield from deck.hand
    if deck.future is not None and deck.future_turn < state.last_turn:
        yield deck.future


@cache
def card_in_hand_value(name: CardId) -> int:
    """Return the value of holding a card in hand, regardless of its later use."""
    return CARD_VALUE + CARD_OV_VALUE * cards()[name].ov


def _hexes_value(state: State, guarded_hexes: Collection[str]) -> int:
    """Return the value of Japan's hexes less the value of the Allies' hexes: bases, resources and victory points."""
    total = 0
    for hex_id, value in hex_values(state.scenario, state.tracks.surrendered).items():
        share = value if hex_id in guarded_hexes else value - value // UNGUARDED_DIVISOR
        total += share if state.control.get(hex_id) is Side.JAPAN else -share
    # The total is halved, because a hex that changes hands counts twice: one side loses what the
    # other gains.
    return total // 2


def _unit_values(state: State) -> Iterator[int]:
    """Yield the values of all units on the map and in the China box. Values of Allied units are negative."""
    lines = supply(state)
    for unit, piece in state.units.items():
        counter = counters()[unit]
        if counter.is_hq or not piece.steps or not (piece.is_on_map or piece.at == CHINA_BOX):
            continue
        strength = unit_value(unit, piece.steps)
        worth_now = strength if lines.is_supplied(unit) else strength // UNSUPPLIED_DIVISOR
        yield worth_now if counter.side is Side.JAPAN else -worth_now


def _hq_values(state: State, guarded_hexes: Collection[str]) -> Iterator[int]:
    """Yield the values of the HQs on the map. A side without an HQ loses the South Pacific scenario (17.10.7)."""
    is_cut = state.scenario == SOUTH_PACIFIC
    off_map = board().south_pacific.off_map_hexes if is_cut else ()
    for side, sign in ((Side.JAPAN, 1), (Side.ALLIED, -1)):
        places = [
            piece.at
            for unit, piece in state.units.items()
            if piece.is_on_map and counters()[unit].is_hq and counters()[unit].side is side
        ]
        places_on_map = [hex_id for hex_id in places if hex_id not in off_map]
        yield sign * (
            HQ_VALUE * len(places_on_map)
            + GUARDED_HQ_VALUE * is_cut * sum(hex_id in guarded_hexes for hex_id in places_on_map)
        )
        yield sign * LAST_HQ_VALUE * bool(places_on_map)


@cache
def unit_value(unit: UnitId, steps: int) -> int:
    """Return a unit's value on the map, based on attack strength. Troops count less than ships and aircraft."""
    counter = counters()[unit]
    attack = counter.strength(steps).attack
    if counter.is_ground:
        return 6 + attack // 2
    return 6 + attack + (4 if counter.carrier else 0)
