"""The words of the script language: the lines common to all games, and what each game adds."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from engine.kernel.ids import Rule
from engine.kernel.lexicon import Lexicon, folded, hint

P = TypeVar("P", bound=msgspec.Struct)

WORDS: Final = (
    ("game NAME", "first line: the game"),
    ("option NAME VALUE", "set a switch of the game; before the first `setup`"),
    ("scenario NAME", "the starting position"),
    ("position FILE", "instead of `scenario`: a scenario file, its path seen from the script"),
    (
        "data FILE",
        "play with data of your own, where the game takes them; behind `scenario` or `position`",
    ),
    ("setup ...", "change the position, see below; before the first command"),
    (
        "secret NUMBER",
        (
            "rolls and draws that no line dictates follow from this number, as in a record with its secret; before "
            "the first command"
        ),
    ),
    ("begin", "start without a command; the first command or expectation starts, too"),
    (
        "dice FACE ...",
        (
            "faces of rolls, in order: of what follows, and of the line right before where it needs them; a face too "
            "many or too few is an error, unless the last word is `any`: then further rolls have some face, the same "
            "in every run"
        ),
    ),
    (
        "draws NAME ...",
        "names that coming random draws take when they can; other draws are fixed, too",
    ),
    ("ROLE: LINE", "a command of the notation, which must be legal"),
    (
        "> TEXT",
        "a remark to the reader, which changes nothing; such lines one after another are one remark",
    ),
    ("default ROLE", "the role answers as it would when its time runs out"),
    (
        "until RULE [ROLE] [within LIMIT]",
        (
            "everybody answers by default until this rule asks (this role), which must happen within the `turn` or "
            "another limit of the game; `until end` to the end of the game"
        ),
    ),
    (
        "refuse ROLE: LINE by RULE [RULE ...] / refuse ROLE: LINE by any RULE RULE [...]",
        "a command that must be refused, with these rules, or any of them, among the reasons",
    ),
    ("expect asked [ROLE ...]", "who has an open question; `nobody`, or no role, for none"),
    ("expect rule RULE", "the rule that asks"),
    ("expect prompt TEXT", "the question contains the text"),
    ("expect heading TEXT", "the line that says where the game stands contains the text"),
    (
        "expect option LINE / expect no option LINE",
        (
            "offered or not; words may be left out, a trailing `*` stands for any ending, `ROLE: LINE` asks about "
            "one role"
        ),
    ),
    ("expect options NUMBER", "how many options are offered"),
    ("expect default LINE", "the answer when the time runs out"),
    ("expect said TEXT / expect no said TEXT", "the log has said it, or has not"),
    ("expect dice used", "no scripted face is left"),
    ("expect draws used", "no name of `draws` is left"),
    (
        "expect winner ROLE",
        "the game is over; `nobody` for a draw, `game` when the players have lost to it",
    ),
    ("expect outcome TEXT", "the reason of the end contains the text"),
    ("expect no end", "the game goes on"),
)
"""The lines available in every game, each with a short explanation; alternatives are separated by `` / ``."""


class Asked(msgspec.Struct, frozen=True):
    """A rule that asks for a decision, and that ``expect rule`` and ``until`` can name."""

    rule: str
    question: str
    """Who is asked what, in a few words."""
    verbs: str
    """Verbs of the commands that can answer, separated by spaces."""


def _never(state: object, before: str, verb: str) -> bool:
    """Return False: in most games no command can repeat something that has happened automatically."""
    del state, before, verb
    return False


class ScriptWords(msgspec.Struct, Generic[P], frozen=True, kw_only=True):
    """What a game adds to the script language.

    The functions raise ValueError for words that make no sense; its message says why.
    """

    lexicon: Callable[[], Lexicon]
    """Returns every name used in command lines."""
    setup: Callable[[P, Sequence[str]], P]
    """Returns the position as changed by a ``setup`` line; the first word is normalised."""
    check: Callable[[Any, Sequence[str]], str]
    """Returns why an ``expect`` line fails, or an empty string if it holds; the first word is normalised."""
    words: tuple[tuple[str, str], ...]
    """Every form of setup and expect line, with a short explanation."""
    examples: Mapping[str, str]
    """A complete script line for every verb of the notation."""
    asks: tuple[Asked, ...]
    """Every rule that can ask for a decision, in the order of play."""
    limits: Mapping[str, Callable[[Any], object]] = {}
    """Further limits for ``until ... within`` besides the turn. The value of each stays the same until the limit is
    passed."""
    is_over: Callable[[Any, str, str], bool] = _never
    """Returns whether a verb, given right after another by the same role, only ends what has already ended
    automatically."""


def same(wanted: object, found: object) -> str:
    """Return an empty string if the values are equal ignoring case, or else the actual value as a message."""
    return "" if folded(str(wanted)) == folded(str(found)) else f"it is {found}"


def covers(wanted: str, rule: Rule) -> bool:
    """Return whether a rule is the wanted one or an item of it.

    ``8.45`` covers 8.45A, but not 8.4 or 8.451. A chapter such as ``8`` covers all its rules.
    """
    if wanted.isdecimal():
        return rule.partition(".")[0] == wanted
    return re.fullmatch(rf"{re.escape(wanted)}([ -]?[A-Za-z].*|-\d.*)?", rule) is not None


def no_form(kind: str, words: Sequence[str], forms: Iterable[tuple[str, str]]) -> ValueError:
    """Return the error for an invalid ``setup`` or ``expect`` line, suggesting the forms that may be meant.

    Args:
        kind: First word of the line.
        words: The words after it.
        forms: All forms, both the game's own and the common ones.
    """
    parts = [part for form, _ in forms for part in form.split(" / ") if part.startswith(kind)]
    key = words[1:2] if words[:1] == ["no"] else words[:1]
    wanted = folded(key[0]) if key else ""
    by_key: dict[str, list[str]] = {}
    for part in parts:
        own = part.split()[1:]
        by_key.setdefault(own[1] if own[:1] == ["no"] else own[0], []).append(part)
    known = {"setup": "setup", "expect": "expectation"}[kind]
    said = f"there is no {known} '{' '.join(words)}'"
    if wanted in by_key:
        own_forms = " or ".join(f"'{form}'" for form in by_key[wanted])
        return ValueError(f"{said}; write {own_forms}")
    holding = [part for part in parts if wanted in part.split()]
    if holding:
        return ValueError(f"{said}; did you mean '{holding[0]}'?")
    near = hint(wanted, by_key) if wanted else ""
    return ValueError(said + (near or f"; known are {', '.join(sorted(by_key))}"))
