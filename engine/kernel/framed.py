"""Implements the ruleset interface for games that store their progress as a stack of frames."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from typing_extensions import override

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


class FreeAction(ABC, Generic[S, C, U]):
    """The rules for any-time commands. A role may give them while any role has a decision to make."""

    kinds: ClassVar[tuple[type[Command], ...]]
    """The types of any-time commands."""

    @abstractmethod
    def options(self, state: S, role: Role) -> tuple[C, ...]:
        """Return the commands that a role may give now. The result depends only on information that the role has."""

    @abstractmethod
    def is_free_only(self, command: C) -> bool:
        """Return whether a command can only be an any-time command, never the answer to a decision."""

    @abstractmethod
    def refusals(self, state: S, role: Role, command: C) -> Iterator[Refusal]:
        """Yield the reasons why a role cannot give an any-time command now."""

    @abstractmethod
    def apply(self, run: U, role: Role, command: C) -> None:
        """Carry out a legal command."""


class FramedRuleset(Ruleset[S, C, E, V, P], Generic[S, C, E, V, P, U, R]):
    """A ruleset that a :class:`Machine` runs. Its state contains a stack of frames."""

    machine: Machine[S, C, U, R]
    free_action: FreeAction[S, C, U] | None = None
    """The rules for any-time commands, or None in games without such commands."""

    end_rule: Rule
    """Number of the rule on the end of the game. Refusals of commands after the end cite it."""

    @abstractmethod
    def run(self, state: S, dice: Dice) -> U:
        """Return a :class:`Run` that starts from a state."""

    @override
    def ledger(self, state: S, dice: Dice) -> Ledger[S, E]:
        return self.run(state, dice)

    @override
    def active_roles(self, state: S) -> tuple[Role, ...]:
        roles: tuple[Role, ...] = self.machine.active_roles(state)  # type: ignore[assignment]  # a game's own roles are strings like Role
        return roles

    @override
    def decision(self, state: S, role: Role) -> Decision[C]:
        """Return the decision of a role that is being asked. The result is cached, because a state never changes."""
        return self.machine.decision(state, role)

    @override
    def is_window(self, state: S, role: Role) -> bool:
        del role
        return self.machine.is_window(state)

    @override
    def is_option(self, state: S, role: Role, command: C) -> bool:
        """Return whether a command is an option for a role that is being asked.

        Names are checked first, because the rules assume that all names exist.
        """
        if next(self.unknown_names(command), None) is not None:
            return False
        return self.machine.is_option(state, role, command)

    @override
    def free_actions(self, state: S, role: Role) -> tuple[C, ...]:
        return () if self.free_action is None else self.free_action.options(state, role)

    @override
    def resolve(self, ledger: Ledger[S, E], role: Role, command: C) -> None:
        run: U = ledger  # type: ignore[assignment]  # self.ledger created it
        state = run.state
        # If a command is both an answer and an any-time command, it counts as an answer.
        if (
            self.free_action is not None
            and isinstance(command, self.free_action.kinds)
            and not (role in self.active_roles(state) and self.is_option(state, role, command))
        ):
            self.free_action.apply(run, role, command)
        else:
            self.machine.resolve(run, role, command)
        self.machine.advance(run)

    @override
    def why_not(self, state: S, role: Role, command: C) -> tuple[Refusal, ...]:
        roles = self.active_roles(state)
        if not roles:
            return (Refusal(self.end_rule, "the game is over"),)
        unknown_names = tuple(self.unknown_names(command))
        if unknown_names:
            return unknown_names
        if self.is_legal(state, role, command):
            return ()
        return tuple(map(self.with_display_names, self._current_refusals(state, role, command)))

    def _current_refusals(self, state: S, role: Role, command: C) -> Iterator[Refusal]:
        is_asked = role in self.active_roles(state)
        if self.free_action is not None and (
            not is_asked or self.free_action.is_free_only(command)
        ):
            yield from self.free_action.refusals(state, role, command)
        elif is_asked:
            refusals = tuple(self.machine.why_not(state, role, command))
            yield from refusals
            if not refusals:
                rule = self.machine.decision(state, role).rule
                yield Refusal(rule, "this is not one of the choices in this step")
        yield from self.machine.timing_refusals(state, role, command)

    def unknown_names(self, command: C) -> Iterator[Refusal]:
        """Yield a refusal for each unknown name in a command."""
        del command
        yield from ()

    def with_display_names(self, refusal: Refusal) -> Refusal:
        """Return a refusal with ids replaced by the names that players know."""
        return refusal

    @override
    def outcome(self, state: S) -> Outcome | None:
        return state.outcome


class HintedRuleset(FramedRuleset[S, C, E, V, P, U, R], Generic[S, C, E, V, P, U, R]):
    """A ruleset with an optimisation: hints about the next command can replace the search for a legal one."""

    @override
    def hint_next_command(self, state: S, role: Role, hint: C) -> None:
        if next(self.unknown_names(hint), None) is None:
            self.machine.hint_next_command(state, role, hint)

    @override
    def is_option(self, state: S, role: Role, command: C) -> bool:
        return self.machine.is_verified_hint(state, role, command) or super().is_option(
            state, role, command
        )
