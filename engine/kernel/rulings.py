"""Rulings: open rules questions and optional rules, which are settled for each game at set-up."""

from collections.abc import Iterator, Mapping

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Rule
from engine.kernel.lexicon import suggestion_or_list


class Ruling(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One open question or optional rule. The header of a game's record stores the answer under the ruling's id."""

    id: str
    rule: Rule
    """Number of the rule that leaves the question open, or of the optional rule."""
    specs: tuple[str, ...] = ()
    """Rulings in the reference that deal with the question. Empty for an optional rule."""
    question: str
    answers: Mapping[str, str]
    """Each possible value, with its wording. The first value is the default. The second is the alternative."""
    decides_roles: bool = False
    """True if a match's roles depend on the answer. Menus ask such questions before they ask who plays."""
    default: str = ""
    alternative: str = ""

    def __post_init__(self) -> None:
        """Keep the default and the alternative as fields, because games read them very often."""
        default, alternative_answer, *_ = self.answers
        msgspec.structs.force_setattr(self, "default", default)
        msgspec.structs.force_setattr(self, "alternative", alternative_answer)

    @property
    def values(self) -> tuple[str, ...]:
        """Return the possible values, the default first."""
        return tuple(self.answers)

    @property
    def text(self) -> str:
        """Return the question, followed by the rule or rulings that it is about."""
        return f"{self.question} ({', '.join(self.specs) or self.rule})"

    def value(self, options: Mapping[str, str]) -> str:
        """Return the value that a game uses."""
        return options.get(self.id, self.default)

    def uses_alternative(self, options: Mapping[str, str]) -> bool:
        """Return whether a game uses the alternative reading or the optional rule."""
        return options.get(self.id) == self.alternative


def collect_rulings(names: Mapping[str, object]) -> tuple[Ruling, ...]:
    """Return a module's rulings in order of declaration, which menus and records preserve."""
    return tuple(ruling for ruling in names.values() if isinstance(ruling, Ruling))


def check_options(rulings: tuple[Ruling, ...], options: Mapping[str, str]) -> None:
    """Check chosen values.

    Raises:
        DataError: There is no such ruling, or it has no such value.
    """
    values_by_id = {ruling.id: ruling.values for ruling in rulings}
    for name, value in options.items():
        if name not in values_by_id:
            hint = suggestion_or_list(name, values_by_id)
            raise DataError("options", name, f"there is no option '{name}'{hint}")
        if value not in values_by_id[name]:
            raise DataError(
                "options", name, f"'{value}' is not one of {', '.join(values_by_id[name])}"
            )


def option_lines(rulings: tuple[Ruling, ...], number: str) -> Iterator[str]:
    """Yield lines that describe each option that a reference paragraph deals with, and all its values."""
    for ruling in rulings:
        if number in (ruling.specs or (ruling.rule,)):
            yield f"Option {ruling.id}: {ruling.question}"
            for value, words in ruling.answers.items():
                yield f"  {value}: {words}"
