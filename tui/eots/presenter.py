"""Presents Empire of the Sun on the screens. It contains no game logic."""

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final

from typing_extensions import override

from engine.eots import commands as c
from engine.eots.events.battle import HitsLost
from engine.eots.frames import MovementFrame
from engine.eots.ids import CardId, HexId
from engine.eots.view import EotsView, OffensiveView
from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.choices import Cells, Choice, Consequence, Tick
from play.event_history import SeenEvent
from tui.drawing.colour_roles import TextRole
from tui.eots import name_search, texts
from tui.eots.battle import text_board
from tui.eots.battle.battle_board import expected_board
from tui.eots.index import Index, Indexer, front_hex
from tui.eots.map import scene
from tui.eots.map.overlays import OVERLAYS, chosen_overlay
from tui.eots.orders import option_list, stacking
from tui.eots.panels import page_texts, row_styles, status_bar
from tui.eots.panels.card_faces import card_faces
from tui.eots.playback import playback_steps, turn_recap
from tui.maps.hexmap.scene import HexScene
from tui.panels.forecast import ForecastPage
from tui.panels.goals import Goals
from tui.panels.overlay_pages import BattleBoard, OverlayPage
from tui.panels.playback_step import News, PlaybackStep
from tui.panels.roster import Roster
from tui.panels.status_segments import CardFace, Row, StatusSegment, Steps
from tui.presenter.presenter import Found, Presenter, Selection

_HEX: Final = re.compile(r"\b\d{4}\b")


_HITS_LEFT: Final = re.compile(r"^(Assign hits at .*): (\d+) left$")
"""The prompt for assigning hits (9.2F, 9.4B)."""
_CONDITION_ONLY: Final = re.compile(r"^Intelligence: [\w ]+$")
"""The prompt for a reaction card if no intelligence roll is possible (5.32, 7.25)."""
_HQ_PROMPT: Final = "Choose an HQ: units it can activate, of those in range"
"""The prompt above the list of headquarters, whose last column is their `outlook` (7.21, 7.26)."""
_INTELLIGENCE_ROLL: Final = re.compile(r"; roll (\d) or less \(([+-]\d)\)$")
"""The end of the prompt for an intelligence roll, with the number to roll and the modifier (7.25)."""


def _intelligence_text(match: re.Match[str]) -> str:
    """Return the unmodified die rolls that reveal an offensive, as text."""
    rolls, condition = texts.required_rolls(int(match[1]), int(match[2]))
    return f". {rolls[:1].upper()}{rolls[1:]} finds the enemy out ({condition})"


class EotsPresenter(Presenter):
    """Presents `EotsView` and `EotsCommand`."""

    overlays = OVERLAYS
    shows_order_preview = True
    page_names = (
        ("T", "Tracks"),
        ("f", "Force pools"),
        ("g", "Charts"),
        ("k", "Cards not seen yet"),
    )
    tab_names = MappingProxyType({"f": "Pools", "k": "Unseen"})

    key_line_entries = (("T", "tracks"), ("O", "zones"), ("s", "supply"))
    has_hand = True
    has_hand_of_cards = True

    def __init__(self, ruleset: AnyRuleset) -> None:
        super().__init__(ruleset)
        self._indexer = Indexer()
        self._last_offensive: OffensiveView | None = None

    def _index(self, view: View) -> Index:
        assert isinstance(view, EotsView)
        if view.offensive is not None:
            self._last_offensive = view.offensive
        return self._indexer.get(view)

    @override
    def status_segments(self, view: View, heading: str, status: str) -> tuple[StatusSegment, ...]:
        """Return status segments for the turn, tracks, shipping, hands and inter-service rivalry."""
        return status_bar.status_segments(self._index(view), heading, status)

    @override
    def steps(self, view: View) -> Steps | None:
        """Return the steps of the offensive. Outside an offensive, return the steps of the turn."""
        assert isinstance(view, EotsView)
        return status_bar.steps(view)

    @override
    def cards(self, view: View) -> tuple[CardFace, ...]:
        assert isinstance(view, EotsView)
        return tuple(card_faces(view))

    @override
    def label(self, view: View, command: Command) -> str:
        return texts.label(self._index(view), _eots(command))

    @override
    def detail(self, view: View, command: Command) -> str:
        return texts.detail(self._index(view), _eots(command))

    @override
    def short_label(self, view: View, command: Command) -> str:
        return texts.short_label(self._index(view), _eots(command))

    @override
    def kind(self, command: Command) -> str:
        return texts.kind(_eots(command))

    @override
    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        """Return the id and name of a command's subject. Arriving and rebuilt units are shown with their values."""
        subject = texts.subject(_eots(command))
        if subject is None or not isinstance(command, c.Place | c.Rebuild):
            return subject
        verb = "Rebuild " if isinstance(command, c.Rebuild) else ""
        return subject[0], verb + texts.arrival_text(self._index(view), command.unit)

    @override
    def tick(self, view: View, command: Command) -> Tick | None:
        return option_list.tick(self._index(view), _eots(command))

    @override
    def question_stage(self, view: View) -> object:
        """Return a key that identifies the kind of decision: the types of its frames.

        The rule number is not enough, because 7.26 covers both activating and moving the reacting units.
        """
        assert isinstance(view, EotsView)
        return tuple(type(frame) for frame in view.frames)

    @override
    def cells(self, view: View, command: Command, *, has_place: bool = True) -> Cells:
        return option_list.cells(self._index(view), _eots(command), has_place=has_place)

    @override
    def arrange_options(
        self,
        view: View,
        options: Sequence[Any],
        free_actions: Sequence[Any],
        default: Command | None = None,
    ) -> tuple[Choice, ...]:
        """Arrange the options: the nearest destinations first, and the likeliest headquarters highlighted (7.21)."""
        options = option_list.nearest_first(self._index(view), options)
        lines = super().arrange_options(view, options, free_actions, default)
        return option_list.with_likely_hq(self._index(view), lines, HexId(self.home(view)))

    @override
    def has_own_list(self, command: Command) -> bool:
        return option_list.has_own_list(_eots(command))

    @override
    def step_ends(self, view: View, options: Sequence[Any]) -> tuple[Any, ...]:
        return option_list.step_ends(options)

    @override
    def closed_step_notice(self, view: View, given_command: Command) -> str:
        """Return a notice that the last possible activation has already ended the activation of units (7.21)."""
        assert isinstance(view, EotsView)
        return option_list.closed_activation_notice(view, _eots(given_command))

    @override
    def step_end(self, view: View) -> Command | None:
        assert isinstance(view, EotsView)
        return option_list.step_end(view)

    @override
    def draft_news(self, events: Sequence[Any]) -> str:
        """Return the log sentences about hits that have no effect; empty if there are none (9.2F, 9.4B)."""
        hit_events = [event for event in events if isinstance(event, HitsLost)]
        return ". ".join(self.ruleset.log_sentence(event) for event in hit_events)

    @override
    def has_outlook(self, command: Command) -> bool:
        return isinstance(command, c.ChooseHq)

    @override
    def outlook(
        self, view: View, command: Command, next_decision: Decision[Any]
    ) -> tuple[str, str] | None:
        """Describe how many units a headquarters may activate."""
        assert isinstance(view, EotsView)
        return option_list.outlook(view, _eots(command), next_decision)

    @override
    def question_overlay(self, view: View, options: Sequence[Any]) -> object:
        """Return the decision's default overlay and the units that are moving; None if it has no default overlay."""
        assert isinstance(view, EotsView)
        overlay = chosen_overlay(view, Selection(options=tuple(options)))
        return (overlay, getattr(view.frames[-1], "units", ())) if overlay else None

    @override
    def likeliest_commands(self, commands: Sequence[Any]) -> tuple[Any, ...]:
        """If several commands apply to a hex, return the most likely ones."""
        return option_list.likeliest_commands(commands)

    @override
    def places(self, view: View, command: Command) -> tuple[str, ...]:
        return texts.places(self._index(view), _eots(command))

    @override
    def place_name(self, place: str) -> str:
        """Return a hex's number and its printed name."""
        return texts.place_name(place)

    @override
    def about(self, view: View, command: Command, cursor: str = "") -> tuple[str, tuple[str, ...]]:
        del view, cursor
        card = getattr(command, "card", "")
        if not card:
            return "", ()
        title, *lines = page_texts.card_lines(CardId(card))
        use = page_texts.operations_use(CardId(card)) if _is_operations(command) else ()
        return title, (*use, *(line.strip() for line in lines))

    @override
    def consequence(
        self,
        view: View,
        command: Command,
        options: Sequence[Any] = (),
        default: Command | None = None,
    ) -> Consequence:
        """Return warnings: what ending a step gives up, and the risk of a ferry, a flight or an overfull hex."""
        del default
        assert isinstance(view, EotsView)
        order = _eots(command)
        question = texts.confirmation_question(view, order, options)
        return Consequence(
            option_list.loss(view, order, options),
            question or stacking.end_of_movement_question(view, order),
        )

    @override
    def prompt(self, decision: Decision[Any]) -> str:
        """Return a prompt that adds the name to each hex number and explains other numbers."""
        named_prompt = _HEX.sub(lambda match: texts.place_name(match[0]), decision.prompt)
        if any(isinstance(option, c.ChooseHq) for option in decision.options):
            return _HQ_PROMPT
        explained_text = _HITS_LEFT.sub(
            r"\1: \2 left (a step costs the unit's defence)", named_prompt
        )
        if _CONDITION_ONLY.match(explained_text):
            return f"{explained_text}. Play a reaction card, or pass"
        return _INTELLIGENCE_ROLL.sub(_intelligence_text, explained_text)

    @override
    def draft_message(self, view: View, command: Command, options: Sequence[Any]) -> str:
        """Describe a drafted command, and warn about an unfinished move or too many units in a hex."""
        way_point_text = option_list.way_point_notice(_eots(command), options)
        if way_point_text:
            return way_point_text
        assert isinstance(view, EotsView)
        message = super().draft_message(view, command, options)
        stacking_text = stacking.arrival_warning(view, _eots(command))
        return f"{message}. {stacking_text}" if stacking_text else message

    @override
    def unfinished_question(self, view: View) -> str:
        """Return a question to ask before an unfinished move is committed (7.23)."""
        assert isinstance(view, EotsView)
        return option_list.unfinished_move_question(view)

    @override
    def plan_complete_text(self, view: View) -> str:
        """Return a notice that the plan is complete, or that the enemy must respond before movement continues (7.2)."""
        assert isinstance(view, EotsView)
        is_moving = any(
            isinstance(frame, MovementFrame) and frame.side is view.side for frame in view.frames
        )
        if not is_moving or view.side is None:
            return super().plan_complete_text(view)
        enemy = self.role_phrase(Role(view.side.enemy))
        response_text = f"{enemy[:1].upper()}{enemy[1:]} must respond to this move first."
        return f"{response_text} c sends it; then you continue moving."

    @override
    def commit_question(self, view: View) -> str:
        """Return a question to ask before a commit that would leave too many units in a hex (8.24, 8.34, 8.48)."""
        assert isinstance(view, EotsView)
        stacking_text = stacking.overstacked_hexes_text(view)
        return f"{stacking_text} Commit anyway?" if stacking_text else ""

    @override
    def scene(self, view: View, selection: Selection) -> HexScene:
        return scene.draw_scene(self._index(view), selection, self._last_offensive)

    @override
    def home(self, view: View) -> str:
        """Return the hex of the next battle or the offensive's HQ. Outside an offensive, return the front."""
        assert isinstance(view, EotsView)
        offensive = view.offensive
        if offensive is not None:
            if next_battle := _next_battle(offensive):
                return next_battle
            if offensive.hq is not None:
                return self._index(view).place_of(offensive.hq)
        return front_hex(self._index(view))

    @override
    def focus(self, view: View) -> str:
        """Return the hex of the moving stack or the current battle; for a reacting side, the hex of the next battle."""
        assert isinstance(view, EotsView)
        frame = view.frames[-1] if view.frames else None
        hex_id = getattr(frame, "at", None) or getattr(frame, "hex", None)
        offensive = view.offensive
        if hex_id is None and offensive is not None and offensive.side is not view.side:
            hex_id = _next_battle(offensive)
        return str(hex_id or "")

    @override
    def hex_lines(self, view: View, hex_id: str) -> tuple[str, ...]:
        return page_texts.hex_lines(self._index(view), hex_id)

    @override
    def hex_rows(self, view: View, hex_id: str) -> tuple[Row, ...]:
        """Describe a hex, with its units in their sides' colours."""
        return row_styles.hex_rows(self._index(view), hex_id)

    @override
    def log_tone(self, view: View, text: str) -> TextRole:
        del view
        return row_styles.log_tone(text)

    @override
    def hand_lines(self, view: View) -> tuple[str, ...]:
        assert isinstance(view, EotsView)
        return page_texts.hand_lines(view)

    @override
    def pages(self, view: View) -> tuple[page_texts.Page, ...]:
        index = self._index(view)
        return (
            page_texts.tracks_page(index),
            page_texts.pools_page(index),
            page_texts.charts_page(),
            page_texts.unseen_page(index.view),
        )

    @override
    def goals(self, view: View) -> Goals:
        from tui.eots.panels import goals

        return goals.goals(self._index(view).view)

    @override
    def roster(self, view: View) -> Roster:
        from tui.eots.panels import roster

        return roster.roster(self._index(view))

    @override
    def calendar(self, view: View) -> tuple[Row, ...]:
        from tui.eots.panels import roster

        return roster.calendar(self._index(view))

    @override
    def playback_steps(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[PlaybackStep, ...]:
        """Return playback steps: cards, activations, moves, battles and markers."""
        del view_after
        assert isinstance(view_before, EotsView)
        return playback_steps.playback_steps(seen_events, view_before)

    @override
    def news(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[News, ...]:
        """Return news since the player's last move: track changes, battles, captures, losses and cards."""
        assert isinstance(view_before, EotsView)
        assert isinstance(view_after, EotsView)
        return turn_recap.news(seen_events, view_before, view_after)

    @override
    def turn_report(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[str, ...]:
        """Return the report on the events between two turns' offensives (4.1, 4.3-4.5)."""
        del view_after
        assert isinstance(view_before, EotsView)
        return turn_recap.turn_report(seen_events, view_before)

    @override
    def opens_turn(self, view: View) -> bool:
        """Return whether no offensive is under way. The battles of the viewer's own offensive do not open a turn."""
        assert isinstance(view, EotsView)
        return view.offensive is None

    @override
    def continues_turn(self, view: View) -> bool:
        """Return whether the viewer's side is acting on its own initiative, not reacting to an enemy offensive."""
        assert isinstance(view, EotsView)
        return view.offensive is None or view.offensive.side is view.side

    @override
    def battle_boards(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[OverlayPage, ...]:
        assert isinstance(view_before, EotsView)
        assert isinstance(view_after, EotsView)
        steps, current_battle = playback_steps.build_steps(seen_events, view_before)
        unit_states = {unit.id: (unit.at, unit.steps) for unit in view_after.units}
        declared_previews = () if view_after.offensive is None else view_after.offensive.previews
        pages = [] if current_battle is None else [current_battle.board()]
        pages += [
            expected_board(preview, unit_states)
            for preview in declared_previews
            if current_battle is None or preview.at != current_battle.hex_id
        ]
        battles = [step.page for step in steps if isinstance(step.page, BattleBoard)]
        return tuple(pages or battles[-1:])

    @override
    def forecast(
        self, view: View, place: str, highlighted: Command | None
    ) -> tuple[ForecastPage, ...]:
        """Return a forecast of the battle in a hex, followed by forecasts of the declared battles."""
        from tui.eots.battle import forecast

        return forecast.forecast_pages(self._index(view), place, highlighted)

    @override
    def battle_lines(self, view: View) -> tuple[str, ...]:
        return text_board.battle_lines(self._index(view))

    @override
    def find(self, view: View, query: str) -> tuple[Found, ...]:
        return name_search.find(self._index(view), query)

    @override
    def candidates(self, view: View, decision: Decision[Any], hex_id: str) -> tuple[Any, ...]:
        """Return the current step's commands for a hex and its units, including illegal ones."""
        index = self._index(view)
        units = [
            unit.id
            for stack in index.stacks.get(hex_id, ())
            for unit in stack.units
            if index.view.side in (None, stack.side)
        ]
        commands: list[Any] = []
        for command_type in dict.fromkeys(type(option) for option in decision.options):
            samples = [option for option in decision.options if type(option) is command_type]
            commands += _similar_commands(samples, hex_id, units)
        return tuple(dict.fromkeys(commands))

    @override
    def role_name(self, role: Role | None) -> str:
        return "Spectator" if role is None else {"allied": "Allied", "japan": "Japan"}[role]

    @override
    def role_phrase(self, role: Role) -> str:
        return {"allied": "the Allies", "japan": "Japan"}[role]

    @override
    def turn_name(self, turn: str) -> str:
        number, _, season = turn.removeprefix("T").partition(" ")
        return f"Turn {number}, {season}"


def _next_battle(offensive: OffensiveView) -> HexId | None:
    """Return the first hex with a battle still to be fought."""
    battles = sorted(offensive.battles.items())
    return next((hex_id for hex_id, battle in battles if not battle.resolved), None)


def _is_operations(command: Command) -> bool:
    """Return whether a command opens an offensive with a card's operations value (5.1)."""
    return isinstance(command, c.OperationsOffensive)


def _eots(command: Command) -> c.EotsCommand:
    return command  # type: ignore[return-value]  # every command of this ruleset is in the union


def _similar_commands(samples: Sequence[Any], hex_id: str, units: Sequence[Any]) -> list[Any]:
    """Return commands of the same type as the samples that refer to a hex or to a unit in it.

    If the commands name a unit and a place, each unit in the hex is combined with each place in the samples. In a hex
    without units, the place of each sample is replaced by the hex.
    """
    from msgspec.structs import replace

    fields = samples[0].__struct_fields__
    place_field = next((name for name in ("to", "at") if name in fields), None)
    unit_field = next((name for name in ("unit", "hq") if name in fields), None)
    if place_field is not None and unit_field is not None and units:
        places = dict.fromkeys(getattr(sample, place_field) for sample in samples)
        return [
            replace(samples[0], **{unit_field: unit, place_field: place})
            for unit in units
            for place in places
        ]
    if place_field is not None:
        return list(dict.fromkeys(replace(sample, **{place_field: hex_id}) for sample in samples))
    if unit_field is not None:
        return [replace(samples[0], **{unit_field: unit}) for unit in units]
    return []


PRESENTER: Final = EotsPresenter
