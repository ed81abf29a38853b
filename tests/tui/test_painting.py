"""Less is painted than Textual would, and all of it looks the same."""

from itertools import pairwise

import pytest
from textual._compositor import Compositor
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from tui.painting import FrontCompositor, PaintingApp

CHANGES = (
    (Region(2, 1, 5, 2),),
    (Region(0, 0, 1, 1), Region(39, 11, 1, 1)),
    (Region(0, 5, 40, 1), Region(18, 2, 4, 9)),
    (Region(30, 9, 30, 30),),
    (Region(50, 0, 4, 4),),
)
"""What changes at once; parts may lie off the screen."""


class Overlapping(PaintingApp):
    """Boxes in boxes, and one that floats over them."""

    CSS = """
    Screen { layers: below above; }
    Vertical { layer: below; border: round red; }
    #float { layer: above; offset: 15 3; width: 9; height: 4; background: blue; }
    """

    def compose(self) -> ComposeResult:
        """Put the boxes up."""
        with Vertical():
            with Horizontal():
                yield Static("left\n" * 9)
                yield Static("right\n" * 9)
            yield Static("below")
        yield Static("afloat", id="float")


def _shown(strip: Strip | None) -> list[tuple[str, object]]:
    assert strip is not None
    return [(text, style) for text, style, _ in strip]


async def test_everything_is_painted_as_textual_does() -> None:
    app = Overlapping()
    async with app.run_test(size=(40, 12)):
        ours = app.screen._compositor
        assert isinstance(ours, FrontCompositor)
        whole = ours._render_chops(ours.size.region, lambda _line: True)
        theirs = Compositor._render_chops(ours, ours.size.region, lambda _line: True)
        for line, other in zip(whole, theirs, strict=True):
            assert line.keys() == other.keys()
            assert all(_shown(line[column]) == _shown(other[column]) for column in line)


@pytest.mark.parametrize("changes", CHANGES)
async def test_changes_are_painted_as_textual_does(changes: tuple[Region, ...]) -> None:
    app = Overlapping()
    async with app.run_test(size=(40, 12)):
        ours = app.screen._compositor
        theirs = Compositor._render_chops(ours, ours.size.region, lambda _line: True)
        ours._dirty_regions = set(changes)
        update = ours.render_partial_update()
        seen = [region for region in changes if region.overlaps(ours.size.region)]
        if update is None:
            assert not seen
            return
        for line, left, right in update.spans:
            for start, end in pairwise(ours.cuts[line]):
                if start < right and end > left:
                    assert _shown(update.chops[line][start]) == _shown(theirs[line][start])
        assert not ours._dirty_regions
