"""M1: the host of an opening serves its other matches while it deals."""

import asyncio
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path

import pytest

from saves.fair.opening import with_opening
from saves.fair.state import FairState
from tests.netplay.test_attack_posts import serve_others
from tests.netplay.test_fair import EOTS_PLAYERS, hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)


@pytest.mark.usefixtures("quick_proofs")
async def test_a_host_serves_others_between_the_steps_of_a_deal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, deals = [0], list[list[int]]()

    def noted(state: FairState) -> Generator[None, None, FairState]:
        deals.append(seen := [])
        steps = with_opening(state)
        while True:
            seen.append(turns[0])
            try:
                next(steps)
            except StopIteration as end:
                dealt: FairState = end.value
                return dealt
            yield

    monkeypatch.setattr("saves.fair.fold.with_opening", noted)
    others = asyncio.create_task(serve_others(turns))
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS):
        others.cancel()
    host = deals[0]  # the host deals before it sends the last reveal to the seats
    assert len(host) > 2
    assert all(before < after for before, after in pairwise(host))
