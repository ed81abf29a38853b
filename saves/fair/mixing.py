"""Mixes face-down cards and proves that the mixes are correct (``docs/fair-play.md``, section 5).

A mix re-blinds a pile's commitments and puts them in a secret order. The proof uses cut-and-choose. Before the throw
that determines the challenge, the owner commits to shadows, which are further mixes of the same inputs. The challenge
then has one bit per shadow: the owner reveals either how the shadow was made from the inputs (bit 0) or how the outputs
can be made from the shadow (bit 1). A false mix passes each of these tests with probability 1/2.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from saves.fair.derivation import (
    ScalarSource,
    keyed_hash,
    pack,
    permutation,
    plain_hash,
)
from saves.fair.errors import GroupElementError, MixProofError
from saves.fair.group import (
    Point,
    Scalar,
    add,
    base_times,
    check_point,
    check_scalar,
    scalar_add,
    scalar_sub,
    subtract,
)
from saves.fair.secrets import CardSecrets

SHADOWS: Final = 20
"""Number of shadows per mix. A false mix passes the challenge with probability 2**-20."""
SEED_BYTES: Final = 32


class MixContext(msgspec.Struct, frozen=True, kw_only=True):
    """A mix's public position in the match, which differs for every mix."""

    header_hash: bytes
    anchor_index: int
    anchor_hash: bytes
    """Transcript hash up to the anchor message."""
    deck: str
    purpose: str
    """Name of the pile that is mixed."""


class MixInput(msgspec.Struct, frozen=True):
    """A label in the pile to be mixed, with the secrets that its owner knows."""

    label: int
    point: Point
    card: str
    blinding: Scalar
    """The label's blinding; zero for a label whose card is public from the start."""

    @override
    def __repr__(self) -> str:
        return f"MixInput({self.label})"  # repr() must not show the card, because its output may end up in a log.


class MixPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The secret part of a mix: the order, and the card and blinding of each output."""

    key: bytes
    order: tuple[int, ...]
    """For each output, the index of its input."""
    increments: tuple[Scalar, ...]
    """For each output, the scalar *s* if ``s*G`` was added to the input point."""
    blindings: tuple[Scalar, ...]
    """For each output, its blinding: the input's blinding plus the increment."""
    cards: tuple[str, ...]
    """For each output, the card that it hides."""

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__}(of {len(self.order)})"  # as above


class OwnMix(MixPlan, frozen=True, kw_only=True):
    """A complete mix: the secret part, and the public part that is sent in the mix message."""

    outputs: tuple[Point, ...]
    shadow_hashes: tuple[bytes, ...]

    @override
    def __repr__(self) -> str:
        return f"OwnMix(of {len(self.order)})"  # as above


class ShadowLink(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Response to challenge bit 1, which shows how to make the outputs from a shadow."""

    permutation: tuple[int, ...]
    """For each output, its position in the shadow."""
    differences: tuple[bytes, ...]
    """For each output, the scalar *s* if ``s*G`` must be added to the shadow point."""


Response = bytes | ShadowLink
"""The owner's response to one challenge bit: the shadow's seed for bit 0, or a link for bit 1."""


def make_mix(
    secrets: CardSecrets,
    context: MixContext,
    inputs: Sequence[MixInput],
    chosen_order: Sequence[int] | None = None,
    shadows: int = SHADOWS,
) -> OwnMix:
    """Mix a pile's labels.

    The result is deterministic: the same arguments produce the same mix, even after a restart.

    Args:
        secrets: The deck owner's secrets.
        context: The mix's position in the match.
        inputs: The labels in ascending order.
        chosen_order: For each output, the index of its input; None for a random order.
        shadows: Number of shadows; only tests override the default.

    Raises:
        BlindingReuseError: A blinding would be used for two cards. Do not send any part of the mix.
    """
    plan = plan_mix(secrets, context, inputs, chosen_order)
    points = [source.point for source in inputs]
    digest = _list_hash(points)
    hashes = []
    for number in range(shadows):
        seed = _shadow_seed(plan.key, number)
        secrets.guard.record(seed, context.deck, digest)
        hashes.append(_list_hash(_shadow_points(seed, points)))
    outputs = _permute_and_shift(points, plan.order, plan.increments)
    return OwnMix(
        key=plan.key,
        order=plan.order,
        increments=plan.increments,
        blindings=plan.blindings,
        cards=plan.cards,
        outputs=tuple(outputs),
        shadow_hashes=tuple(hashes),
    )


def plan_mix(
    secrets: CardSecrets,
    context: MixContext,
    inputs: Sequence[MixInput],
    chosen_order: Sequence[int] | None = None,
) -> MixPlan:
    """Compute only the secret part of a mix, a hundred times faster than :func:`make_mix`.

    This is enough to track the owner's cards and, after a restart, to respond to a challenge.

    Raises:
        BlindingReuseError: A blinding would be used for two cards.
    """
    labels = [source.label for source in inputs]
    assert all(low < high for low, high in pairwise(labels))
    assert chosen_order is None or sorted(chosen_order) == list(range(len(inputs)))
    # All secrets are derived from this key. A mix is therefore the same after a restart, but
    # unrelated to mixes in other histories.
    key = secrets.mix_key(
        context.header_hash,
        context.anchor_index,
        context.anchor_hash,
        context.deck,
        context.purpose,
        labels,
        chosen_order,
    )
    if chosen_order is None:
        order = permutation(keyed_hash(b"fp7-order", key, 32, b""), len(inputs))
    else:
        order = tuple(chosen_order)
    reordered = [inputs[place] for place in order]
    source = ScalarSource(b"fp7-blind", key)
    # The hash includes the card, so that a different card in the same position would get a
    # different blinding.
    increments = [
        source.scalar(pack((index, mix_input.card))) for index, mix_input in enumerate(reordered)
    ]
    return MixPlan(
        key=key,
        order=order,
        increments=tuple(increments),
        blindings=tuple(
            _blinding(secrets, context.deck, mix_input, increment)
            for mix_input, increment in zip(reordered, increments, strict=True)
        ),
        cards=tuple(mix_input.card for mix_input in reordered),
    )


def _blinding(secrets: CardSecrets, deck: str, source: MixInput, increment: Scalar) -> Scalar:
    """Return the blinding for an output. Only this function creates blindings for commitments."""
    blinding = scalar_add(source.blinding, increment)
    secrets.guard.record(blinding, deck, source.card)
    return blinding


def respond(plan: MixPlan, challenge: Sequence[int]) -> tuple[Response, ...]:
    """Return the owner's responses to the challenge for its mix.

    Responding to two challenges for the same mix would reveal the mix's order. The caller must therefore compute the
    challenge from verified reveals, and check its journal for an earlier response.
    """
    return tuple(_respond(plan, number, bit) for number, bit in enumerate(challenge))


def _respond(plan: MixPlan, number: int, bit: int) -> Response:
    seed = _shadow_seed(plan.key, number)
    if not bit:
        return seed
    order, increments = _shadow_plan(seed, len(plan.order))
    shadow_place = {source: place for place, source in enumerate(order)}
    places = tuple(shadow_place[source] for source in plan.order)
    differences = tuple(
        scalar_sub(increment, increments[place])
        for increment, place in zip(plan.increments, places, strict=True)
    )
    return ShadowLink(places, differences)


def check_outputs(outputs: Sequence[bytes], count: int) -> tuple[Point, ...]:
    """Validate the output points in another seat's mix of ``count`` labels.

    Raises:
        MixProofError: The number of points is wrong, two points are equal, or a point is not usable.
    """
    if len(outputs) != count:
        raise MixProofError(f"a mix of {count} labels has {len(outputs)} outputs")
    if len(set(outputs)) != count:
        raise MixProofError("two outputs of a mix are equal")
    try:
        return tuple(check_point(output) for output in outputs)
    except GroupElementError as error:
        raise MixProofError(f"an output of a mix is invalid: {error}") from error


def verify_proof(
    inputs: Sequence[Point],
    outputs: Sequence[Point],
    shadow_hashes: Sequence[bytes],
    challenge: Sequence[int],
    responses: Sequence[Response],
) -> None:
    """Check that the outputs hide exactly the cards that the inputs hide, each card once.

    Args:
        inputs: The labels' points, in ascending order of label number.
        outputs: The mix's points, already validated by :func:`check_outputs`.
        shadow_hashes: Hashes from the mix message.
        challenge: Bits from :func:`mix_challenge`.
        responses: Responses from the proof message, untrusted.

    Raises:
        MixProofError: The proof fails verification.
    """
    if not len(shadow_hashes) == len(challenge) == len(responses):
        raise MixProofError(
            f"there are {len(responses)} responses for {len(challenge)} challenge bits"
        )
    for number, bit in enumerate(challenge):
        problem = shadow_problem(inputs, outputs, shadow_hashes[number], bit, responses[number])
        if problem:
            raise MixProofError(f"shadow {number} of a mix: {problem}")


def shadow_problem(
    inputs: Sequence[Point],
    outputs: Sequence[Point],
    shadow_hash: bytes,
    bit: int,
    response: Response,
) -> str:
    """Verify one response for :func:`verify_proof`. Return the problem, or an empty string if the response is valid."""
    try:
        if isinstance(response, bytes):
            if bit or len(response) != SEED_BYTES:
                return "the response has the wrong form"
            points = _shadow_points(response, inputs)
        else:
            if not bit or sorted(response.permutation) != list(range(len(outputs))):
                return "the positions are not a permutation"
            points = _linked_shadow(outputs, response)
    except GroupElementError as error:
        return str(error)
    if _list_hash(points) != shadow_hash:
        return "its hash differs from the one sent before the throw"
    return ""


def _linked_shadow(outputs: Sequence[Point], link: ShadowLink) -> list[Point]:
    """Recompute a shadow from the outputs and a link. The link's positions must be a permutation."""
    if len(link.differences) != len(outputs):
        raise GroupElementError("the number of differences is not the number of outputs")
    shadow = list(outputs)
    for output, place, difference in zip(outputs, link.permutation, link.differences, strict=True):
        shadow[place] = subtract(output, base_times(check_scalar(difference)))
    return shadow


def mix_challenge(
    header_hash: bytes,
    number: int,
    role: Role,
    deck: str,
    purpose: str,
    reveals: Sequence[bytes],
    count: int = SHADOWS,
) -> tuple[int, ...]:
    """Return the challenge for a mix, one bit per shadow.

    The challenge must depend only on the arguments. A second challenge for the same mix would reveal the mix's order.

    Args:
        header_hash: The match header's hash.
        number: Number of throws that had begun at the mix's anchor. The next throw has this number.
        role: The mix's owner.
        deck: The mix's deck.
        purpose: The pile's name.
        reveals: All reveals for the throw, in header order.
        count: Number of bits, at most 256.
    """
    # If the challenge depended on the transcript hash, a host could fork the transcript to obtain
    # two challenges for one mix.
    challenge_input = pack((header_hash, number, role, deck, purpose))
    hashed = plain_hash(b"fp7-challenge", challenge_input + b"".join(reveals))
    return tuple(hashed[place // 8] >> (7 - place % 8) & 1 for place in range(count))


def throw_key(header_hash: bytes, number: int, reveals: Sequence[bytes]) -> bytes:
    """Return the key for deriving a throw's results with ``UniformSource``.

    Args:
        header_hash: The match header's hash.
        number: The throw's number.
        reveals: All reveals for the throw, in header order.
    """
    # The key must not depend on anything else. An attacker could vary any additional value to
    # choose among results.
    match_key = plain_hash(b"fp7-match", header_hash)
    return keyed_hash(b"fp7-throw", match_key, 32, pack(number) + b"".join(reveals))


def _shadow_seed(key: bytes, number: int) -> bytes:
    return keyed_hash(b"fp7-shadow", key, SEED_BYTES, _pack_number(number))


def _shadow_plan(seed: bytes, count: int) -> tuple[tuple[int, ...], list[Scalar]]:
    """Return a shadow's order and increments."""
    order = permutation(keyed_hash(b"fp7-sorder", seed, 32, b""), count)
    # The hash does not include cards, because every copy must be able to recompute shadows without
    # knowing the cards.
    source = ScalarSource(b"fp7-sblind", seed)
    return order, [source.scalar(_pack_number(place)) for place in range(count)]


def _shadow_points(seed: bytes, inputs: Sequence[Point]) -> list[Point]:
    return _permute_and_shift(inputs, *_shadow_plan(seed, len(inputs)))


def _permute_and_shift(
    points: Sequence[Point], order: Sequence[int], increments: Sequence[Scalar]
) -> list[Point]:
    """Return the points in a new order, each re-blinded by adding its increment times the base point."""
    return [
        add(points[place], base_times(increment))
        for place, increment in zip(order, increments, strict=True)
    ]


@lru_cache(maxsize=512)
def _pack_number(number: int) -> bytes:
    return pack(number)


def _list_hash(points: Sequence[Point]) -> bytes:
    return plain_hash(b"fp7-list", b"".join(points))
