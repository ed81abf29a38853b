"""The consents to the open offer of a match with parties: all of them for the one record that would follow now."""

from typing import Any

from engine.kernel.ids import Role
from play.offers import Matter, statement_for
from saves.match import Match
from saves.protocol6.parties import Consent
from saves.protocol6.signing import is_signed


class Consents:
    """Collects the signatures of the parties; in a match without parties everything is accepted and nothing kept."""

    def __init__(self, match: Match[Any]) -> None:
        """Begin without an offer."""
        self._match = match
        self._message = b""
        self._signatures: dict[Role, bytes] = {}

    def begin(self, matter: Matter, asker: Role, to_seq: int, signature: bytes) -> bool:
        """Note a new offer and the consent of who makes it; returns whether that is good for the next record.

        Raises:
            MatchError: The match has no such role.
        """
        self._signatures.clear()
        match = self._match
        if matter is Matter.TAKEBACK:
            self._message = match.takeback_message(asker, to_seq)
        else:
            said = statement_for(match.terms, matter, asker)
            self._message = match.agreement_message(asker, said)
        return self.add(asker, signature)

    def add(self, role: Role, signature: bytes) -> bool:
        """Note the consent of a party; returns whether it is one. Where nobody has to agree, anything is."""
        if not self._message:
            return True
        for party in self._match.pledges.parties:
            if party.role == role:
                if not is_signed(party.verify_key, self._message, signature):
                    return False
                self._signatures[role] = signature
        return True

    @property
    def given(self) -> tuple[Consent, ...] | None:
        """Return the consents in the order of the parties; None in a match without them, or where nobody agrees."""
        if not self._match.pledges.is_joint or not self._message:
            return None
        return tuple(
            Consent(role=party.role, signature=self._signatures[party.role])
            for party in self._match.pledges.parties
            if party.role in self._signatures
        )
