"""Areas that change hands as a whole in the National Status Segment (13.84, 13.85, 13.92)."""

from collections.abc import Iterable
from typing import Final

from engine.eots.board import area_of, board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch06_supply.control import controls, is_vacant_for, units_at
from engine.eots.counters import counters
from engine.eots.events.tracks import MandatesGained
from engine.eots.events.units import ControlChanged
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, HexId, Side
from engine.eots.rulings import SOUTH_PACIFIC_VICTORY
from engine.eots.state import State
from engine.kernel.ids import Rule

MANDATES: Final = AreaId("mandates")
NEW_GUINEA: Final = AreaId("new-guinea")
MARSHALLS: Final = AreaId("marshall-islands")


def has_ground_unit(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a side has a ground unit in a hex. HQs do not count (13.84, 13.92, OP-3)."""
    return any(
        counters()[unit].side is side and counters()[unit].is_ground
        for unit in units_at(state).get(hex_id, ())
    )


def key_holder(state: State, name: AreaId) -> Side | None:
    """Return the side that controls all of an area's key hexes, or None if no side does (13.84, 13.85, 13.92)."""
    hexes = area_of(state.options, name).control_hexes
    for side in Side:
        if all(controls(state, side, hex_id) for hex_id in hexes):
            return side
    return None


def gain_control(run: EotsRun, side: Side, hexes: Iterable[HexId], rule: Rule) -> None:
    """Give a side control of the listed hexes that it does not control yet."""
    hexes_gained = tuple(
        sorted(hex_id for hex_id in hexes if not controls(run.state, side, hex_id))
    )
    if hexes_gained:
        run.add(ControlChanged(rule=rule, hexes=hexes_gained, side=side))


def _is_free_of_ground(state: State, enemy: Side, hex_id: HexId) -> bool:
    return not has_ground_unit(state, enemy, hex_id)


def _is_vacant_location(state: State, enemy: Side, hex_id: HexId) -> bool:
    return board().hexes[hex_id].is_named_location and is_vacant_for(state, enemy, hex_id)


_REGIONS: Final = (
    (MANDATES, Rule("13.84"), _is_free_of_ground),
    (NEW_GUINEA, Rule("13.85"), _is_vacant_location),
    (MARSHALLS, Rule("13.92"), _is_free_of_ground),
)
"""Each area with its rule, and a test that a hex must pass to go to the side that controls the key hexes."""


def _takes_mandates_one_by_one(state: State) -> bool:
    """Return whether 13.84 does not apply, because a South Pacific game is decided by points (17.10.5M)."""
    return state.scenario == SOUTH_PACIFIC and SOUTH_PACIFIC_VICTORY.uses_alternative(state.options)


def settle_regions(run: EotsRun) -> None:
    """In the Mandates, New Guinea and the Marshalls, give hexes to the side that controls the key hexes.

    The rules are 13.84, 13.85 and 13.92. The key hexes are Rabaul and Guadalcanal for the Mandates, all ports and
    Vogelkop for New Guinea, and Eniwetok and Kwajalein for the Marshalls. Japan cannot gain New Guinea or the Marshalls
    in this way.
    """
    for name, rule, is_free in _REGIONS:
        state = run.state
        if name == MANDATES and _takes_mandates_one_by_one(state):
            continue
        side = key_holder(state, name)
        if side is None or (name == MARSHALLS and side is Side.JAPAN):
            continue
        if name == MANDATES and state.tracks.mandates is not side:
            run.add(MandatesGained(side=side))
        hexes = area_of(state.options, name).hexes
        gain_control(
            run, side, [hex_id for hex_id in hexes if is_free(state, side.enemy, hex_id)], rule
        )
