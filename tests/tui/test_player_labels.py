"""Names of people in sentences and in form rows."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from textual.widgets import OptionList
from typing_extensions import override

from engine.eots.ruleset import EOTS
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from engine.registry import AnyRuleset
from tests.tui.apps import app
from tests.tui.eots.still import StillSession, still_view
from tui.eots.presenter import EotsPresenter
from tui.presenter.player_labels import role_with_player, waiting_text
from tui.presenter.presenter import load_presenter
from tui.screens.forms.form import FormDialog
from tui.screens.forms.host import HostDialog
from tui.screens.forms.new_game import NewGameDialog

ALLIED, JAPAN = EOTS.roles(EOTS.initial_state())


class _Table(StillSession):
    """A static table that knows its players."""

    def __init__(self, players: Mapping[Role, str]) -> None:
        super().__init__(still_view())
        self._players = players

    @property
    @override
    def players(self) -> Mapping[Role, str]:
        return self._players

    @override
    def waiting_for(self) -> tuple[Role, ...]:
        return (ALLIED, JAPAN)


@pytest.mark.parametrize(
    ("players", "words"),
    [
        pytest.param({}, "Waiting for the Allies, Japan.", id="nobody-known"),
        pytest.param({ALLIED: "allied"}, "Waiting for the Allies, Japan.", id="no-name"),
        pytest.param({JAPAN: "Bob"}, "Waiting for the Allies, Japan (Bob).", id="a-person"),
        pytest.param({JAPAN: "bot:"}, "Waiting for the Allies, Japan (bot).", id="a-bot"),
        pytest.param(
            {JAPAN: "bot:strong"}, "Waiting for the Allies, Japan (strong bot).", id="a-level"
        ),
        pytest.param({JAPAN: "B\x1b[1mo"}, "Waiting for the Allies, Japan (B?o).", id="foreign"),
    ],
)
def test_waiting_text_names_the_players(players: Mapping[Role, str], words: str) -> None:
    assert waiting_text(_Table(players), EotsPresenter(EOTS)) == words


def test_host_problem_replaces_the_waiting_text() -> None:
    class Full(_Table):
        @override
        def blocking_problem(self) -> str:
            return "the host's disk is full"

    words = "The host's disk is full: no commands are accepted now."
    assert waiting_text(Full({}), EotsPresenter(EOTS)) == words


@pytest.mark.parametrize(
    ("players", "words"),
    [
        (
            {ALLIED: "bot:easy", JAPAN: "bot:strong"},
            "Thinking: the Allies (easy bot), Japan (strong bot) 4 s",
        ),
        ({JAPAN: "bot:strong"}, "the Allies, Japan (strong bot)."),
    ],
)
def test_waiting_text_counts_seconds_only_for_bots(players: Mapping[Role, str], words: str) -> None:
    """For a person there is no countdown."""
    assert waiting_text(_Table(players), EotsPresenter(EOTS), 4).endswith(words)


@pytest.mark.parametrize(
    ("role", "words"),
    [("uk", "the UK"), ("germany", "Germany"), ("usa", "the USA"), ("axis", "the Axis")],
)
def test_role_phrases_for_countries_and_teams(role: str, words: str) -> None:
    assert load_presenter(QMG).role_phrase(Role(role)) == words
    assert role_with_player(_Table({}), load_presenter(QMG), Role(role)) == words


@pytest.mark.parametrize(
    ("rules", "labels"),
    [
        pytest.param(QMG, ["Scenario", "Germany", "UK", "Japan", "USSR", "Italy", "USA"], id="qmg"),
        pytest.param(EOTS, ["Scenario", "Allied", "Japan"], id="eots", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("form", [NewGameDialog, HostDialog])
async def test_forms_name_the_seats_and_describe_the_scenario(
    tmp_path: Path, rules: AnyRuleset, labels: list[str], form: type[FormDialog]
) -> None:
    dialog = NewGameDialog(rules) if form is NewGameDialog else HostDialog(rules, "Ann")
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        await pilot.press("right")
        await pilot.pause()
        rows = dialog.query_one(OptionList)
        shown = "\n".join(
            str(rows.get_option_at_index(row).prompt) for row in range(rows.option_count)
        )
        assert all(label in shown for label in labels)
        assert "Uk " not in shown
        infos = rules.scenarios()
        usual = [info.id for info in infos].index(rules.default_scenario())
        first, second = infos[usual], infos[usual + 1]
        assert str(dialog.query_one(".help").render()).startswith(f"{second.name}: ")
        await pilot.press("left")
        await pilot.pause()
        assert str(dialog.query_one(".help").render()).startswith(f"{first.name}: ")
