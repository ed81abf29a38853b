"""The screen for playing from a seat: choose, draft, undo and commit, while others move in the background."""

import asyncio
from typing import Final

from textual import work
from textual.binding import Binding

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import View
from play.loglines import folded
from play.session import Session
from play.tries import back_words
from tui.orders import order_entries
from tui.presenter import Presenter
from tui.ribbon import Row
from tui.screens.agreeing import AgreeingScreen
from tui.screens.prompt import ChoiceDialog, CoverDialog, TextDialog

_POLL_SECONDS: Final = 0.5
_OPENING_SECONDS: Final = 1.0
"""Delay before the startup picture is drawn, so that the first keys of the game are handled first."""
_SEVERAL: Final = 2
_SEND: Final = "By mail or chat, as a file or as text; only its reader can open it. P writes it again at any time."
_SAFE: Final = "Everything before is safe. Leave with q, mend what is wrong, and resume the game."


class PlayScreen(AgreeingScreen):
    """One seat of a running game."""

    BINDINGS = [
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
        """Take a seat, and count as read the log lines up to the player's own last command."""
        super().__init__(session, presenter)
        self._told_seq = session.seq
        last = session.last_own()
        if last >= 0:  # lines that were read before the game was left are not new
            told = (line for line in folded(session.log()) if not line.is_draft)
            self._log_read = sum(line.seq <= last for line in told)
        self._told_view: View = session.view()
        """The view at the end of the last report."""

    def on_mount(self) -> None:
        """Show the game and let the other seats start."""
        self.map.focus()
        self.ask()
        self.others()
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
        """Show whatever has arrived from other players."""
        if self.session.seq != self._seq:
            self.ask()
            self.others()
        else:
            self.show_header()
            self.show_waiting()
            self.panel.show_note(self._note())
            if self.session.can_talk:
                self.show_log()
        self.hear_offer()

    def _ring(self) -> None:
        self.call_later(self.poll)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the key for move files in matches that do not use them."""
        if action == "post" and not self.session.by_files:
            return False
        return super().check_action(action, parameters)

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
        self.ask()
        self.app.push_screen(TextDialog("Move file written", f"{told}\n{_SEND}"))

    # -- reports

    def _see(self) -> None:
        """Build the report of what happened since the last one."""
        session, after = self.session, self._view
        if session.seq <= self._told_seq or session.drafted:
            return
        events, before = session.events(self._told_seq), self._told_view
        self._told_seq, self._told_view = session.seq, after
        seen = self.presenter.report(events, before, after, is_explained=False)
        if seen:
            self._seen = seen

    def seen_rows(self) -> tuple[Row, ...]:
        """Return the latest report; during a playback, the steps shown so far, newest first."""
        running = self._played
        seen = self._seen if running is None else running.told()
        return self.presenter.seen_rows(seen) if seen else super().seen_rows()

    # -- other players

    @work(exclusive=True, group="others")
    async def others(self) -> None:
        """Run the bots in this program until a person must decide, then switch to that person's seat."""
        self.session.think_for(self.settings.thinking)
        try:
            while await self.session.advance():
                self.ask()
                if complaint := self.session.complaint():
                    self.app.notify(complaint, severity="warning", markup=False)
                # let the screen handle keys between the moves of bots
                await asyncio.sleep(0)
        except FlagplotError as error:
            self.app.push_screen(TextDialog("The game stops here", f"{error}\n{_SAFE}"))
            return
        role = self.session.next_person()
        if role is None:
            self.settle()
            return
        is_same = role in self.session.mine
        self.session.sit_down(role)
        name = self.presenter.role_name(role)
        needs_cover = not (is_same or self.session.ruleset.is_open)
        if needs_cover:
            await self.app.push_screen_wait(CoverDialog(f"{name} to the keyboard. Ready?"))
        self.ask()
        self.settle()
        if not needs_cover:
            self.tell(f"{name} is asked.")

    def action_other_role(self) -> None:
        """Switch to the player's next role."""
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
        """Ask for a standing order, which answers some windows automatically."""
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

    # -- the question

    def action_report(self) -> None:
        """Show the question from the start."""
        self.ask()

    @work
    async def action_why(self) -> None:
        """Explain which rules forbid the actions that are not offered at the cursor."""
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
