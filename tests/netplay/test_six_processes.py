"""Six roles in separate processes: people with one file each, bots run by the host, and a host that restarts."""

import asyncio
import contextlib
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from netplay.host import host_command
from netplay.host.host_thread import HostThread
from netplay.invites.invite import load_invites
from netplay.session.peer_group import create_peers, wait_ready
from netplay.session.peer_session import PeerSession
from netplay.workers.host_bots import HostBots, save_bot_invite
from saves.logfile import read_log
from saves.verify import verify_file
from tests.netplay.tables import SIX_PLAYERS, copies_in, room, toy_rules, until
from tests.netplay.test_processes import COMMAND, Processes, records, the_log, wait
from tests.patience import PATIENCE
from tests.sizes import sampled
from tests.toy_six import ASH, ELM, FIR, GEM, ROLES, SIX, STONE, WOOD, Rest, SetTrap, Strike


@pytest.mark.full
def test_two_players_with_three_roles_each_finish_a_game(processes: Processes) -> None:
    host, invites = processes.host("six", "--scenario", "short", "--seats", "2,Ann,Bob", "--once")
    assert set(invites) == {"ash+elm+fir", "gem+jet+ore", "spectator"}
    ann = processes.bot(invites["ash+elm+fir"], "ann")
    bob = processes.run(
        *("join", invites["gem+jet+ore"], "--bot", "random"),
        *("--folder", str(processes.folder / "bob")),
    )
    assert bob.returncode == 0, bob.stderr
    assert "1.5" in bob.stdout
    assert ann.wait(PATIENCE) == 0
    assert host.wait(PATIENCE) == 0
    full = the_log(processes)
    assert [seat.player for seat in read_log(full).header.seats] == ["Ann", "Bob"] * 3
    copies = [path for place in ("ann", "bob") for path in copies_in(processes.folder / place)]
    assert len(copies) == len(ROLES)
    assert verify_file(full, SIX).status == "ok"
    for copy in copies:
        assert verify_file(copy, SIX, full).status == "ok"


@pytest.mark.full
def test_four_host_bots_resume_after_a_restart(processes: Processes) -> None:
    bots = [word for role in ("gem", "elm", "jet", "ore") for word in ("--bot", f"{role}=random")]
    host, invites = processes.host("six", "--scenario", "short", *bots, "--seats", "ash+fir=Ann")
    assert set(invites) == {"ash+fir", "spectator"}
    errors = processes.folder / "stderr-0"
    wait(
        lambda: (
            errors.read_text(encoding="utf-8").count('"event": "player_joined"') == len(bots) // 2
        )
    )
    host.send_signal(signal.SIGTERM)
    assert host.wait(PATIENCE) == 0
    host, _ = processes.host("--once")
    ann = processes.bot(invites["ash+fir"], "ann")
    assert ann.wait(PATIENCE) == 0
    assert host.wait(PATIENCE) == 0
    assert read_log(the_log(processes)).records[-1].kind == "reveal"
    assert records(the_log(processes)) > 10


@pytest.mark.parametrize(
    ("words", "sentence"),
    sampled(
        [
            (("--seats", "ash+gem=Ann"), "Ann cannot play ash, gem: they are not one team"),
            (("--seats", "9"), "there is no seating for 9"),
        ],
        1,
    ),
)
def test_an_invalid_seating_is_refused(
    processes: Processes, words: tuple[str, ...], sentence: str
) -> None:
    done = processes.run(
        *("host", "open", "six", "--scenario", "short", *words, "--headless"),
        *("--folder", str(processes.folder / "host")),
    )
    assert done.returncode == 3
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.full
def test_a_player_in_line_mode_finishes_a_game_with_host_bots(processes: Processes) -> None:
    bots = [word for role in STONE for word in ("--bot", f"{role}=random")]
    host, invites = processes.host(
        "six", "--scenario", "short", *bots, "--seats", "ash+elm+fir=Ann", "--once"
    )
    told = processes.folder / "told"
    with told.open("w") as out:
        person = subprocess.Popen(
            [
                *COMMAND,
                "join",
                invites["ash+elm+fir"],
                "--plain",
                "--folder",
                str(processes.folder),
            ],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
        )
    assert person.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        deadline = time.monotonic() + PATIENCE
        while person.poll() is None and time.monotonic() < deadline:
            person.stdin.write("rest\ncommit\n")
            person.stdin.flush()
            with contextlib.suppress(subprocess.TimeoutExpired):
                person.wait(0.1)
        person.stdin.close()
    text = told.read_text(encoding="utf-8")
    try:
        assert person.wait(1) == 0, text
    finally:
        person.kill()
    for role in WOOD:
        assert f"You play {role.title()} now." in text
    assert text.count("A game of 2 rounds begins.") == 1
    assert "The game is over." in text
    assert host.wait(PATIENCE) == 0


@pytest.mark.full
def test_invites_of_an_open_match_are_printed_as_json(processes: Processes) -> None:
    process = processes.start(
        *("host", "open", "six", "--scenario", "short", "--seats", "3", "--headless", "--json"),
        *("--listen", f"127.0.0.1:{processes.port}", "--folder", str(processes.folder / "host")),
    )
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    assert [(one["role"], one["player"]) for one in told["invites"]] == [
        ("ash", "player-1"),
        ("gem+jet+ore", "player-3"),
        ("elm+fir", "player-2"),
        ("spectator", ""),
    ]
    for one in told["invites"][:-1]:
        assert (
            "+".join(str(invite.role) for invite in load_invites(Path(one["path"]))) == one["role"]
        )


async def test_host_bots_delay_their_answers_to_windows(tmp_path: Path) -> None:
    players = {role: "bot:random" if role in STONE else "Ann" for role in ROLES}
    async with room(tmp_path, "long", plain=True, players=SIX_PLAYERS) as table:
        opened = table.host.open_match("six", "short", {}, players)
        assert opened.seats == (WOOD, *((role,) for role in STONE))
        running = table.host.tables[opened.match]
        match = running.match
        match.submit(ASH, Rest(), match.seq)
        match.submit(GEM, SetTrap(card=match.state.hands[GEM][0]), match.seq)
        bots = HostBots(table.house, toy_rules)
        for role in STONE:
            save_bot_invite(table.host.folder, opened.invites[role])
        bots.start_bots(opened.match, players)
        await until(
            lambda: sum(s.is_in_sync and s.is_polling for s in running.sessions.values()) == 3
        )
        loop = asyncio.get_running_loop()
        match.submit(ELM, Strike(card=match.state.hands[ELM][0]), match.seq)
        await running.recorder.on_record_added()
        asked = loop.time()
        await until(lambda: match.state.strike is None)
        assert loop.time() - asked >= 0.145
        await bots.stop()


@pytest.mark.full
async def test_host_beside_a_screen_seats_one_player_with_three_roles(tmp_path: Path) -> None:
    players = {role: "Ann" if role in WOOD else "bot:random" for role in ROLES}
    plan = host_command.HostPlan(
        host="127.0.0.1",
        port=0,
        plain=True,
        folder=tmp_path / "host",
        invites=tmp_path / "invites",
        game="six",
        scenario="short",
        players=players,
    )
    thread = HostThread(plan, toy_rules)
    running = await asyncio.to_thread(thread.start)
    try:
        mine = next(one for one in running.invites if one.role == "ash+elm+fir")
        peers = create_peers(load_invites(Path(mine.path)), tmp_path / "ann", toy_rules)
        for peer in peers:
            peer.start()
        await wait_ready(peers)
        session = PeerSession(*peers)
        for role in (ASH, ELM, FIR):
            await until(
                lambda: session.next_role_to_show() is not None or session.decision() is not None
            )
            asked = session.next_role_to_show()
            if asked is not None:
                session.switch_role(asked)
            assert session.role == role
            await session.give(Rest())
            with contextlib.suppress(Exception):
                await session.commit()
        await session.close()
    finally:
        await asyncio.to_thread(thread.stop)
