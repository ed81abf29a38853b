"""Positions for rule tests: the start of a scenario, with overrides."""

from collections.abc import Iterable, Mapping
from functools import cache

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.data.scenarios_file import Scenario
from engine.eots.frames import CardPlayFrame, Frame, OffensiveFrame, Phase, TurnFrame
from engine.eots.ids import CHINA_BOX, CardId, HexId, ScenarioId, Side, UnitId
from engine.eots.scenarios import initial_control, scenario
from engine.eots.state import (
    DELAY_BOX,
    ELIMINATED,
    EVENT,
    OFF_MAP,
    REMOVED,
    TURN_TRACK,
    Arrival,
    ChinaFront,
    Deck,
    IndiaStatus,
    Offensive,
    OffensiveSnapshot,
    Piece,
    State,
    Tracks,
)

Place = str | tuple[str, int]
"""A place, or a place and steps. Without steps, the unit is at full strength."""


def _full(unit: str) -> int:
    counter = counters()[UnitId(unit)]
    return 1 if counter.is_hq else counter.max_steps


def _units(of: Scenario) -> dict[UnitId, Piece]:
    pieces = {unit: Piece(REMOVED, 0) for unit in counters()}
    for entry in of.event_units:
        pieces[entry.unit] = Piece(EVENT, 0)
    for unit in of.eliminated:
        pieces[unit] = Piece(REMOVED if counters()[unit].prewar else ELIMINATED, 0)
    for due in of.reinforcements:
        for entering in due.units:
            pieces[entering.unit] = Piece(TURN_TRACK, 0)
    for waiting in of.delay_box:
        steps = counters()[waiting.unit].steps_on(waiting.face)
        pieces[waiting.unit] = Piece(DELAY_BOX, steps)
    for placed in of.setup:
        pieces[placed.unit] = Piece(placed.at, counters()[placed.unit].steps_on(placed.face))
    for fixed in of.fixed_units:
        pieces[fixed.unit] = Piece(fixed.at, _full(fixed.unit))
    return pieces


def _arrivals(of: Scenario) -> dict[UnitId, Arrival]:
    return {
        entering.unit: Arrival(
            due.turn,
            counters()[entering.unit].steps_on(entering.face),
            counters()[entering.unit].delayable,
        )
        for due in of.reinforcements
        for entering in due.units
    }


def _tracks(of: Scenario) -> Tracks:
    markers = of.markers
    return Tracks(
        political_will=markers.political_will,
        war_in_europe=markers.war_in_europe,
        war_in_europe_at_turn_start=markers.war_in_europe,
        china_front=ChinaFront[markers.china_front.replace("-", "_").upper()],
        divisions_in_china=markers.japan_divisions_in_china,
        india=IndiaStatus[(markers.india or "stable").upper()],
        surrendered=(),
        hump=markers.burma_road_marker_side == "hump",
        no_transport_route=markers.no_transport_route,
        kwai_bridge=markers.kwai_bridge,
        allied_asp=markers.allied_asp,
        japan_asp=markers.japan_asp,
        barges=markers.japan_asp_side == "barges",
        pt_boats=markers.pt_boats,
        us_rivalry=markers.us_isr,
        japan_rivalry=markers.japan_isr,
    )


@cache
def start_of(name: str) -> State:
    """Return the start of a scenario with empty hands and decks, and the Allies to play a card."""
    of = scenario(ScenarioId(name))
    control = initial_control(of)
    frames: tuple[Frame, ...] = (
        TurnFrame(phase=Phase.OFFENSIVES, entered=True),
        CardPlayFrame(side=Side.ALLIED),
    )
    return State(
        scenario=name,
        turn=of.start_turn,
        last_turn=of.end_turn,
        frames=frames,
        units=_units(of),
        arrivals=_arrivals(of),
        control=control,
        control_at_turn_start=control,
        control_at_start=control,
        decks={side: Deck() for side in Side},
        tracks=_tracks(of),
    )


def state_1943() -> State:
    """Return the start of the 1943 scenario."""
    return start_of("1943")


def position(
    units: Mapping[str, Place] | None = None,
    *,
    clear: bool = True,
    japan: Iterable[str] = (),
    allied: Iterable[str] = (),
    scenario_id: str = "1943",
    options: Mapping[str, str] | None = None,
    **tracks: object,
) -> State:
    """Return a scenario's start with overrides.

    Args:
        units: Units by id with their places.
        clear: True to remove all other units from the map.
        japan: Hexes that come under Japanese control.
        allied: Hexes that come under Allied control.
        scenario_id: The scenario.
        options: Rulings chosen at set-up.
        tracks: Fields of the tracks.
    """
    state = with_units(start_of(scenario_id), units or {}, clear=clear)
    state = with_control(with_control(state, Side.JAPAN, japan), Side.ALLIED, allied)
    return replace(with_tracks(state, **tracks), options=dict(options or {}))


def with_units(state: State, units: Mapping[str, Place], *, clear: bool = False) -> State:
    """Return the state with units placed.

    Args:
        state: The state to change.
        units: Place, or place and steps, by unit.
        clear: True to remove all other units from the map and the China box permanently.
    """
    pieces = dict(state.units)
    if clear:
        on_map = [u for u, p in pieces.items() if p.is_on_map or p.at == CHINA_BOX]
        pieces.update(dict.fromkeys(on_map, Piece(REMOVED, 0)))
    for unit, place in units.items():
        at, steps = place if isinstance(place, tuple) else (place, _full(unit))
        assert UnitId(unit) in counters(), unit
        assert at in board().index or at in OFF_MAP or at == CHINA_BOX, at
        pieces[UnitId(unit)] = Piece(at, steps)
    arrivals = {u: a for u, a in state.arrivals.items() if pieces[u].at == TURN_TRACK}
    return replace(state, units=pieces, arrivals=arrivals)


def with_control(state: State, side: Side, hexes: Iterable[str]) -> State:
    """Return the state with hexes under a side's control."""
    changed = {HexId(hex_id): side for hex_id in hexes}
    assert all(hex_id in state.control for hex_id in changed), "only land is controlled"
    return replace(state, control={**state.control, **changed})


def with_tracks(state: State, **tracks: object) -> State:
    """Return the state with some tracks changed."""
    return replace(state, tracks=replace(state.tracks, **tracks)) if tracks else state


def with_frames(state: State, *frames: Frame) -> State:
    """Return the state with other frames, outermost first."""
    return replace(state, frames=frames)


def in_offensive(
    state: State,
    side: Side,
    *,
    ov: int = 3,
    lv: int = 0,
    event: bool = False,
    card: str = "",
    hq: str | None = None,
    activated: Iterable[str] = (),
    reaction_hq: str | None = None,
    reacting: Iterable[str] = (),
    step: int = 2,
) -> State:
    """Return the state in the middle of an offensive.

    Args:
        state: The state to change.
        side: The Offensive player.
        ov: Operations value.
        lv: Logistics value of an event.
        event: True if the card was played as an event.
        card: The card; empty = any.
        hq: HQ of the offensive.
        activated: Its units.
        reaction_hq: HQ of the reaction.
        reacting: Activated reaction units.
        step: Step of 7.2.
    """
    units = tuple(UnitId(unit) for unit in activated)
    reaction_units = tuple(UnitId(unit) for unit in reacting)
    offensive = Offensive(
        side=side,
        card=CardId(card or ("J-23" if side is Side.JAPAN else "A-23")),
        event=event,
        ov=ov,
        lv=lv if event else None,
        iv=4,
        special_iv=4,
        naval_move=5 * ov,
        before=OffensiveSnapshot(
            units=state.units, control=state.control, arrivals=state.arrivals, tracks=state.tracks
        ),
        hq=None if hq is None else UnitId(hq),
        limit=len(units),
        activated=units,
        origins={unit: state.units[unit].at for unit in (*units, *reaction_units)},
    )
    offensive = replace(
        offensive,
        reaction=replace(
            offensive.reaction,
            hq=None if reaction_hq is None else UnitId(reaction_hq),
            limit=len(reaction_units),
            activated=reaction_units,
        ),
    )
    frames: tuple[Frame, ...] = (
        TurnFrame(phase=Phase.OFFENSIVES, entered=True),
        CardPlayFrame(side=side),
        OffensiveFrame(step=step),
    )
    return replace(state, offensive=offensive, frames=frames)
