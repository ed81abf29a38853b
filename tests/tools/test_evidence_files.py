"""``flagplot verify --evidence``: each file gets a verdict, and no verdict names a party without a fault (AT-29)."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.fair.evidence import (
    SUFFIX,
    Case,
    ConflictingOrders,
    Equivocation,
    Evidence,
    FalseSeed,
    OrderClaim,
    RefusedMessage,
    encode_evidence,
)
from saves.fair.evidence_file import EvidenceVerdict, KnownCopy, verify_evidence
from saves.fair.fold import initial_fair_state
from saves.fair.messages import HOST, MAX_TRANSCRIPT_BYTES, Kind, Reveal
from saves.headers import Header, encode_header
from tests.netplay.fair.match import FairMatch
from tests.saves.fair.quick_proofs import quick_proofs
from tests.saves.fair.transcripts import OtherMix, Transcript, faults, finished
from tests.sizes import sampled, sized
from tests.tools.commands import Cli
from tools.cmd_verify import EVIDENCE_SUFFIX

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


class Accusation(NamedTuple):
    """Valid evidence, and the author whose fault it proves."""

    charge: str
    author: Role
    header: Header
    case: Case

    @property
    def data(self) -> bytes:
        return encode_evidence(Evidence(encode_header(self.header), self.case))


@pytest.fixture(scope="module")
def whole() -> Transcript:
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    for _ in range(6):
        match.step()
    return finished(match)


@pytest.fixture(scope="module")
def guilty(whole: Transcript) -> Role:
    return list(whole.match.seats)[1]


@pytest.fixture(scope="module")
def accusations(whole: Transcript, guilty: Role) -> dict[str, Accusation]:
    return dict(_accusations(whole, guilty))


def _accusations(whole: Transcript, guilty: Role) -> Iterator[tuple[str, Accusation]]:
    header = whole.match.header
    reveal = next(
        index
        for index in range(len(whole.messages))
        if whole.decoded(index).kind is Kind.REVEAL and whole.decoded(index).author == guilty
    )
    other = msgspec.structs.replace(whole.decoded(reveal), body=Reveal(0, bytes(32)))
    pair = Equivocation(whole.messages[reveal], whole.signed(guilty, other))
    yield "two messages", Accusation("E1", guilty, header, pair)

    swapped = [*whole.messages[:3], whole.messages[4], whole.messages[3]]
    claims = (
        OrderClaim(-1, whole.heads[0], tuple(one.data for one in messages), whole.order(messages))
        for messages in (whole.messages[:5], swapped)
    )
    yield "two orders", Accusation("E1", HOST, header, ConflictingOrders(*claims))

    for number, (charge, anchor, signed) in enumerate(faults(whole, guilty)):
        before = tuple(whole.messages[: anchor + 1])
        yield (
            f"{charge} {number}",
            Accusation(charge, guilty, header, RefusedMessage(before, b"", signed)),
        )
    twice = (*whole.messages[:8], whole.messages[7])
    case = RefusedMessage(twice, whole.order(twice), None)
    yield "E3", Accusation("E3", HOST, header, case)

    match = FairMatch("eots", "south-pacific", seed=3)
    match.seats[guilty] = OtherMix(initial_fair_state(match.setup), match, guilty)
    match.start()
    transcript = finished(match)
    yield (
        "E5 mix",
        Accusation("E5", guilty, match.header, FalseSeed(tuple(transcript.messages), guilty)),
    )


NAMES = ["two messages", "two orders", "E2 0", "E2 1", "E4 2", "E5 3", "E3", "E5 mix"]


def judged(path: Path, data: bytes, known: bytes | None = None) -> EvidenceVerdict:
    path.write_bytes(data)
    return verify_evidence(path, None if known is None else KnownCopy(known))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"one{SUFFIX}"


# -- valid evidence


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_valid_evidence_holds(
    accusations: dict[str, Accusation], name: str, path: Path, cli: Cli
) -> None:
    assert list(accusations) == NAMES
    one = accusations[name]
    path.write_bytes(one.data)
    ran = cli("verify", "--evidence", path)
    first = ran.out.splitlines()[0]
    assert ran.code == 0
    assert first.startswith(f"{path}: evidence holds: {one.charge}, message ")
    assert f", {one.author or 'the host'}: " in first
    plain = json.loads(cli("verify", "--evidence", "--json", path).out)
    assert [(each["status"], each["charge"], each["author"]) for each in plain] == [
        ("holds", one.charge, one.author)
    ]


@pytest.mark.full
def test_evidence_is_compared_with_a_copy_of_the_match(
    accusations: dict[str, Accusation], whole: Transcript, path: Path, tmp_path: Path, cli: Cli
) -> None:
    own, other = tmp_path / "own.fplog", tmp_path / "other.fplog"
    whole.match.record_files[None].write(own)
    foreign = FairMatch("eots", "south-pacific", seed=9)
    foreign.start()
    foreign.record_files[None].write(other)
    path.write_bytes(accusations["two messages"].data)
    alone = cli("verify", "--evidence", path)
    compared = cli("verify", "--evidence", "--against", own, path)
    assert (alone.code, compared.code) == (0, 0)
    assert "--against" in alone.out
    assert "--against" not in compared.out
    ran = cli("verify", "--evidence", "--against", other, path)
    assert ran.code == 1
    assert "accusation does not hold: it is about a different match" in ran.out


def test_evidence_check_refuses_record_report_options(path: Path, cli: Cli) -> None:
    path.write_bytes(b"")
    for option in (("--explain",), ("--junit", path.with_suffix(".xml"))):
        ran = cli("verify", "--evidence", *option, path)
        assert ran.code == 2
        assert "--evidence cannot be combined with" in ran.err


def test_evidence_among_records_is_unreadable_with_a_hint(path: Path, cli: Cli) -> None:
    assert EVIDENCE_SUFFIX == SUFFIX
    path.write_bytes(b"x")
    ran = cli("verify", path)
    assert ran.code == 3
    assert f"{path} is evidence; check it with --evidence" in ran.err


# -- attacks on an innocent party


def leaves(value: Any, place: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:  # noqa: ANN401
    """Yield the places of all fields in plain data."""
    match value:
        case list() | tuple():
            for number, each in enumerate(value):
                yield from leaves(each, (*place, number))
        case dict():
            for name, each in value.items():
                yield from leaves(each, (*place, name))
        case _:
            yield place


def changed(value: Any, place: tuple[int | str, ...], rng: random.Random) -> Any:  # noqa: ANN401
    """Return plain data with another value at a place."""
    if place:
        first, *rest = place
        made = dict(value) if isinstance(value, dict) else list(value)
        made[first] = changed(value[first], tuple(rest), rng)  # type: ignore[index]
        return made
    match value:
        case bytes() if value:
            at = rng.randrange(len(value))
            return value[:at] + bytes([value[at] ^ 1 << rng.randrange(8)]) + value[at + 1 :]
        case int():
            return value + rng.choice((1, -1, 1 << 20))
        case str():
            return rng.choice((value + "x", "", "allied", "japan"))
        case _:
            return rng.choice((bytes(64), b"x", None, 0))


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_evidence_changed_in_any_field_does_not_blame_another_party(
    accusations: dict[str, Accusation], name: str, path: Path
) -> None:
    one = accusations[name]
    rng = random.Random(7)
    plain = msgspec.msgpack.decode(one.data)
    places = [place for place in leaves(plain) if place != (1,)]
    for place in rng.sample(places, min(len(places), sized(50, 500, 2_000))):
        verdict = judged(path, canonical(changed(plain, place, rng)))
        assert verdict.status in {"holds", "does not hold", "unreadable"}
        assert verdict.status != "holds" or verdict.author == one.author, place


@pytest.mark.parametrize("name", ["two messages", "E2 0", "E3"])
def test_evidence_header_changed_in_any_field_does_not_blame_another_party(
    accusations: dict[str, Accusation], whole: Transcript, name: str, path: Path
) -> None:
    one = accusations[name]
    rng = random.Random(8)
    plain = msgspec.msgpack.decode(one.data)
    header = msgspec.msgpack.decode(encode_header(one.header))
    public = {"audience", "position", "secret"}
    for place in leaves(header):
        plain[1] = canonical(changed(header, place, rng))
        verdict = judged(path, canonical(plain))
        assert verdict.status != "holds" or verdict.author == one.author, place
        if place[0] not in public:
            known = judged(path, canonical(plain), whole.match.setup.header_hash)
            assert known.status != "holds", place


@pytest.mark.full
def test_innocent_seat_is_not_blamed_by_any_of_its_messages(whole: Transcript, path: Path) -> None:
    header = encode_header(whole.match.header)
    rng = random.Random(9)
    for _ in range(sized(30, 200, 600)):
        index, end = rng.randrange(len(whole.messages)), rng.randrange(len(whole.messages) + 1)
        case = RefusedMessage(tuple(whole.messages[:end]), b"", whole.messages[index])
        verdict = judged(path, encode_evidence(Evidence(header, case)))
        assert str(verdict).startswith("accusation does not hold: ")
    for role in whole.match.seats:
        verdict = judged(
            path, encode_evidence(Evidence(header, FalseSeed(tuple(whole.messages), role)))
        )
        assert (verdict.status, verdict.exit_code) == ("does not hold", 1)


@pytest.mark.full
def test_forged_header_with_stolen_names_does_not_match_the_real_match(
    whole: Transcript, guilty: Role, path: Path
) -> None:
    """An attacker can create a match in which its own key has the name of an innocent seat."""
    forger = FairMatch("eots", "south-pacific", seed=77)
    forger.start()
    transcript = finished(forger)
    _, stolen = next(_accusations(transcript, guilty))
    assert judged(path, stolen.data).status == "holds", "its own match, and its own key"
    verdict = judged(path, stolen.data, whole.match.setup.header_hash)
    assert str(verdict) == "accusation does not hold: it is about a different match"
    named = msgspec.structs.replace(
        forger.header, match_id=whole.match.header.match_id
    )  # commitments are signed for one match
    verdict = judged(path, encode_evidence(Evidence(encode_header(named), stolen.case)))
    assert verdict.status == "does not hold"


# -- files that are not evidence


def test_damaged_file_gets_a_one_line_verdict(
    accusations: dict[str, Accusation], path: Path, cli: Cli
) -> None:
    one = accusations["E2 0"]
    rng = random.Random(10)
    for _ in range(sized(25, 800, 3_000)):
        at = rng.randrange(len(one.data))
        flipped = one.data[:at] + bytes([one.data[at] ^ 1 << rng.randrange(8)]) + one.data[at + 1 :]
        for data in (one.data[:at], flipped):
            verdict = judged(path, data)
            assert verdict.status != "holds" or verdict.author == one.author
            assert "the program failed" not in verdict.problem
    ran = cli("verify", "--evidence", path)
    assert len(ran.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(b"", "unreadable: ", id="empty"),
        pytest.param(b"\x8fFPLOG\r\nrest", "this is a record, not evidence", id="record"),
        pytest.param(b"\x91" * 100_000, "unreadable: ", id="nested"),
        pytest.param(b"\xdd\xff\xff\xff\xff", "unreadable: ", id="long-array"),
        pytest.param(bytes(5_000), "unreadable: ", id="zeros"),
        pytest.param(
            canonical(["flagplot-evidence/7", b"no header", ["false seed", [], "x"]]),
            "unreadable: ",
            id="header",
        ),
    ],
)
def test_file_that_is_not_evidence_is_unreadable(
    data: bytes, problem: str, path: Path, cli: Cli
) -> None:
    path.write_bytes(data)
    ran = cli("verify", "--evidence", path)
    assert ran.code == 3
    assert problem in ran.out
    assert len(ran.out.splitlines()) == 1


def test_records_folders_pipes_and_huge_files_are_unreadable_as_evidence(
    whole: Transcript, tmp_path: Path, cli: Cli
) -> None:
    record, folder, pipe, huge = (tmp_path / name for name in ("a.fplog", "b", "c", "d"))
    whole.match.record_files[None].write(record)
    folder.mkdir()
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(MAX_TRANSCRIPT_BYTES + 1)
    ran = cli("verify", "--evidence", record, folder, pipe, huge)
    lines = ran.out.splitlines()
    assert ran.code == 3
    assert [line.split(": ")[1] for line in lines] == ["unreadable"] * 4
    for line, words in zip(
        lines, ("this is a record", "this is a folder", "not a file", "bytes exceed"), strict=True
    ):
        assert words in line


def test_evidence_of_a_different_kind_of_match_does_not_hold(
    accusations: dict[str, Accusation], path: Path
) -> None:
    one = accusations["E2 0"]
    change = msgspec.structs.replace

    def verdict(header: Header, name: str = "E2 0") -> EvidenceVerdict:
        case = accusations[name].case
        return judged(path, encode_evidence(Evidence(encode_header(header), case)))

    plain = verdict(change(one.header, fair=msgspec.UNSET))
    assert (plain.status, plain.problem) == (
        "does not hold",
        "its header is not a protocol 7 header",
    )
    assert verdict(change(one.header, game="chess")).status == "unreadable"
    assert verdict(change(one.header, scenario="nowhere")).status == "does not hold"
    older = verdict(change(one.header, rules_version=one.header.rules_version - 1))
    assert (older.status, older.exit_code) == ("older", 6)
    assert str(older).startswith("not judged: ")
    by_signatures = verdict(
        change(one.header, rules_version=one.header.rules_version - 1), "two messages"
    )
    assert by_signatures.status == "holds", "no rule decides whether two messages have one slot"


def test_every_evidence_file_gets_a_verdict_and_the_worst_code_wins(
    accusations: dict[str, Accusation], whole: Transcript, tmp_path: Path, cli: Cli
) -> None:
    one = accusations["E2 0"]
    older = msgspec.structs.replace(one.header, data_digest="0" * 64)
    innocent = RefusedMessage(tuple(whole.messages[:4]), b"", whole.messages[2])
    contents = {
        "holds": one.data,
        "older": encode_evidence(Evidence(encode_header(older), one.case)),
        "innocent": encode_evidence(Evidence(encode_header(one.header), innocent)),
        "unreadable": b"?",
    }
    files = {}
    for name, data in contents.items():
        files[name] = tmp_path / f"{name}{SUFFIX}"
        files[name].write_bytes(data)
    codes = {"holds": 0, "older": 6, "innocent": 1, "unreadable": 3}
    names = list(codes)
    for count in range(1, len(names) + 1):
        ran = cli("verify", "--evidence", *(files[name] for name in names[:count]))
        assert ran.code == codes[names[count - 1]]
        assert all(str(files[name]) in ran.out for name in names[:count])
    ran = cli("verify", "--evidence", "--json", tmp_path)
    assert {each["status"] for each in json.loads(ran.out)} == {
        "holds",
        "older",
        "does not hold",
        "unreadable",
    }
