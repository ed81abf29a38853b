"""One match at the host: the sequencer, and what each seat may be told.

A command is checked, appended and synced, and only then told: to whoever gave it and to everybody else alike. The disk
is waited for in a thread, one record of a match after the other, while the other matches go on.
"""

import asyncio
import time
from collections import deque
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay import limits
from netplay.bundles import Side, write_bundle
from netplay.cleaning import CHAT_LIMIT, REASON_LIMIT, clean
from netplay.feed import Feed
from netplay.holding import Standing
from netplay.host_session import HostSession, Memory, Verdict
from netplay.messages import (
    Accepted,
    Bye,
    CatchUp,
    ChatLine,
    News,
    OpenAsk,
    OutOfStep,
    Part,
    Presence,
    Refused,
    Say,
    Submit,
    Tail,
    TakebackAnswer,
    TakebackAsk,
    encode,
)
from netplay.seatkeys import SeatKeys
from saves.copy import Draft
from saves.decoding import decode
from saves.errors import MatchError, StaleCommandError, StorageError, UnreadableError
from saves.match import Match
from saves.records import Record
from saves.remarks import LIMIT

log = structlog.get_logger()

_CHECKED_BACK: Final = 64
"""A digest for a record further back is not checked; the peer is still catching up."""
_CHAT_KEPT: Final = 100
_CHAT_AT_ONCE: Final = 32
HOST: Final = Role("host")
"""Who says in chat what the host has to say."""
_ASK_SECONDS: Final = 300.0
_REASONS: Final = 16
_DISK_REFUSES: Final = "the host's disk takes no record now; nothing happened, try again in a while"
"""What players hear instead of paths of the host's file system."""
_NO_REVEAL: Final = "the game is over; its secret is shown as soon as the host's disk takes records"


class Table:
    """A running match with everybody who plays or watches it."""

    def __init__(self, match: Match[Any], bundles: Path, disk: Executor, keys: SeatKeys) -> None:
        """Seat nobody yet.

        Args:
            match: The judge's game.
            bundles: Folder for what is kept of a difference.
            disk: Threads that wait for the disk.
            keys: Whose seats are whose today.
        """
        self.match = match
        self.keys = keys
        self.id = match.header.match_id
        self.seats = tuple(seat.role for seat in match.header.seats)
        self.sessions: dict[int, HostSession] = {}
        self.allowances = limits.Allowances()
        self.closing = ""
        self.owes_reveal = match.ruleset.outcome(match.state) is not None and not match.is_revealed
        """Whether the game is over and its secret not shown: a crash or the disk came in between."""
        self._is_refused = False
        """Whether the disk refused the last record."""
        self.appended_at = 0.0
        """When the last record was synced, on the clock of ``time.perf_counter``."""
        self._bundles = bundles
        self._disk = disk
        self._order = asyncio.Lock()
        """Held from the judging of a request until the disk has what follows from it."""
        self._log = log.bind(game=match.header.game, match=self.id)
        self._commands = msgspec.msgpack.Decoder(match.ruleset.command_type)
        self._memory: dict[Role, Memory] = {role: Memory() for role in self.seats}
        self._agreed: dict[Role | None, int] = {}
        self._chat: deque[ChatLine] = deque(maxlen=_CHAT_KEPT)
        self._chat_number = 0
        self._ask: OpenAsk | None = None
        self._asked_at = 0.0
        self._asks = 0
        self._version = 0
        self._present: tuple[bool, ...] = (False,) * len(self.seats)
        self._bell = asyncio.Event()
        self._feed = Feed(match)
        self._mends = limits.Bucket(1 / limits.MEND_SECONDS, 1)
        self._finishing: asyncio.Task[None] | None = None

    # -- who is here

    def join(self, session: HostSession) -> None:
        """Give a seat to a proven connection; an older connection of the seat must go."""
        for other in tuple(self.sessions.values()):
            if session.role is not None and other.role == session.role:
                other.closing = "another connection took this seat"
                self.sessions.pop(other.line, None)
        self.sessions[session.line] = session
        self.refresh_presence()
        self._touch()

    def leave(self, line: int) -> None:
        """Forget a connection that ended."""
        if self.sessions.pop(line, None) is not None:
            self.refresh_presence()
            self._touch()

    def owner(self, role: Role) -> str:
        """Return the fingerprint of the key that a seat belongs to.

        Raises:
            FlagplotError: What the disk holds of it cannot be read.
        """
        first = next(seat.seat_id for seat in self.match.header.seats if seat.role == role)
        return self.keys.of(role, first)

    def make_room(self, role: Role | None, whose: str) -> bool:
        """Return whether one more connection may come in.

        Where there is no room for another spectator, the address with the most of them gives up its first, unless the
        newcomer's would then have more.
        """
        watching = [session for session in self.sessions.values() if session.role is None]
        if role is not None or len(watching) < limits.MOST_SPECTATORS:
            return True
        crowd, size = limits.most_crowded(session.whose for session in watching)
        if sum(session.whose == whose for session in watching) + 1 >= size:
            return False
        first = next(session for session in watching if session.whose == crowd)
        first.closing = "others want to watch, too"
        self.sessions.pop(first.line, None)
        return True

    @property
    def present(self) -> tuple[Role, ...]:
        """Return the seats that show signs of life."""
        return tuple(role for role, here in zip(self.seats, self._present, strict=True) if here)

    @property
    def spectators(self) -> int:
        """Return how many watch."""
        return sum(session.role is None for session in self.sessions.values())

    def refresh_presence(self) -> None:
        """Look who shows signs of life, and tell everybody when that changed."""
        now = time.monotonic()
        here = {each.role for each in self.sessions.values() if each.is_present(now)}
        present = tuple(role in here for role in self.seats)
        if present != self._present:
            self._present = present
            self._log.info("presence", seats=dict(zip(self.seats, present, strict=True)))
            self._touch()
        if self._ask is not None and now - self._asked_at > _ASK_SECONDS:
            self._settle("nobody answered in time")

    def standing(self) -> Standing:
        """Return how the match stands, without anything that not everybody may know."""
        match = self.match
        return Standing(
            match=self.id,
            heading=match.ruleset.heading(match.state),
            records=match.seq + 1,
            spectators=self.spectators,
            present=self.present,
            asked=() if match.is_revealed else tuple(match.ruleset.asked(match.state)),
            is_over=match.is_revealed,
        )

    async def close(self, reason: str) -> None:
        """Tell everybody that the host stops, and let go of the log once the disk has what is under way."""
        self.closing = reason
        self.ring()
        async with self._order:
            self.match.close()

    # -- news

    def ring(self) -> None:
        """Wake everybody who waits for news."""
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()

    async def wait(self, seconds: float) -> None:
        """Wait until something happens, or the time is over."""
        bell = self._bell
        try:
            async with asyncio.timeout(seconds):
                await bell.wait()
        except TimeoutError:
            return

    def difference(self, session: HostSession, ask: CatchUp) -> OutOfStep | None:
        """Return where the peer's log or view differs from the host's; None when both agree."""
        match, role = self.match, session.role
        if ask.seq > match.seq or self._feed.chain_at(ask.seq) != ask.chain:
            return self._out_of_step(session, min(ask.seq, match.seq), -1, None)
        if ask.digest is None or ask.seq < max(0, match.seq - _CHECKED_BACK):
            return None
        if not session.allowance.comparisons.take():
            return None
        ours = self._feed.digest_at(ask.seq, role)
        if ours != ask.digest:
            agreed = min(self._agreed.get(role, -1), ask.seq - 1)
            return self._out_of_step(session, ask.seq, agreed, ours)
        self._agreed[role] = ask.seq
        session.in_step = True
        return None

    def news(self, session: HostSession, ask: CatchUp) -> News | None:
        """Return what the peer does not know yet, None when it knows everything."""
        records, part = self._feed.after(session.role, ask.seq, ask.offset)
        chat = tuple(line for line in self._chat if line.number > ask.heard)[:_CHAT_AT_ONCE]
        if not records and part is None and not chat and session.told == self._version:
            return None
        session.told = self._version
        return self.greeting(records, part, chat)

    def greeting(
        self,
        records: tuple[bytes, ...] = (),
        part: Part | None = None,
        chat: tuple[ChatLine, ...] = (),
    ) -> News:
        """Return how the table stands, with these records and lines."""
        return News(
            head=self.match.seq,
            records=records,
            part=part,
            chat=chat,
            presence=tuple(
                Presence(role=role, present=here)
                for role, here in zip(self.seats, self._present, strict=True)
            ),
            spectators=self.spectators,
            ask=self._ask,
        )

    def _touch(self) -> None:
        self._version += 1
        self.ring()

    # -- differences

    def _out_of_step(
        self, session: HostSession, seq: int, agreed: int, digest: bytes | None
    ) -> OutOfStep:
        session.in_step = False
        self._log.error("out_of_step", role=session.role, seq=seq, agreed=agreed)
        session.difference = OutOfStep(
            seq=seq,
            agreed_seq=agreed,
            agreed_chain=self._feed.chain_at(agreed),
            digest=digest,
            records=self._feed.tail(session.role, seq),
        )
        return session.difference

    def take_tail(self, session: HostSession, tail: Tail) -> None:
        """Keep both logs' ends side by side, once for each difference that this host has noticed.

        A disk that refuses, or a seat with many differences, holds up nobody: the peer mends its copy all the same.
        """
        found, session.difference = session.difference, None
        if found is None:
            return
        try:
            path = write_bundle(
                self._bundles,
                self.match.header,
                session.role,
                found.seq,
                host=Side(digest=found.digest, records=found.records),
                peer=Side(digest=tail.digest, records=tail.records),
            )
        except StorageError as error:
            self._log.warning("bundle_not_written", role=session.role, error=str(error))
        else:
            self._log.error("bundle_written", role=session.role, seq=found.seq, file=path.name)

    # -- requests of a seat

    async def request(
        self, session: HostSession, ask: Submit | Say | TakebackAsk | TakebackAnswer
    ) -> Verdict | Bye:
        """Carry out a request once and return its answer, also to repeats of it; those of a match in their order.

        While the host stops nothing is carried out, and the request may come again to the one that follows.
        """
        if session.role is None:
            return _refuse(
                ask.request_id, "unavailable", "spectators watch, they do not play or speak"
            )
        async with self._order:
            if self.closing:
                return Bye(reason=self.closing, again=True)
            return await self._request(session, session.role, ask)

    async def _request(
        self, session: HostSession, role: Role, ask: Submit | Say | TakebackAsk | TakebackAnswer
    ) -> Verdict:
        memory = self._memory[role]
        content = encode(ask)
        known = memory.recall(ask.request_id, content)
        if known is not None:
            return known
        match ask:
            case Submit():
                verdict = await self._submit(session, role, ask)
            case Say():
                verdict = self._say(session, role, ask)
            case TakebackAsk():
                verdict = await self._ask_takeback(role, ask)
            case TakebackAnswer():
                verdict = await self._answer_takeback(role, ask)
        if isinstance(verdict, Refused) and verdict.code == "too-fast":
            return verdict
        return memory.keep(ask.request_id, content, verdict)

    async def _keep(self, draft: Draft[Any]) -> Record:
        """Make a draft part of the game once the disk has it.

        Raises:
            StorageError: The disk refused; nothing happened. The log is mended when the next draft comes.
        """
        await asyncio.get_running_loop().run_in_executor(self._disk, self._write, draft)
        return self.match.show(draft)

    def _write(self, draft: Draft[Any]) -> None:
        if self._is_refused:
            if not self._mends.take():
                raise StorageError("the disk refused a moment ago")
            self.match.mend()
            self._is_refused = False
        try:
            self.match.write(draft)
        except StorageError:
            self._is_refused = True
            raise

    async def _submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict:
        if not session.in_step:
            return _refuse(ask.request_id, "unavailable", "the views differ; catch up first")
        try:
            command: Command = decode(self._commands, ask.command, len(ask.command))
            draft = self.match.draft_command(role, command, ask.expected_seq)
            remark = clean(ask.remark, LIMIT)
            if remark:
                said = await self._keep(self.match.draft_remark(remark, role))
                draft = self.match.draft_command(role, command, said.seq)
            record = await self._keep(draft)
        except StaleCommandError as error:
            return _refuse(ask.request_id, "stale", str(error))
        except UnreadableError as error:
            return self._refuse_illegal(session, ask, f"not a command of this game: {error}")
        except IllegalCommandError as error:
            return self._refuse_illegal(session, ask, str(error), error)
        except MatchError as error:
            return _refuse(ask.request_id, "unavailable", str(error))
        except StorageError as error:
            self._log.error("submit_failed", role=role, seq=self.match.seq, error=str(error))
            return _refuse(ask.request_id, "unavailable", _DISK_REFUSES)
        self._log.info("command", role=role, seq=record.seq, events=len(record.events))
        await self._grown()
        return Accepted(request_id=ask.request_id, seq=record.seq)

    def _refuse_illegal(
        self,
        session: HostSession,
        ask: Submit,
        text: str,
        error: IllegalCommandError | None = None,
    ) -> Refused:
        if not session.allowance.illegal.take():
            session.allowance.offend()
            return _refuse(ask.request_id, "too-fast", "too many illegal commands")
        reasons = () if error is None else error.refusals[:_REASONS]
        return Refused(request_id=ask.request_id, code="illegal", text=text[:900], refusals=reasons)

    async def _grown(self) -> None:
        """Tell everybody that the log has grown; show the secret when the game is over."""
        self.appended_at = time.perf_counter()
        if self._ask is not None:
            self._ask = None
            self._version += 1
        self._feed.remember()
        await self._reveal()
        self.ring()

    async def _reveal(self) -> None:
        """Show the secret of a game that is over; what the disk refuses is tried again, and said once."""
        match = self.match
        if match.is_revealed or match.ruleset.outcome(match.state) is None:
            return
        try:
            await self._keep(match.draft_reveal())
        except StorageError as error:
            self._log.error("reveal_failed", seq=match.seq, error=str(error))
            if not self.owes_reveal:
                self._hear(HOST, _NO_REVEAL)
            self.owes_reveal = True
        else:
            self.owes_reveal = False
            self._feed.remember()
            self._log.info("game_over", seq=match.seq)

    def finish(self) -> None:
        """Try again to show the secret of a game that is over; the disk may be waited for, and nobody waits here."""
        if self.owes_reveal and (self._finishing is None or self._finishing.done()):
            self._finishing = asyncio.create_task(self._finish())

    async def _finish(self) -> None:
        async with self._order:
            if not self.closing:
                await self._reveal()
                self.ring()

    # -- chat and takebacks

    def _say(self, session: HostSession, role: Role, ask: Say) -> Verdict:
        if not session.allowance.chat.take():
            session.allowance.offend()
            return _refuse(ask.request_id, "too-fast", "too many chat lines; wait a little")
        text = clean(ask.text, CHAT_LIMIT)
        if text:
            self._hear(role, text)
        return Accepted(request_id=ask.request_id, seq=self.match.seq)

    def _hear(self, role: Role, text: str) -> None:
        self._chat_number += 1
        self._chat.append(ChatLine(number=self._chat_number, role=role, text=text))
        self.ring()

    async def _ask_takeback(self, role: Role, ask: TakebackAsk) -> Verdict:
        if self._ask is not None:
            return _refuse(ask.request_id, "unavailable", "another takeback waits for its answers")
        if ask.to_seq >= self.match.seq or self.match.is_revealed:
            return _refuse(
                ask.request_id, "unavailable", f"the game cannot go back to record {ask.to_seq}"
            )
        self._asks += 1
        others = tuple(seat for seat in self.seats if seat != role)
        self._ask = OpenAsk(ask=self._asks, role=role, to_seq=ask.to_seq, waiting_for=others)
        self._asked_at = time.monotonic()
        self._log.info("takeback_asked", role=role, to_seq=ask.to_seq)
        return await self._progress(ask.request_id)

    async def _answer_takeback(self, role: Role, ask: TakebackAnswer) -> Verdict:
        open_ask = self._ask
        if open_ask is None or open_ask.ask != ask.ask or role not in open_ask.waiting_for:
            return _refuse(ask.request_id, "unavailable", "this takeback is not open any more")
        if not ask.agree:
            self._settle(f"{role} does not agree")
            return Accepted(request_id=ask.request_id, seq=self.match.seq)
        waiting = tuple(seat for seat in open_ask.waiting_for if seat != role)
        self._ask = msgspec.structs.replace(open_ask, waiting_for=waiting)
        return await self._progress(ask.request_id)

    async def _progress(self, request_id: str) -> Verdict:
        """Take back when everybody agrees, else tell everybody who is still asked."""
        ask = self._ask
        assert ask is not None
        if not ask.waiting_for:
            try:
                await self._keep(self.match.draft_takeback(ask.to_seq, Role(ask.role)))
            except (MatchError, StorageError) as error:
                why = str(error) if isinstance(error, MatchError) else _DISK_REFUSES
                self._log.error("takeback_failed", seq=self.match.seq, error=str(error))
                self._settle(why)
                return _refuse(request_id, "unavailable", why)
            self._log.info("taken_back", role=ask.role, to_seq=ask.to_seq)
            await self._grown()
        self._touch()
        return Accepted(request_id=request_id, seq=self.match.seq)

    def _settle(self, why: str) -> None:
        ask, self._ask = self._ask, None
        if ask is not None:
            self._hear(HOST, clean(f"the game is not taken back: {why}", REASON_LIMIT))
            self._touch()


def _refuse(request_id: str, code: str, text: str) -> Refused:
    return Refused(request_id=request_id, code=code, text=text[:900])
