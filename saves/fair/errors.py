"""Errors raised by fair matches' cryptography."""

from engine.kernel.errors import FlagplotError


class GroupElementError(FlagplotError):
    """The bytes are not a usable group point or scalar."""


class MixProofError(FlagplotError):
    """A mix or its proof fails verification."""


class BoxError(FlagplotError):
    """A box cannot be decrypted with this card seed, or its content is malformed."""


class BlindingReuseError(FlagplotError):
    """A blinding would hide two different cards, so comparing the two commitments would reveal both."""
