"""Bell, title and notification: when they are sent, and their exact bytes."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.tui.terminals import Terminal
from tui.drawing.capabilities import Notification, detect_terminal
from tui.terminal import alerts
from tui.terminal.alerts import TurnAlerts
from tui.terminal.settings import AutoSwitch, Settings, save_settings

XTERM = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
CALL = "\x1b]2;* Game: it is your move\x1b\\"
CALLED = """
from tui.terminal import alerts
alerts.MIN_WAIT_SECONDS = 0.0
from tui.app.launch import launch

def first():
    from tests.play.tables import toy_match
    from tests.tui.playback.test_controller import Elsewhere, Telling
    from tests.toy_game import BLUE, RED, TOY, Hold
    from tui.screens.match.play import PlayScreen

    class Called(PlayScreen):
        BINDINGS = [("k", "let_move", "Let the other move")]
        def action_let_move(self):
            self.session.submit(BLUE, Hold())
            self.poll()

    return Called(Elsewhere(toy_match(scenario="middle"), {}, RED), Telling(TOY))

raise SystemExit(launch(first))
"""


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (XTERM, Notification.NONE),
        (XTERM | {"TERM_PROGRAM": "iTerm.app"}, Notification.OSC_9),
        (XTERM | {"TERM": "xterm-kitty"}, Notification.OSC_9),
        (XTERM | {"TERM": "foot"}, Notification.OSC_777),
        (XTERM | {"VTE_VERSION": "7600"}, Notification.OSC_777),
        (XTERM | {"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app"}, Notification.NONE),
        ({"TERM": "vt100"}, Notification.NONE),
    ],
)
def test_detect_terminal_finds_notification_and_title_support(
    environ: Mapping[str, str], expected: Notification
) -> None:
    found = detect_terminal(environ)
    assert found.notification is expected
    assert found.has_title is (environ["TERM"] != "vt100")


def _called(environ: Mapping[str, str], settings: Settings) -> list[str]:
    sent: list[str] = []
    attention = TurnAlerts(detect_terminal(environ), sent.append)
    attention.start_waiting()
    attention.alert(settings, "Game")
    attention.clear_mark("Game")
    attention.leave()
    return [text for text in sent if text]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts, "MIN_WAIT_SECONDS", 0.0)


@pytest.mark.usefixtures("at_once")
def test_each_alert_has_a_setting() -> None:
    quiet = Settings(bell=False, window_title=False, notify=AutoSwitch.OFF)
    kitty = XTERM | {"TERM": "xterm-kitty"}
    assert _called(kitty, quiet) == []
    assert _called(kitty, Settings(window_title=False, notify=AutoSwitch.OFF)) == ["\a"]
    title = _called(kitty, Settings(bell=False, notify=AutoSwitch.OFF))
    assert title == ["\x1b[22;2t", CALL, "\x1b]2;flagplot: Game\x1b\\", "\x1b[23;2t"]
    told = _called(kitty, Settings(bell=False, window_title=False))
    assert told == ["\x1b]9;Game: it is your move\x1b\\"]
    foot = _called(XTERM | {"TERM": "foot"}, Settings(bell=False, window_title=False))
    assert foot == ["\x1b]777;notify;flagplot;Game: it is your move\x1b\\"]
    assert _called(XTERM, Settings(bell=False, window_title=False)) == []
    asked = Settings(bell=False, window_title=False, notify=AutoSwitch.ON)
    assert _called(XTERM, asked) == ["\x1b]9;Game: it is your move\x1b\\"]


def test_immediate_reply_sends_no_alert() -> None:
    sent: list[str] = []
    attention = TurnAlerts(detect_terminal(XTERM), sent.append)
    assert not attention.alert(Settings(), "Game"), "nobody was waited for"
    attention.start_waiting()
    assert not attention.alert(Settings(), "Game"), "the other was quick"
    assert sent == []


def test_untrusted_text_adds_no_control_bytes() -> None:
    for text in (
        alerts.title_sequence("a\x1b]0;b\x07"),
        alerts.notification_sequence(Notification.OSC_777, "a;b\n"),
    ):
        body = text[1:-2]
        assert "\x1b" not in body
        assert "\x07" not in body
    assert (
        alerts.notification_sequence(Notification.OSC_777, "a;b")
        == "\x1b]777;notify;flagplot;a,b\x1b\\"
    )


WORDS = b"Toy: it is your move"
BELL, TITLE = b"\a", b"\x1b]2;* " + WORDS + b"\x1b\\"
OSC_9 = b"\x1b]9;" + WORDS + b"\x1b\\"
OSC_777 = b"\x1b]777;notify;flagplot;" + WORDS + b"\x1b\\"


@pytest.mark.full
@pytest.mark.parametrize(
    ("settings", "environ", "expected"),
    [
        pytest.param(Settings(notify=AutoSwitch.ON), {}, [BELL, TITLE, OSC_9], id="9"),
        pytest.param(
            Settings(bell=False),
            {"VTE_VERSION": "7600"},
            [TITLE, OSC_777],
            id="777-without-bell",
        ),
        pytest.param(
            Settings(window_title=False, notify=AutoSwitch.OFF),
            {"VTE_VERSION": "7600"},
            [BELL],
            id="bell-alone",
        ),
        pytest.param(
            Settings(bell=False, window_title=False),
            {"TERM": "xterm-256color"},
            [],
            id="nothing",
        ),
    ],
)
def test_alert_bytes_sent_to_a_terminal(
    tmp_path: Path, settings: Settings, environ: Mapping[str, str], expected: list[bytes]
) -> None:
    kept = tmp_path / "config" / "flagplot" / "settings.json"
    assert not save_settings(kept, replace(settings, news=False))
    with Terminal(CALLED, tmp_path, (80, 24), **environ) as terminal:
        assert not _calls(terminal.ready())
        assert not _calls(terminal.send("d") + terminal.send("c")), "own keys call nobody"
        assert _calls(terminal.send("k")) == expected
        back = [b"\x1b]2;flagplot: Toy\x1b\\"] if TITLE in expected else []
        # The first key ends the playback of what happened.
        assert _calls(terminal.send("d") + terminal.send("d")) == back
        assert (b"\x1b[23;2t" in terminal.send("\x11")) is bool(back)


def _calls(data: bytes) -> list[bytes]:
    """Return bells, titles and notifications, without pointer shapes."""
    shapes = re.compile(rb"\x1b\]22;[^\x07]*\x07")
    return re.findall(rb"\x07|\x1b\](?:2|9|777);[^\x1b]*\x1b\\", shapes.sub(b"", data))
