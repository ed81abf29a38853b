"""The Reinforcement Segment (4.11, 10)."""

from collections.abc import Iterable, Mapping

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.activation import placement_hexes
from engine.eots.ch10_places import legal_places
from engine.eots.ch10_reinforcements import (
    ReinforcementHandler,
    begin_reinforcements,
    placements,
)
from engine.eots.commands import Done, EotsCommand, Place
from engine.eots.counters import counters
from engine.eots.events.tracks import (
    AspLevelChanged,
    AspQuotaFixed,
    DieRolled,
    ReinforcementsDelayed,
    SegmentClosed,
)
from engine.eots.events.units import UnitBoxed, UnitPlaced, UnitRemoved, UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase, ReinforcementFrame
from engine.eots.ids import CHINA_BOX, Side, UnitId
from engine.eots.state import DELAY_BOX, OFF_MAP, REMOVED, TURN_TRACK, Arrival, Piece, State
from engine.kernel.decision import Decision
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Role, Rule
from tests.engine.eots.positions import position, start_of, with_control, with_tracks, with_units
from tests.engine.eots.strategic import (
    advance,
    give,
    in_phase,
    ledger_on,
    of_type,
    refusals,
    rolling,
    rules_against,
    run,
)

Due = Mapping[str, tuple[int, bool]]


def first(question: Decision[EotsCommand]) -> EotsCommand:
    """Take the first option."""
    return question.options[0]


def u(*names: str) -> list[UnitId]:
    """Return unit ids."""
    return [UnitId(name) for name in names]


def due(
    state: State, units: Iterable[str], *, delayable: bool = True, boxed: bool = False
) -> State:
    """Return the state in its Reinforcement Segment with only these units due this turn."""
    pieces, arrivals = dict(state.units), {}
    for unit, piece in state.units.items():
        if piece.at in {TURN_TRACK, DELAY_BOX}:
            pieces[unit] = Piece(REMOVED, 0)
    for unit in u(*units):
        steps = 1 if counters()[unit].is_hq else counters()[unit].max_steps
        pieces[unit] = Piece(DELAY_BOX, steps) if boxed else Piece(TURN_TRACK, 0)
        if not boxed:
            arrivals[unit] = Arrival(state.turn, steps, delayable)
    return in_phase(replace(state, units=pieces, arrivals=arrivals), Phase.REINFORCEMENT)


def begun(state: State, *faces: int) -> EotsRun:
    """Return the ledger after the start of the segment."""
    ledger = ledger_on(state)
    dice = ScriptedDice(*faces)
    begin_reinforcements(rolling(ledger, dice))
    assert dice.faces_left == 0
    return ledger


def whole(state: State, *faces: int) -> EotsRun:
    """Return the ledger after the whole segment, with the first option chosen every time."""
    ledger = ledger_on(state)
    dice = ScriptedDice(*faces)
    begin_reinforcements(rolling(ledger, dice))
    run(ledger, dice, first)
    assert dice.faces_left == 0
    return ledger


def boxed(ledger: EotsRun) -> list[UnitId]:
    """Return the units that went to the delay box."""
    return [event.unit for event in of_type(ledger, UnitBoxed)]


def placed(ledger: EotsRun) -> list[UnitId]:
    """Return the units that were placed."""
    return [event.unit for event in of_type(ledger, UnitPlaced)]


# -- worked examples


def test_turn_2_of_the_campaign() -> None:  # EX10-1
    state = in_phase(start_of("campaign-1941"), Phase.REINFORCEMENT, turn=2)
    ledger = begun(with_tracks(state, war_in_europe=0), 1, 2, 9, 3)
    turn_2 = {unit for unit, row in state.arrivals.items() if row.turn == 2}
    allied = {unit for unit in turn_2 if counters()[unit].side is Side.ALLIED}
    assert set(boxed(ledger)) == allied - {"cw-hq-seac"}
    rolled = [event.about for event in of_type(ledger, DieRolled)]
    assert rolled == ["us-air-5af", "us-corps-xi", "us-lrb-10af", "us-lrb-5af"]
    sent = of_type(ledger, UnitScheduled)
    assert [(event.unit, event.turn, event.delayable) for event in sent] == [
        ("us-air-5af", 5, True)
    ]
    give(ledger, Place(unit=UnitId("cw-hq-seac"), at="1805"), ScriptedDice())
    assert ledger.state.units[UnitId("cw-hq-seac")] == Piece("1805", 1)
    assert ledger.state.arrived_hqs == ("cw-hq-seac",)


def test_delay_lasts_one_turn() -> None:  # EX10-2
    state = in_phase(start_of("1942-44"), Phase.REINFORCEMENT, turn=5)
    arrivals = {unit: row for unit, row in state.arrivals.items() if row.turn in {5, 6}}
    pieces = {
        unit: Piece(REMOVED, 0)
        if piece.at in {TURN_TRACK, DELAY_BOX} and unit not in arrivals
        else piece
        for unit, piece in state.units.items()
    }
    state = replace(state, units=pieces, arrivals=arrivals)
    turn_5 = sorted(unit for unit, row in arrivals.items() if row.turn == 5)
    turn_6 = sorted(unit for unit, row in arrivals.items() if row.turn == 6)
    allied_5 = [unit for unit in turn_5 if counters()[unit].side is Side.ALLIED]
    allied_6 = [unit for unit in turn_6 if counters()[unit].side is Side.ALLIED]
    ledger = whole(with_tracks(state, war_in_europe=-1), 9)
    assert boxed(ledger) == allied_5
    later = whole(in_phase(ledger.state, Phase.REINFORCEMENT, turn=6), 9)
    assert boxed(later) == allied_6
    assert set(allied_5) <= set(placed(later))


def test_allied_shipping_grows() -> None:  # EX10-3
    state = position(war_in_europe=1, allied_asp=0)
    levels = []
    for turn in (2, 3, 4):
        ledger = whole(due(replace(state, turn=turn), ()))
        state = ledger.state
        levels.append(state.tracks.allied_asp_after_reinforcement)
        assert [event.level for event in of_type(ledger, AspQuotaFixed)] == levels[-1:]
    assert levels == [1, 2, 3]


def test_arriving_hq_serves_its_own_hex_only() -> None:  # EX10-4
    units = ("joint-hq-anzac", "cw-corps-3-aus")
    ledger = begun(due(position(war_in_europe=1), units))
    hq, corps = u(*units)
    assert Place(unit=corps, at="3727") not in _options(ledger)
    give(ledger, Place(unit=hq, at="3727"), ScriptedDice())
    assert placement_hexes(ledger.state, corps) == ("3727",)
    assert advance(ledger, ScriptedDice()) is None
    assert ledger.state.units[corps] == Piece("3727", 2)


def test_port_further_off_needs_an_hq_that_was_there() -> None:  # EX10-4
    standing = position({"joint-hq-anzac": "3727"}, war_in_europe=1)
    ledger = begun(due(standing, ("cw-corps-3-aus",)))
    assert Place(unit=UnitId("cw-corps-3-aus"), at="3626") in _options(ledger)


def _options(ledger: EotsRun) -> tuple[EotsCommand, ...]:
    question = advance(ledger, ScriptedDice())
    assert question is not None
    return question.options


def test_1942_turn_3() -> None:  # EX17-11
    state = with_tracks(in_phase(start_of("1942"), Phase.REINFORCEMENT, turn=3), war_in_europe=0)
    waiting = {unit for unit, piece in state.units.items() if piece.at == DELAY_BOX}
    faces = (9,) * 6
    ledger = whole(state, *faces)
    assert len(waiting) == 13
    assert waiting <= set(placed(ledger))
    hqs = {"us-hq-south-pacific-ghormley", "joint-hq-anzac"}
    assert {unit for unit in placed(ledger) if counters()[unit].is_hq} == hqs
    turn_3 = {
        unit
        for unit, row in state.arrivals.items()
        if row.turn == 3 and counters()[unit].side is Side.ALLIED
    }
    assert set(boxed(ledger)) == turn_3 - hqs


def test_1943_turn_6_under_rivalry() -> None:  # EX17-12
    state = in_phase(start_of("1943"), Phase.REINFORCEMENT, turn=6)
    ledger = whole(with_tracks(state, war_in_europe=-1, us_rivalry=True), 2)
    rolls = of_type(ledger, DieRolled)
    assert [(roll.about, roll.face, roll.modifier) for roll in rolls] == [
        ("us-cve-sangamon", 2, -1)
    ]
    assert [event.unit for event in of_type(ledger, UnitScheduled)] == ["us-cve-sangamon"]
    assert ledger.state.arrivals[UnitId("us-cve-sangamon")] == Arrival(9, 2, True)
    boxed_before = {unit for unit, piece in state.units.items() if piece.at == DELAY_BOX}
    assert boxed_before <= set(placed(ledger))


# -- delays


@pytest.mark.parametrize(
    ("tracks", "delayed"),
    [
        pytest.param({"war_in_europe": 1}, [], id="10.21-none"),
        pytest.param(
            {"war_in_europe": 0},
            ["cw-bb-duke-of-york", "us-corps-ix", "us-marine-6-division"],
            id="10.21-war-in-europe",
        ),
        pytest.param(
            {"war_in_europe": 3, "allied_delay_turn": 5},
            ["cw-bb-duke-of-york", "us-corps-ix", "us-marine-6-division"],
            id="10.21-event",
        ),
        pytest.param(
            {"war_in_europe": 3, "allied_delay_turn": 4}, [], id="10.21-event-of-a-past-turn"
        ),
        pytest.param(
            {"war_in_europe": 2, "us_rivalry": True}, ["us-corps-ix"], id="10.21-14.1A-rivalry"
        ),
    ],
)
def test_causes_of_delay(tracks: dict[str, object], delayed: list[str]) -> None:
    coming = ("cw-bb-duke-of-york", "us-corps-ix", "us-marine-6-division", "us-b29-20bc")
    state = due(start_of("1943"), (*coming, "jp-army-2"))
    state = with_tracks(state, **{"us_rivalry": False, **tracks})
    rolls = 1 if delayed and tracks["war_in_europe"] == 0 else 0
    ledger = begun(state, *(9,) * rolls)
    assert boxed(ledger) == delayed
    waiting = [
        frame.waiting for frame in ledger.state.frames if isinstance(frame, ReinforcementFrame)
    ]
    assert waiting == [
        ("jp-army-2",),
        tuple(sorted({*coming} - {*delayed})),
    ]


def test_event_delays_the_next_turn() -> None:  # 10.21, J-80
    ledger = ledger_on(due(start_of("1943"), ("us-corps-ix",)))
    ledger.add(ReinforcementsDelayed(rule=Rule("J-80"), turn=5))
    state = with_tracks(ledger.state, war_in_europe=1, us_rivalry=False)
    assert boxed(begun(state)) == ["us-corps-ix"]


def test_source_may_forbid_delay() -> None:  # 10.21, 10.23
    state = with_tracks(due(start_of("1943"), ("us-corps-ix",), delayable=False), war_in_europe=-7)
    assert boxed(begun(state)) == []


def test_77_brigade_is_never_delayed() -> None:  # 10.23
    state = with_tracks(due(start_of("1943"), ("cw-brigade-77",)), war_in_europe=-7)
    assert boxed(begun(state)) == []


def test_boxed_unit_is_not_boxed_again() -> None:  # 10.21
    state = with_tracks(due(start_of("1943"), ("us-corps-ix",), boxed=True), war_in_europe=-7)
    ledger = begun(state)
    assert boxed(ledger) == []
    assert _options(ledger)


def test_australians_are_lost_after_the_surrender() -> None:  # 13.83
    state = due(start_of("1943"), ("cw-corps-3-aus", "cw-corps-33"))
    ledger = begun(with_tracks(state, surrendered=("australia",), war_in_europe=1))
    assert [event.unit for event in of_type(ledger, UnitRemoved)] == ["cw-corps-3-aus"]


# -- Europe


@pytest.mark.parametrize(
    ("marker", "rivalry", "face", "gone"),
    [
        pytest.param(0, False, 1, True, id="10.24-level-1-hit"),
        pytest.param(0, False, 2, False, id="10.24-level-1-miss"),
        pytest.param(-3, False, 3, True, id="10.24-level-2-hit"),
        pytest.param(-3, False, 4, False, id="10.24-level-2-miss"),
        pytest.param(-3, True, 4, True, id="EX14-3-14.1B-rivalry-4-counts-as-3"),
        pytest.param(-5, False, 5, True, id="10.24-level-3-hit"),
        pytest.param(-5, False, 6, False, id="10.24-level-3-miss"),
        pytest.param(-7, False, 7, True, id="10.24-level-4-hit"),
        pytest.param(-7, False, 8, False, id="10.24-level-4-miss"),
        pytest.param(0, True, 0, True, id="15.6-below-0"),
    ],
)
def test_europe_roll(marker: int, rivalry: bool, face: int, gone: bool) -> None:
    state = due(start_of("1943"), ("us-corps-ix",))
    ledger = begun(with_tracks(state, war_in_europe=marker, us_rivalry=rivalry), face)
    unit = UnitId("us-corps-ix")
    assert ledger.state.units[unit].at == (TURN_TRACK if gone else DELAY_BOX)
    if gone:
        assert ledger.state.arrivals[unit] == Arrival(8, 2, True)


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("us-marine-6-division", id="10.22-marines"),
        pytest.param("us-air-3maw", id="10.22-marine-air"),
        pytest.param("us-cv-hancock", id="10.22-cv"),
        pytest.param("us-cvl-bataan", id="10.22-cvl"),
        pytest.param("cw-corps-4-aus", id="10.22-other-allies"),
    ],
)
def test_not_eligible_for_europe(unit: str) -> None:
    ledger = begun(with_tracks(due(start_of("1943"), (unit,)), war_in_europe=-7))
    assert boxed(ledger) == [unit]
    assert of_type(ledger, DieRolled) == []


def test_unit_diverted_again() -> None:  # 10.24
    state = replace(due(start_of("1943"), ("us-cve-st-lo",)), turn=8)
    ledger = begun(with_tracks(state, war_in_europe=-7), 0)
    again = begun(in_phase(ledger.state, Phase.REINFORCEMENT, turn=11), 0)
    assert again.state.arrivals[UnitId("us-cve-st-lo")].turn == 14


def test_event_box_rolls_with_the_level() -> None:  # CP-44
    coming = due(start_of("1943"), ("us-corps-ix",))
    state = with_tracks(coming, war_in_europe=1, allied_delay_turn=5)
    assert of_type(begun(state), DieRolled) == []
    assert len(of_type(begun(with_tracks(state, war_in_europe=-1), 9), DieRolled)) == 1
    switched = replace(with_tracks(state, war_in_europe=-1), options={"boxed-by-event": "none"})
    assert of_type(begun(switched), DieRolled) == []


# -- shipping points


@pytest.mark.parametrize(
    ("marker", "gains"),
    [
        pytest.param(1, 1, id="10.31-no-effect"),
        pytest.param(-4, 1, id="10.31-level-2"),
        pytest.param(-5, 0, id="10.31-level-3"),
        pytest.param(-7, 0, id="10.31-level-4"),
    ],
)
def test_shipping_gain(marker: int, gains: int) -> None:
    state = due(position(war_in_europe=marker, allied_asp=4), ())
    ledger = whole(state)
    assert ledger.state.tracks.allied_asp == 4 + gains
    assert len(of_type(ledger, AspLevelChanged)) == gains
    assert len(of_type(ledger, SegmentClosed)) == 1


# -- placement


def test_allies_place_before_japan() -> None:  # 10.11-6
    ledger = begun(
        with_tracks(due(start_of("1943"), ("us-cv-essex", "jp-cv-taiho")), war_in_europe=1)
    )
    question = advance(ledger, ScriptedDice())
    assert question is not None
    assert question.role == Role("allied")
    assert {option.unit for option in question.options if isinstance(option, Place)} == {
        "us-cv-essex"
    }
    give(ledger, question.options[0], ScriptedDice())
    question = advance(ledger, ScriptedDice())
    assert question is not None
    assert question.role == Role("japan")


def asking(*coming: str, **tracks: object) -> State:
    """Return the 1943 start with the Allies asked to place units."""
    tracks = {"war_in_europe": 1, "us_rivalry": False, **tracks}
    ledger = begun(with_tracks(due(start_of("1943"), coming), **tracks))
    advance(ledger, ScriptedDice())
    return ledger.state


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Place(unit=UnitId("us-cv-essex"), at="3226"), "10.11", id="10.11-1-no-port"),
        pytest.param(
            Place(unit=UnitId("us-cv-essex"), at="4017"), "10.11", id="10.11-1-enemy-port"
        ),
        pytest.param(Place(unit=UnitId("us-cv-essex"), at="1805"), "10.11", id="10.11-1-no-hq"),
        pytest.param(
            Place(unit=UnitId("us-air-3maw"), at="3724"), "10.11", id="10.11-2-no-airfield"
        ),
        pytest.param(Place(unit=UnitId("us-cv-essex"), at="4828"), "8.24", id="10.11-8-stacking"),
        pytest.param(Place(unit=UnitId("us-cv-shangri-la"), at="5808"), "10.1", id="10.1-not-due"),
        pytest.param(Done(), "10.11", id="10.11-something-else"),
    ],
)
def test_refused(command: EotsCommand, rule: str) -> None:
    state = asking("us-cv-essex", "us-air-3maw")
    crowd = (
        "us-cv-bunker-hill",
        "us-cvl-cowpens",
        "us-cvl-belleau-wood",
        "us-cv-intrepid",
        "us-cv-franklin",
        "us-cvl-bataan",
    )
    crowded = dict.fromkeys(crowd, "4828")
    assert rules_against(with_units(state, crowded), command) == [rule]


def test_unneutralised_zone_refuses() -> None:  # 10.11-4
    standing = {
        "us-hq-southwest-pacific": "3727",
        "jp-hq-south-seas": "4021",
        "jp-air-flotilla-21": "4122",
    }
    state = position(standing, allied=("4024",), war_in_europe=1, us_rivalry=False)
    ledger = begun(due(state, ("us-corps-ix",)))
    advance(ledger, ScriptedDice())
    command = Place(unit=UnitId("us-corps-ix"), at="4024")
    refused = refusals(ledger.state, command)
    assert [refusal.rule for refusal in refused] == ["10.11"]
    assert "zone" in refused[0].text


def test_second_hq_refused() -> None:  # 6.11
    state = asking("us-hq-south-pacific-ghormley")
    hq = UnitId("us-hq-south-pacific-ghormley")
    at = state.units[UnitId("us-hq-central-pacific")].at
    assert rules_against(state, Place(unit=hq, at=at)) == ["6.11"]


def test_arrived_air_units_hinder_the_enemy_at_once_and_open_nothing() -> None:  # 10.11-7
    standing = {
        "us-hq-southwest-pacific": "3727",
        "jp-hq-south-seas": "4021",
        "jp-air-flotilla-21": "4122",
    }
    state = position(standing, allied=("3823", "4024"), war_in_europe=1, us_rivalry=False)
    flier, corps, army = u("us-air-3maw", "us-corps-ix", "jp-army-2")
    ledger = begun(due(state, (flier, corps, army)))
    assert "4024" not in placement_hexes(ledger.state, corps)
    assert "3822" in placement_hexes(ledger.state, army)
    give(ledger, Place(unit=flier, at="3823"), ScriptedDice())
    assert ledger.state.arrived_air == (flier,)
    assert "4024" not in placement_hexes(ledger.state, corps)
    assert "3822" not in placement_hexes(ledger.state, army)
    ledger.add(SegmentClosed())
    assert "4024" in placement_hexes(ledger.state, corps)


def test_one_legal_hex_is_taken_by_itself() -> None:  # 10-a
    state = position({"joint-hq-anzac": "3727"}, war_in_europe=1)
    blocked = {UnitId("joint-hq-anzac")}
    ledger = begun(replace(due(state, ("cw-corps-3-aus",)), arrived_hqs=tuple(blocked)))
    assert advance(ledger, ScriptedDice()) is None
    assert placed(ledger) == ["cw-corps-3-aus"]


def test_contested_hex_is_asked() -> None:  # 10-a: the owner decides which unit gets the last space
    state = position(
        {"joint-hq-anzac": "3727", "cw-corps-3-aus": "3727", "cw-corps-4-aus": "3727"},
        war_in_europe=1,
    )
    coming = ("cw-division-3-nz", "cw-brigade-7-armor")
    state = replace(due(state, coming), arrived_hqs=(UnitId("joint-hq-anzac"),))
    ledger = begun(state)
    question = advance(ledger, ScriptedDice())
    assert question is not None
    assert question.options == tuple(Place(unit=unit, at="3727") for unit in sorted(u(*coming)))
    give(ledger, question.options[1], ScriptedDice())
    assert advance(ledger, ScriptedDice()) is None
    assert boxed(ledger) == ["cw-brigade-7-armor"]


def test_without_a_hex_units_wait_in_the_box() -> None:  # 10.12
    state = position(war_in_europe=-1)
    ledger = whole(due(state, ("us-corps-ix", "jp-army-2"), delayable=False), 9)
    assert boxed(ledger) == ["us-corps-ix", "jp-army-2"]
    assert [roll.about for roll in of_type(ledger, DieRolled)] == ["us-corps-ix"]
    later = whole(in_phase(ledger.state, Phase.REINFORCEMENT, turn=6), 0)
    assert later.state.units[UnitId("us-corps-ix")].at == TURN_TRACK
    assert later.state.units[UnitId("jp-army-2")] == Piece(DELAY_BOX, 2)


@pytest.mark.parametrize(
    "unit",
    [pytest.param("jp-hq-south", id="OPB-11-hq"), pytest.param("us-b29-20bc", id="10.23-b29")],
)
def test_without_a_hex_hqs_and_b29s_stay_on_the_track(unit: str) -> None:
    state = position(war_in_europe=-7)
    if unit == "jp-hq-south":
        state = with_control(state, Side.ALLIED, state.control)
    ledger = whole(due(state, (unit,)))
    assert boxed(ledger) == []
    steps = 1 if unit == "jp-hq-south" else 2
    assert ledger.state.arrivals[UnitId(unit)] == Arrival(6, steps, False)


def test_hq_returns_to_a_port_in_supply_when_no_hq_is_left() -> None:  # OPB-37
    ledger = begun(due(position(war_in_europe=1), ("jp-hq-south",)))
    assert Place(unit=UnitId("jp-hq-south"), at="3706") in _options(ledger)


def test_the_order_of_own_units_is_free_however_many_there_are() -> None:  # 10-a
    coming = ("us-cv-essex", "us-cv-hancock", "us-cve-sangamon", "us-bb-missouri", "us-bb-new-york")
    more = ("us-corps-ix", "us-marine-6-division", "us-marine-5-division", "us-air-3maw")
    ships = ("us-cv-intrepid", "us-cv-franklin", "us-cvl-bataan", "us-cv-shangri-la")
    state = asking(*coming, *more, *ships, "us-cv-bon-homme-richard", "us-bc-alaska")
    frame = state.frames[-1]
    assert isinstance(frame, ReinforcementFrame)
    options = placements(state, frame).options
    assert {option.unit for option in options} == set(frame.waiting)
    assert Place(unit=UnitId("us-cv-shangri-la"), at="5808") in options


def test_event_delivery_is_not_noted_as_arrival() -> None:  # 5.33
    state = replace(due(start_of("1943"), ("us-air-3maw",)), frames=())
    frame = ReinforcementFrame(side=Side.ALLIED, waiting=(UnitId("us-air-3maw"),))
    ledger = ledger_on(replace(state, frames=(frame,)))
    give(ledger, Place(unit=UnitId("us-air-3maw"), at="4826"), ScriptedDice())
    assert ledger.state.arrived_air == ()


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="10.11-one-search-per-kind"),
        pytest.param({"naval-stacking": "six-of-a-type"}, id="OP-10-one-search-per-kind"),
    ],
)
@pytest.mark.parametrize("name", ["1942", "1943", "1944"])
def test_units_of_a_kind_go_to_the_same_places(name: str, options: dict[str, str]) -> None:
    state = replace(start_of(name), options=options)
    units = sorted(unit for unit, piece in state.units.items() if piece.at in OFF_MAP)
    assert legal_places(state, units) == {unit: placement_hexes(state, unit) for unit in units}


def test_options_are_what_nothing_forbids() -> None:  # 10.11
    state = asking("us-cv-essex", "us-air-3maw", "cw-corps-33", "us-hq-south-pacific-ghormley")
    frame = state.frames[-1]
    assert isinstance(frame, ReinforcementFrame)
    handler = ReinforcementHandler()
    options = handler.decision(state, frame, Side.ALLIED).options
    allowed = [
        command
        for unit in frame.waiting
        for at in (*board().hexes, CHINA_BOX)
        if not any(handler.why_not(state, frame, Side.ALLIED, command := Place(unit=unit, at=at)))
    ]
    assert list(options) == allowed
