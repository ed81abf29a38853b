"""Map counters for stacks and units in Empire of the Sun, such as ``▲3◆1■2★``, or ``n3a1g2H`` in ASCII."""

from collections.abc import Sequence
from typing import Final

from engine.eots.counters import counters
from engine.eots.ids import Category, Side
from engine.eots.view import UnitView
from tui.eots.index import Stack
from tui.eots.texts import SIDE_LETTERS, printed_values, short_name
from tui.maps.enums import Owner
from tui.maps.hexmap.elements import Emphasis, MapCounter

SIDE_OWNERS: Final = {Side.ALLIED: Owner.ONE, Side.JAPAN: Owner.TWO, None: Owner.NONE}
ICONS: Final = {
    Category.NAVAL: "▲",
    Category.AIR: "◆",
    Category.GROUND: "■",
    Category.HQ: "★",
}
"""Ships, aircraft, ground units and headquarters. Each symbol is one cell wide in every terminal."""
_COUNTED_CATEGORIES: Final = (Category.NAVAL, Category.AIR, Category.GROUND)
_UNSUPPLIED_MARK: Final = "!"


def is_reduced(unit: UnitView) -> bool:
    """Return whether a unit has lost a step."""
    return counters()[unit.id].max_steps > 1 and unit.steps == 1


def _emphasis(units: Sequence[UnitView], activated_ids: frozenset[str]) -> Emphasis:
    if not any(unit.supplied for unit in units):
        return Emphasis.HOLLOW
    if any(unit.id in activated_ids for unit in units):
        return Emphasis.ACTIVE
    return Emphasis.NORMAL


def stack_counter(stack: Stack, activated_ids: frozenset[str]) -> MapCounter:
    """Return the counter for a stack, with the number of units in each category.

    Args:
        stack: Units of one side.
        activated_ids: Ids of the units activated in the offensive.
    """
    counts = [(ICONS[category], stack.count(category)) for category in _COUNTED_CATEGORIES]
    parts = [f"{icon}{count}" for icon, count in counts if count]
    hq = ICONS[Category.HQ] if stack.count(Category.HQ) else ""
    emphasis = _emphasis(stack.units, activated_ids)
    is_partly_unsupplied = emphasis is not Emphasis.HOLLOW and any(
        not unit.supplied for unit in stack.units
    )
    largest_icon = max(counts, key=lambda pair: pair[1])[0] if parts else hq
    return MapCounter(
        text="".join(parts) + hq + (_UNSUPPLIED_MARK if is_partly_unsupplied else ""),
        brief=str(len(stack.units)),
        icon=largest_icon,
        owner=SIDE_OWNERS[stack.side],
        mark=SIDE_LETTERS[stack.side],
        emphasis=emphasis,
        is_reduced=any(map(is_reduced, stack.units)),
    )


def unit_counter(unit: UnitView, activated_ids: frozenset[str]) -> MapCounter:
    """Return the counter for a single unit, including its values."""
    row = counters()[unit.id]
    values_text = "HQ" if row.is_hq else printed_values(row, unit.steps).split(" ")[0]
    return MapCounter(
        text=f"{ICONS[row.category]}{row.counter_label or short_name(unit.id)} {values_text}",
        owner=SIDE_OWNERS[row.side],
        mark="" if unit.supplied else _UNSUPPLIED_MARK,
        emphasis=_emphasis([unit], activated_ids),
        is_reduced=is_reduced(unit),
    )
