"""The course of a turn, headquarters, and movement through hexes (2, 4, 5.34, 6.1, 8.11)."""

import pytest
from msgspec.structs import replace

from engine.eots.commands import SailVia
from engine.eots.counters import counters
from engine.eots.events.cards import CardsDealt
from engine.eots.events.flow import FrameReplaced, TurnBegan
from engine.eots.events.tracks import DieRolled
from engine.eots.events.units import UnitScheduled
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.ruleset import EOTS
from engine.eots.state import EVENT, TURN_TRACK
from tests.engine.eots.moving import assault, march, moving, pick
from tests.engine.eots.positions import Place, position, start_of, state_1943
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


def test_units_with_a_printed_hex_start_there() -> None:
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


def test_later_units_of_a_scenario_are_those_of_the_campaign() -> None:
    """2.0, 2.3: the 1943 scenario gets its reinforcements of turns 6 and 7 from the campaign."""
    campaign, short = start_of("campaign-1941"), state_1943()
    for turn in (6, 7):
        due = {unit for unit, arrival in campaign.arrivals.items() if arrival.turn == turn}
        assert due
        assert due == {unit for unit, arrival in short.arrivals.items() if arrival.turn == turn}


def test_a_scenario_can_be_started_from_every_year() -> None:
    """2.1: turn 1 and turn 2 set-ups of the campaign, one-year and longer scenarios."""
    wanted = {"campaign-1941": 1, "1942": 2, "1943": 5, "1944": 8, "1943-44": 5, "south-pacific": 3}
    assert {name: start_of(name).turn for name in wanted} == wanted
    for info in EOTS.scenarios():
        assert EOTS.position(info.id, {}).turn in wanted.values()


# -- 4


def test_segments_of_a_turn() -> None:
    """4.1, 4.2, 4.3: from reinforcements to the deal, the offensives, surrender before Political Will, and the end."""
    table = to_the_end_of_turn(Table(at_phase(state_1943(), Phase.REINFORCEMENT)))
    seen: list[Phase] = []
    for event in table.facts(FrameReplaced):
        if isinstance(event.frame, TurnFrame) and event.frame.phase not in seen:
            seen.append(event.frame.phase)
    assert seen == list(Phase)
    assert [event.turn for event in table.facts(TurnBegan)] == [6]


def test_submarines_go_before_bombers() -> None:
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


def test_what_the_end_of_a_turn_resets() -> None:
    """4.5-4, 5.35, 6.23."""
    state = position(
        clear=False, tokyo_express="4222", allied_asp_used=2, japan_asp_used=1, japan=["4222"]
    )
    state = at_phase(state, Phase.END_OF_TURN)
    deck = replace(state.decks[JAPAN], event_draws=3, passes=2)
    table = Table(replace(state, decks={**state.decks, JAPAN: deck}))
    tracks = table.state.tracks
    assert (tracks.tokyo_express, tracks.allied_asp_used, tracks.japan_asp_used) == (None, 0, 0)
    assert table.state.decks[JAPAN].event_draws == 0
    assert table.state.turn == 6


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
def test_political_events(side: Side, card: str, track: str, value: object) -> None:
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


def test_headquarters_stay_where_they_are() -> None:
    """6.1, 7.21: an HQ is never activated and never moves."""
    table = Table(to_play(state_1943(), ALLIED))("oc A-31", "hq us-hq-central-pacific")
    assert not [line for line in table.lines if "-hq-" in line]
    assert "6.12" in table.refusals("allied", "activate us-hq-southwest-pacific")


@pytest.mark.parametrize(
    ("hq", "place", "arrives"),
    [
        pytest.param("us-hq-southwest-pacific", "turn-track", 6, id="6.13-comes-back"),
        pytest.param("cw-hq-malaya", "removed", None, id="6.1-6.13-dotted-for-good"),
    ],
)
def test_voluntary_withdrawal(hq: str, place: str, arrives: int | None) -> None:
    """6.13: with a card of any value; the HQ returns in the next reinforcement segment, without delay."""
    units: dict[str, Place] = {"us-hq-southwest-pacific": "3727", "cw-hq-malaya": "2015"}
    state = position(units, allied=["2015"])
    table = Table(to_play(state, ALLIED, allied="A-59 A-31"))(f"withdraw-hq A-59 {hq}")
    assert table.at(hq) == place
    if arrives is not None:
        arrival = table.state.arrivals[UnitId(hq)]
        assert (arrival.turn, arrival.delayable) == (arrives, False)
    assert "A-59" in table.state.decks[ALLIED].discard
    assert table.asked == "japan"


def test_early_return() -> None:
    """6.15: an HQ on the track returns with a card, to a listed port in supply."""
    units: dict[str, Place] = {"us-hq-southwest-pacific": "3727"}
    table = Table(to_play(position(units), ALLIED, allied="A-59 A-31", japan="J-3 J-23"))
    table("withdraw-hq A-59 us-hq-southwest-pacific", "discard J-3")
    ports = [line.split()[-1] for line in table.offers("return-hq A-31 us-hq-southwest-pacific")]
    assert "3727" in ports
    assert "4828" not in ports
    table("return-hq A-31 us-hq-southwest-pacific 3727")
    assert table.at("us-hq-southwest-pacific") == "3727"
    assert "A-31" in table.state.decks[ALLIED].discard


def test_an_hq_in_a_hex_that_is_lost_leaves_at_the_end_of_the_offensive() -> None:
    """6.14, 7.28, EX-6-3: HQs without a dot return next turn."""
    units: dict[str, Place] = {
        "us-hq-southwest-pacific": "2813",
        "us-hq-central-pacific": "5808",
        "jp-hq-south": "2212",
        "jp-army-14": "2812",
    }
    state = position(units, allied=["2813"], japan=["2812", "2212"], japan_rivalry=False)
    table = Table(to_play(state, JAPAN, japan="J-23 J-3", allied="A-13 A-31"), (9, 9))
    table("event J-23", "activate jp-army-14", "done", "pick jp-army-14", "march 2813")
    table.until("4.22")
    assert table.controller("2813") is JAPAN
    assert table.at("us-hq-southwest-pacific") == "turn-track"
    assert [event.rule for event in table.facts(UnitScheduled)] == ["6.14"]


# -- 8.11


def test_ships_pass_through_enemies() -> None:
    """8.11: air and naval units may pass through any enemy-occupied hex."""
    units: dict[str, Place] = {
        "jp-cv-shokaku": "4017",
        "us-ca-northampton": "4117",
        "us-corps-xi": "4423",
    }
    state = position(units, japan=["4017"])
    game = moving(state, JAPAN, ["jp-cv-shokaku"])(*pick("jp-cv-shokaku"))
    via = game.ends(SailVia)
    assert "4117" in via
    assert "4217" in via


def test_troops_at_sea_pass_enemy_ships_in_company_only() -> None:
    """8.11, 8.45B."""
    units: dict[str, Place] = {
        "jp-army-17": "4222",
        "jp-ca-aoba": "4222",
        "us-ca-northampton": "4423",
    }
    state = position(units, japan=["4222"])
    alone = moving(state, JAPAN, ["jp-army-17", "jp-ca-aoba"])(*pick("jp-army-17"))
    assert "8.45B" in alone.refusals(assault("4423"))
    together = moving(state, JAPAN, ["jp-army-17", "jp-ca-aoba"])
    together(*pick("jp-army-17", "jp-ca-aoba"))
    assert assault("4423") in together.options


def test_ground_movement_passes_ships_but_stops_at_the_rest() -> None:
    """8.11, 8.42: enemy naval units alone never block ground movement."""
    units: dict[str, Place] = {"jp-army-18": "3822", "us-ca-northampton": "3922"}
    state = position(units, japan=["3822"], allied=["3922"])
    game = moving(state, JAPAN, ["jp-army-18"])(*pick("jp-army-18"))
    game(march("3922"))
    assert game.state.control[HexId("3922")] is JAPAN
