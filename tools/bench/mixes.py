"""The cost of mixing cards: one mix with its proof in protocol 7, and one shuffle by two seats in protocol 6."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from nacl import bindings

from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.fair.derivation import pack, plain_hash
from saves.fair.group import ZERO, Scalar, _is_point, add, base_times, card_point
from saves.fair.mixing import (
    SHADOWS,
    MixContext,
    MixInput,
    OwnMix,
    check_outputs,
    make_mix,
    mix_challenge,
    respond,
    verify_proof,
)
from saves.fair.secrets import CardSecrets
from saves.fair.signing import HostKey
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.group import _is_point as _is_point6
from saves.protocol6.key_holder import KeyHolder
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.slots import OwnedDeck
from saves.protocol6.steps import AnyStep, ShuffleCalled
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, cpu_seconds, measure

TIMES: Final = 15
COUNTS: Final = (84, 63, 37, 7)
"""Numbers of cards measured: two decks, a deck in the middle of a game, and a hand."""
_TARGETS: Final = {
    84: (52, 47, 34_000),
    63: (38, 35, 26_000),
    37: (22, 21, 17_000),
    7: (4.6, 4.0, 3_900),
}
"""The specification's targets for each number of cards: milliseconds to prove and to check a mix, and size in bytes."""
_ALLOWANCE: Final = 1.2
_CALLS: Final = 200
"""Number of calls in each measurement of one libsodium operation."""
_MATCH: Final = "match"
_OWNER, _OTHER = Role("owner"), Role("other")
_HASH: Final = bytes(32)


def mixes() -> Iterator[BenchmarkResult]:
    """Yield the cost of the operations that mixes consist of, and of mixes of different sizes."""
    yield from _operations()
    for count in COUNTS:
        rows = zip(("prove", "check", "bytes"), _measure_mix(count), _TARGETS[count], strict=True)
        for name, samples, target in rows:
            limit = target * _ALLOWANCE
            yield measure(
                f"mix-{count}-{name}", "bytes" if name == "bytes" else "ms", samples,
                f"mix of {count} cards with its proof, in protocol 7",
                BenchmarkTarget(first=limit, aim=target),
            )  # fmt: skip
        for name, samples in zip(("prove", "check", "bytes"), _measure_shuffle(count), strict=True):
            yield measure(
                f"shuffle6-{count}-{name}", "bytes" if name == "bytes" else "ms", samples,
                f"shuffle of {count} cards by two seats without a proof, in protocol 6",
            )  # fmt: skip


def _operations() -> Iterator[BenchmarkResult]:
    """Yield the cost of single operations on the group. The specification's targets assume certain values for them."""
    scalars = [Scalar(bytes([number, 1]) * 15 + bytes(2)) for number in range(1, _CALLS + 1)]
    points = [base_times(scalar) for scalar in scalars]
    key, message = HostKey(_HASH), bytes(200)
    signed = key.sign(message) + message

    def check_points() -> None:
        _is_point.cache_clear()
        for point in points:
            _is_point(point)

    operations: tuple[tuple[str, str, Callable[[], object]], ...] = (
        ("base", "multiplication of the base point", lambda: [base_times(s) for s in scalars]),
        ("add", "addition of two points", lambda: [add(point, points[0]) for point in points]),
        ("point", "check of a point", check_points),
        (
            "signature",
            "check of a signature of 200 bytes",
            lambda: [bindings.crypto_sign_open(signed, key.verify_key) for _ in scalars],
        ),
    )
    for name, method, action in operations:
        microseconds = [cpu_seconds(action) * 1e6 / _CALLS for _ in range(TIMES)]
        yield measure(f"operation-{name}", "us", microseconds, method)


def _measure_mix(count: int) -> tuple[list[float], list[float], list[float]]:
    """Return the milliseconds to prove a mix and to check it, and the mix's size in bytes."""
    secrets = CardSecrets(_MATCH, _OWNER, _HASH)
    context = MixContext(
        header_hash=_HASH, anchor_index=1, anchor_hash=_HASH, deck=_OWNER, purpose="hand"
    )
    cards = [f"card-{number}" for number in range(count)]
    points = [card_point(_MATCH, _OWNER, card) for card in cards]
    inputs = [
        MixInput(number, point, card, ZERO)
        for number, (point, card) in enumerate(zip(points, cards, strict=True))
    ]
    reveals = [plain_hash(b"bench", bytes([number])) for number in range(2)]
    challenge = mix_challenge(_HASH, 0, _OWNER, _OWNER, "hand", reveals)

    def prove() -> tuple[OwnMix, tuple[object, ...]]:
        mix = make_mix(secrets, context, inputs)
        return mix, respond(mix, challenge)

    mix = make_mix(secrets, context, inputs)
    responses = respond(mix, challenge)

    def check() -> None:
        _is_point.cache_clear()  # another seat's mix contains points that are not in the cache
        outputs = check_outputs(mix.outputs, count)
        verify_proof(points, outputs, mix.shadow_hashes, challenge, responses)

    half_challenge_responses = respond(mix, (0, 1) * (SHADOWS // 2))
    size = len(pack((mix.outputs, mix.shadow_hashes))) + len(pack(half_challenge_responses))
    return _milliseconds(prove), _milliseconds(check), [size]


def _milliseconds(action: Callable[[], object]) -> list[float]:
    return [cpu_seconds(action) * 1_000 for _ in range(TIMES)]


def _measure_shuffle(count: int) -> tuple[list[float], list[float], list[float]]:
    """Return the milliseconds to make all passes by two seats and to check them, and the passes' size in bytes."""
    passes, checks, steps = list[float](), list[float](), list[tuple[Role, AnyStep]]()
    for _ in range(TIMES):
        _is_point6.cache_clear()
        table, steps = _table(count), []
        passes.append(cpu_seconds(partial(_make_all_passes, table, steps)) * 1_000)
        _is_point6.cache_clear()
        follow = partial(_replay_steps, _table(count), steps)
        checks.append(cpu_seconds(follow) * 1_000)
    # The first measurement includes checking each step, so subtract the checking time.
    passes = [total - check_time for total, check_time in zip(passes, checks, strict=True)]
    return passes, checks, [sum(len(canonical(step)) for _, step in steps)]


def _table(count: int) -> MaskedDecks:
    deck = OwnedDeck(owner=_OWNER, cards=tuple(f"card-{number}" for number in range(count)))
    table = MaskedDecks(_MATCH, (_OWNER, _OTHER), {_OWNER: deck})
    table.add(_OWNER, ShuffleCalled(deck=_OWNER, slots=table.live_slots(_OWNER)))
    return table


def _make_all_passes(table: MaskedDecks, steps: list[tuple[Role, AnyStep]]) -> None:
    """Make every pass in a shuffle. Each pass is added to the list of steps."""
    holders = {role: KeyHolder(CardSeed(_MATCH, role, _HASH), table) for role in table.roles}
    while owed := table.owed_steps():
        role = owed[0].role
        step = holders[role].make_step(owed[0])
        steps.append((role, step))
        table.add(role, step)


def _replay_steps(table: MaskedDecks, steps: Sequence[tuple[Role, AnyStep]]) -> None:
    for role, step in steps:
        table.add(role, step)
