"""Admits connections to a host: authenticates them, and refuses those without the right key."""

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
from netplay.invites.seating import Seating
from netplay.transport.handshake import seat_proof_parts
from netplay.transport.listener import Request
from netplay.wire import limits
from netplay.wire.errors import ProtocolError, SeatRefusedError
from netplay.wire.messages import Bye, Challenge, Hello, Proof, version_problem
from netplay.wire.sanitising import NAME_LIMIT, REASON_LIMIT, clean

log = structlog.get_logger()

_ONCE_SECONDS: Final = 60.0
_MOST_SAID: Final = 1_000
"""Maximum number of logged refusals remembered to avoid logging them again."""


class Admission:
    """Challenges new connections and verifies their proofs."""

    def __init__(self, authority: identity.Authority, matches: Mapping[str, Seating]) -> None:
        """Admit connections to these matches. A connection without a valid key never causes a match to be opened."""
        self._authority = authority
        self._matches = matches
        self._hellos: dict[int, tuple[Hello, bytes]] = {}
        self._cooling: dict[tuple[str, str], float] = {}

    def forget(self, line: int) -> None:
        """Forget a connection that has ended."""
        self._hellos.pop(line, None)

    def cool_down(self, match: str, whose: str, seconds: float) -> None:
        """Temporarily keep out a seat, or the spectators at an address, after a flood of messages."""
        now = time.monotonic()
        self._cooling = {key: until for key, until in self._cooling.items() if until > now}
        self._cooling[(match, whose)] = now + seconds

    def challenge(self, request: Request, hello: Hello) -> Challenge | Bye:
        """Return a nonce for a new connection to sign, with the host's own proof.

        Raises:
            SeatRefusedError: The protocol versions differ, or the match or seat does not exist.
        """
        problem = version_problem(hello.protocol, hello.capabilities, "other program")
        if problem:
            raise SeatRefusedError(problem, logged="different version of the protocol")
        seating, role = self._seating(hello), _role(hello)
        if role is not None and role not in seating.roles:
            raise SeatRefusedError(
                f"there is no seat '{clean(role, NAME_LIMIT)}' in this match",
                logged="unknown seat",
            )
        whose = limits.whose(role, request.remote)
        left = self._cooling.get((hello.match, whose), 0.0) - time.monotonic()
        if left > 0:
            reason = f"too many messages; reconnect in {int(left) + 1} seconds"
            return Bye(reason=reason, again=True)
        known = self._hellos.get(request.line)
        repeated = known is not None and known[0] == hello
        nonce = known[1] if known and repeated else secrets.token_bytes(identity.NONCE_BYTES)
        self._hellos[request.line] = (hello, nonce)
        pair = self._authority.host
        parts = (hello.nonce, hello.match.encode(), nonce)
        return Challenge(
            nonce=nonce,
            certificate=pair.certificate,
            signature=identity.sign_proof(pair.key, identity.HOST_CONTEXT, *parts),
        )

    def admit(self, request: Request, proof: Proof) -> "Admitted":
        """Verify a proof and return the seat that it gives access to.

        Raises:
            ProtocolError: No challenge was sent, or the message is not a valid proof.
            SeatRefusedError: The key does not belong to the seat.
        """
        known = self._hellos.pop(request.line, None)
        if known is None:
            raise ProtocolError("a proof without a challenge")
        hello, nonce = known
        seating, role = self._seating(hello), _role(hello)
        certificate = identity.check_seat(
            self._authority.authority.certificate,
            proof.certificate,
            seating.match,
            role,
            dt.datetime.now(dt.UTC),
        )
        if role is not None and seating.owner(role) != identity.fingerprint(certificate):
            raise SeatRefusedError("this seat belongs to a different key")
        parts = seat_proof_parts(nonce, hello.match, hello.role, hello.nonce)
        if not identity.verify_proof(certificate, proof.signature, identity.PROOF_CONTEXT, *parts):
            raise SeatRefusedError("the proof does not belong to this invite's key")
        return Admitted(role, hello, certificate)

    def _seating(self, hello: Hello) -> Seating:
        seating = self._matches.get(hello.match)
        if seating is None:
            raise SeatRefusedError("this host has no such match")
        return seating


class Admitted(NamedTuple):
    """An admitted connection."""

    role: Role | None
    """The seat's role; None for a spectator."""
    hello: Hello
    certificate: x509.Certificate


class Refusals:
    """Logs refused connections, at most once a minute per address and reason, and without any text from the peer."""

    def __init__(self) -> None:
        """Start with no refusals."""
        self._said: OrderedDict[tuple[str, str], float] = OrderedDict()

    def note(self, request: Request, reason: str) -> None:
        """Log that a request was refused."""
        now = time.monotonic()
        key = limits.origin(request.remote), reason
        if now - self._said.get(key, -_ONCE_SECONDS) < _ONCE_SECONDS:
            return
        log.warning(
            "turned_away",
            remote=request.remote,
            certificate=clean(request.certified or "", REASON_LIMIT),
            reason=reason,
        )
        self._said[key] = now
        self._said.move_to_end(key)
        if len(self._said) > _MOST_SAID:
            self._said.popitem(last=False)


def _role(hello: Hello) -> Role | None:
    return None if hello.role is None else Role(hello.role)
