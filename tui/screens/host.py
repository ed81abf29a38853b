"""Hosting: what to open for others, and the invites to hand out."""

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
from tui.screens.form import Field, FormDialog

_SEAT: Final = "seat:"
_PORT: Final = "7480"
_PEOPLE: Final = "people"
_AS_NAMED: Final = ""
"""No number of people: the names say who plays what."""


def _fields(ruleset: AnyRuleset, name: str) -> tuple[Field, ...]:
    scenarios = ruleset.scenarios()
    roles = scenarios[0].roles
    presenter = presenter_of(ruleset)
    partners = "one name may take several roles of a team; " if scenarios[0].teams else ""
    return (
        Field(
            id="scenario",
            label="Scenario",
            values=tuple(info.id for info in scenarios),
            names=tuple(info.name for info in scenarios),
            value=scenarios[0].id,
            helps=tuple(f"{info.name}: {info.summary}" for info in scenarios),
        ),
        *_people(scenarios[0]),
        *(
            Field(
                id=f"{_SEAT}{role}",
                label=presenter.role_name(role),
                value=name if place == 0 and name else str(role),
                help=f"name of the player, {partners}or a bot: {', '.join(PREFIX + bot for bot in bots(ruleset.game))}",
            )
            for place, role in enumerate(roles)
        ),
        Field(id="port", label="Port", value=_PORT, help="0 takes any free port"),
    )


def _people(info: ScenarioInfo) -> tuple[Field, ...]:
    """Return the row that takes usual seats; none in a game where every role is a person's."""
    if not info.seatings:
        return ()
    counts = tuple(sorted({str(len(seating)) for seating in info.seatings}))
    return (
        Field(
            id=_PEOPLE,
            label="People",
            values=(_AS_NAMED, *counts),
            names=("as named", *counts),
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
    """Return the host that a form asks for, for everybody in the network, with its files in a folder."""
    port = values["port"]
    players = {
        Role(name.removeprefix(_SEAT)): value or name.removeprefix(_SEAT)
        for name, value in values.items()
        if name.startswith(_SEAT)
    }
    people = values.get(_PEOPLE, _AS_NAMED)
    if people != _AS_NAMED:
        info = next(one for one in ruleset.scenarios() if one.id == values["scenario"])
        players = _shared(info, people, players)
    return Plan(
        host="0.0.0.0",  # noqa: S104  # a LAN game is for the whole LAN; seats prove themselves by key
        port=int(port) if port.isdecimal() else int(_PORT),
        plain=False,
        folder=folder,
        invites=folder / "invites",
        game=ruleset.game,
        scenario=values["scenario"],
        players=players,
    )


class HostDialog(FormDialog):
    """Asks what to host."""

    def __init__(self, ruleset: AnyRuleset, name: str) -> None:
        super().__init__(f"Host: {ruleset.title}", _fields(ruleset, name), "Open the match")


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
