"""``flagplot play`` and ``flagplot replay`` as processes."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saves.logfile import read_log, write_log
from saves.match import Match
from tests.sizes import sampled


def flagplot(home: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", "from tools.cli import main; main()", *words],
        input=typed,
        capture_output=True,
        text=True,
        env=environ,
        timeout=60,
        check=False,
    )


def test_line_mode_play_saves_a_record_and_resumes(tmp_path: Path) -> None:
    file = tmp_path / "game.fplog"
    words = (
        "play",
        "eots",
        "--seat",
        "allied",
        "--bot",
        "japan=random",
        "--plain",
        "--save",
        str(file),
    )
    first = flagplot(tmp_path, *words, typed="hand\nmap 4021\n1\n1\n1\ncommit\nquit\n")
    assert first.returncode == 0, first.stderr
    assert "Offensives" in first.stdout
    assert "[4021" in first.stdout
    assert "Traceback" not in first.stderr
    played = len(read_log(file).records)
    assert played >= 2
    second = flagplot(tmp_path, *words, typed="log\nquit\n")
    assert second.returncode == 0, second.stderr
    assert "Scenario 1943 begins" in second.stdout
    assert len(read_log(file).records) >= played
    checked = flagplot(tmp_path, "verify", str(file))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_scenario_file_decides_the_game_unless_the_command_line_names_one(tmp_path: Path) -> None:
    position = str(Path("docs/examples/ukraine-1941.json").resolve())
    played = flagplot(tmp_path, "play", "--position", position, "--plain", typed="quit\n")
    assert played.returncode == 0, played.stderr
    assert "Quartermaster General WW2, own position (Germany, UK: greedy bot, " in played.stdout
    refused = flagplot(tmp_path, "play", "eots", "--position", position, "--plain")
    assert refused.returncode == 3
    assert "the file is not for 'eots'" in refused.stderr


@pytest.mark.full
def test_new_game_is_named_in_the_data_folder(tmp_path: Path) -> None:
    for _ in range(2):
        done = flagplot(tmp_path, "play", "--bot", "japan=random", "--plain", typed="quit\n")
        assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "data/flagplot/games").glob("*.fplog"))
    assert names == ["eots-1943-001.fplog", "eots-1943-002.fplog"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "players"),
    [
        (
            ("total-war", "--seat", "uk", "--seat", "usa", "--bot", "ussr=random"),
            {"germany": "bot:greedy", "uk": "player", "ussr": "bot:random", "usa": "player"},
        ),
        (("base", "--bot", "germany=easy"), {"germany": "bot:easy", "usa": "bot:greedy"}),
        (
            ("base", "--seat", "uk", "--bot", "random", "--bot", "usa=easy"),
            {"germany": "bot:random", "uk": "uk", "usa": "bot:easy"},
        ),
        (
            ("base", "--seats", "uk+usa=Ann", "--bot", "easy"),
            {"germany": "bot:easy", "uk": "Ann", "usa": "Ann"},
        ),
        (("base", "--bot", "ussr=easy", "--hotseat"), {"ussr": "bot:easy", "usa": "usa"}),
    ],
)
def test_unassigned_seats_get_the_greedy_bot(
    tmp_path: Path, words: tuple[str, ...], players: dict[str, str]
) -> None:
    file = tmp_path / "game.fplog"
    done = flagplot(
        tmp_path,
        "play",
        "qmg",
        "--scenario",
        *words,
        "--plain",
        "--save",
        str(file),
        typed="quit\n",
    )
    assert done.returncode == 0, done.stderr
    found = {str(seat.role): seat.player for seat in read_log(file).header.seats}
    assert {role: found[role] for role in players} == players
    people = [player for player in found.values() if not player.startswith("bot:")]
    assert "--hotseat" in words or len(set(people)) == 1


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    sampled(
        [
            (("play",), 5, "--plain"),
            (("replay", "nothing.fplog"), 3, "nothing.fplog"),
            (("replay", "nothing.fplog", "--plain"), 3, "nothing.fplog"),
            (("tutorial",), 5, "--plain"),
            (("tutorial", "chess", "--plain"), 3, "there is no game 'chess'"),
            (("learn",), 5, "--plain"),
            (("learn", "chess"), 3, "there is no game 'chess'"),
            (("tutorial", "chess"), 3, "there is no game 'chess'"),
            (("play", "chess"), 3, "there is no game 'chess'"),
            (("play", "--scenario", "2044"), 3, "there is no scenario '2044'"),
            (("play", "--seat", "france"), 3, "there is no seat 'france'"),
            (("play", "--bot", "japan=genius"), 3, "there is no bot 'genius'"),
            (("play", "--option", "x=y"), 3, "no option 'x'"),
            (("learn", "chess", "--plain"), 3, "there is no game 'chess'"),
            (("play", "--plain", "--scenario", "2044"), 3, "there is no scenario '2044'"),
            (("play", "chess", "--plain"), 3, "there is no game 'chess'"),
            (("play", "--plain", "--seat", "france"), 3, "there is no seat 'france'"),
            (("play", "--plain", "--bot", "japan"), 2, "is not ROLE=BOT; write --bot japan=BOT"),
            (("play", "--plain", "--bot", "japan=genius"), 3, "there is no bot 'genius'"),
            (("play", "--plain", "--bot", "easy", "--hotseat"), 2, "leaves no seat for --bot easy"),
            (("play", "--plain", "--bot", "easy", "--bot", "random"), 2, "--bot ROLE=random"),
            (("play", "--plain", "--option", "x=y"), 3, "x"),
        ],
        1,
    ),
)
def test_wrong_arguments_are_refused_in_one_sentence(
    tmp_path: Path, words: tuple[str, ...], status: int, sentence: str
) -> None:
    done = flagplot(tmp_path, *words, typed="quit\n")
    assert done.returncode == status, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.rglob("*.fplog")) == []


@pytest.mark.full
@pytest.mark.parametrize(
    "words",
    sampled(
        [
            ("play", "--plain"),
            ("play", "qmg", "--plain", "--hotseat", "--save", "new.fplog"),
            ("play", "cbps", "--plain"),
            ("learn", "qmg", "--plain"),
        ],
        1,
    ),
)
@pytest.mark.parametrize("typed", sampled(["", "no whole line"], 1))
def test_game_without_any_input_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], typed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = flagplot(tmp_path, *words, typed=typed)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "Error: the input ended before the first line; the new game was not saved"
    )
    assert [path for path in tmp_path.rglob("*") if "fplog" in path.name] == []


@pytest.mark.full
def test_existing_game_is_kept_without_any_input(tmp_path: Path) -> None:
    words = ("play", "qmg", "--plain", "--save", str(tmp_path / "old.fplog"))
    assert flagplot(tmp_path, *words, typed="quit\n").returncode == 0
    before = (tmp_path / "old.fplog").read_bytes()
    assert flagplot(tmp_path, *words).returncode == 0
    assert (tmp_path / "old.fplog").read_bytes().startswith(before)


@pytest.mark.full
def test_file_problems_are_reported_before_terminal_problems(tmp_path: Path) -> None:
    bad, good, seat = (tmp_path / f"{name}.fplog" for name in ("bad", "good", "seat"))
    bad.write_bytes(b"not a record")
    done = flagplot(tmp_path, "play", "--plain", "--save", str(good), typed="quit\n")
    assert done.returncode == 0, done.stderr
    match = Match[Any].resume(good)
    write_log(seat, match.redacted_header(None), list(match.redacted_records(None)))
    match.close()
    for words, code, sentence in (
        (("replay", str(bad)), 3, "this is not a flagplot record file"),
        (("play", "--save", str(bad)), 3, "this is not a flagplot record file"),
        (("play", "--save", str(seat)), 3, "this is a redacted copy"),
        (("replay", str(good)), 5, "this is not a terminal"),
        (("play", "--save", str(good)), 5, "this is not a terminal"),
    ):
        done = flagplot(tmp_path, *words)
        assert (done.returncode, done.stderr.count("Error: ")) == (code, 1), words
        assert sentence in done.stderr


@pytest.mark.full
def test_line_mode_lesson_can_be_left_and_restarted(tmp_path: Path) -> None:
    done = flagplot(
        tmp_path, "learn", "qmg", "--plain", typed="\n\nhand\nplay uk_sea_battle\nquit\n"
    )
    assert done.returncode == 0
    assert "[4/18]" in done.stdout
    assert "play Lord Linlithgow" in done.stdout
    assert "Traceback" not in done.stderr
    again = flagplot(tmp_path, "learn", "qmg", "--plain", "--again", typed="quit\n")
    assert again.returncode == 0
    assert "[1/18]" in again.stdout


@pytest.mark.full
def test_line_mode_tutorial_waits_after_each_comment(tmp_path: Path) -> None:
    done = flagplot(tmp_path, "tutorial", "eots", "--plain", typed="\n\nhand\nwhat\nquit\n")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    said = [line.partition("/")[0] for line in lines if line[1:2].isdigit()]
    assert said == ["[1", "[2", "[3"]
    assert done.stdout.count("[Enter] ") == 5
    assert "Operation Toenails" in done.stdout
    assert done.stdout.count("Enter continues") == 2


@pytest.mark.full
def test_tutorial_without_input_is_printed_to_the_end(tmp_path: Path) -> None:
    done = flagplot(tmp_path, "tutorial", "qmg", "--plain")
    assert done.returncode == 0, done.stderr
    assert "\n> germany: build germany army western_europe\n" in done.stdout
    last = done.stdout.rstrip().splitlines()[-1]
    assert re.match(r"\[(\d+)/\1\] ", last), last


@pytest.mark.full
def test_damaged_file_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "bad.fplog"
    file.write_bytes(b"not a record")
    done = flagplot(tmp_path, "play", "--plain", "--save", str(file))
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


@pytest.mark.full
def test_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    done = flagplot(tmp_path, "play", "--plain", "--save", str(tmp_path / "file" / "x.fplog"))
    assert done.returncode == 3
    assert "cannot create" in done.stderr
    assert "Traceback" not in done.stderr


def test_running_without_a_terminal_prints_help(tmp_path: Path) -> None:
    done = flagplot(tmp_path)
    assert done.returncode == 0
    assert "play" in done.stdout
