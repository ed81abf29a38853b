"""Measures how long connected seats leave another seat's resume request unanswered.

Until they answer, the restarted seat may sign no command. It must not lose the match because of their silence.
"""

from collections.abc import Callable, Collection, Iterable

from engine.kernel.ids import Role
from netplay.fair.message_server import SignedTextStore
from netplay.fair.waiting_texts import LATE_SECONDS


class ResumeWatch:
    """Tracks the unanswered resume requests in one match."""

    def __init__(self, texts: SignedTextStore, now: Callable[[], float]) -> None:
        """Create a watch that has not measured anything yet.

        Args:
            texts: The seats' resume requests and the answers to them.
            now: Returns the seconds since the host started.
        """
        self._texts = texts
        self._now = now
        self._since: dict[tuple[Role, Role, bytes], float] = {}

    def update(self, present: Collection[Role]) -> None:
        """Recheck which of the connected seats have answered each request."""
        now = self._now()
        # A new request restarts the time. A seat that asks again and again therefore neither stops
        # its own clock nor makes the others look silent.
        self._since = {
            missing: self._since.get(missing, now)
            for missing in self._texts.missing_answers(present)
        }

    @property
    def silent_seats(self) -> dict[Role, tuple[Role, ...]]:
        """Return the seats that have not answered in time, keyed by the seat that waits for their answers."""
        now = self._now()
        silent: dict[Role, tuple[Role, ...]] = {}
        for (waiting, owing, _), since in self._since.items():
            if now - since > LATE_SECONDS:
                silent[waiting] = (*silent.get(waiting, ()), owing)
        return silent

    def seats_to_wait_for(self, roles: Iterable[Role]) -> tuple[Role, ...]:
        """Replace each seat that waits for answers with the seats that owe them."""
        silent = self.silent_seats
        seats = (seat for role in roles for seat in silent.get(role, (role,)))
        return tuple(dict.fromkeys(seats))
