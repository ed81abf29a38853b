"""Units that take part in a battle, and units that add strength (9.1, 9.11-9.13)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch09_battle.participants import adds_strength, has_no_attackers, participants
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import BattleHex, Mode, Moved, State
from tests.engine.eots.battlefield import field
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
AT = HexId("2812")


def strong(state: State, *units: str) -> list[bool]:
    return [adds_strength(state, AT, UnitId(unit)) for unit in units]


def test_hex_and_joined_take_part() -> None:
    """9.1: all in the hex, and those that joined from outside; HQs have no strength (OPB-6)."""
    units: dict[str, Place] = {
        "us-cv-essex": "3012",
        "us-ca-baltimore": "2812",
        "us-corps-i": "2812",
        "us-air-5af": "3112",
        "jp-hq-south": "2812",
        "jp-army-14": "2812",
    }
    state = field(units, ALLIED, joined={"us-cv-essex": "2812"})
    found = participants(state, AT)
    assert found == ("jp-army-14", "us-ca-baltimore", "us-corps-i", "us-cv-essex")
    assert strong(state, "us-cv-essex", "us-ca-baltimore", "us-air-5af") == [True, True, False]


def test_escorts_are_targets_only() -> None:
    """9.12: a ship stacked outside with a participating carrier."""
    units: dict[str, Place] = {
        "us-cv-essex": "3012",
        "us-ca-baltimore": "3012",
        "us-bb-missouri": "3013",
        "jp-army-14": "2812",
    }
    state = field(units, ALLIED, joined={"us-cv-essex": "2812"})
    assert participants(state, AT) == ("jp-army-14", "us-ca-baltimore", "us-cv-essex")
    assert strong(state, "us-ca-baltimore") == [False]


def test_escort_in_another_battle_hex_fights_there() -> None:
    """9.1-2: no unit takes part in two battles."""
    units: dict[str, Place] = {
        "us-cv-essex": "3012",
        "us-ca-baltimore": "3012",
        "jp-army-14": "2812",
    }
    hexes = {"2812": BattleHex(), "3012": BattleHex()}
    state = field(units, ALLIED, joined={"us-cv-essex": "2812"}, battles=hexes)
    assert participants(state, AT) == ("jp-army-14", "us-cv-essex")
    assert participants(state, HexId("3012")) == ("us-ca-baltimore",)


def test_unit_that_has_fought_stays_out() -> None:
    """9.1-2: the record of the first battle counts."""
    state = field({"us-ca-baltimore": "2812", "jp-army-14": "2812"}, ALLIED)
    assert state.offensive is not None
    fought = {UnitId("us-ca-baltimore"): HexId("3012")}
    again = replace(state, offensive=replace(state.offensive, fought=fought))
    assert participants(again, AT) == ("jp-army-14",)


def test_inactive_units() -> None:
    """9.2A-2, OPB-34: inactive Reaction units fight in the hex; inactive offensive ones can only be hit."""
    units: dict[str, Place] = {
        "us-bb-missouri": "2812",
        "us-air-5af": "2812",
        "jp-ca-aoba": "2812",
        "jp-air-division-1": "2812",
    }
    state = field(units, ALLIED, idle=["us-bb-missouri"])
    assert len(participants(state, AT)) == 4
    assert strong(state, *sorted(units)) == [True, True, True, False]


@pytest.mark.parametrize(
    ("moved", "bombed", "fights"),
    [
        pytest.param(None, False, True, id="9.11-stayed"),
        pytest.param(
            Moved(mode=Mode.AIR_STRATEGIC, origin="3012", path=(AT,), entered_from="2912"),
            False,
            False,
            id="8.33-strategic",
        ),
        pytest.param(
            Moved(mode=Mode.AIR, origin="3012", path=(AT,), entered_from="2912", parentheses=True),
            False,
            False,
            id="9.2A-bracketed-range",
        ),
        pytest.param(None, True, False, id="12.31-bombed"),
    ],
)
def test_who_may_not_fight(moved: Moved | None, bombed: bool, fights: bool) -> None:
    units: dict[str, Place] = {"us-b29-20bc": "2812", "jp-army-14": "2812"}
    moves = {} if moved is None else {"us-b29-20bc": moved}
    bombers = (UnitId("us-b29-20bc"),) if bombed else ()
    state = field(units, ALLIED, moved=moves, bombed_this_turn=bombers)
    assert strong(state, "us-b29-20bc") == [fights]
    assert UnitId("us-b29-20bc") in participants(state, AT)


def test_vanished_battle() -> None:
    """7.27: no unit of the Offensive player is left."""
    units: dict[str, Place] = {"us-cv-essex": "3012", "jp-army-14": "2812"}
    assert not has_no_attackers(field(units, ALLIED, joined={"us-cv-essex": "2812"}), AT)
    assert has_no_attackers(field(units, ALLIED), AT)
