"""Every ruling that a chapter reads can be switched at set-up."""

from types import ModuleType

import pytest

from engine.eots import strategic_rulings
from engine.eots.cards import rulings as card_rulings
from engine.eots.ch06_supply import rulings as supply
from engine.eots.ch07_offensive import escort_carriers
from engine.eots.ch08_movement import rulings as movement
from engine.eots.ch09_battle import rulings as battle
from engine.eots.ch13_nations import rulings as nations
from engine.eots.options import OPTIONS, check_options
from engine.eots.ruleset import EOTS
from engine.kernel.errors import DataError

MODULES = (supply, movement, battle, strategic_rulings, nations, card_rulings, escort_carriers)
THREE = {"tournament-note": 3}
"""Rulings with more than one other reading."""
WITHOUT_A_GAME = {"sp-passes"}
"""Rulings of a scenario that cannot be played."""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.__name__))
def test_rulings_and_options_agree(module: ModuleType) -> None:
    offered = {option.id: option.values for option in OPTIONS}
    for name, default in module.DEFAULTS.items():
        if name not in WITHOUT_A_GAME:
            assert offered[name][:2] == (default, module.OTHERS[name])
            assert len(offered[name]) == THREE.get(name, 2)


def test_options_are_named_once_and_told() -> None:
    assert len({option.id for option in OPTIONS}) == len(OPTIONS)
    assert all(option.text and len(option.values) > 1 for option in OPTIONS)


def test_every_value_is_accepted() -> None:
    for option in OPTIONS:
        for value in option.values:
            EOTS.position("1943", {option.id: value})


@pytest.mark.parametrize("options", [{"weather": "on"}, {"biak": "maybe"}])
def test_others_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(DataError):
        check_options(options)
