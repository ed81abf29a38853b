"""Boards with a cursor: laid out for a width, navigated with arrow keys."""

import pytest
from rich.cells import cell_len

from tui.drawing.colour_roles import TextRole
from tui.panels.game_board import (
    BoardAction,
    BoardBlock,
    BoardItem,
    BoardRow,
    BoardSection,
    GameBoard,
    lay_out_board,
    neighbouring_item,
    next_item_with_action,
)
from tui.screens.table.board_panel import key_text, shorten_plan

SHIPS = tuple(
    BoardBlock(
        (
            BoardRow("", (BoardItem(ship, ship.title()),), "deck 2/3"),
            BoardRow(
                " ready  ", tuple(BoardItem(f"{ship}-{unit}", f"F{unit}") for unit in range(1, 7))
            ),
            BoardRow(" landed ", (), "-"),
        )
    )
    for ship in ("hornet", "wasp", "essex")
)
BOARD = GameBoard(
    title="Carriers",
    sections=(BoardSection("TG 58.1", SHIPS), BoardSection("", ())),
    actions={
        "wasp-2": (BoardAction("l", "launch", (1, 2)),),
        "essex": (BoardAction("o", "operate", (3,)),),
    },
)


def text(board: GameBoard, width: int) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lay_out_board(board, width).lines]


@pytest.mark.parametrize("width", [40, 80, 120, 160, 200])
def test_every_item_is_listed_once_within_the_width(width: int) -> None:
    layout = lay_out_board(BOARD, width)
    assert max(map(cell_len, text(BOARD, width))) <= width
    names = [spot.item for spot in layout.positions]
    assert sorted(names) == sorted(item.id for b in SHIPS for row in b.rows for item in row.items)
    assert len(names) == len(set(names))


def test_blocks_are_side_by_side_if_there_is_room() -> None:
    assert [len(text(BOARD, width)) for width in (40, 80, 120)] == [10, 7, 4]


def test_overlong_row_wraps_to_the_next_line() -> None:
    narrow = text(BOARD, 20)
    ready = next(number for number, line in enumerate(narrow) if "ready" in line)
    assert narrow[ready + 1].startswith(" " * len(" ready  "))
    assert "F6" in "".join(narrow[ready : ready + 4])


def test_items_with_actions_are_marked() -> None:
    line = "\n".join(text(BOARD, 120))
    assert line.count("+") == 2
    assert "+F2" in line
    assert "+Essex" in line


def test_arrows_move_to_the_nearest_item() -> None:
    spots = lay_out_board(BOARD, 120).positions
    assert neighbouring_item(spots, "hornet", 0, 1) == "hornet-1"
    assert neighbouring_item(spots, "hornet-1", 1, 0) == "hornet-2"
    assert neighbouring_item(spots, "hornet-6", 1, 0) == "wasp-1"
    assert neighbouring_item(spots, "wasp-1", 0, -1) == "wasp"
    assert neighbouring_item(spots, "hornet", 0, -1) == "hornet"
    assert neighbouring_item(spots, "nothing", 1, 0) == "hornet"
    assert neighbouring_item((), "", 1, 0) == ""


def test_next_item_with_an_action_wraps_around() -> None:
    spots = lay_out_board(BOARD, 40).positions
    assert next_item_with_action(BOARD, spots, "", 1) == "wasp-2"
    assert next_item_with_action(BOARD, spots, "wasp-2", 1) == "essex"
    assert next_item_with_action(BOARD, spots, "essex", 1) == "wasp-2"
    assert next_item_with_action(BOARD, spots, "wasp-2", -1) == "essex"
    assert next_item_with_action(BOARD, (), "", 1) == ""


def test_next_item_after_an_order_accepts_the_same_order() -> None:
    acts = {**BOARD.actions, "hornet-1": (BoardAction("l", "launch", (4,)),)}
    board = GameBoard(title="Carriers", sections=BOARD.sections, actions=acts)
    spots = lay_out_board(board, 40).positions
    assert next_item_with_action(board, spots, "wasp-2", 1) == "essex"
    assert next_item_with_action(board, spots, "wasp-2", 1, "launch") == "hornet-1"
    assert next_item_with_action(board, spots, "wasp-2", 1, "land") == "essex"


def test_overlong_heading_wraps_to_the_next_line() -> None:
    board = GameBoard(
        title="", sections=(BoardSection("TG 58.1 at 1108, with TF 58", SHIPS),), actions={}
    )
    assert text(board, 20)[:2] == ["TG 58.1 at 1108,", "  with TF 58"]


def test_sections_are_separated_if_there_is_room() -> None:
    board = GameBoard(
        title="", sections=(BoardSection("TG 58.1", SHIPS), BoardSection("TG 58.2", ())), actions={}
    )
    high, low = (lay_out_board(board, 40, height).lines for height in (30, 11))
    assert len(high) == len(low) + 2
    assert high[-3] == ()


def test_plan_without_room_keeps_the_important_lines() -> None:
    lines = [
        ("Strike on A", TextRole.PLAIN),
        ("1 attacker", TextRole.PLAIN),
        ("Contact 90%", TextRole.GOOD),
        ("AA value 3", TextRole.PLAIN),
        ("Lost 0.3", TextRole.WARN),
    ]
    shown = {room: [words for words, _ in shorten_plan(lines, 40, room)] for room in (5, 4, 3)}
    assert shown[5] == [words for words, _ in lines]
    assert shown[4] == ["Strike on A", "1 attacker", "Contact 90%", "Lost 0.3"]
    assert shown[3] == ["Strike on A", "Contact 90%", "Lost 0.3"]


def test_keys_are_shown_for_items_with_actions() -> None:
    def words(board: GameBoard, item: str) -> str:
        return " ".join("".join(text for text, _ in key_text(board, item)).split())

    assert words(BOARD, "wasp-2").startswith("l launch capital first choice Enter all v plan")
    assert words(BOARD, "hornet").startswith("no orders available here v plan")
    only_read = GameBoard(title="", sections=(), actions={}, places={"a": "1108"})
    assert words(only_read, "a") == "Enter shows it on the map Esc back"
    assert words(only_read, "b") == "Esc back"
