"""The application around the games: menu, settings, help, palette, rules, sizes."""

import threading
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs
from textual.widgets import Input, OptionList, Static

from tests.play.tables import toy_session
from tests.sizes import sampled
from tests.toy_game import TOY
from tests.tui.apps import app
from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Depth, Terminal, detect_terminal
from tui.drawing.colours import ThemeName
from tui.drawing.palette import PLAIN_PALETTE
from tui.presenter.presenter import Presenter
from tui.screens.dialogs.prompt import ChoiceDialog, ConfirmDialog, TextDialog, TooSmallScreen
from tui.screens.forms.form import FormDialog
from tui.screens.lobby.hosted_matches import HostedMatchesScreen
from tui.screens.lobby.join import JoinScreen
from tui.screens.lobby.menu import MenuScreen
from tui.screens.lobby.saves import SavesScreen
from tui.screens.match.lesson import LessonScreen
from tui.screens.match.play import PlayScreen
from tui.screens.reference.help import HelpScreen
from tui.screens.reference.rules import RulesScreen
from tui.screens.replay.replay import ReplayScreen
from tui.terminal.settings import AutoSwitch, ColourChoice, Settings, load_settings, save_settings
from tui.widgets.base_screens import ClosesOnlyInFront, active_actions, key_name


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.parametrize(
    ("keys", "screen"),
    sampled(
        [
            ("n", ChoiceDialog),
            ("n enter", FormDialog),
            ("n down enter", FormDialog),
            ("r", SavesScreen),
            ("v", SavesScreen),
            ("l", ChoiceDialog),
            ("l enter", LessonScreen),
            ("l up enter", ReplayScreen),
            ("j", JoinScreen),
            ("w", JoinScreen),
            ("b enter", RulesScreen),
            ("b down enter", RulesScreen),
            ("s", FormDialog),
            ("question_mark", HelpScreen),
            ("f1 enter", RulesScreen),
        ],
        2,
    ),
)
async def test_menu_keys_open_their_screens(
    tmp_path: Path, keys: str, screen: type[object]
) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        assert isinstance(program.screen, MenuScreen)
        for key in keys.split():
            await pilot.press(key)
            await pilot.pause()
        assert isinstance(program.screen, screen)
        await pilot.press("q" if screen in {LessonScreen, ReplayScreen} else "escape")
        await pilot.pause()
        assert isinstance(program.screen, MenuScreen)


@pytest.mark.full
async def test_enter_opens_the_highlighted_menu_entry(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert isinstance(program.screen, SavesScreen)


async def test_q_quits(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    assert program.return_code == 0


async def test_settings_are_saved_and_applied(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("s", "down", "left", "down", "right", "end", "enter")
        await pilot.pause()
        assert program.palette is PLAIN_PALETTE
    kept, problem = load_settings(tmp_path / "settings.json")
    assert problem == ""
    assert kept.colours is ColourChoice.NONE
    assert kept.ascii is AutoSwitch.ON


def test_broken_settings_fall_back_to_defaults_with_a_message(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for content in (b"{", b'{"theme": "pink"}', b"\xff\xfe", b"[" * 100_000):
        path.write_bytes(content)
        settings, problem = load_settings(path)
        assert settings == Settings()
        assert "using the defaults" in problem


def test_unwritable_settings_are_reported(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "cannot be saved" in save_settings(blocked / "settings.json", Settings())


async def test_command_palette_lists_every_action_without_screenshot(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        commands = {
            command.title: command for command in program.get_system_commands(program.screen)
        }
        names = {row.name for row in active_actions(program.screen)}
        assert names <= set(commands)
        assert {"New game", "Rules", "Keys", "Quit", "Host", "Watch", "Replay"} <= set(commands)
        assert not any("screenshot" in name.lower() for name in commands)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


async def test_screenshot_action_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        before = _files(tmp_path)
        program.action_screenshot("x.svg", str(tmp_path))
        await pilot.pause()
        assert _files(tmp_path) == before


@pytest.mark.full
async def test_small_terminal_shows_a_message_until_it_is_resized(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert isinstance(program.screen, TooSmallScreen)
        assert "80x24" in str(program.screen.query_one(Static).render())
        await pilot.press("escape", "n")
        assert isinstance(program.screen, TooSmallScreen)
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert isinstance(program.screen, MenuScreen)


async def test_help_lists_the_keys_of_the_screen(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        text = "\n".join(str(widget.render()) for widget in program.screen.query(Static))
        for words in ("New game", "Settings", "F1", "Ctrl+P"):
            assert words in text


@pytest.mark.full
async def test_rules_are_found_by_number_and_by_words(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        await pilot.press("down", "enter")
        await pilot.pause()
        screen = program.screen
        assert isinstance(screen, RulesScreen)
        screen.query_one(Input).value = "8.45"
        await pilot.press("enter")
        await pilot.pause()
        assert "8.45" in str(screen.query_one("#paragraph", Static).render())
        screen.query_one(Input).value = "zzzz nothing"
        await pilot.press("slash")
        await pilot.press("enter")
        await pilot.pause()
        assert screen.query_one(OptionList).option_count == 0


@pytest.mark.full
async def test_confirm_dialog_answers(tmp_path: Path) -> None:
    program = app(tmp_path)
    answers: list[bool | None] = []
    async with program.run_test(size=(80, 24)) as pilot:
        for key in ("y", "n", "escape", "enter"):
            program.push_screen(ConfirmDialog("[b]Sure?[/b]"), answers.append)
            await pilot.pause()
            await pilot.press(key)
            await pilot.pause()
    assert answers == [True, False, None, True]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (
            {"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"},
            Terminal(dumb=False, depth=Depth.MANY, unicode=True),
        ),
        (
            {"TERM": "vt100", "LANG": "en_GB.UTF-8"},
            Terminal(dumb=False, depth=Depth.NONE, unicode=False),
        ),
        ({"TERM": "dumb"}, Terminal(dumb=True, depth=Depth.SIXTEEN, unicode=False)),
        ({}, Terminal(dumb=True, depth=Depth.SIXTEEN, unicode=False)),
        ({"TERM": "xterm", "LANG": "C"}, Terminal(dumb=False, depth=Depth.SIXTEEN, unicode=False)),
        (
            {"TERM": "xterm", "LANG": "C", "LC_CTYPE": "C.UTF-8"},
            Terminal(dumb=False, depth=Depth.SIXTEEN, unicode=False),
        ),
        (
            {"TERM": "xterm", "LC_ALL": "de_DE.utf8"},
            Terminal(dumb=False, depth=Depth.SIXTEEN, unicode=True),
        ),
        (
            {"TERM": "screen-256color", "COLORTERM": "truecolor", "LANG": "C"},
            Terminal(dumb=False, depth=Depth.TRUE, unicode=False),
        ),
        (
            {"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "0"},
            Terminal(dumb=False, depth=Depth.NONE, unicode=True),
        ),
        (
            {"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": ""},
            Terminal(dumb=False, depth=Depth.SIXTEEN, unicode=True),
        ),
    ],
)
def test_terminal_from_environment(environ: dict[str, str], expected: Terminal) -> None:
    found = detect_terminal(environ)
    assert (found.dumb, found.depth, found.unicode) == (
        expected.dumb,
        expected.depth,
        expected.unicode,
    )


def test_terminal_without_colours_overrides_the_colour_setting() -> None:
    grey = Terminal(dumb=False, depth=Depth.NONE, unicode=True)
    assert Settings(colours=ColourChoice.TRUE).depth_for(grey) is Depth.NONE


@pytest.mark.parametrize(
    ("palette", "expected"),
    [
        ("colour", Settings()),
        ("colour-blind", Settings(theme=ThemeName.COLOUR_BLIND)),
        ("monochrome", Settings(colours=ColourChoice.NONE)),
    ],
)
def test_settings_of_an_earlier_version_are_migrated(
    tmp_path: Path, palette: str, expected: Settings
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(f'{{"palette": "{palette}"}}')
    assert load_settings(path) == (expected, "")


@pytest.mark.parametrize(
    ("key", "name"),
    [("f1", "F1"), ("question_mark", "?"), ("ctrl+p", "Ctrl+p"), ("plus", "+"), ("z", "z")],
)
def test_key_names(key: str, name: str) -> None:
    assert key_name(key) == name


@pytest.mark.full
async def test_screen_crash_is_logged_with_game_and_record(tmp_path: Path) -> None:
    program = app(tmp_path, PlayScreen(toy_session(), Presenter(TOY)))
    structlog.configure()
    with capture_logs() as lines, pytest.raises(AssertionError, match="our own mistake"):
        await _fail_in(program)
    (line,) = lines
    assert (line["event"], line["game"], line["seq"]) == ("screen_crashed", "toy", 0)


async def _fail_in(program: FlagplotApp) -> None:
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        program.call_later(_fail)
        await pilot.pause()


def _fail() -> None:
    raise AssertionError("our own mistake")


@pytest.mark.full
async def test_the_menu_hosts_a_match_until_the_program_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.system.host_log.log_to_file", lambda path: None)
    program = app(tmp_path)
    try:
        async with program.run_test(size=(80, 24)) as pilot:
            await pilot.press("h", "down", "enter")
            await pilot.pause()
            form = program.screen
            assert isinstance(form, FormDialog)
            form.dismiss({**form.values, "port": "0"})
            while not isinstance(program.screen, HostedMatchesScreen):
                await pilot.pause(0.05)
        hosted = tmp_path / "data/flagplot/hosted"
        written = sorted(path.name for path in (hosted / "invites").iterdir())
        assert written == ["japan.invite", "spectator.invite"]
        assert len([*(hosted / "own").iterdir()]) == 1
        assert [thread.name for thread in threading.enumerate()].count("host") == 1
    finally:
        program.stop_hosts()
    assert "host" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.full
@pytest.mark.parametrize("key", sampled(["ctrl+p", "question_mark"], 1))
async def test_dismissing_an_overlay_twice_keeps_the_game_in_front(
    tmp_path: Path, key: str
) -> None:
    table = PlayScreen(toy_session(), Presenter(TOY))
    program = app(tmp_path, table)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        above = program.screen
        assert isinstance(above, ClosesOnlyInFront)
        above.dismiss()
        above.dismiss()
        await pilot.pause()
        assert program.screen is table


@pytest.mark.full
async def test_no_color_does_not_add_monochrome_filters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar of the list is the only line of the panel in reverse video."""
    monkeypatch.setenv("NO_COLOR", "1")
    screen = PlayScreen(toy_session(), Presenter(TOY))
    program = app(tmp_path, screen, detect_terminal({"TERM": "xterm-256color", "NO_COLOR": "1"}))
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        names = {type(one).__name__ for one in program.get_line_filters()}
        assert not names & {"Monochrome", "NoColor"}


async def test_text_dialog_shows_its_keys_below_a_long_text(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await program.push_screen(TextDialog("A title", "a line\n" * 60))
        await pilot.pause()
        keys = program.screen.query_one(".keys", Static)
        assert "Enter close" in str(keys.content)
        assert keys.region.height == 1
        assert keys.region.bottom < program.size.height
