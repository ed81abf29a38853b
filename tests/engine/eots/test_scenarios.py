from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest

from engine.eots.counters import counters
from engine.eots.data.reading import content
from engine.eots.data.scenarios_file import FILE
from engine.eots.ids import HexId, ScenarioId, Side
from engine.eots.scenarios import (
    initial_control,
    read_scenarios,
    replacements,
    scenario,
    scenario_ids,
    schedules,
    war_in_europe_level,
)
from engine.eots.victory_terms import CampaignVictory, SouthPacificVictory, VpVictory
from engine.kernel.errors import DataError
from tests.engine.eots.data.text_checks import optional_rules

TEN: Final = [
    "campaign-1941",
    "1942",
    "1943",
    "1944",
    "1942-43",
    "1943-44",
    "1942-44",
    "short-campaign",
    "shorter-campaign",
    "south-pacific",
]


def test_all_ten_scenarios_are_listed() -> None:
    assert list(scenario_ids()) == TEN
    assert len(optional_rules()) == 4


@pytest.mark.parametrize(
    ("name", "turns", "base", "victory"),
    [
        pytest.param("campaign-1941", (1, 12), None, CampaignVictory, id="17.1"),
        pytest.param("1942", (2, 4), None, VpVictory, id="17.2"),
        pytest.param("1943", (5, 7), None, VpVictory, id="17.3"),
        pytest.param("1944", (8, 10), None, VpVictory, id="17.4"),
        pytest.param("1942-43", (2, 7), "1942", VpVictory, id="17.5"),
        pytest.param("1943-44", (5, 10), "1943", VpVictory, id="17.6"),
        pytest.param("1942-44", (2, 10), "1942", VpVictory, id="17.7"),
        pytest.param("short-campaign", (2, 12), "1942", CampaignVictory, id="17.8"),
        pytest.param("shorter-campaign", (5, 12), "1943", CampaignVictory, id="17.9"),
        pytest.param("south-pacific", (3, 6), None, SouthPacificVictory, id="17.10"),
    ],
)
def test_scenario_span_and_inheritance(
    name: str, turns: tuple[int, int], base: str | None, victory: type
) -> None:
    of = scenario(ScenarioId(name))
    assert (of.start_turn, of.end_turn) == turns
    assert isinstance(of.victory, victory)
    assert of.inherits == base
    if base is not None:
        source = scenario(ScenarioId(base))
        assert (of.setup, of.markers, of.cards) == (source.setup, source.markers, source.cards)
        assert of.special_rules[: len(source.special_rules)] == source.special_rules
        assert len(of.special_rules) > len(source.special_rules)
        assert of.short_game_rules is None
        assert source.short_game_rules is not None


def test_inherited_victory_equals_that_of_the_named_scenario() -> None:
    assert scenario(ScenarioId("1942-44")).victory == scenario(ScenarioId("1944")).victory


@pytest.mark.parametrize("name", TEN)
def test_every_counter_is_listed_once(name: str) -> None:
    of = scenario(ScenarioId(name))
    units = [placed.unit for placed in of.setup] + [fixed.unit for fixed in of.fixed_units]
    units += [entering.unit for entering in of.delay_box]
    units += [entering.unit for turn in of.reinforcements for entering in turn.units]
    units += [waiting.unit for waiting in of.event_units] + [*of.eliminated, *of.unused]
    assert sorted(units) == list(counters())


@pytest.mark.parametrize(
    ("name", "place", "side"),
    [
        pytest.param("campaign-1941", "2109", Side.ALLIED, id="1.3-siam"),
        pytest.param("campaign-1941", "2708", Side.JAPAN, id="1.3-coastal-china"),
        pytest.param("campaign-1941", "2709", Side.ALLIED, id="1.3-hong-kong"),
        pytest.param("campaign-1941", "3814", Side.ALLIED, id="1.3-guam"),
        pytest.param("campaign-1941", "3205", Side.JAPAN, id="1.3-korea"),
        pytest.param("1942", "2709", Side.JAPAN, id="17.22-hong-kong"),
        pytest.param("1942", "2813", Side.ALLIED, id="17.22-manila"),
        pytest.param("1943", "2813", Side.JAPAN, id="17.32-manila"),
        pytest.param("1943", "3823", Side.ALLIED, id="17.32-port-moresby"),
        pytest.param("1944", "4122", Side.ALLIED, id="17.42-woodlark"),
        pytest.param("south-pacific", "4017", Side.JAPAN, id="17.10-truk"),
        pytest.param("south-pacific", "3823", Side.ALLIED, id="17.10-port-moresby"),
        pytest.param("south-pacific", "3023", Side.ALLIED, id="17.10-darwin"),
    ],
)
def test_initial_control_of_hexes(name: str, place: str, side: Side) -> None:
    assert initial_control(scenario(ScenarioId(name)))[HexId(place)] is side


def test_scenario_replacements_override_the_chart() -> None:
    assert replacements(scenario(ScenarioId("1942"))) == schedules().replacements.per_turn
    own = replacements(scenario(ScenarioId("south-pacific")))
    assert [(row.turn, row.allied.air, row.allied.china) for row in own] == [
        (4, 4, 0),
        (5, 4, 0),
        (6, 4, 0),
    ]


@pytest.mark.parametrize(
    ("marker", "level"),
    [
        pytest.param(3, 0, id="15-no-effect"),
        pytest.param(1, 0, id="15-still-no-effect"),
        pytest.param(0, 1, id="15-level-1"),
        pytest.param(-3, 2, id="15-level-2"),
        pytest.param(-6, 3, id="15-level-3"),
        pytest.param(-7, 4, id="15-level-4"),
    ],
)
def test_war_in_europe_level_of_a_marker(marker: int, level: int) -> None:
    assert war_in_europe_level(marker) == level


def test_a_marker_off_the_track_is_refused() -> None:
    with pytest.raises(ValueError, match="not a box"):
        war_in_europe_level(4)


def test_starting_hand_sizes() -> None:
    start = scenario(ScenarioId("1942")).cards.hands[0]
    assert (start.japan.count, start.allied.count, start.allied.passes) == (7, 5, 2)
    assert start.japan.historical is not None
    assert start.japan.historical.exact == (3, 47, 59)
    first = scenario(ScenarioId("campaign-1941")).cards.hands[0]
    assert (first.japan.exact, first.allied.count) == ((1, 2), 0)
    pacific = scenario(ScenarioId("south-pacific")).cards
    assert [(hands.from_turn, hands.to_turn) for hands in pacific.hands] == [(3, 3), (4, 6)]


Row = dict[str, Any]


def broken(change: Callable[[Row], object], at: int = 0) -> bytes:
    """Return the scenario file with a change to one scenario."""
    file = msgspec.json.decode(content(FILE), type=dict[str, Any])
    change(file["scenarios"][at])
    return msgspec.json.encode(file)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            broken(lambda s: s.update(end_turn=0)), "do not follow each other", id="turns"
        ),
        pytest.param(broken(lambda s: s["setup"].pop()), "are not listed", id="18.0-unit-missing"),
        pytest.param(
            broken(lambda s: s["setup"].append(s["setup"][0])),
            "is listed twice",
            id="18.0-unit-twice",
        ),
        pytest.param(
            broken(lambda s: s["setup"][0].update(at="9999")), "no place '9999'", id="hex"
        ),
        pytest.param(
            broken(lambda s: s["unused"].append("us-cv-x")),
            "no unit 'us-cv-x'",
            id="unit",
        ),
        pytest.param(
            broken(
                lambda s: next(p for p in s["setup"] if p["unit"] == "dutch-regiment-1").update(
                    face="reduced"
                )
            ),
            "has no reduced face",
            id="0.5-one-step-unit-reduced",
        ),
        pytest.param(
            broken(lambda s: s["cards"]["removed"]["japan"].append(87)), "no card 87", id="card"
        ),
        pytest.param(
            broken(lambda s: s["cards"]["removed"]["japan"].extend([3, 3])),
            "two piles",
            id="card-twice",
        ),
        pytest.param(
            broken(lambda s: s["politics"]["surrendered"].append("mars")), "'mars'", id="area"
        ),
        pytest.param(
            broken(lambda s: s["victory"]["conditions"][3].update(area="mars"), 1),
            "'mars'",
            id="area-of-victory",
        ),
        pytest.param(
            broken(lambda s: s.update(inherits="1939"), 4), "'1939'", id="17.5-unknown-base"
        ),
        pytest.param(
            broken(lambda s: s.update(inherits="1943-44"), 4), "inherits, too", id="17.5-chain"
        ),
        pytest.param(
            broken(lambda s: s.pop("markers")), "missing required field `markers`", id="missing-key"
        ),
        pytest.param(broken(lambda s: s.update(id="1942")), "no id of its own", id="id-twice"),
        pytest.param(
            broken(lambda s: s["control"]["rules"][1].update(scope="hexes-with-units")),
            "does not fit the scope",
            id="control-scope",
        ),
    ],
)
def test_bad_scenario_is_refused(text: bytes, problem: str) -> None:
    with pytest.raises(DataError, match=problem) as caught:
        read_scenarios(text)
    assert caught.value.file == "scenarios.json"
