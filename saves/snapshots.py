"""Stores snapshots (cached states) next to record files, so that a file can be opened without folding every record.

A snapshot is used only if its checksum is correct and its chain value matches the record file. In addition, the rules
must be exactly the same as when the snapshot was written. Any other snapshot is ignored.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from saves.codec import AnyGame, Game, S
from saves.commitments import digest
from saves.decoding import DECODE_ERRORS, canonical, decode
from saves.errors import UnreadableError
from saves.files import FILES, Files, replace_file
from saves.records import HASH_BYTES, Record

SUFFIX: Final = ".snap"
_HASH_PURPOSE: Final = b"flagplot-snap"
_MAX_BYTES: Final = 64 << 20


class StateSnapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cached state, and the number and chain value of the record that it follows."""

    rules: bytes
    """Digest of the code and data of the rules that computed the state."""
    seq: int
    chain: bytes
    state: bytes


_SNAPSHOT_DECODER: Final = msgspec.msgpack.Decoder(StateSnapshot)


def snapshot_path(log: Path) -> Path:
    """Return the path of a record file's snapshot."""
    return log.with_name(log.name + SUFFIX)


@lru_cache(maxsize=16)
def rules_digest(game: AnyGame) -> bytes | None:
    """Return a digest of the rules' code and data, or None if the rules' files cannot be located."""
    module = sys.modules[type(game).__module__]
    kernel = sys.modules["engine.kernel.ruleset"]
    hasher = blake2b(digest_size=HASH_BYTES)
    for package_module in (kernel, module):
        if package_module.__file__ is None:
            return None
        folder = Path(package_module.__file__).parent
        # rglob() lists files in file-system order, which may change when the folder is copied.
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
            hasher.update(canonical((str(path.relative_to(folder)), path.read_bytes())))
    return hasher.digest()


def write_snapshot(
    log: Path, game: Game[S], record: Record, state: S, files: Files = FILES
) -> bool:
    """Save the state after a record. Return False if saving fails. The file then only opens more slowly."""
    try:
        # Maps keep their order, because rules may iterate over them in that order.
        body = msgspec.msgpack.encode(game.to_cache(state))
        # Do not save a state that encoding and decoding would change, because the reopened game
        # would be different.
        if _decode_state(game, body) != state:
            return False
        rules = rules_digest(game)
        if rules is None:
            return False
        snapshot = StateSnapshot(rules=rules, seq=record.seq, chain=record.chain, state=body)
        data = canonical(snapshot)
        replace_file(files, snapshot_path(log), data + digest(data, _HASH_PURPOSE))
    except (OSError, TypeError, UnreadableError, *DECODE_ERRORS):
        return False
    return True


def read_snapshot(
    log: Path, game: Game[S], records: Sequence[Record], files: Files = FILES
) -> tuple[int, S] | None:
    """Return the record number and state in a record file's snapshot, or None if the snapshot is unusable."""
    with suppress(OSError, TypeError, UnreadableError):
        content = files.read(snapshot_path(log), _MAX_BYTES + HASH_BYTES)
        data, checksum = content[:-HASH_BYTES], content[-HASH_BYTES:]
        if digest(data, _HASH_PURPOSE) != checksum:
            return None
        snapshot = decode(_SNAPSHOT_DECODER, data, _MAX_BYTES)
        if not 0 <= snapshot.seq < len(records):
            return None
        # Compare the digest last, because computing it reads all the rules' files.
        if records[snapshot.seq].chain != snapshot.chain or snapshot.rules != rules_digest(game):
            return None
        return snapshot.seq, _decode_state(game, snapshot.state)
    return None


def _decode_state(game: Game[S], body: bytes) -> S:
    decoder = msgspec.msgpack.Decoder(type(game.to_cache(game.initial_state())))
    return game.from_cache(decode(decoder, body, _MAX_BYTES))
