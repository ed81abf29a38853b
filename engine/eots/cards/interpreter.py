"""Carries out the steps of events at the right time, including those that move markers and cards (5.3, C4.2)."""

from collections.abc import Iterable
from typing import Final

from engine.eots.card_piles import DRAW, HAND
from engine.eots.cards.conditions import is_condition_met, turn_year
from engine.eots.cards.islands import take_islands
from engine.eots.cards.losses import lose_steps, record_targets, roll_losses
from engine.eots.cards.markers import set_marker
from engine.eots.cards.schedules import change_schedule
from engine.eots.ch13_nations.china import move_front
from engine.eots.ch13_nations.india import move_india
from engine.eots.ch13_nations.routes import open_railway
from engine.eots.ch15_europe import moved_marker
from engine.eots.ch16_victory.short_games import is_will_event_barred
from engine.eots.deck import Card, cards
from engine.eots.deck_campaign import (
    Capability,
    China,
    ControlAdjacentIslands,
    DelayReinforcements,
    DiscardRandom,
    Draw,
    Escorts,
    India,
    Marker,
    OpenTransRoute,
    PoliticalWill,
    RemoveUnit,
    ReplacementPenalty,
    ReshuffleEndOfTurn,
    ScheduleReinforcement,
    SetRivalry,
    SovietInvasion,
    SwapWithDiscard,
    WarInEurope,
)
from engine.eots.deck_offensive import AspPermanent, StepLoss, StepLossRoll
from engine.eots.deck_steps import AskingStep, Step
from engine.eots.deck_terms import Rivalry, Window
from engine.eots.events.cards import (
    CardDiscarded,
    CardDrawn,
    CardPlayed,
    CardSettled,
    DeckReshuffled,
    ReshuffleOrdered,
)
from engine.eots.events.tracks import (
    EscortsSet,
    MarkerSet,
    PoliticalWillMoved,
    RivalrySet,
    WarInEuropeMoved,
)
from engine.eots.flow import EotsRun
from engine.eots.frames import EventFrame, ExchangeFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import CardId, HexId, Side
from engine.eots.rulings import BIDDING_PW, EMPTY_DECK, RANDOM_LOSS, bid
from engine.eots.state import State, current_offensive
from engine.kernel.dice import CardPile
from engine.kernel.ids import Rule

EVENT_DRAWS: Final = 3
"""Maximum number of cards that a side may draw through events in one Offensives Phase (5.35)."""
POLITICAL_WILL_TOP: Final = 10
ESCORT_STEP: Final = 2
ESCORT_TOP: Final = 4


def apply_steps(run: EotsRun, card: Card, windows: Iterable[Window]) -> None:
    """Carry out the steps of a card that apply in one of these windows and whose conditions are true.

    If any of them may ask a side for a decision, push an event frame that carries out all of them.
    """
    window_set = frozenset(windows)
    # The steps must run in order, so the frame gets all of them, not only the steps that need a
    # decision.
    if any(step.when in window_set and isinstance(step, AskingStep) for step in card.effects):
        waiting_units = tuple(
            index
            for index, step in enumerate(card.effects)
            if step.when in window_set and is_step_applicable(run.state, card, step)
        )
        run.push(EventFrame(card=card.id, waiting=waiting_units))
        return
    for step in card.effects:
        if step.when in window_set and is_step_applicable(run.state, card, step):
            run_step(run, card, step)


def is_step_applicable(state: State, card: Card, step: Step) -> bool:
    """Return whether a step's condition, if it has one, is met."""
    return step.only_if is None or is_condition_met(state, step.only_if, card.side)


def apply_missed_event(run: EotsRun, card: Card) -> None:
    """Apply the effects that a card has when it is used for operations or discarded instead of as an event (5.37)."""
    apply_steps(run, card, (Window.WHEN_DISCARDED_OR_OC,))


def apply_window(run: EotsRun, window: Window) -> None:
    """Apply the steps of the offensive card's event for a window, and record the targets of later losses (CP-01)."""
    offensive = current_offensive(run.state)
    if offensive.event:
        card = cards()[offensive.card]
        record_targets(run, card, window)
        apply_steps(run, card, (window,))


def run_step(run: EotsRun, card: Card, step: Step) -> None:
    """Carry out one step.

    Steps about activation, dice or strengths have no effect here; the rules read them when needed.
    """
    rule = Rule(card.id)
    match step:
        case PoliticalWill(delta=delta, with_bid=with_bid):
            _move_will(run, delta, rule, with_bid=with_bid)
        case WarInEurope(by_year=values):
            move_europe(run, values.of(turn_year(run.state.turn)), rule)
        case China(delta=delta, may_enter_stable=stable):
            move_front(run, delta, rule, may_enter_stable=stable)
        case India(delta=delta):
            move_india(run, delta, rule)
        case SetRivalry(service=service, state=target_state):
            rivalry = target_state is Rivalry.RIVALRY
            run.add(RivalrySet(rule=rule, side=service.side, rivalry=rivalry))
        case Escorts(change=change):
            _move_escorts(run, change, rule)
        case Capability() | Marker():
            set_marker(run, step, rule)
        case OpenTransRoute(hexes=hexes):
            open_railway(run, hexes, rule)
        case SovietInvasion(hexes=hexes):
            _invade_manchuria(run, hexes, rule)
        case (
            AspPermanent()
            | DelayReinforcements()
            | RemoveUnit()
            | ReplacementPenalty()
            | ScheduleReinforcement()
        ):
            change_schedule(run, step, rule)
        case StepLossRoll():
            roll_losses(run, card, step)
        case StepLoss():
            lose_steps(run, card, step)
        case ControlAdjacentIslands():
            take_islands(run, card.side, rule)
        case _:
            _move_cards(run, card, step)


def _move_cards(run: EotsRun, card: Card, step: Step) -> None:
    """Carry out a step that draws, exchanges, discards or reshuffles cards."""
    rule = Rule(card.id)
    match step:
        case Draw(n=count):
            for _ in range(count):
                draw_event_card(run, card.side, rule)
        case SwapWithDiscard():
            _begin_exchange(run, card)
        case DiscardRandom(side=side, n=count):
            for _ in range(count):
                _discard_random(run, side, rule)
        case ReshuffleEndOfTurn(side=side):
            run.add(ReshuffleOrdered(side=side))
        case _:
            return


def _invade_manchuria(run: EotsRun, hexes: tuple[HexId, ...], rule: Rule) -> None:
    """Give the hexes to the Allies. Japan can never retake them, because no unit may enter Manchukuo (13.91, CP-50)."""
    run.add(MarkerSet(rule=rule, marker="soviet-invasion", on=True))
    capture_hexes(run, Side.ALLIED, hexes, rule)


def _begin_exchange(run: EotsRun, card: Card) -> None:
    """Offer the exchange if the hand and the discard pile both contain cards. Both sizes are public (CP-33)."""
    deck = run.state.decks[card.side]
    if deck.hand and deck.discard:
        run.push(ExchangeFrame(side=card.side, card=card.id))


def _discard_random(run: EotsRun, side: Side, rule: Rule) -> None:
    """Discard a random card from the hand. If its special event is due, carry out the event (12.33, CP-03, 5.37)."""
    hand = run.state.decks[side].hand
    if not hand:
        return
    # The card determines whether an event follows, so everyone must see its face immediately.
    card = cards()[CardId(run.dice.pick(CardPile(hand, side, HAND, is_shown=True)))]
    if not _is_due(run.state, card):
        is_removed = (
            RANDOM_LOSS.uses_alternative(run.state.options) and card.political_class != "special"
        )
        run.add(CardDiscarded(rule=rule, side=side, card=card.id, removed=is_removed))
        apply_missed_event(run, card)
        return
    run.add(CardPlayed(side=side, card=card.id, use="lost", future=False))
    apply_steps(run, card, (Window.ON_PLAY,))
    run.add(CardSettled(rule=Rule("5.37"), side=side, card=card.id, removed=True))


def _is_due(state: State, card: Card) -> bool:
    """Return whether a card must be carried out as an event now. Never true if the scenario bars the event (CP-03)."""
    condition = card.play.event_mandatory_if
    return (
        condition is not None
        and is_condition_met(state, condition, card.side)
        and not is_will_event_barred(state, card.id)
    )


def move_europe(run: EotsRun, delta: int, rule: Rule) -> None:
    """Move the War in Europe marker. It stops at the end of the track (15.7)."""
    run.add(WarInEuropeMoved(rule=rule, to=moved_marker(run.state.tracks.war_in_europe, delta)))


def _move_will(run: EotsRun, delta: int, rule: Rule, *, with_bid: bool) -> None:
    """Move Political Will, adding the bid if the card requires it (16.4, 16.48B)."""
    current_will = run.state.tracks.political_will
    new_will = current_will + delta + (bid(run.state.options, BIDDING_PW) if with_bid else 0)
    new_value = min(max(new_will, 0), POLITICAL_WILL_TOP)
    if new_value != current_will:
        run.add(PoliticalWillMoved(rule=rule, to=new_value))


def _move_escorts(run: EotsRun, change: str, rule: Rule) -> None:
    tracks = run.state.tracks
    if change == "remove":
        escorts_event = EscortsSet(rule=rule, level=0, void=True)
    elif not tracks.escorts_void:
        level = min(tracks.escorts + ESCORT_STEP, ESCORT_TOP)
        escorts_event = EscortsSet(rule=rule, level=level, void=False)
    else:
        return
    if (escorts_event.level, escorts_event.void) != (tracks.escorts, tracks.escorts_void):
        run.add(escorts_event)


def draw_event_card(run: EotsRun, side: Side, rule: Rule) -> None:
    """Draw one card for an event, unless the side has already drawn three this Offensives Phase (5.35, CP-47)."""
    if run.state.decks[side].event_draws >= EVENT_DRAWS:
        return
    card = draw_card(run, side)
    if card is not None:
        is_locked = run.state.offensive is not None
        run.add(CardDrawn(rule=rule, side=side, card=card, locked=is_locked))


def draw_card(run: EotsRun, side: Side) -> CardId | None:
    """Draw and return a random card. If the deck is empty, reshuffle the discards first (CP-46).

    Return None if no cards are left. Under the alternative reading, return None if the deck is empty.
    """
    deck = run.state.decks[side]
    if not deck.draw and deck.discard and not EMPTY_DECK.uses_alternative(run.state.options):
        run.add(DeckReshuffled(rule=Rule("CP-46"), side=side, cards=deck.discard))
        if deck.reshuffle:  # 5.37: later discards go back into the deck at the end of the turn
            run.add(ReshuffleOrdered(side=side))
        deck = run.state.decks[side]
    if not deck.draw:
        return None
    return CardId(run.dice.pick(CardPile(deck.draw, side, "deck", segment=DRAW)))
