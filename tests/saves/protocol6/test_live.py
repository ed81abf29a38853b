"""Refusals during a game: by the host of what peers send, and by a seat of what the host requests and sends."""

import random
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec
import pytest
from msgspec import UNSET

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.chain import compute_throw_digest
from saves.errors import FairPlayError, LinksNeededError, MatchError
from saves.follower import Follower
from saves.headers import Seat
from saves.match import Match, PartyContributions, match_id_of, new_secret
from saves.protocol6.hash_chain import CHAIN_LENGTH
from saves.protocol6.parties import Consent, Links, Party, Throw
from saves.protocol6.signing import promise_message
from saves.redaction import redact_record
from tests.saves.play import SECRET, linked, new_match
from tests.saves.protocol6.cheats import FORGER
from tests.saves.protocol6.joint import Table, asked, keys_of, rolling
from tests.saves.protocol6.program.keys import PartyKeys
from tests.saves.protocol6.program.signed_texts import command_text, takeback_text
from tests.sizes import sized
from tests.toy_game import BLUE, RED, ROLES, TOY, Hold, Roll

Lie: TypeAlias = Callable[[Table, Role, Throw, random.Random], Links]


def _put(table: Table, role: Role, throw: Throw, link: bytes) -> Links:
    links = table.links(throw)
    place = list(table.keys).index(role)
    return (*links[:place], link, *links[place + 1 :])


LINKS: Mapping[str, Lie] = {
    "made up": lambda table, role, throw, rng: _put(table, role, throw, rng.randbytes(32)),
    "old": lambda table, role, throw, rng: _put(
        table, role, throw, table.keys[role].link(rng.randrange(throw.index))
    ),
    "later": lambda table, role, throw, rng: _put(
        table, role, throw, table.keys[role].link(throw.index + rng.randrange(1, 40))
    ),
    "of another": lambda table, role, throw, rng: _put(
        table, role, throw, table.links(throw)[1 - list(table.keys).index(role)]
    ),
    "too short": lambda table, role, throw, rng: _put(table, role, throw, b"short"),
}


@pytest.mark.full
@pytest.mark.series("F3")
@pytest.mark.parametrize("name", LINKS)
def test_f3_wrong_link_names_its_peer(name: str) -> None:
    for seed in range(sized(10, 100, of="games of each cheating peer")):
        table, giver = rolling(seed)
        rng = random.Random(seed)
        liar = rng.choice(ROLES)
        match = table.match
        before = match.chain
        signature = table.keys[giver].sign(command_text(match, giver, Roll()))
        with pytest.raises(LinksNeededError) as asked:
            match.submit(giver, Roll(), match.seq, signature)
        links = LINKS[name](table, liar, asked.value.throw, rng)
        with pytest.raises(FairPlayError) as found:
            match.submit(giver, Roll(), match.seq, signature, links)
        assert found.value.role == liar
        assert liar in found.value.problem
        assert (match.chain, match.commitments.count) == (before, asked.value.throw.index)
        match.submit(giver, Roll(), match.seq, signature, table.links(asked.value.throw))


Sign: TypeAlias = Callable[[Table, Role, Command], bytes]


def _by_another(table: Table, role: Role, command: Command) -> bytes:
    other = next(each for each in table.keys if each != role)
    return table.keys[other].sign(command_text(table.match, role, command))


def _of_another_match(table: Table, role: Role, command: Command) -> bytes:
    return table.keys[role].sign(command_text(rolling(7_000)[0].match, role, command))


def _of_an_earlier_record(table: Table, role: Role, command: Command) -> bytes:
    signature = table.match.records[-1].signature
    assert signature is not UNSET
    return signature.body or b""


SIGNATURES: Mapping[str, Sign] = {
    "none": lambda table, role, command: b"",
    "made up": lambda table, role, command: bytes(64),
    "too long": lambda table, role, command: bytes(65),
    "of the forger": lambda table, role, command: FORGER.sign(
        command_text(table.match, role, command)
    ),
    "of another role": _by_another,
    "of another command": lambda table, role, command: table.keys[role].sign(
        command_text(table.match, role, Hold())
    ),
    "in another role's name": lambda table, role, command: table.keys[role].sign(
        command_text(table.match, next(each for each in ROLES if each != role), command)
    ),
    "of another match": _of_another_match,
    "of an earlier record": _of_an_earlier_record,
}


@pytest.mark.full
@pytest.mark.series("F3")
@pytest.mark.parametrize("name", SIGNATURES)
def test_f3_command_without_a_valid_signature_is_refused(name: str) -> None:
    for seed in range(sized(10, 100, of="games of each cheating peer")):
        table, giver = rolling(seed)
        match, before = table.match, table.match.chain
        signature = SIGNATURES[name](table, giver, Roll())
        with pytest.raises(
            FairPlayError, match=f"the command attributed to {giver} is not signed"
        ) as found:
            match.submit(giver, Roll(), match.seq, signature)
        assert (found.value.role, match.chain) == (giver, before)
        table.give(giver, Roll())


@pytest.mark.series("F3")
def test_f3_takeback_requires_consent_from_all_parties_to_that_takeback() -> None:
    for seed in range(sized(10, 100, of="games of each cheating peer")):
        table, _ = rolling(seed)
        match, rng = table.match, random.Random(seed)
        victim, asker = rng.choice(ROLES), rng.choice(ROLES)
        place = ROLES.index(victim)
        to_seq = rng.randrange(match.seq)
        message = takeback_text(match, asker, to_seq)
        good = tuple(keys.consent(role, message) for role, keys in table.keys.items())
        keys = table.keys[victim]
        other = takeback_text(match, asker, match.seq - 1 if to_seq == 0 else to_seq - 1)
        lies: tuple[tuple[Consent, ...], ...] = (
            (),
            (FORGER.consent(victim, message),),
            (keys.consent(victim, other),),
            (keys.consent(victim, takeback_text(match, Role("green"), to_seq)),),
            (keys.consent(victim, command_text(match, victim, Hold())),),
        )
        for wrong in lies:
            with pytest.raises(
                FairPlayError, match=f"the consent (of|attributed to) {victim}"
            ) as found:
                match.take_back(to_seq, asker, (*good[:place], *wrong, *good[place + 1 :]))
            assert found.value.role == victim
        for disordered in ((*good, good[0]), good[::-1]):
            with pytest.raises(FairPlayError, match="in their order"):
                match.take_back(to_seq, asker, disordered)
        match.take_back(to_seq, asker, good)


def parties() -> tuple[Party, ...]:
    return tuple(keys_of(role).party(match_id_of(SECRET), role) for role in ROLES)


def begin(*promises: Party, links: Links | None = None) -> Match[Any]:
    seats = tuple(Seat(role=role, player=role, seat_id="key") for role in ROLES)
    joint = PartyContributions(promises, links)
    return Match.create(
        TOY, TOY.position("short", {}), "short", {}, seats, SECRET, contributions=joint
    )


def test_match_with_invalid_commitments_is_refused() -> None:
    red, blue = parties()
    change = msgspec.structs.replace
    for wrong, words in (
        ((), "but no parties"),
        ((red, red), "red repeats a key or commitment"),
        ((red, change(blue, verify_key=red.verify_key)), "blue repeats a key or commitment"),
        ((red, change(blue, head=red.head)), "blue repeats a key or commitment"),
        ((red, change(blue, head=bytes(32))), "the commitments of blue are not signed"),
        ((red, change(blue, proof=bytes(64))), "the commitments of blue are not signed"),
        (
            (red, keys_of(BLUE).party(match_id_of(bytes(32)), BLUE)),
            "the commitments of blue are not",
        ),
        ((red, blue, keys_of(Role("green")).party(match_id_of(SECRET), Role("green"))), "a seat"),
        ((change(red, verify_key=bytes(32)), blue), "red uses an insecure key"),
    ):
        with pytest.raises(FairPlayError, match=words):
            begin(*wrong)
    links = tuple(keys_of(role).link(0) for role in ROLES)
    with pytest.raises(FairPlayError, match="blue made no commitments"):
        begin(red, links=links[:1])
    with pytest.raises(FairPlayError, match="red's link is the next one of blue"):
        begin(red, blue, links=links[::-1])
    assert begin(red, blue, links=links).commitments.count == 1


def test_match_without_parties_refuses_signatures_and_links() -> None:
    match = new_match(scenario="short")
    signature = keys_of(RED).sign(command_text(match, RED, Hold()))
    with pytest.raises(MatchError, match="its host alone generates the randomness"):
        match.submit(RED, Hold(), 0, signature)
    with pytest.raises(MatchError, match="its host alone generates the randomness"):
        match.submit(RED, Hold(), 0, b"", ())
    match.submit(RED, Hold(), 0)
    with pytest.raises(MatchError, match="its host alone generates the randomness"):
        match.take_back(0, RED, ())


def test_links_for_a_command_without_chance_are_refused() -> None:
    table = Table()
    match = table.match
    signature = table.keys[RED].sign(command_text(match, RED, Hold()))
    links = tuple(keys.link(1) for keys in table.keys.values())
    with pytest.raises(MatchError, match="uses no randomness"):
        match.submit(RED, Hold(), 0, signature, links)


def test_exhausted_hash_chain_is_reported() -> None:
    table, giver = rolling()
    table.match.commitments.count = CHAIN_LENGTH
    signature = table.keys[giver].sign(command_text(table.match, giver, Roll()))
    links = tuple(keys.link(0) for keys in table.keys.values())
    with pytest.raises(FairPlayError, match="used up"):
        table.match.submit(giver, Roll(), table.match.seq, signature, links)


# The answers of a seat's program.


def followed(table: Table, role: Role, until: int | None = None) -> Follower[Any]:
    copy = Follower.create(TOY, table.match.redacted_header(role))
    for record in list(table.match.redacted_records(role))[:until]:
        copy.receive(record)
    return copy


def test_seat_refuses_a_command_in_its_name_that_it_did_not_send() -> None:
    table = Table()
    copy = followed(table, RED)
    record = table.give(RED, Hold())
    entry = record.signature
    assert entry is not UNSET
    nothing = msgspec.structs.replace(entry, tag="", v=0, body=None, salt=None)
    told = redact_record(TOY, record, RED)
    for wrong in (UNSET, nothing):
        bare = msgspec.structs.replace(told, signature=wrong)
        lie = linked(table.match.header, [table.match.records[0], bare])[-1]
        with pytest.raises(FairPlayError) as found:
            copy.receive(lie)
        assert found.value.role == RED
    assert copy.receive(told)


def test_seat_refuses_a_header_with_invalid_commitments() -> None:
    match = Table().match
    header = match.redacted_header(RED)
    assert header.parties is not UNSET
    other = msgspec.structs.replace(header.parties[1], head=bytes(32))
    header = msgspec.structs.replace(header, parties=(header.parties[0], other))
    with pytest.raises(FairPlayError, match="the commitments of blue are not signed with its key"):
        Follower.create(TOY, header)


@pytest.mark.series("F8")
def test_f8_party_that_withholds_links_is_named_at_every_throw_and_play_continues() -> None:
    table = Table(secret=new_secret())
    match, rules, named = table.match, table.match.ruleset, 0
    rng = random.Random(8)
    while rules.active_roles(match.state):
        role = rng.choice(rules.active_roles(match.state))
        command = rng.choice(rules.decision(match.state, role).options)
        signature = table.keys[role].sign(command_text(match, role, command))
        try:
            match.submit(role, command, match.seq, signature)
        except LinksNeededError as error:
            links = table.links(error.throw)
            for place, missing in enumerate(table.keys):
                for left in (links[:place], _put(table, missing, error.throw, b"")):
                    with pytest.raises(FairPlayError, match=f"{missing}'s link is") as found:
                        match.submit(role, command, match.seq, signature, left)
                    assert found.value.role == missing
                    named += 1
            match.submit(role, command, match.seq, signature, links)
    assert named >= 12


def test_commitment_message_covers_match_role_and_head() -> None:
    keys = PartyKeys(SECRET)
    party = keys.party("0" * 16, RED)
    assert party.proof == keys.sign(promise_message("0" * 16, RED, party.head))
    messages = {
        promise_message(match_id, role, head)
        for match_id in ("0" * 16, "1" * 16)
        for role in ROLES
        for head in (party.head, bytes(32))
    }
    assert len(messages) == 8
    assert Consent(role=RED, signature=party.proof) == keys.consent(
        RED, promise_message("0" * 16, RED, party.head)
    )


def test_recorded_throw_is_the_requested_one() -> None:
    table, giver = rolling()
    throw, signature = asked(table, giver)
    match = table.match
    record = match.submit(giver, Roll(), match.seq, signature, table.links(throw))
    assert (record.seq, record.prev, record.role) == (throw.seq, throw.prev, throw.role)
    for seen in (record, *(redact_record(TOY, record, role) for role in (*ROLES, None))):
        assert compute_throw_digest(seen.role, seen.command, seen.signature) == throw.digest
