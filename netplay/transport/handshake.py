"""Starts a connection. Both sides authenticate before anything else is sent."""

import datetime as dt
import secrets
from typing import Final

from netplay.invites import identity
from netplay.invites.invite import Invite
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError, ProtocolError, SeatRefusedError
from netplay.wire.messages import (
    CAPABILITIES,
    PROTOCOL,
    Answer,
    Bye,
    Challenge,
    Hello,
    SeatProof,
    Waiting,
    Welcome,
    WireMessage,
    decode_answer,
    encode,
    version_problem,
)
from netplay.wire.sanitising import REASON_LIMIT, sanitise

_ANSWER_SECONDS = 6.0
ASK_SECONDS: Final = 8.0
"""Time limit in seconds for the reply to most requests."""
UNEXPECTED_ANSWER: Final = "the host sent an unexpected reply"


def seat_proof_parts(
    host_nonce: bytes, match: str, role: str | None, peer_nonce: bytes
) -> tuple[bytes, ...]:
    """Return the parts of the data that a seat signs to prove that it has its key."""
    seat = b"\x00" if role is None else b"\x01" + role.encode()
    return (str(PROTOCOL).encode(), host_nonce, match.encode(), seat, peer_nonce)


async def ask(channel: RequestChannel, message: WireMessage, timeout_seconds: float) -> Answer:
    """Send a request to the host and return its reply.

    Raises:
        ConnectionLostError: No reply arrived, or the host closed the connection but allows another attempt.
        SeatRefusedError: The host closed the connection permanently.
        ProtocolError: The reply is not a host message.
    """
    answer = decode_answer(await channel.ask(encode(message), timeout_seconds))
    if isinstance(answer, Bye):
        reason = sanitise(answer.reason, REASON_LIMIT) or "the host closed the connection"
        raise ConnectionLostError(reason) if answer.again else SeatRefusedError(reason)
    return answer


async def authenticate(channel: RequestChannel, invite: Invite) -> Welcome | Waiting:
    """Authenticate the host, prove that this peer has the invite's key, and return the host's reply to the proof.

    Raises:
        ConnectionLostError: The host does not respond.
        SeatRefusedError: The host refuses the seat, or is not the host that issued the invite.
        ProtocolError: The host's reply is invalid.
    """
    nonce = secrets.token_bytes(identity.NONCE_BYTES)
    hello = Hello(
        protocol=PROTOCOL,
        capabilities=CAPABILITIES,
        match=invite.match,
        role=invite.role,
        nonce=nonce,
    )
    challenge = await ask(channel, hello, _ANSWER_SECONDS)
    if not isinstance(challenge, Challenge):
        raise ProtocolError("the host did not send a challenge")
    _check_host(challenge, invite, nonce)
    parts = seat_proof_parts(challenge.nonce, invite.match, invite.role, nonce)
    proof = SeatProof(
        certificate=invite.certificate,
        signature=identity.sign_proof(invite.key, identity.PROOF_CONTEXT, *parts),
    )
    # The proof is sent only after the host has proved its identity, so another program at this
    # address learns nothing.
    welcome = await ask(channel, proof, _ANSWER_SECONDS)
    if isinstance(welcome, Waiting):
        return welcome
    if not isinstance(welcome, Welcome):
        raise ProtocolError("the host sent an unexpected reply to the proof")
    problem = version_problem(PROTOCOL, welcome.capabilities, "host")
    if problem:
        raise SeatRefusedError(problem)
    return welcome


def _check_host(challenge: Challenge, invite: Invite, nonce: bytes) -> None:
    """Check that the host issued the invite. Over plain TCP, nothing else authenticates the host.

    Raises:
        SeatRefusedError: This is another host, or its certificate has expired or is not valid yet.
        ProtocolError: The certificate cannot be read.
    """
    try:
        certificate = identity.load_certificate(challenge.certificate)
    except ValueError as error:
        raise ProtocolError("the host's certificate cannot be read") from error
    parts = (nonce, invite.match.encode(), challenge.nonce)
    if (
        not identity.is_issued_by(certificate, invite.authority)
        or identity.common_name(certificate) != identity.HOST_NAME
        or not identity.verify_proof(
            certificate, challenge.signature, identity.HOST_CONTEXT, *parts
        )
    ):
        raise SeatRefusedError(
            "the program at this address is not the host that issued this invite"
        )
    problem = identity.check_dates(certificate, dt.datetime.now(dt.UTC), identity.OWN_CLOCK)
    if problem:
        raise SeatRefusedError(f"the host's certificate is not valid: {problem}")
