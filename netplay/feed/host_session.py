"""Stores the seat, progress and limits of an authenticated connection to the host."""

import time
from collections import OrderedDict
from hashlib import blake2b
from typing import Final

from cryptography import x509

from engine.kernel.ids import Role
from netplay.wire import limits
from netplay.wire.limits import Allowance
from netplay.wire.messages import DISK, Accepted, Desync, Refused
from saves.disk_trouble import Trouble

_MAX_ANSWERS: Final = 256

Verdict = Accepted | Refused


class HostSession:
    """The host's data about an authenticated connection of a seat or spectator."""

    def __init__(
        self,
        connection_id: int,
        role: Role | None,
        capabilities: tuple[str, ...],
        allowance_owner: str = "",
        allowance: Allowance | None = None,
        certificate: x509.Certificate | None = None,
        key: str = "",
    ) -> None:
        """Start the session for a connection.

        Args:
            connection_id: The number of the connection.
            role: The seat; None for a spectator.
            capabilities: The peer's capabilities.
            allowance_owner: The owner of the allowance: the role or a spectator's address.
            allowance: The owner's remaining allowance; None to start with a full allowance.
            certificate: The certificate that authenticated the connection.
            key: Fingerprint of the certificate's key; empty without a certificate.
        """
        self.connection_id = connection_id
        self.role = role
        self.capabilities = capabilities
        self.last_seen = time.monotonic()
        self.is_polling = False
        """True while a request for updates is waiting for an answer."""
        self.poll_number = 0
        """Number of requests for updates so far. A new request replaces the previous one."""
        self.is_welcomed = False
        """True once the peer has been informed that its match has begun."""
        self.sent_version = -1
        """Value of ``ChangeSignal.version`` when the peer was last sent an update."""
        self.is_in_sync = True
        """False after a desync until the views agree again."""
        self.pending_desync: Desync | None = None
        """The last desync, until the peer has sent its log for the report; None if there is none."""
        self.closing_reason = ""
        """The reason why the connection will be closed; empty while it stays open."""
        self.allowance_owner = allowance_owner
        self.allowance = allowance or Allowance()
        self.certificate = certificate
        self.key = key

    def reported_trouble(self, trouble: Trouble) -> Trouble:
        """Return the disk problem for the peer to show; empty if there is none or the peer cannot show it."""
        return trouble if DISK in self.capabilities else ""

    def is_present(self, now: float) -> bool:
        """Return whether the peer is responding."""
        return self.is_polling or now - self.last_seen < limits.ABSENT_AFTER_SECONDS


class RequestDeduplicator:
    """Stores the answers to a seat's recent requests, so that a repeated request is not carried out twice."""

    def __init__(self) -> None:
        """Create an empty store."""
        self._answers: OrderedDict[str, tuple[bytes, Verdict]] = OrderedDict()

    def find_answer(self, request_id: str, content: bytes) -> Verdict | None:
        """Return the earlier answer to a request, or None if the request is new.

        A request that reuses an id with different content is refused, because no correct program sends one.
        """
        stored = self._answers.get(request_id)
        if stored is None:
            return None
        content_digest, verdict = stored
        if content_digest == _digest(content):
            return verdict
        return Refused(
            request_id=request_id,
            code="reused",
            text="this request id has already been used for a different request",
        )

    def store_answer(self, request_id: str, content: bytes, verdict: Verdict) -> Verdict:
        """Store an answer and return it."""
        self._answers[request_id] = (_digest(content), verdict)
        while len(self._answers) > _MAX_ANSWERS:
            self._answers.popitem(last=False)
        return verdict


def build_refusal(request_id: str, code: str, text: str) -> Refused:
    """Build the reply that refuses a request, with a sentence for the player."""
    # Peers refuse a text of more than 1,000 characters as malformed.
    return Refused(request_id=request_id, code=code, text=text[:900])


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
