"""US submarines: their chit, shadowing and ASW (14.12, 14.15, 14.17)."""

from typing import Final, TypeVar

from engine.cbps.charts.chart import DieChart
from engine.cbps.events.boats import BoatPinned, BoatPlaced, BoatSunk
from engine.cbps.events.chance import Modifier
from engine.cbps.frames import BoatsFrame
from engine.cbps.ids import D10
from engine.cbps.rulings import BOAT_FOLLOWS
from engine.cbps.run import Run, chart_modifier
from engine.cbps.state import State

R = TypeVar("R", bound=str)

PIN_RESULTS: Final = {"pin 1": 1, "pin 2": 2}
"""Pin markers by ASW result (14.171)."""


def is_shadowed_by_boat(state: State, force: str) -> bool:
    """Return whether a submarine shadows a force, which helps searches to find the force (14.15)."""
    return any(boat.shadowing == force for boat in state.boats.values())


def activate_submarines(run: Run) -> None:
    """Reduce all pin markers by 1, then let the submarines that had no marker act (14.12)."""
    pinned_boats = tuple(name for name, boat in run.state.boats.items() if boat.pin)
    for boat in pinned_boats:
        run.add(BoatPinned(boat=boat, pin=run.state.boats[boat].pin - 1))
    run.push(BoatsFrame(done=pinned_boats))


def shadowing_boats_follow(run: Run, force: str, old_hex: str) -> None:
    """Roll ASW for submarines that shadow a moving force, and move the unharmed ones to its new hex (14.152).

    Nothing happens if the force has not moved (OP-49). The force must still be in play.
    """
    hex = run.state.forces[force].hex
    if hex == old_hex and not BOAT_FOLLOWS.uses_alternative(run.state.options):
        return
    for name, boat in run.state.boats.items():
        if boat.shadowing == force:
            roll_asw(run, name)
            # A pinned submarine has stopped shadowing (14.152).
            if run.state.boats[name].shadowing == force and boat.hex != hex:
                run.add(BoatPlaced(boat=name, hex=hex, why="follow"))


def roll_asw(
    run: Run, boat: str, modifiers: tuple[Modifier, ...] = (), *, is_against_lone: bool = False
) -> None:
    """Roll for ASW against a submarine, which may be pinned or destroyed (14.17).

    Args:
        run: The command being carried out.
        boat: The submarine.
        modifiers: Modifiers of the first roll only.
        is_against_lone: True if the target is a lone crippled ship, so that odd die rolls have no effect (14.172).
    """
    charts = run.state.game_data.charts
    result = _asw_roll(run, charts.asw, boat, modifiers, is_against_lone=is_against_lone)
    if result == "second_roll":
        result = _asw_roll(run, charts.asw_second, boat, (), is_against_lone=is_against_lone)
    if result == "destroyed":
        run.add(BoatSunk(boat=boat))
    elif result in PIN_RESULTS:
        run.add(BoatPinned(boat=boat, pin=PIN_RESULTS[result]))


def after_hit_modifiers(state: State) -> tuple[Modifier, ...]:
    """Return the ASW modifier after an attack that has scored hits (14.16)."""
    return (chart_modifier(state.game_data.charts.asw, "after_hit"),)


def _asw_roll(
    run: Run,
    chart: DieChart[R],
    boat: str,
    modifiers: tuple[Modifier, ...],
    *,
    is_against_lone: bool,
) -> str:
    die = run.dice.roll(D10)
    cell = chart.look_up(die + sum(modifier.drm for modifier in modifiers))
    # The unmodified die decides this (14.172).
    is_odd = is_against_lone and die % 2 == 1
    result = "none" if is_odd else cell.result
    run.record_result(
        chart, boat, result, die, modifiers, is_assumed=cell.is_assumed and not is_odd
    )
    return result
