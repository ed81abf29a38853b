"""The player's preferences as a form."""

from tui.screens.form import Field, FormDialog
from tui.settings import Choice, PaletteChoice, Settings

_YES_NO = ("no", "yes")


def _fields(settings: Settings) -> tuple[Field, ...]:
    return (
        Field(
            id="palette",
            label="Palette",
            values=tuple(PaletteChoice),
            value=settings.palette,
            help="auto takes colours when the terminal has them and NO_COLOR is not set",
        ),
        Field(
            id="ascii",
            label="ASCII only",
            values=tuple(Choice),
            value=settings.ascii,
            help="auto keeps to ASCII when the locale is not UTF-8",
        ),
        Field(
            id="reduced_motion",
            label="Reduced motion",
            values=_YES_NO,
            value=_YES_NO[settings.reduced_motion],
            help="keep the map still until the cursor would leave it",
        ),
        Field(id="name", label="Your name", value=settings.name, help="shown to other players"),
    )


def settings_of(values: dict[str, str]) -> Settings:
    """Return the preferences that a form holds."""
    return Settings(
        palette=PaletteChoice(values["palette"]),
        ascii=Choice(values["ascii"]),
        reduced_motion=values["reduced_motion"] == "yes",
        name=values["name"][:64],
    )


class SettingsDialog(FormDialog):
    """Asks for the preferences."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("Settings", _fields(settings), "Keep")
