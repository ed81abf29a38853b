"""Connects Carrier Battle: Philippine Sea to the screens, without any game logic."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.commands import CbpsCommand, Divide, Intercept, SearchLong, SearchNarrow, SearchOut
from engine.cbps.courses import orders as course_orders
from engine.cbps.courses.giving import read_any
from engine.cbps.courses.order import parse_any
from engine.cbps.frames import InterceptFrame
from engine.cbps.ids import GUAM, TASK_FORCE
from engine.cbps.planner.searches import planned_search
from engine.cbps.prose.names import commander_title, display_name
from engine.cbps.raids.ch10_generation import raid_range
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_courses import LONG_SEARCH, NARROW, STANDARD
from engine.cbps.search_area import STANDARD_HEXES
from engine.cbps.view import CbpsView
from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.choices import Cells, Choice, Consequence, Tick
from play.event_history import SeenEvent
from tui.cbps import courses, enemy, flights, name_search, texts
from tui.cbps.index import Index, Indexer
from tui.cbps.map.order_preview import order_preview
from tui.cbps.map.scene import OVERLAYS, PLANNED_SEARCH, Ranges, draw_scene, scene_legend
from tui.cbps.orders import auto_answers, option_tree, order_hexes, warnings
from tui.cbps.panels import (
    carrier_board,
    dock_panels,
    enemy_board,
    in_progress,
    page_texts,
    row_styles,
    status_bar,
)
from tui.cbps.panels.report import plan_report_lines, report_lines
from tui.cbps.planner.panel import planner_lines
from tui.cbps.playback import playback_steps, turn_recap
from tui.drawing.colour_roles import TextRole
from tui.maps.hexmap.scene import HexScene
from tui.panels.forecast import ForecastPage
from tui.panels.game_board import GameBoard
from tui.panels.goals import Goals
from tui.panels.playback_step import News, PlaybackStep
from tui.panels.roster import Roster
from tui.panels.status_segments import Row, StatusSegment, Steps
from tui.presenter.presenter import Found, Presenter, Selection

_STRIKE_HEXES: Final = 6
"""Distance in hexes that an SB2C strike can fly out and back at two hexes per segment, with a margin (4.4)."""


_ORDERS_SEGMENT: Final = "operations"
"""The segment in which the player gives orders to the carriers."""
_UNLIMITED_WIDTH: Final = 400
"""A width so large that the planner never wraps lines. The panel wraps them instead."""


class CbpsPresenter(Presenter):
    """Presents `CbpsView` and `CbpsCommand`."""

    overlays = OVERLAYS
    page_names = (
        ("T", "Clock and score"),
        (flights.KEY, flights.PANEL_NAME),
        ("g", "Map symbols"),
    )
    tab_names = MappingProxyType({"T": "Clock", flights.KEY: "Missions", "g": "Symbols"})
    boards = ((carrier_board.KEY, carrier_board.BOARD_NAME), (enemy.KEY, enemy.BOARD_NAME))
    hand_title = "Situation"
    dock = "In the air, detected, damaged"
    report_title = "What happened last"
    hand_help = "the situation: clock, fleet, flights, the enemy"
    find_help = "hexes, ships, units, missions and forces by name"
    shows_order_preview = True
    can_wait = True
    repeating_commands = (Intercept, Divide)
    has_side_board = True
    key_line_entries = (
        ("k", "carriers"),
        ("f", "flights"),
        ("i", "enemy"),
        ("T", "score"),
        ("O", "zones"),
        ("a", "ranges"),
    )
    course_page = flights.KEY
    is_against_game = True
    reports_whole_turn = True

    def __init__(self, ruleset: AnyRuleset) -> None:
        super().__init__(ruleset)
        self._indexer = Indexer()

    def _index(self, view: View) -> Index:
        assert isinstance(view, CbpsView)
        return self._indexer.get(view)

    @property
    @override
    def badge(self) -> tuple[str, str]:
        return "PHILIPPINE SEA", "CBPS"

    @override
    def status_segments(self, view: View, heading: str, status: str) -> tuple[StatusSegment, ...]:
        """Return status segments for the day, time, phase, light, points, wind and cup."""
        del heading
        return status_bar.status_segments(self._index(view), status)

    @override
    def steps(self, view: View) -> Steps | None:
        return status_bar.steps(self._index(view))

    @override
    def label(self, view: View, command: Command) -> str:
        return texts.label(self._index(view), _as_cbps_command(command))

    @override
    def detail(self, view: View, command: Command) -> str:
        return texts.detail(self._index(view), _as_cbps_command(command))

    @override
    def short_label(self, view: View, command: Command) -> str:
        return texts.short_label(self._index(view), _as_cbps_command(command))

    @override
    def kind(self, command: Command) -> str:
        return texts.verb_heading(self.ruleset.notation.verb(command), super().kind(command))

    @override
    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        return texts.subject(self._index(view), _as_cbps_command(command))

    @override
    def choices(self, view: View, options: Sequence[Any]) -> tuple[Choice, ...]:
        return option_tree.option_tree(self._index(view), options, self.kind)

    @override
    def tick(self, view: View, command: Command) -> Tick | None:
        """Return the group of a tickable order; None if the order cannot be ticked."""
        return option_tree.tick(self._index(view), command, self.kind)

    @override
    def cells(self, view: View, command: Command, *, has_place: bool = True) -> Cells:
        """Return the list columns for an order: symbol, name and details."""
        return option_tree.cells(self._index(view), command, has_place=has_place)

    @override
    def places(self, view: View, command: Command) -> tuple[str, ...]:
        """Return the hexes of an order, its target first."""
        return order_hexes.order_hexes(self._index(view), command)

    @override
    def place_name(self, place: str) -> str:
        return place

    @override
    def about(self, view: View, command: Command, cursor: str = "") -> tuple[str, tuple[str, ...]]:
        """Return the plan for an order, followed by a description of the carrier, mission or force in the order."""
        title, lines = _subject_details(self._index(view), command)
        plan = self.plan(view, command, cursor)
        # Without a subject, such as when fighters divide, the plan's first line names the units.
        if plan and not title:
            title, plan = plan[0], plan[1:]
        return title, (*plan, *lines)

    @override
    def plan(self, view: View, command: Command, cursor: str = "") -> tuple[str, ...]:
        return planner_lines(
            self._index(view).view, _as_cbps_command(command), _UNLIMITED_WIDTH, cursor
        )

    @override
    def plan_tone(self, text: str) -> TextRole:
        """Return the tone of a plan line, such as a possible gain, a loss or a time."""
        return dock_panels.plan_line_tone(text)

    @override
    def consequence(
        self,
        view: View,
        command: Command,
        options: Sequence[Any] = (),
        default: Command | None = None,
    ) -> Consequence:
        """Return warnings about an order: what it wastes, and what idle missions will do if it ends a segment."""
        del default
        index, order = self._index(view), _as_cbps_command(command)
        return Consequence(
            warnings.loss(index, order, options),
            warnings.confirmation_question(index, order, options),
        )

    @override
    def automatic_answer_while_waiting(self, view: View, decision: Decision[Any]) -> Command | None:
        return auto_answers.automatic_answer(self._index(view), decision.options)

    @override
    def repeated_answer(
        self, view: View, command: Command, offered_commands: Sequence[Any], options: Sequence[Any]
    ) -> Command | None:
        """Return the answer that makes the next mission attack a raid in the same way as the player's mission."""
        del view
        return auto_answers.repeated_answer(_as_cbps_command(command), offered_commands, options)

    @override
    def repeat_message(self, answers: Sequence[Command]) -> str:
        del answers
        return auto_answers.REPEAT_MESSAGE

    @override
    def question_stage(self, view: View) -> object:
        """Return the hex and stage of a US Intercept Segment: first the missions commit, then they choose raids."""
        assert isinstance(view, CbpsView)
        frame = view.frames[-1] if view.frames else None
        return (frame.hexes[:1], frame.is_fighting) if isinstance(frame, InterceptFrame) else None

    @override
    def interruption(self, events: Sequence[Any], *, has_courses: bool = False) -> str:
        return auto_answers.interruption(events, has_courses=has_courses)

    @override
    def scene(self, view: View, selection: Selection) -> HexScene:
        index = self._index(view)
        return draw_scene(
            _with_planned_search(index, selection.highlighted),
            index.game_data.map,
            cursor=selection.cursor,
            overlay=selection.overlay,
            ranges=Ranges(
                strike_hexes=_STRIKE_HEXES if scenario_rules(index.table).has_strikes else 0,
                search_hexes=STANDARD_HEXES,
                raid_hexes=raid_range(index.table) or 0,
            ),
            targets_offered=dict.fromkeys(
                hex for order in selection.options for hex in order_hexes.order_hexes(index, order)
            ),
            preview=order_preview(index, selection.highlighted, selection.cursor),
            course_marks=courses.course_marks(index, selection.courses),
        )

    @override
    def home(self, view: View) -> str:
        """Return the hex of TF 58. If it is gone, return the first task group's hex, or Guam if no group is left."""
        index = self._index(view)
        return texts.group_hex(index, TASK_FORCE) or next(
            (group.hex for group in index.view.groups.values()), index.game_data.map.guam
        )

    @override
    def focus(self, view: View) -> str:
        return in_progress.focus_hex(self._index(view))

    @override
    def hex_lines(self, view: View, hex_id: str) -> tuple[str, ...]:
        """Describe a hex. The hex can be given by number or by the name of an island, force or group."""
        index = self._index(view)
        return page_texts.hex_lines(index, name_search.find_hex(index, hex_id) or hex_id)

    @override
    def hex_rows(self, view: View, hex_id: str) -> tuple[Row, ...]:
        """Describe a hex, with the lines about each side in that side's tone."""
        return row_styles.hex_rows(self.hex_lines(view, hex_id))

    @override
    def log_tone(self, view: View, text: str) -> TextRole:
        del view
        return row_styles.log_tone(text)

    @override
    def hand_lines(self, view: View) -> tuple[str, ...]:
        return page_texts.situation_lines(self._index(view))

    @override
    def brief(self, view: View) -> tuple[str, ...]:
        return page_texts.brief_lines(self._index(view))

    @override
    def report(
        self, events: Sequence[Any], view_before: View, view_after: View, *, is_explained: bool
    ) -> tuple[str, ...]:
        """Report on forces, raids, strikes and searches (3.1, 8, 10)."""
        assert isinstance(view_before, CbpsView)
        assert isinstance(view_after, CbpsView)
        return report_lines(
            events,
            view_before,
            view_after,
            _UNLIMITED_WIDTH,
            is_explained=is_explained,
            newest_first=not is_explained,  # a small panel shows only the first report
        )

    @override
    def plan_report(
        self, events: Sequence[Any], view_before: View, view_after: View
    ) -> tuple[str, ...]:
        """Report enemy moves that need no die roll, such as a raid's flight."""
        assert isinstance(view_before, CbpsView)
        assert isinstance(view_after, CbpsView)
        return plan_report_lines(events, view_before, view_after, _UNLIMITED_WIDTH)

    @override
    def playback_steps(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[PlaybackStep, ...]:
        """Return the playback steps for the reported events, with the boards of raids and strikes."""
        assert isinstance(view_before, CbpsView)
        assert isinstance(view_after, CbpsView)
        return playback_steps.playback_steps(seen_events, view_before, view_after)

    @override
    def news(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[News, ...]:
        """Return news of the score, raids, strikes, sightings and enemy moves."""
        assert isinstance(view_before, CbpsView)
        assert isinstance(view_after, CbpsView)
        return turn_recap.news(seen_events, view_before, view_after)

    @override
    def turn_report(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[str, ...]:
        """Return the gains and losses of a game turn."""
        assert isinstance(view_before, CbpsView)
        assert isinstance(view_after, CbpsView)
        return turn_recap.turn_report(seen_events, view_before, view_after)

    @override
    def opens_turn(self, view: View) -> bool:
        """Return whether the player may start actions, that is, gives orders for the carriers.

        All other decisions only react to events.
        """
        assert isinstance(view, CbpsView)
        return view.segment == _ORDERS_SEGMENT

    @override
    def pages(self, view: View) -> tuple[page_texts.Page, ...]:
        """Return the pages: clock and score, flights, enemy boards and the legend."""
        index = self._index(view)
        legend = page_texts.legend_page()
        marks = scene_legend(draw_scene(index.view, index.game_data.map))
        return (
            page_texts.score_page(index),
            (flights.KEY, flights.PANEL_NAME, flights.flight_lines(index)),
            (enemy.KEY, enemy.BOARD_NAME, enemy.enemy_lines(index)),
            (legend[0], legend[1], (*legend[2], f"On the map now: {marks}")),
        )

    @override
    def goals(self, view: View) -> Goals:
        from tui.cbps.panels import goals

        return goals.goals(self._index(view))

    @override
    def roster(self, view: View) -> Roster:
        """Return the roster of ships, units, flights and known enemy units."""
        from tui.cbps.panels import roster

        return roster.roster(self._index(view))

    @override
    def calendar(self, view: View) -> tuple[Row, ...]:
        from tui.cbps.panels import roster

        return roster.calendar(self._index(view))

    @override
    def board(self, view: View, key: str, options: Sequence[Any]) -> GameBoard | None:
        """Return the carrier board or the enemy boards."""
        index = self._index(view)
        if key == carrier_board.KEY:
            return carrier_board.carrier_board(index, options)
        return enemy_board.enemy_board(index) if key == enemy.KEY else None

    @override
    def side_board(self, view: View, selection: Selection) -> GameBoard | None:
        """Return the carrier board of the relevant group during US Air Operations."""
        index = self._index(view)
        return carrier_board.group_board(
            index, selection.options, selection.highlighted, selection.cursor
        )

    @override
    def dock_rows(
        self, view: View, course_lines: Sequence[str] = (), width: int = 0
    ) -> tuple[Row, ...]:
        """Return rows that list raids, course orders, missions, searches, detected forces and damaged carriers."""
        index = self._index(view)
        return dock_panels.panel_rows(index, courses.course_timetables(index, course_lines, width))

    @override
    def course_entries(
        self, view: View, place: str, highlighted: Command | None, course_lines: Sequence[str]
    ) -> list[tuple[str, str]]:
        mission = getattr(highlighted, "mission", "")
        return courses.course_entries(self._index(view), place, mission, course_lines)

    @override
    def numbered_course_entries(
        self, view: View, number: str, highlighted: Command | None, course_lines: Sequence[str]
    ) -> list[tuple[str, str]]:
        mission = getattr(highlighted, "mission", "")
        return courses.numbered_entries(self._index(view), number, mission, course_lines)

    @override
    def course_rows(self, view: View, course_lines: Sequence[str]) -> tuple[Row, ...]:
        return courses.course_rows(self._index(view), course_lines)

    @override
    def course_question(self, view: View, text: str) -> str:
        """Return a question about an order that may lose units on the way home (4.45, 6.42); empty for other orders."""
        index = self._index(view)
        try:
            order = read_any(index.table, index.view.role, text)
        except FlagplotError:
            return ""  # giving the order reports the error
        return course_orders.risk(index.table, order)

    @override
    def course_title(self, view: View, course: str) -> str:
        order = parse_any(course)
        return course if order is None else course_orders.title(order, self._index(view).table)

    @override
    def report_rows(self, lines: Sequence[str]) -> tuple[Row, ...]:
        """Return a report with separate tones for losses, sightings and raids."""
        return dock_panels.report_rows(lines)

    @override
    def forecast(
        self, view: View, place: str, highlighted: Command | None
    ) -> tuple[ForecastPage, ...]:
        """Return the plan for the highlighted order, followed by possible strikes with ready units."""
        from tui.cbps.planner import forecast

        return forecast.forecast_pages(
            self._index(view), place, None if highlighted is None else _as_cbps_command(highlighted)
        )

    @override
    def battle_lines(self, view: View) -> tuple[str, ...]:
        return in_progress.progress_lines(self._index(view))

    @override
    def find(self, view: View, query: str) -> tuple[Found, ...]:
        """Search for hexes, forces, ships, units and flights by name."""
        return name_search.find(self._index(view), query)

    @override
    def candidates(self, view: View, decision: Decision[Any], hex_id: str) -> tuple[Any, ...]:
        """Return all orders of the current step, including illegal ones, that refer to a hex or anything in it."""
        index = self._index(view)
        samples = {_sample_key(option): option for option in decision.options}
        orders = [
            order for sample in samples.values() for order in _similar_orders(index, sample, hex_id)
        ]
        return tuple(dict.fromkeys(orders))

    @override
    def role_name(self, role: Role | None) -> str:
        return (
            "Spectator" if role is None else commander_title(role).removeprefix("the ").capitalize()
        )

    @override
    def role_phrase(self, role: Role) -> str:
        return commander_title(role)


def _with_planned_search(index: Index, order: Any) -> CbpsView:  # noqa: ANN401  (any command)
    """Return the view. If the order plans a search, the planned search replaces the searches in flight."""
    match order:
        case SearchOut(bearing=bearing):
            kind, radius = STANDARD, ""
        case SearchLong(bearing=bearing):
            kind, radius = LONG_SEARCH, ""
        case SearchNarrow(hex=radius):
            kind, bearing = NARROW, 0
        case _:
            return index.view
    if not order_hexes.carrier_hex(index, order.unit):
        return index.view  # the unit has been launched since the order was highlighted
    search = planned_search(index.table, (order.unit,), kind, bearing=bearing, radius=radius)
    return replace(index.view, searches={PLANNED_SEARCH: search})


def _subject_details(index: Index, command: Command) -> tuple[str, tuple[str, ...]]:
    unit = getattr(command, "unit", "")
    if unit in index.view.units:
        return page_texts.unit_location(index, unit)
    mission = getattr(command, "mission", "")
    if mission in index.view.missions:
        return display_name(mission), tuple(flights.mission_lines(index, mission))
    for field in ("force", "target"):
        force = getattr(command, field, "")
        if force in index.view.forces:
            return display_name(force), tuple(enemy.force_lines(index, force))
    return "", ()


def _as_cbps_command(command: Command) -> CbpsCommand:
    return cast("CbpsCommand", command)


def _sample_key(option: Any) -> tuple[str, ...]:  # noqa: ANN401  (any command)
    """Return a key for grouping options. Options that differ only in their hex or target have the same key."""
    fixed_fields = (
        str(getattr(option, field))
        for field in option.__struct_fields__
        if field not in {"hex", "target", "force", "raid"}
    )
    return (type(option).__name__, *fixed_fields)


def _similar_orders(index: Index, sample: Any, hex: str) -> Iterator[Any]:  # noqa: ANN401  (any command)
    """Yield copies of the sample order for the given hex or for each target in it."""
    fields = sample.__struct_fields__
    view = index.view
    if "hex" in fields:
        yield replace(sample, hex=hex)
    forces = [force for force, known_force in view.forces.items() if known_force.hex == hex]
    for field in ("target", "force"):
        if field in fields:
            lone_ships = [
                ship for ship, hull in view.hulls.items() if hull.hex == hex and not hull.fate
            ]
            guam = [GUAM] if hex == index.game_data.map.guam and field == "target" else []
            yield from (
                replace(sample, **{field: target}) for target in (*forces, *lone_ships, *guam)
            )
    if "raid" in fields:
        yield from (
            replace(sample, raid=raid)
            for raid, raid_piece in view.raids.items()
            if raid_piece.hex == hex
        )
    # If an order names a unit but no hex, use the hex of the unit's carrier.
    if "unit" in fields and "hex" not in fields:
        origin = order_hexes.carrier_hex(index, sample.unit)
        if origin == hex:
            yield sample


PRESENTER: Final = CbpsPresenter
