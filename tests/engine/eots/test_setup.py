"""Starting positions of the scenarios (2.0, 17)."""

from collections import Counter as Multiset

import pytest

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import HexId, ScenarioId, Side, UnitId
from engine.eots.position_checks import check_position
from engine.eots.ruleset import EOTS
from engine.eots.scenarios import scenario, scenario_deck
from engine.eots.setup import scenario_infos, starting_position
from engine.eots.state import (
    DELAY_BOX,
    ELIMINATED,
    EVENT,
    OFF_MAP,
    REMOVED,
    TURN_TRACK,
    ChinaFront,
    State,
)
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError

PLAYABLE = (
    "campaign-1941",
    "1942",
    "1943",
    "1944",
    "1942-43",
    "1943-44",
    "1942-44",
    "short-campaign",
    "shorter-campaign",
    "south-pacific",
)
SECRET = bytes(32)


def begun(name: str) -> State:
    """Return a scenario at its first question."""
    position = starting_position(name, {})
    return EOTS.fold(EOTS.initial_state(), EOTS.open_game(position, DerivedDice(SECRET, 0)))


def test_menu_lists_scenarios_in_rulebook_order() -> None:
    infos = scenario_infos()
    assert tuple(info.id for info in infos) == PLAYABLE
    assert all(info.summary and info.name and info.roles == ("allied", "japan") for info in infos)


@pytest.mark.parametrize("name", ["1941", "", "../1943"])
def test_other_scenarios_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="no playable scenario"):
        starting_position(name, {})


@pytest.mark.parametrize(
    "options", [{"no-such-switch": "x"}, {"naval-stacking": "seven"}, {"naval-stacking": ""}]
)
def test_unknown_options_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(DataError, match="option"):
        starting_position("1943", options)


@pytest.mark.parametrize("name", PLAYABLE)
def test_every_starting_position_is_legal(name: str) -> None:
    position = starting_position(name, {})
    check_position(position)
    assert position.frames == (TurnFrame(phase=Phase.DEAL),)
    assert [setup.unit for setup in position.units] == sorted(counters())


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        pytest.param("1942", (94, 13, 81, 7, 6), id="EX17-1-1942"),
        pytest.param("1943", (100, 4, 46, 3, 48), id="EX17-1-1943"),
        pytest.param("1944", (125, 0, 19, 1, 56), id="EX17-1-1944"),
    ],
)
def test_unit_counts_by_place(name: str, numbers: tuple[int, ...]) -> None:
    """They are in the set-up, the delay box, reinforcements, event units, or eliminated or unused."""
    places = Multiset(setup.at for setup in starting_position(name, {}).units)
    on_map = sum(count for at, count in places.items() if at not in OFF_MAP)
    gone = places[ELIMINATED] + places[REMOVED]
    assert (on_map, places[DELAY_BOX], places[TURN_TRACK], places[EVENT], gone) == numbers


@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param("1942", 4, id="EX17-2-1942"),
        pytest.param("1943", 14, id="EX17-2-1943"),
        pytest.param("1944", 14, id="EX17-2-1944"),
    ],
)
def test_japan_starts_with_the_right_number_of_resource_hexes(name: str, count: int) -> None:
    held = starting_position(name, {}).japan_controls
    assert sum(at in held for at in board().resource_hexes) == count


@pytest.mark.parametrize(
    ("name", "japan", "allied"),
    [
        pytest.param("1943", (7, 0), (7, 0), id="17.35"),
        pytest.param("1944", (6, 1), (7, 0), id="17.45"),
        pytest.param("1943-44", (7, 0), (7, 0), id="17.6"),
        pytest.param("shorter-campaign", (7, 0), (7, 0), id="17.9"),
    ],
)
def test_first_hand_sizes(name: str, japan: tuple[int, int], allied: tuple[int, int]) -> None:
    decks = begun(name).decks
    assert (len(decks[Side.JAPAN].hand), decks[Side.JAPAN].passes) == japan
    assert (len(decks[Side.ALLIED].hand), decks[Side.ALLIED].passes) == allied


@pytest.mark.parametrize("name", PLAYABLE)
def test_first_turn_skips_the_strategic_segments(name: str) -> None:
    """17.2, DS-19: the delay box matches the set-up, and nothing has arrived."""
    state = begun(name)
    boxed = [setup.unit for setup in starting_position(name, {}).units if setup.at == DELAY_BOX]
    assert all(state.units[unit].at == DELAY_BOX for unit in boxed)
    assert EOTS.active_roles(state)


@pytest.mark.parametrize("name", PLAYABLE)
def test_every_card_is_in_exactly_one_place(name: str) -> None:
    for side, deck in starting_position(name, {}).decks.items():
        found = [*deck.hand, *deck.draw, *deck.discard, *deck.removed]
        found += [] if deck.future is None else [deck.future]
        assert sorted(found) == sorted(scenario_deck(scenario(ScenarioId(name)), side))


def test_starting_markers_of_1943() -> None:
    """17.33 to 17.36."""
    position = starting_position("1943", {})
    tracks = position.tracks
    assert (tracks.political_will, tracks.war_in_europe, tracks.china_front) == (
        6,
        -1,
        ChinaFront.MAJOR_BREAKTHROUGH,
    )
    assert (tracks.allied_asp, tracks.japan_asp, tracks.barges) == (4, 7, True)
    assert (tracks.japan_air_points, tracks.japan_naval_points) == (2, 1)
    assert set(tracks.no_transport_route) == {"2205", "2105"}  # DS-14
    assert set(tracks.surrendered) == {"malaya", "philippines", "dutch-east-indies", "burma"}
    assert tracks.mandates is Side.JAPAN
    assert tracks.aleutians_held == {"4600": 2}  # OPS-16
    assert tracks.kwai_bridge
    assert tracks.hump
    assert position.decks[Side.ALLIED].future == "A-29"
    assert position.decks[Side.JAPAN].future == "J-26"


def test_starting_markers_of_1944() -> None:
    """17.43 to 17.46."""
    tracks = starting_position("1944", {}).tracks
    assert (tracks.political_will, tracks.war_in_europe, tracks.divisions_in_china) == (5, 2, 5)
    assert (tracks.allied_asp, tracks.japan_asp) == (8, 5)
    assert tracks.pt_boats
    assert not tracks.barges
    assert tracks.defence_doctrine  # DS-20
    assert not tracks.aleutians_held  # OPS-16


def test_starting_markers_of_1942() -> None:
    """17.23, 17.25B."""
    tracks = starting_position("1942", {}).tracks
    assert (tracks.political_will, tracks.divisions_in_china, tracks.allied_asp) == (8, 11, 1)
    assert tracks.surrendered == ()
    assert tracks.mandates is None


def test_later_reinforcements_are_on_the_turn_track() -> None:
    units = {setup.unit: setup for setup in starting_position("1943", {}).units}
    later = [setup for setup in units.values() if setup.turn is not None and setup.turn > 7]
    assert later
    assert units[UnitId("jp-hq-south")].at in board().hexes
    assert HexId(units[UnitId("us-cv-enterprise")].at) in board().hexes
