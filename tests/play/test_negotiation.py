"""Resignation, draw and adjournment at one keyboard, and their display in saved games and replays."""

from pathlib import Path

import pytest

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from play.local_session import LocalSession
from play.negotiation import SessionError
from play.offers import OFFERS_BY_LINE, OfferKind, parse_offer
from play.replay_session import ReplaySession
from saves.errors import MatchError
from saves.logfile import LogWriter
from saves.match import Match
from tests.saves.play import new_match
from tests.toy_game import BLUE, RED, TOY, Hold


def two(path: Path | None = None) -> LocalSession:
    return LocalSession(new_match(None if path is None else LogWriter.create(path)), {})


@pytest.mark.parametrize(("line", "matter"), list(OFFERS_BY_LINE.items()))
def test_typed_line_is_parsed_as_an_offer(line: str, matter: OfferKind) -> None:
    assert parse_offer(f"  {line.upper()} ") is matter
    assert parse_offer(f"{line} now") is None


async def test_resignation_in_a_hotseat_game_loses(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    session = two(path)
    assert session.role == RED
    assert await session.negotiation.propose(OfferKind.RESIGNATION) == "Red resigned."
    outcome = session.outcome()
    assert outcome is not None
    assert outcome.winner == BLUE
    assert session.decision() is None
    assert session.waiting_for() == ()
    assert session.available_offers() == ()
    assert session.match.is_revealed
    assert [line.text for line in session.log()][-1] == "Red resigned."
    await session.close()
    replay = ReplaySession.open(path, TOY)
    assert replay.outcome() is None
    replay.go_to_record(replay.last_seq)
    assert replay.outcome() == outcome


async def test_hotseat_draw_is_agreed_but_never_by_a_bot() -> None:
    session = two()
    assert await session.negotiation.propose(OfferKind.DRAW) == "Everyone agreed to a draw."
    assert session.outcome() is not None
    bot = RandomPlayer(DerivedDice(bytes(32), 0))
    alone = LocalSession(new_match(), {BLUE: bot})
    with pytest.raises(SessionError, match="a bot never agrees to a draw"):
        await alone.negotiation.propose(OfferKind.DRAW)
    assert alone.outcome() is None
    await alone.negotiation.propose(OfferKind.RESIGNATION)
    assert alone.outcome() is not None


async def test_adjourned_match_accepts_no_command_until_resumed(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    session = two(path)
    await session.negotiation.propose(OfferKind.ADJOURNMENT)
    assert session.is_adjourned
    assert session.decision() is None
    assert session.offered_commands() == ()
    assert session.available_offers()[0] is OfferKind.RESUMPTION
    with pytest.raises(MatchError, match="adjourned"):
        await session._send(Hold())
    await session.close()
    again = LocalSession(Match.resume(path, TOY), {})
    assert again.is_adjourned
    await again.negotiation.propose(OfferKind.RESUMPTION)
    assert again.decision() is not None
    await again.close()
