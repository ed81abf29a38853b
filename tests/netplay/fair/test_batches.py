"""What a seat sends in one batch: how often the host waits for answers, and what an attacker can make of it."""

from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from typing_extensions import override

from engine.kernel.dice import DraftDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.journal.errors import SlotUsedError
from saves.codec import codec
from saves.fair import proposals
from saves.fair.messages import Kind, Offer, Proposal, Request, SignedMessage, decode_message
from saves.fair.public_check import check_public_part
from saves.fair.state import FairState, TranscriptPhase
from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.attacker import World, copy_seat
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.netplay.fair.match import FairMatch
from tests.sizes import sampled, sized

OTHERS = {Kind.COMPLETION, Kind.MIX, Kind.REVEAL}
"""Kinds that need another answer of somebody."""


class Exchange(NamedTuple):
    """A command with what it took."""

    before: FairState
    role: Role
    command: Command
    batch: tuple[SignedMessage, ...]
    kinds: list[Kind]
    """Kinds of all messages of its record."""
    waits: int
    """How often the host waited for answers of seats after the command had arrived."""


def exchange(match: FairMatch, role: Role, command: Command) -> Exchange:
    """Give a command and exchange messages until its record is complete."""
    before, first = match.state, len(match.host.messages)
    batch = match.seats[role].sign_command(command)
    for signed in batch:
        match.submit(signed)
    waits = 0
    while made := [one for seat in match.seats.values() for one in seat.due_messages()]:
        waits += 1
        for signed in made:
            refusal = match.host.submit(signed)
            assert refusal is None or refusal.is_due_fault, refusal
        match.deliver()
    messages = match.host.messages[first:]
    kinds = [decode_message(match.match_id, one.data).kind for one in messages]
    return Exchange(before, role, command, batch, kinds, waits)


def exchanges(match: FairMatch, count: int) -> Iterator[Exchange]:
    """Give random commands."""
    for _ in range(count):
        if match.state.phase is not TranscriptPhase.IDLE:
            return
        role, decision = match.random.choice(list(match.choices()))
        yield exchange(match, role, match.random.choice(decision.options))


@pytest.fixture(scope="module", params=sampled([("eots", "1943"), ("qmg", "base")], 1))
def played(request: pytest.FixtureRequest) -> tuple[FairMatch, list[Exchange]]:
    game, scenario = request.param
    match = FairMatch(game, scenario, seed=5)
    match.start()
    return match, [*exchanges(match, sized(40, 300))]


def test_host_waits_at_most_once_for_a_command_without_chance(
    played: tuple[FairMatch, list[Exchange]],
) -> None:
    certain = [one for one in played[1] if not OTHERS & {*one.kinds}]
    assert max(one.waits for one in certain) == 1
    whole = [one for one in certain if len(one.batch) > 1]
    assert whole
    assert all(one.waits == 0 for one in whole)
    opened = [one for one in certain if Kind.OPEN in one.kinds]
    assert opened
    assert all(one.waits == 1 for one in opened), "the opens go with the proposal"


def test_a_batched_proposal_matches_the_publicly_computed_result(
    played: tuple[FairMatch, list[Exchange]],
) -> None:
    match, made = played
    game = match.game
    for one in made:
        request = decode_message(match.match_id, one.batch[0].data).body
        assert isinstance(request, Request)
        for signed in one.batch[1:]:
            assert not request.command.commitment, "the command is open"
            body = decode_message(match.match_id, signed.data).body
            assert isinstance(body, Proposal)
            ledger = game.ledger(one.before.state, DraftDice())
            game.resolve(ledger, one.role, one.command)
            shown = [codec(game).pack(event) for event in ledger.events]
            assert shown == [(e.entry.tag, e.entry.v, e.entry.body) for e in body.events]
            assert not body.moves, "no label is named"
            assert not body.box


@pytest.mark.full
def test_uncomputable_proposal_is_not_sent_with_the_request(
    asked: tuple[World, Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot_compute(state: FairState, body: Proposal) -> Generator[None, None, bool]:
        check_public_part(state, body)
        yield
        return False

    monkeypatch.setattr(proposals, "check_public_part", cannot_compute)
    seat = copy_seat(asked[0].seat(asked[0].victim))
    assert len(seat.sign_command(asked[1])) == 1


# -- another message comes first


def give(world: World, role: Role, command: Command) -> list[SignedMessage]:
    """Let a player give a command; the oracles see all that its seat releases."""
    return world.decide_all(role, world.seat(role).sign_command(command))


def until_batch(world: World) -> Command:
    """Play until the victim can give a command whose proposal goes with it, and return the command."""
    for _ in range(60):
        command: Command
        for command in world.options(world.victim):
            if len(copy_seat(world.seat(world.victim)).sign_command(command)) > 1:
                return command
        role = world.game.active_roles(world.state.state)[0]
        world.play(role, world.options(role)[0])
    raise AssertionError("there is no such command")


@pytest.fixture(scope="module", params=sampled(["two", "six"], 1))
def asked(request: pytest.FixtureRequest) -> tuple[World, Command]:
    world: World = request.getfixturevalue(f"{request.param}_seats_opened").copy()
    return world, until_batch(world)


def test_a_seat_resends_its_late_batch_after_answering_the_offer(
    asked: tuple[World, Command],
) -> None:
    world, command = asked[0].copy(), asked[1]
    victim = world.victim
    late = give(world, victim, command)
    assert world.index(world.sign(world.attacker, Kind.OFFER, Offer("adjournment"))) is None
    for signed in late:
        assert world.refused(signed).is_due_fault, "nobody is named"
    with pytest.raises(SlotUsedError):
        world.seat(victim).sign_command(command)
    answer = world.seat(victim).sign_consent(agrees=False)
    assert world.index(world.decide(victim, answer)) is None
    assert world.is_idle()
    for signed in give(world, victim, command):
        assert world.index(signed) is None
    world.settle()
    assert world.is_idle()


def test_no_proposal_is_batched_while_an_offer_is_open(asked: tuple[World, Command]) -> None:
    """The seat would have no slot left if the host let the answer to the offer come first."""
    world, command = asked[0].copy(), asked[1]
    victim = world.victim
    assert world.index(world.sign(world.attacker, Kind.OFFER, Offer("adjournment"))) is None
    answer = world.decide(victim, world.seat(victim).sign_consent(agrees=False))
    (late,) = give(world, victim, command)
    assert world.index(answer) is None
    assert world.is_idle()
    assert world.refused(late).is_due_fault
    for signed in give(world, victim, command):
        assert world.index(signed) is None
    world.settle()
    assert world.is_idle()


class BatchAdversary(Adversary):
    """An attacker of victims that send a command and its proposal in one batch."""

    batches = 0

    @override
    def _victim_commands(self) -> None:
        world = self.world
        role = self.random.choice(world.honest)
        if world.state.phase not in {
            TranscriptPhase.IDLE,
            TranscriptPhase.CONSENT,
        } or not world.options(role):
            return
        if role not in self.unsent:
            try:
                batch = give(world, role, self.random.choice(world.options(role)))
            except SlotUsedError:
                assert world.state.phase is TranscriptPhase.CONSENT, "O6: a seat has no slot"
                return
            self.unsent[role] = batch[0]
            self.pool += batch
            self.batches += len(batch) > 1
        if self.random.random() < 0.8:
            self._index(self.unsent[role])


@pytest.mark.parametrize("seed", sampled(range(8), 1))
def test_an_attacker_gains_nothing_from_batches(two_seats_opened: World, seed: int) -> None:
    adversary = BatchAdversary(two_seats_opened.copy())
    chance = Random(f"batches {seed}")
    for _ in range(sized(80, 1_000, of="moves against seats that send batches")):
        move = chance.choice(("victim_commands", *BatchAdversary.MOVES))
        adversary.act(move, chance.randrange(7), chance.getrandbits(32))
    adversary.finish()
    assert adversary.batches


# -- a crash


@pytest.mark.full
def test_the_same_batch_is_sent_after_a_restart(tmp_path: Path) -> None:
    match = JournaledMatch(tmp_path, "eots", "1943", seed=5)
    match.start()
    for _ in range(60):
        role, decision = match.random.choice(list(match.choices()))
        command = match.random.choice(decision.options)
        request, *later = match.programs[role].sign_command(command)
        if later:
            break
        match.submit(request)
        match.settle()
    match.restart(role)
    assert match.release(role) == (request,)
    match.submit(request)
    assert match.release(role) == tuple(later)
    match.restart(role)
    assert match.release(role) == tuple(later)
    match.settle()
    assert match.state.phase is TranscriptPhase.IDLE
    match.close()
