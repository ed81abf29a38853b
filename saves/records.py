"""Records: what is kept and sent of a game, in full or as one seat may see it.

A record is one command with all events that it caused. Its chain value hashes a salted commitment per command and event
instead of their bytes, so every copy of a game, full or redacted, has the same chain (``docs/save-format.md``).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Annotated, Final, Literal, Protocol, TypeAlias

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.clocks import Clock
from saves.codec import AnyGame, codec
from saves.decoding import canonical, decode
from saves.errors import BrokenChainError
from saves.fair.parties import Consent, Links, OpenedSeed, Party, Sealed, SignedStep, Throw
from saves.fair.signing import TAG as SIGNATURE_TAG
from saves.remarks import Remark
from saves.statements import TAGS, Statement, StatementKind, read_statement

FORMAT_VERSION: Final = 1
FULL: Final = "*"
"""Audience of the judge's copy, which hides nothing and holds the secret."""
BLIND: Final = "-"
"""Audience of the copy of a host that cannot read hands: it holds the secret, and of cards what anybody may know."""
SPECTATOR: Final = ""
"""Audience of the copy that anybody may have."""
HASH_BYTES: Final = 32
SALT_BYTES: Final = 16
SIGNATURE_PLACE: Final = (1 << 32) - 1
"""Index of the signature among the salts of a record."""
NOBODY: Final = Role("")
"""Role of records that no role caused: opening, reveal, and what a narrator remarks."""
MAX_RECORD_BYTES: Final = 4 << 20
"""No record and no header may be longer; checked before anything is written or decoded."""

Hash: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=HASH_BYTES, max_length=HASH_BYTES)]
Salt: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=SALT_BYTES, max_length=SALT_BYTES)]
Seq: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
OwnData: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Kind: TypeAlias = Literal["opening", "command", "takeback", "reveal"] | StatementKind


class Seat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who plays a role."""

    role: Role
    player: str
    """Name for the screen."""
    seat_id: str
    """Identity of the seat on the wire, such as a key fingerprint; empty for hot-seat and bots."""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a copy of a game says about itself before the first record."""

    format: int
    match_id: str
    game: str
    edition: str
    rules_version: int
    data_digest: str
    scenario: str
    """Empty when the game began from a position of the player's own."""
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    secret_commitment: Hash
    position_commitment: Hash
    audience: str
    """A role, :data:`SPECTATOR`, :data:`BLIND` or :data:`FULL`; the only public field that the chain does not cover."""
    position: bytes | None = None
    """Starting position in MessagePack; only in the full copy and the host's."""
    secret: bytes | None = None
    """Match secret; only in the full copy and the host's."""
    own_data: OwnData | msgspec.UnsetType = msgspec.UNSET
    """Hex digest of the players' own data that the position holds; the field is missing where it holds none."""
    clock: Clock | msgspec.UnsetType = msgspec.UNSET
    """How much time each role has; the field is missing where nobody measures it."""
    parties: tuple[Party, ...] | msgspec.UnsetType = msgspec.UNSET
    """Who makes chance together and signs, one per role; the field is missing where the host makes chance alone."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One command or event as this copy may show it."""

    tag: str
    """Empty when even the kind is hidden."""
    v: int
    """Schema number of the tag; 0 when the kind is hidden."""
    body: bytes | None
    """The command or event in MessagePack, maybe redacted; None when wholly hidden."""
    commitment: Hash
    salt: Salt | None
    """Opens the commitment; present exactly when the body is complete."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One step of a game; ``chain`` covers everything before it."""

    seq: Seq
    kind: Kind
    role: Role
    """Giver of the command, whose statement it is, or who asked for the takeback; else empty."""
    command: Entry | None
    """The command or the statement."""
    events: tuple[Entry, ...]
    takeback_to: Seq | None
    """The game stands again as after this record."""
    secret: bytes | None
    """The match secret in a reveal."""
    prev: Hash
    chain: Hash
    links: Links | msgspec.UnsetType = msgspec.UNSET
    """One link of each party where the record used chance; in a match without parties the field is missing."""
    signature: Entry | msgspec.UnsetType = msgspec.UNSET
    """The giver's signature of the command, hidden where the command is; likewise."""
    consents: tuple[Consent, ...] | msgspec.UnsetType = msgspec.UNSET
    """That all parties agree to a takeback, in the order of the header; likewise."""
    steps: tuple[SignedStep, ...] | msgspec.UnsetType = msgspec.UNSET
    """What was done with cards in cipher since the last record that had steps; missing where nothing was."""
    sealed: tuple[Sealed, ...] | msgspec.UnsetType = msgspec.UNSET
    """What parties alone know of the record, in the order of the header; missing where none knows anything."""
    seeds: tuple[OpenedSeed, ...] | msgspec.UnsetType = msgspec.UNSET
    """The card seeds of the parties, in a reveal; missing where the host dealt."""


_RECORD_DECODER: Final = msgspec.msgpack.Decoder(Record)
_HEADER_DECODER: Final = msgspec.msgpack.Decoder(Header)


def encode_record(record: Record) -> bytes:
    """Return a record as it travels; :func:`decode_record` reads it."""
    return canonical(record)


def decode_record(data: bytes) -> Record:
    """Return the record in these bytes; its chain value is not yet checked.

    Raises:
        UnreadableError: The bytes are not a record, or are longer than a record may be.
    """
    return decode(_RECORD_DECODER, data, MAX_RECORD_BYTES)


def encode_header(header: Header) -> bytes:
    """Return a header as it stands in a file or travels.

    A Struct of sixteen fields or more takes the longer form of a map even where missing fields leave fewer, so the map
    is written from those that are there.
    """
    fields = {name: getattr(header, name) for name in header.__struct_fields__}
    there = {name: value for name, value in fields.items() if value is not msgspec.UNSET}
    return msgspec.msgpack.encode({**there, "options": dict(sorted(header.options.items()))})


def decode_header(data: bytes) -> Header:
    """Return the header in these bytes.

    Raises:
        UnreadableError: The bytes are not a header.
    """
    return decode(_HEADER_DECODER, data, MAX_RECORD_BYTES)


def digest(data: bytes, purpose: bytes) -> bytes:
    """Return BLAKE2b-256 of the data, personalised with at most 16 bytes of purpose."""
    hashed = _nothing(purpose).copy()
    hashed.update(data)
    return hashed.digest()


@lru_cache(maxsize=16)
def _nothing(purpose: bytes) -> blake2b:
    """Return the hash for a purpose before any data; a copy costs less than a new one."""
    return blake2b(digest_size=HASH_BYTES, person=purpose)


def salt_for(secret: bytes, seq: int, index: int) -> bytes:
    """Return the salt of one entry: index 0 is the command, 1 and up are the events in order."""
    salt = _salts(secret).copy()
    salt.update(seq.to_bytes(8, "big") + index.to_bytes(4, "big"))
    return salt.digest()


def salts_for(secret: bytes, record: Record) -> list[bytes]:
    """Return the salts of the entries of a record: of its command, then of its events in order."""
    shared = _salts(secret).copy()
    shared.update(record.seq.to_bytes(8, "big"))
    salts = []
    for index in range(1 + len(record.events)):
        salt = shared.copy()
        salt.update(index.to_bytes(4, "big"))
        salts.append(salt.digest())
    return salts


def is_opened(secret: bytes, record: Record) -> bool:
    """Return whether each entry of a record is complete, with the salt of its place and the commitment to it."""
    shared = _salts(secret).copy()
    shared.update(record.seq.to_bytes(8, "big"))
    salted, opened = shared.copy, _ENTRY.copy
    for index, entry in enumerate((record.command, *record.events)):
        if entry is None:
            continue
        hashed = salted()
        hashed.update(index.to_bytes(4, "big"))
        salt, body = hashed.digest(), entry.body
        if body is None or entry.salt != salt:
            return False
        hashed = opened()
        hashed.update(salt + _schema(entry.tag, entry.v) + body)
        if hashed.digest() != entry.commitment:
            return False
    return record.signature is msgspec.UNSET or _is_signature_opened(
        secret, record.seq, record.signature
    )


def _is_signature_opened(secret: bytes, seq: int, entry: Entry) -> bool:
    salt, body = salt_for(secret, seq, SIGNATURE_PLACE), entry.body
    return (
        body is not None
        and entry.salt == salt
        and commitment_of(salt, entry.tag, entry.v, body) == entry.commitment
    )


@lru_cache(maxsize=1_024)
def _salts(secret: bytes) -> blake2b:
    """Return the hash of all salts of a match before what tells them apart; the key is hashed once."""
    return blake2b(key=secret, digest_size=SALT_BYTES, person=b"flagplot-salt")


def position_salt(secret: bytes) -> bytes:
    """Return the salt of the starting position."""
    return blake2b(b"", key=secret, digest_size=SALT_BYTES, person=b"flagplot-setup").digest()


def commitment_of(salt: bytes, tag: str, v: int, body: bytes) -> bytes:
    """Return the commitment to a complete command or event."""
    hashed = _ENTRY.copy()
    hashed.update(salt + _schema(tag, v) + body)
    return hashed.digest()


_ENTRY: Final = blake2b(digest_size=HASH_BYTES, person=b"flagplot-entry")


@lru_cache(maxsize=1_024)
def _schema(tag: str, v: int) -> bytes:
    return canonical((tag, v))


def position_commitment(secret: bytes, position: bytes) -> bytes:
    """Return the commitment to the starting position in MessagePack."""
    return digest(position_salt(secret) + position, b"flagplot-setup")


def own_data_digest(overlay: bytes) -> OwnData | msgspec.UnsetType:
    """Return what a header says of the players' own data, as ``b2sum -l 256`` says it; nothing when there are none."""
    return blake2b(overlay, digest_size=HASH_BYTES).hexdigest() if overlay else msgspec.UNSET


def secret_commitment(secret: bytes) -> bytes:
    """Return the commitment to the match secret."""
    return digest(secret, b"flagplot-secret")


def first_chain(header: Header) -> bytes:
    """Return the chain value before record 0: a hash of everything public in the header."""
    public = (
        header.format,
        header.match_id,
        header.game,
        header.edition,
        header.rules_version,
        header.data_digest,
        header.scenario,
        tuple(sorted(header.options.items())),
        tuple((seat.role, seat.player, seat.seat_id) for seat in header.seats),
        header.secret_commitment,
        header.position_commitment,
        *(() if header.own_data is msgspec.UNSET else (header.own_data,)),
        *(
            ()
            if header.clock is msgspec.UNSET
            else (("clock", *msgspec.structs.astuple(header.clock)),)
        ),
        *(() if header.parties is msgspec.UNSET else (_promises(header.parties),)),
    )
    return digest(canonical(public), b"flagplot-header")


def _promises(parties: tuple[Party, ...]) -> tuple[tuple[str | bytes, ...], ...]:
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


class Content(Protocol):
    """What a record says besides its place."""

    @property
    def kind(self) -> Kind:
        """What kind of record it is."""
        ...

    @property
    def role(self) -> Role:
        """Who caused it."""
        ...

    @property
    def command(self) -> Entry | None:
        """The command or the statement."""
        ...

    @property
    def events(self) -> tuple[Entry, ...]:
        """What followed."""
        ...

    @property
    def takeback_to(self) -> Seq | None:
        """The record after which the game stands again."""
        ...

    @property
    def secret(self) -> bytes | None:
        """The match secret in a reveal."""
        ...

    @property
    def links(self) -> Links | msgspec.UnsetType:
        """The links of the parties."""
        ...

    @property
    def signature(self) -> Entry | msgspec.UnsetType:
        """The signature of the command."""
        ...

    @property
    def consents(self) -> tuple[Consent, ...] | msgspec.UnsetType:
        """That the parties agree."""
        ...

    @property
    def steps(self) -> tuple[SignedStep, ...] | msgspec.UnsetType:
        """What was done with cards in cipher."""
        ...

    @property
    def sealed(self) -> tuple[Sealed, ...] | msgspec.UnsetType:
        """What parties alone know."""
        ...

    @property
    def seeds(self) -> tuple[OpenedSeed, ...] | msgspec.UnsetType:
        """The card seeds."""
        ...


def chain_of(record: Record) -> bytes:
    """Return the chain value that a record must have."""
    return chain_after(record.prev, record.seq, record)


def chain_after(prev: bytes, seq: int, content: Content) -> bytes:
    """Return the chain value of a record with a number and a predecessor."""
    command = content.command
    public: tuple[object, ...] = (
        prev,
        seq,
        content.kind,
        content.role,
        None if command is None else command.commitment,
        tuple([entry.commitment for entry in content.events]),
        content.takeback_to,
        content.secret,
    )
    unset = msgspec.UNSET
    if (
        content.links is not unset
        or content.signature is not unset
        or content.consents is not unset
    ):
        public = (*public, *_given(content))
    if content.steps is not unset or content.sealed is not unset or content.seeds is not unset:
        public = (*public, _dealt(content))
    hashed = _LINK.copy()
    hashed.update(canonical(public))
    return hashed.digest()


def _given(
    content: Content,
) -> tuple[Links | None, bytes | None, tuple[tuple[str, bytes], ...] | None]:
    """Return what the parties gave to a record, as the chain covers it."""
    links, signature, consents = content.links, content.signature, content.consents
    return (
        None if links is msgspec.UNSET else links,
        None if signature is msgspec.UNSET else signature.commitment,
        None
        if consents is msgspec.UNSET
        else tuple((consent.role, consent.signature) for consent in consents),
    )


def _dealt(content: Content) -> tuple[object, ...]:
    """Return what was done with cards in cipher, as the chain covers it."""
    steps, sealed, seeds = content.steps, content.sealed, content.seeds
    return (
        "cards",
        None
        if steps is msgspec.UNSET
        else tuple((step.author, step.body, step.signature) for step in steps),
        None if sealed is msgspec.UNSET else tuple((one.role, one.box) for one in sealed),
        None if seeds is msgspec.UNSET else tuple((one.role, one.seed) for one in seeds),
    )


_LINK: Final = blake2b(digest_size=HASH_BYTES, person=b"flagplot-record")


def opens_secret(header: Header, secret: bytes) -> bool:
    """Return whether this is the secret that the header promised."""
    return secret_commitment(secret) == header.secret_commitment


def check_link(record: Record, seq: int, prev: bytes) -> None:
    """Accept a record that is the next one after a chain value.

    Raises:
        BrokenChainError: Wrong number, wrong predecessor, or its own chain value is wrong.
    """
    if record.seq != seq:
        raise BrokenChainError(record.seq, f"record {seq} is expected")
    if record.prev != prev:
        raise BrokenChainError(record.seq, "it follows another history")
    if record.chain != chain_of(record):
        raise BrokenChainError(record.seq, "its chain value is wrong")


def check_openings(record: Record) -> None:
    """Accept a record whose complete entries match their commitments.

    Raises:
        BrokenChainError: One does not; names it.
    """
    for index, entry in enumerate((record.command, *record.events)):
        if entry is None or entry.salt is None:
            continue
        salt, body = entry.salt, entry.body
        if body is None or commitment_of(salt, entry.tag, entry.v, body) != entry.commitment:
            if not index:
                raise BrokenChainError(record.seq, "the command does not match its commitment")
            problem = f"event {index - 1} ({entry.tag}) does not match its commitment"
            raise BrokenChainError(record.seq, problem, index - 1)
    signature = record.signature
    if signature is msgspec.UNSET or signature.salt is None:
        return
    tag, v, body = signature.tag, signature.v, signature.body
    if body is None or commitment_of(signature.salt, tag, v, body) != signature.commitment:
        raise BrokenChainError(record.seq, "the signature does not match its commitment")


def redact_header(header: Header, audience: Role | None) -> Header:
    """Return the header for a role's copy, None for a spectator's: without position and secret."""
    name = SPECTATOR if audience is None else audience
    return msgspec.structs.replace(header, audience=name, position=None, secret=None)


def command_of(game: AnyGame, entry: Entry) -> Command | None:
    """Return the command or statement as far as this copy knows it; None when even its kind is hidden.

    Raises:
        UnreadableError: The body is not a command of this game.
    """
    if entry.body is None:
        return None
    return codec(game).command(entry.tag, entry.v, entry.body)


def statement_of(record: Record) -> Statement | None:
    """Return what a record states, None when it states nothing; its shape is checked already."""
    entry = record.command
    if record.kind not in TAGS or entry is None or entry.body is None:
        return None
    return read_statement(entry.tag, entry.body)


def remark_of(record: Record) -> str:
    """Return what a record remarks, empty for all others; its shape is checked already."""
    said = statement_of(record)
    return said.text if isinstance(said, Remark) else ""


def event_of(game: AnyGame, entry: Entry) -> Event | None:
    """Return the event as far as this copy knows it; None when even its kind is hidden.

    Raises:
        UnreadableError: The body is not an event of this game.
    """
    if entry.body is None:
        return None
    return codec(game).event(entry.tag, entry.v, entry.body)


def told(record: Record) -> tuple[Entry, ...]:
    """Return the entries of the events of which this copy knows at least the kind."""
    return tuple([entry for entry in record.events if entry.body is not None])


def events_of(game: AnyGame, record: Record) -> tuple[Event, ...]:
    """Return the events of a record as far as this copy knows them, without those whose kind is hidden.

    Raises:
        UnreadableError: A body is not an event of this game.
    """
    read = codec(game).event
    return tuple(
        [read(entry.tag, entry.v, entry.body) for entry in record.events if entry.body is not None]
    )


def complete_entry(game: AnyGame, item: Command | Event, salt: bytes) -> Entry:
    """Return the complete entry of a command or event."""
    tag, v, body = codec(game).pack(item)
    return Entry(tag=tag, v=v, body=body, commitment=commitment_of(salt, tag, v, body), salt=salt)


def build_record(
    game: AnyGame,
    secret: bytes,
    draft: Record,
    command: Command | None,
    events: Sequence[Event],
    signature: bytes = b"",
) -> Record:
    """Return the complete record of a command and its events.

    Args:
        game: The rules.
        secret: The match secret, from which the salts follow.
        draft: All other fields; its entries and its chain value are replaced.
        command: None when the record is not about one.
        events: What it caused.
        signature: The giver's signature of the command; empty in a match without parties.
    """
    seq = draft.seq
    given = None if command is None else complete_entry(game, command, salt_for(secret, seq, 0))
    caused = tuple(
        [
            complete_entry(game, event, salt_for(secret, seq, index))
            for index, event in enumerate(events, start=1)
        ]
    )
    signed = signature_entry(secret, seq, signature) if signature else msgspec.UNSET
    record = msgspec.structs.replace(draft, command=given, events=caused, signature=signed)
    return msgspec.structs.replace(record, chain=chain_of(record))


def signature_entry(secret: bytes, seq: int, signature: bytes) -> Entry:
    """Return the complete entry of the signature of a record's command."""
    salt = salt_for(secret, seq, SIGNATURE_PLACE)
    commitment = commitment_of(salt, SIGNATURE_TAG, 1, signature)
    return Entry(tag=SIGNATURE_TAG, v=1, body=signature, commitment=commitment, salt=salt)


def throw_digest(role: Role, command: Entry | None, signature: Entry | msgspec.UnsetType) -> bytes:
    """Return what a throw is for: the giver, and the commitments to the command and to its signature."""
    given = None if command is None else command.commitment
    signed = None if signature is msgspec.UNSET else signature.commitment
    return digest(canonical((role, given, signed)), b"flagplot-throw")


def throw_of(record: Record, index: int) -> Throw:
    """Return the throw that a record with links comes from, which had this index."""
    wanted = throw_digest(record.role, record.command, record.signature)
    return Throw(index=index, seq=record.seq, prev=record.prev, role=record.role, digest=wanted)


def redact_record(game: AnyGame, record: Record, audience: Role | None) -> Record:
    """Return a record of the full copy as a role may have it, None for a spectator.

    The chain value is the same. What the role may see in full keeps its salt.
    """
    events = tuple([seen_event(game, entry, audience) for entry in record.events])
    command = record.command
    if command is not None and record.kind == "command":
        command = seen_command(game, command, record.role, audience)
    if record.signature is msgspec.UNSET:
        return msgspec.structs.replace(record, command=command, events=events)
    signature = record.signature
    if command is not None and command.salt is None:
        signature = hidden(signature)  # it would let everybody try which command it belongs to
    return msgspec.structs.replace(record, command=command, events=events, signature=signature)


def hidden(entry: Entry) -> Entry:
    """Return an entry of which only the commitment may be seen."""
    return Entry(tag="", v=0, body=None, commitment=entry.commitment, salt=None)


def seen_event(game: AnyGame, entry: Entry, audience: Role | None) -> Entry:
    """Return the entry of an event as a role may have it, None for a spectator."""
    event = event_of(game, entry)
    seen = None if event is None else game.redact(event, audience)
    return _seen_entry(game, entry, event, seen)


def seen_command(game: AnyGame, entry: Entry, giver: Role, audience: Role | None) -> Entry:
    """Return the entry of a command as a role may have it, None for a spectator."""
    command = command_of(game, entry)
    seen = None if command is None else game.redact_command(command, giver, audience)
    return _seen_entry(game, entry, command, seen)


def _seen_entry(
    game: AnyGame, entry: Entry, whole: Command | Event | None, seen: Command | Event | None
) -> Entry:
    """Return the entry of a command or event of which only this may be seen; None when not even its kind."""
    if seen is None:
        return hidden(entry)
    if seen == whole:
        return entry
    tag, v, body = codec(game).pack(seen)
    return Entry(tag=tag, v=v, body=body, commitment=entry.commitment, salt=None)


def rules_differ(game: AnyGame, header: Header) -> bool:
    """Return whether a game began under other rules or data than these."""
    today = (game.edition, game.version, game.data_digest)
    return today != (header.edition, header.rules_version, header.data_digest)


def audience_role(header: Header) -> Role | None:
    """Return the role whose copy this is; None for the spectators' and for the full copy."""
    return None if header.audience in {FULL, BLIND, SPECTATOR} else Role(header.audience)
