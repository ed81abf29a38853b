"""Explains the score of Quartermaster General: both teams' points by country and card (12)."""

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

from typing_extensions import override

from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.scoring import ScoreCurve, ScoreEntry, ScoreScale, ScoreSide, Scoring
from engine.qmg import phrases
from engine.qmg.board_analysis import board_analysis
from engine.qmg.ch12_victory import space_points
from engine.qmg.deck import CARD
from engine.qmg.events import QmgEvent, VpChanged
from engine.qmg.ids import ALLIES, AXIS, FORCES, MEMBERS, TEAM_BY_FORCE, TEAMS, other_team
from engine.qmg.prose import turn_name
from engine.qmg.state import State

_TITLES: Final = {AXIS: "Axis", ALLIES: "Allies"}


class QmgScoring(Scoring[State, QmgEvent]):
    """Explains both teams' points and where they come from."""

    sides = (
        ScoreSide(id=Role(ALLIES), name="the Allies", adjective="Allied"),
        ScoreSide(id=Role(AXIS), name="the Axis", adjective="Axis"),
    )
    battle_tags: ClassVar = frozenset({"battle-fought"})
    loss_tags: ClassVar = frozenset({"piece-removed"})
    gain_tags: ClassVar = frozenset({"vp-changed"})

    @override
    def scale(self, state: State) -> ScoreScale:
        curves = tuple(ScoreCurve(name=_TITLES[team], side=Role(team)) for team in TEAMS)
        return ScoreScale(
            title="Victory points", step="country's turn", curves=curves, high=Role(AXIS)
        )

    @override
    def moment(self, state: State) -> Hashable:
        return turn_name(state)

    @override
    def values(self, state: State) -> tuple[int, ...]:
        return state.vp

    @override
    def advantage(self, state: State) -> int:
        """Return the Axis lead in supply points per round. Battles change these points, but not the score itself."""
        analysis = board_analysis(state)
        totals = {
            team: sum(space_points(analysis, force) for force in MEMBERS[team]) for team in TEAMS
        }
        return totals[AXIS] - totals[ALLIES]

    @override
    def has_gains(self, state: State) -> bool:
        return True

    @override
    def gain(
        self, events: Sequence[QmgEvent], index: int, values: Sequence[int]
    ) -> ScoreEntry | None:
        event = events[index]
        if not isinstance(event, VpChanged):
            return None
        helped_team = event.team if event.amount > 0 else other_team(event.team)
        text, rule = _cause(event)
        return ScoreEntry(
            key=f"{event.team} {event.why} {event.amount > 0}",
            text=text,
            rule=rule,
            points=event.amount,
            side=Role(helped_team),
        )

    @override
    def headline(self, outcome: Outcome) -> str:
        return self.victory_of(outcome.winner)

    @override
    def detail(self, state: State, outcome: Outcome) -> str:
        axis, allies = state.vp
        reason = outcome.reason.partition(": ")[2].partition(";")[0]
        return f"Axis {axis}, Allies {allies}" + (f": {reason}" if reason else "")

    @override
    def side_of(self, role: Role | None) -> Role | None:
        side = super().side_of(role)
        return Role(TEAM_BY_FORCE[role]) if side is None and role in TEAM_BY_FORCE else side


SCORING: Final = QmgScoring()
"""The only instance of :class:`QmgScoring`."""


def _cause(event: VpChanged) -> tuple[str, str]:
    """Return the source of the points and the rule that awards them."""
    team = _TITLES[event.team]
    if event.why in FORCES:
        name = phrases.force_name(event.why)
        return f"Supply spaces of {name}", "12.1"
    if event.why in CARD:
        return phrases.card_title(event.why), "12.1"
    if event.why == "discard-step":
        return f"Nothing discarded ({team})", "8.4"
    return f"Cards missing ({team})", "9.4"
