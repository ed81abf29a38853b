"""Attacks that exactly one check stops. Each test fails if that check is removed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.cards import OPEN_PILE
from engine.kernel.decision import Decision
from engine.kernel.errors import HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from netplay.journal.errors import SeatHaltedError
from saves.decoding import canonical
from saves.fair.fold import fold, initial_fair_state
from saves.fair.group import Scalar, add, base_times, card_point
from saves.fair.messages import (
    HOST,
    Agree,
    AnyBody,
    Completion,
    Kind,
    LabelMove,
    Message,
    Offer,
    Open,
    PileName,
    Proposal,
    PublicEntry,
    Request,
    Setup,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.signed_texts import Resumed, signed_bytes
from saves.fair.state import MessageRefusal, TranscriptPhase
from saves.statements import Adjournment
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import cards, next_of
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.netplay.fair.match import FairMatch, log_at
from tests.netplay.fair.test_accusations import RecordedMatch, asked, batch_of, charges
from tests.netplay.fair.test_batches import give
from tests.netplay.fair.test_command_attacks import guilty
from tests.netplay.fair.test_journaled import play_to_throw, roll_back, signed_answer
from tests.toy_depot import (
    DISCARD,
    HAND,
    LAID,
    Bury,
    CardsMoved,
    Depot,
    DepotCommand,
    DepotLedger,
    DepotState,
    Discard,
    Raid,
    Roll,
    _mover,
    _picked,
)
from tests.toy_game import DieRolled

pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace


@pytest.fixture
def match(tmp_path: Path) -> Iterator[RecordedMatch]:
    match = RecordedMatch(tmp_path, "eots", "south-pacific", seed=3)
    match.start()
    yield match
    match.close()


def message_of(match: JournaledMatch, signed: SignedMessage) -> Message:
    return decode_message(match.match_id, signed.data)


# -- AT-13: the last reveal is in the counter


def rewind(match: JournaledMatch, role: Role, count: int) -> Participant:
    """Let the host forget all but the first messages; returns a program of the attacker's seat that follows it."""
    messages = match.host.messages[:count]
    liar = Participant(initial_fair_state(match.setup), match.secrets[role])
    for signed in messages:
        assert liar.receive(signed) is None
    match.kill(role)
    match.host = Sequencer(log_at(liar.state, messages), match.host_key)
    match.heads = match.heads[: count + 1]
    match.orders = {index: match.orders[index] for index in range(count)}
    return liar


@pytest.mark.full
def test_a_restored_seat_does_not_reveal_for_a_repeated_throw(match: RecordedMatch) -> None:
    """The host and the other seat hide a throw from a seat with an old journal, and begin it again later."""
    role, other = match.programs
    count = play_to_throw(match, role, with_counter=False)
    actor = message_of(match, match.host.messages[count]).author
    last, throws = match.state.index, match.state.throws
    seat = roll_back(match, role, count)
    liar = rewind(match, other, count)
    question = seat.resume_request()
    seat.update_presence(count - 1, (other,))
    answer = Resumed(
        role=other,
        index=count - 1,
        head=match.heads[-1],
        nonce=question.nonce,
        order=match.orders[count - 1],
        signature=bytes(64),
    )
    assert not seat.receive_answer(signed_answer(match, answer))
    assert seat.missing_seats() == (), "the seat believes that it has every message"

    def index(signed: SignedMessage) -> None:
        match.submit(signed)
        assert liar.receive(signed) is None

    while match.state.index <= last:  # no anchor of the first history comes again
        index(liar.sign_offer(Offer("adjournment")))
        index(seat.sign_consent(agrees=False))
    program = seat.participant if actor == role else liar
    options = match.game.decision_with_free_actions(program.cards.state, actor).options
    command = next(one for one in options if program._uses_chance(one))
    (signed,) = program.sign_command(command)
    index(signed)

    def exchange() -> None:
        while made := [*seat.due_messages(), *liar.due_messages()]:
            for signed in made:
                index(signed)

    with pytest.raises(SeatHaltedError, match=f"has sent reveals up to {throws - 1}"):
        exchange()
    assert match.state.phase is TranscriptPhase.REVEAL
    assert not seat.accusations


# -- a seat keeps only evidence that holds


@pytest.mark.parametrize("number", [0, 1], ids=["first seat", "second seat"])
def test_message_with_false_signature_is_not_saved_as_evidence(
    match: RecordedMatch, tmp_path: Path, number: int
) -> None:
    """The host orders another agreement in a seat's name. The file about it would not hold."""
    _, victim = asked(match)
    author, count = [*match.programs][number], len(match.host.messages)
    signed = next(one for one in match.host.messages if message_of(match, one).author == author)
    other = change(message_of(match, signed), body=Agree(bytes(32)))
    forged = SignedMessage(encode_message(match.match_id, other), signed.signature)
    seat = match.programs[victim]
    with pytest.raises(SeatHaltedError, match="refused"):
        seat.deliver(batch_of(match, count, forged))
    assert charges(seat, tmp_path) == [("E3", HOST)]


def test_seat_ignores_a_history_not_signed_by_the_host(
    match: RecordedMatch,
) -> None:
    """The host has not signed it, and a dishonest seat could stop the match with it."""
    attacker, victim = match.programs
    seat, question = match.programs[victim], match.programs[attacker].resume_request()
    for index in (question.index, question.index - 1):
        for order in (b"", bytes(64), question.order):
            lie = change(question, index=index, head=bytes(32), order=order)
            signature = match.secrets[attacker].sign(signed_bytes(match.match_id, lie))
            assert seat.answer_resume(change(lie, signature=signature)) is not None
    assert not seat.halted


# -- a seat that has folded its own message before still checks the signature


def test_a_command_with_an_invalid_signature_is_refused(loud: World) -> None:
    world = loud.copy()
    signed, *_ = batch = give(world, world.victim, Roll())
    refusal = world.refused(SignedMessage(signed.data, bytes(64)))
    assert (refusal.author, "signature" in refusal.problem) == (HOST, True)
    for one in batch:
        assert world.index(one) is None
    world.settle()
    assert world.is_idle()


# -- the toy game with hidden commands whose results everyone sees


class Announce(Command, frozen=True, kw_only=True, tag="announce"):
    """Announce the number of a card of the hand, and keep the card hidden."""

    card: str


class Flash(Command, frozen=True, kw_only=True, tag="flash"):
    """Choose a card of the hand unseen, and then put it on the table, open."""

    card: str


class Tally(Command, frozen=True, kw_only=True, tag="tally"):
    """Announce the sum of the numbers of all cards of the hand, which stay hidden."""


class Trap(Command, frozen=True, kw_only=True, tag="trap"):
    """Make another role lay down a random card of its hand, and discard a random one of its laid cards, both unseen."""

    target: Role


class Loud(Depot):
    """Public results of hidden cards, and hidden results that follow from each other."""

    command_type = DepotCommand | Announce | Flash | Tally | Trap

    @override
    def decision(self, state: DepotState, role: Role) -> Decision[Any]:
        found = super().decision(state, role)
        held = dict.fromkeys(state.piles[role][HAND])
        more = tuple(kind(card=card) for kind in (Announce, Flash) for card in held)
        traps = tuple(Trap(target=one) for one in state.piles if one != role)
        return change(found, options=(*found.options, *more, Tally(), *traps))

    @override
    def resolve(self, ledger: DepotLedger, role: Role, command: Any) -> None:  # one command more
        if isinstance(command, Trap):
            move = _mover(ledger, command.target)
            move(_picked(ledger, command.target, HAND), HAND, LAID, False)
            move(_picked(ledger, command.target, LAID), LAID, DISCARD, False)
            return
        if not isinstance(command, Announce | Flash | Tally):
            super().resolve(ledger, role, command)
            return
        held = ledger.state.piles[role][HAND] if isinstance(command, Tally) else (command.card,)
        if HIDDEN in held:
            raise HiddenError("these cards are not known here")
        if isinstance(command, Flash):
            ledger.add(
                CardsMoved(role=role, cards=held, source=HAND, target=OPEN_PILE, is_shown=True)
            )
        else:
            ledger.add(DieRolled(role=role, face=sum(int(card[-1]) for card in held)))

    @override
    def redact_command(self, command: Any, giver: Role, role: Role | None) -> Any:  # as above
        if isinstance(command, Announce | Flash) and giver != role:
            return change(command, card=HIDDEN)
        return super().redact_command(command, giver, role)


LOUD: Final = Loud()


@pytest.fixture(scope="module")
def loud() -> World:
    return World.opened(LOUD, "two", attackers=1, seed=66)


def test_result_of_a_hidden_command_is_sent_only_after_ordering(
    loud: World,
) -> None:
    """The host lets an offer come first. The seat may then give another command instead."""
    world = loud.copy()
    victim = world.victim
    commands = [Announce(card=card) for card in cards(world, victim, HAND)]
    (late,) = give(world, victim, commands[0])
    assert world.index(world.sign(world.attacker, Kind.OFFER, Offer("draw"))) is None
    assert world.refused(late).is_due_fault
    refused = world.seat(victim).sign_consent(agrees=False)
    assert world.index(world.decide(victim, refused)) is None
    for command in commands[1:]:
        for signed in give(world, victim, command):
            assert world.index(signed) is None
        world.settle()
        assert world.is_idle()
        assert world.state.state.face == int(command.card[-1])


def test_a_card_opened_in_the_wrong_pile_is_refused(loud: World) -> None:
    """The attacker shows one card, but moves the label of another and opens the right one in its hand."""
    world = loud.copy()
    attacker = world.attacker
    shown = cards(world, attacker, HAND)[0]
    own = world.seat(attacker).cards
    labels = {
        own.face_of(attacker, one): one for one in world.state.table.pile(attacker, HAND).labels
    }
    assert world.index(world.request(attacker, Flash(card=shown))) is None
    faithful = next_of(world, attacker, Kind.PROPOSAL)
    (move,) = world.body(faithful, Proposal).moves
    assert move.label == labels.pop(shown).number
    label = world.state.table.pile(attacker, HAND).label(move.label)
    assert label is not None
    other = change(move, label=next(iter(labels.values())).number)
    assert world.index(world.altered(faithful, moves=(other,))) is None, "no copy can see it yet"
    body = Open(label.number, shown, own.blinding_of(label))
    refusal = world.refused(world.sign(attacker, Kind.OPEN, body))
    assert guilty(world, refusal)
    assert refusal.problem == f"{shown} is opened in hand but is in open"
    false = change(body, label=other.label)
    assert guilty(world, world.refused(world.sign(attacker, Kind.OPEN, false)))
    assert world.state.phase is TranscriptPhase.COMPLETE


# -- commands and events whose public form is not the one of the rules


def recoded(entry: PublicEntry) -> PublicEntry:
    """Return the same content with a map header that is longer than necessary."""
    assert entry.body[0] & 0xF0 == 0x80, "a short map"
    return change(entry, body=b"\xde\x00" + bytes([entry.body[0] & 0x0F]) + entry.body[1:])


def test_a_command_in_non_canonical_encoding_is_refused(loud: World) -> None:
    world = loud.copy()
    (signed,) = world.seat(world.attacker).sign_command(Roll())
    body = world.body(signed, Request)
    refusal = world.refused(world.altered(signed, command=recoded(body.command)))
    assert guilty(world, refusal)
    assert "canonical form" in refusal.problem


def test_an_uncomputable_event_in_non_canonical_encoding_is_refused(loud: World) -> None:
    world = loud.copy()
    attacker = world.attacker
    assert world.index(world.request(attacker, Tally())) is None
    faithful = next_of(world, attacker, Kind.PROPOSAL)
    (event,) = world.body(faithful, Proposal).events
    other = change(event, entry=recoded(event.entry))
    refusal = world.refused(world.altered(faithful, events=(other,)))
    assert guilty(world, refusal)
    assert refusal.problem == "event 0 is not in canonical form"
    assert world.index(faithful) is None
    assert world.is_idle()


def test_an_uncomputable_proposal_with_an_invalid_status_is_refused(loud: World) -> None:
    world = loud.copy()
    attacker = world.attacker
    assert world.index(world.request(attacker, Tally())) is None
    faithful = next_of(world, attacker, Kind.PROPOSAL)
    hand, label = PileName(attacker, HAND), world.state.table.pile(attacker, HAND).labels[0].number
    cases: list[tuple[dict[str, object], str]] = [
        ({"status": "ask"}, "no copy can check the need"),
        ({"status": "stage"}, "a stage must name a pile"),
        ({"status": "stage", "wanted": hand}, "needs no stage"),
        ({"wanted": hand}, "only a stage may name a pile"),
        ({"moves": (LabelMove(label, HAND, OPEN_PILE, 1),)}, "a move does not belong to an event"),
    ]
    for changes, problem in cases:
        refusal = world.refused(world.altered(faithful, **changes))
        assert guilty(world, refusal)
        assert problem in refusal.problem


def test_a_statement_sent_as_a_command_is_refused(loud: World) -> None:
    """The host writes statements into the record; they are encoded like commands."""
    world = loud.copy()
    (signed,) = world.seat(world.attacker).sign_command(Roll())
    said = Adjournment(by=(world.attacker,))
    entry = PublicEntry(str(said.__struct_config__.tag), 1, canonical(said))
    refusal = world.refused(world.altered(signed, command=entry))
    assert guilty(world, refusal)
    assert "a statement is not a command" in refusal.problem


def test_a_completion_of_already_completed_events_is_refused(
    loud: World,
) -> None:
    """The second pick waits for another throw, so the owner completes the record's events in two parts."""
    world = loud.copy()
    owner = world.attacker
    world.play(owner, Discard(card=cards(world, owner, HAND)[0]))
    world.play(owner, Bury(card=cards(world, owner, DISCARD)[0]))
    assert world.index(world.request(world.victim, Trap(target=owner))) is None
    assert world.index(next_of(world, owner, Kind.COMPLETION)) is None
    second = next_of(world, owner, Kind.COMPLETION)
    body = world.body(second, Completion)
    (commitment,), (move,) = body.commitments, body.moves
    assert (commitment[0], move.event) == (1, 1)
    cases: list[tuple[dict[str, object], str]] = [
        ({"moves": (change(move, event=0), move)}, "a move does not belong to an event"),
        ({"commitments": ((0, commitment[1]), commitment)}, "must complete its own events"),
    ]
    for changes, problem in cases:
        refusal = world.refused(world.altered(second, **changes))
        assert guilty(world, refusal)
        assert problem in refusal.problem
    assert world.index(second) is None
    world.settle()
    assert world.is_idle()


# -- messages of the wrong author, or for another record


def test_a_setup_from_a_seat_is_refused() -> None:
    match = FairMatch(LOUD, "two", seed=67)
    world = World(match, [*match.seats][-1:])
    header = match.setup.header_hash
    refusal = world.refused(world.sign(world.attacker, Kind.SETUP, Setup(header), 0, header))
    assert guilty(world, refusal)


def test_commands_and_offers_from_the_host_are_refused(loud: World) -> None:
    world = loud.copy()
    (signed,) = world.seat(world.attacker).sign_command(Roll())
    command = world.body(signed, Request)
    bodies: list[tuple[Kind, AnyBody]] = [(Kind.REQUEST, command), (Kind.OFFER, Offer("draw"))]
    for kind, body in bodies:
        refusal = world.refused(world.sign(HOST, kind, body))
        assert (refusal.author, refusal.is_due_fault) == (HOST, False)
        assert refusal.problem.startswith("the host may not")


def test_a_command_for_a_record_other_than_the_next_is_refused(loud: World) -> None:
    world = loud.copy()
    (signed,) = world.seat(world.attacker).sign_command(Roll())
    record = world.body(signed, Request).record
    for number in (0, record - 1, record + 1):
        assert guilty(world, world.refused(world.altered(signed, record=number)))


@pytest.mark.parametrize("matter", ["draw", "adjournment"])
def test_only_a_takeback_offer_may_name_a_record(loud: World, matter: Any) -> None:  # noqa: ANN401  # one of the words
    world = loud.copy()
    refusal = world.refused(world.sign(world.attacker, Kind.OFFER, Offer(matter, 1)))
    assert guilty(world, refusal)


# -- opens


def test_an_open_of_an_invented_card_is_refused(loud: World) -> None:
    """The owner has mixed a card of no deck into its hand. It opens the card before it owes the proof of the mix."""
    world = loud.copy()
    owner, card, blinding = world.attacker, "ace", (5).to_bytes(32, "little")
    assert world.index(world.request(world.victim, Raid(target=owner))) is None
    world.settle(until=TranscriptPhase.ASK)
    state = world.state
    assert state.pending is not None
    assert state.pending.asked is not None
    hand, number = state.table.pile(owner, HAND), state.pending.asked.label
    point = add(card_point(world.setup.match_id, owner, card), base_times(Scalar(blinding)))
    labels = tuple(change(one, point=point) if one.number == number else one for one in hand.labels)
    false = change(state, table=state.table.with_pile(owner, change(hand, labels=labels)))
    assert number is not None
    refusal = fold(false, world.sign(owner, Kind.OPEN, Open(number, card, blinding)))
    assert isinstance(refusal, MessageRefusal)
    assert guilty(world, refusal)
    assert refusal.problem == f"label {number} does not open to {card}"
