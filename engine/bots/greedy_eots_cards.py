"""Values each use of a card by the plan for the card's offensive or by the effects of its event (4.22, 5.0, 5.3)."""

from collections.abc import Iterator
from typing import Final

from engine.bots.greedy_eots_plan import NO_PLAN, OffensivePlan, PlannedTarget, plan_offensive
from engine.bots.greedy_eots_reach import Means
from engine.bots.greedy_eots_situation import EotsSituation
from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.cards.activation_limits import logistics_value
from engine.eots.ch06_supply.network import BurmaRoad
from engine.eots.counters import counters, hq_can_command
from engine.eots.deck import Card, cards, selects_hq
from engine.eots.deck_campaign import (
    BuildTransRoute,
    China,
    DelayReinforcements,
    DiscardRandom,
    Draw,
    India,
    PlaceUnit,
    PoliticalWill,
    ReplaceHq,
    Replacements,
    SetRivalry,
    SovietInvasion,
    Special,
    SwapWithDiscard,
    WarInEurope,
)
from engine.eots.deck_offensive import (
    ActivateStep,
    AllowOnly,
    AspPermanent,
    AspTemp,
    BattleHexes,
    DieMod,
    Limit,
    NavalMove,
    RequireAmphib,
    RequireBattleHex,
    StepLoss,
    StrengthMod,
)
from engine.eots.deck_steps import Step
from engine.eots.deck_terms import HqSelector, Rivalry, Window
from engine.eots.ids import CardId, HexId, UnitId
from engine.eots.view import UnitView

EXCLUDED_VALUE: Final = -1_000
KEPT_REACTION_VALUE: Final = 25
"""Deduction for playing a reaction card, which is better kept for the enemy's offensives (5.32)."""
FUTURE_VALUE: Final = 6
RIVALRY_VALUE: Final = 20
RIVALRY_PER_CARD: Final = 10
"""Value of ending the side's own inter-service rivalry: a fixed part, plus a part per card left to play (17.26)."""
HQ_RETURN_VALUE: Final = 30
LAST_HQ_VALUE: Final = 80
"""Value of returning an HQ to the map: the normal value, and the value if hardly any HQs are left (6.15, 17.10.7)."""
CHINA_CHANCE_VALUE: Final = 6
"""Value of each 10 percent chance that a China offensive succeeds (13.72)."""
ROAD_VALUES: Final = {BurmaRoad.OPEN: 8, BurmaRoad.CLOSED_HUMP: 4, BurmaRoad.CLOSED: 0}
"""Deduction from the number of divisions in China, by state of the Burma Road (13.78E)."""
ROUTE_VALUE: Final = 10
REPLACEMENT_VALUE: Final = 8
SHIPPING_VALUE: Final = 30
EUROPE_VALUE: Final = 40
"""Value of an effect on the War in Europe, which determines whether Allied reinforcements arrive (10.21, 15)."""
TRACK_VALUE: Final = 20
"""Value of moving one box on the China or India track (13.6, 13.7)."""
ENEMY_RIVALRY_VALUE: Final = 35
END_RIVALRY_VALUE: Final = 45
WILL_VALUE: Final = 40
DRAW_VALUE: Final = 12
BONUS_VALUE: Final = 6
"""Value of each modifier, point of extra strength or step loss in an offensive."""
UNIT_VALUE: Final = 20
NEAR_PORTS: Final = "jp02_amphib_within_5_water_hexes_of_port"
ANY_HQ: Final = HqSelector("any")
FREE_BATTLES: Final = 9
"""Maximum number of battle hexes that an event's offensive is assumed to have (7.24)."""


class CardProspects:
    """Finds the best offensive for each card in one situation. Cards that provide the same means share a plan."""

    def __init__(self, situation: EotsSituation) -> None:
        """Create the search for one situation, without any plans yet."""
        self._situation = situation
        self._plans: dict[
            tuple[UnitId, Means, tuple[AllowOnly, ...], tuple[HexId, ...]], OffensivePlan
        ] = {}

    def best_plan(self, name: CardId, *, is_event: bool) -> tuple[OffensivePlan, UnitId | None]:
        """Return the best plan that uses a card, and the plan's HQ.

        If nothing is in reach, the plan has no goals and the HQ is None.
        """
        card = cards()[name]
        best_plan: tuple[OffensivePlan, UnitId | None] = (NO_PLAN, None)
        for hq in self.available_hqs(name, is_event=is_event):
            plan = self._build_plan(card, hq, is_event=is_event)
            if plan.value > best_plan[0].value:
                best_plan = (plan, hq.id)
        return best_plan

    def plan_with_hq(
        self, name: CardId, hq: UnitView, *, is_event: bool, excluded_hexes: tuple[HexId, ...] = ()
    ) -> OffensivePlan:
        """Return the best plan that uses a card and an HQ, without goals in the excluded hexes."""
        return self._build_plan(cards()[name], hq, is_event=is_event, excluded_hexes=excluded_hexes)

    def available_hqs(self, name: CardId, *, is_event: bool) -> Iterator[UnitView]:
        """Yield the HQs that may command a card's offensive."""
        required_hqs = cards()[name].hq if is_event else None
        for hq in self._situation.hqs():
            hq_names = (ANY_HQ,) if required_hqs is None else required_hqs
            if hq.supplied and any(selects_hq(word, counters()[hq.id]) for word in hq_names):
                yield hq

    def _build_plan(
        self, card: Card, hq: UnitView, *, is_event: bool, excluded_hexes: tuple[HexId, ...] = ()
    ) -> OffensivePlan:
        means = offensive_means(self._situation, card, hq, is_event=is_event)
        filters = tuple(step for step in card.effects if isinstance(step, AllowOnly) and is_event)
        key = (hq.id, means, filters, excluded_hexes)
        if key not in self._plans:
            uses_all_hqs = is_event and _activation(card).multi_hq
            units = activatable_units(
                self._situation, *(self._situation.hqs() if uses_all_hqs else (hq,))
            )
            units_in_reach = (unit for unit in units if _is_allowed(filters, unit))
            self._plans[key] = plan_offensive(
                self._situation, units_in_reach, means, excluded_hexes
            )
        return self._plans[key]


def offensive_means(situation: EotsSituation, card: Card, hq: UnitView, *, is_event: bool) -> Means:
    """Return what a card and an HQ provide for an offensive (5.1, 7.21, 8.1)."""
    row = counters()[hq.id].hq
    assert row is not None
    steps = card.effects if is_event else ()
    logistic = _activation(card).logistic if is_event else None
    base = card.ov if logistic is None else logistics_value(logistic, hq.id, card.ov)
    efficiency = row.efficiency
    if logistic is not None and logistic.combined_efficiency is not None:
        efficiency = logistic.combined_efficiency  # 17.11: for all HQs together
    own_view = situation.view.sides[situation.side]
    lent_points = sum(
        step.n for step in steps if isinstance(step, AspTemp) and step.side is situation.side
    )
    moves = [
        step.hexes for step in steps if isinstance(step, NavalMove) and situation.side in step.sides
    ]
    limits_battles = any(isinstance(step, BattleHexes) for step in steps)
    return Means(
        limit=base + efficiency,
        naval_move=max((5 * card.ov, *moves)),
        halves=2 * card.ov,
        asp=max(own_view.asp - own_view.asp_used, 0) + lent_points,
        battles=0 if limits_battles else FREE_BATTLES if is_event else 1,
        is_surprise=is_event and card.intelligence == "surprise",
        near_ports=any(isinstance(step, Special) and step.id == NEAR_PORTS for step in steps),
        caps=tuple((step.filter, step.maximum) for step in steps if isinstance(step, Limit)),
    )


def _activation(card: Card) -> ActivateStep:
    """Return the rules for activating units in an event.

    If the event has no rules of its own, the ordinary rules apply (7.21).
    """
    plain_step = ActivateStep(when=Window.STEP1, logistic=card.logistic)
    return next((step for step in card.effects if isinstance(step, ActivateStep)), plain_step)


def activatable_units(situation: EotsSituation, *hqs: UnitView) -> Iterator[UnitView]:
    """Yield the units that an HQ can probably activate (6.12, 6.3).

    They are in supply, within range, and of a nation that the HQ commands.
    """
    hq_ids = {hq.id for hq in hqs}
    ranges = [
        (row, hexes_in_reach) for row, hexes_in_reach in situation.supplied_hqs if row.id in hq_ids
    ]
    for hex_id, units in situation.own_at.items():
        hex_bit = situation.bitsets.bit_by_id.get(hex_id, 0)
        for unit in units:
            if unit.supplied and any(
                hex_bit & hexes_in_reach and hq_can_command(row, counters()[unit.id])
                for row, hexes_in_reach in ranges
            ):
                yield unit


def _is_allowed(filters: tuple[AllowOnly, ...], unit: UnitView) -> bool:
    return all(
        any(unit_filter.matches(counters()[unit.id]) for unit_filter in step.filters)
        for step in filters
    )


def ordered_plan(name: CardId) -> OffensivePlan | None:
    """Return the plan that a card prescribes by naming units and a battle (J-1).

    Return None if the card leaves a choice.
    """
    card = cards()[name]
    units = _activation(card).units
    hexes = next((step.hexes for step in card.effects if isinstance(step, RequireBattleHex)), ())
    if not units or not hexes:
        return None
    goal = PlannedTarget(
        target=hexes[0], troops=(), escorts=(), strikers=units, asp=0, is_battle=True, value=1
    )
    return OffensivePlan(goals=(goal,))


def card_value(
    situation: EotsSituation, prospects: CardProspects, order: orders.EotsCommand
) -> int:
    """Return the value of a card play, based on the card's offensive or event. Discards rank last (4.22)."""
    match order:
        case orders.PlayEvent(card=name):
            return event_card_value(situation, prospects, cards()[name])
        case orders.OperationsOffensive(card=name):
            value = prospects.best_plan(name, is_event=False)[0].value
            return value - KEPT_REACTION_VALUE if cards()[name].type == "reaction" else value
        case orders.ChinaOffensive():
            return (
                CHINA_CHANCE_VALUE * china_chance(situation)
                if situation.view.tracks.china_front > 0
                else 0
            )
        case orders.EndRivalry():
            return RIVALRY_VALUE + RIVALRY_PER_CARD * len(situation.view.hand)
        case orders.ReturnHq():
            return HQ_RETURN_VALUE if len(situation.hqs()) > 1 else LAST_HQ_VALUE
        case orders.BuildRoute():
            return ROUTE_VALUE
        case orders.PlaceFuture():
            return FUTURE_VALUE
        case orders.Pass():
            return 1
        case orders.DiscardCard(card=name):
            return -cards()[name].ov
        case orders.WithdrawHq():
            return EXCLUDED_VALUE  # 17.10.7: a side without an HQ has lost
        case _:
            return 0


def event_card_value(situation: EotsSituation, prospects: CardProspects, card: Card) -> int:
    """Return a card's value as an event: its offensive plus all other effects (5.31, 5.33, 5.34)."""
    effects = sum(effect_value(situation, step) for step in card.effects)
    if not card.offensive:
        return effects
    if _activation(card).units:
        return LAST_HQ_VALUE  # J-1
    plan, _ = prospects.best_plan(card.id, is_event=True)
    if not meets_card_requirements(card, plan):
        return min(effects, 0)
    return plan.value + effects if plan.goals else effects // 2


def meets_card_requirements(card: Card, plan: OffensivePlan) -> bool:
    """Return whether a plan includes the battle or landing that a card requires (CP-04)."""
    for step in card.effects:
        if isinstance(step, RequireBattleHex):
            areas = [board().areas[area].hexes for area in step.region]
            if not any(
                goal.is_battle
                and (goal.target in step.hexes or any(goal.target in area for area in areas))
                for goal in plan.goals
            ):
                return False
        if isinstance(step, RequireAmphib) and not any(
            # A goal that needs shipping points is a landing.
            goal.asp and board().distance(goal.target, step.of) <= step.within
            for goal in plan.goals
        ):
            return False
    return True


def effect_value(situation: EotsSituation, step: Step) -> int:  # noqa: PLR0911  # one case per kind of step
    """Return the value of one step of an event, apart from the event's offensive (5.3, C4.2)."""
    side, view = situation.side, situation.view
    is_last = view.turn >= view.last_turn
    match step:
        case Replacements(n=number):
            return REPLACEMENT_VALUE * number
        case AspPermanent(side=asp_side, delta=delta):
            sign = 1 if asp_side is side else -1
            return 0 if is_last else sign * SHIPPING_VALUE * delta
        case WarInEurope() | DelayReinforcements():
            return BONUS_VALUE if is_last else EUROPE_VALUE
        case China() | India():
            return TRACK_VALUE
        case SetRivalry(service=service, state=face):
            has_rivalry = view.sides[service.side].rivalry
            if has_rivalry is (face is Rivalry.RIVALRY):
                return 0
            return END_RIVALRY_VALUE if service.side is side else ENEMY_RIVALRY_VALUE
        case PoliticalWill(delta=delta):
            return WILL_VALUE * abs(delta)
        case Draw(n=number):
            return DRAW_VALUE * number
        case DiscardRandom(n=number):
            return 2 * DRAW_VALUE * number
        case SovietInvasion():
            return 2 * WILL_VALUE
        case PlaceUnit() | ReplaceHq():
            return UNIT_VALUE
        case DieMod() | StrengthMod() | StepLoss() | BuildTransRoute() | SwapWithDiscard():
            return BONUS_VALUE
        case _:
            return 1


def china_chance(situation: EotsSituation) -> int:
    """Return the chance, in tenths, that a China offensive succeeds (13.72)."""
    road = ROAD_VALUES[situation.view.burma_road]
    return max(min(situation.view.tracks.divisions_in_china - road + 1, 10), 0)


def reaction_card_value(name: CardId) -> int:
    """Return the priority of a reaction card. Cards that can stop an offensive come first (5.32)."""
    ranks = {"weather": 5, "personage": 4, "counter_offensive": 3, "intelligence": 2, "attack": 1}
    return ranks.get(cards()[name].reaction_class or "", 0)
