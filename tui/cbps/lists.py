"""Long lists of orders as a short tree: by verb, then by carrier and unit, by mission, by boat, by row of the map."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from engine.cbps.commands import Done
from engine.cbps.prose.names import name
from play.choices import FLAT, Choice
from tui.cbps.index import Index
from tui.cbps.words import below, detail, label, subject, unit_words

_LONG: Final = 30
"""So many hexes of one thing are sorted by rows of the map."""
_FEW: Final = 6
"""So many moves of several things stand in one list."""
Kind = Callable[[Any], str]


def tree(index: Index, options: Sequence[Any], kind: Kind) -> tuple[Choice, ...]:
    """Return orders as a tree that keeps their order.

    Args:
        index: The table.
        options: The orders.
        kind: Words for all orders of the same verb.
    """
    if len(options) <= FLAT and not _is_of_several(index, options):
        return tuple(Choice(label(index, order), order) for order in options)
    verbs = grouped(options, type)
    several = [group for group in verbs.values() if len(group) > 1]
    lines: list[Choice] = []
    for group in verbs.values():
        if len(group) == 1:
            lines.append(Choice(label(index, group[0]), group[0]))
        elif len(several) == 1:
            lines += _of_verb(index, group)
        else:
            lines.append(Choice(kind(group[0]), None, tuple(_of_verb(index, group)), len(group)))
    ends = [line for line in lines if isinstance(line.command, Done)]
    return (*(line for line in lines if line not in ends), *ends)


def _is_of_several(index: Index, options: Sequence[Any]) -> bool:
    """Return whether several missions, groups or boats may go to several hexes each."""
    moves = [order for order in options if "hex" in order.__struct_fields__]
    things = {subject(index, order) for order in moves}
    return len(things) > 1 and len(moves) > _FEW


def _of_verb(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders of one verb, by carriers where they are about many air units."""
    if len(orders) <= FLAT and not _is_of_several(index, orders):
        return [Choice(below(index, order), order) for order in orders]
    if not hasattr(orders[0], "unit"):
        return _of_things(index, orders)
    known = tuple(index.book.us_ships)
    held = grouped(orders, lambda order: _carrier(index, order.unit))
    carriers = {one: held[one] for one in (*(one for one in known if one in held), *held)}
    if len(carriers) == 1:
        return _of_things(index, orders)
    return [
        _heading(_carrier_words(index, carrier), _of_things(index, group))
        for carrier, group in carriers.items()
    ]


def _carrier(index: Index, unit: str) -> str:
    """Return the carrier or mission in which a unit is."""
    return index.view.units[unit].at or index.book.air_units[unit].carrier


def _carrier_words(index: Index, carrier: str) -> str:
    ship = index.view.ships.get(carrier)
    return (
        f"{name(carrier)}, {name(ship.group)}" if ship is not None and ship.group else name(carrier)
    )


def _of_things(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders of one verb by the thing that they are about."""
    things = grouped(orders, lambda order: (subject(index, order) or ("", ""))[0])
    if len(things) == len(orders):
        return [Choice(below(index, order), order) for order in orders]
    lines = []
    for thing, group in things.items():
        if len(group) == 1:
            lines.append(Choice(below(index, group[0]), group[0]))
            continue
        words = unit_words(index, thing) if thing in index.view.units else name(thing)
        lines.append(_heading(words or "Other", _of_places(index, group)))
    return lines


def _of_places(index: Index, orders: list[Any]) -> list[Choice]:
    """Return orders about one thing, by rows of the map where there are many hexes."""
    lines = [Choice(detail(index, order), order) for order in orders]
    if len(orders) <= _LONG or not hasattr(orders[0], "hex"):
        return lines
    rows = grouped(lines, lambda line: str(line.command.hex)[:2])
    return [_heading(f"Row {row} of the map", group) for row, group in rows.items()]


def _heading(title: str, lines: list[Choice]) -> Choice:
    """Return a heading above lines; one that would stand above one list alone is left out."""
    if len(lines) == 1 and lines[0].is_heading:
        return lines[0]
    return Choice(title, None, tuple(lines), sum(line.count for line in lines))


def grouped(things: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Return things by a key, in the order in which each key comes first."""
    groups: dict[Any, list[Any]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups
