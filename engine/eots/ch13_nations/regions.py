"""Groups of islands that change hands as one in the National Status Segment (13.84, 13.85, 13.92)."""

from collections.abc import Iterable
from typing import Final

from engine.eots.board import area_of, board
from engine.eots.ch06_supply.control import controls, is_vacant_of, units_at
from engine.eots.counters import counters
from engine.eots.events.tracks import MandatesGained
from engine.eots.events.units import ControlChanged
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, HexId, Side
from engine.eots.state import State
from engine.kernel.ids import Rule

MANDATES: Final = AreaId("mandates")
NEW_GUINEA: Final = AreaId("new-guinea")
MARSHALLS: Final = AreaId("marshall-islands")


def has_ground_unit(state: State, side: Side, at: HexId) -> bool:
    """Return whether a side has a ground unit in a hex; HQs do not count (13.84, 13.92, OP-3)."""
    return any(
        counters()[unit].side is side and counters()[unit].is_ground
        for unit in units_at(state).get(at, ())
    )


def key_holder(state: State, name: AreaId) -> Side | None:
    """Return the side that controls every hex that decides over an area (13.84, 13.85, 13.92)."""
    wanted = area_of(state.options, name).control_hexes
    for side in Side:
        if all(controls(state, side, at) for at in wanted):
            return side
    return None


def gain(run: EotsRun, side: Side, hexes: Iterable[HexId], rule: Rule) -> None:
    """Give a side those of the hexes that it does not control yet."""
    gained = tuple(sorted(at for at in hexes if not controls(run.state, side, at)))
    if gained:
        run.add(ControlChanged(rule=rule, hexes=gained, side=side))


def settle_regions(run: EotsRun) -> None:
    """Let the Mandates, New Guinea and the Marshalls follow their decisive hexes (13.84, 13.85, 13.92)."""
    _settle_mandates(run)
    _settle_new_guinea(run)
    _settle_marshalls(run)


def _settle_mandates(run: EotsRun) -> None:
    """Give every Mandate hex without an enemy ground unit to the holder of Rabaul and Guadalcanal (13.84)."""
    state = run.state
    side = key_holder(state, MANDATES)
    if side is None:
        return
    if state.tracks.mandates is not side:
        run.add(MandatesGained(side=side))
    hexes = area_of(state.options, MANDATES).hexes
    free = (at for at in hexes if not has_ground_unit(state, side.enemy, at))
    gain(run, side, free, Rule("13.84"))


def _settle_new_guinea(run: EotsRun) -> None:
    """Give every named location without an enemy unit to the holder of all ports and Vogelkop (13.85)."""
    state = run.state
    side = key_holder(state, NEW_GUINEA)
    if side is None:
        return
    named = (
        at for at in area_of(state.options, NEW_GUINEA).hexes if board().hexes[at].is_named_location
    )
    gain(run, side, (at for at in named if is_vacant_of(state, side.enemy, at)), Rule("13.85"))


def _settle_marshalls(run: EotsRun) -> None:
    """Give the Allies every Marshall island without a Japanese ground unit for Eniwetok and Kwajalein (13.92)."""
    state = run.state
    if key_holder(state, MARSHALLS) is not Side.ALLIED:
        return
    hexes = area_of(state.options, MARSHALLS).hexes
    free = (at for at in hexes if not has_ground_unit(state, Side.JAPAN, at))
    gain(run, Side.ALLIED, free, Rule("13.92"))
