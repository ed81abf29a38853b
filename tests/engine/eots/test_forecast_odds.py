"""Battle odds, compared with the battle itself for every combination of dice (9.2-9.4)."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from engine.eots.ch09_battle.battle import HANDLERS
from engine.eots.ch09_battle.hits import remaining_hits
from engine.eots.commands import Hit
from engine.eots.counters import counters
from engine.eots.events.battle import AirNavalDecided, AirNavalRolled, GroundDecided, IntrinsicLost
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun, Handler
from engine.eots.forecast.odds import BattleEnding, battle_endings
from engine.eots.frames import BattleFrame, BattlesFrame, HitsFrame, Stage
from engine.eots.ids import D10, HexId, Side
from engine.eots.state import Condition, State, current_offensive
from engine.kernel.dice import Die
from tests.engine.eots.battlefield import field, landing, march

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
AT = HexId("2812")
_HANDLERS: dict[type[Any], Handler[Any]] = {handler.frame: handler for handler in HANDLERS}


class _Dice:
    """Die faces in order. Unused faces are ignored, but a roll without a face left is an error."""

    def __init__(self, faces: Iterable[int]) -> None:
        self.faces = list(faces)

    def roll(self, die: Die) -> int:
        assert die == D10
        return self.faces.pop(0)

    def pick(self, items: object) -> str:
        raise AssertionError(items)


def fought(state: State, faces: Iterable[int]) -> BattleEnding:
    """Return the ending of the battle with these faces, with hits assigned where they cost least."""
    dice = _Dice(faces)
    run = EotsRun(state, evolve, dice)
    run.push(BattlesFrame())
    run.push(BattleFrame(hex=AT))
    while isinstance(run.state.frames[-1], BattleFrame | HitsFrame):
        frame = run.state.frames[-1]
        handler = _HANDLERS[type(frame)]
        asked = handler.active_roles(run.state, frame)
        if not asked:
            handler.step(run, frame)
            continue
        question = handler.decision(run.state, frame, asked[0])
        command = question.default
        hits = [option for option in question.options if isinstance(option, Hit)]
        if hits and isinstance(frame, HitsFrame):
            costs = remaining_hits(run.state, frame).costs
            command = min(hits, key=lambda one: (costs[one.unit], one.unit))
        handler.resolve(run, frame, asked[0], command)
    return _ending(state, run)


def _ending(before: State, run: EotsRun) -> BattleEnding:
    side = current_offensive(before).side
    lost = dict.fromkeys(Side, 0)
    for unit, piece in before.units.items():
        lost[counters()[unit].side] += piece.steps - run.state.units[unit].steps
    ground = [one for one in run.events if isinstance(one, GroundDecided)]
    sky = [one.winner for one in run.events if isinstance(one, AirNavalDecided)]
    if not any(isinstance(one, AirNavalRolled) for one in run.events):
        sky = []
    fallen = sum(
        one.count for one in run.events if isinstance(one, IntrinsicLost) and one.rule != "9.4C"
    )
    lost[JAPAN] += fallen
    alone = [
        unit
        for unit, piece in run.state.units.items()
        if piece.at == AT and counters()[unit].is_ground
    ]
    taken = (
        ground[0].winner is side
        if ground
        else bool(alone) and all(counters()[unit].side is side for unit in alone)
    )
    return BattleEnding(sky[0] if sky else None, taken, (lost[side], lost[side.enemy]))


BATTLES = {
    "intercepted strike": field(
        {"us-cv-enterprise": "3012", "us-air-5af": "3011", "jp-bb-yamato": AT, "jp-cv-akagi": AT},
        ALLIED,
        joined={"us-cv-enterprise": AT, "us-air-5af": AT},
    ),
    "surprise on a carrier and a ship": field(
        {
            "jp-cv-akagi": "3012",
            "jp-cv-shokaku": "3012",
            "us-cv-enterprise": AT,
            "us-bb-new-york": AT,
        },
        JAPAN,
        joined={"jp-cv-akagi": AT, "jp-cv-shokaku": AT},
        condition=Condition.SURPRISE,
    ),
    "an ambush": field(
        {"jp-cv-akagi": "3012", "us-cv-enterprise": AT, "us-bb-new-york": AT},
        JAPAN,
        joined={"jp-cv-akagi": AT},
        condition=Condition.AMBUSH,
        turn=6,
    ),
}
ON_LAND = {
    "a march": field(
        {"us-corps-x": AT, "us-corps-xi": AT, "jp-army-18": AT},
        ALLIED,
        moved={"us-corps-x": march(AT, "2912"), "us-corps-xi": march(AT, "2912")},
    ),
}
COVERED = field(
    {
        "us-corps-x": AT,
        "us-corps-xi": AT,
        "us-cv-enterprise": "3012",
        "us-bb-new-york": AT,
        "jp-army-18": AT,
    },
    ALLIED,
    joined={"us-cv-enterprise": AT},
    moved=dict.fromkeys(("us-corps-x", "us-corps-xi"), landing(AT, "3012")),
    contested=True,
    condition=Condition.SURPRISE,
)
"""An air-naval part in which one side rolls, then a contested landing."""


def _counted(state: State, dice: int) -> dict[BattleEnding, Fraction]:
    """Return the frequency of each ending among all results of the given number of dice."""
    counted: Counter[BattleEnding] = Counter()
    for faces in product(D10.faces, repeat=dice):
        counted[fought(state, faces)] += 1
    whole = len(D10.faces) ** dice
    return {ending: Fraction(count, whole) for ending, count in counted.items()}


@pytest.mark.parametrize("name", [*BATTLES, *ON_LAND])
def test_9_2_to_9_4_chances_match_enumerated_dice(name: str) -> None:
    state = (BATTLES | ON_LAND)[name]
    assert battle_endings(state, AT) == _counted(state, 2)


@pytest.mark.full
def test_9_4_landing_after_an_air_strike_matches_enumerated_dice() -> None:
    found = battle_endings(COVERED, AT)
    assert len(found) > 2
    assert found == _counted(COVERED, 3)


def test_9_0_a_battle_in_progress_counts_only_the_remaining_rolls() -> None:
    """The air-naval part is over, and the ground part is still to be rolled."""
    state = ON_LAND["a march"]
    units = tuple(sorted(unit for unit, piece in state.units.items() if piece.at == AT))
    frame = BattleFrame(
        hex=AT,
        stage=Stage.GROUND,
        begun=True,
        participants=units,
        places=(AT,) * len(units),
        air_naval_winner=ALLIED,
    )
    standing = replace(state, frames=(BattlesFrame(), frame))
    assert battle_endings(standing, AT) == battle_endings(state, AT)
