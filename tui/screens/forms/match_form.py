"""The form for a match. It shows the seats in play, a picture of the opening, and the rulings, which are collapsed."""

import textwrap
from collections.abc import Collection, Iterator
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList
from typing_extensions import override

from engine.bots.registry import available_bots
from engine.registry import AnyRuleset
from play.bots import BOT_PLAYER_PREFIX
from tui.screens.dialogs.prompt import LineDialog, TextDialog
from tui.screens.forms.form import Field, FormDialog, FormNote
from tui.screens.forms.match_rows import (
    LEVEL,
    OPTION,
    RULINGS,
    SCENARIO,
    SEAT,
    chosen_info,
    collapsed_rulings,
)
from tui.terminal.sanitising import sanitise_line
from tui.widgets.game_preview import GamePreview

_MIXED_LEVEL: Final = "mixed"
_MARGIN_COLUMNS: Final = 6
"""Number of columns left free beside the rows."""
_MAX_WIDTH: Final = 96
"""Maximum row width, for readability."""
_MIN_PICTURE_WIDTH: Final = 120
"""Minimum screen width for showing the scenario's opening next to the form."""


class MatchDialog(FormDialog):
    """A scenario form that shows only the seats in play and collapses the rulings."""

    DEFAULT_CSS = """
    MatchDialog > Vertical { width: 100%; height: 100%; border: none; }
    MatchDialog Horizontal { height: 1fr; margin: 1 0 0 0; }
    MatchDialog OptionList { width: 1fr; height: 1fr; max-height: 100%; }
    MatchDialog OptionList > .option-list--option-disabled { color: $text-muted; }
    MatchDialog GamePreview { width: 1fr; padding: 0 0 0 2; }
    MatchDialog .help { height: 3; padding: 1 0 0 0; }
    """
    keys_hint = "Left/Right change   Enter choose   / find a ruling   Esc cancel"
    BINDINGS = [
        Binding("b", "brief", "Briefing"),
        Binding("slash", "find", "Find a ruling"),
    ]

    def __init__(
        self,
        ruleset: AnyRuleset,
        title: str,
        fields: tuple[Field, ...],
        submit_label: str,
        submit_position: int | None = None,
    ) -> None:
        """Create the form. For the arguments, see :class:`FormDialog`."""
        self._ruleset = ruleset
        self._rulings = {f"{OPTION}{ruling.id}": ruling for ruling in collapsed_rulings(ruleset)}
        self._is_unfolded = False
        self._ruling_query = ""
        self._changed_rulings: set[str] = set()
        """Rulings that the player has changed. They stay visible even after they are reset to their defaults."""
        if any(info.briefing for info in ruleset.scenarios()):
            self.keys_hint = f"{self.keys_hint}   b briefing"
        self._label_cells = 0
        """Width of the visible labels, in cells."""
        super().__init__(title, fields, submit_label, submit_position)

    @override
    def body(self) -> ComposeResult:
        """Compose the rows and, if there is room, a picture of the scenario's opening next to them."""
        with Horizontal():
            yield from super().body()
            if self.app.size.width >= _MIN_PICTURE_WIDTH:
                yield GamePreview()

    @override
    def on_mount(self) -> None:
        super().on_mount()
        self._show_opening()

    def on_resize(self) -> None:
        """Wrap the lines for the new width."""
        self._fill()

    def _show_opening(self) -> None:
        for panel in self.query(GamePreview):
            panel.show(f"{self._ruleset.game}/{self._values[SCENARIO]}")

    # -- rows

    @override
    def hidden_rows(self) -> Collection[str]:
        """Return the ids of rows for seats not in play, for collapsed rulings and, without bots, for the bot level."""
        roles = {f"{SEAT}{role}" for role in chosen_info(self._ruleset, self.values).roles}
        hidden_row_indexes = {
            row_id for row_id in self.values if row_id.startswith(SEAT) and row_id not in roles
        }
        hidden_row_indexes |= {
            row_id for row_id in self._rulings if not self._is_ruling_visible(row_id)
        }
        if not any(self._seat_bot(row_id) for row_id in roles):
            hidden_row_indexes.add(LEVEL)
        return hidden_row_indexes

    def _is_ruling_visible(self, row_id: str) -> bool:
        ruling = self._rulings[row_id]
        if self._is_unfolded:
            search_text = (
                f"{ruling.text} {' '.join(ruling.answers.values())} {ruling.id}".casefold()
            )
            return all(word in search_text for word in self._ruling_query.casefold().split())
        return row_id in self._changed_rulings or self.values[row_id] != ruling.default

    @override
    def _visible_rows(self) -> tuple[Field | FormNote | None, ...]:
        """Return the rows, with a description below the scenario and space around the submitting row."""
        rows = [row for row in super()._visible_rows() if row is None or isinstance(row, Field)]
        fields = [row for row in rows if row is not None and not row.id.startswith(OPTION)]
        self._label_cells = 2 + max(len(field.label) for field in fields)
        description = FormNote("\n".join(self._scenario_description()))
        spacing = [FormNote(), None, FormNote()]
        visible_rows: list[Field | FormNote | None] = []
        for row in rows:
            visible_rows += [row] if row is not None else spacing
            visible_rows += [description] if row is not None and row.id == SCENARIO else []
        return tuple(visible_rows)

    def _scenario_description(self) -> Iterator[str]:
        """Yield the scenario's length and goal."""
        info = chosen_info(self._ruleset, self.values)
        indent = " " * self._label_cells
        for text in filter(None, (info.summary, info.goal)):
            yield from self._wrap(f"{indent}{text[0].upper()}{text[1:]}", indent)

    @override
    def _row(self, field: Field) -> Content:
        return Content("\n".join(self._lines(field)))

    def _lines(self, field: Field) -> Iterator[str]:
        """Yield a row's lines. Long lines are wrapped, not cut off."""
        value = self._value(field)
        if field.id.startswith(OPTION):
            is_changed = field.id in self._rulings and self._is_changed(field.id)
            yield from self._wrap(f"  {field.label}", "  ")
            yield f"    {value}{'  changed' if is_changed else ''}"
            return
        yield f"{field.label:<{self._label_cells}}{value}"

    def _wrap(self, text: str, indent: str) -> list[str]:
        width = self.app.size.width
        if width >= _MIN_PICTURE_WIDTH:
            width //= 2
        return textwrap.wrap(
            text, min(width - _MARGIN_COLUMNS, _MAX_WIDTH), subsequent_indent=indent
        )

    @override
    def _value(self, field: Field) -> str:
        if field.id == RULINGS:
            return self._rulings_text()
        if field.id == LEVEL and self._level() == _MIXED_LEVEL:
            return f"< {_MIXED_LEVEL} >"
        return super()._value(field)

    def _rulings_text(self) -> str:
        changed_count = sum(map(self._is_changed, self._rulings))
        count_text = f"{changed_count} changed" if changed_count else "as usual"
        if not self._is_unfolded:
            return f"[+] {count_text}"
        return f"[-] {count_text}{f', filter: {sanitise_line(self._ruling_query, 30)}' if self._ruling_query else ''}"

    def _is_changed(self, name: str) -> bool:
        return self.values[name] != self._rulings[name].default

    # -- bots

    def _seat_bot(self, name: str) -> str:
        """Return the bot chosen in a seat's row; empty for a person."""
        bot = self.values.get(name, "").removeprefix(BOT_PLAYER_PREFIX)
        return bot if bot in available_bots(self._ruleset.game) else ""

    def _level(self) -> str:
        """Return the common level of all bots in the match, or `_MIXED_LEVEL` if their levels differ."""
        seats = (f"{SEAT}{role}" for role in chosen_info(self._ruleset, self.values).roles)
        levels = {bot for bot in map(self._seat_bot, seats) if bot}
        return levels.pop() if len(levels) == 1 else _MIXED_LEVEL

    @override
    def follow_change(self, field: Field) -> None:
        """Apply a changed level to all bots. After a seat has changed, update the level row."""
        if field.id == LEVEL:
            for field_id, value in self._values.items():
                if field_id.startswith(SEAT) and self._seat_bot(field_id):
                    is_named = value.startswith(BOT_PLAYER_PREFIX)
                    self._values[field_id] = (
                        f"{BOT_PLAYER_PREFIX if is_named else ''}{self._values[LEVEL]}"
                    )
        elif LEVEL in self._values and self._level() != _MIXED_LEVEL:
            self._values[LEVEL] = self._level()
        if field.id in self._rulings:
            self._changed_rulings.add(field.id)
        if field.id == SCENARIO:
            self._show_opening()

    # -- keys

    @override
    def enter(self, field: Field) -> None:
        """Expand or collapse the rulings. Other rows behave as in any other form."""
        if field.id == RULINGS:
            self._set_unfolded(is_unfolded=not self._is_unfolded, query="")
        else:
            super().enter(field)

    @override
    def action_change(self, step: int) -> None:
        field = self._field()
        if field is not None and field.id == RULINGS:
            self._set_unfolded(is_unfolded=step > 0, query="")
        else:
            super().action_change(step)

    def _set_unfolded(self, *, is_unfolded: bool, query: str) -> None:
        self._is_unfolded, self._ruling_query = is_unfolded, query
        self._changed_rulings.clear()
        self._fill()

    @work
    async def action_find(self) -> None:
        """Ask for words, and show only the rulings that contain all of them."""
        dialog = LineDialog("Show rulings that contain these words", self._ruling_query)
        words = await self.app.push_screen_wait(dialog)
        if words is None or not self._rulings:
            return
        self._set_unfolded(is_unfolded=True, query=words)
        rows = [row.id if isinstance(row, Field) else "" for row in self._shown_rows]
        self.query_one(OptionList).highlighted = rows.index(RULINGS)

    @override
    def choice(self, field: Field, value: str) -> str:
        if field.id != SCENARIO:
            return super().choice(field, value)
        info = next(scenario for scenario in self._ruleset.scenarios() if scenario.id == value)
        return f"{info.name}: {info.summary}" + (f"\n  {info.goal}" if info.goal else "")

    def action_brief(self) -> None:
        """Show the scenario briefing."""
        info = chosen_info(self._ruleset, self.values)
        if info.briefing:
            self.app.push_screen(TextDialog(info.name, info.briefing))
