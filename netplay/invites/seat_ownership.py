"""Looks up a match's seats and the keys that own them, even while the match is not open."""

from engine.kernel.ids import Role
from netplay.invites.seat_keys import SeatKeys
from saves.headers import Header


class Seating:
    """The seats in one match and their keys."""

    def __init__(self, header: Header, keys: SeatKeys) -> None:
        """Read the seats from a match's header.

        Args:
            header: The header of the match.
            keys: The current keys for the seats.
        """
        self.match = header.match_id
        self.roles = tuple(seat.role for seat in header.seats)
        self._original_keys = {seat.role: seat.seat_id for seat in header.seats}
        self._keys = keys

    def owner(self, role: Role) -> str:
        """Return the fingerprint of the key that owns a seat.

        Raises:
            FlagplotError: The file with the keys cannot be read.
        """
        return self._keys.fingerprint(role, self._original_keys[role])
