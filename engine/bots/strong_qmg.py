"""Defines the strong Quartermaster General bot, which plays out promising options with sampled hidden cards."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from typing_extensions import override

from engine.bots.candidate_comparison import TrialConfig, significant_difference
from engine.bots.greedy_qmg import GreedyQmg, option_values
from engine.bots.greedy_qmg_cards import OwnHand, public_cards_value
from engine.bots.greedy_qmg_reasons import ReasonGiver
from engine.bots.greedy_qmg_steps import CardEvaluator
from engine.bots.greedy_qmg_worth import PositionEvaluator
from engine.bots.lookahead import NO_DICE, Candidate, LookAhead
from engine.bots.player import Thought
from engine.bots.playout_dice import RankedDice
from engine.bots.sample_qmg import completed_position
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice, Dice
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Command, View
from engine.qmg import commands as orders
from engine.qmg.board import Board
from engine.qmg.deck import CARD
from engine.qmg.ids import AXIS, COUNTRIES, TEAM_BY_FORCE
from engine.qmg.position import Position
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView, project_table

MAX_CANDIDATES: Final = 4
"""Maximum number of candidates to compare."""
COMPARED_COMMANDS: Final = (
    orders.Play,
    orders.Use,
    orders.Drop,
    orders.Reallocate,
    orders.Build,
    orders.Recruit,
    orders.Battle,
    orders.Eliminate,
    orders.Choose,
    orders.Name,
)
"""Candidates are compared only if the best option is a command of one of these types."""
MARGIN: Final = 4.0
"""Maximum difference between the best estimate and that of a candidate to be compared."""
PLAYOUT_TURNS: Final = 12
"""Length of a playout, in turns after the current turn. The playout ends with the country's second turn from now."""
FUTURE_WEIGHT: Final = 0.55
"""Weight of the greedy bot's evaluation in the result of a playout."""
WIN_VALUE: Final = 20.0
"""Value of winning the game, added to the victory points."""
DISCARD_STEP: Final = Rule("8.4")
TRIAL_CONFIG: Final = TrialConfig(
    prior_weight=1,
    initial_playouts=3,
    finalists=2,
    min_finalist_playouts=5,
    indifference_range=0,
    is_surely_better=significant_difference(2.5),
    is_paired=True,
)


class StrongQmg(LookAhead):
    """Looks ahead when playing cards. If there is no time to search, it plays like the greedy bot."""

    any_time = True
    steps = 32
    rules = QMG
    trial_config = TRIAL_CONFIG
    max_playouts = 600

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot with its own source of randomness."""
        self._dice = dice
        self._reason_giver = ReasonGiver()
        self._greedy = GreedyQmg(dice)
        self._plays: _Plays = {}
        """Values of card plays in the current decision's playouts. All playouts share them."""

    @override
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        command = self._greedy.choose(view, decision)
        self.reason = self._greedy.reason
        return command

    @override
    def should_search(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether options are worth comparing.

        In windows they never are, because a delay would reveal information.
        """
        return (
            isinstance(view, QmgView)
            and bool(view.active)
            and len(decision.options) > 1
            and not decision.is_window
            and any(isinstance(option, COMPARED_COMMANDS) for option in decision.options)
        )

    @override
    def finish(self, thought: Thought) -> None:
        """Store the reason for the command, and record that this reason was given."""
        super().finish(thought)
        self._reason_giver.mark_used(thought.reason)

    @override
    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        assert isinstance(view, QmgView), "the view must belong to Quartermaster General"
        self._plays.clear()
        options, values = decision.options, option_values(view, decision)
        order = sorted(range(len(options)), key=lambda index: (-values[index], index))
        width = MAX_CANDIDATES if isinstance(options[order[0]], COMPARED_COMMANDS) else 1
        min_value = values[order[0]] - MARGIN
        good_indexes = [index for index in order[:width] if values[index] >= min_value]
        return [
            Candidate(options[index], values[index], self._reason(view, options[index]))
            for index in good_indexes
        ]

    def _reason(self, view: QmgView, command: Command) -> str:
        return self._reason_giver.reason(view, cast("orders.QmgCommand", command))

    @override
    def complete_position(self, position: Any, role: Role, dice: DerivedDice) -> Position:
        """Return the position with a sampled card in place of each hidden one."""
        assert isinstance(position, Position), "the position must belong to Quartermaster General"
        return completed_position(position, role, dice)

    @override
    def playout_dice(self, secret: bytes, sample: int) -> Dice:
        """Return dice that draw cards in the same order in all playouts of a sample."""
        return RankedDice(secret, sample)

    @override
    def playout_players(
        self,
        state: Any,
        role: Role,
        plan: object,
    ) -> Mapping[Role, "_PlayoutCountry"]:
        del role, plan
        # One player can play all countries, because a player that gives no reasons stores nothing
        # about a country.
        return dict.fromkeys(QMG.roles(state), _PlayoutCountry(self._plays))

    @override
    def is_at_horizon(self, start_state: Any, position: Any) -> bool:
        return _turns_begun(position) - _turns_begun(start_state) > PLAYOUT_TURNS

    @override
    def evaluate(self, state: Any, role: Role) -> float:
        """Return the lead of the role's team, in scored and expected points."""
        view = project_table(state, None)
        position_evaluator = PositionEvaluator(view)
        value = (
            view.axis_vp
            - view.allies_vp
            + FUTURE_WEIGHT * position_evaluator.advantage(position_evaluator.board)
        )
        for country in COUNTRIES:
            cards = public_cards_value(view, country)
            value += cards if TEAM_BY_FORCE[country] == AXIS else -cards
        if state.outcome is not None and state.outcome.winner is not None:
            value += WIN_VALUE if state.outcome.winner == AXIS else -WIN_VALUE
        return value if TEAM_BY_FORCE[role] == AXIS else -value


_Plays = dict[tuple[object, Board, str], float]


class _PlayoutHand(OwnHand):
    """Evaluates cards in playouts.

    Each card is evaluated once per board, and the value of keeping a card reuses that result.
    """

    def __init__(self, view: QmgView, card_evaluator: CardEvaluator, plays: _Plays) -> None:
        """Initialise the evaluation of cards for the view's country.

        Args:
            view: The country's view.
            card_evaluator: Evaluates card texts.
            plays: The known values of card plays, by evaluator, board and card. New values are added.
        """
        super().__init__(view, card_evaluator)
        self._plays = plays
        self._position_key = (
            card_evaluator.position_evaluator.cache_key,
            card_evaluator.position_evaluator.board,
        )

    @override
    def play_value(self, instance: str) -> float:
        card = CARD[instance].id
        key = (*self._position_key, card)
        value = self._plays.get(key)
        if value is None:
            value = self._plays[key] = super().play_value(instance)
        self._play_values[card] = value
        return value

    @override
    def potential_value(self, instance: str) -> float:
        return self._play_values.get(CARD[instance].id, 0.0)


class _PlayoutCountry(GreedyQmg):
    """The greedy bot in playouts. To save time, it chooses the default in the Discard step."""

    def __init__(self, plays: _Plays) -> None:
        """Create a bot that rolls no dice and gives no reasons. All playouts share the known values of card plays."""
        super().__init__(NO_DICE, gives_reasons=False)
        self._hand = partial(_PlayoutHand, plays=plays)

    def answer(self, state: Any, decision: Decision[Any]) -> Command:  # noqa: ANN401 - states are opaque here
        """Return the chosen option, using a view without the data derived from the pieces."""
        if decision.rule == DISCARD_STEP:
            command: Command = decision.default
            return command
        return self.choose(project_table(state, decision.role), decision)


def _turns_begun(state: Any) -> int:  # noqa: ANN401
    """Return the number of turns that have begun since the start of the game."""
    index = COUNTRIES.index(state.active) if state.active else 0
    return int(state.round) * len(COUNTRIES) + index
