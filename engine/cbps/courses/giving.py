"""Gives course orders: lists a mission's possible orders, reads their short form, and describes their risks."""

from typing import Final

from msgspec.structs import replace

from engine.cbps.air.ch04_courses import GUAM_TARGET, strike_radius
from engine.cbps.air.ch04_fuel import LAST_BOX, is_fighter, mission_units
from engine.cbps.courses.cap import cap_units, ready_fighters, turn_named
from engine.cbps.courses.flight import can_reach, flight_stop, lands_in_scenario
from engine.cbps.courses.forecast import CourseForecast, CoursePhase, course_forecast, target_hex
from engine.cbps.courses.order import (
    CAP_PREFIX,
    COURSE_HELP,
    FLEET,
    HOME,
    SAFE_FUEL,
    STAY_SUBJECTS,
    AnyOrder,
    CapOrder,
    CourseOrder,
    SearchOrder,
    StayOrder,
    is_course,
    is_in_play,
    is_outbound,
    parse_any,
    parse_order,
    search_of,
)
from engine.cbps.decks.ch06_decks import closed_deck_refusals
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.locations import all_carriers, carriers_in_group, sea_map, ship_hex, units_at
from engine.cbps.planner.moments import Moment
from engine.cbps.planner.strikes import targets_by_distance
from engine.cbps.prose.names import display_name
from engine.cbps.rulings import LONG_SEARCHES, is_on
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_search import UNITS_PER_SEARCH
from engine.cbps.search_area import BEARINGS
from engine.cbps.seats import commands_carrier
from engine.cbps.state import State
from engine.kernel.chances import percent
from engine.kernel.errors import IllegalCommandError, NotationError
from engine.kernel.ids import Refusal, Rule

_FAST_WORD: Final = "fast"
_ALWAYS_SLOW: Final = 99
_SHORT_WORDS: Final = 3
_SEARCH_FORMS: Final = (2, 3, 4)
_CAP_FORM: Final = 4
_STAY_FORM: Final = 4


def orders_to(state: State, mission: str, target: str = "") -> tuple[CourseOrder, ...]:
    """Return the orders that send a mission to a target or hex and home, or only home. The first order saves fuel.

    The second order is faster and risks more fuel. It is left out if the flight would be the same. The result is empty
    if the mission would be lost or could not return before the scenario ends.
    """
    mission_state = state.missions[mission]
    if mission_state.cap or not lands_in_scenario(state):
        return ()
    draft = CourseOrder(
        mission=mission,
        target=target,
        least=_ALWAYS_SLOW,
        light="night",
        units=mission_units(state, mission),
    )
    if target and not is_outbound(state, draft):
        return ()
    if draft.turning_hex and not can_reach(state, mission, target):
        return ()
    slow_forecast = course_forecast(state, draft)
    if slow_forecast is None:
        return ()
    saving_order = replace(draft, least=min(SAFE_FUEL, max(slow_forecast.worst, 1 - LAST_BOX)))
    fast_order = replace(draft, least=1 - LAST_BOX)
    orders: list[CourseOrder] = []
    for order in (saving_order, fast_order):
        forecast = course_forecast(state, order)
        if forecast is None or forecast.is_late or forecast.worst <= -LAST_BOX:
            continue
        # The order accepts exactly the risks in this forecast. It stops if the forecast becomes
        # worse.
        completed_order = replace(order, least=min(SAFE_FUEL, forecast.worst), light=forecast.light)
        if completed_order not in orders and not flight_stop(state, completed_order):
            orders.append(completed_order)
    return tuple(orders)


def order_targets(state: State, mission: str) -> tuple[str, ...]:
    """Return the counters of a strike's possible targets, nearest to the carriers first. Empty if it cannot attack."""
    mission_state = state.missions[mission]
    if mission_state.kind != "strike" or mission_state.is_flipped:
        return ()
    return tuple(
        counter_of(state, target) for target in targets_by_distance(state) if target != GUAM_TARGET
    )


def read_any(state: State, role: str, text: str) -> AnyOrder:
    """Parse an order of any kind that is given in its short form or in full.

    Raises:
        NotationError: The text is not an order.
        IllegalCommandError: The mission, the units or the group cannot carry out the order.
    """
    full_order = parse_any(text)
    words = text.lower().split()
    if isinstance(full_order, SearchOrder) or words[:1] == ["search"]:
        order = (
            full_order
            if isinstance(full_order, SearchOrder)
            else _short_search(state, role, text, words)
        )
        return _checked_search(state, role, text, order)
    if isinstance(full_order, CapOrder) or words[:1] == ["cap"]:
        cap_order = (
            full_order if isinstance(full_order, CapOrder) else _short_cap(state, role, text, words)
        )
        return _checked_cap(state, role, text, cap_order)
    if isinstance(full_order, StayOrder) or words[1:2] == ["stay"]:
        stay_order = (
            full_order if isinstance(full_order, StayOrder) else _short_stay(state, text, words)
        )
        return _checked_stay(state, text, stay_order)
    return read_order(state, role, text)


def search_candidates(state: State, role: str, hex: str = "") -> tuple[str, ...]:
    """Return the ready units that a seat could send on a search, fighters last (8.211).

    If a hex is given, only units there are returned.
    """
    units: list[str] = []
    for carrier in all_carriers(state.game_data):
        ship = state.ships.get(carrier)
        if ship is None or not ship.group or not commands_carrier(state, role, carrier):
            continue
        is_open = next(closed_deck_refusals(state, carrier), None) is None
        if is_open and (not hex or ship_hex(state, carrier) == hex):
            units += units_at(state, "ready", carrier)
    return tuple(sorted(units, key=lambda unit: is_fighter(state, unit)))


def _short_search(state: State, role: str, text: str, words: list[str]) -> SearchOrder:
    if len(words) not in _SEARCH_FORMS:
        raise NotationError(text, f"write {COURSE_HELP}")
    course, units = words[1], tuple(words[2:]) or search_candidates(state, role)[:1]
    if not units:
        raise _refused(text, "8.27", "no unit is ready on a flight deck")
    order = parse_any(f"{units[0]} search {course} units {','.join(units)}")
    if not isinstance(order, SearchOrder):
        raise NotationError(text, f"write {COURSE_HELP}")
    return order


def _checked_search(state: State, role: str, text: str, order: SearchOrder) -> SearchOrder:
    rules = scenario_rules(state)
    if "search" not in rules.segments:
        raise _refused(text, "8.2", "this scenario has no searches")
    if len(order.units) > UNITS_PER_SEARCH:
        raise _refused(text, "8.27", "a search can have at most two units")
    name, search = search_of(state, order)
    if search is not None:
        if search.commander != role:
            raise _refused(text, "6.1", f"{display_name(name)} is under another commander")
        return order
    for unit in order.units:
        if unit not in state.units or state.units[unit].place != "ready":
            raise _refused(text, "6.24", f"{display_name(unit)} is not ready on a flight deck")
        if not commands_carrier(state, role, state.units[unit].at):
            raise _refused(text, "6.1", f"{display_name(unit)} is under another commander")
    if order.kind == "long":
        if not is_on(state, LONG_SEARCHES):
            raise _refused(text, "18.2", "extended range is not in use")
        if not all(is_fighter(state, unit) for unit in order.units):
            raise _refused(text, "18.21", "only fighters search to 12 hexes")
    homes = {ship_hex(state, state.units[unit].at) for unit in order.units}
    if len(homes) > 1:
        raise _refused(text, "8.27", "both units of a search must come from carriers in one hex")
    if not is_course(state, order.units[0], order):
        bearings = ", ".join(map(str, BEARINGS))
        reason = f"the bearings are {bearings}; a narrow search names a hex 14 hexes away"
        raise _refused(text, "8.25", reason)
    return order


def _short_cap(state: State, role: str, text: str, words: list[str]) -> CapOrder:
    if len(words) != _CAP_FORM or words[2] != "until":
        raise NotationError(text, f"write {COURSE_HELP}")
    group = words[1].removeprefix(CAP_PREFIX)
    end_text = turn_named(state, words[3])
    if end_text is None:
        raise _refused(text, "3.1", f"{words[3]} is not a later turn of this scenario")
    return cap_order(state, role, group, end_text)


def _short_stay(state: State, text: str, words: list[str]) -> StayOrder:
    if len(words) != _STAY_FORM or words[0] not in STAY_SUBJECTS or words[2] != "until":
        raise NotationError(text, f"write {COURSE_HELP}")
    end_text = turn_named(state, words[3])
    if end_text is None:
        raise _refused(text, "3.1", f"{words[3]} is not a later turn of this scenario")
    return StayOrder(subject=words[0], until=end_text)


def _checked_stay(state: State, text: str, order: StayOrder) -> StayOrder:
    if order.subject not in stay_subjects(state):
        subject = "US Move" if order.subject == FLEET else "submarines"
        raise _refused(text, "7.2", f"this scenario has no {subject}")
    if order.until <= state.turn:
        raise _refused(text, "3.1", "that turn has already begun")
    return order


def stay_subjects(state: State) -> tuple[str, ...]:
    """Return the subjects that can be ordered to stay in this scenario (6.31, 14.12)."""
    are_present = (
        scenario_rules(state).has_us_move,
        any(boat.hex for boat in state.boats.values()),
    )
    return tuple(
        subject for subject, is_here in zip(STAY_SUBJECTS, are_present, strict=True) if is_here
    )


def cap_order(state: State, role: str, group: str, end_turn: int) -> CapOrder:
    """Return the order that keeps a group's CAP in the air, with as many units as it has or can launch now."""
    size = 0
    if group in state.groups:
        size = len(cap_units(state, group)) + len(ready_fighters(state, role, group))
    return CapOrder(group=group, until=end_turn, size=size)


def _checked_cap(state: State, role: str, text: str, order: CapOrder) -> CapOrder:
    group = order.group
    if not scenario_rules(state).has_intercepts:
        raise _refused(text, "4.11", "this scenario has no CAP")
    if group not in state.groups or not carriers_in_group(state, group):
        raise _refused(text, "4.33", f"{display_name(group)} is not a task group with a carrier")
    if state.groups[group].commander != role:
        raise _refused(text, "6.1", f"{display_name(group)} is under another commander")
    if order.until <= state.turn and not cap_units(state, group):
        raise _refused(text, "3.1", "that time has passed")
    if not order.size:
        reason = f"{display_name(group)} has no CAP, and no fighter that can take off now"
        raise _refused(text, "4.33", reason)
    return order


def read_order(state: State, role: str, text: str) -> CourseOrder:
    """Parse an order for a mission that is given in its short form or in full.

    Raises:
        NotationError: The text is not an order.
        IllegalCommandError: The mission cannot carry out the order.
    """
    words = text.split()
    full_order = parse_order(text)
    is_fast = full_order is None and words[-1:] == [_FAST_WORD]
    if is_fast:
        words = words[:-1]
    if full_order is None and (len(words) != _SHORT_WORDS or words[1] != "to"):
        raise NotationError(text, f"write {COURSE_HELP}")
    name, target = (
        (full_order.mission, full_order.target or HOME)
        if full_order
        else (words[0].lower(), words[2])
    )
    mission = state.missions.get(name)
    if mission is None or mission.commander != role:
        raise _refused(text, "6.1", f"{display_name(name)} is not one of your missions in the air")
    goal = "" if target.lower() == HOME else _target_named(state, target)
    if full_order is not None:
        if reason := flight_stop(state, full_order):
            raise _refused(text, "4.4", reason)
        return full_order
    orders = orders_to(state, name, goal)
    if not orders:
        place = display_name(goal) if goal else "its carriers"
        if goal in sea_map(state) and not can_reach(state, name, goal):
            reason = f"{display_name(name)} may not fly to {goal}: {_way_refusal(state, name)}"
            raise _refused(text, "4.36" if mission.kind == "intercept" else "4.22", reason)
        reason = f"{display_name(name)} cannot fly to {place} and be home with fuel and in time"
        raise _refused(text, "4.45", reason)
    return orders[-1 if is_fast else 0]


def _way_refusal(state: State, mission: str) -> str:
    """Return the rule that keeps a mission out of some hexes, as the reason for a refusal (4.22, 4.36)."""
    if state.missions[mission].kind == "intercept":
        return "interceptors cannot enter a hex with Japanese ships"
    radius = strike_radius(state)
    return f"it stays within {radius} hexes of its groups or approaches a detected force"


def _target_named(state: State, word: str) -> str:
    """Return the hex, or the counter or name of the detected target, that a word names, ignoring case."""
    if word in sea_map(state):
        return word
    for name in (word, word.upper(), word.lower()):
        if target_hex(state, name) and force_with_counter(state, name) != GUAM_TARGET:
            return name
    raise _refused(word, "4.22", f"{word} is not a detected force, a lone crippled ship or a hex")


def _refused(line: str, rule: str, reason: str) -> IllegalCommandError:
    return IllegalCommandError(line, (Refusal(Rule(rule), reason),))


# -- words


def order_title(order: CourseOrder) -> str:
    """Return an order's name, such as ``Strike 5: to Force A and home``."""
    goal = f"to {display_name(order.target)} and home" if order.target else "home"
    return f"{display_name(order.mission)}: {goal}"


def moment_words(moment: Moment | None) -> str:
    """Return a phase in the form ``1730/2``, with the turn and the number of the phase."""
    return "after the end" if moment is None else f"{moment.time}/{moment.phase}"


def target_phase(forecast: CourseForecast) -> CoursePhase | None:
    """Return the phase in which the mission attacks or turns home, or None if it is on the way home."""
    return next((phase for phase in forecast.phases if phase.act in ("attack", "turn")), None)


def forecast_words(forecast: CourseForecast) -> str:
    """Describe a course on one line: its times, the fuel on landing, and the losses."""
    reached_phase = target_phase(forecast)
    parts = []
    if reached_phase is not None:
        parts.append(
            f"{'attack' if reached_phase.act == 'attack' else 'there'} {moment_words(reached_phase.moment)}"
        )
    parts.append(f"home by {moment_words(forecast.latest)}")
    if forecast.light != "day":
        parts[-1] += f", {forecast.light}"
    fuel = (
        str(forecast.best)
        if forecast.best == forecast.worst
        else f"{forecast.worst} to {forecast.best}"
    )
    parts.append(f"fuel {forecast.fuel}, lands with {fuel}")
    if forecast.landing.lost:
        parts.append(f"{percent(forecast.landing.lost)}% lost on the way home")
    return ", ".join(parts)


def order_words(state: State, order: CourseOrder) -> str:
    """Describe an order and its forecast on one line."""
    title = order_title(order)
    if not is_in_play(state, order):
        return title
    forecast = course_forecast(state, order)
    return title if forecast is None else f"{title}: {forecast_words(forecast)}"


def risk_question(state: State, order: CourseOrder) -> str:
    """Return the question to ask before giving an order that may lose units. Empty if no units are at risk."""
    forecast = course_forecast(state, order)
    if forecast is None or not forecast.landing.lost:
        return ""
    risk_texts = []
    if forecast.landing.critical:
        risk_texts.append(f"land Fuel Critical ({percent(forecast.landing.critical)}%)")
    if forecast.light != "day":
        risk_texts.append(f"land at {forecast.light}")
    reasons = " and ".join(risk_texts) or "run out of fuel"
    lit_loss = forecast.landing.lost_lit
    lights = f" ({percent(lit_loss)}% with lights on)" if lit_loss != forecast.landing.lost else ""
    return (
        f"{display_name(order.mission)} may {reasons}: {percent(forecast.landing.lost)}% of its units"
        f" are lost on the way home{lights}. Give the order?"
    )
