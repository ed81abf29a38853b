"""Combined knowledge of all programs of a match: cards, secrets, and the cards shown to each role.

All programs of the match are stopped while its files are copied. A seat's hidden information is derived from its own
private file and the host's transcript, or from a dealing host's full record.
"""

import base64
import contextlib
import json
import os
import shutil
import signal
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec
from typing_extensions import override

from engine.kernel.cards import OPEN_PILE, strings_in
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.journal.frame_file import FrameFile
from netplay.journal.private_file import SUFFIX as PRIVATE
from saves.codec import codec
from saves.fair.derivation import keyed_hash, pack
from saves.fair.group import ZERO
from saves.fair.messages import HOST as HOST_AUTHOR
from saves.fair.messages import Message, Open, Proposal, PublicEntry, Request, SignedMessage
from saves.fair.opening import setup_event
from saves.fair.private_cards import PrivateCards
from saves.fair.sealing import DealerSecrets
from saves.fair.secrets import REVEALS, SeatSecrets
from saves.fair.setup import match_setup
from saves.fair.state import FairState
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog
from saves.framing import scan
from saves.headers import Header
from saves.records import Entry, Record
from saves.redaction import redact_record
from saves.timeline import Timeline
from tests.netplay.fair_processes import HOST, ProcessMatch
from tests.netplay.test_random_kills import children
from tests.patience import PATIENCE

_NEXT_REVEALS: Final = 32
_LOOK_SECONDS: Final = 0.001
_AT_REST: Final = "TtZX"
"""State letters of threads that have stopped or ended (``man 5 proc``)."""


class Secret(NamedTuple):
    """Bytes that may be only in the files of one role."""

    role: Role
    """The role; empty for a secret of the host."""
    name: str
    value: bytes
    is_for_host: bool = False
    """True if the host's files may also contain it."""


class Snapshot(NamedTuple):
    """Copies of all files of a match at one moment."""

    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    """Files by place."""


def snapshot(match: ProcessMatch, folder: Path) -> Snapshot:
    """Copy all files of a match while all its programs are stopped."""
    running = [process.pid for process in match.running.values()]
    stopped: list[int] = []
    try:
        for process in (*running, *(each for one in running for each in _workers(one))):
            _signal(process, signal.SIGSTOP)
            stopped.append(process)
        for process in stopped:
            _wait_for_stop(process)
        files = {place: tuple(_copied(match, place, folder)) for place in match.places}
    finally:
        for process in stopped:
            _signal(process, signal.SIGCONT)
    return Snapshot(folder, files)


def _workers(process: int) -> Sequence[int]:
    try:
        return tuple(children(process))
    except FileNotFoundError:
        return ()


def _signal(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def _wait_for_stop(process: int) -> None:
    """Wait until every thread of a process has stopped. A thread that renames a file finishes that first."""
    deadline = time.monotonic() + PATIENCE
    while not all(state in _AT_REST for state in _states(process)):
        assert time.monotonic() < deadline, f"process {process} does not stop"
        time.sleep(_LOOK_SECONDS)


def _states(process: int) -> list[str]:
    """Return the state letter of each thread; empty if the process has ended."""
    found = []
    for stat in Path(f"/proc/{process}/task").glob("*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append(stat.read_text().rpartition(")")[2].split()[0])
    return found


def _copied(match: ProcessMatch, place: str, folder: Path) -> Iterator[Path]:
    for number, path in enumerate(match.files(place)):
        target = folder / place / f"{number}.{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        yield target


# -- information hidden by each seat


class Truth:
    """Combined knowledge of all seats, updated along the host's transcript."""

    def __init__(self) -> None:
        """Initialise without a header."""
        self.secrets: dict[Role, SeatSecrets] = {}
        self.log: TranscriptLog | None = None
        self.header: Header | None = None
        self.cards: dict[Role, PrivateCards] = {}
        self.records: list[Record] = []
        """All records, with every entry complete."""
        self.shown: dict[Role | None, set[str]] = defaultdict(set)
        """Cards that the rules have shown to each role; None means everyone."""
        self.shown_now: set[str] = set()
        """Words of the messages that are not in any record yet."""
        self._salts: dict[Role, set[bytes]] = defaultdict(set)
        self._opened: set[bytes] = {bytes(ZERO)}
        """Blinding factors that their owners have opened."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return all roles, once their keys have been read."""
        return (*self.secrets,)

    def follow(self, found: Snapshot, match: ProcessMatch) -> None:
        """Add the record and the host's pending messages in a snapshot."""
        path = named(found.files[HOST], match.record.name)
        if path is not None:
            for record in scan(path.name, path.read_bytes()).records[len(self.records) :]:
                self._add(record)
        path = named(found.files[HOST], f"{match.match}{PENDING}")
        if path is not None:
            self._add_pending(path)

    def read_keys(self, found: Snapshot, match: ProcessMatch) -> None:
        """Read the private files of the seats."""
        for role, place in match.roles.items():
            path = named(found.files[place], f"{match.match}.{role}{PRIVATE}")
            assert path is not None, f"{role} has enrolled"
            master = base64.b64decode(json.loads(path.read_bytes())["master"])
            self.secrets[Role(role)] = SeatSecrets(match.match, Role(role), master)

    def begin(self, header: Header) -> None:
        """Begin with the header of the match."""
        game = ruleset(header.game)
        self.header = header
        self.log = log = TranscriptLog(match_setup(game, header))
        self._begin(log)
        log.listeners.append(self._note)

    def _begin(self, log: TranscriptLog) -> None:
        """Add the cards of every seat along the transcript."""
        for role, secrets in self.secrets.items():
            self.cards[role] = PrivateCards(log.state, secrets.cards)
            log.listeners.append(self.cards[role].follow)

    def _note(self, before: FairState, message: Message, after: FairState) -> None:
        del before, after
        match message.body:
            case Open() as body:
                self._opened.add(body.blinding)
                self.shown_now.add(body.card)
            case Request() as body:
                self.shown_now.update(_words(body.command))
            case Proposal() as body:
                for event in body.events:
                    self.shown_now.update(_words(event.entry))
            case _:
                pass

    @property
    def running(self) -> TranscriptLog:
        """Return the transcript; the match must have a header."""
        assert self.log is not None, "the match has begun"
        return self.log

    def _add(self, record: Record) -> None:
        log, game = self.running, self.running.setup.game
        log.receive(record)
        whole = self._whole(record)
        self.records.append(whole)
        self.shown_now.clear()
        for role in (*self.roles, None):
            self.shown[role].update(_words_of(redact_record(game, whole, role)))

    def _whole(self, record: Record) -> Record:
        log = self.running
        pending = log.state.completed
        if record.transcript is msgspec.UNSET or pending is None or pending.offer:
            return record
        command, events = record.command, list(record.events)
        for role, cards in self.cards.items():
            for place, entry in cards.hidden_entries(log.state, pending).items():
                assert entry.salt is not None, "the entry is complete"
                self._salts[role].add(entry.salt)
                if place:
                    events[place - 1] = entry
                else:
                    command = entry
        if not pending.number:
            tag, v, body = codec(log.setup.game).pack(setup_event(log.setup))
            change = msgspec.structs.replace
            events[0] = change(events[0], tag=tag, v=v, body=body, salt=PUBLIC_SALT)
        return msgspec.structs.replace(record, command=command, events=tuple(events))

    def _add_pending(self, path: Path) -> None:
        log = self.running
        for frame in frames_of(path):
            after, messages, *_ = msgspec.msgpack.decode(frame)
            for data, signature in messages[max(0, log.state.index - after) :]:
                assert log.add(SignedMessage(data, signature)) is None

    # -- currently hidden information

    def state_of(self, role: Role) -> Any:  # noqa: ANN401  # of any game
        """Return a state that shows all cards of a role."""
        return self.cards[role].state

    def hand(self, role: Role) -> tuple[str, ...]:
        """Return a role's hand; empty before the first record."""
        if not self.records:
            return ()
        return self.running.setup.game.hidden_pile(self.state_of(role), role, "hand")

    def hidden_cards(self, role: Role) -> set[str]:
        """Return a role's cards outside piles with public faces; before the first record its deck."""
        if not self.records:
            return {*self.running.setup.game.decks()[role]}
        piles = self.running.setup.game.card_piles(self.state_of(role), role)
        return {
            card for name, pile in piles.items() if name != OPEN_PILE for card in pile.cards
        } - {HIDDEN}

    def all_secrets(self) -> Iterator[Secret]:
        """Yield the secrets of all roles."""
        for role in self.roles:
            yield from self.secrets_of(role)

    def secrets_of(self, role: Role) -> Iterator[Secret]:
        """Yield the secrets that no file of the host or of another player may contain now."""
        seat = self.secrets[role]
        name = pack((seat.match_id, role))
        for purpose in (b"fp7-sign", b"fp7-chain"):
            key = keyed_hash(purpose, seat._master, 32, name)
            yield Secret(role, purpose.decode(), key)
        yield Secret(role, "master key", seat._master)
        yield Secret(role, "signing key", seat._signing_key[:32])
        throws = self.running.state.throws
        for number in (*range(throws, throws + _NEXT_REVEALS), REVEALS - 1):
            yield Secret(role, f"reveal {number}", seat.reveal(number))
        if role not in self.running.state.seeds:
            yield from self._card_secrets(role)

    def _card_secrets(self, role: Role) -> Iterator[Secret]:
        """Yield the secrets that are derived from the card seed and have not been opened."""
        seat = self.secrets[role]
        yield Secret(role, "card seed", seat.card_seed)
        yield Secret(role, "box key", seat.cards.box_key)
        cards = self.cards[role]
        for number, label in cards._labels.items():
            if bytes(label.blinding) not in self._opened:
                yield Secret(role, f"blinding of label {number}", bytes(label.blinding))
        for first, plan in cards.mixes.items():
            yield Secret(role, f"key of mix {first}", plan.key)
            for increment in plan.increments:
                if bytes(increment) not in self._opened:
                    yield Secret(role, f"increment of mix {first}", bytes(increment))
        for salt in self._salts[role] - {PUBLIC_SALT}:
            yield Secret(role, "salt", salt)


class DealtTruth(Truth):
    """Combined knowledge in a match whose host deals: the host's knowledge and the seats' secrets."""

    def __init__(self) -> None:
        """Initialise without a header."""
        super().__init__()
        self._timeline: Timeline[Any] | None = None
        self._own_salts: dict[bytes, Role] = {}
        """Salts that only one role and the host have; for the empty role, only the host."""

    @override
    def _begin(self, log: TranscriptLog) -> None:
        self._timeline = Timeline(log.setup.game)

    @property
    def timeline(self) -> Timeline[Any]:
        """Return the full record; the match must have a header."""
        assert self._timeline is not None, "the match has begun"
        return self._timeline

    @override
    def _whole(self, record: Record) -> Record:
        self.timeline.add(record, self.timeline.state_after(record))
        if record.transcript is not msgspec.UNSET and record.kind in {"opening", "command"}:
            self._note_salts(record)
        return record

    def _note_salts(self, record: Record) -> None:
        game = self.running.setup.game
        readers = {role: [*_entries(redact_record(game, record, role))] for role in self.roles}
        public = [*_entries(redact_record(game, record, None))]
        for place, entry in enumerate(_entries(record)):
            having = [role for role in self.roles if readers[role][place].salt is not None]
            if entry.salt in {None, PUBLIC_SALT} or public[place].salt is not None:
                continue
            if len(having) < 2:
                assert entry.salt is not None, "as above"
                self._own_salts[entry.salt] = having[0] if having else Role("")

    @override
    def state_of(self, role: Role) -> Any:  # of any game
        del role
        return self.timeline.state

    @override
    def all_secrets(self) -> Iterator[Secret]:
        """Yield the secrets of all roles, and the host's secrets until the host opens them."""
        yield from super().all_secrets()
        if self._is_opened or self.header is None or self.header.secret is None:
            return
        dealer = DealerSecrets(self.header.secret)
        yield Secret(Role(""), "secret of the host", dealer.secret, is_for_host=True)
        yield Secret(Role(""), "box key of the host", dealer._box_key, is_for_host=True)
        for salt, role in self._own_salts.items():
            if not role:
                yield Secret(role, "salt", salt, is_for_host=True)

    @property
    def _is_opened(self) -> bool:
        return HOST_AUTHOR in self.running.state.seeds

    @override
    def _card_secrets(self, role: Role) -> Iterator[Secret]:
        """Yield the secrets derived from the card seed, which such a seat never opens, and the seat's own salts."""
        seat = self.secrets[role]
        yield Secret(role, "card seed", seat.card_seed)
        yield Secret(role, "box key", seat.cards.box_key)
        if self._is_opened:
            return
        for salt, owner in self._own_salts.items():
            if owner == role:
                yield Secret(role, "salt", salt, is_for_host=True)


def _entries(record: Record) -> Iterator[Entry]:
    """Yield the command of a record, if it has one, and its events."""
    yield from (entry for entry in (record.command, *record.events) if entry is not None)


def _words_of(record: Record) -> Iterator[str]:
    """Yield every text in the entries of a record."""
    for entry in (record.command, *record.events):
        if entry is not None:
            yield from _words(entry)


def _words(entry: Entry | PublicEntry) -> Iterator[str]:
    if entry.body:
        yield from strings_in(msgspec.msgpack.decode(entry.body))


def frames_of(path: Path) -> list[bytes]:
    """Return the frames of a file, read from a copy because opening a file truncates an unfinished frame."""
    with TemporaryDirectory() as folder:
        file = FrameFile(Path(shutil.copyfile(path, Path(folder) / path.name)))
        file.close()
        return file.frames


def named(files: Iterable[Path], name: str) -> Path | None:
    return next((path for path in files if path.name.partition(".")[2] == name), None)
