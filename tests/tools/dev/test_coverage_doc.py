"""The coverage of rules and cards that is committed is the one of this tree."""

import pytest

from tools.dev.coverage_doc import TARGET, build, mentions


def test_the_document_is_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == build(), (
        "run: uv run python -m tools.dev.coverage_doc"
    )


@pytest.mark.full
def test_numbers_are_found_where_they_stand() -> None:
    assert any(
        name.endswith("ch09_battle/hits.py") for name in mentions(("engine",), (".py",))["9.2"]
    )
    assert "99.9" not in mentions(("engine",), (".py",))
