"""A model of the messages that an honest seat may release, based only on the release rules (2.5 to 2.7).

No code is shared with the fold.

The model reads the raw messages that a seat has accepted, and judges each message that the seat releases. It tracks the
locations of labels, the complete throws, and the requests in the current record.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tests.saves.fair import second_implementation as second

Label = int
Place = tuple[str, str]


class ReleaseModel:
    """The view of one honest seat, from before the first message."""

    def __init__(
        self,
        seat: str,
        parties: Sequence[str],
        cards: int,
        header: bytes,
        scenario: Mapping[str, str],
    ) -> None:
        """Take the number of cards in all decks, and the owner of each card that the scenario deals by name."""
        self.seat, self.parties, self.header = seat, tuple(parties), header
        self.scenario, self.cards, self.next_label = scenario, cards, cards
        self.where: dict[Label, Place] = {}
        self.snapshots: dict[int, dict[Label, Place]] = {}
        self.agreed: set[str] = set()
        self.throws: list[dict[str, bytes]] = []
        self.mixes: dict[Label, tuple[str, int]] = {}
        self.proved: set[Label] = set()
        self.record, self.actor, self.first_throw = 0, "", 0
        self.request: list[Any] | None = None
        self.proposals: list[list[Any]] = []
        self.announced: list[list[Any]] = []
        """Proposals that the seat has released for the current record, indexed or not."""
        self.offer: list[Any] = []
        self.consents: set[str] = set()
        self.is_over = False
        self.is_decided = False
        """True if the rules have ended the game in the current record."""
        self.decided: set[bytes] = set()
        """Messages that the player has decided to send."""
        self.may_open_seed = False
        """True if the player opens the card seed after the end."""
        self.released: dict[tuple[int, str], bytes] = {}

    # -- accepted messages

    def accept(self, data: bytes) -> None:
        """Follow an accepted message."""
        _, _, kind, _, _, author, body = msgspec.msgpack.decode(data)
        handler = getattr(self, f"_accept_{kind}", None)
        if handler is not None:
            handler(author, body)

    def _accept_agree(self, author: str, _: list[Any]) -> None:
        self.agreed.add(author)

    def _accept_mix(self, author: str, body: list[Any]) -> None:
        _, pile, inputs, outputs, _ = body
        for label in inputs:
            self.where.pop(label, None)
        self.mixes[self.next_label] = (author, len(self.throws))
        for at in range(len(outputs)):
            self.where[self.next_label + at] = (author, pile)
        self.next_label += len(outputs)

    def _accept_request(self, author: str, body: list[Any]) -> None:
        self.record, self.request, self.actor = body[0], body, author
        self.snapshots[self.record - 1] = dict(self.where)
        self.proposals, self.announced, self.first_throw = [], [], len(self.throws)

    def _accept_reveal(self, author: str, body: list[Any]) -> None:
        number, value = body
        if number == len(self.throws):
            self.throws.append({})
        self.throws[number][author] = value

    def _accept_proof(self, _: str, body: list[Any]) -> None:
        self.proved.add(body[1])

    def _accept_proposal(self, author: str, body: list[Any]) -> None:
        self.proposals.append(body)
        self.is_decided |= any(entry[0] == "game-ended" for entry, _ in body[0])
        self._move(author, body[2])

    def _accept_completion(self, author: str, body: list[Any]) -> None:
        self._move(author, body[1])

    def _move(self, author: str, moves: list[list[Any]]) -> None:
        for label, _, target, _ in moves:
            self.where[label] = (author, target)

    def _accept_offer(self, author: str, body: list[Any]) -> None:
        self.offer, self.consents = body, {author}

    def _accept_consent(self, author: str, body: list[Any]) -> None:
        if body[0]:
            self.consents.add(author)
        if self.consents == {*self.parties}:
            self.snapshots[self.record] = dict(self.where)
            self.record, self.request, self.actor, self.proposals = self.record + 1, None, "", []
            self.is_over = self.offer[0] == "draw"
            if self.offer[0] == "takeback":
                self.where = dict(self.snapshots[self.offer[1]])

    def _accept_end(self, _: str, __: list[Any]) -> None:
        self.is_over = True

    # -- messages that may be released

    def allows(self, data: bytes) -> bool:
        """Return whether the seat may release a message now."""
        _, _, kind, anchor, _, author, body = msgspec.msgpack.decode(data)
        item = {"mix": 1, "proof": 1, "open": 0}.get(kind)
        group = "sequence" if kind in {"request", "proposal", "offer"} else kind
        slot = (anchor, group if item is None else f"{group} {body[item]}")
        if author != self.seat or self.released.setdefault(slot, data) != data:
            return False
        if kind == "seed":
            return self.may_open_seed and (self.is_over or self.is_decided)
        if kind in {"request", "offer", "consent", "end"}:
            return data in self.decided
        rule = getattr(self, f"_{kind}", None)
        is_within = kind != "reveal" and not self._is_thrown
        return rule is not None and not self.is_over and not is_within and bool(rule(body))

    @property
    def _is_thrown(self) -> bool:
        """Return whether no throw is in progress."""
        return not self.throws or len(self.throws[-1]) == len(self.parties)

    @property
    def _has_chance(self) -> bool:
        """Return whether the current record uses chance, as the opening does."""
        return bool(self.request[2]) if self.request is not None else not self.record

    def _held(self, deck: str, pile: str) -> list[Label]:
        return sorted(label for label, place in self.where.items() if place == (deck, pile))

    def _agree(self, body: list[Any]) -> bool:
        return bool(body[0] == self.header and self.seat not in self.agreed)

    def _mix(self, body: list[Any]) -> bool:
        deck, pile, inputs, _, _ = body
        known = [label for label in inputs if label in self.where or label >= self.cards]
        is_ready = len(self.agreed) == len(self.parties)
        return deck == self.seat and is_ready and self._held(deck, pile) == known

    def _reveal(self, body: list[Any]) -> bool:
        """Allow one after the request or each stage, once for each throw, with the proofs of all earlier mixes."""
        number, begun = body[0], len(self.throws)
        mine = sum(self.seat in throw for throw in self.throws)
        is_this = number == mine and number == begun - (not self._is_thrown)
        is_open = not self.proposals or self.proposals[-1][3] == "stage"
        earlier = {first for first, (_, throw) in self.mixes.items() if throw < number}
        return is_this and is_open and self._has_chance and earlier <= self.proved

    def _proof(self, body: list[Any]) -> bool:
        """Allow one only for the throw that challenges the mix, which must be complete."""
        owner, throw = self.mixes.get(body[1], ("", -1))
        return body[0] == owner == self.seat and throw == len(self.throws) - 1

    def _open(self, body: list[Any]) -> bool:
        """Allow only cards shown by the seat's own command, named by the scenario, or picked for a request."""
        label, card, _ = body
        if self.actor == self.seat and self.request is not None:
            bodies = (*self.proposals, *self.announced)
            shown = [self.request[1][2], *(one[0][2] for body in bodies for one in body[0])]
            return any(card.encode() in text for text in shown)
        if not self.record:
            return self.scenario.get(card) == self.seat
        if not self.proposals or self.proposals[-1][3] != "ask":
            return False
        number, size, _, deck, pile = self.proposals[-1][1][-1]
        held = self._held(deck, pile)
        throws = range(self.first_throw, len(self.throws))
        picks = {held[second.use(self._key(n), number, size)] for n in throws if len(held) == size}
        return deck == self.seat and label in picks

    def _key(self, number: int) -> bytes:
        reveals = [self.throws[number][party] for party in self.parties]
        return second.throw_key(self.header, number, reveals)

    def _proposal(self, body: list[Any]) -> bool:
        has_thrown = len(self.throws) > self.first_throw
        self.announced.append(body)
        is_due = self.actor == self.seat and has_thrown >= (self._has_chance or bool(body[1]))
        return is_due or self._is_foregone(body)

    def _is_foregone(self, body: list[Any]) -> bool:
        """Allow it for the seat's own unindexed open command without chance that hides, picks and moves nothing."""
        events, uses, moves, status, wanted, box = body
        hides = any(entry[3] or owner for entry, owner in events)
        decided = map(msgspec.msgpack.decode, self.decided)
        requests = [one[6] for one in decided if one[2] == "request" and one[6][0] > self.record]
        is_open = any(not has_chance and not entry[3] for _, entry, has_chance, _ in requests)
        return is_open and status == "done" and not (hides or uses or moves or wanted or box)

    def _completion(self, body: list[Any]) -> bool:
        is_own = all(self.where.get(move[0], (self.seat,))[0] == self.seat for move in body[1])
        is_asked = bool(self.proposals) or (not self.record and bool(self.throws))
        return is_asked and self.actor != self.seat and is_own
