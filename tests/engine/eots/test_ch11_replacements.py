"""The Replacement Segment (4.12, 11)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch11_pools import (
    allied_pools,
    is_china_cut_off,
    japan_points,
    max_divisions,
    steps_in_pool,
)
from engine.eots.ch11_replacements import (
    ReplacementHandler,
    begin_replacements,
    usable_divisions,
)
from engine.eots.commands import Divisions, Done, EotsCommand, Pass, Rebuild, Repair
from engine.eots.events.tracks import GroundStepsCut, PoolsSet, SegmentClosed
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase, ReplacementFrame
from engine.eots.ids import CHINA_BOX, AreaId, Pool, Side, UnitId
from engine.eots.state import ELIMINATED, Piece, Pools, State
from engine.kernel.decision import Decision
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Role, Rule
from tests.engine.eots.positions import (
    Place,
    position,
    start_of,
    with_control,
    with_tracks,
    with_units,
)
from tests.engine.eots.strategic import (
    advance,
    give,
    in_phase,
    ledger_on,
    of_type,
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


def question(ledger: EotsRun) -> Decision[EotsCommand]:
    """Return the open question."""
    found = advance(ledger, DICE)
    assert found is not None
    return found


def piece(ledger: EotsRun, unit: str) -> Piece:
    return ledger.state.units[UnitId(unit)]


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
def test_allied_pools(turn: int, pools: Pools) -> None:
    state = position(allied=("5808", "1307"), scenario_id="campaign-1941")
    assert allied_pools(replace(state, turn=turn)) == pools


def test_oahu_lost() -> None:  # EX11-3, OPB-31
    state = position(japan=("5808",), scenario_id="1942")
    assert allied_pools(replace(state, turn=3)).us_naval == 0
    assert allied_pools(replace(state, turn=4)).us_naval == 1
    switched = replace(state, turn=4, options={"oahu-even-turns": "all-need-oahu"})
    assert allied_pools(switched).us_naval == 0


@pytest.mark.parametrize(
    ("held", "points_"),
    [
        pytest.param(("2709", "3727"), 1, id="EX11-4-two-bases"),
        pytest.param(("2015",), 1, id="11.33-singapore"),
        pytest.param((), 0, id="11.33-none"),
    ],
)
def test_commonwealth_naval(held: tuple[str, ...], points_: int) -> None:
    bases = ("1307", "1308", "2015", "2709", "3727")
    state = position(japan=bases, allied=held)
    assert allied_pools(replace(state, turn=9)).cw_naval == points_


def test_china_gives_nothing_after_its_surrender() -> None:  # 11.34
    state = replace(position(surrendered=("china",)), turn=5)
    assert allied_pools(state).china_ground == 0


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        pytest.param(1, 1, id="CP-26-one-card"),
        pytest.param(2, 0, id="CP-26-two-cards"),
        pytest.param(3, 0, id="CP-26-not-below-0"),
    ],
)
def test_ground_steps_lost(lost: int, left: int) -> None:
    state = replace(position(replacement_loss={"6": lost}), turn=6)
    assert allied_pools(state).allied_ground == left
    assert allied_pools(replace(state, turn=7)).allied_ground == 2


def test_two_cards_cut_the_steps_of_one_turn() -> None:  # CP-26
    ledger = ledger_on(replace(position(), turn=5))
    for card in ("J-15", "J-82"):
        ledger.add(GroundStepsCut(rule=Rule(card), turn=6, steps=1))
    assert allied_pools(replace(ledger.state, turn=6)).allied_ground == 0


def test_japan_saves_its_points() -> None:  # EX11-5
    state = position(scenario_id="1942", japan_naval_points=0, japan_air_points=3)
    for turn in (3, 4, 5):
        ledger = begun(state, turn)
        while advance(ledger, DICE) is not None:
            give(ledger, Done(), DICE)
        state = ledger.state
    assert state.tracks.japan_naval_points == 2
    assert state.tracks.japan_air_points == 3
    assert japan_points(replace(state, turn=11)) == (3, 3)


# -- Allied spending


def test_turn_2_example() -> None:  # EX11-1
    state = position(
        {
            "us-hq-central-pacific": "5808",
            "us-cv-lexington": ("5808", 1),
            "us-cv-enterprise": ("5808", 1),
            "us-air-7af": (ELIMINATED, 0),
            "us-lrb-7af": (ELIMINATED, 0),
        },
        scenario_id="1942",
    )
    ledger = begun(state, 2)
    assert ledger.state.pools == Pools(2, 5, 2, 0, 0)
    for command in (
        returning(Pool.ALLIED_AIR, "us-air-7af", "5108", 2),
        returning(Pool.ALLIED_AIR, "us-lrb-7af", "5808", 2),
        repairing(Pool.US_NAVAL, "us-cv-lexington"),
        repairing(Pool.US_NAVAL, "us-cv-enterprise"),
    ):
        give(ledger, command, DICE)
    assert ledger.state.pools == Pools(allied_ground=2, allied_air=1)
    assert advance(ledger, DICE) is None or ledger.state.pools == Pools()
    assert piece(ledger, "us-air-7af") == Piece("5108", 2)
    assert piece(ledger, "us-lrb-7af") == Piece("5808", 2)
    assert piece(ledger, "us-cv-lexington") == Piece("5808", 2)
    assert ledger.state.pools == Pools()
    assert ledger.state.rebuilt == ("us-air-7af", "us-lrb-7af")


def test_unit_returns_reduced_and_is_flipped() -> None:  # 11.0-1
    state = position(
        {"us-hq-central-pacific": "5808", "us-air-7af": (ELIMINATED, 0)}, scenario_id="1942"
    )
    ledger = begun(state, 2)
    give(ledger, returning(Pool.ALLIED_AIR, "us-air-7af", "5808"), DICE)
    assert piece(ledger, "us-air-7af") == Piece("5808", 1)
    give(ledger, repairing(Pool.ALLIED_AIR, "us-air-7af"), DICE)
    assert piece(ledger, "us-air-7af") == Piece("5808", 2)


def test_options_are_ordered() -> None:
    state = position(
        {
            "us-hq-central-pacific": "5808",
            "us-air-5af": ("5808", 1),
            "us-air-7af": (ELIMINATED, 0),
            "us-cv-lexington": ("5808", 1),
        },
        scenario_id="1942",
    )
    asked = question(begun(state, 2))
    assert asked.options[:2] == (
        repairing(Pool.ALLIED_AIR, "us-air-5af"),
        repairing(Pool.US_NAVAL, "us-cv-lexington"),
    )
    returns = asked.options[2:-1]
    hexes = [option.at for option in returns if isinstance(option, Rebuild)]
    assert len(hexes) == len(returns)
    assert hexes == sorted(hexes)
    assert returns[:2] == (
        returning(Pool.ALLIED_AIR, "us-air-7af", hexes[0], 1),
        returning(Pool.ALLIED_AIR, "us-air-7af", hexes[0], 2),
    )
    assert asked.options[-1] == asked.default == Done()


def test_done_loses_the_rest() -> None:  # 11.0-6
    state = position(
        {"us-hq-central-pacific": "5808", "us-air-7af": ("5808", 1)}, scenario_id="1942"
    )
    ledger = begun(state, 2)
    give(ledger, Done(), DICE)
    assert ledger.state.pools == Pools()
    assert piece(ledger, "us-air-7af").steps == 1


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
def test_refused(command: EotsCommand, rules: list[str]) -> None:
    state = position(CASES, scenario_id="1942")
    found = rules_against(begun(state, 2).state, command)
    assert [*dict.fromkeys(found)] == rules


def test_too_few_points() -> None:  # 11.0
    state = position(CASES, scenario_id="1942")
    ledger = begun(state, 2)
    pools = replace(ledger.state.pools, allied_air=1)
    ledger.add(PoolsSet(pools=pools))
    two = returning(Pool.ALLIED_AIR, "us-lrb-7af", "5808", 2)
    assert rules_against(ledger.state, two) == ["11.0"]


def test_zone_of_influence_bars_repair() -> None:  # 11.0-2
    units: Units = {
        "us-hq-central-pacific": "5808",
        "us-corps-ix": ("5108", 1),
        "us-cv-lexington": ("5808", 1),
        "jp-hq-combined-fleet-yamamoto": "4715",
        "jp-air-flotilla-21": "4612",
    }
    open_ = begun(position(units, scenario_id="1942"), 2)
    assert repairing(Pool.ALLIED_GROUND, "us-corps-ix") in question(open_).options
    near: Units = {**units, "jp-cv-akagi": "5008"}
    shut = begun(position(near, scenario_id="1942"), 2)
    assert "11.0" in rules_against(shut.state, repairing(Pool.ALLIED_GROUND, "us-corps-ix"))


def test_oahu_points_switch() -> None:  # OPB-12
    state = position(CASES, scenario_id="1942", options={"oahu-points": "any-allied-naval-unit"})
    assert repairing(Pool.US_NAVAL, "cw-bb-warspite") in question(begun(state, 2)).options


def test_commonwealth_ban() -> None:  # CP-26
    units: Units = {
        "cw-hq-seac": "1805",
        "cw-corps-33": ("1805", 1),
        "us-hq-central-pacific": "5808",
        "us-corps-ix": ("5808", 1),
    }
    state = position(units, replacement_loss={"6": 1})
    ledger = begun(state, 6)
    options = question(ledger).options
    assert repairing(Pool.ALLIED_GROUND, "us-corps-ix") in options
    barred = repairing(Pool.ALLIED_GROUND, "cw-corps-33")
    assert rules_against(ledger.state, barred) == ["11.31"]
    assert repairing(Pool.ALLIED_GROUND, "cw-corps-33") in question(begun(state, 7)).options


def test_lost_australians_stay_out() -> None:  # 13.83
    units: Units = {
        "joint-hq-anzac": "5325",
        "cw-corps-3-aus": (ELIMINATED, 0),
        "cw-corps-4-aus": ("5325", 1),
    }
    ledger = begun(position(units, surrendered=("australia",)), 6)
    assert repairing(Pool.ALLIED_GROUND, "cw-corps-4-aus") in question(ledger).options
    back = returning(Pool.ALLIED_GROUND, "cw-corps-3-aus", "5325")
    assert rules_against(ledger.state, back) == ["13.83"]


# -- China


def test_chinese_step() -> None:  # 11.34
    state = position(
        {"cw-hq-seac": "1805", "china-army-5": (ELIMINATED, 0), "china-army-6": ("2407", 1)},
        hump=True,
    )
    ledger = begun(state, 5)
    assert ledger.state.pools.china_ground == 1
    back = returning(Pool.CHINA_GROUND, "china-army-5", "2407")
    options = question(ledger).options
    assert back in options
    assert repairing(Pool.CHINA_GROUND, "china-army-6") in options
    assert not any(isinstance(option, Rebuild) and option.at != "2407" for option in options)
    give(ledger, back, DICE)
    assert piece(ledger, "china-army-5") == Piece("2407", 1)


def test_unit_in_the_china_box() -> None:  # 11.0-2, 13.74-2
    units: Units = {"cw-hq-seac": "1805", "us-lrb-14af": (CHINA_BOX, 1), "us-air-7af": ("1805", 1)}
    step = repairing(Pool.ALLIED_AIR, "us-lrb-14af")
    assert step in question(begun(position(units, hump=True), 5)).options
    assert rules_against(begun(position(units, hump=False), 5).state, step) == ["11.0"]


def test_chinese_step_needs_kunming_as_source() -> None:  # 11.34, 13.75
    state = position({"china-army-5": (ELIMINATED, 0), "us-air-7af": ("5808", 1)}, hump=False)
    state = with_units(state, {"us-hq-central-pacific": "5808"})
    ledger = begun(state, 5)
    back = returning(Pool.CHINA_GROUND, "china-army-5", "2407")
    assert "11.34" in rules_against(ledger.state, back)


# -- Japan


def japan_asked(state: State, turn: int = 5) -> EotsRun:
    """Return the ledger when Japan is first asked."""
    ledger = begun(state, turn)
    while (asked := advance(ledger, DICE)) is not None and asked.role == Role("allied"):
        give(ledger, Done(), DICE)
    return ledger


ARMIES: Units = {
    "jp-hq-combined-fleet-yamamoto": "3706",
    "jp-army-2": ("3706", 1),
    "jp-army-36": (ELIMINATED, 0),
    "jp-air-division-9": ("3706", 1),
    "jp-bb-yamato": ("3706", 1),
}


def test_division_becomes_a_step() -> None:  # EX11-2
    state = position({**ARMIES, "jp-army-36": "3305"}, divisions_in_china=12)
    ledger = japan_asked(state, 2)
    assert question(ledger).options == (Divisions(count=0), Divisions(count=1))
    assert question(ledger).default == Divisions(count=0)
    give(ledger, Divisions(count=1), DICE)
    assert ledger.state.tracks.divisions_in_china == 11
    asked = question(ledger)
    assert asked.options == (repairing(Pool.JAPAN_GROUND, "jp-army-2"),)
    give(ledger, asked.options[0], DICE)
    assert piece(ledger, "jp-army-2") == Piece("3706", 2)
    assert advance(ledger, DICE) is None
    assert len(of_type(ledger, SegmentClosed)) == 1


def test_ground_steps_are_used_before_saved_points() -> None:  # 11.23
    state = position(ARMIES, japan_air_points=1, japan_naval_points=1)
    ledger = japan_asked(state)
    give(ledger, Divisions(count=2), DICE)
    options = question(ledger).options
    assert {option.pool for option in options if isinstance(option, Repair | Rebuild)} == {
        Pool.JAPAN_GROUND
    }
    assert Done() not in options
    assert rules_against(ledger.state, Done()) == ["11.23"]
    air = repairing(Pool.JAPAN_AIR, "jp-air-division-9")
    assert rules_against(ledger.state, air) == ["11.23"]
    give(ledger, returning(Pool.JAPAN_GROUND, "jp-army-36", "3706", 2), DICE)
    assert {*question(ledger).options} == {
        air,
        repairing(Pool.JAPAN_NAVAL, "jp-bb-yamato"),
        Done(),
    }
    give(ledger, air, DICE)
    give(ledger, Done(), DICE)
    assert steps_in_pool(ledger.state, Pool.JAPAN_AIR) == 0
    assert steps_in_pool(ledger.state, Pool.JAPAN_NAVAL) == 1


@pytest.mark.parametrize(
    ("tracks", "count"),
    [
        pytest.param({"divisions_in_china": 12}, 2, id="11.23-at-most-2"),
        pytest.param({"divisions_in_china": 1}, 1, id="11.23-one-left"),
        pytest.param({"divisions_in_china": 0}, 0, id="11.23-none-left"),
    ],
)
def test_most_divisions(tracks: dict[str, object], count: int) -> None:
    assert max_divisions(position(ARMIES, **tracks)) == count  # type: ignore[arg-type]  # tracks by name


def test_divisions_only_as_far_as_they_can_be_used() -> None:  # 11.23
    state = position({**ARMIES, "jp-army-36": "3305"})
    assert usable_divisions(state) == 1
    ledger = japan_asked(state)
    assert rules_against(ledger.state, Divisions(count=2)) == ["11.23"]
    assert rules_against(ledger.state, Divisions(count=3)) == ["11.23"]
    assert rules_against(ledger.state, Done()) == ["11.23"]
    assert usable_divisions(position({"jp-hq-south": "2212"})) == 0


def test_no_division_when_china_is_cut_off() -> None:  # 13.71-5
    state = position(ARMIES, allied=(*CHINA_PORTS, *KOREA_PORTS))
    assert is_china_cut_off(state)
    assert max_divisions(state) == 0
    assert not is_china_cut_off(with_control(state, Side.JAPAN, ("3306",)))
    assert not is_china_cut_off(with_control(state, Side.JAPAN, ("2508",)))
    assert not is_china_cut_off(replace(state, options={"hainan": "china"}))


def test_nothing_to_do_closes_by_itself() -> None:
    state = position(
        {"us-hq-central-pacific": "5808", "jp-hq-south": "2212"}, scenario_id="campaign-1941"
    )
    ledger = begun(state, 5)
    assert advance(ledger, DICE) is None
    assert ledger.state.pools == Pools()


def test_arrived_hq_supports_its_own_hex_only() -> None:  # 11.0-3
    units: Units = {"joint-hq-anzac": "3727", "cw-corps-3-aus": (ELIMINATED, 0)}
    state = replace(position(units), arrived_hqs=(UnitId("joint-hq-anzac"),))
    found = {o.at for o in question(begun(state, 5)).options if isinstance(o, Rebuild)}
    assert found == {"3727"}


def test_returned_air_units_neutralise_after_the_segment() -> None:  # 11.0-4
    state = position(
        {"us-hq-central-pacific": "5808", "us-air-7af": (ELIMINATED, 0)}, scenario_id="1942"
    )
    ledger = begun(state, 2)
    give(ledger, returning(Pool.ALLIED_AIR, "us-air-7af", "5808", 2), DICE)
    assert "us-air-7af" in ledger.state.arrived_air
    while advance(ledger, DICE) is not None:
        give(ledger, Done(), DICE)
    assert not ledger.state.arrived_air


def test_south_pacific() -> None:  # 17.10.5 G-J
    state = replace(start_of("south-pacific"), turn=4)
    assert allied_pools(state) == Pools(allied_ground=1, allied_air=4, us_naval=1)
    assert max_divisions(state) == 1
    points_before = with_tracks(state, japan_naval_points=2, japan_air_points=2)
    assert japan_points(points_before) == (2, 2)


@pytest.mark.parametrize("name", ["1942", "1943", "1944"])
def test_options_are_what_nothing_forbids(name: str) -> None:  # 11.0
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
