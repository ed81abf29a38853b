"""Values single steps in card texts: board steps, card and point steps, and nested steps."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.bots.greedy_qmg_moves import board_after, board_without
from engine.bots.greedy_qmg_text import BaseCardEvaluator, StepsResult
from engine.bots.greedy_qmg_worth import PIECE_VALUE
from engine.qmg import deck_steps as ds
from engine.qmg.atlas import BIT
from engine.qmg.board import Board
from engine.qmg.cards.board import PieceStep
from engine.qmg.cards.interpreter import OPERATIONS
from engine.qmg.deck import CARD
from engine.qmg.deck_terms import Query
from engine.qmg.frames import Trigger
from engine.qmg.ids import ECONOMIC_WARFARE, TEAM_BY_FORCE
from engine.qmg.terms import (
    PublicContext,
    is_condition_met,
    matching_pieces,
    resolve_amount,
    resolve_country,
    resolve_force,
    resolve_signed_amount,
)

ANY_CARD_COST: Final = 0.6
NAMED_CARD_COST: Final = 0.9
"""Cost of giving up a card from hand. The first value applies to any card, the second to a card of a named type."""
STATUS_COST: Final = 2.0
RESPONSE_COST: Final = 1.6
CANCELLED_USE_COST: Final = 1.3
KEPT_BY_SUPPLY_FRACTION: Final = 0.2
"""Saving a piece in the Supply step gains this fraction of its value, because the piece remains out of supply."""


def _evaluate_board_step(
    evaluator: BaseCardEvaluator, step: ds.Step, board: Board, context: PublicContext
) -> StepsResult:
    """Return the result of the best legal options, applied as often as the card allows.

    Removing the player's own pieces as a cost is mandatory.
    """
    operation = OPERATIONS[type(step)](step)
    assert isinstance(operation, PieceStep), step
    if isinstance(step, ds.SpaceStep) and not resolve_force(step.force, context):
        return StepsResult(board)
    if isinstance(step, ds.RemoveOwn):
        force = resolve_force(step.who, context)
        boards = (
            [board_after(board, option) for option in operation.options(context, None)]
            if force
            else []
        )
        team = TEAM_BY_FORCE[force] if force else ""
        return StepsResult(
            max(
                boards,
                key=lambda candidate: evaluator.position_evaluator.advantage(candidate, team),
                default=board,
            )
        )
    times = step.count.most if isinstance(step, ds.Repeated) else 1
    return evaluator.repeat_best(
        board, context, times, lambda board_here: [*operation.options(board_here, None)]
    )


def _evaluate_gain_vp(
    evaluator: BaseCardEvaluator, step: ds.GainVp, board: Board, context: PublicContext
) -> StepsResult:
    del evaluator
    return StepsResult(board, float(resolve_amount(step.amount, context)))


def _evaluate_discard(
    evaluator: BaseCardEvaluator, step: ds.DiscardEffect, board: Board, context: PublicContext
) -> StepsResult:
    country = resolve_country(step.who, context)
    if not country or step.up_to:
        return StepsResult(board)
    country_view = evaluator.view.countries[country]
    number = resolve_amount(step.amount, context)
    if step.zone == "hand":
        number_from_hand = min(number, country_view.hand)
        cost = NAMED_CARD_COST if step.card_types else ANY_CARD_COST
        loss = cost * number_from_hand + evaluator.deck_loss_value(
            country, number - number_from_hand
        )
    elif step.zone == "deck":
        loss = evaluator.deck_loss_value(country, number)
    elif step.zone == "table_response":
        loss = RESPONSE_COST if country_view.responses else 0.0
    else:
        loss = STATUS_COST if country_view.statuses else 0.0
    return StepsResult(board, _gain_for_owner(context, country, -loss))


def _evaluate_unless_discard(
    evaluator: BaseCardEvaluator, step: ds.UnlessDiscard, board: Board, context: PublicContext
) -> StepsResult:
    """Return the result of the step if the other country takes the smaller loss."""
    other_result = evaluator.evaluate_nested(step.steps, board, context)
    cost_result = StepsResult(board, ANY_CARD_COST * step.n)
    team = TEAM_BY_FORCE[context.owner]
    return min(
        other_result, cost_result, key=lambda part: evaluator.result_value(board, part, team)
    )


def _evaluate_ew_discard(
    evaluator: BaseCardEvaluator, step: ds.EwDiscard, board: Board, context: PublicContext
) -> StepsResult:
    aim = step.target
    choice = aim.where if isinstance(aim, ds.CountryChoice) else None
    targets: tuple[str, ...] = (
        aim.choose if isinstance(aim, ds.CountryChoice) else (resolve_force(aim, context),)
    )
    best_value = 0.0
    for target in targets:
        target_context = replace(
            context, binds=replace(context.binds, chosen=target), target=target
        )
        if target and is_condition_met(choice, target_context):
            loss = evaluator.deck_loss_value(target, resolve_amount(step.amount, target_context))
            best_value = max(best_value, _gain_for_owner(context, target, -loss))
    return StepsResult(board, best_value)


def _evaluate_ew_modifier(
    evaluator: BaseCardEvaluator, step: ds.ModifyEwDiscard, board: Board, context: PublicContext
) -> StepsResult:
    """Return the value of a change in the number of cards that the target country loses."""
    event = context.trigger
    if event is None or not event.targets:
        return StepsResult(board)
    target_context = replace(context, target=event.targets[0])
    cards = 2 if step.delta is None else abs(resolve_signed_amount(step.delta, target_context))
    return StepsResult(board, evaluator.deck_loss_value(event.targets[0], cards))


def _evaluate_prevention(
    evaluator: BaseCardEvaluator, step: ds.PreventRemoval, board: Board, context: PublicContext
) -> StepsResult:
    """Return the value of saving the piece that is under attack."""
    event = context.trigger
    if event is None or event.kind not in {"about_to_be_removed", "battled"}:
        return StepsResult(board)
    if step.query is not None and not _matches(step.query, event, context):
        return StepsResult(board)
    team = TEAM_BY_FORCE[context.owner]
    board_after_loss = board_without(board, event.owner, event.piece, event.space)
    value = evaluator.position_evaluator.advantage(
        board, team
    ) - evaluator.position_evaluator.advantage(board_after_loss, team)
    return StepsResult(board, value * (KEPT_BY_SUPPLY_FRACTION if event.why == "supply" else 1.0))


def _evaluate_cancel(
    evaluator: BaseCardEvaluator, step: ds.CancelCard, board: Board, context: PublicContext
) -> StepsResult:
    """Return the value that the cancelled card would have had for the country that played it."""
    del step
    card = CARD.get(context.trigger.card) if context.trigger is not None else None
    if card is None:
        return StepsResult(board)
    if card.type != ECONOMIC_WARFARE:
        return StepsResult(board, CANCELLED_USE_COST)
    played_card = card.on_play()
    return StepsResult(
        board,
        0.0 if played_card is None else evaluator.step_lists_value((played_card.steps,), card.deck),
    )


def _evaluate_draw(
    evaluator: BaseCardEvaluator, step: ds.Draw, board: Board, context: PublicContext
) -> StepsResult:
    country = resolve_country(step.who, context)
    cards = min(step.n, evaluator.view.countries[country].deck) if country else 0
    return StepsResult(board, _gain_for_owner(context, country, 0.4 * cards) if country else 0.0)


def _evaluate_grant_supply(
    evaluator: BaseCardEvaluator, step: ds.GrantSupply, board: Board, context: PublicContext
) -> StepsResult:
    """Return the value of supplying pieces that would otherwise be removed."""
    saved_value = 0.0
    for force, kind, spaces in matching_pieces(step.query, context):
        unsupplied_spaces = spaces & ~context.analysis.supplied_pieces(force, kind)
        saved_value += (
            PIECE_VALUE[kind]
            * evaluator.position_evaluator.horizon[force]
            * unsupplied_spaces.bit_count()
        )
    return StepsResult(board, saved_value)


def _evaluate_choose(
    evaluator: BaseCardEvaluator, step: ds.ChooseEffect, board: Board, context: PublicContext
) -> StepsResult:
    """Return the result of the step if the choosing country takes the best option for its own team."""
    parts = [evaluator.evaluate_nested(option, board, context) for option in step.parts]
    country = resolve_country(step.by, context) or context.owner
    return _pick_result(
        evaluator,
        parts,
        board,
        context,
        is_owner=TEAM_BY_FORCE[country] == TEAM_BY_FORCE[context.owner],
    )


def _pick_result(
    evaluator: BaseCardEvaluator,
    parts: list[StepsResult],
    board: Board,
    context: PublicContext,
    *,
    is_owner: bool = True,
) -> StepsResult:
    pick = max if is_owner else min
    return pick(
        parts, key=lambda part: evaluator.result_value(board, part, TEAM_BY_FORCE[context.owner])
    )


def _evaluate_choose_country(
    evaluator: BaseCardEvaluator, step: ds.ChooseCountry, board: Board, context: PublicContext
) -> StepsResult:
    parts = [
        evaluator.evaluate_nested(step.steps, board, context, chosen=country)
        for country in step.countries
    ]
    return _pick_result(evaluator, parts, board, context)


def _evaluate_for_each(
    evaluator: BaseCardEvaluator, step: ds.ForEachCountry, board: Board, context: PublicContext
) -> StepsResult:
    result = StepsResult(board)
    for country in step.countries:
        part_result = evaluator.evaluate_nested(step.steps, result.board, context, each=country)
        result = StepsResult(part_result.board, result.gain + part_result.gain)
    return result


def _evaluate_any_order(
    evaluator: BaseCardEvaluator, step: ds.AnyOrder, board: Board, context: PublicContext
) -> StepsResult:
    result = StepsResult(board)
    for steps in step.parts:
        part_result = evaluator.evaluate_nested(steps, result.board, context)
        result = StepsResult(part_result.board, result.gain + part_result.gain)
    return result


def _evaluate_condition(
    evaluator: BaseCardEvaluator, step: ds.If, board: Board, context: PublicContext
) -> StepsResult:
    return (
        evaluator.evaluate_nested(step.steps, board, context)
        if is_condition_met(step.condition, context)
        else StepsResult(board)
    )


def _evaluate_pay_then(
    evaluator: BaseCardEvaluator, step: ds.PayThen, board: Board, context: PublicContext
) -> StepsResult:
    cost_result = evaluator.evaluate_steps(
        step.steps, evaluator.evaluate_nested(step.cost, board, context), context
    )
    return _pick_result(evaluator, [StepsResult(board), cost_result], board, context)


def _evaluate_fixed(
    evaluator: BaseCardEvaluator, step: ds.Step, board: Board, context: PublicContext
) -> StepsResult:
    """Return a fixed estimate for a step that affects only cards."""
    del evaluator, context
    times = step.count.most if isinstance(step, ds.Search | ds.MoveCard) else 1
    return StepsResult(board, _FIXED_VALUES.get(type(step), 0.0) * times)


def _gain_for_owner(context: PublicContext, country: str, value: float) -> float:
    """Convert a country's gain into a gain for the card's owner."""
    return value if TEAM_BY_FORCE[country] == TEAM_BY_FORCE[context.owner] else -value


def _matches(query: Query, event: Trigger, context: PublicContext) -> bool:
    """Return whether an event's piece matches a query."""
    return any(
        (force, kind) == (event.owner, event.piece) and bool(spaces & BIT[event.space])
        for force, kind, spaces in matching_pieces(query, context)
    )


_FIXED_VALUES: Final[Mapping[type[ds.Step], float]] = {
    ds.RebuildEach: 0.6,
    ds.DiscardStatus: STATUS_COST,
    ds.Search: 1.0,
    ds.LookReorder: 0.3,
    ds.MoveCard: 0.9,
    ds.PlaceCard: 1.2,
    ds.PlayCard: 2.2,
    ds.ReturnRandomDiscards: 0.3,
    ds.SetFlag: 0.2,
}
STEPS: Final[
    Mapping[type[ds.Step], Callable[[BaseCardEvaluator, Any, Board, PublicContext], StepsResult]]
] = {
    **{
        step: _evaluate_board_step
        for step, kind in OPERATIONS.items()
        if issubclass(kind, PieceStep)
    },
    **dict.fromkeys((*_FIXED_VALUES, ds.Snapshot), _evaluate_fixed),
    ds.GainVp: _evaluate_gain_vp,
    ds.DiscardEffect: _evaluate_discard,
    ds.UnlessDiscard: _evaluate_unless_discard,
    ds.EwDiscard: _evaluate_ew_discard,
    ds.ModifyEwDiscard: _evaluate_ew_modifier,
    ds.PreventRemoval: _evaluate_prevention,
    ds.CancelCard: _evaluate_cancel,
    ds.Draw: _evaluate_draw,
    ds.GrantSupply: _evaluate_grant_supply,
    ds.ChooseEffect: _evaluate_choose,
    ds.ChooseCountry: _evaluate_choose_country,
    ds.ForEachCountry: _evaluate_for_each,
    ds.AnyOrder: _evaluate_any_order,
    ds.If: _evaluate_condition,
    ds.PayThen: _evaluate_pay_then,
}
"""The function that evaluates each type of step."""


class CardEvaluator(BaseCardEvaluator):
    """Evaluates every type of step."""

    @override
    def evaluate_step(self, step: ds.Step, board: Board, context: PublicContext) -> StepsResult:
        return STEPS[type(step)](self, step, board, context)
