"""The guided-lesson screen: a card with instructions, and targets highlighted on the map and in the list."""

from typing import Final

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from engine.kernel.ruleset import Command
from play.lesson import LessonStepKind
from play.lesson_session import LessonSession
from tui.drawing.palette import Palette
from tui.maps.areamap.widget import AreaMapView
from tui.maps.highlights import with_step_highlights
from tui.playback.panel import PlaybackPanel
from tui.presenter.presenter import Presenter, Scene
from tui.screens.match.play import PlayScreen
from tui.terminal.sanitising import sanitise_line, sanitise_lines
from tui.terminal.settings import Settings
from tui.widgets.bars.key_line import key_entry
from tui.widgets.base_screens import key_name
from tui.widgets.lists.decision import DecisionPanel

MAX_TEXT_LENGTH: Final = 400
"""Maximum number of characters in a card's text."""
POINTER: Final = "▸"
"""Mark shown before the instructions and before the expected line in the list."""
_PREFERRED_KEYS: Final = {"take": "enter"}
"""The key to show for each action that has several keys."""
_CARD_LINES: Final = 7
"""Usual height of the lesson card in lines. A map above the panels leaves this space free."""
_COMPLETE_TEXT: Final = (
    "The lesson is complete. Press {lesson_on} to play on from here, or {leave} for the menu."
)
_OVER_TEXT: Final = (
    "The lesson is complete. Press {end_page} for the result, or {leave} for the menu."
)
"""Text at the end of a lesson if the game is over as well."""

_TARGET_NAME: Final = "see the lesson"
"""Name of the lesson's places in the map legend."""
_PLAYBACK: Final = "Watch what happens. Space shows the next step, Enter the end."


class LessonCard(Vertical):
    """The text of a lesson step, followed by instructions for the player."""

    DEFAULT_CSS = """
    LessonCard { height: auto; border-top: solid $border; border-title-color: $border;
        border-title-style: bold; padding: 0 1; }
    LessonCard Static { height: auto; }
    LessonCard .do { color: $accent; text-style: bold; }
    LessonCard .no { color: $warning; text-style: bold; display: none; }
    """

    @override
    def compose(self) -> ComposeResult:
        """Compose the text, the objection and the instructions."""
        yield Static("", classes="text", markup=False)
        yield Static("", classes="no", markup=False)
        yield Static("", classes="do", markup=False)

    async def on_click(self) -> None:
        """Continue the lesson if the current step requires nothing but reading."""
        await self.app.run_action("lesson_on", self.screen)

    def show(self, title: str, text: str, instructions: str) -> None:
        """Show a lesson step."""
        self.border_title = Content(title)
        self.query_one(".text", Static).update(Content(sanitise_line(text, MAX_TEXT_LENGTH)))
        self.show_keys(instructions)

    def show_keys(self, instructions: str) -> None:
        """Update the instructions without changing the text."""
        self.query_one(".do", Static).update(
            Content(f"{POINTER} {sanitise_line(instructions, MAX_TEXT_LENGTH)}")
        )

    def show_objection(self, objection: str) -> None:
        """Show why a command is not accepted. An empty objection hides the line."""
        line = self.query_one(".no", Static)
        line.update(Content(f"! {sanitise_line(objection, MAX_TEXT_LENGTH)}"))
        line.display = bool(objection)


class LessonScreen(PlayScreen):
    """The screen for playing a lesson."""

    KEY_LINE_ENTRIES = (key_entry("go on", "lesson_on"), *PlayScreen.KEY_LINE_ENTRIES)

    def __init__(self, session: LessonSession, presenter: Presenter) -> None:
        """Create the screen for a lesson."""
        super().__init__(session, presenter)
        self.lesson_session = session
        self._shown_step = -1
        """Index of the last step with targets shown on the map."""
        self._is_leaving = False
        """True once the player has chosen to continue the game without the lesson."""
        self._has_asked_to_skip = False
        """True after the player has tried once to skip a step that requires a key press."""
        self._objection_position = (-1, -1, -1)
        """Step index, record number and draft size at the time of the last objection."""
        # these keys have other effects while a command is expected
        for key in ("enter", "space"):
            self._bindings.bind(key, "lesson_on", "Continue the lesson", show=False, priority=True)
        session.format_command = self._format_command
        session.key_of = self.key_of

    @property
    @override
    def settings(self) -> Settings:
        """The player's preferences, with news pop-ups off because the lesson itself reports the news."""
        return replace(super().settings, news=False)

    @override
    def apply_settings(self, settings: Settings, palette: Palette) -> None:
        super().apply_settings(replace(settings, news=False), palette)

    @override
    def compose_below(self) -> ComposeResult:
        """Compose the lesson card across the full width."""
        yield LessonCard(id="lesson", classes="panel")

    @override
    def on_mount(self) -> None:
        """Reserve lines for the card, then show the game."""
        if isinstance(self.map, AreaMapView):
            self.map.reserved_lines = _CARD_LINES
        super().on_mount()

    def _format_command(self, command: Command) -> str:
        """Return a command as the list shows it: by name if the list has columns, otherwise in words."""
        subject = self.presenter.subject(self.view, command)
        if subject is None or not self.presenter.cells(self.view, command):
            return self.label(command)
        return subject[1]

    def key_of(self, action: str) -> str:
        """Return the key of an action as it appears on a keyboard."""
        if action in _PREFERRED_KEYS:
            return key_name(_PREFERRED_KEYS[action])
        nodes = (self, self.map, self.panel.rows)
        bindings = (binding for node in nodes for _, binding in node._bindings)  # noqa: SLF001  (bindings have no public iterator)
        key = next((binding.key for binding in bindings if binding.action == action), action)
        return "Space" if key == "space" else key_name(key)

    # -- display

    @override
    def show_question(self) -> None:
        super().show_question()
        self.show_lesson()
        if not self.is_playing_back:
            self.call_after_refresh(self.panel.rows.move_to_pointer)

    def show_lesson(self) -> None:
        """Show the current lesson step."""
        lesson_session, card = self.lesson_session, self.query_one(LessonCard)
        if self._objection_position != self._lesson_position():
            card.show_objection("")
        self.panel.rows.set_pointers(lesson_session.expected_commands)
        self.refresh_bindings()
        if self.is_playing_back:  # the step is shown after the playback
            card.show_keys(_PLAYBACK)
            return
        self.panel.rows.is_lit = not (self._is_reading_step() or self._can_play_on())
        number, total = lesson_session.card_position
        title = f"Lesson {number}/{total}: {lesson_session.lesson.title}"
        text = lesson_session.with_key_names(lesson_session.text)
        card.show(title, text, lesson_session.instruction() or self._complete_text())
        if lesson_session.step_index != self._shown_step:
            self._shown_step = lesson_session.step_index
            if self._has_asked_to_skip or self._is_reading_step():
                self.show_message("")
            self._has_asked_to_skip = False
            self._leave_lists()
            if not self._is_reading_step():
                self.picker.give_focus(self.panel.shown_choices)
            self.call_after_refresh(self.panel.rows.move_to_pointer)
            self.point_out()
            self.show_map()

    def _complete_text(self) -> str:
        """Return the text that is shown when the lesson is complete."""
        text = _COMPLETE_TEXT if self._can_play_on() else _OVER_TEXT
        return self.lesson_session.with_key_names(text)

    def _can_play_on(self) -> bool:
        """Return whether the lesson is complete, and its game is not over."""
        is_complete = self.lesson_session.step is None and self.session.outcome() is None
        return is_complete and hasattr(self.app, "play_on")

    def _leave_lists(self) -> None:
        """Leave any open sublist that does not contain an expected command."""
        expected_text = set(self.lesson_session.expected_commands)
        while self.panel.is_nested and not any(
            not expected_text.isdisjoint(line.commands()) for line in self.panel.shown_choices
        ):
            self.action_back()

    @on(PlaybackPanel.KeysChanged)
    def update_instructions(self) -> None:
        """Update the instructions after the playback keys have changed."""
        self.call_later(self.show_lesson)

    def _is_reading_step(self) -> bool:
        step = self.lesson_session.step
        return step is not None and step.kind in {LessonStepKind.TELL, LessonStepKind.PRESS}

    def _targets(self) -> tuple[str, ...]:
        """Return the current step's places, starting with those named by the expected commands."""
        step = self.lesson_session.step
        if step is None:
            return ()
        commands = self.lesson_session.expected_commands if step.kind is LessonStepKind.GIVE else ()
        command_places = [
            place for command in commands for place in self.presenter.places(self.view, command)[:1]
        ]
        return tuple(dict.fromkeys((*command_places, *step.targets)))

    @override
    def decorate_scene(self, scene: Scene) -> Scene:
        """Return the map with the lesson's targets highlighted."""
        decorated = super().decorate_scene(scene)
        return (
            decorated
            if self.is_playing_back
            else with_step_highlights(decorated, (), (), self._targets(), _TARGET_NAME)
        )

    @property
    @override
    def is_map_held(self) -> bool:
        return self._is_reading_step() and bool(self._targets())

    def point_out(self) -> None:
        """Move the map cursor to the lesson's first target."""
        if places := self._targets():
            self.map.point_at(places[0])

    @on(DecisionPanel.Opened)
    def list_opened(self) -> None:
        """Move the bar to the first expected line. If the map has the keys, also move its cursor to the target."""
        if not self.is_playing_back:
            self.call_after_refresh(self.panel.rows.move_to_pointer)
        # The base class's handler, which runs after this one, decides whether the map has the keys.
        self.call_after_refresh(self._point_out_on_map)

    def _point_out_on_map(self) -> None:
        if self.picker.has_map_keys:
            self.point_out()

    @override
    def action_other_panel(self) -> None:
        is_to_map = not self.map.has_focus
        super().action_other_panel()
        if is_to_map:
            self.point_out()

    # -- input

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available.

        Space and Enter continue only from a step that requires nothing but reading.
        """
        if action == "lesson_on":
            can_continue = self._is_reading_step() or self._can_play_on()
            continues_lesson = can_continue and self.is_in_front
            return continues_lesson and not super().check_action("stage_next", ())
        return super().check_action(action, parameters)

    def action_lesson_on(self) -> None:
        """Continue the lesson. If the step requires a key press, the second call skips the step.

        After the last step, continue the game without the lesson.
        """
        lesson_session = self.lesson_session
        step = lesson_session.step
        if step is None:
            if not self._is_leaving:
                self._is_leaving = True
                start = self.app.play_on  # type: ignore[attr-defined]  # `check_action` has checked it
                self.action_leave()
                self.app.call_later(start, lesson_session)
            return
        if step.kind is LessonStepKind.PRESS:
            if not self._has_asked_to_skip:
                self._has_asked_to_skip = True
                self.show_message(
                    f"{lesson_session.instruction()} Press the same key again to skip it."
                )
                return
            lesson_session.skip_action()
        elif not lesson_session.mark_read():
            return
        self.game_changed()

    def record_action(self, action: str) -> None:
        """Continue the lesson if this was the expected action, regardless of the key or click that triggered it."""
        if self.lesson_session.record_action(action):
            self.show_lesson()
            self.run_bots()

    @override
    def warn(self, title: str, text: str) -> None:
        """Show an error message on the lesson card, where the player is looking."""
        del title
        self.show_objection(" ".join(sanitise_lines(text)))

    def show_objection(self, objection: str) -> None:
        """Show on the card why a command is not accepted. The text stays until the state of the lesson changes."""
        self._objection_position = self._lesson_position()
        self.query_one(LessonCard).show_objection(objection)
        self.show_message(objection if self._board is not None else "")  # a board covers the card

    def _lesson_position(self) -> tuple[int, int, int]:
        return self.lesson_session.step_index, self.session.seq, self.session.draft.size
