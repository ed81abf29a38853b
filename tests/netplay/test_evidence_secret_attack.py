"""The evidence of a host that deals must not contain its secret, which opens all hands (joint, P1)."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from netplay.wire.errors import ConnectionLostError
from netplay.wire.messages import Post, Refused
from saves.fair.evidence import SUFFIX, decode_evidence
from saves.fair.evidence_file import verify_evidence
from saves.fair.messages import Kind, Offer
from saves.headers import decode_header
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT
from tests.netplay.test_joint_attacks import dealer, find, joint, request


async def test_p1_evidence_from_a_running_match_omits_the_hosts_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seat makes an honest host accuse it. Anyone may receive the evidence, also during the match."""
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        command = await find(hall, uses_chance=True)
        hall.keeps = lambda role, _: role == hall.victim  # the victim's reveal is still on its way
        first = request(hall, command, uses_chance=True)
        second = hall.message(hall.accomplice, Kind.OFFER, Offer("draw"))
        # both in one post: the seat's own program stops as soon as it receives a message that it did not sign
        with contextlib.suppress(ConnectionLostError):  # then the reply can be lost
            assert isinstance(await hall.send(Post(messages=(first, second))), Refused)
        path = tmp_path / "host" / f"{hall.id}.host{SUFFIX}"
        await until(path.exists)
        verdict = verify_evidence(path)
        assert (verdict.charge, verdict.author) == ("E1", hall.accomplice)
        assert not hall.judged.is_revealed
        header = decode_header(decode_evidence(path.read_bytes()).header)
        assert header.secret is None
        assert header.position is None
        assert dealer(hall).secret not in path.read_bytes()
