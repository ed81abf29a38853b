"""Surrender and recapture of the nations with listed hexes (13.1-13.5, 13.8, 16.41)."""

import pytest

from engine.eots.board import board
from engine.eots.commands import Emergency
from engine.eots.events.tracks import NationRecaptured, NationSurrendered, PoliticalWillMoved
from engine.eots.ids import AreaId, HexId, NationId, Side, UnitId
from engine.eots.state import ELIMINATED, REMOVED, TURN_TRACK, State
from tests.engine.eots.politics import Asked, of_kind, settle
from tests.engine.eots.positions import Place, position, with_control, with_tracks

ALL = tuple(
    map(
        NationId,
        ("philippines", "malaya", "dutch-east-indies", "burma", "india", "china", "australia"),
    )
)
AREAS = board().areas
PHILIPPINES = AREAS[AreaId("philippines")]
INDIES = AREAS[AreaId("dutch-east-indies")]
AUSTRALIA = AREAS[AreaId("australia")]
MANDATES = AREAS[AreaId("mandates")]


def but(*names: str) -> tuple[NationId, ...]:
    """Return all nations except some, as already surrendered."""
    return tuple(nation for nation in ALL if nation not in names)


def free(
    *names: str,
    units: dict[str, Place] | None = None,
    japan: tuple[str, ...] = (),
    options: dict[str, str] | None = None,
    **tracks: object,
) -> State:
    """Return a cleared 1942 position in which only some nations have not surrendered, with hexes as at the start."""
    state = position(units or {}, scenario_id="1942", japan=japan, options=options)
    return with_tracks(
        state,
        **{
            "surrendered": but(*names),
            "recaptured": but(*names),
            "all_surrendered_penalty": True,
            **tracks,
        },
    )


def place(state: State, unit: str) -> str:
    """Return where a unit is."""
    return state.units[UnitId(unit)].at


def japan_holds(state: State, hexes: tuple[HexId, ...]) -> bool:
    """Return whether Japan controls all hexes."""
    return all(state.control[at] is Side.JAPAN for at in hexes)


@pytest.mark.parametrize(
    ("nation", "loss"),
    [
        pytest.param("philippines", 1, id="13.22-philippines"),
        pytest.param("malaya", 1, id="13.32-malaya"),
        pytest.param("dutch-east-indies", 1, id="13.42-indies"),
        pytest.param("burma", 1, id="13.52-burma"),
        pytest.param("australia", 2, id="13.82-australia"),
    ],
)
class TestConditions:
    """Table 13-S and 16.41."""

    @staticmethod
    def hexes(nation: str) -> tuple[HexId, ...]:
        area = AREAS[AreaId(nation)]
        return area.bases if nation == "australia" else area.control_hexes

    def test_nation_surrenders_when_every_hex_is_lost(self, nation: str, loss: int) -> None:
        ledger = settle(free(nation, japan=self.hexes(nation), political_will=8))
        assert of_kind(ledger, NationSurrendered) == [NationSurrendered(nation=NationId(nation))]
        assert ledger.state.tracks.political_will == 8 - loss

    def test_one_missing_hex_is_not_enough(self, nation: str, loss: int) -> None:
        hexes = self.hexes(nation)
        for missing in hexes:
            held = with_control(
                free(nation, japan=hexes, political_will=8), Side.ALLIED, (missing,)
            )
            ledger = settle(held)
            assert of_kind(ledger, NationSurrendered) == []
            assert ledger.state.tracks.political_will == 8

    def test_applies_only_once(self, nation: str, loss: int) -> None:
        again = settle(free(japan=self.hexes(nation), political_will=8))
        assert of_kind(again, NationSurrendered) == []


class TestPhilippines:
    """13.22."""

    def test_us_cruiser_makes_an_emergency_move(self) -> None:
        """EX13-6."""
        units: dict[str, Place] = {"us-ca-us-asia": "3014", "us-corps-nl": "3014"}
        asked: Asked = []
        after = settle(
            free("philippines", units=units, japan=PHILIPPINES.control_hexes), asked=asked
        ).state
        assert place(after, "us-corps-nl") == REMOVED
        assert after.control[HexId("3014")] is Side.JAPAN
        assert asked[0][0] is Side.ALLIED
        ports = [option.to for option in asked[0][1].options if isinstance(option, Emergency)]
        assert "2220" in ports
        assert all(board().distance(HexId("3014"), HexId(at)) <= 10 for at in ports)
        assert place(after, "us-ca-us-asia") in ports

    def test_without_a_port_the_cruiser_is_lost(self) -> None:
        near = tuple(
            board().ids[i]
            for i in board().within(board().index[HexId("3014")], 10)
            if board().is_port[i]
        )
        after = settle(free("philippines", units={"us-ca-us-asia": "3014"}, japan=near)).state
        assert place(after, "us-ca-us-asia") in {ELIMINATED, REMOVED}

    def test_other_units_are_eliminated_and_hqs_return(self) -> None:
        units: dict[str, Place] = {
            "cw-ca-exeter": "2715",
            "dutch-air": "2911",
            "us-hq-southwest-pacific": "3014",
            "joint-hq-abda": "2715",
            "us-air-feaf": "2812",
        }
        after = settle(free("philippines", units=units, japan=PHILIPPINES.control_hexes)).state
        assert place(after, "cw-ca-exeter") in {ELIMINATED, REMOVED}
        assert place(after, "dutch-air") == REMOVED  # pre-war
        assert place(after, "us-hq-southwest-pacific") == TURN_TRACK
        assert after.arrivals[UnitId("us-hq-southwest-pacific")].turn == after.turn + 1
        assert place(after, "joint-hq-abda") == REMOVED
        assert japan_holds(after, PHILIPPINES.bases)

    def test_hexes_without_a_base_keep_their_controller(self) -> None:
        before = free("philippines", japan=PHILIPPINES.control_hexes)
        after = settle(before).state
        plain = [at for at in PHILIPPINES.hexes if at not in PHILIPPINES.bases]
        assert [after.control[at] for at in plain] == [before.control[at] for at in plain]

    def test_palawan_follows_ruling_opb_40(self) -> None:
        units: dict[str, Place] = {"us-corps-nl": "2713"}
        held = PHILIPPINES.control_hexes
        assert place(settle(free("philippines", units=units, japan=held)).state, "us-corps-nl") == (
            REMOVED
        )
        other = free("philippines", units=units, japan=held, options={"palawan": "not-philippine"})
        assert place(settle(other).state, "us-corps-nl") == "2713"


class TestIndies:
    """13.42."""

    held = INDIES.control_hexes

    def test_dutch_units_are_removed(self) -> None:
        units: dict[str, Place] = {
            "dutch-cl": "3727",
            "dutch-air": ("eliminated", 0),
            "dutch-regiment-1": "2719",
        }
        after = settle(free("dutch-east-indies", units=units, japan=self.held)).state
        assert {place(after, unit) for unit in units} == {REMOVED}

    @pytest.mark.parametrize(
        ("units", "side"),
        [
            pytest.param({}, Side.JAPAN, id="13.42-empty"),
            pytest.param({"us-corps-xi": "2719"}, Side.ALLIED, id="13.42-us-ground-unit"),
            pytest.param({"cw-corps-1-aus": "2719"}, Side.ALLIED, id="13.42-cw-ground-unit"),
            pytest.param({"joint-hq-abda": "2719"}, Side.JAPAN, id="13.42-only-an-hq"),
            pytest.param({"us-air-5af": "2719"}, Side.JAPAN, id="13.42-only-an-air-unit"),
            pytest.param({"dutch-regiment-7": "2719"}, Side.JAPAN, id="13.42-dutch-do-not-hold"),
        ],
    )
    def test_only_bases_change_control(self, units: dict[str, Place], side: Side) -> None:
        after = settle(free("dutch-east-indies", units=units, japan=self.held)).state
        assert after.control[HexId("2719")] is side
        assert after.control[HexId("2818")] is Side.ALLIED  # no base

    def test_displaced_units_and_hqs_relocate(self) -> None:
        units: dict[str, Place] = {
            "us-ca-us-asia": "2719",
            "joint-hq-anzac": "2719",
            "us-air-5af": "2919",
        }
        after = settle(free("dutch-east-indies", units=units, japan=self.held)).state
        assert place(after, "joint-hq-anzac") == TURN_TRACK  # 6.14
        assert place(after, "us-ca-us-asia") != "2719"
        assert place(after, "us-air-5af") != "2919"


class TestAustralia:
    """13.82, OPB-38."""

    def test_mandate_bases_without_allied_units_change_control(self) -> None:
        units: dict[str, Place] = {"cw-brigade-pm": "4020", "us-corps-xiv": "4423"}
        after = settle(free("australia", units=units, japan=(*AUSTRALIA.bases, "4021"))).state
        assert after.control[HexId("4020")] is Side.ALLIED
        assert after.control[HexId("4222")] is Side.JAPAN
        assert after.control[HexId("4120")] is Side.ALLIED  # no base

    def test_mandate_bases_keep_their_controller_under_the_other_ruling(self) -> None:
        after = settle(
            free(
                "australia",
                japan=(*AUSTRALIA.bases, "4021"),
                options={"australia-mandates": "bases-stay"},
            )
        ).state
        assert after.control[HexId("4222")] is Side.ALLIED


class TestRecapture:
    """13.1-5, OPB-14, OPB-26."""

    @pytest.mark.parametrize(
        ("nation", "gain"),
        [
            pytest.param("malaya", 1, id="EX16-2-malaya"),
            pytest.param("philippines", 1, id="16.41-philippines"),
            pytest.param("burma", 1, id="16.41-burma"),
            pytest.param("australia", 2, id="16.41-australia"),
            pytest.param("india", 2, id="16.41-india"),
            pytest.param("dutch-east-indies", 0, id="OPB-26-indies-not-recoverable"),
        ],
    )
    def test_political_will_is_regained(self, nation: str, gain: int) -> None:
        before = position(
            scenario_id="1942",
            allied=AREAS[AreaId(nation)].hexes,
            surrendered=(NationId(nation),),
            political_will=5,
        )
        ledger = settle(before)
        assert of_kind(ledger, NationRecaptured) == [NationRecaptured(nation=NationId(nation))]
        assert ledger.state.tracks.political_will == 5 + gain
        assert NationId(nation) in ledger.state.tracks.surrendered

    def test_other_nations_regain_political_will_by_the_ruling(self) -> None:
        before = position(
            scenario_id="1942",
            surrendered=(NationId("dutch-east-indies"), NationId("india")),
            political_will=5,
            allied=INDIES.hexes,
            options={"pw-recovery": "edition-3-0"},
        )
        assert settle(before).state.tracks.political_will == 6

    def test_applies_only_once(self) -> None:
        before = position(
            scenario_id="1942",
            surrendered=(NationId("malaya"),),
            recaptured=(NationId("malaya"),),
            political_will=5,
        )
        assert of_kind(settle(before), PoliticalWillMoved) == []

    def test_one_missing_hex_is_not_enough(self) -> None:
        before = position(scenario_id="1942", surrendered=(NationId("malaya"),), japan=("2014",))
        assert of_kind(settle(before), NationRecaptured) == []

    def test_bases_without_japanese_units_return_to_allied_control(self) -> None:
        malaya = AREAS[AreaId("malaya")]
        others = tuple(at for at in malaya.hexes if at not in malaya.control_hexes)
        before = position(
            {"jp-army-25": "1912"},
            scenario_id="1942",
            surrendered=(NationId("malaya"),),
            japan=others,
        )
        after = settle(before).state
        assert after.control[HexId("1913")] is Side.ALLIED
        assert after.control[HexId("1912")] is Side.JAPAN
        assert after.control[HexId("2013")] is Side.JAPAN  # no base

    def test_china_is_never_recaptured(self) -> None:
        before = position(scenario_id="1942", surrendered=(NationId("china"),))
        assert of_kind(settle(before), NationRecaptured) == []
