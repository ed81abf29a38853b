"""The Carrier Battle forecast: the planner's lines, with a strike's chances drawn as bars."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.cbps.air.ch04_missions import mission_kind
from engine.cbps.commands import Attack, CbpsCommand, Launch, Retry, Station
from engine.cbps.frames import ContactFrame, SetupFrame
from engine.cbps.ids import GUAM
from engine.cbps.planner.attack import Forecast, forecasts
from engine.cbps.planner.strikes import (
    launchable_units_in,
    state_with_strike,
    strike_plan,
    targets_by_distance,
)
from engine.kernel.chances import percent
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.flights import raid_line
from tui.cbps.index import Index
from tui.cbps.panels.dock_panels import plan_line_tone
from tui.cbps.panels.page_texts import interception_lines
from tui.cbps.planner.panel import (
    attack_lines,
    mission_lines,
    planner_lines,
    strike_from_lines,
)
from tui.cbps.planner.strike_lines import best_target
from tui.drawing.colour_roles import TextRole
from tui.panels.forecast import (
    Bar,
    ForecastPage,
    ForecastSection,
    Sentence,
    count_bars,
    titled_column,
)

_UNLIMITED_WIDTH: Final = 400
"""A width so large that the planner never wraps lines. The page wraps them instead."""
_NO_MEETING: Final = "No fighters in the air can meet it."
_SURPRISE_NAMES: Final = {"none": "no surprise", "partial": "partial", "complete": "complete"}


def forecast_pages(
    index: Index, place: str, highlighted: CbpsCommand | None
) -> tuple[ForecastPage, ...]:
    """Return the plan for the highlighted order, followed by possible strikes with ready units.

    Args:
        index: Index of the player's view.
        place: The hex under the cursor. Strikes target a detected force there. If the player's own carriers are there,
            strikes are planned against the nearest target.
        highlighted: The highlighted option in the list; None if there is none.
    """
    order_pages = [] if highlighted is None else list(_order_pages(index, highlighted, place))
    if order_pages and not next(iter(targets_by_distance(index.table)), ""):
        # The order's plan already says that no target has been detected.
        return tuple(order_pages)
    pages = (
        *order_pages,
        *_strike_pages(index, place),
        *_attack_pages(index, place, highlighted),
    )
    return pages or tuple(_situation_pages(index))


def _situation_pages(index: Index) -> Iterator[ForecastPage]:
    """Yield forecasts of attacks, raids and missions, for when the player has highlighted no order or target."""
    view = index.view
    for mission, flight in view.missions.items():
        if flight.kind == "strike" and (target := best_target(view, flight.hex)):
            lines = attack_lines(view, mission, target, _UNLIMITED_WIDTH)
            yield _forecast_page(lines, _attack_forecasts(index, mission, target))
    for raid in view.raids:
        meetings = tuple(interception_lines(index, raid))
        yield _forecast_page((raid_line(index, raid), *(meetings or (_NO_MEETING,))), ())
    airborne_missions = [mission for mission, flight in view.missions.items() if not flight.cap]
    for mission in airborne_missions:
        yield _forecast_page(mission_lines(view, mission, _UNLIMITED_WIDTH), ())
    if not (view.raids or airborne_missions):
        ready_units = sum(
            len(launchable_units_in(index.table, hex))
            for hex in {view.groups[group].hex for group in index.carrier_groups()}
        )
        yield _forecast_page(
            (
                "No odds for now",
                "No enemy force is detected, no raid is in flight, and no mission is on the map.",
                f"{pluralise(ready_units, 'unit is', 'units are')} ready on the decks.",
            ),
            (),
        )


def _order_pages(index: Index, highlighted: CbpsCommand, place: str) -> Iterator[ForecastPage]:
    lines = planner_lines(index.view, highlighted, _UNLIMITED_WIDTH, place)
    if lines:
        yield _forecast_page(lines, _order_forecasts(index, highlighted, place))


def _order_forecasts(index: Index, highlighted: CbpsCommand, place: str) -> tuple[Forecast, ...]:
    """Return the forecast for an order that launches a strike or orders it to attack; empty for other orders."""
    match highlighted:
        case Launch(unit=unit, mission=mission) if mission_kind(mission) == "strike":
            return _strike_forecasts(index, (unit,), best_target(index.view, place), mission)
        case Attack(mission=mission, target=target):
            return _attack_forecasts(index, mission, target)
        case Station(name=mission, hex=hex):
            return _attack_forecasts(index, mission, best_target(index.view, hex))
        case Retry(target=target):
            frame = index.view.frames[-1]
            return (
                _attack_forecasts(index, frame.mission, target)
                if isinstance(frame, ContactFrame)
                else ()
            )
        case _:
            return ()


def _attack_forecasts(index: Index, mission: str, target: str) -> tuple[Forecast, ...]:
    is_possible = mission in index.view.missions and target != GUAM
    return forecasts(index.table, mission, target) if is_possible and target else ()


def _strike_pages(index: Index, place: str) -> Iterator[ForecastPage]:
    """Yield forecasts for strikes with all ready units: from all carriers if `place` is a target, else from `place`."""
    target = best_target(index.view, place)
    hexes = dict.fromkeys(index.view.groups[group].hex for group in index.carrier_groups())
    for hex in hexes:
        units = launchable_units_in(index.table, hex)
        if not units or not (target or hex == place):
            continue
        lines = strike_from_lines(index.view, hex, target, _UNLIMITED_WIDTH)
        title = f"From {hex}, with all ready units: {count_noun(len(units), 'unit')}"
        yield _forecast_page((title, *lines), _strike_forecasts(index, units, target))


def _attack_pages(
    index: Index, place: str, highlighted: CbpsCommand | None
) -> Iterator[ForecastPage]:
    """Yield forecasts of the attacks by strikes at a place.

    During set-up, include every strike that could be sent there.
    """
    target = best_target(index.view, place)
    frame = index.view.frames[-1] if index.view.frames else None
    for mission, flight in index.view.missions.items() if target else ():
        is_there = flight.hex == place or isinstance(frame, SetupFrame)
        is_highlighted = mission in (
            getattr(highlighted, "mission", ""),
            getattr(highlighted, "name", ""),
        )
        if flight.kind == "strike" and not flight.cap and is_there and not is_highlighted:
            lines = attack_lines(index.view, mission, target, _UNLIMITED_WIDTH)
            yield _forecast_page(lines, _attack_forecasts(index, mission, target))


def _strike_forecasts(
    index: Index, units: tuple[str, ...], target: str, mission: str = ""
) -> tuple[Forecast, ...]:
    planned_target = target or next(iter(targets_by_distance(index.table)), "")
    state, strike = state_with_strike(index.table, units, mission)
    return strike_plan(state, strike, planned_target).forecasts if planned_target else ()


def _forecast_page(lines: Sequence[str], forecasts: Sequence[Forecast]) -> ForecastPage:
    text_section = ForecastSection(
        items=tuple(Sentence(line, plan_line_tone(line)) for line in lines[1:])
    )
    bar_sections = (section for forecast in forecasts for section in _forecast_sections(forecast))
    return ForecastPage(title=lines[0], sections=(text_section, *bar_sections))


def _forecast_sections(forecast: Forecast) -> Iterator[ForecastSection]:
    """Yield a strike's hits and losses, then the defences against it."""
    kind = "carriers" if forecast.surprise else "ships without carriers"
    chance = "" if forecast.chance == 1 else f", {percent(forecast.chance)}% likely"
    hit_column = titled_column("Hits", count_bars(forecast.hit_chances, TextRole.GOOD))
    loss_column = titled_column(
        "Air units lost before the way home", count_bars(forecast.lost_chances, TextRole.BAD)
    )
    yield ForecastSection(f"Result against {kind}{chance}", sides=(hit_column, loss_column))
    anti_aircraft = titled_column("Anti-aircraft value", count_bars(forecast.aa, TextRole.WARN))
    if forecast.surprise:
        surprise_bars = (
            Bar(_SURPRISE_NAMES[word], probability, TextRole.STEP)
            for word, probability in forecast.surprise.items()
        )
        cap_column = titled_column("CAP points", count_bars(forecast.cap, TextRole.WARN))
        surprise_column = titled_column("Surprise", surprise_bars)
        yield ForecastSection(
            f"Defence of {kind}", sides=(cap_column, anti_aircraft), items=surprise_column
        )
    else:
        yield ForecastSection(f"Defence of {kind}", items=anti_aircraft)
