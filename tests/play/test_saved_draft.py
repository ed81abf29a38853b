"""Uncommitted commands are restored when a game is opened again, but never enter the record or another game."""

import errno
from pathlib import Path

import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from play.draft import Draft
from play.games import NewGame, create_game, resume
from play.local_session import LocalSession
from play.saved_draft import restored_draft_notice, save_draft
from saves.files import Files

GERMANY = Role("germany")
GAME = NewGame(
    game="qmg",
    scenario="base",
    bots={Role(role): "greedy" for role in ("uk", "japan", "ussr", "italy", "usa")},
)
KEPT = "a.fplog.germany.tries"


async def left(path: Path, tries: int) -> LocalSession:
    """Return a game that was left after this number of tried commands at its first question."""
    session = create_game(GAME, path)
    for _ in range(tries):
        decision = session.decision()
        assert decision is not None
        await session.give(decision.options[0])
    assert session.draft.size == tries
    await session.close()
    return session


async def test_draft_is_restored_on_resume_and_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    await left(path, 3)
    before = path.read_bytes()
    session = resume(path, GERMANY)
    assert (session.draft.size, session.drafts.restored_count) == (3, 3)
    assert path.read_bytes() == before, "tries are no part of the record"
    first = session.draft.commands[0]
    for _ in range(3):
        session.draft.undo()
    decision = session.decision()
    assert decision is not None
    assert first in decision.options
    await session.close()
    assert not (tmp_path / KEPT).exists(), "nothing is tried any more"


async def test_committed_commands_are_not_restored_as_a_draft(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    await left(path, 2)
    old = (tmp_path / KEPT).read_bytes()
    session = resume(path, GERMANY)
    await session.commit()
    await session.close()
    (tmp_path / KEPT).write_bytes(old)  # as after a power cut
    again = resume(path, GERMANY)
    assert again.draft.commands == ()
    await again.close()


@pytest.mark.parametrize(
    ("content", "tries"),
    [
        pytest.param(b"", 0, id="empty"),
        pytest.param(b"\xff\xfe", 0, id="no-text"),
        pytest.param(b'{"tries": 2, "seq": 0, "lines": []}', 0, id="of-a-later-program"),
        pytest.param(b'{"tries": 1, "seq": 0, "lines": [{"line": "dance"}]}', 0, id="no-command"),
        pytest.param(b'{"tries": 1, "seq": 0, "lines": [{"line": "done"}]}', 0, id="not-legal"),
        pytest.param(b'{"tries": 1, "seq": 7, "lines": [{"line": "FIRST"}]}', 0, id="elsewhere"),
        pytest.param(
            b'{"tries": 1, "seq": 0, "lines": [{"line": "FIRST"}, {"line": "dance"}]}',
            1,
            id="up-to-the-first-that-cannot-be",
        ),
        pytest.param(b"[" * 100_000, 0, id="nested-deep"),
    ],
)
async def test_unusable_draft_entries_are_ignored(
    tmp_path: Path, content: bytes, tries: int
) -> None:
    path = tmp_path / "a.fplog"
    session = await left(path, 1)
    line = session.ruleset.notation.line(resume_first(path))
    (tmp_path / KEPT).write_bytes(content.replace(b"FIRST", line.encode()))
    again = resume(path, GERMANY)
    assert again.draft.size == tries
    await again.close()


def resume_first(path: Path) -> object:
    """Return the first restored command."""
    session = resume(path, GERMANY)
    session.match.close()
    return session.draft.commands[0]


class _Full(Files):
    """A full disk."""

    @override
    def write(self, handle: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


async def test_full_disk_does_not_prevent_leaving(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    await left(path, 1)
    session = resume(path, GERMANY)
    draft = Draft(session.ruleset, GERMANY, session.match.state)
    draft.attempt(session.draft.commands[0])
    old = (tmp_path / KEPT).read_bytes()
    save_draft(tmp_path / KEPT, session.ruleset, 0, draft, _Full())
    assert (tmp_path / KEPT).read_bytes() == old
    await session.close()


def test_restored_draft_notice_counts_the_commands() -> None:
    assert restored_draft_notice(0) == ""
    assert "1 command is not committed" in restored_draft_notice(1)
    assert "12 commands are not committed" in restored_draft_notice(12)
