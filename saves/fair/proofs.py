"""Decodes mix proofs from their messages, and verifies each proof before its message is folded.

Verifying one proof takes about a tenth of a second, and ``fold`` blocks its thread. Callers therefore verify proofs in
another thread before folding, so that ``fold`` finds the cached results.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.fair.due_messages import due_messages
from saves.fair.messages import (
    MAX_MESSAGE_BYTES,
    Kind,
    Message,
    Proof,
    SignedMessage,
    decode_message,
)
from saves.fair.mixing import Response, ShadowLink, mix_challenge
from saves.fair.state import DueMessage, FairState, UnprovenMix
from saves.fair.verification_cache import verify_proof_ahead, verify_signature_once

SEED_RESPONSE_BYTES: Final = 32
_LINK: Final = msgspec.msgpack.Decoder(ShadowLink)


class ProofParts(NamedTuple):
    """The arguments for verifying a mix proof. The points were checked when the mix was accepted."""

    inputs: Sequence[Any]
    outputs: Sequence[Any]
    shadow_hashes: Sequence[bytes]
    challenge: Sequence[int]
    responses: Sequence[Response]


def proof_parts(state: FairState, mix: UnprovenMix, body: Proof) -> ProofParts:
    """Return the arguments for verifying a mix proof.

    Args:
        state: The state in which the proof is due.
        mix: An unproven mix in this state.
        body: The proof.

    Raises:
        UnreadableError: A response is malformed.
    """
    challenge = mix_challenge(
        state.setup.header_hash, mix.throw, mix.owner, mix.owner, mix.pile, state.challenge
    )
    responses = [_decode_response(data) for data in body.responses]
    return ProofParts([*mix.inputs], [*mix.outputs], mix.shadows, challenge, responses)


def _decode_response(data: bytes) -> Response:
    """Decode a response: up to 32 bytes are a seed, and more bytes are an encoded link."""
    if len(data) <= SEED_RESPONSE_BYTES:
        return data
    link: ShadowLink = decode(_LINK, data, MAX_MESSAGE_BYTES)
    if canonical(link) != data:
        raise UnreadableError("a response is not in canonical form")
    return link


def has_proofs(match_id: str, messages: Sequence[SignedMessage]) -> bool:
    """Return whether these messages contain a proof. Only then is :func:`verify_ahead` worth calling."""
    return any(_decode_proof(match_id, signed) is not None for signed in messages)


def verify_ahead(state: FairState, messages: Sequence[SignedMessage]) -> int:
    """Verify the proofs in messages that are about to be folded, and return the number of verified proofs.

    Call this in a thread. It only fills the cache. Without this call, ``fold`` verifies the proofs itself. A proof is
    verified only if it is due and signed. Only one proof per mix is verified, so that a sender cannot waste the
    receiver's time.

    Args:
        state: State before the messages. It may be outdated when the messages are folded, because a cached result
            applies only to the same arguments.
        messages: Untrusted messages.
    """
    due_proofs = {item for item in due_messages(state) if item.kind is Kind.PROOF}
    count = 0
    for signed in messages:
        message = _decode_proof(state.setup.match_id, signed) if due_proofs else None
        if message is None or not isinstance(message.body, Proof):
            continue
        proof_key = DueMessage(Kind.PROOF, message.author, message.anchor, str(message.body.first))
        key = state.setup.verify_key(message.author)
        is_signed = key is not None and verify_signature_once(key, signed.data, signed.signature)
        if proof_key not in due_proofs or not is_signed:
            continue
        due_proofs.discard(proof_key)
        mix = next(
            item
            for item in state.unproven
            if (item.owner, item.first) == (message.author, message.body.first)
        )
        try:
            parts = proof_parts(state, mix, message.body)
        except UnreadableError:
            continue  # ``fold`` refuses this message anyway, without verifying the proof.
        verify_proof_ahead(*parts)
        count += 1
    return count


def _decode_proof(match_id: str, signed: SignedMessage) -> Message | None:
    try:
        message = decode_message(match_id, signed.data)
    except UnreadableError:
        return None
    return message if message.kind is Kind.PROOF else None
