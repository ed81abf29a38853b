"""Looks up the standing orders of the people at a screen, and the answers that these orders provide."""

from collections.abc import Callable
from contextlib import suppress

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset, AnyState
from play.standing_orders import OrderBook, StandingOrderError, standing_answer


class OrderBooks:
    """Gives access to the standing orders of each person at this screen."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        shown_role: Callable[[], Role | None],
        state: Callable[[], AnyState],
        book_of: Callable[[Role | None], OrderBook],
    ) -> None:
        """Look up roles, states and order books with the given functions.

        Args:
            ruleset: The game's rules.
            shown_role: Returns the role on display.
            state: Returns the state of the actual game, ignoring drafts.
            book_of: Returns the standing orders of the person who plays a role. None stands for a spectator.
        """
        self._ruleset = ruleset
        self._shown_role = shown_role
        self._state = state
        self._book_of = book_of

    @property
    def shown_book(self) -> OrderBook:
        """Return the standing orders of the person at the screen."""
        return self._book_of(self._shown_role())

    def change(self, text: str) -> tuple[str, ...]:
        """If the text is not empty, change the orders of the person at the screen. Return the orders in words.

        Raises:
            FlagplotError: The text is not an order, or the order cannot be saved.
        """
        turn = self._ruleset.turn_name(self._state())
        if text:
            self.shown_book.change(text, turn)
        state = self._state()
        courses = (self._ruleset.describe_course(state, line) for line in self.courses)
        # The file may contain lines that are no orders.
        return (
            *self.shown_book.orders.descriptions(turn),
            *(f"{text}." for text in courses if text),
        )

    def answer(self, state: AnyState, role: Role) -> Command | None:
        """Return the standing orders' answer to a role's open window; None if they do not answer it."""
        if role not in self._ruleset.active_roles(state):
            return None
        return standing_answer(self._ruleset, state, role, self._book_of(role).orders)

    # -- course orders

    @property
    def courses(self) -> tuple[str, ...]:
        """Return the course orders of the person at the screen, in full."""
        return self.shown_book.orders.course_lines

    def give_course(self, state: AnyState, role: Role, text: str) -> str:
        """Give a course order in its short form or in full, and return it in full.

        It replaces an older order for the same piece.

        Args:
            state: The state with the player's draft, which may contain the piece.
            role: The role that commands the piece.
            text: The order.

        Raises:
            FlagplotError: The text is not an order, the piece cannot carry it out, or the order cannot be saved.
        """
        ruleset, book = self._ruleset, self._book_of(role)
        course: str = ruleset.read_course(state, role, text)
        other_lines = self._without(ruleset.course_subject(course), book.orders.course_lines)
        book.set_courses((*other_lines, course))
        return course

    def cancel_course(self, subject: str) -> bool:
        """Cancel the order for a piece. Return False if there is none.

        Raises:
            StandingOrderError: The change cannot be saved.
        """
        book = self.shown_book
        remaining_lines = self._without(subject.lower(), book.orders.course_lines)
        is_found = remaining_lines != book.orders.course_lines
        book.set_courses(remaining_lines)
        return is_found

    def _without(self, subject: str, lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for line in lines if self._ruleset.course_subject(line) != subject)

    def forget_finished(self, *states: AnyState) -> None:
        """Drop the course orders of pieces that are in none of these states, because a new piece may get the same name.

        The other orders are brought up to date with the first state in which their piece is in play. Call this after
        every record. If a disk error prevents saving, the next change saves the orders.
        """
        for book in dict.fromkeys(map(self._book_of, self._ruleset.roles(states[0]))):
            lines = book.orders.course_lines
            if lines:
                current_courses = (self._current_course(line, states) for line in lines)
                with suppress(StandingOrderError):
                    book.set_courses(tuple(line for line in current_courses if line))

    def _current_course(self, line: str, states: tuple[AnyState, ...]) -> str:
        """Return an order, brought up to date with the first state that has its piece in play; otherwise empty."""
        return next(
            (
                live_course
                for state in states
                for live_course in self._ruleset.live_courses(state, (line,))
            ),
            "",
        )

    def closing_command(self, state: AnyState, role: Role) -> Command | None:
        """Return the next command that the orders give before a role ends its open step; None if there is none."""
        courses = self._book_of(role).orders.course_lines
        if not courses or role not in self._ruleset.active_roles(state):
            return None
        command: Command | None = self._ruleset.course_closing(state, role, courses)
        return command

    def stops(self, state: AnyState, role: Role) -> tuple[tuple[str, str], ...]:
        """Return the course orders that now need the player's attention, each with the reason in words."""
        courses = self._book_of(role).orders.course_lines
        if not courses or role not in self._ruleset.active_roles(state):
            return ()
        return self._ruleset.course_stops(state, role, courses)
