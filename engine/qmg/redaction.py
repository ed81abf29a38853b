"""Redacts events and commands: a country's cards are hidden from everyone else, even from its own team (9.3)."""

from msgspec.structs import replace

from engine.qmg.commands import Discard, Drop, Play, QmgCommand, Take
from engine.qmg.deck import CARD
from engine.qmg.events import CardsMoved, GameStarted, QmgEvent, TopOrdered
from engine.qmg.ids import HIDDEN, RESPONSE
from engine.qmg.position import hide_cards


def redact_event(event: QmgEvent, viewer: str | None) -> QmgEvent:
    """Return the event as seen by a country, or by a spectator if the viewer is None.

    Redacted events can be applied like complete events.
    """
    match event:
        case GameStarted(position=position):
            return replace(event, position=hide_cards(position, viewer))
        case CardsMoved(country=country, cards=cards, shown=False) if country != viewer:
            return replace(event, cards=(HIDDEN,) * len(cards))
        case TopOrdered(country=country, cards=cards) if country != viewer:
            return replace(event, cards=(HIDDEN,) * len(cards))
        case _:
            return event


def redact_order(command: QmgCommand, giver: str, viewer: str | None) -> QmgCommand:
    """Return the command as seen by a country. If the command's card is public, the events reveal the card."""
    if giver == viewer:
        return command
    match command:
        case Discard() | Drop() | Take():
            return replace(command, card=HIDDEN)
        case Play(card=card) if card in CARD and CARD[card].type == RESPONSE:
            return replace(command, card=HIDDEN)
        case _:
            return command
