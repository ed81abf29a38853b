"""Attack cards: the sides asked, the cost, and the remaining battle (5.32B, 7.2, C3.6)."""

import pytest
from msgspec.structs import replace

from engine.eots.ids import Side
from engine.eots.position import position_from_state
from engine.eots.ruleset import EOTS
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


@pytest.mark.series("P10")
def test_p10_at_most_three_reaction_cards_per_offensive() -> None:
    """5.32: one after the other in one offensive, whatever their class, but never a fourth."""
    table = sortie("J-4 J-36 J-75 J-86", 9, 9, 0, 0)("react J-4").until("5.32B", "japan")
    table("react J-36", "react J-75")
    assert table.offensive.reaction.events == ("J-4", "J-36", "J-75")
    assert "J-86" in table.state.decks[Side.JAPAN].hand
    assert (table.asked, table.rule) == ("allied", "9.6")


def test_a_position_is_valid_during_an_attack_card_choice() -> None:
    """The frame of the choice is complete: a position exported there is valid and offers the same units."""
    table = sortie("J-36 J-9", 9, 0)("roll").until("5.32B", "japan")("react J-36", "pass")
    EOTS.check_position(position_from_state(table.state))
    again = Table(replace(table.state))
    assert again.lines == table.lines == ["hit us-ca-new-orleans", "hit us-ca-northampton"]
