"""`flagplot play --save FILE` resumes. Arguments that contradict the file are refused, the original ones are not."""

from pathlib import Path

import pytest

from engine import registry
from engine.kernel.ids import Role
from play.games import NewGame, create_game
from tests.tools.commands import Cli
from tools import cmd_play


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setattr(cmd_play, "resume_record", lambda *_, **__: 77)
    return Cli(capsys)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "game.fplog"
    new = NewGame(
        game="qmg",
        scenario="base",
        options={"immediately-after-built": _other("immediately-after-built")},
        names=dict.fromkeys((Role("germany"), Role("italy"), Role("japan")), "Ann"),
        bots=dict.fromkeys((Role("uk"), Role("ussr"), Role("usa")), "random"),
    )
    session = create_game(new, path)
    session.match.close()
    return path


def _other(name: str) -> str:
    return next(one.alternative for one in registry.ruleset("qmg").options() if one.id == name)


def _default(name: str) -> str:
    return next(one.default for one in registry.ruleset("qmg").options() if one.id == name)


OPTION = "immediately-after-built"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("qmg",),
        ("qmg", "--scenario", "base", "--option", f"{OPTION}={_other(OPTION)}"),
        ("qmg", "--seat", "uk", "--bot", "usa=greedy"),
        ("qmg", "--seats", "germany+italy+japan=Ann"),
    ],
)
def test_arguments_that_match_the_file_resume_it(
    cli: Cli, saved: Path, words: tuple[str, ...]
) -> None:
    ran = cli("play", "--plain", "--save", saved, *words)
    assert (ran.code, ran.err) == (77, "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("eots", "--scenario", "1944"), "is a game of qmg, not of eots"),
        (("--scenario", "total-war"), "has the scenario base, not total-war"),
        (("--option", f"{OPTION}={_default(OPTION)}"), f"not {_default(OPTION)}"),
        (("--seats", "germany+italy+japan=Bob"), "has Ann as germany, not Bob"),
        (("--option", "hainan=yes"), "has hainan=no such option"),
        (("--seats", "uk=Ann"), "uk is played by the bot random, not by Ann"),
        (("--hotseat",), "has the bot random as uk, but --hotseat requires a person"),
    ],
)
def test_arguments_that_contradict_the_file_are_refused(
    cli: Cli, saved: Path, words: tuple[str, ...], sentence: str
) -> None:
    before = saved.read_bytes()
    ran = cli("play", "--plain", "--save", saved, *words)
    assert ran.code == 2
    assert f"{saved} " in ran.err
    assert sentence in ran.err
    assert saved.read_bytes() == before


def test_different_position_is_refused(cli: Cli, saved: Path, tmp_path: Path) -> None:
    position = tmp_path / "own.json"
    position.write_text(cli("scenario", "show", "qmg", "base").out)
    ran = cli("play", "qmg", "--plain", "--save", saved, "--position", position)
    assert ran.code == 2
    assert f"has a different position from {position}" in ran.err
