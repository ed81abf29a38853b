"""Bot tournaments: generates the games, plays them, and computes win rates with confidence intervals."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations
from math import sqrt
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from engine.bots.player import looks_ahead
from engine.bots.registry import create_bot
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset, ruleset
from play.bots import BOT_PLAYER_PREFIX, play_bots
from saves.decoding import canonical
from saves.files import FILES, replace_file
from saves.headers import Seat
from saves.logfile import SUFFIX, log_bytes
from saves.match import Match, derive_secret, match_id_of
from tools.game_series import FAULTS, MAX_COMMANDS

ALL: Final = "all"
"""Name shown in table rows that combine all scenarios or all sides."""
SYSTEM: Final = "game"
"""Name shown for the opponent in solitaire games."""
_MAX_PROBLEM_LENGTH: Final = 400
_Z: Final = 1.959964
"""The z-score of a 95 % confidence interval."""


class Fixture(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One game to play."""

    scenario: str
    bots: Mapping[Role, str]
    """The bot that plays each side, with all the side's roles."""
    seed: int
    """Seed for the deals, the dice and the bots' random choices. It does not depend on which bot plays which side."""

    @property
    def name(self) -> str:
        """Name of the game, unique within an arena."""
        return f"{self.scenario}-{'-'.join(self.bots.values())}-{self.seed:04}"


class ArenaResult(Fixture, frozen=True, kw_only=True):
    """Result of one game."""

    winner: str
    """Winning side; ``nobody`` for a draw, ``game`` if all players lost, empty if the game did not finish."""
    level: str
    commands: int
    seconds: float
    chain: str
    """Chain value of the last record, in hex. Games with equal values are identical."""
    problem: str = ""
    """Reason why the game did not finish; empty if it finished."""
    score: int | None = None
    """Final victory points; None in games without victory points."""


class ArenaRow(msgspec.Struct, frozen=True, kw_only=True):
    """Total results of one bot against its opponents, for one or all scenarios and for one or all sides."""

    scenario: str
    side: str
    bot: str
    against: str
    games: int
    """Number of finished games."""
    wins: int
    draws: int
    losses: int
    lost_to_game: int
    """Number of games that all players lost."""
    unfinished: int
    levels: Mapping[str, int]
    """Number of finished games by winner and degree of victory; empty in games without degrees of victory."""
    rate: float
    """Share of the finished games that the bot won."""
    low: float
    """Lower end of the 95 % confidence interval."""
    high: float
    commands: float
    """Mean number of commands per game."""
    seconds: float
    """Mean duration of a game in seconds."""
    points: tuple[float, float] | None = None
    """Mean victory points and the standard error of the mean; None unless every game has a score."""


def fixtures(
    infos: Sequence[ScenarioInfo], bots: Sequence[str], games: int, seed: int
) -> Iterator[Fixture]:
    """Yield all games: each seed in each scenario with every assignment of bots to sides.

    Every bot plays every side against every other bot equally often, with the same deals. A bot listed twice plays
    against itself.

    Raises:
        UsageError: There are more sides than bots.
    """
    for info in infos:
        if len(info.sides) > len(bots):
            raise click.UsageError(
                f"{info.id} has the sides {', '.join(info.sides)}. Name one bot per side."
            )
    for number in range(seed, seed + games):
        for info in infos:
            for names in dict.fromkeys(permutations(bots, len(info.sides))):
                seats = dict(zip(info.sides, names, strict=True))
                yield Fixture(scenario=info.id, bots=seats, seed=number)


def play(
    game: str, options: Mapping[str, str], fixture: Fixture, folder: Path | None, steps: int = 0
) -> ArenaResult:
    """Play one game and return its result. The same fixture always produces the same game.

    Args:
        game: Id of the game.
        options: The game's rule options.
        fixture: Scenario, bots and seed.
        folder: Folder for the record. The record replaces any file of the same name. None keeps no record.
        steps: Search steps per answer for bots that look ahead; 0 for the bot's default.

    Raises:
        OSError: The record cannot be written.
    """
    started = time.perf_counter()
    rules = ruleset(game)
    info = rules.scenario_info(fixture.scenario, options)
    names = {role: fixture.bots[side] for side, roles in info.sides.items() for role in roles}
    seats = tuple(
        Seat(role=role, player=BOT_PLAYER_PREFIX + names[role], seat_id=f"arena-{role}")
        for role in info.roles
    )
    position = rules.position(info.id, options)
    secret = derive_secret(f"game {fixture.seed}")
    match: Match[Any] = Match.create(
        rules,
        position,
        info.id,
        options,
        seats,
        secret,
        match_id=match_id_of(secret, _label(rules, options, fixture, steps)),
    )
    players = {
        role: create_bot(name, game, DerivedDice(derive_secret(f"{role} {fixture.seed}"), 0))
        for role, name in names.items()
    }
    for player in players.values():
        if steps and looks_ahead(player):
            player.steps = steps
    problem, commands = "", 0
    try:
        for _ in islice(play_bots(match, players), MAX_COMMANDS):
            commands += 1
        if match.asked:
            problem = f"not finished after {MAX_COMMANDS} commands"
    except FAULTS as error:
        problem = f"{type(error).__name__}: {error}"
    outcome = rules.outcome(match.state)
    if outcome is not None:
        match.reveal()
    elif not problem:
        problem = "no role has to decide, but the game has no outcome"
    if folder is not None:
        path = folder / f"{game}-{fixture.name}{SUFFIX}"
        replace_file(FILES, path, log_bytes(match.header, match.records))
    return ArenaResult(
        scenario=fixture.scenario,
        bots=fixture.bots,
        seed=fixture.seed,
        winner="" if outcome is None else outcome.winner_name,
        level="" if outcome is None else outcome.level,
        commands=commands,
        seconds=round(time.perf_counter() - started, 3),
        chain=match.chain.hex(),
        problem=" ".join(problem.split())[:_MAX_PROBLEM_LENGTH],
        score=None if outcome is None else outcome.score,
    )


def _label(rules: AnyRuleset, options: Mapping[str, str], fixture: Fixture, steps: int) -> bytes:
    """Return the game's settings as bytes, from which games with the same seed and dice get different match ids."""
    return canonical(
        (
            (rules.game, rules.edition, rules.version, rules.data_digest),
            (fixture.scenario, sorted(options.items()), sorted(fixture.bots.items()), steps),
        )
    )


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a win rate; (0, 1) if there are no games."""
    if not games:
        return 0.0, 1.0
    rate, z_term = wins / games, _Z * _Z / games
    centre = rate + z_term / 2
    half_width = _Z * sqrt(rate * (1 - rate) / games + z_term / (4 * games))
    return max(0.0, (centre - half_width) / (1 + z_term)), min(
        1.0, (centre + half_width) / (1 + z_term)
    )


def rows(bots: Sequence[str], results: Iterable[ArenaResult]) -> Iterator[ArenaRow]:
    """Yield each pairing's table rows: one per scenario and side, one per scenario, and one for all scenarios.

    A pairing of two bots appears once, from the point of view of the bot listed first.
    """
    groups: dict[tuple[str, str, str, str], list[tuple[ArenaResult, Role]]] = {}
    scenarios = dict[str, None]()
    for played in results:
        scenarios[played.scenario] = None
        for side, name in played.bots.items():
            other_bots = [other for other_side, other in played.bots.items() if other_side != side]
            if len(other_bots) == 1 and bots.index(name) > bots.index(other_bots[0]):
                continue
            against = "+".join(other_bots) or SYSTEM
            row_keys: list[tuple[str, str]] = [(played.scenario, side)]
            if other_bots and name not in other_bots:
                row_keys.append((played.scenario, ALL))
            if name not in other_bots:
                row_keys.append((ALL, ALL))
            for place in row_keys:
                groups.setdefault((*place, name, against), []).append((played, side))
    order = list(groups)
    row_scenarios = [*scenarios, *([ALL] if len(scenarios) > 1 else [])]
    for scenario in row_scenarios:
        scenario_keys = [key for key in order if key[0] == scenario]
        for key in sorted(
            scenario_keys, key=lambda key: (bots.index(key[2]), key[3], key[1] == ALL)
        ):
            yield _row(*key, groups[key])


def _row(
    scenario: str, side: str, name: str, against: str, played: Sequence[tuple[ArenaResult, Role]]
) -> ArenaRow:
    finished = [(result, side_name) for result, side_name in played if result.winner]
    wins = sum(result.winner == side_name for result, side_name in finished)
    draws = sum(result.winner == "nobody" for result, _ in finished)
    lost_to_game = sum(result.winner == "game" for result, _ in finished)
    low, high = wilson(wins, len(finished))
    levels = Counter(f"{result.winner} {result.level}".strip() for result, _ in finished)
    return ArenaRow(
        scenario=scenario,
        side=side,
        bot=name,
        against=against,
        games=len(finished),
        wins=wins,
        draws=draws,
        losses=len(finished) - wins - draws - lost_to_game,
        lost_to_game=lost_to_game,
        unfinished=len(played) - len(finished),
        levels=dict(sorted(levels.items())) if any(result.level for result, _ in finished) else {},
        rate=wins / len(finished) if finished else 0.0,
        low=low,
        high=high,
        commands=sum(result.commands for result, _ in played) / len(played),
        seconds=sum(result.seconds for result, _ in played) / len(played),
        points=_points([result.score for result, _ in finished]),
    )


def _points(scores: Sequence[int | None]) -> tuple[float, float] | None:
    """Return mean victory points and their standard error; None if any game has no score."""
    known_scores = [score for score in scores if score is not None]
    if not known_scores or len(known_scores) < len(scores):
        return None
    mean = sum(known_scores) / len(known_scores)
    variance = sum((score - mean) ** 2 for score in known_scores) / max(len(known_scores) - 1, 1)
    return mean, sqrt(variance / len(known_scores))


def as_text(table: Sequence[ArenaRow]) -> str:
    """Return the table for a terminal. Columns for lost and unfinished games are omitted if they contain only zeros."""
    lines = [
        {
            "scenario": row.scenario,
            "side": row.side,
            "bot": row.bot,
            "against": row.against,
            "games": str(row.games),
            "wins": str(row.wins),
            "draws": str(row.draws),
            "losses": str(row.losses),
            "lost to game": str(row.lost_to_game),
            "unfinished": str(row.unfinished),
            "win rate": f"{row.rate:.1%}",
            "95 % interval": f"{row.low:.1%} to {row.high:.1%}",
            "commands": f"{row.commands:.0f}",
            "seconds": f"{row.seconds:.2f}",
        }
        for row in table
    ]
    hidden_columns = {
        name for name in ("lost to game", "unfinished") if all(line[name] == "0" for line in lines)
    }
    columns = [name for name in lines[0] if name not in hidden_columns] if lines else []
    widths = {name: max(len(name), *(len(line[name]) for line in lines)) for name in columns}
    text_columns = {"scenario", "side", "bot", "against"}
    formatted = (
        "  ".join(
            line[name].ljust(widths[name])
            if name in text_columns
            else line[name].rjust(widths[name])
            for name in columns
        ).rstrip()
        for line in ({name: name for name in columns}, *lines)
    )
    return "\n".join([*formatted, *_level_lines(table)])


def _level_lines(table: Sequence[ArenaRow]) -> Iterator[str]:
    """Yield lines with the degrees of victory in solitaire games, where a win rate alone says little."""
    for row in table:
        if row.against == SYSTEM and row.levels:
            counts = ", ".join(f"{level} {count}" for level, count in row.levels.items())
            yield f"{row.scenario}, {row.bot}: {counts}"
            if row.points is not None:
                mean, error = row.points
                yield f"{row.scenario}, {row.bot}: {mean:.1f} victory points, standard error {error:.1f}"
