"""A form: rows for choices and text input, and one row that submits it."""

from collections.abc import Collection, Mapping

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from tui.screens.dialogs.prompt import ChoiceDialog, LineDialog
from tui.terminal.sanitising import sanitise_line, sanitised_content
from tui.widgets.base_screens import BaseDialog

_SUBMIT_ID = "do-it"
_LABEL_WIDTH = 22
_HELP_CELLS = 400
_MAX_CYCLED_VALUES = 2
"""Maximum number of values that Enter cycles through. If a row has more, Enter opens a list."""


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a form."""

    id: str
    label: str
    values: tuple[str, ...] = ()
    """The values to choose from; empty for free text."""
    value_labels: tuple[str, ...] = ()
    """Display names of the values; empty to show the values themselves."""
    value: str = ""
    help: str = ""
    helps: tuple[str, ...] = ()
    """A help text for each value; empty to use `help` for all values."""
    is_open: bool = False
    """True if a value can be typed as well as chosen."""
    question: str = ""
    """Prompt for typing a value; empty to use the label."""

    def value_name(self, value: str) -> str:
        """Return a value's display name."""
        if self.value_labels and value in self.values:
            return self.value_labels[self.values.index(value)]
        return value

    def help_text(self, value: str) -> str:
        """Return the row's help text for a value."""
        if self.helps and value in self.values:
            return self.helps[self.values.index(value)]
        return self.help


class FormNote(msgspec.Struct, frozen=True):
    """Text between the rows. It cannot be selected."""

    text: str = ""


class FormDialog(BaseDialog[dict[str, str]]):
    """A form that returns the values by field id."""

    DEFAULT_CSS = """
    FormDialog OptionList { border: none; height: auto; max-height: 16; padding: 0; }
    FormDialog .help { height: 2; }
    """
    keys_hint = "Left/Right change   Enter edit or submit   Esc cancel"
    BINDINGS = [
        Binding("right,space", "change(1)", "Next value"),
        Binding("left", "change(-1)", "Previous value"),
    ]

    def __init__(
        self,
        title: str,
        fields: tuple[Field, ...],
        submit_label: str,
        submit_position: int | None = None,
    ) -> None:
        """Create the form.

        Args:
            title: Subject of the form.
            fields: Rows of the form.
            submit_label: Label of the row that submits the form.
            submit_position: Number of rows above the submitting row; None puts the submitting row last.
        """
        super().__init__()
        self._title = title
        submit_index = len(fields) if submit_position is None else submit_position
        self._rows: tuple[Field | None, ...] = (
            *fields[:submit_index],
            None,
            *fields[submit_index:],
        )
        self._submit_label = submit_label
        self._values = {field.id: field.value for field in fields}
        self._shown_rows: tuple[Field | FormNote | None, ...] = self._rows

    @override
    def compose(self) -> ComposeResult:
        self._shown_rows = self._visible_rows()
        with Vertical():
            yield Static(sanitised_content(self._title), classes="title", markup=False)
            yield from self.body()
            yield Static("", classes="help", markup=False)
            yield Static(self.keys_hint, classes="hint", markup=False)

    def body(self) -> ComposeResult:
        """Compose the widgets between the title and the help text."""
        yield OptionList(*map(self._option, self._shown_rows), markup=False)

    def on_mount(self) -> None:
        """Focus the list."""
        self.query_one(OptionList).focus()

    def hidden_rows(self) -> Collection[str]:
        """Return the ids of the rows that do not apply to the current values."""
        return ()

    def _visible_rows(self) -> tuple[Field | FormNote | None, ...]:
        """Return the rows to show. None represents the row that submits the form."""
        hidden_row_indexes = self.hidden_rows()
        return tuple(row for row in self._rows if row is None or row.id not in hidden_row_indexes)

    def _option(self, row: Field | FormNote | None) -> Option:
        if row is None:
            return Option(Content(f"[ {self._submit_label} ]"), id=_SUBMIT_ID)
        if isinstance(row, FormNote):
            return Option(Content(row.text), disabled=True)
        return Option(self._row(row), id=row.id)

    @property
    def values(self) -> Mapping[str, str]:
        """The current values, by field id."""
        return self._values

    def _row(self, field: Field) -> Content:
        return Content(f"{field.label:<{_LABEL_WIDTH}} {self._value(field)}")

    def _value(self, field: Field) -> str:
        """Return a row's displayed value."""
        value = sanitise_line(field.value_name(self._values[field.id]), 48)
        return f"< {value} >" if field.values else (value or "(none)")

    def _field(self) -> Field | None:
        index = self.query_one(OptionList).highlighted
        row = self._shown_rows[index] if index is not None else None
        return row if isinstance(row, Field) else None

    def action_change(self, step: int) -> None:
        """Choose another value for the highlighted row."""
        field = self._field()
        if field is not None and field.values:
            values, value = field.values, self._values[field.id]
            index = values.index(value) + step if value in values else min(step, 0)
            self._set(field, values[index % len(values)])

    def _set(self, field: Field, value: str) -> None:
        self._values[field.id] = value
        self.follow_change(field)
        self._fill()

    def follow_change(self, field: Field) -> None:
        """Update the rows and texts that depend on the changed row."""

    def _fill(self) -> None:
        """Redraw the rows and keep the current one highlighted."""
        field, rows = self._field(), self.query_one(OptionList)
        self._shown_rows = self._visible_rows()
        rows.set_options(map(self._option, self._shown_rows))
        rows.highlighted = self._shown_rows.index(field) if field in self._shown_rows else 0
        self.explain()

    @on(OptionList.OptionHighlighted)
    def explain(self) -> None:
        """Show the help text of the highlighted row."""
        field = self._field()
        help_text = field.help_text(self._values[field.id]) if field is not None else ""
        self.query_one(".help", Static).update(sanitised_content(help_text, _HELP_CELLS))

    @on(OptionList.OptionSelected)
    def select(self, event: OptionList.OptionSelected) -> None:
        """Edit or change the row, or submit the form."""
        if event.option_id == _SUBMIT_ID:
            self.dismiss(dict(self._values))
            return
        field = self._field()
        if field is not None:
            self.enter(field)

    def enter(self, field: Field) -> None:
        """Edit the row, list its values, or switch to the next value."""
        if field.is_open or not field.values:
            self._edit(field)
        elif len(field.values) > _MAX_CYCLED_VALUES:
            self._choose(field)
        else:
            self.action_change(1)

    @work
    async def _edit(self, field: Field) -> None:
        value = "" if self._values[field.id] in field.values else self._values[field.id]
        question = field.question or field.label
        # ask again until the value is valid, with the problem as the prompt
        while question:
            answer = await self.app.push_screen_wait(LineDialog(question, value))
            if answer is None or (field.is_open and not answer):
                return
            question, value = self.problem(field, answer), answer
        self._set(field, value)

    def problem(self, field: Field, value: str) -> str:
        """Return why a value typed for a row is invalid; empty if it is valid."""
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
        """Return the text that represents a value in the list of values."""
        return field.value_name(value)
