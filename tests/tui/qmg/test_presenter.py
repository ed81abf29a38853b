"""Quartermaster General in words and pictures: views and commands only."""

from typing import cast

import pytest
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg import commands as c
from engine.qmg.atlas import SPACE, SPACES
from engine.qmg.deck import CARD
from engine.qmg.frames import Trigger
from engine.qmg.ids import HIDDEN
from engine.qmg.position import Pieces
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView
from tests.tui.qmg.tables import PRESENTER, question, states
from tui.areamap.draw import draw
from tui.areamap.geometry import SHAPES, corner
from tui.areamap.scene import AreaScene
from tui.clean import is_clean
from tui.marks import Highlight, Zoom
from tui.presenter import Selection, map_text
from tui.qmg import words
from tui.qmg.scene import draw_scene

SCENARIOS = ["base", "total-war"]
VIEW, FIRST = question(states("total-war")[0])


def board(**pieces: Pieces) -> QmgView:
    return replace(
        VIEW, role="germany", pieces=pieces, unsupplied=(("germany", "army", "ukraine"),)
    )


BOARD = board(
    germany=Pieces(army=("germany", "ukraine"), navy=("baltic_sea",), air=("ukraine",)),
    italy=Pieces(army=("ukraine",)),
    uk=Pieces(army=("united_kingdom",), navy=("north_sea",)),
)


def scene(
    view: QmgView, cursor: str = "", overlay: str = "", options: tuple[c.QmgCommand, ...] = ()
) -> AreaScene:
    return PRESENTER.scene(view, Selection(cursor=cursor, overlay=overlay, options=options))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_question_of_a_game_has_words(scenario: str) -> None:
    seen: set[str] = set()
    for state in states(scenario)[:-1]:
        view, decision = question(state)
        for option in decision.options:
            label = PRESENTER.label(view, option)
            seen.add(type(option).__name__)
            assert is_clean(label), label
            assert "_" not in label, label
            assert "#" not in label, label
            assert PRESENTER.detail(view, option)
            assert all(place in SPACE for place in PRESENTER.places(view, option))
    assert {"Play", "Drop", "Use", "Pass", "Build", "Battle", "Discard"} <= seen


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_list_leads_to_each_kind_of_option_once(scenario: str) -> None:
    for state in states(scenario)[:-1:7]:
        view, decision = question(state)
        lines = PRESENTER.choices(view, decision.options)
        offered = [command for line in lines for command in line.commands()]
        assert set(offered) <= set(decision.options)
        keys = [words.key_of(cast("c.QmgCommand", command)) for command in offered]
        assert len(keys) == len(set(keys)), "copies of a card stand there once"
        assert set(keys) == {words.key_of(option) for option in decision.options}
        labels = [PRESENTER.label(view, command) for command in offered]
        assert len(labels) == len(set(labels)), "two lines never read the same"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everything_to_read_is_clean_and_stays_on_what_is_known(scenario: str) -> None:
    for state in states(scenario)[::60]:
        for role in (Role("uk"), None):
            view = QMG.project(state, role)
            lines = [
                *PRESENTER.hand_lines(view),
                *PRESENTER.battle_lines(view),
                *(line for _, _, page in PRESENTER.pages(view) for line in page),
                *PRESENTER.hex_lines(view, "ukraine"),
                PRESENTER.header(view, "heading", "status"),
            ]
            assert all(is_clean(line) for line in lines)
            assert not any(word == "?" for line in lines for word in line.split())


def test_pieces_are_told_by_letters_alone() -> None:
    cells = scene(BOARD).cells
    assert [token.short for token in cells["ukraine"].tokens] == ["G!", "G^!", "I"]
    assert [token.short for token in cells["baltic_sea"].tokens] == ["g"]
    assert [token.short for token in cells["north_sea"].tokens] == ["b"]
    assert len(set(words.LETTERS.values())) == 8


def test_land_is_in_capitals_and_sea_is_not() -> None:
    for space in SPACES:
        cell = scene(VIEW).cells[space.id]
        names = cell.short + cell.middle + cell.name
        assert names == (names.lower() if space.kind == "sea" else names.upper())
        assert len(cell.short) <= 4
        assert len(cell.middle) <= 7
        assert cell.symbol == "*" or not space.supply


def test_straits_tell_to_whom_they_are_open() -> None:
    cells = scene(replace(VIEW, straits={**VIEW.straits, "suez": "axis"})).cells
    assert cells["middle_east"].symbol == "x"
    assert cells["scandinavia"].symbol == "l"
    assert scene(VIEW).beside["mediterranean"]["bay_of_bengal"] == "l"


@pytest.mark.parametrize("cursor", [space.id for space in SPACES])
def test_every_neighbour_of_the_cursor_is_marked(cursor: str) -> None:
    picture = scene(VIEW, cursor=cursor)
    before = draw(picture, Zoom.OVERVIEW, "")
    after = draw(picture, Zoom.OVERVIEW, cursor)
    found = set()
    for space in SPACES:
        x, y = corner(SHAPES[Zoom.OVERVIEW], space.grid)
        letters = [after[y + 1][x + place][0] for place in range(5)]
        if space.id != cursor and letters != [before[y + 1][x + place][0] for place in range(5)]:
            assert set(letters) & set("<lx"), letters
            found.add(space.id)
    assert found == set(picture.beside[cursor])
    assert found >= set(SPACE[cursor].adjacent)


def test_the_map_fits_80_columns_and_14_lines() -> None:
    lines = map_text(PRESENTER, VIEW, "germany", (78, 22))
    assert len(lines) == 14
    assert max(len(line) for line in lines) <= 80
    assert all(line.isascii() for line in lines)
    assert map_text(PRESENTER, VIEW, "nowhere", (78, 22)) == ()


def test_options_light_their_places() -> None:
    option = c.Build(force="germany", piece="army", space="balkans")
    cells = scene(VIEW, options=(option,)).cells
    marked = {name for name, cell in cells.items() if cell.highlight is Highlight.REACH}
    assert marked == {"balkans"}


def test_what_may_be_done_at_any_time_is_not_taken_by_the_map() -> None:
    withdraw = c.Withdraw(force="germany", piece="army", space="germany")
    lines = PRESENTER.offers(VIEW, (c.Pass(),), (withdraw, c.Pass()))
    assert [line.is_aside for line in lines] == [False, True]
    assert list(lines[1].commands()) == [withdraw]


def test_supply_overlays() -> None:
    own = scene(BOARD, overlay="supply").cells
    assert own["germany"].highlight is Highlight.SELECTED
    assert own["baltic_sea"].highlight is Highlight.SUPPLY
    assert own["ukraine"].highlight is Highlight.TARGET
    assert own["north_sea"].highlight is Highlight.NONE
    everybody = scene(BOARD, overlay="all").cells
    assert everybody["north_sea"].highlight is Highlight.SUPPLY


@pytest.mark.parametrize("name", ["ukraine", "Ukraine", "UKR", "  ukr "])
def test_a_space_by_any_name(name: str) -> None:
    text = "\n".join(PRESENTER.hex_lines(BOARD, name))
    assert "Supply space" in text
    assert "German Army, out of supply" in text
    assert "Italy scores 1 VP here" in text
    assert "Next to: Balkans" in text


def test_a_space_that_is_none() -> None:
    assert PRESENTER.hex_lines(BOARD, "Atlantis") == ("There is no space 'Atlantis'.",)


def test_neighbours_through_a_strait() -> None:
    text = "\n".join(PRESENTER.hex_lines(VIEW, "north_sea"))
    assert "Allies also: Baltic Sea, Mediterranean Sea (strait)" in text
    assert "Axis also" not in text


def test_cards_stand_with_their_whole_text() -> None:
    assert VIEW.own is not None
    text = "\n".join(PRESENTER.hand_lines(VIEW))
    for card in VIEW.own.hand:
        assert CARD[card].effect in text


def test_the_text_of_a_card_is_read_beside_its_option() -> None:
    card = "de_blitzkrieg#1"
    trigger = Trigger(kind="battle", cause="axis", by="germany", space="ukraine")
    view = replace(
        VIEW, trigger=trigger, chain=(("card", "de_build_army#1"), ("battle", "ukraine"))
    )
    title, lines = PRESENTER.about(view, c.Use(card=card))
    assert title.startswith(CARD[card].name)
    assert CARD[card].effect in "\n".join(lines)
    assert "Window: Germany has battled Ukraine." in lines
    assert PRESENTER.about(view, c.Pass())[1][0] == "Germany plays Build Army"
    assert PRESENTER.about(VIEW, c.Done()) == ("", ())
    assert PRESENTER.focus(view) == "ukraine"


def test_what_is_going_on_is_nested() -> None:
    view = replace(
        BOARD,
        chain=(("card", "de_build_army#1"), ("use", "de_blitzkrieg#1"), ("removal", "ukraine")),
        trigger=Trigger(kind="about_to_be_removed", cause="axis", owner="italy", piece="army"),
    )
    lines = PRESENTER.battle_lines(view)
    depths = [len(line) - len(line.lstrip()) for line in lines]
    assert lines[0] == "Germany plays Build Army"
    assert "  Germany uses Blitzkrieg" in lines
    assert "    A piece in Ukraine is to be removed" in lines
    assert lines[-1].startswith("      Window: ")
    assert max(depths) == 6
    assert PRESENTER.battle_lines(replace(VIEW, chain=(), trigger=None)) == ()


def test_parts_of_a_card_say_what_they_do() -> None:
    parts = ("de_guns_and_butter:0.0-0", "de_guns_and_butter:0.0-3")
    view = replace(VIEW, parts=parts)
    assert PRESENTER.label(view, c.Choose(part=1)) == "Build an Army"
    assert PRESENTER.label(view, c.Choose(part=2)) == "Battle a sea space"
    assert PRESENTER.label(VIEW, c.Choose(part=2)) == "Part 2 of the card"


def test_hidden_cards_have_no_name() -> None:
    assert words.card_words(HIDDEN) == "a card"


def test_find() -> None:
    spaces = PRESENTER.find(VIEW, "sea")
    assert any(hit.hex_id == "north_sea" for hit in spaces)
    card = next(hit for hit in PRESENTER.find(VIEW, "blitz") if not hit.hex_id)
    assert CARD["de_blitzkrieg#1"].effect in card.text
    assert PRESENTER.find(VIEW, " ") == ()


def test_why_not_asks_about_the_space() -> None:
    view, decision = question(states("base")[0])
    build = c.Build(force="germany", piece="army", space="balkans")
    battle = c.Battle(force="germany", space="balkans", target=None)
    asked = replace(decision, options=(build, battle))
    found = PRESENTER.candidates(BOARD, asked, "ukraine")
    assert c.Build(force="germany", piece="army", space="ukraine") in found
    assert c.Battle(force="germany", space="ukraine", target="italy") in found
    assert PRESENTER.candidates(view, decision, "ukraine") == ()


@pytest.mark.parametrize(
    ("role", "name"),
    [(Role("uk"), "UK"), (Role("ussr"), "USSR"), (Role("axis"), "Axis"), (None, "Spectator")],
)
def test_names(role: Role | None, name: str) -> None:
    assert PRESENTER.role_name(role) == name


def test_an_unknown_overlay_shows_the_plain_map() -> None:
    assert draw_scene(PRESENTER._index(VIEW), Selection(overlay="none")).cells == scene(VIEW).cells


# -- lists


def _hand(*cards: str) -> list[c.QmgCommand]:
    return [c.Discard(card=card) for card in cards]


def test_8_4_where_discarding_is_free_the_end_of_it_stands_first() -> None:
    discards = _hand("de_blitzkrieg#1", "de_land_battle#1")
    options = [*discards, c.Done()]
    lines = PRESENTER.offers(VIEW, options, (), c.Done())
    assert [line.command for line in lines] == [c.Done(), *discards]
    costly = PRESENTER.offers(VIEW, options, (), discards[1])  # none costs 1 VP in Total War
    assert [line.command for line in costly] == options


def test_7_1_a_build_stands_before_doing_without_it() -> None:
    build = c.Build(force="germany", piece="army", space="germany")
    lines = PRESENTER.offers(VIEW, [build, c.Done()], (), c.Done())
    assert [line.command for line in lines] == [build, c.Done()]


def test_8_2_what_may_be_played_stands_above_one_line_for_giving_cards_away() -> None:
    cards = ("de_blitzkrieg#1", "de_land_battle#1", "de_land_battle#2", "de_plunder#1")
    options = [kind(card=card) for kind in (c.Play, c.Drop) for card in cards]
    *plays, away = PRESENTER.choices(VIEW, options)
    assert [line.title for line in plays] == [
        "Play Blitzkrieg (Status)",
        "Play Land Battle",
        "Play Plunder (Event)",
    ]
    assert away.title == "Discard a card instead of playing"
    assert away.count == 3
    assert [line.title for line in away.below] == [
        "Blitzkrieg (Status)",
        "Land Battle",
        "Plunder (Event)",
    ]
    first, *_ = PRESENTER.choices(VIEW, options[4:])
    assert first.title == "Discard Blitzkrieg (Status) without effect"
