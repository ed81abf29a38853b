"""India: the status track, surrender, evacuation (13.6)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch13_nations.india import HANDLERS, EvacuateUnit, move_india, relieve_india
from engine.eots.commands import EotsCommand, Evacuate, Pass, Stay
from engine.eots.frames import EvacuationFrame, Phase, TurnFrame
from engine.eots.ids import AreaId, HexId, NationId, Side, UnitId
from engine.eots.state import REMOVED, TURN_TRACK, IndiaStatus, State
from engine.kernel.decision import Decision
from engine.kernel.ids import Rule
from tests.engine.eots.politics import Asked, book, settle
from tests.engine.eots.positions import Place, position, with_control, with_tracks

NORTH = board().areas[AreaId("northern-india")].hexes
INDIA = NationId("india")
SEAC: dict[str, Place] = {"cw-hq-seac": "1805"}
FOUR = tuple(map(NationId, ("malaya", "philippines", "dutch-east-indies", "burma")))
"""Nations that surrendered before 1943 (17.36)."""


def state(
    box: IndiaStatus = IndiaStatus.STABLE, units: dict[str, Place] | None = None, **tracks: object
) -> State:
    """Return a position in which Japan controls all of Northern India."""
    lost = position({**SEAC, **(units or {})}, japan=NORTH)
    return with_tracks(lost, **{"surrendered": FOUR, "india": box, **tracks})


def place(state: State, unit: str) -> str:
    """Return where a unit is."""
    return state.units[UnitId(unit)].at


def refuges(before: State) -> tuple[HexId, ...]:
    """Return the hexes to which an Australian corps may be evacuated."""
    frame = EvacuationFrame(waiting=(UnitId("cw-corps-3-aus"),))
    return tuple(option.to for option in EvacuateUnit().options(before, frame, Side.ALLIED))


class TestTrack:
    """The India Status track (13.62)."""

    def test_india_surrenders_after_four_segments(self) -> None:
        """EX13-5."""
        now, boxes = state(political_will=8), []
        for _ in range(4):
            now = settle(now).state
            boxes.append((now.tracks.india, now.tracks.political_will))
        assert boxes == [
            (IndiaStatus.UNREST, 8),
            (IndiaStatus.STRIKES, 8),
            (IndiaStatus.UNSTABLE, 8),
            (IndiaStatus.REVOLTS, 6),
        ]
        assert INDIA in now.tracks.surrendered

    def test_india_surrenders_once_and_its_marker_never_moves_again(self) -> None:
        now = settle(state(IndiaStatus.UNSTABLE, political_will=8)).state
        now = settle(with_control(now, Side.ALLIED, NORTH)).state
        assert now.tracks.surrendered == (*FOUR, INDIA)
        assert now.tracks.india is IndiaStatus.REVOLTS

    def test_one_allied_hex_returns_india_to_stable(self) -> None:
        """13.62-4a."""
        now = settle(with_control(state(IndiaStatus.REVOLTS), Side.ALLIED, ["2205"])).state
        assert now.tracks.india is IndiaStatus.STABLE
        assert INDIA not in now.tracks.surrendered

    def test_revolts_caused_by_an_event_lead_to_surrender_in_the_segment(self) -> None:
        """13.62-2: an event has moved the marker to Revolts."""
        ledger = book(state(IndiaStatus.UNSTABLE))
        move_india(ledger, -1, Rule("J-15"))
        assert ledger.state.tracks.india is IndiaStatus.REVOLTS
        assert INDIA not in ledger.state.tracks.surrendered
        assert INDIA in settle(ledger.state).state.tracks.surrendered

    @pytest.mark.parametrize(
        ("before", "delta", "after"),
        [
            pytest.param(IndiaStatus.STABLE, -1, IndiaStatus.UNREST, id="J-15"),
            pytest.param(
                IndiaStatus.REVOLTS, -1, IndiaStatus.REVOLTS, id="13.62-3-never-beyond-revolts"
            ),
            pytest.param(IndiaStatus.UNREST, 2, IndiaStatus.STABLE, id="13.62-never-beyond-stable"),
        ],
    )
    def test_events_move_the_india_marker(
        self, before: IndiaStatus, delta: int, after: IndiaStatus
    ) -> None:
        ledger = book(state(before))
        move_india(ledger, delta, Rule("test"))
        assert ledger.state.tracks.india is after

    def test_events_have_no_effect_after_surrender(self) -> None:
        ledger = book(state(IndiaStatus.REVOLTS, surrendered=(INDIA,)))
        move_india(ledger, 1, Rule("test"))
        assert ledger.events == ()


class TestRelief:
    """Regaining Northern India in the Offensives Segment (13.62-4b)."""

    def test_loss_of_the_north_is_recorded_without_moving_the_marker(self) -> None:
        ledger = book(state(IndiaStatus.UNREST))
        relieve_india(ledger)
        assert ledger.state.tracks.north_india_lost
        assert ledger.state.tracks.india is IndiaStatus.UNREST

    def test_regaining_a_hex_resets_the_marker_immediately(self) -> None:
        before = with_control(
            state(IndiaStatus.STRIKES, north_india_lost=True), Side.ALLIED, ["1905"]
        )
        ledger = book(before)
        relieve_india(ledger)
        assert ledger.state.tracks.india is IndiaStatus.STABLE
        assert not ledger.state.tracks.north_india_lost

    def test_an_event_result_persists_if_the_north_was_never_lost(self) -> None:
        ledger = book(position(SEAC, india=IndiaStatus.UNREST))
        relieve_india(ledger)
        assert ledger.events == ()

    def test_no_relief_after_surrender(self) -> None:
        before = with_tracks(
            with_control(state(IndiaStatus.REVOLTS, north_india_lost=True), Side.ALLIED, NORTH),
            surrendered=(INDIA,),
        )
        ledger = book(before)
        relieve_india(ledger)
        assert ledger.events == ()


UNITS: dict[str, Place] = {
    "cw-corps-1-ind": "1805",
    "cw-corps-4-ind": ("eliminated", 0),
    "cw-corps-3-aus": "1406",
    "cw-air-seac": "1805",
    "cw-bb-warspite": "1406",
    "us-lrb-10af": "1805",
    "cw-corps-2-aus": "1307",
}


class TestSurrender:
    """Units that leave India, and their destinations (13.63)."""

    def test_indian_units_are_removed(self) -> None:
        after = settle(state(IndiaStatus.UNSTABLE, UNITS)).state
        assert place(after, "cw-corps-1-ind") == place(after, "cw-corps-4-ind") == REMOVED

    def test_commonwealth_units_go_to_ceylon_or_the_maldives(self) -> None:
        after = settle(state(IndiaStatus.UNSTABLE, UNITS)).state
        assert {place(after, u) for u in ("cw-corps-3-aus", "cw-air-seac", "cw-bb-warspite")} <= {
            "1005",
            "1307",
            "1308",
        }
        assert place(after, "cw-corps-2-aus") == "1307"

    def test_hqs_are_repositioned_after_the_evacuation(self) -> None:
        after = settle(state(IndiaStatus.UNSTABLE, UNITS)).state
        assert place(after, "cw-hq-seac") == TURN_TRACK
        assert after.arrivals[UnitId("cw-hq-seac")].turn == after.turn + 1

    def test_dotted_hq_is_removed(self) -> None:
        after = settle(state(IndiaStatus.UNSTABLE, {"cw-hq-malaya": "1307"})).state
        assert place(after, "cw-hq-malaya") == REMOVED

    def test_us_units_stay_by_default_and_may_leave(self) -> None:
        assert place(settle(state(IndiaStatus.UNSTABLE, UNITS)).state, "us-lrb-10af") == "1805"
        wanted = Evacuate(unit=UnitId("us-lrb-10af"), to=HexId("1308"))

        def leave(decision: Decision[EotsCommand]) -> Evacuate:
            return wanted if wanted in decision.options else decision.default  # type: ignore[return-value]  # either is a command

        after = settle(state(IndiaStatus.UNSTABLE, UNITS), leave).state
        assert place(after, "us-lrb-10af") == "1308"

    def test_continental_india_stays_allied(self) -> None:
        after = settle(state(IndiaStatus.UNSTABLE, UNITS)).state
        assert after.control[HexId("1406")] is Side.ALLIED

    def test_evacuation_options_are_sorted_and_include_staying(self) -> None:
        asked: Asked = []
        settle(state(IndiaStatus.UNSTABLE, UNITS), asked=asked)
        side, decision = asked[0]
        assert side is Side.ALLIED
        assert decision.rule == "13.63"
        assert Stay(unit=UnitId("us-lrb-10af")) in decision.options
        assert Stay(unit=UnitId("cw-air-seac")) not in decision.options
        units = [option.unit for option in decision.options if isinstance(option, Evacuate)]
        assert units == sorted(units)

    def test_units_without_a_refuge_are_removed(self) -> None:
        lost = with_control(
            state(IndiaStatus.UNSTABLE, {"cw-corps-3-aus": "1406"}),
            Side.JAPAN,
            ["1005", "1307", "1308"],
        )
        assert place(settle(lost).state, "cw-corps-3-aus") == REMOVED

    def test_without_an_hq_no_refuge_is_supply_eligible(self) -> None:
        """OPB-18."""
        bare = position({"cw-corps-3-aus": "1406"}, japan=NORTH, india=IndiaStatus.UNSTABLE)
        assert refuges(bare) == ()
        assert place(settle(bare).state, "cw-corps-3-aus") == REMOVED

    def test_japanese_zone_closes_a_refuge(self) -> None:
        zone: dict[str, Place] = {
            "cw-corps-3-aus": "1406",
            "jp-air-flotilla-22": "1308",
            "jp-hq-south": "2008",
        }
        before = with_control(state(IndiaStatus.UNSTABLE, zone), Side.JAPAN, ["1308"])
        assert refuges(before) in {("1005",), ("1005", "1307")}

    def test_full_refuges_are_unavailable(self) -> None:
        full: dict[str, Place] = {
            "cw-corps-3-aus": "1406",
            "cw-corps-1-aus": "1307",
            "cw-corps-2-aus": "1307",
            "us-corps-i": "1307",
            "us-corps-x": "1308",
            "us-corps-xi": "1308",
            "us-corps-xiv": "1308",
            "us-marine-1-division": "1005",
            "us-marine-2-division": "1005",
            "us-marine-3-division": "1005",
        }
        assert place(settle(state(IndiaStatus.UNSTABLE, full)).state, "cw-corps-3-aus") == REMOVED


@pytest.mark.parametrize(
    ("command", "broken"),
    [
        pytest.param(Evacuate(unit=UnitId("us-lrb-10af"), to=HexId("1406")), ["13.63"], id="hex"),
        pytest.param(
            Evacuate(unit=UnitId("us-corps-i"), to=HexId("1307")), ["13.63"], id="not-waiting"
        ),
        pytest.param(Stay(unit=UnitId("cw-air-seac")), ["13.63"], id="must-leave"),
        pytest.param(Pass(), ["13.63"], id="other-command"),
    ],
)
def test_illegal_evacuations_are_refused(
    command: Evacuate | Stay | Pass, broken: list[str]
) -> None:
    frame = EvacuationFrame(waiting=(UnitId("cw-air-seac"), UnitId("us-lrb-10af")))
    before = replace(
        state(IndiaStatus.REVOLTS, UNITS),
        frames=(TurnFrame(phase=Phase.NATIONAL_STATUS, entered=True), frame),
    )
    found = HANDLERS[0].why_not(before, frame, Side.ALLIED, command)
    assert [refusal.rule for refusal in found] == broken
