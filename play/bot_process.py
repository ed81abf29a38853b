"""Runs bots that look ahead in a separate process with a time limit, so that searches never block the program."""

import asyncio
import multiprocessing
import subprocess
import sys
from multiprocessing.connection import Connection
from typing import Final

import msgspec
import structlog

from engine.bots.player import Player, Thinker, Thought, bot_decision, known_position, looks_ahead
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset
from play.bot_worker import BotAnswer, BotRequest

log = structlog.get_logger()

DEFAULT_SECONDS: Final = 3.0
"""Default time limit per bot decision, in seconds."""
_GRACE_SECONDS: Final = 15.0
"""Extra seconds for the process to start and to finish its last search step."""
_MAX_FAILURES: Final = 3
"""No new process is started after this many failures."""
_EXIT_SECONDS: Final = 2.0
"""Seconds that the process has to exit before it is killed."""
# Without -P, Python would search for modules in the current folder first, and a file there could
# replace a flagplot module.
_PROGRAM: Final = (sys.executable, "-P", "-m", "play.bot_worker")
_ANSWER_DECODER: Final = msgspec.json.Decoder(BotAnswer)
_FAILURE_TEXT: Final = "A bot could not look ahead and chose like the greedy bot instead."


class BotProcessError(FlagplotError):
    """The bot process reported an error or did not reply in time."""


class BotProcess:
    """Runs the look-ahead search for all bots in one program or match.

    The process is started when it is first needed.
    """

    def __init__(
        self,
        seconds: float = DEFAULT_SECONDS,
        program: tuple[str, ...] = _PROGRAM,
        grace: float = _GRACE_SECONDS,
    ) -> None:
        """Store the limits without starting the process.

        Args:
            seconds: Time limit per bot decision.
            program: Command line of the process.
            grace: Seconds after the time limit until the process counts as hung.
        """
        self.seconds = seconds
        self._program = program
        self._grace = grace
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()
        self._request_number = self._failures = 0
        self._is_reported = False

    async def choose(
        self,
        rules: AnyRuleset,
        state: object,
        role: Role,
        player: Player,
        name: str,
    ) -> Command:
        """Return a bot's choice for its role's open decision. If the process fails, the bot chooses without look-ahead.

        Args:
            rules: The game.
            state: The full state, or the state in the role's own copy.
            role: The role.
            player: The bot.
            name: Unique name of the match.
        """
        decision, view = bot_decision(rules, state, role, player), rules.project(state, role)
        if looks_ahead(player) and (player.is_stateful or player.should_search(view, decision)):
            thought = await self._search(rules, state, role, player, f"{name} {role}")
            # The process searches in a reconstructed position, so its answer may not be an option
            # in the real position.
            if thought is not None and thought.command in decision.options:
                player.finish(thought)
                return thought.command
        return player.choose(view, decision)

    def pop_problem(self) -> str:
        """Return a message the first time this is called after a failure of the process; otherwise an empty string."""
        if not self._failures or self._is_reported:
            return ""
        self._is_reported = True
        return _FAILURE_TEXT

    def close(self) -> None:
        """End the process. Pending requests fail."""
        process, self._process = self._process, None
        # A pending request holds the lock. When the request fails, it closes the connection itself.
        if self._connection is not None and not self._lock.locked():
            self._connection.close()
            self._connection = None
        if process is not None:
            process.terminate()
            try:
                process.wait(_EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    # -- requests

    async def _search(
        self,
        rules: AnyRuleset,
        state: object,
        role: Role,
        player: Thinker,
        name: str,
    ) -> Thought | None:
        position = msgspec.json.encode(known_position(rules, state, role))
        async with self._lock:
            if self._failures >= _MAX_FAILURES:
                return None
            self._request_number += 1
            request = BotRequest(
                number=self._request_number,
                player=name,
                bot=player.level,
                game=rules.game,
                role=role,
                seconds=self.seconds,
                known=msgspec.Raw(position),
            )
            try:
                answer = await self._request(request)
                command = msgspec.json.decode(answer.command, type=rules.command_type)
            except (BotProcessError, OSError, EOFError, msgspec.DecodeError) as error:
                self._failures += 1
                log.warning("bot_worker_failed", bot=player.level, error=str(error))
                # close() leaves the connection open while a request is pending.
                self.close()
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None
                return None
            return Thought(command, answer.reason)

    async def _request(self, request: BotRequest) -> BotAnswer:
        """Send a request and return the reply. Replies to abandoned earlier requests are discarded."""
        connection = self._connect()
        connection.send_bytes(msgspec.json.encode(request))
        try:
            async with asyncio.timeout(request.seconds + self._grace):
                while True:
                    await _wait_until_readable(connection)
                    answer = _ANSWER_DECODER.decode(connection.recv_bytes())
                    if answer.number == request.number:
                        break
        except TimeoutError as error:
            raise BotProcessError("no answer in time") from error
        if answer.problem:
            raise BotProcessError(answer.problem)
        return answer

    def _connect(self) -> Connection:
        """Return the connection to the process, starting the process if necessary."""
        if self._connection is None:
            parent_end, child_end = multiprocessing.Pipe()
            # Close the child's end here. While it is open, this process receives no end of file
            # when the bot process exits.
            with child_end:
                self._process = subprocess.Popen(  # noqa: S603  # runs this same program
                    [*self._program, str(child_end.fileno())],
                    # The screens use the terminal, so the bot process must not read the player's
                    # keys or print anything.
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(child_end.fileno(),),
                )
            self._connection = parent_end
        return self._connection


async def _wait_until_readable(connection: Connection) -> None:
    """Wait until data can be read or the other side has closed the connection."""
    loop = asyncio.get_running_loop()
    ready_future = loop.create_future()

    def wake() -> None:
        if not ready_future.done():
            ready_future.set_result(None)

    descriptor = connection.fileno()
    loop.add_reader(descriptor, wake)
    try:
        await ready_future
    finally:
        loop.remove_reader(descriptor)
