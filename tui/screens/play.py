"""The screen for playing a seat: widgets and keys. `play.controller` carries out the player's choices."""

from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.worker import WorkerCancelled

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.controller import GameController, offered_in
from play.loglines import LogLine, collapse_repeats
from play.offers import LINES, OfferKind
from play.saved_draft import back_words
from play.session import Session
from tui.drawing.palette import Palette
from tui.orders import order_entries
from tui.playback.battle_board import BattlePage
from tui.playback.controller import PlaybackController
from tui.playback.panel import PlaybackPanel
from tui.presenter import Found, Presenter, Scene, Selection
from tui.screens.chat import ChatDialog
from tui.screens.option_picker import OptionPicker
from tui.screens.prompt import ChoiceDialog, ConfirmDialog, CoverDialog, SureDialog, TextDialog
from tui.screens.question_status import QuestionStatus
from tui.screens.table import TableScreen
from tui.status_bar import Row
from tui.terminal.alerts import Attention
from tui.terminal.settings import Settings
from tui.widgets.cards import Hand
from tui.widgets.decision import DecisionPanel, FilterLine
from tui.widgets.keyline import Foot, foot
from tui.widgets.mapview import MapView

_POLL_SECONDS: Final = 0.5
_OPENING_SECONDS: Final = 1.0
"""Delay before the startup picture is drawn, so that the first keys of the game take precedence."""
_LONGEST_LINE: Final = 280
_SEND: Final = "By mail or chat, as a file or as text; only its reader can open it. P writes it again at any time."
_SAFE: Final = "Everything before is safe. Leave with q, mend what is wrong, and resume the game."
_PLAYING: Final = "Watch what happens: Space shows the next step, Enter the end."
_STAGE_KEYS: Final = (
    ("space", "stage_next", "Next step of the playback"),
    ("enter", "stage_enter", "End of the playback, places of the card"),
    ("escape", "stage_close", "Close playback or card"),
)
_OFFERS: Final = {
    OfferKind.RESIGNATION: "Resign the match",
    OfferKind.DRAW: "Offer a draw",
    OfferKind.ADJOURNMENT: "Offer to adjourn the match",
    OfferKind.RESUMPTION: "Resume the match",
    OfferKind.STOP: "Stop the match, which nobody wins",
}
T = TypeVar("T")


class PlayScreen(TableScreen):
    """One seat of a running game."""

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
        Binding("B", "again", "Watch again what happened", show=False),
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
        Binding("G", "go_on", "Go on until something happens", show=False),
        Binding("y", "say", "Say to the table", show=False),
        Binding("ctrl+z", "take_back", "Take back your last command", show=False),
        Binding("X", "propose", "Resign, offer a draw, adjourn, resume or stop", show=False),
        Binding("c", "commit", "Commit what was tried", show=False),
        Binding("u", "undo", "Undo the last try", show=False),
        Binding("w", "why", "Why not here", show=False),
        Binding("colon", "command", "Command line", show=False),
        Binding("R", "report", "Question again", show=False),
        Binding("P", "post", "Write the move file", show=False),
        Binding("M", "other_role", "Look at another of your roles", show=False),
        Binding("j", "orders", "Standing orders: answers without being asked", show=False),
    ]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Take a seat. Log lines up to the player's own last command count as read."""
        super().__init__(session, presenter)
        self.controller = GameController(session, presenter, self)
        self.picker = OptionPicker(self)
        self.status = QuestionStatus(self.controller, presenter)
        self.director: PlaybackController | None = None
        """Plays back recent events; None until the panels exist."""
        self._seq = -2
        """Number of the last record at the time the question was shown."""
        self._seen: tuple[str, ...] = ()
        """Report on the moves of others since the player's own last command."""
        self._reported: tuple[int, View] = session.seq, self.view
        """Number of the last record that was reported, and the view after it."""
        self._is_answering = False
        """True while the player is being asked about an offer."""
        last = session.last_own()
        if last >= 0:  # lines read before the game was last left are not new
            told = (line for line in collapse_repeats(session.log()) if not line.is_draft)
            self._log_read = sum(line.seq <= last for line in told)
        # these keys have other effects while no playback is running
        for key, action, name in _STAGE_KEYS:
            self._bindings.bind(key, action, name, show=False, priority=True)

    def before_map(self) -> ComposeResult:
        """Compose the playback strip."""
        stage = PlaybackPanel(self.palette, id="stage")
        terminal = getattr(self.app, "terminal", None)
        is_thrifty = terminal is not None and terminal.is_remote
        self.director = PlaybackController(self, stage, self.settings, is_thrifty=is_thrifty)
        yield stage

    def on_mount(self) -> None:
        """Show the game, then let the other seats move."""
        self.map.focus()
        self.game_changed()
        self.session.listen(self._ring)
        self.set_interval(_POLL_SECONDS, self.poll)
        if left := back_words(self.session.tries_back):
            self.tell(left)
        if briefing := self.session.briefing():
            self.app.push_screen(TextDialog(self.session.title, briefing))
        if self.is_drawn and not self.session.seq:
            self.set_timer(_OPENING_SECONDS, self._draw_opening)

    def _draw_opening(self) -> None:
        if not self.session.seq and self.app.screen is self:
            self.opening = self.still()

    def poll(self) -> None:
        """Show the latest changes by other players."""
        if self.session.seq != self._seq:
            self.game_changed()
        else:
            self.show_header()
            self.show_waiting()
            self.panel.show_note(self.status.note())
            if self.session.can_talk:
                self.show_log()
        self.hear_offer()

    def _ring(self) -> None:
        self.call_later(self.poll)

    # -- the question

    def show_question(self) -> None:
        """Refresh the screen and show the open question."""
        controller, session, picker = self.controller, self.session, self.picker
        self._seq = session.seq
        is_same = controller.update()
        self.view = controller.view
        self._report()
        if self.director is not None:
            self.director.gather()
        decision, lines = controller.question.decision, controller.lines
        options = decision.options if decision is not None else ()
        # a command that was given or drafted cannot be drawn as a plan
        if self.looked_at not in options:
            self.looked_at = None
        picker.keep_overlay(options)
        title = f"Decision {decision.rule}" if decision is not None else "Decision"
        prompt = self._no_question() if decision is None else self.presenter.prompt(decision)
        self.panel.ask(title, prompt, lines, self.status.note(), is_same=is_same)
        self.show_all()
        self._alert(is_asked=decision is not None)
        picker.show_focus()
        if not is_same:
            picker.give_focus(lines)

    def _no_question(self) -> str:
        """Return the text shown instead of a question."""
        return _PLAYING if self.is_playing_back else self.status.text()

    def show_waiting(self) -> None:
        """While there is no question, show how long a bot has been thinking. The text changes at most once a second."""
        if self.controller.question.decision is None and not self.session.drafted:
            self.panel.say(self._no_question())

    def _report(self) -> None:
        """Build the report on the events since the last report."""
        session, (seq, before) = self.session, self._reported
        if session.seq <= seq or session.drafted:
            return
        self._reported = session.seq, self.view
        seen = self.presenter.report(session.events(seq), before, self.view, is_explained=False)
        if seen:
            self._seen = seen

    def action_report(self) -> None:
        """Show the question again from the top of its list."""
        self.show_question()

    @work
    async def action_why(self) -> None:
        """Explain which rules forbid the actions that are not offered for the place under the cursor."""
        decision = self.session.decision()
        if decision is None:
            self.tell("You have no decision to make now.")
            return
        lines: list[str] = []
        for command in self.presenter.candidates(self.view, decision, self.map.cursor):
            refusals = self.session.refusals(command)
            lines.append(f"{self.presenter.label(self.view, command)}:")
            lines.extend(f"  {refusal}" for refusal in refusals)
            if not refusals:
                lines.append("  nothing forbids it")
        self.read(
            f"Why not in {self.presenter.place_name(self.map.cursor)}",
            lines or (f"This step asks nothing about this {self.presenter.place_word}.",),
        )

    # -- choosing

    @on(DecisionPanel.Chosen)
    @work
    async def chosen(self, event: DecisionPanel.Chosen) -> None:
        """Carry out the line chosen from the list."""
        if event.choice.is_commit:
            self.call_next(self.run_action, "commit")
        else:
            await self.controller.choose(event.choice)

    @work
    async def do(self, command: Command) -> None:
        """Give a command chosen on a board, if it is still offered."""
        await self.controller.give(command)

    @on(MapView.Picked)
    @work
    async def picked(self, event: MapView.Picked) -> None:
        """Choose the place's only option, or list its options. Lines that can be ticked are all ticked or unticked."""
        several = await self.controller.choose_place(event.place, self.panel.shown)
        if several:
            self.picker.narrow(several, self.presenter.place_name(event.place))

    @on(Hand.Picked)
    @work
    async def card_picked(self, event: Hand.Picked) -> None:
        """Choose the card's only option, or list its options. A card that can be ticked is ticked or unticked."""
        several = await self.controller.choose_card(event.card, self.panel.shown)
        if several:
            faces = self.query_one(Hand).faces
            self.picker.narrow(several, next(face.title for face in faces if face.id == event.card))

    @work
    async def action_done(self) -> None:
        """End the step if exactly one answer to the question does so."""
        done = self.controller.ends()
        if len(done) == 1:
            await self.controller.give(done[0])
        elif self.controller.question.decision is not None:
            self.tell("Done does not end this question.")
        else:
            self.tell(self._no_question())

    @work
    async def action_tick_all(self) -> None:
        """Tick the highlighted line's group at its place or, if nothing is open there, the whole group."""
        await self.controller.tick_all(self.panel.shown, self.panel.rows.under_bar)

    @work
    async def action_commit(self) -> None:
        """Commit the draft."""
        await self.controller.commit()

    def action_undo(self) -> None:
        """Take back the last drafted command."""
        command = self.controller.undo()
        if command is None:
            self.tell("Nothing to undo; ctrl+z takes back what is committed.")
        else:
            self.tell(f"Undone: {self.presenter.label(self.view, command)}")

    @work
    async def action_command(self) -> None:
        """Ask for an offer or a command in the notation, and carry it out."""
        from tui.screens.lookup import CommandDialog

        line = await self.app.push_screen_wait(CommandDialog(self.controller.completions))
        if line:
            await self.controller.enter(line)

    @work
    async def action_post(self) -> None:
        """Write the move file that the other players need, and report its path."""
        if self.session.drafted:
            self.tell("Commit what was tried first (c), or undo it (u).")
            return
        try:
            told = await self.session.post()
        except FlagplotError as error:
            self.tell(str(error))
            return
        self.show_question()
        self.app.push_screen(TextDialog("Move file written", f"{told}\n{_SEND}"))

    # -- the controller's frontend

    def game_changed(self) -> None:
        """Show the question, then let the other players in this program move."""
        self.show_question()
        self.others()

    def other_moved(self, complaint: str) -> None:
        """Show the move of another player in this program, and any problem that occurred meanwhile."""
        self.show_question()
        if complaint:
            self.app.notify(complaint, severity="warning", markup=False)

    async def others_move(self) -> None:
        """Let the other players in this program move, and collect the reports on their moves."""
        earlier, self._seen = self._seen, ()
        with suppress(WorkerCancelled):  # a newer run has updated the screen in the meantime
            await self.others().wait()
        self.show_question()
        self._seen = (*self._seen, *earlier)

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        """Show another role. If it belongs to another person, show a cover first."""
        name = self.presenter.role_name(role)
        if needs_cover:
            await self.app.push_screen_wait(CoverDialog(f"{name} to the keyboard. Ready?"))
        self.show_question()
        self.settle()
        if not needs_cover:
            self.tell(f"{name} is asked.")

    def report_progress(self, sentence: str) -> None:
        """Report the progress of a commit."""
        self.tell(sentence)

    def report_draft(self, command: Command, words: str) -> None:
        """Report a drafted command; if the next answers are places, explain how to choose on the map instead."""
        del command
        self.tell(self.picker.hint(words))

    def report_unticked(
        self, view: View, undone: Sequence[Command], lost: Sequence[Command]
    ) -> None:
        """Report commands that were removed from the draft, and those lost with them."""
        words = "; ".join(self.presenter.label(view, one) for one in (*undone, *lost))
        why = f" {len(lost)} of them not possible without the rest." if lost else ""
        self.tell(f"Undone: {words}.{why}")

    async def confirm(self, question: str, about: Command | OfferKind | None) -> bool:
        """Ask the player to confirm."""
        if isinstance(about, OfferKind):
            is_sure = await self.app.push_screen_wait(ConfirmDialog(question))
        else:
            is_sure = await self.app.push_screen_wait(SureDialog(question))
        return bool(is_sure)

    def before_send(self) -> None:
        """Mark the log as read and end the playback, because the player is giving a command."""
        self.log_is_read()
        self.status.restart()
        if self.director is not None:
            self.director.mark()
        if (attention := self._attention()) is not None:
            attention.answered(self.session.ruleset.title)

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        """Wait for the result of a request."""
        return await request

    # -- other players

    @work(exclusive=True, group="others")
    async def others(self) -> None:
        """Run the bots in this program until a person has to decide, then switch to that person's seat."""
        self.session.think_for(self.settings.thinking)
        try:
            await self.controller.run_others()
        except FlagplotError as error:
            self.app.push_screen(TextDialog("The game stops here", f"{error}\n{_SAFE}"))
            return
        if not await self.controller.change_seat():
            self.settle()

    def settle(self) -> None:
        """Prepare the news card, now that the player is the next to move."""
        if self.director is not None:
            self.director.settle()

    def _alert(self, *, is_asked: bool) -> None:
        """Alert the player if they have to decide after a wait."""
        attention = self._attention()
        if attention is None:
            return
        if is_asked:
            attention.asked(self.settings, self.session.ruleset.title)
        elif self.session.waiting_for() and self.session.can_play:
            attention.wait()

    def _attention(self) -> Attention | None:
        found: Attention | None = getattr(self.app, "attention", None)
        return found

    def action_go_on(self) -> None:
        """Start waiting, unless that is already in progress."""
        if not self.controller.is_going_on:
            self.go_on()

    @work
    async def go_on(self) -> None:
        """Answer routine questions automatically until the player must choose or something happens."""
        if self.director is not None:
            self.director.hold()
        try:
            await self._go_on()
        finally:
            if self.director is not None:
                self.director.release()

    async def _go_on(self) -> None:
        before, self._seen = self._seen, tuple[str, ...]()
        progress = await self.controller.go_on()
        if progress.is_refused:
            return
        if self._seen:
            self.show_question()
        else:
            self._seen = before
        decision = self.session.decision()
        if progress.news:
            self.tell(progress.news)
        elif decision is None:
            self.tell(self._no_question())
        elif progress.answers:
            self.tell(f"Stopped: {decision.prompt}")
        else:
            self.tell("G waits for you here: choose, or press D for done.")

    def action_other_role(self) -> None:
        """Switch to the player's next role."""
        role = self.controller.next_role()
        if role is None:
            self.tell("You play one role.")
        else:
            self.tell(f"You look at {self.presenter.role_name(role)}.")

    @work
    async def action_orders(self) -> None:
        """Ask for a standing order, which answers some response windows automatically."""
        title, entries = order_entries(self.session, self.presenter)
        order = await self.app.push_screen_wait(ChoiceDialog(title, entries))
        if not order:
            return
        try:
            self.tell(" ".join(self.controller.order(order)))
        except FlagplotError as error:
            self.tell(str(error))

    # -- chat and offers

    @work
    async def action_say(self) -> None:
        """Ask for a chat message and send it to the others."""
        if not self.session.can_talk:
            self.tell("Nobody else is at this table.")
            return
        dialog = ChatDialog(self.session.conversation(), _LONGEST_LINE)
        if text := await self.app.push_screen_wait(dialog):
            await self.controller.say(text)

    @work
    async def action_take_back(self) -> None:
        """Take back the player's last command, or ask the others to agree to that."""
        await self.controller.propose(OfferKind.TAKEBACK)

    @work
    async def action_propose(self) -> None:
        """Let the player choose an offer, and make it."""
        matters = self.session.matters()
        if not matters:
            self.tell("Nothing can be proposed here.")
            return
        typed = {matter: line for line, matter in LINES.items()}
        entries = [(matter, f"{_OFFERS[matter]}   :{typed[matter]}") for matter in matters]
        chosen = await self.app.push_screen_wait(ChoiceDialog("With the others", entries))
        if chosen:
            await self.controller.propose(OfferKind(chosen))

    def hear_offer(self) -> None:
        """Ask the player about another seat's offer, unless they are already being asked."""
        question = self.session.offer_question()
        if question and not self._is_answering:
            self.consent(question)

    @work
    async def consent(self, question: str) -> None:
        """Ask whether the player agrees to another seat's offer, and send the answer."""
        self._is_answering = True
        try:
            agree = await self.app.push_screen_wait(ConfirmDialog(question))
            await self.controller.answer_offer(question, agree=bool(agree))
        finally:
            self._is_answering = False
        if self.session.offer_question() != question:
            self.hear_offer()  # another offer arrived while the dialog was open

    # -- list, map and cards

    @property
    def is_map_held(self) -> bool:
        """True if the map stays in place when the highlighted line changes. Subclasses override this."""
        return False

    @on(DecisionPanel.Opened)
    def opened(self, event: DecisionPanel.Opened) -> None:
        """Show the list that has been opened."""
        self.picker.show_list(event.heading)

    @on(DecisionPanel.Looked)
    def looked(self, event: DecisionPanel.Looked) -> None:
        """Show the place and the description of the highlighted line."""
        self.picker.look(event)

    @on(DecisionPanel.Sought)
    def sought(self, event: DecisionPanel.Sought) -> None:
        """Search for places, units and cards that match words found in no line."""
        self.find_named(event.words)

    def named(self, words: str) -> tuple[Found, ...]:
        """Find everything whose name contains these words, listing offered places first."""
        commands = offered_in(self.panel.shown)
        offered = {place for one in commands for place in self.presenter.places(self.view, one)}
        return tuple(sorted(super().named(words), key=lambda hit: hit.hex_id not in offered))

    def on_descendant_focus(self) -> None:
        """Redistribute the lines when the focus moves between the map and the list."""
        self.picker.share_lines()

    def on_resize(self, event: events.Resize) -> None:
        """Resize the playback strip. Redistribute the lines once the map has its new size."""
        self.remove_class("-long")
        super().on_resize(event)
        if self.director is not None:
            self.call_after_refresh(self.director.stage.fit)
        self.call_after_refresh(self.picker.share_lines)

    def action_next(self, step: int) -> None:
        """Focus the list and move to another line."""
        self.panel.rows.focus()
        self.panel.step(step)

    def action_back(self) -> None:
        """Return to the parent list."""
        self.picker.back()

    def action_take(self) -> None:
        """Choose the highlighted line."""
        self.panel.take()

    def action_digit(self, digit: int) -> None:
        """Choose the line with the given digit."""
        self.panel.rows.take_digit(digit)

    def action_narrow(self) -> None:
        """Filter the list if it has the focus; otherwise search places, units and cards."""
        if self.panel.has_keys and self.panel.shown:
            self.panel.filter()
        else:
            self.action_find()

    def foot_entry(self, entry: Foot) -> Foot | None:
        """Return an entry of the key line; None if its key has no effect now."""
        action = entry.actions[0]
        match action:
            case "undo" | "commit":
                works = bool(self.session.drafted)
            case "tick" | "tick_all":
                works = any(line.group for line in self.panel.shown)
            case "done":
                works = bool(self.controller.ends())
            case "back":
                works = self.panel.is_below
            case "take":
                works = bool(self.panel.shown)
            case "other_panel":
                return foot("list" if self.map.has_focus else "map", action)
            case _:
                works = True
        return entry if works else None

    # -- playback

    def follow(self, settings: Settings, palette: Palette) -> None:
        """Apply new preferences."""
        super().follow(settings, palette)
        if self.director is not None:
            self.director.follow(settings)
            self.director.stage.show_palette(palette)

    @property
    def _played(self) -> PlaybackController | None:
        """The running playback; None if there is none."""
        director = self.director
        return director if director is not None and director.is_running else None

    @property
    def is_playing_back(self) -> bool:
        """True while the map shows an earlier position than that of the question."""
        return self._played is not None

    def come_back(self) -> None:
        """Return to the place of the question after a playback, and update the text of the question."""
        self.show_waiting()
        self.picker.come_back()

    @property
    def seen_view(self) -> View:
        """The view at the current playback step or, if no playback is running, the latest view."""
        running = self._played
        return self.view if running is None else running.view() or self.view

    def heading(self) -> str:
        """Return the heading of the position on display."""
        running = self._played
        return super().heading() if running is None else running.heading()

    def staged(self, scene: Scene) -> Scene:
        """Return the map with its marks and the current playback step."""
        return scene if self.director is None else self.director.staged(scene, self.seen_view)

    def selection(self) -> Selection:
        """Return what to highlight on the map. During a playback, this does not include the current options."""
        if self._played is None:
            return super().selection()
        return Selection(cursor=self.map.cursor, overlay=self.overlay)

    def fights(self) -> tuple[BattlePage, ...]:
        """Return the boards of battles; during a playback, only the board at the current step."""
        running = self._played
        return super().fights() if running is None else running.fights()

    def latest_lines(self) -> list[LogLine]:
        """Return the log; during a playback, only up to the current step."""
        running = self._played
        return super().latest_lines() if running is None else list(collapse_repeats(running.log()))

    def seen_rows(self) -> tuple[Row, ...]:
        """Return the latest report; during a playback, return the steps shown so far, newest first."""
        running = self._played
        seen = self._seen if running is None else running.told()
        return self.presenter.seen_rows(seen) if seen else super().seen_rows()

    @on(PlaybackPanel.Turned)
    def stage_turned(self) -> None:
        """Dim the highlighted line while Enter acts on a playback or a card."""
        rows, is_lit = self.panel.rows, not self.check_action("stage_enter", ())
        if rows.is_lit is not is_lit:
            rows.is_lit = is_lit
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available. During a playback, some keys act on the playback."""
        if action == "post" and not self.session.by_files:
            return False
        if action == "go_on" and not self.presenter.can_wait:
            return False
        if action.startswith("stage_"):
            is_typing = isinstance(self.focused, FilterLine)
            return not is_typing and self.director is not None and self.director.takes(action)
        return super().check_action(action, parameters)

    def action_again(self) -> None:
        """Play back the last events again, or show them as text."""
        if self.director is not None:
            self.director.again()

    def action_stage_next(self) -> None:
        """Show the next step of the playback."""
        if self.director is not None:
            self.director.next()

    def action_stage_enter(self) -> None:
        """Skip to the end of the playback, or move on to the next place on the card."""
        if self.director is not None:
            self.director.enter()

    def action_stage_close(self) -> None:
        """End the playback, or close the card."""
        if self.director is not None:
            self.director.close()
