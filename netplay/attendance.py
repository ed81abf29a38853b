"""Who sits at a table and who watches: the proven connections of one match, and which seats show signs of life."""

import time

from engine.kernel.ids import Role
from netplay import limits
from netplay.host_session import HostSession


class Attendance:
    """Everybody who plays or watches one match."""

    def __init__(self, seats: tuple[Role, ...]) -> None:
        """Seat nobody yet.

        Args:
            seats: The roles of the match.
        """
        self.seats = seats
        self.sessions: dict[int, HostSession] = {}
        """By the number of the connection."""
        self._here: tuple[bool, ...] = (False,) * len(seats)

    def join(self, session: HostSession) -> None:
        """Give a seat to a proven connection; an older connection of the seat must go."""
        for other in tuple(self.sessions.values()):
            if session.role is not None and other.role == session.role:
                other.closing = "another connection took this seat"
                self.sessions.pop(other.line, None)
        self.sessions[session.line] = session

    def leave(self, line: int) -> bool:
        """Forget a connection that ended; returns whether it was known."""
        return self.sessions.pop(line, None) is not None

    def make_room(self, role: Role | None, whose: str) -> bool:
        """Return whether one more connection may come in.

        Where there is no room for another spectator, the address with the most of them gives up its first, unless the
        newcomer's would then have more.
        """
        watching = [session for session in self.sessions.values() if session.role is None]
        if role is not None or len(watching) < limits.MOST_SPECTATORS:
            return True
        crowd, size = limits.most_crowded(session.whose for session in watching)
        if sum(session.whose == whose for session in watching) + 1 >= size:
            return False
        first = next(session for session in watching if session.whose == crowd)
        first.closing = "others want to watch, too"
        self.sessions.pop(first.line, None)
        return True

    def refresh(self) -> bool:
        """Look who shows signs of life; returns whether that changed."""
        now = time.monotonic()
        here = {each.role for each in self.sessions.values() if each.is_present(now)}
        before, self._here = self._here, tuple(role in here for role in self.seats)
        return self._here != before

    @property
    def presence(self) -> dict[Role, bool]:
        """Return for each seat whether it showed signs of life at the last look."""
        return dict(zip(self.seats, self._here, strict=True))

    @property
    def present(self) -> tuple[Role, ...]:
        """Return the seats that show signs of life."""
        return tuple(role for role, here in self.presence.items() if here)

    @property
    def spectators(self) -> int:
        """Return how many watch."""
        return sum(session.role is None for session in self.sessions.values())
