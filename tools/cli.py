"""The `flagplot` command, which runs a subcommand and maps its result to an exit code.

Only the modules that a subcommand needs are imported. For example, `flagplot verify --help` does not load the screens.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click
from typing_extensions import override

from tools.click_commands import DocumentedCommand
from tools.standard_streams import open_missing_streams

SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Play": {
        "play": ("tools.cmd_play:play", "Play on this computer, against bots or other people."),
        "resume": ("tools.cmd_saves:resume", "Continue your latest saved game, or another one."),
        "list": ("tools.cmd_saves:list_games", "List your saved games."),
        "learn": ("tools.cmd_replay:learn", "Play your first game, guided step by step."),
        "tutorial": (
            "tools.cmd_replay:tutorial",
            "Watch the first turns of a game with comments.",
        ),
    },
    "Network": {
        "host": ("tools.cmd_host:host", "Open a match for others, and serve matches."),
        "join": ("tools.cmd_join:join", "Take the seat of an invite, or return to it."),
        "watch": ("tools.cmd_watch:watch", "Follow a match as a spectator."),
        "mail": ("tools.cmd_mail:mail", "Play by mail or chat, with move files."),
        "lobby": (
            "tools.cmd_lobby:lobby",
            "List one player's matches, as an SSH forced command.",
        ),
    },
    "Records": {
        "replay": ("tools.cmd_replay:replay", "Watch a record on the screen."),
        "show": ("tools.cmd_show:show", "Print the position or the log of a record."),
        "verify": (
            "tools.cmd_verify:verify",
            "Replay records through the rules and check them.",
        ),
        "log": ("tools.cmd_log:log", "Export, import, salvage and complete records."),
        "export": ("tools.cmd_export:export", "Write records as tables for data analysis."),
    },
    "Reference": {
        "rules": ("tools.cmd_rules:rules", "Print a paragraph of the rules reference."),
        "scenario": (
            "tools.cmd_scenario:scenario",
            "List, show, check and export starting positions.",
        ),
    },
    "Development": {
        "arena": ("tools.cmd_arena:arena", "Play many games between bots and print win rates."),
        "fuzz": ("tools.cmd_fuzz:fuzz", "Play random legal games and check the invariants."),
        "script": (
            "tools.cmd_script:script",
            "Run scripts that test rules with fixed positions and dice.",
        ),
        "data": ("tools.cmd_data:data", "Check files that replace the data of a game."),
    },
}
"""The ``module:attribute`` and the help line of each subcommand, by section of the help and by name."""
if Path(__file__).with_name("cmd_bench.py").exists():  # the wheel leaves the benchmarks out
    SECTIONS["Development"]["bench"] = (
        f"{__package__}.cmd_bench:bench",
        "Measure speed, latency, memory and bytes.",
    )
COMMANDS: dict[str, tuple[str, str]] = {
    name: entry for section in SECTIONS.values() for name, entry in section.items()
}
"""The ``module:attribute`` and the help line of each subcommand, by name."""
GROUPS = ("data", "host", "log", "mail", "scenario")
"""The subcommands that have subcommands themselves."""

EPILOG = """\b
Exit codes:
    0  success
    1  a check failed, or a record is false
    2  invalid command line
    3  invalid input file, system error, or unknown scenario, seat, switch or bot
    4  network error, or refused by the other side
    5  unsuitable terminal
    6  a record is intact, but was made with older rules
    7  a match has ended, but card seeds or the host's secret are missing
    8  a record is correct, but unfinished or not fully checked (--finished, --strict)
  130  interrupted
  152  CPU time limit reached
  129  and above: ended by a signal (this number minus 128)
"""

_MAX_SENTENCE_CELLS = 4000
"""Maximum length of an error message in characters. Messages may quote text from a file or a host."""
_COMPLETION_VARIABLE = "_FLAGPLOT_COMPLETE"
"""The environment variable that a shell sets to request completions."""
FILE_REFUSED = 3
_STDERR = 2
_NO_MEMORY = b"Error: out of memory; everything played so far is saved\n"
_SIGNAL_STATUS = 128
"""Number added to a signal number to form the exit status of a process that the signal has ended."""
_RESERVE_BYTES = 4 << 20
"""Memory released when an allocation fails, so that the error can still be printed."""
INTERRUPTED = 130
PIPE_CLOSED = 141
"""The exit status that a shell reports for a process ended by SIGPIPE."""
OVER_TIME = _SIGNAL_STATUS + signal.SIGXCPU
"""The exit status that a shell reports for a process that exceeded its CPU limit."""


TAKEN_OVER_STATUS = _SIGNAL_STATUS + signal.SIGUSR1
"""Exit status when another session of the same player takes over the seat (``saves.lock_holder``)."""
_TAKEN_OVER_MESSAGE = "Another login has taken over this seat. Everything played so far is saved."


class CpuLimitReached(SystemExit):
    """The account's CPU time limit was reached.

    A signal handler raises it, so it can occur at any point. It derives from SystemExit so that error handlers do not
    catch it.
    """


class EndedBySignal(SystemExit):
    """Ends the program after a signal.

    A signal handler raises it at any point, and open files are closed as it propagates.
    """


def _end_by_signal(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_DFL)  # a second signal ends the program immediately
    raise EndedBySignal(_SIGNAL_STATUS + number)


def _end_by_cpu_limit(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_IGN)  # the kernel resends this signal every second
    raise CpuLimitReached


class LazyGroup(DocumentedCommand, click.Group):
    """A group that imports each subcommand only when it is called."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand; None if the name is unknown."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    @override
    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand. If the output pipe is closed, exit without an error message."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _drop_stdout()
            ctx.exit(PIPE_CLOSED)

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand. The error about an unknown name suggests similar names."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            names = [*self.list_commands(ctx), *self._nested_commands(ctx)]
            raise click.NoSuchCommand(error.command_name, possibilities=names, ctx=ctx) from None

    def _nested_commands(self, ctx: click.Context) -> Iterator[str]:
        """Yield the commands within groups, such as ``host open``. This imports the groups."""
        for name in GROUPS:
            group = self.get_command(ctx, name)
            assert isinstance(group, click.Group)
            yield from (f"{name} {command}" for command in group.list_commands(ctx))

    @override
    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> "list[click.shell_completion.CompletionItem]":
        """Complete subcommands without importing them, and options."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=help_line)
            for name, (_, help_line) in sorted(COMMANDS.items())
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by section, without importing them."""
        from cloup.formatting import HelpSection, ensure_is_cloup_formatter

        ensure_is_cloup_formatter(formatter).write_aligned_sections(
            [
                HelpSection(
                    heading=title,
                    definitions=[(name, help_line) for name, (_, help_line) in commands.items()],
                )
                for title, commands in SECTIONS.items()
            ]
        )


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=EPILOG,
)
@click.version_option(
    None,
    "-V",
    "--version",
    package_name="flagplot",
    prog_name="flagplot",
)
@click.pass_context
def flagplot(ctx: click.Context) -> int:
    """Play board wargames in the terminal, with every rule enforced.

    Without a command the menu opens. Without a terminal this help is printed instead.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    if sys.stdin.isatty() and sys.stdout.isatty():
        from tui.app.launch import launch

        return launch()
    click.echo(ctx.get_help())
    return 0


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with one of the documented codes.

    Args:
        arguments: Arguments after the program name; None to use those of the process.
    """
    old_handlers = _handle_signals()
    try:
        if open_missing_streams():
            click.echo("Error: standard output is closed", err=True)
            sys.exit(FILE_REFUSED)
        sys.exit(_run(arguments))
    except MemoryError:
        _exit_out_of_memory()
    finally:
        for number, handler in old_handlers.items():
            if signal.getsignal(number) in (
                _end_by_signal,
                _end_by_cpu_limit,
            ):  # a handler that has already run is no longer installed
                signal.signal(number, handler)


def _run(arguments: list[str] | None) -> int:
    """Run the command and return its exit code. Expected failures print one sentence on stderr."""
    from engine.kernel.errors import FlagplotError
    from engine.kernel.gc_tuning import tune_gc
    from saves.memory_limit import is_out_of_memory, limit_thread_memory

    tune_gc()
    limit_thread_memory()
    if _COMPLETION_VARIABLE in os.environ:
        from tools.bash_completion import register

        register()
    reserve = bytearray(_RESERVE_BYTES)
    try:
        try:
            status = flagplot.main(arguments, prog_name="flagplot", standalone_mode=False)
            sys.stdout.flush()  # a closed pipe must raise an error here, not at exit
        except Exception as error:
            reserve.clear()
            if is_out_of_memory(error):
                _exit_out_of_memory()
            raise
    except FlagplotError as error:
        from netplay.wire.sanitising import sanitise

        click.echo(f"Error: {sanitise(str(error), _MAX_SENTENCE_CELLS)}", err=True)
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
        click.echo(f"Error: {_path_in_error(error)}: {error.strerror or error}", err=True)
        return FILE_REFUSED
    except CpuLimitReached:
        status = OVER_TIME
    except EndedBySignal as exit_request:
        _drop_stdout()
        status = exit_request.code
    if status == TAKEN_OVER_STATUS:
        click.echo(_TAKEN_OVER_MESSAGE, err=True)
    if status == OVER_TIME:
        _drop_stdout()
        message = "the account's CPU time limit was reached; everything played so far is saved"
        click.echo(f"Error: {message}", err=True)
    return status if isinstance(status, int) else 0


def _path_in_error(error: OSError) -> str:
    """Return the path that was read or written when the error occurred."""
    if error.filename:
        from netplay.wire.sanitising import sanitise

        return sanitise(os.fsdecode(error.filename), _MAX_SENTENCE_CELLS)
    try:
        Path.cwd()
    except OSError:
        return "the current folder"
    return "standard output"


def _handle_signals() -> dict[int, Any]:
    """Turn signals into exceptions, so that the terminal is restored and files are closed.

    Ignored signals stay ignored, as ``nohup`` requires.

    Returns:
        The previous handler of each signal.
    """
    from play.signals import TERMINATION_SIGNALS

    old_handlers: dict[int, Any] = {}
    if threading.current_thread() is not threading.main_thread():
        return old_handlers
    for number in TERMINATION_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            handler = _end_by_cpu_limit if number == signal.SIGXCPU else _end_by_signal
            old_handlers[number] = signal.signal(number, handler)
    return old_handlers


def _exit_out_of_memory() -> NoReturn:
    """Print the out-of-memory error and exit immediately, because an orderly shutdown could need more memory."""
    with contextlib.suppress(OSError):
        os.write(_STDERR, _NO_MEMORY)
    os._exit(FILE_REFUSED)


def _drop_stdout() -> None:
    """Redirect stdout to the null device, so that flushing at exit cannot fail again."""
    with contextlib.suppress(OSError):  # the limit on open files may have been reached
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
