"""Activation of units by HQs, and the removal and return of HQs (6.12-6.15, 6.3, 7.26, 13.74)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, is_friendly_port
from engine.eots.ch06_supply.deployment import deployment
from engine.eots.ch06_supply.paths import has_path
from engine.eots.ch06_supply.placement import placement_hexes, placement_refusals
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch06_supply.supply import supply, would_be_supplied
from engine.eots.counters import counters, hq_can_command
from engine.eots.ids import CHINA_BOX, AreaId, HexId, ScenarioId, Side, UnitId
from engine.eots.scenarios import scenario
from engine.eots.state import TURN_TRACK, State
from engine.kernel.ids import Refusal, Rule

__all__ = [
    "activation_refusals",
    "hq_return_ports",
    "hqs_to_reposition",
    "placement_hexes",
    "placement_refusals",
    "return_refusals",
    "withdraw_refusals",
]

OAHU: Final = HexId("5808")
_RETURN_AREAS: Final = {
    Side.ALLIED: (AreaId("australia"), AreaId("india")),
    Side.JAPAN: (AreaId("japanese-islands"),),
}
"""Areas to which HQs may return early. The Allies may also use Oahu (6.15)."""


def activation_refusals(
    state: State,
    hq: UnitId,
    unit: UnitId,
    is_reaction: bool,  # noqa: FBT001  # tests pass it by position
) -> Iterator[Refusal]:
    """Yield every reason why an HQ may not activate a unit (6.12, 6.21, 6.3).

    Refusals cite 6.12 for nationality, 6.21 for the unit's supply and 6.3 for the path. Whether the HQ is in supply is
    not checked here.

    Args:
        state: The position.
        hq: An HQ on the map.
        unit: The unit to activate.
        is_reaction: True in reaction, when activation paths may cross declared battle hexes (7.26).
    """
    piece = state.units[unit]
    if not piece.is_on_map and piece.at != CHINA_BOX:
        yield Refusal(Rule("6.3"), f"{unit} is not on the map")
        return
    if not hq_can_command(counters()[hq], counters()[unit]):
        yield Refusal(Rule("6.12"), f"{hq} does not command {unit}")
    if not supply(state).is_supplied(unit):
        yield Refusal(Rule("6.21"), f"{unit} is out of supply")
    if not has_path(state, hq, piece.at, is_reaction=is_reaction):
        yield Refusal(Rule("6.3"), f"no activation path leads from {hq} to {unit} in {piece.at}")


def withdraw_refusals(state: State, side: Side, hq: UnitId) -> Iterator[Refusal]:
    """Yield every reason why a side may not use a card to withdraw an HQ from the map (6.13)."""
    counter = counters().get(hq)
    if counter is None or not counter.is_hq or counter.side is not side:
        yield Refusal(Rule("6.13"), f"{hq} is not one of your HQs")
    elif not state.units[hq].is_on_map:
        yield Refusal(Rule("6.13"), f"{hq} is not on the map")
    elif any(
        fixed_unit.unit == hq for fixed_unit in scenario(ScenarioId(state.scenario)).fixed_units
    ):
        yield Refusal(Rule("17.10.5K"), f"{hq} is printed on the map and must stay there")


def return_refusals(state: State, hq: UnitId, place: str) -> Iterator[Refusal]:
    """Yield every reason why an HQ may not return early to a port (6.15)."""
    counter = counters()[hq]
    if not counter.is_hq or state.units[hq].at != TURN_TRACK:
        yield Refusal(Rule("6.15"), f"{hq} is not an HQ on the game turn track")
        return
    if not _was_in_play(state, hq):
        yield Refusal(Rule("6.15"), f"{hq} has not been in play yet, so it cannot return early")
    if place not in _return_hexes(counter.side) or not is_friendly_port(state, counter.side, place):
        yield Refusal(
            Rule("6.15"), f"{place} is not a port under your control to which HQs can return"
        )
        return
    if not has_room(state, hq, place):
        yield Refusal(Rule("6.11"), f"another HQ is already in {place}")
    if not would_be_supplied(state, hq, HexId(place)):
        yield Refusal(Rule("6.15"), f"{hq} would be out of supply in {place}")


def _return_hexes(side: Side) -> tuple[HexId, ...]:
    ports = [port for area in _RETURN_AREAS[side] for port in board().areas[area].ports]
    return tuple(sorted([*ports, OAHU] if side is Side.ALLIED else ports))


def _was_in_play(state: State, hq: UnitId) -> bool:
    """Return whether an HQ on the turn track has already been in play, rather than waiting for its first arrival."""
    entry = counters()[hq].entry
    return entry.turn is None or entry.turn <= state.turn


def hq_return_ports(state: State, hq: UnitId) -> tuple[HexId, ...]:
    """Return the ports to which an HQ may return early, in hex order (6.15)."""
    side = counters()[hq].side
    return tuple(
        hex_id for hex_id in _return_hexes(side) if not any(return_refusals(state, hq, hex_id))
    )


def hqs_to_reposition(state: State) -> tuple[UnitId, ...]:
    """Return the HQs in enemy-controlled hexes, sorted by id.

    They must leave after an offensive or a surrender (6.14).
    """
    return tuple(
        hq
        for hq, hex_id in deployment(state).hqs
        if controls(state, counters()[hq].side.enemy, hex_id)
    )
