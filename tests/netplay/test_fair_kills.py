"""Real processes of fair and joint matches, killed at random moments and started again with the same command.

The match continues to its end, nothing that a copy held is lost, no command counts twice, and all copies verify.
"""

import contextlib
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from engine.registry import ruleset
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.journal.private_file import JOURNAL_SUFFIX
from saves.fair.fold import next_hash
from saves.fair.messages import decode_message, slot_of
from saves.fair.setup import match_setup
from saves.fair.transcript_log import restore_messages
from saves.framing import scan
from saves.logfile import SUFFIX, read_log
from saves.records import Record
from saves.verify import verify_file
from tests.netplay.fair_processes import EOTS, HOST, QMG_SIX, ProcessMatch, Setting, check_copies
from tests.netplay.fair_search import Search, forms
from tests.netplay.fair_truth import Snapshot, frames_of, snapshot
from tests.netplay.tables import copies_in
from tests.sizes import sized

SEED = 7
TWO_KILLS = sized(
    1, 20, 600, of="kills of a seat or the host in fair matches of two seats that are processes"
)
SIX_KILLS = sized(
    1, 20, 400, of="kills of a seat or the host in fair matches of six seats that are processes"
)
JOINT_KILLS = sized(
    1, 10, 100, of="kills of a seat or the host in matches of two processes whose host deals"
)
JOINT_SIX_KILLS = sized(
    1, 10, 100, of="kills of a seat or the host in matches of six processes whose host deals"
)
_RECORDS_OF_A_SAMPLE = 3
_KILLS_OF_A_MATCH = 20
_MOST_GROWTH = {
    ("eots", "fair"): 40_000,
    ("qmg", "fair"): 200_000,
    ("eots", "joint"): 15_000,
    ("qmg", "joint"): 50_000,
}
"""Most bytes that the host writes and removes before the next kill, a third of which stay in its record."""
_HOST_SHARE = 0.3
_MOST_SECONDS = 0.1
"""A kill comes at most so long after the host has stored something: also between two messages."""


def records_of(path: Path) -> Sequence[Record]:
    """Return the records of a file that may be written now."""
    with contextlib.suppress(FileNotFoundError):
        return scan(path.name, path.read_bytes()).records
    return ()


class Kept(NamedTuple):
    """What the files of a process held when it was killed."""

    records: tuple[tuple[int, bytes], ...]
    """Number and chain value of the last record of each copy."""
    pending: tuple[tuple[int, tuple[bytes, ...]], ...]
    """Messages that the host could have sent: index of the message before them, and their bytes."""
    signed: tuple[bytes, ...]
    """Messages that the seats had signed."""


def kept(match: ProcessMatch, place: str) -> Kept:
    records, pending, signed = [], [], []
    for path in match.files(place):
        if path.name.endswith(SUFFIX) and path.stat().st_size:
            last = scan(path.name, path.read_bytes()).records[-1:]
            records += [(record.seq, record.chain) for record in last]
        elif path.suffix == PENDING:
            for frame in frames_of(path):
                after, messages, *_ = msgspec.msgpack.decode(frame)
                pending.append((after, tuple(data for data, _ in messages)))
        elif path.suffix == JOURNAL_SUFFIX:
            for frame in frames_of(path):
                signed += msgspec.msgpack.decode(frame)[-1]
    return Kept(tuple(records), tuple(pending), tuple(signed))


def transcript(path: Path) -> list[bytes]:
    """Return the messages of a record file in order."""
    log = read_log(path)
    setup = match_setup(ruleset(log.header.game), log.header)
    head, found = setup.header_hash, list[bytes]()
    for record in log.records:
        if record.transcript is msgspec.UNSET:
            continue
        for signed in restore_messages(setup, len(found) - 1, {len(found) - 1: head}, record):
            found.append(signed.data)
            head = next_hash(head, len(found) - 1, signed.data)
    return found


def check_kept(match: ProcessMatch, known: Sequence[Kept]) -> None:
    """Check that a match that is over holds everything that killed processes had stored, and each of it once."""
    records = read_log(match.record).records
    messages = transcript(match.record)
    assert len({*messages}) == len(messages), "a message is there twice"
    slots = {
        (message.author, slot_of(message)): data
        for data in messages
        for message in (decode_message(match.match, data),)
        if message.author
    }
    for one in known:
        for seq, chain in one.records:
            assert records[seq].chain == chain, "a record is lost"
        for after, stored in one.pending:
            assert tuple(messages[after + 1 : after + 1 + len(stored)]) == stored
        for data in one.signed:
            message = decode_message(match.match, data)
            used = slots.get((message.author, slot_of(message)), data)
            assert used == data, "a seat has signed another message in a slot"


class Killer:
    """Kills processes of a match at random moments, and starts them again."""

    def __init__(self, match: ProcessMatch, source: random.Random) -> None:
        self.match = match
        self.source = source
        self.known: list[Kept] = []
        self.victims: Counter[str] = Counter()

    def strike(self) -> bool:
        """Kill one process and start it again; returns False if the game was over before."""
        match, source = self.match, self.source
        most = _MOST_GROWTH[match.setting.game, match.chance]
        if not match.wait_for_growth(source.randrange(most)):
            return False
        time.sleep(source.uniform(0, _MOST_SECONDS))
        place = HOST if source.random() < _HOST_SHARE else source.choice(match.players)
        if match.kill(place):
            self.victims["host" if place == HOST else "seat"] += 1
            self.known.append(kept(match, place))
            match.start(place)
        return True


@pytest.fixture
def matches() -> Iterator[list[ProcessMatch]]:
    opened: list[ProcessMatch] = []
    yield opened
    for match in opened:
        match.end()


@pytest.mark.full
@pytest.mark.series("F8", "F11")
@pytest.mark.parametrize("chance", ["fair", "joint"])
def test_f8_f11_a_killed_host_and_seat_resume_and_leak_no_cards(
    tmp_path: Path, matches: list[ProcessMatch], chance: str
) -> None:
    match = ProcessMatch(tmp_path / "match", EOTS, chance, "--workers", "1", once=False)
    matches.append(match)
    match.open()
    match.start_players()
    assert match.wait_for_growth(1)
    victims = (match.players[0], HOST)
    for place in victims:
        assert match.kill(place)
    known = [kept(match, place) for place in victims]
    for place in victims:
        match.start(place)
    copies = [match.copy(role) for role in match.roles]
    assert match.wait(lambda: all(len(records_of(path)) > _RECORDS_OF_A_SAMPLE for path in copies))
    search = Search(match)
    found = snapshot(match, tmp_path / "moment")
    for place in match.players:
        match.kill(place)
    match.stop(HOST)
    check_kept(match, known)
    search.follow(found)
    report = search.report(found)
    assert not report.findings
    assert report.secrets > (100 if chance == "fair" else 30) * len(match.roles)
    assert report.records > 2 * _RECORDS_OF_A_SAMPLE
    check_planted(search, found)
    assert {verify_file(path).status for path in copies_in(match.folder)} == {"ok"}


def check_planted(search: Search, found: Snapshot) -> None:
    """Check that the search finds cards and secrets of each seat in files of others, in every form.

    A host that deals may have all cards and some secrets.
    """
    truth = search.truth
    expected = {"master", "signing", "card", "box", "salt"}
    if search.match.chance == "fair":
        expected |= {"blinding", "key"}
    for role in truth.roles:
        other = next(each for each in found.files if each not in {HOST, search.match.roles[role]})
        secrets = {secret.name.split()[0]: secret for secret in truth.secrets_of(role)}
        assert expected <= set(secrets)
        written = [form for secret in secrets.values() for form in forms(secret.value)]
        for_host = sum(1 for one in secrets.values() if one.is_for_host for _ in forms(one.value))
        cards = search.hidden_from(other)
        card = max((card for card in cards if cards[card] == role), key=len).encode()
        written += [b'{"card": "%s"}' % card, bytes([0xA0 | len(card)]) + card + b"more"]
        planted = found.folder / "planted"
        planted.mkdir(exist_ok=True)
        for number, data in enumerate(written):
            (planted / f"{number}").write_bytes(b"\x00before " + data + b" after\xff")
        paths = tuple(planted.iterdir())
        for holder in (HOST, other):
            findings = search.report(Snapshot(found.folder, {holder: paths})).findings
            files = {finding.file for finding in findings}
            if holder == HOST and search.match.chance == "joint":
                assert len(files) == len(paths) - for_host - 2, "it may have salts and cards"
            else:
                assert files == {path.name for path in paths}
            assert {finding.role for finding in findings} == {role}


@pytest.mark.full
@pytest.mark.series("F8")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("setting", "chance", "kills"),
    [
        pytest.param(EOTS, "fair", TWO_KILLS, id="two-seats"),
        pytest.param(QMG_SIX, "fair", SIX_KILLS, id="six"),
        pytest.param(EOTS, "joint", JOINT_KILLS, id="joint-two-seats"),
        pytest.param(QMG_SIX, "joint", JOINT_SIX_KILLS, id="joint-six"),
    ],
)
def test_f8_a_match_of_processes_survives_random_kills(
    tmp_path: Path,
    matches: list[ProcessMatch],
    setting: Setting,
    chance: str,
    kills: int,
    request: pytest.FixtureRequest,
) -> None:
    source, victims, verified = random.Random(SEED), Counter[str](), 0
    while victims.total() < kills:
        match = ProcessMatch(tmp_path / f"match-{len(matches)}", setting, chance, once=False)
        matches.append(match)
        match.open()
        match.start_players()
        killer = Killer(match, source)
        most = min(_KILLS_OF_A_MATCH, kills - victims.total())
        while killer.victims.total() < most and killer.strike():
            pass
        match.wait_for_end()
        check_kept(match, killer.known)
        verified += check_copies(match)
        victims += killer.victims
    request.node.user_properties += [
        *((f"kills of {place}", count) for place, count in victims.items()),
        ("matches", len(matches)),
        ("copies verified", verified),
    ]
