"""Files on a machine whose power can be cut: unsynced data may be there completely, partly, or not at all."""

import os
import random
from pathlib import Path
from typing import NamedTuple

from typing_extensions import override

from saves.files import Files

SECTOR = 512


class Content(NamedTuple):
    """One file: the data that is certainly on disk, and the data that the running program sees."""

    durable: bytes
    seen: bytes


class Disk(NamedTuple):
    """All files by number, and the names that are certainly on disk and that the program sees."""

    contents: dict[int, Content]
    durable_names: dict[str, int]
    seen_names: dict[str, int]


class CutFiles(Files):
    """Stores a copy of the disk after each operation, with the amount acknowledged by then."""

    def __init__(self, name: str = "", content: bytes = b"") -> None:
        names = {name: 0} if name else {}
        self.disk = Disk({0: Content(content, content)}, names, dict(names))
        self.moments: list[tuple[Disk, int]] = []
        self.acknowledged = 0
        self._handles: dict[int, int] = {}

    def _moment(self) -> None:
        disk = Disk(
            dict(self.disk.contents), dict(self.disk.durable_names), dict(self.disk.seen_names)
        )
        self.moments.append((disk, self.acknowledged))

    def _change(self, handle: int, seen: bytes) -> None:
        number = self._handles[handle]
        self.disk.contents[number] = self.disk.contents[number]._replace(seen=seen)
        self._moment()

    def _seen(self, handle: int) -> bytes:
        return self.disk.contents[self._handles[handle]].seen

    @override
    def open(self, path: Path, flags: int) -> int:
        if flags & os.O_EXCL or path.name not in self.disk.seen_names:
            number = len(self.disk.contents)
            self.disk.contents[number] = Content(b"", b"")
            self.disk.seen_names[path.name] = number
        handle = len(self._handles) + 1000
        self._handles[handle] = self.disk.seen_names[path.name]
        return handle

    @override
    def write(self, handle: int, data: memoryview) -> int:
        self._change(handle, self._seen(handle) + bytes(data))
        return len(data)

    @override
    def sync_data(self, handle: int) -> None:
        number = self._handles[handle]
        seen = self.disk.contents[number].seen
        self.disk.contents[number] = Content(seen, seen)
        self._moment()

    @override
    def sync(self, handle: int) -> None:
        self.sync_data(handle)

    @override
    def truncate(self, handle: int, size: int) -> None:
        self._change(handle, self._seen(handle)[:size])

    @override
    def close(self, handle: int) -> None:
        del self._handles[handle]

    @override
    def rename(self, source: Path, target: Path) -> None:
        self.disk.seen_names[target.name] = self.disk.seen_names.pop(source.name)
        self._moment()

    @override
    def sync_folder(self, folder: Path) -> None:
        self.disk.durable_names.clear()
        self.disk.durable_names.update(self.disk.seen_names)
        self._moment()

    @override
    def read(self, path: Path, most: int, start: bytes = b"") -> bytes:
        seen = self.disk.contents[self.disk.seen_names[path.name]].seen
        assert len(seen) <= most
        assert seen.startswith(start)
        return seen

    @override
    def external_change(self, handle: int, size: int) -> str:
        assert len(self._seen(handle)) == size
        return ""


def after_cut(disk: Disk, name: str, rng: random.Random) -> bytes | None:
    """Return one possible content of a file after a power cut; None if the file is gone."""
    names = rng.choice((disk.durable_names, disk.seen_names))
    if name not in names:
        return None
    durable, seen = disk.contents[names[name]]
    if len(seen) <= len(durable):
        return rng.choice((durable, seen))
    end = rng.choice((len(durable), len(seen), rng.randint(len(durable), len(seen))))
    found = bytearray(seen[:end])
    start = len(durable)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        if rng.random() < 0.4:
            found[start:stop] = bytes(stop - start)
        start = stop
    return bytes(found)
