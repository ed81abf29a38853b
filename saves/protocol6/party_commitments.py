"""Checks the parties' commitments, and the links, signatures and consents in a match's records."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.entries import record_statement
from saves.errors import FairPlayError
from saves.headers import FULL, Header
from saves.protocol6.hash_chain import CHAIN_LENGTH, hash_link
from saves.protocol6.parties import SIGNATURE_BYTES, Consent, Links, OpenedSeed, Party
from saves.protocol6.signing import (
    TAG,
    command_message,
    consent_message,
    is_signed,
    is_usable_key,
    promise_message,
)
from saves.records import Entry, Record
from saves.statements import Statement, required_consents

_COMPARED_LINKS: Final = 64
"""Number of neighbouring links to compare with a wrong link, so that the error message can identify it."""


NO_LINKS: Final = "it needs random results, but the parties revealed no links for it"
NEEDLESS_LINKS: Final = "the parties revealed links, but it needs no random results"


def _unsigned_text(role: Role) -> str:
    return f"the command attributed to {role} is not signed by {role}"


def check_party(match_id: str, party: Party) -> None:
    """Check that a party's commitments are signed with its own key.

    Raises:
        FairPlayError: The key is unusable, or the signature is wrong.
    """
    role = party.role
    if not is_usable_key(party.verify_key):
        raise FairPlayError(role, f"{role} uses an insecure key")
    cards = b"" if party.cards is msgspec.UNSET else party.cards
    message = promise_message(match_id, role, party.head, cards)
    if not is_signed(party.verify_key, message, party.proof):
        raise FairPlayError(role, f"the commitments of {role} are not signed with its key")


def opened_seeds(records: Sequence[Record]) -> tuple[OpenedSeed, ...]:
    """Return the card seeds from the reveal; empty if the records do not end with a reveal."""
    seeds = records[-1].seeds if records else msgspec.UNSET
    return () if seeds is msgspec.UNSET else seeds


def missing_seeds(header: Header, seeds: Sequence[OpenedSeed]) -> tuple[Role, ...]:
    """Return the parties that committed to a card seed but have not revealed the seed."""
    parties = () if header.parties is msgspec.UNSET else header.parties
    opened_roles = {opened_seed.role for opened_seed in seeds}
    return tuple(
        party.role
        for party in parties
        if party.cards is not msgspec.UNSET and party.role not in opened_roles
    )


def check_seeds(parties: Sequence[Party], seeds: Sequence[OpenedSeed]) -> None:
    """Check that the card seeds match their commitments and are in header order. Missing seeds are allowed.

    Raises:
        FairPlayError: A seed does not match its commitment; the error names the party.
    """
    from saves.protocol6.cardseed import seed_commitment  # noqa: PLC0415  # most matches need no ciphers

    commitments = {party.role: party.cards for party in parties}
    roles = [opened_seed.role for opened_seed in seeds]
    if roles != [role for role in commitments if role in roles]:
        raise FairPlayError(Role(""), "the card seeds do not belong to the parties in their order")
    for opened_seed in seeds:
        if seed_commitment(opened_seed.seed) != commitments[opened_seed.role]:
            problem = (
                f"the card seed in the name of {opened_seed.role} is not the one that was promised"
            )
            raise FairPlayError(opened_seed.role, problem)


class PartyCommitments:
    """The parties' commitments and their contributions so far; empty for a match without parties."""

    def __init__(self, header: Header) -> None:
        """Read the commitments from the header without checking them; see :meth:`check_promises`."""
        parties = header.parties
        self.parties: Sequence[Party] = () if parties is msgspec.UNSET else parties
        self.is_joint = parties is not msgspec.UNSET
        """True if the parties generate randomness together.

        Otherwise, records do not contain contributions from them.
        """
        self.is_dealt = any(party.cards is not msgspec.UNSET for party in self.parties)
        """True if the parties also deal masked cards, so that only its owner can read a hand."""
        self.count = 0
        """Number of records with links so far, which is also the index of the next link in each chain."""
        self._match_id = header.match_id
        self._audience = header.audience
        self._seats = tuple(seat.role for seat in header.seats)
        self._keys: Mapping[Role, bytes] = {party.role: party.verify_key for party in self.parties}
        self._last_links: Links = tuple(party.head for party in self.parties)
        """The most recently revealed links, or the heads if no links have been revealed."""

    def check_promises(self) -> None:
        """Check that every party has a seat and its own commitments, signed with its own key.

        Raises:
            FairPlayError: A commitment is wrong; the error names the party.
        """
        if not self.is_joint:
            return
        if not self.parties:
            raise FairPlayError(Role(""), "the match has joint randomness but no parties")
        seen_values: set[bytes | str] = set()
        for party in self.parties:
            for value in (party.role, party.verify_key, party.head):
                if value in seen_values:
                    problem = f"{party.role} repeats a key or commitment of another party"
                    raise FairPlayError(party.role, problem)
                seen_values.add(value)
            if (party.cards is not msgspec.UNSET) != self.is_dealt:
                raise FairPlayError(
                    party.role,
                    f"{party.role} must commit to a card seed if, and only if, the seats deal",
                )
            if party.role not in self._seats:
                raise FairPlayError(party.role, f"{party.role} is a party without a seat")
            check_party(self._match_id, party)

    def check_roles(self, roles: Collection[Role]) -> None:
        """Check that the parties are exactly the game's roles.

        Raises:
            FairPlayError: A role is missing or unknown; the error names it.
        """
        if self.is_joint:
            for role in sorted({*roles} ^ {*self._keys}):
                problem = "made no commitments" if role in roles else "is not a role in this game"
                raise FairPlayError(role, f"{role} {problem}")

    def check_links(self, links: Links) -> None:
        """Check the next links, one per party in header order.

        Raises:
            FairPlayError: A link does not match the commitment; the error names the party.
        """
        if self.count >= CHAIN_LENGTH:
            raise FairPlayError(Role(""), "the parties have used up their links")
        for party, link, last_link in zip(self.parties, links, self._last_links, strict=False):
            if hash_link(link) != last_link:
                raise FairPlayError(
                    party.role, f"{party.role}'s link is {self._describe_link(link)}"
                )
        # Report a wrong link before a missing one, because a wrong link shows which party broke its
        # promise.
        if len(links) != len(self.parties):
            missing = self.parties[len(links) :]
            role = missing[0].role if missing else Role("")
            problem = f"{role}'s link is missing" if missing else "there are too many links"
            raise FairPlayError(role, problem)

    def check_command(
        self, role: Role, seq: int, prev: bytes, entry: Entry, signature: bytes
    ) -> None:
        """Check a complete command's signature.

        Raises:
            FairPlayError: The player did not sign this command at this point in the match.
        """
        key = self._keys.get(role)
        if key is None:
            raise FairPlayError(role, f"a command in the name of {role}, which committed to no key")
        if not signature:
            raise FairPlayError(role, _unsigned_text(role))
        body = entry.body or b""
        message = command_message(self._match_id, seq, prev, role, entry.tag, entry.v, body)
        if not is_signed(key, message, signature):
            raise FairPlayError(role, _unsigned_text(role))

    def check_takeback(
        self, asker: Role, seq: int, prev: bytes, to_seq: int, consents: Sequence[Consent]
    ) -> None:
        """Check that a list contains every party's consent to a takeback, in header order.

        Raises:
            FairPlayError: A consent is missing or wrong; the error names the party.
        """
        message = consent_message("takeback", self._match_id, seq, prev, asker, to_seq)
        self._check_consents("a takeback", message, self.parties, consents)

    def check_agreement(
        self, statement: Statement, asker: Role, seq: int, prev: bytes, consents: Sequence[Consent]
    ) -> None:
        """Check that a list contains the consent of each party concerned to a statement, in header order.

        Raises:
            FairPlayError: A consent is missing or wrong; the error names the party.
        """
        consent_word, roles = required_consents(statement)
        message = consent_message(consent_word, self._match_id, seq, prev, asker, None)
        required_parties = [party for party in self.parties if party.role in roles]
        self._check_consents(f"an agreement ({consent_word})", message, required_parties, consents)

    def _check_consents(
        self,
        subject: str,
        message: bytes,
        required_parties: Sequence[Party],
        consents: Sequence[Consent],
    ) -> None:
        signatures = {consent.role: consent.signature for consent in consents}
        for party in required_parties:
            if party.role not in signatures:
                problem = f"{subject} without the consent of {party.role}"
                raise FairPlayError(party.role, problem)
            if not is_signed(party.verify_key, message, signatures[party.role]):
                problem = f"the consent attributed to {party.role} is not signed by {party.role}"
                raise FairPlayError(party.role, problem)
        # The chain covers the consents, so extra or reordered consents would make a second valid
        # record of the same agreement.
        if [consent.role for consent in consents] != [party.role for party in required_parties]:
            raise FairPlayError(
                Role(""), "the consents do not belong to the parties in their order"
            )

    def check(self, record: Record) -> None:
        """Check all of the parties' contributions to the next record that are visible in this copy.

        Whether the record needs links is not checked, because that would require replaying the decision.

        Raises:
            FairPlayError: A contribution does not match a commitment; the error names the party.
        """
        self.check_reveals(record)
        self.check_signatures(record)

    def check_reveals(self, record: Record) -> None:
        """Check the next record's links, and check that the record contains masked-card data only if the parties deal.

        Raises:
            FairPlayError: A link does not match the commitment; the error names the party.
        """
        if record.links is not msgspec.UNSET:
            if not self.is_joint:
                raise FairPlayError(Role(""), "it contains links, but no party committed to any")
            self.check_links(record.links)
        unset = msgspec.UNSET
        if not self.is_dealt:
            if record.steps is not unset or record.sealed is not unset or record.seeds is not unset:
                raise FairPlayError(
                    Role(""), "it contains encrypted cards, but no party committed to any"
                )
            return
        if record.sealed is not unset:
            roles = [sealed_box.role for sealed_box in record.sealed]
            if roles != [party.role for party in self.parties if party.role in roles]:
                problem = "the boxes are not those of the parties, in their order"
                raise FairPlayError(Role(""), problem)
        if record.seeds is not unset:
            check_seeds(self.parties, record.seeds)

    def check_signatures(self, record: Record) -> None:
        """Check a command's signature or an agreement's consents. This check needs no earlier records.

        Raises:
            FairPlayError: A signature is missing or wrong; the error names the party.
        """
        if not self.is_joint:
            if record.signature is not msgspec.UNSET or record.consents is not msgspec.UNSET:
                raise FairPlayError(Role(""), "it is signed, but no party has a key")
            return
        if record.kind == "command":
            self._check_signature(record)
        if record.takeback_to is not None:
            consents = () if record.consents is msgspec.UNSET else record.consents
            position = record.role, record.seq, record.prev, record.takeback_to
            self.check_takeback(*position, consents)
        statement = record_statement(record)
        if statement is not None:
            self._check_statement(statement, record)

    def _check_statement(self, statement: Statement, record: Record) -> None:
        if required_consents(statement)[1]:
            consents = () if record.consents is msgspec.UNSET else record.consents
            self.check_agreement(statement, record.role, record.seq, record.prev, consents)
        elif record.consents is not msgspec.UNSET:
            raise FairPlayError(Role(""), f"a {record.kind} with consents")

    def _check_signature(self, record: Record) -> None:
        role, command, entry = record.role, record.command, record.signature
        assert command is not None, "the record's shape must have been checked"
        if entry is msgspec.UNSET:
            raise FairPlayError(role, _unsigned_text(role))
        is_shown = command.salt is not None
        # If a hidden command needed no signature, a host could forge a role's command and hide it
        # from the one seat that would notice.
        if self._audience in {FULL, role} and not is_shown:
            raise FairPlayError(role, f"a command in the name of {role} is hidden from {role}")
        # A visible signature would allow everyone to test guesses about a hidden command.
        if is_shown != (entry.salt is not None):
            raise FairPlayError(
                role, "the command and its signature must both be shown or both be hidden"
            )
        if not is_shown:
            return
        signature = entry.body or b""
        if (entry.tag, entry.v, len(signature)) != (TAG, 1, SIGNATURE_BYTES):
            raise FairPlayError(role, _unsigned_text(role))
        self.check_command(role, record.seq, record.prev, command, signature)

    def add(self, record: Record) -> None:
        """Add a record that has been checked or comes from a trusted copy."""
        if record.links is not msgspec.UNSET:
            self._last_links = record.links
            self.count += 1

    def _describe_link(self, link: bytes) -> str:
        """Describe a wrong link for an error message."""
        value = link
        for steps in range(_COMPARED_LINKS):
            value = hash_link(value)
            if value in self._last_links:
                owner = self.parties[self._last_links.index(value)].role
                return f"a later one of {owner}" if steps else f"the next one of {owner}"
        for party, last in zip(self.parties, self._last_links, strict=True):
            value = last
            for _ in range(_COMPARED_LINKS):
                if value == link:
                    return f"an old one of {party.role}"
                value = hash_link(value)
        return "not the one that was promised"
