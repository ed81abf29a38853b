"""``flagplot script``: run scripts of positions, dice, commands and expectations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from engine.kernel.text_bytes import EncodingError, utf_8
from engine.registry import games, ruleset, script_words
from engine.scripts.script import ScriptError, ScriptResult, game_of, run_script
from engine.scripts.words import WORDS
from netplay.wire.sanitising import clean
from saves.files import read_file
from tools.parameters import Command

_SENTENCE = 2000
_LARGEST = 4 << 20
"""Bytes of a script file."""


def run_file(path: Path) -> ScriptResult:
    """Run one script file; scenario files that it names are looked for beside it.

    Raises:
        ScriptFailure: The first line that does not hold.
        ScriptError: The file cannot be read, or the first line that is none.
    """
    try:
        text = utf_8(read_file(path, _LARGEST)).decode()
    except OSError as error:
        raise ScriptError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ScriptError(str(path), "", "cannot be read: this is not text") from error
    except EncodingError as error:
        raise ScriptError(str(path), "", f"cannot be read: {error}") from error
    game = game_of(text, str(path))
    return run_script(ruleset(game), script_words(game), text, str(path), *_readers(path, game))


def _readers(script: Path, game: str) -> tuple[Callable[[str], Any], Callable[[str], bytes]]:
    """Return what reads scenario files and data beside a script."""
    from tools.owndata import read_data
    from tools.positions import load_position

    return (
        lambda name: load_position(script.parent / name, game).position,
        lambda name: read_data(script.parent / name),
    )


_EPILOG = """\b
Exit codes:
    0  every script ran to its end
    1  a line of a script does not hold; the first one of each file is named
    3  a file, or a line of it, cannot be read
"""


@click.command(cls=Command, epilog=_EPILOG)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--log", is_flag=True, help="Print the sentences of the log too, up to a line that fails."
)
@click.option(
    "--words",
    is_flag=True,
    help="Print the language, all of it or for the games named, instead of running anything.",
)
def script(files: tuple[Path, ...], *, log: bool, words: bool) -> int:
    """Run script FILEs: positions, scripted dice, commands and what must be true after them."""
    if words:
        _print_words(tuple(map(str, files)))
        return 0
    if not files:
        raise click.UsageError("Name at least one script.")
    worst = 0
    for path in files:
        try:
            result = run_file(path)
        except ScriptError as error:
            _print_log(error.said, wanted=log)
            click.echo(f"FAILED {clean(str(error), _SENTENCE)}", err=True)
            worst = max(worst, error.exit_code)
            continue
        _print_log(result.said, wanted=log)
        click.echo(f"OK {path}: {result.commands} commands, {result.expectations} expectations")
    return worst


def _print_log(said: tuple[str, ...], *, wanted: bool) -> None:
    for sentence in said if wanted else ():
        click.echo(f"  {clean(sentence, _SENTENCE)}")


def _print_words(chosen: tuple[str, ...]) -> None:
    """Print the language, with the words, commands, questions and names of every game or of the chosen ones."""
    games_shown = {game: script_words(game) for game in chosen or games()}
    for form, meaning in WORDS:
        click.echo(f"{form}\n    {meaning}")
    for game, words in games_shown.items():
        click.echo(f"\n[{game}: position and expectations]")
        for form, meaning in words.words:
            click.echo(f"{form}\n    {meaning}")
        click.echo(f"\n[{game}: commands]")
        for row in command_rows(game):
            click.echo(f"{row.form}\n    {row.summary}\n    asked by {row.rules}; {row.example}")
        click.echo(f"\n[{game}: rules that ask]")
        for asked in words.asks:
            click.echo(f"{asked.rule:<8}{asked.question}\n        {asked.verbs}")
        click.echo(f"\n[{game}: options, the default first]")
        for one in ruleset(game).options():
            click.echo(f"{one.id}\n    {one.text}")
            for value, reading in one.words.items():
                click.echo(f"    {value}: {reading}")
        for kind, names in words.lexicon().kinds():
            click.echo(f"\n[{game}: {kind}]\n{' '.join(names)}")


class CommandRow(msgspec.Struct, frozen=True):
    """A command of a game as the documentation and ``--words`` tell it."""

    form: str
    summary: str
    rules: str
    """Rules that ask for it, ``any`` for what may be given at any time."""
    example: str


def command_rows(game: str) -> tuple[CommandRow, ...]:
    """Return every command of a game in alphabetical order."""
    words = script_words(game)
    return tuple(
        CommandRow(
            " ".join([verb.word, *(name.upper() for name in verb.fields)]),
            verb.summary,
            ", ".join(one.rule for one in words.asks if verb.word in one.verbs.split()) or "any",
            words.examples[verb.word],
        )
        for verb in ruleset(game).notation.verbs()
    )
