"""Long lists of orders, grouped by the moving unit, with the most urgent landings first."""

import pytest
from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.frames import (
    AimFrame,
    AirMovementFrame,
    FrameBase,
    InterceptionFrame,
    OperationsFrame,
    OverflightFrame,
    PhaseFrame,
    SailFrame,
    SearchLandingFrame,
    TurnFrame,
)
from engine.cbps.state import Mission, Search, State
from play.choices import Choice
from play.controller import GameController
from play.questions import build_question
from tests.engine.cbps.battle import battle, with_force, with_frame, with_parts
from tests.engine.cbps.strikes import ATTACKERS, strike_state
from tests.play.test_controller import Recorder
from tests.tui.cbps.battles import PRESENTER, question, session, states, view_of
from tui.widgets.lists.choice_lines import initial_row, lay_out_choices

BATTLE = battle("6")
HOME = BATTLE.groups["58.1"].hex


def asked(state: State, frame: FrameBase) -> State:
    return with_frame(state, TurnFrame(step="phase"), PhaseFrame(segment=3), frame)


def strike(fuel: int, **parts: object) -> Mission:
    return replace(Mission(kind="strike", hex=HOME, fuel=fuel, groups=("58.1",)), **parts)


def aloft(missions: dict[str, Mission], *units: tuple[str, str]) -> State:
    return with_parts(
        BATTLE,
        missions=missions,
        units={unit: replace(BATTLE.units[unit], place="mission", at=at) for unit, at in units},
    )


def titles(state: State, *orders: c.CbpsCommand) -> list[str]:
    return [line.title for line in PRESENTER.choices(view_of(state), orders)]


MOVING = asked(
    aloft({"strike-3": strike(9), "strike-4": strike(7)}, ("hornet-b1", "strike-3"), ("hornet-b2", "strike-4")),
    AirMovementFrame(),
)  # fmt: skip
EAST, WEST = "1107", "1109"


@pytest.mark.parametrize("hexes", [(EAST, WEST), (EAST, WEST, "1208", "1209", "1008", "1009")])
def test_4_4_moves_have_the_same_form_whatever_their_number(hexes: tuple[str, ...]) -> None:
    orders = [c.Fly(mission=one, hex=hex) for one in ("strike-3", "strike-4") for hex in hexes]
    assert titles(MOVING, *orders, c.Done()) == [
        "Strike 3 (1 SB2C; fuel 9)",
        "Strike 4 (1 SB2C; fuel 7)",
        "Done: end US Air Movement" if MOVING.segment else "Done",
    ]
    below = PRESENTER.choices(view_of(MOVING), [*orders, c.Hold(mission="strike-3")])[0].children
    assert [line.title for line in below][:2] == ["E to 1107", "W to 1109"]
    assert below[-1].title == "Let Strike 3 stay where it is"


def test_4_4_a_single_mover_needs_no_heading() -> None:
    assert titles(MOVING, c.Fly(mission="strike-3", hex=WEST), c.Hold(mission="strike-3")) == [
        "Fly Strike 3 W to 1109",
        "Let Strike 3 stay where it is",
    ]


def test_6_28_most_urgent_missions_land_first() -> None:
    missions = {
        "intercept-1": Mission(kind="intercept", cap="58.1"),
        "strike-3": strike(9, is_fresh=True),
        "strike-4": strike(1),
        "strike-5": strike(4, is_flipped=True),
    }
    units = {
        "hornet-f1": "intercept-1",
        "hornet-b1": "strike-3",
        "hornet-b2": "strike-4",
        "wasp-b1": "strike-5",
    }
    state = asked(aloft(missions, *units.items()), OperationsFrame())
    orders = [c.Land(unit=unit, carrier=ship) for unit in units for ship in ("hornet", "wasp")]
    lines = PRESENTER.choices(view_of(state), orders)
    assert [line.title for line in lines[::2]] == [
        "Land Hornet B2 (SB2C) on Hornet",
        "Land Wasp B1 (SB2C) on Wasp",
        "Land Hornet F1 (F6F) on Hornet",
        "Land Hornet B1 (SB2C) on Hornet",
    ]


def test_8_28_one_key_lands_a_search_on_its_carrier() -> None:
    state = asked(BATTLE, SearchLandingFrame(left=("hornet-b1",)))
    units = {"hornet-b1": replace(BATTLE.units["hornet-b1"], place="search", at="search-1")}
    orders = [c.Land(unit="hornet-b1", carrier=ship) for ship in ("yorktown", "hornet", "wasp")]
    first, second = PRESENTER.choices(view_of(with_parts(state, units=units)), orders)
    assert first.command == c.Land(unit="hornet-b1", carrier="hornet")
    assert second.title == "Land Hornet B1 (SB2C) on another carrier"
    assert [line.title for line in second.children] == ["On Yorktown", "On Wasp"]


def test_5_721_all_fire_is_listed_first() -> None:
    state = asked(BATTLE, OverflightFrame(raid="1-a", target="58.1"))
    orders = [c.HoldFire(ship="iowa"), c.HoldFire(ship="alabama"), c.Done()]
    assert titles(state, *orders)[0] == "Done: all others fire"


@pytest.mark.parametrize(
    ("escorts", "said"),
    [(0, "Send 2 units against attackers"), (1, "Send 1 unit against escorts, 1 against attackers"),
     (2, "Send 2 units against escorts")],
)  # fmt: skip
def test_4_52_division_is_labelled_in_plain_numbers(escorts: int, said: str) -> None:
    fighters = (("hornet-f1", "intercept-7"), ("hornet-f2", "intercept-7"))
    state = aloft({"intercept-7": Mission(kind="intercept", hex=HOME, fuel=9)}, *fighters)
    state = asked(state, InterceptionFrame(mission="intercept-7", raid="1-a"))
    assert PRESENTER.label(view_of(state), c.Divide(escorts=escorts)) == said


def test_8_34_search_attempt_shows_its_own_chance_first() -> None:
    search = Search(
        kind="standard", origin=HOME, group="58.1", bearing=270, radius="1118", hex="1114", zone="middle"
    )  # fmt: skip
    units = {"hornet-b1": replace(BATTLE.units["hornet-b1"], place="search", at="search-1")}
    state = with_force(with_parts(BATTLE, units=units, searches={"search-1": search}), "A", "1113")
    title, lines = PRESENTER.about(
        view_of(replace(state, turn=2)), c.Attempt(search="search-1", force="A")
    )
    assert title == "Force A"
    assert lines[0].startswith("Search 1 looks for Force A (undetected), +0: found 70%")
    assert lines[1] == "Later:"


@pytest.mark.parametrize("scenario", ["1", "4", "6"])
def test_no_two_lines_of_a_list_have_the_same_text(scenario: str) -> None:
    for state in states(scenario)[:-1:19]:
        view, decision = question(state)
        lists: list[tuple[Choice, ...]] = [PRESENTER.arrange_options(view, decision.options, ())]
        while lists:
            lines = lists.pop()
            read = [line.title for line in lines]
            assert len(read) == len(set(read)), read
            lists += [line.children for line in lines if line.is_heading]


def test_5_61_carriers_are_listed_first_as_targets() -> None:
    state = strike_state(*ATTACKERS, ships=("cruiser-force-8", "shokaku", "zuikaku"))
    state = with_frame(state, AimFrame(mission="strike-1", target="X", dice=(0,)))
    orders = [c.Aim(ship=ship) for ship in ("cruiser-force-8", "shokaku", "zuikaku")]
    lines = PRESENTER.choices(view_of(state), [*orders, c.Done()])
    ships = [getattr(line.command, "ship", "") for line in lines]
    assert ships[2:] == ["cruiser-force-8", ""]
    assert set(ships[:2]) == {"shokaku", "zuikaku"}


def test_7_2_extra_enter_does_not_move_a_group() -> None:
    state = asked(BATTLE, SailFrame())
    lines = PRESENTER.choices(view_of(state), [c.Sail(group="58.1", hex=EAST), c.Done()])
    assert isinstance(lines[initial_row(lines) or 0].command, c.Done)


# -- one list instead of several: launches first, landings in a separate list


def _titles(lines: tuple[Choice, ...]) -> list[str]:
    """Return the first words above or in each line, without duplicates and without commands at any time."""
    answers = [line for line in lines if not line.is_any_time]
    return list(
        dict.fromkeys(line.headings[0] if line.headings else line.title for line in answers)
    )


def _operations() -> State:
    """Return a phase in which units can be launched, have just taken off, and return from a strike."""
    missions = {
        "intercept-1": Mission(
            kind="intercept", hex=HOME, fuel=16, groups=("58.1",), is_fresh=True
        ),
        "strike-3": strike(4, is_flipped=True),
    }
    units = ("hornet-f1", "intercept-1"), ("wasp-b1", "strike-3"), ("wasp-b2", "strike-3")
    return asked(aloft(missions, *units), OperationsFrame())


def test_6_23_launches_are_listed_first_and_landings_in_a_submenu() -> None:
    game = session(_operations())
    lines = build_question(game, PRESENTER, game.view()).lines
    titles = _titles(lines)
    landings = next(line for line in lines if line.title == "Land units")
    assert titles[0].startswith("Launch into ")
    assert titles[-2] == "Land units"
    assert titles[-1].startswith("Done")
    assert not [title for title in titles if title.startswith("Land Strike ")]
    missions = _titles(landings.children)
    assert missions[0].startswith("Land Strike 3 (2 SB2C")
    assert missions[-1].startswith("Land Intercept 1 (")
    assert sum(line.count for line in landings.children) == landings.count


async def test_6_28_one_key_lands_a_mission_on_its_home_carriers() -> None:
    game = session(_operations())
    shown = Recorder()
    controller = GameController(game, PRESENTER, shown)
    shown.controller = controller
    controller.update()
    landings = next(line for line in controller.lines if line.title == "Land units")
    await controller.tick_all(controller.lines, landings)
    landed = [one for one in game.draft.commands if isinstance(one, c.Land)]
    assert {one.unit for one in landed} >= {"wasp-b1", "wasp-b2"}
    assert {one.carrier for one in landed if one.unit.startswith("wasp-b")} == {"wasp"}


def test_4_4_initial_row_is_never_an_order_that_loses_something() -> None:
    state = asked(aloft({"intercept-1": Mission(kind="intercept", cap="58.1")}), AirMovementFrame())
    lines = PRESENTER.choices(view_of(state), [c.Deploy(mission="intercept-1"), c.Done()])
    assert isinstance(lines[initial_row(lines) or 0].command, c.Done)
    assert PRESENTER.consequence(view_of(BATTLE), c.Overboard(unit="hornet-b1"), ()).loss
    game = session(_operations())
    lines = build_question(game, PRESENTER, game.view()).lines
    assert lines[initial_row(lines) or 0].title.startswith("Launch into ")


async def test_6_23_lines_added_by_a_tick_stay_above_the_landings() -> None:
    game = session(_operations())
    launch = next(one for one in game.offered_commands() if isinstance(one, c.Launch))
    await game.give(launch)
    titles = _titles(build_question(game, PRESENTER, game.view()).lines)
    at = titles.index("Land units")
    assert all(
        titles.index(title) < at
        for title in titles
        if title.startswith(("Launch ", "Fly ", "Let ", "Raise ", "Service "))
    )
    assert at == len(titles) - 2


def test_6_28_landings_alone_need_no_heading() -> None:
    state = asked(BATTLE, SearchLandingFrame(left=("hornet-b1",)))
    units = {"hornet-b1": replace(BATTLE.units["hornet-b1"], place="search", at="search-1")}
    search = Search(
        kind="standard", origin=HOME, group="58.1", bearing=270, radius="1118", hex=HOME
    )
    game = session(with_parts(state, units=units, searches={"search-1": search}))
    lines = build_question(game, PRESENTER, game.view()).lines
    assert not [line for line in lines if line.is_heading]


def test_6_23_option_tree_has_the_same_order() -> None:
    state = _operations()
    view, decision = question(state)
    shown = [line.title for line in PRESENTER.choices(view, decision.options)]
    assert shown[-2:] == ["Land units", shown[-1]]
    assert shown[-1].startswith("Done")
    assert shown[0].startswith("Launch")


@pytest.mark.parametrize("width", range(20, 45))
def test_heading_count_never_wraps_onto_its_own_line(width: int) -> None:
    heading = Choice("Launch into a new strike, Strike 5", None, (Choice("Hornet B1", 1),) * 20, 20)
    texts = [line.text.strip() for line in lay_out_choices((heading,), width)]
    assert texts[-1].endswith("5 > 20")
    assert " ".join(texts) == "Launch into a new strike, Strike 5 > 20"


def test_heading_counts_the_lines_that_it_opens() -> None:
    row = Choice("1108", None, tuple(Choice(f"{number}", number) for number in range(30)), 30)
    heading = Choice("Place a submarine", None, (row, row), 60)
    (line,) = lay_out_choices((heading,), 40)
    assert line.text.strip().endswith("Place a submarine > 2")
