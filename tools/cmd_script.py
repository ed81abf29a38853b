"""``flagplot script``: run scripts that set up positions, fix dice, give commands and check expectations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from engine.kernel.text_bytes import EncodingError, strip_bom
from engine.registry import games, ruleset, script_words
from engine.scripts.script import ScriptError, ScriptResult, game_name, run_script
from engine.scripts.words import COMMON_FORMS
from netplay.wire.sanitising import sanitise
from saves.files import read_file
from tools.click_commands import CheckedCommand

_MAX_SENTENCE_CELLS = 2000
_MAX_BYTES = 4 << 20
"""Maximum size of a script file in bytes."""


def run_file(path: Path) -> ScriptResult:
    """Run one script file. Scenario files named in the script are read from the script's folder.

    Raises:
        ScriptFailure: An expectation fails. The first failure is reported.
        ScriptError: The file cannot be read, or a line is invalid. The first invalid line is reported.
    """
    try:
        text = strip_bom(read_file(path, _MAX_BYTES)).decode()
    except OSError as error:
        raise ScriptError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ScriptError(str(path), "", "cannot be read: this is not text") from error
    except EncodingError as error:
        raise ScriptError(str(path), "", f"cannot be read: {error}") from error
    game = game_name(text, str(path))
    return run_script(ruleset(game), script_words(game), text, str(path), *_readers(path, game))


def _readers(script: Path, game: str) -> tuple[Callable[[str], Any], Callable[[str], bytes]]:
    """Return functions that read the scenario files and data files next to a script."""
    from tools.custom_data import read_data
    from tools.scenario_files import load_position

    return (
        lambda name: load_position(script.parent / name, game).position,
        lambda name: read_data(script.parent / name),
    )


_EPILOG = """\b
Exit codes:
    0  all scripts passed
    1  a line failed; the first one of each file is printed
    3  a file or a line is invalid
"""


@click.command(cls=CheckedCommand, epilog=_EPILOG)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--log", is_flag=True, help="Also print the game log, up to a line that fails.")
@click.option(
    "--words",
    is_flag=True,
    help="Print the script language of all games, or of those given instead of FILE.",
)
def script(files: tuple[Path, ...], *, log: bool, words: bool) -> int:
    """Run script FILEs, which contain positions, dice, commands and expected results."""
    if words:
        _print_words(tuple(map(str, files)))
        return 0
    if not files:
        raise click.UsageError("Name at least one script.")
    exit_code = 0
    for path in files:
        try:
            result = run_file(path)
        except ScriptError as error:
            _print_log(error.log, wanted=log)
            click.echo(f"FAILED {sanitise(str(error), _MAX_SENTENCE_CELLS)}", err=True)
            exit_code = max(exit_code, error.exit_code)
            continue
        _print_log(result.log, wanted=log)
        click.echo(f"OK {path}: {result.commands} commands, {result.expectations} expectations")
    return exit_code


def _print_log(sentences: tuple[str, ...], *, wanted: bool) -> None:
    for sentence in sentences if wanted else ():
        click.echo(f"  {sanitise(sentence, _MAX_SENTENCE_CELLS)}")


def _print_words(chosen: tuple[str, ...]) -> None:
    """Print the script language, with the words, commands, decisions and names of the given games, or of all games."""
    games_shown = {game: script_words(game) for game in chosen or games()}
    for form, meaning in COMMON_FORMS:
        click.echo(f"{form}\n    {meaning}")
    for game, words in games_shown.items():
        click.echo(f"\n[{game}: position and expectations]")
        for form, meaning in words.forms:
            click.echo(f"{form}\n    {meaning}")
        click.echo(f"\n[{game}: commands]")
        for row in command_rows(game):
            click.echo(f"{row.form}\n    {row.summary}\n    asked by {row.rules}; {row.example}")
        click.echo(f"\n[{game}: rules that ask for decisions]")
        for rule in words.decision_rules:
            click.echo(f"{rule.rule:<8}{rule.question}\n        {rule.verbs}")
        click.echo(f"\n[{game}: options, the default first]")
        for option in ruleset(game).options():
            click.echo(f"{option.id}\n    {option.text}")
            for value, answer_text in option.answers.items():
                click.echo(f"    {value}: {answer_text}")
        for kind, names in words.lexicon().kinds():
            click.echo(f"\n[{game}: {kind}]\n{' '.join(names)}")


class CommandRow(msgspec.Struct, frozen=True):
    """A game's command, as shown in the documentation and by ``--words``."""

    form: str
    summary: str
    rules: str
    """Rules whose decisions offer the command; ``any`` if the command can be given at any time."""
    example: str


def command_rows(game: str) -> tuple[CommandRow, ...]:
    """Return all commands of a game in alphabetical order."""
    words = script_words(game)
    return tuple(
        CommandRow(
            " ".join([verb.word, *(name.upper() for name in verb.fields)]),
            verb.summary,
            ", ".join(rule.rule for rule in words.decision_rules if verb.word in rule.verbs.split())
            or "any",
            words.examples[verb.word],
        )
        for verb in ruleset(game).notation.verbs()
    )
