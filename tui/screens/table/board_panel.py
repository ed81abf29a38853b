"""A board with a cursor, and keys that give commands to its items. It is full-screen or docked next to the map."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static
from typing_extensions import override

from engine.kernel.ruleset import Command
from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import Palette
from tui.panels.game_board import BoardAction, GameBoard, neighbouring_item, next_item_with_action
from tui.panels.status_segments import Toned
from tui.screens.dialogs.prompt import ChoiceDialog, TextDialog
from tui.terminal.sanitising import sanitised_content
from tui.widgets.base_screens import ClosesOnlyInFront
from tui.widgets.board_view import EMPTY_BOARD, BoardView
from tui.widgets.lines import Lines, TonedLine, wrap_lines, wrap_toned

if TYPE_CHECKING:
    from tui.screens.table.table import TableScreen

_MAX_PLANS_PER_KEY: Final = 3
"""Maximum number of plans shown for each key."""
_MIN_PLAN_HEIGHT: Final = 18
"""Minimum panel height, in lines, for showing the plan."""
_PLAN_LINES: Final = 5
"""Number of lines reserved for the plan while the board has the focus, even if the board must scroll."""
_BOARD_LINES: Final = 6
"""Number of lines left for the board while the list next to it has the focus."""
_OTHER_LINES: Final = 3
"""Number of lines taken up by the item's description and the keys."""


class BoardPanel(Vertical):
    """A board with the current item's description, the plan for one of the item's commands, and the keys."""

    DEFAULT_CSS = """
    BoardPanel { height: 1fr; }
    BoardPanel > .about { height: 1; }
    BoardPanel > .plan { height: auto; display: none; }
    BoardPanel > .keys { height: 1; }
    BoardPanel.-high > .plan { display: block; }
    """
    BINDINGS = [
        Binding("escape,q", "leave", "Back to the table"),
        Binding("up", "step(0, -1)", "Up", show=False),
        Binding("down", "step(0, 1)", "Down", show=False),
        Binding("left", "step(-1, 0)", "Left", show=False),
        Binding("right", "step(1, 0)", "Right", show=False),
        Binding("n,tab", "next(1)", "Next item with orders", show=False),
        Binding("N,shift+tab", "next(-1)", "Previous item with orders", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("enter", "act", "Choose from all orders for this item", show=False),
        Binding("v", "plan", "Forecast of these orders", show=False),
        Binding("c", "commit", "Commit your plan", show=False),
        Binding("u", "undo", "Undo the last planned command", show=False),
    ]

    class Left(Message):
        """Posted when the player leaves the board."""

    class Notice(Message):
        """Posted to show the player a message."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    def __init__(self, table: "TableScreen", palette: Palette, *, id: str | None = None) -> None:
        """Create an empty board panel. :meth:`show` fills it."""
        super().__init__(id=id)
        self._table = table
        self.view = BoardView(palette)
        self._last_word = ""
        """Name of the latest action; empty once the board shows the action's result."""
        self._plan = Lines(palette=palette)
        self._plan.add_class("plan")
        self._keys = Lines(palette=palette)
        self._keys.add_class("keys")
        self._plan.can_focus = self._keys.can_focus = False

    @override
    def compose(self) -> ComposeResult:
        """Compose the board and the lines below it."""
        yield self.view
        yield Static("", classes="about", markup=False)
        yield self._plan
        yield self._keys

    def show(self, board: GameBoard) -> None:
        """Show a board. While another panel has the focus, the board's cursor follows the list's highlighted line."""
        if board == self.view.board:
            self._last_word = ""
            if self._plan.text:  # the plan may depend on the map cursor, which may have moved
                self._show_plan()
            return
        if board.highlighted and not self.has_focus_within:
            self.view.item = board.highlighted
        self.view.show(board)
        self._next_usable_item()

    def shows_board(self, key: str) -> bool:
        """Return whether the panel is showing the board for the given key."""
        return bool(self.display) and self.view.board.key == key

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self.view.show_palette(palette)
        self._plan.show_palette(palette)
        self._keys.show_palette(palette)

    def _next_usable_item(self) -> None:
        """If the latest action is no longer available for the current item, move to the next item that allows it."""
        view, word, self._last_word = self.view, self._last_word, ""
        if word and not any(action.word == word for action in self._actions()):
            view.go(
                next_item_with_action(view.board, view.board_layout.positions, view.item, 1, word)
            )

    def on_resize(self, event: events.Resize) -> None:
        """Show the plan if the panel is tall enough."""
        self.set_class(event.size.height >= _MIN_PLAN_HEIGHT, "-high")
        self._show_plan()

    @on(BoardView.Moved)
    def handle_highlight(self) -> None:
        """Show the description and the keys of the item under the cursor."""
        board, item = self.view.board, self.view.item
        self.query_one(".about", Static).update(
            sanitised_content(board.descriptions.get(item, "")), layout=False
        )
        keys = key_text(board, item)
        self._keys.show([keys])
        self._keys.styles.height = len(wrap_toned(keys, max(self.size.width, 1)))
        self._show_plan()

    def _show_plan(self) -> None:
        """If there is room, show a plan for the current item or, while the list has the focus, for the list's line."""
        if not self.has_class("-high"):
            return
        board, has_focus = self.view.board, self.has_focus_within
        commands = [command for action in self._actions() for command in action.commands[:1]]
        if not has_focus and board.order is not None:
            commands = [board.order]
        command_plans = ((command, self._table.plan(command)) for command in commands)
        lines: list[TonedLine] = []
        for command, plan in command_plans:
            if plan:
                tone_of = self._table.presenter.plan_tone
                lines = [(f"  {line}", tone_of(line)) for line in plan]
                if has_focus or board.order is None:  # otherwise the list already shows the command
                    lines.insert(0, (f"> {self._table.label(command)}", TextRole.REACH))
                break
        height = self.size.height
        spare_lines = height - len(self.view.board_layout.lines) - _OTHER_LINES
        min_lines = _PLAN_LINES if has_focus else height - _BOARD_LINES - 1
        plan_lines = max(spare_lines, min_lines)
        lines = shorten_plan(lines, self.size.width, plan_lines)
        self._plan.show(lines)
        self._plan.styles.height = min(len(wrap_lines(lines, self.size.width)), plan_lines)

    # -- cursor

    def action_step(self, column: int, down: int) -> None:
        """Move the cursor to the next item in a direction."""
        self.view.go(
            neighbouring_item(self.view.board_layout.positions, self.view.item, column, down)
        )

    def action_next(self, direction: int) -> None:
        """Move the cursor to the next item with an available action."""
        view = self.view
        view.go(
            next_item_with_action(view.board, view.board_layout.positions, view.item, direction)
        )

    def action_page(self, pages: int) -> None:
        """Move the cursor by about half a page."""
        for _ in range(max(self.view.size.height // 2, 1)):
            self.action_step(0, pages)

    # -- commands

    def on_key(self, event: events.Key) -> None:
        """Run a key's action on the item under the cursor. A capital letter chooses the first option immediately."""
        actions = (*self._actions(), *self.view.board.general_actions)
        action = next((candidate for candidate in actions if candidate.key == event.key), None)
        first_option_action = next(
            (candidate for candidate in actions if candidate.key.upper() == event.key), None
        )
        if action is not None:
            event.stop()
            self.order(action.word, action.commands)
        elif first_option_action is not None:
            event.stop()
            self.order(first_option_action.word, first_option_action.commands[:1])

    def _actions(self) -> tuple[BoardAction, ...]:
        return self.view.board.actions_for(self.view.item)

    @on(BoardView.Picked)
    def action_act(self) -> None:
        """List all commands for the item under the cursor. If the item has no commands, show it on the map."""
        place = self.view.board.places.get(self.view.item)
        if place and not self._actions():
            self.post_message(self.Left())
            self._table.centre_on(place)
        else:
            self.order(
                "Order", tuple(command for action in self._actions() for command in action.commands)
            )

    @work
    async def order(self, word: str, commands: tuple[Command, ...]) -> None:
        """Give the command. If there are several commands, ask the player to choose one."""
        if not commands:
            self.post_message(self.Notice("No order is available for this item."))
            return
        chosen_command = commands[0]
        if len(commands) > 1:
            entries = [
                (str(number), self._table.label(option)) for number, option in enumerate(commands)
            ]
            answer = await self.app.push_screen_wait(ChoiceDialog(word.capitalize(), entries))
            if answer is None:
                return
            chosen_command = commands[int(answer)]
        view = self.view
        # find the next item first, because giving the command changes the board
        next_item = next_item_with_action(
            view.board, view.board_layout.positions, view.item, 1, word
        )
        self._last_word = word
        self._table.give_command(chosen_command)
        view.go(next_item)

    def action_plan(self) -> None:
        """Show the plans of the commands for the item under the cursor."""
        plans = (
            self._table.plan(command)
            for action in self._actions()
            for command in action.commands[:_MAX_PLANS_PER_KEY]
        )
        lines = dict.fromkeys(line for plan in plans for line in plan)
        if lines:
            self.app.push_screen(TextDialog("Plan", "\n".join(lines)))
        else:
            self.post_message(self.Notice("There is no forecast for this item."))

    def action_commit(self) -> None:
        """Commit the draft."""
        self._table.action_commit()

    def action_undo(self) -> None:
        """Take back the last drafted command."""
        self._table.action_undo()

    def action_leave(self) -> None:
        """Return to the table."""
        self.post_message(self.Left())


def shorten_plan(lines: list[TonedLine], width: int, max_lines: int) -> list[TonedLine]:
    """Shorten a plan to the available number of lines. Plain lines are dropped from the end."""
    shortened_lines = list(lines)
    droppable_lines = [
        number for number, (_, tone) in enumerate(lines) if number and tone is TextRole.PLAIN
    ]
    while droppable_lines and len(wrap_lines(shortened_lines, width)) > max_lines:
        del shortened_lines[droppable_lines.pop()]
    return shortened_lines


def key_text(board: GameBoard, item: str) -> tuple[Toned, ...]:
    """Return the keys for the item under the cursor, followed by the keys that always work."""
    actions = board.actions_for(item)
    if not board.actions and not board.general_actions:
        place_keys = [("Enter", "shows it on the map")] if board.places.get(item) else []
        return _keys((*place_keys, ("Esc", "back")))
    item_keys = [(action.key, action.word) for action in actions]
    if any(len(action.commands) > 1 and action.key.islower() for action in actions):
        item_keys.append(("capital", "first choice"))
    general_keys = [(action.key, action.word) for action in board.general_actions]
    common_keys = (("v", "plan"), ("n", "next"), ("c", "commit"), ("u", "undo"), ("Esc", "back"))
    if not actions:
        return (("no orders available here  ", TextRole.DIM), *_keys((*general_keys, *common_keys)))
    return _keys((*item_keys, ("Enter", "all"), *general_keys, *common_keys))


def _keys(keys_with_text: Iterable[tuple[str, str]]) -> tuple[Toned, ...]:
    """Return keys and their descriptions as styled text."""
    pairs = (((key, TextRole.KEY), (f" {word}  ", TextRole.DIM)) for key, word in keys_with_text)
    return tuple(piece for pair in pairs for piece in pair)


class BoardScreen(ClosesOnlyInFront[None]):
    """A screen with nothing but a board."""

    DEFAULT_CSS = """
    BoardScreen > .title { height: 1; text-style: bold; }
    BoardScreen > .status { height: 1; }
    """
    BINDINGS = [Binding("escape,q", "leave", "Back to the table", show=False)]

    def __init__(self, table: "TableScreen", key: str, palette: Palette) -> None:
        """Create the screen for the board with the given key."""
        super().__init__()
        self._table = table
        self._key = key
        self.panel = BoardPanel(table, palette)
        self._is_shown = False

    @override
    def compose(self) -> ComposeResult:
        """Compose the title, the board and the status line."""
        yield Static("", classes="title", markup=False)
        yield self.panel
        yield Static("", classes="status", markup=False)

    def on_mount(self) -> None:
        """Show the board."""
        self._is_shown = True
        self.panel.view.focus()
        self.show()

    def show(self) -> None:
        """Update the board to the current state of the session."""
        if self._is_shown:
            board = self._table.board(self._key) or EMPTY_BOARD
            self.query_one(".title", Static).update(sanitised_content(board.title))
            self.panel.show(board)

    def show_message(self, sentence: str) -> None:
        """Show one sentence in the status line."""
        if self._is_shown:
            self.query_one(".status", Static).update(sanitised_content(sentence), layout=False)

    @on(BoardPanel.Notice)
    def show_notice(self, event: BoardPanel.Notice) -> None:
        """Show a message from the board."""
        self.show_message(event.sentence)

    def on_key(self, event: events.Key) -> None:
        """Forward a key pressed before the board had the focus."""
        if self._is_shown and not self.panel.has_focus_within:
            self.panel.view.focus()
            self.panel.on_key(event)

    @on(BoardPanel.Left)
    def action_leave(self) -> None:
        """Return to the table."""
        self.dismiss(None)
