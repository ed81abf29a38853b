"""A search through the files of a fair match for cards and secrets that their readers must not have.

All programs of the match are stopped while its files are copied. What a seat hides follows from its own private file
and the transcript of the host; the search then reads the files of everyone else, as bytes and decoded.
"""

import base64
import json
import os
import re
import shutil
import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.cards import OPEN_PILE, texts
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.fair.frame_file import FrameFile
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.fair.private_file import SUFFIX as PRIVATE
from saves.codec import codec
from saves.comparing import Audit
from saves.fair.derivation import keyed_hash, pack
from saves.fair.group import ZERO
from saves.fair.log import PUBLIC_SALT, TranscriptLog
from saves.fair.messages import Message, Open, Proposal, PublicEntry, Request, SignedMessage
from saves.fair.opening import setup_event
from saves.fair.private import PrivateCards
from saves.fair.secrets import REVEALS, SeatSecrets
from saves.fair.setup import setup_of
from saves.fair.state import FairState
from saves.framing import scan
from saves.headers import FULL, Header, audience_role
from saves.logfile import SUFFIX
from saves.records import Entry, Record
from saves.redaction import redact_record
from saves.timeline import Timeline
from tests.netplay.fair_processes import HOST, ProcessMatch
from tests.netplay.test_random_kills import children

_WINDOW: Final = 8
"""Bytes at the beginning of a form of a secret by which it is looked up."""
_NEXT_REVEALS: Final = 32
_WORDS: Final = re.compile(rb"(?=([\xa1-\xbf][A-Za-z][A-Za-z0-9_#.-]{0,30}))")
"""What may be a short text in MessagePack: its length, and letters."""
_TOKENS: Final = re.compile(rb"[A-Za-z][A-Za-z0-9_#.-]*")
_LENGTH: Final = 0x1F


class Secret(NamedTuple):
    """Bytes that only the files of one role may contain."""

    role: Role
    name: str
    value: bytes


class Finding(NamedTuple):
    """A secret or card in a file of someone else."""

    place: str
    file: str
    role: Role
    name: str


class Report(NamedTuple):
    """What one search has read."""

    findings: tuple[Finding, ...]
    files: int
    size: int
    secrets: int
    cards: int
    """Hidden cards that were searched for, summed over the places."""
    records: int
    """Records that were compared with what the rules show their reader."""
    in_hand: int
    """Cards in hands, summed over the roles."""


class Snapshot(NamedTuple):
    """Copies of all files of a match at one moment."""

    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    """By place."""


def snapshot(match: ProcessMatch, folder: Path) -> Snapshot:
    """Copy all files of a match while all its programs are stopped."""
    running = [process.pid for process in match.running.values()]
    stopped: list[int] = []
    try:
        for process in (*running, *(each for one in running for each in _workers(one))):
            _signal(process, signal.SIGSTOP)
            stopped.append(process)
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


def _copied(match: ProcessMatch, place: str, folder: Path) -> Iterator[Path]:
    for number, path in enumerate(match.files(place)):
        target = folder / place / f"{number}.{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        yield target


# -- what each seat hides


class Truth:
    """Everything that all seats know together, followed along the transcript of the host."""

    def __init__(self) -> None:
        """Begin without a header."""
        self.secrets: dict[Role, SeatSecrets] = {}
        self.log: TranscriptLog | None = None
        self.header: Header | None = None
        self.cards: dict[Role, PrivateCards] = {}
        self.records: list[Record] = []
        """All records with every entry complete."""
        self.shown: dict[Role | None, set[str]] = defaultdict(set)
        """Cards that the rules have shown each role, None for everyone."""
        self.shown_now: set[str] = set()
        """Words of the messages that are in no record yet."""
        self._salts: dict[Role, set[bytes]] = defaultdict(set)
        self._opened: set[bytes] = {bytes(ZERO)}
        """Blindings that their owners have opened."""

    def follow(self, found: Snapshot, match: ProcessMatch) -> None:
        """Follow the record and the pending messages of the host in a snapshot."""
        path = _named(found.files[HOST], match.record.name)
        if path is not None:
            for record in scan(path.name, path.read_bytes()).records[len(self.records) :]:
                self._add(record)
        path = _named(found.files[HOST], f"{match.match}{PENDING}")
        if path is not None:
            self._add_pending(path)

    def read_keys(self, found: Snapshot, match: ProcessMatch) -> None:
        """Read the private files of the seats."""
        for role, place in match.roles.items():
            path = _named(found.files[place], f"{match.match}.{role}{PRIVATE}")
            assert path is not None, f"{role} has enrolled"
            master = base64.b64decode(json.loads(path.read_bytes())["master"])
            self.secrets[Role(role)] = SeatSecrets(match.match, Role(role), master)

    def begin(self, header: Header) -> None:
        """Begin with the header of the match."""
        game = ruleset(header.game)
        self.header = header
        self.log = log = TranscriptLog(setup_of(game, header))
        for role, secrets in self.secrets.items():
            self.cards[role] = PrivateCards(log.state, secrets.cards)
            log.listeners.append(self.cards[role].follow)
        log.listeners.append(self._note)

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

    @property
    def running(self) -> TranscriptLog:
        """The transcript; the match has a header."""
        assert self.log is not None, "the match has begun"
        return self.log

    def _add(self, record: Record) -> None:
        log, game = self.running, self.running.setup.game
        log.receive(record)
        whole = self._whole(record)
        self.records.append(whole)
        self.shown_now.clear()
        for role in (*self.cards, None):
            self.shown[role].update(_words_of(redact_record(game, whole, role)))

    def _whole(self, record: Record) -> Record:
        log = self.running
        pending = log.state.completed
        if record.transcript is msgspec.UNSET or pending is None or pending.offer:
            return record
        command, events = record.command, list(record.events)
        for role, cards in self.cards.items():
            for place, entry in cards.complete_entries(log.state, pending).items():
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

    # -- what is hidden now

    def hand(self, role: Role) -> tuple[str, ...]:
        """Return the hand of a role, empty before the first record."""
        if not self.records:
            return ()
        return self.running.setup.game.pile(self.cards[role].state, role, "hand")

    def hidden_cards(self, role: Role) -> set[str]:
        """Return the cards of a role that are not in a pile with public faces; before the first record its deck."""
        if not self.records:
            return {*self.running.setup.game.decks()[role]}
        piles = self.running.setup.game.card_piles(self.cards[role].state, role)
        return {
            card for name, pile in piles.items() if name != OPEN_PILE for card in pile.cards
        } - {HIDDEN}

    def secrets_of(self, role: Role) -> Iterator[Secret]:
        """Yield what no file of another player and of the host may contain now."""
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
        """Yield what follows from the card seed and has not been opened."""
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


def _words_of(record: Record) -> Iterator[str]:
    """Yield every text in the entries of a record."""
    for entry in (record.command, *record.events):
        if entry is not None:
            yield from _words(entry)


def _words(entry: Entry | PublicEntry) -> Iterator[str]:
    if entry.body:
        yield from texts(msgspec.msgpack.decode(entry.body))


def frames_of(path: Path) -> list[bytes]:
    """Return the frames of a file; it is read through a copy, since opening one cuts off an unfinished frame."""
    with TemporaryDirectory() as folder:
        file = FrameFile(Path(shutil.copyfile(path, Path(folder) / path.name)))
        file.close()
        return file.frames


def _named(files: Iterable[Path], name: str) -> Path | None:
    return next((path for path in files if path.name.partition(".")[2] == name), None)


# -- the search


class Search:
    """Searches snapshots of one match, each after the one before."""

    def __init__(self, match: ProcessMatch) -> None:
        """Begin before the first snapshot."""
        self.match = match
        self.truth = Truth()
        self.reports: list[Report] = []
        """One for each snapshot that was searched."""
        self._early: list[Snapshot] = []
        """Snapshots of the opening: what is hidden in them depends on the header, which follows."""
        self._timelines: dict[str, Timeline[Any]] = {}

    def take(self, found: Snapshot) -> None:
        """Search a snapshot, or keep it until the header of the match is known."""
        if self.truth.log is None and _named(found.files[HOST], self.match.record.name) is None:
            self._early.append(found)
            return
        self._begin(found)
        for one in (*self._early, found):
            self.truth.follow(one, self.match)
            self.reports.append(self.report(one))
            shutil.rmtree(one.folder)
        self._early.clear()

    def follow(self, found: Snapshot) -> None:
        """Follow what the seats know at a moment after the first record."""
        self._begin(found)
        self.truth.follow(found, self.match)

    def _begin(self, found: Snapshot) -> None:
        if self.truth.log is None:
            path = _named(found.files[HOST], self.match.record.name)
            assert path is not None, "the host has a record"
            self.truth.read_keys(found, self.match)
            self.truth.begin(scan(path.name, path.read_bytes()).header)

    def report(self, found: Snapshot) -> Report:
        """Return what is wrong in a snapshot that was followed, and how much was searched."""
        forms, count = self._forms()
        cards = {place: self.hidden_from(place) for place in self.match.places}
        findings: list[Finding] = []
        size = records = 0
        for place, paths in found.files.items():
            own = self._own(place)
            for path in paths:
                data = path.read_bytes()
                size += len(data)
                findings += self._secrets_in(place, path, data, forms)
                for card in words_in(data) & cards[place].keys():
                    findings.append(Finding(place, path.name, cards[place][card], f"card {card}"))
                if path.name.endswith(SUFFIX):
                    records += self._compare(place, path, data)
                if any(path.name.endswith(f".{role}{PRIVATE}") for role in own):
                    self._check_control(data, forms)
        hands = sum(len(self.truth.hand(role)) for role in self.truth.cards)
        return Report(
            findings=tuple(findings),
            files=sum(map(len, found.files.values())),
            size=size,
            secrets=count,
            cards=sum(map(len, cards.values())),
            records=records,
            in_hand=hands,
        )

    def _own(self, place: str) -> list[Role]:
        """Return the roles of a place."""
        return [Role(role) for role, at in self.match.roles.items() if at == place]

    def hidden_from(self, place: str) -> Mapping[str, Role]:
        """Return the hidden cards of others that nothing has shown to a place, with their owners."""
        truth, own = self.truth, self._own(place)
        shown = truth.shown_now.union(*(truth.shown[role] for role in (*own, None)))
        return {
            card: role
            for role in truth.cards
            if role not in own
            for card in truth.hidden_cards(role) - shown
        }

    def _forms(self) -> tuple[Mapping[bytes, list[tuple[bytes, Secret]]], int]:
        """Return every form of every secret by its first bytes, and how many secrets there are."""
        found: dict[bytes, list[tuple[bytes, Secret]]] = defaultdict(list)
        count = 0
        for role in self.truth.secrets:
            for secret in self.truth.secrets_of(role):
                count += 1
                for form in forms(secret.value):
                    found[form[:_WINDOW]].append((form, secret))
        return found, count

    def _secrets_in(
        self,
        place: str,
        path: Path,
        data: bytes,
        known: Mapping[bytes, list[tuple[bytes, Secret]]],
    ) -> Iterator[Finding]:
        own = self._own(place)
        for form, secret in secrets_in(data, known):
            del form
            if secret.role not in own:
                yield Finding(place, path.name, secret.role, secret.name)

    @staticmethod
    def _check_control(data: bytes, known: Mapping[bytes, list[tuple[bytes, Secret]]]) -> None:
        """Check that the search finds the master key in the private file of its owner."""
        assert "master key" in {secret.name for _, secret in secrets_in(data, known)}

    def _compare(self, place: str, path: Path, data: bytes) -> int:
        """Compare each record of a copy with what the rules show its reader; returns how many there are."""
        truth, read = self.truth, scan(path.name, data)
        assert truth.header is not None, "there is a record"
        if read.header.audience == FULL:
            return 0
        assert place == HOST or audience_role(read.header) in self._own(place)
        game = truth.running.setup.game
        audit = Audit[Any](game, msgspec.structs.replace(truth.header, audience=FULL), read.header)
        timeline = self._timelines.setdefault(path.name.partition(".")[2], Timeline(game))
        for whole, record in zip(truth.records, read.records, strict=False):
            audit.compare(whole, record)
            if record.seq > timeline.seq:
                timeline.add(record, timeline.after(record))
        if len(read.records) == len(truth.records):
            self._check_hands(audience_role(read.header), timeline.state)
        return len(read.records)

    def _check_hands(self, reader: Role | None, state: Any) -> None:  # noqa: ANN401  # of any game
        """Check that a reader whose copy has every record knows its own hand, and no card of another."""
        truth = self.truth
        game = truth.running.setup.game
        shown = truth.shown[reader] | truth.shown[None]
        for role in truth.cards:
            known = game.pile(state, role, "hand")
            true = truth.hand(role)
            assert len(known) == len(true), role
            if role == reader:
                assert sorted(known) == sorted(true), role
            else:
                assert not {*known} & {*true} - shown, role


def forms(secret: bytes) -> Iterator[bytes]:
    """Yield how a secret may be written: as it is, in hex, in base 64 at any place of a longer text, in Python."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    yield repr(secret)[2:-1].encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            text = encode(bytes(before) + secret)
            start, end = -(-before * 8 // 6), (before + len(secret)) * 8 // 6
            yield text[start:end]


def secrets_in(
    data: bytes, known: Mapping[bytes, list[tuple[bytes, Secret]]]
) -> Iterator[tuple[bytes, Secret]]:
    """Yield every secret in some bytes, with the form in which it was found."""
    for at in range(len(data) - _WINDOW + 1):
        if (start := data[at : at + _WINDOW]) in known:
            for form, secret in known[start]:
                if data.startswith(form, at):
                    yield form, secret


def words_in(data: bytes) -> set[str]:
    """Return what may be a short text in some bytes, in MessagePack at any depth or as letters."""
    packed = (found for found in _WORDS.findall(data) if len(found) > found[0] & _LENGTH)
    words = {found[1 : 1 + (found[0] & _LENGTH)] for found in packed}
    return {word.decode() for word in words.union(_TOKENS.findall(data))}
