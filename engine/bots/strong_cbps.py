"""Defines the strong Carrier Battle bot, which tries several styles of play every few turns and adopts the best one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from typing_extensions import override

from engine.bots.candidate_comparison import TrialConfig
from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.greedy_cbps_stance import Stance
from engine.bots.lookahead import NO_DICE, Candidate, LookAhead
from engine.bots.player import Thought
from engine.bots.strong_cbps_stances import STANCES
from engine.cbps.damage.ch15_victory import net_points
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.cbps.view import CbpsView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View

PLAYOUT_TURNS: Final = 4
"""Length of a playout in turns."""
STANCE_TURNS: Final = 3
"""Number of turns between choices of style."""
SWITCH_MARGIN: Final = 4
"""Minimum lead, in victory points, for adopting a new style after one playout."""


class StrongCbps(LookAhead, GreedyCbps):
    """Chooses a style of play every few turns by simulating the next turns with random results."""

    is_stateful = True
    steps = 7
    rules = CBPS
    # This number of playouts is never reached, so only the caller's limit ends the comparison.
    trial_config = TrialConfig(min_finalist_playouts=LookAhead.max_playouts)
    max_playout_commands = 3_000
    stance = STANCES[0]

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot with its own source of randomness."""
        super().__init__(dice)
        self._dice = dice
        self._stance_period = -1
        """The period of turns for which the current style was chosen; -1 before the first choice."""

    @override
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the command that the current style chooses."""
        return GreedyCbps.choose(self, view, decision)

    @override
    def should_search(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a decision is worth a search. Only the first real choice in each period is worth one."""
        if not isinstance(view, CbpsView) or len(decision.options) == 1:
            return False
        return view.turn // STANCE_TURNS != self._stance_period

    @override
    def finish(self, thought: Thought) -> None:
        """Adopt the style whose command was chosen."""
        super().finish(thought)
        if isinstance(thought.plan, Stance):
            self.stance = thought.plan

    @override
    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        """Return each style's command. The current style is first."""
        assert isinstance(view, CbpsView), "the view must belong to Carrier Battle"
        self._stance_period = view.turn // STANCE_TURNS
        stances = (self.stance, *(stance for stance in STANCES if stance != self.stance))
        return [_stance_candidate(view, decision, stance, self.stance) for stance in stances]

    @override
    def playout_players(
        self,
        state: Any,
        role: Role,
        plan: object,
    ) -> Mapping[Role, "_PlayoutCommander"]:
        """Return one commander per role. All of them play in the same style."""
        del role
        assert isinstance(plan, Stance)
        return dict.fromkeys(CBPS.roles(state), _PlayoutCommander(plan))

    @override
    def is_at_horizon(self, start_state: Any, position: Any) -> bool:
        return bool(position.turn >= start_state.turn + PLAYOUT_TURNS)

    @override
    def evaluate(self, state: Any, role: Role) -> float:
        del role
        return net_points(state)


class _PlayoutCommander(GreedyCbps):
    """Plays one commander in a playout."""

    def __init__(self, stance: Stance) -> None:
        """Create the commander with a style of play."""
        super().__init__(NO_DICE)
        self.stance = stance

    def answer(self, state: State, decision: Decision[Any]) -> Command:
        """Return the option that the style of play chooses."""
        return self.choose(CBPS.project(state, decision.role), decision)


def _stance_candidate(
    view: CbpsView, decision: Decision[Command], stance: Stance, usual_stance: Stance
) -> Candidate:
    """Return a style's command with the reason for it."""
    player = _PlayoutCommander(stance)
    command = player.choose(view, decision)
    return Candidate(command, SWITCH_MARGIN * (stance == usual_stance), player.reason, stance)
