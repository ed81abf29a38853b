"""What one card seed proves about its seat alone (E5): AT-21, AT-22 and AT-37, on record files."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typing_extensions import override

from engine import registry
from engine.eots.commands import DiscardCard, PlaceFuture
from engine.eots.events.cards import DeckReshuffled
from engine.eots.ids import CardId
from engine.kernel.hidden import HIDDEN
from engine.kernel.ruleset import Command
from saves.codec import codec
from saves.fair.evidence import FalseSeed
from saves.fair.fold import fold, initial_fair_state
from saves.fair.group import ZERO, card_point
from saves.fair.labels import Pile
from saves.fair.messages import (
    AnyBody,
    Kind,
    LabelMove,
    Offer,
    Open,
    Proposal,
    PublicEntry,
    Request,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.mixing import MixContext, MixInput
from saves.fair.private_cards import (
    BoxedEntry,
    OwnLabel,
    PrivateCards,
    entry_box,
    hidden_commitment,
)
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.netplay.fair.dealt import signed_by
from tests.netplay.fair.few_cards import ALLIED, DRAWING, FEW_CARDS, JAPAN, SCENARIO
from tests.netplay.fair.match import FairMatch
from tests.saves.fair.transcripts import transcript_of
from tests.sizes import sampled
from tests.tools.commands import Cli

pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace
PLAYERS = (ALLIED, JAPAN)
EXCHANGE = "exchanges one with the hand"


@pytest.fixture
def match() -> FairMatch:
    """The Allies cheat; Japan is honest. The Allies are to act."""
    match = FairMatch(FEW_CARDS, SCENARIO, seed=25)
    match.record_files = {JAPAN: match.record_files[JAPAN]}
    match.start()
    return match


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def made(match: FairMatch, wanted: Callable[[AnyBody], bool]) -> SignedMessage:
    """Exchange messages until one of this content is due, and return that one."""
    while True:
        match.deliver()
        due = [one for seat in match.seats.values() for one in seat.due_messages()]
        assert due, "such a message comes up"
        for signed in due:
            if wanted(decode_message(match.match_id, signed.data).body):
                return signed
        for signed in due:
            refusal = match.host.submit(signed)
            assert refusal is None or refusal.is_due_fault, refusal


def altered(match: FairMatch, signed: SignedMessage, **changes: object) -> SignedMessage:
    """Return a message with other fields, signed by the same seat."""
    message = decode_message(match.match_id, signed.data)
    body = change(message.body, **changes)
    data = encode_message(match.match_id, change(message, body=body))
    return SignedMessage(data, match.secrets[message.author].sign(data))


def closed(match: FairMatch, seeds: Collection[str] = PLAYERS) -> None:
    """Let Japan resign, and close the match with the seeds of some seats."""
    match.submit(match.seats[JAPAN].sign_resignation())
    for role, seat in match.seats.items():
        seat.may_open_seed = role in seeds
    match.settle()
    assert match.host.close() is None
    match.deliver()


def verdict_of(match: FairMatch, folder: Path) -> Verdict:
    path = folder / "copy.fplog"
    match.record_files[JAPAN].write(path)
    return verify_file(path, FEW_CARDS)


def check_named(match: FairMatch, problem: str, folder: Path) -> None:
    """Check that the seed of the Allies proves their fault, in evidence and in a record, and that of Japan none."""
    transcript = transcript_of(match)
    messages = tuple(transcript.messages)
    proved = transcript.verdict(FalseSeed(messages, ALLIED))
    assert (proved.charge, proved.author) == ("E5", ALLIED)
    assert problem in proved.problem
    assert not transcript.verdict(FalseSeed(messages, JAPAN)).is_proven
    verdict = verdict_of(match, folder)
    assert verdict.status == "false"
    assert verdict.finding is not None
    assert verdict.finding.problem.endswith(f"{problem} ({ALLIED})")
    (evidence,) = verdict.evidence
    assert evidence == str(proved)


# -- AT-22: hidden commands


def hidden_request(match: FairMatch, boxed: BoxedEntry, committed: BoxedEntry) -> SignedMessage:
    """Return the request of the Allies to lay a card, with any box and any commitment."""
    state, secrets = match.state, match.seats[ALLIED].cards.secrets
    shown = codec(match.game).pack(PlaceFuture(card=CardId(HIDDEN)))
    entry = PublicEntry(*shown, hidden_commitment(secrets, state.head, committed))
    box = entry_box(secrets, state.head, [boxed], match.game.hidden_entry_bytes)
    return signed_by(
        match,
        ALLIED,
        state,
        Kind.REQUEST,
        Request(state.records, entry, uses_chance=False, box=box),
    )


def whole(match: FairMatch, command: Command) -> BoxedEntry:
    return BoxedEntry(0, *codec(match.game).pack(command))


def lay(card: str) -> PlaceFuture:
    return PlaceFuture(card=CardId(card))


def resolve_as(match: FairMatch, command: Command) -> None:
    """Let the program of the Allies take its command for this one."""
    match.seats[ALLIED].cards.pending_command = lambda *_: command  # type: ignore[method-assign]


SEEDS = [
    pytest.param((ALLIED,), id="its seed alone"),
    pytest.param(PLAYERS, id="all seeds"),
]
ILLEGAL: dict[str, tuple[Command, str]] = {
    "a card that lies in the discards": (lay("A-21"), "the command was not legal"),
    "a card that does not exist": (lay("A-999"), "the command was not legal"),
    "a card that is out of the match": (lay("A-1"), "the command was not legal"),
    "another kind of command": (
        DiscardCard(card=CardId("A-5")),
        "the command in the box has a different public form",
    ),
    "a card of the other deck": (lay("J-3"), "the command was not legal"),
}


@pytest.mark.parametrize("case", sampled([*ILLEGAL], 2))
@pytest.mark.parametrize("seeds", sampled(SEEDS, 1))
def test_at_22_illegal_hidden_command_is_proved_by_its_seat_seed(
    match: FairMatch, tmp_path: Path, case: str, seeds: Sequence[str]
) -> None:
    command, problem = ILLEGAL[case]
    entry = whole(match, command)
    match.submit(hidden_request(match, entry, entry))
    resolve_as(match, lay("A-5"))
    match.settle()
    assert match.state.phase is TranscriptPhase.IDLE, "no copy sees anything wrong"
    closed(match, seeds)
    check_named(match, problem, tmp_path)


def test_at_22_illegal_hidden_command_stays_unproven_without_its_seat_seed(
    match: FairMatch, tmp_path: Path
) -> None:
    entry = whole(match, lay("A-21"))
    match.submit(hidden_request(match, entry, entry))
    resolve_as(match, lay("A-5"))
    match.settle()
    closed(match, (JAPAN,))
    verdict = verdict_of(match, tmp_path)
    assert (verdict.status, verdict.exit_code, verdict.evidence) == ("unproven", 7, ())
    assert f"unproven: {ALLIED} has not revealed its card seed" in verdict.notes


@pytest.mark.parametrize("seeds", sampled(SEEDS, 1))
def test_at_22_hidden_command_that_differs_from_its_commitment_is_proved_by_the_seed(
    match: FairMatch, tmp_path: Path, seeds: Sequence[str]
) -> None:
    """Both commands are legal and look alike: the seat commits to one card and lays another one."""
    (request,) = match.seats[ALLIED].sign_command(lay("A-9"))
    match.submit(request)
    resolve_as(match, lay("A-5"))
    match.settle()
    assert match.state.phase is TranscriptPhase.IDLE, "no copy sees anything wrong"
    closed(match, seeds)
    check_named(match, "event 1 of the record does not follow from the card seed", tmp_path)


def test_at_22_box_that_differs_from_the_committed_command_is_proved_by_the_seed(
    match: FairMatch, tmp_path: Path
) -> None:
    match.submit(hidden_request(match, whole(match, lay("A-5")), whole(match, lay("A-9"))))
    closed(match, (ALLIED,))
    check_named(match, "entry 0 of the record differs from the box of its author", tmp_path)


def test_at_22_public_command_that_differs_from_its_commitment_is_refused(
    match: FairMatch,
) -> None:
    """The seat commits to a hidden card, and resolves an open command instead."""
    (request,) = match.seats[ALLIED].sign_command(lay("A-9"))
    match.submit(request)
    resolve_as(match, DiscardCard(card=CardId("A-5")))
    signed = made(match, lambda body: isinstance(body, Proposal))
    before = match.state
    refusal = fold(before, signed)
    assert isinstance(refusal, MessageRefusal)
    assert (refusal.author, refusal.is_due_fault) == (ALLIED, False)


# -- AT-21: cards that a reshuffle keeps out or returns


def reshuffle(match: FairMatch) -> tuple[SignedMessage, Proposal, int]:
    """Return the proposal of the Allies that shuffles their discards, and the number of that event."""
    match.submit(match.seats[ALLIED].sign_command(FEW_CARDS.notation.parse(DRAWING))[0])
    signed = made(match, shuffles)
    body = decode_message(match.match_id, signed.data).body
    assert isinstance(body, Proposal)
    pending = match.state.pending
    assert pending is not None
    tags = [event.entry.tag for event in body.events]
    return signed, body, len(pending.events) + tags.index("deck-reshuffled")


def shuffles(body: AnyBody) -> bool:
    return isinstance(body, Proposal) and any(
        event.entry.tag == "deck-reshuffled" for event in body.events
    )


def other_moves(
    match: FairMatch, body: Proposal, number: int
) -> Iterator[tuple[str, tuple[LabelMove, ...]]]:
    """Yield what an owner might do with each of its discards when they are shuffled."""
    shuffled = [move for move in body.moves if move.event == number]
    rest = tuple(move for move in body.moves if move.event < number)
    later = tuple(move for move in body.moves if move.event > number)
    hand = match.state.table.pile(ALLIED, "hand").labels[0].number
    for one in shuffled:
        others = [move for move in shuffled if move != one]
        to_hand = change(one, target="hand")
        to_deck = LabelMove(hand, "hand", one.target, number)
        cases = {
            "keeps one out": tuple(others),
            "keeps one in the hand": (to_hand, *others),
            "returns a card of the hand": (*shuffled, to_deck),
            EXCHANGE: (to_hand, *others, to_deck),
            "takes one out of the match": (change(one, target="open"), *others),
        }
        for name, moves in cases.items():
            yield name, (*rest, *moves, *later)


def test_at_21_false_reshuffle_moves_are_refused_or_proved(
    match: FairMatch, tmp_path: Path
) -> None:
    signed, body, number = reshuffle(match)
    unseen = []
    for name, moves in other_moves(match, body, number):
        after = fold(match.state, altered(match, signed, moves=moves))
        if isinstance(after, MessageRefusal):
            assert (after.author, after.is_due_fault) == (ALLIED, False), name
        else:
            assert name == EXCHANGE
            unseen.append(moves)
    match.submit(altered(match, signed, moves=unseen[0]))
    match.settle()
    closed(match, (ALLIED,))
    check_named(match, "the proposal does not follow from the command and the card seed", tmp_path)


def test_at_21_false_claim_of_reshuffled_discards_is_proved(
    match: FairMatch, tmp_path: Path
) -> None:
    """The labels move as they must; the hidden event says that a card of the hand was shuffled."""
    seat = match.seats[ALLIED]
    plan = seat.cards.resolve_pending

    def lying(state: FairState) -> Any:  # noqa: ANN401 - what the plan has
        found = plan(state)
        events = tuple(
            change(event, cards=(CardId("A-5"), *event.cards[1:]))
            if isinstance(event, DeckReshuffled)
            else event
            for event in found.events
        )
        return found._replace(events=events)

    seat.cards.resolve_pending = lying  # type: ignore[method-assign]
    signed, _, number = reshuffle(match)
    match.submit(signed)
    closed(match, (ALLIED,))
    check_named(match, f"event {number} of the record does not follow from the card seed", tmp_path)


def test_seeds_of_an_honest_match_with_reshuffle_and_ask_prove_no_fault(
    match: FairMatch, tmp_path: Path
) -> None:
    for line in (DRAWING, "discard J-", "event A-60", "future J-"):
        role, decision = next(iter(match.choices()))
        match.play(
            role, next(c for c in decision.options if match.game.notation.line(c).startswith(line))
        )
    closed(match)
    transcript = transcript_of(match)
    for role in PLAYERS:
        assert not transcript.verdict(FalseSeed(tuple(transcript.messages), role)).is_proven
    assert verdict_of(match, tmp_path).status == "ok"


# -- AT-37: a false mix after the last throw


class Wishing(PrivateCards):
    """The cards of a seat that, once, puts a card of its deck into its hand while it mixes."""

    wish = ""
    """The card; empty for a faithful mix."""

    @override
    def mix_inputs(
        self, state: FairState, pile: Pile, anchor: int
    ) -> tuple[MixContext, list[MixInput], tuple[int, ...] | None]:
        context, inputs, order = super().mix_inputs(state, pile, anchor)
        if self.wish and pile.name == "hand":
            point = card_point(state.setup.match_id, self.role, self.wish)
            inputs[0] = MixInput(inputs[0].label, point, self.wish, ZERO)
        return context, inputs, order

    def come_true(self, state: FairState) -> None:
        """Believe in the hand from now on: the card that has gone from it lies in the draw pile."""
        deck = self.state.decks[self.role]
        wished = self.wish
        held = {self.face_of(self.role, one) for one in state.table.pile(self.role, "hand").labels}
        (gone,) = {*deck.hand} - held
        for label in state.table.pile(self.role, "draw").labels:
            if self.face_of(self.role, label) == wished:
                self._labels[label.number] = OwnLabel(gone, ZERO)
        draw = tuple(gone if card == wished else card for card in deck.draw)
        deck = change(deck, hand=tuple(sorted(held)), draw=draw)
        self.state = change(self.state, decks={**self.state.decks, self.role: deck})
        self.wish = ""


def last_mix(match: FairMatch) -> int:
    """Return the index of the last mix of Japan."""
    made = [decode_message(match.match_id, one.data) for one in match.host.messages]
    kinds = [(message.kind, message.author) for message in made]
    return max(at for at, kind in enumerate(kinds) if kind == (Kind.MIX, JAPAN))


@pytest.mark.parametrize("is_given", [False, True], ids=["seed withheld", "seed given"])
def test_at_37_false_mix_after_the_last_throw_is_unproven_or_proved(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, *, is_given: bool
) -> None:
    """Japan takes its last command back, mixes a better card into its hand, plays it, and the Allies give up."""
    match = FairMatch(FEW_CARDS, SCENARIO, seed=25)
    match.record_files = {ALLIED: match.record_files[ALLIED]}
    cards = Wishing(initial_fair_state(match.setup), match.secrets[JAPAN].cards)
    match.seats[JAPAN].cards = cards
    match.start()
    for line in ("discard A-", "discard J-"):
        role, decision = next(iter(match.choices()))
        match.play(
            role, next(c for c in decision.options if match.game.notation.line(c).startswith(line))
        )
    throws = match.state.throws
    draw = match.state.table.pile(JAPAN, "draw")
    cards.wish = cards.face_of(JAPAN, draw.labels[0])
    match.submit(match.seats[JAPAN].sign_offer(Offer("takeback", 1)))
    match.submit(match.seats[ALLIED].sign_consent(agrees=True))
    match.settle()
    false = last_mix(match)
    wished = cards.wish
    cards.come_true(match.state)
    match.play(JAPAN, DiscardCard(card=CardId(wished)))
    assert match.state.throws == throws
    opened = [decode_message(match.match_id, one.data).body for one in match.host.messages]
    assert wished in {body.card for body in opened if isinstance(body, Open)}
    match.submit(match.seats[ALLIED].sign_resignation())
    for role, seat in match.seats.items():
        seat.may_open_seed = is_given or role == ALLIED
    match.settle()
    assert match.host.close() is None
    match.deliver()
    path = tmp_path / "copy.fplog"
    match.record_files[ALLIED].write(path)
    monkeypatch.setattr(registry, "ruleset", lambda _: FEW_CARDS)
    ran = cli("verify", "--explain", path)
    if is_given:
        assert ran.code == 1
        assert f"({JAPAN})" in ran.out
        problem = "the labels of the mix of hand do not follow from the card seed"
        assert f"E5, message {false}, {JAPAN}: {problem}" in ran.out
        return
    assert ran.code == 7
    assert f"unproven: {JAPAN} has not revealed its card seed" in ran.out
    assert f"have no proof (hand of {JAPAN} and draw of {JAPAN})" in ran.out
    assert "E5" not in ran.out
