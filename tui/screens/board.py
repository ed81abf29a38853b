"""A board with a cursor in front of the table: things are ordered by keys without leaving it."""

from typing import Any, Final, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from engine.kernel.ruleset import Command
from tui.board import Act, Board, Layout, lay_out, next_open, step
from tui.clean import clean, safe
from tui.palette import Palette
from tui.presenter import Presenter
from tui.screens.base import ClosesOnce
from tui.screens.prompt import ChoiceDialog, TextDialog
from tui.tones import Tone

_PLANS: Final = 3
"""Orders by one key of which the plan is told."""
_EMPTY: Final = Board(title="", sections=(), acts={})


class Table(Protocol):
    """What stands behind a board."""

    presenter: Presenter

    def board(self, key: str) -> Board | None:
        """Return the board as it stands now."""

    def label(self, command: Command) -> str:
        """Return an order in words."""

    def plan(self, command: Command) -> tuple[str, ...]:
        """Return what an order would come to."""

    def do(self, command: Command) -> None:
        """Do what was ordered."""

    def action_commit(self) -> Any:  # noqa: ANN401  (a worker)
        """Do everything tried for good."""

    def action_undo(self) -> None:
        """Forget the last try."""


class BoardView(ScrollView, can_focus=True):
    """Draws a board; the cursor stands on one of its things."""

    DEFAULT_CSS = """
    BoardView { height: 1fr; overflow: hidden hidden; scrollbar-size: 0 0; }
    """

    class Moved(Message):
        """The cursor stands on another thing."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self.board = _EMPTY
        self.layout_now = Layout((), ())
        self.item = ""
        """The thing under the cursor."""

    def show(self, board: Board) -> None:
        """Show a board; the cursor stays on its thing, wherever that is now."""
        self.board = board
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.size.width
        if not width:
            return
        self.layout_now = lay_out(self.board, width)
        spots = self.layout_now.spots
        if not any(spot.item == self.item for spot in spots):
            self.item = next_open(self.board, spots, "", 1)
        self.set_reactive(BoardView.virtual_size, Size(width, max(len(self.layout_now.lines), 1)))
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self, event: events.Resize) -> None:
        """Lay the board out for another size."""
        del event
        self._lay_out()

    def _keep_in_sight(self) -> None:
        spot = next((one for one in self.layout_now.spots if one.item == self.item), None)
        if spot is None:
            return
        top, height = self.scroll_offset.y, self.size.height
        if not top <= spot.y < top + height:
            middle = max(spot.y - height // 2, 0)
            self.scroll_to(y=min(middle, self.bottom), animate=False, force=True)

    @property
    def bottom(self) -> int:
        """Return the lowest line that can stand on top."""
        return max(len(self.layout_now.lines) - self.size.height, 0)

    def go(self, item: str) -> None:
        """Put the cursor on a thing."""
        if item and item != self.item:
            self.item = item
            self._keep_in_sight()
            self.refresh()
            self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the thing that was clicked."""
        y = event.y + self.scroll_offset.y
        hit = [s for s in self.layout_now.spots if s.y == y and s.x <= event.x < s.x + s.width]
        if hit:
            self.go(hit[0].item)

    def render_line(self, y: int) -> Strip:
        """Return a visible line."""
        number = y + self.scroll_offset.y
        lines = self.layout_now.lines
        plain = self._palette.style(Tone.PLAIN)
        segments = []
        for piece in lines[number] if number < len(lines) else ():
            text, style = clean(piece.text), self._palette.style(piece.tone)
            if piece.item and piece.item == self.item:
                text = f"[{text[1:-1]}]"
                style = style + Style(reverse=True)
            segments.append(Segment(text, style))
        return Strip(segments).crop_extend(0, self.size.width, plain)


class BoardScreen(ClosesOnce[None]):
    """One board in the whole screen, with the keys of the thing under the cursor in its last line."""

    DEFAULT_CSS = """
    BoardScreen > .title { height: 1; text-style: bold; }
    BoardScreen > .about { height: 1; }
    BoardScreen > .status { height: 1; }
    BoardScreen > .keys { height: 1; text-style: bold; }
    """
    BINDINGS = [
        Binding("escape,q", "leave", "Back to the table"),
        Binding("up", "step(0, -1)", "Up", show=False),
        Binding("down", "step(0, 1)", "Down", show=False),
        Binding("left", "step(-1, 0)", "Left", show=False),
        Binding("right", "step(1, 0)", "Right", show=False),
        Binding("n,tab", "next(1)", "Next thing with an order", show=False),
        Binding("N,shift+tab", "next(-1)", "Previous thing with an order", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("enter", "act", "Choose among all orders about this", show=False),
        Binding("v", "plan", "What the orders about this would come to", show=False),
        Binding("c", "commit", "Commit what was tried", show=False),
        Binding("u", "undo", "Undo the last try", show=False),
    ]

    def __init__(self, table: Table, key: str, palette: Palette) -> None:
        """Show a board of a table."""
        super().__init__()
        self._table = table
        self._key = key
        self._view = BoardView(palette)
        self._is_shown = False

    def compose(self) -> ComposeResult:
        """Compose title, board and the lines below it."""
        yield Static("", classes="title", markup=False)
        yield self._view
        yield Static("", classes="about", markup=False)
        yield Static("", classes="status", markup=False)
        yield Static("", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Show the board."""
        self._is_shown = True
        self._view.focus()
        self.show()

    def show(self) -> None:
        """Show the board as it stands now."""
        if self._is_shown:
            board = self._table.board(self._key) or _EMPTY
            self.query_one(".title", Static).update(safe(board.title))
            self._view.show(board)

    def tell(self, sentence: str) -> None:
        """Show one sentence."""
        if self._is_shown:
            self.query_one(".status", Static).update(safe(sentence), layout=False)

    def on_board_view_moved(self) -> None:
        """Tell about the thing under the cursor, and its keys."""
        board, item = self._view.board, self._view.item
        self.query_one(".about", Static).update(safe(board.about.get(item, "")), layout=False)
        acts = board.acts_of(item)
        words = "  ".join(f"{act.key} {act.word}" for act in acts)
        if any(len(act.commands) > 1 and act.key.islower() for act in acts):
            words += "  (capital: first choice)"
        shown = f"{words}  Enter all" if acts else "nothing can be ordered here"
        always = "".join(f"{act.key} {act.word}  " for act in board.always)
        line = f"{shown}  |  {always}v plan  n next  c commit  u undo  Esc back"
        self.query_one(".keys", Static).update(Content(clean(line)), layout=False)

    # -- moving

    def action_step(self, across: int, down: int) -> None:
        """Move the cursor to the next thing in a direction."""
        self._view.go(step(self._view.layout_now.spots, self._view.item, across, down))

    def action_next(self, direction: int) -> None:
        """Move the cursor to the next thing about which something may be ordered."""
        view = self._view
        view.go(next_open(view.board, view.layout_now.spots, view.item, direction))

    def action_page(self, pages: int) -> None:
        """Move the cursor by about a page."""
        for _ in range(max(self._view.size.height // 2, 1)):
            self.action_step(0, pages)

    # -- ordering

    def on_key(self, event: events.Key) -> None:
        """Do what the key means for the thing under the cursor; its capital takes the first choice at once."""
        acts = (*self._acts(), *self._view.board.always)
        act = next((one for one in acts if one.key == event.key), None)
        quick = next((one for one in acts if one.key.upper() == event.key), None)
        if act is not None:
            event.stop()
            self.order(act.word, act.commands)
        elif quick is not None:
            event.stop()
            self.order(quick.word, quick.commands[:1])

    def _acts(self) -> tuple[Act, ...]:
        return self._view.board.acts_of(self._view.item)

    def action_act(self) -> None:
        """Choose among everything that may be ordered about the thing under the cursor."""
        self.order("Order", tuple(one for act in self._acts() for one in act.commands))

    @work
    async def order(self, word: str, commands: tuple[Command, ...]) -> None:
        """Do the one order, or ask which of several."""
        if not commands:
            self.tell("Nothing can be ordered about this now.")
            return
        chosen = commands[0]
        if len(commands) > 1:
            entries = [(str(n), self._table.label(one)) for n, one in enumerate(commands)]
            answer = await self.app.push_screen_wait(ChoiceDialog(word.capitalize(), entries))
            if answer is None:
                return
            chosen = commands[int(answer)]
        view = self._view
        following = next_open(view.board, view.layout_now.spots, view.item, 1, word)
        self._table.do(chosen)
        view.go(following)

    def action_plan(self) -> None:
        """Read what the orders about the thing under the cursor would come to."""
        plans = (self._table.plan(one) for act in self._acts() for one in act.commands[:_PLANS])
        lines = dict.fromkeys(line for plan in plans for line in plan)
        if lines:
            self.app.push_screen(TextDialog("Plan", "\n".join(lines)))
        else:
            self.tell("There is nothing to work out about this.")

    def action_commit(self) -> None:
        """Do everything tried for good."""
        self._table.action_commit()

    def action_undo(self) -> None:
        """Forget the last try."""
        self._table.action_undo()

    def action_leave(self) -> None:
        """Go back to the table."""
        self.dismiss(None)
