"""Determines which label each use of chance must pick, based only on the raw messages and the text of 2.5 and 2.6.

No code is shared with the fold. A pick uses the first throw of the record after the last mix of its pile and after the
last label entered the pile or was named in it. Decks, hands and discards must be mixed after a label has entered them.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from typing_extensions import override

from tests.netplay.fair.release_model import Label, Place, ReleaseModel
from tests.saves.fair import second_implementation as second

_AS_IT_LIES: Final = frozenset({"laid", "open"})
"""Piles that are never mixed."""


class PickOracle(ReleaseModel):
    """Follows a transcript, and fails if a card was picked by the wrong throw."""

    def __init__(
        self, parties: Sequence[str], cards: int, header: bytes, scenario: Mapping[str, str]
    ) -> None:
        super().__init__("", parties, cards, header, scenario)
        self.at = -1
        self.mixed_at: dict[Place, int] = {}
        self.entered_at: dict[Place, int] = {}
        self.named_at: dict[Place, int] = {}
        self.thrown_at: list[int] = []
        self.shown: set[Label] = set()
        self.counts: Counter[int] = Counter()
        """Number of uses of each throw in the record."""
        self.picks: dict[tuple[str, int], list[Label]] = {}
        """Labels picked by chance in the record, by deck and event."""
        self.throws_used: list[int] = []
        """For each pick, the index of its throw among the throws of its record."""

    def follow(self, messages: Collection[bytes]) -> "PickOracle":
        """Follow messages, and return this oracle."""
        for data in messages:
            self.at += 1
            self.accept(data)
        return self

    @override
    def _accept_mix(self, author: str, body: list[Any]) -> None:
        super()._accept_mix(author, body)
        self.mixed_at[author, body[1]] = self.at

    @override
    def _accept_request(self, author: str, body: list[Any]) -> None:
        super()._accept_request(author, body)
        self.counts.clear()
        self.picks.clear()

    @override
    def _accept_reveal(self, author: str, body: list[Any]) -> None:
        if body[0] == len(self.thrown_at):
            self.thrown_at.append(self.at)
        super()._accept_reveal(author, body)

    def _accept_open(self, author: str, body: list[Any]) -> None:
        label = body[0]
        self.shown.add(label)
        self.named_at[self.where.get(label, (author, ""))] = self.at

    @override
    def _accept_consent(self, author: str, body: list[Any]) -> None:
        super()._accept_consent(author, body)
        if self.request is None and self.offer[0] == "takeback":
            self.entered_at.update(dict.fromkeys(self.where.values(), self.at))

    @override
    def _accept_proposal(self, author: str, body: list[Any]) -> None:
        events, uses, moves, *_ = body
        first = sum(len(one[0]) for one in self.proposals)
        self.proposals.append(body)
        for event in range(first, first + len(events) + 1):
            for use in uses:
                if use[2] == event:
                    self._use(use)
            self._move_at(author, event, moves)

    @override
    def _accept_completion(self, author: str, body: list[Any]) -> None:
        for event in sorted({move[3] for move in body[1]} | {at for _, at in self.picks}):
            self._move_at(author, event, body[1])

    def _move_at(self, author: str, event: int, moves: list[list[Any]]) -> None:
        leaving = [move for move in moves if move[3] == event]
        picked = self.picks.get((author, event), [])
        if leaving:
            assert {*picked} <= {move[0] for move in leaving}, "a picked label stays"
        for label, source, target, _ in leaving:
            if label not in picked and label not in self.shown:
                self.named_at[author, source] = self.at
            self.entered_at[author, target] = self.at
            self.where[label] = (author, target)

    def _use(self, use: list[Any]) -> None:
        number, size, event, deck, pile = use
        record = range(self.first_throw, len(self.throws))
        assert record, "chance without a throw"
        throw = record[0]
        if deck:
            throw = self._throw_for((deck, pile), record)
        assert number == self.counts[throw], "uses of a throw are counted from 0"
        self.counts[throw] += 1
        value = second.use(self._key(throw), number, size)
        if deck:
            taken = self.picks.setdefault((deck, event), [])
            choices = [label for label in self._held(deck, pile) if label not in taken]
            assert len(choices) == size, "the size is the count of the labels"
            taken.append(choices[value])
            self.throws_used.append(throw - record[0])

    def _throw_for(self, place: Place, record: range) -> int:
        mixed, entered = self.mixed_at.get(place, -1), self.entered_at.get(place, -1)
        assert place[1] in _AS_IT_LIES or mixed > entered, f"{place} is picked from unmixed"
        changed = max(mixed, entered, self.named_at.get(place, -1))
        later = [throw for throw in record if self.thrown_at[throw] > changed]
        assert later, f"{place} has changed after the last throw"
        return later[0]
