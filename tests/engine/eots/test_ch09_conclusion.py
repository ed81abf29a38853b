"""Before the first roll and after the last hit: 8.45B, 8.46, order of battles, control, 9.4C, 16.45."""

import pytest

from engine.eots.ch09_battle.battle import BattleHandler
from engine.eots.ch09_battle.battles import BattlesHandler
from engine.eots.commands import Done, Resolve, ShiftStep
from engine.eots.events.battle import (
    GroundDecided,
    IntrinsicLost,
    UsForceWipedOut,
)
from engine.eots.events.offensive import RetreatOrdered
from engine.eots.events.units import StepLost
from engine.eots.frames import BattleFrame, BattlesFrame, Stage
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import BattleHex, Mode, Moved
from engine.kernel.dice import Die
from tests.engine.eots.battlefield import field, fight, landing, march, resume
from tests.engine.eots.positions import Place, with_units

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
AT = "2812"


# -- order of battles (7.2 step 11, 7.27)


def two_battles(**hexes: BattleHex) -> dict[str, BattleHex]:
    return {name.removeprefix("h"): battle for name, battle in hexes.items()}


@pytest.mark.parametrize(
    ("at", "broken"),
    [
        pytest.param("2812", ["7.27"], id="7.27-switched-first"),
        pytest.param("2813", [], id="7.27-switched"),
        pytest.param("2912", ["9.0"], id="9.0-over"),
        pytest.param("3012", ["7.24"], id="7.24-no-battle"),
    ],
)
def test_resolving_an_ineligible_battle_is_refused(at: str, broken: list[str]) -> None:
    units: dict[str, Place] = {
        "jp-army-14": "2812",
        "us-corps-sl": "2812",
        "jp-army-15": "2813",
        "us-corps-nl": "2813",
    }
    hexes = two_battles(
        h2812=BattleHex(), h2813=BattleHex(switched=True), h2912=BattleHex(resolved=True)
    )
    state = field(units, JAPAN, battles=hexes)
    refused = BattlesHandler().why_not(state, BattlesFrame(), JAPAN, Resolve(at=HexId(at)))
    assert [r.rule for r in refused] == broken


def test_commands_of_other_frames_are_refused() -> None:
    state = field({"jp-army-14": "2812", "us-corps-sl": "2812"}, JAPAN)
    frame = BattleFrame(hex=HexId(AT))
    assert list(BattlesHandler().why_not(state, BattlesFrame(), JAPAN, Done()))
    assert list(BattleHandler().why_not(state, frame, JAPAN, Done()))
    shift = ShiftStep(loser=UnitId("jp-cv-akagi"), gainer=UnitId("jp-cv-soryu"))
    assert list(BattleHandler().why_not(state, frame, JAPAN, shift))


# -- unescorted landings (8.45B), carried brigades (8.46)


def unescorted(**more: Place) -> dict[str, Place]:
    return {
        "jp-army-14": AT,
        "us-bb-missouri": AT,
        **{k.replace("_", "-"): v for k, v in more.items()},
    }


@pytest.mark.parametrize(
    ("escort", "moved", "is_struck"),
    [
        pytest.param({"jp-ca-aoba": AT}, {}, False, id="OP-25-escort-in-the-hex"),
        pytest.param(
            {"jp-ca-aoba": ("removed", 0)},
            {
                "jp-ca-aoba": Moved(
                    mode=Mode.NAVAL, origin="3012", path=(HexId(AT),), entered_from="2912"
                )
            },
            False,
            id="OP-25-escort-sunk-since",
        ),
        pytest.param({"jp-ca-aoba": "3012"}, {}, True, id="8.45B-escort-elsewhere"),
    ],
)
def test_unescorted_landings_lose_steps(
    escort: dict[str, Place], moved: dict[str, Moved], is_struck: bool
) -> None:
    units: dict[str, Place] = {**unescorted(), **escort, "us-corps-sl": AT}
    moves = {"jp-army-14": landing(AT, "2811"), **moved}
    state = field(units, JAPAN, moved=moves, reacting=["us-bb-missouri"], allied=[AT])
    done = fight(state, dice=_Fives())
    assert bool([e for e in done.all(StepLost) if e.rule == "8.45B"]) is is_struck


class _Fives:
    """Dice that always roll 5."""

    def roll(self, die: Die) -> int:
        return 5

    def pick(self, items: object) -> str:
        raise AssertionError(items)


# -- winner and control (9.32, 9.33, 9.4C)


@pytest.mark.parametrize(
    ("lost", "units", "winner", "ordered"),
    [
        pytest.param(
            ["us-corps-sl"],
            {"jp-army-14": AT, "us-corps-sl": (AT, 1)},
            JAPAN,
            ["us-corps-sl"],
            id="9.4C-1-more-steps-lose",
        ),
        pytest.param(
            ["us-corps-sl", "jp-army-14"],
            {"jp-army-14": (AT, 1), "us-corps-sl": (AT, 1)},
            ALLIED,
            ["jp-army-14"],
            id="9.4C-1-tie",
        ),
        pytest.param(
            [], {"jp-army-14": AT, "us-corps-sl": AT}, ALLIED, ["jp-army-14"], id="9.4C-1-no-loss"
        ),
    ],
)
def test_remaining_steps_decide_the_ground_winner(
    lost: list[str], units: dict[str, Place], winner: Side, ordered: list[str]
) -> None:
    moved = {"jp-army-14": march(AT, "2912")}
    frame = BattleFrame(
        hex=HexId(AT),
        stage=Stage.CONCLUSION,
        ground_fought=True,
        lost=tuple(UnitId(u) for u in lost),
    )
    done = resume(field(units, JAPAN, moved=moved, allied=[AT]), frame)
    assert done.first(GroundDecided).winner is winner
    assert list(done.first(RetreatOrdered).units) == ordered
    assert (done.state.control[HexId(AT)] is JAPAN) is (winner is JAPAN)


@pytest.mark.parametrize(
    ("options", "winner"),
    [
        pytest.param({}, ALLIED, id="OPB-8-ground-combat"),
        pytest.param({"steps-compared": "whole-battle"}, JAPAN, id="OPB-8-whole-battle"),
    ],
)
def test_steps_compared_follow_the_ruling(options: dict[str, str], winner: Side) -> None:
    units: dict[str, Place] = {"jp-army-14": AT, "us-corps-sl": (AT, 1)}
    frame = BattleFrame(
        hex=HexId(AT),
        stage=Stage.CONCLUSION,
        ground_fought=True,
        lost_before=(UnitId("us-corps-sl"),),
    )
    state = field(
        units, JAPAN, moved={"jp-army-14": march(AT, "2912")}, allied=[AT], options=options
    )
    assert resume(state, frame).first(GroundDecided).winner is winner


def test_reaction_side_keeps_control_if_both_are_eliminated() -> None:
    """9.4C-2: the Reaction player keeps control."""
    units: dict[str, Place] = {"jp-sn-1": (AT, 1), "cw-brigade-77": (AT, 1)}
    state = field(units, ALLIED, moved={"cw-brigade-77": march(AT, "2912")}, japan=[AT])
    done = resume(state, BattleFrame(hex=HexId(AT), stage=Stage.GROUND), 7, 9)
    assert (done.steps("jp-sn-1"), done.steps("cw-brigade-77")) == (0, 1)
    gone = with_units(state, dict.fromkeys(units, ("eliminated", 0)))
    over = BattleFrame(
        hex=HexId(AT), stage=Stage.CONCLUSION, ground_fought=True, lost=(UnitId("jp-sn-1"),)
    )
    assert resume(gone, over).first(GroundDecided).winner is JAPAN
    assert resume(gone, over).state.control[HexId(AT)] is JAPAN


def test_intrinsic_losses_count_as_steps() -> None:
    """OPB-8, OPB-36: intrinsic units count, cannot retreat, and are eliminated in a defeat."""
    units: dict[str, Place] = {"us-corps-i": "2709", "us-corps-x": "2709"}
    moved = {u: march("2709", "2708") for u in units}
    state = field(units, ALLIED, "2709", japan=["2709"], moved=moved, divisions_in_china=12)
    frame = BattleFrame(hex=HexId("2709"), stage=Stage.GROUND, intrinsic=3)
    done = resume(state, frame, 5, 0)
    assert done.first(GroundDecided).reaction_steps == 3
    assert done.first(GroundDecided).winner is ALLIED
    again = resume(state, frame, 2, 0)
    assert again.first(GroundDecided).reaction_steps == 1
    assert again.first(GroundDecided).offensive_steps == 1
    assert again.first(GroundDecided).winner is JAPAN
    third = resume(state, frame, 4, 0)
    assert (
        sum(e.count for e in third.all(IntrinsicLost)) == third.first(GroundDecided).reaction_steps
    )


def test_a_reaction_landing_regains_a_passed_hex() -> None:
    """6.5: the last ground unit to enter controls the hex, even if that was in reaction."""
    units: dict[str, Place] = {"jp-army-14": (AT, 1), "us-corps-i": AT}
    moved = {"jp-army-14": march(AT, "2912"), "us-corps-i": landing(AT, "3012")}
    frame = BattleFrame(hex=HexId(AT), stage=Stage.GROUND)
    done = resume(field(units, JAPAN, moved=moved, japan=[AT]), frame, 0, 9)
    assert done.state.control[HexId(AT)] is ALLIED


# -- US casualties (16.45)


@pytest.mark.parametrize(
    ("units", "off", "noted"),
    [
        pytest.param(
            {"us-corps-i": (AT, 1), "us-corps-r": (AT, 1)},
            ALLIED,
            True,
            id="EX16-6-corps-and-prewar",
        ),
        pytest.param({"us-corps-r": (AT, 1)}, ALLIED, False, id="EX16-6-prewar-only"),
        pytest.param({"us-marine-1-division": (AT, 1)}, ALLIED, True, id="16.45-marines"),
        pytest.param({"us-marine-m-brigade": (AT, 1)}, ALLIED, False, id="16.45-brigade"),
        pytest.param({"cw-corps-15": (AT, 1)}, ALLIED, False, id="16.45-not-us"),
        pytest.param({"us-corps-i": AT, "us-corps-x": AT}, ALLIED, False, id="EX16-7-one-survives"),
        pytest.param({"us-corps-i": (AT, 1)}, JAPAN, False, id="16.45-defender"),
    ],
)
def test_heavy_us_ground_casualties_are_recorded(
    units: dict[str, Place], off: Side, noted: bool
) -> None:
    forces: dict[str, Place] = {**units, "jp-army-14": AT, "jp-army-15": AT}
    own = {u: march(AT, "2912") for u in forces if (u[:2] == "jp") is (off is JAPAN)}
    state = field(forces, off, moved=own, turn=6)
    done = resume(
        state,
        BattleFrame(hex=HexId(AT), stage=Stage.GROUND),
        *((0, 6) if off is ALLIED else (6, 0)),
    )
    assert bool(done.all(UsForceWipedOut)) is noted
    assert (done.state.tracks.us_force_lost_turn == 6) is noted
