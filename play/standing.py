"""How far a saved game is, for the menu and the list of saved games."""

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
from play.by_turns import by_turns
from saves.headers import audience_role
from saves.logfile import read_log
from saves.soundness import check_replayable
from saves.terms import ending_words, terms_of
from saves.timeline import Timeline


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A saved game as its last record left it."""

    rules: AnyRuleset
    scenario: str
    """Name of the scenario, empty for a position of the players' own."""
    heading: str
    """Turn, phase, whose move."""
    asked: tuple[Role, ...]
    players: dict[Role, str]
    outcome: Outcome | None
    view: View
    """What anybody may see, or in a copy the seat that it belongs to."""
    records: int
    is_adjourned: bool = False
    ended: str = ""
    """How it was ended before its rules end it, a sentence."""

    @property
    def people(self) -> tuple[Role, ...]:
        """Return the roles that people play."""
        return tuple(role for role, player in self.players.items() if not bot_name(player))

    @property
    def bots(self) -> tuple[str, ...]:
        """Return the bots of the game, each once."""
        names = (bot_name(player) for player in self.players.values())
        return tuple(dict.fromkeys(name for name in names if name))


@by_turns
def standing_of(path: Path) -> Standing:
    """Return how far the game of a record file is.

    Raises:
        StorageError: It cannot be read.
        CorruptLogError: It is damaged, or holds what the rules do not understand.
        DataError: It names an unknown game.
    """
    log = read_log(path)
    rules = registry.ruleset(log.header.game)
    check_replayable(rules, path.name, log)
    timeline = Timeline[Any](rules)
    timeline.load(log.records)
    state = timeline.state
    terms = terms_of(rules, log.header, log.records)
    names = {info.id: info.name for info in rules.scenarios()}
    return Standing(
        rules=rules,
        scenario=names.get(log.header.scenario, log.header.scenario),
        heading=rules.heading(state),
        asked=terms.asked(state),
        players={seat.role: seat.player for seat in log.header.seats},
        is_adjourned=bool(terms.adjourned),
        ended="" if terms.ending is None else ending_words(rules, terms.ending),
        outcome=terms.outcome(state),
        view=rules.project(state, audience_role(log.header)),
        records=len(log.records),
    )


@by_turns
def opening_of(place: str) -> Standing:
    """Return how a scenario begins, with nobody in its seats.

    Args:
        place: ``GAME/SCENARIO``, or a game alone for its first scenario.

    Raises:
        DataError: There is no such game or scenario.
    """
    game, _, scenario = place.partition("/")
    rules = registry.ruleset(game)
    info = rules.scenario_info(scenario or rules.scenarios()[0].id, {})
    events = rules.start(rules.position(info.id, {}), DerivedDice(bytes(SECRET_BYTES), 0))
    state = rules.fold(rules.blank(), events)
    return Standing(
        rules=rules,
        scenario=info.name,
        heading=info.summary,
        asked=(),
        players={},
        outcome=None,
        view=rules.project(state, None),
        records=0,
    )
