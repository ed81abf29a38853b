"""A game's texts and playing aids: options in words, warnings, and answers to routine decisions.

The base class works without a screen and for any game, because it needs only the text notation.
`tui.presenter.presenter.Presenter` adds what screens show.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.choices import (
    NO_CONSEQUENCE,
    Cells,
    Choice,
    Consequence,
    OptionTexts,
    Tick,
    build_choice_tree,
)


class RequiredTexts:
    """Texts that every game should provide. The defaults use only the text notation."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self.ruleset = ruleset

    def label(self, view: View, command: Command) -> str:
        """Return the text of an option."""
        del view
        return self.ruleset.notation.line(command)

    def detail(self, view: View, command: Command) -> str:
        """Return the text of an option under a heading that names its subject."""
        return self.label(view, command)

    def short_label(self, view: View, command: Command) -> str:
        """Return the text of an option under a heading that names its verb."""
        return self.label(view, command)

    def kind(self, command: Command) -> str:
        """Return the heading for all options that share a verb."""
        notation = self.ruleset.notation
        return notation.summary(command).rstrip(".") or notation.verb(command)

    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        """Return the key and name of an option's subject, such as a unit or a card; None if it has no subject."""
        del view
        fields = command.__struct_fields__
        value = str(getattr(command, fields[0])) if fields else ""
        return (value, value) if value else None

    def cells(self, view: View, command: Command, *, has_place: bool = True) -> Cells:
        """Return an option in columns: a symbol, a name, then the figures that matter; empty if plain text is clearer.

        Args:
            view: The player's view.
            command: The option.
            has_place: True includes the option's place in the columns.
        """
        del view, command, has_place
        return ()

    def tick(self, view: View, command: Command) -> Tick | None:
        """Return how to list an option that can be ticked; None if only one option of its kind can be chosen."""
        del view, command
        return None

    def places(self, view: View, command: Command) -> tuple[str, ...]:
        """Return the places that a command refers to, with the target first."""
        del view, command
        return ()

    def place_name(self, place: str) -> str:
        """Return the name of a place as used in a sentence."""
        return place

    def candidates(self, view: View, decision: Decision[Any], hex_id: str) -> tuple[Any, ...]:
        """Return the commands, legal or not, that a player may mean by selecting this place in this step."""
        del view, decision, hex_id
        return ()

    def consequence(
        self,
        view: View,
        command: Command,
        options: Sequence[Any] = (),
        default: Command | None = None,
    ) -> Consequence:
        """Return the loss that a command causes, or why it may be a mistake.

        Args:
            view: The player's view.
            command: The command that the player may give.
            options: All the options.
            default: The decision's default; None if no decision is open.
        """
        del view, command, options, default
        return NO_CONSEQUENCE

    def role_name(self, role: Role | None) -> str:
        """Return a role's name as shown on the screen."""
        return "spectator" if role is None else role.title()

    def role_phrase(self, role: Role) -> str:
        """Return the name of a role or team for use within a sentence."""
        return self.role_name(role)


class GameTexts(RequiredTexts):
    """All texts of a game. A game overrides the methods below only if it has something to add."""

    repeating_commands: tuple[type[Command], ...] = ()
    """Kinds of commands after which :meth:`repeated_answer` may answer the player's next decisions."""
    can_wait = False
    """True if :meth:`automatic_answer_while_waiting` answers routine decisions for a waiting player."""

    def card_id(self, command: Command) -> str:
        """Return the id, as in `cards`, of the card that a command is about; empty if it is not about a card."""
        return str(getattr(command, "card", "") or "")

    def choices(self, view: View, options: Sequence[Any]) -> tuple[Choice, ...]:
        """Arrange options as a shallow tree."""
        option_texts = OptionTexts(
            partial(self.label, view),
            partial(self.detail, view),
            partial(self.subject, view),
            self.kind,
            partial(self.short_label, view),
            partial(self.cells, view),
            self.has_own_list,
        )
        return build_choice_tree(self.ruleset.notation, options, option_texts)

    def arrange_options(
        self,
        view: View,
        options: Sequence[Any],
        free_actions: Sequence[Any],
        default: Command | None = None,
    ) -> tuple[Choice, ...]:
        """Arrange options as a shallow tree, with the any-time commands under a separate heading.

        Args:
            view: The player's view.
            options: The answers to the decision; empty if no decision is open.
            free_actions: Commands that can be given at any time, even if no decision is open.
            default: The answer that is used if the player does not answer.
        """
        del default
        lines = self.choices(view, options) if options else ()
        extra_commands = tuple(command for command in free_actions if command not in options)
        if not extra_commands:
            return lines
        children = self.choices(view, extra_commands)
        return (
            *lines,
            Choice("At any time", None, children, len(extra_commands), is_any_time=True),
        )

    def has_own_list(self, command: Command) -> bool:
        """Return whether options with the command's verb always form a sublist, however few there are."""
        del command
        return False

    def step_ends(self, view: View, options: Sequence[Any]) -> tuple[Any, ...]:
        """Return the options that end the current step."""
        del view
        verb = self.ruleset.notation.verb
        return tuple(option for option in options if verb(option) == "done")

    def closed_step_notice(self, view: View, given_command: Command) -> str:
        """Return a notice if a command has ended its step without a further command, so that D is not needed for it.

        Args:
            view: The view after the command.
            given_command: The last command of the draft.
        """
        del view, given_command
        return ""

    def step_end(self, view: View) -> Command | None:
        """Return the command that would end the current step, legal or not; None if it is not known."""
        del view
        return None

    def question_stage(self, view: View) -> object:
        """Return a value that distinguishes successive decisions under the same rule.

        If the value changes, earlier ticks no longer belong to the current question.
        """
        del view
        return None

    def has_outlook(self, command: Command) -> bool:
        """Return whether to show the `outlook` for this option."""
        del command
        return False

    def outlook(
        self, view: View, command: Command, next_decision: Decision[Any]
    ) -> tuple[str, str] | None:
        """Describe the player's next choices after an option, as a short text and a sentence.

        Return None if there is nothing worth showing.

        Args:
            view: The player's view after the option.
            command: The option.
            next_decision: The same player's next decision once the option has been chosen.
        """
        del view, command, next_decision
        return None

    def likeliest_commands(self, commands: Sequence[Any]) -> tuple[Any, ...]:
        """Return the commands that the player most likely means when choosing a place, such as moving there."""
        return tuple(commands)

    def prompt(self, decision: Decision[Any]) -> str:
        """Return a decision's prompt."""
        return decision.prompt

    def draft_message(self, view: View, command: Command, options: Sequence[Any]) -> str:
        """Return the message shown after a command has been added to the draft.

        Args:
            view: The player's view before the command.
            command: The drafted command.
            options: The options at that point.
        """
        del options
        first_part, _, message_text = self.label(view, command).partition(": ")
        if first_part == "Done":
            return f"Planned: {message_text or 'the end of the step'}"
        return f"Planned: {self.label(view, command)}"

    def draft_news(self, events: Sequence[Any]) -> str:
        """Return text about the side effects of a drafted command, such as hits without effect; usually empty."""
        del events
        return ""

    def only_follow_up(
        self, view: View, given_command: Command, options: Sequence[Any]
    ) -> Command | None:
        """Return the only sensible answer to the decision after the last command; None if the player should choose.

        Args:
            view: The player's current view.
            given_command: The player's last command.
            options: The answers to the decision that followed.
        """
        del view, given_command, options
        return None

    def repeated_answer(
        self, view: View, command: Command, offered_commands: Sequence[Any], options: Sequence[Any]
    ) -> Command | None:
        """Return the answer that the player's last command implies for the next decision; None to ask the player.

        Args:
            view: The player's current view.
            command: The player's last command.
            offered_commands: The options from which the player chose it.
            options: The answers to the next decision.
        """
        del view, command, offered_commands, options
        return None

    def repeat_message(self, answers: Sequence[Command]) -> str:
        """Return the message shown after these answers were repeated; empty for no message."""
        del answers
        return ""

    def plan_complete_text(self, view: View) -> str:
        """Return the message shown once the plan is complete."""
        del view
        return "Your plan is complete. c carries it out, u takes back the last step."

    def unfinished_question(self, view: View) -> str:
        """Return the confirmation question for a commit that would leave something unfinished; empty otherwise."""
        del view
        return ""

    def commit_question(self, view: View) -> str:
        """Return a question that the player must confirm before committing a plan; empty if none is needed.

        The controller does not ask the same question twice in a row.
        """
        del view
        return ""

    def automatic_answer_while_waiting(self, view: View, decision: Decision[Any]) -> Command | None:
        """Return the answer to give for a player who is waiting; None if the player should choose."""
        del view, decision
        return None

    def course_question(self, view: View, text: str) -> str:
        """Return the confirmation question for a course order that may cause a loss; empty for other orders."""
        del view, text
        return ""

    def course_title(self, view: View, course: str) -> str:
        """Return the name of a course order that was given in full."""
        del view
        return course

    def interruption(self, events: Sequence[Any], *, has_courses: bool = False) -> str:
        """Return a sentence about an event that should end the player's wait; empty if there is no such event.

        Args:
            events: The events since the last answer.
            has_courses: True if pieces move under course orders. The passing of time alone then does not end the wait.
        """
        del events, has_courses
        return ""
