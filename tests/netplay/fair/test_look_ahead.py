"""False hidden commands are read with every card of a deck; a host does that in steps, and does it once."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.qmg.commands import Drop
from saves.codec import AnyGame
from saves.fair import requests
from saves.fair.fold import fold
from saves.fair.messages import Kind, Message, Request, SignedMessage, encode_message
from saves.fair.state import FairState, MessageRefusal
from tests.netplay.fair.match import FairMatch

GERMANY = Role("germany")


@pytest.fixture(scope="module")
def match() -> FairMatch:
    """A match of Quartermaster General before its first command, whose host deals."""
    made = FairMatch("qmg", "base", deals=False)
    made.start()
    return made


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Command]:
    """Return the commands that the rules are asked about."""
    found: list[Command] = []
    is_refused = requests.is_refused

    def noted(game: AnyGame, shown: Any, author: Role, command: Command) -> bool:  # noqa: ANN401  # of any game
        found.append(command)
        return is_refused(game, shown, author, command)

    monkeypatch.setattr(requests, "is_refused", noted)
    return found


def false_command(match: FairMatch) -> SignedMessage:
    """A hidden command that the rules do not allow now, whichever card it names."""
    seat = match.seats[GERMANY]
    card = match.game.decks()[GERMANY][0]
    body = seat._build_request(Drop(card=card), uses_chance=False)
    return _signed(match, body)


def _signed(match: FairMatch, body: Request) -> SignedMessage:
    state = match.state
    message = Message(
        kind=Kind.REQUEST,
        anchor=state.index,
        anchor_hash=state.head,
        author=GERMANY,
        body=body,
    )
    data = encode_message(match.match_id, message)
    return SignedMessage(data, match.secrets[GERMANY].sign(data))


def steps_of(match: FairMatch, signed: SignedMessage, readings: Sequence[Command]) -> list[int]:
    """Return how many readings there were at each pause of the host."""
    return [len(readings) for _ in match.host.precheck(signed)]


def test_a_host_pauses_after_each_reading_of_a_false_command(
    match: FairMatch, readings: list[Command]
) -> None:
    signed = false_command(match)
    pauses = steps_of(match, signed, readings)
    assert len(readings) > len(match.game.decks()[GERMANY])
    assert pauses[0] == 1
    assert all(after - before == 1 for before, after in pairwise(pauses))
    assert len(readings) == pauses[-1]


def test_the_readings_of_a_command_are_bounded_by_deck_and_piles(
    match: FairMatch, readings: list[Command]
) -> None:
    steps_of(match, false_command(match), readings)
    piles = match.game.card_piles(match.state.state, GERMANY)
    assert len(readings) <= 1 + len(match.game.decks()[GERMANY]) * len(piles)


def test_a_prechecked_false_command_is_refused_without_another_reading(
    match: FairMatch, readings: list[Command]
) -> None:
    signed, before = false_command(match), match.state
    right = fold(before, signed)
    assert isinstance(right, MessageRefusal)
    assert right.author == GERMANY
    steps_of(match, signed, readings)
    readings.clear()
    assert match.host.add(signed) == right
    assert not readings
    assert match.state is before
    assert match.host.add(signed) == right  # the outcome is used once
    assert readings


def test_a_precheck_outcome_is_not_used_for_another_message(
    match: FairMatch, readings: list[Command]
) -> None:
    signed = false_command(match)
    steps_of(match, signed, readings)
    forged = SignedMessage(signed.data, bytes(len(signed.signature)))
    refusal = match.host.add(forged)
    assert isinstance(refusal, MessageRefusal)
    assert "signature" in refusal.problem


def test_a_prechecked_valid_command_is_added() -> None:
    match = FairMatch("eots", "south-pacific", deals=False)
    match.start()
    role, decision = next(match.choices())
    (signed,) = match.seats[role].sign_command(decision.options[0])
    before = match.state
    after = fold(before, signed)
    assert isinstance(after, FairState)
    for _ in match.host.precheck(signed):
        pass
    assert match.state is before
    assert match.host.add(signed) is None
    assert match.state.head == after.head
