"""Shows course orders: the orders available, a table of their phases, and their markers on the map."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from engine.cbps.courses import orders as course_orders
from engine.cbps.courses.cap import cap_title, cap_units, until_choices, until_words
from engine.cbps.courses.forecast import (
    CourseForecast,
    CoursePhase,
    course_forecast,
    goal_hex,
    straight_course,
)
from engine.cbps.courses.giving import (
    cap_order,
    forecast_words,
    moment_words,
    order_targets,
    order_title,
    orders_to,
    search_candidates,
    stay_subjects,
)
from engine.cbps.courses.order import (
    AnyOrder,
    CapOrder,
    CourseOrder,
    SearchOrder,
    StayOrder,
    is_in_play,
    is_live,
    parse_all,
    parse_order,
    parse_orders,
    search_of,
)
from engine.cbps.courses.searches import order_plan, search_title, search_words
from engine.cbps.frames import BoatsFrame, SailFrame, SearchChoiceFrame, SearchLaunchFrame
from engine.cbps.locations import carrier_groups, ship_hex
from engine.cbps.planner.contact import target_hex
from engine.cbps.planner.moments import PHASES
from engine.cbps.planner.searches import search_units
from engine.cbps.prose.names import display_name
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_courses import RADIUS_HEXES, STANDARD
from engine.cbps.search.ch08_search import UNITS_PER_SEARCH
from engine.cbps.search_area import BEARINGS, narrow_radii, radius_hex
from engine.cbps.seats import commands_group
from engine.kernel.chances import percent
from engine.kernel.sentences import pluralise
from tui.cbps.index import Index
from tui.cbps.map.scene import CourseMarks
from tui.cbps.panels.course_timetable import (
    condition_rows,
    search_timetable_rows,
    stop_reason,
    timetable_rows,
)
from tui.drawing.colour_roles import TextRole
from tui.maps.enums import Owner
from tui.maps.hexmap.elements import Emphasis, MapCounter, Track
from tui.panels.status_segments import Row
from tui.presenter.presenter import ORDER_SEPARATOR

_MAX_TARGETS = 3
"""Number of targets listed for each mission, in addition to targets in the hex under the cursor."""
_PAIRS_LISTED: Final = 3
"""Number of bearings, nearest to the cursor first, for which a search with two units is listed as well."""
_FIRST_SEARCHES: Final = 3
"""Number of searches listed before the CAP of groups other than the one under the cursor."""
_SEARCHES_TOWARD: Final = 2
"""Number of searches listed for a hex that the player types: the nearest course with one unit and with two."""
_MOMENT_CELLS = 7
_ACT_CELLS = 24


# -- giving orders


def course_entries(
    index: Index, place: str, mission: str, courses: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the orders that the player can give or cancel now, as pairs of order and label.

    Args:
        index: Index of the player's view.
        place: Hex under the cursor. Targets and missions in this hex come first.
        mission: The mission of the highlighted line; empty if it has none.
        courses: The orders in force.
    """
    all_orders = parse_all(tuple(courses))
    missions = _mission_entries(index, place, mission, courses)
    caps = _cap_entries(index, place, all_orders)
    searches = _search_entries(index, place, all_orders)
    stays = _stay_entries(index, all_orders)
    frame = index.view.frames[-1] if index.view.frames else None
    if isinstance(frame, SearchChoiceFrame | SearchLaunchFrame):
        return [*searches, *missions, *caps, *stays]
    if isinstance(frame, SailFrame | BoatsFrame):
        return [*stays, *missions, *caps, *searches]
    # The list is long, so each kind of order appears near its top.
    first_word = caps[0][0].removeprefix("cancel ").partition(" ")[0] if caps else ""
    similar_entries = [entry for entry in caps if first_word in entry[0].split()]
    other_entries = [entry for entry in caps if entry not in similar_entries]
    first_searches, other_searches = searches[:_FIRST_SEARCHES], searches[_FIRST_SEARCHES:]
    return [*missions, *similar_entries, *first_searches, *other_entries, *other_searches, *stays]


def numbered_entries(
    index: Index, number: str, mission: str, courses: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the orders for a typed hex or bearing: missions to the hex and home, and searches toward it.

    Args:
        index: Index of the player's view.
        number: The typed hex or bearing.
        mission: The mission of the highlighted line; empty if it has none.
        courses: The orders in force.
    """
    searches = _search_entries(index, number, parse_all(tuple(courses)))
    if number not in index.game_data.map.hexes:
        return [entry for entry in searches if entry[0].split()[1:3] == ["search", number]]
    missions = [
        entry
        for entry in _mission_entries(index, number, mission, courses)
        if (order := parse_order(entry[0])) is not None and goal_hex(index.table, order) == number
    ]
    outbound = [entry for entry in searches if entry[0].split()[1:2] == ["search"]]
    return [*missions, *outbound[:_SEARCHES_TOWARD]]


def _mission_entries(
    index: Index, place: str, mission: str, courses: Sequence[str]
) -> list[tuple[str, str]]:
    mission_orders = {order.mission: order for order in parse_orders(tuple(courses))}
    missions = [
        name
        for name, flight in index.view.missions.items()
        if not flight.cap and flight.commander == index.view.role and index.mission_units(name)
    ]
    missions.sort(key=lambda name: _mission_rank(index, name, place, mission, mission_orders))
    entries: list[tuple[str, str]] = []
    for name in missions:
        entries += [
            (order.text, _entry_text(index, order, is_faster=bool(number)))
            for orders in _orders(index, name, place)
            for number, order in enumerate(orders)
            if order != mission_orders.get(name)
        ]
        if name in mission_orders:
            text = f"{display_name(name)}: cancel its order ({order_title(mission_orders[name]).partition(': ')[2]})"
            entries.append((f"cancel {name}", text))
    return entries


def _cap_entries(index: Index, place: str, all_orders: Sequence[AnyOrder]) -> list[tuple[str, str]]:
    """Return the CAP orders for all groups with fighters available, then for each, the group under the cursor first."""
    table, role = index.table, index.view.role
    cap_orders = {order.group: order for order in all_orders if isinstance(order, CapOrder)}
    if not scenario_rules(table).has_intercepts:
        return []
    entries: list[tuple[str, str]] = []
    groups = [name for name in carrier_groups(table) if commands_group(table, role, name)]
    offered = {
        group: [
            order
            for end_turn in until_choices(table)
            if (order := cap_order(table, role, group, end_turn)).size
            and order != cap_orders.get(group)
        ]
        for group in sorted(groups, key=lambda name: table.groups[name].hex != place)
    }
    for end_turn in until_choices(table):
        same_time = [
            order for orders in offered.values() for order in orders if order.until == end_turn
        ]
        if len(same_time) > 1:
            lines = ORDER_SEPARATOR.join(order.text for order in same_time)
            entries.append((lines, _cap_text(index, same_time)))
    for group, orders in offered.items():
        entries += [(order.text, _cap_text(index, [order])) for order in orders]
        if group in cap_orders:
            entries.append(_cancel_entry(index, cap_orders[group]))
    return entries


def _stay_entries(index: Index, all_orders: Sequence[AnyOrder]) -> list[tuple[str, str]]:
    """Return the orders to stay, those that answer the open decision first."""
    table = index.table
    stay_orders = {order.subject: order for order in all_orders if isinstance(order, StayOrder)}
    entries: list[tuple[str, str]] = []
    asks_boats = bool(table.frames) and isinstance(table.frames[-1], BoatsFrame)
    for subject in sorted(stay_subjects(table), reverse=not asks_boats):
        orders = [StayOrder(subject=subject, until=end_turn) for end_turn in until_choices(table)]
        entries += [
            (order.text, course_orders.title(order, table))
            for order in orders
            if order != stay_orders.get(subject)
        ]
        if subject in stay_orders:
            entries.append(_cancel_entry(index, stay_orders[subject]))
    return entries


def _cap_text(index: Index, orders: Sequence[CapOrder]) -> str:
    """Describe a CAP order, or the same order for several groups."""
    flying = sum(len(cap_units(index.table, order.group)) for order in orders)
    launched = sum(order.size for order in orders) - flying
    is_single = len(orders) == 1
    parts = [f"{flying} in the {'box' if is_single else 'boxes'}"] if flying else []
    parts += [f"launches {launched} now"] if launched else []
    title = cap_title(orders[0], index.table)
    if not is_single:
        title = f"CAP over {len(orders)} groups until {until_words(index.table, orders[0].until)}"
    return f"{title}\n    {', '.join(parts)}; ready fighters replace losses"


def _search_entries(
    index: Index, place: str, all_orders: Sequence[AnyOrder]
) -> list[tuple[str, str]]:
    """Return the searches that ready units can fly, and the orders that can be cancelled.

    The bearing toward `place`, a hex or a bearing, comes first. If `place` is the carriers' own hex, the bearing
    expected to find the most forces comes first, then the bearing that points to the nearest force.
    """
    table, role = index.table, index.view.role
    search_orders = [order for order in all_orders if isinstance(order, SearchOrder)]
    entries = [_cancel_entry(index, order) for order in search_orders if is_live(table, order)]
    # In scenarios without a Search Segment, no search can be ordered.
    if "search" not in scenario_rules(table).segments:
        return entries
    for name, search in table.searches.items():
        units = search_units(index.table, name)
        if search.commander == role and not any(
            search_of(table, order)[0] == name for order in search_orders
        ):
            course = search.radius if search.kind == "narrow" else f"{search.bearing}"
            order = SearchOrder(course=course + "-long" * (search.kind == "long"), units=units)
            entries.append((order.text, f"{search_words(table, order)}: fly on to the landing"))
    engaged = {unit for order in search_orders for unit in order.units}
    units = tuple(unit for unit in search_candidates(table, role) if unit not in engaged)
    if not units:
        return entries
    homes = {unit: ship_hex(table, table.units[unit].at) for unit in units}
    home = place if place in homes.values() else homes[units[0]]
    units = tuple(unit for unit in units if homes[unit] == home)
    orders = [
        SearchOrder(course=course, units=units[:1]) for course in _courses(index, home, place)
    ]
    if place == home:
        orders.sort(
            key=lambda order: (-_found_chance(index, order), _distance_to_force(index, home, order))
        )
    for number, order in enumerate(orders):
        entries.append((order.text, _search_text(index, order)))
        if number < _PAIRS_LISTED and len(units) >= UNITS_PER_SEARCH:
            pair = SearchOrder(course=order.course, units=units[:UNITS_PER_SEARCH])
            entries.append((pair.text, _search_text(index, pair)))
    return entries


def _courses(index: Index, home: str, place: str) -> Iterator[str]:
    """Yield the courses on which a search can be flown from a hex, nearest to the cursor first."""
    grid = index.table.game_data.map.grid
    edges = {
        bearing: radius_hex(grid, home, bearing, RADIUS_HEXES[STANDARD]) for bearing in BEARINGS
    }
    bearings = [bearing for bearing in BEARINGS if edges[bearing] != home]
    if place not in index.table.game_data.map.hexes:
        bearings.sort(key=lambda bearing: str(bearing) != place)
    elif place != home:
        bearings.sort(key=lambda bearing: grid.distance(edges[bearing], place))
        if place in narrow_radii(grid, home):
            yield place
    yield from map(str, bearings)


def _found_chance(index: Index, order: SearchOrder) -> Fraction:
    """Return how many forces a search is expected to find (8.34)."""
    plan = order_plan(index.table, order)
    return Fraction(sum(sighting.found for sighting in plan.sightings) if plan else 0)


def _distance_to_force(index: Index, home: str, order: SearchOrder) -> int:
    """Return the distance from the end of a search's bearing to the nearest force, or 0 if there are no forces."""
    grid = index.table.game_data.map.grid
    edge = radius_hex(grid, home, order.bearing, RADIUS_HEXES[STANDARD])
    return min((grid.distance(edge, force.hex) for force in index.view.forces.values()), default=0)


def _search_text(index: Index, order: SearchOrder) -> str:
    plan = order_plan(index.table, order)
    assert plan is not None, "only units and bearings that can be flown are listed"
    met_forces = ", ".join(
        f"{display_name(sighting.force)} {percent(sighting.found)}%" for sighting in plan.sightings
    )
    search_text = search_words(index.table, order).removeprefix(f"{search_title(order)}: ")
    found_text = f"finds {met_forces}" if met_forces else "no force in its sector now"
    return f"{search_title(order)}\n    {search_text}; {found_text}"


def _cancel_entry(index: Index, order: CapOrder | SearchOrder | StayOrder) -> tuple[str, str]:
    subject = order.text.partition(" ")[0]
    return (f"cancel {subject}", f"Cancel: {course_orders.title(order, index.table)}")


def _mission_rank(
    index: Index, name: str, place: str, mission: str, given_orders: dict[str, CourseOrder]
) -> tuple[bool, ...]:
    flight = index.view.missions[name]
    return (name != mission, name in given_orders, not flight.is_fresh, flight.hex != place)


def _orders(index: Index, mission: str, place: str) -> Iterator[tuple[CourseOrder, ...]]:
    """Yield the possible orders for each target, then for the flight home. Orders that save fuel come first."""
    targets = order_targets(index.table, mission)
    targets_here = [target for target in targets if target_hex(index.table, target) == place]
    # The hex under the cursor is listed after the targets, because the cursor may be there for
    # another reason.
    hexes = [] if targets_here or place == index.view.missions[mission].hex else [place]
    for target in (*dict.fromkeys((*targets_here, *targets[:_MAX_TARGETS], *hexes)), ""):
        yield orders_to(index.table, mission, target)


def _entry_text(index: Index, order: CourseOrder, *, is_faster: bool) -> str:
    forecast = course_forecast(index.table, order)
    assert forecast is not None, "orders_to leaves out orders without a forecast"
    speed = ", faster" if is_faster else ""
    return f"{order_title(order)}{speed}\n    {forecast_words(forecast)}"


# -- table of phases


def course_rows(index: Index, courses: Sequence[str]) -> tuple[Row, ...]:
    """Return the table of all orders: the time, move, fuel and light of each phase, then what the order waits for."""
    rows: list[Row] = []
    for order in parse_all(tuple(courses)):
        if is_live(index.table, order):
            match order:
                case CourseOrder():
                    rows += _order_rows(index, order)
                case SearchOrder():
                    rows += _search_rows(index, order)
                case CapOrder():
                    rows += _cap_rows(index, order)
                case StayOrder():
                    rows.append((course_orders.title(order, index.table), TextRole.HEAD))
    return tuple(rows)


def course_timetables(index: Index, courses: Sequence[str], width: int) -> tuple[Row, ...]:
    """Return the orders in a form that is short enough for a panel of a width in cells. Missions come first."""
    orders = [order for order in parse_all(tuple(courses)) if is_live(index.table, order)]
    rows: list[Row] = []
    for order in orders:
        if isinstance(order, CourseOrder):
            rows += timetable_rows(index, order, width)
    for order in orders:
        if isinstance(order, SearchOrder):
            rows += search_timetable_rows(index, order, width)
    for order in orders:
        if isinstance(order, CapOrder):
            rows.append(_cap_row(index, order))
    rows += [
        (course_orders.title(order, index.table), TextRole.HEAD)
        for order in orders
        if isinstance(order, StayOrder)
    ]
    return tuple(rows)


def _cap_row(index: Index, order: CapOrder) -> Row:
    """Return a CAP order with the number of its units in the box on one line."""
    flying = len(cap_units(index.table, order.group))
    is_short = flying < order.size and index.view.turn < order.until
    return (
        (cap_title(order, index.table), TextRole.HEAD),
        (
            f"  {flying} of {order.size} in the box",
            TextRole.WARN if is_short else TextRole.PLAIN,
        ),
    )


def _search_rows(index: Index, order: SearchOrder) -> Iterator[Row]:
    """Yield a search's flight as a table: the hex, searched zone and light of each Search Segment (8.271, 8.28)."""
    yield (search_title(order), TextRole.HEAD)
    plan = order_plan(index.table, order)
    for number, leg in enumerate(plan.legs if plan else (), 1):
        is_last = plan is not None and plan.is_home and number == len(plan.legs)
        place_text = (
            f"lands in {leg.hex}" if is_last else f"{'back' if leg.is_back else 'out'} to {leg.hex}"
        )
        zone_text = f"looks {leg.zone}" if leg.zone else ""
        is_dark = "day" not in leg.lights
        text = f"{number:3} {leg.time:{_MOMENT_CELLS}}{place_text:{_ACT_CELLS}}{zone_text}, {'/'.join(leg.lights)}"
        yield (text.replace(" , ", " "), TextRole.WARN if is_dark else TextRole.PLAIN)
    if plan is not None and not plan.is_home:
        yield ("    In the air when the scenario ends", TextRole.WARN)


def _cap_rows(index: Index, order: CapOrder) -> Iterator[Row]:
    """Yield lines about a CAP order: how many of its units are in the box, and when they land (4.33)."""
    yield (cap_title(order, index.table), TextRole.HEAD)
    flying = len(cap_units(index.table, order.group))
    yield (f"    {flying} of {order.size} units in the box, no fuel used", TextRole.PLAIN)
    if flying < order.size and index.view.turn < order.until:
        yield ("    a relief takes off when a fighter is ready", TextRole.WARN)
    phases = order.until * PHASES - (index.view.turn * PHASES + index.view.phase - 1)
    time_text = f"in {pluralise(phases, 'phase', 'phases')}" if phases > 0 else "now"
    yield (f"    lands from {until_words(index.table, order.until)}, {time_text}", TextRole.GOOD)


def _order_rows(index: Index, order: CourseOrder) -> Iterator[Row]:
    yield (order_title(order), TextRole.HEAD)
    if reason := stop_reason(index, order):
        yield (f"    Waits for you: {reason}", TextRole.WARN)
    forecast = course_forecast(index.table, order)
    if forecast is None:
        return
    for number, phase in enumerate(forecast.phases, 1):
        yield _phase_row(number, phase)
    yield from _summary_rows(forecast)
    yield from condition_rows(index, order, forecast)


def _phase_row(number: int, phase: CoursePhase) -> Row:
    fuel = str(phase.most) if phase.least == phase.most else f"{phase.least} to {phase.most}"
    light = "" if phase.moment is None else phase.moment.light
    tone = TextRole.PLAIN
    if light != "day" or phase.least <= 0:
        tone = TextRole.WARN
    elif phase.act in ("attack", "turn"):
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
        case "turn":
            return f"{hexes or 'stays'}, turns in {phase.hex}"
        case "land":
            return f"{hexes + ', ' if hexes else ''}lands in {phase.hex}"
        case "wait":
            return f"waits in {phase.hex}"


def _summary_rows(forecast: CourseForecast) -> Iterator[Row]:
    loss = forecast.landing.lost
    if loss:
        lit_loss = forecast.landing.lost_lit
        lights = f", {percent(lit_loss)}% with lights on" if lit_loss != loss else ""
        yield (f"    Lost on the way home: {percent(loss)}%{lights}", TextRole.WARN)
    else:
        yield (f"    Lands with fuel {forecast.worst} or more", TextRole.GOOD)


# -- the map


def course_marks(index: Index, courses: Sequence[str]) -> CourseMarks:
    """Return the map markers of all course orders: the flight paths, and the position at the end of each phase."""
    tracks: list[Track] = []
    counters: dict[str, list[MapCounter]] = {}
    for order, forecast in _forecasts(index, courses):
        tracks += _tracks(index, index.view.missions[order.mission].hex, forecast)
        for number, phase in enumerate(forecast.phases, 1):
            counters.setdefault(phase.hex, []).append(_phase_counter(number, phase))
    for other in parse_all(tuple(courses)):
        if isinstance(other, SearchOrder):
            tracks += _search_tracks(index, other, counters)
        elif isinstance(other, CapOrder) and is_live(index.table, other):
            hex = index.view.groups[other.group].hex
            counters.setdefault(hex, []).append(_cap_counter(index, other))
    return CourseMarks(
        tracks=tuple(tracks), counters={hex: tuple(marks) for hex, marks in counters.items()}
    )


def _tracks(index: Index, start_hex: str, forecast: CourseForecast) -> Iterator[Track]:
    goal = forecast.target_hex
    outward_course = straight_course(index.table, start_hex, goal) if goal else (start_hex,)
    return_course = straight_course(index.table, outward_course[-1], forecast.home)
    for hexes, mark, name in (
        (outward_course, "*", "course out"),
        (return_course, ".", "course home"),
    ):
        if len(hexes) > 1:
            yield Track(hexes=hexes, mark=mark, tone=TextRole.PATH, name=name)


def _search_tracks(
    index: Index, order: SearchOrder, counters: dict[str, list[MapCounter]]
) -> Iterator[Track]:
    """Yield a search's tracks out and back. Add a counter to `counters` at the end of each Search Segment."""
    plan = order_plan(index.table, order)
    if plan is None or not plan.legs:
        return
    search = search_of(index.table, order)[1]
    search_hex = plan.origin if search is None else search.hex
    ways: dict[bool, list[str]] = {False: [search_hex], True: []}
    for number, leg in enumerate(plan.legs, 1):
        counters.setdefault(leg.hex, []).append(
            MapCounter(
                text=str(number),
                long=f"{number} {leg.time}",
                owner=Owner.ONE,
                emphasis=Emphasis.QUIET if "day" in leg.lights else Emphasis.ALERT,
                note_below=leg.time,
            )
        )
        way = ways[leg.is_back]
        if leg.is_back and not way:
            way.append(ways[False][-1])
        for hex in straight_course(index.table, way[-1], leg.hex)[1:]:
            way.append(hex)
    for hexes, mark, name in ((ways[False], "*", "course out"), (ways[True], ".", "course home")):
        if len(hexes) > 1:
            yield Track(hexes=tuple(hexes), mark=mark, tone=TextRole.PATH, name=name)


def _cap_counter(index: Index, order: CapOrder) -> MapCounter:
    end_text = until_words(index.table, order.until)
    return MapCounter(
        text="C",
        long=f"CAP to {end_text}",
        owner=Owner.ONE,
        emphasis=Emphasis.QUIET,
        note_below=end_text,
    )


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
