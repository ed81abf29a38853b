"""Checks on each way of using a card (4.22, 5.0, 7.29)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.cards.conditions import is_condition_met
from engine.eots.cards.exchange import is_discard_barred
from engine.eots.cards.losses import loss_targets
from engine.eots.cards.placements import brings_hq
from engine.eots.ch06_supply.activation import hq_return_ports, withdraw_refusals
from engine.eots.ch06_supply.deployment import deployment
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch07_offensive.reaction_cards import (
    FUTURE_UNUSABLE_TEXT,
    has_usable_card,
    usable_cards,
)
from engine.eots.ch13_nations.china import china_offensive_refusals
from engine.eots.ch16_victory.short_games import (
    is_short_game,
    is_will_event_barred,
    refuse_short_game,
)
from engine.eots.ch17_south_pacific import end_of_rivalry_refusals, future_offensive_refusals
from engine.eots.counters import counters
from engine.eots.deck import Card, cards, selects_hq
from engine.eots.deck_offensive import ActivateStep, StepLoss, WaiveSupply
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.rulings import FALSE_CONDITION
from engine.eots.state import TURN_TRACK, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

REQUIRED_OV: Final = 3
"""Operations value required for China offensives, transport routes and the end of rivalry (13.72, 13.77, 17.26)."""
CONDITIONAL_EVENTS: Final = frozenset(map(CardId, ("A-1", "A-16", "A-60", "A-67", "J-18")))
"""Events whose text makes them conditional with the word "if" (CP-02)."""
_HQ_RETURNS: Final = Memo[tuple[tuple[UnitId, HexId], ...]](8)


def availability_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Refuse a card that the side cannot use now (4.22, 7.29B, OP-12)."""
    if has_usable_card(state, side, name):
        return
    yield Refusal(
        Rule("4.22"),
        f"{name} is not in your hand, or it is a future offensives card that cannot be used now (7.29B)",
    )
    if name == state.decks[side].future:
        yield Refusal(Rule("7.29"), FUTURE_UNUSABLE_TEXT)


def top_value_refusals(name: CardId, rule: Rule) -> Iterator[Refusal]:
    """Refuse a card whose operations value is not the required one."""
    if cards()[name].ov != REQUIRED_OV:
        yield Refusal(
            rule, f"{name} has operations value {cards()[name].ov}, and {REQUIRED_OV} is needed"
        )


def operations_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot be used as an operations card at all (5.0, C2)."""
    yield from availability_refusals(state, side, name)
    allowed_operations = cards()[name].play.as_oc
    if allowed_operations is False:
        yield Refusal(Rule("5.0"), f"{name} cannot be used as an operations card")
    elif allowed_operations == "only_if_no_japanese_in_aleutians" and _is_event_possible(
        state, side, name
    ):
        yield Refusal(
            Rule("5.31"),
            f"{name} must be played as an event while Japanese units are in the Aleutians",
        )
    elif _is_event_due(state, side, name):
        yield Refusal(Rule("5.37"), f"{name} must be played as an event")


def _is_event_possible(state: State, side: Side, name: CardId) -> bool:
    return all(
        is_condition_met(state, condition, side) for condition in cards()[name].play.event_requires
    )


def _is_event_due(state: State, side: Side, name: CardId) -> bool:
    """Return whether a card's event is mandatory and can be played now (5.37, OP-11)."""
    condition = cards()[name].play.event_mandatory_if
    if condition is None or not is_condition_met(state, condition, side):
        return False
    return next(event_refusals(state, side, name), None) is None


def oc_offensive_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot start an OC offensive (5.0 A, 7.21)."""
    yield from operations_refusals(state, side, name)
    if not supply(state).supplied_hqs(side):
        yield Refusal(Rule("7.21"), "none of your HQs is in supply")


def event_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot be played as an event (5.3)."""
    card = cards()[name]
    yield from availability_refusals(state, side, name)
    if card.play.event_by != "offensives_player":
        yield Refusal(
            Rule("5.32"), f"{name} is a reaction card; only the Reaction player can use its event"
        )
        return
    if name in state.taken_back:
        yield Refusal(Rule("5.31"), f"{name} was taken back during this play")
    if is_will_event_barred(state, name):
        text = f"{name} moves US Political Will, so in this scenario it is only an operations card"
        yield from refuse_short_game(state, text)
    if not all(is_condition_met(state, condition, side) for condition in card.play.event_requires):
        yield Refusal(Rule("5.31"), f"a condition of {name} is not met")
    if name in CONDITIONAL_EVENTS and FALSE_CONDITION.uses_alternative(state.options):
        yield from _condition_refusals(state, card)
    if card.offensive and not (_has_hq(state, side, card) or brings_hq(state, card)):
        yield Refusal(Rule("5.31"), f"no HQ that {name} allows can activate units now")
    if card.political_class == "china":
        yield from _china_event_refusals(state, card)


def _condition_refusals(state: State, card: Card) -> Iterator[Refusal]:
    """Refuse a card if its conditions are all false and its step losses have no target (CP-02, alternative reading)."""
    conditions = [step.only_if for step in card.effects if step.only_if is not None]
    losses = [step for step in card.effects if isinstance(step, StepLoss)]
    if not any(
        is_condition_met(state, condition, card.side) for condition in conditions
    ) and not any(loss_targets(state, card, step) for step in losses):
        yield Refusal(Rule("5.31"), f"the condition of {card.id} is not met")


def _china_event_refusals(state: State, card: Card) -> Iterator[Refusal]:
    """Yield the reasons why Japan may not play a card for its China event now (13.71-5)."""
    if card.side is Side.JAPAN:
        yield from (
            refusal
            for refusal in china_offensive_refusals(state)
            if refusal.rule in {Rule("13.71"), Rule("13.73")}
        )


def _has_hq(state: State, side: Side, card: Card) -> bool:
    """Return whether an HQ allowed by the card is in supply or, if the card waives supply, on the map (J-48).

    A card that names its units needs no HQ (J-1).
    """
    if any(isinstance(step, ActivateStep) and step.units for step in card.effects):
        return True
    is_waived = any(isinstance(step, WaiveSupply) and "hq" in step.who for step in card.effects)
    hqs = _hqs(side) if is_waived else supply(state).supplied_hqs(side)
    return any(
        state.units[hq].is_on_map
        and (card.hq is None or any(selects_hq(word, counters()[hq]) for word in card.hq))
        for hq in hqs
    )


def china_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot be used for a China offensive (13.72)."""
    if side is not Side.JAPAN:
        yield Refusal(Rule("13.72"), "only Japan can conduct China offensives")
        return
    yield from operations_refusals(state, side, name)
    yield from top_value_refusals(name, Rule("13.72"))
    yield from china_offensive_refusals(state)


def end_rivalry_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot end rivalry (17.26, 17.37, 17.47, 17-e).

    One reason can be that its operations value is not 3.
    """
    yield from end_of_rivalry_refusals(state)
    for text in _end_rivalry_problems(state, side, name):
        yield from refuse_short_game(state, text)


def _end_rivalry_problems(state: State, side: Side, name: CardId) -> Iterator[str]:
    if (name, False) not in usable_cards(state, side):
        yield f"{name} is not in your hand"
    if cards()[name].ov != REQUIRED_OV:
        yield f"{name} has operations value {cards()[name].ov}, and {REQUIRED_OV} is needed"
    if not is_short_game(state):
        yield "only the one-year scenarios allow this"
    if not state.tracks.has_rivalry(side):
        yield "your side is not under inter-service rivalry"


def future_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot become the future offensives card (7.29, 5.37)."""
    deck = state.decks[side]
    if (name, False) not in usable_cards(state, side):
        yield Refusal(Rule("7.29"), f"{name} is not in your hand")
    if not cards()[name].play.future_offensive:
        yield Refusal(Rule("7.29"), f"{name} may not become a future offensives card")
    if cards()[name].political_class == "special":
        yield Refusal(Rule("5.37"), f"{name} must be played in the turn in which it is drawn")
    yield from future_offensive_refusals(state, side)
    if deck.future is not None:
        yield Refusal(Rule("7.29"), "you already have a future offensives card")
    if deck.placed_turn == state.turn:
        yield Refusal(Rule("7.29"), "you have already placed a future offensives card this turn")


def discard_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card may not be discarded (4.22, 5.37, 7.29, CP-36)."""
    if (name, False) not in usable_cards(state, side):
        yield Refusal(Rule("4.22"), f"{name} is not in your hand")
    if name == state.decks[side].future:
        yield Refusal(Rule("7.29"), "a future offensives card must be played, never discarded")
    is_barred = (
        cards()[name].play.as_oc is False
    )  # J-1 and J-2 must eventually be played as events (17.11)
    if is_discard_barred(state, name) and (is_barred or _has_other_use(state, side, name)):
        yield Refusal(Rule("5.37"), f"{name} may not be discarded voluntarily")


def _has_other_use(state: State, side: Side, name: CardId) -> bool:
    """Return whether a card with a mandatory event can be used in any way. If not, it may be discarded (5.37)."""
    if next(event_refusals(state, side, name), None) is None:
        return True
    return next(operations_refusals(state, side, name), None) is None and bool(
        supply(state).supplied_hqs(side) or withdrawable_hqs(state, side) or hq_returns(state, side)
    )


def pass_refusals(state: State, side: Side) -> Iterator[Refusal]:
    """Yield the reasons why a side may not pass (4.22, 12.4, 12.5)."""
    if state.decks[side].passes < 1:
        yield Refusal(Rule("12.4"), "no pass is left this turn")
        yield Refusal(Rule("4.22"), "a pass counts as a play only while you have one left")
        if side is Side.ALLIED:
            yield Refusal(Rule("12.5"), "the same rules apply to Allied and Japanese passes")


def route_card_refusals(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot build a transport route (13.77)."""
    yield from operations_refusals(state, side, name)
    yield from top_value_refusals(name, Rule("13.77"))


@cache
def _hqs(side: Side) -> tuple[UnitId, ...]:
    """Return all of a side's HQs, sorted by id."""
    return tuple(hq for hq, row in counters().items() if row.is_hq and row.side is side)


def withdrawable_hqs(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the HQs that can leave the map, sorted by id (6.13)."""
    return tuple(
        hq
        for hq, _ in deployment(state).hqs
        if next(withdraw_refusals(state, side, hq), None) is None
    )


def hq_returns(state: State, side: Side) -> tuple[tuple[UnitId, HexId], ...]:
    """Return each pair of an HQ and a port to which the HQ can return early (6.15).

    The pairs are sorted by HQ, then by port. Results are cached.
    """
    return _HQ_RETURNS.get(
        state,
        (state, side),
        lambda: tuple(
            (hq, hex_id)
            for hq in _hqs(side)
            if state.units[hq].at == TURN_TRACK
            for hex_id in hq_return_ports(state, hq)
        ),
    )
