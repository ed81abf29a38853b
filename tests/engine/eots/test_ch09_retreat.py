"""Retreats in step 13 (9.5, 8.47, OPB-28)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch09_battle.retreat import RetreatHandler
from engine.eots.commands import Done, Retreat
from engine.eots.events.units import UnitEliminated
from engine.eots.frames import RetreatFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Moved, State
from tests.engine.eots.battlefield import field, march, retreat
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
def test_illegal_retreats_are_refused(units: dict[str, Place], to: str, broken: list[str]) -> None:
    state = beaten(units)
    command = Retreat(unit=BEATEN, to=HexId(to))
    refused = RetreatHandler().why_not(state, RetreatFrame(waiting=(BEATEN,)), JAPAN, command)
    assert [r.rule for r in refused] == broken


def test_a_unit_is_lost_if_its_entry_hex_is_enemy_occupied() -> None:
    """OPB-28: the hex is now enemy-occupied."""
    done = retreat(beaten({"cw-corps-15": "2013"}, waiting=("jp-army-38",)))
    assert done.steps("jp-army-38") == 0


def test_a_unit_without_an_entry_hex_is_lost() -> None:
    """OPB-28: no entry hex is known for it."""
    done = retreat(beaten(waiting=("jp-army-38",), moved={}))
    assert done.steps("jp-army-38") == 0


def test_eliminated_units_are_skipped() -> None:
    """An attack card after the battle may have eliminated a defeated unit."""
    done = retreat(beaten({BEATEN: ("eliminated", 0)}))
    assert not done.events or not done.all(UnitEliminated)


def test_other_commands_during_a_retreat_are_refused() -> None:
    state = beaten({"cw-corps-15": AT}, waiting=(BEATEN, "cw-corps-15"))
    frame = RetreatFrame(waiting=(UnitId("cw-corps-15"), BEATEN))
    handler = RetreatHandler()
    assert [r.rule for r in handler.why_not(state, frame, JAPAN, Done())] == ["9.5"]
    other = Retreat(unit=BEATEN, to=HexId("2015"))
    assert "retreats first" in str(next(iter(handler.why_not(state, frame, JAPAN, other))))
