"""Verifies a seat's or spectator's copy, first alone and, after the game, against the full copy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

import msgspec

from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.chain import first_chain
from saves.codec import AnyGame, Game, S
from saves.commitments import (
    SIGNATURE_INDEX,
    check_openings,
    derive_salt,
    derive_salts,
    is_secret_of,
    position_commitment,
)
from saves.entries import decode_event, decode_events
from saves.errors import BrokenChainError, FairPlayError, FalseRecordError
from saves.headers import BLIND, FULL, Header, audience_role, rules_differ
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.party_commitments import PartyCommitments
from saves.records import Record
from saves.redaction import redact_record
from saves.terms import Terms, check_terms
from saves.timeline import Timeline, convert_errors, view_digest

if TYPE_CHECKING:
    from saves.protocol6.deck_protocol import DeckProtocol
    from saves.protocol6.proofs import ProvenCards


class RedactedCopyVerifier(Generic[S]):
    """Replays a redacted copy and checks everything that can be checked without the hidden parts."""

    def __init__(self, game: Game[S], header: Header, seeds: Sequence[OpenedSeed] = ()) -> None:
        """Check that the header contains only data that a redacted copy may have.

        Args:
            game: The current rules.
            header: The copy's header.
            seeds: Card seeds from the reveal; empty before the reveal and if the host deals.

        Raises:
            FalseRecordError: The header contains forbidden data, or names a role that the game does not have.
        """
        self._header = header
        self._commitments = PartyCommitments(header)
        self._check_private()
        try:
            self._commitments.check_promises()
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        self.role = audience_role(header)
        self.timeline: Timeline[S] = Timeline(game)
        self._game = game
        self._terms = Terms(game, header)
        self._deck_protocol: DeckProtocol | None = None
        self._proven_cards: ProvenCards | None = None
        self.has_unchecked_entries = False
        """True if the copy shows parts of entries whose commitments it cannot check."""
        if self._commitments.is_dealt:
            self._deck_protocol, self._proven_cards = _new_decks(game, header, seeds)

    def _check_private(self) -> None:
        """Check that only a host's copy contains private data, and that this data matches the header's commitments."""
        header, secret, position = self._header, self._header.secret, self._header.position
        if header.audience != BLIND:
            if position is not None or secret is not None:
                problem = "a redacted copy contains the starting position or the secret"
                raise FalseRecordError(-1, problem)
            return
        if not self._commitments.is_dealt:
            raise FalseRecordError(
                -1, "this is a host's copy without hands, although the host dealt the cards"
            )
        if secret is None or not is_secret_of(header, secret):
            raise FalseRecordError(-1, "the match secret does not match its commitment")
        if position is None or position_commitment(secret, position) != header.position_commitment:
            raise FalseRecordError(-1, "the starting position does not match its commitment")

    def add(self, record: Record) -> None:
        """Add the next record. The caller has already checked its chain value.

        Raises:
            FalseRecordError: An event cannot be folded, or an entry, the revealed secret or a party's contribution does
                not match its commitment or signature.
        """
        with convert_errors(record.seq):
            self._add(record)

    def _add(self, record: Record) -> None:
        """Add the next record without converting errors to :class:`FalseRecordError`."""
        if self.timeline.seq >= 0 and self.timeline.records[-1].kind == "reveal":
            raise FalseRecordError(
                record.seq, "it follows the reveal, which must be the last record"
            )
        check_terms(self._terms, self.timeline.state, record)
        check_openings(record)
        self._commitments.check(record)
        self._check_cards(record)
        self._check_redacted_entries(record)
        after = self.timeline.state_after(record)
        self.timeline.add(record, after)
        self._terms.apply(record)
        self._commitments.add(record)
        if self._deck_protocol is not None:
            self._deck_protocol.settle(record)
        if record.secret is not None:
            self._check_reveal(record.seq, record.secret)
        if record.kind == "opening":
            self._check_roles(self._game.roles(after))

    def _check_roles(self, roles: Sequence[Role]) -> None:
        if self.role not in (None, *roles):
            raise FalseRecordError(-1, f"the game has no role '{self.role}'")
        try:
            self._commitments.check_roles(roles)
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error

    def _check_cards(self, record: Record) -> None:
        """Check the masked-deck steps, and check that the copy owner's box contains each of the owner's secret events.

        Raises:
            FairPlayError: A step or box is provably wrong; the error names the party responsible.
        """
        if self._deck_protocol is None:
            return
        self._deck_protocol.check(record)
        if self._proven_cards is not None:
            self._proven_cards.check_boxes(record)
        for number, event in decode_events(self._game, record):
            is_closed = record.events[number].salt is None
            if is_closed and self.role and self._game.secret_owner(event) == self.role:
                raise FairPlayError(self.role, f"no box contains event {number} of {self.role}")

    def _check_redacted_entries(self, record: Record) -> None:
        """Refuse an entry that has no salt although the rules hide nothing in it. No commitment covers its content.

        Raises:
            BrokenChainError: The entry should be complete; the error names its event.
        """
        command = record.command
        if command is not None and command.salt is None and command.body is not None:
            is_hideable = record.role != self.role and _has_blank(command.body)
            self._check_hideable(record, None, is_hideable=is_hideable)
        for number, entry in enumerate(record.events):
            if entry.salt is not None:
                continue
            event = decode_event(self._game, entry)
            if record.kind == "opening" and not number and event is not None:
                self._check_setup(event)
                continue
            is_hideable = event is None or (
                self._game.secret_owner(event) not in {None, self.role}
                and _has_blank(entry.body or b"")
            )
            self._check_hideable(record, number, is_hideable=is_hideable)

    def _check_hideable(self, record: Record, event: int | None, *, is_hideable: bool) -> None:
        # Other rules may have hidden parts of other entries.
        if not is_hideable and not rules_differ(self._game, self._header):
            name = "the command" if event is None else f"event {event}"
            problem = f"{name} lacks its salt, although the rules hide nothing in it from this copy"
            raise BrokenChainError(record.seq, problem, event)
        self.has_unchecked_entries = True

    def _check_setup(self, event: Event) -> None:
        """Compare the redacted set-up event with the scenario's, if the header and the rules determine the latter.

        Raises:
            BrokenChainError: The set-up differs.
        """
        game, header = self._game, self._header
        is_own = not header.scenario or header.own_data is not msgspec.UNSET
        if is_own or rules_differ(game, header):
            self.has_unchecked_entries = True
            return
        try:
            position = game.position(header.scenario, header.options)
        except FlagplotError as error:
            raise BrokenChainError(0, str(error), 0) from error
        # The set-up event precedes all random results, so it does not depend on the dice.
        expected = game.open_game(position, DerivedDice(bytes(SECRET_BYTES), 0))[0]
        if game.redact(expected, self.role) != event:
            raise BrokenChainError(0, f"this is not how scenario '{header.scenario}' begins", 0)

    def _check_reveal(self, seq: int, secret: bytes) -> None:
        """Check that the revealed secret matches its commitment and that it yields every salt in this copy."""
        if not is_secret_of(self._header, secret):
            raise FalseRecordError(seq, "the revealed secret does not match its commitment")
        if self._deck_protocol is not None:
            self._check_host_salts(secret)
            return
        for record in self.timeline.records:
            salts = derive_salts(secret, record)
            for index, entry in enumerate((record.command, *record.events)):
                if entry is None or entry.salt is None:
                    continue
                if entry.salt != salts[index]:
                    problem = "a salt does not match the revealed secret"
                    raise FalseRecordError(record.seq, problem, index - 1 if index else None)
            signature_salt = None if record.signature is msgspec.UNSET else record.signature.salt
            if signature_salt not in {None, derive_salt(secret, record.seq, SIGNATURE_INDEX)}:
                problem = "the signature's salt does not match the revealed secret"
                raise FalseRecordError(record.seq, problem)

    def _check_host_salts(self, secret: bytes) -> None:
        """Check the salts of the host's entries. The parties' salts are not derived from the match secret."""
        from saves.protocol6.proofs import check_host_salts  # noqa: PLC0415  # most matches need no ciphers

        for record in self.timeline.records:
            check_host_salts(self._game, secret, record)


def _has_blank(body: bytes) -> bool:
    """Return whether a redacted body contains a mark in place of something hidden."""
    values = [msgspec.msgpack.decode(body)]
    while values:
        value = values.pop()
        if value is None or value == HIDDEN:
            return True
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
    return False


def _new_decks(
    game: AnyGame, header: Header, seeds: Sequence[OpenedSeed]
) -> "tuple[DeckProtocol, ProvenCards | None]":
    """Return a match's initial masked decks: the public state and, if possible, the proven state.

    The proven state is None if no seeds are given or if a seed does not match its commitment. A wrong seed is reported
    when the reveal is checked.
    """
    from saves.protocol6.deck_protocol import DeckProtocol  # noqa: PLC0415  # most matches need no ciphers
    from saves.protocol6.proofs import ProvenCards  # noqa: PLC0415  # likewise

    try:
        proven = ProvenCards(game, header, seeds) if seeds else None
    except FairPlayError:
        proven = None
    return proven or DeckProtocol(game, header), proven


def _header_difference(full: Header, redacted: Header) -> str:
    """Describe how two headers differ: they are from different matches, or a party's commitment differs."""
    full_parties, redacted_parties = (
        {} if header.parties is msgspec.UNSET else {party.role: party for party in header.parties}
        for header in (full, redacted)
    )
    differing_roles = [
        role
        for role in sorted({*full_parties, *redacted_parties})
        if full_parties.get(role) != redacted_parties.get(role)
    ]
    if full.match_id != redacted.match_id or not differing_roles:
        return "the two files are from different matches"
    return f"the full copy has a different commitment by {differing_roles[0]}"


class CopyComparison(Generic[S]):
    """Compares a seat's or spectator's copy with the full copy, one record at a time."""

    def __init__(self, game: Game[S], full: Header, redacted: Header) -> None:
        """Check that both copies belong to the same match.

        Raises:
            FalseRecordError: The copies belong to different matches.
        """
        if first_chain(full) != first_chain(redacted):
            raise FalseRecordError(-1, _header_difference(full, redacted))
        self._game = game
        self._commitments = PartyCommitments(redacted)
        self._role = audience_role(redacted)
        self._same_rules = not rules_differ(game, full)
        self._is_blind = redacted.audience == BLIND
        self._is_full = redacted.audience == FULL

    def compare(self, full: Record, redacted: Record) -> None:
        """Compare a record with the full one. Under other rules, only the chain value is compared.

        Raises:
            FalseRecordError: The copy differs.
        """
        seq = redacted.seq
        if full.chain != redacted.chain:
            raise FalseRecordError(seq, self._divergence(full, redacted))
        # Commitments prove the complete entries. Redacted entries cannot be compared, because other
        # rules may redact them differently.
        if not self._same_rules:
            return
        expected_record = full if self._is_full else redact_record(self._game, full, self._role)
        if (
            expected_record.command != redacted.command
            or expected_record.signature != redacted.signature
        ):
            raise FalseRecordError(seq, "the copy shows a different command")
        for number, (expected, actual) in enumerate(
            zip(expected_record.events, redacted.events, strict=True)
        ):
            # A host that cannot read hands keeps its own entries in complete form, so these may
            # equal the full copy's entries.
            is_own = self._is_blind and actual == full.events[number]
            if expected != actual and not is_own:
                # A hidden entry has an empty tag, so use the tag from the copy that shows it.
                problem = f"the copy shows a different '{expected.tag or actual.tag}'"
                raise FalseRecordError(seq, problem, number)

    def _divergence(self, full: Record, redacted: Record) -> str:
        """Describe how two histories diverge at this record."""
        problem = "the full copy has a different history from here on"
        entries = [history.signature for history in (full, redacted)]
        if (
            full.prev != redacted.prev
            or full.role != redacted.role
            or not self._commitments.is_joint
        ):
            return problem
        # A hidden signature cannot be verified. Only two valid signatures would prove that the role
        # signed both commands.
        if any(entry is msgspec.UNSET or entry.salt is None for entry in entries):
            return problem
        try:
            for history in (full, redacted):
                self._commitments.check_signatures(history)
        except FairPlayError:
            return problem
        return f"{problem}; {full.role} signed two different commands for this record"

    def compare_views(self, seq: int, full: S, redacted: S) -> None:
        """Check that the owner's view computed from this copy equals the owner's view computed from the full copy.

        Raises:
            FalseRecordError: The views differ.
        """
        role: Role | None = self._role
        if view_digest(self._game, full, role) != view_digest(self._game, redacted, role):
            raise FalseRecordError(
                seq, "after this record, the owner of the copy sees a different position"
            )
