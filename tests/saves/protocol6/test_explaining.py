"""What a copy proves and does not prove, line by line."""

import random
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from saves.headers import Header
from saves.logfile import log_bytes
from saves.match import Match
from saves.modes import match_mode
from saves.records import Record
from saves.topic_proofs import topic_proofs
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves.play import SEATS, linked, new_match, play
from tests.saves.protocol6.cheats import HOSTS
from tests.saves.protocol6.joint import Table
from tests.saves.test_verify import KinderToy
from tests.toy_game import BLUE, RED, TOY, ToyState

KEYS = tuple(
    msgspec.structs.replace(seat, seat_id=number * 64)
    for seat, number in zip(SEATS, "12", strict=True)
)


def trusted() -> Match[ToyState]:
    """Return an unfinished match on a host, with a takeback."""
    position = TOY.position("short", {})
    match = Match.create(TOY, position, "short", {}, KEYS, bytes(32))
    play(match, 6, seed=1)
    match.take_back(4, RED)
    return match


def joint() -> Table:
    table = Table()
    table.play(6, seed=1)
    table.take_back(4, RED)
    return table


def verdict(
    folder: Path, header: Header, records: list[Record], against: Path | None = None
) -> Verdict:
    path = folder / "copy.fplog"
    path.write_bytes(log_bytes(header, records))
    return verify_file(path, TOY, against)


def said(verdict: Verdict) -> dict[str, str]:
    """Return the extent and the sentence of each topic."""
    return {proof.topic: f"{proof.extent}: {proof.text}" for proof in verdict.proofs}


TOPICS = ["legality", "dice and draws", "deal", "hands", "authorship", "consent", "one history"]


def test_full_copy_of_a_joint_match_is_explained(tmp_path: Path) -> None:
    table = joint()
    match = table.match
    play_on = said(verdict(tmp_path, match.header, list(match.records)))
    assert list(play_on) == TOPICS
    throws, commands = match.commitments.count, match.seq - 1
    honest = "as long as one party's program was honest"
    assert play_on == {
        "legality": "proved: Every command was legal, and the rules produce exactly these events.",
        "dice and draws": f"proved: {throws} throws made by red and blue together, each checked;"
        f" nobody could choose or predict one, {honest}.",
        "deal": f"proved: Dealt by all parties together: nobody could stack the deck, {honest}.",
        "hands": "not proved: The host could read every hand and every face-down card.",
        "authorship": f"proved: {commands} commands, each signed with the key of its seat."
        " No file can show who owns a key.",
        "consent": "proved: 1 takeback, each with the signatures of all who had to agree.",
        "one history": play_on["one history"],
    }
    last = {record.role: record.seq for record in match.records if record.kind == "command"}
    signed = f"red up to record {last[RED] - 1} and blue up to record {last[BLUE] - 1}"
    assert play_on["one history"] == (
        f"partly: Signed by {signed}. For later records and for the end,"
        f" compare the chain value {match.chain.hex()[:16]} with the others."
    )


@pytest.mark.parametrize("audience", [RED, None])
def test_seat_copy_of_a_joint_match_is_explained(tmp_path: Path, audience: Role | None) -> None:
    match = joint().match
    full = tmp_path / "full.fplog"
    full.write_bytes(log_bytes(match.header, match.records))
    header, records = match.redacted_header(audience), list(match.redacted_records(audience))
    alone = said(verdict(tmp_path, header, records))
    shown = sum(bool(record.command and record.command.salt) for record in records)
    assert shown < match.seq - 1
    assert alone["legality"].startswith("partly: The visible part of this copy replays")
    assert alone["dice and draws"].startswith("partly: ")
    assert alone["dice and draws"].endswith(
        "The results are checked in the full copy, after the game."
    )
    assert alone["deal"].startswith("partly: Dealt by all parties together")
    assert alone["authorship"].startswith(
        f"partly: Of {match.seq - 1} commands, this copy shows {shown}, each signed"
    )
    assert (
        alone["consent"] == "proved: 1 takeback, each with the signatures of all who had to agree."
    )
    compared = said(verdict(tmp_path, header, records, full))
    assert compared["legality"].startswith("proved")
    assert compared["dice and draws"].startswith("proved")
    assert (
        compared["one history"] == f"proved: The same as the full copy, up to record {match.seq}."
    )


def test_keys_of_bots_are_attributed_to_the_host(tmp_path: Path) -> None:
    match = joint().match
    seats = (
        match.header.seats[0],
        msgspec.structs.replace(match.header.seats[1], player="bot:greedy"),
    )
    header = msgspec.structs.replace(match.header, seats=seats)
    found = said(verdict(tmp_path, header, linked(header, match.records[:1])))
    assert "one person's program was honest (the host held the keys of blue)" in found["deal"]
    assert "the host held the keys of blue" in found["dice and draws"]
    assert found["authorship"] == "nothing: No command has been given yet."
    assert found["one history"].startswith("not proved: Nothing is signed yet")


def test_trusted_host_record_is_explained(tmp_path: Path) -> None:
    match = trusted()
    found = said(verdict(tmp_path, match.header, list(match.records)))
    chain = match.chain.hex()[:16]
    assert list(found) == TOPICS
    assert found["dice and draws"] == (
        "partly: Chosen by the host alone and checked against its secret;"
        " nothing shows that the secret was chosen honestly."
    )
    assert found["deal"].startswith(
        "partly: Dealt by the host alone and checked against its secret"
    )
    assert found["hands"].startswith("not proved: The host could read every hand")
    assert found["authorship"].startswith(
        "not proved: Nothing is signed: the host could give a command"
    )
    assert found["consent"] == "not proved: 1 takeback: nothing shows that the others agreed."
    assert found["one history"].startswith(
        "not proved: The host could show others a different history"
    )
    assert chain in found["one history"]
    told = said(verdict(tmp_path, match.redacted_header(RED), list(match.redacted_records(RED))))
    assert told["dice and draws"] == (
        "not proved: Chosen by the host alone; not checked here."
        " The full copy proves it after the game (--against)."
    )


def test_hotseat_record_is_explained(tmp_path: Path) -> None:
    match = new_match(scenario="short")
    play(match, 5, seed=3)
    found = said(verdict(tmp_path, match.header, list(match.records)))
    assert found["dice and draws"].startswith(
        "partly: Chosen by the program at one keyboard and checked"
    )
    assert found["hands"] == "nothing: All seats were at one keyboard."
    assert found["authorship"] == "nothing: All seats were at one keyboard; nothing is signed."
    assert found["consent"] == "nothing: Nothing was taken back."
    assert found["one history"].startswith("partly: One unbroken chain")


def test_one_seat_with_a_key_marks_the_record_as_hosted() -> None:
    """*Open* is judged by the seats alone, before anything is thrown or signed."""
    for seats, hands in (
        (SEATS, "nothing"),
        (KEYS, "not proved"),
        ((KEYS[0], SEATS[1]), "not proved"),
    ):
        position = TOY.position("short", {})
        match = Match.create(TOY, position, "short", {}, seats, bytes(32))
        proofs = topic_proofs(match.header, match.records, decided=True, compared=False)
        told = {proof.topic: proof.extent for proof in proofs}
        assert told["hands"] == hands
        assert (match_mode(match.header) == "open") == (hands == "nothing")


def test_explanation_of_a_false_record_covers_the_records_before_it(tmp_path: Path) -> None:

    table = Table().finish()
    lie = HOSTS["loaded_die"](table, random.Random(1))
    assert lie is not None
    found = verdict(tmp_path, lie.header, list(lie.records))
    assert found.status == "false"
    assert said(found)["one history"].endswith(
        f"{lie.records[lie.record - 1].chain.hex()[:16]} with the others."
    )
    wrong = msgspec.structs.replace(lie.header, secret=bytes(32))
    assert verdict(tmp_path, wrong, list(lie.records)).proofs == ()


class OtherToy(KinderToy):
    """Rules without any scoring."""

    @override
    def resolve(self, ledger: object, role: Role, command: object) -> None:
        if type(command).__name__ != "Roll":
            super().resolve(ledger, role, command)  # type: ignore[arg-type]  # only the roll differs


def test_record_under_different_rules_is_explained(tmp_path: Path) -> None:
    match = trusted()
    path = tmp_path / "copy.fplog"
    path.write_bytes(log_bytes(match.header, match.records))
    found = verify_file(path, OtherToy())
    assert found.status == "older"
    assert said(found)["legality"].startswith("not proved: The game was played under rules 1")
    assert said(found)["dice and draws"].startswith(
        "not proved: Chosen by the host alone; not checked"
    )


def test_every_golden_record_is_explained() -> None:
    for path in sorted((Path(__file__).parents[1] / "golden").glob("toy-*.fplog")):
        found = verify_file(path, TOY)
        topics = [proof.topic for proof in found.proofs]
        assert [topic for topic in topics if topic != "clock"] == TOPICS
        assert ("clock" in topics) == ("clock" in path.stem)
        assert all(proof.text.endswith((".", ").")) for proof in found.proofs)
