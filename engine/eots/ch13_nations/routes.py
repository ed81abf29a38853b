"""Construction of transport routes in Northern India (13.77)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, is_solely_enemy_occupied
from engine.eots.ch06_supply.routes import RANGOON, route_neighbours
from engine.eots.ch06_supply.supply import supply
from engine.eots.events.tracks import MarkerSet
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, CardId, HexId, Side
from engine.eots.rulings import FREE_ROUTE, KWAI_LATE
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

JARHAT: Final = HexId("2104")
IMPHAL: Final = HexId("2105")
AKYAB: Final = HexId("2006")
BUILDABLE: Final = AreaId("no-transport-route")
NORTH: Final = AreaId("northern-india")
DEATH_RAILROAD: Final = CardId("J-18")
_RAILWAY: Final = (HexId("2108"), HexId("2109"))
_RULE: Final = Rule("13.77")


def open_railway(run: EotsRun, hexes: tuple[HexId, ...], rule: Rule) -> None:
    """Open the Bangkok-Rangoon railway for the rest of the game if Japan controls the given hexes (13.79, CP-28)."""
    is_held = all(controls(run.state, Side.JAPAN, hex_id) for hex_id in hexes)
    if is_held and not run.state.tracks.kwai_bridge:
        run.add(MarkerSet(rule=rule, marker="kwai-bridge", on=True))


def open_late_railway(run: EotsRun) -> None:
    """Open the railway if J-18 was played, Japan controls both hexes, and CP-28's alternative reading is in use."""
    state = run.state
    if DEATH_RAILROAD in state.events_played and KWAI_LATE.uses_alternative(state.options):
        open_railway(run, _RAILWAY, Rule(DEATH_RAILROAD))


def build_route_refusals(
    state: State, side: Side, hex_id: HexId, *, by_event: bool = False
) -> Iterator[Refusal]:
    """Yield every reason why a side cannot build a hex's transport route now (13.77).

    An event waives the card requirement. Under CP-07's alternative reading, the event also waives the control that
    13.77B requires.
    """
    if hex_id not in state.tracks.no_transport_route:
        yield Refusal(_RULE, f"{hex_id} has no No Transport Route marker")
        return
    if side is Side.JAPAN:
        yield from _japan_refusals(state, hex_id)
        return
    if not (by_event and FREE_ROUTE.uses_alternative(state.options)):
        yield from _control_refusals(state)
    if hex_id != JARHAT and JARHAT in state.tracks.no_transport_route:
        yield Refusal(_RULE, f"the route through Jarhat {JARHAT} must be built first")


def _control_refusals(state: State) -> Iterator[Refusal]:
    """Refuse the route if the Allies do not control every hex that Allied routes require (13.77B)."""
    required_hexes = (*board().areas[NORTH].hexes, AKYAB)
    uncontrolled_hexes = sorted(
        hex_id for hex_id in required_hexes if not controls(state, Side.ALLIED, hex_id)
    )
    if uncontrolled_hexes:
        yield Refusal(_RULE, f"the Allies do not control {', '.join(uncontrolled_hexes)}")


def _japan_refusals(state: State, hex_id: HexId) -> Iterator[Refusal]:
    """Yield the reasons why Japan cannot build the route through Imphal (13.77C)."""
    if hex_id != IMPHAL:
        yield Refusal(_RULE, f"Japan can build only at Imphal {IMPHAL}")
        return
    if not controls(state, Side.JAPAN, RANGOON):
        yield Refusal(_RULE, f"Japan does not control Rangoon {RANGOON}")
    elif not supply(state).is_eligible_port(Side.JAPAN, RANGOON):
        yield Refusal(_RULE, f"Rangoon {RANGOON} is not supply eligible")
    if not _joins_rangoon(state):
        yield Refusal(_RULE, f"no open transport route leads from Imphal {IMPHAL} to Rangoon")


def _joins_rangoon(state: State) -> bool:
    """Return whether the Imphal route would connect Imphal to Rangoon through hexes that Japan controls (13.77C)."""
    neighbours = route_neighbours(state)
    # The route through Imphal is not built yet, so ``neighbours`` does not contain its hexsides.
    first_hexes = tuple(
        route_hex
        for route in board().routes
        if IMPHAL in route.hexes
        for route_hex in route.hexes
        if route_hex != IMPHAL and route_hex not in state.tracks.no_transport_route
    )
    if not _is_open(state, IMPHAL):
        return False
    seen_hexes, waiting_hexes = {IMPHAL}, [at for at in first_hexes if _is_open(state, at)]
    while waiting_hexes:
        hex_id = waiting_hexes.pop()
        if hex_id == RANGOON:
            return True
        seen_hexes.add(hex_id)
        waiting_hexes += [
            at for at in neighbours.get(hex_id, ()) if at not in seen_hexes and _is_open(state, at)
        ]
    return False


def _is_open(state: State, hex_id: HexId) -> bool:
    return controls(state, Side.JAPAN, hex_id) and not is_solely_enemy_occupied(
        state, Side.JAPAN, hex_id
    )


def route_hexes(state: State, side: Side) -> tuple[HexId, ...]:
    """Return the hexes where a side can build a transport route now, in ascending order (13.77)."""
    return tuple(
        hex_id
        for hex_id in board().areas[BUILDABLE].hexes
        if next(build_route_refusals(state, side, hex_id), None) is None
    )
