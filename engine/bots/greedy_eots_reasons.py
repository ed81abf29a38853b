"""Explains the greedy bot's commands. Each reason is one sentence based on public information.

The sentence follows the side's name, so it starts with a lower-case letter. It mentions the command itself, the map and
the markers, but never cards in hand.
"""

from collections.abc import Iterable
from typing import Final

from engine.bots.greedy_eots_plan import OffensivePlan
from engine.bots.greedy_eots_situation import EotsSituation
from engine.bots.greedy_eots_stakes import decisive_area
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
"""Maximum number of goals named in a sentence."""
_EVENTS: Final[dict[type[Step], str]] = {
    WarInEurope: "shifts the war in Europe, which decides what reaches the Pacific",
    DelayReinforcements: "delays the enemy's reinforcements",
    China: "moves the front in China",
    India: "changes the stability of India",
    PoliticalWill: "shifts the political will of the United States",
    Replacements: "replaces losses",
    AspPermanent: "changes the number of shipping points",
    PlaceUnit: "brings a new unit to the front",
    ReplaceHq: "changes the commander",
    DiscardRandom: "costs the enemy a card",
}
"""The purpose of an event, by the kind of step in it."""


def card_reason(situation: EotsSituation, plan: OffensivePlan, order: orders.EotsCommand) -> str:
    """Return the reason for a card play, or an empty string if there is no reason to give."""
    match order:
        case orders.PlayEvent(card=name):
            return _event_reason(situation, cards()[name], plan)
        case orders.OperationsOffensive():
            return plan_reason(situation, plan)
        case orders.ChinaOffensive():
            return "pushes the Chinese government towards collapse."
        case orders.EndRivalry():
            if situation.side is Side.JAPAN:
                return "ends inter-service rivalry to use all its shipping and both services again."
            return "ends inter-service rivalry to let both services fight together again."
        case orders.ReturnHq(hq=hq):
            return f"brings {counters()[hq].name} back into command."
        case orders.BuildRoute(at=hex_id):
            return f"builds a transport route at {place_label(hex_id)} to supply the front."
        case _:
            return ""


def hq_reason(
    situation: EotsSituation, plan: OffensivePlan, order: orders.ChooseHq, last_reason: str
) -> str:
    """Return the reason for choosing an HQ. Goals already mentioned with the card play are not repeated."""
    sentence = plan_reason(situation, plan)
    base = situation.units[order.hq].at
    if not sentence or HexId(base) not in board().hexes:
        return "" if sentence == last_reason else sentence
    if sentence == last_reason:
        return f"commands from {place_label(HexId(base))}."
    return f"{sentence.removesuffix('.')}, commanded from {place_label(HexId(base))}."


def place_reason(situation: EotsSituation, order: orders.EotsCommand) -> str:
    """Return the reason for placing an HQ. For other units, return an empty string."""
    if not isinstance(order, orders.Place) or not counters()[order.unit].is_hq:
        return ""
    guard = " under guard" if situation.has_garrison(order.at) else ""
    return f"keeps the HQ{guard} behind the front, with as many units as possible in its range."


def plan_reason(situation: EotsSituation, plan: OffensivePlan) -> str:
    """Return an offensive's purpose, with the most valuable goals first. If it has no goals, return an empty string."""
    goals = sorted(plan.goals, key=lambda goal: (-goal.value, goal.target))
    captured = [goal.target for goal in goals if goal.troops]
    struck_hexes = [goal.target for goal in goals if not goal.troops]
    if captured:
        return f"goes for {join_hex_names(captured)}{_purpose_text(situation, captured)}."
    return (
        f"strikes the enemy at {join_hex_names(struck_hexes)} from the air and the sea."
        if struck_hexes
        else ""
    )


def _purpose_text(situation: EotsSituation, hexes: list[HexId]) -> str:
    """Return the purpose of the first goal, with a leading space. For an ordinary base, return an empty string."""
    first_hex = hexes[0]
    if board().hexes[first_hex].resource:
        return " for resources"
    if name := decisive_area(first_hex):
        return f" to win the {name}" if name.endswith("s") else f" to win {name}"
    return " for the progress of the war" if situation.wants_progress else ""


def _event_reason(situation: EotsSituation, card: Card, plan: OffensivePlan) -> str:
    if card.offensive:
        return plan_reason(situation, plan)
    for step in card.effects:
        if isinstance(step, SetRivalry):
            return _rivalry_reason(situation, step)
        if type(step) in _EVENTS:
            return f"{_EVENTS[type(step)]}."
    return ""


def _rivalry_reason(situation: EotsSituation, step: SetRivalry) -> str:
    if step.service.side is situation.side:
        return "makes both services fight together again."
    if step.state is Rivalry.RIVALRY:
        return "sets the enemy's services against each other."
    return ""


def place_label(hex_id: HexId) -> str:
    """Return a hex's name on the map. If the hex has no name, return its number."""
    return (board().hexes[hex_id].name or hex_id).replace(" Is.", " Islands")


def join_hex_names(hexes: Iterable[HexId]) -> str:
    """Return the names of the first few hexes, as a list in words."""
    named_hexes = [hex_id for hex_id in hexes if board().hexes[hex_id].name]
    names = list(dict.fromkeys(map(place_label, named_hexes or hexes)))
    first_names = names[:NAMED_GOALS]
    if len(names) > NAMED_GOALS:
        first_names.append("other places")
    return (
        first_names[0]
        if len(first_names) == 1
        else f"{', '.join(first_names[:-1])} and {first_names[-1]}"
    )
