"""The battle board names all units that would take part (9.1)."""

from engine.eots.ids import Side
from engine.eots.view import project_state
from tests.engine.eots.positions import position
from tests.engine.eots.table import Table, to_play
from tui.eots.battle.text_board import battle_lines
from tui.eots.index import build_index


def test_board_lists_ships_already_in_the_hex() -> None:
    """9.1, 9.12, OPB-34: units that were there, that arrive, that strike from outside, and that are only targets."""
    units = {
        "us-hq-southwest-pacific": "3823",
        "us-ca-northampton": "3823",
        "us-air-5af": "3823",
        "jp-hq-south-seas": "4017",
        "jp-ca-aoba": "3822",
        "jp-ca-takao": "3822",
    }
    state = to_play(position(units, japan=("3822", "4017")), Side.ALLIED, allied="A-31 A-13")
    table = Table(state)("oc A-31", "activate us-air-5af", "done", "done")
    table("battle-with us-air-5af 3822").until("7.25")
    lines = battle_lines(build_index(project_state(table.state, Side.ALLIED)))
    start = lines.index("Battle in 3822 Lae: declared")
    assert lines[start + 1 : start + 6] == (
        "  Allied:",
        "    5AF Air 10-10 r2/4, from 3823 Port Moresby",
        "  Japan:",
        "    CA Aoba 12-10",
        "    CA Takao 12-10",
    )
