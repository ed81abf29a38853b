"""Lets a bot play a seat through a peer. The bot sees only what the seat may see."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Final

from engine.bots.player import Player, last_reason, looks_ahead, uses_any_time
from engine.kernel.decision import Decision
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ruleset import Command
from netplay.journal.errors import SeatResumingError, SlotUsedError
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.wire.errors import NetworkError, UnavailableError
from play.bot_process import BotProcess
from play.offers import REFUSED_BY_BOTS, OfferKind
from saves.errors import StaleCommandError, StorageError
from saves.records import Record

_RETRY_SECONDS: Final = 1.0
"""Delay in seconds before retrying a command that the host could not accept, for example because its disk is full."""
_REPLY_SECONDS: Final = 1.0
"""Maximum time in seconds that a submitted command may keep other bots waiting."""


async def play_seat(
    peer: Peer,
    player: Player,
    pause_seconds: float = 0.0,
    slot: AbstractAsyncContextManager[object] | None = None,
    bot_process: BotProcess | None = None,
    on_disk_refused: Callable[[], None] | None = None,
) -> None:
    """Play a seat until the game is over. The bot also answers offers, see :func:`_agree_to_offer`.

    Args:
        peer: A started peer with a role.
        player: The bot.
        pause_seconds: Delay before each command, so that people can follow the game.
        slot: Lock held from the start of a decision until the command is recorded, so that several bots take turns. It
            is released earlier if the record takes long, because the record may depend on other players.
        bot_process: Process that runs the search for bots with lookahead; None to play without lookahead.
        on_disk_refused: Called before a retry if storing a signed message fails; None to raise the error instead.

    Raises:
        NetworkError: The connection ended permanently before the game was over.
        StorageError: A write failed.
    """
    while True:
        await peer.reporter.wait_for(lambda: _has_work(peer))
        if peer.copy.is_revealed:
            await peer.reporter.wait_for(lambda: peer.replicator.is_done or not peer.is_live)
            return
        if peer.reporter.is_over:
            if peer.reporter.status.link is ConnectionState.CLOSED:
                return
            raise NetworkError(peer.reporter.status.reason or "the connection ended")
        try:
            if peer.must_answer:
                await _agree_to_offer(peer)
                continue
            await asyncio.sleep(pause_seconds)
            await _submit_decision(peer, player, bot_process, slot or nullcontext())
        # The seat's program may have started again, and other seats have not answered it yet.
        except (UnavailableError, SeatResumingError):
            await asyncio.sleep(_RETRY_SECONDS)
        except StorageError:
            if on_disk_refused is None:
                raise
            on_disk_refused()
            await asyncio.sleep(_RETRY_SECONDS)


def _has_work(peer: Peer) -> bool:
    if peer.copy.is_revealed or peer.reporter.is_over or peer.must_answer:
        return True
    may_decide = peer.is_asked and not peer.is_adjourned
    return peer.is_live and not peer.must_wait_for_offer and may_decide


async def _agree_to_offer(peer: Peer) -> None:
    """Agree to the open offer, or decline it if its kind is in ``REFUSED_BY_BOTS``.

    A bot that must decide also declines an adjournment that would end with the bot's own command.
    """
    offer = peer.reporter.offer
    is_agreed = offer is None or offer.matter not in REFUSED_BY_BOTS
    if peer.copy.has_transcript and peer.is_asked and offer is not None:
        is_agreed &= offer.matter is not OfferKind.ADJOURNMENT
    try:
        await peer.answer_offer(agree=is_agreed)
    except (NetworkError, SlotUsedError):
        # Without this delay, the bot would block the event loop until the peer receives an update.
        await asyncio.sleep(_RETRY_SECONDS)
        return
    await peer.reporter.wait_for(lambda: not peer.must_answer or peer.reporter.is_over)


async def _submit_decision(
    peer: Peer,
    player: Player,
    bot_process: BotProcess | None,
    slot: AbstractAsyncContextManager[object],
) -> None:
    submission: asyncio.Task[Record] | None = None
    try:
        async with slot:
            decision = _bot_decision(peer, player)
            if decision is None:
                return
            command = await _choose(peer, player, decision, bot_process)
            submission = asyncio.create_task(
                peer.submit(command, last_reason(player), is_automatic=True)
            )
            await asyncio.wait((submission,), timeout=_REPLY_SECONDS)
        await submission
    except StaleCommandError:
        return
    except IllegalCommandError:
        if _bot_decision(peer, player) == decision:
            raise
    finally:
        if submission is not None:
            submission.cancel()


async def _choose(
    peer: Peer, player: Player, decision: Decision[Any], bot_process: BotProcess | None
) -> Command:
    if bot_process is not None and looks_ahead(player) and peer.role is not None:
        header = peer.copy.header
        name = header.match_id if header is not None else ""
        return await bot_process.choose(peer.ruleset, peer.state, peer.role, player, name)
    command: Command = await asyncio.to_thread(player.choose, peer.view(), decision)
    return command


def _bot_decision(peer: Peer, player: Player) -> Decision[Any] | None:
    return peer.bot_decision() if uses_any_time(player) else peer.decision()
