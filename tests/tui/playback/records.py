"""Golden games as sessions that are replayed step by step, showing what a seat learns from each record."""

from collections.abc import Sequence
from functools import cache

from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from engine.registry import ruleset
from play.event_history import SeenEvent
from play.replay_session import ReplaySession
from saves.headers import Header
from saves.logfile import Log
from saves.records import Record
from tests.golden_games.corpus import read
from tui.presenter.presenter import Presenter, load_presenter

EOTS = "eots-1942-44-greedy-first"
QMG = "qmg-base-greedy-first"
CBPS = "cbps-1-busy-last"


@cache
def _kept(name: str) -> tuple[Header, tuple[Record, ...]]:
    return read(name)


def session(name: str, role: str, at: int, last: int) -> ReplaySession:
    """Return the replay of the first records of a game, at one of them."""
    header, records = _kept(name)
    log = Log(header, records[: last + 1], (), 0, None)
    replay = ReplaySession(log, ruleset(header.game), name)
    replay.switch_role(Role(role))
    replay.go_to_record(at)
    return replay


def presenter(name: str) -> Presenter:
    """Return a game's presenter."""
    return load_presenter(ruleset(_kept(name)[0].game))


def stretch(name: str, role: str, first: int, last: int) -> tuple[Sequence[SeenEvent], View, View]:
    """Return what a seat learns between two records, with the table before and after."""
    replay = session(name, role, last, last)
    before = replay.project(replay.records.event_cursor(first).state)
    return replay.records.seen_events(first), before, replay.known_view()
