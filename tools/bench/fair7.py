"""Measures protocol 7 with a match's host and all its seats in one process, without network or disk.

The targets come from the protocol specification. The targets for commands cover both host and seats. The number of
round trips is the number of times that the host waits for seats after a record's first message.
"""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from engine import registry
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from saves.chain import first_chain
from saves.fair.fold import initial_fair_state
from saves.fair.messages import Offer, SignedMessage
from saves.fair.record_builder import build_record
from saves.fair.secrets import SeatSecrets
from saves.fair.setup import make_commitments, match_setup, new_fair_header
from saves.fair.signing import HostKey
from saves.fair.state import FairState, Pending, TranscriptPhase
from saves.fair.terms import FairTerms
from saves.fair.transcript_log import TranscriptLog
from saves.records import Record, encode_record
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, cpu_seconds, measure
from tools.bench.processes import ROOT

BEGINNINGS: Final = 5
COMMANDS: Final = 250
THROWS: Final = 5
"""Minimum number of samples for each rare kind of command, such as one with a card mix."""
TWO: Final = ("eots", "1943")
SIX: Final = ("qmg", "total-war")
CODE: Final = ("saves/fair", "netplay/fair", "netplay/journal")
CODE6_LINES: Final = 5_958
"""Number of lines in the protocol 6 code, which protocol 7 replaced."""


class LocalCosts(msgspec.Struct):
    """Times for a match's commands, and the sizes of their records on the host."""

    without: list[float] = msgspec.field(default_factory=list)
    """Milliseconds, summed over all programs, for commands without dice or mixes."""
    with_throw: list[float] = msgspec.field(default_factory=list)
    """Milliseconds for commands with dice but without mixes."""
    with_mix: list[float] = msgspec.field(default_factory=list)
    """Milliseconds for commands with mixes. Most of these commands mix a hand."""
    sizes: list[float] = msgspec.field(default_factory=list)
    bare_sizes: list[float] = msgspec.field(default_factory=list)
    """Record sizes for commands without dice or mixes."""
    mix_sizes: list[float] = msgspec.field(default_factory=list)
    trips_without: list[float] = msgspec.field(default_factory=list)
    """Round trips for commands without dice or mixes."""
    trips_with_throw: list[float] = msgspec.field(default_factory=list)
    trips_with_reshuffle: list[float] = msgspec.field(default_factory=list)
    """Round trips for commands given again after a takeback, before which the piles must be mixed again."""

    @property
    def is_enough(self) -> bool:
        """True if every kind of command has enough samples."""
        rare = min(len(self.trips_with_reshuffle), len(self.with_mix), len(self.without))
        return len(self.sizes) >= COMMANDS and rare >= THROWS


class BenchMatch:
    """A match's host and seats in one process."""

    def __init__(self, game: str, scenario: str, seed: int) -> None:
        rules = registry.ruleset(game)
        match_id = f"{seed:032x}"
        roles = rules.scenario_info(scenario, {}).roles
        self.secrets = {
            role: SeatSecrets(match_id, role, bytes([number, *seed.to_bytes(31, "big")]))
            for number, role in enumerate(roles, 1)
        }
        self._key = HostKey(bytes(32))
        parties = tuple(
            make_commitments(secrets, "own machine") for secrets in self.secrets.values()
        )
        terms = FairTerms(host_key=self._key.verify_key, parties=parties)
        self.header = new_fair_header(rules, match_id, scenario, {}, terms)
        setup = match_setup(rules, self.header)
        first_state = initial_fair_state(setup)
        self.host = Sequencer(TranscriptLog(setup), self._key)
        self.seats = {
            role: Participant(first_state, secrets) for role, secrets in self.secrets.items()
        }
        self._delivered = 0
        self._log = TranscriptLog(setup)
        self._logged = 0
        self._records: list[Record] = []
        self.trips = 0
        """Round trips needed for the last record."""

    @property
    def state(self) -> FairState:
        """Return the host's state."""
        return self.host.state

    def start(self) -> None:
        """Play the opening."""
        refusal = self.host.start()
        assert refusal is None
        self._exchange_all()

    def give(self, role: Role, command: Any) -> None:  # noqa: ANN401  # any game's
        """Give a command, and exchange messages until its record is complete."""
        for signed in self.seats[role].sign_command(command):
            refusal = self.host.submit(signed)
            assert refusal is None
        self._exchange_all()

    def take_back(self) -> None:
        """Take back the last record, so that every pile must be mixed again before the next throw."""
        proposer, *other_seats = self.seats.values()
        refusal = self.host.submit(proposer.sign_offer(Offer("takeback", self.state.records - 2)))
        assert refusal is None
        self._deliver()
        for seat in other_seats:
            refusal = self.host.submit(seat.sign_consent(agrees=True))
            assert refusal is None
        self._exchange_all()

    def random_request(self, player: RandomPlayer) -> SignedMessage:
        """Return a signed request with a command that the player chooses, without sending it."""
        return self.seats[self.active_role].sign_command(self.choose(player))[0]

    @property
    def active_role(self) -> Role:
        """The first role that has a decision to make."""
        role: Role = self.state.setup.game.active_roles(self.state.state)[0]
        return role

    def choose(self, player: RandomPlayer) -> Any:  # noqa: ANN401  # as above
        """Return the command that a player chooses for the active role."""
        rules, role = self.state.setup.game, self.active_role
        own_state = self.seats[role].cards.state
        return player.choose(
            rules.project(own_state, role), rules.decision_with_free_actions(own_state, role)
        )

    def submit(self, signed: SignedMessage) -> None:
        """Send a message to the host and all seats. A message that is no longer due changes nothing."""
        refusal = self.host.submit(signed)
        assert refusal is None or refusal.is_due_fault
        self._deliver()

    def due_messages(self) -> list[SignedMessage]:
        """Return the messages that the seats have to send now."""
        return [message for seat in self.seats.values() for message in seat.due_messages()]

    def _deliver(self) -> None:
        for signed in self.host.messages[self._delivered :]:
            for seat in self.seats.values():
                refusal = seat.receive(signed)
                assert refusal is None
        self._delivered = len(self.host.messages)

    def _exchange_all(self) -> None:
        self._deliver()
        self.trips = 0
        while due := self.due_messages():
            self.trips += 1
            for signed in due:
                refusal = self.host.submit(signed)
                assert refusal is None or refusal.is_due_fault
            self._deliver()

    def record(self) -> tuple[Record, Pending]:
        """Build the last record from the host's messages. Return it with its resolved command. This is not measured."""
        record: Record | None = None
        pending: Pending | None = None
        for signed in self.host.messages[self._logged :]:
            refusal = self._log.add(signed)
            assert refusal is None
            if self._log.is_complete:
                pending = self._log.state.completed
                prev = self._records[-1].chain if self._records else first_chain(self.header)
                order = self.host.order_signature().signature
                record = build_record(self._log, len(self._records), prev, order, None)
                self._log.begin_segment(record)
                self._records.append(record)
        self._logged = len(self.host.messages)
        assert record is not None, "the messages must complete a record"
        assert pending is not None, "the messages must complete a record"
        return record, pending


def fair7() -> Iterator[BenchmarkResult]:
    """Yield the costs of protocol 7 without a network. The ``joint`` benchmark measures the costs over a network."""
    for seats, (game, scenario), target in (("two", TWO, 0.35), ("six", SIX, 1.8)):
        all_seconds, seat_seconds_list, trips = _beginnings(game, scenario)
        yield measure(
            f"fair7-begin-{seats}", "s", all_seconds,
            f"{seats} seats of {game} {scenario}, up to the dealt hands: host and all seats in one process",
            BenchmarkTarget(first=target, aim=target),
        )  # fmt: skip
        yield measure(
            f"fair7-begin-{seats}-alone", "s", seat_seconds_list,
            "the same for one seat in its own process, which verifies the proofs of all others",
            BenchmarkTarget(first=0.5, aim=0.5) if seats == "six" else None,
        )  # fmt: skip
        yield measure(
            f"fair7-trips-begin-{seats}", "trips", trips, "round trips of the opening",
            BenchmarkTarget(first=4, aim=4),
        )  # fmt: skip
    for seats, (game, scenario) in (("two", TWO), ("six", SIX)):
        yield from _command_rows(seats, f"{game} {scenario}", _measure_costs(game, scenario))
    yield measure(
        "fair7-lines", "lines", [count_lines(ROOT, CODE)], f"lines of Python in {', '.join(CODE)}",
        BenchmarkTarget(first=CODE6_LINES, aim=CODE6_LINES),
    )  # fmt: skip


def count_lines(root: Path, paths: Sequence[str]) -> int:
    """Return the number of lines in a checkout's Python files.

    Args:
        root: The checkout.
        paths: Files and folders.
    """
    paths_found = [root / path for path in paths]
    files = [
        file
        for found_path in paths_found
        for file in ([found_path] if found_path.is_file() else found_path.glob("*.py"))
    ]
    return sum(len(file.read_bytes().splitlines()) for file in files)


def _command_rows(seats: str, subject: str, costs: LocalCosts) -> Iterator[BenchmarkResult]:
    is_six = seats == "six"
    description = f"random commands of {subject}, host and {seats} seats in one process"
    yield measure(
        f"fair7-command-{seats}", "ms", costs.without, f"{description}: those without dice and mixes",
        BenchmarkTarget(first=10, aim=10),
    )  # fmt: skip
    yield measure(
        f"fair7-throw-{seats}", "ms", costs.with_throw, "those with dice but without mixes",
        BenchmarkTarget(first=50, aim=50),
    )  # fmt: skip
    yield measure(
        f"fair7-draw-{seats}", "ms", costs.with_mix, "those with mixes of hands or other piles",
        BenchmarkTarget(first=50, aim=50),
    )  # fmt: skip
    yield measure(
        f"fair7-bytes-draw-{seats}", "bytes", costs.mix_sizes, "their records at the host",
        BenchmarkTarget(first=6_000, aim=6_000),
    )  # fmt: skip
    yield measure(
        f"fair7-bytes-command-{seats}", "bytes", costs.bare_sizes,
        "records of commands without dice and mixes at the host",
        BenchmarkTarget(first=2_200 if is_six else 1_200, aim=2_200 if is_six else 1_200),
    )  # fmt: skip
    for name, trips, max_trips in (
        ("command", costs.trips_without, 1),
        ("throw", costs.trips_with_throw, 2),
        ("reshuffle", costs.trips_with_reshuffle, 3),
    ):
        yield measure(
            f"fair7-trips-{name}-{seats}", "trips", trips,
            "round trips of these commands; reshuffle: with dice, after a takeback",
            BenchmarkTarget(first=max_trips, aim=max_trips),
        )  # fmt: skip
    average = sum(costs.sizes) / len(costs.sizes)
    yield measure(
        f"fair7-bytes-{seats}", "bytes", [average], f"average of {len(costs.sizes)} records",
        BenchmarkTarget(first=2_500, aim=2_500),
    )  # fmt: skip


# -- openings


def _beginnings(game: str, scenario: str) -> tuple[list[float], list[float], list[float]]:
    all_seconds, single_seat_seconds, trips = [], [], list[float]()
    BenchMatch(game, scenario, 0).start()  # fill the caches of this process
    for seed in range(1, BEGINNINGS + 1):
        match = BenchMatch(game, scenario, seed)
        all_seconds.append(cpu_seconds(match.start))
        trips.append(match.trips)
        role = next(iter(match.seats))
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            task = (game, scenario, seed, role, match.host.messages)
            single_seat_seconds.append(pool.submit(seat_seconds, *task).result())
    return all_seconds, single_seat_seconds, trips


def seat_seconds(
    game: str, scenario: str, seed: int, role: Role, messages: list[SignedMessage]
) -> float:
    """Return one seat's CPU time in an opening. Call this function in a process that has not run another seat.

    Args:
        game: Id of the game.
        scenario: Id of the scenario.
        seed: Seed of the match.
        role: Role of the seat.
        messages: Messages of the opening.
    """
    match = BenchMatch(game, scenario, seed)
    warm_up = BenchMatch(game, scenario, 0)
    warm_up.start()
    seat = match.seats[role]
    return cpu_seconds(partial(_feed_messages, seat, messages))


def _feed_messages(seat: Participant, messages: list[SignedMessage]) -> None:
    for signed in messages:
        seat.due_messages()
        refusal = seat.receive(signed)
        assert refusal is None
    assert seat.state.phase is TranscriptPhase.IDLE


# -- commands


def _measure_costs(game: str, scenario: str) -> LocalCosts:
    costs, seed = LocalCosts(), 0
    while not costs.is_enough:
        match = BenchMatch(game, scenario, seed := seed + 1)
        match.start()
        match.record()
        player = RandomPlayer(DerivedDice(bytes(32), seed))
        while match.state.phase is TranscriptPhase.IDLE and not costs.is_enough:
            _measure_command(match, player, costs)
    return costs


def _measure_command(match: BenchMatch, player: RandomPlayer, costs: LocalCosts) -> None:
    role, command = match.active_role, match.choose(player)
    milliseconds = cpu_seconds(partial(match.give, role, command)) * 1_000
    record, pending = match.record()
    size = len(encode_record(record))
    costs.sizes.append(size)
    if pending.mixed_at:
        costs.with_mix.append(milliseconds)
        costs.mix_sizes.append(size)
    elif pending.throws:
        costs.with_throw.append(milliseconds)
        costs.trips_with_throw.append(match.trips)
        if match.state.phase is TranscriptPhase.IDLE:
            costs.trips_with_reshuffle.append(_repeat_for_round_trips(match, role, command))
    else:
        costs.without.append(milliseconds)
        costs.trips_without.append(match.trips)
        costs.bare_sizes.append(size)


def _repeat_for_round_trips(match: BenchMatch, role: Role, command: Command) -> int:
    """Take back the last command and give it again. Return the number of round trips needed the second time."""
    match.take_back()
    match.record()
    match.give(role, command)
    trips = match.trips
    match.record()
    return trips
