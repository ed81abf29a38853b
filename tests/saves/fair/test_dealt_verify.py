"""``flagplot verify`` and ``--explain`` of matches whose host deals: full, seat's and public copies."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import first_chain, record_chain
from saves.errors import BrokenChainError, MatchError, RedactedCopyError
from saves.fair.full_copy import full_copy
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog
from saves.match import Match
from saves.records import Entry, Record
from saves.redaction import redact_record
from saves.verdicts import Verdict
from tests.netplay.fair.dealt import chance, hidden, opened
from tests.netplay.fair.match import CopyOfMatch, FairMatch, verdict_of
from tools.verdicts import as_text

JAPAN, ALLIED = Role("japan"), Role("allied")
change = msgspec.structs.replace


def full(match: FairMatch) -> CopyOfMatch:
    assert match.full_copy is not None
    return match.full_copy


def text_of(verdict: Verdict) -> str:
    return as_text(verdict, explained=True)


@pytest.fixture(scope="module")
def running() -> FairMatch:
    match = opened("eots", "south-pacific", seed=51)
    match.play(*chance(match))
    return match


@pytest.fixture(scope="module")
def closed() -> FairMatch:
    match = opened("qmg", "base", seed=52)
    match.play(*hidden(match))
    for _ in range(10):
        match.step()
    match.finish()
    return match


@pytest.mark.full
def test_every_copy_of_a_closed_match_proves_the_whole_match(
    closed: FairMatch, tmp_path: Path
) -> None:
    for copy in (full(closed), *closed.record_files.values()):
        verdict = verdict_of(copy, tmp_path)
        assert (verdict.status, verdict.exit_code, verdict.finding) == ("ok", 0, None)
        assert any(note.startswith("proved") for note in verdict.notes)
        text = text_of(verdict)
        assert "legality, proved" in text
        assert "dice and draws, proved" in text
        assert "deal, proved" in text
        assert "hands, not proved: The host could read every hand" in text


def test_full_copy_of_a_running_match_proves_the_match_so_far(
    running: FairMatch, tmp_path: Path
) -> None:
    verdict = verdict_of(full(running), tmp_path)
    assert verdict.status == "ok"
    assert "dice and draws, proved" in text_of(verdict)


@pytest.mark.full
@pytest.mark.parametrize("role", [JAPAN, ALLIED, None])
def test_redacted_copy_of_a_running_match_is_valid_so_far(
    running: FairMatch, role: Role | None, tmp_path: Path
) -> None:
    verdict = verdict_of(running.record_files[role], tmp_path)
    assert (verdict.status, verdict.exit_code) == ("ok", 0)
    assert any("remain unchecked" in note for note in verdict.notes)
    assert "dice and draws, partly proved" in text_of(verdict)
    compared = verdict_of(running.record_files[role], tmp_path, against=full(running))
    assert compared.status == "ok"
    assert "dice and draws, proved" in text_of(compared)


def test_ended_match_awaits_the_host_secret(tmp_path: Path) -> None:
    match = opened("eots", "south-pacific", seed=53)
    match.submit(match.seats[JAPAN].sign_resignation())
    verdict = verdict_of(match.record_files[ALLIED], tmp_path)
    assert (verdict.status, verdict.exit_code) == ("awaited", 7)


# -- false copies


class Forged(CopyOfMatch):
    """A copy with other records, linked again."""

    def __init__(self, match: FairMatch, copy: CopyOfMatch, at: int, record: Record) -> None:
        super().__init__(match.setup, match.header, None, match)
        self.header = copy.header
        prev = first_chain(copy.header)
        for number, old in enumerate(copy.records):
            linked = change(record if number == at else old, prev=prev)
            self.records.append(change(linked, chain=record_chain(linked)))
            prev = self.records[-1].chain


def own_place(record: Record) -> int:
    """The first event that a copy shows and the public does not see."""
    return next(
        at for at, entry in enumerate(record.events) if at and entry.salt not in {None, PUBLIC_SALT}
    )


def with_event(record: Record, at: int, entry: Entry) -> Record:
    return change(record, events=(*record.events[:at], entry, *record.events[at + 1 :]))


def test_copy_that_reveals_too_much_is_false(closed: FairMatch, tmp_path: Path) -> None:
    role = next(iter(closed.seats))
    whole, copy = full(closed).records[0], closed.record_files[role]
    other = next(
        at for at, entry in enumerate(whole.events) if at and entry != copy.records[0].events[at]
    )
    told = with_event(copy.records[0], other, whole.events[other])
    verdict = verdict_of(Forged(closed, copy, 0, told), tmp_path)
    assert verdict.status == "false"
    assert verdict.finding is not None
    assert (verdict.finding.record, verdict.finding.event) == (0, other)


def test_copy_that_reveals_too_little_is_false(closed: FairMatch, tmp_path: Path) -> None:
    role = next(iter(closed.seats))
    copy = closed.record_files[role]
    public = closed.record_files[None].records[0]
    at = own_place(copy.records[0])
    told = with_event(copy.records[0], at, public.events[at])
    assert verdict_of(Forged(closed, copy, 0, told), tmp_path).status == "false"


def test_hidden_event_must_match_its_message(running: FairMatch) -> None:
    public = running.record_files[None].records[0]
    at = next(at for at, entry in enumerate(public.events) if at and entry.salt is None)
    entry = public.events[at]
    assert entry.body is not None
    other = next(one for one in public.events if one.tag != entry.tag and one.body is not None)
    false = with_event(public, at, change(entry, tag=other.tag, v=other.v, body=other.body))
    with pytest.raises(BrokenChainError, match=f"event {at} differs"):
        TranscriptLog(running.setup).receive(false)


def test_full_copy_with_a_wrong_secret_is_false(closed: FairMatch, tmp_path: Path) -> None:
    copy = full(closed)
    for header in (
        change(copy.header, secret=bytes(32)),
        change(copy.header, secret=None),
        change(copy.header, position=b"\x80"),
    ):
        false = Forged(closed, copy, -1, copy.records[0])
        false.header = header
        verdict = verdict_of(false, tmp_path)
        assert verdict.status == "false"
        assert verdict.finding is not None
        assert verdict.finding.record == -1


def test_redacted_copy_with_the_secret_is_false(running: FairMatch, tmp_path: Path) -> None:
    copy = running.record_files[JAPAN]
    false = Forged(running, copy, -1, copy.records[0])
    false.header = change(copy.header, secret=running.secret)
    assert verdict_of(false, tmp_path).status == "false"


@pytest.mark.full
def test_seat_dealt_match_with_a_host_secret_is_refused(tmp_path: Path) -> None:
    match = FairMatch("eots", "south-pacific", seed=54)
    match.start()
    copy = match.record_files[None]
    copy.header = change(copy.header, audience="*", secret=bytes(32), position=b"\x80")
    verdict = verdict_of(copy, tmp_path)
    assert verdict.finding is not None
    assert "must not have a match secret" in verdict.finding.problem


def test_all_copies_share_one_chain(closed: FairMatch) -> None:
    copies = (full(closed), *closed.record_files.values())
    assert len({tuple(record.chain for record in copy.records) for copy in copies}) == 1


def test_seat_copy_is_the_redacted_full_copy(closed: FairMatch) -> None:
    for role, copy in closed.record_files.items():
        seen = [redact_record(closed.game, record, role) for record in full(closed).records]
        assert seen == copy.records


def test_full_copy_cannot_resume_without_its_seats(running: FairMatch, tmp_path: Path) -> None:
    path = tmp_path / "full.fplog"
    full(running).write(path)
    with pytest.raises(MatchError, match="messages from its seats"):
        Match.resume(path)


def test_full_copy_of_a_host_dealt_match_cannot_be_computed_from_a_redacted_copy(
    closed: FairMatch,
) -> None:
    copy = closed.record_files[None]
    with pytest.raises(RedactedCopyError, match="the host dealt"):
        full_copy(closed.game, copy.header, copy.records)
