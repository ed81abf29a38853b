"""Reports of what was seen, from events that the rules created."""

from typing import Final

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Aim, Attack
from engine.cbps.damage.ch15_victory import scenario_outcome
from engine.cbps.enemy.ch07_activation import activate_chit
from engine.cbps.events.chance import ChartRead
from engine.cbps.events.raids import RaidReduced, RaidSplit
from engine.cbps.events.turns import ChitDrawn
from engine.cbps.frames import SearchAttemptFrame, StrikesFrame
from engine.cbps.prose.headings import raid_heading
from engine.cbps.run import Run
from engine.cbps.search.ch08_attempts import resolve_attempt
from engine.cbps.state import AirUnit, Force, Raid, Search, State
from engine.cbps.view import project_state
from tests.engine.cbps.battle import battle, given, running, with_force, with_parts
from tests.tui.cbps.battles import PRESENTER, session
from tui.cbps.panels.report import report_lines
from tui.presenter.player_labels import winner_text

CUP: Final = ("C", "F", "Guam", "Iwo Jima", "No Op")
RAID: Final = """\
Force C (Carrier, Located) raided TG 58.1 with 8 and 5 points from 1116: seen in 1111, 3 hexes away
  and 1113, 5 hexes away
  Force C is known only approximately (?) (8.14).
  Force C has a Butai display (9.1).
  Force C is now Butai 1 (9.1).
  Butai 1: 8 points come to light in Raid A.
  Butai 1: 5 points come to light in Raid B.
  The Commitment Index is 5 (13.1).
  Butai 1 moves SW to 1217, away from the US carriers.
  Why:
    Random choice (10.1) for Force C: TG 58.1, one of 3.
    Japanese Air Raid Generation (10.1B, 11.24-11.27) for Force C, die 8: raid (assumed).
      [T:air_raid_generation]
    Air Raid Strength: L1-2 forces, Unknown Air Strength (10.1E) for Force C, column L1 Carrier, die
      7: 8/5. [T:raid_strength_unknown]
    Intercept Range (10.21, 11.26, 16.21) for Raid 1-A, die 5: 3 (assumed). [T:intercept_range]
    Random choice (7.21) for Butai 1: 1217, one of 2."""
STRIKE: Final = """\
Strike 1 on Force A (Located): contact, 2 CAP points shot down
  Force A is spotted.
  Force A has 2 CAP points in this phase.
  Force A loses 2 CAP points."""
SEARCH: Final = """\
Search 1 looked for Force C (undetected) in 1116: located
  Force C reaches level 1: Large.
  Why:
    Air Search (8.34-8.342) for Force C, die 8 -1 (force 7-10 hexes from the search origin) -1 (0530
      turn) = 6: L (assumed). [T:air_search]
    Random choice (7.35) for Force C: Large, one of 24."""


def shown(before: State, run: Run, width: int = 100, *, is_explained: bool = True) -> str:
    """Return the report of a run."""
    views = project_state(before, "us"), project_state(run.state, "us")
    return "\n".join(report_lines(run.events, *views, width, is_explained=is_explained))


def activation(chit: str, force: Force, *faces: int, name: str = "") -> str:
    """Return the report of a drawn chit with a force on the map."""
    state = replace(battle("6"), turn=3, phase=2, segment="activation", mission_die=4, cup=CUP)
    state = with_parts(state, forces={name or chit: force})
    run = running(state, *faces)
    run.add(ChitDrawn(chit=chit))
    activate_chit(run, chit)
    return shown(state, run)


def test_10_1_report_of_a_raid_by_a_force() -> None:
    force = Force(hex="1116", level=1, chit="Carrier", is_carrier=True, detection="L")
    assert activation("C", force, 8, 7, 5) == RAID


def test_7_22_report_of_a_force_move() -> None:
    assert activation("F", Force(hex="1422")) == "Force F (undetected) moved NE from 1422 to 1321"


def test_8_14_lost_detection_is_reported() -> None:
    force = Force(hex="1422", level=1, chit="Surface", detection="?")
    assert activation("F", force) == (
        "Force F (Surface, approximate) moved NE from 1422 to 1321\n"
        "  Force F is no longer detected (8.14)."
    )


def test_16_12_base_that_sends_nothing_is_reported() -> None:
    found = activation("Iwo Jima", Force(hex="1422"), 3, name="F")
    assert found.splitlines()[0] == "Iwo Jima sent nothing"
    assert "T:land_reinforcement_check" in found


def test_3_22_no_op_is_not_reported() -> None:
    assert activation("No Op", Force(hex="1422"), name="F") == ""


def test_7_53_second_activation_is_not_reported() -> None:
    assert activation("F", Force(hex="1422", has_acted=True)) == ""


def struck() -> tuple[State, Run]:
    """Return a strike on the first force of Scenario 2 up to its damage dice."""
    state = replace(battle("2"), frames=(StrikesFrame(),), segment="us-attack")
    return state, given(state, Attack(mission="strike-1", target="A"), 9, 2, 6, 7, 5)


def test_5_1_report_of_a_strike() -> None:
    state, run = struck()
    assert shown(state, run, is_explained=False) == STRIKE
    assert "[T:strike_contact]" in shown(state, run)


def test_5_61_damage_dice_belong_to_the_strike_report() -> None:
    _, run = struck()
    aimed = run.state
    ship = "zuikaku"
    for _ in range(2):
        aimed = given(aimed, Aim(ship=ship)).state
    last = given(aimed, Aim(ship=ship), 10, 3, 3)
    found = shown(aimed, last, is_explained=False).splitlines()
    assert found[0] == "Strike 1 on Force A (Spotted): contact, 4 hits on Zuikaku"
    missed = given(aimed, Aim(ship=ship), 1, 1, 1)
    assert shown(aimed, missed).startswith("Strike 1 on Force A (Spotted): contact, no hits\n")


def test_5_23_report_of_a_strike_without_contact() -> None:
    state = replace(battle("2"), frames=(StrikesFrame(),), segment="us-attack")
    run = given(state, Attack(mission="strike-1", target="A"), 1)
    assert shown(state, run, is_explained=False) == "Strike 1 on Force A (Located): no contact"


def searched(die: int) -> str:
    state = replace(battle("6"), segment="search", frames=(SearchAttemptFrame(),))
    search = Search(
        kind="standard",
        origin="1108",
        group="58.1",
        bearing=270,
        radius="1118",
        hex="1118",
        moves=3,
        zone="far",
    )
    state = with_parts(
        with_force(state, "C", "1116"),
        searches={"search-1": search},
        units={"hornet-b1": AirUnit(place="search", at="search-1")},
    )
    run = running(state, die, picks=("Large",))
    resolve_attempt(run, "search-1", "C")
    return shown(state, run)


def test_8_34_report_of_a_successful_search() -> None:
    assert searched(8) == SEARCH


def test_8_34_report_of_a_search_that_finds_nothing() -> None:
    first, *_ = searched(2).splitlines()
    assert first == "Search 1 looked for Force C (undetected) in 1116: nothing new"


@pytest.mark.parametrize("width", [38, 60, 100])
def test_report_fits_its_panel(width: int) -> None:
    state, run = struck()
    assert max(map(len, shown(state, run, width).splitlines())) <= width


def test_own_orders_are_not_reported() -> None:
    state = battle("6")
    assert shown(state, running(state)) == ""


def test_10_13_raid_that_divides_is_not_reported_as_fought() -> None:
    raid = Raid(origin="1", slot="a", hex="1108", target="58.1", points=5)
    view = project_state(with_parts(battle("6"), raids={"1-a": raid}), "us")
    split = RaidSplit(raid="1-a", fighters=1, attackers=4)
    escorts = ChartRead(chart="japanese_escort_fighters", about="1-a", die=5, result="1")
    heading = "Raid 1-A on TG 58.1 divides into escorts and attackers"
    assert raid_heading("1-a", (escorts, split), view) == heading
    shot = RaidReduced(raid="1-a", fighters=1, attackers=0, why="combat")
    fought = ChartRead(chart="us_air_to_air", about="1-a", die=8, result="1")
    fight = (escorts, split, fought, shot)
    assert raid_heading("1-a", fight, view) == "Raid 1-A on TG 58.1: 1 point destroyed"


def test_15_1_result_level_is_shown_once_at_the_end() -> None:
    ended = replace(battle("4"), found={"A": 12})
    ended = replace(ended, frames=(), outcome=scenario_outcome(ended))
    words = winner_text(session(ended), PRESENTER)
    assert words == "Draw, 12 points: Force A."


def test_panel_shows_the_latest_report_first() -> None:
    state, run = struck()
    views = project_state(state, "us"), project_state(run.state, "us")
    twice = [ChitDrawn(chit="C"), *run.events, ChitDrawn(chit="F")]
    lines = report_lines(twice, *views, 100, is_explained=False)
    latest = report_lines(twice, *views, 100, is_explained=False, newest_first=True)
    assert sorted(lines) == sorted(latest)
    whole = PRESENTER.report(twice, *views, is_explained=False)
    assert whole[0] == latest[0]
