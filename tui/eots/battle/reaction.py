"""Describes possible reactions: the intelligence roll, and the units that each HQ may send (7.25-7.27)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.forecast.battles import BattleForecast
from engine.eots.forecast.landings import LandingForecast
from engine.eots.forecast.reaction import Reactor, Reactors
from engine.eots.ids import Side
from engine.eots.prose import ADJECTIVES, SIDES
from engine.kernel.chances import percent
from engine.kernel.sentences import count_noun, pluralise
from tui.drawing.colour_roles import TextRole
from tui.eots.map.counters import SIDE_OWNERS
from tui.eots.texts import place_name, required_rolls, short_name
from tui.panels.forecast import (
    Bar,
    ForecastItem,
    ForecastPage,
    ForecastSection,
    NamedValue,
    Sentence,
    SideHeading,
    benefit_tone,
    risk_tone,
)

SIDE_PHRASES: Final = {Side.ALLIED: "the Allies", Side.JAPAN: "Japan"}
"""Side names for use within a sentence."""
_FIRST_UNITS: Final = 6
_OTHER_UNITS: Final = 3
"""Maximum number of units to name per HQ. `_FIRST_UNITS` applies to the HQ with the strongest units."""


def side_and_verb(side: Side, verb: str) -> str:
    """Return a side's name with a verb.

    `verb` is the singular and plural forms, separated by ``|``, such as ``attacks|attack``.
    """
    singular, plural = verb.split("|")
    return pluralise(SIDES[side], singular, plural)


def side_and_verb_inside(side: Side, verb: str) -> str:
    """Like :func:`side_and_verb`, but for the middle of a sentence: ``the Allies attack``."""
    singular, plural = verb.split("|")
    return f"{SIDE_PHRASES[side]} {singular if side is Side.JAPAN else plural}"


def reaction_items(forecast: BattleForecast) -> Iterator[ForecastItem]:
    """Yield the chance that a battle is intercepted, and the units that may react."""
    side, intelligence = forecast.side.enemy, forecast.intelligence
    if intelligence is not None:
        if intelligence.target is not None:
            rolls, condition = required_rolls(intelligence.target, intelligence.modifier)
            intercepts = side_and_verb(side, "intercepts|intercept")
            yield Sentence(
                f"{intercepts} on {rolls}: {percent(intelligence.chance)}% ({condition}, 7.25)."
            )
        hand_text = f"{side_and_verb(side, 'holds|hold')} {count_noun(intelligence.cards, 'card')}"
        playable_text = "one could" if intelligence.could_play else "none can"
        yield Sentence(f"{hand_text}; {playable_text} change the condition.")
        if not forecast.reactors:
            yield Sentence(f"No {ADJECTIVES[side]} unit could reach the battle (7.26).")
    yield from _hq_items(side, forecast.reactors)


def landing_page(forecast: LandingForecast, viewer: Side | None) -> ForecastPage:
    """Return the forecast page for a landing in an undefended hex."""
    side, place = forecast.side.enemy, place_name(forecast.at)
    title = f"{place}: if {side_and_verb_inside(forecast.side, 'lands|land')}"
    if forecast.target is None:
        no_reaction_text = f"The hex is undefended, and {SIDE_PHRASES[side]} cannot react (7.27)."
        return ForecastPage(
            title=title, sections=(ForecastSection(items=(Sentence(no_reaction_text),)),)
        )
    chance_tone = risk_tone if viewer is forecast.side else benefit_tone
    rolls, condition = required_rolls(forecast.target, forecast.modifier)
    items: tuple[ForecastItem, ...] = (
        Sentence(
            "The hex is undefended. After the landing, the Reaction player may roll to react (7.27)."
        ),
        Sentence(f"{side_and_verb(side, 'finds|find')} out on {rolls} ({condition}):"),
        Bar("special reaction", forecast.chance, chance_tone(forecast.chance)),
    )
    unit_items = tuple(_hq_items(side, forecast.reactors))
    no_unit_item = (Sentence(f"No {ADJECTIVES[side]} unit could react (7.26)."),)
    return ForecastPage(
        title=title,
        sections=(
            ForecastSection(items=items),
            ForecastSection("Possible reactions", unit_items or no_unit_item),
        ),
    )


def _hq_items(side: Side, reactors: tuple[Reactors, ...]) -> Iterator[ForecastItem]:
    for index, hq_reactors in enumerate(reactors):
        yield from _hq_reactor_items(side, hq_reactors, _OTHER_UNITS if index else _FIRST_UNITS)


def _hq_reactor_items(side: Side, reactors: Reactors, max_units: int) -> Iterator[ForecastItem]:
    count_text = "all" if len(reactors.sent) == len(reactors.units) else f"{len(reactors.sent)} of"
    hq_name, hq_place = short_name(reactors.hq), place_name(reactors.at)
    yield SideHeading(
        f"{hq_name}, {hq_place}: may send {count_text} {len(reactors.units)}", SIDE_OWNERS[side]
    )
    ordered_units = (
        *reactors.sent,
        *(unit for unit in reactors.units if unit not in reactors.sent),
    )
    for unit in ordered_units[:max_units]:
        yield _reactor_value(unit)
    if len(reactors.units) > max_units:
        yield Sentence(f"  and {len(reactors.units) - max_units} more", TextRole.DIM)


def _reactor_value(reactor: Reactor) -> NamedValue:
    distance_text = f", {pluralise(reactor.hexes, 'hex', 'hexes')}" if reactor.hexes else ""
    return NamedValue(
        f"  {short_name(reactor.unit)} from {place_name(reactor.at)}{distance_text}",
        str(reactor.attack),
    )
