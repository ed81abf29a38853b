"""One match at the host: the sequencer, and what each seat may be told.

A command is checked, appended and synced, and only then told: to whoever gave it and to everybody else alike. The disk
is waited for in a thread, one record of a match after the other, while the other matches go on.
"""

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay import limits
from netplay.attendance import Attendance
from netplay.awaited import title_of, waits_for
from netplay.chance import HOLD_SECONDS, Chance, Toss
from netplay.chance import SUFFIX as CHANCE
from netplay.cleaning import CHAT_LIMIT, clean
from netplay.comparing import Comparison
from netplay.consents import Consents
from netplay.errors import ProtocolError, SeatRefusedError
from netplay.feed import Feed
from netplay.holding import Standing
from netplay.host_session import HostSession, Memory, Verdict
from netplay.keeping import Keeper
from netplay.manner import Manner
from netplay.messages import (
    PENDING,
    Accepted,
    Bye,
    CatchUp,
    ChatLine,
    News,
    Offer,
    OfferAnswer,
    OpenLink,
    OpenOffer,
    Part,
    Pong,
    Presence,
    Refused,
    Say,
    Submit,
    encode,
)
from netplay.parley import HOST, Parley
from netplay.reminding import Call, Caller, Turns
from netplay.sharedrecords import SharedRecords
from netplay.tablefile import Kept, TableFile
from netplay.timekeeper import Timekeeper
from play.bots import bot_name
from play.offers import Matter, partners, statement_for
from play.seating import seats_of
from saves.copy import Draft
from saves.decoding import decode
from saves.errors import (
    FairPlayError,
    LinksNeededError,
    MatchError,
    StaleCommandError,
    StorageError,
    UnreadableError,
)
from saves.fair.parties import Throw
from saves.match import Match
from saves.modes import mode_of
from saves.records import NOBODY, Record
from saves.remarks import LIMIT
from saves.sides import info_of
from saves.statements import Ending, TimeSpent, kind_of
from saves.terms import named

log = structlog.get_logger()

_REASONS: Final = 16
_SAVE_SECONDS: Final = 5.0
"""How much of the running time a host that is killed forgets at most."""
TOO_FAST: Final = "too-fast"
_DISK_REFUSES: Final = "the host's disk takes no record now; nothing happened, try again in a while"
"""What players hear instead of paths of the host's file system."""
_OTHER_RULES: Final = (
    "the rules of this program refuse the command that waits for its chance; open the match with the version of the"
    " program under which it was given"
)
_NO_REVEAL: Final = "the game is over; its secret is shown as soon as the host's disk takes records"


class Table:
    """A running match with everybody who plays or watches it."""

    def __init__(  # one per part of the table
        self,
        match: Match[Any],
        bundles: Path,
        disk: Executor,
        file: TableFile,
        manner: Manner,
        caller: Caller | None = None,
        said: Parley | None = None,
        shared: SharedRecords | None = None,
    ) -> None:
        """Seat nobody yet.

        Args:
            match: The judge's game.
            bundles: Folder for what is kept of a difference.
            disk: Threads that wait for the disk.
            file: What is kept of the table beside the record.
            manner: How matches are held.
            caller: Calls players who are away; None calls nobody.
            said: What was said at an earlier table of this match.
            shared: Where its records are at hand for other copies in this process.
        """
        self.match = match
        self.id = match.header.match_id
        self.seats = tuple(seat.role for seat in match.header.seats)
        self.attendance = Attendance(self.seats)
        self.parley = said or Parley(self._touch)
        self.parley.changed = self._touch
        self.allowances = limits.Allowances()
        self.closing = ""
        self.owes_reveal = match.outcome is not None and not match.is_revealed
        """Whether the game is over and its secret not shown: a crash or the disk came in between."""
        self.appended_at = 0.0
        """When the last record was synced, on the clock of ``time.perf_counter``."""
        self._order = asyncio.Lock()
        """Held from the judging of a request until the disk has what follows from it."""
        self._log = log.bind(game=match.header.game, match=self.id)
        self._commands = msgspec.msgpack.Decoder(match.ruleset.command_type)
        self._memory: dict[Role, Memory] = {role: Memory() for role in self.seats}
        self._version = 0
        self._bell = asyncio.Event()
        self._feed = Feed(match, shared, manner.lateness)
        self._keeper = Keeper(match, disk)
        self._file = file
        kept = file.read()
        spent = kept.spent if kept.seq == match.seq else {}
        self.time = Timekeeper(match, manner.window_seconds, kept.joined, spent)
        self._caller = caller
        self._turns = Turns(self._people(), kept.reminded)
        self._called_up: set[Role] = set()
        """Roles of which everybody was told that their time is up."""
        self._next_save = 0.0
        self._saving: asyncio.Future[None] | None = None
        self._dropping: asyncio.Task[None] | None = None
        self.comparison = Comparison(match, self._feed, bundles)
        self.chance = Chance(match, bundles.parent / f"{self.id}{CHANCE}")
        self.consents = Consents(match)
        if self.chance.toss is not None:
            self.time.pause()
        self._disk = disk
        self._finishing: asyncio.Task[None] | None = None
        self._is_let_go = False
        """Whether the record file of a match that is over is closed."""
        self._moved: float | None = time.monotonic()
        """When the last record was kept, or the table opened; None after what can be worked out again was forgotten."""
        self._left = time.monotonic()
        """When somebody was here last."""
        self._late: tuple[Role, ...] = ()
        self._owes_record = False
        """Whether all links of a command are there and the disk refused its record."""

    # -- who is here

    @property
    def sessions(self) -> dict[int, HostSession]:
        """Return the proven connections by their numbers."""
        return self.attendance.sessions

    def join(self, session: HostSession) -> None:
        """Give a seat to a proven connection; an older connection of the seat must go."""
        self.attendance.join(session)
        if session.role is not None:
            self.time.join(session.role)
        self.refresh_presence()
        self._touch()

    def leave(self, line: int) -> None:
        """Forget a connection that ended."""
        if self.attendance.leave(line):
            self._left = time.monotonic()
            self.refresh_presence()
            self._touch()

    def refresh_presence(self) -> None:
        """Look who shows signs of life, and tell everybody when that changed."""
        if self.attendance.refresh():
            self._log.info("presence", seats=self.attendance.presence)
            self._touch()
        if self.parley.is_overdue(self.attendance.present):
            self.parley.deny("nobody answered in time")
        if self.chance.late != self._late:
            self._late = self.chance.late
            self._touch()

    def standing(self) -> Standing:
        """Return how the match stands, without anything that not everybody may know."""
        match, late = self.match, self.chance.late
        heading = match.ruleset.heading(match.state)
        if late:
            heading += f"; {waits_for(match.ruleset, match.header, late)}"
        return Standing(
            match=self.id,
            heading=heading,
            records=match.seq + 1,
            spectators=self.attendance.spectators,
            present=self.attendance.present,
            asked=() if match.is_revealed else match.asked,
            is_over=match.is_revealed,
            dials=self.time.dials(),
            mode=mode_of(match.header),
        )

    async def close(self, reason: str) -> None:
        """Tell everybody that the host stops, and let go of the log once the disk has what is under way."""
        self.closing = reason
        self.ring()
        self.chance.close()
        async with self._order:
            if self._saving is not None:
                await self._saving
            self._file.write(self._kept())
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

    def news(self, session: HostSession, ask: CatchUp) -> News | None:
        """Return what the peer does not know yet, None when it knows everything."""
        records, part = self._feed.after(session.role, ask.seq, ask.offset)
        is_late = self._feed.is_late(session.role)
        chat = () if is_late else self.parley.after(ask.heard)
        if is_late and not records and part is None:
            return None
        if not records and part is None and not chat and session.told == self._version:
            return None
        session.told = self._version
        return self.greeting(session.role, records, part, chat)

    def greeting(
        self,
        role: Role | None,
        records: tuple[bytes, ...] = (),
        part: Part | None = None,
        chat: tuple[ChatLine, ...] = (),
    ) -> News:
        """Return how the table stands, with these records and lines; to whoever is told late nothing of the present."""
        is_late = self._feed.is_late(role)
        return News(
            head=self._feed.head(role),
            records=records,
            part=part,
            chat=chat,
            presence=tuple(
                Presence(role=role, present=here) for role, here in self.attendance.presence.items()
            ),
            spectators=self.attendance.spectators,
            offer=None if is_late else self.parley.offer,
            dials=() if is_late else self.time.dials(),
            call=None if is_late else self.chance.call,
        )

    def place(self, role: Role | None) -> tuple[int, bytes]:
        """Return the last record that somebody may have, and the chain value after it."""
        head = self._feed.head(role)
        return head, self._feed.chain_at(head)

    def _touch(self) -> None:
        self._version += 1
        self.ring()

    # -- requests of a seat

    async def request(
        self, session: HostSession, ask: Submit | Say | Offer | OfferAnswer
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
            verdict = await self._request(session, session.role, ask)
        return (
            await self._held(session.role, ask, verdict) if isinstance(verdict, Toss) else verdict
        )

    async def _held(
        self, role: Role, ask: Submit | Say | Offer | OfferAnswer, toss: Toss
    ) -> Verdict | Bye:
        """Wait until a command has its chance; its giver asks again when that takes long."""
        done, _ = await asyncio.wait([toss.done], timeout=HOLD_SECONDS)
        if not done:
            return _refuse(ask.request_id, PENDING, self._waits())
        if toss.done.cancelled():
            return Bye(reason=self.closing, again=True)
        verdict = Accepted(request_id=ask.request_id, seq=toss.done.result())
        return self._memory[role].keep(ask.request_id, encode(ask), verdict)

    def _waits(self) -> str:
        """Return for whom the match waits."""
        match = self.match
        return f"the game {waits_for(match.ruleset, match.header, self.chance.missing)}"

    async def _request(
        self, session: HostSession, role: Role, ask: Submit | Say | Offer | OfferAnswer
    ) -> Verdict | Toss:
        memory = self._memory[role]
        content = encode(ask)
        known = memory.recall(ask.request_id, content)
        if known is not None:
            return known
        await self._drop_flags()
        toss = self.chance.toss
        if toss is not None and not isinstance(ask, Say):
            if isinstance(ask, Submit) and toss.is_of(role, ask):
                return toss
            code = "unavailable" if toss.is_late else "stale"
            return _refuse(ask.request_id, code, self._waits())
        verdict: Verdict | Toss
        match ask:
            case Submit():
                verdict = await self._submit(session, role, ask)
            case Say():
                verdict = self._say(session, role, ask)
            case Offer():
                verdict = await self._make_offer(role, ask)
            case OfferAnswer():
                verdict = await self._answer_offer(role, ask)
        if isinstance(verdict, Toss) or (isinstance(verdict, Refused) and verdict.code == TOO_FAST):
            return verdict
        return memory.keep(ask.request_id, content, verdict)

    async def _submit(self, session: HostSession, role: Role, ask: Submit) -> Verdict | Toss:
        if not session.in_step:
            return _refuse(ask.request_id, "unavailable", "the views differ; catch up first")
        try:
            command: Command = decode(self._commands, ask.command, len(ask.command))
            record = await self._judged(role, command, ask)
        except LinksNeededError as error:
            return await self._call(ask, error.throw)
        except FairPlayError as error:
            return self._refuse_illegal(session, ask, str(error))
        except StaleCommandError as error:
            return _refuse(ask.request_id, "stale", str(error))
        except UnreadableError as error:
            return self._refuse_illegal(session, ask, f"not a command of this game: {error}")
        except IllegalCommandError as error:
            return self._refuse_illegal(session, ask, str(error), error)
        except MatchError as error:
            return _refuse(ask.request_id, "unavailable", str(error))
        except StorageError as error:
            return self._refused_by_disk(role, ask, error)
        self._log.info("command", role=role, seq=record.seq, events=len(record.events))
        await self._grown(role)
        return Accepted(request_id=ask.request_id, seq=record.seq)

    async def _judged(self, role: Role, command: Command, ask: Submit) -> Record:
        """Return the record of a command; a remark stands before it, after one that is signed for its own place."""
        draft = self.match.draft_command(role, command, ask.expected_seq, ask.signature)
        remark = clean(ask.remark, LIMIT)
        is_joint = self.match.pledges.is_joint
        if remark and not is_joint:
            said = await self._keeper.keep(self.match.draft_remark(remark, role))
            draft = self.match.draft_command(role, command, said.seq)
        spent = self.time.spent()
        record = await self._keeper.keep(draft)
        await self._charge(role, spent)
        if remark and is_joint:
            await self._remark(role, remark)
        return record

    async def _remark(self, role: Role, text: str) -> None:
        """Keep what is said about a command that is kept; a disk that refuses it then loses no more than that."""
        try:
            await self._keeper.keep(self.match.draft_remark(text, role))
        except StorageError as error:
            self._log.warning("remark_not_kept", role=role, error=str(error))

    def _refused_by_disk(self, role: Role, ask: Submit, error: StorageError) -> Refused:
        self._log.error("submit_failed", role=role, seq=self.match.seq, error=str(error))
        return _refuse(ask.request_id, "unavailable", _DISK_REFUSES)

    # -- chance of all parties

    async def _call(self, ask: Submit, throw: Throw) -> Toss | Refused:
        """Let every party open its link for a command that needs chance."""
        work = asyncio.get_running_loop().run_in_executor(self._disk, self.chance.keep, throw, ask)
        try:
            kept = await work
        except StorageError as error:
            return self._refused_by_disk(throw.role, ask, error)
        toss = self.chance.begin(kept)
        self.time.pause()
        self.parley.deny("the game went on")
        self._touch()
        return toss

    async def open(self, session: HostSession, note: OpenLink) -> Pong | Bye:
        """Take a seat's part of the chance that is called for; a repeat changes nothing.

        Raises:
            ProtocolError: Nobody asks a spectator for one.
            SeatRefusedError: It is not the one that was promised.
        """
        role = session.role
        if role is None:
            raise ProtocolError("spectators have no part in the chance")
        async with self._order:
            if self.closing:
                return Bye(reason=self.closing, again=True)
            toss = self.chance.toss
            if toss is not None and toss.throw.index == note.index:
                try:
                    is_last = self.chance.take(role, note.link)
                except FairPlayError as error:
                    self._log.error("wrong_link", role=role, seq=toss.throw.seq)
                    if role not in toss.accused:
                        toss.accused.add(role)
                        self.parley.say(HOST, f"{title_of(self.match.ruleset, role)}: {error}")
                    raise SeatRefusedError(
                        str(error), logged="a wrong part of the chance"
                    ) from error
                if is_last:
                    await self._settle(toss)
        return Pong(token=note.index)

    async def _settle(self, toss: Toss) -> None:
        """Decide a command now that all its links are there; what the disk refuses is tried again."""
        throw, links = toss.throw, self.chance.links
        role = throw.role
        command: Command = decode(self._commands, toss.command, len(toss.command))
        spent = self.time.spent()
        try:
            record = await self._keeper.keep(
                self.match.draft_command(role, command, throw.seq - 1, toss.signature, links)
            )
        except StorageError as error:
            self._log.error("toss_failed", role=role, seq=throw.seq, error=str(error))
            self._owes_record = True
            return
        except (IllegalCommandError, MatchError) as error:  # by other rules than it was given under
            self._log.error("toss_refused", role=role, seq=throw.seq, error=str(error))
            self.parley.say(HOST, _OTHER_RULES)
            return
        self._owes_record = False
        self._log.info("command", role=role, seq=record.seq, events=len(record.events))
        await self._charge(role, spent)
        remark = clean(toss.remark, LIMIT)
        if remark:
            await self._remark(role, remark)
        self.chance.end(record.seq)
        self._late = ()
        self._version += 1
        await self._grown(role)

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

    async def _grown(self, giver: Role | None = None) -> None:
        """Tell everybody that the log has grown; show the secret when the game is over.

        Args:
            giver: Who gave the command, if it was one.
        """
        self.time.turned(giver)
        self._turns.seen(self.match.asked)
        self.appended_at = time.perf_counter()
        self.parley.deny("the game went on")
        self._feed.remember()
        await self._reveal()
        self.match.keep_latest(limits.RESULTS_KEPT)
        self._moved = time.monotonic()
        self.ring()

    async def _reveal(self) -> None:
        """Show the secret of a game that is over; what the disk refuses is tried again, and said once."""
        match = self.match
        if match.is_revealed or match.outcome is None:
            return
        try:
            await self._keeper.keep(match.draft_reveal())
        except StorageError as error:
            self._log.error("reveal_failed", seq=match.seq, error=str(error))
            if not self.owes_reveal:
                self.parley.say(HOST, _NO_REVEAL)
            self.owes_reveal = True
        else:
            self.owes_reveal = False
            self._feed.remember()
            self.chance.forget()
            self._log.info("game_over", seq=match.seq)

    def finish(self) -> None:
        """Do what a game that is over still needs; the disk may be waited for, and nobody waits here.

        Its secret is shown where the disk refused that, and then its record is let go of: nothing can follow. A record
        whose chance is there, and that the disk refused, is tried again likewise.
        """
        owes = self.owes_reveal or self._owes_record
        is_due = owes or (self.match.is_revealed and not self._is_let_go)
        if is_due and (self._finishing is None or self._finishing.done()):
            self._finishing = asyncio.create_task(self._finish())

    async def _finish(self) -> None:
        async with self._order:
            if self.closing:
                return
            toss = self.chance.toss
            if toss is not None and not self.chance.missing:
                await self._settle(toss)
            if self.owes_reveal:
                await self._reveal()
                self.ring()
            if self.match.is_revealed:
                await asyncio.get_running_loop().run_in_executor(self._disk, self.let_go)

    def let_go(self) -> None:
        """Close the record file of a match that is over; nothing can follow in it."""
        self.match.close()
        self._is_let_go = True

    def is_idle(self, seconds: float) -> bool:
        """Return once whether nothing was done for so long; what was worked out about the match is forgotten then."""
        if self._moved is None or time.monotonic() - self._moved < seconds:
            return False
        self._moved = None
        self.match.keep_latest(0)
        return True

    def is_at_rest(self, seconds: float) -> bool:
        """Return whether the game is over, its record let go of, and nobody was here for so long."""
        return self._is_let_go and not self.sessions and time.monotonic() - self._left >= seconds

    # -- time

    def tick(self) -> None:
        """Look whose time is up and who is to be called, and keep now and then what the next process must know."""
        if self.closing or not (self.time.has_clocks or self._caller):
            return
        self._remind()
        if self._dropping is None or self._dropping.done():
            self._dropping = asyncio.create_task(self._drop_in_order()) if self._is_up() else None
        now = time.monotonic()
        if now >= self._next_save:
            self._next_save = now + _SAVE_SECONDS
            if self._saving is None or self._saving.done():
                loop = asyncio.get_running_loop()
                self._saving = loop.run_in_executor(self._disk, self._file.write, self._kept())

    def _kept(self) -> Kept:
        return Kept(
            seq=self.match.seq,
            spent=self.time.spent(),
            joined=tuple(sorted(self.time.joined)),
            reminded=tuple(sorted(self._turns.called)),
        )

    def _people(self) -> tuple[tuple[Role, ...], ...]:
        """Return the roles of each person."""
        header = self.match.header
        players = {seat.role: seat.player for seat in header.seats}
        seats = seats_of(info_of(self.match.ruleset, header), players)
        return tuple(seat for seat in seats if not bot_name(players[seat[0]]))

    def _remind(self) -> None:
        """Call whoever is away from his turn."""
        match, caller = self.match, self._caller
        if caller is None or match.is_revealed:
            return
        header = match.header
        for role in self._turns.due(match.asked, self.attendance.present):
            player = next(seat.player for seat in header.seats if seat.role == role)
            heading = match.ruleset.heading(match.state)
            called = Call(
                match=self.id, game=header.game, seat=role, player=player, heading=heading
            )
            caller.call(called)
            self._next_save = 0.0

    def _is_up(self) -> bool:
        """Return whether a clock has run out of which not everybody knows."""
        return not set(self.time.fallen()) <= self._called_up

    async def _drop_in_order(self) -> None:
        async with self._order:
            if not self.closing:
                await self._drop_flags()

    async def _drop_flags(self) -> None:
        """Do what the table's rule says to whose time is up: tell everybody, or end the match."""
        if self.chance.toss is not None:
            return  # the command came in time; what it waits for is not its giver's
        fallen = self.time.fallen()
        self._called_up &= set(fallen)
        dials = self.match.terms.dials
        if not fallen or dials is None:
            return
        if dials.clock.flag == "loses":
            await self._lose(fallen[0])
            return
        for role in fallen:
            if role not in self._called_up:
                self._called_up.add(role)
                self.parley.say(HOST, f"the time of {named(self.match.ruleset, (role,))} is up")

    async def _lose(self, role: Role) -> None:
        """End a match by time; what the disk refuses is tried again at the next tick."""
        match = self.match
        try:
            spent = TimeSpent(spent=self.time.spent())
            await self._keeper.keep(match.draft_statement(NOBODY, spent))
            self.time.charged()
            lost = Ending(how="time", by=match.terms.side(role))
            await self._keeper.keep(match.draft_statement(role, lost))
        except StorageError as error:
            self._log.error("time_not_kept", role=role, seq=match.seq, error=str(error))
            return
        self._log.info("time_up", role=role, seq=match.seq)
        await self._grown()

    async def _charge(self, role: Role, spent: Mapping[Role, int]) -> None:
        """Keep the time that was spent up to the last record; what the disk refuses counts for nobody.

        Args:
            role: Whose record it is that ended the time.
            spent: Milliseconds of each role that was asked.
        """
        if not spent:
            return
        try:
            said = TimeSpent(spent=dict(spent))
            await self._keeper.keep(self.match.draft_statement(role, said))
        except StorageError as error:
            self._log.error("time_not_kept", seq=self.match.seq, error=str(error))
        self.time.charged()

    # -- chat and offers

    def _say(self, session: HostSession, role: Role, ask: Say) -> Verdict:
        if not session.allowance.chat.take():
            session.allowance.offend()
            return _refuse(ask.request_id, "too-fast", "too many chat lines; wait a little")
        text = clean(ask.text, CHAT_LIMIT)
        if text:
            self.parley.say(role, text)
        return Accepted(request_id=ask.request_id, seq=self.match.seq)

    async def _make_offer(self, role: Role, ask: Offer) -> Verdict:
        parley = self.parley
        if parley.offer is not None:
            return _refuse(ask.request_id, "unavailable", "another offer waits for its answers")
        problem = self._against_offer(role, ask)
        if problem:
            return _refuse(ask.request_id, "unavailable", problem)
        if not self.consents.begin(ask.matter, role, ask.to_seq, ask.signature):
            return _refuse(ask.request_id, "stale", "something else came first")
        others = partners(self.match.terms, ask.matter, role)
        parley.open(role, ask.matter, ask.to_seq, others)
        self._log.info("offered", role=role, matter=ask.matter, to_seq=ask.to_seq)
        return await self._progress(ask.request_id)

    async def _answer_offer(self, role: Role, ask: OfferAnswer) -> Verdict:
        if not self.parley.waits_for(ask.offer, role):
            return _refuse(ask.request_id, "unavailable", "this offer is not open any more")
        if not ask.agree:
            self.parley.deny(f"{role} does not agree")
            return Accepted(request_id=ask.request_id, seq=self.match.seq)
        if not self.consents.add(role, ask.signature):
            return _refuse(ask.request_id, "unavailable", "the consent is not signed by this seat")
        self.parley.agree(role)
        return await self._progress(ask.request_id)

    def _against_offer(self, role: Role, ask: Offer) -> str:
        """Return why something cannot be offered now; empty when it can."""
        match = self.match
        if ask.matter is Matter.TAKEBACK:
            if ask.to_seq >= match.seq:
                return f"the game cannot go back to record {ask.to_seq}"
            return match.objection("takeback", role)
        try:
            said = statement_for(match.terms, ask.matter, role)
        except MatchError as error:
            return str(error)
        return match.objection(kind_of(said), role, said)

    def _agreed_draft(self, offer: OpenOffer) -> Draft[Any]:
        """Return the draft of the record that an offer becomes when everybody agrees.

        Raises:
            MatchError: It cannot follow.
            FairPlayError: A consent is missing.
        """
        match, role = self.match, Role(offer.role)
        if offer.matter is Matter.TAKEBACK:
            return match.draft_takeback(offer.to_seq, role, self.consents.given)
        said = statement_for(match.terms, offer.matter, role)
        return match.draft_statement(role, said, self.consents.given)

    async def _progress(self, request_id: str) -> Verdict:
        """Do what is offered when everybody agrees, else tell everybody who is still asked."""
        offer = self.parley.offer
        assert offer is not None, "an offer is open"
        if not offer.waiting_for:
            try:
                spent = self.time.spent()
                draft = self._agreed_draft(offer)
                await self._keeper.keep(draft)
            except (MatchError, StorageError) as error:
                why = str(error) if isinstance(error, MatchError) else _DISK_REFUSES
                self._log.error("offer_failed", seq=self.match.seq, error=str(error))
                self.parley.deny(why)
                return _refuse(request_id, "unavailable", why)
            self.parley.close()
            if self.match.terms.ending is None:
                await self._charge(Role(offer.role), spent)
            self._log.info("agreed", role=offer.role, matter=offer.matter, to_seq=offer.to_seq)
            await self._grown()
        self._touch()
        return Accepted(request_id=request_id, seq=self.match.seq)


def _refuse(request_id: str, code: str, text: str) -> Refused:
    return Refused(request_id=request_id, code=code, text=text[:900])
