"""Areas that change hands together, Japan's surrender, transport routes, the China box (13.74, 13.77, 13.84-13.94)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.control import intrinsic_units
from engine.eots.ch06_supply.supply import has_home_line_to_resource
from engine.eots.ch13_nations.routes import build_route_refusals, route_hexes
from engine.eots.events.tracks import BlockadeCounted, MandatesGained
from engine.eots.ids import AreaId, HexId, NationId, Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Role
from tests.engine.eots.politics import of_kind, settle
from tests.engine.eots.positions import Place, position, with_tracks

AREAS = board().areas
MANDATES = AREAS[AreaId("mandates")]
GUINEA = AREAS[AreaId("new-guinea")]
MARSHALLS = AREAS[AreaId("marshall-islands")]
NORTH = AREAS[AreaId("northern-india")].hexes
FOUR = tuple(map(NationId, ("malaya", "philippines", "dutch-east-indies", "burma")))


def in_1943(
    units: dict[str, Place] | None = None,
    *,
    japan: tuple[str, ...] = (),
    allied: tuple[str, ...] = (),
    options: dict[str, str] | None = None,
    **tracks: object,
) -> State:
    """Return a cleared 1943 position in which the four nations have surrendered."""
    state = position(units or {}, japan=japan, allied=allied, options=options)
    return with_tracks(state, **{"surrendered": FOUR, **tracks})


def held(state: State, side: Side) -> set[str]:
    """Return the hexes that a side controls."""
    return {at for at, holder in state.control.items() if holder is side}


class TestMandates:
    """13.84."""

    def test_rabaul_alone_does_not_change_control(self) -> None:
        """EX13-8."""
        before = in_1943(allied=("4021",), japan=("4423",))
        after = settle(before).state
        assert after.control == before.control
        assert after.tracks.mandates is None

    def test_both_hexes_give_all_hexes_without_enemy_ground_units(self) -> None:
        units: dict[str, Place] = {
            "jp-army-17": "4222",
            "jp-air-flotilla-25": "3820",
            "jp-hq-south-seas": "4020",
        }
        ledger = settle(in_1943(units, allied=("4021", "4423")))
        after = ledger.state
        assert set(MANDATES.hexes) - held(after, Side.ALLIED) == {"4222"}
        assert of_kind(ledger, MandatesGained) == [MandatesGained(side=Side.ALLIED)]
        assert after.units[UnitId("jp-air-flotilla-25")].at != "3820"  # 8.32
        assert after.units[UnitId("jp-hq-south-seas")].at == "turn-track"  # 6.14

    def test_japan_gains_the_mandates_the_same_way(self) -> None:
        before = in_1943(allied=MANDATES.hexes, mandates=Side.ALLIED)
        lost = settle(before).state
        assert lost.tracks.mandates is Side.ALLIED
        again = position(japan=("4021", "4423"), allied=("4222",))
        after = settle(with_tracks(again, surrendered=FOUR, mandates=Side.ALLIED)).state
        assert set(MANDATES.hexes) <= held(after, Side.JAPAN)
        assert after.tracks.mandates is Side.JAPAN


class TestNewGuinea:
    """13.85."""

    def test_control_hexes_give_named_locations_without_enemy_units(self) -> None:
        units: dict[str, Place] = {"jp-air-flotilla-25": "3922", "jp-hq-south-seas": "3416"}
        before = in_1943(units, allied=GUINEA.control_hexes, japan=("3119", "3620", "3320", "3922"))
        after = settle(before).state
        gained = held(after, Side.ALLIED)
        assert {"3119", "3620", "3721"} <= gained
        assert after.control[HexId("3922")] is Side.JAPAN  # there is an enemy air unit
        assert after.control[HexId("3320")] is Side.JAPAN  # no named location

    def test_one_missing_port_prevents_the_change_of_control(self) -> None:
        missing = in_1943(allied=GUINEA.control_hexes[1:], japan=("3119", GUINEA.control_hexes[0]))
        assert settle(missing).state.control[HexId("3119")] is Side.JAPAN

    def test_biak_follows_ruling_opb_21(self) -> None:
        without = tuple(at for at in GUINEA.control_hexes if at != "3319")
        japan = ("3319", "3119")
        assert settle(in_1943(allied=without, japan=japan)).state.control[HexId("3119")] is (
            Side.JAPAN
        )
        other = in_1943(allied=without, japan=japan, options={"biak": "not-new-guinea"})
        assert settle(other).state.control[HexId("3119")] is Side.ALLIED


class TestMarshalls:
    """13.92."""

    def test_both_hexes_give_all_islands_without_ground_units(self) -> None:
        units: dict[str, Place] = {"jp-sn-4": "4815", "jp-air-flotilla-24": "4817"}
        after = settle(in_1943(units, allied=("4415", "4715"))).state
        assert set(MARSHALLS.hexes) - held(after, Side.ALLIED) == {"4815"}
        assert after.units[UnitId("jp-air-flotilla-24")].at != "4817"

    def test_japan_does_not_gain_the_marshalls_this_way(self) -> None:
        before = in_1943(japan=("4415", "4715"), allied=("4815",))
        assert settle(before).state.control[HexId("4815")] is Side.ALLIED

    def test_ponape_follows_ruling_opb_23(self) -> None:
        other = in_1943(allied=("4415", "4715"), options={"ponape": "not-marshall"})
        assert settle(other).state.control[HexId("4316")] is Side.JAPAN


class TestJapan:
    """13.93, 13.94."""

    def test_loss_of_honshu_ends_the_game_immediately(self) -> None:
        ledger = settle(in_1943(allied=AREAS[AreaId("honshu")].hexes))
        outcome = ledger.state.outcome
        assert outcome is not None
        assert outcome.winner == Role("allied")
        assert "13.93a" in outcome.reason
        assert ledger.state.frames == ()

    def test_honshu_with_one_hex_left_does_not_end_the_game(self) -> None:
        honshu = AREAS[AreaId("honshu")].hexes
        assert settle(in_1943(allied=honshu[1:])).state.outcome is None

    def test_blockade_of_three_segments_ends_the_game(self) -> None:
        """13.93b, OPB-39: Japan is blockaded if it controls no resource hex."""
        now = in_1943(allied=board().resource_hexes, resource_bonus_used=True)
        assert not has_home_line_to_resource(now)
        counted = []
        for _ in range(3):
            assert now.outcome is None
            ledger = settle(now)
            counted += of_kind(ledger, BlockadeCounted)
            now = ledger.state
        assert [event.turns for event in counted if isinstance(event, BlockadeCounted)] == [1, 2, 3]
        assert now.outcome is not None
        assert "13.93b" in now.outcome.reason

    def test_an_open_line_resets_the_blockade_count(self) -> None:
        ledger = settle(in_1943(blockade_turns=2))
        assert ledger.state.tracks.blockade_turns == 0
        assert ledger.state.outcome is None


class TestRoutes:
    """13.77."""

    def state(
        self,
        *,
        japan: tuple[str, ...] = (),
        units: dict[str, Place] | None = None,
        **tracks: object,
    ) -> State:
        """Return a position in which the Allies control Northern India and Akyab, with no route built."""
        allied = tuple(at for at in (*NORTH, "2006") if at not in japan)
        state = in_1943(units, allied=allied, japan=japan)
        return with_tracks(state, **{"no_transport_route": ("2104", "2105", "2205"), **tracks})

    @pytest.mark.parametrize(
        ("missing", "buildable"),
        [
            pytest.param(("2104", "2105", "2205"), ("2104",), id="13.77B-jarhat-first"),
            pytest.param(("2105", "2205"), ("2105", "2205"), id="13.77B-then-either"),
            pytest.param(("2105",), ("2105",), id="13.77B-the-last"),
            pytest.param((), (), id="13.77B-all-built"),
        ],
    )
    def test_allied_may_build_missing_routes(
        self, missing: tuple[str, ...], buildable: tuple[str, ...]
    ) -> None:
        assert route_hexes(self.state(no_transport_route=missing), Side.ALLIED) == buildable

    @pytest.mark.parametrize("lost", [*NORTH, "2006"])
    def test_allied_building_requires_every_hex(self, lost: str) -> None:
        assert route_hexes(self.state(japan=(lost,)), Side.ALLIED) == ()

    japan_side = ("2105", "2106", "2107", "2007", "2008")

    def test_japan_builds_only_imphal_and_needs_no_jarhat(self) -> None:
        state = self.state(japan=(*self.japan_side, "2205"), units={"jp-hq-south": "2015"})
        assert route_hexes(state, Side.JAPAN) == ("2105",)

    @pytest.mark.parametrize(
        ("japan", "units"),
        [
            pytest.param(("2105", "2106"), {"jp-hq-south": "2015"}, id="13.77C-no-rangoon"),
            pytest.param(
                ("2106", "2107", "2007", "2008"), {"jp-hq-south": "2015"}, id="13.77C-no-imphal"
            ),
            pytest.param(("2105", "2106", "2107", "2007", "2008"), {}, id="13.77C-no-hq"),
            pytest.param(
                ("2105", "2106", "2107", "2007", "2008"),
                {"jp-hq-south": "2015", "cw-corps-3-aus": "2106"},
                id="13.77C-blocked-line",
            ),
        ],
    )
    def test_japan_cannot_build_without_the_required_hexes(
        self, japan: tuple[str, ...], units: dict[str, Place]
    ) -> None:
        allied = tuple(at for at in self.japan_side if at not in japan)
        state = in_1943(
            units,
            japan=japan,
            allied=allied,
            no_transport_route=("2105", "2205"),
        )
        assert route_hexes(state, Side.JAPAN) == ()
        refusals = list(build_route_refusals(state, Side.JAPAN, HexId("2105")))
        assert refusals
        assert {refusal.rule for refusal in refusals} == {"13.77"}

    def test_refusals_cite_rule_13_77(self) -> None:
        state = self.state()
        for side, at in ((Side.ALLIED, "2205"), (Side.ALLIED, "2006"), (Side.JAPAN, "2104")):
            assert [r.rule for r in build_route_refusals(state, side, HexId(at))] == ["13.77"]


@pytest.mark.parametrize(
    ("divisions", "units"),
    [
        pytest.param(5, 2, id="EX13-1-five-divisions"),
        pytest.param(4, 1, id="13.76-four"),
        pytest.param(9, 3, id="13.76-nine"),
        pytest.param(0, 1, id="13.76-none-left"),
    ],
)
def test_intrinsic_units_depend_on_divisions_in_china(divisions: int, units: int) -> None:
    assert intrinsic_units(in_1943(divisions_in_china=divisions), "2809") == units
