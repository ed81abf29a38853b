"""The widgets and keys for playing a seat. `play.controller` carries out the player's choices."""

from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.worker import WorkerCancelled
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.controller import GameController, open_commands
from play.games import has_same_setup, same_setup
from play.local_session import LocalSession
from play.log_lines import LogLine, collapse_repeats
from play.offers import OFFERS_BY_LINE, OfferKind
from play.saved_draft import restored_draft_notice
from play.session import Session
from tui.drawing.palette import Palette
from tui.maps.map_view import MapView
from tui.panels.overlay_pages import OverlayPage
from tui.panels.status_segments import Row
from tui.playback.controller import PlaybackController
from tui.playback.panel import PlaybackPanel
from tui.presenter.order_choices import COURSE, numbered_order_entries, order_entries
from tui.presenter.presenter import ORDER_SEPARATOR, Found, Presenter, Scene, Selection
from tui.screens.dialogs.prompt import (
    ChoiceDialog,
    ConfirmDialog,
    CoverDialog,
    SureDialog,
    TextDialog,
)
from tui.screens.match.chat import ChatDialog
from tui.screens.match.option_picker import OptionPicker
from tui.screens.match.question_status import QuestionStatus
from tui.screens.table.end_screen import EndChoice
from tui.screens.table.table import TableScreen
from tui.terminal.alerts import TurnAlerts
from tui.terminal.settings import Settings
from tui.widgets.bars.cards import HandView
from tui.widgets.bars.key_line import KeyLineEntry, key_entry
from tui.widgets.lists.decision import DecisionPanel, FilterLine
from tui.widgets.lists.rows import Rows

_POLL_SECONDS: Final = 0.5
_OPENING_SECONDS: Final = 1.0
"""Delay, in seconds, before the startup picture is drawn, so that the first keystrokes take precedence."""
_MAX_LINE_LENGTH: Final = 280
_SEND_HELP: Final = "Send it by mail or chat, as a file or as text. Only the recipient can open it. P writes it again."
_STOPPED_HELP: Final = (
    "Everything before it is saved. Leave with q, fix the problem, and resume the game."
)
_FINAL_ANSWERS: Final = (
    "Each answer here is final or has a cost. "
    "Press {done}its digit, or move to it with the arrow keys."
)
_DONE_KEY: Final = "D to finish, "
_PLAYBACK_PROMPT: Final = "Watch what happens. Space shows the next step, Enter the end."
_PLAYBACK_ENDED: Final = "The playback has ended. Now choose."
_PLAYBACK_KEYS: Final = (
    ("space", "stage_next", "Next step of the playback, or of the pop-up"),
    ("enter", "stage_enter", "End the playback, or visit the pop-up's places"),
    ("escape", "stage_close", "Close the playback or pop-up"),
)
_OFFER_NAMES: Final = {
    OfferKind.RESIGNATION: "Resign the match",
    OfferKind.DRAW: "Offer a draw",
    OfferKind.ADJOURNMENT: "Offer to adjourn the match",
    OfferKind.RESUMPTION: "Resume the match",
    OfferKind.STOP: "Stop the match without a winner",
}
T = TypeVar("T")


class PlayScreen(TableScreen):
    """The screen for playing one seat in a running game."""

    KEY_LINE_ENTRIES: ClassVar[tuple[KeyLineEntry, ...]] = (
        key_entry("pick", "pick"),
        key_entry("take", "take"),
        key_entry("tick", "tick"),
        key_entry("all", "tick_all"),
        key_entry("back", "back"),
        key_entry("undo", "undo"),
        key_entry("commit", "commit"),
        key_entry("done", "done"),
        key_entry("go on", "go_on"),
        key_entry("list", "other_panel"),
        key_entry("why not", "why"),
        key_entry("next", "next(1)", "next(-1)"),
        key_entry("hand", "hand"),
        key_entry("log", "log"),
        key_entry("zoom", "zoom"),
        key_entry("by name", "narrow"),
        key_entry("forecast", "forecast"),
        key_entry("goals", "goals"),
        key_entry("roster", "roster"),
        key_entry("panels", "panels"),
        key_entry("verdict", "end_page"),
        key_entry("command", "command"),
    )
    BINDINGS = [
        Binding("B", "again", "Play back what happened", show=False),
        Binding("n", "next(1)", "Next line", show=False),
        Binding("p", "next(-1)", "Previous line", show=False),
        Binding("d", "take", "Choose the highlighted line", show=False),
        Binding("D", "done", "Done with this step", show=False),
        Binding("escape", "back", "Back to the list above", show=False),
        Binding("backspace", "back", "Back to the list above", show=False),
        Binding("A", "tick_all", "Select all here; press again for all of this kind", show=False),
        Binding("slash", "narrow", "Filter the list by name", show=False),
        Binding("ctrl+f", "find", "Find", show=False),
        *(
            Binding(str(digit), f"digit({digit})", "Choose the line with this digit", show=False)
            for digit in range(1, 10)
        ),
        Binding("G", "go_on", "Continue until something happens", show=False),
        Binding("y", "say", "Message to all players", show=False),
        Binding("ctrl+z", "take_back", "Take back your last command", show=False),
        Binding("X", "propose", "Resign, offer a draw, adjourn, resume or stop", show=False),
        Binding("c", "commit", "Commit your plan", show=False),
        Binding("u", "undo", "Undo the last planned command", show=False),
        Binding("w", "why", "Explain why it is illegal here", show=False),
        Binding("colon", "command", "Command line", show=False),
        Binding("R", "report", "Repeat the question", show=False),
        Binding("P", "post", "Write the move file", show=False),
        Binding("M", "other_role", "Switch to another of your roles", show=False),
        Binding("j", "orders", "Standing orders: automatic answers", show=False),
    ]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen. Log lines up to the player's own last command count as already read."""
        super().__init__(session, presenter)
        self.controller = GameController(session, presenter, self)
        self.picker = OptionPicker(self)
        self.status = QuestionStatus(self.controller, presenter)
        self.playback: PlaybackController | None = None
        """Plays back recent events; None until the panels exist."""
        self._question_seq = -2
        """Number of the last record when the question was shown."""
        self._report_lines: tuple[str, ...] = ()
        """The latest report on other players' moves."""
        self._plan_report: tuple[str, ...] = ()
        """The report on the game's response to the planned commands."""
        self._last_report: tuple[int, View] = session.seq, self.view
        """Number of the last record that a report has covered, and the view after that record."""
        self._is_answering = False
        """True while a dialog about an offer is open."""
        self._shows_end = session.ruleset.scoring is not None
        """True until the page at the end of the game has opened automatically. This also happens in a reopened game."""
        last_own_seq = session.records.last_own_seq()
        if last_own_seq >= 0:  # the player has already seen these lines
            lines = (line for line in collapse_repeats(session.log()) if not line.is_draft)
            self._log_read = sum(line.seq <= last_own_seq for line in lines)
        # outside a playback, the same keys have other effects
        for key, action, name in _PLAYBACK_KEYS:
            self._bindings.bind(key, action, name, show=False, priority=True)

    @override
    def compose_before_map(self) -> ComposeResult:
        playback_panel = PlaybackPanel(self.palette, id="stage")
        terminal = getattr(self.app, "terminal", None)
        is_slow_connection = terminal is not None and terminal.is_remote
        self.playback = PlaybackController(
            self, playback_panel, self.settings, is_slow_connection=is_slow_connection
        )
        yield playback_panel

    def on_mount(self) -> None:
        """Show the game, then let the other players in this program move."""
        self.panel.rows.is_safe = self.controller.is_safe
        self.map.focus()
        self.game_changed()
        self.session.on_change(self._on_change)
        self.set_interval(_POLL_SECONDS, self.poll)
        if notice := restored_draft_notice(self.session.drafts.restored_count):
            self.show_message(notice)
        if briefing := self.session.briefing():
            self.app.push_screen(TextDialog(self.session.title, briefing))
        if self.is_drawn and not self.session.seq:
            self.set_timer(_OPENING_SECONDS, self._save_opening_drawing)

    def _save_opening_drawing(self) -> None:
        if not self.session.seq and self.app.screen is self:
            self.opening_drawing = self.startup_drawing()

    def poll(self) -> None:
        """Show the latest changes by other players."""
        if self.session.seq != self._question_seq:
            self.game_changed()
        else:
            self.show_header()
            self.show_waiting()
            self.panel.show_note(self.status.note())
            if self.session.negotiation.has_chat:
                self.show_log()
        self.ask_about_offer()
        self._open_end_page_once()

    def _open_end_page_once(self) -> None:
        """Open the page at the end of the game once the last playback is over."""
        if (
            self._shows_end
            and self.is_in_front
            and self.session.outcome() is not None
            and (self.playback is None or self.playback.is_idle)
        ):
            self._shows_end = False
            self.open_end_page(is_automatic=True)

    @override
    def leave_end_page(self, choice: EndChoice) -> None:
        app = self.app
        if choice.action == "menu":
            self.action_leave()
        elif choice.action == "again" and isinstance(self.session, LocalSession):
            # the new game's table screen replaces this screen
            start = getattr(app, "play_again", None)
            settings = same_setup(self.session)
            self.action_leave()
            if start is not None:
                app.call_later(start, settings)
        elif choice.action in {"look", "replay"} and self.session.record_path is not None:
            app.open_replay(self.session.record_path, seq=choice.seq)  # type: ignore[attr-defined]  # `can_replay_here` has checked it

    @property
    @override
    def can_replay_here(self) -> bool:
        path = self.session.record_path
        return path is not None and path.exists() and hasattr(self.app, "open_replay")

    @property
    @override
    def can_play_again(self) -> bool:
        return (
            isinstance(self.session, LocalSession)
            and has_same_setup(self.session)
            and hasattr(self.app, "play_again")
        )

    def _on_change(self) -> None:
        self.call_later(self.poll)

    # -- the question

    def show_question(self) -> None:
        """Refresh the screen and show the open question."""
        controller, session, picker = self.controller, self.session, self.picker
        self._question_seq = session.seq
        is_same = controller.update()
        self.view = controller.view
        self._update_report()
        if self.playback is not None:
            self.playback.collect_events()
        decision = controller.question.decision
        options = decision.options if decision is not None else ()
        # a command that is no longer offered cannot be drawn on the map
        if self.highlighted_command not in options:
            self.highlighted_command = None
        picker.reset_overlay(options)
        if not self.is_playing_back:
            self._show_list(is_same=is_same)
        self.show_all()
        self._alert_if_asked(is_asked=decision is not None)
        picker.show_focus()
        if not is_same and not self.is_playing_back:
            picker.give_focus(controller.lines)

    def _show_list(self, *, is_same: bool) -> None:
        """Show the prompt and the options of the open question."""
        decision, session = self.controller.question.decision, self.session
        title = f"Decision {decision.rule}" if decision is not None else "Decision"
        if session.role is not None and len(session.own_roles) > 1:
            title = f"{self.presenter.role_name(session.role)}: {title.lower()}"
        prompt = self._waiting_text() if decision is None else self.presenter.prompt(decision)
        lines = self.controller.lines
        self.panel.set_question(title, prompt, lines, self.status.note(), is_same=is_same)
        if self.panel.rows.under_bar is None:
            self.highlighted_command = None

    def _waiting_text(self) -> str:
        """Return the text shown instead of a question."""
        is_behind = self.playback is not None and not self.playback.is_idle
        return _PLAYBACK_PROMPT if is_behind else self.status.text()

    def show_waiting(self) -> None:
        """If there is no question, show how long a bot has been thinking. The text changes at most once a second."""
        is_waiting = self.controller.question.decision is None and not self.session.draft.commands
        if is_waiting and self.panel.set_prompt(self._waiting_text()):
            # The new text may need a line that the place panel has borrowed.
            self.call_after_refresh(self.panels.fit_place)

    def _update_report(self) -> None:
        """Update the report if there are new events. If they are not worth reporting, keep the old one."""
        session, (seq, view_before) = self.session, self._last_report
        self._plan_report = ()
        if session.draft.commands:
            events = [event for entry in session.draft.entries for event in entry.events]
            self._plan_report = self.presenter.plan_report(events, session.known_view(), self.view)
        if session.seq <= seq or session.draft.commands:
            return
        self._last_report = session.seq, self.view
        report = self.presenter.report(
            session.records.events(seq), view_before, self.view, is_explained=False
        )
        if report:
            self._report_lines = report

    def action_report(self) -> None:
        """Show the question again, starting at the top of its list."""
        self.show_question()

    @work
    async def action_why(self) -> None:
        """For each action at the place under the cursor, list the rules that forbid it."""
        decision = self.session.decision()
        if decision is None:
            self.show_message("You have no decision to make now.")
            return
        lines: list[str] = []
        for command in self.presenter.candidates(self.view, decision, self.map.cursor):
            refusals = self.session.refusals(command)
            lines.append(f"{self.presenter.label(self.view, command)}:")
            lines.extend(f"  {refusal}" for refusal in refusals)
            if not refusals:
                lines.append("  no rule forbids it")
        self.show_page(
            f"Why not in {self.presenter.place_name(self.map.cursor)}",
            lines or (f"This {self.presenter.place_noun} has no options in this step.",),
        )

    # -- choosing

    @on(DecisionPanel.Chosen)
    @work
    async def chosen(self, event: DecisionPanel.Chosen) -> None:
        """Carry out the option chosen from the list."""
        if event.choice.is_commit:
            self.call_next(self.run_action, "commit")
        else:
            await self.controller.choose(event.choice)

    @work
    @override
    async def give_command(self, command: Command) -> None:
        """If a command chosen on a board is still offered, give it."""
        await self.controller.give(command)

    @on(MapView.Picked)
    @work
    async def handle_map_pick(self, event: MapView.Picked) -> None:
        """Tick or untick a place's options together. If they cannot be ticked, choose the only option or list all."""
        if self._ends_playback():
            return
        commands = await self.controller.choose_place(event.place, self.panel.shown_choices)
        if commands:
            self.picker.narrow(commands, self.presenter.place_name(event.place))

    @on(HandView.Picked)
    @work
    async def card_picked(self, event: HandView.Picked) -> None:
        """Tick or untick a card. If the card cannot be ticked, choose its only option or list its options."""
        if self._ends_playback():
            return
        commands = await self.controller.choose_card(event.card, self.panel.shown_choices)
        if commands:
            faces = self.query_one(HandView).faces
            self.picker.narrow(
                commands, next(face.title for face in faces if face.id == event.card)
            )

    @work
    async def action_done(self) -> None:
        """End the step, or say why it cannot end yet."""
        if self._ends_playback():
            return
        if self.controller.question.decision is None:
            self.show_message(self._waiting_text())
        else:
            await self.controller.finish()

    @work
    async def action_tick_all(self) -> None:
        """Tick the highlighted group's lines at the highlighted place. If they are all ticked, tick the whole group."""
        if self._ends_playback():
            return
        self.panel.move_on()
        await self.controller.tick_all(self.panel.shown_choices, self.panel.rows.under_bar)

    @work
    @override
    async def action_commit(self) -> None:
        await self.controller.commit()

    @override
    def action_undo(self) -> None:
        if self.controller.undo_course():
            self.show_message("The order is as it was before.")
            return
        command = self.controller.undo()
        if command is None:
            self.show_message("Nothing to undo. Ctrl+Z takes back a committed command.")
        else:
            self.show_message(f"Undone: {self.presenter.label(self.view, command)}")

    @work
    async def action_command(self) -> None:
        """Ask for a typed command or offer, and carry it out."""
        from tui.screens.dialogs.lookup import CommandDialog

        line = await self.app.push_screen_wait(CommandDialog(self.controller.completions))
        if line:
            await self.controller.enter(line)

    @work
    async def action_post(self) -> None:
        """Write the move file that the other players need, and report its path."""
        if self.session.draft.commands:
            self.show_message("Commit your plan first (c), or undo it (u).")
            return
        try:
            message = await self.session.write_move_file()
        except FlagplotError as error:
            self.show_message(str(error))
            return
        self.show_question()
        self.app.push_screen(TextDialog("Move file written", f"{message}\n{_SEND_HELP}"))

    # -- the controller's frontend

    def game_changed(self) -> None:
        """Show the question, then let the other players in this program move."""
        self.show_question()
        self.run_bots()

    def show_move(self, problem: str) -> None:
        """Show the move of another player in this program, and any problem that occurred during the move."""
        self.show_question()
        if problem:
            self.app.notify(problem, severity="warning", markup=False)

    async def let_others_move(self) -> None:
        """Let the other players in this program move, and collect reports on their moves."""
        earlier_lines, self._report_lines = self._report_lines, ()
        with suppress(WorkerCancelled):  # a newer run has already updated the screen
            await self.run_bots().wait()
        self.show_question()
        self._report_lines = (*self._report_lines, *earlier_lines)

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        """Switch to another role. If the role belongs to another person, cover the screen first."""
        name = self.presenter.role_name(role)
        if needs_cover:
            await self.app.push_screen_wait(CoverDialog(f"{name}, take the keyboard. Ready?"))
        self.show_question()
        if not self.is_playing_back:
            self.picker.return_to_question()
        self.queue_popups()
        if not needs_cover and not self.is_playing_back:
            self.show_message(f"{name} must decide.")

    def report_progress(self, sentence: str) -> None:
        """Report the progress of a commit."""
        self.show_message(sentence)

    def report_draft(self, command: Command, text: str) -> None:
        """Report a drafted command. If the next answers are places, explain instead how to choose them on the map."""
        del command
        self.show_message(self.picker.hint(text))

    def report_unticked(
        self, view: View, undone_commands: Sequence[Command], lost_commands: Sequence[Command]
    ) -> None:
        """Report the commands removed from the draft, and the commands lost as a result."""
        labels = "; ".join(
            self.presenter.label(view, command) for command in (*undone_commands, *lost_commands)
        )
        reason = (
            f" {len(lost_commands)} of them are not possible without the others."
            if lost_commands
            else ""
        )
        self.show_message(f"Undone: {labels}.{reason}")

    async def confirm(self, question: str, subject: Command | OfferKind | None) -> bool:
        """Ask the player to confirm, and return whether they do."""
        if isinstance(subject, OfferKind):
            is_sure = await self.app.push_screen_wait(ConfirmDialog(question))
        else:
            is_sure = await self.app.push_screen_wait(SureDialog(question))
        return bool(is_sure)

    def prepare_send(self) -> None:
        """Mark the log as read and end the playback, because the player is about to give a command."""
        self.mark_log_read()
        self.status.restart()
        if self.playback is not None:
            self.playback.start_command()
        if (turn_alerts := self._turn_alerts()) is not None:
            turn_alerts.clear_mark(self.session.ruleset.title)

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        """Wait for a request's result."""
        return await request

    # -- other players

    # Bots may think for seconds. A worker in the default group would delay the next key that long.
    @work(exclusive=True, group="others")
    async def run_bots(self) -> None:
        """Run this program's bots until a person has to decide, then switch to that person's seat."""
        self.session.set_bot_seconds(self.settings.thinking)
        try:
            await self.controller.run_others()
        except FlagplotError as error:
            self.app.push_screen(TextDialog("The game stops here", f"{error}\n{_STOPPED_HELP}"))
            return
        if not await self.controller.change_seat():
            self.queue_popups()

    def queue_popups(self) -> None:
        """Queue the news pop-ups for the player whose turn it is to act."""
        if self.playback is not None:
            self.playback.queue_popups()

    def _alert_if_asked(self, *, is_asked: bool) -> None:
        """Alert the player if a question has ended a wait."""
        turn_alerts = self._turn_alerts()
        if turn_alerts is None:
            return
        if is_asked:
            turn_alerts.alert(self.settings, self.session.ruleset.title)
        elif self.session.waiting_for() and self.session.can_play:
            turn_alerts.start_waiting()

    def _turn_alerts(self) -> TurnAlerts | None:
        turn_alerts: TurnAlerts | None = getattr(self.app, "turn_alerts", None)
        return turn_alerts

    def action_go_on(self) -> None:
        """Start answering routine questions automatically, unless this is already in progress."""
        if not self.controller.is_advancing:
            self.auto_advance()

    @work
    async def auto_advance(self) -> None:
        """Answer routine questions automatically until the player must choose or an event interrupts."""
        if self.playback is not None:
            self.playback.suspend()
        try:
            await self._auto_advance()
        finally:
            if self.playback is not None:
                self.playback.resume()

    async def _auto_advance(self) -> None:
        earlier_lines, self._report_lines = self._report_lines, tuple[str, ...]()
        progress = await self.controller.auto_advance()
        if progress.is_refused:
            return
        if self._report_lines:
            self.show_question()
        else:
            self._report_lines = earlier_lines
        decision = self.session.decision()
        if progress.news:
            self.show_message(progress.news)
        elif stop_text := self.controller.stop_text():
            self.show_message(stop_text)
        elif decision is None:
            self.show_message(self._waiting_text())
        elif progress.answers:
            self.show_message(f"Stopped: {decision.prompt}")
        else:
            self.show_message("Your decision is needed here: choose, or press D for done.")

    def action_other_role(self) -> None:
        """Switch to the player's next role."""
        role = self.controller.next_role()
        if role is None:
            self.show_message("You play one role.")
        else:
            self.picker.return_to_question()
            self.show_message(f"You now see {self.presenter.role_name(role)}'s view.")

    @work
    async def action_orders(self) -> None:
        """Ask for a standing order, which answers certain response windows automatically."""
        highlighted = self.highlighted_command
        title, entries = order_entries(self.session, self.presenter, self.map.cursor, highlighted)

        def numbered(number: str) -> list[tuple[str, str]]:
            return numbered_order_entries(self.session, self.presenter, number, highlighted)

        order = await self.app.push_screen_wait(ChoiceDialog(title, entries, numbered=numbered))
        if not order:
            return
        if order.startswith(COURSE):
            await self._change_course(order.removeprefix(COURSE))
            return
        try:
            self.show_message(" ".join(self.controller.change_orders(order)))
        except FlagplotError as error:
            self.show_message(str(error))

    async def _change_course(self, order: str) -> None:
        """Give or cancel a course order, and report it."""
        word, _, subject = order.partition(" ")
        if word == "cancel":
            try:
                self.controller.cancel_course(subject)
            except FlagplotError as error:
                self.show_message(str(error))
            else:
                self.show_message("Order cancelled. The mission waits for your commands.")
            return
        orders = order.split(ORDER_SEPARATOR)
        titles = [title for one in orders if (title := await self.controller.give_course(one))]
        if titles:
            self.show_message(f"{'; '.join(titles)}. G goes on until something needs you.")

    # -- chat and offers

    @work
    async def action_say(self) -> None:
        """Ask for a chat message and send it to the other players."""
        if not self.session.negotiation.has_chat:
            self.show_message("You are the only player here.")
            return
        dialog = ChatDialog(self.session.negotiation.read_conversation(), _MAX_LINE_LENGTH)
        if text := await self.app.push_screen_wait(dialog):
            await self.controller.say(text)

    @work
    async def action_take_back(self) -> None:
        """Take back the player's last command. If other players must agree, ask them first."""
        await self.controller.propose(OfferKind.TAKEBACK)

    @work
    async def action_propose(self) -> None:
        """Let the player choose an offer, and send it."""
        offers = self.session.available_offers()
        if not offers:
            self.show_message("Nothing can be proposed here.")
            return
        lines_by_offer = {offer: line for line, offer in OFFERS_BY_LINE.items()}
        entries = [(offer, f"{_OFFER_NAMES[offer]}   :{lines_by_offer[offer]}") for offer in offers]
        chosen_key = await self.app.push_screen_wait(ChoiceDialog("Proposals", entries))
        if chosen_key:
            await self.controller.propose(OfferKind(chosen_key))

    def ask_about_offer(self) -> None:
        """Ask the player about another seat's offer, unless an offer dialog is already open."""
        question = self.session.negotiation.offer_question()
        if question and not self._is_answering:
            self.ask_for_consent(question, self.session.negotiation.offer_number)

    @work
    async def ask_for_consent(self, question: str, number: int | None) -> None:
        """Ask whether the player agrees to another seat's offer, and send the answer."""
        self._is_answering = True
        try:
            agree = await self.app.push_screen_wait(ConfirmDialog(question))
            await self.controller.answer_offer(number, agree=bool(agree))
        finally:
            self._is_answering = False
        if self.session.negotiation.offer_number != number:
            self.ask_about_offer()  # another offer arrived while the dialog was open

    # -- the list, the map and the cards

    @property
    def is_map_held(self) -> bool:
        """True if the map does not scroll when the highlighted line changes. Subclasses override this."""
        return False

    @on(DecisionPanel.Opened)
    def handle_page_open(self, event: DecisionPanel.Opened) -> None:
        """Show the list that was just opened."""
        self.picker.highlight_choices(event.heading)

    @on(DecisionPanel.Highlighted)
    def highlighted(self, event: DecisionPanel.Highlighted) -> None:
        """Show the place and the description of the highlighted line."""
        self.picker.show_highlighted(event)

    @on(Rows.NothingTaken)
    def explain_final_answers(self) -> None:
        """If the highlighted line cannot be undone or gives something up, show which key chooses it."""
        done = _DONE_KEY if self.controller.ending_commands() else ""
        self.show_message(_FINAL_ANSWERS.format(done=done))

    @on(DecisionPanel.SearchRequested)
    def search_elsewhere(self, event: DecisionPanel.SearchRequested) -> None:
        """Search places, units and cards for words that match no line of the list."""
        self.find_named(event.words)

    @override
    def search(self, query: str) -> tuple[Found, ...]:
        commands = open_commands(self.panel.shown_choices)
        offered_commands = {
            place for command in commands for place in self.presenter.places(self.view, command)
        }
        return tuple(
            sorted(super().search(query), key=lambda result: result.hex_id not in offered_commands)
        )

    @override
    def show_found(self, result: Found) -> None:
        """Show a search result. If it is a place that the question offers as a destination, choose it."""
        super().show_found(result)
        destinations = {
            next(iter(self.presenter.places(self.view, command)), "")
            for command in open_commands(self.panel.shown_choices)
        }
        if result.hex_id and result.hex_id in destinations:
            self.post_message(MapView.Picked(result.hex_id))

    def on_descendant_focus(self) -> None:
        """Adjust the panel heights when the focus moves between the map and the list."""
        self.picker.share_lines()

    @override
    def on_resize(self, event: events.Resize) -> None:
        """Resize the playback panel, and adjust the panel heights once the map has its new size."""
        self.remove_class("-long")
        super().on_resize(event)
        if self.playback is not None:
            self.call_after_refresh(self.playback.playback_panel.fit)
        self.call_after_refresh(self.picker.share_lines)

    def action_next(self, step: int) -> None:
        """Focus the list and move to another line."""
        self._ends_playback()
        self.panel.rows.focus()
        self.panel.step(step)

    def action_back(self) -> None:
        """Return to the parent list."""
        self.picker.go_back()

    def action_take(self) -> None:
        """Choose the highlighted line."""
        if not self._ends_playback():
            self.panel.take()

    def action_digit(self, digit: int) -> None:
        """Choose the line with the given digit."""
        if not self._ends_playback():
            self.panel.rows.take_digit(digit)

    def action_narrow(self) -> None:
        """If the list has the focus or asks for a place, filter it. Otherwise, search places, units and cards."""
        if self.panel.shown_choices and (self.panel.has_keys or self.picker.asks_for_place()):
            self.panel.filter()
        else:
            self.action_find()

    @override
    def adapt_key_entry(self, entry: KeyLineEntry) -> KeyLineEntry | None:
        action = entry.actions[0]
        match action:
            case "undo" | "commit":
                is_enabled = bool(self.session.draft.commands)
            case "tick" | "tick_all":
                is_enabled = any(line.group for line in self.panel.shown_choices)
            case "done":
                is_enabled = bool(self.controller.ending_commands()) and not self.is_playing_back
            case "back":
                is_enabled = self.panel.is_nested
            case "take" | "next(1)":
                is_enabled = bool(self.panel.shown_choices)
            case "end_page":
                is_enabled = self.session.outcome() is not None
            case "other_panel":
                return key_entry("list" if self.map.has_focus else "map", action)
            case _:
                is_enabled = True
        return entry if is_enabled else None

    # -- playback

    @override
    def apply_settings(self, settings: Settings, palette: Palette) -> None:
        super().apply_settings(settings, palette)
        if self.playback is not None:
            self.playback.apply_settings(settings)
            self.playback.playback_panel.show_palette(palette)

    @property
    def _running_playback(self) -> PlaybackController | None:
        """The running playback; None if no playback is running."""
        playback = self.playback
        return playback if playback is not None and playback.is_running else None

    @property
    @override
    def is_playing_back(self) -> bool:
        return self._running_playback is not None

    def leave_question(self) -> None:
        """When a playback starts, hide the question, because its options would tell what happens next."""
        self.highlighted_command = None
        self.panel.set_question("Playback", _PLAYBACK_PROMPT, (), self.status.note())

    def _ends_playback(self) -> bool:
        """End a running playback, so that the player sees the question before choosing. Return False if none runs."""
        playback = self._running_playback
        if playback is None:
            return False
        playback.finish()
        self.show_message(_PLAYBACK_ENDED)
        return True

    def return_to_question(self) -> None:
        """After a playback, show the question and return to its place."""
        self._show_list(is_same=False)
        self.picker.give_focus(self.controller.lines)
        self.show_waiting()
        self.picker.return_to_question()
        self.call_later(self._open_end_page_once)

    def describe_choice(self) -> None:
        """Describe the highlighted option once the map has told the place panel about its cursor."""
        self.call_later(self.picker.describe_highlighted)

    @property
    @override
    def displayed_view(self) -> View:
        """The view at the current playback step, or the latest view if no playback is running."""
        playback = self._running_playback
        return self.view if playback is None else playback.view() or self.view

    @override
    def heading(self) -> str:
        playback = self._running_playback
        return super().heading() if playback is None else playback.heading()

    @override
    def decorate_scene(self, scene: Scene) -> Scene:
        """Return the map with its marks and the current playback step."""
        return (
            scene
            if self.playback is None
            else self.playback.decorate_scene(scene, self.displayed_view)
        )

    @override
    def selection(self) -> Selection:
        """Return the selection to show on the map. During a playback, the current options are not highlighted."""
        if self._running_playback is None:
            return super().selection()
        return Selection(cursor=self.map.cursor, overlay=self.overlay)

    @override
    def battle_pages(self) -> tuple[OverlayPage, ...]:
        """Return the battle boards. During a playback, return only the board at the current step."""
        playback = self._running_playback
        return super().battle_pages() if playback is None else playback.battle_pages()

    @override
    def latest_lines(self) -> list[LogLine]:
        """Return the log. During a playback, the log ends at the current step."""
        playback = self._running_playback
        return (
            super().latest_lines() if playback is None else list(collapse_repeats(playback.log()))
        )

    @override
    def report_rows(self) -> tuple[Row, ...]:
        """Return the latest report. During a playback, return the steps shown so far, newest first."""
        playback = self._running_playback
        lines = (
            self._plan_report or self._report_lines if playback is None else playback.shown_texts()
        )
        return self.presenter.report_rows(lines) if lines else super().report_rows()

    @on(PlaybackPanel.KeysChanged)
    def update_row_dimming(self) -> None:
        """Dim the highlighted line while Enter controls a playback or a pop-up."""
        rows, is_lit = self.panel.rows, not self.check_action("stage_enter", ())
        if rows.is_lit is not is_lit:
            rows.is_lit = is_lit
            self.refresh_bindings()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available. During a playback, some keys control the playback."""
        if action == "post" and not self.session.is_by_mail:
            return False
        if action == "go_on" and not self.presenter.can_wait:
            return False
        if action.startswith("stage_"):
            is_typing = isinstance(self.focused, FilterLine)
            return not is_typing and self.playback is not None and self.playback.handles_key(action)
        return super().check_action(action, parameters)

    def action_again(self) -> None:
        """Play back the latest events again. If playback is running or switched off, show the events as text."""
        if self.playback is not None:
            self.playback.play_again()

    def action_stage_next(self) -> None:
        """Show the next step of the playback."""
        if self.playback is not None:
            self.playback.show_next_step()

    def action_stage_enter(self) -> None:
        """During a playback, skip to its end. In a pop-up, move to the next place."""
        if self.playback is not None:
            self.playback.skip_or_visit()

    def action_stage_close(self) -> None:
        """End the playback, or close the pop-up."""
        if self.playback is not None:
            self.playback.close()
