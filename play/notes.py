"""Private notes of a player: a page about the match, and a note per place of the map.

They lie in a small file of their own beside the record, one per seat. They are no part of the record, and nothing of
them is ever sent.
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

SUFFIX: Final = ".notes"
NO_NOTES: Final = "Notes are kept at a game of your own."
LONGEST_NOTE: Final = 400
"""Characters of a note on a place."""
LONGEST_PAGE: Final = 20_000
"""Characters of the page about the match."""
_MOST_PLACES: Final = 2_000
_MOST_BYTES: Final = 4 << 20


class NotesError(FlagplotError):
    """A note that is too long, or that cannot be kept."""


_Note = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NOTE)]
_Place = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class Notes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a player has written down."""

    notes: Literal[1] = 1
    """Version of the file."""
    page: Annotated[str, msgspec.Meta(max_length=LONGEST_PAGE)] = ""
    """About the match as a whole; lines are parted by line feeds."""
    places: Annotated[dict[_Place, _Note], msgspec.Meta(max_length=_MOST_PLACES)] = {}


_DECODER: Final = msgspec.json.Decoder(Notes)


class NoteBook:
    """The notes of one player in one match, kept as soon as they are written.

    A file that cannot be read is left as it is: then nothing is written until it is mended or taken away.
    """

    def __init__(self, path: Path | None = None, files: Files = FILES) -> None:
        """Read the notes of a file; a missing one holds none, None keeps nothing beyond the program."""
        self._path, self._files = path, files
        self.problem = ""
        """One sentence about a file that cannot be read, empty for none."""
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
        """Keep another page.

        Raises:
            NotesError: It is too long, or cannot be kept.
        """
        if len(text) > LONGEST_PAGE:
            raise NotesError(f"a page of notes has at most {LONGEST_PAGE} characters")
        self._keep(msgspec.structs.replace(self.notes, page=text))

    def write(self, place: str, text: str) -> None:
        """Keep the note on a place; an empty one takes it away.

        Raises:
            NotesError: It is too long, there are too many, or it cannot be kept.
        """
        if len(text) > LONGEST_NOTE:
            raise NotesError(f"a note has at most {LONGEST_NOTE} characters")
        others = {at: note for at, note in self.notes.places.items() if at != place}
        if len(others) >= _MOST_PLACES:
            raise NotesError(f"{_MOST_PLACES} notes are enough; take one away first")
        places = {**others, place: text} if text else others
        self._keep(msgspec.structs.replace(self.notes, places=places))

    def _keep(self, notes: Notes) -> None:
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
                raise NotesError(f"the note is not kept: {self._path.name}: {reason}") from error
        self.notes = notes

    def _read(self, path: Path) -> None:
        try:
            self.notes = decode(_DECODER, read_file(path, _MOST_BYTES), _MOST_BYTES)
        except FileNotFoundError:
            return
        except OSError as error:
            reason = error.strerror or str(error)
            self.problem = f"{path.name} cannot be read ({reason}) and is left as it is"
        except UnreadableError as error:
            self.problem = f"{path.name} holds no notes ({error}) and is left as it is"
