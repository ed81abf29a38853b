"""The full copy of a match of protocol 7: the same one from every copy, complete, and what each seat was told."""

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from engine.kernel.hidden import HIDDEN
from play.games import SavedGame
from play.replay_session import ReplaySession
from saves.chain import record_chain
from saves.decoding import canonical
from saves.errors import (
    FairPlayError,
    FalseRecordError,
    MatchError,
    RedactedCopyError,
)
from saves.fair.fold import initial_fair_state
from saves.fair.full_copy import full_copy
from saves.fair.messages import Offer
from saves.fair.record_verifier import FairRecordVerifier
from saves.headers import BLIND, FULL, Header
from saves.jsonlines import ImportRefusedError, json_lines, read_json_lines
from saves.logfile import log_bytes
from saves.match import Match
from saves.protocol6.party_commitments import opened_seeds
from saves.records import Entry, Record
from saves.redaction import redact_header, redact_record
from saves.textlog import read_text, text_lines
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.netplay.fair.match import CopyOfMatch, FairMatch
from tests.saves.fair.transcripts import OtherBox, UnreadableBox
from tests.sizes import sampled, sized
from tests.tools.commands import Cli

pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace
SCENARIOS = [
    pytest.param(("eots", "south-pacific"), id="eots-south-pacific"),
    pytest.param(("eots", "1943"), id="eots-1943"),
    pytest.param(("qmg", "base"), id="qmg-six-seats"),
    pytest.param(("qmg", "total-war"), id="qmg-total-war"),
]


class Played(NamedTuple):
    """A closed match with its full copy."""

    match: FairMatch
    header: Header
    records: tuple[Record, ...]

    def write(self, folder: Path) -> Path:
        path = folder / "full.fplog"
        path.write_bytes(log_bytes(self.header, self.records))
        return path


def take_back(match: FairMatch, record: int) -> None:
    asker, *others = match.seats
    match.submit(match.seats[asker].sign_offer(Offer("takeback", record)))
    for role in others:
        match.submit(match.seats[role].sign_consent(agrees=True))
    match.settle()


@pytest.fixture(scope="module", params=sampled(SCENARIOS, 1))
def played(request: pytest.FixtureRequest) -> Played:
    game, scenario = request.param
    match = FairMatch(game, scenario, seed=31)
    match.start()
    for number in range(sized(12, 300, 2_000)):
        if number == 9:
            take_back(match, 5)
        if not match.step():
            break
    match.finish()
    copy = match.record_files[None]
    return Played(match, *full_copy(match.game, copy.header, copy.records))


@pytest.fixture(scope="module")
def duel() -> Played:
    match = FairMatch("eots", "1943", seed=32)
    match.start()
    for _ in range(8):
        match.step()
    match.finish()
    copy = match.record_files[None]
    return Played(match, *full_copy(match.game, copy.header, copy.records))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def entries(record: Record) -> tuple[Entry, ...]:
    return (*(() if record.command is None else (record.command,)), *record.events)


# -- what it is


def test_every_copy_yields_the_same_full_copy(played: Played) -> None:
    for copy in sampled(list(played.match.record_files.values()), 2):
        assert full_copy(played.match.game, copy.header, copy.records) == played[1:]


def test_full_copy_hides_nothing_and_has_the_common_chain(played: Played) -> None:
    header, records = played.header, played.records
    assert (header.audience, header.position, header.secret) == (FULL, None, None)
    public = played.match.record_files[None].records
    assert [record.chain for record in records] == [record.chain for record in public]
    assert [record_chain(record) for record in records] == [record.chain for record in public]
    assert any(entry.salt is None for record in public for entry in entries(record))
    assert all(entry.salt is not None for record in records for entry in entries(record))


def test_each_seat_copy_is_the_redacted_full_copy(played: Played) -> None:
    for role, copy in played.match.record_files.items():
        seen = [redact_record(played.match.game, record, role) for record in played.records]
        assert seen == copy.records
        assert redact_header(played.header, role) == copy.header


def test_verify_accepts_the_full_copy_and_compares_every_copy_with_it(
    played: Played, tmp_path: Path
) -> None:
    full = played.write(tmp_path)
    verdict = verify_file(full)
    assert (verdict.status, verdict.finding, verdict.audience) == ("ok", None, FULL)
    assert any(note.startswith("proved") for note in verdict.notes)
    for number, copy in enumerate(sampled(list(played.match.record_files.values()), 1)):
        path = tmp_path / f"{number}.fplog"
        copy.write(path)
        assert verify_file(path, against=full).status == "ok"
        assert verify_file(full, against=path).status == "ok"


def test_replay_of_a_full_copy_shows_every_card(played: Played, tmp_path: Path) -> None:
    session, match = ReplaySession.open(played.write(tmp_path)), played.match
    assert session.is_full
    assert {*session.seats()} >= {*match.seats}
    for seq in range(session.last_seq + 1):
        session.go_to_record(seq)
        for role in match.seats:
            piles = match.game.card_piles(session._state(), role)
            assert piles
            assert not any(HIDDEN in place.cards for place in piles.values())
    for role, seat in match.seats.items():
        shown = match.game.card_piles(session._state(), role)
        for name, place in match.game.card_piles(seat.cards.state, role).items():
            assert sorted(shown[name].cards) == sorted(place.cards)


# -- when there is none


@pytest.mark.full
def test_full_copy_is_unavailable_before_the_card_seeds_open(duel: Played) -> None:
    copy = duel.match.record_files[None]
    for count in (0, 1, len(copy.records) - 1):
        with pytest.raises(RedactedCopyError):
            full_copy(duel.match.game, copy.header, copy.records[:count])


@pytest.mark.full
def test_missing_card_seed_names_its_seat() -> None:
    match = FairMatch("eots", "1943", seed=33)
    match.start()
    first, second = match.seats
    match.submit(match.seats[first].sign_resignation())
    match.seats[second].may_open_seed = True
    match.settle()
    assert match.host.close() is None
    match.deliver()
    copy = match.record_files[None]
    with pytest.raises(FairPlayError, match="did not reveal the card seed") as caught:
        full_copy(match.game, copy.header, copy.records)
    assert caught.value.role == first


@pytest.mark.full
def test_box_with_a_different_entry_names_its_owner() -> None:
    match = FairMatch("eots", "1943", seed=34)
    role = next(iter(match.seats))
    match.seats[role] = OtherBox(initial_fair_state(match.setup), match.secrets[role])
    match.start()
    match.finish()
    copy = match.record_files[None]
    with pytest.raises(FalseRecordError, match=f"a box of {role} does not match its commitment"):
        full_copy(match.game, copy.header, copy.records)


def test_unreadable_box_makes_the_record_false() -> None:
    match = FairMatch("eots", "1943", seed=34)
    role = next(iter(match.seats))
    entry = ("no-such-event", 1, b"\x80")
    match.seats[role] = UnreadableBox(initial_fair_state(match.setup), match.secrets[role], entry)
    match.start()
    match.finish()
    copy = match.record_files[None]
    with pytest.raises(FalseRecordError):
        full_copy(match.game, copy.header, copy.records)


def test_records_that_do_not_follow_from_their_messages_are_refused(duel: Played) -> None:
    match, copy = duel.match, duel.match.record_files[None]
    with_events = [(at, record) for at, record in enumerate(copy.records) if record.events]
    for at, record in sampled(with_events, 3):
        events = (change(record.events[-1], commitment=bytes(32)), *record.events[1:])
        forged = [*copy.records[:at], change(record, events=events), *copy.records[at + 1 :]]
        with pytest.raises(FalseRecordError):
            full_copy(match.game, copy.header, forged)


# -- false full copies


def judged(path: Path, header: Header, records: list[Record]) -> Verdict:
    path.write_bytes(log_bytes(header, records))
    return verify_file(path)


def test_changed_or_hidden_entry_makes_a_full_copy_false(duel: Played, tmp_path: Path) -> None:
    path = tmp_path / "forged.fplog"
    public = duel.match.record_files[None].records
    forgeries = 0
    for at, (record, seen) in enumerate(zip(duel.records, public, strict=True)):
        for number, (entry, hidden) in enumerate(zip(record.events, seen.events, strict=True)):
            if hidden.salt is not None:
                continue
            body = msgspec.msgpack.decode(entry.body or b"")
            for false in (
                hidden,
                change(entry, salt=bytes(16) if any(entry.salt or b"") else b"x" * 16),
                change(entry, body=canonical({**body, "more": 1})),
            ):
                events = (*record.events[:number], false, *record.events[number + 1 :])
                records = [
                    *duel.records[:at],
                    change(record, events=events),
                    *duel.records[at + 1 :],
                ]
                verdict = judged(path, duel.header, records)
                assert verdict.status == "false"
                assert verdict.finding is not None
                assert verdict.finding.record == at
                assert not any(note.startswith("proved") for note in verdict.notes)
                forgeries += 1
        if forgeries >= sized(9, 301, 1_001):
            break
    assert forgeries >= 9


@pytest.mark.full
def test_full_copy_requires_the_last_record_and_no_secret(duel: Played, tmp_path: Path) -> None:
    path, records = tmp_path / "forged.fplog", list(duel.records)
    cut = judged(path, duel.header, records[:-1])
    assert cut.status == "false"
    assert cut.finding is not None
    assert cut.finding.problem == "a full copy must contain the card seeds of all parties"
    for header in (
        change(duel.header, secret=bytes(32)),
        change(duel.header, position=b"\x80"),
        change(duel.header, audience=BLIND),
    ):
        assert judged(path, header, records).status == "false"
    assert judged(path, duel.header, duel.match.record_files[None].records).status == "false"


def test_without_matching_rules_only_signatures_and_commitments_are_checked(duel: Played) -> None:
    """Another edition of the rules cannot decide the match again; what is hidden is false all the same."""
    game, seeds = duel.match.game, opened_seeds(duel.records)
    witness = FairRecordVerifier(game, duel.header, decides=False, seeds=seeds)
    for record in duel.records:
        witness.add(record)
    assert witness.timeline.seq == len(duel.records) - 1
    witness = FairRecordVerifier(game, duel.header, decides=False, seeds=seeds)
    with pytest.raises(FalseRecordError, match="it is hidden"):
        witness.add(duel.match.record_files[None].records[0])


@pytest.mark.full
def test_false_full_copy_is_detected_when_compared_with_a_valid_seat_copy(
    duel: Played, tmp_path: Path
) -> None:
    """The full copy that is compared with is checked itself, as far as commitments go."""
    seat, full = tmp_path / "seat.fplog", tmp_path / "full.fplog"
    duel.match.record_files[next(iter(duel.match.seats))].write(seat)
    first, *rest = duel.records
    for entry in (change(first.events[1], salt=None), change(first.events[1], body=b"\x80")):
        forged = change(first, events=(first.events[0], entry, *first.events[2:]))
        full.write_bytes(log_bytes(duel.header, [forged, *rest]))
        assert verify_file(seat, against=full).status == "false"


@pytest.mark.full
def test_seat_copy_that_differs_from_its_messages_is_detected(duel: Played, tmp_path: Path) -> None:
    """What a copy shows in part has no commitment of its own; it must be what the messages show."""
    full, match = duel.write(tmp_path), duel.match
    for role, copy in sampled(list(match.record_files.items()), 1):
        first, *rest = copy.records
        entry = first.events[0]
        body = msgspec.msgpack.decode(entry.body or b"")
        body["position"]["tracks"]["political_will"] += 1
        events = (change(entry, body=canonical(body)), *first.events[1:])
        forged = CopyOfMatch(match.setup, match.header, role, match)
        forged.records = [change(first, events=events), *rest]
        assert forged.records[0].chain == record_chain(forged.records[0]), (
            "the chain does not show it"
        )
        path = tmp_path / "forged.fplog"
        forged.write(path)
        for against in (None, full):
            verdict = verify_file(path, against=against)
            assert verdict.status == "false"
            assert "differs from its messages" in str(verdict.finding)


# -- commands


@pytest.mark.full
def test_log_complete_command_writes_the_full_copy(duel: Played, tmp_path: Path, cli: Cli) -> None:
    seat, out = tmp_path / "seat.fplog", tmp_path / "out.fplog"
    role = next(iter(duel.match.seats))
    duel.match.record_files[role].write(seat)
    assert cli("log", "complete", seat, out).code == 0
    assert out.read_bytes() == log_bytes(duel.header, duel.records)
    assert cli("verify", out).code == 0
    assert cli("verify", "--against", out, seat, out).code == 0
    ran = cli("log", "complete", out, tmp_path / "again.fplog")
    assert ran.code == 3
    assert "already a full record" in ran.err
    for other in duel.match.seats:
        shown = cli("show", "--seat", other, "--log", out)
        assert shown.code == 0
    exported = cli("log", "export", "--jsonl", "--seat", role, out)
    assert exported.out.splitlines() == list(
        json_lines(duel.match.record_files[role].header, duel.match.record_files[role].records)
    )


def test_full_copy_round_trips_as_json_lines_but_text_import_is_refused(duel: Played) -> None:
    lines = list(json_lines(duel.header, duel.records))
    header, records = read_json_lines(lines)
    assert log_bytes(header, records) == log_bytes(duel.header, duel.records)
    text = list(text_lines(duel.match.game, duel.header, duel.records))
    assert "fair 7" in text
    with pytest.raises(ImportRefusedError, match="JSON lines"):
        read_text(text)


def test_full_copy_cannot_be_resumed(duel: Played, tmp_path: Path) -> None:
    path = duel.write(tmp_path)
    with pytest.raises(MatchError, match="finished match"):
        Match.resume(path)
    saved = SavedGame(path=path, title="", header=duel.header)
    assert not saved.can_resume
