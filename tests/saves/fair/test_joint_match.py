"""Matches of joint chance: what the judge asks of the parties, and what their copies take."""

from pathlib import Path

import pytest
from msgspec import UNSET

from engine.kernel.ids import Role
from saves.fair.links import CHAIN_LENGTH, LinkChain, after
from saves.follower import Follower
from saves.logfile import write_log
from saves.records import throw_of
from saves.verify import verify_file
from tests.saves.fair.joint import Table, keys_of
from tests.saves.play import AUDIENCES, SECRET
from tests.toy_game import TOY


def test_every_link_leads_to_the_one_before_and_the_first_to_the_head() -> None:
    chain = LinkChain(SECRET)
    before = chain.head
    for index in range(600):
        link = chain.link(index)
        assert after(link) == before
        before = link
    assert after(chain.link(CHAIN_LENGTH - 1)) == chain.link(CHAIN_LENGTH - 2)
    for wrong in (-1, CHAIN_LENGTH):
        with pytest.raises(IndexError):
            chain.link(wrong)


def test_a_game_of_joint_chance_is_taken_by_every_copy() -> None:
    table = Table(scenario="middle")
    table.play(seed=1, takebacks=0.1)
    match = table.match
    match.reveal()
    for audience in AUDIENCES:
        copy = Follower.create(TOY, match.redacted_header(audience))
        if audience:
            copy.check_own(keys_of(audience).party(match.header.match_id, audience))
        for record in match.redacted(audience):
            if record.links is not UNSET:
                copy.promise(throw_of(record, copy.pledges.count))
            assert copy.receive(record)
        assert copy.chain == match.chain
        assert copy.own_view_digest() == match.view_digest(audience)


@pytest.mark.parametrize("audience", [*AUDIENCES, Role("*")])
def test_every_copy_of_a_game_of_joint_chance_verifies(
    tmp_path: Path, audience: Role | None
) -> None:
    table = Table(scenario="middle")
    table.play(seed=2, takebacks=0.1)
    match = table.match
    match.reveal()
    full, path = tmp_path / "full.fplog", tmp_path / "told.fplog"
    write_log(full, match.header, match.records)
    if audience == "*":
        found = verify_file(full, TOY)
    else:
        write_log(path, match.redacted_header(audience), list(match.redacted(audience)))
        assert verify_file(path, TOY).status == "ok"
        found = verify_file(path, TOY, full)
    assert (found.status, str(found.finding), found.records) == ("ok", "None", match.seq + 1)
