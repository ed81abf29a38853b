"""The kernel's state machine, specialised for Quartermaster General (10)."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel import machine
from engine.kernel.decision import Decision
from engine.kernel.dice import Dice
from engine.kernel.errors import HiddenError
from engine.kernel.ids import Refusal
from engine.qmg.ch10_answers import can_anyone_respond
from engine.qmg.commands import QmgCommand
from engine.qmg.events import CardsMoved, FramesChanged, QmgEvent
from engine.qmg.frames import Frame, FrameBase, OfCountry, Trigger, WindowFrame
from engine.qmg.ids import FORCE_INDEX, HIDDEN, TEAM_BY_FORCE
from engine.qmg.state import State

QmgDecision = Decision[QmgCommand]
F = TypeVar("F", bound=FrameBase)
N = TypeVar("N", bound=OfCountry)
K = TypeVar("K", bound=QmgCommand)
Evolve = Callable[[State, QmgEvent], State]


class Result(NamedTuple):
    """The result of a frame. When the frame ends, the result is passed to the frame below it on the stack."""

    cancelled: bool = False
    air_defended: bool = False
    ew_discard_changes: tuple[tuple[str, int], ...] = ()
    cards: int = 0


NO_RESULT: Final = Result()


class Run(machine.StackRun[State, QmgEvent, Frame]):
    """The execution of one command. The stack is recorded only once, when a country must decide.

    Frames pass results in memory. A result that is not used before the command ends is lost.
    """

    __slots__ = ("giver", "result")

    def __init__(self, state: State, evolve: Evolve, dice: Dice) -> None:
        """Create a run that starts from a state."""
        super().__init__(state, evolve, dice)
        self.giver = ""
        """Country that gave the command; empty during set-up. This country's copy of the game resolves the command."""
        self.result = NO_RESULT
        """The result of the most recently ended frame."""

    @override
    def stack_changed(self, keep: int, frames: tuple[Frame, ...]) -> QmgEvent:
        """Return the event that keeps the ``keep`` outermost frames and adds the given frames on top of them."""
        return FramesChanged(keep=keep, frames=frames)

    @override
    def push(self, frame: Frame) -> None:
        self.result = NO_RESULT
        self.stack.append(frame)

    @override
    def pop(self, result: Result = NO_RESULT) -> None:
        """Pop the innermost frame and store its result."""
        self.stack.pop()
        self.result = result

    def move_card(
        self,
        country: str,
        card: str,
        source: str,
        destination: str,
        *,
        reason: str,
        is_shown: bool = False,
        card_type: str = "",
    ) -> None:
        """Move one of a country's cards from one place to another (9.1).

        Raises:
            HiddenError: This copy does not know which card leaves the discard pile, and therefore does not know the new
                top card.
        """
        top = self._top_after_removal(country, card) if source == "discard" and not is_shown else ""
        self.add(
            CardsMoved(
                country=country,
                cards=(card,),
                source=source,
                to=destination,
                shown=is_shown,
                why=reason,
                card_type=card_type,
                top=top,
            )
        )

    def _top_after_removal(self, country: str, card: str) -> str:
        """Return the discard pile's top card after an unseen card leaves.

        The result is an empty string if the new top card is face down or the pile is empty.
        """
        cards = self.state.cards_of(country)
        if card == HIDDEN and cards.face_up:
            raise HiddenError("this copy does not know which card leaves the discard pile")
        remaining_cards = [other_card for other_card in cards.discard if other_card != card]
        return (
            remaining_cards[-1] if remaining_cards and remaining_cards[-1] in cards.face_up else ""
        )

    def take_result(self) -> Result:
        """Return the result of the frame that ended last, and clear it."""
        result, self.result = self.result, NO_RESULT
        return result

    def responding_window(self) -> tuple[int, WindowFrame]:
        """Return the window that the current effect responds to, with its index in the stack."""
        for index in range(len(self.stack) - 1, -1, -1):
            frame = self.stack[index]
            if isinstance(frame, WindowFrame):
                return index, frame
        raise AssertionError("no window is open", self.stack)

    def open_window(self, trigger: Trigger) -> None:
        """Open a response window. If public information rules out every response, do nothing (10.4)."""
        # If no window opens, the frame must not use the result of an earlier window.
        self.result = NO_RESULT
        if can_anyone_respond(self.state, trigger):
            departed_count = self.state.departed_count(*trigger.subject)
            # After a removal, the current count would match a piece that enters the space later. A
            # count of zero never matches such a piece.
            if departed_count and trigger.kind != "removed":
                trigger = replace(trigger, departed=departed_count)
            self.stack.append(WindowFrame(trigger=trigger))


def action_trigger(
    kind: str, actor: str, *, space: str = "", piece: str = "", owner: str = "", card: str = ""
) -> Trigger:
    """Return the trigger for an action by a force or country (10.2)."""
    return Trigger(
        kind=kind,
        cause=TEAM_BY_FORCE[actor],
        by=actor,
        space=space,
        piece=piece,
        owner=owner,
        card=card,
    )


class Handler(machine.Handler[State, QmgCommand, Run, F, str], Generic[F]):
    """Base class of the rules for one frame type."""


class DecisionHandler(machine.DecisionHandler[State, QmgCommand, Run, F, str], Generic[F]):
    """Base class of handlers for frames that require a decision. A handler consists of actions."""

    wrong_kind_text = "this is not one of the choices in this step"


class CountryQuestion(DecisionHandler[N], Generic[N]):
    """Base class of handlers for frames whose country makes the decision."""

    @override
    def active_roles(self, state: State, frame: N) -> tuple[str, ...]:
        return (frame.country,)


class Action(machine.Action[State, Run, F, str, K], Generic[F, K]):
    """Base class of the rules for one kind of command in one frame type."""


class PlainAction(machine.PlainAction[State, Run, F, str, K], Generic[F, K]):
    """Base class of the rules for a command without fields in one frame type."""


class ListedAction(Action[F, K], Generic[F, K]):
    """Base class of the rules for commands that are legal only if they are on a short list."""

    is_exact = True
    refusal: ClassVar[Refusal]
    """The refusal for a command that is not on the list. Override :meth:`refusals_if_unlisted` if refusals vary."""

    @override
    def refusals(self, state: State, frame: F, role: str, command: K) -> Iterator[Refusal]:
        """Yield at least one reason if a command is not on the list."""
        if command not in self.candidates(state, frame, role):
            yield from self.refusals_if_unlisted(state, frame, role, command)

    def refusals_if_unlisted(
        self, state: State, frame: F, role: str, command: K
    ) -> Iterator[Refusal]:
        """Yield at least one reason why an unlisted command is refused."""
        yield self.refusal


@cache
def team_turn_order(countries: tuple[str, ...], active_team: str) -> tuple[str, ...]:
    """Return a team's countries in turn order, starting with the active country or the team's next country (10.4)."""
    if not active_team:
        return countries
    start_index = FORCE_INDEX[active_team]
    return tuple(
        sorted(
            countries, key=lambda country: (FORCE_INDEX[country] - start_index) % len(FORCE_INDEX)
        )
    )
