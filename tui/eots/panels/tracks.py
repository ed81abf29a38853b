"""The Empire of the Sun tracks as text: hands, shipping, other theatres, and events in effect."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.eots.ch16_victory.will import ProgressOfWar
from engine.eots.ids import HexId, Side
from engine.eots.view import EotsView
from engine.kernel.sentences import count_noun, pluralise
from tui.eots.index import Index
from tui.eots.texts import ROADS, SIDE_NAMES, box_text, place_name, turn_name

_TITLE_WIDTH: Final = 26
_MAX_WILL: Final = 10
_SIDE_PHRASES: Final = {Side.ALLIED: "the Allies", Side.JAPAN: "Japan"}


def track_lines(index: Index) -> tuple[str, ...]:
    """Return lines about the turn, both sides' status, the tracks, and the events in effect."""
    view = index.view
    return (
        f"Turn {view.turn} of {view.last_turn}: {turn_name(view.turn)}",
        "",
        *_side_lines(view),
        "",
        *(f"{title:<{_TITLE_WIDTH}}{text}" for title, text in _track_rows(index) if text),
        *_section("In effect", _active_markers(view)),
        *_section("Past events", _event_lines(view)),
    )


def _side_lines(view: EotsView) -> Iterator[str]:
    for side, side_view in view.sides.items():
        yield (
            f"{SIDE_NAMES[side]}: hand {side_view.hand}, deck {side_view.draw}, discarded {len(side_view.discard)}, "
            f"out of the game {len(side_view.removed)}, passes {side_view.passes}"
        )
        # A card placed by the scenario has no turn.
        time_text = (
            f"in turn {side_view.future_turn}" if side_view.future_turn else "before the game"
        )
        future_card = f", future offensive placed {time_text}" if side_view.has_future else ""
        rivalry = "inter-service rivalry" if side_view.rivalry else "strategic agreement"
        yield f"  shipping {side_view.asp - side_view.asp_used} of {side_view.asp} left, {rivalry}{future_card}"


def _track_rows(index: Index) -> Iterator[tuple[str, str]]:
    view = index.view
    tracks = view.tracks
    yield "Political Will", f"{tracks.political_will} of {_MAX_WILL}"
    yield "Progress of the War", _progress_text(index.progress)
    start = tracks.war_in_europe_at_turn_start
    change_text = f" ({start:+d} at the start of the turn)" if start != tracks.war_in_europe else ""
    yield "War in Europe", f"{tracks.war_in_europe:+d}{change_text}"
    divisions = count_noun(tracks.divisions_in_china, "division")
    yield "China", f"{box_text(tracks.china_front.name)}, {divisions}"
    lost_text = ", Northern India is lost" if tracks.north_india_lost else ""
    yield "India", f"{box_text(tracks.india.name)}{lost_text}"
    yield "Burma Road", ROADS[view.burma_road]
    yield "Mandates", "" if tracks.mandates is None else f"held by {_SIDE_PHRASES[tracks.mandates]}"
    yield "Surrendered", _nation_names(tracks.surrendered)
    yield "Recovered", _nation_names(tracks.recaptured)
    saved_text = f"{tracks.japan_naval_points} naval, {tracks.japan_air_points} air"
    yield "Japan has saved", f"{saved_text} replacement steps"
    turns = ", ".join(map(str, tracks.bombing_turns))
    yield "Japan was bombed in turn", turns
    segments_text = count_noun(tracks.blockade_turns, "National Status Segment")
    yield (
        "Japan without resources",
        f"{segments_text} in a row (13.93)" if tracks.blockade_turns else "",
    )
    yield "Captured cities", _hex_names(tracks.cities_taken)
    yield "No transport route in", _hex_names(tracks.no_transport_route)


def _progress_text(progress: ProgressOfWar | None) -> str:
    """Return how many required hexes the Allies have taken this turn, as text; empty if none is required (16.47)."""
    if progress is None:
        return ""
    required_text = ("at least " if progress.may_rise else "") + pluralise(
        progress.quota, "hex", "hexes"
    )
    state = f"{progress.missing} missing" if progress.missing else "met"
    return f"{len(progress.taken)} of {required_text} this turn, {state} (16.47)"


def _active_markers(view: EotsView) -> Iterator[str]:
    """Yield a phrase for each event marker in effect."""
    tracks = view.tracks
    express_hex = "" if tracks.tokyo_express is None else place_name(tracks.tokyo_express)
    for text, is_active in (
        ("airlift over the Hump", tracks.hump),
        ("the bridge over the Kwai", tracks.kwai_bridge),
        (f"Tokyo Express to {express_hex}", bool(express_hex)),
        ("barges", tracks.barges),
        ("PT boats", tracks.pt_boats),
        (f"escorts, +{tracks.escorts} to the submarine roll", tracks.escorts > 0),
        ("escorts have no effect", tracks.escorts_void),
        ("high-altitude interceptors", tracks.interceptors),
        ("defence doctrine", tracks.defence_doctrine),
        ("Allied reinforcements delayed", tracks.allied_delay_turn == view.turn),
    ):
        if is_active:
            yield text


def _event_lines(view: EotsView) -> Iterator[str]:
    tracks = view.tracks
    if tracks.tojo_resigned:
        yield "Tojo has resigned"
    if tracks.soviet_invasion:
        yield "the Soviet Union has invaded Manchuria"
    for segments_by_hex in (tracks.hawaii_held, tracks.aleutians_held):
        for hex_id, segments in sorted(segments_by_hex.items()):
            if segments:
                yield f"Japan is in {place_name(hex_id)} for {count_noun(segments, 'turn')} (16.42)"


def _section(title: str, texts: Iterable[str]) -> Iterator[str]:
    items = list(texts)
    if items:
        yield f"{title:<{_TITLE_WIDTH}}{', '.join(items)}"


def _nation_names(names: Iterable[str]) -> str:
    return ", ".join(name.replace("-", " ").title() for name in names)


def _hex_names(hexes: Iterable[HexId]) -> str:
    return ", ".join(map(place_name, hexes))
