"""Describes possible reactions: the intelligence roll, headquarters, and the units that they may send (7.25-7.27)."""

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
from tui.eots.map_counters import SIDE_OWNERS
from tui.eots.texts import place_name, short_name
from tui.forecast import (
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

NAMES: Final = {Side.ALLIED: "the Allies", Side.JAPAN: "Japan"}
"""Names of the sides as used in a sentence."""
_FIRST_UNITS: Final = 6
_OTHER_UNITS: Final = 3
"""Maximum number of units to name per HQ; `_FIRST_UNITS` applies to the HQ that can send the most."""


def side_and_verb(side: Side, verb: str) -> str:
    """Return a side with its verb in the right number; ``attacks|attack`` lists singular and plural."""
    one, many = verb.split("|")
    return pluralise(SIDES[side], one, many)


def side_and_verb_inside(side: Side, verb: str) -> str:
    """Return a side with its verb, worded for use within a sentence."""
    one, many = verb.split("|")
    return f"{NAMES[side]} {one if side is Side.JAPAN else many}"


def reaction_items(forecast: BattleForecast) -> Iterator[ForecastItem]:
    """Yield the chance that a battle is intercepted and the units that may react."""
    side, known = forecast.side.enemy, forecast.intelligence
    if known is not None:
        if known.target is not None:
            needs = _required_roll(known.target, known.modifier)
            intercepts = side_and_verb(side, "intercepts|intercept")
            yield Sentence(f"{intercepts} on {needs}: {percent(known.chance)}% (7.25).")
        held = f"{side_and_verb(side, 'holds|hold')} {count_noun(known.cards, 'card')}"
        could = "one could" if known.could_play else "none can"
        yield Sentence(f"{held}; {could} change the condition.")
        if not forecast.reactors:
            yield Sentence(f"No {ADJECTIVES[side]} unit could reach the battle (7.26).")
    yield from _sent_units_items(side, forecast.reactors)


def landing_page(forecast: LandingForecast, viewer: Side | None) -> ForecastPage:
    """Return the forecast page for a landing in an undefended hex."""
    side, place = forecast.side.enemy, place_name(forecast.at)
    title = f"{place}: if {side_and_verb_inside(forecast.side, 'lands|land')}"
    if forecast.target is None:
        word = f"Nobody stands there, and {NAMES[side]} cannot react (7.27)."
        return ForecastPage(title=title, sections=(ForecastSection(items=(Sentence(word),)),))
    wish = risk_tone if viewer is forecast.side else benefit_tone
    needs = _required_roll(forecast.target, forecast.modifier)
    items: tuple[ForecastItem, ...] = (
        Sentence(
            "Nobody stands there. After the landing the Reaction player may roll for it (7.27)."
        ),
        Sentence(f"{side_and_verb(side, 'finds|find')} out on {needs}:"),
        Bar("special reaction", forecast.chance, wish(forecast.chance)),
    )
    coming = tuple(_sent_units_items(side, forecast.reactors))
    nobody = (Sentence(f"No {ADJECTIVES[side]} unit could come (7.26)."),)
    return ForecastPage(
        title=title,
        sections=(
            ForecastSection(items=items),
            ForecastSection("Who could react", coming or nobody),
        ),
    )


def _required_roll(target: int, modifier: int) -> str:
    """Return the result that an intelligence roll needs to succeed (7.25D, E)."""
    drm = f" with {modifier:+d}" if modifier else ""
    return f"{target} or less{drm}, never on a 9"


def _sent_units_items(side: Side, forecast: tuple[Reactors, ...]) -> Iterator[ForecastItem]:
    for number, sent in enumerate(forecast):
        yield from _units_item(side, sent, _OTHER_UNITS if number else _FIRST_UNITS)


def _units_item(side: Side, sent: Reactors, most: int) -> Iterator[ForecastItem]:
    some = "all" if len(sent.sent) == len(sent.units) else f"{len(sent.sent)} of"
    name, where = short_name(sent.hq), place_name(sent.at)
    yield SideHeading(f"{name}, {where}: may send {some} {len(sent.units)}", SIDE_OWNERS[side])
    first = (*sent.sent, *(one for one in sent.units if one not in sent.sent))
    for one in first[:most]:
        yield _reactor(one)
    if len(sent.units) > most:
        yield Sentence(f"  and {len(sent.units) - most} more", TextRole.DIM)


def _reactor(one: Reactor) -> NamedValue:
    far = f", {pluralise(one.hexes, 'hex', 'hexes')}" if one.hexes else ""
    return NamedValue(f"  {short_name(one.unit)} from {place_name(one.at)}{far}", str(one.attack))
