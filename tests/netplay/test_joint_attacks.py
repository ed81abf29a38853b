"""A hostile host or seat attacks unchanged programs over TLS in matches whose host deals (mode joint).

The promises are those of docs/fair-play.md, section 12.
"""

import asyncio
import errno
import os
import random
import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.feed.desync_detector import DesyncDetector
from netplay.feed.host_session import HostSession
from netplay.match_state.match_recorder import MatchRecorder
from netplay.peer import replicator
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState, FullRecordReceived, PeerEvent
from netplay.transport import handshake
from netplay.wire import limits
from netplay.wire.errors import ConnectionLostError, SeatRefusedError
from netplay.wire.messages import Desync, FullPart, PollUpdates, PostPart, Refused, Rules, Waiting
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.fair.dealer import Dealer
from saves.fair.messages import (
    HOST,
    Consent,
    End,
    Kind,
    Message,
    Mix,
    Offer,
    Proposal,
    Request,
    Reveal,
    Seed,
    SignedMessage,
    encode_message,
)
from saves.fair.setup import make_commitments, party_message
from saves.fair.state import FairState, TranscriptPhase
from saves.fair.terms import FairParty, TimeLimits
from saves.files import Files
from saves.headers import Header, decode_header, encode_header
from saves.records import Record
from saves.redaction import redact_record
from saves.verify import verify_file
from tests.netplay import tables, test_joint
from tests.netplay import test_fair_attacks as fair_attacks
from tests.netplay.fair.other_dice import OtherDice
from tests.netplay.faulty_disk import FaultyDisk
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import PLAYERS, live, room, until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, one_more
from tests.netplay.test_fair_attacks import LIMIT, accepted, cli, draw, framed, one, post_of
from tests.netplay.test_joint import check_proved
from tests.sizes import sampled
from tests.tools.commands import Cli
from tests.toy_game import CardId, Lay
from tests.toy_sealed import SEALED_TOY

__all__ = ("cli",)
change = msgspec.structs.replace


def joint(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, seats: bool = True
) -> AbstractAsyncContextManager[HostileHall]:
    """Open a match whose host deals and belongs to the attacker."""
    return hostile_hall(folder, monkeypatch, chance=JOINT, seats=seats)


def dealer(hall: HostileHall) -> Dealer:
    made = hall.match._dealer
    assert made is not None
    return made


def other(role: Role) -> Role:
    return next(one for one in EOTS_PLAYERS if one != role)


async def find(hall: HostileHall, *, uses_chance: bool) -> Command:
    """Play until the asked seat can give such a command. That seat becomes the accomplice."""
    while True:
        await hall.level()
        await until(hall.is_settled)
        role = hall.asked_seat()
        hall.accomplice, hall.victim = role, other(role)
        decision = hall.peers[role].decision()
        assert decision is not None
        for command in decision.options:
            if hall.participant(role)._uses_chance(command) == uses_chance:
                return cast("Command", command)
        await hall.give_one()


def request(hall: HostileHall, command: Command, *, uses_chance: bool) -> SignedMessage:
    body = hall.participant(hall.accomplice)._build_request(command, uses_chance=uses_chance)
    return hall.message(hall.accomplice, Kind.REQUEST, body)


def reveal_of(hall: HostileHall, number: int, state: FairState) -> SignedMessage:
    value = hall.participant(hall.accomplice)._secrets.reveal(number)
    return hall.message(hall.accomplice, Kind.REVEAL, Reveal(number, value), state)


async def stops_with(hall: HostileHall, cli: Cli, charge: str, author: str) -> None:
    """Check that the victim stops and releases nothing more, and that its evidence is valid."""
    before = hall.released[hall.victim].messages()
    victim = await hall.stopped(hall.victim)
    hall.check(hall.victim)
    assert "evidence saved" in victim.reporter.status.reason
    assert hall.released[hall.victim].messages() == before, "nothing is released"
    holds(hall, hall.victim, cli, charge, author)


def holds(hall: HostileHall, role: Role, cli: Cli, charge: str, author: str) -> None:
    verdict = hall.evidence(role)
    assert (verdict.status, verdict.charge, verdict.author) == ("holds", charge, author)
    ran = cli("verify", "--evidence", verdict.file)
    assert ran.code == 0
    assert (author or "the host") in ran.out


# -- a hostile host: before the match begins

Told = Callable[[Waiting], Waiting]


def retold(**terms: object) -> Told:
    """Return the attack that sends one seat a header with other terms."""

    def tell(told: Waiting) -> Waiting:
        header = decode_header(told.header)
        if header.fair is msgspec.UNSET:
            return told
        return change(told, header=encode_header(change(header, fair=change(header.fair, **terms))))

    return tell


def without_terms(told: Waiting) -> Waiting:
    if told.missing:
        return told
    return change(
        told, header=encode_header(change(decode_header(told.header), fair=msgspec.UNSET))
    )


def called_fair_later(told: Waiting) -> Waiting:
    return told if told.missing else change(told, mode="fair")


HEADERS: dict[str, tuple[Told, str]] = {
    "without-the-key-of-the-host": (
        retold(dealer_key=msgspec.UNSET),
        "the host announced this match as joint, but set it up as fair (experimental)",
    ),
    "called-fair-later": (
        called_fair_later,
        "the host first announced this match as joint, and now as fair (experimental)",
    ),
    "without-terms": (
        without_terms,
        "the host announced this match as joint, but set it up as trusted host",
    ),
    "with-a-key-of-small-order": (
        retold(dealer_key=bytes(32)),
        "the host deals, but its key cannot be used for encryption",
    ),
    "with-a-useless-key-of-the-order": (
        retold(host_key=bytes(32)),
        "the host's key is not a valid signing key",
    ),
    "without-parties": (
        retold(parties=()),
        "the host's set-up of the match does not contain the commitments of japan",
    ),
    "with-another-key": (
        retold(dealer_key=bytes(31) + b"\x09"),
        "the host has signed a different match set-up than the one it sent here",
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", sampled(list(HEADERS), 2, of="false headers of a host that deals"))
async def test_a_seat_refuses_a_match_with_an_altered_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch, seats=False) as hall:
        hall.headers[hall.victim], sentence = HEADERS[name]
        for role in hall.players:
            hall.seat(role)
        victim = await hall.stopped(hall.victim)
        assert victim.reporter.status.reason.startswith(sentence)
        assert victim.seq == -1
        assert not hall.of(hall.victim)
        assert hall.peers[hall.accomplice].reporter.status.link is ConnectionState.WAITING


@pytest.mark.full
async def test_an_enrolled_seat_refuses_a_match_without_signatures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        victim = hall.peers[hall.victim]
        header, rules = victim.header, victim.copy.ruleset
        assert header is not None
        theirs = Rules(edition=rules.edition, version=rules.version, data_digest=rules.data_digest)
        await victim.close()
        victim.copy.path.unlink()
        again = Peer(hall.opened.invites[hall.victim], tmp_path / str(hall.victim))
        bare = encode_header(change(header, fair=msgspec.UNSET))
        with pytest.raises(SeatRefusedError, match="without signatures"):
            again.copy.adopt_header(bare, theirs)
        await again.close()


# -- a hostile host: the transcript


def of_host(kind: Kind, body: Callable[[HostileHall], Any]) -> fair_attacks.Attack:
    return one(lambda hall: hall.message(HOST, kind, body(hall)))


PROVED: dict[str, tuple[fair_attacks.Attack, str, str]] = {
    **fair_attacks.PROVED,
    "the-host-opens-its-secret-in-a-running-match": (
        of_host(Kind.SEED, lambda hall: Seed(dealer(hall).secret)),
        "E3",
        "",
    ),
    "the-host-proposes-where-no-command-is-pending": (
        of_host(Kind.PROPOSAL, lambda _: Proposal((), (), (), "done")),
        "E3",
        "",
    ),
    "the-accomplice-mixes-a-deck": (
        one(lambda hall: hall.message(hall.accomplice, Kind.MIX, Mix(ALLIED, "draw", (), (), ()))),
        "E3",
        "",
    ),
    "the-accomplice-proposes": (
        one(
            lambda hall: hall.message(hall.accomplice, Kind.PROPOSAL, Proposal((), (), (), "done"))
        ),
        "E3",
        "",
    ),
    "a-consent-to-no-offer": (
        one(lambda hall: hall.message(hall.accomplice, Kind.CONSENT, Consent(agrees=True))),
        "E3",
        "",
    ),
}


@pytest.mark.parametrize("name", sampled(list(PROVED), 2, of="false transcripts of a joint match"))
async def test_a_victim_halts_with_valid_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, name: str
) -> None:
    attack, charge, author = PROVED[name]
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        hall.lie(hall.victim, attack(hall), hall.state.index + 1)
        await stops_with(hall, cli, charge, author)


def without_the_last_event(body: Proposal) -> Proposal:
    return change(body, events=body.events[:-1])


def with_an_event_twice(body: Proposal) -> Proposal:
    return change(body, events=(*body.events, body.events[-1]))


def with_a_commitment(body: Proposal) -> Proposal:
    first = change(body.events[0], entry=change(body.events[0].entry, commitment=bytes(32)))
    return change(body, events=(first, *body.events[1:]))


def that_asks(body: Proposal) -> Proposal:
    return change(body, status="ask")


LIES = [without_the_last_event, with_an_event_twice, with_a_commitment, that_asks]


@pytest.mark.parametrize("lie", sampled(LIES, 1, of="false proposals of a host that deals"))
async def test_wrong_result_of_an_open_command_names_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, lie: Callable[[Proposal], Proposal]
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        asked = request(hall, await find(hall, uses_chance=False), uses_chance=False)
        state = accepted(hall.state, asked)
        false = hall.message(HOST, Kind.PROPOSAL, lie(dealer(hall).proposal(state)), state)
        hall.lie(hall.victim, framed(hall.batch(hall.state, asked, false)), state.index + 1)
        await stops_with(hall, cli, "E2", "")


@pytest.mark.full
@pytest.mark.parametrize(
    "sends_full",
    [
        pytest.param(True, id="and-the-full-record"),
        pytest.param(False, id="and-no-full-record", marks=pytest.mark.full),
    ],
)
async def test_false_dice_are_reported_to_the_players_after_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, *, sends_full: bool
) -> None:
    if not sends_full:
        monkeypatch.setattr("netplay.workers.match_server.chunk_for_seat", no_piece)
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        dice = OtherDice(dealer(hall))
        while not dice.count:
            command = await find(hall, uses_chance=True)
            await hall.peers[hall.accomplice].submit(command)
            await hall.level()
        told: dict[Role, list[FullRecordReceived]] = {role: [] for role in hall.players}
        for role in hall.players:
            hall.peers[role].reporter.listen(collector(told[role]))
        await hall.peers[hall.accomplice].propose(OfferKind.RESIGNATION)
        await until(lambda: all(told.values()))
        for (came,) in told.values():
            assert came.difference == ""
            assert came.fault.startswith("evidence saved: ")
        holds(hall, hall.victim, cli, "E5", "")
        assert verify_file(hall.peers[hall.victim].copy.path).status == "false"


async def no_piece(*_: object) -> FullPart:
    return FullPart(total=1, data=b"")


def collector(found: list[FullRecordReceived]) -> Callable[[PeerEvent], None]:
    return lambda event: found.append(event) if isinstance(event, FullRecordReceived) else None


async def test_different_proposals_to_two_seats_prove_the_host_guilty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        command = await find(hall, uses_chance=True)
        start, victim = hall.state, hall.victim
        hall.keeps = lambda *_: True
        asked = request(hall, command, uses_chance=True)
        state = accepted(start, asked)
        thrown = reveal_of(hall, start.throws, state)
        after = accepted(state, thrown)
        hall.lie(victim, framed(hall.batch(start, asked, thrown)), after.index)
        await until(lambda: bool(hall.kept))
        (kept,) = [signed for role, signed in hall.kept if role == victim]
        whole = accepted(after, kept)
        made = dealer(hall)
        dice = OtherDice(made)
        false = hall.message(HOST, Kind.PROPOSAL, made.proposal(whole), whole)
        hall.lies[victim].extend(framed(hall.batch(after, kept, false)), whole.index + 1)
        hall.wake()
        await until(lambda: hall.is_following(victim, 4))
        assert dice.count, "another die makes another proposal"
        dice.stop()
        hall.keeps = None
        hall.lies.clear()
        commands = cast("Any", hall.house.tables[hall.id].commands)
        for signed in (asked, thrown, kept):
            assert commands._message_server.submit(signed) is None
        await commands.store_complete()
        await stops_with(hall, cli, "E1", "")


@pytest.mark.full
async def test_a_wrong_secret_at_the_end_names_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        end = hall.message(hall.accomplice, Kind.END, End("resigned", hall.accomplice))
        ended = accepted(hall.state, end)
        seed = hall.message(HOST, Kind.SEED, Seed(bytes(32)), ended)
        hall.lie(hall.victim, framed(hall.batch(hall.state, end, seed)), ended.index + 1)
        await stops_with(hall, cli, "E5", "")


@pytest.mark.full
async def test_a_withheld_host_secret_leaves_the_match_open_without_accusation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    async def keep_back(_: MatchRecorder) -> None:
        return

    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        await hall.give(3)
        monkeypatch.setattr(MatchRecorder, "reveal", keep_back)
        await hall.peers[hall.accomplice].propose(OfferKind.RESIGNATION)
        await until(lambda: all(hall.peers[role].copy.outcome for role in hall.players))
        hall.check(*hall.players)
        for role in hall.players:
            assert hall.peers[role].is_live
            assert not hall.has_evidence(role)
            ran = cli("verify", hall.peers[role].copy.path)
            assert ran.code == 7
            assert "host's secret" in ran.out


# -- a hostile host: records

Edit = Callable[[HostileHall, Record], Record]


def hidden_from_all(hall: HostileHall, record: Record) -> Record:
    return redact_record(hall.judged.ruleset, hall.judged.records[record.seq], None)


def for_the_other_seat(hall: HostileHall, record: Record) -> Record:
    whole = hall.judged.records[record.seq]
    return redact_record(hall.judged.ruleset, whole, hall.accomplice)


def with_another_card(_: HostileHall, record: Record) -> Record:
    at, entry = next(
        (at, entry) for at, entry in enumerate(record.events) if at and any(entry.salt or b"")
    )
    assert entry.body is not None
    false = change(entry, body=entry.body[:-1] + bytes([entry.body[-1] ^ 1]))
    return change(record, events=(*record.events[:at], false, *record.events[at + 1 :]))


def without_an_event(_: HostileHall, record: Record) -> Record:
    return change(record, events=record.events[:-1])


def with_another_chain(_: HostileHall, record: Record) -> Record:
    return change(record, chain=bytes(32))


EDITS: dict[str, tuple[tuple[Edit, ...], str]] = {
    "AT-own-cards-are-kept-back-after-a-record-that-does-not-follow": (
        (with_another_chain, hidden_from_all),
        "the host does not show japan its own cards",
    ),
    "own-cards-are-kept-back": ((hidden_from_all,), "the host does not show japan its own cards"),
    "the-cards-of-the-other-seat": (
        (for_the_other_seat,),
        "the host does not show japan its own cards",
    ),
    "another-card": ((with_another_card,), "commitment"),
    "an-event-is-left-out": ((without_an_event,), "record 0"),
}


@pytest.mark.parametrize("name", sampled(list(EDITS), 1, of="false records of a host that deals"))
async def test_a_seat_refuses_a_record_with_altered_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    edits, sentence = EDITS[name]
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch, seats=False) as hall:
        count = 0

        def edit(record: Record) -> Record:
            nonlocal count
            made = edits[min(count, len(edits) - 1)](hall, record) if not record.seq else record
            count += 1
            return made

        hall.edits[hall.victim] = edit
        for role in hall.players:
            hall.seat(role)
        victim = await hall.stopped(hall.victim)
        assert sentence in victim.reporter.status.reason
        assert victim.seq == -1
        assert not hall.has_evidence(hall.victim)
        hall.edits.clear()  # an honest host continues
        await victim.close()
        hall.seat(hall.victim)
        await hall.live()
        await hall.give(2)
        rules, judge = hall.judged.ruleset, hall.judged.state
        own = hall.peers[hall.victim].state
        assert rules.hidden_pile(own, hall.victim, "hand") == rules.hidden_pile(
            judge, hall.victim, "hand"
        )
        hall.check(*hall.players)


@pytest.mark.full
async def test_a_false_desync_claim_does_not_remove_records_from_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        await hall.give(2)
        right, victim = DesyncDetector.find_desync, hall.peers[hall.victim]
        seq = victim.seq

        def claim(self: DesyncDetector, session: HostSession, ask: PollUpdates) -> Desync | None:
            if session.role != hall.victim:
                return right(self, session, ask)
            return Desync(
                seq=seq,
                digest=bytes(32),
                records=(),
                agreed_seq=0,
                agreed_chain=hall.judged.records[0].chain,
            )

        monkeypatch.setattr(DesyncDetector, "find_desync", claim)
        hall.wake()
        await hall.stopped(hall.victim)
        assert f"disagree about record {seq}" in victim.reporter.status.reason
        assert victim.seq == seq
        monkeypatch.setattr(DesyncDetector, "find_desync", right)
        await victim.close()
        hall.seat(hall.victim)
        await hall.live()
        await hall.give(2)
        hall.check(*hall.players)


@pytest.mark.full
async def test_a_host_restored_from_a_backup_cannot_repeat_a_throw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        command = await find(hall, uses_chance=True)
        host, old = tmp_path / "host", tmp_path / "old"
        shutil.copytree(host, old, ignore=shutil.ignore_patterns("*.lock", ".disk-test-*"))
        await hall.peers[hall.accomplice].submit(command)
        await hall.give(1)
        seqs = {role: hall.peers[role].seq for role in hall.players}
        await hall.host.stop()
        shutil.rmtree(host)
        shutil.copytree(old, host)
        await hall.restart()
        for role in hall.players:
            peer = await hall.stopped(role)
            assert (
                "history of this match differs from the one it sent to this seat"
                in peer.reporter.status.reason
            )
            assert peer.seq == seqs[role], "nothing is lost"
            assert verify_file(peer.copy.path).status == "ok"
        hall.check(*hall.players)


# -- a hostile seat


def foreign_consent(hall: HostileHall) -> PostPart:
    made = Message(
        kind=Kind.CONSENT,
        anchor=hall.state.index,
        anchor_hash=hall.state.head,
        author=hall.victim,
        body=Consent(agrees=True),
    )
    return post_of(hall.seal(hall.accomplice, encode_message(hall.id, made)))


POSTS: Mapping[str, Callable[[HostileHall], PostPart]] = {
    **fair_attacks.POSTS,
    "a-consent-in-the-name-of-the-victim": foreign_consent,
    "a-consent-to-no-offer": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.CONSENT, Consent(agrees=True))
    ),
    "a-reveal-that-is-not-due": lambda hall: post_of(
        reveal_of(hall, hall.state.throws, hall.state)
    ),
    "a-proposal": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.PROPOSAL, Proposal((), (), (), "done"))
    ),
    "a-card-seed": lambda hall: post_of(hall.message(hall.accomplice, Kind.SEED, Seed(bytes(32)))),
    "a-message-at-the-wrong-anchor": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.OFFER, Offer("draw"), hall.state_at(1))
    ),
    "a-post-as-long-as-it-may-be-of-garbage": lambda _: PostPart(
        request_id="a", total=60_000, data=bytes(60_000)
    ),
}


async def sends(hall: HostileHall, name: str, part: PostPart) -> None:
    """Send a post that the host refuses, after which the accomplice is still connected."""
    accomplice, head, line = (
        hall.peers[hall.accomplice],
        hall.state.head,
        hall.peers[hall.accomplice].replicator._channel,
    )
    try:
        answer = await hall.send_part(part)
    except ConnectionLostError:
        hall.wake()  # the host immediately closes a connection without a waiting request
        await until(lambda: accomplice.is_live and accomplice.replicator._channel is not line)
    else:
        assert isinstance(answer, Refused), name
    assert hall.state.head == head, name
    assert hall.peers[hall.victim].is_live, name


@pytest.mark.full
async def test_forbidden_posts_are_refused_and_the_match_still_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        for name, make in POSTS.items():
            await sends(hall, name, make(hall))
        hall.check(hall.victim)
        hall.released.clear()  # from here on the other seat attacks, if it is the one that is asked
        await refuse_reveals(hall)
        await until(lambda: all(hall.peers[role].replicator.is_done for role in hall.players))
        hall.check(hall.victim)
        check_proved(hall)
        assert not list(tmp_path.rglob("*.evidence7"))  # noqa: ASYNC240  # a small folder


async def refuse_reveals(hall: HostileHall) -> None:
    """Send every reveal except the right one, and then resign with that one withheld."""
    command = await find(hall, uses_chance=True)
    hall.keeps = lambda role, _: (
        role == hall.accomplice and hall.state.phase is TranscriptPhase.REVEAL
    )
    given = asyncio.create_task(hall.peers[hall.accomplice].submit(command))
    await until(lambda: bool(hall.kept) and bool(hall.state.pending and hall.state.pending.reveals))
    hall.keeps = None
    state = hall.state
    number = state.throws - 1
    assert set(state.pending.reveals) == {hall.victim}  # type: ignore[union-attr]  # as waited for
    false: dict[str, SignedMessage] = {
        "a wrong value": hall.message(
            hall.accomplice, Kind.REVEAL, Reveal(number, bytes(32)), at_request(hall)
        ),
        "the reveal of the next throw": reveal_of(hall, number + 1, at_request(hall)),
        "the reveal of this throw with another number": hall.message(
            hall.accomplice,
            Kind.REVEAL,
            Reveal(number + 1, hall.participant(hall.accomplice)._secrets.reveal(number)),
            at_request(hall),
        ),
        "the reveal at another anchor": reveal_of(hall, number, state),
        "another command": request(hall, command, uses_chance=True),
        "an offer": draw(hall),
    }
    for name, signed in false.items():
        await sends(hall, name, post_of(signed))
    seq = hall.judged.seq
    await hall.peers[hall.accomplice].propose(OfferKind.RESIGNATION)
    given.cancel()
    await asyncio.gather(given, return_exceptions=True)
    await until(lambda: hall.judged.is_revealed)
    assert [record.kind for record in hall.judged.records[seq + 1 :]] == ["ending", "reveal"]


def at_request(hall: HostileHall) -> FairState:
    """Return the state at which the reveals of the pending throw are due."""
    pending = hall.state.pending
    assert pending is not None
    return hall.state_at(pending.since)


# -- a hostile seat during enrolment


async def enrols_with(peer: Peer, promise: Callable[[Peer], FairParty]) -> None:
    """Let a seat send a commitment until the host has refused it."""
    assert peer.seat is not None
    count = 0

    def false(header: Header, limits: TimeLimits, *, deals: bool) -> FairParty:
        del header, limits, deals
        nonlocal count
        count += 1
        return promise(peer)

    peer.seat.commitments = false  # type: ignore[method-assign]
    await until(lambda: peer.reporter.is_over or count > 1)
    await peer.close()


def signed(peer: Peer, promise: FairParty) -> FairParty:
    """Return a commitment signed by its seat, whatever it contains."""
    assert peer.seat is not None
    secrets = peer.seat._open_private().secrets
    return change(promise, proof=secrets.sign(party_message(secrets.match_id, promise)))


def right(peer: Peer, chance: Chance, *, uses_alternative: bool = False) -> FairParty:
    assert peer.seat is not None
    secrets = peer.seat._open_private().enrol()
    return make_commitments(secrets, "own machine", deals=(chance == FAIR) != uses_alternative)


PROMISES: dict[str, Callable[..., FairParty]] = {
    "of-the-other-mode": lambda peer, chance: right(peer, chance, uses_alternative=True),
    "of-another-role": lambda peer, chance: signed(peer, change(right(peer, chance), role=JAPAN)),
    "with-a-key-of-small-order": lambda peer, chance: change(right(peer, chance), key=bytes(32)),
    "with-the-key-of-another-seat": lambda peer, chance: signed(
        peer, change(right(peer, chance), key=bytes(range(32)))
    ),
    "without-a-signature": lambda peer, chance: change(right(peer, chance), proof=bytes(64)),
}


@pytest.mark.full
@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_host_refuses_to_enrol_a_seat_with_wrong_commitments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.01)
    monkeypatch.setattr(replicator, "RETRY_MAX_SECONDS", 0.02)
    made = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance)
    await made.open()
    try:
        room = made.house.pending_matches[made.opened.match]
        for name, promise in PROMISES.items():
            await enrols_with(made.seat(ALLIED), partial(promise, chance=chance))
            assert room.missing == (ALLIED, JAPAN), name
        for role in EOTS_PLAYERS:
            made.seat(role)
        await made.live()
    finally:
        await made.close()


async def test_host_refuses_commitments_that_are_invalid_in_a_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT)
    await made.open()
    try:
        peer = made.seat(ALLIED)
        assert peer.seat is not None

        def false(header: Header, limits: TimeLimits, *, deals: bool) -> FairParty:
            del header, limits, deals
            promise = right(peer, JOINT)
            return signed(peer, change(promise, head=promise.key))

        peer.seat.commitments = false  # type: ignore[method-assign]
        room = made.house.pending_matches[made.opened.match]
        await until(lambda: peer.reporter.is_over or room.missing == (JAPAN,))
        assert room.missing == (ALLIED, JAPAN)
    finally:
        await made.close()


# -- hidden commands

Cheat = Callable[["Hider"], Request]


class Hider(msgspec.Struct):
    """A seat of the toy game that gives a hidden command."""

    seat: Any
    command: Command

    def request(self, command: Command | None = None) -> Request:
        given = command or self.command
        made: Request = self.seat._build_request(given, uses_chance=False)
        return made


def with_zeros(hider: Hider) -> Request:
    body = hider.request()
    return change(body, box=bytes(len(body.box)))


def with_a_shorter_box(hider: Hider) -> Request:
    body = hider.request()
    return change(body, box=body.box[:-1])


def without_a_box(hider: Hider) -> Request:
    return change(hider.request(), box=b"")


def with_another_commitment(hider: Hider) -> Request:
    body = hider.request()
    return change(body, command=change(body.command, commitment=bytes(32)))


def with_a_card_of_nobody(hider: Hider) -> Request:
    return hider.request(Lay(card=CardId("no such card")))


def with_more_chance(hider: Hider) -> Request:
    return change(hider.request(), uses_chance=True)


def for_the_next_record(hider: Hider) -> Request:
    body = hider.request()
    return change(body, record=body.record + 1)


CHEATS: tuple[Cheat, ...] = (
    with_zeros,
    with_a_shorter_box,
    without_a_box,
    with_another_commitment,
    with_a_card_of_nobody,
    with_more_chance,
    for_the_next_record,
)


@pytest.mark.full
async def test_an_unresolvable_hidden_command_is_refused_without_accusation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast("dict[str, Any]", tables._GAMES), "toy", SEALED_TOY)
    async with room(tmp_path, "long", chance=JOINT) as table:
        peers = [table.peer(role) for role in PLAYERS]
        await live(*peers)
        peer, command = await until_hidden(peers)
        assert peer.seat is not None
        made = peer.seat.participant.participant
        hider = Hider(made, command)
        head = table.head
        for cheat in CHEATS:
            message = Message(
                kind=Kind.REQUEST,
                anchor=made.state.index,
                anchor_hash=made.state.head,
                author=made.role,
                body=cheat(hider),
            )
            data = encode_message(table.match, message)
            line = peer.replicator._channel
            assert line is not None
            part = post_of(SignedMessage(data, made._secrets.sign(data)))
            answer = await handshake.ask(line, part, LIMIT)
            assert isinstance(answer, Refused), cheat
            assert table.head == head, cheat
        record = await peer.submit(command)
        await until(lambda: all(each.seq >= record.seq for each in peers))
        for each in peers:
            entry = each.copy.record(record.seq).command
            assert entry is not None
            assert (entry.salt is not None) == (each is peer)
        assert not list(tmp_path.rglob("*.evidence7"))  # noqa: ASYNC240  # a small folder


async def until_hidden(peers: list[Peer]) -> tuple[Peer, Command]:
    """Play until a seat can give a hidden command."""
    source = random.Random(1)
    while True:
        await until(lambda: any(peer.decision() is not None for peer in peers))
        for peer in peers:
            decision = peer.decision()
            for command in () if decision is None else decision.options:
                if isinstance(command, Lay):
                    return peer, command
        peer = next(each for each in peers if each.decision() is not None)
        decision = peer.decision()
        assert decision is not None
        record = await peer.submit(source.choice(decision.options))
        await until(lambda seq=record.seq: all(each.seq >= seq for each in peers))  # type: ignore[misc]  # mypy cannot infer it


# -- crashes and full disks


class TornDisk(FaultyDisk):
    """A disk that writes half of one write to the host's folder, and nothing after it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        whole = Files.write
        super().__init__(folder, monkeypatch)
        refusing, left = Files.write, at

        def write(files: Files, handle: int, data: memoryview) -> int:
            nonlocal left
            left -= handle in self._handles
            if not left and not self.trouble:
                self.trouble, left = "full", -1
                whole(files, handle, data[: len(data) // 2])
                # The test may already have ended the trouble, so `refusing` would write the data again.
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return refusing(files, handle, data)

        monkeypatch.setattr(Files, "write", write)


TEARS = [pytest.param(at, restarts) for at in range(1, 28) for restarts in (True, False)]


@pytest.mark.full
@pytest.mark.series("F8")
@pytest.mark.parametrize(
    ("at", "restarts"), sampled(TEARS, 1, of="torn writes of a host that deals")
)
async def test_f8_a_match_resumes_after_a_torn_write_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, restarts: bool
) -> None:
    monkeypatch.setattr(limits, "REPAIR_SECONDS", 0.1)
    async with test_joint.joint(tmp_path, waits=False) as table:
        disk = TornDisk(tmp_path / "host", monkeypatch, at)
        while not disk.trouble:
            given = asyncio.create_task(one_more(table))
            await until(lambda given=given: given.done() or bool(disk.trouble))  # type: ignore[misc]  # mypy cannot infer it
            given.cancel()
            await asyncio.gather(given, return_exceptions=True)
        if restarts:
            await table.host.stop()
        disk.trouble = ""
        if restarts:
            await table.restart()
        await until(lambda: table.opened.match in table.host.tables)
        await table.live()
        await give(table, 2)
        await test_joint.ends(table)
        check_proved(table)
        assert not list(tmp_path.rglob("*.evidence7"))  # noqa: ASYNC240  # a small folder
