"""Runs the process in which bots look ahead. It receives a request, searches within a time limit, and replies.

:mod:`play.bot_process` starts it as ``python -P -m play.bot_worker DESCRIPTOR``. The process exits when the parent
closes the connection, even during a search.
"""

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Annotated, Final

import msgspec

from engine import registry
from engine.bots.player import Player, Thinker, Thought, bot_decision, looks_ahead
from engine.bots.registry import create_bot
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role

_NICE: Final = 5
"""Amount by which to raise this process's niceness, so that the user interface stays responsive."""
_MAX_BOTS: Final = 256
"""Maximum number of bots kept in memory."""


class BotRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a bot's answer."""

    number: int
    player: str
    """Unique name by which the process finds the bot again in later requests."""
    bot: str
    game: str
    role: str
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    known: msgspec.Raw
    """The encoded position as known to the bot's seat."""


class BotAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A bot's answer."""

    number: int
    """Number of the :class:`BotRequest` being answered."""
    command: msgspec.Raw = msgspec.Raw(b"null")
    reason: str = ""
    problem: str = ""
    """Error message if the bot found no command; otherwise empty."""


REQUEST_DECODER: Final = msgspec.json.Decoder(BotRequest)


def search_best(
    thinker: Thinker,
    request: BotRequest,
    is_interrupted: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> Thought:
    """Return the best move found within the time limit.

    The search stops early if another step, as long as the longest so far, would exceed the limit.

    Args:
        thinker: The bot.
        request: The request, with the time limit.
        is_interrupted: Returns True if the search should stop early.
        clock: Returns the time in seconds.
    """
    deadline = clock() + request.seconds
    rules = registry.ruleset(request.game)
    role = Role(request.role)
    known_position = msgspec.json.decode(request.known, type=rules.position_type)
    opening = rules.open_game(known_position, DerivedDice(bytes(SECRET_BYTES), 0))
    state = rules.fold(rules.initial_state(), opening)
    decision, view = bot_decision(rules, state, role, thinker), rules.project(state, role)
    if not thinker.should_search(view, decision):
        return Thought(thinker.choose(view, decision), thinker.reason)
    thoughts = iter(thinker.search(known_position, role, decision))
    # Always run the first step, so that the bot has an answer even if its time is already up.
    best_thought, longest_step, last_step_at = next(thoughts), 0.0, clock()
    while last_step_at + longest_step < deadline and not is_interrupted():
        thought = next(thoughts, None)
        if thought is None:
            break
        best_thought, current_time = thought, clock()
        longest_step, last_step_at = max(longest_step, current_time - last_step_at), current_time
    thinker.finish(best_thought)
    return best_thought


class _BotCache:
    """Keeps the most recently used bots, because bots remember their earlier decisions."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}

    def bot_for(self, request: BotRequest) -> Player:
        """Return the bot for a request, creating it if necessary."""
        # Remove the bot and insert it at the end, so that the least recently used bot comes first.
        bot = self._players.pop(request.player, None)
        if bot is None:
            bot = create_bot(
                request.bot, request.game, DerivedDice(secrets.token_bytes(SECRET_BYTES), 0)
            )
        self._players[request.player] = bot
        if len(self._players) > _MAX_BOTS:
            del self._players[next(iter(self._players))]
        return bot


def _answer_request(bots: _BotCache, request: BotRequest, connection: Connection) -> BotAnswer:
    player = bots.bot_for(request)
    assert looks_ahead(player), "the bot must look ahead"
    # The connection becomes readable when the parent sends another request or closes the
    # connection. Both end the search.
    thought = search_best(player, request, connection.poll)
    command = msgspec.Raw(msgspec.json.encode(thought.command))
    return BotAnswer(number=request.number, command=command, reason=thought.reason)


def serve(connection: Connection) -> None:
    """Answer requests until the parent closes the connection."""
    bots = _BotCache()
    with suppress(EOFError, OSError):
        while True:
            request = REQUEST_DECODER.decode(connection.recv_bytes())
            try:
                answer = _answer_request(bots, request, connection)
            except Exception as error:  # noqa: BLE001  # outermost loop; the parent process logs the problem
                answer = BotAnswer(
                    number=request.number, problem=f"{type(error).__name__}: {error}"
                )
            connection.send_bytes(msgspec.json.encode(answer))


def main() -> None:
    """Run this process as another program's bot process."""
    for signal_number in (
        signal.SIGINT,
        signal.SIGQUIT,
    ):  # The parent process decides when this process exits.
        signal.signal(signal_number, signal.SIG_IGN)
    os.nice(_NICE)
    with Connection(int(sys.argv[1])) as connection:
        serve(connection)


if __name__ == "__main__":
    main()
