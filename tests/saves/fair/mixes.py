"""Mixes for tests, by an honest owner and by one whose program has been modified."""

import random
from collections.abc import Sequence
from typing import Final

from engine.kernel.ids import Role
from saves.fair.derivation import plain_hash
from saves.fair.errors import MixProofError
from saves.fair.group import (
    ORDER,
    ZERO,
    Point,
    Scalar,
    add,
    base_times,
    card_point,
    subtract,
)
from saves.fair.mixing import (
    SHADOWS,
    MixContext,
    MixInput,
    OwnMix,
    Response,
    ShadowLink,
    _list_hash,
    _shadow_points,
    make_mix,
    mix_challenge,
    respond,
    verify_proof,
)
from saves.fair.secrets import CardSecrets

MATCH: Final = "a match"
ROLE: Final = Role("allied")
DECK: Final = "strategy"
HEADER_HASH: Final = b"h" * 32


def secrets_of(seed: int) -> CardSecrets:
    return CardSecrets(MATCH, ROLE, plain_hash(b"test-seed", str(seed).encode()))


def context_of(anchor: int, purpose: str = "hand") -> MixContext:
    return MixContext(
        header_hash=HEADER_HASH,
        anchor_index=anchor,
        anchor_hash=plain_hash(b"test-anchor", str(anchor).encode()),
        deck=DECK,
        purpose=purpose,
    )


def public_inputs(count: int) -> list[MixInput]:
    """Return a whole deck before its first mix."""
    cards = [f"card-{number}" for number in range(count)]
    return [
        MixInput(label, card_point(MATCH, DECK, card), card, ZERO)
        for label, card in enumerate(cards)
    ]


def mixed_inputs(mix: OwnMix, first_label: int = 1_000) -> list[MixInput]:
    """Return the outputs of a mix as inputs of the next one."""
    return [
        MixInput(first_label + place, mix.outputs[place], mix.cards[place], mix.blindings[place])
        for place in range(len(mix.outputs))
    ]


def challenge_of(number: int, count: int = SHADOWS, purpose: str = "hand") -> tuple[int, ...]:
    """Return the challenge from a throw whose reveals are derived from a number."""
    reveals = [plain_hash(b"test-reveal", f"{number} {party}".encode()) for party in "ab"]
    return mix_challenge(HEADER_HASH, number, ROLE, DECK, purpose, reveals, count)


def points_of(inputs: Sequence[MixInput]) -> list[Point]:
    return [source.point for source in inputs]


def honest_proof(
    inputs: Sequence[MixInput], seed: int = 0, shadows: int = SHADOWS, anchor: int = 1
) -> tuple[OwnMix, tuple[int, ...], tuple[Response, ...]]:
    mix = make_mix(secrets_of(seed), context_of(anchor), inputs, None, shadows)
    challenge = challenge_of(anchor, shadows)
    return mix, challenge, respond(mix, challenge)


KINDS: Final = ("doubled", "missing", "foreign", "other deck", "other match", "combined")


def wrong_points(kind: str, cards: Sequence[str]) -> list[Point]:
    """Return unblinded points, the first of which is wrong. The owner hides them like cards."""
    points = [card_point(MATCH, DECK, card) for card in cards]
    first, second, third = points[:3]
    replaced = {
        "doubled": second,
        "missing": base_times(_scalar(random.Random(0))),
        "foreign": card_point(MATCH, DECK, "foreign"),
        "other deck": card_point(MATCH, "reserve", cards[0]),
        "other match": card_point("another match", DECK, cards[0]),
        "combined": subtract(add(first, second), third),
    }
    return [replaced[kind], *points[1:]]


class CheatingOwner:
    """An owner with a wrong mix who guesses the challenge and prepares each shadow for the guess."""

    def __init__(self, kind: str, inputs: Sequence[MixInput], seed: int, shadows: int) -> None:
        self._chance = random.Random(f"{kind} {seed} {shadows}")
        self._inputs = points_of(inputs)
        self.outputs = [
            add(point, base_times(_scalar(self._chance)))
            for point in wrong_points(kind, [source.card for source in inputs])
        ]
        self._chance.shuffle(self.outputs)
        self.guesses = tuple(self._chance.randrange(2) for _ in range(shadows))
        self.shadow_hashes: list[bytes] = []
        self._answers = [self._prepare(guess) for guess in self.guesses]

    def _prepare(self, guess: int) -> Response:
        """Commit to a shadow that has a response to only one bit."""
        seed = self._chance.randbytes(32)
        places = list(range(len(self.outputs)))
        self._chance.shuffle(places)
        differences = [_scalar(self._chance) for _ in places]
        if guess:
            points = list(self.outputs)
            for output, place, difference in zip(self.outputs, places, differences, strict=True):
                points[place] = subtract(output, base_times(difference))
            answer: Response = ShadowLink(tuple(places), tuple(differences))
        else:
            points = _shadow_points(seed, self._inputs)
            answer = seed
        self.shadow_hashes.append(_list_hash(points))
        return answer

    def responses(self, challenge: Sequence[int]) -> list[Response]:
        """Return the prepared response if the guess was right, otherwise any response of the right form."""
        places = tuple(range(len(self.outputs)))
        link = ShadowLink(places, tuple(_scalar(self._chance) for _ in places))
        bluffs: tuple[Response, Response] = (self._chance.randbytes(32), link)
        return [
            answer if guess == bit else bluffs[bit]
            for answer, guess, bit in zip(self._answers, self.guesses, challenge, strict=True)
        ]

    def proof_problem(self, challenge: Sequence[int]) -> Exception | None:
        """Return the verification error; None if the wrong mix passes."""
        responses = self.responses(challenge)
        try:
            verify_proof(self._inputs, self.outputs, self.shadow_hashes, challenge, responses)
        except MixProofError as error:
            return error
        return None


def _scalar(chance: random.Random) -> Scalar:
    return Scalar(chance.randrange(1, ORDER).to_bytes(32, "little"))
