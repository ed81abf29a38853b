"""Confirmations before a card without effect, and before building a piece that is removed at once (6.6, 8.2)."""

import pytest
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg.frames import Trigger
from engine.qmg.options import ROLES
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.engine.qmg.table import Table, position
from tests.play.tables import SECRET, First
from tests.tui.test_plain import Script
from tui.console.game import PlainGame
from tui.qmg.presenter import QmgPresenter
from tui.widgets.lists.choice_lines import initial_row


def question(table: Table, role: str, line: str) -> str:
    return (
        QmgPresenter(QMG)
        .consequence(QMG.project(table.state, Role(role)), QMG.notation.parse(line))
        .question
    )


def table(*lines: str, country: str = "germany") -> Table:
    found = Table("base", f"active {country}", "homes", *lines)
    found.until("8.2", country)
    return found


@pytest.mark.parametrize(
    ("lines", "card", "words"),
    [
        pytest.param((), "de_land_battle", "nothing to battle", id="7.4-empty-spaces"),
        pytest.param((), "de_sea_battle", "nothing to battle", id="7.4-empty-seas"),
        pytest.param(
            ("piece ussr army ukraine", "piece germany army eastern_europe"),
            "de_land_battle",
            "",
            id="7.4-a-target",
        ),
        pytest.param((), "de_build_army", "", id="7.1-a-space"),
        pytest.param(
            ("no-piece germany army germany", "piece uk army germany"),
            "de_build_army",
            "nothing to build",
            id="7.1-no-home",
        ),
        pytest.param((), "de_plunder", "", id="8.2-economic-warfare"),
        pytest.param((), "de_volkssturm", "", id="8.2-a-status"),
        pytest.param(
            ("piece germany army eastern_europe ukraine balkans italy western_europe russia",),
            "de_forced_conscription",
            "nothing to recruit",
            id="7.3-an-empty-pool",
        ),
        pytest.param(
            ("piece italy army balkans",),
            "de_military_dictatorships_in_the_balkans",
            "has no effect now",
            id="7.8-no-part-of-it",
        ),
        pytest.param((), "de_military_dictatorships_in_the_balkans", "", id="7.8-one-part-of-it"),
    ],
)
def test_card_without_effect_asks_for_confirmation(
    lines: tuple[str, ...], card: str, words: str
) -> None:
    found = question(table(*lines, f"hand germany {card}"), "germany", f"play {card}#1")
    assert words in found
    assert bool(words) == bool(found)


@pytest.mark.parametrize(
    ("lines", "card", "words"),
    [
        pytest.param(
            (), "uk_tw_special_air_service_raids_airfields", "no effect now", id="no-target"
        ),
        pytest.param(
            (
                "no-piece france army western_europe",
                "piece germany army western_europe",
                "piece germany air western_europe",
                "piece uk navy north_sea",
                "piece uk air north_sea",
            ),
            "uk_tw_special_air_service_raids_airfields",
            "",
            id="a-target",
        ),
        pytest.param((), "uk_tw_commonwealth_irregulars", "", id="an-empty-space"),
    ],
)
def test_10_4_bolster_without_effect_asks_for_confirmation(
    lines: tuple[str, ...], card: str, words: str
) -> None:
    """Its cost, two cards, would be lost for nothing."""
    view = window("uk", "play_step_begin", *lines)
    use = QMG.notation.parse(f"use {card}#1")
    asked = QmgPresenter(QMG).consequence(view, use).question
    assert words in asked
    assert bool(words) == bool(asked)


@pytest.mark.parametrize(
    ("kind", "card", "usual"),
    [
        pytest.param("play_step_begin", "uk_tw_armee_de_lair", "pass", id="own-step"),
        pytest.param("discard_step_begin", "us_rosie_the_riveter", "pass", id="a-free-status"),
        pytest.param("about_to_be_removed", "uk_raf", "use", id="a-loss"),
        pytest.param("status_use_declared", "uk_tw_bletchley_park", "pass", id="a-cost-in-cards"),
        pytest.param("battled", "de_blitzkrieg", "use", id="own-battle"),
    ],
)
def test_10_4_enter_spends_no_card_unasked(kind: str, card: str, usual: str) -> None:
    view = window("uk", kind)
    options = (QMG.notation.parse(f"use {card}#1"), QMG.notation.parse("pass"))
    lines = QmgPresenter(QMG).arrange_options(view, options, ())
    row = initial_row(lines)
    assert row is not None
    assert QMG.notation.line(lines[row].command).split()[0] == usual


def window(role: str, kind: str, *lines: str) -> QmgView:
    """Return the view of a country that is asked about an event of its own turn."""
    found = Table("total-war", f"active {role}", "homes", *lines)
    view = QMG.project(found.state, Role(role))
    assert isinstance(view, QmgView)
    return replace(view, trigger=Trigger(kind=kind, cause="allies", by=role))


def test_6_6_recruit_lost_in_the_supply_step_of_this_turn_asks_for_confirmation() -> None:
    found = table("hand uk uk_singapore uk_raf", country="uk")
    found("uk: play uk_singapore#1")
    lonely = question(found, "uk", "recruit uk army southeast_asia")
    assert "British Army in Southeast Asia would be out of supply" in lonely
    found = table("hand uk uk_singapore uk_raf", "piece uk army india", country="uk")
    found("uk: play uk_singapore#1")
    assert question(found, "uk", "recruit uk army southeast_asia") == ""


def test_6_6_recruit_in_the_turn_of_another_country_needs_no_confirmation() -> None:
    found = table("hand italy it_afrika_korps it_plunder", country="italy")
    found("italy: play it_afrika_korps#1")
    assert found.options("italy", "recruit germany army north_africa")
    assert question(found, "italy", "recruit germany army north_africa") == ""


async def test_line_mode_asks_to_repeat_a_doubtful_command() -> None:
    cards = position("base", "active germany", "homes", "hand germany de_land_battle de_plunder")
    seats = tuple(Seat(role=role, player=role, seat_id=role) for role in ROLES)
    match = Match.create(QMG, cards, "base", {}, seats, SECRET)
    session = LocalSession(match, {role: First() for role in ROLES if role != "germany"})
    session.switch_role(Role("germany"))
    script = Script(["play de_land_battle", "drop de_plunder", "undo"])
    script.lines += ["play de_land_battle", "play de_land_battle"]
    await PlainGame(session, QmgPresenter(QMG), script.read, script.write).run()
    assert script.text.count("nothing to battle now. Play it anyway?") == 2
    assert script.text.count("Planned: Play Land Battle") == 1
    assert script.text.index("Planned: Discard Plunder") < script.text.index("Planned: Play Land")
    tried = [line for line in script.text.splitlines() if "Planned: " in line]
    assert not any("#" in line or "de_" in line for line in tried)
