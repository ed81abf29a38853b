"""All games of the program; the only place that knows every ruleset."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeAlias

from engine.kernel.errors import DataError
from engine.kernel.ruleset import Ruleset
from engine.scripts.words import ScriptWords

AnyRuleset: TypeAlias = Ruleset[Any, Any, Any, Any, Any]
"""A ruleset whose vocabularies the caller does not need to know."""

_GAMES: Final = {
    "eots": "engine.eots.ruleset:EOTS",
    "qmg": "engine.qmg.ruleset:QMG",
}

_WORDS: Final = {
    "eots": "engine.eots.scripting:EOTS_WORDS",
    "qmg": "engine.qmg.scripting:QMG_WORDS",
}
"""What each game adds to the script language."""


_POSITIONS: Final = {
    "eots": "engine.eots.position_checks:decode_position",
    "qmg": "engine.qmg.position_checks:decode_position",
}
"""What reads the scenario files of each game."""


def games() -> tuple[str, ...]:
    """Return the ids of all games in alphabetical order; loads none of them."""
    return tuple(sorted(_GAMES))


def ruleset(game: str) -> AnyRuleset:
    """Return the rules of a game, loading them at the first call.

    Raises:
        DataError: There is no such game.
    """
    place = _GAMES.get(game)
    if place is None:
        raise DataError("game", "", f"there is no game '{game}'; known: {', '.join(games())}")
    module, name = place.split(":")
    found: AnyRuleset = getattr(import_module(module), name)
    return found


def script_words(game: str) -> ScriptWords[Any]:
    """Return what a game adds to the script language.

    Raises:
        DataError: There is no such game.
    """
    if game not in _WORDS:
        raise DataError("game", "", f"there is no game '{game}'; known: {', '.join(games())}")
    module, name = _WORDS[game].split(":")
    found: ScriptWords[Any] = getattr(import_module(module), name)
    return found


def position_decoder(game: str) -> Callable[[bytes, str], Any]:
    """Return what turns the text of a scenario file and the file's name into a position of a game.

    Raises:
        DataError: There is no such game.
    """
    if game not in _POSITIONS:
        raise DataError("game", "", f"there is no game '{game}'; known: {', '.join(games())}")
    module, name = _POSITIONS[game].split(":")
    found: Callable[[bytes, str], Any] = getattr(import_module(module), name)
    return found
