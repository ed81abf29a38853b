"""Honest programs that are all updated while their match waits for its last player, or for messages of the opening."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from engine.registry import ruleset
from netplay.fair.seat import FairSeat
from netplay.match.pending_match import PendingMatch
from netplay.peer.enrolment import EnrolmentClient
from netplay.peer.peer import Peer
from netplay.wire.messages import Post, Waiting
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.fair.messages import Kind, decode_message
from saves.fair.state import TranscriptPhase
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.netplay.test_fair_handover import issued_again
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 90.0
ADVICE = (
    "join with the version of the program that has these rules, or ask the host for a new match"
)


@pytest.mark.parametrize("chance", [FAIR, pytest.param(JOINT, marks=pytest.mark.full)])
async def test_p7_an_honest_host_is_not_accused_after_all_programs_are_updated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """The match begins with the rules of the newer program, so its header is not the one that the seat saw first."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=chance)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            room = table.house.pending_matches[table.opened.match]
            early = table.seat(JAPAN)
            await until(lambda: room.missing == (ALLIED,))
            await early.close()
            rules = type(ruleset("eots"))
            monkeypatch.setattr(rules, "version", rules.version + 1)
            await table.restart()
            seats = [table.seat(JAPAN), table.seat(ALLIED)]
            await until(lambda: any(seat.is_ready or seat.reporter.is_over for seat in seats))
            assert [seat.reporter.status.reason for seat in seats] == ["", ""]
            await table.live()
    finally:
        await table.close()


def keep_back(patch: pytest.MonkeyPatch, *sent: Kind) -> None:
    """Let the program of one seat send only messages of these kinds. Without any, it does not even read the header."""
    due_post, process = FairSeat.due_post, EnrolmentClient._process_opening

    def kept_back(seat: FairSeat) -> Post | None:
        post = due_post(seat)
        if seat.role != JAPAN or post is None:
            return post
        messages = tuple(
            signed
            for signed in post.messages
            if decode_message(seat._match_id, signed.data).kind in sent
        )
        return msgspec.structs.replace(post, messages=messages)

    def processed(enrolment: EnrolmentClient, waiting: Waiting) -> None:
        if sent or enrolment._invite.role != JAPAN:
            process(enrolment, waiting)

    patch.setattr(FairSeat, "due_post", kept_back)
    patch.setattr(EnrolmentClient, "_process_opening", processed)


def update_rules(patch: pytest.MonkeyPatch) -> None:
    rules = type(ruleset("eots"))
    patch.setattr(rules, "version", rules.version + 1)


def room_of(table: Hall) -> PendingMatch:
    return table.house.pending_matches[table.opened.match]


def opening_phase(table: Hall) -> TranscriptPhase:
    """Return the phase of the opening; START while a seat has not enrolled."""
    server = room_of(table)._message_server
    return TranscriptPhase.START if server is None else server.match.fair_state.phase


@asynccontextmanager
async def enrolled(
    folder: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance, *sent: Kind
) -> AsyncIterator[Hall]:
    """Let both seats enrol and one of them send only messages of these kinds, then close their programs."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    table = Hall(folder, "eots", "south-pacific", EOTS_PLAYERS, chance=chance)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            with monkeypatch.context() as patch:
                keep_back(patch, *sent)
                seats = [table.seat(JAPAN), table.seat(ALLIED)]
                await until(lambda: not room_of(table).missing)
                before = (
                    {TranscriptPhase.START}
                    if not sent
                    else {TranscriptPhase.START, TranscriptPhase.AGREE}
                )
                await until(
                    lambda: (
                        opening_phase(table) not in before
                        and room_of(table)._awaited_roles == (JAPAN,)
                    )
                )
                for seat in seats:
                    await seat.close()
            yield table
    finally:
        await table.close()


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_seats_that_have_agreed_continue_under_the_signed_header_after_an_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    async with enrolled(tmp_path, monkeypatch, chance, Kind.AGREE) as table:
        header = room_of(table).header
        update_rules(monkeypatch)
        await table.restart()
        assert room_of(table).header == header
        table.seat(JAPAN)
        table.seat(ALLIED)
        await table.live()
        assert table.match.header.rules_version == header.rules_version


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_a_seat_that_has_not_agreed_is_told_how_the_match_can_begin_after_an_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    async with enrolled(tmp_path, monkeypatch, chance) as table:
        with monkeypatch.context() as patch:
            update_rules(patch)
            await table.restart()
            refused, waiting = table.seat(JAPAN), table.seat(ALLIED)
            await until(lambda: refused.reporter.is_over)
            assert refused.reporter.status.reason.endswith(ADVICE)
            # Japan alone can do something about it.
            heading = room_of(table).overview().heading
            assert heading.startswith("Bob (Japan) must join with"), heading
            await until(lambda: heading in waiting.reporter.status.reason)
            await refused.close()
            await waiting.close()
        await table.restart()  # with the older program
        table.seat(JAPAN)
        table.seat(ALLIED)
        await table.live()


async def test_signed_header_survives_an_update_after_an_invite_has_been_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seat with the new invite is missing again, but the host has signed the header with its keys."""
    async with enrolled(tmp_path, monkeypatch, JOINT, Kind.AGREE) as table:
        header = room_of(table).header
        invite = issued_again(table, ALLIED)
        update_rules(monkeypatch)
        await table.restart()
        assert room_of(table).missing == (ALLIED,)
        assert room_of(table).header == header
        table.seat(JAPAN)
        table.peers[ALLIED] = Peer(invite, tmp_path / str(ALLIED), window_seconds=0.0)
        table.peers[ALLIED].start()
        await table.live()
        assert table.match.header.rules_version == header.rules_version


async def test_a_match_created_by_an_older_program_can_be_reopened_before_all_have_agreed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=JOINT)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            update_rules(monkeypatch)
            await table.restart()
            with monkeypatch.context() as patch:
                keep_back(patch)
                seats = [table.seat(JAPAN), table.seat(ALLIED)]
                await until(lambda: opening_phase(table) is not TranscriptPhase.START)
                await until(lambda: room_of(table)._awaited_roles == (JAPAN,))
                for seat in seats:
                    await seat.close()
            await table.restart()
            table.seat(JAPAN)
            table.seat(ALLIED)
            await table.live()
    finally:
        await table.close()
