"""Damage to US ships (12.1, 12.5)."""

from collections.abc import Iterable
from typing import Final

from engine.cbps.air.ch04_fuel import lose_unit
from engine.cbps.events.fleet import DeckCrashed, DeckInoperative, ShipHit, ShipSunk
from engine.cbps.ids import Box
from engine.cbps.locations import units_aboard, units_at
from engine.cbps.run import Run
from engine.cbps.state import State

_ARMED_BOXES: Final[tuple[Box, ...]] = ("ready", "servicing")
_LOSS_ORDER: Final[tuple[tuple[tuple[Box, ...], int], ...]] = (
    (("ready", "landed"), 1),
    (("servicing",), 1),
    (("hangar",), 2),
)
"""Boxes in the order in which hits eliminate their units, with the number of hits that each unit absorbs (12.14)."""


def units_in_boxes(state: State, carrier: str, boxes: Iterable[Box]) -> tuple[str, ...]:
    """Return the air units in the given boxes on a carrier (6.21)."""
    return tuple(unit for box in boxes for unit in units_at(state, box, carrier))


def hit_us_ship(run: Run, ship: str, hits: int, cause: str, *, is_fatal: bool = False) -> None:
    """Apply hits to a US ship, its deck and the units aboard, or sink it (12.11-12.14, 12.5).

    Hits on a sunk ship have no effect.

    Args:
        run: The command being carried out.
        ship: Any US ship unit.
        hits: Number of hits, at least 0.
        cause: ``raid``, ``fire``, ``submarine`` or ``gunfire``.
        is_fatal: True if the ship sinks even with fewer hits than its capacity (21.25).
    """
    if hits <= 0 or run.state.ships[ship].is_sunk:
        return
    row = run.state.game_data.us_ships[ship]
    # Look up these units first, because the hits may eliminate them.
    is_armed = row.is_carrier and bool(units_in_boxes(run.state, ship, _ARMED_BOXES))
    run.add(ShipHit(ship=ship, hits=hits, why=cause, is_armed=is_armed))
    if is_fatal or run.state.ships[ship].hits >= row.damage_capacity:
        sink_us_ship(run, ship)
    elif row.is_carrier:
        if not run.state.ships[ship].is_inoperative:
            run.add(DeckInoperative(ship=ship))
        _lose_units(run, ship, hits)


def sink_us_ship(run: Run, ship: str) -> None:
    """Sink a ship with all units aboard (12.11, 12.14)."""
    for unit in units_aboard(run.state, ship):
        lose_unit(run, unit, "sunk")
    run.add(ShipSunk(ship=ship))


def _lose_units(run: Run, carrier: str, hits: int) -> None:
    """Eliminate units aboard, one per hit on deck or in servicing. A unit in the hangar absorbs two hits (12.14)."""
    need = hits
    while need > 0:
        for boxes, counts in _LOSS_ORDER:
            if lost_units := units_in_boxes(run.state, carrier, boxes):
                lose_unit(run, run.pick(lost_units, "12.14", carrier), "damage")
                need -= counts
                break
        else:
            return


def repair_decks(run: Run) -> None:
    """Roll to remove Inoperative and Deck Crash markers. No other damage is ever repaired (4.453, 12.13, 12.15)."""
    charts = run.state.game_data.charts
    for name, ship in run.state.ships.items():
        if (
            ship.is_inoperative
            and not ship.is_hit_now
            and run.roll_on_chart(charts.inoperative_deck_repair, name) == "remove"
        ):
            run.add(DeckInoperative(ship=name, is_inoperative=False))
        if ship.is_crashed and run.roll_on_chart(charts.deck_crash_clear, name) == "remove":
            run.add(DeckCrashed(ship=name, is_crashed=False))
