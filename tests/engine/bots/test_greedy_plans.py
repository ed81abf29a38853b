"""The greedy player of Empire of the Sun: its plans and the placement of its units in single positions."""

import pytest
from msgspec.structs import replace

from engine.bots.greedy_eots_cards import CardProspects, effect_value, offensive_means
from engine.bots.greedy_eots_odds import CERTAIN_PERCENT, air_naval_chance, ground_chance
from engine.bots.greedy_eots_places import base_value
from engine.bots.greedy_eots_plan import plan_offensive
from engine.bots.greedy_eots_situation import EotsSituation
from engine.bots.greedy_eots_values import stack_move_value
from engine.eots import commands as orders
from engine.eots.deck import cards
from engine.eots.deck_campaign import SetRivalry
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, CardId, HexId, Side, UnitId
from engine.eots.view import project_state
from tests.engine.eots.positions import state_1943


def situation(side: Side, **tracks: bool) -> EotsSituation:
    state = state_1943()
    return EotsSituation.from_view(
        project_state(replace(state, tracks=replace(state.tracks, **tracks)), side), side
    )


@pytest.mark.parametrize(("rivalry", "usable"), [(True, 4), (False, 7)])
def test_plans_stay_within_usable_shipping(rivalry: bool, usable: int) -> None:
    """14.2B: under rivalry half of the Japanese shipping points, rounded up, can be used."""
    now = situation(Side.JAPAN, japan_rivalry=rivalry)
    for hq in now.hqs():
        means = offensive_means(now, cards()[CardId("J-10")], hq, is_event=True)
        assert means.asp == usable
        plan = plan_offensive(now, now.units.values(), replace(means, limit=30))
        assert sum(goal.asp for goal in plan.goals) <= usable


@pytest.mark.parametrize("side", list(Side))
def test_plans_respect_activation_limits(side: Side) -> None:
    """7.21, 7.24: no unit twice, no more units than the HQ can activate, one battle with an operations card."""
    now = situation(side, japan_rivalry=False, us_rivalry=False)
    card = CardId("J-10" if side is Side.JAPAN else "A-40")
    for event in (True, False):
        plan, hq = CardProspects(now).best_plan(card, is_event=event)
        assert hq is not None
        means = offensive_means(now, cards()[card], now.units[hq], is_event=event)
        assert 0 < len(plan.units) <= means.limit
        assert len(set(plan.units)) == len(plan.units)
        assert len({goal.target for goal in plan.goals}) == len(plan.goals)
        assert sum(goal.is_battle for goal in plan.goals) <= means.battles
        assert all(now.capture_value(goal.target) > 0 for goal in plan.goals if goal.troops)


def test_does_not_base_ships_beside_enemy_troops() -> None:
    """8.22: if enemy ground units take an unguarded port next to them, all units in it are lost."""
    now = situation(Side.ALLIED)
    ship = UnitId("us-cv-enterprise")
    beside, behind = HexId("2006"), HexId("1805")  # Akyab next to the army in Mandalay; Calcutta
    bare = replace(now, own_at={at: units for at, units in now.own_at.items() if at != beside})
    assert base_value(bare, ship, beside) + 20 < base_value(bare, ship, behind)


def test_a_unit_in_the_china_box_can_be_valued() -> None:
    """13.74: the China box is not a hex."""
    now = situation(Side.ALLIED)
    unit = UnitId("us-lrb-14af")
    frame = StackFrame(
        side=Side.ALLIED, purpose=Purpose.REACTION, units=(unit,), origin=CHINA_BOX, at=CHINA_BOX
    )
    assert stack_move_value(now, None, frame, orders.Fly(to=HexId("2104"))) == 0
    assert base_value(now, unit, CHINA_BOX) > 0


def test_event_value_depends_on_current_rivalry() -> None:
    """14: rivalry in force is not set again; ending one's own is worth more than starting the enemy's."""
    steps = [
        step
        for name in ("A-10", "J-7")
        for step in cards()[CardId(name)].effects
        if isinstance(step, SetRivalry)
    ]
    ends, begins = steps
    assert effect_value(situation(Side.ALLIED, us_rivalry=False), ends) == 0
    assert effect_value(situation(Side.JAPAN, us_rivalry=True), begins) == 0
    own = effect_value(situation(Side.ALLIED, us_rivalry=True), ends)
    assert own > effect_value(situation(Side.JAPAN, us_rivalry=False), begins) > 0


def test_success_probability_rises_with_strength() -> None:
    """9.3, 9.4: success is certain without defenders, impossible without strength."""
    enemy = (12, (12, 12))
    chances = [ground_chance((own, (12, 12)), enemy, 0, 0) for own in (2, 12, 24, 48)]
    assert chances == sorted(chances)
    assert chances[0] < 10
    assert chances[-1] > 80
    assert ground_chance((1, (4,)), (0, ()), 0, 0) == CERTAIN_PERCENT
    assert air_naval_chance(10, 0) == CERTAIN_PERCENT
    assert air_naval_chance(10, 20) < air_naval_chance(20, 20) < air_naval_chance(40, 20)
