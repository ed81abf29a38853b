"""Proofs and signatures are verified once in a process, and a result is never used for other inputs."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.fair import verification_cache
from saves.fair.errors import MixProofError
from saves.fair.mixing import ShadowLink, make_mix, respond
from saves.fair.secrets import SeatSecrets
from saves.fair.verification_cache import VerifiedInputs, verify_proof_once, verify_signature_once
from tests.saves.fair.mixes import challenge_of, context_of, points_of, public_inputs, secrets_of

Proof = tuple[list[Any], list[Any], list[Any], list[Any], list[Any]]
"""Inputs, outputs, shadow hashes, challenge and responses."""
CARDS = 4


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count real verifications, beginning with nothing verified."""
    counts: Counter[str] = Counter()

    def counting(name: str) -> None:
        function: Callable[..., object] = getattr(verification_cache, name)

        def counted(*parts: object) -> object:
            counts[name] += 1
            return function(*parts)

        monkeypatch.setattr(verification_cache, name, counted)

    counting("verify_proof")
    counting("verify_signature")
    monkeypatch.setattr(verification_cache, "_PROOFS", VerifiedInputs(1_000))
    monkeypatch.setattr(verification_cache, "_SIGNATURES", VerifiedInputs(1_000))
    return counts


def proof_of(number: int) -> Proof:
    inputs = public_inputs(CARDS)
    mix = make_mix(secrets_of(number), context_of(number), inputs)
    challenge = challenge_of(number)
    return (
        [*points_of(inputs)],
        [*mix.outputs],
        [*mix.shadow_hashes],
        [*challenge],
        [*respond(mix, challenge)],
    )


def others(proof: Proof, foreign: Proof) -> Iterator[Proof]:
    """Yield proofs that differ in one value, in the place of a value, or in where one list ends."""
    for part in range(len(proof)):
        for at in range(len(proof[part])):
            for values in _changed(proof[part], at, foreign[part][at]):
                yield _with(proof, part, values)
        yield _with(proof, part, proof[part][:-1])
        yield _with(proof, part, [*proof[part], proof[part][-1]])
        if foreign[part] != proof[part]:
            yield _with(proof, part, foreign[part])
        if proof[part][0] != proof[part][-1]:
            yield _with(proof, part, proof[part][::-1])
    for part in range(len(proof) - 1):  # a value on the other side of the border between two lists
        first, second = proof[part], proof[part + 1]
        yield _with(_with(proof, part, first[:-1]), part + 1, [first[-1], *second])
        yield _with(_with(proof, part, [*first, second[0]]), part + 1, second[1:])


def _with(proof: Proof, part: int, values: Sequence[Any]) -> Proof:
    made = list(proof)
    made[part] = list(values)
    return tuple(made)  # type: ignore[return-value]  # as long as before


def _changed(values: list[Any], at: int, foreign: Any) -> Iterator[list[Any]]:  # noqa: ANN401
    old = values[at]
    made: list[Any] = [foreign] if foreign != old else []
    match old:
        case bytes():
            made += [bytes([old[0] ^ 1]) + old[1:], old[:-1], old + b"\0", b""]
        case ShadowLink():
            first, second, *rest = old.permutation
            made += [
                msgspec.structs.replace(old, permutation=(second, first, *rest)),
                msgspec.structs.replace(old, differences=old.differences[::-1]),
                msgspec.structs.replace(old, differences=old.differences[:-1]),
                b"".join(old.differences),
            ]
        case int():
            made += [1 - old]
        case _:
            pass
    for new in made:
        yield [*values[:at], new, *values[at + 1 :]]


def test_proof_is_verified_once(calls: Counter[str]) -> None:
    for _ in range(5):
        for number in range(3):
            verify_proof_once(*proof_of(number))
    assert calls["verify_proof"] == 3


@pytest.mark.full
def test_cached_proof_does_not_cover_different_inputs(calls: Counter[str]) -> None:
    """An attacker that has sent a right proof changes anything in it."""
    right, foreign = proof_of(1), proof_of(2)
    verify_proof_once(*right)
    verify_proof_once(*foreign)
    number = 0
    for other in others(right, foreign):
        with pytest.raises(MixProofError):
            verify_proof_once(*other)
        number += 1
    assert number > 100
    assert calls["verify_proof"] == number + 2, "each of them was verified"
    verify_proof_once(*right)
    assert calls["verify_proof"] == number + 2


def test_false_proof_is_refused_every_time(calls: Counter[str]) -> None:
    inputs, outputs, shadows, challenge, responses = proof_of(3)
    for _ in range(3):
        with pytest.raises(MixProofError):
            verify_proof_once(inputs, outputs, shadows, challenge, responses[::-1])
    assert calls["verify_proof"] == 3


def test_signature_is_verified_once_and_only_for_its_inputs(calls: Counter[str]) -> None:
    secrets = SeatSecrets("match", Role("red"), bytes(32))
    other = SeatSecrets("match", Role("blue"), bytes(32))
    key, message = secrets.verify_key, b"a message"
    signature = secrets.sign(message)
    for _ in range(3):
        assert verify_signature_once(key, message, signature)
    assert calls["verify_signature"] == 1
    false = [
        (other.verify_key, message, signature),
        (key, b"another", signature),
        (key, message, other.sign(message)),
        (key, message, bytes(64)),
        (key, message + b"\0", signature),
        (key, message[1:], signature + message[:1]),
        (key, signature[-1:] + message, signature[:-1]),
        (key[:-1], message, key[-1:] + signature),
        (key + signature[:1], message, signature[1:]),
        (key, b"", signature),
        (key, message, b""),
        (b"", message, signature),
    ]
    for parts in (*false, *false):
        assert not verify_signature_once(*parts)
    assert calls["verify_signature"] == 1 + 2 * len(false)


def test_cache_of_verified_inputs_is_a_bounded_lru() -> None:
    known = VerifiedInputs(3)
    for number in range(3):
        known.add(bytes([number]))
    assert bytes([0]) in known  # and is the latest now
    known.add(bytes([3]))
    assert [bytes([number]) in known for number in range(4)] == [True, False, True, True]
    for number in range(100):
        known.add(bytes([number]))
    assert sum(bytes([number]) in known for number in range(100)) == 3
