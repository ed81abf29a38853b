"""A judge that knows the next command makes the same decisions as one that does not (`Ruleset.hint_next_command`)."""

from typing import Any

import pytest

from engine import registry
from saves.match import Match
from saves.protocol6.party_commitments import PartyCommitments
from saves.record_verifier import CommandVerifier
from saves.records import Record
from saves.timeline import Timeline
from tests.saves.play import SECRET, play


def _match(game: str, scenario: str) -> Match[Any]:
    rules = registry.ruleset(game)
    match = Match[Any].create(rules, rules.position(scenario, {}), scenario, {}, (), SECRET)
    play(match, 20, seed=8)
    return match


@pytest.mark.parametrize(
    ("game", "scenario"), [("eots", "1943"), ("cbps", "6"), ("qmg", "total-war")]
)
def test_next_command_hint_does_not_change_decisions(game: str, scenario: str) -> None:
    """The states are the same with the right command, with none, and with one from another part of the game."""
    match = _match(game, scenario)
    rules, records = match.ruleset, match.records
    followers: dict[str, list[Record | None]] = {
        "none": [None] * len(records),
        "right": [*records[1:], None],
        "wrong": [*records[::-1]],
    }
    ends = {}
    for name, coming in followers.items():
        judge: CommandVerifier[Any] = CommandVerifier(rules, SECRET, PartyCommitments(match.header))
        timeline: Timeline[Any] = Timeline(rules)
        timeline.add(records[0], timeline.state_after(records[0]))
        for record, following in zip(records[1:], coming[1:], strict=True):
            state = judge.verify(timeline.state, record, following)
            timeline.add(record, state)
        ends[name] = timeline.state
    assert ends["none"] == ends["right"] == ends["wrong"]
    assert rules.active_roles(ends["right"]) == rules.active_roles(match.state)
