"""``flagplot verify --save-evidence``: what false copies of protocol 7 prove, alone and in pairs."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.fair.accusations import accusations
from saves.fair.fold import initial_fair_state, next_hash
from saves.fair.messages import End, Kind, Offer
from saves.fair.signed_texts import order_message
from saves.fair.transcript_log import restore_messages
from saves.logfile import read_log
from saves.records import Record
from saves.verify import verify_file
from tests.netplay.fair.dealt import opened, signed_by
from tests.netplay.fair.match import CopyOfMatch, FairMatch
from tests.saves.fair.quick_proofs import quick_proofs
from tests.saves.fair.transcripts import OtherMix, finished
from tests.tools.commands import Cli

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
JAPAN, ALLIED = Role("japan"), Role("allied")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def played(seed: int = 5, commands: int = 2) -> FairMatch:
    match = FairMatch("eots", "south-pacific", seed=seed)
    match.start()
    for _ in range(commands):
        assert match.step()
    return match


def saved(copy: CopyOfMatch, path: Path) -> Path:
    copy.write(path)
    return path


def judged(cli: Cli, folder: Path) -> list[tuple[int, str]]:
    """Return the exit code and sentence for each evidence file in a folder."""
    files = sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name))
    found = [cli("verify", "--evidence", path) for path in files]
    return [(ran.code, ran.out) for ran in found]


@pytest.mark.full
@pytest.mark.parametrize("deals", [True, False], ids=["seats-deal", "host-deals"])
def test_two_copies_of_a_forked_match_prove_the_fork(
    tmp_path: Path, cli: Cli, *, deals: bool
) -> None:
    """AT-5: both seats resign at the same place, and the host orders each end for a different copy."""
    copies = []
    for role in (JAPAN, ALLIED):
        match = played() if deals else opened("eots", "south-pacific", seed=5)
        match.submit(signed_by(match, role, match.state, Kind.END, End("resigned", role)))
        copies.append(saved(match.record_files[None], tmp_path / f"{role}.fplog"))
    first, second = copies
    ran = cli("verify", first, "--against", second, "--save-evidence", tmp_path / "found")
    assert ran.code == 1
    assert "forked" in ran.out
    assert "evidence: E1" in ran.out
    assert judged(cli, tmp_path / "found")
    assert all(code == 0 and "holds: E1" in text for code, text in judged(cli, tmp_path / "found"))


@pytest.mark.full
def test_conflicting_messages_in_two_copies_prove_the_seat_guilty(tmp_path: Path, cli: Cli) -> None:
    copies = []
    for number in range(2):
        match = played()
        offer = Offer("takeback", 1) if number else Offer("adjournment")
        match.submit(signed_by(match, JAPAN, match.state, Kind.OFFER, offer))
        match.submit(match.seats[ALLIED].sign_consent(agrees=True))
        match.settle()
        copies.append(saved(match.record_files[None], tmp_path / f"{number}.fplog"))
    first, second = copies
    ran = cli("verify", first, "--against", second, "--save-evidence", tmp_path / "found")
    assert ran.code == 1
    texts = [text for _, text in judged(cli, tmp_path / "found")]
    assert any("E1" in text and "the host" in text for text in texts)
    assert any("E1" in text and "japan" in text for text in texts)


def test_mix_that_does_not_follow_from_the_seed_is_evidence(tmp_path: Path, cli: Cli) -> None:
    match = FairMatch("eots", "south-pacific", seed=3)
    match.seats[JAPAN] = OtherMix(initial_fair_state(match.setup), match, JAPAN)
    match.start()
    finished(match)
    path = saved(match.record_files[ALLIED], tmp_path / "copy.fplog")
    ran = cli("verify", path, "--save-evidence", tmp_path / "found")
    assert ran.code == 1
    assert [
        (code, "holds: E5" in text and "japan" in text)
        for code, text in judged(cli, tmp_path / "found")
    ] == [(0, True)]


@pytest.mark.full
def test_valid_copies_contain_no_evidence(tmp_path: Path, cli: Cli) -> None:
    match = played()
    match.finish()
    public, seat = (
        saved(match.record_files[role], tmp_path / f"{role}.fplog") for role in (None, JAPAN)
    )
    ran = cli("verify", public, "--against", seat, "--save-evidence", tmp_path / "found")
    assert ran.code == 0
    assert not (tmp_path / "found").exists()
    log = read_log(public)
    assert accusations(match.game, log.header, log.records, read_log(seat).records) == ()


def test_damaged_copy_does_not_blame_an_author(tmp_path: Path) -> None:
    """A change in the file alone proves nothing, because the host has not signed it."""
    match = played()
    copy = match.record_files[None]
    last = copy.records[-1]
    segment = last.transcript
    assert not isinstance(segment, msgspec.UnsetType)
    for forged in (
        msgspec.structs.replace(segment, order=bytes(64)),
        msgspec.structs.replace(segment, messages=segment.messages[:-1]),
        msgspec.structs.replace(
            segment,
            messages=(
                msgspec.structs.replace(segment.messages[0], signature=bytes(64)),
                *segment.messages[1:],
            ),
            order=bytes(64),
        ),
    ):
        records: list[Record] = [
            *copy.records[:-1],
            msgspec.structs.replace(last, transcript=forged),
        ]
        assert accusations(match.game, match.header, records) == ()


def test_ordered_message_that_was_not_due_blames_the_host(tmp_path: Path, cli: Cli) -> None:
    match = played(commands=0)
    copy = match.record_files[None]
    first = copy.records[0]
    segment = first.transcript
    assert not isinstance(segment, msgspec.UnsetType)
    replace = msgspec.structs.replace
    twice = (*segment.messages[:2], segment.messages[1], *segment.messages[2:])
    head, index = match.setup.header_hash, -1
    for signed in restore_messages(
        match.setup, -1, {-1: head}, replace(first, transcript=replace(segment, messages=twice[:3]))
    ):
        index += 1
        head = next_hash(head, index, signed.data)
    order = match.host_key.sign(order_message(match.match_id, index, head))
    segment = replace(segment, messages=twice[:3], head=head, order=order)
    bare = replace(first, transcript=segment)
    copy.records = [replace(bare, chain=record_chain(bare))]
    path = saved(copy, tmp_path / "copy.fplog")
    verdict = verify_file(path)
    assert verdict.status == "false"
    assert [text.partition(":")[0] for text in verdict.evidence] == ["E3, message 2, the host"]
    assert cli("verify", path, "--save-evidence", tmp_path / "found").code == 1
    assert [code for code, _ in judged(cli, tmp_path / "found")] == [0]
