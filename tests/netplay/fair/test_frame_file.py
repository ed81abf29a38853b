"""The file of frames under the journal: nothing acknowledged is lost, nothing unfinished is read."""

import random
from pathlib import Path

import pytest
from typing_extensions import override

from engine.kernel.errors import DataError
from netplay.journal.frame_file import MAGIC, FrameFile
from saves.errors import StorageError
from tests.saves.cut_files import CutFiles, after_cut
from tests.saves.faulty_files import FaultyFiles
from tests.sizes import sampled, sized

CONTENTS = [b"", b"one", bytes(700), b"\x00\x01" * 40, b"last"]
FAULTS = ["ENOSPC", "EIO-sync", "EMFILE"]


def written(path: Path, contents: list[bytes] = CONTENTS) -> bytes:
    file = FrameFile(path)
    for content in contents:
        file.append(content)
    file.close()
    return path.read_bytes()


def read(path: Path) -> list[bytes]:
    file = FrameFile(path)
    file.close()
    return file.frames


def test_frames_round_trip(tmp_path: Path) -> None:
    written(tmp_path / "file")
    assert read(tmp_path / "file") == CONTENTS


def test_a_truncated_last_frame_is_dropped_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole = written(path)
    start = len(written(tmp_path / "shorter", CONTENTS[:-1]))
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        file = FrameFile(path)
        assert file.frames == CONTENTS[:-1]
        assert file.dropped == end - start
        file.append(b"next")
        file.close()
        assert read(path) == [*CONTENTS[:-1], b"next"]


def test_damage_before_the_last_frame_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole = written(path)
    last = len(written(tmp_path / "shorter", CONTENTS[:-1]))
    places = range(len(MAGIC), last)
    for place in sampled(places, 150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DataError):
            FrameFile(path)
    path.write_bytes(whole[: len(MAGIC)] + whole[last:])
    with pytest.raises(DataError):
        FrameFile(path)
    path.write_bytes(b"another file")
    with pytest.raises(DataError):
        FrameFile(path)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_append_leaves_the_file_unchanged(tmp_path: Path, fault: str) -> None:
    number, was_hit = 0, True
    while was_hit:
        path = tmp_path / f"{fault}-{number}"
        files = FaultyFiles(number, fault)
        file = FrameFile(path, files)
        kept = list[bytes]()
        for content in CONTENTS:
            try:
                file.append(content)
            except StorageError:
                with pytest.raises(StorageError, match=path.name):
                    file.append(b"while the disk refuses")
                assert read(path) in (kept, [*kept, content])
                file.recover()
                assert read(path) == kept
                file.append(content)
            kept.append(content)
        try:
            file.replace(CONTENTS[:2])
        except StorageError:
            assert read(path) in (kept, CONTENTS[:2])
            file.recover()
            file.replace(CONTENTS[:2])
        file.close()
        assert read(path) == CONTENTS[:2]
        number, was_hit = number + 1, files.hit
    assert number > 2


def test_a_file_changed_by_another_program_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    written(path)
    file = FrameFile(path)
    with path.open("ab") as other:
        other.write(b"x")
    with pytest.raises(StorageError):
        file.append(b"next")
    with pytest.raises(StorageError):
        file.recover()
    file.close()


class EmptyDisk(CutFiles):
    """A disk without the file."""

    @override
    def read(self, path: Path, most: int, start: bytes = b"") -> bytes:
        if path.name not in self.disk.seen_names:
            raise FileNotFoundError(path)
        return super().read(path, most, start)


def test_acknowledged_frames_survive_a_power_cut(tmp_path: Path) -> None:
    path, files = tmp_path / "file", EmptyDisk()
    file = FrameFile(path, files)
    rng = random.Random(7)
    contents = [rng.randbytes(rng.randrange(1_500)) for _ in range(8)]
    for number, content in enumerate(contents, 1):
        file.append(content)
        files.acknowledged = number
    for disk, acknowledged in files.moments:
        for _ in range(sized(6, 60)):
            data = after_cut(disk, "file", rng)
            if data is None:
                assert not acknowledged
                continue
            path.write_bytes(data)
            found = read(path)
            assert found == contents[: len(found)]
            assert len(found) >= acknowledged
