"""Hosting: what to open for others, and who plays what."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from engine.bots.registry import bots, level_words
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset
from netplay.hosting import Plan
from netplay.identity import SPECTATOR
from netplay.opening import HOST, JOINT, chance_named
from play.bots import PREFIX, bot_name
from play.seating import usual_seats
from tui.presenter import presenter_of
from tui.screens.form import Field
from tui.screens.match_form import MatchDialog
from tui.screens.match_rows import (
    SEAT,
    chosen_info,
    chosen_options,
    deciding,
    folded,
    level_field,
    option_fields,
    rulings_field,
    scenario_field,
)

PORT: Final = "7480"
NAMELESS: Final = "Host"
"""What the host is called who has told no name."""
_PEOPLE: Final = "people"
_CHANCE: Final = "chance"
_PORT: Final = "port"
_COME: Final = "come"
_MAIL: Final = "mail"
_AS_NAMED: Final = ""
"""No number of people: the names say who plays what."""


def _fields(ruleset: AnyRuleset, name: str) -> tuple[Field, ...]:
    infos = tuple(ruleset.infos())
    presenter = presenter_of(ruleset)
    players = tuple(f"{PREFIX}{bot}" for bot in bots(ruleset.game))
    bot_names = tuple(f"bot: {bot}" for bot in bots(ruleset.game))
    has_teams = any(info.teams for info in infos)
    partners = " One name may take several roles of a team." if has_teams else ""
    guest = (
        f"A guest plays this seat; Enter takes a name, after which the invite is called.{partners}"
    )
    bot_helps = tuple(f"A bot: {bot} {level_words(bot)}." for bot in bots(ruleset.game))
    return (
        scenario_field(ruleset),
        *option_fields(deciding(ruleset)),
        level_field(ruleset),
        *_people(infos),
        Field(
            id=_COME,
            label="Guests come",
            values=("", _MAIL),
            names=("over the network", "by move files"),
            value="",
            helps=(
                "They dial your machine, now or whenever it is open.",
                "Nobody is online together: files go by mail or chat, and your program judges.",
            ),
        ),
        *(
            Field(
                id=f"{SEAT}{role}",
                label=presenter.role_name(role),
                values=(name, str(role), *players),
                names=(f"you, {name}", "a guest", *bot_names),
                value=name if place == 0 else str(role),
                is_open=True,
                question=f"Who plays {presenter.role_name(role)}? A guest's name",
                help=guest,
                helps=(f"You play this seat.{partners}", guest, *bot_helps),
            )
            for place, role in enumerate(ruleset.all_roles())
        ),
        Field(
            id=_CHANCE,
            label="Chance",
            values=("", JOINT, HOST),
            names=("as usual", "of all seats", "of the host"),
            value="",
            help="Who makes dice and draws. As usual: all seats where two people play, else the host.",
            helps=(
                "All seats where two people play, else the host.",
                "Nobody can choose or foresee dice and draws; every seat must be here when one falls.",
                "Dice and draws come from this host; guests trust it, and nobody else need be here for them.",
            ),
        ),
        Field(id="port", label="Port", value=PORT, help="Where guests dial; 0 takes any free one."),
        rulings_field(ruleset),
        *option_fields(folded(ruleset)),
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
            help="A number takes the usual seats; each has the name of its first role below.",
        ),
    )


def _shared(info: ScenarioInfo, people: str, players: dict[Role, str]) -> dict[Role, str]:
    """Return the players with the usual seats for so many people; bots keep their roles."""
    shared = dict(players)
    for seat in usual_seats(info, int(people)):
        persons = [role for role in seat if not bot_name(players[role])]
        shared |= dict.fromkeys(persons, players[persons[0]] if persons else "")
    return shared


def plan_of(ruleset: AnyRuleset, values: dict[str, str], folder: Path, own: str = "") -> Plan:
    """Return the host that a form asks for, for everybody in the network, with its files in a folder.

    Args:
        ruleset: The game.
        values: What the form holds.
        folder: Where the host keeps its files.
        own: Name of the player who hosts; he watches where he has no seat.

    Raises:
        DataError: The match has no usual seats for so many people.
    """
    port = values["port"]
    info = chosen_info(ruleset, values)
    players = {role: values[f"{SEAT}{role}"] or str(role) for role in info.roles}
    people = values.get(_PEOPLE, _AS_NAMED)
    if people != _AS_NAMED:
        players = _shared(info, people, players)
    by_mail = values.get(_COME) == _MAIL
    seats = [str(role) for role, player in players.items() if own and player == own]
    return Plan(
        host="0.0.0.0",  # noqa: S104  # a LAN game is for the whole LAN; seats prove themselves by key
        port=int(port) if port.isdecimal() else int(PORT),
        plain=False,
        folder=folder,
        invites=folder / "invites",
        game=ruleset.game,
        scenario=info.id,
        options=chosen_options(ruleset, values),
        players=players,
        chance=HOST if by_mail else chance_named(values.get(_CHANCE, ""), info, players),
        by_mail=by_mail,
        own=seats[0] if seats else SPECTATOR,
    )


class HostDialog(MatchDialog):
    """Asks what to host."""

    def __init__(self, ruleset: AnyRuleset, name: str) -> None:
        title = f"Host: {ruleset.title}"
        fields = _fields(ruleset, name or NAMELESS)
        done_at = len(fields) - len(folded(ruleset)) - 1
        super().__init__(ruleset, title, fields, "Open the match", done_at)

    def hidden(self) -> Collection[str]:
        """Return the seats that the match does not have, and the usual seats where it has none."""
        hidden = set(super().hidden())
        if _PEOPLE in self.values and not chosen_info(self._ruleset, self.values).seatings:
            hidden.add(_PEOPLE)
        if self.values.get(_COME) == _MAIL:
            hidden |= {_PORT, _CHANCE}
        return hidden
