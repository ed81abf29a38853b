"""A role that is not asked is refused by a rule of its own game (4.0, 8.1, 3.1)."""

import pytest

from engine import registry
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role, Rule

RULES = {"eots": Rule("4.0"), "qmg": Rule("8.1"), "cbps": Rule("3.1")}


@pytest.mark.parametrize("game", registry.games())
def test_a_refusal_cites_the_sequence_rule_of_its_own_game(game: str) -> None:
    assert game in RULES, "add the game's sequence rule to RULES"
    rules = registry.ruleset(game)
    info = rules.scenarios()[0]
    start = rules.open_game(rules.position(info.id, {}), DerivedDice(bytes(32), 0))
    state = rules.fold(rules.initial_state(), start)
    command = rules.decision(state, rules.active_roles(state)[0]).default
    with pytest.raises(IllegalCommandError) as caught:
        rules.decide(state, Role("nobody"), command, DerivedDice(bytes(32), 1))
    assert [one.rule for one in caught.value.refusals] == [RULES[game]]


@pytest.mark.parametrize("game", registry.games())
def test_the_sequence_rule_is_in_the_reference_of_the_game(game: str) -> None:
    assert game in RULES, "add the game's sequence rule to RULES"
    assert registry.ruleset(game).sequence_rule == RULES[game]
    assert registry.reference(game).paragraph(RULES[game]) is not None
