"""A host stops matches after the deal and starts new ones, and the seats' programs count these openings."""

import asyncio
import contextlib
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from engine.kernel.ids import Role
from netplay.fair.seat import FairSeat
from netplay.fair.waiting_texts import stopped_openings_text
from netplay.invites.identity import fingerprint, load_certificate
from netplay.journal.journal import opening_messages
from netplay.journal.private_file import Agreement, PrivateFile, read_agreement
from netplay.journal.stopped_openings import StoppedOpening, find_stopped_openings
from netplay.match.pending_match import PendingMatch
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.session.peer_session import PeerSession
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.fair.messages import Kind
from saves.framing import scan
from saves.logfile import read_leading
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give
from tests.patience import PATIENCE


@contextlib.asynccontextmanager
async def host(folder: Path, chance: Chance = JOINT) -> AsyncIterator[Hall]:
    """Start a host with a series of matches."""
    made = Hall(folder, "eots", "1943", EOTS_PLAYERS, chance=chance)
    await made.open()
    try:
        async with asyncio.timeout(5 * PATIENCE):
            yield made
    finally:
        await made.close()


def another_match(table: Hall) -> None:
    """Let the host open another match with the same keys."""
    table.opened = table.host.open_match(
        table.game, table.scenario, {}, table.players, chance=table.chance
    )


async def deal(table: Hall) -> None:
    """Let every seat take part until the cards are dealt."""
    for role in table.players:
        table.seat(role)
    await table.live()


async def stop(table: Hall) -> str:
    """Let all peers leave a match that the host stops. Return its id."""
    for each in table.peers.values():
        await each.close()
    table.peers.clear()
    return table.opened.match


def host_of(table: Hall) -> str:
    return fingerprint(load_certificate(table.opened.invites[ALLIED].authority))


def listed(table: Hall, role: Role = ALLIED) -> set[str]:
    """Return the stopped openings that the files of a seat show."""
    found = find_stopped_openings(table.folder / str(role), host_of(table), "none")
    return {one.match for one in found}


@pytest.mark.full
@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_repeated_stopped_openings_are_reported_to_the_honest_seat(
    tmp_path: Path, chance: Chance
) -> None:
    async with host(tmp_path, chance) as table:
        stopped = []
        for _ in range(2):
            await deal(table)
            stopped.append(await stop(table))
            another_match(table)
        with capture_logs() as logged:
            honest = table.seat(ALLIED)
            await until(lambda: honest.reporter.status.link is ConnectionState.WAITING)
        (line,) = [one for one in logged if one["event"] == "earlier_openings_stopped"]
        assert set(line["matches"]) == set(stopped)
        assert honest.reporter.status.stopped_openings.startswith(
            "In 2 earlier matches with this host, the cards"
        )
        assert all(
            f"{match} (eots 1943)" in honest.reporter.status.stopped_openings for match in stopped
        )
        own = tmp_path / str(ALLIED) / f"{table.opened.match}.{ALLIED}.seat7"
        assert read_agreement(own) is None, "the player reads it before the seat agrees"
        table.seat(JAPAN)
        await table.live()
        assert honest.seat is not None
        assert {one.match for one in honest.seat.stopped_openings} == set(stopped)
        notes = [line.text for line in PeerSession(honest).log() if "earlier" in line.text]
        (note,) = notes
        assert all(match in note for match in stopped)


@pytest.mark.full
async def test_a_stopped_opening_is_reported_in_an_already_waiting_match(
    tmp_path: Path,
) -> None:
    async with host(tmp_path) as table:
        late = Peer(table.opened.invites[ALLIED], tmp_path / str(ALLIED), window_seconds=0.0)
        late.start()
        first = table.opened
        try:
            await until(lambda: late.reporter.status.link is ConnectionState.WAITING)
            assert late.reporter.status.stopped_openings == ""
            another_match(table)
            await deal(table)
            stopped = await stop(table)
            table.opened = first
            table.seat(JAPAN)
            await until(lambda: late.is_ready)
            assert late.seat is not None
            assert [one.match for one in late.seat.stopped_openings] == [stopped]
        finally:
            await late.close()
        again = table.seat(ALLIED)
        assert again.seat is not None
        assert [one.match for one in again.seat.stopped_openings] == [stopped], (
            "also after a restart"
        )


@pytest.mark.full
async def test_a_deal_withheld_by_the_host_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = PendingMatch._store_or_begin
    held: list[PendingMatch] = []

    async def hold(self: PendingMatch) -> None:
        if self._message_server is not None and self._message_server.match.is_complete:
            held.append(self)  # the host has seen the deal, and writes no record
            return
        await begin(self)

    async with host(tmp_path) as table:
        with monkeypatch.context() as patch:
            patch.setattr(PendingMatch, "_store_or_begin", hold)
            for role in table.players:
                table.seat(role)
            await until(lambda: bool(held))
            first = await stop(table)
        assert not (tmp_path / str(ALLIED) / f"{first}.{ALLIED}.fplog").exists()
        assert listed(table) == listed(table, JAPAN) == {first}


async def test_an_opening_without_a_deal_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    due = FairSeat.due_post
    monkeypatch.setattr(
        FairSeat, "due_post", lambda self: None if self._role == JAPAN else due(self)
    )  # this seat agrees to nothing
    async with host(tmp_path) as table:
        for role in table.players:
            table.seat(role)
        stem = f"{table.opened.match}.{ALLIED}"
        private, journal = (
            tmp_path / str(ALLIED) / f"{stem}.{end}7" for end in ("seat", "journal")
        )

        def signed() -> set[Kind]:
            if not journal.exists():
                return set()
            return {one.kind for one in opening_messages(journal, table.opened.match, ALLIED)}

        await until(lambda: Kind.AGREE in signed())
        await stop(table)
        assert read_agreement(private) is not None
        assert Kind.REVEAL not in signed()
        assert listed(table) == set()


@pytest.mark.full
async def test_a_match_with_a_command_of_the_player_is_not_counted(tmp_path: Path) -> None:
    async with host(tmp_path) as table:
        await deal(table)
        (giver,) = [role for role in table.players if table.peers[role].is_asked]
        (other,) = set(table.players) - {giver}
        await give(table, 1)
        await table.level()
        match = await stop(table)
        assert listed(table, giver) == set()
        assert listed(table, other) == {match}, "a command of the host's seat hides nothing"
        (tmp_path / str(giver) / f"{match}.{giver}.fplog").unlink()
        assert listed(table, giver) == set(), "the journal shows the command without the copy"


@pytest.mark.full
async def test_an_ended_match_is_not_counted(tmp_path: Path) -> None:
    async with host(tmp_path) as table:
        await deal(table)
        await table.peers[JAPAN].propose(OfferKind.RESIGNATION)
        await until(lambda: all(each.replicator.is_done for each in table.peers.values()))
        match = await stop(table)
        assert listed(table) == set()
        (tmp_path / str(ALLIED) / f"{match}.{ALLIED}.fplog").unlink()
        assert listed(table) == set(), "the journal shows the end without the copy"


async def test_matches_of_other_hosts_and_damaged_files_are_not_counted(tmp_path: Path) -> None:
    async with host(tmp_path) as table:
        await deal(table)
        match = await stop(table)
        folder = tmp_path / str(ALLIED)
        assert listed(table) == {match}
        assert find_stopped_openings(folder, "0" * 64, "none") == ()
        assert find_stopped_openings(folder, host_of(table), match) == ()
        assert find_stopped_openings(folder, host_of(table), "none", latest_time=0) == ()
        assert find_stopped_openings(tmp_path / "missing", host_of(table), "none") == ()
        copy, private = (folder / f"{match}.{ALLIED}.{end}" for end in ("fplog", "seat7"))
        for path, damage in (
            (copy, lambda data: data[:20]),
            (copy, lambda data: data[:-40] + bytes(40)),
            (copy, lambda data: data[: len(data) // 2]),
            (copy, lambda data: b""),
            (private, lambda data: data[:-1]),
            (private, lambda data: data.replace(b"eots", b"\xff\xff\xff\xff")),
            (private, lambda data: b"[" * 4000),
            (private, lambda data: bytes(5000)),
        ):
            check_damaged(table, path, damage)
        (folder / f"{match}.other.seat7").write_bytes(private.read_bytes())
        (folder / "folder.seat7").mkdir()
        assert listed(table) == {match}
        shutil.copy(folder / f"{match}.{ALLIED}.journal7", folder / "kept")
        copy.unlink()
        assert listed(table) == {match}, "the journal shows the deal without the copy"
        check_damaged(table, folder / f"{match}.{ALLIED}.journal7", lambda data: data[:60])
        (folder / f"{match}.{ALLIED}.journal7").unlink()
        assert listed(table) == set()


def check_damaged(table: Hall, path: Path, damage: Callable[[bytes], bytes]) -> None:
    """Check that a match with a damaged file is skipped, and is counted again with an intact file."""
    good = path.read_bytes()
    path.write_bytes(damage(good))
    assert listed(table) == set()
    path.write_bytes(good)
    assert len(listed(table)) == 1


@pytest.mark.full
async def test_roles_of_one_player_are_counted_once(tmp_path: Path) -> None:
    async with host(tmp_path) as table:
        await deal(table)
        match = await stop(table)
        folder = tmp_path / "both"
        for role in table.players:
            shutil.copytree(tmp_path / str(role), folder, dirs_exist_ok=True)
        (one,) = find_stopped_openings(folder, host_of(table), "none")
        assert (one.match, one.game, one.scenario) == (match, "eots", "1943")
        assert abs(one.time - time.time()) < PATIENCE * 10


@pytest.mark.full
async def test_first_records_are_read_without_the_rest_of_the_file(tmp_path: Path) -> None:
    async with host(tmp_path) as table:
        await deal(table)
        await give(table, 3)
        await table.level()
        match = await stop(table)
        path = tmp_path / str(ALLIED) / f"{match}.{ALLIED}.fplog"
        data = path.read_bytes()
        whole = scan(path.name, data)
        header, records = read_leading(path)
        assert (header, tuple(records)) == (whole.header, tuple(whole.records))
        path.write_bytes(
            data[: whole.record_offsets[2] + 1] + bytes(len(data))
        )  # damaged after record 1
        _, records = read_leading(path)
        assert [next(records), next(records)] == list(whole.records[:2])


def test_the_first_agreement_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "match-1.red.seat7"
    file = PrivateFile(path, "match-1", Role("red"))
    file.enrol()
    first, second = (Agreement.truncated("host", day, "toy", "x" * 999) for day in (1.5, -1.0))
    file.agree(bytes(32), first)
    file.agree(bytes(32), second)
    file.close()
    found = read_agreement(path)
    assert found is not None
    assert (found.agreement, found.agreement.time, second.time) == (first, 1, 0)


def test_a_host_bot_does_not_search_for_stopped_openings(tmp_path: Path) -> None:
    seat = FairSeat(tmp_path, "match-1", Role("red"), "host's machine")
    seat.find_stopped_openings()
    assert seat.stopped_openings == ()


def test_only_the_latest_stopped_openings_are_listed() -> None:
    day = 24 * 3600
    made = [
        StoppedOpening(match=f"match-{number}", time=number * day, game="toy", scenario="")
        for number in range(8)
    ]
    words = stopped_openings_text(made)
    assert words.startswith("in 8 earlier matches with this host, the cards were dealt")
    assert "1970-01-05 match-4 (toy own position); and 3 more." in words
    assert "match-5" not in words
    assert stopped_openings_text(made[1:2]).startswith("in 1 earlier match with this host")
    assert stopped_openings_text(()) == ""
    ugly = StoppedOpening(match="match-1", time=0, game="toy", scenario="\x1b[31mred\u202e")
    assert re.search(r"\(toy red\)", stopped_openings_text([ugly]))
