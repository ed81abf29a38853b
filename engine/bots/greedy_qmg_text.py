"""Values a card's text on a board. The steps of the text are evaluated one after another."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.bots.greedy_qmg_moves import board_after
from engine.bots.greedy_qmg_worth import PositionEvaluator, turns_left
from engine.qmg import legal
from engine.qmg.atlas import EVERYWHERE
from engine.qmg.board import Board
from engine.qmg.commands import Battle, Build, QmgCommand
from engine.qmg.deck import CARD, REACTIONS, Ability
from engine.qmg.deck_steps import Step, Steps
from engine.qmg.deck_terms import Condition
from engine.qmg.frames import Binds, Trigger
from engine.qmg.ids import BOLSTER, HIDDEN, RESPONSE, STATUS, TEAM_BY_FORCE, instance_name
from engine.qmg.terms import PublicContext, is_condition_met, is_match
from engine.qmg.view import QmgView

SPARE_CARD_VALUE: Final = 0.12
NEEDED_CARD_VALUE: Final = 0.8
"""Value of a card in the deck.

The first value applies if the deck will last until the end of the game, the second if it will not.
"""
CARDS_PER_TURN: Final = {False: 1.35, True: 2.1}
"""Cards that a country needs per turn, without Total War (False) and with it (True)."""
BATTLE_GAIN_FACTOR: Final = 0.88
"""Fraction of a battle's gain that is left, on average, after the enemy's responses."""
SPENT_CARD_VALUE: Final = {RESPONSE: 0.8, BOLSTER: 0.5, STATUS: 0.0}
"""Value lost when a card of each type is used, besides the card's cost."""
MAX_FOLLOW_UPS: Final = 4
"""Follow-ups with the player's own cards are evaluated only for this many of the best options."""


class StepsResult(NamedTuple):
    """The board after some steps, and what the steps gained besides."""

    board: Board
    gain: float = 0.0
    """Gain for the card owner's team that does not come from changes to the board."""
    space: str = ""
    """The space that the last step used (A.1.5)."""


class BaseCardEvaluator(ABC):
    """Base class that evaluates card texts for one view. :class:`CardEvaluator` adds the evaluation of single steps."""

    def __init__(self, view: QmgView, position_evaluator: PositionEvaluator) -> None:
        """Create the evaluator. It uses only the information in the view."""
        self.view = view
        self.position_evaluator = position_evaluator
        self._reactions = self._reactions_by_event()
        self._is_evaluating_reaction = False

    def _reactions_by_event(self) -> Mapping[str, tuple[tuple[str, Ability], ...]]:
        """Return, for each kind of event, the seat's cards that can respond to it now, with their abilities."""
        role, own_cards = self.view.role, self.view.own
        if own_cards is None:
            return {}
        cards = (*self.view.countries[role].statuses, *own_cards.responses, *own_cards.hand)
        names = {
            instance_name(card): card
            for card in cards
            # Status and Response cards respond only from the table.
            if card != HIDDEN
            and not (card in own_cards.hand and CARD[card].type in {STATUS, RESPONSE})
        }
        return {
            event: tuple(
                (names[ability.card], ability) for ability in abilities if ability.card in names
            )
            for event, abilities in REACTIONS[role].items()
        }

    # -- values

    def step_lists_value(
        self,
        lists: Iterable[Steps],
        owner: str,
        trigger: Trigger | None = None,
        board: Board | None = None,
        binds: Binds | None = None,
    ) -> float:
        """Return the value of a card's lists of steps to the owner's team."""
        start_board = self.position_evaluator.board if board is None else board
        context = PublicContext(
            analysis=self.position_evaluator.analysis(start_board),
            owner=owner,
            active=self.position_evaluator.active_country,
            trigger=trigger,
            binds=binds or Binds(),
        )
        result = StepsResult(start_board)
        for steps in lists:
            result = self.evaluate_steps(steps, result, context)
        return self.result_value(start_board, result, TEAM_BY_FORCE[owner])

    def is_condition_met(self, condition: Condition | None, owner: str) -> bool:
        """Return whether a card's condition is met now."""
        position_evaluator = self.position_evaluator
        return is_condition_met(
            condition,
            PublicContext(
                analysis=position_evaluator.analysis(position_evaluator.board),
                owner=owner,
                active=position_evaluator.active_country,
            ),
        )

    def result_value(self, start_board: Board, result: StepsResult, team: str) -> float:
        """Return the value of a result to a team, including the change to the board."""
        position_evaluator = self.position_evaluator
        change = position_evaluator.advantage(result.board, team) - position_evaluator.advantage(
            start_board, team
        )
        return change + result.gain

    def ability_value(self, ability: Ability, card: str, trigger: Trigger | None) -> float:
        """Return the value of using an ability to the owner's team, less its costs and the card's value."""
        owner = CARD[card].deck
        value = self.step_lists_value((ability.cost, ability.steps), owner, trigger)
        return value - SPENT_CARD_VALUE.get(CARD[card].type, 0.0)

    def board_command_value(self, command: QmgCommand, team: str) -> float:
        """Return the value of a board command to a team."""
        start_board = self.position_evaluator.board
        gain = self.position_evaluator.advantage(
            board_after(start_board, command), team
        ) - self.position_evaluator.advantage(start_board, team)
        return gain * BATTLE_GAIN_FACTOR if isinstance(command, Battle) else gain

    def follow_up_value(self, board: Board, command: QmgCommand) -> float:
        """Return the value that the seat's own cards would add right after a build or battle."""
        if self._is_evaluating_reaction or not isinstance(command, Build | Battle):
            return 0.0
        kind = "built" if isinstance(command, Build) else "battle"
        reactions = self._reactions.get(kind, ())
        if not reactions:
            return 0.0
        role = self.view.role
        event = Trigger(
            kind=kind,
            cause=TEAM_BY_FORCE[role],
            by=command.force,
            space=command.space,
            piece=command.piece if isinstance(command, Build) else "",
            owner=command.force,
        )
        context = PublicContext(
            analysis=self.position_evaluator.analysis(board),
            owner=role,
            active=self.position_evaluator.active_country,
            trigger=event,
        )
        # The flag prevents endless recursion, because each reaction would otherwise be valued with
        # its own follow-ups.
        self._is_evaluating_reaction = True
        best_value = 0.0
        for card, ability in reactions:
            if ability.trigger is not None and is_match(ability.trigger, event, context):
                value = self.step_lists_value((ability.cost, ability.steps), role, event, board)
                best_value = max(best_value, value - SPENT_CARD_VALUE.get(CARD[card].type, 0.0))
        self._is_evaluating_reaction = False
        return best_value

    def follow_up_value_after(self, command: QmgCommand) -> float:
        """Return the value that the seat's own cards would add after a command."""
        return self.follow_up_value(board_after(self.position_evaluator.board, command), command)

    def rebuild_value(self, command: QmgCommand, force: str, piece: str) -> float:
        """Return the value of removing a piece in order to rebuild it elsewhere (16.13)."""
        team, start_board = TEAM_BY_FORCE[force], self.position_evaluator.board
        board_now = board_after(start_board, command)
        analysis = self.position_evaluator.analysis(board_now)
        options = legal.build_options(analysis, force, piece, EVERYWHERE, by_build_card=False)
        rebuilt_result = self.best_result(board_now, team, options)
        return self.result_value(start_board, rebuilt_result, team)

    def deck_loss_value(self, country: str, cards: int) -> float:
        """Return the cost to a country, in points, of losing cards from its deck."""
        country_view = self.view.countries[country]
        cards_needed = turns_left(self.view, country) * CARDS_PER_TURN[self.view.total_war]
        spare_cards = int(
            max(0.0, min(country_view.deck + country_view.hand - cards_needed, cards))
        )
        missing_cards = max(0, cards - country_view.deck)
        return (
            SPARE_CARD_VALUE * spare_cards
            + NEEDED_CARD_VALUE * (cards - spare_cards)
            + (1 - NEEDED_CARD_VALUE) * missing_cards
        )

    # -- steps

    @abstractmethod
    def evaluate_step(self, step: Step, board: Board, context: PublicContext) -> StepsResult:
        """Return the best possible result of one step."""

    def evaluate_steps(
        self, steps: Steps, start_result: StepsResult, context: PublicContext
    ) -> StepsResult:
        """Evaluate a list of steps. Later steps can refer to the spaces used by earlier steps."""
        result = start_result
        used_spaces: tuple[str, ...] = ()
        for step in steps:
            step_context = replace(
                context,
                analysis=self.position_evaluator.analysis(result.board),
                binds=replace(context.binds, spaces=used_spaces),
            )
            step_result = self.evaluate_step(step, result.board, step_context)
            used_spaces = (*used_spaces, step_result.space)
            result = StepsResult(step_result.board, result.gain + step_result.gain)
        return result

    def evaluate_nested(
        self, steps: Steps, board: Board, context: PublicContext, **binds: str
    ) -> StepsResult:
        """Evaluate a list of steps within a step."""
        inner_binds = replace(replace(context.binds, spaces=()), **binds)
        return self.evaluate_steps(steps, StepsResult(board), replace(context, binds=inner_binds))

    def best_result(self, board: Board, team: str, options: Iterable[QmgCommand]) -> StepsResult:
        """Return the result of the best of several commands.

        If no command is an improvement, return the result of doing nothing.
        """
        position_evaluator, base = (
            self.position_evaluator,
            self.position_evaluator.advantage(board, team),
        )
        ranked_options = sorted(
            (
                (
                    position_evaluator.advantage(board_after(board, steps_option), team) - base,
                    index,
                    steps_option,
                )
                for index, steps_option in enumerate(options)
            ),
            key=lambda entry: (-entry[0], entry[1]),
        )
        best_result, best_steps = 0.0, StepsResult(board)
        for change, _, option in ranked_options[:MAX_FOLLOW_UPS]:
            board_now = board_after(board, option)
            expected_gain = (BATTLE_GAIN_FACTOR - 1) * change if isinstance(option, Battle) else 0.0
            extra_value = expected_gain + self.follow_up_value(board_now, option)
            if change + extra_value > best_result:
                best_result = change + extra_value
                best_steps = StepsResult(board_now, extra_value, str(getattr(option, "space", "")))
        return best_steps

    def repeat_best(
        self,
        board: Board,
        context: PublicContext,
        times: int,
        options: Callable[[PublicContext], list[QmgCommand]],
    ) -> StepsResult:
        """Apply the best command repeatedly, up to the given number of times (A.1.4)."""
        result = StepsResult(board)
        for _ in range(times):
            current_context = replace(
                context, analysis=self.position_evaluator.analysis(result.board)
            )
            best_result = self.best_result(
                result.board, TEAM_BY_FORCE[context.owner], options(current_context)
            )
            if not best_result.space:
                break
            result = StepsResult(
                best_result.board, result.gain + best_result.gain, best_result.space
            )
        return result
