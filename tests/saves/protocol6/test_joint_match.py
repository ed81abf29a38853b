"""Matches with joint randomness: what the judge requests from the parties, and what their copies accept."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.errors import FairPlayError
from saves.follower import Follower
from saves.jsonlines import json_lines, read_json_lines
from saves.logfile import log_bytes, write_log
from saves.protocol6.hash_chain import CHAIN_LENGTH, hash_link
from saves.textlog import read_text, text_lines
from saves.verify import verify_file
from tests.saves.play import AUDIENCES, SECRET
from tests.saves.protocol6.joint import Table, keys_of
from tests.saves.protocol6.program.keys import HashChain
from tests.sizes import sampled, sized
from tests.toy_game import TOY


def test_every_link_hashes_to_the_previous_one_and_the_first_to_the_head() -> None:
    chain = HashChain(SECRET)
    before = chain.head
    for index in range(600):
        link = chain.link(index)
        assert hash_link(link) == before
        before = link
    assert hash_link(chain.link(CHAIN_LENGTH - 1)) == chain.link(CHAIN_LENGTH - 2)
    for wrong in (-1, CHAIN_LENGTH):
        with pytest.raises(IndexError):
            chain.link(wrong)


def test_joint_game_is_accepted_by_every_copy() -> None:
    table = Table(scenario="middle")
    table.play(seed=1, takebacks=0.1)
    match = table.match
    match.reveal()
    for audience in AUDIENCES:
        copy = Follower.create(TOY, match.redacted_header(audience))
        if audience:
            assert (
                keys_of(audience).party(match.header.match_id, audience) in copy.commitments.parties
            )
        for record in match.redacted_records(audience):
            assert copy.receive(record)
        assert copy.chain == match.chain
        assert copy.own_view_digest() == match.view_digest(audience)


@pytest.mark.parametrize("audience", sampled([*AUDIENCES, Role("*")], 1))
def test_every_copy_of_a_joint_game_verifies(tmp_path: Path, audience: Role | None) -> None:
    table = Table(scenario="middle")
    table.play(seed=2, takebacks=0.1)
    match = table.match
    match.reveal()
    full, path = tmp_path / "full.fplog", tmp_path / "told.fplog"
    write_log(full, match.header, match.records)
    if audience == "*":
        found = verify_file(full, TOY)
    else:
        write_log(path, match.redacted_header(audience), list(match.redacted_records(audience)))
        assert verify_file(path, TOY).status == "ok"
        found = verify_file(path, TOY, full)
    assert (found.status, str(found.finding), found.records) == ("ok", "None", match.seq + 1)


@settings(max_examples=sized(5, 30, 300), deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_both_text_forms_round_trip(seed: int, steps: int) -> None:
    table = Table(scenario="middle")
    table.play(steps, seed, takebacks=0.1)
    match = table.match
    data = log_bytes(match.header, match.records)
    assert log_bytes(*read_text(list(text_lines(TOY, match.header, match.records)), TOY)) == data
    assert log_bytes(*read_json_lines(list(json_lines(match.header, match.records)))) == data
    for audience in AUDIENCES:
        header, records = match.redacted_header(audience), list(match.redacted_records(audience))
        lines = list(json_lines(header, records))
        assert log_bytes(*read_json_lines(lines)) == log_bytes(header, records)


def test_text_with_misplaced_attachment_lines_is_refused() -> None:
    match = Table().finish().match
    lines = list(text_lines(TOY, match.header, match.records))
    place = next(at for at, line in enumerate(lines) if line.startswith("+ signature"))
    for wrong in ("+ links", "+ consent red 00", "+ signature zz", "+ anything", lines[place]):
        with pytest.raises(FlagplotError):
            read_text([*lines[: place + 1], wrong, *lines[place + 1 :]], TOY)
    with pytest.raises(FairPlayError, match="is not signed by"):
        read_text([*lines[:place], *lines[place + 1 :]], TOY)


def test_signatures_of_hidden_commands_are_hidden() -> None:
    match = Table().finish().match
    hidden = [
        record
        for record in match.redacted_records(None)
        if record.command and not record.command.salt
    ]
    assert hidden
    for record in hidden:
        assert record.signature is not UNSET
        assert (record.signature.body, record.signature.salt, record.signature.tag) == (
            None,
            None,
            "",
        )
    told = "\n".join(
        text_lines(TOY, match.redacted_header(None), list(match.redacted_records(None)))
    )
    numbers = {record.seq for record in hidden}
    for record in match.records[1:-1]:
        assert record.signature is not UNSET
        assert record.signature.body is not None
        assert (record.signature.body.hex() in told) == (record.seq not in numbers)
