"""The page about the format: a reader written from it reads our files, and its example is ours."""

import os
from pathlib import Path

import msgspec
import pytest
from cryptography.exceptions import InvalidSignature

from engine.kernel.dice import DerivedDice
from saves.chain import first_chain
from saves.commitments import derive_salt, position_commitment, secret_commitment
from saves.entries import build_record
from saves.framing import pack_frame, pack_head
from saves.headers import FORMAT_VERSION, FULL, Header, Seat
from saves.logfile import log_bytes
from saves.match import match_id_of
from saves.records import NOBODY, Record
from saves.redaction import redact_header
from tests.saves import second_reader
from tests.saves.play import SECRET
from tests.toy_game import RED, TOY, DieRolled

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "save-format.md"
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.fplog"))
_BEGIN = "<!-- example: written by tests/saves/test_format_doc.py -->"
_END = "<!-- end of example -->"
_WIDTH = 32

HEADER = Header(
    format=FORMAT_VERSION,
    match_id=match_id_of(SECRET),
    game="toy",
    edition="first",
    rules_version=1,
    data_digest="00",
    scenario="",
    options={"hand": "3"},
    seats=(Seat(role=RED, player="Rosa", seat_id=""),),
    secret_commitment=secret_commitment(SECRET),
    position_commitment=position_commitment(SECRET, b"\x80"),
    audience=FULL,
    position=b"\x80",
    secret=SECRET,
)


def example_record() -> Record:
    draft = Record(
        seq=0,
        kind="opening",
        role=NOBODY,
        command=None,
        events=(),
        takeback_to=None,
        secret=None,
        prev=first_chain(HEADER),
        chain=bytes(32),
    )
    return build_record(TOY, SECRET, draft, None, (DieRolled(role=RED, face=7),))


def dump(data: bytes) -> list[str]:
    """Return the bytes in hex with their offsets, in the page's format."""
    return [
        f"    {start:04x}  {data[start : start + _WIDTH].hex(' ', -4)}"
        for start in range(0, len(data), _WIDTH)
    ]


def example() -> str:
    record = example_record()
    entry = record.events[0]
    head = pack_head(HEADER)
    lines = [
        "Hashes, in the order of computation:",
        "",
        f"    match_id             {HEADER.match_id}",
        f"    secret_commitment    {HEADER.secret_commitment.hex()}",
        f"    position_commitment  {HEADER.position_commitment.hex()}   (position: 80, an empty map)",
        f"    chain(-1)            {first_chain(HEADER).hex()}",
        f"    body of the event    {(entry.body or b'').hex()}",
        f"    salt(0, 1)           {derive_salt(SECRET, 0, 1).hex()}",
        f"    commitment           {entry.commitment.hex()}",
        f"    chain(0)             {record.chain.hex()}",
        "",
        f"The first three draws of record 0 from 10: {', '.join(map(str, draws()))}.",
        "",
        f"The full copy, {len(head)} bytes of head, then one frame:",
        "",
        *dump(head + pack_frame(record, len(head))),
        "",
        "The head of a spectator's copy of the same game:",
        "",
        *dump(pack_head(redact_header(HEADER, None))),
    ]
    return "\n".join(lines)


def draws() -> list[int]:
    dice = DerivedDice(SECRET, 0)
    return [dice.randbelow(10) for _ in range(3)]


def test_format_page_example_matches_the_program() -> None:
    before, _, rest = PAGE.read_text().partition(_BEGIN)
    written, _, after = rest.partition(_END)
    wanted = f"\n\n{example()}\n\n"
    if os.environ.get("FLAGPLOT_WRITE_DOCS"):
        PAGE.write_text(f"{before}{_BEGIN}{wanted}{_END}{after}")
        written = wanted
    assert written == wanted, "set FLAGPLOT_WRITE_DOCS=1 to rewrite the page"


def test_the_second_reader_reads_the_example() -> None:
    game = second_reader.read(log_bytes(HEADER, (example_record(),)))
    second_reader.check_secret(game, SECRET)
    assert game.chains == [example_record().chain]
    event = msgspec.msgpack.decode(game.records[0]["events"][0]["body"])
    assert event == {"type": "die-rolled", "role": "red", "face": 7}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_second_reader_reads_every_golden_save(path: Path) -> None:
    pinned = (path.parent / "chains.txt").read_text()
    game = second_reader.read(path.read_bytes())
    assert f"{path.name} {game.chains[-1].hex()}" in pinned
    secret = game.header["secret"] or game.records[-1]["secret"]
    second_reader.check_secret(game, secret)


def test_second_reader_reads_agreed_statements() -> None:
    folder = Path(__file__).parent / "golden"
    for name, how in (("toy-ending", "resigned"), ("toy-ending-draw-blue", "draw")):
        game = second_reader.read((folder / f"{name}.fplog").read_bytes())
        said = second_reader.statements(game)
        assert [each["type"] for each in said] == ["adjournment", "resumption", "ending"]
        assert said[-1]["how"] == how


def test_second_reader_computes_remaining_clock_times() -> None:
    path = Path(__file__).parent / "golden" / "toy-clock.fplog"
    game = second_reader.read(path.read_bytes())
    assert second_reader.left(game) == {"red": 3_625_000, "blue": -7_000}
    assert second_reader.statements(game)[-1] == {"type": "ending", "how": "time", "by": ["blue"]}


def test_the_second_reader_rolls_the_same_dice() -> None:
    for seq in range(50):
        dice = DerivedDice(SECRET, seq)
        for number, limit in enumerate((10, 6, 84, 1, 10**18, 2**63 + 1)):
            assert dice.randbelow(limit) == second_reader.draw(SECRET, seq, number, limit)


JOINT = [path for path in GOLDEN if "joint" in path.name]


@pytest.mark.parametrize("path", JOINT, ids=lambda path: path.stem)
def test_second_reader_checks_signatures_and_links_of_the_parties(path: Path) -> None:
    game = second_reader.read(path.read_bytes())
    kinds = [record["kind"] for record in game.records]
    shown = sum(bool(record["command"] and record["command"]["salt"]) for record in game.records)
    assert kinds.count("takeback") > 0
    assert second_reader.check_parties(game) == 2 + shown + 2 * kinds.count("takeback")
    links = [record["links"] for record in game.records if "links" in record]
    for place in range(len(links)):
        before = links[place][0]
        links[place][0] = bytes(32)
        with pytest.raises(AssertionError):
            second_reader.check_parties(game)
        links[place][0] = before
    game.header["match_id"] = "0" * 16
    with pytest.raises(InvalidSignature):
        second_reader.check_parties(game)


def test_second_reader_rolls_the_joint_dice() -> None:
    for path in JOINT:
        game = second_reader.read(path.read_bytes())
        secret, rolled = game.records[-1]["secret"], 0
        for seq, record in enumerate(game.records):
            for entry in record["events"]:
                event = msgspec.msgpack.decode(entry["body"])
                if event["type"] == "die-rolled":
                    seed = second_reader.joint_seed(secret, seq, record["links"])
                    assert second_reader.draw(seed, seq, 0, 10) == event["face"]
                    rolled += 1
        assert rolled >= 3
