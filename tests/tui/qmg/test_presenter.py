"""Quartermaster General in words and pictures, from views and commands only."""

from itertools import pairwise
from typing import cast

import pytest
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg import commands as c
from engine.qmg.atlas import ATLAS, SPACE, SPACES, STRAITS
from engine.qmg.deck import CARD
from engine.qmg.frames import Trigger
from engine.qmg.ids import HIDDEN
from engine.qmg.position import Pieces
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView
from tests.tui.hostile import is_clean
from tests.tui.qmg.tables import PRESENTER, question, states
from tui.drawing.colour_roles import OverlayRole, TextRole
from tui.maps.areamap.draw import draw_map
from tui.maps.areamap.geometry import best_zoom, bridge, chart_layout, full_size, touching_pairs
from tui.maps.areamap.paint import TerminalFeatures, name_label
from tui.maps.areamap.scene import AreaScene
from tui.maps.enums import Highlight, Zoom
from tui.panels.status_segments import CardFace, status_bar_text
from tui.presenter.presenter import NO_OVERLAY, Selection, map_text
from tui.qmg import texts
from tui.qmg.map.chart import CHART
from tui.qmg.map.scene import draw_scene

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
def test_every_question_of_a_game_has_clean_texts(scenario: str) -> None:
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
def test_list_contains_each_kind_of_option_once(scenario: str) -> None:
    for state in states(scenario)[:-1:7]:
        view, decision = question(state)
        lines = PRESENTER.choices(view, decision.options)
        offered = [command for line in lines for command in line.commands()]
        assert set(offered) <= set(decision.options)
        keys = [texts.equivalence_key(cast("c.QmgCommand", command)) for command in offered]
        assert len(keys) == len(set(keys)), "copies of a card stand there once"
        assert set(keys) == {texts.equivalence_key(option) for option in decision.options}
        labels = [PRESENTER.label(view, command) for command in offered]
        assert len(labels) == len(set(labels)), "two lines never read the same"


def words_of(face: CardFace) -> tuple[str, ...]:
    return (face.title, face.kind, face.left, face.right, face.text)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_all_texts_are_clean_and_reveal_only_known_cards(scenario: str) -> None:
    for state in states(scenario)[::60]:
        for role in (Role("uk"), None):
            view = QMG.project(state, role)
            lines = [
                *PRESENTER.hand_lines(view),
                *PRESENTER.battle_lines(view),
                *(line for _, _, page in PRESENTER.pages(view) for line in page),
                *PRESENTER.hex_lines(view, "ukraine"),
                status_bar_text(PRESENTER.status_segments(view, "heading", "status")),
                *(line for face in PRESENTER.cards(view) for line in words_of(face)),
            ]
            assert all(is_clean(line) for line in lines)
            assert not any(word == "?" for line in lines for word in line.split())


def test_hand_is_shown_as_cards_with_copies_stacked() -> None:
    own = VIEW.own
    assert own is not None
    faces = PRESENTER.cards(VIEW)
    assert sum(face.count for face in faces) == len(own.hand) + len(own.responses)
    known = {PRESENTER.card_id(c.Discard(card=card)) for card in own.hand}
    assert known <= {face.id for face in faces}
    assert PRESENTER.cards(replace(VIEW, own=None)) == ()


def test_status_bar_highlights_the_active_country() -> None:
    view = replace(VIEW, active="uk", step="victory")
    parts = PRESENTER.status_segments(view, "Round 1, UK | Axis 0, Allies 0", "")
    lit = [text for part in parts for text, tone in part.pieces if tone is TextRole.BADGE]
    assert lit == [" UK "]
    steps = PRESENTER.steps(view)
    assert steps is not None
    assert steps.names[steps.current_index] == "victory"


def test_pieces_are_distinguished_by_letters_alone() -> None:
    cells = scene(BOARD).cells
    assert [token.letter for token in cells["ukraine"].tokens] == ["G!", "G^!", "I"]
    assert [token.letter for token in cells["baltic_sea"].tokens] == ["g"]
    assert [token.letter for token in cells["north_sea"].tokens] == ["b"]
    assert len(set(texts.LETTERS.values())) == len(set(texts.CODES.values())) == 8


@pytest.mark.parametrize("zoom", list(Zoom))
def test_land_names_are_in_capitals_without_backgrounds(zoom: Zoom) -> None:
    picture = scene(VIEW)
    size = full_size(CHART, zoom, 0, 0)
    lines = ["".join(letter for letter, _ in line) for line in draw_map(picture, zoom, "")]
    for space in SPACES:
        cell = picture.cells[space.id]
        assert len(cell.short) <= 4
        assert len(cell.medium) <= 7
        assert cell.symbol == "*" or not space.supply
        for x, y, name in name_label(chart_layout(CHART, *size), cell, zoom).lines:
            cased = name.lower() if space.kind == "sea" else name.upper()
            assert lines[y][x : x + len(name)] == cased


def test_straits_show_who_may_pass() -> None:
    cells = scene(replace(VIEW, straits={**VIEW.straits, "suez": "axis"})).cells
    assert cells["middle_east"].symbol == "Ax"
    assert cells["middle_east"].note == "Suez: Axis"
    assert cells["scandinavia"].symbol == "Al"
    assert scene(VIEW).neighbours["mediterranean"]["bay_of_bengal"] == "Al"


# -- the chart


def test_5_1_area_map_shows_exactly_the_borders() -> None:
    over_the_edge = {frozenset(pair) for pair in ATLAS.layout.wrap_edges}
    borders = {frozenset((space.id, other)) for space in SPACES for other in space.adjacent}
    assert {frozenset(pair) for pair in touching_pairs(CHART)} == borders - over_the_edge


def test_5_2_left_edge_of_the_map_meets_its_right_edge() -> None:
    met = {frozenset((row[0], row[-1])) for row in CHART.rows}
    assert met == {frozenset(pair) for pair in ATLAS.layout.wrap_edges}


def test_5_3_every_strait_is_drawn() -> None:
    area = chart_layout(CHART, 160, 28)
    straits = [link for link in scene(VIEW).links if link.mark]
    assert len(straits) == 5
    for link in straits:
        drawn = bridge(area, link)
        assert drawn is not None
        lands = {area.owner(x, y) for x, y, _ in drawn.strokes}
        controlling = {
            strait.land for strait in STRAITS if set(strait.seas) == {link.first, link.second}
        }
        assert lands & {link.first, link.second, *controlling}


def test_every_space_is_contiguous_and_the_map_has_no_holes() -> None:
    squares = {(x, y): name for y, row in enumerate(CHART.rows) for x, name in enumerate(row)}
    assert set(squares.values()) == {space.id for space in SPACES}
    while squares:
        start = next(iter(squares))
        name, open_ends = squares.pop(start), [start]
        while open_ends:
            x, y = open_ends.pop()
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if squares.get(near) == name:
                    del squares[near]
                    open_ends.append(near)
        assert name not in squares.values(), name


@pytest.mark.parametrize("size", [(120, 25), (120, 28), (140, 28), (160, 28), (160, 30), (200, 39)])
def test_full_names_fit_from_120_columns(size: tuple[int, int]) -> None:
    zoom = best_zoom(CHART, *size)
    assert zoom is (Zoom.DETAIL if size[0] >= 160 else Zoom.OPERATIONAL)
    area = chart_layout(CHART, *full_size(CHART, zoom, *size))
    for cell in scene(VIEW).cells.values():
        found = name_label(area, cell, zoom)
        assert " ".join(text for _, _, text in found.lines) == cell.name
        assert found.piece_runs, "there is room for pieces"


def test_names_are_full_or_short_at_80_columns() -> None:
    for cell in scene(VIEW).cells.values():
        ((_, _, text),) = name_label(chart_layout(CHART, 80, 14), cell, Zoom.OVERVIEW).lines
        assert text in {cell.name, cell.short}


@pytest.mark.parametrize(
    "sight",
    [
        TerminalFeatures(is_unicode=True, has_backgrounds=True),
        TerminalFeatures(is_unicode=False, has_backgrounds=False),
    ],
)
@pytest.mark.parametrize("zoom", list(Zoom))
def test_every_piece_is_drawn(zoom: Zoom, sight: TerminalFeatures) -> None:
    lines = draw_map(scene(BOARD), zoom, "", None, sight)
    chips = sum(
        sum(one[1][0] is tone != before[1][0] for before, one in pairwise(line))
        for line in lines
        for tone in (TextRole.CHIP_A, TextRole.CHIP_B, TextRole.CHIP_E, TextRole.HOLLOW_TWO)
    )
    assert chips >= 5


@pytest.mark.parametrize("cursor", [space.id for space in SPACES])
def test_every_neighbour_of_the_cursor_is_marked(cursor: str) -> None:
    picture = scene(VIEW, cursor=cursor)
    area = chart_layout(CHART, 80, 14)
    before, after = (draw_map(picture, Zoom.OVERVIEW, one) for one in ("", cursor))
    found = set()
    for name, runs in area.runs.items():
        old = [before[run.y][run.start : run.stop] for run in runs]
        new = [after[run.y][run.start : run.stop] for run in runs]
        letters = {letter for line in new for letter, _ in line}
        if name != cursor and any(
            one != other and one[0] not in "[]"
            for was, now in zip(old, new, strict=True)
            for other, one in zip(was, now, strict=True)
        ):
            assert letters & set("<lx"), name
            found.add(name)
    assert found == set(picture.neighbours[cursor])
    assert found >= set(SPACE[cursor].adjacent)


def test_the_map_fits_80_columns_and_14_lines() -> None:
    lines = map_text(PRESENTER, VIEW, "germany", (78, 22))
    assert len(lines) == 14
    assert max(len(line) for line in lines) <= 80
    assert all(line.isascii() for line in lines)
    assert map_text(PRESENTER, VIEW, "nowhere", (78, 22)) == ()


def test_options_highlight_their_places() -> None:
    option = c.Build(force="germany", piece="army", space="balkans")
    cells = scene(VIEW, options=(option,)).cells
    marked = {name for name, cell in cells.items() if cell.highlight is Highlight.REACH}
    assert marked == {"balkans"}


def test_the_map_without_overlay_marks_no_options() -> None:
    option = c.Build(force="germany", piece="army", space="balkans")
    cells = scene(VIEW, overlay=NO_OVERLAY, options=(option,)).cells
    assert all(cell.highlight is Highlight.NONE for cell in cells.values())


def test_space_of_the_current_step_is_framed() -> None:
    trigger = Trigger(kind="battle", cause="axis", by="germany", space="ukraine")
    cells = scene(replace(VIEW, chain=(("battle", "russia"),), trigger=trigger)).cells
    assert [name for name, cell in cells.items() if cell.is_focus] == ["ukraine"]
    assert cells["russia"].highlight is cells["ukraine"].highlight is Highlight.TARGET


def test_any_time_commands_are_listed_separately() -> None:
    withdraw = c.Withdraw(force="germany", piece="army", space="germany")
    lines = PRESENTER.arrange_options(VIEW, (c.Pass(),), (withdraw, c.Pass()))
    assert [line.is_any_time for line in lines] == [False, True]
    assert list(lines[1].commands()) == [withdraw]


def test_supply_overlays() -> None:
    own = scene(BOARD, overlay="supply").cells
    assert own["germany"].highlight is Highlight.SELECTED
    assert own["baltic_sea"].highlight is Highlight.SUPPLY
    assert own["ukraine"].highlight is Highlight.TARGET
    assert own["ukraine"].tint is OverlayRole.CUT
    assert own["north_sea"].highlight is Highlight.NONE
    everybody = scene(BOARD, overlay="all").cells
    assert everybody["north_sea"].highlight is Highlight.SUPPLY


@pytest.mark.parametrize("name", ["ukraine", "Ukraine", "UKR", "  ukr "])
def test_space_is_described_under_any_of_its_names(name: str) -> None:
    text = "\n".join(PRESENTER.hex_lines(BOARD, name))
    assert "Supply space" in text
    assert "German Army, out of supply" in text
    assert "Italy scores 1 VP here" in text
    assert "Next to: Balkans" in text


def test_unknown_space_is_reported() -> None:
    assert PRESENTER.hex_lines(BOARD, "Atlantis") == ("There is no space 'Atlantis'.",)


def test_neighbours_through_a_strait_are_listed() -> None:
    text = "\n".join(PRESENTER.hex_lines(VIEW, "north_sea"))
    assert "Allies also: Baltic Sea, Mediterranean Sea (strait)" in text
    assert "Axis also" not in text


def test_hand_lines_contain_the_full_card_text() -> None:
    assert VIEW.own is not None
    text = "\n".join(PRESENTER.hand_lines(VIEW))
    for card in VIEW.own.hand:
        assert CARD[card].effect in text


def test_card_text_is_shown_beside_its_option() -> None:
    card = "de_blitzkrieg#1"
    trigger = Trigger(kind="battle", cause="axis", by="germany", space="ukraine")
    view = replace(
        VIEW, trigger=trigger, chain=(("card", "de_build_army#1"), ("battle", "ukraine"))
    )
    title, lines = PRESENTER.about(view, c.Use(card=card))
    assert title.startswith(CARD[card].name)
    assert CARD[card].effect in "\n".join(lines)
    assert CARD["de_build_army#1"].effect in "\n".join(lines), "the card being resolved"
    assert "Response window: Germany has battled Ukraine." in lines
    assert PRESENTER.about(view, c.Pass())[1][0] == "Germany plays Build Army"
    title, lines = PRESENTER.about(view, c.Done())
    assert title.startswith("Build Army"), (
        "what the step belongs to can be read while it is carried out"
    )
    assert "Germany plays Build Army" in " ".join(lines)
    assert PRESENTER.about(VIEW, c.Done()) == ("", ())
    assert PRESENTER.focus(view) == "ukraine"


def test_nested_steps_are_indented() -> None:
    view = replace(
        BOARD,
        chain=(("card", "de_build_army#1"), ("use", "de_blitzkrieg#1"), ("removal", "ukraine")),
        trigger=Trigger(kind="about_to_be_removed", cause="axis", owner="italy", piece="army"),
    )
    lines = PRESENTER.battle_lines(view)
    depths = [len(line) - len(line.lstrip()) for line in lines]
    assert lines[0] == "Germany plays Build Army"
    assert "  Germany uses Blitzkrieg" in lines
    assert "    A piece in Ukraine is about to be removed" in lines
    assert lines[-1].startswith("      Response window: ")
    assert max(depths) == 6
    assert PRESENTER.battle_lines(replace(VIEW, chain=(), trigger=None)) == ()


def test_parts_of_a_card_have_their_own_labels() -> None:
    parts = ("de_guns_and_butter:0.0-0", "de_guns_and_butter:0.0-3")
    view = replace(VIEW, parts=parts)
    assert PRESENTER.label(view, c.Choose(part=1)) == "Build an Army"
    assert PRESENTER.label(view, c.Choose(part=2)) == "Battle a sea space"
    assert PRESENTER.label(VIEW, c.Choose(part=2)) == "Part 2 of the card"


def test_hidden_cards_have_no_name() -> None:
    assert texts.card_text(HIDDEN) == "a card"


def test_find_by_name_returns_spaces_and_cards() -> None:
    spaces = PRESENTER.find(VIEW, "sea")
    assert any(hit.hex_id == "north_sea" for hit in spaces)
    card = next(hit for hit in PRESENTER.find(VIEW, "blitz") if not hit.hex_id)
    assert CARD["de_blitzkrieg#1"].effect in card.text
    assert PRESENTER.find(VIEW, " ") == ()


def test_why_not_candidates_concern_the_space() -> None:
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
def test_role_names_and_people_of_a_session(role: Role | None, name: str) -> None:
    assert PRESENTER.role_name(role) == name


def test_an_unknown_overlay_shows_the_plain_map() -> None:
    assert draw_scene(PRESENTER._index(VIEW), Selection(overlay="none")).cells == scene(VIEW).cells


# -- lists


def _hand(*cards: str) -> list[c.QmgCommand]:
    return [c.Discard(card=card) for card in cards]


def test_8_4_ending_a_free_discard_is_listed_first() -> None:
    discards = _hand("de_blitzkrieg#1", "de_land_battle#1")
    options = [*discards, c.Done()]
    lines = PRESENTER.arrange_options(VIEW, options, (), c.Done())
    assert [line.command for line in lines] == [c.Done(), *discards]
    costly = PRESENTER.arrange_options(
        VIEW, options, (), discards[1]
    )  # none costs 1 VP in Total War
    assert [line.command for line in costly] == options


def test_7_1_build_is_listed_before_done() -> None:
    build = c.Build(force="germany", piece="army", space="germany")
    lines = PRESENTER.arrange_options(VIEW, [build, c.Done()], (), c.Done())
    assert [line.command for line in lines] == [build, c.Done()]


def test_8_2_playable_cards_are_listed_above_one_discard_line() -> None:
    cards = ("de_blitzkrieg#1", "de_land_battle#1", "de_land_battle#2", "de_plunder#1")
    options = [kind(card=card) for kind in (c.Play, c.Drop) for card in cards]
    *plays, away = PRESENTER.choices(VIEW, options)
    assert [line.title for line in plays] == [
        "Play Blitzkrieg (Status)",
        "Play Land Battle: Western Europe",
        "Play Plunder (Event)",
    ]
    assert away.title == "Discard a card instead of playing"
    assert away.count == 3
    assert [line.title for line in away.children] == [
        "Blitzkrieg (Status)",
        "Land Battle",
        "Plunder (Event)",
    ]
    first, *_ = PRESENTER.choices(VIEW, options[4:])
    assert first.title == "Discard Blitzkrieg (Status) without effect"


def test_8_2_cards_show_their_targets_and_ineffective_ones_are_last() -> None:
    cards = ("de_sea_battle#1", "de_land_battle#1", "de_build_army#1", "de_plunder#1")
    table = board(
        germany=Pieces(army=("germany", "eastern_europe")),
        ussr=Pieces(army=("russia", "ukraine")),
    )
    view = replace(table, unsupplied=(), active="germany", step="play")
    lines = PRESENTER.arrange_options(view, [c.Play(card=card) for card in cards], ())
    assert [line.title for line in lines] == [
        "Play Land Battle: Ukraine, Russia",
        "Play Build Army: Western Europe, Italy, Balkans",
        "Play Plunder (Event)",
        "Play Sea Battle: no target now",
    ]


def test_7_4_battles_with_an_enemy_and_a_supply_space_are_listed_first() -> None:
    battles = [
        c.Battle(force="germany", space=space, target=target)
        for space, target in (("scandinavia", None), ("russia", "ussr"), ("ukraine", "ussr"))
    ]
    lines = PRESENTER.arrange_options(VIEW, [*battles, c.Done()], (), c.Done())
    assert [line.command for line in lines] == [*battles[::-1], c.Done()]


def test_only_target_of_a_card_is_the_follow_up() -> None:
    play = c.Play(card="de_land_battle#1")
    battles = [
        c.Battle(force="germany", space=space, target="ussr") for space in ("ukraine", "russia")
    ]
    assert PRESENTER.only_follow_up(VIEW, play, [battles[0], c.Done()]) == battles[0]
    assert PRESENTER.only_follow_up(VIEW, play, [*battles, c.Done()]) is None
    empty = c.Battle(force="germany", space="scandinavia", target=None)
    assert PRESENTER.only_follow_up(VIEW, play, [battles[0], empty, c.Done()]) == battles[0]
    assert PRESENTER.only_follow_up(VIEW, play, [empty, c.Done()]) is None
    assert PRESENTER.only_follow_up(VIEW, play, [c.Done()]) is None
    assert PRESENTER.only_follow_up(VIEW, battles[0], [battles[0], c.Done()]) is None
    use = c.Use(card="de_blitzkrieg#1")
    assert PRESENTER.only_follow_up(VIEW, play, [use, c.Pass()]) is None


def test_card_type_fits_the_head_of_every_card() -> None:
    width = 15
    own = VIEW.own
    assert own is not None
    view = replace(VIEW, own=replace(own, hand=tuple(CARD), responses=()))
    heads = {face.left for face in PRESENTER.cards(view)}
    assert "Econ. Warfare" in heads
    assert all(len(head) <= width for head in heads)
