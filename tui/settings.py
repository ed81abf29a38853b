"""What a player prefers, kept in the user's configuration folder."""

import os
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from platformdirs import user_config_path

from engine.kernel.text_bytes import EncodingError, utf_8
from tui.colours import ThemeName
from tui.terminal import Depth, Terminal

if TYPE_CHECKING:
    from netplay.announced_addresses import FindAddresses

_FILE: Final = "settings.json"
_LARGEST: Final = 65_536
"""Bytes of a settings file that are read at most."""


class Choice(StrEnum):
    """A switch that may follow the terminal."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Playback(StrEnum):
    """How fast what happened is played back on the map."""

    OFF = "off"
    FAST = "fast"
    NORMAL = "normal"
    SLOW = "slow"


class ColourChoice(StrEnum):
    """How many colours are used, or as many as the terminal has."""

    AUTO = "auto"
    TRUE = "true"
    MANY = "256"
    SIXTEEN = "16"
    NONE = "none"


_DEPTHS: Final = {
    ColourChoice.TRUE: Depth.TRUE,
    ColourChoice.MANY: Depth.MANY,
    ColourChoice.SIXTEEN: Depth.SIXTEEN,
    ColourChoice.NONE: Depth.NONE,
}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All preferences; unknown fields of a newer program are ignored."""

    theme: ThemeName = ThemeName.DARK
    colours: ColourChoice = ColourChoice.AUTO
    ascii: Choice = Choice.AUTO
    """Draw everything in ASCII."""
    reduced_motion: bool = False
    """Keep the map still: scroll only when the cursor would leave it, show no spinners, step by key alone."""
    playback: Playback = Playback.NORMAL
    news: bool = True
    """Open a card with what happened since the own move."""
    bell: bool = True
    """Ring when a question comes after waiting."""
    window_title: bool = True
    """Mark the title of the window while the player is asked."""
    notify: Choice = Choice.AUTO
    """Send a notification to the desktop when a question comes after waiting; auto where the terminal is known to."""
    lan: bool = True
    """Tell the local network which matches are open here, and list those of others."""
    name: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """Name shown to other players; empty for none."""
    thinking: Annotated[int, msgspec.Meta(ge=1, le=60)] = 3
    """Seconds that a bot which looks ahead may think about an answer."""
    docks: dict[str, dict[str, bool]] = msgspec.field(default_factory=dict)
    """Panels that the player has switched on or off, by the name of the size (tui.docks)."""

    def depth_for(self, terminal: Terminal) -> Depth:
        """Return how many colours to use on a terminal; one without colours gets none."""
        if self.colours is ColourChoice.AUTO or terminal.depth is Depth.NONE:
            return terminal.depth
        return _DEPTHS[self.colours]

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
        content = utf_8(content)
        return _today(content, msgspec.json.decode(content, type=Settings)), ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, EncodingError) as error:
        return Settings(), f"the settings are not valid ({error}); defaults are used"


class _Earlier(msgspec.Struct, frozen=True):
    """What settings had before there were themes."""

    palette: str = ""


def _today(content: bytes, settings: Settings) -> Settings:
    """Return the settings of a file with what an earlier program called its palette."""
    match msgspec.json.decode(content, type=_Earlier).palette:
        case "colour-blind":
            return msgspec.structs.replace(settings, theme=ThemeName.COLOUR_BLIND)
        case "monochrome":
            return msgspec.structs.replace(settings, colours=ColourChoice.NONE)
        case _:
            return settings


def find_addresses(settings: Settings) -> "FindAddresses | None":
    """Return what finds a host whose address has changed in the local network, None where the settings forbid it."""
    from netplay.announced_addresses import AnnouncedAddresses

    return AnnouncedAddresses().find if settings.lan else None


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
