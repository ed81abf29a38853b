"""The bottom line of a screen: as many of the focused widget's keys as fit."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.strip import Strip
from typing_extensions import override

from tui.drawing.colour_roles import GroundRole, TextRole
from tui.drawing.palette import Palette
from tui.panels.status_segments import Toned
from tui.terminal.sanitising import sanitise_line
from tui.widgets.bars.status_bar import StyledLine, toned_strip
from tui.widgets.base_screens import key_name

_GAP: Final = 2


class KeyLineEntry(NamedTuple):
    """A possible entry in the key line."""

    word: str
    actions: tuple[str, ...]
    """The actions that the entry represents. A click runs the first action."""


class KeyHint(NamedTuple):
    """One or more keys, with the word that describes them."""

    keys: str
    word: str
    action: str

    @property
    def width(self) -> int:
        """Width of the entry, in cells."""
        return cell_len(self.keys) + 1 + cell_len(self.word)


def key_entry(word: str, *actions: str) -> KeyLineEntry:
    """Create a key-line entry."""
    return KeyLineEntry(word, actions)


def entries_with_keys(
    entries: Iterable[KeyLineEntry], bindings: Mapping[str, ActiveBinding]
) -> list[KeyHint]:
    """Return the entries that have at least one enabled key, in the given order."""
    keys: dict[str, str] = {}
    for binding in bindings.values():
        if binding.enabled:
            keys.setdefault(binding.binding.action, binding.binding.key)
    hints = []
    for entry in entries:
        actions = [action for action in entry.actions if action in keys]
        if actions:
            names = [key_name(keys[action]) for action in actions]
            # An entry for digits names the first and the last of them.
            separator = "-" if all(name.isdigit() for name in names) else " "
            hints.append(KeyHint(separator.join(names), entry.word, actions[0]))
    return hints


def fitting_keys(entries: list[KeyHint], width: int) -> list[KeyHint]:
    """Return the entries that fit. The last entry is always included, because it leads to all the other keys."""
    if not entries:
        return []
    *other_hints, last_hint = entries
    space_left = width - last_hint.width
    fitting_hints = []
    for hint in other_hints:
        space_left -= hint.width + _GAP
        if space_left < 0:
            break
        fitting_hints.append(hint)
    return [*fitting_hints, last_hint]


class KeyLine(StyledLine):
    """Keys and their descriptions. Clicking an entry has the same effect as pressing its first key."""

    def __init__(self, entries: Iterable[KeyLineEntry], *, palette: Palette) -> None:
        """Create a key line.

        Args:
            entries: Possible entries, most important first. The last entry is shown whenever its key is enabled.
            palette: Maps tones to styles.
        """
        super().__init__(palette=palette, classes="keys")
        self._entries = tuple(entries)
        self._shown_keys: list[KeyHint] = []

    def on_mount(self) -> None:
        """Redraw whenever the active key bindings change."""
        self.screen.bindings_updated_signal.subscribe(self, self._on_bindings_changed)

    def _on_bindings_changed(self, screen: Screen[object]) -> None:
        del screen
        self.redraw()

    def entries(self) -> Iterable[KeyLineEntry]:
        """Yield the entries that apply to the screen's current state."""
        adapt = getattr(self.screen, "adapt_key_entry", None)
        for entry in self._entries:
            adapted = entry if adapt is None else adapt(entry)
            if adapted is not None:
                yield adapted

    @override
    def draw(self, width: int, palette: Palette) -> Strip:
        self._shown_keys = fitting_keys(
            entries_with_keys(self.entries(), self.screen.active_bindings), width - 2
        )
        pieces: list[Toned] = [(" ", TextRole.PLAIN)]
        for index, hint in enumerate(self._shown_keys):
            gap = " " * _GAP if index else ""
            pieces += [
                (f"{gap}{hint.keys} ", TextRole.KEY),
                (sanitise_line(hint.word), TextRole.DIM),
            ]
        return toned_strip(pieces, width, palette, GroundRole.BAR)

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the key under the mouse pointer."""
        hint_start = 1
        for hint in self._shown_keys:
            if hint_start <= event.x < hint_start + hint.width:
                await self.run_entry(hint.action)
                return
            hint_start += hint.width + _GAP

    async def run_entry(self, action: str) -> None:
        """Run an action on the widget that binds the action's key."""
        for active_binding in self.screen.active_bindings.values():
            if active_binding.binding.action == action:
                await self.app.run_action(action, active_binding.node)
                return
