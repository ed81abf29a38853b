"""Defines the match modes, which determine who rolls the dice, deals the cards and can read hands."""

import re
from typing import Final, Literal, TypeAlias

import msgspec

from saves.headers import Header

Mode: TypeAlias = Literal["fair", "joint", "host", "open"]
"""A match's mode.

``fair``: the seats generate all randomness and deal the cards. ``joint``: the seats and the host generate randomness
together, and the host deals. ``host``: the host generates all randomness and deals the cards. ``open``: all seats share
one program.
"""

TITLES: Final[dict[Mode, str]] = {
    "fair": "fair (experimental)",
    "joint": "joint",
    "host": "trusted host",
    "open": "open",
}
"""The modes' display names."""
_KEY_PATTERN: Final = re.compile("[0-9a-f]{64}")


def match_mode(header: Header) -> Mode:
    """Return a match's mode. The parties must already be in the header."""
    parties = header.parties
    if header.fair is not msgspec.UNSET:
        return "fair" if header.fair.dealer_key is msgspec.UNSET else "joint"
    if parties is not msgspec.UNSET:
        is_dealt = any(party.cards is not msgspec.UNSET for party in parties)
        return "fair" if is_dealt else "joint"
    # In a hosted match, each seat's id is the fingerprint of its key. In a match at one keyboard,
    # it is not.
    has_keys = any(_KEY_PATTERN.fullmatch(seat.seat_id) for seat in header.seats)
    return "host" if has_keys else "open"
