"""Why the greedy player does what it does, in one sentence for everybody (public facts only).

A sentence goes on behind the name of the side, so it begins with a small letter. It speaks of the command itself, of
the map and of markers; never of cards in the hand.
"""

from collections.abc import Iterable
from typing import Final

from engine.bots.greedy_eots_plan import Plan
from engine.bots.greedy_eots_situation import Situation
from engine.bots.greedy_eots_stakes import area_at
from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.deck import Card, cards
from engine.eots.deck_campaign import (
    China,
    DelayReinforcements,
    DiscardRandom,
    India,
    PlaceUnit,
    PoliticalWill,
    ReplaceHq,
    Replacements,
    SetRivalry,
    WarInEurope,
)
from engine.eots.deck_offensive import AspPermanent
from engine.eots.deck_steps import Step
from engine.eots.deck_terms import Rivalry
from engine.eots.ids import HexId, Side

NAMED_GOALS: Final = 3
"""Goals that a sentence names."""
_EVENTS: Final[dict[type[Step], str]] = {
    WarInEurope: "shifts the war in Europe, which decides what reaches the Pacific",
    DelayReinforcements: "holds up the enemy's reinforcements",
    China: "moves the front in China",
    India: "turns the mood in India",
    PoliticalWill: "moves the political will of the United States",
    Replacements: "replaces losses",
    AspPermanent: "changes how much can be shipped",
    PlaceUnit: "brings a new unit to the front",
    ReplaceHq: "changes the commander",
    DiscardRandom: "costs the enemy a card",
}
"""What an event is for, by its kinds of steps."""


def card_reason(now: Situation, plan: Plan, order: orders.EotsCommand) -> str:
    """Return why a card play was chosen, empty where nothing is to be said."""
    match order:
        case orders.PlayEvent(card=name):
            return _event_reason(now, cards()[name], plan)
        case orders.OperationsOffensive():
            return plan_reason(now, plan)
        case orders.ChinaOffensive():
            return "presses the Chinese government to give up."
        case orders.EndRivalry():
            if now.side is Side.JAPAN:
                return "ends inter-service rivalry to use all its shipping and both services again."
            return "ends inter-service rivalry to let both services fight together again."
        case orders.ReturnHq(hq=hq):
            return f"brings {counters()[hq].name} back to command again."
        case orders.BuildRoute(at=at):
            return f"builds a transport route at {place(at)} to supply the front."
        case _:
            return ""


def hq_reason(now: Situation, plan: Plan, order: orders.ChooseHq, said: str) -> str:
    """Return why an HQ was named: what it is to take, unless that is what was said when the card was played."""
    sentence = plan_reason(now, plan)
    base = now.units[order.hq].at
    if not sentence or HexId(base) not in board().hexes:
        return "" if sentence == said else sentence
    if sentence == said:
        return f"commands from {place(HexId(base))}."
    return f"{sentence.removesuffix('.')}, commanded from {place(HexId(base))}."


def place_reason(now: Situation, order: orders.EotsCommand) -> str:
    """Return why an HQ was put where it is; empty for other units."""
    if not isinstance(order, orders.Place) or not counters()[order.unit].is_hq:
        return ""
    guard = " under guard" if now.has_garrison(order.at) else ""
    return f"keeps the HQ{guard} behind the front, with as many units as possible in its range."


def plan_reason(now: Situation, plan: Plan) -> str:
    """Return what an offensive is for, what is worth most first; empty without a goal."""
    goals = sorted(plan.goals, key=lambda goal: (-goal.value, goal.target))
    taken = [goal.target for goal in goals if goal.troops]
    struck = [goal.target for goal in goals if not goal.troops]
    if taken:
        return f"goes for {listed(taken)}{_purpose(now, taken)}."
    return f"strikes the enemy at {listed(struck)} from the air and the sea." if struck else ""


def _purpose(now: Situation, hexes: list[HexId]) -> str:
    """Return what the first goal is good for, with a leading blank; empty where it is a base like others."""
    first = hexes[0]
    if board().hexes[first].resource:
        return " for resources"
    if name := area_at(first):
        return f" to win the {name}" if name.endswith("s") else f" to win {name}"
    return " for the progress of the war" if now.wants_progress else ""


def _event_reason(now: Situation, card: Card, plan: Plan) -> str:
    if card.offensive:
        return plan_reason(now, plan)
    for step in card.effects:
        if isinstance(step, SetRivalry):
            return _rivalry_reason(now, step)
        if type(step) in _EVENTS:
            return f"{_EVENTS[type(step)]}."
    return ""


def _rivalry_reason(now: Situation, step: SetRivalry) -> str:
    if step.service.side is now.side:
        return "makes both services fight together again."
    if step.state is Rivalry.RIVALRY:
        return "sets the enemy's services against each other."
    return ""


def place(at: HexId) -> str:
    """Return the name of a hex on the map, its number where it has none."""
    return (board().hexes[at].name or at).replace(" Is.", " Islands")


def listed(hexes: Iterable[HexId]) -> str:
    """Return some names as a list in words; what is beyond the first few is left out."""
    known = [at for at in hexes if board().hexes[at].name]
    names = list(dict.fromkeys(map(place, known or hexes)))
    shown = names[:NAMED_GOALS]
    if len(names) > NAMED_GOALS:
        shown.append("other places")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
