"""Draws course orders of missions and searches as timetables, and lists the reasons for a mission to wait."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from engine.cbps.courses import orders as course_orders
from engine.cbps.courses.flight import flight_stop
from engine.cbps.courses.forecast import (
    CourseForecast,
    CoursePhase,
    course_forecast,
    darkest,
    goal_hex,
)
from engine.cbps.courses.giving import moment_words, order_title
from engine.cbps.courses.order import CourseOrder, SearchOrder, is_outbound
from engine.cbps.courses.searches import order_plan, search_title
from engine.cbps.force_ids import counter_of
from engine.cbps.ids import Light
from engine.cbps.planner.moments import Moment, moment_after, phases_left
from engine.cbps.prose.names import display_name
from engine.kernel.chances import percent
from engine.kernel.sentences import pluralise
from tui.cbps.index import Index
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row, Toned

_LABEL_CELLS: Final = 7
_CELLS: Final = 4
"""Width of the column for one phase."""
_WIDE_CELLS: Final = 5
"""Width of the column for one phase if all phases fit side by side. A turn's label then fits above a single phase."""
_HEX_CELLS: Final = 6
"""Width of the column for one Search Segment."""
_LEAST_COLUMNS: Final = 4
_LETTERS: Final = {"attack": "A", "turn": "T", "land": "L"}
_LIGHT_TONES: Final[dict[str, TextRole]] = {
    "day": TextRole.PLAIN,
    "dusk": TextRole.WARN,
    "night": TextRole.BAD,
}


def timetable_rows(index: Index, order: CourseOrder, width: int) -> Iterator[Row]:
    """Yield the timetable of an order: one column per phase, then the landing and the reason for a stop.

    Args:
        index: Index of the player's view.
        order: The order, whose mission is in flight.
        width: The width in cells. A longer course continues on further rows.
    """
    mission = index.view.missions[order.mission]
    yield (
        (order_title(order), TextRole.HEAD),
        (f"  now at {mission.hex}, fuel {mission.fuel}", TextRole.PLAIN),
    )
    forecast = course_forecast(index.table, order)
    if forecast is not None:
        numbered = list(enumerate(forecast.phases, 1))
        room = width - _LABEL_CELLS
        cells = _WIDE_CELLS if len(numbered) * _WIDE_CELLS <= room else _CELLS
        columns = max(room // cells, _LEAST_COLUMNS)
        for start in range(0, len(numbered), columns):
            yield from _block(numbered[start : start + columns], cells)
        yield _landing_row(forecast)
    if reason := stop_reason(index, order):
        yield (f" Waits for you: {reason}", TextRole.ALERT)


def stop_reason(index: Index, order: CourseOrder) -> str:
    """Return the reason why a mission does not follow its order now, as a sentence. Empty if it does."""
    stops = dict(course_orders.stops(index.table, index.view.role, (order,)))
    return stops.get(order) or flight_stop(index.table, order)


def _block(numbered: Sequence[tuple[int, CoursePhase]], cells: int) -> Iterator[Row]:
    """Yield the rows for some phases: turn, light (omitted by day), number on the map, and lowest fuel."""
    yield (
        _label("time"),
        *(
            (_cell(time if len(time) < columns * cells else "", columns * cells), TextRole.HEAD)
            for time, columns in _runs(_time(phase.moment) for _, phase in numbered)
        ),
    )
    lights = list(_runs(_light(phase.moment) for _, phase in numbered))
    if lights != [("day", len(numbered))]:
        yield (
            _label("light"),
            *(
                (
                    _cell(light if len(light) < columns * cells else light[:1], columns * cells),
                    _LIGHT_TONES[light],
                )
                for light, columns in lights
            ),
        )
    mark: list[Toned] = [_label("phase")]
    fuel: list[Toned] = [_label("fuel")]
    for number, phase in numbered:
        letter = _LETTERS.get(phase.act, "")
        tone = TextRole.DIM if phase.is_homeward else TextRole.PLAIN
        mark.append((_cell(f"{letter}{number}", cells), TextRole.GOOD if letter else tone))
        low_tone = TextRole.WARN if phase.least <= 0 else TextRole.PLAIN
        fuel.append((_cell(str(phase.least), cells), low_tone))
    yield tuple(mark)
    yield tuple(fuel)


def _label(text: str) -> Toned:
    return (f" {text}".ljust(_LABEL_CELLS), TextRole.DIM)


def _cell(text: str, cells: int) -> str:
    return text.ljust(cells)


def _runs(words: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each run of equal words as the word and the number of columns in the run."""
    return ((word, len(list(run))) for word, run in groupby(words))


def _time(moment: Moment | None) -> str:
    return "end" if moment is None else moment.time


def _light(moment: Moment | None) -> Light:
    return "night" if moment is None else moment.light


def _landing_row(forecast: CourseForecast) -> Row:
    """Return one line with the meanings of the letters, the landing and the losses."""
    acts = {phase.act for phase in forecast.phases}
    parts = [
        words for act, words in (("attack", "A attack"), ("turn", "T turns home")) if act in acts
    ]
    by_day = " by day" if forecast.light == "day" else ""
    best_text = f"to {forecast.best}" if forecast.worst < 0 else "or more"
    parts.append(
        f"L landing {moment_words(forecast.latest)}{by_day}, fuel {forecast.worst} {best_text}"
    )
    if forecast.landing.lost:
        parts.append(f"{percent(forecast.landing.lost)}% lost")
    return (f" {'; '.join(parts)}", TextRole.WARN if forecast.landing.lost else TextRole.GOOD)


def search_timetable_rows(index: Index, order: SearchOrder, width: int) -> Iterator[Row]:
    """Yield the timetable of a search: one column per Search Segment, with its turn and hex (8.271, 8.28).

    Turns in which daylight is not certain are marked. Columns that do not fit are left out.
    """
    yield (search_title(order), TextRole.HEAD)
    plan = order_plan(index.table, order)
    if plan is None or not plan.legs:
        return
    legs = plan.legs[: max((width - _LABEL_CELLS) // _HEX_CELLS, 1)]
    last_leg = plan.legs[-1] if plan.is_home else None
    yield (
        _label("time"),
        *(
            (_cell(leg.time, _HEX_CELLS), TextRole.HEAD if "day" in leg.lights else TextRole.WARN)
            for leg in legs
        ),
    )
    yield (
        _label("hex"),
        *(
            (
                _cell(f"L{leg.hex}" if leg is last_leg else leg.hex, _HEX_CELLS),
                TextRole.GOOD
                if leg is last_leg
                else TextRole.DIM
                if leg.is_back
                else TextRole.PLAIN,
            )
            for leg in legs
        ),
    )
    if not plan.is_home:
        yield (" In the air when the scenario ends", TextRole.WARN)


# -- what an order waits for


def condition_rows(index: Index, order: CourseOrder, forecast: CourseForecast) -> Iterator[Row]:
    """Yield the conditions that would make the mission wait for the player, and how close each one is."""
    state = index.table
    yield ("    Waits for you if", TextRole.DIM)
    yield (
        f"      fuel on landing could fall below {order.least}: {forecast.worst} with the worst dice",
        TextRole.DIM,
    )
    darker_text = _darker_moment(index, order.light)
    if darker_text is not None:
        words = f"{darker_text.light} begins {moment_words(darker_text)}"
        yield (
            f"      it could land later than by {order.light}: home by {moment_words(forecast.latest)}, {words}",
            TextRole.DIM,
        )
    if not is_outbound(state, order) or order.turning_hex:
        return
    target, hex = display_name(order.target), goal_hex(state, order)
    yield (f"      {target} is lost from sight: located in {hex} now", TextRole.DIM)
    other_conditions = [
        (index.distance(force.hex, hex), counter_of(state, name))
        for name, force in state.forces.items()
        if counter_of(state, name) != order.target
    ]
    if other_conditions:
        hexes, name = min(other_conditions)
        unit_word = pluralise(hexes, "hex", "hexes")
        yield (
            f"      another force could be hit instead: {display_name(name)} is {unit_word} from {target}",
            TextRole.DIM,
        )


def _darker_moment(index: Index, light: Light) -> Moment | None:
    """Return the next phase that is darker than a light, or None if there is none in the scenario."""
    for phases in range(phases_left(index.table) + 1):
        moment = moment_after(index.table, phases)
        if moment is not None and darkest(moment.light, light) != light:
            return moment
    return None
