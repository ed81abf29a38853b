"""Matches whose host deals, played by random players, with every program in one process."""

import pytest

from engine.kernel.ids import Role
from netplay.fair.sequencer import Sequencer
from saves.fair.dealer import Dealer
from saves.fair.messages import Offer, Request, decode_message
from saves.fair.segments import Segment
from saves.fair.state import Pending, TranscriptPhase
from saves.fair.transcript_log import TranscriptLog
from tests.netplay.fair.dealt import chance, opened
from tests.netplay.fair.match import FairMatch, log_at
from tests.netplay.fair.test_whole_matches import SCENARIOS
from tests.sizes import sampled, sized


def full_state(match: FairMatch) -> object:
    assert match.full_copy is not None
    return match.full_copy.dealer.state


def take_back(match: FairMatch, record: int) -> None:
    first, *others = match.seats.values()
    match.submit(first.sign_offer(Offer("takeback", record)))
    for seat in others:
        match.submit(seat.sign_consent(agrees=True))


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), sampled(SCENARIOS, 1))
def test_every_seat_follows_a_match_that_the_host_deals(game: str, scenario: str) -> None:
    match = opened(game, scenario, seed=1)
    for _ in range(sized(25, 2_000)):
        if not match.step():
            break
    assert match.state.phase in {TranscriptPhase.IDLE, TranscriptPhase.ENDED}
    assert match.state.records > 20
    whole = full_state(match)
    for role, seat in match.seats.items():
        assert seat.state.head == match.state.head
        assert match.game.project(seat.cards.state, role) == match.game.project(whole, role)
    assert match.game.project(match.state.state, None) == match.game.project(whole, None)


def test_only_the_host_and_the_owner_can_read_a_hand() -> None:
    match = opened("eots", "1943", seed=2)
    for role, seat in match.seats.items():
        for other in match.seats:
            hand = match.game.card_piles(seat.cards.state, other)["hand"].cards
            assert ("?" in hand) == (other != role)
    for other in match.seats:
        assert "?" in match.game.card_piles(match.state.state, other)["hand"].cards


@pytest.mark.parametrize("game", [pytest.param("eots", marks=pytest.mark.full), "qmg"])
def test_the_transcript_contains_no_card_messages(game: str) -> None:
    match = opened(game, {"eots": "1943", "qmg": "base"}[game], seed=3)
    assert not match.state.table.decks
    for _ in range(10):
        match.step()
    match.finish()
    parts = [record.transcript for record in match.record_files[None].records]
    seen = {one.kind for part in parts if isinstance(part, Segment) for one in part.messages}
    used = {"setup", "agree", "request", "reveal", "proposal", "end", "seed", "close"}
    assert seen <= used
    assert seen >= used - {"end"}


@pytest.mark.full
def test_a_takeback_restores_every_copy() -> None:
    match = opened("eots", "south-pacific", seed=4)
    for _ in range(6):
        match.step()
    earlier = full_state(match)
    seen = {role: seat.cards.state for role, seat in match.seats.items()}
    number, throws = match.state.records - 1, match.state.throws
    match.play(*chance(match))
    begun = match.state.throws
    take_back(match, number)
    assert full_state(match) == earlier
    assert {role: seat.cards.state for role, seat in match.seats.items()} == seen
    assert match.state.throws == begun > throws, "a takeback gives no throw back"
    for _ in range(6):
        match.step()
    match.finish()
    assert match.state.phase is TranscriptPhase.CLOSED


def test_repeating_a_command_after_a_takeback_uses_new_dice() -> None:
    match = opened("eots", "south-pacific", seed=5)
    choice = chance(match)
    results = set()
    for _ in range(8):
        number = match.state.records - 1
        match.play(*choice)
        assert match.full_copy is not None
        results.add(tuple(entry.body for entry in match.full_copy.records[-1].events))
        take_back(match, number)
    assert len(results) > 1


def reloaded(match: FairMatch, *, recalls: bool) -> tuple[TranscriptLog, Dealer]:
    """What a host has after a restart from its own record file."""
    assert match.full_copy is not None
    log, dealer = TranscriptLog(match.setup), Dealer(match.setup, match.secret)
    log.listeners.append(dealer.follow)
    for record in match.full_copy.records:
        if recalls:
            dealer.load_record(record)
        log.receive(record)
    return log, dealer


@pytest.mark.full
@pytest.mark.parametrize("recalls", sampled([False, True], 1))
def test_a_host_resumes_after_a_restart(*, recalls: bool) -> None:
    match = opened("qmg", "base", seed=6)
    for _ in range(12):
        match.step()
    take_back(match, match.state.records - 4)
    log, dealer = reloaded(match, recalls=recalls)
    assert dealer.state == full_state(match)
    match.host = Sequencer(log, match.host_key, dealer)
    match.delivered = 0
    for _ in range(12):
        match.step()
    match.finish()
    assert match.state.phase is TranscriptPhase.CLOSED


def test_a_host_killed_before_its_proposal_makes_the_same_proposal() -> None:
    match = opened("qmg", "base", seed=7)
    role, decision = next(iter(match.choices()))
    (made,) = match.seats[role].sign_command(decision.options[0])
    proposing = match.host.propose
    match.host.propose = lambda: None  # type: ignore[method-assign]
    assert match.host.submit(made) is None
    if match.state.phase is TranscriptPhase.REVEAL:
        for seat in match.seats.values():
            assert seat.receive(made) is None
            assert match.host.submit(seat.due_messages()[0]) is None
    before = match.state
    assert before.phase is TranscriptPhase.RESOLVE
    assert proposing() is None
    assert match.state.phase is TranscriptPhase.IDLE
    first = match.host.messages[-1]
    dealer = reloaded(match, recalls=False)[1]
    again = Sequencer(log_at(before), match.host_key, dealer)
    assert again.propose() is None
    assert again.messages == [first]


def test_a_seat_can_read_its_own_pending_hidden_command() -> None:
    match = opened("qmg", "base", seed=8)
    role, decision = next(
        (role, decision)
        for role, decision in match.choices()
        if match.game.redact_command(decision.options[0], role, None) != decision.options[0]
    )
    (signed,) = match.seats[role].sign_command(decision.options[0])
    match.submit(signed)
    message_of = match.host.messages[-2 if match.state.phase is TranscriptPhase.IDLE else -1]
    message = decode_message(match.match_id, message_of.data)
    assert isinstance(message.body, Request)
    pending = Pending(
        number=1, actor=Role(role), request=message.body, request_anchor=message.anchor_hash
    )
    assert match.seats[role].cards.pending_command(match.state, pending) == decision.options[0]
