"""Hosting: what to open for others, and the invites to hand out."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from engine.bots.registry import bots
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset
from netplay.hosting import Plan, Written
from play.bots import PREFIX, bot_name
from play.seating import usual_seats
from tui.clean import clean
from tui.presenter import presenter_of
from tui.screens.base import FlagScreen
from tui.screens.form import Field
from tui.screens.match_form import (
    SEAT,
    MatchDialog,
    chosen_info,
    chosen_options,
    deciding,
    option_fields,
    scenario_field,
)

_PORT: Final = "7480"
_PEOPLE: Final = "people"
_AS_NAMED: Final = ""
"""No number of people: the names say who plays what."""


def _fields(ruleset: AnyRuleset, name: str) -> tuple[Field, ...]:
    infos = tuple(ruleset.infos())
    presenter = presenter_of(ruleset)
    has_teams = any(info.teams for info in infos)
    partners = "one name may take several roles of a team; " if has_teams else ""
    return (
        scenario_field(ruleset),
        *option_fields(deciding(ruleset)),
        *_people(infos),
        *(
            Field(
                id=f"{SEAT}{role}",
                label=presenter.role_name(role),
                value=name if place == 0 and name else str(role),
                help=f"name of the player, {partners}or a bot: {', '.join(PREFIX + bot for bot in bots(ruleset.game))}",
            )
            for place, role in enumerate(ruleset.all_roles())
        ),
        Field(id="port", label="Port", value=_PORT, help="0 takes any free port"),
    )


def _people(infos: tuple[ScenarioInfo, ...]) -> tuple[Field, ...]:
    """Return the row that takes usual seats; none in a game where every role is a person's."""
    counts = sorted({len(seating) for info in infos for seating in info.seatings})
    if not counts:
        return ()
    values = (_AS_NAMED, *map(str, counts))
    return (
        Field(
            id=_PEOPLE,
            label="People",
            values=values,
            names=("as named", *values[1:]),
            value=_AS_NAMED,
            help="a number takes the usual seats; each has the name of its first role below",
        ),
    )


def _shared(info: ScenarioInfo, people: str, players: dict[Role, str]) -> dict[Role, str]:
    """Return the players with the usual seats for so many people; bots keep their roles."""
    shared = dict(players)
    for seat in usual_seats(info, int(people)):
        persons = [role for role in seat if not bot_name(players[role])]
        shared |= dict.fromkeys(persons, players[persons[0]] if persons else "")
    return shared


def plan_of(ruleset: AnyRuleset, values: dict[str, str], folder: Path) -> Plan:
    """Return the host that a form asks for, for everybody in the network, with its files in a folder.

    Raises:
        DataError: The match has no usual seats for so many people.
    """
    port = values["port"]
    info = chosen_info(ruleset, values)
    players = {role: values[f"{SEAT}{role}"] or str(role) for role in info.roles}
    people = values.get(_PEOPLE, _AS_NAMED)
    if people != _AS_NAMED:
        players = _shared(info, people, players)
    return Plan(
        host="0.0.0.0",  # noqa: S104  # a LAN game is for the whole LAN; seats prove themselves by key
        port=int(port) if port.isdecimal() else int(_PORT),
        plain=False,
        folder=folder,
        invites=folder / "invites",
        game=ruleset.game,
        scenario=info.id,
        options=chosen_options(ruleset, values),
        players=players,
    )


class HostDialog(MatchDialog):
    """Asks what to host."""

    def __init__(self, ruleset: AnyRuleset, name: str) -> None:
        title = f"Host: {ruleset.title}"
        super().__init__(ruleset, title, _fields(ruleset, name), "Open the match")

    def hidden(self) -> Collection[str]:
        """Return the seats that the match does not have, and the usual seats where it has none."""
        hidden = set(super().hidden())
        if _PEOPLE in self.values and not chosen_info(self._ruleset, self.values).seatings:
            hidden.add(_PEOPLE)
        return hidden


class HostedScreen(FlagScreen):
    """The invites of an open match; Enter takes one's seat here."""

    HEADING = "Hosted: hand out these files, take your own seat with Enter"
    DEFAULT_CSS = """
    HostedScreen OptionList { height: auto; padding: 0 1; }
    HostedScreen .hint { height: auto; padding: 1; }
    """
    BINDINGS = [Binding("escape", "app.pop_screen", "Back")]

    def __init__(self, invites: tuple[Written, ...]) -> None:
        """Show the invites."""
        super().__init__()
        self._invites = invites

    def body(self) -> ComposeResult:
        """Compose the invites."""
        yield OptionList(
            *(
                Option(Content(clean(f"{one.role:<10} {one.player:<16} {one.path}", 160)))
                for one in self._invites
            ),
            markup=False,
        )
        yield Static(
            "Whoever holds an invite file is that seat, also tomorrow: send it by a way that you trust. "
            "The match is open as long as this program runs; 'flagplot host' opens it again.",
            classes="hint",
            markup=False,
        )

    def on_mount(self) -> None:
        """Let the keys move in the list."""
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def selected(self, event: OptionList.OptionSelected) -> None:
        """Take the seat of an invite."""
        self.app.open_invite(Path(self._invites[event.option_index].path))  # type: ignore[attr-defined]  # our app
