"""The Empire of the Sun tracks as text: hands, shipping, the war elsewhere, and events in force."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.eots.ch16_victory.will import ProgressOfWar
from engine.eots.ids import HexId, Side
from engine.eots.view import EotsView
from engine.kernel.sentences import count_noun, pluralise
from tui.eots.index import Index
from tui.eots.texts import ROADS, SIDE_NAMES, box_text, place_name, turn_name

_COLUMN: Final = 26
_MAX_WILL: Final = 10
_NAMES: Final = {Side.ALLIED: "the Allies", Side.JAPAN: "Japan"}


def track_lines(index: Index) -> tuple[str, ...]:
    """Return the turn, both sides' status, the tracks, and the effects of events."""
    view = index.view
    return (
        f"Turn {view.turn} of {view.last_turn}: {turn_name(view.turn)}",
        "",
        *_sides(view),
        "",
        *(f"{title:<{_COLUMN}}{words}" for title, words in _tracks(index) if words),
        *_section("In force", _active_markers(view)),
        *_section("Happened", _event_lines(view)),
    )


def _sides(view: EotsView) -> Iterator[str]:
    for side, own in view.sides.items():
        yield (
            f"{SIDE_NAMES[side]}: hand {own.hand}, deck {own.draw}, discarded {len(own.discard)}, "
            f"out of the game {len(own.removed)}, passes {own.passes}"
        )
        future = f", future offensive placed in turn {own.future_turn}" if own.has_future else ""
        rivalry = "inter-service rivalry" if own.rivalry else "strategic agreement"
        yield f"  shipping {own.asp - own.asp_used} of {own.asp} left, {rivalry}{future}"


def _tracks(index: Index) -> Iterator[tuple[str, str]]:
    view = index.view
    tracks = view.tracks
    yield "Political Will", f"{tracks.political_will} of {_MAX_WILL}"
    yield "Progress of the War", _progress(index.progress)
    start = tracks.war_in_europe_at_turn_start
    moved = f" ({start:+d} as the turn began)" if start != tracks.war_in_europe else ""
    yield "War in Europe", f"{tracks.war_in_europe:+d}{moved}"
    divisions = count_noun(tracks.divisions_in_china, "division")
    yield "China", f"{box_text(tracks.china_front.name)}, {divisions}"
    lost = ", Northern India is lost" if tracks.north_india_lost else ""
    yield "India", f"{box_text(tracks.india.name)}{lost}"
    yield "Burma Road", ROADS[view.burma_road]
    yield "Mandates", "" if tracks.mandates is None else f"held by {_NAMES[tracks.mandates]}"
    yield "Surrendered", _nations(tracks.surrendered)
    yield "Recovered", _nations(tracks.recaptured)
    saved = f"{tracks.japan_naval_points} naval, {tracks.japan_air_points} air"
    yield "Japan has saved", f"{saved} replacement steps"
    turns = ", ".join(map(str, tracks.bombing_turns))
    yield "Japan was bombed in turn", turns
    cut = count_noun(tracks.blockade_turns, "National Status Segment")
    yield "Japan without resources", f"{cut} in a row (13.93)" if tracks.blockade_turns else ""
    yield "Taken for good", _places(tracks.cities_taken)
    yield "No transport route in", _places(tracks.no_transport_route)


def _progress(now: ProgressOfWar | None) -> str:
    """Return the number of this turn's required hexes that the Allies hold, as text (16.47)."""
    if now is None:
        return ""
    needed = ("at least " if now.may_rise else "") + pluralise(now.quota, "hex", "hexes")
    state = f"{now.missing} missing" if now.missing else "met"
    return f"{len(now.taken)} of {needed} this turn, {state} (16.47)"


def _active_markers(view: EotsView) -> Iterator[str]:
    """Yield the markers that events have placed."""
    tracks = view.tracks
    express = "" if tracks.tokyo_express is None else place_name(tracks.tokyo_express)
    for words, is_so in (
        ("airlift over the Hump", tracks.hump),
        ("the bridge over the Kwai", tracks.kwai_bridge),
        (f"Tokyo Express to {express}", bool(express)),
        ("barges", tracks.barges),
        ("PT boats", tracks.pt_boats),
        (f"escorts, +{tracks.escorts} to the roll of submarines", tracks.escorts > 0),
        ("escorts no longer count", tracks.escorts_void),
        ("high-altitude interceptors", tracks.interceptors),
        ("defence doctrine", tracks.defence_doctrine),
        ("Allied reinforcements delayed", tracks.allied_delay_turn == view.turn),
    ):
        if is_so:
            yield words


def _event_lines(view: EotsView) -> Iterator[str]:
    tracks = view.tracks
    if tracks.tojo_resigned:
        yield "Tojo has resigned"
    if tracks.soviet_invasion:
        yield "the Soviet Union has invaded Manchuria"
    for held in (tracks.hawaii_held, tracks.aleutians_held):
        for at, segments in sorted(held.items()):
            if segments:
                yield f"Japan is in {place_name(at)} for {count_noun(segments, 'turn')} (16.42)"


def _section(title: str, texts: Iterable[str]) -> Iterator[str]:
    found = list(texts)
    if found:
        yield f"{title:<{_COLUMN}}{', '.join(found)}"


def _nations(names: Iterable[str]) -> str:
    return ", ".join(name.replace("-", " ").title() for name in names)


def _places(hexes: Iterable[HexId]) -> str:
    return ", ".join(map(place_name, hexes))
