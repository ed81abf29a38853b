"""Creates texts for players about a match's mode and about what the match is waiting for."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.journal.stopped_openings import StoppedOpening
from netplay.wire.sanitising import REASON_LIMIT, sanitise
from play.bots import bot_name
from saves.clocks import format_duration
from saves.fair.terms import TimeLimits
from saves.headers import Header
from saves.modes import Mode, match_mode

_MAX_LISTED: Final = 5
"""Maximum number of earlier matches to list individually. Further matches are only counted."""
LATE_SECONDS: Final = 1.0
"""Delay in seconds before players are told whose contribution to the randomness is missing."""


def player_list(rules: AnyRuleset, header: Header, roles: Iterable[str]) -> str:
    """Return the players with these roles in seat order, such as ``Bob (Japan) and Cleo (Italy, Germany)``."""
    wanted_roles = set(roles)
    titles: dict[str, list[str]] = {}
    for seat in header.seats:
        if seat.role in wanted_roles:
            name = seat.player
            if bot_name(name):
                name = f"the bot {bot_name(name)}"
            titles.setdefault(name, []).append(role_title(rules, seat.role))
    role_names = {seat.role for seat in header.seats}
    named = [
        _player_label("" if name in role_names else name, known_roles)
        for name, known_roles in titles.items()
    ]
    return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else "".join(named)


def _player_label(name: str, titles: list[str]) -> str:
    roles = ", ".join(titles)
    return roles if name.casefold() in {"", roles.casefold()} else f"{name} ({roles})"


def role_title(rules: AnyRuleset, role: Role) -> str:
    """Return the role's title in the game, or its id if it has no title."""
    return rules.role_titles.get(role, role.title())


_ALL_REVEAL: Final = (
    "all seats together generate the dice and draws, so that nobody can choose or predict them"
)
MODE_TEXTS: Final[dict[Mode, str]] = {
    "fair": "fair (experimental): all seats together generate the dice and draws, and deal the cards to"
    " hide hands from the host; it has had no independent review",
    "joint": f"joint: {_ALL_REVEAL}; the host can read all hands",
    "host": "trusted host: dice and draws come from the host, which can read all hands",
    "open": "open: this program rolls the dice, draws the cards and shows every hand",
}
"""Description of each mode, shown to players."""


def mode_text(
    rules: AnyRuleset, header: Header, mode: Mode | None = None, limits: TimeLimits | None = None
) -> str:
    """Return the text that tells joining players who generates the randomness and whose hands the host can read.

    Args:
        rules: The game's rules.
        header: The match's header.
        mode: The mode, for a match that has not begun; None to take the mode from the header.
        limits: The time limits, for a match that has not begun; None to take them from the header.
    """
    mode = mode or match_mode(header)
    if limits is None and header.fair is not msgspec.UNSET:
        limits = header.fair.limits
    text = _hands_text(rules, header, mode)
    if limits is not None and limits.reply_limit:
        wait = format_duration(limits.reply_limit)
        text = f"{text}; if no message arrives for {wait}, a player may stop the match"
    return text


def _hands_text(rules: AnyRuleset, header: Header, mode: Mode) -> str:
    """Return the mode's description and, in mode *fair*, the players whose hands the host can read."""
    text = MODE_TEXTS[mode]
    if mode != "fair":
        return text
    bot_roles = [seat.role for seat in header.seats if bot_name(seat.player)]
    parties = () if header.fair is msgspec.UNSET else header.fair.parties
    hosted_roles = [
        bot_role.role
        for bot_role in parties
        if bot_role.place != "own machine" and bot_role.role not in bot_roles
    ]
    if bot_roles:
        titles = ", ".join(role_title(rules, role) for role in bot_roles)
        text = f"{text}; the host can read the hands of its bots: {titles}"
    if hosted_roles:
        titles = ", ".join(role_title(rules, role) for role in hosted_roles)
        text = f"{text}; the host can read these hands, because their secrets are on its machine: {titles}"
    return text


def safety_words_text(words: str) -> str:
    """Return the sentence that shows players the safety words for a match with a transcript."""
    return f"safety words: {words}; compare them by voice; if they are the same, you are playing the same match"


def stopped_openings_text(openings: Sequence[StoppedOpening]) -> str:
    """Return a warning about earlier matches with this host that stopped after the deal; empty if there are none."""
    if not openings:
        return ""
    descriptions = [_opening_text(opening) for opening in openings[:_MAX_LISTED]]
    if len(openings) > _MAX_LISTED:
        descriptions.append(f"and {len(openings) - _MAX_LISTED} more")
    count = "1 earlier match" if len(openings) == 1 else f"{len(openings)} earlier matches"
    return (
        f"in {count} with this host, the cards were dealt but you never gave a command: {'; '.join(descriptions)}."
        " A host that has seen a deal can stop the match and begin another one"
    )


def _opening_text(opening: StoppedOpening) -> str:
    day = dt.datetime.fromtimestamp(opening.time, dt.UTC).date().isoformat()
    scenario = opening.scenario or "own position"
    return sanitise(f"{day} {opening.match} ({opening.game} {scenario})", REASON_LIMIT)


def missing_players_text(rules: AnyRuleset, header: Header, missing: Iterable[str]) -> str:
    """Return a phrase that names the players who must still join before the match begins."""
    names = player_list(rules, header, missing)
    is_plural = " and " in names
    return f"the match begins when {names} {'have' if is_plural else 'has'} joined"


def waiting_for_text(
    rules: AnyRuleset, header: Header, roles: Iterable[str], mode: Mode | None = None
) -> str:
    """Return a phrase that names the players whose contribution to the randomness or the deal is missing.

    Args:
        rules: The game's rules.
        header: The match's header.
        roles: The roles whose contribution is missing.
        mode: The mode, for a match that has not begun; None to take the mode from the header.
    """
    names = player_list(rules, header, roles)
    possessive = f"{names}'" if names.endswith("s") else f"{names}'s"
    contribution = (
        "the dice or cards" if (mode or match_mode(header)) == "fair" else "the randomness"
    )
    return f"waits for {possessive} share of {contribution}"
