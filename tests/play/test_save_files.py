"""Renaming, copying, deleting and exporting record files, and the progress of saved games."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from typing_extensions import override

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from play import save_files
from play.games import NewGame, create_game, format_age, resume, saved_games
from play.save_files import copy_game, delete_game, export_game, newest_game, rename_game
from play.save_summary import opening_summary, save_summary
from saves.errors import LogInUseError, MatchError
from saves.files import Files
from saves.logfile import read_log, write_log
from tests.saves.protocol6.joint import Table

GAME = NewGame(game="qmg", scenario="base", bots={Role("japan"): "greedy"})


async def a_game(folder: Path, name: str = "a") -> Path:
    path = folder / f"{name}.fplog"
    session = create_game(GAME, path)
    await session.close()
    return path


async def test_rename_keeps_the_game_and_its_companion_files(tmp_path: Path) -> None:
    path = await a_game(tmp_path)
    before = read_log(path)
    path.with_name("a.fplog.uk.orders").write_text("{}")
    new = rename_game(path, " Barbarossa ")
    assert new == tmp_path / "Barbarossa.fplog"
    assert read_log(new).records == before.records
    assert not path.exists()
    assert (tmp_path / "Barbarossa.fplog.uk.orders").exists()


class _PowerError(Exception):
    """The power fails."""


class FailingFiles(Files):
    """Files of a machine whose power fails at an operation on names, counted from 0."""

    def __init__(self, at: int) -> None:
        self._left = at

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _PowerError

    @override
    def rename(self, source: Path, target: Path) -> None:
        self._count()
        super().rename(source, target)

    @override
    def remove(self, path: Path) -> None:
        self._count()
        super().remove(path)


@pytest.mark.parametrize("change", [rename_game, copy_game])
@pytest.mark.parametrize("at", range(6))
async def test_crash_during_rename_or_copy_keeps_notes_with_their_game(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, str], Path],
    at: int,
) -> None:
    path, target = await a_game(tmp_path), tmp_path / "b.fplog"
    before = read_log(path).records
    companions = (".uk.notes", ".uk.orders")
    for suffix in companions:
        path.with_name(path.name + suffix).write_text(f"own {suffix}")
        target.with_name(target.name + suffix).write_text("left by a game that is gone")
    monkeypatch.setattr(save_files, "FILES", FailingFiles(at))
    with suppress(_PowerError):
        change(path, "b")
    monkeypatch.undo()
    games = [one for one in (path, target) if one.exists()]
    assert games
    for game in games:
        assert read_log(game).records == before
        for suffix in companions:
            assert game.with_name(game.name + suffix).read_text() == f"own {suffix}"
    for free in {path, target} - set(games):
        session = create_game(GAME, free)
        await session.close()
        for suffix in companions:
            assert not free.with_name(free.name + suffix).exists()


async def test_new_game_ignores_leftover_notes_under_its_name(tmp_path: Path) -> None:
    left = tmp_path / "a.fplog.germany.notes"
    left.write_text('{"notes": 1, "page": "Build in the Middle East", "places": {}}')
    session = create_game(GAME, tmp_path / "a.fplog")
    assert session.notes is not None
    assert session.notes.page == ""
    await session.close()
    assert not left.exists()
    assert "Middle East" in left.with_name("a.fplog.germany.notes.old").read_text()


async def test_copy_keeps_the_original(tmp_path: Path) -> None:
    path = await a_game(tmp_path)
    assert copy_game(path, "b.fplog").read_bytes() == path.read_bytes()
    assert {saved.path.stem for saved in saved_games(tmp_path)} == {"a", "b"}


async def test_delete_removes_the_game_and_its_lock_file(tmp_path: Path) -> None:
    delete_game(await a_game(tmp_path))
    assert saved_games(tmp_path) == ()
    assert not (tmp_path / "a.fplog.lock").exists()


async def test_export_writes_the_log_as_text(tmp_path: Path) -> None:
    path = await a_game(tmp_path)
    text = export_game(path, tmp_path / "a.txt").read_text()
    assert text.count("\n") > 3
    with pytest.raises(DataError, match="this name already exists"):
        export_game(path, tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["", "  ", "../b", "a/b", ".hidden", "a"])
async def test_invalid_or_taken_name_changes_nothing(tmp_path: Path, name: str) -> None:
    path = await a_game(tmp_path)
    for change in (rename_game, copy_game):
        with pytest.raises(DataError):
            change(path, name)
    assert read_log(path).records


async def test_game_in_progress_is_not_renamed_or_deleted(tmp_path: Path) -> None:
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


async def test_newest_game_is_found(tmp_path: Path) -> None:
    assert newest_game(tmp_path / "none") is None
    await a_game(tmp_path, "old")
    new = await a_game(tmp_path, "new")
    assert newest_game(tmp_path) == new


async def test_save_summary_shows_progress_and_players(tmp_path: Path) -> None:
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
def test_format_age_in_words(seconds: float, words: str) -> None:
    assert format_age(seconds) == words


async def test_joint_match_continues_only_on_its_host(tmp_path: Path) -> None:
    table = Table(QMG, "base", {}, QMG.roles(QMG.initial_state()))
    path = tmp_path / "joint.fplog"
    write_log(path, table.match.header, table.match.records)
    (saved,) = saved_games(tmp_path)
    assert not saved.can_resume
    with pytest.raises(MatchError, match="continue it on its host"):
        resume(path)
