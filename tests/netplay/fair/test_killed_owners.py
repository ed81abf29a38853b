"""AT-16: seats that are killed between fsync and send, at every kind of message in every state."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from saves.fair.messages import Kind, Open, decode_message
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.toy_depot import (
    DECK,
    DEPOT,
    DISCARD,
    HAND,
    Ambush,
    Bury,
    DepotCommand,
    Discard,
    Raid,
    Scout,
)
from tests.toy_game import BLUE, RED

pytestmark = pytest.mark.usefixtures("quick_proofs")
Moment = tuple[TranscriptPhase, Kind]
MOMENTS = frozenset(
    {
        (TranscriptPhase.AGREE, Kind.AGREE),
        (TranscriptPhase.PREPARE, Kind.MIX),
        (TranscriptPhase.PREPARE, Kind.OPEN),
        (TranscriptPhase.REVEAL, Kind.REVEAL),
        (TranscriptPhase.RESOLVE, Kind.PROOF),
        (TranscriptPhase.RESOLVE, Kind.PROPOSAL),
        (TranscriptPhase.ASK, Kind.OPEN),
        (TranscriptPhase.COMPLETE, Kind.COMPLETION),
        (TranscriptPhase.COMPLETE, Kind.MIX),
    }
)


class Kills:
    """Ends a seat after it has stored a message and before it sends it, once for each kind and state."""

    def __init__(self, match: JournaledMatch) -> None:
        self.match = match
        self.seen: set[Moment] = set()

    def __call__(self, role: Role) -> None:
        match = self.match
        made = match.programs[role].due_messages()
        phase = match.programs[role].state.phase
        moments = {(phase, decode_message(match.match_id, one.data).kind) for one in made}
        if not moments <= self.seen:
            self.seen |= moments
            match.restart(role)


def own(match: JournaledMatch, role: Role, pile: str) -> str:
    """Return the first card of a pile, as its owner knows it."""
    card: str = match.programs[role].cards.state.piles[role][pile][0]
    return card


def test_killed_seat_sends_the_same_message_in_every_state(tmp_path: Path) -> None:
    """The match asserts that each restarted seat sends the same bytes; here the card that it opens, too."""
    match = JournaledMatch(tmp_path, DEPOT, "two", seed=66)
    kills = Kills(match)
    assert match.host.start() is None
    match.settle(kills)

    def play(role: Role, command: DepotCommand) -> None:
        batch = match.programs[role].sign_command(command)
        for signed in batch:
            match.oracle.release(signed)
        match.submit(batch[0])  # what follows it is sent when it is due
        match.settle(kills)
        assert match.state.phase is TranscriptPhase.IDLE

    play(RED, Discard(card=own(match, RED, HAND)))
    play(RED, Bury(card=own(match, RED, DISCARD)))
    play(RED, Scout(card=own(match, RED, DECK)))
    play(RED, Raid(target=BLUE))
    play(BLUE, Ambush(target=RED))
    assert kills.seen >= MOMENTS
    messages = (decode_message(match.match_id, one.data) for one in match.host.messages)
    opened = [one for one in messages if isinstance(one.body, Open)]
    assert [one.author for one in opened] == [RED, BLUE]
    match.close()
