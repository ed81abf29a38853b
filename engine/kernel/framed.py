"""The wiring of a game that the machine runs: whom to ask, what is legal, why not, and what a command does."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.machine import GameState, Machine, Run
from engine.kernel.ruleset import Command, Event, Ruleset, View

S = TypeVar("S", bound=GameState)
C = TypeVar("C", bound=Command)
E = TypeVar("E", bound=Event)
V = TypeVar("V", bound=View)
P = TypeVar("P", bound=msgspec.Struct)
U = TypeVar("U", bound=Run[Any, Any, Any])
R = TypeVar("R", bound=str)


class AnyTime(ABC, Generic[S, C, U]):
    """The rule of commands that a role may give although nobody asks it, while somebody is asked."""

    kinds: ClassVar[tuple[type[Command], ...]]
    """The types of these commands."""

    @abstractmethod
    def options(self, state: S, role: Role) -> tuple[C, ...]:
        """Return what a role may give now; depends on nothing that the role cannot know."""

    @abstractmethod
    def is_about(self, command: C) -> bool:
        """Return whether a command is of a kind that can only come unasked."""

    @abstractmethod
    def refusals(self, state: S, role: Role, command: C) -> Iterator[Refusal]:
        """Yield why a role cannot give a command unasked."""

    @abstractmethod
    def apply(self, run: U, role: Role, command: C) -> None:
        """Carry a legal command out."""


class FramedRuleset(Ruleset[S, C, E, V, P], Generic[S, C, E, V, P, U, R]):
    """A game whose state holds a stack of frames, run by a :class:`Machine`."""

    machine: Machine[S, C, U, R]
    unasked: AnyTime[S, C, U] | None = None
    """The rule of commands that nobody asks for; None in games that have none."""

    end_rule: Rule
    """The rule about the end of a game, which refuses every command after it."""

    @abstractmethod
    def run(self, state: S, dice: Dice) -> U:
        """Return a run that goes on from a state."""

    def ledger(self, state: S, dice: Dice) -> Ledger[S, E]:
        """Return an empty ledger on a state, which is a run."""
        return self.run(state, dice)

    def asked(self, state: S) -> tuple[Role, ...]:
        """Return whom the innermost frame asks."""
        asked: tuple[Role, ...] = self.machine.asked(state)  # type: ignore[assignment]  # a game's own roles are such
        return asked

    def decision(self, state: S, role: Role) -> Decision[C]:
        """Return the question to an asked role; remembered, since a state never changes."""
        return self.machine.decision(state, role)

    def is_window(self, state: S, role: Role) -> bool:
        """Return whether the open question of an asked role is a response window; a public copy is enough for that."""
        del role
        return self.machine.is_window(state)

    def is_option(self, state: S, role: Role, command: C) -> bool:
        """Return whether a command is among the options of an asked role; rules rely on names that exist."""
        if next(self.unknown_names(command), None) is not None:
            return False
        return self.machine.is_option(state, role, command)

    def any_time(self, state: S, role: Role) -> tuple[C, ...]:
        """Return what a role may give now although nobody asks it."""
        return () if self.unasked is None else self.unasked.options(state, role)

    def resolve(self, ledger: Ledger[S, E], role: Role, command: C) -> None:
        """Carry a legal command out, then run to the next question."""
        run: U = ledger  # type: ignore[assignment]  # self.ledger made it
        state = run.state
        if (
            self.unasked is not None
            and isinstance(command, self.unasked.kinds)
            and not (role in self.asked(state) and self.is_option(state, role, command))
        ):
            self.unasked.apply(run, role, command)
        else:
            self.machine.resolve(run, role, command)
        self.machine.advance(run)

    def why_not(self, state: S, role: Role, command: C) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now."""
        asked = self.asked(state)
        if not asked:
            return (Refusal(self.end_rule, "the game is over"),)
        unknown = tuple(self.unknown_names(command))
        if unknown:
            return unknown
        if self.is_legal(state, role, command):
            return ()
        return tuple(map(self.worded, self._reasons_now(state, role, command)))

    def _reasons_now(self, state: S, role: Role, command: C) -> Iterator[Refusal]:
        is_asked = role in self.asked(state)
        if self.unasked is not None and (not is_asked or self.unasked.is_about(command)):
            yield from self.unasked.refusals(state, role, command)
        elif is_asked:
            found = tuple(self.machine.why_not(state, role, command))
            yield from found
            if not found:
                rule = self.machine.decision(state, role).rule
                yield Refusal(rule, "this is not among the choices of this step")
        yield from self.machine.timing_refusals(state, role, command)

    def unknown_names(self, command: C) -> Iterator[Refusal]:
        """Yield the names in a command that mean nothing in this game."""
        del command
        yield from ()

    def worded(self, refusal: Refusal) -> Refusal:
        """Return a refusal with the names that players know in place of ids."""
        return refusal

    def outcome(self, state: S) -> Outcome | None:
        """Return how the game ended."""
        return state.outcome


class ExpectingRuleset(FramedRuleset[S, C, E, V, P, U, R], Generic[S, C, E, V, P, U, R]):
    """A game with questions that look for something a role could do, and that hear which command follows."""

    def expect(self, state: S, role: Role, command: C) -> None:
        """Hear which command follows; one with names that mean nothing says nothing."""
        if next(self.unknown_names(command), None) is None:
            self.machine.expect(state, role, command)

    def is_option(self, state: S, role: Role, command: C) -> bool:
        """Return whether a command is among the options of an asked role, at once where it was expected."""
        return self.machine.has_come(state, role, command) or super().is_option(
            state, role, command
        )
