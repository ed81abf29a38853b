"""Files of matches with encrypted cards: what they prove, line by line, and their other formats."""

import json
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from engine.registry import ruleset
from saves.decoding import canonical
from saves.errors import RedactedCopyError
from saves.jsonlines import ImportRefusedError, json_lines, read_json_lines
from saves.logfile import log_bytes, read_log
from saves.protocol6.unredaction import full_copy
from saves.record_views import SPECTATOR, records_seen_by
from saves.records import Record
from saves.textlog import read_text, text_lines
from saves.verify import verify_file
from tests.saves import second_reader
from tests.saves.play import linked
from tests.saves.protocol6.faircheats import JAPAN, File, copy_of, end, full_of
from tests.saves.protocol6.fairtable import FairTable
from tools.verdicts import as_json, as_text

SPECTATORS = "spectator"


@lru_cache(maxsize=1)
def played() -> FairTable:
    table = FairTable()
    table.play(16, 3)
    table.take_back(table.match.seq - 2, JAPAN)
    return end(table)


def files() -> dict[str, File]:
    """Return every kind of copy of a finished match."""
    table = played()
    records = table.match.records
    return {
        "full": full_of(table, records),
        "host": (table.match.header, records),
        **{role: copy_of(table, records, role) for role in table.seats},
        SPECTATORS: copy_of(table, records, None),
    }


KINDS = ("full", "host", "allied", "japan", SPECTATORS)


def written(folder: Path, file: File) -> Path:
    path = folder / "match.fplog"
    path.write_bytes(log_bytes(*file))
    return path


def said(folder: Path, file: File, against: Path | None = None) -> dict[str, str]:
    found = verify_file(written(folder, file), against=against)
    assert str(found.finding) == "None"
    return {proof.topic: f"{proof.extent}: {proof.text}" for proof in found.proofs}


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_json_lines_round_trip_byte_for_byte(kind: str) -> None:
    header, records = files()[kind]
    lines = list(json_lines(header, records))
    assert log_bytes(*read_json_lines(lines)) == log_bytes(header, records)


@pytest.mark.parametrize("kind", KINDS)
def test_text_export_is_readable_but_import_is_refused(kind: str) -> None:
    table = played()
    lines = list(text_lines(table.rules, *files()[kind]))
    assert lines[-1] == f"chain {table.match.chain.hex()}"
    with pytest.raises(ImportRefusedError, match="the seats of this match dealt the cards"):
        read_text(lines)


HANDS = "not proved: not proved against a dishonest host (protocol 6)"
ORDER = "The order of the deck is not proved against a dishonest host (protocol 6)."
BLAME = (
    "not proved: Events and boxes are not signed, so a dishonest host or seat can make an honest seat look guilty:"
    " the blamed seat may be the wrong one (protocol 6)."
)


def test_full_copy_does_not_prove_hands_decks_or_blame(tmp_path: Path) -> None:
    proofs = said(tmp_path, files()["full"])
    for topic in ("legality", "authorship", "consent"):
        assert proofs[topic].startswith("proved: "), proofs[topic]
    assert proofs["hands"] == HANDS
    assert proofs["blame"] == BLAME
    assert proofs["dice and draws"].startswith("partly: ")
    assert proofs["dice and draws"].endswith(
        "nobody could choose or predict a die, as long as one party's program was honest."
        " Draws from a deck are not proved against a dishonest host (protocol 6)."
    )
    assert proofs["deal"] == (
        "partly: Shuffled and dealt by all parties under encryption, with each step signed"
        f" and compared with the card seeds; each card drawn was the top card. {ORDER}"
    )


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_comparison_with_the_full_copy_adds_no_claim_about_hands_or_decks(
    tmp_path: Path, kind: str
) -> None:
    full = tmp_path / "full.fplog"
    full.write_bytes(log_bytes(*files()["full"]))
    for against in (None, full):
        proofs = said(tmp_path, files()[kind], against)
        assert (proofs["hands"], proofs["blame"]) == (HANDS, BLAME)
        assert proofs["deal"].startswith("partly: ")
        assert proofs["deal"].endswith(ORDER)
        assert not proofs["dice and draws"].startswith("proved")


def test_false_first_record_still_reports_hands_and_blame_as_not_proved(
    tmp_path: Path,
) -> None:
    header, records = files()["full"]
    bare = msgspec.structs.replace(records[0], links=msgspec.UNSET)
    found = verify_file(written(tmp_path, (header, linked(header, [bare, *records[1:]]))))
    assert (found.status, found.records) == ("false", 0)
    told = {proof.topic: f"{proof.extent}: {proof.text}" for proof in found.proofs}
    assert told == {"hands": HANDS, "blame": BLAME}


def test_explain_output_reports_unproved_hands_in_text_and_json(tmp_path: Path) -> None:
    found = verify_file(written(tmp_path, files()["full"]))
    lines = [line.strip() for line in as_text(found, explained=True).splitlines()]
    assert "hands: not proved against a dishonest host (protocol 6)" in lines
    assert f"blame, {BLAME}" in lines
    assert not any(line.startswith(("hands, proved", "deal, proved:")) for line in lines)
    proofs = json.loads(as_json([found], explained=True))[0]["proofs"]
    assert {
        "topic": "hands",
        "extent": "not proved",
        "text": "not proved against a dishonest host (protocol 6)",
    } in proofs


@pytest.mark.full
def test_seat_copy_compared_with_the_full_copy_proves_as_much(tmp_path: Path) -> None:
    full = tmp_path / "full.fplog"
    full.write_bytes(log_bytes(*files()["full"]))
    for kind in KINDS[1:]:
        alone, beside = said(tmp_path, files()[kind]), said(tmp_path, files()[kind], full)
        assert alone["deal"].startswith(
            "partly: Shuffled and dealt by all parties under encryption"
        )
        assert "Whether the right cards were dealt" not in beside["deal"]
        assert beside["legality"].startswith("proved: ")
        assert beside["one history"].startswith("proved: The same as the full copy")


@pytest.mark.full
def test_unfinished_match_reports_claims_not_yet_proved(tmp_path: Path) -> None:
    table = FairTable()
    table.play(10, 3)
    for copy in (table.match, *table.copies.values()):
        proofs = said(tmp_path, (copy.header, copy.records))
        assert proofs["hands"] == HANDS
        assert proofs["deal"] == (
            "partly: Shuffled and dealt by all parties under encryption, with each step signed"
            f" and checked as far as possible until the card seeds are revealed."
            f" Cards turned up are the cards that were dealt. {ORDER}"
        )
    with pytest.raises(RedactedCopyError, match="before the card seeds are revealed"):
        full_copy(table.match.header, table.match.records)


def test_host_bot_does_not_change_the_claim_about_hands(tmp_path: Path) -> None:
    header, records = files()["host"]
    seats = (header.seats[0], msgspec.structs.replace(header.seats[1], player="bot:greedy"))
    told = msgspec.structs.replace(header, seats=seats)
    bots: list[Record] = linked(told, records[:1])
    assert said(tmp_path, (told, bots))["hands"] == HANDS


@pytest.mark.full
def test_several_processes_give_the_same_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saves.verify.LONG_RECORDS", 2)
    path = written(tmp_path, files()["full"])
    assert verify_file(path, jobs=2) == verify_file(path)


def test_host_copy_is_labelled_and_shows_a_spectator_no_secrets(tmp_path: Path) -> None:
    table = played()
    path = written(tmp_path, files()["host"])
    assert "host's copy, without hands" in as_text(verify_file(path))
    header, records = records_seen_by(table.rules, read_log(path), SPECTATOR)
    assert (header, [*records]) == (files()[SPECTATORS][0], [*files()[SPECTATORS][1]])


def test_full_copy_can_only_be_made_from_the_host_copy() -> None:
    for kind in ("allied", SPECTATORS):
        with pytest.raises(RedactedCopyError, match="only the host"):
            full_copy(*files()[kind])


def test_card_seed_opens_every_entry_known_to_its_seat() -> None:
    """A seat's copy follows from the host's copy and the seat's card seed."""
    whole, seats = files()["full"][1], played().seats
    for number, record in enumerate(whole):
        for role in seats:
            mine = files()[role][1][number]
            known = [entry for entry in mine.events if entry.salt is not None]
            assert all(entry in record.events for entry in known)


@pytest.mark.parametrize("kind", KINDS)
def test_second_reader_decrypts_cards_from_the_format_page_alone(kind: str) -> None:
    game = second_reader.read(log_bytes(*files()[kind]))
    assert second_reader.check_parties(game)
    assert second_reader.check_steps(game) == played().match.deck_protocol.settled
    found = second_reader.opened(game)
    full = files()["full"][1]
    assert found
    for (seq, place), (tag, body) in found.items():
        entries = {0: full[seq].command, **dict(enumerate(full[seq].events, 1))}
        if place in entries:
            entry = entries[place]
            assert entry is not None
            assert (entry.tag, entry.body) == (tag, body)


@pytest.mark.parametrize(
    ("game", "cards", "digest"),
    [("eots", 170, "2a440b22f26774fd"), ("qmg", 385, "9de681103bee2a71")],
)
def test_deck_order_matches_its_pinned_digest(game: str, cards: int, digest: str) -> None:
    """Cards are numbered by their place in the deck, so old records need the same order."""
    decks = ruleset(game).decks()
    plain = [(str(role), list(names)) for role, names in decks.items()]
    assert sum(map(len, decks.values())) == cards
    assert blake2b(canonical(plain), digest_size=8).hexdigest() == digest
