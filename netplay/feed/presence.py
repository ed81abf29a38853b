"""Presence in one match: the authenticated connections and the responding seats."""

import time

from engine.kernel.ids import Role
from netplay.feed.host_session import HostSession
from netplay.wire import limits


class PresenceTracker:
    """Tracks the players and spectators connected to one match."""

    def __init__(self, seats: tuple[Role, ...]) -> None:
        """Start with no connections.

        Args:
            seats: The match's roles.
        """
        self.seats = seats
        self.sessions: dict[int, HostSession] = {}
        """Connections by number."""
        self._here: tuple[bool, ...] = (False,) * len(seats)

    def join(self, session: HostSession) -> None:
        """Add an authenticated connection, closing any older one for the same seat."""
        for other in tuple(self.sessions.values()):
            if session.role is not None and other.role == session.role:
                other.closing = "another connection has taken this seat"
                self.sessions.pop(other.line, None)
        self.sessions[session.line] = session

    def leave(self, line: int) -> bool:
        """Forget a connection that has ended, and return whether it was known."""
        return self.sessions.pop(line, None) is not None

    def make_room(self, role: Role | None, whose: str) -> bool:
        """Return whether one more connection is allowed, making room for a spectator if necessary and possible.

        If the spectator limit has been reached, the address with the most spectators loses its oldest connection. The
        newcomer is refused if its own address would then have the most.
        """
        watching = [session for session in self.sessions.values() if session.role is None]
        if role is not None or len(watching) < limits.MOST_SPECTATORS:
            return True
        crowd, size = limits.most_crowded(session.whose for session in watching)
        if sum(session.whose == whose for session in watching) + 1 >= size:
            return False
        first = next(session for session in watching if session.whose == crowd)
        first.closing = "your place has been given to another spectator"
        self.sessions.pop(first.line, None)
        return True

    def refresh(self) -> bool:
        """Check again which seats are responding, and return whether any have changed."""
        now = time.monotonic()
        here = {each.role for each in self.sessions.values() if each.is_present(now)}
        before, self._here = self._here, tuple(role in here for role in self.seats)
        return self._here != before

    @property
    def presence(self) -> dict[Role, bool]:
        """Return, for each seat, whether it was responding at the last check."""
        return dict(zip(self.seats, self._here, strict=True))

    @property
    def present(self) -> tuple[Role, ...]:
        """Return the seats that were responding at the last check."""
        return tuple(role for role, here in self.presence.items() if here)

    @property
    def spectators(self) -> int:
        """Return the number of spectators."""
        return sum(session.role is None for session in self.sessions.values())
