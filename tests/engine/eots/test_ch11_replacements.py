"""The Replacement Segment (4.12, 11)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch11_pools import (
    allied_pools,
    is_china_cut_off,
    max_divisions,
    steps_in_pool,
)
from engine.eots.ch11_replacements import (
    ReplacementHandler,
    begin_replacements,
)
from engine.eots.commands import Divisions, EotsCommand, Pass, Rebuild, Repair
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase, ReplacementFrame
from engine.eots.ids import AreaId, Pool, Side, UnitId
from engine.eots.state import ELIMINATED, Pools, State
from engine.kernel.dice import ScriptedDice
from tests.engine.eots.positions import (
    Place,
    position,
    start_of,
    with_control,
)
from tests.engine.eots.strategic import (
    advance,
    in_phase,
    ledger_on,
    rolling,
    rules_against,
)

CHINA_PORTS = ("2508", "2609", "2809", "2908", "3007", "3104", "3105")
KOREA_PORTS = ("3305", "3306")
DICE = ScriptedDice()
Units = dict[str, Place]


def repairing(pool: Pool, unit: str) -> Repair:
    return Repair(pool=pool, unit=UnitId(unit))


def returning(pool: Pool, unit: str, at: str, steps: int = 1) -> Rebuild:
    return Rebuild(pool=pool, unit=UnitId(unit), at=at, steps=steps)


def begun(state: State, turn: int | None = None) -> EotsRun:
    """Return the ledger at the first question of the segment."""
    ledger = ledger_on(in_phase(state, Phase.REPLACEMENT, turn))
    begin_replacements(rolling(ledger, DICE))
    advance(ledger, DICE)
    return ledger


# -- pools


@pytest.mark.parametrize(
    ("turn", "pools"),
    [
        pytest.param(2, Pools(2, 5, 2, 0, 0), id="EX11-1-turn-2"),
        pytest.param(3, Pools(2, 5, 1, 0, 1), id="11.3-turn-3"),
        pytest.param(4, Pools(2, 5, 2, 0, 0), id="11.3-turn-4"),
        pytest.param(6, Pools(2, 5, 2, 1, 0), id="11.33-turn-6-commonwealth"),
        pytest.param(9, Pools(2, 5, 1, 1, 1), id="11.33-turn-9"),
        pytest.param(12, Pools(2, 5, 2, 1, 0), id="11.33-turn-12"),
        pytest.param(1, Pools(), id="11.3-turn-1"),
    ],
)
def test_allied_replacement_pools_per_turn(turn: int, pools: Pools) -> None:
    state = position(allied=("5808", "1307"), scenario_id="campaign-1941")
    assert allied_pools(replace(state, turn=turn)) == pools


def test_us_naval_replacements_after_the_loss_of_oahu() -> None:  # EX11-3, OPB-31
    state = position(japan=("5808",), scenario_id="1942")
    assert allied_pools(replace(state, turn=3)).us_naval == 0
    assert allied_pools(replace(state, turn=4)).us_naval == 1
    switched = replace(state, turn=4, options={"oahu-even-turns": "all-need-oahu"})
    assert allied_pools(switched).us_naval == 0


# -- Allied spending


CASES: Units = {
    "us-hq-central-pacific": "5808",
    "cw-hq-seac": "1805",
    "us-air-7af": ("5808", 1),
    "us-air-11af": "5808",
    "us-lrb-7af": (ELIMINATED, 0),
    "us-air-5af": ("3023", 1),
    "us-corps-ix": ("5108", 1),
    "us-cv-wasp": (ELIMINATED, 0),
    "us-cv-lexington": ("5808", 1),
    "us-air-feaf": ("5108", 1),
    "dutch-air": ("5108", 1),
    "cw-bb-warspite": ("1805", 1),
    "cw-corps-3-aus": (ELIMINATED, 0),
    "china-army-5": (ELIMINATED, 0),
    "jp-army-2": ("4021", 1),
    "jp-air-flotilla-21": "5008",
}


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        pytest.param(repairing(Pool.ALLIED_AIR, "us-air-11af"), ["11.0"], id="11.0-1-full"),
        pytest.param(repairing(Pool.ALLIED_AIR, "us-lrb-7af"), ["11.0"], id="11.0-1-not-on-map"),
        pytest.param(repairing(Pool.ALLIED_AIR, "us-air-5af"), ["11.0"], id="11.0-2-supply"),
        pytest.param(repairing(Pool.ALLIED_AIR, "us-air-feaf"), ["11.1"], id="11.1-pre-war"),
        pytest.param(
            repairing(Pool.ALLIED_AIR, "dutch-air"), ["11.1", "11.35", "11.0"], id="11.35-dutch"
        ),
        pytest.param(
            repairing(Pool.ALLIED_AIR, "us-cv-lexington"), ["11.0", "11.32"], id="11.32-air-only"
        ),
        pytest.param(repairing(Pool.CW_NAVAL, "cw-bb-warspite"), ["11.0"], id="11.33-no-points"),
        pytest.param(
            repairing(Pool.US_NAVAL, "cw-bb-warspite"), ["11.0", "11.33"], id="OPB-12-us-units"
        ),
        pytest.param(repairing(Pool.JAPAN_GROUND, "jp-army-2"), ["11.0"], id="11.0-enemy-pool"),
        pytest.param(
            returning(Pool.ALLIED_AIR, "us-lrb-7af", "4017"), ["10.11"], id="11.0-3-enemy-base"
        ),
        pytest.param(
            returning(Pool.ALLIED_AIR, "us-lrb-7af", "5808", 3), ["11.0"], id="11.0-1-steps"
        ),
        pytest.param(
            returning(Pool.ALLIED_AIR, "us-air-7af", "5808"), ["11.0"], id="11.0-1-not-eliminated"
        ),
        pytest.param(
            returning(Pool.ALLIED_GROUND, "china-army-5", "2407"),
            ["11.0", "11.34"],
            id="11.34-own-steps",
        ),
        pytest.param(Divisions(count=1), ["11.23"], id="11.23-japan-only"),
        pytest.param(repairing(Pool.ALLIED_AIR, "us-air-99af"), ["11.0"], id="11.0-no-such-unit"),
        pytest.param(
            returning(Pool.ALLIED_AIR, "us-air-99af", "5808"), ["11.0"], id="11.0-no-such-return"
        ),
        pytest.param(
            returning(Pool.ALLIED_AIR, "us-lrb-7af", "nowhere"), ["10.11"], id="11.0-3-no-such-hex"
        ),
        pytest.param(
            returning(Pool.US_NAVAL, "us-hq-central-pacific", "5808"),
            ["11.0", "11.33"],
            id="11.0-no-hqs",
        ),
        pytest.param(Pass(), ["11.0"], id="11.0-something-else"),
    ],
)
def test_illegal_replacements_are_refused(command: EotsCommand, rules: list[str]) -> None:
    state = position(CASES, scenario_id="1942")
    found = rules_against(begun(state, 2).state, command)
    assert [*dict.fromkeys(found)] == rules


# -- Japan


ARMIES: Units = {
    "jp-hq-combined-fleet-yamamoto": "3706",
    "jp-army-2": ("3706", 1),
    "jp-army-36": (ELIMINATED, 0),
    "jp-air-division-9": ("3706", 1),
    "jp-bb-yamato": ("3706", 1),
}


def test_no_division_is_replaced_if_china_is_cut_off() -> None:  # 13.71-5
    state = position(ARMIES, allied=(*CHINA_PORTS, *KOREA_PORTS))
    assert is_china_cut_off(state)
    assert max_divisions(state) == 0
    assert not is_china_cut_off(with_control(state, Side.JAPAN, ("3306",)))
    assert not is_china_cut_off(with_control(state, Side.JAPAN, ("2508",)))
    assert not is_china_cut_off(replace(state, options={"hainan": "china"}))


@pytest.mark.parametrize("name", ["1942", "1943", "1944"])
def test_replacement_options_are_the_legal_commands(name: str) -> None:  # 11.0
    state = begun(start_of(name), 6).state
    frame = state.frames[-1]
    assert isinstance(frame, ReplacementFrame)
    handler = ReplacementHandler()
    options = set(handler.decision(state, frame, frame.side).options)
    units, pools = sorted(state.units), [pool for pool in Pool if steps_in_pool(state, pool)]
    commands: list[EotsCommand] = [Repair(pool=p, unit=u) for p in pools for u in units]
    lost = [unit for unit in units if state.units[unit].at == ELIMINATED]
    commands += [
        Rebuild(pool=pool, unit=unit, at=at, steps=steps)
        for pool in pools
        for unit in lost
        for at in (*board().areas[AreaId("australia")].bases, "5808", "1805", "4017", "2407")
        for steps in (1, 2)
    ]
    for command in commands:
        allowed = not any(handler.why_not(state, frame, frame.side, command))
        assert allowed is (command in options), command
