"""Base class for presenters. A presenter turns a game's views and commands into text and maps for the screens.

The base class uses only the command notation, so it works for any game, even without a map.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import resolve_name
from types import MappingProxyType
from typing import Any, Final

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.event_history import SeenEvent
from play.texts import GameTexts
from tui.drawing.colour_roles import TextRole
from tui.maps.areamap.scene import AreaScene
from tui.maps.enums import Zoom
from tui.maps.hexmap.scene import HexScene
from tui.panels.forecast import ForecastPage
from tui.panels.game_board import GameBoard
from tui.panels.goals import Goals
from tui.panels.overlay_pages import BattleBoard, OverlayPage
from tui.panels.playback_step import News, PlaybackStep, default_playback_steps
from tui.panels.roster import Roster
from tui.panels.status_segments import CardFace, Row, StatusSegment, Steps, status_segment

Scene = HexScene | AreaScene
"""A map of either kind."""


NO_OVERLAY: Final = "off"
"""Overlay id that turns off all overlays, including the decision's default overlay."""
ORDER_SEPARATOR: Final = "; "
"""Separates the course orders that one line of the list gives together."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The player's current selections, which determine the map's overlay and highlights."""

    cursor: str = ""
    """Place under the cursor."""
    overlay: str = ""
    """Id of the chosen overlay; empty for the decision's default overlay."""
    options: tuple[Any, ...] = ()
    """Commands with places to highlight on the map."""
    drafted_commands: tuple[Any, ...] = ()
    """Commands in the draft."""
    courses: tuple[str, ...] = ()
    """The player's course orders."""
    highlighted: Any = None
    """The highlighted list line's command; None if there is none."""


class Found(msgspec.Struct, frozen=True):
    """A result of searching by name."""

    title: str
    hex_id: str = ""
    """Place on the map; empty if the result is not on the map."""
    text: str = ""
    """Text to show for a result that is not on the map, such as a card."""


class RequiredDisplays(GameTexts):
    """The displays that every game needs. The defaults use only text, for games without a presenter module."""

    def status_segments(self, view: View, heading: str, status: str) -> tuple[StatusSegment, ...]:
        """Return the game's status as segments of the top line.

        Args:
            view: The player's view.
            heading: Turn and phase, as worded by the ruleset.
            status: Connection status; empty if there is no connection.
        """
        del view
        return tuple(status_segment(text) for text in (heading, status) if text)

    def steps(self, view: View) -> Steps | None:
        """Return the position in the sequence of play; None to hide the line that shows it."""
        del view
        return None

    def about(self, view: View, command: Command, cursor: str = "") -> tuple[str, tuple[str, ...]]:
        """Return a title and lines about the highlighted option, such as the text of a card.

        Args:
            view: The player's view.
            command: The option.
            cursor: The place under the map cursor.
        """
        del view, command, cursor
        return "", ()

    def scene(self, view: View, selection: Selection) -> Scene | None:
        """Return the map; None for a game without a map."""
        del view, selection
        return None

    def home(self, view: View) -> str:
        """Return the place at the centre of the map when the game is opened."""
        del view
        return ""

    def focus(self, view: View) -> str:
        """Return the place that the current step is about; empty if there is no such place."""
        del view
        return ""

    def hex_lines(self, view: View, hex_id: str) -> tuple[str, ...]:
        """Return the information available about a place."""
        del view
        return (hex_id,)

    def hex_rows(self, view: View, hex_id: str) -> tuple[Row, ...]:
        """Return the information available about a place as styled lines for the panel."""
        return self.hex_lines(view, hex_id)

    def log_tone(self, view: View, text: str) -> TextRole:
        """Return the tone of a log sentence. The viewer's own plays, dice and losses may have different tones."""
        del view, text
        return TextRole.PLAIN

    def hand_lines(self, view: View) -> tuple[str, ...]:
        """Return lines with the titles and texts of the player's own cards."""
        hand = getattr(view, "hand", ())
        return tuple(str(card) for card in hand) or ("no cards",)

    def pages(self, view: View) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return further pages, such as tracks, pools and charts. Each page has a key, a name and lines."""
        fields = {name: getattr(view, name) for name in view.__struct_fields__}
        return (("T", "Tracks", tuple(f"{name}: {value}" for name, value in fields.items())),)

    def goals(self, view: View) -> Goals:
        """Return each side's victory conditions, with the current count and what is still needed."""
        del view
        return Goals(parties=())

    def roster(self, view: View) -> Roster:
        """Return the roster, with a row for every piece that the viewer may see."""
        del view
        return Roster(columns=(), entries=())

    def calendar(self, view: View) -> tuple[Row, ...]:
        """Return rows of upcoming events with their times: reinforcements, turn order and the clock."""
        del view
        return ()

    def playback_steps(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[PlaybackStep, ...]:
        """Return the given events as steps to play back on the map.

        The viewer's own commands are omitted, because they were shown when drafted. If more events are appended, only
        the last step changes.

        Args:
            seen_events: The events, as the viewer knows them.
            view_before: The view before the events.
            view_after: The view after the events.
        """
        del view_before, view_after
        return tuple(
            default_playback_steps(
                seen_events, [self.ruleset.log_sentence(fact.event) for fact in seen_events]
            )
        )

    def news(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[News, ...]:
        """Return the noteworthy events since the player's last move, most important first."""
        lines = (
            line
            for beat in self.playback_steps(seen_events, view_before, view_after)
            for line in beat.text.split("\n")
        )
        return tuple(News(line) for line in dict.fromkeys(lines))

    def turn_report(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[str, ...]:
        """Return a report on the last turn, round or day that ends in these events: its name, then a line per cause."""
        del seen_events, view_before, view_after
        return ()

    def opens_turn(self, view: View) -> bool:
        """Return whether the decision in this view begins the player's own move. News is shown then."""
        del view
        return True

    def forecast(
        self, view: View, place: str, highlighted: Command | None
    ) -> tuple[ForecastPage, ...]:
        """Return forecasts of battles, attacks and other random outcomes; empty if there is nothing to forecast.

        Args:
            view: The player's view, the only source of information.
            place: The place under the cursor. Its forecasts are listed first.
            highlighted: The highlighted option.
        """
        del view, place, highlighted
        return ()

    def battle_lines(self, view: View) -> tuple[str, ...]:
        """Return lines about the battle in progress; empty if no battle is in progress."""
        del view
        return ()

    def find(self, view: View, query: str) -> tuple[Found, ...]:
        """Find the places, units and cards whose names contain the given words."""
        del view, query
        return ()


class Presenter(RequiredDisplays):
    """Text and graphics for a game. Each game overrides only the members that it needs."""

    overlays: tuple[tuple[str, str, str], ...] = ()
    """Key, id and name of each overlay."""
    page_names: tuple[tuple[str, str], ...] = (("T", "Tracks"),)
    """Key and name of each page of text."""
    tab_names: Mapping[str, str] = MappingProxyType({})
    """Short names, by key, of the pages whose names are too long for a tab beside the map."""
    boards: tuple[tuple[str, str], ...] = ()
    """Key and name of each board with a cursor."""
    key_line_entries: tuple[tuple[str, str], ...] = ()
    """Key and label of each page, board or overlay that the key line lists."""
    has_side_board = False
    """True if some steps show a board next to the map."""
    has_hand = False
    """True if players hold cards that can be shown along the bottom of the screen."""
    has_hand_of_cards = False
    """True if the page that shows the hand draws the cards. Otherwise, the page shows `hand_lines`."""
    hand_title = "Hand"
    """Label of the key that shows the hand."""
    hand_help = "your cards with their text"
    """Help text for the ``hand`` command in line-by-line play."""
    find_help = "places, units and cards by name"
    """Help text for the ``find`` command in line-by-line play."""
    dock = ""
    """Title of the panel that is shown next to the log if there is room; empty for no panel."""
    report_title = "What was seen"
    """Title of the panel that shows reports, next to the `dock` panel."""
    shows_order_preview = False
    """True if the map draws the command of the highlighted line."""
    is_against_game = False
    """True if the opponent is the game itself, which moves as part of the player's own commands."""
    reports_whole_turn = False
    """True if the end-of-turn report covers the whole turn; False if it covers only the latest events."""
    course_page = ""
    """Key of the page that begins with the course orders; empty for no such page."""
    place_noun = "hex"
    find_prompt = "Find a hex, unit or card by name or number"
    """The game's word for a place on the map."""
    has_wide_map = False
    """True if the map needs the full screen width. The panels are then below the map."""

    @property
    def badge(self) -> tuple[str, str]:
        """The game's name in the status bar, and a short name for narrow screens."""
        return self.ruleset.title.upper(), self.ruleset.game.upper()

    def cards(self, view: View) -> tuple[CardFace, ...]:
        """Return the player's hand as cards to show along the bottom of the screen; empty for a game without cards."""
        del view
        return ()

    def question_overlay(self, view: View, options: Sequence[Any]) -> object:
        """Return a value that identifies the contents of the decision's overlay; None if the decision has no overlay.

        When this value changes, the player's own choice of overlay is discarded.
        """
        del view, options
        return None

    def plan(self, view: View, command: Command, cursor: str = "") -> tuple[str, ...]:
        """Return lines about an option's expected outcome; empty if there is nothing to calculate."""
        return self.about(view, command, cursor)[1]

    def plan_tone(self, text: str) -> TextRole:
        """Return the tone of a line from `plan`."""
        del text
        return TextRole.PLAIN

    def place_named(self, view: View, word: str) -> str:
        """Return the place that a typed word names; empty if it names none."""
        scene = self.scene(view, Selection())
        return word if scene is not None and word in scene.cells else ""

    def board(self, view: View, key: str, options: Sequence[Any]) -> GameBoard | None:
        """Return the board with this key, including its available commands; None if there is no such board."""
        del view, key, options
        return None

    def side_board(self, view: View, selection: Selection) -> GameBoard | None:
        """Return the board to show next to the map for the current step; None to show no board."""
        del view, selection
        return None

    def continues_turn(self, view: View) -> bool:
        """Return whether the decision in this view is part of the player's own move, not a reaction."""
        return self.opens_turn(view)

    def opens_turn_window(self, view: View) -> bool:
        """Return whether the response window in this view is the first question of the player's own move."""
        del view
        return False

    def brief(self, view: View) -> tuple[str, ...]:
        """Return key facts for line-by-line play. They are printed before the prompt whenever the step has changed."""
        del view
        return ()

    def report(
        self, events: Sequence[Any], view_before: View, view_after: View, *, is_explained: bool
    ) -> tuple[str, ...]:
        """Return a report on what the player saw of the other players' moves; empty if nothing is worth reporting.

        Args:
            events: The events, in order.
            view_before: The view before the events.
            view_after: The view after the events.
            is_explained: True to include the reasons, such as each die roll with its table.
        """
        del events, view_before, view_after, is_explained
        return ()

    def plan_report(
        self, events: Sequence[Any], view_before: View, view_after: View
    ) -> tuple[str, ...]:
        """Return a report on the game's response to the drafted commands; empty if there is nothing to report.

        Args:
            events: The events of the draft, in order.
            view_before: The view before the draft.
            view_after: The view after the draft.
        """
        del events, view_before, view_after
        return ()

    def battle_boards(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[OverlayPage, ...]:
        """Return the boards for all current and declared battles. If there are none, return the last battle's board."""
        del view_after
        sheets = [
            step.page
            for step in self.playback_steps(seen_events, view_before, view_before)
            if step.page is not None
        ]
        return tuple(sheet for sheet in sheets[-1:] if isinstance(sheet, BattleBoard))

    def playback_summary(
        self, seen_events: Sequence[SeenEvent], steps: tuple[PlaybackStep, ...], view_before: View
    ) -> tuple[PlaybackStep, ...]:
        """Return the steps to show after a move. By default, these are all steps.

        A game may combine them, for example into one step per turn. The page of details lists all steps.

        Args:
            seen_events: The events, as the viewer knows them.
            steps: The steps of these events, from :meth:`playback_steps`.
            view_before: The view before the events.
        """
        del seen_events, view_before
        return steps

    def dock_rows(
        self, view: View, course_lines: Sequence[str] = (), width: int = 0
    ) -> tuple[Row, ...]:
        """Return the lines of the panel defined by `dock`.

        Args:
            view: The player's view.
            course_lines: The course orders in force, in full.
            width: Width of the panel in cells.
        """
        del course_lines, width
        return self.brief(view)

    def course_entries(
        self, view: View, place: str, highlighted: Command | None, course_lines: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Return the course orders to choose from, likeliest first, as pairs of order and label.

        An order ``cancel PIECE`` cancels the piece's order. One line can give several orders (:data:`ORDER_SEPARATOR`).

        Args:
            view: The player's view.
            place: The place under the cursor.
            highlighted: The highlighted option.
            course_lines: The orders in force, in full.
        """
        del view, place, highlighted, course_lines
        return []

    def numbered_course_entries(
        self, view: View, number: str, highlighted: Command | None, course_lines: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Return the course orders for a number that the player has typed, as pairs of order and label.

        Args:
            view: The player's view.
            number: A hex number or a bearing.
            highlighted: The highlighted option.
            course_lines: The orders in force, in full.
        """
        del view, number, highlighted, course_lines
        return []

    def course_rows(self, view: View, course_lines: Sequence[str]) -> tuple[Row, ...]:
        """Return the course orders in force with the steps that they will take, as styled lines."""
        del view, course_lines
        return ()

    def report_rows(self, lines: Sequence[str]) -> tuple[Row, ...]:
        """Return a report from :meth:`report` as styled lines."""
        return tuple(lines)

    def rule_for_question(self, decision: Decision[Any] | None, hex_id: str) -> str:
        """Return the rule that F1 opens; empty if no rule applies."""
        del hex_id
        return str(decision.rule) if decision is not None else ""

    def turn_name(self, turn: str) -> str:
        """Return the name that players use for a ruleset turn."""
        return turn


def load_presenter(ruleset: AnyRuleset) -> Presenter:
    """Create a game's presenter, ``PRESENTER`` in ``tui/<game>/presenter.py``. Without this module, use `Presenter`."""
    name = resolve_name(f"..{ruleset.game}.presenter", __package__)
    try:
        presenter: type[Presenter] = import_module(name).PRESENTER
    except ModuleNotFoundError as error:
        # the module exists, but an import inside it fails, which is a bug
        if error.name is None or not name.startswith(error.name):
            raise
        presenter = Presenter
    return presenter(ruleset)


def map_text(presenter: Presenter, view: View, centre: str, size: tuple[int, int]) -> Sequence[str]:
    """Return the map as plain lines; empty if there is no map.

    A large map is cropped to the area around the given place.
    """
    scene = presenter.scene(view, Selection(cursor=centre))
    if scene is None or centre not in scene.cells:
        return ()
    return (
        _area_text(scene, centre)
        if isinstance(scene, AreaScene)
        else _hex_text(scene, centre, size)
    )


def _area_text(scene: AreaScene, centre: str) -> Sequence[str]:
    from tui.maps.areamap.draw import draw_map

    lines = draw_map(scene, Zoom.OVERVIEW, centre)
    return ["".join(letter for letter, _ in line).rstrip() for line in lines]


def _hex_text(scene: HexScene, centre: str, size: tuple[int, int]) -> Sequence[str]:
    from tui.drawing.palette import PLAIN_PALETTE
    from tui.maps.hexmap.geometry import SHAPES, hex_origin
    from tui.maps.hexmap.rendering.draw import draw_line
    from tui.terminal.output_filter import to_ascii

    shape = SHAPES[scene.grid.top][Zoom.OPERATIONAL]
    place = hex_origin(scene, shape, *scene.grid.coordinates(centre))
    width, height = size
    left_column = max(place.x + shape.pitch // 2 - width // 2, 0)
    top = max(place.y + shape.half_height - height // 2, 0)
    return [
        to_ascii(
            draw_line(scene, Zoom.OPERATIONAL, PLAIN_PALETTE, y, left_column, width, centre).text
        ).rstrip()
        for y in range(top, top + height)
    ]
