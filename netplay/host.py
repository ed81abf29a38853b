"""The host: many matches behind one address, with a screen around it or without.

It keeps a folder: ``host.identity`` with its keys, one ``.fplog`` per match, and ``differs`` for bundles. Everything
that must outlive the process is in there, so a host that starts again resumes every match.
"""

import asyncio
import contextlib
import datetime as dt
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine import registry
from engine.kernel.errors import DataError, FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay import identity, limits
from netplay.admission import Admission
from netplay.directline import DirectLine
from netplay.errors import NetworkError, ProtocolError, SeatRefusedError
from netplay.host_session import HostSession
from netplay.invites import Invite, check_name, new_invite, url
from netplay.listener import Listener, Request
from netplay.messages import (
    CAPABILITIES,
    Answer,
    Bye,
    CatchUp,
    Hello,
    Leave,
    Ping,
    Pong,
    Proof,
    Question,
    Refused,
    Rules,
    Say,
    Submit,
    Tail,
    TakebackAnswer,
    TakebackAsk,
    Welcome,
    decode_question,
    encode,
)
from netplay.pace import WINDOW_SECONDS
from netplay.reissue import Party, issue_again, keep_addresses, keys_of
from netplay.table import Table
from play.beginning import beginning
from play.seating import check_seating, seats_of
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file
from saves.logfile import SUFFIX, LogWriter, read_log
from saves.match import Match, match_id_of, new_secret
from saves.records import Seat, encode_header

log = structlog.get_logger()

IDENTITY_FILE: Final = "host.identity"
BUNDLE_FOLDER: Final = "differs"
_TICK_SECONDS: Final = 0.5
_LAST_WORDS_SECONDS: Final = 0.2
_DISK_THREADS: Final = 16
"""Matches that wait for the disk at a time; a stuck file system of one of them holds up no other."""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has just been opened."""

    match: str
    invites: dict[Role | None, Invite]
    """One per role; None is the spectators'."""
    seats: tuple[tuple[Role, ...], ...]
    """The roles of each person, and of each bot one."""


class Host:
    """Serves every match of a folder."""

    def __init__(
        self,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        window_seconds: float = WINDOW_SECONDS,
    ) -> None:
        """Prepare to host.

        Args:
            folder: Where keys, records and bundles are.
            rulesets: Finds the rules of a game.
            window_seconds: How long every seat holds back the answer of a response window.
        """
        self._window_ms = round(window_seconds * 1000)
        self.folder = folder
        self.tables: dict[str, Table] = {}
        self.port = 0
        self.addresses: tuple[str, ...] = ()
        """Where peers dial, as invites say."""
        self._rulesets = rulesets
        self._authority: identity.Authority | None = None
        self._admission: Admission | None = None
        self._listener = Listener(self._handle, self._gone)
        self._sessions: dict[int, tuple[HostSession, Table]] = {}
        self._directly = 0
        """Number of the last connection inside this process, counted downwards."""
        self._ticker: asyncio.Task[None] | None = None
        self._disk = ThreadPoolExecutor(_DISK_THREADS, "flagplot-disk")

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
            StorageError: The keys of the folder cannot be read or written.
            DataError: They are damaged.
        """
        names = tuple(map(check_name, advertise or (host,)))
        self._authority = load_authority(self.folder)
        self._admission = Admission(self._authority, self.tables)
        self.resume()
        self.port = self._listener.start(host, port, self._authority, plain=plain)
        self.addresses = tuple(url(name, self.port, plain=plain) for name in names)
        keep_addresses(self.folder, self.addresses)
        self._ticker = asyncio.create_task(self._tick())
        log.info("host_started", host=host, port=self.port, tls=not plain, matches=len(self.tables))
        return self.port

    async def stop(self, reason: str = "the host stops") -> None:
        """Say goodbye to everybody and let go of every record file."""
        if self._ticker is not None:
            self._ticker.cancel()
        await asyncio.gather(*(table.close(reason) for table in self.tables.values()))
        self._disk.shutdown(wait=False)
        if self._sessions:
            await asyncio.sleep(_LAST_WORDS_SECONDS)
        await self._listener.stop()
        self.tables.clear()
        log.info("host_stopped", reason=reason)

    def resume(self) -> tuple[str, ...]:
        """Open every match of the folder that is not open yet, the one played last at the end, and return their ids.

        A file that cannot be resumed is logged and left alone.
        """
        opened: list[str] = []
        known = {table.id for table in self.tables.values()}
        for path in sorted(self.folder.glob(f"*{SUFFIX}"), key=_played):
            if path.name.removesuffix(SUFFIX) in known:
                continue
            try:
                header = read_log(path).header
                if path.name != f"{header.match_id}{SUFFIX}":
                    raise NetworkError(f"a copy of match {header.match_id}; it must keep its name")
                match = Match[Any].resume(path, self._rulesets(header.game))
            except FlagplotError as error:
                log.warning("match_not_resumed", file=path.name, error=str(error))
                continue
            if match.dropped:
                log.warning("torn_end_dropped", match=header.match_id, text=match.dropped)
            if match.rules_changed:
                log.warning("rules_changed", match=header.match_id, game=header.game)
            opened.append(self._seat(match))
            log.info("match_resumed", match=header.match_id, game=header.game, seq=match.seq)
        return tuple(opened)

    def open_match(
        self,
        game: str,
        scenario: str,
        options: Mapping[str, str],
        players: Mapping[Role, str],
        days: int = identity.SEAT_DAYS,
        position: msgspec.Struct | None = None,
        data: bytes = b"",
    ) -> Opened:
        """Open a match and return one invite per role and one for spectators.

        Args:
            game: Id of the game.
            scenario: Id of the scenario.
            options: The switches that were set.
            players: Name of the player for every role of the scenario, in any order. In a game with teams,
                roles with one name are one person's seat.
            days: How long the invites are valid.
            position: A checked position of the players' own; scenario and options then do not count.
            data: An overlay of the players' own over the data of the game; empty for none.

        Raises:
            DataError: Unknown game, scenario, option or value, a seat with roles of two teams, or data that
                the game does not take.
            NetworkError: The seats are not those of the scenario.
            StorageError: The disk refused.
        """
        assert self._authority is not None, "the host is started"
        rules = self._rulesets(game)
        first = beginning(rules, scenario, options, position, data)
        roles = first.info.roles
        check_seats(roles, players)
        check_seating(first.info, players)
        secret = new_secret()
        match_id = match_id_of(secret)
        now = dt.datetime.now(dt.UTC)
        valid = (now, now + dt.timedelta(days=days))
        wanted: tuple[Role | None, ...] = (*roles, None)
        invites = {
            role: new_invite(self._authority, self.addresses, match_id, game, role, valid)
            for role in wanted
        }
        seats = tuple(
            Seat(role=role, player=players[role], seat_id=_key_of(invites[role])) for role in roles
        )
        writer = LogWriter.create(self.folder / f"{match_id}{SUFFIX}")
        try:
            match = Match[Any].create(
                rules, first.position, first.scenario, first.options, seats, secret, writer
            )
        except BaseException:
            writer.close()
            raise
        self._seat(match)
        log.info("match_opened", match=match_id, game=game, scenario=first.scenario, seats=roles)
        shared = seats_of(first.info, {role: players[role] for role in roles})
        return Opened(match=match_id, invites=invites, seats=shared)

    async def discard(self, match: str) -> None:
        """Undo the opening of a match to which nobody could come."""
        table = self.tables.pop(match)
        await table.close("this match was not opened")
        with contextlib.suppress(OSError):
            (self.folder / f"{match}{SUFFIX}").unlink(missing_ok=True)

    def invite_again(
        self, match: str, party: Party, write: Callable[[tuple[Invite, ...]], Path]
    ) -> Path:
        """Give a person's seat a new key and return the file with the new invites.

        Raises:
            DataError: A bot has the seat.
            FlagplotError: The disk refused.
        """
        assert self._authority is not None, "the host is started"
        table = self.tables[match]
        header = table.match.header
        return issue_again(self._authority, self.addresses, header, party, table.keys, write)

    def _seat(self, match: Match[Any]) -> str:
        keys = keys_of(self.folder, match.header.match_id)
        table = Table(match, self.folder / BUNDLE_FOLDER, self._disk, keys)
        self.tables[table.id] = table
        return table.id

    async def _tick(self) -> None:
        while True:
            for table in self.tables.values():
                table.finish()
                if table.sessions:
                    table.refresh_presence()
            await asyncio.sleep(_TICK_SECONDS)

    async def connect(self, address: str, invite: Invite) -> DirectLine:
        """Return a connection for a peer in this process; it takes its seat like any other."""
        del address, invite
        self._directly -= 1
        line = self._directly

        async def answer(data: bytes) -> bytes | None:
            return await self._handle(Request(data, line, None, "this process"))

        return DirectLine(answer, partial(self._gone, line))

    # -- requests

    def _gone(self, line: int) -> None:
        if self._admission is not None:
            self._admission.forget(line)
        known = self._sessions.pop(line, None)
        if known is not None:
            session, table = known
            session.closing = session.closing or "the connection has ended"
            table.leave(line)
            log.info("left", match=table.id, role=session.role)

    async def _handle(self, request: Request) -> bytes | None:
        """Answer one frame; the outermost loop of the host, nothing that a peer sends ends it."""
        question: Question | None = None
        admission = self._admission
        assert admission is not None, "the host is started"
        try:
            question = decode_question(request.data)
            answer = await self._answer(admission, request, question)
        except (ProtocolError, SeatRefusedError) as error:
            answer = admission.turn_away(request, error)
        except FlagplotError as error:
            log.warning("request_failed", remote=request.remote, error=str(error))
            answer = _fault(question)
        except Exception:
            log.exception("request_crashed", remote=request.remote, kind=type(question).__name__)
            answer = _fault(question)
        if isinstance(answer, Bye):
            self._listener.drop(request.line)  # once the goodbye has left
        return encode(answer)

    async def _answer(self, admission: Admission, request: Request, question: Question) -> Answer:
        known = self._sessions.get(request.line)
        if known is None:
            match question:
                case Hello():
                    return admission.challenge(request, question)
                case Proof():
                    return self._welcome(request, *admission.admit(request, question))
                case _:
                    raise ProtocolError("a seat must be proved first")
        session, table = known
        session.seen = time.monotonic()
        if session.closing:
            return Bye(reason=session.closing, again=False)
        if not session.allowance.messages.take():
            session.allowance.offend()
            if session.allowance.is_spent:
                return self._throw_out(session, table)
            await asyncio.sleep(1 / limits.MESSAGES_PER_SECOND)
        match question:
            case CatchUp():
                return await self._news(session, table, question)
            case Submit() | Say() | TakebackAsk() | TakebackAnswer():
                verdict = await table.request(session, question)
                is_spent = session.allowance.is_spent
                return self._throw_out(session, table) if is_spent else verdict
            case Ping():
                return Pong(token=question.token)
            case Tail():
                table.take_tail(session, question)
                return Pong(token=0)
            case Leave():
                return Bye(reason="goodbye", again=False)
            case Hello() | Proof():
                raise ProtocolError("this connection has its seat already")

    def _throw_out(self, session: HostSession, table: Table) -> Bye:
        assert self._admission is not None, "the host is started"
        self._admission.cool_down(table.id, session.whose)
        session.allowance.is_spent = False
        session.closing = "too many messages; wait a little before you come back"
        log.warning("thrown_out", match=table.id, role=session.role)
        return Bye(reason=session.closing, again=True)

    async def _news(self, session: HostSession, table: Table, ask: CatchUp) -> Answer:
        """Hold a question for news until there is some, or its time is over."""
        session.turn += 1
        turn = session.turn
        if session.is_asking:
            table.ring()
        different = table.difference(session, ask)
        if different is not None:
            return different
        deadline = time.monotonic() + ask.wait_ms / 1000
        session.is_asking = True
        try:
            while True:
                if session.closing:
                    return Bye(reason=session.closing, again=False)
                if table.closing:
                    return Bye(reason=table.closing, again=True)
                if turn != session.turn:
                    return table.greeting()
                news = table.news(session, ask)
                left = deadline - time.monotonic()
                if news is not None or left <= 0:
                    return news or table.greeting()
                await table.wait(left)
        finally:
            session.seen = time.monotonic()
            if turn == session.turn:
                session.is_asking = False

    def _welcome(self, request: Request, table: Table, role: Role | None, hello: Hello) -> Welcome:
        whose = limits.whose(role, request.remote)
        allowance = table.allowances.of(whose)
        session = HostSession(request.line, role, hello.capabilities, whose, allowance)
        self._sessions[request.line] = (session, table)
        self._listener.prove(request.line)
        table.join(session)
        log.info("joined", match=table.id, role=role, remote=request.remote)
        match = table.match
        return Welcome(
            header=encode_header(match.redacted_header(role)),
            seq=match.seq,
            chain=match.chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=self._window_ms,
        )


def _played(path: Path) -> tuple[float, str]:
    """Return when a record was written last, as far as the disk tells."""
    try:
        return path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name


def rules_of(ruleset: AnyRuleset) -> Rules:
    """Return what a peer compares with its own rules."""
    return Rules(edition=ruleset.edition, version=ruleset.version, data_digest=ruleset.data_digest)


def check_seats(roles: tuple[Role, ...], players: Mapping[Role, str]) -> None:
    """Accept players for exactly these roles.

    Raises:
        NetworkError: One is missing or too many.
    """
    unknown = sorted(set(players) - set(roles))
    missing = sorted(set(roles) - set(players))
    if unknown or missing or identity.SPECTATOR in roles:
        wrong = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        raise NetworkError(f"the seats of this scenario are {', '.join(roles)}; {wrong}")


def load_authority(folder: Path) -> identity.Authority:
    """Return the keys of a hosting folder, made at the first call.

    Raises:
        StorageError: They cannot be read or written.
        DataError: They are damaged, or not valid at the time that this machine's clock tells.
    """
    path = folder / IDENTITY_FILE
    make_folder(folder)
    try:
        if path.exists():
            authority = msgspec.json.decode(path.read_bytes(), type=identity.Authority)
            problem = identity.check_authority(authority, dt.datetime.now(dt.UTC))
            if problem:
                raise DataError(str(path), "", problem)
            return authority
        authority = identity.new_authority(dt.datetime.now(dt.UTC))
        replace_file(FILES, path, msgspec.json.encode(authority))
    except OSError as error:
        raise StorageError(f"cannot keep {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise DataError(str(path), "", "the keys of this host are damaged") from error
    return authority


def _key_of(invite: Invite) -> str:
    return identity.fingerprint(identity.load_certificate(invite.certificate))


def _fault(question: Question | None) -> Answer:
    """Return what a peer hears when the host itself failed."""
    if isinstance(question, Submit | Say | TakebackAsk | TakebackAnswer):
        return Refused(
            request_id=question.request_id, code="fault", text="the host failed on this request"
        )
    return Bye(reason="the host failed on this request", again=True)
