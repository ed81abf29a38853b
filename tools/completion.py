"""Completes games, scenarios, seats, bots, rule switches and saved games when the player presses Tab in the shell.

The shell starts the program for each completion, so everything is imported only when it is needed. An unknown game or
an unreadable file yields no completions.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from engine.kernel.ruleset import ScenarioInfo
    from engine.registry import AnyRuleset

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
_Choices: TypeAlias = Callable[[click.Context, str], Iterable[tuple[str, str]]]
"""Yields words and their descriptions for a command line and the beginning of a word."""
_DEFAULT_GAME: Final = "eots"


def _completer(choices: _Choices) -> Completer:
    """Return a completer that offers the choices which begin with the typed text."""

    def complete(
        context: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        from engine.kernel.errors import FlagplotError

        del param
        try:
            return [
                CompletionItem(word, help=text or None)
                for word, text in choices(context, incomplete)
                if word.startswith(incomplete)
            ]
        except (FlagplotError, OSError):
            return []

    return complete


def _first_argument(context: click.Context, name: str) -> str:
    """Return the value of the command's first argument; empty if there is none.

    Click leaves the arguments unparsed if the word being completed is the value of an option.
    """
    return str(context.args[0] if context.args else context.params.get(name) or "")


def _game(context: click.Context) -> str:
    """Return the game on the command line, or the default game."""
    return _first_argument(context, "game") or _DEFAULT_GAME


def _rules(context: click.Context) -> "AnyRuleset":
    """Return the rules of the game on the command line, or of the default game."""
    from engine.registry import ruleset

    return ruleset(_game(context))


def _games(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    del context
    from engine.registry import games, ruleset

    for game in games():
        if game.startswith(incomplete):
            yield game, ruleset(game).title


def _scenarios(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    del incomplete
    yield from ((info.id, info.name) for info in _rules(context).scenarios())


def _games_or_scenarios(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    yield from _games(context, incomplete)
    from engine.registry import ruleset

    yield from ((info.id, info.name) for info in ruleset(_DEFAULT_GAME).scenarios())


def _scenario_info(context: click.Context) -> "ScenarioInfo":
    """Return the scenario on the command line under the options there."""
    rules = _rules(context)
    pairs = (text.partition("=") for text in context.params.get("options") or ())
    options = {name: value for name, _, value in pairs if value}
    scenario = context.params.get("scenario") or rules.default_scenario()
    return rules.scenario_info(scenario, options)


def _seats(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    del incomplete
    titles = _rules(context).role_titles
    yield from ((role, titles.get(role, "")) for role in _scenario_info(context).roles)


def _bots(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    del incomplete
    from engine.bots.registry import bots_by_strength, level_description

    for bot in bots_by_strength(_game(context)):
        yield bot, level_description(bot)


def _seat_bots(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield every ``ROLE=BOT``."""
    for role, _ in _seats(context, incomplete):
        for bot, text in _bots(context, incomplete):
            yield f"{role}={bot}", text


def _bots_or_seat_bots(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    yield from _bots(context, incomplete)
    yield from _seat_bots(context, incomplete)


def _switches(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield every ``NAME=VALUE`` of the game's rulings."""
    del incomplete
    for ruling in _rules(context).options():
        yield from ((f"{ruling.id}={value}", ruling.question) for value in ruling.values)


def _paragraphs(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    del incomplete
    from engine.registry import reference

    rules = reference(_game(context))
    for number in rules.numbers():
        paragraph = rules.paragraph(number)
        yield number, paragraph.title if paragraph is not None else ""


def _saved_games(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    del context, incomplete
    from play.save_files import game_names
    from saves.folders import games_folder

    yield from ((name, "") for name in game_names(games_folder()))


def _record_seats(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the roles of the record on the command line."""
    del incomplete
    from play.save_files import find_game
    from saves.folders import games_folder
    from saves.logfile import read_header

    file = _first_argument(context, "file")
    if file:
        is_path = Path(file).exists() or Path(file).name != file
        path = (None if is_path else find_game(games_folder(), file)) or Path(file)
        yield from ((seat.role, seat.player) for seat in read_header(path).seats)


complete_games = _completer(_games)
complete_scenarios = _completer(_scenarios)
complete_games_or_scenarios = _completer(_games_or_scenarios)
complete_seats = _completer(_seats)
complete_bots = _completer(_bots)
complete_seat_bots = _completer(_seat_bots)
complete_bots_or_seat_bots = _completer(_bots_or_seat_bots)
complete_switches = _completer(_switches)
complete_paragraphs = _completer(_paragraphs)
complete_saved_games = _completer(_saved_games)
complete_record_seats = _completer(_record_seats)
