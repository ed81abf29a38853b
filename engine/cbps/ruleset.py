"""Implementation of the kernel's ruleset interface for Carrier Battle: Philippine Sea. It contains no rules logic."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.any_time import AnyTimeCommands
from engine.cbps.commands import COMMAND_UNION, COMMANDS, CbpsCommand
from engine.cbps.courses.order import COURSE_HELP, current_order, is_live, parse_all, parse_any
from engine.cbps.data.reading import data_digest
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.turns import GameStarted
from engine.cbps.events.union import EVENT_UNION
from engine.cbps.evolve.folds import evolve
from engine.cbps.game_data import load_game_data, parse_game_data, standard_game_data
from engine.cbps.handlers import MACHINE
from engine.cbps.invariants import violations
from engine.cbps.position import Position, position_from_state
from engine.cbps.position_checks.checks import check_position
from engine.cbps.prose.combined import log_sentences
from engine.cbps.prose.die_rolls import die_rolls
from engine.cbps.prose.log import describe, heading, turn_name
from engine.cbps.rulings import RULINGS
from engine.cbps.run import Run
from engine.cbps.scenarios import scenario_infos, with_staff
from engine.cbps.scoring import SCORING, CbpsScoring
from engine.cbps.seats import commanders
from engine.cbps.sequence.ch03_setup import begin_setup, starting_position
from engine.cbps.state import BattleState, State
from engine.cbps.view import CbpsView, project_state
from engine.kernel.dice import Dice
from engine.kernel.die_rolls import DieRoll
from engine.kernel.framed import HintedRuleset
from engine.kernel.ids import Role, Rule
from engine.kernel.notation import Notation
from engine.kernel.ruleset import USER_DATA, ScenarioInfo
from engine.kernel.rulings import Ruling, check_options
from engine.kernel.structs import shared_fields


class CarrierBattle(HintedRuleset[State, CbpsCommand, CbpsEvent, CbpsView, Position, Run, str]):
    """The ruleset of Carrier Battle: Philippine Sea, in which procedures and dice control the Japanese side."""

    game = "cbps"
    title = "Carrier Battle: Philippine Sea"
    course_help = COURSE_HELP
    role_titles = {"us": "US"}  # noqa: RUF012  # read only
    edition = "rules of 2023 with reconstructed charts, map and scenarios"
    version = 2
    notation: Notation[CbpsCommand] = Notation(COMMANDS)
    command_type = COMMAND_UNION
    event_type = EVENT_UNION
    position_type = Position
    is_open = True
    has_windows = False

    machine = MACHINE
    free_action = AnyTimeCommands()
    sequence_rule = Rule("3.1")
    end_rule = Rule("15.0")

    @property
    @override
    def data_digest(self) -> str:  # type: ignore[override]  # computed on first use, since few commands need it
        """Return the digest of the packaged data files."""
        return data_digest()

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        return scenario_infos()

    @override
    def scenario_info(self, scenario: str, options: Mapping[str, str]) -> ScenarioInfo:
        """Return a scenario with the number of US commanders given by the options (6.1)."""
        check_options(RULINGS, options)
        return with_staff(super().scenario_info(scenario, options), options)

    @override
    def options(self) -> tuple[Ruling, ...]:
        return RULINGS

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        return starting_position(standard_game_data(), scenario, options)

    @override
    def with_data(self, position: Position, overlay: bytes) -> Position:
        """Return the position with the user's own charts, map, counters and scenarios in place of the standard ones."""
        game_data = parse_game_data(overlay, USER_DATA)
        text = overlay.decode()
        usual_position = starting_position(
            standard_game_data(), position.scenario, position.options
        )
        # An unchanged starting position is rebuilt, because the new data may place pieces elsewhere.
        if position == usual_position:
            position = starting_position(game_data, position.scenario, position.options)
        return replace(position, overlay=text)

    @override
    def user_data(self, position: Position) -> bytes:
        return position.overlay.encode()

    @override
    def check_position(self, position: Position) -> None:
        check_position(position)

    @override
    def open_game(self, position: Position, dice: Dice) -> tuple[CbpsEvent, ...]:
        """Set up the battle and run it up to the first decision."""
        run = self.run(self.initial_state(), dice)
        run.begin(GameStarted(position=position))
        if not position.frames and position.outcome is None:
            begin_setup(run)
        if position.outcome is None:
            MACHINE.advance(run)
        return run.events

    @override
    def run(self, state: State, dice: Dice) -> Run:
        return Run(state, evolve, dice)

    @override
    def initial_state(self) -> State:
        return State(game_data=standard_game_data())

    @override
    def to_position(self, state: State) -> Position:
        return position_from_state(state)

    @override
    def to_cache(self, state: State) -> BattleState:
        """Return a state without its game data: the charts, map, counters and scenarios."""
        return BattleState(**shared_fields(state, BattleState))

    @override
    def from_cache(self, cached_state: BattleState) -> State:
        """Return the state for a battle saved by :meth:`to_cache`, with its game data added again."""
        return State(
            **shared_fields(cached_state, State), game_data=load_game_data(cached_state.overlay)
        )

    @override
    def roles(self, state: State) -> tuple[Role, ...]:
        return tuple(Role(role) for role in commanders(state))

    @override
    def evolve(self, state: State, event: CbpsEvent) -> State:
        return evolve(state, event)

    @override
    def project(self, state: State, role: Role | None) -> CbpsView:
        return project_state(state, role)

    @override
    def redact(self, event: CbpsEvent, role: Role | None) -> CbpsEvent:
        """Return the event unchanged, since this game has no hidden information (0)."""
        del role
        return event

    @override
    def redact_command(self, command: CbpsCommand, giver: Role, role: Role | None) -> CbpsCommand:
        del giver, role
        return command

    @override
    def log_sentence(self, event: CbpsEvent) -> str:
        return describe(event)

    @override
    def log_sentences(self, events: Sequence[CbpsEvent]) -> Iterator[str]:
        return log_sentences(events)

    @override
    def die_rolls(self, event: CbpsEvent) -> tuple[DieRoll, ...]:
        return die_rolls(event)

    @override
    def heading(self, state: State) -> str:
        """Return a line that states the current turn, phase and segment."""
        return heading(state)

    @override
    def turn_name(self, state: State) -> str:
        return turn_name(state)

    @property
    @override
    def scoring(self) -> CbpsScoring:
        return SCORING

    @override
    def violations(self, state: State) -> Iterator[str]:
        return violations(state)

    # Course orders, which make missions fly to a target and home. Their modules are loaded only
    # when the first order is given, because they load the planner, and that would slow down every
    # start of the program.

    @override
    def read_course(self, state: State, role: Role, text: str) -> str:
        from engine.cbps.courses import giving  # noqa: PLC0415  # loads the planner

        return giving.read_any(state, role, text).text

    @override
    def course_answer(
        self, state: State, role: Role, courses: tuple[str, ...]
    ) -> CbpsCommand | None:
        from engine.cbps.courses import orders  # noqa: PLC0415  # loads the planner

        options = self.decision(state, role).options
        return orders.answer(state, role, parse_all(courses), options)

    @override
    def course_opening(self, state: State, role: Role, course: str) -> CbpsCommand | None:
        from engine.cbps.courses import orders  # noqa: PLC0415  # loads the planner

        order = parse_any(course)
        if order is None or role not in self.active_roles(state):
            return None
        return orders.opening(state, role, order, self.decision(state, role).options)

    @override
    def course_closing(
        self, state: State, role: Role, courses: tuple[str, ...]
    ) -> CbpsCommand | None:
        from engine.cbps.courses import orders  # noqa: PLC0415  # loads the planner

        options = self.decision(state, role).options
        return orders.closing(state, role, parse_all(courses), options)

    @override
    def live_courses(self, state: State, courses: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            current_order(state, order).text
            for order in parse_all(courses)
            if is_live(state, order)
        )

    @override
    def describe_course(self, state: State, course: str) -> str:
        from engine.cbps.courses import orders  # noqa: PLC0415  # loads the planner

        order = parse_any(course)
        return "" if order is None else orders.words(state, order)

    @override
    def course_stops(
        self, state: State, role: Role, courses: tuple[str, ...]
    ) -> tuple[tuple[str, str], ...]:
        from engine.cbps.courses import orders  # noqa: PLC0415  # loads the planner

        stops = orders.stops(state, role, parse_all(courses))
        return tuple(
            (order.text, f"{orders.title(order, state)}. {stop_reason}")
            for order, stop_reason in stops
        )


CBPS: Final = CarrierBattle()
"""The single instance, used by the registry."""
