"""The script language's words: the lines common to all games, and each game's additions."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from engine.kernel.ids import Rule
from engine.kernel.lexicon import Lexicon, normalise_word, suggestion
from engine.kernel.numerals import is_change, is_count

P = TypeVar("P", bound=msgspec.Struct)

COMMON_FORMS: Final = (
    ("game NAME", "Names the game. This must be the first line."),
    ("option NAME VALUE", "Sets a game option. Write it before the first `setup`."),
    ("scenario NAME", "Sets the starting position."),
    (
        "position FILE",
        "Starts from a scenario file instead of a `scenario`. The path is relative to the script.",
    ),
    (
        "data FILE",
        (
            "Plays with your own data file, if the game supports this. Write it after `scenario` or `position`."
        ),
    ),
    ("setup ...", "Changes the position before the first command. Each game has its own forms."),
    (
        "secret NUMBER",
        (
            "Derives all rolls and draws without a `dice` or `draws` line from this number, as a record does from"
            " its secret. Write it before the first command."
        ),
    ),
    ("begin", "Starts the game. The first command or expectation also does this."),
    (
        "dice FACE ...",
        (
            "Sets the next die results, in order. If the previous line still needs results, it takes them first. "
            "Too many or too few results are an error. If the last word is `any`, further rolls are arbitrary but"
            " the same in every run."
        ),
    ),
    (
        "draws NAME ...",
        (
            "Names the results of the next random draws, where they are possible. Other draws are arbitrary but "
            "the same in every run."
        ),
    ),
    ("ROLE: LINE", "Gives a command, which must be legal."),
    (
        "> TEXT",
        "A remark for the reader, without effect. Consecutive lines form one remark.",
    ),
    ("default ROLE", "Gives the default answer of this role."),
    (
        "until RULE [ROLE] [within LIMIT]",
        (
            "Gives default answers for all roles until this rule asks (this role). With `within`, that must "
            "happen in the same `turn` or another limit of the game. `until end` plays to the end of the game."
        ),
    ),
    (
        "refuse ROLE: LINE by RULE [RULE ...] / refuse ROLE: LINE by any RULE RULE [...]",
        (
            "Gives a command that must be refused. All listed rules, or with `any` at least one, must be among "
            "the reasons."
        ),
    ),
    (
        "expect asked [ROLE ...]",
        "These roles have an open question. Write `nobody`, or no role, for none.",
    ),
    ("expect rule RULE", "This rule asks the open question."),
    ("expect prompt TEXT", "The question contains the text."),
    ("expect heading TEXT", "The status line of the game contains the text."),
    (
        "expect option LINE / expect no option LINE",
        (
            "The command is or is not offered. You may leave out words. A trailing `*` matches any ending, and "
            "`ROLE: LINE` checks one role."
        ),
    ),
    ("expect options NUMBER", "This many options are offered."),
    ("expect default LINE", "This is the default answer."),
    (
        "expect said TEXT / expect no said TEXT",
        "The game log contains or does not contain the text.",
    ),
    ("expect dice used", "All scripted die results have been used."),
    ("expect draws used", "All names of `draws` have been used."),
    (
        "expect winner ROLE",
        (
            "The game is over and this role has won. Write `nobody` for a draw, and `game` if the players have "
            "lost to the system."
        ),
    ),
    ("expect outcome TEXT", "The reason for the end of the game contains the text."),
    ("expect no end", "The game is not over."),
)
"""The lines available in every game, each with a short explanation. Alternatives are separated by `` / ``."""


class DecisionRule(msgspec.Struct, frozen=True):
    """A rule that requires a decision. Lines with ``expect rule`` or ``until`` can name the rule."""

    rule: str
    question: str
    """A short description of the decision and the role that makes it."""
    verbs: str
    """Verbs of the commands that can answer the decision, separated by spaces."""


def _is_never_over(state: object, before: str, verb: str) -> bool:
    """Return False. Most games have no commands that only end a step."""
    del state, before, verb
    return False


def _counts_nothing(state: object, words: Sequence[str]) -> None:
    """Return None. Most games have no ``expect`` lines that count."""
    del state, words


class ScriptWords(msgspec.Struct, Generic[P], frozen=True, kw_only=True):
    """A game's additions to the script language.

    The functions raise ValueError for words that cannot be interpreted. The message gives the reason.
    """

    lexicon: Callable[[], Lexicon]
    """Returns every name used in command lines."""
    setup: Callable[[P, Sequence[str]], P]
    """Returns the position as changed by a ``setup`` line. The first word is normalised."""
    check: Callable[[Any, Sequence[str]], str]
    """Returns the reason why an ``expect`` line fails, or an empty string if it holds.

    The first word is normalised.
    """
    count: Callable[[Any, Sequence[str]], int | None] = _counts_nothing
    """Returns the number that an ``expect`` line counts, given the words before its own number. None for other lines.

    The first word is normalised.
    """
    forms: tuple[tuple[str, str], ...]
    """Every form of ``setup`` and ``expect`` line, with a short explanation."""
    examples: Mapping[str, str]
    """A complete script line for every verb in the notation."""
    decision_rules: tuple[DecisionRule, ...]
    """Every rule that can require a decision, in the order of play."""
    limits: Mapping[str, Callable[[Any], object]] = {}
    """Limits for ``until ... within`` other than the turn.

    The value of each limit stays the same until the limit is passed.
    """
    has_ended: Callable[[Any, str, str], bool] = _is_never_over
    """Returns whether a verb that follows another one only ends a step that has already ended automatically."""

    def expectation_problem(self, state: Any, set_up_state: Any, words: Sequence[str]) -> str:  # noqa: ANN401 - every game has its own state
        """Return the reason why an ``expect`` line fails, or an empty string if it succeeds.

        Args:
            state: The current state.
            set_up_state: The state before the first deal. A number with a sign is a difference from this state.
            words: The words after ``expect``.
        """
        words = (normalise_word(words[0]), *words[1:])
        *subject, number = words
        count = self.count(state, subject) if is_count(number) or is_change(number) else None
        if count is None:
            return self.check(state, words)
        if is_count(number):
            return check_equal(number, count)
        count_before = self.count(set_up_state, subject)
        assert count_before is not None, "the same words count something in every state"
        return (
            "" if int(number) == count - count_before else f"it was {count_before} and is {count}"
        )


def check_equal(expected_value: object, actual_value: object) -> str:
    """Return an empty string if the values are equal, ignoring case, or a message with the actual value if not."""
    return (
        ""
        if normalise_word(str(expected_value)) == normalise_word(str(actual_value))
        else f"it is {actual_value}"
    )


def covers_rule(expected_rule: str, rule: Rule) -> bool:
    """Return whether a rule is the expected rule or a part of it.

    ``8.45`` covers 8.45A, but not 8.4 or 8.451. A chapter such as ``8`` covers all its rules.
    """
    if expected_rule.isdecimal():
        return rule.partition(".")[0] == expected_rule
    return re.fullmatch(rf"{re.escape(expected_rule)}([ -]?[A-Za-z].*|-\d.*)?", rule) is not None


def unknown_form(kind: str, words: Sequence[str], forms: Iterable[tuple[str, str]]) -> ValueError:
    """Return the error for an invalid ``setup`` or ``expect`` line, suggesting the forms that may have been meant.

    Args:
        kind: First word of the line.
        words: The words after the first.
        forms: All forms, both the game's own and the common ones.
    """
    parts = [part for form, _ in forms for part in form.split(" / ") if part.startswith(kind)]
    key = words[1:2] if words[:1] == ["no"] else words[:1]
    verb = normalise_word(key[0]) if key else ""
    forms_by_word: dict[str, list[str]] = {}
    for part in parts:
        form_words = part.split()[1:]
        forms_by_word.setdefault(
            form_words[1] if form_words[:1] == ["no"] else form_words[0], []
        ).append(part)
    noun = {"setup": "setup", "expect": "expectation"}[kind]
    message = f"there is no {noun} '{' '.join(words)}'"
    if verb in forms_by_word:
        own_forms = " or ".join(f"'{form}'" for form in forms_by_word[verb])
        return ValueError(f"{message}; write {own_forms}")
    matches = [part for part in parts if verb in part.split()]
    if matches:
        return ValueError(f"{message}; did you mean '{matches[0]}'?")
    similar_word = suggestion(verb, forms_by_word) if verb else ""
    return ValueError(message + (similar_word or f"; known: {', '.join(sorted(forms_by_word))}"))
