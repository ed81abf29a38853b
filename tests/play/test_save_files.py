"""Renaming, copying, deleting and exporting record files, and the progress of saved games."""

from pathlib import Path

import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from play.games import NewGame, create_game, format_age, resume, saved_games
from play.save_files import copy_game, delete_game, export_game, newest_game, rename_game
from play.save_summary import opening_summary, save_summary
from saves.errors import LogInUseError, MatchError
from saves.logfile import read_log, write_log
from tests.saves.protocol6.joint import Table

GAME = NewGame(game="qmg", scenario="base", bots={Role("japan"): "greedy"})


async def a_game(folder: Path, name: str = "a") -> Path:
    path = folder / f"{name}.fplog"
    session = create_game(GAME, path)
    await session.close()
    return path


async def test_rename_keeps_the_game_and_what_belongs_to_it(tmp_path: Path) -> None:
    path = await a_game(tmp_path)
    before = read_log(path)
    path.with_name("a.fplog.uk.orders").write_text("{}")
    new = rename_game(path, " Barbarossa ")
    assert new == tmp_path / "Barbarossa.fplog"
    assert read_log(new).records == before.records
    assert not path.exists()
    assert (tmp_path / "Barbarossa.fplog.uk.orders").exists()


async def test_copy_leaves_both(tmp_path: Path) -> None:
    path = await a_game(tmp_path)
    assert copy_game(path, "b.fplog").read_bytes() == path.read_bytes()
    assert {saved.path.stem for saved in saved_games(tmp_path)} == {"a", "b"}


async def test_delete_leaves_nothing(tmp_path: Path) -> None:
    delete_game(await a_game(tmp_path))
    assert saved_games(tmp_path) == ()
    assert not (tmp_path / "a.fplog.lock").exists()


async def test_export_is_the_log_as_text(tmp_path: Path) -> None:
    path = await a_game(tmp_path)
    text = export_game(path, tmp_path / "a.txt").read_text()
    assert text.count("\n") > 3
    with pytest.raises(DataError, match="this name already exists"):
        export_game(path, tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["", "  ", "../b", "a/b", ".hidden", "a"])
async def test_a_bad_or_taken_name_changes_nothing(tmp_path: Path, name: str) -> None:
    path = await a_game(tmp_path)
    for change in (rename_game, copy_game):
        with pytest.raises(DataError):
            change(path, name)
    assert read_log(path).records


async def test_a_game_that_is_being_played_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    session = create_game(GAME, path)
    try:
        with pytest.raises(LogInUseError):
            rename_game(path, "b")
        with pytest.raises(LogInUseError):
            delete_game(path)
    finally:
        await session.close()
    assert read_log(path).records


async def test_the_newest_game(tmp_path: Path) -> None:
    assert newest_game(tmp_path / "none") is None
    await a_game(tmp_path, "old")
    new = await a_game(tmp_path, "new")
    assert newest_game(tmp_path) == new


async def test_how_far_a_game_is(tmp_path: Path) -> None:
    standing = save_summary(await a_game(tmp_path))
    assert standing.scenario == "Base game"
    assert standing.bots == ("greedy",)
    assert set(standing.people) == set(standing.players) - {Role("japan")}
    assert Role("germany") in standing.roles_to_move
    assert standing.outcome is None
    assert opening_summary("cbps").people == ()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-100, "just now"),
        (5, "just now"),
        (60, "1 minute ago"),
        (7_300, "2 hours ago"),
        (90_000, "1 day ago"),
    ],
)
def test_ages(seconds: float, words: str) -> None:
    assert format_age(seconds) == words


async def test_a_match_of_joint_chance_goes_on_at_its_host_only(tmp_path: Path) -> None:
    table = Table(QMG, "base", {}, QMG.roles(QMG.initial_state()))
    path = tmp_path / "joint.fplog"
    write_log(path, table.match.header, table.match.records)
    (saved,) = saved_games(tmp_path)
    assert not saved.can_resume
    with pytest.raises(MatchError, match="continue it on its host"):
        resume(path)
