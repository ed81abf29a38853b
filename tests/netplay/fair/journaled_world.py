"""A match whose honest seats have files. The host belongs to the attacker and may show each seat a different history.

Honest seats are the programs that players run, with a journal and a counter. They are killed, started and restored
here. The messages that they have released are recorded outside their files.
"""

import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from unittest import mock

from typing_extensions import override

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.journaled_participant import JournaledParticipant, open_seat
from netplay.fair.sequencer import Sequencer
from netplay.journal.errors import SeatHaltedError
from netplay.journal.private_file import SUFFIX, PrivateFile
from saves.fair.evidence import Evidence
from saves.fair.fold import Outcome, fold
from saves.fair.messages import Kind, Message, SignedMessage
from saves.fair.signed_texts import BEFORE_FIRST, Ack, OrderedBatch, Resumed, order_message
from saves.fair.signed_texts import signed_bytes as signed_text
from saves.fair.signing import HostKey
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from saves.fair.transcript_log import completes_record
from saves.files import Files
from saves.headers import encode_header
from tests.netplay.fair.attacker import World, copy_seat, shared_fold
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.netplay.fair.match import log_at


class QuickFiles(Files):
    """Files that are written but never synced, because only programs are killed here, not the machine."""

    @override
    def sync_data(self, handle: int) -> None:
        pass

    @override
    def sync(self, handle: int) -> None:
        pass

    @override
    def sync_folder(self, folder: Path) -> None:
        pass


FILES: Final = QuickFiles()


class History:
    """A transcript that the host has begun, with the states before the first message and after each message."""

    def __init__(
        self, key: HostKey, states: Sequence[FairState], messages: Sequence[SignedMessage]
    ) -> None:
        self._key = key
        self.states = list(states)
        self.messages = list(messages)

    @property
    def last(self) -> int:
        return len(self.messages) - 1

    def state_at(self, index: int) -> FairState:
        return self.states[index + 1]

    def add(self, signed: SignedMessage, after: FairState) -> None:
        self.messages.append(signed)
        self.states.append(after)

    def until(self, last: int) -> "History":
        """Return another history with the same messages up to the given one."""
        return History(self._key, self.states[: last + 2], self.messages[: last + 1])

    def sign(self, index: int, head: bytes) -> bytes:
        """Sign any order, right or wrong, with the host's key."""
        return self._key.sign(order_message(self.states[0].setup.match_id, index, head))

    def order(self, index: int) -> bytes:
        return b"" if index < 0 else self.sign(index, self.state_at(index).head)

    def batch(self, after: int, last: int) -> OrderedBatch:
        messages = tuple(self.messages[after + 1 : last + 1])
        return OrderedBatch(after, self.state_at(after).head, messages, self.order(last))

    def common(self, other: "History") -> int:
        """Return the index of the last message that both histories share."""
        low, high = BEFORE_FIRST, min(self.last, other.last)
        while low < high:
            at = (low + high + 1) // 2
            if self.state_at(at).head == other.state_at(at).head:
                low = at
            else:
                high = at - 1
        return low


class StoredCopy:
    """The complete records of one seat."""

    def __init__(self, messages: Sequence[SignedMessage], order: bytes) -> None:
        self.stored, self._order = tuple(messages), order

    def messages(self) -> Sequence[SignedMessage]:
        return self.stored

    def order(self) -> bytes:
        return self._order

    def add_folded(self, signed: SignedMessage, after: FairState) -> None:
        """Store nothing until a record is complete."""

    def keep(self, messages: Sequence[SignedMessage], order: bytes) -> None:
        self.stored, self._order = tuple(messages), order


class Backup(NamedTuple):
    """A seat's files at one moment."""

    folder: Path
    stored: Sequence[SignedMessage]
    order: bytes
    last: int
    """Index of the last message that the program had processed."""
    head: bytes


class JournaledWorld(World):
    """All histories of a match, with the honest programs that follow them."""

    match: JournaledMatch

    def __init__(self, match: JournaledMatch, attackers: Collection[Role]) -> None:
        """Take over a match whose programs were stopped after a faithful opening."""
        super().__init__(match, attackers)
        first = self.seats[self.victim].state
        self.history = History(match.host_key, [first], ())
        messages, self.host = match.host.messages, Sequencer(log_at(first), match.host_key)
        for signed in messages:
            author = self.message(signed).author
            if author in self.releases:
                self._record(author, signed)
            with shared_fold():
                assert self.host.submit(signed) is None
                for role, seat in self.seats.items():
                    assert seat.receive(signed) is None
                    if role in self.models:
                        self.models[role].accept(signed.data)
            self.history.add(signed, self.host.state)
        self.opened_at = self.state.index
        self._opened_seats = {role: copy_seat(self.seats[role]) for role in self.attackers}
        self._opened_files = match.folder
        self.header = encode_header(match.header)

    @classmethod
    def opened_in(
        cls, folder: Path, game: str, scenario: str, attackers: int, seed: int
    ) -> "JournaledWorld":
        """Return a world whose opening was faithful. Each run copies its files.

        Args:
            folder: Folder for the seats' files.
            game: Id of the game.
            scenario: Id of the scenario.
            attackers: Number of the attacker's seats, which are the last ones in the match.
            seed: Seed for all secrets.
        """
        match = JournaledMatch(folder, game, scenario, seed=seed)
        match.start()
        match.close()
        return cls(match, tuple(match.secrets)[-attackers:])

    @override
    def copy(self) -> "JournaledWorld":
        """Return a new run, in which the honest seats' programs start from copies of the files after the opening."""
        other = super().copy()
        assert isinstance(other, JournaledWorld)
        other._folder = TemporaryDirectory()
        other.history = self.history.until(self.history.last)
        other.histories = [other.history]
        other.follows = dict.fromkeys(self.honest, other.history)
        other.held, other.halted, other.restored = set(), set(), set()
        other.acked = {role: set() for role in self.honest}
        other.evidence, other.programs, other._private = [], {}, {}
        stored = self.history.order(self.opened_at)
        other.copies = {role: StoredCopy(self.history.messages, stored) for role in self.honest}
        other.backups = {role: [] for role in self.honest}
        for role in self.honest:
            for source, target in (
                (self._opened_files / role, other.home(role)),
                (self._opened_files / f"{role}-state", other.counters(role)),
            ):
                shutil.copytree(source, target)
            other.begin(role)
        for role in self.honest:
            other.help(role)
            other.save(role)
        return other

    _folder: TemporaryDirectory[str]
    histories: list[History]
    """All histories that the host has begun. :attr:`history` is the one that it currently continues."""
    follows: dict[Role, History]
    held: set[Role]
    """Honest seats to which the host currently sends nothing."""
    halted: set[Role]
    restored: set[Role]
    """Honest seats whose files were restored from a backup."""
    acked: dict[Role, set[tuple[int, bytes]]]
    evidence: list[tuple[Role, Evidence]]
    programs: dict[Role, JournaledParticipant]
    copies: dict[Role, StoredCopy]
    backups: dict[Role, list[Backup]]
    _private: dict[Role, PrivateFile]

    # -- programs

    def home(self, role: Role) -> Path:
        return Path(self._folder.name, role)

    def counters(self, role: Role) -> Path:
        return Path(self._folder.name, f"{role}-state")

    @property
    def folder(self) -> Path:
        return Path(self._folder.name)

    @property
    def running(self) -> tuple[Role, ...]:
        return tuple(role for role in self.honest if role not in self.halted)

    @property
    def here(self) -> tuple[Role, ...]:
        """Return the running seats that follow the current history."""
        return tuple(role for role in self.running if self.follows[role] is self.history)

    def begin(self, role: Role) -> None:
        """Start a program from its files, without resuming yet."""
        match = self.match
        path = self.home(role) / f"{match.match_id}.{role}{SUFFIX}"
        private = self._private[role] = PrivateFile(path, match.match_id, role, FILES)
        private._secrets = match.secrets[
            role
        ]  # the same secrets, whose hash chain has already been computed
        with self._folded():
            self.programs[role] = open_seat(
                private, self.setup, self.counters(role), self.copies[role], self.header
            )
        self.seats[role] = self.programs[role].participant
        self._remodel(role)

    def _remodel(self, role: Role) -> None:
        """Let a seat's model follow the transcript that its program has stored."""
        old, self.models[role] = self.models[role], self._model(role)
        model, last = self.models[role], self.programs[role].state.index
        for signed in self.follows[role].messages[: last + 1]:
            model.accept(signed.data)
        model.decided, model.released = old.decided, old.released
        model.may_open_seed = old.may_open_seed

    def kill(self, role: Role) -> None:
        """Stop a program immediately."""
        self.programs[role].journal.close()
        self._private[role].close()

    def close(self) -> None:
        for role in self.honest:
            self.kill(role)
        self._folder.cleanup()

    def save(self, role: Role) -> None:
        """Copy a seat's files, as a backup does."""
        folder = self.folder / f"{role}-backup-{len(self.backups[role])}"
        shutil.copytree(self.home(role), folder / "journal")
        shutil.copytree(self.counters(role), folder / "counter")
        state, copy = self.programs[role].state, self.copies[role]
        backup = Backup(folder, copy.stored, copy.order(), state.index, state.head)
        self.backups[role].append(backup)

    def restore(self, role: Role, backup: Backup, parts: Collection[str]) -> None:
        """Replace a seat's files with files from a backup, and start the seat."""
        self.kill(role)
        for part, place in (("journal", self.home(role)), ("counter", self.counters(role))):
            if part in parts:
                shutil.rmtree(place)
                shutil.copytree(backup.folder / part, place)
        if "copy" in parts:
            self.copies[role].keep(backup.stored, backup.order)
        self.begin(role)

    @contextmanager
    def _folded(self) -> Iterator[None]:
        """Let programs share the states folded by the host, because the fold is a pure function."""
        with mock.patch("netplay.fair.participant.fold", self._fold):
            yield

    def _fold(self, state: FairState, signed: SignedMessage) -> Outcome:
        at = state.index
        for history in self.histories:
            is_known = at < history.last and history.messages[at + 1] == signed
            if is_known and history.state_at(at).head == state.head:
                return history.state_at(at + 1)
        return fold(state, signed)

    @contextmanager
    def _may_halt(self, role: Role) -> Iterator[None]:
        """Let a program stop. An honest program stops only because of evidence against an attacker (O6)."""
        try:
            with self._folded():
                yield
        except SeatHaltedError:
            program = self.programs[role]
            assert program.accusations or role in self.restored, f"O6: {program.halted}"
            self.halted.add(role)
            self.evidence += [(role, one) for one in program.accusations]

    # -- messages that an honest seat sends

    @override
    def made(self, role: Role, *, again: bool = False) -> tuple[SignedMessage, ...]:
        if role in self.attackers:
            return super().made(role, again=again)
        if role in self.halted:
            return ()
        made: tuple[SignedMessage, ...] = ()
        state, program = self.programs[role].state, self.programs[role]
        if state.phase is TranscriptPhase.ENDED:
            end = (state.end_at, self.follows[role].state_at(state.end_at).head)
            self.models[role].may_open_seed |= all(end in found for found in self.acked.values())
        with self._may_halt(role):
            made = program.due_messages()
        for signed in made:
            self._record(role, signed)
        return made

    @override
    def request(self, role: Role, command: Command) -> SignedMessage:
        if role in self.attackers:
            return super().request(role, command)
        with self._folded():
            return self.decide_all(role, self.programs[role].sign_command(command))[0]

    @override
    def consent(self, role: Role, *, agrees: bool) -> SignedMessage | None:
        if self.programs[role].state.phase is not TranscriptPhase.CONSENT:
            return None
        try:
            with self._folded():
                made = self.programs[role].sign_consent(agrees=agrees)
        except FlagplotError:
            return None  # the seat has answered, has not resumed, or has halted
        return self.decide(role, made)

    @override
    def options(self, role: Role) -> tuple[object, ...]:
        if role in self.attackers:
            return super().options(role)
        state = self.programs[role].state
        is_asked = role not in self.halted and role in self.game.active_roles(state.state)
        if not is_asked or state.phase not in {TranscriptPhase.IDLE, TranscriptPhase.CONSENT}:
            return ()
        return tuple(
            self.game.decision_with_free_actions(self.programs[role].cards.state, role).options
        )

    def ack(self, role: Role) -> Ack | None:
        """Return a seat's acknowledgement, whether or not the seat is honest."""
        if role in self.halted:
            return None
        with self._folded():
            ack = self.programs[role].sign_ack()
        if ack is not None:
            self.acked[role].add((ack.index, ack.head))
        return ack

    # -- messages that an honest seat receives

    @override
    def index(self, signed: SignedMessage) -> MessageRefusal | None:
        with shared_fold():
            refusal = self.host.submit(signed)
        if refusal is None:
            self.history.add(signed, self.host.state)
            for role in self.attackers:
                World.give(self, role, signed)
            for role in self.here:
                if role not in self.held:
                    self.deliver(role)
        return refusal

    def deliver(self, role: Role, last: int | None = None) -> None:
        """Send a seat the messages that it lacks from the history that it follows."""
        program, history = self.programs[role], self.follows[role]
        batch = history.batch(program.state.index, history.last if last is None else last)
        if not batch.messages:
            return
        refusal = None
        with self._may_halt(role):
            refusal = program.deliver(batch)
        assert refusal is None, refusal
        if role in self.halted:
            return
        for signed in batch.messages:
            self.models[role].accept(signed.data)
        self._store(role)
        self.made(role)

    def _store(self, role: Role) -> None:
        """Store the complete records, as a seat's copy does."""
        program, history = self.programs[role], self.follows[role]
        index = program.state.index
        while index > len(self.copies[role].stored) - 1:
            if completes_record(history.state_at(index)):
                stored = history.messages[: index + 1]
                self.copies[role].keep(stored, history.order(index))
                program.record_stored(index)
                return
            index -= 1

    def show(self, role: Role, batch: OrderedBatch) -> MessageRefusal | None:
        """Send a seat a batch that no honest host would send."""
        with self._may_halt(role):
            return self.programs[role].deliver(batch)

    # -- histories

    def switch(self, history: History) -> None:
        """Let the host and the programs of the attacker's seats continue another history."""
        self.history = history
        if history not in self.histories:
            self.histories.append(history)
        self.host = Sequencer(log_at(history.state_at(history.last)), self.match.host_key)
        self.host.messages.extend(history.messages)
        for role in self.attackers:
            self.seats[role] = copy_seat(self._opened_seats[role])
            self._made.pop(role, None)
            for signed in history.messages[self.opened_at + 1 :]:
                World.give(self, role, signed)

    # -- answers after a start

    def answer(self, role: Role, nonce: bytes, history: History, index: int) -> Resumed:
        """Return an answer from an attacker's seat that claims a place in a history."""
        head, order = history.state_at(index).head, history.order(index)
        bare = Resumed(
            role=role, index=index, head=head, signature=bytes(64), nonce=nonce, order=order
        )
        return self.signed_answer(bare)

    def signed_answer(self, bare: Resumed) -> Resumed:
        """Return a signed answer from an attacker's seat."""
        sign = self.match.secrets[Role(bare.role)].sign
        return Resumed(
            role=bare.role,
            index=bare.index,
            head=bare.head,
            signature=sign(signed_text(self.setup.match_id, bare)),
            nonce=bare.nonce,
            order=bare.order,
        )

    def help(self, role: Role) -> None:
        """Support a seat after its start as an honest host and honest seats would."""
        program, history = self.programs[role], self.follows[role]
        others = [one for one in self.seats if one != role and one not in self.halted]
        question = program.resume_request()
        with self._may_halt(role):
            program.update_presence(history.last, others)
        for other in others:
            if role in self.halted:
                return
            if other in self.attackers:
                answer: Resumed | None = self.answer(other, question.nonce, history, history.last)
            else:
                answer = None
                at = self.programs[other].state.index
                self.show(
                    other, self.follows[other].batch(at - 1, at)
                )  # the seat may lack the order
                with self._may_halt(other):
                    answer = self.programs[other].answer_resume(question)
            if answer is not None:
                with self._may_halt(role):
                    problem = program.receive_answer(answer)
                    assert not problem, problem
        if role not in self.halted:
            self.deliver(role)
            self.made(role)

    def is_blocked(self, role: Role) -> bool:
        """Return whether a seat waits for answers or messages after a start."""
        return self.programs[role].missing_seats() != ()

    def undecided(self, role: Role) -> tuple[Message, ...]:
        """Return a player's decisions for the current record that the host has not indexed."""
        state, history = self.programs[role].state, self.follows[role]
        indexed = {signed.data for signed in history.messages}
        kinds = (Kind.REQUEST, Kind.OFFER, Kind.CONSENT, Kind.END)
        return tuple(
            self.message(signed)
            for signed in self.releases[role].by_slot.values()
            if signed.data not in indexed
            and (one := self.message(signed)).kind in kinds
            and one.anchor >= state.first_hash
        )
