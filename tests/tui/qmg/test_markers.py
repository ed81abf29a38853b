"""Markers of moved Homes and changed supply spaces (13.10): on the map, in the list, next to the space."""

from engine.qmg.ids import USSR
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView
from tests.engine.qmg.table import Table
from tests.tui.qmg.tables import PRESENTER
from tui.drawing.colour_roles import GroundRole
from tui.maps.enums import Highlight
from tui.presenter.presenter import Selection

KUIBYSHEV = "status ussr su_tw_government_evacuates_to_kuibyshev"


def view(*lines: str, scenario: str = "total-war") -> QmgView:
    return QMG.project(
        Table(scenario, "active ussr", "homes", *lines).state, QMG.roles(QMG.initial_state())[3]
    )


def text(now: QmgView, space: str) -> str:
    return "\n".join(PRESENTER.hex_lines(now, space))


def test_13_10_soviet_home_is_where_its_marker_is() -> None:
    before, now = view(), view(KUIBYSHEV)
    assert now.role == USSR
    assert "Home of the USSR" in text(before, "moscow")
    assert "Home" not in text(now, "moscow")
    assert "Home of the USSR" in text(now, "siberia")
    homes = PRESENTER.scene(now, Selection(overlay="homes")).cells
    assert homes["siberia"].highlight is Highlight.SELECTED
    assert homes["moscow"].highlight is Highlight.NONE


def test_land_has_the_colour_of_the_country_that_holds_it() -> None:
    empty, held = view(KUIBYSHEV), view("piece germany army ukraine", "piece uk navy baltic_sea")
    assert PRESENTER.scene(empty, Selection()).cells["siberia"].floor is GroundRole.NONE
    cells = PRESENTER.scene(held, Selection()).cells
    assert cells["ukraine"].floor is GroundRole.HOME_A
    assert cells["germany"].floor is GroundRole.HOME_A
    assert cells["moscow"].floor is GroundRole.HOME_D
    assert cells["baltic_sea"].floor is GroundRole.SHALLOW, "a Navy holds no land"


def test_13_10_lost_and_new_supply_spaces_are_marked() -> None:
    now = view(KUIBYSHEV, "piece ussr army siberia", "piece usa army siberia")
    cells = PRESENTER.scene(now, Selection()).cells
    assert (cells["moscow"].symbol, cells["siberia"].symbol) == ("", "*")
    assert "no longer a supply space" in text(now, "moscow")
    assert "scores" not in text(now, "moscow")
    assert "Supply space (*) for the USSR only" in text(now, "siberia")
    assert "The USSR scores 2 VP here" in text(now, "siberia")
    assert "The USA scores" not in text(now, "siberia")
    assert PRESENTER.scene(view(), Selection()).cells["moscow"].symbol == "*"


def test_13_10_scorched_earth_makes_ukraine_a_supply_space_for_the_allies_only() -> None:
    now = view("status ussr su_scorched_earth", "piece germany army ukraine", scenario="base")
    assert "Supply space (*) for the Allies only" in text(now, "ukraine")
    assert "Germany scores" not in text(now, "ukraine")


def test_13_7_french_home_exists_only_in_total_war() -> None:
    assert "Home of France" in text(view(), "western_europe")
    assert "Home" not in text(view(scenario="base"), "western_europe")
    exile = view(
        "status uk uk_tw_government_in_exile",
        "no-piece france army western_europe",
        "piece germany army western_europe",
    )
    assert "Home of the UK, France" in text(exile, "united_kingdom")
    assert "Home" not in text(exile, "western_europe")


def test_5_1_neighbours_added_by_a_status_are_listed() -> None:
    now = view("status italy it_tw_turkey_opens_the_straits")
    assert "Axis also: Balkans (by a Status)" in text(now, "middle_east")
    assert "Axis also: Mediterranean Sea (by a Status)" in text(now, "black_sea")
    assert "also" not in text(view(), "middle_east")
    beside = PRESENTER.scene(now, Selection()).neighbours
    assert beside["middle_east"]["balkans"] == beside["black_sea"]["mediterranean"] == "Ax"
    assert "balkans" not in PRESENTER.scene(view(), Selection()).neighbours["middle_east"]
    shut = view("status italy it_tw_spanish_troops_seize_gibraltar")
    assert "Axis also: Mediterranean Sea (strait)" in text(shut, "north_sea")
    assert "Allies also: Baltic Sea (strait)" in text(shut, "north_sea")
