"""Attacks on a match whose host deals: by the host, by a seat, by both."""

from collections.abc import Callable

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.dice import DerivedDice, Dice
from engine.kernel.ids import Role
from saves.errors import BrokenChainError, MatchError
from saves.fair.dealer import Dealer
from saves.fair.evidence import Equivocation, FalseSeed, RefusedMessage
from saves.fair.fold import fold
from saves.fair.messages import (
    HOST,
    AnyBody,
    ChanceUse,
    Close,
    Completion,
    Kind,
    LabelMove,
    Mix,
    Open,
    PileName,
    Proposal,
    ProposedEvent,
    Request,
    Reveal,
    Seed,
    decode_message,
)
from saves.fair.state import MessageRefusal, Pending, TranscriptPhase
from saves.fair.transcript_log import PUBLIC_SALT
from saves.records import Record
from saves.redaction import redact_record
from tests.netplay.fair.dealt import Fork, certain, chance, hidden, opened, signed_by
from tests.netplay.fair.match import FairMatch

JAPAN, ALLIED = Role("japan"), Role("allied")
change = msgspec.structs.replace


@pytest.fixture
def duel() -> FairMatch:
    return opened("eots", "south-pacific", seed=41)


@pytest.fixture
def six() -> FairMatch:
    return opened("qmg", "base", seed=42)


def body_of(fork: Fork, at: int = -1) -> AnyBody:
    return decode_message(fork.match.match_id, fork.messages[at].data).body


# -- the proposal of the host


def without_events(body: Proposal) -> Proposal:
    return change(body, events=())


def twice_the_last(body: Proposal) -> Proposal:
    return change(body, events=(*body.events, body.events[-1]))


@pytest.mark.parametrize("cheat", [without_events, twice_the_last])
def test_wrong_result_of_an_open_command_names_the_host(
    duel: FairMatch, cheat: Callable[[Proposal], Proposal]
) -> None:
    choice = certain(duel)
    fork = Fork(duel)
    fork.request(choice)
    false = fork.host(Kind.PROPOSAL, cheat(fork.right()))
    assert fork.refusal(false).author == HOST
    verdict = fork.verdict(false)
    assert (verdict.charge, verdict.author) == ("E2", HOST)


def with_use(body: Proposal) -> Proposal:
    return change(body, uses=(ChanceUse(0, 10, 0),))


def with_pick(body: Proposal) -> Proposal:
    return change(body, uses=(ChanceUse(0, 10, 0, "japan", "deck"),))


def with_move(body: Proposal) -> Proposal:
    return change(body, moves=(LabelMove(0, "deck", "hand", 0),))


def with_box(body: Proposal) -> Proposal:
    return change(body, box=b"x")


def that_stops(body: Proposal) -> Proposal:
    return change(body, status="stage", wanted=PileName("japan", "deck"))


def that_asks(body: Proposal) -> Proposal:
    return change(body, status="ask")


def with_an_owner(body: Proposal) -> Proposal:
    events = tuple(ProposedEvent(one.entry, "japan") for one in body.events)
    return change(body, events=events)


def with_needless_commitment(body: Proposal) -> Proposal:
    first = body.events[0]
    entry = change(first.entry, commitment=bytes(32))
    return change(body, events=(ProposedEvent(entry), *body.events[1:]))


SHAPES = [
    with_use,
    with_pick,
    with_move,
    with_box,
    that_stops,
    that_asks,
    with_an_owner,
    with_needless_commitment,
]


@pytest.mark.parametrize("cheat", SHAPES)
def test_host_proposal_with_more_than_events_names_the_host(
    duel: FairMatch, cheat: Callable[[Proposal], Proposal]
) -> None:
    choice = chance(duel)
    fork = Fork(duel)
    fork.request(choice)
    false = fork.host(Kind.PROPOSAL, cheat(fork.right()))
    verdict = fork.verdict(false)
    assert (verdict.charge, verdict.author) == ("E2", HOST)


class OtherDice(Dealer):
    """A host that rolls again until it likes the result, with the right salts."""

    seed = 0

    @override
    def _dice(self, pending: Pending) -> Dice:
        return DerivedDice(self.seed.to_bytes(32, "big"), pending.number)


def other_dice(fork: Fork) -> Proposal:
    """What the host proposes with other dice."""
    right = fork.right()
    for seed in range(50):
        dealer = OtherDice(fork.match.setup, fork.match.secret)
        dealer.state, dealer.seed = fork.dealer.state, seed
        false = dealer.proposal(fork.state)
        if false != right:
            return false
    raise AssertionError("all dice give the same result")


def test_false_dice_are_proved_by_the_host_secret(duel: FairMatch) -> None:
    choice = chance(duel)
    fork = Fork(duel)
    fork.request(choice)
    false = other_dice(fork)
    assert false != fork.right()
    before = fork.state
    fork.add(fork.host(Kind.PROPOSAL, false))  # no seat can compute the dice before the end
    fork.end()
    fork.add(fork.host(Kind.SEED, Seed(duel.secret), fork.state.end_at))
    verdict = fork.judged(FalseSeed(tuple(fork.messages), HOST))
    assert (verdict.charge, verdict.author, verdict.position) == ("E5", HOST, before.index + 1)


def test_an_honest_host_is_not_accused_by_its_own_secret(duel: FairMatch) -> None:
    duel.play(*chance(duel))
    duel.finish()
    verdict = Fork(duel).judged(FalseSeed(tuple(duel.host.messages[:-1]), HOST))
    assert not verdict.is_proven


def test_a_second_proposal_for_one_command_is_evidence(duel: FairMatch) -> None:
    choice = chance(duel)
    fork = Fork(duel)
    fork.request(choice)
    first = fork.host(Kind.PROPOSAL, fork.right())
    second = fork.host(Kind.PROPOSAL, other_dice(fork))
    verdict = fork.judged(Equivocation(first, second))
    assert (verdict.charge, verdict.author) == ("E1", HOST)
    fork.add(first)
    assert fork.refusal(second).is_due_fault


def test_a_seat_cannot_propose(duel: FairMatch) -> None:
    choice = chance(duel)
    fork = Fork(duel)
    fork.request(choice)
    false = signed_by(duel, choice.role, fork.state, Kind.PROPOSAL, fork.right())
    assert fork.refusal(false).author == choice.role


def test_the_host_cannot_propose_before_every_reveal(duel: FairMatch) -> None:
    choice = chance(duel)
    (made,) = duel.seats[choice.role].sign_command(choice.command)
    fork = Fork(duel)
    fork.add(made)
    assert fork.state.phase is TranscriptPhase.REVEAL
    early = fork.host(Kind.PROPOSAL, Proposal((), (), (), "done"))
    refusal = fork.refusal(early)
    assert (refusal.author, refusal.is_due_fault) == (HOST, True)


# -- the opening


def test_the_host_cannot_deal_without_the_reveals() -> None:
    match = FairMatch("eots", "south-pacific", seed=43, deals=False)
    assert match.host.start() is None
    match.deliver()
    for seat in match.seats.values():
        assert match.host.submit(seat.due_messages()[0]) is None
    assert match.state.phase is TranscriptPhase.REVEAL
    deal = Proposal((), (), (), "done")
    early = signed_by(match, HOST, match.state, Kind.PROPOSAL, deal)
    assert isinstance(fold(match.state, early), MessageRefusal)


DEALS: list[Callable[[Proposal], Proposal]] = [
    without_events,
    lambda body: change(body, events=body.events[:1]),
    lambda body: change(body, events=body.events[1:]),
    lambda body: change(body, events=body.events[::-1]),
]


def before_deal(game: str, scenario: str) -> Fork:
    """A match before the host deals."""
    match = FairMatch(game, scenario, seed=45, deals=False)
    assert match.host.start() is None
    match.host.propose = lambda: None  # type: ignore[method-assign]
    match.deliver()
    for _ in range(2):
        for signed in [seat.due_messages()[0] for seat in match.seats.values()]:
            assert match.host.submit(signed) is None
        match.deliver()
    assert match.state.phase is TranscriptPhase.RESOLVE
    return Fork(match)


@pytest.mark.parametrize("cheat", DEALS)
def test_an_opening_that_breaks_the_rules_names_the_host(
    cheat: Callable[[Proposal], Proposal],
) -> None:
    fork = before_deal("qmg", "base")
    false = fork.host(Kind.PROPOSAL, cheat(fork.right()))
    verdict = fork.verdict(false)
    assert (verdict.charge, verdict.author) == ("E2", HOST)


def test_a_result_from_which_the_rules_cannot_continue_is_refused(
    duel: FairMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = chance(duel)
    fork = Fork(duel)
    fork.request(choice)
    made = fork.host(Kind.PROPOSAL, fork.right())

    def asked(*_: object) -> tuple[Role, ...]:
        raise KeyError("unit")

    monkeypatch.setattr(type(duel.game), "active_roles", asked)
    assert fork.refusal(made).author == HOST


def test_a_false_deal_is_proved_by_the_host_secret() -> None:
    fork = before_deal("eots", "south-pacific")
    right = fork.right()
    events = tuple(
        ProposedEvent(change(one.entry, commitment=bytes(31) + b"\1"))
        if one.entry.commitment
        else one
        for one in right.events
    )
    assert events != right.events, "the deal hides cards"
    fork.add(fork.host(Kind.PROPOSAL, change(right, events=events)))
    fork.end()
    fork.add(fork.host(Kind.SEED, Seed(fork.match.secret), fork.state.end_at))
    verdict = fork.judged(FalseSeed(tuple(fork.messages), HOST))
    assert (verdict.charge, verdict.author) == ("E5", HOST)


# -- the secret of the host


def test_a_host_that_opens_a_wrong_secret_is_named(duel: FairMatch) -> None:
    fork = Fork(duel)
    fork.end()
    false = fork.host(Kind.SEED, Seed(bytes(32)), fork.state.end_at)
    assert fork.refusal(false).author == HOST
    verdict = fork.verdict(false)
    assert (verdict.charge, verdict.author) == ("E5", HOST)


def test_a_host_cannot_close_before_it_opens_its_secret(duel: FairMatch) -> None:
    fork = Fork(duel)
    fork.end()
    assert fork.refusal(fork.host(Kind.CLOSE, Close(()))).is_due_fault


def test_a_host_cannot_open_its_secret_before_the_end(duel: FairMatch) -> None:
    fork = Fork(duel)
    assert fork.refusal(fork.host(Kind.SEED, Seed(duel.secret))).is_due_fault


def test_a_card_seed_from_a_seat_is_refused(duel: FairMatch) -> None:
    fork = Fork(duel)
    fork.end()
    seed = Seed(duel.secrets[JAPAN].card_seed)
    made = signed_by(duel, JAPAN, fork.state, Kind.SEED, seed, fork.state.end_at)
    assert fork.refusal(made).is_due_fault


# -- seats


def test_a_seat_that_signs_two_commands_for_one_slot_is_named(duel: FairMatch) -> None:
    role, decision = next(iter(duel.choices()))
    assert len(decision.options) > 1
    state, index = duel.state, duel.state.index
    (first,) = duel.seats[role].sign_command(decision.options[0])
    body = decode_message(duel.match_id, first.data).body
    assert isinstance(body, Request)
    other = change(body, uses_chance=not body.uses_chance)
    second = signed_by(duel, role, state, Kind.REQUEST, other, index)
    verdict = Fork(duel).judged(Equivocation(first, second))
    assert (verdict.charge, verdict.author) == ("E1", role)


def test_a_false_reveal_is_refused_and_names_its_seat(duel: FairMatch) -> None:
    choice = chance(duel)
    (made,) = duel.seats[choice.role].sign_command(choice.command)
    fork = Fork(duel)
    fork.add(made)
    number = fork.state.throws
    earlier = duel.secrets[JAPAN].reveal(number - 1)
    for value in (bytes(32), earlier, duel.secrets[JAPAN].reveal(number + 1)):
        false = signed_by(duel, JAPAN, fork.state, Kind.REVEAL, Reveal(number, value))
        assert fork.refusal(false).author == JAPAN
        assert fork.verdict(false).charge == "E2"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (Kind.MIX, Mix("japan", "deck", (), (), ())),
        (Kind.OPEN, Open(0, "jp1", bytes(32))),
        (Kind.COMPLETION, Completion((), ())),
    ],
)
def test_mix_open_and_completion_messages_are_refused(
    duel: FairMatch, kind: Kind, body: AnyBody
) -> None:
    choice = chance(duel)
    fork = Fork(duel)
    for _ in range(2):
        refusal = fork.refusal(signed_by(duel, JAPAN, fork.state, kind, body))
        assert (refusal.author, refusal.is_due_fault) == (JAPAN, kind is not Kind.OPEN)
        if fork.state.phase is TranscriptPhase.IDLE:
            fork.request(choice)


# -- hidden commands


def request_of(match: FairMatch) -> tuple[Role, Request]:
    """The request of a hidden command, which is not signed yet."""
    choice = hidden(match)
    body = match.seats[choice.role]._build_request(choice.command, uses_chance=False)
    assert body.command.commitment
    return choice.role, change(
        body, uses_chance=match.seats[choice.role]._uses_chance(choice.command)
    )


def garbled(body: Request) -> Request:
    return change(body, box=bytes([body.box[0] ^ 1]) + body.box[1:])


def of_another_command(body: Request) -> Request:
    return change(body, command=change(body.command, commitment=bytes(32)))


def with_other_chance(body: Request) -> Request:
    return change(body, uses_chance=not body.uses_chance)


HIDDEN_CHEATS = [garbled, of_another_command, with_other_chance]


@pytest.mark.parametrize("cheat", HIDDEN_CHEATS)
def test_the_host_refuses_a_hidden_command_that_it_cannot_resolve(
    six: FairMatch, cheat: Callable[[Request], Request]
) -> None:
    role, body = request_of(six)
    false = signed_by(six, role, six.state, Kind.REQUEST, cheat(body))
    count = len(six.host.messages)
    refusal = six.host.submit(false)
    assert refusal is not None
    assert (refusal.author, refusal.is_due_fault) == (role, True)
    assert len(six.host.messages) == count
    right = signed_by(six, role, six.state, Kind.REQUEST, body)
    assert six.host.submit(right) is None


@pytest.mark.parametrize("cheat", HIDDEN_CHEATS)
def test_ordering_an_unresolvable_command_is_proved_by_the_host_secret(
    six: FairMatch, cheat: Callable[[Request], Request]
) -> None:
    role, body = request_of(six)
    fork = Fork(six)
    fork.add(signed_by(six, role, fork.state, Kind.REQUEST, cheat(body)))
    at = fork.state.index
    fork.end()
    fork.add(fork.host(Kind.SEED, Seed(six.secret), fork.state.end_at))
    verdict = fork.judged(FalseSeed(tuple(fork.messages), HOST))
    assert (verdict.charge, verdict.author, verdict.position) == ("E5", HOST, at)


@pytest.mark.parametrize("length", [0, 1, 10_000])
def test_a_box_of_wrong_length_names_its_seat(six: FairMatch, length: int) -> None:
    role, body = request_of(six)
    fork = Fork(six)
    false = signed_by(six, role, fork.state, Kind.REQUEST, change(body, box=bytes(length)))
    assert fork.verdict(false).author == role


def test_a_seat_cannot_replay_the_hidden_command_of_another_seat(six: FairMatch) -> None:
    role, body = request_of(six)
    for other in six.seats:
        if other != role:
            copied = signed_by(six, other, six.state, Kind.REQUEST, body)
            refusal = six.host.submit(copied)
            assert refusal is not None
            assert refusal.author == other


def test_hidden_command_is_readable_only_by_its_seat(six: FairMatch) -> None:
    choice = hidden(six)
    six.play(choice.role, choice.command)
    assert six.full_copy is not None
    whole = six.full_copy.records[-1].command
    assert whole is not None
    assert whole.salt is not None
    for role, copy in six.record_files.items():
        entry = copy.records[-1].command
        assert entry is not None
        assert (entry == whole) == (role == choice.role)


# -- what the host sends to a seat


@pytest.fixture
def untold() -> FairMatch:
    """A match whose seats have the messages of the opening, and not its record."""
    match = FairMatch("eots", "south-pacific", seed=44, deals=False)
    match.tells = False
    match.start()
    return match


def opening(match: FairMatch, role: Role | None) -> Record:
    """The opening as the host sends it to a seat."""
    assert match.full_copy is not None
    return redact_record(match.game, match.full_copy.records[0], role)


def test_a_host_cannot_withhold_cards_from_their_owner(untold: FairMatch) -> None:
    seat = untold.seats[JAPAN]
    assert not seat.cards.is_current
    for false in (opening(untold, None), opening(untold, ALLIED)):
        with pytest.raises(BrokenChainError, match="does not show"):
            seat.apply_record(false)
    seat.apply_record(opening(untold, JAPAN))
    assert seat.cards.is_current


def test_a_host_cannot_send_a_seat_a_different_card(untold: FairMatch) -> None:
    right = opening(untold, JAPAN)
    at, entry = next(
        (at, entry)
        for at, entry in enumerate(right.events)
        if at and entry.salt not in {None, PUBLIC_SALT}
    )
    assert entry.body is not None
    for false in (
        change(entry, body=entry.body[:-1] + bytes([entry.body[-1] ^ 1])),
        change(entry, salt=bytes(15) + b"\1"),
        change(entry, commitment=bytes(32)),
    ):
        events = (*right.events[:at], false, *right.events[at + 1 :])
        with pytest.raises(BrokenChainError):
            untold.seats[JAPAN].apply_record(change(right, events=events))


def test_a_host_cannot_send_a_record_twice(untold: FairMatch) -> None:
    right = opening(untold, JAPAN)
    untold.seats[JAPAN].apply_record(right)
    with pytest.raises(BrokenChainError, match="does not contain this record"):
        untold.seats[JAPAN].apply_record(right)


def test_a_seat_without_the_latest_record_cannot_sign_a_command(untold: FairMatch) -> None:
    told = opened("eots", "south-pacific", seed=44)
    role, decision = next(told.choices())
    with pytest.raises(MatchError, match="has not sent"):
        untold.seats[role].sign_command(decision.options[0])


# -- no evidence


def test_a_valid_message_is_not_evidence_of_a_refused_message(duel: FairMatch) -> None:
    role, decision = next(iter(duel.choices()))
    (made,) = duel.seats[role].sign_command(decision.options[0])
    fork = Fork(duel)
    verdict = fork.judged(RefusedMessage(tuple(fork.messages), b"", made))
    assert not verdict.is_proven
