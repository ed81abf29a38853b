"""Boards in boxes of any size."""

import pytest
from rich.cells import cell_len

from tui.maps.enums import Owner
from tui.panels.overlay_pages import BattleBoard, BattleSide, CardPage, Fighter, Roll, page_text

MANY = tuple(
    Fighter(name=f"{number} Indian Corps", strength="9-12", note="reduced, from 2014 Kuantan")
    for number in range(1, 13)
)
ROLL = Roll(
    part="Ground",
    total="Strength 18",
    die="Die 5 -2 = 3",
    reasons=("-2 mixed (9.4)",),
    result="9 hits",
)
BOARD = BattleBoard(
    title="Battle of 2008 Rangoon",
    sides=(
        BattleSide(name="Japan attacks", owner=Owner.TWO, fighters=MANY[:2], rolls=(ROLL,)),
        BattleSide(
            name="The Allies defend",
            owner=Owner.ONE,
            fighters=(*MANY, Fighter(name="FEAF Air", strength="4-10", loss="eliminated")),
        ),
    ),
    summaries=("Japan wins the ground combat (9.4C)",),
)


@pytest.mark.parametrize("width", [30, 42, 72, 110])
def test_no_line_is_wider_than_the_box(width: int) -> None:
    for sheet in (BOARD, CardPage(title="A card", text=("word " * 40, "more"))):
        for line in sheet.lines(width):
            assert sum(cell_len(piece.text) for piece in line) <= width


def test_board_shows_everything_if_there_is_room() -> None:
    text = "\n".join(page_text(BOARD, 90))
    for word in (
        "12 Indian Corps",
        "reduced, from",
        "eliminated",
        "Die 5 -2 = 3",
        "-2 mixed (9.4)",
    ):
        assert word in text


def test_a_low_box_keeps_losses_dice_and_winner() -> None:
    lines = BOARD.lines(42, 16)
    text = "\n".join("".join(piece.text for piece in line) for line in lines)
    assert len(lines) <= 16
    assert "reduced" not in text
    assert "and 9 more" in text
    for word in ("eliminated", "Die 5 -2 = 3", "9 hits", "Japan wins the ground combat (9.4C)"):
        assert word in text


def test_a_roll_that_is_too_wide_for_its_column_has_a_line_for_its_hits() -> None:
    lines = ["".join(piece.text for piece in line).rstrip() for line in BOARD.lines(38, 6)]
    dice = next(row for row, line in enumerate(lines) if "Die 5 -2 = 3" in line)
    assert "Die 5 -2 = 3," not in lines[dice]
    assert "9 hits" in lines[dice + 1]


@pytest.mark.parametrize("height", range(3, 17))
@pytest.mark.parametrize("width", [42, 72])
def test_dice_are_visible_at_any_box_height(width: int, height: int) -> None:
    lines = BOARD.lines(width, height)
    text = "\n".join("".join(piece.text for piece in line) for line in lines)
    assert len(lines) <= height
    for word in ("Die 5 -2 = 3", "9 hits", "Japan wins the ground combat (9.4C)"):
        assert word in text
