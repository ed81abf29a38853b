"""Messages lost, duplicated, delayed and reordered, cuts and torn files: every copy is a part of one history (N5)."""

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typing_extensions import override

from engine.kernel.ids import Role
from netplay.feed.host_session import HostSession
from netplay.match.host_config import HostConfig
from netplay.match.match_table import MatchTable
from netplay.match_state.match_state_file import MatchStateFile
from netplay.peer.seat_replica import SeatReplica
from netplay.wire.messages import Accepted, PollUpdates, Refused, Rules, Submit, Update
from saves.errors import BrokenChainError
from saves.framing import scan
from saves.headers import encode_header
from saves.records import decode_record
from tests.saves.play import AUDIENCES, new_match
from tests.sizes import sized
from tests.toy_game import TOY

NUMBERS = st.integers(0, 1 << 16)
PLACES = st.integers(0, len(AUDIENCES) - 1)
OURS = Rules(edition=TOY.edition, version=TOY.version, data_digest=TOY.data_digest)


class Peer:
    """A seat's copy, its session on the host, and the messages in transit between the two."""

    def __init__(self, table: MatchTable, folder: Path, role: Role | None, line: int) -> None:
        self.table, self.folder, self.role = table, folder, role
        self.line = line
        self.to_host: list[PollUpdates | Submit] = []
        self.to_peer: list[Update] = []
        self.connect()

    def connect(self) -> None:
        """Begin a new session with the copy in the file."""
        self.copy = SeatReplica(TOY, self.folder, self.table.id, self.role)
        assert self.copy.moved_to is None
        self.to_host.clear()
        self.to_peer.clear()
        self.line += len(AUDIENCES)
        self.session = HostSession(self.line, self.role, ())
        self.table.join(self.session)
        header = encode_header(self.table.match.redacted_header(self.role))
        self.copy.adopt_header(header, OURS)

    def cut(self) -> None:
        """Drop the connection with everything in transit, and reconnect."""
        self.table.leave(self.line)
        self.copy.close()
        self.connect()

    def question(self) -> PollUpdates:
        """Return a poll for updates, as a peer sends it."""
        return PollUpdates(
            seq=self.copy.seq,
            chain=self.copy.chain,
            digest=self.copy.digest(),
            offset=self.copy.received_bytes,
            heard=0,
            wait_ms=0,
        )

    def hear(self, news: Update) -> None:
        """Apply an answer. One that does not continue the copy closes the connection."""
        before = self.copy.seq
        try:
            self.copy.receive_all(map(decode_record, news.records))
        except BrokenChainError:
            assert self.copy.seq == before
            self.cut()


class Sync(RuleBasedStateMachine):
    """A host and three copies, with messages delivered in the order that the rules choose."""

    @initialize()
    def begin(self) -> None:
        self._home = tempfile.TemporaryDirectory()
        folder = Path(self._home.name)
        self.match = new_match(None, "short")
        self.loop = asyncio.new_event_loop()
        self.disk = ThreadPoolExecutor(1)
        file = MatchStateFile(folder / "match.table")
        self.table = MatchTable(self.match, folder / "differs", self.disk, file, HostConfig())
        self.peers = [
            Peer(self.table, folder / str(role), role, line) for line, role in enumerate(AUDIENCES)
        ]
        self.verdicts: dict[str, Accepted | Refused] = {}
        self.requests = 0

    @override
    def teardown(self) -> None:
        """After the line is repaired, all copies are equal."""
        for peer in self.peers:
            peer.cut()
            while peer.copy.seq < self.match.seq:
                self._answer(peer, peer.question())
                peer.hear(peer.to_peer.pop())
            assert peer.copy.chain == self.match.chain
            assert peer.copy.digest() == self.match.view_digest(peer.role)
            peer.copy.close()
        self.disk.shutdown()
        self.loop.close()
        self._home.cleanup()

    def _answer(self, peer: Peer, question: PollUpdates | Submit) -> None:
        if isinstance(question, PollUpdates):
            assert self.table.desync_detector.find_desync(peer.session, question) is None
            news = self.table.next_update(peer.session, question)
            if news is not None:
                peer.to_peer.append(news)
            return
        before = self.match.seq
        verdict = self.loop.run_until_complete(self.table.request(peer.session, question))
        assert isinstance(verdict, Accepted | Refused), "this host does not stop"
        known = self.verdicts.setdefault(question.request_id, verdict)
        assert verdict == known
        assert self.match.seq == before or isinstance(verdict, Accepted)

    @rule(place=PLACES)
    def ask(self, place: int) -> None:
        peer = self.peers[place]
        peer.to_host.append(peer.question())

    @rule(place=PLACES, number=NUMBERS)
    def give(self, place: int, number: int) -> None:
        """Give one of the commands that the copy offers, which may be outdated."""
        peer = self.peers[place]
        state: Any = peer.copy.state
        if peer.role is None or peer.role not in TOY.active_roles(state):
            return
        options = TOY.decision(state, peer.role).options
        self.requests += 1
        peer.to_host.append(
            Submit(
                request_id=f"r{self.requests}",
                expected_seq=peer.copy.seq,
                command=msgspec.msgpack.encode(options[number % len(options)]),
            )
        )

    @rule(place=PLACES, number=NUMBERS, again=st.booleans())
    def reach_the_host(self, place: int, number: int, again: bool) -> None:
        peer = self.peers[place]
        if peer.to_host:
            at = number % len(peer.to_host)
            self._answer(peer, peer.to_host[at] if again else peer.to_host.pop(at))

    @rule(place=PLACES, number=NUMBERS, again=st.booleans())
    def reach_the_peer(self, place: int, number: int, again: bool) -> None:
        peer = self.peers[place]
        if peer.to_peer:
            at = number % len(peer.to_peer)
            peer.hear(peer.to_peer[at] if again else peer.to_peer.pop(at))

    @rule(place=PLACES, number=NUMBERS)
    def lose(self, place: int, number: int) -> None:
        peer = self.peers[place]
        way: list[Any] = peer.to_host if number % 2 else peer.to_peer
        if way:
            way.pop(number // 2 % len(way))

    @rule(place=PLACES)
    def cut(self, place: int) -> None:
        self.peers[place].cut()

    @rule(place=PLACES, number=NUMBERS)
    def crash(self, place: int, number: int) -> None:
        """Stop a peer in the middle of a write, so that the end of its file is torn."""
        peer = self.peers[place]
        peer.copy.close()
        if peer.copy.path.exists():  # otherwise it has no record yet
            data = peer.copy.path.read_bytes()
            start = [*scan("test", data).record_offsets, len(data)][
                1
            ]  # the file appears with record 0 in it
            peer.copy.path.write_bytes(data[: start + number % (len(data) - start + 1)])
        self.table.leave(peer.line)
        peer.connect()

    @precondition(lambda self: bool(self.match.seq and not self.match.is_revealed))
    @rule(number=NUMBERS)
    def take_back(self, number: int) -> None:
        self.match.take_back(number % self.match.seq)
        self.loop.run_until_complete(self.table.recorder.on_record_added())

    @invariant()
    def every_copy_is_a_part_of_one_history(self) -> None:
        for peer in self.peers:
            seq = peer.copy.seq
            assert seq <= self.match.seq
            if seq >= 0:
                assert peer.copy.chain == self.match.records[seq].chain
                assert peer.copy.digest() == self.table._feed.digest_at(seq, peer.role)

    @invariant()
    def every_command_counts_once(self) -> None:
        accepted = [one.seq for one in self.verdicts.values() if isinstance(one, Accepted)]
        commands = [one.seq for one in self.match.records if one.kind == "command"]
        assert sorted(accepted) == commands


TestSync = pytest.mark.series("N5")(Sync.TestCase)
TestSync.settings = settings(
    max_examples=sized(12, 80, 5_000, of="sequences of faults in memory"),
    stateful_step_count=sized(25, 50, 80, of="steps of each sequence"),
)
