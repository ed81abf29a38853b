"""Replacement steps: how many are available, and which units they may be spent on (11)."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from engine.eots.board import area_of, board
from engine.eots.ch06_supply.control import controls
from engine.eots.ch06_supply.supply import is_kunming_source, supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.counters import Counter, counters
from engine.eots.data.scenarios_file import Scenario, TurnReplacements
from engine.eots.data.schedules_file import ConditionalSteps
from engine.eots.events.tracks import JapanPointsSet, PoolsSet
from engine.eots.flow import EotsRun
from engine.eots.ids import (
    CHINA_BOX,
    AreaId,
    CommonwealthNation,
    Nationality,
    NationId,
    Pool,
    ScenarioId,
    Side,
    UnitId,
)
from engine.eots.rulings import OAHU_EVEN_TURNS, OAHU_POINTS
from engine.eots.scenarios import replacements, scenario, schedules
from engine.eots.state import ELIMINATED, Pools, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.sentences import pluralise

CHINA: Final = NationId("china")
AUSTRALIA: Final = NationId("australia")
CHINA_COAST: Final = AreaId("china-coast")
KOREA_PORTS: Final = AreaId("korea-ports")
ALLIED_POOLS: Final = (
    Pool.ALLIED_GROUND,
    Pool.ALLIED_AIR,
    Pool.US_NAVAL,
    Pool.CW_NAVAL,
    Pool.CHINA_GROUND,
)
JAPAN_POOLS: Final = (Pool.JAPAN_GROUND, Pool.JAPAN_AIR, Pool.JAPAN_NAVAL)
POOLS_OF: Final[Mapping[Side, tuple[Pool, ...]]] = {
    Side.ALLIED: ALLIED_POOLS,
    Side.JAPAN: JAPAN_POOLS,
}
_FIELDS: Final = {
    Pool.ALLIED_GROUND: "allied_ground",
    Pool.ALLIED_AIR: "allied_air",
    Pool.US_NAVAL: "us_naval",
    Pool.CW_NAVAL: "cw_naval",
    Pool.CHINA_GROUND: "china_ground",
    Pool.JAPAN_GROUND: "japan_ground",
}

_POOL_RULES: Final = {
    Pool.ALLIED_GROUND: (Rule("11.31"), "US and Commonwealth ground units"),
    Pool.ALLIED_AIR: (Rule("11.32"), "Allied air units"),
    Pool.US_NAVAL: (Rule("11.33"), "US naval units"),
    Pool.CW_NAVAL: (Rule("11.33"), "Commonwealth naval units"),
    Pool.CHINA_GROUND: (Rule("11.34"), "Chinese units"),
    Pool.JAPAN_NAVAL: (Rule("11.21"), "Japanese naval units"),
    Pool.JAPAN_AIR: (Rule("11.22"), "Japanese air units"),
    Pool.JAPAN_GROUND: (Rule("11.23"), "Japanese ground units"),
}
"""For each pool, its rule and the units that may receive its steps, as text for players."""

_NATIONS: Final = {"us": "US", "cw": "Commonwealth", "china": "Chinese", "japan": "Japanese"}
"""First word of a pool's display name."""


# -- sources of steps


def _current_scenario(state: State) -> Scenario:
    return scenario(ScenarioId(state.scenario))


def _turn_replacements(state: State) -> TurnReplacements | None:
    """Return the chart's row for this turn; None if the chart has no such row."""
    rows = replacements(_current_scenario(state))
    return next((row for row in rows if row.turn == state.turn), None)


def allied_pools(state: State) -> Pools:
    """Return this turn's Allied replacement steps (11.31, 11.32, 11.33, 11.34; J-15 and J-82)."""
    row = _turn_replacements(state)
    if row is None:
        return Pools()
    # CP-26: the losses from both cards are added up, and the result is never below 0.
    ground = max(0, row.allied.ground - state.tracks.replacement_loss.get(str(state.turn), 0))
    return Pools(
        allied_ground=ground,
        allied_air=row.allied.air,
        us_naval=_charted_us_naval(state, row) + _conditional_steps(state, Pool.US_NAVAL),
        cw_naval=_conditional_steps(state, Pool.CW_NAVAL),
        china_ground=0 if CHINA in state.tracks.surrendered else row.allied.china,
    )


def _conditions(state: State, pool: Pool) -> tuple[ConditionalSteps, ...]:
    """Return the chart rows for steps that depend on control; empty if the scenario has its own schedule (17.10.5H)."""
    if _current_scenario(state).own_replacements is not None:
        return ()
    return tuple(row for row in schedules().replacements.conditional if row.pool is pool)


def _conditional_steps(state: State, pool: Pool) -> int:
    """Return the number of steps that a pool gains because its side controls certain bases (11.33)."""
    return sum(
        row.steps
        for row in _conditions(state, pool)
        if state.turn in row.turns and _controls_any(state, row)
    )


def _controls_any(state: State, row: ConditionalSteps) -> bool:
    return any(controls(state, row.side, hex_id) for hex_id in row.controls_one_of)


def _charted_us_naval(state: State, row: TurnReplacements) -> int:
    """Return the US naval steps on the chart for this turn (11.33).

    Only under the alternative reading do they depend on Oahu (OPB-31).
    """
    conditions = _conditions(state, Pool.US_NAVAL)
    if OAHU_EVEN_TURNS.uses_alternative(state.options) and not all(
        _controls_any(state, condition) for condition in conditions
    ):
        return 0
    return row.allied.us_naval


def japan_points(state: State) -> tuple[int, int]:
    """Return Japan's naval and air points: saved points plus this turn's points (11.21, 11.22)."""
    row = _turn_replacements(state)
    tracks = state.tracks
    if row is None:
        return tracks.japan_naval_points, tracks.japan_air_points
    return tracks.japan_naval_points + row.japan.naval, tracks.japan_air_points + row.japan.air


def is_china_cut_off(state: State) -> bool:
    """Return whether the Allies control every port in China and Korea, so that no division can leave (13.71-5)."""
    ports = (*area_of(state.options, CHINA_COAST).ports, *board().areas[KOREA_PORTS].ports)
    return all(controls(state, Side.ALLIED, hex_id) for hex_id in ports)


def max_divisions(state: State) -> int:
    """Return how many divisions may leave China this turn, whether or not their steps are of use (11.23, 17.10.5G)."""
    if is_china_cut_off(state):
        return 0
    rule = schedules().replacements.japan_ground
    max_steps = rule.highest_steps if state.turn in rule.turns else 0
    if _current_scenario(state).own_replacements is not None:
        row = _turn_replacements(state)
        max_steps = 0 if row is None else row.japan.ground
    return min(max_steps, state.tracks.divisions_in_china)


# -- steps in the pools


def steps_in_pool(state: State, pool: Pool) -> int:
    """Return the number of replacement steps left in a pool (11)."""
    if pool is Pool.JAPAN_AIR:
        return state.tracks.japan_air_points
    if pool is Pool.JAPAN_NAVAL:
        return state.tracks.japan_naval_points
    return expiring_steps(state.pools, pool)


def expiring_steps(pools: Pools, pool: Pool) -> int:
    """Return the steps in a pool that are lost unless they are spent now.

    This is 0 for Japan's naval and air points, which can be saved (11.2).
    """
    count: int = getattr(pools, _FIELDS[pool]) if pool in _FIELDS else 0
    return count


def spend_steps(run: EotsRun, pool: Pool, steps: int) -> None:
    """Deduct steps from a pool (11)."""
    state = run.state
    naval, air = state.tracks.japan_naval_points, state.tracks.japan_air_points
    match pool:
        case Pool.JAPAN_AIR:
            run.add(JapanPointsSet(naval=naval, air=air - steps))
        case Pool.JAPAN_NAVAL:
            run.add(JapanPointsSet(naval=naval - steps, air=air))
        case _:
            pool_after = {_FIELDS[pool]: steps_in_pool(state, pool) - steps}
            run.add(PoolsSet(pools=replace(state.pools, **pool_after)))


# -- eligible units


def can_receive(state: State, pool: Pool, counter: Counter) -> bool:
    """Return whether a unit may receive steps from a pool (11.2, 11.3).

    US naval points are for US units only. Under the alternative reading, they are for all Allied naval units (OPB-12).
    """
    own_pool = counter.replacement_pool
    if pool is Pool.US_NAVAL and own_pool is Pool.CW_NAVAL:
        return OAHU_POINTS.uses_alternative(state.options)
    return own_pool is pool


def recipient_refusals(state: State, pool: Pool, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not receive a step from one of this turn's pools (11.1-11.35, CP-26)."""
    yield from kind_refusals(state, pool, unit)
    if _is_barred_commonwealth(state, pool, counters()[unit]):
        yield Refusal(Rule("11.31"), "no ground step may go to the Commonwealth this turn")


def kind_refusals(state: State, pool: Pool, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why steps of a given kind cannot be used for a unit, whatever their source (11.1-11.35)."""
    counter = counters()[unit]
    if counter.prewar:
        yield Refusal(Rule("11.1"), f"{unit} is a pre-war unit")
    if counter.nationality is Nationality.DUTCH:
        yield Refusal(Rule("11.35"), f"{unit} is Dutch")
    if not counter.prewar and not can_receive(state, pool, counter):
        rule, unit_text = _POOL_RULES[pool]
        yield Refusal(Rule("11.0"), f"{pool} steps are not for {unit}")
        if counter.nationality is Nationality.CHINA:
            yield Refusal(Rule("11.34"), "Chinese units can only take Chinese steps")
        else:
            yield Refusal(rule, f"{pool} steps are for {unit_text}")


def _is_barred_commonwealth(state: State, pool: Pool, counter: Counter) -> bool:
    """Return whether J-15 or J-82 withholds this turn's ground steps from a Commonwealth unit (CP-26)."""
    return (
        pool is Pool.ALLIED_GROUND
        and counter.nationality is Nationality.COMMONWEALTH
        and state.tracks.replacement_loss.get(str(state.turn), 0) > 0
    )


def point_refusals(state: State, pool: Pool, steps: int) -> Iterator[Refusal]:
    """Refuse to spend more steps than a pool contains (11.0)."""
    if steps_in_pool(state, pool) < steps:
        remainder = pluralise(
            steps_in_pool(state, pool), f"{pool} step is left", f"{pool} steps are left"
        )
        yield Refusal(Rule("11.0"), remainder)


def repairable_unit_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot be flipped to full strength in its current hex (11.0-2)."""
    piece, counter = state.units[unit], counters()[unit]
    if not piece.is_on_map and piece.at != CHINA_BOX:
        yield Refusal(Rule("11.0"), f"{unit} is not on the map")
        return
    if piece.steps >= counter.max_steps:
        yield Refusal(Rule("11.0"), f"{unit} is at full strength")
    if not supply(state).is_supplied(unit):
        yield Refusal(Rule("11.0"), f"{unit} is out of supply")
    hex_index = board().index.get(piece.at)  # type: ignore[call-overload]  # the China box is not a hex
    if hex_index is not None and zoi(state).is_unneutralised(counter.side.enemy, hex_index):
        yield Refusal(Rule("11.0"), f"{unit} is in an unneutralised enemy zone of influence")


def returnable_unit_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not be returned to play with replacement steps (11.0, 13.75, 13.83)."""
    counter = counters()[unit]
    if state.units[unit].at != ELIMINATED:
        yield Refusal(Rule("11.0"), f"{unit} is not eliminated")
    if counter.cw_nation is CommonwealthNation.AUSTRALIAN and AUSTRALIA in state.tracks.surrendered:
        yield Refusal(Rule("13.83"), "Australia has surrendered, so its lost units do not return")
    if counter.nationality is Nationality.CHINA and not is_kunming_source(state):
        yield Refusal(Rule("11.34"), "Kunming is not a supply source, so no Chinese unit returns")


def pool_name(pool: str) -> str:
    """Return the display name for a kind of replacement steps, such as ``US naval``."""
    side, _, family = pool.partition("-")
    return f"{_NATIONS.get(side, side.title())} {family}"
