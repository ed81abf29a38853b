"""The one machine that runs every game: a stack of frames, a handler per frame, rules as action objects.

Where a game stands is a stack of frames in its state, the innermost last. The innermost frame rules: its handler
does what happens by itself until somebody must decide, asks, and carries the answer out. A rule about a kind of
command is an :class:`Action`; a :class:`Question` is a handler made of actions, so that the list of options, the judge
and *why not* are one text.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from operator import is_
from typing import Any, ClassVar, Final, Generic, TypeVar

from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import AnswersMemo, LatestMemo, Remembering
from engine.kernel.ruleset import Command

_COMING: Final[LatestMemo[tuple[str, Command]]] = LatestMemo()
"""Who will give which command next, when that is known: what is looked for is most easily found there."""
_FOUND: Final[LatestMemo[tuple[object, str, Command]]] = LatestMemo()
"""The frame, the role and the command that :meth:`Question.comes` has found legal."""
LOOP_LIMIT: Final = 10_000
"""Automatic steps after one command; more are a mistake of ours."""


class GameState(Remembering, frozen=True, kw_only=True):
    """What the machine reads of a state."""

    frames: tuple[Any, ...] = ()
    """The stack of frames, the innermost last; empty before the game and after it."""
    outcome: Outcome | None = None
    """How the game ended."""


S = TypeVar("S", bound=GameState)
E = TypeVar("E")
C = TypeVar("C", bound=Command)
F = TypeVar("F")
R = TypeVar("R", bound=str)
K = TypeVar("K", bound=Command)


class Run(Ledger[S, E], ABC, Generic[S, E, F]):
    """One command being carried out: the ledger with the stack of frames.

    A game chooses how the stack is recorded: change by change, or once when the run comes to rest.
    """

    __slots__ = ("asked",)

    def __init__(self, state: S, evolve: Callable[[S, E], S], dice: Dice) -> None:
        """Go on from a state."""
        super().__init__(state, evolve, dice)
        self.asked: tuple[Any, ...] | None = None
        """Whom the run stopped for, when that was worked out on the way."""

    @abstractmethod
    def top(self) -> F:
        """Return the innermost frame."""

    @abstractmethod
    def enter(self, frame: F) -> None:
        """Open a frame inside the present one."""

    @abstractmethod
    def replace(self, frame: F) -> None:
        """Let the present frame go on."""

    @abstractmethod
    def leave(self) -> None:
        """End the present frame."""

    def rest(self) -> None:
        """Record where the game stands; somebody must decide, or the game is over."""


class StackRun(Run[S, E, F], Generic[S, E, F]):
    """A run that holds the stack as a list and records once, at rest, what has changed of it."""

    __slots__ = ("_recorded", "stack")

    def __init__(self, state: S, evolve: Callable[[S, E], S], dice: Dice) -> None:
        """Go on from a state."""
        super().__init__(state, evolve, dice)
        self._recorded: tuple[F, ...] = state.frames
        self.stack: list[F] = list(self._recorded)

    def begin(self, event: E) -> None:
        """Record the event that sets a position up, which may hold a stack of its own."""
        self.add(event)
        self._recorded = self.state.frames
        self.stack = list(self._recorded)

    @abstractmethod
    def stack_changed(self, keep: int, frames: tuple[F, ...]) -> E:
        """Return the event that so many outer frames stay and these are on top of them."""

    def top(self) -> F:
        """Return the innermost frame."""
        return self.stack[-1]

    def enter(self, frame: F) -> None:
        """Open a frame inside the present one."""
        self.stack.append(frame)

    def replace(self, frame: F) -> None:
        """Let the present frame go on."""
        self.stack[-1] = frame

    def leave(self) -> None:
        """End the present frame."""
        self.stack.pop()

    def rest(self) -> None:
        """Record the difference to the stack that was recorded last, if there is one."""
        if self.state.outcome is not None:
            self.stack.clear()
        before, now = self._recorded, self.stack
        kept = [*map(is_, before, now)]
        keep = kept.index(False) if False in kept else len(kept)
        if keep == len(before) == len(now):
            return
        self.add(self.stack_changed(keep, tuple(now[keep:])))
        self._recorded = self.state.frames


U = TypeVar("U", bound=Run[Any, Any, Any])


class Handler(ABC, Generic[S, C, U, F, R]):
    """The rules of one frame type.

    A handler that asks nobody gives :meth:`step` alone, one that asks also :meth:`asked`. One that finds out only on
    the way whether it asks overrides :meth:`go`.
    """

    frame: ClassVar[type]
    """The frame type that this handler serves."""

    def part(self, frame: F) -> "Handler[S, C, U, F, R]":
        """Return the handler of the part at which a frame stands; a frame type of one part has one handler."""
        del frame
        return self

    def asked(self, state: S, frame: F) -> tuple[R, ...]:
        """Return who must decide while the game waits at this frame; rests on open facts alone."""
        del state, frame
        return ()

    def step(self, run: U, frame: F) -> None:
        """Do what happens by itself while nobody is asked; it must change the stack or the state."""
        raise AssertionError("nothing happens by itself here", frame)

    def go(self, run: U, frame: F) -> bool:
        """Do what happens by itself; return False when somebody must decide first."""
        asked = self.asked(run.state, frame)
        if asked:
            run.asked = asked
            return False
        self.step(run, frame)
        return True

    def decision(self, state: S, frame: F, role: R) -> Decision[C]:
        """Return the question to an asked role, with every legal command."""
        raise AssertionError("nothing is ever asked here", frame)

    def is_option(self, state: S, frame: F, role: R, command: C) -> bool | None:
        """Return whether a command is among the options of an asked role, None when only the list tells.

        Handlers whose lists are long answer without making them; a test holds that the answer is the same.
        """
        del state, frame, role, command
        return None

    def resolve(self, run: U, frame: F, role: R, command: C) -> None:
        """Carry out a command that is among the options."""
        raise AssertionError("nothing is ever answered here", frame)

    def why_not(self, state: S, frame: F, role: R, command: C) -> Iterator[Refusal]:
        """Yield the rules against a command that is not among the options."""
        del state, frame, role, command
        yield from ()

    def judges(self, frame: F, command: C) -> bool:
        """Return whether a command fits the question, so that an asked role is told nothing about the moment."""
        del frame, command
        return False

    def timing_refusals(self, state: S, role: R, command: C) -> Iterator[Refusal]:
        """Yield when a command of this frame's kinds may be given, while something else is asked."""
        del state, role, command
        yield from ()


class Action(ABC, Generic[S, U, F, R, K]):
    """The rule of one kind of command at one kind of frame: what may be done, why not, and what it does."""

    kind: type[K]
    """The type of the commands that this rule is about."""
    is_exact: ClassVar[bool] = False
    """True where :meth:`candidates` are by construction the legal commands, such as those of a search over bit sets;
    a property test holds them equal to the predicates."""
    timing: ClassVar[Refusal | None] = None
    """When such a command may be given, told while something else is asked; one whose words change overrides
    :meth:`timing_refusals`."""

    @abstractmethod
    def candidates(self, state: S, frame: F, role: R) -> Iterable[K]:
        """Return the commands worth trying, in the order of the list; every legal one is among them."""

    @abstractmethod
    def refusals(self, state: S, frame: F, role: R, command: K) -> Iterator[Refusal]:
        """Yield every rule against a command; it is legal if there is none."""

    @abstractmethod
    def apply(self, run: U, frame: F, role: R, command: K) -> None:
        """Carry a legal command out."""

    def options(self, state: S, frame: F, role: R) -> Iterator[K]:
        """Return every legal command in a fixed order, each when it is asked for."""
        worth_trying = self.candidates(state, frame, role)
        if self.is_exact:
            return iter(worth_trying)
        return (one for one in worth_trying if self.is_legal(state, frame, role, one))

    def is_legal(self, state: S, frame: F, role: R, command: K) -> bool:
        """Return whether no rule speaks against a command."""
        return next(self.refusals(state, frame, role, command), None) is None

    def is_open(self, state: S, frame: F, role: R) -> bool:
        """Return whether there is a legal command at all; stops at the first."""
        return next(self.options(state, frame, role), None) is not None

    def timing_refusals(self, state: S, role: R, command: K) -> Iterator[Refusal]:
        """Yield when such a command may be given."""
        del state, role, command
        if self.timing is not None:
            yield self.timing


class PlainAction(Action[S, U, F, R, K], Generic[S, U, F, R, K]):
    """The rule of a command without fields, such as to pass; a subclass tells more than that it ends the frame."""

    def __init__(self, kind: type[K]) -> None:
        """Take the type of the command."""
        self.kind = kind

    def candidates(self, state: S, frame: F, role: R) -> Iterable[K]:
        """Return the one command of this kind."""
        return (self.kind(),)

    def refusals(self, state: S, frame: F, role: R, command: K) -> Iterator[Refusal]:
        """Yield nothing."""
        yield from ()

    def apply(self, run: U, frame: F, role: R, command: K) -> None:
        """End the frame."""
        run.leave()


class Question(Handler[S, C, U, F, R], Generic[S, C, U, F, R]):
    """A handler made of action objects; the order of the actions is the order of the options."""

    actions: ClassVar[tuple[Action[Any, Any, Any, Any, Any], ...]]
    _action_of: ClassVar[Mapping[type, Action[Any, Any, Any, Any, Any]]]
    rule: ClassVar[Rule]
    """The rule that asks; a handler whose rule changes overrides :meth:`rule_of`."""
    asks: ClassVar[str]
    """The question in words fit for the player; one whose words change overrides :meth:`prompt`."""
    default_at: ClassVar[int | None] = None
    """Place of the default in the list; None for the last where that is to pass or to be done, else the first."""
    is_plan: ClassVar[bool] = False
    """Whether the player lays plans here, and none of the answers asks for a roll or a card."""
    busy: ClassVar[str] = "this is not what is asked now"
    """What is told to a command of another kind; one whose words change overrides :meth:`unfit`."""

    def __init_subclass__(cls) -> None:
        """Find the action of each kind of command once."""
        super().__init_subclass__()
        cls._action_of = {action.kind: action for action in getattr(cls, "actions", ())}

    @abstractmethod
    def asked(self, state: S, frame: F) -> tuple[R, ...]:
        """Return who must decide; rests on open facts alone."""

    def prompt(self, state: S, frame: F, role: R) -> str:
        """Return the question in words fit for the player."""
        del state, frame, role
        return self.asks

    def rule_of(self, state: S, frame: F) -> Rule:
        """Return the rule that asks now."""
        del state, frame
        return self.rule

    def default(self, state: S, frame: F, role: R, options: tuple[C, ...]) -> C:
        """Return what happens without an answer."""
        del state, frame, role
        if self.default_at is not None:
            return options[self.default_at]
        return options[0] if options[-1].__struct_fields__ else options[-1]

    def is_window(self, state: S, frame: F) -> bool:
        """Return whether everybody is asked who could have an answer as far as the table knows."""
        del state, frame
        return False

    def by_itself(self, state: S, frame: F, role: R, options: tuple[C, ...]) -> C | None:
        """Return what a client may answer for the role because no other answer would make a difference."""
        del state, frame, role, options
        return None

    def is_open(self, state: S, frame: F, role: R) -> bool:
        """Return whether a role has anything to choose; stops at the first legal command."""
        return any(action.is_open(state, frame, role) for action in self.actions)

    def comes(self, state: S, frame: F, role: R, besides: Collection[type[Command]]) -> bool:
        """Return whether a role is known to give a command next that is legal here, other than of some kinds.

        Where that is so, nothing has to be looked for; where it is not, nothing is known.
        """
        coming = _COMING.latest(state)
        if coming is None or coming[0] != role or type(coming[1]) in besides:
            return False
        command = coming[1]
        action = self._action_of.get(type(command))
        if action is None or not action.is_legal(state, frame, role, command):
            return False
        _FOUND.keep(state, (frame, role, command))
        return True

    def options(self, state: S, frame: F, role: R) -> tuple[C, ...]:
        """Return every legal command, action by action."""
        return tuple(
            [command for action in self.actions for command in action.options(state, frame, role)]
        )

    def decision(self, state: S, frame: F, role: R) -> Decision[C]:
        """Return the question to an asked role."""
        options = self.options(state, frame, role)
        return Decision(
            role=Role(role),
            rule=self.rule_of(state, frame),
            prompt=self.prompt(state, frame, role),
            options=options,
            default=self.default(state, frame, role, options),
            is_plan=self.is_plan,
            is_window=self.is_window(state, frame),
            by_itself=self.by_itself(state, frame, role, options),
        )

    def is_option(self, state: S, frame: F, role: R, command: C) -> bool:
        """Return whether a command is legal; nothing is listed for that."""
        action = self._action_of.get(type(command))
        return action is not None and action.is_legal(state, frame, role, command)

    def resolve(self, run: U, frame: F, role: R, command: C) -> None:
        """Let the action carry the command out."""
        self._action_of[type(command)].apply(run, frame, role, command)

    def why_not(self, state: S, frame: F, role: R, command: C) -> Iterator[Refusal]:
        """Yield the rules against a command."""
        action = self._action_of.get(type(command))
        if action is None:
            return self.unfit(state, frame, role, command)
        return action.refusals(state, frame, role, command)

    def unfit(self, state: S, frame: F, role: R, command: C) -> Iterator[Refusal]:
        """Yield why a command of another kind does not fit here."""
        del role, command
        yield Refusal(self.rule_of(state, frame), self.busy)

    def judges(self, frame: F, command: C) -> bool:
        """Return whether an action is about this kind of command."""
        del frame
        return type(command) in self._action_of

    def timing_refusals(self, state: S, role: R, command: C) -> Iterator[Refusal]:
        """Let the action of the command say when it may be given."""
        action = self._action_of.get(type(command))
        if action is not None:
            yield from action.timing_refusals(state, role, command)


class Machine(Generic[S, C, U, R]):
    """The handlers of a game and the loop that runs it to its next question."""

    def __init__(
        self, handlers: Iterable[Handler[S, C, U, Any, R]], role: Callable[[str], R]
    ) -> None:
        """Take one handler per frame type, and what makes the game's own role of a role's id."""
        self.handlers: Final[Mapping[type, Handler[S, C, U, Any, R]]] = {
            handler.frame: handler for handler in handlers
        }
        self._whole: Final[Mapping[type, Handler[S, C, U, Any, R]]] = {
            frame: handler
            for frame, handler in self.handlers.items()
            if type(handler).part is Handler.part
        }
        self._role = lru_cache(maxsize=64)(role)
        self._asked: LatestMemo[tuple[R, ...]] = LatestMemo()
        self._decisions: AnswersMemo[str, Decision[C]] = AnswersMemo()

    def handler(self, frame: object) -> Handler[S, C, U, Any, R]:
        """Return the handler of a frame."""
        kind = type(frame)
        whole = self._whole.get(kind)
        return self.handlers[kind].part(frame) if whole is None else whole

    def advance(self, run: U) -> None:
        """Let happen what happens by itself up to the next question or the end, and record where the game stands."""
        whole = self._whole
        for _ in range(LOOP_LIMIT):
            if run.state.outcome is not None:
                run.rest()
                return
            frame = run.top()
            handler = whole.get(type(frame)) or self.handler(frame)
            if not handler.go(run, frame):
                before = run.state
                run.rest()
                if run.asked is not None:
                    self._asked.keep(run.state, run.asked)
                    if run.state is not before and (found := _FOUND.get(before)) is not None:
                        _FOUND.keep(run.state, found)
                return
        raise AssertionError(f"no question after {LOOP_LIMIT} steps", run.top())

    def asked(self, state: S) -> tuple[R, ...]:
        """Return whom the innermost frame asks, nobody when the game is over."""
        known = self._asked.get(state)
        if known is not None:
            return known
        if state.outcome is not None or not state.frames:
            return ()
        frame = state.frames[-1]
        return self._asked.keep(state, self.handler(frame).asked(state, frame))

    def decision(self, state: S, role: str) -> Decision[C]:
        """Return the question to an asked role; remembered, since a state never changes."""
        known = self._decisions.of(state)
        found = known.get(role)
        if found is None:
            frame = state.frames[-1]
            found = self.handler(frame).decision(state, frame, self._role(role))
            known[role] = found
        return found

    def is_window(self, state: S) -> bool:
        """Return whether the innermost frame asks in a response window."""
        frame = state.frames[-1]
        handler = self.handler(frame)
        return isinstance(handler, Question) and handler.is_window(state, frame)

    def has_come(self, state: S, role: str, command: C) -> bool:
        """Return whether a command was found legal when it was known to come (:meth:`Question.comes`)."""
        found = _FOUND.get(state)
        return (
            found is not None
            and found[0] is state.frames[-1]
            and found[2] == command
            and found[1] == role
        )

    def is_option(self, state: S, role: str, command: C) -> bool:
        """Return whether a command is among the options of an asked role; they need not be listed for that."""
        if role not in self._decisions.of(state):
            frame = state.frames[-1]
            answer = self.handler(frame).is_option(state, frame, self._role(role), command)
            if answer is not None:
                return answer
        return command in self.decision(state, role).options

    def resolve(self, run: U, role: str, command: C) -> None:
        """Let the innermost frame carry a legal command out."""
        frame = run.top()
        self.handler(frame).resolve(run, frame, self._role(role), command)

    def why_not(self, state: S, role: str, command: C) -> Iterator[Refusal]:
        """Yield the rules of the innermost frame against a command."""
        frame = state.frames[-1]
        return self.handler(frame).why_not(state, frame, self._role(role), command)

    def expect(self, state: S, role: str, command: C) -> None:
        """Hear who gives which command next; all its names mean something."""
        _COMING.keep(state, (role, command))

    def timing_refusals(self, state: S, role: str, command: C) -> Iterator[Refusal]:
        """Yield when a command may be given, unless the role is asked for such commands."""
        frame, giver = state.frames[-1], self._role(role)
        if not (giver in self.asked(state) and self.handler(frame).judges(frame, command)):
            for handler in self.handlers.values():
                yield from handler.timing_refusals(state, giver, command)
