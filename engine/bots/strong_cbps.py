"""The strong player of Carrier Battle: every few turns it plays several ways to go on out, and takes the best."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.greedy_cbps_stance import Stance
from engine.bots.player import Thought
from engine.bots.strong_cbps_stances import STANCES
from engine.bots.trial import Trial, chance, secret_from
from engine.cbps.ch15_victory import net_points
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.cbps.view import CbpsView
from engine.kernel.decision import Decision
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View

AHEAD: Final = 4
"""Turns that a playout lasts."""
EVERY: Final = 3
"""Turns for which a way to play is chosen."""
MOST_PLAYOUTS: Final = 100
"""After so many more would change little."""
MOST_COMMANDS: Final = 3_000
"""A playout that has no end is valued where it is."""
USUAL_PRIOR: Final = 4
"""Victory points by which another way must look better after one playout."""
_NO_DICE: Final = DerivedDice(bytes(SECRET_BYTES), 0)


class StrongCbps(GreedyCbps):
    """Chooses every few turns how boldly to play, by what follows in the next turns as chance may have it."""

    looks_ahead = True
    level = "strong"
    remembers = True
    steps = 7
    stance = STANCES[0]

    def __init__(self, dice: DerivedDice) -> None:
        """Take the own source of chance."""
        super().__init__(dice)
        self._dice = dice
        self._chosen_for = -1
        """The turns for which the stance was chosen, counted in steps."""

    def wonders(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a question is worth a look ahead: the first choice of some turns."""
        if not isinstance(view, CbpsView) or len(decision.options) == 1:
            return False
        return view.turn // EVERY != self._chosen_for

    def settle(self, thought: Thought) -> None:
        """Keep the way to play that goes with the command."""
        self.reason = thought.reason
        if isinstance(thought.plan, Stance):
            self.stance = thought.plan

    def thoughts(
        self, known: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield the best command so far, at once and then after each playout."""
        state = CBPS.fold(CBPS.blank(), CBPS.start(known, _NO_DICE))  # type: ignore[arg-type]  # of this game
        view = CBPS.project(state, role)
        yield self._told(view, decision, self.stance)
        if not self.wonders(view, decision):
            return
        self._chosen_for = view.turn // EVERY
        ways = (self.stance, *(one for one in STANCES if one != self.stance))
        secret, before = secret_from(self._dice), net_points(state)

        def gain(at: int, sample: int) -> int:
            return _played_out(state, ways[at], chance(secret, sample)) - before

        trial = Trial([USUAL_PRIOR, *(0 for _ in ways[1:])], gain)
        for _ in range(MOST_PLAYOUTS):
            trial.go_on()
            yield self._told(view, decision, ways[trial.best()])

    def _told(self, view: CbpsView, decision: Decision[Command], stance: Stance) -> Thought:
        """Return what is done in a way to play, with the reason."""
        player = GreedyCbps(_NO_DICE)
        player.stance = stance
        return Thought(player.choose(view, decision), player.reason, stance)


def _played_out(state: State, stance: Stance, dice: Dice) -> int:
    """Return the victory points some turns later, when all commanders play in one way."""
    player = GreedyCbps(_NO_DICE)
    player.stance = stance
    until = state.turn + AHEAD
    for _ in range(MOST_COMMANDS):
        asked = CBPS.asked(state)
        if not asked or state.turn >= until:
            break
        decision: Decision[Any] = CBPS.decision(state, asked[0])
        command: Any = player.choose(CBPS.project(state, asked[0]), decision)
        ledger = CBPS.ledger(state, dice)
        CBPS.resolve(ledger, asked[0], command)
        state = ledger.state
    return net_points(state)
