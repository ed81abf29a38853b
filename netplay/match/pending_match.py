"""A match that has not begun. It waits until every seat has enrolled and sent its part of the opening.

The enrolments are saved to a file (``netplay.invites.pending_match_file``), so seats need not enrol again after the
host restarts.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
import structlog

from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.fair.message_server import TranscriptDesk, count_refusal
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.fair.waiting_messages import begins_when, waits_for
from netplay.feed.change_signal import ChangeSignal
from netplay.feed.host_session import HostSession, refuse
from netplay.feed.presence import PresenceTracker
from netplay.invites import identity
from netplay.invites.pending_match_file import (
    ENROL_CONTEXT,
    SUFFIX,
    Enrolment,
    enrolment_parts,
    keep_waiting,
    read_waiting,
)
from netplay.invites.seating import Seating
from netplay.journal.host_key_file import read_host_key
from netplay.match.match_backend import MatchOverview
from netplay.system.disk_state import DiskState, FolderDisk, check_folder
from netplay.wire.errors import ProtocolError, SeatRefusedError
from netplay.wire.limits import MEND_SECONDS, Allowances
from netplay.wire.messages import (
    LINE_LETTERS,
    UNDECIDED,
    Bye,
    Enrol,
    PostPart,
    Refused,
    Rules,
    Wait,
    Waiting,
)
from netplay.wire.sanitising import clean
from saves.decoding import decode
from saves.errors import FairPlayError, StorageError
from saves.fair.derivation import HASH_BYTES
from saves.fair.proofs import check_ahead, has_proofs
from saves.fair.sealing import DealerSecrets
from saves.fair.setup import check_promise, own_setup, secrecy_problem
from saves.fair.signing import HostKey
from saves.fair.state import MessageRefusal
from saves.fair.terms import FairParty, FairTerms
from saves.headers import Header, encode_header
from saves.logfile import SUFFIX as RECORD
from saves.logfile import LogWriter
from saves.records import MAX_RECORD_BYTES
from saves.redaction import redact_header

log = structlog.get_logger()

_NOT_DECIDED: Final = "the host's rules cannot resolve the opening of this match"
_OTHER_VERSION: Final = "it can begin when the host runs the version of the program that opened it"
Note: TypeAlias = Enrol | Wait | PostPart


class PendingMatch:
    """A match waiting to begin, with the peers that have connected so far."""

    def __init__(
        self,
        folder: Path,
        rules: AnyRuleset,
        seating: Seating,
        disk: Executor,
        begun: Callable[["PendingMatch", TranscriptDesk], None],
        now: Callable[[], float] = time.monotonic,
        folder_disk: FolderDisk | None = None,
    ) -> None:
        """Load the waiting match.

        Args:
            folder: Folder with the host's matches.
            rules: The rules of the game.
            seating: The seats of the match and their keys.
            disk: Thread pool for disk operations.
            begun: Called as soon as the match has its first record.
            now: Seconds for which the host has been running.
            folder_disk: Disk state shared by all matches.

        Raises:
            StorageError: The file cannot be read.
            CorruptLogError: The file is damaged.
        """
        self.id = match = seating.match
        self.rules = rules
        self.seats = seating.roles
        self._seating = seating
        self._folder = folder
        self._waiting, header = read_waiting(folder / f"{match}{SUFFIX}")
        self._bare = msgspec.structs.replace(
            header,
            edition=rules.edition,
            rules_version=rules.version,
            data_digest=rules.data_digest,
        )
        _load_data(rules, self._bare)
        self.attendance = PresenceTracker(self.seats)
        self.allowances = Allowances()
        self.closing = ""
        self._disk = disk
        self._begun = begun
        self._now = now
        self._is_late = False
        self._is_owed = False
        """True if writing the set-up or the first record failed and must be retried."""
        self._trying: asyncio.Task[None] | None = None
        self._order = asyncio.Lock()
        self._bell = ChangeSignal()
        self.disk_state = DiskState(folder_disk, self.disk_changed)
        self._log = log.bind(game=self._bare.game, match=match)
        self.is_begun = False
        self._desk: TranscriptDesk | None = None
        """Receives the messages of the opening, once every seat has enrolled."""
        if not self.missing:
            self._desk = desk = self._prepare()
            # an earlier host may have stopped before it wrote the set-up
            self._is_owed = not desk.pending.is_stored

    # -- status

    @property
    def _secret(self) -> bytes | None:
        """Return the host's secret if it deals the cards, or None if the seats deal."""
        return self._bare.secret

    @property
    def header(self) -> Header:
        """Return the header of the host's copy, including the commitments once the transcript has begun."""
        return self._bare if self._desk is None else self._desk.match.header

    def _whole_header(self, key: HostKey) -> Header:
        """Return the header with the commitments of all seats."""
        promises = {one.promise.role: one.promise for one in self._enrolled}
        secret = self._secret
        terms = FairTerms(
            host_key=key.verify_key,
            parties=tuple(promises[role] for role in self.seats),
            dealer_key=msgspec.UNSET if secret is None else DealerSecrets(secret).public_key,
            setup=msgspec.UNSET if secret is None else own_setup(self.rules, self._bare),
            **msgspec.structs.asdict(self._waiting.limits),
        )
        return msgspec.structs.replace(self._bare, fair=terms)

    @property
    def _enrolled(self) -> tuple[Enrolment, ...]:
        """Return the enrolments made with keys that are still valid for their seats."""
        return tuple(
            one
            for one in self._waiting.enrolled
            if self._seating.owner(one.promise.role) == one.key
        )

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats that have not enrolled."""
        there = {one.promise.role for one in self._enrolled}
        return tuple(role for role in self.seats if role not in there)

    def _prepare(self) -> TranscriptDesk:
        """Create the transcript, now that every seat has enrolled.

        Raises:
            StorageError: A file of the host cannot be read.
            DataError: A file of the host is damaged.
        """
        key = read_host_key(self._folder, self.id)
        match = OrderedMatch[Any].prepare(self.rules, self._whole_header(key), key)
        return TranscriptDesk(match, self._folder / f"{self.id}{PENDING}", self._now)

    @property
    def _awaited(self) -> tuple[Role, ...]:
        """Return the seats for whose messages the opening is waiting."""
        return () if self._desk is None else self._desk.pending.missing

    def standing(self) -> MatchOverview:
        """Return the match status."""
        missing = self.missing
        late = begins_when(self.rules, self._bare, missing) if missing else self._late_words()
        return MatchOverview(
            match=self.id,
            heading=self.disk_state.words or self._undecided or late,
            records=0,
            spectators=self.attendance.spectators,
            present=self.attendance.present,
            asked=(),
            is_over=False,
            missing=missing or self._awaited,
            mode=self._mode,
            disk=self.disk_state.trouble,
        )

    def disk_changed(self) -> None:
        """Wake all waiting requests when the disk starts or stops rejecting writes."""
        self._bell.touch()

    @property
    def _mode(self) -> Literal["fair", "joint"]:
        return "fair" if self._secret is None else "joint"

    @property
    def _undecided(self) -> str:
        """Return a sentence for players on why this host's rules cannot begin the match; empty if they can."""
        problem = "" if self._desk is None else self._desk.undecided
        return f"{_NOT_DECIDED} ({problem}); {_OTHER_VERSION}" if problem else ""

    def _late_words(self) -> str:
        late = self._awaited
        return waits_for(self.rules, self._bare, late, self._mode) if late else "the match begins"

    def told(self, session: HostSession, wait: Wait | None = None) -> Waiting:
        """Return the current status of the waiting match for one connection.

        Args:
            session: The connection.
            wait: The question; None for the answer to another message.
        """
        desk, role = self._desk, session.role
        missing = self.seats if self._is_preparing else self.missing
        trouble = self.disk_state.trouble
        late = self._awaited if self._is_late and not trouble else ()
        return Waiting(
            header=encode_header(redact_header(self.header, role)),
            rules=Rules(
                edition=self.rules.edition,
                version=self.rules.version,
                data_digest=self.rules.data_digest,
            ),
            missing=missing,
            present=self.attendance.present,
            waiting_for=late,
            mode=self._mode,
            transcript=None
            if desk is None or role is None or wait is None
            else desk.news(wait.pending, wait.texts),
            disk=session.disk_told(trouble),
            undecided=clean(self._undecided, LINE_LETTERS)
            if UNDECIDED in session.capabilities
            else "",
        )

    # -- presence

    def join(self, session: HostSession) -> None:
        """Add an authenticated connection. An older connection of the same seat is closed."""
        self.attendance.join(session)
        self.refresh_presence()
        self._bell.touch()

    def leave(self, line: int) -> None:
        """Forget a connection that has ended."""
        if self.attendance.leave(line):
            self.refresh_presence()
            self._bell.touch()

    def refresh_presence(self) -> None:
        """Check again which seats are responding and whether any are overdue."""
        if self.attendance.refresh():
            self._bell.touch()
        is_late = self._desk is not None and self._desk.pending.is_late
        if is_late != self._is_late:
            self._is_late = is_late
            self._bell.touch()

    def tick(self) -> None:
        """Check presence again, and retry failed writes."""
        self.refresh_presence()
        is_due = self._is_owed or self.disk_state.is_refusing
        if is_due and (self._trying is None or self._trying.done()):
            self._trying = asyncio.create_task(self._try_again())

    async def _try_again(self) -> None:
        async with self._order:
            if self.is_begun or self.closing:
                return
            if self._is_owed:
                await self._begin_if_ready()
            elif self.disk_state.is_refusing:
                with contextlib.suppress(StorageError):
                    await self._on_disk(check_folder, self._folder)

    async def close(self, reason: str) -> None:
        """Notify all peers that the host is stopping, and return once no write is in progress."""
        self.closing = reason
        self._bell.touch()
        async with self._order:
            pass

    # -- questions

    async def answer(self, session: HostSession, note: Note) -> Waiting | Refused | Bye | None:
        """Answer a peer that is waiting. None means that the match has begun.

        Raises:
            ProtocolError: The message is not expected from this seat now.
            SeatRefusedError: The enrolment is not valid, or the seat has enrolled with other keys.
            StorageError: A read or write failed.
        """
        refused = ""
        match note:
            case Enrol():
                await self._enrol_if_kept(session, note)
            case PostPart():
                async with self._order:
                    if not self.closing:
                        refused = await self._post(session, note)
            case Wait():
                await self._hold(session, note)
        if session.closing:
            return Bye(reason=session.closing, again=False)
        if self.closing:
            return Bye(reason=self.closing, again=True)
        if self.is_begun:
            return None
        if refused and isinstance(note, PostPart):
            return refuse(note.request_id, "illegal", f"message refused: {refused}")
        if self._is_preparing:
            async with self._order:
                pass
            if self._is_preparing:  # preparing failed and will be retried
                await asyncio.sleep(MEND_SECONDS)
        session.told = self._bell.version
        return self.told(session, note if isinstance(note, Wait) else None)

    @property
    def _is_preparing(self) -> bool:
        """Return whether every seat has enrolled, but the transcript has not begun."""
        return self._desk is None and not self.missing

    async def _hold(self, session: HostSession, wait: Wait) -> None:
        """Wait until something changes, or until the time is up."""
        deadline = time.monotonic() + wait.wait_ms / 1000
        session.is_asking = True
        try:
            while not (self.is_begun or self.closing or session.closing):
                left = deadline - time.monotonic()
                if self._is_new(session, wait) or session.told != self._bell.version or left <= 0:
                    return
                await self._bell.wait(left)
        finally:
            session.is_asking = False
            session.seen = time.monotonic()

    def _is_new(self, session: HostSession, wait: Wait) -> bool:
        """Return whether there are new messages or texts for a waiting seat."""
        if self._desk is None or session.role is None:
            return False
        news = self._desk.news(wait.pending, wait.texts)
        return news.part is not None or news.texts is not None

    async def _enrol_if_kept(self, session: HostSession, note: Enrol) -> None:
        """Enrol a seat. If the write fails, delay the answer, because the seat would retry at once."""
        try:
            async with self._order:
                if not self.closing:
                    await self._enrol(session, note)
        except StorageError as error:
            self._log.error("enrolment_not_kept", role=session.role, error=str(error))
            await asyncio.sleep(MEND_SECONDS)

    async def _enrol(self, session: HostSession, note: Enrol) -> None:
        promise, role = note.promise, session.role
        if role is None or promise.role != role:
            raise ProtocolError("a seat may enrol only itself")
        known = next((one.promise for one in self._enrolled if one.promise.role == role), None)
        if known == promise or self.is_begun:
            return
        if known is not None:
            raise SeatRefusedError(
                "this seat has already enrolled with different keys, which are not on this computer"
            )
        certificate = session.certificate
        parts = enrolment_parts(self.id, promise)
        if (
            certificate is None
            or not identity.verify_proof(certificate, note.signature, ENROL_CONTEXT, *parts)
            or not _is_promised(self.id, promise, deals=self._secret is None)
        ):
            raise SeatRefusedError("the enrolment is not signed by the key of this seat")
        if self._repeats(promise):
            raise SeatRefusedError("this enrolment repeats a key or commitment of another one")
        one = Enrolment(promise=promise, key=identity.fingerprint(certificate))
        others = tuple(each for each in self._enrolled if each.promise.role != role)
        waiting = msgspec.structs.replace(self._waiting, enrolled=(*others, one))
        await self._on_disk(keep_waiting, self._folder, self.id, waiting)
        self._waiting = waiting
        self._log.info("enrolled", role=role, missing=self.missing)
        if not self.missing:
            await self._begin_if_ready()
        self._bell.touch()

    def _repeats(self, promise: FairParty) -> bool:
        """Return whether a commitment repeats a value of the host, another seat or itself, which no header allows."""
        others = [one.promise for one in self._enrolled if one.promise.role != promise.role]
        known = {value for one in others for value in (one.key, one.head, one.cards) if value}
        known.add(read_host_key(self._folder, self.id).verify_key)
        own = [value for value in (promise.key, promise.head, promise.cards) if value]
        return bool(known & set(own)) or len(set(own)) < len(own)

    async def _post(self, session: HostSession, note: PostPart) -> str:
        """Receive a seat's messages for the opening. Return why a message is invalid, or an empty string.

        Raises:
            ProtocolError: A message is not expected yet, or this is not a post of the seat.
            StorageError: A read or write failed.
        """
        role, desk = session.role, self._desk
        if self.is_begun:
            return ""
        if role is None or desk is None:
            raise ProtocolError("not every seat has enrolled")
        post = desk.whole(role, note)
        if post is None:
            return ""
        if desk.texts.take(role, post):
            self._bell.touch()
        if has_proofs(self.id, post.messages):
            await asyncio.to_thread(check_ahead, desk.match.fair_state, post.messages)
        false: MessageRefusal | None = None
        for signed in post.messages:
            await desk.look_ahead(signed)
            refusal = desk.submit(signed)
            if refusal is None:
                continue
            count_refusal(session.allowance, role, refusal)
            false = refusal if refusal.is_false else None
            if false is not None or session.allowance.is_spent:
                break  # checking the rest could take a long time
        await self._begin_if_ready()  # including messages accepted before a refused one
        if false is None:
            return ""
        self._log.error("message_refused", role=role, author=false.author, error=false.problem)
        return false.problem

    async def _begin_if_ready(self) -> None:
        """Write the set-up or the first record once everything needed has arrived. If the write fails, retry later."""
        try:
            await self._keep_or_begin()
        except StorageError as error:
            self._log.error("opening_not_kept", error=str(error))
            self._is_owed = True
        else:
            self._is_owed = False

    async def _keep_or_begin(self) -> None:
        if self._desk is None:
            loop = asyncio.get_running_loop()
            self._desk = await loop.run_in_executor(self._disk, self._prepare)
        desk = self._desk
        if not desk.match.is_complete:
            if not desk.pending.is_stored:
                count, frame = desk.pending.draft()
                await self._on_disk(desk.pending.write, frame)
                desk.pending.written(count)
                self._bell.touch()
            return
        await self._on_disk(self._begin, desk)
        self.is_begun = True
        self._log.info("match_begun", seats=self.seats)
        self._begun(self, desk)
        self._bell.touch()

    def _begin(self, desk: TranscriptDesk) -> None:
        """Write the first record."""
        match = desk.match
        writer = LogWriter.create(self._folder / f"{self.id}{RECORD}")
        try:
            draft = match.draft_pending()
            match.begin_log(writer)
            match.write(draft)
        except BaseException:
            writer.close()
            raise
        match.show(draft)
        desk.pending.settle()
        with contextlib.suppress(OSError):
            (self._folder / f"{self.id}{SUFFIX}").unlink(missing_ok=True)
        with contextlib.suppress(StorageError):
            desk.pending.clear_file()

    async def _on_disk(self, work: Callable[..., Any], *args: object) -> Any:  # noqa: ANN401  # the work's result
        try:
            done = await asyncio.get_running_loop().run_in_executor(self._disk, work, *args)
        except StorageError as error:
            self.disk_state.refused(error)
            raise
        self.disk_state.works()
        return done


def _load_data(rules: AnyRuleset, header: Header) -> None:
    """Load the game data that the opening needs, in the event loop rather than in a thread.

    msgspec crashes if two threads decode into the same type for the first time at the same time.
    """
    secrecy_problem(rules)
    if header.scenario:
        _play_opening(rules, header.scenario, tuple(sorted(header.options.items())))
    elif header.position is not None:
        decoder = msgspec.msgpack.Decoder(rules.position_type)
        position = decode(decoder, header.position, MAX_RECORD_BYTES)
        rules.open_game(position, DerivedDice(bytes(SECRET_BYTES), 0))


@lru_cache(maxsize=64)
def _play_opening(rules: AnyRuleset, scenario: str, options: tuple[tuple[str, str], ...]) -> None:
    """Play the opening of a scenario once per process. Only the game data that this loads is kept."""
    rules.open_game(rules.position(scenario, dict(options)), DerivedDice(bytes(SECRET_BYTES), 0))


def _is_promised(match: str, promise: FairParty, *, deals: bool) -> bool:
    """Return whether an enrolment is signed with its own key and fits the mode of the match."""
    try:
        check_promise(match, promise)
    except FairPlayError:
        return False
    return len(promise.cards) == (HASH_BYTES if deals else 0)
