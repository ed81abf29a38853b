"""Runs long computations in worker processes. Results are yielded in the order of the tasks or of their completion."""

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
"""One call's arguments, which must be picklable."""

_DONE: Final = "done"
_RAISED: Final = "raised"
_DIED: Final = "died"
_Workers: TypeAlias = Mapping[Connection, BaseProcess]
_TaskResult: TypeAlias = tuple[int, Task, str, Any]
"""Task number, task, status and result."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_workers(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[R, None, None]:
    """Run a function for each task in worker processes and yield the results in task order.

    Closing the generator stops the workers at once. If a call fails, it is repeated in this process when its result is
    due, so that the error is the same as without workers.

    Args:
        count: Number of processes.
        call: A module-level function.
        tasks: Argument tuples, one per call, consumed lazily as workers become free.

    Raises:
        WorkerDiedError: A process exited before it returned a result.
    """
    kept: dict[int, _TaskResult] = {}
    turn = 0
    with closing(_results(count, call, tasks)) as answers:
        for answer in answers:
            kept[answer[0]] = answer
            while turn in kept:
                yield _result(call, kept.pop(turn))
                turn += 1


def as_completed(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[R, None, None]:
    """Run a function as :func:`in_workers` does, but yield each result as soon as it is ready.

    With a count of 1, the calls run in this process without any workers.
    """
    if count == 1:
        yield from starmap(call, tasks)
        return
    with closing(_results(count, call, tasks)) as answers:
        for answer in answers:
            yield _result(call, answer)


def _result(call: Callable[..., R], answer: _TaskResult) -> R:
    _, task, how, result = answer
    if how == _DIED:
        raise WorkerDiedError
    found: R = result if how == _DONE else call(*task)
    return found


def _start_workers(count: int) -> _Workers:
    """Start workers that ignore interrupts from the keyboard, so that only this process handles them."""
    workers: dict[Connection, BaseProcess] = {}
    # Child processes inherit the signal mask, so interrupts are blocked while they start.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(count):
            own_end, worker_end = multiprocessing.Pipe()
            worker = multiprocessing.Process(
                target=_run_tasks, args=(worker_end, own_end), daemon=True
            )
            worker.start()
            worker_end.close()
            workers[own_end] = worker
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return workers


def _run_tasks(tasks: Connection, unused_end: Connection) -> None:
    """Run tasks until there are no more or the parent process is gone.

    Objects inherited by the forked process are never garbage-collected here. Only the process that opened a network
    library socket may close it; the library aborts any other process that tries.
    """
    gc.freeze()
    # A forked worker also inherits the parent's end. As long as that end is open, recv() never reports that the parent
    # is gone.
    unused_end.close()
    with suppress(EOFError, OSError):
        while True:
            call, task = tasks.recv()
            try:
                answer = (_DONE, call(*task))
            except Exception:  # noqa: BLE001 - the outermost loop of this process; the parent repeats the call
                answer = (_RAISED, None)
            tasks.send(answer)


def _results(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[_TaskResult, None, None]:
    """Yield each task's outcome as it completes, then stop the workers. End early if no workers are left."""
    workers = _start_workers(count)
    try:
        idle, busy = list(workers), dict[Connection, tuple[int, Task]]()
        for number, task in enumerate(tasks):
            # Results are yielded only after the next task has been sent, so that no worker waits
            # for the caller.
            ended: list[_TaskResult] = []
            while not idle and busy:
                ended += _collect(busy, idle)
            if idle:
                connection = idle.pop()
                busy[connection] = number, task
                with suppress(OSError):  # A dead worker is detected when its result is due.
                    connection.send((call, task))
            yield from ended
            # No worker is left: this task could not be sent, and the results of all others have
            # been yielded.
            if not busy:
                return
        while busy:
            yield from _collect(busy, idle)
    finally:
        for worker in workers.values():
            worker.kill()  # SIGTERM might not end a worker that has just been forked.
        for connection, worker in workers.items():
            worker.join()
            connection.close()


def _collect(
    busy: dict[Connection, tuple[int, Task]], idle: list[Connection]
) -> Iterator[_TaskResult]:
    """Wait for results and yield them. Workers that can run another task become idle."""
    for ready in wait(list(busy)):
        assert isinstance(ready, Connection), "only connections may be waited for"
        number, task = busy.pop(ready)
        try:
            how, result = ready.recv()
            idle.append(ready)
        except (EOFError, OSError):
            how, result = _DIED, None
        yield number, task, how, result
