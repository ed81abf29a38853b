"""The Strategic Warfare Segment: submarines and the bombing of Japan (4.13, 12.2, 12.3).

The base draw (12.1) is computed later, in the deal. It depends only on control, which does not change in between.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.ch06_supply.control import is_friendly_airfield
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch12_choices import SwapCardHandler, TakeCardHandler
from engine.eots.commands import Bomb, Stay
from engine.eots.counters import FULL_STEPS, counters
from engine.eots.events.tracks import (
    AspLevelChanged,
    BombingResolved,
    EscortsSet,
    MarkerSet,
    SubmarineWarfareResolved,
)
from engine.eots.flow import DecisionHandler, EotsRun, Naming
from engine.eots.frames import BombingFrame
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.rulings import B29_LOSS
from engine.eots.scenarios import schedules
from engine.eots.state import State
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Refusal, Rule

TOKYO: Final = HexId("3706")
BOMBING_RANGE: Final = 8
"""Maximum distance in hexes from a B29's airfield to Tokyo (12.31)."""
FIGHTER_RANGE: Final = 5
"""Maximum distance from Tokyo, in hexes, of an Allied airfield that ends J-71 and protects B29s from losses (12.32)."""
TORPEDO_TURNS: Final = frozenset({2, 3, 4})
"""Turns in which US torpedoes are defective (12.22)."""
TORPEDOES: Final = 1
ESCORT_LEVEL: Final = 2
"""Amount by which a successful submarine roll reduces the escort modifier (12.21)."""
INTERCEPTORS: Final = 1
HIGHEST_SUCCESS: Final = {FULL_STEPS: 8, 1: 4}
"""Highest modified roll with which bombing succeeds, by the B29's number of steps (12.32)."""
LOSS_FACE: Final = 9
"""Lowest roll that costs the B29 a step (12.32)."""


def begin_strategic_warfare(run: EotsRun) -> None:
    """Resolve submarine warfare, then begin strategic bombing (12.2, 12.3)."""
    _roll_submarines(run)
    end_interceptors(run)
    run.push(BombingFrame(waiting=bombers(run.state)))


# -- submarines


def submarine_modifier(state: State) -> int:
    """Return the modifier to the submarine roll, which depends on the turn, escorts and torpedoes (12.21, 12.22)."""
    escorts = 0 if state.tracks.escorts_void else state.tracks.escorts
    return escorts - state.turn + (TORPEDOES if state.turn in TORPEDO_TURNS else 0)


def _roll_submarines(run: EotsRun) -> None:
    """Roll for submarines. Success costs Japan a card, a shipping point and an escort level (12.21)."""
    modifier, rule = submarine_modifier(run.state), Rule("12.21")
    face = run.roll(rule, Side.ALLIED, "submarine", modifier=modifier)
    success = face + modifier <= 0
    run.add(SubmarineWarfareResolved(success=success))
    if not success:
        return
    tracks = run.state.tracks
    if tracks.japan_asp > schedules().asp.japan_minimum:  # 10.32: the level never falls below 1
        run.add(AspLevelChanged(rule=rule, side=Side.JAPAN, level=tracks.japan_asp - 1))
    if tracks.escorts > 0:
        level = max(0, tracks.escorts - ESCORT_LEVEL)
        run.add(EscortsSet(rule=rule, level=level, void=tracks.escorts_void))


# -- strategic bombing


def has_airfield_near_tokyo(state: State) -> bool:
    """Return whether the Allies control an airfield within 5 hexes of Tokyo (12.32)."""
    return any(is_friendly_airfield(state, Side.ALLIED, hex_id) for hex_id in _near_tokyo())


def _near_tokyo() -> Iterator[HexId]:
    map_ = board()
    for hex_id in map_.within(map_.index[TOKYO], FIGHTER_RANGE):
        if map_.is_airfield[hex_id]:
            yield map_.ids[hex_id]


def end_interceptors(run: EotsRun) -> None:
    """End J-71 permanently once the Allies control a supply-eligible airfield within 5 hexes of Tokyo (12.32).

    This is checked after every change of control, because the Allies may lose the airfield before the next bombing.
    """
    state = run.state
    if not state.tracks.interceptors or not has_airfield_near_tokyo(state):
        return
    supply_solution = supply(state)
    if any(supply_solution.is_eligible_airfield(Side.ALLIED, hex_id) for hex_id in _near_tokyo()):
        run.add(MarkerSet(rule=Rule("12.32"), marker="interceptors", on=False))


def bomb_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield every reason why a unit may not bomb Japan now (12.31)."""
    rule = Rule("12.31")
    piece = state.units[unit]
    if not counters()[unit].b29:
        yield Refusal(rule, f"{unit} is not a B29")
        return
    if piece.at != CHINA_BOX:
        if not piece.is_on_map or not is_friendly_airfield(state, Side.ALLIED, piece.at):
            yield Refusal(rule, f"{unit} is not on an airfield or in the China Box")
            return
        if board().distance(HexId(piece.at), TOKYO) > BOMBING_RANGE:
            yield Refusal(rule, f"{unit} is more than {BOMBING_RANGE} hexes from Tokyo")
    if not supply(state).is_supplied(unit):
        yield Refusal(rule, f"{unit} is out of supply")
    if unit in state.rebuilt:
        yield Refusal(rule, f"{unit} was brought back by replacements this turn")
    if unit in state.tracks.bombed_this_turn:
        yield Refusal(rule, f"{unit} has bombed this turn")


def bombers(state: State) -> tuple[UnitId, ...]:
    """Return the B29s that may bomb now, sorted by id (12.31)."""
    return tuple(
        unit
        for unit in sorted(state.units)
        if counters()[unit].b29 and not any(bomb_refusals(state, unit))
    )


def bombing_modifier(state: State) -> int:
    """Return the modifier to bombing rolls from J-71 (12.32)."""
    return INTERCEPTORS if state.tracks.interceptors else 0


def roll_bombing(run: EotsRun, unit: UnitId) -> bool:
    """Roll for one B29 and return whether the bombing succeeded (12.32)."""
    state = run.state
    modifier, rule = bombing_modifier(state), Rule("12.32")
    face = run.roll(rule, Side.ALLIED, "bombing", modifier=modifier, subject=unit)
    success = face + modifier <= HIGHEST_SUCCESS[state.units[unit].steps]
    run.add(BombingResolved(unit=unit, success=success))
    # OPB-13: by default, the modified roll determines the loss. Under the alternative reading, the
    # natural roll does.
    face_used = face if B29_LOSS.uses_alternative(state.options) else face + modifier
    if face_used >= LOSS_FACE and not has_airfield_near_tokyo(state):
        lose_step(run, unit, rule)
    return success


def _first_waiting(_state: State, frame: BombingFrame, _side: Side) -> tuple[UnitId, ...]:
    return frame.waiting[:1]


def _first_bombing_refusals(
    state: State, frame: BombingFrame, _: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Refuse every unit except the B29 whose turn it is to bomb (12.31)."""
    if unit not in state.units:
        yield Refusal(Rule("12.31"), f"there is no unit {unit}")
    elif unit != frame.waiting[0]:
        yield from bomb_refusals(state, unit)
        yield Refusal(Rule("12.31"), f"decide {frame.waiting[0]} first")


def _bomb_with_unit(run: EotsRun, frame: BombingFrame, _: Side, unit: UnitId) -> None:
    _continue_bombing(run, frame, is_success=roll_bombing(run, unit))


def _skip_bomber(run: EotsRun, frame: BombingFrame, _side: Side, _unit: UnitId) -> None:
    _continue_bombing(run, frame, is_success=False)


def _continue_bombing(run: EotsRun, frame: BombingFrame, *, is_success: bool) -> None:
    successes = frame.successes + int(is_success)
    run.replace_top(replace(frame, waiting=frame.waiting[1:], successes=successes))


class BombingHandler(DecisionHandler[BombingFrame]):
    """Asks the Allied player whether each available B29 bombs, in order of id (12.3)."""

    frame = BombingFrame
    rule = Rule("12.31")
    actions = (
        Naming(Bomb, _first_waiting, _first_bombing_refusals, _bomb_with_unit),
        Naming(Stay, _first_waiting, _first_bombing_refusals, _skip_bomber),
    )
    wrong_kind_text = "first decide for each B29 whether it bombs"

    @override
    def active_roles(self, state: State, frame: BombingFrame) -> tuple[Side, ...]:
        """Return the Allied side while any B29 may still bomb."""
        return (Side.ALLIED,) if frame.waiting else ()

    @override
    def prompt(self, state: State, frame: BombingFrame, side: Side) -> str:
        """Return the prompt for the next B29."""
        unit = frame.waiting[0]
        return f"Should {counters()[unit].name} bomb Japan from {state.units[unit].at}?"

    @override
    def step(self, run: EotsRun, frame: BombingFrame) -> None:
        run.pop()


HANDLERS: Final = (BombingHandler(), TakeCardHandler(), SwapCardHandler())
