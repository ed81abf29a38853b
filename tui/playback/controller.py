"""Controls playback on a screen: its start, speed and highlights, and the pop-ups shown after it.

Playback starts when something happens after the player's last command. While it runs, the screen shows the game as of
the current step, and the question is hidden. Any key that would choose an option ends the playback and shows the
question. In matches with remote players, an open response window also ends the playback.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from textual.timer import Timer

from engine.kernel.ruleset import View
from play.log_lines import LogLine
from tui.maps.highlights import with_changed_places, with_step_highlights
from tui.panels.overlay_pages import BattleBoard, OverlayPage, page_text
from tui.panels.playback_step import News
from tui.playback import key_debounce
from tui.playback.changed_places import ChangedPlaces
from tui.playback.panel import PlaybackPanel
from tui.playback.playback_screen import PlaybackScreen
from tui.playback.recap import TurnRecap
from tui.playback.run import PlaybackRun
from tui.playback.scrolling import scroll_into_view
from tui.presenter.presenter import Scene
from tui.terminal.settings import Playback, Settings

SECONDS: Final = {Playback.FAST: 0.4, Playback.NORMAL: 1.1, Playback.SLOW: 2.4}
"""Duration of one step at each speed, in seconds."""
_KEYS: Final = "Space next  Enter end  B again"
_STEP_KEYS: Final = "Space next  Enter end"
_PAGE_WIDTH: Final = 76


class PlaybackController:
    """Controls the playback on one screen."""

    def __init__(
        self,
        screen: PlaybackScreen,
        panel: PlaybackPanel,
        settings: Settings,
        *,
        is_slow_connection: bool = False,
    ) -> None:
        """Create an idle controller.

        Args:
            screen: The screen.
            panel: The panel that shows the steps and the pop-ups.
            settings: The player's preferences.
            is_slow_connection: True to use fewer steps and less scrolling.
        """
        self._is_slow_connection = is_slow_connection
        self._screen = screen
        self.playback_panel = panel
        self.settings = settings
        session = screen.session
        self._session = session
        self._own_roles = session.own_roles
        self._played_seq = session.seq
        """Number of the last record included in a playback."""
        self._run: PlaybackRun | None = None
        self._starts_new_run = True
        """True if the next event starts a new playback, as it does after a command or a change of player."""
        self.is_running = False
        self._is_suspended = False
        self._timer: Timer | None = None
        self._places_left: list[str] = []
        """Places of the current step that have not been in view yet."""
        self._debounce = key_debounce.KeyDebounce()
        self.recap = TurnRecap(session, screen.presenter)
        self._open_popup: tuple[str, tuple[News, ...]] | None = None
        self._queued_popups: list[tuple[str, tuple[News, ...]]] = []
        self._visited_places = 0
        """Number of places listed in the open pop-up that the player has visited so far."""
        self._cursor_before_visits = ""
        """The place of the map cursor before the player visited the pop-up's places."""
        self._others_moved = True
        """True if other players have moved since the last news pop-up, or may have moved before the game was opened."""
        self._last_news: tuple[News, ...] = ()
        """Contents of the last news pop-up."""
        self._changes = ChangedPlaces(session, screen.presenter)

    @property
    def is_idle(self) -> bool:
        """True if all events so far have been shown."""
        is_waiting = (
            self._run is not None
            and self._run.has_more
            and self.settings.playback is not Playback.OFF
        )
        return not (self.is_running or self._is_suspended or is_waiting)

    # -- reactions to events in the match

    def suspend(self) -> None:
        """Suspend playback while several commands are sent in a row. `resume` then shows all their steps."""
        self.start_command()
        self._is_suspended = True

    def resume(self) -> None:
        """Play back the events since `suspend` was called."""
        self._is_suspended = False
        if self._run is not None and not self._starts_new_run:
            self._start_or_continue()
        self.queue_popups()

    def start_command(self) -> None:
        """End the playback and close all pop-ups when the player gives a command."""
        self.recap.restart()
        self.stop_ignoring_keys()
        if self._is_suspended:
            return
        self.finish()
        self.close_popup(includes_queued=True)
        self._starts_new_run = True

    def collect_events(self) -> None:
        """Collect new events, and start or extend the playback."""
        session = self._session
        if session.own_roles != self._own_roles:
            self._change_person()
        if session.draft.commands or session.seq <= self._played_seq:
            return
        # A takeback invalidates the steps collected so far.
        if session.records.has_takebacks(self._played_seq):
            self._played_seq = session.seq
            self._run = None
            self._changes.reset_base()
            self.finish()
            return
        if self._starts_new_run or self._run is None:
            presenter = self._screen.presenter
            self._run = PlaybackRun(
                session, presenter, self._played_seq, is_slow_connection=self._is_slow_connection
            )
            self._starts_new_run = False
            self._changes.reset_base()
        self._played_seq = session.seq
        self._run.collect_events()
        # If the opponent is the game itself, its moves are part of the player's commands.
        self._others_moved |= self._screen.presenter.is_against_game or any(
            not seen_event.is_own for seen_event in self._run.seen_events
        )
        self._start_or_continue()

    def _start_or_continue(self) -> None:
        """Start or continue the playback, unless it is suspended or switched off. An open response window ends it."""
        run, session = self._run, self._session
        if self._is_suspended or run is None:
            return
        decision = session.decision()
        if session.negotiation.has_chat and decision is not None and decision.is_window:
            self._end_ignoring_keys()
        elif self.is_running:
            return
        elif run.has_more and self.settings.playback is not Playback.OFF:
            self._start_playback()
        else:
            run.finish()

    def queue_popups(self) -> None:
        """Queue the turn report and, if the player is next to move, the news."""
        if self._is_suspended:
            return
        decision = self._session.decision()
        # Check for a report even if news is switched off. Otherwise, the next report would include
        # this turn.
        report = self.recap.report()
        if not self.settings.news:
            return
        if report:
            title, *lines = report
            self.queue_popup(title, tuple(map(News, lines)))
        if decision is not None and self._others_moved:
            presenter, view = self._screen.presenter, self._session.known_view()
            opens = presenter.opens_turn_window if decision.is_window else presenter.opens_turn
            if opens(view):
                self._others_moved = False
                news = self.recap.news()
                # Other players may only have passed in a window since the last pop-up.
                if news and news != self._last_news:
                    self.queue_popup("Since your move", news)
                self._last_news = news

    def _change_person(self) -> None:
        """Restart the playback after the last command of the player who now uses this screen."""
        self._own_roles = self._session.own_roles
        self._played_seq = max(self._session.records.last_own_seq(), 0)
        self.finish()
        self.close_popup(includes_queued=True)
        self.recap.switch_person()
        self._run, self._starts_new_run = None, True
        self._changes.reset_base()

    # -- playing

    def _start_playback(self) -> None:
        self.is_running = True
        self.close_popup()
        self._screen.leave_question()
        self._advance()

    def _advance(self) -> None:
        assert self._run is not None, "a running playback must have steps"
        playback_step = self._run.advance()
        if playback_step is None:
            self._end_ignoring_keys()
            return
        number, total = self._run.step_number, len(self._run.playback_steps)
        keys = _STEP_KEYS if self.settings.reduced_motion else _KEYS
        self.playback_panel.show_contents(
            f"{number}/{total}", playback_step.text.split("\n"), keys, playback_step.page
        )
        places, self._places_left = playback_step.visible_places, []
        if self._is_slow_connection:  # scroll for moves and battles only
            places = places[:1] if playback_step.paths or playback_step.page is not None else ()
        # On a wide map, the cursor's neighbours are highlighted, so move the cursor to each
        # playback step.
        if places and self._screen.presenter.has_wide_map:
            self._screen.map.point_at(places[0])
            self._places_left = list(places[1:])
        scroll_into_view(self._screen.map, places, self.playback_panel.covered_lines)
        self._screen.show_all()
        if not self.settings.reduced_motion:
            self._schedule_step(1 if self._places_left else playback_step.duration)

    def _schedule_step(self, duration: int) -> None:
        self._stop_timer()
        seconds = SECONDS.get(self.settings.playback, 0.0) * duration
        self._timer = self._screen.set_timer(seconds, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self.is_running:
            # Wait while a dialog covers the screen, so that the player misses no step.
            if self._screen.is_in_front and self._places_left:
                self._show_next_place()
            elif self._screen.is_in_front:
                self._advance()
            else:
                self._schedule_step(1)

    def _show_next_place(self) -> None:
        """Scroll a wide map to the next place of the current step."""
        place = self._places_left.pop(0)
        self._screen.map.point_at(place)
        scroll_into_view(self._screen.map, (place,), self.playback_panel.covered_lines)
        self._schedule_step(1)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _end(self) -> None:
        """Return to the game's current position."""
        self._stop_timer()
        # Clear `is_running` first, because the screen reads it while drawing.
        was_running, self.is_running = self.is_running, False
        if self._run is not None:
            self._run.finish()
        if was_running:
            self.playback_panel.clear()
            self._screen.show_all()
            self._screen.return_to_question()
            self._open_next_popup()

    def _end_ignoring_keys(self) -> None:
        """End the playback. Ignore Enter and Space briefly, in case the player pressed them to skip the playback."""
        if self.is_running:
            self._ignore_keys()
        self.finish()

    def _ignore_keys(self) -> None:
        """Ignore Enter and Space briefly."""
        self._debounce.start()
        # The key line must be updated when these keys work in the list again.
        self.playback_panel.announce_keys_after(key_debounce.IGNORE_SECONDS)

    def stop_ignoring_keys(self) -> None:
        """Accept Enter and Space again immediately when the player answers the question with another key."""
        if self._debounce.is_active:
            self._debounce.stop()
            self.playback_panel.announce_keys_after(0)

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
        """Return whether the playback or a pop-up handles the key for an action.

        Just after a playback, its keys are swallowed, except Escape.
        """
        if action != "stage_close" and self._debounce.is_active:
            return True
        return self.is_running or self._open_popup is not None

    def show_next_step(self) -> None:
        """Show the next step. If a pop-up is open, move to its next place instead."""
        if self.is_running:
            self._advance()
        else:
            self._visit_or_explain()

    def skip_or_visit(self) -> None:
        """Skip to the end of the playback. If a pop-up is open, move to its next place instead."""
        if self.is_running:
            self._end_ignoring_keys()
        else:
            self._visit_or_explain()

    def _visit_or_explain(self) -> None:
        """Move to the next place in the pop-up. Just after the playback, explain why the key was ignored."""
        if self._debounce.is_active:
            self._explain_ignored_key()
        elif self._open_popup is not None:
            self._visit_next_place()

    def _explain_ignored_key(self) -> None:
        """Explain why a key press was ignored. Ignore further presses briefly."""
        self._ignore_keys()
        self._screen.show_message(key_debounce.IGNORED_TEXT)

    def close(self) -> None:
        """End the playback. If a pop-up is open, close it instead."""
        if self.is_running:
            self.finish()
        else:
            self.close_popup()
            self._open_next_popup()

    def play_again(self) -> None:
        """Repeat the playback. If a pop-up is open, or playback is running or switched off, show a page instead."""
        run = self._run
        if self._open_popup is not None and not self.is_running:
            title, lines = self._open_popup
            self._screen.show_page(
                title, (*(news.text for news in lines), *self._remaining_reasons(lines))
            )
        elif run is None or not run.playback_steps:
            self._screen.show_page(
                "What happened", ("Nothing has happened since your last command.",)
            )
        elif self.is_running or self.settings.playback is Playback.OFF:
            self.finish()
            self._screen.show_page("What happened", self._playback_lines(run))
        else:
            self.close_popup(includes_queued=True)
            run.rewind()
            self._start_playback()

    def _remaining_reasons(self, shown_news: Sequence[News]) -> tuple[str, ...]:
        """Return the reasons for other players' moves, without those that the pop-up has shown."""
        shown_texts = {news.text for news in shown_news}
        reasons = [reason for reason in self.recap.remarks_by_others() if reason not in shown_texts]
        return ("", "Why", *reasons) if reasons else ()

    def _playback_lines(self, run: PlaybackRun) -> tuple[str, ...]:
        lines: list[str] = []
        for number, playback_step in enumerate(run.detailed_steps, start=1):
            first_line, *further_lines = playback_step.text.split("\n")
            lines += [f"{number}. {first_line}", *(f"   {line}" for line in further_lines)]
            next_step = run.detailed_steps[number] if number < len(run.detailed_steps) else None
            is_last = (
                next_step is None
                or next_step.page is None
                or next_step.page.title
                != (playback_step.page.title if playback_step.page is not None else "")
            )
            if playback_step.page is not None and is_last:
                lines += [f"   {line}" for line in page_text(playback_step.page, _PAGE_WIDTH)]
        session = self._session
        roll_lines = self._screen.presenter.report(
            [seen_event.event for seen_event in run.seen_events],
            run.view_before,
            session.known_view(),
            is_explained=True,
        )
        return (*lines, *(("", "Every roll", *roll_lines) if roll_lines else ()))

    # -- pop-ups

    def queue_popup(self, title: str, lines: Sequence[News]) -> None:
        """Queue a pop-up to be shown over the map, after the pop-ups already queued."""
        self._queued_popups.append((title, tuple(lines)))
        if not self.is_running:
            self._open_next_popup()

    def _open_next_popup(self) -> None:
        if self._open_popup is None and self._queued_popups:
            self._open_popup = self._queued_popups.pop(0)
            self._visited_places = 0
            self._draw_popup()

    def _draw_popup(self) -> None:
        assert self._open_popup is not None, "a pop-up must be open"
        title, lines = self._open_popup
        places = [news for news in lines if news.place]
        is_more = self._visited_places < len(places)
        keys = f"Enter there ({self._visited_places}/{len(places)})" if is_more else "Enter close"
        self.playback_panel.show_contents(
            title,
            [f"- {news.text}" for news in lines],
            f"{keys}  B read  Esc close",
        )

    def _visit_next_place(self) -> None:
        """Move the cursor to the next place in the pop-up. After the last place, close the pop-up and move back."""
        assert self._open_popup is not None, "a pop-up must be open"
        places = [news.place for news in self._open_popup[1] if news.place]
        map_view = self._screen.map
        if self._visited_places >= len(places):
            self._ignore_keys()
            if places:
                map_view.point_at(self._cursor_before_visits)
            self.close()
            self._screen.describe_choice()
            return
        if not self._visited_places:
            self._cursor_before_visits = map_view.cursor
        map_view.point_at(places[self._visited_places])
        self._visited_places += 1
        self._draw_popup()
        scroll_into_view(
            map_view, (places[self._visited_places - 1],), self.playback_panel.covered_lines
        )

    def close_popup(self, *, includes_queued: bool = False) -> None:
        """Close the current pop-up. If `includes_queued` is True, drop all queued pop-ups as well."""
        if includes_queued:
            self._queued_popups.clear()
        if self._open_popup is not None:
            self._open_popup = None
            self.playback_panel.clear()

    # -- contents of the screen during playback

    def view(self) -> View | None:
        """Return the view at the current step; None while no playback is running."""
        return self._run.view() if self.is_running and self._run is not None else None

    def battle_pages(self) -> tuple[OverlayPage, ...]:
        """Return the latest battle board up to the current step; empty if no step has shown a battle board."""
        run = self._run
        assert run is not None, "a playback must be running"
        boards = [
            playback_step.page
            for playback_step in run.shown_details
            if isinstance(playback_step.page, BattleBoard)
        ]
        return tuple(boards[-1:])

    def shown_texts(self) -> tuple[str, ...]:
        """Return the text of the steps shown so far, most recent first."""
        run = self._run
        assert run is not None, "a playback must be running"
        lines: list[str] = []
        for playback_step in reversed(run.playback_steps[: run.step_number]):
            first_line, *further_lines = playback_step.text.split("\n")
            lines += [first_line, *(f"  {line}" for line in further_lines)]
        return tuple(lines)

    def heading(self) -> str:
        """Return the heading as of the current step."""
        assert self._run is not None, "a playback must be running"
        return self._session.ruleset.heading(self._run.state())

    def log(self) -> list[LogLine]:
        """Return the log up to the current step."""
        run = self._run
        assert run is not None, "a playback must be running"
        lines = [line for line in self._session.log() if line.seq <= run.start_seq]
        log_sentences = self._session.ruleset.log_sentences
        for seq, seen_events in groupby(run.shown_events, key=lambda seen_event: seen_event.seq):
            lines += [
                LogLine(seq, text)
                for text in log_sentences([seen_event.event for seen_event in seen_events])
            ]
        return lines

    def decorate_scene(self, scene: Scene, view: View) -> Scene:
        """Return the map with other players' changes and the current step highlighted."""
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
