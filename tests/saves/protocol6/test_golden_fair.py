"""Fair matches of released versions always load and verify, and claim nothing about hands."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from saves.framing import scan
from saves.headers import Header
from saves.logfile import log_bytes, read_log
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.party_commitments import opened_seeds
from saves.protocol6.sealing import complete_record
from saves.protocol6.unredaction import full_copy
from saves.records import Record
from saves.redaction import redact_header, redact_record
from saves.timeline import Timeline, view_digest
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves.protocol6.golden_matches import (
    FOLDER,
    FULL_RECORD,
    HOST,
    SEATS,
    WATCHING,
    copies,
    packed,
)
from tests.sizes import sampled

pytestmark = pytest.mark.series("P1", "F9")

CHAINS = {
    "eots-1943": "f65849ee94986fab2e22063883bb6619943dd19079081ea3f5fdfb4fb3a0db4c",
    "eots-1943-hand-keys": "03b39ba92265948fe0a3b744782385db033672889074112d93359d6970ea7c33",
    "qmg-base": "550fa9edcf70924ee849bb7007d95ee157b6ed4cd210ce20d3fa0399dea634dc",
}
KINDS = [
    (name, kind) for name, seats in SEATS.items() for kind in (FULL_RECORD, HOST, *seats, WATCHING)
]
every_copy = pytest.mark.parametrize(("name", "kind"), KINDS)
some_copies = pytest.mark.parametrize(
    ("name", "kind"), sampled(KINDS, 1, of="copies of kept fair matches")
)


def loaded(name: str, kind: str) -> tuple[Header, tuple[Record, ...]]:
    found = scan(f"{name}.{kind}", copies(name)[kind])
    assert found.torn is None
    assert found.damage is None
    return found.header, tuple(found.records)


def written(folder: Path, name: str, kind: str) -> Path:
    path = folder / f"{name}.{kind}.fplog"
    path.write_bytes(copies(name)[kind])
    return path


def proved(verdict: Verdict) -> set[str]:
    return {proof.topic for proof in verdict.proofs if proof.extent == "proved"}


def test_golden_files_include_every_copy_of_every_match() -> None:
    assert sorted(FOLDER.glob("*.xz")) == sorted(map(packed, SEATS))
    assert [(name, kind) for name in SEATS for kind in copies(name)] == KINDS


@pytest.mark.full
@every_copy
def test_copies_load_and_round_trip_byte_for_byte(name: str, kind: str, tmp_path: Path) -> None:
    log = read_log(written(tmp_path, name, kind))
    assert log.records[-1].kind == "reveal"
    assert log.records[-1].chain.hex() == CHAINS[name]
    assert log_bytes(log.header, log.records) == copies(name)[kind]
    rules = ruleset(log.header.game)
    timeline = Timeline(rules)
    timeline.load(log.records)
    assert rules.outcome(timeline.state) is not None


@pytest.mark.full
@some_copies
def test_copies_verify_with_the_expected_proofs(name: str, kind: str, tmp_path: Path) -> None:
    found = verify_file(written(tmp_path, name, kind))
    assert found.status == "ok", str(found.finding)
    assert found.chain == CHAINS[name]
    full = {"legality", "authorship"}
    assert proved(found) >= {"consent"} | (full if kind == FULL_RECORD else set())
    assert not proved(found) & {"dice and draws", "deal", "hands", "blame"}
    assert {proof.topic for proof in found.proofs if proof.extent == "not proved"} == {
        "hands",
        "blame",
    }


@pytest.mark.full
@some_copies
def test_copies_verify_against_the_full_record(name: str, kind: str, tmp_path: Path) -> None:
    found = verify_file(written(tmp_path, name, kind), against=written(tmp_path, name, FULL_RECORD))
    assert found.status == "ok", str(found.finding)
    assert {proof.topic for proof in found.proofs} - proved(found) == {
        "dice and draws",
        "deal",
        "hands",
        "blame",
    }


@pytest.mark.parametrize("name", SEATS)
def test_full_record_and_all_copies_derive_from_the_host_copy(name: str) -> None:
    header, records = loaded(name, HOST)
    rules = ruleset(header.game)
    assert log_bytes(*full_copy(header, records)) == copies(name)[FULL_RECORD]
    seeds = {one.role: one.seed for one in opened_seeds(records)}
    for role in (*SEATS[name], None):
        told = [redact_record(rules, record, role) for record in records]
        if role is not None:
            secret = CardSeed(header.match_id, role, seeds[role])
            told = [complete_record(record, secret) for record in told]
        data = log_bytes(redact_header(header, role), told)
        assert data == copies(name)[role or WATCHING], role


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "qmg-base" else pytest.mark.full) for name in SEATS],
)
def test_all_copies_show_a_role_the_same_view_at_every_record(name: str) -> None:
    rules = ruleset(loaded(name, FULL_RECORD)[0].game)

    def seen(kind: str, role: Role | None) -> list[bytes]:
        timeline, found = Timeline(rules), []
        for record in loaded(name, kind)[1]:
            timeline.add(record, timeline.state_after(record))
            found.append(view_digest(rules, timeline.state, role))
        return found

    for role in SEATS[name]:
        assert seen(role, role) == seen(FULL_RECORD, role)
    assert seen(HOST, None) == seen(WATCHING, None) == seen(FULL_RECORD, None)
