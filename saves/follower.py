"""The copy that a seat or a spectator follows a game with."""

import msgspec

from engine.kernel.ids import Role
from saves.codec import Game, S
from saves.copy import Copy, LogSink
from saves.errors import BrokenChainError, FairPlayError, MatchError
from saves.fair.parties import Party, Throw
from saves.records import (
    FULL,
    NOBODY,
    Header,
    Record,
    audience_role,
    check_link,
    check_openings,
    opens_secret,
    throw_of,
)


class Follower(Copy[S]):
    """A seat's or a spectator's copy: it takes redacted records and folds them."""

    _promised: Throw | None = None
    """The throw for which this seat's link was opened last."""

    @classmethod
    def create(cls, ruleset: Game[S], header: Header, log: LogSink | None = None) -> "Follower[S]":
        """Return an empty copy.

        Args:
            ruleset: The rules.
            header: The redacted header that the judge sent.
            log: An empty log; None keeps the copy in memory only.

        Raises:
            MatchError: The header belongs to another game or to the judge's copy.
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
            raise MatchError("this is the judge's copy; a follower takes a redacted one")

    @property
    def role(self) -> Role | None:
        """Return whose copy this is, None for a spectator's."""
        return audience_role(self.header)

    def receive(self, record: Record) -> bool:
        """Add the next record; returns False when exactly this record is held already.

        Raises:
            BrokenChainError: It is not the next one, or another one than the one held, or does not
                match the chain or its commitments, or its events cannot follow; nothing changed.
            FairPlayError: It is not what the parties promised and signed, or another one than this seat opened its
                link for; nothing changed.
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
        self.pledges.check(record)
        self._check_promised(record)
        draft = self._folded(record)
        if record.kind == "opening":
            self.pledges.check_roles(self.ruleset.roles(draft.state))
        self._keep(draft)
        return True

    def check_own(self, party: Party) -> None:
        """Accept a header that names this seat's own promise, and not one made in its name.

        Raises:
            FairPlayError: It names another one.
        """
        if party not in self.pledges.parties:
            role = party.role
            raise FairPlayError(
                role, f"the match promises in the name of {role} what {role} did not"
            )

    def check_throw(self, throw: Throw) -> None:
        """Accept a throw for which this seat may open its link: the next record, the next link, for the first time.

        The same throw may be asked for again.

        Raises:
            FairPlayError: It may not; the sentence says why.
        """
        if (throw.seq, throw.prev) != (self.seq + 1, self.chain):
            problem = (
                f"the host asks for a throw for record {throw.seq}, which does not follow this copy"
            )
            raise FairPlayError(NOBODY, problem)
        if throw.index != self.pledges.count:
            problem = (
                f"the host asks for link {throw.index}, and {self.pledges.count} is the next one"
            )
            raise FairPlayError(NOBODY, problem)
        held = self._promised
        if held is not None and held.index == throw.index and held != throw:
            raise FairPlayError(NOBODY, f"the host asks for a second throw for record {throw.seq}")

    def promise(self, throw: Throw) -> None:
        """Take no other next record than that of this throw; to be called before the link is opened.

        Keep the throw on disk before the link is opened, and call this with it again after :meth:`resume`; one whose
        record is held by then has done its work.

        Raises:
            FairPlayError: The seat may not open its link for it, or the record that is held is another one.
        """
        if throw.seq <= self.seq:
            self._check_kept(throw, self.records[throw.seq])
            return
        self.check_throw(throw)
        self._promised = throw

    def _check_promised(self, record: Record) -> None:
        if self._promised is not None and self._promised.seq == record.seq:
            self._check_kept(self._promised, record)

    @staticmethod
    def _check_kept(throw: Throw, record: Record) -> None:
        has_links = record.links is not msgspec.UNSET
        if not has_links or throw_of(record, throw.index) != throw:
            problem = f"the host tells another record {record.seq} than the one that this seat opened its link for"
            raise FairPlayError(NOBODY, problem)

    def own_view_digest(self) -> bytes:
        """Return the digest of this copy's view, to be compared with the judge's."""
        return self.view_digest(self.role)
