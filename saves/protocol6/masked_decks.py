"""Computes the public state of masked cards: the slots, the keys on each card, and the steps that seats must take.

A table is the result of folding the steps. All seats, the host and the spectators have the same table. Any step that is
visibly wrong is rejected immediately, and the error names the seat to blame. :mod:`saves.protocol6.audit` finds the
errors that can be detected only with the seeds.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from engine.kernel.ids import Role
from saves.protocol6.cardseed import key_commitment
from saves.protocol6.errors import BrokenDeckError, DeckCheatError, PointError
from saves.protocol6.group import (
    Point,
    card_point,
    check_point,
    check_scalar,
    inverse,
    multiply,
    product,
)
from saves.protocol6.slots import Owed, OwnedDeck, Shuffle, Slot
from saves.protocol6.steps import (
    AnyStep,
    Arranged,
    DrawCalled,
    KeysGiven,
    Masked,
    Mixed,
    OpenCalled,
    ShuffleCalled,
)


class MaskedDecks:
    """All masked decks in a match."""

    def __init__(
        self,
        match_id: str,
        roles: Sequence[Role],
        decks: Mapping[str, OwnedDeck],
    ) -> None:
        """Place every card face up in its own slot.

        Args:
            match_id: The match id, from which every point and key is derived.
            roles: All seats that shuffle, in a fixed order. At least two are needed, because a single seat could read
                its deck.
            decks: Decks by name, in a fixed order.
        """
        assert len(roles) > 1
        self.match_id = match_id
        self.roles = tuple(roles)
        self.decks = dict(decks)
        self.slots: dict[int, Slot] = {}
        """Every slot ever used, by number."""
        self.next_slot = 0
        """Number of the next new slot."""
        self._live_slots: frozenset[int] = frozenset()
        """Slots that currently contain a card. The cards from all other slots have moved to new slots."""
        self.steps = 0
        """Number of steps so far, which is also the number of the next step."""
        self.shuffles: dict[str, Shuffle] = {}
        """Shuffles under way, by deck. Several decks can be shuffled at the same time."""
        self._owed_keys: dict[Role, tuple[int, ...]] = {}
        self._opening_slots: tuple[Slot, ...] = ()
        """Slots of the cards whose keys are being revealed."""
        self._faces: dict[str, dict[Point, str]] = {}
        for name, deck in self.decks.items():
            faces = {card_point(match_id, name, card): card for card in deck.cards}
            self._faces[name] = faces
            for point, card in faces.items():
                self._place_card(self._new_slots(1), name, point, {}, card)

    # -- queries

    def owed_steps(self) -> tuple[Owed, ...]:
        """Return the steps that are due next, each with its seat; empty if no steps are due."""
        if self._owed_keys:
            return tuple(
                Owed(role=role, kind=KeysGiven, slots=slots)
                for role, slots in self._owed_keys.items()
            )
        return tuple(
            Owed(role=shuffle.order[shuffle.mixed], kind=Mixed, deck=shuffle.deck)
            if shuffle.mixed < len(shuffle.order)
            else Owed(role=shuffle.order[shuffle.masked], kind=Masked, deck=shuffle.deck)
            for shuffle in self.shuffles.values()
        )

    def shuffle_of(self, deck: str, slots: tuple[int, ...]) -> Shuffle:
        """Return the shuffle of these slots as it would begin if the next step called it."""
        owner = self.decks[deck].owner
        other_roles = (role for role in self.roles if role != owner)
        return Shuffle(
            call=self.steps,
            first=self.next_slot,
            deck=deck,
            slots=slots,
            order=(owner, *other_roles),
        )

    def may_shuffle(self, deck: str) -> bool:
        """Return whether a deck can be shuffled now, possibly while other decks are being shuffled."""
        return not self._owed_keys and deck not in self.shuffles

    def live_slots(self, deck: str) -> tuple[int, ...]:
        """Return the slots that currently contain a deck's cards."""
        return tuple(
            number for number in sorted(self._live_slots) if self.slots[number].deck == deck
        )

    def face(self, deck: str, point: Point) -> str:
        """Return the card for an unmasked point; empty if the deck has no such card."""
        return self._faces[deck].get(point, "")

    # -- the fold

    def add(self, author: Role, step: AnyStep) -> None:
        """Apply the next step.

        Args:
            author: The seat that took the step, as verified by the caller.
            step: The step, decoded from untrusted data.

        Raises:
            DeckCheatError: No honest program would have taken this step.
            BrokenDeckError: The step reveals a card that cannot be in the deck. The author may be innocent.
        """
        if author not in self.roles:
            raise DeckCheatError(author, self.steps, "has no seat in this match")
        try:
            self._add(author, step)
        except PointError as error:
            raise DeckCheatError(author, self.steps, str(error)) from error
        self.steps += 1
        # A card's face becomes public when its last key is revealed, so look for such faces now.
        if not self._owed_keys:
            self._reveal_faces()

    def _add(self, author: Role, step: AnyStep) -> None:
        match step:
            case KeysGiven():
                self._apply_keys(author, step)
            case Mixed():
                self._apply_mixed(author, step)
            case Masked():
                self._apply_masked(author, step)
            case _:
                if self.owed_steps() and not self._is_parallel_shuffle(step):
                    names = ", ".join(dict.fromkeys(owed.role for owed in self.owed_steps()))
                    self._raise_cheat(author, f"does not wait for {names}")
                self._apply_call(author, step)

    def _is_parallel_shuffle(self, step: AnyStep) -> bool:
        """Return whether a step calls a shuffle that can run at the same time as shuffles of other decks."""
        return isinstance(step, ShuffleCalled) and self.may_shuffle(step.deck)

    def _apply_call(
        self,
        author: Role,
        step: ShuffleCalled | DrawCalled | OpenCalled | Arranged,
    ) -> None:
        slots = self._checked_slots(author, step.slots)
        match step:
            case ShuffleCalled(deck=deck):
                self._begin_shuffle(author, deck, slots)
            case DrawCalled(reader=reader):
                if reader not in self.roles:
                    self._raise_cheat(author, f"draws a card for {reader}, which has no seat")
                if any(reader not in slot.masked_by for slot in slots):
                    self._raise_cheat(author, f"draws a card for {reader} that everyone could see")
                self._check_secrets(author, slots, reader)
                self._request_keys(slots, reader)
            case OpenCalled():
                self._check_secrets(author, slots, None)
                self._request_keys(slots, None)
            case Arranged():
                self._apply_arrangement(author, slots, step)

    def _checked_slots(self, author: Role, numbers: Sequence[int]) -> tuple[Slot, ...]:
        """Return the slots that a step names.

        Blame the author if the step names no slots, a slot twice, an unknown slot, or a slot whose card has moved.
        """
        if not numbers or len(set(numbers)) != len(numbers):
            self._raise_cheat(author, "names no card, or names one twice")
        if any(number not in self.slots for number in numbers):
            self._raise_cheat(author, "names a card that does not exist")
        slots = tuple(self.slots[number] for number in numbers)
        if not self._live_slots.issuperset(numbers):
            self._raise_cheat(author, "names a card that has moved")
        return slots

    def _check_secrets(self, author: Role, slots: Iterable[Slot], reader: Role | None) -> None:
        """Reject a call that would reveal a card that only another seat may read, now or later."""
        for slot in slots:
            masking_seats = slot.masked_by
            reader_seat = (
                masking_seats[0] if len(masking_seats) == 1 else self.decks[slot.deck].owner
            )
            if masking_seats and reader_seat not in {author, reader}:
                self._raise_cheat(author, f"asks to see a card of {reader_seat}")

    def _request_keys(self, slots: Sequence[Slot], reader: Role | None) -> None:
        """Request the keys that still mask these cards, from every seat except the reader."""
        self._opening_slots = tuple(slots)
        for role in self.roles:
            owed = tuple(slot.number for slot in slots if role in slot.masked_by)
            if owed and role != reader:
                self._owed_keys[role] = owed

    def _apply_keys(self, author: Role, step: KeysGiven) -> None:
        owed = self._owed_keys.get(author)
        # All checks come before the first change, so that a refused step leaves the table
        # unchanged.
        if owed is None:
            self._raise_cheat(author, "gives keys that were not requested")
        if len(step.keys) != len(owed):
            self._raise_cheat(author, f"gives {len(step.keys)} keys instead of {len(owed)}")
        keys = tuple(map(check_scalar, step.keys))
        for number, key in zip(owed, keys, strict=True):
            if key_commitment(key) != self.slots[number].commitments[author]:
                self._raise_cheat(author, "gives a key that does not match its commitment")
        for number, key in zip(owed, keys, strict=True):
            self.slots[number].keys[author] = key
        del self._owed_keys[author]

    def _reveal_faces(self) -> None:
        """Record the faces that have become public."""
        opening_slots, self._opening_slots = self._opening_slots, ()
        for slot in opening_slots:
            if slot.card or slot.masked_by:
                continue
            unmasked = multiply(inverse(product(*slot.keys.values())), slot.point)
            card = self.face(slot.deck, unmasked)
            if not card:
                raise BrokenDeckError(
                    self.steps - 1, "a card that does not belong to the deck is turned up"
                )
            if any(
                self.slots[number].card == card and self.slots[number].deck == slot.deck
                for number in self._live_slots
            ):
                raise BrokenDeckError(self.steps - 1, f"{card} is turned up twice")
            slot.card = card

    # -- shuffles

    def _begin_shuffle(self, author: Role, deck: str, slots: tuple[Slot, ...]) -> None:
        if deck not in self.decks:
            self._raise_cheat(author, "shuffles a deck that does not exist")
        if any(slot.deck != deck for slot in slots):
            self._raise_cheat(author, "shuffles cards of different decks")
        owner = self.decks[deck].owner
        if any(slot.masked_by and owner not in slot.masked_by for slot in slots):
            self._raise_cheat(author, f"shuffles a card that {owner} cannot read")
        self._request_keys(slots, owner)
        self.shuffles[deck] = self.shuffle_of(deck, tuple(slot.number for slot in slots))
        # Reserve the slot numbers now, because other shuffles may begin before this one ends.
        self._new_slots(len(slots))

    def _apply_mixed(self, author: Role, step: Mixed) -> None:
        shuffle = self._expect_pass(author, Mixed, step.deck)
        if not shuffle.mixed and len(set(step.points)) < len(step.points) == len(shuffle.slots):
            # The first seat re-masks the cards that it received. These may include duplicates from
            # an earlier shuffle.
            raise BrokenDeckError(self.steps, "a card is in the deck twice")
        shuffle.points = self._checked_points(author, step.points, len(shuffle.slots))
        shuffle.mixed += 1

    def _apply_masked(self, author: Role, step: Masked) -> None:
        shuffle = self._expect_pass(author, Masked, step.deck)
        count = len(shuffle.slots)
        points = self._checked_points(author, step.points, count)
        self._check_count(author, step.commitments, count)
        shuffle.points = points
        shuffle.commitments = {**shuffle.commitments, author: step.commitments}
        shuffle.masked += 1
        if shuffle.masked < len(shuffle.order):
            return
        self._retire_slots(shuffle.slots)
        for position, point in enumerate(points):
            commitments = {
                role: role_commitments[position]
                for role, role_commitments in shuffle.commitments.items()
            }
            self._place_card(shuffle.first + position, shuffle.deck, point, commitments)
        del self.shuffles[shuffle.deck]

    def _expect_pass(self, author: Role, kind: type[Mixed] | type[Masked], deck: str) -> Shuffle:
        if Owed(role=author, kind=kind, deck=deck) not in self.owed_steps():
            self._raise_cheat(author, "shuffles out of turn")
        return self.shuffles[deck]

    def _apply_arrangement(self, author: Role, slots: tuple[Slot, ...], step: Arranged) -> None:
        if any(slot.masked_by != (author,) for slot in slots):
            self._raise_cheat(author, "arranges cards that are not readable by it alone")
        if len({slot.deck for slot in slots}) > 1:
            self._raise_cheat(author, "arranges cards of different decks")
        points = self._checked_points(author, step.points, len(slots))
        self._check_count(author, step.commitments, len(slots))
        self._retire_slots(step.slots)
        for position, (point, commitment) in enumerate(zip(points, step.commitments, strict=True)):
            number = self._new_slots(1)
            self._place_card(number, slots[0].deck, point, {author: commitment})
            self.slots[number].arranged = self.steps, position

    def _checked_points(self, author: Role, data: Sequence[bytes], count: int) -> tuple[Point, ...]:
        self._check_count(author, data, count)
        if len(set(data)) != count:
            self._raise_cheat(author, "arranges a card twice")
        return tuple(map(check_point, data))

    def _check_count(self, author: Role, data: Sequence[bytes], count: int) -> None:
        if len(data) != count:
            self._raise_cheat(author, f"makes {len(data)} cards out of {count}")

    def _retire_slots(self, slots: Iterable[int]) -> None:
        self._live_slots = self._live_slots.difference(slots)

    def _new_slots(self, count: int) -> int:
        """Reserve consecutive slot numbers and return the first one."""
        first = self.next_slot
        self.next_slot += count
        return first

    def _place_card(
        self,
        number: int,
        deck: str,
        point: Point,
        commitments: dict[Role, bytes],
        card: str = "",
    ) -> None:
        self.slots[number] = Slot(
            number=number, deck=deck, point=point, commitments=commitments, keys={}, card=card
        )
        self._live_slots |= {number}

    def _raise_cheat(self, author: Role, problem: str) -> NoReturn:
        raise DeckCheatError(author, self.steps, problem)
