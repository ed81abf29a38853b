"""Hostile text in Empire of the Sun: names of players, and anything typed (S1)."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.eots.ruleset import EOTS
from engine.kernel.ids import Role
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.saves.play import SECRET
from tests.sizes import sampled
from tests.tui.apps import app
from tests.tui.hostile import TEXTS, is_clean
from tui.console.game import PlainGame
from tui.eots.presenter import EotsPresenter
from tui.screens.match.play import PlayScreen

CASES = [pytest.param(text, id=f"S1-{name}") for name, text in TEXTS.items()]


def table(text: str) -> LocalSession:
    """Return a game whose players have a hostile name."""
    name = text.encode("utf-8", "replace").decode()
    seats = tuple(Seat(role=Role(role), player=name, seat_id=role) for role in ("allied", "japan"))
    position = EOTS.position("1943", {})
    return LocalSession(Match.create(EOTS, position, "1943", {}, seats, SECRET), {})


@pytest.mark.series("S1")
@pytest.mark.parametrize("text", sampled(CASES, 10, of="texts typed at a table of 1943"))
async def test_printed_lines_are_clean(text: str) -> None:
    printed: list[str] = []
    typed = [text, f"why {text}", f"find {text}", f"hex {text}", f"map {text}", f"/ {text}"]
    typed += [f"page {text}", f"rules {text}", text * 2]

    async def read(prompt: str) -> str:
        printed.append(prompt)
        if not typed:
            raise EOFError
        return typed.pop(0)

    await PlainGame(table(text), EotsPresenter(EOTS), read, printed.append).run()
    assert len(printed) > 10
    for line in "\n".join(printed).split("\n"):
        assert is_clean(line) or "  " in line
        assert "\x1b" not in line


@pytest.mark.full
@pytest.mark.series("S1")
async def test_screen_shows_hostile_names_and_keeps_running(tmp_path: Path) -> None:
    session = table("safe")
    header = session.match.header
    screen = PlayScreen(session, EotsPresenter(EOTS))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        for text in TEXTS.values():
            seats = tuple(replace(seat, player=text) for seat in header.seats)
            session.match.header = replace(header, seats=seats)
            screen.show_message(f"{session.title} {text}")
            screen.show_question()
            await pilot.pause()
        strips = [line.text for line in screen._compositor.render_strips()]
        assert program.is_running
    assert all(is_clean(line.replace(" ", "")) for line in strips)
