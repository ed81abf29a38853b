"""Games in progress, for people, bots and programs at one computer."""

from collections.abc import Mapping
from itertools import islice
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from typing_extensions import override

from engine import registry
from engine.bots.player import Player
from engine.bots.registry import create_bot
from engine.kernel.decision import Outcome
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from flagplot.game_position import GamePosition
from flagplot.game_record import GameRecord, RecordStep
from play.bots import create_seat_bot, play_bots
from play.games import NewGame, create_match, open_match, seated_bots
from play.local_negotiation import reveal_if_over
from saves.logfile import Log
from saves.match import Match, derive_secret
from saves.record_views import SeatError
from saves.terms import current_terms

# The keys of a mapping are invariant, so ``str`` alone would refuse the roles in a :class:`ScenarioInfo`.
R = TypeVar("R", bound=str)
N = TypeVar("N", bound=str)


class LiveGame:
    """A game in progress. Close it after use, or use it in a ``with`` block."""

    def __init__(self, match: Match[Any], seed: int | None = None) -> None:
        """Games come from :func:`new_game` and :func:`open_game`."""
        self._match = match
        self._seed = seed
        self._bots: dict[tuple[str, str], Player] = {}
        """The bots that were chosen by name, by role and name. They continue when :meth:`play` is called again."""

    @override
    def __repr__(self) -> str:
        return f"<LiveGame {self.game} {self.position.heading!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def game(self) -> str:
        """Return the game's id."""
        return self._match.ruleset.game

    @property
    def record(self) -> GameRecord:
        """Return the record of all steps so far."""
        log = Log(self._match.header, tuple(self._match.records), (), 0, None)
        return GameRecord(log, self._match.ruleset)

    @property
    def position(self) -> GamePosition:
        """Return the current position."""
        match = self._match
        terms = None
        if not match.terms.is_in_play:  # A copy, because later records change the match's terms.
            terms = current_terms(match.ruleset, match.header, match.records)
        return GamePosition(match.ruleset, match.state, match.header, terms, match.seq)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it continues."""
        return self._match.outcome

    def give(self, role: str, command: Command | str) -> RecordStep:
        """Carry out a command and return the new step.

        Args:
            role: The role that gives the command.
            command: A command, or its line in the game's notation.

        Raises:
            IllegalCommandError: The rules do not allow the command. Nothing has changed.
            NotationError: The line cannot be read.
            MatchError: The game is over.
            StorageError: The write failed.
        """
        parsed = self.position.command(command)
        record = self._match.submit(Role(role), parsed, self._match.seq)
        reveal_if_over(self._match)
        return self.record[record.seq]

    def play(
        self, players: Mapping[R, Player | str] | None = None, *, limit: int | None = None
    ) -> tuple[RecordStep, ...]:
        """Let bots play until the game is over, or until only roles without a bot have a decision.

        Args:
            players: The players by role. Each is the name of a bot, a bot from :func:`create_bot`, or any object with
                its method ``choose``. None uses the bots with which the game was begun.
            limit: Maximum number of commands; None for no limit.

        Returns:
            The steps with the players' commands.

        Raises:
            DataError: The game has no such bot.
            IllegalCommandError: A player's command is not legal. The game is unchanged.
            SeatError: There is no such role.
            StorageError: The write failed.
        """
        chosen = seated_bots(self._match.header) if players is None else players
        seated = {self._role(role): self._player(role, one) for role, one in chosen.items()}
        played = tuple(islice(play_bots(self._match, seated), limit))
        reveal_if_over(self._match)
        record = self.record
        return tuple(record[one.seq] for one in played)

    def take_back(self, seq: int) -> RecordStep:
        """Return to the position after an earlier step. Later steps stay in the record.

        Raises:
            MatchError: There is no earlier step with this number, or the game is over.
            StorageError: The write failed.
        """
        record = self._match.take_back(seq)
        return self.record[record.seq]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the record to a new file. A game that was begun or opened with a path saves every step automatically.

        Raises:
            StorageError: The file exists, or the write failed.
        """
        self.record.save(path)

    def close(self) -> None:
        """Close the game's file, if it has one. Afterwards the game can still be read, but not continued."""
        self._match.close()

    def _role(self, role: str) -> Role:
        roles = self._match.ruleset.roles(self._match.state)
        if role not in roles:
            raise SeatError(f"there is no role '{role}'; this game has {', '.join(roles)}")
        return Role(role)

    def _player(self, role: str, player: Player | str) -> Player:
        if not isinstance(player, str):
            return player
        if (role, player) not in self._bots:
            if self._seed is None:
                bot = create_seat_bot(player, self.game)
            else:
                dice = DerivedDice(derive_secret(f"{role} {self._seed}"), 0)
                bot = create_bot(player, self.game, dice)
            self._bots[role, player] = bot
        return self._bots[role, player]


def new_game(
    game: str,
    scenario: str = "",
    *,
    options: Mapping[str, str] | None = None,
    bots: Mapping[R, str] | None = None,
    names: Mapping[N, str] | None = None,
    seed: int | None = None,
    path: str | PathLike[str] | None = None,
) -> LiveGame:
    """Begin a game.

    Args:
        game: Id of the game.
        scenario: Id of the scenario; empty for the game's default scenario.
        options: The rulings and optional rules that differ from the default, by id; see :func:`rulings`.
        bots: Names of bots by role, which the record states. :meth:`LiveGame.play` lets them play.
        names: People's names by role. People without a name are named after the role.
        seed: Games with equal seeds, bots and commands are equal. None rolls unpredictable dice.
        path: Path of a new record file, to which every step is written. None keeps the game in memory.

    Raises:
        DataError: The game, scenario, role, option, value or bot is unknown, or a person has roles in two teams.
        StorageError: The file exists, or the write failed.
        LogInUseError: Another program is writing this file.
    """
    settings = NewGame(
        game=game,
        scenario=scenario or registry.ruleset(game).default_scenario(),
        options=dict(options or {}),
        bots={Role(role): bot for role, bot in (bots or {}).items()},
        names={Role(role): name for role, name in (names or {}).items()},
    )
    secret = None if seed is None else derive_secret(f"game {seed}")
    return LiveGame(create_match(settings, None if path is None else Path(path), secret), seed)


def open_game(path: str | PathLike[str]) -> LiveGame:
    """Open a saved game to continue it. Every step is written to its file.

    Raises:
        LogInUseError: Another program has the game open.
        StorageError: Reading or writing failed.
        CorruptLogError: The file is damaged.
        DataError: The record names an unknown game.
        MatchError: The file is a seat's copy of a match, or its seats sign their commands.
    """
    return LiveGame(open_match(Path(path)))
