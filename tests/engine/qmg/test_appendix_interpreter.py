"""Cards as steps (A)."""

from engine.qmg.deck import CARD, CARDS
from engine.qmg.deck_steps import STEP_LISTS
from tests.engine.qmg.table import Table, moved, told


def test_a_1_5_a_reference_to_a_declined_step_is_unset() -> None:
    """Shoot First: without the Navy there is no adjacent sea space to battle."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece usa army western_us",
        "hand usa us_tw_shoot_first_and_argue_afterwards us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_shoot_first_and_argue_afterwards#1")
    assert "build usa navy east_pacific" in table.options("usa")
    table("usa: done")
    assert table.rule != "7.4"
    assert "BattleFought" not in table.kinds()


def test_a_1_7_two_hand_parts_of_a_cost_must_be_different_cards() -> None:
    """Vitebsk Gate with two Build Army cards: one is the named part, the other is one of the other two cards."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece germany army russia",
        "hand ussr su_tw_vitebsk_gate su_build_army#1 su_build_army#2 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_moscow#1")
    table.until_window("victory_step_begin", "ussr")
    table("ussr: use su_tw_vitebsk_gate#1", "ussr: discard su_build_army#1")
    paid = moved(table, country="ussr", why="cost")
    assert [(event.source, len(event.cards)) for event in paid] == [
        ("hand", 1),
        ("hand", 1),
        ("deck", 1),
    ]
    assert table.options("ussr", "eliminate") == ["eliminate germany army russia"]


def test_a_2_every_operation_in_the_data_has_a_named_step_list() -> None:
    assert all(name.split(":")[0] in CARDS for name in STEP_LISTS)
    assert CARD["de_plunder#1"].on_play() is not None


def test_a_2_the_deck_is_shuffled_after_every_search() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "deck-top germany de_v_weapons",
        "hand germany de_tw_strategic_planning de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_tw_strategic_planning#1", "germany: take de_broad_front#1")
    table("germany: done")
    assert table.rule == "9.4"  # then a card is discarded; this cannot be declined
    assert "done" not in table.options("germany")
    assert table.state.cards_of("germany").deck_top == ()
    assert "Broad Front" not in told(table, "uk")


def test_a_4_last_refers_to_the_last_piece_that_supply_removes() -> None:
    """Battle of Moscow answers only the last Army, because supply removals happen one after the other."""
    table = Table(
        "total-war",
        "active ussr",
        "piece ussr army russia siberia",
        "piece germany army moscow",
        "hand ussr su_tw_battle_of_moscow su_build_army#1 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_moscow#1")
    table.until("6.6", "ussr")
    table("ussr: remove ussr army russia")
    while table.rule == "10.4" and table.trigger.kind == "about_to_be_removed":
        table.default()
    assert table.trigger.kind == "removed"
    assert table.trigger.last
    assert table.options("ussr", "use") == ["use su_tw_battle_of_moscow#1"]
    table("ussr: use su_tw_battle_of_moscow#1", "ussr: discard su_build_army#1")
    table("ussr: eliminate germany army moscow")
    table.expect("no piece germany army moscow")
