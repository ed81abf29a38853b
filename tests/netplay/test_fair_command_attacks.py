"""Section 1 of the specification over TLS: H3, H4, H5, M1 and L1, step by step through an opening and a command.

The attacker runs the host and one seat. It sends each false message to an honest host, which must refuse it, and then,
signed in order by a dishonest host, to the program of the other seat, which must stop with evidence. That program is
started again after each attack and plays on.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import msgspec
import pytest

from engine.eots.commands import ChinaOffensive
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.qmg.events import VpChanged
from engine.registry import ruleset
from netplay.fair.seat import split_post
from netplay.peer.peer import Peer
from netplay.wire.messages import Accepted, Answer, Post, Refused
from saves.codec import codec
from saves.decoding import canonical
from saves.fair.due_messages import due_messages
from saves.fair.evidence import SUFFIX as EVIDENCE
from saves.fair.group import Point, add, base_times, check_scalar
from saves.fair.messages import (
    HOST,
    MAX_LABELS,
    AnyBody,
    ChanceUse,
    Kind,
    Mix,
    Proposal,
    PublicEntry,
    Request,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.secrets import box_bytes
from saves.fair.state import DueMessage, FairState, TranscriptPhase
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair_attacks import framed
from tests.netplay.test_qmg_whole import SIX
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0
change = msgspec.structs.replace


class FalseMessage(NamedTuple):
    """A message that the attacker puts in order after a state."""

    signed: SignedMessage
    after: FairState
    more: tuple[SignedMessage, ...] = ()
    """Messages that the attacker puts in order after it."""


class Attack(NamedTuple):
    """A message of the attacker's seat that is changed before it is sent."""

    name: str
    kind: Kind
    """The message that the attacker's own program would send."""
    make: Callable[[HostileHall, SignedMessage], FalseMessage]
    charge: str
    names_seat: bool = True
    """Whether the evidence names the attacker's seat; otherwise it names the host."""

    def author(self, hall: HostileHall) -> Role:
        """Return whom the evidence names."""
        return hall.accomplice if self.names_seat else HOST


def altered(**changes: object) -> Callable[[HostileHall, SignedMessage], FalseMessage]:
    """Return an attack that changes fields of the body."""

    def make(hall: HostileHall, honest: SignedMessage) -> FalseMessage:
        message = decode_message(hall.id, honest.data)
        made = change(message, body=change(message.body, **changes))
        return FalseMessage(hall.seal(hall.accomplice, encode_message(hall.id, made)), hall.state)

    return make


def proposed(
    lie: Callable[[HostileHall, Proposal], dict[str, object]],
) -> Callable[[HostileHall, SignedMessage], FalseMessage]:
    """Return an attack that changes a proposal."""

    def make(hall: HostileHall, honest: SignedMessage) -> FalseMessage:
        body = decode_message(hall.id, honest.data).body
        assert isinstance(body, Proposal)
        return altered(**lie(hall, body))(hall, honest)

    return make


def with_other_die(_: HostileHall, body: Proposal) -> dict[str, object]:
    place = next(n for n, event in enumerate(body.events) if event.entry.tag == "die-rolled")
    event = body.events[place]
    plain = msgspec.msgpack.decode(event.entry.body)
    plain["face"] = (plain["face"] + 1) % 10
    entry = change(event.entry, body=msgspec.msgpack.encode(plain))
    events = (*body.events[:place], change(event, entry=entry), *body.events[place + 1 :])
    return {"events": events}


def with_a_pick(size: int, pile: str) -> Callable[[HostileHall, Proposal], dict[str, object]]:
    """Return a lie that asks the victim for a card of a pile."""

    def lie(hall: HostileHall, body: Proposal) -> dict[str, object]:
        use = ChanceUse(len(body.uses), size, len(body.events), hall.victim, pile)
        return {"uses": (*body.uses, use), "status": "ask"}

    return lie


def with_a_use_for(event: int) -> Callable[[HostileHall, Proposal], dict[str, object]]:
    return lambda _, body: {"uses": (change(body.uses[0], event=event), *body.uses[1:])}


def with_event(
    tag: str, v: int, body: bytes
) -> Callable[[HostileHall, Proposal], dict[str, object]]:
    """Return a lie that proposes another first event."""

    def lie(_: HostileHall, proposal: Proposal) -> dict[str, object]:
        first, *others = proposal.events
        return {"events": (change(first, entry=PublicEntry(tag, v, body)), *others)}

    return lie


ANOTHER_GAME = codec(ruleset("qmg")).pack(VpChanged(team="axis", amount=1, why="germany"))


def with_3000_events(_: HostileHall, body: Proposal) -> dict[str, object]:
    return {"events": (*body.events, *body.events[-1:] * 3_000)}


def before_the_reveal(hall: HostileHall, _: SignedMessage) -> FalseMessage:
    """Return a proposal while the reveal of the attacker is missing."""
    body = Proposal(events=(), uses=(), moves=(), status="done")
    return FalseMessage(hall.message(hall.accomplice, Kind.PROPOSAL, body), hall.state)


def another_command(hall: HostileHall, _: SignedMessage) -> FalseMessage:
    """Return another command at the same place, after the victim's reveal has been seen."""
    kinds = [decode_message(hall.id, signed.data).kind for signed, _ in hall.history]
    before = hall.state_at(len(kinds) - 1 - kinds[::-1].index(Kind.REQUEST) - 1)
    made = hall.participant(hall.accomplice)
    options = ruleset(hall.game).decision_with_free_actions(made.cards.state, made.role).options
    body = made._build_request(options[-1], uses_chance=False)
    return FalseMessage(hall.message(hall.accomplice, Kind.REQUEST, body, before), before)


COMMAND = (
    Attack("H3-an-open-of-label-99999", Kind.OPEN, altered(label=99_999), "E2"),
    Attack("H3-a-reveal-for-throw-999", Kind.REVEAL, altered(number=999), "E2"),
    Attack("H4-a-false-reveal", Kind.REVEAL, altered(value=bytes(32)), "E2"),
    Attack("H4-a-proposal-before-the-reveal", Kind.REVEAL, before_the_reveal, "E3", False),
    Attack("H4-another-command-after-a-reveal", Kind.REVEAL, another_command, "E1", False),
    Attack("H3-a-use-for-event-999", Kind.PROPOSAL, proposed(with_a_use_for(999)), "E2"),
    Attack("H3-an-event-of-another-game", Kind.PROPOSAL, proposed(with_event(*ANOTHER_GAME)), "E2"),
    Attack("H3-an-event-of-no-game", Kind.PROPOSAL, proposed(with_event("999", 9, b"9")), "E2"),
    Attack("H3-a-card-at-place-999", Kind.PROPOSAL, proposed(with_a_pick(999, "hand")), "E2"),
    Attack("H3-a-card-of-no-pile", Kind.PROPOSAL, proposed(with_a_pick(1, "nowhere")), "E2"),
    Attack("H5-a-die-that-the-actor-likes", Kind.PROPOSAL, proposed(with_other_die), "E2"),
    Attack("M1-3000-steps-in-one-command", Kind.PROPOSAL, proposed(with_3000_events), "E2"),
)
QUICK = {"H4-a-false-reveal", "H3-a-card-at-place-999", "H5-a-die-that-the-actor-likes"}


# -- how the attacker goes on


def kind_of(hall: HostileHall, signed: SignedMessage) -> Kind:
    return decode_message(hall.id, signed.data).kind


def keep(hall: HostileHall, kind: Kind, role: Role, but: SignedMessage | None = None) -> None:
    """Let the host keep the messages of this kind of a seat back from now on, except one."""
    hall.keeps = lambda author, signed: (
        author == role and kind_of(hall, signed) is kind and signed != but
    )


def go_on(hall: HostileHall, role: Role) -> None:
    """Let a seat send again what the host has kept."""
    seat = hall.peers[role].seat
    assert seat is not None
    seat.restart_connection()
    hall.wake()


async def kept(hall: HostileHall, kind: Kind) -> SignedMessage:
    """Wait until only the attacker's message of this kind is missing, and return it."""

    def found() -> list[SignedMessage]:
        return [signed for _, signed in hall.kept if kind_of(hall, signed) is kind]

    def is_kept() -> bool:
        if not found() or not hall.is_settled():
            return False
        anchor = decode_message(hall.id, found()[-1].data).anchor
        is_last = kind is not Kind.PROPOSAL or anchor == hall.state.index
        return is_last and {one.author for one in due_messages(hall.state)} == {hall.accomplice}

    await until(is_kept)
    return found()[-1]


async def restart(hall: HostileHall) -> Peer:
    """Start the victim's program again, with a host that no longer lies."""
    hall.lies.clear()
    await hall.peers[hall.victim].close()
    for path in (hall.folder / str(hall.victim)).glob(f"*{EVIDENCE}"):
        path.unlink()
    peer = hall.seat(hall.victim)
    await until(lambda: hall.is_following(hall.victim))
    return peer


async def stops_victim(
    hall: HostileHall, name: str, false: FalseMessage, charge: str, author: str
) -> None:
    """Show false messages to the victim, which must stop with evidence and release nothing."""
    before = hall.released[hall.victim].messages()
    messages = (false.signed, *false.more)
    stream = framed(hall.batch(false.after, *messages))
    hall.lie(hall.victim, stream, hall.state.index + len(messages))
    victim = await hall.stopped(hall.victim)
    hall.check(hall.victim)
    assert "evidence saved" in victim.reporter.status.reason, name
    assert not victim.reporter.status.disk, name
    verdict = hall.evidence(hall.victim)
    assert (verdict.status, verdict.charge, verdict.author) == ("holds", charge, author), name
    assert hall.released[hall.victim].messages() == before, name


async def post(hall: HostileHall, *messages: SignedMessage) -> Answer:
    """Send messages on the attacker's connection, in as many pieces as it takes."""
    answer: Answer | None = None
    with mock.patch.object(hall.peers[hall.accomplice].seat, "due_post", return_value=None):
        for part in split_post(Post(messages=messages)):  # no other post may come in between
            answer = await hall.send_part(part)
            if not isinstance(answer, Accepted):
                break
    assert answer is not None
    return answer


@contextlib.asynccontextmanager
async def command_with_chance(hall: HostileHall, first: Kind) -> AsyncIterator[None]:
    """Let Japan, the attacker's seat, give a command with a die; the host keeps its messages of the first kind."""
    hall.accomplice, hall.victim = JAPAN, ALLIED
    for _ in range(100):  # a hand may hold no card for it
        peer = hall.peers[hall.asked_seat()]
        decision = peer.decision()
        assert decision is not None
        command = next((one for one in decision.options if isinstance(one, ChinaOffensive)), None)
        if command is not None:
            break
        await peer.submit(decision.options[-1])
        await hall.level()
        await until(hall.is_settled)
    assert command is not None
    keep(hall, first, hall.accomplice)
    giving = asyncio.create_task(peer.submit(command))
    try:
        yield
        await giving
    finally:
        giving.cancel()
        await asyncio.gather(giving, return_exceptions=True)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(QUICK, id="quick"),
        pytest.param(
            {attack.name for attack in COMMAND} - QUICK, id="others", marks=pytest.mark.full
        ),
    ],
)
async def test_h3_h4_h5_m1_a_false_command_message_is_refused_and_play_continues(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    names: set[str],
) -> None:
    attacks = [attack for attack in COMMAND if attack.name in names]
    kind = attacks[0].kind
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, scenario="1943") as hall,
        command_with_chance(hall, kind),
    ):
        records = hall.match.seq
        for attack in attacks:
            if attack.kind is not kind:
                kind = attack.kind
                keep(hall, kind, hall.accomplice)
                go_on(hall, hall.accomplice)
            honest = await kept(hall, attack.kind)
            false = attack.make(hall, honest)
            capsys.readouterr()
            keep(hall, kind, hall.accomplice, but=false.signed)
            head = hall.state.head
            answer = await post(hall, false.signed)
            assert isinstance(answer, Refused), attack.name
            assert answer.code == ("illegal" if attack.charge == "E2" else "stale"), attack.name
            logged = capsys.readouterr().out
            assert ("message_rejected" in logged) == (attack.charge == "E2"), attack.name
            assert f"author={hall.victim}" not in logged, attack.name
            assert hall.state.head == head, attack.name
            await stops_victim(hall, attack.name, false, attack.charge, attack.author(hall))
            await restart(hall)
        assert hall.match.seq == records
        hall.keeps = None
        go_on(hall, hall.accomplice)
        await hall.level()
        await until(lambda: hall.match.seq == records + 1)
        hall.check(hall.victim)


# -- the opening


def with_400_labels(hall: HostileHall, honest: SignedMessage) -> FalseMessage:
    scalars = (check_scalar(n.to_bytes(32, "little")) for n in range(1, MAX_LABELS + 1))
    points = tuple(map(base_times, scalars))
    make = altered(inputs=tuple(range(MAX_LABELS)), outputs=points)
    return make(hall, honest)


def unchanged(hall: HostileHall, honest: SignedMessage) -> FalseMessage:
    return FalseMessage(honest, hall.state)


OPENING = (
    Attack("AT-27-a-mix-with-400-labels", Kind.MIX, with_400_labels, "E2"),
    Attack("H4-a-false-reveal-before-the-deal", Kind.REVEAL, altered(value=bytes(32)), "E2"),
    Attack("H5-the-proof-of-a-false-mix", Kind.PROOF, unchanged, "E4"),
)


async def test_h4_h5_no_cards_are_dealt_after_a_false_reveal_or_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mix of the attacker has one card twice; the host and the victim accept it until the throw challenges it."""
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False) as hall,
    ):
        keep(hall, Kind.AGREE, hall.victim)
        await until(lambda: bool(hall.kept) and hall.is_settled())
        liar = hall.participant(hall.accomplice)
        honest_body = liar._due_body

        def body(wanted: DueMessage, state: FairState) -> AnyBody | None:
            made = honest_body(wanted, state)
            if not isinstance(made, Mix):
                return made
            first, second, *others = made.outputs
            twice = add(Point(second), base_times(check_scalar((1).to_bytes(32, "little"))))
            assert first != twice
            return change(made, outputs=(twice, second, *others))

        monkeypatch.setattr(liar, "_due_body", body)
        sender = hall.victim
        for attack in OPENING:
            keep(hall, attack.kind, hall.accomplice)
            go_on(hall, sender)
            sender = hall.accomplice
            false = attack.make(hall, await kept(hall, attack.kind))
            await stops_victim(hall, attack.name, false, attack.charge, attack.author(hall))
            if attack.kind is not Kind.PROOF:
                await restart(hall)
                assert not hall.of(hall.victim, Kind.PROOF), attack.name
        capsys.readouterr()
        hall.keeps = None
        go_on(hall, hall.accomplice)
        logged = ""

        def is_refused() -> bool:
            nonlocal logged
            logged += capsys.readouterr().out
            return "message_rejected" in logged

        await until(is_refused)
        assert f"author={hall.accomplice}" in logged
        assert "the proof of the mix of" in logged
        assert hall.state.phase is not TranscriptPhase.IDLE
        assert hall.id not in hall.host.tables, "the match does not begin"


# -- L1: the length of a box


def hidden_commands(hall: HostileHall, role: Role) -> list[Command]:
    rules, decision = ruleset(hall.game), hall.peers[role].decision()
    assert decision is not None
    return [one for one in decision.options if rules.redact_command(one, role, None) != one]


@pytest.mark.full
async def test_l1_box_length_depends_only_on_the_number_of_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five honest seats give hidden commands with different cards; the attacker sends boxes of other lengths."""
    async with (
        asyncio.timeout(2 * LIMIT),
        hostile_hall(tmp_path, monkeypatch, scenario="base", game="qmg", players=SIX) as hall,
    ):
        *honest, hall.accomplice = hall.players
        hall.victim = honest[0]
        size = box_bytes(1, ruleset(hall.game).hidden_entry_bytes)
        longest = True
        for role in honest:
            commands = sorted(hidden_commands(hall, role), key=lambda one: len(canonical(one)))
            await hall.peers[role].submit(commands[-longest])
            await hall.level()
            await until(hall.is_settled)
            longest = not longest
        requests = [one.body for role in honest for one in hall.of(role, Kind.REQUEST)]
        assert [len(one.box) for one in requests if isinstance(one, Request)] == [size] * 5

        own = hall.participant(hall.accomplice).request_body(
            hidden_commands(hall, hall.accomplice)[0]
        )
        assert len(own.box) == size
        for box in (b"", own.box[:-1], own.box + bytes(1), bytes(2 * size)):
            body = change(own, box=box)
            answer = await post(hall, hall.message(hall.accomplice, Kind.REQUEST, body))
            assert isinstance(answer, Refused)
            assert f"a box for 1 hidden entries must not have {len(box)} bytes" in answer.text
        shorter = hall.message(hall.accomplice, Kind.REQUEST, change(own, box=own.box[:-1]))
        false = FalseMessage(shorter, hall.state)
        await stops_victim(hall, "L1-a-shorter-box", false, "E2", hall.accomplice)
