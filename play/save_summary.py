"""Summarises a saved game's progress for the menu and the list of saved games."""

from pathlib import Path
from typing import Any

import msgspec

from engine import registry
from engine.kernel.decision import Outcome
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from engine.registry import AnyRuleset
from play.bots import bot_name
from play.loading_lock import with_loading_lock
from saves.headers import audience_role
from saves.logfile import read_log
from saves.replay_check import check_replayable
from saves.terms import current_terms, ending_text
from saves.timeline import Timeline


class SaveSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A saved game's progress as of its last record."""

    rules: AnyRuleset
    scenario: str
    """Name of the scenario; empty for a custom position."""
    heading: str
    """Turn, phase and active side."""
    turn: str
    """The current turn's name; empty for a starting position."""
    roles_to_move: tuple[Role, ...]
    players: dict[Role, str]
    outcome: Outcome | None
    view: View
    """The public view. In a seat's copy, this is the seat's view."""
    record_count: int
    is_adjourned: bool = False
    early_ending: str = ""
    """A sentence that states how the match ended early; empty if it did not."""

    @property
    def people(self) -> tuple[Role, ...]:
        """Return the roles that people play."""
        return tuple(role for role, player in self.players.items() if not bot_name(player))

    @property
    def is_own_move(self) -> bool:
        """Return whether the only person in the game is to move."""
        names = {self.players[role] for role in self.people}
        is_asked = any(role in self.people for role in self.roles_to_move)
        return len(names) == 1 and is_asked and self.outcome is None and not self.is_adjourned

    @property
    def bots(self) -> tuple[str, ...]:
        """Return the names of the bots, each only once."""
        names = (bot_name(player) for player in self.players.values())
        return tuple(dict.fromkeys(name for name in names if name))


@with_loading_lock
def save_summary(path: Path) -> SaveSummary:
    """Return a summary of the game stored in a record file.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file is damaged, or contains data that the rules cannot read.
        DataError: The record names an unknown game.
    """
    log = read_log(path)
    rules = registry.ruleset(log.header.game)
    check_replayable(rules, path.name, log)
    timeline = Timeline[Any](rules)
    timeline.load(log.records)
    state = timeline.state
    terms = current_terms(rules, log.header, log.records)
    names = {info.id: info.name for info in rules.scenarios()}
    return SaveSummary(
        rules=rules,
        scenario=names.get(log.header.scenario, log.header.scenario),
        heading=rules.heading(state),
        turn=rules.turn_name(state),
        roles_to_move=terms.asked(state),
        players={seat.role: seat.player for seat in log.header.seats},
        is_adjourned=bool(terms.adjourned),
        early_ending=(
            "" if terms.ending is None else ending_text(rules, terms.ending, terms.ending_role)
        ),
        outcome=terms.outcome(state),
        view=rules.project(state, audience_role(log.header)),
        record_count=len(log.records),
    )


@with_loading_lock
def opening_summary(scenario_path: str) -> SaveSummary:
    """Return a summary of a scenario's starting position, with no players.

    Args:
        scenario_path: ``GAME/SCENARIO``, or only ``GAME`` for the game's first scenario.

    Raises:
        DataError: There is no such game or scenario.
    """
    game, _, scenario = scenario_path.partition("/")
    rules = registry.ruleset(game)
    info = rules.scenario_info(scenario or rules.scenarios()[0].id, {})
    events = rules.open_game(rules.position(info.id, {}), DerivedDice(bytes(SECRET_BYTES), 0))
    state = rules.fold(rules.initial_state(), events)
    return SaveSummary(
        rules=rules,
        scenario=info.name,
        heading=info.summary,
        turn="",
        roles_to_move=(),
        players={},
        outcome=None,
        view=rules.project(state, None),
        record_count=0,
    )
