"""The screen of a guided lesson: a card with instructions, and targets highlighted on the map and in the list."""

from typing import Final

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from play.lesson import Kind
from play.lesson_session import LessonSession
from tui.drawing.palette import Palette
from tui.map_highlights import lit
from tui.playback.panel import PlaybackPanel
from tui.presenter import Presenter, Scene
from tui.screens.base import key_name
from tui.screens.play import PlayScreen
from tui.terminal.sanitising import clean, clean_lines
from tui.terminal.settings import Settings
from tui.widgets.decision import DecisionPanel
from tui.widgets.keyline import foot

LONGEST: Final = 400
"""Maximum number of characters on a card."""
POINTER: Final = "▸"
"""Marks the instructions, and the expected line in the list."""
_KEYS: Final = {"take": "enter"}
"""The key to mention for actions that have several keys."""
_OVER: Final = "This was the lesson. q leads back to the menu."

_PLAYBACK: Final = "Watch what happens: Space shows the next step, Enter the end."


class LessonCard(Vertical):
    """The text of a lesson step, followed by instructions for the player."""

    DEFAULT_CSS = """
    LessonCard { height: auto; border-top: solid $border; border-title-color: $border;
        border-title-style: bold; padding: 0 1; }
    LessonCard Static { height: auto; }
    LessonCard .do { color: $accent; text-style: bold; }
    LessonCard .no { color: $warning; text-style: bold; display: none; }
    """

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
        self.query_one(".text", Static).update(Content(clean(text, LONGEST)))
        self.tell_keys(do)

    def tell_keys(self, do: str) -> None:
        """Update the instructions without changing the text."""
        self.query_one(".do", Static).update(Content(f"{POINTER} {clean(do, LONGEST)}"))

    def object(self, answer: str) -> None:
        """Show why a command is not accepted; an empty text hides the reply."""
        line = self.query_one(".no", Static)
        line.update(Content(f"! {clean(answer, LONGEST)}"))
        line.display = bool(answer)


class LessonScreen(PlayScreen):
    """A game played as a lesson."""

    FOOT = (foot("go on", "lesson_on"), *PlayScreen.FOOT)

    def __init__(self, session: LessonSession, presenter: Presenter) -> None:
        """Create the screen for a lesson."""
        super().__init__(session, presenter)
        self.taught = session
        self._shown_step = -1
        """Index of the step whose targets were last shown on the map."""
        self._is_asked_twice = False
        """True after the first attempt to skip a step that asks for a key."""
        self._objected_at = (-1, -1, -1)
        """State of the lesson when a command was last refused."""
        # the same keys have other effects while a command is expected
        for key in ("enter", "space"):
            self._bindings.bind(
                key, "lesson_on", "Go on with the lesson", show=False, priority=True
            )
        session.words = self.label
        session.key_of = self.key_of

    @property
    def settings(self) -> Settings:
        """The player's preferences without news cards, because the lesson reports the news."""
        return replace(super().settings, news=False)

    def follow(self, settings: Settings, palette: Palette) -> None:
        """Apply new preferences."""
        super().follow(replace(settings, news=False), palette)

    def below(self) -> ComposeResult:
        """Compose the lesson card, across the full width."""
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

    def show_question(self) -> None:
        """Refresh the screen, with the open question and the lesson card."""
        super().show_question()
        self.show_lesson()
        if not self.is_playing_back:
            self.call_after_refresh(self.panel.rows.seek)

    def show_lesson(self) -> None:
        """Show the current lesson step."""
        taught, card = self.taught, self.query_one(LessonCard)
        if self._objected_at != self._stand():
            card.object("")
        self.panel.rows.point(taught.expected)
        self.refresh_bindings()
        if self.is_playing_back:  # the next step is shown after the playback
            card.tell_keys(_PLAYBACK)
            return
        self.panel.rows.is_lit = not self._only_tells()
        number, total = taught.count
        title = f"Lesson {number}/{total}: {taught.lesson.title}"
        card.show(title, taught.filled(taught.text), taught.instruction() or _OVER)
        if taught.place != self._shown_step:
            self._shown_step = taught.place
            if self._is_asked_twice:
                self.tell("")
            self._is_asked_twice = False
            self._leave_lists()
            self.call_after_refresh(self.panel.rows.seek)
            self.point_out()
            self.show_map()

    def _leave_lists(self) -> None:
        """Leave sublists that contain no expected command."""
        expected = set(self.taught.expected)
        while self.panel.is_below and not any(
            not expected.isdisjoint(line.commands()) for line in self.panel.shown
        ):
            self.action_back()

    @on(PlaybackPanel.Turned)
    def lesson_turned(self) -> None:
        """Update the instructions when a playback starts or ends."""
        self.call_later(self.show_lesson)

    def _only_tells(self) -> bool:
        step = self.taught.step
        return step is not None and step.kind in {Kind.TELL, Kind.PRESS}

    def _targets(self) -> tuple[str, ...]:
        """Return the places that the current step is about, starting with those of its commands."""
        step = self.taught.step
        if step is None:
            return ()
        commands = self.taught.expected if step.kind is Kind.GIVE else ()
        own = [
            place for command in commands for place in self.presenter.places(self.view, command)[:1]
        ]
        return tuple(dict.fromkeys((*own, *step.points)))

    def staged(self, scene: Scene) -> Scene:
        """Return the map with the lesson's targets highlighted."""
        shown = super().staged(scene)
        return shown if self.is_playing_back else lit(shown, (), (), self._targets())

    @property
    def is_map_held(self) -> bool:
        """True if the map stays at the place shown by the lesson, regardless of the highlighted line."""
        return self._only_tells() and bool(self._targets())

    def point_out(self) -> None:
        """Move the map cursor to the lesson's first target."""
        if places := self._targets():
            self.map.point_at(places[0])

    @on(DecisionPanel.Opened)
    def list_opened(self) -> None:
        """Move the map cursor to the target if the map has the focus for the opened list."""
        if self.picker.has_map_keys:
            self.point_out()

    def action_other_panel(self) -> None:
        """Move the focus between the map and the list. On the map, move the cursor to the lesson's target."""
        is_to_map = not self.map.has_focus
        super().action_other_panel()
        if is_to_map:
            self.point_out()

    # -- input

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available. Space and Enter continue while the step only needs to be read."""
        if action == "lesson_on":
            is_ours = self._only_tells() and self.is_in_front
            return is_ours and not super().check_action("stage_next", ())
        return super().check_action(action, parameters)

    def action_lesson_on(self) -> None:
        """Continue with the lesson. A step that asks for a key is skipped if the player does this twice."""
        taught = self.taught
        step = taught.step
        if step is not None and step.kind is Kind.PRESS:
            if not self._is_asked_twice:
                self._is_asked_twice = True
                self.tell(f"{taught.instruction()} Or the same key again to skip it.")
                return
            taught.pass_over()
        elif not taught.go_on():
            return
        self.game_changed()

    def did(self, action: str) -> None:
        """Continue with the lesson if this was the expected action, whichever key or click triggered it."""
        if self.taught.did(action):
            self.show_lesson()
            self.others()

    def warn(self, title: str, text: str) -> None:
        """Show an expected error on the lesson card, because the player is reading there."""
        del title
        self.object(" ".join(clean_lines(text)))

    def object(self, answer: str) -> None:
        """Show on the card why a command is not accepted, until the state of the lesson changes."""
        self._objected_at = self._stand()
        self.query_one(LessonCard).object(answer)
        self.tell(answer if self._board is not None else "")  # a board hides the card

    def _stand(self) -> tuple[int, int, int]:
        return self.taught.place, self.session.seq, self.session.tries
