"""Worker processes for long computations: any number of tasks, results in their order or as they come."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import starmap
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
_Answer: TypeAlias = tuple[int, Task, str, Any]
"""Number of a task, the task, what became of it, and its result."""


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
    kept: dict[int, _Answer] = {}
    turn = 0
    with closing(_answers(count, call, tasks)) as answers:
        for answer in answers:
            kept[answer[0]] = answer
            while turn in kept:
                yield _result(call, kept.pop(turn))
                turn += 1


def as_they_end(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[R, None, None]:
    """Yield what a function returns for each task as soon as it does; one process is this one, without a worker.

    Arguments and errors are those of :func:`in_workers`.
    """
    if count == 1:
        yield from starmap(call, tasks)
        return
    with closing(_answers(count, call, tasks)) as answers:
        for answer in answers:
            yield _result(call, answer)


def _result(call: Callable[..., R], answer: _Answer) -> R:
    _, task, how, result = answer
    if how == _DIED:
        raise WorkerDiedError
    found: R = result if how == _DONE else call(*task)
    return found


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
    """Answer tasks until there are no more, or the process that gives them is gone.

    What the forked process inherits is never collected here: a socket of the network library may be closed only by
    the process that opened it, and the library ends any other that tries.
    """
    gc.freeze()
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
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[_Answer, None, None]:
    """Yield what became of each task as it ends; ends early when no worker is left, and the workers with it."""
    workers = _started(count)
    try:
        idle, busy = list(workers), dict[Connection, tuple[int, Task]]()
        for number, task in enumerate(tasks):
            ended: list[_Answer] = []
            while not idle and busy:
                ended += _collect(busy, idle)
            if idle:
                connection = idle.pop()
                busy[connection] = number, task
                with suppress(OSError):  # that it died is noticed when its answer is due
                    connection.send((call, task))
            yield from ended
            if not busy:
                return
        while busy:
            yield from _collect(busy, idle)
    finally:
        for worker in workers.values():
            worker.kill()  # SIGTERM is lost in a worker that has only just been forked
        for connection, worker in workers.items():
            worker.join()
            connection.close()


def _collect(busy: dict[Connection, tuple[int, Task]], idle: list[Connection]) -> Iterator[_Answer]:
    """Wait for answers and yield them; the workers that can take another task are idle then."""
    for ready in wait(list(busy)):
        assert isinstance(ready, Connection), "only connections are waited for"
        number, task = busy.pop(ready)
        try:
            how, result = ready.recv()
            idle.append(ready)
        except (EOFError, OSError):
            how, result = _DIED, None
        yield number, task, how, result
