"""Bots that play several roles together: an error in one ends all, with one sentence."""

import asyncio

import pytest

from netplay.wire.errors import NetworkError
from tools.headless_peer import _run_all


async def refused() -> None:
    raise NetworkError("cannot write it: no space left on device")


async def endless() -> None:
    await asyncio.Event().wait()


async def test_failure_of_one_peer_stops_all_and_is_raised_alone() -> None:
    """An example is a full disk of the host. A group of errors would end in a traceback."""
    with pytest.raises(NetworkError, match="no space left"):
        await asyncio.wait_for(_run_all(endless(), refused(), refused()), 10)


async def test_internal_error_is_not_hidden() -> None:
    async def fall() -> None:
        raise KeyError("mistake")

    with pytest.raises(BaseExceptionGroup):
        await asyncio.wait_for(_run_all(endless(), fall()), 10)
