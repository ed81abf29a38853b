"""The registry of games. Only this module refers to every ruleset."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError
from engine.kernel.lexicon import suggestion_or_list
from engine.kernel.reference import Reference, load_reference
from engine.kernel.ruleset import Ruleset
from engine.scripts.words import ScriptWords

AnyRuleset: TypeAlias = Ruleset[Any, Any, Any, Any, Any]
"""A ruleset whose command, event and state types are unknown to the caller."""
AnyState: TypeAlias = Any
"""A state that the caller only passes on to its game's rules."""


class Game(NamedTuple):
    """Import paths of a game's parts, as ``module:name``. Each part is loaded on first use."""

    ruleset: str
    script_words: str
    """What the game adds to the script language."""
    position_decoder: str
    """The function that decodes the game's scenario files."""
    reference: str
    """The package that contains the game's rules reference and tutorial."""
    bots: Mapping[str, str]
    """The game's own bots by name, the default first.

    Each path names a class or function that takes the bot's dice.
    """
    cards: str = ""
    """The function that yields the game's cards or charts as paragraphs; empty if the reference lists them."""


# Paths are used, so that playing one game does not load the others.
_GAMES: Final[dict[str, Game]] = {
    "cbps": Game(
        ruleset="engine.cbps.ruleset:CBPS",
        script_words="engine.cbps.scripting.words:CBPS_WORDS",
        position_decoder="engine.cbps.position_checks.checks:decode_position",
        reference="engine.cbps",
        bots={
            "greedy": "engine.bots.greedy_cbps:GreedyCbps",
            "easy": "engine.bots.easy_cbps:EasyCbps",
            "strong": "engine.bots.strong_cbps:StrongCbps",
        },
        cards="engine.cbps.charts_reference:chart_paragraphs",
    ),
    "eots": Game(
        ruleset="engine.eots.ruleset:EOTS",
        script_words="engine.eots.scripting:EOTS_WORDS",
        position_decoder="engine.eots.position_checks:decode_position",
        reference="engine.eots",
        bots={
            "greedy": "engine.bots.greedy_eots:GreedyEots",
            "easy": "engine.bots.easy_eots:EasyEots",
            "strong": "engine.bots.strong_eots:StrongEots",
        },
    ),
    "qmg": Game(
        ruleset="engine.qmg.ruleset:QMG",
        script_words="engine.qmg.scripting:QMG_WORDS",
        position_decoder="engine.qmg.position_checks:decode_position",
        reference="engine.qmg",
        bots={
            "greedy": "engine.bots.greedy_qmg:GreedyQmg",
            "easy": "engine.bots.easy_qmg:EasyQmg",
            "strong": "engine.bots.strong_qmg:StrongQmg",
        },
        cards="engine.qmg.cards_reference:card_paragraphs",
    ),
}


def games() -> tuple[str, ...]:
    """Return the ids of all games in alphabetical order, without loading any."""
    return tuple(sorted(_GAMES))


def ruleset(game: str) -> AnyRuleset:
    """Return a game's rules, loading them on the first call.

    Raises:
        DataError: There is no such game.
    """
    rules: AnyRuleset = _import_object(_game_entry(game).ruleset)
    return rules


def script_words(game: str) -> ScriptWords[Any]:
    """Return the words that a game adds to the script language.

    Raises:
        DataError: There is no such game.
    """
    words: ScriptWords[Any] = _import_object(_game_entry(game).script_words)
    return words


def position_decoder(game: str) -> Callable[[bytes, str], Any]:
    """Return a game's decoder, which takes the text and the name of a scenario file and returns a position.

    Raises:
        DataError: There is no such game.
    """
    decoder: Callable[[bytes, str], Any] = _import_object(_game_entry(game).position_decoder)
    return decoder


@cache
def reference(game: str) -> Reference:
    """Return a game's rules reference, which is read only once.

    Raises:
        DataError: There is no such game.
    """
    entry = _game_entry(game)
    return load_reference(entry.reference, _import_object(entry.cards)() if entry.cards else ())


def tutorial(game: str) -> Path:
    """Return the path to the annotated record of a game's first turns. Its script is in the same folder.

    Raises:
        DataError: There is no such game.
    """
    return Path(str(files(_game_entry(game).reference).joinpath("data", "tutorial.fplog")))


def lesson(game: str) -> Path:
    """Return the path to the script of a game's guided lesson.

    Raises:
        DataError: There is no such game.
    """
    return Path(str(files(_game_entry(game).reference).joinpath("data", "lesson.script")))


def bots(game: str) -> tuple[str, ...]:
    """Return the names of a game's own bots, the default first; empty if the game is unknown."""
    return tuple(_GAMES[game].bots) if game in _GAMES else ()


def bot_maker(game: str, name: str) -> Callable[[DerivedDice], Any]:
    """Return the function or class that creates a bot when called with its dice. The game and the bot must exist."""
    maker: Callable[[DerivedDice], Any] = _import_object(_GAMES[game].bots[name])
    return maker


def _game_entry(game: str) -> Game:
    entry = _GAMES.get(game)
    if entry is None:
        raise DataError("game", "", f"there is no game '{game}'{suggestion_or_list(game, games())}")
    return entry


def _import_object(place: str) -> Any:  # noqa: ANN401  # an attribute of any type
    module, name = place.split(":")
    return getattr(import_module(module), name)
