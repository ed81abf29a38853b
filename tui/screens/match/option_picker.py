"""Keeps the option list, the map and the cards in sync, and controls the focus and the height of the list."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.kernel.ruleset import Command
from play.choices import MAX_FLAT_OPTIONS, Choice
from play.controller import open_commands
from tui.drawing.colour_roles import TextRole
from tui.widgets.bars.cards import HandView
from tui.widgets.lines import Lines
from tui.widgets.lists.decision import DecisionPanel

if TYPE_CHECKING:
    from tui.screens.match.play import PlayScreen


class OptionPicker:
    """Controls the highlights and the focus on one table screen."""

    def __init__(self, table: "PlayScreen") -> None:
        """Create a picker that has no options yet."""
        self._table = table
        self._presenter = table.presenter
        self.has_map_keys = False
        """True if the options are places to choose on the map.

        The map then has the focus, and its cursor does not move.
        """
        self._focus = ""
        """The place that the current step is about; empty if it is not about a place."""
        self._role = table.session.role
        """The role whose question the map showed last."""
        self._unborrowed_height = 0
        """Height of the decision panel before it borrows lines from other panels."""
        self._overlay: object = None
        """The last value of `Presenter.question_overlay`."""
        self._describes_option = False
        """True while the place panel describes an option."""

    # -- when a new question is asked

    def reset_overlay(self, options: Sequence[Command]) -> None:
        """Discard the player's choice of overlay if the default overlay has changed since the last decision."""
        question_overlay = self._presenter.question_overlay(self._table.view, options)
        if question_overlay is not None and question_overlay != self._overlay:
            self._table.overlay = ""
        self._overlay = question_overlay

    def show_focus(self) -> None:
        """Move the map to the current step's place, unless a playback is running."""
        table = self._table
        focus = "" if table.is_playing_back else self._presenter.focus(table.view)
        if focus and focus != self._focus:
            table.map.point_at(focus)
        self._focus = focus

    def return_to_question(self) -> None:
        """Scroll to the place of the open question after a playback or after a change of role.

        If the question has no place, scroll to the home of the new role, or else back to the cursor.
        """
        table, presenter = self._table, self._presenter
        self._focus = presenter.focus(table.view)
        line = table.panel.rows.under_bar
        place = self._focus or ("" if line is None else self._choice_place(line))
        is_other_role, self._role = self._role != table.session.role, table.session.role
        if not place:
            shows_home = is_other_role and presenter.has_wide_map
            place = presenter.home(table.view) if shows_home else table.map.cursor
        if place and (is_other_role or table.session.decision() is not None):
            table.map.point_at(place)

    def give_focus(self, lines: Sequence[Choice]) -> None:
        """Focus the list. If the options are too many places for a list, focus the map instead."""
        self.has_map_keys = self._are_places(lines)
        if self.has_map_keys:
            self._table.map.focus()
        elif lines:
            self._table.panel.rows.focus()

    def hint(self, message: str) -> str:
        """Return the message for a drafted command, or a hint on choosing places if options are chosen on the map."""
        if not self.has_map_keys:
            return message
        return (
            f"Enter chooses the {self._presenter.place_noun} under the cursor; / finds one by name."
        )

    def asks_for_place(self) -> bool:
        """Return whether the player has to choose a place, not a piece or a card in a place."""
        presenter, view = self._presenter, self._table.view
        return self.has_map_keys or any(
            (presenter.subject(view, command) or ("",))[0] in presenter.places(view, command)
            for command in open_commands(self._table.panel.shown_choices)
        )

    def _are_places(self, lines: Sequence[Choice]) -> bool:
        """Return whether the lines are destinations of a single piece, and too many to step through one by one."""
        if any(line.group for line in lines):
            return False
        presenter, view = self._presenter, self._table.view
        commands = [
            command for line in lines if not line.is_any_time for command in line.commands()
        ]
        places = {command: next(iter(presenter.places(view, command)), "") for command in commands}
        subjects = {command: (presenter.subject(view, command) or ("",))[0] for command in commands}
        is_one_piece = (
            len(
                {subjects[command] for command in commands if places[command] != subjects[command]}
                - {""}
            )
            <= 1
        )
        return is_one_piece and len(set(places.values()) - {""}) > MAX_FLAT_OPTIONS

    # -- when a list opens

    def highlight_choices(self, heading: Choice | None) -> None:
        """Highlight the list's current options on the map. If the list has too many places, focus the map."""
        table = self._table
        table.show_map()
        self.share_lines()
        if heading is not None:
            self.give_focus(heading.children)
            if self.has_map_keys:
                table.show_message(f"{self.hint('')} Esc goes back.")

    def narrow(self, commands: Sequence[Command], title: str) -> None:
        """List the given options under a heading."""
        panel = self._table.panel
        panel.narrow(self._presenter.choices(self._table.view, commands), title)
        panel.rows.focus()

    def go_back(self) -> None:
        """Return to the parent list."""
        panel = self._table.panel
        was_nested = panel.is_nested
        panel.action_up()
        if was_nested:
            self.give_focus(panel.shown_choices)

    def share_lines(self) -> None:
        """While a long list is in use, let it borrow lines from the panels below it."""
        table, panel = self._table, self._table.panel
        if not table.has_class("-long"):
            self._unborrowed_height = panel.size.height + table.panels.borrowed_rows()
        is_long = panel.has_keys and 0 < self._unborrowed_height < panel.lines_wanted()
        table.set_class(is_long, "-long")
        table.call_after_refresh(table.panels.fit_place)

    # -- when the highlight moves

    def show_highlighted(self, event: DecisionPanel.Highlighted) -> None:
        """Show the place of the highlighted line on the map, and describe the option."""
        table, choice = self._table, event.choice
        if choice.command != table.highlighted_command:
            table.highlighted_command = choice.command
            if self._presenter.shows_order_preview:
                table.show_map()
        place = self._choice_place(choice)
        is_chosen_by_player = table.panel.is_filtered or not event.is_new
        follows_bar = table.panel.has_keys and (is_chosen_by_player or not self.has_map_keys)
        may_move = not (table.map.is_calm or table.is_playing_back or table.is_map_held)
        # A new list must not scroll the map away from the area that the player is viewing.
        is_near = is_chosen_by_player or table.map.has_in_view(place)
        if place and follows_bar and may_move and is_near:
            table.map.point_at(place)
        self._describe(choice)

    def describe_highlighted(self) -> None:
        """Describe the highlighted option, if there is one."""
        if (choice := self._table.panel.rows.under_bar) is not None:
            self._describe(choice)

    def _describe(self, choice: Choice) -> None:
        """Describe an option in the place panel, which otherwise describes the place under the cursor."""
        table = self._table
        cards = {self._presenter.card_id(command) for command in choice.commands()}
        table.query_one(HandView).highlight_card(cards.pop() if len(cards) == 1 else "")
        title, lines = (
            ("", ())
            if choice.is_heading
            else self._presenter.about(table.view, choice.command, table.aim)
        )
        if title:
            panel = table.query_one("#hex", Lines)
            has_room = panel.has_room_for_title(title)
            panel.set_title(title if has_room else "")
            panel.overflow_key = ""
            panel.show(lines if has_room else ((title, TextRole.HEAD), *lines))
            panel.scroll_home(animate=False)
            table.call_after_refresh(table.panels.fit_place)
        elif self._describes_option:
            table.show_hex()
        self._describes_option = bool(title)

    def _choice_place(self, choice: Choice) -> str:
        """Return a line's place or, for a heading, the current step's place."""
        if choice.is_heading:
            return self._focus
        places = self._presenter.places(self._table.view, choice.command)
        return places[0] if places else ""
