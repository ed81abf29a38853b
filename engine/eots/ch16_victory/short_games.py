"""Special rules for the one-year scenarios: cards that end a rivalry, and forbidden events (17.26, 17.37, 17.47)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.ids import CardId, ScenarioId
from engine.eots.rulings import SHORT_GAME_RULES
from engine.eots.scenarios import scenario, scenario_ids
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

_RULE: Final = Rule("17.26")
_MODEL: Final = ScenarioId("1943")
"""The scenario whose list of forbidden events applies to all one-year scenarios (OPS-5)."""


@cache
def _barred_cards() -> frozenset[CardId]:
    rules = scenario(_MODEL).short_game_rules
    assert rules is not None
    return frozenset(card.id for card in rules.pw_events_oc_only.cards)


@cache
def _has_rules(name: str) -> bool:
    return scenario(ScenarioId(name)).short_game_rules is not None


@cache
def _is_longer(name: str) -> bool:
    """Return whether a scenario is one of the campaigns in 17.5-17.9 (OPS-4)."""
    return name in scenario_ids() and scenario(ScenarioId(name)).inherits is not None


def is_short_game(state: State) -> bool:
    """Return whether the rules for one-year scenarios apply to this game (17.26, OPS-4)."""
    if _has_rules(state.scenario):
        return True
    return SHORT_GAME_RULES.uses_alternative(state.options) and _is_longer(state.scenario)


def is_will_event_barred(state: State, card: CardId) -> bool:
    """Return whether a card's event is forbidden because it moves US Political Will (17.26, OPS-5)."""
    return card in _barred_cards() and is_short_game(state)


def refuse_short_game(state: State, text: str) -> Iterator[Refusal]:
    """Refuse, citing 17.26 and, if the scenario repeats this rule under its own number, that number (17.37, 17.47)."""
    yield Refusal(_RULE, text)
    rules = scenario(ScenarioId(state.scenario)).short_game_rules
    if rules is not None and rules.isr_removal.rule != _RULE:
        yield Refusal(Rule(rules.isr_removal.rule), f"{_RULE} also applies here")
