"""Total War (13), answers to players' questions (16) and rulings (18) that no other test covers."""

from tests.engine.qmg.table import Table

# -- 13


def test_13_2_example_2_only_the_type_of_a_named_cost_is_shown() -> None:
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


def test_18_21_after_an_air_attack_another_response_may_save_the_army() -> None:
    table = battle("piece germany air ukraine", "response ussr su_moscow")
    table.until_window("about_to_be_removed", "ussr")
    assert table.options("ussr") == ["use su_moscow#1", "air-defense", "pass"]
    table("ussr: air-defense")
    while table.rule != "13.6":
        table.default()
    table("germany: air-attack ukraine", "ussr: use su_moscow#1")
    table.expect("piece ussr army moscow")


# -- 16


def test_16_3_guards_require_a_build_army_card_in_the_discard_pile() -> None:
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


def test_16_8_volkssturm_does_not_use_up_the_play_step() -> None:
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


def test_16_9_a_piece_removed_for_a_build_no_longer_supplies_it() -> None:
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


def test_16_13_theater_shift_moves_pieces_to_new_spaces() -> None:
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


def test_16_15_shvernik_recruits_and_allows_builds_beside_them() -> None:
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


def test_17_7_a_response_lost_at_random_stays_hidden() -> None:
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
