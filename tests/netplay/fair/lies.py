"""False proposals that are formally valid: other events, picks, moves and status, with matching owners and boxes."""

import random
from typing import Any, Final, TypeAlias

import msgspec

from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import codec
from saves.fair.messages import ChanceUse, LabelMove, PileName, Proposal, ProposedEvent, PublicEntry
from saves.fair.secrets import box_bytes
from tests.netplay.fair.attacker import World

Plain: TypeAlias = Any
change: Final = msgspec.structs.replace


class Liar:
    """Changes faithful proposals from one of the attacker's seats."""

    def __init__(self, world: World, actor: Role, chance: random.Random) -> None:
        self.world = world
        self.actor = actor
        self.chance = chance

    def lie(self, body: Proposal) -> Proposal:
        """Return a false proposal."""
        changes = (
            self._without_an_event,
            self._with_an_event,
            self._with_an_event,
            self._with_another_event,
            self._with_a_use,
            self._with_an_ask,
            self._with_a_stage,
            self._cut,
            self._with_moves,
        )
        for _ in range(self.chance.choice((1, 1, 2))):
            body = self.chance.choice(changes)(body)
        return self._fitting(body)

    def _without_an_event(self, body: Proposal) -> Proposal:
        if not body.events:
            return body
        at = self.chance.randrange(len(body.events))
        return self._renumbered(body, at, -1, (*body.events[:at], *body.events[at + 1 :]))

    def _with_an_event(self, body: Proposal) -> Proposal:
        at = self.chance.choice((0, len(body.events), self.chance.randrange(len(body.events) + 1)))
        event = self._event()
        if event is None:
            return body
        whole = (*body.events[:at], event, *body.events[at:])
        return self._renumbered(body, at, 1, whole)

    def _with_another_event(self, body: Proposal) -> Proposal:
        event = self._event()
        if event is None or not body.events:
            return body
        at = self.chance.randrange(len(body.events))
        return change(body, events=(*body.events[:at], event, *body.events[at + 1 :]))

    def _cut(self, body: Proposal) -> Proposal:
        at = self.chance.randrange(len(body.events) + 1)
        first = self._first
        return change(
            body,
            events=body.events[:at],
            uses=tuple(use for use in body.uses if use.event < first + at),
            moves=tuple(move for move in body.moves if move.event < first + at),
        )

    def _with_a_use(self, body: Proposal) -> Proposal:
        last = self._first + len(body.events)
        return change(body, uses=(*body.uses, self._use(body, max(last - 1, 0))))

    def _with_an_ask(self, body: Proposal) -> Proposal:
        last = self._first + len(body.events)
        return change(body, uses=(*body.uses, self._use(body, last)), status="ask", wanted=None)

    def _with_a_stage(self, body: Proposal) -> Proposal:
        deck, pile = self._pile()
        return change(body, status="stage", wanted=PileName(deck, pile))

    def _with_moves(self, body: Proposal) -> Proposal:
        piles = self.world.state.table.decks.get(self.actor, {})
        full = [pile for pile in piles.values() if pile.labels]
        if not full or not body.events:
            return body
        moves = list(body.moves)
        event = self._first + self.chance.randrange(len(body.events))
        source, target = self.chance.choice(full), self.chance.choice(list(piles.values()))
        moves.append(
            LabelMove(self.chance.choice(source.labels).number, source.name, target.name, event)
        )
        if target.labels:
            back = self.chance.choice(target.labels).number
            moves.append(LabelMove(back, target.name, source.name, event))
        return change(body, moves=tuple(sorted(moves, key=lambda move: move.event)))

    # -- parts

    @property
    def _first(self) -> int:
        pending = self.world.state.pending
        return 0 if pending is None else len(pending.events)

    def _pile(self) -> tuple[Role, str]:
        decks = self.world.state.table.decks
        deck = self.chance.choice(list(decks))
        return deck, self.chance.choice(list(decks[deck]))

    def _use(self, body: Proposal, event: int) -> ChanceUse:
        deck, pile = self._pile()
        size = len(self.world.state.table.pile(deck, pile).labels)
        if self.chance.random() < 0.2:
            return ChanceUse(len(body.uses), 10, event)
        return ChanceUse(len(body.uses), max(size, 1), event, deck, pile)

    def _event(self) -> ProposedEvent | None:
        """Return an earlier event, changed to another seat or another card."""
        pool = [
            event.entry
            for signed in self.world.host.messages[-80:]
            if isinstance(body := self.world.message(signed).body, Proposal)
            for event in body.events
        ]
        if not pool:
            return None
        entry = self.chance.choice(pool)
        plain = self._renamed(msgspec.msgpack.decode(entry.body))
        return ProposedEvent(PublicEntry(entry.tag, entry.v, msgspec.msgpack.encode(plain)))

    def _renamed(self, plain: Plain) -> Plain:
        world, chance = self.world, self.chance
        decks = world.game.decks()
        match plain:
            case dict():
                return {key: self._renamed(value) for key, value in plain.items()}
            case list():
                return [self._renamed(value) for value in plain]
            case str() if plain in decks:
                return chance.choice(list(world.seats))
            case str() if plain == HIDDEN or any(plain in cards for cards in decks.values()):
                return chance.choice([HIDDEN, *chance.sample(decks[chance.choice(list(decks))], 2)])
            case _:
                return plain

    def _renumbered(
        self, body: Proposal, at: int, by: int, events: tuple[ProposedEvent, ...]
    ) -> Proposal:
        place = self._first + at

        def moved(number: int) -> int:
            return number + by if number >= place + (by < 0) else number

        gone = place if by < 0 else -1
        uses = [change(use, event=moved(use.event)) for use in body.uses if use.event != gone]
        moves = [change(one, event=moved(one.event)) for one in body.moves if one.event != gone]
        return change(body, events=events, uses=tuple(uses), moves=tuple(moves))

    def _fitting(self, body: Proposal) -> Proposal:
        """Return the proposal with the owners, commitments and box that its events need."""
        game = self.world.game
        fitted: list[ProposedEvent] = []
        for proposed in body.events:
            entry = proposed.entry
            try:
                event: Event = codec(game).event(entry.tag, entry.v, entry.body)
                seen = game.redact(event, None)
                owner = game.secret_owner(event)
            except (ValueError, LookupError, TypeError):
                fitted.append(proposed)
                continue
            if seen is None:
                fitted.append(proposed)
                continue
            packed = codec(game).pack(seen)
            uses_alternative = owner not in {None, self.actor}
            hides = owner == self.actor and HIDDEN.encode() in packed.body
            commitment = (entry.commitment or self.chance.randbytes(32)) if hides else b""
            fitted.append(
                ProposedEvent(
                    PublicEntry(*packed, commitment), str(owner) if uses_alternative else ""
                )
            )
        hidden = sum(bool(one.entry.commitment) for one in fitted)
        size = box_bytes(hidden, game.hidden_entry_bytes)
        box = body.box if len(body.box) == size else self.chance.randbytes(size)
        return change(body, events=tuple(fitted), box=box)
