"""Movement: choices and cases that are easily overlooked (8)."""

from msgspec.structs import replace

from engine.eots.ch08_movement.reaction import can_react
from engine.eots.commands import OrganicAssault
from engine.eots.events.units import UnitEliminated, UnitRemoved
from engine.eots.ids import HexId, Side, UnitId
from tests.engine.eots.battlefield import field, march, retreat
from tests.engine.eots.moving import moving, pick, with_battles
from tests.engine.eots.positions import Place, in_offensive, position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED


# -- 8.46


def test_the_player_chooses_the_transporting_ship() -> None:
    """8.46, decision 8.45: the default is the first ship of the stack that can."""
    units = {"jp-ss-brigade": "4017", "jp-ca-aoba": "4017", "jp-cl-tenryu": "4017"}
    state = position(units, japan=["4017"], allied=["4021"])
    for first, second in (("jp-ca-aoba", "jp-cl-tenryu"), ("jp-cl-tenryu", "jp-ca-aoba")):
        game = moving(state, JAPAN, list(units))(*pick("jp-ss-brigade", first, second))
        game(OrganicAssault(to=HexId("4021")))
        assert game.state.offensive is not None
        assert game.state.offensive.moved[UnitId("jp-ss-brigade")].ship == first


# -- 8.41


def test_a_unit_whose_only_exit_is_soviet_territory_is_removed_permanently() -> None:
    """8.41C, 9.5: anywhere else a unit without a hex is eliminated and may be rebuilt."""
    for at, came_from, kind in (("3802", "3803", UnitRemoved), ("4423", "4422", UnitEliminated)):
        beaten = UnitId("jp-army-18")
        moved = {"us-corps-x": march(at, came_from)}
        state = field(
            {"us-corps-x": at, beaten: at}, ALLIED, HexId(at), moved=moved, allied=[came_from]
        )
        assert state.offensive is not None
        orders = replace(state.offensive, retreats={beaten: HexId(at)})
        done = retreat(replace(state, offensive=orders))
        assert [event.unit for event in done.all(kind)] == [beaten]


# -- 7.26, 8.45A


def test_a_second_landing_unit_cannot_be_activated_in_reaction() -> None:
    """7.26: a unit that cannot take part may not be activated; one ASP carries one division or brigade."""
    units: dict[str, Place] = {
        "us-hq-central-pacific": "5808",
        "us-marine-1-division": "5808",
        "us-marine-2-division": "5808",
        "jp-army-14": "5708",
        "jp-sn-1": "4017",
        "jp-hq-south-seas": "4017",
    }
    state = position(units, japan=["5708", "4017"], us_rivalry=False, allied_asp=3)
    begun = in_offensive(
        state,
        JAPAN,
        activated=["jp-army-14"],
        reaction_hq="us-hq-central-pacific",
        reacting=["us-marine-1-division"],
        step=8,
    )
    answering = with_battles(begun, ["5708"])
    assert not can_react(answering, UnitId("us-marine-2-division"))
    assert answering.offensive is not None
    reaction = replace(answering.offensive.reaction, activated=())
    first = replace(answering, offensive=replace(answering.offensive, reaction=reaction))
    assert can_react(first, UnitId("us-marine-2-division"))


def test_all_brigades_with_organic_transport_may_react() -> None:
    """8.46: the limit of one point does not apply to organic transport."""
    units: dict[str, Place] = {
        "jp-hq-south-seas": "4017",
        "jp-sn-1": "4017",
        "jp-sn-2": "4017",
        "jp-sn-3": "4017",
        "jp-ca-aoba": "4017",
        "jp-apd-kamikaze": "4017",
        "us-corps-xi": "4021",
    }
    state = position(units, japan=["4017", "4021"])
    acting = ["jp-ca-aoba", "jp-apd-kamikaze", "jp-sn-1", "jp-sn-2"]
    begun = in_offensive(state, ALLIED, activated=["us-corps-xi"], reacting=acting, step=8)
    answering = with_battles(begun, ["4021"])
    assert can_react(answering, UnitId("jp-sn-3"))  # the third for one point
    assert answering.offensive is not None
    spent = replace(answering.offensive.reaction, asp_spent=1)
    last = replace(answering, offensive=replace(answering.offensive, reaction=spent))
    assert not can_react(last, UnitId("jp-sn-3"))
