"""Command-line peers: a bot that plays a seat, or a spectator that prints the log."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.discovery.announced_addresses import FindAddresses
from netplay.feed.reminders import ReminderRunner, TurnReminder, TurnTracker
from netplay.invites.invite import Invite
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted, ConnectionState, PeerEvent, RecordsReceived, StatusChanged
from netplay.session.bot_peer import play_seat
from netplay.session.peer_group import create_peers
from netplay.wire.errors import ConnectionLostError, NetworkError
from netplay.wire.sanitising import sanitise
from play.bot_process import DEFAULT_SECONDS, BotProcess
from play.bots import create_seat_bot
from saves.entries import visible_events
from saves.records import Record
from saves.terms import statement_text

_LOOK_SECONDS = 0.5
_MAX_SENTENCE_CELLS = 2000
"""Maximum length of a sentence in characters. There is a limit because the record may come from another program."""


class LogSentence(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of the log."""

    seq: int
    text: str


async def connect(peer: Peer, seconds: float) -> None:
    """Start a peer and wait until its match begins.

    Raises:
        NetworkError: The host refuses the seat, or cannot be reached in time.
    """
    peer.start()
    try:
        async with asyncio.timeout(seconds):
            await peer.reporter.wait_for(
                lambda: _is_ready(peer) or peer.reporter.status.link is ConnectionState.WAITING
            )
    except TimeoutError as error:
        reason = peer.reporter.status.reason or "the host is not responding"
        raise ConnectionLostError(reason) from error
    await peer.reporter.wait_for(
        lambda: _is_ready(peer)
    )  # the match does not begin until all players have joined
    if peer.reporter.is_over:
        raise NetworkError(peer.reporter.status.reason)


def _is_ready(peer: Peer) -> bool:
    return (peer.is_live and peer.is_ready) or peer.reporter.is_over


def result_text(peer: Peer) -> str:
    """Describe the end of the game in one line."""
    outcome = peer.copy.outcome
    if outcome is None:
        return "the game is not over"
    winner = "draw" if outcome.is_draw else f"{outcome.winner_name} wins"
    return sanitise(f"{winner}: {outcome.reason}", _MAX_SENTENCE_CELLS)


async def play_bots(
    invites: tuple[Invite, ...],
    folder: Path,
    name: str,
    seconds: float,
    think_seconds: float = DEFAULT_SECONDS,
    find_addresses: FindAddresses | None = None,
) -> str:
    """Let a bot play every role in an invite file until the game ends, and return the result.

    Args:
        invites: All invites of one player.
        folder: Folder of the replicas.
        name: The bot.
        seconds: Number of seconds for which to try to reach the host.
        think_seconds: Time limit in seconds per decision, for bots that look ahead.
        find_addresses: Function that finds the host if no address in the invites works.

    Raises:
        NetworkError: The host refuses a seat, or cannot be reached.
    """
    peers = create_peers(invites, folder, find_addresses=find_addresses)
    bot_process = BotProcess(think_seconds)
    try:
        players = [create_seat_bot(name, peer.ruleset.game) for peer in peers]
        await asyncio.gather(*(connect(peer, seconds) for peer in peers))
        bots = (
            play_seat(peer, player, bot_process=bot_process)
            for peer, player in zip(peers, players, strict=True)
        )
        await _until_signal(_run_all(*bots))
        return result_text(peers[0])
    finally:
        bot_process.close()
        await asyncio.gather(*(peer.close() for peer in peers))


async def _run_all(*work: Coroutine[Any, Any, None]) -> None:
    """Run coroutines concurrently. If all their failures are expected errors, raise the first one."""
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in work:
                group.create_task(coroutine)
    except BaseExceptionGroup as failed:
        expected_errors, other_errors = failed.split(FlagplotError)
        if expected_errors is None or other_errors is not None:
            raise
        raise _first_error(expected_errors) from failed


def _first_error(error_group: BaseExceptionGroup[FlagplotError]) -> FlagplotError:
    error = error_group.exceptions[0]
    return _first_error(error) if isinstance(error, BaseExceptionGroup) else error


class Reminder(msgspec.Struct, frozen=True, kw_only=True):
    """A reminder for a player whose turn it is."""

    role: Role
    command: tuple[str, ...]
    """Program and arguments."""


def _check_seat(peer: Peer, reminder: Reminder | None) -> None:
    """Check that the match has the reminder's role.

    Raises:
        NetworkError: The match has no such role.
    """
    seats = [] if peer.copy.header is None else [seat.role for seat in peer.copy.header.seats]
    if reminder is not None and reminder.role not in seats:
        raise NetworkError(f"there is no role '{reminder.role}'; known: {', '.join(seats)}")


async def _remind(peer: Peer, reminder: Reminder) -> None:
    """Run the reminder command once per turn if the player is away."""
    header = peer.copy.header
    assert header is not None, "the match must have begun"
    runner, role = ReminderRunner(reminder.command), reminder.role
    tracker = TurnTracker([(role,)])
    player = next(seat.player for seat in header.seats if seat.role == role)
    try:
        while True:
            for due_roles in (
                tracker.due_reminders(peer.copy.asked, peer.reporter.status.present)
                if peer.is_live
                else ()
            ):
                runner.start(
                    TurnReminder(
                        match=header.match_id,
                        game=header.game,
                        seat=due_roles,
                        player=player,
                        heading=peer.ruleset.heading(peer.state),
                    )
                )
            await asyncio.sleep(_LOOK_SECONDS)
    finally:
        await runner.close()


async def watch(
    invite: Invite,
    folder: Path,
    seconds: float,
    report_line: Callable[[LogSentence], None],
    note: Callable[[str], None],
    reminder: Reminder | None = None,
    find_addresses: FindAddresses | None = None,
) -> str:
    """Print a game's log as the game progresses, and return the result.

    Args:
        invite: A spectator's invite.
        folder: Folder of the replica.
        seconds: Number of seconds for which to try to reach the host.
        report_line: Receives each sentence of the log.
        note: Receives chat and connection messages.
        reminder: How to remind a player who is away; None for no reminders.
        find_addresses: Function that finds the host if no address in the invite works.

    Raises:
        NetworkError: The host refuses the seat, or cannot be reached.
    """
    peer = Peer(invite, folder)
    peer.replicator.connector.find_addresses = find_addresses

    def show(records: tuple[Record, ...]) -> None:
        for record in records:
            sentences = peer.ruleset.log_sentences(visible_events(peer.ruleset, record))
            for text in (statement_text(peer.ruleset, record), *sentences):
                if text:
                    report_line(
                        LogSentence(seq=record.seq, text=sanitise(text, _MAX_SENTENCE_CELLS))
                    )

    is_lost = False

    def on_event(event: PeerEvent) -> None:
        nonlocal is_lost
        match event:
            case RecordsReceived(records=records):
                show(records)
            case Chatted(role=role, text=text):
                note(f"{role}: {text}")
            case StatusChanged(status=status) if status.link in {
                ConnectionState.LOST,
                ConnectionState.WAITING,
            }:
                is_lost = status.link is ConnectionState.LOST
                note(sanitise(status.reason, _MAX_SENTENCE_CELLS))
            case StatusChanged(status=status) if (
                status.link is ConnectionState.CONNECTED and is_lost
            ):
                is_lost = False
                note("reconnected to the host")

    for seq in range(peer.seq + 1):
        show((peer.copy.record(seq),))
    peer.reporter.listen(on_event)
    try:
        await connect(peer, seconds)
        _check_seat(peer, reminder)
        remind_task = asyncio.create_task(_remind(peer, reminder)) if reminder is not None else None
        try:
            await _until_signal(
                peer.reporter.wait_for(lambda: peer.replicator.is_done or peer.reporter.is_over)
            )
        finally:
            if remind_task is not None:
                remind_task.cancel()
                await asyncio.gather(remind_task, return_exceptions=True)
        if peer.reporter.status.link is ConnectionState.STOPPED:
            raise NetworkError(peer.reporter.status.reason)
        return result_text(peer)
    finally:
        await peer.close()


async def _until_signal(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine until it ends or SIGTERM arrives."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()
    finally:
        task.cancel()
        loop.remove_signal_handler(signal.SIGTERM)
