"""Resolves commands on a copy that knows only some cards. Random results come from the parties' joint throws.

The actor resolves its command on its own copy. Every copy also resolves the opening and checks open commands on the
public state. A resolution stops if a pick needs a mix or a later throw (``stage``) or the face of another seat's card
(``ask``). Later, the resolution is repeated from the beginning, with the recorded random results in the same order.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, Literal, NamedTuple, cast

import msgspec

from engine.kernel.cards import PileKind
from engine.kernel.dice import CardPile, ChanceRevealedError, Dice, Die, EventCountingDice
from engine.kernel.errors import FlagplotError, HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.fair.derivation import UniformSource
from saves.fair.event_steps import EventStep, PileChange, event_step
from saves.fair.labels import MIXED, CardLabel, Departure, LabelTable, Pile
from saves.fair.messages import ChanceUse, LabelMove, PileName, Status
from saves.fair.pauses import without_pauses


class Throw(msgspec.Struct, frozen=True):
    """Randomness from all parties, available once every party has revealed its value."""

    number: int
    key: bytes


class KnownUse(msgspec.Struct, frozen=True):
    """A random result in a record."""

    use: ChanceUse
    throw: int
    """Number of the throw that provides the result."""
    value: int
    label: int | None = None
    """For a pick, the number of the selected label; None for a die."""


class DivergedError(FlagplotError):
    """The messages do not match the result that this copy computes for the command."""


class StopError(FlagplotError):
    """The resolution cannot continue until a pile is mixed, a throw is made or a label is opened."""

    def __init__(self, status: Literal["ask", "stage"], wanted: PileName) -> None:
        """Store the missing input.

        Args:
            status: The proposal's status.
            wanted: The pile that contains the label to pick.
        """
        self.status: Literal["ask", "stage"] = status
        self.wanted = wanted
        super().__init__(f"the resolution stops at a pick from {wanted.pile} of {wanted.deck}")


class Viewpoint(NamedTuple):
    """The information that a copy uses to resolve a command."""

    game: AnyGame
    role: Role | None
    """The copy's owner; None for the public copy."""
    state: Any
    """Game state before the record."""
    face_of: Callable[[str, CardLabel], str]
    """Returns a label's face in a deck, or :data:`HIDDEN` if this copy does not know the face."""


class ResolutionProgress(NamedTuple):
    """The state of the record in progress, as determined by its messages so far."""

    table: LabelTable
    throws: Sequence[Throw]
    uses: Sequence[KnownUse]
    events: int
    """Number of events proposed in the record so far."""
    throw_count: int
    """Number of throws that have begun in the match so far."""


class SharedDice(EventCountingDice):
    """Dice that take rolls from the throws, and picks from the throws and labels."""

    def __init__(self, view: Viewpoint, progress: ResolutionProgress) -> None:
        """Start before the record's first random result."""
        self._view = view
        self._progress = progress
        self._throws = [(throw.number, UniformSource(throw.key)) for throw in progress.throws]
        self._counts = dict.fromkeys((throw.number for throw in progress.throws), 0)
        self._recorded = list(progress.uses)
        self.uses: list[KnownUse] = []
        """All random results so far. The recorded results come first."""
        self._table = progress.table
        self._state: Any = None
        self._folded_count = -1
        """Number of events applied to the working state and table; -1 until these are first needed."""

    @property
    def has_unused(self) -> bool:
        """Return whether any recorded random results have not been used."""
        return bool(self._recorded)

    @property
    def so_far(self) -> tuple[Event, ...]:
        """Return the events that the resolution has produced so far."""
        return tuple(cast("Sequence[Event]", self._events))

    def roll(self, die: Die) -> int:
        """Roll a die and return the face."""
        return die.lowest + self._use_chance(len(die.faces))

    def pick(self, items: Sequence[str]) -> str:
        """Pick one of the items and return it. For a card whose face this copy does not know, return :data:`HIDDEN`.

        Raises:
            StopError: A mix, a throw or the face of the card is needed first.
            ChanceRevealedError: The command needs randomness, but its request declared that it needs none.
            DivergedError: The picked card or a recorded random result does not fit this resolution.
        """
        if not isinstance(items, CardPile):
            return items[self._use_chance(len(items))]
        name = PileName(items.owner, items.segment)
        select_label = self._recorded_label if self._recorded else self._draw_label
        label = select_label(name, len(items))
        face = self._view.face_of(name.deck, label)
        if items.is_shown and face == HIDDEN:
            raise StopError("ask", name)
        if face != HIDDEN and face not in items and HIDDEN not in items:
            raise DivergedError(f"{face} was picked but is not in {name.pile} of {name.deck}")
        return face

    def _use_chance(self, size: int) -> int:
        """Return a random result other than a pick from a pile. It is derived from the record's first throw."""
        if self._recorded:
            known_use = self._recorded.pop(0)
            if known_use.use.deck or known_use.use.size != size:
                raise DivergedError(
                    "a recorded random result does not match the one that the command needs"
                )
            self._count_use(known_use)
            return known_use.value
        if not self._throws:
            raise ChanceRevealedError("the command did not ask for a random result")
        # Dice always use the record's first throw, so that no die is rolled again in a later stage.
        number, source = self._throws[0]
        return self._record_use(number, source, size, PileName("", ""), ()).value

    def _recorded_label(self, name: PileName, size: int) -> CardLabel:
        known_use = self._recorded.pop(0)
        if (known_use.use.deck, known_use.use.pile, known_use.use.size) != (
            name.deck,
            name.pile,
            size,
        ):
            raise DivergedError(
                "a recorded random result does not match the one that the command needs"
            )
        self._count_use(known_use)
        assert known_use.label is not None, "a pick must have a label"
        pile_and_label = self._progress.table.find(name.deck, known_use.label)
        # A mix in a later stage may have replaced the label. The label's owner can still find the
        # face by its number.
        return CardLabel(known_use.label, b"") if pile_and_label is None else pile_and_label[1]

    def _draw_label(self, name: PileName, size: int) -> CardLabel:
        """Return the label that this pick selects at random."""
        if not self._throws:
            raise ChanceRevealedError("the command did not ask for a random result")
        self._advance()
        pile = self._table.pile(name.deck, name.pile)
        # Labels already picked for this event are still in the pile, because the event has not been
        # applied yet.
        taken_labels = {
            known_use.label for known_use in self.uses if known_use.use.event == self.event_count
        }
        available = pile.choices(taken_labels)
        throw_number = usable_throw(pile, self._progress.throws)
        if len(available) != size or throw_number is None:
            raise StopError("stage", name)
        known_use = self._record_use(
            throw_number, dict(self._throws)[throw_number], size, name, available
        )
        return next(label for label in available if label.number == known_use.label)

    def _record_use(
        self,
        number: int,
        source: UniformSource,
        size: int,
        name: PileName,
        labels: Sequence[CardLabel],
    ) -> KnownUse:
        count = self._counts[number]
        value = source.draw(count, size)
        use = ChanceUse(count, size, self.event_count, name.deck, name.pile)
        known_use = KnownUse(use, number, value, labels[value].number if labels else None)
        self._counts[number] = count + 1
        self.uses.append(known_use)
        return known_use

    def _count_use(self, known: KnownUse) -> None:
        """Skip the number of a recorded random result, so that later results continue the numbering."""
        self.uses.append(known)
        self._counts[known.throw] += 1

    def _advance(self) -> None:
        """Apply events that have not been proposed yet to the working table, using the known cards."""
        view, events = self._view, self._events
        if self._folded_count < 0:
            self._state, self._folded_count = view.state, 0
            for event in events[: self._progress.events]:
                self._state = view.game.evolve(self._state, event)
            self._folded_count = self._progress.events
        while self._folded_count < self.event_count:
            event = cast("Event", events[self._folded_count])
            step = event_step(
                view.game,
                self._table.decks,
                self._folded_count,
                event,
                self._state,
                is_hidden=False,
            )
            self._table = advance_table(
                view, self._table, step, self.uses, self._progress.throw_count
            )
            self._state = step.after
            self._folded_count += 1


def usable_throw(pile: Pile, throws: Sequence[Throw]) -> int | None:
    """Return the number of the throw to use for a pick from a pile, or None if a new stage is needed first.

    The pick uses the record's first throw that began after the pile was last mixed and after a label was last added or
    named.
    """
    if not throws:
        return None
    if pile.kind in MIXED and not pile.is_clean(throws[0].number):
        return None
    if pile.kind is PileKind.DISCARD and not pile.is_mixed:
        return None
    last_throw = max(pile.named, pile.mixed)
    return next((throw.number for throw in throws if throw.number >= last_throw), None)


def departures(table: LabelTable, view: Viewpoint, change: PileChange) -> list[Departure]:
    """Return the moves of the owner's labels in an event, found by comparing the faces before and after it.

    Labels moved to an ordered pile are listed in that pile's order. If the order within an ordered pile changes, labels
    that stay are also listed, as moves within the pile. All other labels are listed by number, because the order of the
    cards in a pile depends on faces known only to the owner.
    """
    role = view.role
    assert role is not None, "the copy must have an owner"
    numbers = {
        view.face_of(role, label): label.number
        for pile in table.decks[role].values()
        for label in pile.labels
    }
    before = change.before
    source = {card: name for name, contents in before.items() for card in contents.cards}
    departing: list[Departure] = []
    for name, contents in change.after.items():
        old_cards = before[name].cards if name in before else ()
        is_reordered = contents.kind is PileKind.ORDERED and not _keeps_order(
            old_cards, contents.cards
        )
        moved = [
            Departure(numbers[card], source[card], name)
            for card in contents.cards
            if source[card] != name or is_reordered
        ]
        if contents.kind is not PileKind.ORDERED:
            moved.sort(key=lambda departure: departure.label)
        departing += moved
    return departing


def _keeps_order(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether the cards that stay in an ordered pile keep their relative order."""
    kept_cards = [card for card in new if card in old]
    return kept_cards == [card for card in old if card in kept_cards]


def advance_table(
    view: Viewpoint, table: LabelTable, step: EventStep, uses: Sequence[KnownUse], throws_begun: int
) -> LabelTable:
    """Return the table after an event, updated from this copy's knowledge.

    Except for labels picked at random, only the owner knows which labels are added to or removed from its piles. The
    owner reports these moves when completing the event.
    """
    own_role = view.role
    table_by_counts = count_moves(table, step, uses, throws_begun)
    if own_role is None or own_role not in table.decks:
        return table_by_counts
    change = step.changes.get(own_role)
    if change is not None:
        moves = departures(table, view, change)
        table = table.move(
            own_role, moves, throws_begun, index=0, picked=_picked_labels(uses, step, own_role)
        )
    return table_by_counts.with_deck(own_role, table.decks[own_role])


def count_moves(
    table: LabelTable, step: EventStep, uses: Sequence[KnownUse], throws_begun: int
) -> LabelTable:
    """Return the table after an event, computed only from pile sizes and public cards."""
    for role, (before, after) in step.changes.items():
        picked_labels = _picked_labels(uses, step, role)
        for name, contents in after.items():
            pile = table.pile(role, name)
            visible_before = before[name].cards if name in before else ()
            new_pile = _count_pile(
                pile, visible_before, contents.cards, picked_labels, throws_begun
            )
            if new_pile is not pile:
                table = table.with_pile(role, new_pile)
    return table


def _picked_labels(uses: Sequence[KnownUse], step: EventStep, deck: str) -> frozenset[int]:
    return frozenset(
        known_use.label
        for known_use in uses
        if known_use.label is not None
        and known_use.use.event == step.number
        and known_use.use.deck == deck
    )


def _count_pile(
    pile: Pile,
    before: Sequence[str],
    after: Sequence[str],
    picked: frozenset[int],
    throws_begun: int,
) -> Pile:
    """Return a pile after an event.

    If this copy cannot tell which labels leave, none are removed, and later picks from the pile need a new throw.
    """
    gone_cards = {card for card in before if card not in after} - {HIDDEN}
    remaining = tuple(
        label
        for label in pile.labels
        if label.number not in picked and label.face not in gone_cards
    )
    kept_count = len(before) - (len(pile.labels) - len(remaining))
    if len(after) != kept_count:
        is_dirty = pile.is_dirty or len(after) > kept_count
        return msgspec.structs.replace(
            pile, labels=remaining, is_dirty=is_dirty, named=throws_begun
        )
    return (
        pile
        if len(remaining) == len(pile.labels)
        else msgspec.structs.replace(pile, labels=remaining)
    )


class ProposalContent(NamedTuple):
    """The content of a proposal before its entries are encoded."""

    events: tuple[Event, ...]
    """Events since the last proposal."""
    uses: tuple[KnownUse, ...]
    """Random results since the last proposal."""
    moves: tuple[tuple[int, Departure], ...]
    """Moves of the actor's own labels, each with the number of its event."""
    status: Status
    wanted: PileName | None

    @property
    def message_moves(self) -> tuple[LabelMove, ...]:
        """Convert the moves to the form used in messages."""
        return tuple(
            LabelMove(departure.label, departure.source, departure.target, event)
            for event, departure in self.moves
        )


def resolve(
    view: Viewpoint, progress: ResolutionProgress, decide: Callable[[Dice], tuple[Event, ...]]
) -> ProposalContent:
    """Resolve a command as far as possible.

    Args:
        view: The actor's copy or the public copy.
        progress: The record's state, as determined by its messages so far.
        decide: Resolves the command with the given dice. The resulting events must depend only on the dice.

    Raises:
        DivergedError: The recorded random results do not fit this resolution.
        ChanceRevealedError: The command needs randomness, but its request declared that it needs none.
        HiddenError: The rules need a face that this copy does not know.
    """
    return without_pauses(resolve_in_steps(view, progress, decide))


def resolve_in_steps(
    view: Viewpoint, progress: ResolutionProgress, decide: Callable[[Dice], tuple[Event, ...]]
) -> Generator[None, None, ProposalContent]:
    """Compute the same result as :func:`resolve`, but yield before processing each event."""
    dice = SharedDice(view, progress)
    status: Status = "done"
    wanted: PileName | None = None
    try:
        events = decide(dice)
    except StopError as stop:
        events, status, wanted = dice.so_far, stop.status, stop.wanted
    plan = yield from _truncate(view, progress, dice, events)
    return plan if plan.status != "done" else plan._replace(status=status, wanted=wanted)


def resolve_publicly(
    view: Viewpoint,
    progress: ResolutionProgress,
    decide: Callable[[Dice], tuple[Event, ...]],
    actor: Role,
) -> tuple[ProposalContent, bool]:
    """Resolve another seat's command as far as this copy allows.

    Args:
        view: The public copy.
        progress: The record's state, as determined by its messages so far.
        decide: Resolves the command with the given dice.
        actor: The role that gave the command and knows its own cards.

    Returns:
        The plan, and whether the plan is complete. In an incomplete plan, only the events and random results are
            meaningful.

    Raises:
        DivergedError: The recorded random results do not fit this resolution.
        ChanceRevealedError: The command needs randomness, but its request declared that it needs none.
    """
    dice = SharedDice(view, progress)
    status: Status = "done"
    wanted: PileName | None = None
    is_complete = True
    try:
        events = decide(dice)
    except StopError as stop:
        events, status, wanted = dice.so_far, stop.status, stop.wanted
        # The actor knows the faces in its own deck, so its resolution continues past the point
        # where this copy stops.
        is_complete = stop.status == "stage" or stop.wanted.deck != actor
    except HiddenError:
        events, is_complete = dice.so_far, False
    plan = without_pauses(_truncate(view, progress, dice, events))
    return (
        plan if plan.status != "done" else plan._replace(status=status, wanted=wanted)
    ), is_complete


def _truncate(
    view: Viewpoint, progress: ResolutionProgress, dice: SharedDice, events: Sequence[Event]
) -> Generator[None, None, ProposalContent]:
    """Return the plan, cut off before the first event that names a label in an unmixed pile.

    Yield before each event.
    """
    first_event, table = progress.events, progress.table
    uses, new_uses = tuple(dice.uses), tuple(dice.uses[len(progress.uses) :])
    moves: list[tuple[int, Departure]] = []
    state = view.state
    for event in events[:first_event]:
        state = view.game.evolve(state, event)
    for number, event in enumerate(events[first_event:], first_event):
        yield
        is_hidden = view.game.redact(event, None) != event
        step = event_step(view.game, table.decks, number, event, state, is_hidden=is_hidden)
        unmixed_pile = find_unmixed_pile(view, table, step, uses, progress.throws)
        if unmixed_pile is not None:
            kept_uses = tuple(known_use for known_use in new_uses if known_use.use.event < number)
            return ProposalContent(
                tuple(events[first_event:number]), kept_uses, tuple(moves), "stage", unmixed_pile
            )
        own_change = None if view.role is None else step.changes.get(view.role)
        if own_change is not None:
            moves += [(number, departure) for departure in departures(table, view, own_change)]
        table = advance_table(view, table, step, uses, progress.throw_count)
        state = step.after
    return ProposalContent(tuple(events[first_event:]), new_uses, tuple(moves), "done", None)


def find_unmixed_pile(
    view: Viewpoint,
    table: LabelTable,
    step: EventStep,
    uses: Sequence[KnownUse],
    throws: Sequence[Throw],
) -> PileName | None:
    """Return a pile that must be mixed before an event names one of its labels; None if there is no such pile."""
    first_throw = throws[0].number if throws else None
    for role, change in step.changes.items():
        picked_labels = _picked_labels(uses, step, role)
        for name, contents in change.before.items():
            pile = table.pile(role, name)
            if role == view.role:
                departing = [
                    move for move in departures(table, view, change) if move.source == name
                ]
                named_labels = [move.label for move in departing if move.label not in picked_labels]
                is_whole_pile = len(departing) == len(pile.labels)
            else:
                lost = len(contents.cards) - len(change.after[name].cards) - len(picked_labels)
                # Only the owner knows which labels leave, so any label may be named. That is
                # allowed only if the pile is clean.
                named_labels = [label.number for label in pile.labels[:1]] if lost > 0 else []
                is_whole_pile = lost + len(picked_labels) >= len(contents.cards)
            if (
                named_labels
                and not is_whole_pile
                and not all(
                    may_name(pile, number, first_throw, is_hidden=step.is_hidden)
                    for number in named_labels
                )
            ):
                return PileName(role, name)
    return None


def may_name(pile: Pile, number: int, first_throw: int | None, *, is_hidden: bool) -> bool:
    """Return whether naming one of a pile's labels reveals only what the rules make public.

    Args:
        pile: The pile that contains the label.
        number: The label's number.
        first_throw: Number of the record's first throw; None if the record has no throw yet.
        is_hidden: True if part of the event that moves the label is hidden from the public.
    """
    label = pile.label(number)
    if label is None:
        return False
    if pile.kind is PileKind.DISCARD:
        return not is_hidden or (pile.is_mixed and not label.face)
    if pile.kind in MIXED and not label.face:
        return pile.is_clean(first_throw)
    return True
