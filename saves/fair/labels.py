"""Implements the label table, which contains the public positions of the cards in all decks (protocol 7).

Each label represents one card. The label's point is a commitment to the card's face. Only the owner knows the face
until the label is opened. Tables are immutable: a change returns a new table that shares the unchanged parts.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from engine.kernel.cards import PileContents, PileKind
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role

MIXED: Final = frozenset({PileKind.RANDOM, PileKind.HAND})
"""Kinds of piles that must be mixed before a label is picked at random or named by the owner."""
NEVER: Final = -1


class LabelError(FlagplotError):
    """A move, mix or pick does not fit the label table."""


class CardLabel(msgspec.Struct, frozen=True, gc=False):
    """A label, which represents one card in a deck."""

    number: int
    """Label number, unique within the match and never reused."""
    point: bytes
    """Commitment to the face; empty for a label from the set-up, whose face is public."""
    face: str = ""
    """The card's name; empty until it is public."""


class Pile(msgspec.Struct, frozen=True):
    """One pile in a deck, and the labels in it."""

    name: str
    kind: PileKind
    labels: tuple[CardLabel, ...] = ()
    """The pile's labels, sorted by number. In an ordered pile, they are in drawing order instead."""
    is_dirty: bool = False
    """True if a label has been added since the last mix. The label's number could then still identify its card."""
    named: int = NEVER
    """Number of throws that had begun when a label was last added or named.

    ``NEVER`` if no label has been added or named since the last mix.
    """
    mixed: int = NEVER
    """Number of throws that had begun at the last mix; ``NEVER`` before the first mix.

    The owner may have known their results when choosing the order of the labels.
    """
    changed: int = 0
    """Index of the last message that changed the pile."""

    @property
    def is_mixed(self) -> bool:
        """Return whether the pile is mixed: no label has been added since the last mix, and no label shows its face."""
        return not self.is_dirty and not any(label.face for label in self.labels)

    def choices(self, taken: Collection[int | None]) -> tuple[CardLabel, ...]:
        """Return the labels that can be picked at random and have not already been taken.

        In a deck's random segment, a card opened before the throw is dealt by name, so such a card is never picked at
        random.
        """
        is_segment = self.kind is PileKind.RANDOM
        return tuple(
            label
            for label in self.labels
            if label.number not in taken and not (is_segment and label.face)
        )

    def label(self, number: int) -> CardLabel | None:
        """Return the label with this number, or None if this pile has no such label."""
        return next((label for label in self.labels if label.number == number), None)

    def is_clean(self, first_throw: int | None) -> bool:
        """Return whether a label can be named or picked without revealing when its card was added to the pile.

        Args:
            first_throw: Number of the current record's first throw; None if the record has no throw yet.
        """
        if self.is_dirty:
            return False
        # If an owner names or adds a label after the throw, the owner already knows which label the
        # next pick selects.
        return first_throw is None or self.named <= first_throw


class Departure(msgspec.Struct, frozen=True):
    """A label's move from one pile to another within its deck."""

    label: int
    source: str
    target: str


Deck = Mapping[str, Pile]


class LabelTable(msgspec.Struct, frozen=True):
    """All labels in a match, by deck and pile."""

    decks: Mapping[Role, Deck]
    next_number: int
    """Number of the next new label."""

    def pile(self, deck: str, name: str) -> Pile:
        """Return a pile.

        Raises:
            LabelError: The deck has no such pile.
        """
        pile = self.decks.get(Role(deck), {}).get(name)
        if pile is None:
            raise LabelError(f"{deck} has no pile {name}")
        return pile

    def find(self, deck: str, number: int) -> tuple[Pile, CardLabel] | None:
        """Return the label with this number and its pile, or None if the deck has no such label."""
        for pile in self.decks.get(Role(deck), {}).values():
            label = pile.label(number)
            if label is not None:
                return pile, label
        return None

    def find_face(self, deck: str, card: str) -> tuple[Pile, CardLabel] | None:
        """Return the label that publicly shows this card and its pile, or None if there is no such label."""
        for pile in self.decks.get(Role(deck), {}).values():
            for label in pile.labels:
                if label.face == card:
                    return pile, label
        return None

    def with_pile(self, deck: str, pile: Pile) -> "LabelTable":
        """Return a copy of the table with one pile replaced."""
        role = Role(deck)
        piles = {**self.decks[role], pile.name: pile}
        return LabelTable({**self.decks, role: piles}, self.next_number)

    def with_deck(self, role: Role, deck: Deck) -> "LabelTable":
        """Return a copy of the table with one deck replaced."""
        return LabelTable({**self.decks, role: deck}, self.next_number)

    def move(
        self,
        deck: str,
        moves: Sequence[Departure],
        throws: int,
        index: int,
        picked: Collection[int] = (),
    ) -> "LabelTable":
        """Return the table after one event's moves. All labels are removed from their piles before any label is added.

        Args:
            deck: The deck that the labels belong to.
            moves: The owner's moves for this event, in order.
            throws: Number of throws that have begun so far.
            index: Index of the message that contains the moves.
            picked: Labels picked at random for the event. Moving them does not count as naming them.

        Raises:
            LabelError: A label is not in the pile named by its move, or a label moves twice.
        """
        arriving: dict[str, list[CardLabel]] = {}
        table = self
        for move in moves:
            source = table.pile(deck, move.source)
            label = source.label(move.label)
            if label is None:
                raise LabelError(f"label {move.label} is not in pile {move.source} of {deck}")
            # If the target pile does not exist, pile() raises an error.
            table.pile(deck, move.target)
            arriving.setdefault(move.target, []).append(label)
            remaining = tuple(candidate for candidate in source.labels if candidate is not label)
            is_named = not label.face and label.number not in picked
            last_named = throws if is_named else source.named
            table = table.with_pile(
                deck,
                msgspec.structs.replace(source, labels=remaining, named=last_named, changed=index),
            )
        for name, labels in arriving.items():
            target = table.pile(deck, name)
            combined = (*target.labels, *labels)
            if target.kind is not PileKind.ORDERED:
                # Picks select a label by its position in this order. Only the owner could compute
                # an order that depends on hidden faces.
                combined = tuple(sorted(combined, key=_number))
            table = table.with_pile(
                deck,
                msgspec.structs.replace(
                    target, labels=combined, is_dirty=True, named=throws, changed=index
                ),
            )
        return table

    def mix(
        self, deck: str, name: str, points: Sequence[bytes], throws: int, index: int
    ) -> "LabelTable":
        """Return the table with a pile's labels replaced by new ones.

        Args:
            deck: The deck that the labels belong to.
            name: The pile's name.
            points: The commitments of the new labels, in order.
            throws: Number of throws that have begun so far.
            index: Index of the mix message.
        """
        pile = self.pile(deck, name)
        labels = tuple(
            CardLabel(self.next_number + position, point) for position, point in enumerate(points)
        )
        mixed_pile = msgspec.structs.replace(
            pile, labels=labels, is_dirty=False, named=NEVER, mixed=throws, changed=index
        )
        table = self.with_pile(deck, mixed_pile)
        return LabelTable(table.decks, self.next_number + len(labels))

    def open(self, deck: str, number: int, card: str, throws: int, index: int) -> "LabelTable":
        """Return the table with one label's face made public."""
        pile_and_label = self.find(deck, number)
        assert pile_and_label is not None, "the caller must have checked that the label exists"
        pile, label = pile_and_label
        opened = msgspec.structs.replace(label, face=card)
        labels = tuple(opened if candidate is label else candidate for candidate in pile.labels)
        return self.with_pile(
            deck, msgspec.structs.replace(pile, labels=labels, named=throws, changed=index)
        )

    def end_record(self) -> "LabelTable":
        """Return the table at the end of a record. A pile in :data:`MIXED` becomes dirty if it still shows a face."""
        return self._with_dirty(lambda pile: any(label.face for label in pile.labels))

    def restored(self, current: "LabelTable") -> "LabelTable":
        """Return this earlier table with the changes that a takeback to it requires.

        Label numbers are not reused. Faces that have become public stay public. Every non-empty pile in :data:`MIXED`
        becomes dirty.
        """
        faces = {
            label.number: label.face
            for deck in current.decks.values()
            for pile in deck.values()
            for label in pile.labels
            if label.face
        }
        decks = {
            role: {name: _with_faces(pile, faces) for name, pile in deck.items()}
            for role, deck in self.decks.items()
        }
        # Players still know what the undone records revealed about labels, so their piles must be
        # mixed before the next pick.
        table = LabelTable(decks, current.next_number)
        return table._with_dirty(lambda pile: bool(pile.labels))

    def _with_dirty(self, is_dirty: Callable[[Pile], bool]) -> "LabelTable":
        """Return the table with every pile in :data:`MIXED` that satisfies the predicate marked as dirty."""
        decks = {
            role: {
                name: msgspec.structs.replace(pile, is_dirty=True)
                if pile.kind in MIXED and not pile.is_dirty and is_dirty(pile)
                else pile
                for name, pile in deck.items()
            }
            for role, deck in self.decks.items()
        }
        return LabelTable(decks, self.next_number)


def _number(label: CardLabel) -> int:
    return label.number


def _with_faces(pile: Pile, faces: Mapping[int, str]) -> Pile:
    if not any(label.number in faces and not label.face for label in pile.labels):
        return pile
    labels = tuple(
        msgspec.structs.replace(label, face=faces[label.number]) if label.number in faces else label
        for label in pile.labels
    )
    return msgspec.structs.replace(pile, labels=labels)


def first_table(
    decks: Mapping[Role, Sequence[str]], piles: Mapping[Role, Mapping[str, PileContents]]
) -> LabelTable:
    """Build the table for the set-up, in which every face is public.

    Args:
        decks: The cards in each deck, in ruleset order. This order determines the label numbers.
        piles: The positions of the cards after the set-up, from a full copy.
    """
    numbers: dict[tuple[Role, str], int] = {}
    for role, cards in decks.items():
        for card in cards:
            numbers[role, card] = len(numbers)
    table: dict[Role, Deck] = {}
    for role, places in piles.items():
        table[role] = {
            name: _first_pile(name, contents, [numbers[role, card] for card in contents.cards])
            for name, contents in places.items()
        }
    return LabelTable(table, len(numbers))


def _first_pile(name: str, contents: PileContents, numbers: Sequence[int]) -> Pile:
    labels = [
        CardLabel(number, b"", card) for number, card in zip(numbers, contents.cards, strict=True)
    ]
    if contents.kind is not PileKind.ORDERED:
        labels.sort(key=_number)
    return Pile(
        name, contents.kind, tuple(labels), is_dirty=bool(labels) and contents.kind in MIXED
    )


def find_difference(table: LabelTable, role: Role, places: Mapping[str, PileContents]) -> str:
    """Return how a deck in the table differs from the piles in the game state, or an empty string if they agree.

    The card counts must agree, and each public face must be in the same pile as in the game state. A face that is
    public only in the game state is no difference, because the card's owner still has to open its label.
    """
    deck = table.decks[role]
    pile_by_card = {
        label.face: pile.name for pile in deck.values() for label in pile.labels if label.face
    }
    for name, contents in places.items():
        shown_twice = repeated_card(contents.cards)
        if shown_twice:
            return f"the rules have {shown_twice} of {role} twice in {name}"
        count = len(deck[name].labels) if name in deck else 0
        if count != len(contents.cards):
            return f"{role} has {count} labels but {len(contents.cards)} cards in {name}"
        misplaced_card = next(
            (card for card in contents.cards if pile_by_card.get(card, name) != name), None
        )
        if misplaced_card is not None:
            return f"{role} has {misplaced_card} in {pile_by_card[misplaced_card]}, but the rules have it in {name}"
    extra_pile = next(
        (name for name, pile in deck.items() if pile.labels and name not in places), None
    )
    return (
        ""
        if extra_pile is None
        else f"{role} has labels in {extra_pile}, where the rules have no cards"
    )


def repeated_card(cards: Iterable[str]) -> str:
    """Return a card that occurs twice, or an empty string if there is none. A deck must contain each card only once."""
    seen: set[str] = set()
    for card in cards:
        if card in seen and card != HIDDEN:
            return card
        seen.add(card)
    return ""


def unshown_cards(table: LabelTable, role: Role, cards: Collection[str]) -> list[str]:
    """Return the given cards that no label in the deck shows, in sorted order."""
    faces = {label.face for pile in table.decks[role].values() for label in pile.labels}
    return sorted({*cards} - faces - {HIDDEN})


def piles_problem(
    deck: Mapping[str, Pile],
    places: Mapping[str, PileContents],
    face_of: Callable[[CardLabel], str],
) -> str:
    """Return a phrase about the first pile whose cards differ from the game state; empty if all piles agree.

    Args:
        deck: The owner's piles, by name.
        places: The cards in these piles according to the rules.
        face_of: Returns a label's face.
    """
    for name, contents in places.items():
        faces = [face_of(label) for label in (deck[name].labels if name in deck else ())]
        expected = list(contents.cards)
        if contents.kind is not PileKind.ORDERED:
            faces.sort()
            expected.sort()
        if faces != expected:
            return f"cards in {name} that do not match the rules"
    return ""
