"""Set-up: decks, first pieces, first hands (3)."""

from typing import Final

from msgspec.structs import replace

from engine.qmg import sayings
from engine.qmg.atlas import HOMES
from engine.qmg.ch09_cards import copies_once, draw
from engine.qmg.commands import Discard, QmgCommand
from engine.qmg.deck import deck_list
from engine.qmg.events import PiecePlaced, QmgEvent
from engine.qmg.frames import SetupFrame, TurnFrame
from engine.qmg.ids import ARMY, CHINA, COUNTRIES, FORCE_INDEX, FRANCE, GERMANY
from engine.qmg.position import Position, Zones
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State

FIRST_HAND: Final = {False: 10, True: 12}
"""Cards drawn at set-up, without and with Total War."""
PUT_BACK: Final = {False: 3, True: 5}
"""Cards of them that are discarded."""


def shuffled_decks(*, total_war: bool) -> dict[str, Zones]:
    """Return the decks of all countries before the deal (3.1, 3.2)."""
    return {
        country: Zones(deck=tuple(sorted(deck_list(country, total_war=total_war))))
        for country in COUNTRIES
    }


def is_unopened(position: Position) -> bool:
    """Return whether a position is that of a game before its set-up."""
    return not position.active and not position.frames and position.outcome is None


def first_pieces(*, total_war: bool) -> tuple[QmgEvent, ...]:
    """Return the placing of the first Armies (3.1, 3.2)."""
    forces = (*COUNTRIES, FRANCE, CHINA) if total_war else COUNTRIES
    return tuple(
        PiecePlaced(force=force, piece=ARMY, space=HOMES[force], how="setup") for force in forces
    )


def deal(run: Run) -> None:
    """Place the first Armies, deal the first hands and ask for what goes back (3.1)."""
    total_war = run.state.total_war
    for event in first_pieces(total_war=total_war):
        run.add(event)
    for country in COUNTRIES:
        draw(run, country, FIRST_HAND[total_war], "deal")
    run.enter(SetupFrame(left=(PUT_BACK[total_war],) * len(COUNTRIES)))


class SetupHandler(Handler[SetupFrame]):
    """All countries discard from their first hands at the same time, unseen (3.1, 18.27)."""

    frame = SetupFrame

    def go(self, run: Run, frame: SetupFrame) -> bool:
        """Wait for every country, then begin the first turn."""
        if any(frame.left):
            return False
        run.replace(TurnFrame(country=GERMANY, stage="begin"))
        return True

    def asked(self, state: State, frame: SetupFrame) -> tuple[str, ...]:
        """Return the countries that still hold too many cards."""
        return tuple(country for country, left in zip(COUNTRIES, frame.left, strict=True) if left)

    def decision(self, state: State, frame: SetupFrame, role: str) -> QmgDecision:
        """Ask for a card to discard; the default is the last one drawn, also where it is a further copy."""
        hand = state.cards_of(role).hand
        cards = dict.fromkeys((*copies_once(hand), hand[-1]))
        options: list[QmgCommand] = [Discard(card=card) for card in cards]
        left = frame.left[FORCE_INDEX[role]]
        return question(
            role,
            "3.1",
            f"Discard {sayings.cards(left)} of the first hand",
            options,
            Discard(card=hand[-1]),
        )

    def resolve(self, run: Run, frame: SetupFrame, role: str, command: QmgCommand) -> None:
        """Discard the card face down."""
        assert isinstance(command, Discard), command
        run.move(role, command.card, "hand", "discard-bottom", why="setup")
        at = FORCE_INDEX[role]
        left = (*frame.left[:at], frame.left[at] - 1, *frame.left[at + 1 :])
        run.replace(replace(frame, left=left))
