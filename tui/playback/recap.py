"""A recap of the events since the player's last move."""

from collections.abc import Iterator
from typing import Final

from play.session import Session
from tui.panels.overlay_pages import OverlayPage
from tui.panels.playback_step import MAX_NEWS, News
from tui.presenter.presenter import Presenter

NO_BATTLE: Final = "There is no battle now, and there was none recently."
_MAX_RECORDS_BACK: Final = 150
"""Maximum number of records to search backwards for the last battle."""


class TurnRecap:
    """Summarises recent events for the player who uses this screen."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Start after the player's last command in the record."""
        self._session = session
        self._presenter = presenter
        self._own_roles = session.own_roles
        self.start_seq = max(session.records.last_own_seq(), 0)
        """Number of the record after which the news starts: the player's last move. 0 if there is no such move."""
        self._checked_seq = self._reported_seq = session.seq
        """Numbers of two records: the last one checked for the end of a turn, and the last one in the latest report."""

    def restart(self) -> None:
        """Restart the news if the player's own move begins now. A response-window answer does not count as a move."""
        session = self._session
        decision = session.decision()
        if decision is None or decision.is_window:
            return
        if self._presenter.continues_turn(session.view()):
            self.start_seq = session.seq

    def switch_person(self) -> None:
        """If another player now uses this screen, start the news after that player's last command."""
        if self._own_roles != self._session.own_roles:
            self._own_roles = self._session.own_roles
            self.start_seq = max(self._session.records.last_own_seq(), 0)

    def news(self) -> tuple[News, ...]:
        """Return at most `MAX_NEWS` items, most important first; empty if no other player has moved."""
        session = self._session
        seen_events = (
            ()
            if session.records.has_takebacks(self.start_seq)
            else session.records.seen_events(self.start_seq)
        )
        is_alone = not self._presenter.is_against_game and all(
            seen_event.is_own for seen_event in seen_events
        )
        if not seen_events or is_alone:
            return ()
        view_before = session.project(session.records.event_cursor(self.start_seq).state)
        news = self._presenter.news(seen_events, view_before, session.known_view())[:MAX_NEWS]
        reasons = self.remarks_by_others()
        if len(news) + len(reasons) > MAX_NEWS:
            return news
        return (*news, *map(News, reasons))

    def remarks_by_others(self) -> tuple[str, ...]:
        """Return the reasons that other players gave for their moves, without duplicates."""
        return tuple(dict.fromkeys(self._session.records.remarks_by_others(self.start_seq)))

    def report(self) -> tuple[str, ...]:
        """Return the report on a turn that has ended since the last call; empty if no turn has ended."""
        session = self._session
        start_seq, self._checked_seq = self._checked_seq, session.seq
        if session.seq <= start_seq or session.records.has_takebacks(start_seq):
            return ()
        report = self._report(start_seq)
        # Earlier records of this turn were checked before the turn ended, so the report must
        # include them now.
        if report and self._presenter.reports_whole_turn and self._reported_seq < start_seq:
            report = self._report(self._reported_seq)
        if report:
            self._reported_seq = session.seq
        return report

    def _report(self, start_seq: int) -> tuple[str, ...]:
        session = self._session
        seen_events = session.records.seen_events(start_seq)
        view_before = session.project(session.records.event_cursor(start_seq).state)
        return self._presenter.turn_report(seen_events, view_before, session.known_view())

    def lines(self) -> Iterator[str]:
        """Yield each news item as a line that ends with the item's place."""
        for news in self.news():
            place = f" [{news.place}]" if news.place and news.place not in news.text else ""
            yield f"{news.text}{place}"


def battle_pages(session: Session, presenter: Presenter) -> tuple[OverlayPage, ...]:
    """Return the boards of all current and declared battles. If there are none, return the last battle's board."""
    start_seq = max(session.seq - _MAX_RECORDS_BACK, 0)
    seen_events = (
        () if session.records.has_takebacks(start_seq) else session.records.seen_events(start_seq)
    )
    view = session.view()
    view_before = (
        session.project(session.records.event_cursor(start_seq).state) if seen_events else view
    )
    return presenter.battle_boards(seen_events, view_before, view)
