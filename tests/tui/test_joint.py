"""Matches with joint randomness on the screens and in line mode: whom they wait for, and what they promise."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import OptionList, Static

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.fair.waiting_texts import (
    missing_players_text,
    mode_text,
    player_list,
    waiting_for_text,
)
from netplay.host.host_thread import HostThread
from netplay.host.match_creation import parse_mode
from netplay.invites.invite import load_invite, write_invite
from netplay.peer.peer import Peer
from netplay.session.peer_session import PeerSession
from netplay.wire.modes import FAIR, HOST, JOINT, MODE_FOR_TWO
from play.offers import OfferKind
from saves.headers import Seat
from tests.netplay.tables import live, room, toy_plan, until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall, stuck
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, REGISTERED, TOY
from tests.toy_six import ROLES, SIX
from tests.tui.apps import app, reached
from tests.tui.test_hosted import shown
from tui.app import launch
from tui.presenter.presenter import Presenter, load_presenter
from tui.screens.forms.host import _fields, build_plan
from tui.screens.lobby.connect import ConnectScreen
from tui.screens.match.play import PlayScreen
from tui.widgets.bars.status_bar import StatusBar

SIZE = (80, 24)
EOTS, CBPS = registry.ruleset("eots"), registry.ruleset("cbps")
TWO = {Role("allied"): "Ann", Role("japan"): "Bob"}


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.full
async def test_host_takes_a_seat_and_the_table_opens_when_the_guest_joins(
    tmp_path: Path,
) -> None:
    plan = toy_plan(tmp_path / "host", EOTS_PLAYERS, own="allied")
    thread = HostThread(replace(plan, game="eots", scenario="1943", chance=JOINT))
    thread.start()
    async with shown(tmp_path, thread) as (program, screen, pilot):
        title = str(screen.query_one(OptionList).options[0].prompt)
        assert "mode joint" in title
        assert "the match begins when Ada (Allies) and Bob (Japan) have joined" in title
        await pilot.press("enter")
        await reached(pilot, lambda: isinstance(program.screen, ConnectScreen))

        def told() -> str:
            return str(program.screen.query_one(".link", Static).render())

        await reached(pilot, lambda: "The match begins when Bob (Japan) has joined." in told())
        assert "nobody can choose or predict them" in " ".join(told().split())
        guest = Peer(load_invite(tmp_path / "host/invites/bob.invite"), tmp_path / "bob")
        guest.start()
        await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
        await guest.close()
    thread.stop()


@pytest.mark.full
async def test_connecting_screen_marks_a_fair_match_as_experimental(
    tmp_path: Path,
) -> None:
    plan = toy_plan(tmp_path / "host", EOTS_PLAYERS, own="allied")
    thread = HostThread(replace(plan, game="eots", scenario="1943", chance=FAIR))
    thread.start()
    async with shown(tmp_path, thread) as (program, screen, pilot):
        assert "mode fair (experimental)" in str(screen.query_one(OptionList).options[0].prompt)
        await pilot.press("enter")
        await reached(pilot, lambda: isinstance(program.screen, ConnectScreen))

        def told() -> str:
            return " ".join(str(program.screen.query_one(".link", Static).render()).split())

        await reached(pilot, lambda: "The match begins when Bob (Japan) has joined." in told())
        await reached(
            pilot, lambda: "The mode is fair (experimental): all seats together" in told()
        )
        assert "it has had no independent review. The table opens" in told()
    thread.stop()


@pytest.mark.full
async def test_table_shows_whose_contribution_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        giver, given, away = await stuck(table, monkeypatch)
        session = PeerSession(giver)
        assert any("(joint: all seats" in line.text for line in session.log())
        await until(lambda: f"waits for {session.players[away]}" in session.status())
        screen = PlayScreen(session, load_presenter(registry.ruleset("eots")))
        assert session.mode == "joint"
        async with app(tmp_path, screen).run_test(size=SIZE) as pilot:
            await reached(pilot, lambda: "share of the randomness" in str(screen.session.status()))
            table.seat(away)
            await given
            await reached(pilot, lambda: "share of the randomness" not in session.status())


@pytest.mark.full
async def test_status_bar_names_the_mode_if_there_is_room(tmp_path: Path) -> None:
    async with room(tmp_path, plain=True) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(red)
        assert any("(trusted host: dice and draws come" in line.text for line in session.log())
        screen = PlayScreen(session, Presenter(TOY))
        async with app(tmp_path, screen).run_test(size=(160, 46)) as pilot:
            await reached(pilot, lambda: "mode trusted host" in screen.query_one(StatusBar).text)


async def test_log_reports_that_the_full_record_has_arrived(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=JOINT) as table:
        allied = table.peers[ALLIED]
        session = PeerSession(allied)
        await allied.propose(OfferKind.RESIGNATION)
        await until(lambda: allied.replicator.is_done)
        assert any("full record has arrived" in line.text for line in session.log())


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replace standard input with one that receives no input and does not end."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w"):
        monkeypatch.setattr(sys, "stdin", stream)
        yield


@pytest.mark.full
@pytest.mark.usefixtures("keyboard")
async def test_joining_in_line_mode_shows_missing_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("tui.console.keyboard.print_line", said.append)

    async def by_lines(session: PeerSession, place: str, read: object) -> int:
        assert place
        assert read
        await session.close()
        return 7

    monkeypatch.setattr(launch, "_play_plain", by_lines)
    table = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT)
    await table.open()
    try:
        path = write_invite(tmp_path / "sent", table.opened.invites[ALLIED])
        joined = asyncio.create_task(launch._join_plain(path, tmp_path / "ada"))
        # on a busy machine, it first prints that it looks for the host, or that no player has enrolled yet
        await until(lambda: "The match begins when Bob (Japan) has joined." in said)
        mode = (
            "The mode is joint: all seats together generate the dice and draws, so that nobody can choose or predict"
            " them; the host can read all hands."
        )
        assert said.count(mode) == 1
        table.seat(JAPAN)
        assert await joined == 7
        await table.live()
    finally:
        await table.close()


@pytest.mark.full
@pytest.mark.usefixtures("keyboard")
async def test_stopped_earlier_match_is_shown_while_waiting_for_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("tui.console.keyboard.print_line", said.append)

    async def by_lines(session: PeerSession, place: str, read: object) -> int:
        assert any(words in line.text for line in session.log())
        await session.close()
        return 7

    monkeypatch.setattr(launch, "_play_plain", by_lines)
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        stopped = table.opened.match
        for role in EOTS_PLAYERS:
            await table.peers[role].close()
        table.opened = table.host.open_match("eots", "1943", {}, EOTS_PLAYERS, chance=JOINT)
        words = f"{stopped} (eots 1943). A host that has seen a deal can stop the match"
        path = write_invite(tmp_path / "sent", table.opened.invites[ALLIED])
        joined = asyncio.create_task(launch._join_plain(path, tmp_path / str(ALLIED)))
        await until(lambda: any(words in line for line in said))
        table.seat(JAPAN)
        assert await joined == 7
        folder = tmp_path / "screen"
        folder.mkdir()
        for file in (tmp_path / str(ALLIED)).glob(f"{stopped}.*"):
            (folder / file.name).write_bytes(file.read_bytes())
        table.opened = table.host.open_match("eots", "1943", {}, EOTS_PLAYERS, chance=JOINT)
        peer = Peer(table.opened.invites[ALLIED], folder)
        program = app(tmp_path, ConnectScreen((peer,), tmp_path))
        async with program.run_test(size=SIZE) as pilot:

            def told() -> str:
                return " ".join(str(program.screen.query_one(".link", Static).render()).split())

            await reached(pilot, lambda: words in told())
            await peer.close()


def test_players_are_named_with_their_roles() -> None:
    header = toy_match(red="Ann").header
    assert player_list(TOY, header, (RED,)) == "Ann (Red)"
    assert missing_players_text(TOY, header, (RED, BLUE)) == (
        "the match begins when Ann (Red) and Bob (Blue) have joined"
    )
    assert (
        waiting_for_text(TOY, header, (BLUE,)) == "waits for Bob (Blue)'s share of the randomness"
    )
    dealt = waiting_for_text(TOY, header, (BLUE,), "fair")
    assert dealt == "waits for Bob (Blue)'s share of the dice or cards"
    seats = (
        Seat(role=RED, player="red", seat_id=""),
        Seat(role=BLUE, player="bot:random", seat_id=""),
    )
    named = replace(header, seats=seats)
    assert player_list(TOY, named, (RED, BLUE)) == "Red and the bot random (Blue)"
    nameless = tuple(Seat(role=role, player=ROLES[0], seat_id="") for role in ROLES[:2])
    assert player_list(SIX, replace(header, seats=nameless), ROLES) == "Ash, Gem"
    several = tuple(Seat(role=role, player="Cleo", seat_id="") for role in ROLES[:2])
    names = ", ".join(SIX.role_titles.get(role, role.title()) for role in ROLES[:2])
    assert player_list(SIX, replace(header, seats=several), ROLES) == f"Cleo ({names})"


@pytest.mark.parametrize(
    ("changes", "chance"),
    [
        ({}, JOINT),
        ({"chance": HOST}, HOST),
        ({"seat:japan": "bot:random"}, HOST),
        ({"seat:japan": "bot:random", "chance": JOINT}, JOINT),
    ],
    ids=["two-people", "asked-for-the-host", "a-bot", "asked-for-all"],
)
def test_form_offers_the_randomness_mode(changes: dict[str, str], chance: str) -> None:
    form = {field.id: field.value for field in _fields(EOTS, "Ann")}
    assert build_plan(EOTS, form | changes, Path()).chance == chance


def test_trusted_host_is_the_default_for_many_players() -> None:
    form = {field.id: field.value for field in _fields(SIX, "Ann")}
    assert build_plan(SIX, form, Path()).chance == HOST


def usual(rules: AnyRuleset, players: dict[Role, str], *, is_own: bool = False) -> str:
    info = rules.scenario_info(rules.default_scenario(), {})
    return parse_mode("", rules, info, players, is_own=is_own)


def test_joint_is_the_default_mode_for_two_players() -> None:
    assert usual(EOTS, TWO) == MODE_FOR_TWO == JOINT
    assert usual(EOTS, TWO, is_own=True) == JOINT
    assert usual(TOY, {RED: "Ann", BLUE: "Bob"}) == HOST  # its secrets cannot be checked
    assert usual(EOTS, TWO | {Role("japan"): "bot:greedy"}) == HOST


@pytest.mark.parametrize(
    ("rules", "is_own", "problem"),
    [
        (CBPS, False, "Carrier Battle: Philippine Sea has no cards to hide from the host"),
        (EOTS, True, "the author of a custom position knows its hands"),
    ],
    ids=["no-cards", "own-position"],
)
def test_match_whose_hands_the_host_knows_cannot_be_fair(
    rules: AnyRuleset, problem: str, *, is_own: bool
) -> None:
    info = rules.scenario_info(rules.default_scenario(), {})
    players = {role: role.title() for role in info.roles}
    with pytest.raises(DataError, match=problem):
        parse_mode(FAIR, rules, info, players, is_own=is_own)
    assert parse_mode(JOINT, rules, info, players, is_own=is_own) == JOINT
    assert parse_mode(FAIR, EOTS, info, players) == FAIR


def test_match_whose_hidden_cards_cannot_be_checked_cannot_be_joint() -> None:
    info = TOY.scenario_info(TOY.default_scenario(), {})
    with pytest.raises(DataError, match="does not say whose cards an event hides; choose host"):
        parse_mode(JOINT, TOY, info, {RED: "Ann", BLUE: "Bob"})


def test_joining_player_is_told_which_hands_the_host_can_read() -> None:
    header = toy_match(red="Ann").header
    fair = mode_text(TOY, header, "fair")
    assert fair.startswith("fair (experimental): all seats together generate the dice and draws")
    assert fair.endswith("to hide hands from the host; it has had no independent review")
    bots = (replace(header.seats[0], player="bot:random"), *header.seats[1:])
    told = mode_text(TOY, replace(header, seats=bots), "fair")
    assert told.endswith("no independent review; the host can read the hands of its bots: Red")
    assert mode_text(TOY, header, "host").endswith("which can read all hands")
    assert mode_text(TOY, header).startswith("open: this program")
