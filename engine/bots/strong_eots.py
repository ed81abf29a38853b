"""Defines the strong Empire of the Sun bot, which plays out plans and reactions before choosing (4.22, 7.2).

For an important decision, each candidate is played out to the end of the offensive with sampled hidden cards and quick
players on both sides. The resulting position is evaluated. The greedy bot makes all other decisions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from typing_extensions import override

from engine.bots.candidate_comparison import TrialConfig
from engine.bots.greedy_eots import GreedyEots
from engine.bots.lookahead import NO_DICE, Candidate, LookAhead
from engine.bots.player import Thought
from engine.bots.strong_eots_answers import candidate_reactions, is_important_reaction
from engine.bots.strong_eots_dangers import Dangers, hex_dangers, with_retakes
from engine.bots.strong_eots_plays import CandidatePlay, PlanningEots, QuickEots, candidate_plays
from engine.bots.strong_eots_samples import complete_position
from engine.bots.strong_eots_worth import expected_loss, position_value
from engine.eots.commands import EotsCommand
from engine.eots.frames import CardPlayFrame, MovementFrame, Phase, Purpose, StackFrame, TurnFrame
from engine.eots.ids import Side
from engine.eots.position import Position
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.eots.view import EotsView, project_state, refresh_view
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View

MAX_PLAYS: Final = 6
"""Maximum number of card plays to search."""


class StrongEots(LookAhead, PlanningEots):
    """Looks ahead before card plays and before reactions to the enemy's offensives."""

    is_stateful = True
    rules = EOTS
    max_playout_commands = 1_500
    trial_config = TrialConfig(is_paired=True)

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot with its own source of randomness."""
        super().__init__(dice)
        self._dice = dice
        self._dangers: Dangers = {}
        """Friendly hexes in danger at the start of the latest search."""

    @override
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the option that is chosen without a search."""
        if isinstance(view, EotsView) and isinstance(view.frames[-1], CardPlayFrame):
            # The play is chosen without a search. A plan from an earlier search must not guide its
            # offensive.
            self.chosen_play = None
        return PlanningEots.choose(self, view, decision)

    @override
    def should_search(self, view: View, decision: Decision[Command]) -> bool:
        if not isinstance(view, EotsView) or len(decision.options) == 1:
            return False
        return isinstance(view.frames[-1], CardPlayFrame) or is_important_reaction(view, decision)

    @override
    def finish(self, thought: Thought) -> None:
        """Adopt the plan that belongs to the command."""
        super().finish(thought)
        self._last_reason = self.reason or self._last_reason
        # A reaction has no goals. The plan for the side's own offensive therefore stays in place.
        if isinstance(thought.plan, CandidatePlay) and thought.plan.plan.goals:
            self.chosen_play = thought.plan

    @override
    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        """Return the candidates: either card plays, each with its whole plan, or reactions to an offensive."""
        assert isinstance(view, EotsView), "the view must belong to Empire of the Sun"
        situation = self._situation(view, Side(decision.role))
        self._dangers = hex_dangers(situation)
        if isinstance(view.frames[-1], CardPlayFrame):
            situation = with_retakes(situation)
            plays = candidate_plays(situation, decision.options, MAX_PLAYS, self._dangers)
            return [
                Candidate(play.order, play.prior_value, play.explain(situation), play)
                for play in plays
            ]
        plays = candidate_reactions(decision, GreedyEots(NO_DICE).choose(view, decision))
        return [Candidate(play.order, play.prior_value, plan=play) for play in plays]

    @override
    def complete_position(self, position: Any, role: Role, dice: DerivedDice) -> Position:
        """Return the position with a sampled card in place of each hidden one."""
        assert isinstance(position, Position), "the position must belong to Empire of the Sun"
        return complete_position(position, Side(role), dice)

    @override
    def playout_players(
        self,
        state: Any,
        role: Role,
        plan: object,
    ) -> Mapping[Role, "_PlayoutSide"]:
        """Return a quick player for each side. The candidate's side follows the given play."""
        del state
        # Each playout needs new players, because players store plans and views.
        players = {Role(side): _PlayoutSide(side) for side in Side}
        assert isinstance(plan, CandidatePlay)
        players[role].chosen_play = plan
        return players

    @override
    def is_at_horizon(self, start_state: Any, position: Any) -> bool:
        """Return whether the next card is due or the Offensives Phase has ended.

        Japan searches until its own next card is due. Its search thus includes the enemy's reply, because Japan has to
        hold its hexes. The Allies search until any card is due, because they win by immediate gains.
        """
        if position.offensive is not None:
            return False
        frame, turn = position.frames[-1], position.frames[0]
        if isinstance(frame, CardPlayFrame):
            return frame.side is Side.JAPAN or _searching_side(start_state) is Side.ALLIED
        return isinstance(turn, TurnFrame) and turn.phase is not Phase.OFFENSIVES

    @override
    def evaluate(self, state: Any, role: Role) -> float:
        side = Side(role)
        return position_value(state, side) - expected_loss(state, side, self._dangers)


class _PlayoutSide(QuickEots):
    """Plays one side in a playout.

    It computes a new view only if units have moved, because a full view is slow to compute.
    """

    def __init__(self, side: Side) -> None:
        """Create the player for a side."""
        super().__init__(NO_DICE)
        self._side = side
        self._last_view: tuple[object, EotsView] | None = None
        """The units when the full view was last computed, and the latest view; None before the first view."""

    def answer(self, state: State, decision: Decision[Any]) -> EotsCommand:
        """Return the chosen option."""
        return self.choose(self._view(state), decision)  # type: ignore[return-value]  # an option is an EotsCommand

    def _view(self, state: State) -> EotsView:
        frame, last_view = state.frames[-1], self._last_view
        is_moving = isinstance(frame, MovementFrame | StackFrame)
        if last_view is not None and (last_view[0] is state.units or _is_moving_to_battle(frame)):
            view = refresh_view(last_view[1], state, with_odds=not is_moving)
            # The old units are kept, so that the view is rebuilt once the moves are over.
            self._last_view = (last_view[0], view)
        else:
            view = project_state(state, self._side)
            self._last_view = (state.units, view)
        return view


def _searching_side(state: State) -> Side:
    """Return the side that looks ahead from a state. This side is about to play a card or react to an offensive."""
    if isinstance(state.frames[-1], CardPlayFrame):
        return state.frames[-1].side
    assert state.offensive is not None
    return state.offensive.side.enemy


def _is_moving_to_battle(frame: object) -> bool:
    """Return whether units are moving to a battle. Such moves do not depend on other units' positions."""
    return (
        isinstance(frame, MovementFrame | StackFrame) and frame.purpose is not Purpose.POST_BATTLE
    )
