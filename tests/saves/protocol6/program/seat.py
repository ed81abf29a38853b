"""The program of a seat in a match whose host cannot read hands (``docs/fair-play.md``).

The seat that gives a command decides it on its own copy. Everything follows from that copy, the seat's keys and the
pending data. A restarted program therefore continues where it was, and never sends two versions of anything.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from engine.kernel.dice import ChanceRevealedError, DerivedDice, DraftDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.codec import codec
from saves.commitments import SIGNATURE_INDEX, derive_salt
from saves.entries import complete_entry, decode_event, signature_entry
from saves.errors import FairPlayError, UnreadableError
from saves.match_replica import MatchReplica
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.hash_chain import SEED_BYTES, public_seed
from saves.protocol6.parties import SignedStep
from saves.protocol6.sealing import Sealable
from saves.protocol6.signing import command_message
from saves.protocol6.steps import STEP_DECODER, AnyStep, DrawCalled, KeysGiven, ShuffleCalled
from saves.records import HASH_BYTES, NOBODY, Entry
from saves.redaction import hide_entry, redact_command, redact_event
from saves.timeline import FOLD_ERRORS
from tests.saves.protocol6.program.deciding import CardsWantedError, Deciding, FaceWantedError
from tests.saves.protocol6.program.holder import CardHolder
from tests.saves.protocol6.program.keys import PartyKeys
from tests.saves.protocol6.program.owndeck import OwnDeck
from tests.saves.protocol6.program.pending_command import (
    Act,
    Complete,
    Completion,
    PendingCommand,
    Picked,
    Proposal,
    Propose,
    ProposedEvent,
    RevealCard,
    StepAction,
    check_deal,
    check_proposal,
    proposal_message,
)
from tests.saves.protocol6.program.sealing import seal


def unfinished(game: Any, event: Event, keeper: Role) -> ProposedEvent:  # noqa: ANN401  # any game
    """Return an event that its keeper has to complete."""
    tag, v, body = codec(game).pack(event)
    entry = Entry(tag=tag, v=v, body=body, commitment=bytes(HASH_BYTES), salt=None)
    return ProposedEvent(entry=entry, keeper=keeper)


class Begun:
    """A command in the form that its giver first sends."""

    def __init__(
        self, command: Entry, signature: Entry, *, needs_chance: bool, acts: tuple[Act, ...]
    ) -> None:
        """Store command and signature in their public forms."""
        self.command = command
        self.signature = signature
        self.needs_chance = needs_chance
        self.acts = acts
        """The giver's immediate acts, if the command needs no randomness."""


class Seat:
    """One seat with its keys and its own copy of the match."""

    def __init__(self, copy: MatchReplica[Any], keys: PartyKeys, role: Role) -> None:
        """Take the seat.

        Args:
            copy: The seat's own copy, which may have no records.
            keys: The keys that it committed to.
            role: The seat's role.
        """
        assert copy.deck_protocol is not None, "the parties deal the cards"
        self._copy = copy
        self._game = copy.ruleset
        self._dealt = copy.deck_protocol
        self._keys = keys
        self.role = role
        self.secret = CardSeed(copy.header.match_id, role, keys.card_seed)
        """Determines the seat's choices about cards, and opens its boxes."""
        self._salts = self.secret._derive(b"flagplot-saltkey", 0, SEED_BYTES)
        self._holder = CardHolder(self.secret, self._dealt.table)
        self._deck = OwnDeck(copy.ruleset, copy.deck_protocol, self._holder, role)

    # -- the acting player

    def begin(self, command: Command) -> Begun:
        """Return a command that is to become the next record.

        Raises:
            IllegalCommandError: The rules refuse it.
        """
        try:
            self._game.run_command(self._copy.state, self.role, command, DraftDice())
            needs_chance = False
        except ChanceRevealedError:
            needs_chance = True
        entry, signature = self.said(command)
        acts: tuple[Act, ...] = ()
        if not needs_chance and not self._dealt.table.owed_steps():
            pending = PendingCommand(
                seq=self._copy.seq + 1,
                prev=self._copy.chain,
                role=self.role,
                command=entry,
                signature=signature,
                throw=None,
                steps=self._dealt.unsettled,
            )
            acts = self.acts(pending, command)
        if not all(isinstance(act, Propose) for act in acts):
            acts = ()  # steps about cards wait for those that the host has and this program may not have received yet
        return Begun(entry, signature, needs_chance=needs_chance, acts=acts)

    def said(self, command: Command) -> tuple[Entry, Entry]:
        """Return the public forms of a command and its signature."""
        given, signed = self._signed(command)
        seen = redact_command(self._game, given, self.role, None)
        return seen, signed if seen.salt is not None else hide_entry(signed)

    def _signed(self, command: Command) -> tuple[Entry, Entry]:
        """Return the complete entries of a command and of its signature."""
        copy, seq = self._copy, self._copy.seq + 1
        entry = self._whole(seq, 0, command)
        body = entry.body or b""
        match_id = copy.header.match_id
        message = command_message(match_id, seq, copy.chain, self.role, entry.tag, entry.v, body)
        signature = self._keys.sign(message)
        return entry, signature_entry(self._salts_for(signature), seq, signature)

    def _whole(self, seq: int, place: int, said: Command | Event) -> Entry:
        """Return the complete entry of a command or an event."""
        body = codec(self._game).pack(said)[2]
        return complete_entry(self._game, said, derive_salt(self._salts_for(body), seq, place))

    def _salts_for(self, body: bytes) -> bytes:
        """Return the data that determines an entry's salt. It has the content, so that no salt serves two contents."""
        return blake2b(body, key=self._salts, digest_size=HASH_BYTES).digest()

    # -- what is due

    def acts(self, pending: PendingCommand, command: Command | None = None) -> tuple[Act, ...]:
        """Return what this seat must do about the pending command now, in order; empty if others are due.

        Args:
            pending: The pending data from the host.
            command: The pending command, if this seat has given it.

        Raises:
            FairPlayError: No honest program sends this data.
        """
        lost = self.hear(pending)
        if lost is not None:
            return (lost,)
        if not pending.is_settled:
            return ()
        answers, owed = self._holder.due_steps(), self._dealt.table.owed_steps()
        to_shuffle = self._unshuffled(pending)
        if answers and (not to_shuffle or owed[0].kind is KeysGiven):
            # computed in parallel with others but sent in turn, so that it need not be sent again
            return self._steps(answers) if self._in_turn() else ()
        if owed and to_shuffle[:1] != [self.role]:
            return ()
        due = self._on(pending, command)
        if due is None or (owed and not isinstance(due, ShuffleCalled)):
            return ()
        if isinstance(due, ShuffleCalled):
            return self._steps(self._holder.with_first_pass(due))
        return (due,) if isinstance(due, Act) else self._steps((due,))

    def _in_turn(self) -> bool:
        """Return whether this seat should continue the shuffles: the next one for the deck that is furthest behind.

        This lets each seat mix and mask as much as possible in one go. It is only a convention, because passes over
        different decks are valid in any order.
        """
        table = self._dealt.table
        behind = min(table.shuffles.values(), key=lambda one: one.mixed + one.masked, default=None)
        if behind is None or table._owed_keys:
            return True
        is_mixing = behind.mixed < len(behind.order)
        return behind.order[behind.mixed if is_mixing else behind.masked] == self.role

    def _unshuffled(self, pending: PendingCommand) -> list[Role]:
        """Return the keepers who draw in an opening from decks that are not shuffled yet; they request this in turn.

        Later each deck is shuffled separately, because its owner may have to mix a hand first.
        """
        picks = () if pending.seq or pending.proposal is None else pending.proposal.picks
        drawing = {pick.owner for pick in picks if pick.place == "deck"}
        shuffles, order = self._dealt.table.shuffles, self._dealt.order
        return [
            role
            for role in pending.keepers
            if role in drawing and role not in shuffles and not order.get(role)
        ]

    def _is_next(self, pending: PendingCommand) -> bool:
        """Return whether this seat is the first keeper still waiting for cards, so that the programs need not race."""
        dealt = {signed.author for signed in self._dealt.unsettled if _is_deal(signed)}
        waiting = [role for role in pending.keepers if role not in dealt]
        return (
            self.role in dealt or waiting[:1] == [self.role] or bool(self._dealt.table.owed_steps())
        )

    def _on(self, pending: PendingCommand, command: Command | None) -> Act | AnyStep | None:
        """Return the acts that are due while no card is waiting for another seat."""
        proposal = pending.proposal
        if proposal is None:
            is_giver = pending.role == self.role and command is not None
            return self._decide(pending, command) if is_giver and command else None
        if pending.role:
            check_proposal(self._dealt, pending, proposal)
        if proposal.is_asking:
            is_owner = proposal.picks[-1].owner == self.role
            return self._show(pending, proposal) if is_owner else None
        is_due = self.role in pending.keepers and self._is_next(pending)
        return self._complete(pending, proposal) if is_due else None

    def hear(self, pending: PendingCommand) -> StepAction | None:
        """Apply the received steps. Return a step of this seat that the host has lost.

        Raises:
            FairPlayError: The steps differ from the earlier ones, or are invalid.
        """
        said = self._dealt.unsettled
        count = min(len(said), len(pending.steps))
        if said[:count] != pending.steps[:count]:
            raise FairPlayError(NOBODY, "the host tells other steps of the cards than before")
        for signed in pending.steps[count:]:
            check_deal(pending, signed)
            self._dealt.take(signed, NOBODY)
        if len(said) > count and said[count].author == self.role:
            return StepAction(number=self._dealt.settled + count, signed=said[count])
        return None

    def _steps(self, steps: Sequence[AnyStep]) -> tuple[StepAction, ...]:
        transcript = self._dealt.transcript
        first = transcript.place(steps[0])[0]
        signed = transcript.sign_steps(self.role, steps, self._keys.sign)
        return tuple(StepAction(number=first + at, signed=one) for at, one in enumerate(signed))

    def _chance(self, pending: PendingCommand) -> DerivedDice:
        seed = public_seed(self._copy.header.match_id, pending.seq, pending.links or ())
        return DerivedDice(seed, pending.seq)

    def _decide(self, pending: PendingCommand, command: Command) -> Act | AnyStep:
        """Decide a command as far as possible."""
        table = self._dealt.table
        shown = [table.slots[number].card for number in pending.shown]
        dice = Deciding(self.role, self._chance(pending), self._deck.drawn(), shown)
        ledger = self._game.ledger(self._copy.state, dice)
        is_asking = False
        try:
            self._game.resolve(ledger, self.role, command)
            dice.finish()
        except CardsWantedError as wanted:
            return self._deck.deal(wanted)
        except FaceWantedError:
            is_asking = True
        events = ledger.events
        opening = None if is_asking else self._deck.opening(events)
        if opening is not None:
            return opening
        proposal = self._proposal(pending, command, events, dice.picks, is_asking)
        signature = self._keys.sign(proposal_message(self._copy.header.match_id, pending, proposal))
        return Propose(proposal=msgspec.structs.replace(proposal, signature=signature))

    def _proposal(
        self,
        pending: PendingCommand,
        command: Command,
        events: Sequence[Event],
        picks: Sequence[Picked],
        is_asking: bool,  # the information in Proposal
    ) -> Proposal:
        told: list[ProposedEvent] = []
        alone: list[Sealable] = []
        if not is_asking:
            for place, entry in zip((0, SIGNATURE_INDEX), self._signed(command), strict=True):
                if pending.command is not None and pending.command.salt is None:
                    alone.append(_sealable(place, entry))
        for number, event in enumerate(events):
            keeper = self._game.secret_owner(event)
            if keeper is not None and keeper != self.role:
                told.append(unfinished(self._game, event, keeper))
                continue
            entry, whole = self._entry(pending.seq, number, event)
            told.append(ProposedEvent(entry=entry))
            if entry.salt is None:
                alone.append(_sealable(number + 1, whole))
        return Proposal(
            events=tuple(told),
            picks=tuple(picks),
            box=seal(self.secret, alone) if alone else b"",
            is_asking=is_asking,
        )

    def _entry(self, seq: int, number: int, event: Event) -> tuple[Entry, Entry]:
        """Return the entry of an event in its public form, and complete."""
        whole = self._whole(seq, number + 1, event)
        return redact_event(self._game, whole, None), whole

    # -- the keeper of cards in another role's command

    def _show(self, pending: PendingCommand, proposal: Proposal) -> Act | AnyStep:
        """Reveal the card that the acting player requests."""
        try:
            state, _ = self._walked(pending, proposal)
        except CardsWantedError as wanted:
            return self._deck.deal(wanted)
        pick = proposal.picks[-1]
        card = self._game.hidden_pile(state, self.role, pick.place)[pick.at]
        found = self._deck.show(card)
        return RevealCard(slot=found) if isinstance(found, int) else found

    def _complete(self, pending: PendingCommand, proposal: Proposal) -> Act | AnyStep:
        """Fill in the own cards."""
        try:
            _, filled = self._walked(pending, proposal)
        except CardsWantedError as wanted:
            return self._deck.deal(wanted)
        opening = self._deck.opening(list(filled.values()))
        if opening is not None:
            return opening
        entries: dict[int, Entry] = {}
        alone: list[Sealable] = []
        for number, event in filled.items():
            entries[number], whole = self._entry(pending.seq, number, event)
            if entries[number].salt is None:
                alone.append(_sealable(number + 1, whole))
        return Complete(
            fill=Completion(entries=entries, box=seal(self.secret, alone) if alone else b"")
        )

    def _walked(
        self, pending: PendingCommand, proposal: Proposal
    ) -> tuple[Any, Mapping[int, Event]]:
        """Fold a proposal on this copy. Return the resulting state, and the seat's own events with their faces.

        Raises:
            CardsWantedError: A card of the own deck is not dealt yet.
            FairPlayError: It cannot follow. The error names the acting player.
        """
        try:
            return self._fold(proposal)
        except (UnreadableError, *FOLD_ERRORS) as error:
            problem = f"{pending.role or 'the host'} proposes what cannot follow: {error!r}"
            raise FairPlayError(pending.role, problem) from error

    def _fold(self, proposal: Proposal) -> tuple[Any, Mapping[int, Event]]:
        game, state = self._game, self._copy.state
        drawn, filled = self._deck.drawn(), dict[int, Event]()
        for number, told in enumerate(proposal.events):
            event = decode_event(game, told.entry)
            assert event is not None, "nobody hides the kind of an event that he proposes"
            if told.keeper == self.role:
                faces = self._faces(state, proposal, number, drawn)
                event, _ = game.complete_event(state, event, faces)
                filled[number] = event
            state = game.evolve(state, event)
        return state, filled

    def _faces(
        self,
        state: Any,  # noqa: ANN401  # any game
        proposal: Proposal,
        number: int,
        drawn: list[str],
    ) -> list[str]:
        """Return the cards that were picked for an event, in order. Those that are drawn are removed from the list."""
        event = decode_event(self._game, proposal.events[number].entry)
        faces: list[str] = []
        for pick in _picks_for(proposal, self.role, number):
            pile = self._game.hidden_pile(state, self.role, pick.place, event, faces)
            if pick.place != "deck":
                faces.append(pile[pick.at])
            elif drawn:
                faces.append(drawn.pop(0))
            else:
                count = _in_a_row(proposal, self.role, number) - len(faces)
                raise CardsWantedError(pile, count)
        return faces


def _picks_for(proposal: Proposal, owner: Role, number: int) -> list[Picked]:
    """Return the random picks from a role's piles for an event."""
    return [pick for pick in proposal.picks if pick.owner == owner and pick.before == number]


def _in_a_row(proposal: Proposal, owner: Role, number: int) -> int:
    """Return how many cards are drawn from an event on before anything else can happen to the deck."""
    count = 0
    for at, told in enumerate(proposal.events[number:], number):
        picks = _picks_for(proposal, owner, at)
        if told.keeper != owner or not picks or any(pick.place != "deck" for pick in picks):
            break
        count += len(picks)
    return count


def _is_deal(signed: SignedStep) -> bool:
    """Return whether a step deals cards."""
    step = STEP_DECODER.decode(signed.body)
    return isinstance(step, DrawCalled) and not step.for_shuffle


def _sealable(place: int, entry: Entry) -> Sealable:
    assert entry.body is not None, "it is complete"
    assert entry.salt is not None, "it is complete"
    return Sealable(place, entry.tag, entry.v, entry.body, entry.salt)
