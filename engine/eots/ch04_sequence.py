"""The sequence of play: the segments of a turn, initiative and the end of the turn (4.1, 4.2, 4.3, 4.4, 4.5)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.ch05_cards.checks import event_refusals
from engine.eots.ch05_cards.playing import start_offensive
from engine.eots.ch06_supply.attrition import apply_attrition
from engine.eots.ch07_offensive.reaction_cards import can_use_future
from engine.eots.ch10_reinforcements import begin_reinforcements
from engine.eots.ch11_replacements import begin_replacements
from engine.eots.ch12_deal import deal_turn_hands
from engine.eots.ch12_strategic_warfare import begin_strategic_warfare
from engine.eots.ch13_nations.national_status import begin_national_status
from engine.eots.ch16_victory.judgement import (
    judge_at_once,
    judge_end_of_turn,
    score_occupations,
)
from engine.eots.ch16_victory.will import begin_political_will
from engine.eots.ch17_opening import begin_opening
from engine.eots.commands import EotsCommand, OperationsOffensive, Pass, PlayEvent
from engine.eots.deck import cards
from engine.eots.events.cards import DeckReshuffled, DrawPileAdded
from engine.eots.events.flow import GameEnded, TurnBegan
from engine.eots.flow import DecisionHandler, EotsRun, Handler, Naming, PlainAction
from engine.eots.frames import CardPlayFrame, InitiativeFrame, Phase, TurnFrame
from engine.eots.ids import CardId, Side
from engine.eots.rulings import TOJO_RESHUFFLE, TURN_1_ATTRITION
from engine.eots.state import HIDDEN, State
from engine.kernel.ids import Refusal, Rule

PHASES: Final = tuple(Phase)
LAST_JAPANESE_INITIATIVE: Final = 4
"""Last turn of 1942. Japan wins initiative ties through this turn; the Allies win them afterwards (4.21)."""


def first_player(state: State) -> Side:
    """Return the side that plays first: the one with more cards.

    Japan wins ties through 1942, then the Allies (4.21).
    """
    japan, allied = len(state.decks[Side.JAPAN].hand), len(state.decks[Side.ALLIED].hand)
    if japan == allied:
        return Side.JAPAN if state.turn <= LAST_JAPANESE_INITIATIVE else Side.ALLIED
    return Side.JAPAN if japan > allied else Side.ALLIED


def initiative_seizer(state: State) -> Side | None:
    """Return the side that may seize the first play, judged by public information alone (4.21, 7.29A, OP-12).

    None if neither side may.
    """
    if len(state.decks[Side.JAPAN].hand) == len(state.decks[Side.ALLIED].hand):
        return None
    side = first_player(state).enemy
    return side if can_use_future(state, side) else None


class TurnHandler(Handler[TurnFrame]):
    """Runs the segments of a turn in order (4.1-4.5)."""

    frame = TurnFrame

    @override
    def step(self, run: EotsRun, frame: TurnFrame) -> None:
        """Begin the current segment. If it has already been played, move on to the next segment."""
        if frame.entered:
            run.replace_top(TurnFrame(phase=_next_phase(run.state, frame.phase)))
            return
        # Ending the turn replaces this frame with the first segment of the next turn.
        if frame.phase is not Phase.END_OF_TURN:
            run.replace_top(TurnFrame(phase=frame.phase, entered=True))
        self._begin_phase(run, frame.phase)

    def _begin_phase(self, run: EotsRun, phase: Phase) -> None:
        match phase:
            case Phase.REINFORCEMENT:
                begin_reinforcements(run)
            case Phase.REPLACEMENT:
                begin_replacements(run)
            case Phase.STRATEGIC_WARFARE:
                begin_strategic_warfare(run)
            case Phase.DEAL:
                deal_turn_hands(run)
            case Phase.INITIATIVE:
                side = initiative_seizer(run.state)
                if side is not None:
                    run.push(InitiativeFrame(side=side))
            case Phase.OFFENSIVES:
                run.push(CardPlayFrame(side=first_player(run.state)))
                begin_opening(run)
            case Phase.NATIONAL_STATUS:
                begin_national_status(run)
            case Phase.POLITICAL_WILL:
                begin_political_will(run)
            case Phase.ATTRITION:
                if has_attrition(run.state):
                    apply_attrition(run)
            case Phase.END_OF_TURN:
                end_turn(run)


def has_attrition(state: State) -> bool:
    """Return whether this turn has an Attrition Phase. December 1941 has none (17.11, DS-1)."""
    return state.turn > 1 or TURN_1_ATTRITION.uses_alternative(state.options)


def _next_phase(state: State, phase: Phase) -> Phase:
    """Return the next segment, skipping the Attrition Phase in turns that have none (4.0, 17.11)."""
    next_phase = PHASES[PHASES.index(phase) + 1]
    return (
        Phase.END_OF_TURN
        if next_phase is Phase.ATTRITION and not has_attrition(state)
        else next_phase
    )


def end_turn(run: EotsRun) -> None:
    """Check for victory, reshuffle decks if required, and advance the turn (4.5)."""
    # The check for victory below counts hexes occupied at the end of this turn.
    score_occupations(run)
    outcome = judge_at_once(run.state) or judge_end_of_turn(run.state)
    if outcome is not None:
        run.add(GameEnded(outcome=outcome))
        return
    for side in Side:
        deck = run.state.decks[side]
        if deck.reshuffle:
            is_separate = TOJO_RESHUFFLE.uses_alternative(run.state.options)
            event_class = DrawPileAdded if is_separate else DeckReshuffled
            run.add(event_class(rule=Rule("5.37"), side=side, cards=deck.discard))
    run.add(TurnBegan(turn=run.state.turn + 1))
    run.replace_top(TurnFrame(phase=Phase.REINFORCEMENT))


def _future_card(state: State, _frame: InitiativeFrame, side: Side) -> tuple[CardId, ...]:
    name = state.decks[side].future
    return () if name is None else (name,)


def _seizing_refusals(
    state: State, _frame: InitiativeFrame, side: Side, name: CardId
) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot seize the first play (4.21, 7.29A)."""
    # Only a program that knows the card's face can check it.
    if state.decks[side].future != name or name == HIDDEN:
        yield Refusal(Rule("7.29A"), f"{name} is not your future offensives card")
        return
    if not cards()[name].offensive:
        yield Refusal(Rule("7.29A"), f"{name} has no EC offensive")
    yield from event_refusals(state, side, name)


def _seize(run: EotsRun, _frame: InitiativeFrame, side: Side, name: CardId) -> None:
    """Start the card's EC offensive in the Offensives Segment, before the other side plays (4.21, 7.29A)."""
    run.pop()
    run.replace_top(TurnFrame(phase=Phase.OFFENSIVES, entered=True))
    # This is the side's first play, so the other side plays next.
    run.push(CardPlayFrame(side=side.enemy, played=1))
    start_offensive(run, side, name, is_event=True)


class InitiativeHandler(DecisionHandler[InitiativeFrame]):
    """Asks the side with fewer cards whether to seize the first play (4.21)."""

    frame = InitiativeFrame
    rule = Rule("4.21")
    actions = (Naming(PlayEvent, _future_card, _seizing_refusals, _seize), PlainAction(Pass))
    question = "Seize the first play with your future offensives card?"
    wrong_kind_text = "decide first whether to seize the first play"

    @override
    def active_roles(self, state: State, frame: InitiativeFrame) -> tuple[Side, ...]:
        """Return the side that may seize the first play. The existence of its future offensives card is public."""
        return (frame.side,)

    @override
    def wrong_kind(
        self, state: State, frame: InitiativeFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Refuse every other kind of command. An OC offensive is refused with an additional reason."""
        if isinstance(command, OperationsOffensive):
            yield Refusal(Rule("7.29A"), "only an EC offensive can seize the first play")
        yield from super().wrong_kind(state, frame, side, command)


HANDLERS: Final = (TurnHandler(), InitiativeHandler())
