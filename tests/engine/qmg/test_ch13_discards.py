"""Total War: hands, the Discard step, replaced cards, Air Forces on the map (13.1, 13.2)."""

from engine.kernel.dice import DerivedDice
from engine.qmg.deck import CARDS, deck_list
from engine.qmg.events import CardsMoved, VpChanged
from engine.qmg.ids import COUNTRIES
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine.qmg.table import Table, air_step


def opened(scenario: str) -> State:
    """Return a game before the discards from the first hands."""
    dice = DerivedDice(bytes(32), 0)
    return QMG.fold(QMG.initial_state(), QMG.open_game(QMG.position(scenario, {}), dice))


def discard_step(*lines: str, scenario: str = "total-war") -> Table:
    table = Table(scenario, "active italy", "homes", *lines)
    table.until("8.2", "italy")
    table.default()
    return table


def lost(table: Table) -> list[VpChanged]:
    return [
        event
        for event in table.events
        if isinstance(event, VpChanged) and event.why == "discard-step"
    ]


# -- 13.1


def test_13_1_first_hands_of_twelve_of_which_five_go() -> None:
    state = opened("total-war")
    assert [len(state.cards_of(country).hand) for country in COUNTRIES] == [12] * 6
    for _ in range(5 * 6):
        role = QMG.active_roles(state)[0]
        command = QMG.decision(state, role).default
        state = QMG.fold(state, QMG.decide(state, role, command, DerivedDice(bytes(32), 1)))
    assert [len(state.cards_of(country).hand) for country in COUNTRIES] == [7] * 6
    assert [len(state.cards_of(country).discard) for country in COUNTRIES] == [5] * 6
    assert not any(state.cards_of(country).face_up for country in COUNTRIES)  # face down
    base = opened("base")
    assert [len(base.cards_of(country).hand) for country in COUNTRIES] == [10] * 6


def test_13_1_an_air_step_comes_between_play_and_supply_step_and_only_here() -> None:
    table = air_step("piece germany air germany", "hand germany de_plunder de_the_autobahn")
    table.expect("step air")
    base = Table("base", "active germany", "homes", "hand germany de_plunder de_the_autobahn")
    base.default()
    base.expect("step discard")


def test_13_1_reallocation_costs_three_cards_and_is_always_in_use() -> None:
    hand = "hand germany " + " ".join(f"de_land_battle#{n}" for n in range(1, 6))
    table = Table("total-war", "active germany", "homes", hand)
    table.until("8.2", "germany")
    table("germany: reallocate")
    for _ in range(3):
        assert table.rule == "9.4"
        table(f"germany: {table.options('germany', 'discard')[0]}")
    assert table.rule == "8.3"
    base = Table("base", "active germany", "homes", hand)
    assert "8.3" in base.refused("germany: reallocate")


def test_13_1_no_discard_in_the_discard_step_costs_a_point_8_4() -> None:
    table = discard_step("hand italy it_plunder it_build_army#1")
    table.until("8.4", "italy")
    table("italy: done")
    assert lost(table) == [VpChanged(team="axis", amount=-1, why="discard-step")]


def test_13_1_one_discarded_card_is_enough() -> None:
    table = discard_step("hand italy it_plunder it_build_army#1 it_build_navy#1")
    table.until("8.4", "italy")
    card = table.options("italy", "discard")[0]
    table(f"italy: {card}")
    assert "done" in table.options("italy")
    table("italy: done")
    assert not lost(table)


def test_18_13_an_empty_hand_in_the_discard_step_costs_a_point_and_no_card_of_the_deck() -> None:
    table = discard_step("hand italy it_plunder")
    table.until_window("turn_begin") if table.rule == "10.4" else None
    while not lost(table):
        table.default()
    moved = [
        event
        for event in table.events
        if isinstance(event, CardsMoved)
        and event.country == "italy"
        and event.source == "deck"
        and event.to == "discard-bottom"
    ]
    assert moved == []


def test_13_1_the_base_game_asks_for_nothing_in_the_discard_step() -> None:
    table = discard_step("hand italy it_plunder it_build_army#1", scenario="base")
    table("italy: done")
    assert not lost(table)


# -- 3.2 as 13.1 has it: replaced cards


def test_13_1_replacements_are_in_and_what_they_replace_is_out() -> None:
    for country in COUNTRIES:
        deck = {card.partition("#")[0] for card in deck_list(country, total_war=True)}
        base = {card.partition("#")[0] for card in deck_list(country, total_war=False)}
        assert not deck & {card.replaces for card in CARDS.values() if card.replaces}
        assert not {card for card in base if CARDS[card].set != "base"}
    sizes = {country: len(deck_list(country, total_war=True)) for country in COUNTRIES}
    assert sizes == {
        "germany": 68,
        "italy": 54,
        "japan": 62,
        "ussr": 58,
        "uk": 66,
        "usa": 72,
    }
    usa = {card.partition("#")[0] for card in deck_list("usa", total_war=True)}
    uk = {card.partition("#")[0] for card in deck_list("uk", total_war=True)}
    assert "us_te_ledo_and_burma_roads" in usa  # out of the UK's deck, into that of the USA
    assert "us_free_french_allies" not in usa
    assert "uk_te_free_french_allies" in uk  # and vice versa
    assert "uk_ledo_and_burma_roads" not in uk


# -- 13.2


def test_13_2_air_power_and_bolsters_are_never_played_but_may_be_dropped() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "hand germany de_tw_air_power#1 de_tw_admiral_graf_spee de_plunder",
    )
    table.until("8.2", "germany")
    for card in ("de_tw_air_power#1", "de_tw_admiral_graf_spee#1"):
        assert table.refused(f"germany: play {card}") == ["13.2"]
    table("germany: drop de_tw_air_power#1")
    table.expect("discards germany 1", "no face-up de_tw_air_power#1")


def test_13_2_a_bolster_in_anothers_turn_leaves_fewer_cards_in_hand() -> None:
    """Japan uses Code of Bushido in the Soviet turn: two cards fewer, and no draw before Japan's own step."""
    hand = "hand japan jp_tw_code_of_bushido jp_kamikaze " + " ".join(
        f"jp_build_navy#{n}" for n in range(1, 6)
    )
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece japan army vladivostok",
        "piece ussr army siberia",
        "hand ussr su_land_battle#1 su_moscow",
        hand,
    )
    table.until("8.2", "ussr")
    table("ussr: play su_land_battle#1", "ussr: battle ussr vladivostok japan")
    table.until_window("battled", "japan")
    table("japan: use jp_tw_code_of_bushido#1", "japan: discard jp_kamikaze#1")
    table.until("8.4", "ussr")
    table.expect("piece japan army vladivostok", "hand japan 5")
    table.finish_turn()
    table.expect("hand japan 5")


def test_13_2_a_bolster_never_counts_towards_its_own_cost() -> None:
    """Carry On with one other card pays with that card; alone it pays from the deck (9.4)."""
    lines = (
        "active germany",
        "homes",
        "status germany de_conscription",
        "hand germany de_plunder de_the_autobahn",
    )
    table = Table("total-war", *lines, "hand uk uk_tw_keep_calm_and_carry_on")
    table.until("8.2", "germany")
    table("germany: use de_conscription#1", "uk: use uk_tw_keep_calm_and_carry_on#1")
    table.expect("hand uk 0", "deck uk -1", "discards uk 2", "top uk_tw_keep_calm_and_carry_on#1")
