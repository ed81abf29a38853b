"""The rows of the forms of a new game and of a host: scenario, strength of the bots, rulings."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.bots.registry import bots, by_strength, level_words
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import Ruling
from engine.kernel.sentences import with_word
from engine.registry import AnyRuleset
from tui.screens.form import Field

SCENARIO: Final = "scenario"
SEAT: Final = "seat:"
"""Before the role in the id of a row."""
OPTION: Final = "option:"
"""Before the id of a ruling."""
LEVEL: Final = "level"
"""The row that says how strong the bots are."""
RULINGS: Final = "rulings"
"""The row under which the rulings are folded."""
_LIST: Final = "Enter lists all scenarios with their lengths and goals."


def scenario_field(ruleset: AnyRuleset) -> Field:
    """Return the row that takes a scenario."""
    scenarios = ruleset.scenarios()
    return Field(
        id=SCENARIO,
        label="Scenario",
        values=tuple(info.id for info in scenarios),
        names=tuple(info.name for info in scenarios),
        value=ruleset.usual_scenario(),
        helps=tuple(f"{info.name}: rule {info.rule}. {_LIST}" for info in scenarios),
    )


def level_field(ruleset: AnyRuleset) -> Field:
    """Return the row that makes all bots as strong as one another."""
    values = by_strength(ruleset.game)
    has_one = all(len(info.roles) == 2 for info in ruleset.infos())  # noqa: PLR2004  # you and one more
    return Field(
        id=LEVEL,
        label="Opponent" if has_one else "Bots",
        values=values,
        value=bots(ruleset.game)[0],
        helps=tuple(level_words(value) for value in values),
    )


def deciding(ruleset: AnyRuleset) -> tuple[Ruling, ...]:
    """Return the rulings on which the roles of a match depend."""
    return tuple(one for one in ruleset.options() if one.decides_roles)


def folded(ruleset: AnyRuleset) -> tuple[Ruling, ...]:
    """Return the rulings that are folded under one row."""
    return tuple(one for one in ruleset.options() if not one.decides_roles)


def option_fields(rulings: Iterable[Ruling]) -> tuple[Field, ...]:
    """Return a row for each ruling."""
    return tuple(
        Field(
            id=f"{OPTION}{ruling.id}",
            label=ruling.text,
            values=ruling.values,
            names=tuple(ruling.words.values()),
            value=ruling.default,
            help=f"Answers: {' / '.join(ruling.words.values())}. Usual: {ruling.words[ruling.default]}.",
        )
        for ruling in rulings
    )


def rulings_field(ruleset: AnyRuleset) -> Field:
    """Return the row under which the rulings are folded."""
    count = len(folded(ruleset))
    what = with_word(count, "disputed or optional rule", "disputed or optional rules")
    words = f"{what}, each with its question and its answers. Enter shows them, / finds some."
    return Field(id=RULINGS, label="Rulings", help=words)


def chosen_options(ruleset: AnyRuleset, values: Mapping[str, str]) -> dict[str, str]:
    """Return the switches of a form that are not at their default."""
    defaults = {f"{OPTION}{one.id}": one.default for one in ruleset.options()}
    return {
        name.removeprefix(OPTION): value
        for name, value in values.items()
        if name.startswith(OPTION) and value != defaults[name]
    }


def chosen_info(ruleset: AnyRuleset, values: Mapping[str, str]) -> ScenarioInfo:
    """Return the scenario of a form as it is with the switches of the form."""
    return ruleset.scenario_info(values[SCENARIO], chosen_options(ruleset, values))
