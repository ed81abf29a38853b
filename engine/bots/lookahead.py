"""Looks ahead in any game: samples hidden cards, plays out candidates, and chooses the best average.

A sample is a full position that, as far as the seat knows, could be the real position. In each sample, quick players
play out the candidates up to a horizon, with the same random results for every candidate. The gain at the horizon is
then evaluated. Time is not measured here. A thought is yielded after each playout, and the caller decides when to stop.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Protocol

import msgspec

from engine.bots.candidate_comparison import CandidateComparison, TrialConfig
from engine.bots.player import Thought
from engine.bots.playout_dice import antithetic_dice, draw_secret
from engine.kernel.decision import Decision
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset

NO_DICE: Final = DerivedDice(bytes(SECRET_BYTES), 0)
"""Dice for players and positions that need no randomness."""


class Candidate(NamedTuple):
    """A command that is compared with others by playouts."""

    command: Command
    value: float
    """The command's value before any search. Differences are on the scale of :meth:`LookAhead.evaluate`."""
    reason: str = ""
    plan: object = None
    """The plan behind the command, in the player's own format; None if there is no plan."""


class PlayoutPlayer(Protocol):
    """Plays a role in playouts. Any-time commands are not offered in playouts."""

    def answer(self, state: Any, decision: Decision[Any]) -> Command:  # noqa: ANN401 - states are opaque here
        """Return one of the decision's options, based only on what the role may see of the full state."""
        ...


class LookAhead(ABC):
    """Base class of players that look ahead. Each game defines the candidates, the horizon and the evaluation."""

    looks_ahead = True
    level = "strong"
    is_stateful = False
    steps = 12
    reason = ""
    rules: ClassVar[AnyRuleset]
    trial_config: ClassVar[TrialConfig] = TrialConfig()
    max_playouts: ClassVar[int] = 100
    """Maximum number of playouts. Further playouts would change little."""
    max_playout_commands: ClassVar[int] = 2_000
    """Maximum length of a playout, in commands. The position reached after that many commands is evaluated."""
    _dice: DerivedDice
    """The player's own source of randomness."""

    @abstractmethod
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the command that the player gives without a search."""

    @abstractmethod
    def should_search(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a decision is worth a search."""

    @abstractmethod
    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        """Return the commands that are worth a search, best first.

        If there is only one command, it is given without a search.
        """

    def complete_position(self, position: Any, role: Role, dice: DerivedDice) -> msgspec.Struct:  # noqa: ANN401
        """Return the position with random cards in place of hidden ones.

        The role cannot distinguish the result from the real position. Games without hidden information return the
        position unchanged.
        """
        del role, dice
        completed_position: msgspec.Struct = position
        return completed_position

    def playout_dice(self, secret: bytes, sample: int) -> Dice:
        """Return the dice for a sample's playouts."""
        return antithetic_dice(secret, sample)

    @abstractmethod
    def playout_players(self, state: Any, role: Role, plan: object) -> Mapping[Role, PlayoutPlayer]:  # noqa: ANN401
        """Return the players for a playout from a state. The given role's player follows the candidate's plan."""

    @abstractmethod
    def is_at_horizon(self, start_state: Any, position: Any) -> bool:  # noqa: ANN401 - states are opaque here
        """Return whether a playout that began in ``start_state`` has reached its horizon."""

    @abstractmethod
    def evaluate(self, state: Any, role: Role) -> float:  # noqa: ANN401
        """Return the value of a full state to a role's side."""

    def finish(self, thought: Thought) -> None:
        """Store the reason for the given command."""
        self.reason = thought.reason

    def search(
        self, known_position: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield the best candidate so far, first immediately and then after each playout."""
        # The search must use only what the seat knows, as on the player's own computer.
        view = self.rules.project(_state_at(self.rules, known_position, NO_DICE), role)
        if not self.should_search(view, decision):
            command = self.choose(view, decision)
            yield Thought(command, self.reason)
            return
        candidates = self.candidates(view, decision)
        samples = _Samples(self, known_position, role, draw_secret(self._dice))
        yield _to_thought(candidates[0])
        if len(candidates) == 1:
            return
        trial = CandidateComparison(
            [candidate.value for candidate in candidates],
            lambda hex_id, number: samples.gain(candidates[hex_id], number),
            self.trial_config,
        )
        for _ in range(self.max_playouts):
            if trial.should_stop:
                return
            trial.play_next()
            yield _to_thought(candidates[trial.best_index()])


class _Samples:
    """Sampled full positions for playing out the candidates."""

    def __init__(
        self, player: LookAhead, known_position: msgspec.Struct, role: Role, secret: bytes
    ) -> None:
        self._player = player
        self._known_position = known_position
        self._role = role
        self._secret = secret
        self._states: list[tuple[Any, float]] = []
        """The state of each sample before any candidate is played, with its value."""

    def gain(self, candidate: Candidate, number: int) -> float:
        """Return a candidate's gain in a sample."""
        while len(self._states) <= number:
            self._states.append(self._next_sample())
        state, gain_before = self._states[number]
        end = self._play_out(state, candidate, self._player.playout_dice(self._secret, number))
        return self._player.evaluate(end, self._role) - gain_before

    def _next_sample(self) -> tuple[Any, float]:
        dice = DerivedDice(self._secret, len(self._states))
        position = self._player.complete_position(self._known_position, self._role, dice)
        # If nothing is hidden, all samples have the same position and differ only in their dice.
        if position is self._known_position and self._states:
            return self._states[0]
        state = _state_at(self._player.rules, position, dice)
        return state, self._player.evaluate(state, self._role)

    def _play_out(self, state: Any, candidate: Candidate, dice: Dice) -> Any:  # noqa: ANN401
        """Return the state at the horizon of a candidate's playout."""
        rules, is_at_horizon, start_state = self._player.rules, self._player.is_at_horizon, state
        players = self._player.playout_players(state, self._role, candidate.plan)
        acting_role, command = self._role, candidate.command
        for _ in range(self._player.max_playout_commands):
            ledger = rules.ledger(state, dice)
            rules.resolve(ledger, acting_role, command)  # always legal, so no check is needed
            state = ledger.state
            active_roles = rules.active_roles(state)
            if not active_roles or is_at_horizon(start_state, state):
                break
            acting_role = active_roles[0]
            decision = rules.decision(state, acting_role)
            options = decision.options
            command = (
                options[0] if len(options) == 1 else players[acting_role].answer(state, decision)
            )
        return state


def _state_at(rules: AnyRuleset, position: msgspec.Struct, dice: DerivedDice) -> Any:  # noqa: ANN401
    """Return the state that results from starting a game from a position."""
    return rules.fold(rules.initial_state(), rules.open_game(position, dice))


def _to_thought(candidate: Candidate) -> Thought:
    return Thought(candidate.command, candidate.reason, candidate.plan)
