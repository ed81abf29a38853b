"""Memory used by many peers is returned to the system after they leave."""

import asyncio
import ctypes
import subprocess
import sys

import pytest

from netplay.system import heap_trimmer
from netplay.system.heap_trimmer import MIN_DROP, HeapTrimmer
from netplay.transport import listener
from tests.netplay.tables import until
from tests.netplay.test_transport import _leave, _squat, echoing
from tests.patience import PATIENCE

pytestmark = pytest.mark.series("N3")


@pytest.mark.parametrize(
    ("connections", "due"),
    [
        pytest.param((MIN_DROP, 0, 0, 0), (False, False, True, False), id="a-crowd-leaves"),
        pytest.param((MIN_DROP, 9, 9), (False, False, False), id="too-few-leave"),
        pytest.param((MIN_DROP, MIN_DROP // 2, 0, 0), (False, False, False, True), id="one-by-one"),
        pytest.param(
            (MIN_DROP, 0, MIN_DROP, 0, 0), (False, False, True, False, True), id="two-crowds"
        ),
    ],
)
def test_a_drop_in_connections_is_detected_one_check_later(
    connections: tuple[int, ...], due: tuple[bool, ...]
) -> None:
    found = HeapTrimmer()
    assert tuple(map(found.check_connections, connections)) == due


@pytest.mark.parametrize("words", [b"", b"\x16\x03\x01\x02\x00\x01"], ids=["nothing", "half-hello"])
async def test_the_heap_is_trimmed_after_silent_connections_leave(
    monkeypatch: pytest.MonkeyPatch, words: bytes
) -> None:
    given_back: list[int] = []
    monkeypatch.setattr(heap_trimmer, "MIN_DROP", 20)
    monkeypatch.setattr(heap_trimmer, "trim_heap", lambda: given_back.append(1))
    monkeypatch.setattr(listener, "_SWEEP_SECONDS", 0.02)
    async with echoing(plain=False) as host:
        gate, seen = host.listener._proxy, host.listener._heap_trimmer
        writers = await _squat(host.listener.port, 30, words)
        await until(lambda: seen._peak == len(writers) == gate.count)
        assert not given_back
        await _leave(writers)
        await until(lambda: len(given_back) == 1)
        assert gate.count == 0
        few = await _squat(host.listener.port, 5, words)
        await until(lambda: seen._peak == len(few) == gate.count)
        await _leave(few)
        await until(lambda: gate.count == 0)
        await asyncio.sleep(0)
        assert len(given_back) == 1


_HOARD = """
import ctypes, resource
from pathlib import Path
from netplay.system.heap_trimmer import trim_heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
large, small = [], []
for _ in range(4000):
    large.append(libc.malloc(32_000))
    small.append(libc.malloc(32))  # keeps the heap from shrinking
    ctypes.memset(large[-1], 1, 32_000)
for each in large:
    libc.free(each)
kept = resident()
trim_heap()
print(kept - resident())
"""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library has no way to do it"
)
def test_fragmented_free_memory_is_returned_to_the_system() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HOARD], check=True, capture_output=True, text=True, timeout=PATIENCE
    )
    assert int(done.stdout) > 90
