"""Rules of sections 10 to 17 that no other test covers."""

from typing import Final

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.cards.interpreter import run_step
from engine.eots.ch05_cards.checks import end_rivalry_refusals, event_refusals
from engine.eots.ch10_delay import is_delayed, units_to_place
from engine.eots.ch11_pools import allied_pools, japan_points
from engine.eots.ch12_deal import deal_turn_hands, japan_hand
from engine.eots.ch12_strategic_warfare import begin_strategic_warfare
from engine.eots.ch13_nations.surrender import surrendering_nations
from engine.eots.ch16_victory.judgement import judge_end_of_turn
from engine.eots.commands import Bomb
from engine.eots.deck import cards
from engine.eots.deck_campaign import PoliticalWill
from engine.eots.frames import TakeCardFrame
from engine.eots.ids import AreaId, CardId, HexId, NationId, Side, UnitId
from engine.eots.ruleset import EOTS
from engine.eots.scenarios import scenario
from engine.eots.state import DELAY_BOX, Deck, State
from engine.kernel.dice import DraftDice, ScriptedDice
from engine.kernel.ids import Rule
from tests.engine.eots.positions import (
    position,
    start_of,
    with_control,
    with_tracks,
    with_units,
)
from tests.engine.eots.strategic import advance, give, ledger_on, rolling, with_decks

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN


# -- 10, 11, 12


@pytest.mark.parametrize("boxed", [False, True], ids=["10.2-due", "10.2-boxed"])
def test_delay_lasts_one_turn_per_cause(boxed: bool) -> None:
    """Units due this turn are delayed; those in the delay box leave it although the cause continues (10.21)."""
    state = with_tracks(start_of("1943"), war_in_europe=-7)
    ship = UnitId("us-cv-essex")
    state = replace(state, turn=6)
    if boxed:
        state = with_units(state, {ship: DELAY_BOX})
        assert ship in units_to_place(rolling(ledger_on(state), ScriptedDice(*[9] * 20)), ALLIED)
    else:
        assert is_delayed(state, ship)


@pytest.mark.parametrize(
    ("turn", "points"),
    [(2, (0, 0)), (3, (1, 0)), (4, (1, 0)), (5, (0, 0)), (10, (0, 0)), (11, (1, 0)), (12, (0, 0))],
    ids=lambda value: f"11.2-11.21-11.22-turn-{value}" if isinstance(value, int) else "",
)
def test_japanese_points_per_turn_match_the_chart(turn: int, points: tuple[int, int]) -> None:
    """Naval points come on turns 3, 4 and 11; the chart never gives air points."""
    state = with_tracks(start_of("campaign-1941"), japan_naval_points=0, japan_air_points=0)
    assert japan_points(replace(state, turn=turn)) == points


@pytest.mark.parametrize("turn", range(1, 13), ids=lambda turn: f"11.31-11.32-turn-{turn}")
def test_allied_ground_and_air_replacement_steps_per_turn(turn: int) -> None:
    pools = allied_pools(replace(start_of("campaign-1941"), turn=turn))
    assert (pools.allied_ground, pools.allied_air) == ((0, 0) if turn == 1 else (2, 5))


def test_bombing_costs_at_most_two_cards() -> None:
    """12.33: there are two B29s; each takes one card."""
    state = position(
        {
            "us-b29-20bc": "3709",
            "us-b29-21bc": "3813",
            "us-hq-central-pacific": "3813",
        },
        allied=["3709", "3813"],
    )
    state = with_control(replace(state, turn=10), JAPAN, board().resource_hexes)
    ledger, dice = ledger_on(replace(state, frames=())), ScriptedDice(9, 0, 0)
    begin_strategic_warfare(rolling(ledger, dice))
    for unit in ("us-b29-20bc", "us-b29-21bc"):
        advance(ledger, dice)
        give(ledger, Bomb(unit=UnitId(unit)), dice)
    assert ledger.state.tracks.draw_loss == 1 + 2  # turn 10: the submarines succeed as well
    assert japan_hand(ledger.state).cards == 7 - 3


# -- 13


@pytest.mark.parametrize(
    ("nation", "hexes"),
    [
        pytest.param(
            "philippines",
            "2713 2714 2715 2812 2813 2814 2815 2911 2912 2913 2914 2915 3014 3015 3016",
            id="13.2-13.21",
        ),
        pytest.param("malaya", "1912 1913 2012 2013 2014 2015 2112 2113", id="13.3-13.31"),
        pytest.param("burma", "2006 2007 2008 2106 2107 2108 2206 2207 2305", id="13.5-13.51"),
        pytest.param("northern-india", "1905 2005 2104 2105 2205", id="13.6-13.61"),
    ],
)
def test_nation_extent_matches_the_list(nation: str, hexes: str) -> None:
    assert board().areas[AreaId(nation)].hexes == tuple(hexes.split())


def test_philippine_land_is_connected_or_near_manila() -> None:
    """13.21: Jolo is named although neither is true of it."""
    map_ = board()
    area = map_.areas[AreaId("philippines")].hexes
    seen, waiting = set(), [map_.index[HexId(at)] for at in ("2813", "2915")]
    while waiting:
        here = waiting.pop()
        seen.add(map_.ids[here])
        waiting += [i for i in map_.land_adjacent[here] if map_.ids[i] not in seen]
    assert seen <= set(area)
    apart = {at for at in area if at not in seen and map_.distance(HexId("2813"), at) > 2}
    assert apart == {"2715"}


def test_siam_never_surrenders() -> None:
    """13.33: its hexes change hands individually."""
    state = with_control(start_of("1942"), ALLIED, list(start_of("1942").control))
    state = with_control(state, JAPAN, board().areas[AreaId("siam")].hexes)
    assert surrendering_nations(state) == ()
    assert "siam" not in board().areas or not board().areas[AreaId("siam")].control_hexes


@pytest.mark.parametrize(
    ("area", "hexes"),
    [
        pytest.param("hong-kong", {"2709"}, id="13.7-13.71-3-hong-kong"),
        pytest.param("formosa", None, id="13.7-13.71-3-formosa"),
    ],
)
def test_areas_that_are_not_part_of_china(area: str, hexes: set[str] | None) -> None:
    there = set(board().areas[AreaId(area)].hexes)
    china = {
        *board().areas[AreaId("china-coast")].hexes,
        *board().areas[AreaId("china-interior")].hexes,
    }
    assert there
    assert not there & china
    assert hexes is None or there == hexes


# -- 16.44


@pytest.mark.parametrize(
    ("card", "before", "after"),
    [
        pytest.param("J-1", 0, 8, id="16.44A"),
        pytest.param("A-1", 5, 6, id="16.44B-A-1"),
        pytest.param("A-6", 5, 6, id="16.44B-A-6"),
        pytest.param("A-6", 10, 10, id="16.44B-OPB-24-never-above-10"),
        pytest.param("J-43", 5, 3, id="16.44B-J-43"),
        pytest.param("J-43", 1, 0, id="16.44B-OPB-24-never-below-0"),
        pytest.param("J-74", 5, 4, id="16.44B-J-74"),
    ],
)
def test_political_will_events_move_the_marker(card: str, before: int, after: int) -> None:
    played = cards()[CardId(card)]
    ledger = ledger_on(with_tracks(start_of("1943"), political_will=before))
    (step,) = [effect for effect in played.effects if isinstance(effect, PoliticalWill)]
    run_step(rolling(ledger, DraftDice()), played, step)
    assert ledger.state.tracks.political_will == after


# -- 17


ONE_YEAR: Final = (
    pytest.param("1942", True, id="17.26"),
    pytest.param("1943", True, id="17.37"),
    pytest.param("1944", True, id="17.47"),
    pytest.param("1942-43", False, id="OPS-4-17.5"),
    pytest.param("1943-44", False, id="OPS-4-17.6"),
    pytest.param("shorter-campaign", False, id="OPS-4-17.9"),
    pytest.param("south-pacific", False, id="17.10.6"),
)


def holding(name: str, side: Side, card: str) -> State:
    """Return a scenario with one card in a hand and rivalry on both sides."""
    state = with_tracks(start_of(name), us_rivalry=True, japan_rivalry=True)
    return replace(state, decks={**state.decks, side: Deck(hand=(CardId(card),))})


@pytest.mark.parametrize(("name", "may"), ONE_YEAR)
@pytest.mark.parametrize(("side", "card"), [(ALLIED, "A-2"), (JAPAN, "J-7")])
def test_a_card_of_value_3_ends_own_rivalry(name: str, may: bool, side: Side, card: str) -> None:
    of_value_3 = next(
        row.id for row in cards().values() if row.side is side and row.ov == 3 and row.id != card
    )
    state = holding(name, side, of_value_3)
    assert (not list(end_rivalry_refusals(state, side, of_value_3))) is may


@pytest.mark.parametrize(("name", "barred"), ONE_YEAR)
@pytest.mark.parametrize(
    ("side", "card"), [(ALLIED, "A-1"), (ALLIED, "A-6"), (JAPAN, "J-43"), (JAPAN, "J-74")]
)
def test_political_will_events_are_barred_in_one_year_scenarios(
    name: str, barred: bool, side: Side, card: str
) -> None:
    refusals = list(event_refusals(holding(name, side, card), side, CardId(card)))
    assert (Rule("17.26") in [refusal.rule for refusal in refusals]) is barred


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("short-campaign", id="17.13-17.8"),
        pytest.param("shorter-campaign", id="17.13-17.9"),
    ],
)
@pytest.mark.parametrize(
    ("turn", "streak", "near", "held", "winner"),
    [
        pytest.param(12, (9, 10, 11, 12), "3709", 1, "allied", id="16.2"),
        pytest.param(12, (9, 10, 11, 12), "china-box", 0, "allied", id="13.74-7"),
        pytest.param(12, (8, 9, 10, 12), "3709", 1, "japan", id="16.2-three-in-a-row-only"),
        pytest.param(12, (9, 10, 11, 12), "3709", 2, "japan", id="16.2-two-resources"),
        pytest.param(12, (9, 10, 11, 12), "3416", 1, "japan", id="16.2-b29-too-far"),
        pytest.param(11, (8, 9, 10, 11), "3709", 1, None, id="16.3-only-at-the-end"),
    ],
)
def test_campaign_victory_conditions(
    name: str, turn: int, streak: tuple[int, ...], near: str, held: int, winner: str | None
) -> None:
    resources = board().resource_hexes
    state = with_control(start_of(name), ALLIED, (*resources, "3709", "3416"))
    state = with_control(state, JAPAN, resources[:held])
    state = with_units(with_tracks(state, bombing_turns=streak), {"us-b29-20bc": near})
    outcome = judge_end_of_turn(replace(state, turn=turn))
    assert (None if outcome is None else outcome.winner) == winner


def test_turn_2_of_the_campaign_offers_arcadia() -> None:
    """17.11, 17.12, DS-2: turn 2 offers the choice of the 1942 set-up, with the same historical hand."""
    state = with_decks(replace(start_of("campaign-1941"), turn=2, frames=()))
    ledger = ledger_on(state)
    deal_turn_hands(rolling(ledger, DraftDice()))
    assert ledger.state.frames == (TakeCardFrame(card=CardId("A-4"), first=False),)
    hands = {
        name: next(row for row in scenario(name).cards.hands if row.from_turn == 2)  # type: ignore[arg-type]  # an id as text
        for name in ("campaign-1941", "1942")
    }
    for hand in hands.values():
        assert hand.japan.historical is not None
        assert (hand.japan.historical.exact, hand.japan.historical.plus_random) == ((3, 47, 59), 4)


def test_south_pacific_rivalry_can_be_ended_only_by_cards() -> None:
    """17.10.6."""
    assert scenario("south-pacific").short_game_rules is None  # type: ignore[arg-type]  # an id as text


@pytest.mark.parametrize(
    ("name", "nations"),
    [
        pytest.param("1942", (), id="17.25B"),
        pytest.param("1943", ("philippines", "malaya", "dutch-east-indies", "burma"), id="17.36"),
        pytest.param("1944", ("philippines", "malaya", "dutch-east-indies", "burma"), id="17.46"),
    ],
)
def test_nations_surrendered_at_the_start(name: str, nations: tuple[str, ...]) -> None:
    tracks = EOTS.position(name, {}).tracks
    assert set(tracks.surrendered) == set(map(NationId, nations))
    assert tracks.mandates is (JAPAN if nations else None)
