"""What a player prefers, kept in the user's configuration folder."""

import os
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
from platformdirs import user_config_path

from tui.terminal import PaletteName, Terminal

_FILE: Final = "settings.json"
_LARGEST: Final = 65_536
"""Bytes of a settings file that are read at most."""


class Choice(StrEnum):
    """A switch that may follow the terminal."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class PaletteChoice(StrEnum):
    """A palette, or the one that fits the terminal."""

    AUTO = "auto"
    COLOUR = "colour"
    COLOUR_BLIND = "colour-blind"
    MONOCHROME = "monochrome"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All preferences; unknown fields of a newer program are ignored."""

    palette: PaletteChoice = PaletteChoice.AUTO
    ascii: Choice = Choice.AUTO
    """Draw everything in ASCII."""
    reduced_motion: bool = False
    """Keep the map still: scroll only when the cursor would leave it, show no spinners."""
    name: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """Name shown to other players; empty for none."""

    def palette_for(self, terminal: Terminal) -> PaletteName:
        """Return the palette to paint with on a terminal."""
        if self.palette is PaletteChoice.AUTO:
            return PaletteName.COLOUR if terminal.colours else PaletteName.MONOCHROME
        return PaletteName(self.palette) if terminal.colours else PaletteName.MONOCHROME

    def ascii_for(self, terminal: Terminal) -> bool:
        """Return whether to keep to ASCII on a terminal."""
        if self.ascii is Choice.AUTO:
            return not terminal.unicode
        return self.ascii is Choice.ON


def settings_path() -> Path:
    """Return where the settings are kept."""
    return user_config_path("flagplot", appauthor=False) / _FILE


def load_settings(path: Path) -> tuple[Settings, str]:
    """Return the settings of a file and a sentence about what is wrong with it.

    A missing file gives the defaults and no sentence; a broken one gives the defaults and says so.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST)
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        return Settings(), f"the settings cannot be read ({error.strerror}); defaults are used"
    try:
        return msgspec.json.decode(content, type=Settings), ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Settings(), f"the settings are not valid ({error}); defaults are used"


def save_settings(path: Path, settings: Settings) -> str:
    """Write the settings whole or not at all; return a sentence when the disk refuses, else nothing."""
    content = msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".settings-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        return f"the settings cannot be saved ({error.strerror})"
    return ""
