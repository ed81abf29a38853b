"""Line-by-line replay of a record: its commands, events and comments."""

from typing import Final

from engine.kernel.ids import Role
from play.replay_session import ReplaySession
from tui.console.game import Read, Write
from tui.console.reports import PlainReports
from tui.playback.timeline import PartKind, ReplayTimeline, TimelinePart
from tui.presenter import Presenter
from tui.replay_texts import hand_lines, seat_name
from tui.terminal.sanitising import sanitise_line

_PROMPT: Final = "[Enter] "
_HELP: Final = (
    "Enter continues, q leaves. hand, hex 4021, map 4021, find NAME, page T, rules 8.45 and log show more.",
    "go turn 3 and go NAME jump to a turn, battle, card, unit or place.",
    "next battle and back battle jump to the next or previous one; turn, card, comment and move work likewise.",
    "list shows what happened in this turn.",
    "see JAPAN, see spectator and see judge change the viewpoint, if the record contains it.",
)
_MAX_RESULTS: Final = 20
"""Maximum number of search results listed besides the best match."""


class PlainReplay:
    """A replay that pauses after every comment, or after every phase if there are no comments."""

    def __init__(
        self, session: ReplaySession, presenter: Presenter, read: Read, write: Write
    ) -> None:
        """Create the replay; for `read` and `write`, see :class:`~tui.console.game.PlainGame`."""
        self._session = session
        self._presenter = presenter
        self._reports = PlainReports(session, presenter)
        self._timelines: dict[Role | None, ReplayTimeline] = {}
        self._read: Read | None = read
        self._write = write

    async def run(self) -> None:
        """Replay the record until it ends or the reader leaves. Once the input has ended, continue without pausing."""
        session = self._session
        self._print_line(session.title)
        for line in _HELP:
            self._print_line(line)
        session.go_to_record(0)
        heading = session.heading()
        self._print_record()
        while session.step_command(1):
            self._print_record()
            stops = session.is_remark if session.has_remarks else session.heading() != heading
            if stops and not await self._wait_for_reader():
                return
            heading = session.heading()

    def _print_record(self) -> None:
        """Print the current record."""
        session = self._session
        remark = session.remark()
        if session.is_remark and remark is not None:
            self._print_line("")
            self._print_line(f"[{remark.number}/{remark.total}] {remark.text}")
            return
        if session.command_line():
            self._print_line(f"> {session.command_line()}")
        for line in session.log(session.seq - 1):
            self._print_line(f"  {line.text}")

    async def _wait_for_reader(self) -> bool:
        """Answer words until the reader continues; return False if they leave instead."""
        while self._read is not None:
            try:
                line = (await self._read(_PROMPT)).strip()
            except EOFError:
                self._read = None
                self._print_line("")
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
                self._go_to_neighbour(rest or "battle", 1 if word == "next" else -1)
            case "list":
                self._list()
            case "see":
                self._switch_seat(rest)
            case "hand":
                for line in hand_lines(self._session, self._presenter):
                    self._print_line(line)
            case _:
                for each in self._reports.answer(word, rest) or _HELP:
                    self._print_line(each)

    # -- jumps

    @property
    def _timeline(self) -> ReplayTimeline:
        """The record's timeline as the current seat sees it, computed once per seat."""
        sight = self._session.shown_role
        if sight not in self._timelines:
            self._timelines[sight] = ReplayTimeline(self._session, self._presenter)
        return self._timelines[sight]

    def _go(self, query: str) -> None:
        """Jump to the best match and list the others."""
        hits = self._timeline.search(query, self._session.position)
        if not hits:
            self._print_line(
                "Nothing in this record matches. find NAME searches places, units and cards."
            )
            return
        best, *others = hits
        self._go_to(best.part)
        if others:
            self._print_line(f"{len(others)} more matches:")
        for hit in others[:_MAX_RESULTS]:
            self._print_line(f"  {hit.part.turn}: {hit.part.title}")

    def _go_to_neighbour(self, what: str, direction: int) -> None:
        """Jump to the next or previous part of the given kind."""
        name = what.upper()
        if name not in PartKind.__members__:
            self._print_line(
                f"Unknown kind {what}. Choose one of: {', '.join(PartKind.__members__).lower()}."
            )
            return
        part = self._timeline.neighbour(self._session.position, PartKind[name], direction)
        if part is None:
            self._print_line(f"There is no further {what} in this direction.")
        else:
            self._go_to(part)

    def _go_to(self, part: TimelinePart) -> None:
        """Jump to a part of the timeline and print it."""
        session, story = self._session, self._timeline
        session.go_to_position(part.at)
        self._print_line(f"{session.heading()}, record {session.seq} of {session.last_seq}")
        self._print_line(f"  {part.title}")
        for text in (
            () if part.number < 0 else story.steps[part.number].playback_step.text.split("\n")
        ):
            if text not in part.title:
                self._print_line(f"  {text}")

    def _list(self) -> None:
        """List the events of the current turn, marking the current one."""
        story, at = self._timeline, self._session.position
        number = story.part_at(at)
        turn = self._session.turn_index.turn(at)
        self._print_line(turn)
        for place, part in enumerate(story.parts):
            if part.turn == turn:
                self._print_line(f"{'>' if place == number else ' '} {part.title}")

    def _switch_seat(self, name: str) -> None:
        """Switch to another seat's view."""
        seats = {seat_name(self._presenter, seat).lower(): seat for seat in self._session.seats()}
        fits = [seat for word, seat in seats.items() if name and word.startswith(name.lower())]
        if fits:
            self._session.switch_role(fits[0])
        else:
            self._print_line(f"This record shows the view of: {', '.join(seats)}.")
        self._print_line(f"Seen by: {seat_name(self._presenter, self._session.shown_role)}.")

    def _print_line(self, text: str) -> None:
        self._write(sanitise_line(text, 2000))
