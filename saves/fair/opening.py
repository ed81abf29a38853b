"""Computes a fair match's opening, which every copy derives from the header and the first throw."""

from collections.abc import Generator, Sequence
from typing import Any

import msgspec
from typing_extensions import override

from engine.kernel.dice import SECRET_BYTES, CardPile, DerivedDice, Dice, Die, EventCountingDice
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import codec
from saves.fair.labels import first_table
from saves.fair.messages import HOST, Proposal, ProposedEvent, PublicEntry
from saves.fair.proposals import with_events
from saves.fair.resolution import ResolutionProgress, Viewpoint, resolve_in_steps
from saves.fair.state import FairState, MatchSetup, OwedOpen, Pending, TranscriptPhase

change = msgspec.structs.replace


def setup_event(setup: MatchSetup) -> Event:
    """Return the set-up event. If this copy does not know the position, return the event's public form."""
    if not setup.knows_position:
        assert setup.own_setup is not None, "only a custom position may be unknown"
        return setup.own_setup
    # The set-up event precedes all random results, so it does not depend on the dice.
    events: tuple[Event, ...] = setup.game.open_game(
        setup.position, DerivedDice(bytes(SECRET_BYTES), 0)
    )
    return events[0]


class _NamingDice(EventCountingDice):
    """Dice for a trial deal, which finds the cards that the opening takes by name from a pile it also draws from."""

    def __init__(self, setup: MatchSetup) -> None:
        self._game = setup.game
        self._dice = DerivedDice(bytes(SECRET_BYTES), 0)
        self._picked: set[str] = set()
        self._state: Any = None
        self._folded_count = 0
        """Number of events already applied to the state."""
        self.named: dict[OwedOpen, None] = {}

    @override
    def observe(self, events: Sequence[object]) -> None:
        super().observe(events)
        self._state, self._folded_count = self._game.initial_state(), 0

    def roll(self, die: Die) -> int:
        """Return an arbitrary face, because the trial deal does not depend on it."""
        return self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return an arbitrary item, and note which cards have been taken from the pile by name."""
        card = self._dice.pick(items)
        if isinstance(items, CardPile):
            for event in self._events[self._folded_count :]:
                self._state = self._game.evolve(self._state, event)
            self._folded_count = len(self._events)
            cards = self._game.card_piles(self._state, Role(items.owner))[items.segment].cards
            # A card of this pile that is neither on offer nor already picked has been taken by
            # name.
            for known_card in cards:
                if known_card not in items and known_card not in self._picked:
                    self.named[OwedOpen(Role(items.owner), known_card)] = None
            self._picked.add(card)
        return card


def named_cards(setup: MatchSetup) -> tuple[OwedOpen, ...]:
    """Return the cards that the opening deals by name. Their owners must open these cards before the first throw."""
    dice = _NamingDice(setup)
    setup.game.open_game(setup.position, dice)
    return tuple(dice.named)


def first_state(state: FairState) -> FairState:
    """Return the state before the first throw. In this state, the decks from the set-up have yet to be mixed."""
    setup, game = state.setup, state.setup.game
    full_event = setup_event(setup)
    full_state = game.evolve(game.initial_state(), full_event)
    table = state.table
    if setup.deals:
        decks = {party.role: game.decks()[party.role] for party in setup.parties}
        table = first_table(decks, {role: game.card_piles(full_state, role) for role in decks})
    public_event = game.redact(full_event, None)
    assert public_event is not None, "a set-up must be visible to everyone"
    pending = Pending(
        number=0,
        actor=HOST,
        uses_chance=True,
        since=state.index,
        opens=named_cards(setup) if setup.deals else (),
        events=(public_opening_event(setup, public_event),),
        state=game.evolve(game.initial_state(), public_event),
    )
    return change(state, phase=TranscriptPhase.PREPARE, table=table, pending=pending)


def public_opening_event(setup: MatchSetup, event: Event) -> ProposedEvent:
    """Return an opening event in the form that every copy computes."""
    owner = setup.game.secret_owner(event)
    return ProposedEvent(
        PublicEntry(*codec(setup.game).pack(event)), "" if owner is None else owner
    )


def with_opening(state: FairState) -> Generator[None, None, FairState]:
    """Deal the opening as far as the throws so far allow, and return the state.

    The generator yields once after the rules have dealt, and then between the deal's events.
    """
    setup, pending, game = state.setup, state.pending, state.setup.game
    assert pending is not None, "the opening must be pending"
    setup_state: Any = codec(game).event(*_packed_event(pending.events[0]))

    def decide(dice: Dice) -> tuple[Event, ...]:
        events: tuple[Event, ...] = game.open_game(setup_state.position, dice)
        return events

    view = Viewpoint(game, None, game.initial_state(), lambda _, label: label.face or HIDDEN)
    progress = ResolutionProgress(
        state.table, pending.throws, pending.uses, len(pending.events), state.throws
    )
    plan = yield from resolve_in_steps(view, progress, decide)
    body = Proposal(
        events=tuple(public_opening_event(setup, event) for event in plan.events),
        uses=tuple(known_use.use for known_use in plan.uses),
        moves=(),
        status=plan.status,
        wanted=plan.wanted,
    )
    return (yield from with_events(state, body, state.index))


def _packed_event(event: ProposedEvent) -> tuple[str, int, bytes]:
    return event.entry.tag, event.entry.v, event.entry.body
