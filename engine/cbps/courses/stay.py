"""Carries out orders to stay: TF 58 or the submarines end their activations without a move (6.31, 14.12)."""

from engine.cbps.commands import CbpsCommand, Done
from engine.cbps.courses.cap import until_words
from engine.cbps.courses.order import FLEET, StayOrder, is_live
from engine.cbps.frames import BoatsFrame, SailFrame
from engine.cbps.state import State

Options = tuple[CbpsCommand, ...]


def answer(state: State, orders: tuple[StayOrder, ...], options: Options) -> CbpsCommand | None:
    """Return the command that ends an activation covered by an order to stay; None if the player must decide.

    An activation in which the player has already given a command is left to the player.
    """
    subject = _current_subject(state)
    if not any(order.subject == subject and is_live(state, order) for order in orders):
        return None
    return next((option for option in options if isinstance(option, Done)), None)


def _current_subject(state: State) -> str:
    """Return the subject of the order that could answer the open decision; empty if there is none."""
    match state.frames[-1] if state.frames else None:
        case SailFrame(origins=origins) if not origins:
            return FLEET
        case BoatsFrame(boat="", done=()):
            return "submarines"
        case _:
            return ""


def stay_title(order: StayOrder, state: State | None) -> str:
    """Return an order's name, such as ``TF 58 stays where it is until 1210``. Without a state, it omits the time."""
    is_fleet = order.subject == FLEET
    title = "TF 58 stays where it is" if is_fleet else "Submarines stay where they are"
    return title if state is None else f"{title} until {until_words(state, order.until)}"
