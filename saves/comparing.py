"""Check a seat's or a spectator's copy: by itself, and against the judge's copy after the game."""

from collections.abc import Sequence
from typing import Generic

import msgspec

from engine.kernel.ids import Role
from saves.codec import Game, S
from saves.errors import BrokenChainError, FairPlayError, FalseRecordError
from saves.fair.pledges import Pledges
from saves.records import (
    SIGNATURE_PLACE,
    Header,
    Record,
    audience_role,
    check_openings,
    first_chain,
    opens_secret,
    redact_record,
    rules_differ,
    salt_for,
    salts_for,
)
from saves.terms import Terms, check_terms
from saves.timeline import Timeline, view_digest


class Witness(Generic[S]):
    """Replays a redacted copy as far as it can be checked without the hidden parts."""

    def __init__(self, game: Game[S], header: Header) -> None:
        """Check that the header tells nothing that a redacted copy must not hold.

        Raises:
            FalseRecordError: It does, or names a role that the game does not have.
        """
        if header.position is not None or header.secret is not None:
            raise FalseRecordError(-1, "a redacted copy holds the starting position or the secret")
        self._header = header
        self._pledges = Pledges(header)
        try:
            self._pledges.check_promises()
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        self.role = audience_role(header)
        self.timeline: Timeline[S] = Timeline(game)
        self._game = game
        self._terms = Terms(game, header)

    def add(self, record: Record) -> None:
        """Take the next record, whose link to the one before is already checked.

        Raises:
            FalseRecordError: A complete entry does not match its commitment, the events cannot be
                folded, the revealed secret is not the one that was promised, or what a party gave is not what it
                promised or signed.
        """
        if self.timeline.seq >= 0 and self.timeline.records[-1].kind == "reveal":
            raise FalseRecordError(record.seq, "it follows the reveal, after which nothing can")
        check_terms(self._terms, self.timeline.state, record)
        try:
            check_openings(record)
            self._pledges.check(record)
            after = self.timeline.after(record)
        except BrokenChainError as error:
            raise FalseRecordError(record.seq, error.problem, error.event) from error
        except FairPlayError as error:
            raise FalseRecordError(record.seq, error.problem) from error
        self.timeline.add(record, after)
        self._terms.take(record)
        self._pledges.add(record)
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

    def _check_reveal(self, seq: int, secret: bytes) -> None:
        """Check that secret and salts of everything this copy saw are the promised ones."""
        if not opens_secret(self._header, secret):
            raise FalseRecordError(seq, "the revealed secret is not the one that was promised")
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


def _other_beginning(truth: Header, told: Header) -> str:
    """Return how two headers differ that are not of one match, or of one match told in two ways."""
    ours, theirs = (
        {} if each.parties is msgspec.UNSET else {party.role: party for party in each.parties}
        for each in (truth, told)
    )
    others = [role for role in sorted({*ours, *theirs}) if ours.get(role) != theirs.get(role)]
    if truth.match_id != told.match_id or not others:
        return "the two files are of different matches"
    return f"the judge's copy has another promise in the name of {others[0]}"


class Audit(Generic[S]):
    """Compares what a copy was told with the judge's copy, record by record."""

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
        fair = redact_record(self._game, truth, self._role)
        if fair.command != told.command or fair.signature != told.signature:
            raise FalseRecordError(seq, "the command was told otherwise than it was")
        for number, (should, was) in enumerate(zip(fair.events, told.events, strict=True)):
            if should != was:
                problem = f"'{should.tag or was.tag}' was told otherwise than it was"
                raise FalseRecordError(seq, problem, number)

    def _fork(self, truth: Record, told: Record) -> str:
        """Return what is wrong where two histories part."""
        problem = "the judge's copy has another history from here on"
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
