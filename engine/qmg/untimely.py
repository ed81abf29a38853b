"""Why a command does not fit the moment, whatever the open question is (3.1, 4.2, 8.2, 8.3, 13.3)."""

from collections.abc import Iterator

from engine.kernel.ids import Refusal, Rule
from engine.qmg.ch08_reallocate import why_no_reallocation
from engine.qmg.ch10_windows import why_no_use
from engine.qmg.commands import (
    Deploy,
    Discard,
    DiscardTop,
    Drop,
    LosePoint,
    Marshal,
    Play,
    QmgCommand,
    Reallocate,
    Superiority,
    Use,
)
from engine.qmg.frames import (
    AirStepFrame,
    Frame,
    PlayStepFrame,
    SetupFrame,
    StepsFrame,
    WindowFrame,
)
from engine.qmg.ids import FORCE_INDEX
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
        case Discard() if isinstance(frame, SetupFrame) and not frame.left[FORCE_INDEX[role]]:
            yield Refusal(Rule("3.1"), "only cards of the own first hand go back, a fixed number")
        case _:
            return


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
