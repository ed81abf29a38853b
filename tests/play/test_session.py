"""Sessions: drafts stay private, dice end them, hotseat and bots take turns."""

from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from engine import registry
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.qmg.commands import Play
from engine.qmg.options import ROLES
from engine.qmg.ruleset import QMG
from play.games import resume
from play.local_session import LocalSession
from play.negotiation import SessionError
from play.replay_session import FULL_VIEW, ReplaySession
from play.session import CommandResult
from play.turn_index import RecordPosition
from saves.errors import StorageError
from saves.files import Files
from saves.headers import Seat
from saves.logfile import LogWriter
from saves.match import Match
from tests.engine.qmg.table import position
from tests.play.tables import SECRET, Talking, toy_match, toy_session
from tests.toy_game import BLUE, RED, TOY, CardId, Hold, Lay, Roll, ToyView


def _hand(session: LocalSession) -> tuple[CardId, ...]:
    view = session.view()
    assert isinstance(view, ToyView)
    return view.hand


async def test_a_draft_changes_only_the_private_copy() -> None:
    session = toy_session(BLUE)
    before = session.seq
    assert await session.give(Hold()) is CommandResult.DRAFTED
    assert session.seq == before
    assert [*session.draft.commands] == [Hold()]
    assert session.decision() is None
    assert session.waiting_for() == (RED, BLUE)
    assert [line.is_draft for line in session.log()].count(True) >= 0
    with pytest.raises(SessionError, match="commit it or undo"):
        await session.give(Hold())
    assert session.draft.undo() == Hold()
    assert [*session.draft.commands] == []
    assert session.decision() is not None


async def test_bot_remark_precedes_its_command() -> None:
    session = LocalSession(toy_match(), {BLUE: Talking()})
    await session.give(Hold())
    await session.commit()
    while await session.advance():
        pass
    lines = [line.text for line in session.log()]
    kinds = [record.kind for record in session.match.records[1:]]
    assert "Blue: Takes what comes first." in lines
    assert kinds[kinds.index("remark") + 1] == "command"
    assert session.records.last_own_seq() == 1
    await session.negotiation.take_back()
    assert session.match.records[-1].takeback_to == 0


async def test_commit_sends_the_whole_draft() -> None:
    session = toy_session(BLUE)
    await session.give(Lay(card=_hand(session)[0]))
    assert await session.commit() == 1
    assert [*session.draft.commands] == []
    assert session.match.records[-1].role == RED


async def test_command_with_dice_is_sent_immediately() -> None:
    session = toy_session()
    await session.give(Lay(card=_hand(session)[-1]))
    await session.commit()
    session.switch_role(BLUE)
    await session.give(Hold())
    await session.commit()
    session.switch_role(RED)
    assert session.decision() is not None
    assert await session.give(Roll()) is CommandResult.SENT
    assert [*session.draft.commands] == []


async def test_refusals_name_the_rule() -> None:
    session = toy_session(BLUE)
    (reason,) = session.refusals(Roll())
    assert reason.rule == "1.1"
    with pytest.raises(IllegalCommandError):
        await session.give(Roll())
    assert session.refusals(Hold()) == ()


async def test_bots_answer_until_a_person_must_decide() -> None:
    session = toy_session(BLUE)
    await session.give(Hold())
    assert not await session.advance()  # a draft is open
    await session.commit()
    while await session.advance():
        pass
    assert session.outcome() is not None or session.decision() is not None


async def test_two_bots_play_to_the_end_and_the_secret_is_revealed() -> None:
    session = toy_session(RED, BLUE)
    assert session.role is None
    while await session.advance():
        pass
    assert session.outcome() is not None
    assert session.match.is_revealed


def _play_out(session: LocalSession) -> None:
    while asked := TOY.active_roles(session.match.state):
        session.submit(asked[0], TOY.decision(session.match.state, asked[0]).default)


class NoReveal(Files):
    """Refuses records after the end of a game."""

    match: Match[Any]

    @override
    def sync_data(self, handle: int) -> None:
        if TOY.outcome(self.match.state) is not None:
            raise OSError(28, "No space left on device")
        super().sync_data(handle)


def test_secret_not_written_at_the_end_is_revealed_on_reopening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, disk = tmp_path / "game.fplog", NoReveal()
    disk.match = toy_match(LogWriter.create(path, disk))
    session = LocalSession(disk.match, {}, RED)
    with pytest.raises(StorageError, match="the last command is saved and the game is over"):
        _play_out(session)
    assert session.outcome() is not None
    disk.match.close()
    monkeypatch.setattr(registry, "ruleset", lambda _: TOY)
    again = resume(path)
    assert again.match.is_revealed
    again.match.close()


async def test_hotseat_changes_seats_and_hides_hands() -> None:
    session = toy_session()
    red = _hand(session)
    await session.give(Hold())
    assert session.next_role_to_show() is None  # red may still undo
    await session.commit()
    assert session.next_role_to_show() == BLUE
    session.switch_role(BLUE)
    assert session.role == BLUE
    assert not set(red) & set(_hand(session))
    with pytest.raises(SessionError):
        session.switch_role(type(RED)("green"))


async def test_take_back_restores_the_state_before_the_last_own_command() -> None:
    session = toy_session(BLUE)
    with pytest.raises(SessionError, match="no command to take back"):
        await session.negotiation.take_back()
    before = session.view()
    await session.give(Hold())
    await session.commit()
    await session.advance()
    assert "Taken back" in await session.negotiation.take_back()
    assert session.view() == before
    assert any("Taken back" in line.text for line in session.log())
    with pytest.raises(SessionError):
        await session.negotiation.take_back()


async def _played(path: Path) -> None:
    session = toy_session(RED, BLUE, log=LogWriter.create(path))
    while await session.advance():
        pass
    await session.close()


async def test_replay_steps_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    await _played(path)
    replay = ReplaySession.open(path, TOY)
    assert replay.position.seq == 0
    assert replay.is_full
    assert replay.seats() == (RED, BLUE, None, FULL_VIEW)
    places = [replay.position]
    while replay.step_event(1):
        places.append(replay.position)
    assert places == sorted(places)
    assert replay.outcome() is not None or replay.seq == replay.last_seq
    while replay.step_event(-1):
        pass
    assert replay.position == places[0]
    assert replay.step_command(1)
    assert replay.position.seq == 1
    assert replay.step_turn(1)
    assert replay.seq > 1
    replay.go_to_record(10**6)
    assert replay.seq == replay.last_seq
    assert not replay.step_command(1)
    with pytest.raises(SessionError):
        await replay.give(Hold())
    assert replay.decision() is None


async def test_replay_shows_a_seat_only_its_own_view(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    await _played(path)
    replay = ReplaySession.open(path, TOY)
    hands = {}
    for seat in (RED, BLUE):
        replay.switch_role(seat)
        view = replay.view()
        assert isinstance(view, ToyView)
        hands[seat] = view.hand
    assert not set(hands[RED]) & set(hands[BLUE])
    replay.switch_role(None)
    view = replay.view()
    assert isinstance(view, ToyView)
    assert view.hand == ()
    assert RecordPosition(0, 0) <= replay.position


def test_titles_name_scenario_and_players() -> None:
    assert "Short" in LocalSession(toy_match(), {}).title
    assert "Ann" in LocalSession(toy_match(), {}).title


async def test_draft_is_rebased_after_commands_of_other_players() -> None:
    session = toy_session()
    await session.give(Hold())
    session.submit(BLUE, Hold())
    assert [*session.draft.commands] == [Hold()]
    await session.commit()
    assert session.waiting_for() == (RED,) or session.waiting_for() == (BLUE,)


async def test_draft_that_is_no_longer_legal_is_dropped() -> None:
    session = toy_session()
    card = _hand(session)[0]
    await session.give(Lay(card=card))
    session.submit(RED, Hold())
    assert [*session.draft.commands] == []
    assert session.draft.undo() is None


def test_card_can_be_named_without_its_copy_number() -> None:
    hand = "hand germany de_plunder de_build_army#3"
    seats = tuple(Seat(role=role, player=role, seat_id=role) for role in ROLES)
    match = Match.create(
        QMG, position("base", "active germany", "homes", hand), "base", {}, seats, SECRET
    )
    session = LocalSession(match, {})
    session.switch_role(Role("germany"))
    assert session.parse("Play DE_BUILD_ARMY") == Play(card="de_build_army#3")
    assert session.parse("play de_build_army#3") == Play(card="de_build_army#3")
    assert session.parse("play de_build_navy") == Play(card="de_build_navy")
