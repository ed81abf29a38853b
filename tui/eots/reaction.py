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
from tui.drawing.tones import TextRole
from tui.eots.chips import OWNERS
from tui.eots.words import place_name, short_name
from tui.forecast import Bar, ForecastSheet, Item, Named, Said, Section, Whose, fear, hope

NAMES: Final = {Side.ALLIED: "the Allies", Side.JAPAN: "Japan"}
"""Names of the sides as used in a sentence."""
_FIRST_UNITS: Final = 6
_OTHER_UNITS: Final = 3
"""Maximum number of units to name per HQ; `_FIRST_UNITS` applies to the HQ that can send the most."""


def say(side: Side, verb: str) -> str:
    """Return a side followed by a verb, which is given as singular and plural: ``attacks|attack``."""
    one, many = verb.split("|")
    return pluralise(SIDES[side], one, many)


def inside(side: Side, verb: str) -> str:
    """Return the same for use within a sentence."""
    one, many = verb.split("|")
    return f"{NAMES[side]} {one if side is Side.JAPAN else many}"


def reaction_items(found: BattleForecast) -> Iterator[Item]:
    """Yield the chance that a battle is intercepted and the units that may react."""
    side, known = found.side.enemy, found.intelligence
    if known is not None:
        if known.target is not None:
            needs = _needs(known.target, known.modifier)
            intercepts = say(side, "intercepts|intercept")
            yield Said(f"{intercepts} on {needs}: {percent(known.chance)}% (7.25).")
        held = f"{say(side, 'holds|hold')} {count_noun(known.cards, 'card')}"
        could = "one could" if known.could_play else "none can"
        yield Said(f"{held}; {could} change the condition.")
        if not found.reactors:
            yield Said(f"No {ADJECTIVES[side]} unit could reach the battle (7.26).")
    yield from _sendings(side, found.reactors)


def landing_sheet(found: LandingForecast, viewer: Side | None) -> ForecastSheet:
    """Return the forecast page of a landing in an undefended hex."""
    side, place = found.side.enemy, place_name(found.at)
    title = f"{place}: if {inside(found.side, 'lands|land')}"
    if found.target is None:
        word = f"Nobody stands there, and {NAMES[side]} cannot react (7.27)."
        return ForecastSheet(title=title, sections=(Section(items=(Said(word),)),))
    wish = fear if viewer is found.side else hope
    needs = _needs(found.target, found.modifier)
    items: tuple[Item, ...] = (
        Said("Nobody stands there. After the landing the Reaction player may roll for it (7.27)."),
        Said(f"{say(side, 'finds|find')} out on {needs}:"),
        Bar("special reaction", found.chance, wish(found.chance)),
    )
    coming = tuple(_sendings(side, found.reactors))
    nobody = (Said(f"No {ADJECTIVES[side]} unit could come (7.26)."),)
    return ForecastSheet(
        title=title,
        sections=(Section(items=items), Section("Who could react", coming or nobody)),
    )


def _needs(target: int, modifier: int) -> str:
    """Return the result that an intelligence roll needs to succeed (7.25D, E)."""
    drm = f" with {modifier:+d}" if modifier else ""
    return f"{target} or less{drm}, never on a 9"


def _sendings(side: Side, found: tuple[Reactors, ...]) -> Iterator[Item]:
    for number, sent in enumerate(found):
        yield from _sent(side, sent, _OTHER_UNITS if number else _FIRST_UNITS)


def _sent(side: Side, sent: Reactors, most: int) -> Iterator[Item]:
    some = "all" if len(sent.sent) == len(sent.units) else f"{len(sent.sent)} of"
    name, where = short_name(sent.hq), place_name(sent.at)
    yield Whose(f"{name}, {where}: may send {some} {len(sent.units)}", OWNERS[side])
    first = (*sent.sent, *(one for one in sent.units if one not in sent.sent))
    for one in first[:most]:
        yield _reactor(one)
    if len(sent.units) > most:
        yield Said(f"  and {len(sent.units) - most} more", TextRole.DIM)


def _reactor(one: Reactor) -> Named:
    far = f", {pluralise(one.hexes, 'hex', 'hexes')}" if one.hexes else ""
    return Named(f"  {short_name(one.unit)} from {place_name(one.at)}{far}", str(one.attack))
