"""The status bar at the top: items that fit are shown whole, and restrictions of the choice always."""

import pytest
from rich.cells import cell_len

from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import (
    StatusSegment,
    Steps,
    fit_segments,
    plain_text,
    status_bar_text,
    status_segment,
    step_line,
)

WILL = StatusSegment((("Political Will 6", TextRole.PLAIN),), 3, (("PW 6", TextRole.PLAIN),))
RIVALRY = StatusSegment((("US ISR", TextRole.ALERT),), 0, is_last=True)
PARTS = (
    status_segment("Turn 5 Jan-Apr 43", rank=1, short_text="T5 Jan-Apr 43"),
    WILL,
    status_segment("WiE -1", rank=6),
    RIVALRY,
    status_segment("a phase in words", rank=8),
)
STEPS = Steps("ALLIED OFFENSIVE", ("activate", "move", "declare", "battle"), 1)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "Turn 5 Jan-Apr 43  Political Will 6  WiE -1  a phase in words             US ISR"),
        (60, "Turn 5 Jan-Apr 43  Political Will 6  WiE -1           US ISR"),
        (40, "Turn 5 Jan-Apr 43  PW 6  WiE -1   US ISR"),
        (30, "T5 Jan-Apr 43  PW 6     US ISR"),
        (24, "T5 Jan-Apr 43     US ISR"),
        (15, "PW 6     US ISR"),
        (4, "US ISR"),
    ],
)
def test_segments_are_shortened_then_dropped(width: int, line: str) -> None:
    assert plain_text(fit_segments(PARTS, width)) == line


def test_line_mode_uses_the_short_forms() -> None:
    line = "T5 Jan-Apr 43 | PW 6 | WiE -1 | US ISR | a phase in words"
    assert status_bar_text((*PARTS, status_segment(""))) == line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (42, "✓ activate ● move ○ declare ○ battle"),
        (30, "✓1 ● move ○ declare ○ battle"),
        (24, "✓1 ● move ○ declare +1"),
        (12, "✓1 ● move +2"),
    ],
)
def test_distant_steps_lose_their_names(width: int, line: str) -> None:
    shown = plain_text(step_line(STEPS, width))
    assert shown == line
    assert cell_len(shown) <= width
