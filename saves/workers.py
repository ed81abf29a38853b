"""Worker processes for long computations: any number of tasks, results in the order of the tasks."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, TypeAlias, TypeVar

from saves.errors import WorkerDiedError

R = TypeVar("R")
Task: TypeAlias = tuple[Any, ...]
"""The arguments of one call; they travel to another process."""

_DONE: Final = "done"
_RAISED: Final = "raised"
_DIED: Final = "died"
_Workers: TypeAlias = Mapping[Connection, BaseProcess]


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_workers(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[R, None, None]:
    """Yield what a function returns for each task, in their order; closing ends the workers at once.

    A call that raises is made again in this process when its turn comes, so that it raises as if there were no
    workers.

    Args:
        count: How many processes.
        call: A function of a module.
        tasks: Its arguments; the next ones are asked for while the workers are busy.

    Raises:
        WorkerDiedError: A process ended before its answer.
    """
    workers = _started(count)
    try:
        for task, (how, result) in _answers(workers, call, tasks):
            if how == _DIED:
                raise WorkerDiedError
            yield result if how == _DONE else call(*task)
    finally:
        for worker in workers.values():
            worker.terminate()
        for connection, worker in workers.items():
            worker.join()
            connection.close()


def _started(count: int) -> _Workers:
    """Return running workers, which the interrupt key does not reach."""
    workers: dict[Connection, BaseProcess] = {}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(count):
            ours, theirs = multiprocessing.Pipe()
            worker = multiprocessing.Process(target=_work, args=(theirs, ours), daemon=True)
            worker.start()
            theirs.close()
            workers[ours] = worker
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return workers


def _work(tasks: Connection, other_end: Connection) -> None:
    """Answer tasks until there are no more, or the process that gives them is gone."""
    other_end.close()
    with suppress(EOFError, OSError):
        while True:
            call, task = tasks.recv()
            try:
                answer = (_DONE, call(*task))
            except Exception:  # noqa: BLE001 - the outermost loop of this process; the call is made again
                answer = (_RAISED, None)
            tasks.send(answer)


def _answers(
    workers: _Workers, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[tuple[Task, tuple[str, Any]], None, None]:
    """Yield each task with what became of it; ends early when no worker is left."""
    idle, busy = list(workers), dict[Connection, int]()
    kept: dict[int, Task] = {}
    found: dict[int, tuple[str, Any]] = {}
    turn = 0
    for number, task in enumerate(tasks):
        while not idle and busy:
            idle += _collect(busy, found)
        if not idle:
            break
        connection = idle.pop()
        busy[connection], kept[number] = number, task
        with suppress(OSError):  # that it died is noticed when its answer is due
            connection.send((call, task))
        while turn in found:
            yield kept.pop(turn), found.pop(turn)
            turn += 1
    while kept:
        while turn not in found:
            _collect(busy, found)
        yield kept.pop(turn), found.pop(turn)
        turn += 1


def _collect(busy: dict[Connection, int], found: dict[int, tuple[str, Any]]) -> list[Connection]:
    """Wait for answers, keep them, and return the workers that take another task."""
    free = []
    for ready in wait(list(busy)):
        assert isinstance(ready, Connection), "only connections are waited for"
        number = busy.pop(ready)
        try:
            found[number] = ready.recv()
            free.append(ready)
        except (EOFError, OSError):
            found[number] = (_DIED, None)
    return free
