"""Runs events whose steps may ask a side for decisions, in order, and then puts the card away (5.3, 5.36)."""

from collections.abc import Mapping
from typing import Final

from typing_extensions import override

from engine.eots.cards import hexes, sea_lift
from engine.eots.cards.asking import end_step, event_card
from engine.eots.cards.deactivation import DeactivationPart
from engine.eots.cards.interpreter import run_step
from engine.eots.cards.placements import ArrivalPart
from engine.eots.cards.replacements import ReplacementsPart
from engine.eots.cards.trans_routes import TransRoutePart
from engine.eots.ch05_cards.playing import finish_play, put_card_away
from engine.eots.deck_campaign import BuildTransRoute, PlaceUnit, ReplaceHq, Replacements
from engine.eots.deck_offensive import DeactivateUnit
from engine.eots.deck_steps import Step
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import EventFrame
from engine.kernel.ids import Rule


class _PlainPart(Handler[EventFrame]):
    """Carries out a step that needs no decision, or that pushes its own frame for one."""

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        card = event_card(frame)
        # Remove the step first: carrying it out may push frames on top of this one.
        end_step(run, frame)
        run_step(run, card, card.effects[frame.waiting[0]])


class _LastPart(Handler[EventFrame]):
    """Ends the event. Outside an offensive, it also puts the card away and finishes the play."""

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        run.pop()
        # An offensive's card is put away when the offensive ends (7.28), which also ends the play.
        if run.state.offensive is None:
            card = event_card(frame)
            put_card_away(run, card.side, card.id, Rule("5.36"), is_event=True)
            finish_play(run, card.side)


_ARRIVAL: Final = ArrivalPart()
PARTS: Final[Mapping[type[Step], Handler[EventFrame]]] = {
    **hexes.PARTS,
    **sea_lift.PARTS,
    BuildTransRoute: TransRoutePart(),
    DeactivateUnit: DeactivationPart(),
    PlaceUnit: _ARRIVAL,
    ReplaceHq: _ARRIVAL,
    Replacements: ReplacementsPart(),
}
"""The handler for each type of step that asks for a decision within the event's own frame."""
_PLAIN_PART: Final = _PlainPart()
_LAST_PART: Final = _LastPart()


class EventHandler(Handler[EventFrame]):
    """Runs an event with a separate handler for each kind of step."""

    frame = EventFrame

    @override
    def handler_for(self, frame: EventFrame) -> Handler[EventFrame]:
        if not frame.waiting:
            return _LAST_PART
        step = event_card(frame).effects[frame.waiting[0]]
        return PARTS.get(type(step), _PLAIN_PART)


HANDLERS: Final = (EventHandler(),)
