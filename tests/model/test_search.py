"""The model of protocol 7 (`docs/model`): no state that the attacker can reach violates a property."""

import re
from functools import cache
from pathlib import Path

import pytest

from docs.model.game import Phase
from docs.model.messages import SEQUENTIAL
from docs.model.report import trace
from docs.model.rules import Rule
from docs.model.scope import Setting
from docs.model.scopes import SCOPES, SMALL
from docs.model.search import Found, LimitReachedError, Search

README = Path(__file__).parents[2] / "docs" / "model" / "README.md"
KINDS = SEQUENTIAL - {"close"} | {
    *("agree", "mix", "reveal", "proof", "open", "consent", "end", "seed"),
}


@cache
def search(name: str, *off: Rule) -> Found:
    return Search(Setting(SCOPES[name], frozenset(off))).run()


@cache
def documented() -> dict[str, int]:
    rows = re.findall(r"^\| ([a-z, ]+?) \| ([\d,]+) \|", README.read_text("utf-8"), re.MULTILINE)
    return {name: int(states.replace(",", "")) for name, states in rows if name != "all"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in SMALL else [pytest.mark.full]) for name in SCOPES],
)
def test_no_reachable_state_violates_a_property(name: str) -> None:
    found = search(name)
    assert found.violation is None, trace(found)
    assert found.states == documented()[name]


def test_searches_reach_every_message_kind_and_every_phase() -> None:
    results = [search(name) for name in SMALL]
    assert frozenset[str]().union(*(found.kinds for found in results)) == KINDS
    assert frozenset[Phase]().union(*(found.phases for found in results)) == {*Phase} - {
        Phase.START
    }


def test_the_readme_lists_every_scope() -> None:
    assert documented().keys() == SCOPES.keys()


@pytest.mark.parametrize(
    "name",
    [
        "offers",
        pytest.param("opening", marks=pytest.mark.full),
        pytest.param("draw", marks=pytest.mark.full),
        pytest.param("end of two", marks=pytest.mark.full),
    ],
)
def test_search_without_reductions_has_more_states_and_the_same_result(name: str) -> None:
    whole = Search(Setting(SCOPES[name]), is_reduced=False).run()
    assert whole.violation is None, trace(whole)
    assert whole.states > search(name).states


@pytest.mark.full
def test_input_labels_in_the_mix_key_add_a_second_barrier() -> None:
    assert search("takeback", Rule.KEY_BINDS_INPUTS).violation is None


def test_search_above_the_state_limit_is_refused() -> None:
    with pytest.raises(LimitReachedError):
        Search(Setting(SCOPES["opening"])).run(limit=10)
