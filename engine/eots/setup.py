"""The scenarios' starting positions (2.0, 17)."""

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch16_victory.will import WILL_TOP
from engine.eots.counters import counters
from engine.eots.data.scenarios_file import Markers, Scenario
from engine.eots.deck import cards
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import AreaId, CardId, Face, HexId, NationId, ScenarioId, Side, UnitId
from engine.eots.position import Position, UnitSetup
from engine.eots.rulings import BIDDING_PW, RULINGS, SIAM_NAURU, SP_OTHER_HEXES, bid
from engine.eots.scenarios import card_id, initial_control, scenario, scenario_deck, scenario_ids
from engine.eots.state import (
    DELAY_BOX,
    ELIMINATED,
    EVENT,
    REMOVED,
    TURN_TRACK,
    ChinaFront,
    Deck,
    IndiaStatus,
    Tracks,
)
from engine.eots.victory_terms import CampaignVictory, SouthPacificVictory, VpVictory
from engine.kernel.errors import DataError
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import check_options
from engine.kernel.structs import shared_fields

ATTU_KISKA: Final = HexId("4600")
MIDWAY: Final = HexId("5108")
NAURU: Final = HexId("4719")
SIAM: Final = AreaId("siam")
FIRST_TURN_1943: Final = 5
"""First turn of 1943. In scenarios that start then or later, OPS-3's alternative reading makes Nauru Japanese."""
_EMPIRE_ORDER: Final = 2
"""Order number of the South Pacific control rule that makes the Empire and the Mandates Japanese (OPS-19)."""
_CHINA: Final = {front.name.lower().replace("_", "-"): front for front in ChinaFront}
_INDIA: Final = {box.name.lower(): box for box in IndiaStatus}


def scenario_infos() -> tuple[ScenarioInfo, ...]:
    """Return the playable scenarios in rulebook order (17.0)."""
    return tuple(_scenario_info(scenario(name)) for name in scenario_ids())


def _scenario_info(data: Scenario) -> ScenarioInfo:
    turns = data.end_turn - data.start_turn + 1
    summary = f"turns {data.start_turn} to {data.end_turn} ({turns}), two players"
    return ScenarioInfo(
        id=data.id,
        name=data.name,
        rule=Rule(data.rule),
        summary=summary,
        goal=_goal_text(data),
        roles=tuple(Role(side) for side in Side),
    )


def _goal_text(data: Scenario) -> str:
    """Return the text that tells the player how each side wins the scenario (16, 17)."""
    match data.victory:
        case CampaignVictory():
            return (
                f"By the end of turn {data.end_turn}, the Allies must make Japan surrender, or bomb it for four"
                " turns in a row and leave it one resource hex. Japan wins otherwise, or at once if Political"
                " Will reaches 0."
            )
        case VpVictory(levels=levels):
            min_score = min(
                level.minimum or 0 for level in levels if level.result.startswith("japan")
            )
            return (
                f"Japan wins with {min_score} victory points or more at the end of turn {data.end_turn}, the Allies"
                " with fewer. Japan wins at once if Political Will reaches 0."
            )
        case SouthPacificVictory(port_control=ports):
            return (
                f"After turn {data.end_turn}, the Allies win if they hold {ports.allied_margin} more ports and resource"
                " hexes than Japan. Japan wins otherwise, or at once if Political Will reaches 0."
            )
    assert_never(data.victory)


def starting_position(name: str, options: Mapping[str, str]) -> Position:
    """Build a scenario's starting position, before its first deal (17).

    Raises:
        DataError: There is no such scenario, or an option is unknown.
    """
    if name not in scenario_ids():
        scenario_names = ", ".join(info.id for info in scenario_infos())
        raise DataError(
            "scenario",
            name,
            f"there is no playable scenario '{name}'; choose one of {scenario_names}",
        )
    check_options(RULINGS, options)
    data = scenario(ScenarioId(name))
    control = _starting_control(data, options)
    return Position(
        scenario=name,
        options=dict(sorted(options.items())),
        turn=data.start_turn,
        last_turn=data.end_turn,
        units=tuple(sorted(_unit_setups(data), key=lambda setup: setup.unit)),
        japan_controls=tuple(
            sorted(hex_id for hex_id, side in control.items() if side is Side.JAPAN)
        ),
        decks={side: _starting_deck(data, side) for side in Side},
        tracks=_with_bid(_starting_tracks(data), data, options),
        frames=(TurnFrame(phase=Phase.DEAL),),
        events_played=_events_played(data),
    )


def _starting_control(data: Scenario, options: Mapping[str, str]) -> Mapping[HexId, Side]:
    """Return the controller of every land hex at the start of the game (1.3, 17, OPS-3, OPS-19)."""
    if data.map == "south-pacific":
        if SP_OTHER_HEXES.uses_alternative(options):
            kept_rules = (rule for rule in data.control.rules if rule.order != _EMPIRE_ORDER)
            data = replace(data, control=replace(data.control, rules=tuple(kept_rules)))
        return initial_control(data, options)
    if not SIAM_NAURU.uses_alternative(options):
        return initial_control(data)
    rules = tuple(
        replace(rule, regions=tuple(area for area in rule.regions if area != SIAM))
        for rule in data.control.rules
    )
    control = initial_control(replace(data, control=replace(data.control, rules=rules)))
    return {**control, NAURU: Side.JAPAN} if data.start_turn >= FIRST_TURN_1943 else control


def _steps_on_face(unit: UnitId, face: Face) -> int:
    counter = counters()[unit]
    return 1 if counter.is_hq else counter.steps_on(face)


def _unit_setups(data: Scenario) -> Iterator[UnitSetup]:
    """Yield the set-up of every counter exactly once (17.0-3).

    Set-ups: 17.21, 17.22, 17.31, 17.32, 17.41, 17.42, 17.10.1, 17.10.2; delay boxes: 17.24, 17.34, 17.44, 17.10.4.
    """
    for unit_setup in data.setup:
        yield UnitSetup(
            unit=unit_setup.unit,
            at=unit_setup.at,
            steps=_steps_on_face(unit_setup.unit, unit_setup.face),
        )
    for fixed_unit in data.fixed_units:
        yield UnitSetup(
            unit=fixed_unit.unit, at=fixed_unit.at, steps=_steps_on_face(fixed_unit.unit, Face.FULL)
        )
    for delayed_unit in data.delay_box:
        yield UnitSetup(
            unit=delayed_unit.unit,
            at=DELAY_BOX,
            steps=_steps_on_face(delayed_unit.unit, delayed_unit.face),
        )
    for entries in data.reinforcements:
        for due_unit in entries.units:
            yield _scheduled_unit(
                due_unit.unit, _steps_on_face(due_unit.unit, due_unit.face), entries.turn
            )
    for waiting_unit in data.event_units:
        yield UnitSetup(unit=waiting_unit.unit, at=EVENT, steps=0)
    for unit in data.eliminated:
        hex_id = REMOVED if counters()[unit].prewar or counters()[unit].is_hq else ELIMINATED
        yield UnitSetup(unit=unit, at=hex_id, steps=0)
    for unit in data.unused:
        yield UnitSetup(unit=unit, at=REMOVED, steps=0)


def _scheduled_unit(unit: UnitId, steps: int, turn: int) -> UnitSetup:
    """Return the set-up of a unit that is scheduled to arrive. HQs and B29s can never be delayed (10.23)."""
    counter = counters()[unit]
    is_delayable = counter.delayable and not counter.is_hq and not counter.b29
    return UnitSetup(unit=unit, at=TURN_TRACK, steps=steps, turn=turn, delayable=is_delayable)


def _starting_deck(data: Scenario, side: Side) -> Deck:
    allied = side is Side.ALLIED
    removed_cards = _card_ids(
        side, data.cards.removed.allied if allied else data.cards.removed.japan
    )
    discard = _card_ids(side, data.cards.discard.allied if allied else data.cards.discard.japan)
    number = data.cards.future_offensive.allied if allied else data.cards.future_offensive.japan
    future_card = None if number is None else card_id(side, number)
    used_cards = {*removed_cards, *discard, future_card}
    draw = tuple(card for card in scenario_deck(data, side) if card not in used_cards)
    return Deck(draw=draw, discard=discard, removed=removed_cards, future=future_card)


def _card_ids(side: Side, numbers: tuple[int, ...]) -> tuple[CardId, ...]:
    return tuple(card_id(side, number) for number in sorted(numbers))


def _starting_tracks(data: Scenario) -> Tracks:
    """Return the markers (17.23, 17.33, 17.43), including the nations that have surrendered (17.36, 17.46)."""
    marks: Markers = data.markers
    flags = marks.pw_flags
    values = (
        shared_fields(marks, Tracks)
        | shared_fields(flags, Tracks)
        | {
            "china_front": _CHINA[marks.china_front],
            "india": IndiaStatus.STABLE if marks.india is None else _INDIA[marks.india],
        }
    )
    return Tracks(
        **values,
        war_in_europe_at_turn_start=marks.war_in_europe,
        divisions_in_china=marks.japan_divisions_in_china,
        surrendered=tuple(NationId(nation) for nation in data.politics.surrendered),
        mandates=Side.JAPAN if data.politics.japan_holds_mandates else None,
        hump=marks.burma_road_marker_side == "hump",
        allied_asp_after_reinforcement=marks.allied_asp,
        barges=marks.japan_asp_side == "barges",
        escorts=marks.escort_level,
        us_rivalry=marks.us_isr,
        japan_rivalry=marks.japan_isr,
        tojo_resigned=marks.tojo == "resigned",
        japan_air_points=marks.japan_air_replacements,
        japan_naval_points=marks.japan_naval_replacements,
        aleutians_held=_held_segments("aleutians", flags.alaska_segments),
        hawaii_held=_held_segments("hawaii", flags.hawaii_segments),
        defence_doctrine=marks.japan_defense_plan_drm > 0,
    )


def _with_bid(tracks: Tracks, data: Scenario, options: Mapping[str, str]) -> Tracks:
    """Add the Political Will bid to a campaign's tracks. In December 1941, J-1 adds the bid later (16.48B)."""
    if not isinstance(data.victory, CampaignVictory) or data.start_at == "turn-1-special":
        return tracks
    political_will = tracks.political_will + bid(options, BIDDING_PW)
    return replace(tracks, political_will=min(max(political_will, 0), WILL_TOP))


def _held_segments(area: str, segments: int) -> Mapping[HexId, int]:
    """Return how many segments Japan held an area before the start, keyed by the area's hex (17.38, DS-18).

    The hex is 4600 for the Aleutians and Midway for Hawaii. If there were no such segments, the result is empty.
    """
    if not segments:
        return {}
    hex_id = ATTU_KISKA if area == "aleutians" else MIDWAY
    return {hex_id: segments} if hex_id in board().hexes else {}


def _events_played(data: Scenario) -> tuple[CardId, ...]:
    """Return the removed cards whose event removes them from the game. They count as played events (5.36)."""
    numbers = [(Side.ALLIED, number) for number in data.cards.removed.allied]
    numbers += [(Side.JAPAN, number) for number in data.cards.removed.japan]
    cards_played = (card_id(side, number) for side, number in numbers)
    return tuple(card for card in cards_played if cards()[card].remove_after_event)
