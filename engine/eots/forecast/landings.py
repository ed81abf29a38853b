"""The forecast for a landing in a hex without enemies: special reaction, and units that could intervene (7.27)."""

from fractions import Fraction
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, is_vacant_for
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch07_offensive.intelligence import is_candidate, special_modifier
from engine.eots.ch08_movement.areas import coastal_hexes
from engine.eots.forecast.planned import opened_offensive, with_declared_battle
from engine.eots.forecast.reaction import Reactors, reactors, success
from engine.eots.forecast.table import offensive_step, state_from_view
from engine.eots.ids import HexId, Side
from engine.eots.state import State, current_offensive
from engine.eots.view import EotsView

LAST_STEP: Final = 6
"""The step of 7.2 in which the special reaction roll is made."""


class LandingForecast(msgspec.Struct, frozen=True, kw_only=True):
    """Possible opposition to a landing in an enemy-controlled hex without units."""

    at: HexId
    side: Side
    """The Offensive player."""
    target: int | None
    """Highest modified roll that succeeds, or None if special reaction is not possible."""
    modifier: int
    chance: Fraction
    """Probability that special reaction succeeds."""
    reactors: tuple[Reactors, ...]


def landing_forecast(view: EotsView, hex_id: HexId) -> LandingForecast | None:
    """Return the forecast for a landing in a hex, or None if a landing is impossible or would cause a battle.

    Args:
        view: One side's view, which is the only source of information.
        hex_id: The hex that the player points to.
    """
    state = state_from_view(view)
    side = _landing_side(state, view.side, hex_id)
    if side is None or offensive_step(state) > LAST_STEP:
        return None
    if state.offensive is None:
        state = opened_offensive(state, side)
    target = current_offensive(state).special_iv
    is_open = target is not None and is_candidate(state, hex_id)
    modifier = special_modifier(state, side.enemy)
    is_landing = is_open and target is not None
    battle = with_declared_battle(state, hex_id, is_special=True)
    return LandingForecast(
        at=hex_id,
        side=side,
        target=target if is_landing else None,
        modifier=modifier,
        chance=success(modifier, target) if is_landing and target is not None else Fraction(0),
        reactors=reactors(battle, hex_id, with_troops=True) if is_landing else (),
    )


def _landing_side(state: State, viewer: Side | None, hex_id: HexId) -> Side | None:
    """Return the side that could land in a hex controlled by the other side, or None if no landing is possible."""
    if hex_id not in board().hexes or viewer is None:
        return None
    hex_occupancy = occupancy(state)
    if not hex_occupancy.bitsets.bit_by_id.get(hex_id, 0) & coastal_hexes(hex_occupancy.bitsets):
        return None
    holder = Side.JAPAN if controls(state, Side.JAPAN, hex_id) else Side.ALLIED
    uses_alternative = state.offensive is not None and state.offensive.side is holder
    if uses_alternative or not is_vacant_for(state, holder, hex_id):
        return None
    return holder.enemy
