"""Matches with encrypted cards: each cheat is named with its record, and honest seats never are."""

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from engine.kernel.ids import Role
from saves.errors import FairPlayError, FalseRecordError
from saves.logfile import log_bytes
from saves.protocol6.steps import OpenCalled
from saves.records import Record
from saves.statements import Ending
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves.play import linked
from tests.saves.protocol6.faircheats import (
    ALLIED,
    CHEATERS,
    FORGERS,
    JAPAN,
    CheatingTable,
    File,
    copy_of,
    end,
    full_of,
)
from tests.saves.protocol6.fairtable import FairTable
from tests.saves.protocol6.program.pending_command import StepAction
from tests.sizes import sampled, sized

pytestmark = pytest.mark.series("F3")


@lru_cache(maxsize=64)
def honest(seed: int) -> FairTable:
    """Return an honest match, which the cheats do not modify."""
    table = FairTable(secret=random.Random(f"fair {seed}").randbytes(32))
    table.play(20, seed)
    table.take_back(table.match.seq - 3, ALLIED)
    table.play(8, seed)
    return end(table)


def verdict(folder: Path, file: File, against: Path | None = None) -> Verdict:
    path = folder / "checked.fplog"
    path.write_bytes(log_bytes(*file))
    return verify_file(path, against=against)


def copies(table: FairTable, records: Sequence[Record]) -> Iterator[File]:
    """Yield the copies of the host, of a spectator and of both seats."""
    yield table.match.header, records
    for role in (None, *table.seats):
        yield copy_of(table, records, role)


def check_named(found: Verdict, record: int, words: str) -> None:
    assert found.finding is not None, f"{found.audience}: {words}"
    assert re.search(words, found.finding.problem), found.finding.problem
    assert (found.status, found.finding.record) == ("false", record), str(found.finding)


@pytest.mark.full
def test_honest_matches_are_never_reported_false(tmp_path: Path) -> None:
    for seed in range(sized(1, 5, 100, of="honest matches dealt in cipher")):
        table = honest(seed)
        records = table.match.records
        full = tmp_path / "full.fplog"
        full.write_bytes(log_bytes(*full_of(table, records)))
        assert str(verify_file(full).finding) == "None"
        for file in copies(table, records):
            assert str(verdict(tmp_path, file).finding) == "None"
            assert str(verdict(tmp_path, file, full).finding) == "None"


@pytest.mark.full
@pytest.mark.parametrize("name", sampled([*FORGERS], 2, of="kinds of forgery"))
def test_forged_record_is_detected_in_every_copy(tmp_path: Path, name: str) -> None:
    for seed in range(sized(1, 2, 60, of="matches with each forgery")):
        table = honest(seed)
        forgery = FORGERS[name](table, random.Random(seed))
        kinds = list(copies(table, forgery.records))
        for file in sampled(kinds, 2, of="copies of each forged match"):
            check_named(verdict(tmp_path, file), forgery.record, forgery.words)
        if name == "changed_seed":
            with pytest.raises(FairPlayError, match=forgery.words):
                full_of(table, forgery.records)
            continue
        check_named(
            verdict(tmp_path, full_of(table, forgery.records)), forgery.record, forgery.words
        )


def cheated(name: str, cheat: Role, seed: int) -> CheatingTable:
    """Return a match in which a seat cheats once, played to its end."""
    for attempt in range(seed, seed + 20):
        secret = random.Random(f"{name} {attempt}").randbytes(32)
        table = CHEATERS[name].table(cheat, secret=secret)
        table.play(40, attempt)
        if table.at >= 0:
            end(table)
            return table
    raise AssertionError("there was no occasion")


@pytest.mark.full
@pytest.mark.parametrize("name", sampled([*CHEATERS], 3, of="ways in which a seat cheats"))
def test_cheating_seat_is_named(tmp_path: Path, name: str) -> None:
    cheater = CHEATERS[name]
    for seed in range(sized(1, 2, 80, of="matches with each cheating seat")):
        cheat = (JAPAN, ALLIED)[(seed + len(name)) % 2]
        words = cheater.words.format(cheat)
        table = cheated(name, cheat, seed * 20)
        records = table.match.records
        if cheater.shows == "box":
            with pytest.raises(FalseRecordError, match=words) as caught:
                full_of(table, records)
            assert caught.value.record == table.at
        else:
            check_named(verdict(tmp_path, full_of(table, records)), table.at, words)
        kinds = [table.match, *table.copies.values()]
        for copy in sampled(kinds, 2, of="copies of each match with a cheating seat"):
            found = verdict(tmp_path, (copy.header, copy.records))
            if cheater.shows == "full":
                assert str(found.finding) == "None"
            else:
                check_named(found, table.at, words)


@pytest.mark.full
@pytest.mark.parametrize("silent", sampled([JAPAN, ALLIED], 1, of="seats that withhold a seed"))
def test_withheld_seed_names_its_seat_without_a_false_verdict(tmp_path: Path, silent: Role) -> None:
    table = honest(0)
    last = table.match.records[-1]
    assert last.seeds is not UNSET
    seeds = tuple(one for one in last.seeds if one.role != silent)
    records = [*table.match.records[:-1], msgspec.structs.replace(last, seeds=seeds)]
    records = linked(table.match.header, records)
    with pytest.raises(FairPlayError, match=f"{silent} did not reveal the card seed"):
        full_of(table, records)
    for file in copies(table, records):
        found = verdict(tmp_path, file)
        assert found.status == "ok"
        assert any(
            note.startswith(f"{silent} did not reveal the card seed") for note in found.notes
        )
        deal = next(proof for proof in found.proofs if proof.topic == "deal")
        assert (deal.extent, silent in deal.text) == ("partly", True)


def test_full_copy_without_seeds_is_refused(tmp_path: Path) -> None:
    table = honest(0)
    header, records = full_of(table, table.match.records)
    bare = msgspec.structs.replace(records[-1], seeds=UNSET)
    found = verdict(tmp_path, (header, linked(header, [*records[:-1], bare])))
    check_named(found, -1, "allied and japan did not reveal the card seed")


def test_own_card_missing_from_every_box_is_detected(tmp_path: Path) -> None:
    table = honest(0)
    header, records = copy_of(table, table.match.records, JAPAN)
    public = copy_of(table, table.match.records, None)[1]
    at = next(n for n, record in enumerate(records) if record.events != public[n].events)
    told = [*records]
    told[at] = msgspec.structs.replace(records[at], events=public[at].events)
    check_named(verdict(tmp_path, (header, told)), at, "no box contains event")


@pytest.mark.full
def test_fork_names_the_seat_that_signed_both_histories(tmp_path: Path) -> None:
    full = tmp_path / "full.fplog"
    for seed in range(sized(1, 5, 100, of="forks of matches dealt in cipher")):
        secret = random.Random(f"fork {seed}").randbytes(32)
        one, two = FairTable(secret=secret), FairTable(secret=secret)
        while True:
            for table in (one, two):
                table.play(seed + 1, seed)
            role = one.rules.active_roles(one.match.state)[0]
            options = one.rules.decision(one.copies[role].state, role).options
            if len(options) > 1:
                break
        fork = one.match.seq + 1
        one.give(role, options[0])
        two.give(role, options[-1])
        for table in (one, two):
            end(table)
        full.write_bytes(log_bytes(*full_of(one, one.match.records)))
        found = verdict(tmp_path, copy_of(two, two.match.records, role), full)
        check_named(found, fork, f"a different history from here on; {role} signed two different")


@pytest.mark.full
def test_host_refuses_a_false_step_and_the_match_continues(tmp_path: Path) -> None:
    table = FairTable(secret=random.Random("refused").randbytes(32))
    table.play(10, 1)
    refused = 0

    class Peeking:
        """The step that a seat sends instead of its first act in a record."""

        done = -1

    honest_change = table.change

    def change(role: Role, pending: object, act: object) -> object:
        nonlocal refused
        match = table.match
        if Peeking.done != match.seq:
            Peeking.done = match.seq
            victim = next(one for one in table.seats if one != role)
            held = match.deck_protocol.table.live_slots(str(victim))[-1]
            step = OpenCalled(slots=(held,))
            signed = match.deck_protocol.transcript.sign_step(role, step, table.keys[role].sign)
            before = match.deck_protocol.count
            with pytest.raises(FairPlayError, match=f"^{role}"):
                match.take(role, StepAction(number=before, signed=signed))
            assert match.deck_protocol.count == before
            refused += 1
        return honest_change(role, pending, act)  # type: ignore[arg-type]  # as the table calls it

    table.change = change  # type: ignore[method-assign, assignment]  # a program that cheats
    table.play(20, 2)
    end(table)
    assert refused
    found = verdict(tmp_path, full_of(table, table.match.records))
    assert str(found.finding) == "None"


@pytest.mark.full
def test_complete_copies_of_both_games_verify(tmp_path: Path) -> None:
    """Complete copies of both games, with takebacks, pass every verdict."""
    kinds = [("qmg", "base"), ("eots", "1942"), ("qmg", "total-war"), ("eots", "campaign-1941")]
    for game, scenario in sampled(kinds, 1, of="scenarios dealt in cipher, as verified"):
        table = FairTable(game, scenario, secret=random.Random(scenario).randbytes(32))
        table.play(sized(12, 60, 200, of="records dealt in cipher, as verified"), 3, takebacks=0.03)
        asked = table.seats
        side = next(
            roles
            for roles in table.rules.scenario_info_for_roles(list(asked)).sides.values()
            if next(iter(asked)) in roles
        )
        if table.match.outcome is None:
            table.agree(next(iter(asked)), Ending(how="resigned", by=tuple(side)))
        table.finish()
        full = tmp_path / "full.fplog"
        full.write_bytes(log_bytes(*full_of(table, table.match.records)))
        assert str(verify_file(full).finding) == "None"
        kept = list(copies(table, table.match.records))
        for file in sampled(kept, 2, of="copies of each scenario dealt in cipher"):
            assert str(verdict(tmp_path, file, full).finding) == "None"
