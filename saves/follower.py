"""The copy that a seat or a spectator follows a game with."""

from engine.kernel.ids import Role
from saves.chain import check_link
from saves.codec import Game, S
from saves.commitments import check_openings, opens_secret
from saves.copy import Copy, LogSink
from saves.errors import BrokenChainError, FairPlayError, MatchError
from saves.headers import FULL, Header, audience_role
from saves.protocol6.parties import Throw
from saves.records import NOBODY, Record


class Follower(Copy[S]):
    """A seat's or a spectator's copy: it takes redacted records and folds them."""

    @classmethod
    def create(cls, ruleset: Game[S], header: Header, log: LogSink | None = None) -> "Follower[S]":
        """Return an empty copy.

        Args:
            ruleset: The rules.
            header: The redacted header that the judge sent.
            log: An empty log; None keeps the copy in memory only.

        Raises:
            MatchError: The header belongs to another game or to the full copy.
            FairPlayError: What a party promises there binds nobody; names it.
            StorageError: The disk refused.
        """
        if header.game != ruleset.game:
            raise MatchError(f"this is a game of '{header.game}', not of '{ruleset.game}'")
        cls.check_header(header)
        copy = cls(ruleset, header, log)
        copy.pledges.check_promises()
        if log is not None:
            log.begin(header)
        return copy

    @classmethod
    def check_header(cls, header: Header) -> None:
        """Accept the header of a redacted copy.

        Raises:
            MatchError: It is the judge's.
        """
        if header.audience == FULL or header.secret is not None or header.position is not None:
            raise MatchError("this is the full copy; a follower takes a redacted one")

    @property
    def role(self) -> Role | None:
        """Return whose copy this is, None for a spectator's."""
        return audience_role(self.header)

    def receive(self, record: Record) -> bool:
        """Add the next record; returns False when exactly this record is held already.

        Raises:
            BrokenChainError: It is not the next one, or another one than the one held, or does not
                match the chain or its commitments, or its events cannot follow; nothing changed.
            FairPlayError: It is not what the parties promised and signed; nothing changed.
            StorageError: The disk refused; nothing changed, and the log takes no more.
        """
        if record.seq <= self.seq:
            if self.records[record.seq] != record:
                raise BrokenChainError(record.seq, "another record with this number is held")
            return False
        if self.is_revealed:
            raise BrokenChainError(record.seq, "nothing follows the reveal")
        check_link(record, self.seq + 1, self.chain)
        check_openings(record)
        if record.secret is not None and not opens_secret(self.header, record.secret):
            raise BrokenChainError(record.seq, "the secret is not the one that was promised")
        if self.transcript is not None:
            self.transcript.check(record)
        else:
            self.pledges.check(record)
        if self.dealt is not None:
            self.dealt.check(record)
        draft = self._folded(record)
        self.terms.check(record)
        if record.kind == "opening":
            self.pledges.check_roles(self.ruleset.roles(draft.state))
        self._keep(draft)
        return True

    def check_throw(self, throw: Throw) -> None:
        """Accept a throw of the next record with the next link; whether the link was opened before, its owner knows.

        Raises:
            FairPlayError: It may not; the sentence says why.
        """
        if (throw.seq, throw.prev) != (self.seq + 1, self.chain):
            problem = (
                f"the host asks for a throw for record {throw.seq}, which does not follow this copy"
            )
            raise FairPlayError(NOBODY, problem)
        if self.terms.ending is not None:
            problem = f"the host asks for a throw for record {throw.seq}, and the match was ended"
            raise FairPlayError(NOBODY, problem)
        if throw.index != self.pledges.count:
            problem = (
                f"the host asks for link {throw.index}, and {self.pledges.count} is the next one"
            )
            raise FairPlayError(NOBODY, problem)

    def own_view_digest(self) -> bytes:
        """Return the digest of this copy's view, to be compared with the host's, which may know only what is public."""
        is_known = self.dealt is None and (
            self.transcript is None or not self.transcript.setup.deals
        )
        return self.view_digest(self.role if is_known else None)

    @property
    def folds_on_open(self) -> bool:
        """Return whether the messages in a file are folded when it is opened; a seat folds its own later."""
        return self.transcript is not None and self.role is None
