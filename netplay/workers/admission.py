"""Authenticates connections to a host, and refuses connections without the right key."""

import datetime as dt
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final, NamedTuple

import structlog
from cryptography import x509

from engine.kernel.ids import Role
from netplay.invites import identity
from netplay.invites.seat_ownership import Seating
from netplay.transport.handshake import seat_proof_parts
from netplay.transport.listener import ConnectionRequest
from netplay.wire import limits
from netplay.wire.errors import ProtocolError, SeatRefusedError
from netplay.wire.messages import Bye, Challenge, Hello, SeatProof, version_problem
from netplay.wire.sanitising import NAME_LIMIT, REASON_LIMIT, sanitise

log = structlog.get_logger()

_REPEAT_SECONDS: Final = 60.0
_MAX_LOGGED: Final = 1_000
"""Maximum number of recent refusals to remember, so that they are not logged again too soon."""


class Admission:
    """Authenticates new connections by sending a challenge and verifying the proof."""

    def __init__(self, authority: identity.Authority, matches: Mapping[str, Seating]) -> None:
        """Store the host's keys and the matches. No match is opened for a connection without a valid key."""
        self._authority = authority
        self._matches = matches
        self._pending_hellos: dict[int, tuple[Hello, bytes]] = {}
        self._cool_downs: dict[tuple[str, str], float] = {}

    def forget(self, connection_id: int) -> None:
        """Forget a connection that has ended."""
        self._pending_hellos.pop(connection_id, None)

    def cool_down(self, match: str, owner: str, seconds: float) -> None:
        """Refuse a seat, or the spectators at an address, for a while after too many messages."""
        now = time.monotonic()
        self._cool_downs = {key: until for key, until in self._cool_downs.items() if until > now}
        self._cool_downs[(match, owner)] = now + seconds

    def challenge(self, request: ConnectionRequest, hello: Hello) -> Challenge | Bye:
        """Return the challenge for a new connection: the nonce that it must sign, and the host's own proof.

        Raises:
            SeatRefusedError: The protocol versions differ, or the match or seat does not exist.
        """
        problem = version_problem(hello.protocol, hello.capabilities, "other program")
        if problem:
            raise SeatRefusedError(problem, logged="different version of the protocol")
        seating, role = self._seating(hello), _role(hello)
        if role is not None and role not in seating.roles:
            raise SeatRefusedError(
                f"there is no seat '{sanitise(role, NAME_LIMIT)}' in this match",
                logged="unknown seat",
            )
        lockout_reason = self._lockout_reason(request, hello)
        if lockout_reason:
            return Bye(reason=lockout_reason, again=True)
        pending = self._pending_hellos.get(request.connection_id)
        is_repeated = pending is not None and pending[0] == hello
        # A peer that missed the reply repeats its greeting. It gets the same nonce, so that a proof
        # fits either reply.
        nonce = pending[1] if pending and is_repeated else secrets.token_bytes(identity.NONCE_BYTES)
        self._pending_hellos[request.connection_id] = (hello, nonce)
        pair = self._authority.host
        parts = (hello.nonce, hello.match.encode(), nonce)
        return Challenge(
            nonce=nonce,
            certificate=pair.certificate,
            signature=identity.sign_proof(pair.key, identity.HOST_CONTEXT, *parts),
        )

    def admit(self, request: ConnectionRequest, proof: SeatProof) -> "Admitted":
        """Verify a proof, and return the seat to which it gives access.

        Raises:
            ProtocolError: No challenge was sent, the message is not a valid proof, or the seat is locked out.
            SeatRefusedError: The key does not belong to the seat.
        """
        pending = self._pending_hellos.pop(request.connection_id, None)
        if pending is None:
            raise ProtocolError("a proof without a challenge")
        hello, nonce = pending
        # The lockout may have begun after the challenge was sent on this connection.
        lockout_reason = self._lockout_reason(request, hello)
        if lockout_reason:
            raise ProtocolError(lockout_reason, logged="too many messages")
        seating, role = self._seating(hello), _role(hello)
        certificate = identity.check_seat(
            self._authority.authority.certificate,
            proof.certificate,
            seating.match,
            role,
            dt.datetime.now(dt.UTC),
        )
        # A certificate from the authority is not enough, because the seat may have received a new
        # key since.
        if role is not None and seating.owner(role) != identity.fingerprint(certificate):
            raise SeatRefusedError("this seat belongs to a different key")
        parts = seat_proof_parts(nonce, hello.match, hello.role, hello.nonce)
        if not identity.verify_proof(certificate, proof.signature, identity.PROOF_CONTEXT, *parts):
            raise SeatRefusedError("the proof does not belong to this invite's key")
        return Admitted(role, hello, certificate)

    def _lockout_reason(self, request: ConnectionRequest, hello: Hello) -> str:
        """Return why a seat, or the spectators at an address, must wait before they connect; empty if they need not."""
        owner = limits.allowance_owner(_role(hello), request.remote)
        seconds_left = self._cool_downs.get((hello.match, owner), 0.0) - time.monotonic()
        if seconds_left <= 0:
            return ""
        return f"too many messages; reconnect in {int(seconds_left) + 1} seconds"

    def _seating(self, hello: Hello) -> Seating:
        seating = self._matches.get(hello.match)
        if seating is None:
            raise SeatRefusedError("this host has no such match")
        return seating


class Admitted(NamedTuple):
    """The seat of a connection that has been authenticated."""

    role: Role | None
    """Role of the seat; None for a spectator."""
    hello: Hello
    certificate: x509.Certificate


class RefusalLog:
    """Logs refused connections, at most once a minute for each address and reason, and without text from the peer."""

    def __init__(self) -> None:
        """Create an empty log."""
        self._logged: OrderedDict[tuple[str, str], float] = OrderedDict()

    def log_refusal(self, request: ConnectionRequest, reason: str) -> None:
        """Log that a request was refused."""
        now = time.monotonic()
        key = limits.origin(request.remote), reason
        if now - self._logged.get(key, -_REPEAT_SECONDS) < _REPEAT_SECONDS:
            return
        log.warning(
            "connection_rejected",
            remote=request.remote,
            certificate=sanitise(request.certificate_name or "", REASON_LIMIT),
            reason=reason,
        )
        self._logged[key] = now
        self._logged.move_to_end(key)
        if len(self._logged) > _MAX_LOGGED:
            self._logged.popitem(last=False)


def _role(hello: Hello) -> Role | None:
    return None if hello.role is None else Role(hello.role)
