"""What mixes cost: group operations and bytes, counted so that a busy machine changes nothing.

``python -m tests.saves.fair.test_mix_cost`` prints the processor time of the same mixes.
"""

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import pytest

from saves.fair import mixing
from saves.fair.derivation import pack
from saves.fair.mixing import SHADOWS, check_outputs, make_mix, plan_mix, respond, verify_proof
from saves.fair.secrets import CardSecrets, SeatSecrets
from tests.saves.fair.mixes import (
    MATCH,
    ROLE,
    challenge_of,
    context_of,
    points_of,
    public_inputs,
    secrets_of,
)

pytestmark = pytest.mark.series("F10")
BYTES: Final = {84: 34_000, 63: 26_000, 37: 17_000, 7: 3_900}
"""Bytes of a mix and its proof by its number of cards, with half the bits of the challenge set."""
MESSAGE_BYTES: Final = 256 * 1024


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count operations of the group."""
    counts: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object) -> object:
            counts[name] += 1
            return function(*args)

        return counted

    for name in ("base_times", "add", "subtract", "check_point"):
        monkeypatch.setattr(mixing, name, counting(name, getattr(mixing, name)))
    return counts


@pytest.mark.parametrize("count", BYTES)
def test_mix_uses_the_expected_number_of_group_operations(count: int, spent: Counter[str]) -> None:
    inputs = public_inputs(count)
    mix = make_mix(secrets_of(0), context_of(1), inputs)
    assert spent == {"base_times": count * (SHADOWS + 1), "add": count * (SHADOWS + 1)}
    spent.clear()
    challenge = challenge_of(1)
    responses = respond(mix, challenge)
    assert plan_mix(secrets_of(0), context_of(1), inputs).order == mix.order
    assert not spent
    check_outputs(mix.outputs, count)
    verify_proof(points_of(inputs), mix.outputs, mix.shadow_hashes, challenge, responses)
    ones = sum(challenge)
    assert spent == {
        "check_point": count,
        "base_times": count * SHADOWS,
        "add": count * (SHADOWS - ones),
        "subtract": count * ones,
    }


@pytest.mark.parametrize("count", BYTES)
def test_mix_stays_within_its_message_size(count: int) -> None:
    mix = make_mix(secrets_of(0), context_of(1), public_inputs(count))
    announced = len(pack((mix.outputs, mix.shadow_hashes)))
    half, every = (len(pack(respond(mix, bits))) for bits in ((0, 1) * 10, (1,) * SHADOWS))
    assert announced + half < BYTES[count] * 1.01
    assert every < MESSAGE_BYTES / 4


def measure(count: int) -> list[float]:
    """Least seconds of processor time of a mix: prove, respond, check, plan again."""
    inputs, secrets, challenge = public_inputs(count), secrets_of(0), challenge_of(1)
    mix = make_mix(secrets, context_of(1), inputs)
    responses = respond(mix, challenge)

    def check() -> None:
        mixing.check_outputs(mix.outputs, count)
        verify_proof(points_of(inputs), mix.outputs, mix.shadow_hashes, challenge, responses)

    return [
        least(lambda: make_mix(secrets, context_of(1), inputs)),
        least(lambda: respond(mix, challenge)),
        least(check),
        least(lambda: plan_mix(secrets, context_of(1), inputs)),
    ]


def least(action: Callable[[], object], times: int = 15) -> float:
    best = 1e9
    for _ in range(times):
        begun = time.thread_time()
        action()
        best = min(best, time.thread_time() - begun)
    return best


def main() -> None:
    """Print the table of section 2.11."""
    for count in BYTES:
        figures = ", ".join(f"{seconds * 1e3:.1f}" for seconds in measure(count))
        print(f"{count} cards: prove, respond, check, plan: {figures} ms")  # noqa: T201 - output of a command
    master = bytes(32)
    print(f"chain: {least(lambda: SeatSecrets(MATCH, ROLE, master).head) * 1e3:.1f} ms")  # noqa: T201 - output of a command
    seat = SeatSecrets(MATCH, ROLE, master)
    print(f"reveal: {least(lambda: seat.reveal(7)) * 1e6:.0f} us")  # noqa: T201 - output of a command
    cards = CardSecrets(MATCH, ROLE, master)
    print(f"box of 20 entries: {least(lambda: cards.box(master, [b''] * 20, 64)) * 1e6:.0f} us")  # noqa: T201 - output of a command


if __name__ == "__main__":
    main()
