"""The form for hosting a match: the game, and the player of each role."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from typing_extensions import override

from engine.bots.registry import available_bots, level_description
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.numerals import is_count
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset
from netplay.host.host_command import HostPlan
from netplay.host.match_creation import parse_mode
from netplay.invites.identity import SPECTATOR
from netplay.wire.modes import CHOICES, FAIR, HOST, JOINT, MODE_FOR_TWO, Chance
from play.bots import BOT_PLAYER_PREFIX, bot_name
from play.seating import default_seats
from saves.modes import TITLES
from tui.presenter.presenter import load_presenter
from tui.screens.forms.clock_rows import (
    clock_fields,
    clock_rows,
    hidden_clocks,
    read_clock,
    time_problem,
)
from tui.screens.forms.form import Field
from tui.screens.forms.match_form import MatchDialog
from tui.screens.forms.match_rows import (
    SEAT,
    chosen_info,
    chosen_options,
    collapsed_rulings,
    level_field,
    option_fields,
    role_rulings,
    rulings_field,
    scenario_field,
)

PORT: Final = "7480"
NAMELESS: Final = "Host"
"""Name of the hosting player if the settings contain no name."""
_PERSON_COUNT: Final = "people"
_CHANCE: Final = "chance"
_PORT: Final = "port"
_DELIVERY: Final = "come"
_MAIL: Final = "mail"
_AS_NAMED: Final = ""
"""Value of the seating row if the players are chosen in the seat rows instead of a usual seating."""


_DEFAULT_MODE: Final = ""
_MODE_HELPS: Final[dict[Chance, str]] = {
    FAIR: "Experimental: like joint, but the players' programs deal, which hides hands. Not reviewed yet. Everyone must"
    " be online for each roll.",
    JOINT: "Nobody can choose or predict rolls and draws, but this host can read hands. Everyone must be online for"
    " each roll.",
    HOST: "This host makes all rolls and draws and can read hands. Guests have to trust it. Nobody else needs to be"
    " online.",
}
_MAX_PORT: Final = 65_535


def _fields(ruleset: AnyRuleset, name: str) -> tuple[Field, ...]:
    infos = tuple(ruleset.scenario_variants())
    presenter = load_presenter(ruleset)
    players = tuple(f"{BOT_PLAYER_PREFIX}{bot}" for bot in available_bots(ruleset.game))
    bot_names = tuple(f"bot: {bot}" for bot in available_bots(ruleset.game))
    has_teams = any(info.teams for info in infos)
    shared_roles_text = " One player may take several roles of a team." if has_teams else ""
    guest_help = (
        "A guest plays this seat. Press Enter to type the guest's name, which also names the invite file."
        f"{shared_roles_text}"
    )
    bot_helps = tuple(
        f"A bot: {bot} {level_description(bot)}." for bot in available_bots(ruleset.game)
    )
    return (
        scenario_field(ruleset),
        *option_fields(role_rulings(ruleset)),
        level_field(ruleset),
        *_person_count_field(infos),
        Field(
            id=_DELIVERY,
            label="Guests play",
            values=("", _MAIL),
            value_labels=("over the network", "by move files"),
            value="",
            helps=(
                "Guests connect to your machine while the match is open.",
                "Players need not be online together. They exchange files, and your program runs the match.",
            ),
        ),
        *(
            Field(
                id=f"{SEAT}{role}",
                label=presenter.role_name(role),
                values=(name, str(role), *players),
                value_labels=(f"you, {name}", "a guest", *bot_names),
                value=name if index == 0 else str(role),
                is_open=True,
                question=f"Who plays {presenter.role_name(role)}? A guest's name",
                help=guest_help,
                helps=(f"You play this seat.{shared_roles_text}", guest_help, *bot_helps),
            )
            for index, role in enumerate(ruleset.all_roles())
        ),
        Field(
            id=_CHANCE,
            label="Mode",
            values=(_DEFAULT_MODE, *CHOICES),
            value_labels=("as usual", *(TITLES[mode] for mode in CHOICES)),
            value=_DEFAULT_MODE,
            helps=(
                f"{TITLES[MODE_FOR_TWO].capitalize()} for two people, else trusted host. Right explains the others.",
                *(_MODE_HELPS[mode] for mode in CHOICES),
            ),
        ),
        *clock_fields(),
        Field(
            id=_PORT,
            label="Port",
            value=PORT,
            help="Port that guests connect to; 0 for any free port.",
        ),
        rulings_field(ruleset),
        *option_fields(collapsed_rulings(ruleset)),
    )


def _person_count_field(infos: tuple[ScenarioInfo, ...]) -> tuple[Field, ...]:
    """Return the row for choosing the usual seating by number of people; empty if the game has no usual seating."""
    counts = sorted({len(seating) for info in infos for seating in info.seatings})
    if not counts:
        return ()
    values = (_AS_NAMED, *map(str, counts))
    return (
        Field(
            id=_PERSON_COUNT,
            label="People",
            values=values,
            value_labels=("as named", *values[1:]),
            value=_AS_NAMED,
            help="Choose a number for the usual seats. Each player is named after their first role below.",
        ),
    )


def _merge_into_seats(info: ScenarioInfo, people: str, players: dict[Role, str]) -> dict[Role, str]:
    """Return the players after merging roles into the usual seats for the given number of people.

    Bots keep their roles.
    """
    shared_players = dict(players)
    for seat in default_seats(info, int(people)):
        persons = [role for role in seat if not bot_name(players[role])]
        shared_players |= dict.fromkeys(persons, players[persons[0]] if persons else "")
    return shared_players


def _players_by_role(info: ScenarioInfo, values: Mapping[str, str]) -> dict[Role, str]:
    """Return the player of each role.

    Raises:
        DataError: The match has no usual seating for that number of people.
    """
    players = {role: values[f"{SEAT}{role}"] or str(role) for role in info.roles}
    people = values.get(_PERSON_COUNT, _AS_NAMED)
    return players if people == _AS_NAMED else _merge_into_seats(info, people, players)


def _network_mode(ruleset: AnyRuleset, info: ScenarioInfo, values: Mapping[str, str]) -> Chance:
    """Return the network mode chosen in a form.

    Raises:
        DataError: The mode is not available for this game, or the seats are invalid.
    """
    if values.get(_DELIVERY) == _MAIL:
        return HOST
    return parse_mode(
        values.get(_CHANCE, _DEFAULT_MODE), ruleset, info, _players_by_role(info, values)
    )


def build_plan(
    ruleset: AnyRuleset, values: dict[str, str], folder: Path, own_name: str = ""
) -> HostPlan:
    """Return the hosting plan that a form describes. The match is open to the whole network.

    Args:
        ruleset: The game.
        values: Values of the form.
        folder: Folder for the host's files.
        own_name: Name of the hosting player. A host without a seat watches the match.

    Raises:
        DataError: The match has no usual seating for that number of people, a time limit is invalid, or the mode is not
            available for this game.
    """
    info = chosen_info(ruleset, values)
    players = _players_by_role(info, values)
    by_mail = values.get(_DELIVERY) == _MAIL
    seats = [str(role) for role, player in players.items() if own_name and player == own_name]
    return HostPlan(
        host="0.0.0.0",  # noqa: S104  # a LAN game must be reachable from the whole LAN; seats authenticate with keys
        port=int(values[_PORT] or PORT),
        plain=False,
        folder=folder,
        invites=folder / "invites",
        game=ruleset.game,
        scenario=info.id,
        options=chosen_options(ruleset, values),
        players=players,
        chance=_network_mode(ruleset, info, values),
        clock=None if by_mail else read_clock(values),
        by_mail=by_mail,
        own_role=seats[0] if seats else SPECTATOR,
    )


class HostDialog(MatchDialog):
    """The form for hosting a match."""

    def __init__(self, ruleset: AnyRuleset, name: str) -> None:
        title = f"Host: {ruleset.title}"
        fields = _fields(ruleset, name or NAMELESS)
        submit_position = len(fields) - len(collapsed_rulings(ruleset)) - 1
        super().__init__(ruleset, title, fields, "Open the match", submit_position)

    @override
    def hidden_rows(self) -> Collection[str]:
        """Return the ids of the seating, network and clock rows that do not apply."""
        hidden_row_indexes = set(super().hidden_rows())
        if _PERSON_COUNT in self.values and not chosen_info(self._ruleset, self.values).seatings:
            hidden_row_indexes.add(_PERSON_COUNT)
        if self.values.get(_DELIVERY) == _MAIL:
            hidden_row_indexes |= {_PORT, _CHANCE, *clock_rows(self.values)}
        return hidden_row_indexes | hidden_clocks(self.values)

    @override
    def problem(self, field: Field, value: str) -> str:
        if field.id == _PORT:
            is_port = not value or (is_count(value) and int(value) <= _MAX_PORT)
            return "" if is_port else f"Port: a number from 0 to {_MAX_PORT}"
        return time_problem(field.id, value)

    @override
    def _value(self, field: Field) -> str:
        """Return a row's displayed value. For the default mode, the value includes the name of the resulting mode."""
        if field.id == _CHANCE and self.values[_CHANCE] == _DEFAULT_MODE:
            return f"< as usual: {self._usual_mode()} >"
        return super()._value(field)

    def _usual_mode(self) -> str:
        info = chosen_info(self._ruleset, self.values)
        try:
            return TITLES[_network_mode(self._ruleset, info, self.values)]
        except DataError:
            return TITLES[HOST]  # invalid seats are reported when the form is submitted
