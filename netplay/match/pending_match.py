"""Manages a match before it begins, while seats enrol and send their part of the opening.

The enrolments are saved to a file (``netplay.invites.pending_match_file``), so that seats need not enrol again after
the host restarts.
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
from netplay.fair.message_server import MessageServer, charge_refusal
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.fair.waiting_texts import missing_players_text, player_list, waiting_for_text
from netplay.feed.change_signal import ChangeSignal
from netplay.feed.host_session import HostSession, build_refusal
from netplay.feed.presence import PresenceTracker
from netplay.invites import identity
from netplay.invites.pending_match_file import (
    ENROL_CONTEXT,
    SUFFIX,
    Enrolment,
    read_pending,
    signed_enrolment,
    write_pending,
)
from netplay.invites.seat_ownership import Seating
from netplay.journal.host_key_file import read_host_key
from netplay.match.match_backend import MatchOverview
from netplay.system.disk_state import DiskState, FolderDisk, check_folder
from netplay.system.threads import run_on_executor
from netplay.wire.errors import ProtocolError, SeatRefusedError
from netplay.wire.limits import REPAIR_SECONDS, Allowances
from netplay.wire.messages import (
    LIMITS,
    MAX_LINE_LENGTH,
    UNDECIDED,
    Bye,
    Enrol,
    PostPart,
    Refused,
    Rules,
    WaitForStart,
    Waiting,
)
from netplay.wire.sanitising import sanitise
from saves.decoding import decode
from saves.errors import FairPlayError, StorageError
from saves.fair.derivation import HASH_BYTES
from saves.fair.proofs import has_proofs, verify_ahead
from saves.fair.sealing import DealerSecrets
from saves.fair.setup import check_commitments, fair_terms, own_setup, secrecy_problem
from saves.fair.signing import HostKey
from saves.fair.state import MessageRefusal, TranscriptPhase
from saves.fair.terms import FairParty, FairTerms, TimeLimits
from saves.headers import Header, encode_header, is_other_version, rules_words
from saves.logfile import SUFFIX as RECORD
from saves.logfile import LogWriter
from saves.records import MAX_RECORD_BYTES
from saves.redaction import redact_header

log = structlog.get_logger()

_NOT_DECIDED: Final = "the host's rules cannot resolve the opening of this match"
_OTHER_VERSION: Final = "it can begin when the host runs the version of the program that opened it"
Note: TypeAlias = Enrol | WaitForStart | PostPart


class PendingMatch:
    """A match that is waiting to begin, and its connected peers."""

    def __init__(
        self,
        folder: Path,
        rules: AnyRuleset,
        seating: Seating,
        disk: Executor,
        on_begun: Callable[["PendingMatch", MessageServer], None],
        now: Callable[[], float] = time.monotonic,
        folder_disk: FolderDisk | None = None,
    ) -> None:
        """Load the waiting match.

        Args:
            folder: The folder that contains the host's matches.
            rules: The game's rules.
            seating: The match's seats and their keys.
            disk: Thread pool for disk operations.
            on_begun: Called once the match has its first record.
            now: Returns how long the host has been running, in seconds.
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
        self._waiting, header = read_pending(folder / f"{match}{SUFFIX}")
        self._empty_header = header
        # If the set-up is on disk, the host has signed the header, even if an invite has been
        # replaced since.
        is_set_up = (folder / f"{match}{PENDING}").exists()
        if not is_set_up:
            # The match begins with the rules of the program that is running when the set-up is
            # written. From then on, the host has signed the header.
            self._empty_header = msgspec.structs.replace(
                header,
                edition=rules.edition,
                rules_version=rules.version,
                data_digest=rules.data_digest,
            )
        _load_data(rules, self._empty_header)
        self.presence = PresenceTracker(self.seats)
        self.allowances = Allowances()
        self.closing_reason = ""
        self._disk = disk
        self._on_begun = on_begun
        self._now = now
        self._is_late = False
        self._is_write_due = False
        """True if writing the set-up or the first record has failed and must be retried."""
        self._retry_task: asyncio.Task[None] | None = None
        self._request_lock = asyncio.Lock()
        self._change_signal = ChangeSignal()
        self.disk_state = DiskState(folder_disk, self.on_disk_changed)
        self._log = log.bind(game=self._empty_header.game, match=match)
        self.is_begun = False
        self._message_server: MessageServer | None = None
        """Receives the messages for the opening; None until every seat has enrolled."""
        if is_set_up or not self.missing:
            self._message_server = message_server = self._prepare()
            # The previous host process may have stopped before it wrote the set-up.
            self._is_write_due = not message_server.pending.is_stored

    # -- status

    @property
    def _secret(self) -> bytes | None:
        """Return the host's secret if the host deals the cards; None if the seats deal."""
        return self._empty_header.secret

    @property
    def header(self) -> Header:
        """Return the host's header, including the commitments once the transcript has begun."""
        return (
            self._empty_header
            if self._message_server is None
            else self._message_server.match.header
        )

    def _complete_header(self, key: HostKey) -> Header:
        """Return the header with the commitments of all seats."""
        # Seats enrol in any order, but a valid header lists the parties in role order.
        promises = {
            enrolment.promise.role: enrolment.promise for enrolment in self._waiting.enrolled
        }
        secret = self._secret
        terms = FairTerms(
            host_key=key.verify_key,
            parties=tuple(promises[role] for role in self.seats),
            dealer_key=msgspec.UNSET if secret is None else DealerSecrets(secret).public_key,
            setup=msgspec.UNSET if secret is None else own_setup(self.rules, self._empty_header),
            **msgspec.structs.asdict(self._waiting.limits),
        )
        return msgspec.structs.replace(self._empty_header, fair=terms)

    @property
    def _enrolled(self) -> tuple[Enrolment, ...]:
        """Return the enrolments made with keys that are still valid for their seats."""
        return tuple(
            enrolment
            for enrolment in self._waiting.enrolled
            if self._seating.owner(enrolment.promise.role) == enrolment.key
        )

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats that have not enrolled with their current key."""
        enrolled_roles = {enrolment.promise.role for enrolment in self._enrolled}
        return tuple(role for role in self.seats if role not in enrolled_roles)

    def _prepare(self) -> MessageServer:
        """Create the message server, which begins or continues the transcript. Every seat must have enrolled.

        Raises:
            StorageError: One of the host's files cannot be read.
            DataError: One of the host's files is damaged.
        """
        key = read_host_key(self._folder, self.id)
        match = OrderedMatch[Any].prepare(self.rules, self._complete_header(key), key)
        return MessageServer(match, self._folder / f"{self.id}{PENDING}", self._now)

    @property
    def _awaited_roles(self) -> tuple[Role, ...]:
        """Return the seats whose messages the opening is waiting for."""
        return () if self._message_server is None else self._message_server.pending.missing

    def overview(self) -> MatchOverview:
        """Return the match's status, limited to public information."""
        missing = self.missing
        waiting_text = (
            missing_players_text(self.rules, self._empty_header, missing)
            if missing
            else self._late_text()
        )
        return MatchOverview(
            match=self.id,
            heading=self.disk_state.phrase or self._obstacle_text or waiting_text,
            records=0,
            spectators=self.presence.spectator_count,
            present=self.presence.present_roles,
            asked=(),
            is_over=False,
            missing=missing or self._awaited_roles,
            mode=self._mode,
            disk=self.disk_state.trouble,
        )

    def on_disk_changed(self) -> None:
        """Wake all waiting requests when disk writes start to fail or work again."""
        self._change_signal.bump()

    @property
    def _mode(self) -> Literal["fair", "joint"]:
        return "fair" if self._secret is None else "joint"

    @property
    def _obstacle_text(self) -> str:
        """Return a sentence that tells players why this host's rules prevent the opening; empty if they do not."""
        message_server = self._message_server
        if message_server is None:
            return ""
        if message_server.undecided:
            return f"{_NOT_DECIDED} ({message_server.undecided}); {_OTHER_VERSION}"
        state, header = message_server.match.fair_state, message_server.match.header
        if state.phase is not TranscriptPhase.AGREE or not is_other_version(self.rules, header):
            return ""
        # These seats do not agree to this header with the current program, and the others have
        # agreed to no other.
        names = player_list(self.rules, header, self._awaited_roles)
        return f"{names} must join with the version of the program that prepared this match ({rules_words(header)})"

    def _late_text(self) -> str:
        late_roles = self._awaited_roles
        return (
            waiting_for_text(self.rules, self._empty_header, late_roles, self._mode)
            if late_roles
            else "the match begins"
        )

    def waiting_status(self, session: HostSession, wait: WaitForStart | None = None) -> Waiting:
        """Build the status message about the waiting match for one connection.

        Args:
            session: The connection.
            wait: The ``WaitForStart`` request being answered; None if it is another kind of message.
        """
        message_server, role = self._message_server, session.role
        missing = self.seats if self._is_preparing else self.missing
        trouble = self.disk_state.trouble
        late_roles = self._awaited_roles if self._is_late and not trouble else ()
        return Waiting(
            header=encode_header(redact_header(self.header, role)),
            rules=Rules(
                edition=self.rules.edition,
                version=self.rules.version,
                data_digest=self.rules.data_digest,
            ),
            missing=missing,
            present=self.presence.present_roles,
            waiting_for=late_roles,
            mode=self._mode,
            limits=self._waiting.limits if LIMITS in session.capabilities else TimeLimits(),
            transcript=None
            if message_server is None or role is None or wait is None
            else message_server.transcript_update(wait.pending, wait.texts),
            disk=session.reported_trouble(trouble),
            undecided=sanitise(self._obstacle_text, MAX_LINE_LENGTH)
            if UNDECIDED in session.capabilities
            else "",
        )

    # -- presence

    def join(self, session: HostSession) -> None:
        """Add an authenticated connection, and close any older connection for the same seat."""
        self.presence.join(session)
        self.refresh_presence()
        self._change_signal.bump()

    def leave(self, connection_id: int) -> None:
        """Forget a connection that has ended."""
        if self.presence.leave(connection_id):
            self.refresh_presence()
            self._change_signal.bump()

    def refresh_presence(self) -> None:
        """Recheck which seats are responding and whether any messages are overdue."""
        if self.presence.refresh():
            self._change_signal.bump()
        message_server = self._message_server
        if message_server is not None and message_server.texts.publish_requests():
            self._change_signal.bump()
        is_late = message_server is not None and message_server.pending.is_late
        if is_late != self._is_late:
            self._is_late = is_late
            self._change_signal.bump()

    def tick(self) -> None:
        """Perform the periodic work: recheck which seats are responding, and retry failed writes."""
        self.refresh_presence()
        is_due = self._is_write_due or self.disk_state.is_refusing
        if is_due and (self._retry_task is None or self._retry_task.done()):
            self._retry_task = asyncio.create_task(self._retry_writes())

    async def _retry_writes(self) -> None:
        async with self._request_lock:
            if self.is_begun or self.closing_reason:
                return
            if self._is_write_due:
                await self._begin_if_ready()
            elif self.disk_state.is_refusing:
                with contextlib.suppress(StorageError):
                    await self._run_on_disk(check_folder, self._folder)

    async def close(self, reason: str) -> None:
        """Notify all peers that the host is stopping, and wait for any write in progress."""
        self.closing_reason = reason
        self._change_signal.bump()
        async with self._request_lock:
            pass

    # -- questions

    async def answer(self, session: HostSession, message: Note) -> Waiting | Refused | Bye | None:
        """Reply to a waiting peer. Return None if the match has begun.

        Raises:
            ProtocolError: The message is not expected from this seat at this point.
            SeatRefusedError: The enrolment is not valid, or the seat has already enrolled with different keys.
            StorageError: A read or write failed.
        """
        refused = ""
        match message:
            case Enrol():
                await self._try_enrol(session, message)
            case PostPart():
                async with self._request_lock:
                    if not self.closing_reason:
                        refused = await self._receive_post(session, message)
            case WaitForStart():
                await self._wait_for_update(session, message)
        if session.closing_reason:
            return Bye(reason=session.closing_reason, again=False)
        if self.closing_reason:
            return Bye(reason=self.closing_reason, again=True)
        if self.is_begun:
            return None
        if refused and isinstance(message, PostPart):
            return build_refusal(message.request_id, "illegal", f"message refused: {refused}")
        if self._is_preparing:
            async with self._request_lock:
                pass
            if self._is_preparing:  # Preparation failed and will be retried.
                await asyncio.sleep(REPAIR_SECONDS)
        session.sent_version = self._change_signal.version
        return self.waiting_status(session, message if isinstance(message, WaitForStart) else None)

    @property
    def _is_preparing(self) -> bool:
        """Return whether every seat has enrolled but the transcript has not begun."""
        return self._message_server is None and not self.missing

    async def _wait_for_update(self, session: HostSession, wait: WaitForStart) -> None:
        """Wait until the match changes or the requested time has passed."""
        deadline = time.monotonic() + wait.wait_ms / 1000
        session.is_polling = True
        try:
            while not (self.is_begun or self.closing_reason or session.closing_reason):
                remaining = deadline - time.monotonic()
                if (
                    self._is_new(session, wait)
                    or session.sent_version != self._change_signal.version
                    or remaining <= 0
                ):
                    return
                await self._change_signal.wait(remaining)
        finally:
            session.is_polling = False
            session.last_seen = time.monotonic()

    def _is_new(self, session: HostSession, wait: WaitForStart) -> bool:
        """Return whether there are new messages or texts for a waiting seat."""
        if self._message_server is None or session.role is None:
            return False
        update = self._message_server.transcript_update(wait.pending, wait.texts)
        return update.part is not None or update.texts is not None

    async def _try_enrol(self, session: HostSession, message: Enrol) -> None:
        """Enrol a seat. If the write fails, delay the reply, because the seat retries as soon as the reply arrives."""
        try:
            async with self._request_lock:
                if not self.closing_reason:
                    await self._enrol(session, message)
        except StorageError as error:
            self._log.error("enrolment_save_failed", role=session.role, error=str(error))
            await asyncio.sleep(REPAIR_SECONDS)

    async def _enrol(self, session: HostSession, message: Enrol) -> None:
        promise, role = message.promise, session.role
        if role is None or promise.role != role:
            raise ProtocolError("a seat may enrol only itself")
        known_promise = next((party for party in self._known_parties if party.role == role), None)
        if self.is_begun or (known_promise == promise and role not in self.missing):
            return
        if known_promise not in {None, promise}:
            raise SeatRefusedError(
                "this seat has already enrolled with different keys, which are not on this computer"
            )
        # The commitments contain new keys. Only the signature with the invite's key proves that
        # they come from this seat.
        certificate = session.certificate
        parts = signed_enrolment(self.id, promise)
        if (
            certificate is None
            or not identity.verify_proof(certificate, message.signature, ENROL_CONTEXT, *parts)
            or not _is_valid_enrolment(self.id, promise, deals=self._secret is None)
        ):
            raise SeatRefusedError("the enrolment is not signed with this seat's key")
        if self._has_repeated_value(promise):
            raise SeatRefusedError("this enrolment repeats a key or commitment from another one")
        enrolment = Enrolment(promise=promise, key=identity.fingerprint(certificate))
        # Enrolments with replaced invites are kept, because a signed header may contain them.
        other_enrolments = tuple(
            other for other in self._waiting.enrolled if other.promise.role != role
        )
        waiting = msgspec.structs.replace(
            self._waiting,
            header=encode_header(self._empty_header),
            enrolled=(*other_enrolments, enrolment),
        )
        # The enrolment takes effect only when it is on disk, because the header will contain it.
        await self._run_on_disk(write_pending, self._folder, self.id, waiting)
        self._waiting = waiting
        self._log.info("player_enrolled", role=role, missing=self.missing)
        if not self.missing:
            await self._begin_if_ready()
        self._change_signal.bump()

    @property
    def _known_parties(self) -> tuple[FairParty, ...]:
        """Return the commitments that count. Once the transcript has begun, the header fixes all of them."""
        if self._message_server is not None:
            return fair_terms(self.header).parties
        return tuple(enrolment.promise for enrolment in self._enrolled)

    def _has_repeated_value(self, promise: FairParty) -> bool:
        """Return whether a seat's commitments repeat a value, or reuse a value of another party or of the host.

        A header must not contain the same value twice.
        """
        other_promises = [
            enrolment.promise
            for enrolment in self._enrolled
            if enrolment.promise.role != promise.role
        ]
        known_values = {
            value
            for enrolment in other_promises
            for value in (enrolment.key, enrolment.head, enrolment.cards)
            if value
        }
        known_values.add(read_host_key(self._folder, self.id).verify_key)
        own_values = [value for value in (promise.key, promise.head, promise.cards) if value]
        return bool(known_values & set(own_values)) or len(set(own_values)) < len(own_values)

    async def _receive_post(self, session: HostSession, part: PostPart) -> str:
        """Receive a seat's messages for the opening. Return why a message is invalid; empty if all are valid.

        Raises:
            ProtocolError: The post is malformed, arrived before every seat enrolled, or does not come from its seat.
            StorageError: A read or write failed.
        """
        role, message_server = session.role, self._message_server
        if self.is_begun:
            return ""
        if role is None or message_server is None:
            raise ProtocolError("not every seat has enrolled")
        post = message_server.add_part(role, part)
        if post is None:
            return ""
        if message_server.texts.store(role, post):
            self._change_signal.bump()
        if has_proofs(self.id, post.messages):
            await asyncio.to_thread(verify_ahead, message_server.match.fair_state, post.messages)
        first_refusal: MessageRefusal | None = None
        for signed in post.messages:
            await message_server.precheck(signed)
            refusal = message_server.submit(signed)
            if refusal is None:
                continue
            charge_refusal(session.allowance, role, refusal)
            first_refusal = refusal if refusal.is_dishonest else None
            if first_refusal is not None or session.allowance.is_spent:
                break  # checking the remaining messages could take a long time
        await self._begin_if_ready()  # even if a later message was refused
        if first_refusal is None:
            return ""
        self._log.error(
            "message_rejected", role=role, author=first_refusal.author, error=first_refusal.problem
        )
        return first_refusal.problem

    async def _begin_if_ready(self) -> None:
        """Write the set-up or the first record if everything needed has arrived. If the write fails, retry later."""
        try:
            await self._store_or_begin()
        except StorageError as error:
            self._log.error("opening_save_failed", error=str(error))
            self._is_write_due = True
        else:
            self._is_write_due = False

    async def _store_or_begin(self) -> None:
        if self._message_server is None:
            self._message_server = await run_on_executor(self._disk, self._prepare)
        message_server = self._message_server
        if not message_server.match.is_complete:
            if not message_server.pending.is_stored:
                count, frame = message_server.pending.next_frame()
                await self._run_on_disk(message_server.pending.write, frame)
                message_server.pending.publish(count)
                self._change_signal.bump()
            return
        await self._run_on_disk(self._begin, message_server)
        self.is_begun = True
        self._log.info("match_started", seats=self.seats)
        self._on_begun(self, message_server)
        self._change_signal.bump()

    def _begin(self, message_server: MessageServer) -> None:
        """Write the first record."""
        match = message_server.match
        writer = LogWriter.create(self._folder / f"{self.id}{RECORD}")
        try:
            draft = match.draft_pending()
            match.attach_log(writer)
            match.write(draft)
        except BaseException:
            writer.close()
            raise
        # The record is on disk now. If the host crashes after this point, the next start ignores the remaining files.
        match.apply(draft)
        message_server.pending.reset()
        with contextlib.suppress(OSError):
            (self._folder / f"{self.id}{SUFFIX}").unlink(missing_ok=True)
        with contextlib.suppress(StorageError):
            message_server.pending.clear_file()

    async def _run_on_disk(self, work: Callable[..., Any], *args: object) -> Any:  # noqa: ANN401  # the work's result
        try:
            result = await run_on_executor(self._disk, work, *args)
        except StorageError as error:
            self.disk_state.on_write_failed(error)
            raise
        self.disk_state.on_write_succeeded()
        return result


def _load_data(rules: AnyRuleset, header: Header) -> None:
    """Load the opening's game data. This must run in the event loop, not in a thread.

    msgspec crashes if two threads decode a type for the first time simultaneously.
    """
    secrecy_problem(rules)
    if header.scenario:
        _preload_game_data(rules, header.scenario, tuple(sorted(header.options.items())))
    elif header.position is not None:
        decoder = msgspec.msgpack.Decoder(rules.position_type)
        position = decode(decoder, header.position, MAX_RECORD_BYTES)
        rules.open_game(position, DerivedDice(bytes(SECRET_BYTES), 0))


@lru_cache(maxsize=64)
def _preload_game_data(
    rules: AnyRuleset, scenario: str, options: tuple[tuple[str, str], ...]
) -> None:
    """Play a scenario's opening once per process and discard the result. This loads the game data."""
    rules.open_game(rules.position(scenario, dict(options)), DerivedDice(bytes(SECRET_BYTES), 0))


def _is_valid_enrolment(match: str, promise: FairParty, *, deals: bool) -> bool:
    """Return whether an enrolment is signed with its own key and has the commitments that the mode needs."""
    try:
        check_commitments(match, promise)
    except FairPlayError:
        return False
    return len(promise.cards) == (HASH_BYTES if deals else 0)
