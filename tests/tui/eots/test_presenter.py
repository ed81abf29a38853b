"""Empire of the Sun in words and pictures, from views and commands only."""

from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from engine.eots import commands as c
from engine.eots.board import board
from engine.eots.card_sentences import CARD_SENTENCES
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import (
    DeclarationFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    StackFrame,
)
from engine.eots.ids import AreaId, CardId, HexId, Pool, Side, UnitId
from engine.eots.scenarios import scenario_ids
from engine.eots.state import OffensiveSnapshot
from engine.eots.view import EotsView, OffensiveView, project_state
from engine.kernel.decision import Decision
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Command
from tests.engine.eots.positions import start_of
from tests.sizes import sampled
from tests.tui.eots.still import HAND, StillSession, activation, still_view
from tests.tui.hostile import is_clean
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.eots import texts
from tui.eots.index import build_index
from tui.eots.panels.page_texts import charts_page
from tui.eots.presenter import EotsPresenter
from tui.eots.texts import short_name, turn_name
from tui.maps.enums import TINT_MARKS, Highlight, Owner
from tui.maps.hexmap.elements import Emphasis
from tui.maps.hexmap.scene import HexCell, HexGround
from tui.panels.status_segments import fit_segments, plain_text, status_bar_text
from tui.presenter.presenter import NO_OVERLAY, Selection, map_text
from tui.terminal.output_filter import to_ascii

VIEW = still_view()
PRESENTER = EotsPresenter(StillSession(VIEW).ruleset)
ENTERPRISE = UnitId("us-cv-enterprise")
SAMPLES: dict[str, Any] = {
    "card": CardId("A-13"),
    "hq": UnitId("us-hq-south-pacific-halsey"),
    "unit": ENTERPRISE,
    "loser": UnitId("jp-cv-akagi"),
    "gainer": UnitId("jp-cv-shokaku"),
    "at": HexId("4021"),
    "to": HexId("4423"),
    "pool": Pool.US_NAVAL,
    "steps": 1,
    "count": 2,
}


def sample(kind: type[Any]) -> Command:
    command: Command = kind(**{name: SAMPLES[name] for name in kind.__struct_fields__})
    return command


def _offensive(**changes: object) -> OffensiveView:
    whole = OffensiveView(
        side=Side.ALLIED,
        card=CardId("A-13"),
        event=True,
        ov=3,
        lv=None,
        iv=3,
        special_iv=3,
        before=OffensiveSnapshot(units={}, control={}, arrivals={}, tracks=VIEW.tracks),
        step=3,
        hq=None,
        limit=6,
        activated=(ENTERPRISE,),
        reaction_hq=None,
        reaction_activated=(),
        reaction_cards=(),
        condition="intercept",  # type: ignore[arg-type]  # the value of a closed set
        touched_zoi=False,
        battles={},
        joined={ENTERPRISE: HexId("4021")},
        covers={},
        paths={ENTERPRISE: (HexId("4727"), HexId("4626"))},
        naval_move=10,
    )
    return replace(whole, **changes)


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.__name__) for kind in c.COMMANDS])
def test_every_command_has_texts(kind: type[Any]) -> None:
    command = sample(kind)
    label = PRESENTER.label(VIEW, command)
    assert label
    assert is_clean(label)
    assert PRESENTER.detail(VIEW, command)
    assert PRESENTER.kind(command)
    assert kind in texts._LABELS, "a new command needs words of its own"
    found = PRESENTER.subject(VIEW, command)
    assert found is None or all(found)
    for place in PRESENTER.places(VIEW, command):
        assert place in board().hexes


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (c.Activate, "Activate CV Enterprise 4828 8-12 r2"),
        (c.March, "March to 4423 Guadalcanal"),
        (c.Join, "Join the battle of 4021 Rabaul with CV Enterprise 4828 8-12 r2"),
        (c.Resolve, "Fight the battle of 4021 Rabaul"),
        (c.Done, "Done"),
        (c.PlayEvent, "Play as EC: A-13 Operation Watchtower (OV 3)"),
    ],
)
def test_command_labels(kind: type[Any], text: str) -> None:
    assert PRESENTER.label(VIEW, sample(kind)) == text


@pytest.mark.parametrize("name", sampled(scenario_ids(), 3))
@pytest.mark.parametrize("overlay", ["", "zoi", "supply", "range", "air", "threat", "last"])
def test_every_scenario_has_a_map(name: str, overlay: str) -> None:
    view = still_view(name)
    presenter = EotsPresenter(StillSession(VIEW).ruleset)
    home = presenter.home(view)
    scene = presenter.scene(view, Selection(cursor=home, overlay=overlay))
    assert home in scene.cells
    for cell in scene.cells.values():
        for chip in cell.counters:
            assert len(f"{chip.icon}{chip.brief}") <= 3
            assert len(chip.mark + chip.text) <= 10
            assert all(cell_len(letter) == 1 for letter in chip.text)
        texts = [one.text for one in (*cell.counters, *cell.units)]
        for line in (cell.name, cell.symbols, cell.owner_mark, *texts):
            assert is_clean(line)


@pytest.mark.parametrize(("reading", "last"), [("columns-30-51", 51), ("columns-30-48", 48)])
def test_the_south_pacific_shows_its_sheet_and_oahu(reading: str, last: int) -> None:
    """17.10, OPS-11."""
    view = replace(still_view("south-pacific"), options={"sp-map": reading})
    cells = PRESENTER.scene(view, Selection()).cells
    columns = [int(name[:2]) for name, cell in cells.items() if cell.ground is not HexGround.VOID]
    assert {"4017", "4828", "5808"} <= set(cells)
    assert "3706" not in cells
    assert (min(columns), sorted(set(columns))[-2:]) == (30, [last, 58])


def test_find_returns_only_hexes_of_the_sheet() -> None:
    """17.10."""
    view = still_view("south-pacific")
    assert PRESENTER.find(view, "oahu")
    assert PRESENTER.find(view, "4828")
    assert not PRESENTER.find(view, "3407")
    assert PRESENTER.find(VIEW, "3407")


def test_central_pacific_range_is_the_new_hebrides() -> None:
    """17.10.5K."""
    view = still_view("south-pacific")
    cells = PRESENTER.scene(view, Selection(cursor="5808", overlay="range")).cells
    shaded = {name for name, cell in cells.items() if cell.tint is OverlayRole.OURS}
    assert shaded == set(board().areas[AreaId("new-hebrides-sp")].hexes)


def test_ports_are_counted_when_they_decide_victory() -> None:
    """17.10.7."""
    points = {"south-pacific-victory": "vp-schedule"}
    state = start_of("south-pacific")
    by_ports, by_points = (
        PRESENTER.goals(project_state(replace(state, options=options), Side.ALLIED)).title
        for options in ({}, points)
    )
    assert by_ports == "Ports and resource hexes: 3"
    assert by_points == "Japanese victory points: 12"


def test_owners_are_also_marked_by_letters() -> None:
    cells = PRESENTER.scene(VIEW, Selection()).cells
    assert (cells["4021"].owner, cells["4021"].owner_mark) == (Owner.TWO, "J")
    assert (cells["4828"].owner, cells["4828"].owner_mark) == (Owner.ONE, "A")
    assert {chip.mark for chip in cells["5808"].counters} == {"A"}
    assert {chip.mark for chip in cells["4021"].counters} == {"J"}


def test_zones_of_influence_differ_without_colour() -> None:
    cells = PRESENTER.scene(VIEW, Selection(overlay="zoi")).cells
    marks = {TINT_MARKS[cell.tint][0] for cell in cells.values() if cell.tint}
    assert {":", ";"} <= marks
    for name in VIEW.zones.allied:
        assert cells[name].tint in (OverlayRole.OURS, OverlayRole.BOTH)


def _moving(*commands: Command) -> dict[str, HexCell]:
    """Return the hexes while the Enterprise sails from Nouméa."""
    frame = StackFrame(
        side=Side.ALLIED,
        purpose=Purpose.OFFENSIVE,
        units=(ENTERPRISE,),
        origin=HexId("4828"),
        at=HexId("4727"),
        path=(HexId("4727"),),
    )
    view = replace(VIEW, frames=(frame,))
    return dict(PRESENTER.scene(view, Selection(options=commands)).cells)


def test_reach_of_the_moving_stack_shows_its_cost() -> None:
    cells = _moving(
        c.Sail(to=HexId("4626")), c.SailVia(to=HexId("4626")), c.SailVia(to=HexId("4625"))
    )
    assert (cells["4626"].paint[1], cells["4626"].tag) == (OverlayRole.NEAR, "3")
    assert (cells["4625"].paint[1], cells["4625"].tag) == (OverlayRole.FAR, "4")
    assert cells["4624"].tag == ""
    flown = _moving(c.Fly(to=HexId("4024")), c.March(to=HexId("4828")))
    assert flown["4024"].tag == str(board().distance(HexId("4727"), HexId("4024")))
    assert (flown["4828"].tag, flown["4828"].paint[1]) == ("", OverlayRole.NEAR)


def test_range_of_the_offered_headquarters_is_shown_and_can_be_hidden() -> None:
    halsey = UnitId("us-hq-south-pacific-halsey")
    order = c.ChooseHq(hq=halsey)
    at = next(unit.at for unit in VIEW.units if unit.id == halsey)
    hq = counters()[halsey].hq
    assert hq is not None
    reached = {board().ids[i] for i in board().within(board().index[HexId(at)], hq.command_range)}
    scene = PRESENTER.scene(VIEW, Selection(options=(order,), highlighted=order))
    assert {name for name, cell in scene.cells.items() if cell.tint is OverlayRole.OURS} == reached
    assert scene.legend == f": range of South Pacific HQ {hq.command_range}  + may be chosen"
    off = PRESENTER.scene(VIEW, Selection(options=(order,), highlighted=order, overlay=NO_OVERLAY))
    assert not any(cell.tint for cell in off.cells.values())
    assert off.legend == ""


def test_aircraft_reach_farther_at_extended_range() -> None:
    own, enemy = (
        PRESENTER.scene(VIEW, Selection(cursor=cursor, overlay=overlay)).cells
        for cursor, overlay in (("4423", "air"), ("4021", "threat"))
    )
    assert own["4423"].tint is OverlayRole.OURS
    assert OverlayRole.OURS_FAR in {cell.tint for cell in own.values()}
    assert enemy["4021"].tint is OverlayRole.THEIRS
    assert OverlayRole.THEIRS_FAR in {cell.tint for cell in enemy.values()}
    near = sum(cell.tint is OverlayRole.THEIRS for cell in enemy.values())
    everywhere = PRESENTER.scene(VIEW, Selection(cursor="4424", overlay="threat")).cells
    assert sum(cell.tint is OverlayRole.THEIRS for cell in everywhere.values()) > near


def test_stack_chip_shows_its_contents() -> None:
    cells = PRESENTER.scene(VIEW, Selection()).cells
    (chip,) = cells["4021"].counters
    index = build_index(VIEW)
    (stack,) = index.stacks["4021"]
    assert chip.brief == str(len(stack.units))
    assert to_ascii(chip.text) == "n3a1g1"
    assert chip.is_reduced
    lost = tuple(replace(unit, supplied=False) for unit in stack.units)
    units = tuple(unit for unit in VIEW.units if unit not in stack.units)
    cut = PRESENTER.scene(replace(VIEW, units=(*units, *lost)), Selection()).cells["4021"]
    assert [one.emphasis for one in cut.counters] == [Emphasis.HOLLOW]
    active = tuple(replace(unit, activated=True) for unit in stack.units[:1])
    acting = PRESENTER.scene(replace(VIEW, units=(*units, *active, *lost[1:])), Selection()).cells[
        "4021"
    ]
    assert [one.emphasis for one in acting.counters] == [Emphasis.ACTIVE]
    assert acting.counters[0].text.endswith("!")


def test_sea_is_shaded_by_its_distance_from_land() -> None:
    cells = PRESENTER.scene(VIEW, Selection()).cells
    floors = {name: cells[name].paint[0] for name in ("4120", "4020", "4017", "4223", "5205")}
    assert floors == {
        "4120": GroundRole.MIXED,
        "4020": GroundRole.MIXED,
        "4017": GroundRole.ATOLL,
        "4223": GroundRole.COAST,
        "5205": GroundRole.DEEP,
    }


def test_offered_hexes_are_highlighted() -> None:
    options = activation(VIEW).options
    cells = PRESENTER.scene(VIEW, Selection(options=options)).cells
    marked = {name for name, cell in cells.items() if cell.highlight is Highlight.REACH}
    assert marked == {"4423", "4024", "4828", "4825"}


def test_paths_and_battles_of_an_offensive_are_drawn() -> None:
    battle = type("Battle", (), {"resolved": False, "special": False})()
    view = replace(VIEW, offensive=_offensive(battles={HexId("4021"): battle}))
    presenter = EotsPresenter(StillSession(VIEW).ruleset)
    cells = presenter.scene(view, Selection(overlay="last")).cells
    assert cells["4626"].paint[1] is OverlayRole.PATH
    assert cells["4021"].paint[1] is OverlayRole.TARGET
    text = "\n".join(presenter.battle_lines(view))
    assert "Allied offensive with A-13" in text
    assert "Battle in 4021 Rabaul: declared" in text
    assert "joined by CV Enterprise" in text
    after = presenter.scene(VIEW, Selection(overlay="last")).cells
    assert after["4626"].paint[1] is OverlayRole.PATH


def test_status_bar_of_eots() -> None:
    parts = PRESENTER.status_segments(VIEW, "T5 Jan-Apr 43 | Offensives: Allies to play", "* host")
    line = status_bar_text(parts)
    assert line.startswith(
        "T5 Jan-Apr 43 | Offensives: Allies to play | PW 6 | PoW 0/4 | WiE -1 | ASP 4/4"
    )
    assert line.endswith("| * host | US ISR | JP ISR")
    spectator = status_bar_text(PRESENTER.status_segments(still_view(side=None), "T5", ""))
    assert "Hand" not in spectator


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_status_bar_always_shows_restrictions_on_the_choice(width: int) -> None:
    offensive = _offensive(step=1)
    parts = PRESENTER.status_segments(
        replace(VIEW, offensive=offensive), "T5 | Allied offensive", "* host"
    )
    line = plain_text(fit_segments(parts, width))
    assert "US ISR" in line
    assert "JP ISR" in line
    assert "5 of 6 units left" in line or "left 5/6" in line
    assert len(line) <= width


@pytest.mark.parametrize(
    ("step", "name"), [(1, "activate"), (2, "move"), (7, "react"), (14, "regroup")]
)
def test_status_bar_shows_the_steps_of_an_offensive(step: int, name: str) -> None:
    steps = PRESENTER.steps(replace(VIEW, offensive=_offensive(step=step)))
    assert steps is not None
    assert steps.title.endswith(f"step {step} of 14")
    assert steps.names[steps.current_index] == name


def test_hand_is_shown_as_cards() -> None:
    faces = {face.id: face for face in PRESENTER.cards(VIEW)}
    assert list(faces) == list(HAND)
    face = faces["A-13"]
    assert (face.title, face.right) == ("Operation Watchtower", "OV 3")
    assert PRESENTER.cards(still_view(side=None)) == ()


def test_hex_rows_and_log_sentences_are_coloured() -> None:
    rows = PRESENTER.hex_rows(VIEW, "4828")
    assert (f" A {'CV Enterprise':<16}", TextRole.CHIP_ONE) in [row[0] for row in rows]
    assert PRESENTER.log_tone(VIEW, "CV Enterprise is eliminated (9.3)") is TextRole.BAD
    assert PRESENTER.log_tone(VIEW, "Japan draws J-1 (5.1)") is TextRole.SHADE_TWO
    assert PRESENTER.log_tone(VIEW, "Offensives:") is TextRole.HEAD


def test_hex_lines_describe_a_hex() -> None:
    text = "\n".join(PRESENTER.hex_lines(VIEW, "4828"))
    assert "4828 Nouméa" in text
    assert "port, airfield" in text
    assert "CV Enterprise  8-12 r2 reduced" in text
    kure = PRESENTER.hex_lines(VIEW, "3407")
    assert "Japanese city with a garrison" in kure[1]
    assert kure[2].startswith("Japanese control")
    assert PRESENTER.hex_lines(VIEW, "9999") == ("9999 is not in play",)
    assert PRESENTER.hex_lines(VIEW, "china-box")[0] == "Air units in the China box"


def test_hand_lines_show_values_and_text() -> None:
    text = "\n".join(PRESENTER.hand_lines(VIEW))
    assert "A-13 Operation Watchtower" in text
    assert "OV 3" in text
    assert PRESENTER.hand_lines(still_view(side=None)) == ("No cards.",)


def test_presenter_pages() -> None:
    pages = {key: (name, lines) for key, name, lines in PRESENTER.pages(VIEW)}
    assert set(pages) == {"T", "f", "g", "k"}
    tracks = "\n".join(pages["T"][1])
    assert "Political Will            6 of 10" in tracks
    assert "_" not in tracks
    sides = {side: replace(one, has_future=True, future_turn=0) for side, one in VIEW.sides.items()}
    tracks = "\n".join(PRESENTER.pages(replace(VIEW, sides=sides))[0][2])
    assert "future offensive placed before the game" in tracks
    pools = "\n".join(pages["f"][1])
    assert "On the turn track" in pools
    assert pages["g"] == charts_page()[1:]


@pytest.mark.parametrize(
    ("text", "hex_id", "title"),
    [
        ("rabaul", "4021", "Rabaul"),
        ("4423", "4423", "Guadalcanal"),
        ("enterprise", "4828", "CV Enterprise"),
        ("watchtower", "", "A-13"),
    ],
)
def test_find_by_name_returns_the_hex(text: str, hex_id: str, title: str) -> None:
    first = PRESENTER.find(VIEW, text)[0]
    assert first.hex_id == hex_id
    assert title in first.title


def test_find_without_a_match_returns_nothing() -> None:
    assert PRESENTER.find(VIEW, "   ") == ()
    assert PRESENTER.find(VIEW, "no such name anywhere") == ()


def test_candidates_concern_the_units_of_a_hex() -> None:
    decision = activation(VIEW)
    found = PRESENTER.candidates(VIEW, decision, "4828")
    units = {command.unit for command in found if isinstance(command, c.Activate)}
    assert ENTERPRISE in units
    moves: Decision[Any] = Decision(
        role=Role("allied"),
        rule=Rule("8.2"),
        prompt="",
        options=(c.Sail(to=HexId("4727")),),
        default=c.Done(),
    )
    assert PRESENTER.candidates(VIEW, moves, "4021") == (c.Sail(to=HexId("4021")),)


def test_map_text_is_plain_ascii() -> None:
    lines = map_text(PRESENTER, VIEW, "4021", (78, 22))
    assert len(lines) == 22
    assert any("[4021" in line for line in lines)
    assert all(len(line) <= 78 for line in lines)
    assert map_text(PRESENTER, VIEW, "nowhere", (78, 22)) == ()


@pytest.mark.parametrize(
    ("turn", "name"), [(1, "Dec 41"), (2, "Jan-Apr 42"), (5, "Jan-Apr 43"), (12, "May-Aug 45")]
)
def test_turn_names(turn: int, name: str) -> None:
    assert turn_name(turn) == name


def test_stacks_contain_every_unit_once() -> None:
    index = build_index(VIEW)
    held = [unit.id for stacks in index.stacks.values() for stack in stacks for unit in stack.units]
    assert sorted(held) == sorted(counters())


def test_options_below_a_heading_show_only_their_differences() -> None:
    unit = UnitId("us-cv-enterprise")
    card = CardId("A-13")
    below = [
        PRESENTER.short_label(VIEW, command)
        for command in (
            c.OperationsOffensive(card=card),
            c.DiscardCard(card=card),
            c.Activate(unit=unit),
            c.Sail(to=HexId("4828")),
            c.Place(unit=unit, at=HexId("4828")),
        )
    ]
    title = cards()[card].title
    assert below[0] == below[1] == f"A-13 {title} (OV {cards()[card].ov})"
    assert below[2] == "CV Enterprise 4828 8-12 r2"
    assert below[3] == "4828 Nouméa"
    assert below[4] == "Place CV Enterprise 4828 8-12 r2 at 4828 Nouméa"


def test_card_option_shows_the_card_text() -> None:
    title, lines = PRESENTER.about(VIEW, c.PlayEvent(card=CardId("A-13")))
    assert title.startswith("A-13 ")
    assert lines[0] == CARD_SENTENCES[CardId("A-13")]
    assert PRESENTER.about(VIEW, c.Done()) == ("", ())


def test_short_names_are_unambiguous_without_brackets_or_boxes() -> None:
    names = [short_name(unit) for unit in counters()]
    assert "Aus Air" in names
    assert "PM Brigade" in names
    delayed = next(unit for unit in VIEW.units if unit.at == "delay-box")
    assert "delay-box" not in PRESENTER.label(VIEW, c.Activate(unit=delayed.id))
    assert PRESENTER.place_name("china-box") == "China box"


def test_ferrying_a_pre_war_unit_warns_of_its_permanent_loss() -> None:
    """The unit would leave the game (8.33, 11.1)."""
    usual = PRESENTER.consequence(VIEW, c.Ferry(unit=UnitId("us-air-5af"))).question
    assert usual == "5AF Air leaves the map until next turn (8.33). Send it away?"
    question = PRESENTER.consequence(VIEW, c.Ferry(unit=UnitId("us-air-feaf"))).question
    assert "would leave the game permanently" in question


def test_move_that_prevents_battle_asks_for_confirmation() -> None:
    """The extended range in parentheses is only for movement (1.3, 8.31)."""
    wing = UnitId("us-air-1maw")
    at = HexId(next(unit.at for unit in VIEW.units if unit.id == wing))
    ways = {board().distance(at, to): to for to in sorted(board().hexes, reverse=True)}
    stack = StackFrame(side=Side.ALLIED, purpose=Purpose.OFFENSIVE, units=(wing,), origin=at, at=at)

    def asked(frame: StackFrame, command: c.EotsCommand) -> str:
        return PRESENTER.consequence(replace(VIEW, frames=(frame,)), command).question

    far = c.FlyVia(to=ways[3])
    assert asked(stack, far).startswith("At 3 hexes, 1 MAW would use a bracketed extended range")
    assert asked(stack, c.FlyVia(to=ways[2])) == ""
    assert asked(stack, c.Fly(to=ways[3])) == ""
    under_way = replace(stack, flown=1, mode="air")
    assert asked(under_way, c.Fly(to=ways[2])).startswith("At 3 hexes")
    assert asked(under_way, c.Fly(to=ways[1])) == ""
    assert asked(replace(under_way, parentheses=True), c.Fly(to=ways[2])) == ""
    assert asked(replace(stack, purpose=Purpose.POST_BATTLE), far) == ""


@pytest.mark.parametrize("purpose", [Purpose.OFFENSIVE, Purpose.REACTION])
def test_ending_movement_with_idle_units_asks_for_confirmation(purpose: Purpose) -> None:
    """The activation before it has closed automatically (7.21, 7.26)."""
    moving = MovementFrame(side=Side.ALLIED, purpose=purpose)
    idle = replace(VIEW, frames=(moving,), offensive=_offensive(paths={}))
    carrier, ship = c.Pick(unit=ENTERPRISE), c.Pick(unit=UnitId("us-bb-washington"))
    assert _asked(idle, carrier, ship).startswith(
        "No unit has moved: CV Enterprise, BB Washington. E"
    )
    assert PRESENTER.consequence(idle, ship, (carrier, ship, c.Done())).question == ""
    moved = replace(idle, offensive=_offensive(paths={UnitId("us-corps-xi"): (HexId("4021"),)}))
    assert _asked(moved, carrier, ship) == "Still to move: BB Washington. End movement anyway?"
    assert _asked(moved, carrier) == "", "it may strike from where it is"
    home = replace(idle, frames=(replace(moving, purpose=Purpose.POST_BATTLE),))
    assert _asked(home, carrier, ship) == ""


def test_giving_up_a_strike_or_offensive_asks_for_confirmation() -> None:
    """7.21, 7.24."""
    declaring = replace(
        VIEW, frames=(DeclarationFrame(side=Side.ALLIED),), offensive=_offensive(paths={})
    )
    joins = [c.Join(unit=ENTERPRISE, at=HexId(at)) for at in ("4021", "4221")]
    assert _asked(declaring, *joins) == (
        "Not in a battle or covering a landing: CV Enterprise. Continue anyway?"
    )
    assert _asked(declaring) == ""
    empty = replace(
        VIEW, frames=(OffensiveFrame(step=1, stage=1),), offensive=_offensive(activated=())
    )
    assert _asked(empty) == "No unit is activated. End the offensive?"


def _asked(view: EotsView, *options: c.EotsCommand) -> str:
    return PRESENTER.consequence(view, c.Done(), (*options, c.Done())).question


def test_own_offensive_continues_the_turn_but_does_not_open_it() -> None:
    """Own battles are part of the own move, but news opens with the card, not at the assignment of hits."""
    own = replace(VIEW, offensive=_offensive())
    foreign = replace(VIEW, offensive=_offensive(side=Side.JAPAN))
    seen = [
        (PRESENTER.opens_turn(view), PRESENTER.continues_turn(view))
        for view in (VIEW, own, foreign)
    ]
    assert seen == [(True, True), (False, True), (False, False)]


@pytest.mark.parametrize(
    ("target", "modifier", "rolls"),
    [(3, -2, "a roll of 0 to 5"), (4, 0, "a roll of 0 to 4"), (9, -2, "a roll of 0 to 8")],
)
def test_required_rolls_count_the_modifier_and_the_9(
    target: int, modifier: int, rolls: str
) -> None:
    """7.25D, E."""
    assert texts.required_rolls(target, modifier)[0] == rolls
    assert texts.required_rolls(2, 3)[0] == "no roll"
