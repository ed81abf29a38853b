"""Constructed decks: each country chooses its cards under a table of limits (13.9)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg.ch03_setup import deal
from engine.qmg.ch09_cards import copies_once, shuffle
from engine.qmg.commands import QmgCommand, Take
from engine.qmg.deck import CARD, deck_list
from engine.qmg.events import CardsMoved
from engine.qmg.frames import ConstructionFrame
from engine.qmg.ids import COUNTRIES, FORCE_INDEX, HIDDEN
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State


def _types(cards: Iterable[str]) -> Counter[str]:
    return Counter(CARD[card].type for card in cards if card != HIDDEN)


def deck_size(country: str, limits: Mapping[str, int]) -> int:
    """Return how many cards a country chooses: of each type its limit, or all that there are."""
    available = _types(deck_list(country, total_war=True))
    return sum(min(limits.get(kind, 0), number) for kind, number in available.items())


def construct(run: Run) -> None:
    """Let all countries choose their decks, at the same time and unseen."""
    limits = dict(run.state.limits)
    run.enter(ConstructionFrame(left=tuple(deck_size(country, limits) for country in COUNTRIES)))


class ConstructionHandler(Handler[ConstructionFrame]):
    """Chosen cards are held until everybody is ready; then the rest leaves the game and the set-up begins."""

    frame = ConstructionFrame

    def go(self, run: Run, frame: ConstructionFrame) -> bool:
        """Wait for every country, then deal."""
        if any(frame.left):
            return False
        for country in COUNTRIES:
            self._finish(run, country)
        run.leave()
        deal(run)
        return True

    def _finish(self, run: Run, country: str) -> None:
        cards = run.state.cards_of(country)
        for pile, source, to in ((cards.pool, "deck", "out"), (cards.hand, "hand", "deck-pool")):
            if pile:
                run.add(
                    CardsMoved(
                        country=country, cards=pile, source=source, to=to, why="construction"
                    )
                )
        shuffle(run, country)

    def asked(self, state: State, frame: ConstructionFrame) -> tuple[str, ...]:
        """Return the countries whose deck is not complete."""
        return tuple(country for country, left in zip(COUNTRIES, frame.left, strict=True) if left)

    def decision(self, state: State, frame: ConstructionFrame, role: str) -> QmgDecision:
        """Ask for a card whose type is not used up."""
        cards = state.cards_of(role)
        chosen, limits = _types(cards.hand), dict(state.limits)
        options: list[QmgCommand] = [
            Take(card=card)
            for card in copies_once(cards.pool)
            if chosen[CARD[card].type] < limits.get(CARD[card].type, 0)
        ]
        left = frame.left[FORCE_INDEX[role]]
        return question(role, "13.9", f"Choose {left} more for the deck", options, options[0])

    def resolve(self, run: Run, frame: ConstructionFrame, role: str, command: QmgCommand) -> None:
        """Put the card aside for the deck."""
        assert isinstance(command, Take), command
        run.move(role, command.card, "deck", "hand", why="construction")
        at = FORCE_INDEX[role]
        left = (*frame.left[:at], frame.left[at] - 1, *frame.left[at + 1 :])
        run.replace(replace(frame, left=left))

    def why_not(
        self,
        state: State,
        frame: ConstructionFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what may be chosen."""
        del state, frame, role, command
        yield Refusal(
            Rule("13.9"), "a card of the country is chosen whose type has not reached its limit"
        )
