"""Total War (13), answers to players' questions (16) and rulings (18) that no other test covers."""

from tests.engine.qmg.table import Table, air_step

# -- 13


def test_13_2_example_2_the_type_of_a_named_cost_is_shown_not_the_card() -> None:
    table = Table(
        "total-war",
        "active japan",
        "homes",
        "piece japan navy east_china_sea",
        "hand japan jp_tw_yamamoto_aboard_the_yamato#1 jp_destroyer_transport#1",
    )
    table.until_window("play_step_begin", "japan")
    table("japan: use jp_tw_yamamoto_aboard_the_yamato#1")
    table("japan: discard jp_destroyer_transport#1")
    others = " ".join(table.said("usa"))
    assert "1 Response card" in others
    assert "Destroyer Transport" not in others
    assert "Destroyer Transport" in " ".join(table.said("japan"))
    table("japan: deploy japan east_china_sea")
    table.expect("piece japan air east_china_sea")


def test_13_3_marshal_costs_any_card_and_knows_no_distance() -> None:
    table = air_step(
        "piece germany army ukraine",
        "piece germany air germany",
        "hand germany de_plunder#1 de_v_weapons#1",
    )
    assert table.options("germany", "marshal") == [
        "marshal germany germany germany",
        "marshal germany germany ukraine",
    ]
    table("germany: marshal germany germany ukraine")
    table.expect("piece germany air ukraine", "hand germany 7")


def test_13_3_air_superiority_takes_an_adjacent_air_force_or_none() -> None:
    table = air_step(
        "piece germany army ukraine",
        "piece germany air ukraine",
        "piece ussr air moscow",
        "hand germany de_tw_air_power#1 de_plunder#1",
    )
    assert "superiority germany ukraine moscow ussr" in table.options("germany")
    assert any("ukraine black_sea" in line for line in table.options("germany", "superiority"))
    table("germany: superiority germany ukraine moscow ussr")
    table.expect("no piece ussr air moscow", "piece germany air ukraine")


def battle(*lines: str) -> Table:
    """Return the example of 13.5 with Germany battling Moscow."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece ussr air moscow",
        "hand germany de_land_battle#1",
        *lines,
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    return table


def test_13_5_the_air_force_goes_instead() -> None:
    table = battle()
    assert (table.trigger.kind, table.asked) == ("about_to_be_removed", ("ussr",))
    assert table.options("ussr") == ["air-defense", "pass"]
    table("ussr: air-defense")
    table.expect("piece ussr army moscow", "no piece ussr air moscow")


def test_13_5_not_using_it_leaves_the_air_force_alone_13_4() -> None:
    table = battle("piece ussr army russia", "status ussr su_shverniks_evacuation_council")
    table("ussr: pass")
    table.expect("no piece ussr army moscow", "piece ussr air russia")


def test_13_6_air_attack() -> None:
    table = battle("piece germany air ukraine")
    table("ussr: air-defense")
    assert (table.rule, table.options("germany")) == ("13.6", ["air-attack ukraine", "done"])
    table("germany: air-attack ukraine")
    table.expect(
        "no piece ussr army moscow", "no piece ussr air moscow", "no piece germany air ukraine"
    )


def test_13_6_declined() -> None:
    table = battle("piece germany air ukraine")
    table("ussr: air-defense", "germany: done")
    table.expect("piece ussr army moscow", "piece germany air ukraine")


def test_18_21_after_an_air_attack_another_reaction_saves_the_army() -> None:
    table = battle("piece germany air ukraine", "response ussr su_moscow")
    table.until_window("about_to_be_removed", "ussr")
    assert table.options("ussr") == ["use su_moscow#1", "air-defense", "pass"]
    table("ussr: air-defense")
    while table.rule != "13.6":
        table.default()
    table("germany: air-attack ukraine", "ussr: use su_moscow#1")
    table.expect("piece ussr army moscow")


def test_16_5_air_defense_is_against_battles_only() -> None:
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece germany army russia",
        "piece germany air russia",
        "hand ussr su_general_winter#1",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_general_winter#1", "ussr: eliminate germany army russia")
    while table.rule == "10.4":
        assert "air-defense" not in table.options(table.asked[0])
        table.default()
    table.expect("no piece germany army russia")


def test_13_7_french_supply_is_not_british() -> None:
    table = Table(
        "total-war", "active uk", "homes", "piece uk army africa", "piece france army africa"
    )
    table.expect("no supplied france army africa", "no supplied uk army africa")
    table = Table("total-war", "active uk", "homes", "piece germany army ukraine")
    table.expect("supplied france army western_europe", "points france 2")


# -- 16


def test_16_3_guards_need_a_build_army_card_in_the_discard_pile() -> None:
    lines = (
        "active ussr",
        "homes",
        "status ussr su_guards",
        "hand ussr su_moscow su_leningrad su_rasputitsa",
    )
    assert not Table("base", *lines).options("ussr", "use")
    table = Table("base", *lines, "discard ussr su_build_army#1")
    table("ussr: use su_guards#1", "ussr: discard su_moscow#1", "ussr: discard su_leningrad#1")
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    table.expect("piece ussr army russia", "top su_build_army#1")


def test_16_7_production_initiative_lays_a_status_without_its_text() -> None:
    table = Table(
        "total-war", "active germany", "homes", "hand germany de_tw_production_initiative#1"
    )
    table.until("8.2", "germany")
    table("germany: play de_tw_production_initiative#1")
    assert "take de_conscription#1" in table.options("germany")
    assert not table.options("germany", "take de_plunder")
    table("germany: take de_conscription#1")
    table.expect("on-table de_conscription#1", "no in-deck de_conscription#1")
    assert "DeckShuffled" in table.kinds()


def test_16_8_volkssturm_is_besides_the_play_step() -> None:
    table = Table(
        "base",
        "active germany",
        "status germany de_volkssturm",
        "hand germany de_plunder#1",
    )
    assert table.trigger.kind == "turn_begin"
    table("germany: use de_volkssturm#1", "germany: recruit germany army germany")
    table.expect("discards germany 1", "piece germany army germany")
    table.until("8.2", "germany")
    assert "play de_plunder#1" in table.options("germany")


def test_16_9_a_piece_freed_for_a_build_no_longer_supplies_it() -> None:
    def table() -> Table:
        made = Table(
            "base",
            "active usa",
            "homes",
            "no-piece usa army eastern_us",
            "piece usa army western_us hawaii canada latin_america",
            "piece usa navy north_pacific east_pacific",
            "status usa us_wartime_production",
            "hand usa us_build_army#1",
        )
        made("usa: play us_build_army#1", "usa: build usa army vladivostok")
        assert made.options("usa") == ["use us_wartime_production#1", "pass"]
        return made

    short = table()
    short("usa: use us_wartime_production#1")
    assert (short.rule, short.asked) == ("8.2", ("germany",))  # no Army left, so it is skipped
    freed = table()
    freed("usa: withdraw usa army vladivostok", "usa: use us_wartime_production#1")
    assert "build usa army vladivostok" in freed.options("usa")
    assert "build usa army china" not in freed.options("usa")


def test_16_10_scorched_earth() -> None:
    lines = ("active germany", "homes", "status ussr su_scorched_earth")
    table = Table("base", *lines, "piece germany army ukraine")
    table.expect("points germany 2")
    table = Table("base", *lines, "piece ussr army ukraine")
    table.expect("points ussr 4")


def test_16_13_theater_shift() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece usa army western_us hawaii latin_america",
        "piece usa navy east_pacific southeast_pacific southern_ocean",
        "piece usa air east_pacific southern_ocean",
        "piece uk army new_guinea australia",
        "hand usa us_theater_shift#1",
    )
    table.until("8.2", "usa")
    table("usa: play us_theater_shift#1")
    assert len(table.options("usa", "remove")) == 7

    def rebuild(piece: str, goal: str) -> None:
        table(f"usa: remove usa {piece}")
        if table.rule == "13.4":
            table("usa: reposition usa southeast_pacific")
        while not table.options("usa", "build"):
            table.default()
        table(f"usa: build usa {piece.split(maxsplit=1)[0]} {goal}")
        while table.rule == "10.4":
            table.default()

    rebuild("navy southern_ocean", "central_pacific")
    table.expect("piece usa air southeast_pacific")
    rebuild("army latin_america", "new_guinea")
    rebuild("navy southeast_pacific", "south_pacific")
    assert table.spaces("usa", "air") == {"east_pacific"}
    assert len(table.options("usa", "remove")) == 4
    rebuild("army hawaii", "australia")
    table("usa: done")
    assert table.spaces("usa", "army") == {"eastern_us", "western_us", "new_guinea", "australia"}
    assert table.spaces("usa", "navy") == {"east_pacific", "central_pacific", "south_pacific"}


def test_16_15_shvernik_keeps_recruits_and_lets_build_beside_them() -> None:
    table = Table(
        "base",
        "active ussr",
        "status ussr su_shverniks_evacuation_council",
        "hand ussr su_german_soviet_treaty#1 su_build_army#1",
    )
    table("ussr: play su_german_soviet_treaty#1")
    for part in (
        "choose 1",
        "recruit ussr army russia",
        "choose 2",
        "recruit ussr army eastern_europe",
    ):
        if table.asked == ("ussr",) and part in table.options("ussr"):
            table(f"ussr: {part}")
    table.expect("supplied ussr army russia", "supplied ussr army eastern_europe")
    table.finish_turn()
    while table.state.active != "ussr" or table.rule != "8.2":
        table.finish_turn()
    table.expect("piece ussr army russia", "piece ussr army eastern_europe")
    table("ussr: play su_build_army#1")
    assert "build ussr army moscow" in table.options("ussr")  # the Home needs no line (7.1 b)


# -- 17 and 18


def test_17_11_kuibyshev_moves_home_and_star() -> None:
    lines = ("active ussr", "homes", "piece ussr army siberia")
    table = Table("total-war", *lines, "piece usa army siberia")
    table.expect("points ussr 2")
    table = Table(
        "total-war",
        *lines,
        "piece usa army siberia",
        "status ussr su_tw_government_evacuates_to_kuibyshev",
    )
    table.expect("points ussr 2")  # Siberia counts 2 next to a friend, Moscow nothing
    table = Table(
        "total-war",
        "active ussr",
        "piece germany army moscow",
        "piece ussr army siberia",
        "status ussr su_tw_government_evacuates_to_kuibyshev",
    )
    table.finish_turn()
    table.expect("vp allies 1")  # 2 for Siberia; nothing was discarded (8.4)


def test_17_10_hobarts_funnies_silence_axis_statuses_in_the_uk_turn() -> None:
    lines = (
        "homes",
        "status uk uk_tw_hobarts_funnies",
        "status italy it_tw_turkey_opens_the_straits",
    )
    Table("total-war", "active uk", *lines).expect("no adjacent black_sea mediterranean axis")
    Table("total-war", "active usa", *lines).expect("adjacent black_sea mediterranean axis")


def test_13_7_government_in_exile_moves_the_french_home() -> None:
    table = Table(
        "total-war",
        "active uk",
        "no-deck uk",
        "piece germany army western_europe",
        "piece uk army united_kingdom",
        "piece france army india",
        "status uk uk_tw_government_in_exile",
    )
    table.finish_turn()
    gained = [str(event) for event in table.events if "france" in str(event) and "Vp" in str(event)]
    assert len(gained) == 1


def test_17_7_a_random_response_is_lost_unseen() -> None:
    table = Table(
        "base",
        "active italy",
        "homes",
        "response ussr su_moscow su_leningrad",
        "hand italy it_division_azul#1",
    )
    table("italy: play it_division_azul#1")
    table.expect("responses ussr 1", "discards ussr 1")
    for country in ("italy", "usa"):
        said = " ".join(table.said(country))
        assert "at random" in said
        assert "Leningrad" not in said
        assert "Moscow." not in said
