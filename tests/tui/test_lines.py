"""Lines with several tones in a panel: wrapped between words, with each character in its tone."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from typing_extensions import override

from tests.tui.apps import app
from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE
from tui.panels.status_segments import plain_text
from tui.screens.reference.page import PageScreen
from tui.widgets.lines import Lines, TonedPieces, wrap_lines, wrap_toned

UNIT: TonedPieces = (
    (" CV Enterprise ", TextRole.CHIP_ONE),
    (" 8-12 r2", TextRole.PLAIN),
    (" reduced", TextRole.WARN),
)


def test_line_is_wrapped_at_words_and_keeps_its_styles() -> None:
    assert wrap_toned(UNIT, 40) == [UNIT]
    assert wrap_toned(UNIT, 20) == [
        ((" CV Enterprise ", TextRole.CHIP_ONE), (" 8-12", TextRole.PLAIN)),
        (("   ", TextRole.PLAIN), ("r2", TextRole.PLAIN), (" reduced", TextRole.WARN)),
    ]


def test_a_table_is_folded_within_its_last_column() -> None:
    line = "    1  B   +1         The Burma Road is closed  now flown over the Hump"
    assert [text for text, _ in wrap_lines([(line, TextRole.PLAIN)], 50)] == [
        "    1  B   +1         The Burma Road is closed",
        " " * 22 + "now flown over the Hump",
    ]
    assert [text for text, _ in wrap_lines([(line, TextRole.PLAIN)], 30)][1].startswith(" " * 6)


@given(
    st.lists(
        st.tuples(st.text("ab -", max_size=9), st.sampled_from((TextRole.PLAIN, TextRole.WARN)))
    ),
    st.integers(3, 30),
)
def test_styles_do_not_affect_line_wrapping(pieces: list[tuple[str, TextRole]], width: int) -> None:
    line = tuple(pieces)
    folded = [plain_text(part) for part in wrap_toned(line, width)]
    assert folded == [text for text, _ in wrap_lines([(plain_text(line), TextRole.PLAIN)], width)]


async def test_the_wheel_and_the_keys_scroll(tmp_path: Path) -> None:
    page = PageScreen("Log", [f"line {number}" for number in range(99)], PLAIN_PALETTE)
    async with app(tmp_path, page).run_test(size=(80, 24)) as pilot:
        lines = page.query_one(Lines)
        lines.post_message(MouseScrollDown(lines, 1, 1, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert lines.scroll_offset.y == 3
        await pilot.press("end", "up")
        bottom = 99 - lines.size.height
        assert lines.scroll_offset.y == bottom - 1


async def test_a_long_title_leaves_out_the_remark_at_its_end() -> None:
    class Panel(App[None]):
        CSS = "Lines { border-top: solid white; width: 20; }"

        @override
        def compose(self) -> ComposeResult:
            yield Lines("India (Event)")

    async with Panel().run_test() as pilot:
        panel = pilot.app.query_one(Lines)
        for title, shown in (
            ("India (Event)", "India (Event)"),
            ("Lord Linlithgow (Status)", "Lord Linlithgow"),
        ):
            panel.set_title(title)
            assert (str(panel.border_title), panel.has_room_for_title(title)) == (shown, True)
        assert not panel.has_room_for_title("Lord Linlithgow Declares (Status)")
