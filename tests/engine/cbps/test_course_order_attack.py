"""A seat may send any text as its course orders. Those who carry them out must not crash."""

import random
from typing import Final

import pytest
from msgspec.structs import replace

from engine.cbps.courses.order import parse_any
from engine.cbps.ruleset import CBPS
from engine.cbps.state import Mission, State
from tests.engine.cbps.battle import with_parts
from tests.engine.cbps.fleet_at import operations
from tests.engine.cbps.test_courses import UNITS, US, flying, order
from tests.sizes import sized

LINES: Final = sized(300, 3_000, of="random order lines for each position")
HEXES: Final = ("0000", "9999", "1", "99", "1113", "1408", "0101", "home", "A", "Z", "zuiho")
UNIT_LISTS: Final = (
    ",".join(UNITS),
    "hornet-t1",
    "hornet-f2",
    "hornet-f2,hornet-f3",
    "nobody",
    "hornet-t1,nobody",
    "zuiho",
    ",",
)


def with_cap(state: State) -> State:
    """Return the position with fighters in flight and over TF 58.1."""
    missions = {
        "intercept-2": Mission(kind="intercept", hex="1107", fuel=9, groups=("58.1",)),
        "intercept-3": Mission(kind="intercept", cap="58.1", groups=("58.1",)),
    }
    units = {
        "hornet-f2": replace(state.units["hornet-f2"], place="mission", at="intercept-2"),
        "hornet-f3": replace(state.units["hornet-f3"], place="mission", at="intercept-3"),
    }
    return with_parts(state, missions=missions, units=units)


def random_line(chance: random.Random) -> str:
    units, number = chance.choice(UNIT_LISTS), str(chance.choice((-9, 0, 1, 4, 99, 9999)))
    match chance.randrange(4):
        case 0:
            mission = chance.choice(("strike-1", "intercept-2", "intercept-3", "strike-99"))
            light = chance.choice(("day", "dusk", "night"))
            return f"{mission} to {chance.choice(HEXES)} least {number} by {light} units {units}"
        case 1:
            course = chance.choice(
                ("0", "300", "60-long", "61", "360", "0000", "9999", "1113-long")
            )
            return f"{units.split(',')[0]} search {course} units {units}"
        case 2:
            group = chance.choice(("58.1", "58.9", "38.1", ""))
            return f"cap-{group} until {number} size {chance.choice(('0', '3', '99'))}"
        case _:
            return f"{chance.choice(('tf-58', 'submarines'))} stay turn {number}"


def carry_out(state: State, lines: tuple[str, ...]) -> None:
    """Let every program that uses orders use these."""
    CBPS.course_answer(state, US, lines)
    CBPS.course_closing(state, US, lines)
    list(CBPS.course_stops(state, US, lines))
    for line in CBPS.live_courses(state, lines):
        CBPS.course_opening(state, US, line)


@pytest.mark.parametrize(
    "state",
    [with_cap(flying()), with_cap(flying("1113", is_flipped=True)), operations()],
    ids=["outbound", "homeward", "operations"],
)
def test_no_order_line_crashes_those_who_carry_it_out(state: State) -> None:
    chance = random.Random(4)
    parsed_count = 0
    for _ in range(LINES):
        lines = tuple(random_line(chance) for _ in range(chance.randrange(1, 4)))
        parsed_count += sum(parse_any(line) is not None for line in lines)
        carry_out(state, lines)
    assert parsed_count > LINES


def test_order_to_a_hex_off_the_map_is_ignored() -> None:
    state = flying()
    line = order("0000").text
    carry_out(state, (line,))
    assert CBPS.live_courses(state, (line,)) == ()
    assert CBPS.course_answer(state, US, (line,)) is None
