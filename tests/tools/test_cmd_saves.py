"""`flagplot list` and `flagplot resume`."""

import json
import os
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.ids import Role
from play.games import NewGame, create_game
from saves.folders import games_folder
from saves.logfile import read_log
from tests.tools.commands import Cli
from tools import cmd_play

GREEDY = NewGame(
    game="qmg",
    scenario="base",
    bots=dict.fromkeys(map(Role, ("italy", "japan", "uk", "ussr", "usa")), "greedy"),
)
PEOPLE = NewGame(
    game="eots", scenario="1943", names={Role("allied"): "Ann\x1b[2J", Role("japan"): "Bob"}
)
SOLO = NewGame(game="cbps", scenario="1")
Save = Callable[[str, NewGame, float], Path]


@pytest.fixture
def save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Save:
    """Return a function that saves a new game under a name, last played so many seconds ago."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def create(name: str, game: NewGame, seconds_ago: float) -> Path:
        path = games_folder() / f"{name}.fplog"
        create_game(game, path).match.close()
        modified = path.stat().st_mtime - seconds_ago
        os.utime(path, (modified, modified))
        return path

    return create


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, save: Save) -> Cli:
    def resumed(path: Path, *_: object, plain: bool) -> int:
        print(path.stem, plain)  # noqa: T201  # shows what would be resumed
        return 77

    monkeypatch.setattr(cmd_play, "resume_record", resumed)
    return Cli(capsys)


def test_list_shows_turn_opponent_and_whose_move_is_next(cli: Cli, save: Save) -> None:
    save("alone", SOLO, 90_000)
    save("old", PEOPLE, 7_300)
    save("new", GREEDY, 5)
    games_folder().joinpath("broken.fplog").write_bytes(b"nothing")
    ran = cli("list")
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out
    head, *rows = ran.out.splitlines()
    assert [row.split()[0] for row in rows] == ["broken", "new", "old", "alone"]
    assert head.split("  ")[0] == "name"
    assert "cannot be read: " in rows[0]
    column = head.index("turn")
    assert rows[1][column:].startswith("Set-up")
    assert "  greedy " in rows[1]
    assert "  Your move " in rows[1]
    assert rows[1].endswith("  just now")
    assert rows[2][column:].startswith("T5 Jan-Apr 43  ")
    assert "Bob" in rows[2]
    assert "  To move: the Allies  " in rows[2]
    assert rows[2].endswith("  2 hours ago")
    assert rows[3].split()[-6:] == ["-", "Your", "move", "1", "day", "ago"]


def test_list_prints_json(cli: Cli, save: Save) -> None:
    path = save("old", PEOPLE, 10)
    save("new", GREEDY, 5)
    games_folder().joinpath("broken.fplog").write_bytes(b"nothing")
    broken, new, old = json.loads(cli("list", "--json").out)
    assert (broken["name"], broken["can_resume"], "game" in broken) == ("broken", False, False)
    assert broken["problem"]
    assert old["file"] == str(path)
    assert (old["game"], old["scenario"], old["turn"]) == ("eots", "1943", "T5 Jan-Apr 43")
    assert old["match"] == read_log(path).header.match_id
    assert (old["to_move"], old["is_your_move"], old["outcome"]) == (["allied"], False, None)
    assert "germany" in new["to_move"]
    assert (new["is_your_move"], new["against"]) == (True, "greedy")
    assert new["can_resume"]
    assert set(old) == set(new)


def test_list_shows_how_a_game_ended(cli: Cli, save: Save) -> None:
    path = save("over", SOLO, 5)
    path.write_bytes(registry.tutorial("cbps").read_bytes())
    assert "  Over: won by the commander (US win)  " in cli("list").out
    (over,) = json.loads(cli("list", "--json").out)
    assert over["result"] == "Over: won by the commander (US win)"
    assert (over["outcome"]["winner"], over["to_move"], over["is_your_move"]) == ("us", [], False)


def test_list_and_resume_report_that_there_are_no_games(cli: Cli) -> None:
    ran = cli("list")
    assert ran.code == 0
    assert ran.out.startswith("There are no saved games in ")
    assert json.loads(cli("list", "--json").out) == []
    ran = cli("resume", "--plain")
    assert ran.code == 3
    assert "there are no saved games yet" in ran.err


def test_resume_opens_the_latest_or_the_named_game(cli: Cli, save: Save, tmp_path: Path) -> None:
    old = save("old", GREEDY, 20)
    save("new", GREEDY, 10)
    elsewhere = tmp_path / "elsewhere.fplog"
    elsewhere.write_bytes(old.read_bytes())
    for words, name in (
        ((), "new"),
        (("old",), "old"),
        (("old.fplog",), "old"),
        ((elsewhere,), "elsewhere"),
    ):
        ran = cli("resume", "--plain", *words)
        assert (ran.code, ran.out) == (77, f"{name} True\n")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "old"),
        ("show", "old.fplog"),
        ("verify", "old"),
        ("log", "export", "old"),
        ("log", "salvage", "old", "saved.fplog"),
        ("export", "old", "new", "--out", "tables"),
        ("scenario", "export", "old"),
        ("replay", "old", "--plain"),
    ],
    ids=" ".join,
)
def test_commands_for_records_accept_the_name_of_a_saved_game(
    cli: Cli, save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    path = save("old", PEOPLE, 10)
    save("new", GREEDY, 5).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", StringIO("q\n"))
    ran = cli(*words)
    assert ran.code == 0, ran.err


def test_existing_file_comes_before_a_saved_game_with_the_same_name(
    cli: Cli, save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save("old", PEOPLE, 10)
    monkeypatch.chdir(tmp_path)
    Path("old").write_text("no record", encoding="utf-8")
    ran = cli("show", "old")
    assert ran.code == 3
    assert "old" in ran.err


def test_similar_name_of_a_saved_game_is_suggested(cli: Cli, save: Save) -> None:
    save("operation-shoestring", PEOPLE, 10)
    ran = cli("verify", "operaton-shoestring")
    assert ran.code == 2
    assert ran.err.endswith("; did you mean operation-shoestring?\n")
    assert "does not exist" in cli("show", "xyz").err
    assert "does not exist" in cli("show", "games/operation-shoestring").err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("operaton-shoestring",), 3, "; did you mean operation-shoestring?"),
        (("../games/operation-shoestring",), 3, "there is no saved game"),
        (("xyz",), 3, "there is no saved game 'xyz'; flagplot list prints the names"),
        (("operation-shoestring",), 5, "use --plain"),
        ((), 5, "use --plain"),
    ],
    ids=["similar", "path", "unknown", "no-terminal", "latest-no-terminal"],
)
def test_resume_reports_the_problem(
    cli: Cli, save: Save, words: tuple[str, ...], code: int, sentence: str
) -> None:
    save("operation-shoestring", GREEDY, 10)
    ran = cli("resume", *words)
    assert ran.code == code
    assert sentence in ran.err
