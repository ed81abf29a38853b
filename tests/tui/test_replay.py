"""The replay of a record with comments: moving between them, from the view of the player who moves."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Static

from engine.kernel.ids import Role
from play.replay_session import FULL_VIEW, ReplaySession
from saves.headers import Seat
from saves.logfile import LogWriter
from saves.match import Match
from saves.statements import Ending
from tests.play.tables import SECRET, toy_match
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.tui.apps import app
from tests.tui.test_snapshots import SIZES
from tui.console.replay import PlainReplay
from tui.presenter.presenter import Presenter
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.replay.replay import ReplayScreen
from tui.widgets.bars.key_line import KeyLine

Compare = Callable[..., bool]


def talk(folder: Path, first: str = "Red is on.", *, follows_mover: bool = False) -> ReplaySession:
    """Return the replay of: opening, a first remark, Red holds, a remark of Blue, Blue holds."""
    path = folder / "talk.fplog"
    match = toy_match(LogWriter.create(path))
    match.remark(first)
    match.submit(RED, Hold(), match.seq)
    match.remark("I wait, too.", BLUE)
    match.submit(BLUE, Hold(), match.seq)
    match.close()
    return ReplaySession.open(path, TOY, follows_mover=follows_mover)


def comment(screen: ReplayScreen) -> str:
    panel = screen.query_one("#remark", Static)
    return f"{panel.border_title}: {panel.visual}" if panel.display else "none"


@pytest.mark.full
async def test_keys_jump_from_comment_to_comment(tmp_path: Path) -> None:
    replay = talk(tmp_path)
    screen = ReplayScreen(replay, Presenter(TOY))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        assert replay.remark() is None
        await pilot.press("n")
        assert comment(screen) == "Comment 1 of 2: Red is on."
        await pilot.press("right_square_bracket")
        assert (replay.seq, comment(screen)) == (2, "Comment 1 of 2: Red is on.")
        await pilot.press("n")
        assert comment(screen) == "Comment 2 of 2: Blue: I wait, too."
        await pilot.press("n")
        assert "nothing more" in str(screen.query_one(".status", Static).visual)
        await pilot.press("p")
        assert (replay.seq, comment(screen)) == (1, "Comment 1 of 2: Red is on.")
        await pilot.press("p")
        assert replay.seq == 1


async def test_record_without_comments_shows_no_comment_panel(tmp_path: Path) -> None:
    path = tmp_path / "plain.fplog"
    toy_match(LogWriter.create(path)).close()
    replay = ReplaySession.open(path, TOY)
    screen = ReplayScreen(replay, Presenter(TOY))
    async with app(tmp_path, screen).run_test(size=(80, 24)):
        assert comment(screen) == "none"
        assert "comment" not in screen.query_one(KeyLine).text


def test_view_follows_the_moving_seat_until_one_is_chosen(tmp_path: Path) -> None:
    replay = talk(tmp_path, follows_mover=True)
    seats = [replay.role]
    while replay.step_command(1):
        seats.append(replay.role)
    assert seats == [RED, RED, BLUE, BLUE], "it begins at the first remark"
    replay.switch_role(None)
    replay.go_to_record(0)
    assert replay.role is None


@pytest.mark.parametrize(
    ("players", "seat"),
    [
        (("Ann", "bot:strong"), RED),
        (("bot:easy", "Bob"), BLUE),
        (("Ann", "Bob"), None),
        (("bot:easy", "bot:strong"), None),
    ],
)
def test_replay_opens_at_the_seat_of_the_only_person(
    tmp_path: Path, players: tuple[str, str], seat: Role | None
) -> None:
    path = tmp_path / "seat.fplog"
    seats = [
        Seat(role=role, player=player, seat_id="")
        for role, player in zip((RED, BLUE), players, strict=True)
    ]
    log = LogWriter.create(path)
    Match.create(TOY, TOY.position("short", {}), "short", {}, seats, SECRET, log).close()
    assert ReplaySession.open(path, TOY).role == seat


def _record(folder: Path, players: tuple[str, str], *, is_over: bool) -> ReplaySession:
    path = folder / "hands.fplog"
    seats = [
        Seat(role=role, player=player, seat_id="")
        for role, player in zip((RED, BLUE), players, strict=True)
    ]
    position = TOY.position("short", {})
    match = Match.create(TOY, position, "short", {}, seats, SECRET, LogWriter.create(path))
    if is_over:
        match.add_statement(RED, Ending(how="resigned", by=(RED,)))
    match.close()
    return ReplaySession.open(path, TOY)


@pytest.mark.parametrize(
    ("players", "is_over", "spoiled"),
    [
        pytest.param(("Ann", "bot:easy"), False, {BLUE, FULL_VIEW}, id="against-a-bot"),
        pytest.param(
            ("Ann", "Bob"),
            False,
            {RED, BLUE, FULL_VIEW},
            id="one-keyboard",
            marks=pytest.mark.full,
        ),
        pytest.param(
            ("bot:easy", "bot:easy"), False, set(), id="only-bots", marks=pytest.mark.full
        ),
        pytest.param(("Ann", "bot:easy"), True, set(), id="over", marks=pytest.mark.full),
        pytest.param(("Ann", "Bob"), True, set(), id="one-keyboard-over", marks=pytest.mark.full),
    ],
)
async def test_hands_of_a_running_game_are_shown_only_after_confirmation(
    tmp_path: Path, players: tuple[str, str], is_over: bool, spoiled: set[Role]
) -> None:
    replay = _record(tmp_path, players, is_over=is_over)
    assert {seat for seat in replay.seats() if replay.spoils_game(seat)} == spoiled
    start, asked, shown = replay.shown_role, set[Role | None](), set[Role | None]()
    screen = ReplayScreen(replay, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        for insists in (False, True):
            for _ in range(len(replay.seats()) + 1):
                await pilot.press("y")
                await pilot.pause()
                while isinstance(program.screen, SureDialog):
                    asked.add(FULL_VIEW if "all players" in program.screen.question else RED)
                    before = replay.shown_role
                    await pilot.press("enter")
                    await pilot.pause()
                    assert isinstance(program.screen, SureDialog), "Enter gives nothing away"
                    assert replay.shown_role == before
                    await pilot.press("y" if insists else "n")
                    await pilot.pause()
                shown.add(replay.shown_role)
            if not insists:
                assert not shown & spoiled - {start}
        assert shown == {*replay.seats()}
        assert bool(asked) == bool(spoiled)


async def test_line_mode_asks_for_the_same_confirmation(tmp_path: Path) -> None:
    replay = _record(tmp_path, ("Ann", "bot:easy"), is_over=False)
    printed, views = list[str](), list[Role | None]()
    left = iter(["see blue", "see spectator", "see blue", "see blue", "q"])

    async def read(_prompt: str) -> str:
        views.append(replay.shown_role)
        return next(left)

    plain = PlainReplay(replay, Presenter(TOY), read, printed.append)
    while views[-1:] != [BLUE]:
        if not await plain._wait_for_viewer():
            break
    assert views == [RED, RED, None, None, BLUE]
    assert sum("Repeat the command to confirm." in line for line in printed) == 2


@pytest.mark.full
@pytest.mark.parametrize("size", sampled(SIZES, 1))
def test_looks(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    screen = ReplayScreen(talk(tmp_path, "Red lays a card before it must. " * 10), Presenter(TOY))
    assert snap_compare(app(tmp_path, screen), press=["n"], terminal_size=size)
