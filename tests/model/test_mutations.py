"""Without a rule, the model finds the attack that the rule stops, and gives a readable trace."""

import re
import sys

import pytest

from docs.model.__main__ import main
from docs.model.mutations import LIMITS, MUTATIONS, Mutation
from docs.model.properties import NAMES
from docs.model.report import summary, trace
from docs.model.rules import ADDED, TEXT, Rule
from docs.model.scope import Setting
from docs.model.scopes import SCOPES
from docs.model.search import Found, Search

QUICK_ATTACKS = ("C1", "H1", "H2", "H3", "H4", "H5")
SLOW = {"key-binds-history:P-c", "throws-forward:P-f", "throws-forward:P-g"}
"""Searches that take a second or more."""
PICK_TRACE = """\
P-c (an honest seat's card is known only if it was opened under the rules) fails: \
a2 under output 1 of the hand mix of A at 5
"""
PICK_END = """\
 12. host adds to the copy of A: proposal ask labels 5 by B [anchor 10, T]
       A sends open a2 labels 5 [anchor 11, T]"""


def refute(one: Mutation) -> Found:
    return Search(Setting(SCOPES[one.scope], frozenset(one.off)), one.fails).run()


def is_quick(one: Mutation) -> bool:
    is_named = one.attack in QUICK_ATTACKS or set(one.off) & ADDED
    return bool(is_named) and one.name not in SLOW


def cases(mutations: tuple[Mutation, ...]) -> list[object]:
    return [
        pytest.param(
            one, marks=[] if is_quick(one) else [pytest.mark.full], id=f"{one.name}-{one.scope}"
        )
        for one in mutations
    ]


@pytest.mark.parametrize("one", cases(MUTATIONS))
def test_attack_is_found_without_the_rule(one: Mutation) -> None:
    found = refute(one)
    assert found.violation is not None, summary(found)
    assert found.violation.property == one.fails
    lines = trace(found).splitlines()
    assert lines[0].startswith(f"{one.fails} ({NAMES[one.fails]}) fails: ")
    numbers = [int(line[:3]) for line in lines[1:] if line[4:5] == " " and line[:3].strip()]
    assert numbers == [*range(1, len(found.trace))]


@pytest.mark.full
@pytest.mark.parametrize("one", cases(LIMITS))
def test_skipped_property_fails_with_all_rules(one: Mutation) -> None:
    assert refute(one).violation is not None


def test_scopes_skip_exactly_the_listed_limits() -> None:
    skipped = {(scope.name, name) for scope in SCOPES.values() for name in scope.skipped}
    assert skipped == {(one.scope, one.fails) for one in LIMITS}


def test_every_rule_has_a_mutation_and_a_description() -> None:
    alone = {one.off[0] for one in MUTATIONS if len(one.off) == 1}
    assert alone == {*Rule} - {Rule.KEY_BINDS_INPUTS}
    assert {rule for one in MUTATIONS for rule in one.off} == {*Rule}
    assert {*TEXT} == {*Rule}


def test_every_property_is_refuted_by_a_mutation() -> None:
    assert {one.fails for one in MUTATIONS} == {*NAMES}


def test_every_protocol_attack_of_section_1_is_found() -> None:
    assert {one.attack for one in MUTATIONS} >= {*QUICK_ATTACKS}


def test_trace_lists_each_step_and_the_messages_of_the_victim() -> None:
    text = trace(refute(Mutation((Rule.PICK_CHECKED,), "commands", "P-c")))
    assert text.startswith(PICK_TRACE)
    assert re.sub(r"T\d+", "T", text).endswith(PICK_END)


def test_command_line_searches_one_scope(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["model", "--scope", "offers", "--off", "consent-bound", "--property", "P-k"]
    monkeypatch.setattr(sys, "argv", words)
    assert main() == 0
    out = capsys.readouterr().out
    assert "offers: P-k fails" in out
    assert "15. host adds to the copy of A: consent yes by A" in out


def test_command_line_lists_the_rules(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["model", "--rules"])
    assert main() == 0
    assert len(capsys.readouterr().out.splitlines()) == len(Rule)
