"""The host: many matches behind one address, with a screen around it or without.

It keeps a folder: ``host.identity`` with its keys, one ``.fplog`` per match, and ``differs`` for bundles. Everything
that must outlive the process is in there, so a host that starts again resumes every match.

The address, TLS and every connection belong to this process. The matches are held in it, too, or in worker processes; a
connection's messages go to whoever holds its match.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import structlog
from filelock import FileLock

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.admission import Refusals
from netplay.announced_addresses import key_id
from netplay.awake_clock import BEAT_SECONDS
from netplay.crew import BrokenMatchError, Crew, Place
from netplay.errors import ForeignError, NetworkError, ProtocolError, SeatRefusedError
from netplay.fair.host_key_file import SUFFIX as HOST_KEY
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.folder_lock import lock_folder
from netplay.holding import Holding, Reply, Standing
from netplay.host_address import keep_listen
from netplay.hostkeys import load_authority
from netplay.house import House, turned_away
from netplay.identity import SEAT_DAYS, Authority
from netplay.invites import Invite, check_name, url
from netplay.listener import Listener, Request
from netplay.manner import Manner
from netplay.messages import Bye, Hello, decode_question, encode
from netplay.modes import HOST, Chance
from netplay.opening import NewMatch, Opened, write_match
from netplay.reissue import Party, issue_again, keep_addresses, keys_of
from netplay.table import Table
from netplay.waitingfile import SUFFIX as WAITING
from netplay.waitingfile import read_waiting, waiting_in
from saves.clocks import Clock
from saves.disk import Trouble, trouble_of
from saves.errors import StorageError
from saves.fair.terms import TimeLimits
from saves.headers import Header
from saves.logfile import SUFFIX, read_header

log = structlog.get_logger()

_LAST_WORDS_SECONDS: Final = 0.2
_USUAL_LIMITS: Final = TimeLimits()
_NOT_OPENED: Final = "the host cannot open this match; its log says why"
"""What players hear instead of paths of the host's file system."""
_OPENING: Final = "the host opens this match; come back in a moment"


class Host:
    """Serves every match of a folder."""

    def __init__(
        self,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        manner: Manner | None = None,
        workers: int = 1,
    ) -> None:
        """Prepare to host.

        Args:
            folder: Where keys, records and bundles are.
            rulesets: Finds the rules of a game.
            manner: How matches are held; None for the usual way.
            workers: Processes that hold the matches; 1 holds them in this one.
        """
        self.folder = folder
        self.port = 0
        self.listens_at = ""
        """Address and port on which it listens; empty before it starts."""
        self.addresses: tuple[str, ...] = ()
        """Where peers dial, as invites say."""
        self.disk: Trouble = ""
        """What was wrong with the disk when this host started."""
        self.house = House(folder, rulesets, manner) if workers == 1 else None
        """What holds the matches in this process; None where worker processes do."""
        self.crew = Crew(folder, manner or Manner(), self.house, self._lost)
        """Which match is held where."""
        self._count = workers if self.house is None else 0
        self._rulesets = rulesets
        self._authority: Authority | None = None
        self._lock: FileLock | None = None
        self._listener = Listener(self._handle, self._gone)
        self._lines: dict[int, Holding] = {}
        """Who holds the match that a connection is for."""
        self._proven: set[int] = set()
        self._refusals = Refusals()
        self._beating: asyncio.Task[None] | None = None
        self._stopping = ""
        """Why the host is about to stop; empty while it goes on."""

    @property
    def tables(self) -> dict[str, Table]:
        """Return the matches that are held in this process."""
        return {} if self.house is None else self.house.tables

    # -- life

    async def start(
        self, host: str, port: int, *, plain: bool = False, advertise: tuple[str, ...] = ()
    ) -> int:
        """Resume every match of the folder, listen, and return the port.

        Args:
            host: Address to listen on.
            port: 0 lets the system choose.
            plain: No TLS. Everything can then be read and changed on the way.
            advertise: Names or addresses that invites shall hold; empty means ``host``.

        Raises:
            AddressError: The address cannot be listened on, or an invite cannot hold a name.
            FolderInUseError: Another host serves this folder.
            StorageError: The keys of the folder cannot be read or written.
            DataError: They are damaged.
            NetworkError: A worker process does not start.
        """
        names = tuple(map(check_name, advertise or (host,)))
        self._lock = lock_folder(self.folder)
        try:
            self._authority = load_authority(self.folder)
            self.port = self._listener.bind(host, port)
            if self.house is not None:
                self.house.start(self._authority)
            await self.crew.start(self._count)
            await self.resume()
            self._listener.start(self._authority, plain=plain)
        except BaseException:
            await self._listener.stop()  # the address is free again
            self._unlock()
            raise
        self._beating = asyncio.create_task(self._beat())
        self.listens_at = f"{host}:{self.port}"
        self.addresses = tuple(url(name, self.port, plain=plain) for name in names)
        self._keep_address(host)
        matches = len(self.crew.places)
        log.info("host_started", host=host, port=self.port, tls=not plain, matches=matches)
        return self.port

    async def stop(self, reason: str = "the host stops") -> None:
        """Say goodbye to everybody and let go of every record file."""
        self._stopping = reason
        if self._beating is not None:
            self._beating.cancel()
        await self.crew.close(reason)
        if self._lines:
            await asyncio.sleep(_LAST_WORDS_SECONDS)
        await self._listener.stop()
        self.crew.places.clear()
        self.tables.clear()
        self._unlock()
        if self.listens_at:
            log.info("host_stopped", reason=reason)

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _keep_address(self, host: str) -> None:
        """Remember where this host listens; on a full or read-only disk it serves what it can without that."""
        try:
            keep_addresses(self.folder, self.addresses)
            keep_listen(self.folder, host, self.port)
        except StorageError as error:
            self.disk = trouble_of(error)
            log.warning("address_not_kept", error=str(error))

    async def _beat(self) -> None:
        """Send heartbeats while this process serves connections; without them no clock runs."""
        while True:
            for holding in self.crew.holdings():
                holding.beat()
            await asyncio.sleep(BEAT_SECONDS)

    async def resume(self) -> tuple[str, ...]:
        """Open every match of the folder that is not open yet, the one played last at the end, and return their ids.

        A file that cannot be resumed is logged and left alone.
        """
        found: list[Place] = []
        records = (*self.folder.glob(f"*{SUFFIX}"), *waiting_in(self.folder))
        for path in sorted(records, key=_played):
            if path.stem in self.crew.places:
                continue
            try:
                header = _header_of(path)
            except FlagplotError as error:
                log.warning("match_not_resumed", file=path.name, error=str(error))
                continue
            found.append(self.crew.place(header))
        await asyncio.gather(*(place.settled for place in found))
        return tuple(place.match for place in found if self._is_resumed(place))

    def _is_resumed(self, place: Place) -> bool:
        """Log what became of a match, and forget it where its file is none to resume."""
        if place.error is None:
            seq = place.records - 1
            log.info("match_resumed", match=place.match, game=place.header.game, seq=seq)
            return True
        if not place.is_broken:
            file = f"{place.match}{SUFFIX}"
            log.warning("match_not_resumed", file=file, error=str(place.error))
            del self.crew.places[place.match]
        return False

    @property
    def key_id(self) -> str:
        """Return the id of the key by which invites recognise this host; it is started."""
        assert self._authority is not None, "the host is started"
        return key_id(self._authority.authority.certificate)

    def open_match(  # noqa: PLR0913  # what a match is made from
        self,
        game: str,
        scenario: str,
        options: Mapping[str, str],
        players: Mapping[Role, str],
        days: int = SEAT_DAYS,
        position: msgspec.Struct | None = None,
        data: bytes = b"",
        chance: Chance = HOST,
        *,
        clock: Clock | None = None,
        limits: TimeLimits = _USUAL_LIMITS,
    ) -> Opened:
        """Open a match and return one invite per role and one for spectators.

        A worker process may still be opening it then: :meth:`opened` waits for that.

        Args:
            game: Id of the game.
            scenario: Id of the scenario.
            options: The switches that were set.
            players: Name of the player for every role of the scenario, in any order. In a game with teams,
                roles with one name are one person's seat.
            days: How long the invites are valid.
            position: A checked position of the players' own; scenario and options then do not count.
            data: An overlay of the players' own over the data of the game; empty for none.
            chance: Who makes the chance.
            clock: How much time each role has; None for no clocks.
            limits: How long programs wait for each other, unless the host makes the chance.

        Raises:
            DataError: Unknown game, scenario, option or value, a seat with roles of two teams, or data that
                the game does not take.
            NetworkError: The seats are not those of the scenario.
            StorageError: The disk refused.
        """
        assert self._authority is not None, "the host is started"
        rules = self._rulesets(game)
        new = NewMatch(
            scenario=scenario,
            options=options,
            players=players,
            position=position,
            data=data,
            clock=clock,
            limits=limits,
            days=days,
            chance=chance,
        )
        header, opened = write_match(self.folder, rules, new, self._authority, self.addresses)
        place = self.crew.place(header)
        if place.error is not None:
            self._forget(opened.match)
            raise place.error
        seats = tuple(seat.role for seat in header.seats)
        named = header.scenario
        log.info("match_opened", match=opened.match, game=game, scenario=named, seats=seats)
        return opened

    async def opened(self, match: str) -> None:
        """Return when peers can come to a match that was opened.

        Raises:
            FlagplotError: It cannot be; nothing is left of it.
        """
        place = self.crew.places[match]
        await place.settled
        if place.error is not None:
            self._forget(match)
            raise place.error

    def play(self, match: str) -> None:
        """Start the bots of a match that do not run yet."""
        self.crew.play(match)

    async def discard(self, match: str) -> None:
        """Undo the opening of a match to which nobody could come."""
        await self.crew.discard(match, "this match was not opened")
        self._forget(match)

    def _forget(self, match: str) -> None:
        self.crew.places.pop(match, None)
        with contextlib.suppress(OSError):
            for suffix in (SUFFIX, WAITING, HOST_KEY, PENDING):
                (self.folder / f"{match}{suffix}").unlink(missing_ok=True)

    def invite_again(
        self, match: str, party: Party, write: Callable[[tuple[Invite, ...]], Path]
    ) -> Path:
        """Give a person's seat a new key and return the file with the new invites.

        Raises:
            DataError: A bot has the seat.
            FlagplotError: The disk refused.
        """
        assert self._authority is not None, "the host is started"
        header, keys = self.crew.places[match].header, keys_of(self.folder, match)
        return issue_again(self._authority, self.addresses, header, party, keys, write)

    # -- how it stands

    def rules_of(self, header: Header) -> AnyRuleset:
        """Return the rules of a match."""
        return self._rulesets(header.game)

    async def standings(self) -> dict[str, Standing]:
        """Return how each match stands that is held now, by its id."""
        return await self.crew.standings()

    async def is_done(self) -> bool:
        """Return whether every match is over and everybody has heard of it."""
        return await self.crew.is_done()

    # -- connections and their frames

    def _gone(self, line: int) -> None:
        self._proven.discard(line)
        holding = self._lines.pop(line, None)
        if holding is not None:
            holding.gone(line)

    def _lost(self, holding: Holding) -> None:
        """Close the connections to matches whose process has died; their peers come back by themselves."""
        for line, held_by in tuple(self._lines.items()):
            if held_by is holding:
                self._proven.discard(line)
                del self._lines[line]
                self._listener.drop(line)

    async def _handle(self, request: Request) -> bytes:
        """Answer one frame."""
        try:
            reply = await self._answer(request)
        except ForeignError as error:
            reply = turned_away(error)
        if reply.refusal:
            self._refusals.note(request, reply.refusal)
        if reply.is_last:
            self._listener.drop(request.line)  # once the goodbye has left
        return reply.data

    async def _answer(self, request: Request) -> Reply:
        line = request.line
        if line not in self._proven:
            place = self._asked_for(request)
            if place is not None and not place.is_open:
                return self._later()
            holding = self._lines.get(line) if place is None else place.worker.holding
            if holding is None:
                raise ProtocolError("a seat must be proved first")
            if self._lines.get(line, holding) is not holding:
                self._lines[line].gone(line)
            self._lines[line] = holding
        reply = await self._lines[line].answer(request)
        if reply is None:
            return self._later()
        if reply.is_proof and line in self._lines:
            self._proven.add(line)
            self._listener.prove(line)
        return reply

    def _later(self) -> Reply:
        """Return the goodbye to somebody who may come back in a moment, to this host or the one that follows it."""
        bye = Bye(reason=self._stopping or _OPENING, again=True)
        return Reply(data=encode(bye), is_last=True)

    def _asked_for(self, request: Request) -> Place | None:
        """Return the match that somebody wants to come to, None when the message does not say.

        Raises:
            ProtocolError: It cannot be read.
            SeatRefusedError: There is no such match.
        """
        question = decode_question(request.data)
        if not isinstance(question, Hello):
            return None
        place = self.crew.places.get(question.match)
        if place is None:
            raise SeatRefusedError("this host has no such match")
        if place.error is not None:
            is_ours = isinstance(place.error, BrokenMatchError)
            raise SeatRefusedError(str(place.error) if is_ours else _NOT_OPENED)
        return place


def _header_of(path: Path) -> Header:
    """Return the header of a match of a hosting folder.

    Raises:
        FlagplotError: The file is no record of a match, or has another one's name.
    """
    header = read_waiting(path)[1] if path.suffix == WAITING else read_header(path)
    if path.stem != header.match_id:
        raise NetworkError(f"a copy of match {header.match_id}; it must keep its name")
    return header


def _played(path: Path) -> tuple[float, str]:
    """Return when a record was written last, as far as the disk tells."""
    try:
        return path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name
