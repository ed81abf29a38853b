"""Hides secret information in events and commands. The only secrets are card faces (5.0)."""

from msgspec.structs import replace

from engine.eots.commands import EotsCommand, PlaceFuture
from engine.eots.events.base import EotsEvent
from engine.eots.events.cards import (
    CardDrawn,
    CardReclaimed,
    CardsDealt,
    CardTakenBack,
    DeckReshuffled,
    DrawPileAdded,
    FuturePlaced,
)
from engine.eots.events.flow import GameStarted
from engine.eots.ids import Side
from engine.eots.position import hide_cards
from engine.eots.state import HIDDEN


def redact_event(event: EotsEvent, side: Side | None) -> EotsEvent:
    """Return the event as seen by a side, or by a spectator if the side is None.

    The result can still be folded into a state.
    """
    match event:
        case GameStarted(position=position):
            return replace(event, position=hide_cards(position, side))
        case (
            CardsDealt(side=owner, cards=faces)
            | DeckReshuffled(side=owner, cards=faces)
            | DrawPileAdded(side=owner, cards=faces)
        ) if owner is not side:
            return replace(event, cards=(HIDDEN,) * len(faces))
        case CardDrawn(side=owner) | FuturePlaced(side=owner) | CardTakenBack(side=owner) if (
            owner is not side
        ):
            # The card that is taken back was public, but the place where it goes is secret.
            return replace(event, card=HIDDEN)
        case CardReclaimed(side=owner) if owner is not side:
            return replace(event, held=HIDDEN)
        case _:
            return event


def redact_order(command: EotsCommand, giver: Side, side: Side | None) -> EotsCommand:
    """Return the command as seen by a side.

    The placement of a future offensives card is public, but the card's face is not (7.29).
    """
    if isinstance(command, PlaceFuture) and giver is not side:
        return replace(command, card=HIDDEN)
    return command
