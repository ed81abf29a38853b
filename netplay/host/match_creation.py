"""Creates a match on a host: writes its record up to the opening, and issues the invites for its seats."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset
from netplay.invites import identity
from netplay.invites.invite import Invite, new_invite
from netplay.invites.pending_match_file import WaitingMatch, write_pending
from netplay.journal.host_key_file import make_host_key
from netplay.wire.errors import NetworkError
from netplay.wire.modes import CHOICES, FAIR, HOST, JOINT, MODE_FOR_TWO, Chance
from play.bots import bot_name
from play.opening import MatchStart, resolve_match_start
from play.seating import check_seating, group_into_seats
from saves.clocks import Clock
from saves.fair.setup import full_header, hiding_problem, new_fair_header, secrecy_problem
from saves.fair.terms import TimeLimits
from saves.headers import Header, Seat, encode_header
from saves.logfile import SUFFIX, LogWriter
from saves.match import Match, match_id_of, new_secret

_TWO_PEOPLE: Final = 2


def parse_mode(
    word: str,
    rules: AnyRuleset,
    info: ScenarioInfo,
    players: Mapping[Role, str],
    *,
    is_own: bool = False,
) -> Chance:
    """Return the mode for a new match on this host.

    The default is :data:`MODE_FOR_TWO` if two people play, and ``host`` otherwise. With more people, a single absent
    player would delay every die roll. Against bots, joint dice add nothing, because the host would generate the bots'
    contributions itself.

    Args:
        word: One of the available modes; empty for the default.
        rules: The game's rules.
        info: The scenario with its roles.
        players: The player's name for every role.
        is_own: True if the match begins with a custom position.

    Raises:
        DataError: The match cannot be played in this mode.
    """
    for choice in CHOICES:
        if word == choice:
            _check_mode(choice, rules, is_own=is_own)
            return choice
    seats = group_into_seats(info, {role: players[role] for role in info.roles})
    are_people = not any(map(bot_name, players.values()))
    if not are_people or len(seats) != _TWO_PEOPLE or _joint_problem(rules):
        return HOST
    return MODE_FOR_TWO


def _check_mode(chance: Chance, rules: AnyRuleset, *, is_own: bool, has_data: bool = False) -> None:
    """Check that this game can be played in the given mode.

    Raises:
        DataError: The game cannot be played in this mode.
    """
    problem = ""
    if chance == JOINT:
        problem = _joint_problem(rules)
    elif chance == FAIR:
        problem = _fair_problem(rules, is_own=is_own)
        if has_data:
            problem = "with custom data, the seats cannot deal the cards; choose joint"
    if problem:
        raise DataError("mode", "", problem)


def _joint_problem(rules: AnyRuleset) -> str:
    problem = hiding_problem(rules)
    return problem and f"{problem}; choose host"


def _fair_problem(rules: AnyRuleset, *, is_own: bool) -> str:
    """Return the reason why the seats cannot deal the cards in a new match; empty if they can."""
    if not rules.decks():
        return f"{rules.title} has no cards to hide from the host; choose joint"
    problem = secrecy_problem(rules)
    if problem:
        return f"{problem}; choose joint"
    return "the author of a custom position knows its hands; choose joint" if is_own else ""


class NewMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that defines a new match."""

    scenario: str
    options: Mapping[str, str]
    """The options that were set, by name."""
    players: Mapping[Role, str]
    """The player's name for every role, in any order. In team games, all roles with the same name form one seat."""
    position: msgspec.Struct | None = None
    """A custom starting position, already checked. If it is given, the scenario and options are ignored."""
    data: bytes = b""
    """Custom data that replaces parts of the game's own data; empty to replace nothing."""
    clock: Clock | None = None
    """Time per role; None for a match without clocks."""
    days: int = identity.SEAT_DAYS
    """Number of days for which the invites are valid."""
    chance: Chance = HOST
    """The mode, which determines who generates the randomness."""
    limits: TimeLimits = TimeLimits()
    """The time limits for messages between the programs; not used if the host generates the randomness."""


class CreatedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has just been created."""

    match: str
    invites: dict[Role | None, Invite]
    """One invite per role. The invite for spectators has the key None."""
    seats: tuple[tuple[Role, ...], ...]
    """The roles of each person or bot."""


def write_match(
    folder: Path,
    rules: AnyRuleset,
    new_match: NewMatch,
    authority: identity.Authority,
    addresses: tuple[str, ...],
) -> tuple[Header, CreatedMatch]:
    """Write a new match's record up to the opening. Return the match header and the created match.

    Args:
        folder: The folder that contains the host's matches.
        rules: The game's rules.
        new_match: The definition of the match.
        authority: The host's keys.
        addresses: The addresses to write in the invites.

    Raises:
        DataError: The scenario, option or value is unknown, the roles in one seat are on two teams, or the data is not
            valid for the game.
        NetworkError: The seats do not match the scenario.
        StorageError: A write failed.
    """
    match_start = resolve_match_start(
        rules, new_match.scenario, new_match.options, new_match.position, new_match.data
    )
    roles, players = match_start.info.roles, new_match.players
    check_players(roles, players)
    check_seating(match_start.info, players)
    secret = new_secret()
    match_id = match_id_of(secret)
    now = dt.datetime.now(dt.UTC)
    validity = (now, now + dt.timedelta(days=new_match.days))
    invites: dict[Role | None, Invite] = {
        role: new_invite(authority, addresses, match_id, rules.game, role, validity)
        for role in (*roles, None)
    }
    seats = tuple(
        Seat(role=role, player=players[role], seat_id=_key_fingerprint(invites[role]))
        for role in roles
    )
    header = _write_opening(folder, rules, new_match, match_start, seats, secret)
    seat_groups = group_into_seats(match_start.info, {role: players[role] for role in roles})
    return header, CreatedMatch(match=match_id, invites=invites, seats=seat_groups)


def _write_opening(  # these arguments together define a match
    folder: Path,
    rules: AnyRuleset,
    new_match: NewMatch,
    match_start: MatchStart,
    seats: tuple[Seat, ...],
    secret: bytes,
) -> Header:
    """Write the record with the opening, or a file for a waiting match if the seats contribute. Return the header."""
    if new_match.chance != HOST:
        return _write_pending(folder, rules, new_match, match_start, seats, secret)
    arguments = (
        rules,
        match_start.position,
        match_start.scenario,
        match_start.options,
        seats,
        secret,
    )
    writer = LogWriter.create(folder / f"{match_id_of(secret)}{SUFFIX}")
    try:
        return Match[Any].create(*arguments, writer, clock=new_match.clock).header
    finally:
        # The process that will run the match opens the record itself and needs the record's lock.
        writer.close()


def _write_pending(
    folder: Path,
    rules: AnyRuleset,
    new_match: NewMatch,
    match_start: MatchStart,
    seats: tuple[Seat, ...],
    secret: bytes,
) -> Header:
    """Write the host's key and the file for a waiting match. Return the header without the seats' commitments.

    Raises:
        DataError: The match cannot be played in this mode.
    """
    match_id = match_id_of(secret)
    arguments = (rules, match_id, match_start.scenario, match_start.options)
    is_own = new_match.position is not None
    _check_mode(new_match.chance, rules, is_own=is_own, has_data=bool(new_match.data))
    if new_match.chance == FAIR:
        header = new_fair_header(*arguments)
    else:
        fair_header = new_fair_header(*arguments, secret=secret, position=match_start.position)
        header = full_header(rules, fair_header, secret, match_start.position)
    clock = msgspec.UNSET if new_match.clock is None else new_match.clock
    header = msgspec.structs.replace(header, seats=seats, clock=clock)
    # The key is written first, because after a crash, a waiting match without its key could never
    # begin.
    make_host_key(folder, match_id)
    write_pending(
        folder, match_id, WaitingMatch(header=encode_header(header), limits=new_match.limits)
    )
    return header


def check_players(roles: tuple[Role, ...], players: Mapping[Role, str]) -> None:
    """Check that exactly these roles have players.

    Raises:
        NetworkError: A role is missing or unknown.
    """
    unknown = sorted(set(players) - set(roles))
    missing = sorted(set(roles) - set(players))
    if unknown or missing or identity.SPECTATOR in roles:
        mismatch = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        raise NetworkError(f"the seats of this scenario are {', '.join(roles)}; {mismatch}")


def _key_fingerprint(invite: Invite) -> str:
    return identity.fingerprint(identity.load_certificate(invite.certificate))
