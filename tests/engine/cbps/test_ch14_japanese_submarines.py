"""Japanese submarines (14.2)."""

import pytest
from msgspec.structs import replace

from engine.cbps.events.fleet import FiresChanged, ShipHit, ShipSunk
from engine.cbps.state import State
from engine.cbps.submarines.ch14_japanese_submarines import resolve_japanese_submarines
from tests.engine.cbps.battle import facts, reads, running, with_parts
from tests.engine.cbps.raiding import day, without_group


def lit(state: State, *groups: str) -> State:
    """Return a state in which task groups show lights."""
    return with_parts(
        state, groups={name: replace(state.groups[name], is_lit=True) for name in groups}
    )


def crippled(state: State, name: str = "hornet", **fields: object) -> State:
    """Return a state with a crippled carrier in its group, or elsewhere if a hex is given."""
    return with_parts(state, ships={name: replace(state.ships[name], hits=6, **fields)})


NIGHT = {"label": "2010"}


@pytest.mark.parametrize(
    ("ruling", "rolls"),
    [
        pytest.param("hex", 1, id="OP-51-once-per-hex"),
        pytest.param("group", 2, id="OP-51-once-per-group"),
    ],
)
def test_14_22_attacks_on_lit_hexes_are_rolled_by_the_ruling(ruling: str, rolls: int) -> None:
    state = lit(day(label="2010", submarine_rolls=ruling), "58.1", "58.2")
    run = running(state, *[8] * rolls)
    resolve_japanese_submarines(run)
    assert len(reads(run)) == rolls


def test_14_24_the_result_strikes_a_random_carrier() -> None:
    run = running(lit(day(label="2010"), "58.1"), 9, 5, picks=("wasp",))
    resolve_japanese_submarines(run)
    assert facts(run, ShipHit)[0].ship == "wasp"  # type: ignore[attr-defined]  # of this kind
    assert run.state.ships["wasp"].hits == 2


@pytest.mark.parametrize(
    ("die", "hits", "levels", "is_sunk"),
    [
        pytest.param(4, 1, (), False, id="14.23-1-hit"),
        pytest.param(8, 3, (), False, id="14.23-3-hits"),
        pytest.param(9, 2, (1,), False, id="12.311-2-hits-and-fire"),
        pytest.param(10, 0, (), True, id="14.23-sunk"),
    ],
)
def test_second_roll_result_replaces_normal_hits(
    die: int, hits: int, levels: tuple[int, ...], *, is_sunk: bool
) -> None:
    state = lit(without_group(day(label="2010"), "58.2", "58.3", "58.4"), "58.1")
    run = running(state, 10, die, picks=("hornet",))
    resolve_japanese_submarines(run)
    ship = run.state.ships["hornet"]
    assert (ship.hits, ship.fires, ship.is_sunk) == (hits, levels, is_sunk)
    assert bool(facts(run, ShipHit)) is not is_sunk, "no hits fall beside the result"
    assert bool(facts(run, ShipSunk)) is is_sunk


def test_14_25_crippled_ships_are_attacked_at_the_end_of_a_day_turn() -> None:
    run = running(crippled(day(), group="", hex="0505"), 6)
    resolve_japanese_submarines(run)
    (read,) = reads(run)
    assert [(one.id, one.drm) for one in read.modifiers] == [("crippled_target", 2)]
    run = running(crippled(day()), 10, 1)
    resolve_japanese_submarines(run)
    assert [(one.id, one.drm) for one in reads(run)[0].modifiers] == [
        ("crippled_target", 2),
        ("screen", -3),
    ]


def test_scenario_5_attacks_only_lit_hexes_and_starts_no_fires() -> None:
    run = running(crippled(day("5")))
    resolve_japanese_submarines(run)
    assert not run.events
    run = running(lit(day("5", "2010"), "58.1"), 10, 9)
    resolve_japanese_submarines(run)
    assert facts(run, ShipHit)
    assert not facts(run, FiresChanged)


def test_14_21_and_14_26_attacks_need_no_counters_and_draw_no_asw() -> None:
    run = running(lit(day(label="2010"), "58.1"), 9, 1)
    boats = run.state.boats
    resolve_japanese_submarines(run)
    assert [one.chart for one in reads(run)] == [
        "japanese_submarine_attack",
        "japanese_submarine_attack_second",
    ]
    assert run.state.boats == boats
