"""The player's preferences, stored in the user's configuration folder."""

import os
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from platformdirs import user_config_path

from engine.kernel.text_bytes import EncodingError, strip_bom
from tui.drawing.capabilities import Depth, Terminal
from tui.drawing.colours import ThemeName

if TYPE_CHECKING:
    from netplay.discovery.announced_addresses import FindAddresses

_FILE_NAME: Final = "settings.json"
_MAX_BYTES: Final = 65_536
"""Maximum number of bytes read from a settings file."""


class AutoSwitch(StrEnum):
    """A setting that is on, off, or automatic. Automatic means on if the terminal supports the feature."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Playback(StrEnum):
    """Speed at which events are played back on the map."""

    OFF = "off"
    FAST = "fast"
    NORMAL = "normal"
    SLOW = "slow"


class ColourChoice(StrEnum):
    """Number of colours to use. Automatic means the number that the terminal supports."""

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
    """All preferences. Unknown fields from a newer version are ignored."""

    theme: ThemeName = ThemeName.DARK
    colours: ColourChoice = ColourChoice.AUTO
    ascii: AutoSwitch = AutoSwitch.AUTO
    """Use only ASCII characters."""
    reduced_motion: bool = False
    """Keep the screen still: scroll only to keep the cursor in view, show no spinners, and step only on key presses."""
    playback: Playback = Playback.NORMAL
    news: bool = True
    """Show a pop-up with the events since the player's last move."""
    bell: bool = True
    """Ring the bell when, after a wait, the player has a decision to make."""
    window_title: bool = True
    """Mark the window title while the player has to decide."""
    notify: AutoSwitch = AutoSwitch.AUTO
    """Send a desktop notification when the player has to decide after a wait.

    Automatic means if the terminal supports notifications.
    """
    lan: bool = True
    """Announce matches hosted on this computer on the local network, and list matches that others announce."""
    name: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """Name shown to other players; empty for none."""
    thinking: Annotated[int, msgspec.Meta(ge=1, le=60)] = 3
    """Time limit per decision, in seconds, for bots that look ahead."""
    docks: dict[str, dict[str, bool]] = msgspec.field(default_factory=dict)
    """For each screen-size name, the panels that the player has switched on or off (see `tui.panels.docks`)."""

    def depth_for(self, terminal: Terminal) -> Depth:
        """Return the colour depth to use on a terminal."""
        if self.colours is ColourChoice.AUTO or terminal.depth is Depth.NONE:
            return terminal.depth
        return _DEPTHS[self.colours]

    def ascii_for(self, terminal: Terminal) -> bool:
        """Return whether to use only ASCII on a terminal."""
        if self.ascii is AutoSwitch.AUTO:
            return not terminal.unicode
        return self.ascii is AutoSwitch.ON


def settings_path() -> Path:
    """Return the path of the settings file."""
    return user_config_path("flagplot", appauthor=False) / _FILE_NAME


def load_settings(path: Path) -> tuple[Settings, str]:
    """Load the settings. Return them with an error message, which is empty if there was no problem.

    If the file does not exist, return the defaults without a message.
    If it is unreadable or invalid, return the defaults with a message.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES)
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        return (
            Settings(),
            f"the settings file cannot be read ({error.strerror}); using the defaults",
        )
    try:
        content = strip_bom(content)
        return _migrate_palette(content, msgspec.json.decode(content, type=Settings)), ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, EncodingError) as error:
        return Settings(), f"the settings file is invalid ({error}); using the defaults"


class _OldSettings(msgspec.Struct, frozen=True):
    """The palette setting from versions that had no themes."""

    palette: str = ""


def _migrate_palette(content: bytes, settings: Settings) -> Settings:
    """Convert the palette setting of an earlier version to a theme."""
    match msgspec.json.decode(content, type=_OldSettings).palette:
        case "colour-blind":
            return msgspec.structs.replace(settings, theme=ThemeName.COLOUR_BLIND)
        case "monochrome":
            return msgspec.structs.replace(settings, colours=ColourChoice.NONE)
        case _:
            return settings


def find_addresses(settings: Settings) -> "FindAddresses | None":
    """Return a function that finds a host's new local address; None if the settings forbid this search."""
    from netplay.discovery.announced_addresses import AnnouncedAddresses

    return AnnouncedAddresses().find if settings.lan else None


def save_settings(path: Path, settings: Settings) -> str:
    """Save the settings atomically. Return an error message, or an empty string on success."""
    content = msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Use the same folder, because a rename is atomic only within one file system.
        handle, name = tempfile.mkstemp(prefix=".settings-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                # Without this sync, a power cut after the rename could leave an empty file.
                os.fsync(file.fileno())
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        return f"the settings cannot be saved ({error.strerror})"
    return ""
