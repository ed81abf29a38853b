"""Stores a command in a masked-card match (protocol 6) while it is being resolved.

Such matches can no longer be played, but their records can be loaded and verified. Nothing here depends on the cards.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.decoding import canonical
from saves.errors import FairPlayError
from saves.protocol6.deck_protocol import DeckProtocol
from saves.protocol6.errors import DeckCheatError
from saves.protocol6.parties import Links, SignedStep, Throw
from saves.protocol6.signing import is_signed
from saves.protocol6.steps import DrawCalled
from saves.protocol6.transcript import Transcript
from saves.records import Entry
from saves.redaction import redact_event


class Picked(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A random pick from the cards of a player other than the one who gave the command."""

    owner: Role
    place: str
    """The place's name in the rules, such as ``deck`` or ``hand``."""
    at: Annotated[int, msgspec.Meta(ge=0)]
    """The picked card's index in ``Ruleset.hidden_pile``; 0 for a deck, from which the next card is taken."""
    before: Annotated[int, msgspec.Meta(ge=0)]
    """Number of events before the pick."""


class ProposedEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event in a proposal."""

    entry: Entry
    """The event's public form.

    If the event has an owner, this is the form computed by the player, without a commitment.
    """
    keeper: Role = Role("")
    """The role that must complete the event; empty if it is complete."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command's results, as computed by the player who gave it."""

    events: tuple[ProposedEvent, ...]
    picks: tuple[Picked, ...]
    """Picks from other players' cards, in order."""
    box: bytes = b""
    """The player's private part; empty if there is none."""
    is_asking: bool = False
    """True if the player cannot continue until the last picked card's owner reveals it."""
    signature: bytes = b""
    """The signature over :func:`proposal_message`, so that only the player can request cards; empty in the opening."""


class Completion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The events of a proposal, as completed by one owner."""

    entries: Mapping[int, Entry]
    """The events' public forms, by index."""
    box: bytes


class PendingCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command and the progress of its resolution."""

    seq: int
    """The number that its record will have."""
    prev: bytes
    """Chain value before that record."""
    role: Role
    """The role that gave the command; empty for the opening, which the host computes."""
    command: Entry | None
    """Public form of the command."""
    signature: Entry | None
    throw: Throw | None
    """The throw that the command needs; None if it needs no randomness."""
    links: Links | None = None
    """One link per party, once all have been received."""
    steps: tuple[SignedStep, ...] = ()
    """Masked-card steps for this command, and earlier steps that are not yet in a record."""
    proposal: Proposal | None = None
    shown: tuple[int, ...] = ()
    """Slots of the cards revealed at a proposal's request, in order."""
    fills: Mapping[Role, Completion] = {}

    @property
    def is_settled(self) -> bool:
        """Return whether any randomness that the command needs is available, so that it can be resolved."""
        return self.throw is None or self.links is not None

    @property
    def keepers(self) -> tuple[Role, ...]:
        """Return the roles that must still complete events, in order."""
        proposal = self.proposal
        if proposal is None or proposal.is_asking:
            return ()
        keepers = dict.fromkeys(proposed.keeper for proposed in proposal.events if proposed.keeper)
        return tuple(role for role in keepers if role not in self.fills)


# -- actions of a seat's program


class StepAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="step"):
    """Make a masked-card step."""

    number: int
    """The step's number in the match."""
    signed: SignedStep


class Propose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="propose"):
    """Propose the results of a command, or ask for a card."""

    proposal: Proposal


class RevealCard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="show"):
    """Report that the owner of a requested card has revealed it."""

    slot: int


class Complete(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="fill"):
    """Complete the events that depend on an owner's cards."""

    fill: Completion


Act: TypeAlias = StepAction | Propose | RevealCard | Complete


def proposal_message(match_id: str, pending: PendingCommand, proposal: Proposal) -> bytes:
    """Return the message that a player signs for a proposal."""
    unsigned = msgspec.structs.replace(proposal, signature=b"")
    position = (match_id, pending.seq, pending.prev, pending.role)
    return canonical(("flagplot-proposal", *position, canonical(unsigned)))


def check_proposal(dealt: DeckProtocol, pending: PendingCommand, proposal: Proposal) -> None:
    """Check a proposal's signature.

    Raises:
        FairPlayError: The player who gave the command did not sign it.
    """
    message = proposal_message(dealt.table.match_id, pending, proposal)
    if not is_signed(dealt._keys.get(pending.role, b""), message, proposal.signature):
        problem = f"a proposal in the name of {pending.role} that {pending.role} did not sign"
        raise FairPlayError(pending.role, problem)


def check_deal(pending: PendingCommand, signed: SignedStep) -> None:
    """Check that a step does not deal a card for a pending command before its randomness is available.

    Raises:
        DeckCheatError: The step deals a card too early.
    """
    step = Transcript.decode_step(signed)
    if isinstance(step, DrawCalled) and not step.for_shuffle and pending.links is None:
        raise DeckCheatError(signed.author, -1, "deals a card for a command that needs none")


def redact_pending(game: AnyGame, pending: PendingCommand, role: Role | None) -> PendingCommand:
    """Redact a pending command for a role. During set-up, each role sees its own cards."""
    proposal = pending.proposal
    if proposal is None or pending.seq:
        return pending
    events = tuple(
        proposed
        if proposed.keeper
        else msgspec.structs.replace(proposed, entry=redact_event(game, proposed.entry, role))
        for proposed in proposal.events
    )
    return msgspec.structs.replace(
        pending, proposal=msgspec.structs.replace(proposal, events=events)
    )


def completed_entries(pending: PendingCommand) -> Sequence[Entry]:
    """Return a pending command's events with all completions applied."""
    assert pending.proposal is not None, "the results must have been proposed"
    completed: dict[int, Entry] = {}
    for fill in pending.fills.values():
        completed.update(fill.entries)
    return [
        completed.get(number, proposed.entry)
        for number, proposed in enumerate(pending.proposal.events)
    ]
