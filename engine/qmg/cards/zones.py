"""Operations on cards: discard, draw, search, move, place, play (A.2)."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from engine.qmg import deck_steps as ds
from engine.qmg import sayings
from engine.qmg.cards.base import Asking, Operation, advance, context_of
from engine.qmg.ch09_cards import (
    copies_once,
    discard_deck,
    discard_hand,
    draw,
    from_discard,
    open_top,
    shuffle,
)
from engine.qmg.ch09_playing import UNPLAYABLE, play_card
from engine.qmg.commands import Discard, Play, QmgCommand, Take, Yes
from engine.qmg.deck import CARD
from engine.qmg.events import CardsMoved
from engine.qmg.frames import (
    HandDiscardFrame,
    LookFrame,
    PlayFrame,
    SearchFrame,
    StepsFrame,
    UseFrame,
)
from engine.qmg.ids import BOLSTER, FORCE_INDEX, HIDDEN, STATUS
from engine.qmg.run import Run
from engine.qmg.terms import Context, amount_of, country_of


def _types(card: str, kind: str) -> bool:
    return card != HIDDEN and (not kind or CARD[card].type == kind)


class DiscardStep(Operation[ds.Discard]):
    """Discards by count, by type, at random, from deck, hand or table (9.4)."""

    op = ds.Discard

    def decider(self, at: Context, op: ds.Discard) -> str:
        """Return the country that discards."""
        return country_of(op.who, at)

    def is_possible(self, at: Context, op: ds.Discard) -> bool:
        """Return whether there is a card to discard."""
        cards = at.state.cards_of(country_of(op.who, at))
        return bool(
            cards.responses if op.zone == "table_response" else cards.hand or cards.deck_size
        )

    def go(self, run: Run, frame: StepsFrame, op: ds.Discard) -> bool:
        """Discard, or let the country pick."""
        at = context_of(run.state, frame)
        who = country_of(op.who, at)
        if frame.stage == "inside":
            self._returned(run, frame, op)
            return True
        if not who:
            advance(run, frame)
            return True
        if op.zone == "table_status":
            if run.state.statuses[FORCE_INDEX[who]]:
                return False
            advance(run, frame)
            return True
        why = "cost" if frame.is_cost else "effect"
        if op.zone == "table_response":
            self._random_response(run, who)
            advance(run, frame)
        elif op.zone == "deck":
            amount = amount_of(op.amount, at)
            advance(run, frame)
            discard_deck(run, who, amount, why)
        else:
            run.replace(replace(frame, stage="inside"))
            if op.up_to:
                run.enter(HandDiscardFrame(country=who, left=op.up_to, optional=True, why=why))
            else:
                discard_hand(
                    run,
                    who,
                    amount_of(op.amount, at),
                    op.card_types,
                    why=why,
                    shown=bool(op.card_types),
                )
        return True

    def _returned(self, run: Run, frame: StepsFrame, op: ds.Discard) -> None:
        count = run.take().cards
        if op.name:
            numbers = (*frame.binds.numbers, (op.name, count))
            frame = replace(frame, binds=replace(frame.binds, numbers=numbers))
        advance(run, frame)

    def _random_response(self, run: Run, who: str) -> None:
        """Discard a face-down Response at random, unseen (17.7)."""
        responses = run.state.cards_of(who).responses
        if not responses:
            return
        card = run.dice.pick(tuple(sorted(responses)))
        run.add(
            CardsMoved(
                country=who,
                cards=(card,),
                source="responses",
                to="discard-bottom",
                why="random-response",
            )
        )

    def options(self, at: Context, frame: StepsFrame, op: ds.Discard) -> Sequence[QmgCommand]:
        """Return the Statuses on the table."""
        who = country_of(op.who, at)
        return [Discard(card=card) for card in at.state.statuses[FORCE_INDEX[who]]]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Discard) -> str:
        """Ask for the Status."""
        return "discard which Status from the table?"

    def is_binding(self, frame: StepsFrame, op: ds.Discard) -> bool:
        """Return True: it is a cost."""
        return True

    def choose(self, run: Run, frame: StepsFrame, op: ds.Discard, command: QmgCommand) -> None:
        """Discard the Status face up."""
        assert isinstance(command, Discard), command
        who = country_of(op.who, context_of(run.state, frame))
        run.add(
            CardsMoved(
                country=who,
                cards=(command.card,),
                source="statuses",
                to="discard-top",
                shown=True,
                why="discarded",
            )
        )
        advance(run, frame)


class UnlessDiscardStep(Asking[ds.UnlessDiscard]):
    """A country may pay; if not, the other steps happen (A.2)."""

    op = ds.UnlessDiscard

    def decider(self, at: Context, op: ds.UnlessDiscard) -> str:
        """Return the country that may pay."""
        return country_of(op.who, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.UnlessDiscard) -> Sequence[QmgCommand]:
        """Return the one choice."""
        return (Yes(),)

    def prompt(self, at: Context, frame: StepsFrame, op: ds.UnlessDiscard) -> str:
        """Say what is at stake."""
        return f"discard {op.n} hand cards to prevent its effect?"

    def choose(
        self, run: Run, frame: StepsFrame, op: ds.UnlessDiscard, command: QmgCommand
    ) -> None:
        """Pay."""
        who = country_of(op.who, context_of(run.state, frame))
        run.replace(replace(frame, stage="inside"))
        discard_hand(run, who, op.n, why="effect")

    def decline(self, run: Run, frame: StepsFrame, op: ds.UnlessDiscard) -> None:
        """Let the other steps happen."""
        run.replace(replace(frame, stage="inside"))
        run.enter(
            replace(frame, steps=ds.inner_name(frame.steps, frame.at), at=0, stage="", rest=())
        )


class DrawStep(Asking[ds.Draw]):
    """A country may draw (A.2)."""

    op = ds.Draw

    def decider(self, at: Context, op: ds.Draw) -> str:
        """Return the country that draws."""
        return country_of(op.who, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.Draw) -> Sequence[QmgCommand]:
        """Return the one choice, if there is a deck."""
        who = country_of(op.who, at)
        return (Yes(),) if who and at.state.cards_of(who).deck_size else ()

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Draw) -> str:
        """Ask."""
        return f"draw {sayings.cards(op.n)}?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.Draw, command: QmgCommand) -> None:
        """Draw."""
        who = country_of(op.who, context_of(run.state, frame))
        advance(run, frame)
        draw(run, who, op.n, "effect")


class SearchStep(Operation[ds.Search]):
    """Takes cards out of the deck or the discard pile of the owner (A.2)."""

    op = ds.Search

    def is_possible(self, at: Context, op: ds.Search) -> bool:
        """Return whether the zone holds a card."""
        cards = at.state.cards_of(at.owner)
        return bool(cards.deck_size if op.zone == "deck" else cards.discard)

    def go(self, run: Run, frame: StepsFrame, op: ds.Search) -> bool:
        """Shuffle what is looked into, then look."""
        if frame.stage == "inside":
            advance(run, frame)
            return True
        owner = frame.source.owner
        if op.zone == "deck":
            shuffle(run, owner)
        run.replace(replace(frame, stage="inside"))
        run.enter(
            SearchFrame(
                country=owner,
                zone=op.zone,
                type=op.card_type,
                left=op.count.most,
                to="statuses" if op.to == "table" else "hand",
                shown=op.zone == "discard" or op.to == "table",
            )
        )
        return True


class LookReorderStep(Operation[ds.LookReorder]):
    """Looks at the top cards and orders them (A.2)."""

    op = ds.LookReorder

    def is_possible(self, at: Context, op: ds.LookReorder) -> bool:
        """Return whether there is a deck."""
        return bool(at.state.cards_of(at.owner).deck_size)

    def go(self, run: Run, frame: StepsFrame, op: ds.LookReorder) -> bool:
        """Turn the cards up for their owner alone."""
        owner = frame.source.owner
        total = min(op.n, run.state.cards_of(owner).deck_size)
        while len(run.state.cards_of(owner).top) < total:
            cards = run.state.cards_of(owner)
            card = run.dice.pick(cards.pool) if cards.pool else cards.bottom[0]
            run.add(
                CardsMoved(
                    country=owner,
                    cards=(card,),
                    source="deck-below",
                    to="deck-top-end",
                    why="look",
                )
            )
        advance(run, frame)
        run.enter(LookFrame(country=owner, ordered=0, total=total))
        return True


class MoveCardStep(Asking[ds.MoveCard]):
    """Changes where a card goes (A.2)."""

    op = ds.MoveCard

    def go(self, run: Run, frame: StepsFrame, op: ds.MoveCard) -> bool:
        """Move the card of the event or this one; ask for cards of the hand."""
        if op.card.ref is None:
            return super().go(run, frame, op)
        event = frame.source.trigger
        card = (
            frame.source.card if op.card.ref == "this" else event.card if event is not None else ""
        )
        for at in range(len(run.stack) - 1, -1, -1):
            below = run.stack[at]
            if isinstance(below, PlayFrame) and below.card == card:
                run.stack[at] = replace(below, to=op.to)
                break
        advance(run, frame)
        return True

    def is_possible(self, at: Context, op: ds.MoveCard) -> bool:
        """Return whether there is such a card."""
        return op.card.ref is not None or bool(at.state.cards_of(at.owner).hand)

    def options(self, at: Context, frame: StepsFrame, op: ds.MoveCard) -> Sequence[QmgCommand]:
        """Return the hand."""
        return [Take(card=card) for card in copies_once(at.state.cards_of(at.owner).hand)]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.MoveCard) -> str:
        """Ask for a card."""
        return "put which hand card on the bottom of the deck?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.MoveCard, command: QmgCommand) -> None:
        """Move it."""
        assert isinstance(command, Take), command
        run.add(
            CardsMoved(
                country=frame.source.owner,
                cards=(command.card,),
                source="hand",
                to=op.to.replace("_", "-"),
                why="effect",
            )
        )
        if frame.repeats + 1 < op.count.most:
            run.replace(replace(frame, repeats=frame.repeats + 1))
        else:
            advance(run, frame)


class PlaceCardStep(Asking[ds.PlaceCard]):
    """Puts a card on the table; nothing is played by it (A.2)."""

    op = ds.PlaceCard

    def decider(self, at: Context, op: ds.PlaceCard) -> str:
        """Return the country whose card it is."""
        return country_of(op.who, at)

    def _zone(self, at: Context, op: ds.PlaceCard) -> tuple[str, ...]:
        cards = at.state.cards_of(country_of(op.who, at))
        return cards.hand if op.zone == "hand" else cards.discard

    def options(self, at: Context, frame: StepsFrame, op: ds.PlaceCard) -> Sequence[QmgCommand]:
        """Return the cards of the type."""
        zone = self._zone(at, op)
        return [Take(card=card) for card in copies_once(zone) if _types(card, op.card_type)]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.PlaceCard) -> str:
        """Ask for the card."""
        return f"put which {sayings.card_type(op.card_type)} card on the table?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.PlaceCard, command: QmgCommand) -> None:
        """Place it: a Status face up, others face down."""
        assert isinstance(command, Take), command
        who = country_of(op.who, context_of(run.state, frame))
        is_status = op.card_type == STATUS
        to = "statuses" if is_status else "responses"
        advance(run, frame)
        if op.zone == "discard":
            from_discard(run, who, command.card, to, shown=is_status, why="place")
            return
        run.add(
            CardsMoved(
                country=who,
                cards=(command.card,),
                source="hand",
                to=to,
                shown=is_status,
                why="place",
                card_type=BOLSTER if op.card_type == BOLSTER else "",
            )
        )


class PlayCardStep(Asking[ds.PlayCard]):
    """A country plays a card with full effect (A.2)."""

    op = ds.PlayCard

    def decider(self, at: Context, op: ds.PlayCard) -> str:
        """Return the country that plays."""
        return country_of(op.who, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.PlayCard) -> Sequence[QmgCommand]:
        """Return the cards."""
        who = country_of(op.who, at)
        cards = at.state.cards_of(who)
        zone = cards.hand if op.zone == "hand" else cards.discard
        barred = frame.source.card if op.exclude_self and frame.steps else ""
        return [
            Play(card=card)
            for card in copies_once(zone)
            if _types(card, op.card_type) and CARD[card].type not in UNPLAYABLE and card != barred
        ]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.PlayCard) -> str:
        """Ask for the card."""
        where = "hand" if op.zone == "hand" else "the discard pile"
        return f"play which card from {where}?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.PlayCard, command: QmgCommand) -> None:
        """Play it."""
        assert isinstance(command, Play), command
        who = country_of(op.who, context_of(run.state, frame))
        step: Literal["", "play"] = "play" if self._is_alternative(run) else ""
        run.replace(replace(frame, stage="inside"))
        play_card(run, who, command.card, op.zone, step)

    def _is_alternative(self, run: Run) -> bool:
        """Return whether the text stands for the action of the Play step (18.32)."""
        user = run.stack[-2]
        return (
            isinstance(user, UseFrame)
            and CARD[user.card].abilities[user.ability].kind == "play_alternative"
        )


class ReturnRandomDiscardsStep(Asking[ds.ReturnRandomDiscards]):
    """Random cards of the discard pile go on top of the deck (A.2)."""

    op = ds.ReturnRandomDiscards

    def decider(self, at: Context, op: ds.ReturnRandomDiscards) -> str:
        """Return the country whose cards they are."""
        return country_of(op.who, at)

    def _count(self, at: Context, op: ds.ReturnRandomDiscards) -> int:
        pile = at.state.cards_of(country_of(op.who, at)).discard
        return min(amount_of(op.amount, at), len(pile))

    def options(
        self, at: Context, frame: StepsFrame, op: ds.ReturnRandomDiscards
    ) -> Sequence[QmgCommand]:
        """Return the one choice, if there are cards."""
        return (Yes(),) if self._count(at, op) else ()

    def prompt(self, at: Context, frame: StepsFrame, op: ds.ReturnRandomDiscards) -> str:
        """Ask."""
        return f"put {sayings.cards(self._count(at, op), 'random discarded')} on top of the deck?"

    def choose(
        self, run: Run, frame: StepsFrame, op: ds.ReturnRandomDiscards, command: QmgCommand
    ) -> None:
        """Draw them at random."""
        at = context_of(run.state, frame)
        who = country_of(op.who, at)
        for _ in range(self._count(at, op)):
            cards = run.state.cards_of(who)
            card = run.dice.pick(tuple(sorted(cards.discard)))
            run.add(
                CardsMoved(
                    country=who,
                    cards=(card,),
                    source="discard",
                    to="deck-top",
                    why="returned",
                    top=open_top(cards, (card,)),
                )
            )
        advance(run, frame)


OPERATIONS = (
    DiscardStep(),
    UnlessDiscardStep(),
    DrawStep(),
    SearchStep(),
    LookReorderStep(),
    MoveCardStep(),
    PlaceCardStep(),
    PlayCardStep(),
    ReturnRandomDiscardsStep(),
)
