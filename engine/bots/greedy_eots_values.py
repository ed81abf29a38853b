"""Hand-made values of single commands for the greedy player of Empire of the Sun."""

from typing import Final

from engine.bots.greedy_eots_situation import Plan, Situation
from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CardId, HexId, Side, UnitId

OFFENSIVE_VALUE: Final = 10
"""Value of an offensive per unit that it can activate."""
POLITICAL_VALUE: Final = 30
CHINA_VALUE: Final = 5
"""Value of a China offensive per chance in ten."""
FAR: Final = 99
ESCORTS: Final = 2
"""Ships that sail with a landing force."""
KEPT_DIVISIONS: Final = 4
"""Fewer divisions in China double no garrison any more (13.76)."""


def card_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return what a card play is worth: big offensives first, discards last (4.22)."""
    match order:
        case orders.PlayEvent(card=name):
            card = cards()[name]
            if not card.offensive:
                return POLITICAL_VALUE
            base = (
                0
                if card.logistic is None
                else max(card.logistic.base or 0, *card.logistic.by_hq.values(), 0)
            )
            return OFFENSIVE_VALUE * base + 2 * card.ov
        case orders.OperationsOffensive(card=name):
            return OFFENSIVE_VALUE * cards()[name].ov
        case orders.ChinaOffensive():
            return CHINA_VALUE * _china_chance(now) if now.view.tracks.china_front > 0 else 0
        case orders.EndRivalry():
            return 2 * OFFENSIVE_VALUE
        case orders.ReturnHq():
            return OFFENSIVE_VALUE
        case orders.PlaceFuture(card=name):
            return _future_value(name)
        case orders.Pass():
            return 4
        case orders.DiscardCard(card=name):
            return 3 - cards()[name].ov
        case _:
            return -OFFENSIVE_VALUE


def _future_value(name: CardId) -> int:
    """A reaction card is worth keeping more than a weak offensive is worth playing."""
    return 12 if cards()[name].type == "reaction" else 1


def _china_chance(now: Situation) -> int:
    road = {"open": 8, "closed-hump": 4}.get(str(getattr(now.view, "burma_road", "")), 0)
    return max(min(now.view.tracks.divisions_in_china - road + 1, 10), 0)


def stack_move_value(
    now: Situation, plan: Plan | None, frame: StackFrame, order: orders.EotsCommand
) -> int:
    """Return what a step of a moving stack is worth (7.23, 8)."""
    match order:
        case orders.Enlist(unit=unit):
            return _enlist_value(frame, unit)
        case (
            orders.Assault(to=to)
            | orders.OrganicAssault(to=to)
            | orders.BargeAssault(to=to)
            | orders.March(to=to)
        ):
            return _ground_value(now, plan, to)
        case orders.Sail(to=to):
            return _sea_value(now, plan, frame, to)
        case orders.Fly(to=to):
            return _air_value(now, plan, frame, to)
        case orders.Halt():
            return 12
        case orders.Drop():
            return 1
        case _:
            return 0


def _enlist_value(frame: StackFrame, unit: UnitId) -> int:
    """Escort a landing with ships of the same port; keep other stacks single."""
    first = counters()[frame.units[0]]
    if frame.purpose is not Purpose.OFFENSIVE or not first.is_ground:
        return 0
    return 60 if counters()[unit].is_naval and len(frame.units) <= ESCORTS else 0


def _ground_value(now: Situation, plan: Plan | None, to: HexId) -> int:
    if plan is not None and to == plan.target:
        return 50
    return 13 + now.worth(to) if now.defence(to) == 0 and now.worth(to) else 0


def _sea_value(now: Situation, plan: Plan | None, frame: StackFrame, to: HexId) -> int:
    """Ships go to the target, carriers near it; in reaction into or near the battle, afterwards home."""
    if frame.purpose is Purpose.POST_BATTLE:
        return 20 - min(now.front_distance(to), 15)
    battles = () if now.view.offensive is None else tuple(sorted(now.view.offensive.battles))
    goals = (plan.target,) if plan is not None and frame.purpose is Purpose.OFFENSIVE else battles
    if not goals:
        return 0
    carriers = any(counters()[unit].carrier for unit in frame.units)
    distance = min(board().distance(HexId(to), goal) for goal in goals)
    if carriers:
        return {0: 20, 1: 32, 2: 34}.get(distance, 0)
    return 40 if distance == 0 else 0


def _air_value(now: Situation, plan: Plan | None, frame: StackFrame, to: str) -> int:
    """Air units fly to where they can fight, afterwards towards the front."""
    if to not in board().index:
        return 0
    if frame.purpose is Purpose.POST_BATTLE:
        return 20 - min(now.front_distance(to), 15)
    if plan is None or frame.purpose is not Purpose.OFFENSIVE:
        return 5
    strength = counters()[frame.units[0]].strength(now.units[frame.units[0]].steps)
    here = board().distance(HexId(frame.at), plan.target) if frame.at in board().index else FAR
    there = board().distance(HexId(to), plan.target)
    if here <= strength.range:
        return 0
    return 25 if there <= strength.range else (8 if there < here else 0)


def hit_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return how good a target is: much attack strength for little defence (9.2F)."""
    match order:
        case orders.Hit(unit=unit):
            piece = now.units.get(unit)
            if piece is None or piece.steps < 1:
                return 1
            counter = counters()[unit]
            strength = counter.strength(piece.steps)
            bonus = 6 if counter.carrier else 0
            return 100 + strength.attack * 4 - strength.defense + bonus
        case _:
            return 0


def place_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return how good a place for a reinforcement is: near the front, behind it for HQs (10.11)."""
    match order:
        case orders.Place(unit=unit, at=at):
            distance = now.front_distance(at)
            wanted = 4 if counters()[unit].is_hq else 1
            return FAR - abs(min(distance, 60) - wanted)
        case _:
            return 0


def event_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return how good an answer to a question of an event is: whatever it gives before nothing (5.3)."""
    match order:
        case orders.Place():
            return place_value(now, order)
        case orders.BuildRoute():
            return 1
        case orders.Deactivate(unit=unit):
            return counters()[unit].strength(1).attack
        case _:
            return repair_value(now, order)


def repair_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return how good a replacement is: the attack strength gained (11.0)."""
    match order:
        case orders.Repair(unit=unit):
            counter = counters()[unit]
            return 20 + counter.strength(counter.max_steps).attack - counter.strength(1).attack
        case orders.Rebuild(unit=unit, at=at, steps=steps):
            return 15 + counters()[unit].strength(steps).attack - min(now.front_distance(at), 10)
        case orders.Divisions(count=count):
            return (
                count
                if now.side is Side.JAPAN and now.view.tracks.divisions_in_china > KEPT_DIVISIONS
                else -count
            )
        case _:
            return 0
