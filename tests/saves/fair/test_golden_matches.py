"""Whole matches of protocol 7 that are kept with every copy: they load, fold and verify for ever."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.registry import ruleset
from saves.errors import OlderRulesError
from saves.fair.full_copy import full_copy
from saves.fair.record_verifier import FairRecordVerifier
from saves.framing import scan
from saves.headers import Header, rules_differ
from saves.logfile import log_bytes, read_log
from saves.protocol6.party_commitments import opened_seeds
from saves.records import Record
from saves.timeline import Timeline, view_digest
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves.fair.golden_matches import FOLDER, FULL_RECORD, HOST, MATCHES, copies, packed
from tests.sizes import sampled

pytestmark = pytest.mark.series("P1", "F9")

CHAINS = {
    "eots-1943": "a2f0504cf5c3aef9b4787d64daa44b574b764e67452bded5021c9c5b58774cef",
    "qmg-base": "f717707e38532ae5989da5cf25766dba6dffee5ff8077638a4fba4069a2dd335",
}
KINDS = [
    (name, kind)
    for name, match in MATCHES.items()
    for kind in (FULL_RECORD, HOST, *map(str, match.roles))
]
every_copy = pytest.mark.parametrize(("name", "kind"), KINDS)
some_copies = pytest.mark.parametrize(
    ("name", "kind"), sampled(KINDS, 1, of="copies of kept fair matches of protocol 7")
)


def loaded(name: str, kind: str) -> tuple[Header, Sequence[Record]]:
    found = scan(f"{name}.{kind}", copies(name)[kind])
    assert found.torn is None
    assert found.damage is None
    return found.header, found.records


def written(folder: Path, name: str, kind: str) -> Path:
    path = folder / f"{name}.{kind}.fplog"
    path.write_bytes(copies(name)[kind])
    return path


def test_golden_files_include_every_copy_of_every_match() -> None:
    assert sorted(FOLDER.glob("*.xz")) == sorted(map(packed, MATCHES))
    assert sorted((name, kind) for name in MATCHES for kind in copies(name)) == sorted(KINDS)


@every_copy
def test_copies_load_fold_and_round_trip_byte_for_byte(
    name: str, kind: str, tmp_path: Path
) -> None:
    log = read_log(written(tmp_path, name, kind))
    assert log.records[-1].kind == "reveal"
    assert log.records[-1].chain.hex() == CHAINS[name]
    assert {"takeback", "command", "opening"} <= {record.kind for record in log.records}
    assert log_bytes(log.header, log.records) == copies(name)[kind]
    timeline = Timeline(ruleset(log.header.game))
    timeline.load(log.records)
    assert timeline.seq == len(log.records) - 1


@some_copies
def test_copies_verify_with_every_promise_proved(name: str, kind: str, tmp_path: Path) -> None:
    check_proved(name, verify_file(written(tmp_path, name, kind)))


@pytest.mark.full
@every_copy
def test_copies_verify_against_the_full_copy(name: str, kind: str, tmp_path: Path) -> None:
    against = written(tmp_path, name, FULL_RECORD)
    check_proved(name, verify_file(written(tmp_path, name, kind), against=against))


@every_copy
def test_copies_show_what_their_messages_sign(name: str, kind: str) -> None:
    """The check that ``verify`` uses if the rules have changed."""
    header, records = loaded(name, kind)
    verifier = FairRecordVerifier(
        ruleset(header.game), header, decides=False, seeds=opened_seeds(records)
    )
    for record in records:
        verifier.add(record)


def check_proved(name: str, found: Verdict) -> None:
    """Check a verdict about a copy; where the rules of a game have changed since, older ones made it."""
    header, _ = loaded(name, HOST)
    assert found.chain == CHAINS[name]
    if rules_differ(ruleset(header.game), header):
        assert found.status == "older"
        return
    assert found.status == "ok", str(found.finding)
    assert {proof.extent for proof in found.proofs} - {"nothing"} == {"proved"}


@pytest.mark.full
@every_copy
def test_full_copy_can_be_computed_from_every_other_copy(name: str, kind: str) -> None:
    """Where the rules of a game have changed since, another version must complete it."""
    header, records = loaded(name, kind)
    rules = ruleset(header.game)
    if rules_differ(rules, header):
        with pytest.raises(OlderRulesError, match=f"the match has .* rules {header.rules_version}"):
            full_copy(rules, header, records)
        return
    assert log_bytes(*full_copy(rules, header, records)) == copies(name)[FULL_RECORD]


@pytest.mark.parametrize("name", MATCHES)
def test_all_copies_show_a_role_the_same_final_view(name: str) -> None:
    rules = ruleset(MATCHES[name].game)
    states = {}
    for kind in copies(name):
        timeline = Timeline(rules)
        timeline.load(loaded(name, kind)[1])
        states[kind] = timeline.state
    for role in MATCHES[name].roles:
        seen = {view_digest(rules, states[kind], role) for kind in (str(role), FULL_RECORD)}
        assert len(seen) == 1
    assert len({view_digest(rules, state, None) for state in states.values()}) == 1
