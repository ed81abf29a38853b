"""Every game provides the texts and displays that the presenter marks as required."""

import pytest

from engine import registry
from play.texts import RequiredTexts
from tui.presenter.presenter import Presenter, RequiredDisplays, load_presenter

REQUIRED = {
    name
    for base in (RequiredTexts, RequiredDisplays)
    for name, value in vars(base).items()
    if callable(value) and not name.startswith("_")
}


@pytest.mark.parametrize("game", registry.games())
def test_a_game_overrides_every_required_hook(game: str) -> None:
    kind = type(load_presenter(registry.ruleset(game)))
    own = {name for cls in kind.mro() if not issubclass(Presenter, cls) for name in vars(cls)}
    assert sorted(REQUIRED - own) == []


def test_a_required_hook_has_one_definition() -> None:
    assert "label" in REQUIRED
    assert "status_segments" in REQUIRED
    assert sorted(REQUIRED & vars(Presenter).keys()) == []
