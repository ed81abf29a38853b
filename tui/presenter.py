"""What a game's package gives the screens: words and pictures for its views and commands.

A presenter sees views and commands only. The base class serves any game with the text notation alone, so
that a game without a map can be played, too.
"""

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.choices import Choice, Words, choices
from tui.areamap.scene import AreaScene
from tui.board import Board
from tui.hexmap.scene import HexScene
from tui.marks import Zoom

Scene = HexScene | AreaScene
"""A map of either kind."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What the player looks at; overlays are drawn for it."""

    cursor: str = ""
    """Hex under the cursor."""
    overlay: str = ""
    """Overlay in use, empty for none."""
    options: tuple[Any, ...] = ()
    """Commands whose places stand out on the map."""
    drafted: tuple[Any, ...] = ()
    """Commands tried in the draft."""
    looked: Any = None
    """The command on which the bar of the list stands."""


class Found(msgspec.Struct, frozen=True):
    """A hit of the search by name."""

    title: str
    hex_id: str = ""
    """Hex to go to; empty when the thing is on none."""
    text: str = ""
    """What to show of a thing that is on no hex, such as a card."""


class Presenter:
    """Words for any game; games with a map derive from it."""

    overlays: tuple[tuple[str, str, str], ...] = ()
    """Key, id and name of each overlay."""
    page_names: tuple[tuple[str, str], ...] = (("t", "Tracks"),)
    """Key and name of each page to read."""
    boards: tuple[tuple[str, str], ...] = ()
    """Key and name of each board with a cursor."""
    keys = ""
    """The last line of the table, where the game has other keys than most."""
    hand_word = "Hand"
    """What the key for the hand shows."""
    dock = ""
    """Title of a panel that stands beside the log where there is room, empty for none."""
    draws_looked = False
    """The map shows the command on which the bar of the list stands."""
    place_word = "hex"
    """What a place of the map is called."""
    has_wide_map = False
    """The map needs the whole width of the screen; the panels stand below it."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self.ruleset = ruleset

    def header(self, view: View, heading: str, status: str) -> str:
        """Return the top line."""
        del view
        return " | ".join(part for part in (heading, status) if part)

    def label(self, view: View, command: Command) -> str:
        """Return words for one option."""
        del view
        return self.ruleset.notation.line(command)

    def detail(self, view: View, command: Command) -> str:
        """Return words for an option below a heading that names its subject."""
        return self.label(view, command)

    def below(self, view: View, command: Command) -> str:
        """Return words for an option below a heading that names its verb."""
        return self.label(view, command)

    def kind(self, command: Command) -> str:
        """Return words for all options of the same verb."""
        word = self.ruleset.notation.verb(command)
        summaries = {verb.word: verb.summary for verb in self.ruleset.notation.verbs()}
        return summaries[word].rstrip(".")

    def choices(self, view: View, options: Sequence[Any]) -> tuple[Choice, ...]:
        """Return options as a short tree."""
        words = Words(
            partial(self.label, view),
            partial(self.detail, view),
            partial(self.subject, view),
            self.kind,
            partial(self.below, view),
        )
        return choices(self.ruleset.notation, options, words)

    def offers(
        self,
        view: View,
        options: Sequence[Any],
        any_time: Sequence[Any],
        default: Command | None = None,
    ) -> tuple[Choice, ...]:
        """Return options as a short tree, with what may be given at any time under a heading of its own.

        Args:
            view: What the player sees.
            options: The answers to the question; empty when nobody asks.
            any_time: What may be given without a question.
            default: The answer that is taken when nobody answers.
        """
        del default
        lines = self.choices(view, options) if options else ()
        extra = tuple(command for command in any_time if command not in options)
        if not extra:
            return lines
        below = self.choices(view, extra)
        return (*lines, Choice("At any time", None, below, len(extra), is_aside=True))

    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        """Return what an option is about, as a key and its name: a unit, a card."""
        del view
        fields = command.__struct_fields__
        value = str(getattr(command, fields[0])) if fields else ""
        return (value, value) if value else None

    def places(self, view: View, command: Command) -> tuple[str, ...]:
        """Return the hexes that a command points at, its target first."""
        del view, command
        return ()

    def place_name(self, place: str) -> str:
        """Return how a place of the map is called in a sentence."""
        return place

    def about(self, view: View, command: Command, cursor: str = "") -> tuple[str, tuple[str, ...]]:
        """Return a title and lines to read while an option is looked at, such as a card's text.

        Args:
            view: What the player sees.
            command: The option.
            cursor: The place to which the player moved the cursor last.
        """
        del view, command, cursor
        return "", ()

    def warning(self, view: View, command: Command, options: Sequence[Any] = ()) -> str:
        """Return what to ask before a command that is easily given by mistake; empty for all others.

        Args:
            view: What the player sees.
            command: What the player is about to do.
            options: What else is offered.
        """
        del view, command, options
        return ""

    def scene(self, view: View, selection: Selection) -> Scene | None:
        """Return the map, None for a game without one."""
        del view, selection
        return None

    def home(self, view: View) -> str:
        """Return the hex to look at first."""
        del view
        return ""

    def focus(self, view: View) -> str:
        """Return the hex that the present step is about, empty for none."""
        del view
        return ""

    def hex_lines(self, view: View, hex_id: str) -> tuple[str, ...]:
        """Return what is known about a hex."""
        del view
        return (hex_id,)

    def hand_lines(self, view: View) -> tuple[str, ...]:
        """Return the own cards with their text."""
        hand = getattr(view, "hand", ())
        return tuple(str(card) for card in hand) or ("no cards",)

    def pages(self, view: View) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return more pages to read as key, name and lines: tracks, pools, charts."""
        fields = {name: getattr(view, name) for name in view.__struct_fields__}
        return (("t", "Tracks", tuple(f"{name}: {value}" for name, value in fields.items())),)

    def board(self, view: View, key: str, options: Sequence[Any]) -> Board | None:
        """Return a board with what may be ordered on it now; None when there is no such board."""
        del view, key, options
        return None

    def brief(self, view: View) -> tuple[str, ...]:
        """Return what matters before a question that is read line by line, when the step has changed."""
        del view
        return ()

    def report(
        self, events: Sequence[Any], before: View, after: View, *, is_explained: bool
    ) -> tuple[str, ...]:
        """Return what was seen while others moved; empty for nothing worth telling.

        Args:
            events: What happened.
            before: The table before it.
            after: The table after it.
            is_explained: With the reasons: every roll with its table.
        """
        del events, before, after, is_explained
        return ()

    def dock_lines(self, view: View) -> tuple[str, ...]:
        """Return what the panel beside the log shows."""
        return self.brief(view)

    def battle_lines(self, view: View) -> tuple[str, ...]:
        """Return the battle that is being fought; empty when there is none."""
        del view
        return ()

    def find(self, view: View, words: str) -> tuple[Found, ...]:
        """Return what has these words in its name."""
        del view, words
        return ()

    def candidates(self, view: View, decision: Decision[Any], hex_id: str) -> tuple[Any, ...]:
        """Return the commands that a player may mean by this hex in this step, legal or not."""
        del view, decision, hex_id
        return ()

    def rule_of(self, decision: Decision[Any] | None, hex_id: str) -> str:
        """Return the rule that F1 opens."""
        del hex_id
        return str(decision.rule) if decision is not None else ""

    def role_name(self, role: Role | None) -> str:
        """Return how a role is called on the screen."""
        return "spectator" if role is None else role.title()

    def who(self, role: Role) -> str:
        """Return how a role or a team is called within a sentence."""
        return self.role_name(role)


def presenter_of(ruleset: AnyRuleset) -> Presenter:
    """Return what shows a game: ``PRESENTER`` of ``tui/<game>/presenter.py``, else the words of the notation."""
    name = f"tui.{ruleset.game}.presenter"
    try:
        presenter: type[Presenter] = import_module(name).PRESENTER
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        presenter = Presenter
    return presenter(ruleset)


def map_text(presenter: Presenter, view: View, centre: str, size: tuple[int, int]) -> Sequence[str]:
    """Return the map as plain lines, a large one as a cutout around a place; empty without a map."""
    scene = presenter.scene(view, Selection(cursor=centre))
    if scene is None or centre not in scene.cells:
        return ()
    return (
        _area_text(scene, centre)
        if isinstance(scene, AreaScene)
        else _hex_text(scene, centre, size)
    )


def _area_text(scene: AreaScene, centre: str) -> Sequence[str]:
    from tui.areamap.draw import draw

    lines = draw(scene, Zoom.OVERVIEW, centre)
    return ["".join(letter for letter, _ in line).rstrip() for line in lines]


def _hex_text(scene: HexScene, centre: str, size: tuple[int, int]) -> Sequence[str]:
    from tui.filters import to_ascii
    from tui.hexmap.draw import draw_line
    from tui.hexmap.geometry import SHAPES, spot
    from tui.palette import PALETTES
    from tui.terminal import PaletteName

    shape = SHAPES[scene.grid.top][Zoom.OPERATIONAL]
    place = spot(scene, shape, *scene.grid.coordinates(centre))
    width, height = size
    left = max(place.x + shape.pitch // 2 - width // 2, 0)
    top = max(place.y + shape.slope - height // 2, 0)
    palette = PALETTES[PaletteName.MONOCHROME]
    return [
        to_ascii(draw_line(scene, Zoom.OPERATIONAL, palette, y, left, width, centre).text).rstrip()
        for y in range(top, top + height)
    ]
