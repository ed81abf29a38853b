"""The worked examples of chapter 9, by number."""

import pytest

from engine.eots.ch09_battle.participants import participants
from engine.eots.ch09_battle.preview import preview_battle
from engine.eots.ch09_battle.strength import AIR_NAVAL, GROUND
from engine.eots.commands import Hit, Pass, ShiftStep
from engine.eots.events.battle import (
    AirNavalDecided,
    AirNavalRolled,
    GroundDecided,
    GroundRolled,
    HitsLost,
    IntrinsicLost,
)
from engine.eots.events.offensive import RetreatOrdered, UnitsExpelled
from engine.eots.frames import BattleFrame, HitsFrame, Stage
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Condition
from tests.engine.eots.battlefield import assign, field, fight, landing, march, resume, retreat
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN


def hits(*units: str) -> tuple[Hit, ...]:
    return tuple(Hit(unit=UnitId(unit)) for unit in units)


@pytest.mark.parametrize(
    ("face", "expected"),
    [
        pytest.param(2, 12, id="EX9-1-quarter"),
        pytest.param(5, 24, id="EX9-1-half"),
        pytest.param(6, 47, id="EX9-1-one"),
    ],
)
def test_total_of_a_mixed_force(face: int, expected: int) -> None:
    units: dict[str, Place] = {
        "us-cv-enterprise": "2812",
        "us-lrb-5af": "3012",
        "us-air-5af": "3011",
        "us-air-7af": "3112",
        "us-bb-new-york": "2812",
        "jp-bb-yamato": "2812",
    }
    joined = dict.fromkeys(("us-lrb-5af", "us-air-5af", "us-air-7af"), "2812")
    preview = preview_battle(field(units, ALLIED, joined=joined), HexId("2812"))
    own = preview.air_naval[0]
    assert {s.unit: s.attack for s in own.strengths} == {
        "us-cv-enterprise": 12,
        "us-lrb-5af": 4,
        "us-air-5af": 10,
        "us-air-7af": 5,
        "us-bb-new-york": 16,
    }
    assert (own.total, own.modifier, own.hits[face]) == (47, 0, expected)


def test_a_full_strength_unit_protects_reduced_units() -> None:
    """EX9-2: 10 hits are left; a full unit costs 18, a reduced one 10."""
    units: dict[str, Place] = {
        "us-bb-new-york": "2812",
        "jp-bb-yamato": ("2812", 2),
        "jp-ca-aoba": ("2812", 1),
        "jp-ca-takao": ("2812", 2),
        "jp-ca-mogami": ("2812", 2),
    }
    targets = tuple(UnitId(u) for u in sorted(units) if u.startswith("jp"))
    frame = HitsFrame(hex=HexId("2812"), side=ALLIED, hits=30, targets=targets, has_ships=True)
    done = assign(field(units, ALLIED), frame, answers=hits("jp-ca-mogami", "jp-ca-takao"))
    assert done.first(HitsLost, side=ALLIED).hits == 10
    assert (done.steps("jp-bb-yamato"), done.steps("jp-ca-aoba")) == (2, 1)


def test_one_carrier_match_allows_one_carrier_loss() -> None:
    """EX9-3: the only match is used up, and the other carrier is still at full strength."""
    units: dict[str, Place] = {
        "jp-cv-shokaku": ("3012", 2),
        "us-cv-essex": "2612",
        "us-cv-hancock": "2612",
        "cw-division-hk": "2812",
    }
    joined = {"jp-cv-shokaku": "2812", "us-cv-essex": "2812", "us-cv-hancock": "2812"}
    state = field(units, JAPAN, joined=joined, reacting=("us-cv-essex", "us-cv-hancock"))
    done = fight(state, 6, 0, answers=hits("us-cv-essex"))
    assert done.first(AirNavalRolled, side=JAPAN).hits == 14
    assert (done.steps("us-cv-essex"), done.steps("us-cv-hancock")) == (1, 2)
    ample = HitsFrame(
        hex=HexId("2812"),
        side=JAPAN,
        hits=45,
        targets=(UnitId("us-cv-essex"), UnitId("us-cv-hancock")),
        matches=1,
    )
    again = assign(state, ample, answers=hits("us-cv-hancock"))
    assert (again.steps("us-cv-essex"), again.steps("us-cv-hancock")) == (2, 1)
    assert again.first(HitsLost).hits == 31


def test_a_carrier_step_loss_can_be_shifted() -> None:
    """EX9-4."""
    units: dict[str, Place] = {
        "jp-cv-soryu": "2812",
        "jp-cvl-zuiho": "2812",
        "us-bb-new-york": "2812",
        "us-ca-us-asia": "2812",
    }
    shift = ShiftStep(loser=UnitId("jp-cvl-zuiho"), gainer=UnitId("jp-cv-soryu"))
    done = fight(field(units, ALLIED), 6, 0, answers=(shift,))
    assert (done.steps("jp-cv-soryu"), done.steps("jp-cvl-zuiho")) == (2, 0)
    declined = fight(field(units, ALLIED), 6, 0, answers=(Pass(),))
    assert (declined.steps("jp-cv-soryu"), declined.steps("jp-cvl-zuiho")) == (1, 1)


def test_pearl_harbor_halves_defences_and_allows_no_return_roll() -> None:
    """EX9-5: defences are halved, and the Allied side does not roll."""
    units: dict[str, Place] = {
        "jp-cv-akagi": "5506",
        "jp-cv-soryu": "5506",
        "jp-cv-shokaku": "5506",
        "jp-bb-hiei": "5506",
        "us-bb-md-ca": "5808",
        "us-air-7af": "5808",
        "us-lrb-7af": "5808",
        "us-ca-new-orleans": "5808",
        "us-hq-central-pacific": "5808",
    }
    joined = dict.fromkeys(("jp-cv-akagi", "jp-cv-soryu", "jp-cv-shokaku"), "5808")
    state = field(
        units,
        JAPAN,
        "5808",
        joined=joined,
        condition=Condition.SURPRISE,
        turn=1,
        card="J-1",
        event=True,
    )
    assert UnitId("jp-bb-hiei") in participants(state, HexId("5808"))
    done = fight(state, 8, answers=hits("us-air-7af", "us-bb-md-ca", "us-lrb-7af"))
    rolled = done.first(AirNavalRolled)
    assert (rolled.total, rolled.modified, rolled.hits) == (36, 11, 36)
    assert len(done.all(AirNavalRolled)) == 1
    left = [done.steps(u) for u in ("us-bb-md-ca", "us-air-7af", "us-lrb-7af", "us-ca-new-orleans")]
    assert left == [0, 0, 0, 1]
    assert done.first(HitsLost).hits == 2


def test_philippine_strike_at_extended_range() -> None:
    """EX9-6: 11 + 8 + 8 at extended range, 12 in the hex."""
    units: dict[str, Place] = {
        "jp-air-division-5": "2909",
        "jp-air-flotilla-21": "2908",
        "jp-air-flotilla-23": "2908",
        "jp-ca-takao": "2812",
        "us-air-feaf": "2812",
        "us-lrb-19": "2812",
    }
    joined = dict.fromkeys(
        ("jp-air-division-5", "jp-air-flotilla-21", "jp-air-flotilla-23"), "2812"
    )
    state = field(units, JAPAN, joined=joined, condition=Condition.SURPRISE, turn=1)
    done = fight(state, 2, 0)
    rolled = done.first(AirNavalRolled, side=JAPAN)
    assert [s.attack for s in rolled.strengths] == [11, 8, 8, 12]
    assert (rolled.total, rolled.modified, rolled.hits) == (39, 5, 20)
    assert (done.steps("us-air-feaf"), done.steps("us-lrb-19")) == (1, 1)
    assert done.first(HitsLost, side=JAPAN).hits == 1


def test_hong_kong_example() -> None:
    """EX9-7."""
    units: dict[str, Place] = {"jp-army-17": ("2709", 1), "cw-division-hk": "2709"}
    state = field(
        units, JAPAN, "2709", moved={"jp-army-17": march("2709", "2708")}, allied=["2709"]
    )
    done = fight(state, 5, 9)
    mine = done.first(GroundRolled, side=JAPAN)
    assert [(m.row, m.value) for m in mine.modifiers] == [("O4", -2)]
    assert (mine.modified, mine.hits) == (3, 9)
    assert done.first(GroundRolled, side=ALLIED).hits == 6
    assert (done.steps("cw-division-hk"), done.steps("jp-army-17")) == (0, 1)
    assert done.state.control[HexId("2709")] is JAPAN


def test_shore_bombardment_and_air_superiority() -> None:
    """EX9-8: no step at sea, +2 +2 -2 for the landing, +3 against it."""
    units: dict[str, Place] = {"jp-cvl-zuiho": "2913", "jp-army-14": "2913", "us-corps-sl": "2913"}
    moved = {"jp-army-14": landing("2913", "2912")}
    state = field(units, JAPAN, "2913", moved=moved, contested=True, allied=["2913"])
    done = fight(state, 7, 0, 0)
    assert done.first(AirNavalRolled).hits == 8
    assert done.first(HitsLost, rule="9.2").hits == 8
    mine, theirs = done.first(GroundRolled, side=JAPAN), done.first(GroundRolled, side=ALLIED)
    assert [(m.row, m.value) for m in mine.modifiers] == [("O1", 2), ("O2", 2), ("O4", -2)]
    assert (mine.modified, theirs.modified) == (2, 3)
    assert [(m.row, m.value) for m in theirs.modifiers] == [("R1", 3)]


def test_kuantan_tie_makes_the_attacker_retreat() -> None:
    """EX9-9: 14 hits by the table (OPB-10); each side loses one step, and the attacker goes back."""
    units: dict[str, Place] = {"jp-army-38": "2014", "cw-corps-3-ind": "2014"}
    state = field(
        units,
        JAPAN,
        "2014",
        moved={"jp-army-38": march("2014", "2013")},
        allied=["2014"],
        japan=["2013"],
    )
    done = fight(state, 1, 7)
    assert done.first(GroundRolled, side=JAPAN).hits == 9
    assert done.first(GroundRolled, side=ALLIED).hits == 14
    assert (done.steps("jp-army-38"), done.steps("cw-corps-3-ind")) == (1, 1)
    decided = done.first(GroundDecided)
    assert (decided.winner, decided.offensive_steps, decided.reaction_steps) == (ALLIED, 1, 1)
    assert done.state.control[HexId("2014")] is ALLIED
    back = retreat(done.state)
    assert back.state.units[UnitId("jp-army-38")].at == "2013"


def test_hollandia_tie_in_air_naval_combat_expels_the_landed_brigade() -> None:
    """EX9-10: 18 against 18, so the landed brigade does not fight."""
    units: dict[str, Place] = {
        "us-cv-enterprise": "3520",
        "us-air-5af": "3620",
        "us-marine-sf-brigade": "3520",
        "jp-bb-yamato": "3520",
    }
    state = field(
        units,
        ALLIED,
        "3520",
        joined={"us-air-5af": "3520"},
        moved={"us-marine-sf-brigade": landing("3520", "3920")},
        reacting=["jp-bb-yamato"],
    )
    done = fight(state, 5, 6)
    assert done.first(AirNavalRolled, side=ALLIED).hits == 11
    assert done.first(AirNavalRolled, side=JAPAN).hits == 18
    assert (done.steps("us-cv-enterprise"), done.steps("jp-bb-yamato")) == (1, 2)
    decided = done.first(AirNavalDecided)
    assert (decided.winner, decided.offensive_total, decided.reaction_total) == (JAPAN, 18, 18)
    assert done.first(UnitsExpelled).units == ("us-marine-sf-brigade",)
    assert not done.all(GroundRolled)


def test_air_units_win_against_ships_alone() -> None:
    """EX9-11: the Offensive player has lost every air-capable unit."""
    units: dict[str, Place] = {
        "us-bb-washington": "2812",
        "us-bb-missouri": "2812",
        "us-bb-new-york": ("2812", 1),
        "jp-air-division-8": ("3012", 1),
        "jp-army-14": "2812",
    }
    state = field(units, ALLIED, joined={"jp-air-division-8": "2812"})
    done = fight(state, 9, 0)
    decided = done.first(AirNavalDecided)
    assert (decided.offensive_total, decided.reaction_total) == (40, 4)
    assert decided.winner is JAPAN


def test_one_match_covers_two_air_units() -> None:
    """EX9-12."""
    units: dict[str, Place] = {
        "us-air-5af": "3012",
        "jp-air-division-6": "2812",
        "jp-air-division-7": "2812",
    }
    state = field(units, ALLIED, joined={"us-air-5af": "2812"})
    ample = HitsFrame(
        hex=HexId("2812"),
        side=ALLIED,
        hits=30,
        targets=(UnitId("jp-air-division-6"), UnitId("jp-air-division-7")),
        matches=1,
    )
    done = assign(state, ample, answers=hits("jp-air-division-7"))
    assert (done.steps("jp-air-division-6"), done.steps("jp-air-division-7")) == (2, 1)


def test_tsuji_replaces_every_modifier() -> None:
    """EX9-13: jungle or mixed, sole ships, a landing; only the flat +4 counts."""
    units: dict[str, Place] = {"jp-ca-aoba": "2913", "jp-army-14": "2913", "us-corps-sl": "2913"}
    state = field(
        units,
        JAPAN,
        "2913",
        moved={"jp-army-14": landing("2913", "2912")},
        contested=True,
        card="J-3",
        event=True,
    )
    done = fight(state, 0, 0, 0)
    mine, theirs = done.first(GroundRolled, side=JAPAN), done.first(GroundRolled, side=ALLIED)
    assert [(m.row, m.rule, m.value) for m in mine.modifiers] == [("G1", "J-3", 4)]
    assert mine.modified == 4
    assert theirs.modified == 3


@pytest.mark.parametrize(
    ("modified", "quarters"),
    [(-1, 2), (2, 2), (3, 4), (6, 4), (7, 6), (8, 6), (9, 8), (13, 8)],
    ids=lambda value: f"EX9-14-ground-{value}",
)
def test_ground_table_results(modified: int, quarters: int) -> None:
    assert GROUND.result(modified) == quarters


@pytest.mark.parametrize(
    ("modified", "quarters"),
    [(-1, 1), (2, 1), (3, 2), (5, 2), (6, 4), (8, 4), (9, 4), (10, 4), (12, 4)],
    ids=lambda value: f"EX9-14-air-naval-{value}",
)
def test_air_naval_table_results(modified: int, quarters: int) -> None:
    assert AIR_NAVAL.result(modified) == quarters


@pytest.mark.parametrize(
    ("count", "left"),
    [pytest.param(6, 1, id="EX9-15-six-hits"), pytest.param(5, 2, id="EX9-15-five-hits")],
)
def test_a_landed_army_defends_at_half_strength(count: int, left: int) -> None:
    state = field(
        {"jp-army-14": "2913", "us-corps-sl": "2913"},
        JAPAN,
        "2913",
        moved={"jp-army-14": landing("2913", "2912")},
    )
    frame = HitsFrame(
        hex=HexId("2913"), side=ALLIED, hits=count, ground=True, targets=(UnitId("jp-army-14"),)
    )
    assert assign(state, frame).steps("jp-army-14") == left


def test_a_march_into_a_hex_with_only_air_units_takes_control() -> None:
    """EX9-16, OPB-35: it is flipped but not removed, and the hex changes hands without ground combat."""
    units: dict[str, Place] = {"jp-army-38": "2014", "cw-air-fe": "2014"}
    state = field(
        units, JAPAN, "2014", moved={"jp-army-38": march("2014", "2013")}, allied=["2014"]
    )
    done = fight(state, 9)
    assert done.first(AirNavalRolled).hits == 7
    assert done.first(AirNavalDecided).winner is ALLIED
    assert not done.all(GroundRolled)
    assert done.steps("jp-army-38") == 1
    assert done.state.control[HexId("2014")] is JAPAN
    assert done.steps("cw-air-fe") == 2


def test_home_city_army_retreats_and_its_intrinsic_unit_is_lost() -> None:
    """EX9-17, 13.94: in Kure the army retreats, and the intrinsic unit is lost permanently."""
    units: dict[str, Place] = {
        "us-corps-i": "3407",
        "us-corps-x": "3407",
        "jp-army-36": ("3407", 1),
    }
    moved = {u: march("3407", "3408") for u in ("us-corps-i", "us-corps-x")}
    state = field(units, ALLIED, "3407", moved=moved, japan=["3407", "3506", "3507"])
    kure = BattleFrame(
        hex=HexId("3407"),
        stage=Stage.CONCLUSION,
        intrinsic=1,
        lost=(UnitId("jp-army-36"),),
        ground_fought=True,
    )
    done = resume(state, kure)
    assert done.first(GroundDecided).winner is ALLIED
    assert done.first(RetreatOrdered).units == ("jp-army-36",)
    assert done.first(IntrinsicLost).count == 1
    assert done.state.control[HexId("3407")] is ALLIED
    assert HexId("3407") in done.state.tracks.cities_taken
    assert retreat(done.state).state.units[UnitId("jp-army-36")].at == "3506"
