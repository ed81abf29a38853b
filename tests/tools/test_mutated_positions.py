"""Scenario files with one odd value are either refused by field and value, or playable.

The values come from every field of the scenarios of all games and of positions in the middle of random games.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError
from engine.registry import AnyRuleset, games, ruleset
from tests.engine.mutants import Mutant, mutants
from tests.sizes import sampled, sized
from tests.tools.commands import Cli
from tools.scenario_files import load_position

FAR: Final = 12
"""Number of commands to play from an accepted position."""
EVERY: Final = sized(1_600, 80, 3)
"""One of this number of mutants of a position is tried."""
MIDDLE: Final = sized(40, 160, 160)
"""Number of commands in a random game before its second position."""
SCENARIOS: Final = [(game, info.id) for game in games() for info in ruleset(game).scenarios()]
FIRST: Final = [("cbps", "6"), ("eots", "1943"), ("qmg", "base")]
CHOSEN: Final = sampled([*FIRST, *(one for one in SCENARIOS if one not in FIRST)], 3)


def moved(rules: AnyRuleset, state: Any, number: int, count: int) -> Any:  # noqa: ANN401 - any game's state
    """Return a state after random commands, reading everything that players see on the way."""
    secret = number.to_bytes(32, "big")
    player = RandomPlayer(DerivedDice(secret, 0), Habit.BUSY)
    for n in range(count):
        assert next(rules.violations(state), None) is None
        assert rules.heading(state)
        asked = rules.active_roles(state)
        if not asked:
            break
        role = asked[n % len(asked)]
        view = rules.project(state, role)
        rules.project(state, None)
        command = player.choose(view, rules.decision(state, role))
        events = rules.decide(state, role, command, DerivedDice(secret, n + 2))
        assert all(line.isprintable() for line in rules.log_sentences(events))
        state = rules.fold(state, events)
    return state


def begun(rules: AnyRuleset, position: Any) -> Any:  # noqa: ANN401 - any game's state
    dice = DerivedDice(bytes(32), 1)
    return rules.fold(rules.initial_state(), rules.open_game(position, dice))


def positions(game: str, scenario: str) -> Iterator[Any]:
    """Yield plain positions: the scenario, and one in the middle of a game."""
    rules = ruleset(game)
    first = rules.position(scenario, {})
    yield json.loads(msgspec.json.encode(first))
    later = moved(rules, begun(rules, first), 7, MIDDLE)
    if rules.outcome(later) is None:
        yield json.loads(msgspec.json.encode(rules.to_position(later)))


@pytest.mark.parametrize(("game", "scenario"), CHOSEN)
def test_mutated_positions_are_refused_or_playable(
    game: str, scenario: str, tmp_path: Path
) -> None:
    path = tmp_path / "mutant.json"
    refused: list[tuple[Mutant, DataError]] = []
    for number, plain in enumerate(positions(game, scenario)):
        chance = Random(f"{game} {scenario} {number}")
        for mutant in mutants(plain, chance, every=EVERY):
            path.write_bytes(mutant.text)
            try:
                loaded = load_position(path)
            except DataError as error:
                refused.append((mutant, error))
                continue
            try:
                moved(loaded.rules, begun(loaded.rules, loaded.position), 0, FAR)
            except Exception as cause:
                raise AssertionError(f"{mutant.path} is {mutant.value}: {cause!r}") from cause
    assert refused
    for mutant, refusal in refused:
        assert str(refusal).isprintable()
        assert refusal.exit_code == 3
        assert "`" not in refusal.problem, (mutant.path, mutant.value, str(refusal))


SLIPS: Final = {
    "cbps": ({"phase": 99}, "at $.phase: a turn has phases 1 to 4, not 99 (3.1)"),
    "eots": ({"turn": 99}, "at turn: turn 99 is outside"),
    "qmg": ({"round": 99}, "at $.round: 99 is not a whole number <= 20"),
}
USUAL: Final = dict(FIRST)


@pytest.mark.parametrize("game", SLIPS)
@pytest.mark.parametrize("way", ["check", "script", "play"])
def test_invalid_position_is_refused_with_exit_code_3_by_every_command(
    game: str, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, said = SLIPS[game]
    cli = Cli(capsys)
    plain = json.loads(cli("scenario", "show", game, USUAL[game]).out)
    own = tmp_path / "own.json"
    own.write_text(json.dumps(plain | change), encoding="utf-8")
    lines = tmp_path / "own.script"
    lines.write_text(f"game {game}\nposition own.json\nbegin\n", encoding="utf-8")
    words = {
        "check": ("scenario", "check", own),
        "script": ("script", lines),
        "play": ("play", game, "--plain", "--save", tmp_path / "a.fplog", "--position", own),
    }
    ran = cli(*words[way])
    assert ran.code == 3, ran.err
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "a.fplog").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"game": "qmg",\n "round": NaN}', "this is not JSON: line 2 at NaN}"),
        ("[1, 2]", "[1,2] is not an object"),
        ('{"game": 5}', "at game: this is not a scenario file: 5 is not text"),
        ('{"game": "qmg", "scenario": null}', "at $.scenario: null is not text"),
        ('{"game": "qmg", "scenario": "base", "vp": {"axis": 1, "allies": "2"}}', 'at $.vp.allies: "2" is not'),
        ('{"game": "qmg", "scenario": "base", "rounds": 3}', "there is no field 'rounds'"),
        ('{"game": "qmg"}', "the field 'scenario' is missing"),
        ('{"game": "qmg", "scenario": "base", "frames": [{"frame": "zz"}]}', '"zz" is none of'),
        ('{"game": "cbps", "scenario": "6", "turn": 1e30}', "is not a whole number"),
    ],
)  # fmt: skip
def test_malformed_file_is_refused_by_field_and_value(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        load_position(path)
    assert said in str(refused.value)
