"""Caches return the value that belongs to a key, even if threads share them."""

import random
import sys
import threading
from collections.abc import Iterator

import msgspec
import pytest

from engine.kernel.memo import CachedState, Memo, cache_of, inherit_cache, trim_cache


class Position(CachedState, frozen=True, kw_only=True):
    place: int = 0


@pytest.fixture(autouse=True)
def _busy_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_memo_computes_each_value_once_and_evicts_the_oldest() -> None:
    memo: Memo[int] = Memo(2)
    keys = [object(), object(), object()]
    calls: list[int] = []

    def value(place: int) -> int:
        calls.append(place)
        return place

    line = Position(place=1)
    for place in (0, 1, 0, 2, 1, 0):
        assert memo.get(line, (keys[place],), lambda place=place: value(place)) == place  # type: ignore[misc]
    assert calls == [0, 1, 2, 0]


def test_a_memo_returns_the_latest_result() -> None:
    memo: Memo[int] = Memo()
    one = Position()
    assert memo.result_for(one) is None
    assert memo.latest_result(one) is None
    assert memo.store(one, 1) == 1
    assert memo.result_for(one) == 1
    other = inherit_cache(one, Position())
    assert memo.result_for(other) is None
    assert memo.latest_result(other) == 1


def test_a_memo_compares_keys_by_identity_or_by_value() -> None:
    line, key = Position(), [0]
    by_identity, by_value = Memo[int](), Memo[int](by_value=True)
    for memo, fresh in ((by_identity, 2), (by_value, 1)):
        assert memo.get(line, (tuple(key),), lambda: 1) == 1
        assert memo.get(line, (tuple(key),), lambda: 2) == fresh


def test_separate_state_lines_have_separate_caches() -> None:
    memo: Memo[int] = Memo(1)
    key, calls = object(), []

    def value(place: int) -> int:
        calls.append(place)
        return place

    lines = [Position(place=place) for place in range(3)]
    for _ in range(2):
        for line in lines:
            assert memo.get(line, (key,), lambda line=line: value(line.place)) == line.place  # type: ignore[misc]
        lines = [inherit_cache(line, Position(place=line.place)) for line in lines]
    assert calls == [0, 1, 2]


def test_cached_values_are_not_part_of_the_state() -> None:
    state = Position(place=3)
    Memo[int]().store(state, 1)
    assert state == Position(place=3)
    assert msgspec.msgpack.encode(state) == msgspec.msgpack.encode(Position(place=3))


def test_threads_never_receive_the_value_of_another_key() -> None:
    keys = [Position(place=place) for place in range(40)]
    line = Position()
    cache_of(line)
    for key in keys:
        inherit_cache(line, key)
    identity: Memo[int] = Memo(8)
    latest: Memo[int] = Memo()
    wrong: list[object] = []

    def work(seed: int) -> None:
        source = random.Random(seed)
        try:
            for _ in range(4000):
                key = source.choice(keys)
                if identity.get(line, (key,), lambda key=key: key.place) != key.place:  # type: ignore[misc]
                    wrong.append(key)
                found = latest.result_for(key)
                if found is None:
                    latest.store(key, key.place)
                elif found != key.place:
                    wrong.append(key)
        except Exception as error:  # noqa: BLE001  # a thread's failure must reach the test
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_trimming_keeps_the_latest_results() -> None:
    by_identity: Memo[int] = Memo(8)
    by_value: Memo[int] = Memo(8, by_value=True)
    latest: Memo[int] = Memo()
    keys = [object() for _ in range(5)]
    line = Position()
    for place, key in enumerate(keys):
        assert by_identity.get(line, (key,), lambda place=place: place) == place  # type: ignore[misc]
        assert by_value.get(line, (place,), lambda place=place: place) == place  # type: ignore[misc]
    latest.store(line, 7)

    trim_cache(line, 2)
    assert latest.result_for(line) == 7
    assert [by_identity.get(line, (key,), lambda: -1) for key in keys[:1:-1]] == [4, 3, -1]
    assert [by_value.get(line, (place,), lambda: -1) for place in (4, 3, 2)] == [4, 3, -1]

    trim_cache(line, 0)
    assert latest.result_for(line) is None
    assert by_identity.get(line, (keys[4],), lambda: -1) == -1
    assert by_value.get(line, (4,), lambda: -1) == -1


def test_trimming_a_state_without_a_cache_creates_none() -> None:
    line = Position()
    trim_cache(line, 2)
    trim_cache(line, 0)
    assert "memory" not in line.__dict__
