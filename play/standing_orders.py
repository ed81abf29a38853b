"""Standing orders: what a player wants answered in response windows without being asked.

They are for windows alone; every other question is always put to the player. An order names a command by a line of
the notation or by its first words.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command
from saves.files import FILES, replace_file

_MOST_ORDERS: Final = 64
_LONGEST_LINE: Final = 200
_MOST_BYTES: Final = 65_536
SUFFIX: Final = ".orders"
WORDS: Final = "auto on | off | pass | use LINE | never LINE | forget LINE"


class StandingOrderError(FlagplotError):
    """What was said is not a standing order."""


class StandingOrders(msgspec.Struct, frozen=True, kw_only=True):
    """The orders of one player in one match."""

    by_itself: bool = True
    """Pass where nothing but passing is possible."""
    passing: str = ""
    """Pass everything during this turn."""
    uses: tuple[str, ...] = ()
    """Beginnings of lines that are given whenever a window offers them."""
    nevers: tuple[str, ...] = ()
    """Beginnings of lines that the player does not want to be asked about."""

    def answer(self, decision: Decision[Any], notation: Notation[Any], turn: str) -> Command | None:
        """Return what answers a question; None when the player must be asked.

        What is to be used comes first, then what passes.
        """
        plain: Command | None = decision.by_itself if self.by_itself else None
        if not decision.is_window:
            return plain
        lines = {option: notation.line(option) for option in decision.options}
        wanted = {option: line for option, line in lines.items() if not _is_any(line, self.nevers)}
        for option, line in wanted.items():
            if _is_any(line, self.uses):
                found: Command = option
                return found
        default: Command = decision.default
        if self.passing and self.passing == turn:
            return default
        if plain is not None:
            return plain
        left = set(wanted) - {default}
        is_narrowed = len(wanted) < len(lines)
        return default if not left and (self.by_itself or is_narrowed) else None

    def changed(self, text: str, turn: str) -> "StandingOrders":
        """Return the orders after one more.

        Args:
            text: ``on``, ``off``, ``pass``, or ``use``, ``never``, ``forget`` with a line.
            turn: Name of the turn.

        Raises:
            StandingOrderError: It is none of these, or there are too many.
        """
        word, _, rest = " ".join(text.split()).partition(" ")
        line = rest.lower()[:_LONGEST_LINE]
        change = msgspec.structs.replace
        match word.lower(), bool(line):
            case "on", False:
                return StandingOrders()
            case "off", False:
                return StandingOrders(by_itself=False)
            case "pass", False:
                return change(self, passing=turn)
            case "use", True:
                kept = change(self, nevers=_without(self.nevers, line))
                return _checked(change(kept, uses=(*_without(self.uses, line), line)))
            case "never", True:
                kept = change(self, uses=_without(self.uses, line))
                return _checked(change(kept, nevers=(*_without(self.nevers, line), line)))
            case "forget", True:
                if line not in {*self.uses, *self.nevers}:
                    raise StandingOrderError(f"there is no order about '{line}'")
                return change(
                    self, uses=_without(self.uses, line), nevers=_without(self.nevers, line)
                )
            case _:
                raise StandingOrderError(f"write {WORDS}")

    def told(self, turn: str) -> tuple[str, ...]:
        """Return the orders in words, one line each."""
        lines = [
            "Passes by itself where nothing else is possible."
            if self.by_itself
            else "Asks in every window."
        ]
        if self.passing and self.passing == turn:
            lines.append(f"Passes everything during: {self.passing}.")
        lines += [f"Uses whenever it is offered: {line}" for line in self.uses]
        lines += [f"Never asks about: {line}" for line in self.nevers]
        return tuple(lines)


def _is_any(line: str, beginnings: tuple[str, ...]) -> bool:
    """Return whether a line begins with the words of one of these."""
    small = f"{line.lower()} "
    return any(small.startswith(f"{beginning} ") for beginning in beginnings)


def _without(lines: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(line for line in lines if line != gone)


def _checked(orders: StandingOrders) -> StandingOrders:
    if len(orders.uses) + len(orders.nevers) > _MOST_ORDERS:
        raise StandingOrderError(f"{_MOST_ORDERS} orders are enough; forget one first")
    return orders


class OrderBook:
    """The standing orders of one player, kept in a small file beside the record so that they outlive the program."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the orders; a missing or damaged file gives the usual ones, None keeps nothing."""
        self._path = path
        self.orders = StandingOrders() if path is None else _read(path)

    def change(self, text: str, turn: str) -> None:
        """Take one more order and keep it; when the disk refuses, it still holds until the program ends.

        Raises:
            StandingOrderError: It is not an order, or the disk refuses to keep it.
        """
        self.orders = self.orders.changed(text, turn)
        if self._path is None:
            return
        try:
            replace_file(FILES, self._path, msgspec.json.encode(self.orders) + b"\n")
        except OSError as error:
            reason = error.strerror or str(error)
            raise StandingOrderError(f"the order holds, but is not kept: {reason}") from error


def _read(path: Path) -> StandingOrders:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MOST_BYTES), type=StandingOrders)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return StandingOrders()
