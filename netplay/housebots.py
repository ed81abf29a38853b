"""Bots that a host runs itself: ordinary peers with ordinary invites, kept beside the matches."""

import asyncio
import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.botpeer import run_bot
from netplay.errors import NetworkError
from netplay.invites import SUFFIX, Invite, load_invite, url, write_invite
from netplay.messages import LONGEST_WAIT_MS
from netplay.pace import WINDOW_SECONDS
from netplay.peer import Peer
from play.bots import bot_name, new_bot

log = structlog.get_logger()

FOLDER: Final = "bots"
_STARTING: Final = 8
"""Bots that take their seats at a time."""
_FILES_PER_BOT: Final = 8
"""Open files of a bot: four of its own, and its share of those of its match and of connections under way."""
_SPARE_FILES: Final = 128
_MOVING: Final = 16
"""Bots that think or wait for an answer at a time; more would only wait longer for the host that they share."""


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
        self._starting = asyncio.Semaphore(_STARTING)
        self._moving = asyncio.Semaphore(_MOVING)

    def keep(self, invite: Invite) -> Path:
        """Keep the invite of a seat that a bot shall play, also after a restart.

        Raises:
            InviteError: The disk refused.
        """
        return write_invite(self._folder, invite)

    def run(self, match: str, players: Mapping[Role, str], address: str) -> None:
        """Start the bots of a match that do not run yet; where nobody else plays they answer windows at once.

        Args:
            match: Id of the match.
            players: Player name of every seat.
            address: Where the host listens, as seen from this machine.

        Raises:
            NetworkError: This process may not open so many files; none of the match's bots was started.
        """
        window = 0.0 if all(map(bot_name, players.values())) else WINDOW_SECONDS
        idle = {
            (match, role): bot_name(player)
            for role, player in sorted(players.items())
            if bot_name(player) and not self._is_running((match, role))
        }
        self.check_room(len(idle))
        for key, name in idle.items():
            path = self._folder / f"{match}.{key[1]}{SUFFIX}"
            self._tasks[key] = asyncio.create_task(self._play(path, name, address, window))

    def _is_running(self, key: tuple[str, Role | None]) -> bool:
        return key in self._tasks and not self._tasks[key].done()

    def check_room(self, more: int) -> None:
        """Accept so many more bots beside those that run.

        Raises:
            NetworkError: This process may not open so many files.
        """
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = (files - _SPARE_FILES) // _FILES_PER_BOT
        running = sum(map(self._is_running, self._tasks))
        if files != resource.RLIM_INFINITY and running + more > most:
            raise NetworkError(
                f"no room for {more} more bots: a process that may open {files} files runs at most {most};"
                " raise the limit (ulimit -n), or host fewer matches with bots at a time"
            )

    async def _play(self, path: Path, name: str, address: str, window: float) -> None:
        try:
            invite = load_invite(path)
            here = msgspec.structs.replace(invite, addresses=(address,))
            peer = Peer(here, self._folder, self._rulesets, window, LONGEST_WAIT_MS)
            try:
                async with self._starting:
                    peer.start()
                    await peer.wait_for(lambda: peer.is_live or peer.is_over)
                await run_bot(peer, new_bot(name, invite.game), self._pause, self._moving)
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
