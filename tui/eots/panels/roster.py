"""A table of all counters, and a calendar of replacements and reinforcements (10, 11)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.eots.board import board
from engine.eots.counters import Counter, counters, hq_can_command
from engine.eots.ids import CHINA_BOX, Category, HexId, ScenarioId, Side, UnitId
from engine.eots.scenarios import replacements, scenario
from engine.eots.view import EotsView, UnitView
from engine.kernel.sentences import count_noun
from tui.drawing.colour_roles import TextRole
from tui.eots.index import Index
from tui.eots.map.counters import ICONS, is_reduced
from tui.eots.map.overlays import hq_hexes
from tui.eots.texts import SIDE_LETTERS, printed_values, short_name, turn_name
from tui.panels.roster import Roster, RosterCell, RosterColumn, RosterEntry
from tui.panels.status_segments import Row

_COLUMNS: Final = (
    RosterColumn("Unit"),
    RosterColumn("Type", 4),
    RosterColumn("Values", 2),
    RosterColumn("Place"),
    RosterColumn("Area", 5),
    RosterColumn("HQ in range", 3),
    RosterColumn("Supply", 6),
    RosterColumn("State"),
)
_CHIPS: Final = {
    Side.ALLIED: (TextRole.CHIP_ONE, TextRole.CHIP_ONE_ACTIVE, TextRole.HOLLOW_ONE),
    Side.JAPAN: (TextRole.CHIP_TWO, TextRole.CHIP_TWO_ACTIVE, TextRole.HOLLOW_TWO),
}
_CATEGORY_NAMES: Final = {
    Category.HQ: "headquarters",
    Category.NAVAL: "naval",
    Category.AIR: "air",
    Category.GROUND: "ground",
}
_CATEGORY_ORDER: Final = {category: rank for rank, category in enumerate(_CATEGORY_NAMES)}
_OFF_MAP_STATES: Final = {
    "turn-track": "turn track",
    "delay-box": "delayed",
    "event": "arrives by an event",
    "eliminated": "eliminated",
    "removed": "out of the game",
}
"""The states of units off the map, in list order. Units on the map come first."""
_SIDE_TONES: Final = {Side.ALLIED: TextRole.SIDE_ONE, Side.JAPAN: TextRole.SIDE_TWO}


def roster(index: Index) -> Roster:
    """Return the roster of all counters, the player's side first. Counters on the map are sorted by area."""
    own_side = index.view.side or Side.ALLIED
    hqs = tuple(_headquarters(index))
    units = sorted(index.view.units, key=lambda unit: _default_order(unit, own_side))
    return Roster(columns=_COLUMNS, entries=tuple(_entry(unit, hqs) for unit in units))


def _default_order(unit: UnitView, own_side: Side) -> tuple[bool, int, str, str, int, str]:
    """Return a unit's sort key: side, whether it is on the map, area, hex and category."""
    row = counters()[unit.id]
    off_map_rank = list(_OFF_MAP_STATES).index(unit.at) + 1 if unit.at in _OFF_MAP_STATES else 0
    area = f"{unit.due or 0:02}" if off_map_rank else _area(unit.at)
    return (
        row.side is not own_side,
        off_map_rank,
        area,
        unit.at,
        _CATEGORY_ORDER[row.category],
        unit.id,
    )


# -- rows


class _HqRange(NamedTuple):
    """A headquarters on the map, with its command range."""

    row: Counter
    name: str
    at: HexId
    hexes: frozenset[str]
    """The hexes within the HQ's command range."""


def _headquarters(index: Index) -> Iterator[_HqRange]:
    """Yield each headquarters on the map, with the hexes in its range (6.1)."""
    for unit in index.view.units:
        row = counters()[unit.id]
        if row.hq is not None and unit.at in board().index:
            hexes = hq_hexes(index.view.scenario, unit.at, row.hq.command_range)
            name = short_name(unit.id).removesuffix(" HQ")
            yield _HqRange(row, name, HexId(unit.at), frozenset(map(str, hexes)))


def _entry(unit: UnitView, hqs: tuple[_HqRange, ...]) -> RosterEntry:
    row = counters()[unit.id]
    is_on_map = HexId(unit.at) in board().hexes
    normal, active_role, hollow_role = _CHIPS[row.side]
    in_play = is_on_map or unit.at == CHINA_BOX
    is_hollow = not (in_play and unit.supplied)
    tone = active_role if unit.activated else hollow_role if is_hollow else normal
    name = f" {SIDE_LETTERS[row.side]} {ICONS[row.category]} {short_name(unit.id)} "
    strength = printed_values(row, unit.steps or row.max_steps)
    if row.hq is not None:
        strength = f"r{row.hq.command_range} eff {row.hq.efficiency}"
    attack = 0 if row.is_hq else row.strength(unit.steps or row.max_steps).attack
    return RosterEntry(
        id=unit.id,
        place=unit.at if is_on_map else "",
        cells=(
            RosterCell(name, tone),
            RosterCell(_CATEGORY_NAMES[row.category], order=_CATEGORY_ORDER[row.category]),
            RosterCell(strength, TextRole.PLAIN if unit.steps else TextRole.DIM, -attack),
            _place_cell(unit),
            RosterCell(_area(unit.at), TextRole.DIM, unit.due or 0),
            RosterCell(_commander_text(row, unit, hqs), TextRole.DIM),
            _supply_cell(unit, in_play=in_play),
            _state_cell(unit),
        ),
    )


def _place_cell(unit: UnitView) -> RosterCell:
    row = board().hexes.get(HexId(unit.at))
    if row is not None:
        return RosterCell(f"{unit.at} {row.name or ''}".rstrip(), TextRole.NAME)
    if unit.at == CHINA_BOX:
        return RosterCell("China box", TextRole.NAME, 1)
    return (
        RosterCell(f"turn {unit.due}", TextRole.DIM, 1 + unit.due)
        if unit.due is not None
        else RosterCell("")
    )


def _area(place: str) -> str:
    """Return the region of a hex; empty for sea hexes and remote islands."""
    row = board().hexes.get(HexId(place))
    if row is None:
        return "China" if place == CHINA_BOX else ""
    region = row.region or row.nation or ""
    return region.partition(" (")[0]


def _commander_text(row: Counter, unit: UnitView, hqs: tuple[_HqRange, ...]) -> str:
    """Return the nearest HQ that has a unit in range and can command it, and the number of other such HQs (6.1, 6.12).

    Empty if there is none. Supply and paths are not checked, because they change with every move.
    """
    commanders = [hq for hq in hqs if unit.at in hq.hexes and hq_can_command(hq.row, row)]
    if not commanders:
        return ""
    unit_hex = HexId(unit.at)
    nearest_hq = min(commanders, key=lambda hq: (board().distance(hq.at, unit_hex), hq.name))
    return f"{nearest_hq.name} +{len(commanders) - 1}" if len(commanders) > 1 else nearest_hq.name


def _supply_cell(unit: UnitView, *, in_play: bool) -> RosterCell:
    if not in_play:
        return RosterCell("")
    return (
        RosterCell("supplied", TextRole.DIM, 1)
        if unit.supplied
        else RosterCell("no supply", TextRole.BAD)
    )


def _state_cell(unit: UnitView) -> RosterCell:
    notes = []
    if unit.at == "turn-track" and unit.due is not None:
        notes.append(f"arrives {turn_name(unit.due)}")
    elif unit.at in _OFF_MAP_STATES:
        notes.append(_OFF_MAP_STATES[unit.at])
    elif not unit.supplied:
        notes.append("no supply")
    if is_reduced(unit):
        notes.append("reduced")
    if unit.activated:
        notes.append("active")
    if unit.moved is not None:
        notes.append("moved")
    off_map_rank = list(_OFF_MAP_STATES).index(unit.at) + 1 if unit.at in _OFF_MAP_STATES else 0
    tone = TextRole.DIM if off_map_rank and unit.at != "delay-box" else TextRole.WARN
    return RosterCell(", ".join(notes), tone, off_map_rank)


# -- calendar


def calendar(index: Index) -> tuple[Row, ...]:
    """Return the calendar of the remaining turns, with both sides' reinforcements and replacements."""
    return tuple(_calendar_rows(index.view))


def _calendar_rows(view: EotsView) -> Iterator[Row]:
    delayed_units = [unit for unit in view.units if unit.at == "delay-box"]
    if delayed_units:
        yield "Delayed: placed as soon as nothing delays them (10.2)", TextRole.HEAD
        yield from _rows_by_side(delayed_units)
        yield ""
    due_turns = {
        unit.due for unit in view.units if unit.at == "turn-track" and unit.due is not None
    }
    replacements_by_turn = {
        row.turn: row for row in replacements(scenario(ScenarioId(view.scenario)))
    }
    for turn in range(max(view.turn, 1), view.last_turn + 1):
        this_turn_text = ", this turn" if turn == view.turn else ""
        yield f"Turn {turn}  {turn_name(turn)}{this_turn_text}", TextRole.HEAD
        arriving_units = [
            unit for unit in view.units if unit.at == "turn-track" and unit.due == turn
        ]
        yield from _rows_by_side(arriving_units)
        row = replacements_by_turn.get(turn)
        if row is not None:
            yield from _replacement_rows(Side.ALLIED, row.allied)
            yield from _replacement_rows(Side.JAPAN, row.japan)
    late_turns = sorted(turn for turn in due_turns if turn > view.last_turn)
    if late_turns:
        count = sum(unit.at == "turn-track" and unit.due in late_turns for unit in view.units)
        yield f"{count_noun(count, 'unit')} would come after the last turn.", TextRole.DIM
    tracks = view.tracks
    yield ""
    yield (
        (" Japan ", TextRole.SIDE_TWO),
        (
            f"has saved {tracks.japan_naval_points} naval and {tracks.japan_air_points} air steps.",
            TextRole.PLAIN,
        ),
    )


def _rows_by_side(units: list[UnitView]) -> Iterator[Row]:
    for side in Side:
        names = sorted(
            short_name(UnitId(unit.id)) for unit in units if counters()[unit.id].side is side
        )
        if names:
            yield (
                (f" {SIDE_LETTERS[side]} ", _SIDE_TONES[side]),
                (", ".join(names), TextRole.PLAIN),
            )


def _replacement_rows(side: Side, points: object) -> Iterator[Row]:
    """Yield rows with the replacement steps that a side receives from the chart (11.2, 11.3)."""
    fields = getattr(points, "__struct_fields__", ())
    steps_by_pool = [(name, getattr(points, name)) for name in fields]
    steps_text = ", ".join(f"{_POOL_NAMES[name]} {steps}" for name, steps in steps_by_pool if steps)
    if steps_text:
        yield (
            (f" {SIDE_LETTERS[side]} ", _SIDE_TONES[side]),
            (f"steps: {steps_text}", TextRole.DIM),
        )


_POOL_NAMES: Final = {
    "ground": "ground",
    "air": "air",
    "naval": "naval",
    "us_naval": "US naval",
    "china": "Chinese",
}
