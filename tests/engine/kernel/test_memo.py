"""Memories give back what belongs to the key, also when threads share them."""

import random
import sys
import threading
from collections.abc import Iterator

import pytest

from engine.kernel.memo import IdentityMemo, LatestMemo


@pytest.fixture(autouse=True)
def _busy_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_an_identity_memo_computes_once_and_forgets_the_oldest() -> None:
    memo: IdentityMemo[int] = IdentityMemo(2)
    keys = [object(), object(), object()]
    calls: list[int] = []

    def value(place: int) -> int:
        calls.append(place)
        return place

    for place in (0, 1, 0, 2, 0, 1):
        assert memo.get((keys[place],), lambda place=place: value(place)) == place  # type: ignore[misc]
    assert calls == [0, 1, 2, 1]


def test_a_latest_memo_holds_one_result() -> None:
    memo: LatestMemo[object, int] = LatestMemo()
    one, other = object(), object()
    assert memo.get(one) is None
    assert memo.value is None
    assert memo.keep(one, 1) == 1
    assert memo.get(one) == 1
    assert memo.get(other) is None
    assert memo.value == 1


def test_threads_never_get_what_belongs_to_another_key() -> None:
    keys = [[place] for place in range(40)]
    identity: IdentityMemo[int] = IdentityMemo(8)
    latest: LatestMemo[list[int], int] = LatestMemo()
    wrong: list[object] = []

    def work(seed: int) -> None:
        source = random.Random(seed)
        try:
            for _ in range(4000):
                key = source.choice(keys)
                if identity.get((key,), lambda key=key: key[0]) != key[0]:  # type: ignore[misc]
                    wrong.append(key)
                found = latest.get(key)
                if found is None:
                    latest.keep(key, key[0])
                elif found != key[0]:
                    wrong.append(key)
        except Exception as error:  # noqa: BLE001  # a thread's failure must reach the test
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
