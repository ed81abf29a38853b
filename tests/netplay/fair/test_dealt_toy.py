"""The toy game in matches whose host deals: small, so that whole games and many takebacks are quick."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from saves.errors import FairPlayError
from saves.fair.messages import Kind, Offer, Request, decode_message
from saves.fair.setup import match_setup
from saves.fair.state import TranscriptPhase
from saves.verify import verify_file
from tests.netplay.fair.dealt import signed_by
from tests.netplay.fair.match import FairMatch
from tests.sizes import sized
from tests.toy_game import BLUE, RED, Hold, Lay
from tests.toy_sealed import SEALED_TOY

change = msgspec.structs.replace


def opened(seed: int, scenario: str = "short") -> FairMatch:
    match = FairMatch(SEALED_TOY, scenario, seed=seed, deals=False)
    match.start()
    return match


def full_state(match: FairMatch) -> object:
    assert match.full_copy is not None
    return match.full_copy.dealer.state


@pytest.mark.parametrize("seed", range(sized(2, 300)))
def test_whole_games_end_and_verify(seed: int, tmp_path: Path) -> None:
    match = opened(seed)
    number = 0
    while match.step():
        number += 1
        assert number < 100
        for role, seat in match.seats.items():
            right = match.game.project(full_state(match), role)
            assert match.game.project(seat.cards.state, role) == right
        if number % 5 == 4 and match.state.phase is TranscriptPhase.IDLE:
            first, second = match.seats.values()
            match.submit(first.sign_offer(Offer("takeback", match.state.records - 3)))
            match.submit(second.sign_consent(agrees=match.random.random() < 0.8))
            match.settle()
            number += 1
    match.finish()
    assert match.state.phase is TranscriptPhase.CLOSED
    for viewer, copy in match.record_files.items():
        path = tmp_path / f"{viewer}.fplog"
        copy.write(path)
        verdict = verify_file(path, SEALED_TOY)
        assert (verdict.status, verdict.finding) == ("ok", None)


def test_lay_and_hold_requests_look_alike() -> None:
    bodies = []
    for command in (Hold(), None):
        match = opened(3)
        decision = match.game.decision_with_free_actions(match.seats[RED].cards.state, RED)
        given = command or next(one for one in decision.options if isinstance(one, Lay))
        match.play(RED, given)
        messages = [decode_message(match.match_id, one.data) for one in match.host.messages]
        bodies.append(next(one.body for one in messages if isinstance(one.body, Request)))
        event = match.record_files[BLUE].records[-1].events[0]
        assert (event.tag, event.salt) == ("choice-made", None)
    first, second = bodies
    assert isinstance(first, Request)
    assert isinstance(second, Request)
    assert first.command.commitment != second.command.commitment
    blank = {"commitment": b""}
    assert change(first.command, **blank) == change(second.command, **blank)
    assert len(first.box) == len(second.box)
    assert first.uses_chance == second.uses_chance


def test_an_unhidden_choice_is_refused(tmp_path: Path) -> None:
    match = opened(4)
    body = match.seats[RED]._build_request(Hold(), uses_chance=False)
    shown = change(body, command=change(body.command, tag="hold", body=b"\x80", commitment=b""))
    refusal = match.host.submit(
        signed_by(match, RED, match.state, Kind.REQUEST, change(shown, box=b""))
    )
    assert refusal is not None
    assert refusal.author == RED


def test_a_deck_without_a_single_owner_cannot_be_dealt_by_seats() -> None:
    """Both draw from one deck."""
    match = FairMatch(SEALED_TOY, "short", seed=5, deals=False)
    with pytest.raises((FairPlayError, DataError), match="no deck with a single owner"):
        FairMatch(SEALED_TOY, "short", seed=5)
    assert not match_setup(SEALED_TOY, match.header).deals
    assert Role("red") in match.seats
