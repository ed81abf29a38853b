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
)
from engine.eots.commands import Done, EotsCommand, Place
from engine.eots.counters import counters
from engine.eots.events.tracks import (
    DieRolled,
)
from engine.eots.events.units import UnitBoxed, UnitPlaced, UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase, ReinforcementFrame
from engine.eots.ids import CHINA_BOX, Side, UnitId
from engine.eots.state import DELAY_BOX, OFF_MAP, REMOVED, TURN_TRACK, Arrival, Piece, State
from engine.kernel.decision import Decision
from engine.kernel.dice import ScriptedDice
from tests.engine.eots.positions import position, start_of, with_tracks, with_units
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


def test_an_arriving_hq_supplies_only_its_own_hex() -> None:  # EX10-4
    units = ("joint-hq-anzac", "cw-corps-3-aus")
    ledger = begun(due(position(war_in_europe=1), units))
    hq, corps = u(*units)
    assert Place(unit=corps, at="3727") not in _options(ledger)
    give(ledger, Place(unit=hq, at="3727"), ScriptedDice())
    assert placement_hexes(ledger.state, corps) == ("3727",)
    assert advance(ledger, ScriptedDice()) is None
    assert ledger.state.units[corps] == Piece("3727", 2)


def _options(ledger: EotsRun) -> tuple[EotsCommand, ...]:
    question = advance(ledger, ScriptedDice())
    assert question is not None
    return question.options


def test_reinforcements_of_1942_turn_3() -> None:  # EX17-11
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


def test_reinforcements_of_1943_turn_6_under_rivalry() -> None:  # EX17-12
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
def test_europe_roll_diverts_eligible_units(
    marker: int, rivalry: bool, face: int, gone: bool
) -> None:
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
def test_units_not_eligible_for_europe_are_delayed_without_a_roll(unit: str) -> None:
    ledger = begun(with_tracks(due(start_of("1943"), (unit,)), war_in_europe=-7))
    assert boxed(ledger) == [unit]
    assert of_type(ledger, DieRolled) == []


def test_units_delayed_by_an_event_roll_for_europe_by_the_ruling() -> None:  # CP-44
    coming = due(start_of("1943"), ("us-corps-ix",))
    state = with_tracks(coming, war_in_europe=1, allied_delay_turn=5)
    assert of_type(begun(state), DieRolled) == []
    assert len(of_type(begun(with_tracks(state, war_in_europe=-1), 9), DieRolled)) == 1
    switched = replace(with_tracks(state, war_in_europe=-1), options={"boxed-by-event": "none"})
    assert of_type(begun(switched), DieRolled) == []


# -- placement


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
def test_illegal_placements_are_refused(command: EotsCommand, rule: str) -> None:
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


def test_placement_in_an_unneutralised_zone_is_refused() -> None:  # 10.11-4
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


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="10.11-one-search-per-kind"),
        pytest.param({"naval-stacking": "six-of-a-type"}, id="OP-10-one-search-per-kind"),
    ],
)
@pytest.mark.parametrize("name", ["1942", "1943", "1944"])
def test_grouped_placement_equals_placement_per_unit(name: str, options: dict[str, str]) -> None:
    state = replace(start_of(name), options=options)
    units = sorted(unit for unit, piece in state.units.items() if piece.at in OFF_MAP)
    assert legal_places(state, units) == {unit: placement_hexes(state, unit) for unit in units}


def test_placement_options_are_the_legal_ones() -> None:  # 10.11
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
