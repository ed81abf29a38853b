"""Defines the greedy Quartermaster General bot, which looks one ply ahead and chooses by hand-tuned values.

Like a human player, the bot sees only its seat's view and options.
"""

from collections.abc import Callable, Sequence
from typing import Final, cast

from engine.bots.greedy_qmg_cards import OwnHand, open_step
from engine.bots.greedy_qmg_moves import BOARD_COMMANDS, battle_kind, board_without
from engine.bots.greedy_qmg_reasons import ReasonGiver
from engine.bots.greedy_qmg_steps import ANY_CARD_COST, CardEvaluator
from engine.bots.greedy_qmg_worth import PositionEvaluator
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Command, View
from engine.qmg import commands as orders
from engine.qmg import deck_steps as ds
from engine.qmg.atlas import BIT
from engine.qmg.deck import CARD
from engine.qmg.frames import Binds
from engine.qmg.ids import (
    AIR,
    AIR_POWER,
    BUILD_ARMY,
    FORCES,
    HIDDEN,
    MEMBERS,
    TEAM_BY_FORCE,
    instance_name,
    other_team,
)
from engine.qmg.view import QmgView

NEVER: Final = -1_000.0
"""Value of voluntarily withdrawing the side's own pieces from the board."""
LAST_RESORT: Final = -50.0
UNUSED_PLAY_COST: Final = 0.1
"""Cost of discarding a card instead of playing one in the Play step, in addition to the card's value."""
PLAYED_FRACTION: Final = 0.25
"""Fraction of a card's value in hand that is deducted from the value of playing it."""
CARD_COMMANDS: Final = (orders.Play, orders.Drop, orders.Use, orders.Discard, orders.Take)
DESIGNATION_VALUE: Final = -0.05
AIR_POWER_VALUE: Final = 0.6
"""Value of not spending an Air Power card in the Air step."""
ACCEPTED_OFFER_VALUE: Final = 0.2
"""Value of accepting a card's offer if nothing else is known about the offer."""

HandFactory = Callable[[QmgView, CardEvaluator], OwnHand]


class GreedyQmg:
    """Answers every decision with the most valuable option. In a tie, it chooses the first one."""

    any_time = True
    """Always true, because the bot evaluates any-time cards and never withdraws its own pieces."""

    def __init__(self, dice: DerivedDice, *, gives_reasons: bool = True) -> None:
        """Ignore the dice, because this bot uses no randomness.

        Args:
            dice: The dice that every bot is given.
            gives_reasons: True if the bot gives reasons. Playouts do not need reasons.
        """
        del dice
        self._reason_giver = ReasonGiver() if gives_reasons else None
        self._hand: HandFactory = OwnHand
        self.reason = ""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the chosen option."""
        options = decision.options
        self.reason = ""
        if not isinstance(view, QmgView) or view.own is None:
            return decision.default
        index = (
            0 if len(options) == 1 else self._pick_index(option_values(view, decision, self._hand))
        )
        chosen_command = options[index]
        if self._reason_giver is not None:
            self.reason = self._reason_giver.reason(view, cast("orders.QmgCommand", chosen_command))
            self._reason_giver.mark_used(self.reason)
        return chosen_command

    def _pick_index(self, values: Sequence[float]) -> int:
        """Return the index of the highest value. In a tie, return the first index."""
        return max(range(len(values)), key=lambda index: (values[index], -index))


def option_values(
    view: QmgView, decision: Decision[Command], hand: HandFactory = OwnHand
) -> list[float]:
    """Return the value of each option for the view's country."""
    table = OptionContext(view, decision, hand)
    return [table.value(cast("orders.QmgCommand", option)) for option in decision.options]


class OptionContext:
    """Values the options of one decision."""

    def __init__(
        self, view: QmgView, decision: Decision[Command], hand: HandFactory = OwnHand
    ) -> None:
        """Prepare to value the decision's options."""
        self._view = view
        self._decision = decision
        self._team = TEAM_BY_FORCE[view.role]
        self._position_evaluator = PositionEvaluator(view)
        self._card_evaluator = CardEvaluator(view, self._position_evaluator)
        self._hand = hand(view, self._card_evaluator)
        self._card = next(
            (name for kind, name in reversed(view.chain) if kind in {"card", "use"}), ""
        ).removeprefix(HIDDEN)
        """The card whose text is being carried out; empty if no card's text is being carried out."""

    def value(self, command: orders.QmgCommand) -> float:
        """Return a command's value to the team that gives the command."""
        if isinstance(command, BOARD_COMMANDS):
            return self._board_value(command)
        if isinstance(command, CARD_COMMANDS):
            return self._card_command_value(command)
        match command:
            case orders.Choose() | orders.Name() | orders.Yes():
                return self._card_choice_value(command)
            case orders.AirDefense() | orders.AirAttack():
                return self._air_value(command)
            case orders.Reallocate():
                return self._hand.reallocation_value()
            case orders.Withdraw():
                return NEVER
            case orders.DiscardTop() | orders.LosePoint():
                return LAST_RESORT
            case orders.Done():
                return self._done_value()
            case _:
                return 0.0

    def _card_command_value(
        self, command: orders.Play | orders.Drop | orders.Use | orders.Discard | orders.Take
    ) -> float:
        """Return the value of a command that concerns one card. If the card is unknown, return 0."""
        card = command.card
        if card == HIDDEN:
            return 0.0
        match command:
            case orders.Play():
                return self._play_value(card)
            case orders.Drop():
                return -self._hand.keep_value(card) - UNUSED_PLAY_COST
            case orders.Use():
                return self._hand.use_value(card)
            case orders.Discard():
                return self._discard_value(card)
            case orders.Take():
                return self._take_value(card)

    # -- the board

    def _board_value(self, command: orders.QmgCommand) -> float:
        value_after = self._card_evaluator.board_command_value(command, self._team)
        match command:
            case orders.Designate():
                return DESIGNATION_VALUE
            case orders.Build(force=force) | orders.Battle(force=force):
                if force == self._view.role:
                    return value_after + self._card_evaluator.follow_up_value_after(command)
                return value_after
            case orders.Deploy() | orders.Superiority():
                return value_after - (0.0 if self._card else AIR_POWER_VALUE)
            case orders.Marshal():
                return value_after - (0.0 if self._card else self._hand.cheapest_cost(1))
            case orders.Remove(force=force, piece=piece) if self._open_step(ds.RebuildEach):
                return self._card_evaluator.rebuild_value(command, force, piece)
            case _:
                return value_after

    def _air_value(self, command: orders.AirDefense | orders.AirAttack) -> float:
        """Return the value of giving up an Air Force to save or remove another piece (13.5, 13.6)."""
        position_evaluator, board, team = (
            self._position_evaluator,
            self._position_evaluator.board,
            self._team,
        )
        if isinstance(command, orders.AirDefense):
            event = self._view.trigger
            if event is None:
                return 0.0
            board_after_loss = board_without(board, event.owner, event.piece, event.space)
            board_after_rescue = board.with_changes(
                event.owner, AIR, removed_count=BIT[event.space]
            )
            return position_evaluator.advantage(
                board_after_rescue, team
            ) - position_evaluator.advantage(board_after_loss, team)
        space = next(
            (space_id for kind, space_id in reversed(self._view.chain) if kind == "removal"), ""
        )
        if not space:
            return 0.0
        board_after_cost = board
        for force in FORCES:
            if TEAM_BY_FORCE[force] == team and board.spaces_with(force, AIR) & BIT[command.space]:
                board_after_cost = board.with_changes(force, AIR, removed_count=BIT[command.space])
                break
        kind = battle_kind(space)
        outcomes = [
            position_evaluator.advantage(board_without(board_after_cost, enemy, kind, space), team)
            for enemy in MEMBERS[other_team(team)]
            if board.spaces_with(enemy, kind) & BIT[space]
        ]
        return (
            max(outcomes, default=0.0) - position_evaluator.advantage(board, team)
            if outcomes
            else 0.0
        )

    # -- cards

    def _play_value(self, card: str) -> float:
        """Return the value of playing a card, less a fraction of the card's value in hand."""
        own_cards = self._view.own
        in_hand = own_cards is not None and card in own_cards.hand
        return self._hand.play_value(card) - (
            PLAYED_FRACTION * self._hand.keep_value(card) if in_hand else 0.0
        )

    def _discard_value(self, card: str) -> float:
        """Return the value of discarding a card. In the Discard step, a new card may replace the discarded one."""
        if card in self._view.countries[self._view.role].statuses:
            return -self._hand.status_value(CARD[card])
        value = -self._hand.keep_value(card)
        if self._decision.rule == "8.4":
            value += self._hand.draw_value() + self._attrition_points(card)
        return value

    def _attrition_points(self, card: str) -> float:
        """Return the points that a Status scores if this card is discarded in the Discard step."""
        has_scored = any(
            isinstance(step, ds.GainVp)
            for status in self._view.countries[self._view.role].statuses
            for ability in CARD[status].abilities
            if ability.trigger is not None and ability.trigger.event == "discard_step"
            for step in ability.steps
        )
        return 1.0 if has_scored and CARD[card].type == BUILD_ARMY else 0.0

    def _take_value(self, card: str) -> float:
        """Return the value of taking a card or putting it under the deck."""
        own_cards = self._view.own
        move_step = self._open_step(ds.MoveCard)
        if move_step is not None and own_cards is not None and card in own_cards.hand:
            return self._hand.draw_value() - self._hand.keep_value(card)
        if CARD[card].type == AIR_POWER:
            return self._hand.keep_value(card)
        return self._hand.keep_value(card) + max(self._hand.play_value(card), 0.0)

    def _done_value(self) -> float:
        """Return the value of stopping. If the Discard step requires a discard, stopping loses a point (8.4)."""
        must_discard = self._decision.rule == "8.4" and not isinstance(
            self._decision.default, orders.Done
        )
        return -1.0 if must_discard else 0.0

    def _card_choice_value(self, command: orders.Choose | orders.Name | orders.Yes) -> float:
        """Return the value of a choice offered by the card whose text is being carried out."""
        if not self._card:
            return ACCEPTED_OFFER_VALUE
        owner = CARD[self._card].deck
        side = 1.0 if TEAM_BY_FORCE[owner] == self._team else -1.0
        if isinstance(command, orders.Choose):
            return side * self._part_value(command.part, owner)
        if isinstance(command, orders.Name):
            step = self._open_step(ds.ChooseCountry)
            if isinstance(step, ds.ChooseCountry):
                binds = Binds(chosen=command.force)
                return side * self._card_evaluator.step_lists_value(
                    (step.steps,), owner, binds=binds
                )
            return self._card_evaluator.deck_loss_value(command.force, 2)
        return self._payment_value(owner, side)

    def _part_value(self, part: int, owner: str) -> float:
        for kind in (ds.ChooseEffect, ds.AnyOrder):
            step = self._open_step(kind)
            parts = step.parts if isinstance(step, ds.WithParts) else ()
            if part <= len(parts):
                binds = Binds(each=self._view.role)
                return self._card_evaluator.step_lists_value((parts[part - 1],), owner, binds=binds)
        return 0.0

    def _payment_value(self, owner: str, side: float) -> float:
        """Return the value of paying so that a card's text continues, or so that the card's effect is avoided."""
        step = self._open_step(ds.UnlessDiscard)
        if isinstance(step, ds.UnlessDiscard) and side < 0:
            value = self._card_evaluator.step_lists_value((step.steps,), owner, self._view.trigger)
            return value - max(self._hand.cheapest_cost(step.n), ANY_CARD_COST * step.n)
        step = self._open_step(ds.PayThen)
        if isinstance(step, ds.PayThen):
            return self._card_evaluator.step_lists_value((step.cost, step.steps), owner)
        text = CARD[self._card].on_play()
        if text is not None and text.cost:
            return self._card_evaluator.step_lists_value((text.cost, text.steps), owner)
        return ACCEPTED_OFFER_VALUE

    def _open_step(self, kind: type[ds.Step]) -> ds.Step | None:
        """Return the first step of a given kind in the current card's text, or None if there is no such step."""
        return open_step(instance_name(self._card), kind) if self._card else None
