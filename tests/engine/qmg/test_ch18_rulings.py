"""Rulings on what the rules leave open (18)."""

import pytest
from msgspec.structs import replace

from engine.kernel.dice import DerivedDice, ScriptedDice
from engine.kernel.errors import PositionError
from engine.kernel.ids import Role
from engine.qmg.atlas import SPACE
from engine.qmg.cards.base import operations_for
from engine.qmg.commands import Name
from engine.qmg.deck import CARD, CARDS, Card
from engine.qmg.events import (
    CardsMoved,
    PieceDesignated,
    PieceProtected,
    PieceRemoved,
    VpChanged,
)
from engine.qmg.frames import Binds, SetupFrame, Source, StepsFrame, Trigger
from engine.qmg.ids import COUNTRIES, FORCE_INDEX, HIDDEN, PLAYERS, TEAMS
from engine.qmg.options import scenario_infos
from engine.qmg.position import Position
from engine.qmg.position_checks import check_position
from engine.qmg.ruleset import QMG
from engine.qmg.rulings import RULINGS
from engine.qmg.state import State
from tests.engine.qmg.table import Table, moved


def test_18_1_presets_of_seats_are_partitions_by_team() -> None:
    """18.1: the presets for two to six people."""
    for info in scenario_infos():
        assert [len(seats) for seats in info.seatings] == [2, 3, 4, 5, 6]
        for seats in info.seatings:
            assert sorted(role for seat in seats for role in seat) == sorted(COUNTRIES)
            for seat in seats:
                assert any(set(seat) <= set(PLAYERS[team]) for team in TEAMS)
    two, three, four, five, six = scenario_infos()[0].seatings
    assert two == (("germany", "japan", "italy"), ("uk", "ussr", "usa"))
    assert three[1:] == (("uk", "ussr"), ("usa",))
    assert four == (("germany", "italy"), ("japan",), ("uk", "ussr"), ("usa",))
    assert ("japan", "italy") in five
    assert all(len(seat) == 1 for seat in six)


def test_18_2_constructed_decks_require_limits() -> None:
    """18.2: no option offers the variant, but a position with limits does."""
    usual = QMG.position("total-war", {})
    assert usual.limits == {}
    start = QMG.fold(QMG.initial_state(), QMG.open_game(usual, DerivedDice(bytes(32), 0)))
    assert isinstance(start.frames[-1], SetupFrame)
    assert not {one.id for one in RULINGS} & {"constructed", "limits"}
    check_position(
        Position(
            scenario="total-war",
            limits={"event": 6, "build_army": 6, "status": 6, "response": 9, "build_navy": 3},
        )
    )
    with pytest.raises(PositionError):
        check_position(
            Position(
                scenario="base",
                limits={"event": 6, "build_army": 6, "status": 6, "response": 9, "build_navy": 3},
            )
        )


def test_18_3_the_box_and_the_map_are_complete() -> None:
    """18.3: the printed card numbers have no gaps or duplicates: 1 - 220, T1 - T160, five replacements."""
    found = sorted(number for card in CARDS.values() for number in _printed(card))
    replaced = [f"TE{CARDS[card.replaces].no}" for card in CARDS.values() if card.replaces]
    wanted = [*map(str, range(1, 221)), *(f"T{number}" for number in range(1, 161)), *replaced]
    assert found == sorted(wanted)
    assert len(found) == 385
    assert len(SPACE) == 53


def _printed(card: Card) -> list[str]:
    """Return the printed number of each copy of a card."""
    first, _, last = str(card.no).partition("-")
    letters = first.rstrip("0123456789")
    low = int(first.removeprefix(letters))
    numbers = range(low, int((last or first).removeprefix(letters)) + 1)
    assert len(numbers) == card.count
    return [f"{letters}{number}" for number in numbers]


@pytest.mark.parametrize(
    ("choice", "is_linked"),
    [
        pytest.param("off", True, id="18.4-a-navy-without-port-carries-a-line"),
        pytest.param("on", False, id="18.4-strict-navy-links"),
    ],
)
def test_18_4_supply_through_a_navy_without_a_port(choice: str, is_linked: bool) -> None:
    """USA: Latin America, Southeast Pacific and Southern Ocean, with no port next to the middle one."""
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa army western_us",
        "piece usa navy east_pacific south_pacific",
        "piece usa navy indian_ocean",
        "piece usa army madagascar",
        options={"strict-navy-links": choice},
    )
    table.expect("no supplied usa navy south_pacific", "supplied usa navy east_pacific")
    word = "supplied" if is_linked else "no supplied"
    table.expect(f"{word} usa navy indian_ocean", f"{word} usa army madagascar")


@pytest.mark.parametrize(
    ("lines", "commands"),
    [
        pytest.param(
            (
                "active germany",
                "response ussr su_rasputitsa",
                "piece germany army ukraine",
                "status germany de_volkssturm",
                "hand italy it_italy_attacks_communists",
            ),
            (),
            id="18.5-rasputitsa-at-nothing",
        ),
        pytest.param(
            (
                "active uk",
                "response japan jp_kamikaze",
                "piece japan navy south_china_sea",
                "hand uk uk_singapore uk_raf",
            ),
            (
                "uk: play uk_singapore#1",
                "uk: recruit uk army southeast_asia",
            ),
            id="18.5-kamikaze-does-not-answer-a-recruit",
        ),
    ],
)
def test_18_5_built_excludes_recruited_under_the_other_ruling(
    lines: tuple[str, ...], commands: tuple[str, ...]
) -> None:
    built_only = {"immediately-after-built": "built-only"}
    table = Table("base", lines[0], "homes", *lines[1:], options=built_only)
    table(*commands)
    assert table.rule != "10.4" or table.trigger.kind != "built"
    assert not any(
        option.startswith(("use jp_kamikaze", "use su_rasputitsa"))
        for country in table.asked
        for option in table.options(country)
    )


def test_18_5_a_recruit_far_from_moscow_does_not_trigger_rasputitsa() -> None:
    """An option decides whether the three cards answer recruits; their spaces apply either way."""
    for card in ("su_rasputitsa", "uk_loyal_to_the_crown", "jp_kamikaze"):
        (ability,) = CARDS[card].abilities
        assert ability.trigger is not None
        assert (ability.trigger.event, ability.trigger.recruits) == ("built", True)
    table = Table(
        "base",
        "active germany",
        "homes",
        "no-piece ussr army moscow",
        "piece germany army ukraine",
        "response ussr su_rasputitsa",
        "hand germany de_forced_conscription de_plunder",
    )
    table("germany: play de_forced_conscription#1", "germany: recruit germany army eastern_europe")
    table("germany: done")
    assert table.rule == "8.4"


def test_18_6_a_status_responds_only_once_to_an_event() -> None:
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "status ussr su_tw_tank_desant",
        "hand ussr su_build_army#1 su_build_army#2 su_build_army#3 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    table.until_window("built", "ussr")
    table("ussr: use su_tw_tank_desant#1")
    table(f"ussr: {table.options('ussr', 'discard su_build_army')[0]}", "ussr: done")
    assert table.rule != "10.4" or "use su_tw_tank_desant#1" not in table.options("ussr")


def test_18_11_points_may_become_negative() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "no-deck uk",
        "hand germany de_submarines_prey_on_unprotected_shipping de_plunder",
    )
    table("germany: play de_submarines_prey_on_unprotected_shipping#1")
    assert table.vp()[1] == -5
    assert VpChanged(team="allies", amount=-5, why="cards") in table.events


def test_18_12_a_hand_cost_is_completed_from_the_deck() -> None:
    """Free France with one card in hand: that card and one from the deck."""
    table = Table("base", "active uk", "homes", "status uk uk_free_france", "hand uk uk_singapore")
    table("uk: use uk_free_france#1")
    paid = moved(table, country="uk", why="cost")
    assert [(event.source, len(event.cards)) for event in paid] == [("hand", 1), ("deck", 1)]


def test_18_14_only_a_build_card_designates_and_guards_play_one() -> None:
    def designations(table: Table, role: str) -> list[str]:
        return table.options(role, "designate")

    table = Table("base", "active germany", "homes", "hand germany de_guns_and_butter")
    table("germany: play de_guns_and_butter#1", "germany: choose 1")
    assert designations(table, "germany") == []
    assert table.refused("germany: designate germany army germany")[0] == "7.6"
    table = Table(
        "base",
        "active ussr",
        "homes",
        "status ussr su_guards",
        "discard ussr su_build_army#1",
        "hand ussr su_moscow su_leningrad",
    )
    table("ussr: use su_guards#1", "ussr: play su_build_army#1")
    assert designations(table, "ussr") == ["designate ussr army moscow"]
    table("ussr: designate ussr army moscow")
    assert PieceDesignated(force="ussr", piece="army", space="moscow") in table.events


def test_18_15_sbd_dauntless_counts_only_within_two_spaces_of_japan() -> None:
    """18.15: SBD Dauntless, within 2 of Japan (5.6); straits and distance 0 are in the scripts."""
    lines = ("active usa", "homes", "hand usa us_sbd_dauntless us_theater_shift")
    for space, discards in (("east_china_sea", 4), ("central_pacific", 4), ("hawaii", 0)):
        if space == "hawaii":
            table = Table("base", *lines, "piece usa navy south_pacific")
        else:
            table = Table("base", *lines, f"piece usa navy {space}")
        table("usa: play us_sbd_dauntless#1")
        table.expect(f"discards japan {discards}")


def test_18_17_a_card_may_prevent_a_supply_removal_for_the_turn() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "no-piece ussr army moscow",
        "piece ussr army russia",
        "response ussr su_leningrad",
        "hand ussr su_build_army#1 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_build_army#1", "ussr: use su_leningrad#1")
    table.expect("piece ussr army russia", "no supplied ussr army russia")
    assert any(isinstance(event, PieceProtected) for event in table.events)


def test_18_18_a_status_played_this_turn_works_immediately_but_not_as_the_play() -> None:
    """For cards like Jet Fighters: laid now, used later in the turn. Conscription must wait for the next Play step."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece usa army hawaii western_us",
        "hand usa us_rosie_the_riveter us_theater_shift us_lend_lease",
    )
    table.until("8.2", "usa")
    table("usa: play us_rosie_the_riveter#1")
    table.until_window("discard_step_begin", "usa")
    assert "use us_rosie_the_riveter#1" in table.options("usa")
    table = Table("base", "active germany", "homes", "hand germany de_conscription de_plunder")
    table("germany: play de_conscription#1")
    assert table.rule == "8.4"
    assert "10.4" in table.refused("germany: use de_conscription#1")


def test_18_18_a_response_played_this_turn_works_immediately() -> None:
    table = Table(
        "base",
        "active japan",
        "homes",
        "no-piece japan army japan",
        "piece japan navy central_pacific",
        "hand japan jp_truk jp_kamikaze",
    )
    table("japan: play jp_truk#1")
    table.until("10.4", "japan")
    assert table.trigger.kind == "supply_step_begin"
    table("japan: use jp_truk#1")
    table.until("8.4", "japan")
    table.expect("piece japan navy central_pacific")


def test_18_25_a_protected_piece_can_be_withdrawn_by_its_owner() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "response ussr su_moscow",
        "hand germany de_land_battle#1 de_plunder",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table("ussr: use su_moscow#1")
    table.expect("protected ussr army moscow")
    table("ussr: withdraw ussr army moscow")
    table.expect("no piece ussr army moscow")
    assert PieceRemoved(force="ussr", piece="army", space="moscow", why="own") in table.events


def test_18_26_once_per_turn_applies_to_each_countrys_turn() -> None:
    """Atlantic Wall is used in the UK's turn, and again in that of the USA."""
    table = Table(
        "base",
        "active uk",
        "homes",
        "piece germany army western_europe italy",
        "piece italy army western_europe",
        "no-piece italy army italy",
        "piece uk navy north_sea",
        "piece usa navy north_sea north_atlantic",
        "status germany de_atlantic_wall",
        "hand uk uk_land_battle#1 uk_singapore",
        "hand usa us_land_battle#1 us_theater_shift",
    )
    for country in ("uk", "usa"):
        table.until("8.2", country)
        target = "germany" if country == "uk" else "italy"
        table(f"{country}: play {country[:2]}_land_battle#1")
        table(f"{country}: battle {country} western_europe {target}")
        table("germany: use de_atlantic_wall#1")
    cards = [len(moved(table, country=one, source="deck", why="effect")) for one in ("uk", "usa")]
    assert cards == [3, 3]


def test_18_27_cards_put_back_at_set_up_are_hidden_from_others() -> None:
    """18.27: all are asked simultaneously, and the last country may be the first to answer."""
    dice = DerivedDice(bytes(32), 0)
    events = QMG.open_game(QMG.position("base", {}), dice)
    state = QMG.fold(QMG.initial_state(), events)
    assert QMG.active_roles(state) == COUNTRIES  # all simultaneously
    last = Role("usa")  # in any order
    command = QMG.decision(state, last).default
    seen = [
        QMG.redact(event, Role("uk"))
        for event in QMG.decide(state, last, command, DerivedDice(bytes(32), 1))
    ]
    assert all(event.cards == (HIDDEN,) for event in seen if isinstance(event, CardsMoved))
    assert QMG.redact_command(command, last, Role("uk")) != command


def test_18_28_the_raf_saves_an_air_force_from_an_elimination() -> None:
    for steps in ("uk_raf",):
        (ability,) = CARDS[steps].abilities
        assert ability.trigger is not None
        assert ability.trigger.piece == "any"
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "no-piece france army western_europe",
        "piece germany army western_europe",
        "piece germany air western_europe",
        "piece uk navy north_sea",
        "piece uk air north_sea",
        "response uk uk_raf",
        "hand germany de_tw_air_power#1 de_plunder de_build_army#1",
    )
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    table.until("13.3", "germany")
    table("germany: superiority germany western_europe north_sea uk")
    table.until_window("about_to_be_removed", "uk")
    assert table.trigger.piece == "air"
    table("uk: use uk_raf#1")
    table.expect("piece uk air north_sea")


def test_18_29_the_sea_has_one_id_and_two_names() -> None:
    """18.29: the English board prints Sea of Japan."""
    sea = SPACE["east_china_sea"]
    assert sea.name == "East China Sea"
    assert any("Sea of Japan" in name for name in sea.also_called)


def test_18_31_only_the_cancelled_status_is_barred() -> None:
    """Italy has no second alternative: another card is played, or resources are reallocated."""
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "status uk uk_tw_senegalese_tirailleurs uk_tw_polish_sovereignty",
        "hand uk uk_singapore uk_raf",
    )
    table.until("8.2", "uk")
    assert table.options("uk", "use") == [
        "use uk_tw_senegalese_tirailleurs#1",
        "use uk_tw_polish_sovereignty#1",
    ]  # no country cancels Allied Statuses
    table("uk: use uk_tw_polish_sovereignty#1", "uk: recruit uk army eastern_europe")
    table.until("8.4", "uk")
    table.expect("piece uk army eastern_europe")


def test_18_32_women_conscripts_respond_to_a_card_played_through_guards() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "status ussr su_guards su_women_conscripts",
        "discard ussr su_build_army#1",
        "hand ussr su_moscow su_leningrad su_rasputitsa su_stalingrad",
    )
    table("ussr: use su_guards#1", "ussr: discard su_moscow#1", "ussr: discard su_leningrad#1")
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    assert table.trigger == Trigger(
        kind="card_played", cause="allies", by="ussr", card="su_build_army#1", step="play"
    )
    table("ussr: use su_women_conscripts#1")
    table.expect("next su_build_army#1")


def asked_step(state: State) -> int:
    frame = state.frames[-1]
    assert isinstance(frame, StepsFrame)
    assert QMG.active_roles(state) == ("uk",)
    return frame.at


def test_a_copy_with_a_hidden_hand_asks_the_owner_what_can_be_played() -> None:
    table = Table(
        "base",
        "active usa",
        "homes",
        "hand usa us_lend_lease us_theater_shift",
        "hand uk uk_singapore",
    )
    table.until("8.2", "usa")
    table("usa: play us_lend_lease#1")
    cards = table.state.cards_of("uk")
    hidden = replace(cards, hand=(HIDDEN,) * len(cards.hand))
    at = FORCE_INDEX["uk"]
    own = replace(
        table.state, cards=(*table.state.cards[:at], hidden, *table.state.cards[at + 1 :])
    )
    name = Name(force="uk")
    for state in (table.state, own):
        after = QMG.fold(state, QMG.decide(state, Role("usa"), name, ScriptedDice()))
        assert asked_step(after) == 0
    empty = replace(
        table.state,
        cards=(*table.state.cards[:at], replace(cards, hand=()), *table.state.cards[at + 1 :]),
    )
    after = QMG.fold(empty, QMG.decide(empty, Role("usa"), name, ScriptedDice()))
    assert (
        asked_step(after) == 1
    )  # there is no card to play, and the question is whether to draw one


def test_18_33_a_country_with_a_hidden_hand_is_asked_even_without_a_playable_card() -> None:
    """Information that the acting player lacks decides nothing, and the question reveals nothing of the hand (9.3)."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "hand usa us_lend_lease us_theater_shift",
        "hand uk uk_tw_air_power#1 uk_tw_bletchley_park",
    )
    table.until("8.2", "usa")
    table("usa: play us_lend_lease#1", "usa: name uk")
    assert table.asked == ("uk",)
    assert table.options("uk") == ["done"]
    table("uk: done")
    assert table.options("uk") == ["yes", "done"]  # whether to draw, the next step of the card


@pytest.mark.parametrize(
    ("discards", "is_asked"), [("face-down", True), ("face-up", False), ("", False)]
)
def test_9_3_open_discards_without_a_suitable_card_open_no_decision(
    discards: str, is_asked: bool
) -> None:
    card = "us_tw_our_philosophy_of_government#1"
    step = operations_for(CARD[card].abilities[0].name)[0]
    state = Table("total-war", "active usa", "homes", "hand usa us_theater_shift").state
    pile = ("uk_build_army#1",) if discards else ()
    cards = replace(
        state.cards_of("uk"), discard=pile, face_up=pile if discards == "face-up" else ()
    )
    at = FORCE_INDEX["uk"]
    state = replace(state, cards=(*state.cards[:at], cards, *state.cards[at + 1 :]))
    frame = StepsFrame(
        steps=CARD[card].abilities[0].name, source=Source(owner="usa", card=card), binds=Binds()
    )
    for giver, asks in (("usa", is_asked), ("uk", False)):
        run = QMG.run(replace(state, frames=(*state.frames, frame)), ScriptedDice())
        run.giver = giver
        assert step.start(run, frame) is not asks
