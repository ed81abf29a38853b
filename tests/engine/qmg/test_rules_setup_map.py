"""Set-up (1 - 4) and the map (5): numbers, secrecy, point contacts, edges, straits, distances."""

import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.atlas import ATLAS
from engine.qmg.ruleset import QMG
from tests.engine.qmg.random_games import AUDIENCES
from tests.engine.qmg.table import Table

POINT_CONTACTS = [
    ("middle_east", "balkans"),
    ("black_sea", "mediterranean"),
    ("north_sea", "africa"),
    ("south_atlantic", "north_africa"),
    ("china", "south_china_sea"),
    ("southeast_asia", "east_china_sea"),
    ("siberia", "szechuan"),
    ("kazakhstan", "india"),
]
WRAPS = [
    ("canada", "pacific_northwest"),
    ("eastern_us", "western_us"),
    ("latin_america", "western_us"),
    ("latin_america", "east_pacific"),
    ("southeast_pacific", "east_pacific"),
]


# -- 1 and 3


def test_3_1_and_3_2_starting_pieces() -> None:
    homes = {"germany", "united_kingdom", "japan", "moscow", "italy", "eastern_us"}
    base = QMG.project(Table("base").state, None).pieces
    assert {space for pieces in base.values() for space in pieces.army} == homes
    more = QMG.project(Table("total-war").state, None).pieces
    assert {space for pieces in more.values() for space in pieces.army} == {
        *homes,
        "western_europe",
        "china",
    }
    assert all(not pieces.navy + pieces.air for pieces in (*base.values(), *more.values()))


@pytest.mark.parametrize("scenario", ["base", "total-war"])
def test_18_27_first_discards_are_secret_and_simultaneous(scenario: str) -> None:
    """18.27: only Japan learns its card, and the questions to the others stay the same."""
    table = Table(scenario)
    card = table.options("japan")[0].split()[1]
    before = {role: QMG.decision(table.state, role) for role in QMG.active_roles(table.state)}
    command = QMG.notation.parse(f"discard {card}")
    events = QMG.decide(table.state, Role("japan"), command, DerivedDice(bytes(32), 1))
    after = QMG.fold(table.state, events)
    for role in AUDIENCES:
        told = str([QMG.redact(event, role) for event in events])
        assert (card in told) == (role == "japan")
        if role not in {None, "japan"}:
            assert QMG.decision(after, role) == before[role]


def test_2_each_seat_belongs_to_one_team() -> None:
    for info in QMG.scenarios():
        assert {team: len(group) for team, group in info.teams.items()} == {"axis": 3, "allies": 3}
        assert [len(seating) for seating in info.seatings] == [2, 3, 4, 5, 6]
        for seating in info.seatings:
            assert sorted(role for seat in seating for role in seat) == sorted(info.roles)
            assert all(
                any(set(seat) <= set(team) for team in info.teams.values()) for seat in seating
            )


# -- 5


@pytest.mark.parametrize(("one", "other"), POINT_CONTACTS)
def test_5_1_spaces_touching_at_a_point_are_not_adjacent(one: str, other: str) -> None:
    table = Table("base", "active uk", "homes", "piece germany army scandinavia")
    for team in ("axis", "allies"):
        table.expect(f"no adjacent {one} {other} {team}")


@pytest.mark.parametrize(("one", "other"), WRAPS)
def test_5_2_east_and_west_map_edges_are_adjacent(one: str, other: str) -> None:
    table = Table("base", "active uk", "homes")
    assert {one, other} in [set(edge) for edge in ATLAS.layout.wrap_edges]
    for team in ("axis", "allies"):
        table.expect(f"adjacent {one} {other} {team}", f"adjacent {other} {one} {team}")


@pytest.mark.parametrize("strait", ATLAS.straits, ids=lambda strait: strait.id)
@pytest.mark.parametrize(
    ("holder", "team"),
    [("", "allies"), ("uk", "allies"), ("ussr", "allies"), ("germany", "axis"), ("italy", "axis")],
)
def test_5_3_a_strait_is_open_to_only_one_team(strait: object, holder: str, team: str) -> None:
    land, (one, other) = strait.land, strait.seas  # type: ignore[attr-defined]  # a Strait
    piece = [f"piece {holder} army {land}"] if holder else []
    table = Table("base", "active uk", "homes", *piece)
    closed = "axis" if team == "allies" else "allies"
    table.expect(
        f"strait {strait.id} {team}",  # type: ignore[attr-defined]
        f"adjacent {one} {other} {team}",
        f"no adjacent {one} {other} {closed}",
    )


# -- 4


def test_4_1_only_friendly_forces_share_a_space() -> None:
    table = Table(
        "base",
        "active italy",
        "homes",
        "piece germany army balkans",
        "piece uk army western_europe",
        "hand italy it_build_army#1",
    )
    table("italy: play it_build_army#1")
    assert table.options("italy", "build") == [
        "build italy army germany",
        "build italy army balkans",
    ]
