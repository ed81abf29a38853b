"""Set-up (1 - 4) and the map (5): numbers, secrecy, point contacts, edges, straits, distances."""

from collections import Counter

import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.atlas import ATLAS, BIT, INDEX, SPACES, names
from engine.qmg.board_analysis import board_analysis
from engine.qmg.deck import CARDS, POOLS, deck_list
from engine.qmg.ids import COUNTRIES
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


@pytest.mark.parametrize(
    ("scenario", "sizes", "drawn", "back"),
    [
        ("base", (41, 40, 34, 34, 30, 41), 10, 3),
        ("total-war", (68, 66, 62, 58, 54, 72), 12, 5),
    ],
)
def test_3_1_and_3_2_decks_and_first_hands(
    scenario: str, sizes: tuple[int, ...], drawn: int, back: int
) -> None:
    table = Table(scenario)
    for country, size in zip(COUNTRIES, sizes, strict=True):
        cards = table.state.cards_of(country)
        assert (len(cards.hand), cards.deck_size, len(cards.discard)) == (drawn, size - drawn, 0)
    assert table.asked == COUNTRIES
    for country in reversed(COUNTRIES):
        for _ in range(back):
            default = table.options(country)[-1]
            assert QMG.notation.line(QMG.decision(table.state, Role(country)).default) == default
            table(f"{country}: {default}")
        assert country not in table.asked or table.state.active
    for country in COUNTRIES:
        cards = table.state.cards_of(country)
        assert (len(cards.hand), len(cards.discard), cards.face_up) == (7, back, ())
    assert (table.state.active, table.state.round) == ("germany", 1)


def test_1_base_game_of_220_and_165_more_cards() -> None:
    sets = Counter[str]()
    for card in CARDS.values():
        sets["base" if card.set == "base" else "more"] += card.count
    assert sets == {"base": 220, "more": 165}


def test_1_pools() -> None:
    countries = [POOLS[country] for country in COUNTRIES]
    assert sum(pool["army"] for pool in countries) == 33
    assert sum(pool["navy"] for pool in countries) == 23
    assert sum(pool["air"] for pool in POOLS.values()) == 13
    assert (POOLS["france"]["army"], POOLS["france"]["navy"]) == (3, 2)
    assert (POOLS["china"]["army"], POOLS["china"]["navy"]) == (2, 0)


def test_3_1_and_3_2_first_pieces() -> None:
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


def test_3_2_five_cards_are_replaced_two_of_them_in_another_deck() -> None:
    replaced = {card.replaces: card for card in CARDS.values() if card.replaces}
    assert len(replaced) == 5
    moved = {name for name, card in replaced.items() if CARDS[str(name)].deck != card.deck}
    assert moved == {"us_free_french_allies", "uk_ledo_and_burma_roads"}
    decks = {country: deck_list(country, total_war=True) for country in COUNTRIES}
    everything = [card for deck in decks.values() for card in deck]
    assert not {card.partition("#")[0] for card in everything} & set(replaced)
    assert len(everything) == len(set(everything)) == 380


@pytest.mark.parametrize("scenario", ["base", "total-war"])
def test_18_27_first_discards_are_secret_and_at_the_same_time(scenario: str) -> None:
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


def test_3_3_turn_order() -> None:
    table = Table("base", "active germany", "homes")
    order = []
    for _ in range(7):
        order.append(table.state.active)
        table.finish_turn()
    assert order == ["germany", "uk", "japan", "ussr", "italy", "usa", "germany"]
    table.expect("round 2")


def test_2_seats_hold_one_team() -> None:
    for info in QMG.scenarios():
        assert {team: len(group) for team, group in info.teams.items()} == {"axis": 3, "allies": 3}
        assert [len(seating) for seating in info.seatings] == [2, 3, 4, 5, 6]
        for seating in info.seatings:
            assert sorted(role for seat in seating for role in seat) == sorted(info.roles)
            assert all(
                any(set(seat) <= set(team) for team in info.teams.values()) for seat in seating
            )


# -- 5


def test_5_1_the_map_has_53_spaces_and_131_borders() -> None:
    assert Counter(space.kind for space in SPACES) == {"land": 36, "sea": 17}
    assert sum(len(space.adjacent) for space in SPACES) == 2 * 131
    for space in SPACES:
        assert all(space.id in SPACES[INDEX[other]].adjacent for other in space.adjacent)
    assert sum(space.supply for space in SPACES) == 12


@pytest.mark.parametrize(("one", "other"), POINT_CONTACTS)
def test_5_1_a_point_is_no_border(one: str, other: str) -> None:
    table = Table("base", "active uk", "homes", "piece germany army scandinavia")
    for team in ("axis", "allies"):
        table.expect(f"no adjacent {one} {other} {team}")


@pytest.mark.parametrize(("one", "other"), WRAPS)
def test_5_2_east_meets_west(one: str, other: str) -> None:
    table = Table("base", "active uk", "homes")
    assert {one, other} in [set(edge) for edge in ATLAS.layout.wrap_edges]
    for team in ("axis", "allies"):
        table.expect(f"adjacent {one} {other} {team}", f"adjacent {other} {one} {team}")


@pytest.mark.parametrize("strait", ATLAS.straits, ids=lambda strait: strait.id)
@pytest.mark.parametrize(
    ("holder", "team"),
    [("", "allies"), ("uk", "allies"), ("ussr", "allies"), ("germany", "axis"), ("italy", "axis")],
)
def test_5_3_a_strait_is_open_to_one_team(strait: object, holder: str, team: str) -> None:
    land, (one, other) = strait.land, strait.seas  # type: ignore[attr-defined]  # a Strait
    piece = [f"piece {holder} army {land}"] if holder else []
    table = Table("base", "active uk", "homes", *piece)
    closed = "axis" if team == "allies" else "allies"
    table.expect(
        f"strait {strait.id} {team}",  # type: ignore[attr-defined]
        f"adjacent {one} {other} {team}",
        f"no adjacent {one} {other} {closed}",
    )


def test_5_6_distance_counts_land_sea_and_open_straits_whatever_stands_there() -> None:
    table = Table("base", "active uk", "homes", "piece germany army north_africa")
    now = board_analysis(table.state)
    assert names(now.within_distance("axis", BIT["italy"], 0)) == ("italy",)
    assert set(names(now.within_distance("axis", BIT["japan"], 1))) == {"japan", "east_china_sea"}
    two = set(names(now.within_distance("axis", BIT["italy"], 2)))
    assert "north_sea" in two  # through Western Europe, and through the open strait of Gibraltar
    assert "middle_east" in two
    assert "iceland" not in two
    by_sea = now.adjacent("axis")[INDEX["mediterranean"]]
    assert by_sea & BIT["north_sea"]
    assert not now.adjacent("allies")[INDEX["mediterranean"]] & BIT["north_sea"]


# -- 4


def test_4_1_friends_share_a_space_enemies_never_and_nobody_twice() -> None:
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
