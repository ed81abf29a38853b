"""What the forms of a new game and of a host share: the scenario, switches, and seats that follow from both."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from textual.binding import Binding

from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import Ruling
from engine.registry import AnyRuleset
from tui.screens.form import Field, FormDialog
from tui.screens.prompt import TextDialog

SCENARIO: Final = "scenario"
SEAT: Final = "seat:"
"""Before the role in the id of a row."""
OPTION: Final = "option:"
"""Before the id of a ruling."""


def scenario_field(ruleset: AnyRuleset) -> Field:
    """Return the row that takes a scenario."""
    scenarios = ruleset.scenarios()
    return Field(
        id=SCENARIO,
        label="Scenario",
        values=tuple(info.id for info in scenarios),
        names=tuple(info.name for info in scenarios),
        value=scenarios[0].id,
        helps=tuple(f"{info.name}: {info.summary}" for info in scenarios),
    )


def deciding(ruleset: AnyRuleset) -> tuple[Ruling, ...]:
    """Return the rulings on which the roles of a match depend."""
    return tuple(one for one in ruleset.options() if one.decides_roles)


def option_fields(rulings: Iterable[Ruling]) -> tuple[Field, ...]:
    """Return a row for each ruling."""
    return tuple(
        Field(
            id=f"{OPTION}{ruling.id}",
            label=ruling.id,
            values=ruling.values,
            names=tuple(ruling.words.values()),
            value=ruling.default,
            help=ruling.text,
        )
        for ruling in rulings
    )


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


class MatchDialog(FormDialog):
    """A form with a scenario, in which only the seats of the match are shown."""

    BINDINGS = [Binding("b", "brief", "Briefing")]

    def __init__(
        self,
        ruleset: AnyRuleset,
        title: str,
        fields: tuple[Field, ...],
        done: str,
        done_at: int | None = None,
    ) -> None:
        """Ask for values, as every form does."""
        self._ruleset = ruleset
        if any(info.briefing for info in ruleset.scenarios()):
            self.keys_hint = f"{self.keys_hint}   b briefing"
        super().__init__(title, fields, done, done_at)

    def action_brief(self) -> None:
        """Show what to know before the first move of the scenario."""
        info = chosen_info(self._ruleset, self.values)
        if info.briefing:
            self.app.push_screen(TextDialog(info.name, info.briefing))

    def hidden(self) -> Collection[str]:
        """Return the seats that the match does not have."""
        roles = {f"{SEAT}{role}" for role in chosen_info(self._ruleset, self.values).roles}
        return {one for one in self.values if one.startswith(SEAT) and one not in roles}
