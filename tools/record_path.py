"""The command-line type for records: a path, or the name of one of the player's saved games."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from typing_extensions import override

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class RecordPath(click.Path):
    """A record file, or the name of a saved game as printed by ``flagplot list``. An existing path comes first."""

    def __init__(self, *, exists: bool = True, dir_okay: bool = False) -> None:
        """Create the type.

        Args:
            exists: True to refuse a path at which there is nothing.
            dir_okay: True to accept folders.
        """
        super().__init__(exists=exists, dir_okay=dir_okay, path_type=Path)

    @override
    def convert(
        self,
        value: "str | os.PathLike[str]",
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> "str | bytes | os.PathLike[str]":
        """Return the path of the record file.

        Raises:
            BadParameter: There is neither such a file nor such a game. The message suggests similar names.
        """
        name = os.fspath(value)
        game = saved_game_path(name)
        if game is None and self.exists and _may_be_a_game(name):
            from engine.kernel.lexicon import suggestion
            from play.save_files import game_names
            from saves.folders import games_folder

            hint = suggestion(name, game_names(games_folder()))
            if hint:
                self.fail(f"There is no file or saved game '{name}'{hint}", param, ctx)
        return super().convert(game or value, param, ctx)

    @override
    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Return the matching saved games or, if there are none, let the shell complete the path."""
        from tools.completion import complete_saved_games

        return complete_saved_games(ctx, param, incomplete) or super().shell_complete(
            ctx, param, incomplete
        )


def saved_game_path(name: str) -> Path | None:
    """Return the record file of the saved game with this name; None if there is no such game, or if it is a path."""
    if not _may_be_a_game(name):
        return None
    from play.save_files import find_game
    from saves.folders import games_folder

    return find_game(games_folder(), name)


def _may_be_a_game(name: str) -> bool:
    return not os.path.lexists(name) and Path(name).name == name
