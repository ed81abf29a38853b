"""Whole protocol 7 matches with every copy, stored to check that later versions load and verify them.

``python -m tests.saves.fair.golden_matches NEW`` plays the missing ones. A stored match is never played again.
"""

import lzma
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.kernel.ids import Role
from engine.registry import ruleset
from saves.fair.full_copy import full_copy
from saves.fair.messages import Offer
from saves.fair.state import TranscriptPhase
from saves.logfile import log_bytes
from tests.netplay.fair.match import FairMatch

FOLDER: Final = Path(__file__).parent / "golden"
FULL_RECORD: Final = "full"
HOST: Final = "host"


class Kept(NamedTuple):
    """A description of how a match is played."""

    game: str
    scenario: str
    seed: int
    commands: int
    """Number of commands after which a seat resigns."""
    takebacks: tuple[int, ...]
    """Numbers of commands after which the last two records are taken back."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """The seats."""
        return ruleset(self.game).scenario_info(self.scenario, {}).roles


MATCHES: Final[Mapping[str, Kept]] = {
    "eots-1943": Kept("eots", "1943", 1943, 10_000, (9, 40)),
    "qmg-base": Kept("qmg", "base", 6, 18, (11,)),
}


def packed(name: str) -> Path:
    """Return the path at which a match is stored."""
    return FOLDER / f"{name}.xz"


@lru_cache
def copies(name: str) -> Mapping[str, bytes]:
    """Return the files of a match: the full copy, the host's copy, and each seat's copy."""
    return msgspec.msgpack.decode(lzma.decompress(packed(name).read_bytes()), type=dict[str, bytes])


def _played(kept: Kept) -> FairMatch:
    match = FairMatch(kept.game, kept.scenario, seed=kept.seed)
    match.start()
    for number in range(kept.commands):
        if number in kept.takebacks:
            _take_back(match)
        if not match.step():
            break
    match.finish()
    return match


def _take_back(match: FairMatch) -> None:
    """Take back the last two records with everyone's consent."""
    asker, *others = match.seats.values()
    match.submit(asker.sign_offer(Offer("takeback", match.state.records - 3)))
    for seat in others:
        match.submit(seat.sign_consent(agrees=True))
    match.settle()
    assert match.state.phase is TranscriptPhase.IDLE, "the match goes on"


def _written(match: FairMatch) -> Mapping[str, bytes]:
    public = match.record_files[None]
    files = {
        FULL_RECORD: log_bytes(*full_copy(match.game, public.header, public.records)),
        HOST: log_bytes(public.header, public.records),
    }
    for role in match.seats:
        copy = match.record_files[role]
        files[str(role)] = log_bytes(copy.header, copy.records)
    return files


def add_new() -> None:
    """Play every match that is not stored yet."""
    FOLDER.mkdir(exist_ok=True)
    for name, kept in MATCHES.items():
        if packed(name).exists():
            continue
        match = _played(kept)
        data = lzma.compress(msgspec.msgpack.encode(_written(match)), preset=9)
        packed(name).write_bytes(data)
        records = match.record_files[None].records
        print(name, records[-1].chain.hex(), len(records), len(data))  # noqa: T201 - a tool for contributors


if __name__ == "__main__" and sys.argv[1:] == ["NEW"]:
    add_new()
