"""What a game's package gives the screens: words and pictures for its views and commands.

A presenter sees views and commands only. The base class serves any game with the text notation alone, so
that a game without a map can be played, too.
"""

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.choices import Cells, Choice, Words, choices
from play.chronicle import Fact
from tui.areamap.scene import AreaScene
from tui.board import Board
from tui.forecast import ForecastSheet
from tui.goals import Goals
from tui.hexmap.scene import HexScene
from tui.marks import Zoom
from tui.playback.beat import Beat, News, plain_beats
from tui.playback.sheet import Fight, Sheet
from tui.ribbon import CardFace, Part, Row, Steps, part
from tui.roster import Roster
from tui.tones import Tone

Scene = HexScene | AreaScene
"""A map of either kind."""


NO_OVERLAY: Final = "off"
"""Overlay of a map that shows none, not even the one that fits the question."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What the player looks at; overlays are drawn for it."""

    cursor: str = ""
    """Hex under the cursor."""
    overlay: str = ""
    """Overlay in use; empty for the one that fits the question."""
    options: tuple[Any, ...] = ()
    """Commands whose places stand out on the map."""
    drafted: tuple[Any, ...] = ()
    """Commands tried in the draft."""
    looked: Any = None
    """The command on which the bar of the list stands."""


class Tick(msgspec.Struct, frozen=True):
    """That several of a kind may be taken one after the other, and where a line stands in their list."""

    group: str
    """What all of them have in common, in words: ``Activate``, ``Battle of 4021 Rabaul``."""
    place: str = ""
    """Where the line stands, in words; empty where that does not matter."""
    is_asked: bool = False
    """The question says already what all of them have in common."""
    is_cost: bool = False
    """Each of them gives something up: the line that ends it stands first."""
    under: str = ""
    """Words of a list of its own in which the line stands, behind everything else; empty for the first list."""
    rank: int = 0
    """Groups with a lower number stand first; those with the same one as they are offered."""


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
    page_names: tuple[tuple[str, str], ...] = (("T", "Tracks"),)
    """Key and name of each page to read."""
    boards: tuple[tuple[str, str], ...] = ()
    """Key and name of each board with a cursor."""
    foot: tuple[tuple[str, str], ...] = ()
    """Keys of pages, boards and overlays that the last line tells, each with a word."""
    has_side_board = False
    """Some steps have a board that stands beside the map."""
    has_hand = False
    """Players hold cards, which can lie along the bottom."""
    hand_word = "Hand"
    """What the key for the hand shows."""
    hand_help = "your cards with their text"
    """What ``hand`` tells line by line."""
    find_help = "places, units and cards by name"
    """What ``find`` finds."""
    dock = ""
    """Title of a panel that stands beside the log where there is room, empty for none."""
    seen_word = "What was seen"
    """Title of the panel that tells reports, beside that of `dock`."""
    draws_looked = False
    """The map shows the command on which the bar of the list stands."""
    can_wait = False
    """Quiet questions can be answered for a player who waits (:meth:`waiting`)."""
    is_against_game = False
    """The enemy is the game itself, which moves within the player's own commands."""
    reports_whole_turn = False
    """The end of a turn is told from all facts since the last one ended, not from the latest alone."""
    place_word = "hex"
    """What a place of the map is called."""
    has_wide_map = False
    """The map needs the whole width of the screen; the panels stand below it."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self.ruleset = ruleset

    @property
    def badge(self) -> str:
        """Return what the game is called on its top line."""
        return self.ruleset.title.upper()

    def ribbon(self, view: View, heading: str, status: str) -> tuple[Part, ...]:
        """Return where the game stands, for the line along the top.

        Args:
            view: What the player sees.
            heading: Where the ruleset says that the game stands.
            status: The state of the connection, empty for none.
        """
        del view
        return tuple(part(text) for text in (heading, status) if text)

    def steps(self, view: View) -> Steps | None:
        """Return where the game is in its sequence; None where that is not worth a line."""
        del view
        return None

    def cards(self, view: View) -> tuple[CardFace, ...]:
        """Return the own hand as cards to lay along the bottom; empty for a game without cards."""
        del view
        return ()

    def card_of(self, command: Command) -> str:
        """Return the id of the face in `cards` that a command is about, empty for none."""
        return str(getattr(command, "card", "") or "")

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
        return summaries[word].rstrip(".") or word

    def choices(self, view: View, options: Sequence[Any]) -> tuple[Choice, ...]:
        """Return options as a short tree."""
        words = Words(
            partial(self.label, view),
            partial(self.detail, view),
            partial(self.subject, view),
            self.kind,
            partial(self.below, view),
            partial(self.cells, view),
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

    def obvious(self, view: View, given: Command, options: Sequence[Any]) -> Command | None:
        """Return the answer that a command just given leaves no choice about; None where the player chooses.

        Args:
            view: What the player sees now.
            given: What he gave last.
            options: The answers to the question that followed.
        """
        del view, given, options
        return None

    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        """Return what an option is about, as a key and its name: a unit, a card."""
        del view
        fields = command.__struct_fields__
        value = str(getattr(command, fields[0])) if fields else ""
        return (value, value) if value else None

    def tick(self, view: View, command: Command) -> Tick | None:
        """Return how an option stands in a list of several that are ticked; None for one that is taken alone."""
        del view, command
        return None

    def stage(self, view: View) -> object:
        """Return what tells the open question from those before it by the same rule, with which ticked lines end."""
        del view
        return None

    def cells(self, view: View, command: Command, *, has_place: bool = True) -> Cells:
        """Return an option in columns: a sign, a name, then what decides; empty where words are better.

        Args:
            view: What the player sees.
            command: The option, told by the words around it.
            has_place: Whether the columns tell where it is.
        """
        del view, command, has_place
        return ()

    def loss(self, view: View, command: Command, options: Sequence[Any]) -> str:
        """Return what is given up by a command in a few words; empty for nothing.

        Args:
            view: What the player sees.
            command: One of the options.
            options: What else is offered.
        """
        del view, command, options
        return ""

    def looks_ahead(self, command: Command) -> bool:
        """Return whether what follows an option helps to choose it: `outlook` is asked for it."""
        del command
        return False

    def outlook(
        self, view: View, command: Command, following: Decision[Any]
    ) -> tuple[str, str] | None:
        """Return what the question that follows an option tells about it, for a column and in words; None for nothing.

        Args:
            view: What the player would see then.
            command: The option.
            following: The question to the same player after it.
        """
        del view, command, following
        return None

    def question_overlay(self, view: View, options: Sequence[Any]) -> object:
        """Return what the overlay that fits the question is about, None for a question without one.

        A question with another overlay of its own takes away the one that the player chose before it.
        """
        del view, options
        return None

    def plainest(self, commands: Sequence[Any]) -> tuple[Any, ...]:
        """Return what is meant by a place to which several commands point, such as to end there."""
        return tuple(commands)

    def places(self, view: View, command: Command) -> tuple[str, ...]:
        """Return the hexes that a command points at, its target first."""
        del view, command
        return ()

    def place_of(self, view: View, choice: Choice) -> str:
        """Return the place to look at while the bar stands on a line, empty for where the map is now."""
        command = next(choice.commands(), None)
        places = self.places(view, command) if command is not None else ()
        return places[0] if places else ""

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

    def plan(self, view: View, command: Command, cursor: str = "") -> tuple[str, ...]:
        """Return what an option would come to, empty where there is nothing to work out."""
        return self.about(view, command, cursor)[1]

    def plan_tone(self, text: str) -> Tone:
        """Return what a line of a plan stands for."""
        del text
        return Tone.PLAIN

    def warning(self, view: View, command: Command, options: Sequence[Any] = ()) -> str:
        """Return what to ask before a command that is easily given by mistake; empty for all others.

        Args:
            view: What the player sees.
            command: What the player is about to do.
            options: What else is offered.
        """
        del view, command, options
        return ""

    def prompt(self, decision: Decision[Any]) -> str:
        """Return a question in words."""
        return decision.prompt

    def tried(self, view: View, command: Command, options: Sequence[Any]) -> str:
        """Return what the player is told once a command is tried.

        Args:
            view: What the player saw before.
            command: What was tried.
            options: What was offered with it.
        """
        del options
        head, _, rest = self.label(view, command).partition(": ")
        if head == "Done":
            return f"Tried: {rest or 'the end of the step'}"
        return f"Tried: {self.label(view, command)}"

    def unfinished(self, view: View) -> str:
        """Return what to ask before a commit that would leave something half done; empty where it does not."""
        del view
        return ""

    def complete(self, view: View) -> str:
        """Return what is told where nothing is left to choose in a plan."""
        del view
        return "Your plan is complete. c carries it out, u takes back the last step."

    def before_commit(self, view: View) -> str:
        """Return what to ask before a plan is carried out, empty for nothing; the same words are asked once."""
        del view
        return ""

    def waiting(self, view: View, decision: Decision[Any]) -> Command | None:
        """Return what is answered for a player who waits for things to happen; None where he should choose."""
        del view, decision
        return None

    def interruption(self, events: Sequence[Any]) -> str:
        """Return a sentence about what a player who waits should look at; empty for nothing."""
        del events
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

    def hex_rows(self, view: View, hex_id: str) -> tuple[Row, ...]:
        """Return what is known about a hex with its tones, for the panel."""
        return self.hex_lines(view, hex_id)

    def log_tone(self, view: View, text: str) -> Tone:
        """Return what a sentence of the log stands for: own plays, dice, losses."""
        del view, text
        return Tone.PLAIN

    def hand_lines(self, view: View) -> tuple[str, ...]:
        """Return the own cards with their text."""
        hand = getattr(view, "hand", ())
        return tuple(str(card) for card in hand) or ("no cards",)

    def pages(self, view: View) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return more pages to read as key, name and lines: tracks, pools, charts."""
        fields = {name: getattr(view, name) for name in view.__struct_fields__}
        return (("T", "Tracks", tuple(f"{name}: {value}" for name, value in fields.items())),)

    def goals(self, view: View) -> Goals:
        """Return what wins for every side, with the present count and what is missing."""
        del view
        return Goals(parties=())

    def roster(self, view: View) -> Roster:
        """Return everything on the table that the viewer may see, a row each."""
        del view
        return Roster(columns=(), entries=())

    def calendar(self, view: View) -> tuple[Row, ...]:
        """Return what comes when: reinforcements, turn order, the clock."""
        del view
        return ()

    def place_named(self, view: View, word: str) -> str:
        """Return the place of the map that a word of a typed line means, empty for none."""
        scene = self.scene(view, Selection())
        return word if scene is not None and word in scene.cells else ""

    def board(self, view: View, key: str, options: Sequence[Any]) -> Board | None:
        """Return a board with what may be ordered on it now; None when there is no such board."""
        del view, key, options
        return None

    def side_board(self, view: View, selection: Selection) -> Board | None:
        """Return the board that stands beside the map while the present step is about it; None for none."""
        del view, selection
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

    # -- what happened

    def beats(self, facts: Sequence[Fact], before: View, after: View) -> tuple[Beat, ...]:
        """Return what happened, step by step, to be played back on the map.

        What whoever looks has ordered himself is left out: he saw it when he tried it. More facts behind the same
        ones change nothing but the last step.

        Args:
            facts: What happened, as far as the viewer knows it.
            before: The table before it.
            after: The table after it.
        """
        del before, after
        return tuple(plain_beats(facts, [self.ruleset.describe(fact.event) for fact in facts]))

    def news(self, facts: Sequence[Fact], before: View, after: View) -> tuple[News, ...]:
        """Return what the player should know of what happened since the own move, the weightiest first."""
        lines = (
            line for beat in self.beats(facts, before, after) for line in beat.text.split("\n")
        )
        return tuple(News(line) for line in dict.fromkeys(lines))

    def turn_report(self, facts: Sequence[Fact], before: View, after: View) -> tuple[str, ...]:
        """Return the end of the last turn, round or day among these facts: its name, then a line per cause."""
        del facts, before, after
        return ()

    def opens_turn(self, view: View) -> bool:
        """Return whether a question in this position is the player's own move, not an answer to another's."""
        del view
        return True

    def fight(self, facts: Sequence[Fact], before: View, after: View) -> tuple[Sheet, ...]:
        """Return the boards of battles that are under way or declared; of those just fought the last one."""
        del after
        sheets = [one.sheet for one in self.beats(facts, before, before) if one.sheet is not None]
        return tuple(sheet for sheet in sheets[-1:] if isinstance(sheet, Fight))

    def forecast(self, view: View, place: str, looked: Command | None) -> tuple[ForecastSheet, ...]:
        """Return what battles, attacks and other things left to chance would come to; empty where there is nothing.

        Args:
            view: What the player sees; nothing else is told.
            place: The place under the cursor, first of all.
            looked: The option on which the bar of the list stands.
        """
        del view, place, looked
        return ()

    def dock_rows(self, view: View) -> tuple[Row, ...]:
        """Return what the game keeps in sight below the map."""
        return self.brief(view)

    def seen_rows(self, lines: Sequence[str]) -> tuple[Row, ...]:
        """Return a report of :meth:`report` in its tones."""
        return tuple(lines)

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

    def turn_words(self, turn: str) -> str:
        """Return how a turn of the ruleset is called by players who look for it."""
        return turn


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
    from tui.palette import PLAIN

    shape = SHAPES[scene.grid.top][Zoom.OPERATIONAL]
    place = spot(scene, shape, *scene.grid.coordinates(centre))
    width, height = size
    left = max(place.x + shape.pitch // 2 - width // 2, 0)
    top = max(place.y + shape.slope - height // 2, 0)
    return [
        to_ascii(draw_line(scene, Zoom.OPERATIONAL, PLAIN, y, left, width, centre).text).rstrip()
        for y in range(top, top + height)
    ]
