"""Searches the files of a fair match for cards and secrets that the files' readers must not have.

The search reads the files of everyone else, as bytes and decoded. A host that deals may have all cards.
"""

import base64
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.ids import Role
from netplay.journal.private_file import SUFFIX as PRIVATE
from saves.copy_verifier import CopyComparison
from saves.framing import scan
from saves.headers import FULL, audience_role
from saves.logfile import SUFFIX
from saves.timeline import Timeline
from tests.netplay.fair_processes import HOST, ProcessMatch
from tests.netplay.fair_truth import DealtTruth, Secret, Snapshot, Truth, named

_WINDOW: Final = 8
"""Number of bytes at the beginning of an encoded secret by which it is found."""
_WORDS: Final = re.compile(rb"(?=([\xa1-\xbf][A-Za-z][A-Za-z0-9_#.-]{0,30}))")
"""Matches a possible short text in MessagePack: its length, and letters."""
_TOKENS: Final = re.compile(rb"[A-Za-z][A-Za-z0-9_#.-]*")
_TEXT: Final = re.compile(rb"[ -~]{12,}")
"""Bytes that are text rather than part of a key or a proof."""
_LEAST: Final = 4
"""Minimum length of a card in MessagePack. Shorter ones occur by chance in megabytes of keys and proofs."""
_LENGTH: Final = 0x1F


class Finding(NamedTuple):
    """A secret or card in another place's file."""

    place: str
    file: str
    role: Role
    name: str


class Report(NamedTuple):
    """Statistics of one search."""

    findings: tuple[Finding, ...]
    files: int
    size: int
    secrets: int
    cards: int
    """Number of hidden cards that were searched for, summed over the places."""
    records: int
    """Number of records that were compared with what the rules show their reader."""
    in_hand: int
    """Number of cards in hands, summed over the roles."""


# -- the search


class Search:
    """Searches successive snapshots of one match."""

    def __init__(self, match: ProcessMatch) -> None:
        """Initialise; no snapshot has been searched yet."""
        self.match = match
        self.truth = DealtTruth() if match.chance == "joint" else Truth()
        self.reports: list[Report] = []
        """One report for each snapshot that was searched."""
        self._early: list[Snapshot] = []
        """Snapshots of the opening, whose hidden information depends on the header that follows."""
        self._timelines: dict[str, Timeline[Any]] = {}

    def take(self, found: Snapshot) -> None:
        """Search a snapshot, or store it until the header of the match is known."""
        if self.truth.log is None and named(found.files[HOST], self.match.record.name) is None:
            self._early.append(found)
            return
        self._begin(found)
        for one in (*self._early, found):
            self.truth.follow(one, self.match)
            self.reports.append(self.report(one))
            shutil.rmtree(one.folder)
        self._early.clear()

    def follow(self, found: Snapshot) -> None:
        """Update the seats' knowledge from a snapshot taken after the first record."""
        self._begin(found)
        self.truth.follow(found, self.match)

    def _begin(self, found: Snapshot) -> None:
        if self.truth.log is None:
            path = named(found.files[HOST], self.match.record.name)
            assert path is not None, "the host has a record"
            self.truth.read_keys(found, self.match)
            self.truth.begin(scan(path.name, path.read_bytes()).header)

    def report(self, found: Snapshot) -> Report:
        """Return the findings in the current snapshot, and the statistics of the search."""
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
        hands = sum(len(self.truth.hand(role)) for role in self.truth.roles)
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
        """Return others' hidden cards that have not been shown to a place, with their owners.

        A dealing host knows them all.
        """
        if place == HOST and self.match.chance == "joint":
            return {}
        truth, own = self.truth, self._own(place)
        shown = truth.shown_now.union(*(truth.shown[role] for role in (*own, None)))
        return {
            card: role
            for role in truth.roles
            if role not in own
            for card in truth.hidden_cards(role) - shown
        }

    def _forms(self) -> tuple[Mapping[bytes, list[tuple[bytes, Secret]]], int]:
        """Return every encoding of every secret by its first bytes, and the number of secrets."""
        found: dict[bytes, list[tuple[bytes, Secret]]] = defaultdict(list)
        count = 0
        for secret in self.truth.all_secrets():
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
            if secret.role not in own and not (secret.is_for_host and place == HOST):
                yield Finding(place, path.name, secret.role, secret.name)

    @staticmethod
    def _check_control(data: bytes, known: Mapping[bytes, list[tuple[bytes, Secret]]]) -> None:
        """Check that the search finds the master key in its owner's private file."""
        assert "master key" in {secret.name for _, secret in secrets_in(data, known)}

    def _compare(self, place: str, path: Path, data: bytes) -> int:
        """Compare each record of a copy with what the rules show its reader. Return the number of records."""
        truth, read = self.truth, scan(path.name, data)
        assert truth.header is not None, "there is a record"
        if read.header.audience == FULL:
            return 0
        assert place == HOST or audience_role(read.header) in self._own(place)
        game = truth.running.setup.game
        audit = CopyComparison[Any](
            game, msgspec.structs.replace(truth.header, audience=FULL), read.header
        )
        timeline = self._timelines.setdefault(path.name.partition(".")[2], Timeline(game))
        for whole, record in zip(truth.records, read.records, strict=False):
            audit.compare(whole, record)
            if record.seq > timeline.seq:
                timeline.add(record, timeline.state_after(record))
        if len(read.records) == len(truth.records):
            self._check_hands(audience_role(read.header), timeline.state)
        return len(read.records)

    def _check_hands(self, reader: Role | None, state: Any) -> None:  # noqa: ANN401  # of any game
        """Check that a reader whose copy has every record knows its own hand and no other role's card."""
        truth = self.truth
        game = truth.running.setup.game
        shown = truth.shown[reader] | truth.shown[None]
        for role in truth.roles:
            known = game.hidden_pile(state, role, "hand")
            true = truth.hand(role)
            assert len(known) == len(true), role
            if role == reader:
                assert sorted(known) == sorted(true), role
            else:
                assert not {*known} & {*true} - shown, role


def forms(secret: bytes) -> Iterator[bytes]:
    """Yield the possible encodings of a secret: raw, hex, base 64 at any place of a longer text, and Python."""
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
    """Yield every secret in some bytes, with the encoding in which it was found."""
    for at in range(len(data) - _WINDOW + 1):
        if (start := data[at : at + _WINDOW]) in known:
            for form, secret in known[start]:
                if data.startswith(form, at):
                    yield form, secret


def words_in(data: bytes) -> set[str]:
    """Return possible short texts in some bytes, in MessagePack at any depth or as letters.

    The files of a long match contain megabytes of random bytes, in which any three or four bytes may occur. Letters
    therefore count only within a text, and MessagePack only from a length of four; records are also compared as a
    whole.
    """
    packed = (found for found in _WORDS.findall(data) if len(found) > found[0] & _LENGTH >= _LEAST)
    words = {found[1 : 1 + (found[0] & _LENGTH)] for found in packed}
    letters = (token for text in _TEXT.findall(data) for token in _TOKENS.findall(text))
    return {word.decode() for word in words.union(letters)}
