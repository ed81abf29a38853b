"""Joint randomness as a whole: one honest party is enough, forks are named, and non-binding keys are refused."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from saves.errors import FairPlayError
from saves.follower import Follower
from saves.framing import scan
from saves.logfile import LogWriter, log_bytes
from saves.match import Match
from saves.protocol6.hash_chain import hash_link, joint_seed
from saves.protocol6.party_commitments import check_party
from saves.protocol6.signing import is_usable_key
from saves.verify import verify_file
from tests.saves.play import SECRET, linked
from tests.saves.protocol6.joint import Table, keys_of
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY

ZERO = bytes(32)


def links_from(seed: bytes, count: int) -> list[bytes]:
    """Return links in the order in which they are opened."""
    value, links = blake2b(seed, digest_size=32).digest(), list[bytes]()
    for _ in range(count):
        links.append(value)
        value = hash_link(value)
    return links[::-1]


def _chosen(honest: bytes, before: bytes) -> bytes:
    """Return the number that a cheat would choose in answer to the last link that it saw."""
    wanted = range(1, 50)
    return min(
        (bytes([each]) * 32 for each in wanted), key=lambda one: joint_seed(ZERO, 0, (before, one))
    )


DISHONEST: Mapping[str, Callable[[bytes, bytes], bytes]] = {
    "all zeros": lambda honest, before: ZERO,
    "always the same": lambda honest, before: b"same" * 8,
    "what the honest one opens": lambda honest, before: honest,
    "what the honest one opened before": lambda honest, before: before,
    "chosen by what was opened before": _chosen,
}


@pytest.mark.full
@pytest.mark.series("F2")
@pytest.mark.parametrize("name", DISHONEST)
@pytest.mark.parametrize("place", [0, 1])
def test_f2_dice_are_fair_with_one_honest_party(name: str, place: int) -> None:
    """The dishonest party is also the host: its secret is zero, and it opens any links it likes."""
    rolls = sized(2_000, 10_000, of="rolls of each dishonest party")
    honest = links_from(f"{name} {place}".encode(), rolls + 1)
    faces: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    last = 0
    for seq in range(1, rolls + 1):
        other = DISHONEST[name](honest[seq], honest[seq - 1])
        links = (honest[seq], other) if place == 0 else (other, honest[seq])
        face = DerivedDice(joint_seed(ZERO, 7, links), 7).randbelow(6)
        faces[face] += 1
        pairs[last, face] += 1
        last = face
    assert (
        chi_square([faces[face] for face in range(6)]) < 25.7
    )  # p = 0.0001 with 5 degrees of freedom
    assert (
        chi_square([pairs[one, two] for one in range(6) for two in range(6)]) < 82.0
    )  # 35 degrees


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


@pytest.mark.series("F2")
def test_f2_link_chosen_after_seeing_the_others_is_refused() -> None:
    """Only the committed link is accepted, so that there is no choice once the others are open."""
    table = Table()
    pledges = table.match.commitments
    good = tuple(keys.link(1) for keys in table.keys.values())
    rng = random.Random(2)
    refused = 0
    for _ in range(sized(1_000, 10_000, of="links picked after seeing")):
        place = rng.randrange(2)
        with pytest.raises(FairPlayError):
            pledges.check_links((*good[:place], rng.randbytes(32), *good[place + 1 :]))
        refused += 1
    pledges.check_links(good)
    assert refused


_PRIME = 2**255 - 19
_SMALL = (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
)
"""The eight points of small order of edwards25519."""


def _order(encoded: bytes) -> int:
    """Return the order of a point of small order by repeated addition."""
    curve = -121665 * pow(121666, -1, _PRIME) % _PRIME
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    square = (y * y - 1) * pow(curve * y * y + 1, -1, _PRIME) % _PRIME
    x = pow(square, (_PRIME + 3) // 8, _PRIME)
    if (x * x - square) % _PRIME:
        x = x * pow(2, (_PRIME - 1) // 4, _PRIME) % _PRIME
    assert (x * x - square) % _PRIME == 0
    point, total, order = (x, y), (x, y), 1
    while total != (0, 1):
        product = curve * point[0] * total[0] * point[1] * total[1] % _PRIME
        total = (
            (point[0] * total[1] + total[0] * point[1]) * pow(1 + product, -1, _PRIME) % _PRIME,
            (point[1] * total[1] + point[0] * total[0]) * pow(1 - product, -1, _PRIME) % _PRIME,
        )
        order += 1
    return order


@pytest.mark.series("F5")
def test_f5_non_binding_keys_are_refused() -> None:
    assert [_order(bytes.fromhex(one)) for one in _SMALL] == [1, 2, 4, 4, 8, 8, 8, 8]
    improper = [
        (value | sign << 255).to_bytes(32, "little")
        for value in range(_PRIME, 1 << 255)
        for sign in (0, 1)
    ]
    for key in (*(bytes.fromhex(one) for one in _SMALL), *improper, b"", bytes(31), bytes(33)):
        assert not is_usable_key(key)
    party = keys_of(RED).party("0" * 16, RED)
    assert is_usable_key(party.verify_key)
    check_party("0" * 16, party)
    rng = random.Random(5)
    for _ in range(sized(200, 10_000, of="random strings as keys")):
        strange = msgspec.structs.replace(party, verify_key=rng.randbytes(32))
        with pytest.raises(FairPlayError, match=r"red uses an insecure key|the commitments of red"):
            check_party("0" * 16, strange)


@pytest.mark.series("F5")
def test_f5_key_for_which_one_signature_fits_every_message_is_refused() -> None:
    """With the neutral point as key, R = S * B is a signature of any message, so such a key is refused."""
    identity = bytes.fromhex(_SMALL[0])
    forged = identity + bytes(32)
    party = msgspec.structs.replace(
        keys_of(RED).party("0" * 16, RED), verify_key=identity, proof=forged
    )
    with pytest.raises(FairPlayError, match="an insecure key"):
        check_party("0" * 16, party)


@pytest.mark.full
@pytest.mark.series("F9")
def test_f9_honest_joint_games_pass_and_a_flipped_secret_byte_fails(tmp_path: Path) -> None:
    rng = random.Random(9)
    path = tmp_path / "checked.fplog"
    for seed in range(
        sized(5, 60, 300, of="honest games of joint chance, and as many with a changed secret")
    ):
        match = Table(secret=rng.randbytes(32)).finish(seed).match
        for role in (RED, BLUE, None):
            header, records = match.redacted_header(role), list(match.redacted_records(role))
            path.write_bytes(log_bytes(header, records))
            assert verify_file(path, TOY).status == "ok"
            secret = bytearray(records[-1].secret or b"")
            secret[rng.randrange(len(secret))] ^= rng.randrange(1, 256)
            records[-1] = msgspec.structs.replace(records[-1], secret=bytes(secret))
            path.write_bytes(log_bytes(header, linked(header, records)))
            found = verify_file(path, TOY)
            assert found.finding is not None
            assert found.finding.record == len(records) - 1


def forked(steps: int, seed: int) -> tuple[Table, Table]:
    """Return two histories that diverge after some records, because the acting player gives two commands."""
    one, two = Table(scenario="middle"), Table(scenario="middle")
    rules, match = one.match.ruleset, one.match
    while True:
        for table in (one, two):
            table.play(steps, seed)
        role = rules.active_roles(match.state)[0]
        options = rules.decision(match.state, role).options
        if len(options) > 1:
            break
        steps = 1
    one.give(role, options[0])
    two.give(role, options[-1])
    return one, two


@pytest.mark.full
@pytest.mark.series("F3")
def test_f3_fork_names_the_seat_that_signed_both_histories(tmp_path: Path) -> None:
    full, told = tmp_path / "full.fplog", tmp_path / "told.fplog"
    for seed in range(sized(10, 100, of="forks")):
        one, two = forked(seed % 20, seed)
        fork = one.match.seq
        giver = one.match.records[fork].role
        for table in (one, two):
            table.play(10, seed)
        full.write_bytes(log_bytes(one.match.header, one.match.records))
        for role in (RED, BLUE):
            told.write_bytes(
                log_bytes(two.match.redacted_header(role), list(two.match.redacted_records(role)))
            )
            assert verify_file(told, TOY).status == "ok"
            found = verify_file(told, TOY, full).finding
            assert found is not None
            assert found.record == fork
            assert "a different history from here on" in found.problem
            assert role != giver or f"{giver} signed two different commands" in found.problem


def test_match_sent_with_two_different_commitments_is_detected(tmp_path: Path) -> None:
    full, told = tmp_path / "full.fplog", tmp_path / "told.fplog"
    match = Table().match
    full.write_bytes(log_bytes(match.header, match.records))
    other = keys_of(BLUE, ZERO).party(match.header.match_id, BLUE)
    assert match.header.parties is not msgspec.UNSET
    parties = (match.header.parties[0], other)
    links = tuple(keys_of(role, secret).link(0) for role, secret in ((RED, SECRET), (BLUE, ZERO)))
    header = msgspec.structs.replace(match.redacted_header(RED), parties=parties)
    records = [msgspec.structs.replace(next(match.redacted_records(RED)), links=links)]
    told.write_bytes(log_bytes(header, linked(header, records)))
    found = verify_file(told, TOY, full).finding
    assert found is not None
    assert (found.record, found.problem) == (
        -1,
        "the full copy has a different commitment by blue",
    )


def test_joint_seed_depends_on_secret_record_number_and_links() -> None:
    """The roll follows only from its place and the links, so that trying other commands reveals nothing new."""
    links = (b"r" * 32, b"b" * 32)
    assert joint_seed(SECRET, 3, links) != joint_seed(SECRET, 4, links)
    assert joint_seed(SECRET, 3, links) != joint_seed(SECRET, 3, links[::-1])
    assert joint_seed(SECRET, 3, links) != joint_seed(ZERO, 3, links)


def test_resumed_match_continues_the_link_chain(tmp_path: Path) -> None:
    table = Table()
    path = tmp_path / "game.fplog"
    table.play(7, 3)
    path.write_bytes(log_bytes(table.match.header, table.match.records))
    resumed = Match.resume(path, TOY)
    assert resumed.commitments.count == table.match.commitments.count
    table.match = resumed
    table.play(seed=4)
    resumed.reveal()
    resumed.close()
    assert verify_file(path, TOY).status == "ok"
    assert scan("", path.read_bytes()).damage is None
    seat = tmp_path / "seat.fplog"
    copy = Follower.create(TOY, resumed.redacted_header(RED), LogWriter.create(seat))
    told = list(resumed.redacted_records(RED))
    for record in told[:6]:
        copy.receive(record)
    copy.close()
    again = Follower.resume(seat, TOY)
    for record in told[6:]:
        again.receive(record)
    assert again.chain == resumed.chain
    again.close()
