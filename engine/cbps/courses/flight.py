"""Carries out course orders: finds a mission's next command, or the reason why the mission waits for the player.

The functions are pure. An order stores no progress. Whether a mission flies out or home depends only on the mission, so
orders stay valid after a command is taken back.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.cbps.air.ch04_courses import Course
from engine.cbps.air.ch04_fuel import LAST_BOX, mission_units
from engine.cbps.clock import current_light
from engine.cbps.commands import Attack, CbpsCommand, Deploy, Done, Fly, Hold, Land
from engine.cbps.courses.forecast import (
    CourseForecast,
    course_forecast,
    darkest,
    flies_second_hex,
    goal_hex,
    target_hex,
)
from engine.cbps.courses.order import (
    CourseOrder,
    has_attack_left,
    is_in_play,
    is_outbound,
    is_turning,
)
from engine.cbps.decks.ch06_landing import is_safe_return_needed, landing_fuel
from engine.cbps.force_ids import force_with_counter
from engine.cbps.frames import AirMovementFrame, OperationsFrame, StrikesFrame
from engine.cbps.locations import carriers_in, sea_map
from engine.cbps.planner.contact import contact_chances
from engine.cbps.prose.names import display_name
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State
from engine.kernel.chances import percent

Options = tuple[CbpsCommand, ...]
_DAY: Final = "day"


# -- what stops an order


def flight_stop(state: State, order: CourseOrder) -> str:
    """Return the reason why a mission stops following its order, as a sentence. Empty if it continues.

    The reason may be fuel (point of no return), light, the end of the scenario, a lost target, or other units. The
    mission then waits for the player.
    """
    if set(mission_units(state, order.mission)) - set(order.units):
        return "Other units have joined it since the order."
    outbound = is_outbound(state, order)
    forecast = course_forecast(state, order)
    if forecast is None:
        if outbound and not goal_hex(state, order):
            return f"{display_name(order.target)} is no longer detected."
        return "No carrier is left to land on."
    problem = forecast_problem(forecast, order)
    if problem:
        return problem
    mission = state.missions[order.mission]
    goal = forecast.target_hex if outbound else forecast.home
    if outbound and mission.hex == goal and not mission.moved and mission.attempts:
        return f"It is over {display_name(order.target)} and has not attacked."
    if mission.hex != goal and not mission.moved and not _legal_step(state, order, goal):
        return "No legal move from here brings it closer."
    return ""


def forecast_problem(forecast: CourseForecast, order: CourseOrder) -> str:
    """Return a sentence about a risk that exceeds what the player accepted for the course. Empty if there is none."""
    if forecast.worst < order.least:
        if forecast.worst <= -LAST_BOX:
            return "With the worst dice it runs out of fuel and is lost."
        return (
            f"With the worst dice it lands with fuel {forecast.worst}; {order.least} was accepted."
        )
    if forecast.is_late:
        return "It may not be home when the scenario ends."
    if darkest(forecast.light, order.light) != order.light:
        return f"It may land at {forecast.light}."
    return ""


def attack_stop(state: State, order: CourseOrder) -> str:
    """Return the reason why a strike over its target does not attack at once, as a sentence.

    Empty if it attacks (5.24).
    """
    target = force_with_counter(state, order.target)
    wrong_chance = contact_chances(state, target).first.wrong_force
    return (
        f"Another force may be hit instead of {display_name(order.target)}: {percent(wrong_chance)}% (5.24)."
        if wrong_chance
        else ""
    )


def landing_stop(state: State, order: CourseOrder) -> str:
    """Return the reason why a mission over its carriers does not land at once, as a sentence. Empty if it lands.

    At dusk or at night, the player first decides whether to show lights (6.42, 6.43).
    """
    mission = state.missions[order.mission]
    fuel = landing_fuel(state, order.mission)
    needs_lights = current_light(state) != _DAY and fuel > 0
    units = mission_units(state, order.mission)
    if needs_lights and any(
        is_safe_return_needed(state, unit, mission.hex, fuel) for unit in units
    ):
        return f"It is {current_light(state)}: show lights, or land in the dark (6.43)."
    return ""


def stops(
    state: State, role: str, orders: tuple[CourseOrder, ...]
) -> Iterator[tuple[CourseOrder, str]]:
    """Yield the orders that need a decision by the player now, each with the reason."""
    frame = state.frames[-1] if state.frames else None
    for order in _own_orders(state, role, orders):
        reason = ""
        match frame:
            case AirMovementFrame() if not state.missions[order.mission].moved:
                reason = flight_stop(state, order)
            case StrikesFrame() if _is_over_target(state, order):
                reason = attack_stop(state, order)
            case OperationsFrame() if _is_home(state, order):
                reason = landing_stop(state, order)
        if reason:
            yield order, reason


# -- commands


def answer(
    state: State,
    role: str,
    orders: tuple[CourseOrder, ...],
    options: Options,
    *,
    cap_groups: frozenset[str] = frozenset(),
) -> CbpsCommand | None:
    """Return the command that the orders require in the open decision, or None if the player must decide.

    Missions move and attack at once. The segment ends automatically only if no missions except those under orders could
    move, and no raid is on the map that fighters in the air could meet.

    Args:
        state: The position.
        role: The seat whose decision is open.
        orders: Its orders for missions.
        options: The options of the decision.
        cap_groups: The groups whose CAP stays in its box under orders.
    """
    own_commands = tuple(_own_orders(state, role, orders))
    match state.frames[-1] if state.frames else None:
        case AirMovementFrame() if own_commands or cap_groups:
            return _movement(state, own_commands, options, cap_groups)
        case StrikesFrame() if own_commands:
            return _attack(state, own_commands, options)
        case _:
            return None


def _movement(
    state: State, orders: tuple[CourseOrder, ...], options: Options, cap_groups: frozenset[str]
) -> CbpsCommand | None:
    obeying = [
        order
        for order in orders
        if state.missions[order.mission].moved or not flight_stop(state, order)
    ]
    for order in obeying:
        step = next_step(state, order)
        if step and (fly := Fly(mission=order.mission, hex=step)) in options:
            return fly
    names = {order.mission for order in obeying}
    movable_missions = {option.mission for option in options if isinstance(option, Fly | Hold)}
    # CAP costs no fuel in its box (4.33), so it does not stop the segment from ending. Without
    # missions under orders, however, the segment ends only if all CAP is under orders.
    in_box = {
        state.missions[option.mission].cap for option in options if isinstance(option, Deploy)
    }
    fighters = [name for name in movable_missions if state.missions[name].kind == "intercept"]
    # With a raid on the map, the player decides whether fighters in the air or in CAP boxes meet
    # it.
    if not movable_missions <= names or (state.raids and (in_box or fighters)):
        return None
    if not names and not in_box <= cap_groups:
        return None
    return next((option for option in options if isinstance(option, Done)), None)


def _attack(state: State, orders: tuple[CourseOrder, ...], options: Options) -> CbpsCommand | None:
    attacks = [option for option in options if isinstance(option, Attack)]
    targets = {
        order.mission: order.target
        for order in orders
        if _is_over_target(state, order) and not attack_stop(state, order)
    }
    # The order of attacks matters (5.1), so the player chooses it if other strikes could attack too.
    if {option.mission for option in attacks} - targets.keys():
        return None
    return next(
        (option for option in attacks if targets[option.mission] == option.target),
        None,
    )


def opening(state: State, role: str, order: CourseOrder) -> CbpsCommand | None:
    """Return the launch move toward the order's goal, or None if the mission makes none (4.42)."""
    if not isinstance(state.frames[-1] if state.frames else None, OperationsFrame):
        return None
    if not list(_own_orders(state, role, (order,))) or not state.missions[order.mission].is_fresh:
        return None
    if flight_stop(state, order):
        return None
    step = next_step(state, order)
    return Fly(mission=order.mission, hex=step) if step else None


def closing(
    state: State, role: str, orders: tuple[CourseOrder, ...], options: Options
) -> CbpsCommand | None:
    """Return the next landing of a mission that is over its carriers, or None if no mission can land (6.28).

    Missions land when the player ends the segment, because a carrier that has landed units can no longer launch,
    raise or lower any (6.23). Units prefer their own carrier.
    """
    if not isinstance(state.frames[-1] if state.frames else None, OperationsFrame):
        return None
    landings = [option for option in options if isinstance(option, Land)]
    for order in _own_orders(state, role, orders):
        if not _is_home(state, order) or landing_stop(state, order):
            continue
        for unit in mission_units(state, order.mission):
            home = state.game_data.air_units[unit].carrier
            choices = [landing for landing in landings if landing.unit == unit]
            if choices:
                return min(choices, key=lambda landing: landing.carrier != home)
    return None


def next_step(state: State, order: CourseOrder) -> str:
    """Return the next hex of a mission in this segment, or an empty string if it stays where it is (4.43)."""
    forecast = course_forecast(state, order)
    if forecast is None:
        return ""
    mission, sea = state.missions[order.mission], sea_map(state)
    outbound = is_outbound(state, order)
    goal = forecast.target_hex if outbound else forecast.home
    if mission.hex == goal or is_turning(state, order):
        return ""
    if mission.moved and not mission.is_fresh:
        hexes = sea.distance(mission.hex, goal)
        hexes += sea.distance(goal, forecast.home) if outbound else 0
        if not flies_second_hex(
            state,
            mission.fuel,
            hexes,
            order.least,
            is_outbound=outbound,
            attacks=has_attack_left(state, order),
        ):
            return ""
    return _legal_step(state, order, goal)


def _legal_step(state: State, order: CourseOrder, goal: str) -> str:
    """Return the straightest legal step that brings the mission closer to the goal.

    Empty if there is none (4.22, 4.36).
    """
    sea, hex = sea_map(state), state.missions[order.mission].hex
    course = Course(state, order.mission)
    nearer_hexes = [
        neighbour
        for neighbour in sea.neighbours(hex)
        if sea.distance(neighbour, goal) < sea.distance(hex, goal)
    ]
    candidates = dict.fromkeys((*sea.steps_toward(hex, goal), *nearer_hexes))
    return next((step for step in candidates if course.is_legal(step)), "")


def can_reach(state: State, mission: str, hex: str) -> bool:
    """Return whether a mission may fly to a hex, in steps that are legal as things stand (4.22, 4.36)."""
    order = CourseOrder(mission=mission, target=hex, least=0, light=_DAY, units=())
    while (mission_hex := state.missions[mission].hex) != hex:
        step = _legal_step(state, order, hex)
        if not step or sea_map(state).distance(step, hex) >= sea_map(state).distance(
            mission_hex, hex
        ):
            return False
        moved_state = replace(state.missions[mission], hex=step, moved=0, is_fresh=False, toward=())
        state = replace(state, missions={**state.missions, mission: moved_state})
    return True


# -- where a mission is


def _own_orders(state: State, role: str, orders: tuple[CourseOrder, ...]) -> Iterator[CourseOrder]:
    """Yield the orders for missions on the map that the seat commands."""
    for order in orders:
        if is_in_play(state, order):
            mission = state.missions[order.mission]
            if mission.commander == role and not mission.cap:
                yield order


def _is_over_target(state: State, order: CourseOrder) -> bool:
    mission = state.missions[order.mission]
    return has_attack_left(state, order) and mission.hex == target_hex(state, order.target)


def _is_home(state: State, order: CourseOrder) -> bool:
    """Return whether a mission on its way home is over a carrier."""
    mission = state.missions[order.mission]
    is_back = not (is_outbound(state, order) or is_turning(state, order) or mission.is_fresh)
    return is_back and bool(carriers_in(state, mission.hex))


def lands_in_scenario(state: State) -> bool:
    """Return whether missions land on carriers in this scenario. In Scenario 2, they only attack."""
    return "operations" in scenario_rules(state).segments
