"""A hand as cards: all of them in the box if there is room, each with its natural size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.panels.card_row import (
    arrange_cards,
    card_heights,
    card_lines,
    first_visible_card,
    hand_rows,
    visible_cards,
)
from tui.panels.status_segments import CardFace, plain_text

FACE = CardFace(
    id="A-79",
    left="A-79",
    right="OV 3",
    title="Soviets Invade Manchuria",
    kind="political OC3",
    text="After Tojo: Japan loses 3302 and 3303",
)


def hand(cards: int) -> list[CardFace]:
    return [CardFace(id=f"c{place}", title=f"Card {place}", kind="event") for place in range(cards)]


def test_card_shows_number_value_title_kind_and_text() -> None:
    lines = [plain_text(line) for line in card_lines(FACE, (18, 9), is_lit=False)]
    assert lines == [
        " A-79        OV 3 ",
        " Soviets Invade   ",
        " Manchuria        ",
        " political OC3    ",
        "                  ",
        " After Tojo:      ",
        " Japan loses 3302 ",
        " and 3303         ",
        "                  ",
    ]


def test_card_without_background_colours_is_boxed() -> None:
    lines = [plain_text(line) for line in card_lines(FACE, (18, 7), is_lit=False, is_boxed=True)]
    assert lines[0] == "┌A-79        OV 3┐"
    assert lines[1] == "│Soviets Invade  │"
    assert lines[-1] == "└────────────────┘"


@given(st.integers(0, 14), st.integers(14, 200), st.integers(2, 20), st.booleans())
def test_cards_stay_in_their_box(cards: int, width: int, height: int, is_boxed: bool) -> None:
    lines = hand_rows(hand(cards), (width, height), "c0", is_boxed=is_boxed)
    assert len(lines) == height
    assert max(cell_len(plain_text(line)) for line in lines) <= width


@pytest.mark.parametrize("cards", [7, 8, 14])
def test_selected_card_is_always_visible(cards: int) -> None:
    laid = arrange_cards(cards, 60, 10)
    faces, first = hand(cards), 0
    for face in (*faces, *reversed(faces)):
        first = first_visible_card(faces, laid, face.id, first)
        assert face in faces[first : first + laid.capacity]


def test_click_selects_its_card() -> None:
    laid = arrange_cards(7, 118, 9)
    assert (laid.capacity, laid.card_at(0, 0), laid.card_at(laid.width + 1, 8)) == (7, 0, 1)
    assert laid.card_at(laid.width, 0) == -1, "the gap between two cards"


def test_long_text_uses_the_rows_left_free_below() -> None:
    faces = [CardFace(id="long", title="Long", kind="", text="word " * 16), *hand(3)]
    laid = arrange_cards(len(faces), 31, 14)
    assert (laid.columns, laid.rows, laid.height) == (2, 2, 7)
    heights = card_heights(faces, laid, 14)
    assert heights == ((9, 5), (7, 7))
    text = "\n".join(
        "".join(piece for piece, _ in line) for line in hand_rows(faces, (31, 14), "long")
    )
    assert text.count("word") == 16
    assert (laid.card_at(0, 8, heights), laid.card_at(0, 9, heights)) == (0, 2)


def test_long_cards_share_columns_with_short_ones() -> None:
    long = [CardFace(id=f"long-{n}", title="Long", kind="", text="word " * 16) for n in range(2)]
    short = [CardFace(id=f"short-{n}", title="Short", kind="", text="word") for n in range(2)]
    faces = (long[0], short[0], long[1], short[1])
    laid = arrange_cards(len(faces), 31, 14)
    shown = visible_cards(faces, laid, 0, 14)
    assert (laid.columns, laid.rows) == (2, 2)
    assert sorted(face.id for face in shown) == sorted(face.id for face in faces)
    assert {shown[0].title, shown[2].title} == {shown[1].title, shown[3].title} == {"Long", "Short"}
    lines = hand_rows(faces, (31, 14), "")
    assert "…" not in "".join(piece for line in lines for piece, _ in line)
    assert visible_cards(faces[::3], laid, 0, 14) == faces[::3], "nothing is cut, nothing moves"


def test_a_long_head_continues_on_a_second_line_and_no_word_is_cut() -> None:
    face = CardFace(id="r", left="Response, face down", title="RAF", kind="", text="Not removed.")
    tall = [plain_text(line).rstrip() for line in card_lines(face, (14, 7), is_lit=False)]
    assert tall[:3] == [" Response,", " face down", " RAF"]
    wide = [plain_text(line).rstrip() for line in card_lines(face, (16, 7), is_lit=False)]
    assert wide[:2] == [" Response,", " face down"], "not before the last word"
    low = [plain_text(line).rstrip() for line in card_lines(face, (14, 5), is_lit=False)]
    assert low[:2] == [" Response", " RAF"]
    stack = CardFace(id="b", title="Build Army", kind="", text="Build one.", count=3)
    boxed = [
        plain_text(line).rstrip()
        for line in card_lines(stack, (14, 5), is_lit=False, is_boxed=True)
    ]
    assert boxed[:2] == ["┌3x Build    ┐", "│Army        │"]
    assert boxed[-1] == "└────────────┘"
    assert len(boxed) == 5


def test_few_cards_are_wide_enough_for_their_texts() -> None:
    assert [arrange_cards(count, 117, 9).width for count in (2, 3, 4)] == [34, 34, 28]
