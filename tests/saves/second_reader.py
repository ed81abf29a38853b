"""A reader written from `docs/save-format.md` alone. It shares no code with the program."""

import zlib
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from nacl.secret import SecretBox

MAGIC = bytes.fromhex("8f46504c4f470d0a")


class Game(NamedTuple):
    header: dict[str, Any]
    records: list[dict[str, Any]]
    chains: list[bytes]


def pack(*values: object) -> bytes:
    return msgspec.msgpack.encode(values)


def hashed(purpose: str, data: bytes) -> bytes:
    return blake2b(data, digest_size=32, person=purpose.encode()).digest()


def keyed(purpose: str, key: bytes, size: int, data: bytes) -> bytes:
    return blake2b(data, digest_size=size, key=key, person=purpose.encode()).digest()


def padding(end: int) -> int:
    place = end % 512
    if place < 8:
        return 8 - place
    return 520 - place if place > 504 else 0


def part(data: bytes, start: int, lead: int) -> tuple[bytes, bytes, int]:
    """Return the lead and the body, and the offset of the byte after the head or frame."""
    begin = start + (8 if start == 0 else 0)
    length = int.from_bytes(data[begin : begin + 4], "big")
    assert zlib.crc32(data[begin : begin + 4]) == int.from_bytes(data[begin + 4 : begin + 8], "big")
    body = begin + 8 + lead
    end = body + length + 16
    end += padding(end)
    checksum = blake2b(data[start : end - 16], digest_size=16, person=b"flagplot-frame").digest()
    assert checksum == data[end - 16 : end]
    return data[begin + 8 : body], data[body : body + length], end


def read(data: bytes) -> Game:
    """Return the content of an undamaged file, after checking all its hashes."""
    assert data[:8] == MAGIC
    _, body, offset = part(data, 0, 0)
    header = msgspec.msgpack.decode(body)
    chain = header_chain(header)
    records: list[dict[str, Any]] = []
    chains: list[bytes] = []
    while offset < len(data):
        lead, body, offset = part(data, offset, 40)
        record = msgspec.msgpack.decode(body)
        assert int.from_bytes(lead[:8], "big") == len(records)
        assert lead[8:] == chain
        check_entries(record)
        chain = record_chain(chain, len(records), record)
        records.append(record)
        chains.append(chain)
    return Game(header, records, chains)


def header_chain(header: dict[str, Any]) -> bytes:
    plain = [header[name] for name in list(header)[:7]]
    options = [list(pair) for pair in sorted(header["options"].items())]
    seats = [[seat["role"], seat["player"], seat["seat_id"]] for seat in header["seats"]]
    promises = (header["secret_commitment"], header["position_commitment"])
    own_data = [header["own_data"]] if "own_data" in header else []
    clock = [["clock", *header["clock"].values()]] if "clock" in header else []
    parties = [[list(party.values()) for party in header["parties"]]] if "parties" in header else []
    later = (*own_data, *clock, *parties)
    return hashed("flagplot-header", pack(*plain, options, seats, *promises, *later))


def record_chain(previous: bytes, seq: int, record: dict[str, Any]) -> bytes:
    command = record["command"]
    given: list[Any] = []
    if record.keys() & {"links", "signature", "consents"}:
        signature, consents = record.get("signature"), record.get("consents")
        signed = None if consents is None else [list(consent.values()) for consent in consents]
        given = [record.get("links"), signature and signature["commitment"], signed]
    if record.keys() & {"steps", "sealed", "seeds"}:
        dealt = [record.get(name) for name in ("steps", "sealed", "seeds")]
        given.append(["cards", *(one and [list(each.values()) for each in one] for one in dealt)])
    return hashed(
        "flagplot-record",
        pack(
            previous,
            seq,
            record["kind"],
            record["role"],
            command and command["commitment"],
            [entry["commitment"] for entry in record["events"]],
            record["takeback_to"],
            record["secret"],
            *given,
        ),
    )


def entries(record: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the entries with the numbers used for their salts."""
    found = [(number, entry) for number, entry in enumerate(record["events"], start=1)]
    if "signature" in record:
        found.append((2**32 - 1, record["signature"]))
    return [(0, record["command"]), *found] if record["command"] else found


def check_entries(record: dict[str, Any]) -> None:
    for _, entry in entries(record):
        if entry["salt"] is not None:
            opening = entry["salt"] + pack(entry["tag"], entry["v"]) + entry["body"]
            assert hashed("flagplot-entry", opening) == entry["commitment"]


STATEMENTS = {
    "remark": ["type", "text"],
    "ending": ["type", "how", "by"],
    "adjournment": ["type", "by"],
    "resumption": ["type"],
    "clock": ["type", "spent"],
}


def statements(game: Game) -> list[dict[str, Any]]:
    """Return the statements in the records apart from the game, checked as far as the page describes them."""
    found = []
    for record in game.records:
        kind = record["kind"]
        if kind in {"opening", "command", "takeback", "reveal"}:
            continue
        entry = record["command"]
        assert (entry["tag"], entry["v"], record["events"]) == (kind, 1, [])
        assert entry["salt"] is not None
        body = msgspec.msgpack.decode(entry["body"])
        assert (body["type"], list(body)) == (kind, STATEMENTS[kind])
        if "by" in body:
            assert record["role"] in body["by"]
        found.append(body)
    return found


def agreed(record: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the word for an agreement in a record and the roles concerned; an empty word if there is none."""
    kind = record["kind"]
    if kind not in {"takeback", "ending", "adjournment"}:
        return "", []
    if kind == "takeback":
        return kind, []
    body = msgspec.msgpack.decode(record["command"]["body"])
    word = body.get("how", kind)
    return ("", []) if word == "time" else (word, body["by"])


def left(game: Game) -> dict[str, int]:
    """Return the milliseconds left on a clock for the whole game, computed from the records.

    Without a cap, it makes no difference whether time is taken away before or after a command adds to it.
    """
    clock = game.header["clock"]
    assert (clock["per"], clock["most"]) == ("game", 0)
    times = {seat["role"]: clock["seconds"] * 1000 for seat in game.header["seats"]}
    for record in game.records:
        if record["kind"] == "clock":
            for role, spent in msgspec.msgpack.decode(record["command"]["body"])["spent"].items():
                times[role] -= spent
        if record["kind"] == "command":
            times[record["role"]] += clock["more"] * 1000
    return times


def check_secret(game: Game, secret: bytes) -> None:
    """Check everything that follows from the secret without the rules."""
    header = game.header
    assert header["secret_commitment"] == hashed("flagplot-secret", secret)
    match = blake2b(secret, digest_size=8, person=b"flagplot-match").hexdigest()
    assert header["match_id"] == match
    if header["position"] is not None:
        salted = keyed("flagplot-setup", secret, 16, b"") + header["position"]
        assert hashed("flagplot-setup", salted) == header["position_commitment"]
    for seq, record in enumerate(game.records):
        for number, entry in entries(record):
            if entry["salt"] is not None:
                place = seq.to_bytes(8, "big") + number.to_bytes(4, "big")
                assert entry["salt"] == keyed("flagplot-salt", secret, 16, place)


def draw(secret: bytes, seq: int, number: int, limit: int) -> int:
    attempt = 0
    while True:
        place = seq.to_bytes(8, "big") + number.to_bytes(4, "big") + attempt.to_bytes(4, "big")
        value = int.from_bytes(keyed("flagplot-dice", secret, 8, place), "big")
        if value < 2**64 - 2**64 % limit:
            return value % limit
        attempt += 1


def joint_seed(secret: bytes, seq: int, links: list[bytes]) -> bytes:
    return keyed("flagplot-joint", secret, 32, seq.to_bytes(8, "big") + b"".join(links))


def check_parties(game: Game) -> int:
    """Check everything that the parties contributed, as far as the copy shows it. Return the number of signatures."""
    header, checked = game.header, 0
    match_id = header["match_id"]
    parties = {party["role"]: party for party in header["parties"]}
    assert len(parties) == len(header["parties"])
    last = [party["head"] for party in header["parties"]]

    def check(role: str, signature: bytes, *message: object) -> None:
        nonlocal checked
        key = Ed25519PublicKey.from_public_bytes(parties[role]["verify_key"])
        key.verify(signature, pack(*message))
        checked += 1

    for role, party in parties.items():
        cards = [party["cards"]] if "cards" in party else []
        check(role, party["proof"], "flagplot-party", match_id, role, party["head"], *cards)
    for seq, record in enumerate(game.records):
        if "links" in record:
            assert [hashed("flagplot-link", link) for link in record["links"]] == last
            last = record["links"]
        place = (match_id, seq, game.chains[seq - 1])
        assert (record["kind"] == "command") == ("signature" in record)
        if record["kind"] == "command":
            command, role = record["command"], record["role"]
            what = (role, command["tag"], command["v"], command["body"])
            assert (command["salt"] is None) == (record["signature"]["salt"] is None)
            if command["salt"] is not None:
                check(role, record["signature"]["body"], "flagplot-command", *place, *what)
        word, by = agreed(record)
        assert [consent["role"] for consent in record.get("consents", [])] == [
            role for role in parties if word and role in (by or parties)
        ]
        for consent in record.get("consents", []):
            asked = (record["role"], record["takeback_to"])
            check(consent["role"], consent["signature"], "flagplot-consent", word, *place, *asked)
    return checked


def check_steps(game: Game) -> int:
    """Check the signatures of all card steps. Return the number of steps."""
    match_id = game.header["match_id"]
    keys = {party["role"]: party["verify_key"] for party in game.header["parties"]}
    chain = blake2b(match_id.encode(), digest_size=32).digest()
    number, called = 0, (0, chain)
    for record in game.records:
        for step in record.get("steps", []):
            is_key = msgspec.msgpack.decode(step["body"])["kind"] == "keys-given"
            what = (step["author"], step["body"])
            signed = pack(
                "flagplot-cards", match_id, *(called if is_key else (number, chain)), *what
            )
            key = Ed25519PublicKey.from_public_bytes(keys[step["author"]])
            key.verify(step["signature"], signed)
            text = pack("flagplot-cards", match_id, number, chain, *what)
            chain = blake2b(text + step["signature"], digest_size=32).digest()
            number += 1
            called = called if is_key else (number, chain)
    return number


def opened(game: Game) -> dict[tuple[int, int], tuple[str, bytes]]:
    """Return the tag and body of everything in the boxes, by record and place, checked against the commitments."""
    match_id = game.header["match_id"]
    promised = {party["role"]: party["cards"] for party in game.header["parties"]}
    seeds = {one["role"]: one["seed"] for one in game.records[-1]["seeds"]}
    assert list(seeds) == list(promised)
    found = {}
    for role, seed in seeds.items():
        assert hashed("flagplot-cards", seed) == promised[role]
        key = keyed("flagplot-boxkey", seed, 32, pack(match_id, role, 0))
        for seq, record in enumerate(game.records):
            commitments = {number: entry["commitment"] for number, entry in entries(record)}
            for box in record.get("sealed", []):
                if box["role"] != role:
                    continue
                plain = SecretBox(key).decrypt(box["box"])
                assert len(plain) % 256 == 0
                content = plain.rstrip(b"\x00")
                assert content[-1] == 0x80
                for place, tag, v, body, salt in msgspec.msgpack.decode(content[:-1]):
                    opening = hashed("flagplot-entry", salt + pack(tag, v) + body)
                    assert opening == commitments[place]
                    found[seq, place] = tag, body
    return found
