"""A form: rows of choices and texts, and one row that does it."""

from collections.abc import Collection, Mapping

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.clean import clean, safe
from tui.screens.base import FlagDialog
from tui.screens.prompt import ChoiceDialog, LineDialog

_DO_IT = "do-it"
_LABEL_WIDTH = 22
_HELP_CELLS = 400
_MOST_AT_ONCE = 4
"""Values that are gone through one by one; more of them are chosen from a list."""


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a form."""

    id: str
    label: str
    values: tuple[str, ...] = ()
    """What can be chosen; empty for a line of free text."""
    names: tuple[str, ...] = ()
    """How the values read; empty when they read as they are."""
    value: str = ""
    help: str = ""
    helps: tuple[str, ...] = ()
    """A help for each value; empty when one serves for all."""
    is_open: bool = False
    """A value of one's own may be typed instead of those to choose from."""
    question: str = ""
    """What is asked where a value is typed; empty asks for the label."""

    def reading(self, value: str) -> str:
        """Return how a value reads."""
        if self.names and value in self.values:
            return self.names[self.values.index(value)]
        return value

    def help_on(self, value: str) -> str:
        """Return the help while the row has a value."""
        if self.helps and value in self.values:
            return self.helps[self.values.index(value)]
        return self.help


class Note(msgspec.Struct, frozen=True):
    """Words between the rows, on which the bar does not stand."""

    text: str = ""


class FormDialog(FlagDialog[dict[str, str]]):
    """Answers with the values by field id."""

    DEFAULT_CSS = """
    FormDialog OptionList { border: none; height: auto; max-height: 16; padding: 0; }
    FormDialog .help { height: 2; }
    """
    keys_hint = "Left/Right change   Enter edit or do   Esc cancel"
    BINDINGS = [
        Binding("right,space", "change(1)", "Next value"),
        Binding("left", "change(-1)", "Previous value"),
    ]

    def __init__(
        self, title: str, fields: tuple[Field, ...], done: str, done_at: int | None = None
    ) -> None:
        """Ask for values.

        Args:
            title: What the form is about.
            fields: Its rows.
            done: Name of the row that ends the form.
            done_at: How many rows stand above that one; None puts it last.
        """
        super().__init__()
        self._title = title
        place = len(fields) if done_at is None else done_at
        self._rows: tuple[Field | None, ...] = (*fields[:place], None, *fields[place:])
        self._done = done
        self._values = {field.id: field.value for field in fields}
        self._shown: tuple[Field | Note | None, ...] = self._rows

    def compose(self) -> ComposeResult:
        """Compose the rows."""
        self._shown = self._wanted()
        with Vertical():
            yield Static(safe(self._title), classes="title", markup=False)
            yield from self.body()
            yield Static("", classes="help", markup=False)
            yield Static(self.keys_hint, classes="hint", markup=False)

    def body(self) -> ComposeResult:
        """Compose what stands between title and help."""
        yield OptionList(*map(self._option, self._shown), markup=False)

    def on_mount(self) -> None:
        """Let the keys move in the list."""
        self.query_one(OptionList).focus()

    def hidden(self) -> Collection[str]:
        """Return the ids of the rows that mean nothing while the values are as they stand."""
        return ()

    def _wanted(self) -> tuple[Field | Note | None, ...]:
        """Return the rows to show; None is the one that ends the form."""
        hidden = self.hidden()
        return tuple(row for row in self._rows if row is None or row.id not in hidden)

    def _option(self, row: Field | Note | None) -> Option:
        if row is None:
            return Option(Content(f"[ {self._done} ]"), id=_DO_IT)
        if isinstance(row, Note):
            return Option(Content(row.text), disabled=True)
        return Option(self._row(row), id=row.id)

    @property
    def values(self) -> Mapping[str, str]:
        """Return the values as they stand."""
        return self._values

    def _row(self, field: Field) -> Content:
        return Content(f"{field.label:<{_LABEL_WIDTH}} {self._value(field)}")

    def _value(self, field: Field) -> str:
        """Return how the value of a row is shown."""
        value = clean(field.reading(self._values[field.id]), 48)
        return f"< {value} >" if field.values else (value or "(none)")

    def _field(self) -> Field | None:
        place = self.query_one(OptionList).highlighted
        row = self._shown[place] if place is not None else None
        return row if isinstance(row, Field) else None

    def action_change(self, step: int) -> None:
        """Choose another value of the row."""
        field = self._field()
        if field is not None and field.values:
            values, value = field.values, self._values[field.id]
            place = values.index(value) + step if value in values else min(step, 0)
            self._set(field, values[place % len(values)])

    def _set(self, field: Field, value: str) -> None:
        self._values[field.id] = value
        self.follow_change(field)
        self._fill()

    def follow_change(self, field: Field) -> None:
        """Change what follows from a row that has another value now."""

    def _fill(self) -> None:
        """Show the rows as the values stand; the bar stays on its row."""
        field, rows = self._field(), self.query_one(OptionList)
        self._shown = self._wanted()
        rows.set_options(map(self._option, self._shown))
        rows.highlighted = self._shown.index(field) if field in self._shown else 0
        self.explain()

    @on(OptionList.OptionHighlighted)
    def explain(self) -> None:
        """Show the help of the row."""
        field = self._field()
        words = field.help_on(self._values[field.id]) if field is not None else ""
        self.query_one(".help", Static).update(safe(words, _HELP_CELLS))

    @on(OptionList.OptionSelected)
    def select(self, event: OptionList.OptionSelected) -> None:
        """Edit the row, change it, or end the form."""
        if event.option_id == _DO_IT:
            self.dismiss(dict(self._values))
            return
        field = self._field()
        if field is not None:
            self.enter(field)

    def enter(self, field: Field) -> None:
        """Do what Enter does on a row."""
        if field.is_open or not field.values:
            self._edit(field)
        elif len(field.values) > _MOST_AT_ONCE:
            self._choose(field)
        else:
            self.action_change(1)

    @work
    async def _edit(self, field: Field) -> None:
        value = "" if self._values[field.id] in field.values else self._values[field.id]
        question = field.question or field.label
        while question:
            answer = await self.app.push_screen_wait(LineDialog(question, value))
            if answer is None or (field.is_open and not answer):
                return
            question, value = self.problem(field, answer), answer
        self._set(field, value)

    def problem(self, field: Field, value: str) -> str:
        """Return why a row cannot have a value that was typed; empty when it can."""
        del field, value
        return ""

    @work
    async def _choose(self, field: Field) -> None:
        entries = [(value, self.choice(field, value)) for value in field.values]
        value = self._values[field.id]
        answer = await self.app.push_screen_wait(ChoiceDialog(field.label, entries, value))
        if answer is not None:
            self._set(field, answer)

    def choice(self, field: Field, value: str) -> str:
        """Return how a value reads in the list of all."""
        return field.reading(value)
