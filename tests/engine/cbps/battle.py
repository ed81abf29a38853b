"""States, runs and commands for the tests of Carrier Battle."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from engine.cbps.commands import CbpsCommand
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.chance import ChartRead
from engine.cbps.evolve.folds import evolve
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.frames import FrameBase
from engine.cbps.game_data import standard_game_data
from engine.cbps.handlers import MACHINE
from engine.cbps.position import state_from_position
from engine.cbps.run import Run
from engine.cbps.sequence.ch03_setup import starting_position
from engine.cbps.state import Force, State
from engine.kernel.dice import Dice, ScriptedDice

BOOK = standard_game_data()


def battle(scenario: str = "6", **options: str) -> State:
    """Return a scenario before the player places anything. Options are given by name, with underscores for hyphens."""
    chosen = {name.replace("_", "-"): value for name, value in options.items()}
    return state_from_position(starting_position(BOOK, scenario, chosen))


def with_parts(state: State, **parts: Mapping[str, Any]) -> State:
    """Return a state with entries in its mappings replaced or added, as in ``forces={"A": Force(...)}``."""
    merged = {name: {**getattr(state, name), **entries} for name, entries in parts.items()}
    return replace(state, **merged)


def with_force(state: State, name: str, hex_id: str, **fields: object) -> State:
    """Return a state with an additional Japanese force."""
    return with_parts(state, forces={name: Force(hex=hex_id, **fields)})  # type: ignore[arg-type]  # fields of a force


def with_frame(state: State, *frames: FrameBase) -> State:
    """Return a state with these frames."""
    return replace(state, frames=frames)


def running(state: State, *faces: int, picks: Sequence[str] = ()) -> Run:
    """Return a run on a state with scripted dice."""
    return Run(state, evolve, ScriptedDice(*faces, picks=picks))


def name_after(rule: Callable[..., bool | None], run: Run, force: str, *arguments: object) -> str:
    """Carry out a rule for a force, and return its counter. Empty if it left play or the rule returned False."""
    is_real = rule(run, force, *arguments) is not False
    return counter_of(run.state, force) if is_real and force in run.state.forces else ""


def given(state: State, command: CbpsCommand, *faces: int, picks: Sequence[str] = ()) -> Run:
    """Carry out a legal command of the first seat up to the next question. Assert that nothing forbids it."""
    return given_by("us", state, command, ScriptedDice(*faces, picks=picks))


def given_by(role: str, state: State, command: CbpsCommand, dice: Dice) -> Run:
    """Carry out a legal command of a seat up to the next question."""
    assert not list(refusals(state, command, role)), list(refusals(state, command, role))
    run = Run(state, evolve, dice)
    MACHINE.resolve(run, role, command)
    MACHINE.advance(run)
    return run


def advanced(state: State, *faces: int, picks: Sequence[str] = ()) -> Run:
    """Carry out all automatic steps up to the next question."""
    run = running(state, *faces, picks=picks)
    MACHINE.advance(run)
    return run


def refusals(state: State, command: CbpsCommand, role: str = "us") -> tuple[str, ...]:
    """Return the rule numbers that refuse a command at the innermost frame; empty if it is legal."""
    return tuple(str(one.rule) for one in MACHINE.why_not(state, role, command))


def options(state: State, role: str = "us") -> tuple[CbpsCommand, ...]:
    """Return the options of a seat."""
    return MACHINE.decision(state, role).options


def facts(run: Run, *kinds: type[CbpsEvent]) -> tuple[CbpsEvent, ...]:
    """Return the events of the given kinds, or all events, in order."""
    return tuple(event for event in run.events if not kinds or isinstance(event, kinds))


def reads(run: Run, chart: str = "") -> tuple[ChartRead, ...]:
    """Return the chart reads, or those of one chart."""
    found = (event for event in run.events if isinstance(event, ChartRead))
    return tuple(event for event in found if chart in ("", event.chart))


def force_of(run: Run, counter: str) -> Force:
    """Return the state of the force in play that has a counter."""
    return run.state.forces[force_with_counter(run.state, counter)]
