"""The Empire of the Sun battle board: both sides' units, strengths, dice with modifiers, losses and results."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from engine.eots.ch09_battle.preview import BattlePreview, RollPreview
from engine.eots.counters import counters
from engine.eots.events import battle, offensive, units
from engine.eots.ids import Side, UnitId
from engine.eots.prose import SIDES, describe
from engine.kernel.sentences import count_noun, pluralise
from tui.eots.map.counters import SIDE_OWNERS
from tui.eots.texts import place_name, printed_values, short_name
from tui.panels.overlay_pages import BattleBoard, BattleSide, Fighter, Roll


def _side_and_verb(verb: str, side: Side) -> str:
    """Return a side's name with a verb. `verb` lists the singular and plural form, such as ``attacks|attack``."""
    singular, plural = verb.split("|")
    return pluralise(SIDES[side], singular, plural)


UnitStates = Mapping[UnitId, tuple[str, int]]
"""Each unit's place and remaining steps, by unit id."""


class BattleBoardBuilder:
    """Builds a battle board from a battle's events, one at a time."""

    def __init__(
        self, opening: battle.BattleBegan, unit_states: UnitStates, attacker: Side
    ) -> None:
        """Create a board with the participants.

        Args:
            opening: The event that started the battle.
            unit_states: Each unit's place and steps at the start of the battle.
            attacker: The Offensive player, who is shown on the left.
        """
        self.hex_id = opening.at
        self._lost_steps: dict[str, int] = {}
        self._eliminated_units: set[str] = set()
        self._steps = {unit: unit_states[unit][1] for unit in opening.units if unit in unit_states}
        self._summaries: tuple[str, ...] = ()
        self._sides = (attacker, attacker.enemy)
        self._battle_sides = {
            side: BattleSide(
                name=_side_and_verb(
                    "attacks|attack" if side is attacker else "defends|defend", side
                ),
                owner=SIDE_OWNERS[side],
                fighters=tuple(
                    self._fighter(unit, unit_states)
                    for unit in opening.units
                    if counters()[unit].side is side
                ),
            )
            for side in self._sides
        }
        self._units = {
            side: [unit for unit in opening.units if counters()[unit].side is side]
            for side in self._sides
        }

    def _fighter(self, unit: UnitId, unit_states: UnitStates) -> Fighter:
        origin, steps = unit_states.get(unit, ("", 0))
        row = counters()[unit]
        notes = ["reduced"] if row.max_steps > 1 and steps == 1 else []
        notes += [f"from {place_name(origin)}"] if origin and origin != self.hex_id else []
        return Fighter(
            name=short_name(unit),
            strength=printed_values(row, steps).split(" ")[0],
            note=", ".join(notes),
        )

    def add(self, event: Any) -> bool:  # noqa: ANN401  (any event)
        """Add an event. Return False if the event does not belong to the battle."""
        match event:
            case battle.CombatRoll():
                self._add_roll(event)
            case units.StepLost():
                return self._add_step_loss(event.unit)
            case units.UnitEliminated():
                self._eliminated_units.add(event.unit)
                return event.unit in self._steps
            case battle.HitsLost():
                pass  # the board shows the step losses instead
            case battle.IntrinsicLost() | offensive.RetreatOrdered():
                self._summaries += (describe(event),)
            case battle.AirNavalDecided() | battle.GroundDecided():
                self._summaries += (describe(event),)
            case _:
                return False
        return True

    def _add_step_loss(self, unit: UnitId) -> bool:
        if unit not in self._steps:
            return False
        self._lost_steps[unit] = self._lost_steps.get(unit, 0) + 1
        return True

    def _add_roll(self, event: battle.CombatRoll) -> None:
        battle_side = self._battle_sides[event.side]
        self._battle_sides[event.side] = replace(
            battle_side, rolls=(*battle_side.rolls, _board_roll(event))
        )

    def board(self) -> BattleBoard:
        """Return the board in its current state."""
        left, right = (self._battle_side(side) for side in self._sides)
        return BattleBoard(
            title=f"Battle of {place_name(self.hex_id)}",
            sides=(left, right),
            summaries=self._summaries,
        )

    def _battle_side(self, side: Side) -> BattleSide:
        battle_side = self._battle_sides[side]
        pairs = zip(self._units[side], battle_side.fighters, strict=True)
        fighters = tuple(replace(fighter, loss=self._loss_text(unit)) for unit, fighter in pairs)
        return replace(battle_side, fighters=fighters)

    def _loss_text(self, unit: UnitId) -> str:
        lost_steps = self._lost_steps.get(unit, 0)
        if unit in self._eliminated_units or (lost_steps and lost_steps >= self._steps[unit]):
            return "eliminated"
        return f"-{count_noun(lost_steps, 'step')}" if lost_steps else ""


def _board_roll(event: battle.CombatRoll) -> Roll:
    """Return a side's roll: strength, die with modifiers, and hits."""
    is_ground = isinstance(event, battle.GroundRolled)
    critical = isinstance(event, battle.AirNavalRolled) and event.critical
    extended_count = sum(strength.is_extended for strength in event.strengths)
    range_note = f", {extended_count} at extended range" if extended_count else ""
    total = f" = {event.modified}" if event.modifiers else ""
    drm_text = "".join(f" {line.value:+d}" for line in event.modifiers)
    return Roll(
        part="Ground" if is_ground else "Air-naval",
        total=f"Strength {event.total}{range_note}",
        die=f"Die {event.face}{drm_text}{total}",
        reasons=tuple(f"{line.value:+d} {line.label} ({line.rule})" for line in event.modifiers),
        result=f"{count_noun(event.hits, 'hit')}{', critical' if critical else ''}",
    )


def expected_board(preview: BattlePreview, unit_states: UnitStates) -> BattleBoard:
    """Return the board of a battle before any die roll, with the hits for each die face (9.2, 9.4)."""
    opening = battle.BattleBegan(at=preview.at, units=preview.participants)
    board = BattleBoardBuilder(opening, unit_states, preview.offensive).board()
    sides = (preview.offensive, preview.offensive.enemy)
    rolls = {
        side: tuple(
            _expected_roll(part, roll)
            for part, previews in (("Air-naval", preview.air_naval), ("Ground", preview.ground))
            for roll in previews
            if roll.side is side
        )
        for side in sides
    }
    left, right = (
        replace(battle_side, rolls=rolls[side])
        for side, battle_side in zip(sides, board.sides, strict=True)
    )
    garrison = (
        (f"{count_noun(preview.intrinsic, 'garrison unit')} of Japan in the city (13.76, 13.94)",)
        if preview.intrinsic
        else ()
    )
    title = f"Battle of {place_name(preview.at)}, not rolled yet"
    return replace(board, title=title, sides=(left, right), summaries=garrison)


def _expected_roll(battle_part: str, roll: RollPreview) -> Roll:
    return Roll(
        part=battle_part,
        total=f"Strength {roll.total}",
        die=f"Die modifier {roll.modifier:+d}",
        reasons=tuple(f"{line.value:+d} {line.label} ({line.rule})" for line in roll.modifiers),
        result=f"Hits by die: {_hits_by_die_text(roll)}",
    )


def _hits_by_die_text(roll: RollPreview) -> str:
    """Return the hits for each die face, such as ``0-2: 5, 3-9: 10!``.

    Consecutive faces with equal hits are combined.
    """
    ranges: list[tuple[int, int, str]] = []
    for face, hits in enumerate(roll.hits):
        hits_text = f"{hits}{'!' if face in roll.critical_faces else ''}"
        if ranges and ranges[-1][2] == hits_text:
            ranges[-1] = (ranges[-1][0], face, hits_text)
        else:
            ranges.append((face, face, hits_text))
    return ", ".join(
        f"{first}: {hits_text}" if first == last else f"{first}-{last}: {hits_text}"
        for first, last, hits_text in ranges
    )
