"""A script line with a typing error is either run, or refused with its file, line number and a reason."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from engine.kernel.numerals import whole_number
from engine.registry import games, ruleset, script_words
from engine.scripts.runner import Runner
from engine.scripts.script import ScriptError, run_script, run_statement, statements
from tests.engine.scripts.mutants import copied, line_mutants
from tests.sizes import sized
from tests.tools.commands import Cli
from tools.scenario_files import load_position

SCRIPTS: Final = Path(__file__).parents[2] / "scripts"
EVERY: Final = sized(400, 120, 30)
"""One out of this number of scripts of a game is tested."""
LINES: Final = sized(2, 20)
MUTANTS: Final = sized(6, 25)


def runner_of(game: str, folder: Path) -> Runner[Any]:
    return Runner(
        ruleset(game),
        script_words(game),
        lambda name: load_position(folder / name, game).position,
        lambda name: (folder / name).read_bytes(),
    )


def chosen(game: str) -> Iterator[Path]:
    yield from sorted((SCRIPTS / game).rglob("*.script"))[5::EVERY]


@pytest.mark.parametrize("game", games())
def test_a_mutated_line_runs_or_is_refused_with_its_position(game: str) -> None:
    others = words_of(game)
    said: list[ScriptError] = []
    for path in chosen(game):
        chance = Random(path.name)
        lines = [*statements(path.read_text(encoding="utf-8"))]
        picked = set(chance.sample(range(len(lines)), min(LINES, len(lines))))
        runner = runner_of(game, path.parent)
        for place, (_, line) in enumerate(lines):
            if place in picked:
                said += refusals(runner, line, others, chance)
            run_statement(runner, lines, place, path.name)
    assert said, f"write at least six scripts in tests/scripts/{game}"
    for error in said:
        assert str(error).startswith("mutant.script at line "), error
        assert error.exit_code in {1, 3}
        assert not str(error).removesuffix("]").endswith(": "), error
        assert "`" not in str(error), error


def refusals(
    runner: Runner[Any], line: str, others: list[str], chance: Random
) -> Iterator[ScriptError]:
    """Run mutants of a line from here, each separately, and yield the reasons for refusals."""
    mutants = [*line_mutants(line, others, chance)]
    for mutant in chance.sample(mutants, min(MUTANTS, len(mutants))):
        then = "" if runner.state is not None else "\nbegin\nexpect no end"
        try:
            carry_out(copied(runner), mutant + then)
        except ScriptError as error:
            yield error
        except Exception as error:
            raise AssertionError(f"{mutant!r} for {line!r}: {error!r}") from error


def carry_out(runner: Runner[Any], text: str) -> None:
    """Run lines from the state of a run, ignoring unused die faces at the end."""
    lines = [*statements(text)]
    for place in range(len(lines)):
        run_statement(runner, lines, place, "mutant.script")


SLIPS: Final = {
    "eots": (
        "game eots\nscenario 1943\n",
        ("expect no", "allied:", "expect", "setup", "setup hand allied", "expect option allied:"),
    ),
    "qmg": (
        "game qmg\nscenario base\n",
        ("expect no", "germany:", "setup hand usa france", "expect held france", "draws *"),
    ),
    "cbps": (
        "game cbps\nscenario 6\n",
        ("expect no", "us:", "us: search-long hornet-f2 -0", "setup force A level none"),
    ),
}


@pytest.mark.parametrize(
    ("game", "line"), [(game, line) for game, (_, slips) in SLIPS.items() for line in slips]
)
def test_an_invalid_line_is_reported_with_file_line_and_reason(
    game: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "slip.script"
    path.write_text(f"{SLIPS[game][0]}{line}\n", encoding="utf-8")
    ran = Cli(capsys)("script", path)
    assert ran.code == 3, ran.err
    assert ran.err.startswith(f"FAILED {path} at line 3: '{line}': ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("number", ["-0", "+1", "01", "1.0", "1_0", "٣", "²", "9" * 5000])
def test_alternative_spellings_of_numbers_are_refused(number: str) -> None:
    with pytest.raises(ValueError, match="is not a whole number such as"):
        whole_number(number)
    text = f"game qmg\nscenario base\nsetup vp axis {number}\nbegin\n"
    with pytest.raises(ScriptError, match=r"line 3.*is not a whole number"):
        run_script(ruleset("qmg"), script_words("qmg"), text, "number.script")


@pytest.mark.parametrize("number", ["0", "12", "-3", "999999999"])
def test_whole_numbers_are_parsed(number: str) -> None:
    assert str(whole_number(number)) == number


def words_of(game: str) -> list[str]:
    return [word for _, names in script_words(game).lexicon().kinds() for word in names]
