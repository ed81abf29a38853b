"""Edge cases of national status that other tests do not cover (13.0)."""

from typing import Final

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.supply import effective_efficiency
from engine.eots.ch07_offensive.conclusion import finish_offensive, take_landing_control
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.state import IndiaStatus, State
from engine.kernel.dice import ScriptedDice
from tests.engine.eots.battlefield import field, fight, landing
from tests.engine.eots.battlefield import march as marched
from tests.engine.eots.moving import Mover, march, moving, pick
from tests.engine.eots.politics import settle
from tests.engine.eots.positions import Place, position, with_control

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
NORTH: Final = ("1905", "2005", "2104", "2105", "2205")
CALCUTTA: Final = "1805"
DACCA: Final = "1905"


def lost_north(units: dict[str, Place], **more: object) -> State:
    """Return a position in which Japan has all of Northern India and India is in the state of strikes."""
    return position(units, japan=NORTH, india=IndiaStatus.STRIKES, north_india_lost=True, **more)  # type: ignore[arg-type]  # fields of the tracks


class TestIndiaInTheOffensivesSegment:
    """13.62-4b: the status changes as soon as the Allies regain a hex of Northern India in any way."""

    def test_a_march_resets_the_india_marker_before_the_reaction(self) -> None:
        mover: Mover = moving(lost_north({"cw-corps-15": CALCUTTA}), ALLIED, ["cw-corps-15"])
        mover(*pick("cw-corps-15"), march(DACCA))
        assert mover.state.tracks.india is IndiaStatus.STABLE
        assert not mover.state.tracks.north_india_lost

    def test_a_ground_victory_resets_the_india_marker(self) -> None:
        won = fight(
            field(
                {"cw-corps-15": DACCA, "jp-army-15": (DACCA, 1)},
                ALLIED,
                DACCA,
                moved={"cw-corps-15": marched(DACCA, CALCUTTA)},
                japan=NORTH,
                india=IndiaStatus.UNSTABLE,
                north_india_lost=True,
            ),
            9,
            0,
        )
        assert won.state.tracks.india is IndiaStatus.STABLE

    def test_a_landing_resets_the_india_marker_before_post_battle_movement(self) -> None:
        state = field(
            {"cw-corps-15": DACCA},
            ALLIED,
            DACCA,
            moved={"cw-corps-15": landing(DACCA, CALCUTTA)},
            japan=NORTH,
            india=IndiaStatus.UNREST,
            north_india_lost=True,
        )
        ledger = EotsRun(state, evolve, ScriptedDice())
        take_landing_control(ledger)
        assert ledger.state.tracks.india is IndiaStatus.STABLE


def test_a_landing_ends_the_tokyo_express() -> None:
    """6.23: it is removed when the Allies gain control of its hex in any way."""
    state = field(
        {"us-marine-1-division": "4222"},
        ALLIED,
        "4222",
        moved={"us-marine-1-division": landing("4222", "4423")},
        japan=["4222"],
        tokyo_express=HexId("4222"),
    )
    ledger = EotsRun(state, evolve, ScriptedDice())
    take_landing_control(ledger)
    assert ledger.state.tracks.tokyo_express is None


IWO_JIMA: Final = "3709"


@pytest.mark.parametrize(
    ("hqs", "left"),
    [
        pytest.param({"us-hq-central-pacific": "3813"}, False, id="12.32-J-71-ends"),
        pytest.param({}, True, id="12.32-J-71-stays-without-a-supply-eligible-airfield"),
    ],
)
def test_interceptors_end_after_an_offensive_if_an_airfield_is_supplied(
    hqs: dict[str, Place], left: bool
) -> None:
    state = field(
        {"us-marine-3-division": IWO_JIMA, **hqs},
        ALLIED,
        IWO_JIMA,
        allied=[IWO_JIMA, "3813"],
        interceptors=True,
    )
    ledger = EotsRun(state, evolve, ScriptedDice())
    finish_offensive(ledger)
    assert ledger.state.tracks.interceptors is left


def test_national_status_control_changes_end_the_interceptors() -> None:
    """12.32: control that changes with national status also ends J-71."""
    state = position(
        {"us-marine-3-division": IWO_JIMA, "us-hq-central-pacific": "3813"},
        allied=[IWO_JIMA, "3813"],
        interceptors=True,
    )
    assert not settle(state).state.tracks.interceptors


@pytest.mark.parametrize(
    ("start", "reading", "rating"),
    [
        pytest.param("2108", "burma", 0, id="13.79-OPB-17-inside-the-border"),
        pytest.param("2108", "not-burma", 1, id="13.79-OPB-17-no-base-and-no-jungle"),
        pytest.param("2107", "not-burma", 0, id="13.79-OPB-17-jungle"),
    ],
)
def test_efficiency_of_units_starting_in_2108_follows_the_ruling(
    start: str, reading: str, rating: int
) -> None:
    state = position(
        {"jp-hq-south": "2015", "jp-army-15": start},
        japan=[start],
        allied=["2008"],
        options={"burma-2108": reading},
        kwai_bridge=False,
    )
    assert effective_efficiency(state, UnitId("jp-hq-south"), (UnitId("jp-army-15"),)) == rating


@pytest.mark.parametrize(
    ("reading", "will"),
    [
        pytest.param("edition-2021", (5, 6, 7), id="16.41-OPB-26-all-seven-not-recoverable"),
        pytest.param("edition-3-0", (5, 8, 9), id="16.41-OPB-26-all-seven-recoverable-once"),
    ],
)
def test_penalty_for_all_seven_surrenders(reading: str, will: tuple[int, int, int]) -> None:
    areas = board().areas
    state = position(
        scenario_id="1942",
        surrendered=tuple(PENALTIES),
        all_surrendered_penalty=True,
        political_will=5,
        options={"pw-recovery": reading},
    )
    state = with_control(state, JAPAN, list(state.control))
    found = [settle(state).state.tracks.political_will]
    for nation in ("malaya", "philippines"):
        state = settle(with_control(state, ALLIED, areas[AreaId(nation)].control_hexes)).state
        found.append(state.tracks.political_will)
    assert tuple(found) == will
