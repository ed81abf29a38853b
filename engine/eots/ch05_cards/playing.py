"""Revealing a card, starting an offensive with it, and putting it away (5.0, 7.1)."""

from typing import Final

from engine.eots.cards.activation_limits import naval_move
from engine.eots.cards.interpreter import apply_missed_event, apply_steps
from engine.eots.ch07_offensive.conclusion import begin_stacking, reposition_hqs
from engine.eots.ch12_strategic_warfare import end_interceptors
from engine.eots.ch13_nations.india import relieve_india
from engine.eots.deck import cards
from engine.eots.deck_offensive import Intel
from engine.eots.deck_terms import Window
from engine.eots.events.cards import (
    CardPlayed,
    CardSettled,
    CardsUnlocked,
    PlayFinished,
)
from engine.eots.events.offensive import OffensiveBegan
from engine.eots.flow import EotsRun
from engine.eots.frames import EventFrame, OffensiveFrame
from engine.eots.ids import CardId, Side
from engine.kernel.ids import Rule

NAVAL_BASE: Final = 5
"""Naval movement allowance in hexes per point of operations value (8.1)."""
_ON_PLAY: Final = (Window.ON_PLAY, Window.NEXT_TURN)
"""Windows of the event steps that are applied when a card is played.

Effects on the next turn are recorded immediately.
"""


def start_offensive(run: EotsRun, side: Side, name: CardId, *, is_event: bool) -> None:
    """Reveal a card and begin its offensive at step 1.

    The values depend on whether it is an OC or an EC (5.1, 5.2, 7.1).
    """
    card = cards()[name]
    from_future = run.state.decks[side].future == name
    reveal_card(run, side, name, "event" if is_event else "oc")
    surprise = is_event and any(
        isinstance(step, Intel) and step.condition == "surprise" for step in card.effects
    )
    allowance = naval_move(run.state, name, side) if is_event else None
    run.add(
        OffensiveBegan(
            side=side,
            card=name,
            event=is_event,
            ov=card.ov,
            # 7.27: a Surprise Attack EC has no intelligence value, so special reaction uses that of
            # the OC.
            lv=None if not is_event or card.logistic is None else card.logistic.base,
            iv=None if surprise else (card.ec_intel if is_event else card.oc_intel),
            special_iv=card.oc_intel if surprise or not is_event else card.ec_intel,
            naval_move=allowance if allowance is not None else NAVAL_BASE * card.ov,
            locked=is_event and card.intelligence_locked,
            from_future=from_future,
        )
    )
    run.push(OffensiveFrame(step=1))


def reveal_card(run: EotsRun, side: Side, name: CardId, use: str) -> None:
    """Record that a side plays a card, and how the card is used."""
    future_card = run.state.decks[side].future == name
    run.add(CardPlayed(side=side, card=name, use=use, future=future_card))


def put_card_away(run: EotsRun, side: Side, name: CardId, rule: Rule, *, is_event: bool) -> None:
    """Put a played card away. A card played as an event may leave the game (5.36)."""
    is_removed = is_event and cards()[name].remove_after_event
    run.add(CardSettled(rule=rule, side=side, card=name, removed=is_removed))
    if not is_event:
        apply_missed_event(run, cards()[name])


def play_plain_event(run: EotsRun, side: Side, name: CardId) -> None:
    """Carry out a political or resource event (5.33, 5.34).

    If a side has a decision to make, a new frame continues the event.
    """
    reveal_card(run, side, name, "event")
    apply_steps(run, cards()[name], _ON_PLAY)
    if not isinstance(run.top(), EventFrame):
        put_card_away(run, side, name, Rule("5.36"), is_event=True)


def finish_play(run: EotsRun, side: Side) -> None:
    """Finish a play other than an offensive.

    Check Northern India and J-71, remove HQs from enemy hexes, unlock cards and enforce the stacking limits (13.62-4b,
    12.32, 6.14, 8.24).
    """
    relieve_india(run)
    end_interceptors(run)
    reposition_hqs(run, Rule("6.14"))
    run.add(CardsUnlocked())
    run.add(PlayFinished(side=side))
    begin_stacking(run, side)
