"""Runs long computations in worker processes.

Results are returned in task order or as soon as each call completes.
"""

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


def available_cpu_count() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_in_workers(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[R, None, None]:
    """Run a function for each task in worker processes and yield the results in task order.

    Closing the generator stops the workers immediately. If a call fails, it is repeated in this process when its result
    is due, so that the caller receives the original error.

    Args:
        count: Number of processes.
        call: A module-level function.
        tasks: Argument tuples, one per call, consumed lazily as workers become free.

    Raises:
        WorkerDiedError: A process exited before it returned a result.
    """
    results_by_number: dict[int, _TaskResult] = {}
    next_number = 0
    with closing(_results(count, call, tasks)) as results:
        for result in results:
            results_by_number[result[0]] = result
            while next_number in results_by_number:
                yield _result(call, results_by_number.pop(next_number))
                next_number += 1


def as_completed(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[R, None, None]:
    """Run a function like :func:`map_in_workers`, but yield each result as soon as it is ready.

    If ``count`` is 1, the calls run in this process without workers.
    """
    if count == 1:
        yield from starmap(call, tasks)
        return
    with closing(_results(count, call, tasks)) as results:
        for result in results:
            yield _result(call, result)


def _result(call: Callable[..., R], task_result: _TaskResult) -> R:
    _, task, status, result = task_result
    if status == _DIED:
        raise WorkerDiedError
    value: R = result if status == _DONE else call(*task)
    return value


def _start_workers(count: int) -> _Workers:
    """Start workers that ignore keyboard interrupts, so that only this process handles the interrupts."""
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
    """Run tasks until the parent closes the pipe or exits.

    Inherited objects are never garbage-collected here. They may include sockets of the network library, which aborts a
    process that closes a socket opened by another process.
    """
    gc.freeze()
    # A forked worker also inherits the parent's end of the pipe. While that end is open, recv()
    # never reports that the parent is gone.
    unused_end.close()
    with suppress(EOFError, OSError):
        while True:
            function, task = tasks.recv()
            try:
                answer = (_DONE, function(*task))
            except Exception:  # noqa: BLE001 - the outermost loop of this process; the parent repeats the call
                answer = (_RAISED, None)
            tasks.send(answer)


def _results(
    count: int, call: Callable[..., R], tasks: Iterable[Task]
) -> Generator[_TaskResult, None, None]:
    """Yield each task's outcome when the task completes, then stop the workers. End early if no workers are left."""
    workers = _start_workers(count)
    try:
        idle, busy = list(workers), dict[Connection, tuple[int, Task]]()
        for number, task in enumerate(tasks):
            # Results are yielded only after the next task has been sent, so that no worker waits
            # for the caller.
            finished: list[_TaskResult] = []
            while not idle and busy:
                finished += _collect(busy, idle)
            if idle:
                connection = idle.pop()
                busy[connection] = number, task
                with suppress(OSError):  # If the worker has died, _collect() reports it.
                    connection.send((call, task))
            yield from finished
            # All workers are dead, so this task cannot be sent. The earlier results have all been
            # yielded.
            if not busy:
                return
        while busy:
            yield from _collect(busy, idle)
    finally:
        for worker in workers.values():
            worker.kill()  # Use SIGKILL, because SIGTERM might not end a worker that has just been forked.
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
            status, result = ready.recv()
            idle.append(ready)
        except (EOFError, OSError):
            status, result = _DIED, None
        yield number, task, status, result
