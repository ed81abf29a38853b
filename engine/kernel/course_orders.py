"""Lets a ruleset carry out course orders: standing orders that move a piece over several steps."""

from abc import ABC
from typing import Generic, TypeVar

import msgspec

from engine.kernel.ids import Role

S = TypeVar("S")
C = TypeVar("C", bound=msgspec.Struct)


class CourseOrders(ABC, Generic[S, C]):
    """The interface for course orders. A game without them keeps the defaults.

    S is the state and C the union of commands. An order is a line of text. A player gives a short form, and
    :meth:`read_course` completes it. All methods are pure, and every command that they return is an option.
    """

    course_help: str = ""
    """The short form of an order, such as ``strike-1 to a``. It is empty in games without course orders."""

    def read_course(self, state: S, role: Role, text: str) -> str:
        """Return an order in full.

        Raises:
            NotationError: The text is not an order.
            IllegalCommandError: The piece cannot carry out the order.
        """
        del state, role
        return text

    def course_answer(self, state: S, role: Role, courses: tuple[str, ...]) -> C | None:
        """Return the orders' answer to the open decision, or None if the player must decide."""
        del state, role, courses
        return None

    def course_opening(self, state: S, role: Role, course: str) -> C | None:
        """Return the next command that begins a new order in the open decision, or None if there is none left."""
        del state, role, course
        return None

    def course_closing(self, state: S, role: Role, courses: tuple[str, ...]) -> C | None:
        """Return the next command to give before the player ends the open step, or None if there is none."""
        del state, role, courses
        return None

    def live_courses(self, state: S, courses: tuple[str, ...]) -> tuple[str, ...]:
        """Return the orders whose piece is still in play, in their current form.

        An order that has reached a stage may be replaced by an order for the rest.
        """
        del state
        return courses

    def course_subject(self, course: str) -> str:
        """Return the piece or place to which an order belongs. A new order for it replaces the old one."""
        return course.partition(" ")[0]

    def describe_course(self, state: S, course: str) -> str:
        """Return a description of an order and of its expected course."""
        del state
        return course

    def course_stops(
        self, state: S, role: Role, courses: tuple[str, ...]
    ) -> tuple[tuple[str, str], ...]:
        """Return the orders that now need the player's attention, each with a sentence that gives the reason."""
        del state, role, courses
        return ()
