"""Rulings: questions of the rules that each game answers at set-up, with every answer in words."""

from collections.abc import Iterator, Mapping

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Rule


class Ruling(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One question; the game's answer is a value, kept under the id in the header of its record."""

    id: str
    rule: Rule
    """What leaves the question open, or the optional rule itself."""
    specs: tuple[str, ...] = ()
    """Rulings of the reference that answer it; empty for an optional rule."""
    question: str
    words: Mapping[str, str]
    """Each value in words; the first is the default, the second the other reading."""
    decides_roles: bool = False
    """Whether the roles of a match depend on it; menus ask it before they ask who plays."""
    default: str = ""
    other: str = ""

    def __post_init__(self) -> None:
        """Take default and other reading from the words; a game asks for them all the time."""
        default, other, *_ = self.words
        msgspec.structs.force_setattr(self, "default", default)
        msgspec.structs.force_setattr(self, "other", other)

    @property
    def values(self) -> tuple[str, ...]:
        """Return what may be chosen, the default first."""
        return tuple(self.words)

    @property
    def text(self) -> str:
        """Return the question with the place where it is answered."""
        return f"{self.question} ({', '.join(self.specs) or self.rule})"

    def value(self, options: Mapping[str, str]) -> str:
        """Return the value that a game plays by."""
        return options.get(self.id, self.default)

    def is_other(self, options: Mapping[str, str]) -> bool:
        """Return whether a game plays the other reading, or the optional rule."""
        return options.get(self.id) == self.other


def declared_in(names: Mapping[str, object]) -> tuple[Ruling, ...]:
    """Return the rulings of a module in the order of their declaration, which menus and records keep."""
    return tuple(one for one in names.values() if isinstance(one, Ruling))


def check_options(rulings: tuple[Ruling, ...], options: Mapping[str, str]) -> None:
    """Accept chosen values.

    Raises:
        DataError: There is no such ruling, or it has no such value.
    """
    known = {ruling.id: ruling.values for ruling in rulings}
    for name, value in options.items():
        if name not in known:
            raise DataError(
                "options", name, f"there is no option '{name}'; known are {', '.join(known)}"
            )
        if value not in known[name]:
            raise DataError("options", name, f"'{value}' is not one of {', '.join(known[name])}")


def switch_lines(rulings: tuple[Ruling, ...], number: str) -> Iterator[str]:
    """Yield the switches that a paragraph of the reference answers, each with its values in words."""
    for ruling in rulings:
        if number in (ruling.specs or (ruling.rule,)):
            yield f"Option {ruling.id}: {ruling.question}"
            for value, words in ruling.words.items():
                yield f"  {value}: {words}"
