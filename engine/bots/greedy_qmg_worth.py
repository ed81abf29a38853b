"""Evaluates Quartermaster General positions by hand-made values: future points, pieces, threats and reach."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from engine.qmg.atlas import STARS, bits
from engine.qmg.board import Board
from engine.qmg.board_analysis import BoardAnalysis, changes_of
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
    TEAM_OF,
    TEAMS,
    other_team,
)
from engine.qmg.position import board_of
from engine.qmg.rulings import STRICT_NAVY_LINKS
from engine.qmg.terms import Scene, amount_of, holds
from engine.qmg.view import QmgView

KEPT: Final = 0.85
"""Probability that whatever scores now still scores one turn later."""
BEFORE_SCORING: Final = ("", "play", "air", "supply")
"""Steps of a turn before its Victory step."""
PIECE: Final = {ARMY: 0.3, NAVY: 0.24, AIR: 0.28}
"""Value of a supplied piece, in points per turn."""
UNSUPPLIED: Final = 0.15
"""Fraction of its value that a piece keeps when out of supply."""
RISK: Final = 0.24
"""Fraction of its value that a piece loses next to a supplied enemy piece."""
COVERED: Final = 0.4
"""Fraction of that risk that remains with an Air Force in the space (13.5)."""
HOME_RISK: Final = 0.16
OPEN_HOME_RISK: Final = 0.4
"""Fraction of a country's points at risk from an enemy next to its Home, with and without a friendly Army there."""
REACH_EMPTY: Final = (0.0, 0.22, 0.09, 0.04)
REACH_ENEMY: Final = (0.0, 0.12, 0.06, 0.03)
"""Fraction of a star's value by the force's distance from it, up to 3, without and with an enemy Army there."""
MEMORY: Final = 2_000
"""Maximum number of positions cached per moment."""
MEASURES: Final = 24
"""Maximum number of cached moments."""


def turns_left(view: QmgView, country: str) -> int:
    """Return the number of Victory steps that a country still has."""
    if not view.active:
        return ROUNDS
    at, now = FORCE_INDEX[country], FORCE_INDEX[view.active]
    is_coming = at > now or (at == now and view.step in BEFORE_SCORING)
    return ROUNDS - view.round + is_coming


def horizon(turns: int) -> float:
    """Return the total expected value of one point per turn over a number of turns."""
    return float((1 - KEPT**turns) / (1 - KEPT))


class PositionEvaluator:
    """Evaluates positions with the rule changes and the remaining time of one view."""

    def __init__(self, view: QmgView) -> None:
        """Read from the view the data on which the evaluation depends."""
        self.board = board_of(view.pieces)
        self.active = view.active or COUNTRIES[0]
        self._measure = _measure(
            tuple(view.countries[country].statuses for country in COUNTRIES),
            self.active,
            tuple(turns_left(view, DECIDER[force]) for force in FORCES),
            strict=STRICT_NAVY_LINKS.uses_alternative(view.options),
        )
        self.horizon = self._measure.horizon
        self.changes = self._measure.changes

    @property
    def moment(self) -> object:
        """Return a key that, together with a board, determines the evaluation: the Statuses and the remaining time."""
        return self._measure

    def field(self, board: Board) -> BoardAnalysis:
        """Return the analysis of a board."""
        return self._measure.field(board)

    def worth(self, board: Board, team: str = AXIS) -> float:
        """Return a team's advantage over the other in a position, in future points."""
        found = self._measure.worth(board)
        return found if team == AXIS else -found


@lru_cache(maxsize=MEASURES)
def _measure(
    statuses: tuple[tuple[str, ...], ...], active: str, turns: tuple[int, ...], *, strict: bool
) -> "_Measure":
    """Return the evaluator for a moment. It is cached because a look-ahead evaluates many views of the same moment."""
    return _Measure(statuses, active, turns, strict=strict)


class _Measure:
    """Evaluates boards for given Statuses and remaining turns."""

    def __init__(
        self,
        statuses: tuple[tuple[str, ...], ...],
        active: str,
        turns: tuple[int, ...],
        *,
        strict: bool,
    ) -> None:
        self.active = active
        self.horizon: Mapping[str, float] = {
            force: horizon(left) for force, left in zip(FORCES, turns, strict=True)
        }
        self.changes = changes_of(statuses, active)
        self._strict = strict
        self._bonuses = tuple(
            (country, ability)
            for country, table in zip(COUNTRIES, statuses, strict=True)
            for card in table
            for ability in CARD[card].abilities
            if ability.kind == "victory_bonus"
        )
        self._fields: dict[Board, BoardAnalysis] = {}
        self._worth: dict[Board, float] = {}

    def field(self, board: Board) -> BoardAnalysis:
        """Return the analysis of a board."""
        found = self._fields.get(board)
        if found is None:
            if len(self._fields) > MEMORY:
                self._fields.clear()
            found = self._fields[board] = BoardAnalysis(
                board, self.changes, (), strict=self._strict
            )
        return found

    def worth(self, board: Board) -> float:
        """Return the Axis's advantage in a position."""
        found = self._worth.get(board)
        if found is None:
            found = self._worth[board] = self._judged(self.field(board))
        return found

    def _judged(self, now: BoardAnalysis) -> float:
        reach = {team: reached(now, team) for team in TEAMS}
        rings = {team: _rings(now.adjacent(team)) for team in TEAMS}
        value = 0.0
        for force in FORCES:
            team = TEAM_OF[force]
            part = self._force(now, force, reach[other_team(team)], rings[team])
            value += part if team == AXIS else -part
        for country, ability in self._bonuses:
            part = self.horizon[country] * bonus(now, country, ability, self.active)
            value += part if TEAM_OF[country] == AXIS else -part
        return value

    def _force(self, now: BoardAnalysis, force: str, threat: int, rings: "Rings") -> float:
        """Return the value of a force's pieces, points and reach."""
        board, at, team = now.board, FORCE_INDEX[force], TEAM_OF[force]
        army, navy, air = board.army[at], board.navy[at], board.air[at]
        if not army | navy:
            return 0.0
        fed_army, fed_navy = now.supplied(force)
        enemy = now.team_army[other_team(team)]
        home = now.homes(force)
        points = 0 if home & enemy else space_points(now, force)
        exposed = threat & ~air
        held = army & now.stars(force)
        risk = (held & exposed).bit_count() + COVERED * (held & threat & air).bit_count()
        value = points - (RISK * SOLE * risk if points else 0.0)
        value += PIECE[ARMY] * _safe(army, fed_army, threat, air)
        value += PIECE[NAVY] * _safe(navy, fed_navy, threat, air)
        value += PIECE[AIR] * air.bit_count()
        if points and home & threat:
            value -= points * (HOME_RISK if home & army else OPEN_HOME_RISK)
        value += SOLE * _potential(now, force, fed_army | fed_navy, rings)
        return value * self.horizon[force]


def _safe(pieces: int, fed: int, threat: int, air: int) -> float:
    """Return the weighted number of pieces. Those out of supply or under threat count less."""
    at_risk = fed & threat
    risk = (at_risk & ~air).bit_count() + COVERED * (at_risk & air).bit_count()
    return fed.bit_count() + UNSUPPLIED * (pieces & ~fed).bit_count() - RISK * risk


def reached(now: BoardAnalysis, team: str) -> int:
    """Return the spaces next to a supplied piece of a team."""
    fed = 0
    for force in FORCES:
        if TEAM_OF[force] == team:
            army, navy = now.supplied(force)
            fed |= army | navy
    return now.around(team, fed)


Rings = tuple[tuple[int, tuple[int, ...]], ...]
"""Every star, with the spaces at distances of 1, 2 and 3."""


@lru_cache(maxsize=64)
def _rings(near: tuple[int, ...]) -> Rings:
    """Return the surroundings of the stars. They are cached because there are few different sets of borders."""
    found = []
    for star in bits(STARS):
        seen, edge, rings = 1 << star, 1 << star, []
        for _ in REACH_EMPTY[1:]:
            wider = 0
            for at in bits(edge):
                wider |= near[at]
            edge = wider & ~seen
            seen |= edge
            rings.append(edge)
        found.append((1 << star, tuple(rings)))
    return tuple(found)


def _potential(now: BoardAnalysis, force: str, fed: int, rings: Rings) -> float:
    """Return the weighted number of stars that the force may take in the next turns."""
    team = TEAM_OF[force]
    own, enemy = now.team_army[team], now.team_army[other_team(team)]
    wanted = now.stars(force) & ~own
    found = 0.0
    for star, around in rings:
        if not star & wanted:
            continue
        parts = REACH_ENEMY if star & enemy else REACH_EMPTY
        for distance, ring in enumerate(around, start=1):
            if ring & fed:
                found += parts[distance]
                break
    return found


def bonus(now: BoardAnalysis, country: str, ability: Ability, active: str) -> float:
    """Return the points that a Status scores on a board in the Victory step (12.1)."""
    home = now.homes(country)
    if home & now.team_army[other_team(TEAM_OF[country])]:
        return 0.0
    at = Scene(field=now, owner=country, active=active)
    return float(_gains(ability.steps, at)) if holds(ability.condition, at) else 0.0


def _gains(steps: Steps, at: Scene) -> int:
    found = 0
    for step in steps:
        if isinstance(step, GainVp):
            found += amount_of(step.amount, at)
        elif isinstance(step, If) and holds(step.condition, at):
            found += _gains(step.steps, at)
    return found
