"""Read a position from outside and refuse what no game could reach, with one sentence and the path to the field."""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.eots.ids import ScenarioId
from engine.eots.invariants import violations
from engine.eots.position import FORMAT, Position, state_of
from engine.eots.position_frames import frame_problems
from engine.eots.position_references import Problem, problems
from engine.eots.position_tracks import track_problems
from engine.eots.position_units import card_problems, control_problems, unit_problems
from engine.eots.rulings import RULINGS
from engine.eots.scenarios import scenario
from engine.eots.setup import scenario_infos
from engine.kernel.errors import DataError, PositionError
from engine.kernel.rulings import check_options

FILE: Final = "position"
"""Named in errors of positions that come from no file."""
LARGEST: Final = 4_000_000
"""Bytes of a position file; a real one has less than a tenth of it."""

LONGEST: Final = 300
"""Characters of a sentence that quotes the file."""


def decode_position(text: bytes, name: str) -> Position:
    """Return the position that a scenario file holds; :func:`check_position` judges it.

    Args:
        text: Content of the file: one JSON object.
        name: Name of the file for the error.

    Raises:
        PositionError: The text is no JSON, or does not fit the schema.
    """
    if len(text) > LARGEST:
        raise PositionError(name, "", f"the file has more than {LARGEST} bytes")
    try:
        return msgspec.json.decode(text, type=Position)
    except UnicodeDecodeError as cause:
        raise PositionError(name, "", "the text is not UTF-8") from cause
    except msgspec.DecodeError as cause:  # also the parent of ValidationError
        problem, _, field = str(cause).partition(" - at ")
        path = field.strip("`").removeprefix("$").removeprefix(".")
        raise PositionError(name, _plain(path), _plain(problem)) from cause
    except RecursionError as cause:
        raise PositionError(name, "", "the text is nested too deeply") from cause


def _plain(text: str) -> str:
    """Return text from a file as it may be shown: no control characters, no more than a line or two."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}..."


def check_position(position: Position) -> None:
    """Accept a position, or say what is wrong with it.

    Raises:
        PositionError: It names unknown things, or breaks a rule that always holds.
    """
    for check in (_header_problems, _name_problems, _rule_problems, _broken_invariants):
        found = next(check(position), None)
        if found is not None:
            raise PositionError(FILE, *map(_plain, found))


def _header_problems(position: Position) -> Iterator[Problem]:
    """Yield what is wrong with format, scenario, options and turns."""
    if position.format != FORMAT:
        yield "format", f"format {position.format} is not known; this program reads {FORMAT}"
    if position.game != "eots":
        yield "game", f"'{position.game}' is another game than 'eots'"
    known = [info.id for info in scenario_infos()]
    if position.scenario not in known:
        text = ", ".join(known)
        yield "scenario", f"there is no playable scenario '{position.scenario}'; known are {text}"
        return
    try:
        check_options(RULINGS, position.options)
    except DataError as error:
        yield f"options.{error.path}", error.problem
    of = scenario(ScenarioId(position.scenario))
    if not of.start_turn <= position.turn <= of.end_turn:
        yield "turn", f"turn {position.turn} is outside {of.start_turn} to {of.end_turn}"
    if not position.turn <= position.last_turn <= of.end_turn:
        yield (
            "last_turn",
            f"turn {position.last_turn} is outside {position.turn} to {of.end_turn}",
        )


def _name_problems(position: Position) -> Iterator[Problem]:
    """Yield names of nothing."""
    yield from problems(position, "")


def _rule_problems(position: Position) -> Iterator[Problem]:
    """Yield broken rules, part by part."""
    yield from unit_problems(position)
    yield from control_problems(position)
    yield from card_problems(position)
    yield from track_problems(position)
    yield from frame_problems(position)


def _broken_invariants(position: Position) -> Iterator[Problem]:
    """Yield what must hold in every position, stacking between plays included (8.24, 8.34, 6.5)."""
    for sentence in violations(state_of(position)):
        yield "", sentence
