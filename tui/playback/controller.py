"""Controls playback at a table: its start, its speed, its highlights, and the cards shown after it.

Playback starts when something happens after the player's last command. It never delays a question: the question is
shown next to the playback, and any key that chooses an option ends the playback. With remote players at the table, an
open response window ends it too.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from textual.timer import Timer

from engine.kernel.ruleset import View
from play.log_lines import LogLine
from tui.map_highlights import with_changed_places, with_step_highlights
from tui.playback import key_debounce
from tui.playback.battle_board import BattleBoard, OverlayPage, page_text
from tui.playback.changed_places import ChangedPlaces
from tui.playback.panel import PlaybackPanel
from tui.playback.playback_screen import PlaybackScreen
from tui.playback.recap import TurnRecap
from tui.playback.run import PlaybackRun
from tui.playback.scrolling import scroll_into_view
from tui.playback.step import News
from tui.presenter import Scene
from tui.terminal.settings import Playback, Settings

SECONDS: Final = {Playback.FAST: 0.4, Playback.NORMAL: 1.1, Playback.SLOW: 2.4}
"""Duration of one step at each speed, in seconds."""
_KEYS: Final = "Space next  Enter end  B again"
_STEP_KEYS: Final = "Space next  Enter end"
_PAGE_WIDTH: Final = 76


class PlaybackController:
    """Controls the playback at one table."""

    def __init__(
        self,
        table: PlaybackScreen,
        stage: PlaybackPanel,
        settings: Settings,
        *,
        is_thrifty: bool = False,
    ) -> None:
        """Create an idle controller.

        Args:
            table: The screen.
            stage: The panel that shows the steps.
            settings: The player's preferences.
            is_thrifty: Use fewer steps and less scrolling, for slow connections.
        """
        self._is_thrifty = is_thrifty
        self._table = table
        self.playback_panel = stage
        self.settings = settings
        session = table.session
        self._session = session
        self._own_roles = session.own_roles
        self._played_seq = session.seq
        """Number of the last record included in a playback."""
        self._run: PlaybackRun | None = None
        self._is_new = True
        """True if the next event starts a new playback, because the player has given a command or has just sat down."""
        self.is_running = False
        self._is_held = False
        self._timer: Timer | None = None
        self._debounce = key_debounce.KeyDebounce()
        self.recap = TurnRecap(session, table.presenter)
        self._card: tuple[str, tuple[News, ...]] | None = None
        self._cards: list[tuple[str, tuple[News, ...]]] = []
        self._visited = 0
        """Number of places on the card that the player has visited."""
        self._others_moved = True
        """True if others have moved since the last news card, or may have moved before the game was opened."""
        self._changes = ChangedPlaces(session, table.presenter)

    # -- events at the table

    def hold(self) -> None:
        """Suspend playback while several commands are sent in a row, so that their steps are shown together later."""
        self.start_command()
        self._is_held = True

    def release(self) -> None:
        """Play back the events since `hold` was called."""
        self._is_held = False
        if self._run is not None and not self._is_new:
            self._play()
        self.queue_cards()

    def start_command(self) -> None:
        """End the playback and close all cards, because the player is giving a command."""
        self.recap.restart()
        self.stop_ignoring_keys()
        if self._is_held:
            return
        self.finish()
        self.close_card(all_of_them=True)
        self._is_new = True

    def collect_events(self) -> None:
        """Collect new events, and start or extend the playback."""
        session = self._session
        if session.own_roles != self._own_roles:
            self._change_person()
        if session.draft.commands or session.seq <= self._played_seq:
            return
        # A takeback invalidates the steps collected so far.
        if session.has_takebacks(self._played_seq):
            self._played_seq = session.seq
            self._run = None
            self._changes.forget()
            self.finish()
            return
        if self._is_new or self._run is None:
            presenter = self._table.presenter
            self._run = PlaybackRun(
                session, presenter, self._played_seq, is_thrifty=self._is_thrifty
            )
            self._is_new = False
            self._changes.forget()
        self._played_seq = session.seq
        self._run.collect_events()
        self._others_moved |= self._table.presenter.is_against_game or any(
            not fact.is_own for fact in self._run.seen_events
        )
        self._play()

    def _play(self) -> None:
        """Start or continue the playback, unless it is on hold or switched off, or a response window is open."""
        show, session = self._run, self._session
        if self._is_held or show is None:
            return
        decision = session.decision()
        if session.negotiation.has_chat and decision is not None and decision.is_window:
            self._end_ignoring_keys()
        elif self.is_running:
            return
        elif show.has_more and self.settings.playback is not Playback.OFF:
            self._begin()
        else:
            show.finish()

    def queue_cards(self) -> None:
        """Queue the cards once no other player must move before this one."""
        if self._is_held:
            return
        decision = self._session.decision()
        report = self.recap.report()
        if not self.settings.news:
            return
        if report:
            title, *lines = report
            self.show_card(title, tuple(map(News, lines)))
        if decision is not None and not decision.is_window and self._others_moved:
            view = self._session.known_view()
            if self._table.presenter.opens_turn(view):
                self._others_moved = False
                if news := self.recap.news():
                    self.show_card("Since your move", news)

    def _change_person(self) -> None:
        """Restart after the last command of the player who has just sat down."""
        self._own_roles = self._session.own_roles
        self._played_seq = max(self._session.last_own_seq(), 0)
        self.finish()
        self.close_card(all_of_them=True)
        self.recap.switch_person()
        self._run, self._is_new = None, True
        self._changes.forget()

    # -- playing

    def _begin(self) -> None:
        self.is_running = True
        self.close_card()
        self._step()

    def _step(self) -> None:
        assert self._run is not None, "a running playback must have steps"
        playback_step = self._run.step()
        if playback_step is None:
            self._end_ignoring_keys()
            return
        number, total = self._run.number, len(self._run.playback_steps)
        keys = _STEP_KEYS if self.settings.reduced_motion else _KEYS
        self.playback_panel.show_message(
            f"{number}/{total}", playback_step.text.split("\n"), keys, playback_step.page
        )
        sights = playback_step.visible_places
        if self._is_thrifty:  # scroll only for moves and battles
            sights = sights[:1] if playback_step.paths or playback_step.page is not None else ()
        if sights and self._table.presenter.has_wide_map:  # the cursor highlights its neighbours
            self._table.map.point_at(sights[0])
        scroll_into_view(self._table.map, sights, self.playback_panel.covered_lines)
        self._table.show_all()
        if not self.settings.reduced_motion:
            self._schedule_step(playback_step.duration)

    def _schedule_step(self, hold: int) -> None:
        self._stop_timer()
        seconds = SECONDS.get(self.settings.playback, 0.0) * hold
        self._timer = self._table.set_timer(seconds, self._tick)

    def _tick(self) -> None:
        self._timer = None
        if self.is_running:
            if self._table.is_in_front:
                self._step()
            else:
                self._schedule_step(1)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _end(self) -> None:
        """Return to the game's current position."""
        self._stop_timer()
        was_running, self.is_running = self.is_running, False
        if self._run is not None:
            self._run.finish()
        if was_running:
            self.playback_panel.clear()
            self._table.show_all()
            self._table.return_to_question()
            self._next_card()

    def _end_ignoring_keys(self) -> None:
        """End the playback. Ignore Enter and Space briefly, in case they were pressed to skip it."""
        if self.is_running:
            self._ignore_keys()
        self.finish()

    def _ignore_keys(self) -> None:
        """Ignore Enter and Space for a moment."""
        self._debounce.start()
        self.playback_panel.turn_after(
            key_debounce.IGNORE_SECONDS
        )  # after that, the keys work in the list again

    def stop_ignoring_keys(self) -> None:
        """Accept Enter and Space again immediately, because the player is working on the question."""
        if self._debounce.is_active:
            self._debounce.stop()
            self.playback_panel.turn_after(0)

    def finish(self) -> None:
        """Skip to the end of the playback."""
        if self.is_running or (self._run is not None and self._run.has_more):
            self._end()

    def apply_settings(self, settings: Settings) -> None:
        """Apply changed preferences."""
        self.settings = settings
        if settings.playback is Playback.OFF:
            self.finish()

    # -- keys

    def handles_key(self, action: str) -> bool:
        """Return whether the playback or the card handles a key."""
        if action != "stage_close" and self._debounce.is_active:
            return True
        if action == "stage_next":
            return self.is_running
        return self.is_running or self._card is not None

    def next(self) -> None:
        """Show the next step."""
        if self.is_running:
            self._step()
        else:
            self._ignore_key()

    def enter(self) -> None:
        """Skip to the end of the playback, or move on to the next place on the card."""
        if self.is_running:
            self._end_ignoring_keys()
        elif self._debounce.is_active:
            self._ignore_key()
        elif self._card is not None:
            self._jump()

    def _ignore_key(self) -> None:
        """Ignore a redundant key press and explain why."""
        self._ignore_keys()
        self._table.show_message(key_debounce.IGNORED_TEXT)

    def close(self) -> None:
        """End the playback, or close the card."""
        if self.is_running:
            self.finish()
        else:
            self.close_card()
            self._next_card()

    def play_again(self) -> None:
        """Repeat the playback. If a card is open, or playback is running or switched off, show a page instead."""
        show = self._run
        if self._card is not None and not self.is_running:
            title, lines = self._card
            self._table.show_page(
                title, (*(one.text for one in lines), *self._remaining_reasons(lines))
            )
        elif show is None or not show.playback_steps:
            self._table.show_page(
                "What happened", ("Nothing has happened since your last command.",)
            )
        elif self.is_running or self.settings.playback is Playback.OFF:
            self.finish()
            self._table.show_page("What happened", self._page(show))
        else:
            self.close_card(all_of_them=True)
            show.rewind()
            self._begin()

    def _remaining_reasons(self, told: Sequence[News]) -> tuple[str, ...]:
        """Return the other players' reasons that did not fit on the card."""
        words = {one.text for one in told}
        more = [reason for reason in self.recap.remarks_by_others() if reason not in words]
        return ("", "Why", *more) if more else ()

    def _page(self, run: PlaybackRun) -> tuple[str, ...]:
        lines: list[str] = []
        for number, playback_step in enumerate(run.playback_steps, start=1):
            first, *more = playback_step.text.split("\n")
            lines += [f"{number}. {first}", *(f"   {line}" for line in more)]
            later = run.playback_steps[number] if number < len(run.playback_steps) else None
            is_last = (
                later is None
                or later.page is None
                or later.page.title
                != (playback_step.page.title if playback_step.page is not None else "")
            )
            if playback_step.page is not None and is_last:
                lines += [f"   {line}" for line in page_text(playback_step.page, _PAGE_WIDTH)]
        session = self._session
        why = self._table.presenter.report(
            [fact.event for fact in run.seen_events],
            run.before,
            session.known_view(),
            is_explained=True,
        )
        return (*lines, *(("", "Every roll", *why) if why else ()))

    # -- the card

    def show_card(self, title: str, lines: Sequence[News]) -> None:
        """Queue a card to be shown over the map, after those that are already waiting."""
        self._cards.append((title, tuple(lines)))
        if not self.is_running:
            self._next_card()

    def _next_card(self) -> None:
        if self._card is None and self._cards:
            self._card = self._cards.pop(0)
            self._visited = 0
            self._draw_card()

    def _draw_card(self) -> None:
        assert self._card is not None, "a card must be open"
        title, lines = self._card
        places = [one for one in lines if one.place]
        keys = f"Enter there ({self._visited}/{len(places)})  " if places else ""
        self.playback_panel.show_message(
            title, [f"- {one.text}" for one in lines], f"{keys}B read  Esc close"
        )

    def _jump(self) -> None:
        """Move the cursor to the next place on the card; after the last one, close the card."""
        assert self._card is not None, "a card must be open"
        places = [one.place for one in self._card[1] if one.place]
        if self._visited >= len(places):
            self._ignore_keys()
            self.close()
            return
        the_map = self._table.map
        the_map.point_at(places[self._visited])
        self._visited += 1
        self._draw_card()
        scroll_into_view(the_map, (places[self._visited - 1],), self.playback_panel.covered_lines)

    def close_card(self, *, all_of_them: bool = False) -> None:
        """Close the current card; optionally drop all queued cards as well."""
        if all_of_them:
            self._cards.clear()
        if self._card is not None:
            self._card = None
            self.playback_panel.clear()

    # -- what is shown

    def view(self) -> View | None:
        """Return the view at the current step; None while no playback is running."""
        return self._run.view() if self.is_running and self._run is not None else None

    def battle_pages(self) -> tuple[OverlayPage, ...]:
        """Return the most recent battle board up to the current step; empty if there is none."""
        show = self._run
        assert show is not None, "a playback must be running"
        boards = [
            playback_step.page
            for playback_step in show.playback_steps[: show.number]
            if isinstance(playback_step.page, BattleBoard)
        ]
        return tuple(boards[-1:])

    def shown_texts(self) -> tuple[str, ...]:
        """Return the text of the steps shown so far, most recent first."""
        show = self._run
        assert show is not None, "a playback must be running"
        lines: list[str] = []
        for playback_step in reversed(show.playback_steps[: show.number]):
            first, *more = playback_step.text.split("\n")
            lines += [first, *(f"  {line}" for line in more)]
        return tuple(lines)

    def heading(self) -> str:
        """Return the heading at the current step."""
        assert self._run is not None, "a playback must be running"
        return self._session.ruleset.heading(self._run.state())

    def log(self) -> list[LogLine]:
        """Return the log up to the current step."""
        show = self._run
        assert show is not None, "a playback must be running"
        old = [line for line in self._session.log() if line.seq <= show.after]
        told = self._session.ruleset.log_sentences
        for seq, seen_events in groupby(show.shown_events, key=lambda fact: fact.seq):
            old += [LogLine(seq, text) for text in told([fact.event for fact in seen_events])]
        return old

    def decorate_scene(self, scene: Scene, view: View) -> Scene:
        """Return the map with highlights for other players' changes and for the current step."""
        scene = with_changed_places(
            scene, self._changes.places(view, self._run, is_running=self.is_running)
        )
        playback_step = (
            self._run.playback_step if self.is_running and self._run is not None else None
        )
        return (
            scene
            if playback_step is None
            else with_step_highlights(
                scene, playback_step.places, playback_step.paths, playback_step.targets
            )
        )
