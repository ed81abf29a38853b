from typing import Final

import msgspec
import pytest

from engine.eots.counters import _build_counters, counters, hq_can_command
from engine.eots.data import units_file
from engine.eots.data.reading import content
from engine.eots.data.units_file import UnitsFile
from engine.eots.ids import Face, Side, UnitId, UnitType
from engine.kernel.data_files import decode
from engine.kernel.errors import DataError

ALL: Final = counters()


def test_counter_totals() -> None:
    assert len(ALL) == 201
    assert list(ALL) == sorted(ALL)
    assert sum(counter.is_hq for counter in ALL.values()) == 12
    assert sum(counter.is_naval for counter in ALL.values()) == 61
    assert sum(counter.is_air for counter in ALL.values()) == 51
    assert sum(counter.is_ground for counter in ALL.values()) == 77
    assert sum(counter.carrier for counter in ALL.values()) == 30
    assert sum(counter.is_air_capable for counter in ALL.values()) == 51 + 30
    assert sum(counter.side is Side.JAPAN for counter in ALL.values()) == 74
    assert [counter.type for counter in ALL.values() if counter.b29] == [UnitType.B29, UnitType.B29]


@pytest.mark.parametrize(
    ("hq", "unit", "may"),
    [
        pytest.param("cw-hq-malaya", "us-air-avg", True, id="EX-6-2-us-air"),
        pytest.param("cw-hq-malaya", "cw-corps-3-ind", True, id="EX-6-2-indian"),
        pytest.param("cw-hq-malaya", "us-ca-us-asia", False, id="EX-6-2-us-ship"),
        pytest.param("cw-hq-malaya", "dutch-air", False, id="EX-6-2-dutch-air"),
        pytest.param("cw-hq-seac", "us-lrb-5af", True, id="6.12-us-bomber"),
        pytest.param("cw-hq-seac", "us-air-1maw", True, id="6.12-marine-air"),
        pytest.param("cw-hq-seac", "us-cv-essex", False, id="6.12-us-carrier-is-no-air-unit"),
        pytest.param("cw-hq-seac", "china-army-5", True, id="6.12-chinese"),
        pytest.param("us-hq-central-pacific", "us-cv-essex", True, id="6.12-us"),
        pytest.param(
            "us-hq-central-pacific", "cw-bb-warspite", False, id="6.12-us-and-commonwealth"
        ),
        pytest.param("us-hq-central-pacific", "china-army-5", True, id="6.12-us-and-chinese"),
        pytest.param("us-hq-southwest-pacific", "dutch-air", False, id="6.12-us-and-dutch"),
        pytest.param("joint-hq-abda", "dutch-air", True, id="6.12-joint-and-dutch"),
        pytest.param("joint-hq-anzac", "cw-corps-1-aus", True, id="6.12-joint-and-australian"),
        pytest.param("jp-hq-south", "jp-army-14", True, id="6.12-japan"),
        pytest.param("jp-hq-south", "us-cv-essex", False, id="6.12-enemy"),
        pytest.param("joint-hq-anzac", "joint-hq-abda", False, id="6.12-no-headquarters"),
        pytest.param("us-cv-essex", "us-cv-essex", False, id="6.12-a-ship-commands-nobody"),
    ],
)
def test_hqs_command_matching_units(hq: str, unit: str, may: bool) -> None:
    assert hq_can_command(ALL[UnitId(hq)], ALL[UnitId(unit)]) is may


@pytest.mark.parametrize(
    ("name", "steps", "values"),
    [
        pytest.param("us-bb-massachusetts", 2, (16, 16, 0), id="1.24-full"),
        pytest.param("us-bb-massachusetts", 1, (8, 16, 0), id="1.24-reduced"),
        pytest.param("us-cvl-san-jacinto", 1, (7, 10, 2), id="1.24-carrier"),
        pytest.param("jp-air-flotilla-24", 2, (10, 10, 3), id="EX-1-5-flotilla"),
        pytest.param("dutch-regiment-1", 1, None, id="0.5-one-step-unit-uses-its-only-face"),
    ],
)
def test_strength_depends_on_steps(
    name: str, steps: int, values: tuple[int, int, int] | None
) -> None:
    counter = ALL[UnitId(name)]
    found = counter.strength(steps)
    if values is None:
        assert counter.max_steps == 1
        assert found is counter.full
    else:
        assert (found.attack, found.defense, found.range) == values


def test_extended_air_ranges() -> None:
    tainan = ALL[UnitId("jp-air-tainan")].strength(2)
    assert (tainan.range, tainan.extended_range, tainan.extended_in_parentheses) == (4, 5, True)
    flotilla = ALL[UnitId("jp-air-flotilla-24")].strength(2)
    assert (flotilla.extended_range, flotilla.extended_in_parentheses) == (5, False)


@pytest.mark.parametrize(
    ("name", "steps", "cost"),
    [
        pytest.param("jp-army-korean", 2, 4, id="8.45A-korean-army"),
        pytest.param("jp-army-korean", 1, 2, id="8.45A-korean-army-reduced"),
        pytest.param("us-corps-xiv", 2, 2, id="8.45A-corps"),
        pytest.param("us-corps-xiv", 1, 1, id="8.45A-corps-reduced"),
        pytest.param("us-marine-sf-brigade", 2, 1, id="8.45A-brigade"),
        pytest.param("dutch-regiment-1", 1, None, id="1.3-dutch-never-assault"),
        pytest.param("us-cv-essex", 2, None, id="8.45A-ship"),
    ],
)
def test_shipping_point_cost_depends_on_steps(name: str, steps: int, cost: int | None) -> None:
    assert ALL[UnitId(name)].asp_cost(steps) == cost


def test_steps_on_a_face() -> None:
    essex, regiment = ALL[UnitId("us-cv-essex")], ALL[UnitId("dutch-regiment-1")]
    assert [essex.steps_on(face) for face in Face] == [2, 1]
    assert regiment.steps_on(Face.FULL) == 1


def test_headquarters_values() -> None:
    pacific = ALL[UnitId("us-hq-central-pacific")]
    assert pacific.hq is not None
    assert (pacific.hq.command_range, pacific.hq.efficiency, pacific.max_steps) == (25, 3, 1)
    ozawa = ALL[UnitId("jp-hq-combined-fleet-ozawa")]
    assert ozawa.hq is not None
    assert ozawa.hq.command_key == "jp-hq-combined-fleet"


def broken(change: dict[str, object]) -> bytes:
    """Return the units file with a change to its first unit."""
    file = msgspec.json.decode(content(units_file.FILE), type=dict[str, msgspec.Raw])
    units = msgspec.json.decode(bytes(file["units"]), type=list[dict[str, object]])
    units[0].update(change)
    return msgspec.json.encode({**file, "units": units})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param({"id": "us-cv-essex"}, "the id appears twice", id="id-twice"),
        pytest.param({"steps": 1}, "steps do not match the faces", id="0.5-steps"),
        pytest.param({"side": "japan"}, "side and nationality disagree", id="1.3-side"),
        pytest.param({"category": "hq"}, "headquarters values", id="1.24-hq"),
        pytest.param({"type": "submarine"}, "Invalid enum value", id="unknown-type"),
        pytest.param({"crew": 1}, "unknown field", id="unknown-key"),
    ],
)
def test_bad_counter_is_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(DataError, match=problem) as caught:
        _build_counters(decode(units_file.FILE, broken(change), UnitsFile))
    assert caught.value.file == "units.json"
