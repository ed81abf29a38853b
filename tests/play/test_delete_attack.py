"""Deleting or renaming a saved game leaves the other games in the folder alone."""

from pathlib import Path

from play.save_files import copy_game, delete_game, rename_game
from saves.logfile import write_log
from tests.saves.play import new_match


def saved(path: Path) -> Path:
    match = new_match()
    write_log(path, match.header, match.records)
    return path


def test_deleting_a_game_keeps_games_with_similar_names(tmp_path: Path) -> None:
    duel = saved(tmp_path / "duel.fplog")
    copy = copy_game(duel, "duel.fplog.turn-5")
    backup = tmp_path / "duel.fplog.bak"
    backup.write_bytes(duel.read_bytes())
    delete_game(duel)
    assert copy.exists(), sorted(path.name for path in tmp_path.iterdir())
    assert backup.exists(), sorted(path.name for path in tmp_path.iterdir())


def test_renaming_a_game_keeps_games_with_similar_names(tmp_path: Path) -> None:
    duel = saved(tmp_path / "duel.fplog")
    copy = copy_game(duel, "duel.fplog.turn-5")
    rename_game(duel, "rivals")
    assert copy.exists(), sorted(path.name for path in tmp_path.iterdir())
