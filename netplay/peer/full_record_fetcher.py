"""Obtains the full record of a finished game, and compares it with the seat's copy."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from netplay.invites.invite import Invite
from netplay.match_state import full_record
from netplay.peer.fair_duties import FairDuties
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.status import FullRecordReceived, PeerEvent
from netplay.system.threads import run_to_end
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ProtocolError
from saves.errors import StorageError

log = structlog.get_logger()

_MAX_TRIES: Final = 3
"""Maximum number of attempts to fetch the full record if the host's replies are unreadable."""


class FullRecordFetcher:
    """Fetches the full record from the host or, if the seats deal the cards, computes it locally."""

    def __init__(
        self,
        invite: Invite,
        copy: SeatReplica,
        fair_duties: FairDuties,
        notify: Callable[[PeerEvent], None],
    ) -> None:
        """Create a fetcher. Nothing is fetched yet.

        Args:
            invite: The seat's invite.
            copy: The seat's copy of the match.
            fair_duties: Checks the secrets revealed after the match.
            notify: Reports the record to the peer's listeners.
        """
        self._copy = copy
        self._fair_duties = fair_duties
        self._notify = notify
        self._is_comparing = False
        """True while the full record is being fetched and compared."""
        self._is_refused = False
        """True if the full record could not be saved. It will be fetched again on the next start."""
        self._tries = 0
        self._log = log.bind(match=invite.match, role=invite.role)

    @property
    def is_needed(self) -> bool:
        """Return whether the game is over but the full record has not been obtained yet."""
        return self._copy.needs_full_record and not self._is_refused

    @property
    def is_done(self) -> bool:
        """Return whether the game is over and nothing remains to be done for the full record."""
        return self._copy.is_revealed and not self.is_needed and not self._is_comparing

    async def fetch(self, channel: RequestChannel) -> None:
        """Obtain the full record if it is needed, compare it with the copy, and report the result.

        Raises:
            ConnectionLostError: The host does not respond.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        if not self.is_needed:
            return
        self._is_comparing = True
        try:
            data, problem = await self._compare(channel)
            fault = await self._fair_duties.check_secrets(has_problem=bool(problem))
            # The record is saved last, so that the checks are repeated if the program is closed
            # before they are complete.
            if data and not await self._save(data):
                problem = None
        finally:
            self._is_comparing = False
        if problem is not None or fault:
            path = self._copy.full_path
            self._notify(FullRecordReceived(path=path, difference=problem or "", fault=fault))

    async def _compare(self, channel: RequestChannel) -> tuple[bytes, str | None]:
        """Return the full record and its difference from the copy.

        The record is empty if it could not be obtained. The difference is a description, empty if the record and the
        copy agree, or None if they could not be compared.

        Raises:
            ConnectionLostError: The host does not respond.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        try:
            if self._copy.deals:
                return await asyncio.to_thread(self._copy.compute_full_record)
            data = await full_record.fetch_record(channel)
            return data, await asyncio.to_thread(self._copy.find_difference, data)
        except (ProtocolError, StorageError) as error:
            self._tries += 1
            if isinstance(error, ProtocolError) and self._tries < _MAX_TRIES:
                raise
            self._give_up(error)
            return b"", None

    async def _save(self, data: bytes) -> bool:
        """Save the full record. Return False if the write failed."""
        path = self._copy.full_path
        try:
            await run_to_end(asyncio.to_thread(full_record.save_record, path, data))
        except StorageError as error:
            self._give_up(error)
            return False
        return True

    def _give_up(self, error: Exception) -> None:
        self._is_refused = True
        self._log.warning("full_record_save_failed", error=str(error))
