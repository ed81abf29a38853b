"""The state machine that runs every game: a stack of frames, a handler for each frame type, and rules as actions.

A game's progress is stored as a stack of frames in its state, the innermost last. The handler of the innermost frame is
in control. It performs automatic steps until a role must decide, asks for the decision, and carries out the answer. The
rule for one kind of command is an :class:`Action`. A :class:`DecisionHandler` is a handler made of actions, so the
option list, the legality check and the reasons for a refusal all come from the same code.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from operator import is_
from typing import Any, ClassVar, Final, Generic, TypeVar

from typing_extensions import override

from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import CachedState, Memo
from engine.kernel.ruleset import Command

_NEXT_COMMAND_HINT: Final[Memo[tuple[str, Command]]] = Memo()
"""The role and command expected next, if known. Handlers check this command first when they search for a legal one."""
_VERIFIED_HINT: Final[Memo[tuple[object, str, Command]]] = Memo()
"""A frame, a role, and a command that :meth:`DecisionHandler.is_hint_legal` found to be legal for that role."""
MAX_AUTOMATIC_STEPS: Final = 10_000
"""Maximum number of automatic steps after one command. Exceeding this is a bug."""


class GameState(CachedState, frozen=True, kw_only=True):
    """Base class of a game's state, with the fields that the state machine uses."""

    frames: tuple[Any, ...] = ()
    """The stack of frames, the innermost last. Empty before and after the game."""
    outcome: Outcome | None = None
    """The game's outcome, or None while the game continues."""


S = TypeVar("S", bound=GameState)
E = TypeVar("E")
C = TypeVar("C", bound=Command)
F = TypeVar("F")
R = TypeVar("R", bound=str)
K = TypeVar("K", bound=Command)


class Run(Ledger[S, E], ABC, Generic[S, E, F]):
    """Executes one command. A run is a ledger that also contains the stack of frames.

    Each game chooses whether the stack is recorded after every change, or once when the run stops.
    """

    __slots__ = ("active_roles",)

    def __init__(self, state: S, evolve: Callable[[S, E], S], dice: Dice) -> None:
        """Create a run that starts from a state."""
        super().__init__(state, evolve, dice)
        self.active_roles: tuple[Any, ...] | None = None
        """The roles that must decide before the game can continue. None until the run has determined them."""

    @abstractmethod
    def top(self) -> F:
        """Return the innermost frame."""

    @abstractmethod
    def push(self, frame: F) -> None:
        """Push a frame onto the stack."""

    @abstractmethod
    def replace_top(self, frame: F) -> None:
        """Replace the innermost frame."""

    @abstractmethod
    def pop(self) -> None:
        """Pop the innermost frame."""

    def commit_stack(self) -> None:
        """Record the stack. Called when a role must decide or the game is over."""


class StackRun(Run[S, E, F], Generic[S, E, F]):
    """A run that keeps the stack in a list and records all changes to it at once, when the run stops."""

    __slots__ = ("_recorded", "stack")

    def __init__(self, state: S, evolve: Callable[[S, E], S], dice: Dice) -> None:
        """Create a run that starts from a state."""
        super().__init__(state, evolve, dice)
        self._recorded: tuple[F, ...] = state.frames
        self.stack: list[F] = list(self._recorded)

    def begin(self, event: E) -> None:
        """Record the event that sets up a position."""
        self.add(event)
        # The position may already contain a stack, which must not be recorded again.
        self._recorded = self.state.frames
        self.stack = list(self._recorded)

    @abstractmethod
    def stack_changed(self, keep: int, frames: tuple[F, ...]) -> E:
        """Return the event that keeps the ``keep`` outermost frames and replaces all others with the given frames."""

    @override
    def top(self) -> F:
        return self.stack[-1]

    @override
    def push(self, frame: F) -> None:
        self.stack.append(frame)

    @override
    def replace_top(self, frame: F) -> None:
        self.stack[-1] = frame

    @override
    def pop(self) -> None:
        self.stack.pop()

    @override
    def commit_stack(self) -> None:
        """Record how the stack has changed since it was last recorded."""
        if self.state.outcome is not None:
            # A game can end while frames are on the stack, but a finished game has no frames.
            self.stack.clear()
        old_stack, new_stack = self._recorded, self.stack
        # Frames are immutable, so an untouched frame is still the same object.
        is_unchanged = [*map(is_, old_stack, new_stack)]
        keep = is_unchanged.index(False) if False in is_unchanged else len(is_unchanged)
        if keep == len(old_stack) == len(new_stack):
            return
        self.add(self.stack_changed(keep, tuple(new_stack[keep:])))
        self._recorded = self.state.frames


U = TypeVar("U", bound=Run[Any, Any, Any])


class Handler(ABC, Generic[S, C, U, F, R]):
    """The rules of one frame type.

    A handler that never asks for a decision overrides only :meth:`step`. A handler that asks for decisions also
    overrides :meth:`active_roles`. A handler that cannot know in advance whether it must ask overrides
    :meth:`try_step`.
    """

    frame: ClassVar[type]
    """The frame type that this handler serves."""

    def handler_for(self, frame: F) -> "Handler[S, C, U, F, R]":
        """Return the handler for a frame's current stage. By default, a frame type has only one stage."""
        del frame
        return self

    def active_roles(self, state: S, frame: F) -> tuple[R, ...]:
        """Return the roles that must decide in this frame. The result depends only on public information."""
        del state, frame
        return ()

    def step(self, run: U, frame: F) -> None:
        """Perform the frame's automatic step, if no role must decide. The step must change the stack or the state."""
        raise AssertionError("this frame has no automatic step", frame)

    def try_step(self, run: U, frame: F) -> bool:
        """Perform the automatic step and return True, or return False if a role must decide first."""
        roles = self.active_roles(run.state, frame)
        if roles:
            run.active_roles = roles
            return False
        self.step(run, frame)
        return True

    def decision(self, state: S, frame: F, role: R) -> Decision[C]:
        """Return the decision of a role that is being asked, with every legal command."""
        raise AssertionError("this frame asks for no decision", frame)

    def is_option(self, state: S, frame: F, role: R, command: C) -> bool | None:
        """Return whether a command is an option for a role that is being asked, or None if this requires the full list.

        Handlers with long option lists answer without building the list. A test checks that the answer agrees with
        :meth:`decision`.
        """
        del state, frame, role, command
        return None

    def resolve(self, run: U, frame: F, role: R, command: C) -> None:
        """Carry out a command that is among the options."""
        raise AssertionError("this frame accepts no command", frame)

    def why_not(self, state: S, frame: F, role: R, command: C) -> Iterator[Refusal]:
        """Yield the rules that forbid a command that is not among the options."""
        del state, frame, role, command
        yield from ()

    def accepts_kind(self, frame: F, command: C) -> bool:
        """Return whether this frame's decision covers this kind of command. If so, refusals do not mention timing."""
        del frame, command
        return False

    def timing_refusals(self, state: S, role: R, command: C) -> Iterator[Refusal]:
        """Yield refusals that state when this frame's commands may be given. They appear during other decisions."""
        del state, role, command
        yield from ()


class Action(ABC, Generic[S, U, F, R, K]):
    """The rule for one kind of command in one kind of frame: when it is legal, why it is refused, and what it does."""

    kind: type[K]
    """The command type to which this rule applies."""
    is_exact: ClassVar[bool] = False
    """True if :meth:`candidates` returns exactly the legal commands, for example from a search over bit sets.

    A property test checks this against :meth:`refusals`.
    """
    timing: ClassVar[Refusal | None] = None
    """A refusal that states when such a command may be given.

    It is shown during other decisions. Actions whose text varies override :meth:`timing_refusals`.
    """

    @abstractmethod
    def candidates(self, state: S, frame: F, role: R) -> Iterable[K]:
        """Return the commands to check, in list order. Every legal command is among them."""

    @abstractmethod
    def refusals(self, state: S, frame: F, role: R, command: K) -> Iterator[Refusal]:
        """Yield every rule that forbids a command. A command without refusals is legal."""

    @abstractmethod
    def apply(self, run: U, frame: F, role: R, command: K) -> None:
        """Carry out a legal command."""

    def options(self, state: S, frame: F, role: R) -> Iterator[K]:
        """Return a lazy iterator over every legal command, in a fixed order."""
        worth_trying = self.candidates(state, frame, role)
        if self.is_exact:
            return iter(worth_trying)
        return (command for command in worth_trying if self.is_legal(state, frame, role, command))

    def is_legal(self, state: S, frame: F, role: R, command: K) -> bool:
        """Return whether a command is legal, which means that no rule forbids it."""
        return next(self.refusals(state, frame, role, command), None) is None

    def is_open(self, state: S, frame: F, role: R) -> bool:
        """Return whether there is any legal command. The search stops at the first one."""
        return next(self.options(state, frame, role), None) is not None

    def timing_refusals(self, state: S, role: R, command: K) -> Iterator[Refusal]:
        """Yield refusals that state when such a command may be given."""
        del state, role, command
        if self.timing is not None:
            yield self.timing


class PlainAction(Action[S, U, F, R, K], Generic[S, U, F, R, K]):
    """The rule for a command without fields, such as a pass.

    By default, such a command ends the frame.
    """

    def __init__(self, kind: type[K]) -> None:
        """Store the command type."""
        self.kind = kind

    @override
    def candidates(self, state: S, frame: F, role: R) -> Iterable[K]:
        return (self.kind(),)

    @override
    def refusals(self, state: S, frame: F, role: R, command: K) -> Iterator[Refusal]:
        yield from ()

    @override
    def apply(self, run: U, frame: F, role: R, command: K) -> None:
        run.pop()


class DecisionHandler(Handler[S, C, U, F, R], Generic[S, C, U, F, R]):
    """A handler made of actions. The order of the actions is the order of the options."""

    actions: ClassVar[tuple[Action[Any, Any, Any, Any, Any], ...]]
    _actions_by_kind: ClassVar[Mapping[type, Action[Any, Any, Any, Any, Any]]]
    rule: ClassVar[Rule]
    """The rule that requires the decision. Handlers whose rule varies override :meth:`decision_rule`."""
    question: ClassVar[str]
    """The prompt shown to the player. Handlers whose wording varies override :meth:`prompt`."""
    default_index: ClassVar[int | None] = None
    """Index of the default option.

    None means the last option if it has no fields, such as a pass, and the first option otherwise.
    """
    is_plan: ClassVar[bool] = False
    """True if this is a planning step: no answer in it requests a die roll or a card draw."""
    wrong_kind_text: ClassVar[str] = "this does not answer the current question"
    """Refusal text for any other kind of command. Handlers whose wording varies override :meth:`wrong_kind`."""

    @override
    def __init_subclass__(cls) -> None:
        """Build the map from command type to action."""
        super().__init_subclass__()
        cls._actions_by_kind = {action.kind: action for action in getattr(cls, "actions", ())}

    @abstractmethod
    @override
    def active_roles(self, state: S, frame: F) -> tuple[R, ...]:
        """Return the roles that must decide. The result depends only on public information."""

    def prompt(self, state: S, frame: F, role: R) -> str:
        """Return the question as shown to the player."""
        del state, frame, role
        return self.question

    def decision_rule(self, state: S, frame: F) -> Rule:
        """Return the rule that requires this decision."""
        del state, frame
        return self.rule

    def default(self, state: S, frame: F, role: R, options: tuple[C, ...]) -> C:
        """Return the command to use if no answer is given."""
        del state, frame, role
        if self.default_index is not None:
            return options[self.default_index]
        return options[0] if options[-1].__struct_fields__ else options[-1]

    def is_window(self, state: S, frame: F) -> bool:
        """Return whether this is a response window, which polls every role that could possibly respond.

        Whether a role could respond depends only on public information.
        """
        del state, frame
        return False

    def automatic_answer(self, state: S, frame: F, role: R, options: tuple[C, ...]) -> C | None:
        """Return the command that a client may give automatically because no other command would matter, or None."""
        del state, frame, role, options
        return None

    def is_open(self, state: S, frame: F, role: R) -> bool:
        """Return whether a role has any legal command. The search stops at the first one."""
        return any(action.is_open(state, frame, role) for action in self.actions)

    def is_hint_legal(
        self, state: S, frame: F, role: R, ignored_kinds: Collection[type[Command]]
    ) -> bool:
        """Return whether the expected next command belongs to this role and is legal here.

        A command of one of the ignored kinds does not count. True means that no search for a legal command is needed.
        False means only that the hint does not help.
        """
        next_command = _NEXT_COMMAND_HINT.latest_result(state)
        if (
            next_command is None
            or next_command[0] != role
            or type(next_command[1]) in ignored_kinds
        ):
            return False
        command = next_command[1]
        action = self._actions_by_kind.get(type(command))
        if action is None or not action.is_legal(state, frame, role, command):
            return False
        _VERIFIED_HINT.store(state, (frame, role, command))
        return True

    def options(self, state: S, frame: F, role: R) -> tuple[C, ...]:
        """Return every legal command, grouped by action."""
        return tuple(
            [command for action in self.actions for command in action.options(state, frame, role)]
        )

    @override
    def decision(self, state: S, frame: F, role: R) -> Decision[C]:
        options = self.options(state, frame, role)
        return Decision(
            role=Role(role),
            rule=self.decision_rule(state, frame),
            prompt=self.prompt(state, frame, role),
            options=options,
            default=self.default(state, frame, role, options),
            is_plan=self.is_plan,
            is_window=self.is_window(state, frame),
            automatic_answer=self.automatic_answer(state, frame, role, options),
        )

    @override
    def is_option(self, state: S, frame: F, role: R, command: C) -> bool:
        action = self._actions_by_kind.get(type(command))
        return action is not None and action.is_legal(state, frame, role, command)

    @override
    def resolve(self, run: U, frame: F, role: R, command: C) -> None:
        self._actions_by_kind[type(command)].apply(run, frame, role, command)

    @override
    def why_not(self, state: S, frame: F, role: R, command: C) -> Iterator[Refusal]:
        action = self._actions_by_kind.get(type(command))
        if action is None:
            return self.wrong_kind(state, frame, role, command)
        return action.refusals(state, frame, role, command)

    def wrong_kind(self, state: S, frame: F, role: R, command: C) -> Iterator[Refusal]:
        """Yield the reasons why a command of a kind without an action is refused."""
        del role, command
        yield Refusal(self.decision_rule(state, frame), self.wrong_kind_text)

    @override
    def accepts_kind(self, frame: F, command: C) -> bool:
        """Return whether one of the actions is for this kind of command."""
        del frame
        return type(command) in self._actions_by_kind

    @override
    def timing_refusals(self, state: S, role: R, command: C) -> Iterator[Refusal]:
        action = self._actions_by_kind.get(type(command))
        if action is not None:
            yield from action.timing_refusals(state, role, command)


class Machine(Generic[S, C, U, R]):
    """Holds a game's handlers and runs the game to the next decision."""

    def __init__(
        self, handlers: Iterable[Handler[S, C, U, Any, R]], role: Callable[[str], R]
    ) -> None:
        """Store one handler per frame type, and the function that converts a role id to the game's role type."""
        self.handlers: Final[Mapping[type, Handler[S, C, U, Any, R]]] = {
            handler.frame: handler for handler in handlers
        }
        # If a frame type has one handler for all stages, handler_for() need not be called.
        self._single_handlers: Final[Mapping[type, Handler[S, C, U, Any, R]]] = {
            frame: handler
            for frame, handler in self.handlers.items()
            if type(handler).handler_for is Handler.handler_for
        }
        self._to_game_role = lru_cache(maxsize=64)(role)
        self._active_roles: Memo[tuple[R, ...]] = Memo()
        self._decisions: Memo[dict[str, Decision[C]]] = Memo()

    def handler(self, frame: object) -> Handler[S, C, U, Any, R]:
        """Return a frame's handler."""
        kind = type(frame)
        handler = self._single_handlers.get(kind)
        return self.handlers[kind].handler_for(frame) if handler is None else handler

    def advance(self, run: U) -> None:
        """Run all automatic steps up to the next decision or the end of the game, then record the stack."""
        single_handlers = self._single_handlers
        for _ in range(MAX_AUTOMATIC_STEPS):
            if run.state.outcome is not None:
                run.commit_stack()
                return
            frame = run.top()
            handler = single_handlers.get(type(frame)) or self.handler(frame)
            if not handler.try_step(run, frame):
                state_before = run.state
                run.commit_stack()
                if run.active_roles is not None:
                    self._active_roles.store(run.state, run.active_roles)
                    # Recording the stack created a new state. The expected command is still legal
                    # in it.
                    if (
                        run.state is not state_before
                        and (verified_hint := _VERIFIED_HINT.result_for(state_before)) is not None
                    ):
                        _VERIFIED_HINT.store(run.state, verified_hint)
                return
        raise AssertionError(f"no question after {MAX_AUTOMATIC_STEPS} steps", run.top())

    def active_roles(self, state: S) -> tuple[R, ...]:
        """Return the roles that must decide in the innermost frame. Empty when the game is over."""
        cached_roles = self._active_roles.result_for(state)
        if cached_roles is not None:
            return cached_roles
        if state.outcome is not None or not state.frames:
            return ()
        frame = state.frames[-1]
        return self._active_roles.store(state, self.handler(frame).active_roles(state, frame))

    def decision(self, state: S, role: str) -> Decision[C]:
        """Return the decision of a role that is being asked. The result is cached, because a state never changes."""
        cache = self._decisions.get(state, (state,), dict)
        cached_decision = cache.get(role)
        if cached_decision is None:
            frame = state.frames[-1]
            cached_decision = self.handler(frame).decision(state, frame, self._to_game_role(role))
            cache[role] = cached_decision
        return cached_decision

    def is_window(self, state: S) -> bool:
        """Return whether the innermost frame is a response window."""
        frame = state.frames[-1]
        handler = self.handler(frame)
        return isinstance(handler, DecisionHandler) and handler.is_window(state, frame)

    def is_verified_hint(self, state: S, role: str, command: C) -> bool:
        """Return whether :meth:`DecisionHandler.is_hint_legal` has already found this command to be legal."""
        verified_hint = _VERIFIED_HINT.result_for(state)
        return (
            verified_hint is not None
            and verified_hint[0] is state.frames[-1]
            and verified_hint[2] == command
            and verified_hint[1] == role
        )

    def is_option(self, state: S, role: str, command: C) -> bool:
        """Return whether a command is an option for a role that must decide.

        This avoids listing all options where possible.
        """
        if role not in self._decisions.get(state, (state,), dict):
            frame = state.frames[-1]
            answer = self.handler(frame).is_option(state, frame, self._to_game_role(role), command)
            if answer is not None:
                return answer
        return command in self.decision(state, role).options

    def resolve(self, run: U, role: str, command: C) -> None:
        """Carry out a legal command with the innermost frame's handler."""
        frame = run.top()
        self.handler(frame).resolve(run, frame, self._to_game_role(role), command)

    def why_not(self, state: S, role: str, command: C) -> Iterator[Refusal]:
        """Yield the reasons why the innermost frame refuses a command."""
        frame = state.frames[-1]
        return self.handler(frame).why_not(state, frame, self._to_game_role(role), command)

    def hint_next_command(self, state: S, role: str, hint: C) -> None:
        """Store the command expected next and its role. All names in it must exist."""
        _NEXT_COMMAND_HINT.store(state, (role, hint))

    def timing_refusals(self, state: S, role: str, command: C) -> Iterator[Refusal]:
        """Yield refusals that state when a command may be given.

        Nothing is yielded if the role's open decision accepts this kind of command.
        """
        frame, giver = state.frames[-1], self._to_game_role(role)
        if not (
            giver in self.active_roles(state) and self.handler(frame).accepts_kind(frame, command)
        ):
            # The open decision does not accept such a command. Collect the refusals of all
            # handlers.
            for handler in self.handlers.values():
                yield from handler.timing_refusals(state, giver, command)
