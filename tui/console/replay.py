"""Line-by-line replay of a record: its commands, events and comments."""

from typing import Final

from engine.kernel.ids import Role
from play.replay_session import ReplaySession
from tui.console.game import Read, Write
from tui.console.reports import PlainReading
from tui.playback.timeline import Kind, ReplayTimeline, TimelinePart
from tui.presenter import Presenter
from tui.replay_words import hand_lines, seat_name
from tui.terminal.sanitising import clean

_PROMPT: Final = "[Enter] "
_HELP: Final = (
    "Enter goes on, q leaves. hand, hex 4021, map 4021, find NAME, page T, rules 8.45 and log look around.",
    "go turn 3 and go NAME (a battle, card, unit or place) jump, next battle and back battle, too;",
    "so do turn, card, comment and move. list tells what happens in this turn.",
    "see JAPAN, see spectator and see judge change the view, where the record has it.",
)
_MOST: Final = 20
"""Maximum number of additional search results printed."""


class PlainReplay:
    """A replay that pauses after every comment, or after every phase if there are no comments."""

    def __init__(
        self, session: ReplaySession, presenter: Presenter, read: Read, write: Write
    ) -> None:
        """Create the replay; for `read` and `write`, see :class:`~tui.console.game.PlainGame`."""
        self._session = session
        self._presenter = presenter
        self._reading = PlainReading(session, presenter)
        self._stories: dict[Role | None, ReplayTimeline] = {}
        self._read: Read | None = read
        self._write = write

    async def run(self) -> None:
        """Replay the record until it ends or the reader leaves. Once the input has ended, continue without pausing."""
        session = self._session
        self._say(session.title)
        for line in _HELP:
            self._say(line)
        session.to_record(0)
        heading = session.heading()
        self._tell()
        while session.step_command(1):
            self._tell()
            stops = session.is_remark if session.has_remarks else session.heading() != heading
            if stops and not await self._goes_on():
                return
            heading = session.heading()

    def _tell(self) -> None:
        """Print the current record."""
        session = self._session
        remark = session.remark()
        if session.is_remark and remark is not None:
            self._say("")
            self._say(f"[{remark.number}/{remark.total}] {remark.text}")
            return
        if session.command_line():
            self._say(f"> {session.command_line()}")
        for line in session.log(session.seq - 1):
            self._say(f"  {line.text}")

    async def _goes_on(self) -> bool:
        """Answer words until the reader continues; return False if they leave instead."""
        while self._read is not None:
            try:
                line = (await self._read(_PROMPT)).strip()
            except EOFError:
                self._read = None
                self._say("")
                break
            word, _, rest = line.partition(" ")
            if word.lower() in {"q", "quit"}:
                return False
            if not word:
                break
            self._answer(word.lower(), rest.strip())
        return True

    def _answer(self, word: str, rest: str) -> None:
        """Answer one word."""
        match word:
            case "go":
                self._go(rest)
            case "next" | "back":
                self._go_beside(rest or "battle", 1 if word == "next" else -1)
            case "list":
                self._list()
            case "see":
                self._see(rest)
            case "hand":
                for line in hand_lines(self._session, self._presenter):
                    self._say(line)
            case _:
                for each in self._reading.answer(word, rest) or _HELP:
                    self._say(each)

    # -- jumps

    @property
    def _story(self) -> ReplayTimeline:
        """The record's timeline as the current seat sees it, computed once per seat."""
        sight = self._session.sight
        if sight not in self._stories:
            self._stories[sight] = ReplayTimeline(self._session, self._presenter)
        return self._stories[sight]

    def _go(self, words: str) -> None:
        """Jump to the best match and list the others."""
        hits = self._story.found(words, self._session.place)
        if not hits:
            self._say(
                "Nothing in this record fits that. find NAME looks for places, units and cards."
            )
            return
        best, *others = hits
        self._go_to(best.part)
        if others:
            self._say(f"It fits {len(others)} more:")
        for hit in others[:_MOST]:
            self._say(f"  {hit.part.turn}: {hit.part.title}")

    def _go_beside(self, what: str, direction: int) -> None:
        """Jump to the next or previous part of the given kind."""
        name = what.upper()
        if name not in Kind.__members__:
            self._say(f"There is no {what} to go to: {', '.join(Kind.__members__).lower()}.")
            return
        part = self._story.beside(self._session.place, Kind[name], direction)
        if part is None:
            self._say(f"There is no further {what} in this direction.")
        else:
            self._go_to(part)

    def _go_to(self, part: TimelinePart) -> None:
        """Jump to a part of the timeline and print it."""
        session, story = self._session, self._story
        session.to_place(part.at)
        self._say(f"{session.heading()}, record {session.seq} of {session.last_seq}")
        self._say(f"  {part.title}")
        for text in () if part.number < 0 else story.steps[part.number].beat.text.split("\n"):
            if text not in part.title:
                self._say(f"  {text}")

    def _list(self) -> None:
        """List the events of the current turn, marking the current one."""
        story, at = self._story, self._session.place
        number = story.part_at(at)
        turn = self._session.waymarks.turn(at)
        self._say(turn)
        for place, part in enumerate(story.parts):
            if part.turn == turn:
                self._say(f"{'>' if place == number else ' '} {part.title}")

    def _see(self, name: str) -> None:
        """Switch to another seat's view."""
        seats = {seat_name(self._presenter, seat).lower(): seat for seat in self._session.seats()}
        fits = [seat for word, seat in seats.items() if name and word.startswith(name.lower())]
        if fits:
            self._session.sit_down(fits[0])
        else:
            self._say(f"This record shows the view of: {', '.join(seats)}.")
        self._say(f"Seen by: {seat_name(self._presenter, self._session.sight)}.")

    def _say(self, text: str) -> None:
        self._write(clean(text, 2000))
