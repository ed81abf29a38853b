"""Errors raised by the cryptography of fair matches."""

from engine.kernel.errors import FlagplotError


class GroupElementError(FlagplotError):
    """The bytes are not a usable point or scalar of the group."""


class MixProofError(FlagplotError):
    """A mix or its proof does not verify."""


class BoxError(FlagplotError):
    """A box cannot be decrypted with this card seed, or its content is malformed."""


class BlindingReuseError(FlagplotError):
    """A blinding would hide two different cards; comparing the two commitments would reveal both."""
