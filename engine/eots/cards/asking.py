"""Helpers for event steps in which a side may have to decide something (5.3)."""

from typing import TypeVar

from engine.eots.deck import Card, cards
from engine.eots.deck_steps import Step
from engine.eots.flow import EotsRun
from engine.eots.frames import EventFrame
from engine.eots.ids import Side

T = TypeVar("T", bound=Step)


def event_card(frame: EventFrame) -> Card:
    """Return the card whose event is being carried out."""
    return cards()[frame.card]


def current_step(frame: EventFrame, kind: type[T]) -> T:
    """Return the event's current step, which must be of the given type."""
    step = event_card(frame).effects[frame.waiting[0]]
    assert isinstance(step, kind)
    return step


def deciding_side(frame: EventFrame) -> Side:
    """Return the side that makes the decision in the event's current step."""
    card = event_card(frame)
    return card.effects[frame.waiting[0]].chooser or card.side


def end_step(run: EotsRun, frame: EventFrame) -> None:
    """End the current step, so that the event continues with the next one."""
    run.replace_top(EventFrame(card=frame.card, waiting=frame.waiting[1:]))
