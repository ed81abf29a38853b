"""A small game for one against the system: pointy-topped hexes, a six-sided die, chits from a cup.

The captain sails to a neighbouring hex or waits (1.1). Then the raider moves by a die roll (1.2), and a chit determines
the weather: a storm stops the captain (1.3). The captain catches the raider on meeting it (1.4). After the last day the
raider has escaped, and the captain loses (1.5).
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeAlias, assert_never

import msgspec
from typing_extensions import override

from engine.kernel.decision import Outcome
from engine.kernel.dice import Dice, Die, draw
from engine.kernel.errors import DataError, PositionError
from engine.kernel.framed import FramedRuleset
from engine.kernel.hexgrid import HexGrid, HexOrientation, Numbering
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.machine import Action, DecisionHandler, GameState, Machine, StackRun
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command, Event, ScenarioInfo, View
from engine.kernel.rulings import Ruling, check_options, collect_rulings
from engine.kernel.tables import DieTable

CAPTAIN = Role("captain")
GRID = HexGrid(top=HexOrientation.POINTY, numbering=Numbering(1, 3, is_row_first=True))
"""Rows first with three digits: 0014 is row 1, column 4."""
COLUMNS, ROWS = range(1, 7), range(1, 6)
HEXES = tuple(GRID.name(column, row) for row in ROWS for column in COLUMNS)
DAYS = {"sortie": 8, "hunt": 30}
RUNS = DieTable((1, 2, "E"), (3, 4, "SE"), (5, 5, "W"), (6, 6, "NW"), is_clamped=False)
"""The direction in which the raider moves (1.2)."""
CUP = ("calm", "calm", "calm", "storm")

SHY = Ruling(
    id="shy",
    rule=Rule("1.2"),
    specs=("OP-1",),
    question="Does the raider run twice?",
    answers={"off": "no", "on": "yes"},
)
RULINGS = collect_rulings(globals())


class Sail(Command, frozen=True, kw_only=True, tag="sail"):
    """Sail to a neighbouring hex (1.1)."""

    into: str


class Wait(Command, frozen=True, kw_only=True, tag="wait"):
    """Stay where you are (1.1)."""


RaiderCommand: TypeAlias = Sail | Wait


class HuntFrame(msgspec.Struct, frozen=True, kw_only=True, tag="hunt"):
    """The captain and the raider take turns."""

    is_asked: bool = True


class RaiderPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position of the game."""

    days: int
    day: int = 1
    captain: str = HEXES[0]
    raider: str = HEXES[-1]
    weather: str = "calm"
    options: Mapping[str, str] = {}


class RaiderState(GameState, frozen=True, kw_only=True):
    """The whole game."""

    days: int = 0
    day: int = 1
    captain: str = HEXES[0]
    raider: str = HEXES[-1]
    weather: str = "calm"
    options: Mapping[str, str] = {}


class Began(Event, frozen=True, kw_only=True, tag="began"):
    """The hunt began."""

    position: RaiderPosition


class Sailed(Event, frozen=True, kw_only=True, tag="sailed"):
    """The captain moved (1.1)."""

    into: str


class Ran(Event, frozen=True, kw_only=True, tag="ran"):
    """The raider ran (1.2)."""

    face: int
    into: str


class WeatherDrawn(Event, frozen=True, kw_only=True, tag="weather-drawn"):
    """A chit was drawn, and a day is over (1.3)."""

    weather: str


class FramesChanged(Event, frozen=True, kw_only=True, tag="frames-changed"):
    """So many outer frames stay, these are on top."""

    keep: int
    frames: tuple[HuntFrame, ...]


class Ended(Event, frozen=True, kw_only=True, tag="ended"):
    """The hunt is over (1.4, 1.5)."""

    outcome: Outcome


RaiderEvent: TypeAlias = Began | Sailed | Ran | WeatherDrawn | FramesChanged | Ended


class RaiderView(View, frozen=True, kw_only=True):
    """The view that everyone sees."""

    day: int
    captain: str
    raider: str
    weather: str


class RaiderRun(StackRun[RaiderState, RaiderEvent, HuntFrame]):
    """A command in progress."""

    @override
    def stack_changed(self, keep: int, frames: tuple[HuntFrame, ...]) -> RaiderEvent:
        return FramesChanged(keep=keep, frames=frames)


class Sailing(Action[RaiderState, RaiderRun, HuntFrame, Role, Sail]):
    """Sailing to a neighbouring hex of the map, except in a storm (1.1, 1.3)."""

    kind = Sail

    @override
    def candidates(self, state: RaiderState, frame: HuntFrame, role: Role) -> Iterator[Sail]:
        at = GRID.coordinates(state.captain)
        for side in range(6):
            yield Sail(into=GRID.name(*GRID.neighbour(*at, side)))

    @override
    def refusals(
        self, state: RaiderState, frame: HuntFrame, role: Role, command: Sail
    ) -> Iterator[Refusal]:
        if state.weather == "storm":
            yield Refusal(Rule("1.3"), "the storm holds the ship")
        if command.into not in HEXES:
            yield Refusal(Rule("1.1"), f"{command.into} is not on the map")
        elif GRID.distance(*map_place(state.captain), *map_place(command.into)) != 1:
            yield Refusal(Rule("1.1"), f"{command.into} is not next to {state.captain}")

    @override
    def apply(self, run: RaiderRun, frame: HuntFrame, role: Role, command: Sail) -> None:
        run.add(Sailed(into=command.into))
        run.replace_top(HuntFrame(is_asked=False))


class Waiting(Action[RaiderState, RaiderRun, HuntFrame, Role, Wait]):
    """Waiting, which is always possible (1.1)."""

    kind = Wait

    @override
    def candidates(self, state: RaiderState, frame: HuntFrame, role: Role) -> tuple[Wait, ...]:
        return (Wait(),)

    @override
    def refusals(
        self, state: RaiderState, frame: HuntFrame, role: Role, command: Wait
    ) -> Iterator[Refusal]:
        yield from ()

    @override
    def apply(self, run: RaiderRun, frame: HuntFrame, role: Role, command: Wait) -> None:
        run.replace_top(HuntFrame(is_asked=False))


class Hunt(DecisionHandler[RaiderState, RaiderCommand, RaiderRun, HuntFrame, Role]):
    """The captain's turn and the raider's move after it."""

    frame = HuntFrame
    rule = Rule("1.1")
    actions: ClassVar = (Sailing(), Waiting())

    @override
    def active_roles(self, state: RaiderState, frame: HuntFrame) -> tuple[Role, ...]:
        return (CAPTAIN,) if frame.is_asked else ()

    @override
    def prompt(self, state: RaiderState, frame: HuntFrame, role: Role) -> str:
        return "Sail or wait"

    @override
    def step(self, run: RaiderRun, frame: HuntFrame) -> None:
        for _ in range(1 + SHY.uses_alternative(run.state.options)):
            if not is_caught(run.state):
                face = run.dice.roll(Die(1, 6))
                run.add(Ran(face=face, into=beyond(run.state.raider, RUNS.result(face))))
        (weather,) = draw(run.dice, CUP, 1)
        run.add(WeatherDrawn(weather=weather))
        run.replace_top(HuntFrame())
        if is_caught(run.state):
            run.add(_end(winner=CAPTAIN, reason="1.4: the raider is caught"))
        elif run.state.day > run.state.days:
            run.add(_end(winner=None, reason="1.5: the raider has escaped"))


def _end(winner: Role | None, reason: str) -> Ended:
    is_lost = winner is None
    outcome = Outcome(winner=winner, level="", score=None, reason=reason, is_lost=is_lost)
    return Ended(outcome=outcome)


def map_place(name: str) -> tuple[int, int]:
    """Return column and row of a hex."""
    return GRID.coordinates(name)


def beyond(at: str, side: str) -> str:
    """Return the hex across a side; at the edge of the map, the same hex."""
    other = GRID.name(*GRID.neighbour(*map_place(at), GRID.sides.index(side)))
    return other if other in HEXES else at


def is_caught(state: RaiderState) -> bool:
    """Return whether the captain has met the raider (1.4)."""
    return state.captain == state.raider


class ToyRaider(
    FramedRuleset[
        RaiderState, RaiderCommand, RaiderEvent, RaiderView, RaiderPosition, RaiderRun, Role
    ]
):
    """The game."""

    game = "raider"
    title = "Raider"
    edition = "first"
    sequence_rule = Rule("1.0")
    version = 1
    data_digest = "11" * 32
    notation: Notation[RaiderCommand] = Notation((Sail, Wait))
    command_type = RaiderCommand
    event_type = RaiderEvent
    position_type = RaiderPosition
    machine = Machine[RaiderState, RaiderCommand, RaiderRun, Role]((Hunt(),), Role)
    end_rule = Rule("1.5")

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        return tuple(
            ScenarioInfo(
                id=name, name=name.title(), rule=Rule("2.1"), summary="one", roles=(CAPTAIN,)
            )
            for name in DAYS
        )

    @override
    def options(self) -> tuple[Ruling, ...]:
        return RULINGS

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> RaiderPosition:
        if scenario not in DAYS:
            raise DataError("raider", "scenario", f"there is no scenario '{scenario}'")
        check_options(RULINGS, options)
        return RaiderPosition(days=DAYS[scenario], options=options)

    @override
    def check_position(self, position: RaiderPosition) -> None:
        if not {position.captain, position.raider} <= set(HEXES):
            raise PositionError("raider", "captain", "a ship is off the map")

    @override
    def run(self, state: RaiderState, dice: Dice) -> RaiderRun:
        return RaiderRun(state, self.evolve, dice)

    @override
    def open_game(self, position: RaiderPosition, dice: Dice) -> tuple[RaiderEvent, ...]:
        run = self.run(self.initial_state(), dice)
        run.begin(Began(position=position))
        run.push(HuntFrame())
        self.machine.advance(run)
        return run.events

    @override
    def initial_state(self) -> RaiderState:
        return RaiderState()

    @override
    def to_position(self, state: RaiderState) -> RaiderPosition:
        return RaiderPosition(
            **{name: getattr(state, name) for name in RaiderPosition.__struct_fields__}
        )

    @override
    def roles(self, state: RaiderState) -> tuple[Role, ...]:
        return (CAPTAIN,)

    @override
    def evolve(self, state: RaiderState, event: RaiderEvent) -> RaiderState:
        change = msgspec.structs.replace
        match event:
            case Began(position=at):
                return RaiderState(
                    **{name: getattr(at, name) for name in RaiderPosition.__struct_fields__}
                )
            case Sailed(into=into):
                return change(state, captain=into)
            case Ran(into=into):
                return change(state, raider=into)
            case WeatherDrawn(weather=weather):
                return change(state, weather=weather, day=state.day + 1)
            case FramesChanged(keep=keep, frames=frames):
                return change(state, frames=(*state.frames[:keep], *frames))
            case Ended(outcome=outcome):
                return change(state, outcome=outcome)
            case _:
                assert_never(event)

    @override
    def project(self, state: RaiderState, role: Role | None) -> RaiderView:
        return RaiderView(
            day=state.day, captain=state.captain, raider=state.raider, weather=state.weather
        )

    @override
    def redact(self, event: RaiderEvent, role: Role | None) -> RaiderEvent:
        return event

    @override
    def redact_command(
        self, command: RaiderCommand, giver: Role, role: Role | None
    ) -> RaiderCommand | None:
        return command

    @override
    def log_sentence(self, event: RaiderEvent) -> str:
        match event:
            case Began():
                return "The hunt begins."
            case Sailed(into=into):
                return f"The captain sails to {into}."
            case Ran(face=face, into=into):
                return f"The raider rolls {face} and is in {into}."
            case WeatherDrawn(weather=weather):
                return f"The weather: {weather}."
            case FramesChanged():
                return ""
            case Ended(outcome=outcome):
                return outcome.reason
            case _:
                assert_never(event)

    @override
    def heading(self, state: RaiderState) -> str:
        return f"Day {state.day} of {state.days}"

    @override
    def turn_name(self, state: RaiderState) -> str:
        return f"Day {state.day}"

    @override
    def violations(self, state: RaiderState) -> Iterator[str]:
        if not {state.captain, state.raider} <= set(HEXES):
            yield "a ship is off the map"


RAIDER = ToyRaider()
