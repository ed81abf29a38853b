"""Bots against each other: the same games with any number of processes, counted correctly, continued after any end."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from msgspec.structs import replace

from engine import registry
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import Game
from saves.headers import Header
from saves.logfile import lock_path, read_log
from saves.textlog import read_text, text_lines
from saves.verify import verify_file
from saves.workers import as_completed
from tests.tools.commands import Cli
from tests.toy_six import STONE, WOOD
from tools import arena, cmd_arena
from tools.arena import ALL, ArenaResult, Fixture, fixtures, play, rows, wilson
from tools.arena_file import ArenaFile
from tools.cli import main

TOYS = {"toy": "tests.toy_game:TOY", "six": "tests.toy_six:SIX", "solo": "tests.toy_solo:SOLO"}
WORDS = ("arena", "toy", "calm", "random", "--scenario", "short", "--jobs", "1")
JOBS = 2


class Calm:
    """A bot that chooses what the clock would choose, and gives a reason."""

    reason = "as the clock would"

    def __init__(self, dice: DerivedDice) -> None:
        del dice

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        return decision.default


def register() -> None:
    """Add the toy games to this process, with a separate bot."""
    bots = {"calm": f"{__name__}:Calm"}
    for name, place in TOYS.items():
        toy = Game(ruleset=place, script_words="", position_decoder="", reference="", bots=bots)
        registry._GAMES[name] = toy
    cmd_arena.arena.params[0].type = click.Choice(registry.games())


@pytest.fixture(autouse=True, scope="module")
def _toys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_GAMES", dict(registry._GAMES))
        patch.setattr(cmd_arena.arena.params[0], "type", None)
        register()
        yield


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def plan(
    game: str, *bots: str, games: int, scenario: str = "short", seed: int = 1
) -> list[Fixture]:
    infos = [info for info in registry.ruleset(game).scenarios() if info.id == scenario]
    return list(fixtures(infos, bots, games, seed))


def played(winner: str, seed: int = 1, **bots: str) -> ArenaResult:
    """Return a result of the toy game."""
    return ArenaResult(
        scenario="short",
        bots={Role(side): name for side, name in bots.items()},
        seed=seed,
        winner=winner,
        level="",
        commands=10 * seed,
        seconds=float(seed),
        chain="",
    )


def test_each_seed_is_played_with_every_assignment_of_bots_to_sides() -> None:
    found = plan("toy", "a", "b", "c", games=2, seed=5)
    assert len(found) == len({each.name for each in found}) == 12
    assert [each.seed for each in found] == [5] * 6 + [6] * 6
    for side in ("red", "blue"):
        names = [each.bots[Role(side)] for each in found]
        assert {name: names.count(name) for name in names} == {"a": 4, "b": 4, "c": 4}
    assert [each.bots for each in plan("toy", "a", "a", games=1)] == [{"red": "a", "blue": "a"}]


def test_finished_game_reports_winner_and_chain_for_any_number_of_jobs() -> None:
    tasks: list[tuple[Any, ...]] = [
        ("toy", {}, each, None) for each in plan("toy", "random", "random", games=8)
    ]
    one = sorted(as_completed(1, play, tasks), key=lambda each: each.seed)
    two = sorted(as_completed(JOBS, play, tasks), key=lambda each: each.seed)
    assert [msgspec.structs.replace(each, seconds=0.0) for each in one] == [
        msgspec.structs.replace(each, seconds=0.0) for each in two
    ]
    assert len({each.chain for each in one}) == 8
    assert {each.winner for each in one} <= {"red", "blue", "nobody"}


def test_bots_of_a_team_play_all_its_roles_and_win_together(tmp_path: Path) -> None:
    (fixture,) = plan("six", "random", "random", games=1)
    result = play("six", {}, fixture, tmp_path)
    assert result.winner in {"wood", "stone", "nobody"}
    verdict = verify_file(tmp_path / f"six-{fixture.name}.fplog")
    assert (verdict.status, verdict.chain) == ("ok", result.chain)
    sides = registry.ruleset("six").scenarios()[0].sides
    assert sides == {"wood": WOOD, "stone": STONE}


@pytest.mark.full
def test_games_of_one_seed_share_dice_but_have_distinct_match_ids(tmp_path: Path) -> None:
    infos = [info for info in registry.ruleset("toy").scenarios() if info.id in {"short", "middle"}]
    assert len(infos) == 2
    games: list[tuple[dict[str, str], Fixture, int]] = [
        ({}, each, 0) for each in fixtures(infos, ("random", "calm", "random"), 2, 1)
    ]
    games += [({"hand": "4"}, games[0][1], 0), ({}, games[0][1], 5)]
    headers: list[Header] = []
    for number, (options, fixture, steps) in enumerate(games):
        keep = tmp_path / str(number)
        keep.mkdir()
        play("toy", options, fixture, keep, steps)
        (path,) = keep.iterdir()
        assert verify_file(path).status == "ok"
        headers.append(read_log(path).header)
    assert len({header.match_id for header in headers}) == len(games)
    assert len({header.secret_commitment for header in headers}) == 2, "one per seed"


def test_arena_game_round_trips_as_text(tmp_path: Path) -> None:
    (fixture,) = plan("toy", "calm", "calm", games=1)
    play("toy", {}, fixture, tmp_path)
    log = read_log(tmp_path / f"toy-{fixture.name}.fplog")
    rules = registry.ruleset("toy")
    lines = list(text_lines(rules, log.header, log.records))
    assert f'match "{log.header.match_id}"' in lines
    header, records = read_text(lines, rules)
    assert (header, list(records)) == (log.header, list(log.records))


def test_bot_remarks_are_saved_with_the_game(tmp_path: Path) -> None:
    (fixture,) = plan("toy", "calm", "calm", games=1)
    result = play("toy", {}, fixture, tmp_path)
    records = read_log(tmp_path / f"toy-{fixture.name}.fplog").records
    kinds = [record.kind for record in records]
    assert kinds.count("remark") == kinds.count("command") == result.commands > 0


def test_games_against_the_system_count_wins_and_losses_to_it() -> None:
    found = [play("solo", {}, each, None) for each in plan("solo", "random", games=12)]
    (row,) = rows(("random",), found)
    assert (row.against, row.side, row.games) == ("game", "red", 12)
    assert row.lost_to_game == sum(each.winner == "game" for each in found) > 0
    assert row.wins == sum(each.winner == "red" for each in found) > 0
    assert (row.losses, row.wins + row.draws + row.lost_to_game) == (0, 12)


def test_unfinished_game_and_failing_bot_have_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Liar:
        def choose(self, view: object, decision: object) -> object:
            raise KeyError("no idea")

    fixture = plan("toy", "random", "random", games=1)[0]
    monkeypatch.setattr(arena, "MAX_COMMANDS", 3)
    endless = play("toy", {}, fixture, None)
    monkeypatch.setattr(arena, "create_bot", lambda *_: Liar())
    lying = play("toy", {}, fixture, None)
    assert (endless.winner, endless.problem) == ("", "not finished after 3 commands")
    assert (lying.winner, lying.problem) == ("", "KeyError: 'no idea'")
    (red, *_) = rows(("random",), [endless, lying])
    assert (red.games, red.unfinished, red.rate, red.low, red.high) == (0, 2, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        pytest.param(0, 0, 0.0, 1.0, id="none"),
        pytest.param(0, 10, 0.0, 0.2775, id="0-of-10"),
        pytest.param(19, 20, 0.7639, 0.9911, id="19-of-20"),
        pytest.param(50, 100, 0.4038, 0.5962, id="50-of-100"),
        pytest.param(100, 100, 0.9630, 1.0, id="100-of-100"),
    ],
)
def test_interval_matches_the_wilson_formula(
    wins: int, games: int, low: float, high: float
) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=0.00005)


def test_table_has_a_row_per_side_and_one_for_all_sides() -> None:
    found = [
        played("red", 1, red="a", blue="b"),
        played("nobody", 2, red="a", blue="b"),
        played("red", 1, red="b", blue="a"),
        played("blue", 2, red="b", blue="a"),
    ]
    table = list(rows(("a", "b"), found))
    assert [(row.scenario, row.side, row.bot, row.against) for row in table] == [
        ("short", "red", "a", "b"), ("short", "blue", "a", "b"), ("short", ALL, "a", "b"),
    ]  # fmt: skip
    assert [(row.games, row.wins, row.draws, row.losses) for row in table] == [
        (2, 1, 1, 0), (2, 1, 0, 1), (4, 2, 1, 1),
    ]  # fmt: skip
    assert (table[2].rate, table[2].commands, table[2].seconds) == (0.5, 15.0, 1.5)
    text = arena.as_text(table).splitlines()
    assert text[0].split()[:5] == ["scenario", "side", "bot", "against", "games"]
    assert "unfinished" not in text[0]
    assert text[3].split()[:10] == ["short", "all", "a", "b", "4", "2", "1", "1", "50.0%", "15.0%"]
    other = [msgspec.structs.replace(each, scenario="long") for each in found]
    assert [(row.scenario, row.games) for row in rows(("a", "b"), [*found, *other])][-1] == (ALL, 8)


def test_bot_against_itself_has_only_rows_per_side() -> None:
    found = [played("red", 1, red="a", blue="a"), played("red", 2, red="a", blue="a")]
    table = list(rows(("a", "a"), found))
    assert [(row.side, row.wins, row.losses) for row in table] == [("red", 2, 0), ("blue", 0, 2)]


# -- the command


def results(path: Path) -> dict[str, dict[str, Any]]:
    """Return the games in a file by name, without their times."""
    _, *lines = path.read_text().splitlines()
    found = [msgspec.json.decode(line, type=ArenaResult) for line in lines]
    assert len({each.name for each in found}) == len(found)
    return {each.name: msgspec.to_builtins(each) | {"seconds": 0} for each in found}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of an arena of four games that was not interrupted."""
    path = tmp_path_factory.mktemp("arena") / "whole.jsonl"
    with pytest.raises(SystemExit) as ended:
        main([*WORDS[:-1], "2", "--games", "2", "--out", str(path)])
    assert ended.value.code == 0
    return path


@pytest.mark.full
def test_only_the_game_of_a_torn_line_is_replayed(cli: Cli, tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "torn.jsonl"
    lines = whole.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    ran = cli(*WORDS, "--games", "2", "--out", path, "--json")
    assert ran.code == 0, ran.err
    assert path.read_bytes().startswith(b"".join(lines[:3]))
    assert results(path) == results(whole)
    document = json.loads(ran.out)
    assert document["bots"] == ["calm", "random"]
    assert [row["games"] for row in document["rows"]] == [2, 2, 4]
    more = cli(*WORDS, "--games", "3", "--out", path)
    assert more.code == 0
    assert len(results(path)) == 6
    assert results(whole).items() <= results(path).items()


def test_interrupt_keeps_finished_games(
    cli: Cli, tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, path = ArenaFile.add, tmp_path / "stopped.jsonl"

    def stop(self: ArenaFile, one: ArenaResult) -> None:
        if path.read_bytes().count(b"\n") == 3:
            raise KeyboardInterrupt
        add(self, one)

    with monkeypatch.context() as patch:
        patch.setattr(ArenaFile, "add", stop)
        ran = cli(*WORDS, "--games", "2", "--out", path)
    assert ran.code == 130
    assert ran.err.strip() == "2 of 4 games finished; run the same command again to continue"
    assert len(results(path)) == 2
    assert cli(*WORDS, "--games", "2", "--out", path).code == 0
    assert results(path) == results(whole)


_KILLED = """
import os, signal, sys
from tools.arena_file import ArenaFile
from tools.cli import main
from tests.tools.test_arena import register
add = ArenaFile.add
def die(self, played):
    add(self, played)
    os.write(self._file.fileno(), b'{"scenario":"sh')
    os.kill(os.getpid(), signal.SIGKILL)
ArenaFile.add = die
register()
main(sys.argv[1:])
"""


@pytest.mark.full
def test_killed_arena_resumes(cli: Cli, tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "killed.jsonl"
    words = [*WORDS[:-1], "2", "--games", "2", "--out", str(path)]
    root = Path(__file__).parents[2]
    ended = subprocess.run([sys.executable, "-c", _KILLED, *words], check=False, cwd=root)
    assert ended.returncode == -signal.SIGKILL
    assert not path.read_bytes().endswith(b"\n")
    assert cli(*words).code == 0
    assert results(path) == results(whole)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(("--seed", "2"), "at seed: the file has 1, not 2", id="seed"),
        pytest.param(("--option", "hand=4"), "at options: ", id="option"),
        pytest.param(("--scenario", "middle"), "at scenarios: ", id="scenario"),
    ],
)
def test_result_file_with_different_settings_is_refused(
    cli: Cli, whole: Path, words: tuple[str, ...], sentence: str
) -> None:
    before = whole.read_bytes()
    ran = cli(*WORDS, "--games", "2", "--out", whole, *words)
    assert (ran.code, ran.out) == (3, "")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert whole.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        pytest.param("a note", "line 1: this is not an arena result file", id="no-line"),
        pytest.param("a note\nof mine", "line 1: this is not an arena result file", id="text"),
        pytest.param('{"flagplot":"log"}\n', "line 1: this is not an arena result file", id="log"),
        pytest.param("HEAD{}\n", "line 2: this is not the result of a game", id="game"),
    ],
)
def test_unrelated_file_is_refused_and_unchanged(
    cli: Cli, tmp_path: Path, whole: Path, content: str, sentence: str
) -> None:
    path = tmp_path / "other"
    head = whole.read_text().splitlines(keepends=True)[0]
    path.write_text(content.replace("HEAD", head))
    before = path.read_bytes()
    ran = cli(*WORDS, "--out", path)
    assert ran.code == 3
    assert sentence in ran.err
    assert path.read_bytes() == before


def test_result_file_in_use_is_refused(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "shared.jsonl"
    lock = lock_path(path)
    ran = cli(*WORDS, "--out", path)
    lock.release()
    assert (ran.code, "is already open in this program" in ran.err) == (3, True)


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        pytest.param(("qmg", "greedy"), 2, "Name one bot per side", id="one-bot"),
        pytest.param(("qmg", "greedy", "deep"), 3, "there is no bot 'deep'", id="bot"),
        pytest.param(
            ("qmg", "random", "random", "--scenario", "x"), 3, "no scenario", id="scenario"
        ),
        pytest.param(("qmg", "random", "random", "--option", "x=y"), 3, "no option", id="option"),
    ],
)
def test_wrong_arena_arguments_are_refused(
    cli: Cli, words: tuple[str, ...], code: int, sentence: str
) -> None:
    ran = cli("arena", *words)
    assert (ran.code, ran.out) == (code, "")
    assert sentence in ran.err


def test_unfinished_game_is_reported_and_saved(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena, "MAX_COMMANDS", 2)
    ran = cli(*WORDS, "--games", "1", "--keep", tmp_path / "kept")
    assert ran.code == 1
    assert "unfinished" in ran.out.splitlines()[0]
    assert ran.err.splitlines()[0] == "short-calm-random-0001: not finished after 2 commands"
    names = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert names == ["toy-short-calm-random-0001.fplog", "toy-short-random-calm-0001.fplog"]


def test_built_in_bots_play_an_arena(cli: Cli) -> None:
    ran = cli("arena", "qmg", "greedy", "random", "--scenario", "base", "--games", "1")
    assert ran.code == 0, ran.err
    assert [line.split()[1] for line in ran.out.splitlines()] == ["side", "axis", "allies", "all"]


def test_table_shows_mean_points_against_the_system() -> None:
    """They have the mean with its error, but nothing if a game has no points."""
    ended = [
        replace(played("red", seed, red="a"), level="won", score=score)
        for seed, score in enumerate((40, 60, 80), 1)
    ]
    text = arena.as_text(list(rows(["a"], ended)))
    assert "short, a: 60.0 victory points, standard error 11.5" in text
    without = [*ended, replace(ended[0], score=None)]
    assert "victory points" not in arena.as_text(list(rows(["a"], without)))
