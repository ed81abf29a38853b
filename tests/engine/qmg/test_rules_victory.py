"""Questions about Statuses that score (12.1) are asked only if public information allows an enemy answer."""

import pytest

from engine.kernel.ids import Role
from engine.qmg.ids import COUNTRIES
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table

pytestmark = pytest.mark.series("P12")

GERMANY = (
    "active germany",
    "homes",
    "hand germany de_build_army de_plunder",
    "piece germany navy baltic_sea",
    "piece germany army ukraine",
)
ITALY = (
    "active italy",
    "homes",
    "hand italy it_build_army it_plunder",
    "piece italy navy mediterranean",
)
SCORES = "status germany de_swedish_iron_ore"
NAVIES = "status italy it_mare_nostrum"


@pytest.mark.parametrize(
    ("scenario", "lines", "is_asked"),
    [
        pytest.param("base", (*GERMANY, SCORES), False, id="12.1-nothing-on-the-table"),
        pytest.param("base", (*GERMANY, SCORES, "hand uk uk_raf"), False, id="12.1-a-hand"),
        pytest.param("base", (*GERMANY, SCORES, "response uk uk_raf"), True, id="12.1-a-response"),
        pytest.param("base", (*GERMANY, "response uk uk_raf"), False, id="12.1-no-status"),
        pytest.param(
            "base",
            (*GERMANY, SCORES, "response uk uk_raf", "discard uk uk_enigma_code_cracked"),
            False,
            id="12.1-the-answer-is-gone",
        ),
        pytest.param("base", (*ITALY, NAVIES, "response uk uk_raf"), False, id="12.1-italy"),
        pytest.param("total-war", (*ITALY, NAVIES, "hand uk uk_raf"), True, id="12.1-a-bolster"),
        pytest.param("total-war", (*ITALY, NAVIES), False, id="12.1-no-hand"),
        pytest.param(
            "total-war",
            (*ITALY, NAVIES, "hand uk uk_raf", "discard uk uk_tw_keep_calm_and_carry_on"),
            False,
            id="12.1-the-bolster-is-gone",
        ),
    ],
)
def test_scoring_decision_is_offered_only_if_an_enemy_may_respond(
    scenario: str, lines: tuple[str, ...], *, is_asked: bool
) -> None:
    table = Table(scenario, *lines)
    country = lines[0].split()[1]
    table.until("8.2", country)
    table(f"{country}: {table.options(country, 'drop')[0]}")
    for _ in range(20):
        if table.rule in {"12.1", "8.4"}:
            break
        table.default()
    assert (table.rule == "12.1") == is_asked


def test_12_1_default_uses_the_first_status_and_a_pass_skips_the_rest() -> None:
    table = Table(
        "base", *GERMANY, "response uk uk_raf", f"{SCORES} de_abundant_resources de_jet_fighters"
    )
    table("germany: drop de_build_army#1")
    assert table.options("germany") == [
        "use de_swedish_iron_ore#1",
        "use de_abundant_resources#1",
        "pass",
    ]
    default = QMG.decision(table.state, Role("germany")).default
    assert QMG.notation.line(default) == "use de_swedish_iron_ore#1"
    table.default()
    while table.rule != "12.1":
        table.default()
    assert table.options("germany") == ["use de_abundant_resources#1", "pass"]
    table("germany: pass")
    assert table.rule == "8.4"


@pytest.mark.parametrize(
    ("scenario", "points", "last", "winner"),
    [
        pytest.param("base", (60, 60), 20, "axis", id="12.5-a-tie-after-20-rounds"),
        pytest.param("total-war", (0, 32), 8, "allies", id="12.4-four-points-a-round"),
    ],
)
def test_a_game_without_cards_ends_by_points_or_rounds(
    scenario: str, points: tuple[int, int], last: int, winner: str
) -> None:
    """Every turn costs 1 VP (8.2 e) and scores 2 for the Home; nothing is drawn (8.5).

    With Total War France and China score, too (12.3), and an empty hand in the Discard step costs another VP (18.13).
    """
    empty = [f"no-deck {country}" for country in COUNTRIES]
    table = Table(scenario, "active germany", "homes", *empty)
    for _ in range(500):
        if not table.asked:
            break
        table.default()
    outcome = QMG.outcome(table.state)
    assert outcome is not None
    assert (table.vp(), table.state.round, outcome.winner) == (points, last, winner)
