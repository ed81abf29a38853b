"""Random draws for a force: level-1 chits, and rolls for the higher levels (7.35-7.41)."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from msgspec.structs import replace

from engine.cbps.charts.chart import Cell
from engine.cbps.charts.results import (
    CarrierCount,
    CarrierSection,
    LevelOneChit,
    LevelTwo,
    SurfaceSize,
    parse_carrier_mix,
)
from engine.cbps.data.orbat_file import LevelThreeChit
from engine.cbps.data.scenarios_file import TableModifiers
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import ChitsReturned, ChitTaken
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import D10, FALSE_CONTACT, SURFACE
from engine.cbps.intelligence.ch07_pool import is_kido_butai_free
from engine.cbps.rulings import EMPTY_CUP, SUSPECT_ROW
from engine.cbps.run import Run
from engine.cbps.state import State

LEVEL_1_CHIT_ORDER: Final[tuple[str, ...]] = get_args(LevelOneChit)
"""The order in which level-1 chits are listed for a random draw."""
KIDO_BUTAI: Final = "Kido Butai"
SURFACE_SIZES: Final[tuple[str, ...]] = get_args(SurfaceSize)
_NOTE_1: Final = {False: "Medium Surface", True: "1-2 Carriers"}
"""The level-2 chit given by note 1. The key is True if the force has a Known Air Strength (7.36)."""
_NOTE_2: Final = {
    "Large": "Large Surface",
    "Medium": "Medium Surface",
    "Small": "Small Surface",
    SURFACE: "Medium Surface",
}
"""The level-2 chit given by note 2 for each level-1 chit, once the limit has been reached (7.36)."""
_NOTE_3: Final = "2-3 Carriers"
_SUSPECT_ROW: Final = ("1-2 Carriers", "8-10")
_SHIFTED_RESULTS: Final = (
    (5, CarrierCount(0, 2)),
    (8, CarrierCount(1, 0)),
    (10, CarrierCount(2, 0)),
)
"""The suspect row of the level-3 chart with shifted results (OP-57): pairs of the highest total and its result."""
_KIDO_BUTAI_CANDIDATES: Final = ("3-4 Carriers", "4+ Carriers")
"""Level-2 chits that may turn out to be the Kido Butai (Scenario 9)."""


def draw_level_1(run: Run, name: str) -> str:
    """Draw a level-1 chit for a force (7.35). If the cup is empty, refill it with the chits set aside (OP-24).

    Returns:
        The chit, or False Contact if no chits are left.
    """
    chits = _expand_pile(run.state.level_1_cup)
    if not chits and not EMPTY_CUP.uses_alternative(run.state.options):
        chits = _expand_pile(run.state.set_aside)
        if chits:
            run.add(ChitsReturned(chits=chits))
    if not chits:
        return FALSE_CONTACT
    chit = run.pick(chits, "7.35", name)
    run.add(ChitTaken(chit=chit, force=name))
    return chit


def _expand_pile(pile: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(chit for chit in LEVEL_1_CHIT_ORDER for _ in range(pile.get(chit, 0)))


def is_carrier_chit(chit: str) -> bool:
    """Return whether a level-2 chit is a carrier chit (7.331)."""
    return chit not in SURFACE_SIZES


def read_level_2(run: Run, name: str, *, is_limit_step: bool = False) -> str:
    """Roll for the level-2 chit of a level-1 force (7.36, OP-58).

    Args:
        run: The command being carried out.
        name: The force.
        is_limit_step: True if the roll is part of the 13.23 procedure, which ignores notes 2 and 3.
    """
    state = run.state
    force, charts = state.forces[name], state.game_data.charts
    strength = known_strength(force)
    drm = 0 if strength is None else charts.known_air_strength_modifier.look_up(strength).result
    modifiers = (Modifier(id="known_air_strength", drm=drm),) if drm else ()
    die = run.dice.roll(D10)
    cell = charts.l1_to_l2.look_up(die + drm, force.chit)
    chit_result = level_2_result(state, name, cell, is_limit_step=is_limit_step)
    by_note = "" if chit_result == cell.result else " by a note"
    run.record_result(
        charts.l1_to_l2,
        name,
        f"{chit_result}{by_note}",
        die,
        modifiers,
        force.chit,
        is_assumed=cell.is_assumed,
    )
    return chit_result


def level_2_result(
    state: State,
    name: str,
    cell: Cell[LevelTwo | Literal["note1"]],
    *,
    is_limit_step: bool = False,
) -> str:
    """Return the level-2 chit that a chart cell gives a force, with the notes applied (7.36, OP-58)."""
    force = state.forces[name]
    result: str = cell.result
    if result == "note1":
        return _NOTE_1[known_strength(force) is not None]
    return result if is_limit_step else _apply_notes(state, force.chit, result, cell.note)


def _apply_notes(state: State, chit: str, result: str, note: str) -> str:
    """Return the result after applying notes 2 to 4 (7.36)."""
    if state.limit_reached and _has_note(note, 2) and is_carrier_chit(result):
        return _NOTE_2[chit]
    if not _has_note(note, 3):
        return result
    if state.limit_reached:
        return _NOTE_3
    if result in _KIDO_BUTAI_CANDIDATES and is_kido_butai_free(state):
        return KIDO_BUTAI
    return result


def _has_note(note: str, number: int) -> bool:
    """Return whether a chart cell refers to the footnote with this number."""
    return f"({number})" in note or f"note {number}" in note


def read_level_3(run: Run, name: str) -> str:
    """Roll for the level-3 chit of a level-2 carrier force (7.37, 7.38).

    In Scenario 9, a modifier applies to the roll.
    """
    state = run.state
    force = state.forces[name]
    if force.is_kido_butai:
        return KIDO_BUTAI
    chart = state.game_data.charts.l2_to_l3_carrier
    section: CarrierSection = force.chit  # type: ignore[assignment]  # level-2 carrier chits are its sections
    strength = known_strength(force)
    modifiers = scenario_modifiers(state, "l2_to_l3_carrier")
    die = run.dice.roll(D10)
    cell = level_3_cell(state, section, strength, die + sum(modifier.drm for modifier in modifiers))
    column = f"{section}, {chart.row_for(section, strength).label}"
    run.record_result(chart, name, cell.result, die, modifiers, column, is_assumed=cell.is_assumed)
    return run.pick(nearest_level_3_chits(state, cell.result), "7.38", name)


def level_3_cell(
    state: State, section: CarrierSection, strength: int | None, total: int
) -> Cell[CarrierCount]:
    """Return the cell of the level-3 chart for a modified die roll and a Known Air Strength (7.37, OP-57)."""
    chart = state.game_data.charts.l2_to_l3_carrier
    cell = chart.look_up(total, section, strength)
    is_suspect = (section, chart.row_for(section, strength).label) == _SUSPECT_ROW
    if not (is_suspect and SUSPECT_ROW.uses_alternative(state.options)):
        return cell
    result = next(
        (count for max_total, count in _SHIFTED_RESULTS if total <= max_total),
        _SHIFTED_RESULTS[-1][1],
    )
    return replace(cell, result=result)


def scenario_modifiers(state: State, chart: str) -> tuple[Modifier, ...]:
    """Return a scenario's modifier for a chart, or an empty tuple if it has none (7.37, 7.41)."""
    table: TableModifiers | None = state.game_data.scenarios[state.scenario].table_modifiers
    drm = 0 if table is None else {str(key): drm for key, drm in table.charts.items()}.get(chart, 0)
    return (Modifier(id="scenario_9", drm=drm, is_assumed=True),) if drm else ()


def nearest_level_3_chits(state: State, carrier_count: CarrierCount) -> list[str]:
    """Return the available level-3 chits closest to a result: an exact match, or all that are equally close (7.38)."""
    used_chits = [force.chit for force in state.forces.values() if force.level == 3]  # noqa: PLR2004  # 7.38
    chits = [chit for chit in state.game_data.level_three.values() if chit.scenario is None]
    free_chits = [chit for chit in chits if used_chits.count(chit.id) < chit.count] or chits
    min_difference = min(_chit_difference(chit, carrier_count) for chit in free_chits)
    return [
        candidate.id
        for candidate in free_chits
        if _chit_difference(candidate, carrier_count) == min_difference
    ]


def _chit_difference(chit: LevelThreeChit, carrier_count: CarrierCount) -> int:
    return abs(chit.cv - carrier_count.cv) + abs(chit.cvl - carrier_count.cvl)


def read_level_4(run: Run, name: str) -> CarrierCount:
    """Roll for the carriers of a level-3 carrier force (7.41). In Scenario 9, a modifier applies to the roll."""
    state = run.state
    modifiers = scenario_modifiers(state, "l3_to_l4")
    chart = state.game_data.charts.l3_to_l4
    return parse_carrier_mix(run.roll_on_column(chart, state.forces[name].chit, name, modifiers))
