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
        if os.path.lexists(name) or Path(name).name != name:
            return super().convert(value, param, ctx)
        from engine.kernel.lexicon import suggestion
        from play.save_files import find_game, game_names
        from saves.folders import games_folder

        folder = games_folder()
        game = find_game(folder, name)
        hint = suggestion(name, game_names(folder)) if game is None and self.exists else ""
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
