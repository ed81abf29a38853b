"""Evaluates Quartermaster General positions with hand-tuned values for future points, pieces, threats and reach."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from engine.qmg.atlas import STARS, bits
from engine.qmg.board import Board
from engine.qmg.board_analysis import BoardAnalysis, changes_from_statuses
from engine.qmg.ch12_victory import SOLE, space_points
from engine.qmg.deck import CARD, Ability
from engine.qmg.deck_steps import GainVp, If, Steps
from engine.qmg.ids import (
    AIR,
    ARMY,
    AXIS,
    COUNTRIES,
    DECIDER,
    FORCE_INDEX,
    FORCES,
    NAVY,
    ROUNDS,
    TEAM_BY_FORCE,
    TEAMS,
    other_team,
)
from engine.qmg.position import board_from_pieces
from engine.qmg.rulings import STRICT_NAVY_LINKS
from engine.qmg.terms import PublicContext, is_condition_met, resolve_amount
from engine.qmg.view import QmgView

PERSISTENCE: Final = 0.85
"""Probability that a source of points still scores one turn later."""
BEFORE_SCORING: Final = ("", "play", "air", "supply")
"""Steps of a turn that come before the Victory step."""
PIECE_VALUE: Final = {ARMY: 0.3, NAVY: 0.24, AIR: 0.28}
"""Value of a supplied piece, in points per turn."""
UNSUPPLIED_FRACTION: Final = 0.15
"""Fraction of a piece's value that is left while the piece is out of supply."""
THREATENED_RISK: Final = 0.24
"""Fraction of a piece's value that is lost next to a supplied enemy piece."""
COVERED_RISK_FACTOR: Final = 0.4
"""Fraction of the risk that remains if an Air Force is in a threatened piece's space (13.5)."""
HOME_RISK: Final = 0.16
OPEN_HOME_RISK: Final = 0.4
"""Fraction of a country's points that is at risk while an enemy piece is next to its Home.

The first value applies if one of its Armies is in the Home, the second if there is none.
"""
REACH_EMPTY: Final = (0.0, 0.22, 0.09, 0.04)
REACH_ENEMY: Final = (0.0, 0.12, 0.06, 0.03)
"""Fraction of a star's value that counts, by the force's distance from the star, from 0 to 3.

The first tuple applies to an empty star, the second to a star with an enemy Army.
"""
CACHED_POSITIONS: Final = 2_000
"""Maximum number of positions cached per evaluator."""
CACHED_MEASURES: Final = 24
"""Maximum number of cached evaluators. There is one for each combination of Statuses and remaining turns."""


def turns_left(view: QmgView, country: str) -> int:
    """Return the number of Victory steps that a country still has before the game ends."""
    if not view.active:
        return ROUNDS
    index, active_index = FORCE_INDEX[country], FORCE_INDEX[view.active]
    is_coming = index > active_index or (index == active_index and view.step in BEFORE_SCORING)
    return ROUNDS - view.round + is_coming


def discounted_turns(turns: int) -> float:
    """Return the expected points over the given number of turns from a source of one point per turn."""
    return float((1 - PERSISTENCE**turns) / (1 - PERSISTENCE))


class PositionEvaluator:
    """Evaluates positions, using the Statuses and the remaining time in one view."""

    def __init__(self, view: QmgView) -> None:
        """Read the Statuses, the remaining time and the rulings from the view."""
        self.board = board_from_pieces(view.pieces)
        self.active_country = view.active or COUNTRIES[0]
        self._board_evaluator = _cached_measure(
            tuple(view.countries[country].statuses for country in COUNTRIES),
            self.active_country,
            tuple(turns_left(view, DECIDER[force]) for force in FORCES),
            is_strict=STRICT_NAVY_LINKS.uses_alternative(view.options),
        )
        self.horizon = self._board_evaluator.horizon
        self.changes = self._board_evaluator.changes

    @property
    def cache_key(self) -> object:
        """Return a key for the Statuses and the remaining time.

        Together with a board, this key determines the evaluation.
        """
        return self._board_evaluator

    def analysis(self, board: Board) -> BoardAnalysis:
        """Return the analysis of a board."""
        return self._board_evaluator.analysis(board)

    def advantage(self, board: Board, team: str = AXIS) -> float:
        """Return a team's advantage over the other team in a position, in future points."""
        advantage = self._board_evaluator.axis_advantage(board)
        return advantage if team == AXIS else -advantage


@lru_cache(maxsize=CACHED_MEASURES)
def _cached_measure(
    statuses: tuple[tuple[str, ...], ...],
    active_team: str,
    turns: tuple[int, ...],
    *,
    is_strict: bool,
) -> "_BoardEvaluator":
    """Return a board evaluator.

    It is cached, because a look-ahead evaluates many views with the same Statuses and turn.
    """
    return _BoardEvaluator(statuses, active_team, turns, is_strict=is_strict)


class _BoardEvaluator:
    """Evaluates boards with given Statuses and remaining turns."""

    def __init__(
        self,
        statuses: tuple[tuple[str, ...], ...],
        active_team: str,
        turns: tuple[int, ...],
        *,
        is_strict: bool,
    ) -> None:
        self.active_team = active_team
        self.horizon: Mapping[str, float] = {
            force: discounted_turns(count) for force, count in zip(FORCES, turns, strict=True)
        }
        self.changes = changes_from_statuses(statuses, active_team)
        self._is_strict = is_strict
        self._bonuses = tuple(
            (country, ability)
            for country, table in zip(COUNTRIES, statuses, strict=True)
            for card in table
            for ability in CARD[card].abilities
            if ability.kind == "victory_bonus"
        )
        self._fields: dict[Board, BoardAnalysis] = {}
        self._advantages: dict[Board, float] = {}

    def analysis(self, board: Board) -> BoardAnalysis:
        """Return the analysis of a board."""
        analysis = self._fields.get(board)
        if analysis is None:
            if len(self._fields) > CACHED_POSITIONS:
                self._fields.clear()
            analysis = self._fields[board] = BoardAnalysis(
                board, self.changes, (), is_strict=self._is_strict
            )
        return analysis

    def axis_advantage(self, board: Board) -> float:
        """Return the Axis's advantage in a position."""
        advantage = self._advantages.get(board)
        if advantage is None:
            if len(self._advantages) > CACHED_POSITIONS:
                self._advantages.clear()
            advantage = self._advantages[board] = self._evaluate(self.analysis(board))
        return advantage

    def _evaluate(self, analysis: BoardAnalysis) -> float:
        reached_spaces_by_team = {team: reachable_spaces(analysis, team) for team in TEAMS}
        rings = {team: _star_rings(analysis.adjacent_spaces(team)) for team in TEAMS}
        value = 0.0
        for force in FORCES:
            team = TEAM_BY_FORCE[force]
            part_value = self._force_value(
                analysis, force, reached_spaces_by_team[other_team(team)], rings[team]
            )
            value += part_value if team == AXIS else -part_value
        for country, ability in self._bonuses:
            part_value = self.horizon[country] * status_bonus(
                analysis, country, ability, self.active_team
            )
            value += part_value if TEAM_BY_FORCE[country] == AXIS else -part_value
        return value

    def _force_value(
        self, analysis: BoardAnalysis, force: str, threat: int, rings: "Rings"
    ) -> float:
        """Return the value of a force's pieces, points and reach."""
        board, index, team = analysis.board, FORCE_INDEX[force], TEAM_BY_FORCE[force]
        army, navy, air = board.army[index], board.navy[index], board.air[index]
        if not army | navy:
            return 0.0
        fed_army, fed_navy = analysis.supplied_spaces(force)
        enemy = analysis.team_army[other_team(team)]
        home = analysis.home_spaces(force)
        points = 0 if home & enemy else space_points(analysis, force)
        exposed_pieces = threat & ~air
        supplied_stars = army & analysis.supply_spaces(force)
        risk = (supplied_stars & exposed_pieces).bit_count() + COVERED_RISK_FACTOR * (
            supplied_stars & threat & air
        ).bit_count()
        value = points - (THREATENED_RISK * SOLE * risk if points else 0.0)
        value += PIECE_VALUE[ARMY] * _weighted_pieces(army, fed_army, threat, air)
        value += PIECE_VALUE[NAVY] * _weighted_pieces(navy, fed_navy, threat, air)
        value += PIECE_VALUE[AIR] * air.bit_count()
        if points and home & threat:
            value -= points * (HOME_RISK if home & army else OPEN_HOME_RISK)
        value += SOLE * _weighted_stars(analysis, force, fed_army | fed_navy, rings)
        return value * self.horizon[force]


def _weighted_pieces(pieces: int, supplied_spaces: int, threat: int, air: int) -> float:
    """Return the total weight of a force's pieces. Pieces that are out of supply or under threat count less."""
    at_risk = supplied_spaces & threat
    risk = (at_risk & ~air).bit_count() + COVERED_RISK_FACTOR * (at_risk & air).bit_count()
    return (
        supplied_spaces.bit_count()
        + UNSUPPLIED_FRACTION * (pieces & ~supplied_spaces).bit_count()
        - THREATENED_RISK * risk
    )


def reachable_spaces(analysis: BoardAnalysis, team: str) -> int:
    """Return the spaces next to a supplied piece of a team."""
    supplied_spaces = 0
    for force in FORCES:
        if TEAM_BY_FORCE[force] == team:
            army, navy = analysis.supplied_spaces(force)
            supplied_spaces |= army | navy
    return analysis.adjacent_to_any(team, supplied_spaces)


Rings = tuple[tuple[int, tuple[int, ...]], ...]
"""The spaces at distances 1, 2 and 3 from each star."""


@lru_cache(maxsize=64)
def _star_rings(adjacency: tuple[int, ...]) -> Rings:
    """Return the spaces around each star. The result is cached, because only a few sets of borders occur."""
    star_rings = []
    for star in bits(STARS):
        visited_bits, frontier, rings = 1 << star, 1 << star, []
        for _ in REACH_EMPTY[1:]:
            next_frontier = 0
            for space in bits(frontier):
                next_frontier |= adjacency[space]
            frontier = next_frontier & ~visited_bits
            visited_bits |= frontier
            rings.append(frontier)
        star_rings.append((1 << star, tuple(rings)))
    return tuple(star_rings)


def _weighted_stars(
    analysis: BoardAnalysis, force: str, supplied_spaces: int, rings: Rings
) -> float:
    """Return how many stars the force may take in the coming turns, weighted by their distance."""
    team = TEAM_BY_FORCE[force]
    own, enemy = analysis.team_army[team], analysis.team_army[other_team(team)]
    open_stars = analysis.supply_spaces(force) & ~own
    total = 0.0
    for star, star_ring in rings:
        if not star & open_stars:
            continue
        parts = REACH_ENEMY if star & enemy else REACH_EMPTY
        for distance, ring in enumerate(star_ring, start=1):
            if ring & supplied_spaces:
                total += parts[distance]
                break
    return total


def status_bonus(
    analysis: BoardAnalysis, country: str, ability: Ability, active_team: str
) -> float:
    """Return the points that a Status would score on a board in the Victory step (12.1)."""
    home = analysis.home_spaces(country)
    if home & analysis.team_army[other_team(TEAM_BY_FORCE[country])]:
        return 0.0
    context = PublicContext(analysis=analysis, owner=country, active=active_team)
    return (
        float(_points_gained(ability.steps, context))
        if is_condition_met(ability.condition, context)
        else 0.0
    )


def _points_gained(steps: Steps, context: PublicContext) -> int:
    points = 0
    for step in steps:
        if isinstance(step, GainVp):
            points += resolve_amount(step.amount, context)
        elif isinstance(step, If) and is_condition_met(step.condition, context):
            points += _points_gained(step.steps, context)
    return points
