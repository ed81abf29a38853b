"""Well-formed but illegal commands of every kind, for every seat and every kind of question, are all refused (N6)."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset, ruleset
from saves.logfile import LogWriter
from saves.match import Match
from saves.match_replica import LogSink
from tests.saves.play import SECRET, play, step
from tests.sizes import sized

SCENARIOS: Final = {"eots": "1943", "qmg": "total-war", "cbps": "9"}
LEAST: Final = {"eots": 20, "qmg": 20, "cbps": 10}
"""Minimum number of kinds of question in the games of a matrix."""
GAMES = sized(2, 4, 40, of="games that the commands come from")
OF_A_KIND = 20
"""Number of commands of each kind that are tried in each position."""
SWAPS = 60
"""Number of legal commands per position that get an argument from another one."""


class Matrix:
    """One position per kind of question, and commands of every kind that were legal in some position."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.rules: AnyRuleset = ruleset(game)
        self.positions: dict[tuple[str, str], Any] = {}
        self.commands: dict[str, list[Command]] = {}
        self.values: dict[tuple[str, str], list[Any]] = {}
        for seed in range(GAMES):
            match = self.new(secret=bytes([seed]) * 32)
            rng = random.Random(seed)
            while self.rules.active_roles(match.state):
                self._learn(match.state)
                step(match, rng)

    def new(self, log: LogSink | None = None, secret: bytes = SECRET) -> Match[Any]:
        """Return a match of the game after its opening."""
        scenario = SCENARIOS[self.game]
        position = self.rules.position(scenario, {})
        return Match[Any].create(self.rules, position, scenario, {}, (), secret, log)

    def _learn(self, state: Any) -> None:  # noqa: ANN401 - of any game
        for role in self.rules.active_roles(state):
            decision = self.rules.decision(state, role)
            kinds = "+".join(sorted({type(one).__name__ for one in decision.options}))
            if self.positions.setdefault((decision.rule, kinds), state) is not state:
                continue
            for command in decision.options:
                name = type(command).__name__
                self.commands.setdefault(name, []).append(command)
                for field in command.__struct_fields__:
                    self.values.setdefault((name, field), []).append(getattr(command, field))

    def illegal(self, state: Any, rng: random.Random) -> Iterator[tuple[Role, Command]]:  # noqa: ANN401 - of any game
        """Yield illegal commands of every kind for every seat, and illegal variants of legal commands."""
        for role, command in self._tries(state, rng):
            if not self.rules.is_legal(state, role, command):
                yield role, command

    def _tries(self, state: Any, rng: random.Random) -> Iterator[tuple[Role, Command]]:  # noqa: ANN401 - of any game
        for role in self.rules.roles(state):
            for _, commands in sorted(self.commands.items()):
                for command in rng.sample(commands, min(OF_A_KIND, len(commands))):
                    yield role, command
        for role in self.rules.active_roles(state):
            options = self.rules.decision(state, role).options
            for command in rng.sample(options, min(SWAPS, len(options))):
                for field in command.__struct_fields__:
                    other = rng.choice(self.values[type(command).__name__, field])
                    yield role, msgspec.structs.replace(command, **{field: other})


@pytest.fixture(
    scope="module",
    params=["eots", *(pytest.param(game, marks=pytest.mark.full) for game in ("qmg", "cbps"))],
)
def matrix(request: pytest.FixtureRequest) -> Matrix:
    return Matrix(request.param)


@pytest.mark.full
def test_n6_matrix_covers_many_positions_and_most_command_kinds(matrix: Matrix) -> None:
    kinds = {kind.__name__ for kind in get_args(matrix.rules.command_type)}
    assert len(matrix.positions) > LEAST[matrix.game]
    assert len(set(matrix.commands) & kinds) * 2 > len(kinds)


@pytest.mark.full
@pytest.mark.series("N6")
def test_n6_every_illegal_command_is_refused_with_a_reason(matrix: Matrix) -> None:
    rng = random.Random(6)
    refused = 0
    for place, state in sorted(matrix.positions.items(), key=lambda item: item[0]):
        for role, command in matrix.illegal(state, rng):
            with pytest.raises(IllegalCommandError) as caught:
                matrix.rules.decide(state, role, command, DerivedDice(SECRET, 1))
            assert caught.value.refusals, f"{place}: no reason against {command}"
            assert all(str(refusal) for refusal in caught.value.refusals)
            refused += 1
    assert refused > sized(
        20_000, 20_000, of="commands of each title refused by the rules at least"
    )


@pytest.mark.full
@pytest.mark.series("N6")
def test_n6_refused_command_leaves_record_and_state_unchanged(
    tmp_path: Path, matrix: Matrix
) -> None:
    path = tmp_path / "game.fplog"
    match = matrix.new(LogWriter.create(path))
    rng = random.Random(7)
    refused = 0
    for _ in range(12):
        play(match, 8, rng.randrange(99))
        if not matrix.rules.active_roles(match.state):
            break
        before, content, seq = match.state, path.read_bytes(), match.seq
        for role, command in matrix.illegal(before, rng):
            with pytest.raises(IllegalCommandError):
                match.submit(role, command, seq)
            refused += 1
        assert (match.state, match.seq, path.read_bytes()) == (before, seq, content)
    match.close()
    assert refused > sized(300, 1_000, of="commands refused by a match at least")
