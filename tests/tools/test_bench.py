"""The benchmark tool measures and reports. The tests do not depend on the speed of this machine."""

import json
import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from engine.eots.ruleset import EOTS
from engine.kernel.errors import FlagplotError
from tests.sizes import sampled
from tools.bench import (
    cores,
    fair7,
    fair_costs,
    fair_delay,
    fair_timing,
    hosting,
    joint,
    killed_worker,
    load,
    mixes,
    other_checkout,
    rules,
    screens,
    seat_processes,
    suite,
    time_limits,
)
from tools.bench.baseline import compare
from tools.bench.measure import BenchmarkTarget, measure, percentile
from tools.bench.records import HesitantPlayer, greedy_game, match, play
from tools.cmd_bench import bench
from tools.dev import digests


@pytest.mark.parametrize(
    ("samples", "percent", "more", "expected"),
    [
        pytest.param([5], 99, False, 5, id="one-sample"),
        pytest.param(range(1, 101), 95, False, 95, id="95-of-100-are-at-most-95"),
        pytest.param(range(1, 101), 95, True, 6, id="95-of-100-are-at-least-6"),
        pytest.param([4, 1, 3, 2], 50, False, 2, id="median-of-an-even-count"),
        pytest.param([4, 1, 3, 2], 99, False, 4, id="p99-of-few-is-the-worst"),
    ],
)
def test_percentile_of_samples(
    samples: list[float], percent: int, more: bool, expected: float
) -> None:
    assert percentile(samples, percent, more_is_better=more) == expected


def test_a_target_is_met_by_its_percentile() -> None:
    times = [1.0] * 90 + [9.0] * 10
    assert measure("x", "ms", times, "", BenchmarkTarget(first=2, aim=1, at=50)).met is True
    assert measure("x", "ms", times, "", BenchmarkTarget(first=2, aim=1, at=95)).met is False
    rates = BenchmarkTarget(first=2, aim=10, more_is_better=True)
    assert measure("x", "n/s", [3.0, 4.0, 1.0], "", rates).met is True
    assert measure("x", "n/s", [1.0], "", None).met is None


@pytest.mark.full
def test_the_same_seed_gives_the_same_game() -> None:
    games = [greedy_game(EOTS, "1943", 3, max_records=25) for _ in range(2)]
    assert games[0].seq == 24
    assert games[0].chain == games[1].chain


def test_hesitant_players_play_long_games_without_takebacks() -> None:
    game = match(EOTS, "1943", 0)
    play(game, dict.fromkeys(EOTS.roles(game.state), HesitantPlayer(5)), 60)
    assert {record.kind for record in game.records[1:]} == {"command"}


@pytest.mark.series("P1")
def test_digests_depend_on_seed_and_scenario() -> None:
    lines = list(digests.lines(4, ("1943", "1942"), 10))
    assert [line.split()[:3] for line in lines] == [
        ["1943", "0", "10"], ["1943", "1", "10"], ["1943", "2", "10"], ["1942", "3", "10"],
    ]  # fmt: skip
    assert len({line.split()[3] for line in lines}) == 4
    assert lines == list(digests.lines(4, ("1943", "1942"), 10))


@pytest.fixture(name="small")
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every benchmark so small that it takes no time."""
    monkeypatch.setattr(rules, "WHOLE", 40)
    monkeypatch.setattr(rules, "LONG", 20)
    monkeypatch.setattr(rules, "LOADS", 2)
    monkeypatch.setattr(rules, "MAX_CHECKS", 1)
    monkeypatch.setattr(rules, "GAMES", 1)
    monkeypatch.setattr(cores, "WHOLE", 20)
    monkeypatch.setattr(cores, "FILES", 2)
    monkeypatch.setattr(cores, "ROUNDS", 1)
    monkeypatch.setattr(cores, "MANY", 3)
    monkeypatch.setattr(cores, "EACH", 4)
    monkeypatch.setattr(hosting, "APPENDS", 5)
    monkeypatch.setattr(hosting, "COMMANDS", 8)
    monkeypatch.setattr(hosting, "MATCHES", 3)
    monkeypatch.setattr(hosting, "STEPS", 2)
    monkeypatch.setattr(hosting, "CROWD", 2)
    monkeypatch.setattr(hosting, "CROWD_SECONDS", 1)
    monkeypatch.setattr(hosting, "SPECTATORS", 2)
    monkeypatch.setattr(hosting, "WATCHED", 3)
    monkeypatch.setattr(time_limits, "IDLE_CONNECTIONS", 3)
    monkeypatch.setattr(time_limits, "SEATS", 1)
    monkeypatch.setattr(time_limits, "STORM", 5)
    monkeypatch.setattr(time_limits, "STORM_SECONDS", 0.1)
    monkeypatch.setattr(time_limits, "DIFFERENCES", 1)
    monkeypatch.setattr(joint, "BEGINNINGS", 1)
    monkeypatch.setattr(joint, "COMMANDS", 30)
    monkeypatch.setattr(joint, "THROWS", 1)
    monkeypatch.setattr(seat_processes, "BEGINNINGS", 1)
    monkeypatch.setattr(seat_processes, "COMMANDS", 40)
    monkeypatch.setattr(seat_processes, "SAMPLES", 1)
    monkeypatch.setattr(fair7, "BEGINNINGS", 1)
    monkeypatch.setattr(fair7, "COMMANDS", 1)
    monkeypatch.setattr(fair7, "THROWS", 1)
    monkeypatch.setattr(mixes, "TIMES", 1)
    monkeypatch.setattr(fair_delay, "RUNS", 1)
    monkeypatch.setattr(fair_delay, "MANY", 100)
    monkeypatch.setattr(fair_timing, "PAIRS", 1)
    monkeypatch.setattr(fair_timing, "TIMES", 2)
    monkeypatch.setattr(screens, "ROUNDS", 1)
    monkeypatch.setattr(killed_worker, "KILLS", 1)
    monkeypatch.setattr(killed_worker, "EACH", 2)
    monkeypatch.setattr(load, "MATCHES", 2)
    monkeypatch.setattr(load, "SECONDS", 0.5)
    monkeypatch.setattr(load, "WATCHED", 1)
    monkeypatch.setattr(screens, "REPAINTS", 1)
    monkeypatch.setattr(screens, "STARTS", 1)
    monkeypatch.setattr(screens, "JUMPS", 1)
    monkeypatch.setattr(screens, "REPLAYED", 30)


REPORTED = {
    "load": ["load", "load-greedy"],
    "verify": ["verify", "verify-qmg", "verify-qmg-total-war", "verify-cbps"],
    "cores": [
        f"verify-{what}-{where}-{game}"
        for game in ("eots", "qmg", "cbps")
        for what in ("files", "record")
        for where in ("one-core", "all-cores")
    ],
    "matches-in-turn": [
        f"{what}-{game}"
        for game in ("eots", "qmg", "cbps")
        for what in ("one-match", "many-matches")
    ],
    "random-play": [
        "random-play",
        "fuzz",
        "random-play-qmg",
        "fuzz-qmg",
        "random-play-qmg-total-war",
        "fuzz-qmg-total-war",
        "random-play-cbps",
        "fuzz-cbps",
    ],
    "greedy-play": [
        "greedy-play",
        "greedy-play-qmg",
        "greedy-play-qmg-total-war",
        "greedy-play-cbps",
    ],
    "rules-start": ["import-rules", "first-question"],
    "append": ["append", "append-disk", "append-over-disk"],
    "latency": ["told", "given"],
    "crowd": ["host-commands", "told-in-a-crowd"],
    "workers": [
        "host-commands-1-workers",
        "told-1-workers",
        "host-commands-2-workers",
        "told-2-workers",
    ],
    "killed-worker": ["given-in-calm", "given-beside-killed-worker"],
    "bounds": [
        "seat-among-squatters",
        "given-in-a-storm",
        "peer-told-absent",
        "difference-mended",
    ],
    "joint": [
        "joint-begin-two",
        "joint-begin-six",
        "fair-begin-two",
        "fair-begin-six",
        "given-fair",
        "dealt-fair",
        "decided-fair",
        "bytes-fair",
        "given-joint",
        "given-host-chance",
        "given-signed",
        "given-unsigned",
        "bytes-joint",
        "bytes-host",
    ],
    "fair-processes": [
        "disk-sync",
        *(f"{name}-fair-processes" for name in ("begin", "decided", "given", "dealt")),
    ],
    "fair7": [
        f"fair7-{what}"
        for what in (
            *(
                f"{row}-{seats}{alone}"
                for seats in ("two", "six")
                for row, alone in (("begin", ""), ("begin", "-alone"), ("trips-begin", ""))
            ),
            *(
                f"{row}-{seats}"
                for seats in ("two", "six")
                for row in (
                    *("command", "throw", "draw", "bytes-draw", "bytes-command"),
                    *("trips-command", "trips-throw", "trips-reshuffle", "bytes"),
                )
            ),
            "lines",
        )
    ],
    "mixes": [
        *(f"operation-{name}" for name in ("base", "add", "point", "signature")),
        *(
            f"{what}-{count}-{row}"
            for count in (84, 63, 37, 7)
            for what in ("mix", "shuffle6")
            for row in ("prove", "check", "bytes")
        ),
    ],
    "fair-delay": [
        f"fair-{what}-{name}"
        for name in ("mix", "events", "record", "messages")
        for what in ("delay", "longest")
    ],
    "fair-timing": [
        f"fair-timing-{what}{unit}"
        for what in ("control", "mix", "proof", "command")
        for unit in ("", "-all", "-low", "-gap")
    ],
    "spectators": ["spectator"],
    "matches": ["matches", "memory-per-match"],
    "keys": ["key-to-frame", "bytes-per-move", "bytes-per-repaint", "bytes-per-playback"],
    "replay": ["replay-jump"],
    "start": [
        "first-frame",
        "first-frame-of-a-game",
        "first-frame-again",
        "first-key",
        "verify-help",
    ],
}


def test_every_benchmark_is_listed_in_the_help() -> None:
    assert list(REPORTED) == list(suite.BENCHMARKS)
    text = " ".join(CliRunner().invoke(bench, ["--help"]).output.split())
    assert f"Names: {', '.join(suite.BENCHMARKS)}." in text


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", sampled(list(REPORTED), 1))
def test_json_report_lists_machine_and_results(name: str) -> None:
    done = CliRunner().invoke(bench, ["--json", "--only", name], standalone_mode=False)
    assert done.exception is None, done.output
    document = json.loads(done.stdout)
    assert set(document["machine"]) == {"processors", "python", "system", "architecture"}
    assert [result["name"] for result in document["results"]] == REPORTED[name]
    for result in document["results"]:
        assert result["samples"] > 0
        assert result["method"]
        assert result["median"] >= 0
        assert (result["met"] is None) == (result["goal"] is None)


@pytest.mark.full
@pytest.mark.usefixtures("small")
def test_table_report_shows_targets_and_verdict() -> None:
    done = CliRunner().invoke(bench, ["--only", "load"], standalone_mode=False)
    head, first, second, verdict = done.stdout.splitlines()
    assert head.split() == list(suite.HEADINGS)
    assert first.split()[0] == "load"
    assert first.split()[-1] in {"yes", "NO"}
    assert second.split()[0] == "load-greedy"
    assert verdict == "all targets met" or verdict.startswith("missed: load")


def test_different_timings_are_distinguished() -> None:
    slow, fast = [30, 31, 32, 29, 30, 30], [10, 11, 9, 10, 12, 10]
    assert fair_timing.classify(fast, slow) == fair_timing.Guess(6, 6, 0.02)
    assert fair_timing.classify(slow, fast) == fair_timing.Guess(6, 6, 0.02)


def test_equal_timings_are_guessed_right_half_of_the_time() -> None:
    times = [10, 10, 20, 20, 10, 10, 20, 20]
    assert fair_timing.classify(times, times) == fair_timing.Guess(4, 8, 0)
    assert fair_timing.classify([10] * 8, [10] * 8) == fair_timing.Guess(4, 8, 0)


def test_numbers_are_formatted_with_three_digits() -> None:
    assert [suite.number(x) for x in (12345.6, 45.67, 1.234, 0.0123)] == [
        "12,346", "45.7", "1.23", "0.012",
    ]  # fmt: skip


def _other(folder: Path, rate: float, code: int = 0) -> Path:
    """Return a checkout whose benchmarks all have this rate."""
    (folder / "tools" / "bench").mkdir(parents=True)
    row = measure("x", "commands/s", [rate], "")
    text = json.dumps({"results": [msgspec.to_builtins(row)]})
    script = f"import sys\ndef main(words):\n    print({text!r})\n    sys.exit({code})\n"
    (folder / "tools" / "cli.py").write_text(script)
    (folder / "tools" / "__init__.py").touch()
    return folder


def test_comparison_table_shows_both_checkouts_and_their_ratio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = _other(tmp_path / "a", 100.0), _other(tmp_path / "b", 250.0)
    monkeypatch.setattr(other_checkout, "ROOT", after)
    head, line = other_checkout.comparison_table(before, ["verify"], 2).splitlines()
    assert head.split("  ")[0] == "what"
    assert line.split() == ["x", "100", "250", "commands/s", "2.50"]


def test_checkout_that_cannot_be_measured_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FlagplotError, match="no checkout of flagplot"):
        other_checkout.rows(tmp_path, "verify")
    assert other_checkout.rows(_other(tmp_path / "old", 1.0, code=2), "cores") == ()
    with pytest.raises(FlagplotError, match="'cores' fails"):
        other_checkout.rows(_other(tmp_path / "bad", 1.0, code=1), "cores")


_MODULE = """
exports.scenarios = { all: ["Random", "Short"] }
exports.roles = ["A", "B"]
exports.setup = (seed, scenario) => ({ active: "Both", left: 10 })
exports.view = (state, role) => ({ actions: { undo: 1, pass: 0, move: [1, 2] } })
exports.action = (state, role, verb, noun) => {
    if (verb !== "move" || !(noun > 0)) throw new Error("illegal")
    state.left -= 1
    state.active = state.left ? "A" : "None"
    return state
}
"""


def _module(folder: Path, text: str) -> Path:
    (folder / "public" / "stub").mkdir(parents=True)
    (folder / "public" / "stub" / "rules.js").write_text(text)
    return folder


@pytest.mark.full
def test_baseline_plays_and_replays_a_module(tmp_path: Path) -> None:
    checkout = _module(tmp_path, _MODULE)
    if shutil.which("node") is None:
        with pytest.raises(FlagplotError, match="needs Node"):
            compare.measure_checkout(checkout, "stub", 5)
        return
    rates = compare.measure_checkout(checkout, "stub", 5)
    assert rates.actions == 50
    assert min(rates.random_play, rates.replay) > 0
    _module(tmp_path / "bad", "exports.scenarios = 5")
    with pytest.raises(FlagplotError, match="the module 'stub' cannot be run"):
        compare.measure_checkout(tmp_path / "bad", "stub", 5)


def test_baseline_refuses_a_missing_module_or_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: sys.executable)
    with pytest.raises(FlagplotError, match=r"no module public/none/rules.js"):
        compare.measure_checkout(tmp_path, "none", 1)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(FlagplotError, match="needs Node"):
        compare.measure_checkout(tmp_path, "none", 1)


def test_baseline_table_shows_medians_and_ratios(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "ROOT", _other(tmp_path, 300.0))
    monkeypatch.setattr(
        compare,
        "measure_checkout",
        lambda *_: compare.Rates(actions=9, random_play=100.0, replay=600.0),
    )
    lines = [line.split() for line in compare.table(tmp_path, "stub", 1, 2).splitlines()[1:]]
    assert lines == [
        ["x", "300", "replay", "600", "0.50"],
        ["x", "300", "random-play", "100", "3.00"],
    ]


def test_fair_play_cost_table_compares_protocols_7_and_6() -> None:
    measured = {name for one in fair_costs.OURS for name in REPORTED[one]}
    ours = {name: measure(name, "ms", [len(name)], "") for name in measured}
    assert {name for cost in fair_costs.COSTS for name in (*cost.ours, *cost.theirs)} <= measured
    head, line, *lines = fair_costs.table(ours, {"given-fair": measure("x", "ms", [7], "")}).split(
        "\n"
    )
    assert head == "| cost | target | protocol 7 | protocol 6 |"
    assert line == "| --- | --- | --- | --- |"
    assert "| command with dice over TLS, all in one process | 50 ms | 10.0 ms | 7.00 ms |" in lines
    assert "| command without chance over TLS, all in one process | 10 ms | 12.0 ms | |" in lines
    assert lines[-1] == "| lines of code | fewer than before | 11.0 | 5,958 |"
    assert len(lines) == len(fair_costs.COSTS) + 1
