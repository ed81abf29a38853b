"""Modes of a match: who makes its dice and draws, and who can read its hands."""

import re
from typing import Final, Literal, TypeAlias

import msgspec

from saves.headers import Header

Mode: TypeAlias = Literal["fair", "joint", "host", "open"]
"""``fair``: all seats make the chance and deal the cards. ``joint``: all seats and the host make the chance, and the
host deals. ``host``: the host does both. ``open``: all seats are at one program."""

TITLES: Final[dict[Mode, str]] = {
    "fair": "fair (experimental)",
    "joint": "joint",
    "host": "trusted host",
    "open": "open",
}
"""What players call a mode."""
_KEY: Final = re.compile("[0-9a-f]{64}")


def mode_of(header: Header) -> Mode:
    """Return the mode of a match that has begun, or of one whose parties are known."""
    parties = header.parties
    if header.fair is not msgspec.UNSET:
        return "fair" if header.fair.dealer_key is msgspec.UNSET else "joint"
    if parties is not msgspec.UNSET:
        is_dealt = any(party.cards is not msgspec.UNSET for party in parties)
        return "fair" if is_dealt else "joint"
    has_keys = any(_KEY.fullmatch(seat.seat_id) for seat in header.seats)
    return "host" if has_keys else "open"
