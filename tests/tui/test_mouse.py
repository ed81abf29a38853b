"""The mouse, as reported by a terminal: menu, lists, places, cards, tabs, key line, wheel and dragging."""

import re
from pathlib import Path

import pytest

from tests.tui.apps import app
from tests.tui.programs import MENU, PLAY, STILL, TOY
from tests.tui.terminals import Terminal
from tools.dev import recording
from tui.screens.dialogs.prompt import AnswerButton, ConfirmDialog

_LEFT, _MOVED, _WHEEL_UP, _WHEEL_DOWN, _CTRL = 0, 32, 64, 65, 16
_LOOK = re.compile(rb"\x1b\[[0-9;]*m|\x1b\]22;[a-z]*\x07")


def report(button: int, x: int, y: int, end: str = "M") -> str:
    """Return the SGR report of a terminal, with columns and lines counted from 1."""
    return f"\x1b[<{button};{x};{y}{end}"


def click(x: int, y: int) -> str:
    return report(_LEFT, x, y) + report(_LEFT, x, y, "m")


def letters(output: bytes) -> str:
    return _LOOK.sub(b"", output).decode("utf-8", "replace")


class Shown:
    """The text on a terminal, with its position."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._data = terminal.ready()

    @property
    def lines(self) -> list[str]:
        return recording.characters(self._data.decode("utf-8", "replace"), self._terminal.size)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def click(self, words: str, *, below: int = 0) -> str:
        """Click the first character of a text, or a line below it; return the screen after that."""
        found = next(
            ((line.index(words), y) for y, line in enumerate(self.lines) if words in line), None
        )
        assert found, f"{words!r} is not in\n{self.text}"
        x, y = found
        self._data += self._terminal.send(click(x + 1, y + 1 + below))
        return self.text


def _line_of(shown: str, words: str) -> int:
    """Return the line on which a text was last painted."""
    found = [
        re.findall(r"\x1b\[(\d+);\d+H", shown[: hit.start()]) for hit in re.finditer(words, shown)
    ]
    return int(found[-1][-1])


@pytest.mark.full
def test_click_chooses_a_line_of_the_list(tmp_path: Path) -> None:
    with Terminal(TOY, tmp_path) as terminal:
        shown = letters(terminal.ready())
        line = _line_of(shown, "hold")
        told = letters(terminal.send(click(55, line)))
        assert "Planned: hold" in told
        assert "u undo 1" in told


@pytest.mark.full
def test_hexes_are_clicked_dragged_and_zoomed(tmp_path: Path) -> None:
    with Terminal(STILL, tmp_path, (120, 40)) as terminal:
        terminal.ready()
        terminal.send(click(20, 10))
        held = report(_LEFT, 20, 10) + report(_MOVED, 30, 10) + report(_MOVED, 40, 12)
        assert len(terminal.send(held + report(_LEFT, 40, 12, "m"))) > 1000
        again = letters(terminal.send(click(40, 12)))
        assert "Nothing to choose in" in again, "the hex has moved with the mouse"
        small = letters(terminal.send(report(_WHEEL_DOWN + _CTRL, 40, 12)))
        large = letters(terminal.send(report(_WHEEL_UP + _CTRL, 40, 12)))
        assert len(re.findall(r"\b\d{4}\b", small)) < len(re.findall(r"\b\d{4}\b", large))
        assert terminal.send(report(_WHEEL_DOWN, 40, 12))


@pytest.mark.full
def test_the_menu_and_its_lists_are_clicked(tmp_path: Path) -> None:
    with Terminal(MENU, tmp_path) as terminal:
        shown = Shown(terminal)
        assert "Which game do you want to play?" in shown.click("New game")
        form = shown.click("Quartermaster General")
        assert "Scenario" in form
        assert "Which game do you want to play?" not in form


@pytest.mark.full
def test_places_cards_tabs_and_keys_are_clicked_on_a_large_screen(tmp_path: Path) -> None:
    with Terminal(PLAY, tmp_path, (200, 60)) as terminal:
        shown = Shown(terminal)
        assert "─Balkans──" not in shown.text
        assert "─Balkans──" in shown.click("Balkans")
        assert "u undo" not in shown.text
        assert "u undo 1" in shown.click("Hand (10)", below=2), "the first card is ticked"
        assert "How the Axis win" in shown.click("Goals")
        assert "How the Axis win" not in shown.click("Tracks")
        assert "─Log──" in shown.text
        assert "Panels at 200x60" in shown.click("F2 panels")
        assert "─Log──" not in shown.click("[x] Log")


@pytest.mark.full
async def test_dialog_answers_are_clicked(tmp_path: Path) -> None:
    program = app(tmp_path)
    answers: list[bool | None] = []
    async with program.run_test(size=(80, 24)) as pilot:
        for answer in (0, 1):
            program.push_screen(ConfirmDialog("Sure?"), answers.append)
            await pilot.pause()
            await pilot.click(program.screen.query(AnswerButton)[answer])
            await pilot.pause()
    assert answers == [True, False]
