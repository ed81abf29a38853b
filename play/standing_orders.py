"""Defines standing orders: answers that the player has chosen, and that are given automatically in response windows.

Standing orders apply only to windows. The player makes every other decision. An order identifies commands by their line
in notation or by its first words.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command
from saves.files import FILES, replace_file

_MAX_ORDERS: Final = 64
_MAX_LINE_LENGTH: Final = 200
_MAX_BYTES: Final = 65_536
ORDERS_SUFFIX: Final = ".orders"
ORDER_HELP: Final = "auto on | off | pass | use LINE | never LINE | forget LINE"


class StandingOrderError(FlagplotError):
    """The text is not a standing order, or the order cannot be saved."""


class StandingOrders(msgspec.Struct, frozen=True, kw_only=True):
    """One player's orders in one match."""

    by_itself: bool = True
    """True to pass automatically if passing is the only possible answer."""
    passing: str = ""
    """Name of the turn in which all windows are passed; empty if no turn is passed."""
    uses: tuple[str, ...] = ()
    """First words of commands to give whenever such a command is offered in a window."""
    nevers: tuple[str, ...] = ()
    """First words of commands about which the player never wants to be asked."""

    def answer(self, decision: Decision[Any], notation: Notation[Any], turn: str) -> Command | None:
        """Return the automatic answer to a decision; None if the player must be asked.

        Orders to use a command take precedence over passing.
        """
        automatic_answer: Command | None = decision.automatic_answer if self.by_itself else None
        if not decision.is_window:
            return automatic_answer
        lines = {option: notation.line(option) for option in decision.options}
        # A never order takes precedence over a use order.
        allowed = {
            option: line
            for option, line in lines.items()
            if not _starts_with_any(line, self.nevers)
        }
        for option, line in allowed.items():
            if _starts_with_any(line, self.uses):
                ordered: Command = option
                return ordered
        default: Command = decision.default
        # The order names its turn, so it expires when the next turn begins and need not be cleared.
        if self.passing and self.passing == turn:
            return default
        if automatic_answer is not None:
            return automatic_answer
        alternatives = set(allowed) - {default}
        is_narrowed = len(allowed) < len(lines)
        # If auto is off, the player is asked even if passing is the only answer. The exception is
        # that never orders have removed all other answers.
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
        word, _, rest = " ".join(text.split()).partition(" ")
        line = rest.lower()[:_MAX_LINE_LENGTH]
        replace = msgspec.structs.replace
        match word.lower(), bool(line):
            case "on", False:
                return StandingOrders()
            case "off", False:
                return StandingOrders(by_itself=False)
            case "pass", False:
                return replace(self, passing=turn)
            case "use", True:
                # The opposite order is removed, because a remaining never order would silently
                # override a new use order.
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


def _remove(lines: tuple[str, ...], removed: str) -> tuple[str, ...]:
    return tuple(line for line in lines if line != removed)


def _check_limits(orders: StandingOrders) -> StandingOrders:
    if len(orders.uses) + len(orders.nevers) > _MAX_ORDERS:
        raise StandingOrderError(f"there are already {_MAX_ORDERS} orders; forget one first")
    return orders


class OrderBook:
    """One player's standing orders. They are stored in a small file next to the record, so that they persist."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the orders from a file.

        If the file is missing or damaged, use the defaults. If the path is None, store nothing.
        """
        self._path = path
        self.orders = StandingOrders() if path is None else _read(path)

    def change(self, text: str, turn: str) -> None:
        """Change the orders and save them. If saving fails, the change remains in effect until the program exits.

        Raises:
            StandingOrderError: The text is not an order, or saving failed.
        """
        self.orders = self.orders.with_change(text, turn)
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
            return msgspec.json.decode(file.read(_MAX_BYTES), type=StandingOrders)
    # For damaged JSON, msgspec raises other errors besides its own. An oversized file is cut off,
    # so it also fails to decode.
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return StandingOrders()
