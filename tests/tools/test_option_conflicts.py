"""Options that contradict each other, or would be silently ignored, are refused by name."""

import socket
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.errors import DataError
from play.seating import assign_players, split_seat_names
from tests.sizes import sampled
from tests.tools.commands import Cli

BOTH = "uk is played by the bot random, not by Ann"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    def listen(*_: object) -> None:
        pytest.fail("the host began")

    monkeypatch.setattr(socket.socket, "bind", listen)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Cli(capsys)


CASES = [
    (("play", "qmg", "--plain", "--seats", "uk=Ann", "--bot", "uk=random"), 3, BOTH),
    (("host", "open", "qmg", "--headless", "--seats", "uk=Ann", "--bot", "uk=random"), 3, BOTH),
    (
        ("play", "qmg", "--plain", "--seat", "uk", "--bot", "uk=random"),
        2,
        "--seat uk and --bot uk=random assign two players to uk",
    ),
    (
        ("play", "qmg", "--plain", "--bot", "uk=random", "--bot", "uk=greedy"),
        2,
        "uk cannot be both random and greedy",
    ),
    (
        ("play", "eots", "--option", "hainan=a", "--option", "hainan=b"),
        2,
        "hainan cannot be both a and b",
    ),
    (
        ("play", "qmg", "--plain", "--seats", "uk=Ann,usa=Bob", "--seat", "uk", "--seat", "usa"),
        2,
        "--seats assigns them to Ann and Bob",
    ),
    (
        ("play", "eots", "--plain", "--scenario", "1944", "--position", "a.json"),
        2,
        "--scenario cannot be combined with --position",
    ),
    (
        ("play", "eots", "--plain", "--option", "x=y", "--position", "a.json"),
        2,
        "--option cannot be combined with --position",
    ),
    (("host", "serve", "--seats", "Ann,Bob"), 2, "No such option '--seats'"),
    (("host", "serve", "--clock", "3d"), 2, "No such option '--clock'"),
    (("host", "serve", "eots"), 2, "unexpected extra argument (eots)"),
    (
        ("host", "open", "eots", "--headless", "--seat", "japan"),
        2,
        "--seat cannot be combined with --headless",
    ),
    (("host", "open", "eots", "--once"), 2, "--once requires --headless"),
    (("host", "open", "eots", "--workers", "2"), 2, "--workers above 1 requires --headless"),
    (("host", "open", "eots", "--flag", "loses"), 2, "--flag requires --clock"),
    (
        ("host", "open", "eots", "--position", "a.json", "--scenario", "1943"),
        2,
        "--position replaces --scenario and --option",
    ),
    (("host", "status", "--headless"), 2, "No such option '--headless'"),
    (("host", "invite", "Ann", "--once"), 2, "No such option '--once'"),
    (("mail", "open", "eots", "--once"), 2, "No such option '--once'"),
    (("mail", "open", "eots", "--chance", "joint"), 2, "No such option '--chance'"),
    (("watch", "a.invite", "--json"), 2, "--json requires --headless"),
    (("watch", "a.invite", "--wait", "3"), 2, "--wait requires --headless"),
    (
        ("watch", "a.invite", "--headless", "--plain"),
        2,
        "--plain cannot be combined with --headless",
    ),
    (("join", "a.invite", "--wait", "3"), 2, "--wait requires --bot"),
    (("join", "a.invite", "--bot-seconds", "3"), 2, "--bot-seconds requires --bot"),
    (("join", "a.invite", "--bot", "easy", "--plain"), 2, "--plain cannot be combined with --bot"),
    (("join", "--folder", "here"), 2, "--folder requires INVITE or --plain"),
    (
        ("arena", "eots", "easy", "--option", "hainan=a", "--option", "hainan=b"),
        2,
        "hainan cannot be both a and b",
    ),
]


@pytest.mark.parametrize(("words", "code", "sentence"), sampled(CASES, 8))
def test_contradicting_options_are_refused_by_name(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    ran = cli(*words)
    told = " ".join(ran.err.split())
    assert ran.code == code, told
    assert sentence in told
    assert "Traceback" not in told
    assert list(tmp_path.rglob("*.fplog")) == []


@pytest.mark.parametrize(
    ("names", "bots", "problem"),
    [
        ("uk=Ann", {"uk": "random"}, BOTH),
        ("germany+italy=Ann", {"italy": "easy"}, "italy is played by the bot easy, not by Ann"),
        ("uk=Ann,Bob", {}, "uk is played by Ann, not by Bob"),
        ("uk=bot:easy", {"uk": "random"}, "uk is played by the bot random, not by bot:easy"),
    ],
)
def test_role_with_two_players_is_refused(names: str, bots: dict[str, str], problem: str) -> None:
    info = registry.ruleset("qmg").scenario_info("base", {})
    with pytest.raises(DataError) as refused:
        assign_players(info, split_seat_names(names, info), bots)
    assert problem in refused.value.problem


def test_same_player_may_be_named_twice_for_a_role() -> None:
    info = registry.ruleset("qmg").scenario_info("base", {})
    players = assign_players(info, split_seat_names("uk=bot:random", info), {"uk": "random"})
    assert dict(players)[info.roles[1]] == "bot:random"
