"""Computes the chain values that link a game's records.

Each record's hash covers the previous record, and the first record's hash covers the header.

The hash covers commitments instead of commands and events, so all copies of a game, full or redacted, have the same
chain.
"""

from hashlib import blake2b
from typing import Final, Protocol

import msgspec

from engine.kernel.ids import Role
from saves.commitments import digest
from saves.decoding import canonical
from saves.errors import BrokenChainError
from saves.fair.segments import Segment
from saves.fair.terms import FairTerms
from saves.headers import Header
from saves.protocol6.parties import Consent, Links, OpenedSeed, Party, Sealed, SignedStep
from saves.records import HASH_BYTES, Entry, Kind, Record, Seq

_RECORD_HASH: Final = blake2b(digest_size=HASH_BYTES, person=b"flagplot-record")


def first_chain(header: Header) -> bytes:
    """Return the chain value before record 0: a hash of the header's public part."""
    return digest(public_header(header), b"flagplot-header")


def public_header(header: Header) -> bytes:
    """Return the canonical encoding of a header's public fields."""
    public = (
        header.format,
        header.match_id,
        header.game,
        header.edition,
        header.rules_version,
        header.data_digest,
        header.scenario,
        # Sort the options, because a map's order may differ between copies.
        tuple(sorted(header.options.items())),
        tuple((seat.role, seat.player, seat.seat_id) for seat in header.seats),
        header.secret_commitment,
        header.position_commitment,
        # Omitted fields are not hashed, so headers from before these fields existed keep their
        # chain values.
        *(() if header.own_data is msgspec.UNSET else (header.own_data,)),
        *(
            ()
            if header.clock is msgspec.UNSET
            else (("clock", *msgspec.structs.astuple(header.clock)),)
        ),
        *(() if header.parties is msgspec.UNSET else (_encode_parties(header.parties),)),
        *(() if header.fair is msgspec.UNSET else (("fair", _encode_fair_terms(header.fair)),)),
    )
    return canonical(public)


def _encode_fair_terms(terms: FairTerms) -> tuple[object, ...]:
    parties = tuple(msgspec.structs.astuple(party) for party in terms.parties)
    waits = (terms.seed_wait, terms.ack_wait, terms.reply_limit)
    dealer = () if terms.dealer_key is msgspec.UNSET else (terms.dealer_key,)
    setup = () if terms.setup is msgspec.UNSET else (msgspec.structs.astuple(terms.setup),)
    return (terms.fair, terms.host_key, parties, *waits, *dealer, *setup)


def _encode_parties(parties: tuple[Party, ...]) -> tuple[tuple[str | bytes, ...], ...]:
    return tuple(
        (
            party.role,
            party.verify_key,
            party.head,
            party.proof,
            *(() if party.cards is msgspec.UNSET else (party.cards,)),
        )
        for party in parties
    )


class RecordContent(Protocol):
    """The fields hashed into a record's chain value, apart from its number and the previous chain value."""

    @property
    def kind(self) -> Kind:
        """The record's kind."""
        ...

    @property
    def role(self) -> Role:
        """The role that caused the record."""
        ...

    @property
    def command(self) -> Entry | None:
        """The command or statement; None if the record has neither."""
        ...

    @property
    def events(self) -> tuple[Entry, ...]:
        """The events that the command caused."""
        ...

    @property
    def takeback_to(self) -> Seq | None:
        """In a takeback, the number of the record whose state is restored; otherwise None."""
        ...

    @property
    def secret(self) -> bytes | None:
        """In a reveal, the match secret; otherwise None."""
        ...

    @property
    def links(self) -> Links | msgspec.UnsetType:
        """The hash-chain links that the parties revealed for this record."""
        ...

    @property
    def signature(self) -> Entry | msgspec.UnsetType:
        """The signature over the command."""
        ...

    @property
    def consents(self) -> tuple[Consent, ...] | msgspec.UnsetType:
        """The parties' signed consents."""
        ...

    @property
    def steps(self) -> tuple[SignedStep, ...] | msgspec.UnsetType:
        """The masked-deck steps stored in the record."""
        ...

    @property
    def sealed(self) -> tuple[Sealed, ...] | msgspec.UnsetType:
        """Encrypted boxes, each readable by one party."""
        ...

    @property
    def seeds(self) -> tuple[OpenedSeed, ...] | msgspec.UnsetType:
        """The card seeds revealed at the end of the match."""
        ...

    @property
    def transcript(self) -> Segment | msgspec.UnsetType:
        """The protocol 7 messages."""
        ...


def record_chain(record: Record) -> bytes:
    """Compute the chain value that a record must have."""
    return next_chain(record.prev, record.seq, record)


def next_chain(prev: bytes, seq: int, content: RecordContent) -> bytes:
    """Compute a record's chain value from its number, its content and the preceding chain value."""
    command = content.command
    public_data: tuple[object, ...] = (
        prev,
        seq,
        content.kind,
        content.role,
        None if command is None else command.commitment,
        tuple([entry.commitment for entry in content.events]),
        content.takeback_to,
        content.secret,
    )
    # As in the header, omitted fields are not hashed, so older records keep their chain values.
    unset = msgspec.UNSET
    if (
        content.links is not unset
        or content.signature is not unset
        or content.consents is not unset
    ):
        public_data = (*public_data, *_party_data(content))
    if content.steps is not unset or content.sealed is not unset or content.seeds is not unset:
        public_data = (*public_data, _deck_data(content))
    if content.transcript is not unset:
        # The transcript hash covers all messages up to this record, so they need not be hashed
        # again.
        public_data = (*public_data, ("transcript", content.transcript.head))
    hashed = _RECORD_HASH.copy()
    hashed.update(canonical(public_data))
    return hashed.digest()


def _party_data(
    content: RecordContent,
) -> tuple[Links | None, bytes | None, tuple[tuple[str, bytes], ...] | None]:
    """Convert the parties' contributions to a record to plain data for hashing."""
    links, signature, consents = content.links, content.signature, content.consents
    return (
        None if links is msgspec.UNSET else links,
        None if signature is msgspec.UNSET else signature.commitment,
        None
        if consents is msgspec.UNSET
        else tuple((consent.role, consent.signature) for consent in consents),
    )


def _deck_data(content: RecordContent) -> tuple[object, ...]:
    """Convert a record's masked-deck fields to plain data for hashing."""
    steps, sealed, seeds = content.steps, content.sealed, content.seeds
    return (
        "cards",
        None
        if steps is msgspec.UNSET
        else tuple((step.author, step.body, step.signature) for step in steps),
        None if sealed is msgspec.UNSET else tuple((item.role, item.box) for item in sealed),
        None if seeds is msgspec.UNSET else tuple((item.role, item.seed) for item in seeds),
    )


def check_chain(record: Record, seq: int, prev: bytes) -> None:
    """Check a record's number, its link to the previous record, and its own chain value.

    Raises:
        BrokenChainError: The number, the previous chain value or the record's own chain value is wrong.
    """
    if record.seq != seq:
        raise BrokenChainError(record.seq, f"expected record {seq}")
    if record.prev != prev:
        raise BrokenChainError(record.seq, "it continues a different history")
    if record.chain != record_chain(record):
        raise BrokenChainError(record.seq, "its chain value is wrong")


def compute_throw_digest(
    role: Role, command: Entry | None, signature: Entry | msgspec.UnsetType
) -> bytes:
    """Hash the role and the commitments to the command and its signature, which ties a throw to this one command."""
    command_commitment = None if command is None else command.commitment
    signature_commitment = None if signature is msgspec.UNSET else signature.commitment
    return digest(canonical((role, command_commitment, signature_commitment)), b"flagplot-throw")
