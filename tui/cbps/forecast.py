"""The Carrier Battle forecast: the planner's lines, with strike chances as bars."""

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
from engine.kernel.sentences import count_noun
from tui.cbps.dock_panels import plan_tone
from tui.cbps.index import Index
from tui.cbps.plan_panel import attack_lines, planner_lines, strike_from_lines
from tui.cbps.plan_strikes import best_target
from tui.drawing.tones import TextRole
from tui.forecast import Bar, ForecastPage, ForecastSection, Sentence, count_bars, titled_column

_UNFOLDED: Final = 400
"""A width at which the planner never wraps lines. The page wraps them instead."""
_SURPRISES: Final = {"none": "no surprise", "partial": "partial", "complete": "complete"}


def forecast_pages(
    index: Index, place: str, highlighted: CbpsCommand | None
) -> tuple[ForecastPage, ...]:
    """Return the plan for the highlighted order, followed by possible strikes with ready units.

    Args:
        index: Lookups in the player's view.
        place: The hex under the cursor. Strikes target a detected force there. If the player's own carriers are there,
            strikes are planned against the nearest target.
        highlighted: The highlighted option in the list.
    """
    found = [] if highlighted is None else list(_order(index, highlighted, place))
    if found and not next(iter(targets_by_distance(index.table)), ""):
        return tuple(found)  # report only once that no target is detected
    return (*found, *_strikes(index, place), *_attacks_on_place(index, place, highlighted))


def _order(index: Index, highlighted: CbpsCommand, place: str) -> Iterator[ForecastPage]:
    lines = planner_lines(index.view, highlighted, _UNFOLDED, place)
    if lines:
        yield _forecast_page(lines, _order_forecasts(index, highlighted, place))


def _order_forecasts(index: Index, highlighted: CbpsCommand, place: str) -> tuple[Forecast, ...]:
    """Return the forecast of a strike that an order launches or sends to attack; empty for other orders."""
    match highlighted:
        case Launch(unit=unit, mission=mission) if mission_kind(mission) == "strike":
            return _planned(index, (unit,), best_target(index.view, place), mission)
        case Attack(mission=mission, target=target):
            return _struck(index, mission, target)
        case Station(name=mission, hex=hex):
            return _struck(index, mission, best_target(index.view, hex))
        case Retry(target=target):
            frame = index.view.frames[-1]
            return _struck(index, frame.mission, target) if isinstance(frame, ContactFrame) else ()
        case _:
            return ()


def _struck(index: Index, mission: str, target: str) -> tuple[Forecast, ...]:
    is_struck = mission in index.view.missions and target != GUAM
    return forecasts(index.table, mission, target) if is_struck and target else ()


def _strikes(index: Index, place: str) -> Iterator[ForecastPage]:
    """Yield strikes with all ready units: if the place is a target, from each carrier hex; otherwise from the place."""
    target = best_target(index.view, place)
    hexes = dict.fromkeys(index.view.groups[group].hex for group in index.carrier_groups())
    for hex in hexes:
        units = launchable_units_in(index.table, hex)
        if not units or not (target or hex == place):
            continue
        lines = strike_from_lines(index.view, hex, target, _UNFOLDED)
        head = f"From {hex}, with all that stands ready: {count_noun(len(units), 'unit')}"
        yield _forecast_page((head, *lines), _planned(index, units, target))


def _attacks_on_place(
    index: Index, place: str, highlighted: CbpsCommand | None
) -> Iterator[ForecastPage]:
    """Yield the attacks by strikes on a place. During set-up, include every strike that could be sent there."""
    target = best_target(index.view, place)
    frame = index.view.frames[-1] if index.view.frames else None
    for mission, one in index.view.missions.items() if target else ():
        is_there = one.hex == place or isinstance(frame, SetupFrame)
        is_told = mission in (getattr(highlighted, "mission", ""), getattr(highlighted, "name", ""))
        if one.kind == "strike" and not one.cap and is_there and not is_told:
            lines = attack_lines(index.view, mission, target, _UNFOLDED)
            yield _forecast_page(lines, _struck(index, mission, target))


def _planned(
    index: Index, units: tuple[str, ...], target: str, mission: str = ""
) -> tuple[Forecast, ...]:
    aim = target or next(iter(targets_by_distance(index.table)), "")
    state, strike = state_with_strike(index.table, units, mission)
    return strike_plan(state, strike, aim).forecasts if aim else ()


def _forecast_page(lines: Sequence[str], found: Sequence[Forecast]) -> ForecastPage:
    words = ForecastSection(items=tuple(Sentence(line, plan_tone(line)) for line in lines[1:]))
    bars = (section for one in found for section in _bars(one))
    return ForecastPage(title=lines[0], sections=(words, *bars))


def _bars(one: Forecast) -> Iterator[ForecastSection]:
    """Yield a strike's hits and losses, then the defences that it meets."""
    kind = "carriers" if one.surprise else "ships without carriers"
    chance = "" if one.chance == 1 else f", {percent(one.chance)}% likely"
    hits = titled_column("Hits", count_bars(one.hit_chances, TextRole.GOOD))
    lost = titled_column(
        "Air units lost before the way home", count_bars(one.lost_chances, TextRole.BAD)
    )
    yield ForecastSection(f"Result against {kind}{chance}", sides=(hits, lost))
    aa = titled_column("Anti-aircraft value", count_bars(one.aa, TextRole.WARN))
    if one.surprise:
        surprise = (
            Bar(_SURPRISES[word], part, TextRole.STEP) for word, part in one.surprise.items()
        )
        cap = titled_column("CAP points", count_bars(one.cap, TextRole.WARN))
        items = titled_column("Surprise", surprise)
        yield ForecastSection(f"What it meets at {kind}", sides=(cap, aa), items=items)
    else:
        yield ForecastSection(f"What it meets at {kind}", items=aa)
