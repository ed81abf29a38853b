"""Values single steps in card texts: steps on the board, steps with cards and points, and nested steps."""

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
    CardScene,
    is_condition_met,
    matching_pieces,
    resolve_amount,
    resolve_country,
    resolve_force,
    resolve_signed_amount,
)

ANY_CARD_COST: Final = 0.6
NAMED_CARD_COST: Final = 0.9
"""Cost of giving up a card from hand: any card, or one of a named type."""
STATUS_COST: Final = 2.0
RESPONSE_COST: Final = 1.6
CANCELLED_USE_COST: Final = 1.3
KEPT_BY_SUPPLY_FRACTION: Final = 0.2
"""Fraction of a piece's value gained by saving it in its Supply step if it stays out of supply."""


def _on_board(text: BaseCardEvaluator, step: ds.Step, board: Board, at: CardScene) -> StepsResult:
    """Apply the best legal options, as often as the card allows. Removing one's own pieces as a cost is mandatory."""
    operation = OPERATIONS[type(step)](step)
    assert isinstance(operation, PieceStep), step
    if isinstance(step, ds.OnBoard) and not resolve_force(step.force, at):
        return StepsResult(board)
    if isinstance(step, ds.RemoveOwn):
        who = resolve_force(step.who, at)
        left = [board_after(board, option) for option in operation.options(at, None)] if who else []
        team = TEAM_BY_FORCE[who] if who else ""
        return StepsResult(
            max(left, key=lambda one: text.judge.advantage(one, team), default=board)
        )
    times = step.count.most if isinstance(step, ds.Repeated) else 1
    return text.repeat_best(board, at, times, lambda here: [*operation.options(here, None)])


def _gain_vp(text: BaseCardEvaluator, step: ds.GainVp, board: Board, at: CardScene) -> StepsResult:
    del text
    return StepsResult(board, float(resolve_amount(step.amount, at)))


def _discard(text: BaseCardEvaluator, step: ds.Discard, board: Board, at: CardScene) -> StepsResult:
    who = resolve_country(step.who, at)
    if not who or step.up_to:
        return StepsResult(board)
    public = text.view.countries[who]
    number = resolve_amount(step.amount, at)
    if step.zone == "hand":
        real = min(number, public.hand)
        each = NAMED_CARD_COST if step.card_types else ANY_CARD_COST
        loss = each * real + text.deck_loss_value(who, number - real)
    elif step.zone == "deck":
        loss = text.deck_loss_value(who, number)
    elif step.zone == "table_response":
        loss = RESPONSE_COST if public.responses else 0.0
    else:
        loss = STATUS_COST if public.statuses else 0.0
    return StepsResult(board, _gain_for_owner(at, who, -loss))


def _unless_discard(
    text: BaseCardEvaluator, step: ds.UnlessDiscard, board: Board, at: CardScene
) -> StepsResult:
    """Assume that the other country takes the smaller loss."""
    otherwise = text.evaluate_nested(step.steps, board, at)
    paid = StepsResult(board, ANY_CARD_COST * step.n)
    team = TEAM_BY_FORCE[at.owner]
    return min(otherwise, paid, key=lambda one: text.result_value(board, one, team))


def _ew_discard(
    text: BaseCardEvaluator, step: ds.EwDiscard, board: Board, at: CardScene
) -> StepsResult:
    aim = step.target
    where = aim.where if isinstance(aim, ds.Choice) else None
    targets: tuple[str, ...] = (
        aim.choose if isinstance(aim, ds.Choice) else (resolve_force(aim, at),)
    )
    best = 0.0
    for target in targets:
        here = replace(at, binds=replace(at.binds, chosen=target), target=target)
        if target and is_condition_met(where, here):
            loss = text.deck_loss_value(target, resolve_amount(step.amount, here))
            best = max(best, _gain_for_owner(at, target, -loss))
    return StepsResult(board, best)


def _modify(
    text: BaseCardEvaluator, step: ds.ModifyEwDiscard, board: Board, at: CardScene
) -> StepsResult:
    """Return the value of a change in the number of cards that the target country loses."""
    event = at.trigger
    if event is None or not event.targets:
        return StepsResult(board)
    here = replace(at, target=event.targets[0])
    cards = 2 if step.delta is None else abs(resolve_signed_amount(step.delta, here))
    return StepsResult(board, text.deck_loss_value(event.targets[0], cards))


def _prevent(
    text: BaseCardEvaluator, step: ds.PreventRemoval, board: Board, at: CardScene
) -> StepsResult:
    """Return the value of saving the piece that is under attack."""
    event = at.trigger
    if event is None or event.kind not in {"about_to_be_removed", "battled"}:
        return StepsResult(board)
    if step.query is not None and not _matches(step.query, event, at):
        return StepsResult(board)
    team = TEAM_BY_FORCE[at.owner]
    lost = board_without(board, event.owner, event.piece, event.space)
    value = text.judge.advantage(board, team) - text.judge.advantage(lost, team)
    return StepsResult(board, value * (KEPT_BY_SUPPLY_FRACTION if event.why == "supply" else 1.0))


def _cancel(
    text: BaseCardEvaluator, step: ds.CancelCard, board: Board, at: CardScene
) -> StepsResult:
    """Return the value that the cancelled card would have had for its owner."""
    del step
    card = CARD.get(at.trigger.card) if at.trigger is not None else None
    if card is None:
        return StepsResult(board)
    if card.type != ECONOMIC_WARFARE:
        return StepsResult(board, CANCELLED_USE_COST)
    played = card.on_play()
    return StepsResult(
        board, 0.0 if played is None else text.step_lists_value((played.steps,), card.deck)
    )


def _draw(text: BaseCardEvaluator, step: ds.Draw, board: Board, at: CardScene) -> StepsResult:
    who = resolve_country(step.who, at)
    cards = min(step.n, text.view.countries[who].deck) if who else 0
    return StepsResult(board, _gain_for_owner(at, who, 0.4 * cards) if who else 0.0)


def _grant_supply(
    text: BaseCardEvaluator, step: ds.GrantSupply, board: Board, at: CardScene
) -> StepsResult:
    """Return the value of keeping pieces that would otherwise be removed."""
    saved = 0.0
    for force, kind, spaces in matching_pieces(step.query, at):
        lost = spaces & ~at.field.supplied_pieces(force, kind)
        saved += PIECE_VALUE[kind] * text.judge.horizon[force] * lost.bit_count()
    return StepsResult(board, saved)


def _choose(text: BaseCardEvaluator, step: ds.Choose, board: Board, at: CardScene) -> StepsResult:
    """Assume that the choosing country takes the best option for its own team."""
    parts = [text.evaluate_nested(option, board, at) for option in step.parts]
    who = resolve_country(step.by, at) or at.owner
    return _pick_result(
        text, parts, board, at, is_owner=TEAM_BY_FORCE[who] == TEAM_BY_FORCE[at.owner]
    )


def _pick_result(
    text: BaseCardEvaluator,
    parts: list[StepsResult],
    board: Board,
    at: CardScene,
    *,
    is_owner: bool = True,
) -> StepsResult:
    pick = max if is_owner else min
    return pick(parts, key=lambda one: text.result_value(board, one, TEAM_BY_FORCE[at.owner]))


def _choose_country(
    text: BaseCardEvaluator, step: ds.ChooseCountry, board: Board, at: CardScene
) -> StepsResult:
    parts = [text.evaluate_nested(step.steps, board, at, chosen=each) for each in step.countries]
    return _pick_result(text, parts, board, at)


def _for_each(
    text: BaseCardEvaluator, step: ds.ForEachCountry, board: Board, at: CardScene
) -> StepsResult:
    result = StepsResult(board)
    for country in step.countries:
        part = text.evaluate_nested(step.steps, result.board, at, each=country)
        result = StepsResult(part.board, result.gain + part.gain)
    return result


def _any_order(
    text: BaseCardEvaluator, step: ds.AnyOrder, board: Board, at: CardScene
) -> StepsResult:
    result = StepsResult(board)
    for steps in step.parts:
        part = text.evaluate_nested(steps, result.board, at)
        result = StepsResult(part.board, result.gain + part.gain)
    return result


def _condition(text: BaseCardEvaluator, step: ds.If, board: Board, at: CardScene) -> StepsResult:
    return (
        text.evaluate_nested(step.steps, board, at)
        if is_condition_met(step.condition, at)
        else StepsResult(board)
    )


def _pay_then(
    text: BaseCardEvaluator, step: ds.PayThen, board: Board, at: CardScene
) -> StepsResult:
    paid = text.evaluate_steps(step.steps, text.evaluate_nested(step.cost, board, at), at)
    return _pick_result(text, [StepsResult(board), paid], board, at)


def _fixed_estimate(
    text: BaseCardEvaluator, step: ds.Step, board: Board, at: CardScene
) -> StepsResult:
    """Use a fixed estimate for steps that only affect cards."""
    del text, at
    times = step.count.most if isinstance(step, ds.Search | ds.MoveCard) else 1
    return StepsResult(board, _ROUGH.get(type(step), 0.0) * times)


def _gain_for_owner(at: CardScene, who: str, value: float) -> float:
    """Convert a country's gain into a gain for the card's owner."""
    return value if TEAM_BY_FORCE[who] == TEAM_BY_FORCE[at.owner] else -value


def _matches(query: Query, event: Trigger, at: CardScene) -> bool:
    """Return whether a query covers an event's piece."""
    return any(
        (force, kind) == (event.owner, event.piece) and bool(spaces & BIT[event.space])
        for force, kind, spaces in matching_pieces(query, at)
    )


_ROUGH: Final[Mapping[type[ds.Step], float]] = {
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
    Mapping[type[ds.Step], Callable[[BaseCardEvaluator, Any, Board, CardScene], StepsResult]]
] = {
    **{step: _on_board for step, kind in OPERATIONS.items() if issubclass(kind, PieceStep)},
    **dict.fromkeys((*_ROUGH, ds.Snapshot), _fixed_estimate),
    ds.GainVp: _gain_vp,
    ds.Discard: _discard,
    ds.UnlessDiscard: _unless_discard,
    ds.EwDiscard: _ew_discard,
    ds.ModifyEwDiscard: _modify,
    ds.PreventRemoval: _prevent,
    ds.CancelCard: _cancel,
    ds.Draw: _draw,
    ds.GrantSupply: _grant_supply,
    ds.Choose: _choose,
    ds.ChooseCountry: _choose_country,
    ds.ForEachCountry: _for_each,
    ds.AnyOrder: _any_order,
    ds.If: _condition,
    ds.PayThen: _pay_then,
}
"""The evaluation function of each step type."""


class CardEvaluator(BaseCardEvaluator):
    """Evaluates every type of step."""

    @override
    def evaluate_step(self, step: ds.Step, board: Board, at: CardScene) -> StepsResult:
        return STEPS[type(step)](self, step, board, at)
