"""Whole fair matches that are stored permanently: every copy of each, in one compressed file.

``python -m tests.saves.protocol6.golden_matches NEW`` plays the matches that are listed here and not yet stored.
A stored match is never written again. The copies of a match share most of their bytes, so together they take little
more room than one of them.
"""

import lzma
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from engine.registry import ruleset
from saves.logfile import log_bytes
from tests.saves.protocol6.faircheats import File, copy_of, full_of
from tests.saves.protocol6.fairtable import FairTable

FOLDER: Final = Path(__file__).parent / "golden"
FULL_RECORD: Final = "full"
HOST: Final = "host"
WATCHING: Final = "spectator"
SEATS: Final[Mapping[str, tuple[Role, ...]]] = {
    "eots-1943": ruleset("eots").scenario_info("1943", {}).roles,
    "eots-1943-hand-keys": ruleset("eots").scenario_info("1943", {}).roles,
    "qmg-base": QMG.scenario_info("base", {}).roles,
}
"""The matches and their players.

Keys of a mixed hand follow from its slots in the first and last match, and from the step in the other.
"""
_LATE_ROUND: Final = 19
"""The match of Quartermaster General plays its last two rounds."""
_TAKEBACKS: Final = 0.03


def packed(name: str) -> Path:
    """Return the path at which a match is stored."""
    return FOLDER / f"{name}.xz"


@lru_cache
def copies(name: str) -> Mapping[str, bytes]:
    """Return the files of a match: the full record, the host's copy, and the copies of each seat and of a spectator."""
    return msgspec.msgpack.decode(lzma.decompress(packed(name).read_bytes()), type=dict[str, bytes])


def _played(name: str) -> FairTable:
    table = FairTable("eots", "1943") if name.startswith("eots") else _last_rounds()
    table.play(seed=1943, takebacks=_TAKEBACKS)
    table.finish()
    return table


def _last_rounds() -> FairTable:
    position = replace(QMG.position("base", {}), round=_LATE_ROUND)
    return FairTable("qmg", "base", position=position)


def _written(table: FairTable) -> Mapping[str, bytes]:
    records = table.match.records
    seats = {str(role): copy_of(table, records, role) for role in table.seats}
    files: dict[str, File] = {
        FULL_RECORD: full_of(table, records),
        HOST: (table.match.header, records),
        **seats,
        WATCHING: copy_of(table, records, None),
    }
    return {kind: log_bytes(*file) for kind, file in files.items()}


def add_new() -> None:
    """Play every match that is not stored yet."""
    FOLDER.mkdir(exist_ok=True)
    for name in SEATS:
        if packed(name).exists():
            continue
        table = _played(name)
        data = lzma.compress(msgspec.msgpack.encode(_written(table)), preset=9)
        packed(name).write_bytes(data)
        print(name, table.match.chain.hex(), len(data))  # noqa: T201 - a tool for contributors


if __name__ == "__main__" and sys.argv[1:] == ["NEW"]:
    add_new()
