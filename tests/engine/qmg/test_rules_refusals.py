"""Refusals name the rule that forbids a command, for any country and any open question (4.2, 8.2, 8.3)."""

import pytest

from engine.kernel.errors import IllegalCommandError
from tests.engine.qmg.table import Table


@pytest.mark.parametrize(
    ("card", "line", "rules"),
    [
        pytest.param("de_build_army", "battle germany balkans -", ["7.1", "7.4"], id="7.4-build"),
        pytest.param("de_build_army", "recruit germany army italy", ["7.1", "7.3"], id="7.3-build"),
        pytest.param("de_land_battle", "build germany army italy", ["7.4", "7.1"], id="7.1-battle"),
        pytest.param(
            "de_land_battle", "designate germany army germany", ["7.4", "7.6"], id="7.6-battle"
        ),
        pytest.param("de_land_battle", "play de_plunder#1", ["7.4"], id="8.2-battle"),
    ],
)
def test_7_an_action_not_allowed_by_the_card_is_refused(
    card: str, line: str, rules: list[str]
) -> None:
    table = Table("base", "active germany", "homes", f"hand germany {card} de_plunder")
    table(f"germany: play {card}#1")
    assert table.refused(f"germany: {line}") == rules


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        pytest.param("germany: play de_build_army#1", "8.2", id="8.2-a-second-card"),
        pytest.param("germany: drop de_build_army#1", "8.2", id="8.2-a-second-drop"),
        pytest.param("germany: reallocate", "8.3", id="8.3-after-the-card"),
        pytest.param("germany: use de_conscription#1", "10.4", id="8.2-alternative-after-the-card"),
        pytest.param("germany: withdraw usa army eastern_us", "4.2", id="4.2-in-the-discard-step"),
        pytest.param("germany: discard de_plunder#1", "8.4", id="8.4-not-in-hand"),
    ],
)
def test_commands_not_allowed_in_the_discard_step_are_refused(line: str, rule: str) -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "hand germany de_plunder de_build_army",
        "status germany de_conscription",
        options={"reallocate": "on"},
    )
    table("germany: play de_plunder#1")
    assert table.rule == "8.4"
    assert rule in table.refused(line)


def test_3_1_putting_back_too_many_cards_is_refused() -> None:
    table = Table("base")
    for _ in range(3):
        table(f"uk: {table.options('uk')[0]}")
    card = table.state.cards_of("uk").hand[0]
    assert table.refused(f"uk: discard {card}") == ["9.6", "3.1"]


def test_8_3_reallocation_without_a_wanted_card_may_empty_the_deck() -> None:
    """8.3: the discards stay discarded. Without any card left, nothing can be paid."""
    hand = "hand italy it_afrika_korps it_monte_cassino it_skilled_pilots"
    table = Table("total-war", "active italy", "homes", "no-deck italy", hand)
    table.until("8.2", "italy")
    table("italy: reallocate")
    while table.rule == "9.4":
        table.default()
    table.expect("hand italy 0", "vp axis 0")
    assert table.rule == "8.2"
    table = Table("total-war", "active italy", "homes", "no-deck italy")
    table.until("8.2", "italy")
    assert "8.3" in table.refused("italy: reallocate")
    assert table.options("italy") == ["lose-point"]


def test_8_4_only_cards_discarded_in_the_discard_step_score() -> None:
    """8.4: the Build Army card that Fortress Rebuilt costs at the beginning of the step scores no point."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "hand ussr su_tw_fortress_rebuilt su_build_army su_land_battle",
        "discard ussr su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_land_battle#1")
    table.until_window("discard_step_begin", "ussr")
    before = table.vp()[1]
    table("ussr: use su_tw_fortress_rebuilt#1", "ussr: discard su_build_army#1")
    table("ussr: take su_moscow#1")
    table.finish_turn()
    table.expect("laid su_moscow#1")
    assert table.vp()[1] == before - 1


@pytest.mark.parametrize(
    ("line", "rules", "words"),
    [
        pytest.param(
            "play de_tw_air_power", ["13.2"], "cannot be played in the Play step", id="13.2-no-play"
        ),
        pytest.param(
            "use de_wolf_packs", ["9.2"], "must first be face up on the table", id="9.2-in-hand"
        ),
        pytest.param("play de_plunder", ["9.1"], "de_plunder#1", id="9.1-the-copy-is-missing"),
        pytest.param("play de_build_navy", ["8.2"], "Build Navy is not in hand", id="8.2-not-held"),
    ],
)
def test_a_card_named_without_its_copy_number_is_refused_with_a_hint(
    line: str, rules: list[str], words: str
) -> None:
    """The reason refers to the copy in hand; it does not say that there is no such card."""
    hand = "hand germany de_plunder de_tw_air_power#2 de_wolf_packs"
    table = Table("total-war", "active germany", "homes", hand)
    table.until("8.2", "germany")
    with pytest.raises(IllegalCommandError) as refused:
        table(f"germany: {line}")
    found = refused.value.refusals
    assert [refusal.rule for refusal in found][: len(rules)] == rules
    assert words in " ".join(refusal.text for refusal in found)
