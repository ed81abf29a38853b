"""Explains the score of Carrier Battle: the net victory points and the victory level (15)."""

import re
from collections.abc import Hashable
from typing import ClassVar, Final

from typing_extensions import override

from engine.cbps.damage.ch15_victory import net_points, score_lines, victory_verdict
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.log import turn_name
from engine.cbps.seats import US
from engine.cbps.state import State
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.scoring import (
    ScoreBand,
    ScoreCurve,
    ScoreEntry,
    ScoreScale,
    ScoreSide,
    Scoring,
)
from engine.kernel.sentences import count_noun

_US: Final = Role(US)
_JAPAN: Final = Role("japan")
"""The side of the automatic opponent, which no role plays."""
_RULE: Final = "15.1"
_PLURAL: Final = re.compile(r"(unit|point|submarine)s\b")
_MAX_NAMED: Final = 4
"""Maximum number of sources of points that the verdict names."""
_WINNERS: Final = {"won": _US, "lost": _JAPAN}
_HEADLINES: Final = {"won": "US victory", "lost": "Japanese victory", "drawn": "Draw"}


class CbpsScoring(Scoring[State, CbpsEvent]):
    """Net victory points by source."""

    sides = (
        ScoreSide(id=_US, name="the US", adjective="US"),
        ScoreSide(id=_JAPAN, name="Japan", adjective="Japanese"),
    )
    battle_tags: ClassVar = frozenset(
        {"raid-intercepted", "mission-fought", "hull-hit", "ship-hit"}
    )
    loss_tags: ClassVar = frozenset(
        {"unit-lost", "ship-hit", "cap-lost", "force-hit", "hull-hit", "raid-reduced"}
    )

    @override
    def scale(self, state: State) -> ScoreScale:
        return ScoreScale(
            title="US victory points",
            step="phase",
            curves=(ScoreCurve(name="US victory points"),),
            bands=_bands(state),
            high=_US,
        )

    @override
    def moment(self, state: State) -> Hashable:
        return turn_name(state), state.phase

    @override
    def values(self, state: State) -> tuple[int, ...]:
        return (net_points(state),)

    @override
    def entries(self, state: State) -> tuple[ScoreEntry, ...]:
        return tuple(
            ScoreEntry(
                key=_key(line.label),
                text=line.label,
                rule=_RULE,
                points=line.points,
                side=_US if line.points > 0 else _JAPAN,
            )
            for line in score_lines(state)
            if line.points
        )

    @override
    def headline(self, outcome: Outcome) -> str:
        level, verdict = outcome.level, "won" if outcome.winner else "drawn"
        verdict = "lost" if outcome.is_lost else verdict
        if "victory" in level or "defeat" in level:
            return level[0].upper() + level[1:]
        return _HEADLINES[verdict]

    @override
    def detail(self, state: State, outcome: Outcome) -> str:
        points = net_points(state)
        entries = self.entries(state)
        shown_entries = sorted(entries, key=lambda entry: -abs(entry.points))[:_MAX_NAMED]
        texts = [entry.text for entry in entries if entry in shown_entries]
        if len(entries) > len(shown_entries):
            texts.append(f"{len(entries) - len(shown_entries)} more")
        return count_noun(points, "point") + (f": {', '.join(texts)}" if texts else "")

    @override
    def side_of(self, role: Role | None) -> Role | None:
        """Return the US side, even for spectators, because no other side is played."""
        del role
        return _US


SCORING: Final = CbpsScoring()
"""The only instance."""


def _key(label: str) -> str:
    """Return a score label without its count or damage, so that changed scores keep the same key."""
    count, _, counted_noun = label.partition(" ")
    is_counted = count.lstrip("-").isdigit()
    return _PLURAL.sub(r"\1", counted_noun) if is_counted else label.partition(":")[0]


def _bands(state: State) -> tuple[ScoreBand, ...]:
    victory = state.game_data.scenarios[state.scenario].victory
    columns = victory.levels or state.game_data.charts.victory_levels.columns
    lowest_scores = sorted(level.min for level in columns if level.min is not None)
    bounds: list[tuple[int | None, int | None]] = [
        (least, None if next_lowest is None else next_lowest - 1)
        for least, next_lowest in zip([None, *lowest_scores], [*lowest_scores, None], strict=True)
    ]
    bands = []
    for min_score, max_score in bounds:
        band_value = min_score if min_score is not None else max_score or 0
        level = victory_verdict(state, band_value)
        bands.append(
            ScoreBand(
                least=min_score,
                most=max_score,
                text=level.level_words[0].upper() + level.level_words[1:],
                winner=_WINNERS.get(level.verdict),
                is_decisive=None in (min_score, max_score),
            )
        )
    return tuple(bands)
