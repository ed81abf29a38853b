"""Cards: drawing, discarding, depletion, playing (9, 10.7, 11.1)."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg.commands import Discard, Done, Name, QmgCommand, Take, Yes
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import STEP_LISTS, EwDiscard, ForEachCountry, Op
from engine.qmg.events import (
    CardPlayed,
    CardsMoved,
    DeckShuffled,
    TopOrdered,
    UseCancelled,
    VpChanged,
)
from engine.qmg.frames import (
    Frame,
    HandDiscardFrame,
    LookFrame,
    PlayFrame,
    SearchFrame,
    Source,
    StepsFrame,
    Trigger,
)
from engine.qmg.ids import (
    AIR_POWER,
    BASIC_TYPES,
    BOLSTER,
    BUILD_ARMY,
    BUILD_NAVY,
    ECONOMIC_WARFARE,
    HIDDEN,
    RESPONSE,
    STATUS,
    TEAM_OF,
)
from engine.qmg.run import Handler, QmgDecision, Result, Run, question
from engine.qmg.state import Cards, State
from engine.qmg.terms import context, holds

UNPLAYABLE: Final = (AIR_POWER, BOLSTER)
"""Types that are never the play of a card (13.2)."""


def copies_once(cards: Sequence[str]) -> tuple[str, ...]:
    """Return cards without further copies of the same card; the first of each stands for all."""
    seen: set[str] = set()
    found = []
    for card in cards:
        name = card.partition("#")[0]
        if name not in seen or card == HIDDEN:
            seen.add(name)
            found.append(card)
    return tuple(found)


# -- the deck


def next_card(run: Run, country: str) -> str:
    """Return the card on top of the deck, picked at this moment where its order is unknown; empty without a deck."""
    cards = run.state.cards_of(country)
    if cards.top:
        return cards.top[0]
    if cards.pool:
        return run.dice.pick(cards.pool)
    return cards.bottom[0] if cards.bottom else ""


def draw(run: Run, country: str, count: int, why: str = "draw") -> int:
    """Draw up to so many cards and return how many there were (8.5)."""
    drawn: list[str] = []
    for _ in range(count):
        card = next_card(run, country)
        if not card:
            break
        drawn.append(card)
        run.add(CardsMoved(country=country, cards=(card,), source="deck", to="hand", why=why))
    return len(drawn)


def discard_deck(run: Run, country: str, count: int, why: str) -> None:
    """Discard the top cards of a deck face down; the team loses 1 VP for each missing one (9.4)."""
    for number in range(count):
        card = next_card(run, country)
        if not card:
            lose_vp(run, country, count - number)
            return
        run.add(
            CardsMoved(country=country, cards=(card,), source="deck", to="discard-bottom", why=why)
        )


def lose_vp(run: Run, country: str, count: int) -> None:
    """Let the team of a country lose VP for cards that are not there (9.4)."""
    run.add(VpChanged(team=TEAM_OF[country], amount=-count, why="cards"))


def shuffle(run: Run, country: str) -> None:
    """Shuffle the deck."""
    run.add(DeckShuffled(country=country))


def open_top(cards: Cards, taken: Sequence[str]) -> str:
    """Return the card on top of a discard pile after cards were taken out, if it lies face up."""
    left = [card for card in cards.discard if card not in taken]
    return left[-1] if left and left[-1] in cards.open else ""


def from_discard(run: Run, country: str, card: str, to: str, *, shown: bool, why: str = "") -> None:
    """Take a card out of a discard pile."""
    cards = run.state.cards_of(country)
    run.add(
        CardsMoved(
            country=country,
            cards=(card,),
            source="discard",
            to=to,
            shown=shown,
            why=why,
            top="" if shown else open_top(cards, (card,)),
        )
    )


def to_discard_top(run: Run, country: str, card: str, source: str) -> None:
    """Put a card face up on its discard pile."""
    run.add(
        CardsMoved(
            country=country, cards=(card,), source=source, to="discard-top", shown=True, why="used"
        )
    )


# -- discarding from hand


def discard_hand(
    run: Run,
    country: str,
    count: int,
    types: tuple[str, ...] = (),
    *,
    why: str,
    shown: bool = False,
) -> None:
    """Let a country discard so many hand cards; what its hand lacks comes from the deck (9.4).

    With types only cards of these will do, and nothing comes from the deck.
    """
    hand = len(run.state.cards_of(country).hand)
    overflow = 0 if types else max(0, count - hand)
    run.push(
        HandDiscardFrame(
            country=country,
            left=count - overflow,
            types=types,
            overflow=overflow,
            why=why,
            shown=shown,
        )
    )


class HandDiscardHandler(Handler[HandDiscardFrame]):
    """The country picks the cards, one at a time (9.4)."""

    frame = HandDiscardFrame

    def go(self, run: Run, frame: HandDiscardFrame) -> bool:
        """Discard without a question what leaves no choice."""
        hand = run.state.cards_of(frame.country).hand
        if frame.left > 0 and not frame.optional and not frame.types and len(hand) == frame.left:
            run.add(
                CardsMoved(
                    country=frame.country,
                    cards=hand,
                    source="hand",
                    to="discard-bottom",
                    why=frame.why,
                )
            )
            count = frame.count + frame.left
            run.swap(replace(frame, left=0, count=count))
            return True
        if frame.left > 0 and self._cards(run.state, frame):
            return False
        if frame.overflow:
            discard_deck(run, frame.country, frame.overflow, frame.why)
        run.leave(Result(cards=frame.count))
        return True

    def _cards(self, state: State, frame: HandDiscardFrame) -> tuple[str, ...]:
        hand = state.cards_of(frame.country).hand
        return copies_once(
            [
                card
                for card in hand
                if not frame.types or card == HIDDEN or CARD[card].type in frame.types
            ]
        )

    def asked(self, state: State, frame: HandDiscardFrame) -> tuple[str, ...]:
        """Return the country."""
        return (frame.country,)

    def decision(
        self, state: State, stack: Sequence[Frame], frame: HandDiscardFrame, role: str
    ) -> QmgDecision:
        """Ask for one card."""
        options: list[QmgCommand] = [Discard(card=card) for card in self._cards(state, frame)]
        if frame.optional:
            options.append(Done())
        much = f"up to {frame.left}" if frame.optional else f"{frame.left}"
        kind = " or ".join(one.replace("_", " ") for one in frame.types)
        return question(
            role,
            "9.4",
            f"Discard {much} more {kind + ' ' if kind else ''}card(s) from hand",
            options,
        )

    def resolve(self, run: Run, frame: HandDiscardFrame, role: str, command: QmgCommand) -> None:
        """Discard the card."""
        if isinstance(command, Done):
            run.swap(replace(frame, left=0))
            return
        assert isinstance(command, Discard), command
        run.add(
            CardsMoved(
                country=role,
                cards=(command.card,),
                source="hand",
                to="discard-bottom",
                why=frame.why,
                card_type=CARD[command.card].type if frame.shown else "",
            )
        )
        run.swap(replace(frame, left=frame.left - 1, count=frame.count + 1))

    def why_not(
        self,
        state: State,
        stack: Sequence[Frame],
        frame: HandDiscardFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what must be discarded."""
        yield Refusal(Rule("9.4"), f"{frame.left} card(s) from hand must be discarded first")


# -- looking and searching


class SearchHandler(Handler[SearchFrame]):
    """Takes cards out of the deck or the discard pile (8.3, A.2)."""

    frame = SearchFrame

    def go(self, run: Run, frame: SearchFrame) -> bool:
        """Ask while there is something to take."""
        if frame.left and self._cards(run.state, frame):
            return False
        run.leave()
        return True

    def _zones(self, frame: SearchFrame) -> tuple[str, ...]:
        return tuple(frame.zone.split("+"))

    def _cards(self, state: State, frame: SearchFrame) -> tuple[str, ...]:
        """Return the cards to choose from; of copies one in each zone, since the zone is a choice too (A.3)."""
        cards = state.cards_of(frame.country)
        found: tuple[str, ...] = ()
        for zone in self._zones(frame):
            held = cards.pool if zone == "deck" else cards.discard
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

    def decision(
        self, state: State, stack: Sequence[Frame], frame: SearchFrame, role: str
    ) -> QmgDecision:
        """Ask for a card."""
        options = [Take(card=card) for card in self._cards(state, frame)]
        what = frame.type.replace("_", " ")
        return question(
            role,
            "8.3" if frame.type == "basic" else "9.3",
            f"Take up to {frame.left} {what + ' ' if what else ''}card(s)",
            [*options, Done()],
        )

    def resolve(self, run: Run, frame: SearchFrame, role: str, command: QmgCommand) -> None:
        """Take the card."""
        if isinstance(command, Done):
            run.swap(replace(frame, left=0))
            return
        assert isinstance(command, Take), command
        cards = run.state.cards_of(role)
        if command.card in cards.pool:
            run.add(
                CardsMoved(
                    country=role,
                    cards=(command.card,),
                    source="deck",
                    to=frame.to,
                    shown=frame.shown,
                    why="search",
                )
            )
        else:
            from_discard(run, role, command.card, frame.to, shown=frame.shown, why="search")
        run.swap(replace(frame, left=frame.left - 1))

    def why_not(
        self,
        state: State,
        stack: Sequence[Frame],
        frame: SearchFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what may be taken."""
        what = "a Build Army, Build Navy, Land Battle or Sea Battle card"
        yield Refusal(
            Rule("8.3" if frame.type == "basic" else "9.3"),
            f"{what if frame.type == 'basic' else frame.type or 'a card'} of these cards is to be taken",
        )


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

    def decision(
        self, state: State, stack: Sequence[Frame], frame: LookFrame, role: str
    ) -> QmgDecision:
        """Ask for the next card from the top."""
        top = state.cards_of(role).top[frame.ordered : frame.total]
        return question(
            role,
            "9.3",
            f"Which card comes {frame.ordered + 1}. from the top?",
            [Take(card=card) for card in top],
        )

    def resolve(self, run: Run, frame: LookFrame, role: str, command: QmgCommand) -> None:
        """Put the card at its place."""
        assert isinstance(command, Take), command
        seen = run.state.cards_of(role).top[: frame.total]
        first, rest = seen[: frame.ordered], list(seen[frame.ordered :])
        rest.remove(command.card)
        run.add(TopOrdered(country=role, cards=(*first, command.card, *rest)))
        run.swap(replace(frame, ordered=frame.ordered + 1))


# -- playing a card


def play_card(run: Run, country: str, card: str, source: str, step: str = "") -> None:
    """Play a card of the hand or the discard pile with full effect (10.7)."""
    if CARD[card].type == RESPONSE:
        if source == "hand":
            run.add(
                CardsMoved(
                    country=country, cards=(card,), source="hand", to="responses", why="play"
                )
            )
        else:
            from_discard(run, country, card, "responses", shown=False, why="play")
        _card_played(run, country, HIDDEN, step)
        return
    if source == "hand":
        run.add(
            CardsMoved(
                country=country, cards=(card,), source="hand", to="play", shown=True, why="play"
            )
        )
    else:
        from_discard(run, country, card, "play", shown=True, why="play")
    run.push(PlayFrame(country=country, card=card, step=step))


def _card_played(run: Run, country: str, card: str, step: str) -> None:
    run.window(
        Trigger(kind="card_played", cause=TEAM_OF[country], by=country, card=card, step=step)
    )


def ew_discards(steps: str) -> Iterator[tuple[EwDiscard, tuple[str, ...]]]:
    """Yield the Economic Warfare discards of a card with the countries for which each is resolved."""
    for step in STEP_LISTS[steps]:
        yield from _ew_within(step, ())


def _ew_within(step: Op, each: tuple[str, ...]) -> Iterator[tuple[EwDiscard, tuple[str, ...]]]:
    if isinstance(step, EwDiscard):
        yield step, each
    elif isinstance(step, ForEachCountry):
        for inner in STEP_LISTS[step.steps]:
            yield from _ew_within(inner, step.countries)
    else:
        for name in (*getattr(step, "options", ()), *_inner(step)):
            for inner in STEP_LISTS[name]:
                yield from _ew_within(inner, each)


def _inner(step: Op) -> tuple[str, ...]:
    name = getattr(step, "steps", "")
    return (name,) if isinstance(name, str) and name in STEP_LISTS else ()


class PlayHandler(Handler[PlayFrame]):
    """The text of a played card, Economic Warfare included (10.7, 11.1)."""

    frame = PlayFrame

    def go(self, run: Run, frame: PlayFrame) -> bool:
        """Go one stage on."""
        card = CARD[frame.card]
        match frame.stage:
            case "":
                return self._begin(run, frame)
            case "target":
                if self._targets(run.state, frame):
                    return False
                self._open_ew(run, frame)
            case "answered":
                self._after_ew_window(run, frame)
            case "cost":
                return self._offer_cost(run, frame)
            case "paid":
                run.swap(replace(frame, stage="after"))
                ability = card.on_play()
                if ability is not None and ability.steps:
                    run.push(self._steps(frame, ability.steps))
            case "after":
                run.swap(replace(frame, stage="end"))
                _card_played(run, frame.country, frame.card, frame.step)
            case _:
                self._put_away(run, frame)
                run.leave()
        return True

    def _begin(self, run: Run, frame: PlayFrame) -> bool:
        card = CARD[frame.card]
        if card.type == STATUS:
            run.add(
                CardsMoved(
                    country=frame.country,
                    cards=(frame.card,),
                    source="play",
                    to="statuses",
                    shown=True,
                    why="play",
                )
            )
            run.swap(replace(frame, stage="after"))
        elif card.type == ECONOMIC_WARFARE:
            if self._targets(run.state, frame):
                run.swap(replace(frame, stage="target"))
            else:
                self._open_ew(run, frame)
        else:
            run.add(CardPlayed(country=frame.country, card=frame.card))
            run.swap(replace(frame, stage="cost"))
        return True

    # Economic Warfare

    def _targets(self, state: State, frame: PlayFrame) -> tuple[str, ...]:
        """Return the countries among which the card lets its player choose."""
        ability = CARD[frame.card].on_play()
        assert ability is not None
        for step, _ in ew_discards(ability.steps):
            if step.choose:
                at = context(state, frame.country)
                return tuple(
                    country
                    for country in step.choose
                    if holds(
                        step.where,
                        replace(at, binds=replace(at.binds, chosen=country)),
                    )
                )
        return ()

    def _open_ew(self, run: Run, frame: PlayFrame) -> None:
        ability = CARD[frame.card].on_play()
        assert ability is not None
        targets: tuple[str, ...] = (frame.target,) if frame.target else ()
        if not targets:
            for step, each in ew_discards(ability.steps):
                if step.choose:
                    continue
                targets += each if step.target == "each" else (step.target,)
        run.add(CardPlayed(country=frame.country, card=frame.card, target=frame.target))
        run.swap(replace(frame, stage="answered"))
        run.window(
            Trigger(
                kind="ew_played",
                cause=TEAM_OF[frame.country],
                by=frame.country,
                card=frame.card,
                targets=tuple(dict.fromkeys(targets)),
            )
        )

    def _after_ew_window(self, run: Run, frame: PlayFrame) -> None:
        result = run.take()
        if result.cancelled:
            run.add(UseCancelled(card=frame.card))
            run.swap(replace(frame, stage="after", cancelled=True))
        else:
            run.swap(replace(frame, stage="cost", boosts=result.changes))

    # the text

    def _offer_cost(self, run: Run, frame: PlayFrame) -> bool:
        ability = CARD[frame.card].on_play()
        if ability is None or not holds(ability.condition, context(run.state, frame.country)):
            run.swap(replace(frame, stage="after"))
            return True
        if not ability.cost:
            run.swap(replace(frame, stage="paid"))
            return True
        return False

    def _steps(self, frame: PlayFrame, steps: str) -> StepsFrame:
        is_build = CARD[frame.card].type in {BUILD_ARMY, BUILD_NAVY}
        return StepsFrame(
            steps=steps,
            source=Source(owner=frame.country, card=frame.card, by_build_card=is_build),
        )

    def _put_away(self, run: Run, frame: PlayFrame) -> None:
        if CARD[frame.card].type == STATUS:
            return
        to = frame.to or "discard-top"
        target = {"deck_top": "deck-top", "deck_shuffle": "deck-pool", "hand": "hand"}.get(to, to)
        run.add(
            CardsMoved(
                country=frame.country,
                cards=(frame.card,),
                source="play",
                to=target,
                shown=True,
                why="used",
            )
        )
        if to == "deck_shuffle":
            shuffle(run, frame.country)

    # questions

    def asked(self, state: State, frame: PlayFrame) -> tuple[str, ...]:
        """Return the player of the card."""
        return (frame.country,)

    def decision(
        self, state: State, stack: Sequence[Frame], frame: PlayFrame, role: str
    ) -> QmgDecision:
        """Ask for the target of Economic Warfare, or whether the cost is paid."""
        name = CARD[frame.card].name
        if frame.stage == "target":
            options = [Name(force=country) for country in self._targets(state, frame)]
            return question(role, "11.1", f"{name}: against which country?", options)
        return question(role, "9.5", f"{name}: pay its cost?", [Yes(), Done()])

    def resolve(self, run: Run, frame: PlayFrame, role: str, command: QmgCommand) -> None:
        """Take the answer."""
        if isinstance(command, Name):
            named = replace(frame, target=command.force)
            run.swap(named)
            self._open_ew(run, named)
            return
        if isinstance(command, Done):
            run.swap(replace(frame, stage="after"))
            return
        ability = CARD[frame.card].on_play()
        assert ability is not None
        run.swap(replace(frame, stage="paid"))
        run.push(replace(self._steps(frame, ability.cost), is_cost=True))
