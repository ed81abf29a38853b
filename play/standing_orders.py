"""Defines standing orders: answers that the player has chosen in advance and that are given automatically.

Orders about windows name a command by its line in notation or by the first words of that line. A course order moves
one piece over several steps. The ruleset carries it out (`engine.kernel.course_orders`). The player makes every other
decision.
"""

from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset, AnyState
from saves.files import FILES, replace_file

_MAX_ORDERS: Final = 64
_MAX_LINE_LENGTH: Final = 200
_MAX_COURSE_LENGTH: Final = 2_000
_MAX_BYTES: Final = 65_536
ORDERS_SUFFIX: Final = ".orders"
ORDER_HELP: Final = "auto on | off | pass | use LINE | never LINE | forget LINE"
# A host stores orders that arrive in move files, so their size must be limited.
_Line = Annotated[str, msgspec.Meta(max_length=_MAX_LINE_LENGTH)]
_Lines = Annotated[tuple[_Line, ...], msgspec.Meta(max_length=_MAX_ORDERS)]
_Course = Annotated[str, msgspec.Meta(max_length=_MAX_COURSE_LENGTH)]
_Courses = Annotated[tuple[_Course, ...], msgspec.Meta(max_length=_MAX_ORDERS)]


class StandingOrderError(FlagplotError):
    """The text is not a standing order, or the order cannot be saved."""


class StandingOrders(msgspec.Struct, frozen=True, kw_only=True):
    """One player's orders in one match."""

    by_itself: bool = True
    """True to pass automatically if passing is the only possible answer."""
    passing: _Line = ""
    """Name of the turn in which all windows are passed; empty if no turn is passed."""
    uses: _Lines = ()
    """First words of commands to give whenever they are offered in a window."""
    nevers: _Lines = ()
    """First words of commands about which the player never wants to be asked."""
    courses: _Courses | msgspec.UnsetType = msgspec.UNSET
    """Course orders in full, oldest first. Unset if there are none, so that files without them do not change."""

    @property
    def course_lines(self) -> tuple[str, ...]:
        """Return the course orders in full."""
        return () if isinstance(self.courses, msgspec.UnsetType) else self.courses

    def with_courses(self, lines: tuple[str, ...]) -> "StandingOrders":
        """Return a copy of the orders with these course orders instead of the old ones.

        Raises:
            StandingOrderError: There are too many orders.
        """
        return _check_limits(
            msgspec.structs.replace(self, courses=lines[:_MAX_ORDERS] or msgspec.UNSET)
        )

    def answer(self, decision: Decision[Any], notation: Notation[Any], turn: str) -> Command | None:
        """Return the automatic answer to a decision; None if the player must be asked.

        Orders to use a command take precedence over passing.
        """
        automatic_answer: Command | None = decision.automatic_answer if self.by_itself else None
        if not decision.is_window:
            return automatic_answer
        lines = {option: notation.line(option) for option in decision.options}
        # ``never`` orders take precedence over ``use`` orders.
        allowed_commands = {
            option: line
            for option, line in lines.items()
            if not _starts_with_any(line, self.nevers)
        }
        for option, line in allowed_commands.items():
            if _starts_with_any(line, self.uses):
                ordered: Command = option
                return ordered
        default: Command = decision.default
        # The order names its turn, so it expires when the next turn begins and need not be cleared.
        if self.passing and self.passing == turn:
            return default
        if automatic_answer is not None:
            return automatic_answer
        alternatives = set(allowed_commands) - {default}
        is_narrowed = len(allowed_commands) < len(lines)
        # If auto is off, the player is asked even when passing is the only answer, unless never
        # orders have removed all others.
        return default if not alternatives and (self.by_itself or is_narrowed) else None

    def with_change(self, text: str, turn: str) -> "StandingOrders":
        """Return a copy of the orders with one change.

        Args:
            text: ``on``, ``off`` or ``pass``; or ``use``, ``never`` or ``forget`` followed by a line.
            turn: Name of the current turn.

        Raises:
            StandingOrderError: The text has none of these forms, there is no such order to forget, or there are too
                many orders.
        """
        word, _, text_rest = " ".join(text.split()).partition(" ")
        line = text_rest.lower()[:_MAX_LINE_LENGTH]
        replace = msgspec.structs.replace
        match word.lower(), bool(line):
            case "on", False:
                return StandingOrders(courses=self.courses)
            case "off", False:
                return StandingOrders(by_itself=False, courses=self.courses)
            case "pass", False:
                return replace(self, passing=turn)
            case "use", True:
                # Remove the opposite order. Otherwise, an old ``never`` order would silently
                # override a new ``use`` order.
                without_opposite = replace(self, nevers=_remove(self.nevers, line))
                return _check_limits(
                    replace(without_opposite, uses=(*_remove(self.uses, line), line))
                )
            case "never", True:
                without_opposite = replace(self, uses=_remove(self.uses, line))
                return _check_limits(
                    replace(without_opposite, nevers=(*_remove(self.nevers, line), line))
                )
            case "forget", True:
                if line not in {*self.uses, *self.nevers}:
                    raise StandingOrderError(f"there is no order about '{line}'")
                return replace(
                    self, uses=_remove(self.uses, line), nevers=_remove(self.nevers, line)
                )
            case _:
                raise StandingOrderError(f"write {ORDER_HELP}")

    def descriptions(self, turn: str) -> tuple[str, ...]:
        """Return the active orders in words, one line each."""
        lines = [
            "Passes automatically when nothing else is possible."
            if self.by_itself
            else "Asks in every window."
        ]
        if self.passing and self.passing == turn:
            lines.append(f"Passes everything during: {self.passing}.")
        lines += [f"Uses whenever it is offered: {line}" for line in self.uses]
        lines += [f"Never asks about: {line}" for line in self.nevers]
        return tuple(lines)


def _starts_with_any(line: str, prefixes: tuple[str, ...]) -> bool:
    """Return whether a line starts with any of the given words."""
    # The added spaces make prefixes end at word boundaries. For example, "use card 1" must not
    # match "use card 12".
    lowercase_line = f"{line.lower()} "
    return any(lowercase_line.startswith(f"{prefix} ") for prefix in prefixes)


def _remove(lines: tuple[str, ...], removed_name: str) -> tuple[str, ...]:
    return tuple(line for line in lines if line != removed_name)


def _check_limits(orders: StandingOrders) -> StandingOrders:
    if len(orders.uses) + len(orders.nevers) + len(orders.course_lines) > _MAX_ORDERS:
        raise StandingOrderError(f"there are already {_MAX_ORDERS} orders; forget one first")
    return orders


def standing_answer(
    ruleset: AnyRuleset, state: AnyState, role: Role, orders: StandingOrders
) -> Command | None:
    """Return the answer that orders give to a role's open decision; None if the player must be asked.

    The role must have a decision. All code that answers for a player uses this function.
    """
    decision = ruleset.decision(state, role)
    if decision.allows_standing_order:
        return orders.answer(decision, ruleset.notation, ruleset.turn_name(state))
    if not orders.course_lines:
        return None
    answer: Command | None = ruleset.course_answer(state, role, orders.course_lines)
    return answer


class OrderBook:
    """One player's standing orders. They are stored in a small file next to the record, so that they persist."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the orders from a file.

        If the file is missing or damaged, use the default orders. If the path is None, store nothing.
        """
        self._path = path
        self.orders = StandingOrders() if path is None else _read(path)

    def change(self, text: str, turn: str) -> None:
        """Change the orders and save them. If saving fails, the change is effective only until the program exits.

        Raises:
            StandingOrderError: The text is not an order, or saving failed.
        """
        self._store(self.orders.with_change(text, turn))

    def set_courses(self, lines: tuple[str, ...]) -> None:
        """Replace the course orders and save them. If saving fails, they remain in effect until the program exits.

        Raises:
            StandingOrderError: There are too many orders, or saving failed.
        """
        if lines != self.orders.course_lines:
            self._store(self.orders.with_courses(lines))

    def _store(self, orders: StandingOrders) -> None:
        self.orders = orders
        if self._path is None:
            return
        try:
            replace_file(FILES, self._path, msgspec.json.encode(self.orders) + b"\n")
        except OSError as error:
            reason = error.strerror or str(error)
            raise StandingOrderError(
                f"the order is in effect, but was not saved: {reason}"
            ) from error


def _read(path: Path) -> StandingOrders:
    try:
        with path.open("rb") as file:
            return _check_limits(msgspec.json.decode(file.read(_MAX_BYTES), type=StandingOrders))
    # For damaged JSON, msgspec raises other errors besides its own. An oversized file is cut off,
    # so it also fails to decode.
    except (
        OSError,
        msgspec.MsgspecError,
        UnicodeDecodeError,
        RecursionError,
        StandingOrderError,
    ):
        return StandingOrders()
