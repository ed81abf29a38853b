"""Positions from outside: each field is compared with existing values, or is listed as free."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import fields, replace

from engine.cbps.frames import PhaseFrame, TurnFrame
from engine.cbps.position import Position
from engine.cbps.position_checks.checks import check_position
from engine.cbps.ruleset import CBPS
from engine.cbps.state import AirUnit, Boat, Hits, Hull, Mission, Raid, Search
from engine.kernel.errors import PositionError
from tests.engine.cbps.battle import battle, with_force, with_parts

_PARTS: Final = with_parts(
    with_force(
        with_force(battle("8"), "A", "1117", level=1, chit="Large", detection="L"),
        "1",
        "1119",
        level=4,
        chit="2 CV",
        is_carrier=True,
        is_butai=True,
        boxes={"aall": 12, "lost": 3, "raid-a": 6, "r4": 2},
        returning={"b": "r4"},
        free_lost=1,
        raids=2,
        cap=3,
        first_carriers=("taiho",),
    ),
    hulls={
        "taiho": Hull(force="1", hits=Hits(current=12, permanent=1)),
        "yamato": Hull(force="1"),
        "zuiho": Hull(force="1", fate="sunk"),
    },
    raids={
        "1-a": Raid(
            origin="1",
            slot="a",
            hex="1113",
            target="58.1",
            points=6,
            is_split=True,
            fighters=2,
            attackers=4,
            line_from="1119",
        )
    },
    missions={
        "strike-5": Mission(kind="strike", hex="1112", fuel=9, groups=("58.1",)),
        "intercept-7": Mission(kind="intercept", cap="58.1", groups=("58.1",)),
    },
    searches={
        "search-1": Search(
            kind="standard", origin="1108", group="58.1", bearing=270, radius="1118", hex="1110"
        )
    },
    units={
        "hornet-b1": AirUnit(place="mission", at="strike-5"),
        "hornet-f1": AirUnit(place="mission", at="intercept-7"),
        "hornet-b2": AirUnit(place="search", at="search-1"),
    },
    boats={"albacore": Boat(hex="1117", shadowing="A")},
    oilers={"A": "0723"},
    level_1_cup={"Carrier": 2},
    set_aside={"Large": 1},
)
BASE: Final = replace(
    _PARTS,
    cup=("A", "No Op", "US Move"),
    frames=(TurnFrame(step="phase"), PhaseFrame(segment=1)),
)
"""A position with at least one value of every kind."""
PARTS: Final = {
    "units": "hornet-b1",
    "ships": "hornet",
    "groups": "58.1",
    "missions": "strike-5",
    "searches": "search-1",
    "boats": "albacore",
    "forces": "1",
    "hulls": "taiho",
    "raids": "1-a",
}
FREE: Final = {
    "toward": "targets that are gone stay in it for the rest of a segment",
    "parent": "the mission may have ended",
    "tried": "forces that are gone stay in it for the rest of a segment",
}
"""Fields that may contain any text."""
ODD_WORDS: Final = ("zz",)
ODD_NUMBERS: Final = (-99, 999)


def odd_values(kind: str) -> Iterator[Any]:
    """Yield values of a field of this type that the rules do not allow."""
    if "Mapping" in kind:
        yield {"zz": 5}
        yield {"zz": "zz"}
    elif "Hits" in kind:
        for age in ("current", "previous", "permanent"):
            yield {age: -99}
    elif "tuple[int" in kind:
        yield from ([number] for number in ODD_NUMBERS)
    elif "tuple" in kind:
        yield ["zz"]
    elif "int" in kind:
        yield from ODD_NUMBERS
    elif "bool" not in kind:
        yield from ODD_WORDS


HIGH: Final = {
    *("ships.segment_hits", "ships.launched", "ships.landed", "ships.lowered", "ships.serviced"),
    *("ships.night_launches", "searches.moves", "forces.queue", "forces.raids", "forces.cap"),
    *("commitment", "departed_commitment", "chits_per_phase", "through", "found"),
    *("destroyed", "destroyed_naval"),
}
"""Counts without an upper limit."""


def changes() -> Iterator[Any]:
    """Yield a parameter for each odd value of each field, in all parts and in the battle itself."""
    for part, name in PARTS.items():
        for field in fields(type(getattr(BASE, part)[name])):
            for value in odd_values(str(field.type)):
                if field.name in FREE or (value == 999 and f"{part}.{field.name}" in HIGH):
                    continue
                yield pytest.param(part, name, field.name, value, id=f"{part}-{field.name}-{value}")


def checked(plain: Mapping[str, Any]) -> None:
    """Decode and check a position as if it came from outside."""
    try:
        position = msgspec.convert(plain, Position)
    except msgspec.ValidationError as cause:
        problem, _, path = str(cause).partition(" - at ")
        raise PositionError("position", path.strip("`"), problem) from cause
    check_position(position)


def test_an_unchanged_position_is_accepted() -> None:
    checked(msgspec.to_builtins(CBPS.to_position(BASE)))


@pytest.mark.full
@pytest.mark.parametrize(("part", "name", "field", "value"), changes())
def test_an_impossible_value_is_refused(part: str, name: str, field: str, value: object) -> None:
    plain = msgspec.to_builtins(CBPS.to_position(BASE))
    plain[part][name][field] = value
    with pytest.raises(PositionError) as caught:
        checked(plain)
    assert str(caught.value).isprintable()
    assert part in str(caught.value) or "is none of the values" in str(caught.value)


NEW_FORCE: Final = {"hex": "1112"}


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        pytest.param("phase", 9, "$.phase: a turn has phases 1 to 4, not 9", id="3.1"),
        pytest.param("mission_die", 11, "$.mission_die: a die cannot show 11", id="2.5"),
        pytest.param("commitment", -1, "$.commitment: -1 is negative", id="13.1"),
        pytest.param("cup", ["zz"], "$.cup: there is no activation chit 'zz'", id="3.22"),
        pytest.param("level_1_cup", {"zz": 1}, "there is no level-1 chit 'zz'", id="7.32"),
        pytest.param("double_chits", ["zz"], "there is no level-1 chit 'zz'", id="7.51"),
        pytest.param("gone_letters", ["zz"], "there is no force 'zz'", id="7.23"),
        pytest.param("oilers_tried", ["zz"], "there is no hex 'zz'", id="20.61"),
        pytest.param("oilers.zz", "0723", "there is no oiler 'zz'", id="20.2"),
        pytest.param("found", {"zz": 3}, "there is no force 'zz'", id="scenario-4"),
        pytest.param("guam.air_value", -1, "$.guam.air_value: -1", id="11.21"),
        pytest.param("guam.reinforced", ["zz"], "there is no base 'zz'", id="16.12"),
        pytest.param("forces.zz", NEW_FORCE, "$.forces.zz: there is no force 'zz'", id="2.3"),
        pytest.param("forces.A.level", 9, "$.forces.A.level: levels are 0 to 4, not 9", id="7.3"),
        pytest.param("forces.A.chit", "", "$.forces.A.chit: a chit is missing", id="7.32-none"),
        pytest.param("forces.A.chit", "Huge", "'Huge' is not a chit of level 1", id="7.32-unknown"),
        pytest.param("forces.A.is_carrier", True, "$.forces.A.is_carrier: level 1", id="7.33"),
        pytest.param("groups.58-9", NEW_FORCE, "there is no task group '58-9'", id="2.211"),
        pytest.param(
            "groups.58-1.is_lit",
            True,
            "either all groups in a hex are lit, or none are",
            id="6.431",
        ),
        pytest.param("ships.hornet.hits", 50, "a ship with 50 of 8 hits has sunk", id="12.11"),
        pytest.param("ships.hornet.is_sunk", True, "cannot be in a group or a hex", id="2.26"),
        pytest.param("hulls.taiho.hits", {"permanent": 50}, "a ship with 50 of 9 hits", id="12.27"),
        pytest.param("hulls.yamato.force", "zz", "there is no force 'zz'", id="2.33"),
        pytest.param("boats.zz", NEW_FORCE, "there is no submarine 'zz'", id="14.11"),
        pytest.param("wind", "X", "$.wind: ", id="17.6"),
        pytest.param("phase", "abc", "$.phase: ", id="3.1-word"),
    ],
)
def test_an_impossible_field_value_is_refused_with_its_name(
    path: str, value: object, said: str
) -> None:
    plain = msgspec.to_builtins(CBPS.to_position(BASE))
    *way, last = [word.replace("58-1", "58.1") for word in path.split(".")]
    holder = plain
    for word in way:
        holder = holder[word]
    holder[last] = value
    with pytest.raises(PositionError) as caught:
        checked(plain)
    assert said in str(caught.value)


def test_12_27_a_carrier_may_have_more_recent_hits_than_its_capacity() -> None:
    """They sink it when they become permanent."""
    plain = msgspec.to_builtins(CBPS.to_position(BASE))
    plain["hulls"]["taiho"]["hits"] = {"current": 99}
    checked(plain)


def test_op_32_a_fifth_butai_is_accepted() -> None:
    plain = msgspec.to_builtins(CBPS.to_position(BASE))
    plain["forces"]["5"] = {"hex": "1112", "level": 1, "chit": "Small"}
    checked(plain)
