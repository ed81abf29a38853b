"""Lists options: groups that can be ticked together, columns, and what ending a step gives up."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.eots import commands as c
from engine.eots.board import board
from engine.eots.ch11_pools import expiring_steps, pool_name
from engine.eots.counters import Counter, counters
from engine.eots.frames import (
    DeclarationFrame,
    MovementFrame,
    OffensiveFrame,
    ReplacementFrame,
    StackFrame,
)
from engine.eots.ids import HexId, UnitId
from engine.eots.view import EotsView, UnitView
from engine.kernel.decision import Decision
from engine.kernel.sentences import count_noun
from play.choices import Cells, Tick
from tui.eots.index import Index
from tui.eots.map_counters import ICONS
from tui.eots.texts import kind, place_name, short_name

_ALONE: Final = (c.WithdrawHq, c.ReturnHq, c.Rebuild, c.ShiftStep)
"""Commands that involve more than one unit and are therefore written out in words."""
_AT_UNIT: Final = (
    c.Activate,
    c.Enlist,
    c.Hit,
    c.RemoveExcess,
    c.Repair,
    c.Bomb,
    c.Redeploy,
)
"""Commands for a single unit that are usually given several times in a row."""
_NAMED_IN_QUESTION: Final = (c.Activate, c.Hit, c.RemoveExcess)
"""Commands whose purpose is already stated in the prompt."""
_PASSED: Final[Mapping[type[c.EotsCommand], str]] = {
    c.React: "no reaction card",
    c.RollIntelligence: "no roll",
    c.ChooseHq: "nobody reacts",
}
"""What passing gives up, keyed by the type of command offered instead (5.32, 7.25, 7.26)."""
_PASSING: Final = (c.SailVia, c.FlyVia, c.AssaultVia)
_STRATEGIC: Final = (c.SailStrategic, c.FlyStrategic, c.Transport)


def tick(index: Index, command: c.EotsCommand) -> Tick | None:
    """Return how to group a command for ticking; None if it can be given only alone."""
    match command:
        case c.Join(at=at):
            return Tick(f"Battle of {place_name(at)}", _place_text(index, command.unit))
        case c.Cover(at=at):
            return Tick(f"Cover the landing in {place_name(at)}", _place_text(index, command.unit))
        case c.Repair(unit=unit, pool=pool):
            return Tick(f"{kind(command)} ({pool_name(pool)})", _place_text(index, unit))
        case _ if isinstance(command, _AT_UNIT):
            is_asked = isinstance(command, _NAMED_IN_QUESTION)
            return Tick(kind(command), _place_text(index, command.unit), is_asked)
        case _:
            return None


def _place_text(index: Index, unit: UnitId) -> str:
    found = index.units.get(unit)
    return place_name(found.at) if found is not None else ""


def cells(index: Index, command: c.EotsCommand, *, has_place: bool) -> Cells:
    """Return a command's unit in columns: symbol, name, hex, strength, reduced, range, supply."""
    unit = getattr(command, "unit", None) or getattr(command, "hq", None)
    found, row = index.units.get(UnitId(unit or "")), counters().get(UnitId(unit or ""))
    is_alone = isinstance(command, _ALONE) or hasattr(command, "to")
    if found is None or row is None or is_alone:
        return ()
    at = found.at if HexId(found.at) in board().hexes else place_name(found.at)
    where = at if has_place else ""
    name = short_name(row.id)
    if row.hq is not None:
        values = (f"range {row.hq.command_range}", f"eff {row.hq.efficiency}")
        return ICONS[row.category], name, where, *values
    strength, reach = _values(row, found)
    reduced = "red." if row.max_steps > 1 and found.steps == 1 else ""
    supply = "" if found.supplied else "no supply"
    return ICONS[row.category], name, where, strength, reduced, reach, supply


def _values(row: Counter, unit: UnitView) -> tuple[str, str]:
    """Return the strength and range on the current face; an extended range that rules out battle is in brackets."""
    if not unit.steps:
        return "", ""
    face = row.strength(unit.steps)
    reach = f"r{face.range}" if face.range else ""
    if face.extended_range is not None:
        extended = str(face.extended_range)
        reach += f"/({extended})" if face.extended_in_parentheses else f"/{extended}"
    return f"{face.attack}-{face.defense}", reach


def most_natural(commands: Sequence[c.EotsCommand]) -> tuple[c.EotsCommand, ...]:
    """Return the most likely commands for a hex: moves that end there; strategic moves only if there are no others."""
    for others in ((*_PASSING, *_STRATEGIC), _PASSING):
        found = tuple(one for one in commands if not isinstance(one, others))
        if found:
            return found
    return tuple(commands)


def way_point_notice(command: c.EotsCommand, options: Sequence[c.EotsCommand]) -> str:
    """Return a notice that a move continues past a hex, and whether it may end there; empty for other commands."""
    if not isinstance(command, _PASSING):
        return ""
    ends = any(
        getattr(one, "to", "") == command.to and not isinstance(one, (*_PASSING, *_STRATEGIC))
        for one in options
    )
    words = f"Way point {place_name(command.to)}: the move goes on"
    return f"{words}." if ends else f"{words}, for it may not end there (w tells why)."


def unfinished_move_question(view: EotsView) -> str:
    """Return a question to ask before an unfinished move is committed (7.23); empty if there is none."""
    frame = view.frames[-1] if view.frames else None
    if not isinstance(frame, StackFrame):
        return ""
    first, *others = map(short_name, frame.units)
    also = f" and {count_noun(len(others), 'other')}" if others else ""
    verb = "stops at" if not others else "stop at"
    still = "has not moved" if not others else "have not moved"
    where = f"{verb} {place_name(frame.at)}" if frame.path else still
    return f"{first}{also} {where}: the move is not finished. Commit it like this?"


def outlook(
    view: EotsView, command: c.EotsCommand, following: Decision[Any]
) -> tuple[str, str] | None:
    """Return the number of units that an HQ may activate and the number in range (7.21); None for other commands."""
    if not isinstance(command, c.ChooseHq) or view.offensive is None:
        return None
    units = {one.unit for one in following.options if isinstance(one, c.Activate)}
    budget = f"{view.offensive.limit} of {len(units)}"
    return budget, f"activates {budget} in range"


def loss(view: EotsView, command: c.EotsCommand, options: Sequence[c.EotsCommand]) -> str:
    """Return what ending a step gives up; empty if nothing is lost."""
    frame = view.frames[-1] if view.frames else None
    if isinstance(command, c.Done):
        return _done(view, frame, options)
    if isinstance(command, c.Pass):
        kinds = {type(one) for one in options}
        return next((lost for kind, lost in _PASSED.items() if kind in kinds), "")
    return ""


def _done(view: EotsView, frame: object, options: Sequence[c.EotsCommand]) -> str:
    activated = {one.unit for one in options if isinstance(one, c.Activate)}
    if activated:
        return _idle(view, frame, len(activated))
    match frame:
        case MovementFrame():
            units = {one.unit for one in options if isinstance(one, c.Pick)}
            return _unit_list("does not move", "do not move", units)
        case DeclarationFrame():
            units = {one.unit for one in options if isinstance(one, c.Join | c.Cover)}
            return _unit_list("stays out of battle", "stay out of battle", units)
        case ReplacementFrame():
            pools = {one.pool for one in options if isinstance(one, c.Repair | c.Rebuild)}
            steps = sum(expiring_steps(view.pools, pool) for pool in pools)
            return f"{count_noun(steps, 'step')} unused" if steps else ""
        case _:
            return ""


def _idle(view: EotsView, frame: object, offered: int) -> str:
    """Return the number of units that could still be activated, as text (7.21, 7.26)."""
    offensive = view.offensive
    number = offered
    if isinstance(frame, OffensiveFrame) and frame.step == 1 and offensive is not None:
        number = min(offered, max(offensive.limit - len(offensive.activated), 0))
    words = "stays" if number == 1 else "stay"
    return f"{count_noun(number, 'unit')} {words} inactive" if number else ""


_FEW: Final = 2


def _unit_list(one: str, several: str, units: set[UnitId]) -> str:
    if not units:
        return ""
    if len(units) > _FEW:
        return f"{count_noun(len(units), 'unit')} {several}"
    return f"{' and '.join(map(short_name, sorted(units)))} {one if len(units) == 1 else several}"
