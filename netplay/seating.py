"""Whose seats are whose in a match, known as long as its house holds it, also where nobody looks at it."""

from engine.kernel.ids import Role
from netplay.seatkeys import SeatKeys
from saves.headers import Header


class Seating:
    """The seats of one match and their keys."""

    def __init__(self, header: Header, keys: SeatKeys) -> None:
        """Take the seats of a match.

        Args:
            header: The match.
            keys: Whose seats are whose today.
        """
        self.match = header.match_id
        self.roles = tuple(seat.role for seat in header.seats)
        self._first = {seat.role: seat.seat_id for seat in header.seats}
        self._keys = keys

    def owner(self, role: Role) -> str:
        """Return the fingerprint of the key that a seat belongs to.

        Raises:
            FlagplotError: What the disk holds of it cannot be read.
        """
        return self._keys.of(role, self._first[role])
