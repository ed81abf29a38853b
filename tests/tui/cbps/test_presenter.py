"""Carrier Battle in words and pictures, from views and orders only, at every size."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.frames import (
    AirMovementFrame,
    BoatsFrame,
    FrameBase,
    PhaseFrame,
    SearchChoiceFrame,
    TurnFrame,
)
from engine.cbps.ruleset import CBPS
from engine.cbps.state import Boat, Hits, Hull, LandBase, Mission, Raid
from engine.cbps.view import CbpsView
from engine.kernel.ids import Role
from play.choices import Choice
from tests.engine.cbps.battle import battle, with_force, with_frame, with_parts
from tests.sizes import sampled
from tests.tui.cbps.battles import PRESENTER, SIZES, US, index_of, question, states, view_of
from tests.tui.hostile import is_clean
from tui.cbps import flights, texts
from tui.cbps.panels import page_texts
from tui.drawing.colour_roles import TextRole
from tui.maps.hexmap.scene import HexScene
from tui.panels.status_segments import fit_segments, plain_text, status_bar_text
from tui.presenter.presenter import Selection, map_text
from tui.widgets.lines import wrap_lines

SCENARIOS = ["1", "3", "4", "6"]
FULL = with_parts(
    with_force(
        with_force(battle("6"), "A", "1117", level=2, chit="2-3 Carriers", detection="L"),
        "1",
        "1119",
        level=4,
        chit="1 CV",
        is_carrier=True,
        is_butai=True,
        boxes={"aall": 12, "lost": 3, "raid-a": 6},
        raids=1,
        detection="S",
        has_advantage=True,
    ),
    hulls={
        "taiho": Hull(force="1", hits=Hits(current=2, permanent=1)),
        "yamato": Hull(force="1"),
        "zuiho": Hull(force="1", fate="sunk"),
    },
    raids={"1-a": Raid(origin="1", slot="a", hex="1113", target="58.1", points=6)},
    missions={
        "strike-3": Mission(kind="strike", hex="1112", fuel=9, groups=("58.1",)),
        "intercept-7": Mission(kind="intercept", cap="58.1"),
    },
    boats={"albacore": Boat(hex="1414", shadowing="A", pin=1)},
)
FLYING = with_parts(
    FULL,
    units={
        "hornet-b1": replace(FULL.units["hornet-b1"], place="mission", at="strike-3"),
        "hornet-f1": replace(FULL.units["hornet-f1"], place="mission", at="intercept-7"),
    },
)
VIEW = view_of(FLYING)
FLYING_MOVES = replace(
    with_frame(FLYING, TurnFrame(step="phase"), PhaseFrame(segment=3), AirMovementFrame()),
    segment="us-air-movement",
)


def leaves(lines: tuple[Choice, ...]) -> Iterator[object]:
    for line in lines:
        yield from line.commands()


def everything(view: CbpsView) -> tuple[str, ...]:
    pages = (line for _, _, page in PRESENTER.pages(view) for line in page)
    return (
        status_bar_text(PRESENTER.status_segments(view, "heading", "status")),
        *(() if (steps := PRESENTER.steps(view)) is None else (steps.title, *steps.names)),
        *PRESENTER.hand_lines(view),
        *PRESENTER.brief(view),
        *PRESENTER.battle_lines(view),
        *PRESENTER.hex_lines(view, "1109"),
        *pages,
    )


# -- orders in words


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_every_question_of_a_game_has_clean_texts(scenario: str) -> None:
    for state in states(scenario)[:-1:3]:
        view, decision = question(state)
        for option in decision.options[:: len(decision.options) // 50 + 1]:
            label = PRESENTER.label(view, option)
            assert is_clean(label), label
            assert "_" not in label, label
            assert PRESENTER.detail(view, option)
            assert PRESENTER.short_label(view, option)
            assert all(
                place in battle().game_data.map.hexes for place in PRESENTER.places(view, option)
            )
            title, lines = PRESENTER.about(view, option)
            assert is_clean(title)
            assert all(map(is_clean, lines))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_list_contains_each_option_once(scenario: str) -> None:
    for state in states(scenario)[:-1:9]:
        view, decision = question(state)
        lines = PRESENTER.arrange_options(view, decision.options, ())
        assert sorted(map(repr, leaves(lines))) == sorted(map(repr, decision.options))
        labels = [PRESENTER.label(view, option) for option in decision.options]
        assert len(labels) == len(set(labels)), "two orders never read the same"


def test_lists_stay_short_on_every_level() -> None:
    most = 0
    for state in states("6")[:-1:9]:
        view, decision = question(state)
        below = [PRESENTER.arrange_options(view, decision.options, ())]
        while below:
            lines = below.pop()
            most = max(most, len(lines))
            below += [line.children for line in lines if line.is_heading]
    assert most <= 42


def test_end_of_a_segment_is_listed_last() -> None:
    view, decision = question(states("6")[20])
    lines = PRESENTER.arrange_options(view, decision.options, ())
    assert isinstance(lines[-1].command, c.Done)


@pytest.mark.parametrize("kind", c.COMMANDS, ids=lambda kind: kind.__name__)
def test_every_order_type_has_a_label(kind: type[c.CbpsCommand]) -> None:
    values = {
        "unit": "hornet-b1",
        "mission": "strike-3",
        "carrier": "hornet",
        "group": "58.1",
        "hex": "1112",
        "box": "ready",
        "name": "albacore",
        "bearing": 270,
        "search": "search-1",
        "force": "A",
        "raid": "1-a",
        "target": "A",
        "escorts": 1,
        "ship": "hornet",
        "cripple": "wasp",
        "boat": "albacore",
    }
    order = kind(**{field: values[field] for field in kind.__struct_fields__})
    for text in (PRESENTER.label, PRESENTER.detail, PRESENTER.short_label):
        said = text(VIEW, order)
        assert said[:1] == said[:1].upper()
        assert "-" not in said.replace("1-A", "").replace("2-3", ""), "ids are no words"


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (c.Fly(mission="strike-3", hex="1113"), "Fly Strike 3 W to 1113"),
        (c.SearchOut(unit="hornet-b1", bearing=270), "Search with Hornet B1 (SB2C) on bearing 270 (W)"),
        (c.Attack(mission="strike-3", target="A"), "Strike 3 attacks Force A (level 2, 2-3 Carriers, located)"),
        (c.Intercept(mission="intercept-7", raid="1-a"), "Intercept 7 fights Raid 1-A (6 points against TG 58.1)"),
        (c.Aim(ship="taiho"), "Aim at Taiho (CV, hits 3 of 9)"),
        (c.Hunt(boat="albacore", hex="1415"), "Albacore W to 1415"),
        (c.Darken(group="58.1"), "Switch off the lights of TG 58.1 and all others in 1108"),
        (c.Launch(unit="hornet-b2", mission="strike-5"), "Launch Hornet B2 (SB2C) into a new strike, Strike 5"),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, str) else "",
)  # fmt: skip
def test_order_labels_show_the_deciding_facts(order: c.CbpsCommand, said: str) -> None:
    assert PRESENTER.label(VIEW, order) == said


def test_orders_return_their_map_hexes() -> None:
    order = c.Attack(mission="strike-3", target="A")
    assert PRESENTER.places(VIEW, order) == ("1117",)
    assert PRESENTER.places(VIEW, c.Fly(mission="strike-3", hex="1113")) == ("1113",)
    assert PRESENTER.places(VIEW, c.Intercept(mission="strike-3", raid="1-a")) == ("1113",)
    search = c.SearchOut(unit="hornet-b2", bearing=270)
    assert PRESENTER.places(VIEW, search) == ("1118",)
    assert PRESENTER.places(VIEW, c.Done()) == ()


# -- texts


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_all_pages_and_texts_are_clean(scenario: str) -> None:
    for state in states(scenario)[::40]:
        for role in (US, None):
            view = PRESENTER.ruleset.project(state, role)
            assert isinstance(view, CbpsView)
            assert all(map(is_clean, everything(view)))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_text_lines_wrap_to_any_panel_width(width: int, height: int) -> None:
    lines = [(line, TextRole.PLAIN) for line in everything(VIEW)]
    assert max(len(text) for text, _ in wrap_lines(lines, width)) <= width


def test_status_bar_shows_the_clock_first() -> None:
    header = status_bar_text(PRESENTER.status_segments(VIEW, "", "* host"))
    assert header.startswith("19 June 0530 | phase 1 | [o]ooo day")
    assert " | VP " in header[:80]
    assert "* host" in header
    late = view_of(
        replace(FLYING, turn=10, phase=3, limit_reached=True, cup=("A", "No Op", "No Op"))
    )
    header = status_bar_text(PRESENTER.status_segments(late, "", ""))
    assert "1850 | phase 3 | o-[-]* dusk" in header
    assert "cup 3: A, 2 No Op" in header
    assert "!" in header


def test_full_cup_fits_120_columns() -> None:
    cup = (*"ABCDEFGH", "No Op", "US Move", "US Subs", "No Op")
    parts = PRESENTER.status_segments(view_of(replace(FLYING, turn=10, phase=3, cup=cup)), "", "")
    line = plain_text(fit_segments(parts, 120))
    assert "ABCDEFGH, US Move, US Subs, 2 No Op" in line
    assert len(line) <= 120


def test_score_page_shows_index_levels_and_clock() -> None:
    page = "\n".join(page_texts.score_page(index_of(FLYING))[2])
    assert "Commitment Index" in page
    assert "T threshold, L limit" in page
    assert ">0530  [o]ooo  phase 1 of 4, day" in page
    assert "  1850  o--*" in page
    assert "31 or more: mixed result" in page


def test_hex_lines_list_who_is_there() -> None:
    home = "\n".join(PRESENTER.hex_lines(VIEW, PRESENTER.home(VIEW)))
    assert "TG 58.1 at 1108, CAP 2/3" in home
    assert "CAP Intercept 7: 1 F6F" in home
    assert "Force A" in "\n".join(PRESENTER.hex_lines(VIEW, "1117"))
    assert PRESENTER.hex_lines(VIEW, "9999") == ("There is no hex '9999'.",)
    assert PRESENTER.hex_lines(VIEW, "guam")[0] == "1407 Guam"


def test_missions_show_fuel_and_time_of_return() -> None:
    index = index_of(FLYING)
    lines = tuple(flights.mission_lines(index, "strike-3"))
    assert lines[0] == "Strike 3: 1 SB2C, at 1112, fuel 9"
    assert lines[1] == "  TG 58.1 4 hexes, home by 0530/2 day, needs 5-7 fuel"


@pytest.mark.parametrize(
    ("fuel", "tells"),
    [
        (-2, "TG 58.1 4 hexes"),
        (0, "% lost on the way"),
        (-4, "TG 58.1 4 hexes, out of reach: needs 5-7 fuel, has 0"),
    ],
)
def test_4_45_mission_lines_show_whether_the_fuel_suffices(fuel: int, tells: str) -> None:
    mission = Mission(kind="strike", hex="1112", fuel=fuel)
    index = index_of(with_parts(FLYING, missions={"strike-3": mission}))
    assert tells in "\n".join(flights.mission_lines(index, "strike-3"))


def test_cap_uses_no_fuel() -> None:
    lines = tuple(flights.mission_lines(index_of(FLYING), "intercept-7"))
    assert lines == ("Intercept 7: 1 F6F, CAP of TG 58.1, no fuel used",)


def test_raids_show_points_target_and_arrival_time() -> None:
    line = flights.raid_line(index_of(FLYING), "1-a")
    assert (
        line
        == "Raid 1-A: 6 points, from Butai 1, at 1113, against TG 58.1, 5 hexes away, there 0530/4 day"
    )
    split = Raid(origin="1", hex="1108", target="58.1", is_split=True, fighters=2, attackers=1)
    line = flights.raid_line(index_of(with_parts(FLYING, raids={"1-a": split})), "1-a")
    assert "2 escorts, 1 attacker" in line
    assert "over it" in line


def test_4_51_raid_shows_which_missions_can_meet_it() -> None:
    mission = Mission(kind="intercept", hex="1112", fuel=12, groups=("58.1",))
    unit = replace(FULL.units["hornet-f2"], place="mission", at="intercept-6")
    state = with_parts(FLYING, missions={"intercept-6": mission}, units={"hornet-f2": unit})
    lines = PRESENTER.hex_lines(view_of(state), "1113")
    assert any(line.startswith("  Intercept 6 can meet it in 111") for line in lines)
    other = replace(FULL.units["hornet-f1"], place="mission", at="intercept-7")
    both = with_parts(state, missions={"intercept-7": mission}, units={"hornet-f1": other})
    lines = PRESENTER.hex_lines(view_of(both), "1113")
    (line,) = [line for line in lines if "Intercept 7" in line]
    assert line.startswith("  Intercept 6 and Intercept 7 can meet it in 111")
    assert ": each destroys " in line


def test_submarines_show_what_they_shadow() -> None:
    line = flights.boat_line(index_of(FLYING), "albacore")
    assert line == "Albacore: at 1414, shadows Force A (level 2, 2-3 Carriers, located), pinned 1"


def test_butai_page_shows_boxes_ships_and_raids() -> None:
    page = "\n".join(PRESENTER.pages(VIEW)[2][2])
    assert "Butai 1: at 1119, level 4, 1 CV, spotted, US Advantage" in page
    assert "Known Air Strength 21 points, Air Value" in page
    assert "Raid A 6, Available at all ranges 12, Lost 3" in page
    assert "Taiho (CV), light damage: 3 of 9 (2 now, 0 last turn, 1 permanent)" in page
    assert "  Yamato (BB)" in page
    assert "Zuiho (CVL), sunk" in page
    assert "Raid 1-A: 6 points" in page


def test_guam_page_shows_its_boxes() -> None:
    state = replace(
        FLYING, guam=LandBase(air_value=8, boxes={"landed": 3, "s1": 2}, reinforced=("Iwo Jima",))
    )
    page = "\n".join(PRESENTER.pages(view_of(state))[2][2])
    assert "Guam: Air Value 8" in page
    assert "Landed 3, Servicing 1 2" in page
    assert "reinforced today from Iwo Jima" in page


def test_situation_lists_damage() -> None:
    hurt = replace(
        FLYING.ships["hornet"], hits=3, fires=(2, 1), is_inoperative=True, is_crashed=True
    )
    lines = "\n".join(PRESENTER.hand_lines(view_of(with_parts(FLYING, ships={"hornet": hurt}))))
    assert "Hornet: light 3/" in lines
    assert "FIRE 2,1, DECK OUT, CRASH" in lines


# -- the map


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_map_is_drawn_at_every_size(width: int, height: int) -> None:
    lines = map_text(PRESENTER, VIEW, PRESENTER.home(VIEW), (width, height))
    assert len(lines) == height
    assert all(len(line) <= width and line.isascii() for line in lines)
    assert any("TF58" in line for line in lines)


def test_options_highlight_their_hexes() -> None:
    order = c.Fly(mission="strike-3", hex="1113")
    scene = PRESENTER.scene(VIEW, Selection(options=(order,)))
    assert scene.cells["1113"].highlight
    assert not scene.cells["1112"].highlight


@pytest.mark.parametrize(
    ("order", "ways"),
    [
        pytest.param(
            c.Fly(mission="strike-3", hex="1113"),
            [("1112", "1113"), ("1113", "1108")],
            id="4.4-out-and-home",
        ),
        pytest.param(
            c.Launch(unit="hornet-b2", mission="strike-8"), [("1108", "1117")], id="6.24-strike"
        ),
        pytest.param(
            c.Intercept(mission="intercept-7", raid="1-a"), [("1108", "1113")], id="4.51-raid"
        ),
        pytest.param(c.Attack(mission="strike-3", target="A"), [("1112", "1117")], id="5.2-target"),
        pytest.param(c.Sail(group="tf58", hex="1109"), [("1108", "1109")], id="6.34-fleet"),
        pytest.param(c.Raise(unit="hornet-b1"), [], id="6.25-goes-nowhere"),
    ],
)
def test_path_of_the_highlighted_order_is_drawn(
    order: c.CbpsCommand, ways: list[tuple[str, str]]
) -> None:
    plain = PRESENTER.scene(VIEW, Selection())
    scene = PRESENTER.scene(VIEW, Selection(highlighted=order))
    assert [track.hexes for track in scene.tracks if track not in plain.tracks] == ways


def test_8_25_the_planned_search_fills_its_wedge() -> None:
    state = battle("6")
    order = c.SearchOut(unit="hornet-b1", bearing=270)
    plain, planned = (
        PRESENTER.scene(view_of(state), Selection(highlighted=highlighted))
        for highlighted in (None, order)
    )
    assert isinstance(planned, HexScene)
    fills = {name for name, cell in planned.cells.items() if cell.fills != plain.cells[name].fills}
    assert {"1110", "1114", "1118"} <= fills
    assert not fills & {"1106", "0508"}


def test_8_27_launched_search_is_no_longer_drawn_as_planned() -> None:
    aloft = replace(FULL.units["hornet-b1"], place="search", at="search-1")
    view = view_of(with_parts(FULL, units={"hornet-b1": aloft}))
    for order in (
        c.SearchOut(unit="hornet-b1", bearing=270),
        c.SearchNarrow(unit="hornet-b1", hex="0108"),
    ):
        drawn = PRESENTER.scene(view, Selection(highlighted=order))
        plain = PRESENTER.scene(view, Selection())
        assert drawn.cells == plain.cells


@pytest.mark.parametrize("overlay", [name for _, name, _ in PRESENTER.overlays])
def test_every_overlay_draws_rings_or_edge_marks(overlay: str) -> None:
    scene = PRESENTER.scene(VIEW, Selection(overlay=overlay, cursor=PRESENTER.home(VIEW)))
    assert scene.rings or scene.edge_marks


# -- lookup and "why not"


@pytest.mark.parametrize(
    ("asked", "hex"),
    [("force a", "1117"), ("58.1", "1108"), ("guam", "1407"), ("strike 3", "1112"), ("albacore", "1414"),
     ("1013", "1013"), ("raid", "1113"), ("hornet", "1108")],
)  # fmt: skip
def test_find_by_name_returns_the_hex(asked: str, hex: str) -> None:
    assert PRESENTER.find(VIEW, asked)[0].hex_id == hex


def test_find_returns_a_unit_with_its_carrier() -> None:
    hit = PRESENTER.find(VIEW, "hornet b2")[0]
    assert hit.title == "Hornet B2 (SB2C)"
    assert "Hornet (CV)" in hit.text
    assert PRESENTER.find(VIEW, "  ") == ()


def test_why_not_candidates_concern_the_hex() -> None:
    view, decision = question(FLYING_MOVES)
    found = PRESENTER.candidates(view, decision, "1101")
    assert c.Fly(mission="strike-3", hex="1101") in found
    attack = replace(decision, options=(c.Attack(mission="strike-3", target="1"),))
    assert PRESENTER.candidates(view, attack, "1117") == (c.Attack(mission="strike-3", target="A"),)


@pytest.mark.parametrize(
    ("role", "name"), [(US, "Commander"), (Role("us-2"), "Second commander"), (None, "Spectator")]
)
def test_role_names_and_people_of_a_session(role: Role | None, name: str) -> None:
    assert PRESENTER.role_name(role) == name


def test_type_counts_group_units_by_type() -> None:
    assert (
        texts.type_counts(index_of(FLYING), ("hornet-b1", "hornet-b2", "hornet-f1"))
        == "2 SB2C, 1 F6F"
    )


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (SearchChoiceFrame(), "Done: search later in this turn"),
        (BoatsFrame(), "Done: the other submarines do nothing"),
    ],
)
def test_done_label_says_what_happens_to_the_rest(frame: FrameBase, said: str) -> None:
    index = index_of(with_frame(battle("6"), frame))
    assert texts.label(index, c.Done()) == said


@pytest.mark.parametrize("scenario", ["1", "2", "3", "6"])
def test_forecast_is_available_at_every_question(scenario: str) -> None:
    for state in states(scenario)[:-1:7]:
        if not CBPS.active_roles(state):
            continue
        view, decision = question(state)
        for option in {type(option): option for option in decision.options}.values():
            assert PRESENTER.forecast(view, PRESENTER.home(view), option), option
