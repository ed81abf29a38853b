"""Errors of the cryptography of fair matches."""

from engine.kernel.errors import FlagplotError


class GroupElementError(FlagplotError):
    """Bytes that are not a usable point or scalar of the group."""


class MixProofError(FlagplotError):
    """A mix, or the proof of a mix, does not verify."""


class BoxError(FlagplotError):
    """A box does not open with this card seed, or its content has another form."""


class BlindingReuseError(FlagplotError):
    """A blinding would hide two different cards; the comparison of both commitments would reveal them."""
