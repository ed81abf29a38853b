"""Choosing options: the list and the map offer the same ones, and a chosen option is added to the draft."""

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.binding import Binding

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from play.choices import FLAT, Choice, Standing
from play.questions import question_of
from play.session import Session
from tui.areamap.widget import AreaMap
from tui.people import waiting_words, winner_words
from tui.playback.stage import Stage
from tui.presenter import Found, Presenter
from tui.screens.giving import GivingScreen
from tui.screens.table import MAP_SHARE
from tui.widgets.cards import Hand
from tui.widgets.decision import DecisionPanel, FilterLine
from tui.widgets.keyline import Foot, foot
from tui.widgets.lines import Lines
from tui.widgets.mapview import MapView

_PATIENCE: Final = 2
"""Seconds after which the player is told how long a bot has been thinking."""
_COMMIT: Final = Choice("Commit: carry out the plan", is_commit=True)
"""Listed first when no choices are left, so that one key press too many takes nothing else."""


class ChoosingScreen(GivingScreen):
    """A screen on which a player chooses options."""

    FOOT: ClassVar[tuple[Foot, ...]] = (
        foot("pick", "pick"),
        foot("take", "take"),
        foot("tick", "tick"),
        foot("all", "tick_all"),
        foot("back", "back"),
        foot("undo", "undo"),
        foot("commit", "commit"),
        foot("done", "done"),
        foot("go on", "go_on"),
        foot("list", "other_panel"),
        foot("why not", "why"),
        foot("next", "next(1)", "next(-1)"),
        foot("hand", "hand"),
        foot("log", "log"),
        foot("zoom", "zoom"),
        foot("by name", "narrow"),
        foot("forecast", "forecast"),
        foot("goals", "goals"),
        foot("roster", "roster"),
        foot("panels", "panels"),
        foot("command", "command"),
    )

    BINDINGS = [
        Binding("n", "next(1)", "Next line", show=False),
        Binding("p", "next(-1)", "Line before", show=False),
        Binding("d", "take", "Take the line under the bar", show=False),
        Binding("D", "done", "Done with this step", show=False),
        Binding("escape", "back", "Back to the list above", show=False),
        Binding("backspace", "back", "Back to the list above", show=False),
        Binding("A", "tick_all", "Tick all in this place; again: all of this kind", show=False),
        Binding("slash", "narrow", "Type part of a name", show=False),
        Binding("ctrl+f", "find", "Find", show=False),
        *(
            Binding(str(digit), f"digit({digit})", "Take the line with this digit", show=False)
            for digit in range(1, 10)
        ),
    ]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen without a question."""
        super().__init__(session, presenter)
        self._seq = -2
        self._waited: tuple[tuple[Role, ...], float] = (), 0.0
        """The roles that the game is waiting for, and since when."""
        self._focus = ""
        self._room = 0
        """Height of the question while no other panel lends it lines."""
        self._has_map_keys = False
        """Whether the answers are places, so that the map keeps the focus and its cursor stays put."""
        self._question_overlay: object = None
        """Subject of the last question's overlay (Presenter.question_overlay)."""
        self._is_telling = False
        """Whether the place panel currently describes an option."""

    def named(self, words: str) -> tuple[Found, ...]:
        """Find everything with these words in its name, offered places first."""
        offered = {
            place
            for command in self._offered()
            for place in self.presenter.places(self._view, command)
        }
        return tuple(sorted(super().named(words), key=lambda hit: hit.hex_id not in offered))

    def _see(self) -> None:
        """Collect what the player saw while others moved; derived screens implement this."""

    # -- the question

    def ask(self) -> None:
        """Refresh the screen and show the open question."""
        self._seq = self.session.seq
        self._view = self.session.view()
        self._see()
        self.gather()
        before, question = self.question, question_of(self.session, self.presenter, self._view)
        self.question = question
        decision = question.decision
        options = decision.options if decision is not None else ()
        if self.looked_at not in options:  # a given or drafted command cannot be drawn as a plan
            self.looked_at = None
        self._keep_overlay(options)
        title = f"Decision {decision.rule}" if decision is not None else "Decision"
        prompt = self._standing() if decision is None else self.presenter.prompt(decision)
        is_same = question.mark == before.mark and bool(before.lines)
        lines = question.lines
        if decision is None and self.session.drafted and not self.session.is_adjourned:
            lines = (_COMMIT, *lines)
        self.panel.ask(title, prompt, lines, self._note(), is_same=is_same)
        self.show_all()
        self.call_player(is_asked=decision is not None)
        self.show_focus()
        if not is_same:
            self._give_focus(lines)

    def _keep_overlay(self, options: Sequence[Command]) -> None:
        """Drop the player's overlay when a question with a different overlay of its own is asked."""
        own = self.presenter.question_overlay(self._view, options)
        if own is not None and own != self._question_overlay:
            self.overlay = ""
        self._question_overlay = own

    def show_focus(self) -> None:
        """Move the map to the place that the current step is about, unless a playback is running."""
        focus = "" if self.is_playing_back else self.presenter.focus(self._view)
        if focus and focus != self._focus:
            self.map.point_at(focus)
        self._focus = focus

    def come_back(self) -> None:
        """Return to the place of the question after a playback, and update the status text."""
        self.show_waiting()
        self._focus = self.presenter.focus(self._view)
        line = self.panel.rows.under_bar
        place = self._focus or ("" if line is None else self._place_of(line))
        if self.session.decision() is not None:
            self.map.point_at(place or self.presenter.home(self._view))

    def _give_focus(self, lines: Sequence[Choice]) -> None:
        """Focus the list, or the map if the answers are places too numerous for a list."""
        self._has_map_keys = self._is_of_places(lines)
        if self._has_map_keys:
            self.map.focus()
        elif lines:
            self.panel.rows.focus()

    def _map_hint(self) -> str:
        """Return how to choose while the map has the focus."""
        return f"Enter takes the {self.presenter.place_word} under the cursor; / finds one by name."

    def with_hint(self, words: str) -> str:
        """Return the message after a draft; if the map now has the focus, how to choose there."""
        return self._map_hint() if self._has_map_keys else words

    def _is_of_places(self, lines: Sequence[Choice]) -> bool:
        """Return whether the lines are destinations of a single thing, too many to step through one by one."""
        if any(line.group for line in lines):
            return False
        commands = [one for line in lines if not line.is_aside for one in line.commands()]
        where = {one: next(iter(self.presenter.places(self._view, one)), "") for one in commands}
        about = {one: (self.presenter.subject(self._view, one) or ("",))[0] for one in commands}
        is_one_thing = len({about[one] for one in commands if where[one] != about[one]} - {""}) <= 1
        return is_one_thing and len(set(where.values()) - {""}) > FLAT

    def _note(self) -> str:
        """Return the note below the question: draft size, and connection problems that a narrow header cuts off."""
        tried = self.session.tries
        status, alerts = self.session.status(), self.session.alerts()
        lines = [f"u undo {tried}   c commit"] if tried else []
        is_held = any("waits for" in alert for alert in alerts) or bool(self.session.hindrance())
        if self._sending and self.session.can_talk and not is_held:
            lines.append("sending: waits for the host")
        if status and (alerts or not status.startswith("* host")):
            lines.append(status)
        return "\n".join(lines)

    def _standing(self) -> str:
        """Return the text shown instead of a question."""
        if self.is_playing_back:
            return "Watch what happens: Space shows the next step, Enter the end."
        if self.session.outcome() is not None:
            return winner_words(self.session, self.presenter)
        if self.session.is_adjourned:
            if self.session.command_resumes:
                return "The match is adjourned; the next command goes on."
            return "The match is adjourned. X resumes it."
        if self.session.drafted:
            return self.presenter.complete(self._view)
        waiting, now = self.session.waiting_for(), time.monotonic()
        if waiting != self._waited[0]:
            self._waited = waiting, now
        seconds = int(now - self._waited[1])
        return waiting_words(self.session, self.presenter, seconds if seconds >= _PATIENCE else 0)

    def mark_answer(self) -> None:
        """Restart the waiting time, because the player is giving a command."""
        self._waited = (), 0.0
        super().mark_answer()

    def show_waiting(self) -> None:
        """Show how long a bot has been thinking, if there is no question; the number changes once a second at most."""
        if self.question.decision is None and not self.session.drafted:
            self.panel.say(self._standing())

    def _open_lines(self) -> Iterator[Choice]:
        for choice in self.panel.shown:
            if not choice.is_aside and choice.standing is Standing.OPEN:
                yield choice

    # -- list and map

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the playback keys while the player types into the filter."""
        if action.startswith("stage_") and isinstance(self.focused, FilterLine):
            return False
        return super().check_action(action, parameters)

    @on(Stage.Turned)
    def stage_turned(self) -> None:
        """Dim the highlighted line while Enter belongs to a playback or a card."""
        rows, is_lit = self.panel.rows, not self.check_action("stage_enter", ())
        if rows.is_lit is not is_lit:
            rows.is_lit = is_lit
            self.refresh_bindings()

    @on(DecisionPanel.Opened)
    def opened(self, event: DecisionPanel.Opened) -> None:
        """Highlight what the list offers now on the map; focus the map for a list of many places."""
        self.show_map()
        self.share_lines()
        if event.heading is not None:
            self._give_focus(event.heading.below)
            if self._has_map_keys:
                self.tell(f"{self._map_hint()} Esc goes back.")

    def on_descendant_focus(self) -> None:
        """Redistribute the lines when the focus moves between list and map."""
        self.share_lines()

    def on_resize(self, event: events.Resize) -> None:
        """Redistribute the lines for the new size."""
        self.remove_class("-long")
        super().on_resize(event)
        self.call_after_refresh(self.share_lines)

    def share_lines(self) -> None:
        """While a long list is in use, let it borrow lines from the map above or the panels below."""
        the_map = self.map
        if not self.has_class("-long"):
            self._room = self.panel.size.height + self.rows_lent()
        is_long = self.panel.has_keys and 0 < self._room < self.panel.lines_wanted()
        self.set_class(is_long, "-long")
        self.call_after_refresh(self.fit_place)
        if isinstance(the_map, AreaMap):
            body = self.query_one("#body").size.height
            room = int(body * MAP_SHARE)
            have = body - min(the_map.extent().height, room)
            lacking = self.panel.lines_wanted() - have if self.panel.has_keys else 0
            the_map.lend(lacking, room)

    @property
    def is_map_held(self) -> bool:
        """Whether the map stays where it is while the highlighted line changes; derived screens override this."""
        return False

    @on(DecisionPanel.Sought)
    def sought(self, event: DecisionPanel.Sought) -> None:
        """Search places, units and cards for words that no line contains."""
        self.find_named(event.words)

    @on(DecisionPanel.Looked)
    def looked(self, event: DecisionPanel.Looked) -> None:
        """Show the highlighted line's place on the map, and describe the option."""
        self._draw_looked(event.choice.command)
        place = self._place_of(event.choice)
        is_led = self.panel.has_keys and not (event.is_new and self._has_map_keys)
        may_move = not (self.map.is_calm or self.is_playing_back or self.is_map_held)
        if place and is_led and may_move:
            self.map.point_at(place)
        self._tell_about(event.choice)

    def _draw_looked(self, command: Command | None) -> None:
        """Draw the highlighted command on the map, in games that support it."""
        if self.presenter.draws_looked and command != self.looked_at:
            self.looked_at = command
            self.show_map()

    def _tell_about(self, choice: Choice) -> None:
        """Describe an option in the place panel, instead of the place under the cursor."""
        self.light_card(tuple(choice.commands()))
        title, lines = (
            ("", ())
            if choice.is_heading
            else self.presenter.about(self._view, choice.command, self.aim)
        )
        if title:
            panel = self.query_one("#hex", Lines)
            panel.entitle(title)
            panel.rest = ""
            panel.show(lines)
            panel.scroll_home(animate=False)
            self.call_after_refresh(self.fit_place)
        elif self._is_telling:
            self.show_hex()
        self._is_telling = bool(title)

    def _place_of(self, choice: Choice) -> str:
        """Return the place of a line; for a heading, the place that the step is about."""
        if choice.is_heading:
            return self._focus
        places = self.presenter.places(self._view, choice.command)
        return places[0] if places else ""

    def action_next(self, step: int) -> None:
        """Focus the list and move to another line."""
        self.panel.rows.focus()
        self.panel.step(step)

    def action_back(self) -> None:
        """Return to the parent list."""
        is_below = self.panel.is_below
        self.panel.action_up()
        if is_below:
            self._give_focus(self.panel.shown)

    def action_take(self) -> None:
        """Choose the highlighted line."""
        self.panel.take()

    def action_digit(self, digit: int) -> None:
        """Choose the line with this digit."""
        self.panel.rows.take_digit(digit)

    def action_narrow(self) -> None:
        """Filter the list if it has the focus, else search places, units and cards."""
        if self.panel.has_keys and self.panel.shown:
            self.panel.filter()
        else:
            self.action_find()

    @on(Hand.Picked)
    def card_picked(self, event: Hand.Picked) -> None:
        """Choose the card's only option, or list its options; a card that can be ticked is ticked or unticked."""
        card = event.card
        lines = [line for line in self.panel.shown if not line.is_heading and not line.is_aside]
        about = [line for line in lines if self.presenter.card_of(line.command) == card]
        ticks = [line for line in about if line.group]
        offered = [one for one in self._offered() if self.presenter.card_of(one) == card]
        if ticks:
            self._take_line(next((one for one in ticks if one.standing is Standing.OPEN), ticks[0]))
        elif len(offered) == 1:
            self.make_sure(offered[0])
        elif offered:
            face = next(face for face in self.query_one(Hand).faces if face.id == card)
            self.panel.narrow(self.presenter.choices(self._view, offered), face.title)
            self.panel.rows.focus()
        else:
            self.tell("This card cannot be used now.")

    def foot_entry(self, entry: Foot) -> Foot | None:
        """Return an entry of the key line; None if its key does nothing now."""
        action = entry.actions[0]
        if action in {"undo", "commit"} and not self.session.drafted:
            return None
        if action in {"tick", "tick_all"} and not any(line.group for line in self.panel.shown):
            return None
        if action == "done" and not self._ends():
            return None
        if action == "back" and not self.panel.is_below:
            return None
        if action == "take" and not self.panel.shown:
            return None
        if action == "other_panel":
            return foot("list" if self.map.has_focus else "map", action)
        return super().foot_entry(entry)

    def action_done(self) -> None:
        """End the step, if the question has exactly one answer that does."""
        done = self._ends()
        if len(done) == 1:
            self.make_sure(done[0])
        else:
            asked = self.question.decision is not None
            self.tell("Done does not end this question." if asked else self._standing())

    def _ends(self) -> list[Command]:
        """Return the commands that end the step."""
        notation = self.presenter.ruleset.notation
        return [one for one in self.session.offered() if notation.verb(one) == "done"]

    @on(MapView.Picked)
    def picked(self, event: MapView.Picked) -> None:
        """Choose the place's only option, or list its options; where lines can be ticked, tick or untick them all."""
        name = self.presenter.place_name(event.place)
        lines = [line for line in self.panel.shown if line.group and self._is_at(line, event.place)]
        if lines:
            self._tick_place(lines, name)
            return
        here = self.presenter.plainest(
            [
                command
                for command in self._offered()
                if event.place in self.presenter.places(self._view, command)
            ]
        )
        if not here:
            self.tell(f"Nothing to choose in {name}; w tells why not.")
        elif len(here) == 1:
            self.make_sure(here[0])
        else:
            self.panel.narrow(self.presenter.choices(self._view, here), name)
            self.panel.rows.focus()

    def _is_at(self, line: Choice, place: str) -> bool:
        return place in self.presenter.places(self._view, line.command)

    def _tick_place(self, lines: Sequence[Choice], name: str) -> None:
        """Tick every open line of a place; if none is open, untick the ticked ones."""
        are_open = [line for line in lines if line.standing is Standing.OPEN]
        ticked = [line for line in lines if line.standing is Standing.TICKED]
        if are_open:
            self.give_all([line.command for line in are_open])
        elif ticked:
            self.untick([line.command for line in ticked])
        else:
            self.tell(f"Nothing more to tick in {name}; w tells why not.")

    def action_tick_all(self) -> None:
        """Tick all open lines of the highlighted line's group and place; if there are none, all lines of its group."""
        lines = [line for line in self._open_lines() if line.group]
        looked = self.panel.rows.under_bar
        if looked is None or not looked.group:
            looked = lines[0] if lines else None
        kind = [line for line in lines if looked is not None and line.group == looked.group]
        here = [line for line in kind if looked is not None and line.over == looked.over]
        if kind:
            self.give_all([line.command for line in here or kind])
        else:
            self.tell("There is nothing to tick.")

    @on(DecisionPanel.Chosen)
    def chosen(self, event: DecisionPanel.Chosen) -> None:
        """Carry out the line chosen from the list."""
        if event.choice.is_commit:
            self.call_next(self.run_action, "commit")
        else:
            self._take_line(event.choice)
