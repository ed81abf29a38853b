"""A host from the command line: what to open, where to listen, and how it ends."""

import asyncio
import resource
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine import registry
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host import Host
from netplay.housebots import HouseBots
from netplay.identity import SPECTATOR
from netplay.invites import write_invites
from play.bots import bot_name, new_bot
from play.seating import ROLES_JOIN
from saves.match import Match
from saves.records import Header

log = structlog.get_logger()

_FILES: Final = 65_536
_POLL_SECONDS: Final = 0.2
_NOWHERE: Final = ("192.0.2.1", 9)
"""An address for documentation; asking for the way there sends nothing."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    host: str
    port: int
    plain: bool
    folder: Path
    invites: Path
    advertise: tuple[str, ...] = ()
    game: str = ""
    """Empty only resumes."""
    scenario: str = ""
    options: Mapping[str, str] = {}
    position: msgspec.Struct | None = None
    """A checked position of the players' own instead of a scenario's."""
    data: bytes = b""
    """An overlay of the players' own over the data of the game; empty for none."""
    players: Mapping[Role, str] = {}
    bot_pause: float = 0.0


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """The invite file of one person on the disk."""

    role: str
    """Roles of one person are joined by a plus sign."""
    player: str
    path: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """One match that was resumed."""

    match: str
    game: str
    scenario: str
    records: int


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """A host that listens."""

    port: int
    match: str
    """Empty when no match was opened."""
    invites: tuple[Written, ...]
    resumed: tuple[Known, ...] = ()
    """Matches of the folder that go on."""


def own_address() -> str:
    """Return this machine's address in its network; the loopback when it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def advertised(plan: Plan) -> tuple[str, ...]:
    """Return the names that invites hold."""
    if plan.advertise:
        return plan.advertise
    if plan.host in {"0.0.0.0", "[::]"}:  # noqa: S104  # compared, not listened on
        return tuple(dict.fromkeys((own_address(), "127.0.0.1")))
    return (plan.host,)


def more_files() -> None:
    """Allow as many open connections as the system lets this account have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Hosting:
    """A host with its bots."""

    def __init__(
        self,
        plan: Plan,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Prepare; nothing listens yet."""
        self.plan = plan
        self.host = Host(plan.folder, rulesets)
        self.bots = HouseBots(self.host, rulesets, plan.bot_pause)

    async def start(self) -> Running:
        """Listen, open the match that is asked for, write its invites, and start bots.

        Raises:
            FlagplotError: The port is in use, the disk refuses, or the match cannot be opened.
        """
        plan = self.plan
        for name in filter(None, map(bot_name, plan.players.values())):
            new_bot(
                name, plan.game
            )  # an unknown bot fails here, not in a match that nobody can end
        await self.host.start(plan.host, plan.port, plain=plan.plain, advertise=advertised(plan))
        written: tuple[Written, ...] = ()
        match = ""
        running = [
            table.match for table in self.host.tables.values() if not table.match.is_revealed
        ]
        for known in running:
            self.bots.run(known.header.match_id, players_of(known.header))
        if plan.game:
            match, written = self._open()
            self.bots.run(match, plan.players)
        resumed = tuple(map(known_of, running))
        return Running(port=self.host.port, match=match, invites=written, resumed=resumed)

    def _open(self) -> tuple[str, tuple[Written, ...]]:
        plan = self.plan
        opened = self.host.open_match(
            plan.game,
            plan.scenario,
            plan.options,
            plan.players,
            position=plan.position,
            data=plan.data,
        )
        written: list[Written] = []
        for seat in opened.seats:
            player = plan.players[seat[0]]
            invites = tuple(opened.invites[role] for role in seat)
            if bot_name(player):
                self.bots.keep(invites[0])
                continue
            path = write_invites(plan.invites, invites)
            written.append(Written(role=ROLES_JOIN.join(seat), player=player, path=str(path)))
        path = write_invites(plan.invites, (opened.invites[None],))
        written.append(Written(role=SPECTATOR, player="", path=str(path)))
        return opened.match, tuple(written)

    @property
    def is_over(self) -> bool:
        """Return whether every match is over and everybody has heard of it."""
        return all(
            table.match.is_revealed and not table.sessions for table in self.host.tables.values()
        )

    async def stop(self) -> None:
        """End bots, then the host."""
        await self.bots.stop()
        await self.host.stop()


def known_of(match: Match[Any]) -> Known:
    """Return what is told of a match that goes on."""
    header = match.header
    return Known(
        match=header.match_id, game=header.game, scenario=header.scenario, records=match.seq + 1
    )


def players_of(header: Header) -> dict[Role, str]:
    """Return the player name of every seat."""
    return {seat.role: seat.player for seat in header.seats}


async def serve(plan: Plan, tell: Callable[[Running], None], *, once: bool) -> int:
    """Host until a signal comes; returns the exit status.

    Args:
        plan: What to host.
        tell: Called when the host listens.
        once: End by itself when every match is over.
    """
    more_files()
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()
    for number, status in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 130)):
        loop.add_signal_handler(number, _end, ended, status)
    hosting = Hosting(plan)
    try:
        tell(await hosting.start())
        while not ended.done():
            await asyncio.wait([ended], timeout=_POLL_SECONDS)
            if once and hosting.is_over:
                return 0
        return ended.result()
    finally:
        await hosting.stop()


def _end(ended: "asyncio.Future[int]", status: int) -> None:
    if not ended.done():
        ended.set_result(status)


class HostThread:
    """A host beside a screen: the same class, in an event loop of its own."""

    def __init__(
        self,
        plan: Plan,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Prepare; nothing listens yet."""
        self._hosting = Hosting(plan, rulesets)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="host", daemon=True)

    def start(self) -> Running:
        """Listen and return once invites are written.

        Raises:
            FlagplotError: The host cannot start.
        """
        self._thread.start()
        try:
            return asyncio.run_coroutine_threadsafe(self._hosting.start(), self._loop).result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the host and its loop."""
        asyncio.run_coroutine_threadsafe(self._hosting.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
