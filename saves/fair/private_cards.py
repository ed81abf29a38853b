"""Tracks what a deck's owner knows: faces, blindings, and the complete form of the owner's events.

All of this can be computed from the card seed and the transcript. A seat updates it during play. Once the match is
over, ``verify`` recomputes it from the published card seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.cards import PileKind
from engine.kernel.dice import ChanceRevealedError, Dice, DraftDice
from engine.kernel.hidden import HIDDEN
from engine.kernel.ruleset import Command, Event
from saves.codec import AnyGame, codec
from saves.decoding import canonical, decode
from saves.fair.event_steps import event_step
from saves.fair.fold import label_commitment
from saves.fair.group import ZERO, Point, Scalar
from saves.fair.labels import CardLabel, Pile
from saves.fair.messages import MAX_RECORD_BYTES, Kind, LabelMove, Message, Mix
from saves.fair.mixing import MixContext, MixInput, MixPlan, OwnMix, make_mix, plan_mix
from saves.fair.opening import setup_event
from saves.fair.resolution import (
    ProposalContent,
    ResolutionProgress,
    Viewpoint,
    departures,
    resolve,
)
from saves.fair.secrets import CardSecrets, entry_commitment
from saves.fair.state import FairState, Pending, TranscriptPhase
from saves.records import Entry

COMMAND_PLACE: Final = 0


class OwnLabel(NamedTuple):
    """The owner's knowledge about a label."""

    card: str
    blinding: Scalar


class BoxedEntry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A complete command or event, as stored in an encrypted box."""

    place: int
    """The entry's place in the record: 0 for the command, 1 and up for the events."""
    tag: str
    v: int
    body: bytes


_BOXED: Final = msgspec.msgpack.Decoder(BoxedEntry)


class PrivateCards:
    """One owner's labels, mixes and complete events, updated as the transcript grows."""

    def __init__(self, state: FairState, secrets: CardSecrets) -> None:
        """Start with a transcript that has no messages yet."""
        self.role: Final = secrets.role
        self.secrets = secrets
        self._labels: dict[int, OwnLabel] = {}
        self.mixes: dict[int, MixPlan] = {}
        """The owner's mixes, by the number of their first output label."""
        self.state: Any = state.state
        """The owner's game state after the last complete record."""
        self._history: list[Any] = []
        self._without_chance: tuple[Any, Command, tuple[Event, ...]] | None = None
        """The last command that :meth:`uses_chance` resolved without randomness: state, command and events."""

    @property
    def is_current(self) -> bool:
        """Return whether :attr:`state` is up to date with the transcript's last complete record."""
        return True

    def follow(self, before: FairState, message: Message, after: FairState) -> None:
        """Update the owner's knowledge after an accepted message, given the states before and after it."""
        if before.phase is TranscriptPhase.AGREE and after.phase is not TranscriptPhase.AGREE:
            self._first_faces(after)
        self.follow_mix(before, message)
        if after.completed is not None:
            self.apply_completed(after)

    # -- labels

    def _first_faces(self, state: FairState) -> None:
        for pile in state.table.decks.get(self.role, {}).values():
            for label in pile.labels:
                self._labels[label.number] = OwnLabel(label.face, ZERO)

    def face_of(self, deck: str, label: CardLabel) -> str:
        """Return a label's face, or :data:`HIDDEN` if this owner does not know it."""
        if label.face:
            return label.face
        own_label = self._labels.get(label.number) if deck == self.role else None
        return HIDDEN if own_label is None else own_label.card

    def label_of(self, state: FairState, card: str) -> tuple[Pile, CardLabel] | None:
        """Return the pile and label of one of the owner's cards, or None if the owner knows no such label."""
        for pile in state.table.decks.get(self.role, {}).values():
            for label in pile.labels:
                if self.face_of(self.role, label) == card:
                    return pile, label
        return None

    def blinding_of(self, label: CardLabel) -> Scalar:
        """Return the blinding for one of the owner's labels. For a label from the set-up, the blinding is zero."""
        own_label = self._labels.get(label.number)
        return ZERO if own_label is None else own_label.blinding

    # -- mixes

    def mix(self, state: FairState, pile: Pile, anchor: int) -> OwnMix:
        """Compute the mix that is due at an anchor for one of the owner's piles."""
        context, inputs, order = self.mix_inputs(state, pile, anchor)
        return make_mix(self.secrets, context, inputs, order)

    def mix_inputs(
        self, state: FairState, pile: Pile, anchor: int
    ) -> tuple[MixContext, list[MixInput], tuple[int, ...] | None]:
        """Return the arguments for mixing one of the owner's piles at an anchor: context, inputs and chosen order."""
        anchor_hash = state.hash_at(anchor)
        assert anchor_hash is not None, "a due message must have a known anchor"
        setup, role = state.setup, self.role
        context = MixContext(
            header_hash=setup.header_hash,
            anchor_index=anchor,
            anchor_hash=anchor_hash,
            deck=role,
            purpose=pile.name,
        )
        labels = sorted(pile.labels, key=lambda label: label.number)
        inputs = [
            MixInput(
                label.number,
                Point(label_commitment(setup, role, label)),
                self.face_of(role, label),
                self.blinding_of(label),
            )
            for label in labels
        ]
        order = self._chosen_order(state, pile, inputs)
        return context, inputs, order

    def _chosen_order(
        self, state: FairState, pile: Pile, inputs: Sequence[MixInput]
    ) -> tuple[int, ...] | None:
        """Return the order that the rules require for an ordered pile; None for any other pile."""
        if pile.kind is not PileKind.ORDERED:
            return None
        cards = [mix_input.card for mix_input in inputs]
        piles = state.setup.game.card_piles(self.pending_state(state), self.role)
        return tuple(cards.index(card) for card in piles[pile.name].cards)

    def follow_mix(self, before: FairState, message: Message) -> None:
        """If the message is one of the owner's mixes, recompute it and store the new labels' cards and blindings."""
        if message.kind is not Kind.MIX or message.author != self.role:
            return
        body = message.body
        assert isinstance(body, Mix), "the body must match the message's kind"
        pile = before.table.pile(self.role, body.pile)
        context, inputs, order = self.mix_inputs(before, pile, message.anchor)
        plan = plan_mix(self.secrets, context, inputs, order)
        first_label = before.table.next_number
        self.mixes[first_label] = plan
        for position, (card, blinding) in enumerate(zip(plan.cards, plan.blindings, strict=True)):
            self._labels[first_label + position] = OwnLabel(card, blinding)

    # -- the owner's proposals and completions

    def uses_chance(self, game: AnyGame, command: Command) -> bool:
        """Return whether one of the owner's commands needs a random result.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            HiddenError: The rules need a card that the owner does not know.
        """
        try:
            ledger = game.run_command(self.state, self.role, command, DraftDice())
        except ChanceRevealedError:
            return True
        self._without_chance = self.state, command, ledger.events
        return False

    def resolve_pending(self, state: FairState) -> ProposalContent:
        """Resolve the owner's pending command as far as possible with the messages received so far.

        Raises:
            FlagplotError: The rules do not allow the command, or it contradicts the messages.
        """
        pending, game, own_state = state.pending, state.setup.game, self.state
        assert pending is not None, "a command must be pending"
        command = self.pending_command(state, pending)

        def decide(dice: Dice) -> tuple[Event, ...]:
            if self._without_chance is not None:
                known_state, known_command, known_events = self._without_chance
                if known_state is own_state and known_command == command:
                    return known_events
            ledger = game.ledger(own_state, dice)
            game.resolve(ledger, self.role, command)
            events: tuple[Event, ...] = ledger.events
            return events

        view = Viewpoint(game, self.role, own_state, self.face_of)
        progress = ResolutionProgress(
            state.table, pending.throws, pending.uses, len(pending.events), state.throws
        )
        return resolve(view, progress, decide)

    def completed_events(self, state: FairState) -> tuple[dict[int, Event], tuple[LabelMove, ...]]:
        """Return the last proposal's events by number, as the owner knows them, and the owner's label moves."""
        pending, game, role = state.pending, state.setup.game, self.role
        assert pending is not None, "a record must be pending"
        own_state = self.pending_state(state, pending.batch)
        view = Viewpoint(game, role, own_state, self.face_of)
        table, completed, moves = state.table, dict[int, Event](), list[LabelMove]()
        events = self.known_events(state, pending)
        for number, known_event in enumerate(events[pending.batch :], pending.batch):
            if known_event is None:
                continue
            event = known_event
            if pending.events[number].owner == role:
                event = completed[number] = game.complete_event(
                    own_state, known_event, self._picked_cards(state, number)
                )[0]
            own_decks = (role,) if role in table.decks else ()
            step = event_step(game, own_decks, number, event, own_state, is_hidden=False)
            for change in step.changes.values():
                departing = departures(table, view, change)
                moves += [
                    LabelMove(departure.label, departure.source, departure.target, number)
                    for departure in departing
                ]
                # This table only serves to find labels for later events, so the throw number and
                # message index are arbitrary.
                table = table.move(role, departing, 0, 0)
            own_state = step.after
        return completed, tuple(moves)

    def _picked_cards(self, state: FairState, number: int) -> Sequence[str]:
        """Return the owner's cards that the throw picked for an event in the pending record."""
        assert state.pending is not None, "a record must be pending"
        cards = []
        for known_use in state.pending.uses:
            if (
                known_use.use.event == number
                and known_use.use.deck == self.role
                and known_use.label is not None
            ):
                pile_and_label = state.table.find(self.role, known_use.label)
                assert pile_and_label is not None, "a picked label must be in the table"
                cards.append(self.face_of(self.role, pile_and_label[1]))
        return cards

    # -- complete events

    def boxed_entries(self, state: FairState, pending: Pending) -> Mapping[int, BoxedEntry]:
        """Return the entries in the owner's boxes by their place in the record.

        Raises:
            BoxError: A box cannot be decrypted.
            UnreadableError: A box's content cannot be decoded.
        """
        return {entry.place: entry for entry, _ in self._open_boxes(state, pending)}

    def hidden_entries(self, state: FairState, pending: Pending) -> Mapping[int, Entry]:
        """Return the entries in the owner's boxes, with salts and commitments, keyed by their place in the record.

        Raises:
            BoxError: A box cannot be decrypted.
            UnreadableError: A box's content cannot be decoded.
        """
        entries: dict[int, Entry] = {}
        for boxed_entry, anchor_hash in self._open_boxes(state, pending):
            salt = self.secrets.salt(
                anchor_hash, boxed_entry.place, boxed_entry.tag, boxed_entry.v, boxed_entry.body
            )
            commitment = entry_commitment(salt, boxed_entry.tag, boxed_entry.v, boxed_entry.body)
            entries[boxed_entry.place] = Entry(
                tag=boxed_entry.tag,
                v=boxed_entry.v,
                body=boxed_entry.body,
                commitment=commitment,
                salt=salt,
            )
        return entries

    def _open_boxes(self, state: FairState, pending: Pending) -> Iterator[tuple[BoxedEntry, bytes]]:
        """Yield the entries in the owner's boxes, each with the transcript hash at the box's anchor."""
        size = state.setup.game.hidden_entry_bytes
        boxes = list(pending.boxes)
        if pending.request is not None and pending.request.box:
            boxes.insert(0, (pending.actor, pending.request_anchor, pending.request.box))
        for owner, anchor_hash, box in boxes:
            if owner == self.role:
                for data in self.secrets.open_box(anchor_hash, box, size):
                    yield decode(_BOXED, data, MAX_RECORD_BYTES), anchor_hash

    def pending_command(self, state: FairState, pending: Pending) -> Command:
        """Return the owner's pending command in its complete form."""
        request = pending.request
        assert request is not None, "a command must be pending"
        entry = self.boxed_entries(state, pending).get(COMMAND_PLACE)
        decode = codec(state.setup.game).command
        if entry is not None:
            return decode(entry.tag, entry.v, entry.body)
        return decode(request.command.tag, request.command.v, request.command.body)

    def known_events(self, state: FairState, pending: Pending) -> list[Event | None]:
        """Return a record's events as this owner knows them, with None for an event whose kind is hidden."""
        game, own_entries = state.setup.game, self.boxed_entries(state, pending)
        decode = codec(game).event
        events: list[Event | None] = []
        for number, proposed in enumerate(pending.events):
            boxed_entry = own_entries.get(number + 1)
            entry = proposed.entry
            event: Event
            if not pending.number and not number:
                event = setup_event(state.setup)
            elif boxed_entry is not None:
                event = decode(boxed_entry.tag, boxed_entry.v, boxed_entry.body)
            else:
                event = decode(entry.tag, entry.v, entry.body)
            redacted: Event | None = game.redact(event, self.role)
            events.append(redacted)
        return events

    def pending_state(self, state: FairState, events: int | None = None) -> Any:  # noqa: ANN401
        """Return the owner's game state after applying all or the first events of the pending record.

        Args:
            state: A state with a pending record.
            events: Number of events in the record to apply; None applies all of them.
        """
        pending = state.pending
        assert pending is not None, "a record must be pending"
        own_state = self._base_state(pending)
        for event in self.known_events(state, pending)[:events]:
            if event is not None:
                own_state = state.setup.game.evolve(own_state, event)
        return own_state

    def _base_state(self, pending: Pending) -> Any:  # noqa: ANN401  # any game's state
        return self.state if pending.takeback_to is None else self._history[pending.takeback_to]

    def apply_completed(self, state: FairState) -> None:
        """Apply the events of the record that the last message completed."""
        pending = state.completed
        assert pending is not None, "a record must be complete"
        own_state = self._base_state(pending)
        for event in self.known_events(state, pending):
            if event is not None:
                own_state = state.setup.game.evolve(own_state, event)
        self.state = own_state
        self._history.append(own_state)


def entry_box(
    secrets: CardSecrets, anchor_hash: bytes, entries: Sequence[BoxedEntry], size: int
) -> bytes:
    """Encrypt entries in a box. If there are no entries, return an empty box."""
    if not entries:
        return b""
    return secrets.box(anchor_hash, [canonical(entry) for entry in entries], size)


def hidden_commitment(secrets: CardSecrets, anchor_hash: bytes, entry: BoxedEntry) -> bytes:
    """Return the commitment to a complete entry."""
    salt = secrets.salt(anchor_hash, entry.place, entry.tag, entry.v, entry.body)
    return entry_commitment(salt, entry.tag, entry.v, entry.body)
