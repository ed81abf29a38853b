"""Status of a host's matches, including their seats and invites."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.registry import AnyRuleset
from netplay.invites.invite_rotation import Party, parties_of
from netplay.match.match_backend import MatchOverview
from netplay.workers.worker_pool import MatchAssignment
from play.bots import bot_name
from play.clock_readings import ClockReading
from saves.disk import Trouble
from saves.modes import Mode, mode_of

InviteFiles = Mapping[tuple[str, frozenset[str | None]], Path]
"""Invite files by match and roles."""


class SeatStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One person's or bot's seat."""

    party: Party
    player: str
    bot: str = ""
    """Name of the bot in the seat; empty for a person."""
    is_own: bool = False
    """True if the seat is the host's own."""
    is_here: bool
    is_asked: bool
    """True if it is this seat's move."""
    dials: tuple[ClockReading, ...] = ()
    """Its roles' clock readings."""
    invite: str = ""
    """Path of the invite file to hand out; empty if there is none."""


class MatchStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One match's status."""

    match: str
    game: str
    scenario: str
    """Scenario name; empty for a custom position."""
    heading: str
    """Turn, phase and players to move."""
    records: int
    spectators: int
    is_over: bool
    is_waiting: bool = False
    """True if the match has not begun yet."""
    mode: Mode = "host"
    """The match's mode: who generates the randomness and deals, and who can read hands."""
    disk: Trouble = ""
    """Why the disk rejects writes; empty if it accepts them."""
    own: str = ""
    """Path of the invite file for the host's own seat; empty if there is none."""
    seats: tuple[SeatStanding, ...]
    """All seats; the spectators' seat is last."""


def standing_of(
    place: MatchAssignment,
    rules: AnyRuleset,
    standing: MatchOverview | None,
    own: InviteFiles,
    files: InviteFiles,
) -> MatchStanding:
    """Build a match's status.

    Args:
        place: The match and its worker.
        rules: The game's rules.
        standing: Status reported by the backend running it; None if it is not running.
        own: Invites for the host's own seats.
        files: Invites to hand out to others.
    """
    header, match = place.header, place.match
    names = {info.id: info.name for info in rules.scenarios()}
    mine = next((path for (of, _), path in own.items() if of == match), None)
    found = standing or _not_held(place)
    seats = tuple(
        SeatStanding(
            party=party,
            player=player,
            bot=bot_name(player),
            is_own=(match, frozenset(party)) in own,
            is_here=all(role in found.present for role in party if role is not None)
            and party != (None,),
            is_asked=any(role in found.asked for role in party),
            dials=tuple(dial for dial in found.dials if dial.role in party),
            invite=str(files.get((match, frozenset(party)), "")),
        )
        for party, player in parties_of(rules, header).items()
    )
    return MatchStanding(
        match=match,
        game=header.game,
        scenario=names.get(header.scenario, header.scenario),
        heading=found.heading,
        records=found.records,
        spectators=found.spectators,
        is_over=found.is_over,
        is_waiting=bool(found.missing),
        mode=found.mode,
        disk=found.disk,
        own="" if mine is None else str(mine),
        seats=seats,
    )


def _not_held(place: MatchAssignment) -> MatchOverview:
    """Build the status of a match that is still opening or can no longer run."""
    return MatchOverview(
        match=place.match,
        heading="being opened" if place.error is None else str(place.error),
        records=place.records,
        spectators=0,
        present=(),
        asked=(),
        is_over=place.is_over,
        mode=mode_of(place.header),
    )


def free_seats(match: MatchStanding) -> str:
    """Return the guest roles without a connected player."""
    seats = (seat for seat in match.seats if not (seat.bot or seat.is_own or seat.is_here))
    return ", ".join(str(role) for seat in seats for role in seat.party if role is not None)
