"""Checks each seat's copy against the host's by comparing chains and view digests."""

from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.ids import Role
from netplay.feed.divergence_report import Side, write_bundle
from netplay.feed.feed import Feed
from netplay.feed.host_session import HostSession
from netplay.wire.messages import Desync, PollUpdates, Tail
from saves.errors import StorageError
from saves.match import Match

_CHECKED_BACK: Final = 64
"""A digest from more than this many records ago is not checked, because the peer is still catching up."""


class DesyncDetector:
    """Compares the seats' copies of one match with the host's."""

    def __init__(self, match: Match[Any], feed: Feed, bundles: Path) -> None:
        """Start with no comparisons made.

        Args:
            match: The match with its full, unredacted record.
            feed: Each seat's view of the record.
            bundles: Folder for divergence reports.
        """
        self._match = match
        self._feed = feed
        self._bundles = bundles
        self._agreed: dict[Role | None, int] = {}
        header = match.header
        self._log = structlog.get_logger().bind(game=header.game, match=header.match_id)

    def difference(self, session: HostSession, ask: PollUpdates) -> Desync | None:
        """Return the desync between the peer's log or view and the host's, or None if they agree."""
        match, role = self._match, session.role
        if ask.seq > match.seq or self._feed.chain_at(ask.seq) != ask.chain:
            return self._out_of_step(session, min(ask.seq, self._feed.head(role)), -1, None)
        if ask.digest is None or ask.seq < max(0, match.seq - _CHECKED_BACK):
            return None
        if not session.allowance.comparisons.take():
            return None
        ours = self._feed.digest_at(ask.seq, role)
        if ours != ask.digest:
            agreed = min(self._agreed.get(role, -1), ask.seq - 1)
            return self._out_of_step(session, ask.seq, agreed, ours)
        self._agreed[role] = ask.seq
        session.in_step = True
        return None

    def _out_of_step(
        self, session: HostSession, seq: int, agreed: int, digest: bytes | None
    ) -> Desync:
        session.in_step = False
        self._log.error("out_of_step", role=session.role, seq=seq, agreed=agreed)
        session.difference = Desync(
            seq=seq,
            agreed_seq=agreed,
            agreed_chain=self._feed.chain_at(agreed),
            digest=digest,
            records=self._feed.tail(session.role, seq),
        )
        return session.difference

    def take_tail(self, session: HostSession, tail: Tail) -> None:
        """Save the tails of both logs, once for each desync that this host has found.

        If the report cannot be written, or the seat already has too many, this only logs a warning, because the peer
        can still recover.
        """
        found, session.difference = session.difference, None
        if found is None:
            return
        try:
            path = write_bundle(
                self._bundles,
                self._match.header,
                session.role,
                found.seq,
                host=Side(digest=found.digest, records=found.records),
                peer=Side(digest=tail.digest, records=tail.records),
            )
        except StorageError as error:
            self._log.warning("bundle_not_written", role=session.role, error=str(error))
        else:
            self._log.error("bundle_written", role=session.role, seq=found.seq, file=path.name)
