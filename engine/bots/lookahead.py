"""Looks ahead in any game: hidden cards are sampled, candidates are played out, the best on average is taken.

A sample completes what the seat knows to a full position that could be the real one. From it every candidate is
played on by quick players up to a horizon, with the same chance for each, and judged there. Nothing here measures
time; after each playout there is a thought, and whoever asks stops when it likes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import msgspec

from engine.bots.player import Player, Thought
from engine.kernel.decision import Decision
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice, Die
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset

MOST_SAMPLES: Final = 200
"""After so many more would change nothing."""
TRUST: Final = 2
"""As many samples the value without a look ahead counts for."""
CUTS: Final = (2, 4, 8)
"""After so many rounds the worse half runs no further."""
LAST: Final = 2
"""Candidates that are left of all cuts."""
ENOUGH: Final = 8
"""After each so many rounds those are left out that are surely worse."""
SURE: Final = 2.5
"""Standard errors that make sure."""
MOST_COMMANDS: Final = 2_000
"""A playout that has no end is judged where it is."""
_BYTE: Final = 256


class RankedDice:
    """Chance that has put all names in an order beforehand: of some, the first is picked.

    So cards come in the same order in all playouts of a sample, whatever else happens there, and what candidates come
    to differs less by chance.
    """

    def __init__(self, secret: bytes, sample: int) -> None:
        """Take the order of a sample."""
        self._key = secret
        self._sample = sample.to_bytes(8, "big")
        self._ranks: dict[str, bytes] = {}
        self._dice = DerivedDice(secret, (1 << 32) + sample)

    def roll(self, die: Die) -> int:
        """Return a face."""
        return self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return the item that comes first."""
        return min(items, key=self._rank)

    def _rank(self, item: str) -> bytes:
        found = self._ranks.get(item)
        if found is None:
            message = self._sample + item.encode()
            found = blake2b(message, key=self._key, digest_size=8).digest()
            self._ranks[item] = found
        return found


class Candidate(NamedTuple):
    """A command worth looking at."""

    command: Command
    value: float
    """What it is worth without a look ahead; the differences are on the scale of :meth:`Foresight.worth`."""
    reason: str = ""
    plays_on: Callable[[], Player] | None = None
    """Makes who goes on in the own seat after it, such as one who has the same plan; None is the usual policy."""


class Race:
    """Candidates in the order of what they come to on average; those far behind run no further."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        """Begin with what they are worth without a look ahead, which counts as some samples do."""
        self._candidates = candidates
        self._values: list[list[float]] = [[] for _ in candidates]
        self.running = list(range(len(candidates)))
        """Places of the candidates that are still looked at."""
        self._leader = 0

    @property
    def is_decided(self) -> bool:
        """Return whether more samples would hardly change who leads."""
        return len(self.running) == 1

    def best(self) -> Thought:
        """Return the leader after the last whole round."""
        leader = self._candidates[self._leader]
        return Thought(leader.command, leader.reason, leader)

    def add(self, at: int, value: float) -> None:
        """Take what a candidate came to in a sample."""
        self._values[at].append(value)

    def end_round(self) -> None:
        """See who leads now, and who is left behind."""
        rounds = len(self._values[self.running[0]])
        self.running.sort(key=lambda at: (-self._score(at), at))
        self._leader = self.running[0]
        if rounds in CUTS and len(self.running) > LAST:
            self.running = self.running[: max(LAST, (len(self.running) + 1) // 2)]
        if rounds >= ENOUGH and rounds % ENOUGH == 0:
            first = self._leader
            self.running = [at for at in self.running if at == first or self._is_near(first, at)]

    def _score(self, at: int) -> float:
        values = self._values[at]
        return (sum(values) + TRUST * self._candidates[at].value) / (len(values) + TRUST)

    def _is_near(self, first: int, other: int) -> bool:
        """Return whether another candidate may still be better than the first one, as far as chance tells."""
        gaps = [
            one - two for one, two in zip(self._values[first], self._values[other], strict=True)
        ]
        count = len(gaps)
        mean = sum(gaps) / count
        spread = sum((gap - mean) ** 2 for gap in gaps) / (count - 1)
        return mean * mean * count < SURE * SURE * spread or mean <= 0


class Foresight(ABC):
    """What looking ahead needs to know of a game."""

    rules: AnyRuleset

    @abstractmethod
    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        """Return what is worth looking at, the best first; a single one is taken without a look ahead."""

    @abstractmethod
    def completed(self, position: Any, role: Role, dice: DerivedDice) -> msgspec.Struct:  # noqa: ANN401
        """Return a full position that a role could not tell from the real one."""

    def chance(self, secret: bytes, sample: int) -> Dice:
        """Return the dice of the playouts of a sample."""
        return RankedDice(secret, sample)

    @abstractmethod
    def policy(self, role: Role) -> Player:
        """Return who plays a role in playouts; commands that nobody asks for are not offered there."""

    def seen(self, state: Any, role: Role) -> View:  # noqa: ANN401 - states are opaque here
        """Return what a role sees in a playout; a game may leave out what its policy does not look at."""
        view: View = self.rules.project(state, role)
        return view

    @abstractmethod
    def is_far(self, began: Any, now: Any) -> bool:  # noqa: ANN401 - states are opaque here
        """Return whether a playout that began in one state has come far enough in another."""

    @abstractmethod
    def worth(self, state: Any, role: Role) -> float:  # noqa: ANN401
        """Return what a full state is worth to the side of a role."""


class LookAhead(ABC):
    """A player who looks ahead; a game says how by its :class:`Foresight`."""

    looks_ahead = True
    level = "strong"
    remembers = False
    steps = 12
    reason = ""

    def __init__(self, foresight: Foresight, dice: DerivedDice) -> None:
        """Take what the game says, and the own source of chance."""
        self._foresight = foresight
        self._dice = dice

    @abstractmethod
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return what is done without a look ahead."""

    def wonders(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether there may be more than one candidate; a game may say more."""
        del view
        return len(decision.options) > 1

    def settle(self, thought: Thought) -> None:
        """Keep why the command was given."""
        self.reason = thought.reason

    def thoughts(
        self, known: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield the best candidate so far, after each playout."""
        foresight, rules = self._foresight, self._foresight.rules
        secret = self._secret()
        view = rules.project(self._begun(known, DerivedDice(secret, 0)), role)
        found = foresight.candidates(view, decision)
        race = Race(found)
        yield race.best()
        for sample in range(1, MOST_SAMPLES + 1):
            if race.is_decided:
                return
            state = self._state(known, role, secret, sample)
            for at in race.running:
                race.add(at, self._played(state, role, found[at], secret, sample))
                yield race.best()
            race.end_round()

    def _secret(self) -> bytes:
        return bytes(self._dice.below(_BYTE) for _ in range(SECRET_BYTES))

    def _state(self, known: msgspec.Struct, role: Role, secret: bytes, sample: int) -> Any:  # noqa: ANN401
        """Return a full state that could be the real one."""
        position = self._foresight.completed(known, role, DerivedDice(secret, 2 * sample))
        return self._begun(position, DerivedDice(secret, 2 * sample + 1))

    def _begun(self, position: msgspec.Struct, dice: DerivedDice) -> Any:  # noqa: ANN401
        """Return the state of a position."""
        rules = self._foresight.rules
        return rules.fold(rules.blank(), rules.start(position, dice))

    def _played(
        self,
        state: Any,  # noqa: ANN401
        role: Role,
        candidate: Candidate,
        secret: bytes,
        sample: int,
    ) -> float:
        """Return what a candidate comes to in one sample."""
        foresight, rules = self._foresight, self._foresight.rules
        players = {one: foresight.policy(one) for one in rules.roles(state)}
        if candidate.plays_on is not None:
            players[role] = candidate.plays_on()
        began, giver, command = state, role, candidate.command
        chance = foresight.chance(secret, sample)
        for _ in range(MOST_COMMANDS):
            ledger = rules.ledger(state, chance)
            rules.resolve(ledger, giver, command)  # an option, which needs no judge
            state = ledger.state
            asked = rules.asked(state)
            if not asked or foresight.is_far(began, state):
                break
            giver = asked[0]
            question = rules.decision(state, giver)
            if len(question.options) == 1:
                command = question.options[0]
            else:
                command = players[giver].choose(foresight.seen(state, giver), question)
        return foresight.worth(state, role)
