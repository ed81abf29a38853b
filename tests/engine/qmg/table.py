"""A position set up with script lines, and commands given in notation."""

from typing import Final

from engine.kernel.dice import ScriptedDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.qmg.events import CardsMoved, QmgEvent, VpChanged
from engine.qmg.frames import Trigger, WindowFrame
from engine.qmg.position import Position
from engine.qmg.ruleset import QMG
from engine.qmg.scripting import _LEXICON, QMG_WORDS, apply_setup
from engine.qmg.state import State

MOST_DEFAULTS: Final = 400
UNPROTECTED: Final = "de_submarines_prey_on_unprotected_shipping#1"
KEEP: Final = {
    "germany": "de_plunder",
    "uk": "uk_singapore",
    "japan": "jp_indian_ocean_patrols",
    "ussr": "su_mao_tse_tung",
    "italy": "it_plunder",
    "usa": "us_theater_shift",
}
"""A card that stays in hand, so that the Discard step asks a question."""


def position(scenario: str, *lines: str, options: dict[str, str] | None = None) -> Position:
    """Return a starting position with changes from setup lines."""
    found = QMG.position(scenario, options or {})
    for line in lines:
        found = apply_setup(found, line.split())
    return found


class Table:
    """One game under test. Draws take the scripted cards, or the first card if there are none."""

    def __init__(
        self, scenario: str, *lines: str, options: dict[str, str] | None = None, draws: str = ""
    ) -> None:
        made = position(scenario, *lines, options=options)
        QMG.check_position(made)
        self.dice = ScriptedDice(picks=[_LEXICON.find_one("card", name) for name in draws.split()])
        self.events: tuple[QmgEvent, ...] = ()
        self.state: State = QMG.initial_state()
        events = QMG.open_game(made, self.dice)
        self.set_up_state = QMG.evolve(self.state, events[0])
        self._take(events)

    def _take(self, events: tuple[QmgEvent, ...]) -> None:
        self.events += events
        self.state = QMG.fold(self.state, events)
        assert next(QMG.violations(self.state), None) is None

    def __call__(self, *lines: str) -> None:
        """Give commands written ``role: line``."""
        for line in lines:
            role, _, words = line.partition(":")
            command = QMG.notation.parse(words.strip())
            self._take(QMG.decide(self.state, Role(role), command, self.dice))

    @property
    def asked(self) -> tuple[str, ...]:
        return QMG.active_roles(self.state)

    @property
    def rule(self) -> str:
        """Return the rule of the first open question."""
        return QMG.decision(self.state, Role(self.asked[0])).rule

    @property
    def trigger(self) -> Trigger:
        """Return the event of the open window."""
        top = self.state.frames[-1]
        assert isinstance(top, WindowFrame), top
        return top.trigger

    def options(self, role: str, start: str = "") -> list[str]:
        """Return the options of a role; with a start, only those that begin with it."""
        found = QMG.decision(self.state, Role(role)).options
        lines = [QMG.notation.line(option) for option in found]
        return [line for line in lines if line.startswith(start)]

    def free(self, role: str, start: str = "") -> list[str]:
        """Return the commands that a role may give at any time."""
        lines = [QMG.notation.line(option) for option in QMG.free_actions(self.state, Role(role))]
        return [line for line in lines if line.startswith(start)]

    def default(self) -> str:
        """Answer the first open question as the clock would, and return the line."""
        role = Role(self.asked[0])
        command = QMG.decision(self.state, role).default
        line = f"{role}: {QMG.notation.line(command)}"
        self(line)
        return line

    def until(self, rule: str, role: str = "") -> None:
        """Give default answers until this rule asks a question or, if a role is given, asks that role."""
        for _ in range(MOST_DEFAULTS):
            if self.rule == rule and role in {"", self.asked[0]}:
                return
            self.default()
        raise AssertionError(f"{rule} never asks")

    def until_window(self, kind: str, role: str = "") -> None:
        """Give default answers until a window of this kind asks this role or, if none is given, any role."""
        for _ in range(MOST_DEFAULTS):
            top = self.state.frames[-1]
            if (
                isinstance(top, WindowFrame)
                and top.trigger.kind == kind
                and role in {"", self.asked[0]}
            ):
                return
            self.default()
        raise AssertionError(f"no window {kind}")

    def finish_turn(self) -> None:
        """Give default answers until another country's Play step."""
        now = self.state.active
        for _ in range(MOST_DEFAULTS):
            if not self.asked or (self.state.active != now and self.rule == "8.2"):
                return
            self.default()
        raise AssertionError("the turn never ends")

    def expect(self, *lines: str) -> None:
        """Check expectations written as in scripts."""
        for line in lines:
            words = line.split()
            assert QMG_WORDS.expectation_problem(self.state, self.set_up_state, words) == "", line

    def refused(self, line: str) -> list[str]:
        """Return the rules that refuse a command."""
        role, _, words = line.partition(":")
        try:
            QMG.decide(self.state, Role(role), QMG.notation.parse(words.strip()), ScriptedDice())
        except IllegalCommandError as error:
            return [refusal.rule for refusal in error.refusals]
        raise AssertionError(f"legal: {line}")

    def vp(self) -> tuple[int, int]:
        """Return the points of Axis and Allies."""
        return self.state.vp

    def spaces(self, force: str, kind: str) -> set[str]:
        """Return the spaces in which a force has pieces of a kind."""
        pieces = QMG.project(self.state, None).pieces.get(force)
        return set(getattr(pieces, kind)) if pieces is not None else set()

    def said(self, role: str) -> list[str]:
        """Return the log lines that a role has received."""
        return [QMG.log_sentence(QMG.redact(event, Role(role))) for event in self.events]

    def kinds(self) -> list[str]:
        """Return the kinds of all events so far."""
        return [type(event).__name__ for event in self.events]


def turn(scenario: str, country: str, card: str, *lines: str) -> Table:
    """Return the Play step of a country with these cards and one more in its hand."""
    table = Table(
        scenario,
        f"active {country}",
        "homes",
        *lines,
        f"hand {country} {card} {KEEP[country]}",
    )
    table.until("8.2", country)
    return table


def air_step(*lines: str, country: str = "germany", drop: str = "") -> Table:
    """Return a country at its Air step, after discarding a card in the Play step."""
    table = Table("total-war", f"active {country}", "homes", *lines)
    table.until("8.2", country)
    if drop:
        table(f"{country}: drop {drop}")
    else:
        table.default()
    table.until("13.3", country)
    return table


def moscow(*lines: str, scenario: str = "total-war") -> Table:
    """Return a German battle of Moscow that is about to remove the piece there."""
    table = Table(
        scenario,
        "active germany",
        "homes",
        "piece germany army ukraine",
        "hand germany de_land_battle#1 de_plunder",
        *lines,
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    return table


def settle(table: Table) -> None:
    """Pass through windows."""
    while table.rule == "10.4":
        table.default()


def moved(table: Table, **wanted: object) -> list[CardsMoved]:
    """Return the events that moved cards with these fields."""
    return [
        event
        for event in table.events
        if isinstance(event, CardsMoved)
        and all(getattr(event, name) == value for name, value in wanted.items())
    ]


def paid(table: Table, country: str) -> list[tuple[str, int]]:
    """Return the costs that a country paid: the source and the number of cards."""
    return [
        (event.source, len(event.cards))
        for event in table.events
        if isinstance(event, CardsMoved) and event.country == country and event.why == "cost"
    ]


def points(table: Table, why: str) -> list[int]:
    """Return the points that a card or force has scored."""
    return [
        event.amount
        for event in table.events
        if isinstance(event, VpChanged) and event.why.partition("#")[0] == why
    ]


def gained(table: Table, why: str) -> list[tuple[str, int]]:
    """Return the points that a card scored, with the team."""
    return [
        (event.team, event.amount)
        for event in table.events
        if isinstance(event, VpChanged) and event.why == why
    ]


def told(table: Table, role: str) -> str:
    """Return all log lines that a country has received."""
    return " ".join(table.said(role))


def moscow_in_danger() -> Table:
    """Return a table where the Soviet Union may save its Army in Moscow from a Land Battle with a Response."""
    table = Table(
        "base",
        "active germany",
        "homes",
        "hand germany de_land_battle",
        "piece germany army eastern_europe ukraine",
        "response ussr su_moscow",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.until_window("about_to_be_removed", "ussr")
    return table
