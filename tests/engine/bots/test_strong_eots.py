"""The strong and the easy player of Empire of the Sun: fair samples, consistent plans, and reproducible choices."""

from functools import cache
from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from engine.bots.easy_eots import EasyEots
from engine.bots.greedy_eots import GreedyEots
from engine.bots.greedy_eots_cards import activatable_units, offensive_means
from engine.bots.greedy_eots_situation import EotsSituation
from engine.bots.player import choose_command, known_position
from engine.bots.strong_eots import StrongEots
from engine.bots.strong_eots_dangers import hex_dangers, with_retakes
from engine.bots.strong_eots_guard import guard_plan
from engine.bots.strong_eots_plays import CandidatePlay, PlanningEots, candidate_plays
from engine.bots.strong_eots_samples import complete_position
from engine.bots.strong_eots_worth import POINT_VALUE, WIN_VALUE, expected_loss, position_value
from engine.eots import commands as orders
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_offensive import AllowOnly
from engine.eots.frames import CardPlayFrame, OffensiveFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.position import Position
from engine.eots.position_rules import card_problems
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.eots.view import EotsView, project_state
from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.sizes import sampled


def dice(text: str, record: int = 0) -> DerivedDice:
    return DerivedDice(text.encode().ljust(32, b"."), record)


def strong(steps: int) -> StrongEots:
    player = StrongEots(dice("strong"))
    player.steps = steps
    return player


@cache
def states() -> tuple[State, ...]:
    """Return every position of the first turns of a game between greedy players."""
    state = EOTS.fold(
        EOTS.initial_state(), EOTS.open_game(EOTS.position("south-pacific", {}), dice("game"))
    )
    players = {Role(side): GreedyEots(dice("")) for side in Side}
    found = [state]
    for step in range(1, 116):
        role = EOTS.active_roles(state)[0]
        command: Any = choose_command(EOTS, state, role, players[role])
        state = EOTS.fold(state, EOTS.decide(state, role, command, dice("game", step)))
        found.append(state)
    return tuple(found)


def asked(state: State, role: Role) -> Decision[Any]:
    return EOTS.decision(state, role)


def card_plays(side: Side) -> list[State]:
    """Return the positions in which a side plays a card and has several in hand."""
    return [
        state
        for state in states()
        if isinstance(state.frames[-1], CardPlayFrame)
        and EOTS.active_roles(state) == (Role(side),)
        and len(state.decks[side].hand) > 1
    ]


def seen(state: State, side: Side) -> Position:
    position = known_position(EOTS, state, Role(side))
    assert isinstance(position, Position)
    return position


@pytest.mark.parametrize("side", list(Side))
def test_a_sample_contains_every_card_once_and_keeps_known_cards(side: Side) -> None:
    """5.0: hidden cards are dealt again; what the side sees stays the same."""
    for state in states()[::9]:
        sample = complete_position(seen(state, side), side, dice("sample"))
        assert not list(card_problems(sample))
        assert sample.decks[side] == state.decks[side]
        mine, real = sample.decks[side.enemy], state.decks[side.enemy]
        assert (len(mine.hand), len(mine.draw)) == (len(real.hand), len(real.draw))
        assert (mine.discard, mine.removed) == (real.discard, real.removed)
        again = EOTS.fold(EOTS.initial_state(), EOTS.open_game(sample, dice("")))
        role = Role(side)
        assert EOTS.project(again, role) == EOTS.project(state, role)


def test_samples_of_a_position_differ() -> None:
    """Any deal of the enemy's cards may be the real one."""
    position = seen(card_plays(Side.ALLIED)[0], Side.ALLIED)
    hands = {
        complete_position(position, Side.ALLIED, dice(str(n))).decks[Side.JAPAN].hand
        for n in range(9)
    }
    assert len(hands) > 1


@pytest.mark.parametrize("side", sampled(list(Side), 1))
def test_hidden_cards_do_not_affect_the_choice(side: Side) -> None:
    """5.0: two positions that look alike to a side get the same answer, given the same dice and amount of work."""
    state = card_plays(side)[-1]
    enemy = state.decks[side.enemy]
    swapped = tuple(sorted(enemy.draw[: len(enemy.hand)], key=lambda card: int(card[2:])))
    rest = tuple(card for card in (*enemy.hand, *enemy.draw) if card not in swapped)
    draw = tuple(sorted(rest, key=lambda card: int(card[2:])))
    other = replace(
        state, decks={**state.decks, side.enemy: replace(enemy, hand=swapped, draw=draw)}
    )
    role = Role(side)
    assert other != state
    assert EOTS.project(other, role) == EOTS.project(state, role)
    one, two = strong(4), strong(4)
    assert choose_command(EOTS, state, role, one) == choose_command(EOTS, other, role, two)
    assert (one.reason, one.chosen_play) == (two.reason, two.chosen_play)


@pytest.mark.full
def test_activates_the_units_of_its_plan() -> None:
    """7.2: the HQ and the units of the chosen play take part."""
    state = card_plays(Side.ALLIED)[0]
    player, role = strong(2), Role(Side.ALLIED)
    command: Any = choose_command(EOTS, state, role, player)
    mind = player.chosen_play
    assert mind is not None
    assert mind.order == command
    activated = set()
    for step in range(200, 260):
        given = EOTS.active_roles(state)[0]
        order = choose_command(
            EOTS, state, given, player if given == role else GreedyEots(dice(""))
        )
        command = order if step > 200 else command
        state = EOTS.fold(state, EOTS.decide(state, given, command, dice("on", step)))
        if isinstance(command, orders.ChooseHq) and given == role:
            assert command.hq == mind.hq
        if isinstance(command, orders.Activate) and given == role:
            activated.add(command.unit)
        if not isinstance(state.frames[-1], OffensiveFrame):
            break
    assert activated >= set(mind.plan.units)
    assert activated


@pytest.mark.full
def test_search_yields_a_legal_choice_immediately_and_after_each_playout() -> None:
    """The caller can stop at any time, and the first thought comes immediately."""
    state = card_plays(Side.JAPAN)[0]
    role = Role(Side.JAPAN)
    decision = asked(state, role)
    found = list(islice(strong(9).search(seen(state, Side.JAPAN), role, decision), 4))
    assert len(found) == 4
    assert all(thought.command in decision.options for thought in found)


def test_decisions_other_than_card_plays_are_answered_immediately() -> None:
    """Only card plays and answers to the enemy are played out."""
    player = strong(3)
    for state in states()[::8]:
        for role in EOTS.active_roles(state):
            view, decision = EOTS.project(state, role), asked(state, role)
            if not player.should_search(view, decision):
                thoughts = list(player.search(seen(state, Side(role)), role, decision))
                assert [thought.command in decision.options for thought in thoughts] == [True]


def test_candidate_plays_have_different_goals_or_headquarters() -> None:
    """There are few, and no two have the same goals and HQ."""
    for state in card_plays(Side.ALLIED)[:3]:
        role = Role(Side.ALLIED)
        now = EotsSituation.from_view(project_state(state, Side.ALLIED), Side.ALLIED)
        found = candidate_plays(now, asked(state, role).options, 5, hex_dangers(now))
        assert 1 < len(found) <= 5
        keys = [(play.order, play.hq, play.plan) for play in found]
        assert all(keys.count(key) == 1 for key in keys)


def test_play_variants_use_only_units_that_the_card_allows() -> None:
    """7.21: a play without one of its goals obeys the card's limits just as the whole play does."""
    state = card_plays(Side.ALLIED)[0]
    now = EotsSituation.from_view(project_state(state, Side.ALLIED), Side.ALLIED)
    planned_plays = 0
    for card in cards().values():
        steps = [step for step in card.effects if isinstance(step, AllowOnly)]
        if card.side is not Side.ALLIED or not card.offensive or not steps:
            continue
        plays = candidate_plays(now, (orders.PlayEvent(card=card.id),), 9, hex_dangers(now))
        planned = [play for play in plays if play.plan.goals]
        planned_plays += len(planned)
        for unit in {unit for play in planned for unit in play.plan.units}:
            assert all(
                any(allowed.matches(counters()[unit]) for allowed in step.filters) for step in steps
            ), (card.id, unit)
    assert planned_plays


def test_position_values_of_the_two_sides_are_opposite() -> None:
    """16: what is good for one side is bad for the other, and a victory outweighs everything."""
    state = states()[40]
    assert position_value(state, Side.JAPAN) == -position_value(state, Side.ALLIED)
    won = replace(state, outcome=Outcome(winner=Role(Side.ALLIED), level="", score=-5, reason=""))
    assert position_value(won, Side.ALLIED) > WIN_VALUE > position_value(state, Side.ALLIED)
    more = replace(state.decks[Side.JAPAN], hand=())
    poorer = replace(state, decks={**state.decks, Side.JAPAN: more})
    assert position_value(poorer, Side.JAPAN) < position_value(state, Side.JAPAN)


ULITHI, PALAU, TOKYO, ATTU = map(HexId, ("3615", "3416", "3706", "4600"))


@cache
def japan_to_play() -> State:
    """Return 1943 with Japan to play first."""
    state = EOTS.fold(EOTS.initial_state(), EOTS.open_game(EOTS.position("1943", {}), dice("1943")))
    return replace(state, frames=(*state.frames[:-1], CardPlayFrame(side=Side.JAPAN)))


def moved(state: State, unit: str, at: HexId) -> State:
    """Return a state with a unit moved elsewhere."""
    piece = replace(state.units[UnitId(unit)], at=at)
    return replace(state, units={**state.units, UnitId(unit): piece})


def taken(state: State, at: HexId) -> State:
    return replace(state, control={**state.control, at: Side.ALLIED})


def in_view(state: State) -> EotsSituation:
    return EotsSituation.from_view(project_state(state, Side.JAPAN), Side.JAPAN)


def test_hex_danger_depends_on_value_and_enemy_distance() -> None:
    """17.38Q: one port near Tokyo is enough; once it is lost, the others no longer matter."""
    state = japan_to_play()
    now = in_view(state)
    found = hex_dangers(now)
    assert all(now.is_own(at) for at in found)
    assert found[ULITHI] > found[HexId("4222")]
    assert TOKYO not in found
    assert hex_dangers(in_view(taken(state, PALAU)))[ULITHI] < found[ULITHI]
    guarded = moved(state, "jp-army-ed", ULITHI)
    gained = expected_loss(state, Side.JAPAN, found) - expected_loss(guarded, Side.JAPAN, found)
    assert gained == pytest.approx(found[ULITHI] // 3, abs=1)


def test_guards_move_between_ports_without_shipping_points() -> None:
    """8.44: a card can guard as many hexes as it activates units, and each guard reaches its goal."""
    state = japan_to_play()
    now, role = in_view(state), Role(Side.JAPAN)
    order = next(
        one
        for one in asked(state, role).options
        if isinstance(one, orders.OperationsOffensive) and cards()[one.card].ov >= 2
    )
    hq = now.units[UnitId("jp-hq-combined-fleet-yamamoto")]
    means = replace(offensive_means(now, cards()[order.card], hq, is_event=False), asp=0)
    plan = guard_plan(now, activatable_units(now, hq), means, hex_dangers(now))
    assert len(plan.goals) == means.limit
    assert {ULITHI, PALAU} <= {goal.target for goal in plan.goals}
    player = PlanningEots(dice(""))
    player.chosen_play = CandidatePlay(order=order, value=0, hq=hq.id, plan=plan, is_guard=True)
    command: Any = order
    for step in range(60):
        state = EOTS.fold(state, EOTS.decide(state, role, command, dice("guard", step)))
        if state.offensive is None or EOTS.active_roles(state) != (role,):
            break
        command = player.choose(EOTS.project(state, role), asked(state, role))
    assert all(state.units[goal.troops[0]].at == goal.target for goal in plan.goals)


def test_japan_values_retaking_hexes_lost_this_turn() -> None:
    """16.47-3: a retaken hex does not count towards the progress of the war."""
    state = taken(japan_to_play(), PALAU)
    now = in_view(state)
    wanted = with_retakes(replace(now, view=replace(now.view, japan_at_turn_start=(PALAU, ULITHI))))
    assert wanted.hex_value(PALAU) > now.hex_value(PALAU)
    assert wanted.hex_value(ULITHI) == now.hex_value(ULITHI)


def test_position_value_anticipates_political_will_losses() -> None:
    """16.42, 16.47, 17.38: Alaska is held for a third turn, and the Allies can hardly meet a quota any more."""
    state = japan_to_play()
    away = moved(state, "jp-sn-2", TOKYO)
    assert position_value(state, Side.JAPAN) > position_value(away, Side.JAPAN) + POINT_VALUE
    without = replace(state.decks[Side.ALLIED], hand=())
    late = replace(state, decks={**state.decks, Side.ALLIED: without})
    taken_all = late
    for at in ("4222", "4020", "3820", "3822"):
        taken_all = taken(taken_all, HexId(at))
    three = replace(taken_all, control={**taken_all.control, HexId("4222"): Side.JAPAN})
    assert position_value(three, Side.JAPAN) > position_value(taken_all, Side.JAPAN) + POINT_VALUE


def test_japan_looks_ahead_to_its_next_card_play() -> None:
    """4.22: the value of holding shows after the enemy's answer, that of attacking shows immediately."""
    state = card_plays(Side.JAPAN)[0]
    player, other = strong(1), CardPlayFrame(side=Side.ALLIED)
    assert not player.is_at_horizon(state, replace(state, frames=(*state.frames[:-1], other)))
    assert player.is_at_horizon(state, state)
    assert player.is_at_horizon(card_plays(Side.ALLIED)[0], state)


@pytest.mark.full
def test_easy_player_plays_differently_from_the_greedy_player() -> None:
    """It plays legally, sometimes chooses other cards, and pursues one goal at a time."""
    differs = 0
    for state in card_plays(Side.ALLIED):
        role = Role(Side.ALLIED)
        view, decision = EOTS.project(state, role), asked(state, role)
        assert isinstance(view, EotsView)
        picked = {EasyEots(dice(str(n))).choose(view, decision) for n in range(4)}
        assert picked <= set(decision.options)
        differs += picked != {GreedyEots(dice("")).choose(view, decision)}
    assert differs
