"""Set-up: decks, first pieces and first hands (3)."""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg import phrases
from engine.qmg.atlas import HOMES
from engine.qmg.ch09_cards import draw_cards, unique_copies
from engine.qmg.commands import Discard, QmgCommand
from engine.qmg.deck import deck_list
from engine.qmg.events import PiecePlaced, QmgEvent
from engine.qmg.frames import ConstructionFrame, SetupFrame, TurnFrame
from engine.qmg.ids import ARMY, CHINA, COUNTRIES, FORCE_INDEX, FRANCE, GERMANY
from engine.qmg.position import Position, Zones
from engine.qmg.run import DecisionHandler, ListedAction, Run
from engine.qmg.state import State

T = TypeVar("T", SetupFrame, ConstructionFrame)

FIRST_HAND_SIZE: Final = {False: 10, True: 12}
"""Number of cards drawn at set-up, without and with Total War (3.1, 3.2, 13.1)."""
PUT_BACK_COUNT: Final = {False: 3, True: 5}
"""Number of cards that must be discarded from the first hand, without and with Total War."""


def shuffled_decks(*, is_total_war: bool) -> dict[str, Zones]:
    """Return the decks of all countries before the deal (3.1, 3.2)."""
    return {
        country: Zones(deck=tuple(sorted(deck_list(country, is_total_war=is_total_war))))
        for country in COUNTRIES
    }


def is_before_setup(position: Position) -> bool:
    """Return whether this position still needs set-up."""
    return not position.active and not position.frames and position.outcome is None


def initial_pieces(*, is_total_war: bool) -> tuple[QmgEvent, ...]:
    """Return the events that place the starting Armies (3.1, 3.2)."""
    forces = (*COUNTRIES, FRANCE, CHINA) if is_total_war else COUNTRIES
    return tuple(
        PiecePlaced(force=force, piece=ARMY, space=HOMES[force], how="setup") for force in forces
    )


def deal_first_hands(run: Run) -> None:
    """Place the starting Armies, deal the first hands, and ask the countries which cards to discard (3.1)."""
    total_war = run.state.total_war
    for event in initial_pieces(is_total_war=total_war):
        run.add(event)
    for country in COUNTRIES:
        draw_cards(run, country, FIRST_HAND_SIZE[total_war], "deal")
    run.push(SetupFrame(left=(PUT_BACK_COUNT[total_war],) * len(COUNTRIES)))


class SimultaneousDecision(DecisionHandler[T], Generic[T]):
    """Base class of decisions that all countries make at the same time, until each has chosen enough cards."""

    @override
    def active_roles(self, state: State, frame: T) -> tuple[str, ...]:
        """Return the countries that still have cards to choose."""
        return tuple(
            country
            for country, choices_left in zip(COUNTRIES, frame.left, strict=True)
            if choices_left
        )


def record_choice(run: Run, frame: SetupFrame | ConstructionFrame, country: str) -> None:
    """Record that a country has chosen one card."""
    index = FORCE_INDEX[country]
    counts_left = (*frame.left[:index], frame.left[index] - 1, *frame.left[index + 1 :])
    run.replace_top(replace(frame, left=counts_left))


class PutBack(ListedAction[SetupFrame, Discard]):
    """Discard a card from the first hand, face down (3.1)."""

    kind = Discard
    refusal = Refusal(Rule("3.1"), "this is not one of the choices in this step")

    @override
    def candidates(self, state: State, frame: SetupFrame, role: str) -> list[Discard]:
        """Return a discard command for each card in hand.

        Identical cards are listed once. The last card drawn is always included.
        """
        hand = state.cards_of(role).hand
        # The last card is the default, which must be one of the options.
        return [Discard(card=card) for card in dict.fromkeys((*unique_copies(hand), hand[-1]))]

    @override
    def apply(self, run: Run, frame: SetupFrame, role: str, command: Discard) -> None:
        run.move_card(role, command.card, "hand", "discard-bottom", reason="setup")
        record_choice(run, frame, role)

    @override
    def timing_refusals(self, state: State, role: str, command: Discard) -> Iterator[Refusal]:
        """Yield a refusal that states the discard limit, if other countries are still discarding."""
        if isinstance(state.frames[-1], SetupFrame):
            yield Refusal(
                Rule("3.1"), "only a fixed number of cards from your first hand can be discarded"
            )


class SetupHandler(SimultaneousDecision[SetupFrame]):
    """All countries discard from their first hands at the same time. No country sees another's cards (3.1, 18.27)."""

    frame = SetupFrame
    rule = Rule("3.1")
    actions = (PutBack(),)

    @override
    def step(self, run: Run, frame: SetupFrame) -> None:
        run.replace_top(TurnFrame(country=GERMANY, stage="begin"))

    @override
    def prompt(self, state: State, frame: SetupFrame, role: str) -> str:
        """Return the prompt, which states how many cards are left to discard."""
        return f"Discard {phrases.count_cards(frame.left[FORCE_INDEX[role]])} from the first hand"

    @override
    def default(
        self, state: State, frame: SetupFrame, role: str, options: tuple[QmgCommand, ...]
    ) -> QmgCommand:
        """Return the command to discard the last card drawn."""
        return Discard(card=state.cards_of(role).hand[-1])
