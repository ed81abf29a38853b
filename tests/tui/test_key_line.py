"""The line of keys at the bottom of the screen."""

from textual.binding import ActiveBinding, Binding
from textual.screen import Screen

from tui.widgets.bars.key_line import KeyHint, entries_with_keys, key_entry


def active(action: str, key: str, *, enabled: bool = True) -> ActiveBinding:
    return ActiveBinding(Screen(), Binding(key, action), enabled, "")


def test_click_runs_the_first_available_action() -> None:
    entries = [key_entry("turn", "page_back", "page_on"), key_entry("leave", "quit")]
    bindings = {
        "p": active("page_back", "p", enabled=False),
        "n": active("page_on", "n"),
    }
    assert entries_with_keys(entries, bindings) == [KeyHint("n", "turn", "page_on")]


def test_first_and_last_digit_are_shown_as_a_range() -> None:
    bindings = {"1": active("look(1)", "1"), "7": active("look(7)", "7")}
    (hint,) = entries_with_keys([key_entry("look", "look(1)", "look(7)")], bindings)
    assert hint.keys == "1-7"
