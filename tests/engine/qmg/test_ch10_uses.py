"""The countries asked in a window, cancelled uses, and the effects that remain after a cancellation (10)."""

import pytest

from engine.qmg.events import CardsMoved, PieceRemoved, TargetDiscards, UseCancelled
from engine.qmg.frames import Trigger, WindowFrame
from tests.engine.qmg.table import UNPROTECTED, Table, gained, moscow


def triggers(table: Table) -> list[Trigger]:
    """Return the events of the open windows, outermost first."""
    return [frame.trigger for frame in table.state.frames if isinstance(frame, WindowFrame)]


# -- 10.1


def test_10_1_a_status_without_a_limit_responds_to_each_event() -> None:
    """Landkreuzers cost 2 cards in each of two battles of a turn, and are used once in each (18.6)."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece germany army ukraine eastern_europe",
        "status germany de_tw_landkreuzers",
        "status ussr su_stavka_forms_artillery_corps su_frontal_assault",
        "hand ussr su_land_battle#1 su_moscow su_leningrad su_rasputitsa",
        "piece ussr army russia",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_land_battle#1", "ussr: battle ussr ukraine germany")
    table.until_window("battled", "germany")
    table("germany: use de_tw_landkreuzers#1")
    table.expect("discards ussr 2")
    table.until_window("battle", "ussr")
    table("ussr: use su_frontal_assault#1")
    while table.rule == "9.4":
        table(f"ussr: {table.options('ussr')[0]}")
    table.until("7.4", "ussr")
    table("ussr: battle ussr eastern_europe germany")
    table.until_window("battled", "germany")
    table("germany: use de_tw_landkreuzers#1")
    table.expect("discards ussr 6")


def test_10_1_a_trigger_caused_by_an_effect_is_resolved_first() -> None:
    """Bias for Action answers a build during the window of the battle that Blitzkrieg answered."""
    table = moscow("status germany de_blitzkrieg de_bias_for_action", scenario="base")
    table("germany: use de_blitzkrieg#1", "germany: build germany army moscow")
    assert [one.kind for one in triggers(table)] == ["battle", "built"]
    table("germany: use de_bias_for_action#1", "germany: battle germany russia -")
    table.until("8.4", "germany")


# -- 10.2


@pytest.mark.parametrize(
    ("lines", "commands", "wanted"),
    [
        pytest.param(
            ("active germany", "status germany de_volkssturm"),
            (),
            Trigger(kind="turn_begin", cause="axis", by="germany"),
            id="10.2-a-step-has-the-active-country",
        ),
        pytest.param(
            (
                "active germany",
                "status germany de_bias_for_action",
                "hand germany de_build_army#1",
            ),
            ("germany: play de_build_army#1", "germany: build germany army western_europe"),
            Trigger(
                kind="built",
                cause="axis",
                by="germany",
                space="western_europe",
                piece="army",
                owner="germany",
            ),
            id="10.2-a-build-has-force-space-and-piece",
        ),
        pytest.param(
            (
                "active italy",
                "piece uk army north_africa",
                "piece italy navy mediterranean",
                "response uk uk_defensive_posture",
                "hand italy it_land_battle#1",
                "piece uk navy bay_of_bengal",
                "piece uk army india",
            ),
            ("italy: play it_land_battle#1", "italy: battle italy north_africa uk"),
            Trigger(
                kind="about_to_be_removed",
                cause="axis",
                by="italy",
                space="north_africa",
                piece="army",
                owner="uk",
                why="battle",
            ),
            id="10.2-a-removal-has-both-forces-and-its-reason",
        ),
        pytest.param(
            (
                "active germany",
                "status germany de_wolf_packs",
                f"hand germany {UNPROTECTED} de_plunder",
            ),
            (f"germany: play {UNPROTECTED}",),
            Trigger(
                kind="ew_played", cause="axis", by="germany", card=UNPROTECTED, targets=("uk",)
            ),
            id="10.2-economic-warfare-has-card-and-targets",
        ),
        pytest.param(
            (
                "active uk",
                "piece uk army africa",
                "piece ussr army ukraine",
                "response uk uk_raf",
                "response germany",
                "hand uk uk_build_army#1",
                "piece uk navy baltic_sea",
                "no-piece uk army united_kingdom",
            ),
            (),
            None,
            id="10.2-nothing-opens-a-window-that-nobody-could-answer",
        ),
    ],
)
def test_10_2_trigger_record_of_an_event(
    lines: tuple[str, ...], commands: tuple[str, ...], wanted: Trigger | None
) -> None:
    used = [line for line in lines if len(line.split()) > 1 and line != "response germany"]
    first = [line for line in used if not line.startswith("no-piece")]
    last = [line for line in used if line.startswith("no-piece")]
    table = Table("base", first[0], "homes", *first[1:], *last)
    table(*commands)
    found = triggers(table)
    assert (found[-1] if found else None) == wanted


def test_10_2_a_build_by_another_countrys_card_is_attributed_to_the_builder() -> None:
    """Italy's Afrika Korps recruits for Germany: the event is Germany's, and the team is the same."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "hand usa us_tw_american_public_sympathizes_with_chinese_people#1",
        "status usa us_tw_anti_japanese_volunteer_armies",
        "hand japan jp_build_army#1 jp_build_army#2",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_american_public_sympathizes_with_chinese_people#1")
    table("usa: build china army szechuan")
    table.until_window("built", "usa")
    trigger = table.trigger
    assert (trigger.by, trigger.owner, trigger.cause) == ("china", "china", "allies")
    table("usa: use us_tw_anti_japanese_volunteer_armies#1")
    assert table.asked == ("japan",)


# -- 10.4


def test_10_4_a_boost_is_lost_if_its_card_is_cancelled() -> None:
    """ASW Tactics, asked first, ignores the text, so that Wolf Packs can add nothing to it."""
    table = Table(
        "base",
        "active germany",
        "homes",
        "status germany de_wolf_packs",
        "response uk uk_asw_tactics",
        f"hand germany {UNPROTECTED} de_plunder",
    )
    table(f"germany: play {UNPROTECTED}")
    assert table.asked == ("uk",)
    table("uk: use uk_asw_tactics#1")
    assert table.rule == "8.4"  # Germany, whose Status is open, is not even asked
    table.expect("discards uk 1", f"top {UNPROTECTED}")
    assert gained(table, UNPROTECTED) == []
    assert UseCancelled(card=UNPROTECTED) in table.events


def test_10_4_attached_extras_remain_after_a_cancellation() -> None:
    """The Blitz discards independently; it is not a boost of the cancelled card."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "status germany de_wolf_packs",
        "response uk uk_asw_tactics",
        "no-piece france army western_europe",
        "piece germany army western_europe",
        "piece germany air western_europe",
        f"hand germany {UNPROTECTED} de_tw_the_blitz de_plunder",
        "hand uk uk_build_army#1 uk_build_army#2",
    )
    table.until("8.2", "germany")
    table(f"germany: play {UNPROTECTED}", "uk: use uk_asw_tactics#1")
    assert table.options("germany") == ["use de_tw_the_blitz#1", "pass"]
    assert table.refused("germany: use de_wolf_packs#1") == ["10.4"]
    table("germany: use de_tw_the_blitz#1")
    assert TargetDiscards not in {type(event) for event in table.events}
    table.until("8.4", "germany")
    table.expect("discards uk 3")  # ASW Tactics and two cards of the deck


def test_10_4_a_second_reduction_is_skipped_if_no_discards_remain() -> None:
    table = Table(
        "base",
        "active uk",
        "homes",
        "response italy it_skilled_pilots",
        "status germany de_jet_fighters",
        "hand uk uk_bomber_command",
    )
    table("uk: play uk_bomber_command#1", "uk: name italy")
    table.until_window("ew_targeted", "italy")
    table("italy: use it_skilled_pilots#1")
    assert table.rule != "10.4"
    table.expect("discards italy 1")
    assert TargetDiscards(country="italy", amount=0, card="uk_bomber_command#1") in table.events


def test_10_4_a_cancelled_bolster_is_discarded_without_paying_its_cost() -> None:
    """Bletchley Park answers the declaration: no cost, no effect, and the Bolster is discarded face up (17.2)."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "hand germany de_tw_operation_weserubung de_build_army#1",
        "hand uk uk_tw_bletchley_park uk_build_army#1",
    )
    table.until_window("victory_step_begin", "germany")
    table("germany: use de_tw_operation_weserubung#1")
    assert (table.trigger.kind, table.asked) == ("bolster_use_declared", ("uk",))
    table("uk: use uk_tw_bletchley_park#1")
    table.until("8.4", "germany")
    table.expect("top de_tw_operation_weserubung#1", "no piece germany army scandinavia")
    paid = [one for one in table.events if isinstance(one, CardsMoved) and one.why == "cost"]
    assert {one.country for one in paid} == {"uk"}


def test_10_4_a_blocked_status_may_be_used_again_next_turn() -> None:
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "piece germany army ukraine",
        "status germany de_tw_westwall de_tw_landkreuzers",
        "hand uk uk_tw_keep_calm_and_carry_on uk_land_battle#1 uk_build_army#1",
        "piece uk army western_europe",
        "piece ussr army eastern_europe",
    )
    table.until("8.2", "uk")
    table("uk: play uk_land_battle#1", "uk: battle uk germany germany")
    table.until_window("battled", "germany")
    table("germany: use de_tw_westwall#1")
    table.until_window("status_use_declared", "uk")
    table("uk: use uk_tw_keep_calm_and_carry_on#1")
    assert table.state.turn.blocked == ("de_tw_westwall#1",)
    table.until_window("battled", "germany")
    assert table.options("germany") == ["use de_tw_landkreuzers#1", "pass"]
    table.expect("on-table de_tw_westwall#1")
    table.finish_turn()
    assert not table.state.turn.blocked


def test_10_4_a_victory_bonus_also_opens_a_declaration_window() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "status germany de_abundant_resources de_swedish_iron_ore",
        "hand germany de_plunder de_the_autobahn",
        "hand uk uk_tw_keep_calm_and_carry_on uk_build_army#1",
    )
    table.until("12.1", "germany")
    table("germany: use de_abundant_resources#1")
    assert (table.trigger.kind, table.asked) == ("status_use_declared", ("uk",))
    before = table.vp()
    table("uk: use uk_tw_keep_calm_and_carry_on#1")
    table.until("8.4", "germany")
    assert table.vp() == before


# -- 10.5


def test_10_5_protection_for_the_turn_applies_to_a_second_battle() -> None:
    table = moscow("response ussr su_moscow", "status germany de_dive_bombers", scenario="base")
    table("ussr: use su_moscow#1")
    table("germany: use de_dive_bombers#1", "germany: battle germany moscow ussr")
    table.expect("piece ussr army moscow", "protected ussr army moscow")
    assert table.kinds().count("BattleFought") == 2


def test_10_5_a_battle_counts_even_if_its_target_is_protected_by_17_4() -> None:
    """BATTLE follows even for a protected target."""
    table = moscow("response ussr su_moscow", "status germany de_blitzkrieg", scenario="base")
    table("ussr: use su_moscow#1")
    assert (table.trigger.kind, table.asked) == ("battle", ("germany",))


def test_10_5_an_empty_space_triggers_battle_but_not_battled() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "status germany de_blitzkrieg",
        "hand germany de_land_battle#1",
    )
    table("germany: play de_land_battle#1", "germany: battle germany russia -")
    assert table.trigger == Trigger(
        kind="battle", cause="axis", by="germany", space="russia", piece="army"
    )


def test_10_5_removing_own_pieces_triggers_removed_but_cannot_be_prevented_18_8() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece italy army balkans",
        "response italy it_german_reinforcements_counterattack it_monte_cassino",
    )
    table("italy: withdraw italy army italy")
    assert (table.trigger.kind, table.trigger.why) == ("removed", "own")
    table("italy: use it_german_reinforcements_counterattack#1")
    table("italy: recruit germany army italy")
    table.expect("piece germany army italy", "laid it_monte_cassino#1")


def test_10_5_an_elimination_is_not_a_battle() -> None:
    """General Winter: there is no BATTLED or BATTLE and no answer to them, but cards like Monte Cassino may save."""
    table = Table(
        "base",
        "active ussr",
        "homes",
        "piece germany army russia",
        "status germany de_blitzkrieg de_atlantic_wall",
        "status ussr su_frontal_assault",
        "hand ussr su_general_winter su_moscow su_leningrad",
    )
    table("ussr: play su_general_winter#1", "ussr: eliminate germany army russia")
    assert table.rule != "10.4"
    assert "BattleFought" not in table.kinds()
    assert (
        PieceRemoved(force="germany", piece="army", space="russia", why="eliminate") in table.events
    )


# -- 10.7


def test_10_7_the_snapshot_is_taken_before_the_beginning_of_the_turn() -> None:
    """Volkssturm's recruit at TURN_BEGIN is not on the board that Broad Front looks at (17.6)."""
    table = Table(
        "base",
        "active germany",
        "piece germany army eastern_europe",
        "piece ussr army ukraine russia",
        "status germany de_volkssturm",
    )
    assert not table.state.turn.begin.spaces_with(
        "germany", "army"
    ) & table.state.board.spaces_with("ussr", "army")
    table("germany: use de_volkssturm#1", "germany: recruit germany army germany")
    assert table.state.turn.begin.spaces_with("germany", "army") != table.state.board.spaces_with(
        "germany", "army"
    )


def test_10_7_effects_for_the_turn_end_with_the_turn() -> None:
    table = moscow("response ussr su_moscow", scenario="base")
    table("ussr: use su_moscow#1")
    table.finish_turn()
    table.expect("no protected ussr army moscow")
    assert table.state.turn.shields == ()


def test_10_7_a_moved_card_is_not_discarded() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "status ussr su_women_conscripts",
        "hand ussr su_build_army#1 su_moscow",
    )
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    assert table.trigger.kind == "card_played"
    table("ussr: use su_women_conscripts#1")
    table.expect("next su_build_army#1", "discards ussr 0")


# -- refusals give their rule


def test_13_3_a_deployment_by_a_card_uses_the_spaces_of_13_4() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece uk army canada",
        "hand usa us_tw_eagle_squadrons us_theater_shift",
    )
    table.until_window("air_step_begin", "usa")
    table("usa: use us_tw_eagle_squadrons#1")
    table.until("13.3", "uk")
    assert table.refused("uk: deploy uk canada")[0] == "13.4"  # out of supply
    assert table.refused("uk: deploy usa eastern_us")[0] == "13.8"
    table = Table(
        "total-war",
        "active italy",
        "homes",
        "piece italy navy mediterranean",
        "piece italy air italy",
        "hand italy it_tw_italy_completes_carriers_early it_plunder it_build_army#1",
    )
    table.until_window("play_step_begin", "italy")
    table("italy: use it_tw_italy_completes_carriers_early#1")
    table.until("9.4", "italy")
    table("italy: discard it_build_army#1", "italy: choose 2")
    assert table.options("italy") == ["marshal italy italy mediterranean", "done"]
    assert table.refused("italy: marshal italy italy italy")[0] == "13.3"  # a sea space
