"""Carrier Battle: Philippine Sea as a ruleset of the kernel: wiring only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from engine.cbps.any_time import AnyTimeCommands
from engine.cbps.book import book_with, standard_book
from engine.cbps.ch03_setup import begin, starting_position
from engine.cbps.commands import COMMAND_UNION, COMMANDS, CbpsCommand
from engine.cbps.data.reading import data_digest
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.turns import GameStarted
from engine.cbps.events.union import EVENT_UNION
from engine.cbps.evolve.folds import evolve
from engine.cbps.handlers import MACHINE
from engine.cbps.invariants import violations
from engine.cbps.position import Position, position_of, state_of
from engine.cbps.position_checks import check_position
from engine.cbps.prose.folded import told
from engine.cbps.prose.log import describe, heading, turn
from engine.cbps.rulings import RULINGS
from engine.cbps.run import Run
from engine.cbps.scenarios import for_staff, scenario_infos
from engine.cbps.seats import commanders
from engine.cbps.state import State
from engine.cbps.view import CbpsView, project_state
from engine.kernel.dice import Dice
from engine.kernel.framed import ExpectingRuleset
from engine.kernel.ids import Role, Rule
from engine.kernel.notation import Notation
from engine.kernel.ruleset import OWN_DATA, ScenarioInfo
from engine.kernel.rulings import Ruling, check_options


class CarrierBattle(ExpectingRuleset[State, CbpsCommand, CbpsEvent, CbpsView, Position, Run, str]):
    """Carrier Battle: Philippine Sea, against the system."""

    game = "cbps"
    title = "Carrier Battle: Philippine Sea"
    role_titles = {"us": "US"}  # noqa: RUF012  # read only
    edition = "rules of 2023 with reconstructed charts, map and scenarios"
    version = 2
    notation: Notation[CbpsCommand] = Notation(COMMANDS)
    command_type = COMMAND_UNION
    event_type = EVENT_UNION
    position_type = Position
    is_open = True

    machine = MACHINE
    unasked = AnyTimeCommands()
    sequence_rule = Rule("3.1")
    end_rule = Rule("15.0")

    @property
    def data_digest(self) -> str:  # type: ignore[override]  # computed on first use, since few commands need it
        """Return the digest of the data files."""
        return data_digest()

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the nine scenarios, the lessons first."""
        return scenario_infos()

    def scenario_info(self, scenario: str, options: Mapping[str, str]) -> ScenarioInfo:
        """Return a scenario for as many commanders as the switch says (6.1)."""
        check_options(RULINGS, options)
        return for_staff(super().scenario_info(scenario, options), options)

    def options(self) -> tuple[Ruling, ...]:
        """Return the optional rules and switchable rulings."""
        return RULINGS

    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        """Return the position before the player places anything."""
        return starting_position(standard_book(), scenario, options)

    def with_data(self, position: Position, overlay: bytes) -> Position:
        """Return a position that is played with charts, map, counters and scenarios of the user's own."""
        book = book_with(overlay, OWN_DATA)
        text = overlay.decode()
        usual = starting_position(standard_book(), position.scenario, position.options)
        if position == usual:
            position = starting_position(book, position.scenario, position.options)
        return replace(position, overlay=text)

    def own_data(self, position: Position) -> bytes:
        """Return the user's own data that a position holds."""
        return position.overlay.encode()

    def check_position(self, position: Position) -> None:
        """Accept or refuse a position from outside."""
        check_position(position)

    def start(self, position: Position, dice: Dice) -> tuple[CbpsEvent, ...]:
        """Lay the battle out and run to the first question."""
        run = self.run(self.blank(), dice)
        run.begin(GameStarted(position=position))
        if not position.frames and position.outcome is None:
            begin(run)
        if position.outcome is None:
            MACHINE.advance(run)
        return run.events

    def run(self, state: State, dice: Dice) -> Run:
        """Return a run that goes on from a state."""
        return Run(state, evolve, dice)

    def blank(self) -> State:
        """Return the state before the first event."""
        return State(book=standard_book())

    def export(self, state: State) -> Position:
        """Return the position of a state."""
        return position_of(state)

    def kept(self, state: State) -> Position:
        """Return a state without the data that its rules read."""
        return position_of(state)

    def restored(self, kept: Position) -> State:
        """Return a state with its data."""
        return state_of(kept)

    def roles(self, state: State) -> tuple[Role, ...]:
        """Return the US commanders."""
        return tuple(Role(role) for role in commanders(state))

    def evolve(self, state: State, event: CbpsEvent) -> State:
        """Return the state after an event."""
        return evolve(state, event)

    def project(self, state: State, role: Role | None) -> CbpsView:
        """Return what a seat may see."""
        return project_state(state, role)

    def redact(self, event: CbpsEvent, role: Role | None) -> CbpsEvent:
        """Return the event: everybody may see everything, since nothing hidden exists (0)."""
        del role
        return event

    def redact_command(self, command: CbpsCommand, giver: Role, role: Role | None) -> CbpsCommand:
        """Return the command, which all of the side may see."""
        del giver, role
        return command

    def describe(self, event: CbpsEvent) -> str:
        """Return the log sentence of an event."""
        return describe(event)

    def told(self, events: Sequence[CbpsEvent]) -> Iterator[str]:
        """Yield the log of one command; facts that belong together are one sentence."""
        return told(events)

    def heading(self, state: State) -> str:
        """Return where the game stands."""
        return heading(state)

    def turn(self, state: State) -> str:
        """Return the name of the turn."""
        return turn(state)

    def violations(self, state: State) -> Iterator[str]:
        """Yield broken invariants."""
        return violations(state)


CBPS: Final = CarrierBattle()
"""The one instance that the registry hands out."""
