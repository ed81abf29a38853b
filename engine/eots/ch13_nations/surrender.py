"""Surrender and recapture of the Philippines, Malaya, the Indies, Burma, India and Australia (13.1-13.6, 13.8).

The rules are 13.2 for the Philippines, 13.3 for Malaya, 13.4 for the Indies and 13.5 for Burma.
"""

from collections.abc import Callable, Iterator
from typing import Final

from engine.eots.board import area_of
from engine.eots.ch06_supply.control import controls, is_vacant_for, units_at
from engine.eots.ch13_nations.india import INDIA, NORTH, is_in_revolt, surrender_india
from engine.eots.ch13_nations.penalties import PENALTIES, note_recapture, note_surrender
from engine.eots.ch13_nations.regions import MANDATES, gain_control
from engine.eots.counters import Counter, counters
from engine.eots.events.units import UnitEliminated, UnitRemoved
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, HexId, Nationality, NationId, Side, UnitId
from engine.eots.rulings import AUSTRALIA_MANDATES
from engine.eots.state import REMOVED, State
from engine.eots.unit_removal import remove_hq
from engine.kernel.ids import Rule

PHILIPPINES: Final = NationId("philippines")
MALAYA: Final = NationId("malaya")
INDIES: Final = NationId("dutch-east-indies")
BURMA: Final = NationId("burma")
AUSTRALIA: Final = NationId("australia")
_CONTROL: Final = Rule("13.1")
_HOLDERS: Final = frozenset({Nationality.US, Nationality.COMMONWEALTH})
"""Nationalities whose ground units keep a base in the Indies under Allied control when the Indies surrender (13.42)."""


def decisive_hexes(state: State, nation: NationId) -> tuple[HexId, ...]:
    """Return the hexes whose control determines a nation's surrender and recapture (table 13-S, 13.82, OPB-14)."""
    if nation == INDIA:
        return area_of(state.options, NORTH).hexes
    hexes = area_of(state.options, AreaId(nation))
    return hexes.bases if nation == AUSTRALIA else hexes.control_hexes


def surrendering_nations(state: State) -> tuple[NationId, ...]:
    """Return the nations that surrender in this National Status Segment, in the order of table 13-S."""
    return tuple(nation for nation in _EFFECTS if _surrenders(state, nation))


def _surrenders(state: State, nation: NationId) -> bool:
    if nation in state.tracks.surrendered:
        return False  # 13.1-4
    if nation == INDIA:
        return is_in_revolt(state)
    return all(controls(state, Side.JAPAN, hex_id) for hex_id in decisive_hexes(state, nation))


def apply_surrender(run: EotsRun, nation: NationId) -> None:
    """Apply a nation's surrender. Emergency moves and evacuations are handled later (13.1, table 13-S)."""
    note_surrender(run, nation)
    _EFFECTS[nation](run)


def _remove_units(run: EotsRun, rule: Rule, is_selected: Callable[[Counter], bool]) -> None:
    """Remove all matching units from the game, whether on or off the map."""
    for unit, piece in sorted(run.state.units.items()):
        if is_selected(counters()[unit]) and piece.at != REMOVED:
            run.add(UnitRemoved(rule=rule, unit=unit))


def _allied_units_in(state: State, name: AreaId) -> Iterator[UnitId]:
    units_by_place = units_at(state)
    for hex_id in area_of(state.options, name).hexes:
        for unit in units_by_place.get(hex_id, ()):
            if counters()[unit].side is Side.ALLIED:
                yield unit


def _surrender_philippines(run: EotsRun) -> None:
    """Give Japan the islands and remove the Allied units. US air and naval units stay, but must leave later (13.22)."""
    rule = Rule("13.22")
    for unit in tuple(_allied_units_in(run.state, AreaId(PHILIPPINES))):
        counter = counters()[unit]
        if counter.is_hq:
            remove_hq(run, unit, rule)
        elif counter.is_ground:
            run.add(UnitRemoved(rule=rule, unit=unit))
        elif counter.nationality is not Nationality.US:
            run.add(UnitEliminated(rule=rule, unit=unit))
    gain_control(run, Side.JAPAN, area_of(run.state.options, AreaId(PHILIPPINES)).bases, _CONTROL)


def leaving_philippines(state: State) -> tuple[UnitId, ...]:
    """Return the US air and naval units that must leave the surrendered islands, sorted by id (13.22)."""
    return tuple(
        sorted(
            unit
            for unit in _allied_units_in(state, AreaId(PHILIPPINES))
            if counters()[unit].nationality is Nationality.US
            and (counters()[unit].is_air or counters()[unit].is_naval)
        )
    )


def _surrender_malaya(run: EotsRun) -> None:
    """Do nothing. The surrender affects only Political Will (13.32)."""


def _surrender_indies(run: EotsRun) -> None:
    """Remove the Dutch units, and give Japan every base without a US or Commonwealth ground unit (13.42)."""
    _remove_units(run, Rule("13.42"), lambda counter: counter.nationality is Nationality.DUTCH)
    state = run.state
    units_by_place = units_at(state)
    free_bases = (
        hex_id
        for hex_id in area_of(state.options, AreaId(INDIES)).bases
        if not any(
            counters()[unit].is_ground and counters()[unit].nationality in _HOLDERS
            for unit in units_by_place.get(hex_id, ())
        )
    )
    gain_control(run, Side.JAPAN, free_bases, Rule("13.42"))


def _surrender_burma(run: EotsRun) -> None:
    """Remove the Burmese units (13.52)."""
    _remove_units(run, Rule("13.52"), lambda counter: counter.burma)


def _surrender_australia(run: EotsRun) -> None:
    """Give Japan the Australian and Mandates bases without Allied units (13.81, 13.1-3, OPB-38)."""
    state = run.state
    bases = area_of(state.options, AreaId(AUSTRALIA)).bases
    if not AUSTRALIA_MANDATES.uses_alternative(state.options):
        bases += area_of(state.options, MANDATES).bases
    free_bases = (hex_id for hex_id in bases if is_vacant_for(state, Side.ALLIED, hex_id))
    gain_control(run, Side.JAPAN, free_bases, _CONTROL)


_EFFECTS: Final = {
    PHILIPPINES: _surrender_philippines,
    MALAYA: _surrender_malaya,
    INDIES: _surrender_indies,
    BURMA: _surrender_burma,
    INDIA: surrender_india,
    AUSTRALIA: _surrender_australia,
}
"""The effect of each nation's surrender, in the order of table 13-S.

China is omitted: it surrenders on its track (13.73).
"""


def recaptured_nations(state: State) -> tuple[NationId, ...]:
    """Return the nations recaptured in this National Status Segment, in the order of their surrender (13.1-5)."""
    return tuple(
        nation
        for nation in state.tracks.surrendered
        if nation in _EFFECTS
        and nation in PENALTIES
        and nation not in state.tracks.recaptured
        and all(controls(state, Side.ALLIED, hex_id) for hex_id in decisive_hexes(state, nation))
    )


def apply_recapture(run: EotsRun, nation: NationId) -> None:
    """Give the Allies a nation's bases without Japanese units, and restore Political Will (13.1-5, 16.41)."""
    note_recapture(run, nation)
    state = run.state
    free_bases = (
        hex_id
        for hex_id in area_of(state.options, AreaId(nation)).bases
        if is_vacant_for(state, Side.JAPAN, hex_id)
    )
    gain_control(run, Side.ALLIED, free_bases, _CONTROL)
