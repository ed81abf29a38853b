"""Attack cards: the sides asked, the cost, and the remaining battle (5.32B, 7.2, C3.6)."""

import pytest
from msgspec.structs import replace

from engine.eots.commands import Pass
from engine.eots.frames import LossFrame
from engine.eots.ids import Side
from engine.eots.position import position_from_state
from engine.eots.ruleset import EOTS
from engine.eots.state import ChinaFront
from engine.kernel.ids import Role
from play.standing_orders import StandingOrders
from tests.engine.eots.positions import Place, position
from tests.engine.eots.table import Table, to_play

SORTIE: dict[str, Place] = {
    "us-hq-southwest-pacific": "3823",
    "us-ca-northampton": "3823",
    "us-ca-new-orleans": "3823",
    "jp-hq-south-seas": "4017",
    "jp-ca-aoba": "3822",
}
"""Two cruisers that can attack Lae."""
SAIL = (
    "oc A-31",
    "activate us-ca-new-orleans",
    "activate us-ca-northampton",
    "done",
    "pick us-ca-new-orleans",
    "with us-ca-northampton",
    "sail 3822",
)


def sortie(japan: str, *faces: int, units: dict[str, Place] | None = None) -> Table:
    """Return the offensive at the intelligence roll, with Japan holding cards that nobody knows."""
    state = position(units or SORTIE, japan=("3822", "4017"), us_rivalry=False)
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13", japan=japan), faces)
    return table(*SAIL).until("7.25", "japan")


@pytest.mark.parametrize("hand", ["J-36 J-9", "J-9 J-23"])
def test_the_question_does_not_depend_on_the_hand(hand: str) -> None:
    """5.32B: a side that could hold an attack card is asked, whether or not it has one."""
    table = sortie(hand, 9)("roll").until("5.32B", "japan")
    assert (table.asked, table.rule) == ("japan", "5.32B")


def test_a_question_for_cards_alone_passes_by_itself() -> None:
    """5.32B: a side without a suitable card need not answer; the intelligence roll is not such a question (7.25)."""
    table = sortie("J-9 J-23", 9)
    orders = StandingOrders()
    roll = EOTS.decision(table.state, Role("japan"))
    assert orders.answer(roll, EOTS.notation, EOTS.turn_name(table.state)) is None
    table("roll").until("5.32B", "japan")
    question = EOTS.decision(table.state, Role("japan"))
    assert question.options == (Pass(),)
    assert orders.answer(question, EOTS.notation, EOTS.turn_name(table.state)) == Pass()


def test_a_question_with_a_fitting_card_is_asked() -> None:
    """5.32B: J-36 may be played."""
    table = sortie("J-36 J-9", 9)("roll").until("5.32B", "japan")
    question = EOTS.decision(table.state, Role("japan"))
    assert question.is_window
    assert StandingOrders().answer(question, EOTS.notation, EOTS.turn_name(table.state)) is None


def test_no_target_no_question() -> None:
    """C3.2: without an active Allied ship nobody could use a submarine."""
    units: dict[str, Place] = {
        "us-hq-southwest-pacific": "3823",
        "us-air-5af": "3823",
        "jp-hq-south-seas": "4017",
        "jp-ca-aoba": "3822",
    }
    state = position(units, japan=("3822", "4017"), us_rivalry=False)
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13", japan="J-36 J-24"), (9, 9, 0))
    table("oc A-31", "activate us-air-5af", "done", "done", "battle-with us-air-5af 3822")
    table.until("7.25", "japan")("roll", "pass")
    assert table.rule != "5.32B"


def test_a_lost_fleet_leaves_no_battle() -> None:
    """7.27, 9.0: if the cards eliminate every attacker, the hex stays a battle hex without a fight."""
    units: dict[str, Place] = {
        **SORTIE,
        "us-ca-northampton": ("3823", 1),
        "us-ca-new-orleans": ("3823", 1),
    }
    table = sortie("J-36 J-75", 9, 0, 4, units=units)("roll").until("5.32B", "japan")
    table("react J-36", "react J-75")
    assert table.offers("hit") == ["hit us-ca-new-orleans", "hit us-ca-northampton"]
    table("hit us-ca-northampton")
    assert table.steps("us-ca-northampton") == 0
    assert table.steps("us-ca-new-orleans") == 0
    assert table.steps("jp-ca-aoba") == 2


@pytest.mark.series("P10")
def test_p10_three_reaction_cards_are_the_limit() -> None:
    """5.32: one after the other in one offensive, whatever their class, but never a fourth."""
    table = sortie("J-4 J-36 J-75 J-86", 9, 9, 0, 0)("react J-4").until("5.32B", "japan")
    table("react J-36", "react J-75")
    assert table.offensive.reaction.events == ("J-4", "J-36", "J-75")
    assert "J-86" in table.state.decks[Side.JAPAN].hand
    assert (table.asked, table.rule) == ("allied", "9.6")


def test_two_steps_of_one_ship() -> None:
    """C3.6: the steps of one card may come from one unit or from two."""
    table = sortie("J-27 J-9", 9, 0, 0, 5)("roll").until("5.32B", "japan")
    assert table.refusals("japan", "react J-27") == ["5.32B"]  # after all battles (OP-17)
    table("pass").until("5.32B", "japan")("react J-27")
    assert isinstance(table.state.frames[-1], LossFrame)
    assert table.refusals("japan", "hit jp-ca-aoba") == ["5.32B"]
    table("hit us-ca-new-orleans", "hit us-ca-new-orleans")
    assert table.steps("us-ca-new-orleans") == 0
    assert table.steps("us-ca-northampton") == 2


def test_a_raid_reaches_bombers_in_the_china_box() -> None:
    """J-76, CP-42: a B29 in China loses a step on 0 to 4, before any reaction."""
    units: dict[str, Place] = {
        "jp-hq-south": "2212",
        "jp-ca-aoba": "2212",
        "us-b29-20bc": "china-box",
        "us-hq-southwest-pacific": "3823",
    }
    state = position(
        units, scenario_id="1944", japan=("2212",), china_front=ChinaFront.STABLE_FRONT
    )
    table = Table(to_play(state, Side.JAPAN, japan="J-76 J-9", allied="A-31"), (4,))
    table("event J-76", "activate jp-ca-aoba", "done", "done")
    assert table.steps("us-b29-20bc") == 1
    assert table.at("us-b29-20bc") == "china-box"


def test_the_card_is_drawn_when_it_is_played() -> None:
    """5.35: the draw happens before the effect, and the drawn card is locked."""
    table = sortie("J-36 J-9", 9)("roll").until("5.32B", "japan")
    before = len(table.state.decks[Side.JAPAN].hand)
    table("react J-36")
    deck = table.state.decks[Side.JAPAN]
    assert len(deck.hand) == before
    assert len(deck.locked) == 1


def test_a_position_may_stand_at_the_choice() -> None:
    """The frame of the choice is complete: a position exported there is valid and offers the same units."""
    table = sortie("J-36 J-9", 9, 0)("roll").until("5.32B", "japan")("react J-36", "pass")
    EOTS.check_position(position_from_state(table.state))
    again = Table(replace(table.state))
    assert again.lines == table.lines == ["hit us-ca-new-orleans", "hit us-ca-northampton"]
