"""What the screens ask of whoever can host a match, and what comes back."""

from collections.abc import Mapping

import msgspec

from engine.kernel.ids import Role


class Hosting(msgspec.Struct, frozen=True, kw_only=True):
    """A match to open for others."""

    game: str
    scenario: str
    options: Mapping[str, str]
    players: Mapping[Role, str]
    """Player of every role; bots by their prefix."""
    port: int


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """The invite file of one person on the disk."""

    role: str
    """Roles of one person are joined by a plus sign."""
    player: str
    path: str
