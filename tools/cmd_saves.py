"""``flagplot list`` and ``flagplot resume``: the saved games of this account."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tools.click_commands import CheckedCommand
from tools.completion import complete_saved_games

if TYPE_CHECKING:
    from play.games import SavedGame
    from play.save_summary import SaveSummary

_CELLS = 40
"""Maximum width of a column."""
_PROBLEM_CELLS = 200
_HEADINGS = ("name", "game", "turn", "against", "to move, or result", "played")


@click.command("list", cls=CheckedCommand)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_games(*, as_json: bool) -> None:
    """List your saved games, the latest first.

    `flagplot resume NAME` continues a game, and `flagplot replay NAME` shows it from the beginning.
    """
    from play.games import saved_games
    from saves.folders import games_folder
    from tools.progress_bar import ProgressBar

    folder = games_folder()
    saved = saved_games(folder)
    if not saved and not as_json:
        click.echo(f"There are no saved games in {folder}.")
        return
    with ProgressBar(len(saved), "reading") as progress:
        entries = []
        for game in saved:
            entries.append(_read(game))
            progress.advance(1)
    if as_json:
        import json

        click.echo(json.dumps([_fields(*entry) for entry in entries], indent=2))
        return
    rows = [_HEADINGS, *(_row(game, summary) for game, summary, _ in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    problems = ["", *(problem for _, _, problem in entries)]
    for row, problem in zip(rows, problems, strict=True):
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        if problem:
            cells[1:] = [_problem_text(problem)]
        click.echo("  ".join(cells).rstrip())


@click.command(cls=CheckedCommand)
@click.argument(
    "name", default="", type=click.Path(path_type=str), shell_complete=complete_saved_games
)
@click.option(
    "--plain", is_flag=True, help="Use line mode, for terminals that cannot show screens."
)
def resume(name: str, *, plain: bool) -> int:
    """Continue your latest saved game, or the one with this NAME.

    `flagplot list` prints the names. NAME may also be the path of a record file.
    """
    from tools.cmd_play import resume_record
    from tui.app import launch

    problem = None if plain else launch.terminal_problem()
    path = _saved_game(name)
    from play.games import check_saved_game
    from tui.terminal.startup_screen import StartupScreen

    if problem is not None:  # report a wrong name or file before the unsuitable terminal
        check_saved_game(path)
        raise problem
    with nullcontext() if plain or os.name == "nt" else StartupScreen(None, path) as startup_screen:
        return resume_record(path, None, {}, startup_screen, plain=plain)


def _saved_game(name: str) -> Path:
    """Return the record file that a name or path refers to; for an empty name, the latest saved game.

    Raises:
        DataError: There is no such game. The message suggests similar names.
    """
    from engine.kernel.errors import DataError
    from engine.kernel.lexicon import suggestion
    from play.save_files import find_game, game_names, newest_game
    from saves.folders import games_folder

    folder = games_folder()
    if not name:
        newest = newest_game(folder)
        if newest is None:
            raise DataError(str(folder), "", "there are no saved games yet")
        return newest
    path = find_game(folder, name)
    if path is not None:
        return path
    if Path(name).is_file():
        return Path(name)
    hint = suggestion(Path(name).stem, game_names(folder))
    raise DataError(
        str(folder),
        "",
        f"there is no saved game '{name}'{hint or '; flagplot list prints the names'}",
    )


def _read(saved: "SavedGame") -> "tuple[SavedGame, SaveSummary | None, str]":
    """Return a saved game with its summary. If the file cannot be read, return None and the problem instead."""
    from engine.kernel.errors import FlagplotError
    from play.save_summary import save_summary

    if saved.problem:
        return saved, None, saved.problem
    try:
        return saved, save_summary(saved.path), ""
    except FlagplotError as error:
        return saved, None, str(error)


def _row(saved: "SavedGame", summary: "SaveSummary | None") -> tuple[str, ...]:
    """Return the table row of a saved game. Only the first cell is filled if the file cannot be read."""
    from tui.presenter.presenter import load_presenter
    from tui.presenter.save_lines import opponents_text, status_text
    from tui.terminal.sanitising import sanitise_line

    name = sanitise_line(saved.path.stem, _CELLS)
    if summary is None:
        return (name, *("" for _ in _HEADINGS[1:]))
    presenter = load_presenter(summary.rules)
    cells = (
        summary.rules.game,
        summary.turn,
        opponents_text(summary, presenter) or "-",
        status_text(summary, presenter) or "-",
        saved.age,
    )
    return (name, *(sanitise_line(cell, _CELLS) for cell in cells))


def _problem_text(problem: str) -> str:
    from tui.terminal.sanitising import sanitise_line

    return sanitise_line(f"cannot be read: {problem}", _PROBLEM_CELLS)


def _fields(saved: "SavedGame", summary: "SaveSummary | None", problem: str) -> dict[str, object]:
    """Return a saved game as plain data."""
    import msgspec

    from tui.presenter.presenter import load_presenter
    from tui.presenter.save_lines import opponents_text, outcome_text

    fields: dict[str, object] = {
        "name": saved.path.stem,
        "file": str(saved.path),
        "can_resume": saved.can_resume,
        "problem": problem or None,
    }
    if summary is None or saved.header is None:
        return fields
    presenter = load_presenter(summary.rules)
    outcome = summary.outcome
    return fields | {
        "game": saved.header.game,
        "scenario": saved.header.scenario,
        "match": saved.header.match_id,
        "turn": summary.turn,
        "heading": summary.heading,
        "players": {str(role): player for role, player in summary.players.items()},
        "against": opponents_text(summary, presenter),
        "to_move": [] if outcome is not None else [str(role) for role in summary.roles_to_move],
        "is_your_move": summary.is_own_move,
        "adjourned": summary.is_adjourned,
        "outcome": msgspec.to_builtins(outcome),
        "result": "" if outcome is None else outcome_text(summary, presenter),
        "records": summary.record_count,
    }
