"""Total War: hands, the Discard step, replaced cards, Air Forces on the map (13.1, 13.2)."""

from engine.kernel.dice import DerivedDice
from engine.qmg.ids import COUNTRIES
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine.qmg.table import Table


def opened(scenario: str) -> State:
    """Return a game before the discards from the first hands."""
    dice = DerivedDice(bytes(32), 0)
    return QMG.fold(QMG.initial_state(), QMG.open_game(QMG.position(scenario, {}), dice))


# -- 13.1


def test_13_1_countries_start_with_twelve_cards_and_discard_five() -> None:
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


# -- 13.2


def test_13_2_a_bolster_in_another_countrys_turn_reduces_the_hand() -> None:
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


def test_13_2_a_bolster_cannot_pay_its_own_cost() -> None:
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
