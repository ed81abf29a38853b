"""Chooses the next command for all orders of a seat together, and describes the orders."""

from collections.abc import Iterator

from engine.cbps.commands import CbpsCommand, Land
from engine.cbps.courses import cap, flight, searches, stay
from engine.cbps.courses.giving import order_title, order_words, orders_to, risk_question
from engine.cbps.courses.order import (
    AnyOrder,
    CapOrder,
    CourseOrder,
    SearchOrder,
    StayOrder,
    current_order,
)
from engine.cbps.frames import AirMovementFrame, OperationsFrame
from engine.cbps.state import State

Options = tuple[CbpsCommand, ...]
Orders = tuple[AnyOrder, ...]


def answer(state: State, role: str, orders: Orders, options: Options) -> CbpsCommand | None:
    """Return the command that the orders require in the open decision, or None if the player must decide."""
    missions, search_orders, caps = _split_orders(state, role, orders)
    groups = frozenset(order.group for order in cap.own_live_orders(state, role, caps))
    stays = tuple(order for order in orders if isinstance(order, StayOrder))
    return (
        flight.answer(state, role, missions, options, cap_groups=groups)
        or searches.answer(state, role, search_orders, options)
        or stay.answer(state, stays, options)
    )


def opening(state: State, role: str, order: AnyOrder, options: Options) -> CbpsCommand | None:
    """Return the next launch or launch move of an order in the open decision, or None if there is none."""
    match order:
        case CourseOrder():
            return flight.opening(state, role, order)
        case SearchOrder():
            return searches.launch(state, role, (order,), options)
        case CapOrder():
            is_own = bool(list(cap.own_live_orders(state, role, (order,))))
            return cap.launch(state, order, options) if is_own else None
        case StayOrder():
            return stay.answer(state, (order,), options)


def closing(state: State, role: str, orders: Orders, options: Options) -> CbpsCommand | None:
    """Return the next command to give before the player ends the segment. None if none is left.

    Missions land first, because nothing can land on a carrier that has launched a relief (6.28). Reliefs take off
    before their carrier raises or lowers other units, and a carrier does so before a unit lands on it (6.23).
    """
    missions, _, caps = _split_orders(state, role, orders)
    command = flight.closing(state, role, missions, options)
    if not _is_in(state, OperationsFrame):
        return command
    command = command or cap.closing(state, role, caps, options)
    if command is not None and not isinstance(command, Land):
        return command
    landing = "" if command is None else command.carrier
    return cap.deck_work(state, role, caps, options, landing) or command


def stops(state: State, role: str, orders: Orders) -> Iterator[tuple[AnyOrder, str]]:
    """Yield the orders that need a decision by the player now, each with the reason."""
    missions, search_orders, caps = _split_orders(state, role, orders)
    yield from flight.stops(state, role, missions)
    yield from searches.stops(state, role, search_orders)
    yield from cap.stops(state, role, caps)


def _split_orders(
    state: State, role: str, orders: Orders
) -> tuple[tuple[CourseOrder, ...], tuple[SearchOrder, ...], tuple[CapOrder, ...]]:
    """Return the orders by kind. Former CAP that has fought is ordered home unless it has another order."""
    # In a plan, the orders may still be those from before it, so bring them up to date.
    orders = tuple(current_order(state, order) for order in orders)
    missions = [order for order in orders if isinstance(order, CourseOrder)]
    caps = tuple(order for order in orders if isinstance(order, CapOrder))
    named_missions = {order.mission for order in missions}
    for name in cap.fought_missions(state, role, caps):
        if name not in named_missions:
            missions += orders_to(state, name)[:1]
    search_orders = tuple(order for order in orders if isinstance(order, SearchOrder))
    return tuple(missions), search_orders, caps


def _is_in(state: State, *frames: type[AirMovementFrame | OperationsFrame]) -> bool:
    return bool(state.frames) and isinstance(state.frames[-1], frames)


# -- words


def title(order: AnyOrder, state: State | None = None) -> str:
    """Return the name of an order. Without a state, the name of a CAP order omits the time."""
    match order:
        case CourseOrder():
            return order_title(order)
        case SearchOrder():
            return searches.search_title(order)
        case CapOrder():
            return cap.cap_title(order, state)
        case StayOrder():
            return stay.stay_title(order, state)


def words(state: State, order: AnyOrder) -> str:
    """Describe an order and its forecast on one line."""
    match order:
        case CourseOrder():
            return order_words(state, order)
        case SearchOrder():
            return searches.search_words(state, order)
        case CapOrder():
            return cap.cap_words(state, order)
        case StayOrder():
            return stay.stay_title(order, state)


def risk(state: State, order: AnyOrder) -> str:
    """Return the question to ask before giving an order that may lose units. Empty if no units are at risk."""
    match order:
        case CourseOrder():
            return risk_question(state, order)
        case SearchOrder():
            return searches.search_risk(state, order)
        case CapOrder() | StayOrder():
            return ""
