"""Well-formed but illegal commands: every kind, every seat, every kind of question; all refused (N6)."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.codec import AnyGame
from saves.logfile import LogWriter
from saves.match import Match
from tests.saves.play import SECRET, new_eots, play, step
from tests.sizes import sized

RULES: AnyGame = EOTS
ROLES = tuple(Role(side) for side in Side)
GAMES = sized(2, 4, 40, of="games that the commands come from")
OF_A_KIND = 20
"""Commands of each kind that are tried in each position."""
SWAPS = 60
"""Legal commands of each position that get an argument from elsewhere."""


class Matrix:
    """One position per kind of question, and commands of every kind that were legal somewhere."""

    def __init__(self) -> None:
        self.positions: dict[tuple[str, str], State] = {}
        self.commands: dict[str, list[Command]] = {}
        self.values: dict[tuple[str, str], list[Any]] = {}
        for seed in range(GAMES):
            match = new_eots(secret=bytes([seed]) * 32)
            rng = random.Random(seed)
            while RULES.asked(match.state):
                self._learn(match.state, rng)
                step(match, rng)

    def _learn(self, state: State, rng: random.Random) -> None:
        for role in RULES.asked(state):
            decision = RULES.decision(state, role)
            kinds = "+".join(sorted({type(one).__name__ for one in decision.options}))
            if self.positions.setdefault((decision.rule, kinds), state) is not state:
                continue
            for command in decision.options:
                name = type(command).__name__
                self.commands.setdefault(name, []).append(command)
                for field in command.__struct_fields__:
                    self.values.setdefault((name, field), []).append(getattr(command, field))

    def tries(self, state: State, rng: random.Random) -> Iterator[tuple[Role, Command]]:
        """Yield commands of every kind for every seat, and legal ones with one argument changed."""
        for role in ROLES:
            for _, commands in sorted(self.commands.items()):
                for command in rng.sample(commands, min(OF_A_KIND, len(commands))):
                    yield role, command
        for role in RULES.asked(state):
            options = RULES.decision(state, role).options
            for command in rng.sample(options, min(SWAPS, len(options))):
                for field in command.__struct_fields__:
                    other = rng.choice(self.values[type(command).__name__, field])
                    yield role, msgspec.structs.replace(command, **{field: other})


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return Matrix()


@pytest.mark.full
def test_n6_the_matrix_is_wide(matrix: Matrix) -> None:
    kinds = {kind.__name__ for kind in get_args(EOTS.command_type)}
    assert len(matrix.positions) > sized(20, 30)
    assert len(set(matrix.commands) & kinds) * 2 > len(kinds)


@pytest.mark.full
@pytest.mark.campaign("N6")
def test_n6_every_illegal_command_is_refused_with_a_reason(matrix: Matrix) -> None:
    rng = random.Random(6)
    refused = 0
    for place, state in sorted(matrix.positions.items(), key=lambda item: item[0]):
        legal = {role: RULES.legal(state, role) for role in RULES.asked(state)}
        for role, command in matrix.tries(state, rng):
            if command in legal.get(role, ()):
                continue
            with pytest.raises(IllegalCommandError) as caught:
                RULES.decide(state, role, command, DerivedDice(SECRET, 1))
            assert caught.value.refusals, f"{place}: no reason against {command}"
            assert all(str(refusal) for refusal in caught.value.refusals)
            refused += 1
    assert refused > sized(2_000, 6_000, of="commands refused by the rules at least")


@pytest.mark.campaign("N6")
def test_n6_a_refused_command_leaves_record_and_state_alone(tmp_path: Path, matrix: Matrix) -> None:
    path = tmp_path / "game.fplog"
    match: Match[State] = new_eots(LogWriter.create(path))
    rng = random.Random(7)
    refused = 0
    for _ in range(12):
        play(match, 8, rng.randrange(99))
        if not RULES.asked(match.state):
            break
        before, content, seq = match.state, path.read_bytes(), match.seq
        legal = {role: RULES.legal(before, role) for role in RULES.asked(before)}
        for role, command in matrix.tries(before, rng):
            if command not in legal.get(role, ()):
                with pytest.raises(IllegalCommandError):
                    match.submit(role, command, seq)
                refused += 1
        assert (match.state, match.seq, path.read_bytes()) == (before, seq, content)
    match.close()
    assert refused > sized(300, 1_000, of="commands refused by a match at least")
