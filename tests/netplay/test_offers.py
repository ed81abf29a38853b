"""Resignation, draw and adjournment over the network: consent of the others, bots, teams, and the host."""

import asyncio
from pathlib import Path

import pytest

from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError, NetworkError, UnavailableError
from netplay.wire.messages import Answer, OfferAnswer, WireMessage
from netplay.wire.modes import FAIR, JOINT, Chance
from play.bots import create_seat_bot
from play.offers import OfferKind
from saves.clocks import parse_clock
from saves.logfile import read_log
from saves.verify import verify_file
from tests.netplay.tables import SIX_PLAYERS, live, room, until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, give, hall
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.toy_six import ROLES


async def test_a_resignation_ends_the_match_at_once(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        await red.submit(Hold())
        await blue.propose(OfferKind.RESIGNATION)
        await until(lambda: all(peer.copy.is_revealed for peer in (red, blue, watcher)))
        for peer in (red, blue, watcher):
            assert peer.copy.outcome is not None
            assert peer.copy.outcome.winner == RED
            assert peer.decision() is None
        (standing,) = await table.host.server.overviews()  # type: ignore[union-attr]  # in this process
        assert standing.is_over
    path = next((tmp_path / "host").glob("*.fplog"))
    found = verify_file(path, TOY)
    assert found.status == "ok"
    assert any("Blue resigned." in note for note in found.notes)


@pytest.mark.parametrize("agree", [True, False], ids=["agreed", "refused"])
async def test_a_draw_requires_consent_of_the_other_seat(tmp_path: Path, agree: bool) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        one, other = PeerSession(red), PeerSession(blue)
        assert await one.negotiation.propose(OfferKind.DRAW) == "The others have been asked."
        await until(lambda: other.negotiation.offer_question() != "")
        assert other.negotiation.offer_question() == "Ada (red) offers a draw. Agree?"
        await other.negotiation.answer_offer(agree=agree)
        if agree:
            await until(lambda: one.outcome() is not None and other.outcome() is not None)
            assert one.decision() is None
        else:
            await until(lambda: any("no draw" in line.text for line in one.log()))
            assert one.outcome() is None
            assert one.decision() is not None


@pytest.mark.full
async def test_answer_to_an_old_offer_is_not_applied_to_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seat sends its answer until a host replies. The host stops first, and the next one has another open offer."""
    is_lost, send = True, handshake.ask

    async def ask(channel: RequestChannel, message: WireMessage, seconds: float) -> Answer:
        if is_lost and isinstance(message, OfferAnswer):
            raise ConnectionLostError("the answer was lost")
        return await send(channel, message, seconds)

    monkeypatch.setattr(handshake, "ask", ask)
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.propose(OfferKind.ADJOURNMENT)
        await until(lambda: blue.must_answer)
        late = asyncio.create_task(blue.answer_offer(agree=True))
        await table.restart()
        await red.propose(OfferKind.DRAW)
        is_lost = False
        with pytest.raises(NetworkError, match="no longer open"):
            await late
        await until(lambda: blue.must_answer)
        assert blue.reporter.offer is not None
        assert (blue.reporter.offer.matter, blue.reporter.offer.waiting_for) == (
            OfferKind.DRAW,
            (BLUE,),
        )
        assert red.copy.outcome is None
        await blue.answer_offer(agree=True)
        await until(lambda: red.copy.outcome is not None)


@pytest.mark.full
async def test_an_adjourned_match_stays_adjourned_after_a_restart_until_resumed(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        one, other = PeerSession(red), PeerSession(blue)
        await one.negotiation.propose(OfferKind.ADJOURNMENT)
        await until(lambda: blue.must_answer)
        await other.negotiation.answer_offer(agree=True)
        await until(lambda: one.is_adjourned and other.is_adjourned)
        assert not red.is_asked
        with pytest.raises(UnavailableError, match="adjourned"):
            await red.submit(Hold())
        await table.restart()
        await until(lambda: blue.is_live)
        with pytest.raises(NetworkError, match="adjourned"):
            await blue.propose(OfferKind.ADJOURNMENT)
        assert await other.negotiation.propose(OfferKind.RESUMPTION) == "Done."
        await until(lambda: red.is_live and red.is_asked)
        await red.submit(Hold())


async def test_a_command_ends_an_open_offer(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.propose(OfferKind.DRAW)
        await until(lambda: blue.must_answer)
        await blue.submit(Hold())
        await until(lambda: red.reporter.offer is None)
        with pytest.raises(NetworkError, match="there is no proposal"):
            await red.answer_offer(agree=True)


@pytest.mark.full
async def test_a_bot_declines_a_draw_but_agrees_to_an_adjournment(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        bot = asyncio.create_task(play_seat(blue, create_seat_bot("random", "toy")))
        await red.propose(OfferKind.DRAW)
        await until(lambda: any("no draw" in line.text for line in table.chat))
        await red.propose(OfferKind.ADJOURNMENT)
        await until(lambda: red.copy.terms is not None and bool(red.copy.terms.adjourned))
        seq = table.head
        await red.propose(OfferKind.RESUMPTION)
        await until(lambda: red.seq > seq)
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)


@pytest.mark.full
async def test_a_team_resigns_only_when_all_its_seats_agree(tmp_path: Path) -> None:
    async with room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table:
        peers = {role: table.peer(role) for role in ROLES}
        await live(*peers.values())
        first = peers[ROLES[0]]
        terms = first.copy.terms
        assert terms is not None
        team = terms.side_roles(ROLES[0])
        await first.propose(OfferKind.RESIGNATION)
        mates = [role for role in team if role != ROLES[0]]
        await until(lambda: all(peers[role].must_answer for role in mates))
        assert not any(peers[role].must_answer for role in ROLES if role not in team)
        stranger = next(role for role in ROLES if role not in team)
        with pytest.raises(NetworkError, match=r"no longer open|there is no proposal"):
            await peers[stranger].answer_offer(agree=False)
        for role in mates:
            assert first.copy.outcome is None
            await peers[role].answer_offer(agree=True)
        await until(lambda: first.copy.outcome is not None)
        outcome = first.copy.outcome
        assert outcome is not None
        assert outcome.winner not in {None, *team}
        await until(lambda: all(peer.copy.is_revealed for peer in peers.values()))
    log = read_log(next((tmp_path / "host").glob("*.fplog")))
    assert [record.kind for record in log.records[-2:]] == ["ending", "reveal"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("chance", "matter"),
    sampled([(JOINT, OfferKind.DRAW), (JOINT, OfferKind.RESIGNATION), (FAIR, OfferKind.DRAW)], 1),
)
async def test_adjournment_and_endings_work_in_matches_with_a_transcript(
    tmp_path: Path, chance: Chance, matter: OfferKind
) -> None:
    clock = parse_clock("10m+30s", "loses")
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, clock=clock) as table:
        await give(table, 4)
        await table.level()
        allied, japan = table.peers[ALLIED], table.peers[JAPAN]
        await allied.propose(OfferKind.ADJOURNMENT)
        await until(lambda: japan.must_answer)
        await japan.answer_offer(agree=True)
        await until(lambda: japan.copy.terms is not None and bool(japan.copy.terms.adjourned))
        await until(lambda: allied.copy.terms is not None and bool(allied.copy.terms.adjourned))
        await give(table, 2)
        await table.level()
        await allied.propose(matter)
        if matter is OfferKind.DRAW:
            await until(lambda: japan.must_answer)
            await japan.answer_offer(agree=True)
        await until(lambda: allied.replicator.is_done and japan.replicator.is_done)
        kinds = [record.kind for record in table.judged.records]
        assert kinds.count("clock") >= 3
        assert kinds[-2:] == ["ending", "reveal"]
        copies = [table.peers[role].copy for role in (ALLIED, JAPAN)]
        for copy in copies:
            assert str(verify_file(copy.path, against=copy.full_path).finding) == "None"
