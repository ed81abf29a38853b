"""US Political Will: the Political Will Segment and the limits of the track (16.4)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch13_nations.national_status import begin_national_status
from engine.eots.ch16_victory.will import (
    ProgressOfWar,
    move_will,
    progress_hexes,
    progress_of_war,
    progress_quota,
)
from engine.eots.events.battle import UsForceWipedOut
from engine.eots.events.tracks import HoldsCounted, OnceUsed, PoliticalWillMoved
from engine.eots.forecast.table import state_from_view
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from engine.eots.view import project_state
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Rule
from tests.engine.eots.politics import book, judge_will, of_kind
from tests.engine.eots.politics_reference import RESOURCES
from tests.engine.eots.positions import (
    Place,
    position,
    start_of,
    with_control,
    with_frames,
    with_tracks,
)
from tests.engine.eots.strategic import rolling

FLEET: dict[str, Place] = {"us-cv-enterprise": "5808"}
"""One US carrier, so that 16.46 has no effect."""


def state(
    units: dict[str, Place] | None = None,
    *,
    turn: int = 3,
    japan: tuple[str, ...] = (),
    options: dict[str, str] | None = None,
    **tracks: object,
) -> State:
    """Return a cleared 1943 position with a US carrier, by default in a turn without a quota."""
    found = position({**FLEET, **(units or {})}, japan=japan, options=options)
    return replace(with_tracks(found, **{"political_will": 5, **tracks}), turn=turn)


def shifts(state: State) -> list[tuple[str, int]]:
    """Return rule and size of every shift of a Political Will Segment."""
    present, found = state.tracks.political_will, []
    for event in judge_will(state).events:
        if isinstance(event, PoliticalWillMoved):
            found.append((str(event.rule), event.to - present))
            present = event.to
    return found


class TestTrack:
    """16.4, OPB-24."""

    @pytest.mark.parametrize(
        ("before", "delta", "after"),
        [
            pytest.param(5, -2, 3, id="16.4-down"),
            pytest.param(1, -2, 0, id="OPB-24-not-below-0"),
            pytest.param(9, 8, 10, id="OPB-24-not-above-10"),
        ],
    )
    def test_political_will_moves_within_the_track(
        self, before: int, delta: int, after: int
    ) -> None:
        ledger = book(state(political_will=before))
        move_will(ledger, delta, Rule("test"))
        assert ledger.state.tracks.political_will == after

    def test_no_event_is_recorded_at_the_end_of_the_track(self) -> None:
        ledger = book(state(political_will=0))
        move_will(ledger, -1, Rule("test"))
        assert ledger.events == ()


class TestOccupation:
    """16.42, OPB-27."""

    @pytest.mark.parametrize(
        ("units", "held", "used", "expected"),
        [
            pytest.param({"jp-sn-2": "4600"}, 2, False, [("16.42", -1)], id="16.42-third-segment"),
            pytest.param({"jp-sn-2": "4600"}, 1, False, [], id="16.42-second-segment"),
            pytest.param({"jp-sn-2": "4600"}, 2, True, [], id="16.42-once-per-game"),
            pytest.param({}, 2, False, [], id="16.42-no-unit"),
            pytest.param({"jp-hq-south": "4600"}, 2, False, [], id="OPB-27-hq-does-not-count"),
        ],
    )
    def test_alaska_penalty(
        self,
        units: dict[str, Place],
        held: int,
        used: bool,
        expected: list[tuple[str, int]],
    ) -> None:
        before = state(
            units, japan=("4600",), aleutians_held={"4600": held}, alaska_penalty_used=used
        )
        assert shifts(before) == expected

    def test_occupation_count_resets_when_control_is_lost(self) -> None:
        before = state(japan=("4600",), aleutians_held={"4600": 2})
        assert of_kind(judge_will(before), HoldsCounted) == [HoldsCounted(aleutians={}, hawaii={})]

    def test_units_without_control_do_not_count_as_occupation(self) -> None:
        before = state({"jp-sn-2": "5100"}, aleutians_held={"5100": 2})
        assert shifts(before) == []

    def test_the_occupied_hex_must_stay_the_same(self) -> None:
        before = state({"jp-sn-2": "5100"}, japan=("5100",), aleutians_held={"4600": 2})
        assert shifts(before) == []
        other = replace(before, options={"occupation-hex": "any-hex-of-the-group"})
        assert shifts(other) == [("16.42", -1)]

    @pytest.mark.parametrize("at", ["5708", "5908", "5108"])
    def test_hawaii_penalty_requires_two_segments(self, at: str) -> None:
        first = state({"jp-sn-2": at}, japan=(at,))
        assert shifts(first) == []
        second = judge_will(first).state
        assert shifts(second) == [("16.42", -1)]
        third = judge_will(second).state
        assert shifts(third) == []


class TestStrategy:
    """16.43."""

    @pytest.mark.parametrize(
        ("turn", "resources", "used", "expected"),
        [
            pytest.param(5, 3, False, [("16.43", 3)], id="16.43A-three"),
            pytest.param(5, 4, False, [], id="16.43A-four"),
            pytest.param(12, 0, False, [("16.43", 3)], id="16.43A-none-in-turn-12"),
            pytest.param(4, 3, False, [], id="16.43A-not-before-turn-5"),
            pytest.param(6, 3, True, [], id="16.43A-once-per-game"),
        ],
    )
    def test_few_japanese_resources_raise_political_will(
        self, turn: int, resources: int, used: bool, expected: list[tuple[str, int]]
    ) -> None:
        before = position(FLEET, allied=[at for at in RESOURCES if at not in RESOURCES[:resources]])
        before = replace(with_tracks(before, political_will=5, resource_bonus_used=used), turn=turn)
        assert shifts(before) == expected

    @pytest.mark.parametrize(
        ("turns", "expected"),
        [
            pytest.param((3,), [("16.43", 1)], id="EX16-5-success-this-turn"),
            pytest.param((2,), [], id="16.43B-success-last-turn"),
        ],
    )
    def test_bombing_raises_political_will(
        self, turns: tuple[int, ...], expected: list[tuple[str, int]]
    ) -> None:
        assert shifts(state(bombing_turns=turns)) == expected


class TestLosses:
    """16.45, 16.46."""

    def test_a_destroyed_us_force_costs_one_box_per_turn(self) -> None:
        """EX16-6: what a battle reports costs one box, at most once per turn."""
        ledger = book(state())
        ledger.add(UsForceWipedOut(at=HexId("3822")))
        ledger.add(UsForceWipedOut(at=HexId("3720")))
        assert shifts(ledger.state) == [("16.45", -1)]

    def test_no_penalty_without_a_reported_loss(self) -> None:
        """EX16-7."""
        assert shifts(state(us_force_lost_turn=2)) == []

    def test_casualties_count_once_per_turn(self) -> None:
        before = state(us_force_lost_turn=3)
        ledger = judge_will(before)
        assert of_kind(ledger, OnceUsed) == [OnceUsed(rule=Rule("16.45"), what="casualties")]
        assert shifts(ledger.state) == []

    @pytest.mark.parametrize(
        ("units", "expected"),
        [
            pytest.param({"us-cve-sangamon": "5808"}, [], id="16.46-an-escort-carrier-is-one"),
            pytest.param({"us-bb-massachusetts": "5808"}, [("16.46", -1)], id="16.46-no-carrier"),
            pytest.param({}, [("16.46", -1), ("16.46", -1)], id="16.46-no-ship"),
            pytest.param(
                {"cw-cv-indomitable": "1805"},
                [("16.46", -1), ("16.46", -1)],
                id="16.46-commonwealth-does-not-count",
            ),
            pytest.param(
                {"us-cv-enterprise": ("turn-track", 0)},
                [("16.46", -1), ("16.46", -1)],
                id="16.46-not-on-the-map",
            ),
        ],
    )
    def test_missing_us_ships_lower_political_will(
        self, units: dict[str, Place], expected: list[tuple[str, int]]
    ) -> None:
        before = replace(with_tracks(position(units), political_will=5), turn=3)
        assert shifts(before) == expected


def taken(turn: int, asp: int, hexes: tuple[str, ...], lost: tuple[str, ...] = ()) -> State:
    """Return a turn in which the Allies took hexes and Japan retook some."""
    before = with_control(state(turn=turn), Side.JAPAN, hexes)
    before = replace(before, control_at_turn_start=before.control)
    after = with_control(before, Side.ALLIED, [at for at in hexes if at not in lost])
    return with_tracks(after, allied_asp_after_reinforcement=asp)


FIVE = tuple(map(HexId, ("3822", "3922", "3720", "3721", "3620")))


class TestProgress:
    """16.47."""

    @pytest.mark.parametrize(
        ("turn", "asp", "quota"),
        [
            pytest.param(3, 8, None, id="16.47-not-before-turn-4"),
            pytest.param(4, 3, 3, id="EX16-1-quota-3"),
            pytest.param(8, 8, 4, id="EX16-3-quota-4"),
            pytest.param(5, 4, 4, id="OPS-17-1943-start"),
        ],
    )
    def test_progress_quota(self, turn: int, asp: int, quota: int | None) -> None:
        assert progress_quota(taken(turn, asp, ())) == quota

    def test_retaken_hexes_do_not_count(self) -> None:
        """EX16-1."""
        before = taken(4, 3, FIVE, lost=FIVE[:3])
        assert progress_hexes(before) == ("3620", "3721")
        assert shifts(before) == [("16.47", -1)]
        assert shifts(taken(4, 3, FIVE, lost=FIVE[:2])) == []

    def test_attu_does_not_count(self) -> None:
        """EX16-3."""
        before = taken(8, 8, ("4815", "4816", "4817", "4600"))
        assert progress_hexes(before) == ("4815", "4816", "4817")
        assert shifts(before) == [("16.47", -1)]

    def test_plain_hexes_and_continental_india_do_not_count(self) -> None:
        assert progress_hexes(taken(8, 8, ("3320", "1406", "1805"))) == ()

    def test_marshalls_count_when_their_control_changes(self) -> None:
        """EX16-4."""
        marshalls = ("4316", "4615", "4616", "4713", "4716", "4815", "4816", "4817", "4916")
        before = taken(8, 8, ("4715",))
        before = with_control(with_control(before, Side.JAPAN, marshalls), Side.ALLIED, ("4415",))
        start = with_control(before, Side.JAPAN, ("4715", *marshalls))
        ledger = book(replace(before, control_at_turn_start=start.control))
        begin_national_status(rolling(ledger, ScriptedDice()))
        assert progress_hexes(ledger.state) == (
            "4316",
            "4715",
            "4716",
            "4815",
            "4816",
            "4817",
            "4916",
        )
        assert shifts(ledger.state) == []

    def test_hexes_already_allied_do_not_count(self) -> None:
        before = with_tracks(state(turn=8), allied_asp_after_reinforcement=0)
        assert progress_hexes(before) == ()
        assert shifts(before) == []


class TestProgressForTheScreen:
    """16.47: the hexes that the Allies must take, those that they have taken, and their display in a view."""

    @pytest.mark.parametrize(
        ("asp", "lost", "missing", "spare"),
        [
            pytest.param(8, FIVE[:2], 1, 0, id="16.47-5-one-is-missing"),
            pytest.param(3, FIVE[:2], 0, 0, id="16.47-1-just-met"),
            pytest.param(3, (), 0, 2, id="16.47-3-japan-may-retake-two"),
        ],
    )
    def test_missing_and_spare_hexes(
        self, asp: int, lost: tuple[str, ...], missing: int, spare: int
    ) -> None:
        found = progress_of_war(taken(6, asp, FIVE, lost))
        assert found is not None
        assert (found.missing, found.spare) == (missing, spare)

    def test_every_view_shows_the_same_progress(self) -> None:
        before = taken(4, 3, FIVE, lost=FIVE[:3])
        found = progress_of_war(before)
        assert found == ProgressOfWar(
            quota=3, may_rise=False, taken=(FIVE[4], FIVE[3]), is_judged=False
        )
        for viewer in (*Side, None):
            view = project_state(before, viewer)
            assert set(FIVE) <= set(view.japan_at_turn_start)
            assert progress_of_war(state_from_view(view)) == found

    def test_starting_hexes_are_those_of_the_first_turn(self) -> None:
        """OPS-17."""
        view = project_state(start_of("1944"), Side.JAPAN)
        assert view.japan_at_turn_start == view.japan_controls == view.japan_at_start

    @pytest.mark.parametrize(
        ("turn", "asp"),
        [
            pytest.param(3, 8, id="16.47-nothing-before-turn-4"),
            pytest.param(8, 0, id="16.47-1-nothing-without-shipping"),
        ],
    )
    def test_no_quota_applies(self, turn: int, asp: int) -> None:
        assert progress_of_war(taken(turn, asp, FIVE)) is None

    @pytest.mark.parametrize(
        ("phase", "asp", "quota", "may_rise", "is_judged"),
        [
            pytest.param(Phase.REINFORCEMENT, 3, 3, True, False, id="16.47-1-not-yet-fixed"),
            pytest.param(Phase.REINFORCEMENT, 5, 4, False, False, id="16.47-1-four-at-most"),
            pytest.param(Phase.OFFENSIVES, 3, 2, False, False, id="16.47-1-fixed"),
            pytest.param(Phase.NATIONAL_STATUS, 3, 2, False, False, id="16.47-4-still-counts"),
            pytest.param(Phase.ATTRITION, 3, 2, False, True, id="4.32-judged"),
        ],
    )
    def test_quota_depends_on_the_segment(
        self, phase: Phase, asp: int, quota: int, may_rise: bool, is_judged: bool
    ) -> None:
        """The quota depends on the shipping level at the end of the Reinforcement Segment."""
        before = with_tracks(taken(4, 2, FIVE), allied_asp=asp)
        found = progress_of_war(with_frames(before, TurnFrame(phase=phase, entered=True)))
        assert found is not None
        assert (found.quota, found.may_rise, found.is_judged) == (quota, may_rise, is_judged)

    def test_the_south_pacific_has_its_own_schedule(self) -> None:
        """17.10.7: no hexes on turn 3, two hexes on turns 4 to 6, at any shipping level."""
        start = start_of("south-pacific")
        asked = [progress_of_war(replace(start, turn=turn)) for turn in range(3, 7)]
        assert [found and found.quota for found in asked] == [None, 2, 2, 2]
