"""Why a command does not fit the moment, whatever the open question is (3.1, 4.2, 8.2, 8.3, 13.3 - 13.6)."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.kernel.ids import Refusal, Rule
from engine.qmg.cards.base import operations
from engine.qmg.cards.interpreter import operation_of
from engine.qmg.ch08_reallocate import why_no_reallocation
from engine.qmg.ch10_windows import why_no_use
from engine.qmg.commands import (
    AirAttack,
    AirDefense,
    Battle,
    Build,
    Deploy,
    Designate,
    Discard,
    DiscardTop,
    Drop,
    Eliminate,
    LosePoint,
    Marshal,
    Play,
    QmgCommand,
    Reallocate,
    Recruit,
    Reposition,
    Superiority,
    Use,
)
from engine.qmg.frames import (
    AirStepFrame,
    Frame,
    PlayStepFrame,
    RemovalFrame,
    RepositionFrame,
    SetupFrame,
    StepsFrame,
    WindowFrame,
)
from engine.qmg.ids import FORCE_INDEX, NAVY
from engine.qmg.state import State


def why_untimely(state: State, role: str, command: QmgCommand) -> Iterator[Refusal]:
    """Yield the rule that says when such a command may be given, where this is not the moment."""
    frame = state.frames[-1]
    match command:
        case Use(card=card) if not isinstance(frame, PlayStepFrame | WindowFrame):
            yield from why_no_use(state, role, card, None)
        case Reallocate():
            yield from _why_no_reallocation(state, role, frame)
        case Play() | Drop() | DiscardTop() | LosePoint() if not (
            _is_play_step(frame, role) or isinstance(frame, StepsFrame)
        ):
            yield Refusal(Rule("8.2"), "this is an action of the own Play step, one in each turn")
        case Deploy() | Marshal() | Superiority() if not isinstance(
            frame, AirStepFrame | StepsFrame
        ):
            yield Refusal(Rule("13.3"), "Air Forces are moved in the own Air step")
        case AirDefense():
            yield Refusal(
                Rule("13.5"),
                "an own Air Force goes for the Army or Navy beside it that a battle is about to remove",
            )
        case AirAttack() if not isinstance(frame, RemovalFrame):
            yield Refusal(Rule("13.6"), "an Air Attack answers Air Defense in an own battle")
        case Reposition() if not isinstance(frame, RepositionFrame):
            yield Refusal(Rule("13.4"), "only an Air Force that was left alone is repositioned")
        case Build() | Designate() | Recruit() | Battle() | Eliminate() if not _takes(
            frame, command
        ):
            rule, text = _ACTION_RULES[type(command)]
            is_navy = isinstance(command, Build) and command.piece == NAVY
            yield Refusal(Rule("7.2") if is_navy else rule, text)
        case Discard() if isinstance(frame, SetupFrame) and not frame.left[FORCE_INDEX[role]]:
            yield Refusal(Rule("3.1"), "only cards of the own first hand go back, a fixed number")
        case _:
            return


_ACTION_RULES: Final[Mapping[type[QmgCommand], tuple[Rule, str]]] = {
    Build: (Rule("7.1"), "a piece is built when a card says so"),
    Designate: (Rule("7.6"), "a piece is named as just built with a Build card"),
    Recruit: (Rule("7.3"), "a piece is recruited when a card says so"),
    Battle: (Rule("7.4"), "a space is battled when a card says so"),
    Eliminate: (Rule("7.5"), "a piece is eliminated when a card says so"),
}


def _takes(frame: Frame, command: QmgCommand) -> bool:
    """Return whether the card whose step is open says itself why it does not take such a command."""
    if not isinstance(frame, StepsFrame) or frame.at >= len(operations(frame.steps)):
        return False
    return isinstance(command, operation_of(frame).takes)


def _is_play_step(frame: Frame, role: str) -> bool:
    return isinstance(frame, PlayStepFrame) and frame.country == role


def _why_no_reallocation(state: State, role: str, frame: Frame) -> Iterator[Refusal]:
    if _is_play_step(frame, role):
        return  # the Play step says why itself
    is_beginning = (
        isinstance(frame, WindowFrame)
        and frame.trigger.kind == "play_step_begin"
        and frame.trigger.by == role
    )
    yield Refusal(
        Rule("8.3"),
        why_no_reallocation(state, role)
        if is_beginning
        else "resources are reallocated at the beginning of the own Play step, before a card is played",
    )
