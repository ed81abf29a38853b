"""Data and golden games change only with their game's rules version, and older games are kept (P8)."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.registry import ruleset
from tests.golden_games.corpus import GAMES
from tests.golden_games.versions import pinned_rules, rules_today, unraised

OLDER = Path(__file__).parents[1] / "saves" / "golden"


@pytest.mark.parametrize("game", GAMES)
def test_data_and_golden_games_change_only_with_the_rules_version(game: str) -> None:
    assert list(unraised(game, pinned_rules()[game], rules_today(game))) == []


@pytest.mark.parametrize("game", GAMES)
def test_game_of_the_previous_rules_version_is_kept(game: str) -> None:
    older = ruleset(game).version - 1
    assert not older or (OLDER / f"{game}-rules-{older}.xz").exists()


@pytest.mark.parametrize("field", ["data_digest", "golden_games"])
def test_change_without_a_new_rules_version_is_detected(field: str) -> None:
    pinned = pinned_rules()["cbps"]
    changed = replace(pinned, **{field: "another"})
    (found,) = unraised("cbps", pinned, changed)
    assert found.endswith("raise the version")
    (found,) = unraised("cbps", pinned, replace(changed, version=pinned.version + 1))
    assert "python -m tests.golden_games.versions" in found
    assert list(unraised("cbps", pinned, pinned)) == []
