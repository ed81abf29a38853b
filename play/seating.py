"""Who sits where: a seat is what one person plays, one role or several of one team."""

from collections.abc import Mapping
from typing import Final

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from play.bots import PREFIX, bot_name

Seating = tuple[tuple[Role, ...], ...]
"""The roles of each person."""
ROLES_JOIN: Final = "+"
"""Stands between the roles of one person."""
_UNNAMED: Final = "player-"


def seats_of(info: ScenarioInfo, players: Mapping[Role, str]) -> Seating:
    """Return the roles of each person in the order of the roles; a bot's roles are seats of their own.

    In a game with teams, roles with the same player's name are one person's.

    Args:
        info: The scenario as it is played.
        players: Player of every role, in the order of the roles.
    """
    seats: dict[str, tuple[Role, ...]] = {}
    for role, player in players.items():
        is_alone = bot_name(player) or not info.teams
        key = f"/{role}" if is_alone else player
        seats[key] = (*seats.get(key, ()), role)
    return tuple(seats.values())


def check_seating(info: ScenarioInfo, players: Mapping[Role, str]) -> None:
    """Accept players of whom nobody has roles of two teams.

    Raises:
        DataError: Somebody has.
    """
    for seat in seats_of(info, players):
        if len(seat) > 1 and not any(set(seat) <= set(team) for team in info.teams.values()):
            problem = f"{players[seat[0]]} cannot play {', '.join(seat)}: they are not one team"
            raise DataError("seats", "", problem)


def usual_seats(info: ScenarioInfo, people: int) -> Seating:
    """Return how a number of people usually shares out the roles.

    Raises:
        DataError: The scenario names no way for so many.
    """
    alone = tuple((role,) for role in info.roles)
    known = {len(seating): seating for seating in (alone, *info.seatings)}
    if people not in known:
        problem = f"there is no seating for {people}; known: {', '.join(map(str, sorted(known)))}"
        raise DataError("scenario", info.id, problem)
    return known[people]


def share_out(
    info: ScenarioInfo, names: tuple[str, ...], bots: Mapping[str, str]
) -> dict[Role, str]:
    """Return the player of every role.

    Args:
        info: The scenario as it is played.
        names: ``role=name`` or ``role+role=name`` each, or names for the roles that no bot has, in
            order. A number in front takes the usual seats for so many people; the names are theirs then.
        bots: Role to bot.

    Raises:
        DataError: Unknown role, too many names, or a seat with roles of two teams.
    """
    roles = info.roles
    players = {Role(role): f"{PREFIX}{name}" for role, name in bots.items()}
    free: Seating = tuple((role,) for role in roles if role not in players)
    if names and names[0].isdecimal():
        usual = usual_seats(info, int(names[0]))
        names = names[1:]
        left = [tuple(role for role in seat if role not in players) for seat in usual]
        free = tuple(seat for seat in left if seat)
        unnamed = {
            role: f"{_UNNAMED}{place}" for place, seat in enumerate(free, 1) for role in seat
        }
    else:
        unnamed = {role: str(role) for role in roles}
    if len(names) > len(free) and not all("=" in name for name in names):
        problem = f"{len(names)} names are too many for {', '.join(map(ROLES_JOIN.join, free))}"
        raise DataError("seats", "", problem)
    for place, name in enumerate(names):
        told, equals, player = name.partition("=")
        if equals:
            players |= {Role(role): player for role in told.split(ROLES_JOIN)}
        else:
            players |= dict.fromkeys(free[place], name)
    unknown = sorted(set(players) - set(roles))
    if unknown:
        problem = f"there is no role '{unknown[0]}'; known: {', '.join(roles)}"
        raise DataError("seats", "", problem)
    shared = {role: players.get(role) or unnamed[role] for role in roles}
    check_seating(info, shared)
    return shared
