"""Completion in the shell, through the program itself as a shell calls it."""

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from engine import registry
from play.games import NewGame, create_game
from saves.folders import games_folder
from tests.tools.commands import Cli
from tools.cli import COMMANDS, flagplot


def completed(line: str) -> list[str]:
    """Return the completions of the last word of a line, which may be empty."""
    *words, last = line.split(" ")
    shell = ShellComplete(flagplot, {}, "flagplot", "_FLAGPLOT_COMPLETE")
    return [item.value for item in shell.get_completions([word for word in words if word], last)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", sorted(COMMANDS)),
        ("re", ["replay", "resume"]),
        ("play ", ["cbps", "eots", "qmg"]),
        ("learn e", ["eots"]),
        ("rules q", ["qmg"]),
        ("play qmg --scenario ", ["base", "total-war"]),
        ("play --scenario south", ["south-pacific"]),
        ("host open qmg --scenario t", ["total-war"]),
        ("play eots --seat ", ["allied", "japan"]),
        ("play cbps --scenario 6 --option staff=two --seat ", ["us", "us-2"]),
        ("play eots --bot s", ["strong"]),
        (
            "play eots --bot japan=",
            [f"japan={bot}" for bot in ("random", "easy", "greedy", "strong")],
        ),
        ("host open qmg --bot usa=st", ["usa=strong"]),
        ("mail ", ["open", "send", "take"]),
        ("mail open q", ["qmg"]),
        ("join --bot g", ["greedy"]),
        ("arena qmg greedy st", ["strong"]),
        ("play eots --option hainan", None),
        ("rules eots 8.45", None),
        ("scenario show q", ["qmg"]),
        ("scenario show 1942-", ["1942-43", "1942-44"]),
        ("scenario show qmg b", ["base"]),
        ("fuzz qmg --scenario to", ["total-war"]),
        ("play chess --scenario ", []),
        ("play chess --seat ", []),
        ("play qmg --scenario none --seat ", []),
        ("show none.fplog --seat ", []),
    ],
)
def test_word_is_completed(line: str, expected: list[str] | None) -> None:
    found = completed(line)
    if expected is None:
        word = line.rpartition(" ")[2]
        assert found
        assert all(value.startswith(word) for value in found)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["play", "eots", "--bot", "jap"], "japan=greedy"),
        (["play", "eots", "--bot", "japan", "="], "greedy"),
        (["play", "eots", "--bot", "japan", "=", "gr"], "greedy"),
        (["play", "eots", "--option", "hainan", "="], None),
        (["play", "--bot", "japan", "=", "easy", "--scenario", "1943"], "1943"),
        (["play", "--scenario", "=", "south"], "south-pacific"),
    ],
    ids=["role", "equals", "bot", "switch", "before", "option"],
)
def test_bash_completion_splits_words_at_the_equals_sign(
    words: list[str],
    expected: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_FLAGPLOT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["flagplot", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    ran = Cli(capsys)()
    assert ran.code == 0
    values = [line.removeprefix("plain,") for line in ran.out.splitlines()]
    if expected is None:
        assert values
        assert not any("=" in value for value in values)
    else:
        assert expected in values


def test_saved_games_and_their_seats_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert completed("resume ") == []
    for name in ("midway", "leyte"):
        path = games_folder() / f"{name}.fplog"
        create_game(NewGame(game="eots", scenario="1943"), path).match.close()
    assert completed("resume ") == ["leyte", "midway"]
    assert completed("resume m") == ["midway"]
    assert completed("show mid") == ["midway"]
    assert completed(f"show {path} --seat ") == ["allied", "japan"]
    assert completed("show midway --seat ") == ["allied", "japan"]
    assert completed(f"log export {path} --seat j") == ["japan"]


def test_every_scenario_and_option_of_every_game_is_completed() -> None:
    for game in registry.games():
        rules = registry.ruleset(game)
        assert completed(f"play {game} --scenario ") == [info.id for info in rules.scenarios()]
        assert {value.partition("=")[0] for value in completed(f"play {game} --option ")} == {
            ruling.id for ruling in rules.options()
        }
