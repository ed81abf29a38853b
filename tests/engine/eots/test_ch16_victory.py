"""The winner: points of one-year scenarios, degrees of victory, campaigns (4.5, 16.1-16.3, 17.26-17.48)."""

from functools import cache

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.supply import BurmaRoad
from engine.eots.ch13_nations.regions import settle_regions
from engine.eots.ch16_victory.counting import could_supply, counts_for, ports_near, region_holder
from engine.eots.ch16_victory.judgement import judge_end_of_turn, score_occupations
from engine.eots.ch16_victory.score import ScoreLine, conditions, levels, score, total_points
from engine.eots.ch16_victory.short_games import is_short_game, is_will_event_barred
from engine.eots.ids import CHINA_BOX, AreaId, CardId, HexId, NationId, Side
from engine.eots.position import state_from_position
from engine.eots.setup import scenario_infos, starting_position
from engine.eots.state import REMOVED, ChinaFront, IndiaStatus, Piece, State
from engine.eots.view import project_state
from engine.kernel.ids import Role
from tests.engine.eots.politics import book
from tests.engine.eots.positions import Place, start_of, with_control, with_tracks, with_units

pytestmark = pytest.mark.series("P12")

AREAS = board().areas
RESOURCES = board().resource_hexes
LAND = tuple(sorted(at for at, row in board().hexes.items() if row.is_land))
INDIA = NationId("india")
CHINA = NationId("china")


@cache
def start(name: str) -> State:
    """Return the start of a scenario, with everything in its set-up."""
    return state_from_position(starting_position(name, {}))


def points(state: State) -> dict[str, int]:
    """Return the conditions that score points, with the points."""
    return {line.id: line.points for line in score(state) if line.points}


def line(state: State, letter: str) -> int:
    """Return the points of one condition."""
    return next(line.points for line in score(state) if line.id == letter)


def off(state: State, *options: tuple[str, str]) -> State:
    """Return the state without the tournament note, so that hexes count for their controller."""
    return replace(state, options={"tournament-note": "off", **dict(options)})


class TestStartValues:
    """The test vectors of the scenarios."""

    def test_points_of_1942(self) -> None:
        """EX17-5."""
        assert points(start("1942")) == {"J": -3}

    def test_points_of_1943(self) -> None:
        """EX17-3."""
        assert points(start("1943")) == {"B": 1, "G": 3, "I": -1}
        assert total_points(start("1943")) == 3

    def test_points_of_1944(self) -> None:
        """EX17-4."""
        assert points(start("1944")) == {"B": 1, "G": 3, "H": 1, "L": 3, "M": 3, "N": 5, "P": 5}
        assert total_points(start("1944")) == 21

    def test_points_of_the_south_pacific(self) -> None:
        """EX17-13, the schedule of points."""
        by_points = ("south-pacific-victory", "vp-schedule")
        assert points(off(start_of("south-pacific"), by_points)) == {"D": 3, "F": 9}
        by_units = replace(start("south-pacific"), options=dict([by_points]))
        assert points(by_units) == {"D": 3, "F": 9}
        assert [one.points for one in score(start("south-pacific"))] == [12, -9]

    @pytest.mark.parametrize("name", ["1942-43", "1942-44", "1943-44"])
    def test_longer_scenarios_score_by_their_last_year(self, name: str) -> None:
        last = "1943" if name == "1942-43" else "1944"
        assert [line.id for line in score(start(name))] == [x.id for x in score(start(last))]

    @pytest.mark.parametrize("name", ["short-campaign", "shorter-campaign"])
    def test_campaigns_have_no_points(self, name: str) -> None:
        assert score(start(name)) == ()
        assert not conditions(name)
        assert not levels(name)

    @pytest.mark.parametrize("info", scenario_infos(), ids=lambda info: info.id)
    def test_every_score_line_has_text(self, info: object) -> None:
        for found in score(start(getattr(info, "id", ""))):
            assert isinstance(found, ScoreLine)
            assert found.text


@pytest.mark.parametrize("side", [None, *Side])
def test_view_shows_the_burma_road(side: Side | None) -> None:
    view = project_state(start("1943"), side)
    assert view.burma_road is BurmaRoad.CLOSED_HUMP


class TestWillPoints:
    """EX17-8 and similar cases."""

    @pytest.mark.parametrize(
        ("will", "vp"),
        [
            pytest.param(0, 6, id="17.38H-0"),
            pytest.param(5, 1, id="EX17-8-5"),
            pytest.param(6, -1, id="EX17-8-6"),
            pytest.param(7, -2, id="EX17-8-7"),
            pytest.param(10, -5, id="17.38I-10"),
        ],
    )
    @pytest.mark.parametrize("name", ["1942", "1943", "1944"])
    def test_political_will_points(self, name: str, will: int, vp: int) -> None:
        pair = {"1942": ("I", "J"), "1943": ("H", "I"), "1944": ("H", "I")}[name]
        state = with_tracks(start(name), political_will=will)
        assert sum(line(state, letter) for letter in pair) == vp


class TestTrackPoints:
    """17.27 A, B, E, F; 17.38 A."""

    @pytest.mark.parametrize(
        ("front", "surrendered", "vp"),
        [
            pytest.param(ChinaFront.STABLE_FRONT, False, 0, id="17.27A-stable"),
            pytest.param(ChinaFront.MAJOR_BREAKTHROUGH, False, 2, id="EX17-7-breakthrough"),
            pytest.param(ChinaFront.CHUNGKING_FALLS, False, 4, id="EX17-7-chungking"),
            pytest.param(ChinaFront.GOVERNMENT_COLLAPSED, True, 9, id="EX17-7-surrendered"),
        ],
    )
    def test_china_points_1942(self, front: ChinaFront, surrendered: bool, vp: int) -> None:
        nations = (CHINA,) if surrendered else ()
        state = with_tracks(start("1942"), china_front=front, surrendered=nations)
        assert line(state, "A") == vp

    def test_china_points_1943(self) -> None:
        state = start("1943")
        fallen = (*state.tracks.surrendered, CHINA)
        state = with_tracks(state, china_front=ChinaFront.GOVERNMENT_COLLAPSED, surrendered=fallen)
        assert line(state, "A") == 5

    @pytest.mark.parametrize(
        ("box", "fallen", "expected"),
        [
            pytest.param(IndiaStatus.STABLE, False, (0, 0), id="17.38E-stable"),
            pytest.param(IndiaStatus.UNREST, False, (1, 0), id="17.38E-unrest"),
            pytest.param(IndiaStatus.STRIKES, False, (1, 0), id="17.38E-strikes"),
            pytest.param(IndiaStatus.UNSTABLE, False, (0, 2), id="17.38F-unstable"),
            pytest.param(IndiaStatus.REVOLTS, False, (0, 2), id="17.38F-revolts"),
            pytest.param(IndiaStatus.REVOLTS, True, (0, 2), id="17.38F-surrendered"),
        ],
    )
    def test_india_points(self, box: IndiaStatus, fallen: bool, expected: tuple[int, int]) -> None:
        state = start("1943")
        nations = (*state.tracks.surrendered, INDIA) if fallen else state.tracks.surrendered
        state = with_tracks(state, india=box, surrendered=nations)
        assert (line(state, "E"), line(state, "F")) == expected

    def test_burma_road_points_depend_on_an_open_road(self) -> None:
        road = ("2008", "2106", "2206", "2305", "2007", "2107")
        free = with_units(start("1943"), {}, clear=True)
        assert line(free, "B") == 1
        assert line(with_control(free, Side.ALLIED, road), "B") == 0

    def test_townsville_points_require_isolation(self) -> None:
        assert line(start("1943"), "C") == 0
        lost = with_control(start("1943"), Side.JAPAN, ("3727",))
        without = {unit: Piece(REMOVED, 0) for unit in lost.units}
        zone: dict[str, Place] = {"jp-air-flotilla-25": "3727", "jp-hq-south-seas": "4021"}
        alone = with_units(replace(lost, units=without, arrivals={}), zone)
        assert line(alone, "C") == 5


class TestControlPoints:
    """Hexes and areas."""

    @pytest.mark.parametrize(
        ("lost", "letters"),
        [
            pytest.param((), {"P": 0}, id="EX17-6-14"),
            pytest.param(RESOURCES[:1], {"P": 0}, id="EX17-6-13"),
            pytest.param(RESOURCES[:2], {"P": -3}, id="EX17-6-12"),
            pytest.param(RESOURCES[:3], {"P": 0}, id="EX17-6-11-is-decided-otherwise"),
        ],
    )
    def test_resource_points_1942(self, lost: tuple[str, ...], letters: dict[str, int]) -> None:
        state = with_control(off(start("1942")), Side.JAPAN, RESOURCES)
        state = with_control(state, Side.ALLIED, lost)
        assert {letter: line(state, letter) for letter in letters} == letters

    @pytest.mark.parametrize(
        ("letter", "japan", "vp"),
        [
            pytest.param("D", ("2104", "2005"), 2, id="17.27D-northern-india"),
            pytest.param("G", ("4021", "4423"), 1, id="17.27G-mandates"),
            pytest.param("G", ("4021",), 0, id="17.27G-rabaul-alone"),
            pytest.param("H", ("3319", "3520", "3720", "3822"), 2, id="17.27H-four-ports"),
            pytest.param("H", ("3520", "3720", "3822"), 0, id="17.27H-three-ports"),
            pytest.param("N", ("4600",), 1, id="17.27N-attu"),
            pytest.param("O", ("5100",), 2, id="17.27O-dutch-harbor"),
        ],
    )
    def test_points_of_1942(self, letter: str, japan: tuple[str, ...], vp: int) -> None:
        state = with_control(off(start("1942")), Side.ALLIED, ("3319", "3520", "3720", "3822"))
        assert line(with_control(state, Side.JAPAN, japan), letter) == vp

    def test_occupation_at_the_end_requires_a_unit(self) -> None:
        held = with_control(off(start("1942")), Side.JAPAN, ("5108", "4612"))
        gone = [unit for unit, piece in held.units.items() if piece.at in {"5108", "4612"}]
        held = with_units(held, dict.fromkeys(gone, (REMOVED, 0)))
        assert line(held, "M") == 0
        assert line(with_units(held, {"jp-sn-2": "5108"}), "M") == 1
        assert line(with_units(held, {"jp-sn-2": "5108", "jp-sn-4": "4612"}), "M") == 2

    @pytest.mark.parametrize(
        ("allied", "expected"),
        [
            pytest.param(
                ("4423", "4222", "3820", "4020"), {"G": 3, "L": 0, "M": -1}, id="EX17-10-without"
            ),
            pytest.param(
                ("4423", "4222", "3820", "4020", "4021"),
                {"G": 0, "L": -3, "M": 0},
                id="EX17-10-with-rabaul",
            ),
            pytest.param(("4423", "4222", "3820"), {"G": 3, "L": 0, "M": 0}, id="17.38M-three"),
        ],
    )
    def test_mandates_points_1943(self, allied: tuple[str, ...], expected: dict[str, int]) -> None:
        ledger = book(with_control(off(start("1943")), Side.ALLIED, allied))
        settle_regions(ledger)
        assert {letter: line(ledger.state, letter) for letter in expected} == expected

    def test_mandates_are_held_until_both_hexes_are_lost(self) -> None:
        """13.84: the loss of Rabaul alone returns nothing."""
        state = with_tracks(off(start("1943")), mandates=Side.ALLIED)
        assert line(state, "L") == -3  # Guadalcanal is Allied, Rabaul is not
        assert region_holder(state, AreaId("mandates")) is Side.ALLIED

    def test_only_named_mandates_count(self) -> None:
        plain = ("4423", "4424", "4522", "4523")
        state = with_control(off(start("1943")), Side.ALLIED, plain)
        assert line(state, "M") == -1
        assert line(off(state, ("mandate-hexes", "named-locations")), "M") == 0

    @pytest.mark.parametrize(
        ("allied", "expected"),
        [
            pytest.param(("4415", "4715"), {"N": -2}, id="17.38N-marshalls"),
            pytest.param(("4415",), {"N": 0}, id="17.38N-one-is-not-enough"),
            pytest.param(
                AREAS[AreaId("new-guinea")].control_hexes, {"O": -3, "P": 0}, id="17.38O-all"
            ),
            pytest.param(("3520", "3822"), {"O": 0, "P": -1}, id="17.38P-four-ports"),
            pytest.param(("3822",), {"O": 0, "P": 0}, id="17.38P-three-ports"),
            pytest.param(("3813",), {"Q": -3}, id="17.38Q-saipan"),
            pytest.param(("3416",), {"Q": -3}, id="17.38Q-palau"),
            pytest.param(("4017",), {"Q": 0}, id="17.38Q-truk"),
            pytest.param(("3219", "2813"), {"R": -2}, id="17.38R-two-resources"),
        ],
    )
    def test_points_of_1943(self, allied: tuple[str, ...], expected: dict[str, int]) -> None:
        state = with_control(off(start("1943")), Side.ALLIED, allied)
        assert {letter: line(state, letter) for letter in expected} == expected

    @pytest.mark.parametrize(
        ("japan", "allied", "expected"),
        [
            pytest.param((), ("3813",), {"P": 0}, id="17.48P-saipan"),
            pytest.param((), ("3615",), {"P": 5}, id="17.48P-ulithi"),
            pytest.param(
                AREAS[AreaId("new-guinea")].control_hexes, (), {"K": 5, "L": 3}, id="17.48K-japan"
            ),
            pytest.param(
                (), AREAS[AreaId("new-guinea")].control_hexes, {"K": 0, "L": 0}, id="17.48L-allied"
            ),
        ],
    )
    def test_points_of_1944(
        self, japan: tuple[str, ...], allied: tuple[str, ...], expected: dict[str, int]
    ) -> None:
        state = with_control(off(start("1944")), Side.ALLIED, allied)
        state = with_control(state, Side.JAPAN, japan)
        assert {letter: line(state, letter) for letter in expected} == expected


@pytest.mark.parametrize(
    ("port", "near8", "near11"),
    [
        pytest.param("3209", True, True, id="EX17-9-okinawa"),
        pytest.param("3813", True, True, id="EX17-9-saipan"),
        pytest.param("3615", False, True, id="EX17-9-ulithi"),
        pytest.param("3416", False, True, id="EX17-9-palau"),
        pytest.param("4017", False, False, id="EX17-9-truk"),
        pytest.param("4415", False, False, id="EX17-9-eniwetok"),
    ],
)
def test_ports_near_tokyo(port: str, near8: bool, near11: bool) -> None:
    assert (port in ports_near(HexId("3706"), 8)) is near8
    assert (port in ports_near(HexId("3706"), 11)) is near11


class TestTournamentNote:
    """A hex counts only where a unit would be in supply (OPS-6)."""

    def test_an_unsupplied_capture_counts_for_the_original_owner(self) -> None:
        lone = with_control(start("1943"), Side.ALLIED, ("2813",))
        assert not could_supply(lone, Side.ALLIED, HexId("2813"))
        assert counts_for(lone, Side.JAPAN, HexId("2813"))
        assert line(lone, "R") == 0
        assert line(off(lone), "R") == -1

    def test_supplied_capture_counts(self) -> None:
        near = with_control(start("1943"), Side.ALLIED, ("3822",))
        assert could_supply(near, Side.ALLIED, HexId("3822"))
        assert counts_for(near, Side.ALLIED, HexId("3822"))

    def test_an_unsupplied_rabaul_does_not_gain_the_mandates(self) -> None:
        """If the controller could not supply Rabaul, the Mandates count as never gained."""
        lone = with_tracks(
            with_control(start("1943"), Side.ALLIED, ("4021", "4423")), mandates=Side.ALLIED
        )
        zones = [
            unit
            for unit, piece in lone.units.items()
            if piece.is_on_map and unit.startswith(("us-", "cw-", "joint-"))
        ]
        bare = with_units(lone, dict.fromkeys(zones, (REMOVED, 0)))
        assert not could_supply(bare, Side.ALLIED, HexId("4021"))
        assert region_holder(bare, AreaId("mandates")) is Side.JAPAN


class TestPhilippinePorts:
    """17.48 N and O, OPS-7."""

    def ports(self, count: int, *, supplied: bool = True) -> State:
        """Return the 1944 start with the given number of Allied ports, with or without an Allied HQ next to them."""
        state = with_control(start("1944"), Side.ALLIED, ("3014", "2915", "2715")[:count])
        if not supplied:
            return state
        cleared = [
            unit
            for unit, piece in state.units.items()
            if unit.startswith("jp-air") or piece.at == "3014"
        ]
        moved = with_units(state, dict.fromkeys(cleared, (REMOVED, 0)))
        return with_units(moved, {"us-hq-southwest-pacific": "3014"})

    @pytest.mark.parametrize(
        ("count", "expected"),
        [
            pytest.param(0, (5, 0), id="17.48N-none"),
            pytest.param(1, (0, 3), id="17.48O-one"),
            pytest.param(2, (0, 0), id="17.48-two"),
        ],
    )
    def test_supplied_philippine_ports_determine_the_points(
        self, count: int, expected: tuple[int, int]
    ) -> None:
        state = self.ports(count) if count else start("1944")
        assert (line(state, "N"), line(state, "O")) == expected

    def test_one_unsupplied_port_counts_as_none_by_default(self) -> None:
        state = self.ports(1, supplied=False)
        assert not could_supply(state, Side.ALLIED, HexId("3014"))
        assert (line(state, "N"), line(state, "O")) == (5, 0)
        literal = replace(state, options={"philippine-ports": "literal"})
        assert (line(literal, "N"), line(literal, "O")) == (0, 0)


class TestOccupations:
    """17.27 K and L, 17.38 J and K, 17.48 J: points once per hex, at the end of any turn."""

    def held(self, *units: tuple[str, str]) -> State:
        """Return the 1943 start with Japanese units on Hawaiian hexes they control."""
        hexes = [at for _, at in units]
        there = [u for u, piece in start("1943").units.items() if piece.at in hexes]
        state = with_units(start("1943"), dict.fromkeys(there, (REMOVED, 0)))
        return with_control(off(with_units(state, dict(units))), Side.JAPAN, hexes)

    def test_an_occupation_scores_once_and_permanently(self) -> None:
        ledger = book(self.held(("jp-sn-2", "5708"), ("jp-army-17", "5808")))
        score_occupations(ledger)
        score_occupations(ledger)
        assert ledger.state.tracks.once_occupied == ("5708", "5808")
        assert (line(ledger.state, "J"), line(ledger.state, "K")) == (1, 3)
        regained = with_control(ledger.state, Side.ALLIED, ("5708", "5808"))
        assert (line(regained, "J"), line(regained, "K")) == (1, 3)

    def test_an_occupation_requires_a_unit_and_control(self) -> None:
        empty = with_control(off(start("1943")), Side.JAPAN, ("5708",))
        ledger = book(empty)
        score_occupations(ledger)
        assert ledger.events == ()


class TestJudgement:
    """4.5."""

    def test_the_game_continues_before_the_last_turn(self) -> None:
        assert judge_end_of_turn(start("1943")) is None

    @pytest.mark.parametrize(
        ("will", "winner", "level"),
        [
            pytest.param(7, "allied", "decisive", id="17.38-2"),
            pytest.param(6, "allied", "tactical", id="17.38-3"),
            pytest.param(5, "allied", "tactical", id="17.38-5"),
            pytest.param(4, "japan", "tactical", id="17.38-6"),
            pytest.param(1, "japan", "tactical", id="17.38-9"),
        ],
    )
    def test_victory_degrees(self, will: int, winner: str, level: str) -> None:
        last = replace(with_tracks(start("1943"), political_will=will), turn=7)
        outcome = judge_end_of_turn(last)
        assert outcome is not None
        assert (outcome.winner, outcome.level) == (Role(winner), level)
        assert outcome.score == total_points(last)

    def test_decisive_victory_for_japan(self) -> None:
        outcome = judge_end_of_turn(replace(start("1944"), turn=10))
        assert outcome is not None
        assert (outcome.winner, outcome.level, outcome.score) == (Role("japan"), "decisive", 21)

    @pytest.mark.parametrize("name", ["1942", "1943", "1944", "short-campaign"])
    def test_political_will_0_ends_every_scenario(self, name: str) -> None:
        """OPS-15."""
        outcome = judge_end_of_turn(with_tracks(start(name), political_will=0))
        assert outcome is not None
        assert outcome.winner == Role("japan")
        assert outcome.score is None

    @pytest.mark.parametrize(
        ("turn", "lost", "is_won"),
        [
            pytest.param(4, 3, True, id="EX17-6-11-at-the-end-of-turn-4"),
            pytest.param(4, 2, False, id="EX17-6-12-counts-points"),
            pytest.param(3, 5, False, id="17.27-only-turn-4"),
        ],
    )
    def test_automatic_victory_of_1942(self, turn: int, lost: int, is_won: bool) -> None:
        state = with_control(start("1942"), Side.JAPAN, RESOURCES)
        state = replace(with_control(state, Side.ALLIED, RESOURCES[:lost]), turn=turn)
        outcome = judge_end_of_turn(state)
        assert (outcome is not None and outcome.score is None) is is_won
        if outcome is not None and is_won:
            assert outcome.winner == Role("allied")


class TestCampaign:
    """16.2, 16.3."""

    def last(
        self,
        b29: str = "3813",
        bombed: tuple[int, ...] = (9, 10, 11, 12),
        resources: int = 1,
    ) -> State:
        """Return turn 12 of a campaign."""
        state = with_units(start("short-campaign"), {"us-b29-20bc": b29})
        state = with_control(state, Side.ALLIED, RESOURCES)
        state = with_control(state, Side.JAPAN, RESOURCES[:resources])
        return replace(with_tracks(state, bombing_turns=bombed, political_will=5), turn=12)

    @pytest.mark.parametrize(
        ("change", "winner"),
        [
            pytest.param({}, "allied", id="16.2-all-three"),
            pytest.param({"b29": CHINA_BOX}, "allied", id="13.74-7-china-box"),
            pytest.param({"b29": "4415"}, "japan", id="16.2-b29-too-far"),
            pytest.param({"bombed": (8, 10, 11, 12)}, "japan", id="16.2-not-four-in-a-row"),
            pytest.param({"resources": 2}, "japan", id="16.2-two-resource-hexes"),
        ],
    )
    def test_last_turn_decides_the_winner(self, change: dict[str, object], winner: str) -> None:
        outcome = judge_end_of_turn(self.last(**change))  # type: ignore[arg-type]  # named by the table
        assert outcome is not None
        assert (outcome.winner, outcome.score, outcome.level) == (Role(winner), None, "")

    def test_no_decision_before_turn_12(self) -> None:
        assert judge_end_of_turn(replace(self.last(), turn=11)) is None


class TestShortGames:
    """17.26, OPS-4, OPS-5."""

    @pytest.mark.parametrize(
        ("name", "short"),
        [
            ("1942", True),
            ("1943", True),
            ("1944", True),
            ("1942-43", False),
            ("1943-44", False),
            ("1942-44", False),
            ("short-campaign", False),
            ("shorter-campaign", False),
        ],
    )
    def test_short_game_rules_apply_only_to_one_year_scenarios_by_default(
        self, name: str, short: bool
    ) -> None:
        assert is_short_game(start(name)) is short
        assert is_will_event_barred(start(name), CardId("A-6")) is short
        other = replace(start(name), options={"short-game-rules": "also-longer-scenarios"})
        assert is_short_game(other)

    @pytest.mark.parametrize(
        ("card", "barred"),
        [("A-1", True), ("A-6", True), ("J-43", True), ("J-74", True), ("A-23", False)],
    )
    def test_political_will_event_cards_are_barred(self, card: str, barred: bool) -> None:
        assert is_will_event_barred(start("1943"), CardId(card)) is barred
