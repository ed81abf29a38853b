"""Checks that counter names exist and that groups, carriers and chits are consistent."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, get_args

from engine.cbps.charts.results import LevelTwo
from engine.cbps.data.orbat_file import FILE, AirType, JapaneseCounters, OrbatFile, UsCounters

Problem: TypeAlias = tuple[str, str, str]
SUBMARINE_COUNT: Final = 5


def counter_problems(content: OrbatFile) -> Iterator[Problem]:
    """Yield the errors found in the counters."""
    for path, problem in (*_us_problems(content.us), *_group_problems(content.us)):
        yield FILE, f"counters.us.{path}", problem
    for path, problem in _japanese_problems(content.japan):
        yield FILE, f"counters.japan.{path}", problem


def duplicates(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _us_problems(us: UsCounters) -> Iterator[tuple[str, str]]:
    ships = {ship.id: ship for ship in us.ships}
    for name in duplicates([ship.id for ship in us.ships]):
        yield f"ships.{name}", "this name appears twice"
    for name in duplicates([unit.id for unit in us.air_units]):
        yield f"air_units.{name}", "this name appears twice"
    if sorted(kind.type for kind in us.air_types) != sorted(get_args(AirType)):
        yield "air_types", f"the types must be among {', '.join(get_args(AirType))}"
    for kind in us.air_types:
        if (kind.role == "fighter") != (kind.attack == 0):
            yield f"air_types.{kind.type}.attack", "attack units attack, fighters do not (4.21)"
        if not kind.endurance:
            yield f"air_types.{kind.type}.endurance", "it needs fuel to fly"
    for unit in us.air_units:
        carrier = ships.get(unit.carrier)
        if carrier is None or not carrier.is_carrier:
            yield f"air_units.{unit.id}.carrier", f"there is no carrier '{unit.carrier}'"
    if len({boat.id for boat in us.submarines}) != SUBMARINE_COUNT:
        yield "submarines", f"there must be {SUBMARINE_COUNT} submarines (14.11)"


def _group_problems(us: UsCounters) -> Iterator[tuple[str, str]]:
    ships = {ship.id: ship for ship in us.ships}
    groups = {group.id for group in us.task_groups}
    if len(groups) != len(us.task_groups):
        yield "task_groups", "a group appears twice"
    if not {"58.1", "58.2", "58.3", "58.4", "58.7"} <= groups:
        yield "task_groups", "the groups 58.1 to 58.4 and 58.7 are needed"
    for ship in us.ships:
        if ship.tg not in groups:
            yield f"ships.{ship.id}.tg", f"there is no task group '{ship.tg}'"
        if ship.is_carrier and ship.slot is None:
            yield f"ships.{ship.id}.slot", "a carrier needs a place on its group's display"
    for group in us.task_groups:
        path = f"task_groups.{group.id}.ships"
        for name in group.ships:
            if name not in ships:
                yield path, f"there is no ship '{name}'"
            elif ships[name].tg != group.id:
                yield path, f"'{name}' belongs to {ships[name].tg}"
        members = [ships[name] for name in group.ships if name in ships]
        if sum(ship.is_carrier for ship in members) > group.carrier_slots:
            yield path, f"there is room for only {group.carrier_slots} carriers"
        for ship in us.ships:
            if ship.tg == group.id and ship.ship_class == "historical" and ship not in members:
                yield path, f"'{ship.id}' is missing"
        total = sum(ship.aa for ship in members)
        if total != group.aa_total:
            yield f"task_groups.{group.id}.aa_total", f"its ships have {total} in total"
    for name in duplicates([name for group in us.task_groups for name in group.ships]):
        yield "task_groups", f"'{name}' is in two groups"


def _japanese_problems(japan: JapaneseCounters) -> Iterator[tuple[str, str]]:
    types = (
        ("carriers", japan.carriers, ("CV", "CVL")),
        ("battleships", japan.battleships, ("BB",)),
        ("cruiser_forces", japan.cruiser_forces, ("CA",)),
        ("destroyer_forces", japan.destroyer_forces, ("DD",)),
    )
    for field, ships, matching_ships in types:
        for ship in ships:
            if ship.type not in matching_ships:
                yield f"{field}.{ship.id}.type", f"'{ship.type}' is none of these"
            if ship.is_carrier and not (ship.commitment and ship.air_value):
                yield f"{field}.{ship.id}", "a carrier needs an air value and a commitment"
            if ship.type in ("CA", "DD") and not ship.size:
                yield f"{field}.{ship.id}.size", "a force needs a size (7.39)"
        if not ships:
            yield field, "there are none"
    names = [ship.id for _, ships, _ in types for ship in ships]
    for name in duplicates(names):
        yield "carriers", f"the name '{name}' appears twice"
    for name in japan.kido_butai.carriers:
        if name not in {ship.id for ship in japan.carriers}:
            yield "kido_butai.carriers", f"there is no carrier '{name}'"
    if not japan.force_markers.letters or duplicates(japan.force_markers.letters):
        yield "force_markers.letters", "there must be at least one letter, and each only once"
    if not japan.butai.displays or len(japan.butai.raid_boxes) != len(("A", "B")):
        yield "butai", "there must be at least one display, each with raid boxes A and B"
    if duplicates(japan.oilers.ids):
        yield "oilers.ids", "an oiler appears twice"
    yield from _chit_problems(japan)


def _chit_problems(japan: JapaneseCounters) -> Iterator[tuple[str, str]]:
    missing_chits = set(get_args(LevelTwo)) - {chit.id for chit in japan.l2_chits}
    for name in sorted(missing_chits):
        yield "l2_chits", f"'{name}' is missing"
    for field, names in (
        ("l2_chits", [chit.id for chit in japan.l2_chits]),
        ("l3_chits", [chit.id for chit in japan.l3_chits]),
    ):
        for name in duplicates(names):
            yield field, f"'{name}' appears twice"
