"""The Textual application: theme, settings, global keys, and the screens that are not part of a game."""

import asyncio
import datetime as dt
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from rich.console import RenderableType
from textual import events, work
from textual.app import SystemCommand
from textual.binding import Binding
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from play.session import Session
from saves.errors import LogInUseError
from saves.lock_holder import end_holder
from tui.app.key_queue import KeyQueue
from tui.drawing.capabilities import MIN_COLUMNS, MIN_ROWS, Depth, Terminal
from tui.drawing.compositor import PaintingApp
from tui.drawing.palette import Palette, get_palette
from tui.screens.dialogs.prompt import SureDialog, TextDialog, TooSmallScreen
from tui.screens.lobby.menu import MenuScreen
from tui.terminal.alerts import TurnAlerts
from tui.terminal.output_filter import OutputFilter
from tui.terminal.settings import Settings, load_settings, save_settings
from tui.widgets.base_screens import ActionPalette, BaseDialog, BaseScreen, active_actions

if TYPE_CHECKING:
    from textual.actions import ActionParseResult

    from netplay.host.host_thread import HostThread
    from netplay.invites.invite import Invite
    from netplay.peer.peer import Peer
    from play.games import NewGame
    from play.lesson_session import LessonSession
    from saves.fair.terms import Place
    from tui.screens.table.table import TableScreen


_TAKE_OVER_QUESTION: Final = (
    "This game is open in another session. Continue it here?"
    " The other session will close. All moves are saved."
)


class FlagplotApp(PaintingApp):
    """The full-screen program, for terminals with cursor positioning."""

    TITLE = "flagplot"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    CSS: ClassVar[str] = """
    * { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; }
    Toast { padding: 0 1; border: solid $border; }
    Tooltip { padding: 0 1; border: solid $border-blurred; background: $panel; color: $foreground; }
    Input, Input:focus { height: 1; border: none; padding: 0; background: ansi_default; }
    OptionList, OptionList:focus { border: none; padding: 0; background-tint: transparent; }
    OptionList > .option-list--option-highlighted { color: $foreground; }
    OptionList:focus > .option-list--option-highlighted {
        color: $block-cursor-foreground; background: $block-cursor-background;
    }
    """
    BINDINGS = [
        Binding("f1", "rules", "Rules", show=False),
        Binding("question_mark", "help", "Keys", show=False),
        Binding("ctrl+l", "redraw", "Redraw the screen", show=False),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(
        self,
        terminal: Terminal,
        settings_path: Path,
        first_screen: Screen[None] | None = None,
        on_start: "Callable[[FlagplotApp], None] | None" = None,
    ) -> None:
        """Load the settings and create the application.

        Args:
            terminal: Capabilities of the terminal.
            settings_path: File that stores the player's preferences.
            first_screen: Screen to open above the menu; None shows the menu.
            on_start: Called once the application is running.
        """
        self._start_callback = on_start
        self.host: HostThread | None = None
        """The thread that hosts matches for other players; None while no matches are hosted."""
        self.terminal = terminal
        self.settings_path = settings_path
        self.settings, self._settings_problem = load_settings(settings_path)
        self._first_screen = first_screen
        self._output_filter = self._create_output_filter()
        self._keys = KeyQueue(self)
        self.turn_alerts = TurnAlerts(terminal, self.send)
        """Alerts the player when it is their turn."""
        super().__init__()
        self.animation_level = "none"
        self._use_theme()

    # -- appearance

    @property
    def palette(self) -> Palette:
        """The palette for the current theme and colour depth."""
        return get_palette(self.settings.theme, self.settings.depth_for(self.terminal))

    @property
    def is_ascii(self) -> bool:
        """True if the screen is drawn in ASCII only."""
        return self.settings.ascii_for(self.terminal)

    def _use_theme(self) -> None:
        """Register the palette's theme, so that the widgets match the map."""
        self.register_theme(self.palette.theme)
        self.theme = self.palette.theme.name

    def _create_output_filter(self) -> OutputFilter:
        return OutputFilter(
            ascii_only=self.settings.ascii_for(self.terminal),
            monochrome=self.palette.depth is Depth.NONE,
        )

    @override
    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters applied to every drawn line. The last filter decides what reaches the terminal.

        Textual's own ``NO_COLOR`` filters are omitted. They give every heading a background, which the last filter
        would turn into reverse video.
        """
        other_filters = (
            line_filter
            for line_filter in super().get_line_filters()
            if not isinstance(line_filter, NoColor | Monochrome)
        )
        return [*other_filters, self._output_filter]

    @override
    def get_driver_class(self) -> type[Driver]:
        """Return the driver that detects a closed terminal. On platforms without that driver, return Textual's own."""
        try:
            from tui.terminal.driver import HangUpDriver
        except ImportError:
            return super().get_driver_class()
        return HangUpDriver

    def apply_settings(self, settings: Settings) -> None:
        """Apply new preferences and redraw."""
        self.settings = settings
        self._output_filter = self._create_output_filter()
        self._use_theme()
        for screen in self.screen_stack:
            apply_to_screen = getattr(screen, "apply_settings", None)
            if apply_to_screen is not None:
                apply_to_screen(settings, self.palette)
        self.refresh(layout=True)

    def save_panels(self, docks: dict[str, dict[str, bool]]) -> None:
        """Save the player's choice of panels around the map."""
        self.settings = replace(self.settings, docks=docks)
        problem = save_settings(self.settings_path, self.settings)
        if problem:
            self.notify(problem, severity="warning", markup=False)

    # -- lifecycle

    @override
    def get_default_screen(self) -> Screen[None]:
        return MenuScreen()

    def on_mount(self) -> None:
        """Open the first screen and report any problem with the settings file."""
        if self._first_screen is not None:
            self.push_screen(self._first_screen)
        if self._start_callback is not None:
            self._start_callback(self)
        elif self._settings_problem and isinstance(self.screen, BaseScreen):
            self.screen.show_message(self._settings_problem)

    def on_resize(self, event: events.Resize) -> None:
        """Cover the screen with a notice while the terminal is too small."""
        is_too_small = event.size.width < MIN_COLUMNS or event.size.height < MIN_ROWS
        has_notice = isinstance(self.screen, TooSmallScreen)
        if is_too_small and not has_notice:
            self.push_screen(TooSmallScreen(MIN_COLUMNS, MIN_ROWS))
        elif has_notice and not is_too_small:
            self.pop_screen()

    @override
    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave the open game, then quit the program."""
        table_screen = self._table_screen()
        if table_screen is not None:
            table_screen.leave()
        self.turn_alerts.leave()
        super().exit(result, return_code, message)

    @override
    def crash_context(self) -> dict[str, object]:
        """Return the game id and last record number for crash reports; empty if no game is open."""
        table_screen = self._table_screen()
        return (
            {}
            if table_screen is None
            else {"game": table_screen.session.ruleset.game, "seq": table_screen.session.seq}
        )

    # -- actions

    @override
    async def on_event(self, event: events.Event) -> None:
        """Handle key events one at a time, in the order typed."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif not self._keys.defer(event):
            # The receiver is stored first, because handling the key may move the focus or open a
            # screen.
            receiver, screen = self.focused or self.screen, self.screen
            await super().on_event(event)
            self._keys.release_next_after(receiver, screen)

    @override
    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, then notify the screens that have a ``record_action`` method."""
        # The screen stack is copied first, because the action may open or close screens.
        screens = tuple(self.screen_stack)
        is_done = await super().run_action(action, default_namespace, namespaces)
        for screen in screens if is_done and isinstance(action, str) else ():
            record_action = getattr(screen, "record_action", None)
            if record_action is not None:
                record_action(action)
        return is_done

    @override
    def action_command_palette(self) -> None:
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(ActionPalette(id="--command-palette"))

    @override
    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Return every action available now, for the command palette."""
        for row in active_actions(screen):
            # The palette is already open.
            if row.action != "app.command_palette":
                run = partial(self.run_action, row.action, row.node)
                yield SystemCommand(row.name, f"key {row.keys}", run)

    @override
    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Disable Textual's screenshots, because they would write files without asking the player."""
        del filename, path

    def action_redraw(self) -> None:
        """Repaint the whole screen, for example after another program has written to the terminal."""
        self.repaint()

    def action_help(self) -> None:
        """Show the keys that work on this screen."""
        from tui.screens.reference.help import HelpScreen

        if not isinstance(self.screen, BaseDialog):
            self.push_screen(HelpScreen(active_actions(self.screen)))

    @work
    async def action_rules(self, query: str = "") -> None:
        """Open the rules at a rule number or at search results. If no game is open, ask which game's rules to show."""
        from engine import registry
        from tui.screens.reference.rules import RulesScreen

        if isinstance(self.screen, (RulesScreen, BaseDialog)):
            return
        table_screen = self._table_screen()
        game = (
            table_screen.session.ruleset.game
            if table_screen is not None
            else await self.choose_game("Which game's rules do you want to read?")
        )
        if game:
            rulings = registry.ruleset(game).options()
            self.push_screen(RulesScreen(registry.reference(game), rulings, query))

    def _table_screen(self) -> "TableScreen | None":
        """Return the topmost screen that plays or replays a game; None if no game is open."""
        from tui.screens.table.table import TableScreen

        tables = [screen for screen in self.screen_stack if isinstance(screen, TableScreen)]
        return tables[-1] if tables else None

    async def choose_game(self, question: str) -> str:
        """Ask the player to choose a game, and return its id. If the player cancels, return an empty string."""
        from engine import registry
        from tui.screens.dialogs.prompt import ChoiceDialog

        entries = [(game, registry.ruleset(game).title) for game in registry.games()]
        return await self.push_screen_wait(ChoiceDialog(question, entries)) or ""

    @work
    async def action_settings(self) -> None:
        """Show the preferences dialog, then apply and save the result."""
        from tui.screens.forms.settings import SettingsDialog, settings_from_form

        values = await self.push_screen_wait(SettingsDialog(self.settings))
        if values is not None:
            new_settings = settings_from_form(values, self.settings)
            self.apply_settings(new_settings)
            problem = save_settings(self.settings_path, new_settings)
            self.show_message(problem or "Settings saved.")

    # -- games

    @work
    async def action_new_game(self) -> None:
        """Ask for a game and its settings, then start it."""
        from engine import registry
        from play import games
        from play.loading_lock import LOADING_LOCK
        from saves.folders import games_folder
        from tui.screens.forms.new_game import NewGameDialog, build_new_game

        game = await self.choose_game("Which game do you want to play?")
        if not game:
            return
        rules = registry.ruleset(game)
        # The form reads the scenarios, which the game preview may be loading in another thread.
        with LOADING_LOCK:
            dialog = NewGameDialog(rules)
        values = await self.push_screen_wait(dialog)
        if values is None:
            return
        new_game = build_new_game(rules, values, self.settings.name)
        try:
            session, _ = games.create_new_game(new_game, games_folder())
        except (FlagplotError, OSError) as error:
            self.show_error(error)
            return
        self.open_table(session)

    @work
    async def action_learn(self) -> None:
        """Ask which lesson to play or which commented game to watch, then open it."""
        from engine import registry
        from play.lesson_store import progress_text
        from saves.folders import lessons_folder
        from tui.screens.dialogs.prompt import ChoiceDialog
        from tui.screens.lobby.menu import FIRST_GAME

        # The game in the menu's picture is listed first.
        games = sorted(registry.games(), key=lambda game: game != FIRST_GAME)
        entries = []
        for game in games:
            progress = progress_text(game, lessons_folder())
            entries.append((f"learn {game}", f"{registry.ruleset(game).title}: {progress}"))
        entries += [
            (f"watch {game}", f"Watch a game with comments: {registry.ruleset(game).title}")
            for game in games
        ]
        chosen = (
            await self.push_screen_wait(ChoiceDialog("Which game do you want to learn?", entries))
            or ""
        )
        activity, _, game = chosen.partition(" ")
        if activity == "learn":
            self.open_lesson(game)
        elif activity == "watch":
            self.open_replay(registry.tutorial(game), follows_mover=True)

    def open_lesson(self, game: str) -> None:
        """Open a game's lesson where the player left off."""
        from play.lesson_store import open_lesson
        from saves.folders import lessons_folder
        from tui.presenter.presenter import load_presenter
        from tui.screens.match.lesson import LessonScreen

        try:
            session = open_lesson(game, lessons_folder())
        except (FlagplotError, OSError) as error:
            self.show_error(error)
            return
        self.push_screen(LessonScreen(session, load_presenter(session.ruleset)))

    def action_continue_game(self) -> None:
        """Resume the most recent game."""
        from play.save_files import newest_game
        from saves.folders import games_folder

        path = newest_game(games_folder())
        if path is None:
            self.show_message("There are no saved games yet.")
        else:
            self.open_saved(path)

    def action_resume(self) -> None:
        """List the saved games, so that the player can resume one."""
        self._open_saves(replay=False)

    def action_replay(self) -> None:
        """List the saved games, so that the player can replay one."""
        self._open_saves(replay=True)

    def _open_saves(self, *, replay: bool) -> None:
        from saves.folders import games_folder
        from tui.screens.lobby.saves import SavesScreen

        self.push_screen(SavesScreen(games_folder(), replay=replay))

    def action_join(self) -> None:
        """List the invites on this computer and the hosts found on the local network."""
        from saves.folders import invites_folder, joined_folder
        from tui.screens.lobby.join import JoinScreen

        lan_browser = None
        if self.settings.lan:
            from netplay.discovery.lan_browser import LanBrowser

            lan_browser = LanBrowser()
        folders = [invites_folder()]
        with suppress(OSError):  # the working directory may have been deleted
            folders.append(Path.cwd())
        self.push_screen(JoinScreen(folders, joined_folder(), lan_browser))

    def action_watch(self) -> None:
        """List the invites. Spectators also need an invite file, which determines what they may see."""
        self.action_join()

    @work
    async def action_host(self) -> None:
        """Show the matches hosted here. If no matches are hosted, ask what to host."""
        from tui.app.hosting import host

        await host(self)

    @work
    async def action_host_another(self) -> None:
        """Host another match, in addition to the open matches."""
        from tui.app.hosting import host_another

        await host_another(self)

    def show_host(self) -> None:
        """Show the matches hosted here."""
        from tui.screens.lobby.hosted_matches import HostedMatchesScreen

        if self.host is not None:
            self.push_screen(HostedMatchesScreen(self.host))

    async def leave_host(self, *, is_open: bool) -> None:
        """Leave the hosted-matches screen. Unless `is_open` is true, close the matches as well."""
        self.pop_screen()
        if is_open:
            self.show_message("The match stays open until you quit. Host shows it again.")
            return
        host, self.host = self.host, None
        if host is not None:
            # Stopping waits for the host's thread, which would block the screens' event loop.
            await asyncio.to_thread(host.stop)

    @override
    async def action_quit(self) -> None:
        """Quit. If matches are open for other players, ask for confirmation first."""
        if self.host is None or isinstance(self.screen, SureDialog):
            self.exit()
        else:
            self._ask_to_quit()

    @work
    async def _ask_to_quit(self) -> None:
        question = "You are hosting matches for others. Close them and quit?"
        if await self.push_screen_wait(SureDialog(question)):
            self.exit()

    def stop_hosts(self) -> None:
        """Close all matches hosted here."""
        host, self.host = self.host, None
        if host is not None:
            host.stop()

    def open_table(self, session: Session) -> None:
        """Open the screen for playing a game."""
        from tui.presenter.presenter import load_presenter
        from tui.screens.match.play import PlayScreen

        self.push_screen(PlayScreen(session, load_presenter(session.ruleset)))

    def open_saved(self, path: Path) -> None:
        """Resume a saved game. If another program has the game open, offer to take it over."""
        from play import games

        try:
            self.open_table(games.resume(path))
        except FlagplotError as error:
            self._offer_retry(error, lambda: self.open_saved(path))

    def play_again(self, new_game: "NewGame") -> None:
        """Start a new game with given settings."""
        from play import games
        from saves.folders import games_folder

        try:
            session, _ = games.create_new_game(new_game, games_folder())
        except (FlagplotError, OSError) as error:
            self.show_error(error)
            return
        self.open_table(session)

    def play_on(self, lesson_session: "LessonSession") -> None:
        """Continue a lesson's game as an ordinary game against bots."""
        from play.lesson_store import play_on
        from saves.folders import games_folder

        try:
            session = play_on(lesson_session, games_folder())
        except (FlagplotError, OSError) as error:
            self.show_error(error)
            return
        self.open_table(session)

    def open_replay(self, path: Path, *, follows_mover: bool = False, seq: int = -1) -> None:
        """Open a record for replay.

        Args:
            path: The record.
            follows_mover: True to always show the view of the player whose move it is.
            seq: Number of the record to open at; -1 for the beginning.
        """
        from play.replay_session import ReplaySession
        from tui.presenter.presenter import load_presenter
        from tui.screens.replay.replay import ReplayScreen

        try:
            session = ReplaySession.open(path, follows_mover=follows_mover)
        except FlagplotError as error:
            self.show_error(error)
            return
        presenter = load_presenter(session.ruleset)
        self.push_screen(ReplayScreen(session, presenter, start_seq=seq))

    def open_invite(
        self, path: Path, folder: Path | None = None, place: "Place" = "own machine"
    ) -> None:
        """Join the match of an invite file.

        Args:
            path: Path of the invite file.
            folder: Folder for the seat's files; None uses the account's folder.
            place: ``own machine``, or ``host's machine`` if the player has logged in to the host.
        """
        from netplay.invites.invite import check_valid_now, expand_path, load_invites
        from netplay.mail.mail_store import is_by_mail
        from netplay.session.peer_group import create_peers
        from saves.folders import joined_folder
        from tui.screens.lobby.connect import ConnectScreen
        from tui.terminal.settings import find_addresses

        try:
            invites = load_invites(expand_path(str(path)))
            for invite in invites:
                check_valid_now(invite, dt.datetime.now(dt.UTC), str(path))
            if is_by_mail(invites):
                self.open_by_mail(invites, folder)
                return
            is_own_machine = place == "own machine"
            peers = create_peers(
                invites,
                folder or joined_folder(),
                place=place,
                find_addresses=find_addresses(self.settings) if is_own_machine else None,
            )
        except (FlagplotError, OSError) as error:
            self._offer_retry(error, lambda: self.open_invite(path, folder, place))
            return
        self.push_screen(ConnectScreen(peers, path))

    def _offer_retry(self, error: FlagplotError | OSError, retry: Callable[[], object]) -> None:
        """Report why a game cannot be opened. If another program has the game open, offer to take it over."""
        lock_error = _lock_error_of_other_program(error)
        if lock_error is None:
            self.show_error(error)
        else:
            self._ask_to_take_over(lock_error, retry)

    @work
    async def _ask_to_take_over(
        self, lock_error: LogInUseError, retry: Callable[[], object]
    ) -> None:
        """Offer to take over a game that another program has open. If the player agrees, try again."""
        if not await self.push_screen_wait(SureDialog(_TAKE_OVER_QUESTION)):
            return
        try:
            await asyncio.to_thread(end_holder, lock_error.path, lock_error.process)
        except FlagplotError as error:
            self.show_error(error)
            return
        retry()

    @work
    async def open_by_mail(self, invites: "tuple[Invite, ...]", folder: Path | None = None) -> None:
        """Open a match that is played by move files. `invites` are the invites to the player's seats."""
        from netplay.mail.mail_store import account_mail_store
        from netplay.mail.session import open_mail_session
        from saves.folders import mail_folder

        try:
            mail_store = account_mail_store(copies=folder)
            self.open_table(await open_mail_session(mail_store, invites, mail_folder()))
        except (FlagplotError, OSError) as error:
            self._offer_retry(error, lambda: self.open_by_mail(invites, folder))

    def open_peers(self, peers: "tuple[Peer, ...]") -> None:
        """Replace the connection screen with the table screen for a game on a remote host."""
        from netplay.session.peer_session import PeerSession

        self.pop_screen()
        self.open_table(PeerSession(*peers))

    def show_message(self, sentence: str) -> None:
        """If the topmost screen has a message line, show a sentence in it."""
        if isinstance(self.screen, BaseScreen):
            self.screen.show_message(sentence)

    def show_error(self, error: FlagplotError | OSError) -> None:
        """Show an error message in a dialog."""
        self.push_screen(TextDialog("Error", str(error)))


def _lock_error_of_other_program(error: FlagplotError | OSError) -> LogInUseError | None:
    """If the cause is a lock held by a known process other than this one, return the lock error; otherwise None."""
    from netplay.journal.errors import SeatInUseError

    lock_error = error.in_use if isinstance(error, SeatInUseError) else error
    # 0 means that the holder is unknown. Taking a game over from ourselves would end this program.
    if not isinstance(lock_error, LogInUseError) or lock_error.process in {0, os.getpid()}:
        return None
    return lock_error
