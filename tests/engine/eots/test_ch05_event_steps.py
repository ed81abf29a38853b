"""Event steps in which a side is asked: the options are exactly the commands that no rule refuses (5.31-5.34)."""

import random
from collections.abc import Iterator

import pytest

from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.commands import EotsCommand
from engine.eots.flow import top_frame
from engine.eots.frames import EventFrame
from engine.eots.handlers import MACHINE
from engine.eots.ids import CHINA_BOX, CardId, HexId, Pool, Side, UnitId
from engine.eots.position import position_from_state
from engine.eots.position_checks import check_position
from engine.eots.state import EVENT, State
from tests.engine.actions import check_actions
from tests.engine.eots.positions import Place, position
from tests.engine.eots.table import Table, to_play

UNITS: dict[str, Place] = {
    "us-hq-central-pacific": "5808",
    "joint-hq-anzac": "3727",
    "cw-hq-seac": "1905",
    "us-cv-enterprise": ("5808", 1),
    "us-air-7af": ("5808", 1),
    "us-cv-lexington": ("eliminated", 0),
    "us-lrb-14af": ("eliminated", 0),
    "us-air-avg": (CHINA_BOX, 1),
    "us-air-14af": (EVENT, 0),
    "cw-brigade-7-armor": (EVENT, 0),
    "joint-hq-abda": (EVENT, 0),
    "cw-corps-1-aus": ("3727", 1),
    "cw-corps-2-aus": ("eliminated", 0),
    "china-army-5": ("2407", 1),
    "china-army-66": ("eliminated", 0),
    "jp-hq-combined-fleet-yamamoto": "3706",
    "jp-hq-south": "2212",
    "jp-air-tainan": (EVENT, 0),
    "jp-air-division-6": ("3706", 1),
    "jp-air-flotilla-25": ("eliminated", 0),
    "jp-cv-taiho": ("eliminated", 0),
    "jp-army-15": ("2108", 1),
    "jp-army-25": ("2212", 1),
}
JAPAN = ("3706", "3607", "2212", "2108", "2109", "2110", "2111")


def event(card: str) -> Table:
    """Return the first question of an event that is played now."""
    side = Side.JAPAN if card.startswith("J") else Side.ALLIED
    routes = ("2104", "2105", "2205")
    state = position(UNITS, japan=JAPAN, hump=True, no_transport_route=routes)
    hands = {"allied": "A-2", "japan": "J-23", side.value: f"{card} {card[0]}-23"}
    return Table(to_play(state, side, **hands))(f"event {card}")


def strangers(state: State, chance: random.Random) -> Iterator[EotsCommand]:
    """Yield orders about units, hexes and cards of both sides."""
    units = [UnitId(unit) for unit in UNITS]
    hexes = [HexId("5808"), *chance.sample(list(board().index), 5)]
    for unit in units:
        yield orders.Deactivate(unit=unit)
        for pool in Pool:
            yield orders.Repair(pool=pool, unit=unit)
            for steps in (1, 2, 3):
                yield orders.Rebuild(pool=pool, unit=unit, at=chance.choice(hexes), steps=steps)
        for at in (*hexes, CHINA_BOX, state.units[unit].at):
            yield orders.Place(unit=unit, at=at)
    for card in ("A-33", "A-39", "A-31"):
        for at in ("2104", "2105", "2205", "2206"):
            yield orders.BuildRoute(card=CardId(card), at=HexId(at))
    yield orders.Done()


@pytest.mark.parametrize(
    "card",
    [
        pytest.param(card, id=f"5.33-{card}")
        for card in (
            "J-5",
            "J-30",
            "J-39",
            "J-71",
            "J-72",
            "J-78",
            "A-3",
            "A-15",
            "A-17",
            "A-33",
            "A-39",
            "A-48",
            "A-51",
            "A-70",
        )
    ],
)
def test_event_options_are_the_legal_commands(card: str) -> None:
    chance = random.Random(card)
    table = event(card)
    questions = 0
    while isinstance(top_frame(table.state), EventFrame):
        handler, (role,) = MACHINE.handler(top_frame(table.state)), table.asked.split(",")
        check_actions(handler, table.state, role, strangers(table.state, chance))
        check_position(position_from_state(table.state))
        questions += 1
        table(chance.choice(table.lines))
    assert questions


def test_5_33_every_event_decision_has_a_rule_and_a_default() -> None:
    table = event("J-5")
    assert table.rule == "5.33"
    assert table.default == "done"
    assert table.refusals("japan", "pass") == ["5.33"]
