"""The carrier board: boxes, limits, damage and this phase's actions, with the keys for each unit (6.2)."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.air.ch04_missions import mission_kind
from engine.cbps.decks.ch06_decks import damage_level, deck_limits, units_on_deck
from engine.cbps.decks.ch06_launch import CAP_UNITS
from engine.cbps.ids import ABOARD, Box
from engine.cbps.prose.names import display_name
from engine.cbps.prose.turns import segment_name
from tui.board import BoardAction, BoardBlock, BoardItem, BoardRow, BoardSection, GameBoard
from tui.cbps.index import Index, first_or_empty
from tui.cbps.texts import BOXES, hex_text, short_unit
from tui.drawing.tones import TextRole

KEY: Final = "k"
NAME: Final = "Carrier board"
DONE_KEY: Final = "D"
_KEYS: Final[Mapping[type[c.CbpsCommand], tuple[str, str]]] = {
    c.Cap: ("p", "CAP"),
    c.Raise: ("r", "raise"),
    c.Service: ("s", "service"),
    c.Store: ("h", "hangar"),
    c.Lower: ("o", "lower"),
    c.Land: ("l", "land"),
    c.Wait: ("w", "wait"),
    c.Overboard: ("x", "overboard"),
    c.SearchOut: ("e", "search"),
    c.SearchNarrow: ("a", "narrow search"),
    c.SearchLong: ("g", "long search"),
    c.JoinSearch: ("j", "join search"),
    c.Split: ("y", "split"),
    c.Operate: ("o", "operate"),
    c.LightUp: ("t", "lights on"),
    c.Darken: ("t", "lights off"),
}
_LAUNCHES: Final = {"strike": ("t", "strike"), "intercept": ("i", "intercept")}
_PLACES: Final = {
    "ready": ("r", "ready"),
    "servicing": ("s", "servicing"),
    "hangar": ("h", "hangar"),
    "landed": ("l", "landed"),
}
_LABELS: Final = {
    "hangar": "hangar  ",
    "servicing": "service ",
    "ready": "READY   ",
    "landed": "landed  ",
}
_TONES: Final = {
    "hangar": TextRole.CHIP_STORED,
    "servicing": TextRole.CHIP_WORKED,
    "ready": TextRole.CHIP_READY,
    "landed": TextRole.CHIP_SPENT,
}
_NAME_CELLS: Final = 17
"""Width of a carrier's heading, chosen so that the headings align."""
_MISSION_CELLS: Final = 12
_STEPS: Final = ("", "launching", "raising", "servicing", "lowering", "landing")


# -- keys


def _key(order: Any) -> tuple[str, str] | None:  # noqa: ANN401  (any command)
    if isinstance(order, c.Launch):
        return _LAUNCHES[mission_kind(order.mission)]
    if isinstance(order, c.Place):
        return _PLACES[order.box]
    return _KEYS.get(type(order))


def _order_item(index: Index, order: Any) -> str:  # noqa: ANN401  (any command)
    """Return the item on the board that an order refers to."""
    if isinstance(order, c.Operate):
        return order.carrier
    if isinstance(order, c.LightUp | c.Darken):
        return next(iter(index.carriers(order.group)), "")
    return getattr(order, "unit", "")


def available_actions(index: Index, options: Iterable[Any]) -> dict[str, tuple[BoardAction, ...]]:
    """Return the orders available for each unit and carrier, grouped by key."""
    found: dict[str, dict[tuple[str, str], list[Any]]] = {}
    for order in options:
        key = _key(order)
        if key is not None:
            found.setdefault(_order_item(index, order), {}).setdefault(key, []).append(order)
    return {
        thing: tuple(
            BoardAction(*key, _sort_orders(index, orders)) for key, orders in by_key.items()
        )
        for thing, by_key in found.items()
    }


def _sort_orders(index: Index, orders: list[Any]) -> tuple[Any, ...]:
    """Sort orders: missions launched this phase before new missions, and landings on the home carrier before others."""

    def rank(order: Any) -> int:  # noqa: ANN401  (any command)
        if isinstance(order, c.Land):
            return int(order.carrier != index.book.air_units[order.unit].carrier)
        mission = index.view.missions.get(getattr(order, "mission", ""))
        return 1 if mission is None else 0 if mission.is_fresh or mission.cap else 2

    return tuple(sorted(orders, key=rank))


# -- display


def carrier_state(index: Index, carrier: str) -> str:
    """Return everything that restricts a carrier: damage, fires and markers (12.1, 12.3, 4.452)."""
    ship, row = index.view.ships[carrier], index.book.us_ships[carrier]
    parts = []
    level = damage_level(index.table, carrier)
    if level is not None:
        parts.append(f"{level.level} {ship.hits}/{row.damage_capacity}")
    if ship.fires:
        parts.append(f"FIRE {','.join(map(str, ship.fires))}")
    if ship.is_inoperative:
        parts.append("DECK OUT")
    if ship.is_crashed:
        parts.append("CRASH")
    return ", ".join(parts)


def box_usage(index: Index, carrier: str, box: Box) -> str:
    """Describe a box's use this phase, and its limit (6.22); empty if there is nothing to report."""
    ship, most = index.view.ships[carrier], deck_limits(index.table, carrier)
    done = {
        "hangar": (),
        "servicing": (("moved", ship.serviced, most.servicing),),
        "ready": (("launched", ship.launched, most.launch_or_land),),
        "landed": (
            ("landed", ship.landed, most.launch_or_land),
            ("lowered", ship.lowered, most.lower),
        ),
    }[box]
    return ", ".join(f"{word} {number}/{limit}" for word, number, limit in done if number)


def _state_tone(index: Index, carrier: str) -> TextRole:
    ship = index.view.ships[carrier]
    if ship.is_inoperative or ship.is_crashed:
        return TextRole.BAD
    if units_on_deck(index.table, carrier) > deck_limits(index.table, carrier).launch_occupancy:
        return TextRole.WARN
    return (
        TextRole.WARN
        if ship.fires or damage_level(index.table, carrier) is not None
        else TextRole.GOOD
    )


def _carrier_block(index: Index, carrier: str) -> BoardBlock:
    row = index.book.us_ships[carrier]
    held, most = units_on_deck(index.table, carrier), deck_limits(index.table, carrier)
    full = " no launch" if held > most.launch_occupancy else ""
    deck = f"deck {held}/{most.flight_deck}{full}"
    state = carrier_state(index, carrier)
    head = BoardRow(
        "",
        (BoardItem(carrier, f"{row.name} {row.type}".ljust(_NAME_CELLS), TextRole.CHIP_ONE),),
        f"{deck} {state}".strip(),
        tail_tone=_state_tone(index, carrier),
    )
    return BoardBlock((head, *(_box(index, carrier, box) for box in ABOARD)))


def chip(index: Index, unit: str) -> str:
    """Return the type of an air unit aboard, followed by its home carrier if that is a different ship."""
    row = index.book.air_units[unit]
    home = "" if index.view.units[unit].at == row.carrier else f" {display_name(row.carrier)}"
    return f"{row.type}{home}"


def _box(index: Index, carrier: str, box: Box) -> BoardRow:
    units = sorted(index.units(box, carrier), key=lambda unit: (index.kind(unit), unit))
    items = tuple(BoardItem(unit, chip(index, unit), _TONES[box]) for unit in units)
    return BoardRow(_LABELS[box], items, box_usage(index, carrier, box))


def _air_block(index: Index, group: str, *, is_first: bool) -> BoardBlock | None:
    """Return a group's CAP and, for the first group in a hex, other missions there; None if there are none."""
    hex = index.view.groups[group].hex
    over = index.missions_at(hex) if is_first else ()
    rows = tuple(_flight_row(index, mission) for mission in (*index.cap_missions(group), *over))
    return BoardBlock(rows) if rows else None


def _flight_row(index: Index, mission: str) -> BoardRow:
    one = index.view.missions[mission]
    fuel = "CAP" if one.cap else f"fuel {one.fuel}" if one.fuel > 0 else f"CRITICAL {-one.fuel}"
    units = index.mission_units(mission)
    return BoardRow(
        f" {display_name(mission).ljust(_MISSION_CELLS)} ",
        tuple(BoardItem(unit, index.kind(unit), TextRole.CHIP_STORED) for unit in units),
        fuel,
        TextRole.CHIP_ONE if one.cap else TextRole.CHIP_FLIGHT,
        TextRole.BAD if not one.cap and one.fuel <= 0 else TextRole.DIM,
    )


def group_text(index: Index, group: str) -> str:
    """Describe a task group: hex, CAP, marker and lights (4.33, 6.43, 17.0)."""
    one = index.view.groups[group]
    cap = sum(len(index.mission_units(mission)) for mission in index.cap_missions(group))
    parts = [f"{display_name(group)} at {hex_text(index, one.hex)}"]
    if index.carriers(group):
        parts.append(f"CAP {cap}/{CAP_UNITS}")
    parts.append("on its own" if one.is_detached else "with TF 58")
    if one.heading:
        parts.append(f"heading {one.heading}")
    if one.marker:
        parts.append({"leeward": "leeward move", "station": "keeps station"}[one.marker])
    if one.is_lit:
        parts.append("LIGHTS ON")
    return ", ".join(parts)


def sections(index: Index, groups: Iterable[str]) -> Iterator[BoardSection]:
    """Yield the carriers of these groups and the missions over them."""
    seen: set[str] = set()
    for group in groups:
        hex = index.view.groups[group].hex
        blocks = [_carrier_block(index, carrier) for carrier in index.carriers(group)]
        air = _air_block(index, group, is_first=hex not in seen)
        seen.add(hex)
        yield BoardSection(group_text(index, group), (*blocks, *((air,) if air else ())))


def _about(index: Index) -> dict[str, str]:
    """Return a one-line description for each carrier and unit."""
    found = {}
    for unit, held in index.view.units.items():
        row = index.book.air_types[index.kind(unit)]
        kind = f"{index.kind(unit)} {'night ' if row.night else ''}{row.role}"
        where = BOXES.get(held.place, held.place)
        found[unit] = f"{display_name(unit)}, {kind}, fuel {row.endurance}, {where}"
    for carrier, one in index.view.ships.items():
        ship = index.book.us_ships[carrier]
        if ship.is_carrier:
            step = _STEPS[min(one.step, len(_STEPS) - 1)]
            gone = f", has gone on to {step}" if step else ""
            found[carrier] = f"{ship.name} ({ship.type}, AA {ship.aa}){gone}"
    return found


def _board(index: Index, options: Iterable[Any], groups: Iterable[str]) -> GameBoard:
    options = tuple(options)
    view = index.view
    ends = tuple(order for order in options if isinstance(order, c.Done))
    segment = segment_name(view.segment) or "set-up"
    return GameBoard(
        title=f"{NAME} | {view.day} {view.time}/{view.phase} {view.light} | {segment}",
        sections=tuple(sections(index, groups)),
        acts=available_actions(index, options),
        always=(BoardAction(DONE_KEY, "done", ends),) if ends else (),
        about=_about(index),
        key=KEY,
    )


def carrier_board(index: Index, options: Iterable[Any]) -> GameBoard:
    """Return the board of all carriers."""
    return _board(index, options, index.carrier_groups())


def group_board(
    index: Index,
    options: Iterable[Any],
    highlighted: Any,  # noqa: ANN401  (any command)
    cursor: str,
) -> GameBoard | None:
    """Return the board for the relevant group; None outside US Air Operations (6.2).

    Args:
        index: Lookups in the view.
        options: The available orders.
        highlighted: The highlighted order in the list; None if there is none.
        cursor: Hex under the map cursor.
    """
    if index.view.segment != "operations":
        return None
    options = tuple(options)
    groups = index.carrier_groups()
    named = (_order_group(index, order) for order in (highlighted, *options))
    here = (group for group in groups if index.view.groups[group].hex == cursor)
    group = first_or_empty(chain((one for one in named if one in groups), here, groups))
    if not group:
        return None
    return replace(
        _board(index, options, (group,)),
        highlighted=_order_item(index, highlighted),
        order=highlighted,
    )


def _order_group(index: Index, order: Any) -> str:  # noqa: ANN401  (any command)
    """Return the group whose carriers an order concerns; empty if there is none."""
    thing = _order_item(index, order)
    unit = index.view.units.get(thing)
    at = unit.at if unit is not None else thing
    ship = index.view.ships.get(at)
    if ship is not None:
        return ship.group
    mission = index.view.missions.get(at)
    return mission.cap if mission is not None else ""


def carrier_lines(index: Index, carrier: str) -> tuple[str, ...]:
    """Return one carrier's state and the contents of its boxes."""
    state = carrier_state(index, carrier)
    deck = f"flight deck {units_on_deck(index.table, carrier)}/{deck_limits(index.table, carrier).flight_deck}"
    lines = [f"{deck}{f', {state}' if state else ''}"]
    for box in ABOARD:
        units = index.units(box, carrier)
        held = ", ".join(f"{index.kind(unit)} {short_unit(index, unit)}" for unit in units)
        done = box_usage(index, carrier, box)
        lines.append(f"{_LABELS[box]}{held or '-'}{f' ({done})' if done else ''}")
    return tuple(lines)
