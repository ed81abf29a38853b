"""The `flagplot` command: finds the subcommand and turns its end into an exit code.

Only what a subcommand needs is imported, so that `flagplot verify --help` starts without the screens.
"""

import contextlib
import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from tools.parameters import Described
from tools.streams import open_missing_streams

COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("tools.cmd_play:play", "Play here, against bots or people at one keyboard."),
    "replay": ("tools.cmd_replay:replay", "Step through a record on the screen."),
    "learn": ("tools.cmd_replay:learn", "Play your first game, guided step by step."),
    "tutorial": ("tools.cmd_replay:tutorial", "Watch the first turns of a game with comments."),
    "verify": ("tools.cmd_verify:verify", "Play records again through the rules and compare."),
    "show": ("tools.cmd_show:show", "Print the position or the log of a record."),
    "log": ("tools.cmd_log:log", "Export, import, salvage and complete records."),
    "host": ("tools.cmd_host:host", "Open a match for others, or resume those of a folder."),
    "join": ("tools.cmd_join:join", "Take the seat of an invite; also resumes."),
    "watch": ("tools.cmd_watch:watch", "Follow a match with the public view."),
    "send": ("tools.cmd_send:send", "Write a move file, for play by mail or chat."),
    "take": ("tools.cmd_take:take", "Take a move file that somebody has sent."),
    "lobby": ("tools.cmd_lobby:lobby", "One player's matches, for a forced command of SSH."),
    "arena": ("tools.cmd_arena:arena", "Let bots play many games and count who wins."),
    "fuzz": ("tools.cmd_fuzz:fuzz", "Play random legal games and check what must always hold."),
    "bench": ("tools.cmd_bench:bench", "Measure speed, latency, memory and bytes."),
    "script": (
        "tools.cmd_script:script",
        "Run scripts of positions, dice, commands and expectations.",
    ),
    "scenario": (
        "tools.cmd_scenario:scenario",
        "List, show, check and export starting positions.",
    ),
    "rules": ("tools.cmd_rules:rules", "Print a paragraph of the rules reference."),
    "data": ("tools.cmd_data:data", "Check files that replace the data of a game."),
}
"""Subcommand: where it is defined, and its line in the help."""

EPILOG = """\b
Exit codes:
    0  done
    1  a check failed, or a record is bad
    2  the command line is wrong
    3  an input file is bad, the machine refuses, or a scenario, seat, switch or bot is unknown
    4  the network or the other side failed
    5  the terminal cannot show this
    6  a record is whole, but was made by older rules
    7  a match has ended, and card seeds are missing
    8  a record is right, but not finished or not wholly checked, if that is asked
  130  interrupted
  152  the processor time of the account is over
  129  and more: ended by a signal, which is this number minus 128
"""

_SENTENCE = 4000
"""Characters of an error at most; it may quote a file or a host."""
FILE_REFUSED = 3
_STDERR = 2
_NO_MEMORY = b"Error: there is not enough memory to go on; what was played is kept\n"
_SIGNAL_STATUS = 128
"""What a shell adds to the number of the signal that ended a program."""
_RESERVE_BYTES = 4 << 20
"""Memory that is let go of where there is too little, so that it can still be said."""
INTERRUPTED = 130
PIPE_CLOSED = 141
"""What a shell reports for a program ended by a closed pipe."""
OVER_TIME = _SIGNAL_STATUS + signal.SIGXCPU
"""What a shell reports for a program whose processor time is over."""


TAKEN_OVER = _SIGNAL_STATUS + signal.SIGUSR1
"""How a program ends if another login of its player takes the seat over (``saves.lock_holder``)."""
_TAKEN_OVER = "Another login has taken this seat over. Everything that was played is kept."


class TimeIsUp(SystemExit):
    """The processor time of the account is over; it may come anywhere, and no loop may hold it up."""


class EndedBySignal(SystemExit):
    """A signal ends the program; it may come anywhere, and what is open is closed on the way out."""


def _ended(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_DFL)  # a second one ends the program at once
    raise EndedBySignal(_SIGNAL_STATUS + number)


def _time_is_up(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_IGN)  # it comes again each second
    raise TimeIsUp


class LazyGroup(Described, click.Group):
    """A group that imports a subcommand when it is called, not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in alphabetical order."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand; None when there is no such name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; a reader that went away ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _drop_stdout()
            ctx.exit(PIPE_CLOSED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, invoke_without_command=True, epilog=EPILOG)
@click.version_option(package_name="flagplot", prog_name="flagplot")
@click.pass_context
def flagplot(ctx: click.Context) -> int:
    """Play board wargames in the terminal, with every rule enforced.

    Without a command the menu opens; where there is no terminal, this help is printed.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    if sys.stdin.isatty() and sys.stdout.isatty():
        from tui.launch import launch

        return launch()
    click.echo(ctx.get_help())
    return 0


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with the code that the help documents.

    Args:
        arguments: Words after the program name; None takes those of the process.
    """
    before = _handle_signals()
    try:
        if open_missing_streams():
            click.echo("Error: standard output is closed", err=True)
            sys.exit(FILE_REFUSED)
        sys.exit(_run(arguments))
    except MemoryError:
        _give_up()
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) in (
                _ended,
                _time_is_up,
            ):  # one that has come stays as it is
                signal.signal(number, handler)


def _run(arguments: list[str] | None) -> int:
    """Return the exit code; expected failures become one sentence on stderr."""
    from engine.kernel.errors import FlagplotError
    from engine.kernel.garbage import search_seldom
    from saves.shortage import is_shortage, live_within_bounds

    search_seldom()
    live_within_bounds()
    reserve = bytearray(_RESERVE_BYTES)
    try:
        try:
            status = flagplot.main(arguments, prog_name="flagplot", standalone_mode=False)
            sys.stdout.flush()
        except Exception as error:
            reserve.clear()
            if is_shortage(error):
                _give_up()
            raise
    except FlagplotError as error:
        from netplay.wire.sanitising import clean

        click.echo(f"Error: {clean(str(error), _SENTENCE)}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return PIPE_CLOSED
    except OSError as error:
        _drop_stdout()
        click.echo(f"Error: {_place_of(error)}: {error.strerror or error}", err=True)
        return FILE_REFUSED
    except TimeIsUp:
        status = OVER_TIME
    except EndedBySignal as end:
        _drop_stdout()
        status = end.code
    if status == TAKEN_OVER:
        click.echo(_TAKEN_OVER, err=True)
    if status == OVER_TIME:
        _drop_stdout()
        words = "the processor time that this account may use is over; what was played is kept"
        click.echo(f"Error: {words}", err=True)
    return status if isinstance(status, int) else 0


def _place_of(error: OSError) -> str:
    """Return what was being read or written when an error came."""
    if error.filename:
        from netplay.wire.sanitising import clean

        return clean(os.fsdecode(error.filename), _SENTENCE)
    try:
        Path.cwd()
    except OSError:
        return "the current folder"
    return "standard output"


def _handle_signals() -> dict[int, Any]:
    """Let signals end the program by an exception, so that the terminal is restored and files are closed.

    A signal that the caller ignores stays ignored, as ``nohup`` asks.

    Returns:
        What handled each signal before.
    """
    from play.signals import ENDING

    before: dict[int, Any] = {}
    if threading.current_thread() is not threading.main_thread():
        return before
    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            handler = _time_is_up if number == signal.SIGXCPU else _ended
            before[number] = signal.signal(number, handler)
    return before


def _give_up() -> NoReturn:
    """End because there is not enough memory: at once, since to put things away in order takes some."""
    with contextlib.suppress(OSError):
        os.write(_STDERR, _NO_MEMORY)
    os._exit(FILE_REFUSED)


def _drop_stdout() -> None:
    """Send what is still buffered nowhere, so that the exit does not complain again."""
    with contextlib.suppress(
        OSError
    ):  # no more files may be open: then nothing else is wrong with the output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
