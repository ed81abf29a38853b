"""Describes the host's matches for a lobby: their status, seats and invites."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.registry import AnyRuleset
from netplay.invites.invite_rotation import Party, players_by_party
from netplay.match.match_backend import MatchOverview
from netplay.workers.worker_pool import MatchAssignment
from play.bots import bot_name
from play.clock_readings import ClockReading
from saves.disk_trouble import Trouble
from saves.modes import Mode, match_mode

InviteFiles = Mapping[tuple[str, frozenset[str | None]], Path]
"""The invite files, by match id and roles."""


class LobbySeat(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one person's or bot's seat."""

    party: Party
    player: str
    bot: str = ""
    """Name of the bot in the seat; empty if a person has the seat."""
    is_own: bool = False
    """True if the seat is the host's own."""
    is_connected: bool
    is_asked: bool
    """True if this seat must make a decision."""
    clock_readings: tuple[ClockReading, ...] = ()
    """The clock readings for the roles in the seat."""
    invite: str = ""
    """Path of the invite file for the player; empty if there is none."""


class LobbyMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one match."""

    match: str
    game: str
    scenario: str
    """Scenario name; empty if the match began with a custom position."""
    heading: str
    """The turn, the phase and the players to move."""
    records: int
    spectators: int
    is_over: bool
    is_waiting: bool = False
    """True if the match has not begun yet."""
    mode: Mode = "host"
    """The mode of the match: who generates the randomness, who deals the cards, and who can read hands."""
    disk: Trouble = ""
    """The disk problem; empty if there is none."""
    own_invite: str = ""
    """Path of the invite file for the host's own seat; empty if there is none."""
    seats: tuple[LobbySeat, ...]
    """All seats. The seat for spectators comes last."""


def lobby_match(
    assignment: MatchAssignment,
    rules: AnyRuleset,
    overview: MatchOverview | None,
    own_invites: InviteFiles,
    files: InviteFiles,
) -> LobbyMatch:
    """Build the status of a match.

    Args:
        assignment: The match and its worker.
        rules: The game's rules.
        overview: The status from the backend that runs the match; None if the match is not running.
        own_invites: The invites for the host's own seats.
        files: The invites for all other people.
    """
    header, match = assignment.header, assignment.match
    scenario_names = {info.id: info.name for info in rules.scenarios()}
    own_path = next(
        (path for (match_id, _), path in own_invites.items() if match_id == match), None
    )
    current_overview = overview or _closed_overview(assignment)
    seats = tuple(
        LobbySeat(
            party=party,
            player=player,
            bot=bot_name(player),
            is_own=(match, frozenset(party)) in own_invites,
            is_connected=all(role in current_overview.present for role in party if role is not None)
            and party != (None,),
            is_asked=any(role in current_overview.asked for role in party),
            clock_readings=tuple(
                reading for reading in current_overview.dials if reading.role in party
            ),
            invite=str(files.get((match, frozenset(party)), "")),
        )
        for party, player in players_by_party(rules, header).items()
    )
    return LobbyMatch(
        match=match,
        game=header.game,
        scenario=scenario_names.get(header.scenario, header.scenario),
        heading=current_overview.heading,
        records=current_overview.records,
        spectators=current_overview.spectators,
        is_over=current_overview.is_over,
        is_waiting=bool(current_overview.missing),
        mode=current_overview.mode,
        disk=current_overview.disk,
        own_invite="" if own_path is None else str(own_path),
        seats=seats,
    )


def _closed_overview(assignment: MatchAssignment) -> MatchOverview:
    """Build the status of a match that is still being opened or cannot be run."""
    return MatchOverview(
        match=assignment.match,
        heading="being opened" if assignment.error is None else str(assignment.error),
        records=assignment.records,
        spectators=0,
        present=(),
        asked=(),
        is_over=assignment.is_over,
        mode=match_mode(assignment.header),
    )


def free_roles(match: LobbyMatch) -> str:
    """Return the roles of absent guests, separated by commas."""
    seats = (seat for seat in match.seats if not (seat.bot or seat.is_own or seat.is_connected))
    return ", ".join(str(role) for seat in seats for role in seat.party if role is not None)
