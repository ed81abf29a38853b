"""Private notes are stored next to the record, one file per seat, atomically, and never in the record."""

import errno
from pathlib import Path

import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from play.games import NewGame, create_game, resume
from play.notes import MAX_NOTE_LENGTH, MAX_PAGE_LENGTH, Notebook, NotesError
from play.save_files import rename_game
from saves.files import Files
from saves.logfile import read_log

GAME = NewGame(game="qmg", scenario="base", bots={Role("japan"): "greedy"})


def test_missing_file_has_no_notes_and_is_not_created(tmp_path: Path) -> None:
    path = tmp_path / "a.notes"
    book = Notebook(path)
    assert (book.page, dict(book.places), book.problem) == ("", {}, "")
    book.write_place_note("4021", "")
    assert not path.exists()


def test_notes_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a.notes"
    book = Notebook(path)
    book.write_place_note("4021", "Rabaul: bypass it")
    book.write_place_note("4828", "fleet base")
    book.write_page("Plan\nfirst the Marshalls")
    book.write_place_note("4828", "")
    again = Notebook(path)
    assert dict(again.places) == {"4021": "Rabaul: bypass it"}
    assert again.page == "Plan\nfirst the Marshalls"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff\xfe\x00", id="no-text"),
        pytest.param(b"[1, 2]", id="another-shape"),
        pytest.param(b'{"notes": 2, "page": ""}', id="of-a-later-program"),
        pytest.param(b'{"notes": 1, "places": {"4021": 5}}', id="another-type"),
        pytest.param(b'{"notes": 1, "colours": {}}', id="unknown-field"),
        pytest.param(b"[" * 100_000, id="nested-deep"),
    ],
)
def test_invalid_notes_file_is_reported_and_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.notes"
    path.write_bytes(content)
    book = Notebook(path)
    assert book.problem.startswith("a.notes contains no valid notes (")
    assert "\n" not in book.problem
    with pytest.raises(NotesError, match="was left unchanged"):
        book.write_place_note("4021", "x")
    assert path.read_bytes() == content
    assert dict(book.places) == {}


def test_folder_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.notes").mkdir()
    assert "cannot be read" in Notebook(tmp_path / "a.notes").problem


class _Full(Files):
    """A full disk."""

    @override
    def write(self, handle: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_full_disk_keeps_the_saved_notes(tmp_path: Path) -> None:
    path = tmp_path / "a.notes"
    Notebook(path).write_place_note("4021", "first")
    book = Notebook(path, _Full())
    with pytest.raises(NotesError, match=r"not saved: a\.notes: No space left"):
        book.write_place_note("4021", "second")
    assert dict(book.places) == {"4021": "first"}
    assert dict(Notebook(path).places) == {"4021": "first"}


def test_overlong_notes_are_refused() -> None:
    book = Notebook()
    with pytest.raises(NotesError, match="limited to"):
        book.write_place_note("4021", "x" * (MAX_NOTE_LENGTH + 1))
    with pytest.raises(NotesError, match="limited to"):
        book.write_page("x" * (MAX_PAGE_LENGTH + 1))
    book.write_place_note("4021", "x" * MAX_NOTE_LENGTH)
    assert dict(book.places) == {"4021": "x" * MAX_NOTE_LENGTH}


async def test_each_seat_has_its_own_notes_beside_the_record(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    session = create_game(GAME, path)
    before = path.read_bytes()
    session.switch_role(Role("germany"))
    assert session.notes is not None
    session.notes.write_place_note("ukraine", "next")
    session.switch_role(Role("uk"))
    assert session.notes is not None
    assert dict(session.notes.places) == {}
    await session.close()
    assert path.read_bytes() == before, "notes are no part of the record"
    assert (tmp_path / "a.fplog.germany.notes").exists()
    new = rename_game(path, "b")
    again = resume(new, Role("germany"))
    assert again.notes is not None
    assert dict(again.notes.places) == {"ukraine": "next"}
    assert read_log(new).records
    await again.close()
