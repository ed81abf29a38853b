"""Measures how long other matches are delayed while a host checks a fair match's longest messages (protocol 7, AT-27).

A request from another match arrives every millisecond. Its delay is the time until the host's event loop can serve it.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import islice
from typing import Final

import msgspec

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.fair.participant import Participant
from netplay.fair.seat import split_post
from netplay.feed.host_session import HostSession
from netplay.host.latency import LoopbackMatch, run_match
from netplay.wire.messages import Post
from netplay.wire.modes import FAIR
from saves.decoding import canonical
from saves.fair.group import ZERO, Point, card_point
from saves.fair.messages import (
    MAX_EVENTS,
    MAX_LABELS,
    MAX_MESSAGE_BYTES,
    MAX_MESSAGES,
    MAX_RECORD_BYTES,
    AnyBody,
    Kind,
    Message,
    Offer,
    Proposal,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.mixing import (
    SHADOWS,
    MixContext,
    MixInput,
    OwnMix,
    Response,
    check_outputs,
    make_mix,
    respond,
)
from saves.fair.proposals import with_events
from saves.fair.secrets import CardSecrets
from saves.fair.state import FairState, TranscriptPhase
from saves.fair.verification_cache import verify_proof_ahead
from saves.timeline import FOLD_ERRORS
from tools.bench.fair7 import BenchMatch
from tools.bench.hosting import silence_log
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure

RUNS: Final = 5
MANY: Final = 3_000
_TICK_SECONDS: Final = 0.001
_GAME: Final = ("eots", "1943")
_SEED: Final = 27
_DELAY: Final = BenchmarkTarget(first=50, aim=20, at=99)
_SLICE: Final = BenchmarkTarget(first=20, aim=20)

Work = Callable[[], Awaitable[object]]
"""One measured run: the host handles a set of messages."""


def fair_delay() -> Iterator[BenchmarkResult]:
    """Yield the delays for a mix with 400 labels, a command with 4,096 events, a 2 MiB post, and 3,000 messages."""
    silence_log(logging.CRITICAL)  # otherwise the host logs an error for each false message
    yield from _rows("mix", _mixes(), f"a mix of {MAX_LABELS} labels and its proof")
    yield from _rows(
        "events", _long_proposals(), "a command with thousands of events that no copy can compute"
    )
    yield from asyncio.run(_posts())


def _rows(name: str, runs: Iterator[Work], what: str) -> Iterator[BenchmarkResult]:
    delays = [asyncio.run(_delays(work)) for work in runs]
    yield from _delay_result(name, delays, what)


def _delay_result(name: str, runs: list[list[float]], what: str) -> Iterator[BenchmarkResult]:
    yield measure(
        f"fair-delay-{name}", "ms", [delay for delays in runs for delay in delays],
        f"delay of a request of another match while the host checks {what}", _DELAY,
    )  # fmt: skip
    yield measure(
        f"fair-longest-{name}", "ms", [max(delays) for delays in runs], "the longest delay of each run", _SLICE,
    )  # fmt: skip


async def _delays(work: Work) -> list[float]:
    async with _another_match() as delays:
        await work()
    return delays


@asynccontextmanager
async def _another_match() -> AsyncIterator[list[float]]:
    """Yield a list that collects the delays of another match's requests, in milliseconds."""
    delays: list[float] = []

    async def ask() -> None:
        due_time = time.perf_counter()
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            now = time.perf_counter()
            while due_time < now:  # serve all requests that arrived while the event loop was busy
                delays.append((now - due_time) * 1_000)
                due_time += _TICK_SECONDS

    ask_task = asyncio.create_task(ask())
    await asyncio.sleep(2 * _TICK_SECONDS)
    try:
        yield delays
        await asyncio.sleep(2 * _TICK_SECONDS)  # serve the requests that waited for the work to end
    finally:
        ask_task.cancel()


# -- a mix


def _mixes() -> Iterator[Work]:
    match_id, deck = "delay", "deck"
    context = MixContext(
        header_hash=bytes(32), anchor_index=0, anchor_hash=bytes(32), deck=deck, purpose="draw"
    )
    names = [f"card-{number}" for number in range(MAX_LABELS)]
    inputs = [
        MixInput(label, card_point(match_id, deck, name), name, ZERO)
        for label, name in enumerate(names)
    ]
    mix = make_mix(CardSecrets(match_id, Role(deck), bytes(32)), context, inputs)
    source = random.Random(_SEED)  # noqa: S311  # a benchmark's challenge
    points = [mix_input.point for mix_input in inputs]
    for _ in range(RUNS):
        challenge = [source.randrange(2) for _ in range(SHADOWS)]
        yield partial(_check_mix, points, mix, challenge, respond(mix, challenge))


async def _check_mix(
    points: Sequence[Point], mix: OwnMix, challenge: Sequence[int], responses: Sequence[Response]
) -> None:
    outputs = check_outputs(mix.outputs, MAX_LABELS)
    await asyncio.sleep(0)
    proof = (points, outputs, mix.shadow_hashes, challenge, responses)
    await asyncio.to_thread(verify_proof_ahead, *proof)


# -- a command with thousands of events


def _long_proposals() -> Iterator[Work]:
    match = BenchMatch(*_GAME, _SEED)
    match.start()
    player = RandomPlayer(DerivedDice(bytes(32), _SEED))
    for signed in islice(_proposals(match, player), RUNS):
        body = decode_message(match.header.match_id, signed.data).body
        assert isinstance(body, Proposal), "found by kind"
        yield partial(_check_events, match.state, _lengthen(body))


def _proposals(match: BenchMatch, player: RandomPlayer) -> Iterator[SignedMessage]:
    """Play a match. Yield each proposal before it is sent."""
    while match.state.phase is TranscriptPhase.IDLE:
        due_messages = [match.random_request(player)]
        while due_messages:
            for signed in due_messages:
                kind = decode_message(match.header.match_id, signed.data).kind
                if kind is Kind.PROPOSAL:
                    yield signed
                match.submit(signed)
            due_messages = match.due_messages()


def _lengthen(body: Proposal) -> Proposal:
    """Return a copy of the proposal with its last event repeated as often as the limits allow."""
    last_event = body.events[-1]
    size = len(canonical(last_event))
    count = min(MAX_EVENTS - len(body.events), (MAX_MESSAGE_BYTES // 2) // size)
    return msgspec.structs.replace(body, events=(*body.events, *(last_event,) * count))


async def _check_events(state: FairState, body: Proposal) -> None:
    """Check all events in the same way as a copy that lacks a card and cannot compute them itself."""
    with suppress(FlagplotError, *FOLD_ERRORS):  # the rules may refuse a repeated event
        for _ in with_events(state, body, state.index + 1):
            await asyncio.sleep(0)


# -- posts by a seat


async def _posts() -> list[BenchmarkResult]:
    """Return the delays caused by posts to a host whose seats are idle in the same process."""
    async with run_match(*_GAME, chance=FAIR) as game:
        results: list[BenchmarkResult] = []
        role = next(role for role, peer in game.peers.items() if peer.is_asked)
        for name, posts, what in (
            ("record", [[_long_command(game, role)] * MAX_MESSAGES], "2 MiB in one post of false commands"),
            ("messages", _stale_posts(game, role), f"{MANY} late messages of one seat, up to its limit"),
        ):  # fmt: skip
            runs = [await _delays(partial(_send, game, role, posts)) for _ in range(RUNS)]
            results += _delay_result(name, runs, what)
        return results


async def _send(game: LoopbackMatch, role: Role, posts: Sequence[Sequence[SignedMessage]]) -> None:
    session = HostSession(-1, role, ())
    for messages in posts:
        for part in split_post(Post(messages=tuple(messages))):
            await game.table.post(session, part)
        if session.allowance.is_spent:
            return


def _long_command(game: LoopbackMatch, role: Role) -> SignedMessage:
    """Return a false command so long that 64 such commands add up to almost 2 MiB."""
    decision = game.peers[role].decision()
    assert decision is not None, "the role must have a decision"
    body = _participant(game, role).request_body(decision.options[0])
    box = bytes(MAX_RECORD_BYTES // MAX_MESSAGES - 400)
    return _sign(game, role, Kind.REQUEST, msgspec.structs.replace(body, box=box))


def _stale_posts(game: LoopbackMatch, role: Role) -> list[list[SignedMessage]]:
    offers = [_sign(game, role, Kind.OFFER, Offer("takeback", n), 0) for n in range(MANY)]
    return [offers[first : first + MAX_MESSAGES] for first in range(0, MANY, MAX_MESSAGES)]


def _sign(
    game: LoopbackMatch, role: Role, kind: Kind, body: AnyBody, anchor: int | None = None
) -> SignedMessage:
    """Sign a seat's message without the checks that the seat's program would make."""
    participant = _participant(game, role)
    message = Message(
        kind=kind,
        anchor=participant.state.index if anchor is None else anchor,
        anchor_hash=participant.state.head,
        author=role,
        body=body,
    )
    data = encode_message(game.opened.match, message)
    return SignedMessage(data, participant._secrets.sign(data))  # noqa: SLF001  # an attacker has this key


def _participant(game: LoopbackMatch, role: Role) -> Participant:
    seat = game.peers[role].seat
    assert seat is not None, "every seat in this match must sign"
    return seat.participant.participant
