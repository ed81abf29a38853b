"""Entry points of the full-screen and line-by-line interfaces, including the terminal checks."""

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from saves.memory_limit import check_memory
from tui.drawing.capabilities import detect_terminal
from tui.terminal.errors import NoInputError, TerminalError

if TYPE_CHECKING:
    from textual.screen import Screen

    from netplay.host.host_thread import HostThread
    from netplay.peer.peer import Peer
    from play.session import Session
    from tui.app.app import FlagplotApp
    from tui.console.keyboard import TypedAhead
    from tui.terminal.startup_screen import StartupScreen

_TEXTUAL_PREFIX = "TEXTUAL"
"""Prefix of Textual's environment variables.

The variables can make Textual load code and write files, and players do not need them.
"""
_POLL_SECONDS = 0.2
_POLLS_BEFORE_MESSAGE: Final = 25
"""After this many polls, the program reports that it is still looking for the host."""
_MAX_STATUS_CELLS: Final = 2_000
"""Maximum width of a status sentence in terminal cells."""
_REQUIRED_THREADS = 4
"""Number of extra threads that the screens start, for keys, output and slow background work."""
_REQUIRED_MEGABYTES = 128
"""Minimum address space for the screens, in megabytes. It includes the threads and a game's rules."""
_OLD_TERM_PREFIXES = ("vt", "linux")
"""Prefixes of ``TERM`` for terminals that would print the sequences of the Kitty keyboard protocol as text."""


def clear_textual_environment() -> None:
    """Remove the environment variables that let Textual load drivers, write logs and screenshots, or press keys.

    This must run before Textual is imported. Calling it again is harmless.
    """
    for name in [name for name in os.environ if name.startswith(_TEXTUAL_PREFIX)]:
        del os.environ[name]
    if os.environ.get("TERM", "").startswith(_OLD_TERM_PREFIXES):
        os.environ[f"{_TEXTUAL_PREFIX}_DISABLE_KITTY_KEY"] = "1"


class FailureHints(NamedTuple):
    """Suggestions to add to error messages if the screens cannot be shown."""

    no_terminal: str
    """Suggestion if there is no terminal."""
    dumb: str
    """Suggestion if the terminal cannot position the cursor."""
    threads: str
    """Suggestion if the process limit has been reached."""


PLAIN_ALTERNATIVES: Final = FailureHints(
    "use --plain for line-by-line play", "use --plain", "use --plain"
)
SSH_ALTERNATIVES: Final = FailureHints(
    "connect with plain ssh, without a command after the host name",
    "connect from another one",
    "try again after closing other programs",
)
"""Suggestions for SSH logins with a forced command, where the player cannot choose program options."""


def check_terminal(hints: FailureHints = PLAIN_ALTERNATIVES) -> None:
    """Check that the screens can run in this terminal.

    Args:
        hints: Suggestions for the error message.

    Raises:
        TerminalError: There is no terminal, it cannot position the cursor, or the process limit has been reached.
    """
    clear_textual_environment()
    # The screens are drawn on standard error, so standard output may be redirected.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise TerminalError(f"this is not a terminal; {hints.no_terminal}")
    if detect_terminal(os.environ).dumb:
        term = os.environ.get("TERM", "")
        raise TerminalError(f"a terminal of type '{term}' cannot show screens; {hints.dumb}")
    check_memory(_REQUIRED_MEGABYTES, "screens")
    _check_threads(hints.threads)


def terminal_problem() -> TerminalError | None:
    """Return an error if the terminal cannot show the screens; otherwise None.

    The caller can raise the error later, so that errors in the game, scenario or files take precedence.
    """
    try:
        check_terminal()
    except TerminalError as error:
        return error
    return None


def launch(
    first_screen: "Callable[[], Screen[None]] | None" = None,
    on_start: "Callable[[FlagplotApp], None] | None" = None,
) -> int:
    """Run the full-screen program until the player quits, and return the exit status.

    Args:
        first_screen: Creates a screen to open above the menu; None shows the menu.
        on_start: Called with the running application, to open screens that need its event loop.

    Raises:
        TerminalError: The terminal cannot show the screens.
    """
    check_terminal()
    # The modules loaded so far are never unloaded, so the garbage collector can skip them.
    gc.freeze()
    from tui.app.app import FlagplotApp
    from tui.terminal.settings import settings_path

    app = FlagplotApp(
        detect_terminal(os.environ),
        settings_path(),
        first_screen() if first_screen else None,
        on_start,
    )
    try:
        status = app.run()
    finally:
        app.stop_hosts()
    if app.memory_error is not None:
        raise MemoryError from app.memory_error
    if app.terminal_error is not None:
        raise app.terminal_error
    return status if isinstance(status, int) else (app.return_code or 0)


def _check_threads(hint: str) -> None:
    """Check that this account may start all the threads that the screens need.

    Raises:
        TerminalError: The process limit, which also counts threads, has been reached.
    """
    finished_event = threading.Event()
    started_threads: list[threading.Thread] = []
    try:
        # The limit applies to threads that exist at the same time, so each thread waits until
        # all threads have started.
        for _ in range(_REQUIRED_THREADS):
            thread = threading.Thread(target=finished_event.wait)
            thread.start()
            started_threads.append(thread)
    except RuntimeError as error:
        raise TerminalError(
            f"this account has reached its process limit, and screens need more processes; {hint}"
        ) from error
    finally:
        finished_event.set()
        for thread in started_threads:
            thread.join()


def play(
    session: "Session",
    *,
    plain: bool,
    path: Path,
    startup_screen: "StartupScreen | None" = None,
    is_new: bool = False,
) -> int:
    """Play a session until the game ends or the player leaves, and return the exit status.

    Args:
        session: The game, which is closed afterwards.
        plain: True to play line by line instead of on screens.
        path: Path of the saved game, for messages.
        startup_screen: Picture shown until the screens are ready; None for no picture.
        is_new: True if the game has just begun. In line-by-line play, a new game is deleted if the input ends before
            the first line.

    Raises:
        TerminalError: The terminal cannot show the screens.
        NoInputError: A new game was deleted.
    """
    from tui.presenter.presenter import load_presenter

    presenter = load_presenter(session.ruleset)
    if plain:
        return asyncio.run(_play_plain(session, str(path), unplayed_path=path if is_new else None))
    from tui.screens.match.play import PlayScreen

    screen = PlayScreen(session, presenter)
    screen.is_drawn = startup_screen is not None
    try:
        return launch(
            lambda: screen, startup_screen.hand_over if startup_screen is not None else None
        )
    finally:
        if startup_screen is not None:
            startup_screen.save_pictures(screen.opening_drawing, screen.leaving_drawing, path)


def replay(path: Path, *, plain: bool, follows_mover: bool = False) -> int:
    """Replay a record file, and return the exit status.

    Args:
        path: The file.
        plain: True to replay line by line instead of on screens.
        follows_mover: True to switch to the view of whichever player is moving.

    Raises:
        TerminalError: The terminal cannot show the screens.
        FlagplotError: The file cannot be read.
    """
    problem = None if plain else terminal_problem()
    from play.replay_session import ReplaySession
    from tui.presenter.presenter import load_presenter

    session = ReplaySession.open(path, follows_mover=follows_mover)
    if problem is not None:
        raise problem
    presenter = load_presenter(session.ruleset)
    if plain:
        from tui.console.keyboard import Keyboard, print_line
        from tui.console.replay import PlainReplay

        asyncio.run(PlainReplay(session, presenter, Keyboard().read, print_line).run())
        return 0
    from tui.screens.replay.replay import ReplayScreen

    return launch(lambda: ReplayScreen(session, presenter))


def learn(game: str, *, plain: bool, is_new: bool) -> int:
    """Play a game's guided lesson from where the player left off, and return the exit status.

    Args:
        game: Id of the game.
        plain: True to play line by line instead of on screens.
        is_new: True to start over from the beginning.

    Raises:
        TerminalError: The terminal cannot show the screens.
        NoInputError: The input ended before the first line, and nothing had been played yet.
        FlagplotError: There is no such game, or the lesson cannot be saved.
    """
    from engine.registry import lesson

    # Check the game first, so that an unknown game is reported even on an unsuitable terminal.
    lesson(game)
    if not plain:
        check_terminal()
    from play.lesson_session import commands_given
    from play.lesson_store import open_lesson, play_on
    from saves.folders import games_folder, lessons_folder
    from tui.presenter.presenter import load_presenter

    session = open_lesson(game, lessons_folder(), is_new=is_new)
    presenter = load_presenter(session.ruleset)
    if plain:
        from tui.console.keyboard import Keyboard, print_line
        from tui.console.lesson import PlainLesson

        keyboard = Keyboard()
        plain_lesson = PlainLesson(session, presenter, keyboard.read, print_line, str(session.path))
        asyncio.run(_close_after(plain_lesson.run(), session))
        if session.path is not None and not keyboard.has_read and not commands_given(session.match):
            _discard_unplayed(session.path)
        if not plain_lesson.plays_on:
            return 0
        game_session = play_on(session, games_folder())
        return play(game_session, plain=True, path=game_session.record_path or Path())
    from tui.screens.match.lesson import LessonScreen

    return launch(lambda: LessonScreen(session, presenter))


async def _close_after(play_session: Coroutine[None, None, None], session: "Session") -> None:
    try:
        await play_session
    finally:
        await session.close()


def join(invite: Path, *, plain: bool, folder: Path | None = None) -> int:
    """Join a match with an invite, as a player or a spectator, and return the exit status.

    Args:
        invite: Path of the invite file.
        plain: True to play line by line instead of on screens.
        folder: Folder for the seat's copy of the record; None uses the account's folder.

    Raises:
        TerminalError: The terminal cannot show the screens.
        FlagplotError: The invite cannot be read or, with ``plain``, the host refuses the connection.
    """
    if plain:
        return asyncio.run(_join_plain(invite, folder))
    return launch(on_start=lambda app: app.open_invite(invite, folder))


def host(thread: "HostThread") -> int:
    """Show a host's matches until the player quits, then stop the host. Return the exit status.

    Raises:
        TerminalError: The terminal cannot show the screens.
    """

    def show_matches(app: "FlagplotApp") -> None:
        app.host = thread
        app.show_host()

    try:
        return launch(on_start=show_matches)
    finally:
        thread.stop()


def ssh_lobby(name: str, folder: Path, invites: Path, player_data: Path) -> int:
    """Show one player's matches until that player leaves, and return the exit status.

    Args:
        name: Name of the player.
        folder: Folder of the host's matches.
        invites: Folder of the players' invites.
        player_data: Folder of all players' copies and settings.

    Raises:
        TerminalError: The terminal cannot show the screens.
        DataError: The player's name cannot be used as a folder name.
    """
    check_terminal(SSH_ALTERNATIVES)
    from tui.app.ssh_app import create_ssh_app

    app = create_ssh_app(detect_terminal(os.environ), name, folder, invites, player_data)
    status = app.run()
    return status if isinstance(status, int) else (app.return_code or 0)


async def _play_plain(
    session: "Session",
    path_text: str,
    read: "Callable[[str], Awaitable[str]] | None" = None,
    unplayed_path: Path | None = None,
) -> int:
    """Play line by line, and return the exit status.

    Args:
        session: The game, which is closed afterwards.
        path_text: Path of the saved game, for messages.
        read: Reads the next line; None reads from the keyboard.
        unplayed_path: Record of a new game. It is deleted if the input ends before the first line.

    Raises:
        NoInputError: The new game was deleted.
    """
    from tui.console.game import PlainGame
    from tui.console.keyboard import Keyboard, print_line
    from tui.presenter.presenter import load_presenter
    from tui.terminal.settings import load_settings, settings_path

    session.set_bot_seconds(load_settings(settings_path())[0].thinking)
    keyboard = Keyboard()
    game = PlainGame(
        session, load_presenter(session.ruleset), read or keyboard.read, print_line, path_text
    )
    await _close_after(game.run(), session)
    if unplayed_path is not None and not keyboard.has_read and session.outcome() is None:
        _discard_unplayed(unplayed_path)
    return 0


def _discard_unplayed(path: Path) -> NoReturn:
    """Delete the record of a game in which no move was made.

    Raises:
        NoInputError: Always.
    """
    from play.save_files import delete_game

    delete_game(path)
    raise NoInputError("the input ended before the first line; the new game was not saved")


async def _join_plain(invite: Path, folder: Path | None) -> int:
    from netplay.invites.invite import load_invites
    from netplay.mail.mail_store import account_mail_store, is_by_mail
    from netplay.mail.session import open_mail_session
    from netplay.session.peer_group import create_peers, is_ready
    from netplay.session.peer_session import PeerSession
    from netplay.wire.errors import NetworkError
    from saves.folders import joined_folder, mail_folder
    from tui.console.keyboard import Keyboard, TypedAhead
    from tui.terminal.settings import find_addresses, load_settings, settings_path

    invites = load_invites(invite)
    if is_by_mail(invites):
        session = await open_mail_session(account_mail_store(copies=folder), invites, mail_folder())
        return await _play_plain(session, str(session.peer.copy.path))
    find_address = find_addresses(load_settings(settings_path())[0])
    peers = create_peers(invites, folder or joined_folder(), find_addresses=find_address)
    for peer in peers:
        peer.start()
    typed_ahead = TypedAhead(Keyboard())
    try:
        if await _wait_until_ready(peers, typed_ahead):
            for peer in peers:
                await peer.close()
            return 0
    finally:
        await typed_ahead.stop()
    if not is_ready(peers):
        reason = next(peer.reporter.status.reason for peer in peers if not peer.is_ready)
        for peer in peers:
            await peer.close()
        raise NetworkError(reason)
    return await _play_plain(PeerSession(*peers), str(peers[0].copy.path), typed_ahead.read)


async def _wait_until_ready(peers: "tuple[Peer, ...]", typed_ahead: "TypedAhead") -> bool:
    """Wait until the match is ready or the player leaves. Return True if the player left.

    Raises:
        NetworkError: The input ended before the host was found.
    """
    from netplay.peer.status import ConnectionState
    from netplay.session.peer_group import wait_ready
    from netplay.wire.errors import NetworkError
    from tui.console.keyboard import print_line
    from tui.terminal.sanitising import sanitise_line

    def show(sentence: str) -> None:
        # The sentence may contain names that the host has chosen.
        print_line(sanitise_line(sentence, _MAX_STATUS_CELLS))

    last_message = mode = last_stopped = ""
    connecting_polls = 0
    while True:
        status = next(
            (peer.reporter.status for peer in peers if not peer.is_ready), peers[0].reporter.status
        )
        waiting_status = next(
            (
                peer.reporter.status
                for peer in peers
                if peer.reporter.status.link is ConnectionState.WAITING
            ),
            None,
        )
        message = status.reason if status.link is ConnectionState.LOST else ""
        connecting_polls += status.link is ConnectionState.CONNECTING
        if connecting_polls == _POLLS_BEFORE_MESSAGE:
            message = f"Looking for the host at {peers[0].invite.addresses[0].partition('://')[2]}"
        if waiting_status is not None:
            message = waiting_status.reason
        if message and message != last_message:
            last_message = message
            hint = "" if waiting_status is not None else " Still trying. Type quit to leave."
            show(f"{last_message[:1].upper()}{last_message[1:].rstrip('.')}.{hint}")
        if waiting_status is not None and waiting_status.mode != mode:
            mode = waiting_status.mode
            show(f"The mode is {mode}.")
        if waiting_status is not None and waiting_status.stopped_openings != last_stopped:
            last_stopped = waiting_status.stopped_openings
            show(f"{last_stopped}.")
        # If the input is piped, leave it unread for the game until there is a delay to report.
        if last_message or typed_ahead.is_terminal:
            typed_ahead.listen()
        if typed_ahead.has_left:
            return True
        if typed_ahead.has_ended and waiting_status is not None:
            show("The input has ended. Your seat is kept; run the same command to return to it.")
            return True
        if typed_ahead.has_ended:
            raise NetworkError(last_message or "the input ended before the host was found")
        try:
            async with asyncio.timeout(_POLL_SECONDS):
                await wait_ready(peers)
            return False
        except TimeoutError:
            continue
