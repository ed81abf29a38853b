"""Check a seat's or a spectator's copy: by itself, and against the full copy after the game."""

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
from saves.protocol6.pledges import Pledges
from saves.records import Record
from saves.redaction import redact_record
from saves.terms import Terms, check_terms
from saves.timeline import Timeline, checked, view_digest

if TYPE_CHECKING:
    from saves.protocol6.dealt import Dealt
    from saves.protocol6.proving import ProvenCards


class Witness(Generic[S]):
    """Replays a redacted copy as far as it can be checked without the hidden parts."""

    def __init__(self, game: Game[S], header: Header, seeds: Sequence[OpenedSeed] = ()) -> None:
        """Check that the header tells nothing that a redacted copy must not hold.

        Args:
            game: Today's rules.
            header: The header of the record.
            seeds: The card seeds of the reveal, if there is one, for a match whose parties deal.

        Raises:
            FalseRecordError: It does, or names a role that the game does not have.
        """
        self._header = header
        self._pledges = Pledges(header)
        self._check_private()
        try:
            self._pledges.check_promises()
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        self.role = audience_role(header)
        self.timeline: Timeline[S] = Timeline(game)
        self._game = game
        self._terms = Terms(game, header)
        self._dealt: Dealt | None = None
        self._proven: ProvenCards | None = None
        if self._pledges.is_dealt:
            self._dealt, self._proven = _cards_of(game, header, seeds)

    def _check_private(self) -> None:
        """Accept a header without what only the host may know, or the host's with what it has promised."""
        header, secret, position = self._header, self._header.secret, self._header.position
        if header.audience != BLIND:
            if position is not None or secret is not None:
                problem = "a redacted copy holds the starting position or the secret"
                raise FalseRecordError(-1, problem)
            return
        if not self._pledges.is_dealt:
            raise FalseRecordError(
                -1, "a host's copy without hands, and nobody else dealt the cards"
            )
        if secret is None or not opens_secret(header, secret):
            raise FalseRecordError(-1, "the match secret is not the one that was promised")
        if position is None or position_commitment(secret, position) != header.position_commitment:
            raise FalseRecordError(-1, "the starting position is not the one that was promised")

    def add(self, record: Record) -> None:
        """Take the next record, whose link to the one before is already checked.

        Raises:
            FalseRecordError: A complete entry does not match its commitment, the events cannot be
                folded, the revealed secret is not the one that was promised, or what a party gave is not what it
                promised or signed.
        """
        with checked(record.seq):
            self._add(record)

    def _add(self, record: Record) -> None:
        """Take the next record; errors are those of :meth:`add` before they name the record."""
        if self.timeline.seq >= 0 and self.timeline.records[-1].kind == "reveal":
            raise FalseRecordError(record.seq, "it follows the reveal, after which nothing can")
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
        """Accept what was done with cards in cipher, and a record in whose box the owner of the copy found its own.

        Raises:
            FairPlayError: It is false, as everybody can see; names who did it.
        """
        if self._dealt is None:
            return
        self._dealt.check(record)
        if self._proven is not None:
            self._proven.check_boxes(record)
        for number, event in checked_events(self._game, record):
            is_closed = record.events[number].salt is None
            if is_closed and self.role and self._game.keeper(event) == self.role:
                raise FairPlayError(self.role, f"event {number} of {self.role} is in no box")

    def _check_reveal(self, seq: int, secret: bytes) -> None:
        """Check that secret and salts of everything this copy saw are the promised ones."""
        if not opens_secret(self._header, secret):
            raise FalseRecordError(seq, "the revealed secret is not the one that was promised")
        if self._dealt is not None:
            self._check_host_salts(secret)
            return
        for record in self.timeline.records:
            salts = salts_for(secret, record)
            for index, entry in enumerate((record.command, *record.events)):
                if entry is None or entry.salt is None:
                    continue
                if entry.salt != salts[index]:
                    problem = "a salt does not follow from the revealed secret"
                    raise FalseRecordError(record.seq, problem, index - 1 if index else None)
            signed = None if record.signature is msgspec.UNSET else record.signature.salt
            if signed not in {None, salt_for(secret, record.seq, SIGNATURE_PLACE)}:
                problem = "the salt of the signature does not follow from the revealed secret"
                raise FalseRecordError(record.seq, problem)

    def _check_host_salts(self, secret: bytes) -> None:
        """Check what the host made itself; the salts of the parties need not follow from anything."""
        from saves.protocol6.proving import check_host_salts  # noqa: PLC0415  # most matches need no ciphers

        for record in self.timeline.records:
            check_host_salts(self._game, secret, record)


def _cards_of(
    game: AnyGame, header: Header, seeds: Sequence[OpenedSeed]
) -> "tuple[Dealt, ProvenCards | None]":
    """Return the cards of a match before its first record, as everybody knows them, and as the seeds prove them.

    Without seeds, and with such as were not promised, nothing is proven; whose they are is said at the reveal.
    """
    from saves.protocol6.dealt import Dealt  # noqa: PLC0415  # most matches need no ciphers
    from saves.protocol6.proving import ProvenCards  # noqa: PLC0415  # likewise

    try:
        proven = ProvenCards(game, header, seeds) if seeds else None
    except FairPlayError:
        proven = None
    return proven or Dealt(game, header), proven


def _other_beginning(truth: Header, told: Header) -> str:
    """Return how two headers differ that are not of one match, or of one match told in two ways."""
    ours, theirs = (
        {} if each.parties is msgspec.UNSET else {party.role: party for party in each.parties}
        for each in (truth, told)
    )
    others = [role for role in sorted({*ours, *theirs}) if ours.get(role) != theirs.get(role)]
    if truth.match_id != told.match_id or not others:
        return "the two files are of different matches"
    return f"the full copy has another promise in the name of {others[0]}"


class Audit(Generic[S]):
    """Compares what a copy was told with the full copy, record by record."""

    def __init__(self, game: Game[S], truth: Header, told: Header) -> None:
        """Check that both copies are of one match.

        Raises:
            FalseRecordError: They are not.
        """
        if first_chain(truth) != first_chain(told):
            raise FalseRecordError(-1, _other_beginning(truth, told))
        self._game = game
        self._pledges = Pledges(told)
        self._role = audience_role(told)
        self._same_rules = not rules_differ(game, truth)
        self._is_blind = told.audience == BLIND
        self._is_whole = told.audience == FULL

    def compare(self, truth: Record, told: Record) -> None:
        """Accept a record of the copy that is what its owner was to be told.

        Raises:
            FalseRecordError: It is not.
        """
        seq = told.seq
        if truth.chain != told.chain:
            raise FalseRecordError(seq, self._fork(truth, told))
        if not self._same_rules:
            return  # what was told in full is proven by its commitment; the rest is worded anew
        fair = truth if self._is_whole else redact_record(self._game, truth, self._role)
        if fair.command != told.command or fair.signature != told.signature:
            raise FalseRecordError(seq, "the command was told otherwise than it was")
        for number, (should, was) in enumerate(zip(fair.events, told.events, strict=True)):
            is_own = self._is_blind and was == truth.events[number]
            if should != was and not is_own:
                problem = f"'{should.tag or was.tag}' was told otherwise than it was"
                raise FalseRecordError(seq, problem, number)

    def _fork(self, truth: Record, told: Record) -> str:
        """Return what is wrong where two histories part."""
        problem = "the full copy has another history from here on"
        entries = [each.signature for each in (truth, told)]
        if truth.prev != told.prev or truth.role != told.role or not self._pledges.is_joint:
            return problem
        if any(entry is msgspec.UNSET or entry.salt is None for entry in entries):
            return problem
        try:
            for each in (truth, told):
                self._pledges.check_signed(each)
        except FairPlayError:
            return problem
        return f"{problem}; {truth.role} signed two different commands as this record"

    def compare_views(self, seq: int, truth: S, told: S) -> None:
        """Accept a state of the copy that shows its owner what the judge's state shows.

        Raises:
            FalseRecordError: The views differ.
        """
        role: Role | None = self._role
        if view_digest(self._game, truth, role) != view_digest(self._game, told, role):
            raise FalseRecordError(seq, "after it the owner of the copy sees another position")
