"""Empire of the Sun as a ruleset of the kernel: wiring only."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.eots.commands import COMMANDS, EotsCommand
from engine.eots.data_digest import data_digest
from engine.eots.event import EVENT_UNION
from engine.eots.events.base import EotsEvent
from engine.eots.events.flow import GameStarted
from engine.eots.evolve import evolve
from engine.eots.flow import EotsDecision, EotsLedger, top
from engine.eots.handlers import advance, asked_sides, handler_of
from engine.eots.ids import Side
from engine.eots.invariants import violations
from engine.eots.options import OPTIONS
from engine.eots.order_checks import check_names
from engine.eots.position import Position, position_of
from engine.eots.position_checks import check_position
from engine.eots.prose import describe, heading
from engine.eots.redaction import redact_event, redact_order
from engine.eots.refusal_words import in_names
from engine.eots.setup import scenario_infos, starting_position
from engine.eots.state import State
from engine.eots.view import EotsView, project_state
from engine.kernel.decision import Outcome
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role
from engine.kernel.ledger import Ledger
from engine.kernel.memo import IdentityMemo, LatestMemo
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Option, Ruleset, ScenarioInfo

ROLES: Final = tuple(Role(side) for side in Side)


class EmpireOfTheSun(Ruleset[State, EotsCommand, EotsEvent, EotsView, Position]):
    """Empire of the Sun, 2021 edition."""

    game = "eots"
    title = "Empire of the Sun"
    edition = "2021"
    version = 1
    notation: Notation[EotsCommand] = Notation(COMMANDS)
    command_type = EotsCommand
    event_type = EVENT_UNION
    position_type = Position
    view_type = EotsView

    def __init__(self) -> None:
        """Prepare to remember the latest questions."""
        super().__init__()
        self._decisions: IdentityMemo[EotsDecision] = IdentityMemo(32)
        self._listed: LatestMemo[State, EotsDecision] = LatestMemo()

    @property
    def data_digest(self) -> str:  # type: ignore[override]  # computed on first use, since few commands need it
        """Return the digest of the data files."""
        return data_digest()

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the scenarios (17.0)."""
        return scenario_infos()

    def usual_scenario(self) -> str:
        """Return the scenario to begin with (17.25)."""
        return "1943"

    def options(self) -> tuple[Option, ...]:
        """Return the switchable rulings and optional rules."""
        return OPTIONS

    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        """Return the starting position of a scenario (17)."""
        return starting_position(scenario, options)

    def check_position(self, position: Position) -> None:
        """Accept or refuse a position from outside."""
        check_position(position)

    def start(self, position: Position, dice: Dice) -> tuple[EotsEvent, ...]:
        """Set the position up and run to the first question."""
        ledger: EotsLedger = Ledger(self.blank(), evolve)
        ledger.add(GameStarted(position=position))
        advance(ledger, dice)
        return ledger.events

    def blank(self) -> State:
        """Return the state before the first event."""
        return State()

    def export(self, state: State) -> Position:
        """Return the position of a state."""
        return position_of(state)

    def roles(self, state: State) -> tuple[Role, ...]:
        """Return the two sides."""
        del state
        return ROLES

    def asked(self, state: State) -> tuple[Role, ...]:
        """Return whom the innermost frame asks."""
        if state.outcome is not None or not state.frames:
            return ()
        return tuple(Role(side) for side in asked_sides(state))

    def decision(self, state: State, role: Role) -> EotsDecision:
        """Return the question to a side; remembered, since a state never changes."""
        return self._decisions.get((state, Side(role)), lambda: self._ask(state, Side(role)))

    def _ask(self, state: State, side: Side) -> EotsDecision:
        frame = top(state)
        return self._listed.keep(state, handler_of(frame).decision(state, frame, side))

    def is_option(self, state: State, role: Role, command: EotsCommand) -> bool:
        """Return whether a command is among the options; they need not be listed for that."""
        listed = self._listed.get(state)
        if listed is not None and listed.role == role:
            return command in listed.options
        frame = top(state)
        return handler_of(frame).is_option(state, frame, Side(role), command)

    def resolve(self, ledger: EotsLedger, role: Role, command: EotsCommand, dice: Dice) -> None:
        """Let the innermost frame carry the command out, then run to the next question."""
        frame = top(ledger.state)
        handler_of(frame).resolve(ledger, frame, Side(role), command, dice)
        advance(ledger, dice)

    def why_not(self, state: State, role: Role, command: EotsCommand) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now."""
        if role not in self.asked(state) or self.is_option(state, role, command):
            return ()
        unknown = tuple(check_names(command))
        if unknown:
            return unknown
        frame = top(state)
        return tuple(map(in_names, handler_of(frame).why_not(state, frame, Side(role), command)))

    def evolve(self, state: State, event: EotsEvent) -> State:
        """Return the state after an event."""
        return evolve(state, event)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended."""
        return state.outcome

    def project(self, state: State, role: Role | None) -> EotsView:
        """Return what a side may see."""
        return project_state(state, None if role is None else Side(role))

    def redact(self, event: EotsEvent, role: Role | None) -> EotsEvent:
        """Return the event as a side may see it."""
        return redact_event(event, None if role is None else Side(role))

    def redact_command(self, command: EotsCommand, giver: Role, role: Role | None) -> EotsCommand:
        """Return the command as a side may see it."""
        return redact_order(command, Side(giver), None if role is None else Side(role))

    def describe(self, event: EotsEvent) -> str:
        """Return the log sentence of an event."""
        return describe(event)

    def heading(self, state: State) -> str:
        """Return where the game stands."""
        return heading(state)

    def violations(self, state: State) -> Iterator[str]:
        """Yield broken invariants."""
        return violations(state)


EOTS: Final = EmpireOfTheSun()
"""The one instance that the registry hands out."""
