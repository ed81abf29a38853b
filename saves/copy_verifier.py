"""Verifies a seat's or spectator's copy, both on its own and against the full copy after the game."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

import msgspec

from engine.kernel.ids import Role
from saves.chain import first_chain
from saves.codec import AnyGame, Game, S
from saves.commitments import (
    SIGNATURE_PLACE,
    check_openings,
    opens_secret,
    position_commitment,
    salt_for,
    salts_for,
)
from saves.entries import checked_events
from saves.errors import FairPlayError, FalseRecordError
from saves.headers import BLIND, FULL, Header, audience_role, rules_differ
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.party_commitments import PartyCommitments
from saves.records import Record
from saves.redaction import redact_record
from saves.terms import Terms, check_terms
from saves.timeline import Timeline, checked, view_digest

if TYPE_CHECKING:
    from saves.protocol6.deck_protocol import DeckProtocol
    from saves.protocol6.proofs import ProvenCards


class RedactedCopyVerifier(Generic[S]):
    """Replays a redacted copy and checks everything that can be checked without the hidden parts."""

    def __init__(self, game: Game[S], header: Header, seeds: Sequence[OpenedSeed] = ()) -> None:
        """Check that the header contains no data that is forbidden in a redacted copy.

        Args:
            game: The current rules.
            header: The copy's header.
            seeds: Card seeds from the reveal, for a match whose parties deal the cards; empty before the reveal.

        Raises:
            FalseRecordError: The header contains forbidden data, or names a role that the game does not have.
        """
        self._header = header
        self._pledges = PartyCommitments(header)
        self._check_private()
        try:
            self._pledges.check_promises()
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        self.role = audience_role(header)
        self.timeline: Timeline[S] = Timeline(game)
        self._game = game
        self._terms = Terms(game, header)
        self._dealt: DeckProtocol | None = None
        self._proven: ProvenCards | None = None
        if self._pledges.is_dealt:
            self._dealt, self._proven = _masked_decks(game, header, seeds)

    def _check_private(self) -> None:
        """Check that only the host's copy has private data, and that this data matches the header's commitments."""
        header, secret, position = self._header, self._header.secret, self._header.position
        if header.audience != BLIND:
            if position is not None or secret is not None:
                problem = "a redacted copy contains the starting position or the secret"
                raise FalseRecordError(-1, problem)
            return
        if not self._pledges.is_dealt:
            raise FalseRecordError(
                -1, "this is a host's copy without hands, although the host dealt the cards"
            )
        if secret is None or not opens_secret(header, secret):
            raise FalseRecordError(-1, "the match secret does not match its commitment")
        if position is None or position_commitment(secret, position) != header.position_commitment:
            raise FalseRecordError(-1, "the starting position does not match its commitment")

    def add(self, record: Record) -> None:
        """Add the next record. The caller has already checked its chain value.

        Raises:
            FalseRecordError: An entry does not match its commitment, an event cannot be folded, the revealed secret is
                not the committed one, or a party's contribution is not what the party promised or signed.
        """
        with checked(record.seq):
            self._add(record)

    def _add(self, record: Record) -> None:
        """Add the next record, without attributing errors to it as :meth:`add` does."""
        if self.timeline.seq >= 0 and self.timeline.records[-1].kind == "reveal":
            raise FalseRecordError(
                record.seq, "it follows the reveal, which must be the last record"
            )
        check_terms(self._terms, self.timeline.state, record)
        check_openings(record)
        self._pledges.check(record)
        self._check_cards(record)
        after = self.timeline.after(record)
        self.timeline.add(record, after)
        self._terms.take(record)
        self._pledges.add(record)
        if self._dealt is not None:
            self._dealt.settle(record)
        if record.secret is not None:
            self._check_reveal(record.seq, record.secret)
        if record.kind == "opening":
            self._check_roles(self._game.roles(after))

    def _check_roles(self, roles: Sequence[Role]) -> None:
        if self.role not in (None, *roles):
            raise FalseRecordError(-1, f"the game has no role '{self.role}'")
        try:
            self._pledges.check_roles(roles)
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error

    def _check_cards(self, record: Record) -> None:
        """Check the masked-deck steps, and that every event that the copy's owner keeps secret is in its box.

        Raises:
            FairPlayError: A step or box is wrong, which anyone can verify; the error names the party responsible.
        """
        if self._dealt is None:
            return
        self._dealt.check(record)
        if self._proven is not None:
            self._proven.check_boxes(record)
        for number, event in checked_events(self._game, record):
            is_closed = record.events[number].salt is None
            if is_closed and self.role and self._game.secret_owner(event) == self.role:
                raise FairPlayError(self.role, f"no box contains event {number} of {self.role}")

    def _check_reveal(self, seq: int, secret: bytes) -> None:
        """Check that the revealed secret is the committed one and that all salts in this copy are derived from it."""
        if not opens_secret(self._header, secret):
            raise FalseRecordError(seq, "the revealed secret does not match its commitment")
        if self._dealt is not None:
            self._check_host_salts(secret)
            return
        for record in self.timeline.records:
            salts = salts_for(secret, record)
            for index, entry in enumerate((record.command, *record.events)):
                if entry is None or entry.salt is None:
                    continue
                if entry.salt != salts[index]:
                    problem = "a salt does not match the revealed secret"
                    raise FalseRecordError(record.seq, problem, index - 1 if index else None)
            signed = None if record.signature is msgspec.UNSET else record.signature.salt
            if signed not in {None, salt_for(secret, record.seq, SIGNATURE_PLACE)}:
                problem = "the signature's salt does not match the revealed secret"
                raise FalseRecordError(record.seq, problem)

    def _check_host_salts(self, secret: bytes) -> None:
        """Check the host's own salts. The parties' salts are not derived from the match secret."""
        from saves.protocol6.proofs import check_host_salts  # noqa: PLC0415  # most matches need no ciphers

        for record in self.timeline.records:
            check_host_salts(self._game, secret, record)


def _masked_decks(
    game: AnyGame, header: Header, seeds: Sequence[OpenedSeed]
) -> "tuple[DeckProtocol, ProvenCards | None]":
    """Return a match's masked decks before its first record: the public state and, if possible, the proven state.

    The proven state is None without seeds, or with seeds that do not match their commitments. A wrong seed is reported
    when the reveal is checked.
    """
    from saves.protocol6.deck_protocol import DeckProtocol  # noqa: PLC0415  # most matches need no ciphers
    from saves.protocol6.proofs import ProvenCards  # noqa: PLC0415  # likewise

    try:
        proven = ProvenCards(game, header, seeds) if seeds else None
    except FairPlayError:
        proven = None
    return proven or DeckProtocol(game, header), proven


def _header_difference(truth: Header, shown: Header) -> str:
    """Explain how two headers differ: they belong to different matches or to different versions of the same match."""
    ours, theirs = (
        {} if each.parties is msgspec.UNSET else {party.role: party for party in each.parties}
        for each in (truth, shown)
    )
    others = [role for role in sorted({*ours, *theirs}) if ours.get(role) != theirs.get(role)]
    if truth.match_id != shown.match_id or not others:
        return "the two files are from different matches"
    return f"the full copy has a different commitment by {others[0]}"


class CopyComparison(Generic[S]):
    """Compares a seat's or spectator's copy with the full copy, record by record."""

    def __init__(self, game: Game[S], truth: Header, shown: Header) -> None:
        """Check that both copies belong to the same match.

        Raises:
            FalseRecordError: The copies belong to different matches.
        """
        if first_chain(truth) != first_chain(shown):
            raise FalseRecordError(-1, _header_difference(truth, shown))
        self._game = game
        self._pledges = PartyCommitments(shown)
        self._role = audience_role(shown)
        self._same_rules = not rules_differ(game, truth)
        self._is_blind = shown.audience == BLIND
        self._is_whole = shown.audience == FULL

    def compare(self, truth: Record, shown: Record) -> None:
        """Check that the copy shows exactly what its owner was entitled to see.

        Raises:
            FalseRecordError: The copy differs.
        """
        seq = shown.seq
        if truth.chain != shown.chain:
            raise FalseRecordError(seq, self._divergence(truth, shown))
        if not self._same_rules:
            return  # commitments prove complete entries; redacted ones depend on the rules version
        fair = truth if self._is_whole else redact_record(self._game, truth, self._role)
        if fair.command != shown.command or fair.signature != shown.signature:
            raise FalseRecordError(seq, "the copy shows a different command")
        for number, (should, was) in enumerate(zip(fair.events, shown.events, strict=True)):
            is_own = self._is_blind and was == truth.events[number]
            if should != was and not is_own:
                problem = f"the copy shows a different '{should.tag or was.tag}'"
                raise FalseRecordError(seq, problem, number)

    def _divergence(self, truth: Record, shown: Record) -> str:
        """Describe the first record at which two histories diverge."""
        problem = "the full copy has a different history from here on"
        entries = [each.signature for each in (truth, shown)]
        if truth.prev != shown.prev or truth.role != shown.role or not self._pledges.is_joint:
            return problem
        if any(entry is msgspec.UNSET or entry.salt is None for entry in entries):
            return problem
        try:
            for each in (truth, shown):
                self._pledges.check_signed(each)
        except FairPlayError:
            return problem
        return f"{problem}; {truth.role} signed two different commands for this record"

    def compare_views(self, seq: int, truth: S, shown: S) -> None:
        """Check that the copy's state and the full copy's state give the copy's owner the same view.

        Raises:
            FalseRecordError: The views differ.
        """
        role: Role | None = self._role
        if view_digest(self._game, truth, role) != view_digest(self._game, shown, role):
            raise FalseRecordError(seq, "after it, the owner of the copy sees a different position")
