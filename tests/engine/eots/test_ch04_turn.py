"""The course of a turn, headquarters, and movement through hexes (2, 4, 5.34, 6.1, 8.11)."""

import pytest
from msgspec.structs import replace

from engine.eots.counters import counters
from engine.eots.events.cards import CardsDealt
from engine.eots.events.flow import FrameReplaced, TurnBegan
from engine.eots.events.tracks import DieRolled
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import Side
from engine.eots.state import EVENT, TURN_TRACK
from tests.engine.eots.positions import position, start_of, state_1943
from tests.engine.eots.table import Table, at_phase, to_play

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED


def to_the_end_of_turn(table: Table) -> Table:
    """Answer by default until the next turn has begun."""
    for _ in range(2000):
        if table.facts(TurnBegan) or not table.asked:
            return table
        table(table.default)
    raise AssertionError(table.rule)


# -- 2


def test_units_start_on_their_printed_hex_turn_or_card() -> None:
    """2.2: they start on the printed side; a number is an entry turn, and a star waits for its card."""
    state = start_of("campaign-1941")
    for unit, counter in counters().items():
        piece = state.units[unit]
        match counter.entry.kind:
            case "setup":
                assert piece.at == counter.entry.hex, unit
                assert counter.is_hq or piece.steps == counter.steps_on(counter.entry.face), unit
            case "turn":
                assert piece.at == TURN_TRACK, unit
                assert state.arrivals[unit].turn == counter.entry.turn, unit
            case "event":
                assert piece.at == EVENT, unit
            case _:
                assert not piece.is_on_map, unit


# -- 4


def test_segments_of_a_turn_are_in_order() -> None:
    """4.1, 4.2, 4.3: from reinforcements to the deal, the offensives, surrender before Political Will, and the end."""
    table = to_the_end_of_turn(Table(at_phase(state_1943(), Phase.REINFORCEMENT)))
    seen: list[Phase] = []
    for event in table.facts(FrameReplaced):
        if isinstance(event.frame, TurnFrame) and event.frame.phase not in seen:
            seen.append(event.frame.phase)
    assert seen == list(Phase)
    assert [event.turn for event in table.facts(TurnBegan)] == [6]


def test_submarine_warfare_precedes_strategic_bombing() -> None:
    """4.13, 4.14: after that Japan's cards are dealt according to the result."""
    state = at_phase(start_of("1944"), Phase.STRATEGIC_WARFARE, allied="", japan="")
    state = replace(state, turn=9)
    table = Table(state)
    while table.rule.startswith("12"):
        table(table.default)
    rules = [str(event.rule) for event in table.facts(DieRolled)]
    assert rules[0].startswith("12.2")
    assert all(rule.startswith("12.3") for rule in rules[1:])
    assert [event.side for event in table.facts(CardsDealt)] == [JAPAN, ALLIED]


def test_national_status_comes_before_political_will() -> None:
    """4.31, 4.32, 4.4: then come attrition and the end of the turn."""
    order = [Phase.NATIONAL_STATUS, Phase.POLITICAL_WILL, Phase.ATTRITION, Phase.END_OF_TURN]
    assert list(Phase)[-4:] == order


# -- 5.34


@pytest.mark.parametrize(
    ("side", "card", "track", "value"),
    [
        pytest.param(JAPAN, "J-26", "china_front", 4, id="5.34-china"),
        pytest.param(JAPAN, "J-51", "war_in_europe", -1, id="5.34-war-in-europe"),
        pytest.param(JAPAN, "J-7", "us_rivalry", True, id="5.34-us-rivalry"),
        pytest.param(ALLIED, "A-2", "japan_rivalry", True, id="5.34-japanese-rivalry"),
        pytest.param(ALLIED, "A-1", "political_will", 8, id="5.34-political-will"),
    ],
)
def test_political_events_move_one_marker_without_an_offensive(
    side: Side, card: str, track: str, value: object
) -> None:
    """5.34: one marker moves; there is no offensive and no reaction, and the other side plays next."""
    state = position(
        clear=False,
        scenario_id="1943-44",
        japan=["2813"],
        china_front=5,
        war_in_europe=0,
        us_rivalry=False,
        japan_rivalry=False,
        political_will=7,
    )
    hands = {"allied": f"{card} A-31"} if side is ALLIED else {"japan": f"{card} J-3"}
    table = Table(to_play(state, side, **hands))(f"event {card}")
    assert getattr(table.state.tracks, track) == value
    assert (table.asked, table.rule) == (side.enemy.value, "4.22")
    assert table.state.offensive is None


# -- 6.1


def test_headquarters_are_never_activated_or_moved() -> None:
    """6.1, 7.21: an HQ is never activated and never moves."""
    table = Table(to_play(state_1943(), ALLIED))("oc A-31", "hq us-hq-central-pacific")
    assert not [line for line in table.lines if "-hq-" in line]
    assert "6.12" in table.refusals("allied", "activate us-hq-southwest-pacific")
