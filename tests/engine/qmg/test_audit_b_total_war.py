"""Total War word by word: Air step, Air Forces, France and China, Bolsters, replaced cards, Discard step (13)."""

import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.deck import CARD, CARDS, deck_list
from engine.qmg.events import CardsMoved, PieceRemoved, VpChanged
from engine.qmg.frames import WindowFrame
from engine.qmg.ids import COUNTRIES
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine.qmg.table import Table

BASIC = {"germany": "de", "uk": "uk", "japan": "jp", "ussr": "su", "italy": "it", "usa": "us"}


def opened(scenario: str) -> State:
    """Return a game before its first hands are thinned out."""
    dice = DerivedDice(bytes(32), 0)
    return QMG.fold(QMG.blank(), QMG.start(QMG.position(scenario, {}), dice))


def air_step(*lines: str, country: str = "germany", drop: str = "") -> Table:
    """Return a country at its Air step, after a card was dropped in the Play step."""
    table = Table("total-war", f"active {country}", "homes", *lines)
    table.until("8.2", country)
    if drop:
        table(f"{country}: drop {drop}")
    else:
        table.default()
    table.until("13.3", country)
    return table


# -- 13.1


def test_13_1_first_hands_of_twelve_of_which_five_go() -> None:
    state = opened("total-war")
    assert [len(state.cards_of(country).hand) for country in COUNTRIES] == [12] * 6
    for _ in range(5 * 6):
        role = QMG.asked(state)[0]
        command = QMG.decision(state, role).default
        state = QMG.fold(state, QMG.decide(state, role, command, DerivedDice(bytes(32), 1)))
    assert [len(state.cards_of(country).hand) for country in COUNTRIES] == [7] * 6
    assert [len(state.cards_of(country).discard) for country in COUNTRIES] == [5] * 6
    assert not any(state.cards_of(country).open for country in COUNTRIES)  # face down
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
    assert "uk_te_free_french_allies" in uk  # and the other way round
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


def test_13_2_nothing_but_such_cards_means_one_of_them_is_discarded() -> None:
    table = Table(
        "total-war", "active germany", "homes", "hand germany de_tw_air_power#1 de_tw_the_blitz"
    )
    table.until("8.2", "germany")
    assert table.options("germany", "play") == []
    assert table.options("germany", "discard-top") == []  # only with an empty hand
    assert table.refused("germany: discard-top") == ["8.2"]


def test_13_2_a_bolster_in_anothers_turn_leaves_fewer_cards_in_hand() -> None:
    """Japan's Code of Bushido in the Soviet turn: two cards fewer, and no draw before Japan's own step."""
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
    """Carry On with one card beside it pays with that one; alone it pays from the deck (9.4)."""
    lines = (
        "active germany",
        "homes",
        "status germany de_conscription",
        "hand germany de_plunder de_the_autobahn",
    )
    table = Table("total-war", *lines, "hand uk uk_tw_keep_calm_and_carry_on")
    table.until("8.2", "germany")
    table("germany: use de_conscription#1", "uk: use uk_tw_keep_calm_and_carry_on#1")
    table.expect("hand uk 0", "deck uk 64", "discards uk 2", "top uk_tw_keep_calm_and_carry_on#1")


def test_13_2_a_named_cost_needs_that_very_type() -> None:
    """Only a Response in hand pays for Code of Bushido; without one it is not offered (9.5)."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece japan army vladivostok",
        "piece ussr army siberia",
        "hand ussr su_land_battle#1 su_moscow",
        "hand japan jp_tw_code_of_bushido jp_build_army#1",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_land_battle#1", "ussr: battle ussr vladivostok japan")
    table.until_window("battled", "japan")
    assert table.options("japan") == ["pass"]
    assert table.refused("japan: use jp_tw_code_of_bushido#1") == ["9.5", "10.4"]


def test_13_2_a_bolster_on_the_own_play_step_leaves_the_action_to_take_16_4() -> None:
    table = Table(
        "total-war",
        "active japan",
        "homes",
        "piece japan navy east_china_sea",
        "hand japan jp_tw_yamamoto_aboard_the_yamato jp_kamikaze jp_build_army#1",
    )
    table.until_window("play_step_begin", "japan")
    table("japan: use jp_tw_yamamoto_aboard_the_yamato#1", "japan: discard jp_kamikaze#1")
    table("japan: deploy japan east_china_sea")
    table.until("8.2", "japan")
    assert "play jp_build_army#1" in table.options("japan")


# -- 13.3


def test_13_3_one_action_and_no_second_one() -> None:
    table = air_step(
        "piece germany army ukraine",
        "piece germany air germany",
        "hand germany de_tw_air_power#1 de_tw_air_power#2 de_plunder de_the_autobahn",
        drop="de_plunder#1",
    )
    table("germany: deploy germany ukraine")
    while table.rule == "10.4":
        table.default()
    assert table.rule != "13.3"


def test_13_3_after_the_own_action_only_the_minor_forces_marshal_is_left() -> None:
    table = air_step(
        "piece france air western_europe",
        "piece uk air united_kingdom",
        "hand uk uk_tw_air_power#1 uk_build_army#1 uk_build_army#2 uk_singapore",
        country="uk",
        drop="uk_singapore#1",
    )
    table("uk: superiority uk united_kingdom north_sea -")
    table.until("13.3", "uk")
    assert table.options("uk") == ["marshal france western_europe western_europe", "done"]
    assert table.refused("uk: marshal uk united_kingdom united_kingdom") == ["13.3"]
    table("uk: marshal france western_europe western_europe")
    table.until("9.4", "uk")
    table(f"uk: {table.options('uk', 'discard')[0]}")
    while table.rule == "10.4":
        table.default()
    assert table.rule == "8.4"


@pytest.mark.parametrize(
    ("order", "rule"),
    [
        pytest.param("deploy france western_europe", "13.3", id="13.3-only-own-deploy"),
        pytest.param("deploy germany germany", "13.3", id="13.3-no-enemy-piece"),
        pytest.param("marshal china china china", "13.3", id="13.3-china-is-marshaled-by-the-usa"),
        pytest.param("deploy uk canada", "13.4", id="13.4-only-with-an-own-piece"),
        pytest.param("deploy uk united_kingdom", "13.4", id="13.4-one-in-a-space"),
        pytest.param("deploy uk north_sea", "13.4", id="13.4-only-with-a-supplied-piece"),
        pytest.param("marshal uk united_kingdom north_sea", "13.4", id="13.4-goal-out-of-supply"),
        pytest.param("marshal uk canada united_kingdom", "13.3", id="13.3-no-air-force-there"),
        pytest.param("superiority uk united_kingdom italy -", "13.3", id="13.3-not-adjacent"),
        pytest.param("superiority uk canada north_sea -", "13.3", id="13.3-no-air-force-to-use"),
        pytest.param(
            "superiority uk united_kingdom north_sea -", "13.3", id="13.3-an-enemy-is-there"
        ),
    ],
)
def test_13_3_refusals(order: str, rule: str) -> None:
    table = air_step(
        "piece germany navy north_sea",
        "piece germany army western_europe",
        "no-piece france army western_europe",
        "piece germany air north_sea",
        "piece uk air united_kingdom",
        "piece uk army india",
        "piece uk army canada",
        "hand uk uk_tw_air_power#1 uk_build_army#1 uk_singapore",
        country="uk",
        drop="uk_singapore#1",
    )
    assert table.refused(f"uk: {order}")[0] == rule


def test_13_3_the_pool_of_air_forces_is_a_hard_limit_4_3() -> None:
    table = air_step(
        "piece italy army balkans",
        "piece italy air balkans",
        "hand italy it_tw_air_power#1 it_build_army#1 it_plunder",
        country="italy",
        drop="it_plunder#1",
    )
    assert table.options("italy", "deploy") == []
    assert table.refused("italy: deploy italy italy") == ["4.3"]


def test_13_3_marshal_and_superiority_need_a_supplied_air_force() -> None:
    table = air_step(
        "piece germany army africa",
        "piece germany air africa",
        "hand germany de_tw_air_power#1 de_build_army#1 de_plunder",
        drop="de_plunder#1",
    )
    assert table.options("germany") == ["deploy germany germany", "done"]
    assert table.refused("germany: marshal germany africa germany") == ["13.3"]
    assert table.refused("germany: superiority germany africa north_africa -") == ["13.3"]


def test_13_3_an_air_power_card_pays_for_a_marshal_16_14() -> None:
    """Marshal costs any hand card, Air Power included, and goes to a space that is not adjacent."""
    table = air_step(
        "piece germany army ukraine",
        "piece germany air germany",
        "hand germany de_tw_air_power#1 de_plunder de_build_army#1",
        drop="de_plunder#1",
    )
    assert "ukraine" not in {"balkans", "baltic_sea", "eastern_europe", "italy", "western_europe"}
    table("germany: marshal germany germany ukraine", "germany: discard de_tw_air_power#1")
    table.expect("piece germany air ukraine", "no face-up de_tw_air_power#1", "hand germany 1")


def test_13_3_marshal_with_an_empty_hand_pays_from_the_deck_18_12() -> None:
    table = air_step("piece germany air germany", "hand germany de_plunder", drop="de_plunder#1")
    table.expect("hand germany 0", "deck germany 67")
    table("germany: marshal germany germany germany")
    paid = [
        event for event in table.events if isinstance(event, CardsMoved) and event.why == "marshal"
    ]
    assert [(event.source, len(event.cards)) for event in paid] == [("deck", 1)]


def test_13_3_deploying_and_staying_both_set_triggers_off() -> None:
    """Ju 87 answers a Marshal to the own space, of own Air Forces alone."""
    table = air_step(
        "piece germany air germany",
        "hand germany de_tw_ju_87 de_plunder de_build_army#1 de_build_army#2",
        drop="de_plunder#1",
    )
    table("germany: marshal germany germany germany")
    table("germany: discard de_build_army#1")
    assert (table.trigger.kind, table.trigger.space) == ("air_deployed_or_marshaled", "germany")
    assert table.options("germany", "use") == ["use de_tw_ju_87#1"]


def test_13_3_superiority_over_an_empty_space_sets_triggers_off() -> None:
    table = air_step(
        "piece japan navy central_pacific east_china_sea",
        "piece japan army iwo_jima",
        "piece japan air iwo_jima",
        "hand japan jp_tw_air_power#1 jp_tw_tora_tora_tora jp_kamikaze jp_build_army#1",
        country="japan",
        drop="jp_build_army#1",
    )
    table("japan: superiority japan iwo_jima north_pacific -")
    table.until_window("air_superiority_gained", "japan")
    assert (table.trigger.space, table.trigger.against) == ("north_pacific", "")
    table("japan: use jp_tw_tora_tora_tora#1", "japan: discard jp_kamikaze#1")
    assert table.options("japan") == ["battle japan north_pacific -", "done"]


def test_13_3_of_several_enemies_one_air_force_is_chosen() -> None:
    table = air_step(
        "piece germany army ukraine",
        "piece germany air germany",
        "piece uk navy baltic_sea",
        "piece usa navy baltic_sea",
        "piece uk air baltic_sea",
        "piece usa air baltic_sea",
        "hand germany de_tw_air_power#1 de_plunder de_build_army#1",
        drop="de_plunder#1",
    )
    found = [line for line in table.options("germany", "superiority") if "baltic" in line]
    assert found == [
        "superiority germany germany baltic_sea uk",
        "superiority germany germany baltic_sea usa",
    ]
    table("germany: superiority germany germany baltic_sea usa")
    table.expect("no piece usa air baltic_sea", "piece uk air baltic_sea")


def test_13_3_nothing_is_the_default() -> None:
    table = air_step("piece germany air germany", "hand germany de_plunder de_the_autobahn")
    assert table.default() == "germany: done"


def test_13_3_a_card_that_deploys_needs_no_air_power_but_the_same_place() -> None:
    """Eagle Squadrons: the UK chooses, with an own supplied piece."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece uk army canada",
        "hand usa us_tw_eagle_squadrons us_build_army#1 us_theater_shift",
    )
    table.until_window("air_step_begin", "usa")
    table("usa: use us_tw_eagle_squadrons#1")
    while table.rule == "10.4":
        table.default()
    assert table.asked == ("uk",)
    assert table.options("uk") == ["deploy uk united_kingdom", "done"]
    table("uk: deploy uk united_kingdom")
    table.expect("piece uk air united_kingdom")


# -- 13.4


def test_13_4_no_second_air_force_of_a_force_in_a_space_but_friends_share() -> None:
    table = air_step(
        "piece germany air germany",
        "piece italy army germany",
        "hand italy it_tw_air_power#1 it_build_army#1 it_plunder",
        country="italy",
        drop="it_plunder#1",
    )
    assert "deploy italy germany" in table.options("italy")
    table("italy: deploy italy germany")
    table.expect("piece italy air germany", "piece germany air germany")


def test_13_4_the_default_of_a_reposition_is_the_first_space_by_id() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece ussr army ukraine russia",
        "piece ussr air ukraine",
    )
    table("ussr: withdraw ussr army ukraine")
    assert table.rule == "13.4"
    assert table.options("ussr") == ["reposition ussr russia", "reposition ussr moscow"]
    assert table.default() == "ussr: reposition ussr moscow"


def test_13_4_a_reposition_is_mandatory_and_only_to_a_supplied_own_piece() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece ussr army ukraine russia kazakhstan",
        "piece ussr air ukraine",
        "no-piece ussr army kazakhstan",
        "piece ussr army eastern_europe",
        "piece japan army kazakhstan",
    )
    table("ussr: withdraw ussr army ukraine")
    assert table.options("ussr") == [
        "reposition ussr eastern_europe",
        "reposition ussr russia",
        "reposition ussr moscow",
    ]
    assert table.refused("ussr: done") == ["13.4"]
    assert table.refused("ussr: reposition ussr kazakhstan") == ["13.4"]
    assert table.refused("ussr: reposition ussr siberia") == ["13.4"]


def test_13_4_a_reposition_is_no_deployment_a_4() -> None:
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece ussr army ukraine",
        "piece ussr air ukraine",
        "hand ussr su_tw_paratroops su_build_army#1 su_build_army#2",
    )
    table("ussr: withdraw ussr army ukraine")
    table.expect("piece ussr air moscow")
    assert not [
        frame
        for frame in table.state.frames
        if isinstance(frame, WindowFrame) and frame.trigger.kind == "air_deployed_or_marshaled"
    ]


def test_13_4_the_reposition_comes_before_the_removal_is_answered() -> None:
    """The Air Force has gone to Germany when Romanian Reinforcements may be used."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece germany army eastern_europe",
        "piece germany air eastern_europe",
        "piece ussr army russia",
        "hand ussr su_land_battle#1 su_moscow",
        "response italy it_romanian_reinforcements",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_land_battle#1", "ussr: battle ussr eastern_europe germany")
    table.until_window("about_to_be_removed", "germany")
    table("germany: pass")
    table.until_window("removed", "italy")
    table.expect("piece germany air germany", "no piece germany air eastern_europe")


def test_13_4_an_air_force_is_in_supply_with_its_piece_and_never_removed_for_want_of_it() -> None:
    """Out of supply, the Army goes in the Supply step, and the Air Force goes to a neighbour."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army russia",
        "piece germany air russia",
        "hand germany de_plunder de_the_autobahn",
    )
    table.expect("no supplied germany air russia")
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    table.until("8.4", "germany")
    assert PieceRemoved(force="germany", piece="army", space="russia", why="supply") in table.events
    table.expect("no piece germany air russia")
    assert (
        PieceRemoved(force="germany", piece="air", space="russia", why="stranded") in table.events
    )


def test_13_4_eliminations_of_air_forces_may_be_stopped_but_not_air_attacks_18_28() -> None:
    """The RAF saves an Air Force from the SAS's kind of raid; here from the Mitsubishi J8M."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany navy north_sea",
        "piece germany army western_europe",
        "no-piece france army western_europe",
        "piece germany air western_europe",
        "piece uk air united_kingdom",
        "response uk uk_raf",
        "hand germany de_land_battle#1 de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany united_kingdom uk")
    table.until_window("about_to_be_removed", "uk")
    table("uk: air-defense")
    assert table.rule != "10.4"  # nobody is asked whether the Air Force goes
    table.expect("no piece uk air united_kingdom", "piece uk army united_kingdom")


# -- 13.5, 13.6


def moscow(*lines: str) -> Table:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece ussr air moscow",
        "hand germany de_land_battle#1 de_plunder",
        *lines,
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    return table


def test_13_5_air_defense_needs_no_supply_and_no_hand() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece germany army africa",
        "piece germany air africa",
        "piece usa army north_africa",
        "piece usa navy north_sea north_atlantic",
        "hand usa us_land_battle#1 us_theater_shift",
    )
    table.expect("no supplied germany army africa")
    table.until("8.2", "usa")
    table("usa: play us_land_battle#1", "usa: battle usa africa germany")
    table.until_window("about_to_be_removed", "germany")
    table("germany: air-defense")
    table.expect("piece germany army africa", "no piece germany air africa")


def test_13_5_the_air_force_of_a_friend_does_not_defend() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece germany air germany",
        "piece usa army moscow",
        "piece usa air moscow",
        "hand germany de_land_battle#1 de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    assert table.rule == "13.3"  # nobody was asked
    table.expect("no piece ussr army moscow", "piece usa air moscow")


def test_13_5_only_in_the_window_of_the_removal() -> None:
    table = moscow()
    table("ussr: pass")
    table.expect("no piece ussr army moscow")
    assert "13.5" in table.refused("ussr: air-defense")


def test_13_5_a_supply_removal_cannot_be_defended_16_5() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army russia",
        "piece germany air russia",
        "response italy it_monte_cassino",
        "hand germany de_plunder de_the_autobahn",
    )
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    while table.rule != "8.4":
        assert "air-defense" not in table.options(table.asked[0])
        table.default()
    table.expect("no piece germany army russia")


def test_13_5_cloud_cover_forbids_it_for_the_turn_only() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece ussr air moscow",
        "hand germany de_tw_cloud_cover de_land_battle#1 de_plunder",
    )
    table.until_window("play_step_begin", "germany")
    table("germany: use de_tw_cloud_cover#1")
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.expect("no piece ussr army moscow", "no piece ussr air moscow")  # nowhere to go
    table.finish_turn()
    assert table.state.turn.flags == ()


def test_13_5_french_air_defense_is_decided_by_the_uk() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece france air western_europe",
        "hand germany de_land_battle#1 de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany western_europe france")
    table.until_window("about_to_be_removed", "uk")
    assert "air-defense" in table.options("uk")
    assert "9.6" not in table.refused("usa: air-defense")
    table("uk: air-defense")
    table.expect("piece france army western_europe", "no piece france air western_europe")


def test_13_6_only_an_own_supplied_air_force_beside_the_space() -> None:
    table = moscow(
        "piece germany air germany",
        "piece italy army ukraine",
        "piece italy air ukraine",
    )
    table("ussr: air-defense")
    assert table.rule == "13.3"  # Germany's own is too far, the other one is Italy's
    table.expect("piece ussr army moscow", "piece italy air ukraine", "piece germany air germany")


def test_13_6_the_answer_is_a_choice_of_the_battling_force() -> None:
    table = moscow("piece germany air ukraine")
    table("ussr: air-defense")
    assert table.asked == ("germany",)
    assert table.refused("germany: air-attack russia") == ["13.6"]
    assert table.refused("ussr: air-attack ukraine") == ["10.4"]
    assert table.default() == "germany: done"
    table.expect("piece germany air ukraine", "piece ussr army moscow")


def test_13_6_the_removal_loop_begins_anew_and_other_reactions_are_included() -> None:
    table = moscow("piece germany air ukraine", "response ussr su_tw_retreat_and_regroup")
    table.until_window("about_to_be_removed", "ussr")
    table("ussr: air-defense")
    assert table.rule == "13.6"  # nothing more is asked about a piece that stays (18.21)
    table("germany: air-attack ukraine")
    assert table.options("ussr") == ["use su_tw_retreat_and_regroup#1", "pass"]
    table("ussr: use su_tw_retreat_and_regroup#1", "ussr: choose 1")
    table("ussr: recruit ussr army siberia")
    table.until("8.4", "germany")
    table.expect("no piece ussr army moscow", "piece ussr army siberia")


def test_13_6_no_air_attack_on_a_piece_that_is_gone_or_safe_by_now() -> None:
    table = moscow("piece germany air ukraine")
    table("ussr: air-defense")
    assert table.rule == "13.6"
    table("ussr: withdraw ussr army moscow")
    assert table.rule != "13.6"
    table.expect("piece germany air ukraine")
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece france air western_europe",
        "piece germany air germany",
        "hand germany de_land_battle#1 de_plunder",
        "hand uk uk_tw_maginot_line uk_raf uk_destroyers uk_resistance uk_rationing",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany western_europe france")
    table.until_window("about_to_be_removed", "uk")
    table("uk: air-defense")
    assert table.rule == "13.6"
    table("uk: use uk_tw_maginot_line#1")
    table.until("8.4", "germany")
    table.expect("piece germany air germany", "piece france army western_europe")


def test_13_6_a_response_after_air_defense_has_nothing_to_answer_18_21() -> None:
    table = moscow("piece germany air ukraine", "response ussr su_moscow")
    table.until_window("about_to_be_removed", "ussr")
    table("ussr: air-defense")
    assert table.refused("ussr: use su_moscow#1")
    table("germany: done")
    table.expect("piece ussr army moscow", "laid su_moscow#1")


def test_16_12_air_defense_and_air_attack_in_a_battle_outside_the_play_step() -> None:
    """Ju 87 battles in the Air step; the Soviet Air Force defends, the German one attacks."""
    table = air_step(
        "piece germany army ukraine eastern_europe",
        "piece germany air ukraine",
        "piece ussr air moscow",
        "hand germany de_tw_ju_87 de_plunder de_build_army#1 de_build_army#2",
        drop="de_plunder#1",
    )
    table("germany: marshal germany ukraine ukraine", "germany: discard de_build_army#1")
    table("germany: use de_tw_ju_87#1")
    table.until("7.4", "germany")
    table("germany: battle germany moscow ussr")
    table.until_window("about_to_be_removed", "ussr")
    table.expect("step air")
    table("ussr: air-defense", "germany: air-attack ukraine")
    table.expect("no piece ussr army moscow", "no piece germany air ukraine")


def test_16_12_in_the_turn_of_a_third_country() -> None:
    """Murmansk Convoy lets the USSR build in the US turn; Tank Desant battles; Germany defends."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece germany army ukraine",
        "piece germany air ukraine",
        "status ussr su_tw_tank_desant",
        "hand usa us_murmansk_convoy us_theater_shift",
        "hand ussr su_build_army#1 su_moscow",
    )
    table.until("8.2", "usa")
    table("usa: play us_murmansk_convoy#1", "usa: recruit ussr army russia")
    table.until("7.1", "ussr")
    table("ussr: build ussr army kazakhstan")
    table.until_window("built", "ussr")
    table("ussr: use su_tw_tank_desant#1", "ussr: discard su_build_army#1")
    table("ussr: battle ussr ukraine germany")
    table.until_window("about_to_be_removed", "germany")
    table.expect("active usa")
    table("germany: air-defense")
    table.expect("piece germany army ukraine", "no piece germany air ukraine")


# -- 13.7, 13.8


def test_13_7_france_loses_its_starving_pieces_in_the_uk_turn_alone() -> None:
    lines = ("homes", "piece france army africa", "hand uk uk_singapore uk_build_army#1")
    table = Table("total-war", "active germany", *lines)
    table.finish_turn()
    table.expect("piece france army africa", "active uk")
    table("uk: drop uk_singapore#1")
    table.until("8.4", "uk")
    table.expect("no piece france army africa")


def test_13_7_france_scores_in_the_uk_turn_by_its_own_home_12_3() -> None:
    def points(*lines: str) -> list[str]:
        table = Table("total-war", "active uk", "homes", *lines, "hand uk uk_singapore")
        table.finish_turn()
        return [
            event.why
            for event in table.events
            if isinstance(event, VpChanged) and event.why in {"uk", "france"}
        ]

    assert points() == ["uk", "france"]
    lost_home = ("no-piece france army western_europe", "piece germany army western_europe")
    assert points(*lost_home, "piece france army india") == ["uk"]
    overrun = ("no-piece uk army united_kingdom", "piece germany army united_kingdom")
    assert points(*overrun) == ["france"]


def test_13_7_government_in_exile_gives_france_another_home_while_its_own_is_held() -> None:
    """France may build in the United Kingdom without a line (7.1 b), and only then."""
    lines = ("active uk", "homes", "status uk uk_tw_government_in_exile")
    hand = "hand uk uk_tw_armee_de_terre uk_singapore"
    free = Table("total-war", *lines, hand, "no-piece france army western_europe")
    free.until("8.2", "uk")
    free("uk: play uk_tw_armee_de_terre#1")
    assert free.options("uk", "build") == ["build france army western_europe"]
    held = Table(
        "total-war",
        *lines,
        hand,
        "no-piece france army western_europe",
        "piece germany army western_europe",
    )
    held.until("8.2", "uk")
    held("uk: play uk_tw_armee_de_terre#1")
    assert held.options("uk", "build") == ["build france army united_kingdom"]


def test_13_7_the_uk_repositions_french_air_forces() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece france army italy",
        "no-piece italy army italy",
        "piece france navy mediterranean",
        "piece france air western_europe",
    )
    table("uk: withdraw france army western_europe")
    assert (table.asked, table.rule) == (("uk",), "13.4")


def test_13_8_china_scores_and_starves_in_the_us_turn() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece china army india",
        "no-piece china army china",
        "piece japan army china",
        "hand usa us_theater_shift us_plunder"
        if "us_plunder" in CARDS
        else "hand usa us_theater_shift",
    )
    table.expect("supplied china army india", "points china 2")
    table.finish_turn()
    whys = [event.why for event in table.events if isinstance(event, VpChanged)]
    assert "usa" in whys
    assert "china" not in whys  # an enemy Army stands in its Home


def test_13_8_china_has_no_navies_and_two_armies() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece china army szechuan",
        "hand usa us_tw_american_public_sympathizes_with_chinese_people us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_american_public_sympathizes_with_chinese_people#1")
    table.until("8.4", "usa")  # the pool is empty: passed over
    table.expect("piece china army china", "piece china army szechuan")
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "hand usa us_tw_cash_and_carry_replaces_neutrality_acts us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_cash_and_carry_replaces_neutrality_acts#1", "usa: name china")
    assert table.options("usa") == ["choose 1"]


def test_13_8_wartime_production_does_not_answer_a_chinese_build() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "status usa us_wartime_production",
        "hand usa us_tw_american_public_sympathizes_with_chinese_people us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_american_public_sympathizes_with_chinese_people#1")
    table("usa: build china army szechuan")
    while table.rule == "10.4":
        assert not table.options("usa", "use")
        table.default()
    table.expect("deck usa 69", "piece china army szechuan")


def test_13_8_a_chinese_piece_is_withdrawn_by_the_usa_alone_4_2() -> None:
    table = Table("total-war", "active germany", "homes")
    assert table.refused("ussr: withdraw china army china") == ["4.2"]
    assert table.refused("uk: withdraw china army china") == ["4.2"]
    table("usa: withdraw china army china")
    table.expect("no piece china army china")


def test_13_8_operation_zet_is_decided_by_the_ussr_with_chinese_air() -> None:
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece japan army mongolia",
        "piece japan air mongolia",
        "piece china air china",
        "hand ussr su_tw_operation_zet su_moscow su_leningrad",
    )
    table.until_window("air_step_begin", "ussr")
    table("ussr: use su_tw_operation_zet#1")
    while table.rule == "10.4":
        table.default()
    assert table.asked == ("ussr",)
    assert table.options("ussr") == ["choose 2", "done"]  # the pool of China has no other Air Force
    table("ussr: choose 2", "ussr: superiority china china mongolia japan")
    table.expect("no piece japan air mongolia", "piece china air china")


# -- 13.10


def test_13_10_kuibyshev_moves_home_and_star() -> None:
    """Points and builds follow the markers: Siberia counts for the USSR alone, Moscow for nobody."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "status ussr su_tw_government_evacuates_to_kuibyshev",
        "no-piece ussr army moscow",
        "hand ussr su_build_army#1 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_build_army#1")
    assert table.options("ussr", "build") == ["build ussr army siberia"]
    table("ussr: build ussr army siberia")
    table.expect("points ussr 2", "supplied ussr army siberia")
    usa = Table(
        "total-war",
        "active usa",
        "piece usa army moscow siberia",
        "status ussr su_tw_government_evacuates_to_kuibyshev",
    )
    usa.expect("points usa 0", "no supplied usa army moscow", "no supplied usa army siberia")


def test_13_names() -> None:
    """Every deck has its five parts: no Air Power card has a text of its own (13.3)."""
    for country, prefix in BASIC.items():
        card = CARD[f"{prefix}_tw_air_power#1"]
        assert (card.deck, card.type) == (country, "air_power")
        assert Role(country) in COUNTRIES
