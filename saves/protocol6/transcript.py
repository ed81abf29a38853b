"""Stores a match's signed masked-card steps. The signatures prove the steps' authors and order."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Final, TypeAlias

from engine.kernel.ids import Role
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.protocol6.errors import DeckCheatError
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.parties import SignedStep
from saves.protocol6.signing import is_signed
from saves.protocol6.steps import STEP_DECODER, AnyStep, KeysGiven

Signer: TypeAlias = Callable[[bytes], bytes]
"""Signs messages for one seat."""
MAX_STEP_BYTES: Final = 1 << 18
"""Maximum size of a step in bytes. A pass over 300 cards takes up 20 kB."""
_HASH_BYTES: Final = 32


class Transcript:
    """A table, and the signed steps that led to the table's state."""

    def __init__(self, table: MaskedDecks, keys: Mapping[Role, bytes]) -> None:
        """Start with a table that has no steps yet.

        Args:
            table: The table to which steps are applied.
            keys: Each seat's signature verification key, from its commitments.
        """
        self.table = table
        self.signed_steps: list[SignedStep] = []
        self._keys = keys
        self._chain = blake2b(table.match_id.encode(), digest_size=_HASH_BYTES).digest()
        self._chains = [self._chain]
        self._last_call = (0, self._chain)
        """Step number and chain value after the last step that was not ``KeysGiven``.

        Signatures over keys cover these two values.
        """

    def place(self, step: AnyStep | None) -> tuple[int, bytes]:
        """Return the step number and the chain value that the next step's signature must cover.

        A signature over keys covers the call that requests them, so several seats can send their keys in any order.
        """
        if isinstance(step, KeysGiven):
            return self._last_call
        return self.table.steps, self._chain

    def chain_at(self, number: int) -> bytes | None:
        """Return the hash of the first ``number`` steps, or None if fewer steps have been taken."""
        return self._chains[number] if 0 <= number < len(self._chains) else None

    def sign_step(self, author: Role, step: AnyStep, sign: Signer) -> SignedStep:
        """Sign a step that will be the next one."""
        return self.sign_steps(author, (step,), sign)[0]

    def sign_steps(self, author: Role, steps: Sequence[AnyStep], sign: Signer) -> list[SignedStep]:
        """Sign the next steps, in order. A step that reveals keys must be the only one."""
        assert len(steps) == 1 or not any(isinstance(step, KeysGiven) for step in steps)
        signed: list[SignedStep] = []
        place = self.place(steps[0]) if steps else (0, b"")
        for step in steps:
            body = canonical(step)
            text = self._text(author, body, place)
            signed.append(SignedStep(author=author, body=body, signature=sign(text)))
            place = place[0] + 1, _extend_chain(text, signed[-1])
        return signed

    def read(self, signed: SignedStep, sender: Role) -> AnyStep:
        """Verify the next step's signature and decode the step, but do not apply it.

        Args:
            signed: The step as received.
            sender: The party that sent the step. If the author did not sign the step, this party is to blame.

        Raises:
            DeckCheatError: The step is unsigned, unreadable or not due.
        """
        number = self.table.steps
        # Decode the step before checking its signature, because the number and chain value that are
        # signed depend on its kind.
        step, problem = _decode_step(signed.body)
        text = self._text(signed.author, signed.body, self.place(step))
        key = self._keys.get(signed.author)
        if key is None or not is_signed(key, text, signed.signature):
            unsigned = f"sends a step that {signed.author} has not signed"
            raise DeckCheatError(sender, number, unsigned)
        if step is None:
            raise DeckCheatError(
                signed.author, number, f"signs something that is not a step: {problem}"
            )
        if isinstance(step, KeysGiven) and not self._owes_keys(signed.author):
            # The author may have sent these keys for this call before, so blame the sender that
            # repeats them.
            unwanted = f"sends keys from {signed.author} that were not requested"
            raise DeckCheatError(sender, number, unwanted)
        return step

    def _owes_keys(self, author: Role) -> bool:
        return any(
            owed.role == author and owed.kind is KeysGiven for owed in self.table.owed_steps()
        )

    @staticmethod
    def decode_step(signed: SignedStep) -> AnyStep | None:
        """Decode a step without checking its signature. Return None if the step is unreadable."""
        return _decode_step(signed.body)[0]

    def take(self, signed: SignedStep, sender: Role) -> AnyStep:
        """Verify, decode and apply the next step.

        Raises:
            DeckCheatError: :meth:`read` rejects the step, or no honest program would have taken it.
            BrokenDeckError: The step reveals a card that cannot be in the deck.
        """
        step = self.read(signed, sender)
        self.apply(signed, step)
        return step

    def apply(self, signed: SignedStep, step: AnyStep) -> None:
        """Apply a step that :meth:`read` has accepted.

        Raises:
            DeckCheatError: No honest program would have taken this step. Nothing has changed.
            BrokenDeckError: The step reveals a card that cannot be in the deck.
        """
        number = self.table.steps
        text = self._text(signed.author, signed.body, (number, self._chain))
        try:
            self.table.add(signed.author, step)
        # A step that reveals a wrong card is still applied and counted, because its author may be
        # innocent.
        finally:
            if self.table.steps > number:
                self.signed_steps.append(signed)
                self._chain = _extend_chain(text, signed)
                self._chains.append(self._chain)
        if not isinstance(step, KeysGiven):
            self._last_call = self.table.steps, self._chain

    def _text(self, author: Role, body: bytes, place: tuple[int, bytes]) -> bytes:
        """Return the text to sign: the match, the step's number, the chain of earlier steps, author and body."""
        return canonical(("flagplot-cards", self.table.match_id, *place, author, body))


def _decode_step(body: bytes) -> tuple[AnyStep | None, str]:
    """Decode a step. On failure, return None and the reason."""
    try:
        return decode(STEP_DECODER, body, MAX_STEP_BYTES), ""
    except UnreadableError as error:
        return None, str(error)


def _extend_chain(text: bytes, signed: SignedStep) -> bytes:
    """Return the chain's next hash, computed from a signed text and its signature."""
    return blake2b(text + signed.signature, digest_size=_HASH_BYTES).digest()
