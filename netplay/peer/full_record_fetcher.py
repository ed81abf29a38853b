"""Checks the revealed secrets of a finished game, obtains its full record, and compares it with the seat's copy."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Final

import structlog

from netplay.invites.invite import Invite
from netplay.match_state import full_record
from netplay.peer.fair_duties import FairDuties
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.status import FullRecordReceived, PeerEvent
from netplay.system.threads import run_to_end
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError, ProtocolError, SeatRefusedError
from saves.errors import StorageError

log = structlog.get_logger()

_MAX_TRIES: Final = 3
"""The failure to fetch the full record is reported after this many attempts.

If the host's replies are unreadable, the record is not requested again.
"""


class FullRecordFetcher:
    """Checks the secrets, and fetches the full record or, if the seats deal the cards, computes it locally."""

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
        self._is_working = False
        """True while the secrets are being checked, or the full record is being fetched and compared."""
        self._is_checked = False
        """True once this program has checked the revealed secrets."""
        self._has_fault = False
        """True if the revealed secrets prove foul play."""
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
        return self._copy.is_revealed and not self.is_needed and not self._is_working

    async def check_secrets(self) -> None:
        """Check the revealed secrets once the game is over, and report what they prove.

        This step needs only the seat's copy, so the host cannot prevent it. If the seats deal, it also computes and
        saves the full record.
        """
        if self._is_checked or not self.is_needed:
            return
        with self._working():
            if self._copy.deals:
                await self._compute()
            elif fault := await self._fair_duties.check_secrets():
                self._has_fault = True
                self._report(fault=fault)
        self._is_checked = True

    async def _compute(self) -> None:
        """Compute the full record. Its seeds are checked only if it differs from the copy."""
        data, difference = await asyncio.to_thread(self._copy.compute_full_record)
        fault = await self._fair_duties.check_secrets() if difference else ""
        # The record is saved last, so that the checks are repeated if the program is closed before
        # they are complete.
        failure = await self._save(data) if data else ""
        self._is_refused = self._is_refused or not data
        self._report(difference=difference, fault=fault, failure=failure)

    async def fetch(self, channel: RequestChannel) -> None:
        """Fetch the host's full record if it is needed, compare it with the copy, and report the result.

        A failure to obtain the record is also reported.

        Raises:
            ConnectionLostError: The host does not respond.
            SeatRefusedError: The host closed the connection permanently.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        if not self.is_needed or self._copy.deals:
            return
        with self._working():
            try:
                data = await full_record.fetch_record(channel)
            except (ConnectionLostError, SeatRefusedError) as error:
                self._count_failure(error, is_final=isinstance(error, SeatRefusedError))
                raise
            except ProtocolError as error:
                self._count_failure(error)
                if self._tries < _MAX_TRIES:
                    raise
                self._is_refused = True
                return
            difference = await asyncio.to_thread(self._copy.find_difference, data)
            failure = await self._save(data)
        # A full record that agrees with the copy does not disprove a fault that has been reported.
        if difference or failure or not self._has_fault:
            self._report(difference=difference, failure=failure)

    def _count_failure(self, error: Exception, *, is_final: bool = False) -> None:
        """Count a failed attempt to fetch the record, and report the last attempt."""
        self._tries += 1
        if is_final or self._tries == _MAX_TRIES:
            self._log.warning("full_record_fetch_failed", error=str(error))
            if not self._has_fault:
                self._report(failure=str(error))

    async def _save(self, data: bytes) -> str:
        """Save the full record. Return a description of the problem if the write failed; otherwise, an empty string."""
        path = self._copy.full_path
        try:
            await run_to_end(asyncio.to_thread(full_record.save_record, path, data))
        except StorageError as error:
            self._is_refused = True
            self._log.warning("full_record_save_failed", error=str(error))
            return str(error)
        return ""

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        self._is_working = True
        try:
            yield
        finally:
            self._is_working = False

    def _report(self, *, difference: str = "", fault: str = "", failure: str = "") -> None:
        path = self._copy.full_path
        self._notify(
            FullRecordReceived(path=path, difference=difference, fault=fault, failure=failure)
        )
