"""Edge cases of victory and Political Will that other tests do not cover (16.0, 17.0)."""

from typing import Final

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch16_victory.counting import counts_for
from engine.eots.ch16_victory.judgement import judge_end_of_turn
from engine.eots.ch16_victory.score import score, total_points
from engine.eots.ids import HexId, NationId, Side
from engine.eots.ruleset import EOTS
from engine.eots.state import REMOVED, ChinaFront, State
from tests.engine.eots.positions import start_of, with_control, with_tracks, with_units

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
TOWNSVILLE, OAHU = "3727", "5808"


def worth(state: State, letter: str) -> int:
    """Return the points of one condition."""
    return next(line.points for line in score(state) if line.id == letter)


@pytest.mark.parametrize("scenario", ["1942", "1943", "1944"])
@pytest.mark.parametrize(
    ("lost", "points"),
    [
        pytest.param((), 0, id="17.38C-both-allied"),
        pytest.param((TOWNSVILLE,), 5, id="17.38C-townsville-lost"),
        pytest.param((OAHU,), 5, id="17.38C-oahu-lost"),
    ],
)
def test_enemy_held_ports_cannot_trace_a_line(
    scenario: str, lost: tuple[str, ...], points: int
) -> None:
    state = with_control(start_of(scenario), JAPAN, lost)
    assert worth(state, "C") == points


def under(state: State, **options: str) -> State:
    """Return a game with other values of rulings."""
    chosen = {name.replace("_", "-"): value for name, value in options.items()}
    return replace(state, options=chosen)


OLD: Final = "edition-3-0"


@pytest.mark.parametrize(
    ("scenario", "letter", "changes", "points"),
    [
        pytest.param("1942", "A", {"china_front": ChinaFront.MAJOR_BREAKTHROUGH}, 0, id="DS-9"),
        pytest.param(
            "1942",
            "A",
            {
                "china_front": ChinaFront.GOVERNMENT_COLLAPSED,
                "surrendered": (NationId("china"),),
            },
            5,
            id="DS-9-surrender",
        ),
        pytest.param("1943", "N", {}, -3, id="DS-16"),
        pytest.param("1943", "Q", {}, -1, id="DS-17"),
        pytest.param("1943-44", "G", {}, 1, id="DS-21"),
        pytest.param("1944", "G", {}, 1, id="DS-21-one-year"),
        pytest.param("1943", "G", {}, 3, id="DS-21-leaves-17.38G-alone"),
    ],
)
def test_victory_points_of_the_older_edition(
    scenario: str, letter: str, changes: dict[str, object], points: int
) -> None:
    state = with_tracks(start_of(scenario), mandates=JAPAN, **changes)
    state = with_control(state, ALLIED, ("4415", "4715", "3813"))
    state = under(state, tournament_note="off", victory_values=OLD)
    assert worth(state, letter) == points


@pytest.mark.parametrize(
    ("held", "edition", "over"),
    [
        pytest.param(11, "edition-2021", True, id="DS-8-11-hexes"),
        pytest.param(11, OLD, False, id="DS-8-11-hexes-older"),
        pytest.param(10, OLD, True, id="DS-8-10-hexes-older"),
    ],
)
def test_automatic_victory_of_1942(held: int, edition: str, over: bool) -> None:
    resources = board().resource_hexes
    state = with_control(start_of("1942"), JAPAN, resources[:held])
    state = with_control(state, ALLIED, resources[held:])
    state = replace(under(state, victory_values=edition), turn=4, last_turn=4)
    outcome = judge_end_of_turn(state)
    assert outcome is not None
    assert (outcome.winner == "allied" and outcome.score is None) is over


@pytest.mark.parametrize(
    ("note", "unit", "counts"),
    [
        pytest.param("hypothetical-unit", None, True, id="OPS-6-hypothetical"),
        pytest.param("real-unit", None, False, id="OPS-6-DS-11-no-real-unit"),
        pytest.param("real-unit", "jp-hq-south-seas", False, id="OPS-6-DS-11-an-hq-is-none"),
        pytest.param("real-unit", "jp-sn-1", True, id="OPS-6-DS-11-real-unit"),
        pytest.param("off", None, True, id="OPS-6-off"),
    ],
)
def test_tournament_note_decides_who_counts_a_captured_hex(
    note: str, unit: str | None, counts: bool
) -> None:
    """A hex that Japan has taken since the start counts for Japan, or for the Allies."""
    taken = with_control(start_of("1943"), JAPAN, ("4423",))
    gone = [u for u, piece in taken.units.items() if piece.at == "4423"]
    state = with_units(taken, dict.fromkeys(gone, (REMOVED, 0)))
    if unit is not None:
        state = with_units(state, {unit: "4423"})
    assert counts_for(under(state, tournament_note=note), JAPAN, HexId("4423")) is counts


NAURU: Final = "4719"


@pytest.mark.parametrize(
    ("scenario", "reading", "japan"),
    [
        pytest.param(
            "1943", "siam-japanese-nauru-allied", {"2210", "2110", NAURU}, id="OPS-3-1943"
        ),
        pytest.param("1944", "siam-japanese-nauru-allied", {"2210", "2110"}, id="OPS-3-1944"),
        pytest.param("1943", "siam-allied-nauru-japanese", {"2110", NAURU}, id="OPS-3-1943-other"),
        pytest.param("1944", "siam-allied-nauru-japanese", {"2110", NAURU}, id="OPS-3-1944-other"),
        pytest.param("1942", "siam-allied-nauru-japanese", {"2110"}, id="OPS-3-1942-is-the-same"),
    ],
)
def test_siam_and_nauru_start_under_the_selected_ruling(
    scenario: str, reading: str, japan: set[str]
) -> None:
    position = EOTS.position(scenario, {"siam-nauru": reading})
    held = {at for at in ("2210", "2110", NAURU) if at in position.japan_controls}
    assert held == japan


@pytest.mark.parametrize(
    ("scenario", "bid", "points"),
    [
        pytest.param("1943", "off", 0, id="16.48-off"),
        pytest.param("1943", "-1", -1, id="EX16-8-16.48A-bidder-of-1-plays-japan"),
        pytest.param("1943", "+2", 2, id="EX16-8-16.48A-winner-plays-the-allies"),
        pytest.param("short-campaign", "+2", 0, id="16.48A-not-in-campaigns"),
    ],
)
def test_bid_changes_victory_points(scenario: str, bid: str, points: int) -> None:
    plain = start_of(scenario)
    assert total_points(under(plain, bidding_vp=bid)) == total_points(plain) + points


@pytest.mark.parametrize(
    ("scenario", "bid", "will"),
    [
        pytest.param("short-campaign", "off", 8, id="16.48B-off"),
        pytest.param("short-campaign", "-2", 6, id="16.48B-winner-plays-the-allies"),
        pytest.param("short-campaign", "+3", 10, id="16.48B-OPB-24-never-above-10"),
        pytest.param("shorter-campaign", "+1", 7, id="16.48B-1943"),
        pytest.param("1943", "+1", 6, id="16.48B-campaigns-only"),
    ],
)
def test_bid_changes_political_will(scenario: str, bid: str, will: int) -> None:
    position = EOTS.position(scenario, {"bidding-pw": bid})
    assert position.tracks.political_will == will
