"""Builds a game's display name from the scenario and the players."""

from collections.abc import Sequence

import msgspec

from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from play.bots import bot_name
from play.seating import group_into_seats
from saves.clocks import describe_clock
from saves.headers import Header
from saves.teams import match_info


def players_text(ruleset: AnyRuleset, header: Header) -> str:
    """Return the players with their roles. Names are not sanitised.

    A player with several roles is listed once, a player without a name is shown by role, and a bot by its kind.
    """
    players = {seat.role: seat.player for seat in header.seats}
    seats = group_into_seats(match_info(ruleset, header), players)
    return ", ".join(_seat_text(ruleset, seat, players[seat[0]]) for seat in seats)


def _seat_text(ruleset: AnyRuleset, seat: Sequence[Role], player: str) -> str:
    roles = "+".join(ruleset.role_titles.get(role, role.title()) for role in seat)
    if player in {"", *seat}:
        return roles
    bot = bot_name(player)
    return f"{roles}: {bot} bot" if bot else f"{roles}: {player}"


def match_title(ruleset: AnyRuleset, header: Header) -> str:
    """Return the game, the scenario and the players. If the only player has no name, omit the players."""
    scenario = match_info(ruleset, header).name if header.scenario else "own position"
    title = f"{ruleset.title}, {scenario or header.scenario}"
    is_alone = len(header.seats) == 1 and header.seats[0].player == header.seats[0].role
    return title if is_alone else f"{title} ({players_text(ruleset, header)})"


def match_briefing(ruleset: AnyRuleset, header: Header, seq: int) -> str:
    """Return notes for the players, including the clock, to read before the first move; empty after that."""
    if seq:
        return ""
    clock = header.clock
    clock_text = "" if clock is msgspec.UNSET else f"Clock: {describe_clock(clock)}."
    return "\n".join(filter(None, (match_info(ruleset, header).briefing, clock_text)))
