"""Retreats in step 13 (9.5, 8.47, OPB-28)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch09_battle.retreat import RetreatHandler, retreat_hexes
from engine.eots.commands import Done, Retreat
from engine.eots.events.units import ControlChanged, UnitEliminated
from engine.eots.frames import RetreatFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, Moved, State
from tests.engine.eots.battlefield import field, landing, march, retreat
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
AT = HexId("2014")
AROUND = ("1913", "2013", "2015", "2113")
BEATEN = UnitId("cw-corps-3-ind")


def beaten(
    units: dict[str, Place] | None = None,
    *,
    waiting: tuple[str, ...] = (BEATEN,),
    allied: tuple[str, ...] = ("2014", "2015", "1913", "2113"),
    moved: dict[str, Moved] | None = None,
    off: Side = JAPAN,
) -> State:
    """Return a position after a battle at Kuantan that the defender lost, entered from 2013."""
    forces: dict[str, Place] = {"jp-army-38": AT, BEATEN: AT, **(units or {})}
    moves = {"jp-army-38": march(AT, "2013")} if moved is None else moved
    state = field(forces, off, AT, moved=moves, allied=allied, japan=["2013"])
    assert state.offensive is not None
    orders = {UnitId(unit): AT for unit in waiting}
    return replace(state, offensive=replace(state.offensive, retreats=orders))


def test_choice_of_named_locations() -> None:
    """9.5, 9-h: friendly named locations come first; the Offensive player chooses among them."""
    state = beaten()
    assert retreat_hexes(state, BEATEN) == ("1913", "2015")
    done = retreat(state, answers=[Retreat(unit=BEATEN, to=HexId("2015"))])
    assert done.questions[0].role == "japan"
    assert done.questions[0].default == Retreat(unit=BEATEN, to=HexId("1913"))
    assert done.state.units[BEATEN].at == "2015"
    assert not done.all(ControlChanged)


def test_sole_named_location_is_taken_unasked() -> None:
    done = retreat(beaten(allied=("2014", "2015")))
    assert not done.questions
    assert done.state.units[BEATEN].at == "2015"


def test_any_other_hex_when_no_named_one_fits() -> None:
    """9.5, 6.5: an enemy-controlled hex without units can be entered and changes hands."""
    state = beaten({"jp-army-25": "2015"}, allied=("2014",))
    assert retreat_hexes(state, BEATEN) == ("1913", "2113")
    done = retreat(state, answers=[Retreat(unit=BEATEN, to=HexId("2113"))])
    assert done.state.control[HexId("2113")] is ALLIED


def test_nowhere_to_go() -> None:
    units: dict[str, Place] = {"jp-army-25": "2015", "jp-army-18": "1913", "jp-army-19": "2113"}
    done = retreat(beaten(units))
    assert done.first(UnitEliminated).unit == BEATEN
    assert done.first(UnitEliminated).rule == "9.5"


def test_one_hex_island() -> None:
    """9.5, OPB-28: no land leads away."""
    state = field(
        {"us-marine-1-division": "4415", "jp-ss-brigade": "4415"},
        ALLIED,
        "4415",
        moved={"us-marine-1-division": landing("4415", "4515")},
    )
    assert state.offensive is not None
    orders = {UnitId("jp-ss-brigade"): HexId("4415")}
    done = retreat(replace(state, offensive=replace(state.offensive, retreats=orders)))
    assert done.steps("jp-ss-brigade") == 0


@pytest.mark.parametrize(
    ("units", "to", "broken"),
    [
        pytest.param({}, "2015", [], id="9.5-named"),
        pytest.param({}, "2113", ["9.5"], id="9.5-named-first"),
        pytest.param({}, "2013", ["9.5"], id="9.5-entry-hex"),
        pytest.param({}, "2112", ["9.5"], id="OPB-28-not-adjacent"),
        pytest.param({}, "2114", ["9.5"], id="OPB-28-water"),
        pytest.param({"jp-hq-south": "2015"}, "2015", ["9.5"], id="9.5-enemy-hq"),
        pytest.param({"jp-ca-aoba": "2015"}, "2015", ["9.5"], id="9.5-enemy-ship"),
        pytest.param(
            {"cw-corps-15": "2015", "cw-corps-33": "2015", "cw-air-fe": "2015"},
            "2015",
            ["8.48"],
            id="8.48-overstacked",
        ),
        pytest.param(
            {"cw-corps-15": "2015", "us-air-5af": "2015", "us-lrb-5af": "2015"},
            "2015",
            [],
            id="8.34-pair-counts-once",
        ),
    ],
)
def test_limits(units: dict[str, Place], to: str, broken: list[str]) -> None:
    state = beaten(units)
    command = Retreat(unit=BEATEN, to=HexId(to))
    refused = RetreatHandler().why_not(state, RetreatFrame(waiting=(BEATEN,)), JAPAN, command)
    assert [r.rule for r in refused] == broken


def test_closed_hexes() -> None:
    """8.41A: Japan may not retreat into the interior of China."""
    state = field(
        {"us-corps-i": "2508", "jp-army-36": "2508"},
        ALLIED,
        "2508",
        moved={"us-corps-i": landing("2508", "2610")},
        japan=["2508", "2609", "2507"],
    )
    assert state.offensive is not None
    orders = {UnitId("jp-army-36"): HexId("2508")}
    state = replace(state, offensive=replace(state.offensive, retreats=orders))
    unit = UnitId("jp-army-36")
    frame, command = RetreatFrame(waiting=(unit,)), Retreat(unit=unit, to=HexId("2507"))
    refused = RetreatHandler().why_not(state, frame, ALLIED, command)
    assert "8.41A" in [r.rule for r in refused]
    assert not {"2408", "2507"} & set(retreat_hexes(state, unit))
    assert "2609" in retreat_hexes(state, unit)


def test_own_units_go_back_first() -> None:
    """9.5: overland units return to the hex from which they came."""
    state = beaten(waiting=("jp-army-38",))
    done = retreat(state)
    assert done.state.units[UnitId("jp-army-38")].at == "2013"
    both = retreat(beaten({"jp-army-25": AT}, waiting=("jp-army-38", BEATEN)))
    assert both.state.units[UnitId("jp-army-38")].at == "2013"


def test_barge_goes_back() -> None:
    """8.47."""
    moved = {"jp-army-38": landing(AT, "2115", Mode.BARGE)}
    done = retreat(beaten(waiting=("jp-army-38",), moved=moved))
    assert done.state.units[UnitId("jp-army-38")].at == "2115"


def test_entry_hex_lost() -> None:
    """OPB-28: the hex is now enemy-occupied."""
    done = retreat(beaten({"cw-corps-15": "2013"}, waiting=("jp-army-38",)))
    assert done.steps("jp-army-38") == 0


def test_enemy_ships_do_not_bar_the_way_back() -> None:
    done = retreat(beaten({"cw-bb-warspite": "2013"}, waiting=("jp-army-38",)))
    assert done.state.units[UnitId("jp-army-38")].at == "2013"


def test_unit_without_a_way_back() -> None:
    """OPB-28: no entry hex is known for it."""
    done = retreat(beaten(waiting=("jp-army-38",), moved={}))
    assert done.steps("jp-army-38") == 0


def test_gone_units_are_skipped() -> None:
    """An attack card after the battle may have eliminated a defeated unit."""
    done = retreat(beaten({BEATEN: ("eliminated", 0)}))
    assert not done.events or not done.all(UnitEliminated)


def test_two_beaten_units_fill_a_hex_in_turn() -> None:
    """8.48: the second unit finds the first one there."""
    units: dict[str, Place] = {"cw-corps-15": AT, "cw-air-fe": "2015", "us-air-5af": "2015"}
    state = beaten(units, waiting=(BEATEN, "cw-corps-15"), allied=("2014", "2015"))
    done = retreat(state)
    assert done.state.units[UnitId("cw-corps-15")].at == "2015"
    assert done.state.units[BEATEN].at in ("1913", "2113")


def test_other_commands() -> None:
    state = beaten({"cw-corps-15": AT}, waiting=(BEATEN, "cw-corps-15"))
    frame = RetreatFrame(waiting=(UnitId("cw-corps-15"), BEATEN))
    handler = RetreatHandler()
    assert [r.rule for r in handler.why_not(state, frame, JAPAN, Done())] == ["9.5"]
    other = Retreat(unit=BEATEN, to=HexId("2015"))
    assert "retreats first" in str(next(iter(handler.why_not(state, frame, JAPAN, other))))
