"""The opponent's command closes its offer, and it offers the same again, while the player still reads the question."""

from pathlib import Path

from netplay.session.peer_session import PeerSession
from play.offers import OfferKind
from tests.netplay.tables import live, room, until
from tests.play.test_controller import table as controls
from tests.toy_game import BLUE, RED, Hold


async def test_p4_answer_is_sent_only_for_the_offer_that_the_player_was_asked_about(
    tmp_path: Path,
) -> None:
    """The host is honest. The second question has the same words, but the position is another one."""
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(blue)
        controller, shown = controls(session)
        await red.propose(OfferKind.DRAW)
        await until(lambda: blue.must_answer)
        question, number = session.negotiation.offer_question(), session.negotiation.offer_number
        await red.submit(Hold())
        await until(lambda: blue.seq == table.head and not blue.must_answer)
        await red.propose(OfferKind.DRAW)
        await until(lambda: blue.must_answer)
        assert session.negotiation.offer_question() == question
        await controller.answer_offer(number, agree=True)
        assert shown.said == ["That proposal is no longer open."]
        assert red.copy.outcome is None
        await controller.answer_offer(session.negotiation.offer_number, agree=True)
        await until(lambda: red.copy.outcome is not None)
