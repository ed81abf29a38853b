"""The table with a seat: choose, try, undo, commit; others move in the background."""

import asyncio
from typing import Final

from textual import events, on, work
from textual.binding import Binding

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import Command, View
from play.choices import Choice
from play.session import CommandResult, Session
from tui.areamap.widget import AreaMap
from tui.orders import order_entries
from tui.people import waiting_words, winner_words
from tui.presenter import Presenter
from tui.screens.prompt import ChoiceDialog, ConfirmDialog, CoverDialog, LineDialog, TextDialog
from tui.screens.table import MAP_SHARE, TableScreen
from tui.widgets.decision import DecisionPanel
from tui.widgets.lines import Lines
from tui.widgets.mapview import MapView

_POLL_SECONDS: Final = 0.5
_OPENING_SECONDS: Final = 1.0
"""When the opening is drawn for the next game of its kind: the first keys of this one come first."""
_SEVERAL: Final = 2
_SAFE: Final = "Everything before is safe. Leave with q, mend what is wrong, and resume the game."


class PlayScreen(TableScreen):
    """One seat of a running game."""

    KEYS = (
        "Enter pick  Esc back  c commit  u undo  w why  Tab list  h hand  l log  ? keys"
        "  n/p next  z zoom  : command  / find"
    )
    BINDINGS = [
        Binding("n", "next(1)", "Next choice", show=False),
        Binding("p", "next(-1)", "Previous choice", show=False),
        Binding("d", "take", "Take the choice under the bar", show=False),
        Binding("D", "done", "Done with this step", show=False),
        Binding("escape", "back", "Back to the list above", show=False),
        Binding("c", "commit", "Commit what was tried", show=False),
        Binding("u", "undo", "Undo the last try", show=False),
        Binding("w", "why", "Why not here", show=False),
        Binding("colon", "command", "Command line", show=False),
        Binding("r", "report", "Question again", show=False),
        Binding("B", "seen", "What was seen last", show=False),
        Binding("y", "say", "Say to the table", show=False),
        Binding("m", "other_role", "Look at another of your roles", show=False),
        Binding("j", "orders", "Standing orders: answers without being asked", show=False),
        Binding("ctrl+z", "take_back", "Take back the last own command", show=False),
    ]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Take a seat."""
        super().__init__(session, presenter)
        self.KEYS = presenter.keys or self.KEYS
        self._seq = -2
        self._focus = ""
        self._answering = False
        self._sending = False
        self._told_seq = session.seq
        self._told_view: View = session.view()
        """The table of which the last report told the end."""
        self._seen: tuple[str, ...] = ()
        self._seen_why: tuple[str, ...] = ()
        """What was seen since the last own command, without reasons and with them."""
        self._is_telling = False
        """An option is told about where else the place under the cursor is."""

    def on_mount(self) -> None:
        """Show the table and let the others begin."""
        self.map.focus()
        self.ask()
        self.others()
        self.session.listen(self._ring)
        self.set_interval(_POLL_SECONDS, self.poll)
        if briefing := self.session.briefing():
            self.app.push_screen(TextDialog(self.session.title, briefing))
        if self.is_drawn and not self.session.seq:
            self.set_timer(_OPENING_SECONDS, self._draw_opening)

    def _draw_opening(self) -> None:
        if not self.session.seq and self.app.screen is self:
            self.opening = self.still()

    def poll(self) -> None:
        """Show what came in from outside."""
        if self.session.seq != self._seq:
            self.ask()
            self.others()
        else:
            self.show_header()
            self.panel.show_note(self._note())
            if self.session.can_talk:
                self.show_log()
        question = self.session.takeback_question()
        if question and not self._answering:
            self.consent(question)

    def _ring(self) -> None:
        self.call_later(self.poll)

    @work
    async def consent(self, question: str) -> None:
        """Ask whether another seat may take something back."""
        self._answering = True
        try:
            agree = await self.app.push_screen_wait(ConfirmDialog(question))
            await self.session.answer_takeback(agree=bool(agree))
        except FlagplotError as error:
            self.tell(str(error))
        finally:
            self._answering = False

    @work
    async def action_say(self) -> None:
        """Say a line to the others."""
        if not self.session.can_talk:
            self.tell("Nobody else is at this table.")
            return
        text = await self.app.push_screen_wait(LineDialog("Say to the table", limit=280))
        if text:
            try:
                await self.session.say(text)
            except FlagplotError as error:
                self.tell(str(error))

    # -- the question

    def ask(self) -> None:
        """Show the session with its open question."""
        self._seq = self.session.seq
        session = self.session
        self._view = session.view()
        self._see()
        decision = session.decision()
        options = decision.options if decision is not None else ()
        if self.looked_at not in options:  # what was done or tried cannot be drawn as a plan
            self.looked_at = None
        default = decision.default if decision is not None else None
        lines = self.presenter.offers(self._view, options, session.any_time(), default)
        if decision is not None:
            self.panel.ask(f"Decision {decision.rule}", decision.prompt, lines, self._note())
        else:
            self.panel.ask("Decision", self._standing(), lines, self._note())
        self.show_all()
        focus = self.presenter.focus(self._view)
        if focus and focus != self._focus:
            self.map.point_at(focus)
        self._focus = focus
        if self.map.has_focus and lines and not self._place_of(lines[0]):
            self.panel.rows.focus()

    def _see(self) -> None:
        """Gather what was seen while the game went on."""
        session, after = self.session, self._view
        if session.seq <= self._told_seq or session.drafted:
            return
        events, before = session.events(self._told_seq), self._told_view
        self._told_seq, self._told_view = session.seq, after
        plain, explained = (
            self.presenter.report(events, before, after, is_explained=why) for why in (False, True)
        )
        if plain:
            self._seen, self._seen_why = plain, explained

    def dock_lines(self) -> tuple[str, ...]:
        """Return what was seen last, then what the game shows beside the log."""
        lines = super().dock_lines()
        return (*self._seen, "", *lines) if self._seen else lines

    def action_seen(self) -> None:
        """Read what was seen last, with every roll."""
        self.read("What was seen", self._seen_why or ("Nothing was seen yet.",))

    def _note(self) -> str:
        """Return what is tried, and trouble with the line, which a narrow header cuts off."""
        tried = self.session.tries
        status = self.session.status()
        lines = [f"{tried} tried: c commits, u undoes"] if tried else []
        if self._sending and self.session.can_talk:
            lines.append("sending: waits for the host")
        if status and ("away" in status or not status.startswith("* host")):
            lines.append(status)
        return "\n".join(lines)

    def _standing(self) -> str:
        """Return why there is no question."""
        if self.session.outcome() is not None:
            return winner_words(self.session, self.presenter)
        if self.session.drafted:
            return "Everything is tried. c commits it, u undoes."
        return waiting_words(self.session, self.presenter)

    @on(DecisionPanel.Opened)
    def opened(self) -> None:
        """Mark on the map what the list offers now."""
        self.show_map()
        self.share_lines()

    def on_descendant_focus(self) -> None:
        """Share the lines anew when the list or the map is used."""
        self.share_lines()

    def on_resize(self, event: events.Resize) -> None:
        """Share the lines of another size."""
        super().on_resize(event)
        self.call_after_refresh(self.share_lines)

    def share_lines(self) -> None:
        """While a long list below a map is used, the map lends it lines."""
        the_map = self.map
        if isinstance(the_map, AreaMap):
            body = self.query_one("#body").size.height
            room = int(body * MAP_SHARE)
            have = body - min(the_map.extent().height, room)
            lacking = self.panel.lines_wanted() - have if self.panel.rows.has_focus else 0
            the_map.lend(lacking, room)

    @on(DecisionPanel.Looked)
    def looked(self, event: DecisionPanel.Looked) -> None:
        """Point at what the bar stands on, and tell about it."""
        self._draw_looked(event.choice.command)
        place = self._place_of(event.choice)
        if place and self.panel.rows.has_focus and not self.map.is_calm:
            self.map.point_at(place)
        self._tell_about(event.choice)

    def _draw_looked(self, command: Command | None) -> None:
        """Show on the map what the bar stands on, in games whose map shows that."""
        if self.presenter.draws_looked and command != self.looked_at:
            self.looked_at = command
            self.show_map()

    def _tell_about(self, choice: Choice) -> None:
        """Show what belongs to an option instead of the place under the cursor."""
        title, lines = (
            ("", ())
            if choice.is_heading
            else self.presenter.about(self._view, choice.command, self.aim)
        )
        if title:
            panel = self.query_one("#hex", Lines)
            panel.entitle(title)
            panel.show(lines)
            panel.scroll_home(animate=False)
        elif self._is_telling:
            self.show_hex()
        self._is_telling = bool(title)

    def _place_of(self, choice: Choice) -> str:
        command = next(choice.commands(), None)
        places = self.presenter.places(self._view, command) if command is not None else ()
        return places[0] if places else ""

    def action_next(self, step: int) -> None:
        """Move the bar and point at what it stands on."""
        self.panel.step(step)
        row = self.panel.rows.highlighted
        if row is not None and row < len(self.panel.shown):
            place = self._place_of(self.panel.shown[row])
            if place:
                self.map.point_at(place)

    def action_back(self) -> None:
        """Show the list above the one that is open."""
        self.panel.action_up()

    def action_take(self) -> None:
        """Take the choice under the bar."""
        self.panel.take()

    def action_done(self) -> None:
        """End the step, where the question has an answer that says so."""
        notation = self.presenter.ruleset.notation
        done = [one for one in self._offered() if notation.verb(one) == "done"]
        if len(done) == 1:
            self.make_sure(done[0])
        else:
            self.tell("This question is not ended by Done.")

    @on(MapView.Picked)
    def picked(self, event: MapView.Picked) -> None:
        """Take what the list offers for a place, or show it when there is more than one."""
        here = [
            command
            for command in self._offered()
            if event.place in self.presenter.places(self._view, command)
        ]
        if not here:
            name = self.presenter.place_name(event.place)
            self.tell(f"Nothing to choose in {name}; w tells why not.")
        elif len(here) == 1:
            self.make_sure(here[0])
        else:
            lines = self.presenter.choices(self._view, here)
            self.panel.narrow(lines, self.presenter.place_name(event.place))
            self.panel.rows.focus()

    # -- doing

    @on(DecisionPanel.Chosen)
    def chosen(self, event: DecisionPanel.Chosen) -> None:
        """Do what was taken from the list; a key that came after the list had changed does nothing."""
        if event.command in self.session.offered():
            self.make_sure(event.command)

    def do(self, command: Command) -> None:
        """Do what was ordered on a board, if it is still offered."""
        if command in self.session.offered():
            self.make_sure(command)

    @work
    async def make_sure(self, command: Command) -> None:
        """Do a command, after a question if it is easily given by mistake."""
        question = self.presenter.warning(self._view, command, self.session.offered())
        if question:
            is_sure = await self.app.push_screen_wait(ConfirmDialog(question))
            if not is_sure:
                return
        self.give(command)

    @work
    async def give(self, command: Command) -> None:
        """Try or do a command."""
        if not self._may_send():
            return
        words = self.presenter.label(self._view, command)
        try:
            result = await self.session.give(command)
        except FlagplotError as error:
            self.app.push_screen(TextDialog("Not now", str(error)))
            return
        finally:
            self._sending = False
        self.ask()
        if result is CommandResult.DRAFTED:
            self.tell(f"Tried: {words}")
        else:
            self.others()

    def _may_send(self) -> bool:
        """Take the line to the judge; a second command never cuts off one that is on its way."""
        if self._sending:
            self.tell("Still sending; the answer of the host is awaited.")
            return False
        self._sending = True
        self.log_is_read()
        return True

    @work
    async def action_commit(self) -> None:
        """Do everything tried for good."""
        if not self.session.drafted:
            self.tell("Nothing is tried.")
            return
        if not self._may_send():
            return
        self.tell("Sending what was tried.")
        try:
            await self.session.commit()
        except FlagplotError as error:
            self.app.push_screen(TextDialog("Not taken", str(error)))
        finally:
            self._sending = False
        self.ask()
        self.others()

    def action_undo(self) -> None:
        """Forget the last try."""
        command = self.session.undo()
        if command is None:
            self.tell("Nothing to undo; ctrl+z takes back what is committed.")
            return
        self.ask()
        self.tell(f"Forgot: {self.presenter.label(self._view, command)}")

    @work(exclusive=True, group="others")
    async def others(self) -> None:
        """Let those who live in this program move, then call the next person."""
        try:
            while await self.session.advance():
                self.ask()
                await asyncio.sleep(0)
        except FlagplotError as error:
            self.app.push_screen(TextDialog("The game stops here", f"{error}\n{_SAFE}"))
            return
        role = self.session.next_person()
        if role is None:
            return
        is_same = role in self.session.mine
        self.session.sit_down(role)
        name = self.presenter.role_name(role)
        needs_cover = not (is_same or self.session.ruleset.is_open)
        if needs_cover:
            await self.app.push_screen_wait(CoverDialog(f"{name} to the keyboard. Ready?"))
        self.ask()
        if not needs_cover:
            self.tell(f"{name} is asked.")

    def action_other_role(self) -> None:
        """Look at the next role of the same person."""
        mine = self.session.mine
        if len(mine) < _SEVERAL or self.session.role is None:
            self.tell("You play one role.")
            return
        role = mine[(mine.index(self.session.role) + 1) % len(mine)]
        self.session.look(role)
        self.ask()
        self.tell(f"You look at {self.presenter.role_name(role)}.")

    @work
    async def action_orders(self) -> None:
        """Ask what shall be answered in windows without asking."""
        title, entries = order_entries(self.session, self.presenter)
        order = await self.app.push_screen_wait(ChoiceDialog(title, entries))
        if not order:
            return
        try:
            told = self.session.order(order)
        except FlagplotError as error:
            self.tell(str(error))
            return
        self.ask()
        self.tell(" ".join(told))
        self.others()

    @work
    async def action_take_back(self) -> None:
        """Set the game back to before the last own command, if the table agrees."""
        question = "Take back your last command? It stays in the record, and others must agree."
        if await self.app.push_screen_wait(ConfirmDialog(question)):
            try:
                answer = await self.session.take_back()
            except FlagplotError as error:
                answer = str(error)
            self.ask()
            self.tell(answer)

    # -- asking

    def action_report(self) -> None:
        """Show the question from its top."""
        self.ask()

    @work
    async def action_why(self) -> None:
        """Tell which rules forbid what is not offered in this place."""
        decision = self.session.decision()
        if decision is None:
            self.tell("You have no decision to make now.")
            return
        lines: list[str] = []
        for command in self.presenter.candidates(self._view, decision, self.map.cursor):
            refusals = self.session.refusals(command)
            lines.append(f"{self.presenter.label(self._view, command)}:")
            lines.extend(f"  {refusal}" for refusal in refusals)
            if not refusals:
                lines.append("  nothing forbids it")
        self.read(
            f"Why not in {self.presenter.place_name(self.map.cursor)}",
            lines or (f"This step asks nothing about this {self.presenter.place_word}.",),
        )

    @work
    async def action_command(self) -> None:
        """Read a command in the notation and do it."""
        from tui.screens.lookup import CommandDialog

        options = self.session.offered()
        notation = self.session.ruleset.notation
        line = await self.app.push_screen_wait(
            CommandDialog(lambda prefix: notation.complete(prefix, options))
        )
        if not line:
            return
        try:
            command = self.session.parse(line)
        except FlagplotError as error:
            self.app.push_screen(TextDialog("Not a command", str(error)))
            return
        self.make_sure(command)
