"""Divides roles into seats. One person plays each seat, which has one role or several roles in the same team."""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.numerals import is_count
from engine.kernel.ruleset import ScenarioInfo
from play.bots import BOT_PLAYER_PREFIX, bot_name

Seating = tuple[tuple[Role, ...], ...]
"""Each person's roles, one tuple per seat."""
ROLE_SEPARATOR: Final = "+"
"""Separator between one person's roles."""
_UNNAMED_PREFIX: Final = "player-"
_NUMBERED_WORD: Final = re.compile(r"([0-9]+)\s*(?:[:;=/|]\s*|\s)(\S.*)")
"""Matches a leading number of people that lacks the required comma."""
_ROLE_SEPARATORS: Final = re.compile(r"\s*[+&/]\s*|\s+")
"""Matches all separators, even invalid ones, that players type between roles."""


def group_into_seats(info: ScenarioInfo, players: Mapping[Role, str]) -> Seating:
    """Return each seat's roles, in role order. Each role that a bot plays is a seat of its own.

    In a game with teams, roles with the same player name form one seat.

    Args:
        info: The scenario, including its options.
        players: The player of every role, in role order.
    """
    seats: dict[str, tuple[Role, ...]] = {}
    for role, player in players.items():
        is_alone = bot_name(player) or not info.teams
        key = f"/{role}" if is_alone else player
        seats[key] = (*seats.get(key, ()), role)
    return tuple(seats.values())


def check_seating(info: ScenarioInfo, players: Mapping[Role, str]) -> None:
    """Check that no player has roles in two teams.

    Raises:
        DataError: A player has roles in two teams.
    """
    for seat in group_into_seats(info, players):
        if len(seat) > 1 and not any(set(seat) <= set(team) for team in info.teams.values()):
            problem = f"{players[seat[0]]} cannot play {', '.join(seat)}: they are not one team"
            raise DataError("seats", "", problem)


def default_seats(info: ScenarioInfo, people: int) -> Seating:
    """Return the usual seating for a number of people.

    Raises:
        DataError: The scenario has no usual seating for that number of people.
    """
    single_seats = tuple((role,) for role in info.roles)
    seatings = {len(seating): seating for seating in (single_seats, *info.seatings)}
    if people not in seatings:
        problem = (
            f"there is no seating for {people}; known: {', '.join(map(str, sorted(seatings)))}"
        )
        raise DataError("scenario", info.id, problem)
    return seatings[people]


def split_seat_names(text: str, info: ScenarioInfo) -> tuple[str, ...]:
    """Split a line such as ``3,Ann,Bob,Cy`` or ``uk+ussr=Ann,usa=Bob`` into arguments for :func:`assign_players`.

    Args:
        text: The line that the player typed.
        info: The scenario, including its options.

    Raises:
        DataError: The line is malformed. If the player's intention can be guessed, the message shows the correct form.
    """
    words = tuple(map(_strip_spaces, filter(str.strip, re.split("[,;]", text))))
    is_named = any("=" in word for word in words)
    corrected_names = tuple(
        part
        for index, word in enumerate(words)
        for part in _corrected_words(word, info.roles, is_first=not index, is_named=is_named)
    )
    if ";" in text or corrected_names != words:
        if corrected_names and is_count(corrected_names[0]):
            default_seats(info, int(corrected_names[0]))
        line = shlex.quote(",".join(corrected_names))
        raise DataError("seats", "", f"'{text}' cannot be read; write --seats {line}")
    _check_words(words)
    return words


def _strip_spaces(word: str) -> str:
    """Remove spaces around the equals sign and the plus signs in a word."""
    first_part, equals, name = word.strip().partition("=")
    if not equals:
        return first_part
    return re.sub(r"\s*\+\s*", ROLE_SEPARATOR, first_part.strip()) + equals + name.strip()


def _corrected_words(
    word: str, roles: Collection[str], *, is_first: bool, is_named: bool
) -> tuple[str, ...]:
    """Return a typed word in the correct form, as two words if necessary.

    A word that does not name a role is a player's name.
    """
    match = _NUMBERED_WORD.fullmatch(word) if is_first else None
    if match is not None:
        other_spelling = _corrected_words(
            _strip_spaces(match[2]), roles, is_first=False, is_named=is_named
        )
        return match[1], *other_spelling
    first_part, separator, name = _split_assignment(word)
    role_names = [piece.lower() for piece in _ROLE_SEPARATORS.split(first_part.strip())]
    if not set(role_names) <= set(roles):
        return (word,)
    if separator or len(role_names) > 1 or is_named:
        return (f"{ROLE_SEPARATOR.join(role_names)}={name.strip() or 'NAME'}",)
    return (word,)


def _split_assignment(word: str) -> tuple[str, str, str]:
    """Split a word at its first equals sign or colon. The separator becomes the middle part."""
    match = re.search("[=:]", word)
    return (
        (word, "", "") if match is None else (word[: match.start()], match[0], word[match.end() :])
    )


def _check_words(words: Sequence[str]) -> None:
    """Check that the words name each role at most once, and that a number of people, if any, comes first."""
    players: dict[str, str] = {}
    for index, word in enumerate(words):
        first_part, equals, player = word.partition("=")
        if equals and not first_part:
            raise DataError(
                "seats", "", f"'{word}' does not name a role; write ROLE={player or 'NAME'}"
            )
        if index and not equals and is_count(word):
            line = shlex.quote(
                ",".join(
                    (
                        word,
                        *(candidate_word for candidate_word in words if candidate_word is not word),
                    )
                )
            )
            problem = f"the number of people must come first: --seats {line}"
            raise DataError("seats", "", problem)
        for role in first_part.split(ROLE_SEPARATOR) if equals else ():
            if role in players:
                conflict = f"has two players, {players[role]} and {player}"
                problem = f"{role} {'is named twice' if players[role] == player else conflict}"
                raise DataError("seats", "", problem)
            players[role] = player


def _check_unoccupied(players: Mapping[Role, str], role: Role, player: str) -> None:
    """Check that no other person and no bot plays a role.

    Raises:
        DataError: A bot or another person plays the role.
    """
    holder = players.get(role, player)
    if holder != player:
        holder_text = f"the bot {bot_name(holder)}" if bot_name(holder) else holder
        raise DataError("seats", "", f"{role} is played by {holder_text}, not by {player}")


def _assignments(
    names: Sequence[str], open_seats: Seating
) -> Iterator[tuple[tuple[Role, ...], str]]:
    """Yield each entry's roles and player. A plain name belongs to the open seat in the same position.

    Args:
        names: ``role=name`` entries or names, without a leading number of people.
        open_seats: The seats without a bot. Names beyond the last seat are left out.
    """
    for index, name in enumerate(names):
        role_names, equals, player = name.partition("=")
        if equals:
            yield tuple(map(Role, role_names.split(ROLE_SEPARATOR))), player
        elif index < len(open_seats):
            yield open_seats[index], name


def _roles_without_bot(info: ScenarioInfo, bots: Mapping[str, str]) -> Seating:
    """Return a seat for each role that no bot plays."""
    return tuple((role,) for role in info.roles if role not in bots)


def roles_without_person(
    info: ScenarioInfo, names: tuple[str, ...], bots: Mapping[str, str]
) -> tuple[Role, ...]:
    """Return the roles that have neither a person nor a bot. A leading number of people fills every seat.

    Args:
        info: The scenario, including its options.
        names: As for :func:`assign_players`.
        bots: Bots by role.
    """
    if names and is_count(names[0]):
        return ()
    open_seats = _roles_without_bot(info, bots)
    taken_roles = {role for roles, _ in _assignments(names, open_seats) for role in roles}
    return tuple(role for (role,) in open_seats if role not in taken_roles)


def assign_players(
    info: ScenarioInfo, names: tuple[str, ...], bots: Mapping[str, str]
) -> dict[Role, str]:
    """Determine the player of every role.

    Args:
        info: The scenario, including its options.
        names: Either ``role=name`` or ``role+role=name`` entries, or names for the roles without a bot, in order. A
            leading number selects the usual seating for that many people. The names after it belong to those seats, in
            order.
        bots: Bots by role.

    Raises:
        DataError: A role is unknown, there are too many names, a role has two players, or a seat has roles in two
            teams.
    """
    roles = info.roles
    players = {Role(role): f"{BOT_PLAYER_PREFIX}{name}" for role, name in bots.items()}
    open_seats = _roles_without_bot(info, bots)
    if names and is_count(names[0]):
        seating = default_seats(info, int(names[0]))
        names = names[1:]
        seats = [tuple(role for role in seat if role not in players) for seat in seating]
        open_seats = tuple(seat for seat in seats if seat)
        default_names = {
            role: f"{_UNNAMED_PREFIX}{index}"
            for index, seat in enumerate(open_seats, 1)
            for role in seat
        }
    else:
        default_names = {role: str(role) for role in roles}
    if len(names) > len(open_seats) and not all("=" in name for name in names):
        problem = (
            f"{len(names)} names are too many for {', '.join(map(ROLE_SEPARATOR.join, open_seats))}"
        )
        raise DataError("seats", "", problem)
    for seat_roles, player in _assignments(names, open_seats):
        for role in seat_roles:
            _check_unoccupied(players, role, player)
        players |= dict.fromkeys(seat_roles, player)
    unknown_roles = sorted(set(players) - set(roles))
    if unknown_roles:
        problem = f"there is no role '{unknown_roles[0]}'; known: {', '.join(roles)}"
        raise DataError("seats", "", problem)
    assigned_players = {role: players.get(role) or default_names[role] for role in roles}
    check_seating(info, assigned_players)
    return assigned_players
