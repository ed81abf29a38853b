"""Steps about cards, each signed over everything before it, so that a step can be laid at one door."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Final, TypeAlias

from engine.kernel.ids import Role
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.protocol6.faults import DeckCheatError
from saves.protocol6.parties import SignedStep
from saves.protocol6.signing import is_signed
from saves.protocol6.steps import STEP_DECODER, AnyStep, KeysGiven
from saves.protocol6.table import Table

Signer: TypeAlias = Callable[[bytes], bytes]
"""Signs for one seat."""
MAX_STEP_BYTES: Final = 1 << 18
"""No step is longer; a pass over 300 cards has 20 kB."""
_HASH_BYTES: Final = 32


class Transcript:
    """A table with everything that led to it, in the order in which it was taken."""

    def __init__(self, table: Table, keys: Mapping[Role, bytes]) -> None:
        """Begin with a table on which nothing has happened.

        Args:
            table: What the steps change.
            keys: Of each seat, the key that checks its signatures, as its party has promised it.
        """
        self.table = table
        self.taken: list[SignedStep] = []
        self._keys = keys
        self._chain = blake2b(table.match_id.encode(), digest_size=_HASH_BYTES).digest()
        self._chains = [self._chain]
        self._called = (0, self._chain)
        """Number of the step after the last one that was no giving of keys, and the chain there."""

    def place(self, step: AnyStep | None) -> tuple[int, bytes]:
        """Return the number that a step signs which is to come next, and the chain of what it follows.

        Keys are signed for the call that asks for them, so that those of several seats may come in any order.
        """
        if isinstance(step, KeysGiven):
            return self._called
        return self.table.steps, self._chain

    def chain_at(self, number: int) -> bytes | None:
        """Return the hash of all steps before a number, None when there are not so many."""
        return self._chains[number] if 0 <= number < len(self._chains) else None

    def signed(self, author: Role, step: AnyStep, sign: Signer) -> SignedStep:
        """Return a step as its author signs it to come next."""
        return self.signed_in_turn(author, (step,), sign)[0]

    def signed_in_turn(
        self, author: Role, steps: Sequence[AnyStep], sign: Signer
    ) -> list[SignedStep]:
        """Return steps as their author signs them to come next, one after the other; keys come alone."""
        assert len(steps) == 1 or not any(isinstance(step, KeysGiven) for step in steps)
        signed: list[SignedStep] = []
        place = self.place(steps[0]) if steps else (0, b"")
        for step in steps:
            body = canonical(step)
            text = self._text(author, body, place)
            signed.append(SignedStep(author=author, body=body, signature=sign(text)))
            place = place[0] + 1, _chained(text, signed[-1])
        return signed

    def read(self, signed: SignedStep, sender: Role) -> AnyStep:
        """Return what a step says that shall come next, before it is taken.

        Args:
            signed: As it came.
            sender: From whom it came, who answers for what its author has not signed.

        Raises:
            DeckCheatError: It is not signed, or unreadable.
        """
        number = self.table.steps
        step, problem = _decoded(signed.body)
        text = self._text(signed.author, signed.body, self.place(step))
        key = self._keys.get(signed.author)
        if key is None or not is_signed(key, text, signed.signature):
            unsigned = f"brings a step that {signed.author} has not signed"
            raise DeckCheatError(sender, number, unsigned)
        if step is None:
            raise DeckCheatError(signed.author, number, f"signs what is no step: {problem}")
        if isinstance(step, KeysGiven) and not self._owes_keys(signed.author):
            # their author may have given them once for this call; who brings them again is to blame
            unwanted = f"brings keys of {signed.author} for which nobody asked"
            raise DeckCheatError(sender, number, unwanted)
        return step

    def _owes_keys(self, author: Role) -> bool:
        return any(owed.role == author and owed.kind is KeysGiven for owed in self.table.owed())

    @staticmethod
    def decoded(signed: SignedStep) -> AnyStep | None:
        """Return what a step says, whoever made it; None when it cannot be read."""
        return _decoded(signed.body)[0]

    def take(self, signed: SignedStep, sender: Role) -> AnyStep:
        """Take the next step, and return what it says.

        Raises:
            DeckCheatError: As :meth:`read`, or it is none that an honest program would have made.
            BrokenDeckError: It turns up what cannot be in the deck.
        """
        step = self.read(signed, sender)
        self.keep(signed, step)
        return step

    def keep(self, signed: SignedStep, step: AnyStep) -> None:
        """Take a step that was read.

        Raises:
            DeckCheatError: It is none that an honest program would have made; nothing changed.
            BrokenDeckError: It turns up what cannot be in the deck.
        """
        number = self.table.steps
        text = self._text(signed.author, signed.body, (number, self._chain))
        try:
            self.table.add(signed.author, step)
        finally:
            if self.table.steps > number:
                self.taken.append(signed)
                self._chain = _chained(text, signed)
                self._chains.append(self._chain)
        if not isinstance(step, KeysGiven):
            self._called = self.table.steps, self._chain

    def _text(self, author: Role, body: bytes, place: tuple[int, bytes]) -> bytes:
        """Return what a signature covers: the match, the place, everything before, and the step."""
        return canonical(("flagplot-cards", self.table.match_id, *place, author, body))


def _decoded(body: bytes) -> tuple[AnyStep | None, str]:
    """Return what a step says, or None and why it cannot be read."""
    try:
        return decode(STEP_DECODER, body, MAX_STEP_BYTES), ""
    except UnreadableError as error:
        return None, str(error)


def _chained(text: bytes, signed: SignedStep) -> bytes:
    """Return the hash of all steps up to one, from what its signature covers."""
    return blake2b(text + signed.signature, digest_size=_HASH_BYTES).digest()
