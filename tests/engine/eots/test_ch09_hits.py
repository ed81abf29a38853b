"""Assigning hits: costs, limits, questions, refusals (9.2F, 9.4B)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch09_battle.assignment import HitsHandler
from engine.eots.ch09_battle.shift import ShiftLoss
from engine.eots.commands import Done, EotsCommand, Hit, Pass, SaveStep, ShiftStep, WeakCritical
from engine.eots.events.battle import AirNavalRolled, HitsLost, IntrinsicLost
from engine.eots.events.units import StepGained, StepLost, UnitPlaced
from engine.eots.frames import BattleFrame, HitsFrame, Stage
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from tests.engine.eots.battlefield import assign, field, fight, resume
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
AT = HexId("2812")
SHOOTER = {"us-bb-missouri": "2812"}


def ids(*units: str) -> tuple[UnitId, ...]:
    return tuple(UnitId(unit) for unit in units)


def hit(unit: str) -> Hit:
    return Hit(unit=UnitId(unit))


def target(
    units: dict[str, Place],
    hits: int,
    *,
    critical: bool = False,
    matches: int = 0,
    has_ships: bool = True,
    options: dict[str, str] | None = None,
    **more: object,
) -> tuple[State, HitsFrame]:
    """Return Allied hits on Japanese units."""
    state = field({**units, **SHOOTER}, ALLIED, options=options, japan=["2812"])
    frame = HitsFrame(
        hex=AT,
        side=ALLIED,
        hits=hits,
        critical=critical,
        targets=tuple(UnitId(u) for u in sorted(units)),
        matches=matches,
        has_ships=has_ships,
    )
    return state, replace(frame, **more)


@pytest.mark.parametrize(
    ("units", "unit", "frame", "broken"),
    [
        pytest.param({"jp-ca-aoba": "2812"}, "jp-ca-aoba", {"hits": 10}, [], id="9.2F-1-pays"),
        pytest.param(
            {"jp-ca-aoba": "2812"}, "jp-ca-aoba", {"hits": 9}, ["9.2"], id="9.2F-1-too-dear"
        ),
        pytest.param(
            {"jp-ca-aoba": "2812"}, "us-bb-missouri", {"hits": 99}, ["9.2"], id="9.2F-own"
        ),
        pytest.param(
            {"jp-ca-aoba": ("2812", 1), "jp-bb-yamato": "2812"},
            "jp-ca-aoba",
            {"hits": 10},
            ["9.2"],
            id="9.2F-2-full-first",
        ),
        pytest.param(
            {"jp-ca-aoba": ("2812", 1), "jp-bb-yamato": "3012"},
            "jp-ca-aoba",
            {"hits": 10},
            ["9.2"],
            id="9.2F-2-full-escort-outside",
        ),
        pytest.param(
            {"jp-ca-aoba": ("2812", 1), "jp-cv-akagi": "3012"},
            "jp-ca-aoba",
            {"hits": 10},
            ["9.2"],
            id="9.2F-2-full-but-unmatched",
        ),
        pytest.param(
            {"jp-ca-aoba": ("2812", 1), "jp-bb-yamato": "2812"},
            "jp-ca-aoba",
            {"hits": 10, "critical": True},
            [],
            id="9.2F-6-critical-lifts-F-2",
        ),
        pytest.param(
            {"jp-cv-akagi": "2812"}, "jp-cv-akagi", {"hits": 12}, [], id="9.2F-4-free-in-hex"
        ),
        pytest.param(
            {"jp-cv-akagi": "2812"},
            "jp-cv-akagi",
            {"hits": 12, "has_ships": False},
            ["9.2"],
            id="9.2F-4-no-ship-of-the-roller",
        ),
        pytest.param(
            {"jp-cv-akagi": "3012"}, "jp-cv-akagi", {"hits": 12}, ["9.2"], id="9.2F-4-outside"
        ),
        pytest.param(
            {"jp-cv-akagi": "3012"},
            "jp-cv-akagi",
            {"hits": 12, "critical": True},
            ["9.2"],
            id="OPB-4-critical-keeps-F-4",
        ),
        pytest.param(
            {"jp-cv-akagi": "3012"},
            "jp-cv-akagi",
            {"hits": 12, "matches": 1},
            [],
            id="9.2F-4-matched",
        ),
        pytest.param(
            {"jp-cv-akagi": "3012", "jp-cv-soryu": "3012"},
            "jp-cv-akagi",
            {"hits": 12, "matches": 1, "matched": ids("jp-cv-soryu")},
            ["9.2"],
            id="9.2F-4-match-used-up",
        ),
        pytest.param(
            {"jp-cv-akagi": ("3012", 1)},
            "jp-cv-akagi",
            {"hits": 12, "matches": 1, "matched": ids("jp-cv-akagi")},
            [],
            id="9.2F-4-same-target-again",
        ),
        pytest.param(
            {"jp-ca-aoba": "3012"},
            "jp-ca-aoba",
            {"hits": 10, "has_ships": False},
            [],
            id="9.2F-4-ships-free",
        ),
        pytest.param(
            {"jp-army-14": ("2812", 1)}, "jp-army-14", {"hits": 99}, ["9.2"], id="9.2F-5-last-step"
        ),
        pytest.param({"jp-army-14": "2812"}, "jp-army-14", {"hits": 12}, [], id="9.2F-5-flip"),
        pytest.param(
            {"jp-army-14": ("2812", 1), "jp-army-15": ("2812", 1)},
            "jp-army-15",
            {"hits": 99, "saved": UnitId("jp-army-15")},
            ["9.2"],
            id="9.2F-5-named",
        ),
        pytest.param(
            {"jp-army-14": ("2812", 1)},
            "intrinsic",
            {"hits": 99, "intrinsic": 2},
            ["13.76"],
            id="13.76-last",
        ),
        pytest.param(
            {"jp-army-14": ("2812", 1)},
            "jp-army-14",
            {"hits": 99, "intrinsic": 1},
            [],
            id="9.2F-5-intrinsic-is-the-last-step",
        ),
        pytest.param(
            {"jp-army-14": ("2812", 1)},
            "jp-army-14",
            {"hits": 12, "ground": True},
            [],
            id="9.4B-removes-all",
        ),
        pytest.param(
            {"jp-army-14": ("2812", 1), "jp-army-15": "2812"},
            "jp-army-14",
            {"hits": 99, "ground": True},
            ["9.4"],
            id="9.4B-3-full-first",
        ),
        pytest.param(
            {"jp-army-14": ("2812", 1)},
            "jp-army-14",
            {"hits": 11, "ground": True},
            ["9.4"],
            id="9.4B-2-price",
        ),
    ],
)
def test_hits_beyond_the_limits_are_refused(
    units: dict[str, Place], unit: str, frame: dict[str, object], broken: list[str]
) -> None:
    fields = {"hits": 0, **frame}
    state, hits = target(units, 0)
    hits = replace(hits, **fields)
    assert [r.rule for r in HitsHandler().why_not(state, hits, ALLIED, hit(unit))] == broken


def test_other_ruling_lets_a_critical_hit_override_f_4() -> None:
    """OPB-4: under the alternative reading a critical hit overrides F-4."""
    units: dict[str, Place] = {"jp-cv-akagi": "3012"}
    state, hits = target(units, 12, critical=True, options={"critical-scope": "lifts-f2-and-f4"})
    assert not list(HitsHandler().why_not(state, hits, ALLIED, hit("jp-cv-akagi")))


def test_the_rolling_side_cannot_stop_while_hits_can_be_assigned() -> None:
    """OPB-9: while a step can be paid for, there is no way to end."""
    units: dict[str, Place] = {"jp-ca-aoba": "2812", "jp-bb-yamato": "2812"}
    state, hits = target(units, 18)
    done = assign(state, hits, answers=[hit("jp-ca-aoba")])
    assert done.questions[0].options == (hit("jp-bb-yamato"), hit("jp-ca-aoba"))
    assert done.first(HitsLost).hits == 8
    handler = HitsHandler()
    refused = list(handler.why_not(state, hits, ALLIED, Done()))
    assert [r.rule for r in refused] == ["9.2"]


@pytest.mark.parametrize(
    ("units", "hits", "steps"),
    [
        pytest.param({"jp-ca-aoba": "2812"}, 99, [0], id="9-b-one-target"),
        pytest.param({"jp-ca-aoba": "2812", "jp-bb-yamato": "2812"}, 28, [1, 1], id="9-b-all-flip"),
        pytest.param({"jp-ca-aoba": "2812", "jp-bb-yamato": "2812"}, 56, [0, 0], id="9-b-all-die"),
        pytest.param(
            {"jp-ca-aoba": ("2812", 1), "jp-ca-nachi": ("2812", 1)},
            20,
            [0, 0],
            id="9-b-all-reduced-die",
        ),
    ],
)
def test_hits_without_a_choice_are_assigned_automatically(
    units: dict[str, Place], hits: int, steps: list[int]
) -> None:
    done = assign(*target(units, hits))
    assert not done.questions
    assert [done.steps(unit) for unit in sorted(units, reverse=True)] == sorted(steps)


def test_carrier_match_limits_leave_a_choice() -> None:
    """9.2F-4: there are hits for all but one match for two units, so the roller chooses (9-c)."""
    units: dict[str, Place] = {"jp-cv-akagi": "3012", "jp-cv-soryu": "3012"}
    done = assign(*target(units, 99, matches=1), answers=[hit("jp-cv-soryu")])
    assert len(done.questions) == 1
    assert (done.steps("jp-cv-akagi"), done.steps("jp-cv-soryu")) == (2, 1)


def test_reaction_side_may_save_a_step() -> None:
    """9.2F-5, 9-d: there are hits for every ground step; the saved unit is flipped and kept."""
    units: dict[str, Place] = {
        "jp-army-14": "2812",
        "jp-sn-1": ("2812", 1),
        "jp-ss-brigade": "2812",
    }
    state, hits = target(units, 99)
    done = assign(state, hits, answers=[SaveStep(unit=UnitId("jp-sn-1"))])
    assert done.questions[0].role == "japan"
    assert done.questions[0].default == SaveStep(unit=UnitId("jp-army-14"))
    assert [done.steps(u) for u in sorted(units)] == [0, 1, 0]
    default = assign(state, hits)
    assert [default.steps(u) for u in sorted(units)] == [1, 0, 0]


def test_reaction_side_chooses_the_saved_step_even_when_rolling() -> None:
    """OPB-33: the hit ground units belong to the Offensive player, but the Reaction player names the one to save."""
    units: dict[str, Place] = {
        "us-corps-i": ("2812", 1),
        "us-corps-x": ("2812", 1),
        "jp-air-division-1": "2812",
    }
    state = field(units, ALLIED, japan=["2812"])
    hits = HitsFrame(hex=AT, side=JAPAN, hits=30, targets=ids("us-corps-i", "us-corps-x"))
    done = assign(state, hits, answers=[SaveStep(unit=UnitId("us-corps-x"))])
    assert done.questions[0].role == "japan"
    assert (done.steps("us-corps-i"), done.steps("us-corps-x")) == (0, 1)


def test_no_step_is_saved_if_hits_do_not_eliminate_all() -> None:
    """9-d is asked only if every step would be lost."""
    units: dict[str, Place] = {"jp-army-14": ("2812", 1), "jp-army-15": ("2812", 1)}
    done = assign(*target(units, 23), answers=[hit("jp-army-14")])
    assert [q.role for q in done.questions] == ["allied"]
    assert (done.steps("jp-army-14"), done.steps("jp-army-15")) == (0, 1)


def test_the_last_intrinsic_unit_is_kept_as_the_last_step() -> None:
    """9.2F-5, 13.76: all others may be eliminated; of two intrinsic units one stays."""
    units: dict[str, Place] = {"jp-army-14": ("2709", 1), "us-bb-missouri": "2709"}
    state = field(units, ALLIED, "2709", japan=["2709"])
    hits = HitsFrame(
        hex=HexId("2709"), side=ALLIED, hits=99, targets=ids("jp-army-14"), intrinsic=2
    )
    done = assign(state, hits)
    assert done.steps("jp-army-14") == 0
    assert len(done.all(IntrinsicLost)) == 1
    assert done.first(HitsLost).hits == 99 - 12 - 12
    ground = assign(state, replace(hits, ground=True))
    assert len(ground.all(IntrinsicLost)) == 2


def test_a_weak_critical_hits_the_lowest_defence() -> None:
    """9.2F-6: with too few hits, the unit with the lowest defence still loses a step."""
    units: dict[str, Place] = {
        "jp-ca-aoba": ("2812", 1),
        "jp-bb-yamato": "2812",
        "jp-cl-tenryu": "2812",
    }
    done = assign(*target(units, 3, critical=True))
    assert done.all(StepLost) == (
        StepLost(rule=done.first(StepLost).rule, unit=UnitId("jp-cl-tenryu")),
    )
    assert not done.questions


def test_reaction_side_breaks_a_weak_critical_tie() -> None:
    """9-e: the default is the lowest attack."""
    units: dict[str, Place] = {"jp-ca-aoba": "2812", "jp-ca-nachi": "2812", "jp-bb-yamato": "2812"}
    state, hits = target(units, 0, critical=True)
    done = assign(state, hits, answers=[WeakCritical(unit=UnitId("jp-ca-aoba"))])
    question = done.questions[0]
    assert question.role == "japan"
    assert question.default == WeakCritical(unit=UnitId("jp-ca-nachi"))
    assert done.steps("jp-ca-aoba") == 1
    assert len(done.all(StepLost)) == 1


def test_weak_critical_needs_a_legal_target() -> None:
    """9.2F-6 with F-4 and F-5 in force."""
    assert not assign(*target({"jp-cv-akagi": "3012"}, 3, critical=True)).all(StepLost)
    assert not assign(*target({"jp-army-14": ("2812", 1)}, 3, critical=True)).all(StepLost)
    assert not assign(*target({"jp-ca-aoba": "2812"}, 3)).all(StepLost)


def test_a_critical_hit_may_eliminate_both_steps() -> None:
    """9.2F-6: one unit loses both steps while another is at full strength."""
    units: dict[str, Place] = {"jp-ca-aoba": "2812", "jp-bb-yamato": "2812"}
    done = assign(*target(units, 20, critical=True), answers=[hit("jp-ca-aoba")])
    assert (done.steps("jp-ca-aoba"), done.steps("jp-bb-yamato")) == (0, 2)


@pytest.mark.parametrize(
    ("command", "broken"),
    [
        pytest.param(SaveStep(unit=UnitId("jp-ca-aoba")), ["9.2"], id="9.2F-5-nothing-to-save"),
        pytest.param(WeakCritical(unit=UnitId("jp-ca-aoba")), ["9.2"], id="9.2F-6-not-weak"),
        pytest.param(Hit(unit=UnitId("jp-ca-takao")), ["9.2"], id="9.2F-not-there"),
        pytest.param(Pass(), ["9.2"], id="OPB-9-pass"),
    ],
)
def test_illegal_hit_assignments_are_refused(command: EotsCommand, broken: list[str]) -> None:
    state, hits = target({"jp-ca-aoba": "2812"}, 20)
    assert [r.rule for r in HitsHandler().why_not(state, hits, ALLIED, command)] == broken


def test_illegal_saved_steps_and_weak_criticals_are_refused() -> None:
    state, hits = target({"jp-army-14": "2812", "jp-army-15": "2812"}, 99)
    refused = HitsHandler().why_not(state, hits, JAPAN, SaveStep(unit=UnitId("jp-army-16")))
    assert "not a ground unit" in str(next(iter(refused)))
    state, hits = target({"jp-ca-aoba": "2812", "jp-bb-yamato": "2812"}, 0, critical=True)
    refused = HitsHandler().why_not(state, hits, JAPAN, WeakCritical(unit=UnitId("jp-bb-yamato")))
    assert "lowest defence" in str(next(iter(refused)))


FLEET: dict[str, Place] = {
    "jp-cv-akagi": ("2812", 1),
    "jp-cv-soryu": ("2812", 2),
    "jp-ca-aoba": "2812",
}


def shifting(units: dict[str, Place], **fields: object) -> tuple[State, BattleFrame]:
    state = field({**units, **SHOOTER}, ALLIED)
    frame = BattleFrame(
        hex=AT,
        stage=Stage.SHIFT,
        begun=True,
        participants=tuple(UnitId(u) for u in sorted({**units, **SHOOTER})),
        lost=ids("jp-cv-akagi"),
    )
    return state, replace(frame, **fields)


@pytest.mark.parametrize(
    ("units", "fields", "loser", "gainer", "broken"),
    [
        pytest.param(FLEET, {}, "jp-cv-soryu", "jp-cv-akagi", 0, id="9.2F-7-legal"),
        pytest.param(
            FLEET, {"critical": (ALLIED,)}, "jp-cv-soryu", "jp-cv-akagi", 1, id="9.2F-7-critical"
        ),
        pytest.param(
            FLEET, {"critical": (JAPAN,)}, "jp-cv-soryu", "jp-cv-akagi", 0, id="9.2F-7-own-critical"
        ),
        pytest.param(FLEET, {}, "jp-cv-akagi", "jp-cv-akagi", 1, id="9.2F-7-same"),
        pytest.param(FLEET, {}, "jp-cv-akagi", "jp-cv-soryu", 1, id="9.2F-7-lost-nothing"),
        pytest.param(FLEET, {}, "jp-ca-aoba", "jp-cv-akagi", 1, id="9.2F-7-no-carrier"),
        pytest.param(
            {"jp-cv-akagi": ("2812", 1)},
            {},
            "jp-cv-soryu",
            "jp-cv-akagi",
            2,
            id="9.2F-7-one-carrier",
        ),
        pytest.param(
            {**FLEET, "jp-cv-soryu": ("eliminated", 0)},
            {},
            "jp-cv-soryu",
            "jp-cv-akagi",
            1,
            id="9.2F-7-loser-is-gone",
        ),
    ],
)
def test_illegal_carrier_loss_shifts_are_refused(
    units: dict[str, Place], fields: dict[str, object], loser: str, gainer: str, broken: int
) -> None:
    state, frame = shifting(units, **fields)
    command = ShiftStep(loser=UnitId(loser), gainer=UnitId(gainer))
    assert len(list(ShiftLoss().refusals(state, frame, JAPAN, command))) == broken


def test_an_eliminated_carrier_returns_to_the_hex_it_fought_from() -> None:
    """9.2F-7: it returns from eliminated to reduced, in its hex outside the battle."""
    units: dict[str, Place] = {
        "us-cv-essex": "2612",
        "us-cv-hancock": "2612",
        "us-bb-missouri": "2812",
        "jp-cv-akagi": ("3012", 1),
        "jp-cvl-zuiho": ("3012", 1),
        "jp-army-14": "2812",
    }
    joined = dict.fromkeys(("us-cv-essex", "us-cv-hancock", "jp-cv-akagi", "jp-cvl-zuiho"), "2812")
    state = field(units, ALLIED, joined=joined)
    shift = ShiftStep(loser=UnitId("jp-cv-akagi"), gainer=UnitId("jp-cvl-zuiho"))
    done = fight(state, 2, 0, answers=[shift])
    order = [
        type(e) for e in done.events if isinstance(e, AirNavalRolled | StepGained | UnitPlaced)
    ]
    assert order == [AirNavalRolled, AirNavalRolled, UnitPlaced]  # OPB-5: after all hits
    assert done.steps("jp-cv-akagi") == 0
    back = done.state.units[UnitId("jp-cvl-zuiho")]
    assert (back.at, back.steps) == ("3012", 1)


def test_japan_cannot_shift_losses_after_a_critical() -> None:
    units: dict[str, Place] = {
        "jp-cv-akagi": "2812",
        "jp-cv-soryu": "2812",
        "us-bb-missouri": "2812",
    }
    done = fight(field(units, ALLIED), 9, 0, answers=[hit("jp-cv-akagi")])
    assert not [q for q in done.questions if q.role == "japan"]


def test_no_shift_is_offered_without_a_carrier_loss() -> None:
    """9-f: no carrier has lost a step, so nothing can be shifted."""
    state, frame = shifting(FLEET)
    assert not resume(state, replace(frame, lost=())).questions
    assert resume(state, frame).questions[0].default == Pass()
