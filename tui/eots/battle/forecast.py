"""The forecast page for a battle: chances of winning, both sides' forces, dice, losses and possible reactions."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from engine.eots.board import board
from engine.eots.ch09_battle.preview import RollPreview
from engine.eots.commands import Join, Resolve
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.events.battle import UnitStrength
from engine.eots.forecast.battles import Basis, BattleForecast, Case, Odds, battle_forecasts
from engine.eots.forecast.landings import landing_forecast
from engine.eots.ids import HexId, Side
from engine.eots.prose import ADJECTIVES, SIDES
from engine.eots.view import UnitView
from engine.kernel.chances import Chances, format_tenths, map_results, mean, percent, uniform
from engine.kernel.ruleset import Command
from engine.kernel.sentences import count_noun, pluralise
from tui.drawing.colour_roles import TextRole
from tui.eots.battle.reaction import (
    SIDE_PHRASES,
    landing_page,
    reaction_items,
    side_and_verb,
    side_and_verb_inside,
)
from tui.eots.index import Index
from tui.eots.map.counters import SIDE_OWNERS
from tui.eots.texts import place_name, printed_values, short_name
from tui.panels.forecast import (
    Bar,
    ForecastCell,
    ForecastItem,
    ForecastPage,
    ForecastSection,
    NamedValue,
    Sentence,
    SideHeading,
    benefit_tone,
    count_bars,
    risk_tone,
    titled_column,
)


def forecast_pages(
    index: Index, place: str, highlighted: Command | None
) -> tuple[ForecastPage, ...]:
    """Return the forecast for the highlighted option or the cursor, then the forecasts for all declared battles.

    Args:
        index: Index of the player's view.
        place: The hex under the cursor.
        highlighted: The highlighted option in the list. If the option names a battle, that battle comes first.
    """
    place_id = highlighted.at if isinstance(highlighted, Join | Resolve) else place
    hex = HexId(place_id) if place_id in board().hexes else None
    view = index.view
    forecasts = battle_forecasts(view, hex)
    landing = (
        None
        if hex is None or any(forecast.at == hex for forecast in forecasts)
        else landing_forecast(view, hex)
    )
    landing_pages = () if landing is None else (landing_page(landing, view.side),)
    return (*landing_pages, *(forecast_page(index, forecast) for forecast in forecasts))


def forecast_page(index: Index, forecast: BattleForecast) -> ForecastPage:
    """Return the forecast page for one battle."""
    return ForecastPage(
        title=_forecast_title(forecast), sections=tuple(_forecast_sections(index, forecast))
    )


def _forecast_title(forecast: BattleForecast) -> str:
    place, side = place_name(forecast.at), SIDE_PHRASES[forecast.side]
    match forecast.basis:
        case Basis.ASSUMED:
            return f"{place}: if {side} attacked now"
        case Basis.POSSIBLE:
            return f"{place}: if {side_and_verb_inside(forecast.side, 'attacks|attack')}"
        case Basis.DECLARED:
            return f"Battle of {place}"
        case Basis.FOUGHT:
            return f"Battle of {place}: what remains"


def _forecast_sections(index: Index, forecast: BattleForecast) -> Iterator[ForecastSection]:
    yield ForecastSection(items=tuple(_assumption_items(forecast)))
    yield _chances_section(index, forecast)
    yield _forces_section(index, forecast)
    for title, rolls in (
        ("Air-naval", forecast.preview.air_naval),
        ("Ground", forecast.preview.ground),
    ):
        if rolls:
            yield _rolls_section(forecast, title, rolls)
    yield _losses_section(forecast)
    if reaction := tuple(reaction_items(forecast)):
        yield ForecastSection("Possible reaction", reaction)


# -- assumptions


def _assumption_items(forecast: BattleForecast) -> Iterator[ForecastItem]:
    activatable_count = forecast.limit if forecast.basis is Basis.POSSIBLE else 0
    unassigned_count = len(forecast.joining) - activatable_count
    if forecast.basis is Basis.ASSUMED and forecast.hq is not None:
        card = cards().get(forecast.card)
        card_text = (
            f"With {forecast.card} as operations card (OV {card.ov})" if card else "With OV 3"
        )
        limit_text = count_noun(forecast.limit, "unit")
        yield Sentence(
            f"{card_text}, {short_name(forecast.hq)} activates up to {limit_text}.", TextRole.DIM
        )
    elif forecast.joining:
        unassigned_text = f"{pluralise(unassigned_count, 'activated unit', 'activated units')} not in a battle yet"
        activatable_text = (
            f"{activatable_count} more that {short_name(forecast.hq)} may activate"
            if activatable_count and forecast.hq
            else ""
        )
        counted_text = " and ".join(
            text for text in (unassigned_text if unassigned_count else "", activatable_text) if text
        )
        yield Sentence(f"Counting {counted_text}.", TextRole.DIM)
    match forecast.preview.condition.value:
        case "ambush":
            yield Sentence(
                f"Ambush: {side_and_verb(forecast.side.enemy, 'rolls|roll')} first (9.2E).",
                TextRole.DIM,
            )
        case "surprise" if forecast.intelligence is None:
            yield Sentence("Surprise Attack: no reaction (7.25).", TextRole.DIM)
        case _:
            pass


# -- chances


def _chances_section(index: Index, forecast: BattleForecast) -> ForecastSection:
    own_side = index.view.side
    chance_tone = (
        benefit_tone
        if own_side is forecast.side
        else risk_tone
        if own_side is not None
        else _neutral_tone
    )
    has_air_naval = any(odds.air_naval(forecast.side) is not None for odds in forecast.odds)
    attackers, defenders = (ADJECTIVES[side] for side in (forecast.side, forecast.side.enemy))
    headings = ["", "chance"] if forecast.intelligence is not None else [""]
    headings += ["wins air-naval"] if has_air_naval else []
    headings += ["hex taken"] if forecast.has_troops else []
    headings += [f"{attackers} loss", f"{defenders} loss"]
    rows: list[tuple[ForecastCell, ...]] = []
    for odds in forecast.odds:
        cells: list[ForecastCell] = [_case_title(forecast, odds)]
        if forecast.intelligence is not None:
            has_die_chance = odds.chance is not None and odds.case is not Case.REACTION
            cells.append(
                f"{percent(odds.chance)}%" if has_die_chance and odds.chance is not None else ""
            )
        air_naval_chance = odds.air_naval(forecast.side)
        if has_air_naval:
            cells.append(
                "no roll"
                if air_naval_chance is None
                else Bar("", air_naval_chance, chance_tone(air_naval_chance))
            )
        if forecast.has_troops:
            cells.append(Bar("", odds.is_taken, chance_tone(odds.is_taken)))
        rows.append((*cells, *(_average_steps(odds.steps_lost(side)) for side in (0, 1))))
    title = f"Chances for {SIDE_PHRASES[forecast.side]}"
    return ForecastSection(title, heads=tuple(headings), rows=tuple(rows))


def _average_steps(steps: Fraction) -> str:
    return f"{format_tenths(steps)} {'step' if steps == 1 else 'steps'}"


def _neutral_tone(chance: Fraction) -> TextRole:
    del chance
    return TextRole.HEAD


def _case_title(forecast: BattleForecast, odds: Odds) -> str:
    match odds.case:
        case Case.NOW:
            return "as is"
        case Case.SURPRISE:
            return "surprise"
        case Case.INTERCEPT:
            return "intercepted"
        case Case.REACTION:
            return f"and {len(forecast.reactors[0].sent)} react"


def _losses_section(forecast: BattleForecast) -> ForecastSection:
    """Return both sides' chances of losing steps, taken from the forecast's first case."""
    sides = tuple(
        titled_column(
            f"{ADJECTIVES[side]} steps",
            count_bars(_loss_chances(forecast.odds[0], side_index), TextRole.BAD),
        )
        for side_index, side in enumerate((forecast.side, forecast.side.enemy))
    )
    return ForecastSection(f"Steps lost, {_case_title(forecast, forecast.odds[0])}", sides=sides)


def _loss_chances(odds: Odds, side_index: int) -> Chances[int]:
    return map_results(odds.endings, lambda ending: ending.lost[side_index])


# -- both sides


def _forces_section(index: Index, forecast: BattleForecast) -> ForecastSection:
    sides = (forecast.side, forecast.side.enemy)
    return ForecastSection(
        "Forces",
        sides=tuple(
            (
                SideHeading(
                    side_and_verb(
                        side, "attacks|attack" if side is forecast.side else "defends|defend"
                    ),
                    SIDE_OWNERS[side],
                ),
                *_side_items(index, forecast, side),
            )
            for side in sides
        ),
    )


def _side_items(index: Index, forecast: BattleForecast, side: Side) -> Iterator[ForecastItem]:
    strengths = {
        strength.unit: strength
        for rolls in (forecast.preview.air_naval, forecast.preview.ground)
        for roll in rolls
        for strength in roll.strengths
    }
    units = [unit for unit in forecast.preview.participants if counters()[unit].side is side]
    by_place = groupby(
        sorted(units, key=lambda unit: (index.units[unit].at != forecast.at, index.units[unit].at)),
        key=lambda unit: index.units[unit].at,
    )
    for place, group in by_place:
        if place != forecast.at:
            yield Sentence(f"from {place_name(place)}", TextRole.DIM)
        for unit in group:
            yield _unit_value(index.units[unit], forecast, strengths.get(unit))
    if side is Side.JAPAN and forecast.preview.intrinsic:
        yield NamedValue(count_noun(forecast.preview.intrinsic, "garrison unit"), "(13.76)")
    if not units and not (side is Side.JAPAN and forecast.preview.intrinsic):
        yield Sentence("no units", TextRole.DIM)


def _unit_value(
    unit: UnitView, forecast: BattleForecast, strength: UnitStrength | None
) -> NamedValue:
    """Return a unit with its strength in this battle. If it adds no strength, show its printed values in brackets."""
    row = counters()[unit.id]
    notes = [short_name(unit.id)]
    notes += ["reduced"] if row.max_steps > 1 and unit.steps == 1 else []
    notes += ["extended range"] if strength is not None and strength.is_extended else []
    notes += ["target only"] if unit.id in forecast.preview.targets_only else []
    printed_value = printed_values(row, unit.steps).split(" ")[0]
    return NamedValue(
        ", ".join(notes), str(strength.attack) if strength is not None else f"({printed_value})"
    )


def _rolls_section(
    forecast: BattleForecast, title: str, rolls: Sequence[RollPreview]
) -> ForecastSection:
    by_side = {roll.side: roll for roll in rolls}
    sides = []
    for side in (forecast.side, forecast.side.enemy):
        roll = by_side.get(side)
        no_roll_item = (Sentence(f"{side_and_verb(side, 'does|do')} not roll.", TextRole.DIM),)
        sides.append(no_roll_item if roll is None else tuple(_roll_items(roll)))
    return ForecastSection(title, sides=tuple(sides))


def _roll_items(roll: RollPreview) -> Iterator[ForecastItem]:
    yield Sentence(f"{SIDES[roll.side]}: strength {roll.total}, die {roll.modifier:+d}")
    for line in roll.modifiers:
        yield Sentence(f"  {line.value:+d} {line.label} ({line.rule} {line.row})", TextRole.DIM)
    hits = uniform((hits, face in roll.critical_faces) for face, hits in enumerate(roll.hits))
    for (number, is_critical), chance in sorted(hits.items()):
        name = f"{count_noun(number, 'hit')}{', critical' if is_critical else ''}"
        yield Bar(name, chance, TextRole.WARN if is_critical else TextRole.STEP)
    average = mean(uniform(roll.hits))
    yield Sentence(f"{format_tenths(average)} hits on average", TextRole.DIM)
