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
from tui.cbps.index import Index, first_or_empty
from tui.cbps.texts import BOX_NAMES, hex_text, short_unit
from tui.drawing.colour_roles import TextRole
from tui.panels.game_board import (
    BoardAction,
    BoardBlock,
    BoardItem,
    BoardRow,
    BoardSection,
    GameBoard,
)

KEY: Final = "k"
BOARD_NAME: Final = "Carrier board"
DONE_KEY: Final = "D"
# Several orders share a key if they apply to different items or are available at different times.
_ORDER_KEYS: Final[Mapping[type[c.CbpsCommand], tuple[str, str]]] = {
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
_LAUNCH_KEYS: Final = {"strike": ("t", "strike"), "intercept": ("i", "intercept")}
_PLACE_KEYS: Final = {
    "ready": ("r", "ready"),
    "servicing": ("s", "servicing"),
    "hangar": ("h", "hangar"),
    "landed": ("l", "landed"),
}
_BOX_LABELS: Final = {
    "hangar": "hangar  ",
    "servicing": "service ",
    "ready": "READY   ",
    "landed": "landed  ",
}
_BOX_TONES: Final = {
    "hangar": TextRole.CHIP_STORED,
    "servicing": TextRole.CHIP_WORKED,
    "ready": TextRole.CHIP_READY,
    "landed": TextRole.CHIP_SPENT,
}
_NAME_CELLS: Final = 17
"""Width of a carrier's heading in cells. A fixed width keeps the headings aligned."""
_MISSION_CELLS: Final = 12
_STEP_NAMES: Final = ("", "launching", "raising", "servicing", "lowering", "landing")


# -- keys


def _order_key(order: Any) -> tuple[str, str] | None:  # noqa: ANN401  (any command)
    if isinstance(order, c.Launch):
        return _LAUNCH_KEYS[mission_kind(order.mission)]
    if isinstance(order, c.Place):
        return _PLACE_KEYS[order.box]
    return _ORDER_KEYS.get(type(order))


def _order_item(index: Index, order: Any) -> str:  # noqa: ANN401  (any command)
    """Return the item on the board that an order is for."""
    if isinstance(order, c.Operate):
        return order.carrier
    if isinstance(order, c.LightUp | c.Darken):
        return next(iter(index.carriers(order.group)), "")
    return getattr(order, "unit", "")


def available_actions(index: Index, options: Iterable[Any]) -> dict[str, tuple[BoardAction, ...]]:
    """Return the orders available for each unit and carrier, grouped by the key that gives them."""
    orders_by_item: dict[str, dict[tuple[str, str], list[Any]]] = {}
    for order in options:
        key = _order_key(order)
        if key is not None:
            orders_by_item.setdefault(_order_item(index, order), {}).setdefault(key, []).append(
                order
            )
    return {
        item: tuple(
            BoardAction(*key, _sort_orders(index, orders)) for key, orders in by_key.items()
        )
        for item, by_key in orders_by_item.items()
    }


def _sort_orders(index: Index, orders: list[Any]) -> tuple[Any, ...]:
    """Return the orders sorted: newly launched missions and CAP before new missions, the home carrier before others."""

    def rank(order: Any) -> int:  # noqa: ANN401  (any command)
        if isinstance(order, c.Land):
            return int(order.carrier != index.game_data.air_units[order.unit].carrier)
        mission = index.view.missions.get(getattr(order, "mission", ""))
        return 1 if mission is None else 0 if mission.is_fresh or mission.cap else 2

    return tuple(sorted(orders, key=rank))


# -- display


def carrier_state(index: Index, carrier: str) -> str:
    """Return everything that restricts a carrier: damage, fires and markers (12.1, 12.3, 4.452)."""
    ship, row = index.view.ships[carrier], index.game_data.us_ships[carrier]
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
    """Return how much of a box's limits has been used in this phase, as in ``moved 2/3``; empty if unused (6.22)."""
    ship, limits = index.view.ships[carrier], deck_limits(index.table, carrier)
    usage = {
        "hangar": (),
        "servicing": (("moved", ship.serviced, limits.servicing),),
        "ready": (("launched", ship.launched, limits.launch_or_land),),
        "landed": (
            ("landed", ship.landed, limits.launch_or_land),
            ("lowered", ship.lowered, limits.lower),
        ),
    }[box]
    return ", ".join(f"{word} {number}/{limit}" for word, number, limit in usage if number)


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
    row = index.game_data.us_ships[carrier]
    deck_units, limits = units_on_deck(index.table, carrier), deck_limits(index.table, carrier)
    launch_note = " no launch" if deck_units > limits.launch_occupancy else ""
    deck = f"deck {deck_units}/{limits.flight_deck}{launch_note}"
    state = carrier_state(index, carrier)
    header = BoardRow(
        "",
        (BoardItem(carrier, f"{row.name} {row.type}".ljust(_NAME_CELLS), TextRole.CHIP_ONE),),
        f"{deck} {state}".strip(),
        tail_tone=_state_tone(index, carrier),
    )
    return BoardBlock((header, *(_box_row(index, carrier, box) for box in ABOARD)))


def unit_chip(index: Index, unit: str) -> str:
    """Return the type of an air unit aboard. If its home carrier is a different ship, add that carrier's name."""
    row = index.game_data.air_units[unit]
    home = "" if index.view.units[unit].at == row.carrier else f" {display_name(row.carrier)}"
    return f"{row.type}{home}"


def _box_row(index: Index, carrier: str, box: Box) -> BoardRow:
    units = sorted(index.units(box, carrier), key=lambda unit: (index.air_type(unit), unit))
    items = tuple(BoardItem(unit, unit_chip(index, unit), _BOX_TONES[box]) for unit in units)
    return BoardRow(_BOX_LABELS[box], items, box_usage(index, carrier, box))


def _air_block(index: Index, group: str, *, is_first: bool) -> BoardBlock | None:
    """Return a group's CAP and, for the first group in a hex, the hex's other missions; None without missions."""
    hex = index.view.groups[group].hex
    missions = index.missions_at(hex) if is_first else ()
    rows = tuple(_flight_row(index, mission) for mission in (*index.cap_missions(group), *missions))
    return BoardBlock(rows) if rows else None


def _flight_row(index: Index, mission: str) -> BoardRow:
    flight = index.view.missions[mission]
    fuel = (
        "CAP"
        if flight.cap
        else f"fuel {flight.fuel}"
        if flight.fuel > 0
        else f"CRITICAL {-flight.fuel}"
    )
    units = index.mission_units(mission)
    return BoardRow(
        f" {display_name(mission).ljust(_MISSION_CELLS)} ",
        tuple(BoardItem(unit, index.air_type(unit), TextRole.CHIP_STORED) for unit in units),
        fuel,
        TextRole.CHIP_ONE if flight.cap else TextRole.CHIP_FLIGHT,
        TextRole.BAD if not flight.cap and flight.fuel <= 0 else TextRole.DIM,
    )


def group_text(index: Index, group: str) -> str:
    """Describe a task group: its hex, CAP, marker and lights (4.33, 6.43, 17.0)."""
    task_group = index.view.groups[group]
    cap = sum(len(index.mission_units(mission)) for mission in index.cap_missions(group))
    parts = [f"{display_name(group)} at {hex_text(index, task_group.hex)}"]
    if index.carriers(group):
        parts.append(f"CAP {cap}/{CAP_UNITS}")
    parts.append("on its own" if task_group.is_detached else "with TF 58")
    if task_group.heading:
        parts.append(f"heading {task_group.heading}")
    if task_group.marker:
        parts.append({"leeward": "leeward move", "station": "keeps station"}[task_group.marker])
    if task_group.is_lit:
        parts.append("LIGHTS ON")
    return ", ".join(parts)


def sections(index: Index, groups: Iterable[str]) -> Iterator[BoardSection]:
    """Yield the carriers of these groups and the missions over them."""
    seen_hexes: set[str] = set()
    for group in groups:
        hex = index.view.groups[group].hex
        blocks = [_carrier_block(index, carrier) for carrier in index.carriers(group)]
        # If several groups are in a hex, its missions are listed with the first group.
        air_block = _air_block(index, group, is_first=hex not in seen_hexes)
        seen_hexes.add(hex)
        yield BoardSection(
            group_text(index, group), (*blocks, *((air_block,) if air_block else ()))
        )


def _descriptions(index: Index) -> dict[str, str]:
    """Return a one-line description for each carrier and unit."""
    descriptions = {}
    for unit, unit_piece in index.view.units.items():
        row = index.game_data.air_types[index.air_type(unit)]
        kind = f"{index.air_type(unit)} {'night ' if row.night else ''}{row.role}"
        location = BOX_NAMES.get(unit_piece.place, unit_piece.place)
        descriptions[unit] = f"{display_name(unit)}, {kind}, fuel {row.endurance}, {location}"
    for carrier, ship_piece in index.view.ships.items():
        ship = index.game_data.us_ships[carrier]
        if ship.is_carrier:
            step = _STEP_NAMES[min(ship_piece.step, len(_STEP_NAMES) - 1)]
            step_text = f", has gone on to {step}" if step else ""
            descriptions[carrier] = f"{ship.name} ({ship.type}, AA {ship.aa}){step_text}"
    return descriptions


def _build_board(index: Index, options: Iterable[Any], groups: Iterable[str]) -> GameBoard:
    options = tuple(options)
    view = index.view
    done_orders = tuple(order for order in options if isinstance(order, c.Done))
    segment = segment_name(view.segment) or "set-up"
    return GameBoard(
        title=f"{BOARD_NAME} | {view.day} {view.time}/{view.phase} {view.light} | {segment}",
        sections=tuple(sections(index, groups)),
        actions=available_actions(index, options),
        general_actions=(BoardAction(DONE_KEY, "done", done_orders),) if done_orders else (),
        descriptions=_descriptions(index),
        key=KEY,
    )


def carrier_board(index: Index, options: Iterable[Any]) -> GameBoard:
    """Return the board of all carriers."""
    return _build_board(index, options, index.carrier_groups())


def group_board(
    index: Index,
    options: Iterable[Any],
    highlighted: Any,  # noqa: ANN401  (any command)
    cursor: str,
) -> GameBoard | None:
    """Return the board for the relevant group; None outside US Air Operations (6.2).

    Args:
        index: Index of the player's view.
        options: The available orders.
        highlighted: The highlighted order in the list; None if there is none.
        cursor: Hex under the map cursor.
    """
    if index.view.segment != "operations":
        return None
    options = tuple(options)
    groups = index.carrier_groups()
    order_groups = (_order_group(index, order) for order in (highlighted, *options))
    groups_at_cursor = (group for group in groups if index.view.groups[group].hex == cursor)
    # Prefer the highlighted order's group, then any other order's group, then the group at the
    # cursor, then any group.
    group = first_or_empty(
        chain(
            (order_group for order_group in order_groups if order_group in groups),
            groups_at_cursor,
            groups,
        )
    )
    if not group:
        return None
    return replace(
        _build_board(index, options, (group,)),
        highlighted=_order_item(index, highlighted),
        order=highlighted,
    )


def _order_group(index: Index, order: Any) -> str:  # noqa: ANN401  (any command)
    """Return the group of the carrier that an order is for; empty for other orders."""
    item = _order_item(index, order)
    unit = index.view.units.get(item)
    location = unit.at if unit is not None else item
    ship = index.view.ships.get(location)
    if ship is not None:
        return ship.group
    mission = index.view.missions.get(location)
    return mission.cap if mission is not None else ""


def carrier_lines(index: Index, carrier: str) -> tuple[str, ...]:
    """Return one carrier's state and the contents of its boxes."""
    state = carrier_state(index, carrier)
    deck = f"flight deck {units_on_deck(index.table, carrier)}/{deck_limits(index.table, carrier).flight_deck}"
    lines = [f"{deck}{f', {state}' if state else ''}"]
    for box in ABOARD:
        units = index.units(box, carrier)
        unit_text = ", ".join(f"{index.air_type(unit)} {short_unit(index, unit)}" for unit in units)
        usage = box_usage(index, carrier, box)
        lines.append(f"{_BOX_LABELS[box]}{unit_text or '-'}{f' ({usage})' if usage else ''}")
    return tuple(lines)
