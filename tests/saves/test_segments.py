"""A record verified in segments by several processes gets the same verdict as in one process."""

import gc
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine import registry
from engine.bots.greedy_qmg import GreedyQmg
from engine.bots.player import choose_command, last_reason
from engine.kernel.dice import DerivedDice
from engine.qmg.ruleset import QMG
from saves import segment_verifier, verify, workers
from saves.errors import WorkerDiedError
from saves.logfile import log_bytes
from saves.match import Match
from saves.records import Record
from saves.verdicts import Verdict
from saves.verify import verify_file, verify_files
from saves.workers import as_completed, map_in_workers
from tests.golden_games import corpus
from tests.saves.play import SECRET, linked, new_match, play
from tests.saves.protocol6.cheats import HOSTS
from tests.saves.protocol6.joint import Table
from tests.sizes import sampled, sized
from tests.tools.test_forged_records import forgeries, written
from tests.toy_game import REGISTERED

JOBS = 2


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut short games into many segments, and let the workers know the toy game."""
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    monkeypatch.setattr(verify, "LONG_RECORDS", 2)
    monkeypatch.setattr(segment_verifier, "SEGMENT_RECORDS", 7)


def toy() -> Match[Any]:
    """Return a finished game with takebacks, some of them overlapping, and the reveal."""
    match: Match[Any] = new_match(scenario="middle")
    play(match, 60, seed=2, takebacks=0.15)
    play(match, 10_000, seed=3)
    match.reveal()
    return match


def part(game: str, scenario: str) -> Match[Any]:
    """Return the beginning of a game."""
    rules = registry.ruleset(game)
    match = Match[Any].create(rules, rules.position(scenario, {}), scenario, {}, (), SECRET)
    play(match, 40, seed=8, takebacks=0.1)
    return match


MATCHES: dict[str, Callable[[], Match[Any]]] = {
    "toy": toy,
    "eots": lambda: part("eots", "1943"),
    "qmg": lambda: part("qmg", "total-war"),
}


@pytest.fixture(scope="module", params=sampled(list(MATCHES), 1))
def match(request: pytest.FixtureRequest) -> Match[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry._GAMES, "toy", REGISTERED)
        return MATCHES[request.param]()


def alike(path: Path) -> Verdict:
    """Return the verdict, after checking that one process and several agree on it."""
    one, several = verify_file(path), verify_file(path, jobs=JOBS)
    assert one == several
    return one


def changes(match: Match[Any]) -> Iterator[list[Record]]:
    """Yield records that are not a game: moved, missing, repeated, given by others, taken back differently."""
    rng, whole = random.Random(5), list(match.records)
    for at in rng.sample(range(1, len(whole) - 1), 2):
        record = whole[at]
        others = rng.choice([each for each in whole if each.kind == "command"])
        back = msgspec.structs.replace(
            record, kind="takeback", command=None, events=(), takeback_to=rng.randrange(at)
        )
        reveal = msgspec.structs.replace(
            record, kind="reveal", role="", command=None, events=(), secret=SECRET, takeback_to=None
        )
        yield [*whole[:at], *whole[at + 1 :]]
        yield [*whole[:at], record, *whole[at:]]
        yield [*whole[:at], whole[at + 1], record, *whole[at + 2 :]]
        yield [*whole[:at], others, *whole[at + 1 :]]
        yield [*whole[:at], back, *whole[at + 1 :]]
        yield [*whole[:at], reveal, *whole[at:]]
        yield [*whole[:at], msgspec.structs.replace(record, role="nobody"), *whole[at + 1 :]]
        if record.events:
            fewer = msgspec.structs.replace(record, events=record.events[:-1])
            yield [*whole[:at], fewer, *whole[at + 1 :]]


def test_honest_game_verifies_in_segments(tmp_path: Path, match: Match[Any]) -> None:
    path = written(match, list(match.records), tmp_path / "game.fplog")
    found = alike(path)
    assert (found.status, found.records, found.view != "") == ("ok", match.seq + 1, True)


@pytest.mark.full
def test_segments_find_the_same_forged_event(tmp_path: Path, match: Match[Any]) -> None:
    places = set()
    for records in islice(forgeries(match), sized(4, 12)):
        found = alike(written(match, records, tmp_path / "forged.fplog"))
        assert found.finding is not None
        places.add(found.finding.record)
    assert len(places) > sized(2, 5)


@pytest.mark.full
def test_segments_find_the_same_moved_record(tmp_path: Path, match: Match[Any]) -> None:
    kinds = set()
    path = tmp_path / "moved.fplog"
    for records in sampled(tuple(changes(match)), 4):
        found = alike(written(match, records, path))
        kinds.add(found.status)
        path.write_bytes(log_bytes(match.header, linked(match.header, records)))
        alike(path)
    assert "false" in kinds


def test_first_of_two_false_records_is_reported(tmp_path: Path, match: Match[Any]) -> None:
    commands = [record.seq for record in match.records if record.kind == "command"]
    first, second = commands[3], commands[-2]
    records = list(match.records)
    for at in (first, second):
        records[at] = msgspec.structs.replace(records[at], events=())
    found = alike(written(match, records, tmp_path / "twice.fplog"))
    assert found.finding is not None
    assert found.finding.record == first


def test_false_header_commitment_is_reported_first(tmp_path: Path, match: Match[Any]) -> None:
    path = tmp_path / "header.fplog"
    header = msgspec.structs.replace(match.header, secret=bytes(32))
    path.write_bytes(log_bytes(header, linked(header, match.records)))
    found = alike(path)
    assert found.finding is not None
    assert found.finding.record == -1


@pytest.mark.full
def test_golden_game_with_takebacks_verifies_in_segments(tmp_path: Path) -> None:
    path = tmp_path / "golden.fplog"
    path.write_bytes(log_bytes(*corpus.read("qmg-base-busy-free-first")))
    assert alike(path).status == "ok"


@pytest.mark.full
def test_game_with_bot_remarks_verifies_in_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Segments begin after remarks and in the middle of cards, in a process that has not seen the states before."""
    monkeypatch.setattr(segment_verifier, "SEGMENT_RECORDS", 1)
    match = Match[Any].create(QMG, QMG.position("base", {}), "base", {}, (), SECRET)
    players = {role: GreedyQmg(DerivedDice(SECRET, 0)) for role in QMG.roles(match.state)}
    while match.seq < 120:
        role = QMG.active_roles(match.state)[0]
        command = choose_command(QMG, match.state, role, players[role])
        if reason := last_reason(players[role]):
            match.remark(reason, role)
        match.submit(role, command, match.seq)
    path = written(match, list(match.records), tmp_path / "game.fplog")
    assert {record.kind for record in match.records} == {"opening", "command", "remark"}
    assert alike(path).status == "ok"


@pytest.mark.full
def test_verdicts_of_many_files_keep_their_order(tmp_path: Path) -> None:
    paths = []
    for number, steps in enumerate((5, 200, 9, 40, 3)):
        paths.append(tmp_path / f"{number}.fplog")
        game: Match[Any] = new_match(scenario="long")
        play(game, steps, seed=number)
        paths[-1].write_bytes(log_bytes(game.header, game.records))
    paths[3].write_bytes(paths[3].read_bytes()[:300])
    told: dict[int, int] = {}
    found = {}
    for jobs in (1, JOBS):
        sizes: list[int] = []
        found[jobs] = list(verify_files((*paths, paths[0]), None, jobs, sizes.append))
        told[jobs] = sum(sizes)
    assert found[1] == found[JOBS]
    assert [each.file for each in found[1]] == [str(path) for path in (*paths, paths[0])]
    assert told[1] > 0
    against = [list(verify_files(paths, paths[1], jobs)) for jobs in (1, JOBS)]
    assert against[0] == against[1]


def _odd(number: int) -> int:
    """Return the number, or fail in one of the ways in which a task can fail."""
    if number == 5:
        raise KeyError(number)
    if number == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 7:
        signal.pause()
    return number


def test_results_and_errors_keep_task_order() -> None:
    with closing(map_in_workers(3, _odd, ((number,) for number in range(100, 140)))) as answers:
        assert list(answers) == list(range(100, 140))
    with closing(map_in_workers(3, _odd, [(1,), (2,), (5,), (3,)])) as answers:
        assert [next(answers), next(answers)] == [1, 2]
        with pytest.raises(KeyError, match="5"):
            next(answers)


@pytest.mark.full
@pytest.mark.parametrize("count", [1, 2])
def test_dead_worker_is_reported_in_one_sentence(count: int) -> None:
    with closing(
        map_in_workers(count, _odd, [(1,), (6,), *[(n,) for n in range(10, 30)]])
    ) as answers:
        assert next(answers) == 1
        with pytest.raises(WorkerDiedError, match="try again with --jobs 1"):
            next(answers)


def test_busy_workers_are_stopped_on_close() -> None:
    answers = map_in_workers(2, _odd, [(1,), (7,), (7,)])
    assert next(answers) == 1
    answers.close()


def test_workers_stop_promptly_if_the_program_handles_sigterm() -> None:
    """A signal that reaches a worker between its fork and its first step is lost with its handler."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        assert list(as_completed(2, _odd, [(1,)])) == [1]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.full
def test_results_are_returned_as_tasks_complete() -> None:
    with closing(as_completed(2, _odd, [(7,), (1,), (2,)])) as answers:
        assert [next(answers), next(answers)] == [1, 2]
    with closing(as_completed(2, _odd, [(6,), (1,)])) as answers:
        assert isinstance(_first_error(answers), WorkerDiedError)
    with closing(as_completed(2, _odd, [(5,), (7,)])) as answers:
        assert isinstance(_first_error(answers), KeyError)


class _Socket:
    """A library object that may be closed only by the process that opened it."""

    def __init__(self) -> None:
        self.opened_by = os.getpid()
        self.itself = self  # only the garbage collector finds it

    def __del__(self) -> None:
        if os.getpid() != self.opened_by:
            os.abort()


def _after_collection(number: int) -> int:
    gc.collect()
    return number


def test_worker_does_not_finalise_inherited_objects() -> None:
    gc.disable()
    try:
        _Socket()
        assert list(as_completed(2, _after_collection, [(1,), (1,)])) == [1, 1]
    finally:
        gc.enable()


def _first_error(answers: Iterator[int]) -> Exception | None:
    try:
        list(answers)
    except (KeyError, WorkerDiedError) as error:
        return error
    return None


def test_single_job_starts_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_start_workers", None)
    assert list(as_completed(1, _odd, [(1,), (2,)])) == [1, 2]


@pytest.mark.full
def test_segments_find_the_same_joint_randomness_cheat(tmp_path: Path) -> None:
    table = Table(scenario="middle").finish(3)
    path = tmp_path / "cheat.fplog"
    path.write_bytes(log_bytes(table.match.header, table.match.records))
    assert alike(path).status == "ok"
    for name in ("loaded_die", *sampled([*HOSTS], 3)):
        lie = HOSTS[name](table, random.Random(name))
        assert lie is not None
        path.write_bytes(log_bytes(lie.header, lie.records))
        found = alike(path)
        assert found.finding is not None
        assert found.finding.record == lie.record
