"""A seat opens each link for one throw, and takes no other record than that one."""

from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from engine.kernel.ids import Role
from netplay.errors import FoulPlayError
from netplay.parties import SeatParty
from saves.protocol6.parties import Throw
from saves.records import NOBODY, Record
from saves.redaction import redact_record
from saves.remarks import Remark
from saves.statements import Adjournment, Ending, Statement, TimeSpent, kind_of
from tests.saves.protocol6.cheats import second_throws
from tests.saves.protocol6.joint import asked, rolling
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, Roll


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


def _record(throw: Throw, said: Statement, role: Role = NOBODY, later: int = 0) -> Record:
    """A record that states something in the place of a throw, or behind it."""
    return Record(
        seq=throw.seq + later,
        kind=kind_of(said),
        role=role,
        command=None,
        events=(),
        takeback_to=None,
        secret=None,
        prev=throw.prev,
        chain=bytes(32),
    )


def test_only_the_end_of_the_match_takes_the_place_of_a_throw(tmp_path: Path) -> None:
    table, giver = rolling()
    throw, _ = asked(table, giver)
    party = seat(tmp_path / "red.party", table.match.header.match_id)
    party.promise(throw)
    ended = Ending(how="resigned", by=(RED,))
    late, spent = Ending(how="time", by=(RED,)), TimeSpent(spent={RED: 1})
    party.check_record(_record(throw, ended, RED))
    time_up = _record(throw, spent)
    party.check_record(time_up)
    party.check_record(_record(throw, late, RED, 1), time_up)
    party.check_record(_record(throw, spent, RED, 1), _record(throw, ended, RED))
    for record, before in (
        (_record(throw, Remark(text="no")), None),
        (_record(throw, Adjournment(by=(RED, BLUE)), RED), None),
        (_record(throw, spent, RED), None),
        (_record(throw, Remark(text="no"), RED, 1), time_up),
        (_record(throw, spent, NOBODY, 1), time_up),
    ):
        with pytest.raises(FoulPlayError, match="is not the one for which this seat opened"):
            party.check_record(record, before)
    later = msgspec.structs.replace(throw, seq=throw.seq + 1, prev=bytes(32))
    with pytest.raises(FoulPlayError, match="a second throw"):
        party.promise(later)


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
