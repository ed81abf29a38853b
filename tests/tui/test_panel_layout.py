"""Panels by screen size, and as toggled by the player."""

from itertools import pairwise

import pytest

from engine import registry
from tui.panels.docks import Dock, size_name, visible_panels, with_panel_toggled
from tui.presenter.presenter import load_presenter


@pytest.mark.parametrize(
    ("size", "name"),
    [
        ((80, 24), "80x24"),
        ((200, 30), "80x24"),
        ((119, 60), "120x40"),
        ((160, 46), "160x46"),
        ((300, 90), "200x60"),
    ],
)
def test_largest_fitting_layout_is_chosen(size: tuple[int, int], name: str) -> None:
    assert size_name(*size) == name


def test_larger_screens_show_more_panels() -> None:
    shown = [visible_panels(*size, {}) for size in ((80, 24), (120, 40), (160, 46), (200, 60))]
    assert all(one < other for one, other in pairwise(shown))


def test_panel_toggle_is_kept_per_size_and_forgotten_when_undone() -> None:
    chosen = with_panel_toggled(160, 46, {}, Dock.HAND)
    assert chosen == {"160x46": {"hand": False}}
    assert Dock.HAND not in visible_panels(160, 46, chosen)
    assert Dock.HAND in visible_panels(200, 60, chosen)
    assert with_panel_toggled(160, 46, chosen, Dock.HAND) == {}


def test_news_replace_other_panels_when_room_is_scarce() -> None:
    assert Dock.MINIMAP not in visible_panels(120, 40, {}, has_news=True)
    assert Dock.LOG not in visible_panels(160, 46, {}, has_news=True)
    assert Dock.LOG in visible_panels(200, 60, {}, has_news=True)
    assert Dock.MINIMAP in visible_panels(160, 46, {}, has_news=True)
    assert with_panel_toggled(120, 40, {}, Dock.MINIMAP, has_news=True) == {
        "120x40": {"minimap": True}
    }


@pytest.mark.parametrize("game", registry.games())
def test_the_tabs_of_the_extra_column_fit_its_width(game: str) -> None:
    presenter = load_presenter(registry.ruleset(game))
    names = [presenter.tab_names.get(key, name) for key, name in presenter.page_names]
    assert presenter.tab_names.keys() <= {key for key, _ in presenter.page_names}
    assert sum(len(name) + 1 for name in ("Goals", "Roster", *names)) <= 42
