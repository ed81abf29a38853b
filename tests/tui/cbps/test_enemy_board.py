"""The enemy boards: the known information about Butai, other forces, Guam and ships (7, 9, 11)."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from engine.cbps.state import LandBase
from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER, SIZES, index_of, session, states
from tests.tui.cbps.test_presenter import FLYING_MOVES, FULL
from tui.cbps.panels.enemy_board import enemy_board
from tui.drawing.colour_roles import TextRole
from tui.panels.game_board import BoardRow, lay_out_board
from tui.screens.match.play import PlayScreen
from tui.screens.table.board_panel import BoardScreen

BOARD = enemy_board(index_of(replace(FULL, guam=LandBase(boxes={"aall": 5, "lost": 2}))))


def rows_of(item: str) -> dict[str, BoardRow]:
    """Return the rows of the block that begins with an item, by label."""
    for section in BOARD.sections:
        for block in section.blocks:
            if block.rows[0].items[0].id == item:
                return {row.label.strip(): row for row in block.rows}
    raise KeyError(item)


def test_9_12_butai_shows_only_boxes_with_points() -> None:
    rows = rows_of("1")
    assert rows[""].tail == "1119, level 4, 1 CV, spotted"
    assert [item.text for item in rows["READY to"].items] == ["all: 12"]
    assert [item.text for item in rows["raids"].items] == ["A: 6"]
    assert [item.text for item in rows["lost"].items] == ["3"]
    assert "service" not in rows


def test_9_24_known_strength_and_air_value_are_shown() -> None:
    assert rows_of("1")["air"].tail.startswith("known strength 21, Air Value ")


def test_12_2_ships_show_their_hits() -> None:
    texts = {item.text: item.tone for item in rows_of("1")["ships"].items}
    assert any(text.startswith("Taiho 3/") for text in texts)
    assert texts["Yamato"] is TextRole.CHIP_TWO
    assert BOARD.descriptions["zuiho"].endswith("sunk")


def test_8_11_detected_force_is_highlighted() -> None:
    tones = {item: rows_of(item)[""].items[0].tone for item in ("A", "1")}
    assert set(tones.values()) == {TextRole.CHIP_TWO_ACTIVE}


def test_11_29_guam_shows_its_boxes() -> None:
    assert [item.text for item in rows_of("Guam")["READY to"].items] == ["all: 5"]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_item_is_listed_once_at_every_size(width: int, height: int) -> None:
    for board in (BOARD, *(enemy_board(index_of(state)) for state in states("6")[::50])):
        layout = lay_out_board(board, width, height)
        names = [spot.item for spot in layout.positions]
        assert len(names) == len(set(names))
        assert set(names) <= set(board.descriptions) | {"Guam"}
        assert all(cell_len("".join(one.text for one in line)) <= width for line in layout.lines)


async def test_enter_shows_a_force_on_the_map(tmp_path: Path) -> None:
    screen = PlayScreen(session(FLYING_MOVES), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape", "i")
        await reached(pilot, lambda: isinstance(program.screen, BoardScreen))
        front = program.screen
        assert isinstance(front, BoardScreen)
        front.panel.view.go("A")
        await pilot.press("enter")
        await reached(pilot, lambda: program.screen is screen)
        assert screen.map.cursor == "1117"
