"""The forecast page of a battle: chances, both sides' forces, dice, losses and possible reactions."""

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
from tui.drawing.tones import TextRole
from tui.eots.chips import OWNERS
from tui.eots.index import Index
from tui.eots.reaction import NAMES, inside, landing_sheet, reaction_items, say
from tui.eots.words import place_name, short_name, values
from tui.forecast import (
    Bar,
    Cell,
    ForecastSheet,
    Item,
    Named,
    Said,
    Section,
    Whose,
    column,
    counts,
    fear,
    hope,
)


def sheets(index: Index, place: str, looked: Command | None) -> tuple[ForecastSheet, ...]:
    """Return the forecast for the highlighted option or the cursor, then those for all declared battles.

    Args:
        index: Lookups in the player's view.
        place: The hex under the cursor.
        looked: The highlighted option in the list. If it names a battle, that battle comes first.
    """
    named = looked.at if isinstance(looked, Join | Resolve) else place
    at = HexId(named) if named in board().hexes else None
    view = index.view
    found = battle_forecasts(view, at)
    landing = (
        None if at is None or any(one.at == at for one in found) else landing_forecast(view, at)
    )
    first = () if landing is None else (landing_sheet(landing, view.side),)
    return (*first, *(sheet(index, one) for one in found))


def sheet(index: Index, found: BattleForecast) -> ForecastSheet:
    """Return the forecast page of one battle."""
    return ForecastSheet(title=_title(found), sections=tuple(_sections(index, found)))


def _title(found: BattleForecast) -> str:
    place, side = place_name(found.at), NAMES[found.side]
    match found.basis:
        case Basis.ASSUMED:
            return f"{place}: if {side} attacked now"
        case Basis.POSSIBLE:
            return f"{place}: if {inside(found.side, 'attacks|attack')}"
        case Basis.DECLARED:
            return f"Battle of {place}"
        case Basis.FOUGHT:
            return f"Battle of {place}: what is left of it"


def _sections(index: Index, found: BattleForecast) -> Iterator[Section]:
    yield Section(items=tuple(_basis(found)))
    yield _chances(index, found)
    yield _forces(index, found)
    for title, rolls in (("Air-naval", found.preview.air_naval), ("Ground", found.preview.ground)):
        if rolls:
            yield _rolls(found, title, rolls)
    yield _losses(found)
    if reaction := tuple(reaction_items(found)):
        yield Section("What reaction could add", reaction)


# -- assumptions


def _basis(found: BattleForecast) -> Iterator[Item]:
    new = found.limit if found.basis is Basis.POSSIBLE else 0
    old = len(found.coming) - new
    if found.basis is Basis.ASSUMED and found.hq is not None:
        card = cards().get(found.card)
        known = f"With {found.card} as operations card (OV {card.ov})" if card else "With OV 3"
        most = count_noun(found.limit, "unit")
        yield Said(f"{known}, {short_name(found.hq)} activates up to {most}.", TextRole.DIM)
    elif found.coming:
        idle = f"{pluralise(old, 'activated unit', 'activated units')} not committed yet"
        more = f"{new} more that {short_name(found.hq)} may activate" if new and found.hq else ""
        counts_in = " and ".join(text for text in (idle if old else "", more) if text)
        yield Said(f"Counting {counts_in}.", TextRole.DIM)
    match found.preview.condition.value:
        case "ambush":
            yield Said(f"Ambush: {say(found.side.enemy, 'rolls|roll')} first (9.2E).", TextRole.DIM)
        case "surprise" if found.intelligence is None:
            yield Said("Surprise Attack: nobody reacts (7.25).", TextRole.DIM)
        case _:
            pass


# -- chances


def _chances(index: Index, found: BattleForecast) -> Section:
    own = index.view.side
    wish = hope if own is found.side else fear if own is not None else _plain
    has_sky = any(one.air_naval(found.side) is not None for one in found.odds)
    attackers, defenders = (ADJECTIVES[side] for side in (found.side, found.side.enemy))
    heads = ["", "by die"] if found.intelligence is not None else [""]
    heads += ["wins air-naval"] if has_sky else []
    heads += ["hex taken"] if found.has_troops else []
    heads += [f"{attackers} loss", f"{defenders} loss"]
    rows: list[tuple[Cell, ...]] = []
    for one in found.odds:
        cells: list[Cell] = [_case(found, one)]
        if found.intelligence is not None:
            is_told = one.chance is not None and one.case is not Case.REACTION
            cells.append(f"{percent(one.chance)}%" if is_told and one.chance is not None else "")
        sky = one.air_naval(found.side)
        if has_sky:
            cells.append("no roll" if sky is None else Bar("", sky, wish(sky)))
        if found.has_troops:
            cells.append(Bar("", one.is_taken, wish(one.is_taken)))
        rows.append((*cells, *(_average(one.lost(side)) for side in (0, 1))))
    title = f"Chances of {NAMES[found.side]}"
    return Section(title, heads=tuple(heads), rows=tuple(rows))


def _average(steps: Fraction) -> str:
    return f"{format_tenths(steps)} {'step' if steps == 1 else 'steps'}"


def _plain(chance: Fraction) -> TextRole:
    del chance
    return TextRole.HEAD


def _case(found: BattleForecast, one: Odds) -> str:
    match one.case:
        case Case.NOW:
            return "as it stands"
        case Case.SURPRISE:
            return "surprise"
        case Case.INTERCEPT:
            return "intercepted"
        case Case.REACTION:
            return f"and {len(found.reactors[0].sent)} react"


def _losses(found: BattleForecast) -> Section:
    """Return the chances of step losses on both sides, in the first case of the forecast."""
    sides = tuple(
        column(f"{ADJECTIVES[side]} steps", counts(_lost(found.odds[0], place), TextRole.BAD))
        for place, side in enumerate((found.side, found.side.enemy))
    )
    return Section(f"Steps lost, {_case(found, found.odds[0])}", sides=sides)


def _lost(odds: Odds, place: int) -> Chances[int]:
    return map_results(odds.endings, lambda ending: ending.lost[place])


# -- both sides


def _forces(index: Index, found: BattleForecast) -> Section:
    sides = (found.side, found.side.enemy)
    return Section(
        "Forces",
        sides=tuple(
            (
                Whose(
                    say(side, "attacks|attack" if side is found.side else "defends|defend"),
                    OWNERS[side],
                ),
                *_units(index, found, side),
            )
            for side in sides
        ),
    )


def _units(index: Index, found: BattleForecast, side: Side) -> Iterator[Item]:
    shown = {
        one.unit: one
        for rolls in (found.preview.air_naval, found.preview.ground)
        for roll in rolls
        for one in roll.strengths
    }
    units = [unit for unit in found.preview.participants if counters()[unit].side is side]
    by_place = groupby(
        sorted(units, key=lambda unit: (index.units[unit].at != found.at, index.units[unit].at)),
        key=lambda unit: index.units[unit].at,
    )
    for place, group in by_place:
        if place != found.at:
            yield Said(f"from {place_name(place)}", TextRole.DIM)
        for unit in group:
            yield _unit(index.units[unit], found, shown.get(unit))
    if side is Side.JAPAN and found.preview.intrinsic:
        yield Named(count_noun(found.preview.intrinsic, "garrison unit"), "(13.76)")
    if not units and not (side is Side.JAPAN and found.preview.intrinsic):
        yield Said("nobody", TextRole.DIM)


def _unit(unit: UnitView, found: BattleForecast, strength: UnitStrength | None) -> Named:
    """Return a unit with its strength in this battle or, if it adds none, its printed values in brackets."""
    row = counters()[unit.id]
    notes = [short_name(unit.id)]
    notes += ["reduced"] if row.max_steps > 1 and unit.steps == 1 else []
    notes += ["extended range"] if strength is not None and strength.is_extended else []
    notes += ["a target only"] if unit.id in found.preview.targets_only else []
    printed = values(row, unit.steps).split(" ")[0]
    return Named(", ".join(notes), str(strength.attack) if strength is not None else f"({printed})")


def _rolls(found: BattleForecast, title: str, rolls: Sequence[RollPreview]) -> Section:
    by_side = {roll.side: roll for roll in rolls}
    sides = []
    for side in (found.side, found.side.enemy):
        roll = by_side.get(side)
        nobody = (Said(f"{say(side, 'does|do')} not roll.", TextRole.DIM),)
        sides.append(nobody if roll is None else tuple(_roll(roll)))
    return Section(title, sides=tuple(sides))


def _roll(roll: RollPreview) -> Iterator[Item]:
    yield Said(f"{SIDES[roll.side]}: strength {roll.total}, die {roll.modifier:+d}")
    for line in roll.modifiers:
        yield Said(f"  {line.value:+d} {line.label} ({line.rule} {line.row})", TextRole.DIM)
    hits = uniform((hits, face in roll.critical_faces) for face, hits in enumerate(roll.hits))
    for (number, is_critical), chance in sorted(hits.items()):
        name = f"{count_noun(number, 'hit')}{', critical' if is_critical else ''}"
        yield Bar(name, chance, TextRole.WARN if is_critical else TextRole.STEP)
    average = mean(uniform(roll.hits))
    yield Said(f"{format_tenths(average)} hits on average", TextRole.DIM)
