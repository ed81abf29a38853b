"""A match of other rules, of which signatures alone are checked: what nobody has signed does not count there either."""

import msgspec
import pytest

from saves.errors import BrokenChainError
from saves.fair.transcript_log import SignatureLog
from tests.netplay.fair.dealt import hidden, opened
from tests.netplay.fair.match import FairMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


def test_command_without_messages_is_refused_under_different_rules() -> None:
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    match.step()
    log = SignatureLog(match.setup)
    opening, command = match.record_files[None].records
    log.receive(opening)
    bare = msgspec.structs.replace(command, transcript=msgspec.UNSET)
    with pytest.raises(BrokenChainError, match="a command without its messages"):
        log.receive(bare)
    log.receive(command)


@pytest.mark.full
def test_every_copy_of_a_match_whose_host_deals_shows_what_its_messages_sign() -> None:
    match = opened("qmg", "base", seed=52)
    match.play(*hidden(match))
    for _ in range(6):
        match.step()
    match.finish()
    assert match.full_copy is not None
    for copy in (match.full_copy, *match.record_files.values()):
        log = SignatureLog(match.setup)
        for record in copy.records:
            log.receive(record)


def test_command_signed_by_a_different_seat_is_refused_under_different_rules() -> None:
    match = FairMatch("eots", "1943", seed=21)
    match.start()
    for _ in range(8):
        match.step()
    for role, copy in match.record_files.items():
        log = SignatureLog(match.setup)
        for record in copy.records:
            if record.kind == "command":
                other = next(one for one in match.seats if one != record.role)
                index, head = log._index, log._head
                with pytest.raises(BrokenChainError, match="not the command"):
                    log.receive(msgspec.structs.replace(record, role=other))
                log._index, log._head = index, head
            log.receive(record)
        assert len(copy.records) > 8, role
