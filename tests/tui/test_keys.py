"""Keys at the table: every game has the same keys for the same functions, and none overrides them."""

from collections import Counter

import pytest
from textual.binding import Binding
from textual.widget import Widget

from engine import registry
from tui.maps.hexmap.widget import HexMapView
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen
from tui.screens.replay.replay import ReplayScreen
from tui.screens.replay.replay_table import ReplayTable

EVERYWHERE = {"o": "forecast", "r": "roster", "t": "goals"}


def _bound(screen: type[Widget]) -> set[str]:
    """Return the keys of a class and of its base classes."""
    entries = (entry for cls in screen.mro() for entry in cls.__dict__.get("BINDINGS", ()))
    return {
        key
        for entry in entries
        for key in (entry.key if isinstance(entry, Binding) else entry[0]).split(",")
    }


@pytest.mark.parametrize("game", registry.games())
def test_game_keys_do_not_conflict_with_other_keys(game: str) -> None:
    presenter = load_presenter(registry.ruleset(game))
    own = [
        *(key for key, _, _ in presenter.overlays),
        *(key for key, _ in presenter.page_names),
        *(key for key, _ in presenter.boards),
    ]
    assert [key for key, times in Counter(own).items() if times > 1] == []
    taken = _bound(PlayScreen) | _bound(ReplayScreen) | _bound(HexMapView) | EVERYWHERE.keys()
    assert sorted(taken & set(own)) == []


def test_replay_keys_do_not_conflict_with_table_keys() -> None:
    own = {
        entry.key: entry.action
        for entry in ReplayScreen.__dict__["BINDINGS"]
        if isinstance(entry, Binding)
    }
    keys = {key for keys in own for key in keys.split(",")}
    assert keys & (_bound(ReplayTable) | EVERYWHERE.keys()) == {"slash"}, "the search is another"
