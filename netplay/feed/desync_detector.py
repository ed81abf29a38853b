"""Compares each seat's chain value and view digest with the host's."""

from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.ids import Role
from netplay.feed.divergence_report import LogEnd, write_report
from netplay.feed.feed import Feed
from netplay.feed.host_session import HostSession
from netplay.wire.messages import Desync, PollUpdates, Tail
from saves.errors import StorageError
from saves.match import Match

_MAX_LAG: Final = 64
"""Number of recent records whose digests are checked. A peer that sends an older digest is still catching up."""


class DesyncDetector:
    """Compares the seats' copies of one match with the host's copy."""

    def __init__(self, match: Match[Any], feed: Feed, folder: Path) -> None:
        """Create a detector that has not compared anything yet.

        Args:
            match: The match with its full, unredacted record.
            feed: Provides each seat's view of the record.
            folder: The folder for divergence reports.
        """
        self._match = match
        self._feed = feed
        self._report_folder = folder
        self._agreed_seqs: dict[Role | None, int] = {}
        header = match.header
        self._log = structlog.get_logger().bind(game=header.game, match=header.match_id)

    def find_desync(self, session: HostSession, poll: PollUpdates) -> Desync | None:
        """Compare the peer's log and view with the host's. Return the difference, or None if they agree."""
        role = session.role
        # A delayed spectator must not learn how many records there are.
        head = self._feed.head(role)
        if poll.seq > self._match.seq or self._feed.chain_at(poll.seq) != poll.chain:
            return self._desync(session, min(poll.seq, head), -1, None)
        # After a restart, the delay counts from zero, so a spectator may have records that it could
        # not see now. The chain value proves that it has them, so there is nothing to compare.
        if poll.seq > head:
            return None
        if poll.digest is None or poll.seq < max(0, head - _MAX_LAG):
            return None
        if not session.allowance.comparisons.take():
            return None
        own_digest = self._feed.digest_at(poll.seq, role)
        if own_digest != poll.digest:
            # The peer may have rolled back its copy since, so an earlier agreement on a later
            # record no longer counts.
            agreed = min(self._agreed_seqs.get(role, -1), poll.seq - 1)
            return self._desync(session, poll.seq, agreed, own_digest)
        self._agreed_seqs[role] = poll.seq
        session.is_in_sync = True
        return None

    def _desync(self, session: HostSession, seq: int, agreed: int, digest: bytes | None) -> Desync:
        session.is_in_sync = False
        self._log.error("desync_detected", role=session.role, seq=seq, agreed=agreed)
        session.pending_desync = Desync(
            seq=seq,
            agreed_seq=agreed,
            agreed_chain=self._feed.chain_at(agreed),
            digest=digest,
            records=self._feed.tail(session.role, seq),
        )
        return session.pending_desync

    def save_report(self, session: HostSession, tail: Tail) -> None:
        """Save the last records of both logs, at most once for each desync that this host has found.

        If the report cannot be written or the seat already has too many reports, only a warning is logged. The peer can
        still recover.
        """
        desync, session.pending_desync = session.pending_desync, None
        if desync is None:
            return
        try:
            path = write_report(
                self._report_folder,
                self._match.header,
                session.role,
                desync.seq,
                host=LogEnd(digest=desync.digest, records=desync.records),
                peer=LogEnd(digest=tail.digest, records=tail.records),
            )
        except StorageError as error:
            self._log.warning("desync_report_failed", role=session.role, error=str(error))
        else:
            self._log.error(
                "desync_report_saved", role=session.role, seq=desync.seq, file=path.name
            )
