"""The strong player of Empire of the Sun: plays its plans and its answers out before it chooses (4.22, 7.2).

Where a choice weighs much, each candidate is played out to the end of the offensive on sampled hidden cards, by quick
players on both sides, and the position is valued there. All else is the greedy player's.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from engine.bots.greedy_eots import GreedyEots
from engine.bots.greedy_eots_situation import Situation
from engine.bots.player import Thought
from engine.bots.strong_eots_answers import answers, is_answer
from engine.bots.strong_eots_plays import PlanningEots, Play, QuickEots, plays
from engine.bots.strong_eots_samples import completed
from engine.bots.strong_eots_worth import worth
from engine.bots.trial import Trial, chance, secret_from
from engine.eots.commands import EotsCommand
from engine.eots.frames import (
    CardPlayFrame,
    MovementFrame,
    Phase,
    Purpose,
    StackFrame,
    TurnFrame,
)
from engine.eots.ids import Side
from engine.eots.position import Position
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.eots.view import EotsView, project_state, seen_again
from engine.kernel.decision import Decision
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View

MOST_PLAYS: Final = 6
"""Card plays that are looked at."""
MOST_PLAYOUTS: Final = 100
"""After so many more would change little."""
MOST_COMMANDS: Final = 600
"""A playout that has no end is valued where it is."""
_NO_DICE: Final = DerivedDice(bytes(SECRET_BYTES), 0)


class StrongEots(PlanningEots):
    """Looks ahead at card plays and at answers to the enemy's offensives."""

    looks_ahead = True
    level = "strong"
    remembers = True
    steps = 12

    def __init__(self, dice: DerivedDice) -> None:
        """Take the own source of chance."""
        super().__init__(dice)
        self._dice = dice

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the options without a look ahead."""
        if isinstance(view, EotsView) and isinstance(view.frames[-1], CardPlayFrame):
            self.mind = None
        return super().choose(view, decision)

    def wonders(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a question is worth a look ahead."""
        if not isinstance(view, EotsView) or len(decision.options) == 1:
            return False
        return isinstance(view.frames[-1], CardPlayFrame) or is_answer(view, decision)

    def settle(self, thought: Thought) -> None:
        """Keep the plan that goes with the command."""
        self.reason = thought.reason
        self._said = self.reason or self._said
        if isinstance(thought.plan, Play) and thought.plan.plan.goals:
            self.mind = thought.plan

    def thoughts(
        self, known: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield the best play so far, at once and then after each playout."""
        assert isinstance(known, Position), "this plays Empire of the Sun"
        side = Side(role)
        view = project_state(_begun(known, _NO_DICE), side)
        if not self.wonders(view, decision):
            command = self.choose(view, decision)
            yield Thought(command, self.reason)
            return
        self._watch(view)
        now = self._situation(view, side)
        found = self._candidates(now, decision)
        samples = _Samples(known, side, secret_from(self._dice))
        trial = Trial(
            [play.prior for play in found], lambda at, number: samples.gain(found[at], number)
        )
        yield self._told(now, found[0])
        for _ in range(MOST_PLAYOUTS if len(found) > 1 else 0):
            if trial.is_clear:
                return
            trial.go_on()
            yield self._told(now, found[trial.best()])

    def _candidates(self, now: Situation, decision: Decision[Command]) -> Sequence[Play]:
        if isinstance(now.view.frames[-1], CardPlayFrame):
            return plays(now, decision.options, MOST_PLAYS)
        return answers(decision, GreedyEots(_NO_DICE).choose(now.view, decision))

    def _told(self, now: Situation, play: Play) -> Thought:
        """Return a play with its reason."""
        is_play = isinstance(now.view.frames[-1], CardPlayFrame)
        reason = play.reason(now) if is_play else ""
        return Thought(play.order, reason, play)


class _Samples:
    """Full positions that could be the real one, and what plays come to in them."""

    def __init__(self, known: Position, side: Side, secret: bytes) -> None:
        self._known = known
        self._side = side
        self._secret = secret
        self._states: list[tuple[State, int]] = []

    def gain(self, play: Play, number: int) -> int:
        """Return by how much a play betters the position in a sample."""
        state, before = self._state(number)
        return _played_out(state, self._side, play, chance(self._secret, number)) - before

    def _state(self, number: int) -> tuple[State, int]:
        """Return a sample with its worth."""
        while len(self._states) <= number:
            dice = DerivedDice(self._secret, len(self._states))
            state = _begun(completed(self._known, self._side, dice), dice)
            self._states.append((state, worth(state, self._side)))
        return self._states[number]


def _begun(position: Position, dice: DerivedDice) -> State:
    return EOTS.fold(EOTS.blank(), EOTS.start(position, dice))


def _played_out(state: State, side: Side, play: Play, dice: Dice) -> int:
    """Return what a position is worth after a candidate and all that follows from it at once."""
    players = {one: _Quick(one) for one in Side}
    players[side].mind = play
    giver, command = Role(side), play.order
    for _ in range(MOST_COMMANDS):
        ledger = EOTS.ledger(state, dice)
        EOTS.resolve(ledger, giver, command)
        state = ledger.state
        asked = EOTS.asked(state)
        if not asked or _is_over(state):
            break
        giver = asked[0]
        command = players[Side(giver)].answer(state, EOTS.decision(state, giver))
    return worth(state, side)


class _Quick(QuickEots):
    """A side in a playout; it looks anew only where units have moved, which is what takes most of its time."""

    def __init__(self, side: Side) -> None:
        """Play a side."""
        super().__init__(_NO_DICE)
        self._side = side
        self._last_look: tuple[object, EotsView] | None = None
        """The units of the last look, and what was seen."""

    def answer(self, state: State, decision: Decision[Any]) -> EotsCommand:
        """Return one of the options."""
        if len(decision.options) == 1:
            command: EotsCommand = decision.options[0]
            return command
        return self.choose(self._look(state), decision)  # type: ignore[return-value]  # an option is one

    def _look(self, state: State) -> EotsView:
        top, last = state.frames[-1], self._last_look
        is_moving = isinstance(top, MovementFrame | StackFrame)
        if last is not None and (last[0] is state.units or _is_on_the_way(top)):
            view = seen_again(last[1], state, with_odds=not is_moving)
            self._last_look = (last[0], view)
        else:
            view = project_state(state, self._side)
            self._last_look = (state.units, view)
        return view


def _is_on_the_way(frame: object) -> bool:
    """Return whether units move to or into a battle; those that do not mind where the others are by now."""
    return (
        isinstance(frame, MovementFrame | StackFrame) and frame.purpose is not Purpose.POST_BATTLE
    )


def _is_over(state: State) -> bool:
    """Return whether the play is over: the next card is to be played, or the turn goes on to its end."""
    if state.offensive is not None:
        return False
    if isinstance(state.frames[-1], CardPlayFrame):
        return True
    turn = state.frames[0]
    return isinstance(turn, TurnFrame) and turn.phase is not Phase.OFFENSIVES
