"""Arranges long lists of orders as a shallow tree: by moving unit or by verb, then by carrier, unit and map row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from engine.cbps.commands import (
    Aim,
    BreakOff,
    Cap,
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
    Store,
    Torpedo,
    Tow,
)
from engine.cbps.frames import AimFrame, AirMovementFrame, BoatsFrame, OverflightFrame, SailFrame
from engine.cbps.prose.names import display_name
from engine.cbps.strikes.ch05_attack import best_target
from play.choices import MAX_FLAT_OPTIONS, Cells, Choice, Tick
from tui.cbps.index import Index
from tui.cbps.texts import detail, label, mission_text, short_label, short_unit, subject, unit_text

_LONG: Final = 30
"""Maximum number of hexes listed for one unit. If there are more, the moves are grouped by map row."""
_MOVES: Final = (Fly, Hold, Deploy, Sail, Tow, Hunt, Contact, Torpedo, BreakOff)
"""Orders for missions, groups and submarines during movement."""
_MOVEMENT: Final = (AirMovementFrame, SailFrame, BoatsFrame)
Kind = Callable[[Any], str]


def option_tree(index: Index, options: Sequence[Any], kind: Kind) -> tuple[Choice, ...]:
    """Return orders as a tree. During movement, each moving unit has a heading.

    Args:
        index: Lookups in the view.
        options: The orders.
        kind: Returns the heading for all orders with the same verb.
    """
    frame = index.view.frames[-1] if index.view.frames else None
    if isinstance(frame, AimFrame):
        options = sorted(
            options, key=partial(_target_rank, index, best_target(index.table, frame.target))
        )
    moves = [one for one in options if isinstance(frame, _MOVEMENT) and isinstance(one, _MOVES)]
    rest = [one for one in options if one not in moves] if moves else options
    lines = [*_group_by_mover(index, moves), *_group_by_verb(index, rest, kind)]
    ends = [line for line in lines if isinstance(line.command, Done)]
    others = [line for line in lines if line not in ends]
    if isinstance(frame, SailFrame):  # most groups stay, and a stray key press must not move any
        ends = [replace(line, is_likely=True) for line in ends]
    return (*ends, *others) if isinstance(frame, OverflightFrame) else (*others, *ends)


def _target_rank(index: Index, best: str, order: Any) -> int:  # noqa: ANN401  (any command)
    """Return the sort key of a target: best target first, then other carriers, then the rest (D-5.61)."""
    ship = order.ship if isinstance(order, Aim) else ""
    if ship == best:
        return 0
    known = index.book.japanese_ships.get(ship)
    return 1 if known is not None and known.is_carrier else 2


def _group_by_mover(index: Index, moves: list[Any]) -> list[Choice]:
    """Return moves grouped by moving unit. A single unit needs no heading."""
    movers = group_by(moves, lambda order: (subject(index, order) or ("", ""))[0])
    if len(movers) == 1:
        return [Choice(label(index, order), order) for order in moves]
    return [
        Choice(label(index, orders[0]), orders[0])
        if len(orders) == 1
        else _heading(_mover_text(index, mover), _group_by_row(index, orders))
        for mover, orders in movers.items()
    ]


def _mover_text(index: Index, mover: str) -> str:
    return mission_text(index, mover) if mover in index.view.missions else display_name(mover)


def _group_by_verb(index: Index, options: Sequence[Any], kind: Kind) -> list[Choice]:
    """Return orders grouped by verb. A short list needs no headings."""
    landings = sum(isinstance(one, Land) for one in options)
    if len(options) <= MAX_FLAT_OPTIONS and landings <= 1:
        return [Choice(label(index, order), order) for order in sorted(options, key=_rank)]
    verbs = group_by(sorted(options, key=_rank), type)
    several = [group for group in verbs.values() if len(group) > 1]
    lines: list[Choice] = []
    for group in verbs.values():
        if len(group) == 1:
            lines.append(Choice(label(index, group[0]), group[0]))
        elif isinstance(group[0], Land) and verbs.keys() - {Land, Done}:
            lines.append(_heading(_LANDINGS, _group_by_carrier(index, group)))
        elif len(several) == 1:
            lines += _group_by_carrier(index, group)
        else:
            lines.append(
                Choice(kind(group[0]), None, tuple(_group_by_carrier(index, group)), len(group))
            )
    return lines


_RANKS: Final[Mapping[type[Any], int]] = {Launch: 0, Cap: 1, Fly: 1, Hold: 1, Land: 3, Done: 4}
_WORK: Final = 2
_LANDINGS: Final = "Land units"
"""Heading for the list of landings. The list is long and follows all launches."""


def _rank(order: Any) -> int:  # noqa: ANN401  (any command)
    """Return the sort key of an order: launches, flights, deck work, landings, then the end of the step."""
    return _RANKS.get(type(order), _WORK)


_TICKED: Final = (Raise, Service, Store, Lower, Land)
"""Orders for a single unit that are usually given several times in a row."""


def tick(index: Index, order: Any, kind: Kind) -> Tick | None:  # noqa: ANN401  (any command)
    """Return how to group an order for ticking; None if it can be given only alone."""
    match order:
        case Launch(mission=mission):
            group = f"{kind(order)} into {mission_text(index, mission)}"
        case Cap(mission=mission):
            group = f"{kind(order)}: {mission_text(index, mission)}"
        case Land(carrier=carrier):
            return Tick(f"Land on {display_name(carrier)}", sublist=_LANDINGS, rank=_rank(order))
        case _ if isinstance(order, _TICKED):
            group = kind(order)
        case _:
            return None
    return Tick(group, _carrier_text(index, _carrier(index, order.unit)), rank=_rank(order))


def cells(index: Index, order: Any, *, has_place: bool) -> Cells:  # noqa: ANN401  (any command)
    """Return an order's air unit in columns: symbol, name and type. Without a place, the name is shortened."""
    if tick(index, order, str) is None:
        return ()
    kind = index.kind(order.unit)
    return ("◆", display_name(order.unit) if has_place else short_unit(index, order.unit), kind)


def _group_by_carrier(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders with the same verb, grouped by carrier if they concern many air units."""
    if isinstance(orders[0], Land):
        return _landings(index, orders)
    if len(orders) <= MAX_FLAT_OPTIONS:
        return [Choice(short_label(index, order), order) for order in orders]
    if not hasattr(orders[0], "unit"):
        return _group_by_subject(index, orders)
    known = tuple(index.book.us_ships)
    held = group_by(orders, lambda order: _carrier(index, order.unit))
    carriers = {one: held[one] for one in (*(one for one in known if one in held), *held)}
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
        mission: [line for unit in held for line in _landing(index, units[unit])]
        for mission, held in by_mission.items()
    }
    if len(lines) == 1 or sum(map(len, lines.values())) <= MAX_FLAT_OPTIONS:
        return [line for held in lines.values() for line in held]
    return [_heading(_mover_text(index, mission), held) for mission, held in lines.items()]


def _landing_urgency(index: Index, unit: str) -> tuple[int, int]:
    """Return the urgency of a landing as a sort key: returning units by fuel, then CAP, then newly launched units."""
    mission = index.view.missions.get(index.view.units[unit].at)
    if mission is None:
        return (0, 0)
    return (2 if mission.is_fresh else 1 if mission.cap else 0, mission.fuel)


def _landing(index: Index, orders: list[Land]) -> list[Choice]:
    """Return the landings of one unit."""
    unit = orders[0].unit
    home = index.book.air_units[unit].carrier
    own = [one for one in orders if one.carrier == home]
    other = [one for one in orders if one.carrier != home]
    lines = [Choice(label(index, one), one) for one in own]
    if len(other) == 1:
        lines.append(Choice(label(index, other[0]), other[0]))
    elif other:
        below_it = [Choice(detail(index, one), one) for one in other]
        words = f"Land {unit_text(index, unit)} on another carrier"
        lines.append(_heading(words if own else words.replace("another", "a"), below_it))
    return lines


# -- carriers, units, places


def _carrier(index: Index, unit: str) -> str:
    """Return a unit's carrier or mission."""
    return index.view.units[unit].at or index.book.air_units[unit].carrier


def _carrier_text(index: Index, carrier: str) -> str:
    ship = index.view.ships.get(carrier)
    return (
        f"{display_name(carrier)}, {display_name(ship.group)}"
        if ship is not None and ship.group
        else display_name(carrier)
    )


def _group_by_subject(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders with the same verb, grouped by the unit that they concern."""
    things = group_by(orders, lambda order: (subject(index, order) or ("", ""))[0])
    if len(things) == len(orders):
        return [Choice(short_label(index, order), order) for order in orders]
    lines = []
    for thing, group in things.items():
        if len(group) == 1:
            lines.append(Choice(short_label(index, group[0]), group[0]))
            continue
        words = unit_text(index, thing) if thing in index.view.units else display_name(thing)
        lines.append(_heading(words or "Other", _group_by_row(index, group)))
    return lines


def _group_by_row(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders for one unit, grouped by map row if there are many hexes."""
    lines = [Choice(detail(index, order), order) for order in orders]
    if len(orders) <= _LONG or not hasattr(orders[0], "hex"):
        return lines
    rows = group_by(lines, lambda line: str(line.command.hex)[:2])
    return [_heading(f"Row {row} of the map", group) for row, group in rows.items()]


def _heading(title: str, lines: list[Choice]) -> Choice:
    """Return a heading above lines; if the only line is itself a heading, return that line instead."""
    if len(lines) == 1 and lines[0].is_heading:
        return lines[0]
    return Choice(title, None, tuple(lines), sum(line.count for line in lines))


def group_by(things: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Group items by a key. Keys are in order of first occurrence."""
    groups: dict[Any, list[Any]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups
