"""Course orders on the screen: the orders that can be given, their phases as a table, and their marks on the map."""

from collections.abc import Iterator, Sequence

from engine.cbps.courses.forecast import (
    CourseForecast,
    CoursePhase,
    course_forecast,
    straight_course,
)
from engine.cbps.courses.giving import (
    forecast_words,
    moment_words,
    order_targets,
    order_title,
    orders_to,
)
from engine.cbps.courses.order import CourseOrder, is_in_play, parse_orders
from engine.cbps.planner.contact import target_hex
from engine.cbps.prose.names import display_name
from engine.kernel.chances import percent
from engine.kernel.sentences import pluralise
from tui.cbps.index import Index
from tui.cbps.map.scene import CourseMarks
from tui.drawing.colour_roles import TextRole
from tui.maps.enums import Owner
from tui.maps.hexmap.elements import Emphasis, MapCounter, Track
from tui.panels.status_segments import Row

_MAX_TARGETS = 3
"""Number of targets listed for each mission, besides the one under the cursor."""
_MOMENT_CELLS = 7
_ACT_CELLS = 24


# -- giving orders


def course_entries(
    index: Index, place: str, mission: str, courses: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the orders that the player can give or cancel now, each as a line for `Session.give_course` and a text.

    Args:
        index: Lookups in the view.
        place: Hex under the cursor. Targets and missions in this hex come first.
        mission: The mission that the highlighted line is about; empty for none.
        courses: The orders in force.
    """
    given = {order.mission: order for order in parse_orders(tuple(courses))}
    missions = [
        name
        for name, flight in index.view.missions.items()
        if not flight.cap and flight.commander == index.view.role and index.mission_units(name)
    ]
    missions.sort(key=lambda name: _mission_rank(index, name, place, mission, given))
    entries: list[tuple[str, str]] = []
    for name in missions:
        entries += [
            (order.text, _entry_text(index, order, is_faster=bool(number)))
            for orders in _orders(index, name, place)
            for number, order in enumerate(orders)
            if order != given.get(name)
        ]
        if name in given:
            text = f"{display_name(name)}: cancel its order ({order_title(given[name]).partition(': ')[2]})"
            entries.append((f"cancel {name}", text))
    return entries


def _mission_rank(
    index: Index, name: str, place: str, mission: str, given: dict[str, CourseOrder]
) -> tuple[bool, ...]:
    flight = index.view.missions[name]
    return (name != mission, name in given, not flight.is_fresh, flight.hex != place)


def _orders(index: Index, mission: str, place: str) -> Iterator[tuple[CourseOrder, ...]]:
    """Yield the orders to fly to each target, and home. For each, the order that saves fuel comes first."""
    targets = order_targets(index.table, mission)
    here = [target for target in targets if target_hex(index.table, target) == place]
    for target in (*dict.fromkeys((*here, *targets[:_MAX_TARGETS])), ""):
        yield orders_to(index.table, mission, target)


def _entry_text(index: Index, order: CourseOrder, *, is_faster: bool) -> str:
    forecast = course_forecast(index.table, order)
    assert forecast is not None, "orders_to leaves out orders without a forecast"
    speed = ", faster" if is_faster else ""
    return f"{order_title(order)}{speed}\n    {forecast_words(forecast)}"


# -- the table of phases


def course_rows(index: Index, courses: Sequence[str]) -> tuple[Row, ...]:
    """Return each order as lines: the time, move, fuel and light of each phase, then the expected result."""
    return tuple(
        row
        for order in parse_orders(tuple(courses))
        if is_in_play(index.table, order)
        for row in _order_rows(index, order)
    )


def _order_rows(index: Index, order: CourseOrder) -> Iterator[Row]:
    yield (order_title(order), TextRole.HEAD)
    forecast = course_forecast(index.table, order)
    if forecast is None:
        yield ("  waits for you: its target or the last carrier is gone", TextRole.WARN)
        return
    for number, phase in enumerate(forecast.phases, 1):
        yield _phase_row(number, phase)
    yield from _summary_rows(forecast)


def _phase_row(number: int, phase: CoursePhase) -> Row:
    fuel = str(phase.most) if phase.least == phase.most else f"{phase.least} to {phase.most}"
    light = "" if phase.moment is None else phase.moment.light
    tone = TextRole.PLAIN
    if light != "day" or phase.least <= 0:
        tone = TextRole.WARN
    elif phase.act == "attack":
        tone = TextRole.GOOD
    moment = moment_words(phase.moment)
    text = (
        f"{number:3} {moment:{_MOMENT_CELLS}}{_act_words(phase):{_ACT_CELLS}}fuel {fuel}, {light}"
    )
    return (text.rstrip(", "), tone)


def _act_words(phase: CoursePhase) -> str:
    hexes = pluralise(phase.hexes, "hex", "hexes") if phase.hexes else ""
    match phase.act:
        case "launch" | "fly":
            return f"{hexes} to {phase.hex}"
        case "attack":
            return f"{hexes or 'stays'}, attacks {phase.hex}"
        case "land":
            return f"{hexes + ', ' if hexes else ''}lands in {phase.hex}"
        case "wait":
            return f"waits in {phase.hex}"


def _summary_rows(forecast: CourseForecast) -> Iterator[Row]:
    loss = forecast.landing.lost
    if loss:
        lit = forecast.landing.lost_lit
        lights = f", {percent(lit)}% with lights on" if lit != loss else ""
        yield (f"    Lost on the way home: {percent(loss)}%{lights}", TextRole.WARN)
    else:
        yield (f"    Lands with fuel {forecast.worst} or more", TextRole.GOOD)


# -- the map


def course_marks(index: Index, courses: Sequence[str]) -> CourseMarks:
    """Return the map marks of all missions under orders: their flight paths, and where each phase ends."""
    tracks: list[Track] = []
    counters: dict[str, list[MapCounter]] = {}
    for order, forecast in _forecasts(index, courses):
        tracks += _tracks(index, index.view.missions[order.mission].hex, forecast)
        for number, phase in enumerate(forecast.phases, 1):
            counters.setdefault(phase.hex, []).append(_phase_counter(number, phase))
    return CourseMarks(
        tracks=tuple(tracks), counters={hex: tuple(marks) for hex, marks in counters.items()}
    )


def _tracks(index: Index, start: str, forecast: CourseForecast) -> Iterator[Track]:
    goal = forecast.target_hex
    out = straight_course(index.table, start, goal) if goal else (start,)
    back = straight_course(index.table, out[-1], forecast.home)
    for hexes, mark, name in ((out, "*", "course out"), (back, ".", "course home")):
        if len(hexes) > 1:
            yield Track(hexes=hexes, mark=mark, tone=TextRole.PATH, name=name)


def _phase_counter(number: int, phase: CoursePhase) -> MapCounter:
    is_dark = phase.moment is None or phase.moment.light != "day"
    return MapCounter(
        text=str(number),
        long=f"{number} {moment_words(phase.moment)}",
        owner=Owner.ONE,
        emphasis=Emphasis.ALERT if is_dark or phase.least <= 0 else Emphasis.QUIET,
        note_below="" if phase.moment is None else phase.moment.time,
    )


def _forecasts(
    index: Index, courses: Sequence[str]
) -> Iterator[tuple[CourseOrder, CourseForecast]]:
    for order in parse_orders(tuple(courses)):
        if is_in_play(index.table, order):
            forecast = course_forecast(index.table, order)
            if forecast is not None:
                yield order, forecast
