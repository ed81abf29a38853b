"""Invariants of every battle, for any units and dice (9.2, 9.4)."""

from collections import Counter as Multiset
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.eots.board import board
from engine.eots.ch09_battle.assignment import hit_refusals
from engine.eots.ch09_battle.battle import HANDLERS
from engine.eots.ch09_battle.hits import remaining_hits
from engine.eots.ch09_battle.participants import INTRINSIC, is_air_naval
from engine.eots.ch09_battle.preview import preview_battle
from engine.eots.ch09_battle.strength import defense_strength
from engine.eots.commands import EotsCommand
from engine.eots.counters import counters
from engine.eots.events.base import EotsEvent
from engine.eots.events.battle import AirNavalRolled, GroundRolled, HitsLost, IntrinsicLost
from engine.eots.events.units import StepGained, StepLost, UnitEliminated, UnitPlaced
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import BattlesFrame, HitsFrame, OffensiveFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.position import Position, position_from_state, state_from_position
from engine.eots.state import Condition, Mode, Moved, State, current_offensive
from engine.kernel.dice import Die
from tests.engine.eots.battlefield import check_question, field, landing, march
from tests.engine.eots.positions import Place
from tests.sizes import sized

HEXES = {
    "2812": ("2912", "2811"),
    "2813": ("2912", "2714"),
    "2015": ("2014", "2115"),
    "2709": ("2708", "2710"),
}
"""Battle hexes with one neighbour over land and one over sea."""
POOL = tuple(sorted(unit for unit, counter in counters().items() if not counter.is_hq))
BY_FRAME: dict[type[Any], Handler[Any]] = {handler.frame: handler for handler in HANDLERS}
LIMIT = 400
LAND = tuple(row.id for row in board().hexes.values() if row.is_land)


T = TypeVar("T")


class Drawn:
    """Dice and choices drawn by hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def roll(self, die: Die) -> int:
        return self._data.draw(st.integers(die.lowest, die.highest))

    def pick(self, items: Sequence[str]) -> str:
        return self.choose(items)

    def choose(self, items: Sequence[T]) -> T:
        return items[self._data.draw(st.integers(0, len(items) - 1))]


@st.composite
def battles(draw: st.DrawFn) -> State:
    """Draw a battle: up to nine units in or around a hex."""
    at = draw(st.sampled_from(sorted(HEXES)))
    off = draw(st.sampled_from(Side))
    chosen = draw(st.lists(st.sampled_from(POOL), min_size=2, max_size=9, unique=True))
    units: dict[str, Place] = {}
    joined: dict[str, str] = {}
    moved: dict[str, Moved] = {}
    land, sea = HEXES[at]
    for unit in chosen:
        counter = counters()[unit]
        steps = draw(st.integers(1, counter.max_steps))
        outside = not counter.is_ground and draw(st.booleans())
        units[unit] = ("2611" if outside else at, steps)
        if outside and counter.is_air_capable:
            joined[unit] = at
        if counter.is_ground and counter.side is off:
            mode = draw(st.sampled_from((Mode.GROUND, Mode.ASP, Mode.BARGE)))
            moved[unit] = march(at, land) if mode is Mode.GROUND else landing(at, sea, mode)
    idle = [u for u in units if draw(st.integers(0, 4)) == 0]
    holder = off.enemy
    return field(
        units,
        off,
        at,
        idle=idle,
        joined=joined,
        moved=moved,
        condition=draw(st.sampled_from(Condition)),
        turn=draw(st.integers(1, 12)),
        japan=[at] if holder is Side.JAPAN else [],
        allied=[at] if holder is Side.ALLIED else [],
        divisions_in_china=draw(st.integers(0, 12)),
        contested=draw(st.booleans()),
        options={"critical-scope": draw(st.sampled_from(("lifts-f2", "lifts-f2-and-f4")))},
    )


def check_hit_limits(before: State, frame: HitsFrame, events: Sequence[EotsEvent]) -> None:
    """Check the limits at the moment of a step loss (9.2F-2, F-5, 9.4B-3)."""
    for event in events:
        if not isinstance(event, StepLost | UnitEliminated):
            continue
        full = [u for u in frame.targets if before.units[u].steps == 2]
        if before.units[event.unit].steps == 1 and not frame.critical:
            assert not full, (event, full)
        if not frame.ground and not is_air_naval(event.unit):
            left = sum(before.units[u].steps for u in frame.targets) + frame.intrinsic
            assert left > 1


def check_price(before: State, frame: HitsFrame, after: State) -> None:
    """Check that each step costs the unit's price; only a weak critical hit is cheaper (9.2F-1, F-6)."""
    now = after.frames[-1]
    if not isinstance(now, HitsFrame) or len(now.lost) == len(frame.lost):
        return
    price = remaining_hits(before, frame).costs[now.lost[-1]]
    if price > frame.hits:
        assert frame.critical
        assert (frame.lost, now.hits) == ((), 0)
    else:
        assert frame.hits - now.hits == price


def check_end_of_hits(state: State, frame: HitsFrame) -> None:
    """OPB-9: no legal, affordable step is left when hits end, and hits never fall below zero."""
    assert frame.hits >= 0
    for unit in remaining_hits(state, frame).costs:
        assert list(hit_refusals(state, frame, frame.side, unit)), unit
        if unit != INTRINSIC:
            assert defense_strength(state, frame.hex, unit, is_ground=frame.ground) >= 1


def check_saved(state: State) -> None:
    """Check that a game saved at a question continues from there."""
    text = msgspec.json.encode(position_from_state(state))
    back = state_from_position(msgspec.json.decode(text, type=Position))
    assert (back.frames, back.offensive, back.units) == (state.frames, state.offensive, state.units)


def play(state: State, data: st.DataObject) -> EotsRun:
    """Return the ledger of all battles, checking the limits at each step."""
    dice = Drawn(data)
    ledger = EotsRun(state, evolve, dice)
    ledger.push(BattlesFrame())
    for _ in range(LIMIT):
        top = ledger.state.frames[-1]
        if isinstance(top, OffensiveFrame):
            return ledger
        before, seen = ledger.state, len(ledger.events)
        handler = BY_FRAME[type(top)]
        asked = handler.active_roles(before, top)
        if asked:
            check_saved(before)
            question = handler.decision(before, top, asked[0])
            check_question(handler, before, top, asked[0], question)
            command: EotsCommand = dice.choose(question.options)
            handler.resolve(ledger, top, asked[0], command)
        else:
            handler.step(ledger, top)
        assert len(ledger.events) > seen, "no progress"
        if isinstance(top, HitsFrame):
            check_hit_limits(before, top, ledger.events[seen:])
            check_price(before, top, ledger.state)
            if not isinstance(ledger.state.frames[-1], HitsFrame):
                check_end_of_hits(before, top)
    raise AssertionError("the battle does not end")


def steps_of(state: State) -> Multiset[UnitId]:
    return Multiset({unit: piece.steps for unit, piece in state.units.items() if piece.is_on_map})


@settings(max_examples=sized(40, 120, 5_000), suppress_health_check=list(HealthCheck))
@given(battles(), st.data())
def test_battles_conserve_steps_and_pay_for_hits(state: State, data: st.DataObject) -> None:
    """Steps are conserved, hits are paid for, and control and orders fit the outcome."""
    ledger = play(state, data)
    after = ledger.state
    lost = Multiset(
        e.unit
        for e in ledger.events
        if isinstance(e, StepLost) or (isinstance(e, UnitEliminated) and e.rule != "8.46")
    )
    for event in ledger.events:
        if isinstance(event, StepGained):
            lost[event.unit] -= 1
        elif isinstance(event, UnitPlaced):
            lost[event.unit] -= event.steps
    for unit, piece in state.units.items():
        left = after.units[unit].steps
        drowned = any(
            isinstance(e, UnitEliminated) and e.unit == unit and e.rule == "8.46"
            for e in ledger.events
        )
        assert drowned or left == piece.steps - lost[unit], unit
        assert left == 0 or after.units[unit].at == piece.at
    check_hits_are_paid(ledger.events)
    check_orders(after)


def check_hits_are_paid(events: Sequence[EotsEvent]) -> None:
    """Check that no more hits are applied than rolled."""
    for part in (AirNavalRolled, GroundRolled):
        for side in Side:
            rolled = sum(e.hits for e in events if isinstance(e, part) and e.side is side)
            rule = "9.2" if part is AirNavalRolled else "9.4"
            wasted = sum(
                e.hits
                for e in events
                if isinstance(e, HitsLost) and e.side is side and e.rule == rule
            )
            assert wasted <= rolled
    assert all(e.count > 0 for e in events if isinstance(e, IntrinsicLost))


def check_orders(after: State) -> None:
    """Check that no unit is both expelled and ordered to retreat, and that only living units in the hex are ordered."""
    offensive = current_offensive(after)
    (at,) = offensive.battles
    assert offensive.battles[at].resolved
    assert not {*offensive.expelled} & {*offensive.retreats}
    assert len(set(offensive.expelled)) == len(offensive.expelled)
    own = [
        unit
        for unit, piece in after.units.items()
        if piece.at == at and counters()[unit].is_ground and counters()[unit].side is offensive.side
    ]
    staying = [u for u in own if u not in offensive.expelled and u not in offensive.retreats]
    enemy = [
        unit
        for unit, piece in after.units.items()
        if piece.at == at
        and counters()[unit].is_ground
        and counters()[unit].side is not offensive.side
    ]
    assert not (staying and [u for u in enemy if u not in offensive.retreats])
    if [u for u in staying if offensive.moved[u].mode is Mode.GROUND]:
        assert after.control[at] is offensive.side
    if not own:
        assert after.control[at] is offensive.side.enemy


@settings(max_examples=sized(20, 60, 2_000), suppress_health_check=list(HealthCheck))
@given(battles())
def test_preview_has_no_side_effects_and_consistent_totals(state: State) -> None:
    """The preview's hits increase with the die and stay within the totals."""
    (at,) = current_offensive(state).battles
    preview = preview_battle(state, HexId(at))
    for roll in (*preview.air_naval, *preview.ground):
        assert list(roll.hits) == sorted(roll.hits)
        assert roll.hits[-1] <= 2 * roll.total
        assert len(roll.hits) == 10
    assert set(preview.targets_only) <= set(preview.participants)
