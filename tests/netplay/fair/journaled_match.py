"""A match of protocol 7 whose seats have files, with a host that a test can make dishonest."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.journaled_participant import JournaledParticipant, open_seat
from netplay.journal.private_file import SUFFIX, PrivateFile
from saves.clocks import Clock
from saves.codec import AnyGame
from saves.fair.fold import next_hash
from saves.fair.messages import Reveal, SignedMessage, Slot, decode_message, slot_of
from saves.fair.secrets import SeatSecrets
from saves.fair.signed_texts import OrderedBatch, order_message
from saves.fair.state import FairState, TranscriptPhase
from saves.files import FILES, Files
from saves.redaction import redact_record
from tests.netplay.fair.match import TIMED, FairMatch

HEADER = b"header"


class Oracle:
    """Fails when a seat releases two messages for one slot, or a reveal for two anchors (O1, O4)."""

    def __init__(self, match_id: str) -> None:
        self._match_id = match_id
        self.slots: dict[tuple[Role, Slot], bytes] = {}
        self._reveals: dict[tuple[Role, int], bytes] = {}

    def release(self, signed: SignedMessage) -> None:
        message = decode_message(self._match_id, signed.data)
        slot = slot_of(message)
        known = self.slots.setdefault((message.author, slot), signed.data)
        assert known == signed.data, f"{message.author} has signed two messages for {slot}"
        if isinstance(message.body, Reveal):
            key = (message.author, message.body.number)
            anchor = self._reveals.setdefault(key, message.anchor_hash)
            assert anchor == message.anchor_hash, f"{key} was released for two throws"


class HostCopy:
    """The complete records of a seat. Here, every seat reads the host's records."""

    def __init__(self, match: "JournaledMatch") -> None:
        self._match = match
        self.end = 0
        """Number of stored messages."""

    def messages(self) -> Sequence[SignedMessage]:
        return self._match.host.messages[: self.end]

    def order(self) -> bytes:
        return self._match.orders.get(self.end - 1, b"")

    def add_folded(self, signed: SignedMessage, after: FairState) -> None:
        """Store nothing, because the records are the host's."""


class JournaledMatch(FairMatch):
    """A match in a folder. Seats can be stopped and restarted at any moment."""

    def __init__(
        self,
        folder: Path,
        game: str | AnyGame,
        scenario: str,
        seed: int = 0,
        files: Files = FILES,
        *,
        deals: bool = True,
        clock: Clock | msgspec.UnsetType = TIMED,
    ) -> None:
        self.folder = folder
        self.files: dict[Role, Files] = {}
        self._private: dict[Role, PrivateFile] = {}
        super().__init__(game, scenario, seed=seed, deals=deals, clock=clock)
        self.learned = dict.fromkeys(self.secrets, 0)
        """Number of records that a dealing host has sent to each seat."""
        self.oracle = Oracle(self.match_id)
        self.orders: dict[int, bytes] = {}
        self.heads = [self.setup.header_hash]
        self.copies = {role: HostCopy(self) for role in self.secrets}
        self.programs: dict[Role, JournaledParticipant] = {}
        self.halted: dict[Role, str] = {}
        for role in self.secrets:
            self.programs[role] = self.opened(role)

    @override
    def make_secrets(self, role: Role) -> SeatSecrets:
        folder = self.home(role)
        folder.mkdir(parents=True, exist_ok=True)
        private = PrivateFile(folder / f"{self.match_id}.{role}{SUFFIX}", self.match_id, role)
        self._private[role] = private
        master = self.random.randbytes(32)
        with patch("netplay.journal.private_file.secrets.token_bytes", return_value=master):
            return private.enrol()

    # -- files of a seat

    def home(self, role: Role) -> Path:
        return self.folder / role

    def counters(self, role: Role) -> Path:
        return self.folder / f"{role}-state"

    def private(self, role: Role) -> PrivateFile:
        return self._private[role]

    def opened(self, role: Role) -> JournaledParticipant:
        return open_seat(
            self._private[role], self.setup, self.counters(role), self.copies[role], HEADER
        )

    def kill(self, role: Role) -> None:
        """Stop a program immediately, so that it writes nothing more to disk."""
        self.programs.pop(role).journal.close()
        self._private.pop(role).close()

    def begin(self, role: Role) -> JournaledParticipant:
        """Start a program from its files, without resuming yet."""
        path = self.home(role) / f"{self.match_id}.{role}{SUFFIX}"
        files = self.files.get(role, FILES)
        self._private[role] = PrivateFile(path, self.match_id, role, files)
        self.programs[role] = self.opened(role)
        self.learned[role] = 0
        self._tell(role)
        return self.programs[role]

    def _tell(self, role: Role) -> None:
        """Send a seat a dealing host's records, as far as the seat has their messages."""
        full, seat = self.full_copy, self.programs[role]
        while full is not None and not seat.cards.is_current:
            record = full.records[self.learned[role]]
            self.learned[role] += 1
            seat.apply_record(redact_record(self.game, record, role))

    def restart(self, role: Role) -> JournaledParticipant:
        self.kill(role)
        self.begin(role)
        self.resume(role)
        return self.programs[role]

    def save(self, role: Role, name: str, *, with_counter: bool = False) -> None:
        """Copy a seat's files, as a backup does."""
        shutil.copytree(self.home(role), self.folder / name / "home")
        if with_counter:
            shutil.copytree(self.counters(role), self.folder / name / "state")

    def restore(self, role: Role, name: str) -> None:
        """Replace a stopped seat's files with the files from a backup."""
        shutil.rmtree(self.home(role))
        shutil.copytree(self.folder / name / "home", self.home(role))
        if (self.folder / name / "state").exists():
            shutil.rmtree(self.counters(role))
            shutil.copytree(self.folder / name / "state", self.counters(role))

    # -- an honest host

    def resume(self, role: Role) -> None:
        """Relay a seat's request to the others and their answers back, and send the messages that the seat lacks."""
        seat = self.programs[role]
        question = seat.resume_request()
        others = {name: one for name, one in self.programs.items() if name != role}
        seat.update_presence(self.state.index, others)
        for other in others.values():
            answer = other.answer_resume(question)
            assert answer is not None
            assert not seat.receive_answer(answer)
        self.deliver()

    def batch(self, after: int, end: int | None = None) -> OrderedBatch:
        """Return the messages after the given one, up to another one or to the end, with the host's signature."""
        self._follow()
        last = self.state.index if end is None else end
        messages = tuple(self.host.messages[after + 1 : last + 1])
        return OrderedBatch(after, self.heads[after + 1], messages, self.orders[last])

    def _follow(self) -> None:
        while len(self.heads) <= len(self.host.messages):
            index = len(self.heads) - 1
            head = next_hash(self.heads[-1], index, self.host.messages[index].data)
            self.heads.append(head)
            self.orders[index] = self.sign_order(index, head)

    def sign_order(self, index: int, head: bytes) -> bytes:
        """Sign any order, right or wrong, with the host's key."""
        return self.host._key.sign(order_message(self.match_id, index, head))

    @override
    def deliver(self) -> None:
        for seat in self.programs.values():
            if not seat.halted and seat.state.index < self.state.index:
                refusal = seat.deliver(self.batch(seat.state.index))
                assert refusal is None, refusal
        if self.full_copy is not None:
            for signed in self.host.messages[self.delivered :]:
                self.full_copy.take(signed)
        self.delivered = len(self.host.messages)
        for role in self.programs:
            self._tell(role)
        self._store()

    def _store(self) -> None:
        """Store complete records, as the seats' copies do."""
        if self.state.phase is TranscriptPhase.IDLE and self.state.first_hash == self.state.index:
            for role, seat in self.programs.items():
                if seat.state.index == self.state.index:
                    self.copies[role].end = len(self.host.messages)
                    seat.record_stored(self.state.index)

    @override
    def settle(self, each: Callable[[Role], None] | None = None) -> None:
        """Exchange messages until nothing is due from a running seat.

        Args:
            each: Called with a seat after it has created messages, before they are sent.
        """
        self.deliver()
        while True:
            made = list(self.made(each))
            count = len(self.host.messages)
            for signed in made:
                refusal = self.host.submit(signed)
                assert refusal is None or refusal.is_due_fault, refusal
            if len(self.host.messages) == count:
                assert not made, "the match makes progress"
                return
            self.deliver()

    def made(self, each: Callable[[Role], None] | None = None) -> Iterator[SignedMessage]:
        for role in list(self.programs):
            made = self.release(role)
            if made and each is not None:
                each(role)
                assert self.release(role) == made, "the same bytes are sent after a restart"
            yield from made

    def release(self, role: Role) -> tuple[SignedMessage, ...]:
        """Return the messages that a seat sends now, after the oracle has seen them."""
        made = self.programs[role].due_messages()
        for signed in made:
            self.oracle.release(signed)
        return made

    @override
    def play(self, role: Role, command: Command) -> None:
        for signed in self.programs[role].sign_command(command):
            self.oracle.release(signed)
            self.submit(signed)
        self.settle()

    @override
    def choices(self) -> Iterator[tuple[Role, Any]]:
        for role in self.game.active_roles(self.state.state):
            yield role, self.game.decision_with_free_actions(self.programs[role].cards.state, role)

    def close(self) -> None:
        for role in list(self.programs):
            self.kill(role)
