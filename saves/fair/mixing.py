"""Mixes of face-down cards and their proofs (protocol 7, section 2.6).

A mix re-blinds the commitments of a pile in a hidden order. Its proof is cut and choose: the owner commits to shadows,
further mixes of the same inputs, before the throw that selects the challenge. For each shadow it then shows either how
the shadow follows from the inputs (bit 0) or how the outputs follow from the shadow (bit 1). A wrong mix passes with a
chance of one in two for each shadow.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import msgspec

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
"""Shadows of a mix: a wrong mix passes its challenge with a chance of 2**-20."""
SEED_BYTES: Final = 32


class MixContext(msgspec.Struct, frozen=True, kw_only=True):
    """Public place of a mix in the match; no two mixes share one."""

    header_hash: bytes
    anchor_index: int
    anchor_hash: bytes
    """Hash of the transcript up to the anchor message."""
    deck: str
    purpose: str
    """Name of the pile."""


class MixInput(msgspec.Struct, frozen=True):
    """A label of the pile, as its owner knows it."""

    label: int
    point: Point
    card: str
    blinding: Scalar
    """Zero for a label whose card is public from the start."""

    def __repr__(self) -> str:
        return f"MixInput({self.label})"  # the card must never reach a log


class MixPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Private part of a mix: which card each output hides, and how."""

    key: bytes
    order: tuple[int, ...]
    """Input of each output, counted from 0."""
    increments: tuple[Scalar, ...]
    """Difference of each output to its input, as a multiple of the base point."""
    blindings: tuple[Scalar, ...]
    """Blinding of each output: that of its input plus the increment."""
    cards: tuple[str, ...]
    """Card of each output."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(of {len(self.order)})"  # as above


class OwnMix(MixPlan, frozen=True, kw_only=True):
    """A mix with the public part that its message contains."""

    outputs: tuple[Point, ...]
    shadow_hashes: tuple[bytes, ...]

    def __repr__(self) -> str:
        return f"OwnMix(of {len(self.order)})"  # as above


class ShadowLink(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Response to bit 1: how the outputs follow from a shadow."""

    places: tuple[int, ...]
    """Place in the shadow of each output."""
    differences: tuple[bytes, ...]
    """Difference of each output to that place, as a multiple of the base point."""


Response = bytes | ShadowLink
"""To bit 0 the seed of the shadow, to bit 1 the link."""


def make_mix(
    secrets: CardSecrets,
    context: MixContext,
    inputs: Sequence[MixInput],
    chosen_order: Sequence[int] | None = None,
    shadows: int = SHADOWS,
) -> OwnMix:
    """Mix the labels of a pile.

    The same question has the same answer, also after a restart.

    Args:
        secrets: Those of the owner of the deck.
        context: Place of the mix in the match.
        inputs: The labels, ascending.
        chosen_order: Input of each output, counted from 0; None for a random order.
        shadows: Shadows of the proof; other numbers than the default are for tests.

    Raises:
        BlindingReuseError: A blinding would hide two cards; nothing of the mix may be sent.
    """
    plan = plan_mix(secrets, context, inputs, chosen_order)
    points = [source.point for source in inputs]
    digest = _list_hash(points)
    hashes = []
    for number in range(shadows):
        seed = _shadow_seed(plan.key, number)
        secrets.guard.record(seed, context.deck, digest)
        hashes.append(_list_hash(_shadow_points(seed, points)))
    outputs = _moved(points, plan.order, plan.increments)
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
    """Return the private part of a mix, in a hundredth of the time of :func:`make_mix`.

    It is enough to follow the own cards and to respond to a challenge after a restart.

    Raises:
        BlindingReuseError: A blinding would hide two cards.
    """
    labels = [source.label for source in inputs]
    assert all(low < high for low, high in pairwise(labels))
    assert chosen_order is None or sorted(chosen_order) == list(range(len(inputs)))
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
    mixed = [inputs[place] for place in order]
    source = ScalarSource(b"fp7-blind", key)
    increments = [source.scalar(pack((i, one.card))) for i, one in enumerate(mixed)]
    return MixPlan(
        key=key,
        order=order,
        increments=tuple(increments),
        blindings=tuple(
            _blinding(secrets, context.deck, one, increment)
            for one, increment in zip(mixed, increments, strict=True)
        ),
        cards=tuple(one.card for one in mixed),
    )


def _blinding(secrets: CardSecrets, deck: str, source: MixInput, increment: Scalar) -> Scalar:
    """Return the blinding of an output; every commitment of this program gets its blinding here."""
    blinding = scalar_add(source.blinding, increment)
    secrets.guard.record(blinding, deck, source.card)
    return blinding


def respond(plan: MixPlan, challenge: Sequence[int]) -> tuple[Response, ...]:
    """Return the responses of the owner to the challenge of its mix.

    Responses to two challenges for one mix reveal its order. The caller must have compared the challenge with all
    verified reveals, and its journal must contain no other response.
    """
    return tuple(_respond(plan, number, bit) for number, bit in enumerate(challenge))


def _respond(plan: MixPlan, number: int, bit: int) -> Response:
    seed = _shadow_seed(plan.key, number)
    if not bit:
        return seed
    order, increments = _shadow_plan(seed, len(plan.order))
    place_of = {source: place for place, source in enumerate(order)}
    places = tuple(place_of[source] for source in plan.order)
    differences = tuple(
        scalar_sub(own, increments[place])
        for own, place in zip(plan.increments, places, strict=True)
    )
    return ShadowLink(places, differences)


def check_outputs(outputs: Sequence[bytes], count: int) -> tuple[Point, ...]:
    """Return the output points of a foreign mix of so many labels.

    Raises:
        MixProofError: They are not that many different usable points.
    """
    if len(outputs) != count:
        raise MixProofError(f"a mix of {count} labels has {len(outputs)} outputs")
    if len(set(outputs)) != count:
        raise MixProofError("two outputs of a mix are equal")
    try:
        return tuple(check_point(output) for output in outputs)
    except GroupElementError as error:
        raise MixProofError(f"an output of a mix is not usable: {error}") from error


def verify_proof(
    inputs: Sequence[Point],
    outputs: Sequence[Point],
    shadow_hashes: Sequence[bytes],
    challenge: Sequence[int],
    responses: Sequence[Response],
) -> None:
    """Check that the outputs hide the cards of the inputs, each once.

    Args:
        inputs: Points of the labels, ascending by label.
        outputs: Points of the mix, accepted by :func:`check_outputs`.
        shadow_hashes: Those of the message of the mix.
        challenge: The bits of :func:`mix_challenge`.
        responses: Those of the proof, from outside.

    Raises:
        MixProofError: The proof does not verify.
    """
    if not len(shadow_hashes) == len(challenge) == len(responses):
        raise MixProofError(f"{len(challenge)} challenge bits have {len(responses)} responses")
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
    """Return why one response does not verify, empty if it does: a small part of :func:`verify_proof`."""
    try:
        if isinstance(response, bytes):
            if bit or len(response) != SEED_BYTES:
                return "the response has the wrong form"
            points = _shadow_points(response, inputs)
        else:
            if not bit or sorted(response.places) != list(range(len(outputs))):
                return "the places are not a permutation"
            points = _linked_shadow(outputs, response)
    except GroupElementError as error:
        return str(error)
    if _list_hash(points) != shadow_hash:
        return "its hash is not the one that was sent before the throw"
    return ""


def _linked_shadow(outputs: Sequence[Point], link: ShadowLink) -> list[Point]:
    """Return the shadow to which a response links the outputs; the places are a permutation."""
    if len(link.differences) != len(outputs):
        raise GroupElementError("there are not as many differences as outputs")
    shadow = list(outputs)
    for output, place, difference in zip(outputs, link.places, link.differences, strict=True):
        shadow[place] = subtract(output, base_times(check_scalar(difference)))
    return shadow


def recompute_mix(
    secrets: CardSecrets,
    context: MixContext,
    inputs: Sequence[MixInput],
    outputs: Sequence[bytes],
    shadow_hashes: Sequence[bytes],
    chosen_order: Sequence[int] | None = None,
) -> OwnMix:
    """Return the mix that follows from a published card seed, if it is the one that was sent.

    Raises:
        MixProofError: Another mix was sent.
    """
    mix = make_mix(secrets, context, inputs, chosen_order, len(shadow_hashes))
    if mix.outputs != tuple(outputs):
        raise MixProofError("the outputs of a mix are not those that follow from the card seed")
    if mix.shadow_hashes != tuple(shadow_hashes):
        raise MixProofError("the shadows of a mix are not those that follow from the card seed")
    return mix


def mix_challenge(
    header_hash: bytes,
    number: int,
    role: Role,
    deck: str,
    purpose: str,
    reveals: Sequence[bytes],
    count: int = SHADOWS,
) -> tuple[int, ...]:
    """Return the challenge of a mix, a bit for each shadow.

    It must depend on nothing else: a second challenge of one mix would reveal the order.

    Args:
        header_hash: Hash of the header of the match.
        number: Throws begun up to the anchor of the mix, which is the number of the next throw.
        role: Owner of the mix.
        deck: Deck of the mix.
        purpose: Name of the pile.
        reveals: All reveals of the throw, in the order of the header.
        count: Bits, at most 256.
    """
    question = pack((header_hash, number, role, deck, purpose))
    hashed = plain_hash(b"fp7-challenge", question + b"".join(reveals))
    return tuple(hashed[place // 8] >> (7 - place % 8) & 1 for place in range(count))


def throw_key(header_hash: bytes, number: int, reveals: Sequence[bytes]) -> bytes:
    """Return the key of the uses of a throw, for a ``UniformSource``.

    Args:
        header_hash: Hash of the header of the match.
        number: Number of the throw.
        reveals: All reveals of the throw, in the order of the header.
    """
    match_key = plain_hash(b"fp7-match", header_hash)
    return keyed_hash(b"fp7-throw", match_key, 32, pack(number) + b"".join(reveals))


def _shadow_seed(key: bytes, number: int) -> bytes:
    return keyed_hash(b"fp7-shadow", key, SEED_BYTES, _packed_number(number))


def _shadow_plan(seed: bytes, count: int) -> tuple[tuple[int, ...], list[Scalar]]:
    """Return the order and the increments of a shadow."""
    order = permutation(keyed_hash(b"fp7-sorder", seed, 32, b""), count)
    source = ScalarSource(b"fp7-sblind", seed)
    return order, [source.scalar(_packed_number(place)) for place in range(count)]


def _shadow_points(seed: bytes, inputs: Sequence[Point]) -> list[Point]:
    return _moved(inputs, *_shadow_plan(seed, len(inputs)))


def _moved(
    points: Sequence[Point], order: Sequence[int], increments: Sequence[Scalar]
) -> list[Point]:
    """Return the points in another order, each moved by its increment times the base point."""
    return [
        add(points[place], base_times(increment))
        for place, increment in zip(order, increments, strict=True)
    ]


@lru_cache(maxsize=512)
def _packed_number(number: int) -> bytes:
    return pack(number)


def _list_hash(points: Sequence[Point]) -> bytes:
    return plain_hash(b"fp7-list", b"".join(points))
