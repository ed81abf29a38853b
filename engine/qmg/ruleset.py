"""Quartermaster General as a ruleset of the kernel: wiring only."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from engine.kernel.decision import Outcome
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import IdentityMemo, LatestMemo
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Option, Ruleset, ScenarioInfo
from engine.qmg.any_time import any_time_commands, carry_out, is_any_time, why_not_any_time
from engine.qmg.ch03_setup import deal, is_unopened, shuffled_decks
from engine.qmg.ch13_decks import construct
from engine.qmg.commands import COMMANDS, QmgCommand, Withdraw
from engine.qmg.data.reading import data_digest
from engine.qmg.events import EVENT_UNION, GameStarted, QmgEvent
from engine.qmg.evolve import evolve
from engine.qmg.frames import TurnFrame
from engine.qmg.handlers import advance, handler_of
from engine.qmg.invariants import violations
from engine.qmg.options import OPTIONS, ROLES, TOTAL_WAR, scenario_infos, starting_position
from engine.qmg.position import Position, position_of
from engine.qmg.position_checks import check_position
from engine.qmg.prose import describe, heading
from engine.qmg.redaction import redact_event, redact_order
from engine.qmg.run import QmgDecision, QmgLedger, Run
from engine.qmg.state import State
from engine.qmg.untimely import why_untimely
from engine.qmg.view import QmgView, project_state


class QuartermasterGeneral(Ruleset[State, QmgCommand, QmgEvent, QmgView, Position]):
    """Quartermaster General WW2, second edition, base game and Total War."""

    game = "qmg"
    title = "Quartermaster General WW2"
    edition = "second edition with Total War"
    version = 1
    notation: Notation[QmgCommand] = Notation(COMMANDS)
    command_type = QmgCommand
    event_type = EVENT_UNION
    position_type = Position
    view_type = QmgView

    def __init__(self) -> None:
        """Prepare to remember the latest questions."""
        super().__init__()
        self._decisions: IdentityMemo[QmgDecision] = IdentityMemo(32)
        self._asked: LatestMemo[State, tuple[Role, ...]] = LatestMemo()

    @property
    def data_digest(self) -> str:  # type: ignore[override]  # computed on first use, since few commands need it
        """Return the digest of the data files."""
        return data_digest()

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the base game and Total War (3)."""
        return scenario_infos()

    def options(self) -> tuple[Option, ...]:
        """Return the optional rules and switchable rulings."""
        return OPTIONS

    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        """Return the position before set-up (3)."""
        return starting_position(scenario, options)

    def check_position(self, position: Position) -> None:
        """Accept or refuse a position from outside."""
        check_position(position)

    def start(self, position: Position, dice: Dice) -> tuple[QmgEvent, ...]:
        """Set the position up and run to the first question."""
        if is_unopened(position) and not position.cards:
            decks = shuffled_decks(total_war=position.scenario == TOTAL_WAR)
            position = replace(position, cards=decks)
        ledger: QmgLedger = Ledger(self.blank(), evolve)
        ledger.add(GameStarted(position=position))
        run = Run(ledger, dice)
        if is_unopened(position):
            (construct if position.limits else deal)(run)
        elif not position.frames and position.outcome is None:
            run.push(TurnFrame(country=position.active, stage="begin"))
        if position.outcome is None:
            advance(run)
        return ledger.events

    def blank(self) -> State:
        """Return the state before the first event."""
        return State()

    def export(self, state: State) -> Position:
        """Return the position of a state."""
        return position_of(state)

    def roles(self, state: State) -> tuple[Role, ...]:
        """Return the six countries in turn order."""
        del state
        return ROLES

    def asked(self, state: State) -> tuple[Role, ...]:
        """Return whom the innermost frame asks."""
        if state.outcome is not None or not state.frames:
            return ()
        known = self._asked.get(state)
        if known is not None:
            return known
        frame = state.frames[-1]
        countries = handler_of(frame).asked(state, frame)
        return self._asked.keep(state, tuple(Role(country) for country in countries))

    def decision(self, state: State, role: Role) -> QmgDecision:
        """Return the question to a country; remembered, since a state never changes."""
        return self._decisions.get(
            (state, ROLES[ROLES.index(role)]), lambda: self._ask(state, role)
        )

    def _ask(self, state: State, role: Role) -> QmgDecision:
        frame = state.frames[-1]
        return handler_of(frame).decision(state, state.frames, frame, role)

    def any_time(self, state: State, role: Role) -> tuple[QmgCommand, ...]:
        """Return the cards usable at any time, and the own pieces that may be taken off (4.2, 10.6)."""
        return any_time_commands(state, role)

    def resolve(self, ledger: QmgLedger, role: Role, command: QmgCommand, dice: Dice) -> None:
        """Let the innermost frame carry the command out, then run to the next question."""
        state = ledger.state
        run = Run(ledger, dice)
        frame = state.frames[-1]
        if role in self.asked(state) and command in self.legal(state, role):
            handler_of(frame).resolve(run, frame, role, command)
        else:
            carry_out(run, role, command)
        advance(run)

    def why_not(self, state: State, role: Role, command: QmgCommand) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now."""
        if state.outcome is not None or not state.frames:
            return (Refusal(Rule("12.5"), "the game is over"),)
        if is_any_time(command) and command in any_time_commands(state, role):
            return ()
        if role not in self.asked(state):
            return tuple(why_not_any_time(state, role, command))
        if command in self.legal(state, role):
            return ()
        if isinstance(command, Withdraw):
            return tuple(why_not_any_time(state, role, command))
        frame = state.frames[-1]
        found = tuple(handler_of(frame).why_not(state, state.frames, frame, role, command)) or (
            Refusal(self.decision(state, role).rule, "this is not among the choices of this step"),
        )
        return (*found, *why_untimely(state, role, command))

    def evolve(self, state: State, event: QmgEvent) -> State:
        """Return the state after an event."""
        return evolve(state, event)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended."""
        return state.outcome

    def project(self, state: State, role: Role | None) -> QmgView:
        """Return what a country may see."""
        return project_state(state, role)

    def redact(self, event: QmgEvent, role: Role | None) -> QmgEvent:
        """Return the event as a country may see it."""
        return redact_event(event, role)

    def redact_command(self, command: QmgCommand, giver: Role, role: Role | None) -> QmgCommand:
        """Return the command as a country may see it."""
        return redact_order(command, giver, role)

    def describe(self, event: QmgEvent) -> str:
        """Return the log sentence of an event."""
        return describe(event)

    def heading(self, state: State) -> str:
        """Return where the game stands."""
        return heading(state)

    def violations(self, state: State) -> Iterator[str]:
        """Yield broken invariants."""
        return violations(state)


QMG: Final = QuartermasterGeneral()
"""The one instance that the registry hands out."""
