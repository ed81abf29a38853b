"""Refusals in the words that players read: names instead of ids (1.2)."""

import pytest

from engine.eots.names import with_unit_names
from engine.kernel.ids import Refusal, Rule


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            "us-cv-enterprise is not activated", "CV Enterprise is not activated", id="1.2-a-unit"
        ),
        pytest.param(
            "only ships, not us-cv-enterprise, us-bb-washington",
            "only ships, not CV Enterprise, BB Washington",
            id="1.2-two-units",
        ),
        pytest.param("5808 is closed to it", "5808 Oahu is closed to it", id="1.2-a-named-hex"),
        pytest.param(
            "the HQ of Oahu 5808 has no room",
            "the HQ of Oahu 5808 has no room",
            id="1.2-named-once",
        ),
        pytest.param("1004 is at sea", "1004 is at sea", id="1.2-a-hex-without-a-name"),
        pytest.param(
            "supply-eligible ports of 1943 only",
            "supply-eligible ports of 1943 only",
            id="1.2-words-and-years",
        ),
    ],
)
def test_unit_names_replace_ids_in_refusals(text: str, told: str) -> None:
    assert with_unit_names(Refusal(Rule("7.21"), text)) == Refusal(Rule("7.21"), told)
