"""Reads untrusted positions. Each error names the problem and the path of the invalid field."""

from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.ids import CHINA_BOX, CardId, HexId, NationId, ScenarioId, Side, UnitId
from engine.eots.invariants import rule_problems, stacking_violations
from engine.eots.position import FORMAT, Position, state_from_position
from engine.eots.position_december import OPENING_CARDS
from engine.eots.position_frames import frame_problems
from engine.eots.position_rules import ended_game_problems
from engine.eots.rulings import RULINGS
from engine.eots.scenarios import scenario
from engine.eots.setup import scenario_infos
from engine.eots.state import HIDDEN, OFF_MAP
from engine.kernel.errors import DataError, PositionError
from engine.kernel.rulings import check_options
from engine.kernel.schema_errors import schema_problem
from engine.kernel.vocabulary import Bounds, Problem, ReferenceChecker, Vocabulary

FILE: Final = "position"
"""File name in error messages about a position that was not read from a file."""
MAX_FILE_BYTES: Final = 4_000_000
"""Maximum size of a position file in bytes. Real files are less than a tenth of this size."""

MAX_LENGTH: Final = 300
"""Maximum length of text quoted from a file, in characters."""
_NUMBERS: Final = Bounds(-99, 999)
"""Bounds for every number in a position."""
_MOST_POINTS: Final = 99
"""Maximum number of Japanese replacement points in a position. During play, the points may exceed this number."""
_IS_HIDDEN: Final = "a position with hidden cards cannot be played; use one that shows all cards"


_decode: Final = msgspec.json.Decoder(Position).decode


def decode_position(text: bytes, name: str) -> Position:
    """Decode the position in a scenario file, without validating it. See :func:`check_position`.

    Args:
        text: The file's content, which must be a single JSON object.
        name: Name of the file, for error messages.

    Raises:
        PositionError: The text is not JSON, or does not match the schema.
    """
    if len(text) > MAX_FILE_BYTES:
        raise PositionError(name, "", f"the file has more than {MAX_FILE_BYTES} bytes")
    try:
        return _decode(text)
    except UnicodeDecodeError as cause:
        raise PositionError(name, "", "the text is not UTF-8") from cause
    except msgspec.DecodeError as cause:  # ValidationError is a subclass of DecodeError
        path, problem = schema_problem(text, _decode, cause)
        field = path.removeprefix("$").removeprefix(".")
        raise PositionError(name, _sanitise(field), _sanitise(problem)) from cause
    except RecursionError as cause:  # msgspec limits the nesting depth
        raise PositionError(name, "", "the text is nested too deeply") from cause


def _sanitise(text: str) -> str:
    """Return text from a file, with control characters replaced and the length limited for safe display."""
    printable_text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return (
        printable_text if len(printable_text) <= MAX_LENGTH else f"{printable_text[:MAX_LENGTH]}..."
    )


def check_position(position: Position) -> None:
    """Validate a position.

    Raises:
        PositionError: The position contains unknown names, or violates a rule that always applies.
    """
    # Each check relies on the checks before it. For example, later checks assume that names are
    # known.
    for check in (
        _header_problems,
        _name_problems,
        rule_problems,
        ended_game_problems,
        frame_problems,
        _stacking_problems,
        _card_problems,
    ):
        problem = next(check(position), None)
        if problem is not None:
            raise PositionError(FILE, *map(_sanitise, problem))


def _header_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with the format, scenario, options and turns."""
    if position.format != FORMAT:
        yield "format", f"format {position.format} is not known; this program reads {FORMAT}"
    if position.game != "eots":
        yield "game", f"'{position.game}' is another game, not 'eots'"
    scenario_ids = [info.id for info in scenario_infos()]
    if position.scenario not in scenario_ids:
        text = ", ".join(scenario_ids)
        yield "scenario", f"there is no playable scenario '{position.scenario}'; known: {text}"
        return  # the checks below look up the scenario
    try:
        check_options(RULINGS, position.options)
    except DataError as error:
        yield f"options.{error.path}", error.problem
    scenario_data = scenario(ScenarioId(position.scenario))
    if not scenario_data.start_turn <= position.turn <= scenario_data.end_turn:
        yield (
            "turn",
            f"turn {position.turn} is outside {scenario_data.start_turn} to {scenario_data.end_turn}",
        )
    if not position.turn <= position.last_turn <= scenario_data.end_turn:
        yield (
            "last_turn",
            f"turn {position.last_turn} is outside {position.turn} to {scenario_data.end_turn}",
        )
    for name in ("japan_air_points", "japan_naval_points"):
        points = getattr(position.tracks, name)
        if points > _MOST_POINTS:
            yield f"tracks.{name}", f"{points} is outside 0 to {_MOST_POINTS}"


@cache
def _reference_checker() -> ReferenceChecker:
    spots = frozenset({*board().hexes, CHINA_BOX, *OFF_MAP})
    names = {
        "spot": Vocabulary("place", spots),
        UnitId: Vocabulary("unit", counters()),
        HexId: Vocabulary("playable hex", board().hexes),
        CardId: Vocabulary("card", cards()),
        NationId: Vocabulary("nation that can surrender", PENALTIES),
    }
    return ReferenceChecker(names, _NUMBERS)


def _name_problems(position: Position) -> Iterator[Problem]:
    """Yield a problem for each unknown name and each number outside its bounds."""
    for path, problem in _reference_checker().problems(position, ""):
        # If the position was saved by a player's program, placeholders stand for cards that the
        # player does not know.
        is_hidden = problem == f"there is no card '{HIDDEN}'"
        yield path, _IS_HIDDEN if is_hidden else problem


def _stacking_problems(position: Position) -> Iterator[Problem]:
    """Yield violations of the control rules (6.5) and of the stacking limits that apply between plays (8.24, 8.34)."""
    for sentence in stacking_violations(state_from_position(position)):
        yield "", sentence


def _card_problems(position: Position) -> Iterator[Problem]:
    """Yield a problem if Japan holds J-2 without an HQ in supply. Japan would have no legal play (17.11)."""
    if OPENING_CARDS[1] in position.decks[Side.JAPAN].hand and not supply(
        state_from_position(position)
    ).supplied_hqs(Side.JAPAN):
        yield "units", f"{OPENING_CARDS[1]} needs a Japanese HQ in supply (17.11)"
