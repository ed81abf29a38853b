"""Defines the errors raised by the cryptography for fair matches."""

from engine.kernel.errors import FlagplotError


class GroupElementError(FlagplotError):
    """The bytes do not encode a valid group point or scalar."""


class MixProofError(FlagplotError):
    """A mix or its proof is not valid."""


class BoxError(FlagplotError):
    """A box cannot be decrypted with the key, or the box's content is malformed."""


class BlindingReuseError(FlagplotError):
    """A blinding was about to be used for a second card. The two commitments together would reveal both cards."""
