"""Line-by-line replay of a record: its commands, events and comments."""

from typing import Final

from engine.kernel.ids import Role
from play.replay_session import ReplaySession
from tui.console.game import LineReader, LineWriter
from tui.console.reports import PlainReports
from tui.playback.timeline import PartKind, ReplayTimeline, TimelinePart
from tui.presenter.end_lines import end_lines
from tui.presenter.presenter import Presenter
from tui.presenter.replay_texts import hand_lines, seat_name, spoiler_question
from tui.terminal.sanitising import sanitise_line

_PROMPT: Final = "[Enter] "
_HELP_LINES: Final = (
    "Enter continues, q leaves. hand, hex 4021, map 4021, find NAME, page T, rules 8.45 and log show more.",
    "go turn 3 and go NAME jump to a turn, battle, card, unit or place.",
    "next battle and back battle jump to the next or previous one; turn, card, comment and move work likewise.",
    "list shows what happened in this turn.",
    "see JAPAN, see spectator and see judge change the viewpoint, if the record contains it.",
)
_MAX_RESULTS: Final = 20
"""Maximum number of search results listed below the best match."""


class PlainReplay:
    """A replay that pauses after every comment. If the record has no comments, it pauses after every phase."""

    def __init__(
        self, session: ReplaySession, presenter: Presenter, read: LineReader, write: LineWriter
    ) -> None:
        """Create the replay. For `read` and `write`, see :class:`~tui.console.game.PlainGame`."""
        self._session = session
        self._presenter = presenter
        self._reports = PlainReports(session, presenter)
        self._timelines: dict[Role | None, ReplayTimeline] = {}
        self._read: LineReader | None = read
        self._write = write
        self._confirmed_seat: Role | None = None
        """The seat of a running game that the viewer was asked to confirm; None if no confirmation is pending."""

    async def run(self) -> None:
        """Replay the record until it ends or the viewer leaves. If the input ends, continue without pauses."""
        session = self._session
        self._print_line(session.title)
        for line in _HELP_LINES:
            self._print_line(line)
        session.go_to_record(0)
        heading = session.heading()
        self._print_record()
        while session.step_command(1):
            self._print_record()
            must_pause = session.is_remark if session.has_remarks else session.heading() != heading
            if must_pause and not await self._wait_for_viewer():
                return
            heading = session.heading()
        for line in end_lines(session, self._presenter):
            self._print_line(line)

    def _print_record(self) -> None:
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

    async def _wait_for_viewer(self) -> bool:
        """Handle words until the viewer continues. Return False if the viewer leaves instead."""
        while self._read is not None:
            try:
                line = (await self._read(_PROMPT)).strip()
            except EOFError:
                self._read = None
                self._print_line("")
                break
            word, _, argument = line.partition(" ")
            if word.lower() in {"q", "quit"}:
                return False
            if not word:
                break
            self._answer(word.lower(), argument.strip())
        return True

    def _answer(self, word: str, argument: str) -> None:
        match word:
            case "go":
                self._go_to_match(argument)
            case "next" | "back":
                self._go_to_neighbour(argument or "battle", 1 if word == "next" else -1)
            case "list":
                self._print_turn()
            case "see":
                self._switch_seat(argument)
            case "hand":
                for line in hand_lines(self._session, self._presenter):
                    self._print_line(line)
            case _:
                for line in self._reports.answer(word, argument) or _HELP_LINES:
                    self._print_line(line)

    # -- jumps

    @property
    def _timeline(self) -> ReplayTimeline:
        """The record's timeline as seen by the current seat, computed once per seat."""
        viewer = self._session.shown_role
        if viewer not in self._timelines:
            self._timelines[viewer] = ReplayTimeline(self._session, self._presenter)
        return self._timelines[viewer]

    def _go_to_match(self, query: str) -> None:
        """Jump to the best match, and list the other matches."""
        matches = self._timeline.search(query, self._session.position)
        if not matches:
            self._print_line(
                "Nothing in this record matches. find NAME searches places, units and cards."
            )
            return
        best_match, *other_matches = matches
        self._go_to_part(best_match.part)
        if other_matches:
            self._print_line(f"{len(other_matches)} more matches:")
        for match in other_matches[:_MAX_RESULTS]:
            self._print_line(f"  {match.part.turn}: {match.part.title}")

    def _go_to_neighbour(self, kind: str, direction: int) -> None:
        """Jump to the next or previous part of the given kind, such as a battle or a turn."""
        name = kind.upper()
        if name not in PartKind.__members__:
            self._print_line(
                f"Unknown kind {kind}. Choose one of: {', '.join(PartKind.__members__).lower()}."
            )
            return
        timeline_part = self._timeline.neighbour(self._session.position, PartKind[name], direction)
        if timeline_part is None:
            self._print_line(f"There is no further {kind} in this direction.")
        else:
            self._go_to_part(timeline_part)

    def _go_to_part(self, part: TimelinePart) -> None:
        """Jump to a part of the timeline and print it."""
        session, timeline = self._session, self._timeline
        session.go_to_position(part.at)
        self._print_line(f"{session.heading()}, record {session.seq} of {session.last_seq}")
        self._print_line(f"  {part.title}")
        for text in (
            () if part.number < 0 else timeline.steps[part.number].playback_step.text.split("\n")
        ):
            if text not in part.title:
                self._print_line(f"  {text}")

    def _print_turn(self) -> None:
        """List the events of the current turn, and mark the current event."""
        timeline, position = self._timeline, self._session.position
        current_part = timeline.part_at(position)
        turn = self._session.turn_index.turn_at(position)
        self._print_line(turn)
        for index, timeline_part in enumerate(timeline.parts):
            if timeline_part.turn == turn:
                self._print_line(f"{'>' if index == current_part else ' '} {timeline_part.title}")

    def _switch_seat(self, name: str) -> None:
        """Switch to the view of another seat, or list the seats whose views the record contains."""
        seats = {seat_name(self._presenter, seat).lower(): seat for seat in self._session.seats()}
        matches = [seat for word, seat in seats.items() if name and word.startswith(name.lower())]
        if matches:
            question = spoiler_question(self._session, self._presenter, matches[0])
            if question and self._confirmed_seat != matches[0]:
                self._confirmed_seat = matches[0]
                self._print_line(f"{question} Repeat the command to confirm.")
                return
            self._confirmed_seat = None
            self._session.switch_role(matches[0])
        else:
            self._print_line(f"This record shows the view of: {', '.join(seats)}.")
        self._print_line(f"Seen by: {seat_name(self._presenter, self._session.shown_role)}.")

    def _print_line(self, text: str) -> None:
        self._write(sanitise_line(text, 2000))
