"""A hostile seat sends a message for the next record in one post with the message that completes a record.

Its author can compute the transcript hash between them, so the host has to store the record before it takes more.
"""

import asyncio
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from netplay.wire.errors import ConnectionLostError
from netplay.wire.messages import Refused
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.fair.fold import next_hash
from saves.fair.messages import Consent, End, Kind, Offer, Seed, SignedMessage
from saves.fair.state import FairState, TranscriptPhase
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT, post_of


def after(state: FairState, signed: SignedMessage) -> FairState:
    """Return the state after one more message is put in order."""
    index = state.index + 1
    head = next_hash(state.head, index, signed.data)
    return msgspec.structs.replace(state, index=index, hashes=(*state.hashes, head))


def kinds(hall: HostileHall, seq: int) -> list[str]:
    return [record.kind for record in hall.judged.records[seq + 1 :]]


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_message_after_a_consent_does_not_block_the_adjournment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch, chance=chance) as hall:
        seq = hall.judged.seq
        await hall.peers[hall.victim].propose(OfferKind.ADJOURNMENT)
        await until(lambda: hall.state.phase is TranscriptPhase.CONSENT)
        consent = hall.message(hall.accomplice, Kind.CONSENT, Consent(agrees=True))
        then = after(hall.state, consent)
        offer = hall.message(hall.accomplice, Kind.OFFER, Offer("draw"), then)
        with suppress(ConnectionLostError):  # an adjourned match closes its connections
            assert isinstance(await hall.send_part(post_of(consent, offer)), Refused)
        await until(lambda: kinds(hall, seq) == ["adjournment"])
        await until(lambda: hall.is_following(hall.victim))
        await hall.peers[hall.victim].propose(OfferKind.RESIGNATION)
        await until(lambda: "ending" in kinds(hall, seq))
        hall.check(hall.victim)


@pytest.mark.full
async def test_a_card_seed_posted_with_a_resignation_does_not_undo_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        seq, loser = hall.judged.seq, hall.accomplice
        end = hall.message(loser, Kind.END, End("resigned", loser))
        card_seed = hall.participant(loser)._secrets.card_seed
        seed = hall.message(loser, Kind.SEED, Seed(card_seed), after(hall.state, end))
        # The seat's own program stops at the message that it has not signed, maybe before the reply.
        with suppress(ConnectionLostError):
            assert isinstance(await hall.send_part(post_of(end, seed)), Refused)
        await until(lambda: kinds(hall, seq) == ["ending"])
        await until(lambda: hall.peers[hall.victim].copy.outcome is not None)
        hall.check(hall.victim)
