"""One person with several roles: on the network, at one keyboard, in line mode and on the screen."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Role
from netplay.peer.peer import Peer
from netplay.peer.seat_replica import SeatReplica
from netplay.session.peer_session import PeerSession
from play.local_session import LocalSession
from play.negotiation import SessionError
from play.session import CommandResult, Session
from play.standing_orders import StandingOrders
from saves.entries import decode_event
from saves.headers import Seat
from saves.logfile import SUFFIX, LogWriter
from saves.match import Match
from tests.netplay.tables import SIX_PLAYERS, Room, live, room, toy_rules, until
from tests.play.tables import SECRET, First
from tests.toy_game import CardDrawn
from tests.toy_six import (
    ASH,
    ELM,
    FIR,
    GEM,
    JET,
    ORE,
    ROLES,
    SIX,
    STONE,
    WOOD,
    LetPass,
    Rest,
    SetTrap,
    Spring,
    Strike,
    Trade,
)
from tests.tui.apps import app, reached
from tests.tui.test_plain import Script
from tui.console.game import PlainGame
from tui.presenter.presenter import Presenter
from tui.screens.dialogs.prompt import ChoiceDialog, CoverDialog
from tui.screens.match.play import PlayScreen

WOOD_IS_ANN = {**SIX_PLAYERS, **dict.fromkeys(WOOD, "Ann"), **dict.fromkeys((JET, ORE), "Bob")}


def hand(session: Session) -> tuple[Any, ...]:
    return tuple(session.view().hand)  # type: ignore[attr-defined]  # of the game of six


def six_match(players: Mapping[Role, str], log: LogWriter | None = None) -> Match[Any]:
    seats = tuple(Seat(role=role, player=players[role], seat_id=f"seat-{role}") for role in ROLES)
    return Match.create(SIX, SIX.position("short", {}), "short", {}, seats, SECRET, log)


@contextlib.asynccontextmanager
async def tables(
    folder: Path, *seats: tuple[Role, ...]
) -> AsyncIterator[tuple[Room, list[PeerSession]]]:
    """Open a table of six and seat persons with these roles."""
    async with room(folder, "short", plain=True, players=WOOD_IS_ANN) as table:
        sessions: list[PeerSession] = []
        for seat in seats:
            peers = [table.peer(role, "-".join(seat), window_seconds=0.05) for role in seat]
            await live(*peers)
            sessions.append(PeerSession(*peers))
        try:
            yield table, sessions
        finally:
            for session in sessions:
                await session.close()


def shows(session: Session, role: Role) -> Callable[[], bool]:
    """Return whether a session, after checking who is asked, shows a role with a question."""

    def look() -> bool:
        asked = session.next_role_to_show()
        if asked is not None:
            session.switch_role(asked)
        return session.role == role and session.decision() is not None

    return look


async def test_active_role_is_shown(tmp_path: Path) -> None:
    async with tables(tmp_path, WOOD, STONE) as (table, (ann, bob)):
        assert ann.own_roles == WOOD
        assert ann.role == ASH
        seen: list[Role] = []
        for session, role in ((ann, ASH), (bob, GEM), (ann, ELM), (bob, JET), (ann, FIR)):
            await until(shows(session, role))
            seen.append(role)
            await session.give(Rest())
            await session.commit()
        assert seen == [ASH, GEM, ELM, JET, FIR]
        assert table.head == len(seen)


async def test_each_hand_is_shown_only_in_its_own_view(tmp_path: Path) -> None:
    async with tables(tmp_path, WOOD) as (table, (ann,)):
        match = table.host.tables[table.match].match
        for role in WOOD:
            ann.view_as(role)
            assert ann.view() == SIX.project(match.state, role)
            assert set(hand(ann)) == set(match.state.hands[role])
            assert ann.next_role_to_show() is None  # the view lasts until another role is asked
        with pytest.raises(SessionError, match="not gem"):
            ann.view_as(GEM)
        with pytest.raises(SessionError):
            ann.switch_role(GEM)
        for peer in ann.peers:
            hidden = [
                card for role in ROLES if role != peer.role for card in peer.state.hands[role]
            ]
            assert set(hidden) == {None}


@pytest.mark.full
async def test_log_chat_and_status_are_not_duplicated(tmp_path: Path) -> None:
    async with tables(tmp_path, WOOD, STONE) as (table, (ann, bob)):
        await bob.negotiation.say("hello Ann")
        await until(lambda: any("hello" in line.text for line in ann.log()))
        await bob.negotiation.say("all told")
        await until(lambda: any("all told" in line.text for line in ann.log()))
        texts = [line.text for line in ann.log()]
        assert sum("hello" in text for text in texts) == 1
        assert sum("begins" in text for text in texts) == 1
        match = table.host.tables[table.match].match
        for role in WOOD:  # cards drawn by any of the person's roles are named once
            assert [text for text in texts if text.startswith(f"{role} draws")] == [
                f"{role} draws {card}." for card in _drawn(match, role)
            ]
        assert texts.count("gem draws a card.") == 3
        ann.view_as(FIR)
        assert [line.text for line in ann.log()] == texts
        assert ann.status().count("host") == 1
        assert "Ash+Elm+Fir: Ann" in ann.title


def _drawn(match: Match[Any], role: Role) -> list[str]:
    events = [decode_event(SIX, entry) for entry in match.records[0].events]
    return [str(one.card) for one in events if isinstance(one, CardDrawn) and one.role == role]


@pytest.mark.full
async def test_any_time_command_is_sent_immediately(tmp_path: Path) -> None:
    async with tables(tmp_path, WOOD, STONE) as (table, (ann, bob)):
        bob.view_as(JET)
        assert bob.decision() is None
        card = hand(bob)[0]
        assert bob.parse(f"TRADE {card}") == Trade(card=card)
        assert bob.refusals(Trade(card=card)) == ()
        assert bob.refusals(Strike(card=card))[0].rule == "1.1"
        assert await bob.give(Trade(card=card)) is CommandResult.SENT
        assert bob.refusals(Trade(card=hand(bob)[0]))[0].rule == "1.4"
        mine = hand(ann)
        await ann.give(Rest())
        assert ann.draft.commands
        assert await ann.give(Trade(card=mine[1])) is CommandResult.SENT
        assert not ann.draft.commands  # tried commands are taken back first
        assert [record.role for record in table.host.tables[table.match].match.records[1:]] == [
            JET,
            ASH,
            ASH,
        ]


@pytest.mark.full
async def test_a_takeback_asks_each_person_once(tmp_path: Path) -> None:
    async with tables(tmp_path, WOOD, (GEM,), (JET, ORE)) as (table, (ann, gem, bob)):
        await ann.give(Rest())
        await ann.commit()
        assert await ann.negotiation.take_back() == "The others have been asked."
        await until(
            lambda: bool(gem.negotiation.offer_question() and bob.negotiation.offer_question())
        )
        assert ann.negotiation.offer_question() == ""
        await until(lambda: all(peer.reporter.offer is not None for peer in bob.peers))
        await bob.negotiation.answer_offer(agree=True)
        await until(lambda: bob.negotiation.offer_question() == "")
        await gem.negotiation.answer_offer(agree=True)
        await until(lambda: ann.seq == 2)
        assert table.host.tables[table.match].match.records[2].kind == "takeback"
        await until(shows(ann, ASH))


@pytest.mark.full
async def test_takeback_does_not_wait_for_replicas_of_other_roles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with tables(tmp_path, WOOD, STONE) as (_, (ann, bob)):
        await ann.give(Rest())
        await ann.commit()
        slow = ann.peers[-1].copy
        monkeypatch.setattr(
            SeatReplica, "seq", property(lambda copy: 0 if copy is slow else copy._follower.seq)
        )
        assert ann.seq == 0
        assert await ann.negotiation.take_back() == "The others have been asked."
        await until(lambda: bool(bob.negotiation.offer_question()))


@pytest.mark.full
async def test_one_person_plays_five_roles_to_the_end(tmp_path: Path) -> None:
    five = (ASH, GEM, ELM, JET, FIR)
    async with room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table:
        peers = [table.peer(role, "five", window_seconds=0.0) for role in five]
        other = table.peer(ORE, window_seconds=0.0)
        await live(*peers, other)
        session = PeerSession(*peers)
        single = PeerSession(other)
        for _ in range(200):
            if session.outcome() is not None:
                break
            for one in (session, single):
                role = one.next_role_to_show()
                if role is not None:
                    one.switch_role(role)
                decision = one.decision()
                if decision is not None:
                    await one.give(decision.options[0])
                    await one.commit()
            await until(
                lambda: (
                    session.outcome() is not None
                    or any(one.next_role_to_show() or one.decision() for one in (session, single))
                )
            )
        assert session.outcome() is not None
        await until(lambda: len({peer.copy.chain for peer in (*peers, other)}) == 1)
        await session.close()
        await single.close()


@pytest.mark.full
async def test_standing_orders_apply_to_every_role_and_survive_a_restart(tmp_path: Path) -> None:
    async with tables(tmp_path, WOOD, STONE) as (table, (ann, bob)):
        assert bob.orders.change("never spring")[-1] == "Never asks about: spring"
        await ann.give(Rest())
        await ann.commit()
        for role in (GEM, JET):
            await until(shows(bob, role))
            await bob.give(SetTrap(card=hand(bob)[0]))
            await bob.commit()
            await until(shows(ann, ELM if role == GEM else FIR))
            if role == GEM:
                await ann.give(Rest())
                await ann.commit()
        await ann.give(Strike(card=hand(ann)[0]))
        await ann.commit()
        await until(lambda: table.host.tables[table.match].match.state.strike is None)
        commands = [
            record.command.tag
            for record in table.host.tables[table.match].match.records
            if record.command is not None
        ]
        assert commands[-2:] == ["pass", "pass"]
        invites = tuple(table.invites[role] for role in STONE)
        await bob.close()
        peers = [Peer(invite, tmp_path / "gem-jet-ore", toy_rules) for invite in invites]
        for peer in peers:
            peer.start()
        table.peers.extend(peers)
        await live(*peers)
        again = PeerSession(*peers)
        assert again.orders.shown_book.orders == StandingOrders(nevers=("spring",))
        await again.close()


# -- one keyboard


def local(players: Mapping[Role, str], *bots: Role, place: Path | None = None) -> LocalSession:
    log = None if place is None else LogWriter.create(place)
    return LocalSession(six_match(players, log), {role: First() for role in bots}, None, place)


async def test_same_person_changes_roles_without_a_cover() -> None:
    players = dict.fromkeys(WOOD, "Ann") | dict.fromkeys(STONE, "Bob")
    script = Script(["rest", "commit", "rest", "commit", "", "rest", "commit"])
    session = local(players, GEM, JET, ORE)
    await PlainGame(session, Presenter(SIX), script.read, script.write).run()
    assert session.own_roles == WOOD
    assert "take the keyboard" not in script.text
    for role in WOOD[:2]:
        assert f"You play {role.title()} now." in script.text
    two = local(players)
    two.match.submit(ASH, Rest(), 0)
    assert two.next_role_to_show() == GEM
    script = Script(["", "rest", "commit"])
    await PlainGame(two, Presenter(SIX), script.read, script.write).run()
    assert "Gem, take the keyboard" in script.text


async def test_line_mode_shows_other_hands_and_accepts_orders_and_any_time_commands() -> None:
    players = dict.fromkeys(WOOD, "Ann") | {role: str(role) for role in STONE}
    session = local(players, *STONE)
    fir = [card for card in session.match.state.hands[FIR] if card]
    script = Script(
        [
            "seat",
            "seat gem",
            "seat fir",
            "auto",
            "auto use spring",
            "auto dance",
            f"trade {fir[0]}",
            "log 3",
            "quit",
        ]
    )
    await PlainGame(session, Presenter(SIX), script.read, script.write).run()
    assert "You play ash, elm, fir and see the view of ash." in script.text
    assert "you play ash, elm, fir, not gem" in script.text
    assert "At any time  [3 below]" in script.text
    assert all(card in script.text for card in fir)
    assert "Uses whenever it is offered: spring" in script.text
    assert "write auto on" in script.text
    assert session.match.records[-1].role == FIR
    assert session.match.records[-1].command is not None
    assert session.match.records[-1].command.tag == "trade"


async def test_local_windows_are_passed_automatically(tmp_path: Path) -> None:
    place = tmp_path / f"six{SUFFIX}"
    players = dict.fromkeys(WOOD, "Ann") | dict.fromkeys(STONE, "Bob")
    session = local(players, *STONE, place=place)
    match = session.match
    trap, strike = next(
        (trap, strike)
        for trap in match.state.hands[ASH]
        for strike in match.state.hands[GEM]
        if (int(trap[1:]) - int(strike[1:])) % 2
    )
    match.submit(ASH, SetTrap(card=trap), 0)
    match.submit(GEM, Strike(card=strike), 1)
    session.switch_role(FIR)
    assert SIX.active_roles(match.state) == (ASH,)
    assert session.next_role_to_show() is None
    assert await session.advance()
    assert match.state.strike is None
    session.orders.change("off")
    await session.close()
    resumed = Match[Any].resume(place, SIX)
    again = LocalSession(resumed, {}, ASH, place)
    assert again.orders.shown_book.orders == StandingOrders(by_itself=False)
    again.switch_role(GEM)
    assert again.orders.shown_book.orders == StandingOrders()  # Bob's own
    await again.close()


# -- the screen


@pytest.mark.full
async def test_keys_show_other_roles_and_set_standing_orders(tmp_path: Path) -> None:
    players = dict.fromkeys(WOOD, "Ann") | dict.fromkeys(STONE, "Bob")
    session = local(players, *STONE)
    match = session.match
    screen = PlayScreen(session, Presenter(SIX))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        assert session.role == ASH
        await pilot.press("M")
        assert session.role == ELM
        await pilot.press("M", "M")
        assert session.role == ASH
        traps = [one for one in session.offered_commands() if isinstance(one, SetTrap)]
        screen.give_command(traps[0])
        await pilot.pause()
        await pilot.press("c")
        await reached(pilot, lambda: match.seq >= 1)
        assert session.role in WOOD
        assert not isinstance(program.screen, CoverDialog)
        await pilot.press("j")
        await pilot.pause()
        assert isinstance(program.screen, ChoiceDialog)
        await pilot.press("end", "enter")
        await pilot.pause()
        assert not session.orders.shown_book.orders.by_itself
        assert match.seq >= 2


@pytest.mark.full
async def test_any_time_commands_are_in_the_list(tmp_path: Path) -> None:
    session = local(dict.fromkeys(WOOD, "Ann") | {role: str(role) for role in STONE}, *STONE)
    screen = PlayScreen(session, Presenter(SIX))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.press("M")
        titles = [choice.title for choice in screen.panel.shown_choices]
        assert titles == ["At any time"]
        await pilot.pause()
        await pilot.press("d")
        await pilot.pause()
        assert screen.panel.rows.highlighted is None  # each line goes out at once
        await pilot.press("1")
        await reached(pilot, lambda: session.match.seq >= 1)
        assert session.match.records[1].role == ELM


def test_window_offers_only_springs_and_passes() -> None:
    match = six_match(SIX_PLAYERS)
    match.submit(ASH, SetTrap(card=match.state.hands[ASH][0]), 0)
    match.submit(GEM, Strike(card=match.state.hands[GEM][0]), 1)
    assert {type(one) for one in SIX.decision(match.state, ASH).options} <= {Spring, LetPass}
