"""Looks ahead in any game: hidden cards are sampled, candidates are played out, the best on average is taken.

A sample completes what the seat knows to a full position that could be the real one. From it a candidate is played on
by quick players up to a horizon, with the same chance for each, and what it has gained is judged there. Nothing here
measures time; after each playout there is a thought, and whoever asks stops when it likes.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Protocol

import msgspec

from engine.bots.player import Thought
from engine.bots.playout_dice import secret_from, turned_in_pairs
from engine.bots.trial import Manner, Trial
from engine.kernel.decision import Decision
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset

NO_DICE: Final = DerivedDice(bytes(SECRET_BYTES), 0)
"""For players and positions without chance."""


class Candidate(NamedTuple):
    """A command worth looking at."""

    command: Command
    value: float
    """What it is worth without a look ahead; the differences are on the scale of :meth:`LookAhead.worth`."""
    reason: str = ""
    plan: object = None
    """What goes on with it: who gives the command knows what to make of it."""


class Quick(Protocol):
    """Who plays a role in playouts; commands that nobody asks for are not offered there."""

    def answer(self, state: Any, decision: Decision[Any]) -> Command:  # noqa: ANN401 - states are opaque here
        """Return one of several options, from what the role may see of a full state."""
        ...


class LookAhead(ABC):
    """A player who looks ahead; each game says at what, how far, and what the end is worth."""

    looks_ahead = True
    level = "strong"
    remembers = False
    steps = 12
    reason = ""
    rules: ClassVar[AnyRuleset]
    manner: ClassVar[Manner] = Manner()
    most_playouts: ClassVar[int] = 100
    """After so many more would change little."""
    most_commands: ClassVar[int] = 2_000
    """A playout that has no end is judged where it is."""
    _dice: DerivedDice
    """The own source of chance."""

    @abstractmethod
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return what is done without a look ahead."""

    @abstractmethod
    def wonders(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a question is worth a look ahead."""

    @abstractmethod
    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        """Return what is worth looking at, the best first; a single one is taken without a look ahead."""

    def completed(self, position: Any, role: Role, dice: DerivedDice) -> msgspec.Struct:  # noqa: ANN401
        """Return a full position that a role could not tell from the real one; the same where nothing is hidden."""
        del role, dice
        completed: msgspec.Struct = position
        return completed

    def chance(self, secret: bytes, sample: int) -> Dice:
        """Return the dice of the playouts of a sample."""
        return turned_in_pairs(secret, sample)

    @abstractmethod
    def players(self, state: Any, role: Role, plan: object) -> Mapping[Role, Quick]:  # noqa: ANN401
        """Return who plays on from a state, with the plan of a candidate of a role."""

    @abstractmethod
    def is_far(self, began: Any, now: Any) -> bool:  # noqa: ANN401 - states are opaque here
        """Return whether a playout that began in one state has come far enough in another."""

    @abstractmethod
    def worth(self, state: Any, role: Role) -> float:  # noqa: ANN401
        """Return what a full state is worth to the side of a role."""

    def settle(self, thought: Thought) -> None:
        """Keep why the command was given."""
        self.reason = thought.reason

    def thoughts(
        self, known: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield the best candidate so far, at once and then after each playout."""
        view = self.rules.project(_begun(self.rules, known, NO_DICE), role)
        if not self.wonders(view, decision):
            command = self.choose(view, decision)
            yield Thought(command, self.reason)
            return
        found = self.candidates(view, decision)
        samples = _Samples(self, known, role, secret_from(self._dice))
        yield _told(found[0])
        if len(found) == 1:
            return
        trial = Trial(
            [candidate.value for candidate in found],
            lambda at, number: samples.gain(found[at], number),
            self.manner,
        )
        for _ in range(self.most_playouts):
            if trial.is_clear:
                return
            trial.go_on()
            yield _told(found[trial.best()])


class _Samples:
    """Full positions that could be the real one, and what candidates come to in them."""

    def __init__(self, player: LookAhead, known: msgspec.Struct, role: Role, secret: bytes) -> None:
        self._player = player
        self._known = known
        self._role = role
        self._secret = secret
        self._states: list[tuple[Any, float]] = []
        """Each with its worth."""

    def gain(self, candidate: Candidate, number: int) -> float:
        """Return by how much a candidate betters the position in a sample."""
        while len(self._states) <= number:
            self._states.append(self._next())
        state, before = self._states[number]
        end = self._played_out(state, candidate, self._player.chance(self._secret, number))
        return self._player.worth(end, self._role) - before

    def _next(self) -> tuple[Any, float]:
        dice = DerivedDice(self._secret, len(self._states))
        position = self._player.completed(self._known, self._role, dice)
        if position is self._known and self._states:
            return self._states[0]
        state = _begun(self._player.rules, position, dice)
        return state, self._player.worth(state, self._role)

    def _played_out(self, state: Any, candidate: Candidate, dice: Dice) -> Any:  # noqa: ANN401
        """Return the state after a candidate and all that follows up to the horizon."""
        rules, is_far, began = self._player.rules, self._player.is_far, state
        players = self._player.players(state, self._role, candidate.plan)
        giver, command = self._role, candidate.command
        for _ in range(self._player.most_commands):
            ledger = rules.ledger(state, dice)
            rules.resolve(ledger, giver, command)  # an option, which needs no judge
            state = ledger.state
            asked = rules.asked(state)
            if not asked or is_far(began, state):
                break
            giver = asked[0]
            question = rules.decision(state, giver)
            options = question.options
            command = options[0] if len(options) == 1 else players[giver].answer(state, question)
        return state


def _begun(rules: AnyRuleset, position: msgspec.Struct, dice: DerivedDice) -> Any:  # noqa: ANN401
    """Return the state of a position."""
    return rules.fold(rules.blank(), rules.start(position, dice))


def _told(candidate: Candidate) -> Thought:
    return Thought(candidate.command, candidate.reason, candidate.plan)
