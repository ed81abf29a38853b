"""Total War: the Air step (13.3, 13.4)."""

import pytest

from tests.engine.qmg.table import Table, air_step

# -- 13.3


@pytest.mark.parametrize(
    ("order", "rule"),
    [
        pytest.param("deploy france western_europe", "13.3", id="13.3-only-own-deploy"),
        pytest.param("deploy germany germany", "13.3", id="13.3-no-enemy-piece"),
        pytest.param("marshal china china china", "13.3", id="13.3-china-is-marshaled-by-the-usa"),
        pytest.param("deploy uk canada", "13.4", id="13.4-only-with-an-own-piece"),
        pytest.param("deploy uk united_kingdom", "13.4", id="13.4-one-in-a-space"),
        pytest.param("deploy uk north_sea", "13.4", id="13.4-only-with-a-supplied-piece"),
        pytest.param("marshal uk united_kingdom north_sea", "13.4", id="13.4-goal-out-of-supply"),
        pytest.param("marshal uk canada united_kingdom", "13.3", id="13.3-no-air-force-there"),
        pytest.param("superiority uk united_kingdom italy -", "13.3", id="13.3-not-adjacent"),
        pytest.param("superiority uk canada north_sea -", "13.3", id="13.3-no-air-force-to-use"),
        pytest.param(
            "superiority uk united_kingdom north_sea -", "13.3", id="13.3-an-enemy-is-there"
        ),
    ],
)
def test_13_3_illegal_air_orders_are_refused(order: str, rule: str) -> None:
    table = air_step(
        "piece germany navy north_sea",
        "piece germany army western_europe",
        "no-piece france army western_europe",
        "piece germany air north_sea",
        "piece uk air united_kingdom",
        "piece uk army india",
        "piece uk army canada",
        "hand uk uk_tw_air_power#1 uk_build_army#1 uk_singapore",
        country="uk",
        drop="uk_singapore#1",
    )
    assert table.refused(f"uk: {order}")[0] == rule


def test_13_3_an_air_power_card_pays_for_a_marshal_by_16_14() -> None:
    """Marshal costs any hand card, including Air Power, and goes to a space that is not adjacent."""
    table = air_step(
        "piece germany army ukraine",
        "piece germany air germany",
        "hand germany de_tw_air_power#1 de_plunder de_build_army#1",
        drop="de_plunder#1",
    )
    assert "ukraine" not in {"balkans", "baltic_sea", "eastern_europe", "italy", "western_europe"}
    table("germany: marshal germany germany ukraine", "germany: discard de_tw_air_power#1")
    table.expect("piece germany air ukraine", "no face-up de_tw_air_power#1", "hand germany 1")


def test_13_3_deploying_and_marshalling_in_place_both_trigger_responses() -> None:
    """Ju 87 answers a Marshal to the same space, but only of its own Air Forces."""
    table = air_step(
        "piece germany air germany",
        "hand germany de_tw_ju_87 de_plunder de_build_army#1 de_build_army#2",
        drop="de_plunder#1",
    )
    table("germany: marshal germany germany germany")
    table("germany: discard de_build_army#1")
    assert (table.trigger.kind, table.trigger.space) == ("air_deployed_or_marshaled", "germany")
    assert table.options("germany", "use") == ["use de_tw_ju_87#1"]


def test_13_3_superiority_over_an_empty_space_triggers_responses() -> None:
    table = air_step(
        "piece japan navy central_pacific east_china_sea",
        "piece japan army iwo_jima",
        "piece japan air iwo_jima",
        "hand japan jp_tw_air_power#1 jp_tw_tora_tora_tora jp_kamikaze jp_build_army#1",
        country="japan",
        drop="jp_build_army#1",
    )
    table("japan: superiority japan iwo_jima north_pacific -")
    table.until_window("air_superiority_gained", "japan")
    assert (table.trigger.space, table.trigger.against) == ("north_pacific", "")
    table("japan: use jp_tw_tora_tora_tora#1", "japan: discard jp_kamikaze#1")
    assert table.options("japan") == ["battle japan north_pacific -", "done"]


# -- 13.4


def test_13_4_eliminations_of_air_forces_can_be_prevented_but_not_air_attacks_18_28() -> None:
    """The RAF saves an Air Force from effects like the SAS's; here from the Mitsubishi J8M."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany navy north_sea",
        "piece germany army western_europe",
        "no-piece france army western_europe",
        "piece germany air western_europe",
        "piece uk air united_kingdom",
        "response uk uk_raf",
        "hand germany de_land_battle#1 de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany united_kingdom uk")
    table.until_window("about_to_be_removed", "uk")
    table("uk: air-defense")
    assert table.rule != "10.4"  # there is no question whether the Air Force is removed
    table.expect("no piece uk air united_kingdom", "piece uk army united_kingdom")
