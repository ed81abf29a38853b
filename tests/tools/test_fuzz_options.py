"""Random games with random rulings satisfy their invariants (P9), and are reproducible."""

import json
import shlex

import pytest

from engine.eots.ruleset import EOTS
from engine.qmg.ruleset import QMG
from tests.sizes import sized
from tests.tools.commands import Cli
from tools.fuzz import draw_settings, play

EVERY = [info.id for info in EOTS.scenarios()]


@pytest.mark.full
@pytest.mark.series("P9")
@pytest.mark.parametrize(
    "seed", range(sized(1, 8, 2_000, of="games of any scenario with rulings drawn"))
)
def test_p9_games_with_random_rulings_satisfy_invariants(seed: int) -> None:
    scenario, options = draw_settings(EOTS, EVERY, seed)
    played = play(EOTS, scenario, seed, options, sample_every=50)
    assert played.finding is None, f"{scenario} {options}: {played.finding}"
    assert played.result


def test_seed_draws_any_scenario_and_any_number_of_rulings() -> None:
    found = [draw_settings(EOTS, EVERY, seed) for seed in range(300)]
    assert found == [draw_settings(EOTS, EVERY, seed) for seed in range(300)]
    assert {scenario for scenario, _ in found} == set(EVERY)
    rulings = {ruling.id: ruling for ruling in EOTS.options()}
    counts = {len(options) for _, options in found}
    assert {0, len(rulings)} <= counts
    assert len(counts) > len(rulings) // 2
    others = {(name, value) for _, options in found for name, value in options.items()}
    assert others == {
        (one.id, value) for one in rulings.values() for value in one.values if value != one.default
    }


@pytest.mark.full
def test_any_options_fuzzes_all_scenarios_in_one_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("fuzz", "qmg", "--any-options", "--games", "3", "--seed", "4", "--json", "--jobs", "1")
    ran = Cli(capsys)(*words, "--option", "immediately-after-built=built-only")
    assert ran.code == 0
    games = [json.loads(line) for line in ran.out.splitlines()]
    scenarios = [info.id for info in QMG.scenarios()]
    for seed, game in enumerate(games, 4):
        scenario, options = draw_settings(QMG, scenarios, seed)
        fixed = {"immediately-after-built": "built-only"}
        assert (game["scenario"], game["options"]) == (scenario, options | fixed)
    met = len({game["scenario"] for game in games})
    sets = len({json.dumps(game["options"], sort_keys=True) for game in games})
    assert ran.err.startswith("3 games, ")
    assert ran.err.endswith(f", 0 findings; {met} scenarios, {sets} option sets\n")


def test_printed_command_of_a_finding_reproduces_the_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(capsys)
    monkeypatch.setattr(EOTS, "violations", lambda _: iter(("a made-up violation",)))
    ran = cli("fuzz", "eots", "--any-options", "--games", "2", "--jobs", "1")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert "FINDING after" in lines[2]
    again = lines[3].removeprefix("  reproduce: flagplot ")
    assert "--seed 2 " in again
    assert "--option " in again
    once_more = cli(*shlex.split(again)).out.splitlines()
    assert once_more[1] == lines[3]
    assert once_more[0].split(", ", 1)[1] == lines[2].split(", ", 1)[1]


def test_fixed_option_must_exist_in_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    ran = Cli(capsys)("fuzz", "eots", "--any-options", "--option", "weather=fine")
    assert (ran.code, ran.out) == (3, "")
    assert "there is no option 'weather'" in ran.err
