"""Rows shared by the forms for new and hosted games: scenario, bot level and rulings."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.bots.registry import available_bots, bots_by_strength, level_description
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import Ruling
from engine.kernel.sentences import pluralise
from engine.registry import AnyRuleset
from tui.screens.forms.form import Field

SCENARIO: Final = "scenario"
SEAT: Final = "seat:"
"""Prefix of the seat field ids. The rest of the id is the role."""
OPTION: Final = "option:"
"""Prefix of the ruling field ids. The rest of the id is the ruling's own id."""
LEVEL: Final = "level"
"""Id of the row for the bot level."""
RULINGS: Final = "rulings"
"""Id of the row that expands or collapses the rulings."""
_LIST_HINT: Final = "Enter lists all scenarios with their lengths and goals."


def scenario_field(ruleset: AnyRuleset) -> Field:
    """Return the row that chooses the scenario."""
    scenarios = ruleset.scenarios()
    return Field(
        id=SCENARIO,
        label="Scenario",
        values=tuple(info.id for info in scenarios),
        value_labels=tuple(info.name for info in scenarios),
        value=ruleset.default_scenario(),
        helps=tuple(f"{info.name}: rule {info.rule}. {_LIST_HINT}" for info in scenarios),
    )


def level_field(ruleset: AnyRuleset) -> Field:
    """Return the row that sets all bots to the same level."""
    values = bots_by_strength(ruleset.game)
    is_two_player = all(len(info.roles) == 2 for info in ruleset.scenario_variants())  # noqa: PLR2004  # two-player game
    return Field(
        id=LEVEL,
        label="Opponent" if is_two_player else "Bots",
        values=values,
        value=available_bots(ruleset.game)[0],
        helps=tuple(level_description(value) for value in values),
    )


def role_rulings(ruleset: AnyRuleset) -> tuple[Ruling, ...]:
    """Return the rulings that determine which roles a match has."""
    return tuple(ruling for ruling in ruleset.options() if ruling.decides_roles)


def collapsed_rulings(ruleset: AnyRuleset) -> tuple[Ruling, ...]:
    """Return the rulings that can be collapsed."""
    return tuple(ruling for ruling in ruleset.options() if not ruling.decides_roles)


def option_fields(rulings: Iterable[Ruling]) -> tuple[Field, ...]:
    """Return a row for each ruling."""
    return tuple(
        Field(
            id=f"{OPTION}{ruling.id}",
            label=ruling.text,
            values=ruling.values,
            value_labels=tuple(ruling.answers.values()),
            value=ruling.default,
            help=f"Answers: {' / '.join(ruling.answers.values())}. Default: {ruling.answers[ruling.default]}.",
        )
        for ruling in rulings
    )


def rulings_field(ruleset: AnyRuleset) -> Field:
    """Return the row that expands or collapses the rulings."""
    count = len(collapsed_rulings(ruleset))
    count_text = pluralise(count, "disputed or optional rule", "disputed or optional rules")
    help_text = (
        f"{count_text}, each with its question and its answers. Enter shows them, / finds some."
    )
    return Field(id=RULINGS, label="Rulings", help=help_text)


def chosen_options(ruleset: AnyRuleset, values: Mapping[str, str]) -> dict[str, str]:
    """Return the rulings whose values in a form differ from their defaults."""
    defaults = {f"{OPTION}{ruling.id}": ruling.default for ruling in ruleset.options()}
    return {
        name.removeprefix(OPTION): value
        for name, value in values.items()
        if name.startswith(OPTION) and value != defaults[name]
    }


def chosen_info(ruleset: AnyRuleset, values: Mapping[str, str]) -> ScenarioInfo:
    """Return the scenario chosen in a form, with the form's rulings applied."""
    return ruleset.scenario_info(values[SCENARIO], chosen_options(ruleset, values))
