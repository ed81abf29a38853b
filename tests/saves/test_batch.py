"""Records that are written together: one wait for the disk, the same file, and none counted too early."""

from pathlib import Path

import pytest
from typing_extensions import override

from saves.errors import StorageError
from saves.files import Files
from saves.follower import Follower
from saves.logfile import LogWriter, read_log
from saves.match import Match
from tests.toy_game import BLUE, RED, TOY, Hold, Roll, ToyState


class Counting(Files):
    """Counts the waits for the disk, and refuses one on request."""

    def __init__(self) -> None:
        self.waits = 0
        self.refuses = False

    @override
    def sync_data(self, handle: int) -> None:
        if self.refuses:
            raise OSError(5, "Input/output error")
        self.waits += 1
        super().sync_data(handle)


@pytest.fixture
def match() -> Match[ToyState]:
    made: Match[ToyState] = Match.create(
        TOY, TOY.position("short", {}), "short", {}, (), bytes(range(32))
    )
    for role, command in ((RED, Hold()), (BLUE, Hold()), (RED, Roll())):
        made.submit(role, command, made.seq)
    return made


def test_batched_records_use_one_fsync_and_give_the_same_file(
    tmp_path: Path, match: Match[ToyState]
) -> None:
    contents = []
    for together in (False, True):
        files = Counting()
        path = tmp_path / f"{together}.fplog"
        follower = Follower.create(TOY, match.redacted_header(RED), LogWriter.create(path, files))
        records = list(match.redacted_records(RED))
        follower.receive(records[0])
        before = files.waits
        if together:
            with follower.batch():
                assert all(map(follower.receive, records[1:]))
                assert files.waits == before
            assert files.waits == before + 1
        else:
            assert all(map(follower.receive, records[1:]))
            assert files.waits == before + 3
        follower.close()
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_new_file_can_begin_with_a_batch(tmp_path: Path, match: Match[ToyState]) -> None:
    path = tmp_path / "new.fplog"
    follower = Follower.create(TOY, match.redacted_header(RED), LogWriter.create(path))
    with follower.batch():
        for record in match.redacted_records(RED):
            follower.receive(record)
        assert not path.exists()
    follower.close()
    assert read_log(path).records[-1].chain == match.chain


def test_failed_batch_write_keeps_earlier_records(tmp_path: Path, match: Match[ToyState]) -> None:
    files = Counting()
    path = tmp_path / "full.fplog"
    follower = Follower.create(TOY, match.redacted_header(RED), LogWriter.create(path, files))
    records = list(match.redacted_records(RED))
    follower.receive(records[0])
    kept = path.read_bytes()
    files.refuses = True
    with pytest.raises(StorageError), follower.batch():
        follower.receive(records[1])
    follower.close()
    assert path.read_bytes() == kept
    assert len(read_log(path).records) == 1
