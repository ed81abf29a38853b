"""Fixtures of the tests of transcripts."""

from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
