"""The Play step: exactly one action (8.2)."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg import sayings
from engine.qmg.any_time import any_time_cards, use_any_time
from engine.qmg.ch08_reallocate import can_reallocate, reallocate, why_no_reallocation
from engine.qmg.ch09_cards import copies_once, discard_deck, rightmost
from engine.qmg.ch09_playing import UNPLAYABLE, play_card
from engine.qmg.ch10_answers import Usable, is_usable
from engine.qmg.ch10_windows import why_no_use
from engine.qmg.commands import (
    DiscardTop,
    Drop,
    LosePoint,
    Play,
    QmgCommand,
    Reallocate,
    Use,
)
from engine.qmg.deck import CARD
from engine.qmg.events import (
    VpChanged,
)
from engine.qmg.frames import (
    PlayStepFrame,
    UseFrame,
)
from engine.qmg.ids import (
    FORCE_INDEX,
    HIDDEN,
    STATUS,
    TEAM_OF,
)
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State
from engine.qmg.terms import context


def alternatives(state: State, country: str, barred: Sequence[str] = ()) -> Iterator[Usable]:
    """Yield the Statuses that may be used instead of playing a card (8.2 c)."""
    at = context(state, country)
    for card in state.statuses[FORCE_INDEX[country]]:
        if card in barred:
            continue
        for ability in CARD[card].abilities:
            if ability.kind == "play_alternative" and is_usable(ability, card, STATUS, at):
                yield Usable(card, ability)


class PlayStepHandler(Handler[PlayStepFrame]):
    """Exactly one action (8.2)."""

    frame = PlayStepFrame

    def go(self, run: Run, frame: PlayStepFrame) -> bool:
        """Leave when the action was taken; a cancelled alternative does not count (18.31)."""
        if not frame.using:
            return False
        if frame.using != HIDDEN and run.take().cancelled:
            run.replace(replace(frame, using="", barred=(*frame.barred, frame.using)))
            return True
        run.leave()
        return True

    def asked(self, state: State, frame: PlayStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(self, state: State, frame: PlayStepFrame, role: str) -> QmgDecision:
        """Ask for the action; the default is to discard the rightmost card."""
        cards = state.cards_of(role)
        hand = copies_once(cards.hand)
        options: list[QmgCommand] = [
            Play(card=card) for card in hand if CARD[card].type not in UNPLAYABLE
        ]
        options += [Use(card=each.card) for each in alternatives(state, role, frame.barred)]
        if can_reallocate(state, role):
            options.append(Reallocate())
        options += [Use(card=card) for card in any_time_cards(state, role)]
        options += [Drop(card=card) for card in hand]
        default: QmgCommand
        if hand:
            default = Drop(card=rightmost(cards.hand))
        else:
            default = DiscardTop() if cards.deck_size else LosePoint()
            options.append(default)
        return question(
            role, "8.2", "Play step: play a card, or take another action", options, default
        )

    def resolve(self, run: Run, frame: PlayStepFrame, role: str, command: QmgCommand) -> None:
        """Take the action."""
        used = replace(frame, using=HIDDEN)
        match command:
            case Play(card=card):
                run.replace(used)
                play_card(run, role, card, "hand", "play")
            case Use(card=card):
                self._use(run, frame, role, card)
            case Reallocate():
                reallocate(run, role)
            case Drop(card=card):
                run.replace(used)
                run.move(role, card, "hand", "discard-bottom", why="play-step")
            case DiscardTop():
                run.replace(used)
                discard_deck(run, role, 1, "play-step")
            case _:
                run.replace(used)
                run.add(VpChanged(team=TEAM_OF[role], amount=-1, why="cards"))

    def _use(self, run: Run, frame: PlayStepFrame, role: str, card: str) -> None:
        for usable in alternatives(run.state, role, frame.barred):
            if usable.card == card:
                run.replace(replace(frame, using=card))
                run.enter(UseFrame(country=role, card=card, ability=usable.ability.number))
                return
        use_any_time(run, role, card)

    def why_not(
        self,
        state: State,
        frame: PlayStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say why an action cannot be taken."""
        hand = state.cards_of(role).hand
        card = command.card if isinstance(command, Play | Drop | Use) else ""
        if isinstance(command, Play | Drop) and card not in hand:
            yield Refusal(
                Rule("8.2"), f"{sayings.card(card) if card in CARD else card} is not in hand"
            )
        elif isinstance(command, Play) and CARD[card].type in UNPLAYABLE:
            yield Refusal(
                Rule("13.2"), "Air Power and Bolster cards are never the play of the Play step"
            )
        elif isinstance(command, Play | Drop):
            yield Refusal(Rule("9.1"), "another copy of the same card stands for this one")
        elif isinstance(command, Use):
            yield from why_no_use(state, role, card, None)
        elif isinstance(command, Reallocate):
            yield Refusal(Rule("8.3"), why_no_reallocation(state, role))
        elif isinstance(command, DiscardTop):
            yield Refusal(Rule("8.2"), "this is only for an empty hand and while there is a deck")
        elif isinstance(command, LosePoint):
            yield Refusal(Rule("8.2"), "this is only for an empty hand and an empty deck")
        else:
            yield Refusal(Rule("8.2"), "the Play step asks for one of its actions")
