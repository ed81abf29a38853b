"""Arranges long lists of orders as a shallow tree: by moving unit or verb, then by carrier, unit and map row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from engine.cbps.commands import (
    Aim,
    BreakOff,
    Cap,
    Commit,
    Contact,
    Deploy,
    Done,
    Fly,
    Hold,
    Hunt,
    Land,
    Launch,
    Lower,
    Raise,
    Sail,
    Service,
    Station,
    Store,
    Torpedo,
    Tow,
)
from engine.cbps.frames import (
    AimFrame,
    AirMovementFrame,
    BoatsFrame,
    OperationsFrame,
    OverflightFrame,
    SailFrame,
    SearchChoiceFrame,
    SetupFrame,
)
from engine.cbps.prose.names import display_name
from engine.cbps.sequence.ch03_sequence import PHASES
from engine.cbps.strikes.ch05_attack import best_target
from play.choices import MAX_FLAT_OPTIONS, Cells, Choice, Tick
from tui.cbps.index import Index
from tui.cbps.texts import (
    detail,
    label,
    mission_text,
    short_label,
    short_unit,
    subject,
    type_counts,
    unit_text,
)

_MAX_UNGROUPED: Final = 30
"""Maximum number of hexes in a flat list for one unit. Longer lists are grouped by map row."""
_MOVE_COMMANDS: Final = (Fly, Hold, Deploy, Sail, Tow, Hunt, Contact, Torpedo, BreakOff)
"""Orders for missions, groups and submarines during movement."""
_MOVEMENT_FRAMES: Final = (AirMovementFrame, SailFrame, BoatsFrame)
VerbHeading = Callable[[Any], str]


def option_tree(
    index: Index, options: Sequence[Any], verb_heading: VerbHeading
) -> tuple[Choice, ...]:
    """Return orders as a tree. During movement, each moving unit has a heading.

    Args:
        index: Index of the player's view.
        options: The orders.
        verb_heading: Returns the heading for all orders with the same verb.
    """
    frame = index.view.frames[-1] if index.view.frames else None
    if isinstance(frame, AimFrame):
        options = sorted(
            options, key=partial(_target_rank, index, best_target(index.table, frame.target))
        )
    has_deck_work = isinstance(frame, OperationsFrame)
    moves = [
        order
        for order in options
        if (isinstance(frame, _MOVEMENT_FRAMES) and isinstance(order, _MOVE_COMMANDS))
        or (has_deck_work and isinstance(order, Fly))
    ]
    other_orders = [order for order in options if order not in moves] if moves else options
    move_lines = _group_by_mover(index, moves, names_single=has_deck_work)
    lines = [*move_lines, *_group_by_verb(index, other_orders, verb_heading)]
    if has_deck_work:  # a mission flies after its launch
        lines.sort(key=_launches_first)
    ending_lines = [line for line in lines if isinstance(line.command, Done)]
    other_lines = [line for line in lines if line not in ending_lines]
    # Most groups stay where they are, and a stray key press must not move one.
    if isinstance(frame, SailFrame) or _may_stay(index, frame, options):
        ending_lines = [replace(line, is_likely=True) for line in ending_lines]
    # In an overflight, ending the step is the automatic answer, because it makes all ships fire.
    return (
        (*ending_lines, *other_lines)
        if isinstance(frame, OverflightFrame)
        else (*other_lines, *ending_lines)
    )


def _launches_first(line: Choice) -> bool:
    return not all(isinstance(command, Launch | Cap) for command in line.commands())


def _may_stay(index: Index, frame: object, options: Sequence[Any]) -> bool:
    """Return whether ending the step costs nothing.

    It costs nothing if only CAP could leave its box, if each strike already has a target, or if the turn's searches can
    still be flown in a later phase.
    """
    orders = [order for order in options if not isinstance(order, Done)]
    match frame:
        case AirMovementFrame():
            return bool(orders) and all(isinstance(order, Deploy) for order in orders)
        case SearchChoiceFrame(is_morning=False):
            return index.view.phase < PHASES
        case SetupFrame():
            return bool(orders) and all(
                isinstance(order, Station) and order.name in index.view.missions for order in orders
            )
        case _:
            return False


def _target_rank(index: Index, best_target: str, order: Any) -> int:  # noqa: ANN401  (any command)
    """Return the sort key of a target: best target first, then other carriers, then all other ships (D-5.61)."""
    ship = order.ship if isinstance(order, Aim) else ""
    if ship == best_target:
        return 0
    ship_data = index.game_data.japanese_ships.get(ship)
    return 1 if ship_data is not None and ship_data.is_carrier else 2


def _group_by_mover(
    index: Index, move_options: list[Any], *, names_single: bool = False
) -> list[Choice]:
    """Return moves grouped by moving unit. A single unit has a heading only if `names_single` is True."""
    movers = group_by(move_options, lambda order: (subject(index, order) or ("", ""))[0])
    if len(movers) == 1 and not names_single:
        return [Choice(label(index, order), order) for order in move_options]
    return [
        Choice(label(index, orders[0]), orders[0])
        if len(orders) == 1
        else _heading(
            f"{'Fly ' if names_single else ''}{_mover_text(index, mover)}",
            _group_by_row(index, orders),
        )
        for mover, orders in movers.items()
    ]


def _mover_text(index: Index, mover: str) -> str:
    return mission_text(index, mover) if mover in index.view.missions else display_name(mover)


def _group_by_verb(index: Index, options: Sequence[Any], verb_heading: VerbHeading) -> list[Choice]:
    """Return orders grouped by verb. A short list needs no headings."""
    landings = sum(isinstance(order, Land) for order in options)
    if len(options) <= MAX_FLAT_OPTIONS and landings <= 1:
        return [Choice(label(index, order), order) for order in sorted(options, key=_order_rank)]
    verbs = group_by(sorted(options, key=_order_rank), type)
    large_groups = [group for group in verbs.values() if len(group) > 1]
    lines: list[Choice] = []
    for group in verbs.values():
        if len(group) == 1:
            lines.append(Choice(label(index, group[0]), group[0]))
        # If there are only landings, they need no heading.
        elif isinstance(group[0], Land) and verbs.keys() - {Land, Done}:
            lines.append(_heading(_LANDINGS_TITLE, _group_by_carrier(index, group)))
        elif len(large_groups) == 1:
            lines += _group_by_carrier(index, group)
        else:
            lines.append(
                Choice(
                    verb_heading(group[0]), None, tuple(_group_by_carrier(index, group)), len(group)
                )
            )
    return lines


_ORDER_RANKS: Final[Mapping[type[Any], int]] = {
    Launch: 0,
    Cap: 1,
    Fly: 1,
    Hold: 1,
    Land: 3,
    Done: 4,
}
_WORK_RANK: Final = 2
_CAP_TITLE: Final = "Launch CAP"
"""Heading of the launches into CAP."""
_LANDINGS_TITLE: Final = "Land units"
"""Heading of the landings. These are in a sublist after the launches, because there can be many."""


def _order_rank(order: Any) -> int:  # noqa: ANN401  (any command)
    """Return the sort key of an order: launches, flights, deck work, landings, then the end of the step."""
    return _ORDER_RANKS.get(type(order), _WORK_RANK)


def _tick_rank(order: Any) -> int:  # noqa: ANN401  (any command)
    """Return the sort key of a group of tickable orders.

    The gaps between keys leave room for the orders in the group.
    """
    return _order_rank(order) * _RANK_STEP


_RANK_STEP: Final = 1000
_TICKABLE_COMMANDS: Final = (Raise, Service, Store, Lower, Land)
"""Orders for a single unit that players usually give to several units in a row."""


def tick(index: Index, order: Any, verb_heading: VerbHeading) -> Tick | None:  # noqa: ANN401  (any command)
    """Return the group of a tickable order; None if the order cannot be ticked."""
    match order:
        case Launch(mission=mission):
            group = f"{verb_heading(order)} into {mission_text(index, mission)}"
        case Cap(mission=mission):
            return Tick(
                f"{verb_heading(order)}: {mission_text(index, mission)}",
                _carrier_text(index, _carrier_of(index, order.unit)),
                sublist=_CAP_TITLE,
                rank=_tick_rank(order) + (mission not in index.view.missions),
            )
        case Land(unit=unit, carrier=carrier):
            mission = index.view.units[unit].at
            is_away = carrier != index.game_data.air_units[unit].carrier
            return Tick(
                f"Land {_mover_text(index, mission)}",
                sublist=_LANDINGS_TITLE,
                rank=_tick_rank(order) + 2 * sum(_landing_urgency(index, unit)) + is_away,
            )
        case Commit():
            return Tick("Missions that fight here", question_names_group=True)
        case _ if isinstance(order, _TICKABLE_COMMANDS):
            group = verb_heading(order)
        case _:
            return None
    return Tick(group, _carrier_text(index, _carrier_of(index, order.unit)), rank=_tick_rank(order))


def cells(index: Index, order: Any, *, has_place: bool) -> Cells:  # noqa: ANN401  (any command)
    """Return the list columns for an order: symbol, name and details. Empty if the order has no columns.

    If `has_place` is False, the name of an air unit is shortened.
    """
    if isinstance(order, Commit):
        mission = index.view.missions[order.mission]
        fuel_text = f"CAP {display_name(mission.cap)}" if mission.cap else f"fuel {mission.fuel}"
        counts = type_counts(index, index.mission_units(order.mission))
        return ("◆", display_name(order.mission), counts, fuel_text)
    if isinstance(order, Land):
        return ("◆", display_name(order.unit), f"on {display_name(order.carrier)}")
    # The remaining tickable orders are all for air units. The heading passed here has no effect.
    if tick(index, order, str) is None:
        return ()
    air_type = index.air_type(order.unit)
    return ("◆", display_name(order.unit) if has_place else short_unit(index, order.unit), air_type)


def _group_by_carrier(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders with the same verb, grouped by carrier if they are for many air units."""
    if isinstance(orders[0], Land):
        return _landings(index, orders)
    if len(orders) <= MAX_FLAT_OPTIONS:
        return [Choice(short_label(index, order), order) for order in orders]
    if not hasattr(orders[0], "unit"):
        return _group_by_subject(index, orders)
    ship_order = tuple(index.game_data.us_ships)
    orders_by_carrier = group_by(orders, lambda order: _carrier_of(index, order.unit))
    # List carriers in the order of the game data, followed by missions.
    carriers = {
        carrier: orders_by_carrier[carrier]
        for carrier in (
            *(carrier for carrier in ship_order if carrier in orders_by_carrier),
            *orders_by_carrier,
        )
    }
    if len(carriers) == 1:
        return _group_by_subject(index, orders)
    return [
        _heading(_carrier_text(index, carrier), _group_by_subject(index, group))
        for carrier, group in carriers.items()
    ]


# -- landings


def _landings(index: Index, orders: list[Land]) -> list[Choice]:
    """Return landings, most urgent first. In a long list, each mission has a heading."""
    units = group_by(orders, lambda order: order.unit)
    by_mission = group_by(
        sorted(units, key=lambda unit: _landing_urgency(index, unit)),
        lambda unit: index.view.units[unit].at,
    )
    lines = {
        mission: [line for unit in group for line in _unit_landings(index, units[unit])]
        for mission, group in by_mission.items()
    }
    if len(lines) == 1 or sum(map(len, lines.values())) <= MAX_FLAT_OPTIONS:
        return [line for group in lines.values() for line in group]
    return [_heading(_mover_text(index, mission), group) for mission, group in lines.items()]


def _landing_urgency(index: Index, unit: str) -> tuple[int, int]:
    """Return a sort key for landings, most urgent first: returning units by fuel, CAP, then newly launched units."""
    mission = index.view.missions.get(index.view.units[unit].at)
    if mission is None:
        return (0, 0)
    return (200 if mission.is_fresh else 100 if mission.cap else 0, mission.fuel)


def _unit_landings(index: Index, orders: list[Land]) -> list[Choice]:
    """Return one unit's landings: on its home carrier first, then all others under one heading."""
    unit = orders[0].unit
    home = index.game_data.air_units[unit].carrier
    home_landings = [landing for landing in orders if landing.carrier == home]
    other_landings = [landing for landing in orders if landing.carrier != home]
    lines = [Choice(label(index, landing), landing) for landing in home_landings]
    if len(other_landings) == 1:
        lines.append(Choice(label(index, other_landings[0]), other_landings[0]))
    elif other_landings:
        sublines = [Choice(detail(index, landing), landing) for landing in other_landings]
        title = f"Land {unit_text(index, unit)} on another carrier"
        lines.append(_heading(title if home_landings else title.replace("another", "a"), sublines))
    return lines


# -- carriers, units, places


def _carrier_of(index: Index, unit: str) -> str:
    """Return the mission that a unit is in, or its carrier if it is not flying."""
    return index.view.units[unit].at or index.game_data.air_units[unit].carrier


def _carrier_text(index: Index, carrier: str) -> str:
    ship = index.view.ships.get(carrier)
    return (
        f"{display_name(carrier)}, {display_name(ship.group)}"
        if ship is not None and ship.group
        else display_name(carrier)
    )


def _group_by_subject(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders with the same verb, grouped by the unit, mission or group that they are for."""
    groups = group_by(orders, lambda order: (subject(index, order) or ("", ""))[0])
    if len(groups) == len(orders):
        return [Choice(short_label(index, order), order) for order in orders]
    lines = []
    for unit, group in groups.items():
        if len(group) == 1:
            lines.append(Choice(short_label(index, group[0]), group[0]))
            continue
        title = unit_text(index, unit) if unit in index.view.units else display_name(unit)
        lines.append(_heading(title or "Other", _group_by_row(index, group)))
    return lines


def _group_by_row(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders for one unit, grouped by map row if there are many hexes."""
    lines = [Choice(detail(index, order), order) for order in orders]
    if len(orders) <= _MAX_UNGROUPED or not hasattr(orders[0], "hex"):
        return lines
    # The first two digits of a hex number are its row.
    rows = group_by(lines, lambda line: str(line.command.hex)[:2])
    return [_heading(f"Row {row} of the map", group) for row, group in rows.items()]


def _heading(title: str, lines: list[Choice]) -> Choice:
    """Return a heading with the given lines below it. If the only line is already a heading, return that line."""
    if len(lines) == 1 and lines[0].is_heading:
        return lines[0]
    return Choice(title, None, tuple(lines), sum(line.count for line in lines))


def group_by(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Group items by key, in the order in which the keys first occur."""
    groups: dict[Any, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
