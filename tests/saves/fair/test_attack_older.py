"""A match of other rules, of which signatures alone are checked: what nobody has signed does not count there either."""

import msgspec
import pytest

from saves.errors import BrokenChainError
from saves.fair.log import SignatureLog
from tests.netplay.fair.match import FairMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


def test_a_command_without_messages_does_not_pass_under_other_rules() -> None:
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
