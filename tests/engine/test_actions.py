"""Checks, lists and reasons agree in positions of golden games, for offered commands and for others."""

import random
from functools import cache
from typing import Any, NamedTuple

import msgspec
import pytest

from engine.kernel.framed import FramedRuleset
from engine.kernel.ids import Role
from engine.kernel.machine import DecisionHandler, Handler
from engine.kernel.ruleset import Command
from engine.registry import ruleset
from tests.engine.actions import check_actions
from tests.golden_games.corpus import pins, positions, read
from tests.sizes import sized

NO_NAMES = ("nobody", "eliminated", "china-box", "intrinsic", "9999")
"""Texts that are not names, or not names of anything on the board."""
GAMES = ("eots", "qmg", "cbps")
"""Games whose handlers are questions."""
RECORDS = sized(2, 10, 72)
"""Number of golden games per game that are examined, spread over all."""
POSITIONS = sized(4, 10, 20)
"""Number of positions of each kind of frame."""
FOREIGN = 60


class Asked(NamedTuple):
    """A position in which a role is asked."""

    handler: Handler[Any, Any, Any, Any, Any]
    state: Any
    role: str


@cache
def asked(game: str) -> dict[str, list[Asked]]:
    """Return positions by question, drawn from all parts of the games."""
    rules = ruleset(game)
    assert isinstance(rules, FramedRuleset)
    chance, seen = random.Random(0), dict[str, int]()
    kept: dict[str, list[Asked]] = {}
    names = [name for name in sorted(pins()) if name.startswith(game)]
    for name in names[:: max(1, len(names) // RECORDS)]:
        for _, state in positions(rules, read(name)[1]):
            for role in rules.active_roles(state):
                handler = rules.machine.handler(state.frames[-1])
                if not isinstance(handler, DecisionHandler):
                    continue
                kind = type(handler).__name__
                row, count = kept.setdefault(kind, []), seen.get(kind, 0)
                seen[kind] = count + 1
                if len(row) < POSITIONS:
                    row.append(Asked(handler, state, role))
                elif (at := chance.randrange(count + 1)) < POSITIONS:
                    row[at] = Asked(handler, state, role)
    return kept


@cache
def offered(game: str) -> tuple[Command, ...]:
    """Return commands of every kind that were options in some position."""
    chance = random.Random(1)
    found: dict[Command, None] = {}
    for handler, state, role in (each for row in asked(game).values() for each in row):
        options = handler.decision(state, state.frames[-1], role).options
        found.update(dict.fromkeys(chance.sample(options, min(20, len(options)))))
    return tuple(found)


def variants(command: Command, others: tuple[Command, ...], chance: random.Random) -> list[Command]:
    """Return a command with each field in turn replaced by that of another command."""
    found = []
    for field in command.__struct_fields__:
        values = [getattr(each, field) for each in others if field in each.__struct_fields__]
        found += [
            msgspec.structs.replace(command, **{field: value})
            for value in chance.sample(values, min(2, len(values)))
            if type(value) is type(getattr(command, field))
        ]
    return found


def strange(command: Command) -> list[Command]:
    """Return variants of a command with an unknown name in each field that takes a name."""
    return [
        msgspec.structs.replace(command, **{field: name})
        for field in command.__struct_fields__
        if type(getattr(command, field)) is str
        for name in NO_NAMES
    ]


@pytest.mark.parametrize("game", GAMES)
def test_unknown_names_are_refused_with_an_explanation(game: str) -> None:
    rules, kinds = ruleset(game), {type(each): each for each in offered(game)}
    for _, state, role in (row[0] for row in asked(game).values()):
        options = set(rules.decision(state, Role(role)).options)
        for command in (each for example in kinds.values() for each in strange(example)):
            is_legal = rules.is_legal(state, Role(role), command)
            assert is_legal is (command in options)
            assert bool(rules.why_not(state, Role(role), command)) is not is_legal


@pytest.mark.parametrize("game", GAMES)
def test_options_are_exactly_the_legal_commands(game: str) -> None:
    rules, chance, others = ruleset(game), random.Random(2), offered(game)
    assert isinstance(rules, FramedRuleset)
    for handler, state, role in (each for row in asked(game).values() for each in row):
        options = handler.decision(state, state.frames[-1], role).options
        foreign = chance.sample(others, min(FOREIGN, len(others)))
        for command in chance.sample(options, min(8, len(options))):
            foreign += variants(command, others, chance)
        # Invalid names are refused before any rule looks at a command.
        known = [each for each in foreign if not list(rules.unknown_names(each))]
        check_actions(handler, state, role, known)


FOUND = {
    "eots": {
        "ActivationStep",
        "AttackStep",
        "CancellationStep",
        "CardPlayHandler",
        "HitsHandler",
        "IntelligenceStep",
        "OpeningHandler",
        "ReactionStep",
        "ReinforcementHandler",
        "ReplacementHandler",
        "SpecialReactionStep",
    },
    "cbps": {
        "AirMovementHandler",
        "CommitQuestion",
        "OperationsHandler",
        "SailHandler",
        "SearchChoice",
        "SearchLaunch",
        "SetupQuestion",
    },
    "qmg": {
        "AirStepHandler",
        "HandDiscardHandler",
        "PlayStepHandler",
        "SetupHandler",
        "WindowHandler",
    },
}


@pytest.mark.parametrize("game", GAMES)
def test_positions_of_many_decisions_are_covered(game: str) -> None:
    assert FOUND[game] <= set(asked(game))
