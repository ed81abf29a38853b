"""Stores a player's private notes: one page about the match, and one note per place on the map.

Each seat has a small file next to the record. Notes are not part of the record and are never sent.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec

from engine.kernel.errors import FlagplotError
from saves.decoding import decode
from saves.errors import UnreadableError
from saves.files import FILES, Files, read_file, replace_file

NOTES_SUFFIX: Final = ".notes"
NO_NOTES: Final = "You can keep notes only in your own games."
MAX_NOTE_LENGTH: Final = 400
"""Maximum number of characters in a note on a place."""
MAX_PAGE_LENGTH: Final = 20_000
"""Maximum number of characters on the page about the match."""
_MAX_PLACES: Final = 2_000
_MAX_BYTES: Final = 4 << 20


class NotesError(FlagplotError):
    """A note is too long or cannot be saved."""


_Note = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NOTE_LENGTH)]
_Place = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class Notes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of a player's notes."""

    notes: Literal[1] = 1
    """Version of the file format."""
    page: Annotated[str, msgspec.Meta(max_length=MAX_PAGE_LENGTH)] = ""
    """Notes about the whole match. Lines are separated by line feeds."""
    places: Annotated[dict[_Place, _Note], msgspec.Meta(max_length=_MAX_PLACES)] = {}


_DECODER: Final = msgspec.json.Decoder(Notes)


class Notebook:
    """One player's notes on one match, saved after every change.

    An unreadable file is left unchanged, and nothing is saved until it is repaired or removed.
    """

    def __init__(self, path: Path | None = None, files: Files = FILES) -> None:
        """Read the notes from a file, which need not exist.

        If the path is None, the notes last only until the program exits.
        """
        self._path, self._files = path, files
        self.problem = ""
        """One sentence that reports an unreadable file; empty if the file could be read."""
        self.notes = Notes()
        if path is not None:
            self._read(path)

    @property
    def page(self) -> str:
        """Return the page about the match."""
        return self.notes.page

    @property
    def places(self) -> Mapping[str, str]:
        """Return the notes by place."""
        return MappingProxyType(self.notes.places)

    def write_page(self, text: str) -> None:
        """Replace the page.

        Raises:
            NotesError: The page is too long or cannot be saved.
        """
        if len(text) > MAX_PAGE_LENGTH:
            raise NotesError(f"a page of notes is limited to {MAX_PAGE_LENGTH} characters")
        self._save(msgspec.structs.replace(self.notes, page=text))

    def write_place_note(self, place: str, text: str) -> None:
        """Save the note on a place. An empty text deletes it.

        Raises:
            NotesError: The note is too long or cannot be saved, or there are too many notes.
        """
        if len(text) > MAX_NOTE_LENGTH:
            raise NotesError(f"a note is limited to {MAX_NOTE_LENGTH} characters")
        other_notes = {
            other_place: note
            for other_place, note in self.notes.places.items()
            if other_place != place
        }
        if len(other_notes) >= _MAX_PLACES:
            raise NotesError(f"there are already {_MAX_PLACES} notes; remove one first")
        places = {**other_notes, place: text} if text else other_notes
        self._save(msgspec.structs.replace(self.notes, places=places))

    def _save(self, notes: Notes) -> None:
        if notes == self.notes:
            return
        if self.problem:
            raise NotesError(self.problem)
        if self._path is not None:
            content = msgspec.json.format(msgspec.json.encode(notes), indent=2) + b"\n"
            try:
                replace_file(self._files, self._path, content)
            except OSError as error:
                reason = error.strerror or str(error)
                raise NotesError(f"the note was not saved: {self._path.name}: {reason}") from error
        # The notes are updated only after the file is written, so that the screen never shows a
        # note that was not saved.
        self.notes = notes

    def _read(self, path: Path) -> None:
        try:
            self.notes = decode(_DECODER, read_file(path, _MAX_BYTES), _MAX_BYTES)
        except FileNotFoundError:
            return
        except OSError as error:
            reason = error.strerror or str(error)
            self.problem = f"{path.name} cannot be read ({reason}) and was left unchanged"
        except UnreadableError as error:
            self.problem = f"{path.name} contains no valid notes ({error}) and was left unchanged"
