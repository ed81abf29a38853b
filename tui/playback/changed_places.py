"""The places that other players have changed since the player's last command."""

from engine.kernel.ruleset import View
from play.session import Session
from tui.maps.highlights import changed_place_ids
from tui.playback.run import PlaybackRun
from tui.presenter.presenter import Presenter, Scene, Selection


class ChangedPlaces:
    """Computes which changed places to highlight on one screen. The result is cached until something changes."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Start with an empty cache."""
        self._session = session
        self._presenter = presenter
        self._base: Scene | None = None
        self._cached_places: tuple[object, frozenset[str]] = (None, frozenset())

    def reset_base(self) -> None:
        """Discard the base position, so that the next comparison starts after the player's last command."""
        self._base = None

    def places(self, view: View, run: PlaybackRun | None, *, is_running: bool) -> frozenset[str]:
        """Return the places that other players have changed as of the given position.

        Args:
            view: The position on display.
            run: The current or latest playback.
            is_running: True if the view belongs to a playback step.
        """
        session = self._session
        # A draft adds the player's own changes to the view, so return the previous result instead.
        if session.draft.commands and not is_running:
            return self._cached_places[1]
        step = run.step_number if is_running and run is not None else -1
        key = (session.seq, session.role, step)
        if self._cached_places[0] != key:
            base = self._base_scene()
            current_places = None if base is None else self._presenter.scene(view, Selection())
            changed = (
                changed_place_ids(base, current_places)
                if base is not None and current_places is not None
                else frozenset()
            )
            self._cached_places = key, self._places_by_others(changed, run, is_running=is_running)
        return self._cached_places[1]

    def _places_by_others(
        self, places: frozenset[str], run: PlaybackRun | None, *, is_running: bool
    ) -> frozenset[str]:
        """Keep only places changed by others.

        If the opponent is the game itself, these are the places in playback steps.
        """
        if not self._presenter.is_against_game or run is None:
            return places
        shown_steps = run.playback_steps[: run.step_number] if is_running else run.playback_steps
        return places & {
            place for playback_step in shown_steps for place in playback_step.visible_places
        }

    def _base_scene(self) -> Scene | None:
        """Return the map after the player's last command, or before it if the enemy moves as part of that command.

        None if there is no such command.
        """
        if self._base is None:
            session = self._session
            seq = session.records.last_own_seq() - self._presenter.is_against_game
            if seq < 0:
                return None
            view = session.project(session.records.event_cursor(seq).state)
            self._base = self._presenter.scene(view, Selection())
        return self._base
