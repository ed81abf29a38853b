"""Tracks which connections to a match are authenticated, and which seats are responding."""

import time

from engine.kernel.ids import Role
from netplay.feed.host_session import HostSession
from netplay.wire import limits


class PresenceTracker:
    """Tracks the connections of one match's players and spectators."""

    def __init__(self, seats: tuple[Role, ...]) -> None:
        """Create a tracker with no connections.

        Args:
            seats: The roles in the match.
        """
        self.seats = seats
        self.sessions: dict[int, HostSession] = {}
        """The authenticated connections, by connection number."""
        self._present: tuple[bool, ...] = (False,) * len(seats)

    def join(self, session: HostSession) -> None:
        """Add an authenticated connection, and close any older connection for the same seat."""
        for existing in tuple(self.sessions.values()):
            if session.role is not None and existing.role == session.role:
                existing.closing_reason = "another connection has taken this seat"
                self.sessions.pop(existing.connection_id, None)
        self.sessions[session.connection_id] = session

    def leave(self, connection_id: int) -> bool:
        """Remove a connection that has ended. Return False if it had already been removed."""
        return self.sessions.pop(connection_id, None) is not None

    def admit(self, role: Role | None, owner: str) -> bool:
        """Return whether to admit a connection. If there is no room, close a spectator's connection first.

        If the spectator limit has been reached, the oldest connection from the address with the most spectators is
        closed. However, a new spectator is refused if its own address would then have the most spectators.
        """
        spectators = [session for session in self.sessions.values() if session.role is None]
        if role is not None or len(spectators) < limits.MAX_SPECTATORS:
            return True
        most_common_owner, count = limits.most_common_origin(
            session.allowance_owner for session in spectators
        )
        if sum(session.allowance_owner == owner for session in spectators) + 1 >= count:
            return False
        oldest = next(
            session for session in spectators if session.allowance_owner == most_common_owner
        )
        oldest.closing_reason = "your place has been given to another spectator"
        self.sessions.pop(oldest.connection_id, None)
        return True

    def refresh(self) -> bool:
        """Recheck which seats are responding, and return whether the result has changed."""
        now = time.monotonic()
        responding_roles = {
            session.role for session in self.sessions.values() if session.is_present(now)
        }
        previous, self._present = (
            self._present,
            tuple(role in responding_roles for role in self.seats),
        )
        return self._present != previous

    @property
    def presence_by_role(self) -> dict[Role, bool]:
        """Return whether each seat was responding at the last check, by role."""
        return dict(zip(self.seats, self._present, strict=True))

    @property
    def present_roles(self) -> tuple[Role, ...]:
        """Return the seats that were responding at the last check."""
        return tuple(role for role, is_present in self.presence_by_role.items() if is_present)

    @property
    def spectator_count(self) -> int:
        """Return the number of spectators."""
        return sum(session.role is None for session in self.sessions.values())
