"""Standing orders as a list of choices."""

from typing import Final

from engine.kernel.ruleset import Command
from play.session import Session
from tui.presenter.presenter import Presenter

COURSE: Final = "course "
"""First word of a course order's line. It is followed by the order, or by ``cancel`` and a piece."""


def order_entries(
    session: Session, presenter: Presenter, place: str = "", highlighted: Command | None = None
) -> tuple[str, list[tuple[str, str]]]:
    """Return a title, and the available orders as pairs of order and label.

    Course orders come first, then the general orders. Without course orders, the title describes the current standing
    orders. In a response window, each option has two orders: always use the option, and never ask about it.

    Args:
        session: The game.
        presenter: Its texts.
        place: The place under the cursor.
        highlighted: The highlighted option.
    """
    orders = session.orders.shown_book.orders
    courses = presenter.course_entries(session.view(), place, highlighted, orders.course_lines)
    entries = [(f"{COURSE}{line}", text) for line, text in courses]
    title = "Orders. Type a word, a bearing or a hex to narrow the list" if entries else ""
    has_windows = session.ruleset.has_windows
    if has_windows:
        entries.append(("pass", "Pass in every window until the turn ends"))
    decision = session.decision()
    if decision is not None and decision.is_window:
        view, notation = session.view(), session.ruleset.notation
        for option in decision.options:
            if option != decision.default:
                line, label = notation.line(option), presenter.label(view, option)
                entries.append((f"use {line}", f"Whenever it is offered: {label}"))
                entries.append((f"never {line}", f"Never ask me about: {label}"))
    entries += [(f"forget {line}", f"Forget: use {line}") for line in orders.uses]
    entries += [(f"forget {line}", f"Forget: never ask about {line}") for line in orders.nevers]
    automatic = (
        "Only pass where nothing else is possible"
        if has_windows
        else "Give and repeat obvious answers"
    )
    entries.append(("on", automatic))
    entries.append(("off", "Ask me in every window" if has_windows else "Ask me every time"))
    return title or " ".join(session.orders.change("")), entries


def numbered_order_entries(
    session: Session, presenter: Presenter, number: str, highlighted: Command | None
) -> list[tuple[str, str]]:
    """Return the course orders for a number that the player has typed, as pairs of order and label.

    Args:
        session: The game.
        presenter: Its texts.
        number: The number, such as a hex.
        highlighted: The highlighted option.
    """
    course_lines = session.orders.shown_book.orders.course_lines
    entries = presenter.numbered_course_entries(session.view(), number, highlighted, course_lines)
    return [(f"{COURSE}{line}", text) for line, text in entries]
