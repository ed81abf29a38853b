"""Bots that a host runs itself: ordinary peers with ordinary invites, kept beside the matches."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.botpeer import run_bot
from netplay.invites import SUFFIX, Invite, load_invite, url, write_invite
from netplay.pace import WINDOW_SECONDS
from netplay.peer import Peer
from play.bots import bot_name, new_bot

log = structlog.get_logger()

FOLDER: Final = "bots"


class HouseBots:
    """The bots of one host."""

    def __init__(
        self,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        pause_seconds: float = 0.0,
    ) -> None:
        """Prepare to run bots.

        Args:
            folder: The host's folder; bots keep their invites and copies in a folder below it.
            rulesets: Finds the rules of a game.
            pause_seconds: Waited before each command of a bot.
        """
        self._folder = folder / FOLDER
        self._rulesets = rulesets
        self._pause = pause_seconds
        self._tasks: dict[tuple[str, Role | None], asyncio.Task[None]] = {}

    def keep(self, invite: Invite) -> Path:
        """Keep the invite of a seat that a bot shall play, also after a restart.

        Raises:
            InviteError: The disk refused.
        """
        return write_invite(self._folder, invite)

    def run(self, match: str, players: dict[Role, str], address: str) -> None:
        """Start the bots of a match that do not run yet; where nobody else plays they answer windows at once.

        Args:
            match: Id of the match.
            players: Player name of every seat.
            address: Where the host listens, as seen from this machine.
        """
        window = 0.0 if all(map(bot_name, players.values())) else WINDOW_SECONDS
        for role, player in sorted(players.items()):
            name = bot_name(player)
            key = (match, role)
            if name and (key not in self._tasks or self._tasks[key].done()):
                path = self._folder / f"{match}.{role}{SUFFIX}"
                self._tasks[key] = asyncio.create_task(self._play(path, name, address, window))

    async def _play(self, path: Path, name: str, address: str, window: float) -> None:
        try:
            invite = load_invite(path)
            here = msgspec.structs.replace(invite, addresses=(address,))
            peer = Peer(here, self._folder, self._rulesets, window)
            peer.start()
            try:
                await run_bot(peer, new_bot(name, invite.game), self._pause)
            finally:
                await peer.close()
        except FlagplotError as error:
            log.warning("bot_stopped", file=path.name, bot=name, error=str(error))

    async def stop(self) -> None:
        """End every bot."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._tasks.clear()


def local_address(host: str, port: int, *, plain: bool) -> str:
    """Return where a listener is reached from its own machine."""
    everywhere = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104  # compared, not listened on
    return url(everywhere.get(host, host), port, plain=plain)
