"""The guided-lesson screen: a card with instructions, and targets highlighted on the map and in the list."""

from typing import Final

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from play.lesson import LessonStepKind
from play.lesson_session import LessonSession
from tui.drawing.palette import Palette
from tui.map_highlights import with_step_highlights
from tui.playback.panel import PlaybackPanel
from tui.presenter import Presenter, Scene
from tui.screens.base import key_name
from tui.screens.play import PlayScreen
from tui.terminal.sanitising import sanitise_line, sanitise_lines
from tui.terminal.settings import Settings
from tui.widgets.decision import DecisionPanel
from tui.widgets.key_line import key_entry

MAX_TEXT_LENGTH: Final = 400
"""Maximum number of characters on a card."""
POINTER: Final = "▸"
"""Marks the instructions, and the expected line in the list."""
_KEYS: Final = {"take": "enter"}
"""The key to mention for actions that have several keys."""
_OVER: Final = "The lesson is complete. Press q for the menu."

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
        """Compose the text, the reply and the instructions."""
        yield Static("", classes="text", markup=False)
        yield Static("", classes="no", markup=False)
        yield Static("", classes="do", markup=False)

    async def on_click(self) -> None:
        """Continue if the step only needs to be read."""
        await self.app.run_action("lesson_on", self.screen)

    def show(self, title: str, text: str, do: str) -> None:
        """Show a step."""
        self.border_title = Content(title)
        self.query_one(".text", Static).update(Content(sanitise_line(text, MAX_TEXT_LENGTH)))
        self.show_keys(do)

    def show_keys(self, do: str) -> None:
        """Update the instructions without changing the text."""
        self.query_one(".do", Static).update(
            Content(f"{POINTER} {sanitise_line(do, MAX_TEXT_LENGTH)}")
        )

    def object(self, answer: str) -> None:
        """Show why a command is not accepted; an empty text hides the reply."""
        line = self.query_one(".no", Static)
        line.update(Content(f"! {sanitise_line(answer, MAX_TEXT_LENGTH)}"))
        line.display = bool(answer)


class LessonScreen(PlayScreen):
    """A game played as a lesson."""

    KEY_LINE_ENTRIES = (key_entry("go on", "lesson_on"), *PlayScreen.KEY_LINE_ENTRIES)

    def __init__(self, session: LessonSession, presenter: Presenter) -> None:
        """Create the screen for a lesson."""
        super().__init__(session, presenter)
        self.lesson_session = session
        self._shown_step = -1
        """Index of the step whose targets were last shown on the map."""
        self._is_asked_twice = False
        """True after the first attempt to skip a step that requires a key press."""
        self._objection_position = (-1, -1, -1)
        """State of the lesson at the time of the last refusal."""
        # the same keys have other effects while a command is expected
        for key in ("enter", "space"):
            self._bindings.bind(key, "lesson_on", "Continue the lesson", show=False, priority=True)
        session.format_command = self.label
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

    def key_of(self, action: str) -> str:
        """Return the key of an action as it appears on a keyboard."""
        if action in _KEYS:
            return key_name(_KEYS[action])
        nodes = (self, self.map, self.panel.rows)
        bindings = (one for node in nodes for _, one in node._bindings)  # noqa: SLF001  (no other way to read them)
        key = next((one.key for one in bindings if one.action == action), action)
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
        taught, card = self.lesson_session, self.query_one(LessonCard)
        if self._objection_position != self._lesson_position():
            card.object("")
        self.panel.rows.set_pointers(taught.expected)
        self.refresh_bindings()
        if self.is_playing_back:  # the next step is shown after the playback
            card.show_keys(_PLAYBACK)
            return
        self.panel.rows.is_lit = not self._only_tells()
        number, total = taught.card_position
        title = f"Lesson {number}/{total}: {taught.lesson.title}"
        card.show(title, taught.with_key_names(taught.text), taught.instruction() or _OVER)
        if taught.step_index != self._shown_step:
            self._shown_step = taught.step_index
            if self._is_asked_twice:
                self.show_message("")
            self._is_asked_twice = False
            self._leave_lists()
            self.call_after_refresh(self.panel.rows.move_to_pointer)
            self.point_out()
            self.show_map()

    def _leave_lists(self) -> None:
        """Leave sublists that contain no expected command."""
        expected = set(self.lesson_session.expected)
        while self.panel.is_nested and not any(
            not expected.isdisjoint(line.commands()) for line in self.panel.shown
        ):
            self.action_back()

    @on(PlaybackPanel.KeysChanged)
    def lesson_turned(self) -> None:
        """Update the instructions when a playback starts or ends."""
        self.call_later(self.show_lesson)

    def _only_tells(self) -> bool:
        step = self.lesson_session.step
        return step is not None and step.kind in {LessonStepKind.TELL, LessonStepKind.PRESS}

    def _targets(self) -> tuple[str, ...]:
        """Return the places that the current step concerns, those in its commands first."""
        step = self.lesson_session.step
        if step is None:
            return ()
        commands = self.lesson_session.expected if step.kind is LessonStepKind.GIVE else ()
        own = [
            place for command in commands for place in self.presenter.places(self.view, command)[:1]
        ]
        return tuple(dict.fromkeys((*own, *step.targets)))

    @override
    def decorate_scene(self, scene: Scene) -> Scene:
        """Return the map with the lesson's targets highlighted."""
        shown = super().decorate_scene(scene)
        return (
            shown if self.is_playing_back else with_step_highlights(shown, (), (), self._targets())
        )

    @property
    @override
    def is_map_held(self) -> bool:
        return self._only_tells() and bool(self._targets())

    def point_out(self) -> None:
        """Move the map cursor to the lesson's first target."""
        if places := self._targets():
            self.map.point_at(places[0])

    @on(DecisionPanel.Opened)
    def list_opened(self) -> None:
        """Move the map cursor to the target if opening the list gave the map the focus."""
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
        """Return whether an action is available. Space and Enter continue if the step only needs to be read."""
        if action == "lesson_on":
            is_ours = self._only_tells() and self.is_in_front
            return is_ours and not super().check_action("stage_next", ())
        return super().check_action(action, parameters)

    def action_lesson_on(self) -> None:
        """Continue with the lesson. A step that requires a key press is skipped if the player does this twice."""
        taught = self.lesson_session
        step = taught.step
        if step is not None and step.kind is LessonStepKind.PRESS:
            if not self._is_asked_twice:
                self._is_asked_twice = True
                self.show_message(f"{taught.instruction()} Press the same key again to skip it.")
                return
            taught.skip_action()
        elif not taught.mark_read():
            return
        self.game_changed()

    def record_action(self, action: str) -> None:
        """Continue with the lesson if this was the expected action, whichever key or click triggered it."""
        if self.lesson_session.record_action(action):
            self.show_lesson()
            self.run_bots()

    @override
    def warn(self, title: str, text: str) -> None:
        """Show an expected error on the lesson card, because that is where the player is looking."""
        del title
        self.object(" ".join(sanitise_lines(text)))

    def object(self, answer: str) -> None:
        """Show on the card why a command is not accepted, until the state of the lesson changes."""
        self._objection_position = self._lesson_position()
        self.query_one(LessonCard).object(answer)
        self.show_message(answer if self._board is not None else "")  # a board hides the card

    def _lesson_position(self) -> tuple[int, int, int]:
        return self.lesson_session.step_index, self.session.seq, self.session.draft_size
