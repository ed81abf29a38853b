"""A seat opens each link for one throw, and takes no other record than that one."""

from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from netplay.errors import FoulPlayError
from netplay.parties import SeatParty
from saves.records import redact_record
from tests.saves.fair.cheats import second_throws
from tests.saves.fair.joint import asked, rolling
from tests.sizes import sized
from tests.toy_game import RED, TOY, Roll


def seat(path: Path | None, match_id: str) -> SeatParty:
    party = SeatParty(path, match_id, RED)
    _ = party.keys  # made and kept
    return party


@pytest.mark.campaign("F3")
def test_f3_a_second_throw_is_named_by_the_seat_that_opened_its_link(tmp_path: Path) -> None:
    for seed in range(sized(10, 100, of="games of hosts who throw again")):
        table, giver = rolling(seed)
        match = table.match
        throw, signature = asked(table, giver)
        path = tmp_path / f"{seed}.party"
        seat(path, match.header.match_id).promise(throw)
        party = SeatParty(path, match.header.match_id, RED)
        lies = list(second_throws(table, giver))
        assert len(lies) >= 3
        for record in lies:
            with pytest.raises(FoulPlayError, match="is not the one for which this seat opened"):
                party.check_record(redact_record(TOY, record, RED))
        record = match.submit(giver, Roll(), match.seq, signature, table.links(throw))
        told = redact_record(TOY, record, RED)
        with pytest.raises(FoulPlayError, match="is not the one for which this seat opened"):
            party.check_record(msgspec.structs.replace(told, links=UNSET))
        party.check_record(told)


def test_a_link_is_given_for_one_throw_only(tmp_path: Path) -> None:
    table, giver = rolling()
    throw, _ = asked(table, giver)
    party = seat(tmp_path / "red.party", table.match.header.match_id)
    link = party.promise(throw)
    change = msgspec.structs.replace
    for again in (party, SeatParty(tmp_path / "red.party", table.match.header.match_id, RED)):
        assert again.promise(throw) == link
        for other in (
            change(throw, digest=bytes(32)),
            change(throw, seq=throw.seq + 1),
            change(throw, index=throw.index + 1),
            change(throw, index=throw.index - 1, seq=throw.seq - 1),
        ):
            with pytest.raises(FoulPlayError, match="a second throw"):
                again.promise(other)
