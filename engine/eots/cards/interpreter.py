"""Carry out the steps of events that move markers and draw cards (5.3, C4.2)."""

from collections.abc import Iterable
from typing import Final

from engine.eots.cards.conditions import holds, year_of
from engine.eots.cards.losses import roll_losses
from engine.eots.ch13_nations.china import move_front
from engine.eots.ch13_nations.india import move_india
from engine.eots.deck import Card
from engine.eots.deck_campaign import (
    China,
    Draw,
    Escorts,
    India,
    PoliticalWill,
    SetRivalry,
    WarInEurope,
)
from engine.eots.deck_effects import Effect
from engine.eots.deck_offensive import StepLossRoll
from engine.eots.deck_terms import CardService, Rivalry, Window
from engine.eots.events.cards import CardDrawn, DeckReshuffled
from engine.eots.events.tracks import EscortsSet, PoliticalWillMoved, RivalrySet, WarInEuropeMoved
from engine.eots.flow import EotsLedger
from engine.eots.ids import CardId, Side
from engine.eots.strategic_rulings import EMPTY_DECK, plays_other
from engine.kernel.dice import Dice
from engine.kernel.ids import Rule

EVENT_DRAWS: Final = 3
"""Cards that a side may draw by events in one Offensives Phase (5.35)."""
POLITICAL_WILL_TOP: Final = 10
EUROPE_LOW: Final = -7
EUROPE_HIGH: Final = 3
ESCORT_STEP: Final = 2
ESCORT_TOP: Final = 4


def run(ledger: EotsLedger, card: Card, windows: Iterable[Window], dice: Dice) -> None:
    """Carry out every step of a card that belongs to one of the windows and whose condition holds."""
    wanted = frozenset(windows)
    for step in card.effects:
        if step.when in wanted and (
            step.only_if is None or holds(ledger.state, step.only_if, card.side)
        ):
            run_step(ledger, card, step, dice)


def run_step(ledger: EotsLedger, card: Card, step: Effect, dice: Dice) -> None:
    """Carry out one step; steps about activation, dice and strengths are read where they matter."""
    rule = Rule(card.id)
    tracks = ledger.state.tracks
    match step:
        case PoliticalWill(delta=delta):
            ledger.add(
                PoliticalWillMoved(
                    rule=rule, to=min(max(tracks.political_will + delta, 0), POLITICAL_WILL_TOP)
                )
            )
        case WarInEurope(by_year=values):
            move_europe(ledger, values.of(year_of(ledger.state.turn)), rule)
        case China(delta=delta, may_enter_stable=stable):
            move_front(ledger, delta, rule, may_enter_stable=stable)
        case India(delta=delta):
            move_india(ledger, delta, rule)
        case SetRivalry(service=service, state=wanted):
            side = Side.JAPAN if service is CardService.JAPAN else Side.ALLIED
            ledger.add(RivalrySet(rule=rule, side=side, rivalry=wanted is Rivalry.RIVALRY))
        case Escorts(change=change):
            _move_escorts(ledger, change, rule)
        case Draw(n=count):
            for _ in range(count):
                draw(ledger, card.side, rule, dice)
        case StepLossRoll():
            roll_losses(ledger, card, step, dice)
        case _:
            return


def move_europe(ledger: EotsLedger, delta: int, rule: Rule) -> None:
    """Move the War in Europe marker; steps beyond the ends are lost (15.7)."""
    to = min(max(ledger.state.tracks.war_in_europe + delta, EUROPE_LOW), EUROPE_HIGH)
    ledger.add(WarInEuropeMoved(rule=rule, to=to))


def _move_escorts(ledger: EotsLedger, change: str, rule: Rule) -> None:
    tracks = ledger.state.tracks
    if change == "remove":
        ledger.add(EscortsSet(rule=rule, level=0, void=True))
    elif not tracks.escorts_void:
        ledger.add(
            EscortsSet(rule=rule, level=min(tracks.escorts + ESCORT_STEP, ESCORT_TOP), void=False)
        )


def draw(ledger: EotsLedger, side: Side, rule: Rule, dice: Dice) -> None:
    """Draw one card by an event, at most three per Offensives Phase (5.35, CP-47)."""
    if ledger.state.decks[side].event_draws >= EVENT_DRAWS:
        return
    card = draw_card(ledger, side, dice)
    if card is not None:
        locked = ledger.state.offensive is not None
        ledger.add(CardDrawn(rule=rule, side=side, card=card, locked=locked))


def draw_card(ledger: EotsLedger, side: Side, dice: Dice) -> CardId | None:
    """Return a random undrawn card; the discards are shuffled in when there is none (CP-46).

    None when all cards are gone, or when by the other reading an empty deck gives nothing.
    """
    deck = ledger.state.decks[side]
    if not deck.draw and deck.discard and not plays_other(ledger.state, EMPTY_DECK):
        ledger.add(DeckReshuffled(rule=Rule("CP-46"), side=side, cards=deck.discard))
        deck = ledger.state.decks[side]
    return CardId(dice.pick(deck.draw)) if deck.draw else None
