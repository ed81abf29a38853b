"""A host merges two records into one, so that no copy shows the first of two commands that are in the transcript."""

from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from saves.chain import first_chain, record_chain
from saves.decoding import canonical
from saves.errors import FalseRecordError
from saves.fair.dealer import Dealer
from saves.fair.full_copy import full_copy
from saves.fair.messages import SignedMessage, decode_message
from saves.fair.private_cards import PrivateCards
from saves.fair.record_builder import complete_known_entries
from saves.fair.segments import Segment, StoredMessage
from saves.fair.signed_texts import order_message
from saves.fair.transcript_log import TranscriptLog
from saves.records import Record
from saves.verify import verify_file
from tests.netplay.fair.match import CopyOfMatch, FairMatch, FullCopy

pytestmark = pytest.mark.usefixtures("quick_proofs")
JAPAN = Role("japan")
MORE_THAN_ONE = "its messages complete more than one record"


def whole_messages(match: FairMatch, log: TranscriptLog) -> Segment:
    """Return the messages since the last record, none of which leaves out an entry."""
    decoded = [(decode_message(match.match_id, one.data), one.signature) for one in log.segment]
    messages = (
        StoredMessage(one.kind.value, one.author, one.anchor, canonical(one.body), signature)
        for one, signature in decoded
    )
    order = match.host_key.sign(order_message(match.match_id, log.state.index, log.state.head))
    return Segment(tuple(messages), log.state.head, order)


class Merging(CopyOfMatch):
    """A record file without one of its records, whose messages are in the next one."""

    cards: PrivateCards | Dealer | None
    left_out: int

    @override
    def take(self, signed: SignedMessage) -> None:
        assert self.log.add(signed) is None
        completed = self.log.state.completed
        is_left_out = completed is not None and completed.number == self.left_out
        if self.log.is_complete and not is_left_out:
            self.keep(self._merged())

    def _merged(self) -> Record:
        log, match = self.log, self._match
        made = msgspec.structs.replace(
            complete_known_entries(log, log.public_record(), self.cards),
            seq=len(self.records),
            prev=self.records[-1].chain if self.records else first_chain(self.header),
            transcript=whole_messages(match, log),
        )
        return msgspec.structs.replace(made, chain=record_chain(made))


class MergingFull(Merging, FullCopy):
    """The same of a host that deals."""


def merged(match: FairMatch, left_out: int, role: Role | None = None) -> Merging:
    """Return a copy of a match that ended, without one record."""
    copy: Merging
    if match.setup.deals:
        copy = Merging(match.setup, match.header, role, match)
        copy.cards = copy._cards
    else:
        full = MergingFull(match.setup, match, match.secret)
        copy, full.cards = full, full.dealer
    copy.left_out = left_out
    for signed in match.host.messages:
        copy.take(signed)
    return copy


def played(*, deals: bool) -> FairMatch:
    match = FairMatch("eots", "south-pacific", seed=7, deals=deals)
    match.start()
    for _ in range(4):
        match.step()
    match.finish()
    return match


@pytest.fixture(
    scope="module",
    params=[pytest.param(True, marks=pytest.mark.full, id="fair"), pytest.param(False, id="joint")],
)
def match(request: pytest.FixtureRequest) -> FairMatch:
    return played(deals=request.param)


@pytest.mark.parametrize("left_out", [3, 4], ids=["before-a-command", "before-the-end"])
def test_copy_that_omits_a_command_is_false(
    match: FairMatch, left_out: int, tmp_path: Path
) -> None:
    path = tmp_path / "copy.fplog"
    for role in (None, JAPAN) if match.setup.deals else (None,):
        copy = merged(match, left_out, role)
        copy.write(path)
        found = verify_file(path)
        assert found.status == "false", role
        assert found.finding is not None
        assert (found.finding.record, found.finding.problem) == (left_out, MORE_THAN_ONE)


def test_full_copy_from_a_copy_that_omits_a_command_is_refused(match: FairMatch) -> None:
    if match.setup.deals:
        copy = merged(match, 3)
        with pytest.raises(FalseRecordError, match=MORE_THAN_ONE):
            full_copy(match.game, copy.header, copy.records)
