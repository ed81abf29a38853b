"""The ten scenarios and the schedules that they share (2.1, 2.2, 2.3, 17, 18)."""

from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from engine.eots import scenario_checks
from engine.eots.board import board, board_of
from engine.eots.counters import counters
from engine.eots.data.reading import check_known_names, content, require
from engine.eots.data.scenarios_file import FILE, ControlRule, Scenario, TurnReplacements
from engine.eots.data.schedules_file import ScenariosFile, Schedules
from engine.eots.deck import card_ids
from engine.eots.geography import Board
from engine.eots.ids import AreaId, CardId, HexId, Location, ScenarioId, Side
from engine.kernel.data_files import decode

NO_OPTIONS: Final[Mapping[str, str]] = MappingProxyType({})
_Rows = Mapping[ScenarioId, dict[str, msgspec.Raw]]


class ScenarioBook(msgspec.Struct, frozen=True, kw_only=True):
    """The scenarios, and the schedules that they share."""

    schedules: Schedules
    scenarios: Mapping[ScenarioId, Scenario]
    """All scenarios by id, in rulebook order."""


def card_id(side: Side, number: int) -> CardId:
    """Build a card's id from its side and number (1.25)."""
    return CardId(f"{'J' if side is Side.JAPAN else 'A'}-{number}")


def _name(row: Mapping[str, msgspec.Raw], key: str, path: str) -> ScenarioId | None:
    """Return the scenario id that a row stores under a key, or None if the row does not have the key."""
    raw_name = row.get(key)
    return (
        None
        if raw_name is None
        else decode(FILE, bytes(raw_name), ScenarioId, path=f"{path}.{key}")
    )


def _special_rules(path: str, *rows: Mapping[str, msgspec.Raw]) -> msgspec.Raw:
    """Concatenate the special rules from several rows."""
    rules: list[msgspec.Raw] = []
    for row in rows:
        raw_rules = row.get("special_rules", msgspec.Raw(b"[]"))
        rules += decode(FILE, bytes(raw_rules), list[msgspec.Raw], path=f"{path}.special_rules")
    return msgspec.Raw(msgspec.json.encode(rules))


def _build_scenario(name: ScenarioId, rows: _Rows) -> Scenario:
    """Decode a scenario. Keys that it omits are taken from its parent scenario, if it has one (17.5-17.9)."""
    path = f"scenarios.{name}"
    row = dict(rows[name])
    base = _name(row, "inherits", path)
    if base is not None:
        check_known_names(FILE, f"{path}.inherits", [base], rows)
        parent = rows[base]
        require(FILE, path, holds="inherits" not in parent, problem=f"{base} inherits, too")
        rules = _special_rules(path, parent, row)
        # Special rules are added to the parent's rules. Every other key replaces the parent's key.
        row = {**parent, **row, "special_rules": rules}
    source = _name(row, "victory_ref", path)
    if source is not None:
        check_known_names(FILE, f"{path}.victory_ref", [source], rows)
        row["victory"] = rows[source].get("victory", msgspec.Raw(b"null"))
    return decode(FILE, msgspec.json.encode(row), Scenario, path=path)


def read_scenarios(text: bytes) -> ScenarioBook:
    """Read a scenario file and check every reference.

    Raises:
        DataError: The file violates its schema, or contains a dangling reference.
    """
    file = decode(FILE, text, ScenariosFile)
    rows: dict[ScenarioId, dict[str, msgspec.Raw]] = {}
    for index, row in enumerate(file.scenarios):
        name = _name(row, "id", f"scenarios[{index}]")
        require(
            FILE,
            f"scenarios[{index}].id",
            holds=name is not None and name not in rows,
            problem="no id of its own",
        )
        if name is not None:
            rows[name] = row
    scenarios = {name: _build_scenario(name, rows) for name in rows}
    for scenario in scenarios.values():
        scenario_checks.check(scenario)
    return ScenarioBook(schedules=file.schedules, scenarios=scenarios)


@cache
def _scenario_book() -> ScenarioBook:
    """Return the packaged scenarios, which are read only once."""
    return read_scenarios(content(FILE))


def scenario_ids() -> tuple[ScenarioId, ...]:
    """Return the ids of all scenarios in rulebook order (17)."""
    return tuple(_scenario_book().scenarios)


def scenario(name: ScenarioId) -> Scenario:
    """Return one scenario (17).

    Raises:
        KeyError: There is no scenario with this id.
    """
    return _scenario_book().scenarios[name]


def schedules() -> Schedules:
    """Return the schedules shared by all scenarios (10, 11, 12.5)."""
    return _scenario_book().schedules


def replacements(scenario_data: Scenario) -> tuple[TurnReplacements, ...]:
    """Return the replacement steps for each turn (11.2, 17.10.5).

    They come from the scenario or, if it has none, from the chart.
    """
    own_rule = scenario_data.own_replacements
    return schedules().replacements.per_turn if own_rule is None else own_rule.per_turn


def scenario_deck(scenario_data: Scenario, side: Side) -> tuple[CardId, ...]:
    """Return the cards that a side uses: those listed by the scenario, otherwise all (1.25, 17.10)."""
    own_decks = scenario_data.cards.decks
    if own_decks is None:
        return card_ids(side)
    return tuple(
        card_id(side, number)
        for number in (own_decks.allied if side is Side.ALLIED else own_decks.japan)
    )


@cache
def omitted_cards(name: ScenarioId, side: Side) -> frozenset[CardId]:
    """Return the side's cards that a scenario does not use (17.10)."""
    return frozenset(card_ids(side)) - frozenset(scenario_deck(scenario(name), side))


def land_in_play(scenario_data: Scenario, options: Mapping[str, str]) -> tuple[HexId, ...]:
    """Return the land hexes that can be controlled, in ascending order.

    In the South Pacific scenario, only land hexes on the map sheet can be controlled.
    """
    return _map_land(board() if scenario_data.map == "main" else board_of(options))


@lru_cache(maxsize=4)
def _map_land(map_: Board) -> tuple[HexId, ...]:
    return tuple(
        hex_id
        for hex_id, place in map_.hexes.items()
        if place.is_land and map_.is_in_play[place.index]
    )


def war_in_europe_level(marker: int) -> int:
    """Return the level for a box on the War in Europe track; 0 means no effect (15)."""
    for level, boxes in schedules().tracks.war_in_europe.levels.items():
        if marker in boxes:
            return 0 if level == "none" else int(level)
    raise ValueError(f"{marker} is not a box of the War in Europe track")


def _hexes_named_in_rule(
    rule: ControlRule,
    ground_by_location: Mapping[Location, tuple[tuple[Side, bool], ...]],
    map_: Board,
) -> Collection[str]:
    """Return the hexes to which a control rule applies. They may include hexes without land, which the caller ignores.

    Args:
        rule: The rule.
        ground_by_location: For each place, the units there at the start. Each entry contains the unit's side and
            whether it is a ground unit.
        map_: The scenario's board.
    """
    match rule.scope:
        case "all-hexes":
            return map_.hexes
        case "regions":
            return {hex_id for area in rule.regions for hex_id in map_.areas[area].hexes}
        case "hexes":
            return rule.hexes
        case "hexes-with-units":
            return {
                hex_id
                for hex_id, ground_by_side in ground_by_location.items()
                if any(side is rule.of for side, _ in ground_by_side)
            }
        case "hexes-with-ground-units":
            sides_by_hex = {
                hex_id: [side for side, ground in ground_by_side if ground]
                for hex_id, ground_by_side in ground_by_location.items()
            }
            return {hex_id for hex_id, sides in sides_by_hex.items() if rule.of in sides}
        case "all-ports-airfields-resources-on-map":
            sheet = map_.south_pacific
            sheet_hexes = (map_.hexes[hex_id] for hex_id in (*sheet.hexes, *sheet.off_map_hexes))
            return {x.id for x in sheet_hexes if x.port or x.airfield or x.resource}
        case "australia-ports-and-airfields":
            return map_.areas[AreaId("australia")].bases


def initial_control(
    scenario_data: Scenario, options: Mapping[str, str] = NO_OPTIONS
) -> dict[HexId, Side]:
    """Return the controller of every land hex in play at the start, in ascending order of hex (1.3, 17)."""
    ground_by_location: dict[Location, tuple[tuple[Side, bool], ...]] = {}
    for unit_setup in scenario_data.setup:
        counter = counters()[unit_setup.unit]
        ground_by_location[unit_setup.at] = (
            *ground_by_location.get(unit_setup.at, ()),
            (counter.side, counter.is_ground),
        )
    map_ = board()
    land = land_in_play(scenario_data, options)
    control: dict[HexId, Side] = {}
    # Later rules override earlier ones.
    for rule in sorted(scenario_data.control.rules, key=lambda rule: rule.order):
        spoken_of = _hexes_named_in_rule(rule, ground_by_location, map_)
        control.update(dict.fromkeys([hex_id for hex_id in land if hex_id in spoken_of], rule.side))
    return {hex_id: control[hex_id] for hex_id in land if hex_id in control}
