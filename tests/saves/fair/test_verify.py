"""``flagplot verify`` of copies of protocol 7: verdicts, exit codes, forks."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.commitments import compute_commitment
from saves.decoding import canonical
from saves.records import Entry, Record
from saves.remarks import Remark
from saves.verdicts import Verdict
from saves.verify import verify_file, verify_files
from tests.netplay.fair.match import CopyOfMatch, FairMatch
from tests.sizes import sampled
from tools.verdicts import as_text, exit_code

JAPAN, ALLIED = Role("japan"), Role("allied")


def played(seed: int, commands: int) -> FairMatch:
    match = FairMatch("eots", "1943", seed=seed)
    match.start()
    for _ in range(commands):
        match.step()
    return match


def verdict_of(copy: CopyOfMatch, folder: Path, against: Path | None = None) -> Verdict:
    path = folder / "copy.fplog"
    copy.write(path)
    return verify_file(path, against=against)


@pytest.fixture(scope="module")
def closed() -> FairMatch:
    match = played(21, 10)
    match.finish()
    return match


@pytest.mark.parametrize("role", sampled([JAPAN, ALLIED, None], 1))
def test_closed_match_with_all_seeds_is_proved(
    closed: FairMatch, role: Role | None, tmp_path: Path
) -> None:
    verdict = verdict_of(closed.record_files[role], tmp_path)
    assert (verdict.status, verdict.exit_code) == ("ok", 0)
    assert any(note.startswith("proved") for note in verdict.notes)
    text = as_text(verdict, explained=True)
    assert "legality, proved: Every command was legal, including hidden ones" in text


@pytest.mark.full
def test_running_match_is_valid_so_far(tmp_path: Path) -> None:
    verdict = verdict_of(played(22, 4).record_files[JAPAN], tmp_path)
    assert (verdict.status, verdict.exit_code) == ("ok", 0)


@pytest.mark.full
def test_ended_match_awaits_its_card_seeds(tmp_path: Path) -> None:
    match = played(23, 4)
    match.submit(match.seats[JAPAN].sign_resignation())
    verdict = verdict_of(match.record_files[ALLIED], tmp_path)
    assert (verdict.status, verdict.exit_code) == ("awaited", 7)


@pytest.mark.full
def test_match_closed_without_a_seed_is_unproven(tmp_path: Path) -> None:
    match = played(24, 4)
    match.submit(match.seats[JAPAN].sign_resignation())
    match.seats[ALLIED].may_open_seed = True
    match.settle()
    assert match.host.close() is None
    match.deliver()
    verdict = verdict_of(match.record_files[ALLIED], tmp_path)
    assert (verdict.status, verdict.exit_code) == ("unproven", 7)
    assert "unproven: japan has not revealed its card seed" in verdict.notes


@pytest.mark.full
def test_conflicting_histories_are_reported_as_a_fork(closed: FairMatch, tmp_path: Path) -> None:
    other = tmp_path / "other.fplog"
    copy = closed.record_files[JAPAN]
    records = copy.records
    changed = msgspec.structs.replace(records[2], prev=bytes(32))
    copy.write(other)
    assert verdict_of(closed.record_files[ALLIED], tmp_path, other).status == "ok"
    forked = CopyOfMatch(closed.setup, closed.header, JAPAN, closed)
    forked.records = relinked([*records[:2], msgspec.structs.replace(changed, role=ALLIED)])
    forked.write(other)
    verdict = verdict_of(closed.record_files[ALLIED], tmp_path, other)
    assert verdict.status == "false"
    assert verdict.finding is not None
    assert "forked" in verdict.finding.problem


@pytest.mark.parametrize("role", [pytest.param(JAPAN, marks=pytest.mark.full), None])
def test_unsigned_records_make_no_fork_but_hide_none(
    closed: FairMatch, role: Role | None, tmp_path: Path
) -> None:
    """The host alone decides which remarks a copy contains, so their difference says nothing about the signed ones."""
    other = tmp_path / "other.fplog"
    records = closed.record_files[role].records
    salt, body = bytes(16), canonical(Remark(text="something"))
    commitment = compute_commitment(salt, "remark", 1, body)
    remark = msgspec.structs.replace(
        records[2],
        kind="remark",
        command=Entry(tag="remark", v=1, body=body, commitment=commitment, salt=salt),
        transcript=msgspec.UNSET,
        events=(),
    )
    copy = CopyOfMatch(closed.setup, closed.header, role, closed)
    for changed in (records[3], msgspec.structs.replace(records[3], events=records[4].events)):
        copy.records = records[:2]
        for record in (remark, records[2], changed, *records[4:]):
            seq = len(copy.records)
            copy.records = relinked([*copy.records, msgspec.structs.replace(record, seq=seq)])
        copy.write(other)
        verdict = verdict_of(closed.record_files[ALLIED], tmp_path, other)
        if changed is records[3]:
            assert verdict.status == "ok", verdict.finding
            assert any("unsigned records" in note for note in verdict.notes)
        else:
            assert verdict.finding is not None
            assert (verdict.finding.record, verdict.status) == (3, "false")
            assert "forked" in verdict.finding.problem


def relinked(records: list[Record]) -> list[Record]:
    """Return records whose last one follows the one before, with a right chain value."""
    last = msgspec.structs.replace(records[-1], prev=records[-2].chain)
    return [*records[:-1], msgspec.structs.replace(last, chain=record_chain(last))]


@pytest.mark.full
def test_every_file_gets_a_verdict_and_the_worst_code_wins(
    closed: FairMatch, tmp_path: Path
) -> None:
    good, false, bad = (tmp_path / f"{name}.fplog" for name in ("good", "false", "bad"))
    closed.record_files[None].write(good)
    forged = CopyOfMatch(closed.setup, closed.header, None, closed)
    first, second = closed.record_files[None].records[:2]
    forged.records = relinked(
        [first, msgspec.structs.replace(second, role=JAPAN if second.role == ALLIED else ALLIED)]
    )
    forged.write(false)
    bad.write_bytes(b"no record")
    verdicts = list(verify_files([bad, false, good], None, 1))
    assert [verdict.status for verdict in verdicts] == ["unreadable", "false", "ok"]
    assert exit_code(verdicts) == 3
    assert exit_code(verdicts[1:]) == 1
