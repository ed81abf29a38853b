"""Looking at cards and taking them out of a zone (8.3, 9.3, A.2)."""

from collections.abc import Iterator

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg import sayings
from engine.qmg.ch09_cards import (
    copies_once,
    shuffle,
)
from engine.qmg.commands import Done, QmgCommand, Take
from engine.qmg.deck import CARD
from engine.qmg.events import (
    TopOrdered,
)
from engine.qmg.frames import (
    LookFrame,
    SearchFrame,
)
from engine.qmg.ids import (
    BASIC_TYPES,
    HIDDEN,
)
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State


class SearchHandler(Handler[SearchFrame]):
    """Takes cards out of the deck or the discard pile (8.3, A.2)."""

    frame = SearchFrame

    def go(self, run: Run, frame: SearchFrame) -> bool:
        """Ask while there is something to take."""
        if frame.left and self._cards(run.state, frame):
            return False
        if frame.left:
            self._close_deck(run, frame)
        run.leave()
        return True

    def _close_deck(self, run: Run, frame: SearchFrame) -> None:
        """Shuffle a deck that was looked into beside a discard pile; a card of the pile needs no shuffle (A.3)."""
        if len(self._zones(frame)) > 1:
            shuffle(run, frame.country)

    def _zones(self, frame: SearchFrame) -> tuple[str, ...]:
        return tuple(frame.zone.split("+"))

    def _cards(self, state: State, frame: SearchFrame) -> tuple[str, ...]:
        """Return the cards to choose from; of copies one in each zone, since the zone is a choice too (A.3)."""
        cards = state.cards_of(frame.country)
        found: tuple[str, ...] = ()
        for zone in self._zones(frame):
            deck = sorted(cards.top + cards.pool + cards.bottom)
            held = deck if zone == "deck" else cards.discard
            fitting = [card for card in held if card != HIDDEN and self._fits(card, frame.type)]
            found += copies_once(fitting)
        return found

    def _fits(self, card: str, kind: str) -> bool:
        if kind == "basic":
            return CARD[card].type in BASIC_TYPES
        return not kind or CARD[card].type == kind

    def asked(self, state: State, frame: SearchFrame) -> tuple[str, ...]:
        """Return the country."""
        return (frame.country,)

    def decision(self, state: State, frame: SearchFrame, role: str) -> QmgDecision:
        """Ask for a card."""
        options = [Take(card=card) for card in self._cards(state, frame)]
        what = "basic" if frame.type == "basic" else sayings.card_type(frame.type)
        return question(
            role,
            "8.3" if frame.type == "basic" else "9.3",
            f"Take up to {sayings.cards(frame.left, what)}",
            [*options, Done()],
        )

    def resolve(self, run: Run, frame: SearchFrame, role: str, command: QmgCommand) -> None:
        """Take the card."""
        if isinstance(command, Done):
            self._close_deck(run, frame)
            run.replace(replace(frame, left=0))
            return
        assert isinstance(command, Take), command
        cards = run.state.cards_of(role)
        if command.card in cards.top + cards.pool + cards.bottom:
            run.move(role, command.card, "deck", frame.to, shown=frame.shown, why="search")
            self._close_deck(run, frame)
        else:
            run.move(role, command.card, "discard", frame.to, shown=frame.shown, why="search")
        run.replace(replace(frame, left=frame.left - 1))

    def why_not(
        self,
        state: State,
        frame: SearchFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what may be taken."""
        is_basic = frame.type == "basic"
        what = "card" if not frame.type else f"{sayings.card_type(frame.type)} card"
        if is_basic:
            what = "Build Army, Build Navy, Land Battle or Sea Battle card"
        yield Refusal(Rule("8.3" if is_basic else "9.3"), f"one {what} of these is to be taken")


class LookHandler(Handler[LookFrame]):
    """Orders the cards that were looked at; the first one taken is drawn first (A.2)."""

    frame = LookFrame

    def go(self, run: Run, frame: LookFrame) -> bool:
        """Ask until one card is left."""
        if frame.ordered < frame.total - 1:
            return False
        run.leave()
        return True

    def asked(self, state: State, frame: LookFrame) -> tuple[str, ...]:
        """Return the country."""
        return (frame.country,)

    def decision(self, state: State, frame: LookFrame, role: str) -> QmgDecision:
        """Ask for the next card from the top; by default the order stays."""
        top = state.cards_of(role).top[frame.ordered : frame.total]
        options = [Take(card=card) for card in top]
        prompt = f"Which card comes {frame.ordered + 1}. from the top?"
        return question(role, "9.3", prompt, options, options[0])

    def resolve(self, run: Run, frame: LookFrame, role: str, command: QmgCommand) -> None:
        """Put the card at its place."""
        assert isinstance(command, Take), command
        seen = run.state.cards_of(role).top[: frame.total]
        first, rest = seen[: frame.ordered], list(seen[frame.ordered :])
        rest.remove(command.card)
        run.add(TopOrdered(country=role, cards=(*first, command.card, *rest)))
        run.replace(replace(frame, ordered=frame.ordered + 1))
