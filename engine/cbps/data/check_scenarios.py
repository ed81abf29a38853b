"""Checks that turns are consecutive, that ships, units and hexes exist, and that thresholds and levels are in order."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from engine.cbps.data.check_counters import duplicates
from engine.cbps.data.orbat_file import AirUnitRow, JapaneseShip, UsShipRow
from engine.cbps.data.reading import Sources
from engine.cbps.data.scenarios_file import FILE, RaidSetup, Scenario, ShipPool, Turn, UsSetup
from engine.cbps.data.tables_file import Charts
from engine.cbps.data.verdicts import VERDICTS

Problem: TypeAlias = tuple[str, str, str]
FIRST_FULL_GAME: Final = 6
"""The first scenario with submarines, Guam and commitment (13.0, 14.0)."""
PHASES: Final = 4
DAYS: Final = ("19 June", "20 June")


class _KnownData(NamedTuple):
    """The data that scenarios may refer to."""

    charts: Charts
    hexes: frozenset[str]
    islands: frozenset[str]
    zones: frozenset[str]
    ships: Mapping[str, UsShipRow]
    units: Mapping[str, AirUnitRow]
    groups: frozenset[str]
    submarines: frozenset[str]
    japanese: Mapping[str, JapaneseShip]
    letters: frozenset[str]


def scenario_problems(sources: Sources) -> Iterator[Problem]:
    """Yield the errors found in the scenarios."""
    known_data = _known_data(sources)
    content = sources.scenarios
    if [scenario.id for scenario in content.scenarios] != list(range(1, 10)):
        yield FILE, "scenarios", "the scenarios must be 1 to 9, each once and in order"
    for boat, name in content.common.historical_submarines.hexes.items():
        path = f"scenarios.common.historical_submarines.hexes.{boat}"
        if name not in known_data.hexes:
            yield FILE, path, f"there is no hex '{name}'"
        if boat not in known_data.submarines:
            yield FILE, path, "there is no such submarine"
    for scenario in content.scenarios:
        faults = (
            *_turn_problems(scenario, known_data),
            *_us_problems(scenario, known_data),
            *_japanese_problems(scenario, known_data),
            *_victory_problems(scenario),
        )
        for path, problem in faults:
            yield FILE, f"scenarios.{scenario.id}.{path}", problem


def _known_data(sources: Sources) -> _KnownData:
    us, japan = sources.counters.us, sources.counters.japan
    pools = (japan.carriers, japan.battleships, japan.cruiser_forces, japan.destroyer_forces)
    hexes = sources.map.hexes
    return _KnownData(
        charts=sources.tables.tables,
        hexes=frozenset(hexes),
        islands=frozenset(name for name, row in hexes.items() if row.island is not None),
        zones=frozenset(zone.id for zone in sources.map.arrival.zones),
        ships={ship.id: ship for ship in us.ships},
        units={unit.id: unit for unit in us.air_units},
        groups=frozenset(group.id for group in us.task_groups),
        submarines=frozenset(boat.id for boat in us.submarines),
        japanese={ship.id: ship for pool in pools for ship in pool},
        letters=frozenset(japan.force_markers.letters),
    )


def _turn_problems(scenario: Scenario, known_data: _KnownData) -> Iterator[tuple[str, str]]:
    """Yield errors in the turns, which must be consecutive."""
    labels = [turn.label for turn in known_data.charts.turn_track.turns]
    track = [(day, label) for day in DAYS for label in labels]
    places = [_turn_index(track, turn) for turn in scenario.turns]
    if not places or None in places:
        yield "turns", "the turns must be those of turn_track on 19 June or 20 June"
        return
    first_turn = places[0] or 0
    if places != list(range(first_turn, first_turn + len(places))):
        yield "turns", "the turns are not consecutive"
    phases = PHASES * len(places) - (scenario.start_phase - 1) - (PHASES - scenario.end_phase)
    if phases != scenario.length_action_phases:
        yield "length_action_phases", f"its turns must have {phases} action phases"
    if scenario.refuelling is not None:
        for field in ("oilers_arrive", "oilers_leave"):
            if getattr(scenario.refuelling, field) not in scenario.turns:
                yield f"refuelling.{field}", "this is not a turn of the scenario"


def _turn_index(track: list[tuple[str, str]], turn: Turn) -> int | None:
    return track.index(turn) if turn in track else None


def _us_problems(scenario: Scenario, known_data: _KnownData) -> Iterator[tuple[str, str]]:
    us = scenario.us
    if us.task_force_58_hex not in known_data.hexes - known_data.islands:
        yield "us.task_force_58_hex", f"'{us.task_force_58_hex}' is not a sea hex (2.12)"
    for group in us.task_groups:
        if group not in known_data.groups:
            yield "us.task_groups", f"there is no task group '{group}'"
    for group in us.aa_totals:
        if group not in us.task_groups:
            yield f"us.aa_totals.{group}", "this group is not in play"
    if sorted(us.submarines) != sorted(set(us.submarines) & known_data.submarines):
        yield "us.submarines", "a submarine is unknown or appears twice"
    if us.submarines and scenario.id < FIRST_FULL_GAME:
        yield "us.submarines", f"there are none before scenario {FIRST_FULL_GAME} (14.11)"
    extra_carrier = us.extra_carrier
    if extra_carrier is not None:
        ship = known_data.ships.get(extra_carrier.id)
        if ship is None or not ship.is_carrier or extra_carrier.tg not in us.task_groups:
            yield "us.extra_carrier", "no such carrier can join this group"
    yield from _unit_problems(us, known_data)


def _unit_problems(us: UsSetup, known_data: _KnownData) -> Iterator[tuple[str, str]]:
    """Yield an error for each unit that is unknown, used twice, in the wrong group, or over a limit."""
    placed_units: list[tuple[str, str, str | None]] = [
        ("us.ready", name, None) for name in us.ready
    ]
    placed_units += [("us.cap", name, patrol.tg) for patrol in us.cap for name in patrol.units]
    placed_units += [
        (f"us.strikes.{patrol.id}", name, patrol.tg)
        for patrol in us.strikes
        for name in patrol.units
    ]
    for path, name, group in placed_units:
        unit = known_data.units.get(name)
        if unit is None:
            yield path, f"there is no air unit '{name}'"
        elif group is not None and known_data.ships[unit.carrier].tg != group:
            yield path, f"'{name}' does not belong to {group}"
        elif path == "us.cap" and not unit.type.startswith("F6F"):
            yield path, f"'{name}' is not a fighter (4.33)"
    for name in duplicates(name for _, name, _ in placed_units):
        yield "us", f"'{name}' appears twice"
    limit = known_data.charts.constants.value("cap_units_per_task_group")
    for cap in us.cap:
        if len(cap.units) > limit:
            yield "us.cap", f"{cap.tg} has more than {limit} units in its CAP box (4.33)"
    carriers = Counter(
        known_data.units[name].carrier for name in us.ready if name in known_data.units
    )
    for carrier, count in carriers.items():
        deck = known_data.charts.carrier_operations_limits.look_up(
            "flight_deck", known_data.ships[carrier].type
        )
        if count > deck:
            yield "us.ready", f"the flight deck of '{carrier}' holds {deck} (6.22)"


def _japanese_problems(scenario: Scenario, known_data: _KnownData) -> Iterator[tuple[str, str]]:
    japan = scenario.japan
    for letter in japan.letters:
        if letter not in known_data.letters:
            yield "japan.letters", f"there is no force '{letter}'"
    for raid in japan.raids:
        yield from _raid_problems(raid, scenario, known_data)
    yield from _force_problems(scenario, known_data)
    for line, pool in japan.ships.items():
        yield from _pool_problems(
            f"japan.ships.{line}", pool, known_data, has_ghosts=line == "scenario_9"
        )
    if japan.arrival is not None:
        faces = [face for share in japan.arrival.zones for face in range(share.lo, share.hi + 1)]
        if faces != list(range(1, 11)):
            yield "japan.arrival.zones", "the ranges must cover the die from 1 to 10 without gaps"
    yield from _commitment_problems(scenario, known_data)


def _force_problems(scenario: Scenario, known_data: _KnownData) -> Iterator[tuple[str, str]]:
    """Yield errors for unknown or repeated ships and unknown hexes in forces and variants."""
    japan = scenario.japan
    placed_ships = [name for force in japan.forces for name in (*force.carriers, *force.screen)]
    placed_hexes = [(f"japan.forces.{force.id}", force.hex) for force in japan.forces]
    for variant in scenario.variants:
        for force in variant.fleet:
            placed_hexes.append((f"variants.{variant.id}.fleet", force.hex))
            for name in (*force.carriers, *force.screen):
                if name not in known_data.japanese:
                    yield f"variants.{variant.id}.fleet", f"there is no ship '{name}'"
        if variant.ships is not None and variant.ships not in japan.ships:
            yield f"variants.{variant.id}.ships", "the scenario has no such ships"
    for path, name in placed_hexes:
        if name not in known_data.hexes:
            yield path, f"there is no hex '{name}'"
    for name in placed_ships:
        if name not in known_data.japanese:
            yield "japan.forces", f"there is no ship '{name}'"
    for name in duplicates(placed_ships):
        yield "japan.forces", f"'{name}' appears twice"


def _raid_problems(
    raid: RaidSetup, scenario: Scenario, known_data: _KnownData
) -> Iterator[tuple[str, str]]:
    path, appearance = f"japan.raids.{raid.id}", raid.appears
    if appearance.turn not in {label for _, label in scenario.turns}:
        yield f"{path}.appears.turn", f"'{appearance.turn}' is not a turn of the scenario"
    for name in (appearance.line_from, appearance.line_to, appearance.hex or appearance.line_from):
        if name not in known_data.hexes:
            yield f"{path}.appears", f"there is no hex '{name}'"
    if not all(points > 0 for points in raid.strength):
        yield f"{path}.strength", "a wave must have at least one point"


def _pool_problems(
    path: str, pool: ShipPool, known_data: _KnownData, *, has_ghosts: bool
) -> Iterator[tuple[str, str]]:
    for kind, names in (("CV", pool.cv), ("CVL", pool.cvl), ("BB", pool.bb)):
        for name in names:
            ship = known_data.japanese.get(name)
            if ship is None or ship.type != kind:
                yield f"{path}.{kind}", f"there is no {kind} '{name}'"
            elif ship.ship_class == "ghost" and not has_ghosts:
                yield f"{path}.{kind}", f"'{name}' takes part only in scenario 9 (7.43)"
        for name in duplicates(names):
            yield f"{path}.{kind}", f"'{name}' appears twice"


def _commitment_problems(scenario: Scenario, known_data: _KnownData) -> Iterator[tuple[str, str]]:
    """Yield errors in commitment, Guam and submarine data, which full games need and other scenarios must omit."""
    japan, is_full = scenario.japan, scenario.id >= FIRST_FULL_GAME
    if bool(japan.commitment) != is_full or (japan.guam_air_value is not None) != is_full:
        yield (
            "japan",
            f"commitment and Guam belong to scenarios from {FIRST_FULL_GAME} on (13.0, 11.0)",
        )
    if is_full and japan.commitment.keys() != japan.ships.keys():
        yield "japan.commitment", "each choice of ships needs its own threshold and limit (13.21)"
    for line, numbers in japan.commitment.items():
        if not 0 < numbers.threshold < numbers.limit:
            yield (
                f"japan.commitment.{line}",
                f"the threshold {numbers.threshold} must be above 0 and below the limit {numbers.limit}",
            )
        pool = japan.ships.get(line)
        names = (*pool.cv, *pool.cvl) if pool is not None else ()
        max_commitment = sum(
            known_data.japanese[name].commitment for name in names if name in known_data.japanese
        )
        if numbers.limit > max_commitment:
            yield (
                f"japan.commitment.{line}.limit",
                f"all the ships together have only {max_commitment}",
            )
    has_forces = bool(japan.letters)
    if has_forces and not japan.l1_cup:
        yield "japan.l1_cup", "forces need a cup (7.35)"
    if scenario.id >= FIRST_FULL_GAME and not scenario.us.submarines:
        yield "us.submarines", "full games need submarines (14.11)"


def _victory_problems(scenario: Scenario) -> Iterator[tuple[str, str]]:
    levels = scenario.victory.levels
    if not levels:
        return
    level_minimums = [level.min for level in levels[:-1]]
    thresholds = [points for points in level_minimums if points is not None]
    if (
        levels[-1].min is not None
        or len(thresholds) != len(level_minimums)
        or thresholds != sorted(set(thresholds), reverse=True)
    ):
        yield (
            "victory.levels",
            "the levels must be in descending order, and only the lowest has no number",
        )
    for level in levels:
        if level.verdict is None and level.level not in VERDICTS:
            text = f"'{level.level}' is not a printed level and needs a verdict: won, drawn or lost"
            yield "victory.levels", text
