"""Less is painted than by Textual, with the same appearance."""

from itertools import pairwise
from pathlib import Path

import pytest
from textual._compositor import Compositor
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static
from textual.worker import WorkerFailed
from typing_extensions import override

from saves.errors import LibraryError
from tests.tui.apps import app
from tui.app import launch
from tui.app.app import FlagplotApp
from tui.drawing.compositor import FrontCompositor, PaintingApp

SENTENCE = "the library has a fault"

CHANGES = (
    (Region(2, 1, 5, 2),),
    (Region(0, 0, 1, 1), Region(39, 11, 1, 1)),
    (Region(0, 5, 40, 1), Region(18, 2, 4, 9)),
    (Region(30, 9, 30, 30),),
    (Region(50, 0, 4, 4),),
)
"""Simultaneous changes, some of them off the screen."""


class Overlapping(PaintingApp):
    """Nested boxes, and one that floats above them."""

    CSS = """
    Screen { layers: below above; }
    Vertical { layer: below; border: round red; }
    #float { layer: above; offset: 15 3; width: 9; height: 4; background: blue; }
    """

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            with Horizontal():
                yield Static("left\n" * 9)
                yield Static("right\n" * 9)
            yield Static("below")
        yield Static("afloat", id="float")


def _shown(strip: Strip | None) -> list[tuple[str, object]]:
    assert strip is not None
    return [(text, style) for text, style, _ in strip]


async def test_full_screen_is_painted_like_textual() -> None:
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
async def test_changes_are_painted_like_textual(changes: tuple[Region, ...]) -> None:
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


@pytest.mark.parametrize("in_worker", [False, True])
async def test_known_library_fault_ends_the_screens_without_a_traceback(
    tmp_path: Path, *, in_worker: bool
) -> None:
    program = app(tmp_path)
    printed: list[object] = []

    async def fail() -> None:
        raise LibraryError(SENTENCE)

    async def opened() -> None:
        async with program.run_test(size=(80, 24)) as pilot:
            program.panic = lambda *pieces: printed.extend(pieces)  # type: ignore[method-assign]
            if in_worker:
                program.run_worker(fail())
            else:
                program.call_later(fail)
            await pilot.pause()

    with pytest.raises((LibraryError, WorkerFailed), match=SENTENCE):
        await opened()
    assert str(program.terminal_error) == SENTENCE
    assert not printed


def test_launch_reports_the_fault_after_the_screens_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(self: FlagplotApp) -> None:
        self.terminal_error = LibraryError(SENTENCE)

    monkeypatch.setattr(launch, "check_terminal", lambda: None)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(FlagplotApp, "run", run)
    monkeypatch.setattr("gc.freeze", lambda: None)
    with pytest.raises(LibraryError, match=SENTENCE):
        launch.launch()
