"""Starts the screens, or play by lines: checks the terminal, closes side doors, opens the application."""

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from saves.shortage import check_room
from tui.errors import NoInputError, TerminalError
from tui.terminal import detect

if TYPE_CHECKING:
    from textual.screen import Screen

    from netplay.hostthread import HostThread
    from netplay.peer import Peer
    from play.session import Session
    from tui.app import FlagplotApp
    from tui.curtain import Curtain
    from tui.keyboard import TypedAhead

_PREFIX = "TEXTUAL"
"""Environment variables of this name can load code and write files; none of them is for players."""
_LOOK_SECONDS = 0.2
_LOOKS_IN_SILENCE: Final = 25
"""After so many of them a player is told that the host is looked for."""
_THREADS = 4
"""Threads that the screens start besides their own: keys, output, and work that must not hold them up."""
_MEGABYTES = 128
"""Address space that screens need at least, with their threads and the rules of a game."""
_OLD_TERMS = ("vt", "linux")
"""Terminals that print a keyboard protocol which they do not know."""


def close_side_doors() -> None:
    """Take away what the environment could do with Textual: load a driver, write logs and pictures, run keys.

    Must run before Textual is imported; harmless when repeated.
    """
    for name in [name for name in os.environ if name.startswith(_PREFIX)]:
        del os.environ[name]
    if os.environ.get("TERM", "").startswith(_OLD_TERMS):
        os.environ[f"{_PREFIX}_DISABLE_KITTY_KEY"] = "1"


class Instead(NamedTuple):
    """What somebody is told to do whose terminal shows no screens."""

    without: str
    """There is no terminal."""
    dumb: str
    """It cannot place the cursor."""
    threads: str
    """There are too many processes."""


BY_LINES: Final = Instead("use --plain for line-by-line play", "use --plain", "use --plain")
BY_SSH: Final = Instead(
    "connect with ssh alone, and no command behind the host's name",
    "connect from another one",
    "try again when less of yours is open",
)
"""Whoever comes by a forced command cannot choose how the program is called."""


def check_terminal(instead: Instead = BY_LINES) -> None:
    """Accept a terminal that can show screens.

    Args:
        instead: What to do where there is none.

    Raises:
        TerminalError: There is none, or it cannot place the cursor.
    """
    close_side_doors()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise TerminalError(f"this is not a terminal; {instead.without}")
    if detect(os.environ).dumb:
        term = os.environ.get("TERM", "")
        raise TerminalError(f"a terminal of type '{term}' cannot show screens; {instead.dumb}")
    check_room(_MEGABYTES, "screens")
    _check_threads(instead.threads)


def terminal_problem() -> TerminalError | None:
    """Return why the terminal cannot show screens, None if it can.

    A command asks first whether its game, scenario and files are right: only then the terminal is the reason to stop.
    """
    try:
        check_terminal()
    except TerminalError as error:
        return error
    return None


def launch(
    first_screen: "Callable[[], Screen[None]] | None" = None,
    start: "Callable[[FlagplotApp], None] | None" = None,
) -> int:
    """Run the screens until the player leaves; return the exit status.

    Args:
        first_screen: Makes the screen to open above the menu; None shows the menu.
        start: Called with the running application, to open what needs its event loop.

    Raises:
        TerminalError: The terminal cannot show screens.
    """
    check_terminal()
    gc.freeze()  # what is loaded stays; searches for garbage pass it over
    from tui.app import FlagplotApp
    from tui.settings import settings_path

    app = FlagplotApp(
        detect(os.environ),
        settings_path(),
        first_screen() if first_screen else None,
        start,
    )
    try:
        status = app.run()
    finally:
        app.stop_hosts()
    if app.shortage is not None:
        raise MemoryError from app.shortage
    if app.unfit is not None:
        raise app.unfit
    return status if isinstance(status, int) else (app.return_code or 0)


def _check_threads(instead: str) -> None:
    """Accept an account that may start the threads of the screens.

    Raises:
        TerminalError: Its limit of processes, which counts threads, is reached.
    """
    over = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(_THREADS):
            thread = threading.Thread(target=over.wait)
            thread.start()
            started.append(thread)
    except RuntimeError as error:
        raise TerminalError(
            f"this account may start no more processes, and screens need some; {instead}"
        ) from error
    finally:
        over.set()
        for thread in started:
            thread.join()


def play(
    session: "Session",
    *,
    plain: bool,
    place: Path,
    curtain: "Curtain | None" = None,
    is_new: bool = False,
) -> int:
    """Play a session to its end or until the player leaves; returns the exit status.

    Args:
        session: The game; it is closed afterwards.
        plain: Line by line instead of screens.
        place: Where the game is kept.
        curtain: What is in front of the screens until they stand.
        is_new: It has just begun. Line by line it is deleted if the input ends before the first line.

    Raises:
        TerminalError: The terminal cannot show screens.
        NoInputError: A new game was deleted.
    """
    from tui.presenter import presenter_of

    presenter = presenter_of(session.ruleset)
    if plain:
        return asyncio.run(_by_lines(session, str(place), new=place if is_new else None))
    from tui.screens.play import PlayScreen

    screen = PlayScreen(session, presenter)
    screen.is_drawn = curtain is not None
    try:
        return launch(lambda: screen, curtain.lift if curtain is not None else None)
    finally:
        if curtain is not None:
            curtain.keep(screen.opening, screen.left, place)


def replay(path: Path, *, plain: bool, follows_mover: bool = False) -> int:
    """Step through a record file; returns the exit status.

    Args:
        path: The file.
        plain: Line by line instead of screens.
        follows_mover: Show the seat of whoever moves.

    Raises:
        TerminalError: The terminal cannot show screens.
        FlagplotError: The file cannot be read.
    """
    problem = None if plain else terminal_problem()
    from play.replay_session import ReplaySession
    from tui.presenter import presenter_of

    session = ReplaySession.open(path, follows_mover=follows_mover)
    if problem is not None:
        raise problem
    presenter = presenter_of(session.ruleset)
    if plain:
        from tui.keyboard import Keyboard, show
        from tui.plain_replay import PlainReplay

        asyncio.run(PlainReplay(session, presenter, Keyboard().read, show).run())
        return 0
    from tui.screens.replay import ReplayScreen

    return launch(lambda: ReplayScreen(session, presenter))


def learn(game: str, *, plain: bool, is_new: bool) -> int:
    """Teach a game by a guided lesson, from where it was left; returns the exit status.

    Args:
        game: Its id.
        plain: Line by line instead of screens.
        is_new: Begin again.

    Raises:
        TerminalError: The terminal cannot show screens.
        NoInputError: The input ended before the first line, and nothing was played yet.
        FlagplotError: There is no such game, or the lesson cannot be kept.
    """
    from engine.registry import lesson

    lesson(game)
    if not plain:
        check_terminal()
    from play.lesson_session import given_in
    from play.lesson_shelf import open_lesson
    from saves.folders import lessons_folder
    from tui.presenter import presenter_of

    session = open_lesson(game, lessons_folder(), is_new=is_new)
    presenter = presenter_of(session.ruleset)
    if plain:
        from tui.keyboard import Keyboard, show
        from tui.plain_lesson import PlainLesson

        keyboard = Keyboard()
        taught = PlainLesson(session, presenter, keyboard.read, show, str(session.path))
        asyncio.run(_closing(taught.run(), session))
        if session.path is not None and not keyboard.has_read and not given_in(session.match):
            _drop(session.path)
        return 0
    from tui.screens.lesson import LessonScreen

    return launch(lambda: LessonScreen(session, presenter))


async def _closing(run: Coroutine[None, None, None], session: "Session") -> None:
    try:
        await run
    finally:
        await session.close()


def join(invite: Path, *, plain: bool, folder: Path | None = None) -> int:
    """Take the seat of an invite, or watch by a spectator's; returns the exit status.

    Args:
        invite: The file.
        plain: Line by line instead of screens.
        folder: Where the seat's copy is kept; None takes the account's folder.

    Raises:
        TerminalError: The terminal cannot show screens.
        FlagplotError: The invite cannot be read, or with ``plain`` the host refuses.
    """
    if plain:
        return asyncio.run(_join_by_lines(invite, folder))
    return launch(start=lambda app: app.open_invite(invite, folder))


def host(thread: "HostThread") -> int:
    """Show what a host has open until the player leaves, which ends it; returns the exit status.

    Raises:
        TerminalError: The terminal cannot show screens.
    """

    def begin(app: "FlagplotApp") -> None:
        app.host = thread
        app.show_host()

    try:
        return launch(start=begin)
    finally:
        thread.stop()


def door(name: str, folder: Path, invites: Path, keep: Path) -> int:
    """Show the matches of one player until he leaves; returns the exit status.

    Args:
        name: The player.
        folder: Where the host keeps its matches.
        invites: Where their invites lie.
        keep: Where the copies and settings of all players are.

    Raises:
        TerminalError: The terminal cannot show screens.
        DataError: The name cannot be that of a folder.
    """
    check_terminal(BY_SSH)
    from tui.door import door_app

    app = door_app(detect(os.environ), name, folder, invites, keep)
    status = app.run()
    return status if isinstance(status, int) else (app.return_code or 0)


async def _by_lines(
    session: "Session",
    place: str,
    read: "Callable[[str], Awaitable[str]] | None" = None,
    new: Path | None = None,
) -> int:
    """Play by lines; returns the exit status.

    Args:
        session: The game; it is closed afterwards.
        place: Where it is kept.
        read: Where lines come from; None for the keyboard.
        new: Its record if it has just begun: it is deleted if the input ends before the first line.

    Raises:
        NoInputError: It was deleted.
    """
    from tui.keyboard import Keyboard, show
    from tui.plain import PlainGame
    from tui.presenter import presenter_of
    from tui.settings import load_settings, settings_path

    session.think_for(load_settings(settings_path())[0].thinking)
    keyboard = Keyboard()
    game = PlainGame(session, presenter_of(session.ruleset), read or keyboard.read, show, place)
    await _closing(game.run(), session)
    if new is not None and not keyboard.has_read and session.outcome() is None:
        _drop(new)
    return 0


def _drop(path: Path) -> NoReturn:
    """Delete a record that nobody has played.

    Raises:
        NoInputError: Always.
    """
    from play.shelf import delete_game

    delete_game(path)
    raise NoInputError("the input ended before the first line; the new game is not kept")


async def _join_by_lines(invite: Path, folder: Path | None) -> int:
    from netplay.errors import NetworkError
    from netplay.invites import load_invites
    from netplay.mail.office import is_by_mail, office_of_account
    from netplay.mail.session import sit_down
    from netplay.party import is_ready, open_party
    from netplay.peer_session import PeerSession
    from saves.folders import joined_folder, mail_folder
    from tui.keyboard import Keyboard, TypedAhead
    from tui.settings import find_addresses, load_settings, settings_path

    invites = load_invites(invite)
    if is_by_mail(invites):
        session = await sit_down(office_of_account(copies=folder), invites, mail_folder())
        return await _by_lines(session, str(session.peer.copy.path))
    find = find_addresses(load_settings(settings_path())[0])
    peers = open_party(invites, folder or joined_folder(), find_addresses=find)
    for peer in peers:
        peer.start()
    typed = TypedAhead(Keyboard())
    try:
        if await _has_left(peers, typed):
            for peer in peers:
                await peer.close()
            return 0
    finally:
        await typed.stop()
    if not is_ready(peers):
        reason = next(peer.status.reason for peer in peers if not peer.is_ready)
        for peer in peers:
            await peer.close()
        raise NetworkError(reason)
    return await _by_lines(PeerSession(*peers), str(peers[0].copy.path), typed.read)


async def _has_left(peers: "tuple[Peer, ...]", typed: "TypedAhead") -> bool:
    """Wait until the match can be shown or not be joined at all; returns True if the player leaves before.

    Raises:
        NetworkError: The input ended before the host was found.
    """
    from netplay.errors import NetworkError
    from netplay.party import wait_ready
    from netplay.status import Link
    from tui.keyboard import show

    told = mode = earlier = ""
    looks = 0
    while True:
        status = next((peer.status for peer in peers if not peer.is_ready), peers[0].status)
        waits = next((peer.status for peer in peers if peer.status.link is Link.WAITING), None)
        words = status.reason if status.link is Link.LOST else ""
        looks += status.link is Link.CONNECTING
        if looks == _LOOKS_IN_SILENCE:
            words = f"Looking for the host at {peers[0].invite.addresses[0].partition('://')[2]}"
        if waits is not None:
            words = waits.reason
        if words and words != told:
            told = words
            hint = "" if waits is not None else " It is tried again by itself; quit leaves."
            show(f"{told[:1].upper()}{told[1:].rstrip('.')}.{hint}")
        if waits is not None and waits.mode != mode:
            mode = waits.mode
            show(f"The mode is {mode}.")
        if waits is not None and waits.earlier != earlier:
            earlier = waits.earlier
            show(f"{earlier}.")
        if told or typed.is_terminal:  # lines of a pipe are for the game, if it is there soon
            typed.listen()
        if typed.has_left:
            return True
        if typed.has_ended and waits is not None:
            show("The input has ended. The seat is kept: the same command comes back to it.")
            return True
        if typed.has_ended:
            raise NetworkError(told or "the input ended before the host was found")
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await wait_ready(peers)
            return False
        except TimeoutError:
            continue
