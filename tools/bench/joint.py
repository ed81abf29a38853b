"""Measures protocol 7 over TLS: time to begin a match, latency of commands with dice or draws, and record sizes."""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import ChanceRevealedError, DerivedDice, DraftDice
from netplay.host.latency import LoopbackMatch, run_match, submit_next
from netplay.wire.modes import FAIR, HOST, JOINT, Chance
from saves.entries import decode_command
from saves.fair.messages import Kind
from saves.match import Match
from saves.records import Record, encode_record
from tools.bench.hosting import silence_log
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure

BEGINNINGS: Final = 5
COMMANDS: Final = 250
THROWS: Final = 60
"""Minimum number of commands with dice. Matches are played until this number is reached."""
GAME: Final = "eots"
SCENARIO: Final = "1943"
SIX: Final = "qmg"


class NetworkCosts(msgspec.Struct):
    """Times and record sizes for a match's commands."""

    with_chance: list[float] = msgspec.field(default_factory=list)
    """For commands that need random results: milliseconds until the other peer's copy contains the command."""
    with_cards: list[float] = msgspec.field(default_factory=list)
    """For commands in which seats mix cards: milliseconds until the other peer's copy contains the command."""
    without: list[float] = msgspec.field(default_factory=list)
    sizes: list[float] = msgspec.field(default_factory=list)
    """Size of each command record on the host, in bytes."""

    def add(self, record: Record, milliseconds: float, *, needs_chance: bool) -> None:
        """Add a command's record and latency."""
        if Kind.MIX in message_kinds(record):
            self.with_cards.append(milliseconds)
        else:
            (self.with_chance if needs_chance else self.without).append(milliseconds)
        self.sizes.append(len(encode_record(record)))


def joint() -> Iterator[BenchmarkResult]:
    """Yield the costs of the joint and fair modes, compared with host mode."""
    silence_log()
    openings: tuple[tuple[Chance, str], ...] = (
        (JOINT, "has enrolled, sent its reveal and received the deal"),
        (FAIR, "has enrolled, mixed its deck and received its hand"),
    )
    for chance, what in openings:
        for seats, game, scenario in (("two", GAME, SCENARIO), ("six", SIX, "total-war")):
            yield measure(
                f"{chance}-begin-{seats}", "s", asyncio.run(_beginnings(game, scenario, chance)),
                f"{seats} seats of {game} over TLS on loopback in one process: from the first connection until every"
                f" seat {what}",
                BenchmarkTarget(first=1.0, aim=0.2, at=95),
            )  # fmt: skip
    fair_costs = asyncio.run(_measure_costs(FAIR))
    yield measure(
        "given-fair", "ms", fair_costs.with_chance,
        "random commands of 1943 in mode fair that need dice: from the acting player to the other peer's copy",
        BenchmarkTarget(first=50, aim=20, at=99),
    )  # fmt: skip
    yield measure(
        "dealt-fair", "ms", fair_costs.with_cards,
        "commands for which seats mix cards: draws, up to both hands of a turn",
        BenchmarkTarget(first=250, aim=50, at=99),
    )  # fmt: skip
    yield measure(
        "decided-fair", "ms", fair_costs.without, "the others, resolved by the acting player"
    )
    yield measure(
        "bytes-fair", "bytes", fair_costs.sizes, "a record of a command at the host, in mode fair"
    )
    joint_costs, host_costs = asyncio.run(_measure_costs(JOINT)), asyncio.run(_measure_costs(HOST))
    yield measure(
        "given-joint", "ms", joint_costs.with_chance,
        "random commands of 1943 over TLS on loopback, host and both peers in one process, that"
        " need randomness: from the acting player to the other peer's copy, with a reveal from both seats",
        BenchmarkTarget(first=50, aim=20, at=99),
    )  # fmt: skip
    yield measure("given-host-chance", "ms", host_costs.with_chance, "the same in mode host")
    yield measure(
        "given-signed", "ms", joint_costs.without,
        "the other commands in mode joint, which are signed and need no randomness",
    )  # fmt: skip
    yield measure("given-unsigned", "ms", host_costs.without, "the same in mode host")
    yield measure(
        "bytes-joint",
        "bytes",
        joint_costs.sizes,
        "a record of a command at the host, in mode joint",
    )
    yield measure("bytes-host", "bytes", host_costs.sizes, "the same in mode host")


async def _beginnings(game: str, scenario: str, chance: Chance) -> list[float]:
    milliseconds = []
    for _ in range(BEGINNINGS):
        async with run_match(game, scenario, chance=chance) as match:
            milliseconds.append(match.seconds)
    return milliseconds


async def _measure_costs(chance: Chance) -> NetworkCosts:
    costs, matches = NetworkCosts(), 0
    while (
        len(costs.with_chance) < THROWS
        or len(costs.sizes) < COMMANDS
        or not costs.without
        or (chance == FAIR and not costs.with_cards)
    ):
        async with run_match(GAME, SCENARIO, chance=chance) as game:
            player = RandomPlayer(DerivedDice(bytes(32), matches))
            while len(costs.sizes) < COMMANDS * (matches + 1) and await _measure_command(
                game, player, costs
            ):
                pass
        matches += 1
    return costs


async def _measure_command(game: LoopbackMatch, player: RandomPlayer, costs: NetworkCosts) -> bool:
    """Give one random command. Return False if no role has a decision."""
    match = game.table.match
    seq_before, state = match.seq, match.state
    times = await submit_next(game.peers.values(), player)
    if times is None:
        return False
    record = next(
        candidate for candidate in match.records[seq_before + 1 :] if candidate.kind == "command"
    )
    milliseconds = (times[1] - times[0]) * 1000
    costs.add(record, milliseconds, needs_chance=_needs_chance(match, state, record))
    return True


def message_kinds(record: Record) -> set[str]:
    """Return the kinds of messages in a record."""
    transcript = record.transcript
    return (
        set() if transcript is msgspec.UNSET else {message.kind for message in transcript.messages}
    )


def _needs_chance(match: Match[Any], state: object, record: Record) -> bool:
    """Return whether a command needs random results."""
    if record.transcript is not msgspec.UNSET:
        return Kind.REVEAL in message_kinds(record)
    assert record.command is not None, "the record must contain a command"
    command = decode_command(match.ruleset, record.command)
    try:
        match.ruleset.decide(state, record.role, command, DraftDice())
    except ChanceRevealedError:
        return True
    return False
