"""Operations on cards: discard, draw, search, move, place and play (A.2)."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.dice import CardPile
from engine.kernel.errors import HiddenError
from engine.kernel.ids import Refusal, Rule
from engine.qmg import deck_steps as ds
from engine.qmg import phrases
from engine.qmg.card_piles import DECK, DISCARD, RESPONSES
from engine.qmg.cards.base import ChoiceOperation, Operation, advance, card_context
from engine.qmg.ch09_cards import (
    discard_deck,
    discard_hand,
    draw_cards,
    shuffle_deck,
    unique_copies,
)
from engine.qmg.ch09_playing import UNPLAYABLE, play_card
from engine.qmg.commands import Discard, Play, QmgCommand, Take, Yes
from engine.qmg.deck import CARD
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
from engine.qmg.terms import Context, resolve_amount, resolve_country


class CountryStep(ChoiceOperation):
    """Base class of steps that a country carries out with its cards."""

    op: (
        ds.DiscardEffect
        | ds.UnlessDiscard
        | ds.Draw
        | ds.PlaceCard
        | ds.PlayCard
        | ds.ReturnRandomDiscards
    )

    @override
    def decider(self, context: Context) -> str:
        return resolve_country(self.op.who, context)


class DiscardStep(CountryStep):
    """A country discards cards from its deck, hand or table: a number of them, by type, or at random (9.4)."""

    op: ds.DiscardEffect
    asks = "which Status on the table do you discard?"

    @override
    def is_possible(self, context: Context) -> bool:
        """Return whether there is a card to discard."""
        cards = context.state.cards_of(self.decider(context))
        return bool(
            cards.responses if self.op.zone == "table_response" else cards.hand or cards.deck_size
        )

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        context = card_context(run.state, frame)
        country, zone = self.decider(context), self.op.zone
        reason = "cost" if frame.is_cost else "effect"
        if country and zone == "table_status" and run.state.statuses[FORCE_INDEX[country]]:
            return False
        if not country or zone in {"table_status", "table_response"}:
            advance(run, frame)
            responses = run.state.cards_of(country).responses if country else ()
            if zone == "table_response" and responses:  # at random and face down (14.1, 17.7)
                card = run.dice.pick(CardPile(sorted(responses), country, RESPONSES))
                run.move_card(
                    country, card, "responses", "discard-bottom", reason="random-response"
                )
        elif zone == "deck":
            amount = resolve_amount(self.op.amount, context)
            advance(run, frame)
            discard_deck(run, country, amount, reason)
        else:
            run.replace_top(replace(frame, stage="inside"))
            types, max_cards = self.op.card_types, self.op.up_to
            if max_cards:
                run.push(
                    HandDiscardFrame(country=country, left=max_cards, optional=True, why=reason)
                )
            else:
                amount = resolve_amount(self.op.amount, context)
                discard_hand(run, country, amount, types, reason=reason, is_shown=bool(types))
        return True

    @override
    def after_inner_steps(self, run: Run, frame: StepsFrame) -> None:
        """Record the number of discarded cards under the step's name."""
        count = run.take_result().cards
        if self.op.name:
            numbers = (*frame.binds.numbers, (self.op.name, count))
            frame = replace(frame, binds=replace(frame.binds, numbers=numbers))
        advance(run, frame)

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the possible discards of Statuses on the table."""
        country = self.decider(context)
        return [Discard(card=card) for card in context.state.statuses[FORCE_INDEX[country]]]

    @override
    def is_mandatory(self, frame: StepsFrame) -> bool:
        """Return True. Discarding a Status is always a cost."""
        return True

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Discard), command
        country = self.decider(card_context(run.state, frame))
        run.move_card(
            country, command.card, "statuses", "discard-top", is_shown=True, reason="discarded"
        )
        advance(run, frame)


class UnlessDiscardStep(CountryStep):
    """A country may discard cards to prevent other steps (A.2)."""

    op: ds.UnlessDiscard
    rule = "9.4"

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        # The cost can always be paid. If the hand is too small, cards are taken from the deck. If
        # the deck is too small, each missing card costs VP (9.4).
        return (Yes(),)

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        return f"discard {self.op.n} hand cards to prevent its effect?"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        country = self.decider(card_context(run.state, frame))
        run.replace_top(replace(frame, stage="inside"))
        discard_hand(run, country, self.op.n, reason="effect")

    @override
    def decline(self, run: Run, frame: StepsFrame) -> None:
        run.replace_top(replace(frame, stage="inside"))
        run.push(
            replace(frame, steps=ds.inner_name(frame.steps, frame.at), at=0, stage="", rest=())
        )


class DrawStep(CountryStep):
    """A country may draw cards (A.2)."""

    op: ds.Draw

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the choice to draw. If the deck is empty, return no choice."""
        country = self.decider(context)
        return (Yes(),) if country and context.state.cards_of(country).deck_size else ()

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        return f"draw {phrases.count_cards(self.op.n)}?"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        country = self.decider(card_context(run.state, frame))
        advance(run, frame)
        draw_cards(run, country, self.op.n, "effect")


class SearchStep(Operation):
    """The owner takes cards from its deck or discard pile (A.2)."""

    op: ds.Search

    @override
    def is_possible(self, context: Context) -> bool:
        cards = context.state.cards_of(context.owner)
        return bool(cards.deck_size if self.op.zone == "deck" else cards.discard)

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """Begin the search. If the deck is searched, shuffle it first."""
        owner = frame.source.owner
        # The rule says to shuffle the deck after the search (A.2). Shuffling before the search has
        # the same effect, and it puts all cards into one pool, so that every copy takes the card
        # from the same place.
        if self.op.zone == "deck":
            shuffle_deck(run, owner)
        run.replace_top(replace(frame, stage="inside"))
        run.push(
            SearchFrame(
                country=owner,
                zone=self.op.zone,
                type=self.op.card_type,
                left=self.op.count.most,
                to="statuses" if self.op.to == "table" else "hand",
                shown=self.op.zone == "discard" or self.op.to == "table",
            )
        )
        return True


class LookReorderStep(Operation):
    """The owner looks at the top cards of its deck and arranges them (A.2)."""

    op: ds.LookReorder

    @override
    def is_possible(self, context: Context) -> bool:
        return bool(context.state.cards_of(context.owner).deck_size)

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        owner = frame.source.owner
        total = min(self.op.n, run.state.cards_of(owner).deck_size)
        while len(run.state.cards_of(owner).deck_top) < total:
            cards = run.state.cards_of(owner)
            # Cards in the pool have no order, so each card must be picked before it can be looked
            # at (14.1).
            pile = CardPile(cards.deck, owner, DECK)
            card = run.dice.pick(pile) if pile else cards.deck_bottom[0]
            run.move_card(owner, card, "deck-below", "deck-top-end", reason="look")
        advance(run, frame)
        run.push(LookFrame(country=owner, ordered=0, total=total))
        return True


class MoveCardStep(ChoiceOperation):
    """The owner moves a card to another place (A.2)."""

    op: ds.MoveCard
    asks = "which hand card goes on the bottom of the deck?"

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """If the step names the event's card or this card, set its destination.

        Otherwise, ask for cards from the hand.
        """
        if self.op.card.ref is None:
            return super().start(run, frame)
        event = frame.source.trigger
        card = (
            frame.source.card
            if self.op.card.ref == "this"
            else event.card
            if event is not None
            else ""
        )
        # The card is put away when its own frame ends, so only its destination is changed here.
        for index in range(len(run.stack) - 1, -1, -1):
            frame_below = run.stack[index]
            if isinstance(frame_below, PlayFrame) and frame_below.card == card:
                run.stack[index] = replace(frame_below, to=self.op.to)
                break
        advance(run, frame)
        return True

    @override
    def is_possible(self, context: Context) -> bool:
        return self.op.card.ref is not None or bool(context.state.cards_of(context.owner).hand)

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return a command for each card in hand. Identical cards are listed once."""
        return [
            Take(card=card) for card in unique_copies(context.state.cards_of(context.owner).hand)
        ]

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Take), command
        run.move_card(
            frame.source.owner, command.card, "hand", self.op.to.replace("_", "-"), reason="effect"
        )
        if frame.repeats + 1 < self.op.count.most:
            run.replace_top(replace(frame, repeats=frame.repeats + 1))
        else:
            advance(run, frame)


class PileStep(CountryStep):
    """Base class of steps that use a card of a given type from the hand or the discard pile."""

    op: ds.PlaceCard | ds.PlayCard

    def known_cards(self, context: Context) -> list[str]:
        """Return the known cards of this type. Identical cards are listed once."""
        cards, card_type = context.state.cards_of(self.decider(context)), self.op.card_type
        cards_here = unique_copies(cards.hand if self.op.zone == "hand" else cards.discard)
        return [
            card for card in cards_here if card != HIDDEN and card_type in {"", CARD[card].type}
        ]

    @override
    def is_possible(self, context: Context) -> bool:
        """Return whether the pile contains a suitable card or, if it has hidden cards, may contain one."""
        return super().is_possible(context) or self._has_hidden_cards(context)

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """Skip the step if the acting player knows that there is no suitable card.

        If the acting player cannot know this, the country is asked even if it can only decline. Otherwise, skipping the
        step would reveal something about its cards (9.3).

        Raises:
            HiddenError: The acting player knows whether there is a suitable card, but this copy does not.
        """
        context = card_context(run.state, frame)
        if self.decider(context) == run.giver:
            if self._has_hidden_cards(context) and not self.options(context, frame):
                raise HiddenError("this copy does not know whether there is such a card")
            return super().start(run, frame)
        if self._has_hidden_cards(context) or self._may_contain_card(context):
            return False
        return super().start(run, frame)

    def _may_contain_card(self, context: Context) -> bool:
        """Return whether the pile contains a card that its owner may know but others may not."""
        cards = context.state.cards_of(self.decider(context))
        if self.op.zone == "hand":
            return bool(cards.hand)
        return any(card not in cards.face_up for card in cards.discard)

    def _has_hidden_cards(self, context: Context) -> bool:
        cards = context.state.cards_of(self.decider(context))
        return HIDDEN in (cards.hand if self.op.zone == "hand" else cards.discard)


class PlaceCardStep(PileStep):
    """A country puts a card on the table without playing it (A.2)."""

    op: ds.PlaceCard

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        return [Take(card=card) for card in self.known_cards(context)]

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        return f"which {phrases.card_type_name(self.op.card_type)} card goes on the table?"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        """Place the card on the table. A Status is placed face up, any other card face down."""
        assert isinstance(command, Take), command
        country = self.decider(card_context(run.state, frame))
        is_status = self.op.card_type == STATUS
        target_pile = "statuses" if is_status else "responses"
        card_type = BOLSTER if (self.op.zone, self.op.card_type) == ("hand", BOLSTER) else ""
        advance(run, frame)
        zone = self.op.zone
        run.move_card(
            country,
            command.card,
            zone,
            target_pile,
            is_shown=is_status,
            reason="place",
            card_type=card_type,
        )


class PlayCardStep(PileStep):
    """A country plays a card, with its full effect (A.2)."""

    op: ds.PlayCard
    rule = "9.7"
    takes = (Play,)

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        excluded_card = frame.source.card if self.op.exclude_self and frame is not None else ""
        return [
            Play(card=card)
            for card in self.known_cards(context)
            if CARD[card].type not in UNPLAYABLE and card != excluded_card
        ]

    @override
    def refusals(
        self, context: Context, frame: StepsFrame, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield a refusal for a card that can never be played."""
        assert isinstance(command, Play), command
        card = CARD.get(command.card)
        if card is not None and card.type in UNPLAYABLE:
            yield Refusal(Rule("13.2"), "Air Power and Bolster cards cannot be played")  # 18.33

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        zone_text = "hand" if self.op.zone == "hand" else "the discard pile"
        return f"which card do you play from {zone_text}?"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Play), command
        country = self.decider(card_context(run.state, frame))
        step: Literal["", "play"] = "play" if self._is_alternative(run) else ""
        run.replace_top(replace(frame, stage="inside"))
        play_card(run, country, command.card, self.op.zone, step)

    def _is_alternative(self, run: Run) -> bool:
        """Return whether the card in use replaces the Play step's action (18.32)."""
        user = run.stack[-2]
        return (
            isinstance(user, UseFrame)
            and CARD[user.card].abilities[user.ability].kind == "play_alternative"
        )


class ReturnRandomDiscardsStep(CountryStep):
    """A country puts random cards from its discard pile on top of its deck (A.2)."""

    op: ds.ReturnRandomDiscards

    def _count(self, context: Context) -> int:
        pile = context.state.cards_of(self.decider(context)).discard
        return min(resolve_amount(self.op.amount, context), len(pile))

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the choice to put the cards on the deck. If there are none, return no choice."""
        return (Yes(),) if self._count(context) else ()

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        return f"put {phrases.count_cards(self._count(context), 'random discarded')} on top of the deck?"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        """Pick the cards at random (14.1)."""
        context = card_context(run.state, frame)
        country = self.decider(context)
        for _ in range(self._count(context)):
            cards = run.state.cards_of(country)
            # Random picks must use the same sorted order as hidden_pile().
            card = run.dice.pick(CardPile(sorted(cards.discard), country, DISCARD))
            run.move_card(country, card, "discard", "deck-top", reason="returned")
        advance(run, frame)


OPERATIONS: Final = {
    ds.DiscardEffect: DiscardStep,
    ds.UnlessDiscard: UnlessDiscardStep,
    ds.Draw: DrawStep,
    ds.Search: SearchStep,
    ds.LookReorder: LookReorderStep,
    ds.MoveCard: MoveCardStep,
    ds.PlaceCard: PlaceCardStep,
    ds.PlayCard: PlayCardStep,
    ds.ReturnRandomDiscards: ReturnRandomDiscardsStep,
}
