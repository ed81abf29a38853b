"""A host and a seat that deviate from the protocol, for attacks on unchanged programs over TLS.

Only the host's classes and some objects of the attacker's seat are changed. A victim is an ordinary peer.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.bots.player import Player
from engine.kernel.ids import Role
from netplay.fair.message_server import MessageServer
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from netplay.feed.host_session import HostSession
from netplay.journal.host_key_file import read_host_key
from netplay.match.match_table import MatchTable
from netplay.match.pending_match import PendingMatch
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.transport import handshake
from netplay.wire.messages import (
    CHUNK_BYTES,
    Answer,
    PendingPart,
    PollUpdates,
    Post,
    PostPart,
    TranscriptUpdate,
    Update,
    WaitForStart,
    Waiting,
)
from netplay.wire.modes import FAIR, Chance
from saves.clocks import Clock
from saves.decoding import canonical
from saves.errors import StaleCommandError
from saves.fair.evidence import SUFFIX as EVIDENCE
from saves.fair.evidence_file import EvidenceVerdict, verify_evidence
from saves.fair.messages import (
    HOST,
    AnyBody,
    Kind,
    Message,
    Reveal,
    SignedMessage,
    Slot,
    decode_message,
    encode_message,
    slot_of,
)
from saves.fair.signed_texts import OrderedBatch, order_message
from saves.fair.state import FairState, MessageRefusal
from saves.records import Record, decode_record, encode_record
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.patience import PATIENCE

Keeps = Callable[[Role, SignedMessage], bool]


class Released:
    """Everything that one seat has sent to the host, with checks for messages that no honest seat may send."""

    def __init__(self, match: str) -> None:
        self._match = match
        self.by_slot: dict[Slot, bytes] = {}
        self.faults: list[str] = []
        self.posts = 0
        self.acks = 0

    def record(self, post: Post) -> None:
        self.posts += 1
        self.acks += post.ack is not None
        for signed in post.messages:
            message = decode_message(self._match, signed.data)
            slot = slot_of(message)
            if self.by_slot.setdefault(slot, signed.data) != signed.data:
                self.faults.append(f"two messages for {slot}")
            if isinstance(message.body, Reveal):
                self._check_reveal(message.body.number, message.anchor_hash)

    def _check_reveal(self, number: int, anchor_hash: bytes) -> None:
        for message in self.messages(Kind.REVEAL):
            body = message.body
            assert isinstance(body, Reveal), "asked for by kind"
            if body.number == number and message.anchor_hash != anchor_hash:
                self.faults.append(f"reveal {number} for two throws")

    def messages(self, *kinds: Kind) -> list[Message]:
        """Return the released messages of some kinds, by default of all kinds."""
        found = [decode_message(self._match, data) for data in self.by_slot.values()]
        return [one for one in found if not kinds or one.kind in kinds]


class Lie:
    """A stream of bytes that one seat receives instead of the messages in the host's match."""

    def __init__(self, stream: bytes, index: int, **changes: object) -> None:
        """Prepare to send a stream.

        Args:
            stream: Batches, or anything else.
            index: Index up to which the host claims to have the transcript.
            changes: Fields to change in the parts that are sent.
        """
        self.stream = stream
        self.index = index
        self.changes = changes
        self.base: int | None = None
        self.seq = -1

    def extend(self, stream: bytes, index: int) -> None:
        """Extend the stream."""
        self.stream += stream
        self.index = index

    def is_new(self, held: int) -> bool:
        """Return whether there is more data for a seat that has this number of bytes."""
        return self._start(held) < len(self.stream)

    def _start(self, held: int) -> int:
        self.base = held if self.base is None else min(self.base, held)
        return held - self.base

    def told(self, seq: int, held: int) -> TranscriptUpdate:
        """Return the next piece."""
        self.seq = seq
        start = self._start(held)
        data = self.stream[start : start + CHUNK_BYTES]
        part = None
        if data:
            total = (self.base or 0) + len(self.stream)
            part = PendingPart(seq=seq + 1, offset=held, total=total, data=data)
            part = msgspec.structs.replace(part, **self.changes)
        return TranscriptUpdate(index=self.index, part=part)


class HostileHall(Hall):
    """A match whose host, and possibly one of its seats, belongs to the attacker."""

    victim: Role
    accomplice: Role

    def __init__(
        self,
        folder: Path,
        players: Mapping[Role, str] = EOTS_PLAYERS,
        chance: Chance = FAIR,
        clock: Clock | None = None,
        scenario: str = "",
        game: str = "eots",
    ) -> None:
        # without cards to mix, the long scenario begins just as fast and does not happen to end early
        scenario = scenario or ("south-pacific" if chance == FAIR else "1943")
        super().__init__(folder, game, scenario, players, chance=chance, clock=clock)
        self.victim, self.accomplice = JAPAN, ALLIED
        self.released: dict[Role, Released] = {}
        self.lies: dict[Role | None, Lie] = {}
        self.history: list[tuple[SignedMessage, FairState]] = []
        """Messages that the host's match has accepted, each with the resulting state."""
        self.start: FairState | None = None
        self.keeps: Keeps | None = None
        """Decides which messages the host receives without putting them in order."""
        self.kept: list[tuple[Role, SignedMessage]] = []
        self.edits: dict[Role | None, Callable[[Record], Record]] = {}
        """Changes to the records of the host's match, by the seat that receives them."""
        self.headers: dict[Role | None, Callable[[Waiting], Waiting]] = {}
        """Changes to the information about a match that has not begun, by the seat that receives them."""
        self.asked: dict[Role | None, int] = {}
        """Number of polls from each seat."""

    # -- control of the host

    def take_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Change the program of the host."""
        whole, submit, add = MessageServer.add_part, MessageServer.submit, Sequencer.add
        news, greet = MatchTable.next_update, MatchTable.status_update
        told, is_new = PendingMatch.waiting_status, PendingMatch._is_new

        def record(desk: MessageServer, role: Role, note: PostPart) -> Post | None:
            post = whole(desk, role, note)
            if post is not None:
                match = desk.match.header.match_id
                self.released.setdefault(role, Released(match)).record(post)
            return post

        def keep(desk: MessageServer, signed: SignedMessage) -> MessageRefusal | None:
            role = Role(decode_message(desk.match.header.match_id, signed.data).author)
            if self.keeps is not None and self.keeps(role, signed):
                self.kept.append((role, signed))
                return None
            return submit(desk, signed)

        def note(sequencer: Sequencer, signed: SignedMessage) -> MessageRefusal | None:
            before = sequencer.state
            found = add(sequencer, signed)
            if found is None:
                self.start = self.start or before
                self.history.append((signed, sequencer.state))
            return found

        def lie_news(table: MatchTable, session: HostSession, ask: PollUpdates) -> Update | None:
            self.asked[session.role] = self.asked.get(session.role, 0) + 1
            lie = self.lies.get(session.role)
            if lie is None:
                return self._edited(session.role, news(table, session, ask))
            told = lie.told(ask.seq, ask.pending)
            if told.part is None and session.sent_version == table.change_signal.version:
                return None
            session.sent_version = table.change_signal.version
            return msgspec.structs.replace(table.status_update(session), transcript=told)

        def lie_greeting(table: MatchTable, session: HostSession, *more: Any) -> Update:  # noqa: ANN401  # as it is called
            found = greet(table, session, *more)
            lie = self.lies.get(session.role)
            return found if lie is None else msgspec.structs.replace(found, head=lie.seq)

        def lie_told(
            room: PendingMatch, session: HostSession, wait: WaitForStart | None = None
        ) -> Waiting:
            self.asked[session.role] = self.asked.get(session.role, 0) + 1
            found: Waiting = told(room, session, wait)
            change = self.headers.get(session.role)
            found = found if change is None else change(found)
            lie = self.lies.get(session.role)
            if lie is None or wait is None:
                return found
            return msgspec.structs.replace(found, transcript=lie.told(-1, wait.pending))

        def lie_is_new(room: PendingMatch, session: HostSession, wait: WaitForStart) -> bool:
            lie = self.lies.get(session.role)
            return is_new(room, session, wait) if lie is None else lie.is_new(wait.pending)

        monkeypatch.setattr(MessageServer, "add_part", record)
        monkeypatch.setattr(MessageServer, "submit", keep)
        monkeypatch.setattr(Sequencer, "add", note)
        monkeypatch.setattr(MatchTable, "next_update", lie_news)
        monkeypatch.setattr(MatchTable, "status_update", lie_greeting)
        monkeypatch.setattr(PendingMatch, "waiting_status", lie_told)
        monkeypatch.setattr(PendingMatch, "_is_new", lie_is_new)

    def _edited(self, role: Role | None, news: Update | None) -> Update | None:
        """Return an update with the records that a seat receives instead of the right ones."""
        edit = self.edits.get(role)
        if news is None or edit is None:
            return news
        records = (encode_record(edit(decode_record(data))) for data in news.records)
        return msgspec.structs.replace(news, records=tuple(records))

    @property
    def id(self) -> str:
        return self.opened.match

    def lie(self, role: Role, stream: bytes, index: int, **changes: object) -> None:
        """From now on, send this stream to a seat."""
        self.lies[role] = Lie(stream, index, **changes)
        self.wake()

    def wake(self) -> bool:
        """Answer every waiting poll. Return False, so that a condition can call this before its check."""
        for table in self.house.tables.values():
            table.change_signal.bump()
        for room in self.house.pending_matches.values():
            room._change_signal.bump()
        return False

    # -- signatures

    @property
    def state(self) -> FairState:
        """Return the state of the host's match."""
        return self.history[-1][1]

    def state_at(self, index: int) -> FairState:
        """Return the state after an earlier message."""
        state = self.start if index < 0 else self.history[index][1]
        assert state is not None
        assert state.index == index
        return state

    def seal(self, author: Role, data: bytes) -> SignedMessage:
        """Sign anything with a key of the attacker."""
        if author == HOST:
            key = read_host_key(self.folder / "host", self.id)
            return SignedMessage(data, key.sign(data))
        assert author == self.accomplice, "the victim signs nothing for the attacker"
        return SignedMessage(data, self.participant(author)._secrets.sign(data))

    def message(
        self,
        author: Role,
        kind: Kind,
        body: AnyBody,
        state: FairState | None = None,
        match: str = "",
    ) -> SignedMessage:
        """Return a message after a state, by default the last state."""
        at = state or self.state
        made = Message(
            kind=kind, anchor=max(at.index, 0), anchor_hash=at.head, author=author, body=body
        )
        return self.seal(author, encode_message(match or self.id, made))

    def batch(self, after: FairState, *messages: SignedMessage) -> OrderedBatch:
        """Return a batch with any content, in an order signed by the host."""
        bare = OrderedBatch(after.index, after.head, messages, b"")
        text = order_message(self.id, bare.last, bare.hashes()[-1])
        order = read_host_key(self.folder / "host", self.id).sign(text)
        return msgspec.structs.replace(bare, order=order)

    def participant(self, role: Role) -> Participant:
        """Return the participant of one of the attacker's seats."""
        seat = self.peers[role].seat
        assert seat is not None
        return seat.participant.participant

    def be_careless(self) -> Participant:
        """Let the accomplice's program sign anything. Return its participant."""
        made = self.participant(self.accomplice)
        sign = made._secrets.sign

        def sign_all(messages: Sequence[bytes]) -> tuple[SignedMessage, ...]:
            for data in messages:
                made.journal._store_signed(data)
            return tuple(SignedMessage(data, sign(data)) for data in messages)

        made.journal.sign_once = sign_all  # type: ignore[method-assign]
        return made

    async def send(self, post: Post, role: Role | None = None) -> Answer:
        """Send any post on the accomplice's connection."""
        data = canonical(post)
        return await self.send_part(PostPart(request_id="00" * 8, total=len(data), data=data), role)

    async def send_part(self, part: PostPart, role: Role | None = None) -> Answer:
        """Send any part of a post on the accomplice's connection."""
        line = self.peers[role or self.accomplice].replicator._channel
        assert line is not None
        return await handshake.ask(line, part, PATIENCE)

    # -- play

    def player(self, role: Role) -> Player:
        return LastingBot(self.game)

    async def give(self, count: int) -> None:
        """Let the seat that is asked give random commands, and bring every copy up to date after each."""
        for _ in range(count):
            await self.level()
            await self.give_one()
        await self.level()

    async def give_one(self) -> None:
        role = self.asked_seat()
        peer = self.peers[role]
        decision = peer.decision()
        assert decision is not None
        with contextlib.suppress(StaleCommandError):
            await peer.submit(self.player(role).choose(peer.view(), decision))

    def asked_seat(self) -> Role:
        """Return the seat that gives the next command."""
        return next(role for role in self.players if self.peers[role].is_asked)

    def is_settled(self) -> bool:
        """Return whether every seat has processed all messages from the host."""
        seats = [self.peers[role].seat for role in self.players]
        return all(
            seat is not None and seat.is_open and seat.participant.state.index == self.state.index
            for seat in seats
        )

    def is_following(self, role: Role, ahead: int = 0) -> bool:
        """Return whether a seat has processed all messages from the host and this number of messages from a lie."""
        seat = self.peers[role].seat
        index = self.state.index + ahead
        return seat is not None and seat.is_open and seat.participant.state.index == index

    def of(self, role: Role, *kinds: Kind) -> list[Message]:
        """Return the messages of the given kinds that a seat has released."""
        return self.released[role].messages(*kinds) if role in self.released else []

    # -- checks

    def evidence(self, role: Role) -> EvidenceVerdict:
        """Return the verdict about the evidence file of a seat."""
        return verify_evidence(self.folder / str(role) / f"{self.id}.{role}{EVIDENCE}")

    def has_evidence(self, role: Role) -> bool:
        """Return whether a seat has saved evidence."""
        return (self.folder / str(role) / f"{self.id}.{role}{EVIDENCE}").exists()

    def check(self, *honest: Role) -> None:
        """Check that honest seats have not released anything twice, and that their programs have not crashed."""
        for role in honest:
            if role in self.released:
                assert self.released[role].faults == []
            assert (
                "internal error occurred in this program"
                not in self.peers[role].reporter.status.reason
            )

    async def stopped(self, role: Role) -> Peer:
        """Wait until a seat has stopped."""
        peer = self.peers[role]
        await until(lambda: peer.reporter.status.link is ConnectionState.STOPPED)
        return peer


@contextlib.asynccontextmanager
async def hostile_hall(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    waits: bool = True,
    seats: bool = True,
    chance: Chance = FAIR,
    clock: Clock | None = None,
    scenario: str = "",
    game: str = "eots",
    players: Mapping[Role, str] = EOTS_PLAYERS,
) -> AsyncIterator[HostileHall]:
    """Open a match whose host belongs to the attacker."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    made = HostileHall(folder, players, chance, clock, scenario, game)
    made.take_over(monkeypatch)
    await made.open()
    try:
        for role in made.players if seats else ():
            made.seat(role)
        if waits and seats:
            await made.live()
            await until(made.is_settled)
        yield made
    finally:
        await made.close()
