"""Explains the score of Empire of the Sun: Japanese victory points, or US Political Will in a campaign (16, 17)."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final

from typing_extensions import override

from engine.eots.ch16_victory.score import conditions, is_port_control, levels, score, total_points
from engine.eots.combined_sentences import NationWillMerger
from engine.eots.deck import cards as deck
from engine.eots.events.base import EotsEvent
from engine.eots.events.tracks import PoliticalWillMoved
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.prose import ADJECTIVES, WILL
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.eots.victory_terms import Level, SouthPacificVictory
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.scoring import ScoreBand, ScoreCurve, ScoreEntry, ScoreScale, ScoreSide, Scoring
from engine.kernel.sentences import count_noun

ALLIED: Final = Role(Side.ALLIED)
JAPAN: Final = Role(Side.JAPAN)
_WILL_RULE: Final = "16.1"


class EotsScoring(Scoring[State, EotsEvent]):
    """Japanese victory points by condition or, in a campaign, US Political Will by cause."""

    sides = (
        ScoreSide(id=ALLIED, name="the Allies", adjective=ADJECTIVES[Side.ALLIED]),
        ScoreSide(id=JAPAN, name="Japan", adjective=ADJECTIVES[Side.JAPAN]),
    )
    battle_tags: ClassVar = frozenset({"battle-began"})
    loss_tags: ClassVar = frozenset({"step-lost", "unit-eliminated"})
    gain_tags: ClassVar = frozenset({"political-will-moved"})

    @override
    def scale(self, state: State) -> ScoreScale:
        if _counts_will(state):
            return ScoreScale(
                title="US Political Will",
                step="card",
                curves=(ScoreCurve(name="US Political Will"),),
                bands=(
                    ScoreBand(least=None, most=0, text="Japanese victory (16.1)", winner=JAPAN),
                    ScoreBand(least=1, most=None, text="The war goes on", winner=None),
                ),
                high=ALLIED,
            )
        if is_port_control(state):
            title = "Lead of Japan in ports and resource hexes"
            return ScoreScale(
                title=title,
                step="card",
                curves=(ScoreCurve(name=title),),
                bands=_port_bands(state),
                high=JAPAN,
            )
        title = "Japanese victory points"
        return ScoreScale(
            title=title,
            step="card",
            curves=(ScoreCurve(name=title),),
            bands=tuple(sorted(map(_band, levels(state.scenario)), key=_min_score)),
            high=JAPAN,
        )

    @override
    def moment(self, state: State) -> Hashable:
        political_will = state.tracks.political_will if _counts_will(state) else None
        # In December 1941 the marker is not on the track until Japan has attacked.
        if political_will == 0 and state.outcome is None:
            return None
        used_count = sum(len(cards.discard) + len(cards.removed) for cards in state.decks.values())
        return state.turn, used_count, political_will

    @override
    def values(self, state: State) -> tuple[int, ...]:
        return (state.tracks.political_will if _counts_will(state) else total_points(state),)

    @override
    def entries(self, state: State) -> tuple[ScoreEntry, ...]:
        rule = str(scenario(ScenarioId(state.scenario)).victory.rule)
        return tuple(
            ScoreEntry(
                key=f"{line.id} {JAPAN if line.points > 0 else ALLIED}",
                text=line.text[0].upper() + line.text[1:],
                rule=f"{rule} {line.id}" if len(line.id) == 1 else rule,
                points=line.points,
                side=JAPAN if line.points > 0 else ALLIED,
            )
            for line in score(state)
            if line.points
        )

    @override
    def has_gains(self, state: State) -> bool:
        return _counts_will(state)

    @override
    def gain(
        self, events: Sequence[EotsEvent], index: int, values: Sequence[int]
    ) -> ScoreEntry | None:
        event = events[index]
        if not isinstance(event, PoliticalWillMoved) or values[0] in (0, event.to):
            return None
        nations = NationWillMerger()
        cause = [nations.cause(event_before) for event_before in events[: index + 1]][-1]
        card = deck().get(CardId(event.rule))
        text = cause or (WILL.get(event.rule, "other causes") if card is None else card.title)
        points = event.to - values[0]
        return ScoreEntry(
            key=f"{event.rule} {text} {points > 0}",
            text=text[0].upper() + text[1:],
            rule=str(event.rule),
            points=points,
            side=ALLIED if points > 0 else JAPAN,
        )

    @override
    def detail(self, state: State, outcome: Outcome) -> str:
        if _counts_will(state):
            return f"US Political Will {state.tracks.political_will}: {outcome.reason}"
        suffix = f"after turn {state.turn}"
        if outcome.score is None:
            return f"{outcome.reason}. {count_noun(total_points(state), 'Japanese victory point')} {suffix}"
        if is_port_control(state):
            return outcome.reason
        rule = scenario(ScenarioId(state.scenario)).victory.rule
        return f"{count_noun(outcome.score, 'Japanese victory point')} {suffix} ({rule})"


SCORING: Final = EotsScoring()
"""The only instance of the class."""


def _counts_will(state: State) -> bool:
    """Return whether the scenario has no victory points, so that the score is US Political Will."""
    return not conditions(state.scenario)


def _band(level: Level) -> ScoreBand:
    side, _, degree = level.result.partition("-")
    return ScoreBand(
        least=level.minimum,
        most=level.maximum,
        text=f"{ADJECTIVES[Side(side)]} {degree} victory",
        winner=Role(Side(side)),
        is_decisive=degree == "decisive",
    )


def _min_score(band: ScoreBand) -> int:
    return -1_000 if band.least is None else band.least


def _port_bands(state: State) -> tuple[ScoreBand, ...]:
    victory: Any = scenario(ScenarioId(state.scenario)).victory
    assert isinstance(victory, SouthPacificVictory), "only this scenario is decided by ports"
    margin = victory.port_control.allied_margin
    return (
        ScoreBand(least=None, most=-margin, text="Allied victory", winner=ALLIED),
        ScoreBand(least=1 - margin, most=None, text="Japanese victory", winner=JAPAN),
    )
