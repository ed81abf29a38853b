"""Where others have changed something since the own last command."""

from engine.kernel.ruleset import View
from play.session import Session
from tui.marking import differing
from tui.playback.show import Show
from tui.presenter import Presenter, Scene, Selection


class Changes:
    """The marked places of one table, worked out anew when something has happened."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Know nothing yet."""
        self._session = session
        self._presenter = presenter
        self._base: Scene | None = None
        self._known: tuple[object, frozenset[str]] = (None, frozenset())

    def forget(self) -> None:
        """Begin behind the last own command of the record again."""
        self._base = None

    def places(self, view: View, show: Show | None, *, is_running: bool) -> frozenset[str]:
        """Return what others have changed until a table.

        Args:
            view: The table.
            show: What is played back, or was last.
            is_running: The table is that of the step that is shown.
        """
        session = self._session
        if session.drafted and not is_running:  # what is tried is not a change of others
            return self._known[1]
        step = show.number if is_running and show is not None else -1
        key = (session.seq, session.role, step)
        if self._known[0] != key:
            base = self._base_scene()
            now = None if base is None else self._presenter.scene(view, Selection())
            found = differing(base, now) if base is not None and now is not None else frozenset()
            self._known = key, self._by_others(found, show, is_running=is_running)
        return self._known[1]

    def _by_others(
        self, places: frozenset[str], show: Show | None, *, is_running: bool
    ) -> frozenset[str]:
        """Return the places that others have changed; where the game itself moves, those that the steps tell of."""
        if not self._presenter.is_against_game or show is None:
            return places
        told = show.beats[: show.number] if is_running else show.beats
        return places & {place for beat in told for place in beat.sights}

    def _base_scene(self) -> Scene | None:
        """Return the map behind the own last command, or before it where the game itself answers in it."""
        if self._base is None:
            session = self._session
            after = session.last_own() - self._presenter.is_against_game
            if after < 0:
                return None
            view = session.view_of(session.reel(after).state)
            self._base = self._presenter.scene(view, Selection())
        return self._base
