"""Carries out orders for searches: holds the Search Segment, launches, makes the attempts and lands (8.2, 8.3)."""

from collections.abc import Iterator

from engine.cbps.clock import current_light
from engine.cbps.commands import (
    Attempt,
    CbpsCommand,
    Done,
    HoldSearch,
    JoinSearch,
    Land,
    Pass,
    SearchLong,
    SearchNarrow,
    SearchOut,
)
from engine.cbps.courses.order import SearchOrder, is_live, search_of
from engine.cbps.decks.ch06_decks import landing_deck_refusals, launch_deck_refusals
from engine.cbps.decks.ch22_night import is_night_capable, night_refusals
from engine.cbps.frames import (
    SearchAttemptFrame,
    SearchChoiceFrame,
    SearchFlightFrame,
    SearchLandingFrame,
    SearchLaunchFrame,
)
from engine.cbps.locations import carriers_in, is_lit, units_at
from engine.cbps.planner.searches import (
    SearchPlan,
    planned_search,
    search_plan,
    search_units,
)
from engine.cbps.prose.names import display_names
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_flight import home_hex
from engine.cbps.seats import commands_carrier
from engine.cbps.state import State

Options = tuple[CbpsCommand, ...]


def order_plan(state: State, order: SearchOrder) -> SearchPlan | None:
    """Return the rest of an order's flight, or None if the order is over (8.271, 8.28)."""
    if not is_live(state, order):
        return None
    name, search = search_of(state, order)
    if search is not None:
        return search_plan(state, search, search_units(state, name), name)
    planned = planned_search(
        state, order.units, order.kind, bearing=order.bearing, radius=order.radius
    )
    return search_plan(state, planned, order.units)


def search_stop(state: State, order: SearchOrder) -> str:
    """Return the reason why a search in flight does not move now, as a sentence. Empty if it moves.

    A search that would reach its carriers stops if it is too dark to land (6.42) or no deck has room (8.28), because it
    would have to land at once.
    """
    name, search = search_of(state, order)
    plan = order_plan(state, order)
    if search is None or plan is None or len(plan.legs) != 1 or not plan.is_home:
        return ""
    home, units = home_hex(state, search), units_at(state, "search", name)
    is_dark = current_light(state) != "day" and not is_lit(state, home)
    if is_dark and not all(is_night_capable(state, unit) for unit in units):
        return f"It would land at {current_light(state)}, without lights (6.42)."
    decks = carriers_in(state, home)
    if all(next(landing_deck_refusals(state, carrier), None) for carrier in decks):
        return f"No carrier in {home} can take it, and it must land at once (8.28)."
    return ""


def stops(
    state: State, role: str, orders: tuple[SearchOrder, ...]
) -> Iterator[tuple[SearchOrder, str]]:
    """Yield the search orders that need a decision by the player now, each with the reason."""
    if isinstance(state.frames[-1] if state.frames else None, SearchChoiceFrame):
        for order in _own_orders(state, role, orders):
            if reason := search_stop(state, order):
                yield order, reason


def answer(
    state: State, role: str, orders: tuple[SearchOrder, ...], options: Options
) -> CbpsCommand | None:
    """Return the command that the orders require in the open decision, or None if the player must decide.

    The Search Segment is held as early as possible in each turn. After a launch, the player ends the launching, because
    other searches may follow.
    """
    own_commands = tuple(_own_orders(state, role, orders))
    if not own_commands:
        return None
    match state.frames[-1] if state.frames else None:
        case SearchChoiceFrame():
            can_act = any(
                search_of(state, order)[0] or _can_launch(state, order) for order in own_commands
            )
            is_stopped = any(search_stop(state, order) for order in own_commands)
            return _first_command(options, HoldSearch) if can_act and not is_stopped else None
        case SearchLaunchFrame():
            return launch(state, role, orders, options) or _launch_end(state, own_commands, options)
        case SearchFlightFrame(left=(name, *_)):
            return _passage(state, own_commands, name, options)
        case SearchAttemptFrame(shadow=""):
            return _attempt(state, own_commands, options)
        case SearchLandingFrame():
            return _landing(state, own_commands, options)
        case _:
            return None


def launch(
    state: State, role: str, orders: tuple[SearchOrder, ...], options: Options
) -> CbpsCommand | None:
    """Return the next search launch that the orders require, or None if there is none (8.27)."""
    if not isinstance(state.frames[-1] if state.frames else None, SearchLaunchFrame):
        return None
    for order in _own_orders(state, role, orders):
        name, search = search_of(state, order)
        unit = order.units[0]
        commands: tuple[CbpsCommand, ...] = ()
        if search is None:
            commands = (_launch_command(order, unit),)
        elif not search.moves:
            commands = tuple(
                JoinSearch(unit=other_unit, search=name) for other_unit in order.units[1:]
            )
        for command in commands:
            if command in options:
                return command
    return None


def _launch_command(order: SearchOrder, unit: str) -> CbpsCommand:
    match order.kind:
        case "standard":
            return SearchOut(unit=unit, bearing=order.bearing)
        case "long":
            return SearchLong(unit=unit, bearing=order.bearing)
        case "narrow":
            return SearchNarrow(unit=unit, hex=order.radius)


def _can_launch(state: State, order: SearchOrder) -> bool:
    unit = order.units[0]
    return (
        state.units[unit].place == "ready"
        and next(launch_deck_refusals(state, state.units[unit].at), None) is None
        and next(night_refusals(state, unit), None) is None
    )


def _launch_end(
    state: State, orders: tuple[SearchOrder, ...], options: Options
) -> CbpsCommand | None:
    is_fresh = any(not search.moves for search in state.searches.values())
    is_stopped = any(search_stop(state, order) for order in orders)
    return None if is_fresh or is_stopped else _first_command(options, Done)


def _passage(
    state: State, orders: tuple[SearchOrder, ...], name: str, options: Options
) -> CbpsCommand | None:
    """Return the hex choice for a search along a hexside, preferably with a force. None if it has no orders (8.32)."""
    if name not in _names(state, orders):
        return None
    hexes = {force.hex for force in state.forces.values()}
    ways = [option for option in options if isinstance(option, Pass)]
    return max(ways, key=lambda way: way.hex in hexes, default=None)


def _attempt(state: State, orders: tuple[SearchOrder, ...], options: Options) -> CbpsCommand | None:
    """Return the next attempt to find a force, or None if a search without orders could make one too (D-8.31)."""
    attempts = [option for option in options if isinstance(option, Attempt)]
    is_own = {attempt.search for attempt in attempts} <= _names(state, orders)
    return attempts[0] if attempts and is_own else None


def _landing(state: State, orders: tuple[SearchOrder, ...], options: Options) -> CbpsCommand | None:
    """Return the command to land a unit on its own carrier. Otherwise None: the player chooses the carrier (D-8.28)."""
    names = _names(state, orders)
    landings = (option for option in options if isinstance(option, Land))
    return next(
        (
            landing
            for landing in landings
            if state.units[landing.unit].at in names
            and landing.carrier == state.game_data.air_units[landing.unit].carrier
        ),
        None,
    )


def _names(state: State, orders: tuple[SearchOrder, ...]) -> set[str]:
    return {name for order in orders if (name := search_of(state, order)[0])}


def _own_orders(state: State, role: str, orders: tuple[SearchOrder, ...]) -> Iterator[SearchOrder]:
    """Yield the live orders for units that the seat commands."""
    for order in orders:
        if not is_live(state, order):
            continue
        search = search_of(state, order)[1]
        is_own = (
            search.commander == role
            if search is not None
            else commands_carrier(state, role, state.units[order.units[0]].at)
        )
        if is_own:
            yield order


def _first_command(options: Options, kind: type[CbpsCommand]) -> CbpsCommand | None:
    return next((option for option in options if isinstance(option, kind)), None)


# -- words


def search_title(order: SearchOrder) -> str:
    """Return an order's name, such as ``Search 300 and back (Hornet B1)``."""
    if order.radius:
        goal = f"narrow to {order.radius}"
    else:
        goal = f"{order.bearing:03}" + (", 12 hexes," if order.kind == "long" else "")
    return f"Search {goal} and back ({display_names(order.units)})"


def search_words(state: State, order: SearchOrder) -> str:
    """Describe an order and its flight on one line."""
    plan = order_plan(state, order)
    if plan is None or not plan.legs:
        return search_title(order)
    last_leg = plan.legs[-1]
    return_text = f"back {last_leg.time}" if plan.is_home else "the scenario ends before it is back"
    if plan.is_home and set(last_leg.lights) == {"night"}:
        return_text += ", night"
    turn = f"out {plan.legs[0].time}"
    return f"{search_title(order)}: {turn}, {return_text}"


def search_risk(state: State, order: SearchOrder) -> str:
    """Return the question to ask before giving an order that may lose its units. Empty if they are not at risk."""
    plan = order_plan(state, order)
    if plan is None or not plan.legs:
        return ""
    if not plan.is_home and scenario_rules(state).flies_home:
        risk_text = "is still in the air when the scenario ends, and is lost"
    elif plan.is_home and "day" not in plan.legs[-1].lights:
        risk_text = f"lands at night, in {plan.legs[-1].time} (6.42)"
    else:
        return ""
    return f"{search_title(order)} {risk_text}. Give the order?"
