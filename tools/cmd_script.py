"""``flagplot script``: run scripts of positions, dice, commands and expectations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from engine.kernel.scripting import WORDS, ScriptError, ScriptResult, game_of, run_script
from engine.registry import games, ruleset, script_words
from netplay.cleaning import clean

_SENTENCE = 2000


def run_file(path: Path) -> ScriptResult:
    """Run one script file; scenario files that it names are looked for beside it.

    Raises:
        ScriptFailure: The first line that does not hold.
        ScriptError: The file cannot be read, or the first line that is none.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ScriptError(str(path), "", "cannot be read: this is no text") from error
    game = game_of(text, str(path))
    return run_script(ruleset(game), script_words(game), text, str(path), _reader(path, game))


def _reader(script: Path, game: str) -> Callable[[str], Any]:
    from tools.positions import load_position

    return lambda name: load_position(script.parent / name, game).position


_EPILOG = """\b
Exit codes:
    0  every script ran to its end
    1  a line of a script does not hold; the first one of each file is named
    3  a file, or a line of it, cannot be read
"""


@click.command(epilog=_EPILOG)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--log", is_flag=True, help="Print the sentences of the log too.")
@click.option("--words", is_flag=True, help="Print the language instead of running anything.")
def script(files: tuple[Path, ...], *, log: bool, words: bool) -> int:
    """Run script FILEs: positions, scripted dice, commands and what must be true after them."""
    if words:
        _print_words()
        return 0
    if not files:
        raise click.UsageError("Name at least one script.")
    worst = 0
    for path in files:
        try:
            result = run_file(path)
        except ScriptError as error:
            click.echo(f"FAILED {clean(str(error), _SENTENCE)}", err=True)
            worst = max(worst, error.exit_code)
            continue
        for sentence in result.said if log else ():
            click.echo(f"  {clean(sentence, _SENTENCE)}")
        click.echo(f"OK {path}: {result.commands} commands, {result.expectations} expectations")
    return worst


def _print_words() -> None:
    for form, meaning in WORDS:
        click.echo(f"{form}\n    {meaning}")
    for game in games():
        click.echo(f"\n[{game}]")
        for form, meaning in script_words(game).words():
            click.echo(f"{form}\n    {meaning}")
