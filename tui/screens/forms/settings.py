"""The form for the player's preferences."""

from msgspec.structs import replace

from tui.drawing.colours import ThemeName
from tui.screens.forms.form import Field, FormDialog
from tui.terminal.settings import AutoSwitch, ColourChoice, Playback, Settings

_YES_NO = ("no", "yes")
_THINKING_SECONDS = (1, 2, 3, 5, 10, 20, 30, 60)
"""Choices for the strong bot's thinking time, in seconds."""


def _yes_no_field(name: str, value: bool, label: str, help_text: str) -> Field:  # noqa: FBT001  (the setting's own value)
    return Field(id=name, label=label, values=_YES_NO, value=_YES_NO[value], help=help_text)


def _settings_fields(settings: Settings) -> tuple[Field, ...]:
    return (
        Field(
            id="theme",
            label="Theme",
            values=tuple(ThemeName),
            value=settings.theme,
            help="dark, light, high contrast, or for colour-blind players",
        ),
        Field(
            id="colours",
            label="Colours",
            values=tuple(ColourChoice),
            value=settings.colours,
            help="auto uses what the terminal supports; none if NO_COLOR is set",
        ),
        Field(
            id="ascii",
            label="ASCII only",
            values=tuple(AutoSwitch),
            value=settings.ascii,
            help="auto uses ASCII if the locale is not UTF-8",
        ),
        Field(
            id="reduced_motion",
            label="Reduced motion",
            values=_YES_NO,
            value=_YES_NO[settings.reduced_motion],
            help="keep the map still until the cursor would leave it",
        ),
        Field(
            id="playback",
            label="Playback",
            values=tuple(Playback),
            value=settings.playback,
            help="how fast other players' turns are played back on the map",
        ),
        _yes_no_field(
            "news",
            settings.news,
            "Since your move",
            "a pop-up with recent events when it is your move",
        ),
        _yes_no_field("bell", settings.bell, "Bell", "rings when your move comes after a wait"),
        _yes_no_field(
            "window_title",
            settings.window_title,
            "Window title",
            "marked with * while it is your move",
        ),
        Field(
            id="notify",
            label="Notification",
            values=tuple(AutoSwitch),
            value=settings.notify,
            help="on the desktop, when your move comes after a wait",
        ),
        _yes_no_field(
            "lan",
            settings.lan,
            "Local network",
            "Host announces your name, the game and free seats; Join lists other hosts",
        ),
        Field(
            id="thinking",
            label="Thinking time",
            values=tuple(map(str, sorted({*_THINKING_SECONDS, settings.thinking}))),
            value=str(settings.thinking),
            help="seconds that the strong bot may think about each move",
        ),
        Field(id="name", label="Your name", value=settings.name, help="shown to other players"),
    )


def settings_from_form(values: dict[str, str], settings_before: Settings) -> Settings:
    """Return the preferences chosen in a form. Preferences without a row are left unchanged."""
    return replace(
        settings_before,
        theme=ThemeName(values["theme"]),
        colours=ColourChoice(values["colours"]),
        ascii=AutoSwitch(values["ascii"]),
        reduced_motion=values["reduced_motion"] == "yes",
        playback=Playback(values["playback"]),
        news=values["news"] == "yes",
        bell=values["bell"] == "yes",
        window_title=values["window_title"] == "yes",
        notify=AutoSwitch(values["notify"]),
        lan=values["lan"] == "yes",
        name=values["name"][:64],
        thinking=int(values["thinking"]),
    )


class SettingsDialog(FormDialog):
    """The preferences form."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("Settings", _settings_fields(settings), "Keep")
