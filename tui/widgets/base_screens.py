"""Base classes for all screens and dialogs, and the list of actions for the key help and the command palette."""

from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import ActiveBinding, Binding
from textual.command import CommandPalette
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widgets import Static
from typing_extensions import override

from tui.terminal.sanitising import sanitised_content

_KEY_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "full_stop": ".",
    "comma": ",",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "space": "space",
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "pageup": "PgUp",
    "pagedown": "PgDn",
}
_HIDDEN_ACTIONS = {
    "scroll_home",
    "scroll_end",
    "scroll_left",
    "scroll_right",
    "page_left",
    "page_right",
    "app.focus_next",
    "app.focus_previous",
    "screen.copy_text",
}
"""Textual's default actions that players do not need."""
_ACTION_NAMES = {
    "app.command_palette": "Every action by name",
    "command_palette": "Every action by name",
    "cursor_up": "Line up",
    "cursor_down": "Line down",
    "select": "Choose the line or open its list",
}


def key_name(key: str) -> str:
    """Return the name of a key, as printed on a keyboard."""
    *modifiers, key_word = key.split("+") if key != "+" else ["plus"]
    name = _KEY_NAMES.get(
        key_word, key_word.upper() if key_word[0] == "f" and key_word[1:].isdigit() else key_word
    )
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


class ActionRow(msgspec.Struct, frozen=True):
    """An action that is available now."""

    keys: str
    name: str
    action: str
    node: DOMNode


def active_actions(screen: Screen[object]) -> tuple[ActionRow, ...]:
    """Return a row for each available action with a name. The row contains the name and all keys of the action."""
    keys: dict[str, list[str]] = {}
    first_bindings: dict[str, ActiveBinding] = {}
    for active_binding in screen.active_bindings.values():
        binding = active_binding.binding
        if active_binding.enabled and not binding.system and binding.action not in _HIDDEN_ACTIONS:
            name = _ACTION_NAMES.get(binding.action, binding.description)
            if name:
                keys.setdefault(name, []).append(key_name(binding.key))
                first_bindings.setdefault(name, active_binding)
    return tuple(
        ActionRow(" ".join(dict.fromkeys(keys[name])), name, binding.binding.action, binding.node)
        for name, binding in first_bindings.items()
    )


def key_line(bindings: Iterator[Binding] | list[Binding]) -> Content:
    """Return the key line for the bottom of the screen. It omits bindings that are not shown."""
    texts = [
        f"{key_name(binding.key.split(',')[0])} {binding.description}"
        for binding in bindings
        if binding.show
    ]
    return Content("  ".join(texts))


class BaseScreen(Screen[None]):
    """A full screen with a title at the top and a key line at the bottom."""

    DEFAULT_CSS = """
    BaseScreen > .title { height: 1; text-style: bold; padding: 0 1; }
    BaseScreen > .body { height: 1fr; }
    BaseScreen > .status { height: 1; padding: 0 1; }
    BaseScreen > .keys { height: 1; padding: 0 1; }
    """
    HEADING = ""

    @override
    def compose(self) -> ComposeResult:
        """Compose the title, the body, the status line and the key line."""
        yield Static(sanitised_content(self.HEADING), classes="title", markup=False)
        with Vertical(classes="body"):
            yield from self.body()
        yield Static("", classes="status", markup=False)
        yield Static(key_line(self._shown_bindings()), classes="keys", markup=False)

    def body(self) -> ComposeResult:
        """Compose the widgets between the title and the status line."""
        yield from ()

    def _shown_bindings(self) -> list[Binding]:
        return [binding for binding in Binding.make_bindings(self.BINDINGS) if binding.description]

    def show_message(self, sentence: str) -> None:
        """Sanitise a sentence and show it in the status line."""
        self.query_one(".status", Static).update(sanitised_content(sentence))


T = TypeVar("T")


class ClosesOnlyInFront(Screen[T]):
    """A screen that can be closed only while it is in front, so that two key presses do not close two screens."""

    @override
    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close this screen, unless another screen is in front of it."""
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)


class ActionPalette(CommandPalette, ClosesOnlyInFront[None]):
    """The command palette, which lists every action by name."""


class BaseDialog(ModalScreen[T | None], ClosesOnlyInFront[T | None], Generic[T]):
    """A modal dialog. Escape closes it without an answer."""

    DEFAULT_CSS = """
    BaseDialog { align: center middle; }
    BaseDialog > Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        border: solid $border; padding: 0 1;
    }
    BaseDialog .title { text-style: bold; }
    """
    BINDINGS = [Binding("escape", "leave", "Close")]

    def action_leave(self) -> None:
        """Close without an answer."""
        self.dismiss(None)
