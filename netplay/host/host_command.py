"""Runs a host from the command line: opens matches, accepts connections, and stops on a signal."""

import asyncio
import datetime as dt
import os
import resource
import signal
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.discovery.host_address import ALL_INTERFACES, HostAddress, own_address, with_advice
from netplay.feed.spectator_delay import NO_DELAY, SpectatorDelay
from netplay.host.host import Host
from netplay.host.lobby import LobbyMatch, free_roles, lobby_match
from netplay.host.match_creation import CreatedMatch
from netplay.host.status_server import HostStatus, StatusServer, folder_in_use, is_hosted, status_of
from netplay.invites.identity import SPECTATOR
from netplay.invites.invite import SUFFIX, Invite, write_invites
from netplay.invites.invite_files import (
    OWN_FOLDER,
    FoundInvite,
    find_invites,
    seat_of_invites,
    write_short_named,
)
from netplay.invites.invite_rotation import Party
from netplay.match.host_config import HostConfig
from netplay.system.core_dumps import forbid_core_dumps
from netplay.system.disk_state import DISK_PROBLEMS
from netplay.system.out_of_memory import watch_memory
from netplay.wire.answer_delay import WINDOW_SECONDS
from netplay.wire.errors import AddressError, FolderInUseError
from netplay.wire.modes import HOST, Chance
from netplay.workers.host_bots import save_bot_invite
from netplay.workers.worker_pool import MatchAssignment
from play.bot_process import DEFAULT_SECONDS
from play.bots import bot_name, create_seat_bot
from play.seating import ROLE_SEPARATOR
from saves.clocks import Clock
from saves.disk_trouble import Trouble
from saves.fair.terms import TimeLimits
from saves.headers import Header
from saves.memory_limit import check_memory

_FILE_LIMIT: Final = 65_536
_BASE_MEGABYTES: Final = 128
_WORKER_MEGABYTES: Final = 32
_MAX_COUNTED: Final = 16
"""Maximum number of processors that the memory check takes into account.

A host needs address space for itself and, on each processor, for the network library's threads. If there is too little
address space, the library terminates the process without a message.
"""
_END_SIGNALS: Final = {signal.SIGTERM: 0, signal.SIGHUP: 0, signal.SIGINT: 130, signal.SIGQUIT: 131}
"""The signals that stop a host, with the exit status for each."""
_POLL_SECONDS: Final = 0.2
_ANNOUNCE_SECONDS: Final = 2.0
"""Interval in seconds between updates of the announcements on the local network."""
_REANNOUNCE_SECONDS: Final = 30.0
"""Delay in seconds before the next announcement if the network was not available."""


class HostPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The settings for running a host, as given on the command line."""

    host: str
    port: int
    plain: bool
    folder: Path
    invites: Path
    advertise: tuple[str, ...] = ()
    detected_address: HostAddress | None = None
    """The address found in the folder's invites; None if it was not looked up."""
    source: str = ""
    """Phrase describing where the listening address was found."""
    game: str = ""
    """Game id of the new match; empty to resume existing matches only."""
    scenario: str = ""
    options: Mapping[str, str] = {}
    position: msgspec.Struct | None = None
    """A custom starting position, already checked; None to use the scenario's position."""
    data: bytes = b""
    """Custom data that replaces parts of the game's own data; empty to replace nothing."""
    clock: Clock | None = None
    """Time per role; None for a match without clocks."""
    players: Mapping[Role, str] = {}
    own_role: str = ""
    """A role to play on this machine, or ``spectator`` to watch; empty for neither."""
    by_mail: bool = False
    """True to play the match through move files, without connections."""
    announce_as: str = ""
    """The host name to announce with open matches on the local network; empty to announce nothing."""
    remind: tuple[str, ...] = ()
    """The command that reminds absent players of their turn, split into words; empty for no reminders."""
    spectator_delay: SpectatorDelay = NO_DELAY
    """The spectator delay."""
    chance: Chance = HOST
    """The mode of the new match, which determines who generates the randomness."""
    limits: TimeLimits = TimeLimits()
    """The time limits for messages between the programs; not used if the host generates the randomness."""
    window_seconds: float = WINDOW_SECONDS
    """Minimum delay in seconds before the answer to a response window is sent."""
    bot_pause: float = 0.0
    bot_seconds: float = DEFAULT_SECONDS
    """Maximum time in seconds that a bot with lookahead may spend on one decision."""
    workers: int = 1
    """The number of processes that run matches. If it is 1, the matches run in this process."""


class WrittenInvite(msgspec.Struct, frozen=True, kw_only=True):
    """The invite file for one person."""

    role: str
    """The person's roles, joined by plus signs."""
    player: str
    path: str
    is_own: bool = False
    """True if the seat is the host's own. The host's own invites are stored next to the matches."""


class ResumedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that was resumed."""

    match: str
    game: str
    scenario: str
    records: int


class RunningHost(msgspec.Struct, frozen=True, kw_only=True):
    """A running host's address, its new match, and the matches that it has resumed."""

    port: int
    address: str = ""
    """The host's listening address and port, as ``HOST:PORT``."""
    source: str = ""
    """A phrase that describes where the address was found."""
    disk: Trouble = ""
    """The disk problem found when the host started; empty if there was none."""
    misfit: str = ""
    """An address in earlier invites that no longer reaches this host; empty if there is none."""
    match: str
    """The id of the new match; empty if none was created."""
    chance: Chance = HOST
    """The mode of the new match."""
    invites: tuple[WrittenInvite, ...]
    resumed: tuple[ResumedMatch, ...] = ()
    """The resumed matches that are not over."""

    @property
    def listen_phrase(self) -> str:
        """Return the listening address, followed by a phrase that says where the address was found."""
        return f"listening on {self.address}" + (f" ({self.source})" if self.source else "")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings if the disk cannot be written to or earlier invites no longer work."""
        disk = (
            f"{DISK_PROBLEMS[self.disk]}; matches can be read and watched, but no commands are accepted"
            if self.disk
            else ""
        )
        invites = (
            f"invites for earlier matches contain {self.misfit} and no longer work;"
            " reissue them with 'flagplot host invite SEAT'"
            if self.misfit
            else ""
        )
        return tuple(filter(None, (disk, invites)))


def advertised_names(plan: HostPlan) -> tuple[str, ...]:
    """Return the host names and addresses to write in invites."""
    if plan.advertise:
        return plan.advertise
    if plan.host in ALL_INTERFACES:
        return tuple(dict.fromkeys((own_address(), "127.0.0.1")))
    return (plan.host,)


def raise_file_limit() -> None:
    """Raise the limit on open files to the maximum allowed for this account."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    new_limit = _FILE_LIMIT if hard == resource.RLIM_INFINITY else min(_FILE_LIMIT, hard)
    if soft != resource.RLIM_INFINITY and soft < new_limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))


class HostRunner:
    """Runs a host together with its invites, bots and status socket."""

    def __init__(
        self,
        plan: HostPlan,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Create a host that is not listening yet."""
        self.plan = plan
        config = HostConfig(
            window_seconds=plan.window_seconds,
            bot_pause=plan.bot_pause,
            bot_seconds=plan.bot_seconds,
            lateness=plan.spectator_delay,
            remind=plan.remind,
        )
        self.host = Host(plan.folder, rulesets, config, plan.workers)
        self._own_seats: dict[tuple[str, frozenset[str | None]], Path] = {}
        self._invite_files: dict[tuple[str, frozenset[str | None]], Path] = {}
        self._status_server: StatusServer | None = None
        self.announcing: asyncio.Task[None] | None = None

    async def start(self) -> RunningHost:
        """Start listening, open the requested match, write its invites, and start its bots.

        Raises:
            FlagplotError: The port is in use, a write failed, or the match cannot be opened.
        """
        forbid_core_dumps()
        check_memory(
            _BASE_MEGABYTES + _WORKER_MEGABYTES * min(os.cpu_count() or 1, _MAX_COUNTED), "hosts"
        )
        plan = self.plan
        check_bots(plan)
        await self._listen()
        now = dt.datetime.now(dt.UTC)
        self._own_seats |= own_invites(plan.folder)
        self._invite_files |= _paths_by_seat(find_invites((plan.invites,), now))
        running = [
            assignment
            for assignment in self.host.pool.assignments.values()
            if not assignment.is_over
        ]
        for assignment in running:
            self.host.start_bots(assignment.match)
        resumed = tuple(resumed_match(assignment) for assignment in running if assignment.is_open)
        self._status_server = await StatusServer.open(plan.folder, self.status)
        if plan.announce_as:
            self.announcing = asyncio.create_task(self._announce())
        match, written_invites = await self.open(plan) if plan.game else ("", ())
        detected_address, port = plan.detected_address, self.host.port
        return RunningHost(
            port=port,
            address=f"{plan.host}:{port}",
            source=plan.source,
            disk=self.host.disk,
            misfit=""
            if detected_address is None
            else detected_address.unreachable_address(plan.host, port, is_plain=plan.plain)
            or detected_address.other,
            match=match,
            chance=plan.chance,
            invites=written_invites,
            resumed=resumed,
        )

    async def _listen(self) -> None:
        """Start the host.

        Raises:
            AddressError: The address cannot be used. The message contains advice.
            FolderInUseError: Another host is serving this folder.
        """
        plan, detected_address = self.plan, self.plan.detected_address
        if await asyncio.to_thread(
            is_hosted, plan.folder
        ):  # This also detects a host that could not lock its folder.
            raise await asyncio.to_thread(folder_in_use, plan.folder)
        try:
            await self.host.start(
                plan.host, plan.port, plain=plan.plain, advertise=advertised_names(plan)
            )
        except FolderInUseError as error:
            raise await asyncio.to_thread(folder_in_use, plan.folder) from error
        except AddressError as error:
            is_detected = detected_address is not None and (plan.host, plan.port) == (
                detected_address.host,
                detected_address.port,
            )
            raise with_advice(error, detected_address if is_detected else None) from error

    async def open(self, plan: HostPlan) -> tuple[str, tuple[WrittenInvite, ...]]:
        """Open another match, write its invites and start its bots. Return the match id and the invites.

        Raises:
            FlagplotError: The match cannot be opened, or an invite cannot be written. All new files have been deleted.
        """
        check_bots(plan)
        opened = self.host.open_match(
            plan.game,
            plan.scenario,
            plan.options,
            plan.players,
            position=plan.position,
            data=plan.data,
            clock=plan.clock,
            limits=plan.limits,
            chance=plan.chance,
        )
        await self.host.wait_until_open(opened.match)
        written_invites: list[WrittenInvite] = []
        try:
            for seat in (*opened.seats, ()):
                seat_invites = self._write_seat_invites(plan, opened, seat)
                if seat_invites is not None:
                    written_invites.append(seat_invites)
        except FlagplotError:
            _delete_invites(written_invites)
            await self.host.discard_match(opened.match)
            raise
        # Bots start last, because a match can only be discarded before anybody has joined it.
        self.host.start_bots(opened.match)
        return opened.match, tuple(written_invites)

    def _write_seat_invites(
        self, plan: HostPlan, opened: CreatedMatch, seat: tuple[Role, ...]
    ) -> WrittenInvite | None:
        """Write the invites for a seat or, if no roles are given, for spectators.

        Return None if a bot plays the seat.
        """
        invites = tuple(opened.invites[role] for role in seat or (None,))
        player = plan.players[seat[0]] if seat else ""
        if bot_name(player):
            save_bot_invite(self.plan.folder, invites[0])
            return None
        is_own = plan.own_role == SPECTATOR if not seat else plan.own_role in seat
        if is_own:
            self._own_seats[seat_of_invites(invites)] = path = save_own_invites(
                self.plan.folder, invites
            )
        if not (is_own and seat):
            self._invite_files[seat_of_invites(invites)] = path = write_short_named(
                plan.invites, invites, player
            )
        role = ROLE_SEPARATOR.join(seat) or SPECTATOR
        return WrittenInvite(role=role, player=player, path=str(path), is_own=is_own)

    async def reissue_invites(self, match: str, party: Party) -> Path:
        """Give a seat a new key and return the file with the new invites.

        Raises:
            DataError: A bot has the seat.
            FlagplotError: The write failed.
        """
        header = self.host.pool.assignments[match].header
        player = players_by_role(header).get(party[0], "") if party[0] is not None else ""

        def write(invites: tuple[Invite, ...]) -> Path:
            is_own = seat_of_invites(invites) in self._own_seats
            files = self._own_seats if is_own else self._invite_files
            path = (
                save_own_invites(self.plan.folder, invites)
                if is_own
                else write_short_named(self.plan.invites, invites, player)
            )
            files[seat_of_invites(invites)] = path
            return path

        return self.host.reissue_invites(match, party, write)

    async def _announce(self) -> None:
        """Announce the open matches on the local network until the host stops."""
        from netplay.discovery.lan_browser import Announcement, Announcer  # noqa: PLC0415  # loaded only when announcing

        plan = self.plan
        on_all_interfaces = plan.host in ALL_INTERFACES
        address = own_address() if on_all_interfaces else plan.host
        announcer = Announcer(plan.host, address, self.host.port)
        try:
            while True:
                current_address = own_address() if on_all_interfaces else plan.host
                if current_address != address:  # The machine's address has changed.
                    await announcer.stop()
                    address = current_address
                    announcer = Announcer(plan.host, address, self.host.port)
                announcements = {
                    match.match: Announcement(
                        host=plan.announce_as,
                        game=match.game,
                        scenario=match.scenario,
                        free=free_roles(match),
                        key=self.host.key_id,
                    )
                    for match in await self.lobby()
                    if not match.is_over
                }
                is_announced = await announcer.announce(announcements)
                if not is_announced and not on_all_interfaces:
                    return
                if not is_announced:
                    await announcer.stop()
                await asyncio.sleep(_ANNOUNCE_SECONDS if is_announced else _REANNOUNCE_SECONDS)
        finally:
            await announcer.stop()

    async def lobby(self) -> tuple[LobbyMatch, ...]:
        """Return the status of each match, newest last."""
        overviews = await self.host.overviews()
        return tuple(
            lobby_match(
                assignment,
                self.host.rules_of(assignment.header),
                overviews.get(assignment.match),
                self._own_seats,
                self._invite_files,
            )
            for assignment in self.host.pool.assignments.values()
        )

    async def status(self) -> HostStatus:
        """Return the host's status for the status socket."""
        return status_of(self.host, await self.lobby())

    async def is_over(self) -> bool:
        """Return whether every match is over and no peer is connected."""
        return await self.host.is_done()

    async def stop(self) -> None:
        """Stop the host and its bots."""
        if self.announcing is not None:
            self.announcing.cancel()
            await asyncio.gather(self.announcing, return_exceptions=True)
        if self._status_server is not None:
            await self._status_server.close()
        await self.host.stop()


def check_bots(plan: HostPlan) -> None:
    """Refuse unknown bots before a match is created. A match with an unknown bot could never be finished."""
    for name in filter(None, map(bot_name, plan.players.values())):
        create_seat_bot(name, plan.game)


def _delete_invites(invites: Sequence[WrittenInvite]) -> None:
    """Delete the invites to a match that was not opened."""
    for invite in invites:
        Path(invite.path).unlink(missing_ok=True)


def save_own_invites(folder: Path, invites: tuple[Invite, ...]) -> Path:
    """Save the invites for the host's own seat in the hosting folder, and return the file.

    Raises:
        InviteError: The write failed.
    """
    return write_invites(folder / OWN_FOLDER, invites, invites[0].match + SUFFIX)


def own_invites(folder: Path) -> dict[tuple[str, frozenset[str | None]], Path]:
    """Return the invites for a host's own seats, by match and roles."""
    return _paths_by_seat(find_invites((folder / OWN_FOLDER,), dt.datetime.now(dt.UTC)))


def _paths_by_seat(
    invite_files: tuple[FoundInvite, ...],
) -> dict[tuple[str, frozenset[str | None]], Path]:
    return {
        seat_of_invites(invite_file.invites): invite_file.path
        for invite_file in invite_files
        if invite_file.invites
    }


def resumed_match(assignment: MatchAssignment) -> ResumedMatch:
    """Return a summary of a resumed match."""
    header = assignment.header
    return ResumedMatch(
        match=assignment.match,
        game=header.game,
        scenario=header.scenario,
        records=assignment.records,
    )


def players_by_role(header: Header) -> dict[Role, str]:
    """Return the player's name for every role."""
    return {seat.role: seat.player for seat in header.seats}


async def run_host(plan: HostPlan, report: Callable[[RunningHost], None], *, once: bool) -> int:
    """Run a host until a signal arrives, and return the exit status.

    Args:
        plan: The command-line options.
        report: Called once the host is listening.
        once: True if the host should exit as soon as every match is over.
    """
    raise_file_limit()
    loop = asyncio.get_running_loop()
    exit_status: asyncio.Future[int] = loop.create_future()
    watch_memory(loop, partial(_end_with_error, exit_status, MemoryError()))
    for signal_number, status in _END_SIGNALS.items():
        if signal.getsignal(signal_number) is not signal.SIG_IGN:  # ignored under nohup
            loop.add_signal_handler(signal_number, _end_with_status, exit_status, status)
    runner = HostRunner(plan)
    try:
        report(await runner.start())
        while not exit_status.done():
            await asyncio.wait([exit_status], timeout=_POLL_SECONDS)
            if once and await runner.is_over():
                return 0
        return exit_status.result()
    finally:
        await runner.stop()


def _end_with_error(exit_status: "asyncio.Future[int]", error: BaseException) -> None:
    if not exit_status.done():
        exit_status.set_exception(error)


def _end_with_status(exit_status: "asyncio.Future[int]", status: int) -> None:
    if not exit_status.done():
        exit_status.set_result(status)
