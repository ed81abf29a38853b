"""How a turn flows: D, names after a slash, forecasts, a steady map, and one playback step per country."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from engine.kernel.ids import Role
from engine.qmg import commands as c
from engine.qmg import events as ev
from engine.qmg.ruleset import QMG
from play import games
from play.choices import NO_CONSEQUENCE
from play.event_history import SeenEvent
from tests.engine.qmg.table import Table
from tests.sizes import sampled
from tests.tui.apps import app, reached
from tests.tui.qmg.tables import PRESENTER, question, states
from tools.dev.pictures import EXAMPLE, example_session
from tui.presenter.presenter import load_presenter
from tui.qmg.playback.country_steps import country_steps
from tui.qmg.playback.turn_recap import news
from tui.screens.dialogs.lookup import FindDialog
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.match.play import PlayScreen
from tui.screens.table.forecast_screen import ForecastScreen


def example() -> PlayScreen:
    game = example_session(EXAMPLE, ())
    return PlayScreen(game, load_presenter(game.ruleset))


def status(screen: PlayScreen) -> str:
    return str(screen.query_one(".status", Static).render())


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


async def test_name_after_slash_chooses_a_destination_on_map_and_list(
    tmp_path: Path,
) -> None:
    screen = example()
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for place in sampled(("map", "list"), 1):
            await press(pilot, "2")  # Build Army
            if place == "map":
                await press(pilot, "tab", "slash")
            else:
                await press(pilot, "slash")
            await press(pilot, *"scand", "enter")
            await reached(pilot, lambda: len(screen.session.draft.commands) == 2)
            built = screen.session.draft.commands[-1]
            assert built == c.Build(force="germany", piece="army", space="scandinavia")
            await press(pilot, "u", "u")


@pytest.mark.full
async def test_search_reports_an_unknown_name(tmp_path: Path) -> None:
    screen = example()
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "tab", "slash", *"xyzzy", "enter")
        dialog = program.screen
        assert isinstance(dialog, FindDialog), "the question stays"
        rows = dialog.query_one(OptionList)
        assert "Nothing is called 'xyzzy'." in str(rows.get_option_at_index(0).prompt)


async def test_d_finishes_a_step_confirms_a_loss_or_says_what_is_missing(
    tmp_path: Path,
) -> None:
    screen = example()
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "D")
        await reached(pilot, lambda: "Not finished: Play step" in status(screen))
        await press(pilot, "2", "D")  # Build Army without a piece
        await reached(pilot, lambda: isinstance(program.screen, SureDialog))
        title = program.screen.query_one(".title", Static)
        assert "Give up the rest of Build Army?" in str(title.render())
        await press(pilot, "n")
        assert len(screen.session.draft.commands) == 1
        await press(pilot, "enter", "D")
        await reached(pilot, lambda: "Discard step" not in screen.panel.words)


@pytest.mark.full
async def test_forecast_is_about_the_highlighted_card(tmp_path: Path) -> None:
    screen = example()
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await press(pilot, "o")
        assert isinstance(program.screen, ForecastScreen)
        first, *_ = program.screen._pages
        assert "Germany battles the Soviet Army in Ukraine" in first.title


@pytest.mark.parametrize("size", sampled([(80, 24), (120, 40), (160, 46)], 1))
async def test_map_height_is_constant_within_a_turn(tmp_path: Path, size: tuple[int, int]) -> None:
    screen = example()
    async with app(tmp_path, screen).run_test(size=size) as pilot:
        await pilot.pause()
        heights = {screen.map.size.height}
        for key in ("tab", "tab", "2", "enter", "u", "7", "escape", "tab"):
            await press(pilot, key)
            heights.add(screen.map.size.height)
        assert len(heights) == 1
        assert screen.panel.size.height >= 8


def test_costly_discard_of_nothing_in_total_war_asks_for_confirmation() -> None:
    state = next(
        state
        for state in states("total-war", 400)
        if any(
            isinstance(option, c.Done) and isinstance(other.default, c.Discard)
            for other in [question(state)[1]]
            for option in other.options
        )
    )
    view, decision = question(state)
    assert view.step == "discard"
    done = next(option for option in decision.options if isinstance(option, c.Done))
    options = decision.options
    asked = PRESENTER.consequence(view, done, options, decision.default)
    assert asked == ("costs 1 VP", "Discard no card and lose 1 VP?")
    assert PRESENTER.consequence(view, done, options, done) == NO_CONSEQUENCE, "one is discarded"


def test_ending_a_card_early_is_labelled_and_a_cost_is_declined_with_no() -> None:
    view, _ = question(states("total-war", 2)[0])
    lending = replace(view, chain=(("card", "us_lend_lease#1"),))
    countries = (c.Name(force="uk"), c.Name(force="ussr"), c.Done())
    assert PRESENTER.consequence(lending, c.Done(), countries, c.Done()) == (
        "gives up the rest of Lend Lease",
        "Give up the rest of Lend Lease?",
    )
    cost = (c.Yes(), c.Done())
    assert PRESENTER.consequence(lending, c.Done(), cost, c.Done()) == NO_CONSEQUENCE
    lines = PRESENTER.arrange_options(lending, cost, (), c.Done())
    assert [line.title for line in lines] == ["Yes", "No"]


def seen(*events: Any) -> tuple[SeenEvent, ...]:  # noqa: ANN401  (events of any kind)
    return tuple(
        SeenEvent(seq=number, number=1, role=Role(""), is_own=False, event=event)
        for number, event in enumerate(events)
    )


def example_events() -> Sequence[SeenEvent]:
    return seen(
        ev.TurnBegan(round=2, country="germany"),
        ev.CardPlayed(country="germany", card="de_land_battle#1"),
        ev.BattleFought(force="germany", space="ukraine", piece="army", target="ussr"),
        ev.PiecePlaced(force="italy", piece="army", space="balkans", how="build"),
        ev.PieceRemoved(force="ussr", piece="army", space="ukraine", why="battle"),
        ev.VpChanged(team="axis", amount=4, why="germany"),
        ev.TurnBegan(round=2, country="uk"),
        ev.PiecePlaced(force="uk", piece="navy", space="north_sea", how="build"),
    )


def test_a_playback_has_one_step_per_country_with_own_losses_first() -> None:
    view, _ = question(states("base", 2)[0])
    ours = replace(view, role="ussr")
    german, british = country_steps(example_events(), ours)
    assert german.text.split("\n") == [
        "Germany: Axis +4 VP",
        "The Soviet Army in Ukraine is destroyed in battle.",
        "Italy builds an Army in the Balkans.",
    ]
    assert german.visible_places == ("ukraine", "balkans")
    assert british.text == "The UK\nThe UK builds a Navy in the North Sea."
    first, *_ = news(example_events(), ours, ours)
    assert first.text == "Your team has lost the Soviet Army in Ukraine."


def test_playback_step_shows_a_card_before_its_effects() -> None:
    view, _ = question(states("base", 2)[0])
    events = seen(
        ev.TurnBegan(round=2, country="usa"),
        ev.CardPlayed(country="usa", card="us_murmansk_convoy#1"),
        ev.PiecePlaced(force="ussr", piece="army", space="russia", how="recruit"),
        *(
            ev.PiecePlaced(force="ussr", piece="army", space=space, how="build")
            for space in ("balkans", "ukraine", "siberia", "moscow", "kazakhstan")
        ),
        ev.PieceRemoved(force="germany", piece="army", space="ukraine", why="supply"),
    )
    (step,) = country_steps(events, replace(view, role="germany"))
    heading, loss, *others, more = step.text.split("\n")
    assert heading == "The USA"
    assert loss.startswith("The German Army in Ukraine")
    assert others[0] == "The USSR recruits an Army in Russia.", "a card gives way to changes"
    assert more == "and 3 more (B lists everything)"
    (short,) = country_steps(events[:3], replace(view, role="germany"))
    assert short.text.split("\n")[1:] == [
        "The USA plays Murmansk Convoy.",
        "The USSR recruits an Army in Russia.",
    ]


@pytest.mark.full
async def test_the_map_shows_where_the_next_country_of_the_same_player_decides(
    tmp_path: Path,
) -> None:
    roles = tuple(map(Role, ("uk", "ussr", "usa")))
    bots = dict.fromkeys(map(Role, ("germany", "japan", "italy")), "easy")
    new = games.NewGame(
        game="qmg", scenario="base", bots=bots, seat=roles[0], names=dict.fromkeys(roles, "Ann")
    )
    session = games.create_game(new, tmp_path / "game.fplog")
    screen = PlayScreen(session, load_presenter(session.ruleset))

    def decides(role: Role) -> bool:
        return session.role == role and session.decision() is not None

    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        homes = []
        for role in roles:
            await reached(pilot, partial(decides, role))
            await pilot.pause()
            homes.append(screen.map.cursor)
            for key in ("enter", "enter", "enter", "c"):
                await pilot.press(key)
                await pilot.app.workers.wait_for_complete()
        assert homes == ["united_kingdom", "moscow", "eastern_us"]
        await reached(pilot, partial(decides, roles[0]))
        await pilot.app.workers.wait_for_complete()
        screen.map.point_at("australia")
        await press(pilot, "M")
        assert (session.role, screen.map.cursor) == (roles[1], "moscow")


def test_a_loss_behind_an_automatic_pass_of_the_viewer_is_played_back() -> None:
    view, _ = question(states("base", 2)[0])
    battle, removal = example_events()[2], example_events()[4]
    events = (example_events()[0], battle, replace(removal, is_own=True))
    (step,) = country_steps(events, replace(view, role="usa"))
    assert step.text.split("\n") == [
        "Germany",
        "The Soviet Army in Ukraine is destroyed in battle.",
    ]
    texts = [step.text for step in PRESENTER.playback_steps(events, view, view)]
    assert "The Soviet Army in Ukraine is destroyed in battle." in texts, "in the details, too"
    first, *_ = news(events, replace(view, role="usa"), view)
    assert first.text == "Your team has lost the Soviet Army in Ukraine."
    own_battle = (replace(battle, is_own=True), events[2])
    assert not PRESENTER.playback_steps(own_battle, view, view), "the own turn needs no playback"
    assert not country_steps((events[2],), replace(view, role="usa", active="uk")), (
        "of the own turn"
    )


@pytest.mark.parametrize(
    ("commands", "is_required"),
    [
        pytest.param((), False, id="8.2-play-a-card"),
        pytest.param(("uk: play uk_malta_submarines#1",), True, id="A.2-which-loss"),
        pytest.param(
            ("uk: play uk_malta_submarines#1", "germany: choose 2"), True, id="17.8-which-navy"
        ),
    ],
)
def test_a_loss_that_must_be_chosen_says_so_in_the_prompt(
    commands: Sequence[str], *, is_required: bool
) -> None:
    navies = "piece germany navy mediterranean", "piece germany army western_europe"
    table = Table("base", "active uk", "homes", *navies, "hand uk uk_malta_submarines")
    table(*commands)
    decision = QMG.decision(table.state, Role(table.asked[0]))
    assert ("You must choose; Done is not possible" in PRESENTER.prompt(decision)) is is_required


async def test_refused_enter_names_the_key_that_finishes_the_step(tmp_path: Path) -> None:
    screen = example()
    async with app(tmp_path, screen).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen.explain_final_answers()
        assert "D to finish" not in status(screen), "the play step cannot be finished yet"
        await press(pilot, "2", "enter")  # Build Army
        screen.explain_final_answers()
        assert "Press D to finish, its digit, or" in status(screen)
