"""Runs one script: builds the position, gives the commands and checks the expectations."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from engine.kernel.dice import DerivedDice, Die, ScriptedDice
from engine.kernel.errors import (
    DataError,
    FlagplotError,
    IllegalCommandError,
    NotationError,
    PositionError,
    ScriptedDiceError,
)
from engine.kernel.ids import Refusal, Role
from engine.kernel.lexicon import normalise_word
from engine.kernel.numerals import is_whole_number
from engine.kernel.ruleset import Ruleset
from engine.kernel.sentences import count_noun, is_singular, pluralise
from engine.scripts.lines import TypedLine, most_similar, nearest_lines, without_copies
from engine.scripts.words import ScriptWords, covers_rule

P = TypeVar("P", bound=msgspec.Struct)
SCRIPT_SECRET: Final = b"flagplot script".ljust(32, b".")
"""Secret for draws and shuffles that a script does not specify. It is the same in every run."""
MAX_DEFAULTS: Final = 500
"""Maximum number of answers that one ``advance_until`` gives."""
_MAX_LINES_SHOWN: Final = 6
"""Maximum number of options that are quoted if the expected option is not offered."""
_MAX_SENTENCES_SHOWN: Final = 3
"""Maximum number of log sentences that are quoted if none of them contains the expected text."""
_NOBODY: Final = "nobody"
_END: Final = "end"


def secret_from_number(number: int) -> bytes:
    """Return the match secret (32 bytes) for a number. It is not truly secret, because anyone can derive it."""
    return f"flagplot script {number}".encode().ljust(32, b".")


class ExpectationError(FlagplotError):  # becomes a ScriptFailure with file and line
    """A script line's expectation is not met."""


class DieLine(NamedTuple):
    """The faces listed in one die line."""

    number: int
    """Line number in the file."""
    faces: tuple[int, ...]
    allows_more: bool
    """True if rolls beyond these faces are derived from the secret, False if such a roll is an error."""


class ScriptDice:
    """Uses scripted faces and names first, then derived results, so that a script need not specify every draw."""

    def __init__(self, secret: bytes = SCRIPT_SECRET) -> None:
        self.secret = secret
        self.scripted = ScriptedDice()
        self.allows_more = False
        self.queued_lines: list[DieLine] = []
        self.following_lines: list[DieLine] = []
        """The die lines directly after the current statement, which may also use their faces."""
        self.record_number = 0
        self.scripted_draws: list[tuple[str, ...]] = []
        """The scripted results of random draws, in order.

        Each entry lists acceptable names, such as all copies of a card.
        """
        self._derived = DerivedDice(secret, 0)

    def next_record(self) -> None:
        """Advance to the next record. Its draws differ from those of all other records."""
        self.record_number += 1
        self._derived = DerivedDice(self.secret, self.record_number)

    def queue(self, line: DieLine) -> None:
        """Queue a line's faces, unless an earlier statement has already queued them."""
        if line not in self.queued_lines:
            self.queued_lines.append(line)
            self.scripted.extend(line.faces)
            self.allows_more = line.allows_more

    def first_unused(self) -> tuple[int, int] | None:
        """Return the first line with unrolled faces and their number, or None if all faces were rolled."""
        faces = self.scripted.faces_left
        # Faces are used in order, so the remaining faces belong to the last lines.
        for line in reversed(self.queued_lines):
            if 0 < faces <= len(line.faces):
                return line.number, faces
            faces -= len(line.faces)
        return None

    def roll(self, die: Die) -> int:
        """Return the next scripted face.

        If none is left and derived rolls are allowed, return a face derived from the secret.
        """
        while self.following_lines and not self.allows_more and not self.scripted.faces_left:
            self.queue(self.following_lines.pop(0))
        if self.allows_more and not self.scripted.faces_left:
            return self._derived.roll(die)
        return self.scripted.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return the first scripted name that is among the items.

        If there is none, return an item chosen with the secret.
        """
        for names in self.scripted_draws:
            picked_name = next((name for name in names if name in items), None)
            if picked_name is not None:
                self.scripted_draws.remove(names)
                return picked_name
        return self._derived.pick(items)


class Runner(Generic[P]):
    """Runs one script, and holds the state that its lines change."""

    def __init__(
        self,
        rules: Ruleset[Any, Any, Any, Any, P],
        words: ScriptWords[P],
        read: Callable[[str], P] | None,
        read_data: Callable[[str], bytes] | None = None,
    ) -> None:
        self.rules = rules
        self.game_words = words
        self.lexicon = words.lexicon()
        self.read = read
        self.read_data = read_data
        self.data = b""
        """The user's own data that was added to the position. Empty if there is none."""
        self.dice = ScriptDice()
        self.position: P | None = None
        self.scenario = ""
        """Name of the scenario as long as its position is unchanged, otherwise empty."""
        self.options: dict[str, str] = {}
        self.state: Any = None
        self.set_up_state: Any = None
        """The state after set-up, before the first deal and any other automatic step."""
        self.commands = 0
        self.expectations = 0
        self.log: list[str] = []
        self._last_command: tuple[Role, str] | None = None
        """Role and verb of the last command line, or None if other commands have been given since."""
        self.remarks = 0

    @property
    def location(self) -> str:
        """Return the game's heading and the roles that must decide. Empty before the game has begun."""
        if self.state is None:
            return ""
        waiting_text = ", ".join(
            f"{decision.role} by {decision.rule}"
            for decision in self.rules.pending_decisions(self.state)
        )
        return f"{self.rules.heading(self.state)}; asked: {waiting_text or _NOBODY}"

    def role(self, word: str) -> Role | None:
        """Return the role that a word names, or None."""
        return next(
            (role for role in self._roles() if normalise_word(role) == normalise_word(word)), None
        )

    def _roles(self) -> tuple[Role, ...]:
        return self.rules.all_roles() if self.state is None else self.rules.roles(self.state)

    def named_role(self, word: str) -> Role:
        """Return the role that a word names, or raise ValueError if there is no such role."""
        role = self.role(word)
        if role is None:
            role_names = ", ".join(self._roles())
            raise ValueError(f"there is no role '{word}'; known: {role_names}")
        return role

    # position:

    def set_option(self, name: str, value: str) -> None:
        """Set an option. This may also change a scenario's position, as long as nothing else has modified it."""
        if self.position is not None and not self.scenario:
            raise ValueError(
                "'option' must come before the first 'setup' and cannot be used with a scenario file"
            )
        self.options[name] = value
        if self.scenario:
            self.position = self._with_user_data(self.rules.position(self.scenario, self.options))

    def set_scenario(self, name: str) -> None:
        """Start from a scenario's position."""
        self.set_position(self.rules.position(name, self.options))
        self.scenario = name

    def set_position(self, position: P) -> None:
        """Start from a position."""
        if self.position is not None:
            raise ValueError("a script can have only one scenario")
        self.position = position

    def _with_user_data(self, position: P) -> P:
        return self.rules.with_data(position, self.data) if self.data else position

    def set_data(self, name: str) -> None:
        """Add the user's own data from a file."""
        if self.position is None or self.state is not None or self.data:
            raise ValueError(
                "a script can have one 'data' line, after 'scenario' and before the first command"
            )
        if self.read_data is None:
            raise ValueError("data files cannot be read here")
        self.data = self.read_data(name)
        self.position = self._with_user_data(self.position)

    def read_position(self, name: str) -> P:
        """Read the position from a scenario file."""
        if self.read is None:
            raise ValueError("scenario files cannot be read here")
        try:
            return self.read(name)
        except (
            PositionError
        ) as error:  # the file cannot be read; an invalid position is a different error
            raise DataError(error.file, error.path, error.problem) from error

    def apply_setup(self, words: Sequence[str]) -> None:
        """Change the position as specified by a setup line."""
        if self.position is None or self.state is not None:
            raise ValueError("'setup' must come after 'scenario' and before the first command")
        keyword = normalise_word(words[0])
        self.position = self.game_words.setup(self.position, (keyword, *words[1:]))
        self.scenario = ""

    def begin(self) -> None:
        """Start the game from the position built so far, unless the game has already started."""
        if self.state is not None:
            return
        if self.position is None:
            raise ValueError("name a scenario first")
        self.rules.check_position(self.position)
        initial_state, events = self.rules.initial_state(), self.opening_events(self.position)
        self.set_up_state = self.rules.evolve(initial_state, events[0])
        self._apply_events(initial_state, events)
        self.scenario = ""

    def opening_events(self, position: P) -> tuple[Any, ...]:
        """Return the opening events for a position."""
        return tuple(self.rules.open_game(position, self.dice))

    def queue_draws(self, names: Sequence[str]) -> None:
        """Queue names for the next random draws."""
        for name in names:
            matches = self.lexicon.find_any(name)
            if not matches:
                unknown_word_text = TypedLine(self.lexicon, f"draws {name}").unknown_word_error()
                raise ValueError(unknown_word_text or f"'{name}' is not a name that can be drawn")
            self.dice.scripted_draws.append(matches)

    def set_secret(self, number: str) -> None:
        """Set the secret by its number. It determines the results that no line specifies.

        A record with this secret has the same results.
        """
        if not is_whole_number(number) or int(number) < 0 or self.state is not None:
            raise ValueError("write 'secret NUMBER' before the first command")
        self.dice = ScriptDice(secret_from_number(int(number)))
        # As in a record, every roll without a scripted face is derived from the secret.
        self.dice.allows_more = True

    # commands:

    def remark(self, text: str) -> None:
        """Ignore a remark, which is meant only for the reader.

        The remark uses a record number but does not change the game.
        """
        if not text:
            raise ValueError("write '> TEXT'")
        self.begin()
        # In tutorials, remarks become records, and later draws depend on the record number.
        self.dice.next_record()
        self.remarks += 1

    def _apply_events(self, state: Any, events: tuple[Any, ...]) -> None:  # noqa: ANN401 - every game has its own state
        """Apply events, add their sentences to the log, and check the invariants."""
        self.state = self.rules.fold(state, events)
        self.log += self.rules.log_sentences(events)
        violation = next(self.rules.violations(self.state), None)
        if violation is not None:
            raise ExpectationError(f"the state is invalid: {violation}")

    def give_command(self, role: Role, command: Any) -> None:  # noqa: ANN401 - every game has its own commands
        """Give a command and apply its events."""
        self.dice.next_record()
        self._last_command = None
        self._apply_events(self.state, self.decide(role, command))

    def decide(self, role: Role, command: Any) -> tuple[Any, ...]:  # noqa: ANN401 - as in give
        """Return the events that a command causes."""
        return tuple(self.rules.decide(self.state, role, command, self.dice))

    def give_line(self, role: Role, line: str) -> None:
        """Give a command, which must be legal. Windows that no other role can use are passed first if necessary.

        A command counts as given if it would only end a step that has just ended automatically.
        """
        if not line:
            raise ValueError(f"write '{role}: COMMAND'")
        self.begin()
        typed_line = self._parse_line(line, role)
        verb = normalise_word(typed_line.verb)
        self.commands += 1
        command_before, self._last_command = self._last_command, (role, verb)
        # A game may end a step automatically as soon as nothing else can be done in that step.
        if (
            command_before
            and command_before[0] == role
            and self.game_words.has_ended(self.state, command_before[1], verb)
        ):
            return
        command = self._resolve_command(role, typed_line)
        while command is None and self._pass_window(role):
            command = self._resolve_command(role, typed_line)
        if command is None:
            raise ExpectationError(self._explain_illegal(role, typed_line))
        self.give_command(role, command)
        self._last_command = (role, verb)

    def _parse_line(self, line: str, role: Role | None) -> TypedLine:
        """Parse a typed command line. If the verb is unknown, the error lists some of the offered lines."""
        typed_line = TypedLine(self.lexicon, line)
        try:
            self.rules.notation.check_verb(typed_line.verb)
        except NotationError as error:
            lines = self._option_lines(role)
            similar_lines = "; ".join(nearest_lines(typed_line.verb, lines, _MAX_LINES_SHOWN))
            suffix = f"; the options include: {similar_lines}" if similar_lines else ""
            raise NotationError(error.line, f"{error.problem}{suffix}") from error
        return typed_line

    def _check_complete(self, typed_line: TypedLine) -> None:
        """Check that a line has every word that its verb needs. Otherwise, the error includes an example."""
        try:
            self.rules.notation.parse(next(typed_line.spellings()))
        except NotationError as error:
            example = self.game_words.examples[normalise_word(typed_line.verb)]
            raise NotationError(error.line, f"{error.problem}, as in '{example}'") from error

    def _option_lines(self, role: Role | None) -> list[str]:
        """Return the option lines for all open decisions, or for one role's decision."""
        return [
            self.rules.notation.line(option)
            for decision in self.rules.pending_decisions(self.state)
            for option in decision.options
            if role in {None, decision.role}
        ]

    def _resolve_command(self, role: Role, typed_line: TypedLine) -> Any | None:  # noqa: ANN401 - see above
        """Return the legal command that a line denotes, or None if no legal command fits.

        An ambiguous line is an error.
        """
        lines = self._legal_lines(role)
        matching_lines = [line for line in lines if typed_line.matches(line)]
        exact_lines = [line for line in typed_line.spellings() if line in lines]
        if exact_lines or len({without_copies(line) for line in matching_lines}) == 1:
            return self.rules.notation.parse((exact_lines or matching_lines)[0])
        if matching_lines:
            shown_lines = "; ".join(matching_lines[:_MAX_LINES_SHOWN])
            raise ExpectationError(
                f"this may mean {len(matching_lines)} commands, such as: {shown_lines}"
            )
        return None

    def _legal_lines(self, role: Role) -> dict[str, None]:
        """Return the lines of the commands that a role may give now."""
        roles = self.rules.active_roles(self.state)
        options = (
            self.rules.decision_with_free_actions(self.state, role).options if role in roles else ()
        )
        if roles and not options:
            options = self.rules.free_actions(self.state, role)
        return dict.fromkeys(map(self.rules.notation.line, options))

    def _pass_window(self, role: Role) -> bool:
        """Pass for the first role being asked, unless a role other than the given one could do something else.

        Return True if a pass was given.
        """
        pending = self.rules.pending_decisions(self.state)
        is_idle = bool(pending) and all(
            decision.is_window and (decision.role == role or len(decision.options) == 1)
            for decision in pending
        )
        if is_idle:
            self.give_command(pending[0].role, pending[0].default)
        return is_idle

    def _pass_window_without_dice(self, role: Role) -> bool:
        """Like :meth:`_pass_window`, but return False if passing would roll dice."""
        try:
            return self._pass_window(role)
        except ScriptedDiceError:
            return False

    def _refusals(
        self, role: Role, typed_line: TypedLine
    ) -> Iterator[tuple[str, tuple[Refusal, ...]]]:
        """For each spelling of the command that is refused, yield the message and the reasons.

        Legal spellings yield nothing.
        """
        for line in typed_line.spellings():
            command = self.rules.notation.parse(line)
            try:
                self.rules.run_command(self.state, role, command, self.dice)
            except IllegalCommandError as error:
                yield str(error), error.refusals

    def _explain_illegal(self, role: Role, typed_line: TypedLine) -> str:
        """Return the reason why a command is not legal, with the most similar legal commands."""
        line = next(typed_line.spellings())
        lines = [*self._legal_lines(role)] if role in self.rules.active_roles(self.state) else []
        similar_lines = "; ".join(nearest_lines(line, lines, _MAX_LINES_SHOWN))
        offer_text = f"; {_offered_prefix(lines)}: {similar_lines}" if similar_lines else ""
        try:
            reason, _ = next(self._refusals(role, typed_line), (f"'{line}' is not offered", ()))
            return f"{reason}{offer_text}"
        except NotationError as error:
            raise NotationError(line, f"{error.problem}{offer_text}") from error

    def give_default(self, role: Role) -> None:
        """Give the role's default answer, as if its time had run out."""
        self.begin()
        if role not in self.rules.active_roles(self.state):
            raise ExpectationError(f"{role} is not being asked")
        self.give_command(role, self.rules.decision(self.state, role).default)
        self.commands += 1

    def advance_until(self, rule: str, role: Role | None, limit: str = "") -> None:
        """Give default answers until a rule requires a decision or, for the rule ``end``, until the game is over.

        Fail if a limit is passed first, or if the game ends before the rule requires a decision.
        """
        self.begin()
        rules_met: dict[str, None] = {}
        limit_state = self._limit_function(limit)
        is_begun = limit_state(self.state)
        for _ in range(MAX_DEFAULTS):
            if limit_state(self.state) != is_begun:
                raise ExpectationError(
                    f"the {limit} is over, and {_rule_not_reached_text(rule, rules_met)}"
                )
            pending = self.rules.pending_decisions(self.state)
            if not pending and rule == _END:
                return
            if not pending:
                raise ExpectationError(
                    f"no one is being asked any more, and {_rule_not_reached_text(rule, rules_met)}"
                )
            if any(
                role in {None, decision.role} and covers_rule(rule, decision.rule)
                for decision in pending
            ):
                return
            rules_met |= dict.fromkeys(f"{decision.rule}" for decision in pending)
            # Answer one question at a time, because an answer may change what the other roles are asked.
            self.give_default(pending[0].role)
        raise ExpectationError(
            f"after {MAX_DEFAULTS} answers {_rule_not_reached_text(rule, rules_met)}"
        )

    def _limit_function(self, name: str) -> Callable[[Any], object]:
        """Return a function that computes a value from the state. The value changes when the limit is passed."""
        limits = {"": lambda _: None, "turn": self.rules.turn_name, **self.game_words.limits}
        if name not in limits:
            raise ValueError(f"there is no limit '{name}'; limits are {', '.join([*limits][1:])}")
        return limits[name]

    def expect_refusal(
        self,
        role: Role,
        line: str,
        expected_rules: Sequence[str],
        quantifier: Callable[[Iterable[bool]], bool] = all,
    ) -> None:
        """Check that a command is refused and that the reasons include all (or any) of these rules.

        The game does not change. The command must be illegal now and also after any windows that :meth:`give_line`
        would pass for it. The check stops early if the command has been refused at a window of an expected rule, or if
        passing a window would roll dice.
        """
        self.begin()
        typed_line = self._parse_line(line, role)
        self._check_complete(typed_line)
        values_before = self.state, self.dice, len(self.log)
        # These dice have no scripted faces, so passing a window raises an error if it would roll
        # dice.
        self.dice = ScriptDice(self.dice.secret)
        try:
            self._check_refusal(role, typed_line, expected_rules, quantifier)
        finally:
            self.state, self.dice, count = values_before
            del self.log[count:]
        self.expectations += 1

    def _check_refusal(
        self,
        role: Role,
        typed_line: TypedLine,
        expected_rules: Sequence[str],
        quantifier: Callable[[Iterable[bool]], bool],
    ) -> None:
        is_refused = False
        while True:
            if self._resolve_command(role, typed_line) is not None:
                raise ExpectationError("this is legal here")
            actual = [*self._refusals(role, typed_line)]
            is_refused |= any(
                _cites_rules(refusals, expected_rules, quantifier) for _, refusals in actual
            )
            is_waiting = any(
                covers_rule(rule, decision.rule)
                for decision in self.rules.pending_decisions(self.state)
                for rule in expected_rules
            )
            if (is_refused and is_waiting) or not self._pass_window_without_dice(role):
                break
        if not actual:
            raise ExpectationError("this is legal here")
        if not is_refused:
            raise ExpectationError(
                f"not refused by {', '.join(expected_rules)}, but instead: {actual[0][0]}"
            )

    # expectations:

    def expect(self, words: Sequence[str]) -> None:
        """Check one ``expect`` line."""
        self.begin()
        self.expectations += 1
        problem = self._check_common(words)
        if problem is None:
            problem = self.game_words.expectation_problem(self.state, self.set_up_state, words)
        if problem:
            raise ExpectationError(problem)

    def _check_common(self, words: Sequence[str]) -> str | None:
        """Check an ``expect`` line of a kind that all games share. Return None for the game's own kinds."""
        match words:
            case ["option", _, *_] | ["no", "option", _, *_] | ["options", _] | ["default", _, *_]:
                return self._check_options(words)
            case ["asked", *roles]:
                active_roles = self.rules.active_roles(self.state)
                expected_text = {
                    self.named_role(role) for role in roles if normalise_word(role) != _NOBODY
                }
                return (
                    ""
                    if set(active_roles) == expected_text
                    else f"roles being asked: {' '.join(active_roles) or _NOBODY}"
                )
            case ["rule", rule]:
                rules = {question.rule for question in self.rules.pending_decisions(self.state)}
                actual_text = (
                    f"the open question comes from {', '.join(sorted(rules)) or 'no rule'}"
                )
                return (
                    ""
                    if any(covers_rule(rule, pending_rule) for pending_rule in rules)
                    else actual_text
                )
            case ["prompt", *text]:
                prompts = [question.prompt for question in self.rules.pending_decisions(self.state)]
                return _check_contains(
                    prompts, text, f"the question is: {'; '.join(prompts) or 'nothing'}"
                )
            case ["heading", *text]:
                heading = self.rules.heading(self.state)
                return _check_contains([heading], text, f"it is: {heading}")
            case ["said", *text]:
                return _check_contains(self.log, text, self._missing_log_text(" ".join(text)))
            case ["no", "said", *text]:
                return "" if _check_contains(self.log, text, "no") else "the log contains it"
            case ["dice", "used"]:
                faces = self.dice.scripted.faces_left
                prompt_lines = pluralise(faces, "scripted face was", "scripted faces were")
                return "" if faces == 0 else f"{prompt_lines} not rolled"
            case ["draws", "used"]:
                names = " ".join(copies[0] for copies in self.dice.scripted_draws)
                return f"not drawn: {names}" if names else ""
            case ["winner", _] | ["outcome", *_] | ["no", "end"]:
                return self._check_end(words)
            case _:
                return None

    def _missing_log_text(self, text: str) -> str:
        similar_sentences = "; ".join(most_similar(text, self.log, _MAX_SENTENCES_SHOWN))
        return f"the log does not contain '{text}'; the nearest sentence is: {similar_sentences or 'nothing'}"

    def _check_options(self, words: Sequence[str]) -> str:
        """Check whether the expected options are offered."""
        match words:
            case ["option", *line]:
                return self._check_offered(line)
            case ["no", "option", *line]:
                problem = self._check_offered(line, must_be_known=True)
                return "" if problem else "it is offered"
            case ["options", number]:
                count = sum(
                    len(decision.options) for decision in self.rules.pending_decisions(self.state)
                )
                is_expected = number == str(count)
                return (
                    ""
                    if is_expected
                    else pluralise(count, "option is offered", "options are offered")
                )
            case [_, *line]:
                pending = self.rules.pending_decisions(self.state)
                typed_line = TypedLine(self.lexicon, " ".join(line))
                defaults = [self.rules.notation.line(decision.default) for decision in pending]
                return (
                    ""
                    if any(map(typed_line.matches, defaults))
                    else f"the default is: {'; '.join(defaults)}"
                )
            case _:
                return "no question is open"

    def _check_offered(self, line: Sequence[str], *, must_be_known: bool = False) -> str:
        """Return the reason why a line is not offered. Empty if it is offered.

        Args:
            line: The words, optionally preceded by a role and its colon.
            must_be_known: True to reject words that cannot occur in any line of this game, because the absence of such
                a line proves nothing.
        """
        role = self.named_role(line[0].removesuffix(":")) if line[0].endswith(":") else None
        typed_line = self._parse_line(" ".join(line[1:] if role else line), role)
        if must_be_known and typed_line.unknown_word_error():
            raise ValueError(typed_line.unknown_word_error())
        lines = self._option_lines(role)
        if any(map(typed_line.matches, lines)):
            return ""
        if not lines:
            return f"{role} is not being asked" if role else "no one is being asked"
        similar_lines = nearest_lines(next(typed_line.spellings()), lines, _MAX_LINES_SHOWN)
        return f"{_offered_prefix(lines)}: {'; '.join(similar_lines)}"

    def _check_end(self, words: Sequence[str]) -> str:
        """Check how the game ended."""
        outcome = self.rules.outcome(self.state)
        match words:
            case ["no", "end"]:
                return "" if outcome is None else f"the game is over: {outcome.reason}"
            case _ if outcome is None:
                return "the game is not over"
            case ["winner", winner]:
                winner_name = outcome.winner_name
                return (
                    ""
                    if normalise_word(winner_name) == normalise_word(winner)
                    else f"the winner is {winner_name}: {outcome.reason}"
                )
            case _:
                return _check_contains(
                    [outcome.reason], words[1:], f"the reason is: {outcome.reason}"
                )


def _offered_prefix(lines: Sequence[str]) -> str:
    verb = "is" if is_singular(len(lines)) else "are"
    return f"{count_noun(len(lines), 'option')} {verb} offered, such as"


def _cites_rules(
    refusals: Sequence[Refusal],
    expected_rules: Sequence[str],
    quantifier: Callable[[Iterable[bool]], bool],
) -> bool:
    """Return whether all (or any) of the expected rules are among the reasons for a refusal."""
    return quantifier(
        any(covers_rule(rule, refusal.rule) for refusal in refusals) for rule in expected_rules
    )


def _rule_not_reached_text(rule: str, rules_met: Sequence[str] | dict[str, None]) -> str:
    suffix = f"; rules that asked: {', '.join(rules_met)}" if rules_met else ""
    return f"rule {rule} was not reached{suffix}"


def _check_contains(texts: Sequence[str], words: Sequence[str], problem: str) -> str:
    """Return an error message if none of the texts contains the words, otherwise an empty string."""
    expected_text = " ".join(words).casefold()
    return "" if any(expected_text in text.casefold() for text in texts) else problem
