"""Option lists: groups that can be ticked together, columns, and warnings about options not yet used."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from engine.eots import commands as c
from engine.eots.board import board
from engine.eots.ch11_pools import expiring_steps, pool_name
from engine.eots.counters import Counter, counters
from engine.eots.frames import (
    DeclarationFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    ReplacementFrame,
    StackFrame,
)
from engine.eots.ids import HexId, UnitId
from engine.eots.view import EotsView, UnitView
from engine.kernel.decision import Decision
from engine.kernel.sentences import count_noun
from play.choices import Cells, Choice, Tick
from tui.eots.index import Index
from tui.eots.map.counters import ICONS
from tui.eots.texts import kind, place_name, short_name

_MULTI_UNIT_COMMANDS: Final = (c.WithdrawHq, c.ReturnHq, c.Rebuild, c.ShiftStep)
"""Commands that are written out in words, because they do not fit the columns for a single unit."""
_SINGLE_UNIT_COMMANDS: Final = (
    c.Activate,
    c.Enlist,
    c.RemoveExcess,
    c.Repair,
    c.Bomb,
    c.Redeploy,
)
"""Commands for a single unit that players usually give to several units in a row."""
_PURPOSE_IN_PROMPT: Final = (c.Activate, c.RemoveExcess)
"""Commands whose purpose the prompt states, so that their groups need no heading."""
_PASS_LOSSES: Final[Mapping[type[c.EotsCommand], str]] = {
    c.React: "no reaction card",
    c.RollIntelligence: "no roll",
    c.ChooseHq: "no reaction",
}
"""For each type of command, the phrase that says what the player gives up by passing (5.32, 7.25, 7.26)."""
_WAY_POINT_MOVES: Final = (c.SailVia, c.FlyVia, c.AssaultVia)
_STRATEGIC_MOVES: Final = (c.SailStrategic, c.FlyStrategic, c.Transport)


def tick(index: Index, command: c.EotsCommand) -> Tick | None:
    """Return the group of a tickable command; None if the command cannot be ticked."""
    match command:
        case c.Join(at=hex_id):
            return Tick(f"Battle of {place_name(hex_id)}", _place_text(index, command.unit))
        case c.Cover(at=hex_id):
            return Tick(
                f"Cover the landing in {place_name(hex_id)}", _place_text(index, command.unit)
            )
        case c.Hit(unit=unit):
            steps = index.units[unit].steps if unit in index.units else 1
            return Tick(
                kind(command), _place_text(index, unit), question_names_group=True, boxes=steps
            )
        case c.Repair(unit=unit, pool=pool):
            return Tick(f"{kind(command)} ({pool_name(pool)})", _place_text(index, unit))
        case _ if isinstance(command, _SINGLE_UNIT_COMMANDS):
            is_in_prompt = isinstance(command, _PURPOSE_IN_PROMPT)
            return Tick(
                kind(command),
                _place_text(index, command.unit),
                is_in_prompt,
                rank=_distance_to_hq(index, command) if isinstance(command, c.Activate) else 0,
            )
        case _:
            return None


def _distance_to_hq(index: Index, command: c.Activate) -> int:
    """Return the distance from a unit to the HQ that activates it, so that the list begins there (7.21, 7.26)."""
    offensive = index.view.offensive
    if offensive is None or command.unit not in index.units:
        return 0
    is_reaction = offensive.side is not counters()[command.unit].side
    hq = offensive.reaction_hq if is_reaction else offensive.hq
    if hq is None or hq not in index.units:
        return 0
    start_hex, end = HexId(index.place_of(hq)), HexId(index.place_of(command.unit))
    is_on_map = start_hex in board().hexes and end in board().hexes
    return board().distance(start_hex, end) if is_on_map else 0


def _place_text(index: Index, unit: UnitId) -> str:
    unit_view = index.units.get(unit)
    return place_name(unit_view.at) if unit_view is not None else ""


def cells(index: Index, command: c.EotsCommand, *, has_place: bool) -> Cells:
    """Return the columns for a command's unit: symbol, name, hex, strength, reduced mark, range and supply."""
    unit = getattr(command, "unit", None) or getattr(command, "hq", None)
    unit_view, row = index.units.get(UnitId(unit or "")), counters().get(UnitId(unit or ""))
    is_written_out = isinstance(command, _MULTI_UNIT_COMMANDS) or hasattr(command, "to")
    if unit_view is None or row is None or is_written_out:
        return ()
    hex_or_place = (
        unit_view.at if HexId(unit_view.at) in board().hexes else place_name(unit_view.at)
    )
    place_text = hex_or_place if has_place else ""
    name = short_name(row.id)
    if row.hq is not None:
        values = (f"r{row.hq.command_range}", f"eff {row.hq.efficiency}")
        return ICONS[row.category], name, place_text, *values
    strength, range_text = _strength_and_range(row, unit_view)
    reduced_text = "red." if row.max_steps > 1 and unit_view.steps == 1 else ""
    supply = "" if unit_view.supplied else "no supply"
    return ICONS[row.category], name, place_text, strength, reduced_text, range_text, supply


def _strength_and_range(row: Counter, unit: UnitView) -> tuple[str, str]:
    """Return a unit's current strength and range. Brackets mark an extended range at which it cannot fight."""
    if not unit.steps:
        return "", ""
    face = row.strength(unit.steps)
    range_text = f"r{face.range}" if face.range else ""
    if face.extended_range is not None:
        extended_range = str(face.extended_range)
        range_text += (
            f"/({extended_range})" if face.extended_in_parentheses else f"/{extended_range}"
        )
    return f"{face.attack}-{face.defense}", range_text


def likeliest_commands(commands: Sequence[c.EotsCommand]) -> tuple[c.EotsCommand, ...]:
    """Return the most likely commands for a hex.

    Leave out moves via a waypoint and strategic moves. If nothing is left, keep the strategic moves or, failing that,
    all commands.
    """
    for unlikely_types in ((*_WAY_POINT_MOVES, *_STRATEGIC_MOVES), _WAY_POINT_MOVES):
        likely_commands = tuple(
            command for command in commands if not isinstance(command, unlikely_types)
        )
        if likely_commands:
            return likely_commands
    return tuple(commands)


def way_point_notice(command: c.EotsCommand, options: Sequence[c.EotsCommand]) -> str:
    """Return a note that a move continues past a waypoint, and whether it may end there; empty for other commands."""
    if not isinstance(command, _WAY_POINT_MOVES):
        return ""
    may_end = any(
        getattr(option, "to", "") == command.to
        and not isinstance(option, (*_WAY_POINT_MOVES, *_STRATEGIC_MOVES))
        for option in options
    )
    way_point_text = f"Waypoint {place_name(command.to)}: the move continues"
    return (
        f"{way_point_text}."
        if may_end
        else f"{way_point_text} but may not end there (w shows why)."
    )


def unfinished_move_question(view: EotsView) -> str:
    """Return a question to ask before an unfinished move is committed (7.23); empty if no move is unfinished."""
    frame = view.frames[-1] if view.frames else None
    if not isinstance(frame, StackFrame):
        return ""
    first_unit, *other_units = map(short_name, frame.units)
    others_text = f" and {count_noun(len(other_units), 'other')}" if other_units else ""
    verb = "stops at" if not other_units else "stop at"
    unmoved_text = "has not moved" if not other_units else "have not moved"
    position_text = f"{verb} {place_name(frame.at)}" if frame.path else unmoved_text
    return f"{first_unit}{others_text} {position_text}: the move is not finished. Commit anyway?"


def outlook(
    view: EotsView, command: c.EotsCommand, next_decision: Decision[Any]
) -> tuple[str, str] | None:
    """Return the number of units that an HQ may activate and the number in range (7.21); None for other commands."""
    if not isinstance(command, c.ChooseHq) or view.offensive is None:
        return None
    units = {option.unit for option in next_decision.options if isinstance(option, c.Activate)}
    budget_text = f"{view.offensive.limit} of {len(units)}"
    return budget_text, f"activates {budget_text} in range"


_SUBLIST_COMMANDS: Final = (
    c.Sail,
    c.SailVia,
    c.SailStrategic,
    c.Fly,
    c.FlyVia,
    c.FlyStrategic,
    c.March,
    c.Assault,
    c.AssaultVia,
    c.OrganicAssault,
    c.BargeAssault,
    c.Transport,
)
"""Moves of a stack. Each kind of move has its own sublist, so that the main list always looks the same."""
_LANDINGS: Final = (c.Assault, c.AssaultVia, c.OrganicAssault, c.BargeAssault)
_STEP_ENDS: Final = (c.Done, c.Halt, c.Drop, c.Pass)
"""Commands that end a step or a stack's move, in order of preference."""


def has_own_list(command: c.EotsCommand) -> bool:
    """Return whether commands of this kind are always in a sublist."""
    return isinstance(command, _SUBLIST_COMMANDS)


def nearest_first(index: Index, options: Sequence[Any]) -> list[Any]:
    """Return the options with the moves of each kind sorted by distance. Landings in enemy hexes come first.

    All other options keep their places.
    """
    frame = index.view.frames[-1] if index.view.frames else None
    if not isinstance(frame, StackFrame) or HexId(frame.at) not in board().hexes:
        return list(options)

    def rank(move: c.EotsCommand) -> tuple[bool, int, str]:
        target_hex = HexId(getattr(move, "to", ""))
        distance = (
            board().distance(HexId(frame.at), target_hex) if target_hex in board().hexes else 0
        )
        is_own = isinstance(move, _LANDINGS) and index.owner(target_hex) is index.view.side
        return is_own, distance, target_hex

    moves: dict[type, list[Any]] = {}
    for option in options:
        if has_own_list(option):
            moves.setdefault(type(option), []).append(option)
    sorted_moves = {kind: iter(sorted(group, key=rank)) for kind, group in moves.items()}
    return [
        next(sorted_moves[type(option)]) if has_own_list(option) else option for option in options
    ]


def step_ends(options: Sequence[c.EotsCommand]) -> tuple[c.EotsCommand, ...]:
    """Return the option that ends the step or the stack's move; empty if there is none."""
    ending_options = [
        option for kind in _STEP_ENDS for option in options if isinstance(option, kind)
    ]
    return tuple(ending_options[:1])


def step_end(view: EotsView) -> c.EotsCommand:
    """Return the command that would end the step or the stack's move."""
    is_moving = bool(view.frames) and isinstance(view.frames[-1], StackFrame)
    return c.Halt() if is_moving else c.Done()


def closed_activation_notice(view: EotsView, given_command: c.EotsCommand) -> str:
    """Return a notice if the last possible activation has begun movement; otherwise empty (7.21, 7.26)."""
    frame = view.frames[-1] if view.frames else None
    if not (isinstance(given_command, c.Activate) and isinstance(frame, MovementFrame)):
        return ""
    return "Activation is complete, and movement has begun. D again ends movement."


def with_likely_hq(index: Index, lines: tuple[Choice, ...], front: HexId) -> tuple[Choice, ...]:
    """If the player must choose a headquarters, mark the headquarters closest to a hex as the likely choice."""
    distances = {
        line.command.hq: board().distance(HexId(index.place_of(line.command.hq)), front)
        for line in lines
        if isinstance(line.command, c.ChooseHq)
        and HexId(index.place_of(line.command.hq)) in board().hexes
    }
    if not distances or front not in board().hexes:
        return lines
    nearest_distance = min(distances, key=distances.__getitem__)
    return tuple(
        replace(line, is_likely=True)
        if isinstance(line.command, c.ChooseHq) and line.command.hq == nearest_distance
        else line
        for line in lines
    )


def loss(view: EotsView, command: c.EotsCommand, options: Sequence[c.EotsCommand]) -> str:
    """Return text about what the player gives up by ending a step; empty if nothing is lost."""
    frame = view.frames[-1] if view.frames else None
    if isinstance(command, c.Done):
        return _done_loss(view, frame, options)
    if isinstance(command, c.Ferry):
        return "back next turn"
    if isinstance(command, c.Pass):
        option_types = {type(option) for option in options}
        return next(
            (
                loss_text
                for option_type, loss_text in _PASS_LOSSES.items()
                if option_type in option_types
            ),
            "",
        )
    return ""


def _done_loss(view: EotsView, frame: object, options: Sequence[c.EotsCommand]) -> str:
    activated_units = {option.unit for option in options if isinstance(option, c.Activate)}
    if activated_units:
        return _inactive_units_text(view, frame, len(activated_units))
    match frame:
        case MovementFrame():
            units = {option.unit for option in options if isinstance(option, c.Pick)}
            units -= _units_with_no_need_to_move(view, frame)
            return _unit_list("does not move", "do not move", units)
        case DeclarationFrame():
            units = {option.unit for option in options if isinstance(option, c.Join | c.Cover)}
            return _unit_list("stays out of battle", "stay out of battle", units)
        case ReplacementFrame():
            pools = {option.pool for option in options if isinstance(option, c.Repair | c.Rebuild)}
            steps = sum(expiring_steps(view.pools, pool) for pool in pools)
            return f"{count_noun(steps, 'step')} unused" if steps else ""
        case _:
            return ""


def _units_with_no_need_to_move(view: EotsView, frame: MovementFrame) -> set[UnitId]:
    """Return own units whose staying in place is no loss.

    After the battles, they are the units that are already at their bases (9.6). Before the battles, they are the air
    units in range of a hex that both sides occupy, because they can join that battle from their base (7.24).
    """
    own_units = [unit for unit in view.units if counters()[unit.id].side is frame.side]
    if frame.purpose is Purpose.POST_BATTLE:
        paths = view.offensive.paths if view.offensive is not None else {}
        return {unit.id for unit in own_units if unit.id not in paths}
    enemy_hexes = {unit.at for unit in view.units if counters()[unit.id].side is frame.side.enemy}
    contested_hexes = {
        HexId(unit.at) for unit in own_units if unit.at in enemy_hexes
    } & board().hexes.keys()
    return {
        unit.id
        for unit in own_units
        if unit.steps and counters()[unit.id].is_air and HexId(unit.at) in board().hexes
        for face in (counters()[unit.id].strength(unit.steps),)
        if any(
            board().distance(HexId(unit.at), hex_id) <= (face.range or 0)
            for hex_id in contested_hexes
        )
    }


def _inactive_units_text(view: EotsView, frame: object, offered_count: int) -> str:
    """Return text with the number of units that could still be activated (7.21, 7.26)."""
    offensive = view.offensive
    count = offered_count
    if isinstance(frame, OffensiveFrame) and frame.step == 1 and offensive is not None:
        count = min(offered_count, max(offensive.limit - len(offensive.activated), 0))
    return f"{count_noun(count, 'activation')} unused" if count else ""


_MAX_NAMED_UNITS: Final = 2


def _unit_list(singular: str, plural: str, units: set[UnitId]) -> str:
    if not units:
        return ""
    if len(units) > _MAX_NAMED_UNITS:
        return f"{count_noun(len(units), 'unit')} {plural}"
    return (
        f"{' and '.join(map(short_name, sorted(units)))} {singular if len(units) == 1 else plural}"
    )
