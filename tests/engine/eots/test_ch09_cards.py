"""Effects of cards on battles (9.2-M N5, 9.4-M B2, B3, G1; C4.2 and 6)."""

from typing import Any

import pytest

from engine.eots.cards.modifiers import Combat, card_modifiers, strength_change
from engine.eots.ch09_battle.preview import preview_battle
from engine.eots.deck import cards
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import State
from tests.engine.eots.battlefield import field
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
OPEN, JUNGLE, MALAYA, ISLAND = "2812", "3520", "2015", "4415"
ARMIES: dict[str, Place] = {"jp-army-14": OPEN, "us-corps-i": OPEN}


def at(where: str, *units: str) -> dict[str, Place]:
    return dict.fromkeys(units, where)


def played(
    card: str,
    units: dict[str, Place],
    where: str = OPEN,
    *,
    event: bool = True,
    **more: Any,  # noqa: ANN401  # fields of a battlefield
) -> State:
    """Return a battle in an offensive with a card in force, as offensive or as reaction card."""
    side = cards()[CardId(card)].side
    if cards()[CardId(card)].type == "reaction":
        return field(units, side.enemy, where, reaction_events=[card], **more)
    return field(units, side, where, card=card, event=event, **more)


GROUND = ("jp-army-14", "us-corps-i")
BRIGADE = ("jp-ss-brigade", "us-corps-i")


@pytest.mark.parametrize(
    ("card", "units", "where", "combat", "side", "total"),
    [
        pytest.param("J-3", GROUND, JUNGLE, "ground", JAPAN, 4, id="J-3-jungle"),
        pytest.param("J-3", GROUND, MALAYA, "ground", JAPAN, 4, id="J-3-malaya"),
        pytest.param("J-3", GROUND, OPEN, "ground", JAPAN, 0, id="J-3-open"),
        pytest.param("J-23", BRIGADE, OPEN, "ground", JAPAN, 1, id="J-23-brigade"),
        pytest.param("J-23", GROUND, OPEN, "ground", JAPAN, 0, id="J-23-no-brigade"),
        pytest.param("A-7", GROUND, OPEN, "ground", ALLIED, 2, id="A-7"),
        pytest.param("A-29", GROUND, OPEN, "ground", ALLIED, 1, id="A-29"),
        pytest.param("A-29", GROUND, OPEN, "ground", JAPAN, 0, id="A-29-not-japan"),
        pytest.param("A-37", GROUND, ISLAND, "ground", ALLIED, 2, id="A-37-island"),
        pytest.param("A-37", GROUND, OPEN, "ground", ALLIED, 0, id="A-37-elsewhere"),
        pytest.param("A-26", GROUND, OPEN, "ground", ALLIED, 4, id="A-26-reaction"),
        pytest.param("A-26", GROUND, OPEN, "air_naval", ALLIED, 0, id="A-26-not-at-sea"),
        pytest.param(
            "J-8",
            ("jp-cv-akagi", "cw-bb-warspite"),
            OPEN,
            "air_naval",
            JAPAN,
            1,
            id="J-8-commonwealth",
        ),
        pytest.param(
            "J-8", ("jp-cv-akagi", "us-bb-missouri"), OPEN, "air_naval", JAPAN, 0, id="J-8-us"
        ),
    ],
)
def test_cards_modify_battle_rolls(
    card: str, units: tuple[str, ...], where: str, combat: Combat, side: Side, total: int
) -> None:
    state = played(card, at(where, *units), where)
    assert card_modifiers(state, HexId(where), side, combat).total == total


@pytest.mark.parametrize(
    ("where", "idle", "total"),
    [
        pytest.param("3112", ["jp-cv-akagi"], 1, id="J-32-inactive-near"),
        pytest.param("3112", [], 0, id="J-32-active"),
        pytest.param("3706", ["jp-cv-akagi"], 0, id="J-32-far"),
    ],
)
def test_inactive_carriers_nearby_are_counted_for_j_32(
    where: str, idle: list[str], total: int
) -> None:
    units: dict[str, Place] = {"jp-ca-aoba": OPEN, "us-bb-missouri": OPEN, "jp-cv-akagi": where}
    state = played("J-32", units, idle=idle)
    assert card_modifiers(state, HexId(OPEN), JAPAN, "air_naval").total == total


def test_a_card_played_as_operations_card_has_no_battle_effect() -> None:
    state = played("A-7", ARMIES, event=False)
    assert card_modifiers(state, HexId(OPEN), ALLIED, "ground").total == 0


@pytest.mark.parametrize(
    ("where", "on", "total"),
    [
        pytest.param(ISLAND, True, 1, id="J-31-island"),
        pytest.param(OPEN, True, 0, id="J-31-elsewhere"),
        pytest.param(ISLAND, False, 0, id="J-31-not-in-force"),
    ],
)
def test_defence_doctrine_modifies_ground_combat_permanently(
    where: str, on: bool, total: int
) -> None:
    """9.4-M B3: permanently, in Japanese and Allied offensives."""
    for off in (ALLIED, JAPAN):
        state = field(at(where, *GROUND), off, where, defence_doctrine=on)
        assert card_modifiers(state, HexId(where), JAPAN, "ground").total == total
        rows = {
            m.row: m.value
            for roll in preview_battle(state, HexId(where)).ground
            for m in roll.modifiers
        }
        assert rows.get("B3", 0) == total


def test_ground_modifiers_add_up() -> None:
    """Strategy cards, 6: additive modifiers are summed."""
    state = played("A-37", at(ISLAND, *GROUND), ISLAND, reaction_events=["A-26"])
    assert card_modifiers(state, HexId(ISLAND), ALLIED, "ground").total == 6


def test_final_modifier_replaces_the_doctrine() -> None:
    """Strategy cards, 6: J-3 replaces J-31 as well."""
    state = played("J-3", at(JUNGLE, *GROUND), JUNGLE, defence_doctrine=True)
    stated = card_modifiers(state, HexId(JUNGLE), JAPAN, "ground")
    assert (stated.final, stated.total) == (("J-3", 4), 4)


@pytest.mark.parametrize(
    ("card", "unit", "attack", "defense"),
    [
        pytest.param("J-14", "jp-cv-akagi", 0, 2, id="J-14-cv"),
        pytest.param("J-14", "jp-cvl-zuiho", 0, 0, id="J-14-not-cvl"),
        pytest.param("J-17", "jp-ca-aoba", 2, 0, id="J-17-ca"),
        pytest.param("J-17", "jp-bb-yamato", 0, 0, id="J-17-not-bb"),
        pytest.param("J-25", "us-cve-st-lo", -2, 0, id="J-25-us-carrier"),
        pytest.param("J-25", "cw-cv-victorious", 0, 0, id="J-25-not-commonwealth"),
        pytest.param("J-29", "jp-cvl-zuiho", 2, 0, id="J-29-carrier"),
        pytest.param("J-46", "cw-cv-victorious", 0, 2, id="J-46-allied-carrier"),
        pytest.param("J-47", "jp-ca-aoba", 2, 0, id="J-47-ca"),
        pytest.param("J-83", "jp-cl-tenryu", 2, 0, id="J-83-cl"),
        pytest.param("A-5", "us-air-5af", 0, 2, id="A-5-allied-air"),
        pytest.param("A-5", "jp-air-division-1", 0, 0, id="A-5-not-japan"),
        pytest.param("A-25", "us-corps-i", -1, 0, id="A-25-us-ground"),
        pytest.param("A-36", "us-ca-baltimore", 2, 0, id="A-36-us-ca"),
        pytest.param("A-36", "cw-ca-london", 0, 0, id="A-36-not-commonwealth"),
        pytest.param("A-55", "jp-cve-kaiyo", -2, 0, id="A-55-carrier"),
    ],
)
def test_cards_change_unit_strengths(card: str, unit: str, attack: int, defense: int) -> None:
    state = played(card, {unit: OPEN, **ARMIES})
    change = strength_change(state, UnitId(unit))
    assert (change.attack, change.defense) == (attack, defense)


def test_other_ruling_applies_a_5_to_attack() -> None:
    """CP-05: it also affects attack."""
    state = played(
        "A-5", {"us-air-5af": OPEN, **ARMIES}, options={"a5-bonus": "defence-and-attack"}
    )
    change = strength_change(state, UnitId("us-air-5af"))
    assert (change.attack, change.defense) == (2, 2)
