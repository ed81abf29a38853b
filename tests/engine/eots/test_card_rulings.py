"""The alternative reading of the rulings about cards, special reaction and future offensives cards."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.cards.conditions import is_condition_met
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch08_movement.asp import asp_left
from engine.eots.ch08_movement.naval import strategic_allowance
from engine.eots.deck import cards
from engine.eots.events.offensive import BattleSwitched
from engine.eots.ids import CardId, Side
from engine.eots.state import State
from tests.engine.eots.positions import Place, in_offensive, position, with_control
from tests.engine.eots.table import Table, to_play

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED


def playing(
    units: Mapping[str, Place], options: Mapping[str, str], japan: tuple[str, ...] = ()
) -> State:
    return position(units, japan=japan, options=options, japan_rivalry=False, us_rivalry=False)


@pytest.mark.parametrize(
    ("value", "held_by", "refused"),
    [
        pytest.param("without-effect", ALLIED, [], id="CP-02-playable"),
        pytest.param("not-playable", ALLIED, ["5.31"], id="CP-02-other-reading"),
        pytest.param("not-playable", JAPAN, [], id="CP-02-other-reading-true-condition"),
    ],
)
def test_false_condition_ruling_controls_whether_the_event_is_refused(
    value: str, held_by: Side, refused: list[str]
) -> None:
    """A-1 requires Manila in Japanese hands."""
    state = position(clear=False, scenario_id="1943-44", options={"false-condition": value})
    state = with_control(state, held_by, ["2813"])
    table = Table(to_play(state, ALLIED, allied="A-1 A-31"))
    assert table.refusals("allied", "event A-1") == refused
    assert ("event A-1" in table.lines) is (not refused)


@pytest.mark.parametrize(
    ("value", "activated"),
    [
        pytest.param("overrides", True, id="CP-10-any-nationality"),
        pytest.param("does-not", False, id="CP-10-other-reading"),
    ],
)
def test_oboe_command_ruling_controls_activation(value: str, activated: bool) -> None:
    units: dict[str, Place] = {
        "us-hq-southwest-pacific": "3727",
        "joint-hq-anzac": "3023",
        "cw-corps-1-aus": "3727",
    }
    state = playing(units, {"oboe-command": value})
    table = Table(to_play(state, ALLIED, allied="A-76 A-31"))
    table("event A-76", "hq us-hq-southwest-pacific")
    assert ("activate cw-corps-1-aus" in table.lines) is activated


@pytest.mark.parametrize(
    ("value", "left"),
    [
        pytest.param("after-halving", 4 + 2, id="CP-21-after-halving"),
        pytest.param("before-halving", 5, id="CP-21-other-reading"),
    ],
)
def test_temporary_asp_follows_the_ruling_under_rivalry(value: str, left: int) -> None:
    """J-44 lends 2 to a pool of 7 under rivalry: 4 + 2, or half of 9."""
    state = position(
        {"jp-army-14": "4017"},
        options={"temporary-asp": value},
        japan_asp=7,
        japan_asp_used=0,
        japan_rivalry=True,
    )
    begun = in_offensive(state, JAPAN, event=True, card="J-44", activated=["jp-army-14"])
    assert asp_left(begun, JAPAN) == left


@pytest.mark.parametrize(
    ("value", "hexes"),
    [pytest.param("42", 42, id="CP-24-42"), pytest.param("30", 30, id="CP-24-other-reading")],
)
def test_j9_strategic_allowance_follows_the_ruling(value: str, hexes: int) -> None:
    state = playing({"jp-hq-south-seas": "4017"}, {"j9-strategic": value}, ("4017",))
    table = Table(to_play(state, JAPAN, japan="J-9 J-3"))("event J-9")
    assert strategic_allowance(table.state) == hexes


@pytest.mark.parametrize(
    ("value", "units", "adds"),
    [
        pytest.param("neither-screen", {}, True, id="CP-25-other-neither"),
        pytest.param("neither-screen", {"us-ca-northampton": "5808"}, False, id="CP-25-other-a-ca"),
        pytest.param("one-lacks", {"us-ca-northampton": "5808"}, True, id="CP-25-one-lacks"),
        pytest.param(
            "one-lacks",
            {"us-ca-northampton": "5506", "us-air-7af": "5506"},
            False,
            id="CP-25-both",
        ),
    ],
)
def test_midway_screen_follows_the_ruling(
    value: str, units: Mapping[str, Place], adds: bool
) -> None:
    places: dict[str, Place] = {"us-hq-central-pacific": "5808", **units}
    state = in_offensive(playing(places, {"midway-screen": value}), JAPAN, event=True, card="J-12")
    condition = next(
        effect.only_if for effect in cards()[CardId("J-12")].effects if effect.only_if is not None
    )
    assert is_condition_met(state, condition, JAPAN) is adds


# -- 7.27


SHORES: Mapping[str, Place] = {
    "us-hq-central-pacific": "5808",
    "us-air-7af": "5808",
    "us-ca-northampton": "5108",
    "jp-hq-south-seas": "4017",
    "jp-army-14": "4715",
    "jp-cv-shokaku": "4715",
    "jp-cv-taiho": "4715",
}


@pytest.mark.parametrize(
    ("value", "switched"),
    [
        pytest.param("in-the-hex", False, id="OP-8-in-the-hex"),
        pytest.param("in-range", True, id="OP-8-other-reading"),
    ],
)
def test_special_reaction_switch_follows_the_ruling(value: str, switched: bool) -> None:
    """A carrier two hexes away that strikes Oahu is drawn in only under the alternative reading."""
    state = playing(SHORES, {"sr-switch": value}, ("4715", "4017"))
    table = Table(to_play(state, JAPAN, japan="J-9 J-3"), (0, 0))("event J-9")
    for unit in ("jp-army-14", "jp-cv-shokaku", "jp-cv-taiho"):
        table(f"activate {unit}")
    table("done", "pick jp-army-14", "with jp-cv-shokaku", "assault 5708")
    table("pick jp-cv-taiho", "sail 5608")
    table("cover jp-cv-shokaku 5708", "battle-with jp-cv-taiho 5808")
    table("special-reaction 5708", "roll", "hq us-hq-central-pacific")
    table("activate us-ca-northampton", "done", "pick us-ca-northampton", "sail 5708")
    assert bool(table.facts(BattleSwitched)) is switched


@pytest.mark.parametrize(
    ("value", "hqs"),
    [
        pytest.param(
            "any-hq-in-range",
            ["hq us-hq-central-pacific", "hq us-hq-south-pacific-halsey"],
            id="OP-22-any",
        ),
        pytest.param("the-reaction-hq", ["hq us-hq-central-pacific"], id="OP-22-other-reading"),
    ],
)
def test_special_reaction_hq_follows_the_ruling(value: str, hqs: list[str]) -> None:
    """Under the alternative reading, a landing that only one HQ covers restricts the reaction to that HQ."""
    units: dict[str, Place] = {
        "us-hq-central-pacific": "5808",
        "us-hq-south-pacific-halsey": "4828",
        "us-air-7af": "5808",
        "us-corps-xi": "4423",
        "jp-hq-south-seas": "4017",
        "jp-army-14": "4715",
        "jp-cv-shokaku": "4715",
        "jp-air-flotilla-24": "4222",
    }
    state = playing(units, {"sr-hq": value}, ("4715", "4017", "4222"))
    table = Table(to_play(state, JAPAN, japan="J-9 J-3"), (0, 0))("event J-9")
    for unit in ("jp-army-14", "jp-cv-shokaku", "jp-air-flotilla-24"):
        table(f"activate {unit}")
    table("done", "pick jp-army-14", "with jp-cv-shokaku", "assault 5708", "done")
    table("battle-with jp-air-flotilla-24 4423", "cover jp-cv-shokaku 5708")
    table("special-reaction 5708", "roll")
    assert table.offers("hq") == hqs


# -- 7.29B


@pytest.mark.parametrize(
    ("value", "drawn"),
    [
        pytest.param("reshuffle-discards", True, id="CP-46-reshuffle"),
        pytest.param("no-draw", False, id="CP-46-other-reading"),
    ],
)
def test_an_event_draw_from_an_empty_deck_follows_the_ruling(value: str, drawn: bool) -> None:
    """5.35, CP-46: the same as in the deal."""
    state = position(clear=False, options={"empty-deck": value})
    state = to_play(state, ALLIED, allied="A-2 A-31")
    deck = replace(state.decks[ALLIED], draw=(), discard=(CardId("A-36"),))
    table = Table(replace(state, decks={**state.decks, ALLIED: deck}))("event A-2")
    assert ("A-36" in table.state.decks[ALLIED].hand) is drawn


@pytest.mark.parametrize(
    ("value", "all_of_them"),
    [
        pytest.param("stepped", True, id="MAP-18-stepped"),
        pytest.param("straight", False, id="MAP-18-other-reading"),
    ],
)
def test_supply_sources_on_stepped_corners_follow_the_ruling(value: str, all_of_them: bool) -> None:
    """6.22, 6.25."""
    state = position({"us-hq-central-pacific": "5808"}, options={"map-corners": value})
    network = supply(state).network(ALLIED)
    edges = board().map_edges
    stepped = {*edges.southwest_staircase, *edges.northeast_staircase, *edges.southeast_staircase}
    wanted = {at for at in board().supply_edges.allied if all_of_them or at not in stepped}
    assert set(network.key.bitsets.ids(network.key.sources)) == wanted
    east = {at for at in board().supply_edges.east if all_of_them or at not in stepped}
    assert set(network.key.bitsets.ids(network.key.east)) == east
    assert stepped & set(board().supply_edges.allied)
