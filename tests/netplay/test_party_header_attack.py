"""A host gives each role of one person another match, and plays the person's other roles there itself (P4, P8)."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.fair.message_server import MessageServer
from netplay.feed.host_session import HostSession
from netplay.journal.host_key_file import read_host_key
from netplay.match.pending_match import PendingMatch
from netplay.session.peer_group import create_peers
from netplay.wire.messages import (
    PendingPart,
    Post,
    PostPart,
    TranscriptUpdate,
    WaitForStart,
    Waiting,
)
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.fair.messages import (
    HOST,
    Agree,
    Kind,
    Message,
    Setup,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.secrets import SeatSecrets
from saves.fair.setup import fair_terms, make_commitments, match_setup
from saves.fair.signed_texts import OrderedBatch, order_message
from saves.headers import Header, decode_header, encode_header
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import Hall
from tests.netplay.test_fair_attacks import framed
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 20.0
change = msgspec.structs.replace


def split(header: Header, own: Role) -> Header:
    """Return the header with a key of the attacker for every role but one. The player's name stays the same."""
    terms = fair_terms(header)
    parties = tuple(
        party
        if party.role == own
        else make_commitments(
            SeatSecrets(header.match_id, party.role, bytes(31) + b"\x07"),
            "own machine",
            deals=terms.dealer_key is msgspec.UNSET,
        )
        for party in terms.parties
    )
    return change(header, fair=change(terms, parties=parties))


def opening(folder: Path, header: Header) -> bytes:
    """Return the stream with the set-up message of a match, in an order that the host has signed."""
    setup = match_setup(ruleset(header.game), header)
    key = read_host_key(folder, header.match_id)
    message = Message(
        kind=Kind.SETUP,
        anchor=0,
        anchor_hash=setup.header_hash,
        author=HOST,
        body=Setup(setup.header_hash),
    )
    data = encode_message(header.match_id, message)
    batch = OrderedBatch(-1, setup.header_hash, (SignedMessage(data, key.sign(data)),), b"")
    order = key.sign(order_message(header.match_id, 0, batch.hashes()[-1]))
    return framed(change(batch, order=order))


@pytest.mark.parametrize("chance", sampled([FAIR, JOINT], 1, of="modes with a person split up"))
async def test_p8_all_roles_of_one_program_agree_to_the_same_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    told, add_part = PendingMatch.waiting_status, MessageServer.add_part
    agreed: dict[Role, bytes] = {}

    def two_matches(
        room: PendingMatch, session: HostSession, wait: WaitForStart | None = None
    ) -> Waiting:
        waiting: Waiting = told(room, session, wait)
        role = session.role
        if waiting.missing or role is None:
            return waiting
        header = split(decode_header(waiting.header), role)
        stream = opening(tmp_path / "host", header)
        part = PendingPart(seq=0, offset=0, total=len(stream), data=stream)
        return change(
            waiting,
            header=encode_header(header),
            transcript=TranscriptUpdate(index=0, part=part if wait and not wait.pending else None),
        )

    def note(server: MessageServer, role: Role, part: PostPart) -> Post | None:
        post = add_part(server, role, part)
        for signed in () if post is None else post.messages:
            message = decode_message(server.match.header.match_id, signed.data)
            if isinstance(message.body, Agree):
                agreed[role] = message.body.header_hash
        return post

    monkeypatch.setattr(PendingMatch, "waiting_status", two_matches)
    monkeypatch.setattr(MessageServer, "add_part", note)
    table = Hall(tmp_path, "eots", "south-pacific", {ALLIED: "Ada", JAPAN: "Ada"}, chance=chance)
    await table.open()
    mine = tuple(table.opened.invites[role] for role in (ALLIED, JAPAN))
    peers = create_peers(mine, tmp_path / "party")
    try:
        async with asyncio.timeout(LIMIT):
            for peer in peers:
                peer.start()
            await until(
                lambda: len(agreed) == len(peers) or any(peer.reporter.is_over for peer in peers)
            )
        assert len(set(agreed.values())) < 2, "one person's roles take part in two matches"
    finally:
        for peer in peers:
            await peer.close()
        await table.close()
