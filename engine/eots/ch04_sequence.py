"""The course of a turn: segments in their order, initiative, end of turn (4.1, 4.2, 4.3, 4.4, 4.5)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch05_cards.checks import check_event
from engine.eots.ch05_cards.playing import start_offensive
from engine.eots.ch06_supply.attrition import apply_attrition
from engine.eots.ch07_offensive.reaction_cards import may_use_future
from engine.eots.ch10_reinforcements import begin_reinforcements
from engine.eots.ch11_replacements import begin_replacements
from engine.eots.ch12_strategic_warfare import begin_strategic_warfare, deal
from engine.eots.ch13_nations.national_status import begin_national_status
from engine.eots.ch16_victory.judgement import judge_end_of_turn, score_occupations
from engine.eots.ch16_victory.will import begin_political_will
from engine.eots.ch17_opening import begin_opening
from engine.eots.commands import EotsCommand, OperationsOffensive, Pass, PlayEvent
from engine.eots.deck import cards
from engine.eots.events.cards import DeckReshuffled
from engine.eots.events.flow import GameEnded, TurnBegan
from engine.eots.flow import EotsDecision, EotsLedger, Handler, enter, leave, replace_top
from engine.eots.frames import CardPlayFrame, InitiativeFrame, Phase, TurnFrame
from engine.eots.ids import CardId, Side
from engine.eots.state import HIDDEN, State
from engine.kernel.decision import Decision
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule

PHASES: Final = tuple(Phase)
LAST_JAPANESE_INITIATIVE: Final = 4
"""Ties go to Japan up to turn 4 (1942), to the Allies later (4.21)."""


def first_player(state: State) -> Side:
    """Return who plays first: the larger hand, on equal hands Japan in 1941 and 1942, else the Allies (4.21)."""
    japan, allied = len(state.decks[Side.JAPAN].hand), len(state.decks[Side.ALLIED].hand)
    if japan == allied:
        return Side.JAPAN if state.turn <= LAST_JAPANESE_INITIATIVE else Side.ALLIED
    return Side.JAPAN if japan > allied else Side.ALLIED


def seizer(state: State) -> Side | None:
    """Return the side that may seize the first play, as far as everybody knows (4.21, 7.29A, OP-12)."""
    if len(state.decks[Side.JAPAN].hand) == len(state.decks[Side.ALLIED].hand):
        return None
    side = first_player(state).enemy
    return side if may_use_future(state, side) else None


class TurnHandler(Handler[TurnFrame]):
    """Run the segments one after the other (4.1-4.5)."""

    frame = TurnFrame

    def asked(self, state: State, frame: TurnFrame) -> tuple[Side, ...]:
        """Ask nobody; the segments push their own frames."""
        del state, frame
        return ()

    def decision(self, state: State, frame: TurnFrame, side: Side) -> EotsDecision:
        """Never called, since nobody is asked."""
        raise AssertionError(frame, side, state.turn)

    def resolve(
        self, ledger: EotsLedger, frame: TurnFrame, side: Side, command: EotsCommand, dice: Dice
    ) -> None:
        """Never called, since nobody is asked."""
        raise AssertionError(frame, side, command)

    def step(self, ledger: EotsLedger, frame: TurnFrame, dice: Dice) -> None:
        """Begin the segment, or go on to the next one when it is over."""
        if frame.entered:
            replace_top(ledger, TurnFrame(phase=PHASES[PHASES.index(frame.phase) + 1]))
            return
        if frame.phase is not Phase.END_OF_TURN:
            replace_top(ledger, TurnFrame(phase=frame.phase, entered=True))
        self._begin(ledger, frame.phase, dice)

    def _begin(self, ledger: EotsLedger, phase: Phase, dice: Dice) -> None:
        match phase:
            case Phase.REINFORCEMENT:
                begin_reinforcements(ledger, dice)
            case Phase.REPLACEMENT:
                begin_replacements(ledger, dice)
            case Phase.STRATEGIC_WARFARE:
                begin_strategic_warfare(ledger, dice)
            case Phase.DEAL:
                deal(ledger, dice)
            case Phase.INITIATIVE:
                side = seizer(ledger.state)
                if side is not None:
                    enter(ledger, InitiativeFrame(side=side))
            case Phase.OFFENSIVES:
                enter(ledger, CardPlayFrame(side=first_player(ledger.state)))
                begin_opening(ledger)
            case Phase.NATIONAL_STATUS:
                begin_national_status(ledger, dice)
            case Phase.POLITICAL_WILL:
                begin_political_will(ledger, dice)
            case Phase.ATTRITION:
                apply_attrition(ledger)
            case Phase.END_OF_TURN:
                end_turn(ledger)


def end_turn(ledger: EotsLedger) -> None:
    """Judge victory, reshuffle where ordered, advance the turn (4.5)."""
    score_occupations(ledger)
    outcome = judge_end_of_turn(ledger.state)
    if outcome is not None:
        ledger.add(GameEnded(outcome=outcome))
        return
    for side in Side:
        deck = ledger.state.decks[side]
        if deck.reshuffle:
            ledger.add(DeckReshuffled(rule=Rule("5.37"), side=side, cards=deck.discard))
    ledger.add(TurnBegan(turn=ledger.state.turn + 1))
    replace_top(ledger, TurnFrame(phase=Phase.REINFORCEMENT))


def check_seize(state: State, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield why the first play cannot be seized with a card (4.21, 7.29A)."""
    if state.decks[side].future != name or name == HIDDEN:
        yield Refusal(Rule("7.29A"), f"{name} is not your future offensives card")
        return
    if not cards()[name].offensive:
        yield Refusal(Rule("7.29A"), f"{name} has no EC offensive")
    yield from check_event(state, side, name)


class InitiativeHandler(Handler[InitiativeFrame]):
    """Ask the side with fewer cards whether it seizes the first play (4.21)."""

    frame = InitiativeFrame

    def asked(self, state: State, frame: InitiativeFrame) -> tuple[Side, ...]:
        """Ask once; that a future offensives card lies there is public."""
        del state
        return (frame.side,)

    def decision(self, state: State, frame: InitiativeFrame, side: Side) -> EotsDecision:
        """Offer the card and to decline."""
        name = state.decks[side].future
        usable = name is not None and next(check_seize(state, side, name), None) is None
        options: tuple[EotsCommand, ...] = (
            (PlayEvent(card=CardId(str(name))), Pass()) if usable else (Pass(),)
        )
        prompt = "Seize the first play with your future offensives card?"
        return Decision(
            role=Role(side), rule=Rule("4.21"), prompt=prompt, options=options, default=Pass()
        )

    def resolve(
        self,
        ledger: EotsLedger,
        frame: InitiativeFrame,
        side: Side,
        command: EotsCommand,
        dice: Dice,
    ) -> None:
        """Start the offensive inside the Offensives Segment, or decline."""
        leave(ledger)
        if isinstance(command, PlayEvent):
            replace_top(ledger, TurnFrame(phase=Phase.OFFENSIVES, entered=True))
            enter(ledger, CardPlayFrame(side=side.enemy, played=1))
            start_offensive(ledger, side, command.card, event=True)

    def step(self, ledger: EotsLedger, frame: InitiativeFrame, dice: Dice) -> None:
        """Never called, since the side is always asked."""
        raise AssertionError(frame)

    def why_not(
        self, state: State, frame: InitiativeFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against seizing."""
        if isinstance(command, PlayEvent):
            yield from check_seize(state, side, command.card)
        else:
            if isinstance(command, OperationsOffensive):
                yield Refusal(Rule("7.29A"), "the first play is seized by an EC offensive only")
            yield Refusal(Rule("4.21"), "the first play is being decided now")


HANDLERS: Final = (TurnHandler(), InitiativeHandler())
