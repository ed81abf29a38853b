"""Set-ups of the scenarios in printed form: a hex, then its units, with /r for reduced ones (17.1-17.4, 17.10)."""

from typing import Final

import pytest

from engine.eots.counters import counters
from engine.eots.data.scenarios_file import Scenario
from engine.eots.ids import Face, ScenarioId, Side
from engine.eots.scenarios import scenario

ALLIED_1941: Final = """\
1307 cw-ca-exeter
1813 dutch-regiment-2
1905 cw-air-fe cw-corps-2-ind
1916 dutch-regiment-1
2008 us-air-avg cw-division-b-ind
2014 cw-corps-3-ind
2015 cw-bb-force-z cw-hq-malaya cw-air-ma cw-division-8-aus
2019 dutch-cl dutch-division-j dutch-air
2105 cw-corps-1-ind
2108 cw-division-1-burma
2407 china-army-5/r china-army-6/r china-army-66/r
2517 dutch-regiment-5
2616 us-dd-us-asia dutch-regiment-3
2709 cw-division-hk
2719 dutch-regiment-7
2721 dutch-regiment-8
2812 us-air-feaf us-lrb-19 us-corps-nl
2813 us-hq-southwest-pacific us-corps-r
2913 us-corps-sl
2915 us-corps-m
2917 dutch-regiment-6
2919 dutch-regiment-4
3014 us-ca-us-asia us-brigade-p
3023 cw-corps-1-aus
3727 cw-ca-kent cw-air-aus cw-corps-2-aus
3823 cw-brigade-pm
4612 us-air-marine-211 us-marine-w-brigade
5410 us-cv-lexington/r
5609 us-cv-enterprise/r
5808 us-bb-md-ca us-ca-new-orleans us-hq-central-pacific us-air-7af us-lrb-7af us-corps-x
"""

JAPAN_1941: Final = """\
2211 jp-army-15 jp-army-38
2212 jp-hq-south jp-air-flotilla-22
2311 jp-sn-2 jp-ca-mogami
2509 jp-army-25/r
2708 jp-army-17/r
2909 jp-air-division-5 jp-army-14 jp-sn-1 jp-bb-kongo jp-ca-takao
3004 jp-air-division-2
3007 jp-army-35/r
3009 jp-air-flotilla-21 jp-air-flotilla-23
3209 jp-army-19/r
3305 jp-army-korean
3407 jp-hq-combined-fleet-yamamoto jp-bb-nagato jp-cvl-zuiho
3416 jp-army-16/r jp-ca-nachi jp-cvl-ryujo
3607 jp-air-division-3 jp-air-division-4
3704 jp-army-27/r
3705 jp-bb-hiei jp-cv-akagi jp-cv-soryu jp-cv-shokaku
3706 jp-air-division-1 jp-army-18/r jp-army-ed
4017 jp-hq-south-seas jp-sn-3 jp-ss-brigade jp-ca-aoba jp-apd-kamikaze
4715 jp-air-flotilla-24 jp-sn-4 jp-cl-tenryu
"""

ALLIED_1942: Final = """\
1307 cw-ca-exeter
1805 cw-hq-seac
1813 dutch-regiment-2
1905 cw-air-fe cw-corps-2-ind
1916 dutch-regiment-1
2008 us-air-avg cw-division-b-ind
2014 cw-corps-3-ind
2015 cw-hq-malaya cw-air-ma cw-division-8-aus
2019 dutch-cl dutch-division-j dutch-air
2105 cw-corps-1-ind
2108 cw-division-1-burma
2407 china-army-5/r china-army-6/r china-army-66/r
2517 dutch-regiment-5
2616 us-dd-us-asia dutch-regiment-3
2719 dutch-regiment-7
2721 dutch-regiment-8
2813 us-hq-southwest-pacific us-air-feaf/r us-corps-r
2912 us-corps-sl/r
2917 dutch-regiment-6 us-lrb-19/r
2919 dutch-regiment-4
3014 us-ca-us-asia/r us-brigade-p
3023 cw-corps-1-aus
3727 cw-ca-kent cw-air-aus cw-corps-2-aus
3823 cw-brigade-pm
4612 us-air-marine-211 us-marine-w-brigade
5108 us-air-7af
5808 us-cv-enterprise us-cv-lexington us-ca-new-orleans/r us-hq-central-pacific us-lrb-7af
    us-corps-x
"""

JAPAN_1942: Final = """\
1913 jp-army-38
2109 jp-army-15
2110 jp-army-28/r
2112 jp-army-25/r
2212 jp-hq-south jp-air-flotilla-22
2311 jp-bb-kongo jp-ca-mogami
2415 jp-sn-2
2709 jp-army-17/r
2812 jp-air-division-5 jp-army-14
2909 jp-air-flotilla-21 jp-ca-takao
2911 jp-sn-1
2913 jp-army-19/r
2915 jp-army-16/r jp-ca-nachi jp-cvl-zuiho jp-cvl-ryujo
3004 jp-air-division-2
3007 jp-army-35/r
3009 jp-air-flotilla-23
3305 jp-army-korean
3407 jp-hq-combined-fleet-yamamoto jp-air-flotilla-25 jp-bb-nagato jp-bb-yamato/r
3607 jp-air-division-3 jp-air-division-4
3704 jp-army-27/r
3706 jp-air-division-1 jp-army-18/r jp-army-ed jp-bb-hiei jp-cv-akagi jp-cv-soryu jp-cv-shokaku
3814 jp-sn-3
4017 jp-hq-south-seas jp-apd-kamikaze
4021 jp-ss-brigade jp-ca-aoba
4715 jp-air-flotilla-24 jp-sn-4/r jp-cl-tenryu
"""

ALLIED_1943: Final = """\
1005 cw-bb-warspite cw-cv-indomitable cw-ca-london
1805 cw-hq-seac cw-air-seac
1905 us-lrb-10af cw-corps-15
2006 cw-corps-4-ind
2104 us-air-14af
2105 cw-corps-33
2205 cw-corps-1-ind/r china-army-5
2407 china-army-6/r china-army-66/r
3023 cw-corps-1-aus
3626 us-air-5af us-lrb-5af us-marine-1-division
3727 cw-ca-kent us-hq-southwest-pacific cw-corps-2-aus
3823 joint-hq-anzac cw-air-aus cw-corps-3-aus cw-brigade-pm/r
3922 us-corps-xi
4024 us-corps-i
4423 us-air-1maw us-corps-xiv us-marine-2-division
4825 us-air-13af us-lrb-13af us-air-2maw us-marine-sf-brigade
4828 us-cv-enterprise/r us-cv-lexington/r us-bb-north-carolina us-bb-washington
    us-hq-south-pacific-halsey cw-division-3-nz
5100 us-air-11af us-lrb-11af
5108 us-lrb-7af
5808 us-bb-mississippi us-hq-central-pacific us-air-7af us-corps-x us-marine-m-brigade
china-box us-lrb-14af
"""

JAPAN_1943: Final = """\
1916 jp-air-division-3/r jp-army-25/r
2008 jp-air-division-5 jp-army-28
2106 jp-army-33
2206 jp-army-15
2212 jp-hq-south jp-air-flotilla-27 jp-army-38
2220 jp-air-flotilla-23 jp-army-16/r
2616 jp-army-37/r
2620 jp-air-flotilla-28
2813 jp-army-14
2909 jp-air-flotilla-22/r
2915 jp-air-division-8 jp-army-35
3004 jp-air-division-2 jp-air-division-4
3119 jp-air-division-7
3305 jp-army-korean
3407 jp-hq-combined-fleet-yamamoto jp-bb-nagato jp-ca-mogami/r jp-cv-junyo
3704 jp-army-27/r
3706 jp-air-division-1 jp-army-ed
3720 jp-air-division-6 jp-army-19
3813 jp-army-31/r
3822 jp-army-18
4017 jp-hq-south-seas jp-bb-hiei jp-ca-nachi jp-bb-yamato jp-cv-shokaku jp-cvl-zuiho
4021 jp-air-flotilla-21/r jp-army-17 jp-ca-aoba/r jp-ca-takao jp-apd-kamikaze
4222 jp-air-flotilla-25/r
4322 jp-ss-brigade
4415 jp-air-flotilla-26
4600 jp-sn-2/r
4612 jp-sn-4/r
4715 jp-air-flotilla-24/r jp-sn-3
5018 jp-sn-1
"""

ALLIED_1944: Final = """\
1005 cw-bb-warspite cw-cv-indomitable cw-ca-london
1805 cw-hq-seac cw-air-seac cw-lrb-seac
1905 us-lrb-10af cw-corps-15
2006 cw-corps-4-ind
2104 us-air-14af
2105 cw-corps-33
2205 cw-brigade-77 china-army-5/r
2407 china-army-6/r china-army-66/r
3023 cw-corps-1-aus
3626 us-division-11-airborne
3727 cw-ca-kent us-hq-southwest-pacific cw-corps-2-aus
3822 us-corps-xi cw-corps-3-aus
3823 joint-hq-anzac us-air-5af us-lrb-5af cw-air-aus cw-corps-4-aus
3921 us-marine-1-division
3922 us-corps-i
4024 cw-brigade-pm/r
4222 us-air-2maw us-corps-xiv us-marine-3-division
4322 us-air-13af us-lrb-13af cw-division-3-nz
4423 us-marine-sf-brigade
4826 us-cve-sangamon us-cvl-cowpens us-cvl-belleau-wood us-cvl-bataan us-cve-casablanca
    us-bb-new-jersey us-marine-6-division
4828 us-cv-enterprise us-cv-lexington us-cv-essex us-cv-bunker-hill us-bb-north-carolina
    us-bb-washington us-hq-south-pacific-halsey us-corps-ix
5018 us-air-7af us-lrb-7af us-marine-2-division
5100 us-air-11af us-lrb-11af
5108 us-air-1maw
5808 us-cv-intrepid us-cv-franklin us-cv-hancock us-cvl-san-jacinto us-bb-mississippi
    us-bb-massachusetts us-hq-central-pacific us-corps-x us-corps-xxiv us-marine-m-brigade
china-box us-lrb-14af
"""

JAPAN_1944: Final = """\
1916 jp-air-division-9 jp-army-25/r
2008 jp-air-division-5/r jp-army-28
2015 jp-air-flotilla-28/r jp-army-29/r
2106 jp-army-33
2206 jp-army-15
2212 jp-hq-south jp-army-38
2220 jp-army-16/r
2409 jp-air-division-8
2616 jp-army-37/r
2813 jp-air-flotilla-23 jp-army-14
2909 jp-air-division-3/r
2915 jp-army-35
3004 jp-air-division-2 jp-air-division-4
3305 jp-army-korean
3407 jp-hq-combined-fleet-ozawa jp-air-division-11 jp-bb-nagato jp-ca-mogami/r jp-cv-shokaku
    jp-cv-junyo jp-cve-kaiyo jp-cv-taiho
3416 jp-air-flotilla-26/r
3520 jp-army-2/r
3615 jp-bb-hiei jp-bb-yamato jp-cvl-zuiho
3704 jp-air-flotilla-27/r jp-air-flotilla-51 jp-army-27/r
3706 jp-air-division-1 jp-air-division-10 jp-army-ed
3720 jp-air-division-6/r jp-air-division-7/r jp-army-19/r
3721 jp-army-18/r
3813 jp-hq-south-seas jp-air-flotilla-61 jp-air-flotilla-62 jp-army-31/r
4017 jp-air-flotilla-22/r jp-ca-nachi
4021 jp-air-flotilla-25/r jp-army-17 jp-ca-takao/r jp-apd-kamikaze/r
4612 jp-sn-4/r
4715 jp-air-flotilla-24/r jp-sn-3
"""

ALLIED_SP: Final = """\
3023 cw-corps-1-aus
3626 us-air-5af us-lrb-5af us-corps-xiv/r cw-corps-3-aus
3727 cw-ca-kent us-hq-southwest-pacific us-corps-i/r cw-corps-2-aus
3823 joint-hq-anzac cw-air-aus cw-brigade-pm/r
4825 us-air-13af us-lrb-13af us-marine-m-brigade
4826 us-air-1maw
4828 us-cv-enterprise/r us-cv-lexington/r us-cv-wasp/r us-ca-northampton us-bb-north-carolina
    us-hq-south-pacific-ghormley us-marine-sf-brigade us-marine-1-division cw-division-3-nz
5808 us-corps-xi us-hq-central-pacific
china-box us-lrb-14af
"""

JAPAN_SP: Final = """\
3119 jp-air-flotilla-26
3416 jp-hq-combined-fleet-yamamoto
3720 jp-air-division-6 jp-army-18
3822 jp-air-flotilla-25 jp-ss-brigade
3922 jp-air-tainan
4017 jp-hq-south-seas jp-army-19 jp-bb-hiei jp-bb-kongo jp-bb-yamato/r jp-cv-shokaku jp-cvl-zuiho
4021 jp-air-flotilla-21 jp-army-17 jp-ca-aoba jp-ca-nachi jp-apd-kamikaze jp-cl-tenryu
4423 jp-sn-4/r
"""


def read(table: str) -> dict[str, tuple[str, Face]]:
    """Return hex and face of every unit of a table. An indented line continues the previous hex."""
    found: dict[str, tuple[str, Face]] = {}
    at = ""
    for line in table.splitlines():
        words = line.split()
        if not line.startswith(" "):
            at, *words = words
        for word in words:
            name, _, mark = word.partition("/")
            found[name] = (at, Face.REDUCED if mark else Face.FULL)
    return found


def placed(of: Scenario, side: Side) -> dict[str, tuple[str, Face]]:
    """Return hex and face of every unit that a side has at the start."""
    return {
        str(row.unit): (str(row.at), row.face)
        for row in of.setup
        if counters()[row.unit].side is side
    }


def of(name: str) -> Scenario:
    return scenario(ScenarioId(name))


@pytest.mark.parametrize(
    ("name", "side", "table"),
    [
        pytest.param("campaign-1941", Side.ALLIED, ALLIED_1941, id="17.1-allied"),
        pytest.param("campaign-1941", Side.JAPAN, JAPAN_1941, id="17.1-japan"),
        pytest.param("1942", Side.ALLIED, ALLIED_1942, id="17.21"),
        pytest.param("1942", Side.JAPAN, JAPAN_1942, id="17.22"),
        pytest.param("1943", Side.ALLIED, ALLIED_1943, id="17.31"),
        pytest.param("1943", Side.JAPAN, JAPAN_1943, id="17.32"),
        pytest.param("1944", Side.ALLIED, ALLIED_1944, id="17.41"),
        pytest.param("1944", Side.JAPAN, JAPAN_1944, id="17.42"),
        pytest.param("south-pacific", Side.ALLIED, ALLIED_SP, id="17.10.1"),
        pytest.param("south-pacific", Side.JAPAN, JAPAN_SP, id="17.10.2"),
    ],
)
def test_set_up_matches_the_printed_tables(name: str, side: Side, table: str) -> None:
    listed = read(table)
    images = {str(row.unit): (str(row.at), Face.FULL) for row in of(name).fixed_units}
    stands = {**placed(of(name), side), **(images if side is Side.ALLIED else {})}
    assert stands == listed
    faces = {unit for unit, (_, face) in stands.items() if face is Face.REDUCED}
    assert all(counters()[unit].reduced is not None for unit in faces)  # type: ignore[index]  # ids as text


@pytest.mark.parametrize(
    ("borrower", "owner"),
    [
        pytest.param("1942-43", "1942", id="17.5"),
        pytest.param("1943-44", "1943", id="17.6"),
        pytest.param("1942-44", "1942", id="17.7"),
        pytest.param("short-campaign", "1942", id="17.8"),
        pytest.param("shorter-campaign", "1943", id="17.9"),
    ],
)
def test_longer_scenarios_reuse_the_set_up(borrower: str, owner: str) -> None:
    assert of(borrower).setup == of(owner).setup
    assert of(borrower).delay_box == of(owner).delay_box
    assert of(borrower).markers == of(owner).markers


LOST_BY_1942: Final = {
    "us-bb-md-ca",
    "cw-bb-force-z",
    "us-corps-m",
    "us-corps-nl",
    "cw-division-hk",
}
CHANGED_BY_1942: Final = {
    "cw-hq-seac": ("1805", Face.FULL),
    "us-air-feaf": ("2813", Face.REDUCED),
    "us-corps-sl": ("2912", Face.REDUCED),
    "us-lrb-19": ("2917", Face.REDUCED),
    "us-ca-us-asia": ("3014", Face.REDUCED),
    "us-air-7af": ("5108", Face.FULL),
    "us-lrb-7af": ("5808", Face.FULL),
    "us-cv-lexington": ("5808", Face.FULL),
    "us-cv-enterprise": ("5808", Face.FULL),
    "us-ca-new-orleans": ("5808", Face.REDUCED),
}


def test_1942_set_up_matches_the_campaign_after_its_first_turn() -> None:
    """17.21: all Allied units are where the campaign puts them, except those named in the text."""
    before = placed(of("campaign-1941"), Side.ALLIED)
    kept = {unit: row for unit, row in before.items() if unit not in LOST_BY_1942}
    assert placed(of("1942"), Side.ALLIED) == {**kept, **CHANGED_BY_1942}
    assert set(map(str, of("1942").eliminated)) >= LOST_BY_1942


@pytest.mark.parametrize(
    ("name", "turn", "left_out"),
    [
        pytest.param("1942", 2, {"cw-hq-seac"}, id="17.24"),
        pytest.param("1943", 5, set(), id="17.34"),
    ],
)
def test_delay_box_contains_the_arrivals_of_the_first_turn(
    name: str, turn: int, left_out: set[str]
) -> None:
    entries = next(rows for rows in of("campaign-1941").reinforcements if rows.turn == turn)
    due = {str(row.unit) for row in entries.units if counters()[row.unit].side is Side.ALLIED}
    assert {str(row.unit) for row in of(name).delay_box} == due - left_out


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("campaign-1941", id="17.14-delay-box"),
        pytest.param("1944", id="17.44"),
        pytest.param("south-pacific", id="17.10.4"),
    ],
)
def test_delay_box_is_empty(name: str) -> None:
    assert of(name).delay_box == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(
            "campaign-1941",
            {
                "turn": 1,
                "tojo": "pm-tojo",
                "political_will": 0,
                "war_in_europe": 0,
                "china_front": "stable-front",
                "japan_divisions_in_china": 12,
                "burma_road": "open",
                "burma_road_marker_side": "no-hump",
                "india": "stable",
                "japan_asp": 7,
                "japan_asp_side": "no-barges",
                "allied_asp": 0,
                "japan_resources": 3,
                "japan_isr": False,
                "us_isr": False,
                "allied_passes": 0,
                "japan_passes": 0,
                "no_transport_route": ("2104", "2105", "2205"),
            },
            id="17.14-DS-3",
        ),
        pytest.param(
            "south-pacific",
            {
                "turn": 3,
                "tojo": "pm-tojo",
                "political_will": 4,
                "japan_asp": 7,
                "japan_asp_side": "no-barges",
                "allied_asp": 2,
                "war_in_europe": 1,
                "japan_resources": 1,
                "japan_air_replacements": 2,
                "japan_naval_replacements": 2,
                "china_front": "major-breakthrough",
                "japan_isr": True,
                "us_isr": True,
                "burma_road": "closed-no-hump",
                "japan_divisions_in_china": 9,
            },
            id="17.10.3",
        ),
    ],
)
def test_starting_markers(name: str, expected: dict[str, object]) -> None:
    markers = of(name).markers
    shown = {field: getattr(markers, field) for field in expected}
    if "no_transport_route" in shown:
        shown["no_transport_route"] = tuple(sorted(shown["no_transport_route"]))
    assert shown == expected
